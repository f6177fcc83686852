"""Search for wrong answers: `python -m tests.fuzz --seconds N --seed S`.

Worker processes judge programs seed by seed; this process watches them. Failing programs are
shrunk and written as files. The exit code is 1 where anything was wrong.

    --seconds N      how long to search (60)
    --seed S         the first seed (0)
    --count N        stop after so many programs
    --jobs N         workers at the same time (1)
    --gradients      programs that can be differentiated, and their derivatives
    --effort E       XLA's: full as users have it; quick; eager: no XLA, the ops are evaluated by
                     NumPy; or mixed: one of eight workers full, one quick, the others eager
    --avoid A,B      productions of the generator to leave out, by function name
    --output FOLDER  where failing programs go (fuzz-failures)
    --shrink N       seconds to shrink each failure (60; 0: do not)
    --record FILE    add what was counted to this file, a line of JSON for every 1,000 programs
    --summary FILE   add up the recorded runs of a commit (the last recorded, or --commit C)
    --show           print the program of the seed, and judge it
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import resource
import signal
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from tests.fuzz import gradients, oracle, ways, workers
from tests.fuzz.exercised import observed
from tests.fuzz.program import Generated, generate
from tests.fuzz.records import BAD, Tally, append, commit, pattern, ranges, shown, summary
from tests.fuzz.reduction import reduced

RECORDED = 1000
# What a program exercises is looked at for one of so many.
OBSERVED = 3


def made(seed: int, options: argparse.Namespace) -> Generated:
    avoid = frozenset(options.avoid.split(","))
    return gradients.generate(seed, avoid) if options.gradients else generate(seed, avoid)


def judged(text: str, seed: int, options: argparse.Namespace) -> oracle.Outcome:
    with ways.evaluating() if options.effort == "eager" else contextlib.nullcontext():
        return _judged(text, seed, options)


def _judged(text: str, seed: int, options: argparse.Namespace) -> oracle.Outcome:
    if options.gradients:
        return gradients.judge(text)
    plan = workers.plan(seed)
    extra = plan.extra if plan.extra != options.effort else ""
    return oracle.judge(text, extra, plan.verify)


def work(options: argparse.Namespace) -> None:
    """Judge programs and print a line of JSON for each."""
    for seed in range(options.seed, options.seed + options.count):
        print(json.dumps({"begin": seed}), flush=True)
        program = made(seed, options)
        outcome = judged(program.text, seed, options)
        record = {"seed": seed, "verdict": outcome.verdict, "reason": outcome.reason}
        record["further"] = outcome.further
        if outcome.verdict == "equal" and seed % OBSERVED == 0 and not options.gradients:
            record["exercised"] = sorted(observed(program.text))
        print(json.dumps({**record, "features": sorted(program.features)}), flush=True)


def shrink(record: dict[str, Any], options: argparse.Namespace) -> str:
    """Write the failing program, shrunk, and say where."""
    seed = record["seed"]
    program = made(seed, options)
    wanted = (record["verdict"], pattern(record["reason"])[:40])

    def fails(text: str) -> bool:
        try:
            with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                outcome = judged(text, seed, options)
        except Exception:
            return False
        same = outcome.verdict == wanted[0]
        return same and (wanted[0] == "wrong" or pattern(outcome.reason)[:40] == wanted[1])

    died = record["reason"].startswith("the process")
    text = program.text if died else reduced(program.text, fails, options.shrink)
    folder = Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"seed_{seed}.py"
    path.write_text(f"# {record['verdict']}: {record['reason'][:300]!r}\n{text}")
    return str(path)


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=10**9)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--gradients", action="store_true")
    parser.add_argument("--effort", choices=("eager", "quick", "full", "mixed"), default="mixed")
    parser.add_argument("--avoid", default="")
    parser.add_argument("--output", default="fuzz-failures")
    parser.add_argument("--shrink", type=float, default=60)
    parser.add_argument("--record", default="")
    parser.add_argument("--summary", default="")
    parser.add_argument("--commit", default="")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--fault", default="", help=argparse.SUPPRESS)
    return parser.parse_args(argv)


class Log:
    """The lines of a run in the file of `--record`."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.commit = commit() if options.record else ""
        self.since = time.monotonic()
        self.tally = Tally()
        self.seeds: list[int] = []

    def add(self, record: dict[str, Any]) -> None:
        self.tally.add(record)
        self.seeds.append(record["seed"])
        if len(self.seeds) == RECORDED:
            self.write()

    def write(self) -> None:
        if self.options.record and self.seeds:
            about = {
                "commit": self.commit,
                "kind": "gradients" if self.options.gradients else "programs",
                "effort": self.options.effort,
                "jobs": self.options.jobs,
                "seeds": ranges(self.seeds),
                "seconds": round(time.monotonic() - self.since, 1),
            }
            append(self.options.record, self.tally, about)
        self.since, self.tally, self.seeds = time.monotonic(), Tally(), []


def search(options: argparse.Namespace) -> int:
    tally, log, seen = Tally(), Log(options), set()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    started = time.monotonic()
    try:
        for record in workers.records(options):
            tally.add(record)
            log.add(record)
            reason = pattern(record["reason"])
            if record["verdict"] in BAD and reason not in seen:
                seen.add(reason)
                print(f"seed {record['seed']}: {record['verdict']}: {record['reason'][:200]}")
                if options.shrink:
                    print(f"  {shrink(record, options)}", flush=True)
    finally:
        log.write()
        print(shown(tally))
        judged_ = max(1, tally.verdicts.total())
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"{judged_ / (time.monotonic() - started):.1f} programs/s", end=", ")
        print(f"{1000 * (used.ru_utime + used.ru_stime) / judged_:.0f} ms of processors for each")
    return 1 if any(tally.verdicts[verdict] for verdict in BAD) else 0


def main(argv: list[str]) -> int:
    options = parse(argv)
    if options.worker:
        work(options)
    elif options.summary:
        print(summary(options.summary, options.commit))
    elif options.show:
        program = made(options.seed, options)
        print(program.text)
        print(judged(program.text, options.seed, options))
    else:
        return search(options)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
