"""From a region that derivatives are taken of to the program that XLA gets."""

from __future__ import annotations

from pyxla.ir.core import Region
from pyxla.ir.rewrite import clone_region, ops_in
from pyxla.lower.finish import EXPANDED, expanded, finish
from pyxla.lower.simplify import simplify
from pyxla.options import DEFAULTS, Options
from pyxla.runtime import jaxlink
from pyxla.runtime.making import trimmed
from pyxla.runtime.outcome import Outcome
from pyxla.runtime.programs import Program, program


def compiled(
    name: str, outlined: Region, outcome: Outcome, options: Options = DEFAULTS
) -> tuple[Program, Outcome]:
    """The program of outlined code, and what the caller sees of its results."""
    # Results that write back to an argument what it holds are in no module.
    whole, seen = trimmed(_simplified(name, outlined, options), outcome)
    return _finished(whole), seen


def finished(name: str, origin: Region, options: Options = DEFAULTS) -> Program:
    """The program of a simplified region, which it keeps for its derivatives.

    options: how the reverse of its loops is made.
    """
    return _finished(program(name, clone_region(origin, {}), lambda: origin, options))


def _simplified(name: str, outlined: Region, options: Options) -> Program:
    """The program of outlined code, simplified once: what only derivatives look at is simplified
    where some are taken."""
    if ops_in((outlined,)).isdisjoint(EXPANDED):
        origin = simplify(outlined)
        return program(name, clone_region(origin, {}), lambda: origin, options)
    region = expanded(clone_region(outlined, {}))
    return program(name, region, lambda: simplify(clone_region(outlined, {})), options)


def _finished(whole: Program) -> Program:
    """After all passes, which consume its region."""
    cpu = jaxlink.on_cpu() and "cpu" in (whole.options.platforms or ("cpu",))
    region = finish(whole.region, cpu, whole.options.strict)
    return program(whole.name, region, whole.derivable, whole.options)
