"""Room for arrays of a size that data decides and nothing bounds, such as `np.zeros(x.max() + 1)`.

There is room for `Options.list_capacity` elements along such a dimension.  A program that needs
more raises `ListOverflow`, and is compiled again with more room (`api.Compiled`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.integers import value_of
from pyxla.abstract.lattice import Array, Const, Scalar
from pyxla.errors import ListOverflow
from pyxla.infer.interface import Engine
from pyxla.lib.masks import resized
from pyxla.ops.elementwise import minimum
from pyxla.ops.filled import constant


def with_room(engine: Engine, n: Scalar) -> Scalar | None:
    """`n`, at most the capacity; None where a program may still be compiled without."""
    engine.findings.sized = True
    if not engine.demands.rooms:
        return None
    capacity = engine.list_capacity
    fits = engine.rules.compare(engine, "le", n, Const(capacity))
    engine.ensure(fits, ListOverflow(capacity))
    value = minimum(n.value, constant(value=np.asarray(capacity), weak=True))
    return Scalar(value, extent.IntFact(None, capacity))


def within(engine: Engine, array: Array, shape: Sequence[int]) -> Array:
    """`array`, cut to `shape`; the program raises where there is more."""
    extents = list(array.extents or (None,) * array.ndim)
    for d, (n, room) in enumerate(zip(array.shape, shape, strict=True)):
        if n > room:
            size = extents[d]
            value = value_of(n) if size is None else size.value
            fits = engine.rules.compare(engine, "le", Scalar(value), Const(room))
            engine.ensure(fits, ListOverflow(engine.list_capacity))
            extents[d] = Scalar(value, extent.IntFact(0, room))
    return Array(resized(array.value, shape), tuple(extents))


def confine(engine: Engine, edge: Any, sizes: Iterable[tuple[Scalar, int]]) -> None:
    """Raise at the end of `edge` where one of these sizes is more than the room for it."""
    engine.enter(edge)
    for size, room in sizes:
        fits = engine.rules.compare(engine, "le", Scalar(size.value), Const(room))
        engine.ensure(fits, ListOverflow(engine.list_capacity))
    edge.block = engine.block
