"""The memory that a compiled program takes, from XLA's own analysis."""

from __future__ import annotations

from typing import Any

from pyxla.frozen import dataclass
from pyxla.runtime import jaxlink

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


@dataclass(frozen=True, slots=True)
class Usage:
    """Bytes on each device.

    arguments, results: what is given and returned.  shared: of the results, what lies in the memory
    of arguments that are given up.  temporaries: what the program takes besides while it runs.
    """

    arguments: int
    results: int
    shared: int
    temporaries: int

    @property
    def peak(self) -> int:
        """What is taken at once, at most."""
        return self.arguments + self.results - self.shared + self.temporaries

    def __str__(self) -> str:
        names = ("arguments", "results", "shared", "temporaries", "peak")
        return "\n".join([f"{name:12}{_said(getattr(self, name)):>12}" for name in names])


def usage(program: Any, outcome: Any, where: Any = ()) -> Usage:
    """What XLA says of a program for the default device, or for arguments that lie as `where`
    says: a sharding for each parameter."""
    given_up = [outcome.inputs.index(leaf) for leaf in outcome.donated]
    found = jaxlink.lowered(program, where, given_up).compile().memory_analysis()
    return Usage(
        found.argument_size_in_bytes,
        found.output_size_in_bytes,
        found.alias_size_in_bytes,
        found.temp_size_in_bytes,
    )


def _said(count: int) -> str:
    size, unit = float(count), 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{count} bytes" if unit == 0 else f"{size:.2f} {_UNITS[unit]}"
