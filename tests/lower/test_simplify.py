"""Simplification: pairs of functions, before and after."""

from __future__ import annotations

import numpy as np
import pytest

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Region
from pyxla.ir.printer import print_function
from pyxla.ir.types import BOOL, I64, array_type, python_type
from pyxla.ir.verify import verify_region
from pyxla.lower.simplify import dead_code, simplify
from pyxla.ops.control import if_, while_
from pyxla.ops.elementwise import (
    add,
    and_,
    compare,
    convert,
    divide,
    exponential,
    multiply,
    negate,
    not_,
    or_,
    remainder,
    select,
    subtract,
)
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.shape import broadcast_in_dim, constant, reshape, transpose

F64 = array_type(np.dtype(np.float64))
F32 = array_type(np.dtype(np.float32))
I32 = array_type(np.dtype(np.int32))
MATRIX = array_type(np.dtype(np.float64), (3, 40))
VECTOR = array_type(np.dtype(np.float64), (100,))


def region_of(types, function) -> Region:
    builder = Builder([])
    with building(builder):
        region = builder.region(types, function)
    verify_region(region)
    return region


def branch(function):
    from_builder = Builder([])
    with building(from_builder):
        return from_builder.region((), function)


def number(value, type=I64):
    content = np.asarray(value, type.dtype)
    return constant(value=content, weak=True) if type.weak else constant(value=content)


def loop(inits, cond, body):
    types = [value.type for value in inits]
    return while_(*inits, regions=(region_of_loop(types, cond), region_of_loop(types, body)))


def region_of_loop(types, function):
    builder = Builder([])
    with building(builder):
        return builder.region(types, function)


def text(region):
    return print_function(region).replace(" weak=False", "")


def modulus(r, y):
    """Python's x % y of the remainder."""
    negative = [compare(v, number(0), direction="LT") for v in (r, y)]
    signs = compare(*negative, direction="NE")
    return select(and_(compare(r, number(0), direction="NE"), signs), add(r, y), r)


PAIRS = {
    "x + 0 -> x": ((I64,), lambda x: add(x, number(0)), lambda x: x),
    "float x + 0.0 stays, for x = -0.0": (
        (F64,),
        lambda x: add(x, number(0, F64)),
        lambda x: add(x, number(0, F64)),
    ),
    "x - 0.0 -> x": ((F64,), lambda x: subtract(x, number(0, F64)), lambda x: x),
    "x * 1 -> x": ((F64,), lambda x: multiply(number(1, F64), x), lambda x: x),
    "x * 0 -> 0 for integers": ((I64,), lambda x: multiply(x, number(0)), lambda x: number(0)),
    "x / 1 -> x": ((F64,), lambda x: divide(x, number(1, F64)), lambda x: x),
    "-(-x) -> x": ((F64,), lambda x: negate(negate(x)), lambda x: x),
    "x - x -> 0": ((I64,), lambda x: subtract(x, x), lambda x: number(0)),
    "(x + 1) + 2 -> x + 3": (
        (I64,),
        lambda x: add(add(x, number(1)), number(2)),
        lambda x: add(x, number(3)),
    ),
    "constants fold": (
        (I64,),
        lambda x: multiply(x, add(number(2), number(3))),
        lambda x: multiply(x, number(5)),
    ),
    "common subexpressions": (
        (F64,),
        lambda x: add(exponential(x), exponential(x)),
        lambda x: (lambda y: add(y, y))(exponential(x)),
    ),
    "dead code": ((F64,), lambda x: (exponential(x), x)[1], lambda x: x),
    "x and x -> x": ((BOOL,), lambda x: and_(x, x), lambda x: x),
    "x and not x -> false": (
        (BOOL,),
        lambda x: and_(x, not_(x)),
        lambda x: constant(value=np.asarray(False)),
    ),
    "not (x < y) -> x >= y for integers": (
        (I64, I64),
        lambda x, y: not_(compare(x, y, direction="LT")),
        lambda x, y: compare(x, y, direction="GE"),
    ),
    "not (x < y) stays for floats": (
        (F64, F64),
        lambda x, y: not_(compare(x, y, direction="LT")),
        lambda x, y: not_(compare(x, y, direction="LT")),
    ),
    "a bool compared with false": (
        (BOOL,),
        lambda x: compare(x, number(False, BOOL), direction="EQ"),
        lambda x: not_(x),
    ),
    "not of a comparison that was made strong": (
        (python_type(int),),
        lambda x: not_(
            convert(compare(x, number(0, x.type), direction="LT"), dtype=np.dtype(bool), weak=False)
        ),
        lambda x: convert(
            compare(x, number(0, x.type), direction="GE"), dtype=np.dtype(bool), weak=False
        ),
    ),
    "select of one value": ((BOOL, F64), lambda c, x: select(c, x, x), lambda c, x: x),
    "select by a negation": (
        (BOOL, F64, F64),
        lambda c, x, y: select(not_(c), x, y),
        lambda c, x, y: select(c, y, x),
    ),
    "select of true": (
        (BOOL, BOOL),
        lambda c, x: select(c, constant(value=np.asarray(True)), x),
        lambda c, x: or_(c, x),
    ),
    "nested selects": (
        (BOOL, F64, F64),
        lambda c, x, y: select(c, select(c, x, y), y),
        lambda c, x, y: select(c, x, y),
    ),
    "selectors of control flow": (
        (BOOL, BOOL),
        lambda c, d: compare(
            select(c, number(1), select(d, number(2), number(3))), number(2), direction="EQ"
        ),
        lambda c, d: and_(not_(c), d),
    ),
    "conversion there and back": (
        (I32,),
        lambda x: convert(convert(x, dtype=np.int64), dtype=np.int32),
        lambda x: x,
    ),
    "a conversion that loses stays": (
        (F64,),
        lambda x: convert(convert(x, dtype=np.float32), dtype=np.float64),
        lambda x: convert(convert(x, dtype=np.float32), dtype=np.float64),
    ),
    "bool of int32 of float64 stays": (
        (F64,),
        lambda x: convert(convert(x, dtype=np.int32), dtype=np.float64),
        lambda x: convert(convert(x, dtype=np.int32), dtype=np.float64),
    ),
    "a weak result stays weak": (
        (python_type(float),),
        lambda x: multiply(x, number(1, python_type(float))),
        lambda x: x,
    ),
    "reshape of reshape": (
        (MATRIX,),
        lambda x: reshape(reshape(x, shape=(120,)), shape=(40, 3)),
        lambda x: reshape(x, shape=(40, 3)),
    ),
    "reshape there and back": (
        (MATRIX,),
        lambda x: reshape(reshape(x, shape=(120,)), shape=(3, 40)),
        lambda x: x,
    ),
    "transposes cancel": (
        (MATRIX,),
        lambda x: transpose(transpose(x, permutation=(1, 0)), permutation=(1, 0)),
        lambda x: x,
    ),
    "broadcasts compose": (
        (F64,),
        lambda x: broadcast_in_dim(
            broadcast_in_dim(x, shape=(3,), broadcast_dimensions=()),
            shape=(2, 3),
            broadcast_dimensions=(1,),
        ),
        lambda x: broadcast_in_dim(x, shape=(2, 3), broadcast_dimensions=()),
    ),
    "reading what was written": (
        (VECTOR, array_type(np.dtype(np.float64), (1,)), I64),
        lambda a, u, i: dynamic_slice(dynamic_update_slice(a, u, i), i, slice_sizes=(1,)),
        lambda a, u, i: u,
    ),
    "writing what was read": (
        (VECTOR, I64),
        lambda a, i: dynamic_update_slice(a, dynamic_slice(a, i, slice_sizes=(1,)), i),
        lambda a, i: a,
    ),
    "a conditional of a constant": (
        (F64,),
        lambda x: if_(
            constant(value=np.asarray(True)),
            regions=(branch(lambda: exponential(x)), branch(lambda: x)),
        )[0],
        lambda x: exponential(x),
    ),
    "what both branches pass is no result": (
        (BOOL, VECTOR),
        lambda c, a: if_(c, regions=(branch(lambda: (a, exponential(a))), branch(lambda: (a, a)))),
        lambda c, a: (
            a,
            if_(c, regions=(branch(lambda: exponential(a)), branch(lambda: a)))[0],
        ),
    ),
    "a predicate is known in its branches": (
        (BOOL, VECTOR),
        lambda c, a: if_(
            c,
            regions=(
                branch(lambda: if_(c, regions=(branch(lambda: exponential(a)), branch(lambda: a)))),
                branch(lambda: a),
            ),
        )[0],
        lambda c, a: if_(c, regions=(branch(lambda: exponential(a)), branch(lambda: a)))[0],
    ),
    "what a conditional gives back twice it gives back once": (
        (BOOL, VECTOR),
        lambda c, a: (lambda r: (add(r[0], r[1]), r[2]))(
            if_(
                c,
                regions=(
                    branch(lambda: (lambda e: (e, e, e))(exponential(a))),
                    branch(lambda: (a, a, negate(a))),
                ),
            )
        ),
        lambda c, a: (lambda r: (add(r[0], r[0]), r[1]))(
            if_(
                c,
                regions=(
                    branch(lambda: (lambda e: (e, e))(exponential(a))),
                    branch(lambda: (a, negate(a))),
                ),
            )
        ),
    ),
    "slots that never change are captured": (
        (I64, VECTOR),
        lambda n, a: loop(
            (number(0), n, a),
            lambda i, m, x: compare(i, m, direction="LT"),
            lambda i, m, x: (add(i, m), m, multiply(x, x)),
        )[2],
        lambda n, a: loop(
            (number(0), a),
            lambda i, x: compare(i, n, direction="LT"),
            lambda i, x: (add(i, n), multiply(x, x)),
        )[1],
    ),
    "slots that only feed each other go": (
        (I64,),
        lambda n: loop(
            (number(0), n, n),
            lambda i, x, y: compare(i, n, direction="LT"),
            lambda i, x, y: (add(i, n), multiply(y, n), add(x, y)),
        )[0],
        lambda n: loop(
            (number(0),),
            lambda i: compare(i, n, direction="LT"),
            lambda i: add(i, n),
        )[0],
    ),
    "equal slots become one": (
        (I64,),
        lambda n: add(
            *loop(
                (number(5), number(5)),
                lambda i, j: compare(i, n, direction="LT"),
                lambda i, j: (add(i, n), add(i, n)),
            )
        ),
        lambda n: (lambda r: add(r, r))(
            loop((number(5),), lambda i: compare(i, n, direction="LT"), lambda i: add(i, n))[0]
        ),
    ),
    "a modulus is 0 where the remainder is": (
        (I64, I64),
        lambda x, y: compare(modulus(remainder(x, y), y), number(0), direction="EQ"),
        lambda x, y: compare(remainder(x, y), number(0), direction="EQ"),
    ),
    "work that does not vary leaves the loop": (
        (F64, VECTOR),
        lambda x, a: loop(
            (a, x),
            lambda b, y: compare(y, x, direction="LT"),
            lambda b, y: (add(b, exponential(a)), add(y, exponential(x))),
        ),
        lambda x, a: (
            lambda e, f: loop(
                (a, x),
                lambda b, y: compare(y, x, direction="LT"),
                lambda b, y: (add(b, e), add(y, f)),
            )
        )(exponential(a), exponential(x)),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_before_and_after(name):
    types, before, after = PAIRS[name]
    region = simplify(region_of(types, before))
    verify_region(region)
    assert text(region) == text(dead_code(region_of(types, after)))


def test_loops_have_constants_of_their_own():
    """A constant outside is written again inside, not carried in."""

    def program(n):
        one = number(1)
        total = loop(
            (number(0),),
            lambda i: compare(i, n, direction="LT"),
            lambda i: add(i, one),
        )[0]
        return add(total, one)

    region = simplify(region_of((I64,), program))
    (loop_instr,) = [instr for instr in region.instrs if instr.op is while_]
    assert [instr.op.name for instr in loop_instr.regions[1].instrs] == ["constant", "add"]


def test_results_keep_their_weakness():
    region = region_of((python_type(int),), lambda x: multiply(x, number(0)))
    (result,) = simplify(region).results
    assert not result.type.weak


def test_equal_slots_are_one_wherever_their_values_lie_in_memory():
    for _ in range(50):
        region = region_of(
            (I64, I64, I64),
            lambda n, i, step: loop(
                [i, i],
                lambda x, y: compare(add(x, y), n, direction="LT"),
                lambda x, y: (add(x, step), add(step, y)),
            ),
        )
        (made,) = [instr for instr in simplify(region).instrs if instr.op is while_]
        assert len(made.results) == 1
