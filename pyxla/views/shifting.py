"""Blocks that are to be shifted back to where what they are computed from was shifted from.

    x[k:] -= y[k:] * c         # read: both blocks begin at 0 and are shifted by -k; written: by k

A block of bounded extent is read where it fits and shifted, and shifted back to be written.
Shifting commutes with what works element by element: `unshifted` computes the block anew from
blocks as they were read, so that nothing moves, or only what is read elsewhere.  Elements beyond an
end are anything all the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyxla.abstract.facts.integers import Int
from pyxla.abstract.lattice import Scalar
from pyxla.ir.core import Instr, Value
from pyxla.ops.filled import is_anything
from pyxla.ops.index import dynamic_slice
from pyxla.ops.shape import broadcast_in_dim, constant, pad, reshape, transpose

# Cheap enough to be computed again where the block is used elsewhere too.
_BY_ELEMENT = frozenset(
    """add subtract multiply divide remainder negate abs sign square sqrt floor ceil minimum maximum
    clamp select compare convert and or not xor real imag conj complex""".split()  # noqa: SIM905
)
_INTEGERS = frozenset({"add", "subtract", "multiply", "negate", "minimum", "maximum", "convert"})
_HORIZON = 48  # instructions that are computed again
_DEPTH = 12  # of the code for an index

Move = Callable[[Value, list[Int]], Value]
# An integer: a number, and how often it counts what.
Form = tuple[int, frozenset[tuple[Any, int]]]
Axes = tuple[int | None, ...]
ZERO: Form = (0, frozenset())


def unshifted(block: Value, shifts: Sequence[Int], move: Move) -> Value | None:
    """`block` with its elements `shifts` positions further on, if less need move for that.

    move: shifts a value.
    """
    forms = [form_of(shift) for shift in shifts]
    axes = tuple([d if form != ZERO else None for d, form in enumerate(forms)])
    search = _Search(shifts, forms, move)
    if not search.leads_back(block, axes):
        return None
    search.count(block, axes)
    return search.made(block, axes) if search.moved <= search.saved else None


class _Search:
    """Looks for the blocks that were shifted by the opposite, and computes with what they were.

    Of each value, `axes[d]` is the dimension of the block that its dimension `d` is; None: one
    along which nothing moves, or all elements are equal.  `saved` and `moved` count elements: of
    blocks found, and of other values that are shifted.
    """

    def __init__(self, shifts: Sequence[Int], forms: Sequence[Form], move: Move) -> None:
        self.shifts = shifts
        self.forms = forms
        self.move = move
        self.saved = 0
        self.moved = 0
        self.back: dict[tuple[Value, Axes], bool] = {}
        self.even: dict[tuple[Value, Axes], bool] = {}
        self.counted: set[tuple[Value, Axes]] = set()
        self.done: dict[tuple[Value, Axes], Value] = {}

    def leads_back(self, value: Value, axes: Axes) -> bool:
        """Whether `value` is computed from a block that was shifted by the opposite."""
        if all(axis is None for axis in axes):
            return False
        key = value, axes
        if key not in self.back:
            if len(self.back) > _HORIZON:
                return False
            self.back[key] = False
            parts = self._parts(value, axes) or ()
            found = [self.leads_back(x, own) for x, own in parts]
            self.back[key] = any(found) or self._source(value, axes) is not None
        return self.back[key]

    def is_even(self, value: Value, axes: Axes) -> bool:
        """Whether all elements are equal that are shifted into each other's places."""
        if all(axis is None for axis in axes):
            return True
        key = value, axes
        if key not in self.even:
            if len(self.even) > _HORIZON:
                return False
            self.even[key] = False
            parts = self._parts(value, axes)
            self.even[key] = parts is not None and all([self.is_even(x, own) for x, own in parts])
        return self.even[key]

    def count(self, value: Value, axes: Axes) -> None:
        """Count what is saved, and what is moved."""
        key = value, axes
        if key in self.counted or self.is_even(value, axes):
            return
        self.counted.add(key)
        if not self.leads_back(value, axes):
            self.moved += value.type.size
        elif self._source(value, axes) is not None:
            self.saved += value.type.size
        else:
            for x, own in self._parts(value, axes) or ():
                self.count(x, own)

    def made(self, value: Value, axes: Axes) -> Value:
        """`value`, shifted."""
        key = value, axes
        if key not in self.done:
            self.done[key] = self._make(value, axes)
        return self.done[key]

    def _make(self, value: Value, axes: Axes) -> Value:
        if self.is_even(value, axes):
            return value
        if not self.leads_back(value, axes):
            return self.move(value, [0 if d is None else self.shifts[d] for d in axes])
        source = self._source(value, axes)
        if source is not None:
            return source
        instr = value.owner
        operands = [self.made(x, own) for x, own in self._parts(value, axes) or ()]
        return instr.op(*operands, **instr.attrs)

    def _source(self, value: Value, axes: Axes) -> Value | None:
        """The block that `value` is, shifted by just as much the other way."""
        cut = value.owner
        if not isinstance(cut, Instr) or cut.op is not dynamic_slice:
            return None
        padded = cut.operands[0].owner
        if not isinstance(padded, Instr) or padded.op is not pad:
            return None
        source, fill = padded.operands
        # Only what was padded in order to be shifted has room for every shift.
        if source.type != value.type or not is_anything(fill):
            return None
        for d, (low, start) in enumerate(
            zip(padded.attrs["edge_padding_low"], cut.operands[1:], strict=True)
        ):
            axis = axes[d]
            wanted = ZERO if axis is None else self.forms[axis]
            if value.type.shape[d] > 1 and _sum(form_of(start), (low, frozenset()), -1) != wanted:
                return None
        return source

    def _parts(self, value: Value, axes: Axes) -> list[tuple[Value, Axes]] | None:
        """The operands of what commutes with shifting, with their axes."""
        instr = value.owner
        if not isinstance(instr, Instr) or instr.regions:
            return None
        op, operands = instr.op, instr.operands
        if op is broadcast_in_dim:
            (x,) = operands
            places = zip(x.type.shape, instr.attrs.get("broadcast_dimensions", ()), strict=True)
            return [(x, tuple([None if n == 1 else axes[d] for n, d in places]))]
        if op is reshape:
            return _reshaped(operands[0], value, axes)
        if op is transpose:
            order = instr.attrs["permutation"]
            return [(operands[0], tuple([axes[order.index(d)] for d in range(len(order))]))]
        if op.name not in _BY_ELEMENT:
            return None
        return [(x, axes if x.type.ndim else ()) for x in operands]


def _reshaped(x: Value, value: Value, axes: Axes) -> list[tuple[Value, Axes]] | None:
    """The operand of a reshape that only adds or drops dimensions of one element."""
    wide = [n for n in x.type.shape if n > 1]
    if wide != [n for n in value.type.shape if n > 1]:
        return None
    rest = iter([axis for axis, n in zip(axes, value.type.shape, strict=True) if n > 1])
    return [(x, tuple([next(rest) if n > 1 else None for n in x.type.shape]))]


def form_of(x: Int | Value, depth: int = _DEPTH) -> Form:
    """An int, in a form that is equal for code that computes the same in the same way."""
    if isinstance(x, int):
        return x, frozenset()
    value = x.value if isinstance(x, Scalar) else x
    instr = value.owner
    if not isinstance(instr, Instr) or not depth or value.type.ndim:
        return 0, frozenset([(value, 1)])
    if instr.op is constant:
        return int(instr.attrs["value"]), frozenset()
    if instr.op.name not in _INTEGERS or instr.operands[0].type.dtype != value.type.dtype:
        return 0, frozenset([(value, 1)])
    parts = [form_of(part, depth - 1) for part in instr.operands]
    return _combined(instr.op.name, parts, value)


def _combined(name: str, parts: list[Form], value: Value) -> Form:
    if name == "convert":
        return parts[0]
    if name in ("add", "subtract"):
        return _sum(parts[0], parts[1], 1 if name == "add" else -1)
    if name == "negate":
        return _sum(ZERO, parts[0], -1)
    if name == "multiply":
        for factor, other in (parts, parts[::-1]):
            if not factor[1]:
                return _sum(ZERO, other, factor[0])
        return 0, frozenset([(value, 1)])
    return 0, frozenset([((name, frozenset(parts)), 1)])


def _sum(x: Form, y: Form, factor: int) -> Form:
    """`x + factor * y`."""
    counts = dict(x[1])
    for key, count in y[1]:
        counts[key] = counts.get(key, 0) + factor * count
    kept = frozenset([(key, count) for key, count in counts.items() if count])
    return x[0] + factor * y[0], kept
