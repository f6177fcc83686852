"""Derivatives of scopes (`pyxla.ops.scope`): checkpoints, and rules that users state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyxla.errors import CompileError
from pyxla.grad.activity import is_inexact, vary
from pyxla.grad.emitting import into
from pyxla.grad.foreign import check_once
from pyxla.grad.reversals import forward_reversal, reverse_reversal
from pyxla.grad.sweep import Sweep
from pyxla.ir.build import current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import (
    Mapping,
    captures,
    clone,
    clone_region,
    free_values,
    inline,
    substitute_region,
)
from pyxla.ops.control import optimization_barrier
from pyxla.ops.filled import zeros
from pyxla.ops.scope import Rule


def reverse_scope(sweep: Sweep, instr: Instr, cts: list[Value | None], region: Region) -> None:
    rule: Rule = instr.attrs["rule"]
    if rule.kind in ("plain", "checkpoint"):
        _again(sweep, instr, cts, rule.kind == "checkpoint")
        return
    if rule.kind == "reversal":
        reverse_reversal(sweep, instr, cts)
        return
    check_rule(instr, sweep.varied)
    given, operands = [cts[k] for k in rule.results], instr.operands
    made = _pulled(instr, given) if rule.vjp else _transposed(instr, given)
    for operand, ct in zip(operands, made, strict=True):
        sweep.add(operand, ct)


def check_rule(instr: Instr, varied: set[Value]) -> None:
    """Refuse where the rule of a scope does not say everything."""
    name = instr.attrs["rule"].name
    if len(instr.regions) == 1:
        raise CompileError(
            f"'{name}' has no derivative rule here",
            instr.loc,
            hint="give it one by defjvp or defvjp; a rule that calls its own function has second "
            "derivatives in jax.grad, and any in pyxla.grad",
        )
    if any(value in varied for value in captures(instr)):
        raise CompileError(
            f"'{name}', which has its own derivative, uses a differentiated value from outside",
            instr.loc,
            hint="pass the value as an argument, or stop its gradient",
        )


def _again(sweep: Sweep, instr: Instr, cts: list[Value | None], barred: bool) -> None:
    """Run the code again in the reverse, and back through it."""
    (inner,) = instr.regions
    check_once(inner.instrs, "the reverse of a checkpoint")
    outside = [v for v in free_values(inner) if v in sweep.varied]
    mapping: Mapping = {v: optimization_barrier(v) if barred else v for v in outside}
    fresh = dict(mapping)
    copy = clone_region(inner, mapping)
    sweep.varied.update([new for old, new in mapping.items() if old in sweep.varied])
    code: list[Instr] = []
    with into(code):
        back = sweep.nested({})
        for result, ct in zip(copy.results, cts, strict=True):
            if ct is not None:
                back.add(result, ct)
        back.run(copy)
        found = {v: back.ct.get(new) for v, new in fresh.items()}
    current().instrs.extend([*copy.instrs, *code])
    for value, ct in found.items():
        sweep.add(value, ct)


def _pulled(instr: Instr, cts: Sequence[Value | None]) -> Sequence[Value]:
    """The user's reverse.  The forward code becomes the user's own, in place."""
    ahead, back = instr.regions[-2:]
    rule: Rule = instr.attrs["rule"]
    first = instr.regions[0]
    substitute_region(first, dict(zip(first.params, instr.operands, strict=True)))
    first.params = ()
    mapping: Mapping = dict(zip(ahead.params, instr.operands, strict=True))
    first.instrs += clone(ahead.instrs, mapping)
    made = [mapping.get(value, value) for value in ahead.results]
    results, residuals = list(first.results), made[len(rule.results) :]
    for k, value in zip(rule.results, made, strict=False):
        results[k] = value
    first.results = (*results, *residuals)
    fresh = [Value(value.type, instr) for value in residuals]
    given = [
        zeros(instr.results[k].type) if ct is None else ct
        for k, ct in zip(rule.results, cts, strict=True)
        if is_inexact(instr.results[k])
    ]
    instr.results = (*instr.results, *fresh)
    instr.operands, instr.regions = (), (first,)
    instr.attrs = {"rule": Rule("plain", rule.name)}
    return inline(back, [*fresh, *given], {})


def _transposed(instr: Instr, cts: Sequence[Value | None]) -> Sequence[Value]:
    """The reverse of the user's forward rule, which is linear in the tangents."""
    rule: Rule = instr.attrs["rule"]
    code: list[Instr] = []
    tangents = [zeros(value.type) for value in instr.operands]  # their values are not read
    with into(code):
        results = inline(instr.regions[1], [*instr.operands, *tangents], {})
    varied = set(tangents)
    vary(code, varied)
    region = Region((), code, results)
    outer = Sweep(varied, False)
    back: list[Instr] = []
    inexact = [k for k, at in enumerate(rule.results) if is_inexact(instr.results[at])]
    with into(back):
        for k, value in zip(inexact, results[len(rule.results) :], strict=True):
            if cts[k] is not None:
                outer.add(value, cts[k])
        outer.run(region)
        made = [outer.total(tangent) for tangent in tangents]
    current().instrs.extend([*code, *back])
    return made


def forward_scope(walk: Any, instr: Instr) -> None:
    """Forwards: `walk` is that of `pyxla.grad.forward`."""
    rule: Rule = instr.attrs["rule"]
    if rule.kind in ("plain", "checkpoint"):
        _extended(walk, instr)
        return
    if rule.kind == "reversal":
        forward_reversal(walk, instr)
        return
    check_rule(instr, walk.varied)
    if not rule.jvp:
        raise CompileError(
            f"'{rule.name}' has a reverse rule only (custom_vjp): it has no forward derivative",
            instr.loc,
            hint="state its derivative by custom_jvp, which serves both ways",
        )
    copy = walk.copied(instr)
    tangents = [walk.total(value) for value in copy.operands]
    made = inline(copy.regions[1], [*copy.operands, *tangents], {})
    width = len(rule.results)
    for k, value in zip(rule.results, made[:width], strict=True):
        walk.env[instr.results[k]] = value
    inexact = [k for k in rule.results if is_inexact(instr.results[k])]
    for k, tangent in zip(inexact, made[width:], strict=True):
        walk.tangent[walk.env[instr.results[k]]] = tangent


def _extended(walk: Any, instr: Instr) -> None:
    """A scope that also returns the tangents."""
    (inner,) = instr.regions
    active = [k for k, value in enumerate(instr.results) if value in walk.varied]
    made = walk.extended(Region(), inner, active)
    walk.finish(instr, current().emit(instr.op, (), instr.attrs, (made,)), active)
