"""The faults that are planted, one at a time: `python -m tests.fuzz.faults`.

Each is a change of one place of the compiler's source. `bound` is within how many programs the
search must find it; `docs/fuzzing.md` shows after how many it did.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """kind: what the programs are, `programs` or `gradients`; effort: XLA's."""

    name: str
    module: str
    old: str
    new: str
    bound: int = 500
    kind: str = "programs"
    effort: str = "eager"

    @property
    def change(self) -> tuple[str, str, str]:
        return self.module, self.old, self.new


FAULTS = [
    # Joins, aliases, the heap.
    Fault(
        "a phi with 0 for the int of one path",
        "pyxla.infer.joins.merge",
        "materialize(value, type, edge.block, self.loc)",
        "materialize(Const(0) if edge is self.edges[-1] and isinstance("
        "getattr(value, 'value', None), int) else value, type, edge.block, self.loc)",
    ),
    Fault(
        "an array is held to be what another path made of it",
        "pyxla.infer.joins.settling",
        "picks.append(Const(found[0] if found else len(cells)))",
        "picks.append(Const(0))",
        2000,
    ),
    Fault(
        "what the program replaced in an argument is nobody's any more",
        "pyxla.specialize.arguments",
        "self.captures.pinned.extend(map(Ref, [*self.initial, *self.parts]))",
        "self.captures.pinned.extend(args)",
        3000,
    ),
    Fault(
        "lists in a list and in its copy may be written",
        "pyxla.infer.lists.reading",
        "            _keep(engine, made, *content.columns)",
        "            pass",
        3000,
    ),
    Fault(
        "an argument in a pool does not take what was written",
        "pyxla.specialize.results",
        "                if not self.same_rows(after.cls):",
        "                if False:",
        1000,
    ),
    Fault(
        "a list has no room for what an iteration takes off again",
        "pyxla.infer.lists.growth",
        "    return max([0, *[gap - step for gap in known]]) if len(known) == len(gaps) else None",
        "    return 0",
        1000,
    ),
    Fault(
        "a list of two is as long as it was",
        "pyxla.views.shadows",
        "    if new.extents is None or new.extents == old.extents:\n        return old.extents",
        "    if True:\n        return old.extents",
        1000,
    ),
    Fault(
        "two names of one array are not told",
        "pyxla.infer.joins.settling",
        "                join.entangle({new, found[old]})",
        "                pass",
        1000,
    ),
    Fault(
        "a write goes to another of several arrays",
        "pyxla.views.shadows",
        'hit = compare(selector.value, number(i), direction="EQ")',
        'hit = compare(selector.value, number(i), direction="NE")',
    ),
    Fault(
        "the number of an inner choice is not shifted",
        "pyxla.views.shadows",
        "picks.append(start if inner is None else add(inner.value, start))",
        "picks.append(start if inner is None else inner.value)",
        1000,
    ),
    Fault(
        "what a choice leads to is swept",
        "pyxla.abstract.heap",
        "        return self.refs\n",
        "        return ()\n",
    ),
    Fault(
        "numbers of several kinds are of the first one",
        "pyxla.infer.joins.kinds",
        "places = [choices.index(kind) for kind in kinds_of(x)]",
        "places = [0 for kind in kinds_of(x)]",
        2000,
    ),
    # Views and extents.
    Fault(
        "a view of a view begins elsewhere",
        "pyxla.views.views",
        "start = plus(first.start, times(r.start, first.step))",
        "start = plus(first.start, r.start)",
    ),
    Fault(
        "an extent is off by one",
        "pyxla.lib.masks",
        'inside = compare(position, limit, direction="LT")',
        'inside = compare(position, limit, direction="LE")',
    ),
    Fault(
        "a mask is dropped",
        "pyxla.lib.masks",
        "return mask.value if inside is None else and_(mask.value, inside)",
        "return mask.value",
        1000,
    ),
    Fault(
        "what lies past an extent is filled with 0 for all reductions",
        "pyxla.lib.bounded.reductions",
        "result = _run(function, given, filled(x, axes, neutral(x.dtype)), axes, x)",
        "result = _run(function, given, filled(x, axes, 0), axes, x)",
        1000,
    ),
    Fault(
        "the start of a slice is not clipped",
        "pyxla.lib.keys",
        "        first = larger(first, 0)\n",
        "        pass\n",
        3000,
    ),
    Fault(
        "the stop of a slice that runs backwards is not clipped",
        "pyxla.lib.keys",
        "        last = larger(last, -1)\n",
        "        pass\n",
        1000,
    ),
    Fault(
        "a slice is written past its extent",
        "pyxla.views.blocks",
        'yield compare(position, all_of(last), direction="LT")',
        'yield compare(position, all_of(last), direction="LE")',
    ),
    Fault(
        "indices that were subtracted are taken for counts",
        "pyxla.lib.indexing",
        "_COUNTING = frozenset({add, multiply,",
        "_COUNTING = frozenset({add, subtract, multiply,",
        3000,
    ),
    # Control flow.
    Fault(
        "branches are swapped",
        "pyxla.lower.outline",
        "for side in (yes, no)]",
        "for side in (no, yes)]",
        100,
    ),
    Fault(
        "of three exits the wrong one is ruled out",
        "pyxla.lower.flow",
        "return Flow(edges, goes_to(flow, list(edges)[1], scope), flow.common)",
        "return Flow(edges, goes_to(flow, list(edges)[0], scope), flow.common)",
    ),
    Fault(
        "an exit is not negated",
        "pyxla.lower.flow",
        "return self.emit(and_, self.emit(not_, pred), y)",
        "return self.emit(and_, pred, y)",
        3000,
    ),
    Fault(
        "a loop ignores that its body was left",
        "pyxla.lower.loops",
        "goes_on = test if goes_on is None else cond.emit(and_, goes_on, test)",
        "goes_on = test",
    ),
    Fault(
        "an unrolled loop is one iteration short",
        "pyxla.lower.unroll",
        "for _ in range(steps):",
        "for _ in range(steps - 1):",
        2000,
    ),
    Fault(
        "an element is promoted although others are read",
        "pyxla.lower.promote",
        "return instr.operands[0] is param and list(instr.operands[1:]) == starts",
        "return instr.operands[0] is param",
        1000,
    ),
    # Simplification.
    Fault(
        "instructions that differ in attributes are one",
        "pyxla.lower.simplify",
        "key = (instr.op, operands, *instr.attrs.items())",
        "key = (instr.op, operands, *[result.type for result in instr.results])",
    ),
    Fault(
        "x + 0.0 is x, for -0.0 too",
        "pyxla.lower.rules",
        "    if x.type.dtype not in INTS:\n        return None\n    for value, other in ((x, y),"
        " (y, x)):\n        if is_filled(other, 0):",
        "    for value, other in ((x, y), (y, x)):\n        if is_filled(other, 0):",
        3000,
    ),
    Fault(
        "not (x < y) is x >= y, for NaN too",
        "pyxla.lower.rules",
        'if direction not in ("EQ", "NE") and made.operands[0].type.dtype in FLOATS:',
        "if False:",
        3000,
    ),
    Fault(
        "x == x is true, for NaN too",
        "pyxla.lower.rules",
        "if x is not y or x.type.dtype in FLOATS | COMPLEXES:",
        "if x is not y:",
        3000,
    ),
    # Numbers.
    Fault(
        "floor division of negative ints truncates",
        "pyxla.lib.kernels",
        "return select(below, op.subtract(quotient, like(x, 1)), quotient)",
        "return quotient",
        200,
    ),
    Fault(
        "the remainder of floats has the sign of the dividend",
        "pyxla.lib.kernels",
        "    moved = select(below, op.add(rest, y), rest)\n    none = eq(rest",
        "    moved = rest\n    none = eq(rest",
    ),
    Fault(
        "a Python number is not weak",
        "pyxla.abstract.promote",
        "return _WEAK[x.value.type.dtype]",
        "return x.value.type.dtype",
    ),
    # Calls.
    Fault(
        "a cached specialization outlives what it was made from",
        "pyxla.api",
        "if entry is None or not entry.valid():",
        "if entry is None:",
    ),
    Fault(
        "how arguments lie in memory is not in the key",
        "pyxla.api",
        "                if entry.memory:\n                    entry = self._for_memory(",
        "                if False:\n                    entry = self._for_memory(",
        1000,
    ),
    Fault(
        "the write to an argument is lost",
        "pyxla.specialize.results",
        "            if isinstance(after, Conflict):\n",
        "            if world.leaves.get(cell) == 2:\n                continue\n"
        "            if isinstance(after, Conflict):\n",
    ),
    Fault(
        "the status of the first exception is dropped",
        "pyxla.runtime.executable",
        "        code = 0 if outcome.status is None else",
        "        code = 0 if outcome.status is None or len(self._sites) > 1 else",
    ),
    # Run-time checks.
    Fault(
        "an index of the size is in range",
        "pyxla.lib.keys",
        "extent.at_most(plus(i, 1), size)",
        "extent.at_most(i, size)",
        1000,
    ),
    # What raises by itself and runs again.
    Fault(
        "the last site whose flag is set is forgotten",
        "pyxla.runtime.outcome",
        "if word >> site.flag & 1])",
        "if word >> site.flag & 1])[:-1]",
    ),
    Fault(
        "the second run has none of its checks in place",
        "pyxla.infer.raising.faults",
        "return self.noted is None or site in self.replayed",
        "return self.noted is None",
    ),
    Fault(
        "a floor division by zero is no fault",
        "pyxla.infer.raising.checks",
        '_divides(operator.floordiv, "floordiv")\n',
        "",
    ),
    Fault(
        "a handler takes its class alone",
        "pyxla.infer.raising.exceptions",
        "return classes is None or issubclass(x.meta, classes)",
        "return classes is None or x.meta in classes",
    ),
    # Ints that leave 64 bits, names that are unbound.
    Fault(
        "a product of ints is not tested",
        "pyxla.infer.raising.checks",
        'if not all_ints(operands) or not _unproven("mul", operands):',
        "if operands:",
        3000,
    ),
    Fault(
        "a shift by less than nothing is none",
        "pyxla.infer.raising.checks",
        "return not_negative(int_of(operands[1]))",
        "return None",
        1000,
    ),
    Fault(
        "ints that wrap are right modulo any int",
        "pyxla.infer.words",
        "return type(x) is Const and 0 < x.value <= 2**64 and x.value & (x.value - 1) == 0",
        "return type(x) is Const and 0 < x.value <= 2**64",
        1000,
    ),
    Fault(
        "a name has something where it is unbound",
        "pyxla.infer.using",
        "        engine.ensure(value.tag, value.items[0].error)\n",
        "",
        2000,
    ),
    # Derivatives.
    Fault(
        "the derivative of a product is transposed",
        "pyxla.ops.contract",
        "                places[1 - k],\n",
        "                places[k],\n",
        500,
        "gradients",
    ),
    Fault(
        "a selection hands its cotangent to both sides",
        "pyxla.ops.elementwise",
        "select(pred, zero, ct) if wanted[2] else None\n\n\ndef _clamped",
        "ct if wanted[2] else None\n\n\ndef _clamped",
        100,
        "gradients",
    ),
    Fault(
        "the residuals of another iteration are read",
        "pyxla.grad.stacks",
        "loaded = [load(b, at) for b in buffers]",
        "loaded = [load(b, place(t)) for b in buffers]",
        100,
        "gradients",
    ),
    Fault(
        "a loop without iterations is reversed once",
        "pyxla.grad.stacks",
        'return compare(t, number(0), direction="GT")',
        'return compare(t, number(0), direction="GE")',
        100,
        "gradients",
    ),
    Fault(
        "the last block between snapshots is a full one",
        "pyxla.grad.checkpoints",
        "        rest = op.minimum(length, op.subtract(self.count, first))\n",
        "        rest = length\n",
        500,
        "gradients",
    ),
    Fault(
        "a counter is restored without its start",
        "pyxla.grad.loops",
        "mapping[param] = add(start, far)",
        "mapping[param] = far",
        1000,
        "gradients",
    ),
    Fault(
        "what was overwritten keeps its cotangent",
        "pyxla.ops.index",
        "rest = dynamic_update_slice(ct, zeros(update.type), *starts) if wanted[0] else None",
        "rest = ct if wanted[0] else None",
        100,
        "gradients",
    ),
    Fault(
        "the cotangents of sorted elements are not put back",
        "pyxla.ops.sort",
        "            _take(c, inverse, axis) if w and c is not None else None",
        "            _take(c, positions, axis) if w and c is not None else None",
        500,
        "gradients",
    ),
    Fault(
        "forward mode loses one of two products",
        "pyxla.ops.contract",
        "return right if tx is None else add(instr.op(tx, y, **instr.attrs), right)",
        "return right",
        200,
        "gradients",
    ),
    Fault(
        "lanes that left a loop go on",
        "pyxla.grad.batch",
        "return lanes if self.mask is None else and_(self.mask, lanes)",
        "return lanes",
        1000,
        "gradients",
    ),
    Fault(
        "lanes are along another axis",
        "pyxla.ops.filled",
        "    axes = (0, *[axis + 1 for axis in axes])\n",
        "    axes = (0, *[axis + 1 for axis in reversed(axes)])\n",
        2000,
        "gradients",
    ),
]
NAMED = {fault.name: fault for fault in FAULTS}
