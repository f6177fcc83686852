"""Where lists are made that are in several places, and the classes of those that are in one pool.

A list is a part of the list or dict of unknown length that it is put in.  One that is put in a
second one as well (`sorted(groups.items())`, `a[i], a[j] = a[j], a[i]`) is a row of a pool, as
instances are (`infer.lists.pools`).  In the last attempts at a program every list knows its *site*,
the place in the program that made it; where it is put in a list of unknown length, inference starts
again with the lists of that site in a pool (`Demands.sites`).  Lists of two sites that meet share
one.  The site of a list that is an argument is the path to it, for all rows of a list one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pyxla.abstract.heap import CellInfo, RowList
from pyxla.infer.demands import Needs, Site, Sites


class PooledList(list):
    """A list in a pool."""

    __pyxla_sites__: Sites = frozenset()


def pooled_list(sites: Sites) -> type[PooledList]:
    """A class of the lists that these sites make."""
    return type("list", (PooledList,), {"__pyxla_sites__": sites})


class Meeting:
    """Sites whose lists are items of one list, by union and find (Steensgaard 1996)."""

    def __init__(self, sites: Sites) -> None:
        self.sites = sites
        self.parent: Meeting | None = None

    def root(self) -> Meeting:
        return self if self.parent is None else self.parent.root()

    def unite(self, other: Meeting) -> None:
        """Let both have the sites of both."""
        first, second = self.root(), other.root()
        if first is not second:
            second.parent, first.sites = first, first.sites | second.sites


def sites_of(cls: Any) -> Sites:
    """The places that make the lists of a pool."""
    return cls.__pyxla_sites__


def is_list(cls: Any) -> bool:
    """Whether the instances of a class of pools are lists."""
    return issubclass(cls, PooledList)


def meet(contents: Sequence[Any], infos: Sequence[CellInfo]) -> None:
    """Ask for one pool where paths meet with lists of which some are in one."""
    classes: set[Any] = {c.cls for c in contents if type(c) is RowList and c.cls is not None}
    if not classes:
        return
    plain = [i.sites for c, i in zip(contents, infos, strict=True) if type(c) is not RowList]
    sites = frozenset().union(*plain, *[cls.__pyxla_sites__ for cls in classes])
    if len(classes) > 1 or any(plain):
        raise Needs(sites=frozenset({sites}))


def of_all(infos: Sequence[CellInfo]) -> Sites:
    """The sites of lists that might be in one pool, or none."""
    found = [info.sites for info in infos]
    return frozenset().union(*found) if all(found) else frozenset()


def apart(sites: Sites, pooled: Mapping[Site, type]) -> bool:
    """Whether lists of these sites, which met and have no type in common, are in one pool."""
    classes = {pooled.get(site) for site in sites}
    return len(classes) <= 1 and None not in classes


def pooled_together(classes: Iterable[type]) -> None:
    """Ask for one pool where lists of several meet."""
    lists: set[type[PooledList]] = {cls for cls in classes if issubclass(cls, PooledList)}
    if len(lists) > 1:
        sites = frozenset().union(*[cls.__pyxla_sites__ for cls in lists])
        raise Needs(sites=frozenset({sites}))
