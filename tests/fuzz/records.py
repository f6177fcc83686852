"""What was seen so far, on the screen and in a file that adds up: `--record`, `--summary`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import numpy as np

from tests.fuzz.exercised import LISTED, listed

BAD = ("wrong", "internal")
# What the search is to show of one commit.
ENOUGH, LEAST_COMPILED, LEAST_FEATURE, MOST_REFUSED = 30_000, 0.8, 0.05, 0.03


def pattern(reason: str) -> str:
    """A reason without the names and numbers of one program."""
    text = reason.split("\n")[0]
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "'…'", text)
    return re.sub(r"\d+", "#", text)[:100]


@dataclass(slots=True)
class Tally:
    """Counts of programs: by verdict, reason and feature; the seeds of what is bad."""

    verdicts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)
    compiled: Counter[str] = field(default_factory=Counter)
    further: Counter[str] = field(default_factory=Counter)
    exercised: Counter[str] = field(default_factory=Counter)
    examples: dict[str, int] = field(default_factory=dict)
    bad: list[tuple[int, str, str]] = field(default_factory=list)

    def add(self, record: dict[str, Any]) -> None:
        """Count one program."""
        verdict = record["verdict"]
        self.verdicts[verdict] += 1
        if verdict == "discarded":
            return
        self.features.update(record["features"])
        if "exercised" in record:
            self.exercised.update(("programs", *listed(record["exercised"])))
        if record.get("further"):
            self.further[pattern(record["further"])] += 1
        if verdict == "equal":
            self.compiled.update(record["features"])
            return
        reason = f"{verdict}: {pattern(record['reason'])}"
        self.reasons[reason] += 1
        self.examples.setdefault(reason, record["seed"])
        if verdict in BAD:
            self.bad.append((record["seed"], verdict, record["reason"][:300]))

    def merge(self, other: dict[str, Any]) -> None:
        """Count what another tally has counted, as it was recorded."""
        for name in ("verdicts", "reasons", "features", "compiled", "further", "exercised"):
            getattr(self, name).update(other.get(name, {}))
        self.examples = {**other["examples"], **self.examples}
        self.bad += map(tuple, other["bad"])

    def judged(self) -> int:
        return self.verdicts.total() - self.verdicts["discarded"]


def shown(tally: Tally) -> str:
    """Verdicts, reasons and features in percent."""
    judged = max(1, tally.judged())
    rows = [f"{tally.verdicts.total()} programs: {dict(tally.verdicts)}"]
    rows.append(f"compiled: {100 * tally.verdicts['equal'] / judged:.1f} %")
    for reason, times in tally.reasons.most_common(40):
        rows.append(f"  {100 * times / judged:5.1f} %  {reason} (seed {tally.examples[reason]})")
    if tally.further:
        rows.append("other oracles asked: " + counted(tally.further))
    observed = max(1, tally.exercised["programs"])
    rows.append(f"exercised, in percent of {tally.exercised['programs']} programs looked at:")
    listed_ = sorted(LISTED, key=lambda name: tally.exercised[name])
    rows.append(", ".join(f"{n} {100 * tally.exercised[n] / observed:.1f}" for n in listed_))
    rows.append("written, in percent of programs (compiled):")
    shares = sorted(tally.features.items(), key=lambda item: item[1])
    rows.append(
        ", ".join(
            f"{name} {100 * n / judged:.0f} ({100 * tally.compiled[name] / judged:.0f})"
            for name, n in shares
        )
    )
    return "\n".join(rows)


def counted(counter: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counter.most_common())


def commit() -> str:
    """The checked-out commit; with a `+` if the compiler or the tests differ from it."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], capture_output=True, text=True).stdout.strip()

    changed = git("status", "--porcelain", "--", "pyxla", "tests")
    return git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")


def versions() -> dict[str, str]:
    python = ".".join(map(str, sys.version_info[:3]))
    return {"python": python, "jax": jax.__version__, "numpy": np.__version__}


def append(path: str, tally: Tally, about: dict[str, Any]) -> None:
    """Add a line of JSON for what was counted."""
    counts = {name: getattr(tally, name) for name in Tally.__slots__}
    line = json.dumps({**about, **versions(), **counts}, sort_keys=True)
    with Path(path).open("a") as file:
        file.write(line + "\n")


def read(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def ranges(seeds: Iterable[int]) -> list[tuple[int, int]]:
    """The seeds as half-open ranges."""
    found: list[tuple[int, int]] = []
    for seed in sorted(seeds):
        if found and found[-1][1] == seed:
            found[-1] = found[-1][0], seed + 1
        else:
            found.append((seed, seed + 1))
    return found


def overlaps(runs: Iterable[dict[str, Any]]) -> bool:
    """Whether a program was counted twice: two lines of the same kind share seeds."""
    spans = sorted((r["kind"], *span) for r in runs for span in r["seeds"])
    return any(a[0] == b[0] and b[1] < a[2] for a, b in zip(spans, spans[1:], strict=False))


def summary(path: str, wanted: str = "") -> str:
    """The recorded runs of one commit (the last one's) added up, and what they show."""
    runs = read(path)
    wanted = wanted or runs[-1]["commit"]
    texts = []
    for kind in ("programs", "gradients"):
        chosen = [r for r in runs if r["commit"].startswith(wanted) and r["kind"] == kind]
        if chosen:
            texts.append(f"{kind} of {wanted}: {len(chosen)} runs\n{_total(chosen, kind)}")
    return "\n\n".join(texts) or f"no runs of {wanted}"


def _total(runs: list[dict[str, Any]], kind: str) -> str:
    tally = Tally()
    for one in runs:
        tally.merge(one)
    judged = max(1, tally.judged())
    seconds = sum(one["seconds"] for one in runs)
    most = max([n for r, n in tally.reasons.items() if r.startswith("refused")], default=0)
    least = LEAST_FEATURE * tally.exercised["programs"]
    rare = [name for name in LISTED if tally.exercised[name] < least]
    rows = [shown(tally)]
    rows.append(f"{seconds:.0f} s, {tally.verdicts.total() / max(seconds, 1):.1f} programs/s")
    rows += [f"BAD: seed {seed}: {verdict}: {reason}" for seed, verdict, reason in tally.bad]
    tests = {
        "no program counted twice": not overlaps(runs),
        "no wrong answer, no internal error": not tally.bad,
        f"{LEAST_COMPILED:.0%} compiled": tally.verdicts["equal"] >= LEAST_COMPILED * judged,
        f"no reason of refusal over {MOST_REFUSED:.0%}": most <= MOST_REFUSED * judged,
    }
    if kind == "programs":
        tests[f"{ENOUGH} programs"] = judged >= ENOUGH
        tests[f"each feature exercised in {LEAST_FEATURE:.0%}"] = not rare
        rows += [f"rare: {', '.join(sorted(rare))}"] if rare else []
    return "\n".join([*rows, *[f"{'yes' if ok else 'NO'}: {name}" for name, ok in tests.items()]])
