"""Views of arguments that are returned show the memory of the argument, as NumPy's do."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla

M = np.arange(9.0).reshape(3, 3)
VIEWS = {
    "parts": (lambda z: (z.real, z.imag, z[1:].imag), np.arange(3) + 1j),
    "windows": (lambda m: np.lib.stride_tricks.sliding_window_view(m, (2, 2)), M),
    "diagonals": (lambda m: (m.diagonal(), np.einsum("ii->i", m), m.T.diagonal(1)), M),
    "bytes": (lambda m: m.view(np.int64), M),
}


@pytest.mark.parametrize("name", VIEWS)
def test_memory_is_shared(name: str) -> None:
    function, array = VIEWS[name]
    expected, actual = function(array), pyxla.compile(function)(array)
    if not isinstance(expected, tuple):
        expected, actual = (expected,), (actual,)
    for wanted, found in zip(expected, actual, strict=True):
        np.testing.assert_array_equal(found, wanted, strict=True)
        assert found.strides == wanted.strides
        assert found.flags.writeable == wanted.flags.writeable
        assert np.shares_memory(found, array)


def test_a_view_of_all_of_an_array_is_not_told_from_it() -> None:
    with pytest.raises(pyxla.CompileError, match="a view of all of it"):
        pyxla.compile(lambda x: x[:] is x)(M)
