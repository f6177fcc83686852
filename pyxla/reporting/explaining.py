"""Why a function was compiled as often as it was, and how long that took."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from typing import Any

from pyxla.api import Compiled
from pyxla.entry import Entry
from pyxla.errors import CompileError, outward
from pyxla.journal import Record
from pyxla.reporting.decisions import Decision, decisions

KINDS = ("restart", "captured")  # of the journal's notes that are told
LONG = 240  # characters of types of which the first and the last are told


class Explanation:
    """The specializations of a function; as text, and as HTML in notebooks.

    records: one for each, in the order in which they were made (see `pyxla.journal`).
    decisions: what was decided for each of them.
    """

    def __init__(self, function: Compiled) -> None:
        entries = function.specializations
        self.name = function.__qualname__
        self.records = [entry.record for entry in entries]
        self.decisions = [_decided(entry) for entry in entries]

    def __str__(self) -> str:
        return "\n".join(self._lines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def _lines(self) -> Iterator[str]:
        count = len(self.records)
        times = "time" if count == 1 else "times"
        total = sum(record.seconds for record in self.records)
        yield f"{self.name} is compiled {count} {times}, in {total:.2f} s"
        for number, pair in enumerate(zip(self.records, self.decisions, strict=True), 1):
            yield ""
            yield from _of(number, *pair)


def _of(number: int, record: Record, decided: Sequence[Decision]) -> Iterator[str]:
    types = record.types
    if len(types) > LONG:
        types = f"{types[: LONG // 2]} ... {types[-LONG // 4 :]}"
    yield f"{number}. ({types})"
    yield f"   why        {record.why}"
    stages = [f"{stage} {1e3 * seconds:.0f}" for stage, seconds in record.stages.items()]
    yield f"   ms         {', '.join(stages)}"
    slowest = sorted(record.passes, key=lambda step: -step[1])[:3]
    shown = [f"{name} {1e3 * seconds:.1f}" for name, seconds in slowest if seconds >= 1e-3]
    if shown:
        yield f"   passes     {', '.join(shown)}"
    for note in record.notes:
        if note.kind in KINDS:
            yield f"   {note.kind:<10} {note.text}" + (f" ({note.loc})" if note.loc else "")
    for decision in decided:
        place = f" ({decision.loc})" if decision.loc else ""
        yield f"   {decision.kind:<10} {decision.text}{place}"


def _decided(entry: Entry) -> list[Decision]:
    program = entry.executable.program
    return decisions(entry.specialization, program, entry.executable.outcome, entry.names)


@outward
def explain(function: Any) -> Explanation:
    """What `function` is compiled for so far, why, and how long it took.

    function: the result of `pyxla.compile`; CompileError for another.  Each specialization comes
    with its types, what differs from the one most like it, the seconds of each stage, what began
    again, and what was unrolled, checked, copied and converted, with the line that forced it.

    >>> import pyxla, numpy as np
    >>> double = pyxla.compile(lambda x: 2 * x)
    >>> _ = double(1.0), double(np.ones(3))
    >>> pyxla.explain(double).records[1].why
    'x is f64[3], there float (nearest: specialization 1)'
    """
    if not isinstance(function, Compiled):
        raise CompileError(
            f"explain takes a compiled function, not {type(function).__name__}",
            hint="give it the result of pyxla.compile, after its first call",
        )
    return Explanation(function)
