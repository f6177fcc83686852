"""Barriers: what several kernels need is computed once, not in each of them.

    %x = add(%a, %b); %y = dot(%x, %w); %z = add(%x, %y)   ->   %x = optimization_barrier(%x)

XLA:CPU fuses cheap code into every kernel that uses its result, once for each index that it is
needed at: what is rolled to both sides three times, and a roll of that nine times.  In a network
whose layers add to what came before, a kernel reads the results of all layers before it.  So where
computing a value again takes longer than writing it to memory and reading it, a barrier ends the
kernel there.  The pass of XLA that takes barriers away before it fuses is switched off
(`runtime/jaxlink.py`).
"""

from __future__ import annotations

from collections.abc import Iterable

from pyxla.ir.build import Builder
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.op import Op
from pyxla.ir.rewrite import substitute_region, users_of, walk
from pyxla.lower.cost import SLOW
from pyxla.ops import shape
from pyxla.ops.contract import dot_general
from pyxla.ops.control import optimization_barrier
from pyxla.ops.convolution import convolution
from pyxla.ops.elementwise import ELEMENTWISE, divide, remainder, rsqrt, sqrt
from pyxla.ops.index import dynamic_slice, dynamic_update_slice, gather
from pyxla.ops.reduce import reduce, reduce_window

LARGE = 4096  # elements of an array that is worth a kernel
TRANSPOSED = 256  # elements of an array that is written, and read, as a whole
_READS = frozenset((gather, dynamic_slice))
FUSIBLE = ELEMENTWISE | _READS | {op for op in vars(shape).values() if isinstance(op, Op)}
# Ends of kernels, that compute operands.
_ENDS = frozenset((reduce, reduce_window, dynamic_update_slice))
_EACH = ELEMENTWISE - {shape.broadcast_in_dim}
_DIVISIONS = frozenset((divide, remainder, rsqrt, sqrt))
_VIEWS = frozenset((shape.reshape, shape.transpose))
_LIBRARY = frozenset((dot_general, convolution))

# Work for one element, in units of an addition of numbers in registers.
LOADED = 1  # read from memory
STORED = 24  # written to memory, by a kernel of its own
DIVIDED = 4
CALLED = 16  # a function: `exp`
LIMIT = 32  # times that an element is computed: more are not counted

Users = dict[Value, list[Instr]]


def keep_shared(region: Region) -> Region:
    """Put barriers into a region and the loops in it, in place."""
    for instr in region.instrs:
        if instr.op.name in ("while", "if"):
            for inner in instr.regions:
                keep_shared(inner)
    if not any(map(_is_large, region.instrs)):
        return region
    kept: dict[Value, Instr] = {}
    for instr in _shared(region):
        (value,), made = instr.results, list[Instr]()
        Builder(made, instr.loc).emit(optimization_barrier, (value,), {})
        kept[value] = made[0]
    if kept:
        mapping = {value: barrier.results[0] for value, barrier in kept.items()}
        substitute_region(region, mapping)
        region.instrs[:] = [new for i in region.instrs for new in _followed(i, kept)]
    return region


def _is_large(instr: Instr) -> bool:
    """Whether it may end up before a barrier."""
    return instr.op in _EACH and instr.results[0].type.size >= LARGE


def _shared(region: Region) -> list[Instr]:
    """What makes the values that are to be computed once, from the last to the first.

    Where a value is computed is known when it is known of all that use it.
    """
    users = users_of(region)
    work = _works(region, users)
    places = Places(users, frozenset(region.results))
    found = []
    for instr in reversed(region.instrs):
        if instr.op not in FUSIBLE:
            continue
        (value,) = instr.results
        times, kernels = places.find(value)
        if times > 1 and _is_large(instr):
            computed, loaded = work[value]
            again = (times - 1) * computed + (kernels - 1) * loaded
            if again > times * LOADED + (0 if places.is_stored(value) else STORED):
                found.append(instr)
                places.keep(value)
    return found


def _works(region: Region, users: Users) -> dict[Value, tuple[int, int]]:
    """The work for an element of each value, and what of memory is read for it.

    What others need as well, and takes long, is in memory.
    """
    work: dict[Value, tuple[int, int]] = {}
    shared = {value for value, among in users.items() if len(among) > 1}.union(region.results)
    for instr in region.instrs:
        if instr.op not in FUSIBLE:
            continue
        computed, loaded = _own(instr), LOADED * (instr.op in _READS)
        for x in dict.fromkeys(instr.operands):
            if x.type.size >= LARGE:
                part = work.get(x, (0, LOADED))
                if x in shared and 2 * sum(part) > STORED:
                    part = (0, LOADED)
                computed, loaded = computed + part[0], loaded + part[1]
        work[instr.results[0]] = (computed, loaded)
    return work


def _own(instr: Instr) -> int:
    if instr.op not in _EACH:
        return 0
    if instr.op in _DIVISIONS:
        return DIVIDED
    return CALLED if instr.op.name in SLOW else 1


# A kernel; where in its code; the index there.
Place = tuple[int, int, tuple[int, ...]]


class Places:
    """Where each value of a region is computed -> the share of it that is.

    A kernel computes what it needs once for each index that it needs it at: elements of a value
    that is rolled to both sides are computed three times.
    """

    def __init__(self, users: Users, results: frozenset[Value]) -> None:
        self.users, self.results = users, results
        self._found: dict[Value, dict[Place, float]] = {}
        self._numbers: dict[object, int] = {}

    def find(self, value: Value) -> tuple[float, int]:
        """How often an element of a value is computed, and in how many kernels."""
        found: dict[Place, float] = {}
        for user in self.users.get(value, ()):
            for place, share in self._through(user, value):
                found[place] = max(share, found.get(place, 0.0))
            if len(found) > LIMIT:
                break
        if value in self.results:
            found[self._kernel(value)] = 1.0
        self._found[value] = found
        return sum(found.values()), len({kernel for kernel, _, _ in found})

    def keep(self, value: Value) -> None:
        self._found[value] = {self._kernel(value): 1.0}

    def is_stored(self, value: Value) -> bool:
        """Whether it is in memory anyway."""
        among = self.users.get(value, ())
        return value in self.results or any(_is_library(user, self.users) for user in among)

    def _through(self, user: Instr, value: Value) -> Iterable[tuple[Place, float]]:
        if user.op not in FUSIBLE:  # all others of these read it from memory
            return [(self._kernel(value, *user.results[:1] if user.op in _ENDS else ()), 1.0)]
        (result,) = user.results
        places = self._found[result].items()
        if user.op in _EACH:
            return places
        is_index = user.op in _READS and value is not user.operands[0]
        part = 1.0 if is_index else min(1.0, result.type.size / max(1, value.type.size))
        return [(self._inside(place, user, value), share * part) for place, share in places]

    def _kernel(self, value: Value, made: Value | None = None) -> Place:
        """Where the kernel that makes a value, or another one of it, has it."""
        number = self._numbers.setdefault(made or value, len(self._numbers))
        return number, number, (0,) * len(value.type.shape)

    def _inside(self, place: Place, user: Instr, value: Value) -> Place:
        """Where an operand of an instruction that is computed here is computed."""
        kernel, at, index = place
        if user.op is shape.slice and set(user.attrs.get("strides") or ()) <= {1}:
            starts = user.attrs["start_indices"]
            return kernel, at, tuple([i + k for i, k in zip(index, starts, strict=True)])
        inner = self._numbers.setdefault((place, user, value), len(self._numbers))
        return kernel, inner, (0,) * len(value.type.shape)


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

    It compiles a loop that touches little to one function, and there it knows no barriers: a loop
    that has some, as calls of kernels do, is to have one of an array that XLA computes as a whole.
    """
    if not any(instr.op is optimization_barrier for instr in walk(region.instrs)):
        return False  # JAX's derivatives of it, compiled with the same options, may have some
    loops = [instr for instr in walk(region.instrs) if instr.op.name == "while"]
    return all(map(_holds_barriers, loops))


def _holds_barriers(loop: Instr) -> bool:
    inside = [instr for r in loop.regions for instr in walk(r.instrs)]
    barriers = [instr for instr in inside if instr.op is optimization_barrier]
    computed = [all(map(_is_computed, barrier.operands)) for barrier in barriers]
    return all(computed) and (any(computed) or not any("kernel" in i.attrs for i in inside))


def _is_computed(value: Value) -> bool:
    owner = value.owner
    if isinstance(owner, Instr) and owner.op is shape.transpose:  # `lower.cpu.orient`
        return value.type.size >= TRANSPOSED
    return value.type.size >= LARGE and isinstance(owner, Instr) and owner.op in ELEMENTWISE
