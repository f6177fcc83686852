"""From a region that derivatives are taken of to what XLA gets: the passes, in order.

What comes first still sees NumPy's programs; `close` is the last that every platform needs.  The
passes after it are for XLA:CPU alone, and nothing that simplifies may follow: to it fences, guards
and barriers are nonsense.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyxla.ir.core import Region
from pyxla.ir.rewrite import clone_region
from pyxla.lower.close import close
from pyxla.lower.cpu.barriers import keep_shared
from pyxla.lower.cpu.fences import fence_reads
from pyxla.lower.cpu.orient import orient_products
from pyxla.lower.cpu.packing import pack_in_order
from pyxla.lower.cpu.registers import keep_in_registers
from pyxla.lower.cpu.rounding import round_products
from pyxla.lower.cpu.spread import spread_products
from pyxla.lower.cpu.staging import stage_reductions
from pyxla.lower.cpu.symmetric import halve_products
from pyxla.lower.expand import expand, expands
from pyxla.lower.forward import chain_updates
from pyxla.lower.products import join_products
from pyxla.lower.promote import promote_elements
from pyxla.lower.simplify import simplify
from pyxla.lower.unroll import unroll


@dataclass(frozen=True, slots=True)
class Pass:
    """`run` rewrites a region; for the CPU only where it says so."""

    run: Callable[[Region], Region]
    cpu: bool = False


def expanded(region: Region) -> Region:
    return simplify(expand(region)) if expands(region) else region


PASSES = (
    Pass(expanded),
    Pass(join_products),  # before loops over elements are unrolled: it looks for counters
    Pass(pack_in_order, cpu=True),  # makes loops, which the next ones look at
    Pass(chain_updates),
    Pass(promote_elements),
    Pass(unroll),
    Pass(close),
    Pass(fence_reads, cpu=True),
    Pass(round_products, cpu=True),
    Pass(keep_in_registers, cpu=True),  # reads what the fences left in the loops
    Pass(spread_products, cpu=True),
    Pass(halve_products, cpu=True),
    Pass(orient_products, cpu=True),
    Pass(stage_reductions, cpu=True),  # sees the sums that spread products are
    Pass(keep_shared, cpu=True),
)


def finish(region: Region, cpu: bool) -> Region:
    """A copy of `region` after all passes; `cpu`: for XLA:CPU."""
    region = clone_region(region, {})
    for step in PASSES:
        if cpu or not step.cpu:
            region = step.run(region)
    return region
