"""From the code of a loop's body to a `while_`.

The body, once emitted, flows back to the header or to the loop's exits.  Its *head* is the code up
to the first decision between going on and leaving (`while i < n`), and up to those right behind it
that cost little (`for i in range(n): if error < tol: break`).  There are three forms:

    repeat   cond: head, test     body: head, rest         the head is cheap: it runs twice
    rotate   head, test; cond: test     body: rest, head   the head is dear and the body needs it
    guard    cond: alive          body: head, if test: rest     else, or no head: the test is inside

Exits from the rest (`break`) carry out which one it was: a bool when there is one, else an i32.
A value that leaves shares the slot of the header's value that would go on in its place, if both
became one row of a conditional; otherwise it gets a slot of its own.
"""

from __future__ import annotations

from dataclasses import field

import numpy as np

from pyxla.frozen import dataclass
from pyxla.ir.core import Block, Instr, Region, Value
from pyxla.ir.rewrite import Mapping, clone, size, slice_of, uses, walk
from pyxla.ir.types import BOOL, I32
from pyxla.lower.cost import INFINITE, SMALL, cost, total
from pyxla.lower.flow import (
    SPECULATED,
    Flow,
    Payload,
    Scope,
    goes_to,
    merge,
    selector_among,
    without,
)
from pyxla.ops.control import while_
from pyxla.ops.elementwise import and_, compare
from pyxla.ops.filled import constant

_NONE = np.zeros((), np.int32)
REPEATED = 64  # instructions at the head of a loop that may be there twice


@dataclass(slots=True)
class Head:
    """The first decision: `test` says to go on, `exits` is the flow where it fails."""

    test: Value
    exits: Flow

    def joins(self, first: Scope, last: Scope, flow: Flow, target: Block) -> bool:
        """Make the decision after `last`, whether to go on to `target`, part of the head, if what
        it takes may run where the head's own test fails."""
        exits = None if last.effect else self._either(without(flow, target, last), last)
        if exits is None:
            return False
        test = goes_to(flow, target, last)
        if total(slice_of(last.instrs, [test, *_sources(exits)]), SPECULATED) > SPECULATED:
            return False
        first.take(last.instrs)
        self.test, self.exits = first.emit(and_, self.test, test), exits
        return True

    def _either(self, later: Flow, scope: Scope) -> Flow | None:
        """The exits where the test fails or, where it does not, those of a `later` decision; None
        where they are several, or give different arrays."""
        if len(self.exits.edges) > 1 or len(later.edges) > 1:
            return None
        ((here, payload),), ((there, other),) = self.exits.edges.items(), later.edges.items()
        common = _chosen(self.test, later.common, self.exits.common, scope)
        if here is not there:
            return (
                None if common is None else Flow({here: payload, there: other}, self.test, common)
            )
        one = _chosen(self.test, other, payload, scope)
        return None if one is None or common is None else Flow({here: one}, None, common)


def _chosen(pred: Value, then: Payload, other: Payload, scope: Scope) -> Payload | None:
    """What dests receive either way; None where that is not one array."""
    found = {**then, **other}
    for dest in then.keys() & other.keys():
        x, y = then[dest], other[dest]
        if x is not y and x.type.size > SMALL:
            return None
        found[dest] = scope.choose(pred, x, y)
    return found


@dataclass(slots=True)
class LoopCode:
    """A loop's body, emitted: `first`, then `head.test`, then `last`, then `flow`."""

    header: Block
    params: list[Value]
    inits: list[Value]
    first: Scope
    head: Head | None
    last: Scope
    flow: Flow


@dataclass(slots=True)
class _Slots:
    """What is carried: initial value, parameter of the body, value for the next iteration."""

    inits: list[Value] = field(default_factory=list)
    params: list[Value] = field(default_factory=list)
    nexts: list[Value] = field(default_factory=list)

    def add(self, init: Value, param: Value, next_value: Value) -> Value:
        self.inits.append(init)
        self.params.append(param)
        self.nexts.append(next_value)
        return param


@dataclass(slots=True)
class _Breaks:
    """Exits from the rest of a body, in terms of the carried parameters.

    status: a bool, true while the loop goes on, when there is one exit; an i32, the header's
    number while it goes on, when there are several; None when there is none.
    """

    flow: Flow
    status: Value | None
    header: Block | None

    def goes_on(self, mapping: Mapping, scope: Scope) -> Value | None:
        if self.status is None:
            return None
        status = mapping[self.status]
        if len(self.flow.edges) == 1:
            return status
        number = scope.literal(scope.context.number[self.header])
        return scope.emit(compare, status, number, direction="EQ")

    def flow_after(self, mapping: Mapping, scope: Scope) -> Flow:
        """The flow where the loop was left from its rest."""
        flow = _mapped(self.flow, mapping)
        if len(flow.edges) < 2:
            return flow
        going = Flow({self.header: {}, **flow.edges}, mapping[self.status], flow.common)
        return without(going, self.header, scope)


def emit_loop(code: LoopCode, scope: Scope) -> Flow:
    """Emit the `while_` and return the flow after it."""
    repeats = code.head is not None and _repeats(code)
    rotates = code.head is not None and not repeats and _clonable(code.first.instrs)
    if code.head is not None and not repeats and not rotates:
        _guard(code)
    slots = _Slots()
    nexts = code.flow.edges.get(code.header, {})
    for param, init in zip(code.params, code.inits, strict=True):
        slots.add(init, param, nexts.get(param, param))
    again = code.first.instrs if repeats else []
    if rotates:
        _rotate(code, slots, scope)
    breaks = _breaks(code, slots, scope)
    body = code.last.instrs if code.head is None or rotates else again + code.last.instrs
    results = _while(code, slots, breaks, again, body, scope)
    final = dict(zip(slots.params, results, strict=True))
    for param, result in final.items():
        result.hint = param.hint
    return _after(code, breaks, again, final, scope)


def _clonable(instrs: list[Instr]) -> bool:
    loops = any(inner.op is while_ or inner.op.effect for inner in walk(instrs))
    return not loops and size(instrs) <= REPEATED


def _repeats(code: LoopCode) -> bool:
    """Whether the head may run in the condition and again in the body and after the loop."""
    first, flow = code.first.instrs, code.flow
    test = slice_of(first, [code.head.test])
    if not _clonable(test) or not _clonable(slice_of(first, _sources(code.head.exits))):
        return False
    dear = {v for instr in test if cost(instr) >= INFINITE for v in instr.results}
    if not dear:
        return True
    tested = set(test)
    used = set(_sources(flow))
    for instr in [i for i in first if i not in tested] + code.last.instrs:
        used.update(uses(instr))
    return dear.isdisjoint(used)


def _sources(flow: Flow) -> list[Value]:
    """The values a flow is made of."""
    payloads = [*flow.edges.values(), flow.common]
    values = [value for payload in payloads for value in payload.values()]
    return values if flow.selector is None else [*values, flow.selector]


def _guard(code: LoopCode) -> None:
    """Put the rest of the body under the head's test."""
    leaving = Scope(code.first.context), code.head.exits
    code.flow = merge(code.head.test, (code.last, code.flow), leaving, code.first)
    code.last, code.head = code.first, None


def _rotate(code: LoopCode, slots: _Slots, scope: Scope) -> None:
    """Run the head before the loop and at the end of the body; carry what it computes."""
    before = dict(zip(slots.params, slots.inits, strict=True))
    again = dict(zip(slots.params, slots.nexts, strict=True))
    used = dict.fromkeys([code.head.test, *_sources(code.head.exits), *_sources(code.flow)])
    for instr in code.last.instrs:
        used.update(dict.fromkeys(uses(instr)))
    scope.take(clone(code.first.instrs, before))
    code.last.take(clone(code.first.instrs, again))
    for instr in code.first.instrs:
        for value in instr.results:
            if value in used:
                slots.add(before[value], value, again[value])


def _breaks(code: LoopCode, slots: _Slots, scope: Scope) -> _Breaks:
    """Carry out the exits from the rest of the body, if there are any."""
    flow, header = code.flow, code.header
    code.first.open = code.last.open = False
    exits = {target: edge for target, edge in flow.edges.items() if target is not header}
    if not exits:
        return _Breaks(Flow({}), None, None)
    status = Value(BOOL if len(exits) == 1 else I32, None, "exit")
    if len(exits) == 1:
        go_on = goes_to(flow, header, code.last) if header in flow.edges else False
        slots.add(scope.literal(True), status, code.last.literal(go_on))
    else:
        selector = selector_among(flow, [header, *exits], code.last)
        number = scope.context.number[header]
        slots.add(scope.literal(number), status, code.last.literal(selector))
    leaving = Flow({target: {} for target in exits})
    for target, payload in [*exits.items(), (None, flow.common)]:
        carried = leaving.common if target is None else leaving.edges[target]
        for dest, value in payload.items():
            carried[dest] = _carried(value, dest, slots, scope)
    return _Breaks(leaving, status, header)


def _carried(value: Value, dest: Value, slots: _Slots, scope: Scope) -> Value:
    """The parameter that holds `value` when the loop is left with it; a new slot if need be."""
    if scope.context.visible(value):
        return value
    for param, next_value in zip(slots.params, slots.nexts, strict=True):
        if next_value is value:
            return param
    carried = dict(zip(slots.params, slots.inits, strict=True))
    alike = [param for param in carried if param.type == value.type and value.type.size > SMALL]
    similar = value if value in carried else alike[0] if alike else None
    init = scope.filler(value.type) if similar is None else carried[similar]
    return slots.add(init, Value(value.type, None, dest.hint), value)


def _while(
    code: LoopCode,
    slots: _Slots,
    breaks: _Breaks,
    again: list[Instr],
    body: list[Instr],
    scope: Scope,
) -> tuple[Value, ...]:
    """Emit the op."""
    cond = Scope(scope.context)
    params = [Value(param.type, None, param.hint) for param in slots.params]
    mapping = dict(zip(slots.params, params, strict=True))
    goes_on = breaks.goes_on(mapping, cond)
    if code.head is not None:
        cond.take(clone(slice_of(again, [code.head.test]), mapping))
        test = mapping.get(code.head.test, code.head.test)
        goes_on = test if goes_on is None else cond.emit(and_, goes_on, test)
    word = scope.context.stops.get(code.header)
    if word is not None:
        word = mapping.get(word, scope.context.resolve(word))
        fine = cond.emit(compare, word, cond.emit(constant, value=_NONE), direction="EQ")
        goes_on = fine if goes_on is None else cond.emit(and_, goes_on, fine)
    result = cond.literal(True) if goes_on is None else goes_on
    regions = (
        Region(tuple(params), cond.instrs, (result,)),
        Region(tuple(slots.params), body, tuple(slots.nexts)),
    )
    scope.effect |= code.first.effect or code.last.effect
    loc = next((i.loc for i in code.first.instrs if i.loc is not None), None)
    return scope.emit(while_, *slots.inits, regions=regions, loc=loc)


def _after(
    code: LoopCode, breaks: _Breaks, again: list[Instr], final: Mapping, scope: Scope
) -> Flow:
    """The flow after the loop: what the head exits to, what the rest exits to, or either."""
    leaving = breaks.flow_after(final, scope)
    if code.head is None:
        return _with_flags(leaving, code, breaks, final, scope)
    values = _sources(code.head.exits)
    if not leaving.edges:
        scope.take(clone(slice_of(again, values), final))
        return _mapped(code.head.exits, final)
    goes_on = breaks.goes_on(final, scope)
    head = Scope(scope.context)
    head.take(clone(slice_of(again, values), final))
    done = _mapped(code.head.exits, final)
    return merge(goes_on, (head, done), (Scope(scope.context), leaving), scope)


def _with_flags(
    leaving: Flow, code: LoopCode, breaks: _Breaks, final: Mapping, scope: Scope
) -> Flow:
    """`leaving` with the flags that ended the loop, where no exit was taken that carried them out.
    Where one was, the header's may be of code behind it, which runs whether or not it is taken."""
    word = scope.context.stops.get(code.header)
    goes_on = breaks.goes_on(final, scope)
    if word is None or goes_on is None:
        return leaving
    word = final.get(word, scope.context.resolve(word))

    def kept(payload: Payload) -> Payload:
        words = scope.context.words
        return {d: scope.choose(goes_on, word, v) if d in words else v for d, v in payload.items()}

    edges = {target: kept(payload) for target, payload in leaving.edges.items()}
    return Flow(edges, leaving.selector, kept(leaving.common))


def _mapped(flow: Flow, mapping: Mapping) -> Flow:
    def mapped(payload: Payload) -> Payload:
        return {dest: mapping.get(value, value) for dest, value in payload.items()}

    edges = {target: mapped(payload) for target, payload in flow.edges.items()}
    return Flow(edges, mapping.get(flow.selector, flow.selector), mapped(flow.common))
