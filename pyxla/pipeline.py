"""The stages, from a Python function to HLO, in order: one table, read by everything.

    lowered    desugared Python source            frontend
    ssa        untyped SSA                        frontend
    typed      typed SSA                          infer
    regions    outlined and simplified            lower
    stablehlo  the module                         lower, runtime
    hlo        the module as XLA imports it       runtime
    optimized  what XLA made of it                runtime

A `Compilation` is one function on its way down, for one description of its arguments.  Inference
asks the front end for the functions it meets, so the first two stages are made there as needed;
here they are for looking.
"""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jax.sharding import NamedSharding, PartitionSpec

from pyxla import collector, journal
from pyxla.errors import CompileError, InternalError, Location, in_program, spell
from pyxla.frontend import dispatchers
from pyxla.frontend.desugar import lowered_source
from pyxla.frontend.source import SourceFunction, source_function
from pyxla.frontend.ssa import SSA, to_ssa
from pyxla.frozen import dataclass
from pyxla.guards.places import Place
from pyxla.ir.printer import print_function
from pyxla.ir.verify import verify_region, verify_typed, verify_untyped
from pyxla.lower.memory import check_memory, physical
from pyxla.lower.outline import outline
from pyxla.options import DEFAULTS
from pyxla.runtime import jaxlink, signature
from pyxla.runtime.executable import Executable
from pyxla.runtime.finish import compiled
from pyxla.runtime.outcome import Outcome
from pyxla.runtime.programs import Program
from pyxla.runtime.request import Request, Restart
from pyxla.specialize import Specialization, specialize


class Compilation:
    """One request and what the stages made of it so far.

    places: outside objects that are its last arguments.  static: arguments whose values were asked
    for, with the place that did.  lies: how leaves of arguments lie that are over several devices.
    """

    def __init__(
        self,
        request: Request,
        places: Sequence[Place] = (),
        static: Mapping[signature.Path, Location | None] = types.MappingProxyType({}),
        lies: Mapping[int, NamedSharding] = types.MappingProxyType({}),
    ) -> None:
        self.request = request
        self.places = places
        self.static = static
        self.lies = lies
        self.products: dict[str, Any] = {}

    def at(self, name: str) -> Any:
        """The product of a stage, made from those before it; verified if the options ask for it."""
        if name not in self.products:
            stage = STAGES[name]
            try:
                with collector.paused(), journal.stage(name):
                    product = stage.make(self)
                    if stage.verify is not None and self.request.options.verify:
                        stage.verify(product)
            except Restart:
                raise
            except CompileError as error:
                error.loc = error.loc or location(self.request.function)
                if self.request.options.verify:
                    raise
                # The compiler's own frames are of no use to the user, but for its mistakes.
                cause = error.__cause__ if isinstance(error, InternalError) else None
                raise error.with_traceback(None) from cause
            except RecursionError:
                raise CompileError(
                    "the arguments or the results are nested too deeply",
                    location(self.request.function),
                    hint="take deep structures apart, or stack their parts in an array",
                ) from None
            except Exception as error:
                raise InternalError(error, location(self.request.function)) from error
            self.products[name] = product
        return self.products[name]

    @property
    def outcome(self) -> Outcome:
        """What the caller sees, over the results of the program in regions."""
        self.at("regions")
        return self.products["outcome"]

    @property
    def where(self) -> list[NamedSharding]:
        """How the program's parameters lie, empty for one device; the others are everywhere."""
        if not self.lies:
            return []
        whole = NamedSharding(next(iter(self.lies.values())).mesh, PartitionSpec())
        return [self.lies.get(leaf, whole) for leaf in self.outcome.inputs]

    def text(self, name: str) -> str:
        """A stage's product, printed."""
        return STAGES[name].text(self.at(name))


@dataclass(frozen=True, slots=True)
class Stage:
    """make: from the products of earlier stages.  text: prints what it made."""

    about: str
    make: Callable[[Compilation], Any]
    text: Callable[[Any], str] = str
    verify: Callable[[Any], None] | None = None


def executable(compilation: Compilation) -> Executable:
    """The program of a compilation, ready to be called."""
    program, outcome = compilation.at("regions"), compilation.outcome
    if jaxlink.on_cpu():
        check_memory(program.region, physical())
    with journal.stage("executable"):
        return Executable(program, outcome)


# --- making -----------------------------------------------------------------------------------


def _lowered(compilation: Compilation) -> str:
    return lowered_source(source_of(compilation.request.function))


def _ssa(compilation: Compilation) -> SSA:
    return to_ssa(source_of(compilation.request.function))


def _typed(compilation: Compilation) -> Specialization:
    made = specialize(compilation.request, compilation.places)
    return dataclasses.replace(made, static=dict(compilation.static))


def _regions(compilation: Compilation) -> Program:
    """Outlining consumes the typed function's blocks."""
    made = compilation.at("typed")
    options = compilation.request.options or DEFAULTS
    region = outline(made.function)
    whole, compilation.products["outcome"] = compiled(
        made.function.name, region, made.outcome, options
    )
    return whole


def _stablehlo(compilation: Compilation) -> str:
    return compilation.at("regions").stablehlo


def _hlo(compilation: Compilation, optimized: bool) -> str:
    program = compilation.at("regions")
    return jaxlink.hlo(program, optimized, compilation.where)


def source_of(function: Any) -> SourceFunction:
    """The source of the Python function that a call of `function` runs."""
    while True:
        function = dispatchers.unwrapped(function)
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, types.MethodType):
            function = function.__func__
        elif hasattr(function, "__pyxla_function__"):
            function = function.__pyxla_function__
        elif isinstance(getattr(type(function), "__call__", None), types.FunctionType):
            function = type(function).__call__
        else:
            return source_function(function)


def location(function: Any) -> Location | None:
    """Where a function of the user's is defined, if that is known."""
    try:
        return in_program(source_of(function).loc, ())[0]
    except Exception:  # it is asked for while another error is reported
        return None


# --- printing ---------------------------------------------------------------------------------


def _print_ssa(ssa: SSA) -> str:
    return print_function(ssa.function, source=True)


def _print_typed(specialization: Specialization) -> str:
    """The graph with the user's lines, and in front of it what inference decided."""
    notes = [
        f"# {spell(path)} is a known value" + (f": asked for at {loc}\n" if loc else "\n")
        for path, loc in specialization.static.items()
    ]
    notes += [
        f"# the loop at {loc} is unrolled: {count} iterations\n"
        for loc, count in specialization.unrolled.items()
    ]
    return "".join(notes) + print_function(specialization.function, source=True)


def _print_regions(made: Program) -> str:
    return print_function(made.region, made.name, source=True)


STAGES: dict[str, Stage] = {
    "lowered": Stage("desugared Python source", _lowered),
    "ssa": Stage("untyped SSA", _ssa, _print_ssa, lambda ssa: verify_untyped(ssa.function)),
    "typed": Stage("typed SSA", _typed, _print_typed, lambda s: verify_typed(s.function)),
    "regions": Stage(
        "control flow in regions", _regions, _print_regions, lambda p: verify_region(p.region)
    ),
    "stablehlo": Stage("the module XLA is given", _stablehlo),
    "hlo": Stage("the module as XLA imports it", functools.partial(_hlo, optimized=False)),
    "optimized": Stage("what XLA made of it", functools.partial(_hlo, optimized=True)),
}
