"""Why a function is compiled again: what differs from what it was compiled for before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pyxla import types
from pyxla.runtime.request import Request, steps

MOST = 3  # differences that are told
OPTIONS = {
    "list_capacity": "a list or an array outgrew the capacity it was compiled for",
    "power_types": "a power was of another type, int or float, than was expected",
    "checks": "JAX traces it, where nothing can be raised",
}


def why(request: Request, names: Sequence[str], earlier: Sequence[Request]) -> str:
    """What the nearest of the `earlier` requests has otherwise; `names` are the arguments'."""
    if not earlier:
        return "it was not compiled yet"
    found = [list(_differences(request, other, names)) for other in earlier]
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


def _differences(request: Request, other: Request, names: Sequence[str]) -> Iterator[str]:
    if request.names != other.names:
        yield f"keywords {list(request.names)}, there {list(other.names)}"
    if len(request.args) != len(other.args):
        yield f"{len(request.args)} arguments and captured objects, there {len(other.args)}"
        return
    for name, mine, theirs in zip(names, request.args, other.args, strict=True):
        yield from _in(mine, theirs, name)


def _in(mine: Any, theirs: Any, name: str) -> Iterator[str]:
    """The differences between two descriptions, where they are."""
    inner, other = list(steps(mine)), list(steps(theirs))
    if inner and type(mine) is type(theirs) and _names(inner) == _names(other):
        for (step, x), (_, y) in zip(inner, other, strict=True):
            yield from _in(x, y, f"{name}[{step!r}]")
        return
    spelled, before = types.spelled(mine), types.spelled(theirs)
    if spelled != before:
        yield f"{name} is {_short(spelled)}, there {_short(before)}"


def _names(parts: Iterable[tuple[Any, Any]]) -> list[Any]:
    return [step for step, _ in parts]


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
