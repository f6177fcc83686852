"""Python's builtins on operands: conversions, `round`, `min`, `max`, `sum`, `any`, `all`."""

from __future__ import annotations

import builtins
import operator
import warnings
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import CLASSES, result_type
from pyxla.abstract.structure import OPERATORS
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.ir.types import limits
from pyxla.lib import kernels as k
from pyxla.lib import modular
from pyxla.lib.operands import as_value, cast, weak
from pyxla.lib.operators import python_kind, to_python, truth
from pyxla.lib.reductions import position_of
from pyxla.lib.registry import implements
from pyxla.lib.ufuncs import UFUNCS
from pyxla.ops import elementwise as op
from pyxla.ops.index import dynamic_slice
from pyxla.ops.reduce import reduce
from pyxla.ops.shape import constant, reshape, slice

_MISSING = object()
_ONLY_RANK_0 = "only 0-dimensional arrays can be converted to Python scalars"


def _converts() -> bool:
    """Whether this NumPy converts arrays of one element, of any shape, to Python scalars."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return float(np.ones(1)) == 1.0
    except TypeError:
        return False


_CONVERTS = _converts()


def element(x: Array) -> Value:
    """The one element of an array, as a value of rank 0."""
    if x.shape and not _CONVERTS:
        raise OpError(_ONLY_RANK_0, TypeError, _ONLY_RANK_0)
    if x.size != 1:
        raise OpError(f"only arrays of one element convert to Python scalars, not {x.type}")
    return reshape(x.value, shape=()) if x.shape else x.value


def to_scalar(x: Any, kind: type) -> Scalar:
    """A number or a one-element array as a Python scalar of `kind` (truncated for int)."""
    if type(x) is Array:
        if CLASSES[x.dtype] == "c" and kind is not complex:
            raise OpError(f"a complex number does not convert to {kind.__name__}")
        return weak(element(x), kind)
    found = python_kind(x)
    if found is None:
        raise OpError(f"{type(x).__name__} does not convert to {kind.__name__}")
    if found is complex and kind is not complex:
        raise OpError(f"a complex number does not convert to {kind.__name__}")
    if found is float and kind is int:
        return weak(to_python(x, float).value, int)
    result = to_python(x, kind)
    if type(result) is Scalar and result.kinds is not None:
        return Scalar(result.value, result.fact, result.test)  # of this kind on all paths
    return result


@implements(int)
def int_(x: Any = 0, base: Any = None) -> Scalar:
    if base is not None:
        raise OpError("int(text, base) needs a text known while compiling")
    result = to_scalar(x, int)
    if type(x) is Array and x.dtype.kind in "iub":
        result.fact = dtype_fact(x.dtype)
    return result


def dtype_fact(dtype: np.dtype) -> extent.IntFact | None:
    """The range of an integer dtype narrower than 64 bits; of uint64, that it is not negative."""
    if dtype.kind == "b":
        return extent.IntFact(0, 1)
    if dtype.itemsize == 8:
        return extent.IntFact(0, None) if dtype.kind == "u" else None
    info = np.iinfo(dtype)
    return extent.IntFact(int(info.min), int(info.max))


@implements(float)
def float_(x: Any = 0.0) -> Scalar:
    return to_scalar(x, float)


@implements(complex)
def complex_(re: Any = 0.0, im: Any = 0.0) -> Scalar:
    re, im = to_scalar(re, complex), to_scalar(im, complex)
    if type(im) is complex and im == 0:
        return re
    return OPERATORS["add"](re, OPERATORS["mul"](im, 1j))


@implements(bool)
def bool_(x: Any = False) -> Any:
    return truth(x)


@implements(abs)
def abs_(x: Any) -> Any:
    if isinstance(x, list | tuple | range):
        raise OpError(f"bad operand type for abs(): {type(x).__name__!r}")
    return OPERATORS["abs"](x)


def _as_ints(*xs: Any) -> list[Any]:
    """Members of an IntEnum as the ints that they are beside one of Python's numbers."""
    python = any(type(x) is Scalar for x in xs)
    return [int(x) if python and isinstance(x, IntEnum) else x for x in xs]


@implements(divmod)
def divmod_(x: Any, y: Any) -> tuple[Any, Any]:
    x, y = _as_ints(x, y)
    if python_kind(x) and python_kind(y):
        return OPERATORS["floordiv"](x, y), OPERATORS["mod"](x, y)
    return UFUNCS[np.divmod](x, y)


@implements(pow)
def pow_(base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is None:
        return OPERATORS["pow"](*_as_ints(base, exp))
    base, exp, mod = (to_scalar(x, int) for x in (base, exp, mod))
    result = weak(modular.python_power(base.value, exp.value, mod.value), int)
    result.fact = extent.transfer("mod", base, mod)
    return result


@implements(round)
def round_(number: Any, ndigits: Any = None) -> Any:
    """Half to even; decimal places by scaling."""
    ndigits = None if ndigits is None else operator.index(ndigits)
    if type(number) is Array:
        return _round_array(number, ndigits)
    kind = python_kind(number)
    if kind in (bool, int):
        return _round_int(to_python(number, int), ndigits)
    if kind is not float:
        raise OpError(f"round is not defined for {kind.__name__ if kind else type(number)}")
    number = to_python(number, float)
    if ndigits is None:
        return weak(op.round_nearest_even(number.value), int)
    return weak(_round_exactly(number.value, ndigits), float)


def _round_exactly(x: Value, digits: int) -> Value:
    """The nearest decimal, where the scaled number lies on a tie only because it was rounded: then
    the error of the product (Dekker 1971) decides."""
    scale = k.like(x, 10.0 ** builtins.abs(digits))
    scaled = op.multiply(x, scale) if digits >= 0 else op.divide(x, scale)
    nearest = op.round_nearest_even(scaled)
    if digits >= 0:
        error = _product_error(x, scale, scaled)
    else:
        error = op.subtract(x, op.multiply(scaled, scale))
    tie = k.eq(op.abs(op.subtract(scaled, nearest)), k.like(x, 0.5))
    zero = k.like(x, 0)
    nearest = op.select(op.and_(tie, k.gt(error, zero)), op.ceil(scaled), nearest)
    nearest = op.select(op.and_(tie, k.lt(error, zero)), op.floor(scaled), nearest)
    rounded = op.divide(nearest, scale) if digits >= 0 else op.multiply(nearest, scale)
    return op.select(k.isfinite(scaled), rounded, x)


def _product_error(x: Value, y: Value, product: Value) -> Value:
    """x * y - product, exactly."""

    def halves(v: Value) -> tuple[Value, Value]:
        shifted = op.multiply(v, k.like(v, 134217729.0))
        high = op.subtract(shifted, op.subtract(shifted, v))
        return high, op.subtract(v, high)

    (a, b), (c, d) = halves(x), halves(y)
    rest = op.subtract(product, op.multiply(a, c))
    rest = op.subtract(op.subtract(rest, op.multiply(b, c)), op.multiply(a, d))
    return op.subtract(op.multiply(b, d), rest)


def _round_array(x: Array, ndigits: Any) -> Any:
    if not x.shape and CLASSES[x.dtype] in "bc":
        raise OpError(f"round is not defined for NumPy's {x.dtype.name}")
    if ndigits is None:
        if x.shape:
            raise OpError("round(x) needs a scalar; np.round(x) rounds the elements of an array")
        rounded = op.round_nearest_even(x.value) if CLASSES[x.dtype] == "f" else x.value
        return weak(rounded, int)
    return Array(round_decimals(x.value, ndigits))


def _round_int(x: Scalar, ndigits: Any) -> Any:
    if ndigits is None or ndigits >= 0:
        return x
    unit = 10**-ndigits
    below = x // unit * unit
    rest = x - below
    odd = OPERATORS["eq"](below // unit & 1, 1)
    tie = OPERATORS["eq"](rest * 2, unit)
    up = UFUNCS[np.logical_or](rest * 2 > unit, UFUNCS[np.logical_and](tie, odd))
    return choose(truth(up), below + unit, below)


def round_decimals(x: Value, decimals: int) -> Value:
    """`np.round`: scale, round half to even, scale back; ints only where decimals are negative."""
    letter = CLASSES[x.type.dtype]
    if letter == "c":
        return op.complex(
            round_decimals(op.real(x), decimals), round_decimals(op.imag(x), decimals)
        )
    if letter != "f":
        return x if decimals >= 0 else _round_integers(x, decimals)
    if decimals == 0:
        return op.round_nearest_even(x)
    scale = k.like(x, 10.0 ** builtins.abs(decimals))
    enlarge, reduce_ = (op.multiply, op.divide) if decimals > 0 else (op.divide, op.multiply)
    return reduce_(op.round_nearest_even(enlarge(x, scale)), scale)


def _round_integers(x: Value, decimals: int) -> Value:
    """As NumPy: in float64, and back."""
    if CLASSES[x.type.dtype] == "b":
        raise OpError("round of booleans to negative decimals is not defined")
    rounded = round_decimals(cast(x, np.dtype(np.float64)), decimals)
    return cast(rounded, x.type.dtype)


# --- Folding -------------------------------------------------------------------------------------


def choose(pred: Any, x: Any, y: Any) -> Any:
    """`x if pred else y` where neither has an effect; Python kinds are widened to the larger."""
    if isinstance(pred, bool):
        return x if pred else y
    left, right = python_kind(x), python_kind(y)
    if left and right:
        kind = max(left, right, key=lambda python: "bifc".index(python.__name__[0]))
        x, y = to_python(x, kind), to_python(y, kind)
        result = Scalar(op.select(pred.value, x.value, y.value))
        if kind is int:
            result.fact = extent.join(extent.fact(x), extent.fact(y))
        return result
    dtype = result_type(x, y)
    return Array(op.select(pred.value, as_value(x, dtype), as_value(y, dtype)))


def iterate(x: Any) -> Iterable[Any]:
    """The items of a container, or of an array along its first axis."""
    if type(x) is not Array:
        return x
    if not x.shape:
        raise OpError("iteration over a 0-d array")
    return [_row(x.value, i) for i in range(x.shape[0])]


def _row(x: Value, i: int) -> Array:
    tail = x.type.shape[1:]
    start, limit = (i, *[0] * len(tail)), (i + 1, *tail)
    row = slice(x, start_indices=start, limit_indices=limit, strides=(1,) * x.type.ndim)
    return Array(reshape(row, shape=tail))


def _extremum(name: str, direction: str, ufunc: np.ufunc) -> Callable[..., Any]:
    def call(*args: Any, key: Any = None, default: Any = _MISSING) -> Any:
        items = args[0] if len(args) == 1 else args
        if type(items) is Array and items.ndim == 1 and key is None and items.size:
            return _array_extremum(items, ufunc)
        items = list(iterate(items))
        if not items:
            if default is _MISSING:
                raise OpError(f"{name}() of an empty sequence")
            return default
        return _select_best(items, key, direction, name)

    return call


def _select_best(items: list[Any], key: Any, direction: str, name: str) -> Any:
    best, best_key = items[0], key(items[0]) if key else items[0]
    for item in items[1:]:
        item_key = key(item) if key else item
        if type(item_key) in (tuple, list):
            raise OpError(f"{name}() of tuples needs values known while compiling")
        better = truth(OPERATORS[direction](item_key, best_key))
        known = _merged_fact(name, best, item) if not key else None
        best = choose(better, item, best)
        if known is not None and type(best) is Scalar:
            best.fact = known
        best_key = choose(better, item_key, best_key) if key else best
    return best


def _merged_fact(name: str, x: Any, y: Any) -> Any:
    if python_kind(x) is int and python_kind(y) is int:
        return extent.transfer(name, x, y)
    return None


def _array_extremum(x: Array, ufunc: np.ufunc) -> Array:
    """As a Python loop over the elements: the first of those that are equal, as 0.0 and -0.0; NaN
    stays only where it comes first."""
    dtype = x.dtype
    if CLASSES[dtype] not in "iuf":
        return _select_best(list(iterate(x)), None, "lt" if ufunc is np.minimum else "gt", "min")
    highest = limits(dtype)[ufunc is np.minimum]
    init = constant(value=np.array(highest, dtype))
    name = "minimum" if ufunc is np.minimum else "maximum"
    if CLASSES[dtype] != "f":
        return Array(reduce(x.value, init, dimensions=(0,), computation=name))
    value = op.select(k.isnan(x.value), k.like(x.value, highest), x.value)
    place = position_of(value, 0, name)
    result = reshape(dynamic_slice(value, place, slice_sizes=(1,)), shape=())
    first = _row(x.value, 0).value
    return Array(op.select(k.isnan(first), first, result))


min_ = implements(min)(_extremum("min", "lt", np.minimum))
max_ = implements(max)(_extremum("max", "gt", np.maximum))


@implements(sum)
def sum_(iterable: Any, /, start: Any = 0) -> Any:
    if type(iterable) is Array and iterable.shape:
        if not iterable.shape[0]:
            return start
        dtype = result_type(iterable, start)
        value = cast(iterable.value, dtype)
        if dtype == np.bool_:
            raise OpError("sum with a start of bool is not supported")
        first = getattr(start, "shape", ()) == ()
        init = as_value(start, dtype) if first else constant(value=np.zeros((), dtype))
        ordered: dict[str, Any] = {"in_order": True} if CLASSES[dtype] in "fc" else {}
        total = Array(reduce(value, init, dimensions=(0,), computation="add", **ordered))
        return total if first else start + total
    total = start
    for item in iterable:
        total = OPERATORS["add"](total, item)
    return total


def _quantifier(
    computation: str, kernel: Callable[..., Value], neutral: bool
) -> Callable[..., Any]:
    def call(iterable: Any, /) -> Any:
        if type(iterable) is Array and iterable.ndim == 1:
            init = constant(value=np.array(neutral))
            found = reduce(k.truth(iterable.value), init, dimensions=(0,), computation=computation)
            return weak(found, bool)
        result: Any = neutral
        for item in iterate(iterable):
            known = truth(item)
            if isinstance(known, bool):
                if known is not neutral:
                    return known
            elif isinstance(result, bool):
                result = known
            else:
                result = Scalar(kernel(result.value, known.value))
        return result

    return call


any_ = implements(any)(_quantifier("or", op.or_, False))
all_ = implements(all)(_quantifier("and", op.and_, True))
