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
    "repeated": (lambda m: (np.broadcast_to(m, (2, 3, 3)), np.broadcast_to(m[0], (2, 3))), M),
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


def test_views_of_results_are_read_only() -> None:
    made = pyxla.compile(lambda m: (np.broadcast_to(m + 1, (2, 3, 3)), (m + 2).diagonal(), m + 3))(
        M
    )
    assert [x.flags.writeable for x in made] == [False, False, True]


ORDERED = {
    "C contiguous": lambda x: np.ascontiguousarray(x),
    "C": lambda x: (np.asarray(x, order="C"), np.array(x, copy=None, order="C")),
    "F": lambda x: (np.asfortranarray(x), np.asarray(x, order="F")),
    "flat": lambda x: (x.ravel(), x.T.ravel(), np.ravel(x, "F"), x.ravel("K")),
    "other shapes": lambda x: [x.reshape(-1), {"a": x.T.reshape(2, -1), "b": x.reshape(-1, 1, 2)}],
    "required": lambda x: np.require(x, requirements=["F"]),
}


def flat(made) -> list:
    if isinstance(made, (list, tuple)):
        return [leaf for item in made for leaf in flat(item)]
    return flat(list(made.values())) if isinstance(made, dict) else [made]


@pytest.mark.parametrize("name", ORDERED)
def test_what_is_a_view_depends_on_the_order_in_memory(name: str) -> None:
    compiled, whole = pyxla.compile(ORDERED[name]), np.arange(32.0).reshape(4, 8)
    orders = whole[:, :4].copy(), np.asfortranarray(whole), whole[:, ::2], whole[::-1].T, whole
    for x in (*orders, *orders):
        expected, actual = flat(ORDERED[name](x)), flat(compiled(x))
        for wanted, found in zip(expected, actual, strict=True):
            np.testing.assert_array_equal(found, wanted, strict=True)
            assert np.shares_memory(found, x) == np.shares_memory(wanted, x)


def test_arguments_in_c_order_are_recognized() -> None:
    """A program that asks for the order alone is called as others are."""
    compiled, x = pyxla.compile(lambda x: x.ravel("K") * 1), np.ones((2, 3))
    for array in (x, x, np.asfortranarray(x), x):
        compiled(array)
    (entry,) = [e for e in compiled.specializations if not e.request.memory.strides]
    assert entry.memory and not entry.shares
    _, recognize, run, _ = compiled._cache.recent
    assert run is not None and recognize((x,)) and recognize((np.asfortranarray(x),)) is None


def test_a_view_of_all_of_an_array_is_not_told_from_it() -> None:
    with pytest.raises(pyxla.CompileError, match="a view of all of it"):
        pyxla.compile(lambda x: x[:] is x)(M)
