"""Search for wrong answers: `python -m tests.fuzz --seconds N --seed S`.

A worker process judges programs seed by seed; this process watches it, so that a crash or a hang
of the compiler is a finding like any other. Failing programs are shrunk and written as files.
The exit code is 1 where anything was wrong.

    --seconds N      how long to search (60)
    --seed S         the first seed (0)
    --count N        stop after so many programs
    --checks         compile with run-time checks
    --avoid A,B      productions of the generator to leave out, by function name
    --output FOLDER  where failing programs go (fuzz-failures)
    --show           print the program of the seed, and judge it
"""

from __future__ import annotations

import argparse
import json
import re
import select
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz.oracle import judge
from tests.fuzz.program import generate
from tests.fuzz.reduction import reduced

PATIENCE = 120
PROGRAMS_PER_WORKER = 400
BAD = ("wrong", "internal")


def pattern(reason: str) -> str:
    """A reason without the names and numbers of one program."""
    text = reason.split("\n")[0]
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "'…'", text)
    return re.sub(r"\d+", "#", text)[:100]


@dataclass(slots=True)
class Tally:
    """What has been seen so far."""

    verdicts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)
    compiled: Counter[str] = field(default_factory=Counter)
    examples: dict[str, int] = field(default_factory=dict)

    def add(self, record: dict[str, Any]) -> None:
        verdict = record["verdict"]
        self.verdicts[verdict] += 1
        if verdict == "discarded":
            return
        self.features.update(record["features"])
        if verdict == "equal":
            self.compiled.update(record["features"])
        else:
            reason = f"{verdict}: {pattern(record['reason'])}"
            self.reasons[reason] += 1
            self.examples.setdefault(reason, record["seed"])

    def judged(self) -> int:
        return self.verdicts.total() - self.verdicts["discarded"]


def work(options: argparse.Namespace) -> None:
    """Judge programs and print a line of JSON for each."""
    avoid = frozenset(options.avoid.split(","))
    for seed in range(options.seed, options.seed + options.count):
        print(json.dumps({"begin": seed}), flush=True)
        program = generate(seed, avoid)
        outcome = judge(program.text, options.checks)
        record = {"seed": seed, "verdict": outcome.verdict, "reason": outcome.reason}
        print(json.dumps({**record, "features": sorted(program.features)}), flush=True)


def lines(worker: subprocess.Popen[str]) -> Iterator[str | None]:
    """The worker's lines; None where it says nothing for too long."""
    assert worker.stdout is not None
    while True:
        ready, _, _ = select.select([worker.stdout], [], [], PATIENCE)
        line = worker.stdout.readline() if ready else None
        if line == "":
            return
        yield line
        if line is None:
            return


def spawn(seed: int, count: int, options: argparse.Namespace) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.fuzz", "--worker", "--seed", str(seed)]
    command += ["--count", str(count), "--avoid", options.avoid]
    command += ["--checks"] if options.checks else []
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def records(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """One record per program, for as long as asked; a lost worker is recorded and replaced."""
    deadline = time.monotonic() + options.seconds
    seed, end = options.seed, options.seed + options.count
    while seed < end and time.monotonic() < deadline:
        worker = spawn(seed, min(PROGRAMS_PER_WORKER, end - seed), options)
        begun = finished = seed - 1
        why = "the process died"
        for line in lines(worker):
            if line is None:
                why = "the process hung"
                break
            record = json.loads(line)
            if "begin" in record:
                begun = record["begin"]
            else:
                finished = record["seed"]
                yield record
            if time.monotonic() > deadline:
                break
        worker.kill()
        worker.wait()
        if begun > finished and time.monotonic() < deadline:
            yield {"seed": begun, "verdict": "internal", "reason": why, "features": []}
            finished = begun
        seed = max(finished, begun) + 1


def shrink(record: dict[str, Any], options: argparse.Namespace) -> str:
    """Write the failing program, shrunk, and say where."""
    program = generate(record["seed"], frozenset(options.avoid.split(",")))
    wanted = (record["verdict"], pattern(record["reason"])[:40])

    def fails(text: str) -> bool:
        try:
            outcome = judge(text, options.checks)
        except Exception:
            return False
        same = outcome.verdict == wanted[0]
        return same and (wanted[0] == "wrong" or pattern(outcome.reason)[:40] == wanted[1])

    died = record["reason"].startswith("the process")
    text = program.text if died else reduced(program.text, fails, options.shrink)
    folder = Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"seed_{record['seed']}.py"
    path.write_text(f"# {record['verdict']}: {record['reason'][:300]!r}\n{text}")
    return str(path)


def summary(tally: Tally) -> str:
    """Verdicts, reasons and features in percent."""
    judged = max(1, tally.judged())
    rows = [f"{tally.verdicts.total()} programs: {dict(tally.verdicts)}"]
    rows.append(f"compiled: {100 * tally.verdicts['equal'] / judged:.1f} %")
    for reason, times in tally.reasons.most_common(40):
        rows.append(f"  {100 * times / judged:5.1f} %  {reason} (seed {tally.examples[reason]})")
    rows.append("features, in percent of programs (compiled):")
    shares = sorted(tally.features.items(), key=lambda item: item[1])
    rows.append(
        ", ".join(
            f"{name} {100 * n / judged:.0f} ({100 * tally.compiled[name] / judged:.0f})"
            for name, n in shares
        )
    )
    return "\n".join(rows)


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=10**9)
    parser.add_argument("--checks", action="store_true")
    parser.add_argument("--avoid", default="")
    parser.add_argument("--output", default="fuzz-failures")
    parser.add_argument("--shrink", type=float, default=60, help="seconds to shrink each failure")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def main(argv: list[str]) -> int:
    options = parse(argv)
    if options.worker:
        work(options)
        return 0
    if options.show:
        program = generate(options.seed, frozenset(options.avoid.split(",")))
        print(program.text)
        print(judge(program.text, options.checks))
        return 0
    tally, seen = Tally(), set()
    for record in records(options):
        tally.add(record)
        reason = pattern(record["reason"])
        if record["verdict"] in BAD and reason not in seen and options.shrink:
            seen.add(reason)
            print(f"seed {record['seed']}: {record['verdict']}: {record['reason'][:200]}")
            print(f"  {shrink(record, options)}", flush=True)
    print(summary(tally))
    return 1 if any(tally.verdicts[verdict] for verdict in BAD) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
