"""Unrolled loops: fewer iterations, the same results."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyxla
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Region, Value
from pyxla.ir.types import I64, ArrayType, array_type
from pyxla.ops.control import while_
from pyxla.ops.elementwise import add, compare, minimum, multiply, select, subtract
from pyxla.ops.shape import constant
from tests.compare import difference

F64 = array_type(np.dtype(np.float64))


def number(content: Any) -> Value:
    return constant(value=np.asarray(content))


def below(x: Value, y: Value) -> Value:
    return compare(x, y, direction="LT")


def one_loop(types: list[ArrayType], cond: Callable, body: Callable) -> Region:
    """A region with parameters (limit, *state), which loops over the state."""
    region = Region((Value(types[0]), *[Value(t) for t in types]))
    limit, *state = region.params
    builder = Builder(region.instrs)
    with building(builder):
        test = builder.region(types, lambda *s: cond(limit, *s))
        step = builder.region(types, lambda *s: body(limit, *s))
        region.results = while_(*state, regions=(test, step))
    return region


def bits(results: tuple[Any, ...]) -> list[bytes]:
    return [np.asarray(result).tobytes() for result in results]


def fibonacci() -> Region:
    """while b < limit: a, b = b, a + b"""
    return one_loop([F64, F64], lambda limit, a, b: below(b, limit), lambda _, a, b: (b, add(a, b)))


def random_loop(seed: int) -> Region:
    """Ten random operations on three numbers; a counter, and on odd seeds another condition."""

    def body(limit: Value, i: Value, *state: Value) -> tuple[Value, ...]:
        rng = np.random.default_rng(seed)
        pool = [*state, i, number(np.int64(rng.integers(-5, 6)))]
        for _ in range(10):
            op = (add, subtract, multiply, minimum)[rng.integers(4)]
            x, y = (pool[k] for k in rng.integers(len(pool), size=2))
            pool.append(op(x, y))
        return add(i, number(1)), *[pool[k] for k in rng.integers(3, len(pool), size=3)]

    def cond(limit: Value, i: Value, a: Value, *_: Value) -> Value:
        test = below(i, limit)
        return select(below(a, number(2**40)), test, number(False)) if seed % 2 else test

    return one_loop([I64] * 4, cond, body)


def escape_times(rows, limit):
    total = 0
    for i in range(rows):
        x, y, n = 0.0, 0.0, 0
        while n < limit and x * x + y * y < 4.0:
            x, y = x * x - y * y - 1.2 + 0.05 * i, 2.0 * x * y + 0.1
            n += 1
        total += n
    return total


def dots(a):
    total, largest = 0.0, -1.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total = 0.5 * total + a[i, j] * a[i, a.shape[1] - 1 - j]
            if a[i, j] > largest:
                largest = a[i, j]
        else:
            total += j
    return total, largest


def first_above(a, bound):
    for i in range(a.shape[1]):
        if a[0, i] + a[1, i] > bound:
            return i
    return -1


@pytest.mark.parametrize(
    ("function", "args"),
    [(escape_times, (40, 50)), (dots, (np.arange(39.0).reshape(3, 13) % 7,))]
    + [(first_above, (np.arange(46.0).reshape(2, 23), bound)) for bound in (0.0, 30.0, 35.5, 90.0)],
)
def test_programs(function: Callable, args: tuple[Any, ...]):
    assert pyxla.compile(function)(*args) == pytest.approx(function(*args), rel=1e-12)


def blended(a, weights):
    y = np.empty(a.shape[0])
    for i in range(a.shape[0]):
        s = 0.0
        for w in weights:
            s = s * a[i] + w
        y[i] = s
    return y


def smeared(a, weights):
    y = np.zeros(a.shape[0])
    for i in range(a.shape[0] - len(weights) + 1):
        s = 1.0
        for k in range(len(weights)):
            s = 0.5 * s + a[i + k] * weights[k]
        y[i] = s
    return y


def digits(a, weights):
    total = 0
    for i in range(a.shape[0]):
        n, s = int(a[i] * 1000), 0
        for _ in range(len(weights)):
            n, s = n // 2, s + n % 2
        total += s * s
    return total


@pytest.mark.parametrize("function", [blended, smeared, digits])
def test_a_loop_in_a_loop_with_one_stride_is_none(function: Callable):
    rng = np.random.default_rng(0)
    a = rng.random(50)
    for count in (1, 4, 8, 9, 12, 15, 16, 17, 27):
        weights = rng.random(count)
        assert not difference(pyxla.compile(function)(a, weights), function(a, weights))
    text = pyxla.code_stablehlo(blended, pyxla.f64[50], pyxla.f64[12])
    assert text.count("stablehlo.while") == 1


def smoothed(a):
    """Each element with its neighbours, nearer and more alike ones for more."""
    h, w = a.shape
    out = np.empty_like(a)
    for i in range(h):
        for j in range(w):
            total, weights = 0.0, 0.0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    near = a[min(max(i + di, 0), h - 1), min(max(j + dj, 0), w - 1)]
                    weight = math.exp(-(di * di + dj * dj) / 2.0 - (near - a[i, j]) ** 2)
                    total, weights = total + weight * near, weights + weight
            out[i, j] = total / weights
    return out


def test_neighbours_need_no_loop_in_a_kernel():
    a = np.random.default_rng(0).random((8, 9))
    assert not difference(pyxla.compile(smoothed)(a), smoothed(a))
    assert pyxla.code_stablehlo(smoothed, pyxla.f64[8, 9]).count("stablehlo.while") == 2
