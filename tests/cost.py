"""What inference costs: attempts, instruction visits and typed instructions of each program.

    python -m tests.cost [--checks] [NAME ...]     print the costs, slowest first
    python -m tests.cost --json PATH               of all programs, without and with checks
    python -m tests.cost --update [NAME ...]       record in tests/cost.json what they cost

Inference is run as a call runs it, with the restarts that a call makes; nothing is lowered.  The
cost of a program is that of its costliest sample.  `tests/test_programs.py` counts the same while
it runs the corpus, and holds it against the record.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import statistics
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pyxla
from pyxla import compiler, options, pipeline
from pyxla.errors import InternalError
from pyxla.infer.engine import Engine
from pyxla.ir.core import Block, Function, Region
from tests.programs import Program, load

RECORD = Path(__file__).with_name("cost.json")
LIBRARY = str(Path(pyxla.__file__).parent)
GROWTH = 1.02


@dataclass(slots=True)
class Cost:
    """attempts: engines that were started.  visits: instructions interpreted, in all attempts, as
    often as they were.  instructions: of the typed program that came out.  lines: of the user that
    were visited.  seconds: of inference."""

    attempts: int = 0
    visits: int = 0
    instructions: int = 0
    lines: int = 0
    seconds: float = 0.0


class Meter:
    """The cost of each of its calls, up to the first program that one makes."""

    def __init__(self) -> None:
        self.costs: list[Cost] = []

    @contextlib.contextmanager
    def call(self) -> Iterator[None]:
        """Count what engines do meanwhile; nothing, in a call of what is compiled already."""
        cost, blocks, finished = Cost(), set[Block](), False
        start, visit, typed = Engine.__init__, Engine.visit, pipeline.STAGES["typed"]

        def started(engine: Engine, *args: Any) -> None:
            cost.attempts += not finished
            start(engine, *args)

        def visited(engine: Engine, frame: Any, block: Block) -> None:
            if not finished:
                cost.visits += len(block.instrs) + 1
                blocks.add(block)
            visit(engine, frame, block)

        def made(compilation: Any) -> Any:
            nonlocal finished
            request = compilation.request  # of a second run, where data is not as expected
            options = request.options
            finished |= bool(request.replayed) or options.power_types or options.from_end
            before = time.perf_counter()
            try:
                product = typed.make(compilation)
            finally:
                cost.seconds += (time.perf_counter() - before) * (not finished)
            if not finished:
                finished, cost.instructions = True, size(product.function)
            return product

        stage = {"typed": dataclasses.replace(typed, make=made)}
        try:
            with (
                mock.patch.object(Engine, "__init__", started),
                mock.patch.object(Engine, "visit", visited),
                mock.patch.dict(pipeline.STAGES, stage),
            ):
                yield
        finally:
            cost.lines = len(lines(blocks))
            self.costs.append(cost)

    def worst(self) -> Cost:
        """Of each count the largest of all calls."""
        names = [f.name for f in dataclasses.fields(Cost)]
        return Cost(*[max((getattr(c, n) for c in self.costs), default=0) for n in names])


def lines(blocks: Iterable[Block]) -> set[tuple[str, int]]:
    """The user's lines that blocks are made of."""
    found = {i.loc for block in blocks for i in block.instrs if i.loc is not None}
    return {(x.filename, x.lineno) for x in found if not x.filename.startswith(LIBRARY)}


def size(x: Function | Region) -> int:
    """Phis and instructions, of what instructions carry as well."""
    blocks: Sequence[Any] = x.blocks if isinstance(x, Function) else (x,)
    own = sum(len(block.instrs) + len(getattr(block, "phis", ())) for block in blocks)
    return own + sum(size(r) for block in blocks for i in block.instrs for r in i.regions)


class _Inferred(Exception):  # noqa: N818 - control flow, not an error
    """The call has the program that it would run."""


def _not_lowered(compilation: Any) -> Any:
    """In the place of the executable of a specialization of which only inference is wanted."""
    raise _Inferred


def cost(program: Program, checks: bool) -> Cost:
    """What inferring a program costs; its samples are called in order, nothing is run."""
    fn = pyxla.compile(program.fn, checks=checks)
    meter = Meter()
    with mock.patch.object(compiler, "executable", _not_lowered):
        for sample in program.samples:
            try:
                with meter.call():
                    fn(*sample())
            except InternalError:
                raise
            except (_Inferred, pyxla.CompileError):
                continue
    return meter.worst()


def checked(program: Program) -> bool:
    """Whether the corpus compiles it with checks."""
    return "checks" in program.features


def record() -> dict[str, list[int]]:
    """What is recorded of each program: attempts, visits, instructions."""
    return json.loads(RECORD.read_text())


def grown(name: str, now: Cost, known: dict[str, list[int]]) -> str:
    """What costs more than is recorded, or ""."""
    if name not in known:
        return f"{name} is not in {RECORD.name}: python -m tests.cost --update"
    counts = ("attempts", "visits", "instructions")
    for count, before in zip(counts, known[name], strict=True):
        if getattr(now, count) > before * GROWTH:
            return f"{name}: {count} grew from {before} to {getattr(now, count)}"
    return ""


def _measured(name: str, checks: bool | None) -> tuple[str, Cost]:
    options.DEFAULTS = options.Options()
    program = load()[name]
    return name, cost(program, checked(program) if checks is None else checks)


def measured(names: Sequence[str], checks: bool | None) -> dict[str, Cost]:
    """The costs of programs, with checks or without, or as the corpus has it (None)."""
    with ProcessPoolExecutor() as pool:
        found = dict(pool.map(_measured, names, [checks] * len(names), chunksize=4))
    return dict(sorted(found.items()))


def summary(costs: dict[str, Cost]) -> str:
    """The distribution of each count."""
    text = ""
    rows: dict[str, list[float]] = {
        field.name: [getattr(c, field.name) for c in costs.values()]
        for field in dataclasses.fields(Cost)
    }
    rows["visits/line"] = [c.visits / max(c.lines, 1) for c in costs.values()]
    for name, row in rows.items():
        cuts = statistics.quantiles(row, n=100, method="inclusive") if len(row) > 1 else row * 99
        text += f"{name:14}" + "".join(
            f"{word} {value:<12.5g}"
            for word, value in (
                ("median", cuts[49]),
                ("p90", cuts[89]),
                ("p99", cuts[98]),
                ("max", max(row)),
                ("sum", sum(row)),
            )
        )
        text = text.rstrip() + "\n"
    return text


def update(names: Sequence[str]) -> None:
    """Record what programs cost; those that are no more are dropped."""
    costs = measured(names, None)
    known = {**record(), **{n: [c.attempts, c.visits, c.instructions] for n, c in costs.items()}}
    rows = [f"{json.dumps(name)}: {known[name]}" for name in sorted(load())]
    RECORD.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.cost")
    parser.add_argument("names", nargs="*", help="programs, families, or all of the corpus")
    parser.add_argument("--checks", action="store_true", help="compile with checks=True")
    parser.add_argument("--json", type=Path, help="write all, without and with checks, there")
    parser.add_argument("--update", action="store_true", help=f"write {RECORD.name}")
    given = parser.parse_args()
    wanted = tuple(given.names)
    names = [n for n in load() if not wanted or n in wanted or n.startswith(wanted)]
    if given.update:
        return update(names)
    modes = {"off": False, "on": True} if given.json else {"": given.checks}
    found = {mode: measured(names, checks) for mode, checks in modes.items()}
    for mode, costs in found.items():
        if not given.json:
            for name, c in sorted(costs.items(), key=lambda item: -item[1].seconds):
                print(f"{name:50} {c.attempts:4} {c.visits:8} {c.instructions:7} {c.seconds:8.2f}")
        print(f"checks {mode}\n" * bool(mode) + summary(costs))
    if given.json:
        plain = {
            mode: {name: dataclasses.asdict(c) for name, c in costs.items()}
            for mode, costs in found.items()
        }
        given.json.write_text(json.dumps(plain, indent=1) + "\n")


if __name__ == "__main__":
    main()
