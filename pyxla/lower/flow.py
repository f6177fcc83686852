"""Flows of control as data, and the conditionals that merge them.

    if c: x, then go to A with (a1)          %s, %r = if (c) {..., c, a1} else {..., false, b1}
    else: y, then go to B with (b1)          flow: A with (%r), B with (%r); selector %s

A *flow* says which targets control may go to next and what each *dest* of a target (a phi's value)
receives.  Values that are defined in a loop and used after it, without a phi, are *common*: they
leave the loop whatever the target.  A *scope* is code under construction.  A *row* is a pair of
values, one from each branch, that becomes one result of a conditional; dests of different targets
share a row where they can.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from pyxla.errors import Location
from pyxla.frozen import dataclass
from pyxla.ir.build import Builder
from pyxla.ir.core import Block, Instr, Region, Value
from pyxla.ir.op import Op
from pyxla.ir.types import ArrayType
from pyxla.lower.cost import SMALL, total
from pyxla.ops.control import if_, while_
from pyxla.ops.elementwise import and_, compare, not_, or_, select
from pyxla.ops.shape import broadcast_in_dim, constant

SPECULATED = 24  # cost of the code that may run although its branch is not taken

Payload = dict[Value, Value]
Literal = Value | bool | int
Row = tuple[Literal, Literal]


@dataclass(eq=False, slots=True)
class Context:
    """env: what phis became.  home: which scope defines a value.  number: targets in selectors.

    unless[v] = (target, w): `v` is `w` unless control goes to `target`.  alias: values that have
    such an equal here, which is used instead of them, so that only one of the two arrays is alive.
    words: those of the flags (`lower.sticky`), and stops: of these the ones, at headers of loops,
    that end the loops once they are not 0.
    """

    env: dict[Value, Value] = field(default_factory=dict)
    unless: dict[Value, tuple[Block, Value]] = field(default_factory=dict)
    alias: dict[Value, Value] = field(default_factory=dict)
    home: dict[Value, Scope] = field(default_factory=dict)
    number: dict[Block, int] = field(default_factory=dict)
    stops: dict[Block, Value] = field(default_factory=dict)
    words: set[Value] = field(default_factory=set)

    def resolve(self, value: Value) -> Value:
        """What stands for `value` here."""
        value = self.env.get(value, value)
        return self.alias.get(value, value)

    def visible(self, value: Value) -> bool:
        """Whether code emitted now may use `value`: what no scope defines is from outside."""
        scope = self.home.get(value)
        return scope is None or scope.open


@dataclass(eq=False, slots=True)
class Scope:
    """Code under construction; its values are visible while it is open."""

    context: Context
    instrs: list[Instr] = field(default_factory=list)
    open: bool = True
    effect: bool = False

    def emit(
        self,
        op: Op,
        *operands: Any,
        regions: tuple[Region, ...] = (),
        loc: Location | None = None,
        **attrs: Any,
    ) -> Any:
        results = Builder(self.instrs, loc).emit(op, operands, attrs, regions)
        for value in results if type(results) is tuple else (results,):
            self.context.home[value] = self
        return results

    def take(self, instrs: Iterable[Instr]) -> None:
        """Append instructions made elsewhere."""
        for instr in instrs:
            self.instrs.append(instr)
            for value in instr.results:
                self.context.home[value] = self

    def literal(self, value: Literal) -> Value:
        """A bool or an i32 as a constant."""
        if isinstance(value, Value):
            return value
        dtype = np.bool_ if isinstance(value, bool) else np.int32
        return self.emit(constant, value=np.asarray(value, dtype))

    def filler(self, type: ArrayType) -> Value:
        """A value that nobody looks at."""
        zero = np.zeros((), type.dtype)
        if type.weak:
            return self.emit(constant, value=zero, weak=True)
        scalar = self.emit(constant, value=zero)
        if not type.shape:
            return scalar
        return self.emit(broadcast_in_dim, scalar, shape=type.shape, broadcast_dimensions=())

    def choose(self, pred: Value, x: Literal, y: Literal) -> Value:
        """`x if pred else y`, where bool literals fold."""
        if x is y and isinstance(x, Value):
            return x
        if isinstance(x, bool) and isinstance(y, bool):
            if x == y:
                return self.literal(x)
            return pred if x else self.emit(not_, pred)
        if x is True:
            return self.emit(or_, pred, y)
        if y is False:
            return self.emit(and_, pred, x)
        if x is False:
            return self.emit(and_, self.emit(not_, pred), y)
        return self.emit(select, pred, self.literal(x), self.literal(y))


@dataclass(slots=True)
class Flow:
    """Where control goes next: `edges[target]` maps the target's dests to what they receive.

    selector: None with one target; with two, a bool, true for the second; with more, an i32
    holding the target's number.
    """

    edges: dict[Block, Payload]
    selector: Value | None = None
    common: Payload = field(default_factory=dict)


Side = tuple[Scope, Flow]


def goes_to(flow: Flow, target: Block, scope: Scope) -> Value:
    """Whether control goes to `target`, one of several."""
    if len(flow.edges) == 2:
        second = list(flow.edges)[1]
        return flow.selector if target is second else scope.emit(not_, flow.selector)
    number = scope.literal(scope.context.number[target])
    return scope.emit(compare, flow.selector, number, direction="EQ")


def without(flow: Flow, target: Block, scope: Scope) -> Flow:
    """The flow where `target` is ruled out."""
    edges = {t: payload for t, payload in flow.edges.items() if t is not target}
    if len(edges) < 2:
        return Flow(edges, None, flow.common)
    if len(edges) == 2:
        return Flow(edges, goes_to(flow, list(edges)[1], scope), flow.common)
    return Flow(edges, flow.selector, flow.common)


def selector_among(flow: Flow, targets: list[Block], scope: Scope) -> Literal:
    """The selector of `flow` among targets that include its own."""
    number = scope.context.number
    own = list(flow.edges)
    if len(own) == 1:
        return own[0] is targets[1] if len(targets) == 2 else number[own[0]]
    if len(own) > 2:
        return flow.selector
    if len(targets) == 2:
        return goes_to(flow, targets[1], scope)
    return scope.choose(flow.selector, number[own[1]], number[own[0]])


def merge(pred: Value, then: Side, other: Side, scope: Scope) -> Flow:
    """Emit `if pred: then else: other`; the flow after it."""
    (then_scope, then_flow), (else_scope, else_flow) = then, other
    targets = list(dict.fromkeys([*else_flow.edges, *then_flow.edges]))
    steering: list[Any] = []
    if len(targets) > 1:
        # A side that goes nowhere (an endless loop) may claim any target.
        sides = [(s, f if f.edges else Flow({targets[0]: {}})) for s, f in (then, other)]
        steering = [tuple([selector_among(f, targets, s) for s, f in sides])]
    then_scope.open = else_scope.open = False
    rows = _Rows(then_scope, else_scope)
    for target in targets:
        rows.add(target, then_flow.edges.get(target), else_flow.edges.get(target))
    rows.add(None, then_flow.common, else_flow.common)
    rows.pair_up()
    values = conditional(pred, then_scope, else_scope, scope, [*rows.rows, *steering], rows.single)
    flow = Flow({target: {} for target in targets}, values[-1] if steering else None)
    for target, dest, source in rows.dests:
        value = values[source] if isinstance(source, int) else source
        payload = flow.common if target is None else flow.edges[target]
        payload[dest] = value
        value.hint = value.hint or dest.hint
        if target is not None and isinstance(source, int) and value.type.size > SMALL:
            _learn(scope.context, target, dest, value, rows.rows[source], (then_flow, else_flow))
    for target, payload in flow.edges.items():
        same = _equal(scope.context, flow, target)
        flow.edges[target] = {dest: same.get(value, value) for dest, value in payload.items()}
    return flow


def _learn(
    context: Context, target: Block, dest: Value, value: Value, row: Any, flows: Sequence[Flow]
) -> None:
    """Note what `value`, which `dest` receives, is where control does not go to `target`."""
    equals = set()
    for flow, source in zip(flows, row, strict=True):
        received = flow.edges.get(target, {}).get(dest)
        if received is None:
            equals.add(source)
        elif len(flow.edges) > 1:
            known = context.unless.get(source)
            equals.add(known[1] if known is not None and known[0] is target else source)
    if len(equals) == 1 and (equal := equals.pop()) is not None:
        context.unless[value] = (target, equal)


@contextlib.contextmanager
def aliases(context: Context, flow: Flow, target: Block) -> Iterator[None]:
    """Where `flow` goes to `target`: use what other targets would receive for what it equals."""
    outer = context.alias
    found = _equal(context, flow, target)
    context.alias = {**{value: found.get(equal, equal) for value, equal in outer.items()}, **found}
    yield
    context.alias = outer


def _equal(context: Context, flow: Flow, target: Block) -> Payload:
    """What other targets would receive, by what it equals where `flow` goes to `target`."""
    found = {}
    for other, payload in flow.edges.items():
        for value in payload.values():
            known = context.unless.get(value)
            if known is not None and known[0] is other is not target:
                found[known[1]] = value
    return found


class _Rows:
    """Collects what the targets receive from both sides into as few rows as possible.

    dests: (target, dest, source), the source being the index of a row, or a value visible outside.
    A dest that only one side feeds shares a row with one that only the other side feeds; single:
    the rows of those that do not, with the side that feeds them.
    """

    def __init__(self, then: Scope, other: Scope) -> None:
        self.scopes = (then, other)
        self.context = then.context
        self.rows: list[Row] = []
        self.index: dict[Row, int] = {}
        self.single: dict[int, int] = {}
        self.dests: list[tuple[Block | None, Value, int | Value]] = []
        self.lone: tuple[dict[Value, list], dict[Value, list]] = ({}, {})

    def add(self, target: Block | None, then: Payload | None, other: Payload | None) -> None:
        then, other = then or {}, other or {}
        for dest in {**then, **other}:
            x, y = then.get(dest), other.get(dest)
            if x is None:
                self.lone[1].setdefault(y, []).append((target, dest))
            elif y is None:
                self.lone[0].setdefault(x, []).append((target, dest))
            else:
                self.dests.append((target, dest, x if x is y else self.row(x, y)))

    def row(self, x: Value, y: Value) -> int:
        index = self.index.setdefault((x, y), len(self.rows))
        if index == len(self.rows):
            self.rows.append((x, y))
        return index

    def pair_up(self) -> None:
        """Give the lone dests rows, or their value itself where it is visible outside."""
        self.reuse_rows()
        for side in (0, 1):
            mine, theirs = self.lone[side], self.lone[1 - side]
            for value in list(mine):
                if self.context.visible(value):
                    continue
                uses = mine.pop(value)
                partner = self.partner(value, uses, theirs)
                if partner is None:
                    filler = self.filler(value, uses, self.scopes[1 - side])
                else:
                    filler = partner
                    uses = uses + theirs.pop(partner)
                count = len(self.rows)
                index = self.row(value, filler) if side == 0 else self.row(filler, value)
                if partner is None and index == count:
                    self.single[index] = side
                self.dests += [(target, dest, index) for target, dest in uses]
        for lone in self.lone:
            for value, uses in lone.items():
                self.dests += [(target, dest, value) for target, dest in uses]

    def reuse_rows(self) -> None:
        """A value that already has a row needs no other."""
        for side in (0, 1):
            lone = self.lone[side]
            for index, row in enumerate(self.rows):
                value: Any = row[side]
                if value in lone and not self.context.visible(value):
                    uses = lone.pop(value)
                    self.dests += [(target, dest, index) for target, dest in uses]

    def partner(self, value: Value, uses: list, theirs: dict[Value, list]) -> Value | None:
        """The lone value of the other side that best shares a row with `value`."""
        best, best_score = None, 0
        dests = {dest for _, dest in uses}
        hints = {dest.hint for dest in dests if dest.hint}
        for candidate, candidate_uses in theirs.items():
            if candidate.type != value.type:
                continue
            if candidate in dests:
                score = 3
            elif any(dest.hint in hints for _, dest in candidate_uses):
                score = 2
            elif value.type.size > SMALL:  # two arrays in one row are copied
                score = self.origin(candidate) is self.origin(value)
            else:
                score = not self.context.visible(candidate)
            if score > best_score:
                best, best_score = candidate, score
        return best

    def filler(self, value: Value, uses: list, scope: Scope) -> Value:
        """What the side without a value gives: old content of the slot or array, else zeros."""
        home = self.context.home
        for _, dest in uses:
            if dest in home and home[dest].open and dest.type == value.type:
                return self.context.resolve(dest)
        origin = self.origin(value) if value.type.size > SMALL else None
        return scope.filler(value.type) if origin is None else origin

    def origin(self, value: Value) -> Value | None:
        """The array, visible outside, that a large value was made from."""
        home = self.context.home
        while value not in home or not home[value].open:
            made = value.owner
            if not isinstance(made, Instr):
                return None
            if made.op is while_:
                sources = [made.operands[made.results.index(value)]]
            elif made.op is if_:
                sources = [region.results[made.results.index(value)] for region in made.regions]
            else:
                sources = [source for source in made.operands if source.type == value.type]
            if not sources:
                return None
            value = sources[0]
        return value


def conditional(
    pred: Value, then: Scope, other: Scope, scope: Scope, rows: list[Row], single: Mapping[int, int]
) -> list[Value]:
    """Emit what computes `row[0] if pred else row[1]` for each row: selects where that is cheap.

    single: rows of which nobody looks at any but this side.  Where both sides run, that need not
    wait for the predicate: `d += 1` after a `break` is the same whether the loop is left or not.
    """
    visible = scope.context.visible
    if _speculates(then, other, rows):
        scope.take(then.instrs)
        scope.take(other.instrs)
        return [
            scope.literal(row[single[k]]) if k in single else scope.choose(pred, *row)
            for k, row in enumerate(rows)
        ]

    def passed(row: Row) -> bool:
        values = [value for value in row if isinstance(value, Value)]
        return all(visible(value) and value.type.size <= SMALL for value in values)

    inner = [row for row in rows if not passed(row)]
    results: tuple[Value, ...] = ()
    if inner or then.effect or other.effect:
        regions = []
        for side, code in enumerate((then, other)):
            values = tuple([code.literal(row[side]) for row in inner])
            regions.append(Region((), code.instrs, values))
        results = scope.emit(if_, pred, regions=tuple(regions))
        scope.effect |= then.effect or other.effect
    computed = iter(results)
    return [scope.choose(pred, *row) if passed(row) else next(computed) for row in rows]


def _speculates(then: Scope, other: Scope, rows: list[Row]) -> bool:
    """Whether both sides may run: little work, small results."""
    for row in rows:
        for value in row:
            if isinstance(value, Value) and value.type.size > SMALL:
                return False
    spent = total(then.instrs, SPECULATED)
    return spent <= SPECULATED and spent + total(other.instrs, SPECULATED) <= SPECULATED
