"""Lists of numbers that are indexed at run time: each is kept as one array.

The items of a list are abstract values of their own, which a subscript known at run time only
cannot choose among.  A list of numbers of one kind, or of lists of one length of such, then becomes
a `NumberList`: a hidden array cell through a view.  Rows are lists over views of the same cell, so
that what is written to a row is written to the list; everything else sees the items (`unpacked`).

Where CPython keeps an int in a list of floats, an array cannot.  So short lists, and writes that
would widen the numbers, first ask for the value of the index (`NeedsStatic`: the loop is unrolled),
and become arrays only where that is refused: see
`infer.demands`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from pyxla.infer.arrays import access as arrays
from pyxla.infer.demands import Needs, Path, argument_site
from pyxla.infer.facts.deciding import decided_by_data
from pyxla.infer.facts.refine import constant_of
from pyxla.infer.heap import GrowingList, Heap, ListCell, NumberList
from pyxla.infer.interface import Engine
from pyxla.infer.joins.joined import joined_number_type
from pyxla.infer.joins.kinds import has_exact
from pyxla.infer.lattice import Array, Compound, Const, Ref, Scalar, Tuple, is_number, number_type
from pyxla.infer.lists import as_arrays, columnar
from pyxla.infer.lists.item_types import Number
from pyxla.infer.lists.packing import (
    Layout,
    array_of,
    layout_of,
    leaves_of,
    pack,
    reached_otherwise,
    representative,
    retype,
    type_of_numbers,
)
from pyxla.infer.raising import sizes
from pyxla.ir.build import Builder, building
from pyxla.ir.types import PYTHON_TYPES, array_type
from pyxla.lib.manipulation import tile
from pyxla.lib.operands import as_array

LARGE = 4096  # a list of more numbers takes long to look at one by one, each time it is looked at
_ROW = "a row of a list of lists that is indexed at run time keeps its length and its type"
_SHARED = "a row of this list of lists has another name, and the list is indexed at run time"


def is_dynamic(key: Any) -> bool:
    """Whether `key` is an int known at run time only."""
    if isinstance(key, Scalar):
        return key.kind is int and constant_of(key) is key
    return isinstance(key, Array) and not key.shape and key.dtype.kind in "iu"


def packed(heap: Heap, x: Any) -> NumberList | None:
    """The content of a list that is kept as an array."""
    content = heap.contents.get(x.cell) if isinstance(x, Ref) else None
    return content if type(content) is NumberList else None


# --- reading ----------------------------------------------------------------------------------


def length(engine: Engine, x: NumberList) -> int:
    return arrays.shown(engine, x.data)[0][0]


def get(engine: Engine, x: NumberList, key: Any, message: str = "list index out of range") -> Any:
    """`x[key]` for an int or a slice; None where the items are needed one by one."""
    if isinstance(key, Compound):
        return None
    if isinstance(key, Const):
        if isinstance(key.value, slice):
            if len(arrays.shown(engine, x.data)[0]) > 1:  # the rows are in both lists
                return None
            part = arrays.getitem(engine, x.data, key)
            return engine.new(NumberList(arrays.fresh(engine, arrays.read(engine, part)), x.python))
        if not hasattr(type(key.value), "__index__"):
            return None
    index = checked(engine, key, arrays.shown(engine, x.data)[0][0], message)
    with engine.unchecked():
        found = arrays.getitem(engine, x.data, index)
    return _item(engine, x, found)


def _item(engine: Engine, x: NumberList, found: Any) -> Any:
    if isinstance(found, Ref):
        given = engine.grids.get((found.cell, found.view))
        return engine.new(NumberList(found, x.python)) if given is None else given
    return arrays.python_scalar(found, PYTHON_TYPES[found.dtype]) if x.python else found


def checked(engine: Engine, key: Any, size: int, message: str) -> Any:
    """`key` as a Python int; the program raises IndexError where it is out of range."""
    if isinstance(key, Const):
        index = key.value.__index__()
        if not -size <= index < size:
            engine.raise_constant(IndexError(message))
        return Const(index)
    if isinstance(key, Array):
        key = arrays.python_scalar(key, int)
    if engine.tests(IndexError):
        compare = engine.rules.compare
        low = compare(engine, "ge", key, Const(-size))
        engine.ensure(
            engine.rules.both(engine, low, compare(engine, "lt", key, Const(size))),
            IndexError(message),
        )
    return key


def unpacked(engine: Engine, x: NumberList) -> ListCell:
    """The items, one by one."""
    size = arrays.shown(engine, x.data)[0][0]
    return ListCell(
        tuple([_item(engine, x, arrays.getitem(engine, x.data, Const(i))) for i in range(size)])
    )


def choose(engine: Engine, x: Any, items: tuple[Any, ...], key: Any) -> Any:
    """`x[key]` for a key known at run time only, `items` being those of a list or tuple; None where
    it must be known."""
    if not items:
        return engine.raise_constant(IndexError(out_of_range(x)))
    if isinstance(items[0], Ref) and all(item is items[0] for item in items):
        if not engine.findings.allows(len(items), True):
            return None
        checked(engine, key, len(items), out_of_range(x))
        return items[0]
    content = ListCell(items)
    layout = layout_of(engine.heap, content)
    if layout is None or not (
        (layout.exact and decided_by_data(engine, key))
        or engine.findings.allows(len(items), layout.exact)
    ):
        return None
    found = _frozen(engine, x, layout)
    if found is None:
        if layout.cells and all(engine.heap.infos[c].pinned is not None for c in layout.cells):
            ask(engine, x)
        if not isinstance(x, Ref) or not pack(engine, x):
            return None
        found = packed(engine.heap, x)
    return get(engine, found, key, out_of_range(x))


def out_of_range(x: Any) -> str:
    """What CPython says of a position that a sequence does not have."""
    if isinstance(x, Const):
        cls: Any = type(x.value)
        name = {str: "string", range: "range object"}.get(cls, cls.__name__)
    else:
        name = "list" if isinstance(x, Ref) else "tuple"
    return f"{name} index out of range"


def _frozen(engine: Engine, x: Any, layout: Layout) -> NumberList | None:
    """The array of numbers that are constants, or arguments; of lists of them, if nothing writes
    them: it is made where the program starts."""
    leaves = list(leaves_of(layout.nested))
    known = all(not isinstance(leaf, (Scalar, Array)) for leaf in leaves)
    given = all(
        not isinstance(leaf, (Scalar, Array)) or leaf.value.owner is None for leaf in leaves
    )
    if layout.cells & set(engine.written) or not (known or given):
        return None
    if layout.cells and engine.demands.shared:  # rows are in a pool
        return None
    if layout.cells and any(engine.heap.infos[c].pinned is None for c in layout.cells):
        return None
    block = engine.block if known else engine.entry
    with building(Builder(block.instrs, engine.loc)):
        value = as_array(layout.nested, layout.type.dtype)
    engine.frozen.update(dict.fromkeys(layout.cells, _SHARED))
    read_only = "a list of lists that is indexed at run time" if layout.cells else ""
    data = Ref(engine.heap.new(value, engine.loc, read_only=read_only))
    if layout.cells:
        engine.grids.update(dict.fromkeys([data.cell, *layout.cells], x))
    return NumberList(data, layout.type.weak)


def ask(engine: Engine, x: Any) -> None:
    """Ask that an argument `x`, a list of lists of numbers that is written, is one array."""
    path = engine.heap.infos[x.cell].pinned if isinstance(x, Ref) else None
    if engine.demands.shared or packed(engine.heap, x) is not None:  # its rows are in a pool
        return
    if path is not None and (site := argument_site(path)) not in engine.demands.grids:
        raise Needs(engine.loc, grids=frozenset({site}))


def given(engine: Engine, paths: Mapping[int, Path]) -> dict[int, Array]:
    """Keep the lists of lists that were asked for as arrays, which are returned by their cells:
    rows are lists over views of these, and what is written to one is written there."""
    heap = engine.heap
    made: dict[int, Array] = {}
    for cell, path in () if engine.demands.shared else paths.items():
        held = heap.contents[cell]
        if type(held) is NumberList or argument_site(path) not in engine.demands.grids:
            continue
        layout = layout_of(heap, held)
        if layout is not None and layout.exact:
            array = as_array(layout.nested, layout.type.dtype)
            data = Ref(heap.new(array))
            made[data.cell] = array
            engine.grids[data.cell] = Ref(cell)
            _over(engine, Ref(cell), NumberList(data, layout.type.weak))
    return made


def separated(engine: Engine, cells: Iterable[int]) -> None:
    """Let lists of lists of numbers that are arguments be lists of lists."""
    kept = [(cell, packed(engine.heap, Ref(cell))) for cell in cells]
    for cell in {x.data.cell: cell for cell, x in kept if x is not None and x.data.view}.values():
        columnar.is_apart(engine.heap, cell)


def _over(engine: Engine, x: Ref, content: NumberList) -> None:
    """Let the list `x`, and those in it, be lists over an array."""
    held: Any = engine.heap.contents[x.cell]
    engine.heap.contents[x.cell] = content
    if type(held) is ListCell and isinstance(held.items[0], Ref):
        for i, row in enumerate(held.items):
            part = arrays.getitem(engine, content.data, Const(i))
            engine.grids[part.cell, part.view] = row
            _over(engine, row, NumberList(part, content.python))


def is_same_row(engine: Engine, x: Ref, y: Ref) -> Any:
    """`x is y`, a bool, of two lists over one array: they are where they start; None of others."""
    one, other = packed(engine.heap, x), packed(engine.heap, y)
    if one is None or other is None or one.data.cell != other.data.cell or x.cell == y.cell:
        return None
    steps = [kept.data.view[0] for kept in (one, other) if len(kept.data.view) == 1]
    if len(steps) < 2 or steps[0].shape != steps[1].shape:
        return None
    starts = [[part.start for part in step.ranges] for step in steps]
    same: Any = Const(True)
    for pair in zip(*starts, strict=True):
        i, j = [Const(start) if isinstance(start, int) else start for start in pair]
        same = engine.rules.both(engine, same, engine.rules.compare(engine, "eq", i, j))
    return same


def copied(engine: Engine, x: NumberList) -> Ref:
    """A new list of the same items."""
    return engine.new(NumberList(arrays.fresh(engine, array_of(engine.heap, x)), x.python))


def copied_deeply(engine: Engine, x: NumberList, made: dict[int, Any]) -> Ref:
    """As `copied`, where lists over one array are lists over one again: `made` has that of each."""
    if getattr(made.get(~x.data.cell), "cell", None) not in engine.heap.contents:
        made[~x.data.cell] = arrays.fresh(engine, engine.content(Ref(x.data.cell)))
    return engine.new(NumberList(Ref(made[~x.data.cell].cell, x.data.view), x.python))


def by_value(engine: Engine, x: Any, asked: np.dtype | None = None) -> Any:
    """A list that is kept as arrays as NumPy's array of it, also in tuples, lists and indexes;
    anything else as it is.  asked: the dtype that it is to have."""
    grown = columnar.found(engine.heap, x)
    if grown is not None:
        return as_arrays.as_columns(engine, grown, asked)
    kept = packed(engine.heap, x)
    if kept is not None:
        return array_of(engine.heap, kept)
    ints = asked is not None and asked.kind in "iu"
    if ints and has_exact(x):
        return engine.rules.call(engine, Const(int), [x], {})
    if not isinstance(x, (Tuple, Ref)):
        return x
    held = x if isinstance(x, Tuple) else engine.heap.contents[x.cell]
    if not isinstance(held, (Tuple, ListCell)) or not _change(engine.heap, held.items, ints):
        return x
    return Tuple(tuple([by_value(engine, item, asked) for item in held.items]))


def _change(heap: Heap, items: Iterable[Any], ints: bool) -> bool:
    """Whether one of `items` is, or holds, a list whose length is known at run time only; or,
    where `ints` are asked for, one that a float does not hold."""
    for x in items:
        held = x if isinstance(x, Tuple) else heap.contents.get(x.cell) if isinstance(x, Ref) else x
        if isinstance(held, (Tuple, ListCell)) and _change(heap, held.items, ints):
            return True
        if columnar.found(heap, x) is not None or (ints and has_exact(x)):
            return True
    return False


def kept_as(engine: Engine, data: Ref, python: bool) -> NumberList | GrowingList:
    """The content of a list whose numbers a fresh array holds."""
    array = arrays.read(engine, data)
    if array.extents is None:
        return NumberList(data, python)
    return GrowingList((data,), Number(array_type(array.dtype, (), python)))


def repeated(engine: Engine, x: Any, items: tuple[Any, ...], times: int) -> Ref | None:
    """The list `x` of `items` so many times, where these are `LARGE` numbers or more."""
    if not isinstance(x, Ref) or len(items) * times < LARGE:
        return None
    layout = layout_of(engine.heap, ListCell(items))
    if layout is None or layout.cells or not layout.exact:
        return None
    value = tile(as_array(layout.nested, layout.type.dtype), times)
    return engine.new(NumberList(arrays.fresh(engine, value), layout.type.weak))


def flat(engine: Engine, x: Any) -> NumberList | None:
    """The content of a list of numbers, not of lists, that is kept as an array."""
    grown = columnar.found(engine.heap, x)
    if grown is not None:
        column = as_arrays.numbers(engine, grown)
        return None if column is None else NumberList(*column)
    kept = packed(engine.heap, x)
    return kept if kept is not None and len(arrays.shown(engine, kept.data)[0]) == 1 else None


def verify_items(engine: Engine, x: Any, dtype: np.dtype) -> None:
    """Python's numbers, and those in lists, are ones of `dtype`, that of an array of them."""
    if isinstance(x, Scalar):
        sizes.verify_stored(engine, x, dtype, basic=False)
    grown, kept = columnar.found(engine.heap, x), packed(engine.heap, x)
    if grown is not None and (column := as_arrays.numbers(engine, grown)) is not None:
        kept = NumberList(*column)
    if kept is not None:
        sizes.verify_items(engine, array_of(engine.heap, kept), dtype, kept.python)
        return
    for item in arrays.items_of(engine, x) or () if dtype.kind in "iu" else ():
        if isinstance(item, Array):
            sizes.verify_stored(engine, item, dtype)
        else:
            verify_items(engine, item, dtype)


def number(engine: Engine, x: NumberList, found: Any) -> Any:
    """What a reduction of the array found, as the same of the list."""
    dtype = engine.operand(found).dtype
    return arrays.python_scalar(engine.operand(found), PYTHON_TYPES[dtype]) if x.python else found


# --- writing ----------------------------------------------------------------------------------


def assign(engine: Engine, x: Ref, key: Any, value: Any) -> bool:
    """`x[key] = value` where the list is, or becomes, an array; else False."""
    content = packed(engine.heap, x)
    if content is None:
        if not is_dynamic(key) or not _may_pack(engine, x, key, value) or not pack(engine, x):
            return False
        content = packed(engine.heap, x)
    if not (is_dynamic(key) or isinstance(key, Const) and hasattr(type(key.value), "__index__")):
        return False
    shape = arrays.shown(engine, content.data)[0]
    if len(shape) > 1 or not is_number(value):
        return len(shape) > 1 and is_dynamic(key) and _assign_row(engine, x, content, key, value)
    wide = joined_number_type([representative(engine.heap, content), value])
    if wide is None:
        return False
    if wide != type_of_numbers(engine.heap, content) or number_type(value) != wide:
        if not columnar.released(engine.heap, x) or content.data.cell in engine.grids:
            raise engine.refuse(_ROW, "use an array: np.zeros((n, m))")
        content = packed(engine.heap, x)
        if not engine.findings.allows(shape[0], False):
            return False
        retype(engine.heap, content.data, wide)
        content = packed(engine.heap, x)
    engine.check_writable(x)
    index = checked(engine, key, shape[0], "list assignment index out of range")
    with engine.unchecked():
        arrays.setitem(engine, content.data, index, value)
    return True


def _may_pack(engine: Engine, x: Ref, key: Any, value: Any) -> bool:
    """Whether a list that is written at run time may become an array, the new value included."""
    content = engine.heap.contents.get(x.cell)
    layout = layout_of(engine.heap, content)
    if layout is None:
        return False
    exact = layout.exact
    if len(layout.shape) > 1 and not isinstance(value, Ref):
        return False
    if len(layout.shape) == 1:
        if not is_number(value):
            return False
        wide = joined_number_type([*layout.numbers, value])
        exact = exact and wide is not None and wide == layout.type == number_type(value)
        if wide is None:
            return False
    if exact and decided_by_data(engine, key):
        return True
    return engine.findings.allows(len(content.items), exact)


def _assign_row(engine: Engine, x: Ref, content: NumberList, key: Any, value: Any) -> bool:
    """A row takes the items of a list that has no other name."""
    row = layout_of(engine.heap, engine.content(value)) if isinstance(value, Ref) else None
    if row is None or row.type != type_of_numbers(engine.heap, content):
        return False
    used = reached_otherwise(engine, x)
    others = [packed(engine.heap, Ref(cell)) for cell in used]
    rows = any(x is not None and x.data.cell == content.data.cell for x in others)
    if value.cell in used or rows or row.shape != arrays.shown(engine, content.data)[0][1:]:
        return False
    engine.check_writable(x)
    size = arrays.shown(engine, content.data)[0][0]
    index = checked(engine, key, size, "list assignment index out of range")
    new = arrays.fresh(engine, as_array(row.nested, row.type.dtype))
    with engine.unchecked():
        arrays.setitem(engine, content.data, index, new)
    return True


def replaced(engine: Engine, old: Any, new: Any) -> bool:
    """Whether `new`, the items of a list after a change, were written to the array that is kept."""
    if type(old) is not NumberList or not old.data.view:
        return False
    row = layout_of(engine.heap, new)
    shape = arrays.shown(engine, old.data)[0]
    if row is None or row.shape != shape or row.type != type_of_numbers(engine.heap, old):
        if (given := engine.grids.get((old.data.cell, old.data.view))) is not None:
            if columnar.released(engine.heap, given):
                return False
        raise engine.refuse(_ROW, "use an array: np.zeros((n, m))")
    arrays.assign(engine, old.data, as_array(row.nested, row.type.dtype))
    return True
