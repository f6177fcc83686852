"""Objects outside of a program: where they are read, and which of them never change.

Whoever calls programs looks at these too, without the compiler.
"""

from __future__ import annotations

import enum
import functools
import logging
import re
import types
from typing import Any

import ml_dtypes
import numpy as np

from pyxla.frontend.dispatchers import attribute
from pyxla.frozen import dataclass
from pyxla.guards.states import Name
from pyxla.lib.random.state import STATES

_CONSTANTS = (
    *(bool, int, float, complex, str, bytes, range, slice, np.generic, np.dtype, enum.Enum),
    *(type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType),
    *(types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType),
    *(
        types.GenericAlias,
        types.UnionType,
        types.EllipsisType,
        types.NotImplementedType,
        functools.partial,
        np.ufunc,
        np.finfo,
        np.iinfo,
        logging.Logger,
    ),
    *(types.ClassMethodDescriptorType, types.MethodWrapperType, ml_dtypes.finfo),
    *(re.Pattern, re.Match),
)
# Other libraries' classes of what is known once and for all.
OUTSIDE: list[type] = []
MISSING = object()
# A zero of which XLA does not know that it is one (`infer.exact`): an outside object of programs.
ZERO = np.array(-0.0)
# What keeps the calls of Python in order (`infer.text.printing`): how many there were in this run.
STREAM = np.zeros((), np.int32)
_STEADY = (bool, int, float, complex, np.number, np.bool_)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an outside object is read: `owner[name]` for a namespace, what a class itself has as
    `name`, a closure cell's contents, or (`name` None) the object itself."""

    owner: Any
    name: Any = None

    def read(self) -> Any:
        if self.name is not None:
            return self.namespace().get(self.name, MISSING)
        if isinstance(self.owner, types.CellType):
            return self.owner.cell_contents
        return self.owner

    @property
    def spelled(self) -> str:
        """What it is called: a variable by its name."""
        if self.name is None:
            return "an object of the closure"
        return self.name if isinstance(self.name, str) else f"item {self.name!r} of a dict"

    def test(self, known: Any, name: Name) -> str:
        """An expression that holds while `read` gives `known`: see `states`."""
        if self.name is not None:
            key = repr(self.name) if type(self.name) is str else name(self.name)
            get = f"{name(self.namespace())}.get({key}, {name(MISSING)})"
            return f"{get} is {name(known)}"
        owner = name(self.owner)
        inside = ".cell_contents" if isinstance(self.owner, types.CellType) else ""
        return f"{owner}{inside} is {name(known)}"

    def namespace(self) -> Any:
        return self.owner.__dict__ if isinstance(self.owner, type) else self.owner

    def __hash__(self) -> int:
        return hash((id(self.owner), self.name))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.owner is other.owner and self.name == other.name


def is_fixed(value: Any) -> bool:
    """Whether an outside object is known once and for all, the compiler's own tables aside."""
    if value is None or isinstance(value, (*_CONSTANTS, *OUTSIDE)):
        return True
    if type(value) is tuple or isinstance(value, frozenset):
        return all(is_fixed(item) for item in value)
    if attribute(value, "__pyxla_function__") or hasattr(type(value), "__pyxla_constant__"):
        return True
    if isinstance(value, np.ndarray) or type(value) in STATES:
        return False
    return type(value).__module__.partition(".")[0] == "numpy"


def is_steady(x: Any) -> bool:
    """Whether the hash of `x` is the same in every process."""
    if isinstance(x, (tuple, frozenset)):
        return all(map(is_steady, x))
    return isinstance(x, _STEADY)
