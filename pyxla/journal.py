"""What happens while a function is compiled: how long it takes, what starts again, and why.

    with writing(record):           what follows, in this thread, goes to `record`
        with stage("typed"): ...    its own time, without that of stages inside
        note("restart", "the value of 'n' is needed", loc)

Everything is also logged at INFO, through Python's `logging`, under three names: `pyxla.compile`
(stages), `pyxla.specialize` (what is specialized and why, what starts again) and `pyxla.passes`
(the passes of the lowering).  PYXLA_LOG=compile,passes switches some of them on, PYXLA_LOG=all
all, and shows them on stderr.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from pyxla.frozen import dataclass

LOGS = {name: logging.getLogger(f"pyxla.{name}") for name in ("compile", "specialize", "passes")}


@dataclass(frozen=True, slots=True)
class Note:
    """kind: "restart" (inference began again), "unrolled", "retry".  loc: the line that forced it,
    where one did."""

    kind: str
    text: str
    loc: Any = None


@dataclass(slots=True, weakref_slot=True)
class Record:
    """What happened while one specialization of `function` was made.

    stages: seconds by stage, in the order in which they began.  passes: (name, seconds) of the
    lowering.  why: what differed from what there was already.  at: the stage that is under way.
    """

    function: str
    types: str = ""
    why: str = ""
    at: str = ""
    stages: dict[str, float] = field(default_factory=dict)
    passes: list[tuple[str, float]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return sum(self.stages.values())

    def spent(self, stage: str, seconds: float) -> None:
        """Add to the time of a stage."""
        self.stages[stage] = self.stages.get(stage, 0.0) + seconds
        LOGS["compile"].info("%s: %s %.1f ms", self.function, stage, 1e3 * seconds)


class _Here(threading.local):
    """records: what is being written in this thread.  inner: for each stage that is under way, the
    seconds that stages inside it took.  program: the record of the program that XLA compiles."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.inner: list[float] = []
        self.program: tuple[Record | None, str] = (None, "")


_here = _Here()


def current() -> Record | None:
    """The record that this thread writes."""
    return _here.records[-1] if _here.records else None


@contextlib.contextmanager
def writing(record: Record) -> Iterator[None]:
    """What is compiled in this thread goes to `record`."""
    _here.records.append(record)
    try:
        yield
    finally:
        _here.records.pop()


@contextlib.contextmanager
def stage(name: str) -> Iterator[None]:
    """A stage of the current record."""
    record = current()
    if record is None:
        yield
        return
    record.stages.setdefault(name, 0.0)
    before, record.at = record.at, name
    began = time.perf_counter()
    _here.inner.append(0.0)
    try:
        yield
    finally:
        seconds = time.perf_counter() - began
        inner = _here.inner.pop()
        record.at = before
        if _here.inner:
            _here.inner[-1] += seconds
        record.spent(name, seconds - inner)


def note(kind: str, text: str, loc: Any = None) -> None:
    """Something that was decided, or that began again, and the line that forced it."""
    record = current()
    if record is not None:
        record.notes.append(Note(kind, text, loc))
    if LOGS["specialize"].isEnabledFor(logging.INFO):
        name = f"{record.function}: " if record else ""
        LOGS["specialize"].info("%s%s: %s%s", name, kind, text, f" ({loc})" if loc else "")


def passed(name: str, seconds: float, before: int | None, after: int | None) -> None:
    """A pass of the lowering ended; how many operations there were, where they were counted."""
    record = current()
    if record is not None:
        record.passes.append((name, seconds))
    if before is not None:
        LOGS["passes"].info("%s: %d to %d operations, %.1f ms", name, before, after, 1e3 * seconds)


def counts_operations() -> bool:
    """Whether someone reads how many operations passes leave."""
    return LOGS["passes"].isEnabledFor(logging.INFO)


def traced(record: Record | None, name: str) -> None:
    """JAX begins to lower, in this thread, the program `name`, which `record` tells of."""
    _here.program = record, f"jit({name})"
    if record is not None:
        record.at = "stablehlo"


def heard(name: str, stage_name: str, seconds: float) -> None:
    """JAX lowered, or XLA compiled, the program of this name in this thread."""
    record, expected = _here.program
    if record is not None and name == expected:
        record.spent(stage_name, seconds)
        record.at = "xla" if stage_name == "stablehlo" else ""


def configure(words: str) -> None:
    """Show the logs that PYXLA_LOG names on stderr."""
    names = [word.strip() for word in words.split(",") if word.strip()]
    names = list(LOGS) if "all" in names else names
    if unknown := [name for name in names if name not in LOGS]:
        there = f"there are {', '.join(LOGS)} and all"
        warnings.warn(f"PYXLA_LOG names {unknown[0]!r}; {there}", stacklevel=2)
        names = [name for name in names if name in LOGS]
    if not names:
        return
    parent = logging.getLogger("pyxla")
    if not parent.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
        parent.addHandler(handler)
        parent.propagate = False
    for name in names:
        LOGS[name].setLevel(logging.INFO)


configure(os.environ.get("PYXLA_LOG", ""))
