"""One of several known texts or members of an enum: `status = "done" if ok else "failed"`.

    Compound("choice", (selector,), Choices)      the value at position `selector`, an int

Whoever must know which it is meets `Choices.conflict`, as if the paths could not be joined.
"""

from __future__ import annotations

import enum
import functools
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pyxla.infer.arrays.shadows import chosen, number, one_of
from pyxla.infer.lattice import Array, Compound, Conflict, Const, Scalar
from pyxla.ir.build import building
from pyxla.ir.core import Value
from pyxla.lib.operands import BOOL
from pyxla.ops.elementwise import and_, compare, convert, not_, or_
from pyxla.ops.shape import constant

if TYPE_CHECKING:
    from pyxla.infer.engine import Engine

_KINDS = (str, enum.Enum)


class Choices:
    """The values that a choice has, and what to say of it where it must be known."""

    __slots__ = ("conflict", "values")

    def __init__(self, values: Sequence[Any], conflict: Conflict) -> None:
        self.values = tuple(values)
        self.conflict = conflict

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Choices) and self.values == other.values

    def __hash__(self) -> int:
        return hash(self.values)


def is_choice(x: Any) -> bool:
    return type(x) is Compound and x.kind == "choice"


def values_of(x: Any) -> tuple[Any, ...] | None:
    """The texts or members that `x` may be; None of anything else."""
    if is_choice(x):
        return x.meta.values
    return (x.value,) if isinstance(x, Const) and isinstance(x.value, _KINDS) else None


def selector_in(x: Any, values: Sequence[Any]) -> Any:
    """The position among `values` of what `x` is, an int; None where one is missing."""
    own = values_of(x)
    places = [place(value, values) for value in own or ()]
    if not places or None in places:
        return None
    if not is_choice(x):
        return Const(places[0])
    if places == list(range(len(places))):
        return x.items[0]
    return one_of(chosen(x.items[0], [number(place or 0) for place in places]), len(values))


def place(value: Any, values: Sequence[Any]) -> int | None:
    """Where `value` is among `values`."""
    return next(
        (i for i, v in enumerate(values) if v is value or (_is_text(v) and v == value)), None
    )


def _is_text(x: Any) -> bool:
    return type(x) is str


def united(*several: Sequence[Any]) -> list[Any]:
    """The values that are among any of `several`."""
    union: list[Any] = []
    for value in [value for values in several for value in values]:
        if place(value, union) is None:
            union.append(value)
    return union


def position(x: Any, values: Sequence[Any]) -> Any:
    """The position among `values` of what `x` is, an int; -1 where it is none of them."""
    own = values_of(x) or ()
    places = [-1 if (at := place(value, values)) is None else at for value in own]
    return lookup(x, places) if is_choice(x) else Const(places[0] if places else -1)


def one_of_these(selector: Scalar, values: Sequence[Any]) -> Compound:
    """That of the texts or members `values` which is at the position `selector`."""
    names = " or ".join([repr(value) for value in values])
    return Compound("choice", (selector,), Choices(values, Conflict(f"this may be {names}")))


def join(
    values: Sequence[Any],
    undefined: Any,
    join_one: Callable[[list[Any]], Any],
    at: Callable[[int], Any],
    conflict: Callable[[], Conflict],
) -> Any:
    """What each of `values` is on its path; None where they are not texts or members.

    undefined: stands for no value.  at: a builder at the end of a path.
    """
    found = [None if v is undefined else values_of(v) for v in values]
    if any(own is None and v is not undefined for own, v in zip(found, values, strict=True)):
        return None
    union = united(*[own or () for own in found])
    picks = []
    for i, value in enumerate(values):
        with building(at(i)):
            picks.append(value if value is undefined else selector_in(value, union))
    return Compound("choice", (join_one(picks),), Choices(union, conflict()))


def table(x: Compound, entry: Callable[[Any], Any]) -> list[Any]:
    return [entry(value) for value in x.meta.values]


def test(x: Compound, holds: Callable[[Any], bool]) -> Any:
    """Whether `holds` of what `x` is, a bool."""
    hits = [i for i, hit in enumerate(table(x, holds)) if hit]
    if len(hits) in (0, len(x.meta.values)):
        return Const(bool(hits))
    selector = _value(x.items[0])
    tests = [compare(selector, number(i), direction="EQ") for i in hits]
    return Scalar(convert(functools.reduce(or_, tests), dtype=BOOL, weak=True))


def lookup(x: Compound, entries: Sequence[int]) -> Scalar:
    """That of `entries` which belongs to what `x` is, an int."""
    selector = Scalar(_value(x.items[0]))
    return Scalar(chosen(selector, [number(n) for n in entries]))


def equal(x: Any, y: Any) -> Any:
    """`x == y`, a bool, where one of them is a choice."""
    if not is_choice(x):
        x, y = y, x
    if not is_choice(y):
        other = y.value if isinstance(y, Const) else None
        return test(x, lambda value: isinstance(y, Const) and bool(value == other))
    both = []
    for i, one in enumerate(x.meta.values):
        at = place(one, y.meta.values)
        if at is not None:
            here = compare(_value(x.items[0]), number(i), direction="EQ")
            both.append(and_(here, compare(_value(y.items[0]), number(at), direction="EQ")))
    if not both:
        return Const(False)
    return Scalar(convert(functools.reduce(or_, both), dtype=BOOL, weak=True))


def number_of(x: Any, operation: str = "__index__") -> Scalar | None:
    """The int that `x` is, where data decides which member of an IntEnum; None of anything else.

    operation: the method of the int that is asked for, which the class of a member may replace.
    """
    if not is_choice(x) or not all(_counts(value, operation) for value in x.meta.values):
        return None
    return lookup(x, [int(value) for value in x.meta.values])


def _counts(value: Any, operation: str) -> bool:
    """Whether a member is an int of 64 bits, and takes an operation as one."""
    if not isinstance(value, int) or isinstance(value, enum.Flag):
        return False
    own = getattr(type(value), operation, None)
    return own is getattr(int, operation, None) and -(2**63) <= value < 2**63


def ranks(operation: str, x: Any, y: Any) -> tuple[Any, Any] | None:
    """Ints that are ordered as `x` and `y` are, texts or members of IntEnums of which data decides
    at least one; None where their order is not known."""
    if is_choice(x) and is_choice(y):
        union = united(x.meta.values, y.meta.values)
        if not all(map(_is_text, union)) and not all(_counts(v, operation) for v in union):
            return None
        order = sorted(union)
        first, second = [lookup(side, table(side, order.index)) for side in (x, y)]
        return first, second
    pair = [number_of(side, operation) if is_choice(side) else side for side in (x, y)]
    dynamic = all(isinstance(side, (Scalar, Array)) for side in pair)
    return (pair[0], pair[1]) if dynamic else None


def compared(engine: Engine, relation: Callable[[Any, Any], bool], x: Any, y: Any) -> Any:
    """`relation(x, y)`, a bool, where one of them is a choice."""
    if relation is operator.eq or (relation is operator.ne and is_choice(x) and is_choice(y)):
        same = equal(x, y)
        if relation is operator.eq:
            return same
        if isinstance(same, Const):
            return Const(not same.value)
        return Scalar(convert(not_(same.value), dtype=BOOL, weak=True))
    if is_choice(x) and isinstance(y, Const):
        return test(x, lambda value: relation(value, y.value))
    if is_choice(y) and isinstance(x, Const):
        return test(y, lambda value: relation(x.value, value))
    return engine.use((x if is_choice(x) else y).meta.conflict)


def _value(selector: Any) -> Value:
    if isinstance(selector, Const):
        return constant(value=np.asarray(selector.value), weak=True)
    return selector.value
