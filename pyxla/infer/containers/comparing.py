"""Comparisons of containers, and what operators make of lists of unknown length."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.heap import DictCell, GrowingList, ListCell, ObjectCell, RowList, SetCell
from pyxla.abstract.lattice import (
    Array,
    Compound,
    Const,
    Ref,
    Scalar,
    Tuple,
    has_value,
    is_number,
    is_variant,
    number_type,
)
from pyxla.errors import CompileError
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.coroutines import is_generator
from pyxla.infer.calls.dispatch import call
from pyxla.infer.calls.standard import asks, is_seen
from pyxla.infer.calls.visiting import call_function, special
from pyxla.infer.containers import tables
from pyxla.infer.containers.indexing import content_of
from pyxla.infer.containers.iterators import state_of, unwatched
from pyxla.infer.containers.outside import Outside
from pyxla.infer.containers.structure import iterate_ahead, length
from pyxla.infer.engine import Engine
from pyxla.infer.joins import choices
from pyxla.infer.lists import columnar, finding, growing, number_lists, pool_rows, reading
from pyxla.infer.lists.item_types import Number
from pyxla.infer.raising.refusals import ITERATION, full_name, lacking, need, python_class
from pyxla.infer.text import strings
from pyxla.infer.text.codes import is_texts
from pyxla.ir.types import PYTHON_KINDS
from pyxla.lib import sequences
from pyxla.lib.registry import rule

ORDER = ("lt", "le", "gt", "ge")
_SYMBOLS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_LISTS = (ListCell, GrowingList, RowList)


def _negated(engine: Engine, op: str, equal: Any) -> Any:
    """`==` or `!=`, whichever `op` is."""
    return equal if op == "eq" else engine.rules.compare(engine, "eq", equal, Const(False))


@rule(sequences.alike)
def alike(engine: Engine, x: Any, y: Any) -> Any:
    """Whether items of containers are the same, which is asked first, or equal."""
    if _is_plain(engine, x) and _is_plain(engine, y):
        return engine.rules.compare(engine, "is_", x, y)
    if isinstance(x, Ref) and isinstance(y, Ref) and any(asks(engine, v, "__eq__") for v in (x, y)):
        same = engine.rules.compare(engine, "is_", x, y)
        if not isinstance(same, Const):
            return call_function(engine, sequences.alike, [x, y], {})
        if same.value:
            return same
    return engine.rules.truth(engine, engine.rules.compare(engine, "eq", x, y))


def _is_plain(engine: Engine, x: Any) -> bool:
    """Whether `x` is an instance that is equal to itself alone."""
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    if not isinstance(content, ObjectCell):
        return False
    engine.captures.member(content.cls, "__eq__")  # which a class may get later
    return content.cls.__eq__ is object.__eq__


def one_grows(engine: Engine, x: Any, y: Any) -> bool:
    """Whether both are lists, or tuples, and one is kept in columns."""
    heap = engine.heap
    pair = x, y
    return any(columnar.found(heap, v) is not None for v in pair) and of_one_kind(engine, x, y)


def of_one_kind(engine: Engine, x: Any, y: Any) -> bool:
    """Whether both are lists, or both tuples: Python joins no others."""
    kinds = [sequence_kind(engine, v) for v in (x, y)]
    return kinds[0] is kinds[1] is not None


def joined_lists(engine: Engine, kind: Any, function: Any, *args: Any) -> Any:
    """What a function makes of lists; a tuple where `kind` is one."""
    plain = sequence_kind(engine, kind) is list
    if not plain:
        args = tuple([x if is_number(x) else call(engine, Const(list), [x], {}) for x in args])
    made = call(engine, Const(function), list(args), {})
    growing.confine(engine, made, args)
    return made if plain else call(engine, Const(tuple), [made], {})


def compare_containers(engine: Engine, op: str, x: Any, y: Any) -> Any:
    """Dicts by key, sets as such; a list is no tuple."""
    contents = [
        engine.content(v) if isinstance(v, Ref) and columnar.found(engine.heap, v) is None else None
        for v in (x, y)
    ]
    if all(isinstance(c, DictCell) for c in contents) and op in ("eq", "ne"):
        left, right = (c.items for c in contents)
        if left.keys() != right.keys():
            return Const(op == "ne")
        x, y = [Tuple(tuple([items[key] for key in left])) for items in (left, right)]
        return _compare_sequences(engine, op, x, y)
    sets = [
        c.items if isinstance(c, SetCell) else getattr(v, "value", None)
        for c, v in zip(contents, (x, y), strict=True)
    ]
    if all(isinstance(s, frozenset) for s in sets):
        return engine.rules.compare(engine, op, *map(Const, sets))
    if op in ("eq", "ne") and None not in (kinds := [sequence_kind(engine, v) for v in (x, y)]):
        if kinds[0] is not kinds[1]:
            return Const(op == "ne")
        if kinds[0] is range:
            return _negated(engine, op, call(engine, Const(sequences.same_ranges), [x, y], {}))
    return _compare_sequences(engine, op, x, y)


def sequence_kind(engine: Engine, x: Any) -> type | None:
    """Which of Python's sequences `x` is, which are equal to their own kind alone."""
    if isinstance(x, Ref):
        content = engine.heap.contents.get(x.cell)
        return reading.class_of(content) if isinstance(content, _LISTS) else None
    if isinstance(x, Tuple):
        return tuple
    if isinstance(x, Compound) and x.kind == "range":
        return range
    kinds = (tuple, list, str, range)
    return next((k for k in kinds if isinstance(x, Const) and isinstance(x.value, k)), None)


def _compare_sequences(engine: Engine, op: str, x: Any, y: Any) -> Any:
    seen = any(is_seen(engine, v, "__eq__") for v in (x, y)) and of_one_kind(engine, x, y)
    if op in ("eq", "ne") and (seen or one_grows(engine, x, y)):
        same = call(engine, Const(sequences.same), [x, y], {})
        return _negated(engine, op, same)
    if op in ORDER and not of_one_kind(engine, x, y):
        raise _unordered(engine, op, x, y)
    if op in ORDER and one_grows(engine, x, y):
        return call(engine, Const(sequences.ordered), [x, y, Const(getattr(operator, op))], {})
    left, right = arrays.items_of(engine, x), arrays.items_of(engine, y)
    if left is None or right is None:
        if op in ("eq", "ne"):
            same = engine.rules.compare(engine, "is_", x, y)
            return _negated(engine, op, same)
        raise _unordered(engine, op, x, y)
    if op in ("eq", "ne"):
        equal: Any = Const(len(left) == len(right))
        for a, b in zip(left, right, strict=False):
            equal = engine.rules.both(engine, equal, alike(engine, a, b))
        return _negated(engine, op, equal)
    return _lexicographic(engine, op, left, right)


def _lexicographic(engine: Engine, op: str, left: Any, right: Any) -> Any:
    """By the first items that differ; others are not asked which comes first, which may raise."""
    if not left or not right:
        return Const(getattr(operator, op)(len(left), len(right)))
    if not all(_have_order(engine, a, b) for a, b in zip(left, right, strict=False)):
        test = Const(getattr(operator, op))
        return call(engine, Const(sequences.lexicographic), [Tuple(left), Tuple(right), test], {})
    strict = op if op in ("lt", "gt") else {"le": "lt", "ge": "gt"}[op]
    first = engine.rules.truth(engine, engine.rules.compare(engine, strict, left[0], right[0]))
    equal = engine.rules.truth(engine, engine.rules.compare(engine, "eq", left[0], right[0]))
    rest = _lexicographic(engine, op, left[1:], right[1:])
    return engine.rules.either(engine, first, engine.rules.both(engine, equal, rest))


def _have_order(engine: Engine, x: Any, y: Any) -> bool:
    """Whether one of the two comes first for certain, and nothing else happens in finding out."""
    if is_number(x) and is_number(y):
        return "c" not in [number_type(v).dtype.kind for v in (x, y)]
    if type(x) is Tuple and type(y) is Tuple:
        return all(_have_order(engine, a, b) for a, b in zip(x.items, y.items, strict=False))
    grown = [columnar.found(engine.heap, v) for v in (x, y)]
    if None not in grown:
        return all(isinstance(content.item, Number) for content in grown)
    return is_texts(x) and is_texts(y)


@rule(sequences.operator_of)
def _operator_of(engine: Engine, how: Any, x: Any, y: Any) -> Any:
    """`how(x, y)`, which the program need not come to: what are no operands raise there."""
    try:
        return call(engine, how, [x, y], {})
    except CompileError as error:
        if error.raises is not TypeError or error.words is None:
            raise
        return engine.raise_constant(TypeError(error.words))


def type_name(engine: Engine, x: Any) -> str:
    """The class of `x` as messages of CPython have it."""
    if is_variant(x, "optional") or (isinstance(x, Const) and x.value is None):
        return "NoneType"
    if isinstance(x, Const) and not isinstance(x.value, np.generic):
        return type(x.value).__name__
    if is_number(x) or arrays.is_array(engine, x):  # NumPy asks the elements as Python objects
        dtype = number_type(x).dtype if is_number(x) else arrays.dtype_of(engine, x)
        return PYTHON_KINDS.get(dtype.kind, float).__name__
    cls = python_class(engine, x)
    return full_name(cls) if cls else arrays.kind_of(engine, x)


def _unordered(engine: Engine, op: str, x: Any, y: Any) -> CompileError:
    kinds = [arrays.kind_of(engine, v) for v in (x, y)]
    message = f"{_SYMBOLS[op]} not supported between {kinds[0]} and {kinds[1]}"
    words = unordered(op, *[type_name(engine, v) for v in (x, y)])
    return engine.refuse(message, raises=TypeError, words=words)


def unordered(op: str, x: str, y: str) -> str:
    """What CPython says where `x op y` has no meaning, by the names of their classes."""
    return f"{_SYMBOLS[op]!r} not supported between instances of {x!r} and {y!r}"


def contains(engine: Engine, x: Any, container: Any, compare: Callable[..., Any]) -> Any:
    """`x in container`."""
    if isinstance(container, Const) and isinstance(container.value, Outside):
        return container.value.contains(engine, x)
    if choices.is_choice(container) and isinstance(x, Const):
        return choices.test(container, lambda text: x.value in text)
    if is_texts(container) and not (type(container) is type(x) is Const):
        return strings.contains(engine, x, container)
    tables.check_sought(engine, x, python_class(engine, container))
    if (grown := columnar.found(engine.heap, container)) is not None:
        return finding.contains(engine, grown, x)
    if (kept := number_lists.flat(engine, container)) is not None and is_number(x):
        container = kept[0]
    if (row := pool_rows.record_row(engine.heap, container, x)) is not None:
        return has_value(pool_rows.item(engine, row, x.value), "unbound")
    content = content_of(engine, container)
    if isinstance(content, (DictCell, SetCell)):
        if (asked := tables.looked(engine, container, x)) is not None:
            return special(engine, asked, "__contains__", (x,))
        if (names := tables.names(engine, container, x)) is not None:
            return contains(engine, x, names, compare)
        return Const(engine.key(x) in content.items)
    if isinstance(content, Array):
        hits = compare(engine, "eq", container, x)
        return call(engine, Const(bool), [call(engine, Const(np.any), [hits], {})], {})
    if isinstance(container, Const) and isinstance(x, Const):
        return engine.fold_object(operator.contains, (container.value, x.value))
    if isinstance(container, Const) and isinstance(container.value, bytes) and not is_number(x):
        raise lacking(engine, x, "is no bytes", "a bytes-like object is required, not {!r}")
    if isinstance(content, ObjectCell) or isinstance(container, Tuple):
        result = special(engine, container, "__contains__", (x,))
        if result is not None:
            return engine.rules.truth(engine, result)
    what = "a container or iterable" if sys.version_info >= (3, 14) else "iterable"
    words = f"argument of type {{!r}} is not {what}"
    need(engine, container, ITERATION, "is not iterable", words)
    state = state_of(engine, container)
    own = isinstance(content, ObjectCell) and state is None
    items = None if state is None else length(engine, unwatched(state.fields["items"]))
    if (
        own
        or is_generator(container)
        or isinstance(items, Scalar)
        or is_seen(engine, container, "__eq__")
        or asks(engine, x, "__eq__")
    ):
        return call(engine, Const(sequences.holds), [container, x], {})
    found: Any = Const(False)
    for each in iterate_ahead(engine, container):
        found = engine.rules.either(engine, found, alike(engine, each, x))
    return found
