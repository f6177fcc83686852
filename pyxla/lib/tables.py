"""Dicts whose keys data decides, as Python that is compiled like the user's; sets are in `sets`.

The keys, and the values, are lists of unknown length (`infer.lists.growing`) in the order in which
they were added; a key is looked for in all of them at once (`locate`).  An instance stands for the
dict or set that it derives from; as a result it is made anew (`__pyxla_made__`).

Of a table that may be large, keys that are numbers are in chains by their hashes (Knuth, "The art
of computer programming" 3, 6.4): `heads` says where the chain of a bucket begins, `nexts` where it
goes on.  Both are as long as `names`, and there are as many buckets as the largest power of two
that is not more, so that nothing has room of its own.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

CHAINS = ("heads", "nexts")
NEVER, ONCE = np.uint32(0), np.uint32(1)


def locate(names: list[Any], key: Any) -> int:
    """Where `key` is among `names`, or -1."""
    return names.index(key) if key in names else -1


def located(names: list[Any], key: Any) -> int:
    """Where `key` is among `names`."""
    place = locate(names, key)
    if place < 0:
        raise KeyError(key)
    return place


def put_among(items: dict[Any, Any], names: tuple[Any, ...], key: Any, value: Any) -> None:
    """`items[key] = value` for a key that is one of `names`, which are all there."""
    for name in names:
        if key == name:
            items[name] = value


def chained(table: Any) -> bool:
    """Whether keys are found by their hashes."""
    return hasattr(table, "heads")


def mixed(key: Any) -> int:
    """A hash of a number, or of a tuple of them: equal for equal numbers of all types."""
    if isinstance(key, tuple):
        total = 0
        for part in key:
            total = (total * 1000003 + mixed(part) % 2147483647) % 2147483647
    elif isinstance(key, float):
        whole = abs(key) < 4611686018427387904.0 and key == math.floor(key)
        total = int(key) if whole else _of_fraction(key)
    else:
        total = int(key)
    total = total ^ (total >> 32)
    total = total ^ (total >> 15)
    return total ^ (total >> 7)


def _of_fraction(key: float) -> int:
    if key != key or abs(key) > 1.7976931348623157e308:
        return 0
    mantissa, exponent = math.frexp(key)
    return int(mantissa * 9007199254740992.0) + exponent


def bucket(key: Any, size: int) -> int:
    """That of a key, among those of a table of this size."""
    return mixed(key) & ((1 << (size.bit_length() - 1)) - 1)


def find(table: Any, key: Any) -> int:
    """Where a key is in a table, or -1."""
    return in_chain(table, key) if chained(table) else locate(table.names, key)


def leaving(table: Any, key: Any) -> int:
    """As `find`, of a key that is taken out; tables in which there are chains have none such."""
    unchained(table)
    return find(table, key)


def unchained(table: Any) -> None:
    """Any key of this table may be taken out."""


def lose(table: Any, at: Any) -> None:
    """Take a key out of a dict, or all."""
    if at is None:
        table.names.clear()
    else:
        del table.names[at]


def in_chain(table: Any, key: Any) -> int:
    size = len(table.names)
    if size == 0:
        return -1
    at = table.heads[bucket(key, size)]
    while at >= 0 and table.names[at] != key:
        at = table.nexts[at]
    return at


def put(table: Any, key: Any) -> None:
    """Add a key, which is not there yet."""
    table.names.append(key)
    if chained(table):
        link(table)


def link(table: Any) -> None:
    """Put the key added last in its chain; all keys where there are more buckets now."""
    size = len(table.names)
    table.heads.append(-1)
    table.nexts.append(-1)
    first = size - 1
    if size & (size - 1) == 0:
        first = 0
        for i in range(size):
            table.heads[i] = -1
    for i in range(first, size):
        place = bucket(table.names[i], size)
        table.nexts[i] = table.heads[place]
        table.heads[place] = i


def pairs(names: list[Any], data: list[Any]) -> Any:
    """`(key, value)` of each."""
    return list(zip(names, data, strict=True))


def is_set(x: Any) -> Any:
    """Whether operators of sets take it."""
    return isinstance(x, (set, frozenset, View))


class View(tuple):
    """`keys()` or `items()` of a dict whose keys are constants: a tuple that compares as a set."""

    def __new__(cls, *items: Any) -> View:
        return super().__new__(cls, items)

    def isdisjoint(self, other: Any) -> Any:
        return set(self).isdisjoint(other)

    def __and__(self, other: Any) -> Any:
        return set(self).intersection(other)

    def __or__(self, other: Any) -> Any:
        return set(self).union(other)

    def __sub__(self, other: Any) -> Any:
        return set(self).difference(other)

    def __xor__(self, other: Any) -> Any:
        return set(self).symmetric_difference(other)

    __rand__ = __and__
    __ror__ = __or__
    __rxor__ = __xor__

    def __rsub__(self, other: Any) -> Any:
        return set(other).difference(self)

    def __eq__(self, other: Any) -> Any:
        return is_set(other) and set(self) == set(other)

    def __ne__(self, other: object) -> Any:
        return not self == other

    def __le__(self, other: Any) -> Any:
        return set(self) <= set(other) if is_set(other) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        return set(self) < set(other) if is_set(other) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return set(self) >= set(other) if is_set(other) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return set(self) > set(other) if is_set(other) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


class ByKey(dict):
    """A dict that says of one key at a time whether it is there."""

    def get(self, key: Any, default: Any = None, /) -> Any:
        return self[key] if key in self else default

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: Any, *default: Any) -> Any:
        if default and key not in self:
            return default[0]
        x = self[key]
        del self[key]
        return x


class Record(ByKey):
    """A dict of these keys, all of them text, in a pool of such (`infer.lists.pools`)."""

    __pyxla_keys__: tuple[str, ...] = ()
    __pyxla_type__ = dict


@functools.cache
def record(keys: tuple[str, ...]) -> type[Record]:
    """The class that dicts with these keys are of."""
    return type("dict", (Record,), {"__pyxla_keys__": keys})


def mark(own: Any, *others: Any) -> Any:
    """That of a key which such a dict is given (`infer.lists.record_keys`), by those of others that
    come and go, too: one that is there keeps its place."""
    if own > 0:
        return own
    last = ONCE
    for other in others:
        last = max(last, other)
    return last + ONCE


class Keyed:
    """What dicts and sets share."""

    names: list[Any]
    heads: list[int]
    nexts: list[int]
    __pyxla_sequence__ = "names"
    __pyxla_hidden__: tuple[str, ...] = CHAINS
    __pyxla_structural__: tuple[str, ...] = ("names", *CHAINS)

    def __len__(self) -> int:
        return len(self.names)

    def __bool__(self) -> bool:
        return len(self.names) > 0

    def __contains__(self, key: Any) -> bool:
        return find(self, key) >= 0

    def __ne__(self, other: object) -> Any:
        return not self == other


class Table(Keyed, dict):
    """A dict.  left: how often keys were taken out, which a loop over it is to notice where the
    size is the same again; it wraps, so that nothing checks it."""

    data: list[Any]
    left: np.uint32
    __pyxla_hidden__ = (*CHAINS, "left")

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> dict[Any, Any]:
        return dict(zip(fields["names"], fields["data"], strict=True))

    def __getitem__(self, key: Any) -> Any:
        at = find(self, key)
        if at < 0:
            raise KeyError(key)
        return self.data[at]

    def __setitem__(self, key: Any, x: Any) -> None:
        at = find(self, key)
        if at < 0:
            put(self, key)
            self.data.append(x)
        else:
            self.data[at] = x

    def __delitem__(self, key: Any) -> None:
        at = leaving(self, key)
        if at < 0:
            raise KeyError(key)
        lose(self, at)
        del self.data[at]

    def get(self, key: Any, default: Any = None, /) -> Any:
        at = find(self, key)
        if at < 0:
            return default
        return self.data[at]

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        at = find(self, key)
        if at < 0:
            at = len(self.names)
            put(self, key)
            self.data.append(default)
        return self.data[at]

    def pop(self, key: Any, *default: Any) -> Any:
        at = leaving(self, key)
        if at < 0:
            if len(default) == 0:
                raise KeyError(key)
            return default[0]
        lose(self, at)
        return self.data.pop(at)

    def popitem(self) -> Any:
        if len(self.names) == 0:
            raise KeyError("popitem(): dictionary is empty")
        unchained(self)
        key = self.names[-1]
        lose(self, -1)
        return key, self.data.pop()

    def clear(self) -> None:
        unchained(self)
        lose(self, None)
        self.data.clear()

    def update(self, *other: Any, **named: Any) -> None:
        for each in other:
            fill(self, each.items() if isinstance(each, dict) else each)
        for key, x in named.items():
            self[key] = x

    def copy(self) -> Any:
        return copied(self)

    def __or__(self, other: Any) -> Any:
        return fill(self.copy(), other.items()) if isinstance(other, dict) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        return fill(other.copy(), self.items()) if isinstance(other, dict) else NotImplemented

    def __ior__(self, other: Any) -> Any:  # type: ignore[misc]
        self.update(other)
        return self

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, dict) or len(self) != len(other):
            return False
        for key, x in self.items():
            if key not in other or other[key] != x:
                return False
        return True


def copied(table: Any) -> Any:
    """A dict of the same keys and values."""
    return fill({}, table.items())


def fill(into: Any, items: Any) -> Any:
    """`into` with these `(key, value)`."""
    for key, x in items:
        into[key] = x
    return into


def fill_all(into: Any, keys: Any, x: Any) -> Any:
    """`into` with `x` for each of these keys."""
    for key in keys:
        into[key] = x
    return into
