"""What checks cost: programs with `checks`, the default, against the same without, in turns.

    python -m benchmarks.checks [CLONE] [--preset S] [--size small|large] [--filter WORD ...]
                                [--seconds N] [--turns N] [--worst N]

The scalar loops of `benchmarks.loops`, the programs of `benchmarks.collection`, and with CLONE, a
checkout of spcl/npbench, those of that suite.  NumPy arrays in and out, on one core where the
system lets a process choose, in processor time; arguments that a program writes are fresh for each
call, outside of the clock.  A row is the median seconds of a call with and without, their ratio,
and the seconds of the first calls; then come the worst, and the table that `docs/benchmarks.md`
has of it.  Nothing is read from programs on disk.
"""

from __future__ import annotations

import argparse
import copy
import importlib
import math
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import pyxla
from benchmarks import npbench, run_time
from benchmarks.collection import KINDS
from benchmarks.measure import Row, at_most, duration, line

# What is aimed at: the geometric mean, and the worst.
AIMS = {"loops": (1.1, 1.3), "collection": (1.1, 1.3), "npbench": (1.05, 1.25)}
COMPILING = 1.3
Program = tuple[str, Callable[..., Any], tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Measured:
    """Of one program, (with checks, without): seconds of a call, and of the first one."""

    name: str
    times: tuple[float, float]
    first: tuple[float, float]

    @property
    def ratio(self) -> float:
        return self.times[0] / self.times[1]

    def __str__(self) -> str:
        times, first = (
            " ".join([f"{duration(t):>8}" for t in x]) for x in (self.times, self.first)
        )
        return f"{self.name:40} {times} {self.ratio:6.2f}   {first}"


def suites(clone: Path | None, preset: str, size: str) -> Iterator[tuple[str, Iterator[Program]]]:
    yield "loops", ((f"loops.{f.__name__}", f, args) for _, f, args in run_time.scalar_loops())
    yield "collection", collection(size)
    if clone is not None:
        yield "npbench", npbench_programs(clone, preset)


def collection(size: str) -> Iterator[Program]:
    for kind in KINDS:
        module = importlib.import_module(f"benchmarks.collection.{kind}")
        for function, (make, small, large) in module.SIZES.items():
            args = make(large if size == "large" else small, np.random.default_rng(0))
            yield f"{kind}.{function.__name__}", function, args


def npbench_programs(clone: Path, preset: str) -> Iterator[Program]:
    sys.path.insert(0, str(clone))
    for info in sorted((clone / "bench_info").glob("*.json")):
        program, args, _ = npbench.load(clone, info.stem, preset)
        yield f"npbench.{info.stem}", program, tuple(args)


def measured(program: Program, turns: int, seconds: float, number: int) -> Measured:
    """number: of the program, as which side is compiled first alternates."""
    name, function, args = program
    sides = [pyxla.compile(function), pyxla.compile(function, checks=False)]
    first = [0.0, 0.0]
    for k in (number % 2, 1 - number % 2):
        given = copy.deepcopy(args)
        start = time.process_time()
        sides[k](*given)
        first[k] = time.process_time() - start
    written = [k for k, (x, y) in enumerate(zip(args, given, strict=True)) if not same(x, y)]
    calls = max(1, int(seconds / turn(sides[1], args, written, 1)))
    samples: tuple[list[float], list[float]] = ([], [])
    for number in range(turns):
        for k in (number % 2, 1 - number % 2):
            samples[k].append(turn(sides[k], args, written, calls))
    one, other = map(statistics.median, samples)
    return Measured(name, (one, other), (first[0], first[1]))


def same(x: Any, y: Any) -> bool:
    return not isinstance(x, np.ndarray) or np.array_equal(x, y, equal_nan=x.dtype.kind in "fc")


def turn(side: Callable[..., Any], args: tuple[Any, ...], written: list[int], calls: int) -> float:
    """Seconds of a call, over a number of calls; what is written is copied outside the clock."""
    if not written:
        start = time.process_time()
        for _ in range(calls):
            side(*args)
        return (time.process_time() - start) / calls
    spent = 0.0
    for _ in range(calls):
        fresh = [copy.deepcopy(x) if k in written else x for k, x in enumerate(args)]
        start = time.process_time()
        side(*fresh)
        spent += time.process_time() - start
    return spent / calls


def rows_of(suite: str, found: list[Measured]) -> list[Row]:
    """The geometric mean, the worst, and the sum of the first calls, of the programs of a suite."""
    mean, most = AIMS[suite]
    ratio = statistics.geometric_mean([program.ratio for program in found])
    over = sum([program.ratio > most for program in found])
    worst = max(found, key=lambda program: program.ratio)
    what = f"{suite}, {len(found)} programs, geometric mean"
    return [
        Row(what, "", "", ratio, f"≤ {mean}", ratio <= mean),
        at_most(f"{worst.name}, the worst; {over} over {most}", *worst.times, most),
        at_most(
            f"{suite}, first calls in sum",
            *[math.fsum([program.first[k] for program in found]) for k in (0, 1)],
            COMPILING,
        ),
    ]


def section(
    repetitions: int = 7,
    clone: Path | None = None,
    preset: str = "S",
    size: str = "small",
    seconds: float = 0.02,
    words: Sequence[str] = (),
    worst: int = 0,
) -> list[Row]:
    """The rows of the report; where `worst` programs are asked for, all are printed when done."""
    rows: list[Row] = []
    everything: list[Measured] = []
    for suite, programs in suites(clone, preset, size):
        found: list[Measured] = []
        for program in programs:
            if words and not any(word in program[0] for word in words):
                continue
            try:
                found.append(measured(program, repetitions, seconds, len(found)))
            except pyxla.CompileError as error:
                print(f"{program[0]}: refused, {str(error).splitlines()[0]}")
                continue
            if worst:
                print(found[-1], flush=True)
        rows += rows_of(suite, found) if found else []
        everything += found
    if worst:
        print("worst:", *sorted(everything, key=lambda x: -x.ratio)[:worst], sep="\n")
    return rows


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.checks")
    parser.add_argument("clone", type=Path, nargs="?")
    parser.add_argument("--preset", default="S", help="S, M, L or paper")
    parser.add_argument("--size", choices=("small", "large"), default="small")
    parser.add_argument("--filter", nargs="*", default=[], metavar="WORD")
    parser.add_argument("--seconds", type=float, default=0.02, help="of a turn of one side")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--worst", type=int, default=12)
    given = parser.parse_args(argv)
    os.environ["PYXLA_CACHE"] = "0"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"{'':40} {'checks':>8} {'none':>8}  ratio   first calls")
    how = (given.preset, given.size, given.seconds, given.filter, given.worst)
    print(*map(line, section(given.turns, given.clone, *how)), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
