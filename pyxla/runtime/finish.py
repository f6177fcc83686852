"""From a region that derivatives are taken of to the program that XLA gets."""

from __future__ import annotations

from pyxla.ir.core import Region
from pyxla.ir.rewrite import clone_region
from pyxla.lower.close import close
from pyxla.lower.cpu.barriers import keep_shared
from pyxla.lower.cpu.fences import fence_reads
from pyxla.lower.cpu.orient import orient_products
from pyxla.lower.cpu.packing import pack_in_order
from pyxla.lower.cpu.spread import spread_products
from pyxla.lower.cpu.staging import stage_reductions
from pyxla.lower.cpu.symmetric import halve_products
from pyxla.lower.expand import expand, expands
from pyxla.lower.forward import chain_updates
from pyxla.lower.products import join_products
from pyxla.lower.promote import promote_elements
from pyxla.lower.registers import keep_in_registers
from pyxla.lower.simplify import simplify
from pyxla.lower.unroll import unroll
from pyxla.options import DEFAULTS, Options
from pyxla.runtime import jaxlink
from pyxla.runtime.executable import Program, program


def finished(name: str, origin: Region, options: Options = DEFAULTS) -> Program:
    """The program of a simplified region, which it keeps for its derivatives.

    options: how the reverse of its loops is made.
    """
    region = clone_region(origin, {})
    if expands(region):
        region = simplify(expand(region))
    region = join_products(region)
    if jaxlink.on_cpu():
        region = pack_in_order(region)
    region = close(unroll(promote_elements(chain_updates(region))))
    if jaxlink.on_cpu():
        region = keep_in_registers(fence_reads(region))
        region = stage_reductions(orient_products(halve_products(spread_products(region))))
        region = keep_shared(region)
    return program(name, region, origin, options)
