"""Forward mode: typed region -> typed region that also returns tangents of its results.

    jvp(region, wrt):  params, tangents of params[wrt]  ->  results, tangents of inexact results

One walk over the code, which is copied; `tangent` maps a copied value to its tangent, an absent one
is zero.  An op's rule (`Op.jvp`) takes the copied instruction and the tangents of its operands.  An
op that has only a reverse rule is transposed: its reverse is linear in the cotangent, so that the
reverse of the reverse, at any cotangent, is the forward rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyxla.errors import CompileError
from pyxla.grad.activity import is_inexact, vary
from pyxla.grad.emitting import into
from pyxla.grad.foreign import foreign_jvp
from pyxla.grad.reversals import DERIVATIVES
from pyxla.grad.scopes import forward_scope
from pyxla.grad.sweep import Sweep, may_vanish, no_rule, pull
from pyxla.ir.build import Builder, building, current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.op import OpError
from pyxla.ir.rewrite import Mapping, captures, clone_instr, clone_region
from pyxla.ops.computation import with_name
from pyxla.ops.elementwise import add, exponential
from pyxla.ops.filled import zeros
from pyxla.ops.foreign import foreign
from pyxla.ops.scope import guard
from pyxla.options import DEFAULTS, Options

Tangents = dict[Value, Value]


def jvp(region: Region, wrt: Sequence[int], options: Options = DEFAULTS) -> Region:
    """The region with tangents; `wrt` are positions of inexact parameters.

    options: how loops in reverse derivatives are reversed again.
    """
    varied = {region.params[i] for i in wrt}
    vary(region.instrs, varied)
    params = [Value(param.type, None, param.hint) for param in region.params]
    given = [Value(region.params[i].type) for i in wrt]
    tangent = {params[i]: t for i, t in zip(wrt, given, strict=True)}
    walk = _Forward(varied, dict(zip(region.params, params, strict=True)), tangent, options)
    builder = Builder([])
    with building(builder):
        results = walk.run(region)
        tangents = [walk.total(value) for value in results if is_inexact(value)]
    return Region((*params, *given), builder.instrs, (*results, *tangents))


DERIVATIVES["jvp"] = jvp


class _Forward:
    """varied: values of the original that may have tangents.  env: original -> copy."""

    def __init__(
        self, varied: set[Value], env: Mapping, tangent: Tangents, options: Options
    ) -> None:
        self.options = options
        self.varied = varied
        self.env = env
        self.tangent = tangent

    def total(self, value: Value) -> Value:
        """The tangent of a copied value."""
        found = self.tangent.get(value)
        return zeros(value.type) if found is None else found

    def run(self, region: Region) -> tuple[Value, ...]:
        """Emit the code of a region; the copies of its results."""
        for instr in region.instrs:
            current().loc = instr.loc
            self.step(instr)
        return tuple([self.env.get(value, value) for value in region.results])

    def step(self, instr: Instr) -> None:
        if self.varied.isdisjoint(instr.results):
            self.copied(instr)
        elif instr.op.name == "while":
            self.loop(instr)
        elif instr.op.name in ("if", "case"):
            self.branches(instr)
        elif instr.op.name == "scope":
            forward_scope(self, instr)
        else:
            self.plain(self.copied(instr))

    def copied(self, instr: Instr) -> Instr:
        copy = clone_instr(instr, self.env)
        current().instrs.append(copy)
        return copy

    def plain(self, instr: Instr) -> None:
        tangents = [self.tangent.get(value) for value in instr.operands]
        if all(t is None for t in tangents):
            return
        made = push(instr, tangents)
        for value, t in zip(instr.results, made, strict=True):
            if t is not None:
                self.tangent[value] = t

    def branches(self, instr: Instr) -> None:
        """A conditional that also returns the tangents."""
        active = [k for k, value in enumerate(instr.results) if value in self.varied]
        regions = [self.extended(Region(), branch, active) for branch in instr.regions]
        operands = tuple([self.env.get(value, value) for value in instr.operands])
        self.finish(instr, current().emit(instr.op, operands, {}, tuple(regions)), active)

    def loop(self, instr: Instr) -> None:
        """A loop that also carries the tangents of slots that have one."""
        cond, body = instr.regions
        active = [k for k, param in enumerate(body.params) if param in self.varied]
        inits = [self.env.get(value, value) for value in instr.operands]
        operands = (*inits, *[self.total(inits[k]) for k in active])
        test = clone_region(cond, self.env)
        test.params += tuple([Value(inits[k].type, test) for k in active])
        params = tuple([Value(param.type, None, param.hint) for param in body.params])
        given = tuple([Value(inits[k].type) for k in active])
        self.env.update(zip(body.params, params, strict=True))
        self.tangent.update(zip([params[k] for k in active], given, strict=True))
        step = self.extended(Region((*params, *given)), body, active)
        self.finish(instr, current().emit(instr.op, operands, {}, (test, step)), active)

    def extended(self, made: Region, region: Region, active: Sequence[int]) -> Region:
        """`made` with the code of a region, which also returns the tangents of `active` results."""
        with into(made.instrs):
            results = self.run(region)
            made.results = (*results, *[self.total(results[k]) for k in active])
        return made

    def finish(self, instr: Instr, made: Sequence[Value], active: Sequence[int]) -> None:
        count = len(instr.results)
        self.env.update(zip(instr.results, made[:count], strict=True))
        self.tangent.update(zip([made[k] for k in active], made[count:], strict=True))


def push(instr: Instr, tangents: Sequence[Value | None]) -> Sequence[Value | None]:
    """The tangents of an instruction's results, by its op's rule."""
    if any(is_inexact(value) for value in captures(instr)) if instr.regions else False:
        raise no_rule(instr, " with a function that uses values from outside")
    instr = with_name(instr) if instr.regions else instr
    rule = foreign_jvp if instr.op is foreign else instr.op.jvp
    if rule is None:
        return _transposed(instr, tangents)
    try:
        if tangents[-1] is not None and may_vanish(instr):
            # x / inf is flat, however fast inf is reached.
            whole = tangents[0] is None
            part: Any = rule(instr, [None, tangents[1]])
            rest: Any = None if whole else rule(instr, [tangents[0], None])
            part = guard(part, instr.result)
            return (part if whole else add(part, rest),)
        made: Any = rule(instr, tangents)
    except OpError as error:
        raise CompileError(str(error), instr.loc) from error
    if instr.op is exponential:
        made = guard(made, instr.results[0])  # exp(-inf) is flat, however fast -inf is reached
    return made if isinstance(made, tuple | list) else (made,)


def _transposed(instr: Instr, tangents: Sequence[Value | None]) -> Sequence[Value | None]:
    """Forward as the reverse of the reverse."""
    reverse = Region()
    # The cotangents at which it is reversed: their values are not read.
    cts = [zeros(value.type) if is_inexact(value) else None for value in instr.results]
    given = dict(zip(instr.operands, tangents, strict=True))
    inner = Sweep({value for value, t in given.items() if t is not None}, False)
    with into(reverse.instrs):
        parts = pull(instr, cts[0] if len(cts) == 1 else cts, [t is not None for t in tangents])
        for operand, part in zip(instr.operands, parts, strict=True):
            inner.add(operand, part)
    varied = {ct for ct in cts if ct is not None}
    vary(reverse.instrs, varied)
    current().instrs.extend(reverse.instrs)
    outer = Sweep(varied, False)
    for value, ct in inner.ct.items():
        outer.add(ct, given[value])
    outer.run(reverse)
    return [None if ct is None else outer.total(ct) for ct in cts]
