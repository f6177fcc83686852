"""The time that each line of a program takes, measured: JAX's profiler, told in the user's lines.

XLA names what it runs after its instructions, whose places are in its module.
"""

from __future__ import annotations

import gzip
import json
import linecache
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax

from pyxla import types
from pyxla.errors import CompileError
from pyxla.pipeline import Compilation
from pyxla.reporting.compiling import Looked
from pyxla.reporting.listing import Place, instruction_places
from pyxla.runtime import jaxlink, signature

MOST_LINES = 12  # that a table shows


@dataclass(frozen=True, slots=True, repr=False)
class Profile:
    """seconds: by line, of all runs together, on all threads.  other: of what has no line.
    wall: seconds of one run.  events: of the trace, named by lines."""

    seconds: dict[Place, float]
    other: float
    wall: float
    runs: int
    events: list[dict[str, Any]]

    @property
    def total(self) -> float:
        return sum(self.seconds.values()) + self.other

    def save(self, path: str | Path) -> None:
        """Write the trace, which https://ui.perfetto.dev opens."""
        with gzip.open(path, "wt") as file:
            json.dump({"traceEvents": self.events}, file)

    def __repr__(self) -> str:
        lines = [f"{1e3 * self.wall:.3f} ms a run, {self.runs} runs; of the time in XLA's kernels:"]
        hot = sorted(self.seconds.items(), key=lambda item: -item[1])[:MOST_LINES]
        for (file, number), seconds in hot:
            code = linecache.getline(file, number).strip()
            place = f"{os.path.basename(file)}:{number}"
            lines.append(f"{seconds / max(self.total, 1e-12):6.1%}  {place:<24} {code}")
        if self.other:
            lines.append(
                f"{self.other / self.total:6.1%}  what the compiler adds, of no line of the program"
            )
        return "\n".join(lines)


def measured(looked: Looked, args: Sequence[Any], runs: int) -> Profile:
    """The profile of a program that is looked at."""
    run = _runner(looked.compilation, looked.compiled, args)
    run()
    with tempfile.TemporaryDirectory() as folder:
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        began = time.perf_counter()
        for _ in range(runs):
            run()
        wall = (time.perf_counter() - began) / runs
        with jax.profiler.trace(folder, profiler_options=options):
            for _ in range(runs):
                run()
        found = sorted(Path(folder).glob("**/*.trace.json.gz"))
        with gzip.open(found[-1], "rt") as file:
            events = json.load(file)["traceEvents"]
    places = instruction_places(looked.optimized, looked.places)
    seconds, other = _by_line(events, places)
    return Profile(seconds, other, wall, runs, list(_named(events, places)))


def _runner(made: Compilation, compiled: Any, args: Sequence[Any]) -> Callable[[], Any]:
    """A function that runs the program on these arguments and waits for it."""
    if signature.describe(args) != types.describe(args)[0]:
        shown = f"{made.request.function.__name__!r} is run to be measured"
        raise CompileError(f"{shown}: types are not enough", hint="give values: np.ones(3)")
    given = (*args, *[place.read() for place in made.places])
    _, leaves = signature.flatten(given, frozenset(made.static))
    program = made.at("regions")
    inputs = zip(made.outcome.inputs, program.params, strict=True)
    with jaxlink.scoped():
        operands = [jax.numpy.array(leaves[i], type.dtype) for i, type in inputs]

    def run() -> None:
        with jaxlink.scoped():
            jax.block_until_ready(compiled(*operands))

    return run


def _by_line(
    events: Iterable[dict[str, Any]], places: dict[str, Place]
) -> tuple[dict[Place, float], float]:
    """The time of kernels by line, without that of kernels inside; and that of no line."""
    threads: dict[Any, list[dict[str, Any]]] = {}
    for event in events:
        if _operation(event):
            threads.setdefault(event["tid"], []).append(event)
    found: dict[Place, float] = {}
    other = 0.0
    for thread in threads.values():
        for event, own in _own_times(thread):
            place = _place(event, places)
            if place is None:
                other += own
            else:
                found[place] = found.get(place, 0.0) + own
    return found, other


def _own_times(events: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], float]]:
    """The events of a thread, each with its seconds without those of events inside."""
    own = {id(event): event["dur"] for event in events}
    open_: list[dict[str, Any]] = []
    for event in sorted(events, key=lambda e: (e["ts"], -e["dur"])):
        while open_ and open_[-1]["ts"] + open_[-1]["dur"] <= event["ts"]:
            open_.pop()
        if open_:
            own[id(open_[-1])] -= event["dur"]
        open_.append(event)
    for event in events:
        yield event, max(own[id(event)], 0.0) * 1e-6


def _operation(event: dict[str, Any]) -> str:
    """The instruction that an event is of; empty for other events."""
    return event.get("args", {}).get("hlo_op", "") if event.get("ph") == "X" else ""


def _place(event: dict[str, Any], places: dict[str, Place]) -> Place | None:
    name = _operation(event)
    return places.get(name) or places.get(name.removesuffix(".clone"))


def _named(events: Iterable[dict[str, Any]], places: dict[str, Place]) -> Iterator[dict[str, Any]]:
    """The events, where they have a line under its name."""
    for event in events:
        place = _place(event, places)
        if place is None:
            yield event
        else:
            code = linecache.getline(*place).strip()
            yield {**event, "name": f"{os.path.basename(place[0])}:{place[1]}  {code}"}
