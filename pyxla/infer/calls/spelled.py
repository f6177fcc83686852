"""Methods that `@dataclass` generates, as Python with a source, where they may call themselves: the
nodes of a list or a tree are compared as deep as data says (`frontend.recursion`)."""

from __future__ import annotations

import dataclasses
import functools
import linecache
import sys
import types
from typing import Any

from pyxla.abstract.lattice import Const, is_number, is_variant
from pyxla.infer.calls.visiting import class_of
from pyxla.infer.engine import Engine
from pyxla.lib.registry import rule


def holds(engine: Engine, x: Any, cls: type) -> bool:
    """Whether a field holds an instance of the class `cls`, or may."""
    return class_of(engine, x.value if is_variant(x, "optional") else x) is cls


def identical(x: Any, y: Any) -> bool:
    """`x is y`, as comparisons of tuples ask first."""
    return x is y


@rule(identical)
def _identical(engine: Engine, x: Any, y: Any) -> Any:
    """Numbers have no identity."""
    return (
        Const(False) if is_number(x) or is_number(y) else engine.rules.compare(engine, "is_", x, y)
    )


@functools.lru_cache(maxsize=512)
def equality_of(cls: type) -> types.FunctionType:
    """The `__eq__` of a dataclass."""
    names = [f.name for f in dataclasses.fields(cls) if f.compare]  # type: ignore[arg-type]
    same = "self.{0} == other.{0}"
    if sys.version_info < (3, 13):  # fields are compared as tuples
        same = "(identical(self.{0}, other.{0}) or self.{0} == other.{0})"
    text = "\n    ".join(
        [
            f"class {cls.__name__}:",
            "def __eq__(self, other):",
            "    if self is other:",
            "        return True",
            "    if other.__class__ is not self.__class__:",
            "        return NotImplemented",
            f"    return {' and '.join(map(same.format, names)) or True}",
            "",
        ]
    )
    file = f"<{cls.__module__}.{cls.__qualname__}.__eq__ of {', '.join(names)}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    made: dict[str, Any] = {"identical": identical, "__name__": __name__}
    exec(compile(text, file, "exec"), made)
    function: types.FunctionType = vars(made[cls.__name__])["__eq__"]
    return function
