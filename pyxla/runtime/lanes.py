"""`jax.vmap` over compiled functions: programs on many lanes."""

from __future__ import annotations

import functools

from pyxla.grad.batch import batch
from pyxla.lower.close import close
from pyxla.lower.fences import fence_reads
from pyxla.lower.simplify import simplify
from pyxla.runtime import jaxlink
from pyxla.runtime.executable import Program, program


@functools.lru_cache(maxsize=256)
def batched(one: Program, lanes: tuple[bool, ...], size: int) -> Program:
    """The program on `size` lanes of the parameters where `lanes` holds; see `pyxla.grad.batch`."""
    region = close(simplify(batch(one.region, lanes, size)))
    return program(one.name, fence_reads(region) if jaxlink.on_cpu() else region)


jaxlink.set_batch(batched)
