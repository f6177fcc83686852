"""From a region that derivatives are taken of to what XLA gets: the passes, in order.

What comes first still sees NumPy's programs; `close` is the last that every platform needs.  The
passes after it are for XLA:CPU alone, and nothing that simplifies may follow: to it fences, guards
and barriers are nonsense.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from pyxla import journal
from pyxla.frozen import dataclass
from pyxla.ir.core import Region
from pyxla.ir.op import Op
from pyxla.ir.rewrite import ops_in, size
from pyxla.lower.close import CLOSED, close
from pyxla.lower.cpu.barriers import keep_shared
from pyxla.lower.cpu.blocks import make_blocks
from pyxla.lower.cpu.copies import share_code
from pyxla.lower.cpu.exchange import exchange
from pyxla.lower.cpu.exponentials import compute_exponentials
from pyxla.lower.cpu.fences import fence_reads
from pyxla.lower.cpu.fills import hide_fills
from pyxla.lower.cpu.functions import compute_functions
from pyxla.lower.cpu.indices import unsigned_indices
from pyxla.lower.cpu.ordered import add_in_order
from pyxla.lower.cpu.ordering import order_updates
from pyxla.lower.cpu.orient import orient_products
from pyxla.lower.cpu.packing import pack_in_order
from pyxla.lower.cpu.prologues import gather_prologues
from pyxla.lower.cpu.registers import keep_in_registers
from pyxla.lower.cpu.rounding import round_products
from pyxla.lower.cpu.scatters import scatter_in_order
from pyxla.lower.cpu.selections import select_in_loops
from pyxla.lower.cpu.small import hold_small_loops
from pyxla.lower.cpu.spread import spread_products
from pyxla.lower.cpu.staging import stage_reductions
from pyxla.lower.cpu.symmetric import halve_products
from pyxla.lower.cpu.vectors import shorten_searches, split_vectors
from pyxla.lower.expand import expand
from pyxla.lower.forward import chain_updates
from pyxla.lower.products import join_products
from pyxla.lower.promote import promote_elements
from pyxla.lower.scans import spread_scans
from pyxla.lower.simplify import simplify
from pyxla.lower.sums import defer_sums
from pyxla.lower.unroll import unroll
from pyxla.lower.zeros import keep_zeros
from pyxla.ops.contract import dot_general
from pyxla.ops.control import if_, while_
from pyxla.ops.elementwise import add, atan2, cosine, exponential, multiply, sine, square
from pyxla.ops.index import dynamic_update_slice, scatter
from pyxla.ops.reduce import reduce, reduce_window
from pyxla.ops.scope import guard, scope, slope_of, stop_gradient


@dataclass(frozen=True, slots=True)
class Pass:
    """`run` rewrites a region; for the CPU only, or only for all else, where it says so.

    finds: where none of these ops is, there is nothing to do; empty: any may be of interest.
    regroups: it adds in another order, which strict programs do not.  grows: it makes more code of
    loops, for speed, which large programs do without: XLA's time grows with them.
    """

    run: Callable[[Region], Region]
    finds: tuple[Op, ...] = ()
    cpu: bool = False
    others: bool = False
    regroups: bool = False
    grows: bool = False


LARGE = 2000  # operations of a program


# What only transformations tell apart.
EXPANDED = (scope, stop_gradient, slope_of, guard)


def expanded(region: Region) -> Region:
    """The region without what only transformations tell apart, simplified; consumes it."""
    return simplify(expand(region))


PASSES = (
    Pass(expanded, EXPANDED),
    Pass(spread_scans, (while_,), others=True, regroups=True),
    # Before loops over elements are unrolled: it looks for counters.
    Pass(join_products, (dot_general,), regroups=True),
    Pass(defer_sums, (dot_general,), regroups=True),
    # Makes loops, which the next ones look at.
    Pass(pack_in_order, (reduce_window,), cpu=True),
    Pass(add_in_order, (reduce,), cpu=True),
    Pass(scatter_in_order, (scatter,), cpu=True),
    Pass(chain_updates, (dynamic_update_slice,)),
    Pass(promote_elements, (dynamic_update_slice,)),
    # Before what looks at the loops inside.
    Pass(exchange, (while_,), cpu=True),
    Pass(split_vectors, (dot_general, reduce), cpu=True, regroups=True, grows=True),
    Pass(shorten_searches, (reduce,), cpu=True),
    Pass(make_blocks, (while_,), cpu=True),
    Pass(unroll, (while_,), grows=True),
    Pass(compute_functions, (sine, cosine, atan2), cpu=True, regroups=True),
    # After all that simplifies.
    Pass(keep_zeros, (add, reduce)),
    Pass(close, tuple(CLOSED)),
    Pass(unsigned_indices, (while_,), cpu=True),
    Pass(order_updates, (while_,), cpu=True),
    Pass(select_in_loops, (if_,), cpu=True),
    Pass(fence_reads, (while_,), cpu=True),
    # Sees what the fences keep.
    Pass(share_code, cpu=True),
    Pass(round_products, (add, multiply, square), cpu=True),
    Pass(compute_exponentials, (exponential,), cpu=True),
    # Reads what the fences left in the loops.
    Pass(keep_in_registers, (while_,), cpu=True),
    Pass(spread_products, (dot_general,), cpu=True, regroups=True),
    Pass(halve_products, (dot_general,), cpu=True),
    Pass(orient_products, (dot_general,), cpu=True),
    Pass(hide_fills, (reduce,), cpu=True),
    # Sees the sums that spread products are.
    Pass(stage_reductions, (reduce,), cpu=True),
    # Sees the operations that XLA gets.
    Pass(hold_small_loops, (while_,), cpu=True),
    Pass(gather_prologues, (while_,), cpu=True),
    Pass(keep_shared, cpu=True),
)


def finish(region: Region, cpu: bool, strict: bool = False) -> Region:
    """`region` after all passes, which consume it; `cpu`: for XLA:CPU; strict: see `Options`."""
    present, exact = ops_in((region,)), True
    large = size(region.instrs) > LARGE
    for step in PASSES:
        if (step.others if cpu else step.cpu) or (step.regroups and strict):
            continue
        if step.grows and large:
            continue
        if step.finds and present.isdisjoint(step.finds):
            if exact:
                continue
            present, exact = ops_in((region,)), True  # a pass since may have made some
            if present.isdisjoint(step.finds):
                continue
        region, exact = _run(step, region), False
    return region


def _run(step: Pass, region: Region) -> Region:
    """The region after a pass, which the journal tells of."""
    counted = journal.counts_operations()
    before = size(region.instrs) if counted else None
    began = time.perf_counter()
    region = step.run(region)
    seconds = time.perf_counter() - began
    after = size(region.instrs) if counted else None
    journal.passed(step.run.__name__, seconds, before, after)
    return region
