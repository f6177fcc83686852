"""The options of `pyxla.compile`: one frozen record, part of every cache key."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from pyxla.errors import CompileError


@dataclass(frozen=True, slots=True)
class Options:
    """How a function is compiled.

    checks: raise what CPython and NumPy raise implicitly (index out of range, division of ints by
    zero, math domain, ...).  cache_size: specializations kept per function, least recently used
    dropped first.
    """

    checks: bool = False
    cache_size: int = 256


def make_options(given: dict[str, Any]) -> Options:
    """Options from keywords; CompileError names an unknown one."""
    known = [f.name for f in fields(Options)]
    for name in given:
        if name not in known:
            raise CompileError(
                f"unknown option {name!r}", hint=f"the options are {', '.join(known)}"
            )
    return Options(**given)
