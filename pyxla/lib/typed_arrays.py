"""`array.array`, as Python that is compiled like the user's: over a list of its items.

https://docs.python.org/3/library/array.html
"""

from __future__ import annotations

import array
import operator
from typing import Any

import numpy as np

from pyxla.lib.lists import Changing

TYPECODES = "bBuhHiIlLqQfd"
# What an int is checked against, in this order: least, greatest, and what CPython calls it.
_SHORT = (-(2**15), 2**15 - 1, "signed short integer")
_INT = (-(2**31), 2**31 - 1, "signed integer")
_CHAR = (-128, 127, "signed char")


class TypedArray(Changing, array.array):  # type: ignore[type-arg]
    """`array.array` over a list; kind: its type code."""

    ordered = array.array
    __pyxla_structural__ = ("kind",)
    __pyxla_buffer__ = "array.array"
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, typecode: Any, initializer: Any = (), /) -> None:
        if not isinstance(typecode, str) or len(typecode) != 1:
            what = type(typecode).__name__
            raise TypeError(f"array() argument 1 must be a unicode character, not {what}")
        if typecode not in TYPECODES:
            known = "b, B, u, h, H, i, I, l, L, q, Q, f or d"
            raise ValueError(f"bad typecode (must be {known})")
        if isinstance(initializer, str) and typecode != "u":
            what = f"initialize an array with typecode '{typecode}'"
            raise TypeError(f"cannot use a str to {what}")
        self.kind = typecode
        self._held: list[Any] = []
        if isinstance(initializer, (bytes, bytearray)):
            self.frombytes(initializer)
        else:
            self._held = [_item(typecode, x) for x in initializer]

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> Any:
        return array.array(fields["kind"], fields["_held"])

    @property
    def typecode(self) -> Any:
        return self.kind

    @property
    def itemsize(self) -> int:
        return np.dtype(np.uint32 if self.kind == "u" else self.kind).itemsize

    def append(self, x: Any) -> None:
        self._held.append(_item(self.kind, x))

    def extend(self, source: Any) -> None:
        if isinstance(source, array.array):
            if source.typecode != self.kind:
                raise TypeError("can only extend with array of same kind")
            self._held.extend(source.tolist())
        else:
            for x in source:
                self._held.append(_item(self.kind, x))

    def fromlist(self, source: Any) -> None:
        if not isinstance(source, list):
            raise TypeError("arg must be list")
        self._held.extend([_item(self.kind, x) for x in source])

    def frombytes(self, source: Any) -> None:
        if len(source) % self.itemsize:
            raise ValueError("bytes length not a multiple of item size")
        dtype = np.uint32 if self.kind == "u" else np.dtype(self.kind)
        found = np.array(list(source), np.uint8).view(dtype).tolist()
        self._held.extend([chr(x) for x in found] if self.kind == "u" else found)

    def tobytes(self) -> bytes:
        return np.array(self._held, self.kind).tobytes()

    def tounicode(self) -> str:
        if self.kind != "u":
            raise ValueError("tounicode() may only be called on unicode type arrays")
        return "".join(self._held)

    def tolist(self) -> list[Any]:
        return self._held[:]

    def insert(self, at: Any, x: Any) -> None:
        self._held.insert(at, _item(self.kind, x))

    def pop(self, at: Any = -1) -> Any:
        if len(self._held) == 0:
            raise IndexError("pop from empty array")
        if not -len(self._held) <= at < len(self._held):
            raise IndexError("pop index out of range")
        return self._held.pop(at)

    def remove(self, x: Any) -> None:
        if x not in self._held:
            raise ValueError("array.remove(x): x not in array")
        self._held.remove(x)

    def index(self, x: Any, *within: Any) -> int:
        try:
            return self._held.index(x, *within)
        except ValueError:
            raise ValueError("array.index(x): x not in array") from None

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return _over(self.kind, self._held[index])
        return self._held[self._place(index, "array index out of range")]

    def __setitem__(self, index: Any, x: Any) -> None:
        if isinstance(index, slice):
            self._set_slice(index, self._checked(x), "array")
        else:
            place = self._place(index, "array assignment index out of range")
            self._held[place] = _item(self.kind, x)

    def _checked(self, x: Any) -> list[Any]:
        """The items of what a slice becomes."""
        if not isinstance(x, array.array):
            what = type(x).__name__
            raise TypeError(f'can only assign array (not "{what}") to array slice')
        if x.typecode != self.kind:
            raise TypeError("bad argument type for built-in operation")
        return x.tolist()

    def __delitem__(self, index: Any) -> None:
        if isinstance(index, slice):
            del self._held[index]
        else:
            del self._held[self._place(index, "array assignment index out of range")]

    def _place(self, index: Any, message: str) -> Any:
        if not isinstance(index, (int, np.integer)):
            raise TypeError("array indices must be integers")
        if not -len(self._held) <= index < len(self._held):
            raise IndexError(message)
        return index

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, array.array):
            raise TypeError(f'can only append array (not "{type(other).__name__}") to array')
        if other.typecode != self.kind:
            raise TypeError("bad argument type for built-in operation")
        return _over(self.kind, self._held + other.tolist())

    def __iadd__(self, other: Any) -> Any:  # type: ignore[misc]
        if not isinstance(other, array.array):
            what = type(other).__name__
            raise TypeError(f'can only extend array with array (not "{what}")')
        self.extend(other)
        return self

    def __mul__(self, times: Any) -> Any:
        if isinstance(times, np.ndarray):
            return NotImplemented
        return _over(self.kind, self._held * times)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, array.array):
            return NotImplemented
        return self._held == list(other)

    def __array__(self) -> Any:
        return np.array(self._held, self.kind)


def _over(kind: str, items: list[Any]) -> TypedArray:
    """A new one over this list, which nothing else holds."""
    made = TypedArray(kind)
    made._held = items
    return made


def _item(kind: str, x: Any) -> Any:
    """What an array of that kind holds of `x`."""
    if kind == "u":
        if not isinstance(x, str) or len(x) != 1:
            raise TypeError("array item must be unicode character")
        return x
    if kind == "f" or kind == "d":
        if not isinstance(x, (int, float, np.integer, np.floating)):
            raise TypeError(f"must be real number, not {type(x).__name__}")
        return float(np.float32(x)) if kind == "f" else float(x)
    x = operator.index(x)
    if kind in "ILQ" and x < 0:
        of = "int to unsigned" if kind == "Q" else "value to unsigned int"
        raise OverflowError(f"can't convert negative {of}")
    if kind in "bh":
        _within(x, _SHORT)
    if kind in "Hi":
        _within(x, _INT)
    if kind == "b":
        _within(x, _CHAR)
    elif kind == "B":
        _within(x, (0, 255, "unsigned byte integer"))
    elif kind == "H":
        _within(x, (0, 2**16 - 1, "unsigned short"))
    elif kind == "I":
        _within(x, (0, 2**32 - 1, "unsigned int"))
    return x


def _within(x: int, bounds: tuple[int, int, str]) -> None:
    least, greatest, what = bounds
    if x < least:
        raise OverflowError(f"{what} is less than minimum")
    if x > greatest:
        raise OverflowError(f"{what} is greater than maximum")
