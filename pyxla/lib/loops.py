"""Loops inside library functions, on operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyxla.abstract.lattice import Array, Scalar
from pyxla.ir.build import current
from pyxla.ir.core import Value
from pyxla.lib.operators import to_python
from pyxla.ops.control import while_


def while_loop(
    cond: Callable[..., Scalar], body: Callable[..., Sequence[Any]], inits: Sequence[Any]
) -> tuple[Any, ...]:
    """`while cond(*state): state = body(*state)`; the state keeps its types."""
    classes = [type(x) for x in inits]

    def wrapped(values: Sequence[Value]) -> list[Any]:
        return [make(value) for make, value in zip(classes, values, strict=True)]

    def test(*values: Value) -> Value:
        return cond(*wrapped(values)).value

    def step(*values: Value) -> tuple[Value, ...]:
        return tuple([x.value for x in body(*wrapped(values))])

    builder = current()
    types = [x.type for x in inits]
    regions = (builder.region(types, test), builder.region(types, step))
    results = while_(*[x.value for x in inits], regions=regions)
    return tuple(wrapped(results))


def fold_range(
    start: Any, stop: Any, body: Callable[..., Sequence[Any]], inits: Sequence[Any]
) -> tuple[Any, ...]:
    """`for i in range(start, stop): state = body(i, *state)`."""
    limit = to_python(stop, int)

    def step(i: Scalar, *state: Array | Scalar) -> tuple[Any, ...]:
        return (i + 1, *body(i, *state))

    return while_loop(lambda i, *_: i < limit, step, (to_python(start, int), *inits))[1:]
