"""A recognizer takes apart, as `flatten` does, what has the key of its arguments, nothing else."""

from __future__ import annotations

import collections
import dataclasses
import enum
import gc
import itertools
import operator
import weakref

import jax
import numpy as np
import pytest

import pyxla
from pyxla.runtime.recognize import Guards, recognizer
from pyxla.runtime.signature import flatten


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass
class Point:
    x: object
    y: object


@dataclasses.dataclass(slots=True)
class Slim:
    x: object
    y: object


@jax.tree_util.register_pytree_node_class
class Pair(dict):
    def tree_flatten(self):
        return (self["a"], self["b"]), self["about"]

    @classmethod
    def tree_unflatten(cls, about, items):
        return cls(a=items[0], b=items[1], about=about)


Named = collections.namedtuple("Named", "x y")
A, B = np.zeros(3), np.zeros(3)
ONE: list[float] = [1.0]
ROWS = [[i] * (i % 5) for i in range(30)]
GRID = [[1.5] * 9 for _ in range(9)]
JAX = jax.numpy.zeros(3, np.float32)


class Text(str):
    pass


ARGUMENTS = [
    *[(A,), (B,), (A, B), (np.zeros(4),), (np.zeros((3, 1)),), (np.zeros(3, np.float32),), ()],
    *[(np.zeros(3, ">f8"),), (np.zeros(3, np.longlong),), (np.zeros(3, np.int64),), (A[0],)],
    *[(JAX,), (JAX[:2],), (JAX[0],), (jax.numpy.int32(1),), (jax.random.key(0),)],
    *[(1,), (2,), (1.0,), (2.0,), (-0.0,), (0.0,), (1j,), (True,), (False,), (None,)],
    *[("a",), ("b",), (Text("a"),), (np.float64(1),), (np.float32(1),), (np.int64(1),)],
    *[(np.longlong(1),), (np.bool_(True),), (np.str_("a"),), (Colour.RED,), (Colour.BLUE,)],
    *[(operator.add,), (operator.sub,), (np.float64,), (float,), (slice(1, 2),), (...,)],
    *[((1, 2),), ((1, 2.0),), ((1, 2, 3),), (Named(1, 2),), ([1, 2],), ([1.0, 2],), ([],), ((),)],
    *[([[1.0], [2.0]],), ([ONE, ONE],), ([ONE, [1.0]],), (ONE, ONE), (ONE, [2.0]), ([1.0] * 200,)],
    *[({"a": 1},), ({"a": 1.0},), ({"b": 1},), ({"a": 1, "b": 2},), ({"b": 2, "a": 1},), ({},)],
    *[({1: 1},), ({True: 1},), ({1.0: 1},), ({Text("a"): 1},), ({(1,): 1},), ({(1.0,): 1},)],
    *[(Point(1, A),), (Point(1.0, A),), (Slim(1, A),), (Slim(1, A[:2]),), (Point(Point(1, 2), 3),)],
    *[(Pair(a=A, b=1, about=1),), (Pair(a=A, b=1, about=2),), (Pair(a=A, b=1.0, about=1),)],
    *[([2.0] * 200,), ([1.0] * 201,), ([1] * 200,), ([1.0] * 199 + [1],)],
    *[(ROWS,), (ROWS[1:] + [[1, 2]],), (ROWS[1:] + [[1] * 9],), (ROWS[1:] + [[1.5]],), (GRID,)],
    *[(ROWS, ROWS[7]), (ROWS, [7, 7]), (ROWS[7], ROWS), ([7, 7], ROWS), (ROWS, ROWS), (GRID * 2,)],
    *[(ROWS[1:] + ROWS[2:3],), ([[row] * 1 for row in GRID],), ([[[1, 2] * 9] for _ in ROWS],)],
    *[("a" * 99,), ("b" * 100,), ("c" * 129,), ("\u0440" * 99,), ("a" * 64,), (("a" * 99, ROWS),)],
    *[(Point(1, ONE), ONE), (Point(1, ONE), [3.0]), (Point(1, 2).__eq__,), (np.random.PCG64(1),)],
]
STATIC = frozenset({(0,), (0, 1), (0, "x"), (0, "a")})


def key_of(args, static):
    try:
        return flatten(args, static)
    except pyxla.CompileError:
        return None


def same(x, y):
    return np.array_equal(x, y) if isinstance(x, np.ndarray) else x == y


@pytest.mark.parametrize("static", [frozenset(), STATIC])
def test_recognized_are_those_of_the_key(static):
    known = [(args, found) for args in ARGUMENTS if (found := key_of(args, static))]
    recognized = 0
    pairs = [(recognizer(one, static, Guards({})), one, key) for one, (key, _) in known]
    for (recognize, one, key), (other, (other_key, leaves)) in itertools.product(pairs, known):
        found = None if recognize is None else recognize(other)
        if found is not None:
            assert key == other_key, (one, other)
            assert len(found) == len(leaves)
            # What an opened generator gives is made anew.
            assert all(x is y or (type(x) is type(y) and same(x, y)) for x, y in zip(found, leaves))
            recognized += one is other
    assert recognized > len(known) - 36


def test_long_lists_and_texts_are_recognized():
    for args in [(ROWS,), (ROWS, [7, 7]), (GRID,), ([2.0] * 200,), ("a" * 99,)]:
        found = recognizer(args, frozenset(), Guards({}))(args)
        assert all(map(same, found, flatten(args)[1])), args
    shared = [ROWS[0], *ROWS[:-1]]
    recognize = recognizer((ROWS, ONE), frozenset(), Guards({}))
    assert recognize((shared, ONE)) is None and recognize((ROWS, ROWS[1])) is None


def test_rows_of_numbers_that_are_met_again():
    """In a list before, or beside it: the caller sees one list."""

    @pyxla.compile
    def f(rows, row):
        row.append(5)
        return len(rows[3])

    for make in (lambda: [[i] * (i % 5) for i in range(30)], lambda: [[1, 2] for _ in range(40)]):
        for k in (3, 4, 3):
            rows, expected = make(), make()
            assert f(rows, rows[k]) == f.__wrapped__(expected, expected[k])
            assert rows == expected
    key, _ = flatten((ROWS, ROWS[7]))
    assert key[-2:] == ("same", (0, 7))


def test_a_class_that_changed_its_fields():
    one, other = Point(1, 2), Point(1, 2)
    recognize = recognizer((one,), frozenset(), Guards({}))
    assert recognize((other,)) == (1, 2)
    other.z = 3
    assert recognize((other,)) is None
    del other.z, other.x
    other.x = 1
    assert recognize((other,)) is None  # another order


def test_calls_in_turns_with_other_arguments():
    @pyxla.compile
    def f(x, *, n=1):
        return x * n

    for _ in range(3):
        assert f(2.0) == 2.0 and f(2) == 2 and f(2.0, n=3) == 6.0 and f(2, n=0.5) == 1.0
        for _ in range(3):
            assert f(A + 1, n=2).sum() == 6
    with pytest.raises(TypeError):
        f(1, 2, 3)


def test_a_value_that_is_demanded_later():
    @pyxla.compile
    def f(x, n):
        return np.zeros(n) if x.size > 3 else x * n

    for n in (2, 3, 2):
        assert f(A, n).shape == (3,)
        assert f(A, n).shape == (3,)
    for n in (2, 3, 2):
        assert f(np.zeros(4), n).shape == (n,)
        assert f(np.zeros(4), n).shape == (n,)
        assert (f(A + 1, n) == n).all()


def test_a_dropped_specialization_is_freed_though_it_was_used_last(young):
    @pyxla.compile(cache_size=1)
    def f(x):
        return x + 1

    for _ in range(3):
        f(A)
    gone = weakref.ref(f.specializations[0].executable.program)
    gc.disable()
    try:
        f(np.zeros(5))
        assert gone() is None
    finally:
        gc.enable()
    assert (f(A) == 1).all()
