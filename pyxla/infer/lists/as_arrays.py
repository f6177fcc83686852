"""Lists whose length is known at run time only (`infer.lists.growing`), as arrays."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.deciding import Data, parameters
from pyxla.abstract.facts.integers import value_of
from pyxla.abstract.heap import GrowingList
from pyxla.abstract.lattice import Array, Const, NeedsStatic, Ref, Scalar, plain
from pyxla.errors import RefusedPath
from pyxla.infer.arrays import access as arrays
from pyxla.infer.interface import Engine
from pyxla.infer.joins import choices, kinds
from pyxla.infer.lists.columnar import found, size_of
from pyxla.infer.lists.item_joins import AN_INT, INT, far_of
from pyxla.infer.lists.item_types import Block, Handle, Nested, Number, Row, Several
from pyxla.infer.lists.items import count
from pyxla.infer.lists.reading import columns_of, length, needs_length
from pyxla.infer.lists.sites import is_list
from pyxla.infer.raising.sizes import inhomogeneous
from pyxla.lib import manipulation
from pyxla.lib.operands import cast
from pyxla.ops.elementwise import and_, compare, select
from pyxla.ops.filled import broadcast_in_dim, number, spread
from pyxla.ops.index import gather_along
from pyxla.ops.shape import iota, reshape

MIXED = "the dtype of an array of these numbers depends on which of them there are"
OBJECTS = "an array of objects is made: one of these is None", "keep a number in its place"
SAID = "append numbers of one type, float(x), or say the dtype, np.array(items, dtype=float)"


def numbers(engine: Engine, content: GrowingList) -> tuple[Ref, bool] | None:
    """The column of a list of numbers, and whether they are Python's."""
    item = content.item
    if not isinstance(item, Number) or item.choices:
        return None
    column = content.columns[0]
    if content.size is not None:
        column = arrays.fresh(engine, columns_of(engine, content)[0])
    return column, item.type.weak


def numbers_in(engine: Engine, content: GrowingList) -> tuple[Array, bool] | None:
    """The numbers of a list of numbers, or of lists of one length of such, as one array, and
    whether they are Python's."""
    item = content.item
    while isinstance(item, Nested) and item.fixed is not None:
        item = item.item
    if not isinstance(item, Number) or item.choices:
        return None
    return columns_of(engine, content)[-1], item.type.weak


def _as_ints(part: Any, columns: list[Array]) -> tuple[Any, list[Array]]:
    """Members of an IntEnum as the ints that they are."""
    numbers_ = [choices.number_of(Const(pick)) for pick in getattr(part, "values", ())]
    if not columns or not numbers_ or None in numbers_:
        return part, columns
    made = kinds.moved(columns[0].value, [x.value for x in numbers_ if isinstance(x, Const)])
    return AN_INT, [Array(made, columns[0].extents)]


def _not_none(engine: Engine, part: Any, columns: list[Array]) -> tuple[Any, list[Array]]:
    """Numbers that may be None each, where none is: NumPy makes an array of objects else."""
    if not (isinstance(part, Several) and part.optional and isinstance(part.items[1], Number)):
        return part, columns
    there = arrays.fresh(engine, columns[0])
    every = engine.rules.call(engine, Const(np.all), [there], {})
    engine.ensure(engine.rules.truth(engine, every), RefusedPath(*OBJECTS, None), catchable=False)
    return part.items[1], columns[1:]


def _is_flat(part: Any) -> bool:
    """Whether such parts are the elements, or the rows, of an array."""
    return isinstance(part, Number) or (isinstance(part, Block) and not part.axes)


def _dtype(part: Number | Block) -> np.dtype:
    return part.type.dtype if isinstance(part, Number) else part.dtype


def _ensure_dtype(
    engine: Engine, size: Any, parts: Sequence[Any], held: Sequence[Sequence[Array]]
) -> None:
    """The program raises TypeError where a list of ints and floats holds no float, but something:
    the array of it would have another dtype.  held: the columns of each part of an item."""
    wide = np.result_type(*map(_dtype, parts))
    found_: Any = Const(False)
    for part, columns in zip(parts, held, strict=True):
        choices = [kinds.dtype_of(kind) for kind in getattr(part, "choices", ())] or [_dtype(part)]
        if set(choices) == {wide}:
            return
        for i in [i for i, dtype in enumerate(choices) if dtype == wide]:
            which = arrays.fresh(engine, columns[1])
            hits = engine.rules.compare(engine, "eq", which, Const(i))
            some = engine.rules.call(engine, Const(np.any), [hits], {})
            found_ = engine.rules.either(engine, found_, engine.rules.truth(engine, some))
    if any(isinstance(part, Number) and part.choices for part in parts):
        if isinstance(found_, Const):
            raise engine.refuse(MIXED, SAID)
        if not extent.lower(plain(size)):
            none = engine.rules.compare(engine, "eq", size, Const(0))
            found_ = engine.rules.either(engine, found_, none)
        engine.ensure(found_, RefusedPath(MIXED, SAID, None), catchable=False)


def _column(part: Any, columns: Sequence[Array], asked: np.dtype | None) -> Array:
    """The numbers of one part of the items; where ints are asked for, those that a float does not
    hold are read where they are held."""
    if asked is None or asked.kind not in "iu" or not isinstance(part, Number) or not part.exact:
        return columns[0]
    wide, which, exact = [column.value for column in columns]
    held = manipulation.astype(Array(wide), exact.type.dtype).value
    for i, kind in enumerate(part.choices):
        if kinds.dtype_of(kind).kind in "biu":
            here = compare(which, number(i, columns[1].dtype, which.type.shape), direction="EQ")
            held = select(here, exact, held)
    return Array(held, columns[0].extents)


# What takes several arrays, which need not be of one shape.
_OF_SEVERAL = frozenset([np.concatenate, np.hstack, np.vstack, np.column_stack, np.stack, np.block])


def joined(engine: Engine, function: Any, args: Sequence[Any], kwargs: Any) -> Ref | None:
    """What a function that joins arrays makes of a list of such whose sizes data decides, if that
    is what it is given: their elements, one array after the other."""
    content = found(engine.heap, args[0]) if args and function in _OF_SEVERAL else None
    item = None if content is None else content.item
    if not isinstance(item, Block) or not item.axes:
        return None
    if item.axes != (0,) or not _joins_rows(function, len(item.shape), args[1:], kwargs):
        raise needs_length(engine, content, "arrays of several sizes are not joined so here")
    some = engine.rules.compare(engine, "gt", length(engine, content), Const(0))
    verb = "stack" if function is np.stack else "concatenate"
    engine.ensure(some, ValueError(f"need at least one array to {verb}"))
    if function is np.stack:
        alike = ValueError("all input arrays must have the same shape")
        return arrays.fresh(engine, _of_one_size(engine, content, alike))
    return _one_after_the_other(engine, content)


def _joins_rows(function: Any, ndim: int, args: Sequence[Any], kwargs: Any) -> bool:
    """Whether a function joins arrays of `ndim` dimensions along the first of them."""
    options = {**dict(zip(("axis", "out"), args)), **kwargs}
    if function in (np.concatenate, np.stack):
        axis = options.pop("axis", Const(0))
        return not options and isinstance(axis, Const) and axis.value == 0
    return not options and function is (np.hstack if ndim == 1 else np.vstack)


def _one_after_the_other(engine: Engine, content: GrowingList) -> Ref:
    """The elements of arrays along their first dimension."""
    array, sizes = columns_of(engine, content)
    size = plain(length(engine, content))
    (rows, room), rest = array.shape[:2], array.shape[2:]
    places = [iota(dtype=INT, shape=(rows, room), dimension=d) for d in (0, 1)]
    counts = broadcast_in_dim(sizes.value, shape=(rows, room), broadcast_dimensions=(0,))
    inside = compare(places[1], counts, direction="LT")
    last = spread(cast(value_of(size), INT), (rows, room))
    inside = and_(inside, compare(places[0], last, direction="LT"))
    whole = arrays.fresh(engine, Array(reshape(array.value, shape=(rows * room, *rest))))
    mask = arrays.fresh(engine, Array(reshape(inside, shape=(rows * room,))))
    return arrays.getitem(engine, whole, mask)


def _of_one_size(engine: Engine, content: GrowingList, error: Any) -> Array:
    """The array of arrays whose first size data decides; the program raises where these differ."""
    array, sizes = columns_of(engine, content)
    return _cut(array, _one_size(engine, sizes, array.shape[1], error))


def _one_size(engine: Engine, sizes: Array, most: int, error: Any) -> Scalar:
    """What all `sizes` are, 0 of none; the program raises where these differ."""
    own, rules = arrays.fresh(engine, sizes), engine.rules
    size = rules.call(engine, Const(np.max), [own], {"initial": Const(0)})
    alike = rules.call(engine, Const(np.all), [rules.compare(engine, "eq", own, size)], {})
    engine.ensure(rules.truth(engine, alike), error)
    return Scalar(arrays.python_scalar(size, int).value, extent.IntFact(0, most))


def _cut(array: Array, size: Scalar) -> Array:
    """An array of which the second dimension is of this size."""
    extents = list(array.extents or (None,) * array.ndim)
    return Array(array.value, (extents[0], size, *extents[2:]))


def _numbers(engine: Engine, content: GrowingList) -> tuple[Number, list[Array]] | None:
    """The numbers of a list of numbers, or of lists of such, and their columns; the program raises
    where lists differ in length.  None of other items."""
    item, levels = content.item, list[Nested]()
    while isinstance(item, Nested):
        levels.append(item)
        item = item.item
    if not isinstance(item, Number) or any(level.fixed is None for level in levels[1:]):
        return None
    columns = columns_of(engine, content)
    own = list(columns[-count(item) :])
    if levels and levels[0].fixed is None:
        _ask_for_size(engine, content)
        error = inhomogeneous(plain(length(engine, content)))
        size = _one_size(engine, columns[0], own[0].shape[1], error)
        own = [_cut(column, size) for column in own]
    return item, own


def _ask_for_size(engine: Engine, content: GrowingList) -> None:
    """Ask for how many items there are, where numbers among the arguments alone decide it: arrays
    are of known sizes then."""
    size = size_of(engine.heap, content)
    numbers = parameters(size.value, paths=True) if isinstance(size, Scalar) else []
    if numbers and all(v.type.weak and not isinstance(v, Data) for v in numbers):
        raise NeedsStatic(size, "the size of this array")


def _taken(engine: Engine, content: GrowingList) -> GrowingList:
    """A list, of lists that are rows of one pool as of copies of these."""
    classes = content.item.classes if isinstance(content.item, Handle) else ()
    if len(classes) != 1 or not is_list(classes[0]):
        return content
    pool = found(engine.heap, engine.pools[classes[0]])
    if pool is None:
        return content
    (index,) = columns_of(engine, content)
    columns = []
    for column in columns_of(engine, pool):
        taken = gather_along(column.value, index.value, 0)
        extents = (*(index.extents or (None,)), *[None] * (taken.type.ndim - 1))
        columns.append(arrays.fresh(engine, Array(taken, extents)))
    return GrowingList(tuple(columns), pool.item.items[0])


def as_columns(engine: Engine, content: GrowingList, asked: np.dtype | None = None) -> Array:
    """The list as the array that NumPy makes of it; `asked`: the dtype that it is to have."""
    content = _taken(engine, content)
    item = content.item
    columns = columns_of(engine, content)
    if (found_ := _numbers(engine, content)) is not None:
        part, own = found_
        if asked is None:
            _ensure_dtype(engine, length(engine, content), [part], [own])
        return _column(part, own, asked)
    if isinstance(item, Block) and item.axes == (0,):
        error = inhomogeneous(plain(length(engine, content)))
        return _of_one_size(engine, content, error)
    rows = isinstance(item, Row) and item.cls is not str and not far_of(item)
    parts = item.items if rows else (item,)
    given = iter(columns)
    held = [[*itertools.islice(given, count(part))] for part in parts]
    pairs = [_not_none(engine, part, own) for part, own in zip(parts, held, strict=True)]
    pairs = [_as_ints(part, own) for part, own in pairs]
    parts, held = [part for part, _ in pairs], [own for _, own in pairs]
    flat = parts and all(_is_flat(part) for part in parts)
    if not flat or len({own[0].shape for own in held}) > 1:
        what = "a list of such items does not become an array here"
        raise needs_length(engine, content, what)
    if asked is None:
        _ensure_dtype(engine, length(engine, content), parts, held)
    made = [_column(part, own, asked) for part, own in zip(parts, held, strict=True)]
    if not rows:
        return made[0]
    whole = manipulation.stack([Array(c.value) for c in made], axis=1)
    return Array(whole.value, (*(made[0].extents or (None,)), *[None] * (whole.ndim - 1)))
