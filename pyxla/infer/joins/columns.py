"""What is at the same place in values of one structure that meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pyxla.infer.heap import ObjectCell
from pyxla.infer.lattice import Ref, Tuple

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


def _fields(contents: Sequence[Any]) -> Sequence[Sequence[Any]]:
    """What new instances of one class have."""
    first = contents[0]
    if type(first) is ObjectCell and all(
        type(c) is ObjectCell and c.cls is first.cls and c.fields.keys() == first.fields.keys()
        for c in contents
    ):
        return [[c.fields[name] for c in contents] for name in first.fields]
    return ()
