"""Known ints that become large, and loops that are nested deeply."""

from __future__ import annotations

import importlib.util
import time

import numpy as np
import pytest

import pyxla
from pyxla.errors import CompileError


def powered(x):
    return x + (3 ** (2**50)) % 5


def powered_by_name(x):
    return x + pow(3, 2**50) % 5


def shifted(x):
    return x + (1 << (2**40)) % 5


def within_reason(x):
    return x + (3**2000) % 5


@pytest.mark.parametrize("f", [powered, powered_by_name, shifted])
def test_ints_have_a_limit(f):
    with pytest.raises(CompileError, match="bits is computed while compiling"):
        pyxla.compile(f)(1.0)


def test_ints_are_exact_within_it():
    assert pyxla.compile(within_reason)(1.0) == within_reason(1.0)


def test_passes_of_nested_loops_do_not_multiply(tmp_path):
    """Names become NumPy's numbers, and other arrays, in the innermost of 14 loops."""
    depth = 14
    lines = ["def f(x):", "    s = 0.0"]
    lines += ["    " * (d + 1) + f"for i{d} in range(2):" for d in range(depth)]
    lines += ["    " * (depth + 1) + body for body in ("x = x * 2.0", "s = x[0]")]
    (tmp_path / "nested.py").write_text("\n".join([*lines, "    return s", ""]))
    spec = importlib.util.spec_from_file_location("nested", tmp_path / "nested.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    start = time.process_time()
    pyxla.code_typed(module.f, np.ones(3))
    assert time.process_time() - start < 5, "it took 18 s when they did"
