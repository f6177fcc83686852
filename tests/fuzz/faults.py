"""Whether planted faults are found: `python -m tests.fuzz.faults [WORDS]`.

For every fault of `tests.fuzz.table`, or those whose names hold one of the words, the search runs
on a compiler with that fault until it finds something wrong. What is printed is a table: the fault,
after how many programs it was found, and how it showed. The exit code is 1 if one was not found
within its bound, or `--seconds N`. `--seed S` says where to begin, `--check` that what is found is
the fault's doing: the program must be right without it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from tests.fuzz import workers
from tests.fuzz.__main__ import judged, made, parse
from tests.fuzz.records import BAD, pattern
from tests.fuzz.table import FAULTS, Fault

SECONDS = 1800


def options_of(fault: Fault, seed: int, seconds: float) -> argparse.Namespace:
    words = ["--seed", str(seed), "--count", str(fault.bound), "--effort", fault.effort]
    words += ["--fault", fault.name, "--seconds", str(seconds)]
    words += [f"--{fault.kind}"] if fault.kind != "programs" else []
    return parse(words)


def found(fault: Fault, seed: int, check: bool, seconds: float = SECONDS) -> tuple[int, str]:
    """After how many programs, and how; (0, ...) if not within the bound."""
    options, count = options_of(fault, seed, seconds), 0
    for record in workers.records(options):
        count += 1
        if record["verdict"] not in BAD:
            continue
        if check and not innocent(record["seed"], options):
            continue
        how = f"{record['verdict']} (seed {record['seed']}): {pattern(record['reason'])[:60]}"
        return count, how
    return 0, f"not within {count} programs"


def innocent(seed: int, options: argparse.Namespace) -> bool:
    """Whether the program of a seed is right without the fault, as it is in this process."""
    return judged(made(seed, options).text, seed, options).verdict not in BAD


def chosen(words: Iterable[str]) -> list[Fault]:
    return [f for f in FAULTS if not words or any(word in f.name for word in words)]


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.faults")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    options = parser.parse_args(argv)
    missed = 0
    for fault in chosen(options.words):
        count, how = found(fault, options.seed, options.check, options.seconds)
        missed += not count
        kind = "" if fault.kind == "programs" else fault.kind
        print(f"| {fault.name} | {kind} | {fault.bound} | {count or '-'} | {how} |", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
