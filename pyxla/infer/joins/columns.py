"""What is at the same place in values of one structure that meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pyxla.abstract.heap import BoxCell, DictCell, ObjectCell, SetCell
from pyxla.abstract.lattice import UNDEFINED, Const, Ref, Tuple, Unbound
from pyxla.lib.tables import Record

# How deep in new objects one looks: they may be in a circle.
_DEPTH = 4


def with_parts(
    states: Sequence[Any], column: Sequence[Any], depth: int = _DEPTH
) -> Iterator[Sequence[Any]]:
    """What one name is in each state (edge), and what the parts of that are."""
    yield column
    for inner in _inner(states, column) if depth else ():
        yield from with_parts(states, inner, depth - 1)


def _inner(states: Sequence[Any], column: Sequence[Any]) -> Sequence[Sequence[Any]]:
    first = column[0]
    if isinstance(first, Tuple):
        sizes = {len(x.items) if isinstance(x, Tuple) else None for x in column}
        return list(zip(*[x.items for x in column], strict=True)) if len(sizes) == 1 else ()
    if not isinstance(first, Ref) or first.view:
        return ()
    if not all(isinstance(x, Ref) and x.cell != first.cell and not x.view for x in column[1:]):
        return ()
    contents = [s.heap.contents.get(x.cell) for s, x in zip(states, column, strict=True)]
    return _fields(contents)


def of_names(edges: Sequence[Any]) -> list[Sequence[Any]]:
    """What each name, and each part of what it is, is on each edge, with `of_same`."""
    columns = zip(*[edge.args for edge in edges], strict=True)
    return [*[part for c in columns for part in with_parts(edges, c)], *of_same(edges)]


HOLDERS = (ObjectCell, BoxCell, DictCell)


def of_same(states: Sequence[Any], kinds: tuple[type, ...] = HOLDERS) -> Iterator[Sequence[Any]]:
    """What instances, dicts and variables have that are in all states, and are not the same in
    all."""
    for _, contents in changed(states, kinds):
        yield from _fields(contents)


def changed(
    states: Sequence[Any], kinds: tuple[type, ...] = HOLDERS
) -> Iterator[tuple[int, Sequence[Any]]]:
    """Such cells, and what they hold."""
    for cell, first in list(states[0].heap.contents.items()):
        if type(first) in kinds:
            contents = [s.heap.contents.get(cell) for s in states]
            if any(c is not first for c in contents):
                yield cell, contents


def _fields(contents: Sequence[Any]) -> Sequence[Sequence[Any]]:
    """What instances of one class, dicts, or variables, all have."""
    kinds = {(type(content), getattr(content, "cls", None)) for content in contents}
    if len(kinds) > 1 or type(contents[0]) not in HOLDERS:
        return ()
    named = [_by_name(content) for content in contents]
    columns = [[fields.get(name) for fields in named] for name in named[0]]
    return [column for column in columns if None not in column]


def _by_name(content: Any) -> Mapping[Any, Any]:
    if isinstance(content, ObjectCell):
        return content.fields
    return content.items if isinstance(content, DictCell) else {"": content.value}


def missing(cls: type, name: str) -> Any:
    """A field that an instance does not have: the constant of that name in the class, or none."""
    default = ... if issubclass(cls, Record) else getattr(cls, name, ...)
    if default is None or isinstance(default, (bool, int, float, str)):
        return Const(default)
    message = f"{cls.__name__!r} object has no attribute {name!r}"
    return Unbound(name, error=AttributeError(message))


def with_all_fields(contents: list[Any]) -> list[Any]:
    """Instances of one class with the fields that any of them has; a missing one is unbound, or
    the constant of that name in the class."""
    known = [c for c in contents if isinstance(c, ObjectCell)]
    names = dict.fromkeys(name for c in known for name in c.fields)
    if len({c.cls for c in known}) != 1 or all(len(c.fields) == len(names) for c in known):
        return contents

    return [
        ObjectCell(c.cls, {n: c.fields[n] if n in c.fields else missing(c.cls, n) for n in names})
        if isinstance(c, ObjectCell)
        else c
        for c in contents
    ]


def in_one_order(contents: list[Any]) -> list[Any]:
    """Dicts with the same keys, all in the order of the last: what a loop brings back; sets of the
    same items in none."""
    known = [c for c in contents if c is not UNDEFINED]
    last = known[-1]
    if not all(type(c) is type(last) for c in known):
        return contents
    if type(last) is SetCell and all(c.items == last.items for c in known):
        alike = all(c.steps == last.steps for c in known)
        one = last if alike else SetCell(last.items, None)
        return [c if c is UNDEFINED else one for c in contents]
    if type(last) is not DictCell or not all(c.items.keys() == last.items.keys() for c in known):
        return contents
    if all(c.ordered and list(c.items) == list(last.items) for c in known):
        return contents
    return [
        c if c is UNDEFINED else DictCell({key: c.items[key] for key in last.items}, False)
        for c in contents
    ]
