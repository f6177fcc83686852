"""Sizes known at run time only: where they meet, they fit, or the program raises as NumPy does."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import pyxla.lib.everything  # noqa: F401 - the functions that are asked about
from pyxla.abstract.facts import extent
from pyxla.abstract.facts.integers import Int, value_of
from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.structure import OPERATORS
from pyxla.infer.interface import Engine
from pyxla.infer.raising.faults import exception
from pyxla.ir.core import Value
from pyxla.lib import kernels as k
from pyxla.lib import reductions as r
from pyxla.lib.bounded.elementwise import sizes
from pyxla.lib.masks import within
from pyxla.lib.operands import is_short_int, literal, normalize_axes, weak
from pyxla.lib.registry import LIBRARY
from pyxla.lib.scans import NEUTRAL
from pyxla.ops import elementwise as op
from pyxla.ops.index import dynamic_slice
from pyxla.ops.shape import reshape

LARGEST = 2**63 - 1
_NOTHING = "index -1 is out of bounds for axis 0 with size 0"
_JOINING = [LIBRARY[f] for f in (np.concatenate, np.vstack, np.hstack)]


@functools.lru_cache(maxsize=256, typed=True)
def failure(function: Callable[..., Any], *sample: Any) -> BaseException:
    """What CPython raises for `function(*sample)`."""
    try:
        function(*sample)
    except Exception as error:  # noqa: BLE001 - whatever it is, programs raise it too
        return type(error)(*error.args)
    raise AssertionError(f"{function.__name__}{sample} does not fail")


# What reductions of nothing raise; those of ufuncs are along the first dimension.
_FOLDING = tuple([ufunc.reduce for ufunc in NEUTRAL if ufunc.identity is None])
_REDUCING = (np.max, np.min, np.argmax, np.argmin, np.ptp, np.nanmax, np.nanmin, *_FOLDING)
_FIRST = (*_JOINING, LIBRARY[np.stack])
REDUCTIONS = {
    **{LIBRARY[f]: failure(functools.partial(f, np.empty(0))) for f in _REDUCING},
    **{LIBRARY[f]: failure(f, ()) for f in (max, min, np.stack)},
    **dict.fromkeys(_JOINING, failure(np.concatenate, ())),
    **dict.fromkeys((LIBRARY[np.percentile], LIBRARY[np.quantile]), IndexError(_NOTHING)),
}


def verify_reduction(engine: Engine, function: Any, operands: Any, named: dict[str, Any]) -> None:
    """The dimensions that are reduced are not empty, or there is another value; lists of arrays to
    join are not, along their first dimension."""
    if not operands or not isinstance(operands[0], Array) or {"initial", "default"} & named.keys():
        return
    x = operands[0]
    place = 2 if function in (LIBRARY[np.percentile], LIBRARY[np.quantile]) else 1
    default = 0 if function in [LIBRARY[f] for f in _FOLDING] else None
    axis = named.get("axis", operands[place] if len(operands) > place else default)
    axis = 0 if function in _FIRST else axis
    for d in normalize_axes(axis, x.ndim) if x.extents else ():
        size = x.extents[d]
        if size is not None and (extent.lower(size) or 0) <= 0:
            positive = k.gt(value_of(size), value_of(0))
            engine.ensure(Scalar(positive), REDUCTIONS[function])


# Operands that need so many elements, and what is raised of fewer.
NEEDED: dict[Any, tuple[tuple[int, str, int, Exception], ...]] = {
    LIBRARY[np.convolve]: (
        (0, "a", 1, ValueError("a cannot be empty")),
        (1, "v", 1, ValueError("v cannot be empty")),
    ),
    LIBRARY[np.correlate]: (
        (0, "a", 1, ValueError("first array argument cannot be empty")),
        (1, "v", 1, ValueError("second array argument cannot be empty")),
    ),
    LIBRARY[np.interp]: ((1, "xp", 1, ValueError("array of sample points is empty")),),
    LIBRARY[np.polyfit]: ((0, "x", 1, TypeError("expected non-empty vector for x")),),
}


def verify_needed(engine: Engine, function: Any, operands: Any, named: dict[str, Any]) -> None:
    """Arrays whose size is known at run time only have the elements that `function` needs."""
    for place, name, least, error in NEEDED[function]:
        x = operands[place] if len(operands) > place else named.get(name)
        size = x.extents[0] if isinstance(x, Array) and x.extents else None
        if size is not None and (extent.lower(size) or 0) < least:
            engine.ensure(Scalar(k.ge(value_of(size), value_of(least))), error)


def verify_fits(engine: Engine, x: Any, dtype: np.dtype, side: int = 0) -> None:
    """A Python int that becomes a number of `dtype` is one (NEP 50).  side: what is below all of
    them (-1), or above (1), is taken as well."""
    if not is_short_int(dtype) or not isinstance(x, Scalar) or x.kind is not int or x.kinds:
        return
    bounds = np.iinfo(dtype)
    low, high = extent.lower(x), extent.upper(x)
    tests = []
    if side >= 0 and (low is None or low < bounds.min):
        tests.append(k.ge(x.value, k.like(x.value, int(bounds.min))))
    if side <= 0 and (high is None or high > bounds.max) and bounds.max <= LARGEST:
        tests.append(k.le(x.value, k.like(x.value, int(bounds.max))))
    if tests:
        error = exception(OverflowError, "Python integer ", x, f" out of bounds for {dtype}")
        engine.ensure(Scalar(functools.reduce(op.and_, tests)), error)


def verify_stored(engine: Engine, x: Any, dtype: np.dtype, basic: bool = True) -> None:
    """A number that is put in an array of ints is one of `dtype`: of floats NumPy takes the int,
    for signed ints and keys that are `basic` of its own scalars as well."""
    numpys = isinstance(x, Array) and not x.shape and basic and dtype.kind == "i"
    if engine.tests(OverflowError):
        verify_fits(engine, _as_pythons(x, dtype) if numpys else x, dtype)
    if dtype.kind not in "iu" or not (numpys or (isinstance(x, Scalar) and x.kind is float)):
        return
    if x.dtype.kind != "f" or getattr(x, "kinds", None):
        return
    value = op.convert(x.value, dtype=np.dtype(np.float64), weak=False)
    if engine.tests(ValueError):
        engine.ensure(Scalar(op.not_(k.isnan(value))), failure(int, math.nan))
    if not engine.tests(OverflowError):
        return
    engine.ensure(Scalar(op.not_(k.isinf(value))), failure(int, math.inf))
    whole, bounds = k.trunc(value), np.iinfo(dtype)
    long = np.iinfo(np.int64 if bounds.max <= LARGEST else dtype)
    too_large = OverflowError("Python int too large to convert to C long")
    engine.ensure(Scalar(op.or_(k.isnan(value), _within(whole, long))), too_large)
    if is_short_int(dtype):
        number = Scalar(op.convert(whole, dtype=np.dtype(np.int64), weak=True))
        error = exception(OverflowError, "Python integer ", number, f" out of bounds for {dtype}")
        engine.ensure(Scalar(op.or_(k.isnan(value), _within(whole, bounds))), error)


def _as_pythons(x: Array, dtype: np.dtype) -> Array | Scalar:
    """An int of NumPy's that may be none of `dtype`, as Python's."""
    if x.dtype.kind not in "iu" or x.dtype == np.uint64 or x.kinds or np.can_cast(x.dtype, dtype):
        return x
    return Scalar(op.convert(x.value, dtype=np.dtype(np.int64), weak=True))


def verify_items(engine: Engine, x: Array, dtype: np.dtype, python: bool) -> None:
    """As `verify_stored`, of the items of a list that is kept as an array: the first that is no
    number of `dtype` is looked at."""
    if dtype.kind not in "iu" or x.dtype.kind == "c" or np.can_cast(x.dtype, dtype) or not x.size:
        return
    whole = k.trunc(op.convert(x.value, dtype=np.dtype(np.float64)))
    bad, inside = op.not_(_within(whole, np.iinfo(dtype))), within(x)
    bad = bad if inside is None else op.and_(bad, inside)
    place = r.argmax(Array(bad)).value
    item = dynamic_slice(reshape(x.value, shape=(x.size,)), place, slice_sizes=(1,))
    item = op.select(r.any(Array(bad)).value, reshape(item, shape=()), literal(0, x.dtype))
    item_type = {"b": bool, "f": float}.get(x.dtype.kind, int)
    verify_stored(engine, weak(item, item_type) if python else Array(item), dtype)


def _within(x: Value, bounds: np.iinfo) -> Value:
    """Where a float is among ints of a dtype; the next above the largest is a power of two."""
    above = k.lt(x, k.like(x, float(bounds.max + 1)))
    return op.and_(k.ge(x, k.like(x, float(bounds.min))), above)


def verify_met(engine: Engine, function: Any = None, operands: Any = ()) -> None:
    """Sizes that `function` of `operands` took to be equal are, those known at run time too."""
    met, engine.met = engine.met, []
    for meeting in met:
        make = _UNLIKE.get(function, _unlike if meeting.error is None else None)
        if make is not None:
            shapes = list(_shapes(operands, function in _OF_LISTS))
        error = exception(*(meeting.error if make is None else make(shapes)))
        if not engine.tests(error.meta):
            continue
        n, m = meeting.sizes
        same = k.eq(value_of(n), value_of(m))
        for size in (n, m) if meeting.single else ():
            same = op.or_(same, k.eq(value_of(size), value_of(1)))
        engine.ensure(Scalar(same), error)


def _shapes(operands: Any, inside: bool) -> Iterator[list[Any]]:
    """The shapes of the arrays and numbers among operands.  A list is one array, or, with `inside`,
    several."""
    for x in operands:
        if inside and isinstance(x, list | tuple):
            yield from _shapes(x, True)
        elif isinstance(x, list | tuple | Array | Scalar | int | float | complex | np.generic):
            yield _shape(x)


def _shape(x: Any) -> list[Any]:
    if isinstance(x, list | tuple):
        return [len(x), *(_shape(x[0]) if x else ())]
    return sizes(x) if isinstance(x, Array) else []


def shown(shape: Sequence[Int], after: str = "") -> list[Any]:
    """The parts of a shape as NumPy prints it, and what comes after."""
    parts = [part for n in shape for part in (n, ",")]
    return ["(", *(parts if len(shape) == 1 else parts[:-1]), ")" + after]


def _unlike(shapes: list[Any]) -> list[Any]:
    parts = [part for shape in shapes for part in shown(shape, " ")]
    return [ValueError, "operands could not be broadcast together with shapes ", *parts]


def _unlike_in_matmul(shapes: list[Any]) -> list[Any]:
    left, right = shapes[:2]
    axis = max(len(right) - 2, 0)
    words = f"matmul: Input operand 1 has a mismatch in its core dimension {axis}, with gufunc "
    words += "signature (n?,k),(k,m?)->(n?,m?) (size "
    return [ValueError, words, right[axis], " is different from ", left[-1], ")"]


def _unlike_in_dot(shapes: list[Any], last: bool = False) -> list[Any]:
    left, right = shapes[:2]
    axis = len(right) - 1 if last else max(len(right) - 2, 0)
    between = [" not aligned: ", left[-1], f" (dim {len(left) - 1}) != ", right[axis]]
    both = [*shown(left), " and ", *shown(right)]
    return [ValueError, "shapes ", *both, *between, f" (dim {axis})"]


def _unlike_in_einsum(shapes: list[Any]) -> list[Any]:
    words = "operands could not be broadcast together with remapped shapes [original->remapped]: "
    return [ValueError, words, *[p for s in shapes for p in (*shown(s, "->"), *shown(s, " "))]]


def _unlike_in_vdot(shapes: list[Any]) -> list[Any]:
    first, second = shapes[0][0], shapes[1][0]
    return [ValueError, "cannot reshape array of size ", second, " into shape (", first, ",)"]


def _unlike_in_select(shapes: list[Any]) -> list[Any]:
    words = "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between "
    first, second = shown(shapes[0]), shown(shapes[1])
    return [ValueError, f"{words}arg 0 with shape ", *first, " and arg 1 with shape ", *second, "."]


# What functions say of sizes that do not fit each other.
_UNLIKE: dict[Any, Callable[[list[Any]], list[Any]]] = {
    LIBRARY[np.matmul]: _unlike_in_matmul,
    OPERATORS["matmul"]: _unlike_in_matmul,
    LIBRARY[np.dot]: _unlike_in_dot,
    LIBRARY[np.inner]: functools.partial(_unlike_in_dot, last=True),
    LIBRARY[np.vdot]: _unlike_in_vdot,
    LIBRARY[np.tensordot]: lambda shapes: [ValueError, "shape-mismatch for sum"],
    LIBRARY[np.einsum]: _unlike_in_einsum,
    LIBRARY[np.select]: _unlike_in_select,
    LIBRARY[np.stack]: lambda shapes: [ValueError, "all input arrays must have the same shape"],
}


_OF_LISTS = frozenset({LIBRARY[np.select], LIBRARY[np.stack]})


def verify_joined(engine: Engine, function: Any, arrays: Any) -> None:
    """Arrays of which one is made have one shape; of sizes known at run time, the program sees."""
    if function not in (LIBRARY[np.array], LIBRARY[np.asarray]):
        return
    if not isinstance(arrays, (list, tuple)) or not all(isinstance(x, Array) for x in arrays):
        return
    shapes = [sizes(x) for x in arrays]
    for other in shapes[1:]:
        for n, m in zip(shapes[0], other, strict=False):
            if extent.difference(n, m) != 0:
                same = k.eq(value_of(n), value_of(m))
                engine.ensure(Scalar(same), inhomogeneous(len(arrays)))


def inhomogeneous(n: Any) -> Any:
    """What NumPy raises for a list of `n` arrays of several shapes."""
    return exception(ValueError, _SEVERAL_SHAPES, n, ",) + inhomogeneous part.")


_SEVERAL_SHAPES = (
    "setting an array element with a sequence. The requested array has an inhomogeneous shape "
    "after 1 dimensions. The detected shape was ("
)
