"""Containers of `collections`, and keys of `functools`, as Python that is compiled like the user's.

An instance in compiled code is one of these classes, each of which derives from the one it stands
for, over a list or a dict; as a result it is made anew (`__pyxla_made__`).  As for lists and dicts,
lengths and keys are known while compiling.
"""

from __future__ import annotations

import collections
import functools
from typing import Any

import numpy as np

from pyxla.lib.poly1d import Poly1d


def actual(cls: type) -> type:
    """The class of Python's that instances of `cls` stand for, or itself."""
    if not cls.__module__.startswith("pyxla.lib."):
        return cls
    return next(base for base in cls.__mro__ if not base.__module__.startswith("pyxla."))


class Deque(collections.deque):
    """`collections.deque` over a list."""

    __pyxla_sequence__ = "items"

    def __init__(self, iterable: Any = (), maxlen: Any = None) -> None:
        self.items: list[Any] = []
        self.limit = maxlen
        self.extend(iterable)

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> collections.deque:
        return collections.deque(fields["items"], fields["limit"])

    @property
    def maxlen(self) -> Any:
        return self.limit

    def append(self, x: Any) -> None:
        self.items.append(x)
        if self.limit is not None and len(self.items) > self.limit:
            self.items.pop(0)

    def appendleft(self, x: Any) -> None:
        self.items.insert(0, x)
        if self.limit is not None and len(self.items) > self.limit:
            self.items.pop()

    def extend(self, iterable: Any) -> None:
        for x in list(self.items) if iterable is self else iterable:
            self.append(x)

    def extendleft(self, iterable: Any) -> None:
        for x in list(self.items) if iterable is self else iterable:
            self.appendleft(x)

    def pop(self) -> Any:  # type: ignore[override]
        if len(self.items) == 0:
            raise IndexError("pop from an empty deque")
        return self.items.pop()

    def popleft(self) -> Any:
        if len(self.items) == 0:
            raise IndexError("pop from an empty deque")
        return self.items.pop(0)

    def rotate(self, n: int = 1) -> None:
        if len(self.items) > 0:
            n = -n % len(self.items)
            self.items = self.items[n:] + self.items[:n]

    def clear(self) -> None:
        self.items = []

    def copy(self) -> Deque:
        return Deque(self.items, self.limit)

    def count(self, x: Any) -> int:
        return self.items.count(x)

    def reverse(self) -> None:
        self.items.reverse()

    def index(self, x: Any, *bounds: Any) -> int:
        if x not in self.items:
            raise ValueError(f"{x!r} is not in deque")
        return self.items.index(x, *bounds)

    def remove(self, x: Any) -> None:
        if x not in self.items:
            raise ValueError(f"{x!r} is not in deque")
        self.items.remove(x)

    def insert(self, at: int, x: Any) -> None:
        if self.limit is not None and len(self.items) >= self.limit:
            raise IndexError("deque already at its maximum size")
        self.items.insert(at, x)

    def __add__(self, other: Any) -> Deque:
        if not isinstance(other, Deque):
            raise TypeError("can only concatenate deque to deque")
        return Deque(self.items + other.items, self.limit)

    def __mul__(self, times: int) -> Deque:
        return Deque(self.items * times, self.limit)

    __rmul__ = __mul__

    def __reversed__(self) -> Any:
        return reversed(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __bool__(self) -> bool:
        return len(self.items) > 0

    def __iter__(self) -> Any:
        return iter(self.items)

    def __contains__(self, x: Any) -> bool:
        return x in self.items

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise TypeError("sequence index must be integer, not 'slice'")
        return self.items[index]

    def __setitem__(self, index: Any, x: Any) -> None:
        self.items[index] = x

    def __delitem__(self, index: Any) -> None:
        del self.items[index]

    def __iadd__(self, iterable: Any) -> Deque:  # type: ignore[misc]
        self.extend(iterable)
        return self

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Deque):
            return False
        return self.items == other.items

    def __array__(self) -> Any:
        return np.array(self.items)

    def __repr__(self) -> str:
        if self.limit is None:
            return f"deque({self.items})"
        return f"deque({self.items}, maxlen={self.limit})"


class Mapping:
    """What dicts over a dict share."""

    data: dict[Any, Any]
    __pyxla_sequence__ = "data"

    def __len__(self) -> int:
        return len(self.data)

    def __bool__(self) -> bool:
        return len(self.data) > 0

    def __iter__(self) -> Any:
        return iter(self.data)

    def __contains__(self, key: Any) -> bool:
        return key in self.data

    def __setitem__(self, key: Any, x: Any) -> None:
        self.data[key] = x

    def __delitem__(self, key: Any) -> None:
        del self.data[key]

    def keys(self) -> Any:
        return self.data.keys()

    def values(self) -> Any:
        return self.data.values()

    def items(self) -> Any:
        return self.data.items()

    def get(self, key: Any, default: Any = None) -> Any:
        return self.data.get(key, default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        return self.data.setdefault(key, default)

    def pop(self, key: Any, *default: Any) -> Any:
        return self.data.pop(key, *default)

    def clear(self) -> None:
        self.data = {}

    def update(self, *other: Any, **named: Any) -> None:
        for each in other:
            self.data.update(each)
        self.data.update(named)


class DefaultDict(Mapping, collections.defaultdict):
    """`collections.defaultdict` over a dict."""

    def __init__(self, default_factory: Any = None, *args: Any, **named: Any) -> None:
        self.default_factory = default_factory
        self.data = dict(*args, **named)

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> collections.defaultdict:
        return collections.defaultdict(fields["default_factory"], fields["data"])

    def __getitem__(self, key: Any) -> Any:
        if key not in self.data:
            if self.default_factory is None:
                raise KeyError(key)
            self.data[key] = self.default_factory()
        return self.data[key]

    def copy(self) -> DefaultDict:
        return DefaultDict(self.default_factory, self.data)

    def __eq__(self, other: object) -> Any:
        return self.data == (other.data if isinstance(other, Mapping) else other)

    def __repr__(self) -> str:
        return f"defaultdict({self.default_factory}, {self.data})"


class OrderedDict(Mapping, collections.OrderedDict):
    """`collections.OrderedDict` over a dict."""

    def __init__(self, *args: Any, **named: Any) -> None:
        self.data = dict(*args, **named)

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> collections.OrderedDict:
        return collections.OrderedDict(fields["data"])

    def __getitem__(self, key: Any) -> Any:
        return self.data[key]

    def move_to_end(self, key: Any, last: bool = True) -> None:
        x = self.data.pop(key)
        if last:
            self.data[key] = x
        else:
            self.data = {key: x, **self.data}

    def popitem(self, last: bool = True) -> Any:
        if len(self.data) == 0:
            raise KeyError("dictionary is empty")
        key = list(self.data)[-1 if last else 0]
        return key, self.data.pop(key)

    def copy(self) -> OrderedDict:
        return OrderedDict(self.data)

    def __eq__(self, other: object) -> Any:
        if isinstance(other, OrderedDict):
            return list(self.data.items()) == list(other.data.items())
        return self.data == (other.data if isinstance(other, Mapping) else other)


class Counter(Mapping, collections.Counter):
    """`collections.Counter` over a dict."""

    def __init__(self, iterable: Any = None, /, **named: Any) -> None:
        self.data = {}
        self.update(iterable, **named)

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> collections.Counter:
        return collections.Counter(fields["data"])

    def __getitem__(self, key: Any) -> Any:
        return self.data.get(key, 0)

    def __delitem__(self, key: Any) -> None:
        self.data.pop(key, None)

    def _add(self, iterable: Any, sign: int) -> None:
        if iterable is None:
            return
        if isinstance(iterable, dict | Mapping):
            for key, x in iterable.items():
                self.data[key] = self.data.get(key, 0) + sign * x
        else:
            for key in iterable:
                self.data[key] = self.data.get(key, 0) + sign

    def update(self, iterable: Any = None, /, **named: Any) -> None:
        self._add(iterable, 1)
        self._add(named, 1)

    def subtract(self, iterable: Any = None, /, **named: Any) -> None:
        self._add(iterable, -1)
        self._add(named, -1)

    def total(self) -> Any:
        return sum(self.data.values())

    def most_common(self, n: Any = None) -> Any:
        ordered = sorted(self.data.items(), key=lambda pair: pair[1], reverse=True)
        return ordered if n is None else ordered[:n]

    def elements(self) -> Any:
        return [key for key, count in self.data.items() for _ in range(count)]

    def copy(self) -> Counter:
        return Counter(self.data)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Counter):
            return False
        keys = [*self.data, *other.data]
        return all(self[key] == other[key] for key in keys)

    def __add__(self, other: Any) -> Any:  # type: ignore[override]
        out = Counter()
        for key, count in self.data.items():
            if count + other[key] > 0:
                out[key] = count + other[key]
        for key, count in other.data.items():
            if key not in self.data and count > 0:
                out[key] = count
        return out

    def __sub__(self, other: Any) -> Any:
        out = Counter()
        for key, count in self.data.items():
            if count - other[key] > 0:
                out[key] = count - other[key]
        for key, count in other.data.items():
            if key not in self.data and count < 0:
                out[key] = 0 - count
        return out

    def __and__(self, other: Any) -> Any:  # type: ignore[override]
        out = Counter()
        for key, count in self.data.items():
            least = min(count, other[key])
            if least > 0:
                out[key] = least
        return out

    def __or__(self, other: Any) -> Any:  # type: ignore[override]
        out = Counter()
        for key, count in self.data.items():
            most = max(count, other[key])
            if most > 0:
                out[key] = most
        for key, count in other.data.items():
            if key not in self.data and count > 0:
                out[key] = count
        return out


class Compared:
    """What `functools.cmp_to_key(compare)` makes of `item`."""

    def __init__(self, compare: Any, item: Any) -> None:
        self.compare = compare
        self.item = item

    def __lt__(self, other: Any) -> Any:
        return self.compare(self.item, other.item) < 0

    def __gt__(self, other: Any) -> Any:
        return self.compare(self.item, other.item) > 0


STAND_FOR: dict[type, type] = {
    collections.deque: Deque,
    collections.defaultdict: DefaultDict,
    collections.OrderedDict: OrderedDict,
    collections.Counter: Counter,
    type(functools.cmp_to_key(max)): Compared,
    np.poly1d: Poly1d,
}
