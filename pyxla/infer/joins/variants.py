"""Tagged unions where paths meet (`lattice.Variant`).

Where a number and an array meet, instances of different classes, arrays of different shapes, the
name is each of them on its path, and a tag says which.  Values that have a common type are one of
the items.  An item that a path does not have is never looked at there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyxla.infer.arrays import views
from pyxla.infer.arrays.shadows import chosen, number, one_of, resolve
from pyxla.infer.heap import (
    DictCell,
    GrowingList,
    ListCell,
    NumberList,
    ObjectCell,
    Pooled,
    RowList,
)
from pyxla.infer.joins.joined import joined_array_type, joined_number_type
from pyxla.infer.lattice import (
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
from pyxla.ir.build import Builder, building
from pyxla.ir.types import python_type

# More kinds of values than this do not meet.
MOST = 6
_INSTANCES = (ObjectCell, Pooled)
_LISTS = (ListCell, GrowingList, NumberList, RowList, DictCell)


def join(join: Any, values: Sequence[Any], undefined: Any) -> Variant | None:
    """What each of `values` is in the states of `join`; None where there are too many kinds."""
    found: list[tuple[Any, Any]] = []
    places: list[list[int]] = []
    for value, state in zip(values, join.states, strict=True):
        if isinstance(value, Conflict):
            return None
        places.append([])
        for item in () if value is undefined else items_of(value):
            at = _place(found, item, state)
            if at in places[-1]:
                return None
            places[-1].append(at)
            found[at:] = found[at:] or [(item, state)]
    if len(found) > MOST or (join.directions is not None and not _settles(found)):
        return None
    columns: list[list[Any]] = [[undefined] * len(places) for _ in found]
    for i, own in enumerate(places):
        for at, item in zip(own, items_of(values[i]), strict=False):
            columns[at][i] = item
    items = tuple([join.join(column) for column in columns])
    if any(isinstance(item, Conflict) for item in items):
        return None
    picks = [
        pick(value, own, edge.block, join.loc)
        for value, own, edge in zip(values, places, join.edges, strict=False)
    ]
    picks += [Const(0)] * (len(join.states) - len(picks))
    selector = one_of(join.phi(picks, python_type(int)), len(items))
    return Variant("mixed", selector, items, join.conflict(list(values)))


def items_of(x: Any) -> tuple[Any, ...]:
    """What `x` may be."""
    return x.items if is_variant(x, "mixed") else (x,)


def pick(value: Any, places: Sequence[int], block: Any, loc: Any) -> Any:
    """The position of what `value` is at the end of a block, where its items are at `places`."""
    if len(places) < 2:
        return Const(places[0] if places else 0)
    if list(places) == list(range(len(places))):
        return value.tag
    with building(Builder(block.instrs, loc)):
        return one_of(chosen(value.tag, [number(at) for at in places]), max(places) + 1)


def _place(found: Sequence[tuple[Any, Any]], item: Any, state: Any) -> int:
    """Where among `found` the first is that has a common type with `item`, or the end."""
    alike = (i for i, (x, other) in enumerate(found) if _alike(x, other, item, state))
    return next(alike, len(found))


def _alike(x: Any, state: Any, y: Any, other: Any) -> bool:
    """Whether the values of two states have a common type."""
    if is_number(x) and is_number(y):
        return joined_number_type([x, y], several=True) is not None
    if isinstance(x, Ref) and isinstance(y, Ref):
        return _alike_contents(_shown(x, state), _shown(y, other))
    if isinstance(x, Const) and isinstance(y, Const):  # functions are themselves
        return x.value is y.value or (type(x.value) is type(y.value) is str)
    if isinstance(x, Compound) and x.is_like(y):
        return all(_alike(a, state, b, other) for a, b in zip(x.items, y.items, strict=True))
    if isinstance(x, Tuple):
        return x.is_like(y)
    return isinstance(x, Variant) and x.is_like(y)


def parts_alike(values: Sequence[Any], states: Sequence[Any], undefined: Any) -> bool:
    """Whether the parts of compounds have a common type each."""
    known = [(v, s) for v, s in zip(values, states, strict=True) if v is not undefined]
    first = known[0]
    return all(_alike(*first, *other) for other in known[1:])


def _shown(x: Ref, state: Any) -> Any:
    """The content that a reference shows."""
    with building(Builder([], None)):
        content = resolve(state.heap, state.heap.contents[x.cell])
        return views.apply(x.view, content) if x.view else content


def _alike_contents(x: Any, y: Any) -> bool:
    if isinstance(x, Array) and isinstance(y, Array):
        return joined_array_type([x, y]) is not None
    return same_class([x, y])


def same_kind(contents: Sequence[Any]) -> bool:
    """Whether objects are kept alike."""
    return all(type(c) is type(contents[0]) for c in contents)


def same_class(contents: Sequence[Any]) -> bool:
    """Whether objects are of one class."""
    classes = {c.cls for c in contents if type(c) in _INSTANCES}
    return same_kind(contents) and len(classes) < 2


def _settles(found: Sequence[tuple[Any, Any]]) -> bool:
    """Whether a loop may carry these: no list that grows, nor an array that does."""
    kinds = [_sort(x, state) for x, state in found]
    return None not in kinds and len(set(kinds)) == len(kinds)


def _sort(x: Any, state: Any) -> Any:
    if not isinstance(x, Ref):
        return type(x), getattr(x, "value", None) if isinstance(x, Const) else None
    content = _shown(x, state)
    if isinstance(content, _LISTS):
        return None
    return content.cls if isinstance(content, _INSTANCES) else type(content)


def fit(fit: Any, template: Variant, back: Any, undefined: Any) -> None:
    """Whether a loop brings back what `template` may be at its header; connects the phis."""
    if (kind := template.kind) != "mixed":
        fit.value(template.tag, has_value(back, kind))
        fit.value(template.value, value_of(back, kind))
        return
    own = [(item, fit.head.ghost) for item in template.items]
    column = [undefined] * len(own)
    places = []
    for item in () if back is undefined else items_of(back):
        at = _place(own, item, fit.back)
        if at == len(own) or column[at] is not undefined:
            fit.ok = False
            return
        column[at] = item
        places.append(at)
    fit.value(template.tag, pick(back, places, fit.back.block, fit.back.loc))
    for item, value in zip(template.items, column, strict=True):
        fit.value(item, value)
