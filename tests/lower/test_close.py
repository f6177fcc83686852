"""Computations that capture: closed, they compute what they computed."""

from __future__ import annotations

import numpy as np
import pytest

from pyxla.errors import CompileError
from pyxla.ir.build import current
from pyxla.ir.rewrite import captures, walk
from pyxla.ir.types import array_type
from pyxla.ir.verify import verify_region
from pyxla.lower.close import CLOSED, close
from pyxla.ops.computation import apply, build_region
from pyxla.ops.control import if_, map_, while_
from pyxla.ops.elementwise import (
    add,
    and_,
    compare,
    convert,
    maximum,
    multiply,
    power,
    select,
    subtract,
)
from pyxla.ops.evaluate import evaluate
from pyxla.ops.index import dynamic_slice, scatter
from pyxla.ops.reduce import reduce, reduce_window, select_and_scatter
from pyxla.ops.shape import constant, reshape
from pyxla.ops.shape import slice as slice_
from pyxla.ops.sort import sort
from tests.ops.harness import close as same
from tests.ops.harness import run

X, C = np.arange(6.0).reshape(2, 3), np.array([2.0, -3.0])
F64 = array_type(np.dtype(np.float64))


def number(value: float):
    return constant(value=np.array(value))


def second(c):
    """c[1], sliced where it is used."""
    return reshape(slice_(c, start_indices=(1,), limit_indices=(2,)), shape=())


def reduced(x, c):
    return apply(
        reduce, x, number(0.0), dimensions=(0,),
        computation=lambda a, b: maximum(a, multiply(b, multiply(second(c), number(-2.0)))),
    )  # fmt: skip


def windows(x, c):
    k = second(c)
    return apply(
        reduce_window, x, number(1.0), window_dimensions=(2, 2), padding=((1, 0), (0, 1)),
        computation=lambda a, b: add(a, multiply(b, k)),
    )  # fmt: skip


def mapped(x, c):
    """A conditional inside: its branches capture the parameter and the number."""
    k = second(c)

    def body(a):
        region = current().region
        branches = region((), lambda: multiply(a, k)), region((), lambda: subtract(a, k))
        return if_(compare(a, k, direction="LT"), regions=branches)[0]

    return apply(map_, x, computation=body)


def sorted_by_distance(x, c):
    k = second(c)

    def distance(a):
        return multiply(add(a, k), add(a, k))

    return apply(
        sort, x, dimension=1,
        comparator=lambda a, b: compare(distance(a), distance(b), direction="LT"),
    )  # fmt: skip


def scattered(x, c):
    k, limit = second(c), number(2.5)

    def put(old, new):
        return select(compare(old, limit, direction="GT"), multiply(new, k), old)

    return apply(
        scatter, x, constant(value=np.array([[1], [0]])), x, update_window_dims=(1,),
        inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,), index_vector_dim=1,
        computation=put,
    )  # fmt: skip


@pytest.mark.parametrize("body", [reduced, windows, mapped, sorted_by_distance, scattered])
def test_closed_code_computes_the_same(body):
    types = [array_type(X.dtype, X.shape), array_type(C.dtype, C.shape)]
    want = evaluate(build_region(types, body), [X, C])
    region = close(build_region(types, body))
    assert not any(captures(i) for i in walk(region.instrs) if i.op in CLOSED)
    assert same(evaluate(region, [X, C])[0], want[0])
    assert same(run(region, [X, C])[0], want[0])


def test_what_captures_nothing_is_left_alone():
    def body(x):
        return apply(reduce, x, number(0.0), dimensions=(0,), computation=lambda a, b: add(a, b))

    region = close(build_region([array_type(X.dtype, X.shape)], body))
    assert [instr.op.name for instr in region.instrs] == ["constant", "reduce"]


def look(table, at):
    at = convert(at, dtype=np.dtype("i4"))
    return reshape(dynamic_slice(table, at, slice_sizes=(1,)), shape=())


def doubled(a, limit):
    """a doubled while it is positive and below limit."""
    region = current().region

    def small(a):
        return and_(compare(a, limit, direction="LT"), compare(number(0.0), a, direction="LT"))

    return while_(a, regions=(region([F64], small), region([F64], lambda a: add(a, a))))[0]


def looked_up(x, c):
    return apply(map_, x, computation=lambda a: multiply(look(c, a), a))


def mapped_loop(x, c):
    k = second(c)
    return apply(map_, x, x, computation=lambda a, b: doubled(a, subtract(b, k)))


def reduced_loop(x, c):
    return apply(
        reduce, x, number(1.0), dimensions=(0,),
        computation=lambda a, b: doubled(maximum(a, b), number(20.0)),
    )  # fmt: skip


def reduced_lookup(x, c):
    def body(a, b, p, q):
        return add(a, look(c, p)), maximum(b, q)

    start = number(0.0), number(-np.inf)
    return apply(reduce, x, x, *start, dimensions=(0, 1), computation=body)


def nothing_to_loop_over(x, c):
    none = slice_(x, start_indices=(0, 0), limit_indices=(0, 3))
    return apply(reduce, none, number(3.0), dimensions=(0,), computation=lambda a, b: doubled(a, b))


def integer_powers(x, c):
    return apply(map_, convert(x, dtype=np.dtype("i8")), computation=lambda a: power(a, a))


SERIALIZED = [
    looked_up, mapped_loop, reduced_loop, reduced_lookup, nothing_to_loop_over, integer_powers,
]  # fmt: skip


@pytest.mark.parametrize("body", SERIALIZED)
def test_what_computations_cannot_do_becomes_a_loop(body):
    types = [array_type(X.dtype, X.shape), array_type(C.dtype, C.shape)]
    want = evaluate(build_region(types, body), [X, C])
    region = close(build_region(types, body))
    verify_region(region)
    assert not any(instr.op in CLOSED for instr in walk(region.instrs))
    for got, expected in zip(run(region, [X, C]), want, strict=True):
        assert same(got, expected)


def test_refuses_loops_in_a_comparator():
    def before(a, b):
        return compare(doubled(a, b), b, direction="LT")

    def body(x):
        return apply(sort, x, dimension=0, comparator=before)

    with pytest.raises(CompileError, match="the function given to sort loops"):
        close(build_region([array_type(X.dtype, X.shape)], body))


def test_refuses_what_cannot_take_more_operands():
    def body(x, c):
        def choose(a, b):
            return compare(multiply(a, second(c)), b, direction="GE")

        source = slice_(x, start_indices=(0, 0), limit_indices=(1, 2))
        return apply(
            select_and_scatter, x, source, number(0.0), window_dimensions=(2, 2), select=choose,
            computation=lambda a, b: add(a, b),
        )  # fmt: skip

    types = [array_type(X.dtype, X.shape), array_type(C.dtype, C.shape)]
    with pytest.raises(CompileError, match="captures a value known at run time"):
        close(build_region(types, body))
