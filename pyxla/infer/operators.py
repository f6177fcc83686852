"""Python's operators on abstract values: arithmetic, comparisons, `is`, `in`, `not`, truth.

Numbers and arrays go to the library (`lib.operators`), known values to CPython; sequences, text,
sets and instances have meanings of their own.
"""

from __future__ import annotations

import functools
import math
import operator
import types
from typing import Any

import numpy as np

from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays.fitting import verify_inplace
from pyxla.infer.arrays.shadows import alternatives, same_object, same_ref
from pyxla.infer.calls.dispatch import apply, call, class_of, special
from pyxla.infer.calls.reflected import reflected
from pyxla.infer.containers import steps, tables
from pyxla.infer.containers.comparing import (
    ORDER,
    compare_containers,
    contains,
    joined_lists,
    of_one_kind,
    one_grows,
    sequence_kind,
    type_name,
    unordered,
)
from pyxla.infer.engine import Engine
from pyxla.infer.facts.deciding import decided_by_data
from pyxla.infer.facts.magnitude import GROWING, MOST_BITS, TOO_LARGE, bits
from pyxla.infer.facts.refine import atoms, constant_of, is_there, negated
from pyxla.infer.heap import DictCell, ListCell, ObjectCell, Pooled, RowList, SetCell, Step
from pyxla.infer.joins import choices
from pyxla.infer.joins.kinds import (
    is_one_of,
    kinds_of,
    may_be_array,
    operated,
    refused,
    separately,
)
from pyxla.infer.lattice import (
    Array,
    Compound,
    Const,
    Ref,
    Scalar,
    Tuple,
    describe,
    is_none,
    is_number,
    is_variant,
    number_type,
)
from pyxla.infer.lists import columnar, growing, methods, number_lists, pools
from pyxla.infer.raising import powers
from pyxla.infer.raising.catching import raise_unless
from pyxla.infer.raising.faults import Raises
from pyxla.infer.structure import OPERATORS
from pyxla.infer.text import strings
from pyxla.infer.text.pieces import is_text, joined, percent
from pyxla.ir.types import PYTHON_DTYPES
from pyxla.lib import sequences
from pyxla.lib.operators import truth as truth_of
from pyxla.lib.registry import REGISTRY, Implementation
from pyxla.lib.ufuncs import UFUNCS
from pyxla.ops.elementwise import not_

REMEDY_NONE = "test `is not None` first"
FOLDABLE = (bool, int, float, complex, str, bytes, tuple, type(None), np.generic, range, slice)
ARITHMETIC = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift"),
    *("and_", "or_", "xor"),
)
_FOLD = {
    name: getattr(operator, name)
    for name in (
        *ARITHMETIC,
        *("lt", "le", "eq", "ne", "gt", "ge", "neg", "pos", "invert", "is_"),
        *("is_not", "not_"),
    )
}
_OPERATORS = {name: Implementation(function) for name, function in OPERATORS.items()}
_SCALAR_POWER = Implementation(UFUNCS[np.power])
_TRUTH = Implementation(truth_of)
_DUNDER = {"and_": "and", "or_": "or"}
_MIRROR = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_UNARY = {"neg": "-", "pos": "+", "invert": "~"}
_SYMBOL = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "lshift": "<<", "rshift": ">>", "and_": "&", "or_": "|", "xor": "^",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip


def binary(engine: Engine, op: str, x: Any, y: Any) -> Any:
    """`x op y`."""
    if type(x) is Const and type(y) is Const:
        return fold(engine, op, x.value, y.value)
    if (plain := _plain(engine, x, y)) is not None:
        return engine.library(_symbol(op), OPERATORS[op], *plain)
    if is_none(x) is not False or is_none(y) is not False:
        x, y = _numbers(engine, op, x, y)
    if _is_operand(engine, x) and _is_operand(engine, y):
        found = separately(engine, op, (x, y), functools.partial(binary, engine, op))
        if found is not None:
            return found
        y = _float_to_complex(x, y)
        result = _power(engine, x, y) if op == "pow" else operate(engine, op, x, y)
        return operated(engine, op, (x, y), engine.abstract(result))
    name = _DUNDER.get(op, op)
    if (number := choices.number_of(x, f"__{name}__")) is not None:
        return binary(engine, op, number, y)
    if (number := choices.number_of(y, f"__r{name}__")) is not None:
        return binary(engine, op, x, number)
    result = special(engine, x, f"__{name}__", (y,))
    if result is None:
        result = reflected(engine, x, y, f"__r{name}__")
    if result is None:
        result = _sequence_operator(engine, op, x, y)
    if result is None:
        kinds = [arrays.kind_of(engine, v) for v in (x, y)]
        raise engine.refuse(
            f"unsupported operand types for {_symbol(op)}: {kinds[0]} and {kinds[1]}",
            types=kinds,
            raises=TypeError,
        )
    return result


def _plain(engine: Engine, x: Any, y: Any) -> tuple[Any, Any] | None:
    """Two of Python's numbers, not both known, as operators see them, where these give another and
    nothing else is to be seen to; most operands are such."""
    if engine.checks or engine.guards:
        return None
    if type(x) is Scalar:
        if x.kinds is not None:
            return None
        if type(y) is Scalar:
            return (x, y) if y.kinds is None else None
        return (x, y.value) if type(y) is Const and type(y.value) in PYTHON_DTYPES else None
    if type(y) is Scalar and y.kinds is None and type(x) is Const:
        return (x.value, y) if type(x.value) in PYTHON_DTYPES else None
    return None


def _numbers(engine: Engine, op: str, *xs: Any) -> list[Any]:
    """The operands of an operator that None does not have."""
    optional = [is_variant(x, "optional") for x in xs]
    others = [x.value if maybe else x for x, maybe in zip(xs, optional, strict=True)]
    names = [type_name(engine, x) for x in others]
    errors: list[Any] = [
        TypeError(_no_operands(op, [*names[:i], "NoneType", *names[i + 1 :]]))
        for i in range(len(xs))
    ]
    if all(optional) and len(xs) == 2:  # the words are others where the second is None too
        both_none = TypeError(_no_operands(op, ["NoneType", "NoneType"]))
        errors[0] = Raises(TypeError, functools.partial(_none, engine, xs[1], both_none, errors[0]))
    sizes = [n for x in xs for n in _unknown_sizes(engine, x)]
    if not sizes:
        return [engine.some(x, error) for x, error in zip(xs, errors, strict=True)]
    if op not in ORDER or any(map(is_none, xs)):
        raise engine.refuse(
            "None is an operand beside an array that may be empty, which is no error then",
            REMEDY_NONE,
        )
    for x, error, maybe in zip(xs, errors, optional, strict=True):
        if maybe:
            tests = [compare(engine, "eq", n, Const(0)) for n in sizes]
            combined = functools.reduce(functools.partial(binary, engine, "or_"), tests, x.tag)
            engine.ensure(combined, error)
    return others


def _none(engine: Engine, other: Any, both_none: Exception, error: Exception) -> Exception:
    """What is raised where the first operand is None."""
    raise_unless(engine, is_there(other), both_none, catchable=True)
    return error


def _no_operands(op: str, names: list[str]) -> str:
    """What CPython says of operands of these classes, of which one is None's."""
    if op in _MIRROR:
        return unordered(op, *names)
    if len(names) == 1:
        return f"bad operand type for unary {_UNARY.get(op, op)}: 'NoneType'"
    symbol = "** or pow()" if op == "pow" else _symbol(op)
    return f"unsupported operand type(s) for {symbol}: {names[0]!r} and {names[1]!r}"


def _unknown_sizes(engine: Engine, x: Any) -> tuple[Scalar, ...]:
    """The sizes of an array that are known at run time only."""
    array = type(x) is Array or arrays.is_array(engine, x)
    extents = (x.extents if type(x) is Array else arrays.shown(engine, x)[1]) if array else None
    return tuple([n for n in extents or () if n is not None])


def operate(engine: Engine, op: str, *xs: Any) -> Any:
    """The operator `op` of numbers and arrays, as a library function."""
    result = apply(engine, _symbol(op), _OPERATORS[op], xs, {})
    engine.permuted &= op != "matmul"  # products are in C order
    return result


def _float_to_complex(x: Any, y: Any) -> Any:
    """The right operand `y`: a Python complex on the left takes a `np.float64`, which is a float,
    before NumPy is asked, and gives what Python gives."""
    if type(y) is Array and not y.shape and y.dtype == np.float64 and y.kinds is None:
        number = type(x) is Scalar and x.kinds is None and x.kind is complex
        if number or (type(x) is Const and type(x.value) is complex):
            return arrays.python_scalar(y, float)
    return y


def _power(engine: Engine, x: Any, y: Any) -> Any:
    """`x ** y`; what NumPy does for arrays instead, squares and roots, it does not for scalars."""
    power = functools.partial(operate, engine, "pow")
    if (found := powers.of_several_types(engine, x, y, power)) is not None:
        return found
    if isinstance(x, Ref):
        number = isinstance(y, Const) and type(y.value) is int
        number = number or (isinstance(y, Scalar) and y.kind is int)
        if number and arrays.is_array(engine, x) and arrays.dtype_of(engine, x) == np.bool_:
            exponent = engine.static(y, "an exponent that decides a dtype")
            if exponent == 2:
                return apply(engine, "**", REGISTRY[np.square], [x], {})
    elif isinstance(x, Array) and isinstance(y, Const) and y.value == 0.5:
        return apply(engine, "**", _SCALAR_POWER, [x, y], {})
    return operate(engine, "pow", x, y)


def _symbol(op: str) -> str:
    return _SYMBOL.get(op, op)


def fold(engine: Engine, op: str, *values: Any) -> Any:
    """What CPython computes for known operands; an exception it raises is raised by the program."""
    if not all(isinstance(v, FOLDABLE) for v in values):
        if op not in ("eq", "ne", "is_", "is_not"):
            return engine.fold_object(_FOLD[op], values)
    if op in GROWING and bits(op, *values) > MOST_BITS:
        raise engine.refuse(*TOO_LARGE)
    try:
        with np.errstate(all="ignore"):
            return Const(_FOLD[op](*values))
    except Exception as error:  # noqa: BLE001 - whatever CPython raises here, the program raises
        return engine.raise_constant(error)


def _is_operand(engine: Engine, x: Any) -> bool:
    if isinstance(x, Ref):
        if type(engine.heap.contents[x.cell]) is Array:
            return True
        return columnar.found(engine.heap, x) is None and isinstance(engine.content(x), Array)
    return is_number(x)


def _sequence_operator(engine: Engine, op: str, x: Any, y: Any) -> Any:
    """`+` and `*` of tuples and lists, `%` of text; an array with a list converts the list."""
    if op == "mod" and isinstance(x, Const) and isinstance(x.value, str):
        return percent(engine, x.value, y)
    if op == "add" and is_text(x) and is_text(y):
        return strings.concatenated(engine, x, y) or joined([x, y])
    if op == "mul" and strings.repeats(engine, y, x):
        x, y = y, x
    if op == "mul" and strings.repeats(engine, x, y):
        return strings.repeated(engine, x, y)
    if _is_operand(engine, x) or _is_operand(engine, y):
        other = y if _is_operand(engine, x) else x
        grown = columnar.found(engine.heap, other) is not None
        grown = grown or columnar.is_long(engine.heap, other)
        items = () if grown else arrays.items_of(engine, other)
        number = x if _is_operand(engine, x) else y
        if grown and op == "mul" and _repeats(number):
            return joined_lists(engine, other, sequences.repeated, other, number)
        if grown and not (isinstance(number, Ref) or (type(number) is Array and op != "mul")):
            return None
        if items is not None and op == "mul" and _repeats(number):
            if decided_by_data(engine, number):
                engine.findings.kept.update(engine.loops)
                return joined_lists(engine, other, sequences.repeated, other, number)
            return _like(
                engine, other, items * engine.static(number, "the repetition count", "arrays")
            )
        if op == "mul" and is_number(number):
            return None
        if items is not None and not isinstance(other, Const) and _is_numpys(engine, number):
            x, y = (number_lists.by_value(engine, v) for v in (x, y))
            return engine.abstract(operate(engine, op, x, y))
        return None
    if op == "add" and one_grows(engine, x, y):
        return joined_lists(engine, x, sequences.concatenated, x, y)
    left, right = arrays.items_of(engine, x), arrays.items_of(engine, y)
    if op == "add" and None not in (left, right) and of_one_kind(engine, x, y):
        return _like(engine, x, left + right)
    return _set_operator(engine, op, x, y)


_OF_SETS = {"and_": "__and__", "or_": "__or__", "xor": "__xor__", "sub": "__sub__"}


def _set_operator(engine: Engine, op: str, x: Any, y: Any) -> Any:
    contents: list[Any] = [
        engine.heap.contents.get(v.cell) if isinstance(v, Ref) else None for v in (x, y)
    ]
    sets = [getattr(v, "value", c) for c, v in zip(contents, (x, y), strict=True)]
    if op in _OF_SETS and all(isinstance(s, (SetCell, frozenset)) for s in sets):
        if isinstance(sets[0], frozenset):
            return Const(_FOLD[op](sets[0], steps.given(sets[1])))
        return tables.made(engine, steps.after(sets[0], Step(_OF_SETS[op], (sets[1],))))
    if all(isinstance(c, DictCell) for c in contents) and op == "or_":
        return tables.made(
            engine, DictCell({**contents[0].in_order(engine), **contents[1].in_order(engine)})
        )
    return None


def _is_numpys(engine: Engine, x: Any) -> bool:
    """Whether operators of `x` and sequences are NumPy's, which Python's numbers do not have."""
    if not is_number(x):
        return _is_operand(engine, x)
    pythons = {kind in PYTHON_DTYPES for kind in kinds_of(x)}
    if len(pythons) > 1:
        raise engine.refuse(
            f"a sequence meets {describe(x)}, which may be Python's number or NumPy's",
            "make the number one kind: float(x), int(x), or a NumPy scalar from the start",
        )
    return pythons == {False}


def _repeats(x: Any) -> bool:
    """Whether a sequence times `x` is the sequence repeated, as ints of Python and NumPy say."""
    if isinstance(x, Const):
        return isinstance(x.value, int | np.integer)
    return is_number(x) and x.kinds is None and x.dtype.kind in ("iu" if type(x) is Array else "ib")


def _like(engine: Engine, x: Any, items: tuple[Any, ...]) -> Any:
    return engine.new(ListCell(items)) if isinstance(x, Ref) else Tuple(items)


def inplace(engine: Engine, op: str, x: Any, y: Any) -> Any:
    """What `x op= y` leaves in `x`."""
    if not isinstance(x, Ref):
        if may_be_array(x):
            raise refused(engine, f"{_symbol(op)}= writes to an array", x)
        return binary(engine, op, x, y)
    grown = columnar.found(engine.heap, x)
    if grown is not None and grown.cls is tuple:
        return binary(engine, op, x, y)
    if op == "add" and sequence_kind(engine, x) is list:
        call(engine, Const(list.extend), [x, y], {})
        return x
    if op == "mul" and methods.opened(engine, x) is not None:
        call(engine, Const(sequences.multiply), [x, y], {})
        return x
    content = engine.content(x)
    if isinstance(content, Array):
        if engine.is_jax(x):
            return binary(engine, op, x, y)
        if not _is_operand(engine, y) and special(engine, y, "__array_ufunc__", ()) is None:
            y = engine.abstract(engine.as_array(y))
        if op != "matmul":
            verify_inplace(engine, *arrays.shown(engine, x), engine.bounded_operand(y))
        result = operate(engine, op, x, y)
        return arrays.inplace(engine, x, result, _symbol(op))
    if isinstance(content, ListCell) and op == "mul":
        engine.set_content(x.cell, ListCell(content.items * engine.static(y)))
        return x
    if isinstance(content, SetCell) and op in _OF_SETS:
        other = y.value if isinstance(y, Const) else engine.heap.contents.get(y.cell)
        if isinstance(other, (SetCell, frozenset)):
            step = Step(f"__i{_DUNDER.get(op, op)}__", (other,))
            engine.set_content(x.cell, steps.after(content, step))
            return x
    if isinstance(content, DictCell) and op == "or_":
        call(engine, Const(dict.update), [x, y], {})
        return x
    if isinstance(content, ObjectCell):
        result = special(engine, x, f"__i{_DUNDER.get(op, op)}__", (y,))
        if result is not None:
            return result
    return binary(engine, op, x, y)


def unary(engine: Engine, op: str, x: Any) -> Any:
    """`-x`, `+x`, `~x` or `not x`."""
    if op == "not_":
        return negate(engine, truth(engine, x))
    if type(x) is Const:
        return fold(engine, op, x.value)
    if is_variant(x, "optional"):
        (x,) = _numbers(engine, op, x)
    if _is_operand(engine, x):
        found = separately(engine, op, (x,), functools.partial(unary, engine, op))
        if found is not None:
            return found
        return operated(engine, op, (x,), engine.abstract(operate(engine, op, x)))
    result = special(engine, x, f"__{op}__", ())
    if result is None:
        raise engine.refuse(f"bad operand type for unary {op}: {arrays.kind_of(engine, x)}")
    return result


def negate(engine: Engine, x: Any) -> Any:
    if isinstance(x, Const):
        return Const(not x.value)
    return Scalar(not_(x.value), None, negated(x.test))


def truth(engine: Engine, x: Any) -> Any:
    """`bool(x)`: a Const or a Scalar of kind bool."""
    if isinstance(x, Const):
        if isinstance(x.value, FOLDABLE):
            return Const(bool(x.value))
        return engine.fold_object(bool, (x.value,))
    if isinstance(x, Scalar) and x.kind is bool:
        return x
    if is_variant(x, "optional"):
        inner = truth(engine, x.value)
        found = both(engine, x.tag, inner)
        return Scalar(
            found.value, None, ("implies", (*atoms(is_there(x), True), *atoms(inner, True)), ())
        )
    if _is_operand(engine, x):
        return engine.abstract(apply(engine, "bool", _TRUTH, (x,), {}))
    if isinstance(x, Tuple):
        return Const(bool(x.items))
    if choices.is_choice(x):
        return choices.test(x, bool)
    if strings.is_dynamic(x):
        return compare(engine, "gt", strings.length(engine, x), Const(0))
    if (grown := columnar.found(engine.heap, x)) is not None:
        return compare(engine, "gt", growing.length(engine, grown), Const(0))
    if isinstance(x, Ref):
        content = engine.content(x)
        if isinstance(content, (ListCell, DictCell, SetCell)):
            return Const(bool(content.items))
        for name in ("__bool__", "__len__"):
            result = special(engine, x, name, ())
            if result is not None:
                return truth(engine, result)
    return Const(True)


def compare(engine: Engine, op: str, x: Any, y: Any) -> Any:
    """`x op y` for the comparison operators, `is` and `in`."""
    if is_variant(x, "optional") or is_variant(y, "optional"):
        return _compare_maybe(engine, op, x, y)
    if op in ("is_", "is_not"):
        same = identical(engine, x, y)
        return same if op == "is_" else negate(engine, same)
    if op in ("contains", "not_contains"):
        found = contains(engine, x, y, compare)
        return found if op == "contains" else negate(engine, found)
    if type(x) is Const and type(y) is Const:
        return fold(engine, op, x.value, y.value)
    if op in ORDER and (is_none(x) or is_none(y)):
        x, y = _numbers(engine, op, x, y)
    if choices.is_choice(x) or choices.is_choice(y):
        if strings.is_dynamic(x) and strings.is_dynamic(y) and _is_text(x) != _is_text(y):
            return strings.compared(engine, op, x, y)
        ranks = choices.ranks(f"__{op}__", x, y) if op in ORDER else None
        return compare(engine, op, *ranks) if ranks else choices.compared(engine, _FOLD[op], x, y)
    if op in ("eq", "ne") and _is_text(x) != _is_text(y) and Scalar in (type(x), type(y)):
        return Const(op == "ne")
    if _is_operand(engine, x) and _is_operand(engine, y):
        x, y = constant_of(x), constant_of(y)
        if type(x) is Const and type(y) is Const:
            return fold(engine, op, x.value, y.value)
        if (certain := _beyond_ints(op, x, y)) is not None:
            return certain
        if (plain := _plain(engine, x, y)) is not None:
            return engine.library(_symbol(op), OPERATORS[op], *plain)
        found = separately(engine, op, (x, y), functools.partial(compare, engine, op))
        if found is not None:
            return found
        y = _float_to_complex(x, y)
        return operated(engine, op, (x, y), engine.abstract(operate(engine, op, x, y)))
    result = special(engine, x, f"__{op}__", (y,))
    if result is None:
        result = reflected(engine, x, y, f"__{_MIRROR[op]}__")
    if result is not None:
        return result
    if op == "ne" and (class_of(engine, x) or class_of(engine, y)):
        return negate(engine, truth(engine, compare(engine, "eq", x, y)))
    if _is_text(x) and _is_text(y):
        return strings.compared(engine, op, x, y)
    if op in ("eq", "ne") and (found := _with_no_number(engine, op, x, y)) is not None:
        return found
    if _is_numpys(engine, x) or _is_numpys(engine, y):
        if any(arrays.items_of(engine, v) is not None for v in (x, y)):
            return engine.abstract(operate(engine, op, x, y))
    return compare_containers(engine, op, x, y)


def _beyond_ints(op: str, x: Any, y: Any) -> Const | None:
    """The comparison of an int with an infinity, which the first of `m = inf`, `m = min(m, v)` is:
    it says that `m` is of the type of `v` from then on."""
    if type(x) is Const:
        return _beyond_ints(_MIRROR[op], y, x)
    if type(y) is not Const or not is_number(x) or type(y.value) is not float:
        return None
    if not math.isinf(y.value) or number_type(x).dtype.kind not in "biu" or x.kinds is not None:
        return None
    outcome = _FOLD[op](0, y.value)
    return Const(outcome if isinstance(x, Scalar) else np.bool_(outcome))


_NO_NUMBERS = (str, bytes, type(None), type(...), type, types.FunctionType)


def _with_no_number(engine: Engine, op: str, x: Any, y: Any) -> Any:
    """Whether numbers of NumPy's equal what is no number, as NumPy says: element by element."""
    numbers, other = (x, y) if _is_operand(engine, x) else (y, x)
    value: Any
    if not _is_operand(engine, numbers):
        return None
    if isinstance(other, Const) and isinstance(other.value, _NO_NUMBERS):
        value = other.value
    elif _is_text(other):
        value = ""
    elif isinstance(other, Ref) and isinstance(engine.heap.contents.get(other.cell), DictCell):
        value = {}
    else:
        return None
    if isinstance(numbers, Array) and numbers.kinds is None:
        return Const(_FOLD[op](np.zeros((), numbers.dtype)[()], value))
    if not isinstance(numbers, Ref) or engine.is_jax(numbers):
        return None
    if not arrays.shown(engine, numbers)[0]:
        return Const(np.bool_(op == "ne"))
    filled = [numbers, Const(op == "ne"), Const(bool)]
    return engine.rules.call(engine, Const(np.full_like), filled, {})


def _is_text(x: Any) -> bool:
    known = isinstance(x, Const) and isinstance(x.value, str)
    return known or (isinstance(x, Compound) and x.kind == "text")


def _compare_maybe(engine: Engine, op: str, x: Any, y: Any) -> Any:
    """A comparison of what may be None."""
    if op in ("is_", "is_not", "eq", "ne"):
        if not is_variant(x, "optional"):
            x, y = y, x
        if is_none(y):
            some = is_there(x)
            return some if op in ("is_not", "ne") else negate(engine, some)
        if op in ("eq", "ne") and is_number(x.value):
            some, other = x.tag, y.value if is_variant(y, "optional") else y
            equal = both(engine, some, truth(engine, compare(engine, "eq", x.value, other)))
            if y is not other:
                neither = negate(engine, either(engine, some, y.tag))
                equal = either(engine, neither, both(engine, y.tag, equal))
            return equal if op == "eq" else negate(engine, equal)
        if op in ("is_", "is_not") and is_number(x.value) and is_number(y):
            same = both(engine, x.tag, identical(engine, x.value, y))
            return same if op == "is_" else negate(engine, same)
        raise engine.refuse(
            f"{describe(x)} is compared with {describe(y)}", "test `is not None` first"
        )
    if op in ("contains", "not_contains"):
        y = engine.some(y, "argument of type 'NoneType' is not iterable")
        if is_variant(x, "optional"):
            raise engine.refuse(f"{describe(x)} is looked for", REMEDY_NONE)
        return compare(engine, op, x, y)
    return compare(engine, op, *_numbers(engine, op, x, y))


def identical(engine: Engine, x: Any, y: Any) -> Any:
    """`x is y`, a bool."""
    if choices.is_choice(x) or choices.is_choice(y):
        return choices.equal(x, y)
    if isinstance(x, Ref) and isinstance(y, Ref):
        if {Pooled, RowList} & {type(engine.heap.contents[ref.cell]) for ref in (x, y)}:
            return pools.same(engine, x, y)
        if x != y and growing.KEPT in (engine.heap.infos[ref.cell].read_only for ref in (x, y)):
            raise engine.refuse(
                "whether an array in a list of unknown length is another one is not known",
                "compare where they are in the list, or what they hold",
            )
        if arrays.is_array(engine, x) and arrays.is_array(engine, y):
            _check_objects(engine, x, y)
        for ref in (x, y):
            engine.check_distinct(ref)
            for leaf in alternatives(engine.heap, ref)[1]:
                engine.check_distinct(leaf)
        return same_object(engine.heap, x, y)
    if isinstance(x, Const) and isinstance(y, Const):
        return Const(x.value is y.value)
    classes, others = _python_classes(x), _python_classes(y)
    if classes is None or others is None:
        if Const not in (type(x), type(y)) and (may_be_array(x) or may_be_array(y)):
            raise refused(engine, "`is` compares objects", x, y)
        return Const(x is y)
    if classes & others == {bool}:
        tests = [is_one_of(v, (bool,)) for v in (x, y) if len(kinds_of(v)) > 1]
        return functools.reduce(functools.partial(both, engine), tests, compare(engine, "eq", x, y))
    if classes & others:
        raise engine.refuse("`is` between numbers is not defined", "use ==")
    return Const(False)


def _check_objects(engine: Engine, x: Ref, y: Ref) -> None:
    """Refuse to tell whether two arrays that show the same elements are one object; whether
    arguments are one array is asked of the caller."""
    infos = [engine.heap.infos[ref.cell] for ref in (x, y)]
    if x is not y and same_ref(x, y) and (x.view or infos[0].viewed):
        raise engine.refuse(
            "whether an array is another one, or a view of all of it, is not known",
            "compare names that no view was bound to, or use np.shares_memory outside",
        )
    engine.copies |= x.cell != y.cell and None not in [info.pinned for info in infos]


def _python_classes(x: Any) -> set[type] | None:
    """Those that a Python number or constant may be of; bools are two objects, None is one."""
    return set(kinds_of(x)) if isinstance(x, (Scalar, Const)) else None


def both(engine: Engine, x: Any, y: Any) -> Any:
    """`x and y` of bools, both already computed."""
    if isinstance(x, Const):
        return y if x.value else x
    if isinstance(y, Const):
        return x if y.value else y
    return engine.abstract(OPERATORS["and_"](x, y))


def either(engine: Engine, x: Any, y: Any) -> Any:
    """`x or y` of bools, both already computed."""
    return negate(engine, both(engine, negate(engine, x), negate(engine, y)))
