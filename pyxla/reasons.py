"""Why a function is compiled again: what differs from what it was compiled for before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pyxla.runtime import descriptions
from pyxla.runtime.request import Request, steps

MOST = 3  # differences that are told
OPTIONS = {
    "list_capacity": "a list or an array outgrew the capacity it was compiled for",
    "row_capacity": "a list in a list outgrew the capacity it was compiled for",
    "power_types": "a power was of another type, int or float, than was expected",
    "from_end": "an index was not expected to count from the end",
    "unlike_dicts": "a dict did not have the keys that were expected",
    "checks": "JAX traces it, where nothing can be raised",
}


Named = tuple[Request, Sequence[str]]  # with the names of its arguments


def why(named: Named, before: Sequence[Named], kept: bool) -> str:
    """What the nearest of the requests before has otherwise.  kept: it was found on disk."""
    if not before:
        return "it was compiled by another process" if kept else "it was not compiled yet"
    request, earlier = named[0], [other for other, _ in before]
    found = [list(_differences(named, other)) for other in before]
    nearest = min(range(len(found)), key=lambda i: len(found[i]))
    told, number = found[nearest], nearest + 1
    if told:
        more = f" and {len(told) - MOST} more" if len(told) > MOST else ""
        return "; ".join(told[:MOST]) + f"{more} (nearest: specialization {number})"
    if request.memory != earlier[nearest].memory:
        return f"arrays among the arguments share memory (else as specialization {number})"
    for name, words in OPTIONS.items():
        if getattr(request.options, name) != getattr(earlier[nearest].options, name):
            return words
    if request.replayed != earlier[nearest].replayed:
        return "a call raises, and runs once more with the check that failed in its place"
    return "something outside that it takes for known was bound anew"


def _differences(named: Named, before: Named) -> Iterator[str]:
    mine, theirs = _by_name(named), _by_name(before)
    for key in [*mine, *(key for key in theirs if key not in mine)]:
        if key not in theirs:
            yield f"{key[0]} is given, there not"
        elif key not in mine:
            yield f"{key[0]} is not given, there it is"
        else:
            yield from _in(mine[key], theirs[key], key[0])
    for name in {*named[0].names}.symmetric_difference(before[0].names):
        if (name, 0) in mine and (name, 0) in theirs:
            by_name = ("by position", "by name")
            here = name in named[0].names
            yield f"{name} is given {by_name[here]}, there {by_name[not here]}"


def _by_name(named: Named) -> dict[tuple[str, int], Any]:
    """The arguments and captured objects by their names, those of one name also by their order."""
    found: dict[tuple[str, int], Any] = {}
    for name, arg in zip(named[1], named[0].args, strict=True):
        found[name, sum(key[0] == name for key in found)] = arg
    return found


def _in(mine: Any, theirs: Any, name: str) -> Iterator[str]:
    """The differences between two descriptions, where they are."""
    inner, other = list(steps(mine)), list(steps(theirs))
    if inner and type(mine) is type(theirs) and _names(inner) == _names(other):
        for (step, x), (_, y) in zip(inner, other, strict=True):
            yield from _in(x, y, f"{name}[{step!r}]")
        return
    spelled, before = descriptions.spelled(mine), descriptions.spelled(theirs)
    if spelled != before:
        yield f"{name} is {_short(spelled)}, there {_short(before)}"


def _names(parts: Iterable[tuple[Any, Any]]) -> list[Any]:
    return [step for step, _ in parts]


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
