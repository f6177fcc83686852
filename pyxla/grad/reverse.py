"""Reverse mode: typed region -> typed region that also returns cotangents of its parameters.

    vjp(region, wrt, seeds):  params, ct of results[seeds]  ->  results, ct of params[wrt]

One walk backwards over a copy of the code.  `ct` maps a value to its cotangent so far; an absent
one is zero.  An instruction hands the cotangents of its results to its op's rule (`Op.vjp`), which
returns a contribution for each operand (`pyxla.ops.contribution`).  Conditionals and loops are here
and in `pyxla.grad.loops`: their reverse is again a conditional or a loop, and the cotangents of
what their regions capture go through it.

The reverse of a region reads values that its forward code computed.  Such *residuals* are
recomputed where that is cheap, and otherwise given out by the forward code, which is extended in
place: it is a copy that is still being made.

Where a selection or a branch takes place, a cotangent of zero means "not on this path": then it
stays zero, even where the derivative on that path is infinite (`ops.scope.guard`).  It may also be
zero by chance, and vary: derivatives of the reverse see the product as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyxla.grad.activity import vary
from pyxla.grad.loops import reverse_loop
from pyxla.grad.reversals import DERIVATIVES
from pyxla.grad.scopes import reverse_scope
from pyxla.grad.sweep import CONTROL, Sweep, guarded, reverse_branches
from pyxla.grad.written import carry_written_rows
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Region, Value
from pyxla.ir.rewrite import clone_region, free_values
from pyxla.lower.duration import iterations
from pyxla.options import DEFAULTS, Options

CONTROL |= {"if": reverse_branches, "case": reverse_branches, "while": reverse_loop}
CONTROL["scope"] = reverse_scope


def vjp(
    region: Region, wrt: Sequence[int], seeds: Sequence[int], options: Options = DEFAULTS
) -> Region:
    """The region with cotangents; `wrt` and `seeds` are positions of inexact values."""
    copy, reverse = _reversed(region, wrt, seeds, options)
    code = [*copy.instrs, *reverse.instrs]
    return Region((*copy.params, *reverse.params), code, (*copy.results, *reverse.results))


DERIVATIVES["vjp"] = vjp


def split_vjp(
    region: Region, wrt: Sequence[int], seeds: Sequence[int], options: Options = DEFAULTS
) -> tuple[Region, Region]:
    """The region with residuals as further results, and its reverse, which uses them."""
    copy, reverse = _reversed(region, wrt, seeds, options)
    defined = set(copy.params).union(*[instr.results for instr in copy.instrs])
    residuals = [value for value in free_values(reverse) if value in defined]
    return Region(copy.params, copy.instrs, (*copy.results, *residuals)), reverse


def _reversed(
    region: Region, wrt: Sequence[int], seeds: Sequence[int], options: Options
) -> tuple[Region, Region]:
    """A copy of the region, and from cotangents of `seeds` to those of `wrt`."""
    copy = clone_region(region, {})
    counts = iterations(copy).items()
    most = {loop.results[0]: count for loop, count in counts if loop.results}
    carry_written_rows(copy)
    varied = {copy.params[i] for i in wrt}
    vary(copy.instrs, varied)
    seeded = tuple([Value(region.results[k].type) for k in seeds])
    builder = Builder([])
    with building(builder):
        sweep = Sweep(varied, guarded(copy), None, options, most=most)
        for k, ct in zip(seeds, seeded, strict=True):
            sweep.add(copy.results[k], ct)
        sweep.run(copy)
        cotangents = tuple([sweep.total(copy.params[i]) for i in wrt])
    return copy, Region(seeded, builder.instrs, cotangents)
