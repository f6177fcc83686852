"""What the items of a list of unknown length are, and how one is laid out in columns.

Number   a number: one column; of several kinds (`infer.joins.kinds`), a second says which, and
         where ints of 64 bits are among floats, a third has these
Block    an array: a column of blocks, and one of sizes for each dimension that data decides
Row      a tuple, or a list of known length whose items are of several types: theirs, in order
Made     a bound method, or a text that the host puts together: as a row of what it is made of
Nested   a list, or a tuple of unknown length, which is a value as a text is: a column of lengths,
         and its items' columns with a dimension more
Several  one of several of these of no one type, arrays of one type at most among them and no lists
         but those of pools: a column of which, and those of each; of None and one other, a column
         of whether it is the other
Same     a constant that is no number: none
Known    an int or bool that is known: none
Pick     one of several texts or members of an enum: a column of which
Chars    a text that data makes: a column of lengths, unless they are all of one, and one of rows of
         code points (`lib.strings`)
Handle   an instance: a column of which row of the pool of its class (`infer.lists.pools`) it is; of
         one of several classes: one of which, before
"""

from __future__ import annotations

import functools
from dataclasses import field
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType
from typing import Any

import numpy as np

from pyxla.abstract.heap import GrowingList, ListCell
from pyxla.abstract.lattice import Reading
from pyxla.frozen import dataclass
from pyxla.infer.joins import kinds
from pyxla.infer.lists.sites import Meeting
from pyxla.ir.types import ArrayType


@dataclass(frozen=True, slots=True)
class Number:
    """A number held as this type of rank 0 (weak: a Python scalar); `choices` are its kinds, where
    there are several."""

    type: ArrayType
    choices: tuple[Any, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether ints have a column of their own beside that of the wider type."""
        return kinds.mixes(self.choices)


@dataclass(frozen=True, slots=True)
class Block:
    """An array; of dimensions `axes`, `shape` is what there is room for.

    room: whether arrays of other sizes may be in the list with it, which is not None then, and for
    how many elements more there is room where one gets longer (`Demands.rooms`).
    """

    dtype: np.dtype
    shape: tuple[int, ...]
    axes: tuple[int, ...] = ()
    room: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Row:
    """A tuple, a list (`cls` is list) of so many items, a range: where it starts and stops, and
    its step; or an int of more than 64 bits (`cls` has a part of it): the rest.  sites: as of
    `Nested`."""

    cls: Any
    items: tuple[Any, ...]
    sites: Meeting | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Made(Row):
    """An object that has parts (`lattice.Compound`) of this kind (`cls`) and `meta`."""

    meta: Any = None


@dataclass(frozen=True, slots=True)
class Nested:
    """A list, or a tuple (`cls`), with room for `capacity` items (`item` is None where none was
    seen yet), `fixed` of which it has, or None where that is known at run time only; `sites`, where
    such lists are made, if that is known."""

    item: Any
    capacity: int
    fixed: int | None
    sites: Meeting | None = field(default=None, compare=False)
    cls: type = list


@dataclass(frozen=True, slots=True)
class Several:
    """One of these items, of which no two have a common type; they are in one order always, None
    first, so that lists that meet again and again are of one item in the end."""

    items: tuple[Any, ...]

    @property
    def optional(self) -> bool:
        """Whether it is None or the one other."""
        return len(self.items) == 2 and self.items[0] == NONE


@dataclass(frozen=True, slots=True)
class Same:
    """A constant that is no number."""

    value: Any


@dataclass(frozen=True, slots=True)
class Known:
    """This int or bool, as long as it is no other, in a frame (`frontend.recursion`)."""

    cls: type
    value: int


@dataclass(frozen=True, slots=True)
class Pick:
    """One of these texts or members of an enum."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Chars:
    """A text of code points of this type, with room for `capacity`, or (`fixed`) of this length."""

    dtype: np.dtype
    capacity: int
    fixed: bool


@dataclass(frozen=True, slots=True)
class Handle:
    """An instance of one of these classes."""

    classes: tuple[type, ...]

    @property
    def tagged(self) -> bool:
        """Whether there is a column of which class it is."""
        return len(self.classes) > 1


NONE = Same(None)
# What rows have in a column in which none has anything yet: it becomes what is put there.
UNSET = Same(object())
# More items of no one type than this are not in one list.
MOST = 6
PICKED = (str, Enum)
_FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodDescriptorType, np.ufunc)
CONSTANTS = (*PICKED, type(None), type, *_FUNCTIONS, range, Reading)
LISTS = (ListCell, GrowingList)
Item = Number | Block | Row | Nested | Several | Same | Known | Pick | Chars | Handle


@functools.cache
def has_own_order(cls: Any) -> bool:
    """Whether tuples of a class say for themselves what is equal, or comes first."""
    if not isinstance(cls, type) or not issubclass(cls, tuple):
        return False
    return any(getattr(cls, n) is not getattr(tuple, n) for n in ("__eq__", "__lt__", "__gt__"))


def compares_itself(item: Any) -> bool:
    """Whether an item is such a tuple, or a text of floats, of which several look alike; or has
    one."""
    if isinstance(item, Nested):
        return compares_itself(item.item)
    shown = isinstance(item, Made) and item.cls == "text"
    own = shown or (isinstance(item, Row) and has_own_order(item.cls))
    return own or isinstance(item, (Row, Several)) and any(map(compares_itself, item.items))
