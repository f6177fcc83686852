"""Looking for items of a list whose length is known at run time only: `in`, `index`, `count`.

Where columns tell, all items are compared at once; else Python that is visited looks at one after
the other (`pyxla.lib.sequences`).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.integers import value_of
from pyxla.abstract.heap import GrowingList
from pyxla.abstract.lattice import (
    Array,
    Compound,
    Const,
    Scalar,
    Tuple,
    is_number,
    is_variant,
    taken_apart,
)
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call
from pyxla.infer.engine import Engine
from pyxla.infer.joins import choices, far, kinds
from pyxla.infer.lists import columnar, reading
from pyxla.infer.lists.columnar import found, size_of
from pyxla.infer.lists.columns import INT, hold_all, places, spread
from pyxla.infer.lists.item_joins import (
    BOOL,
    alternatives,
    far_of,
    is_value,
    joined_item,
    of_any_length,
    picks_of,
)
from pyxla.infer.lists.item_types import (
    Chars,
    Item,
    Nested,
    Number,
    Row,
    Same,
    Several,
    compares_itself,
    has_own_order,
)
from pyxla.infer.lists.items import (
    count,
    holds_instances,
    holds_methods,
    holds_tuples,
    item_of,
)
from pyxla.infer.lists.laying import padded, retyped, values
from pyxla.infer.lists.reading import columns_of
from pyxla.infer.text import codes as texts
from pyxla.infer.text.strings import codes_of
from pyxla.ir.core import Value
from pyxla.lib import sequences, strings
from pyxla.lib.operands import cast
from pyxla.ops.elementwise import and_, compare, or_, select, subtract
from pyxla.ops.shape import constant
from pyxla.views.shadows import position


def matches(engine: Engine, content: GrowingList, x: Any) -> Value | None:
    """Which items equal `x`, of all there is room for; None where none can."""
    if content.item is None:
        return None
    columns = columns_of(engine, content)
    first = columns[0]
    hits = _equal(engine, content.item, columns, x)
    if hits is False or not first.shape[0]:  # what an unrolled iteration made has no room yet
        return None
    size = size_of(engine.heap, content)
    inside = compare(places(first.value), spread(_int(size), first.value), direction="LT")
    return _both(inside, hits)


def _int(size: Any) -> Value:
    return cast(value_of(size), INT)


def _equal_numbers(engine: Engine, column: Array, x: Any) -> Any:
    held = arrays.fresh(engine, Array(column.value))
    return arrays.read(engine, engine.rules.compare(engine, "eq", held, x)).value


def _equal(engine: Engine, item: Item, columns: Sequence[Array], x: Any) -> Any:
    """Which elements of the columns of an item equal `x`; a bool where all do, or none."""
    if is_variant(x, "mixed") or is_variant(x, "optional"):
        tag = position(x.tag) if x.kind == "optional" else x.tag
        hits = [_equal(engine, item, columns, part) for part in x.items]
        return functools.reduce(_either, [_at_place(tag.value, *h) for h in enumerate(hits)])
    if isinstance(item, Several):
        return _equal_one_of(engine, item, columns, x)
    if far.is_dynamic(x) or far_of(item):
        return _equal_far(engine, item, columns, x)
    if isinstance(item, Number):
        return _equal_number(engine, item, columns, x)
    if (picks := picks_of(item)) is not None:
        return _equal_pick(engine, picks, columns, x)
    if isinstance(item, Same):
        return isinstance(x, Const) and x.value == item.value
    if isinstance(item, Chars):
        sizes = None if item.fixed else columns[0].value
        return texts.is_texts(x) and strings.equal_rows(
            sizes, columns[-1].value, codes_of(engine, x)
        )
    if isinstance(item, Row) and item.cls not in (range, str) and not has_own_order(item.cls):
        return _equal_rows(engine, item, columns, x)
    if isinstance(item, Nested):
        return _equal_tuples(engine, item, columns, x)
    arrays.need_characters(engine, x)
    message = "items of this kind are not looked for in a list of unknown length"
    raise engine.refuse(message, remedy="unrolled")


def _equal_far(engine: Engine, item: Item, columns: Sequence[Array], x: Any) -> Any:
    """As `_equal`, where one is an int of more than 64 bits."""
    if not is_number(x) and not far.is_dynamic(x):
        return False
    if far.units(x) is None or far_of(item) is None or far_of(item) != far.apart(x).meta:
        raise engine.refuse("an int of more than 64 bits is not looked for among such items")
    if isinstance(item, Row):
        return _equal(engine, item.items[0], columns, far.rest(x))
    return engine.rules.compare(engine, "eq", Const(item.value), x).value


def _equal_number(engine: Engine, item: Number, columns: Sequence[Array], x: Any) -> Any:
    x = x if (number := choices.number_of(x, "__eq__")) is None else number
    if not is_number(x):
        return False
    hits = _equal_numbers(engine, columns[0], x)
    if not item.exact:
        return hits
    whole = [int(kinds.dtype_of(kind) == np.int64) for kind in item.choices]
    is_whole = cast(kinds.moved(columns[1].value, whole), BOOL)
    return select(is_whole, _equal_numbers(engine, columns[2], x), hits)


def _equal_pick(engine: Engine, picks: Sequence[Any], columns: Sequence[Array], x: Any) -> Any:
    if not columns:  # one that all are
        same = engine.rules.compare(engine, "eq", Const(picks[0]), x)
        return bool(same.value) if isinstance(same, Const) else same.value
    if isinstance(x, Compound) and x.kind == "text":
        return strings.equal_picks(columns[0].value, picks, codes_of(engine, x))
    if not choices.are_alone((*picks, *(choices.values_of(x) or ()))):
        column, same = columns[0].value, engine.rules.compare
        hits = [same(engine, "eq", Const(pick), x).value for pick in picks]
        return functools.reduce(_either, [_at_place(column, *h) for h in enumerate(hits)])
    where = choices.position(x, picks)
    return (choices.is_choice(x) or where.value >= 0) and _equal_numbers(engine, columns[0], where)


def _equal_one_of(engine: Engine, item: Several, columns: Sequence[Array], x: Any) -> Any:
    rest = iter(columns)
    tag = cast(next(rest).value, INT)
    found_: Any = False
    for i, inner in enumerate(alternatives(item)):
        hits = _equal(engine, inner, list(itertools.islice(rest, count(inner))), x)
        found_ = _either(found_, _at_place(tag, i, hits))
    return found_


def _at_place(tag: Value, place: int, hits: Any) -> Any:
    """`hits` where a tag is `place`."""
    if hits is False:
        return False
    at = constant(value=np.full(tag.type.shape, place, tag.type.dtype))
    here = compare(tag, at, direction="EQ")
    return _both(here, hits)


def _both(x: Any, y: Any) -> Any:
    if x is False or y is False:
        return False
    return x if y is True else y if x is True else and_(*_alike(x, y))


def _either(x: Any, y: Any) -> Any:
    if x is True or y is True:
        return True
    return x if y is False else y if x is False else or_(*_alike(x, y))


def _alike(x: Value, y: Value) -> tuple[Value, Value]:
    """Both for each place, where one is."""
    if x.type.ndim != y.type.ndim:
        x, y = [v if v.type.ndim else spread(v, x if x.type.ndim else y) for v in (x, y)]
    return x, y


def _equal_rows(engine: Engine, item: Row, columns: Sequence[Array], x: Any) -> Any:
    x = taken_apart(x)
    if isinstance(item_of(engine.heap, x), Nested) and item.cls is tuple:
        if (wide := of_any_length(item)) == item:
            raise engine.refuse("a tuple of unknown length is not looked for among such tuples")
        made = retyped([column.value for column in columns], item, wide)
        return _equal_tuples(engine, wide, list(map(Array, made)), x)
    if not isinstance(x, Tuple) or len(x.items) != len(item.items):
        return False
    rest = iter(columns)
    found_: Any = True
    for inner, part in zip(item.items, x.items, strict=True):
        own = list(itertools.islice(rest, count(inner)))
        found_ = _both(found_, _equal(engine, inner, own, part))
    return found_


def _equal_tuples(engine: Engine, item: Nested, columns: Sequence[Array], x: Any) -> Any:
    """As `_equal`, of tuples of unknown length whose items are numbers, or tuples of such."""
    own = of_any_length(item_of(engine.heap, x))
    if not isinstance(own, Nested) or own.cls is not item.cls:
        return False
    length, *held = values(engine.heap, own, x)
    sizes, *rows = [column.value for column in columns]
    found_ = compare(sizes, spread(length, sizes), direction="EQ")
    if None in (item.item, own.item) or joined_item(item.item, own.item) is None:
        nothing = spread(constant(value=np.asarray(0, INT)), sizes)
        return and_(found_, compare(sizes, nothing, direction="EQ"))
    for grid, row in zip(rows, held, strict=True):
        if {grid.type.dtype.kind, row.type.dtype.kind} > {"f"}:
            raise engine.refuse("tuples of floats are not looked for among tuples of ints")
        room = max(grid.type.shape[1], row.type.shape[0])
        grid, shown = padded(grid, room, 1), arrays.fresh(engine, Array(padded(row, room)))
        hits = _equal_numbers(engine, Array(grid), shown)
        found_ = and_(found_, hold_all(hits, sizes))
    return found_


NOT_IN_LIST = "list.index(x): x not in list"


def place_of(engine: Engine, content: GrowingList, x: Any, last: bool = False) -> Any:
    """Where the first (or last) item is that equals `x`, -1 where none does."""
    if _in_turn(content.item):
        held = reading.copied(engine, content)
        return call(engine, Const(sequences.position), [held, x, Const(last)], {})
    hits = matches(engine, content, x)
    if hits is None:
        return Const(-1)
    where = places(hits)
    if not last:  # the greatest of the places counted from behind
        back = constant(value=np.asarray(hits.type.shape[0] - 1, INT))
        where = subtract(spread(back, hits), where)
    none = spread(constant(value=np.asarray(-1, INT)), hits)
    best = call(engine, Const(np.max), [arrays.fresh(engine, Array(select(hits, where, none)))], {})
    high = extent.IntFact(-1, hits.type.shape[0] - 1)
    at = Scalar(arrays.python_scalar(engine.operand(best), int).value, high)
    if last:
        return at
    missing = engine.rules.compare(engine, "lt", at, Const(0))
    front = engine.rules.binary(engine, "sub", Const(hits.type.shape[0] - 1), at)
    return Scalar(select(missing.value, at.value, front.value), high)


def _in_turn(item: Item | None) -> bool:
    """Whether items are compared one after the other, not all at once."""
    apart = (holds_instances, holds_methods, holds_tuples, compares_itself)
    return item is not None and (any(test(item) for test in apart) or not is_value(item))


def contains(engine: Engine, content: GrowingList, x: Any) -> Any:
    """`x in list`."""
    last = content.item is None or not holds_instances(content.item)  # which would see it
    return engine.rules.compare(engine, "ge", place_of(engine, content, x, last), Const(0))


def index(engine: Engine, content: GrowingList, x: Any, missing: ValueError) -> Any:
    """`list.index(x)`; `missing` is raised where it is not there."""
    at = place_of(engine, content, x)
    there = engine.rules.compare(engine, "ge", at, Const(0))
    ensure_found(engine, there, x, missing)
    return Scalar(at.value, extent.AT_LEAST_0)


def is_shown(x: Any) -> bool:
    """Whether a message of the program's can name `x`, which no method of the user's shows."""
    if isinstance(x, Tuple):
        return all(map(is_shown, x.items))
    return isinstance(x, Const) or is_number(x) or texts.is_texts(x)


def ensure_found(engine: Engine, there: Any, x: Any, missing: ValueError) -> None:
    """Raise where `x` is not there: what names it if it is a value, else `missing`."""
    if is_shown(x) and missing.args == (NOT_IN_LIST,):
        call(engine, Const(sequences.check_in_list), [there, x], {})
    else:
        engine.ensure(there, missing)


def count_of(engine: Engine, content: GrowingList, x: Any) -> Any:
    """`list.count(x)`."""
    if _in_turn(content.item):
        return call(engine, Const(sequences.times), [reading.copied(engine, content), x], {})
    hits = matches(engine, content, x)
    if hits is None:
        return Const(0)
    total = call(engine, Const(np.count_nonzero), [arrays.fresh(engine, Array(hits))], {})
    return call(engine, Const(int), [total], {})


def place(engine: Engine, names: Any, key: Any) -> Any:
    """`lib.tables.locate`."""
    content = found(engine.heap, names)
    if content is None:
        held = engine.heap.contents[names.cell]
        if not held.items:
            return Const(-1)
        item = columnar.common_item([(engine, held)])
        content = columnar.keep(engine.heap, names, item)
    return place_of(engine, content, key, last=True)
