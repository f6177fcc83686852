"""Types of values: `f64[3, 4]` is an array type, `float` a Python scalar type.

Spelled as XLA prints them.  A Python scalar is the *weak* array type of rank 0 (NEP 50: it adapts
to the arrays it meets), so that every op treats both alike and only promotion tells them apart.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from dataclasses import field
from typing import Any

import ml_dtypes
import numpy as np

from pyxla.frozen import dataclass

# What ml_dtypes and XLA have of 8 bits and less: without `float8_e8m0fnu`, which has no zero and no
# sign, and what XLA's compiler for CPUs ends the process on (`int2`, `float4_e2m1fn`, 6 bits).
NARROW: dict[str, type] = {
    "i4": ml_dtypes.int4,
    "u4": ml_dtypes.uint4,
    "f8e3m4": ml_dtypes.float8_e3m4,
    "f8e4m3": ml_dtypes.float8_e4m3,
    "f8e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "f8e5m2": ml_dtypes.float8_e5m2,
    "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
}
DTYPE_NAMES: dict[str, np.dtype] = {
    "bool_": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "u8": np.dtype(np.uint8),
    "u16": np.dtype(np.uint16),
    "u32": np.dtype(np.uint32),
    "u64": np.dtype(np.uint64),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "c64": np.dtype(np.complex64),
    "c128": np.dtype(np.complex128),
    **{name: np.dtype(narrow) for name, narrow in NARROW.items()},
}
SHORT_NAMES: dict[np.dtype, str] = {dtype: name for name, dtype in DTYPE_NAMES.items()}
# "b", "i", "u", "f" or "c": NumPy calls most types of ml_dtypes "V".
CLASSES: dict[np.dtype, str] = {dtype: dtype.name[0] for dtype in SHORT_NAMES}
CLASSES[DTYPE_NAMES["bf16"]] = "f"
PYTHON_DTYPES: dict[type, np.dtype] = {
    bool: DTYPE_NAMES["bool_"],
    int: DTYPE_NAMES["i64"],
    float: DTYPE_NAMES["f64"],
    complex: DTYPE_NAMES["c128"],
}
PYTHON_TYPES: dict[np.dtype, type] = {dtype: python for python, dtype in PYTHON_DTYPES.items()}
# Python's type of the numbers of a dtype, by the dtype's kind.
PYTHON_KINDS: dict[str, type] = {"b": bool, "i": int, "u": int, "f": float, "c": complex}


@dataclass(frozen=True, slots=True)
class ArrayType:
    """The type of one value: element type and static shape.

    `weak` marks a Python scalar (`bool`, `int`, `float`, `complex`): shape `()`, a 64-bit dtype.
    """

    dtype: np.dtype
    shape: tuple[int, ...] = ()
    weak: bool = False
    size: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", math.prod(self.shape))

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __str__(self) -> str:
        if self.weak:
            return PYTHON_TYPES[self.dtype].__name__
        return f"{SHORT_NAMES[self.dtype]}[{','.join(map(str, self.shape))}]"

    __repr__ = __str__


@functools.lru_cache(maxsize=65536)
def array_type(dtype: np.dtype, shape: tuple[int, ...] = (), weak: bool = False) -> ArrayType:
    """The interned `ArrayType`, so that equal types are mostly identical objects; of equal dtypes
    it has the one of `DTYPE_NAMES` (`longlong`, which some ufuncs give, is `int64`).

    Raises NumPy's ValueError for more bytes than an address counts, on which XLA aborts.
    """
    if math.prod([extent or 1 for extent in shape]) * dtype.itemsize >= 2**63:
        raise ValueError(
            "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum "
            "possible size."
        )
    return ArrayType(canonical(dtype), shape, weak)


def canonical(dtype: np.dtype) -> np.dtype:
    """The one dtype object among equal ones; others as they are."""
    return DTYPE_NAMES[SHORT_NAMES[dtype]] if dtype in SHORT_NAMES else dtype


def limits(dtype: np.dtype) -> tuple[Any, Any]:
    """What no element is less than, and none is greater: infinities where there are any."""
    letter = CLASSES[dtype]
    if letter == "b":
        return False, True
    if letter in "iu":
        ints = ml_dtypes.iinfo(dtype)
        return ints.min, ints.max
    if letter == "c":
        return complex(-np.inf, -np.inf), complex(np.inf, np.inf)
    if np.isinf(np.array(np.inf, dtype)):
        return -np.inf, np.inf
    floats = ml_dtypes.finfo(dtype)
    return float(floats.min), float(floats.max)


UNIT = 2**62


@dataclass(frozen=True, slots=True)
class Far:
    """The type of Python's ints that are an int of 64 bits and so many times `UNIT`."""

    units: int

    @property
    def __name__(self) -> str:
        return f"int{self.units}"

    def _make(self, parts: Iterable[int]) -> int:
        """As that of a named tuple."""
        (rest,) = parts
        return self.units * UNIT + rest


def tuple_maker(cls: Any) -> Callable[[Any], Any]:
    """What makes of items a list, a tuple of that class, or the int that `Far` stands for."""
    if cls in (list, tuple):
        return cls
    return functools.partial(tuple.__new__, cls) if isinstance(cls, type) else cls._make


def python_type(kind: type) -> ArrayType:
    """The type of a dynamic Python scalar: `kind` is `bool`, `int`, `float` or `complex`."""
    return array_type(PYTHON_DTYPES[kind], (), True)


def fits(type: ArrayType) -> bool:
    """Whether elements of `type` go into words (`lower.words`)."""
    return type.dtype.isbuiltin == 1 and type.dtype.kind != "c" or type.dtype.name == "bfloat16"


def word_of(types: Iterable[ArrayType]) -> np.dtype:
    """The type of words that hold elements of all these types."""
    return WORDS[8 if any(t.dtype.itemsize == 8 for t in types) else 4]


WORDS = {size: np.dtype(f"i{size}") for size in (1, 2, 4, 8)}
BOOL = array_type(np.dtype(np.bool_))
I32 = array_type(np.dtype(np.int32))
I64 = array_type(np.dtype(np.int64))
FLAGS = 31  # sticky flags in a word, which is an i32
