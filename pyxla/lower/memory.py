"""Arrays larger than memory: refused before XLA tries, at the line that makes them.

What a program returns, and what its loops begin with, lies in memory as a whole; other arrays may
be fused into what uses them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from pyxla.errors import Location, also
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import walk
from pyxla.lower.cost import nbytes
from pyxla.ops.control import while_


def physical() -> int | None:
    """The bytes of this machine's memory, where that is known."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None


def check_memory(region: Region, memory: int | None) -> None:
    """Raise a CompileError, which is a MemoryError too, where an array is larger than `memory`."""
    for value, loc in _held(region):
        if memory is not None and nbytes(value) > memory:
            kind = also(MemoryError)  # type: ignore[arg-type]  # classes can be hashed
            raise kind(
                f"{said(value)}; this machine has {spelled(memory)}",
                loc,
                types=(str(value.type),),
                hint="make it in parts, or smaller",
            )


def said(value: Value) -> str:
    """What NumPy says where there is no room for an array."""
    shape, dtype = value.type.shape, np.dtype(value.type.dtype)
    size = spelled(nbytes(value))
    return f"Unable to allocate {size} for an array with shape {shape} and data type {dtype}"


def spelled(size: float) -> str:
    """A number of bytes as NumPy spells it."""
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB"):
        if size < 1024 or unit == "PiB":
            break
        size /= 1024
    return f"{size:.3g} {unit}"


def largest(region: Region) -> tuple[Value, Location | None] | None:
    """The largest array that a program makes, and where."""
    made = [(value, instr.loc) for instr in walk(region.instrs) for value in instr.results]
    return max(made, key=lambda pair: nbytes(pair[0]), default=None)


def _held(region: Region) -> Iterator[tuple[Value, Location | None]]:
    """What lies in memory as a whole, but for parameters."""
    loops = [instr for instr in walk(region.instrs) if instr.op is while_]
    for value in [*[v for loop in loops for v in loop.operands], *region.results]:
        if isinstance(value.owner, Instr):
            yield value, value.owner.loc
