"""Tagged unions where paths meet (`lattice.Variant`).

Where texts, exceptions, or values of no one type meet, a number and an array, instances of
different classes, the name is each of them on its path, and a tag says which.  Values that have a
common type are one of the items.  An item that a path does not have is never looked at there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import FunctionType
from typing import Any

from pyxla.abstract.heap import DictCell, GrowingList, ObjectCell, Pooled, RowList
from pyxla.abstract.joined import joined_array_type, joined_number_type
from pyxla.abstract.lattice import (
    FUNCTIONS,
    UNDEFINED,
    Array,
    Compound,
    Conflict,
    Const,
    Ref,
    Tuple,
    Variant,
    has_value,
    is_number,
    is_variant,
    value_of,
)
from pyxla.infer.joins import choices, far
from pyxla.infer.raising.exceptions import is_alike, is_exception
from pyxla.ir.build import Builder, building
from pyxla.views.shadows import renumbered, shown

# More kinds of values than this do not meet, and more functions.
MOST, MOST_FUNCTIONS = 6, 64
_INSTANCES = (ObjectCell, Pooled)
_LISTS = (GrowingList, RowList)


def join_constants(join: Any, values: Sequence[Any], known: Sequence[Any]) -> Any:
    """What texts, members of enums or exceptions are in the states of `join`; None of others."""
    for kind, belongs in (("exception", is_exception), ("constant", choices.is_constant)):
        if all(map(belongs, known)):
            return of_kind(join, values, kind)
    return None


def of_kind(join: Any, values: Sequence[Any], kind: str) -> Any:
    """What each of `values` is in the states of `join`; None where there are too many types."""
    found: list[tuple[Any, Any]] = []
    places: list[list[int]] = []
    if any(isinstance(value, Conflict) for value in values):
        return None
    pairs = zip(values, join.states, strict=True)
    given = [[(x, s) for x in items_of(v, kind) if x is not UNDEFINED] for v, s in pairs]
    together = kind == "mixed" and _together(pair for held in given for pair in held)
    for held in given:
        places.append([])
        for item, state in held:
            at = _place(kind, found, item, state, places[-1], together)
            places[-1].append(at)
            found[at:] = found[at:] or [(item, state)]
    if kind == "mixed" and not _settles(found, join.directions is not None):
        return None
    columns: list[list[Any]] = [[UNDEFINED] * len(places) for _ in found]
    for i, own in enumerate(places):
        for at, item in zip(own, items_of(values[i], kind), strict=False):
            columns[at][i] = item
    items = tuple([_joined(join, kind, x, column) for (x, _), column in zip(found, columns)])
    if len(items) == 1:
        return items[0]
    if any(isinstance(item, Conflict) for item in items):
        return None
    picks = [
        pick(value, own, state.block, join.loc) if state in join.edges else _sample(value)
        for value, own, state in zip(values, places, join.states, strict=True)
    ]
    conflict = None if kind == "exception" else join.conflict(list(values))
    return Variant(kind, join.tag(picks, len(items)), items, conflict)


def _joined(join: Any, kind: str, first: Any, column: list[Any]) -> Any:
    """One of the items of a variant, which some states have."""
    if kind == "mixed":
        return join.join(column)
    return first if kind == "constant" else join.with_parts(first, column)


def items_of(x: Any, kind: str) -> tuple[Any, ...]:
    """What `x` may be."""
    return x.items if is_variant(x, kind) else (x,)


def pick(value: Any, places: Sequence[int], block: Any, loc: Any) -> Any:
    """The position of what `value` is at the end of a block, where its items are at `places`."""
    if len(set(places)) < 2:
        return Const(places[0]) if places else UNDEFINED
    with building(Builder(block.instrs, loc)):
        return renumbered(value.tag, places, max(places) + 1)


def _sample(value: Any) -> Any:
    """A position of which the type counts."""
    return value.tag if isinstance(value, Variant) else Const(-1)


def _place(
    kind: str,
    found: Sequence[tuple[Any, Any]],
    item: Any,
    state: Any,
    taken: Sequence[int],
    together: bool,
) -> int:
    """Where among `found`, at none of the places taken, the first is that is one item with `item`;
    or the end."""
    alike = (
        i
        for i, (x, other) in enumerate(found)
        if i not in taken and _is_one(kind, x, other, item, state, together)
    )
    return next(alike, len(found))


def _is_one(kind: str, x: Any, state: Any, y: Any, other: Any, together: bool) -> bool:
    """Whether values of two states are one item of a variant."""
    if kind == "mixed":
        return _alike(x, state, y, other, together)
    if kind == "exception":
        return is_alike(x, y)
    return isinstance(y, Const) and choices.is_same(x.value, y.value)


def _alike(x: Any, state: Any, y: Any, other: Any, together: bool = False) -> bool:
    """Whether the values of two states have a common type; together: a method that classes inherit
    is one, of what is of one of these classes, and is visited once."""
    if far.is_far(x) or far.is_far(y):
        return far.alike(x, y)
    if is_number(x) and is_number(y):
        return joined_number_type([x, y], several=True) is not None
    if isinstance(x, Ref) and isinstance(y, Ref):
        return _alike_contents(_shown(x, state), _shown(y, other))
    if isinstance(x, Const) and isinstance(y, Const):  # functions are themselves
        return x.value is y.value or (type(x.value) is type(y.value) is str)
    if isinstance(x, Compound) and x.is_like(y):
        pairs = zip(x.items[:1] if together and _is_method(x) else x.items, y.items, strict=False)
        return all(_alike(a, state, b, other) for a, b in pairs)
    if isinstance(x, Tuple):
        return x.is_like(y)
    return isinstance(x, Variant) and x.is_like(y)


def _is_method(x: Any) -> bool:
    """Whether `x` is a bound method that is visited."""
    method = isinstance(x, Compound) and x.kind == "method" and isinstance(x.items[0], Const)
    return method and isinstance(x.items[0].value, FunctionType)


def _together(given: Iterable[tuple[Any, Any]]) -> bool:
    """Whether the objects of methods, each with its state, are few enough for one value."""
    found: list[tuple[Any, Any]] = []
    for method, state in given:
        for x in items_of(method.items[1], "mixed") if _is_method(method) else ():
            if not any(_alike(x, state, *other) for other in found):
                found.append((x, state))
    return len(found) <= MOST


def parts_alike(values: Sequence[Any], states: Sequence[Any]) -> bool:
    """Whether the parts of compounds have a common type each."""
    known = [(v, s) for v, s in zip(values, states, strict=True) if v is not UNDEFINED]
    first, together = known[0], _together(known)
    return all(_alike(*first, *other, together) for other in known[1:])


def _shown(x: Ref, state: Any) -> Any:
    """The content that a reference shows."""
    with building(Builder([], None)):
        return shown(state.heap, x)


def _alike_contents(x: Any, y: Any) -> bool:
    if isinstance(x, Array) and isinstance(y, Array):
        return joined_array_type([x, y]) is not None
    return same_class([x, y])


def same_kind(contents: Sequence[Any]) -> bool:
    """Whether objects are kept alike."""
    return all(type(c) is type(contents[0]) for c in contents)


def same_class(contents: Sequence[Any]) -> bool:
    """Whether objects are of one class, and dicts have the same keys."""
    classes = {c.cls for c in contents if type(c) in _INSTANCES}
    keys = {frozenset(c.items) for c in contents if type(c) is DictCell}
    return same_kind(contents) and len(classes) < 2 and len(keys) < 2


def _settles(found: Sequence[tuple[Any, Any]], loop: bool) -> bool:
    """Whether there are several types, and not too many; of which a loop may carry no list that
    grows, nor an array that does."""
    kinds = [_sort(x, state) for x, state in found] if loop else []
    functions = sum(is_function(x) for x, _ in found)
    few = len(found) - functions <= MOST and functions <= MOST_FUNCTIONS
    return 1 < len(found) and few and None not in kinds and len(set(kinds)) == len(kinds)


def is_function(x: Any) -> bool:
    """Whether `x` is a function, or may be called as one is."""
    if isinstance(x, Compound):
        return x.kind in FUNCTIONS
    return isinstance(x, Const) and callable(x.value)


def _sort(x: Any, state: Any) -> Any:
    if not isinstance(x, Ref):
        return type(x), getattr(x, {Const: "value", Variant: "kind"}.get(type(x), ""), None)
    content = _shown(x, state)
    if isinstance(content, _LISTS):
        return None
    return content.cls if isinstance(content, _INSTANCES) else type(content)


def fit(fit: Any, template: Variant, back: Any) -> None:
    """Whether a loop brings back what `template` may be at its header; connects the phis."""
    kind, edge = template.kind, fit.back
    if kind in ("optional", "unbound"):
        fit.value(template.tag, has_value(back, kind))
        fit.value(template.value, value_of(back, kind))
        return
    own = [(item, fit.head.ghost) for item in template.items]
    column: list[Any] = [UNDEFINED] * len(own)
    places: list[int] = []
    given = items_of(back, kind)
    together = kind == "mixed" and _together([*own, *[(item, edge) for item in given]])
    for item in given:
        at = _place(kind, own, item, edge, places, together)
        if at == len(own):
            fit.ok = False
            return
        column[at] = item
        places.append(at)
    fit.value(template.tag, pick(back, places, edge.block, edge.loc))
    for item, value in zip(template.items, column, strict=True):
        fit.value(item, value)
