"""Arrays of objects that start as None, as lists: Python that is compiled like the user's.

One of two dimensions is a list of its rows.  A row is a view, as are a transposed array and the
array that it is of: they have the same lists.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pyxla.lib.records import AMBIGUOUS


class Objects:
    """An array of objects, of one or two dimensions."""

    __pyxla_items__: list[Any]
    __pyxla_shape__: tuple[int, ...]
    __pyxla_type__: type = np.ndarray
    __pyxla_functions__: ClassVar[dict[Any, Any]]  # NumPy's, as they are of such arrays

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> Any:
        shape, items = fields["__pyxla_shape__"], fields["__pyxla_items__"]
        out = np.empty(shape, object)
        for place in np.ndindex(*shape):
            out[place] = cls.__pyxla_at__(items, place)
        return out

    @staticmethod
    def __pyxla_at__(items: Any, place: Any) -> Any:
        """The item at a place that there is."""
        return items[place[0]] if len(place) == 1 else items[place[0]][place[1]]

    def __setattr__(self, name: str, x: Any) -> None:
        unsupported(self)

    def __len__(self) -> int:
        return self.__pyxla_shape__[0]

    def __bool__(self) -> bool:
        if self.size > 1:
            raise ValueError(AMBIGUOUS)
        return bool(self[(0,) * self.ndim]) if self.size else unsupported(self)

    def __getitem__(self, key: Any) -> Any:
        place = within(self, key)
        if len(place) == self.ndim:
            return self.__pyxla_at__(self.__pyxla_items__, place)
        return self.__pyxla_row__(place[0])

    def __pyxla_row__(self, i: int) -> Any:
        return build(Objects, self.__pyxla_items__[i], self.__pyxla_shape__[1:])

    def __setitem__(self, key: Any, x: Any) -> None:
        place = within(self, key)
        if len(place) != self.ndim or (isinstance(x, np.ndarray) and not np.ndim(x)):
            unsupported(self)
        if len(place) == 1:
            self.__pyxla_items__[place[0]] = x
        else:
            self.__pyxla_rows__(place)[place[1]] = x

    def __pyxla_rows__(self, place: Any) -> Any:
        return self.__pyxla_items__[place[0]]

    def __iter__(self) -> Any:
        if self.ndim == 1:  # an item is read when its turn comes
            return self.__pyxla_items__
        return [self[i] for i in range(len(self))]

    def copy(self) -> Any:
        items = self.__pyxla_items__
        made = list(items) if self.ndim == 1 else [list(row) for row in items]
        return build(Objects, made, self.__pyxla_shape__)

    def tolist(self) -> list[Any]:
        return list(self) if self.ndim == 1 else [list(row) for row in self]

    @property
    def T(self) -> Any:  # noqa: N802
        cls = Objects if self.ndim == 1 else Turned
        return build(cls, self.__pyxla_items__, self.__pyxla_shape__[::-1])

    @property
    def shape(self) -> Any:
        return self.__pyxla_shape__

    @property
    def size(self) -> int:
        size = 1
        for n in self.__pyxla_shape__:
            size *= n
        return size

    @property
    def ndim(self) -> int:
        return len(self.__pyxla_shape__)

    @property
    def dtype(self) -> Any:
        return np.dtype(object)

    __hash__ = None  # type: ignore[assignment]

    def _refused(self, *others: Any) -> Any:
        return unsupported(self)

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _refused
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refused
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _refused
    __pow__ = __rpow__ = __matmul__ = __rmatmul__ = __divmod__ = __rdivmod__ = _refused
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _refused
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _refused
    __neg__ = __pos__ = __abs__ = __invert__ = _refused
    __int__ = __float__ = __index__ = __complex__ = __round__ = _refused
    __getattr__ = _refused


class Turned(Objects):
    """The transposed array of one of two dimensions, whose rows it has for columns."""

    @staticmethod
    def __pyxla_at__(items: Any, place: Any) -> Any:
        return items[place[1]][place[0]]

    def __pyxla_row__(self, i: int) -> Any:
        return unsupported(self)

    def __setitem__(self, key: Any, x: Any) -> None:
        unsupported(self)

    def __iter__(self) -> Any:
        return unsupported(self)

    def copy(self) -> Any:
        return build(Turned, [list(row) for row in self.__pyxla_items__], self.__pyxla_shape__)

    def tolist(self) -> list[Any]:
        return [list(row) for row in zip(*self.__pyxla_items__, strict=True)]

    @property
    def T(self) -> Any:  # noqa: N802
        return build(Objects, self.__pyxla_items__, self.__pyxla_shape__[::-1])


def within(x: Any, key: Any) -> Any:
    """The place that an index of ints names, counted from the start."""
    given = key if isinstance(key, tuple) else (key,)
    if len(given) > x.ndim:
        raise IndexError(
            f"too many indices for array: array is {x.ndim}-dimensional, "
            f"but {len(given)} were indexed"
        )
    place = []
    for axis, i in enumerate(given):
        if isinstance(i, bool | np.bool) or not isinstance(i, int | np.integer):
            return unsupported(x)
        n = x.shape[axis]
        if i >= n or i < -n:
            raise IndexError(f"index {i} is out of bounds for axis {axis} with size {n}")
        place.append(i + n if i < 0 else i)
    return tuple(place)


def build(cls: type, items: list[Any], shape: Any) -> Any:
    """The array of these items; inference makes it."""


def array(object: Any) -> Any:
    return object.copy()


def copy(a: Any) -> Any:
    return a.copy()


def same(a: Any) -> Any:
    return a


def atleast_2d(ary: Any) -> Any:
    if ary.ndim == 2:
        return ary
    return build(Objects, [ary.__pyxla_items__], (1, len(ary)))


def transpose(a: Any) -> Any:
    return a.T


def shape(a: Any) -> Any:
    return a.shape


def ndim(a: Any) -> int:
    return len(a.shape)


FUNCTIONS: dict[Any, Any] = {
    np.array: array,
    np.copy: copy,
    np.asarray: same,
    np.asanyarray: same,
    np.atleast_1d: same,
    np.atleast_2d: atleast_2d,
    np.transpose: transpose,
    np.shape: shape,
    np.ndim: ndim,
}
Objects.__pyxla_functions__ = FUNCTIONS


def unsupported(x: Any) -> Any:
    """Refuse what is done with an array of objects; inference does."""
