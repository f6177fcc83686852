"""Lists of unknown length (`infer.lists.growing`) in loops, and where paths meet.

Which lists become one, with what room, and where it is seen to that it is enough.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.deciding import Unbounded, parameters
from pyxla.abstract.heap import (
    Content,
    GrowingList,
    Heap,
    ListCell,
    ObjectCell,
    Room,
    behind,
    reachable,
)
from pyxla.abstract.lattice import Array, NeedsStatic, Ref, Scalar, plain
from pyxla.infer.demands import SHORT
from pyxla.infer.interface import Engine
from pyxla.infer.lists import capacities, growing
from pyxla.infer.lists.columnar import (
    capacity_of,
    common_item,
    found,
    keep,
    length_of,
    resize,
    room_of,
    size_of,
)
from pyxla.infer.lists.columns import front
from pyxla.infer.lists.growing import MOST, capacity_for, ensure_room, is_open, looked_after
from pyxla.infer.lists.item_types import LISTS, Item, Nested
from pyxla.infer.lists.items import leaves
from pyxla.infer.lists.pools import is_container
from pyxla.infer.lists.reading import class_of, holds_lists
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Branch, Phi, Value
from pyxla.views.shadows import shown

# More numbers than this are not set aside for a list in a loop that is in another one.
MOST_INSIDE = 1 << 17
# Where numbers among the arguments say how much room it takes, it is not guessed to be more than
# this, but of what they are at most; nor is that room for more than this, but exact.
MANY_GUESSED, MOST_GUESSED = 1 << 17, 1 << 24
# Passes of a loop that may find that a list needs more room in each iteration than was thought.
TRIES = 3
# Items an iteration: a loop that made a list this much longer than was thought may do so again.
LONG = 16


class Grown(NamedTuple):
    """A list as an iteration brings it back, and the heap that it leads to.

    more: how much more room there is than before.  counted: whether a counter that goes up by one
    ends the loop.  swapped: whether another list is what it was before.  cell: what it was before.
    """

    content: Content
    heap: Heap
    more: int
    counted: bool
    swapped: bool
    cell: int


def grow(
    engine: Engine, head: Any, entry: Any, back: Any, further: Iterable[Sequence[Any]] = ()
) -> dict[Hashable, Grown]:
    """Give the lists that a loop lengthens room where it starts; which they are, by where they were
    made."""
    pairs = {
        (x.cell, y.cell)
        for x, y in [*further, *zip(entry.args, back.args, strict=True)]
        if isinstance(x, Ref) and isinstance(y, Ref)
    }
    cells = entry.heap.contents
    pairs |= {(cell, cell) for cell, content in cells.items() if type(content) in LISTS}
    counted, places = _is_counted(head, back), _places(entry.heap)

    def lists() -> Iterator[tuple[int, Grown]]:
        for first, last in sorted(pairs):
            before, after = entry.heap.contents.get(first), back.heap.contents.get(last)
            if type(before) in LISTS and type(after) in LISTS:
                more = room_of(back.heap, after) - room_of(entry.heap, before)
                swapped = first != last and last in entry.heap.contents
                yield first, Grown(after, back.heap, more, counted, swapped, first)

    return {
        places[cell]: x._replace(heap=behind(x.heap, x.content))
        for cell, x in grow_as(engine, head, entry, lists())
        if not x.swapped
    }


def _places(heap: Heap) -> dict[int, Hashable]:
    """Where lists were made, how they are kept, and which of all that share this each is."""
    lists = [(cell, type(x)) for cell, x in heap.contents.items() if type(x) in LISTS]
    found, many = {}, Counter[Hashable]()
    for cell, kind in sorted(lists, key=lambda pair: pair[0]):
        place = heap.made_at(cell), kind
        found[cell] = *place, many[place]
        many[place] += 1
    return {cell: (*place, many[place[:2]]) for cell, place in found.items()}


def expected(
    engine: Engine, heap: Heap, lists: Mapping[Hashable, Grown]
) -> list[tuple[int, Grown]]:
    """The lists of `heap` that an earlier visit of the loop found to get longer, but for those that
    a loop around looks after."""
    places = _places(heap) if lists else {}
    return [
        (cell, lists[place])
        for cell, place in places.items()
        if place in lists and not _is_looked_after(engine, heap.contents[cell])
    ]


def _is_looked_after(engine: Engine, content: Any) -> bool:
    return type(content) is GrowingList and looked_after(engine, content)


def grow_as(
    engine: Engine, head: Any, entry: Any, lists: Iterable[tuple[int, Grown]]
) -> list[tuple[int, Grown]]:
    """Give lists that come back so room where the loop starts; those that need it."""
    cells = entry.heap.contents
    inner = {
        field.cell
        for content in cells.values()
        if type(content) is ObjectCell and hasattr(content.cls, "__pyxla_sequence__")
        for field in content.fields.values()
        if isinstance(field, Ref)
    }
    inner |= {pool.cell for cls, pool in engine.pools.items() if is_container(cls)}
    return [
        (first, grown)
        for first, grown in lists
        if _grow(engine, head, entry, first, grown, first in inner)
    ]


def _grow(engine: Engine, head: Any, entry: Any, first: int, back: Grown, keyed: bool) -> bool:
    before, after = entry.heap.contents[first], back.content
    if type(before) not in LISTS or class_of(before) is not class_of(after):
        return False
    room = [room_of(entry.heap, before), room_of(entry.heap, before) + back.more]
    item = uncut = common_item([(entry, before), (back, after)])
    fixed = length_of(entry.heap, before) if type(before) is GrowingList else None
    varies = fixed is not None and length_of(back.heap, after) != fixed
    settled = type(before) is type(after) and room[0] >= room[1] and not varies
    if (
        type(before) is ListCell and engine.demands.arrays
    ):  # else the loop is unrolled, if it can be
        settled = settled and room[0] == room[1]
    if item is None or (settled and (type(before) is ListCell or before.item == item)):
        return False
    trips = _trips(head, entry) if back.counted else None
    opened = _is_open(engine, head)
    few = trips is not None and trips <= SHORT
    few = few and not engine.demands.arrays and not keyed and not opened
    longer = room[1] > room[0] or varies
    longer = longer or (type(before) is ListCell and _is_sized(back.heap, after))
    # Of lists that change places one has, again and again, more room than the other had before.
    swapped = back.swapped and type(after) is not ListCell
    if few and longer and type(before) is ListCell and not swapped:
        return False
    if not room[0] and isinstance(item, Nested) and capacities.is_large(engine, item):
        item = capacities.modest(item, None, engine.row_capacity)
    base = _brought(entry.heap, item, room)
    capacity, watched = max(capacity_for(engine, first), base), "exit" if back.counted else "append"
    step = max(room[1] - base, 1)
    tries = head.visit.tries
    tries[first] = tries.get(first, 0) + 1
    again = tries[first] > 1 and (step > LONG or tries[first] > TRIES)
    # A guess is not multiplied by a trip count, nor a trip count that is one by anything.
    guessed = guesses([before, after])
    known = trips is not None and not back.swapped and not again and guessed[1] <= guessed[0]
    most = MOST_INSIDE if engine.visits else MOST
    count = trips or 0
    needed = max(base + count * (room[1] - base), room[0] + count * step)
    if known and needed <= most // _numbers(item):
        several = opened and step > 1
        capacity, watched = (max(capacity, room[0] + count), "exit") if several else (needed, "")
    capacity = capacity if longer else room[0]
    _ask_for_sizes(head, back, uncut, capacity)
    entry.heap = entry.heap.copy()
    with building(Builder(entry.block.instrs, entry.loc)):
        made = keep(entry.heap, Ref(first), item, capacity, longer)
    if longer:
        outer = before.room if type(before) is GrowingList else None
        outer = outer.outer if outer is not None and outer.visit is head.visit else outer
        more = capacity - room[0] if watched or opened else 0
        own = Room(head.visit, watched, step, outer, trips=count)
        made = replace(made, room=own, guessed=guessed[0] + more)
    entry.heap.contents[first] = made
    return True


def _ask_for_sizes(head: Any, back: Grown, item: Item, capacity: int) -> None:
    """Ask for the numbers that decide how long lists in lists are, where the room for so many items
    would be large: guesses of each were multiplied by each other.  What they are at most comes
    first."""
    room = capacity * _numbers(item)
    if room <= MANY_GUESSED:
        return
    end = [head.test.test[2]] if _counter(head) is not None else []
    asked = _unbounded(back.heap, end) if holds_lists(item) else []
    most = bool(asked)
    if not asked and room > MOST_GUESSED:
        held = [back.heap.contents[cell] for cell in sorted(reachable(back.heap, [back.content]))]
        values = [x.value for x in (*end, *held) if isinstance(x, Scalar | Array)]
        asked = [v for v in parameters(*values, paths=True) if not v.type.ndim]
    if asked:
        need = NeedsStatic(Scalar(asked[0]), "the number of items of these lists")
        need.also, need.most = list(map(Scalar, asked[1:])), most
        raise need


def _unbounded(heap: Heap, ends: Iterable[Any]) -> list[Value]:
    """The numbers among the arguments that alone decide where a loop ends, or the one that made a
    list whose room is a guess, where it is not known what they are at most."""
    found: list[Value] = []
    for x in ends:
        terms = [v for v, _ in extent.fact(plain(x)).terms or ()]
        found += terms if all(isinstance(v, Unbounded) for v in terms) else []
    with building(Builder([], None)):
        lists = [x for x in heap.contents.values() if type(x) is GrowingList and x.guessed]
        sizes = [x.value.owner for x in (size_of(heap, x) for x in lists) if isinstance(x, Scalar)]
    tests = [phi.block.terminator for phi in sizes if isinstance(phi, Phi)]
    found += parameters(*[test.cond for test in tests if isinstance(test, Branch)])
    return [v for v in dict.fromkeys(found) if isinstance(v, Unbounded)]


def confine(engine: Engine, entry: Any, back: Any, pairs: Iterable[Sequence[Any]]) -> None:
    """Keep lists that come back within the room that they had, where that is this loop's guess: one
    that is made of itself would need more in each pass."""
    befores = entry.heap.contents
    refs = [(x, y) for x, y in pairs if isinstance(x, Ref) and isinstance(y, Ref)]
    guessed = [(befores.get(x.cell), y) for x, y in refs]
    guessed = [(x, y) for x, y in guessed if _room(x, engine.visits[-1]) and x.guessed]
    if not guessed:
        return
    engine.enter(back)
    for before, y in guessed:
        after, room = engine.heap.contents.get(y.cell), capacity_of(entry.heap, before)
        if type(after) is GrowingList and capacity_of(engine.heap, after) > room:
            growing.cut(engine, after, room)
            engine.heap.contents[y.cell] = replace(after, guessed=before.guessed)
    back.block = engine.block


def guesses(contents: Iterable[Any]) -> list[int]:
    """For how many items of each list there is room that is a guess."""
    return [c.guessed if type(c) is GrowingList else 0 for c in contents]


def _brought(heap: Heap, item: Item, room: Sequence[int]) -> int:
    """The room of a list where a loop starts, or that of another one which it may have become: an
    iteration made it longer by what is beyond."""
    lists = [x for x in heap.contents.values() if type(x) is GrowingList and x.item == item]
    return max([room[0], *[size for x in lists if (size := room_of(heap, x)) <= room[1]]])


def _is_open(engine: Engine, head: Any) -> bool:
    """Whether data decides how often a loop with a counter is gone through."""
    test = getattr(head.test, "test", None)
    return test is not None and is_open(engine, test[2])


def _is_sized(heap: Heap, content: Any) -> bool:
    """Whether the length of a list is known at run time only."""
    return type(content) is GrowingList and not isinstance(size_of(heap, content), int)


def _numbers(item: Item) -> int:
    """How many numbers an item has."""
    return max(sum([math.prod(shape) for _, shape in leaves(item)]), 1)


def _counter(head: Any) -> int | None:
    """Which name it is that must be less than something for a loop to go on."""
    test = getattr(head.test, "test", None)
    if test is None or test[0] != "LT" or not isinstance(test[1], Scalar):
        return None
    places = [
        k for k, x in enumerate(head.args) if isinstance(x, Scalar) and x.value is test[1].value
    ]
    return places[0] if places else None


def _is_counted(head: Any, back: Any) -> bool:
    """Whether a counter that goes up by one ends the loop."""
    k = _counter(head)
    after = None if k is None else back.args[k]
    return isinstance(after, (Scalar, int)) and extent.difference(after, head.args[k]) == 1


def _trips(head: Any, entry: Any) -> int | None:
    """How often a loop that its counter ends is gone through at most."""
    k = _counter(head)
    if k is None:
        return None
    low, high = extent.lower(plain(entry.args[k])), extent.upper(plain(head.test.test[2]))
    return None if low is None or high is None else max(high - low, 0)


def doubtful(head: Any, entry: Any, back: Any) -> dict[int, int | str]:
    """Lists of which an iteration may append more than room was made for, with the slack that they
    need, or where they are to be looked after: "exit" if how much is not known, "append" if there
    may be more iterations than it was made for, as a list is longer than was known of
    `while i < len(queue)` before anything was appended: what is read beyond might not end it."""
    trips = _trips(head, entry) if _is_counted(head, back) else None
    grown = [x for x in head.heap.contents.values() if type(x) is GrowingList]
    known = {column.cell for x in grown for column in x.columns}
    moved = any(column not in known for column, _ in head.visit.peaks)
    origins = {new: key for key, new in head.join.cells.items()}
    cells: dict[int, int | str] = {}
    for cell, came in head.pairs:
        room = _room(head.heap.contents.get(cell), head.visit)
        if room is None or room.watched:
            continue
        first, last = found(head.heap, Ref(cell)), found(back.heap, Ref(came))
        need: int | str | None = None
        if trips is None or trips > room.trips:
            need = "append"
        elif first and last and _within_step(head, back, first, last, room.step):
            need = _slack(head, first, room.step, moved)
        if isinstance(need, int) and need <= room.slack:
            continue
        for origin in origins.get(cell, (cell,)):
            if _room(entry.heap.contents.get(origin), head.visit) is not None:
                found_ = cells.get(origin, 0), "exit" if need is None else need
                cells[origin] = max(found_, key=_urgency)
    return cells


def _urgency(need: int | str) -> tuple[bool, bool, int]:
    return need == "append", need == "exit", need if isinstance(need, int) else 0


def _slack(head: Any, first: Any, step: int, moved: bool) -> int | None:
    """How much longer than at the end of an iteration a list is in it, at most."""
    if moved:
        return None
    size, own = size_of(head.heap, first), first.columns[0].cell
    gaps = [extent.distance(x, size)[1] for column, x in head.visit.peaks if column == own]
    known = [gap for gap in gaps if gap is not None]
    return max([0, *[gap - step for gap in known]]) if len(known) == len(gaps) else None


def _room(content: Any, visit: Any) -> Room | None:
    """What this visit of a loop made for a list."""
    if type(content) is not GrowingList or content.room is None or content.room.visit is not visit:
        return None
    return content.room


def watch(engine: Engine, entry: Any, cells: Mapping[int, int | str]) -> None:
    """Give these lists of a loop slack, or look after them."""
    entry.heap = entry.heap.copy()
    for cell, need in cells.items():
        content = entry.heap.contents[cell]
        capacity = capacity_for(engine, cell)
        if isinstance(need, str) or need > capacity:
            content = replace(content, guessed=max(content.guessed, capacity))
            room = replace(content.room, watched=need if isinstance(need, str) else "exit")
        else:
            capacity = capacity_of(entry.heap, content) + need - content.room.slack
            room = replace(content.room, slack=need)
        entry.heap.contents[cell] = content = replace(content, room=room)
        if capacity_of(entry.heap, content) < capacity:
            with building(Builder(entry.block.instrs, entry.loc)):
                resize(entry.heap, content, capacity)


def _within_step(head: Any, back: Any, first: Any, last: Any, step: int) -> bool:
    gap = extent.distance(size_of(back.heap, last), size_of(head.heap, first))[1]
    return gap is not None and gap <= step


def watch_exits(engine: Engine, edges: Iterable[Any], visit: Any) -> None:
    """After a loop, raise where a list outgrew the room that was made for it there."""
    for edge in edges:
        for cell, content in list(edge.heap.contents.items()):
            room = _room(content, visit)
            if room is None:
                continue
            if room.watched == "exit":
                engine.enter(edge)
                ensure_room(engine, content)
                edge.block = engine.block
            edge.heap = edge.heap.copy()
            edge.heap.contents[cell] = replace(content, room=room.outer)


def settle(head: Any, entry: Any, back: Any, edges: Iterable[Any]) -> None:
    """Lengths are known on the `edges` behind a loop whose trip count is known, if each iteration
    makes a list as much longer."""
    trips = _all_trips(head, entry, back)
    if trips is None:
        return
    lengths = dict(_lengths(head, entry, back, trips))
    for edge in edges if lengths else ():
        edge.heap = edge.heap.copy()
        with building(Builder(edge.block.instrs, edge.loc)):
            for cell, length in lengths.items():
                for column in edge.heap.contents[cell].columns:
                    array = shown(edge.heap, column)
                    edge.heap.contents[column.cell] = Array(front(array.value, length))


def _lengths(head: Any, entry: Any, back: Any, trips: int) -> Iterable[tuple[int, int]]:
    """The lists whose lengths are known behind the loop."""
    origins = {new: key for key, new in head.join.cells.items()}
    for cell, came in head.pairs:
        lists = head.heap.contents.get(cell), back.heap.contents.get(came)
        if not all(type(x) is GrowingList and x.columns for x in lists):
            continue
        before = {
            _known(size_of(entry.heap, entry.heap.contents[origin]))
            for origin in origins.get(cell, (cell,))
            if type(entry.heap.contents.get(origin)) is GrowingList
        }
        sizes = [size_of(state.heap, x) for state, x in zip((head, back), lists, strict=True)]
        low, high = extent.distance(sizes[1], sizes[0])
        if len(before) == 1 and None not in before and low == high and low is not None:
            length = before.pop() + low * trips
            if length >= 0:  # else the loop ends otherwise, for certain
                yield cell, length


def _known(x: Any) -> int | None:
    """An int that is known, or proven to be of one value."""
    fact = extent.fact(plain(x))
    return fact.lo if fact.lo == fact.hi else None


def _all_trips(head: Any, entry: Any, back: Any) -> int | None:
    """How many iterations a loop has that ends by its counter, where that is known."""
    trips = _trips(head, entry) if _is_counted(head, back) else None
    if trips is None:
        return None
    bounds = [head.test.test[2]]
    bounds += [
        first
        for x, first in zip(head.args, entry.args, strict=True)
        if isinstance(x, Scalar) and x.value is head.test.test[1].value
    ]
    return None if None in map(_known, bounds) else trips
