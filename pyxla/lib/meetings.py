"""Sizes that library functions take to be equal: those known at run time only, the program checks.

A strategy says where two sizes meet (`meet`); who called the library function asks for them
(`meetings`), and raises what NumPy raises there (`infer.raising.sizes`).
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.integers import Int
from pyxla.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two sizes that are equal; or one of them is 1 if `single`.

    error: the class and the parts of the message that NumPy has for it; None where it is that of
    the function that is called.
    """

    sizes: tuple[Int, Int]
    single: bool
    error: tuple[Any, ...] | None


_MET: ContextVar[list[Meeting] | None] = ContextVar("met", default=None)


class meetings:  # noqa: N801 - reads as the function it might be; a generator takes longer
    """The meetings from here on, those of calls inside left out."""

    __slots__ = ("token",)

    def __enter__(self) -> list[Meeting]:
        met: list[Meeting] = []
        self.token = _MET.set(met)
        return met

    def __exit__(self, *_: object) -> None:
        _MET.reset(self.token)


def meet(n: Int, m: Int, *error: Any, single: bool = False) -> None:
    """Say that two sizes are equal, or one of them is 1 if `single`."""
    met = _MET.get()
    if met is None or extent.difference(n, m) == 0 or (single and 1 in (n, m)):
        return
    found = Meeting((n, m), single, error or None)
    if found not in met:
        met.append(found)
