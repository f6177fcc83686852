"""`bytes` and `bytearray`, as Python that is compiled like the user's: over a list of ints."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from pyxla.lib.lists import Changing, Items


def _occurrences(held: list[int], part: list[int]) -> int:
    """How often a part is there, of which none overlaps another."""
    found = at = 0
    while at + len(part) <= len(held):
        if held[at : at + len(part)] == part:
            found += 1
            at += max(len(part), 1)
        else:
            at += 1
    return found


class Octets(Items):
    """What `bytes` and `bytearray` over a list share."""

    ordered = (bytes, bytearray)
    noun = indices = out_of_range = ""
    _over: Any

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
            self._held = _bytes(source, self.noun)

    def count(self, x: Any) -> int:
        if isinstance(x, (bytes, bytearray)):
            return _occurrences(self._held, list(x))
        return self._held.count(_byte(x))

    def hex(self) -> str:
        return "".join([f"{x:02x}" for x in self._held])

    def __contains__(self, x: Any) -> bool:
        if isinstance(x, (bytes, bytearray)):
            return _occurrences(self._held, list(x)) > 0
        return _byte(x) in self._held

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._over(self._held[index])
        return self._held[self._place(index)]

    def _place(self, index: Any) -> Any:
        if not isinstance(index, (int, np.integer)):
            kind = type(index).__name__
            raise TypeError(f"{self.indices} indices must be integers or slices, not {kind}")
        if not -len(self._held) <= index < len(self._held):
            raise IndexError(self.out_of_range)
        return index

    def __add__(self, other: Any) -> Any:
        return self._over(self._held + _bytes(other))

    def __radd__(self, other: Any) -> Any:
        return Bytes(_bytes(other) + self._held)

    def __mul__(self, times: Any) -> Any:
        return self._over(self._held * times)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, (bytes, bytearray)):
            return NotImplemented
        return self._held == list(other)

    def __array__(self) -> Any:
        return np.array(self._held, np.uint8)


class Bytes(Octets, bytes):  # type: ignore[misc]
    """`bytes` whose items are known at run time only, over a list."""

    noun, indices, out_of_range = "bytes", "byte", "index out of range"
    __pyxla_buffer__ = "bytes"

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> bytes:
        return bytes(fields["_held"])

    def _over(self, items: list[int]) -> Any:
        made = Bytes()
        made._held = items
        return made

    def __hash__(self) -> int:
        return hash(tuple(self._held))


class ByteArray(Octets, Changing, bytearray):  # type: ignore[misc]
    """`bytearray` over a list."""

    noun, indices = "byte", "bytearray"
    out_of_range = "bytearray index out of range"
    __pyxla_buffer__ = "bytearray"
    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> bytearray:
        return bytearray(fields["_held"])

    def _over(self, items: list[int]) -> Any:
        made = ByteArray()
        made._held = items
        return made

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

    def copy(self) -> Any:
        return self._over(self._held[:])

    def __setitem__(self, index: Any, x: Any) -> None:
        if not isinstance(index, slice):
            self._held[self._place(index)] = _byte(x)
            return
        if isinstance(x, (int, str)):
            raise TypeError("can assign only bytes, buffers, or iterables of ints in range(0, 256)")
        self._set_slice(index, _bytes(x), "bytes")

    def __delitem__(self, index: Any) -> None:
        del self._held[index if isinstance(index, slice) else self._place(index)]

    def __iadd__(self, other: Any) -> ByteArray:  # type: ignore[misc,override]
        self._held.extend(_bytes(other))
        return self


def _byte(x: Any, noun: str = "byte") -> int:
    x = operator.index(x)
    if not 0 <= x < 256:
        raise ValueError(f"{noun} must be in range(0, 256)")
    return x


def _bytes(source: Any, noun: str = "byte") -> list[int]:
    """The items of what may be put in one."""
    if isinstance(source, (bytes, bytearray)):
        return list(source)
    return [_byte(x, noun) for x in source]


def from_bytes(bytes: Any, byteorder: str = "big", *, signed: bool = False) -> int:
    """`int.from_bytes`."""
    if byteorder not in ("little", "big"):
        raise ValueError("byteorder must be either 'little' or 'big'")
    items = _bytes(bytes, "bytes")
    if byteorder == "little":
        items = items[::-1]
    value = 0
    if signed and len(items) > 0 and items[0] > 127:
        value = -1
    for item in items:
        value = (value << 8) | item
    return value


def to_bytes(x: int, length: int = 1, byteorder: str = "big", *, signed: bool = False) -> Any:
    """`int.to_bytes`."""
    if byteorder not in ("little", "big"):
        raise ValueError("byteorder must be either 'little' or 'big'")
    if length < 0:
        raise ValueError("length argument must be non-negative")
    if x < 0 and not signed:
        raise OverflowError("can't convert negative int to unsigned")
    items, rest = [], x
    for _ in range(length):
        items.append(rest & 255)
        rest >>= 8
    if rest != (-1 if x < 0 else 0) or (signed and length > 0 and (items[-1] > 127) != (x < 0)):
        raise OverflowError("int too big to convert")
    return Bytes(items if byteorder == "little" else items[::-1])


def of_array(x: Any, order: str = "C") -> Any:
    """`ndarray.tobytes`."""
    made = Bytes()
    made._held = x.ravel(order).view(np.uint8).tolist()
    return made
