"""One of several known texts or members of an enum: `status = "done" if ok else "failed"`.

A `Variant` of constants.  Whoever must know which it is meets its `conflict`, as if the paths could
not be joined.
"""

from __future__ import annotations

import enum
import functools
import itertools
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Conflict, Const, Scalar, Variant
from pyxla.infer.interface import Engine
from pyxla.lib.operands import BOOL
from pyxla.ops.elementwise import and_, compare, convert, not_, or_
from pyxla.views.shadows import flag_of, looked_up, number, renumbered

_KINDS = (str, bytes, enum.Enum)


def is_choice(x: Any) -> bool:
    return type(x) is Variant and x.kind == "constant"


def is_member(x: Any) -> bool:
    """Whether `x` is a member of an enum, which may be a number besides."""
    return isinstance(x, Const) and isinstance(x.value, enum.Enum)


def is_enum(x: Any) -> bool:
    """Whether `x` is a class whose instances are its members: of a Flag there are more."""
    return isinstance(x, enum.EnumMeta) and not issubclass(x, enum.Flag)


def are_alone(values: Sequence[Any]) -> bool:
    """Whether none of these is equal to another object: no member of an enum that is a number or a
    text, besides."""
    return all(_is_text(value) or type(value).__eq__ is object.__eq__ for value in values)


def values_of(x: Any) -> tuple[Any, ...] | None:
    """The texts or members that `x` may be; None of anything else."""
    if is_choice(x):
        return x.values
    return (x.value,) if isinstance(x, Const) and isinstance(x.value, _KINDS) else None


def is_constant(x: Any) -> bool:
    """Whether `x` is one or several known texts or members of enums."""
    return values_of(x) is not None


def places_of(own: Iterable[Any], values: Sequence[Any]) -> list[int]:
    """Where each of `own` is among `values`, which are all different; -1 where it is not."""
    own = list(own)
    if len(own) == 1 and _is_text(own[0]) and own[0] in values:
        place = values.index(own[0])
        if type(values[place]) is type(own[0]):
            return [place]
    places = {_key(value): i for i, value in enumerate(values)}
    return [places.get(_key(value), -1) for value in own]


def _key(value: Any) -> Any:
    """What is the same of values that are one (`is_same`)."""
    return (type(value), value) if _is_text(value) else id(value)


def is_same(x: Any, y: Any) -> bool:
    """Whether two texts, or members of enums, are one."""
    return x is y or (_is_text(x) and type(y) is type(x) and x == y)


def _is_text(x: Any) -> bool:
    return type(x) in (str, bytes)


def united(*several: Sequence[Any]) -> list[Any]:
    """The values that are among any of `several`."""
    union: dict[Any, Any] = {}
    for value in itertools.chain(*several):
        union.setdefault(_key(value), value)
    return list(union.values())


def joined(xs: Sequence[Any], ys: Sequence[Any]) -> Sequence[Any]:
    """What is among `xs` or `ys`, in the order of the one that has all of it.

    Where both have, in another order each, one that does not depend on which came first: lists that
    meet again and again are of one item in the end.
    """
    union = united(xs, ys)
    if len(union) > len(xs):
        return ys if len(union) == len(ys) else union
    return sorted(union, key=repr) if len(ys) == len(xs) and list(xs) != list(ys) else xs


def position(x: Any, values: Sequence[Any]) -> Any:
    """The position among `values` of what `x` is, an int; -1 where it is none of them."""
    places = places_of(values_of(x) or (), values)
    return lookup(x, places) if is_choice(x) else Const(places[0] if places else -1)


def one_of_these(tag: Scalar, values: Sequence[Any], conflict: Conflict | None = None) -> Any:
    """`values[tag]`, constants of which some may be the same."""
    union = united(values)
    if len(union) == 1:
        return Const(union[0])
    tag = renumbered(tag, places_of(values, union), len(union))
    conflict = conflict or Conflict(f"this may be {' or '.join(map(repr, union))}")
    return Variant("constant", tag, tuple(map(Const, union)), conflict)


def table(x: Variant, entry: Callable[[Any], Any]) -> list[Any]:
    return [entry(value) for value in x.values]


def test(x: Variant, holds: Callable[[Any], bool]) -> Any:
    """Whether `holds` of what `x` is, a bool, which tells which of them it is."""
    hits = [bool(hit) for hit in table(x, holds)]
    found = flag_of(x.tag, hits)
    sides = [tuple([p for p, hit in enumerate(hits) if hit is side]) for side in (True, False)]
    told = ("implies", *[(("AMONG", x, places),) for places in sides])
    return Scalar(found.value, found.fact, told) if isinstance(found, Scalar) else found


def lookup(x: Variant, entries: Sequence[int]) -> Scalar:
    """That of `entries` which belongs to what `x` is, an int."""
    return Scalar(looked_up(x.tag, entries))


def equal(x: Any, y: Any, same: Callable[[Any, Any], bool] = is_same) -> Any:
    """Whether `x` and `y` are one, or the `same` otherwise, a bool, where one of them is a
    choice."""
    if not is_choice(x):
        x, y = y, x
    if not is_choice(y):
        other = y.value if isinstance(y, Const) else None
        return test(x, lambda value: isinstance(y, Const) and bool(same(value, other)))
    both = []
    for i, one in enumerate(x.values):
        for k, other in enumerate(y.values):
            if same(one, other):
                here = compare(x.tag.value, number(i), direction="EQ")
                both.append(and_(here, compare(y.tag.value, number(k), direction="EQ")))
    if not both:
        return Const(False)
    return Scalar(convert(functools.reduce(or_, both), dtype=BOOL, weak=True))


def number_of(x: Any, operation: str = "__index__") -> Scalar | Const | None:
    """The int that `x` is, a member of an IntEnum or one of several; None of anything else.

    operation: the method of the int that is asked for, which the class of a member may replace.
    """
    values = x.values if is_choice(x) else [x.value] if is_member(x) else []
    if not values or not all(_counts(value, operation) for value in values):
        return None
    return lookup(x, list(map(int, values))) if is_choice(x) else Const(int(values[0]))


def as_ints(
    x: Any, y: Any, own: str, others: str, numpys: Callable[[Any], bool]
) -> tuple[Any, Any]:
    """The operands of an operator, members of an IntEnum among them as ints.

    own, others: the methods of theirs that are asked.  numpys: whether an operand is NumPy's, which
    takes members for NumPy's ints.
    """
    return _as_int(x, own, y, numpys), _as_int(y, others, x, numpys)


def _as_int(x: Any, operation: str, other: Any, numpys: Callable[[Any], bool]) -> Any:
    number = number_of(x, operation)
    if number is None or is_member(other) or not numpys(other):
        return x if number is None else number
    if isinstance(number, Const):
        return Const(np.int64(number.value))
    return Array(convert(number.value, dtype=np.dtype(np.int64)))


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
        union = united(x.values, y.values)
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
        same = equal(x, y, operator.eq)
        if relation is operator.eq:
            return same
        if isinstance(same, Const):
            return Const(not same.value)
        return Scalar(convert(not_(same.value), dtype=BOOL, weak=True))
    if is_choice(x) and isinstance(y, Const):
        return _asked(engine, x, lambda value: relation(value, y.value))
    if is_choice(y) and isinstance(x, Const):
        return _asked(engine, y, lambda value: relation(x.value, value))
    return engine.use((x if is_choice(x) else y).conflict)


def _asked(engine: Engine, x: Any, relation: Callable[[Any], bool]) -> Any:
    """`test(x, relation)`; what has no order raises, certainly where none of the values has one."""
    try:
        return test(x, relation)
    except TypeError as error:
        certain = all(_has_no_order(relation, value) for value in x.values)
        raise engine.refuse(str(error), raises=TypeError if certain else None) from None


def _has_no_order(relation: Callable[[Any], bool], value: Any) -> bool:
    try:
        relation(value)
    except TypeError:
        return True
    return False
