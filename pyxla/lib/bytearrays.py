"""`bytes` and `bytearray`, as Python that is compiled like the user's: over a list of ints.

What is a function here and no method is called of `bytes` that are known, too.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from pyxla.lib.lists import Changing, Items


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

    def hex(self) -> str:
        return "".join([f"{x:02x}" for x in self._held])

    def count(self, part: Any, start: Any = None, end: Any = None) -> int:
        return occurrences(self, part, start, end)

    def __contains__(self, x: Any) -> bool:
        if isinstance(x, (int, np.integer)):
            return _byte(x) in self._held
        return find(self, _octets(x)) >= 0

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
        return self._over(self._held + _added(self, other))

    def __radd__(self, other: Any) -> Any:
        if not isinstance(other, (bytes, bytearray)):
            return NotImplemented
        return Bytes(list(other) + self._held)

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
        self._held.extend(_added(self, other))
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


def encode(text: str, encoding: str = "utf-8") -> Any:
    """`str.encode`."""
    name = NAMES[encoding]
    last = 255 if name == "latin-1" else 127
    items = []
    for at, letter in enumerate(text):
        code = ord(letter)
        if code <= last:
            items.append(code)
        elif name != "utf-8":
            end = _run(text, at, last + 1, 0x110000)
            raise UnicodeEncodeError(name, text, at, end, f"ordinal not in range({last + 1})")
        elif 0xD800 <= code < 0xE000:
            end = _run(text, at, 0xD800, 0xE000)
            raise UnicodeEncodeError(name, text, at, end, "surrogates not allowed")
        else:
            if code < 0x800:
                items.append(0xC0 | (code >> 6))
            elif code < 0x10000:
                items += [0xE0 | (code >> 12), 0x80 | ((code >> 6) & 63)]
            else:
                items += [0xF0 | (code >> 18), 0x80 | ((code >> 12) & 63)]
                items.append(0x80 | ((code >> 6) & 63))
            items.append(0x80 | (code & 63))
    return _made((), items)


def _run(text: str, at: int, low: int, high: int) -> int:
    """Where the letters from `at` on end that have such codes."""
    while at < len(text) and low <= ord(text[at]) < high:
        at += 1
    return at


def decode(octets: Any, encoding: str = "utf-8") -> str:
    """`bytes.decode`."""
    name = NAMES[encoding]
    last = 255 if name == "latin-1" else 127
    held, letters, at = list(octets), [], 0
    octets = bytes(octets)  # which exceptions have
    while at < len(held):
        code, more = held[at], 0
        if code > last:
            if name != "utf-8":
                raise UnicodeDecodeError(name, octets, at, at + 1, "ordinal not in range(128)")
            low, high = 0x80, 0xBF
            if 0xC2 <= code < 0xE0:
                code, more = code & 31, 1
            elif 0xE0 <= code < 0xF0:
                low = 0xA0 if code == 0xE0 else low
                high = 0x9F if code == 0xED else high
                code, more = code & 15, 2
            elif 0xF0 <= code < 0xF5:
                low = 0x90 if code == 0xF0 else low
                high = 0x8F if code == 0xF4 else high
                code, more = code & 7, 3
            else:
                raise UnicodeDecodeError(name, octets, at, at + 1, "invalid start byte")
            for i in range(at + 1, at + more + 1):
                if i >= len(held):
                    raise UnicodeDecodeError(name, octets, at, i, "unexpected end of data")
                if not low <= held[i] <= high:
                    raise UnicodeDecodeError(name, octets, at, i, "invalid continuation byte")
                code, low, high = (code << 6) | (held[i] & 63), 0x80, 0xBF
        letters.append(chr(code))
        at += more + 1
    return "".join(letters)


NAMES = {"utf-8": "utf-8", "utf8": "utf-8", "ascii": "ascii", "us-ascii": "ascii"}
NAMES |= dict.fromkeys(("latin-1", "latin1", "iso-8859-1"), "latin-1")


def join(between: Any, parts: Any) -> Any:
    """`bytes.join`."""
    held: list[int] = []
    for at, part in enumerate(parts):
        if not isinstance(part, (bytes, bytearray)):
            told = f"a bytes-like object, {type(part).__name__} found"
            raise TypeError(f"sequence item {at}: expected {told}")
        if at > 0:
            held += list(between)
        held += list(part)
    return _made(between, held)


def startswith(octets: Any, part: Any, start: Any = None, end: Any = None) -> bool:
    """`bytes.startswith`."""
    if isinstance(part, tuple):
        return any(startswith(octets, _octets(x), start, end) for x in part)
    held, looked = _between(octets, start, end), _affix(part, "startswith")
    return held is not None and held[: len(looked)] == looked


def endswith(octets: Any, part: Any, start: Any = None, end: Any = None) -> bool:
    """`bytes.endswith`."""
    if isinstance(part, tuple):
        return any(endswith(octets, _octets(x), start, end) for x in part)
    held, looked = _between(octets, start, end), _affix(part, "endswith")
    return held is not None and held[max(len(held) - len(looked), 0) :] == looked


def find(octets: Any, part: Any, start: Any = None, end: Any = None) -> int:
    """`bytes.find`."""
    looked, held = _looked_for(part), _between(octets, start, end)
    if held is not None:
        for at in range(len(held) - len(looked) + 1):
            if held[at : at + len(looked)] == looked:
                return at if start is None else at + slice(start, end).indices(len(octets))[0]
    return -1


def index(octets: Any, part: Any, start: Any = None, end: Any = None) -> int:
    """`bytes.index`."""
    at = find(octets, part, start, end)
    if at < 0:
        raise ValueError("subsection not found")
    return at


def occurrences(octets: Any, part: Any, start: Any = None, end: Any = None) -> int:
    """`bytes.count`: of parts none of which overlaps another."""
    held = _between(octets, start, end)
    if held is None:
        return 0
    if not isinstance(part, (bytes, bytearray)):
        return held.count(_looked_for(part)[0])
    looked, found, at = list(part), 0, 0
    while at + len(looked) <= len(held):
        same = held[at : at + len(looked)] == looked
        found += same
        at += max(len(looked), 1) if same else 1
    return found


def replace(octets: Any, old: Any, new: Any, count: int = -1) -> Any:
    """`bytes.replace`."""
    held, old, new = list(octets), list(_octets(old)), list(_octets(new))
    items: list[int] = []
    at = done = 0
    while at <= len(held):
        same = (count < 0 or done < count) and held[at : at + len(old)] == old
        if same:
            items += new
            done += 1
        if not same or len(old) == 0:
            items += held[at : at + 1]
            at += 1
        else:
            at += len(old)
    return _made(octets, items)


def _made(like: Any, items: list[int]) -> Any:
    made = ByteArray() if isinstance(like, bytearray) else Bytes()
    made._held = items
    return made


def _between(octets: Any, start: Any, end: Any) -> list[int] | None:
    """The items that a method is asked about; None where they would begin behind the end."""
    if start is None and end is None:
        return list(octets)
    if start is not None and start > len(octets):
        return None
    low, high, _ = slice(start, end).indices(len(octets))
    return list(octets)[low:high] if low <= high else None


def _octets(x: Any) -> Any:
    if not isinstance(x, (bytes, bytearray)):
        raise TypeError(f"a bytes-like object is required, not '{type(x).__name__}'")
    return x


def _added(x: Any, other: Any) -> list[int]:
    if not isinstance(other, (bytes, bytearray)):
        raise TypeError(f"can't concat {type(other).__name__} to {type(x).__name__}")
    return list(other)


def _looked_for(x: Any) -> list[int]:
    if isinstance(x, (bytes, bytearray)):
        return list(x)
    if not isinstance(x, (int, np.integer)):
        kind = type(x).__name__
        raise TypeError(f"argument should be integer or bytes-like object, not '{kind}'")
    return [_byte(x)]


def _affix(x: Any, method: str) -> list[int]:
    if not isinstance(x, (bytes, bytearray)):
        kind = type(x).__name__
        raise TypeError(f"{method} first arg must be bytes or a tuple of bytes, not {kind}")
    return list(x)
