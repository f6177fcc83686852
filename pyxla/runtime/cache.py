"""Bounded caches of specializations.

Each function has a `Cache`, all share one `Recency`: the least recently used entry of any function
makes room for a new one.  Dropping an entry drops the only lasting reference to its executable,
which frees the code: a Linux process has 65,530 memory maps, and a live executable takes a handful.
Looking an entry up takes no lock: every call does.
"""

from __future__ import annotations

import itertools
import operator
import threading
import weakref
from collections.abc import Callable, Hashable, Iterator
from typing import Any

DEFAULT_LIMIT = 2048


class _Entry:
    """One cached value; `used` grows from use to use, over the entries of all caches, by `tick`."""

    __slots__ = ("cache", "key", "tick", "used", "value")

    def __init__(
        self, cache: weakref.ref[Cache], key: Hashable, value: Any, tick: Callable[[], int]
    ) -> None:
        self.cache = cache
        self.tick = tick
        self.key = key
        self.value = value
        self.used = 0


_by_use = operator.attrgetter("used")


class Recency:
    """The entries of all caches, at most `limit` of them: the least recently used goes first.

    Every call marks its entry, which is one attribute; the oldest is looked for when there is one
    too many, beside a compilation.
    """

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self._entries: set[_Entry] = set()
        self.tick = itertools.count(1).__next__
        # Reentrant: the collector may finalize a Cache while this thread holds it.
        self._lock = threading.RLock()
        self.limit = limit

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, entry: _Entry) -> None:
        entry.used = self.tick()
        with self._lock:
            self._entries.add(entry)
        self.shrink(self.limit)

    def remove(self, entry: _Entry) -> None:
        with self._lock:
            self._entries.discard(entry)

    def shrink(self, size: int) -> None:
        """Evict the least recently used entries until `size` are left."""
        while True:
            with self._lock:
                if len(self._entries) <= size:
                    return
                entry = min(self._entries, key=_by_use)
                self._entries.remove(entry)
            cache = entry.cache()
            if cache is not None:
                cache.forget(entry)


RECENCY = Recency()


class Cache:
    """The specializations of one function.

    recent: what `remember` was told of the entry used last, while it is one.
    """

    def __init__(self, recency: Recency = RECENCY) -> None:
        self.recent: Any = None
        self._entries: dict[Hashable, _Entry] = {}
        self._lock = threading.Lock()
        self._recency = recency
        self._tick = recency.tick

    def __len__(self) -> int:
        return len(self._entries)

    def __del__(self) -> None:
        for entry in self._entries.values():
            self._recency.remove(entry)

    def items(self) -> Iterator[tuple[Hashable, Any]]:
        """The keys and values, in the order they were made."""
        return iter([(key, entry.value) for key, entry in list(self._entries.items())])

    def get(self, key: Hashable) -> Any:
        entry = self._entries.get(key)
        if entry is None:
            return None
        entry.used = self._tick()
        return entry.value

    def remember(self, key: Hashable, *about: Any) -> None:
        """Set `recent` to what there is to know about it, and the entry at `key`; who uses its
        value then says so: `entry.used = entry.tick()`."""
        with self._lock:
            entry = self._entries.get(key)
            self.recent = None if entry is None else (*about, entry)

    def put(self, key: Hashable, value: Any) -> None:
        """Set the value at `key`, as the most recently used one."""
        entry = _Entry(weakref.ref(self), key, value, self._tick)
        with self._lock:
            replaced = self._entries.get(key)
            self._entries[key] = entry
            self.recent = None
        if replaced is not None:
            self._recency.remove(replaced)
        self._recency.add(entry)

    def forget(self, entry: _Entry) -> None:
        """Drop `entry` unless its key has a newer one."""
        with self._lock:
            if self._entries.get(entry.key) is entry:
                del self._entries[entry.key]
                self.recent = None

    def trim(self, size: int) -> None:
        """Drop the least recently used entries until `size` are left."""
        while len(entries := list(self._entries.values())) > size:
            entry = min(entries, key=_by_use)
            self._recency.remove(entry)
            self.forget(entry)

    def clear(self) -> None:
        with self._lock:
            entries = list(self._entries.values())
            self._entries.clear()
            self.recent = None
        for entry in entries:
            self._recency.remove(entry)
