"""What visits of a loop found out, for its next visit: passes of nested loops multiply."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field
from typing import Any

from pyxla.frozen import dataclass


@dataclass(slots=True)
class LoopMemory:
    """What is known of one loop of the untyped code.

    unrolled: whether it was visited once per iteration.  directions: how far the bounds of ints
    had to be widened, by name.  rebound, unread: phis of the header, by position (see
    `infer.loops.guesses`).  fields: attributes that it changes.  arrays: those of them that get
    other arrays.  brought: by the types that it starts with, what phis were where an iteration
    ended.
    """

    unrolled: bool = False
    directions: dict[str | int, Any] = field(default_factory=dict)
    rebound: set[int] | None = None
    unread: set[int] | None = None
    fields: frozenset[str] | None = None
    arrays: set[str] = field(default_factory=set)
    brought: dict[Hashable, dict[int, Any]] = field(default_factory=dict)
