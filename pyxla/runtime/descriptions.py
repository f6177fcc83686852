"""What inference knows of an argument: one record for each kind."""

from __future__ import annotations

import dataclasses
from typing import Any

from pyxla.ir.types import (
    ArrayType,
)
from pyxla.runtime.numbers import Path


@dataclasses.dataclass(frozen=True, slots=True)
class ArgArray:
    """An array: kind is "numpy" (np.ndarray), "jax", "scalar" (an immutable NumPy scalar), or
    "state" (a copy of what an object holds, which nobody else sees)."""

    type: ArrayType
    kind: str = "numpy"
    writeable: bool = True
    leaf: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class ArgScalar:
    """A dynamic Python scalar; kind is "jax" for a weakly typed jax scalar, "word" for an int from
    0 to 2**64, of which the leaf is 2**63 less."""

    type: ArrayType
    leaf: int = 0
    kind: str = "python"


@dataclasses.dataclass(frozen=True, slots=True)
class ArgStatic:
    """A value that is part of the specialization."""

    value: Any


@dataclasses.dataclass(frozen=True, slots=True)
class ArgTuple:
    """A tuple, or an instance of the NamedTuple class `cls`."""

    cls: type
    items: tuple[Arg, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class ArgList:
    items: tuple[Arg, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class ArgNumbers:
    """A long list of Python numbers of one type, or lists of such, as one array; sizes: the leaf
    that has the lengths of the lists in it, where these are of several."""

    type: ArrayType
    leaf: int = 0
    sizes: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class ArgText:
    """A text whose characters are data: its code points, and how many there are."""

    type: ArrayType
    codes: int = 0
    size: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class ArgDict:
    keys: tuple[Any, ...]
    values: tuple[Arg, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class ArgStand:
    """A set, a deque, or a dict of another class, by the list or dict of its items; `fields`: what
    else it holds."""

    cls: type
    inner: ArgList | ArgDict
    fields: tuple[tuple[str, Any], ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class ArgObject:
    """An instance of `cls`, a dataclass or another Python class, by its fields."""

    cls: type
    fields: tuple[tuple[str, Arg], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class ArgMethod:
    """A bound method: `function` of the instance `owner`."""

    function: Any
    owner: Arg


@dataclasses.dataclass(frozen=True, slots=True)
class ArgPytree:
    """A container of a class registered with JAX; `treedef` is its node alone."""

    cls: type
    treedef: Any
    items: tuple[Arg, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class ArgUnknown:
    """Something in a container that is no argument: refused for `reason` where it is read.

    cls: its class.  dtype: of an array.
    """

    cls: type
    dtype: Any
    reason: str
    hint: str


@dataclasses.dataclass(frozen=True, slots=True)
class ArgSame:
    """The mutable container already met at `path`."""

    path: Path


Arg = (
    ArgArray
    | ArgScalar
    | ArgStatic
    | ArgTuple
    | ArgList
    | ArgNumbers
    | ArgText
    | ArgDict
    | ArgStand
    | ArgObject
    | ArgMethod
    | ArgPytree
    | ArgUnknown
    | ArgSame
)
