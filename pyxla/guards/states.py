"""What a program was compiled for of outside objects that change in place, noticed at a call.

A state is a guard as `places.Place` is one: `test(known, name)` is an expression, with objects
that `name` names, which holds while all is as it was when `read` gave `known`.
"""

from __future__ import annotations

import abc
import operator
from collections.abc import Callable, Mapping
from dataclasses import field
from types import FunctionType
from typing import Any

from pyxla.frozen import dataclass

Name = Callable[[Any], str]


class State:
    """One of which the test says what there was."""

    __slots__ = ()

    def read(self) -> bool:
        return True


@dataclass(frozen=True, eq=False, slots=True)
class FunctionState(State):
    """The code and the defaults of a function."""

    function: FunctionType

    def test(self, _: Any, name: Name) -> str:
        function, named = name(self.function), self.function.__kwdefaults__
        known = f"{function}.__kwdefaults__ is None"
        if named is not None:
            known = f"{name(_same_items)}({function}.__kwdefaults__, {name(dict(named))})"
        code, defaults = name(self.function.__code__), name(self.function.__defaults__)
        return (
            f"{function}.__code__ is {code} and {function}.__defaults__ is {defaults} and {known}"
        )


def _same_items(now: Mapping[str, Any] | None, known: Mapping[str, Any]) -> bool:
    return (
        now is not None
        and now.keys() == known.keys()
        and all(now[name] is value for name, value in known.items())
    )


@dataclass(frozen=True, eq=False, slots=True)
class LibraryState(State):
    """Names of a library's module, all compared at once: nobody changes them but a test."""

    module: dict[str, Any]
    names: set[str] = field(default_factory=set)

    def test(self, _: Any, name: Name) -> str:
        get = operator.itemgetter("__name__", *self.names)
        return f"{name(get)}({name(self.module)}) == {name(get(self.module))}"


@dataclass(frozen=True, eq=False, slots=True)
class AbsentState(State):
    """Names that a module does not have, so that Python's own are meant."""

    module: dict[str, Any]
    names: set[str] = field(default_factory=set)

    def test(self, _: Any, name: Name) -> str:
        return f"{name(self.module.keys())}.isdisjoint({name(frozenset(self.names))})"


@dataclass(frozen=True, eq=False, slots=True)
class ProcessState(State):
    """Something that another process may have otherwise: a hash of text, say."""

    def test(self, *_: Any) -> str:
        return "True"


@dataclass(frozen=True, eq=False, slots=True)
class BasesState:
    """The bases of a class, and theirs."""

    cls: type

    def read(self) -> tuple[type, ...]:
        return self.cls.__mro__

    def test(self, known: Any, name: Name) -> str:
        return f"{name(self.cls)}.__mro__ is {name(known)}"


@dataclass(frozen=True, eq=False, slots=True)
class RegisteredState(State):
    """The classes that are registered with abstract ones, of which there is one count for all."""

    def test(self, _: Any, name: Name) -> str:
        return f"{name(abc.get_cache_token)}() == {name(abc.get_cache_token())}"


@dataclass(frozen=True, eq=False, slots=True)
class CountState(State):
    """The functions that are registered with a generic one."""

    registry: Mapping[Any, Any]

    def test(self, _: Any, name: Name) -> str:
        return f"{name(self.registry)} == {name(dict(self.registry))}"
