"""Scalars whose kind is known at run time only.

Where an int and a float meet, or a Python scalar and NumPy's, one value of the wider type holds
either (`joined`), and a selector says which of the kinds it is.  Where an operator does the same
for each of them, it computes in the wider type, and what kinds it gives is asked of CPython and
NumPy (`infer.joins.operated`); else it computes for each kind what that gives: `1 / x` of 0.0
raises for Python's floats and is inf for NumPy's, int8 wraps around, float32 rounds.  Who does not
look at `kinds` sees a scalar of the wider type.  Where that is a float, it need not hold an int of
64 bits: such an int is kept beside it (`Kinds.exact`), unless it is known to be small.

A 0-d array that nobody else refers to is of a kind too, `zero_dim(dtype)`, where it meets a number:
`s = np.array(1.0)`, then `s = s * 2` in a loop.  Nothing writes to it from there on.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.joined import joined_number_type
from pyxla.abstract.lattice import Array, Const, Kinds, Ref, Scalar, is_beyond, is_number
from pyxla.infer.interface import Engine
from pyxla.ir.build import Builder, building
from pyxla.ir.types import PYTHON_DTYPES, ArrayType, python_type
from pyxla.lib.strings import taken
from pyxla.ops.elementwise import compare, convert, real, select
from pyxla.ops.shape import constant
from pyxla.views.shadows import FEW, chosen, flag_of, number, one_of, renumbered

_TYPES = {kind: python_type(kind) for kind in PYTHON_DTYPES}
_INT64 = np.dtype(np.int64)


class ZeroDim(np.ndarray):
    """The kind of 0-d arrays of dtype `of`; called, it makes one."""

    of: np.dtype

    def __new__(cls, x: Any) -> Any:
        return np.array(x, cls.of)


@functools.cache
def zero_dim(dtype: np.dtype) -> type[ZeroDim]:
    """The kind of the 0-d arrays of a dtype."""
    return type("ndarray", (ZeroDim,), {"of": dtype})


def is_zero_dim(kind: type) -> bool:
    """Whether a kind is one of 0-d arrays."""
    return issubclass(kind, ZeroDim)


def may_be_array(x: Any) -> bool:
    """Whether the number `x` may be a 0-d array."""
    mixed = getattr(x, "kinds", None)
    return mixed is not None and any(map(is_zero_dim, mixed.choices))


def scalars(join: Any, values: Sequence[Any]) -> list[Any] | None:
    """Numbers and 0-d arrays that meet in the states of `join` as numbers; None where something
    else is among `values`, or arrays that others refer to."""
    found: list[Any] = []
    for x, state in zip(values, join.states, strict=True):
        found.append(scalar(x, state, join.way.held) if isinstance(x, Ref) else x)
        if not is_number(found[-1]):
            return None
    dtypes = {x.dtype for x in found if isinstance(x, Array)}
    return None if join.directions is not None and len(dtypes) > 1 else found


def scalar(x: Ref, state: Any, held: Any) -> Array | None:
    """What a 0-d array holds in a state, as a number of that kind; None where it is another object,
    or others refer to it, who could write to it."""
    content = state.heap.contents.get(x.cell)
    if not isinstance(content, Array) or content.shape or held is None:
        return None
    if not held.is_lone(x, state):
        return None
    return Array(content.value, None, Kinds((zero_dim(content.dtype),), None))


def refused(engine: Engine, what: str, *given: Any) -> Exception:
    """The refusal of what a 0-d array does otherwise than a number; or the request for what decides
    which of them is given."""
    refusal = engine.refuse(
        f"{what}: it may be a 0-d array here, or a number, as the path taken has it",
        "take the number out of the array (`s = s[()]`), or start with one",
    )
    tests = [test for x in given if may_be_array(x) for test in x.kinds.tests]
    return engine.demand(tuple(tests), refusal) or refusal


def kinds_of(x: Any) -> tuple[Any, ...]:
    """The kinds that a number may be: Python's types, and those of NumPy's scalars."""
    if isinstance(x, Const):
        return (type(x.value),)
    if x.kinds is not None:
        return x.kinds.choices
    return (x.kind if isinstance(x, Scalar) else x.dtype.type,)


def only_kind(values: Sequence[Any]) -> ArrayType | None:
    """The type of Python's scalars that are all of one kind; None of others."""
    only = None
    for x in values:
        if type(x) is Scalar and x.kinds is None:
            found = x.value.type
        else:
            found = _TYPES.get(type(x.value)) if type(x) is Const and not is_beyond(x) else None
        if found is None or (only is not None and found is not only):
            return None
        only = found
    return only


def join(join: Any, values: Sequence[Any], undefined: Any) -> Kinds | None:
    """The kinds of numbers that meet in the states of `join`; None where they are of one."""
    if only_kind(values) is not None:
        return None
    given = [None if v is undefined else kinds_of(v) for v in values]
    choices = tuple(dict.fromkeys(kind for kinds in given if kinds for kind in kinds))
    if len(choices) < 2:
        return None
    picks: list[Any] = [Const(0)] * len(values)
    for i, edge in enumerate(join.edges):
        if given[i] is not None:
            picks[i] = tag_in(values[i], choices, edge.block, join.loc)
    phi = join.phi(picks, python_type(int))
    tests = join.tests() if any(map(is_zero_dim, choices)) else ()
    exact = _exact_join(join, values, undefined, choices)
    return Kinds(choices, Scalar(phi, extent.IntFact(0, len(choices) - 1)), tests, exact)


def _exact_join(
    join: Any, values: Sequence[Any], undefined: Any, choices: Sequence[Any]
) -> Scalar | None:
    if not needs_exact(choices, [v for v in values if v is not undefined]):
        return None
    ints: list[Any] = [Const(0)] * len(values)
    for i, edge in enumerate(join.edges):
        if values[i] is not undefined:
            ints[i] = exact_in(values[i], edge.block, join.loc)
    return Scalar(join.phi(ints, python_type(int)))


def needs_exact(choices: Sequence[Any], values: Sequence[Any]) -> bool:
    """Whether an int among `values` is kept beside the wider type of `choices`."""
    return mixes(choices) and not all(map(_is_held, values))


def mixes(choices: Sequence[Any]) -> bool:
    """Whether a float holds ints of 64 bits among numbers of these kinds."""
    dtypes = {dtype_of(kind) for kind in choices}
    return _INT64 in dtypes and any(dtype.kind in "fc" for dtype in dtypes)


def _is_held(x: Any) -> bool:
    """Whether a float of 64 bits has the value of `x`, if that is an int of 64."""
    if isinstance(x, Const):
        value = int(x.value) if isinstance(x.value, int | np.int64) else 0
        has_type = -(1 << 63) <= value < 1 << 63
        return not has_type or float(value) == value
    if x.dtype != _INT64:
        return not has_exact(x)
    return extent.is_in_float64(x)


def exact_in(x: Any, block: Any, loc: Any) -> Any:
    """The number `x` at the end of a block as an int of 64 bits, if it is one; else anything."""
    if isinstance(x, Const):
        return Const(int(x.value)) if isinstance(x.value, int | np.int64) else Const(0)
    with building(Builder(block.instrs, loc)):
        return exact_of(x)


def exact_of(x: Any) -> Scalar:
    """The number `x` as an int of 64 bits, if it is one; else anything."""
    if getattr(x, "kinds", None) is not None and x.kinds.exact is not None:
        return x.kinds.exact
    if isinstance(x, Scalar) and x.kind is int:
        return Scalar(x.value)
    value = constant(value=np.asarray(x.value)) if isinstance(x, Const) else x.value
    if value.type.dtype.kind == "c":
        value = real(value)
    return Scalar(convert(value, dtype=_INT64, weak=True))


def tag_in(x: Any, choices: Sequence[Any], block: Any, loc: Any) -> Any:
    """Which of `choices` the kind of `x` is."""
    places = [choices.index(kind) for kind in kinds_of(x)]
    if len(places) == 1:
        return Const(places[0])
    with building(Builder(block.instrs, loc)):
        return renumbered(x.kinds.tag, places, len(choices))


def has_exact(x: Any) -> bool:
    """Whether the number `x`, where it is an int, is kept as that beside the wider type."""
    return getattr(x, "kinds", None) is not None and x.kinds.exact is not None


def fits(template: Any, back: Any) -> bool:
    """Whether the template of a loop's number has the kinds of what comes back."""
    choices = kinds_of(template)
    if not set(kinds_of(back)) <= set(choices):
        return False
    return has_exact(template) or not needs_exact(choices, [back])


def settled(template: Any, back: Any) -> Any:
    """A loop's number where it is what the loop brought back: of one kind, if that is; or None."""
    if (
        not is_number(back)
        or len(found := kinds_of(back)) != 1
        or dtype_of(found[0]) != template.dtype
    ):
        return None
    if (found[0] in PYTHON_DTYPES) != isinstance(template, Scalar) or is_zero_dim(found[0]):
        return None
    return with_kinds(template, None)


def parts_of(x: Any) -> list[Any]:
    """The number `x` as each of its kinds; what it is not is 1, of which nothing is an error."""
    if getattr(x, "kinds", None) is None:
        return [x]
    parts: list[Any] = []
    for i, kind in enumerate(x.kinds.choices):
        hit = compare(x.kinds.tag.value, number(i), direction="EQ")
        one = constant(value=np.ones((), x.dtype), weak=x.value.type.weak)
        weak = kind in PYTHON_DTYPES
        if has_exact(x) and dtype_of(kind) == _INT64:
            given, one = x.kinds.exact.value, number(1)
        else:
            given = x.value
        value = convert(select(hit, given, one), dtype=dtype_of(kind), weak=weak)
        held = extent.IN_FLOAT64 if kind is int and not has_exact(x) and x.dtype != _INT64 else None
        parts.append(Scalar(value, held) if weak else Array(value))
    return parts


def choose(test: Scalar, x: Any, y: Any) -> Any:
    """The number `x` where `test` holds, else `y`, each of its own kinds; None where no type holds
    both."""
    type = joined_number_type([x, y], several=True)
    if type is None:
        return None
    choices = tuple(dict.fromkeys((*kinds_of(x), *kinds_of(y))))
    values = [_held(v, type) for v in (x, y)]
    places = [position_in(v, choices) for v in (x, y)]
    result = select(test.value, *values)
    selector = one_of(select(test.value, *places), len(choices))
    exact = None
    if needs_exact(choices, [x, y]):
        exact = Scalar(select(test.value, exact_of(x).value, exact_of(y).value))
    mixed = Kinds(choices, selector, (), exact) if len(choices) > 1 else None
    return Scalar(result, None, None, mixed) if type.weak else Array(result, None, mixed)


def moved(which: Any, places: Sequence[int]) -> Any:
    """`places[w]` for each element `w` of `which`."""
    if len(places) > FEW:
        return taken(constant(value=np.asarray(places, which.type.dtype)), which)
    found = _full(which, places[-1])
    for i, place in enumerate(places[:-1]):
        hit = compare(which, _full(which, i), direction="EQ")
        found = select(hit, _full(which, place), found)
    return found


def _full(x: Any, number: int) -> Any:
    return constant(value=np.full(x.type.shape, number, x.type.dtype))


def _held(x: Any, type: Any) -> Any:
    if isinstance(x, Const):
        return constant(value=np.asarray(x.value, type.dtype), weak=type.weak)
    if x.value.type == type:
        return x.value
    return convert(x.value, dtype=type.dtype, weak=type.weak)


def position_in(x: Any, choices: Sequence[Any]) -> Any:
    """Which of `choices` the kind of `x` is, as a number."""
    places = [number(choices.index(kind)) for kind in kinds_of(x)]
    return places[0] if len(places) == 1 else chosen(x.kinds.tag, places)


def with_kinds(x: Any, kinds: Kinds | None) -> Any:
    """The number `x` with these kinds."""
    if isinstance(x, Array):
        return Array(x.value, x.extents, kinds)
    return Scalar(x.value, x.fact, x.test, kinds)


def bare(x: Any) -> Any:
    """The number `x` without what is known of its value."""
    if isinstance(x, Const):
        return x
    return Array(x.value, None, x.kinds) if isinstance(x, Array) else Scalar(x.value, kinds=x.kinds)


def as_one_kind(result: Any, kind: Any) -> Any:
    """`result` as the one kind that it has on all paths."""
    weak = kind in PYTHON_DTYPES
    value = convert(result.value, dtype=dtype_of(kind), weak=weak)
    return Scalar(value) if weak else Array(value)


def dtype_of(kind: type) -> np.dtype:
    if issubclass(kind, ZeroDim):
        return kind.of
    return PYTHON_DTYPES[kind] if kind in PYTHON_DTYPES else np.dtype(kind)


def width(kind: type) -> tuple[int, int, bool]:
    """Where a kind comes in order: by what it holds, Python's before NumPy's."""
    dtype = dtype_of(kind)
    return "biufcV".index(dtype.kind), dtype.itemsize, kind not in PYTHON_DTYPES


def is_one_of(x: Any, classes: tuple[type, ...]) -> Any:
    """`isinstance(x, classes)`, a bool, of a number of several kinds."""
    return flag_of(x.kinds.tag, [issubclass(kind, classes) for kind in x.kinds.choices])


def as_index(engine: Engine, x: Any, error: Exception) -> Any:
    """The number `x` where it is an int; `error` where it is of a kind that is none."""
    others = not_ints(x)
    if not others or len(others) == len(x.kinds.choices):
        return x
    engine.ensure(flag_of(x.kinds.tag, [kind not in others for kind in x.kinds.choices]), error)
    return exact_of(x)


NO_INT = "{!r} object cannot be interpreted as an integer"


def as_one_int(engine: Engine, x: Any, words: str) -> Any:
    """`x` as an int, where it may be a float besides; words: what the TypeError says otherwise,
    with the name of the class in the place of `{}`."""
    others = not_ints(x)
    if len(others) != 1 or is_zero_dim(others[0]):
        return x
    module = "numpy." if issubclass(others[0], np.generic) else ""
    return as_index(engine, x, TypeError(words.format(module + others[0].__name__)))


def not_ints(x: Any) -> list[type]:
    """The kinds of a number of several that are none of ints."""
    choices = kinds_of(x) if getattr(x, "kinds", None) is not None else ()
    return [kind for kind in choices if dtype_of(kind).kind not in "iu"]


def with_tag(result: Any, given: Sequence[Any], selector: Scalar) -> Any:
    """A number that is each of `given`, as `selector` says, whose kinds are told by that."""
    if not is_number(result) or isinstance(result, Const) or result.kinds is None:
        return result
    if [kinds_of(x) for x in given] != [(kind,) for kind in result.kinds.choices]:
        return result
    mixed = result.kinds
    return with_kinds(result, Kinds(mixed.choices, selector, mixed.tests, mixed.exact))


def at_place(x: Any, selector: Scalar, place: int) -> Any:
    """The number `x` where `selector`, if it tells the kinds of `x`, is `place`."""
    mixed = getattr(x, "kinds", None)
    if mixed is None or mixed.tag.value is not selector.value:
        return x
    kind = mixed.choices[place]
    if is_zero_dim(kind):
        return x
    if kind is int and mixed.exact is not None:
        return mixed.exact
    if dtype_of(kind) == _INT64 and mixed.exact is not None:
        return Array(convert(mixed.exact.value, dtype=_INT64))
    return as_one_kind(x, kind)
