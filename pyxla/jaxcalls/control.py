"""JAX's structured control flow: the Python that is visited in its place.

A carry has JAX's types: numbers become arrays, and what a body returns must be of the carry's
types, where JAX promotes numbers only.  The types that a body gives are found by visiting it once
apart (`result_of`), before the loop is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import lax

from pyxla.abstract.lattice import Array, Const, Scalar, describe
from pyxla.errors import CompileError, also
from pyxla.grad.nested import visit
from pyxla.grad.trees import rebuild, zero
from pyxla.infer.calls.visiting import call_function
from pyxla.infer.engine import Engine
from pyxla.ir.types import ArrayType, array_type
from pyxla.jaxcalls.trees import Slot, abstract, skeleton
from pyxla.lib.operands import cast
from pyxla.lib.prng import Key
from pyxla.lib.registry import rule
from pyxla.ops.filled import constant

# What JAX makes of Python's numbers where 64-bit types are off.
NARROW = {
    np.dtype(wide): np.dtype(narrow)
    for wide, narrow in (("int64", "int32"), ("float64", "float32"), ("complex128", "complex64"))
}


def _visited(target: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Visit the decorated function where `target` is called."""

    def register(function: Any) -> Callable[..., Any]:
        @rule(target)
        def call(engine: Engine, *args: Any, **options: Any) -> Any:
            return call_function(engine, function, list(args), options)

        return function

    return register


# --- Python that is visited ----------------------------------------------------------------------


@_visited(lax.cond)
def cond(pred: Any, true_fun: Any, false_fun: Any, *operands: Any, **operand: Any) -> Any:
    if pred:
        result = true_fun(*operands, *operand.values())
    else:
        result = false_fun(*operands, *operand.values())
    return result


@_visited(lax.switch)
def switch(index: Any, branches: Any, *operands: Any) -> Any:
    if len(branches) == 1 or index <= 0:
        return branches[0](*operands)
    return switch(index - 1, branches[1:], *operands)


@_visited(lax.while_loop)
def while_loop(cond_fun: Any, body_fun: Any, init_val: Any) -> Any:
    found = result_of(body_fun, init_val)
    if is_doubtful(init_val, found):
        found = result_of(body_fun, carried(init_val, found, True))
    carry = carried(init_val, found)
    while cond_fun(carry):
        carry = settled(body_fun(carry), carry)
    return carry


@_visited(lax.fori_loop)
def fori_loop(lower: Any, upper: Any, body_fun: Any, init_val: Any, *, unroll: Any = None) -> Any:
    found = result_of(body_fun, lower, init_val)
    if is_doubtful(init_val, found):
        found = result_of(body_fun, lower, carried(init_val, found, True))
    carry = carried(init_val, found)
    for i in range(lower, upper):
        carry = settled(body_fun(i, carry), carry)
    return carry


@_visited(lax.scan)
def scan(
    f: Any,
    init: Any,
    xs: Any = None,
    length: Any = None,
    reverse: Any = False,
    unroll: Any = 1,
    _split_transpose: Any = False,
) -> Any:
    rows = jax.tree.leaves(xs)
    sizes = [len(row) for row in rows]
    count = sizes[0] if rows else length
    if [n for n in sizes if n != count]:
        raise ValueError(f"scan got values with different leading axis sizes: {sizes}")
    if length is not None and length != count:
        raise ValueError(
            f"scan got `length` argument of {length} which disagrees with leading axis sizes "
            f"{sizes}."
        )
    first = jax.tree.map(_first_row, xs)
    carry, y = result_of(f, init, first)
    carry = carried(init, carry, True)
    carry = carried(init, result_of(f, carry, first)[0])
    _, y = result_of(f, carry, first)  # whose type may be that of a carry that is wider now
    ys = jax.tree.map(lambda leaf: np.empty((count, *np.shape(leaf)), dtype_of(leaf)), y)
    for k in range(count):
        i = count - 1 - k if reverse else k
        after, y = f(carry, jax.tree.map(lambda rows: rows[i], xs))  # noqa: B023 - called here
        carry = settled(after, carry)
        jax.tree.map(lambda rows, row: _put(rows, i, row), ys, y)  # noqa: B023
    return carry, ys


def _first_row(rows: Any) -> Any:
    return rows[0] if len(rows) else np.zeros(np.shape(rows)[1:], rows.dtype)


def _put(rows: Any, i: Any, row: Any) -> None:
    rows[i] = row


@_visited(lax.map)
def map_(f: Any, xs: Any, *, batch_size: Any = None) -> Any:
    return lax.scan(lambda _, x: ((), f(x)), (), xs)[1]


# --- What they need of inference ------------------------------------------------------------------


def result_of(function: Any, *args: Any) -> Any:
    """Zeros of the types of `function(*args)`, of which nothing is executed."""


def carried(init: Any, result: Any, narrow: Any = False) -> Any:
    """`init` as the carry of a loop whose body returns values of the types of `result`.

    narrow: where a number met what is no number, 64 bits are taken for NumPy's default.
    """


def is_doubtful(init: Any, result: Any) -> Any:
    """Whether `carried` has other types with and without `narrow`."""


def settled(result: Any, carry: Any) -> Any:
    """What a body returns, of the types of the carry."""


def dtype_of(x: Any) -> Any:
    """The dtype that JAX gives a number or an array."""


@rule(result_of)
def _result_of(engine: Engine, function: Any, *args: Any) -> Any:
    nested = visit(engine, [], lambda: engine.rules.call(engine, function, list(args), {}))
    if nested.result is None:
        raise engine.refuse("this function never returns")
    return rebuild(engine, nested.result, zero)


@rule(dtype_of)
def _dtype_of(engine: Engine, x: Any) -> Any:
    return Const(_type(engine, _operand(engine, x)).dtype)


@rule(carried)
def _carried(engine: Engine, init: Any, result: Any, narrow: Any = Const(False)) -> Any:
    def leaf(old: Array | Scalar, new: Array | Scalar) -> Array:
        return Array(cast(old.value, _carry_dtype(engine, old, new, bool(narrow.value))))

    return _by_leaves(engine, leaf, init, result)


@rule(is_doubtful)
def _is_doubtful(engine: Engine, init: Any, result: Any) -> Any:
    doubts: list[bool] = []

    def leaf(old: Array | Scalar, new: Array | Scalar) -> Array:
        both = [_carry_dtype(engine, old, new, narrow) for narrow in (False, True)]
        doubts.append(both[0] != both[1])
        return Array(old.value)

    _by_leaves(engine, leaf, init, result)
    return Const(any(doubts))


def _carry_dtype(
    engine: Engine, old: Array | Scalar, new: Array | Scalar, narrow: bool
) -> np.dtype:
    """The dtype of a carry: numbers are promoted as JAX does, by kind before width."""
    mine, other = _type(engine, old), _type(engine, new)
    if not old.value.type.weak:
        return mine.dtype
    order = "biufcV".index  # bfloat16 is of kind V
    if min(order(mine.dtype.kind), 3) > min(order(other.dtype.kind), 3):
        return mine.dtype
    if new.value.type.weak and mine.dtype.kind == other.dtype.kind:
        return mine.dtype
    return NARROW.get(other.dtype, other.dtype) if narrow and not engine.wide() else other.dtype


@rule(settled)
def _settled(engine: Engine, result: Any, carry: Any) -> Any:
    def leaf(new: Array | Scalar, old: Array | Scalar) -> Array:
        given = new.value.type
        if not given.weak and given != old.value.type:
            raise engine.refuse(
                f"the carry is {old.value.type}, and the body returns {given} for it",
                "convert one of them: the types of a carry do not change",
                kind=also(TypeError),
            )
        return Array(cast(new.value, old.value.type.dtype))

    return _by_leaves(engine, leaf, result, carry)


def _by_leaves(engine: Engine, leaf: Callable[..., Array], x: Any, y: Any) -> Any:
    """`x` with other leaves, made of its own and those of `y`, which has the same structure."""

    def both(x: Any, y: Any) -> Any:
        given = [abstract(engine, leaf) for leaf in (x, y)]
        if isinstance(engine.operand(given[0]), Key):
            return x
        values = [_operand(engine, leaf) for leaf in given]
        return Slot(engine, engine.abstract(leaf(*values)))

    try:
        made = jax.tree.map(both, skeleton(engine, x), skeleton(engine, y))
    except CompileError:
        raise
    except (TypeError, ValueError) as error:
        raise engine.refuse(
            "the carry and what the body returns for it differ in structure", kind=also(TypeError)
        ) from error
    return abstract(engine, made)


def _operand(engine: Engine, x: Any) -> Array | Scalar:
    """A leaf of a carry: an array or a number, by value."""
    value = engine.operand(x)
    if isinstance(value, Array | Scalar):
        return value
    if isinstance(value, bool | int | float | complex | np.generic):
        weak = not isinstance(value, np.generic)
        return Array(constant(value=np.asarray(value), weak=weak))
    raise engine.refuse(
        f"{describe(x)} is no array or number, as JAX's loops carry", kind=also(TypeError)
    )


def _type(engine: Engine, x: Array | Scalar) -> ArrayType:
    """The type of a leaf, of a Python number the one that JAX gives it."""
    type = x.value.type
    if not type.weak or engine.wide():
        return type
    return array_type(NARROW.get(type.dtype, type.dtype), type.shape)
