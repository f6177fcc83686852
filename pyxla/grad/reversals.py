"""The reverse of a loop of unknown length as one scope, so that its derivatives are loops again.

    x = x0; while x: x = f(x, c)      reversed:   (x0, c, y', c') -> (J' y', c' + K' y')

The code of such a reverse is a machine with loops in loops (`pyxla.grad.checkpoints`), whose own
reverse would be machines in machines.  What it computes has derivatives that need none: J' y' is
linear in y', and with T, the loop that carries tangents as well,

    reverse    of y': the tangents J u + K v of T;  of x0 and c: T reversed from y' on the tangents
    forward    T reversed from y' on its tangents and y'' on its results: the cotangents of the
               tangents are the result, those of x0 and c its derivative

So the derivative of order n is one machine, over a loop that carries 2^(n - 1) times as much.  The
scope's operands are what the loop starts from, all that it captures in floating point, then the
cotangents; its second region is the loop, of which the first two kinds are the parameters.
`Rule.results`: by which of these parameters the results are the derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyxla.grad.activity import is_inexact
from pyxla.grad.emitting import into
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, captures, clone_instr, free_values, inline, substitute
from pyxla.ops.elementwise import add
from pyxla.ops.filled import zeros
from pyxla.ops.scope import Rule, scope

Derive = Callable[..., Region]

# `pyxla.grad.forward` and `pyxla.grad.reverse`, which import this.
DERIVATIVES: dict[str, Derive] = {}


def sealed(
    loop: Instr,
    slots: Sequence[int],
    captured: Sequence[Value],
    cts: Sequence[Value],
    machine: Callable[[Sequence[Value]], Sequence[Value]],
) -> tuple[Value, ...]:
    """Emit the scope; `machine` emits the code, given the cotangents."""
    outside = [value for value in captures(loop) if is_inexact(value)]
    given = [*loop.operands, *outside]
    params = [Value(value.type) for value in [*given, *cts]]
    mapping: Mapping = dict(zip(given, params[: len(given)], strict=True))
    code: list[Instr] = []
    with into(code):
        results = machine(params[len(given) :])
    substitute(code, mapping)
    inside = [Value(value.type) for value in given]
    copy = clone_instr(loop, dict(zip(given, inside, strict=True)))
    regions = (
        Region(tuple(params), code, tuple(results)),
        Region(tuple(inside), [copy], copy.results),
    )
    width = len(loop.operands)
    which = (*slots, *[width + outside.index(value) for value in captured])
    made = scope(*given, *cts, regions=regions, rule=Rule("reversal", results=which))
    return made if isinstance(made, tuple) else (made,)


class _Reversal:
    """A scope taken apart: `given` are the parameters of its loop, `cts` the cotangents."""

    def __init__(self, instr: Instr, operands: Sequence[Value]) -> None:
        self.loop = instr.regions[1]
        width = len(self.loop.params)
        self.given, self.cts = operands[:width], operands[width:]
        self.which = instr.attrs["rule"].results
        slots = len(self.loop.results)
        self.seeded = [k for k in self.which if k < slots]
        self.inexact = [k for k, value in enumerate(self.loop.params) if is_inexact(value)]
        places = [k for k, value in enumerate(self.loop.results) if is_inexact(value)]
        self.moved = [slots + places.index(k) for k in self.seeded]

    def tangents(self) -> Region:
        """The loop with tangents: of all its parameters, of its results."""
        return DERIVATIVES["jvp"](self.loop, self.inexact)


def reverse_reversal(sweep: Any, instr: Instr, cts: Sequence[Value | None]) -> None:
    parts = _Reversal(instr, instr.operands)
    seeds = len(parts.seeded)
    for value, ct in zip(parts.cts[seeds:], cts[seeds:], strict=True):
        sweep.add(value, ct)
    found = dict(zip(parts.which, cts, strict=True))
    along = [found.get(k) or zeros(parts.loop.params[k].type) for k in parts.inexact]
    moving = parts.tangents()
    region = DERIVATIVES["vjp"](moving, parts.inexact, parts.moved, sweep.options)
    made = inline(region, [*parts.given, *along, *parts.cts[:seeds]], {})
    for value, k in zip(parts.cts, parts.moved, strict=False):
        sweep.add(value, made[k])
    for k, ct in zip(parts.inexact, made[len(moving.results) :], strict=True):
        sweep.add(parts.given[k], ct)


def forward_reversal(walk: Any, instr: Instr) -> None:
    """Forwards: `walk` is that of `pyxla.grad.forward`."""
    operands = [walk.env.get(value, value) for value in instr.operands]
    parts = _Reversal(instr, operands)
    seeds, width = len(parts.seeded), len(parts.loop.params)
    moving = parts.tangents()
    along = [width + parts.inexact.index(k) for k in parts.which]
    wrt = [*along, *parts.which]
    region = DERIVATIVES["vjp"](moving, wrt, [*parts.moved, *parts.seeded], walk.options)
    directions = [walk.total(parts.given[k]) for k in parts.inexact]
    second = [walk.total(value) for value in parts.cts]
    given = [*parts.given, *directions, *parts.cts[:seeds], *second[:seeds]]
    outside = {v: walk.env[v] for v in free_values(region) if v in walk.env}
    made = inline(region, given, outside)[len(moving.results) :]
    results, moved = list(made[: len(along)]), list(made[len(along) :])
    for k, (value, tangent) in enumerate(zip(parts.cts, second, strict=True)):
        if k >= seeds:
            results[k], moved[k] = add(value, results[k]), add(tangent, moved[k])
    walk.env.update(zip(instr.results, results, strict=True))
    walk.tangent.update(zip(results, moved, strict=True))
