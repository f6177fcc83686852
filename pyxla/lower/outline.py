"""Outlining: a control-flow graph becomes a region of pure data flow (`if_`, `while_`).

    bb0: %i = phi [entry: 0, bb1: %j]         %r = while (0)
         branch (%i < n) bb1 bb2                   cond (%i): %i < n
    bb1: %j = %i + 1; jump bb0                     body (%i): %i + 1
    bb2: return %i                            return %r

The order of code is that of Ramsey, "Beyond Relooper" (2022): walk the dominator tree; a block
that several paths reach is emitted where its immediate dominator was, after the code that may go
there.  Ramsey then jumps; here nothing can jump, so code *flows* (`pyxla.lower.flow`): a selector
says where control goes next, a conditional merges the flows of its branches, and a target that is
not the only one is emitted under `if_(selector says so)`.  So every block is emitted once.

To what surrounds it a loop is one block, and what it exits to is emitted after it
(`pyxla.lower.loops`).  Values that are defined in a loop and used after it need not pass phis.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from pyxla.errors import CompileError
from pyxla.frozen import dataclass
from pyxla.ir.core import Block, Branch, Function, Instr, Region, Return, Value
from pyxla.ir.dominance import Loop, immediate_dominators, natural_loops
from pyxla.ir.rewrite import free_values, ops_in, remove_trivial_phis, substitute_region, uses
from pyxla.lower.flow import Context, Flow, Payload, Scope, aliases, goes_to, merge, without
from pyxla.lower.loops import Head, LoopCode, emit_loop
from pyxla.lower.sticky import thread_flags


def outline(function: Function) -> Region:
    """The region that computes what `function` does; consumes the function's instructions.

    Where it has flags (`lower.sticky`), their word is one more result.
    """
    try:
        return _Outliner(Context()).function(function)
    except RecursionError:
        raise CompileError(
            f"{function.name}: control flow is nested too deeply",
            function.loc,
            hint="each early return or `elif` is a level; put the cases into a table or a loop",
        ) from None


class _Outliner:
    """The walk over one function's graph; nested functions share the context."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def function(self, function: Function) -> Region:
        remove_trivial_phis(function)
        threaded = thread_flags(function)
        self.graph = _analyse(function)
        if threaded is not None:
            self.context.stops.update(threaded.stops)
            self.context.words.update(threaded.words)
        self.context.number.update(self.graph.number)
        scope = Scope(self.context)
        self.context.home.update(dict.fromkeys(function.params, scope))
        flow = self.run(function.blocks[0], scope)
        scope.open = False
        returned = flow.edges.get(self.graph.leave, {})
        results = tuple([returned[dest] for dest in self.graph.results or () if dest in returned])
        return Region(function.params, scope.instrs, results)

    def run(self, block: Block, scope: Scope) -> Flow:
        """Emit all that `block` dominates and can be emitted here."""
        pending: set[Block] = set()
        return self.drain(self.visit(block, scope, pending), scope, pending)

    def drain(self, flow: Flow, scope: Scope, pending: set[Block]) -> Flow:
        """Emit the targets of `flow` that belong here, until it only leads elsewhere."""
        while (target := self.next_target(flow, pending)) is not None:
            flow = self.proceed(flow, target, scope, pending)
        return flow

    def next_target(self, flow: Flow, pending: set[Block]) -> Block | None:
        ready = [target for target in flow.edges if target in pending]
        return min(ready, key=self.graph.number.__getitem__) if ready else None

    def proceed(self, flow: Flow, target: Block, scope: Scope, pending: set[Block]) -> Flow:
        """Emit `target`, under a test unless control goes nowhere else."""
        if len(flow.edges) == 1:
            return self.enter(target, flow.edges[target], scope, pending)
        test = goes_to(flow, target, scope)
        rest = without(flow, target, scope)
        with aliases(self.context, flow, target):
            taken = self.side(target, flow.edges[target])
        return merge(test, taken, (Scope(self.context), rest), scope)

    def side(self, block: Block, payload: Payload) -> tuple[Scope, Flow]:
        """A branch of a conditional, which begins with `block`."""
        scope, pending = Scope(self.context), set[Block]()
        flow = self.drain(self.enter(block, payload, scope, pending), scope, pending)
        scope.open = False
        return scope, flow

    def enter(self, block: Block, payload: Payload, scope: Scope, pending: set[Block]) -> Flow:
        if block in self.graph.loops:
            return self.loop(block, payload, scope, pending)
        self.context.env.update(payload)
        return self.visit(block, scope, pending)

    def visit(self, block: Block, scope: Scope, pending: set[Block]) -> Flow:
        """Emit the block's own code and say where it goes."""
        graph, resolve = self.graph, self.context.resolve
        self.move(block.instrs, scope)
        pending.update(graph.inside.get(block, ()))
        end = block.terminator
        if isinstance(end, Return):
            if graph.results is None:
                graph.results = [Value(v.type, None, v.hint) for v in end.operands]
                if end.operands and end.operands[-1] in self.context.words:
                    self.context.words.add(graph.results[-1])
            values = [resolve(v) for v in end.operands]
            return Flow({graph.leave: dict(zip(graph.results, values, strict=True))})
        if not isinstance(end, Branch) or end.if_true is end.if_false:
            target = end.targets[0]
            payload = self.payload(block, target)
            return Flow({target: payload}, None, self.escaping(block, target))
        cond = resolve(end.cond)
        yes, no = end.if_true, end.if_false
        if graph.inlined(block, yes) and graph.inlined(block, no):
            then, other = [self.side(side, self.payload(block, side)) for side in (yes, no)]
            return merge(cond, then, other, scope)
        edges = {no: self.payload(block, no), yes: self.payload(block, yes)}
        return Flow(edges, cond, self.escaping(block, no) | self.escaping(block, yes))

    def move(self, instrs: Iterable[Instr], scope: Scope) -> None:
        """Append a block's instructions, their operands brought up to date."""
        env, home, code = self.context.env, self.context.home, scope.instrs
        alias, replaced = self.context.alias, env.keys()
        for instr in instrs:
            if not replaced.isdisjoint(instr.operands):
                instr.operands = tuple([env.get(v, v) for v in instr.operands])
            if alias:
                instr.operands = tuple([alias.get(v, v) for v in instr.operands])
            for value in instr.results:
                home[value] = scope
            if instr.regions:
                instr.regions = tuple([self.nested(region) for region in instr.regions])
                scope.effect |= any(op.effect for op in (instr.op, *ops_in(instr.regions)))
            elif instr.op.effect:
                scope.effect = True
            code.append(instr)

    def nested(self, region: Region | Function) -> Region:
        if self.context.env or self.context.alias:
            resolve = self.context.resolve
            substitute_region(region, {value: resolve(value) for value in free_values(region)})
        if isinstance(region, Function):
            return _Outliner(self.context).function(region)
        return region

    def payload(self, block: Block, target: Block) -> Payload:
        """What `target` receives on the edge from `block`."""
        resolve = self.context.resolve
        return {phi.value: resolve(phi.args[block]) for phi in target.phis}

    def escaping(self, block: Block, target: Block) -> Payload:
        """The values, known on the edge, that are used after the loops which it leaves."""
        env, home = self.context.env, self.context.home
        payload = {}
        for value in self.graph.escaping(block, target):
            source = self.context.resolve(value)
            if (value in env or value in home) and self.context.visible(source):
                payload[value] = source
        return payload

    def loop(self, header: Block, payload: Payload, scope: Scope, pending: set[Block]) -> Flow:
        """Emit the loop with this header; the flow after it leads to its exits."""
        pending.update(self.graph.after.get(header, ()))
        params = [phi.value for phi in header.phis]
        inits = [payload.pop(param) for param in params]
        self.context.env.update(payload)
        flow = emit_loop(self.loop_code(header, params, inits), scope)
        own = self.graph.live_out.get(header, {})
        self.context.env.update({v: flow.common[v] for v in own if v in flow.common})
        still_inside = self.graph.live_outs(self.graph.loops[header].parent)
        flow.common = {v: source for v, source in flow.common.items() if v in still_inside}
        return flow

    def loop_code(self, header: Block, params: list[Value], inits: list[Value]) -> LoopCode:
        """Emit the body; its first decisions between leaving and going on split off its head."""
        first = last = Scope(self.context)
        self.context.home.update(dict.fromkeys(params, first))
        pending: set[Block] = set()
        flow = self.visit(header, first, pending)
        head = None
        while (target := self.next_target(flow, pending)) is not None:
            inside = [t for t in flow.edges if t in pending or t is header]
            if head is None and len(inside) == 1 < len(flow.edges) and not first.effect:
                head = Head(goes_to(flow, target, first), without(flow, target, first))
                last = Scope(self.context)
                flow = self.enter(target, flow.edges[target], last, pending)
            elif (
                head
                and len(inside) == 1 < len(flow.edges)
                and head.joins(first, last, flow, target)
            ):
                last = Scope(self.context)
                flow = self.enter(target, flow.edges[target], last, pending)
            else:
                flow = self.proceed(flow, target, last, pending)
        return LoopCode(header, params, inits, first, head, last, flow)


@dataclass(eq=False, slots=True)
class _Graph:
    """Where blocks are emitted.

    inside[b]: the blocks of the same loop whose immediate dominator is b.  after[h]: those outside
    the loop with header h whose immediate dominator is in that loop.  live_out[h]: the values
    defined in that loop and used outside it; live_in[b]: those of them that b or code after it
    uses, with the loops that define them.  leave, results: the pseudo target of all returns.
    """

    number: dict[Block, int]
    loops: dict[Block, Loop]
    innermost: dict[Block, Loop]
    inside: dict[Block, list[Block]] = field(default_factory=dict)
    after: dict[Block, list[Block]] = field(default_factory=dict)
    live_out: dict[Block, dict[Value, None]] = field(default_factory=dict)
    live_in: dict[Block, dict[Value, Loop]] = field(default_factory=dict)
    leave: Block = field(default_factory=lambda: Block("leave"))
    results: list[Value] | None = None

    def inlined(self, block: Block, target: Block) -> bool:
        """Whether `target` is entered from `block` only, in the same loop."""
        loop = self.loops.get(target)
        latches = 0 if loop is None else len(loop.latches)
        return len(target.preds) - latches == 1 and target in self.inside.get(block, ())

    def live_outs(self, loop: Loop | None) -> dict[Value, None]:
        """The values that leave this loop or those around it."""
        values: dict[Value, None] = {}
        while loop is not None:
            values.update(self.live_out.get(loop.header, {}))
            loop = loop.parent
        return values

    def escaping(self, block: Block, target: Block) -> list[Value]:
        """The values that the edge carries out of the loops that define them."""
        found = []
        for value, loop in self.live_in.get(target, {}).items():
            around: Loop | None = loop
            while around is not None and block not in around.blocks:
                around = around.parent
            if around is not None and target not in around.blocks:
                found.append(value)
        return found


def _analyse(function: Function) -> _Graph:
    order = function.blocks  # a reverse postorder
    idom = immediate_dominators(order)
    loops = natural_loops(order, idom)
    innermost = {block: loop for loop in loops.values() for block in loop.blocks}
    graph = _Graph({block: i for i, block in enumerate(order)}, loops, innermost)
    graph.number[graph.leave] = len(order)
    for block in order[1:]:
        above = idom[block]
        loop, left = innermost.get(above), None
        while loop is not None and block not in loop.blocks:
            loop, left = loop.parent, loop
        if left is None:
            graph.inside.setdefault(above, []).append(block)
        else:
            graph.after.setdefault(left.header, []).append(block)
    if loops:
        _find_live_out(order, graph)
    return graph


def _find_live_out(order: list[Block], graph: _Graph) -> None:
    home: dict[Value, Loop] = {}
    for block in order:
        if (loop := graph.innermost.get(block)) is not None:
            for phi in block.phis:
                home[phi.value] = loop
            for instr in block.instrs:
                for value in instr.results:
                    home[value] = loop

    def use(value: Value, block: Block) -> None:
        inner = loop = home.get(value)
        if loop is None or block in loop.blocks:
            return
        while loop is not None and block not in loop.blocks:
            graph.live_out.setdefault(loop.header, {})[value] = None
            loop = loop.parent
        _mark_live_in(value, inner, block, graph)

    for block in order:
        for phi in block.phis:
            for pred, value in phi.args.items():
                use(value, pred)
        for instr in block.instrs:
            for value in uses(instr):
                if value in home:
                    use(value, block)
        for value in block.terminator.operands:
            use(value, block)


def _mark_live_in(value: Value, loop: Loop, block: Block, graph: _Graph) -> None:
    """The value is live into `block` and what comes before it, back to the loop that defines it."""
    work = [block]
    while work:
        block = work.pop()
        live = graph.live_in.setdefault(block, {})
        if block not in loop.blocks and value not in live:
            live[value] = loop
            work.extend(block.preds)
