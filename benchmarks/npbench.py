"""The NumPy programs of NPBench (spcl/npbench) as they stand, compiled and in CPython, in turns.

    python -m benchmarks.npbench CLONE [--preset S] [--seconds N] [PROGRAM ...]

CLONE is a checkout of that repository. Each program runs in a process of its own, on what its own
`initialize` makes, NumPy arrays in and out. What it returns and every argument are compared with
NumPy's before anything is timed. A ratio is NumPy's time over that of the compiled program.
"""

from __future__ import annotations

import argparse
import copy
import importlib
import json
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import pyxla
from benchmarks.measure import duration

# Threads of NumPy's OpenBLAS spin for a tenth of a second before they sleep (105 ms of processor
# time after each product, by `time.process_time`), and would take a core from the other side.
REST = 0.15
SECONDS_PER_TURN = 0.05


@dataclass(frozen=True, slots=True)
class Measured:
    """Of one program: the seconds of a call in NumPy and compiled, those of compiling it."""

    name: str
    numpy: float
    pyxla: float
    compiling: float

    @property
    def ratio(self) -> float:
        return self.numpy / self.pyxla

    def __str__(self) -> str:
        times = f"{duration(self.numpy):>8} {duration(self.pyxla):>8}"
        return f"{self.name:25} {times} {self.ratio:8.2f} {self.compiling:6.1f} s"


def load(clone: Path, name: str, preset: str) -> tuple[Callable[..., Any], list[Any], float]:
    """A program of the suite, its arguments, and the error that the suite allows."""
    info = json.loads((clone / "bench_info" / f"{name}.json").read_text())["benchmark"]
    package = f"npbench.benchmarks.{info['relative_path'].replace('/', '.')}.{info['module_name']}"
    data = dict(info["parameters"][preset])
    init = info.get("init")
    if init:
        initialize = getattr(importlib.import_module(package), init["func_name"])
        made = initialize(*(data[key] for key in init["input_args"]))
        outputs = init["output_args"]
        data.update(zip(outputs, made if len(outputs) > 1 else [made]))
    program = getattr(importlib.import_module(package + "_numpy"), info["func_name"])
    return program, [data[key] for key in info["input_args"]], info.get("norm_error", 1e-5)


def leaves(x: Any) -> list[Any]:
    return [leaf for item in x for leaf in leaves(item)] if isinstance(x, (tuple, list)) else [x]


def error(ours: Any, theirs: Any) -> float:
    """The norm of the difference over NumPy's; infinite where types, shapes or NaNs differ."""
    if type(ours) is not type(theirs):
        return np.inf
    if theirs is None or callable(theirs):
        return 0.0
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    finite = np.isfinite(theirs)
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return np.inf
    if not np.array_equal(ours[~finite], theirs[~finite], equal_nan=True):
        return np.inf
    difference = np.linalg.norm((ours - theirs)[finite])
    return float(difference / (np.linalg.norm(theirs[finite]) or 1.0))


def check(ours: Any, theirs: Any, tolerance: float, nearby: Callable[[], Any]) -> None:
    """Raise where `ours` is not NumPy's.  Chaotic programs may differ by more than the tolerance,
    but not from NumPy more than twice as much as what it makes of arguments `nearby`."""
    mine, expected = leaves(ours), leaves(theirs)
    if len(mine) != len(expected):
        raise AssertionError(f"{len(mine)} results instead of {len(expected)}")
    errors = [error(*pair) for pair in zip(mine, expected)]
    if max(errors) > tolerance:
        bounds = [2 * error(*pair) for pair in zip(leaves(nearby()), expected)]
        for place, (found, bound) in enumerate(zip(errors, bounds)):
            if found > max(tolerance, bound):
                raise AssertionError(f"result {place} is off by {found:.2g}")


def moved(x: Any) -> Any:
    """An array of numbers with a fraction, one rounding off."""
    if not isinstance(x, np.ndarray) or not np.issubdtype(x.dtype, np.inexact):
        return copy.copy(x)
    return (x * (1 + np.finfo(x.dtype).eps)).astype(x.dtype)


def turn(fn: Callable[..., Any], args: list[Any], mutated: list[int]) -> float:
    """Seconds of a call, the median over some time; what is mutated is copied outside the clock."""
    samples: list[float] = []
    while not samples or sum(samples) < SECONDS_PER_TURN:
        fresh = list(args)
        for place in mutated:
            fresh[place] = args[place].copy()
        start = time.perf_counter()
        fn(*fresh)
        samples.append(time.perf_counter() - start)
    time.sleep(REST)
    return statistics.median(samples)


def measure(clone: Path, name: str, preset: str, seconds: float) -> Measured:
    """Check one program and time it, in turns for the given seconds."""
    sys.path.insert(0, str(clone))
    program, args, tolerance = load(clone, name, preset)
    theirs, ours = copy.deepcopy(args), copy.deepcopy(args)
    expected = program(*theirs)
    compiled = pyxla.compile(program)
    start = time.perf_counter()
    result = compiled(*ours)
    first = time.perf_counter() - start

    def nearby() -> list[Any]:
        near = [moved(x) for x in args]
        return [program(*near), *near]

    check([result, *ours], [expected, *theirs], tolerance, nearby)
    arrays = [place for place, arg in enumerate(args) if isinstance(arg, np.ndarray)]
    mutated = [i for i in arrays if not np.array_equal(args[i], theirs[i], equal_nan=True)]
    del theirs, ours, expected, result
    turn(compiled, args, mutated)
    sides: dict[Callable[..., Any], list[float]] = {program: [], compiled: []}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(sides[program]) < 3:
        for fn, samples in sides.items():
            samples.append(turn(fn, args, mutated))
    medians = [statistics.median(samples) for samples in sides.values()]
    return Measured(name, *medians, max(first - medians[1], 0.0))


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.npbench")
    parser.add_argument("clone", type=Path)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    parser.add_argument("--preset", default="S", help="S, M, L or paper")
    parser.add_argument("--seconds", type=float, default=3.0, help="time to measure each for")
    options = parser.parse_intermixed_args(argv)
    infos = sorted((options.clone / "bench_info").glob("*.json"))
    done: list[Measured] = []
    print(f"{'program':25} {'NumPy':>8} {'pyxla':>8} {'ratio':>8} compiling", flush=True)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as pool:
        for name in options.programs or [info.stem for info in infos]:
            call = pool.submit(measure, options.clone, name, options.preset, options.seconds)
            try:
                done.append(call.result())
                print(done[-1], flush=True)
            except Exception as error:
                print(f"{name:25} {type(error).__name__}: {error}", flush=True)
    ratios = [program.ratio for program in done]
    slow, slower = (sum(r < 1 / times for r in ratios) for times in (1.25, 1.1))
    print(f"geometric mean of {len(ratios)}: {statistics.geometric_mean(ratios):.2f}")
    print(f"slower than NumPy by 25 %: {slow}, by 10 %: {slower}")
    print(f"slowest to compile: {max(program.compiling for program in done):.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
