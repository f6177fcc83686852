"""The state of a program being written: names with representative values, features, lines."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.fuzz.values import Expr, kind

LARGEST = 64
VALUES = 0.3
MUDDLED = 0.3


@dataclass(slots=True)
class Scope:
    """One function being written.

    names: visible variables and a representative value of each.  bounds: loop counters that are
    at least 0 and below a constant.  values: arrays that are bound again in blocks and hardly ever
    written to, because which array a write reaches would depend on the path taken.  fixed: names
    that must not be assigned.  held: names that must keep their kind.  slots: the kinds that every
    `return` must give, or None where there is only one `return`.  risky: whether what raises by
    itself for some arguments is written.
    """

    rng: random.Random
    namespace: dict[str, Any]
    features: set[str]
    names: dict[str, Any] = field(default_factory=dict)
    bounds: dict[str, int] = field(default_factory=dict)
    values: set[str] = field(default_factory=set)
    fixed: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)
    lines: list[str] = field(default_factory=list)
    indent: int = 1
    nesting: int = 0
    loops: int = 0
    slots: tuple[Any, ...] | None = None
    counter: list[int] = field(default_factory=lambda: [0])
    budget: int = 40
    avoid: frozenset[str] = frozenset()
    risky: bool = False

    def feature(self, *names: str) -> None:
        self.features.update(names)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    def fresh_name(self, stem: str) -> str:
        self.counter[0] += 1
        return f"{stem}{self.counter[0]}"

    def evaluate(self, text: str) -> Any:
        """The value of an expression on copies of the representative values."""
        return eval(text, self.namespace, copy.deepcopy(self.names))

    def make(self, text: str, fresh: bool = True) -> Expr | None:
        """The expression, or None if CPython refuses it or its value is unwieldy."""
        try:
            value = self.evaluate(text)
        except Exception:
            return None
        if isinstance(value, np.ndarray) and (
            value.size > LARGEST or value.dtype.kind not in "biufc"
        ):
            return None
        return Expr(text, value, fresh)

    def pick(self, wanted: Callable[[Any], bool]) -> Expr | None:
        """A variable whose value is wanted."""
        found = [name for name, value in self.names.items() if wanted(value)]
        if not found:
            return None
        name = self.rng.choice(found)
        return Expr(name, self.names[name], False)

    def pick_cell(self, wanted: Callable[[Any], bool]) -> Expr | None:
        """An array variable that may be written to."""
        found = self.pick(wanted)
        if found is None or found.text not in self.values:
            return found
        if self.chance(MUDDLED):
            self.feature("maybe-alias")
            return found
        return None

    def follow(self, name: str, base: str) -> None:
        """A view or alias is a value where its base is one."""
        if base in self.values:
            self.values.add(name)

    def rebindable(self, name: str) -> bool:
        """Whether an array's name may be bound to another array here."""
        return not self.nesting or name in self.values or self.chance(MUDDLED)

    def assignable(self, wanted: Callable[[Any], bool]) -> list[str]:
        return [n for n, v in self.names.items() if n not in self.fixed and wanted(v)]

    def keeps_kind(self, name: str, value: Any) -> bool:
        return kind(self.names[name]) == kind(value)

    @contextmanager
    def block(self, loop: bool = False) -> Iterator[None]:
        """A nested block: names made inside are forgotten after it."""
        names, bounds, fixed = dict(self.names), dict(self.bounds), set(self.fixed)
        self.indent += 1
        self.nesting += 1
        self.loops += loop
        start = len(self.lines)
        yield
        if len(self.lines) == start:
            self.emit("pass")
        self.indent -= 1
        self.nesting -= 1
        self.loops -= loop
        self.names = {name: self.names.get(name, value) for name, value in names.items()}
        self.bounds, self.fixed = bounds, fixed
