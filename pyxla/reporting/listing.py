"""The stages of a program as lines of text, each with the line of source that it comes from.

StableHLO tells places as `loc(#loc3)` and a table, HLO as `stack_frame_id=3` and tables; both know
files by their names alone, without folders.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pyxla.errors import Location
from pyxla.frontend.desugar import lowered_lines
from pyxla.frontend.source import SourceFunction
from pyxla.ir.core import Function, Region
from pyxla.ir.printer import listing

Place = tuple[str, int]  # a file and a line


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    place: Place | None = None


class Places:
    """Which file a name means, among those that a program is made from."""

    def __init__(self, locations: Iterable[Location]) -> None:
        self._files: dict[Place, set[str]] = {}
        for loc in locations:
            key = os.path.basename(loc.filename), loc.lineno
            self._files.setdefault(key, set()).add(loc.filename)

    def find(self, name: str, line: int) -> Place | None:
        """The place; None where several files of that name have code there."""
        files = self._files.get((name, line), set())
        return (next(iter(files)), line) if len(files) == 1 else None


def of_code(function: Function | Region, name: str = "") -> list[Line]:
    """SSA, or control flow in regions."""
    return [
        Line(text, (loc.filename, loc.lineno) if loc else None)
        for text, loc in listing(function, name)
    ]


def of_lowered(sources: Iterable[SourceFunction]) -> list[Line]:
    """Functions as desugared Python; statements over several lines are linked by their first."""
    found: list[Line] = []
    for source in sources:
        text, lines = lowered_lines(source)
        if found:
            found.append(Line(""))
        for number, line in enumerate(text.splitlines(), 1):
            at = lines.get(number)
            found.append(Line(line, (source.filename, at) if at else None))
    return found


_USE = re.compile(r" loc\((?:#(\w+)|unknown)\)")
_FILE = re.compile(r'#(\w+) = loc\("([^"]*)":(\d+):\d+\)')
_NAMED = re.compile(r'#(\w+) = loc\("[^"]*"\(#(\w+)\)\)')


def of_stablehlo(text: str, places: Places) -> list[Line]:
    """A module that was printed with its places, without them."""
    known = {name: places.find(file, int(at)) for name, file, at in _FILE.findall(text)}
    known |= {name: known.get(inner) for name, inner in _NAMED.findall(text)}
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [_stablehlo_line(line, known) for line in lines]


def _stablehlo_line(line: str, known: dict[str, Place | None]) -> Line:
    used = _USE.findall(line)
    return Line(_USE.sub("", line), known.get(used[-1]) if used else None)


_TABLE = re.compile(r"^(\d+) (.*)$")
_FRAME = re.compile(r"stack_frame_id=(\d+)")
_METADATA = re.compile(r", metadata=\{[^}]*\}")
_TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")


def of_hlo(text: str, places: Places) -> list[Line]:
    """A module as XLA prints it, without its tables and metadata."""
    frames = dict(frame_places(text, places))
    found, table = [], False
    for line in text.splitlines():
        if line in _TABLES:
            table = True
        elif table and (not line or _TABLE.match(line)):
            continue
        else:
            table = False
            frame = _FRAME.search(line)
            found.append(Line(_METADATA.sub("", line), frames.get(frame[1]) if frame else None))
    return found


def frame_places(text: str, places: Places) -> Iterator[tuple[str, Place | None]]:
    """The places of the stack frames that a module's text numbers."""
    tables: dict[str, dict[str, str]] = {name: {} for name in _TABLES}
    current: dict[str, str] | None = None
    for line in text.splitlines():
        if line in tables:
            current = tables[line]
        elif current is not None and (entry := _TABLE.match(line)):
            current[entry[1]] = entry[2]
    names = {number: name.strip('"') for number, name in tables["FileNames"].items()}
    for number, frame in tables["StackFrames"].items():
        location = tables["FileLocations"].get(_field(frame, "file_location_id"), "")
        file = names.get(_field(location, "file_name_id"), "")
        line_number = _field(location, "line")
        yield number, places.find(file, int(line_number)) if line_number else None


def _field(text: str, name: str) -> str:
    found = re.search(rf"\b{name}=(\d+)", text)
    return found[1] if found else ""


_DEFINED = re.compile(r"^\s*(?:ROOT )?%?([\w.-]+) = ")


def instruction_places(text: str, places: Places) -> dict[str, Place]:
    """The places of the instructions of a module, by their names."""
    frames = dict(frame_places(text, places))
    found: dict[str, Place] = {}
    for line in text.splitlines():
        name, frame = _DEFINED.match(line), _FRAME.search(line)
        if name and frame and (place := frames.get(frame[1])):
            found[name[1]] = place
    return found
