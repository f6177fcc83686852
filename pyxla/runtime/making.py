"""What is made of a program before it is first called: not needed for one that was kept on disk."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from pyxla.ir.core import Region
from pyxla.ir.rewrite import clone_region, walk
from pyxla.lower.cost import INFINITE, TINY, is_light
from pyxla.lower.cpu.barriers import may_hold
from pyxla.lower.cpu.registers import only_over_elements
from pyxla.lower.cpu.shift import movable, moved
from pyxla.lower.dead import has_effect
from pyxla.lower.duration import duration
from pyxla.lower.finish import finish
from pyxla.lower.memory import largest, said
from pyxla.lower.words import gathered
from pyxla.ops.control import while_
from pyxla.options import Options
from pyxla.runtime import jaxlink, memory
from pyxla.runtime.outcome import Outcome, without_results
from pyxla.runtime.parts import in_parts
from pyxla.runtime.programs import Program, Work, program
from pyxla.runtime.words import MANY, Words


def plain(region: Region, options: Options) -> Region:
    """The region without what is for XLA:CPU alone, of the one that derivatives are taken of."""
    return finish(clone_region(region, {}), False, options.strict)


def sharding(region: Region) -> Any:
    """One over the devices that its code names, None where it names none."""
    return next(filter(None, [i.attrs.get("sharding") for i in walk(region.instrs)]), None)


def work(region: Region) -> Work:
    """What its loops, if there are any, take at most."""
    if not any(instr.op is while_ for instr in walk(region.instrs)):
        return ()
    found = duration(region)
    return None if found is None else tuple([(count, key) for key, count in found.items()])


def traits(region: Region) -> jaxlink.Traits:
    """What decides how XLA:CPU compiles it."""
    return jaxlink.Traits(
        light=is_light(region),
        tiny=is_light(region, TINY, INFINITE),
        elements=only_over_elements(region),
        barriers=may_hold(region),
    )


def has_effects(region: Region) -> bool:
    """Whether it does anything besides its results: prints, or calls the host."""
    return any(has_effect(instr) for instr in region.instrs)


def trimmed(whole: Program, outcome: Outcome) -> tuple[Program, Outcome]:
    """Without the writes, and their results, that give an argument the contents it has.

    Inference writes back each array that may have changed; simplified code knows which did not.
    """
    leaf_of = dict(zip(whole.region.params, outcome.inputs, strict=True))
    values = whole.region.results
    idle = {w.index for w in outcome.writes if leaf_of.get(values[w.index]) == w.leaf}
    if not idle:
        return whole, outcome
    region, derivable = _without(whole.region, idle), None
    if whole.derivable is not None:
        derivable = lambda: _without(whole.origin, idle)  # noqa: E731 - it is one or none
    return program(whole.name, region, derivable, whole.options), without_results(outcome, idle)


def _without(region: Any, idle: Collection[int]) -> Region:
    kept = tuple([value for i, value in enumerate(region.results) if i not in idle])
    return Region(region.params, region.instrs, kept)


def no_room(region: Region) -> str:
    """Which array there is no room for: most likely the largest."""
    found = largest(region)
    return f"{said(found[0])} ({found[1]})" if found else ""


def moved_params(program: Program, large: Sequence[int]) -> tuple[int, ...]:
    """The large parameters that need not begin at an aligned address."""
    found = movable(program.region) if large else ()
    return tuple([i for i in large if i in found])


def near(whole: Program, moved_params: Sequence[int], donated: int) -> Any:
    """The jitted program that takes aligned arrays around those parameters."""
    if not moved_params:
        return None
    rooms = [memory.room(whole.params[i].dtype) for i in moved_params]
    change = functools.partial(moved, which=moved_params, room=rooms)
    return jaxlink.jit(_changed(whole, change(whole.region), change), donated)


def prepared(whole: Program, outcome: Outcome) -> tuple[Program, Outcome]:
    """The program that is run, which writes no more of the arguments than it must."""
    whole, outcome = trimmed(whole, outcome)
    local = not outcome.jax and jaxlink.on_cpu()
    return _gathered(*_in_parts(whole, outcome)) if local else (whole, outcome)


def _gathered(whole: Program, outcome: Outcome) -> tuple[Program, Outcome]:
    """With parameters that are read together one after the other, where there are many."""
    first = gathered(whole.region)
    if len(first) <= MANY:
        return whole, outcome
    order = [*first, *sorted({*range(len(outcome.inputs))} - {*first})]
    inputs = tuple([outcome.inputs[i] for i in order])

    def change(region: Region) -> Region:
        return Region(tuple([region.params[i] for i in order]), region.instrs, region.results)

    changed = _changed(whole, change(whole.region), change)
    return changed, replace(outcome, inputs=inputs, gathered=len(first))


def _in_parts(whole: Program, outcome: Outcome) -> tuple[Program, Outcome]:
    region, seen = in_parts(whole.region, outcome)
    if region is whole.region:
        return whole, outcome
    return program(whole.name, region, options=whole.options), seen


def packed(whole: Program, words: Words) -> Program:
    return _changed(whole, words.region(whole.region), words.packed)


def _changed(whole: Program, region: Region, change: Callable[[Region], Region]) -> Program:
    """The program with other parameters and results: its region, and what makes any of its."""
    derivable = None if whole.derivable is None else lambda: change(whole.origin)  # type: ignore[arg-type]
    return program(whole.name, region, derivable, whole.options)
