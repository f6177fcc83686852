"""Loops over elements whose state stays in registers.

    while i < n: s = s + A[i]; i = i + 1

XLA:CPU compiles a loop over few elements to one function, in which the state lies in memory: LLVM
keeps it in registers where it can prove that nobody else touches it.  Two things prevent that.

*Copies.*  `A[i]` and `i + 1` both read `i`, in no particular order, so XLA copies `i`; a copy may
touch anything, as far as LLVM is told.  So everything that reads the old value of a number is made
to come before its new value, by a *guard*, a selection that only LLVM knows to be void:

    i1 = never(s1) ? 0 : i + 1        never(x): x < NaN, or (x & 1) == 2

Where two new values each need the other's old one, the old value of one goes into a slot of its
own, a *relic*; and where a new value is found at the old one, `i = A[i]`, as XLA writes none over
an index.

*What lies apart.*  XLA tells LLVM of an address only that it is none of those of its instruction's
operands, of its users and of their operands.  So the whole state is made an operand of what gives
the old values, and of a user of the condition: calls that XLA keeps, and that do nothing
(`Emitter.loop`).

    cond(state): same(i < n, same(state))          body(state): i, s, A = same(state); ...

Only for XLA:CPU, after everything that simplifies (`lower.finish`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Uses, substitute_region, users_of, walk
from pyxla.lower.cost import SMALL, Traffic, nbytes
from pyxla.lower.cpu.fences import RELICS, TEMPORARIES, home, is_fusible
from pyxla.lower.cpu.kernels import TRAFFIC, can_hold, is_over_elements
from pyxla.lower.cpu.voids import FEWER, begun, guard, never
from pyxla.lower.rules import known
from pyxla.ops.control import while_
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.kept import kept
from pyxla.ops.shape import constant

FAR = 1 << 16  # bytes of arguments that may not lie where XLA reads them in place
STATE = 24  # numbers that change
_FREE = frozenset(["constant", "iota", "broadcast_in_dim", "reshape"])

# What computes a value: the position of a slot, the one whose old value is kept, or an instruction
# with regions.
Node = tuple[str, int] | Instr


def keep_in_registers(region: Region) -> Region:
    """Guard the loops over elements of a region, in place, where they fit into one function."""
    far = {param for param in region.params if nbytes(param) >= FAR}
    _keep_in(region, None, Traffic(far))
    return region


def _keep_in(region: Region, anchor: Value | None, traffic: Traffic) -> None:
    """anchor: a number that changes in the loop around the region, if there is one."""
    code: list[Instr] = []
    for instr in region.instrs:
        if instr.op is while_:
            if not is_over_elements(instr) or not _keep(instr, anchor, traffic, code):
                for inner in instr.regions:
                    _keep_in(inner, _anchor(inner), traffic)
        else:
            for inner in instr.regions:
                _keep_in(inner, anchor, traffic)
        code.append(instr)
    region.instrs[:] = code


def only_over_elements(region: Region) -> bool:
    """Whether there are loops over elements, and others have no work that does not vary."""
    loops = [instr for instr in walk(region.instrs) if instr.op is while_]
    others = [loop for loop in loops if not is_over_elements(loop)]
    return len(others) < len(loops) and not any(map(_repeats, others))


def _repeats(loop: Instr) -> bool:
    """Whether the body of a loop makes an array of values that do not vary."""
    body, uses = loop.regions[1], Uses()
    slots = zip(body.params, body.results, strict=True)
    varying = {param for param, result in slots if result is not param}
    for instr in body.instrs:
        if not varying.isdisjoint(uses(instr)):
            varying.update(instr.results)
        elif instr.op.name not in _FREE and any(v.type.size > SMALL for v in instr.results):
            return True
    return False


def _keep(loop: Instr, anchor: Value | None, traffic: Traffic, code: list[Instr]) -> bool:
    """Guard a loop and those in it; whether one function holds them."""
    larger = can_hold(loop)
    if not larger and traffic.exceeds(loop, TRAFFIC // 2):  # guards add to it
        return False
    _guard_nest(loop, anchor, code)
    # The outermost ones are, so that LLVM sees what their numbers begin with (`kernels.kernel`).
    if larger and (anchor is None or Traffic(traffic.far).exceeds(loop, TRAFFIC)):
        loop.attrs = {**loop.attrs, "kernel": True}
    return True


def _guard_nest(loop: Instr, anchor: Value | None, code: list[Instr]) -> None:
    for region in loop.regions:
        _guard_within(region, _anchor(region))
    _Guarded(loop).emit()
    _hold_temporaries(loop, code)
    loop.attrs = {**loop.attrs, "apart": True}
    if anchor is not None:
        with building(Builder(code, loop.loc)):
            first = 1 + FEWER * len(code)
            loop.operands = tuple([begun(x, anchor, k) for k, x in enumerate(loop.operands, first)])


def _hold_temporaries(loop: Instr, code: list[Instr]) -> None:
    """Give the numbers that lie in memory during an iteration of an innermost loop slots of their
    own, if they are few: so the condition, which takes the state, is known to lie apart from them.
    """
    cond, body = loop.regions
    if any(instr.op is while_ for instr in body.instrs):
        return
    held = {home(value) for value in (*body.params, *body.results)}
    found: dict[Value, Value] = {}
    for value in _temporaries(body):
        if value.type.size <= SMALL and home(value) not in held:
            found.setdefault(home(value), value)
    if len(found) > TEMPORARIES:
        return
    for value in found.values():
        type = value.type
        with building(Builder(code, loop.loc)):
            loop.operands += (constant(value=np.zeros(type.shape, type.dtype)),)
        loop.results += (Value(type, loop),)
        cond.params += (Value(type, cond),)
        body.params += (Value(type, body),)
        body.results += (value,)


def _temporaries(body: Region) -> Iterable[Value]:
    """What is kept, and what an array is updated with that has other uses too."""
    users = users_of(body)
    for instr in body.instrs:
        if instr.op is kept:
            yield instr.result
        elif instr.op is dynamic_update_slice and len(users[instr.operands[1]]) > 1:
            if isinstance(instr.operands[1].owner, Instr):
                yield instr.operands[1]


def _guard_within(region: Region, anchor: Value | None) -> None:
    code: list[Instr] = []
    for instr in region.instrs:
        if instr.op is while_:
            _guard_nest(instr, anchor, code)
        else:
            for inner in instr.regions:
                _guard_within(inner, anchor)
        code.append(instr)
    region.instrs[:] = code


def _anchor(region: Region) -> Value | None:
    """A number that changes in a loop, in its condition or its body."""
    return next((p for p in region.params if p.type.size == 1), None)


class _Guarded:
    """One loop: the graph of what has to come before what, then the code.

    before[x]: the nodes that have to come before x.  natural[x]: those of them that x uses.
    uses: of the body's instructions, as they are before the code is written.
    """

    def __init__(self, loop: Instr) -> None:
        self.loop = loop
        self.cond, self.body = loop.regions
        params, results = self.body.params, self.body.results
        self.slot_of = {param: k for k, param in enumerate(params)}
        self.varying = [k for k, r in enumerate(results) if r is not params[k]]
        self.numbers = [k for k in self.varying if params[k].type.size == 1]
        self.made_by: dict[Value, int] = {}
        for k in self.varying:
            if results[k] not in self.slot_of and known(results[k]) is None:
                self.made_by.setdefault(results[k], k)
        self.uses = Uses()
        self.before: dict[Node, set[Node]] = {}
        self.natural: dict[Node, set[Node]] = {}
        self.readers: dict[int, set[Node]] = {k: set() for k in self.varying}
        self.indices: list[int] = []
        self.inside = {v for instr in self.body.instrs for v in instr.results}

    def emit(self) -> None:
        if not self.numbers or len(self.numbers) > STATE:
            return
        self.find_nodes()
        order = self.ordered()
        if order is not None:
            _Writer(self, order).write()

    def find_nodes(self) -> None:
        """Follow what values are computed of: ("old", k), ("new", k), instructions with regions."""
        results = self.body.results
        leaves: dict[Value, frozenset[Node]] = {
            value: frozenset([("old", k)]) for value, k in self.slot_of.items()
        }
        leaves.update({value: frozenset([("new", k)]) for value, k in self.made_by.items()})
        origin: dict[Value, frozenset[Node]] = {}
        located: dict[Value, frozenset[Node]] = {}
        nothing: frozenset[Node] = frozenset()
        for instr in self.body.instrs:
            found = nothing.union(*[leaves[v] for v in self.uses(instr) if v in leaves])
            if not is_fusible(instr):
                self.add(instr, found)
                found = frozenset([instr])
                if instr.op is kept and (slot := home(instr.result)) in self.slot_of:
                    found |= {("old", self.slot_of[slot])}  # where it lies
            else:
                at = nothing.union(*[located[v] for v in instr.operands if v in located])
                if instr.op is dynamic_slice:
                    at = at.union(*[leaves[v] for v in instr.operands[1:] if v in leaves])
                located.update(dict.fromkeys(instr.results, at))
            for value in instr.results:
                origin[value] = found
                leaves.setdefault(value, found)
        for k in self.varying:
            own = self.made_by.get(results[k]) == k
            self.add(("new", k), (origin if own else leaves).get(results[k], nothing))
        for k in self.varying:
            self.before["new", k] |= self.readers[k]
        self.indices = [k for k in self.numbers if ("old", k) in located.get(results[k], ())]

    def add(self, node: Node, leaves: Iterable[Node]) -> None:
        needed = set()
        for leaf in leaves:
            if isinstance(leaf, Instr) or leaf[0] == "new":
                needed.add(leaf)
            elif leaf[1] in self.readers and node != ("new", leaf[1]):
                self.readers[leaf[1]].add(node)
        self.natural[node] = needed
        self.before[node] = set(needed)

    def ordered(self) -> list[Node] | None:
        """The nodes in an order in which they can be computed, relics made as needed."""
        left = dict.fromkeys(self.before)
        order = [self.keep_old(k, left) for k in self.indices[:RELICS]]
        while left:
            ready = [node for node in left if self.before[node].isdisjoint(left)]
            if ready:
                order += ready
                for node in ready:
                    del left[node]
                continue
            relic = self.relic(left)
            if relic is None:
                return None
            # First of all: XLA repeats what several nodes share in each of them, with its reads.
            order.insert(0, relic)
        return order

    def relic(self, left: Iterable[Node]) -> Node | None:
        """Keep the old value of the number for whose sake most nodes wait."""
        waiting = {
            k: len(self.readers[k].intersection(left))
            for k in self.numbers
            if ("new", k) in left and ("old", k) not in self.before
        }
        k = max(waiting, key=waiting.__getitem__, default=None)
        if k is None or not waiting[k] or len(self.relics()) == RELICS:
            return None
        return self.keep_old(k, left)

    def keep_old(self, k: int, left: Iterable[Node]) -> Node:
        """Let what is left, and what makes the new value, read a relic."""
        kept: Node = ("old", k)
        self.before[kept], self.natural[kept] = set(), set()
        later = self.readers[k].intersection(left)
        for reader in later:
            self.before[reader].add(kept)
            self.natural[reader].add(kept)
        self.before["new", k] -= later - self.natural["new", k]
        self.readers[k] -= later
        self.before["new", k].add(kept)
        self.natural["new", k].add(kept)
        return kept

    def relics(self) -> list[Node]:
        return [node for node in self.before if isinstance(node, tuple) and node[0] == "old"]


class _Writer:
    """Writes the body of a loop anew, in the order of its nodes."""

    def __init__(self, plan: _Guarded, order: Sequence[Node]) -> None:
        self.plan = plan
        self.order = order
        self.builder = Builder([], plan.loop.loc)
        self.values: dict[Value, Value] = {}
        self.done: set[Instr] = set()
        self.made: dict[Node, Value] = {}
        self.past: dict[Node, set[Node]] = {}

    def write(self) -> None:
        plan = self.plan
        with building(self.builder):
            for node in self.order:
                self.node(node)
        results = list(plan.body.results)
        for k in plan.varying:
            results[k] = self.made["new", k]
        plan.body.instrs[:] = self.builder.instrs
        plan.body.results = tuple(results)
        self.add_slots([node for node in self.order if node in plan.relics()])

    def add_slots(self, relics: Sequence[Node]) -> None:
        """Slots for the old values of numbers."""
        loop, cond, body = self.plan.loop, self.plan.cond, self.plan.body
        for relic in relics:
            k = int(relic[1])  # type: ignore[index]
            type = body.params[k].type
            loop.operands += (loop.operands[k],)
            loop.results += (Value(type, loop),)
            cond.params += (Value(type, cond),)
            body.params += (Value(type, body),)
            body.results += (self.made[relic],)

    def node(self, node: Node) -> None:
        plan = self.plan
        past = set(plan.natural[node])
        for other in plan.natural[node]:
            past |= self.past[other]
        if isinstance(node, Instr):
            self.instr(node)
            self.past[node] = past
            return
        kind, k = node[0], int(node[1])
        waits = []
        if kind == "new":
            for other in reversed(list(self.past)):
                if other in plan.before[node] and other not in past:
                    waits.append(other)
                    past |= {other, *self.past[other]}
        self.past[node] = past
        param = plan.body.params[k]
        if kind == "old":
            self.made[node] = self.values[param] = guard(param, [never(param)])
            return
        result = plan.body.results[k]
        if k in plan.numbers:
            value = self.value(result)
            tests = [self.never(other) for other in waits] or [never(self.values.get(param, param))]
            made = guard(value, tests)
        else:
            made = self.array(result, param, [self.never(other) for other in waits])
        self.made[node] = made
        if plan.made_by.get(result) == k:
            self.values[result] = made

    def array(self, result: Value, param: Value, tests: Sequence[Value]) -> Value:
        """The new content of an array; its first update waits for the tests."""
        value = result
        while tests and isinstance(value.owner, Instr) and value in self.plan.inside:
            instr = value.owner
            if instr.op is not dynamic_update_slice or instr in self.done:
                break
            if instr.operands[0] is param:
                update = guard(self.value(instr.operands[1]), tests)
                instr.operands = (param, update, *instr.operands[2:])
                break
            value = instr.operands[0]
        return self.value(result)

    def never(self, node: Node) -> Value:
        """False, after the node."""
        if not isinstance(node, Instr):
            return never(self.made[node])
        return never(min(node.results, key=lambda value: value.type.size))

    def value(self, value: Value) -> Value:
        """`value`, its code written."""
        if value in self.values:
            return self.values[value]
        if value in self.plan.inside:
            self.instr(value.owner)
        return value

    def instr(self, instr: Instr) -> None:
        """Write an instruction, after what it needs: a chain of these may be long."""
        work = [instr]
        while work:
            instr = work[-1]
            missing = (
                [] if instr in self.done else [*filter(self.is_missing, self.plan.uses(instr))]
            )
            work += [value.owner for value in reversed(missing)]
            if not missing:
                self.add(work.pop())

    def is_missing(self, value: Value) -> bool:
        code = value in self.plan.inside and value not in self.values
        return code and value.owner not in self.done

    def add(self, instr: Instr) -> None:
        """Write an instruction, unless it is; what it needs is."""
        if instr in self.done:
            return
        self.done.add(instr)
        if instr.regions:
            written = {value: self.value(value) for value in self.plan.uses(instr)}
            mapping = {value: new for value, new in written.items() if new is not value}
            for region in instr.regions if mapping else ():
                substitute_region(region, mapping)
        instr.operands = tuple([self.value(value) for value in instr.operands])
        self.builder.instrs.append(instr)
