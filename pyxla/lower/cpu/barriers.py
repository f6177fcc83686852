"""Barriers: what several kernels need is computed once, not in each of them.

    %x = add(%a, %b); %y = dot(%x, %w); %z = add(%x, %y)   ->   %x = optimization_barrier(%x)

XLA:CPU fuses cheap code into every kernel that uses its result. In a network whose layers add to
what came before, a kernel then reads the results of all layers before it, and their number grows
from layer to layer. So where the code of a large value reads several arrays, and the value lies in
memory for a library call anyway, or would be read off many arrays, a barrier ends the kernel there.
The pass of XLA that takes barriers away before it fuses is switched off (`runtime/jaxlink.py`).
"""

from __future__ import annotations

from collections.abc import Iterable

from pyxla.ir.build import Builder
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.op import Op
from pyxla.ir.rewrite import substitute_region, users_of, walk
from pyxla.ops import shape
from pyxla.ops.check import FLOATS
from pyxla.ops.contract import dot_general
from pyxla.ops.control import optimization_barrier
from pyxla.ops.convolution import convolution
from pyxla.ops.elementwise import ELEMENTWISE

LARGE = 4096  # elements of an array that is worth a kernel
TRANSPOSED = 256  # elements of an array that is written, and read, as a whole
SHARED = 2  # arrays that the code of a value reads which is needed in memory anyway
MANY = 4  # arrays that the code of any value with several users may read
FUSIBLE = ELEMENTWISE | frozenset([op for op in vars(shape).values() if isinstance(op, Op)])
_VIEWS = frozenset((shape.reshape, shape.transpose))
_LIBRARY = frozenset((dot_general, convolution))

Users = dict[Value, list[Instr]]


def keep_shared(region: Region) -> Region:
    """Put barriers into a region and the loops in it, in place."""
    if not any(map(_is_large, region.instrs)):
        for instr in region.instrs:
            if instr.op.name in ("while", "if"):
                for inner in instr.regions:
                    keep_shared(inner)
        return region
    users = users_of(region)
    reads: dict[Value, frozenset[Value]] = {}
    kept: dict[Value, Instr] = {}
    for instr in region.instrs:
        for inner in instr.regions:
            if instr.op.name in ("while", "if"):
                keep_shared(inner)
        found = _reads(instr, reads)
        for value in instr.results:
            reads[value] = found if instr.op in FUSIBLE else _itself(value)
        if instr.op in ELEMENTWISE and _is_shared(instr.results[0], found, users):
            (value,) = instr.results
            reads[value] = _itself(value)
            made: list[Instr] = []
            Builder(made, instr.loc).emit(optimization_barrier, (value,), {})
            kept[value] = made[0]
    if kept:
        mapping = {value: barrier.results[0] for value, barrier in kept.items()}
        substitute_region(region, mapping)
        region.instrs[:] = [new for i in region.instrs for new in _followed(i, kept)]
    return region


def _is_large(instr: Instr) -> bool:
    """Whether it may end up before a barrier."""
    return instr.op in ELEMENTWISE and instr.results[0].type.size >= LARGE


def _reads(instr: Instr, reads: dict[Value, frozenset[Value]]) -> frozenset[Value]:
    """The large arrays that a kernel with this code reads."""
    parts = [reads[v] if v in reads else _itself(v) for v in instr.operands]
    return frozenset().union(*parts) if len(parts) != 1 else parts[0]


def _itself(value: Value) -> frozenset[Value]:
    return frozenset((value,)) if value.type.size >= LARGE else frozenset()


def _is_shared(value: Value, reads: frozenset[Value], users: Users) -> bool:
    if value.type.size < LARGE or value.type.dtype not in FLOATS or len(reads) < SHARED:
        return False
    among = users.get(value, ())
    if len(among) < 2:
        return False
    library = [user for user in among if _is_library(user, users)]
    return 0 < len(library) < len(among) or len(reads) >= MANY


def _is_library(user: Instr, users: Users) -> bool:
    """Whether an operand of this instruction goes to a library call as it is."""
    while user.op in _VIEWS:
        after = users.get(user.results[0], ())
        if len(after) != 1:
            return False
        user = after[0]
    return user.op in _LIBRARY


def _followed(instr: Instr, kept: dict[Value, Instr]) -> Iterable[Instr]:
    yield instr
    for value in instr.results:
        if value in kept:
            yield kept[value]


def may_hold(region: Region) -> bool:
    """Whether XLA is to leave the barriers of a region, if it has any, where they are.

    It compiles a loop that touches little to one function, and there it knows no barriers: within a
    loop they are to be on arrays that it computes as a whole, and no kernels are called.
    """
    if not any(instr.op is optimization_barrier for instr in walk(region.instrs)):
        return False  # JAX's derivatives of it, compiled with the same options, may have some
    loops = [instr for instr in walk(region.instrs) if instr.op.name == "while"]
    inside = [instr for loop in loops for r in loop.regions for instr in walk(r.instrs)]
    barriers = [instr for instr in inside if instr.op is optimization_barrier]
    if any("kernel" in instr.attrs for instr in inside):
        return False
    return all(_is_computed(value) for barrier in barriers for value in barrier.operands)


def _is_computed(value: Value) -> bool:
    owner = value.owner
    if isinstance(owner, Instr) and owner.op is shape.transpose:  # `lower.cpu.orient`
        return value.type.size >= TRANSPOSED
    return value.type.size >= LARGE and isinstance(owner, Instr) and owner.op in ELEMENTWISE
