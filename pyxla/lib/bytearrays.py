"""`bytearray`, as Python that is compiled like the user's: over a list of ints."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np


class Items:
    """What sequences over a list share.  ordered: the classes that they are compared with."""

    items: list[Any]
    ordered: Any
    __pyxla_sequence__ = "items"

    def reverse(self) -> None:
        self.items.reverse()

    def __len__(self) -> int:
        return len(self.items)

    def __bool__(self) -> bool:
        return len(self.items) > 0

    def __iter__(self) -> Any:
        return iter(self.items)

    def __reversed__(self) -> Any:
        return reversed(self.items)

    def __ne__(self, other: object) -> Any:
        return not self == other

    def __lt__(self, other: Any) -> Any:
        return self.items < list(other) if isinstance(other, self.ordered) else NotImplemented

    def __le__(self, other: Any) -> Any:
        return self.items <= list(other) if isinstance(other, self.ordered) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return self.items > list(other) if isinstance(other, self.ordered) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return self.items >= list(other) if isinstance(other, self.ordered) else NotImplemented


class ByteArray(Items, bytearray):
    """`bytearray` over a list."""

    ordered = (bytes, bytearray)
    __pyxla_buffer__ = "bytearray"
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, source: Any = (), encoding: Any = None) -> None:
        if isinstance(source, str):
            if encoding is None:
                raise TypeError("string argument without an encoding")
            self.items = list(source.encode(encoding))
        elif isinstance(source, (int, np.integer)):
            if source < 0:
                raise ValueError("negative count")
            self.items = [0] * operator.index(source)
        else:
            self.items = _bytes(source)

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> bytearray:
        return bytearray(fields["items"])

    def clear(self) -> None:
        self.items.clear()

    def append(self, x: Any) -> None:
        self.items.append(_byte(x))

    def extend(self, source: Any) -> None:
        self.items.extend(_bytes(source))

    def insert(self, at: Any, x: Any) -> None:
        self.items.insert(at, _byte(x))

    def pop(self, at: Any = -1) -> int:
        if len(self.items) == 0:
            raise IndexError("pop from empty bytearray")
        return self.items.pop(at)

    def remove(self, x: Any) -> None:
        if _byte(x) not in self.items:
            raise ValueError("value not found in bytearray")
        self.items.remove(x)

    def copy(self) -> ByteArray:
        return _over(self.items[:])

    def count(self, x: Any) -> int:  # type: ignore[override]
        if isinstance(x, (bytes, bytearray)):
            return bytes(self).count(x)
        return self.items.count(_byte(x))

    def __contains__(self, x: Any) -> bool:
        if isinstance(x, (bytes, bytearray)):
            return x in bytes(self)
        return _byte(x) in self.items

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return _over(self.items[index])
        return self.items[self._place(index)]

    def __setitem__(self, index: Any, x: Any) -> None:
        if isinstance(index, slice):
            self._set_slice(index, x)
        else:
            self.items[self._place(index)] = _byte(x)

    def _set_slice(self, index: slice, x: Any) -> None:
        if isinstance(x, (int, str)):
            raise TypeError("can assign only bytes, buffers, or iterables of ints in range(0, 256)")
        values = _bytes(x)
        if index.step is not None and index.step != 1:
            size = len(range(*index.indices(len(self.items))))
            if len(values) != size:
                kind = f"attempt to assign bytes of size {len(values)} to extended slice of size"
                raise ValueError(f"{kind} {size}")
        self.items[index] = values

    def __delitem__(self, index: Any) -> None:
        del self.items[index if isinstance(index, slice) else self._place(index)]

    def _place(self, index: Any) -> Any:
        if not isinstance(index, (int, np.integer)):
            kind = type(index).__name__
            raise TypeError(f"bytearray indices must be integers or slices, not {kind}")
        if not -len(self.items) <= index < len(self.items):
            raise IndexError("bytearray index out of range")
        return index

    def __add__(self, other: Any) -> ByteArray:
        return _over(self.items + _bytes(other))

    def __iadd__(self, other: Any) -> ByteArray:  # type: ignore[misc,override]
        self.items.extend(_bytes(other))
        return self

    def __mul__(self, times: Any) -> ByteArray:
        return _over(self.items * times)

    __rmul__ = __mul__

    def __imul__(self, times: Any) -> ByteArray:  # type: ignore[misc,override]
        self.items *= times
        return self

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, (bytes, bytearray)):
            return NotImplemented
        return self.items == list(other)

    def __array__(self) -> Any:
        return np.array(self.items, np.uint8)


def _over(items: list[int]) -> ByteArray:
    """A new one over this list, which nothing else holds."""
    made = ByteArray()
    made.items = items
    return made


def _byte(x: Any) -> int:
    x = operator.index(x)
    if not 0 <= x < 256:
        raise ValueError("byte must be in range(0, 256)")
    return x


def _bytes(source: Any) -> list[int]:
    """The items of what may be put in one."""
    if isinstance(source, (bytes, bytearray)):
        return list(source)
    return [_byte(x) for x in source]
