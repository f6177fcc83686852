"""What instructions cost to run, roughly: in units of one scalar addition.

Used to decide what may run although its result might not be needed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Uses, captures

SMALL = 8  # elements: arrays up to this size count as scalars
INFINITE = 1 << 60
LIGHT = 1 << 18  # elements: a kernel that makes fewer takes some ten microseconds, up to a hundred
# Elements: code of XLA's older emitter for fewer is as fast.  Lists have room for 1,024 items by
# default, 16 times as many once they outgrew it, and for what they begin with.
TINY = 16 * (1024 + 128)
# Read or make a small part of a large array, or nothing at all.
_LOCAL = frozenset({"dynamic_slice", "slice", "gather", "reshape"})
_READS = frozenset({"dynamic_slice", "slice", "gather"})
_UPDATES = frozenset({"dynamic_update_slice"})
_MOVES = frozenset({"broadcast_in_dim", "pad"})  # as fast as memory is
_IDLE = frozenset({"constant", "optimization_barrier"}) | _LOCAL  # compute nothing
_FACTORS = {"c": 4}  # products in one of complex numbers
WORD = 8  # bytes of a pointer
# fmt: off
SLOW = frozenset({
    "divide", "remainder", "power", "atan2", "exponential", "exponential_minus_one", "log",
    "log_plus_one", "logistic", "sine", "cosine", "tan", "tanh", "sqrt", "rsqrt", "cbrt",
})
# fmt: on
_LIBRARY = frozenset({"cholesky", "custom_call", "fft", "foreign", "triangular_solve"})


def cost(instr: Instr) -> int:
    """INFINITE for effects, nested regions, library calls and work on large arrays."""
    op = instr.op
    if op.name == "constant":
        return 0
    if op.effect or instr.regions or op.name in _LIBRARY:
        return INFINITE
    for value in instr.results:
        if value.type.size > SMALL:
            return INFINITE
    if op.name in _LOCAL:
        return 1
    for value in instr.operands:
        if value.type.size > SMALL:
            return INFINITE
    return 4 if op.name in SLOW else 1


def total(instrs: Iterable[Instr], limit: int) -> int:
    """The sum, or some number above `limit` as soon as it is exceeded."""
    spent = 0
    for instr in instrs:
        spent += cost(instr)
        if spent > limit:
            break
    return spent


def is_light(region: Region, elements: int = LIGHT, moved: int = LIGHT) -> bool:
    """Whether no kernel computes with more than `elements`, a fourth of it of complex numbers, or
    a sixteenth where that takes long, nor moves more than `moved`; by default, whether none works
    much longer than another thread takes to wake up."""
    for instr in region.instrs:
        name = instr.op.name
        if not all(is_light(inner, elements, moved) for inner in instr.regions):
            return False
        if instr.regions or name in _IDLE:
            continue
        in_place = name == "dynamic_update_slice"
        values = instr.operands[1:] if in_place else (*instr.results, *instr.operands)
        limit = moved if name in _MOVES else elements // 16 if name in SLOW else elements
        if any(_FACTORS.get(x.type.dtype.kind, 1) * x.type.size > limit for x in values):
            return False
    return True


class Traffic:
    """The bytes that one iteration of a loop touches, as XLA counts them: inner loops once.

    A fusion touches what it reads and what it makes, whatever is between; a tuple is pointers.
    far: arrays that are read from where they begin in others (`lower.cpu.shift`), as numbers say.
    What instructions use is remembered, for code that stays as it is meanwhile.
    """

    def __init__(self, far: Collection[Value]) -> None:
        self.far = far
        self.uses = Uses()

    def exceeds(self, loop: Instr, limit: int) -> bool:
        """Whether it is more than `limit`: nothing is counted from there on."""
        if 2 * WORD * _slots(loop) > limit:
            return True
        spent = 0
        for part in self._loop(loop):
            spent += part
            if spent > limit:
                return True
        return False

    def _loop(self, loop: Instr) -> Iterator[int]:
        captured = captures(loop, self.uses)
        begins = sum([value in self.far for value in captured])
        slots = len(loop.operands) + len(captured) + begins
        yield 2 * WORD * (slots + begins)
        for region in loop.regions:
            yield from self._region(region)

    def _region(self, region: Region) -> Iterator[int]:
        shown = set(region.results)
        for instr in region.instrs:
            if instr.regions or instr.op.name == "kept":
                shown.update(self.uses(instr), instr.results)
        inside = {value for instr in region.instrs for value in instr.results}
        for instr in region.instrs:
            if instr.op.name == "while":
                yield from self._loop(instr)
            elif instr.regions:
                slots = len(instr.results) + len(captures(instr, self.uses))
                yield 2 * WORD * slots + max([sum(self._region(r)) for r in instr.regions])
            elif not shown.isdisjoint(instr.results) and instr.op.name != "constant":
                yield _fusion_traffic(instr, shown, inside)


def _slots(instr: Instr) -> int:
    """The pointers to results: some of the traffic, counted fast."""
    inner = [sum([_slots(i) for i in region.instrs if i.regions]) for region in instr.regions]
    return len(instr.results) + (sum(inner) if instr.op.name == "while" else max(inner))


def _fusion_traffic(root: Instr, shown: set[Value], inside: set[Value]) -> int:
    """What the fusion that ends in `root` touches."""
    total = sum(nbytes(value) for value in root.results) if root.op.name not in _UPDATES else 0
    leaves: set[Value] = set()
    done = {root}
    work = [root]
    while work:
        instr = work.pop()
        operands = instr.operands
        if instr.op.name in _UPDATES:
            total += nbytes(operands[1])
        if instr.op.name in _READS:
            total += nbytes(instr.results[0])
        if instr.op.name in _READS or instr.op.name in _UPDATES:
            operands = operands[1:]
        for value in operands:
            owner = value.owner
            if value not in inside or value in shown:
                if not (isinstance(owner, Instr) and owner.op.name == "constant"):
                    leaves.add(value)
            elif owner not in done and owner.op.name != "constant":
                done.add(owner)
                work.append(owner)
    return total + sum(map(nbytes, leaves))


def nbytes(value: Value) -> int:
    return value.type.size * value.type.dtype.itemsize
