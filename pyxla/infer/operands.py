"""What operators ask of their operands, and those that may be None, which has most of them not."""

from __future__ import annotations

import functools
import operator
from typing import Any

from pyxla.abstract.facts.refine import is_there
from pyxla.abstract.lattice import Array, Const, is_none, is_variant
from pyxla.infer import using
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.reflected import says
from pyxla.infer.containers import comparing
from pyxla.infer.engine import Engine
from pyxla.infer.raising.catching import raise_unless
from pyxla.infer.raising.faults import Raises
from pyxla.lib import sequences

REMEDY_NONE = "test `is not None` first"
ARITHMETIC = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift"),
    *("and_", "or_", "xor"),
)
MIRROR = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
FOLDED = {
    name: getattr(operator, name)
    for name in (*ARITHMETIC, *MIRROR, "neg", "pos", "invert", "is_", "is_not", "not_")
}
_DUNDER = {"and_": "and", "or_": "or"}
_UNARY = {"neg": "-", "pos": "+", "invert": "~"}
_SYMBOL = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "lshift": "<<", "rshift": ">>", "and_": "&", "or_": "|", "xor": "^",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip


def methods_of(op: str) -> tuple[str, str]:
    """The special methods that an operator asks, of its left operand and of its right one."""
    if op in MIRROR:
        return f"__{op}__", f"__{MIRROR[op]}__"
    name = _DUNDER.get(op, op)
    return f"__{name}__", f"__r{name}__"


def inplace_method(op: str) -> str:
    """The special method that `x op= y` asks of `x` first."""
    return f"__i{_DUNDER.get(op, op)}__"


def beside_none(
    engine: Engine, op: str, x: Any, y: Any, assigned: bool = False
) -> tuple[Any, Any, Any]:
    """The operands of `x op y` where one of them may be None, each where it is not, as CPython
    raises else; but where a special method of the other is asked of None, as they are, and with
    the result if data decides which way it is."""
    given = zip((y, x), (x, y), methods_of(op), strict=True)
    if not any([is_none(v) is not False and says(engine, own, name) for v, own, name in given]):
        return *without_none(engine, op, x, y, assigned=assigned), None
    both_known = is_none(x) is not None and is_none(y) is not None
    return x, y, None if both_known else each_way(engine, op, x, y, assigned)


def each_way(engine: Engine, op: str, x: Any, y: Any, assigned: bool = False) -> Any:
    """`x op y` where they may be None, for each way in which they are by itself."""
    how = function_of(op, assigned)
    return engine.rules.call(engine, Const(sequences.each_way), [Const(how), x, y], {})


def function_of(op: str, assigned: bool) -> Any:
    """`x op y` of known values; assigned: `x op= y`."""
    return getattr(operator, f"i{op.rstrip('_')}") if assigned else FOLDED[op]


def without_none(engine: Engine, op: str, *xs: Any, assigned: bool = False) -> list[Any]:
    """The operands of an operator that None does not have."""
    optional = [is_variant(x, "optional") for x in xs]
    others = [x.value if maybe else x for x, maybe in zip(xs, optional, strict=True)]
    names = [comparing.type_name(engine, x) for x in others]
    errors: list[Any] = []
    for i in range(len(xs)):
        told = assigned and not numpy_adds(engine, *others[:i], *others[i + 1 :])
        given = op, [*names[:i], "NoneType", *names[i + 1 :]]
        if i == 0 and op in comparing.ORDER and arrays.is_array(engine, others[-1]):
            given = MIRROR[op], given[1][::-1]  # NumPy is asked first
        errors.append(TypeError(no_operands(*given, told)))
    if all(optional) and len(xs) == 2:  # the words are others where the second is None too
        both_none = TypeError(no_operands(op, ["NoneType", "NoneType"], assigned))
        errors[0] = Raises(TypeError, functools.partial(_none, engine, xs[1], both_none, errors[0]))
    sizes = [n for x in xs for n in _sizes_that_may_be_0(engine, x)]
    if not sizes:
        return [using.some(engine, x, error) for x, error in zip(xs, errors, strict=True)]
    if op not in comparing.ORDER:
        words = "None is an operand beside an array that may be empty, which is no error then"
        raise engine.refuse(words, REMEDY_NONE)
    empty = [engine.rules.compare(engine, "eq", n, Const(0)) for n in sizes]
    either = functools.partial(engine.rules.binary, engine, "or_")
    for x, error, maybe in zip(xs, errors, optional, strict=True):
        if maybe or is_none(x):
            engine.ensure(functools.reduce(either, empty, x.tag if maybe else Const(False)), error)
    return [Const(0) if is_none(x) else x for x in others]


def numpy_adds(engine: Engine, *xs: Any) -> bool:
    """Whether an operand is NumPy's, which speaks of the operator that makes a new value."""
    return any(type(x) is Array or arrays.is_array(engine, x) for x in xs)


def _none(engine: Engine, other: Any, both_none: Exception, error: Exception) -> Exception:
    """What is raised where the first operand is None."""
    raise_unless(engine, is_there(other), both_none, catchable=True)
    return error


def no_operands(op: str, names: list[str], assigned: bool = False) -> str:
    """What CPython says of operands of these classes."""
    if op in MIRROR:
        return comparing.unordered(op, *names)
    if len(names) == 1:
        return f"bad operand type for unary {_UNARY.get(op, op)}: 'NoneType'"
    plain = "** or pow()" if op == "pow" else symbol_of(op)
    symbol = f"{symbol_of(op)}=" if assigned else plain
    return f"unsupported operand type(s) for {symbol}: {names[0]!r} and {names[1]!r}"


def _sizes_that_may_be_0(engine: Engine, x: Any) -> list[Any]:
    """The sizes of an array that are 0, or known at run time only."""
    if type(x) is not Array and not arrays.is_array(engine, x):
        return []
    shape, extents = (x.shape, x.extents) if type(x) is Array else arrays.shown(engine, x)
    return [Const(n) for n in shape if n == 0] + [n for n in extents or () if n is not None]


def symbol_of(op: str) -> str:
    """How messages spell an operator."""
    return _SYMBOL.get(op, op)
