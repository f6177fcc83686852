"""The corpus lowered for other platforms by `jax.export`: nothing of the CPU is in its modules.

    python -m tests.platforms [--platform NAME ...] [--topology v5e:2x4] [NAME ...]

A row is a program that is not lowered, or whose module calls what the platform does not have, with
the reason.  Programs are specialized as a call of each of their samples does it; nothing is run.
With a topology, modules for TPUs are compiled for its first device by `libtpu`, which needs none.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import itertools
import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any
from unittest import mock

import jax
from jax.experimental import topologies

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


@functools.cache
def devices(topology: str) -> Any:
    """The devices of a topology of TPUs, as `libtpu` knows them."""
    # It would look for the machines that have them, for minutes.
    os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")
    os.environ.setdefault("ALLOW_MULTIPLE_LIBTPU_LOAD", "1")  # one process would lock out others
    return topologies.get_topology_desc(topology, "tpu").devices


def compile_for(topology: str, exported: Any) -> None:
    """Compile what was exported for the first device of a topology."""
    place = jax.sharding.SingleDeviceSharding(devices(topology)[0])
    with jaxlink.scoped():
        given = [jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=place) for x in exported.in_avals]
        jax.jit(exported.call, out_shardings=place).lower(*given).compile()


def refused(program: Program, platforms: Sequence[str], topology: str = "") -> Iterator[str]:
    """Why a program is not made for a platform, in words; nothing for one that is."""

    def lower(compilation: Any) -> Any:
        made = compilation.at("regions")
        for platform in platforms:
            try:
                exported = jaxlink.exported(made, {}, (platform,))
                if topology and platform == "tpu":
                    compile_for(topology, exported)
            except Exception as error:  # noqa: BLE001 - a row says so
                found.add(f"{platform}: {type(error).__name__}: {str(error).splitlines()[0]}")
                continue
            calls = set(TARGETS.findall(exported.mlir_module()))
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


def _rows(name: str, *wanted: Any) -> list[str]:
    options.DEFAULTS = options.Options()
    return [f"{name:50} {reason}" for reason in refused(load()[name], *wanted)]


def main() -> None:
    """Print what is not lowered, and how many programs are."""
    parser = argparse.ArgumentParser(prog="python -m tests.platforms")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--platform", action="append", choices=options.PLATFORMS)
    parser.add_argument("--topology", default="", metavar="TYPE:SHAPE")
    given = parser.parse_args()
    names, platforms = given.names or sorted(load()), given.platform or PLATFORMS
    failed = 0
    with ProcessPoolExecutor() as pool:
        wanted = itertools.repeat(platforms), itertools.repeat(given.topology)
        for rows in pool.map(_rows, names, *wanted, chunksize=4):
            failed += bool(rows)
            for row in rows:
                print(row, flush=True)
    print(f"{len(names) - failed} of {len(names)} programs are made for {', '.join(platforms)}")
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
