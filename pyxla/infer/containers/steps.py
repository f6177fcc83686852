"""How sets of constants came about, and so in which order CPython has their items.

The order is that of a hash table whose size and gaps are left from what was done before: a content
keeps the steps (`heap.SetCell`), and CPython takes them again where the order is looked at.  Hashes
of text differ from process to process: a set with text in it is in the order of its items' `repr`.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from typing import Any

from pyxla.abstract.heap import SetCell, Step
from pyxla.guards.places import is_steady

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


def ordered(items: set[Any] | frozenset[Any]) -> list[Any]:
    """The items in CPython's order, or in one that is the same in every process."""
    return list(items) if all(map(is_steady, items)) else sorted(items, key=repr)


def is_fleeting(function: Any, args: Iterable[Any]) -> bool:
    """Whether what CPython computes depends on hashes that differ from process to process."""
    given = [tuple(x) if isinstance(x, (set, frozenset)) else x for x in args]
    sets = any(isinstance(x, (set, frozenset)) for x in args)
    return (sets or function is hash) and not all(map(is_steady, given))
