"""Comparisons of abstract values: `==` and its like, `in`, `is`."""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.facts.refine import constant_of, is_there
from pyxla.abstract.heap import DictCell, ListCell, ObjectCell, Pooled, RowList
from pyxla.abstract.lattice import (
    Array,
    Compound,
    Conflict,
    Const,
    Ref,
    Scalar,
    Tuple,
    Variant,
    describe,
    is_none,
    is_number,
    is_variant,
    number_type,
)
from pyxla.abstract.structure import OPERATORS
from pyxla.infer import using
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.conversions import among
from pyxla.infer.calls.reflected import asked, derives, says
from pyxla.infer.calls.visiting import class_of
from pyxla.infer.containers.comparing import ORDER, compare_containers, contains
from pyxla.infer.engine import Engine
from pyxla.infer.joins import choices, far
from pyxla.infer.joins.kinds import is_one_of, kinds_of, may_be_array, refused
from pyxla.infer.joins.operated import operated, separately
from pyxla.infer.lists import columnar, number_lists, pool_rows, reading, rows
from pyxla.infer.lists.items import holds_blocks, holds_instances
from pyxla.infer.operands import (
    FOLDED,
    MIRROR,
    REMEDY_NONE,
    beside_none,
    each_way,
    methods_of,
    symbol_of,
)
from pyxla.infer.operators import (
    as_written,
    both,
    either,
    float_to_complex,
    fold,
    is_numpys,
    is_operand,
    negate,
    operate,
    truth,
)
from pyxla.infer.raising import exceptions
from pyxla.infer.text import strings
from pyxla.ir.types import PYTHON_DTYPES
from pyxla.views.shadows import alternatives, same_object, same_ref


def compare(engine: Engine, op: str, x: Any, y: Any) -> Any:
    """`x op y` for the comparison operators, `is` and `in`."""
    if op not in ORDER and (is_variant(x, "optional") or is_variant(y, "optional")):
        return _compare_maybe(engine, op, x, y)
    if op in ("is_", "is_not"):
        same = identical(engine, x, y)
        return same if op == "is_" else negate(engine, same)
    if op in ("contains", "not_contains"):
        found = contains(engine, x, y, compare)
        return found if op == "contains" else negate(engine, found)
    if type(x) is Const and type(y) is Const:
        return fold(engine, op, x.value, y.value)
    if op in ORDER and (is_none(x) is not False or is_none(y) is not False):
        x, y, found = beside_none(engine, op, x, y)
        if found is not None:
            return found
    if op in ("eq", "ne") and (is_variant(x, "mixed") or is_variant(y, "mixed")):
        equal = _equals_one_of(engine, *((x, y) if is_variant(x, "mixed") else (y, x)))
        return equal if op == "eq" else negate(engine, equal)
    if reading.is_slice(x) and reading.is_slice(y):
        return compare(engine, op, *[_ends_of(v) for v in (x, y)])
    if op in ("eq", "ne") and _is_method(x) and _is_method(y):
        parts = [[engine.use(v) if isinstance(v, Conflict) else v for v in m.items] for m in (x, y)]
        pairs = zip(*parts, strict=True)
        same = functools.reduce(
            functools.partial(both, engine), [identical(engine, *p) for p in pairs]
        )
        return same if op == "eq" else negate(engine, same)
    if far.is_far(x) or far.is_far(y):
        if (wide := far.compare(engine, op, x, y)) is not None:
            return wide
        x, y = among(engine, x, y)
    names = methods_of(op)
    given = [v for v in (x, y) if type(v) is not Const or isinstance(v.value, np.generic)]
    if any([is_operand(engine, v) for v in given]):
        x, y = choices.as_ints(x, y, *names, functools.partial(is_numpys, engine))
    if choices.is_choice(x) or choices.is_choice(y):
        if strings.is_dynamic(x) and strings.is_dynamic(y) and _is_text(x) != _is_text(y):
            return strings.compared(engine, op, x, y)
        ranks = choices.ranks(f"__{op}__", x, y) if op in ORDER else None
        return compare(engine, op, *ranks) if ranks else choices.compared(engine, FOLDED[op], x, y)
    if op in ("eq", "ne") and _is_text(x) != _is_text(y) and Scalar in (type(x), type(y)):
        return Const(op == "ne")
    if is_operand(engine, x) and is_operand(engine, y):
        x, y = constant_of(x), constant_of(y)
        if type(x) is Const and type(y) is Const:
            return fold(engine, op, x.value, y.value)
        if (certain := _beyond_ints(op, x, y)) is not None:
            return certain
        if (plain := as_written(engine, x, y)) is not None:
            return engine.library(symbol_of(op), OPERATORS[op], *plain)
        found = separately(engine, op, (x, y), functools.partial(compare, engine, op))
        if found is not None:
            return found
        y = float_to_complex(x, y)
        return operated(engine, op, (x, y), engine.abstract(operate(engine, op, x, y)))
    first = derives(engine, x, y)  # comparisons are asked of it whether it has its own or not
    result = asked(engine, x, y, names, first, not _as_tuples(x, y))
    if result is not None:
        return result
    classes = [cls for v in (x, y) if (cls := class_of(engine, v)) is not None]
    if op == "ne" and not all([issubclass(cls, tuple) for cls in classes]):
        differ = [engine.captures.member(cls, "__ne__") for cls in classes]
        if None not in differ:  # which did not say
            return compare(engine, "is_not", x, y)
        return negate(engine, truth(engine, compare(engine, "eq", x, y)))
    if _is_text(x) and _is_text(y):
        return strings.compared(engine, op, x, y)
    if op in ("eq", "ne") and (found := _with_no_number(engine, op, x, y)) is not None:
        return found
    if is_numpys(engine, x) or is_numpys(engine, y):
        if any(arrays.items_of(engine, v) is not None for v in (x, y)):
            return engine.abstract(operate(engine, op, x, y))
    return compare_containers(engine, op, x, y)


def _as_tuples(x: Any, y: Any) -> bool:
    """Whether `x` is a tuple that is asked before `y`, another one: all tuples have an answer."""
    if not isinstance(x, Tuple) or not isinstance(y, Tuple):
        return False
    return x.cls is y.cls or not issubclass(y.cls, x.cls)


def _equals_one_of(engine: Engine, x: Variant, y: Any) -> Any:
    """`x == y` of an item of a container that is of one of several types."""
    if any(isinstance(item, Ref) for item in x.items):  # which may be asked by another alone
        raise engine.refuse(f"{describe(x)} is compared as an item", "compare the items one by one")
    return _among(engine, x, lambda item: truth(engine, compare(engine, "eq", item, y)))


def _among(engine: Engine, x: Variant, test: Callable[[Any], Any]) -> Any:
    """Whether a test passes of what `x` is, a bool."""
    found: Any = Const(False)
    for i, item in enumerate(x.items):
        here = compare(engine, "eq", x.tag, Const(i))
        found = either(engine, found, both(engine, here, test(item)))
    return found


def _beyond_ints(op: str, x: Any, y: Any) -> Const | None:
    """The comparison of an int with an infinity, or an int of more than 64 bits, which the first of
    `m = inf`, `m = min(m, v)` is: it says that `m` is of the type of `v` from then on."""
    if type(x) is Const:
        return _beyond_ints(MIRROR[op], y, x)
    if type(y) is not Const or not is_number(x):
        return None
    dtype = number_type(x).dtype
    if dtype.kind not in "biu" or x.kinds is not None or not _is_beyond(y.value, dtype):
        return None
    outcome = FOLDED[op](0, y.value)
    return Const(outcome if isinstance(x, Scalar) else np.bool_(outcome))


def _is_beyond(value: Any, dtype: np.dtype) -> bool:
    """Whether no int of this dtype is on its other side."""
    if type(value) is float:
        return math.isinf(value)
    return type(value) is int and not -(2**63) <= value < 2 ** (64 if dtype.kind == "u" else 63)


_NO_NUMBERS = (str, bytes, type(None), type(...), type, types.FunctionType)


def _with_no_number(engine: Engine, op: str, x: Any, y: Any) -> Any:
    """Whether numbers of NumPy's equal what is no number, as NumPy says: element by element."""
    numbers, other = (x, y) if is_operand(engine, x) else (y, x)
    value: Any
    if not is_operand(engine, numbers):
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
        return Const(FOLDED[op](np.zeros((), numbers.dtype)[()], value))
    if not isinstance(numbers, Ref) or engine.is_jax(numbers):
        return None
    if not arrays.shown(engine, numbers)[0]:
        return Const(np.bool_(op == "ne"))
    filled = [numbers, Const(op == "ne"), Const(bool)]
    return engine.rules.call(engine, Const(np.full_like), filled, {})


def _ends_of(x: Any) -> Tuple:
    """What slices are compared by."""
    if isinstance(x, Compound):
        return Tuple(x.items)
    return Tuple(tuple(map(Const, (x.value.start, x.value.stop, x.value.step))))


def _is_method(x: Any) -> bool:
    return isinstance(x, Compound) and x.kind == "method"


def _is_text(x: Any) -> bool:
    known = isinstance(x, Const) and isinstance(x.value, str)
    return known or (isinstance(x, Compound) and x.kind == "text")


def _compare_maybe(engine: Engine, op: str, x: Any, y: Any) -> Any:
    """`==`, `is`, `in` and their negations of what may be None."""
    if op in ("contains", "not_contains"):
        y = using.some(engine, y, "argument of type 'NoneType' is not iterable")
        if is_variant(x, "optional"):
            raise engine.refuse(f"{describe(x)} is looked for", REMEDY_NONE, remedy="case_split")
        return compare(engine, op, x, y)
    some, other = (x, y) if is_variant(x, "optional") else (y, x)
    if is_none(other) and (op in ("is_", "is_not") or not _answers_none(engine, some.value)):
        there = is_there(some)
        return there if op in ("is_not", "ne") else negate(engine, there)
    value = other.value if is_variant(other, "optional") else other
    same = None
    if op in ("eq", "ne") and all(_compares_anywhere(engine, v) for v in (some.value, value)):
        same = truth(engine, compare(engine, "eq", some.value, value))
    elif op in ("is_", "is_not") and _are_alike(some.value, value):
        same = identical(engine, some.value, value)
    if same is not None:
        same = both(engine, some.tag, same)
        if value is not other:
            neither = negate(engine, either(engine, some.tag, other.tag))
            same = either(engine, neither, both(engine, other.tag, same))
        return same if op in ("eq", "is_") else negate(engine, same)
    return each_way(engine, op, x, y)


def _answers_none(engine: Engine, x: Any) -> bool:
    """Whether `x == None` is not just False."""
    return _says_itself(engine, x) or arrays.is_array(engine, x)


def _says_itself(engine: Engine, x: Any) -> bool:
    """Whether `x` is an instance that says what is equal to it."""
    return says(engine, x, "__eq__", "__ne__")


# Comparisons of known values that nothing of the user's says.
_PLAIN = (object.__eq__, str.__eq__, bytes.__eq__, tuple.__eq__)


def _compares_anywhere(engine: Engine, x: Any) -> bool:
    """Whether `x` can be compared by `==` where it is another value in fact: nothing of the user's
    says what is equal, and it is one answer."""
    if isinstance(x, (Tuple, Variant)):
        parts = x.items
    elif not isinstance(x, Ref):
        known = isinstance(x, Const) and type(x.value).__eq__ in _PLAIN
        pythons = is_number(x) and {*kinds_of(x)} <= {*PYTHON_DTYPES}
        return known or pythons or _is_text(x)
    elif (grown := columnar.found(engine.heap, x)) is not None:
        return not (holds_instances(grown.item) or holds_blocks(grown.item))
    else:
        content = engine.heap.contents.get(x.cell)
        if isinstance(content, (ObjectCell, Pooled)):
            return not _says_itself(engine, x)
        if not isinstance(content, ListCell):
            return False
        parts = content.items
    return not _says_itself(engine, x) and all([_compares_anywhere(engine, part) for part in parts])


def _are_alike(x: Any, y: Any) -> bool:
    """Whether both are numbers, or both objects."""
    return (is_number(x) and is_number(y)) or (isinstance(x, Ref) and isinstance(y, Ref))


def identical(engine: Engine, x: Any, y: Any) -> Any:
    """`x is y`, a bool."""
    if choices.is_choice(x) or choices.is_choice(y):
        return choices.equal(x, y)
    if is_variant(x, "mixed") or is_variant(y, "mixed"):
        x, y = (x, y) if is_variant(x, "mixed") else (y, x)
        return _among(engine, x, lambda item: identical(engine, item, y))
    if isinstance(x, Ref) and isinstance(y, Ref):
        for ref in (x, y):
            number_lists.ask_which(engine, ref)
        if {Pooled, RowList} & {type(engine.heap.contents[ref.cell]) for ref in (x, y)}:
            return pool_rows.same(engine, x, y)
        if x != y and rows.KEPT in (engine.heap.infos[ref.cell].read_only for ref in (x, y)):
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
        return _same_constant(engine, x.value, y.value)
    if _is_method(x) and _is_method(y) and x is not y:
        raise engine.refuse(
            "`is` between bound methods, which are made anew, is not defined", "use =="
        )
    if _may_be_one_exception(x, y):
        raise engine.refuse(
            "whether an exception is another one of its class is not known",
            "compare what they were made with, or keep which one it is in a name of its own",
        )
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


def _may_be_one_exception(x: Any, y: Any) -> bool:
    """Whether two exceptions may be one: where paths meet they are made anew, and no cell says."""
    if x is y or not (exceptions.is_exception(x) and exceptions.is_exception(y)):
        return False
    kinds, others = [{e.meta for e in exceptions.alternatives(v)} for v in (x, y)]
    return bool(kinds & others)


def _same_constant(engine: Engine, x: Any, y: Any) -> Const:
    """Whether two known values are one object; of equal texts, CPython alone can say."""
    if x is not y and type(x) is type(y) and type(x) in _VALUES and x == y:
        raise engine.refuse(f"`is` between equal values, {x!r}, is not defined", "use ==")
    return Const(x is y)


_VALUES = frozenset({str, bytes, int, float, complex, tuple})


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
