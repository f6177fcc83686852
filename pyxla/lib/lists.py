"""What sequences over a list share, and lists of classes that derive from `list`."""

from __future__ import annotations

from typing import Any

import numpy as np


class Held:
    """What containers over a list or a dict share."""

    _held: Any
    __pyxla_sequence__ = "_held"

    def __len__(self) -> int:
        return len(self._held)

    def __bool__(self) -> bool:
        return len(self._held) > 0

    def __iter__(self) -> Any:
        return iter(self._held)

    def __contains__(self, x: Any) -> bool:
        return x in self._held

    def __ne__(self, other: object) -> Any:
        return not self == other


class Items(Held):
    """What sequences over a list share.  ordered: the classes that they are compared with."""

    _held: list[Any]
    ordered: Any

    def reverse(self) -> None:
        self._held.reverse()

    def __reversed__(self) -> Any:
        return reversed(self._held)

    def count(self, x: Any) -> int:
        return self._held.count(x)

    def __array__(self) -> Any:
        return np.array(self._held)

    def __lt__(self, other: Any) -> Any:
        return self._held < list(other) if isinstance(other, self.ordered) else NotImplemented

    def __le__(self, other: Any) -> Any:
        return self._held <= list(other) if isinstance(other, self.ordered) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return self._held > list(other) if isinstance(other, self.ordered) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return self._held >= list(other) if isinstance(other, self.ordered) else NotImplemented


class Changing(Items):
    """What those of them share that change."""

    def __setitem__(self, index: Any, x: Any) -> None:
        self._held[index] = x

    def __delitem__(self, index: Any) -> None:
        del self._held[index]

    def __imul__(self, times: Any) -> Any:
        self._held *= times
        return self

    def _set_slice(self, index: slice, values: list[Any], noun: str) -> None:
        """`self[index] = values`, where they are told as `noun` if they are not as many."""
        if index.step is not None and index.step != 1:
            size = len(range(*index.indices(len(self._held))))
            if len(values) != size:
                what = f"attempt to assign {noun} of size {len(values)} to extended slice of size"
                raise ValueError(f"{what} {size}")
        self._held[index] = values


class List(Changing, list):
    """A list of a class that derives from `list`: what the class does not define itself."""

    ordered = list
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, *iterable: Any) -> None:
        self._held = list(*iterable)

    def append(self, x: Any) -> None:
        self._held.append(x)

    def extend(self, iterable: Any) -> None:
        self._held.extend(iterable)

    def insert(self, at: Any, x: Any) -> None:
        self._held.insert(at, x)

    def pop(self, at: Any = -1) -> Any:
        return self._held.pop(at)

    def remove(self, x: Any) -> None:
        self._held.remove(x)

    def clear(self) -> None:
        self._held.clear()

    def copy(self) -> list[Any]:
        return self._held.copy()

    def index(self, x: Any, *within: Any) -> int:
        return self._held.index(x, *within)

    def sort(self, *, key: Any = None, reverse: Any = False) -> None:
        self._held.sort(key=key, reverse=reverse)

    def __getitem__(self, index: Any) -> Any:
        return self._held[index]

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, list):
            kind = type(other).__name__
            raise TypeError(f'can only concatenate list (not "{kind}") to list')
        return self._held + list(other)

    def __radd__(self, other: Any) -> Any:
        return other + self._held if isinstance(other, list) else NotImplemented

    def __iadd__(self, iterable: Any) -> Any:  # type: ignore[misc]
        self._held.extend(iterable)
        return self

    def __mul__(self, times: Any) -> Any:
        return self._held * times

    __rmul__ = __mul__

    def __eq__(self, other: object) -> Any:
        return self._held == list(other) if isinstance(other, list) else NotImplemented

    def __ne__(self, other: object) -> Any:
        return self._held != list(other) if isinstance(other, list) else NotImplemented

    def __repr__(self) -> str:
        return f"{self._held}"
