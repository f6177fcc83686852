"""Python's operators on abstract values: arithmetic, `not`, truth.

Numbers and arrays go to the library (`lib.operators`), known values to CPython; sequences, text,
sets and instances have meanings of their own.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from pyxla.abstract.facts.magnitude import GROWING, MOST_BITS, TOO_LARGE, bits
from pyxla.abstract.facts.refine import atoms, is_there, negated, told
from pyxla.abstract.heap import DictCell, ListCell, ObjectCell, SetCell, Step
from pyxla.abstract.lattice import (
    Array,
    Const,
    Ref,
    Scalar,
    Tuple,
    describe,
    is_none,
    is_number,
    is_variant,
)
from pyxla.abstract.structure import OPERATORS
from pyxla.infer import using, words
from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays import orders
from pyxla.infer.arrays.fitting import verify_inplace
from pyxla.infer.calls.conversions import among
from pyxla.infer.calls.dispatch import call
from pyxla.infer.calls.library import apply
from pyxla.infer.calls.reflected import as_array, asked, precedes
from pyxla.infer.calls.visiting import class_of, special
from pyxla.infer.containers import comparing, steps, tables
from pyxla.infer.containers.indexing import content_of
from pyxla.infer.engine import Engine
from pyxla.infer.joins import choices, far
from pyxla.infer.joins.kinds import as_one_int, kinds_of, may_be_array, not_ints, refused
from pyxla.infer.joins.operated import operated, separately
from pyxla.infer.lists import columnar, methods, number_lists, pool_rows, reading
from pyxla.infer.operands import (
    FOLDED,
    beside_none,
    function_of,
    inplace_method,
    methods_of,
    no_operands,
    numpy_adds,
    symbol_of,
    without_none,
)
from pyxla.infer.raising import powers
from pyxla.infer.raising.refusals import full_name, made_of, python_class
from pyxla.infer.text import strings
from pyxla.infer.text.pieces import concatenated, is_text, percent
from pyxla.ir.types import PYTHON_DTYPES
from pyxla.lib import interpreted, sequences
from pyxla.lib.operators import truth as truth_of
from pyxla.lib.registry import REGISTRY, Implementation
from pyxla.lib.ufuncs import UFUNCS
from pyxla.ops.elementwise import not_

FOLDABLE = (bool, int, float, complex, str, bytes, tuple, type(None), np.generic, range, slice)
_OPERATORS = {name: Implementation(function) for name, function in OPERATORS.items()}
_SCALAR_POWER = Implementation(UFUNCS[np.power])
TRUTH_METHODS = ("__bool__", "__len__")
_TRUTH = Implementation(truth_of)


def binary(engine: Engine, op: str, x: Any, y: Any, assigned: bool = False) -> Any:
    """`x op y`; assigned: of `x op= y`."""
    if type(x) is Const and type(y) is Const:
        return fold(engine, op, x.value, y.value, assigned=assigned)
    if far.is_far(x) or far.is_far(y) or words.is_proven(op, x, y):
        if (wide := words.operate(engine, op, x, y)) is not None:
            return wide
        x, y = among(engine, x, y)
    if (plain := as_written(engine, x, y)) is not None:
        return engine.library(symbol_of(op), OPERATORS[op], *plain)
    if is_none(x) is not False or is_none(y) is not False:
        x, y, found = beside_none(engine, op, x, y, assigned=assigned)
        if found is not None:
            return found
    names = methods_of(op)
    x, y = choices.as_ints(x, y, *names, functools.partial(is_numpys, engine))
    if is_operand(engine, x) and is_operand(engine, y):
        found = separately(engine, op, (x, y), functools.partial(binary, engine, op))
        if found is not None:
            return found
        y = float_to_complex(x, y)
        result = _power(engine, x, y) if op == "pow" else operate(engine, op, x, y)
        return operated(engine, op, (x, y), engine.abstract(result))
    if (array := as_array(engine, y, x)) is not None:
        return binary(engine, op, x, array)
    both_asked = class_of(engine, x) is not class_of(engine, y)
    result = asked(engine, x, y, names, precedes(engine, x, y, names[1]), both_asked)
    if result is None and (array := as_array(engine, x, y)) is not None:
        return binary(engine, op, array, y)
    if result is None:
        result = _sequence_operator(engine, op, x, y)
    if result is None:
        raise _unsupported(engine, op, x, y, assigned)
    return result


def _unsupported(engine: Engine, op: str, x: Any, y: Any, assigned: bool) -> Exception:
    kinds = [arrays.kind_of(engine, v) for v in (x, y)]
    symbol = f"{symbol_of(op)}{'=' * assigned}"
    message = f"unsupported operand types for {symbol}: {kinds[0]} and {kinds[1]}"
    classes = [python_class(engine, v) for v in (x, y)]
    names = [full_name(cls) for cls in classes if cls is not None]
    assigned = assigned and not numpy_adds(engine, x, y)
    own = {"add": classes[:1], "mod": classes[:1], "mul": classes}.get(op, [])
    joins = any(hasattr(cls, f"__{op}__") and hasattr(cls, "__len__") for cls in own)
    words = no_operands(op, names, assigned) if len(names) == 2 and not joins else None
    return engine.refuse(message, types=kinds, raises=TypeError, words=words)


def as_written(engine: Engine, x: Any, y: Any) -> tuple[Any, Any] | None:
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


def operate(engine: Engine, op: str, *xs: Any) -> Any:
    """The operator `op` of numbers and arrays, as a library function."""
    result = apply(engine, symbol_of(op), _OPERATORS[op], xs, {})
    function = np.matmul if op == "matmul" else np.add  # elements, that is
    engine.strides = orders.of_function(engine, function, xs, {}, result)
    return told(result, engine.frames[-1].assumed) if engine.frames else result


def float_to_complex(x: Any, y: Any) -> Any:
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


def fold(engine: Engine, op: str, *values: Any, assigned: bool = False) -> Any:
    """What CPython computes for known operands; an exception it raises is raised by the program."""
    if not all(isinstance(v, FOLDABLE) for v in values):
        if op not in ("eq", "ne", "is_", "is_not"):
            return engine.fold_object(FOLDED[op], values)
    if op in GROWING and bits(op, *values) > MOST_BITS:
        raise engine.refuse(*TOO_LARGE)
    try:
        with np.errstate(all="ignore"):
            return Const(function_of(op, assigned)(*values))
    except Exception as error:  # noqa: BLE001 - whatever CPython raises here, the program raises
        return engine.raise_constant(error)


def is_operand(engine: Engine, x: Any) -> bool:
    """Whether `x` is a number or an array."""
    if isinstance(x, Ref):
        if type(engine.heap.contents[x.cell]) is Array:
            return True
        row = pool_rows.class_of_row(engine.heap, x) is not None
        return not row and isinstance(content_of(engine, x), Array)
    return is_number(x)


def _sequence_operator(engine: Engine, op: str, x: Any, y: Any) -> Any:
    """`+` and `*` of tuples and lists, `%` of text; an array with a list converts the list."""
    if op == "mod" and isinstance(x, Const) and isinstance(x.value, str):
        return percent(engine, x.value, y)
    if op == "add" and is_text(x) and is_text(y):
        return concatenated(engine, x, y)
    if op == "mul":
        x, y = _times(engine, x, y), _times(engine, y, x)
    if op == "mul" and strings.repeats(engine, y, x):
        x, y = y, x
    if op == "mul" and strings.repeats(engine, x, y):
        return strings.repeated(engine, x, y)
    if is_operand(engine, x) or is_operand(engine, y):
        other = y if is_operand(engine, x) else x
        grown = columnar.found(engine.heap, other) is not None
        items = () if grown else arrays.items_of(engine, other)
        number = x if is_operand(engine, x) else y
        if grown and op == "mul" and strings.counts(number):
            return comparing.joined_lists(engine, other, sequences.repeated, other, number)
        if grown and not (isinstance(number, Ref) or (type(number) is Array and op != "mul")):
            return None
        if op == "mul" and type(other) is Const and type(other.value) in (str, bytes):
            if strings.counts(number):
                count = engine.static(number, "the repetition count", "arrays")
                return Const(other.value * count)
        if items is not None and op == "mul" and strings.counts(number):
            if using.decided_by_data(engine, number):
                engine.findings.kept.update(engine.loops)
                return comparing.joined_lists(engine, other, sequences.repeated, other, number)
            times = engine.static(number, "the repetition count", "arrays")
            many = number_lists.repeated(engine, other, items, times)
            return many or _like(engine, other, items * times)
        if op == "mul" and is_number(number):
            return None
        if python_class(engine, other) is range and is_numpys(engine, number):
            return binary(engine, op, *[call(engine, Const(np.asarray), [v], {}) for v in (x, y)])
        if items is not None and not isinstance(other, Const) and is_numpys(engine, number):
            x, y = (number_lists.by_value(engine, v) for v in (x, y))
            return engine.abstract(operate(engine, op, x, y))
        return None
    if op == "add" and comparing.one_grows(engine, x, y):
        return comparing.joined_lists(engine, x, sequences.concatenated, x, y)
    left, right = arrays.items_of(engine, x), arrays.items_of(engine, y)
    if op == "add" and None not in (left, right) and comparing.of_one_kind(engine, x, y):
        return _like(engine, x, left + right)
    return _set_operator(engine, op, x, y)


def _times(engine: Engine, number: Any, other: Any) -> Any:
    """How often `other`, if that is a sequence, is repeated: an int, where it may be a float."""
    if not not_ints(number) or python_class(engine, other) not in (list, tuple, str, bytes):
        return number
    words = "can't multiply sequence by non-int of type {!r}"
    return as_one_int(engine, number, words)


_OF_SETS = {"and_": "__and__", "or_": "__or__", "xor": "__xor__", "sub": "__sub__"}


def _set_operator(engine: Engine, op: str, x: Any, y: Any) -> Any:
    contents: list[Any] = [
        engine.heap.contents.get(v.cell) if isinstance(v, Ref) else None for v in (x, y)
    ]
    sets = [getattr(v, "value", c) for c, v in zip(contents, (x, y), strict=True)]
    if op in _OF_SETS and all(isinstance(s, (SetCell, frozenset)) for s in sets):
        if isinstance(sets[0], frozenset):
            return Const(FOLDED[op](sets[0], steps.given(sets[1])))
        return tables.made(engine, steps.after(sets[0], Step(_OF_SETS[op], (sets[1],))))
    if all(isinstance(c, DictCell) for c in contents) and op == "or_":
        first, second = [using.items_in_order(engine, c) for c in contents]
        return tables.made(engine, DictCell({**first, **second}))
    return None


def is_numpys(engine: Engine, x: Any) -> bool:
    """Whether operators of `x` and sequences are NumPy's, which Python's numbers do not have."""
    if not is_number(x):
        return is_operand(engine, x)
    pythons = {kind in PYTHON_DTYPES for kind in kinds_of(x)}
    if len(pythons) > 1:
        raise engine.refuse(
            f"a sequence meets {describe(x)}, which may be Python's number or NumPy's",
            "make the number one kind: float(x), int(x), or a NumPy scalar from the start",
        )
    return pythons == {False}


def _like(engine: Engine, x: Any, items: tuple[Any, ...]) -> Any:
    return engine.new(ListCell(items)) if isinstance(x, Ref) else Tuple(items)


def inplace(engine: Engine, op: str, x: Any, y: Any) -> Any:
    """What `x op= y` leaves in `x`."""
    if is_variant(x, "optional") and isinstance(x.value, Ref):
        x, y, found = beside_none(engine, op, x, y, assigned=True)
        if found is not None:
            return found
    if not isinstance(x, Ref):
        if may_be_array(x):
            raise refused(engine, f"{symbol_of(op)}= writes to an array", x)
        return binary(engine, op, x, y, assigned=True)
    if getattr(columnar.found(engine.heap, x), "cls", None) is tuple:
        return binary(engine, op, x, y)
    kind = comparing.sequence_kind(engine, x)
    if kind is list and op in ("add", "mul"):  # an instance is asked for `+` and `*` first
        if (result := special(engine, y, methods_of(op)[1], (x,))) is not None:
            return result
    if op == "add" and kind is list:
        call(engine, Const(list.extend), [x, y], {})
        return x
    if op == "mul" and methods.opened(engine, x) is not None:
        call(engine, Const(sequences.multiply), [x, y], {})
        return x
    content = engine.content(x)
    if isinstance(content, Array):
        if engine.is_jax(x):
            return binary(engine, op, x, y)
        if is_variant(y, "optional"):
            y = using.some(engine, y, _error_of_none(op, arrays.dtype_of(engine, x)))
        if not is_operand(engine, y) and special(engine, y, "__array_ufunc__", ()) is None:
            if is_text(y):
                raise _unsupported(engine, op, x, y, True)
            y = engine.abstract(engine.as_array(y))
        if op != "matmul":
            verify_inplace(engine, *arrays.shown(engine, x), engine.bounded_operand(y))
        result = operate(engine, op, x, y)
        return arrays.inplace(engine, x, result, symbol_of(op))
    if isinstance(content, ListCell) and op == "mul":
        engine.set_content(x.cell, ListCell(content.items * engine.static(y)))
        return x
    if isinstance(content, SetCell) and op in _OF_SETS:
        other = y.value if isinstance(y, Const) else content_of(engine, y)
        if isinstance(other, (SetCell, frozenset)):
            step = Step(inplace_method(op), (other,))
            engine.set_content(x.cell, steps.after(content, step))
            return x
    if isinstance(content, DictCell) and op == "or_":
        call(engine, Const(dict.update), [x, y], {})
        return x
    if isinstance(content, ObjectCell):
        result = special(engine, x, inplace_method(op), (y,))
        if result is not None:
            return result
    return binary(engine, op, x, y, assigned=True)


def _error_of_none(op: str, dtype: np.dtype) -> Exception:
    """What `x op= None` raises for an array of this dtype, of whatever size."""
    try:
        function_of(op, assigned=True)(np.zeros(0, dtype), None)
    except Exception as error:  # noqa: BLE001 - whatever NumPy raises, the program raises
        raised = error
    return raised


def unary(engine: Engine, op: str, x: Any) -> Any:
    """`-x`, `+x`, `~x` or `not x`."""
    if op == "not_":
        return negate(engine, truth(engine, x))
    if type(x) is Const:
        return fold(engine, op, x.value)
    if is_variant(x, "optional"):
        (x,) = without_none(engine, op, x)
    if op in ("neg", "invert") and far.is_far(x):
        return binary(engine, "sub", Const(0 if op == "neg" else -1), x)
    if is_operand(engine, x):
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
        if _asks_itself(engine, x.value):
            inner = found = engine.rules.call(engine, Const(interpreted.is_true), [x], {})
        else:
            inner = truth(engine, x.value)
            found = both(engine, x.tag, inner)
        if isinstance(found, Const):
            return found
        return Scalar(
            found.value, None, ("implies", (*atoms(is_there(x), True), *atoms(inner, True)), ())
        )
    if is_operand(engine, x):
        return engine.abstract(apply(engine, "bool", _TRUTH, (x,), {}))
    if isinstance(x, Tuple):
        return Const(bool(x.items))
    if choices.is_choice(x):
        return choices.test(x, bool)
    if far.is_dynamic(x) or strings.is_dynamic(x):
        size = x if far.is_dynamic(x) else strings.length(engine, x)
        return engine.rules.compare(engine, "ne", size, Const(0))
    if (grown := columnar.found(engine.heap, x)) is not None:
        return engine.rules.compare(engine, "gt", reading.length(engine, grown), Const(0))
    if isinstance(x, Ref):
        row = pool_rows.class_of_row(engine.heap, x) is not None
        content = None if row else engine.content(x)
        if isinstance(content, (ListCell, DictCell, SetCell)):
            return Const(bool(content.items))
        if (result := special(engine, x, "__bool__", ())) is not None:
            words = "__bool__ should return bool, returned {}"
            return truth(engine, made_of(engine, result, bool, words))
        if _asks_itself(engine, x):
            return truth(engine, call(engine, Const(len), [x], {}))
    return Const(True)


def _asks_itself(engine: Engine, x: Any) -> bool:
    """Whether a method of an instance says if it is true."""
    cls = class_of(engine, x) if isinstance(x, Ref) else None
    members = [engine.captures.member(cls, name) for name in TRUTH_METHODS if cls is not None]
    return any(found is not None for found in members)


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
