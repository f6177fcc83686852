"""The stages, from a Python function to an executable, in order.

    lowered    desugared Python source            frontend
    ssa        untyped SSA                        frontend
    typed      typed SSA                          infer
    regions    outlined and simplified            lower
    stablehlo  the module                         lower, runtime
"""

from __future__ import annotations

from collections.abc import Sequence

from pyxla.infer.captures import Place
from pyxla.lower.close import close
from pyxla.lower.outline import outline
from pyxla.runtime.executable import Executable, Program, program
from pyxla.specialize import Request, Specialization, specialize

try:
    from pyxla.lower.simplify import simplify
except ImportError:
    simplify = lambda r: r


def typed(request: Request, places: Sequence[Place]) -> Specialization:
    """Typed SSA, and what the caller sees of it."""
    return specialize(request, places)


def region_program(specialization: Specialization) -> Program:
    """The outlined program of a specialization; consumes its typed SSA."""
    function = specialization.function
    return program(function.name, close(simplify(outline(function))))


def executable(specialization: Specialization) -> Executable:
    return Executable(region_program(specialization), specialization.outcome)
