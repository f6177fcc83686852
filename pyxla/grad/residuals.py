"""Residuals: what a reverse region reads of the forward code it belongs to.

`plan` decides for each value that is read: computed anew from others by operations that cost no
more than reading memory does, if that does not need more bytes; else saved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, clone, free_values, slice_of, substitute_region
from pyxla.lower.cost import nbytes

DEPTH = 32  # instructions that are run again for one value
# As cheap as a load: they fuse with what reads their result.
_CHEAP = frozenset(
    "constant iota broadcast_in_dim reshape compare convert add subtract multiply negate select "
    "and or not xor maximum minimum abs sign floor ceil slice dynamic_slice real imag complex "
    "reverse clamp is_finite transpose pad stop_gradient slope_of guard".split()
)


def plan(
    reverse: Region,
    forward: Region,
    known: Collection[Value] = (),
    fleeting: Collection[Value] = (),
) -> list[Value]:
    """What `forward` must save for `reverse`, which gets code for what it computes anew.

    known: values of `forward` that `reverse` can tell.
    """
    saved, again = choose(reverse, forward, known, fleeting)
    _recompute(reverse, forward, again, set(saved))
    return saved


def choose(
    reverse: Region,
    forward: Region,
    known: Collection[Value] = (),
    fleeting: Collection[Value] = (),
) -> tuple[list[Value], list[Value]]:
    """What is saved for `reverse`, and what is computed anew."""
    defined = defined_in(forward)
    needed = [value for value in free_values(reverse) if value in defined]
    saved: dict[Value, None] = {}
    anew: list[Value] = []
    wanted = sorted([v for v in needed if v not in known], key=lambda v: v.type.size)
    sources = {v: _leaves(v, defined, known, fleeting) for v in wanted}
    alike = Counter[frozenset[Value]]()  # bytes of all that is computed of the same
    for value, leaves in sources.items():
        alike[frozenset(leaves or (value,))] += nbytes(value)
    for value, leaves in sources.items():
        new = [leaf for leaf in leaves if leaf not in saved] if leaves is not None else None
        if new is None or value in new or _bytes(new) > alike[frozenset(leaves or (value,))]:
            saved[value] = None
        else:
            saved.update(dict.fromkeys(new))
            anew.append(value)
    return list(saved), [value for value in anew if value not in saved]


def defined_in(region: Region) -> set[Value]:
    """The parameters, and what is computed outside nested regions."""
    return set(region.params).union(*[instr.results for instr in region.instrs])


def _leaves(
    value: Value,
    defined: Collection[Value],
    known: Collection[Value],
    fleeting: Collection[Value],
) -> dict[Value, None] | None:
    """The values from which cheap instructions compute `value`; None if they are too much."""
    leaves: dict[Value, None] = {}
    stack, seen = [value], {value}
    while stack:
        v = stack.pop()
        if v in fleeting and v.type.shape and nbytes(v) > nbytes(value):
            return None
        if v not in defined or v in known:
            continue
        owner = v.owner
        if not isinstance(owner, Instr) or owner.op.name not in _CHEAP:
            leaves[v] = None
            continue
        for operand in owner.operands:
            if operand not in seen:
                seen.add(operand)
                stack.append(operand)
        if len(seen) > DEPTH:
            return None
    return leaves


def _bytes(values: Iterable[Value]) -> int:
    return sum([nbytes(value) for value in values])


def _recompute(reverse: Region, forward: Region, wanted: list[Value], saved: set[Value]) -> None:
    """Put copies of what computes `wanted` from `saved` in front of the reverse code."""
    code = [instr for instr in forward.instrs if saved.isdisjoint(instr.results)]
    mapping: Mapping = {}
    copies = clone(slice_of(code, wanted), mapping)
    substitute_region(reverse, mapping)
    reverse.instrs[:0] = copies
