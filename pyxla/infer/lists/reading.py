"""Lists whose length is known at run time only are read: items, slices, rows, copies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.integers import wrap
from pyxla.abstract.heap import GrowingList, Heap, ListCell, RowList
from pyxla.abstract.lattice import (
    UNDEFINED,
    Array,
    Compound,
    Conflict,
    Const,
    Kinds,
    Ref,
    Scalar,
    Tuple,
    Variant,
    as_const,
    describe,
    optional,
    plain,
)
from pyxla.abstract.nested import of_unlike
from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays.bounds import from_front
from pyxla.infer.interface import Engine
from pyxla.infer.joins import choices, far, kinds
from pyxla.infer.lists import instances, rows
from pyxla.infer.lists.columnar import extents_of, found, size_of
from pyxla.infer.lists.columns import front
from pyxla.infer.lists.item_types import (
    UNSET,
    Block,
    Chars,
    Handle,
    Item,
    Known,
    Made,
    Nested,
    Pick,
    Row,
    Same,
    Several,
)
from pyxla.infer.lists.items import at_path, count
from pyxla.infer.lists.rows import KEPT, reached
from pyxla.infer.text.codes import string
from pyxla.ir.types import PYTHON_TYPES, Far
from pyxla.views import shadows


def columns_of(engine: Engine, content: GrowingList) -> list[Array]:
    """The columns by value, with their true size."""
    if content.size is None:
        return [engine.content(column) for column in content.columns]
    size = size_of(engine.heap, content)
    held = [arrays.read(engine, column).value for column in content.columns]
    if isinstance(size, int):
        return [Array(front(v, size)) for v in held]
    return [Array(v, extents_of(size, v.type.ndim)) for v in held]


def length(engine: Engine, content: GrowingList) -> Any:
    """`len(x)`."""
    size = size_of(engine.heap, content)
    return as_const(size)


def get(engine: Engine, x: Ref, content: GrowingList, key: Any) -> Any:
    """`x[key]`."""
    if is_slice(key):
        return _part(engine, content, key)
    index = index_of(engine, content, key, f"{content.cls.__name__} index out of range")
    parent = x if content.cls is list else None
    with engine.unchecked():  # the index is in order
        return read_item(engine, content.item, iter(content.columns), index, parent)


def unpacked(engine: Engine, x: Ref) -> ListCell:
    """The items one by one, where their number is known."""
    if of_unlike(engine.heap, row := engine.heap.contents[x.cell]):
        return unlike(engine, row)
    content: Any = found(engine.heap, x)
    size = length(engine, content)
    if not isinstance(size, Const) or content.cls is not list:
        raise needs_length(
            engine,
            content,
            "the length of this list is known at run time only, which is not supported here",
            "make it an array, np.array(the list), or start from np.zeros of a known size",
        )
    return ListCell(tuple([get(engine, x, content, Const(i)) for i in range(size.value)]))


def unlike(engine: Engine, row: Any) -> ListCell:
    """The items of a list in a list that are of several types."""
    outer: Any = found(engine.heap, row.parent)
    item: Any
    item, before = at_path(outer.item, row.path)
    columns = iter(outer.columns[before:])
    return ListCell(read_parts(engine, item, columns, as_const(row.index), row.parent, row.path))


def is_slice(key: Any) -> bool:
    """Whether a subscript is of a part, not of an item."""
    return getattr(key, "kind", "") == "slice" or isinstance(getattr(key, "value", None), slice)


def _part(engine: Engine, content: GrowingList, key: Any) -> Ref:
    whole = [arrays.fresh(engine, array) for array in columns_of(engine, content)]
    columns = [
        arrays.fresh(engine, arrays.read(engine, arrays.getitem(engine, column, key)))
        for column in whole
    ]
    return guarded(engine, content, made_like(engine, content, columns))


def class_of(content: Any) -> type:
    """The class of a list, or of a tuple of unknown length."""
    return content.cls if type(content) is GrowingList else list


def contents_item(heap: Heap, x: Ref) -> Item | None:
    """The item of a list of unknown length."""
    content = found(heap, x)
    return None if content is None else content.item


def made_of(engine: Engine, columns: Sequence[Ref], item: Item, cls: type = list) -> Ref:
    """A new list over fresh arrays, the items of other lists."""
    rows.copied(engine.heap, item, columns)
    return engine.new(GrowingList(tuple(columns), item, cls=cls))


def made_like(
    engine: Engine, content: GrowingList, columns: Sequence[Ref], cls: type | None = None
) -> Ref:
    """A new list of items of another one."""
    rows.copied(engine.heap, content.item, [*content.columns, *columns])
    made = GrowingList(
        tuple(columns), content.item, guessed=content.guessed, cls=cls or content.cls
    )
    return engine.new(made)


def checked(engine: Engine, key: Any, size: Any, message: str) -> Any:
    """`key` as a Python int; the program raises IndexError where it is out of range."""
    if isinstance(key, Const) and isinstance(size, Const):
        index = key.value.__index__()
        if not -size.value <= index < size.value:
            engine.raise_constant(IndexError(message))
        return Const(index)
    if isinstance(key, Array):
        key = arrays.python_scalar(key, int)
    if engine.tests(IndexError):
        compare = engine.rules.compare
        natural = from_front(engine, plain(key), plain(size))
        least = Const(0) if natural else engine.rules.binary(engine, "sub", Const(0), size)
        low = compare(engine, "ge", key, least)
        high = compare(engine, "lt", key, size)
        engine.ensure(engine.rules.both(engine, low, high), IndexError(message))
        if natural and isinstance(key, Scalar):
            return Scalar(key.value, extent.meet(extent.fact(key), 0, None))
    return key


def index_of(engine: Engine, content: GrowingList, key: Any, message: str) -> Any:
    """As `checked`, in a list."""
    number = isinstance(key, Array) and not key.shape and key.dtype.kind in "iu"
    known = isinstance(key, Const) and hasattr(type(key.value), "__index__")
    if not number and not known and not (isinstance(key, Scalar) and key.kind is int):
        raise engine.refuse("list indices must be integers or slices")
    key = checked(engine, key, length(engine, content), message)
    if content.item is None:
        return engine.raise_constant(IndexError(message))
    return _from_front(engine, content, key)


def _from_front(engine: Engine, content: GrowingList, key: Any) -> Any:
    """An index counted from the front, where a view of the column has a size of its own."""
    if content.size is None:
        return key
    low = extent.lower(plain(key))
    if low is not None and low >= 0:
        return key
    return positive(engine, key, length(engine, content))


def positive(engine: Engine, key: Any, size: Any) -> Any:
    """`key`, or `key + size` where it is negative, as an int that is not."""
    at = wrap(plain(key), plain(size))
    if isinstance(at, Scalar):
        return Scalar(at.value, extent.meet(extent.fact(at), 0, None))
    return Const(int(at))


def read_item(
    engine: Engine,
    item: Item,
    columns: Iterator[Ref],
    index: Any,
    parent: Ref | None,
    path: tuple[int, ...] = (),
) -> Any:
    """The item at `index` of the list `parent`; lists in it are copies where that is None."""
    if item == UNSET:
        return UNDEFINED
    if isinstance(item, (Same, Known)):
        return Const(item.value)
    if isinstance(item, Row):
        if item.cls is list and parent is not None:
            for _ in range(count(item)):
                next(columns)
            return _row_at(engine, index, parent, path)
        parts = read_parts(engine, item, columns, index, parent, path)
        if isinstance(item, Made):
            return Compound(item.cls, parts, item.meta)
        if item.cls is range:
            return Compound("range", parts)
        if isinstance(item.cls, Far):
            return far.made(item.cls.units, *parts)
        if item.cls is not list:
            return Tuple(parts, item.cls)
        return Ref(engine.heap.new(ListCell(parts), engine.loc, read_only=KEPT))
    if isinstance(item, Nested):
        own = [next(columns) for _ in range(count(item))]
        return _row(engine, item, own, index, parent, path)
    column = next(columns)
    element = arrays.getitem(engine, column, index)
    if isinstance(item, Chars):
        return _text_at(engine, item, element, columns, index)
    if isinstance(item, Pick):
        which = arrays.python_scalar(element, int)
        return choices.one_of_these(shadows.one_of(which.value, len(item.values)), item.values)
    if isinstance(item, Several):
        return _one_of(engine, item, columns, index, element, parent)
    if isinstance(item, Block):
        if isinstance(element, Ref):
            element = arrays.read(engine, element)
        sizes = [
            arrays.python_scalar(arrays.getitem(engine, next(columns), index), int)
            for _ in item.axes
        ]
        home = rows.taken_from(engine, parent, column, index)
        return arrays.fresh(engine, _sized(item, element, sizes), read_only=KEPT, home=home)
    if isinstance(item, Handle) and not item.tagged:
        return instances.at_row(engine, item.classes[0], element)
    if isinstance(item, Handle):
        row = arrays.getitem(engine, next(columns), index)
        return instances.of_one_class(engine, item.classes, element, row)
    weak = item.type.weak
    found_ = arrays.python_scalar(element, PYTHON_TYPES[item.type.dtype]) if weak else element
    if not item.choices:
        return found_
    which = arrays.python_scalar(arrays.getitem(engine, next(columns), index), int)
    selector = Scalar(which.value, extent.IntFact(0, len(item.choices) - 1))
    exact = None
    if item.exact:
        exact = arrays.python_scalar(arrays.getitem(engine, next(columns), index), int)
    return kinds.with_kinds(found_, Kinds(item.choices, selector, (), exact))


def _sized(item: Block, array: Array, sizes: Sequence[Scalar]) -> Array:
    """An array of these sizes, where they differ."""
    if not sizes:
        return array
    extents: list[Scalar | None] = [None] * array.ndim
    for axis, size in zip(item.axes, sizes, strict=True):
        extents[axis] = Scalar(size.value, extent.IntFact(0, item.shape[axis]))
    return Array(array.value, tuple(extents))


def _one_of(
    engine: Engine,
    item: Several,
    columns: Iterator[Ref],
    index: Any,
    which: Any,
    parent: Ref | None,
) -> Variant:
    """The item at `index`, which is one of several."""
    parts = [read_item(engine, inner, columns, index, parent) for inner in item.items]
    if len(parts) == 1:
        return parts[0]
    if item.optional:
        return optional(parts[1], arrays.python_scalar(which, bool))
    tag = shadows.one_of(arrays.python_scalar(which, int).value, len(parts))
    names = " or ".join(map(describe, parts))
    return Variant(
        "mixed", tag, tuple(parts), Conflict(f"this may be {names}", demand="case_split")
    )


def _text_at(engine: Engine, item: Chars, first: Any, columns: Iterator[Ref], index: Any) -> Any:
    """The text at `index`, of which `first` is what the first column has."""
    if item.fixed:
        return string(arrays.read(engine, first))
    row = arrays.read(engine, arrays.getitem(engine, next(columns), index))
    size = arrays.python_scalar(first, int)
    bounded = Scalar(size.value, extent.IntFact(0, item.capacity))
    return string(Array(row.value, (bounded,)))


def read_parts(
    engine: Engine,
    item: Row,
    columns: Iterator[Ref],
    index: Any,
    parent: Ref | None,
    path: tuple[int, ...],
) -> tuple[Any, ...]:
    """What is in a tuple, or a list of unlike items, at `index`."""
    inside = enumerate(item.items)
    return tuple([read_item(engine, x, columns, index, parent, (*path, i)) for i, x in inside])


def _row_at(engine: Engine, index: Any, parent: Ref, path: tuple[int, ...]) -> Ref:
    """A list that is in the one at `index` of `parent`, or is it."""
    at = positive(engine, index, length(engine, found(engine.heap, parent)))
    return engine.new(RowList(parent, plain(at), path))


def _row(
    engine: Engine, item: Nested, columns: list[Ref], index: Any, parent: Ref | None, path: Any
) -> Any:
    """The list, or tuple, at `index` of a list of such."""
    if parent is not None and item.cls is list:
        return _row_at(engine, index, parent, path)
    shared = any(c.cell in engine.heap.kept for c in columns)
    held = [arrays.fresh(engine, arrays.read(engine, c)) for c in columns]
    elements = [arrays.getitem(engine, c, index) for c in held]
    size = arrays.python_scalar(elements[0], int)
    inner = [arrays.read(engine, e) if isinstance(e, Ref) else e for e in elements[1:]]
    if not inner:
        return Tuple(()) if item.cls is tuple else engine.new(ListCell(()))
    if item.fixed is None:
        bounded = Scalar(size.value, extent.IntFact(0, item.capacity))
        inner = [Array(e.value, extents_of(bounded, e.ndim)) for e in inner]
    made = made_of(engine, [arrays.fresh(engine, e) for e in inner], item.item, item.cls)
    rows.copied(engine.heap, item.item, columns)
    if shared:  # with a list that has this one too
        _keep(engine, made)
    return made


def needs_length(
    engine: Engine, content: GrowingList | None, message: str, hint: str = ""
) -> Exception:
    """What is raised where a list of unknown length will not do: a demand for the length, where
    number arguments decide it."""
    refusal = engine.refuse(message, hint, remedy="unrolled")
    size = None if content is None else size_of(engine.heap, content)
    return (engine.demand((size.value,), refusal) if isinstance(size, Scalar) else None) or refusal


def copied(engine: Engine, content: GrowingList, deep: bool = False, cls: type = list) -> Any:
    """A new list of the same items; `deep`: lists among them are copied too."""
    if not content.columns:
        return Tuple(()) if cls is tuple else engine.new(ListCell(()))
    columns = [arrays.fresh(engine, array) for array in columns_of(engine, content)]
    made = made_like(engine, content, columns, cls)
    return made if deep else guarded(engine, content, made)


def guarded(engine: Engine, content: GrowingList, made: Ref) -> Ref:
    """`made`, a list of items of another one: lists that are in two lists cannot be written, as
    long as somebody has the other."""
    if holds_lists(content.item):
        live = reached(engine)
        if any(column.cell in live for column in content.columns):
            _keep(engine, made, *content.columns)
    return made


def _keep(engine: Engine, made: Ref, *columns: Ref) -> None:
    content: Any = engine.heap.contents[made.cell]
    cells = {column.cell for column in (*columns, *content.columns)}
    engine.heap.kept = engine.heap.kept | cells


def holds_lists(item: Any) -> bool:
    """Whether lists that are written are in an item."""
    if isinstance(item, Row):
        return item.cls is list or any(map(holds_lists, item.items))
    return isinstance(item, Nested) and item.cls is list
