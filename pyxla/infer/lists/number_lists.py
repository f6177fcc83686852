"""Lists of numbers that are indexed at run time: each is kept in columns from there on.

The items of a list are abstract values of their own, which a subscript known at run time only
cannot choose among.  A list of numbers, or of lists of one length of such, then becomes one in
columns, of a length that is known (`infer.lists.columnar`); that of numbers which nobody writes is
an array beside the list.

Where ints are among floats, a second column says which.  So short lists, and those that would have
such a column, first ask for the value of the index (`NeedsStatic`: the loop is unrolled), and
become columns only where that is refused: see `infer.demands`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts.refine import constant_of
from pyxla.abstract.heap import GrowingList, Heap, ListCell
from pyxla.abstract.lattice import Array, Compound, Const, Ref, Scalar, Tuple, is_number
from pyxla.infer.arrays import access as arrays
from pyxla.infer.demands import Needs, Path, argument_site
from pyxla.infer.interface import Engine
from pyxla.infer.joins.kinds import has_exact
from pyxla.infer.lists import as_arrays, columnar, reading
from pyxla.infer.lists.item_joins import joined_items
from pyxla.infer.lists.item_types import Item, Nested, Number
from pyxla.infer.lists.items import item_of
from pyxla.infer.lists.laying import laid
from pyxla.infer.raising import sizes
from pyxla.infer.using import decided_by_data
from pyxla.ir.build import Builder, building
from pyxla.ir.types import PYTHON_TYPES, array_type
from pyxla.lib.repeating import tile

LARGE = 4096  # a list of more numbers takes long to look at one by one, each time it is looked at
_SHARED = "a row of this list of lists has another name, and the list is indexed at run time"


def is_dynamic(key: Any) -> bool:
    """Whether `key` is an int known at run time only."""
    if isinstance(key, Scalar):
        return key.kind is int and constant_of(key) is key
    return isinstance(key, Array) and not key.shape and key.dtype.kind in "iu"


def item_of_numbers(heap: Heap, items: Sequence[Any]) -> Item | None:
    """The item of a list of numbers, or of lists of one length of such; None of anything else."""
    if all(map(is_number, items)):
        item = joined_items([item_of(heap, i) for i in items])
        return item if isinstance(item, Number) else None
    if not all(isinstance(i, Ref) and not i.view for i in items):
        return None
    rows: list[Any] = [heap.contents.get(i.cell) for i in items]
    if not all(type(row) is ListCell and row.items for row in rows):
        return None
    if len({len(row.items) for row in rows}) > 1:
        return None
    inner = [item_of_numbers(heap, row.items) for row in rows]
    item = None if None in inner else joined_items(inner)
    size = len(rows[0].items)
    fits = isinstance(item, Number) or (isinstance(item, Nested) and item.fixed is not None)
    return Nested(item, size, size) if fits else None


def number_in(item: Any) -> Any:
    """The item of the numbers in lists of lists of numbers."""
    return number_in(item.item) if isinstance(item, Nested) else item


def _inside(heap: Heap, items: Iterable[Any]) -> Iterator[Any]:
    """The lists in a list of lists of numbers, and the numbers."""
    for x in items:
        yield x
        if isinstance(x, Ref):
            yield from _inside(heap, heap.contents[x.cell].items)


def choose(engine: Engine, x: Any, items: tuple[Any, ...], key: Any) -> Any:
    """`x[key]` for a key known at run time only, `items` being those of a list or tuple; None where
    it must be known."""
    if not items:
        return engine.raise_constant(IndexError(out_of_range(x)))
    same = len(items) == 1 or isinstance(items[0], Ref)
    if same and all(item is items[0] for item in items):
        if not engine.findings.allows(len(items), True):
            return None
        reading.checked(engine, key, Const(len(items)), out_of_range(x))
        return items[0]
    item = item_of_numbers(engine.heap, items)
    if item is None or not _may_be_columns(engine, item, len(items), key):
        return None
    found = _frozen(engine, x, items, item)
    if found is None and isinstance(item, Nested):
        if all(engine.heap.infos[i.cell].pinned is not None for i in items):
            ask(engine, x)
        return None
    if found is None:
        if not isinstance(x, Ref):
            return None
        pack(engine, x, item)
        found = x
    index = reading.checked(engine, key, Const(len(items)), out_of_range(x))
    content = columnar.found(engine.heap, found)
    with engine.unchecked():
        return reading.read_item(engine, content.item, iter(content.columns), index, found)


def _may_be_columns(engine: Engine, item: Item, size: int, key: Any) -> bool:
    exact = not number_in(item).choices
    return (exact and decided_by_data(engine, key)) or engine.findings.allows(size, exact)


def pack(engine: Engine, x: Ref, item: Item) -> None:
    """Keep a list of such items in columns from here on."""
    engine.findings.kept.update(engine.loops)
    columnar.keep(engine.heap, x, item)


def out_of_range(x: Any) -> str:
    """What CPython says of a position that a sequence does not have."""
    if isinstance(x, Const):
        cls: Any = type(x.value)
        name = {str: "string", range: "range object"}.get(cls, cls.__name__)
    else:
        name = "list" if isinstance(x, Ref) else "tuple"
    return f"{name} index out of range"


def _frozen(engine: Engine, x: Any, items: Sequence[Any], item: Item) -> Ref | None:
    """The columns of numbers that are constants, or arguments; of lists of them, if nothing writes
    them: they are made where the program starts."""
    inside = list(_inside(engine.heap, items))
    rows = [i.cell for i in inside if isinstance(i, Ref)]
    numbers = [i for i in inside if isinstance(i, (Scalar, Array))]
    if any(number.value.owner is not None for number in numbers):
        return None
    if rows:
        infos = engine.heap.infos
        if engine.demands.shared or not set(rows).isdisjoint(engine.written):
            return None
        if len(set(rows)) < len(rows) or any(infos[cell].pinned is None for cell in rows):
            return None
    block = engine.entry if numbers else engine.block
    with building(Builder(block.instrs, engine.loc)):
        held = laid(engine.heap, item, items, len(items))
    read_only = "a list of lists that is indexed at run time" if rows else ""
    columns = [arrays.fresh(engine, Array(value), read_only=read_only) for value in held]
    found = engine.new(GrowingList(tuple(columns), item))
    if rows:
        engine.frozen.update(dict.fromkeys([found.cell, *rows], _SHARED))
        engine.grids.update(dict.fromkeys([found.cell, *rows], x))
    return found


def ask(engine: Engine, x: Any) -> None:
    """Ask that an argument `x`, a list of lists of numbers that is written, is in columns."""
    path = engine.heap.infos[x.cell].pinned if isinstance(x, Ref) else None
    if engine.demands.shared or columnar.found(engine.heap, x) is not None:  # rows are in a pool
        return
    if path is not None and (site := argument_site(path)) not in engine.demands.grids:
        raise Needs(engine.loc, grids=frozenset({site}))


def ask_which(engine: Engine, x: Ref) -> None:
    """Ask that the list that has the row `x` is in columns, where which object that is matters."""
    ask(engine, engine.grids.get(columnar.whole(engine.heap, x).cell))


def given(engine: Engine, paths: Mapping[int, Path]) -> None:
    """Keep the lists of lists that were asked for in columns: what is written to a row is written
    there."""
    heap = engine.heap
    for cell, path in () if engine.demands.shared else paths.items():
        held: Any = heap.contents[cell]
        if type(held) is ListCell and argument_site(path) in engine.demands.grids:
            item = item_of_numbers(heap, held.items)
            if isinstance(item, Nested) and not number_in(item).choices:
                columnar.keep(heap, Ref(cell), item)


def by_value(engine: Engine, x: Any, asked: np.dtype | None = None) -> Any:
    """A list that is kept in columns as NumPy's array of it, also in tuples, lists and indexes, and
    so a range; anything else as it is.  asked: the dtype that it is to have."""
    grown = columnar.found(engine.heap, x)
    if grown is not None:
        return as_arrays.as_columns(engine, grown, asked)
    ints = asked is not None and asked.kind in "iu"
    if ints and has_exact(x):
        return engine.rules.call(engine, Const(int), [x], {})
    if _is_range(x):
        made = engine.rules.call(engine, Const(np.arange), list(x.items), {})
        return arrays.read(engine, made)
    if not isinstance(x, (Tuple, Ref)):
        return x
    held = x if isinstance(x, Tuple) else engine.heap.contents[x.cell]
    if not isinstance(held, (Tuple, ListCell)) or not _change(engine.heap, held.items, ints):
        return x
    return Tuple(tuple([by_value(engine, item, asked) for item in held.items]))


def _change(heap: Heap, items: Iterable[Any], ints: bool) -> bool:
    """Whether one of `items` is, or holds, a list that is kept in columns or a range; or, where
    `ints` are asked for, one that a float does not hold."""
    for x in items:
        held = x if isinstance(x, Tuple) else heap.contents.get(x.cell) if isinstance(x, Ref) else x
        if isinstance(held, (Tuple, ListCell)) and _change(heap, held.items, ints):
            return True
        if columnar.found(heap, x) is not None or _is_range(x) or (ints and has_exact(x)):
            return True
    return False


def _is_range(x: Any) -> bool:
    """Whether it is a range whose numbers are known at run time only."""
    return isinstance(x, Compound) and x.kind == "range"


def listed(engine: Engine, data: Ref, python: bool) -> Ref:
    """A list of the numbers, or of lists of the numbers, that a fresh array holds."""
    item = Number(array_type(arrays.dtype_of(engine, data), (), python))
    return engine.new(columnar.over(engine.heap, data, item))


def repeated(engine: Engine, x: Any, items: tuple[Any, ...], times: int) -> Ref | None:
    """The list `x` of `items` so many times, where these are `LARGE` numbers or more."""
    if not isinstance(x, Ref) or len(items) * times < LARGE:
        return None
    item = item_of_numbers(engine.heap, items)
    if not isinstance(item, Number) or item.choices:
        return None
    (held,) = laid(engine.heap, item, items, len(items))
    return listed(engine, arrays.fresh(engine, tile(Array(held), times)), item.type.weak)


def flat(engine: Engine, x: Any) -> tuple[Ref, bool] | None:
    """The column of a list of numbers, and whether they are Python's."""
    grown = columnar.found(engine.heap, x)
    return None if grown is None else as_arrays.numbers(engine, grown)


def verify_items(engine: Engine, x: Any, dtype: np.dtype) -> None:
    """Python's numbers, and those in lists, are ones of `dtype`, that of an array of them."""
    if isinstance(x, Scalar):
        sizes.verify_stored(engine, x, dtype, basic=False)
    if (grown := columnar.found(engine.heap, x)) is not None:
        if (whole := as_arrays.numbers_in(engine, grown)) is not None:
            sizes.verify_items(engine, whole[0], dtype, whole[1])
        return
    for item in arrays.items_of(engine, x) or () if dtype.kind in "iu" else ():
        if isinstance(item, Array):
            sizes.verify_stored(engine, item, dtype)
        else:
            verify_items(engine, item, dtype)


def number(engine: Engine, python: bool, found: Any) -> Any:
    """What a reduction of the array found, as the same of a list of such numbers."""
    dtype = engine.operand(found).dtype
    return arrays.python_scalar(engine.operand(found), PYTHON_TYPES[dtype]) if python else found


def opened(engine: Engine, x: Ref, value: Any) -> GrowingList | None:
    """The list `x`, of which data-decided items become `value`, in columns, if it may be."""
    items = engine.heap.contents[x.cell].items
    item = item_of_numbers(engine.heap, (*items, value))
    if item is None or not items:
        return None
    if isinstance(item, Nested):
        cells = [i.cell for i in _inside(engine.heap, (*items, value)) if isinstance(i, Ref)]
        pinned = any(engine.heap.infos[cell].pinned is not None for cell in cells)
        if pinned or len(set(cells)) < len(cells):
            return None
    if not engine.findings.allows(len(items), not number_in(item).choices):
        return None
    pack(engine, x, item)
    return columnar.found(engine.heap, x)
