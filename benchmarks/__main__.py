"""Run the benchmarks, print ratios side by side, write them to `docs/benchmarks.md`.

    python -m benchmarks [SECTION ...] [--repetitions N] [--npbench CLONE] [--no-write]

Peers that are not installed are left out. Every ratio comes from one run, the sides measured in
turns; figures are medians. With a checkout of spcl/npbench the section "checks" has the programs of
that suite, too.
"""

from __future__ import annotations

import argparse
import functools
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path

import jax
import numpy as np

import pyxla
from benchmarks import checks, front_end, gradients, growth, models, run_time
from benchmarks.measure import ROOT, Row, line

SECTIONS: dict[str, tuple[str, Callable[[int], list[Row]]]] = {
    "vgg19": ("VGG19 run time", run_time.vgg19_section),
    "transformer": ("Transformer run time", run_time.transformer_section),
    "instructions": ("Instructions before XLA's passes", run_time.instruction_section),
    "front-end": ("Front-end time, fresh process", front_end.section),
    "trip-count": ("Loops stay loops", front_end.loop_section),
    "growth": ("Front-end time as programs grow", growth.section),
    "overhead": ("Call overhead", run_time.overhead_section),
    "loops": ("Scalar loops", run_time.scalar_loops_section),
    "checks": ("Cost of checks: with them, against without", checks.section),
    "newton": ("Truncated Newton-CG", run_time.newton_section),
    "simulation": ("Scalar simulation", run_time.simulation_section),
    "gradient-instructions": (
        "Derivatives: instructions before XLA's passes",
        gradients.instruction_section,
    ),
    "gradient-time": ("Derivatives: run time", gradients.run_time_section),
    "gradient-eager": ("Derivatives: against eager execution", models.eager_section),
    "gradient-front-end": ("Derivatives: front-end time", gradients.front_end_section),
    "gradient-loops": ("Derivatives of loops of unknown length", gradients.loop_section),
    "gradient-updates": ("Derivatives of updates of elements", gradients.update_section),
}
HEADER = "| what | pyxla | peer | ratio | target | holds |\n| --- | --- | --- | --- | --- | --- |"


def preamble() -> str:
    versions = f"CPython {platform.python_version()}, jax {jax.__version__}, numpy {np.__version__}"
    return (
        "# Benchmarks\n\n"
        "Written by `python -m benchmarks`; sides are measured in turns in one run, figures are\n"
        f"medians; front-end times are processor time. {versions},\n"
        f"pyxla {pyxla.__version__}, {os.cpu_count()} cores, {platform.machine()}.\n"
        '`python -m benchmarks.checks CLONE` shows each program that "Cost of checks" sums up.\n'
    )


def run(names: list[str], repetitions: int) -> str:
    """The report of the named sections; each is printed as it is done."""
    parts = [preamble()]
    for name in names:
        title, section = SECTIONS[name]
        rows = "\n".join(line(row) for row in section(repetitions))
        parts.append(f"## {title}\n\n{HEADER}\n{rows}\n")
        print(parts[-1], flush=True)
    return "\n".join(parts)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--npbench", type=Path, metavar="CLONE")
    parser.add_argument("--no-write", action="store_true", help="leave docs/benchmarks.md alone")
    options = parser.parse_args(argv)
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    run_time.register_layers()
    if options.npbench is not None:
        title, section = SECTIONS["checks"]
        SECTIONS["checks"] = title, functools.partial(section, clone=options.npbench)
    report = run(options.sections or list(SECTIONS), options.repetitions)
    if not options.no_write and not options.sections:
        (ROOT / "docs" / "benchmarks.md").write_text(report)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
