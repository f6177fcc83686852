"""What each pass for run time gains: a program without the pass against the same with it, in turns.

    python -m benchmarks.passes [CLONE] [--preset S] [--size small|large] [--pass NAME ...]
                                [--filter WORD ...] [--turns N]

The programs of `benchmarks.checks`, and with CLONE, a checkout of spcl/npbench, those of that
suite.  A row is a pass that changes something in a program: the seconds of a call, the ratio of
processor times without the pass to with it (medians, then the least of each side), and that of the
first calls.  A pass that gains less than 5 % in every row is not worth its code.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyxla
from benchmarks.checks import Program, same, suites, turn
from benchmarks.measure import duration
from pyxla.ir.core import Region
from pyxla.ir.printer import print_function
from pyxla.lower import finish

# Without these, results are others, or XLA does not compile them.
NEEDED = frozenset({"expanded", "keep_zeros", "close", "round_products"})


@contextmanager
def replaced(name: str | None, changing: set[str]) -> Iterator[None]:
    """Passes without the one of this name; `changing` gets the names of those that do anything."""

    def noting(step: finish.Pass) -> finish.Pass:
        def run(region: Region) -> Region:
            before = print_function(region)
            region = step.run(region)
            if print_function(region) != before:
                changing.add(step.run.__name__)
            return region

        return dataclasses.replace(step, run=run)

    passes = finish.PASSES
    finish.PASSES = tuple([noting(step) for step in passes if step.run.__name__ != name])
    try:
        yield
    finally:
        finish.PASSES = passes


def compiled(program: Program, without: str | None, changing: set[str]) -> tuple[object, float]:
    """The program, and the processor time of its first call."""
    _, function, args = program
    given = copy.deepcopy(args)
    with replaced(without, changing):
        made = pyxla.compile(function)
        start = time.process_time()
        made(*given)
        return made, time.process_time() - start


def rows(program: Program, only: list[str], turns: int) -> Iterator[str]:
    name, _, args = program
    changing: set[str] = set()
    base, first = compiled(program, None, changing)
    given = copy.deepcopy(args)
    base(*given)
    written = [k for k, (x, y) in enumerate(zip(args, given, strict=True)) if not same(x, y)]
    seconds = turn(base, args, written, 1)
    calls = max(1, int(0.05 / seconds))
    for step in sorted(changing - NEEDED):
        if only and step not in only:
            continue
        other, other_first = compiled(program, step, set())
        samples: tuple[list[float], list[float]] = ([], [])
        for k in range(2 * turns):
            samples[k % 2].append(turn((base, other)[k % 2], args, written, calls))
        median, least = [f(samples[1]) / f(samples[0]) for f in (statistics.median, min)]
        times = f"{duration(seconds):>8} {median:6.2f} {least:6.2f} {other_first / first:6.2f}"
        yield f"{step:20} {name:35} {times}"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.passes")
    parser.add_argument("clone", nargs="?", type=Path)
    parser.add_argument("--preset", default="S")
    parser.add_argument("--size", choices=("small", "large"), default="small")
    parser.add_argument("--pass", nargs="*", default=[], dest="only")
    parser.add_argument("--filter", nargs="*", default=[])
    parser.add_argument("--turns", type=int, default=7)
    options = parser.parse_args(argv)
    for _, programs in suites(options.clone, options.preset, options.size):
        for program in programs:
            if not options.filter or any(word in program[0] for word in options.filter):
                for row in rows(program, options.only, options.turns):
                    print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
