"""The corpus lowered for other platforms by `jax.export`: nothing of the CPU is in its modules.

    python -m tests.platforms [--platform NAME ...] [NAME ...]

A row is a program that is not lowered, or whose module calls what the platform does not have, with
the reason.  Programs are specialized as a call of each of their samples does it; nothing is run.
"""

from __future__ import annotations

import argparse
import contextlib
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any
from unittest import mock

import pyxla
from pyxla import compiler, options
from pyxla.runtime import jaxlink
from tests import cost
from tests.programs import Program, load

PLATFORMS = ("tpu", "cuda")
TARGETS = re.compile(r"custom_call @(\w+)")
OF_THE_CPU = re.compile("lapack|cpu|hipsolver")


class _Lowered(Exception):  # noqa: N818 - control flow, not an error
    """The call has the program that it would run."""


def refused(program: Program, platforms: Sequence[str]) -> Iterator[str]:
    """Why a program is not lowered for a platform, in words; nothing for one that is."""

    def lower(compilation: Any) -> Any:
        made = compilation.at("regions")
        for platform in platforms:
            try:
                text = jaxlink.exported(made, {}, (platform,)).mlir_module()
            except Exception as error:  # noqa: BLE001 - a row says so
                found.add(f"{platform}: {type(error).__name__}: {str(error).splitlines()[0]}")
                continue
            calls = set(TARGETS.findall(text))
            found.update([f"{platform}: {call}" for call in calls if OF_THE_CPU.search(call)])
        raise _Lowered

    found: set[str] = set()
    fn = pyxla.compile(program.fn, checks=cost.checked(program))
    with mock.patch.object(compiler, "executable", lower):
        for sample in program.samples:
            try:
                with contextlib.suppress(_Lowered):
                    fn(*sample())
            except pyxla.CompileError as error:
                if "refusable" not in program.features:
                    found.add(f"refused: {error.message}")
    yield from sorted(found)


def _rows(name: str, platforms: Sequence[str]) -> list[str]:
    options.DEFAULTS = options.Options()
    return [f"{name:50} {reason}" for reason in refused(load()[name], platforms)]


def main() -> None:
    """Print what is not lowered, and how many programs are."""
    parser = argparse.ArgumentParser(prog="python -m tests.platforms")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--platform", action="append", choices=options.PLATFORMS)
    given = parser.parse_args()
    names, platforms = given.names or sorted(load()), given.platform or PLATFORMS
    failed = 0
    with ProcessPoolExecutor() as pool:
        for rows in pool.map(_rows, names, [platforms] * len(names), chunksize=4):
            failed += bool(rows)
            for row in rows:
                print(row, flush=True)
    print(f"{len(names) - failed} of {len(names)} programs are lowered for {', '.join(platforms)}")


if __name__ == "__main__":
    main()
