"""Fair timing: interleaved repetitions, medians, and ratios with their spread."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the report: what was measured, each side's figure, their ratio, the target."""

    what: str
    ours: str
    theirs: str
    ratio: float | None
    target: str
    holds: bool | None


def line(row: Row) -> str:
    """A row of the table; `holds` is empty where nothing was promised."""
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    holds = "" if row.holds is None else "yes" if row.holds else "**no**"
    return f"| {row.what} | {row.ours} | {row.theirs} | {ratio} | {row.target} | {holds} |"


Timer = Callable[[], float]


def clock(fn: Callable[[], Any], calls: int, timer: Timer = time.perf_counter) -> float:
    """Seconds per call, over a number of calls."""
    start = timer()
    for _ in range(calls):
        fn()
    return (timer() - start) / calls


def calls_for(fn: Callable[[], Any], seconds: float) -> int:
    """How many calls fill the given time, by one trial."""
    return max(1, int(seconds / max(clock(fn, 1), 1e-9)))


def interleaved(
    sides: Mapping[str, Callable[[], Any]],
    repetitions: int = 7,
    seconds: float = 0.1,
    timer: Timer = time.perf_counter,
) -> dict[str, float]:
    """Median seconds per call of each side, measured in turns, the first of the turn rotating."""
    for fn in sides.values():
        fn()
    calls = {name: calls_for(fn, seconds) for name, fn in sides.items()}
    samples: dict[str, list[float]] = {name: [] for name in sides}
    names = list(sides)
    for turn in range(repetitions):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            samples[name].append(clock(sides[name], calls[name], timer))
    return {name: statistics.median(values) for name, values in samples.items()}


def fresh_processes(
    module: str, variants: Mapping[str, list[str]], repetitions: int = 5
) -> dict[str, list[dict[str, Any]]]:
    """Run `python -m module ARGS` in new processes, in turns; each prints one line of JSON."""
    results: dict[str, list[dict[str, Any]]] = {name: [] for name in variants}
    for _ in range(repetitions):
        for name, arguments in variants.items():
            command = [sys.executable, "-m", module, *arguments]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
            results[name].append(json.loads(done.stdout.splitlines()[-1]))
    return results


def median_of(results: list[dict[str, Any]], key: str) -> float:
    return statistics.median(result[key] for result in results)


def duration(seconds: float) -> str:
    """A time as a person reads it."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def at_most(what: str, ours: float, theirs: float, bound: float) -> Row:
    """A row whose ratio ours / theirs must not exceed the bound."""
    ratio = ours / theirs
    return Row(what, duration(ours), duration(theirs), ratio, f"≤ {bound}", ratio <= bound)


def faster_than(what: str, ours: float, theirs: float, factor: float) -> Row:
    """A row whose ratio theirs / ours must exceed the factor."""
    ratio = theirs / ours
    return Row(what, duration(ours), duration(theirs), ratio, f"> {factor}", ratio > factor)
