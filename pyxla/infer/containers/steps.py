"""How sets of constants came about, and so in which order CPython has their items.

The order is that of a hash table whose size and gaps are left from what was done before: a content
keeps the steps (`heap.SetCell`), and CPython takes them again where the order is looked at.  Hashes
of text differ from process to process: a set with text in it is in the order of its items' `repr`.
"""

from __future__ import annotations

import itertools
import struct
import sys
import types
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pyxla.abstract.heap import SetCell, Step
from pyxla.guards.places import is_steady
from pyxla.lib import sets
from pyxla.lib.sets import TableFrozenSet, TableSet

DISORDER = "the order of this set is not the same on all paths that lead here"
SORT = "iterate over sorted(s), or use a dict, which keeps its order"


class Keys(tuple):
    """The keys of a dict, from which CPython makes a set in its own way."""


def made(items: Iterable[Any]) -> SetCell:
    """`set(items)`, of a sequence, a dict's `Keys`, a set or a frozenset."""
    given = items if isinstance(items, (SetCell, Keys, frozenset)) else tuple(items)
    return after(SetCell(frozenset()), Step("update", (given,)))


def displayed(items: list[Any], functions: Iterable[Any]) -> SetCell:
    """`{a, b, c}` in the last of functions that call each other, or are defined in each other;
    constants are put together when CPython compiles it."""
    literal = _literal(items, functions)
    if literal is not None:
        return made(literal)
    out = SetCell(frozenset())
    for item in items:
        out = after(out, Step("add", (item,)))
    return out


def frozen(items: tuple[Any, ...], functions: Iterable[Any]) -> frozenset[Any]:
    """The constants `{a, b, c}` where a loop reads them at once; functions as in `displayed`."""
    literal = _literal(items, functions)
    return frozenset(items) if literal is None else literal


def _literal(items: Iterable[Any], functions: Iterable[Any]) -> frozenset[Any] | None:
    """What CPython made of these constants when it compiled one of the functions."""
    codes = [getattr(function, "__code__", None) for function in functions]
    return next((x for code in codes[::-1] for x in _literals(code) if _same(x, items)), None)


def _literals(code: Any) -> Iterator[frozenset[Any]]:
    for constant in code.co_consts if code is not None else ():
        if isinstance(constant, frozenset):
            yield constant
        elif isinstance(constant, types.CodeType):
            yield from _literals(constant)


def _same(literal: frozenset[Any], items: Iterable[Any]) -> bool:
    typed = {(type(x), x) for x in items}
    return len(typed) == len(literal) and {(type(x), x) for x in literal} == typed


def after(content: SetCell, step: Step) -> SetCell:
    """What a set is after a step that changes it, or makes another one of it."""
    if step.name == "add":
        items = content.items | {step.args[0]}
    elif step.name == "discard":
        items = content.items - {step.args[0]}
    else:
        items = frozenset(taken(actual(content), step))
    if step.name in ("add", "discard") and len(items) == len(content.items):
        return content
    known = content.steps is not None and all(_is_known(x) for x in step.args)
    return SetCell(items, (*content.steps, step) if known else None)


def _is_known(x: Any) -> bool:
    return not isinstance(x, SetCell) or x.steps is not None


def taken(x: set[Any], step: Step) -> Any:
    """The set that a step makes of `x`, which it may change."""
    result = getattr(x, step.name)(*map(given, step.args))
    return result if isinstance(result, set) else x


def given(x: Any) -> Any:
    """An argument of a step as CPython takes it."""
    if isinstance(x, SetCell):
        return actual(x)
    return dict.fromkeys(x) if isinstance(x, Keys) else x


def actual(content: SetCell) -> set[Any]:
    """The set as CPython has it; in any order where that is not known."""
    if content.steps is None:
        return set(content.items)
    out: set[Any] = set()
    for step in content.steps:
        out = taken(out, step)
    return out


def added(content: SetCell) -> list[Any] | None:
    """The items of a set to which they were added one after the other, in that order; None where
    something else was done to it."""
    found: dict[Any, None] = {}
    for step in content.steps or ():
        items = (step.args,) if step.name == "add" else step.args
        if step.name not in ("add", "update") or not all(type(x) is tuple for x in items):
            return None
        for given_ in items:
            found.update(dict.fromkeys(given_))
    return list(found) if len(found) == len(content.items) else None


def followed(content: SetCell) -> TableSet | None:
    """A set as the program has it where it follows CPython's tables; None where the table is not
    known, as steps are not, or hashes differ from process to process."""
    if content.steps is None or not all(map(is_steady, content.items)):
        return None
    held = actual(content)
    out = sets.fresh(TableSet)
    for step in content.steps:
        args = [_followed(x) for x in step.args] if step.name != "add" else step.args
        if None in args:
            return None
        result = getattr(out, step.name)(*args)
        out = result if isinstance(result, TableSet) else out
    return out if _is_like(out, held) else None


def _followed(x: Any) -> Any:
    if isinstance(x, SetCell):
        return followed(x)
    return _from_table(x) if isinstance(x, frozenset) else given(x)


def _from_table(items: frozenset[Any]) -> TableFrozenSet | None:
    """A frozenset of which only the order is known, where its table follows from that: each item
    is at the first place that is looked at."""
    out = sets.fresh(TableFrozenSet)
    out.names, out.mask = list(items), _mask(items)
    homes = [hash(x) & out.mask for x in items]
    if len({*homes}) == len(homes) and homes == sorted(homes):
        out.places = homes
        return out
    orders = itertools.permutations(items) if len(items) <= 4 else ()
    found = {tuple(places) for order in orders if (places := _places(order, out)) is not None}
    out.places = [*next(iter(found))] if len(found) == 1 else []
    return out if out.places else None


def _places(order: Sequence[Any], of: TableFrozenSet) -> list[int] | None:
    """The places of the items of a table to which they were added in this order; None where they
    come to be in another."""
    places: list[int] = []
    for x in order:
        places.append(sets.free(places, [], of.mask, hash(x)))
    found = dict(zip(order, places, strict=True))
    listed = [found[x] for x in of.names]
    return listed if listed == sorted(listed) else None


def _mask(held: set[Any] | frozenset[Any]) -> int:
    """The last place of the table of a set, by how much memory it has."""
    entry = 2 * struct.calcsize("P")
    more = sys.getsizeof(held) - sys.getsizeof(type(held)())
    return more // entry - 1 if more else 7


def _is_like(out: TableSet, held: set[Any]) -> bool:
    return sets.items_in_places(out) == list(held) and out.mask == _mask(held)


def ordered(items: set[Any] | frozenset[Any]) -> list[Any]:
    """The items in CPython's order, or in one that is the same in every process."""
    return list(items) if all(map(is_steady, items)) else sorted(items, key=repr)


def is_fleeting(function: Any, args: Iterable[Any]) -> bool:
    """Whether what CPython computes depends on hashes that differ from process to process."""
    given = [tuple(x) if isinstance(x, (set, frozenset)) else x for x in args]
    sets = any(isinstance(x, (set, frozenset)) for x in args)
    return (sets or function is hash) and not all(map(is_steady, given))
