"""The programs of `benchmarks.collection`, compiled and under Numba, in turns.

    python -m benchmarks.compiled_loops [--filter WORD ...] [--size small|large] [--seconds N]
                                        [--turns N] [--worst N]

NumPy arrays in and out, every option at its default, on one core where the system lets a process
choose, in processor time, which other processes change little.  What the sides return is compared
first, for the small size with CPython's too.  A row is the median seconds of a call of each side
and their ratio, below one where pyxla is ahead; after the rows their geometric means, by kind too,
and the worst of them.  A program that is refused counts among the rows as such.  `--filter` runs
the programs, or kinds, with a word in their name.
"""

from __future__ import annotations

import argparse
import copy
import importlib
import inspect
import math
import os
import statistics
import sys
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numba
import numba.experimental
import numpy as np

import pyxla
from benchmarks.collection import KINDS
from benchmarks.measure import duration, interleaved


@dataclass(frozen=True, slots=True)
class Measured:
    """Of one program at one size: seconds of a call, and of the first one."""

    name: str
    kind: str
    size: str
    pyxla: float
    numba: float
    compiling: float
    numba_compiling: float

    @property
    def ratio(self) -> float:
        return self.pyxla / self.numba

    def __str__(self) -> str:
        what = f"{self.kind}.{self.name}, {self.size}"
        first = f"{duration(self.compiling):>8} {duration(self.numba_compiling):>8}"
        times = f"{duration(self.pyxla):>8} {duration(self.numba):>8}"
        return f"{what:40} {times} {self.ratio:6.2f}   {first}"


def peers(module: types.ModuleType) -> dict[str, Callable[..., Any]]:
    """The functions of a module under `numba.njit`, which call each other, and its classes under
    `jitclass`; each copy has the names of the module, and those of the others."""
    names = dict(vars(module))
    for name, value in vars(module).items():
        if inspect.isclass(value):
            names[name] = numba.experimental.jitclass(value)
        elif inspect.isfunction(value):
            copied = types.FunctionType(value.__code__, names, name, value.__defaults__)
            names[name] = numba.njit(copied)
    return names


def programs(words: list[str]) -> Iterator[tuple[str, Any, Any, Any]]:
    """(kind, function, the same under Numba, its sizes) of each program that is asked for."""
    for kind in KINDS:
        module = importlib.import_module(f"benchmarks.collection.{kind}")
        jitted = peers(module)
        for function, sizes in module.SIZES.items():
            name = f"{kind}.{function.__name__}"
            if not words or any(word in name for word in words):
                yield kind, function, jitted[function.__name__], sizes


def first_call(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, float]:
    """What it returns for copies of the arguments, and its seconds."""
    args = copy.deepcopy(args)
    start = time.perf_counter()
    result = function(*args)
    return result, time.perf_counter() - start


def compare(name: str, one: Any, other: Any) -> None:
    """Refuse results that differ by more than rounding."""
    if isinstance(one, tuple):
        for x, y in zip(one, other, strict=True):
            compare(name, x, y)
        return
    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9, err_msg=name)


def measured(
    kind: str, function: Any, peer: Any, args: tuple[Any, ...], size: str, options: Any
) -> Measured:
    ours = pyxla.compile(function)
    result, compiling = first_call(ours, args)
    expected, numba_compiling = first_call(peer, args)
    compare(function.__name__, result, expected)
    if size == "small":
        compare(function.__name__, result, first_call(function, args)[0])
    sides = {"pyxla": lambda: ours(*args), "numba": lambda: peer(*args)}
    t = interleaved(sides, options.turns, options.seconds, time.process_time)
    name = function.__name__
    return Measured(name, kind, size, *t.values(), compiling, numba_compiling)


def mean(ratios: list[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, ratios)))


def machine() -> str:
    """What one core copies and multiplies, by NumPy."""
    a = np.ones(8_000_000)
    b, m = np.empty_like(a), np.ones((512, 512))
    sides = {"copy": lambda: np.copyto(b, a), "product": lambda: m @ m}
    t = interleaved(sides, 5, 0.05, time.process_time)
    copied, flops = 2 * a.nbytes / t["copy"], 2 * 512**3 / t["product"]
    return f"copies {copied / 1e9:.1f} GB/s, products {flops / 1e9:.1f} GFlop/s"


def report(rows: list[Measured], refused: list[str], worst: int) -> str:
    lines = []
    for kind in KINDS:
        ratios = [row.ratio for row in rows if row.kind == kind]
        if ratios:
            lines.append(f"{kind:12} {mean(ratios):5.2f}   ({len(ratios)} rows)")
    for size in ("small", "large"):
        ratios = [row.ratio for row in rows if row.size == size]
        if ratios:
            over = sum([ratio > 2 for ratio in ratios])
            lines.append(f"{size:12} {mean(ratios):5.2f}   ({len(ratios)} rows, {over} over 2)")
    lines += ["worst:", *map(str, sorted(rows, key=lambda row: -row.ratio)[:worst])]
    return "\n".join([*lines, f"refused: {', '.join(refused) or 'none'}", machine()])


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compiled_loops")
    parser.add_argument("--filter", nargs="*", default=[], metavar="WORD")
    parser.add_argument("--size", choices=("small", "large"))
    parser.add_argument("--seconds", type=float, default=0.02, help="of a turn of one side")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--worst", type=int, default=12)
    options = parser.parse_args(argv)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rows, refused = [], []
    print(f"{'':40} {'pyxla':>8} {'numba':>8}  ratio   first calls")
    for kind, function, peer, (make, *numbers) in programs(options.filter):
        for size, number in zip(("small", "large"), numbers, strict=True):
            if options.size not in (None, size):
                continue
            args = make(number, np.random.default_rng(0))
            try:
                rows.append(measured(kind, function, peer, args, size, options))
            except pyxla.CompileError as error:
                refused.append(f"{function.__name__} ({str(error).splitlines()[0]})")
                continue
            print(rows[-1], flush=True)
    print(report(rows, refused, options.worst))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
