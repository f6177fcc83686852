"""From a region that derivatives are taken of to the program that XLA gets."""

from __future__ import annotations

from pyxla.ir.core import Region
from pyxla.lower.finish import finish
from pyxla.options import DEFAULTS, Options
from pyxla.runtime import jaxlink
from pyxla.runtime.executable import Program, program


def finished(name: str, origin: Region, options: Options = DEFAULTS) -> Program:
    """The program of a simplified region, which it keeps for its derivatives.

    options: how the reverse of its loops is made.
    """
    return program(name, finish(origin, jaxlink.on_cpu()), origin, options)
