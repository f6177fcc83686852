"""Which lists and instances are kept as arrays, and what to try where a program is refused so.

An attempt at a program has a `Policy`, and leaves `Findings`: what it did for the policy's sake, or
did not do.  Any of these may be why the program is refused, so the next attempt does otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pyxla.infer.lists.sites import Sites

# Loops over lists of at most this many items are unrolled rather than kept with an array.
SHORT = 16
# So many iterations are visited before lists become arrays instead.
TURNS = 400


@dataclass(frozen=True, slots=True)
class Policy:
    """What an attempt may do.

    lists: which lists of numbers become arrays: "long" ones, "all", or "none".  grows: whether
    lists may be of unknown length.  rooms: whether arrays may be of sizes that nothing bounds
    (`infer.arrays.room`).  pooled: classes whose instances are in pools (`infer.lists.pools`).
    everywhere: whether dicts, sets and the like are in the pools of theirs where no loop makes them
    too.  shared: whether lists that are put in lists of unknown length are in pools
    (`infer.lists.sites`).  apart: whether a name may be one of values of no one type
    (`infer.joins.variants`).
    """

    lists: str = "long"
    grows: bool = True
    rooms: bool = False
    pooled: frozenset[type] = frozenset()
    everywhere: bool = False
    shared: bool = False
    apart: bool = False


@dataclass(slots=True)
class Findings:
    """What an attempt met.

    made: a list became an array.  wanted: one did not, which might be why a program is refused.
    grew: a list is of unknown length.  sized: an array would be of a size that nothing bounds.
    turns: iterations that were visited one by one while a list might be an array instead.
    met: a name or an item has no one type.
    listed: how many lists are made, more than one in loops.  sites: the places that make the lists
    of a pool each.
    recursive: functions whose calls of themselves become loops (`frontend.recursion`), with what
    they were refused for; recursing: others, which might.  deep: how often calls were
    nested too deeply.
    classes: those whose instances might be in pools, of all that instances were made of (made_of);
    containers: the same of those that stand for dicts, sets and the like.
    """

    policy: Policy
    made: bool = False
    wanted: bool = False
    grew: bool = False
    sized: bool = False
    met: bool = False
    listed: int = 0
    turns: int = 0
    classes: set[type] = field(default_factory=set)
    containers: set[type] = field(default_factory=set)
    made_of: set[type] = field(default_factory=set)
    sites: set[Sites] = field(default_factory=set)
    recursive: dict[Any, Any] = field(default_factory=dict)
    recursing: dict[Any, Any] = field(default_factory=dict)
    deep: int = 0

    def allows(self, length: int, exact: bool) -> bool:
        """Whether a list of `length` items may become an array; `exact` if no number changes."""
        lists = self.policy.lists
        allowed = lists == "all" or (lists == "long" and exact and length > SHORT)
        self.wanted |= not allowed
        self.made |= allowed
        return allowed

    def turn(self) -> bool:
        """Count an iteration that is visited on its own: whether that is still worth its time,
        where a list that becomes an array would do."""
        self.turns += self.wanted and self.policy.lists == "long"
        self.made |= self.turns > TURNS
        return self.turns <= TURNS

    def retries(self) -> list[Policy]:
        """The policies of further attempts, after one with the usual policy was refused."""
        pooled = frozenset(self.classes)
        both = pooled | self.containers
        table = (
            (self.sized, Policy(rooms=True)),
            (self.grew, Policy(grows=False)),
            (self.wanted, Policy(lists="all")),
            (bool(pooled), Policy(pooled=pooled)),
            (bool(pooled), Policy(lists="all", pooled=pooled)),
            (bool(self.containers), Policy(pooled=both)),
            (bool(self.containers), Policy(pooled=both, everywhere=True)),
            (self.listed > 1, Policy(pooled=pooled, shared=True)),
            (self.listed > 1, Policy(lists="all", pooled=both, everywhere=True, shared=True)),
            (self.made, Policy(lists="none")),
            (self.met, Policy(apart=True)),
            (self.met and bool(pooled), Policy(pooled=pooled, apart=True)),
            (self.met or self.wanted, Policy(lists="all", pooled=pooled, apart=True)),
        )
        return [policy for found, policy in table if found]
