"""The walk backwards through a region; see `pyxla.grad.reverse`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from pyxla.errors import CompileError
from pyxla.grad import parts
from pyxla.grad.activity import is_inexact
from pyxla.grad.emitting import into
from pyxla.grad.foreign import foreign_vjp
from pyxla.grad.residuals import defined_in, plan
from pyxla.grad.stacks import Logs
from pyxla.ir.build import current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.op import Op, OpError
from pyxla.ir.rewrite import captures, substitute_region, walk
from pyxla.ir.types import array_type
from pyxla.lower.cost import INFINITE, SMALL
from pyxla.lower.rules import definition, known
from pyxla.ops import elementwise
from pyxla.ops.computation import with_name
from pyxla.ops.contract import dot_general
from pyxla.ops.contribution import Contribution, Into, Sum
from pyxla.ops.elementwise import compare, convert, or_, select
from pyxla.ops.filled import spread, zeros
from pyxla.ops.foreign import foreign, host_call
from pyxla.ops.linear import cholesky, triangular_solve
from pyxla.ops.reduce import reduce
from pyxla.ops.scope import guard
from pyxla.ops.shape import reshape, transpose
from pyxla.options import DEFAULTS, Options

# Elementwise ops whose partial derivatives are finite everywhere: zero times them is zero.
_FINITE = frozenset(
    "add subtract negate select clamp convert real imag complex conj abs maximum minimum sine "
    "cosine tanh logistic".split()
)
_SINGULAR = frozenset(
    op for op in vars(elementwise).values() if isinstance(op, Op) and op.name not in _FINITE
)
_LIBRARY = frozenset([foreign, cholesky, triangular_solve])
_MIXING = frozenset([dot_general, reduce])
_SELECTIONS = frozenset([select, guard])
_EXPONENTIALS = ("exponential", "exponential_minus_one", "cosh", "sinh")
_SUMS = ("add", "subtract", "multiply", "negate", "broadcast_in_dim")
NEAR = 4  # instructions between an exponential and a quotient


class Sweep:
    """The walk backwards through one region.

    varied: values whose cotangent is wanted.  guarded: zero cotangents stay zero, in products of up
    to so many elements.  options: how loops are reversed.  fleeting: values of an iteration of the
    loops around, or of the branches.  most: how often loops run at most, by their first results.
    logs: where loops in the region save what they save, if the loop around passes that on.
    """

    def __init__(
        self,
        varied: set[Value],
        guarded: int,
        ct: dict[Value, Value] | None = None,
        options: Options = DEFAULTS,
        fleeting: frozenset[Value] = frozenset(),
        most: dict[Value, int] | None = None,
        logs: Logs | None = None,
    ) -> None:
        self.fleeting = fleeting
        self.logs = logs
        self.most = {} if most is None else most
        self.varied = varied
        self.guarded = guarded
        self.ct = ct or {}
        self.options = options

    def nested(
        self,
        ct: dict[Value, Value],
        fleeting: Collection[Value] = (),
        logs: Logs | None = None,
    ) -> Sweep:
        around = self.fleeting.union(fleeting)
        return Sweep(self.varied, self.guarded, ct, self.options, around, self.most, logs)

    def add(self, value: Value, part: Contribution) -> None:
        """Add a contribution to the cotangent of `value`."""
        if part is None or value not in self.varied:
            return
        if isinstance(part, Into):
            self.ct[value] = part.add(self.total(value))
            return
        if isinstance(part, Sum):
            part = _summed(part, value)
        old = self.ct.get(value)
        self.ct[value] = part if old is None else parts.total(old, part)

    def total(self, value: Value) -> Value:
        """The cotangent of `value` so far."""
        found = self.ct.get(value)
        return zeros(value.type) if found is None else found

    def run(self, region: Region) -> None:
        for instr in reversed(list(region.instrs)):
            cts = [self.ct.pop(result, None) for result in instr.results]
            if any(ct is not None for ct in cts):
                current().loc = instr.loc
                self.step(instr, cts, region)

    def step(self, instr: Instr, cts: list[Value | None], region: Region) -> None:
        if (control := CONTROL.get(instr.op.name)) is not None:
            control(self, instr, cts, region)
            return
        wanted = [value in self.varied for value in instr.operands]
        pulled = pull(instr, cts[0] if len(cts) == 1 else cts, wanted)
        for operand, part in zip(instr.operands, pulled, strict=True):
            if self.guarded and isinstance(part, Value):
                part = self.guard(instr, part, [ct for ct in cts if ct is not None])
            self.add(operand, part)

    def guard(self, instr: Instr, part: Value, cts: Sequence[Value]) -> Value:
        """A contribution that is 0 where the cotangents that it is made of are."""
        if instr.op in _SINGULAR:
            return part if _is_linear(instr) else guard(part, cts[0])
        if instr.op in _LIBRARY or (instr.op in _MIXING and part.type.size <= self.guarded):
            return guard(part, spread(convert(_any(cts), dtype=part.type.dtype), part.type.shape))
        return part


def guarded(region: Region) -> int:
    """For a sweep: whether values that are not used may be computed, as others are chosen.

    Products are not if they are large, but of matrices that are tested after they were used.
    """
    if not _chooses(region):
        return 0
    return INFINITE if any(i.op in _LIBRARY for i in walk(region.instrs)) else SMALL


def _chooses(region: Region) -> bool:
    """Whether a selection, a branch or a loop, which may not run, does not read all that it may, or
    a quotient is 0 whatever it divides."""
    singular = False
    for instr in region.instrs:
        name = instr.op.name
        if name in ("if", "case"):
            chosen: Collection[Value] = captures(instr)
        else:
            chosen = instr.results if instr.op in _SELECTIONS else ()
        if (name == "while" and singular) or any(map(is_inexact, chosen)) or may_vanish(instr):
            return True
        singular |= instr.op in _LIBRARY | _SINGULAR and not _is_linear(instr)
        if any(map(_chooses, instr.regions)):
            return True
    return False


def may_vanish(instr: Instr) -> bool:
    """Whether it divides by what an exponential may make infinite: `1 / (1 + exp(-x))`."""
    return instr.op is elementwise.divide and _grows(instr.operands[1], NEAR)


def _grows(value: Value, depth: int) -> bool:
    made = definition(value, *_EXPONENTIALS, *_SUMS)
    if made is None or made.op.name in _EXPONENTIALS or not depth:
        return made is not None and made.op.name in _EXPONENTIALS
    return any([_grows(x, depth - 1) for x in made.operands])


def _is_linear(instr: Instr) -> bool:
    """Whether its derivative is a finite constant, or nothing that varies is computed."""
    if not any(map(is_inexact, instr.results)):
        return True
    factors = instr.operands if instr.op is elementwise.multiply else ()
    spread = [definition(value, "broadcast_in_dim") for value in factors]
    numbers = [known(i.operands[0] if i else v) for i, v in zip(spread, factors, strict=True)]
    return any(x is not None and bool(np.isfinite(x).all()) for x in numbers)


def _any(cts: Sequence[Value]) -> Value:
    """Whether an element of one of them is not 0."""
    found = []
    for ct in cts:
        some = compare(ct, zeros(ct.type), direction="NE")
        no = zeros(array_type(some.type.dtype))
        dimensions = tuple(range(ct.type.ndim))
        found.append(reduce(some, no, dimensions=dimensions, computation="or"))
    return functools.reduce(or_, found)


def pull(instr: Instr, ct: Any, wanted: Sequence[bool]) -> Sequence[Contribution]:
    """What the op's rule gives; CompileError at the user's line where there is none."""
    instr = with_name(instr) if instr.regions else instr
    rule = foreign_vjp if instr.op is foreign else instr.op.vjp
    if rule is None:
        raise no_rule(instr)
    inner = [v for v in captures(instr) if is_inexact(v)] if instr.regions else []
    if inner:
        raise no_rule(instr, " with a function that uses values from outside")
    try:
        return rule(instr, ct, wanted)
    except OpError as error:
        raise CompileError(str(error), instr.loc) from error


def no_rule(instr: Instr, which: str = "") -> CompileError:
    name = instr.op.name
    if instr.op is host_call:
        name = f"the host function {instr.attrs['function'].__name__}"
    return CompileError(
        f"{name}{which} has no derivative rule",
        instr.loc,
        types=[str(value.type) for value in instr.operands],
        hint="write it with operations that have one, state it by pyxla.custom_vjp, or stop the "
        "gradient before it",
    )


def _summed(part: Sum, value: Value) -> Value:
    made = part.value
    if part.dimensions:
        zero = zeros(array_type(made.type.dtype))
        made = reduce(made, zero, dimensions=part.dimensions, computation="add")
    if part.permutation:
        made = transpose(made, permutation=part.permutation)
    return made if made.type.shape == value.type.shape else reshape(made, shape=value.type.shape)


def reverse_branches(sweep: Sweep, instr: Instr, cts: list[Value | None], region: Region) -> None:
    """A conditional on the same predicate, over the reverse of each branch."""
    captured = [value for value in captures(instr) if value in sweep.varied]
    made: list[tuple[list[Instr], dict[Value, Value]]] = []
    for branch in instr.regions:
        inner = sweep.nested(dict(sweep.ct), defined_in(branch))
        code: list[Instr] = []
        with into(code):
            for result, ct in zip(branch.results, cts, strict=True):
                inner.add(result, ct)
            inner.run(branch)
        made.append((code, inner.ct))
    before = sweep.ct
    touched = [v for v in captured if any(ct.get(v) is not before.get(v) for _, ct in made)]
    if not touched:
        return
    regions = []
    for branch, (code, cotangents) in zip(instr.regions, made, strict=True):
        with into(code):
            totals = [sweep.nested(cotangents).total(value) for value in touched]
        reverse = Region((), code, tuple(totals))
        regions.append(reverse)
        _give_out(instr, branch, reverse, sweep.fleeting)
    results = current().emit(instr.op, instr.operands, {}, tuple(regions))
    sweep.ct.update(zip(touched, results, strict=True))


def _give_out(instr: Instr, branch: Region, reverse: Region, fleeting: Collection[Value]) -> None:
    """Make what `reverse` reads of a branch results of the conditional, or compute it anew."""
    saved = plan(reverse, branch, fleeting=fleeting)
    fresh = []
    for value in saved:
        for other in instr.regions:
            if other is branch:
                filler = value
            else:
                with into(other.instrs):
                    filler = zeros(value.type)
            other.results = (*other.results, filler)
        fresh.append(Value(value.type, instr, value.hint))
    instr.results = (*instr.results, *fresh)
    substitute_region(reverse, dict(zip(saved, fresh, strict=True)))


# By name of op: what puts regions in reverse (`pyxla.grad.reverse`).
CONTROL: dict[str, Callable[[Sweep, Instr, list[Value | None], Region], None]] = {}
