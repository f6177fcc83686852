"""Operators and functions of numbers whose kind is known at run time only.

Where an operator does the same for each kind, it computes in the wider type (`operated`); else it
computes for each what that kind computes (`separately`).
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Const, Kinds, Ref, Scalar, is_number
from pyxla.infer.interface import Engine
from pyxla.infer.joins.kinds import (
    as_one_kind,
    choose,
    dtype_of,
    has_exact,
    is_zero_dim,
    kinds_of,
    may_be_array,
    mixes,
    parts_of,
    refused,
    with_kinds,
    with_tag,
    zero_dim,
)
from pyxla.ops.elementwise import add, compare, multiply
from pyxla.views.shadows import number, one_of, renumbered

_NAMES = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor"),
    *("lt", "le", "eq", "ne", "gt", "ge", "neg", "pos", "abs", "invert", "lshift", "rshift"),
)
_OPERATORS: dict[str, Any] = {name: getattr(operator, name) for name in _NAMES}
_OPERATORS.update({name: operator.attrgetter(name) for name in ("real", "imag")})
# Those that do the same for all ints of 64 bits, floats and complex numbers, where these are kept.
_UNIFORM = frozenset(
    ("add", "sub", "mul", "neg", "pos", "abs", "invert", "and_", "or_", "xor")
    + ("lt", "le", "eq", "ne", "gt", "ge")
)
_WIDEST = frozenset(map(np.dtype, (np.int64, np.float64, np.complex128)))
# Operators whose results, of ints, a float may not hold: they are larger, or 0 where it is -0.0.
_GROWING = frozenset(("add", "sub", "mul", "neg"))


def operated(engine: Engine, op: Any, operands: Sequence[Any], result: Any) -> Any:
    """`result`, what an operator, by name, or a ufunc gives for operands of the wider kinds, with
    its own kinds."""
    if not any([getattr(x, "kinds", None) for x in operands]):
        return result
    options = [_options(engine, x) for x in operands]
    if any(option is None for option in options):
        return result
    found = [_result(op, combination) for combination in itertools.product(*options)]
    choices = tuple(dict.fromkeys(found))
    if None in choices:
        if any(map(may_be_array, operands)):
            raise refused(engine, f"{getattr(op, '__name__', op)} of a number", *operands)
        return result
    if any(isinstance(kind, tuple) for kind in choices):
        return _of_arrays(engine, choices, result)
    if not is_number(result) or isinstance(result, Const):
        return result
    if len(choices) == 1 and not is_zero_dim(choices[0]):
        return result if kinds_of(result) == choices else as_one_kind(result, choices[0])
    selector = renumbered(
        position_of_all(operands), [choices.index(k) for k in found], len(choices)
    )
    return with_kinds(result, Kinds(choices, selector))


def is_tracked(value: Any) -> bool:
    """Whether the kind of a number that `value` gives follows from those of its arguments."""
    return isinstance(value, np.ufunc) or value is pow or value is round


def separately(
    engine: Engine, op: Any, operands: Sequence[Any], compute: Callable[..., Any]
) -> Any | None:
    """What `compute`, of an operator, by name, or a function, gives for the kinds that numbers are
    of at run time; None where one computation in the wider type does for all of them."""
    if not any([getattr(x, "kinds", None) for x in operands]):
        return None
    if not all(map(is_number, operands)) or _is_uniform(op, operands):
        return None
    found = [compute(*numbers) for numbers in itertools.product(*map(parts_of, operands))]
    if not all(map(is_number, found)):
        return None
    known = {(type(x.value), repr(x.value)) if isinstance(x, Const) else x for x in found}
    if len(known) == 1:
        return found[0]
    position = position_of_all(operands)
    result = found[-1]
    for i, x in reversed([*enumerate(found[:-1])]):
        result = choose(Scalar(compare(position.value, number(i), direction="EQ")), x, result)
        if result is None:
            raise engine.refuse(
                "this number is of several types, by the path taken, which no one type holds",
                "make it one kind: float(x), int(x), or a NumPy scalar from the start",
            )
    return with_tag(result, found, position)


def _is_uniform(op: Any, operands: Sequence[Any]) -> bool:
    """Whether an operator or ufunc does the same for all kinds of its operands, in one type."""
    if any(map(has_exact, operands)):
        return False
    kinds = {kind for x in operands for kind in kinds_of(x)}
    if isinstance(op, np.ufunc):
        return op.nout > 1 or len({dtype_of(kind) for kind in kinds}) == 1
    if op not in _UNIFORM or not all(dtype_of(kind) in _WIDEST or kind is bool for kind in kinds):
        return False
    return op not in _GROWING or not mixes(_results(op, operands))


def _results(op: str, operands: Sequence[Any]) -> list[Any]:
    """The kinds of numbers that an operator gives for the kinds of its operands."""
    found = [_result(op, kinds) for kinds in itertools.product(*map(kinds_of, operands))]
    return [kind for kind in found if isinstance(kind, type)]


def _options(engine: Engine, x: Any) -> tuple[Any, ...] | None:
    if isinstance(x, Ref):
        content = engine.content(x)
        return (("array", content.dtype),) if isinstance(content, Array) else None
    return kinds_of(x) if is_number(x) else None


@functools.cache
def _result(op: Any, kinds: tuple[Any, ...]) -> Any:
    """The kind of what `op` gives for these kinds; None where it is an error."""
    samples = [_sample(kind) for kind in kinds]
    try:
        with np.errstate(all="ignore"):
            found = _OPERATORS.get(op, op)(*samples)
    except Exception:  # noqa: BLE001 - whatever is raised, there is no result
        return None
    if isinstance(found, np.ndarray):
        return ("array", found.dtype) if found.ndim else zero_dim(found.dtype)
    return type(found)


def _sample(kind: Any) -> Any:
    if isinstance(kind, tuple):
        return np.ones(1, kind[1])
    return kind(1)


def _of_arrays(engine: Engine, choices: Sequence[Any], result: Any) -> Any:
    if len(choices) > 1:
        names = sorted({str(kind[1]) for kind in choices})
        raise engine.refuse(
            f"the dtype of this array is {' or '.join(names)}: that depends on the path taken",
            "make the number one kind: float(x), int(x), or a NumPy scalar from the start",
        )
    return result


def position_of_all(operands: Sequence[Any]) -> Scalar:
    """Which of all combinations of the kinds of `operands` there is."""
    position, size = None, 1
    for x in operands:
        found = getattr(x, "kinds", None)
        if found is None:
            continue
        count = len(found.choices)
        position = (
            found.tag.value
            if position is None
            else add(multiply(position, number(count)), found.tag.value)
        )
        size *= count
    return one_of(position, size)
