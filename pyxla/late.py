"""Modules that are loaded when something of them is first asked for.

    emit = late.module("pyxla.lower.emit")        loads nothing
    emit.emit_function(...)                       loads it, once

Of a program that was compiled before, in this process or another, a call needs no compiler: what
calls programs (`api`, `store`, `runtime`) names what makes them (`compiler`, `lower`, `ops`) in
this way, and in no other.  Such a name stands at the top of a module, as an import does.
"""

from __future__ import annotations

import importlib
from typing import Any


class _Late:
    """A module by its name, before and after it is loaded."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(importlib.import_module(self._name), attribute)

    def __repr__(self) -> str:
        return f"<late {self._name}>"


def module(name: str) -> Any:
    """The module of that name, loaded at its first use.

    >>> module("fractions").Fraction(1, 2)
    Fraction(1, 2)
    """
    return _Late(name)
