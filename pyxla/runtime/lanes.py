"""`jax.vmap` over compiled functions: programs on many lanes."""

from __future__ import annotations

import functools
from typing import Any

from pyxla.grad.batch import batch
from pyxla.lower.simplify import simplify
from pyxla.runtime import jaxlink
from pyxla.runtime.finish import finished
from pyxla.runtime.programs import Program


@functools.lru_cache(maxsize=256)
def batched(one: Program, lanes: tuple[bool, ...], size: int, axis: Any) -> Program:
    """The program on `size` lanes of the parameters where `lanes` holds; see `pyxla.grad.batch`."""
    region = simplify(batch(one.origin or one.region, lanes, size, axis))
    return finished(one.name, region, one.options)


jaxlink.set_batch(batched)
