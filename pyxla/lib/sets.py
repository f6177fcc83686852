"""Sets whose items data decides, as Python that is compiled like the user's: tables without values.

Where their order is looked at, it is CPython's (Objects/setobject.c): of items that were only
added, one by one, it is found from that (`in_order`); where else something was done to a set, all
is done as CPython does it from the start, in another attempt (`Demands.ordered`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pyxla.lib.tables import CHAINS, Keyed, find, is_set, leaving, put, unchained

# What is known of the order of a set's items (`Reading`), and what there is where it is followed.
ADDED, LISTED, KEPT, LOST = "added", "listed", "kept", "lost"
NO_PLACE = -1
FOLLOWED = ("places", "gaps", "mask", "finger")


class Reading(Keyed):
    """What sets and frozensets share, as Objects/setobject.c has it.

    order: what is known of CPython's order of the items.  ADDED: they were only added, one by one;
    LISTED: they are in it, as they were only popped since; KEPT: as `places` says; else LOST.

    Where the order of sets is followed (`Demands.ordered`), `places` says where each item is in
    CPython's table, of which `mask` is the last place, `gaps` where items were taken out, and
    `finger` where `pop` looks first.
    """

    order: str
    places: list[int]
    gaps: list[int]
    mask: int
    finger: int
    __pyxla_structural__ = (*Keyed.__pyxla_structural__, "order", *FOLLOWED)
    __pyxla_hidden__: tuple[str, ...] = (*CHAINS, *FOLLOWED)

    def issubset(self, other: Any) -> Any:
        return self <= gather(empty(), other)

    def issuperset(self, other: Any) -> Any:
        return gather(empty(), other) <= self

    def isdisjoint(self, other: Any) -> Any:
        return len(shared(self, gather(empty(), other))) == 0

    def union(self, *others: Any) -> Any:
        out = gather(empty(), self)
        for other in others:
            if other is not self:
                gather(out, other)
        return like(self, out)

    def intersection(self, *others: Any) -> Any:
        return like(self, shared_by_all(self, others))

    def difference(self, *others: Any) -> Any:
        if len(others) == 0:
            return like(self, gather(empty(), self))
        out = without(self, others[0])
        for other in others[1:]:
            drop(out, other)
        return like(self, out)

    def symmetric_difference(self, other: Any) -> Any:
        return like(self, differing(self, other))

    def __or__(self, other: Any) -> Any:
        return self.union(other) if is_set(other) else NotImplemented

    def __and__(self, other: Any) -> Any:
        return like(self, shared(self, other)) if is_set(other) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return like(self, without(self, other)) if is_set(other) else NotImplemented

    def __xor__(self, other: Any) -> Any:
        return like(self, differing(self, other)) if is_set(other) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        return (
            like(other, gather(gather(empty(), other), self)) if is_set(other) else NotImplemented
        )

    def __rand__(self, other: Any) -> Any:
        return like(other, shared(tabled(other), self)) if is_set(other) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return like(other, without(tabled(other), self)) if is_set(other) else NotImplemented

    def __rxor__(self, other: Any) -> Any:
        return like(other, differing(tabled(other), self)) if is_set(other) else NotImplemented

    def __le__(self, other: Any) -> Any:
        return all_in(self, other) if is_set(other) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        return (len(self) < len(other) and self <= other) if is_set(other) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return all_in(other, self) if is_set(other) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return (len(self) > len(other) and self >= other) if is_set(other) else NotImplemented

    def __eq__(self, other: Any) -> Any:
        if not is_set(other):
            return False
        return len(self) == len(other) and all_in(self, other)

    __hash__ = None  # type: ignore[assignment]


class TableSet(Reading, set):
    """A set."""

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> set[Any]:
        return set(fields["names"])

    def add(self, x: Any) -> None:
        if find(self, x) < 0:
            put(self, x)
            if followed(self):
                occupy(self, place(self, x))
            if self.order == LISTED:
                self.order = LOST

    def pop(self) -> Any:
        if len(self.names) == 0:
            raise KeyError("pop from an empty set")
        unchained(self)
        if followed(self):
            at = first(self.places, self.finger & self.mask)
            self.finger = self.places[at] + 1
            return take(self, at)
        if self.order == ADDED:
            self.names[:] = list(gather(empty(), self.names))
            self.order = LISTED
        elif self.order != LISTED:
            self.names[:] = list(self)  # which is refused: their order is not known
        return self.names.pop(0)

    def discard(self, x: Any) -> None:
        at = leaving(self, x)
        lose(self)
        if at >= 0:
            take(self, at)

    def remove(self, x: Any) -> None:
        at = leaving(self, x)
        lose(self)
        if at < 0:
            raise KeyError(x)
        take(self, at)

    def clear(self) -> None:
        unchained(self)
        self.names.clear()
        if followed(self):
            self.places.clear()
            self.gaps.clear()
            self.mask = 7

    def copy(self) -> Any:
        return gather(empty(), self)

    def update(self, *others: Any) -> None:
        for other in others:
            gather(self, other)

    def intersection_update(self, *others: Any) -> None:
        replace(self, shared_by_all(self, others))

    def difference_update(self, *others: Any) -> None:
        for other in others:
            drop(self, other)

    def symmetric_difference_update(self, other: Any) -> None:
        flip(self, other)

    def __ior__(self, other: Any) -> Any:  # type: ignore[misc]
        return gather(self, other) if is_set(other) else NotImplemented

    def __iand__(self, other: Any) -> Any:  # type: ignore[misc]
        return replace(self, shared(self, other)) if is_set(other) else NotImplemented

    def __isub__(self, other: Any) -> Any:  # type: ignore[misc]
        return drop(self, other) if is_set(other) else NotImplemented

    def __ixor__(self, other: Any) -> Any:  # type: ignore[misc]
        return flip(self, other) if is_set(other) else NotImplemented


class TableFrozenSet(Reading, frozenset):
    """A frozenset."""

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> frozenset[Any]:
        return frozenset(fields["names"])

    def __hash__(self) -> int:  # type: ignore[override]
        total = np.int64(0)
        for key in self.names:
            own = np.int64(hash_of(key))
            total = total ^ ((own ^ 89869747 ^ (own << 16)) * 3644798167)
        total = total ^ (np.int64(len(self.names) + 1) * 1927868237)
        total = total ^ ((total >> 11) & 0x1FFFFFFFFFFFFF) ^ ((total >> 25) & 0x7FFFFFFFFF)
        total = total * 69069 + 907133923
        return 590923713 if total == -1 else int(total)

    def copy(self) -> Any:
        return self


TABLES_OF_SETS = (TableSet, TableFrozenSet)


def like(x: Any, items: set[Any]) -> Any:
    """The set `items` as one of the class of `x`."""
    return frozenset(items) if isinstance(x, frozenset) else items


def empty() -> Any:
    """A new set, whose items data may decide."""
    return fresh(TableSet)


def fresh(cls: Any) -> Any:
    """An empty set outside of a program, which is followed."""
    out = cls.__new__(cls)
    out.names, out.order = [], KEPT
    out.places, out.gaps, out.mask, out.finger = [], [], 7, 0
    return out


def tabled(items: Any) -> Any:
    """A set of constants as one whose items data may decide; anything else as it is."""
    return items


def followed(table: Any) -> Any:
    """Whether it is known where its items are in CPython's table."""
    return hasattr(table, "places")


def moved(table: Any) -> None:
    """Note that items, if they were in order, are not any more."""
    if table.order == LISTED:
        table.order = LOST


def lose(table: Any) -> None:
    """Note that the order of its items is not known."""
    if not isinstance(table, TableSet):
        forget(table)
    elif not followed(table):
        table.order = LOST


def forget(table: Any) -> None:
    """As `lose`, of a set of constants."""


def unordered(items: Any) -> Any:
    """What there is in a set, or anything else, in any order."""
    return items.names if isinstance(items, TABLES_OF_SETS) else items


def sized(items: Any) -> Any:
    """Whether CPython makes room for so many items at once: sets and dicts, but no others that
    derive from these."""
    return isinstance(items, TABLES_OF_SETS) or type(items) in (set, frozenset, dict)


def gather(into: Any, items: Any) -> Any:
    """The set `into` with these items."""
    if isinstance(into, TableSet) and followed(into):
        follow(into, tabled(items))
    else:
        for x in unordered(items):
            into.add(x)
        if isinstance(items, (set, frozenset, dict)) and isinstance(into, TableSet):
            into.order = LOST
    return into


def follow(into: Any, items: Any) -> None:
    """`into.update(items)`, as CPython does it."""
    if isinstance(items, TABLES_OF_SETS):
        merge(into, items)
    else:
        if sized(items):
            reserve(into, len(items))
        for x in items:
            into.add(x)


def merge(into: Any, items: Any) -> None:
    """Add the items of another set, both followed."""
    if into is items or len(items) == 0:
        return
    reserve(into, len(items))
    new = len(into.names) + len(into.gaps) == 0
    same = new and len(items.gaps) == 0 and into.mask == items.mask
    for j in in_places(items):
        x = items.names[j]
        if find(into, x) < 0:
            put(into, x)
            occupy(into, items.places[j] if same else place(into, x))
    if items.order != KEPT:
        into.order = LOST
    moved(into)


def drop(into: Any, items: Any) -> Any:
    """`into.difference_update(items)`."""
    if not followed(into):
        others = items if is_set(items) else gather(empty(), items)
        return replace(into, kept(empty(), into, others, False))
    if into is items:
        into.clear()
        return into
    for x in list(unordered(tabled(items))):
        at = leaving(into, x)
        if at >= 0:
            take(into, at)
    if len(into.gaps) > into.mask // 4:
        grow(into)
    moved(into)
    return into


def without(items: Any, others: Any) -> Any:
    """The set of the items that are not among `others`."""
    out = empty()
    if not followed(out):
        return kept(out, items, others if is_set(others) else gather(empty(), others), False)
    if not sized(others) or len(items) // 4 > len(others):
        drop(gather(out, items), others)
    else:
        kept(out, items, others, False)
    return out


def shared(items: Any, others: Any) -> Any:
    """The set of the items that are among `others` too."""
    out = empty()
    if not followed(out):
        return kept(out, items, others if is_set(others) else gather(empty(), others), True)
    if others is items:
        return gather(out, items)
    if isinstance(others, (set, frozenset)) and len(others) > len(items):
        return kept(out, items, others, True)
    return kept(out, tabled(others), items, True)


def differing(items: Any, others: Any) -> Any:
    """The set of what is among one of these, not both."""
    out = empty()
    if followed(out):
        return flip(gather(out, others), items)
    others = others if is_set(others) else gather(empty(), others)
    return gather(kept(out, items, others, False), kept(empty(), others, items, False))


def shared_by_all(items: Any, others: tuple[Any, ...]) -> Any:
    """The set of the items that are among all of `others` too."""
    if len(others) == 0:
        return gather(empty(), items)
    out = shared(items, others[0])
    for other in others[1:]:
        out = shared(out, other)
    return out


def flip(into: Any, items: Any) -> Any:
    """`into.symmetric_difference_update(items)`."""
    items = tabled(items) if is_set(items) or sized(items) else gather(empty(), items)
    if into is items:
        into.clear()
    elif not followed(into):
        new = kept(empty(), items, into, False)
        drop(into, items)
        gather(into, new)
    else:
        for x in listed(into, items):
            at = leaving(into, x)
            if at >= 0:
                take(into, at)
            else:
                into.add(x)
    return into


def listed(into: Any, items: Any) -> Any:
    """The items of a set as CPython has them, of which those of `into` depend; of anything else as
    they are."""
    if not isinstance(items, TABLES_OF_SETS):
        return items
    if items.order != KEPT:
        into.order = LOST
    return items_in_places(items)


def items_in_places(table: Any) -> Any:
    """The items in CPython's order."""
    return [table.names[j] for j in in_places(table)]


def kept(out: Any, items: Any, others: Any, wanted: bool) -> Any:
    """`out` with those items that are (or, not `wanted`, are not) among `others`."""
    for x in listed(out, items) if followed(out) else unordered(items):
        if (x in others) == wanted:
            out.add(x)
    lose(out)
    return out


def all_in(items: Any, others: Any) -> Any:
    """Whether all items are among `others`."""
    for x in unordered(tabled(items)):
        if x not in others:
            return False
    return True


def replace(into: Any, items: Any) -> Any:
    """The set `into` with these items instead."""
    into.clear()
    if not followed(into):
        return gather(into, items)
    for x in items.names:
        put(into, x)
    into.places.extend(items.places)
    into.gaps.extend(items.gaps)
    into.mask = items.mask
    into.order = items.order
    return into


def take(table: Any, at: int) -> Any:
    """Take an item out of a set."""
    if followed(table):
        table.gaps.append(table.places.pop(at))
    return table.names.pop(at)


def in_places(table: Any) -> Any:
    """The positions of the items in `names`, in CPython's order."""
    return np.argsort(np.array(table.places, int), kind="stable")


def first(places: list[int], least: int) -> int:
    """Where the first place is from this one on, or before it, where there is none."""
    at = 0
    for j in range(1, len(places)):
        if (places[j] < least, places[j]) < (places[at] < least, places[at]):
            at = j
    return at


def place(table: Any, key: Any) -> int:
    """The place of a new item: of one whose hash differs from process to process, NO_PLACE."""
    return free(table.places, table.gaps, table.mask, hash_of(key))


def free(places: list[int], gaps: list[int], mask: int, key: int) -> int:
    """The place of a new item of this hash, where these are not free: ten in a row are looked at,
    then a jump is made that the hash decides.  The last gap on the way is filled."""
    rest = key
    start = True
    i = key & mask
    found = gap = -1
    while found < 0:
        for p in range(10 if i + 9 <= mask else 1):
            if found < 0 and i + p not in places:
                if i + p in gaps:
                    gap = i + p
                else:
                    found = i + p
        rest = (rest >> 5) & 0x07FFFFFFFFFFFFFF if start else rest >> 5
        start = False
        i = (5 * i + 1 + rest) & mask
    return found if gap < 0 else gap


def occupy(table: Any, at: int) -> None:
    """Give the item that was added last this place, and the table more where it is too full."""
    table.places.append(at)
    if at in table.gaps:
        table.gaps.remove(at)
    elif 5 * (len(table.places) + len(table.gaps)) >= 3 * table.mask:
        grow(table)


def grow(table: Any) -> None:
    used = len(table.places)
    resize(table, used * 2 if used > 50000 else used * 4)


def reserve(table: Any, more: int) -> None:
    """Make room for so many items more, at once."""
    if 5 * (len(table.places) + len(table.gaps) + more) >= 3 * table.mask:
        resize(table, (len(table.places) + more) * 2)


def resize(table: Any, least: int) -> None:
    """Put the items in a table of more places than `least`, without gaps."""
    size = 8
    while size <= least:
        size = 2 * size
    if size > 8 or table.mask > 7 or len(table.gaps) > 0:
        order = in_places(table)
        table.mask = size - 1
        table.gaps.clear()
        for j in order:
            table.places[j] = -1
        for j in order:
            table.places[j] = place(table, table.names[j])


def room(names: list[Any]) -> int:
    """For how many items there is room."""
    return len(names)


def in_order(names: list[Any]) -> list[Any]:
    """The items of a set to which these were added one by one, as CPython's table has them: open
    addressing, ten places in a row, then a jump that the hash decides (Objects/setobject.c)."""
    table = np.full(8 * room(names) + 8, -1)
    mask = 7
    for j in range(len(names)):
        table[_free(table, mask, hash_of(names[j]))] = j
        if 5 * (j + 1) >= 3 * mask:
            size = 8
            while size <= (j + 1) * (2 if j + 1 > 50000 else 4):
                size = 2 * size
            wider = np.full(8 * room(names) + 8, -1)
            for i in range(mask + 1):
                if table[i] >= 0:
                    wider[_free(wider, size - 1, hash_of(names[int(table[i])]))] = table[i]
            table = wider
            mask = size - 1
    out = []
    for i in range(mask + 1):
        if table[i] >= 0:
            out.append(names[int(table[i])])
    return out


def _free(table: Any, mask: int, key: int) -> int:
    """The place of a new item of this hash."""
    rest = key
    first = True
    i = key & mask
    found = -1
    while found < 0:
        for p in range(10 if i + 9 <= mask else 1):
            if found < 0 and table[i + p] < 0:
                found = i + p
        rest = (rest >> 5) & 0x07FFFFFFFFFFFFFF if first else rest >> 5
        first = False
        i = (5 * i + 1 + rest) & mask
    return found


def hash_of(key: Any) -> int:
    """`hash(key)`, where it is the same in every process."""
    return hash(key)


def as_hash(value: int) -> int:
    """The hash for which `__hash__` gave this."""
    return -2 if value == -1 else int(value)


def hash_computed(key: Any) -> int:
    """`hash(key)` of a number or a tuple (xxHash, as in Objects/tupleobject.c)."""
    if isinstance(key, tuple):
        total = np.int64(2870177450012600261)
        for part in key:
            total = total + np.int64(hash_of(part)) * -4417276706812531889
            total = ((total << 31) | ((total >> 33) & 0x7FFFFFFF)) * -7046029288634856825
        total = total + (len(key) ^ 2870177450012600261 ^ 3527539)
        return 1546275796 if total == -1 else int(total)
    if isinstance(key, float):
        return _of_float(key)
    return reduced(int(key))


def reduced(value: int) -> int:
    """The hash of an int."""
    rest = value % 2305843009213693951 if value >= 0 else -(-value % 2305843009213693951)
    return -2 if rest == -1 else rest


def _of_float(x: float) -> int:
    """The hash of a float, as in Python/pyhash.c: what is equal to an int has that one's."""
    if abs(x) > 1.7976931348623157e308:
        return 314159 if x > 0 else -314159
    if x != x:
        return 0
    rest, exponent = math.frexp(abs(x))
    total = 0
    while rest > 0:
        total = ((total << 28) & 2305843009213693951) | (total >> 33)
        rest = rest * 268435456.0
        exponent -= 28
        whole = int(rest)
        rest -= whole
        total += whole
        if total >= 2305843009213693951:
            total -= 2305843009213693951
    shift = exponent % 61
    total = ((total << shift) & 2305843009213693951) | (total >> (61 - shift))
    return total if x > 0 else -2 if total == 1 else -total
