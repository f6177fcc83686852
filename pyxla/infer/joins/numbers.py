"""Numbers where paths meet: what holds each of them, as a phi."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.refine import atoms, together
from pyxla.abstract.joined import all_equal, fitting, joined_number_type
from pyxla.abstract.lattice import UNDEFINED, Array, Const, Scalar, plain
from pyxla.errors import Location
from pyxla.infer.joins import choices, far, kinds, variants
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Block, Phi, Value
from pyxla.ir.types import ArrayType
from pyxla.lib.masks import resized
from pyxla.ops.elementwise import convert
from pyxla.ops.shape import constant

UP = ("entry", "horizon")  # of a loop variable: what is guessed of its bounds, that it grows


def materialize(x: Any, type: ArrayType, block: Block, loc: Location | None) -> Value:
    """The scalar `x` as a Value of `type`, computed at the end of `block`."""
    value = getattr(x, "value", None)
    if isinstance(value, Value) and value.type is type:
        return value
    with building(Builder(block.instrs, loc)):
        if x is UNDEFINED:
            return constant(value=np.zeros(type.shape, type.dtype), weak=type.weak)
        if isinstance(x, Const):
            return constant(value=fitting(x.value, type, loc), weak=type.weak)
        if x.value.type.dtype != type.dtype:
            return convert(x.value, dtype=type.dtype)
        return resized(x.value, type.shape)


def join_numbers(join: Any, values: list[Any], known: list[Any]) -> Any:
    """The number that holds each of `values`, of which those `known` are not UNDEFINED; a member of
    an enum among them may make it one of several."""
    type = kinds.only_kind(values) or joined_number_type(known, join.directions is None)
    if type is None:
        return far.join(join, values, known)
    if not type.weak and any(map(choices.is_member, known)):
        found = variants.join_constants(join, values, known)
        return join.conflict(values) if found is None else found
    if not join.vary and all(isinstance(v, Const) for v in values):
        if all_equal([v.value for v in values]):
            return values[0]
    elif not join.vary and len({id(getattr(v, "value", v)) for v in values}) == 1:
        several = [getattr(v, "kinds", None) for v in known]
        of = {(kinds.kinds_of(v), id(k)) for v, k in zip(known, several, strict=True)}
        if len(of) == 1:  # else `np.float64(x)` meets `x`
            return kinds.with_kinds(_with_fact(join, known[0].value, type, known), several[0])
    mixed = kinds.join(join, values, UNDEFINED)
    joined = _with_fact(join, join.phi(values, type), type, known)
    return joined if mixed is None else kinds.with_kinds(joined, mixed)


def _with_fact(join: Any, value: Value, type: ArrayType, known: list[Any]) -> Any:
    if not type.weak:
        return Array(value)
    if type.dtype.kind == "b":
        return Scalar(value, None, _implied(join, known))
    if type.dtype.kind != "i":
        return Scalar(value)
    facts = [extent.fact(plain(v)) for v in known]
    total = facts[0]
    for other in facts[1:]:
        total = extent.join(total, other)
    if join.directions is not None and isinstance(value.owner, Phi):
        total = _guess(join.directions.get(place_of(value.owner), UP), facts[0])
    return Scalar(value, None if total == extent.UNKNOWN else total)


def _implied(join: Any, known: list[Any]) -> Any:
    """What a bool says that is known on other paths: `a and b` is true only on the path of `b`."""
    implied = []
    for outcome in (True, False):
        paths = zip(known, join.states, strict=False)
        open_ = [(v, s) for v, s in paths if not _is_known(v, s, not outcome)]
        one = open_[0] if len(open_) == 1 and len(known) == len(join.edges) else None
        implied.append(together(one[1].assumed, atoms(one[0], outcome)) if one else ())
    return ("implies", *implied) if any(implied) else None


def _is_known(x: Any, state: Any, outcome: bool) -> bool:
    """Whether a bool is `outcome` on a path: it is constant, or was branched on there."""
    if isinstance(x, Const):
        return bool(x.value) is outcome
    learned = atoms(x, outcome)
    return bool(learned) and all([atom in state.assumed for atom in learned])


def place_of(phi: Any) -> str | int:
    """What a phi of a loop header is known by from pass to pass: its name, or its position."""
    return phi.value.hint or phi.block.phis.index(phi)


def _guess(guess: Any, entry: extent.IntFact) -> extent.IntFact:
    """Of a loop variable: the range of what the loop computes, where that shows; else that each
    bound is that at the entry, or far away as that of a counter, or that there is none."""
    if isinstance(guess, extent.IntFact) or guess[0] == "closed":
        found = extent.join(entry, guess if isinstance(guess, extent.IntFact) else guess[1])
        return extent.IntFact(found.lo, found.hi)
    low, high = guess
    if low == "horizon":
        low = None if entry.lo is None or entry.lo < -extent.HORIZON else -extent.HORIZON
    if high == "horizon":
        high = None if entry.hi is None or entry.hi > extent.HORIZON else extent.HORIZON
    return extent.IntFact(
        entry.lo if low == "entry" else low, entry.hi if high == "entry" else high
    )
