"""Lists of numbers become arrays: how nested lists are laid out, and where paths meet.

A list becomes a `NumberList` where it is asked for (`pack`), or where it is one on another path
(`unify`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pyxla.infer.arrays import views
from pyxla.infer.arrays.shadows import resolve
from pyxla.infer.heap import Heap, ListCell, NumberList, reachable
from pyxla.infer.interface import Engine
from pyxla.infer.joins.joined import joined_number_type
from pyxla.infer.lattice import Array, Const, Ref, Scalar, Tuple, is_number, number_type
from pyxla.infer.lists.rows import reached
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Value
from pyxla.ir.types import ArrayType, array_type
from pyxla.lib.operands import as_array, cast


@dataclass(frozen=True, slots=True)
class Layout:
    """Nested lists of numbers: their shape, the numbers, and the cells of the rows."""

    shape: tuple[int, ...]
    nested: Any
    numbers: tuple[Any, ...]
    cells: frozenset[int]

    @property
    def type(self) -> ArrayType | None:
        return joined_number_type(list(self.numbers))

    @property
    def exact(self) -> bool:
        return len({number_type(x) for x in self.numbers}) == 1


def layout_of(heap: Heap, content: Any) -> Layout | None:
    """How a list's content is laid out as an array, if it can be."""
    if type(content) is NumberList:
        array = array_of(heap, content)
        return Layout(array.shape, array, (representative(heap, content),), frozenset())
    items = content.items if isinstance(content, (ListCell, Tuple)) else ()
    if not items:
        return None
    if all(map(is_number, items)):
        different = tuple({id(i): i for i in items}.values())
        if any(getattr(i, "kinds", None) is not None for i in different):
            return None
        if joined_number_type(list(different)) is None:
            return None
        nested = [i.value if isinstance(i, Const) else i for i in items]
        return Layout((len(items),), nested, different, frozenset())
    if not all(isinstance(i, Ref) and not i.view for i in items):
        return None
    cells: set[int] = set()
    rows: list[Layout] = []
    for i in items:
        row = layout_of(heap, heap.contents.get(i.cell))
        if row is None or (rows and row.shape != rows[0].shape):
            return None
        of_row = {i.cell, *row.cells}
        if not cells.isdisjoint(of_row):  # a list in two places: what is written to one is in both
            return None
        cells |= of_row
        rows.append(row)
    numbers = tuple({id(n): n for row in rows for n in row.numbers}.values())
    if joined_number_type(list(numbers)) is None:
        return None
    nested = [row.nested for row in rows]
    return Layout((len(items), *rows[0].shape), nested, numbers, frozenset(cells))


def leaves_of(nested: Any) -> Iterable[Any]:
    """The numbers in nested lists, in order."""
    if isinstance(nested, list):
        for item in nested:
            yield from leaves_of(item)
    else:
        yield nested


def array_of(heap: Heap, x: NumberList) -> Array:
    """The array that a list is kept as, by value."""
    return views.apply(x.data.view, resolve(heap, heap.contents[x.data.cell]))


def type_of_numbers(heap: Heap, x: NumberList) -> ArrayType:
    """The type of one of the numbers of a list."""
    return array_type(resolve(heap, heap.contents[x.data.cell]).dtype, (), x.python)


def representative(heap: Heap, x: NumberList) -> Any:
    """A number of the type of the list's."""
    value = Value(type_of_numbers(heap, x))
    return Scalar(value) if x.python else Array(value)


def pack(engine: Engine, x: Ref) -> bool:
    """Keep a list as an array from here on, if nobody else holds its rows."""
    content = engine.heap.contents[x.cell]
    layout = layout_of(engine.heap, content)
    if layout is None:
        return False
    if any(engine.heap.infos[cell].pinned is not None for cell in layout.cells):
        return False
    if layout.cells & reached_otherwise(engine, x):
        return False
    _pack(engine.heap, x.cell, layout, layout.type, engine.loc)
    engine.findings.kept.update(engine.loops)
    return True


def reached_otherwise(engine: Engine, x: Ref) -> set[int]:
    """The cells that can be reached other than through the list `x`."""
    return reached(engine, _without(engine.heap, x))


def _without(heap: Heap, x: Ref) -> Heap:
    """`heap` where nothing is in the list `x`."""
    return Heap(heap.infos, {**heap.contents, x.cell: ListCell(())})


def _pack(heap: Heap, cell: int, layout: Layout, wide: ArrayType, loc: Any) -> None:
    value = as_array(layout.nested, wide.dtype)
    data = Ref(heap.new(value, loc))
    heap.contents[cell] = NumberList(data, wide.weak)
    tied = [heap.entangled[c] for c in (cell, *layout.cells) if c in heap.entangled]
    if layout.cells and tied:  # rows, which are not there to say so, may be of several lists
        heap.entangle([data.cell], tied[0][0], [place for _, places in tied for place in places])
    for row in layout.cells:
        del heap.contents[row]


def retype(heap: Heap, data: Ref, wide: ArrayType) -> None:
    """Widen the numbers of all lists over an array."""
    array = resolve(heap, heap.contents[data.cell])
    heap.contents[data.cell] = Array(cast(array.value, wide.dtype), array.extents)
    for cell, content in heap.contents.items():
        if type(content) is NumberList and content.data.cell == data.cell:
            heap.contents[cell] = NumberList(content.data, wide.weak)


# --- where paths meet -------------------------------------------------------------------------


def unify(states: Sequence[Any], columns: Iterable[Sequence[Any]], roots: Any) -> None:
    """Where a list is an array in one of `states` (edges), make it one in all of them.

    columns: what one name is in each state.  roots(state): abstract values in use there.
    """
    if not any(type(c) is NumberList for s in states for c in s.heap.contents.values()):
        return
    first = states[0].heap.contents
    same = [[Ref(cell)] * len(states) for cell in first]
    for column in [*columns, *same]:
        _unify(states, column, roots)


def _unify(states: Sequence[Any], column: Sequence[Any], roots: Any) -> None:
    if not all(isinstance(x, Ref) and not x.view for x in column):
        return
    pairs = list(zip(states, column, strict=True))
    contents = [s.heap.contents.get(x.cell) for s, x in pairs]
    kinds = {type(c) for c in contents}
    if all(c is contents[0] for c in contents):  # a list of other numbers is another
        return
    if NumberList not in kinds or not kinds <= {NumberList, ListCell}:
        return
    layouts = []
    for state, content in zip(states, contents, strict=True):
        with building(Builder(state.block.instrs, state.loc)):  # rows are read from their array
            layouts.append(layout_of(state.heap, content))
    if any(layout is None for layout in layouts):
        return
    wide = joined_number_type([n for layout in layouts for n in layout.numbers])
    if wide is None or len({layout.shape for layout in layouts}) > 1:
        return
    for (state, x), content, layout in zip(pairs, contents, layouts, strict=True):
        emptied = _without(state.heap, x)
        if type(content) is ListCell and not layout.cells & reachable(emptied, roots(state)):
            state.heap = state.heap.copy()
            with building(Builder(state.block.instrs, state.loc)):
                _pack(state.heap, x.cell, layout, wide, state.loc)
        elif type(content) is NumberList and type_of_numbers(state.heap, content) != wide:
            state.heap = state.heap.copy()
            with building(Builder(state.block.instrs, state.loc)):
                retype(state.heap, content.data, wide)
