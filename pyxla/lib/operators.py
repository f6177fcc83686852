"""Python's operators on operands: Python's meaning among Python scalars, NumPy's otherwise.

    Scalar + 1        -> Scalar, Python's rules: true division gives float, bool counts as int
    Array + Scalar    -> Array, by the ufunc (a Scalar is weak)

Results of kind int carry what is proven of them (`abstract.facts.extent`), comparisons of ints how
they were computed.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import CLASSES, loop_types
from pyxla.abstract.structure import OPERATORS
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.ir.types import PYTHON_DTYPES
from pyxla.lib import complex_kernels as ck
from pyxla.lib import kernels as k
from pyxla.lib.operands import PYTHON_NUMBERS, as_array, broadcast_to, cast, literal, weak
from pyxla.lib.registry import implements
from pyxla.lib.ufuncs import UFUNCS
from pyxla.ops import elementwise as op
from pyxla.ops.elementwise import NEGATED, SWAPPED
from pyxla.ops.shape import reshape

RANK = {bool: 0, int: 1, float: 2, complex: 3}
BIT = extent.IntFact(0, 1)
# Powers up to this one are products.
UNROLLED_POWER = 8


def python_kind(x: Any) -> type | None:
    """bool, int, float or complex where `x` is a Python scalar, known or not; else None."""
    cls = type(x)
    if cls is Scalar:
        return x.kind
    if cls in PYTHON_NUMBERS:
        return cls
    return None


def to_python(x: Any, kind: type) -> Scalar:
    """A Python scalar converted to a kind of no lower rank."""
    if type(x) is not Scalar:
        return Scalar(literal(kind(x), PYTHON_DTYPES[kind], weak=True))
    found = x.kind
    if found is kind:
        return x
    value = op.convert(x.value, dtype=PYTHON_DTYPES[kind], weak=True)
    return Scalar(value, BIT if found is bool and kind is int else None)


def _values(x: Any, y: Any, kind: type) -> tuple[Value, Value]:
    return _value(x, kind), _value(y, kind)


def _value(x: Any, kind: type) -> Value:
    if type(x) is not Scalar:
        return literal(kind(x), PYTHON_DTYPES[kind], weak=True)
    return x.value if x.kind is kind else to_python(x, kind).value


def _result(name: str, value: Value, kind: type, *operands: Any) -> Scalar:
    """`value` as a Python scalar, with what its operands prove of it."""
    result = weak(value, kind)
    if kind is int:
        result.fact = extent.transfer(name, *[_integer(x) for x in operands])
    return result


def _integer(x: Any) -> Any:
    """An operand as the facts of ints know it; a bool is 0 or 1."""
    if type(x) is Scalar and x.kind is bool:
        return Scalar(x.value, BIT)
    return x


def binary(name: str, ufunc: np.ufunc, python: Callable[..., Any]) -> None:
    """Fill OPERATORS[name]: `python(name, x, y, kind)` on Python scalars, else `ufunc`."""
    numpy = UFUNCS[ufunc]
    fold = getattr(operator, name)

    def apply(x: Any, y: Any) -> Any:
        if type(x) is Array or type(y) is Array:
            return numpy(x, y)
        left, right = python_kind(x), python_kind(y)
        if left is None or right is None:
            return numpy(x, y)
        if type(x) is not Scalar and type(y) is not Scalar:
            return fold(x, y)
        return python(name, x, y, left if RANK[left] >= RANK[right] else right)

    OPERATORS[name] = apply


def unary(name: str, ufunc: np.ufunc, python: Callable[..., Any]) -> None:
    numpy = UFUNCS[ufunc]
    fold = getattr(operator, name)

    def apply(x: Any) -> Any:
        if type(x) is Scalar:
            return python(x, x.kind)
        if type(x) in PYTHON_NUMBERS:
            return fold(x)
        return numpy(x)

    OPERATORS[name] = apply


# --- Python's binary operators -------------------------------------------------------------------


def arithmetic(kernel: Callable[..., Any]) -> Callable[..., Any]:
    def python(name: str, x: Any, y: Any, kind: type) -> Scalar:
        kind = int if kind is bool else kind
        return _result(name, kernel(*_values(x, y, kind)), kind, x, y)

    return python


def division(kernel: Callable[..., Any], natural: Callable[..., Any]) -> Callable[..., Any]:
    """As `arithmetic`, for what Python has no complex form of; natural: the kernel where both ints
    are known to be natural, so that C's quotient is Python's."""
    python, plain = arithmetic(kernel), arithmetic(natural)

    def divided(name: str, x: Any, y: Any, kind: type) -> Scalar:
        if kind is complex:
            raise OpError(f"{name} is not defined for complex numbers")
        made = plain if kind is int and _are_natural(x, y) else python
        return made(name, x, y, kind)

    return divided


def _are_natural(x: Any, y: Any) -> bool:
    """Whether `x >= 0` and `y > 0`; by powers of two `kernels` divide better."""
    if type(y) is int and y & (y - 1) == 0:
        return False
    least = extent.lower(y)
    return least is not None and least > 0 and extent.at_least_0(x)


def true_divide(name: str, x: Any, y: Any, kind: type) -> Scalar:
    kind = float if RANK[kind] < 2 else kind
    return Scalar(op.divide(*_values(x, y, kind)))


def power(name: str, x: Any, y: Any, kind: type) -> Scalar:
    """`x ** y`; an int to a negative power is a float where the sign is known."""
    kind = int if kind is bool else kind
    if kind is int and _negative(y):
        kind = float
    base = to_python(x, kind).value
    # Of floats, Python asks C's `pow`, whose cubes are no products.
    known = y in (0, 1, 2) if kind is float else isinstance(y, int) and abs(y) <= UNROLLED_POWER
    if kind is complex and isinstance(y, (int, float)) and y % 1 == 0 and abs(y) <= 100:
        return _result("pow", ck.power_of_python(base, int(y)), kind, x, y)
    if isinstance(y, (int, float)) and known:
        return _result("pow", k.power_static(base, int(y)), kind, x, y)
    kernel = k.complex_power if kind is complex else op.power
    return _result("pow", kernel(base, to_python(y, kind).value), kind, x, y)


def _negative(exponent: Any) -> bool:
    high = extent.upper(exponent)
    return high is not None and high < 0


def bitwise(kernel: Callable[..., Any]) -> Callable[..., Any]:
    def python(name: str, x: Any, y: Any, kind: type) -> Scalar:
        if RANK[kind] > 1:
            raise OpError(f"{name} is defined for ints and bools, not for {kind.__name__}")
        if python_kind(x) is not python_kind(y):
            kind = int
        return _result(name, kernel(*_values(x, y, kind)), kind, x, y)

    return python


def shift(kernel: Callable[..., Any]) -> Callable[..., Any]:
    def python(name: str, x: Any, y: Any, kind: type) -> Scalar:
        if RANK[kind] > 1:
            raise OpError(f"{name} is defined for ints, not for {kind.__name__}")
        return _result(name, kernel(*_values(x, y, int)), int, x, y)

    return python


def comparison(direction: str) -> Callable[..., Any]:
    def python(name: str, x: Any, y: Any, kind: type) -> Scalar:
        if kind is complex and direction not in ("EQ", "NE"):
            raise OpError("complex numbers have no order")
        kind = int if kind is bool else kind
        test = (direction, _integer(x), _integer(y)) if kind is int else None
        found = op.compare(*_values(x, y, kind), direction=direction)
        if kind is float and _is_rounded(x, y):
            found = _exactly(found, direction, x, y)
        elif kind is float and _is_rounded(y, x):
            found = _exactly(found, SWAPPED[direction], y, x)
        return Scalar(found, None, test)

    return python


def _is_rounded(x: Any, y: Any) -> bool:
    """Whether `x` is an int that the float of its value need not equal, and `y` a float that may be
    as large."""
    if type(x) is not Scalar or x.kind is not int or python_kind(y) is not float:
        return False
    if type(y) is not Scalar and not extent.LARGEST_EXACT <= abs(y) < math.inf:
        return False
    return not extent.is_in_float64(x)


def _exactly(rounded: Value, direction: str, x: Any, y: Any) -> Value:
    """The comparison of an int with a float, as CPython's: where they are equal after rounding, the
    float is an int."""
    near, far = _values(x, y, float)
    whole = op.compare(x.value, op.convert(far, dtype=x.value.type.dtype), direction=direction)
    return op.select(op.compare(near, far, direction="EQ"), whole, rounded)


# --- Python's unary operators --------------------------------------------------------------------


def negative(x: Scalar, kind: type) -> Scalar:
    kind = int if kind is bool else kind
    return _result("neg", op.negate(to_python(x, kind).value), kind, x)


def positive(x: Scalar, kind: type) -> Scalar:
    return to_python(x, int) if kind is bool else x


def absolute(x: Scalar, kind: type) -> Scalar:
    kind = int if kind is bool else kind
    value = op.abs(to_python(x, kind).value)
    return _result("abs", value, float if kind is complex else kind, x)


def invert(x: Scalar, kind: type) -> Scalar:
    if RANK[kind] > 1:
        raise OpError(f"~ is defined for ints, not for {kind.__name__}")
    return weak(op.not_(to_python(x, int).value), int)


# --- Truth ---------------------------------------------------------------------------------------


def truth(x: Any) -> bool | Scalar:
    """`bool(x)` of a number or of an array with one element."""
    if type(x) is Scalar:
        if x.kind is bool:
            return x
        test = ("NE", x, 0) if x.kind is int else None
        return Scalar(k.ne(x.value, k.like(x.value, 0)), None, test)
    if type(x) is Array:
        if x.size != 1:
            raise OpError(
                "The truth value of an array with more than one element is ambiguous. "
                "Use a.any() or a.all()",
                ValueError,
            )
        value = x.value if not x.shape else reshape(x.value, shape=())
        return weak(k.truth(value), bool)
    return bool(x)


def not_(x: Any) -> bool | Scalar:
    known = truth(x)
    if isinstance(known, bool):
        return not known
    test = known.test and (NEGATED[known.test[0]], *known.test[1:])
    return Scalar(op.not_(known.value), None, test)


def array_power(x: Any, y: Any) -> Any:
    """`x ** y` with an array: a small constant power is a product, as NumPy's own shortcuts."""
    if type(x) is Array and type(y) in (int, float):
        if x.dtype.isbuiltin != 1:
            x = as_array(x, loop_types(np.power, (x.dtype, type(y)))[0])
        if CLASSES[x.dtype] in "biu" and type(y) is int and y < 0:
            if x.size:
                raise OpError("Integers to negative integer powers are not allowed.")
            return UFUNCS[np.power](x, y)
        if y == int(y) and abs(y) <= UNROLLED_POWER if y - y == 0 else False:
            return _small_power(x, y)
        if y == 0.5 and CLASSES[x.dtype] in "fc":
            return UFUNCS[np.sqrt](x)
    arrays = [v for v in (x, y) if type(v) is Array and v.shape]
    return (power_of_arrays if arrays else UFUNCS[np.power])(x, y)


@implements(np.power)
def power_of_arrays(x: Any, y: Any, /, **options: Any) -> Any:
    """NumPy's loop over powers takes roots where one exponent, 0.5, is for all elements.

    They differ at -inf and -0.0.  Powers of NumPy's scalars by `**` know no such case.
    """
    result = UFUNCS[np.power](x, y, **options)
    exponent = as_array(y)
    if CLASSES[result.dtype] != "f" or exponent.size != 1 or (type(y) in (int, float) and y != 0.5):
        return result
    shape, dtype = result.shape, result.dtype
    base, same = [broadcast_to(cast(v.value, dtype), shape) for v in (as_array(x), exponent)]
    negative = op.and_(k.eq(same, k.like(same, 0.5)), k.signbit(base))
    zero = k.eq(base, k.like(base, 0))
    sign = op.select(zero, k.like(base, -1), k.like(base, np.nan))
    return Array(op.multiply(result.value, op.select(negative, sign, k.like(base, 1))))


def _small_power(x: Array, y: float) -> Any:
    if CLASSES[x.dtype] == "c":
        return Array(ck.power_of_array(x.value, int(y)))
    if CLASSES[x.dtype] == "f" or (type(y) is int and CLASSES[x.dtype] in "iu"):
        return Array(k.power_static(x.value, int(y)))
    return UFUNCS[np.power](x, y)


# fmt: off
binary("add",      np.add,           arithmetic(op.add))
binary("sub",      np.subtract,      arithmetic(op.subtract))
binary("mul",      np.multiply,      arithmetic(op.multiply))
binary("truediv",  np.divide,        true_divide)
binary("floordiv", np.floor_divide,  division(k.floor_divide, op.divide))
binary("mod",      np.remainder,     division(k.remainder, op.remainder))
binary("pow",      np.power,         power)
binary("and_",     np.bitwise_and,   bitwise(op.and_))
binary("or_",      np.bitwise_or,    bitwise(op.or_))
binary("xor",      np.bitwise_xor,   bitwise(op.xor))
binary("lshift",   np.left_shift,    shift(op.shift_left))
binary("rshift",   np.right_shift,   shift(op.shift_right_arithmetic))
binary("lt",       np.less,          comparison("LT"))
binary("le",       np.less_equal,    comparison("LE"))
binary("gt",       np.greater,       comparison("GT"))
binary("ge",       np.greater_equal, comparison("GE"))
binary("eq",       np.equal,         comparison("EQ"))
binary("ne",       np.not_equal,     comparison("NE"))
unary("neg",       np.negative,      negative)
unary("pos",       np.positive,      positive)
unary("invert",    np.invert,        invert)
unary("abs",       np.absolute,      absolute)
# fmt: on
OPERATORS["not_"] = not_
_python_power = OPERATORS["pow"]
OPERATORS["pow"] = lambda x, y: (
    array_power(x, y) if type(x) is Array or type(y) is Array else _python_power(x, y)
)
