"""Exceptions as abstract values: what is raised, what a handler takes, and one of several.

    Compound("exception", args, cls)                  an instance of `cls`
    Compound("exceptions", (selector, e0, e1, ...))   one of those, as the int `selector` says

Handlers are found while compiling: the class of each exception is known, also where several meet.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

import numpy as np

from pyxla.errors import CompileError, Location, Surprise
from pyxla.infer.arrays.shadows import chosen, number
from pyxla.infer.facts.extent import IntFact
from pyxla.infer.joins import choices
from pyxla.infer.joins.choices import Choices
from pyxla.infer.lattice import (
    Array,
    Compound,
    Conflict,
    Const,
    Ref,
    Scalar,
    Tuple,
    is_number,
    number_type,
)
from pyxla.ir.build import Builder, building
from pyxla.lib.operands import BOOL
from pyxla.ops.elementwise import compare, convert, or_
from pyxla.ops.shape import constant

KINDS = ("exception", "exceptions")


def is_exception(x: Any) -> bool:
    return type(x) is Compound and x.kind in KINDS


def instance(x: Any, loc: Location | None) -> Compound:
    """What `raise x` raises."""
    if is_exception(x):
        return x
    if isinstance(x, Const) and isinstance(x.value, type) and issubclass(x.value, BaseException):
        return Compound("exception", (), x.value)
    if isinstance(x, Const) and isinstance(x.value, BaseException):
        return Compound("exception", tuple([Const(a) for a in x.value.args]), type(x.value))
    raise CompileError("exceptions must derive from BaseException", loc)


def alternatives(x: Compound) -> tuple[Compound, ...]:
    """The exceptions that `x` may be."""
    return (x,) if x.kind == "exception" else x.items[1:]


def takes(classes: tuple[type, ...] | None, x: Compound) -> bool:
    """Whether handlers of `classes` (None: any) take an exception."""
    if issubclass(x.meta, Surprise):
        return False  # the compiler's own: the program is made anew
    return classes is None or issubclass(x.meta, classes)


def classes_of(x: Any) -> tuple[type, ...] | None:
    """The classes that an `except` clause names; None where they are not known."""
    if isinstance(x, Tuple):
        parts = [classes_of(item) for item in x.items]
    elif isinstance(x, Const) and isinstance(x.value, tuple):
        parts = [classes_of(Const(item)) for item in x.value]
    elif isinstance(x, Const) and isinstance(x.value, type) and issubclass(x.value, BaseException):
        return (x.value,)
    else:
        return None
    if any(part is None for part in parts):
        return None
    return tuple([cls for part in parts for cls in part or ()])


def is_one_of(x: Compound, classes: tuple[type, ...]) -> Any:
    """`isinstance(x, classes)`, a bool."""
    found = [issubclass(e.meta, classes) for e in alternatives(x)]
    if all(found) or not any(found):
        return Const(found[0])
    hits = [
        compare(x.items[0].value, number(i), direction="EQ") for i, hit in enumerate(found) if hit
    ]
    return Scalar(convert(functools.reduce(or_, hits), dtype=BOOL, weak=True))


def is_other(x: Compound, place: int) -> Any:
    """Whether `x`, one of several, is another than that at a place among them; a bool."""
    selector = x.items[0]
    if isinstance(selector, Const):
        return Const(selector.value != place)
    other = compare(selector.value, number(place), direction="NE")
    return Scalar(convert(other, dtype=BOOL, weak=True))


def narrowed(x: Compound, classes: tuple[type, ...], excluded: tuple[type, ...]) -> Compound:
    """`x`, known to be one of `classes` and none of `excluded`."""
    kinds = [e.meta for e in alternatives(x)]
    found = [issubclass(kind, classes) and not issubclass(kind, excluded) for kind in kinds]
    places = [i for i, hit in enumerate(found) if hit]
    if x.kind == "exception" or len(places) == len(x.items) - 1 or not places:
        return x
    items = [x.items[1:][i] for i in places]
    if len(items) == 1:
        return items[0]
    numbers = [places.index(i) if i in places else 0 for i in range(len(x.items) - 1)]
    selector = renumbered(x.items[0], numbers, len(items))
    return Compound("exceptions", (selector, *items), tuple([e.meta for e in items]))


def renumbered(selector: Any, numbers: Sequence[int], count: int) -> Any:
    """`numbers[selector]`, an int below `count`."""
    if isinstance(selector, Const):
        return Const(numbers[selector.value])
    value = chosen(selector, [number(n) for n in numbers])
    return Scalar(value, IntFact(0, count - 1))


def is_member(x: Any) -> bool:
    """Whether `x` is a member of an enum, which may be a number besides."""
    return isinstance(x, Const) and isinstance(x.value, Enum)


def join_several(join: Any, values: Sequence[Any], undefined: Any) -> Any:
    """The exception, or one of several known texts or members of enums, that each of `values` is on
    its path; None where they are neither.

    undefined: stands for no value.
    """

    def at(i: int) -> Builder:
        return Builder(join.states[i].block.instrs, join.loc)

    first = next(v for v in values if v is not undefined)
    if not is_exception(first):
        if choices.values_of(first) is None:
            return None
        return choices.join(values, undefined, join.join, at, lambda: join.conflict(values))
    if not all(v is undefined or is_exception(v) for v in values):
        return None
    return _join_exceptions(values, undefined, join.join, at)


def _join_exceptions(
    values: Sequence[Any],
    undefined: Any,
    join_one: Callable[[list[Any]], Any],
    at: Callable[[int], Builder],
) -> Any:
    slots: list[Compound] = []
    picks: list[Any] = []
    columns: list[list[Any]] = []
    for i, value in enumerate(values):
        if value is undefined:
            picks.append(undefined)
            continue
        used: list[int] = []
        for x in alternatives(value):
            if x is undefined:
                used.append(0)
                continue
            place = next(
                (k for k, slot in enumerate(slots) if k not in used and _alike(slot, x)), len(slots)
            )
            if place == len(slots):
                slots.append(x)
                columns.append([undefined] * len(values))
            used.append(place)
            columns[place][i] = x
        if value.kind == "exception":
            picks.append(Const(used[0]))
        else:
            with building(at(i)):
                picks.append(renumbered(value.items[0], used, len(slots)))
    joined = [_join_instances(column, undefined, join_one) for column in columns]
    if len(joined) == 1:
        return joined[0]
    selector = join_one(picks)
    return Compound("exceptions", (selector, *joined), tuple([x.meta for x in joined]))


def _join_instances(
    column: list[Any], undefined: Any, join_one: Callable[[list[Any]], Any]
) -> Compound:
    first = next(x for x in column if x is not undefined)
    items = [
        join_one([x if x is undefined else x.items[k] for x in column])
        for k in range(len(first.items))
    ]
    return Compound("exception", tuple(items), first.meta)


def _alike(x: Any, y: Any) -> bool:
    """Whether two exceptions, or arguments of them, can be one value."""
    if isinstance(x, (Compound, Tuple)):
        return x.is_like(y) and all(map(_alike, x.items, y.items))
    if isinstance(x, Const) and isinstance(y, Const):
        if type(x.value) is type(y.value) and isinstance(x.value, (bool, int, float, np.generic)):
            return True
        return x.value is y.value or (type(x.value) is str is type(y.value) and x.value == y.value)
    if is_number(x) and is_number(y):
        return number_type(x) is number_type(y)
    return isinstance(x, Ref) and isinstance(y, Ref) and x.cell == y.cell and x.view == y.view


def select(x: Compound, values: Sequence[Any]) -> Any:
    """That of `values` which belongs to the exception that `x` is; None where they do not mix."""
    first = values[0]
    if all(_same(first, value) for value in values):
        return first
    if all(isinstance(v, Const) and type(v.value) is str for v in values):
        texts = list(dict.fromkeys([v.value for v in values]))
        selector = renumbered(x.items[0], [texts.index(v.value) for v in values], len(texts))
        conflict = Conflict(
            "the text of the exception must be known, of which there are several",
            hint="catch them in clauses of their own",
        )
        return Compound("choice", (selector,), Choices(texts, conflict))
    if not all(is_number(v) and number_type(v) is number_type(first) for v in values):
        return None
    kind = number_type(first)
    numbers = [
        constant(value=np.asarray(v.value, kind.dtype), weak=kind.weak)
        if isinstance(v, Const)
        else v.value
        for v in values
    ]
    value = chosen(x.items[0], numbers)
    return Scalar(value) if kind.weak else Array(value)


def _same(x: Any, y: Any) -> bool:
    if isinstance(x, Const) and isinstance(y, Const):
        return x.value is y.value or (type(x.value) is str is type(y.value) and x.value == y.value)
    return x is y
