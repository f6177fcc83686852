"""Containers of `collections`, and keys of `functools`, as Python that is compiled like the user's.

An instance in compiled code is one of these classes, each of which derives from the one it stands
for, over a list or a dict; as a result it is made anew (`__pyxla_made__`).  As for lists and dicts,
lengths and keys are known while compiling.
"""

from __future__ import annotations

import array
import collections
import functools
import io
import queue
import types
from typing import Any

import numpy as np

from pyxla.lib.bytearrays import ByteArray, Bytes
from pyxla.lib.lists import Changing, Held, List
from pyxla.lib.poly1d import Poly1d
from pyxla.lib.queues import LifoQueue, PriorityQueue, Queue
from pyxla.lib.tables import NEVER, ONCE, ByKey
from pyxla.lib.text_files import StringIO
from pyxla.lib.typed_arrays import TypedArray
from pyxla.lib.walks import Broadcast, Walk


def actual(cls: type) -> type:
    """The class of Python's that instances of `cls` stand for, or itself."""
    if not cls.__module__.startswith("pyxla.lib."):
        return cls
    return next(base for base in cls.__mro__ if not base.__module__.startswith("pyxla."))


class Deque(Changing, collections.deque):
    """`collections.deque` over a list.  put: how often items were added or rotated, which a loop
    over it is to notice where the size is the same again; it wraps, so that nothing checks it."""

    ordered = collections.deque
    __pyxla_structural__ = ("limit",)

    def __init__(self, iterable: Any = (), maxlen: Any = None) -> None:
        if maxlen is not None and maxlen < 0:
            raise ValueError("maxlen must be non-negative")
        self._held: list[Any] = []
        self.limit = maxlen
        self.put = NEVER
        self.extend(iterable)

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> collections.deque:
        return collections.deque(fields["_held"], fields["limit"])

    @property
    def maxlen(self) -> Any:
        return self.limit

    def append(self, x: Any) -> None:
        self._held.append(x)
        self.put += ONCE
        if self.limit is not None and len(self._held) > self.limit:
            self._held.pop(0)

    def appendleft(self, x: Any) -> None:
        self._held.insert(0, x)
        self.put += ONCE
        if self.limit is not None and len(self._held) > self.limit:
            self._held.pop()

    def extend(self, iterable: Any) -> None:
        for x in list(self._held) if iterable is self else iterable:
            self.append(x)

    def extendleft(self, iterable: Any) -> None:
        for x in list(self._held) if iterable is self else iterable:
            self.appendleft(x)

    def pop(self) -> Any:  # type: ignore[override]
        if len(self._held) == 0:
            raise IndexError("pop from an empty deque")
        return self._held.pop()

    def popleft(self) -> Any:
        if len(self._held) == 0:
            raise IndexError("pop from an empty deque")
        return self._held.pop(0)

    def rotate(self, n: int = 1) -> None:
        if len(self._held) > 1:
            n = -n % len(self._held)
            self._held[:] = self._held[n:] + self._held[:n]
            self.put += ONCE

    def clear(self) -> None:
        self._held = []

    def copy(self) -> Deque:
        return Deque(self._held, self.limit)

    def index(self, x: Any, start: Any = 0, stop: Any = None) -> int:
        stop = len(self._held) if stop is None else stop
        if x not in self._held[start:stop]:
            raise ValueError(f"{x!r} is not in deque")
        return self._held.index(x, start, stop)

    def remove(self, x: Any) -> None:
        if x not in self._held:
            raise ValueError(f"{x!r} is not in deque")
        self._held.remove(x)

    def insert(self, at: int, x: Any) -> None:
        if self.limit is not None and len(self._held) >= self.limit:
            raise IndexError("deque already at its maximum size")
        self._held.insert(at, x)
        self.put += ONCE

    def __add__(self, other: Any) -> Deque:
        if not isinstance(other, Deque):
            kind = type(other).__name__
            raise TypeError(f'can only concatenate deque (not "{kind}") to deque')
        return Deque(self._held + other._held, self.limit)

    def __mul__(self, times: int) -> Deque:
        return Deque(self._held * times, self.limit)

    __rmul__ = __mul__

    def __imul__(self, times: Any) -> Deque:  # type: ignore[misc]
        longer = self._held * times
        first = 0 if self.limit is None else max(len(longer) - self.limit, 0)
        self._held[:] = longer[first:]
        return self

    def __getitem__(self, index: Any) -> Any:
        return self._held[self._place(index)]

    def __setitem__(self, index: Any, x: Any) -> None:
        self._held[self._place(index)] = x

    def __delitem__(self, index: Any) -> None:
        del self._held[self._place(index)]

    def _place(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise TypeError("sequence index must be integer, not 'slice'")
        size = len(self._held)
        if index < -size or index >= size:
            raise IndexError("deque index out of range")
        return index

    def __iadd__(self, iterable: Any) -> Deque:  # type: ignore[misc]
        self.extend(iterable)
        return self

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Deque):
            return False
        return self._held == other._held

    def __repr__(self) -> str:
        if self.limit is None:
            return f"deque({self._held})"
        return f"deque({self._held}, maxlen={self.limit})"


class Mapping(Held):
    """What dicts over a dict share."""

    _held: dict[Any, Any]

    def __getitem__(self, key: Any) -> Any:
        return self._held[key]

    def __setitem__(self, key: Any, x: Any) -> None:
        self._held[key] = x

    def __delitem__(self, key: Any) -> None:
        del self._held[key]

    def keys(self) -> Any:
        return self._held.keys()

    def values(self) -> Any:
        return self._held.values()

    def items(self) -> Any:
        return self._held.items()

    def get(self, key: Any, default: Any = None, /) -> Any:
        return self._held.get(key, default)

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        return self._held.setdefault(key, default)

    def pop(self, key: Any, *default: Any) -> Any:
        return self._held.pop(key, *default)

    def clear(self) -> None:
        self._held = {}

    def update(self, *other: Any, **named: Any) -> None:
        for each in other:
            self._held.update(each)
        self._held.update(named)

    def __eq__(self, other: object) -> Any:
        return self._held == (other._held if isinstance(other, Mapping) else other)


class DefaultDict(Mapping, collections.defaultdict):
    """`collections.defaultdict` over a dict."""

    def __init__(self, default_factory: Any = None, *args: Any, **named: Any) -> None:
        self.default_factory = default_factory
        self._held = dict(*args, **named)

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> collections.defaultdict:
        return collections.defaultdict(fields["default_factory"], fields["_held"])

    def __getitem__(self, key: Any) -> Any:
        if key not in self._held:
            if self.default_factory is None:
                raise KeyError(key)
            self._held[key] = self.default_factory()
        return self._held[key]

    def copy(self) -> DefaultDict:
        return DefaultDict(self.default_factory, self._held)

    def __repr__(self) -> str:
        return f"defaultdict({self.default_factory}, {self._held})"


class OrderedDict(Mapping, collections.OrderedDict):
    """`collections.OrderedDict` over a dict."""

    def __init__(self, *args: Any, **named: Any) -> None:
        self._held = dict(*args, **named)

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> collections.OrderedDict:
        return collections.OrderedDict(fields["_held"])

    def move_to_end(self, key: Any, last: bool = True) -> None:
        x = self._held.pop(key)
        if last:
            self._held[key] = x
        else:
            self._held = {key: x, **self._held}

    def popitem(self, last: bool = True) -> Any:
        if len(self._held) == 0:
            raise KeyError("dictionary is empty")
        key = list(self._held)[-1 if last else 0]
        return key, self._held.pop(key)

    def copy(self) -> OrderedDict:
        return OrderedDict(self._held)

    def __eq__(self, other: object) -> Any:
        if isinstance(other, OrderedDict):
            return list(self._held.items()) == list(other._held.items())
        return self._held == (other._held if isinstance(other, Mapping) else other)


class Counter(Mapping, collections.Counter):
    """`collections.Counter` over a dict: what the class has from C, and in loops of its own."""

    def __init__(self, iterable: Any = None, /, **named: Any) -> None:
        self._held = {}
        self.update(iterable, **named)

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> collections.Counter:
        return collections.Counter(fields["_held"])

    def __getitem__(self, key: Any) -> Any:
        return self._held.get(key, 0)

    def __delitem__(self, key: Any) -> None:
        self._held.pop(key, None)

    def _add(self, iterable: Any, sign: int) -> None:
        if iterable is None:
            return
        if isinstance(iterable, dict | Mapping):
            for key, x in iterable.items():
                self._held[key] = self._held.get(key, 0) + sign * x
        else:
            for key in iterable:
                self._held[key] = self._held.get(key, 0) + sign

    def update(self, iterable: Any = None, /, **named: Any) -> None:
        self._add(iterable, 1)
        self._add(named, 1)

    def subtract(self, iterable: Any = None, /, **named: Any) -> None:
        self._add(iterable, -1)
        self._add(named, -1)

    def most_common(self, n: Any = None) -> Any:
        ordered = sorted(self._held.items(), key=lambda pair: pair[1], reverse=True)
        return ordered if n is None else ordered[: max(n, 0)]

    def elements(self) -> Any:
        return [key for key, count in self._held.items() for _ in range(count)]

    def copy(self) -> Counter:
        return Counter(self._held)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Counter):
            return self._held == (other._held if isinstance(other, Mapping) else other)
        keys = [*self._held, *other._held]
        return all(self[key] == other[key] for key in keys)


def attributes(x: Any) -> dict[str, Any]:
    """The attributes that an instance holds itself, in a new dict."""
    return dict(vars(x))


def namespaces_equal(x: types.SimpleNamespace, y: Any) -> Any:
    """`x == y`."""
    return vars(x) == vars(y) if isinstance(y, types.SimpleNamespace) else NotImplemented


def namespaces_differ(x: types.SimpleNamespace, y: Any) -> Any:
    """`x != y`."""
    return vars(x) != vars(y) if isinstance(y, types.SimpleNamespace) else NotImplemented


class Namespace(Mapping, dict):
    """`x.__dict__`, read and written where the attributes of `owner` are."""

    keys, values, items = dict.keys, dict.values, dict.items  # which look for them when read
    setdefault, pop = ByKey.setdefault, ByKey.pop

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    @property
    def _held(self) -> dict[str, Any]:  # type: ignore[override]
        return attributes(self.owner)

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> dict[str, Any]:
        return vars(fields["owner"])

    def __setitem__(self, key: str, x: Any) -> None:
        object.__setattr__(self.owner, key, x)

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise KeyError(key)
        object.__delattr__(self.owner, key)

    def clear(self) -> None:
        for key in self.copy():
            del self[key]

    def update(self, *other: Any, **named: Any) -> None:
        for key, x in dict(*other, **named).items():
            self[key] = x

    def copy(self) -> dict[str, Any]:
        return self._held

    def __or__(self, other: Any) -> Any:
        return self._held | (other._held if isinstance(other, Mapping) else other)

    def __repr__(self) -> str:
        return f"{self._held}"


class Dict(Mapping, dict):
    """A dict of a class that derives from `dict`: what the class does not define itself."""

    def __init__(self, *other: Any, **named: Any) -> None:
        self.update(*other, **named)

    def __getitem__(self, key: Any) -> Any:
        if hasattr(type(self), "__missing__") and key not in self._held:
            return self.__missing__(key)  # type: ignore[attr-defined]
        return self._held[key]

    def clear(self) -> None:
        self._held.clear()

    def popitem(self) -> Any:
        return self._held.popitem()

    def copy(self) -> Any:
        return dict(self._held)

    def __ne__(self, other: object) -> Any:
        return not self._held == (other._held if isinstance(other, Mapping) else other)

    def __or__(self, other: Any) -> Any:
        return {**self._held, **other}

    def __ror__(self, other: Any) -> Any:
        return {**other, **self._held}

    def __ior__(self, other: Any) -> Any:
        self._held.update(other)
        return self

    def __repr__(self) -> str:
        return f"{self._held}"


def stand_for(cls: type) -> type:
    """The class whose instances in compiled code stand for those of `cls`, or itself."""
    known = STAND_FOR.get(cls)
    own = cls.__module__.startswith("pyxla.") or not issubclass(cls, OPEN) or cls in OPEN
    return known or (cls if own else _derived(cls))


@functools.cache
def _derived(cls: type) -> type:
    """`cls`, in which what its C base does is done by the Python that stands for that."""
    base: Any = next(_BASES[base] for base in cls.__mro__ if base in _BASES)
    taken = {
        name: getattr(base, found.__name__)
        for owner in reversed(cls.__mro__)
        if not _in_c(owner)
        for name, found in vars(owner).items()
        if isinstance(found, _C_METHODS) and issubclass(base, found.__objclass__)
    }
    if isinstance(getattr(cls, "__missing__", None), types.FunctionType):
        own = any("__getitem__" in vars(owner) for owner in cls.__mro__ if not _in_c(owner))
        taken |= {} if own else {"__getitem__": Dict.__getitem__}
    if isinstance(getattr(cls, "__len__", None), types.FunctionType) and not hasattr(
        cls, "__bool__"
    ):
        taken["__bool__"] = _by_length
    taken |= {"__module__": __name__, "__pyxla_fill__": staticmethod(_fill)}
    return type(cls)(cls.__name__, (cls, base), taken)


# What classes of the user's may derive from, and have a stand-in all the same.
OPEN = (dict, list)


def _by_length(x: Any) -> bool:
    """The truth of an instance whose class says its length."""
    return len(x) != 0


def reads_itself(cls: type) -> bool:
    """Whether a class that derives from `tuple` says itself what its items are, or how many."""
    names = ("__iter__", "__len__", "__bool__")
    return any(getattr(cls, name, None) is not getattr(tuple, name, None) for name in names)


def is_c_struct(cls: type) -> bool:
    """Whether a class that derives from `tuple` is one of C's, which knows its items by names too
    and is made in a way of its own (`sys.float_info`, `time.struct_time`)."""
    return hasattr(cls, "n_sequence_fields")


def c_base(cls: type) -> Any:
    """The class whose methods look at the items of a container of class `cls`, and at nothing
    else."""
    bases = (collections.OrderedDict, dict, list)
    return next((base for base in bases if issubclass(cls, base)), cls)


def _fill(x: Any, fields: dict[str, Any]) -> None:
    """What stands for `x`, which is empty, by its fields: items and attributes."""
    for name, value in fields.items():
        if name == Mapping.__pyxla_sequence__:
            plain = c_base(type(x))
            (plain.extend if plain is list else plain.update)(x, value)
        else:
            object.__setattr__(x, name, value)


_C_METHODS = (types.WrapperDescriptorType, types.MethodDescriptorType)


def _in_c(cls: type) -> bool:
    return not cls.__flags__ & 1 << 9 or cls in STAND_FOR  # `Py_TPFLAGS_HEAPTYPE`


def is_stand(cls: type) -> bool:
    return issubclass(cls, (Dict, List, *STAND_FOR.values()))


def in_python(method: Any, cls: type) -> Any:
    """The Python that stands for a method in C of a base of `cls`, or None."""
    if not isinstance(method, _C_METHODS) or not is_stand(cls):
        return None
    own = next(b for b in cls.__mro__ if is_stand(b) and "__pyxla_fill__" not in vars(b))
    found = getattr(own, method.__name__) if issubclass(own, method.__objclass__) else None
    return found if isinstance(found, types.FunctionType) else None


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
    array.array: TypedArray,
    bytearray: ByteArray,
    bytes: Bytes,
    collections.deque: Deque,
    collections.defaultdict: DefaultDict,
    collections.OrderedDict: OrderedDict,
    collections.Counter: Counter,
    type(functools.cmp_to_key(max)): Compared,
    np.broadcast: Broadcast,
    np.nditer: Walk,
    np.poly1d: Poly1d,
    queue.Queue: Queue,
    queue.PriorityQueue: PriorityQueue,
    queue.LifoQueue: LifoQueue,
    io.StringIO: StringIO,
}

_BASES: dict[type, type] = {**STAND_FOR, dict: Dict, list: List}
