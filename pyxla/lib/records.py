"""Structured arrays as structs of arrays, as Python that is compiled like the user's.

One is an instance with an array for each field, of a class for each dtype (`records`); an element
of it is a place in it.  What is written to a field of an argument is written to the caller's array.
"""

from __future__ import annotations

import functools
import math
from typing import Any, ClassVar

import numpy as np

# Before the name of a field in that of the attribute that holds its array: no program has such.
FIELD = " "
AMBIGUOUS = (
    "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
)
KINDS = (None, "quicksort", "heapsort", "mergesort", "stable")


class Records:
    """A structured array of `__pyxla_dtype__`."""

    # Of the class: its dtype, the names of the fields, the class itself, that of elements, what it
    # stands for, whether that is no class of its own, and whether elements are ordered.
    __pyxla_dtype__: np.dtype
    __pyxla_names__: tuple[str, ...] = ()
    __pyxla_class__: Any = None
    __pyxla_element__: Any = None
    __pyxla_type__: type = np.ndarray
    __pyxla_plain__ = True
    __pyxla_ordered__ = True
    __pyxla_functions__: ClassVar[dict[Any, Any]]  # NumPy's, as they are of such arrays

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> Any:
        columns = [np.asarray(column) for column in fields.values()]
        inner = cls.__pyxla_dtype__[0].ndim
        out = np.empty(columns[0].shape[: columns[0].ndim - inner], cls.__pyxla_dtype__)
        for name, column in zip(cls.__pyxla_names__, columns, strict=True):
            out[name] = column
        return out.view(cls.__pyxla_type__)

    def __setattr__(self, name: str, x: Any) -> None:
        raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}")

    def __len__(self) -> int:
        return len(self[self.__pyxla_names__[0]])

    def __bool__(self) -> bool:
        if len(self) > 1:
            raise ValueError(AMBIGUOUS)
        return bool(unsupported(self))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self.__pyxla_names__:
                raise ValueError(f"no field of name {key}")
            return getattr(self, FIELD + key)
        if isinstance(key, int | np.integer):
            self[self.__pyxla_names__[0]][key]  # which raises, where it is out of range
            return element(self, key)
        if is_names(key):
            return part(self, key)
        return build(self.__pyxla_class__, [self[name][key] for name in self.__pyxla_names__])

    def __setitem__(self, key: Any, x: Any) -> None:
        names = self.__pyxla_names__
        if isinstance(key, str):
            self[key][...] = x
        elif is_names(key):
            part(self, key)[...] = x
        elif is_structured(x, True) or is_structured(x, False):
            others = x.__pyxla_names__ if is_structured(x, True) else names_in(x)
            for i in range(len(names)):
                self[names[i]][key] = x[others[i]]
        elif isinstance(x, tuple):
            for i in range(len(names)):
                self[names[i]][key] = x[i]
        else:
            for name in names:
                self[name][key] = x

    def __iter__(self) -> Any:
        return [self[i] for i in range(len(self))]

    def __eq__(self, other: Any) -> Any:
        if not is_structured(other, True) or other.__pyxla_names__ != self.__pyxla_names__:
            return unsupported(other)
        found = True
        for name in self.__pyxla_names__:
            found = (self[name] == other[name]) & found
        return found

    __hash__ = None  # type: ignore[assignment]

    def copy(self) -> Any:
        return build(self.__pyxla_class__, [self[name].copy() for name in self.__pyxla_names__])

    def argsort(self, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
        return argsort(self, axis, kind, order)

    def sort(self, axis: Any = -1, kind: Any = None, order: Any = None) -> None:
        self[...] = sort(self, axis, kind, order)

    def tolist(self) -> list[Any]:
        return list(zip(*[self[name].tolist() for name in self.__pyxla_names__], strict=True))

    @property
    def shape(self) -> Any:
        return self[self.__pyxla_names__[0]].shape

    @property
    def size(self) -> int:
        return self[self.__pyxla_names__[0]].size

    @property
    def ndim(self) -> int:
        return self[self.__pyxla_names__[0]].ndim

    @property
    def dtype(self) -> Any:
        return self.__pyxla_dtype__


class NamedRecords(Records):
    """A `np.recarray`, whose fields are attributes."""

    __pyxla_type__ = np.recarray
    __pyxla_plain__ = False
    __pyxla_functions__: ClassVar[dict[Any, Any]] = {}

    def __getattr__(self, name: str) -> Any:
        return self[name]

    def __setattr__(self, name: str, x: Any) -> None:
        self[name] = x


class Record:
    """An element of a structured array: what is written to it is written there."""

    __pyxla_array__: Any
    __pyxla_at__: Any
    __pyxla_type__: type = np.void

    def __setattr__(self, name: str, x: Any) -> None:
        raise AttributeError(f"'numpy.void' object has no attribute {name!r}")

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> Any:
        return fields["__pyxla_array__"][fields["__pyxla_at__"]]

    def __getitem__(self, key: Any) -> Any:
        name = key if isinstance(key, str) else names_in(self)[key]
        return self.__pyxla_array__[name][self.__pyxla_at__]

    def __setitem__(self, key: Any, x: Any) -> None:
        name = key if isinstance(key, str) else names_in(self)[key]
        self.__pyxla_array__[name][self.__pyxla_at__] = x

    def __len__(self) -> int:
        return len(names_in(self))

    def __bool__(self) -> bool:
        return bool(unsupported(self))

    def __iter__(self) -> Any:
        return map(self.__getitem__, names_in(self))  # read when its turn comes

    def __eq__(self, other: Any) -> Any:
        if not is_structured(other, False) or names_in(other) != names_in(self):
            return unsupported(other)
        found = np.True_
        for name in names_in(self):
            found = found & (self[name] == other[name])
        return found

    __hash__ = None  # type: ignore[assignment]

    def item(self) -> Any:
        return tuple([self[name].item() for name in names_in(self)])

    tolist = item


class NamedRecord(Record):
    """An element of a `np.recarray`."""

    __pyxla_type__ = np.record

    def __getattr__(self, name: str) -> Any:
        return self[name]

    def __setattr__(self, name: str, x: Any) -> None:
        self[name] = x


class Blocks(Records):
    """A structured array of which some fields are arrays: those have more dimensions than it."""

    __pyxla_ordered__ = False

    def __getitem__(self, key: Any) -> Any:
        self._check(key)
        return super().__getitem__(key)

    def __setitem__(self, key: Any, x: Any) -> None:
        self._check(key)
        values = isinstance(key, str) or is_structured(x, True) or is_structured(x, False)
        if not values and not isinstance(x, tuple) and np.ndim(x):
            unsupported(self)
        super().__setitem__(key, x)

    def _check(self, key: Any) -> None:
        """Raise what an index raises that does not fit, which a field may take for its own."""
        if not isinstance(key, str | int | np.integer) and not is_names(key):
            if isinstance(key, tuple) and any([k is ... for k in key]):
                unsupported(self)
            np.empty(self.shape, bool)[key]

    def __eq__(self, other: Any) -> Any:
        return unsupported(self)

    __hash__ = None  # type: ignore[assignment]

    def tolist(self) -> Any:
        return unsupported(self)

    @property
    def shape(self) -> Any:
        return self[self.__pyxla_names__[0]].shape[: self.ndim]

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        return self[self.__pyxla_names__[0]].ndim - self.__pyxla_dtype__[0].ndim


class BlockRecord(Record):
    """An element of one of those."""

    def __eq__(self, other: Any) -> Any:
        return unsupported(self)

    __hash__ = None  # type: ignore[assignment]

    def item(self) -> Any:
        return unsupported(self)

    tolist = item


def names_in(x: Any) -> Any:
    """The names of the fields of an element."""
    return x.__pyxla_array__.__pyxla_names__


def is_names(key: Any) -> bool:
    """Whether an index is a list of names of fields; inference knows."""
    raise NotImplementedError(key)


def part(array: Any, names: list[str]) -> Any:
    """The structured array of the fields of these names, a view; inference makes it."""
    raise NotImplementedError(array, names)


def build(cls: type, columns: list[Any]) -> Any:
    """The structured array of these columns; inference makes it."""
    raise NotImplementedError(cls, columns)


def element(array: Any, at: Any) -> Any:
    """The element of a structured array at a place, which is in range; inference makes it."""
    raise NotImplementedError(array, at)


def is_structured(x: Any, array: bool) -> bool:
    """Whether `x` is a structured array, or an element of one; inference knows."""
    raise NotImplementedError(x, array)


def unsupported(x: Any) -> Any:
    """What is refused of structured arrays."""
    return np.rec.array(x)


# --- NumPy's functions of structured arrays ------------------------------------------------------


def is_plain(x: Any) -> bool:
    """Whether `x` is a structured array, but no `np.recarray`."""
    return is_structured(x, True) and x.__pyxla_plain__


def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    """By the fields in `order`, then by all others."""
    names = a.__pyxla_names__
    if (
        not is_plain(a)
        or not a.__pyxla_ordered__
        or a.ndim != 1
        or axis not in (-1, 0)
        or kind not in KINDS
    ):
        return unsupported(a)
    first = (order,) if isinstance(order, str) else tuple(order or ())
    for name in first:
        if name not in names:
            raise ValueError(f"unknown field name: {name}")
    ranked = first + tuple([name for name in names if name not in first])
    return np.lexsort([a[name] for name in ranked[::-1]])


def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    return a[argsort(a, axis, kind, order)]


def concatenate(arrays: Any) -> Any:
    cls = arrays[0].__pyxla_class__
    for a in arrays:
        if not is_plain(a) or a.__pyxla_dtype__ != cls.__pyxla_dtype__:
            return unsupported(a)
    return build(cls, [np.concatenate([a[name] for a in arrays]) for name in cls.__pyxla_names__])


def column(function: Any, shape: Any, inner: Any, dtype: Any) -> Any:
    """What `np.zeros` and the like make for a field that is an array of shape `inner`."""
    return function((*shape, *inner) if isinstance(shape, tuple) else (shape, *inner), dtype)


def copy(a: Any) -> Any:
    return a.copy()


def zeros_like(a: Any) -> Any:
    return build(a.__pyxla_class__, [np.zeros_like(a[name]) for name in a.__pyxla_names__])


def ones_like(a: Any) -> Any:
    return build(a.__pyxla_class__, [np.ones_like(a[name]) for name in a.__pyxla_names__])


FUNCTIONS: dict[Any, Any] = {
    np.sort: sort,
    np.argsort: argsort,
    np.concatenate: concatenate,
    np.copy: copy,
    np.zeros_like: zeros_like,
    np.empty_like: zeros_like,
    np.ones_like: ones_like,
}
Records.__pyxla_functions__ = FUNCTIONS


@functools.lru_cache(256)
def records(dtype: np.dtype, named: bool = False) -> type[Records] | None:
    """The class that structured arrays of a dtype are of; None where fields are no numbers.

    named: whether its fields are attributes, as those of a `np.recarray` are, which then may not be
    called as what all arrays have.
    """
    names = dtype.names or ()
    plain = all(dtype[name].base.names is None for name in names)
    if not names or not plain or (named and any(hasattr(np.recarray, name) for name in names)):
        return None
    own = {"__pyxla_dtype__": dtype, "__pyxla_names__": names}
    whole: type = NamedRecords if named else Records
    one: type = NamedRecord if named else Record
    if any(dtype[name].ndim for name in names):
        whole, one = type("Blocks", (Blocks, whole), {}), type("Block", (BlockRecord, one), {})
    cls: Any = type("ndarray", (whole,), own)
    cls.__pyxla_class__, cls.__pyxla_element__ = cls, one
    return cls
