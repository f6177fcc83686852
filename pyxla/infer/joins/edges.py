"""Edges: paths that arrive where paths meet, or leave a block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyxla.errors import Location
from pyxla.infer.heap import Heap
from pyxla.ir.core import Block, Value

Env = dict[Value, Any]


@dataclass(slots=True, eq=False)
class Edge:
    """A path into a block: `block` is open (no terminator yet); `assumed`, what branches proved."""

    block: Block
    heap: Heap
    env: Env
    args: tuple[Any, ...] = ()
    loc: Location | None = None
    assumed: tuple[Any, ...] = ()
