"""Generator functions that users compile: the caller gets a generator, as from CPython."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import pyxla
from pyxla import CompileError


def doubled(x):
    while x < 100:
        yield x
        x *= 2


def primes(n):
    sieve = [True] * (n + 1)
    for i in range(2, n + 1):
        if sieve[i]:
            yield i
            for j in range(i * i, n + 1, i):
                sieve[j] = False


def rows(a):
    for row in a:
        yield row.sum(), row * 2
    yield from enumerate(a[0])


def flat(x):
    for item in x:
        if isinstance(item, list):
            yield from flat(item)
        else:
            yield item


def inverses(xs):
    for x in xs:
        yield 1 / x


def nothing(x):
    return
    yield x


class Steps:
    def __init__(self, start):
        self.start = start

    @pyxla.compile
    def upwards(self, n):
        for i in range(n):
            yield self.start + i


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (doubled, (3.0,)),
    (doubled, (200,)),
    (primes, (30,)),
    (rows, (np.arange(6.0).reshape(3, 2),)),
    (flat, ([1, [2, [3.0, 4]], 5],)),
    (inverses, ([1.0, 2.0],)),
    (nothing, (1,)),
]


@pytest.mark.parametrize(("function", "args"), CASES)
def test_items(function: Callable[..., Any], args: tuple[Any, ...]):
    compiled = pyxla.compile(function)
    for _ in range(2):
        found = compiled(*args)
        assert type(found) is types.GeneratorType
        assert str(list(found)) == str(list(function(*args)))
        assert list(found) == []


def test_of_a_method():
    assert list(Steps(3).upwards(2)) == [3, 4]


def test_items_come_before_what_is_raised():
    read, found = [], pyxla.compile(inverses)([1.0, 2.0, 0.0, 4.0])
    with pytest.raises(ZeroDivisionError):
        for x in found:
            read.append(x)
    assert read == [1.0, 0.5]


def test_ints_of_more_bits_are_those_of_cpython():
    def powers(n):
        for i in range(n):
            yield 10 ** (i * 9)

    assert list(pyxla.compile(powers)(4)) == [1, 10**9, 10**18, 10**27]


def test_a_time_limit_is_kept():
    def long(n):
        total = 0.0
        for i in range(n):
            total = (total * 1.0000001 + i) % 1e9
        yield total

    with pytest.raises(TimeoutError):
        pyxla.compile(long, timeout=0.2)(10**10)


def test_wrong_arguments_raise_at_the_call():
    with pytest.raises(TypeError, match="positional argument"):
        pyxla.compile(doubled)()


def test_what_is_refused_is_not_run_by_cpython():
    def printing(x):
        print(x)
        yield x

    with pytest.raises(CompileError, match="prints"):
        pyxla.compile(printing)(1.0)


def test_called_from_other_functions():
    compiled = pyxla.compile(doubled)
    assert pyxla.compile(lambda x: sum(compiled(x)))(3.0) == sum(doubled(3.0))

    @pyxla.compile
    def both(x):
        yield x
        yield x * 2

    assert float(jax.jit(lambda x: sum(both(x)))(3.0)) == 9.0


def test_artifacts(tmp_path):
    pyxla.build(doubled, float, path=tmp_path / "doubled.pyxla")
    assert list(pyxla.load(tmp_path / "doubled.pyxla")(30.0)) == [30.0, 60.0]


def batches(xs, n):
    batch = []
    for x in xs:
        batch.append(x)
        if len(batch) == n:
            yield batch
            batch = []
    if batch:
        yield batch


def subsets(xs):
    for mask in range(1 << len(xs)):
        yield [xs[i] for i in range(len(xs)) if mask >> i & 1]


def states(x, n):
    x = x.copy()
    for i in range(n):
        x = x.copy()
        x[i % 3] = i
        yield x


def growing(n):
    path = []
    for i in range(n):
        path.append(i)
        yield path


def changing(x, n):
    x = x.copy()
    for i in range(n):
        x[i % 3] = i
        yield x


def changing_twice(x):
    x = x.copy()
    x[0] = 1
    yield x
    x[0] = 2
    yield x


class Point:
    def __init__(self, x):
        self.x = x


def instances(n):
    for i in range(n):
        yield Point(i)


@pytest.mark.parametrize(
    ("function", "args"),
    [(batches, ([1, 2, 3, 4, 5], 2)), (subsets, ([1, 2, 3],)), (states, (np.zeros(3), 5))],
)
def test_lists_and_arrays_as_items(function: Callable[..., Any], args: tuple[Any, ...]):
    assert str(list(pyxla.compile(function)(*args))) == str(list(function(*args)))


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (growing, (3,)),
        (changing, (np.zeros(3), 4)),
        (changing_twice, (np.zeros(3),)),
        (instances, (2,)),
    ],
)
def test_items_that_change_are_refused(function: Callable[..., Any], args: tuple[Any, ...]):
    """A caller who reads items one by one would see each as it is at the end."""
    with pytest.raises(CompileError) as error:
        pyxla.compile(function)(*args)
    assert error.value.filename == __file__
