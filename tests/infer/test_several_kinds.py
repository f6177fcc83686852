"""Numbers whose kind the path taken decides: operators give for each what CPython and NumPy do."""

from __future__ import annotations

import itertools
import operator
import warnings
from typing import Any

import numpy as np
import pytest

import pyxla

NUMBERS = {
    "bool": True, "int": 3, "float": 2.5, "complex": 1.5 + 1j,
    "bool_": np.True_, "int8": np.int8(100), "int32": np.int32(70000), "int64": np.int64(5),
    "uint8": np.uint8(200), "float16": np.float16(0.1), "float32": np.float32(0.3),
    "float64": np.float64(0.7), "complex64": np.complex64(0.1 + 0.3j),
}  # fmt: skip
PAIRS = [
    ("int", "int8"), ("int", "int64"), ("int", "float"), ("float", "float32"),
    ("float", "float64"), ("float16", "int8"), ("float32", "float64"), ("bool", "bool_"),
    ("complex", "complex64"), ("int32", "float"),
]  # fmt: skip
OPERATORS = {
    "u + v": operator.add, "u * v - u": lambda u, v: u * v - u, "u / v": operator.truediv,
    "u // v": operator.floordiv, "u % v": operator.mod, "v // u": lambda u, v: v // u,
    "u ** v": operator.pow, "v ** u": lambda u, v: v**u, "u & v": operator.and_,
    "u << v": operator.lshift, "u < v": operator.lt, "u * 100 == v": lambda u, v: u * 100 == v,
    "-u": lambda u, v: -u, "~u": lambda u, v: ~u, "abs(u * 3)": lambda u, v: abs(u * 3),
    "np.sqrt(u)": lambda u, v: np.sqrt(u), "np.add(u, v)": np.add, "np.exp(v * u)":
    lambda u, v: np.exp(v * u), "max(u, v) / 3": lambda u, v: max(u, v) / 3,
    "pow(u, 2)": lambda u, v: pow(u, 2), "round(u)": lambda u, v: round(u),
    "divmod(u, v)": divmod, "u > 2.3": lambda u, v: u > 2.3,
}  # fmt: skip

OF_INTS = ("u & v", "u << v", "~u")
OF_REALS = ("u // v", "u % v", "v // u", "divmod(u, v)", "round(u)")


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, tuple):
        return len(found) == len(expected) and all(map(same, found, expected))
    if type(found) is not type(expected):
        return False
    dtype = np.dtype(type(expected))
    tolerance = 512 * np.finfo(dtype).eps if dtype.kind in "fc" else 0
    return bool(np.allclose(found, expected, rtol=tolerance, atol=0, equal_nan=True))


def outcome(function: Any, *args: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*args)
        except pyxla.CompileError:
            raise
        except Exception as error:  # noqa: BLE001 - what is raised is compared
            return error


@pytest.mark.parametrize("text", OPERATORS)
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_operators_of_each_kind(first: str, second: str, text: str):
    compute = OPERATORS[text]

    def program(takes_first, u, other, v):
        if not takes_first:
            u = other
        return compute(u, v)

    compiled = pyxla.compile(program, checks=True)
    refused = 0
    for v, takes_first in itertools.product(["int", "float32"], [True, False]):
        args = (takes_first, NUMBERS[first], NUMBERS[second], NUMBERS[v])
        expected = outcome(program, *args)
        try:
            found = outcome(compiled, *args)
        except pyxla.CompileError:
            refused += 1
            continue
        if isinstance(expected, Exception):
            assert type(found) is type(expected), (args, found, expected)
        else:
            assert same(found, expected), (args, found, expected)
    assert refused < 4 or text in OF_INTS or (text in OF_REALS and "complex" in first + second)


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "int64", "float64"])
@pytest.mark.parametrize("start", [2, 0.0])
def test_what_a_loop_has_when_it_takes_no_turn(dtype: str, start: Any):
    @pyxla.compile
    def total(x, n):
        s = start
        for i in range(n):
            s += x[i]
        return s * 100 + 0.1

    x = np.array([3, 100, 1], dtype)
    for n in (0, 1, 3):
        expected = outcome(total.__wrapped__, x, n)
        assert same(total(x, n), expected), n


def test_what_a_ufuncs_method_gives_of_a_list_has_the_dtype_of_each_path():
    def program(narrow, x):
        u = 0.1
        if narrow:
            u = x[0]
        return np.add.reduce([u, u])

    f, x = pyxla.compile(program), np.ones(1, np.float32)
    for narrow in (0, 1):
        assert same(f(narrow, x), program(narrow, x))


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8])
def test_which_kind_an_item_of_a_list_is_takes_a_byte(dtype):
    def program(xs, n):
        queue, seen = [3], 0
        while seen < len(queue) and seen < n[0]:
            queue.append(xs[seen])
            seen += 1
        return queue

    xs = np.arange(300).astype(dtype)
    f = pyxla.compile(program)
    for n in map(np.atleast_1d, (0, 1, 5)):
        made, expected = f(xs, n), program(xs, n)
        assert made == expected and list(map(type, made)) == list(map(type, expected))
    assert "i8[" in pyxla.code_typed(program, xs, n)
