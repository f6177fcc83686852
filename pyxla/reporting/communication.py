"""What a program communicates between devices: the collectives of the module that XLA made of it.

collectives(text, mesh)              of an optimized module
placed(args, mesh, texts)            shardings from types like 'f32[1024@data,128]'
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding

from pyxla.errors import CompileError
from pyxla.reporting.listing import frame_places

OPS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute")
_OP = re.compile(rf"%?[\w.-]+ = (.*?) ({'|'.join(OPS)}|collective-broadcast)(?:-start)?\(")
_SHAPE = re.compile(r"(pred|bf16|[suf]\d+\w*|c64|c128)\[([\d,]*)\]")
_COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.-]+) \(.*\{$")
_CALLED = re.compile(r"(body|condition|calls|to_apply|branch_computations)=\{?([^,}\s]+)")
_TRIPS = re.compile(r'known_trip_count[^}]*?"n":"(\d+)"')
_FRAME = re.compile(r"stack_frame_id=(\d+)")


@dataclass(frozen=True, slots=True)
class Collective:
    """One of a module.

    size: bytes of its result on each device.  axes: of the mesh, along which it goes; empty where
    that is not known.  times: how often it is run, None where data decides.  place: file and line.
    """

    op: str
    size: int
    axes: tuple[str, ...]
    times: int | None
    place: str

    def __str__(self) -> str:
        times = "?" if self.times is None else str(self.times)
        along = ",".join(self.axes) or "?"
        return f"{self.place or '?':24} {self.op:20} {along:12} {self.size:>12} bytes  x {times}"


class _Places:
    def find(self, file: str, line: int) -> Any:
        return f"{os.path.basename(file)}:{line}"


def collectives(text: str, mesh: Any) -> list[Collective]:
    """The collectives in the text of an optimized module, in order."""
    frames = dict(frame_places(text, _Places()))  # type: ignore[arg-type]
    times = _times(text)
    found = []
    for computation, line in _lines(text):
        made = _OP.search(line)
        if made is None:
            continue
        frame = _FRAME.search(line)
        place: Any = frames.get(frame[1]) if frame else None
        size = sum([_bytes(*shape) for shape in _SHAPE.findall(made[1])])
        found.append(
            Collective(made[2], size, _axes(line, mesh), times.get(computation, 1), place or "")
        )
    return found


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """The lines of computations, with the names of these."""
    name = ""
    for line in text.splitlines():
        if head := _COMPUTATION.match(line):
            name = head[1]
        elif line.startswith("  "):
            yield name, line


def _bytes(element: str, extents: str) -> int:
    bits = (
        8 if element == "pred" else 16 if element == "bf16" else int(re.findall(r"\d+", element)[0])
    )
    return math.prod([int(n) for n in extents.split(",") if n]) * max(bits, 8) // 8


def _times(text: str) -> dict[str, int | None]:
    """How often each computation is run that is called."""
    callers: dict[str, tuple[str, int | None]] = {}
    for computation, line in _lines(text):
        trips = _TRIPS.search(line)
        for role, called in _CALLED.findall(line):
            loops = role in ("body", "condition")
            count = (int(trips[1]) if trips else None) if loops else 1
            callers[called.lstrip("%")] = computation, count

    def total(name: str) -> int | None:
        if name not in callers:
            return 1
        caller, count = callers[name]
        outer = total(caller)
        return None if count is None or outer is None else count * outer

    return {name: total(name) for name in callers}


def _axes(line: str, mesh: Any) -> tuple[str, ...]:
    """The axes of the mesh whose devices are the groups of a collective."""
    groups = _groups(line)
    names = mesh.axis_names
    ids = np.arange(math.prod(mesh.shape.values())).reshape([mesh.shape[a] for a in names])
    for chosen in range(1, 1 << len(names)):
        own = [k for k in range(len(names)) if chosen >> k & 1]
        rest = [k for k in range(len(names)) if k not in own]
        size = math.prod([ids.shape[k] for k in own])
        rows = ids.transpose(rest + own).reshape(-1, size)
        if groups and {frozenset(row) for row in rows.tolist()} == groups:
            return tuple([names[k] for k in own])
        if not groups and _pairs_fit(line, rows):
            return tuple([names[k] for k in own])
    return ()


def _groups(line: str) -> set[frozenset[int]]:
    """The groups of devices of a collective, in any of the forms that XLA prints."""
    if found := re.search(r"replica_groups=mesh\[([^\]]*)\] \{([^}]*)\}", line):
        sizes = {name: int(n) for name, n in re.findall(r"'([^']+)'=(\d+)", found[1])}
        own = [list(sizes).index(name) for name in re.findall(r"'([^']+)'", found[2])]
        if "(" in found[2]:  # along a part of an axis
            return set()
        rest = [k for k in range(len(sizes)) if k not in own]
        ids = np.arange(math.prod(sizes.values())).reshape(list(sizes.values()))
        width = math.prod([ids.shape[k] for k in own])
        return {frozenset(row) for row in ids.transpose(rest + own).reshape(-1, width).tolist()}
    if found := re.search(r"replica_groups=\{(\{[\d,{}]*\})\}", line):
        rows = re.findall(r"\{([\d,]+)\}", found[1])
        return {frozenset(map(int, row.split(","))) for row in rows}
    pattern = r"replica_groups=\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?"
    if found := re.search(pattern, line):
        shape, tiles = ([int(n) for n in found[k].split(",")] for k in (1, 2))
        ids = np.arange(math.prod(tiles)).reshape(tiles)
        order = [int(n) for n in found[3].split(",")] if found[3] else range(len(tiles))
        return {frozenset(row) for row in ids.transpose(order).reshape(shape).tolist()}
    return set()


def _pairs_fit(line: str, rows: Any) -> bool:
    """Whether a permutation stays within groups."""
    found = re.search(r"source_target_pairs=\{(.*?)\}\}", line)
    if not found:
        return False
    pairs = [tuple(map(int, pair)) for pair in re.findall(r"(\d+),(\d+)", found[1])]
    of = {device: k for k, row in enumerate(rows.tolist()) for device in row}
    return all(of[a] == of[b] for a, b in pairs)


# --- types with axes --------------------------------------------------------------------------


def plain(text: str) -> str:
    """A type without its axes: 'f32[1024@data,128]' is 'f32[1024,128]'."""
    return re.sub(r"@[\w*]+", "", text)


def specs(texts: Sequence[str]) -> list[Any]:
    """A specification for each array in the texts of types, in order."""
    found = []
    for dims in re.findall(r"\b[a-z]+\d+\w*\[([^\[\]]*)\]", " ".join(texts)):
        parts = [part.strip() for part in dims.split(",") if part.strip()]
        names = [part.partition("@")[2].split("*") if "@" in part else None for part in parts]
        found.append(jax.P(*[tuple(axes) if axes else None for axes in names]))
    return found


def mesh_of(text: str) -> Any:
    """The mesh that 'data=4,model=2' spells."""
    try:
        sizes = {name: int(size) for name, _, size in (p.partition("=") for p in text.split(","))}
    except ValueError:
        raise CompileError(f"{text!r} is not a mesh", hint="write data=4,model=2") from None
    kinds = (jax.sharding.AxisType.Auto,) * len(sizes)
    return jax.make_mesh(tuple(sizes.values()), tuple(sizes), axis_types=kinds)


def placed(program: Any, mesh: Any, texts: Sequence[str]) -> list[Any]:
    """The shardings of a program's parameters, arrays as the texts of types say."""
    given = iter(specs(texts))
    scalar = NamedSharding(mesh, jax.P())
    wanted = [t for t in program.params if t.ndim]
    if len(wanted) != len(specs(texts)):
        return [NamedSharding(mesh, jax.P(*[None] * t.ndim)) for t in program.params]
    return [NamedSharding(mesh, next(given)) if t.ndim else scalar for t in program.params]
