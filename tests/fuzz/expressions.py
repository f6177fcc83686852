"""Random expressions: tables of productions by what they should give.

A production takes the scope and a depth and returns an `Expr`, or None where it does not apply.
The themes (`numbers`, `items`, `arrays`, `calls`, `library`) add theirs to the tables; here are
the tables, the leaves and the choice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fuzz.scope import Scope
from tests.fuzz.values import (
    DTYPES,
    SHAPES,
    Expr,
    array_text,
    draw,
    is_array,
    quarter,
    random_array,
    weighted,
)

Production = Callable[[Scope, int], Expr | None]
INTEGERS: dict[Production, int] = {}
REALS: dict[Production, int] = {}
BOOLEANS: dict[Production, int] = {}
SCALARS: dict[Production, int] = {}
ARRAYS: dict[Production, int] = {}


def production(table: dict[Production, int], weight: int) -> Callable[[Production], Production]:
    """Add the decorated function to a table."""

    def add(function: Production) -> Production:
        table[function] = weight
        return function

    return add


def is_int(value: Any) -> bool:
    return type(value) is int


def is_float(value: Any) -> bool:
    return type(value) is float


def is_bool(value: Any) -> bool:
    return type(value) is bool


def is_scalar(value: Any) -> bool:
    return isinstance(value, np.generic) and value.dtype.kind in "fiub"


def real_array(value: Any) -> bool:
    return is_array(value, "fiub")


def float_array(value: Any) -> bool:
    return is_array(value, "f")


def nonempty(value: Any) -> bool:
    return is_array(value) and value.size > 0


def choose(scope: Scope, table: dict[Production, int], depth: int, leaf: Production) -> Expr:
    """Try a few weighted productions; fall back on the leaf, which always works."""
    if depth > 0:
        for _ in range(6):
            found = draw(scope.rng, table, scope.avoid)(scope, depth - 1)
            if found is not None:
                return found
    found = leaf(scope, 0)
    assert found is not None
    return found


def int_leaf(scope: Scope, _: int) -> Expr:
    found = scope.pick(is_int) if scope.chance(0.8) else None
    number = scope.rng.choice((0, 1, 2, 3, 5, 7, -1, -4, 12))
    return found or Expr(str(number), number)


def integer(scope: Scope, depth: int) -> Expr:
    return choose(scope, INTEGERS, depth, int_leaf)


def float_leaf(scope: Scope, _: int) -> Expr:
    found = scope.pick(is_float) if scope.chance(0.75) else None
    if found is None and scope.chance(0.04):
        scope.feature("nan-inf")
        text = scope.rng.choice(("inf", "-inf", "nan", "-0.0"))
        return Expr(text, float(text))
    number = quarter(scope.rng)
    return found or Expr(repr(number), number)


def real(scope: Scope, depth: int) -> Expr:
    return choose(scope, REALS, depth, float_leaf)


def boolean_leaf(scope: Scope, _: int) -> Expr:
    a, b = integer(scope, 0), integer(scope, 0)
    op = scope.rng.choice(("<", "<=", ">", ">=", "==", "!="))
    found = scope.make(f"{a.text} % 7 {op} {b.text} % 5")
    return found or Expr("True", True)


def boolean(scope: Scope, depth: int) -> Expr:
    return choose(scope, BOOLEANS, max(depth, 0), boolean_leaf)


def scalar_leaf(scope: Scope) -> Expr | None:
    x = scope.pick(nonempty)
    if x is None:
        return None
    indices = [str(scope.rng.randrange(n)) for n in x.value.shape]
    return scope.make(f"{x.text}[{', '.join(indices) or '()'}]")


def numpy_scalar(scope: Scope, depth: int) -> Expr | None:
    if depth <= 0:
        return scope.pick(is_scalar) or scalar_leaf(scope)
    for _ in range(4):
        found = draw(scope.rng, SCALARS, scope.avoid)(scope, depth - 1)
        if found is not None and isinstance(found.value, np.generic):
            return found
    return None


def array_leaf(scope: Scope, _: int) -> Expr:
    found = scope.pick(is_array) if scope.chance(0.9) else None
    return found or new_array(scope, 0)


def new_array(scope: Scope, _: int) -> Expr:
    shape, dtype = weighted(scope.rng, SHAPES), weighted(scope.rng, DTYPES)
    value = random_array(scope.rng, dtype, shape)
    note_array(scope, value)
    return Expr(array_text(value), value)


def note_array(scope: Scope, value: np.ndarray) -> None:
    """Record the features that an array value brings."""
    scope.feature(f"dtype-{value.dtype.name}")
    if value.size == 0:
        scope.feature("zero-size")
    if value.ndim == 0:
        scope.feature("zero-dimensional")
    if value.dtype.kind in "fc" and not np.isfinite(value).all():
        scope.feature("nan-inf")
    if value.dtype.kind == "f" and np.any((value == 0) & np.signbit(value)):
        scope.feature("signed-zero")
    if value.dtype.kind in "iu" and value.size and np.abs(value.astype(float)).max() > 100:
        scope.feature("integer-edge")


def array(scope: Scope, depth: int) -> Expr:
    found = choose(scope, ARRAYS, depth, array_leaf)
    return found if is_array(found.value) else array_leaf(scope, 0)
