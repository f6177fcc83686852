"""Variables outside of the program that the program assigns to: of a module or a closure, and
attributes of classes, functions and modules.

One is an argument: an instance whose field is what the variable holds, which takes its value when
the call ends, as the instances do that a program changes.
"""

from __future__ import annotations

import enum
import functools
import types
import weakref
from types import CellType
from typing import Any


class Unset(enum.Enum):
    """What a global variable holds that does not exist yet."""

    UNSET = enum.auto()


class Variable:
    """The variable `name` of a namespace, the attribute `name` of another object, or (`name` None)
    what is in a closure's cell."""

    __slots__ = ("__weakref__", "name", "owner")

    FIELDS = ("value",)

    def __init__(self, owner: Any, name: str | None) -> None:
        self.owner, self.name = owner, name

    @property
    def value(self) -> Any:
        if isinstance(self.owner, CellType):
            return self.owner.cell_contents
        found = namespace(self.owner)
        return found.get(self.name, Unset.UNSET) if found is self.owner else found[self.name]

    @value.setter
    def value(self, x: Any) -> None:
        if isinstance(self.owner, CellType):
            self.owner.cell_contents = x
        elif isinstance(self.owner, dict):
            self.owner[self.name] = x
        else:
            setattr(self.owner, str(self.name), x)

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> Any:
        """What holds a value that is to be stored."""
        return types.SimpleNamespace(**fields)


_KNOWN: weakref.WeakValueDictionary[Any, Variable] = weakref.WeakValueDictionary()


def namespace(owner: Any) -> Any:
    """Where the variables of `owner` are, by name."""
    return owner if isinstance(owner, dict) else vars(owner)


def variable(owner: Any, name: str | None = None) -> Variable:
    """The one variable of that place."""
    key = id(owner), name
    found = _KNOWN.get(key)
    if found is None:
        found = _KNOWN[key] = Variable(owner, name)
    return found


class Attributes:
    """The attributes of a function that was made by a `def` in a program."""


class Closure:
    """A function made by a `def` in a program, one of several of which data decides."""

    __pyxla_type__: type = types.FunctionType

    def __call__(self) -> Any:
        """Visit the function (`infer.calls.closures`)."""


class Partial(Closure):
    """What `functools.partial` makes, likewise."""

    __pyxla_type__ = functools.partial


Attributes.__name__ = "function"  # as messages call their owner
