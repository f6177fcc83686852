"""Variables of a function and of the functions nested in it: which are shared, which are not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from pyxla.frozen import dataclass


@dataclass(eq=False, slots=True)
class Scope:
    """Names of one function, gathered while it is desugared; dicts serve as ordered sets.

    generator: whether there is a `yield`.  cell: names bound here that nested functions
    use.  free: names used here or deeper that an enclosing function binds.  `resolve` sets both.
    """

    params: tuple[str, ...]
    stores: dict[str, None] = field(default_factory=dict)
    loads: dict[str, None] = field(default_factory=dict)
    nonlocal_: dict[str, None] = field(default_factory=dict)
    global_: dict[str, None] = field(default_factory=dict)
    children: list[Scope] = field(default_factory=list)
    generator: bool = False
    cell: tuple[str, ...] = ()
    free: tuple[str, ...] = ()

    def bound(self) -> dict[str, None]:
        """The names that are variables of this function."""
        names = dict.fromkeys((*self.params, *self.stores))
        return {n: None for n in names if n not in self.nonlocal_ and n not in self.global_}


def resolve(scope: Scope, outside: Iterable[str]) -> None:
    """Set `cell` and `free` of a scope and its children; `outside` is what encloses it."""
    bound = scope.bound()
    visible = {*outside, *bound} - scope.global_.keys()
    used = dict.fromkeys((*scope.loads, *scope.nonlocal_))
    shared: dict[str, None] = {}
    for child in scope.children:
        resolve(child, visible)
        for name in child.free:
            (shared if name in bound else used)[name] = None
    scope.cell = tuple([name for name in bound if name in shared])
    scope.free = tuple([name for name in used if name in visible and name not in bound])
