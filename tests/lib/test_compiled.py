"""The rows of the other tests through the whole compiler: XLA's results, and the kinds of results.

Rows are compiled by the dozen: one program calls many functions and returns all their results.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pyxla
from tests.lib import test_arrays, test_linalg
from tests.lib.compare import plain, same
from tests.lib.harness import Dynamic

pytestmark = pytest.mark.filterwarnings("ignore")
CHUNK = 24
ROWS = [
    *test_arrays.CREATION,
    *test_arrays.REARRANGING,
    *test_arrays.PRODUCTS,
    *test_arrays.SELECTION,
    *test_arrays.SORTING,
    *test_arrays.NUMERIC,
    *test_arrays.SCALARS,
    *test_linalg.ROWS,
    *test_linalg.FFT,
]


def is_dynamic(x: Any) -> bool:
    if isinstance(x, list | tuple):
        return any(is_dynamic(item) for item in x)
    return isinstance(x, np.ndarray | np.generic | Dynamic)


def program(rows: list[Any], path: Path) -> tuple[ModuleType, list[Any]]:
    """A module whose `program` makes the calls, and its arguments: what is not known statically."""
    lines, arguments, known = [], [], {}

    def name(x: Any) -> str:
        if is_dynamic(x):
            arguments.append(plain(x))
            return f"x{len(arguments)}"
        known[f"k{len(known)}"] = x
        return f"k{len(known) - 1}"

    for i, row in enumerate(rows):
        function, args, kwargs = row.values
        known[f"f{i}"] = function
        parts = [name(x) for x in args] + [f"{key}={name(x)}" for key, x in kwargs.items()]
        lines.append(f"        f{i}({', '.join(parts)}),")
    params = ", ".join(f"x{i + 1}" for i in range(len(arguments)))
    path.write_text("\n".join([f"def program({params}):", "    return (", *lines, "    )", ""]))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module).update(known)
    return module, arguments


def kinds(x: Any) -> Any:
    """Python scalars, NumPy scalars and arrays, told apart."""
    return [kinds(item) for item in x] if isinstance(x, list | tuple) else type(x)


def arrays(x: Any) -> Any:
    if isinstance(x, list | tuple):
        return [arrays(item) for item in x]
    return np.asarray(x) if isinstance(x, np.generic) else x


@pytest.mark.parametrize("start", range(0, len(ROWS), CHUNK))
def test_rows(start: int, tmp_path: Path) -> None:
    rows = ROWS[start : start + CHUNK]
    module, arguments = program(rows, tmp_path / f"rows_{start}.py")
    results = pyxla.compile(module.program)(*arguments)
    for row, got in zip(rows, results, strict=True):
        function, args, kwargs = row.values
        with np.errstate(all="ignore"):
            expected = function(*plain(args), **{key: plain(x) for key, x in kwargs.items()})
        assert kinds(got) == kinds(expected), row.id
        same(arrays(got), arrays(expected), row.id, 1e5)


@pytest.mark.parametrize("x", [0.5, 2, 2.5, True, np.float32(2), np.ones(2, int)])
def test_clip_of_numbers_of_python(x):
    def program(x, high):
        return np.clip(x, 0.0, 1.0), np.clip(x, 0, high), np.clip(x, None, high)

    np.testing.assert_equal(pyxla.compile(program)(x, 1), program(x, 1))
    for got, want in zip(pyxla.compile(program)(x, 1), program(x, 1)):
        assert (type(got), got.dtype) == (type(want), want.dtype)
