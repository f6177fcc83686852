"""Spellings of types: in Python, as text, and what they describe."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import pyxla
from pyxla import types
from pyxla.errors import CompileError
from pyxla.ir.types import array_type, python_type
from pyxla.runtime import descriptions, signature
from pyxla.runtime.descriptions import ArgArray, ArgScalar, ArgStatic

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)

TEXTS = [
    ("f32[10, 10]", pyxla.f32[10, 10]),
    ("f64[]", pyxla.f64[()]),
    ("f64[3]", pyxla.f64[3]),
    ("bf16", pyxla.bf16),
    ("bool_[]", pyxla.bool_[()]),
    ("int", int),
    ("static[5]", pyxla.static[5]),
    ("static[-5]", pyxla.static[-5]),
    ("static['sum']", pyxla.static["sum"]),
    ("(f32[3], int)", (pyxla.f32[3], int)),
    ("[f32[3],]", [pyxla.f32[3]]),
    ("{'w': f32[], 'n': static[2]}", {"w": pyxla.f32[()], "n": pyxla.static[2]}),
    ("None", None),
    ("'mean'", "mean"),
    ("True", True),
]


SIZED = [("f64[n, 3]", pyxla.f64["n", 3]), ("f64[n<=9,'m']", pyxla.f64["n <= 9", "m"])]


@pytest.mark.parametrize(("text", "expected"), TEXTS + SIZED, ids=[t for t, _ in TEXTS + SIZED])
def test_parse(text, expected):
    assert types.parse(text) == expected


BAD = [
    "",
    "f99",
    "f32[",
    "f32[x + 1]",
    "f32[n<5]",
    "f32[2<=n]",
    "f32['3']",
    "f32[-1]",
    "int[3]",
    "1 + 1",
    "open('x')",
    "f32.shape",
    "3",
]


@pytest.mark.parametrize("text", BAD)
def test_not_a_type(text):
    with pytest.raises(CompileError, match="is not a type") as caught:
        types.parse(text)
    assert caught.value.hint


DESCRIBED = [
    (pyxla.f32[2, 3], ArgArray(array_type(F32, (2, 3)))),
    (pyxla.f64[()], ArgArray(array_type(F64))),
    (pyxla.f64, ArgArray(array_type(F64), "scalar", False)),
    (float, ArgScalar(python_type(float))),
    (pyxla.static[5], ArgStatic(5)),
    ("sum", ArgStatic("sum")),
]


@pytest.mark.parametrize(("spec", "expected"), DESCRIBED, ids=lambda x: str(x))
def test_describe(spec, expected):
    (arg,), *_ = types.describe([spec])
    assert arg == expected


VALUES = [
    (pyxla.f32[2, 3], np.zeros((2, 3), np.float32)),
    (pyxla.bf16[1], np.zeros(1, ml_dtypes.bfloat16)),
    (pyxla.f64, np.float64(1.0)),
    ((pyxla.i32[3], float), (np.zeros(3, np.int32), 1.0)),
    ({"a": [complex]}, {"a": [1j]}),
]


@pytest.mark.parametrize(("spec", "value"), VALUES, ids=lambda x: str(x))
def test_types_and_values_have_one_key(spec, value):
    args, *_ = types.describe([spec])
    assert signature.keyed(args) == signature.flatten([value])[0]


def test_repr_is_the_spelling():
    assert repr((pyxla.f32[2, 3], pyxla.i64, pyxla.static["x"])) == "(f32[2,3], i64, static['x'])"


@pytest.mark.parametrize("spec", [s for _, s in TEXTS if s is not None])
def test_spelled_is_parsed(spec):
    (arg,), *_ = types.describe([spec], frozenset({(0,)}))
    again, *_ = types.describe([types.parse(descriptions.spelled(arg))], frozenset({(0,)}))
    assert again == (arg,)


def test_bools_stand_for_both_values():
    assert list(types.alternatives((float, bool))) == [(float, True), (float, False)]


def test_equal_dtypes_are_one() -> None:
    """Types are looked up by dtype, and `longlong` equals `int64`."""
    assert array_type(np.dtype(np.longlong), (3, 977)).dtype.char == "l"
    assert array_type(np.dtype(np.int64), (3, 977)).dtype.char == "l"


@pytest.mark.parametrize(
    "given", [str, list, dict, np.ndarray, list[float], dict[str, float], "f64[3", "float64[3]"]
)
def test_what_is_no_type_is_no_value_either(given):
    with pytest.raises(CompileError, match="is not a type"):
        pyxla.compile(lambda x: x).specialize(given)


def test_classes_and_texts_may_be_given_as_they_are():
    made = pyxla.compile(lambda make, x: make([x, 2.0]))
    made.specialize(types.static[list], float)
    assert made(list, 1.0) == [1.0, 2.0] and made(tuple, 1.0) == (1.0, 2.0)
    assert pyxla.compile(lambda s: s + "!")("f64[3") == "f64[3!"
