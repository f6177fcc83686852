"""`bytearray`, as Python that is compiled like the user's: over a list of ints."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from pyxla.lib.lists import Items


class ByteArray(Items, bytearray):
    """`bytearray` over a list."""

    ordered = (bytes, bytearray)
    __pyxla_buffer__ = "bytearray"
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, source: Any = (), encoding: Any = None) -> None:
        if isinstance(source, str):
            if encoding is None:
                raise TypeError("string argument without an encoding")
            self._held = list(source.encode(encoding))
        elif isinstance(source, (int, np.integer)):
            if source < 0:
                raise ValueError("negative count")
            self._held = [0] * operator.index(source)
        else:
            self._held = _bytes(source)

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> bytearray:
        return bytearray(fields["_held"])

    def clear(self) -> None:
        self._held.clear()

    def append(self, x: Any) -> None:
        self._held.append(_byte(x))

    def extend(self, source: Any) -> None:
        self._held.extend(_bytes(source))

    def insert(self, at: Any, x: Any) -> None:
        self._held.insert(at, _byte(x))

    def pop(self, at: Any = -1) -> int:
        if len(self._held) == 0:
            raise IndexError("pop from empty bytearray")
        return self._held.pop(at)

    def remove(self, x: Any) -> None:
        if _byte(x) not in self._held:
            raise ValueError("value not found in bytearray")
        self._held.remove(x)

    def copy(self) -> ByteArray:
        return _over(self._held[:])

    def count(self, x: Any) -> int:  # type: ignore[override]
        if isinstance(x, (bytes, bytearray)):
            return bytes(self).count(x)
        return self._held.count(_byte(x))

    def __contains__(self, x: Any) -> bool:
        if isinstance(x, (bytes, bytearray)):
            return x in bytes(self)
        return _byte(x) in self._held

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return _over(self._held[index])
        return self._held[self._place(index)]

    def __setitem__(self, index: Any, x: Any) -> None:
        if isinstance(index, slice):
            self._set_slice(index, x)
        else:
            self._held[self._place(index)] = _byte(x)

    def _set_slice(self, index: slice, x: Any) -> None:
        if isinstance(x, (int, str)):
            raise TypeError("can assign only bytes, buffers, or iterables of ints in range(0, 256)")
        values = _bytes(x)
        if index.step is not None and index.step != 1:
            size = len(range(*index.indices(len(self._held))))
            if len(values) != size:
                kind = f"attempt to assign bytes of size {len(values)} to extended slice of size"
                raise ValueError(f"{kind} {size}")
        self._held[index] = values

    def __delitem__(self, index: Any) -> None:
        del self._held[index if isinstance(index, slice) else self._place(index)]

    def _place(self, index: Any) -> Any:
        if not isinstance(index, (int, np.integer)):
            kind = type(index).__name__
            raise TypeError(f"bytearray indices must be integers or slices, not {kind}")
        if not -len(self._held) <= index < len(self._held):
            raise IndexError("bytearray index out of range")
        return index

    def __add__(self, other: Any) -> ByteArray:
        return _over(self._held + _bytes(other))

    def __iadd__(self, other: Any) -> ByteArray:  # type: ignore[misc,override]
        self._held.extend(_bytes(other))
        return self

    def __mul__(self, times: Any) -> ByteArray:
        return _over(self._held * times)

    __rmul__ = __mul__

    def __imul__(self, times: Any) -> ByteArray:  # type: ignore[misc,override]
        self._held *= times
        return self

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, (bytes, bytearray)):
            return NotImplemented
        return self._held == list(other)

    def __array__(self) -> Any:
        return np.array(self._held, np.uint8)


def _over(items: list[int]) -> ByteArray:
    """A new one over this list, which nothing else holds."""
    made = ByteArray()
    made._held = items
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
