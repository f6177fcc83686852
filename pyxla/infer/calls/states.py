"""What a program was compiled for of outside objects that change in place, noticed at a call.

A state is a guard as `captures.Place` is one: what its reader gives is compared, by identity, with
what `read` gave.
"""

from __future__ import annotations

import abc
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any


@dataclass(frozen=True, eq=False, slots=True)
class FunctionState:
    """The code and the defaults of a function."""

    function: FunctionType

    def read(self) -> bool:
        return True

    def reader(self) -> Callable[[], bool]:
        function, named = self.function, self.function.__kwdefaults__
        code, defaults = function.__code__, function.__defaults__
        if named is None:
            return lambda: (
                function.__code__ is code
                and function.__defaults__ is defaults
                and function.__kwdefaults__ is None
            )
        known = dict(named)
        return lambda: (
            function.__code__ is code
            and function.__defaults__ is defaults
            and _same_items(function.__kwdefaults__, known)
        )


def _same_items(now: Mapping[str, Any] | None, known: Mapping[str, Any]) -> bool:
    return (
        now is not None
        and now.keys() == known.keys()
        and all(now[name] is value for name, value in known.items())
    )


@dataclass(frozen=True, eq=False, slots=True)
class LibraryState:
    """Names of a library's module, all compared at once: nobody changes them but a test."""

    module: dict[str, Any]
    names: set[str] = field(default_factory=set)

    def read(self) -> bool:
        return True

    def reader(self) -> Callable[[], bool]:
        module, get = self.module, operator.itemgetter("__name__", *self.names)
        known = get(module)
        return lambda: get(module) == known


@dataclass(frozen=True, eq=False, slots=True)
class BasesState:
    """The bases of a class, and theirs."""

    cls: type

    def read(self) -> tuple[type, ...]:
        return self.cls.__mro__

    def reader(self) -> Callable[[], tuple[type, ...]]:
        return self.read


@dataclass(frozen=True, eq=False, slots=True)
class RegisteredState:
    """The classes that are registered with abstract ones, of which there is one count for all."""

    def read(self) -> bool:
        return True

    def reader(self) -> Callable[[], bool]:
        known, count = abc.get_cache_token(), abc.get_cache_token
        return lambda: count() == known


@dataclass(frozen=True, eq=False, slots=True)
class CountState:
    """The functions that are registered with a generic one."""

    registry: Mapping[Any, Any]

    def read(self) -> bool:
        return True

    def reader(self) -> Callable[[], bool]:
        registry, known = self.registry, dict(self.registry)
        return lambda: registry == known
