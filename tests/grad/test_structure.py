"""Tangents and gradients of containers whose lengths, keys and kinds data decides."""

from __future__ import annotations

import collections
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pyxla
from pyxla import CompileError
from tests.compare import difference

pytestmark = pytest.mark.meant

X = np.array([0.3, 1.2, -0.7, 2.1, 0.4])
ONES = np.ones(5)


def positive(x):
    return x[x > 0] ** 2


def squares(x):
    return [v * v for v in x if v > 0]


def rows(x):
    made = []
    for v in x:
        row = []
        while abs(v) < 3:
            v = v * 1.7
            row.append(v * v)
        made.append(row)
    return made


def row(x):
    return rows(x)[int(x[0] * 10 + 0.5)]


def by_key(x):
    found = {}
    for v in x:
        found[int(np.floor(v * 2))] = v * v
    return found


def counts(x):
    found = collections.Counter()
    for v in x:
        found["up" if v > 0 else "down"] += v * v
    return found


def groups(x):
    found = collections.defaultdict(list)
    for v in x:
        found[int(v * 2)].append(v * v)
    return found


def last(x):
    kept = collections.deque(maxlen=3)
    for v in x:
        if v > 0:
            kept.append(v * v)
    return kept


def some(x):
    return [v * v if v > 0 else None for v in x if v > -5]


def several(x):
    return [v * v if v > 0 else (v, v * v) for v in x if v > -5]


def named(x):
    return [("up" if v > 0 else "down", v * v) for v in x if v > -5]


FORMS = [positive, squares, rows, row, by_key, counts, groups, last, some, several, named]


def numbers(x: Any) -> np.ndarray:
    """All numbers in a container, in order."""
    if isinstance(x, dict):
        x = list(x.values())
    if isinstance(x, (list, tuple, collections.deque, np.ndarray)):
        return np.concatenate([numbers(part) for part in x])
    return np.array([] if x is None or isinstance(x, str) else [x], float)


def form(x: Any) -> Any:
    """A container with 1.0 for each number."""
    if isinstance(x, (dict, collections.deque)):
        made = x.copy()
        for key in x if isinstance(x, dict) else range(len(x)):
            made[key] = form(x[key])
        return made
    if isinstance(x, (list, tuple)):
        return type(x)(map(form, x))
    if isinstance(x, np.ndarray):
        return np.ones_like(x)
    return x if x is None or isinstance(x, str) else type(x)(1)


@pytest.mark.parametrize("function", FORMS, ids=lambda f: f.__name__)
def test_a_tangent_has_the_form_of_what_it_belongs_to(function: Any):
    result, tangent = pyxla.jvp(function, (X,), (ONES,))
    assert not difference(result, function(X))
    assert not difference(form(tangent), form(result))
    step = 1e-6
    slope = numbers(function(X + step)) - numbers(function(X - step))
    np.testing.assert_allclose(numbers(tangent), slope / (2 * step), rtol=1e-6)


@pytest.mark.parametrize("function", FORMS, ids=lambda f: f.__name__)
def test_a_gradient_has_the_form_of_its_argument(function: Any):
    """That of the sum of all numbers in the container."""

    def total(given):
        found = 0.0
        for v in given.values() if isinstance(given, dict) else given:
            if isinstance(v, (list, tuple)):
                for part in v:
                    found += 0.0 if isinstance(part, str) else part
            elif v is not None:
                found += v
        return found

    def gradient(x):
        return pyxla.grad(total)(function(x))

    found = pyxla.compile(gradient)(X)
    assert not difference(found, form(function(X)))


@pytest.mark.parametrize("transform", [pyxla.jacfwd, pyxla.jacrev])
@pytest.mark.parametrize("function", [positive, squares])
def test_jacobians_of_what_has_a_size_that_data_decides(function: Any, transform: Any):
    jacobian = transform(function)
    expected = np.diag(2 * X)[X > 0]
    np.testing.assert_allclose(jacobian(X), expected)
    assert len(jacobian(X)) == 4

    def inside(x):
        total, n = 0.0, 0
        for line in jacobian(x):
            total += (line * line).sum()
            n += 1
        return total, n

    total, n = pyxla.compile(inside)(X)
    assert n == 4
    np.testing.assert_allclose(total, (expected**2).sum())


def test_jacobians_by_a_part_whose_size_data_decides():
    def inside(x):
        return pyxla.jacrev(lambda y: y * y.sum())(x[x > 0])

    part = X[X > 0]
    expected = np.eye(4) * part.sum() + part[:, None]
    np.testing.assert_allclose(pyxla.compile(inside)(X), expected)


@pytest.mark.parametrize("transform", [pyxla.jacfwd, pyxla.jacrev])
def test_keys_and_texts_stay_in_a_jacobian(transform: Any):
    found = transform(by_key)(X)
    assert list(found) == list(by_key(X))
    np.testing.assert_allclose(found[4], [0, 0, 0, 4.2, 0])
    assert [name for name, _ in transform(named)(X)] == ["up", "up", "down", "up", "up"]
    with pytest.raises(CompileError, match="are by one array"):
        transform(lambda given: squares(given["x"]))({"x": X})


def test_tangents_and_cotangents_have_sizes_that_data_decides():
    _, pull = pyxla.vjp(positive, X)
    np.testing.assert_allclose(pull(np.arange(4.0))[0], [0, 2.4, 0, 8.4, 2.4])
    for n in (3, 5):
        with pytest.raises(ValueError, match="must have the size"):
            pull(np.arange(float(n)))

    def pushed(x, n):
        y = x[x > 0]
        try:
            return pyxla.jvp(lambda z: z * z, (y,), (x[:n],))[1]
        except ValueError:
            return x

    pushed = pyxla.compile(pushed)
    np.testing.assert_allclose(pushed(X, 4), 2 * X[X > 0] * X[:4])
    np.testing.assert_array_equal(pushed(X, 3), X)


class Point:
    def __init__(self, x):
        self.x = x


def points(x):
    return [Point(v * v) for v in x if v > 0]


def test_instances_in_lists_have_no_tangents():
    with pytest.raises(CompileError):
        pyxla.jvp(points, (X,), (ONES,))
    with pytest.raises(CompileError):
        pyxla.grad(lambda x: (x.sum(), points(x)), has_aux=True)(X)

    def inside(x):
        return pyxla.grad(lambda given: sum(p.x for p in given))(points(x))

    with pytest.raises(CompileError, match="instances in a list"):
        pyxla.compile(inside)(X)


def test_cotangents_have_the_keys_and_lengths_of_what_they_belong_to():
    def pulled(x, backwards):
        found, pull = pyxla.vjp(by_key, x)
        cotangent = {}
        for key in sorted(found) if backwards else found:
            cotangent[key] = 1.0
        return pull(cotangent)[0]

    pulled = pyxla.compile(pulled)
    np.testing.assert_allclose(pulled(X, False), 2 * X * [0, 1, 1, 1, 1])
    with pytest.raises(ValueError, match="must have the keys"):
        pulled(X, True)

    def of_rows(x):
        found, pull = pyxla.vjp(rows, x)
        return pull([[1.0 for _ in row] for row in found])[0]

    step = 1e-6
    ahead, behind = ([sum(r) for r in rows(X + d)] for d in (step, -step))
    slope = (np.array(ahead) - behind) / (2 * step)
    np.testing.assert_allclose(pyxla.compile(of_rows)(X), slope, rtol=1e-6)


@pytest.mark.parametrize("function", [counts, groups, last, by_key, squares])
def test_a_result_is_a_cotangent_of_itself(function: Any):
    def pulled(x):
        found, pull = pyxla.vjp(function, x)
        return pull(found)[0]

    def half(x):
        return 0.5 * (numbers(function(x)) ** 2).sum()

    step = 1e-6
    slope = [(half(X + d) - half(X - d)) / (2 * step) for d in step * np.eye(5)]
    np.testing.assert_allclose(pyxla.compile(pulled)(X), slope, rtol=1e-5, atol=1e-8)


def test_a_cotangent_of_a_row_of_lists():
    """The other rows of the list are no results."""

    def pulled(x):
        found, pull = pyxla.vjp(row, x)
        return pull(found)[0]

    with pytest.raises(CompileError, match="a row that data chooses"):
        pyxla.compile(pulled)(X)


@dataclass
class Particle:
    x: float
    v: float


def in_order(given):
    found = sorted(given, key=lambda p: p.x)
    found[0].v *= 2.0
    return sum([i * p.v * p.x for i, p in enumerate(found)])


def the_best(given):
    best = None
    for p in given:
        p.x += 0.1 * p.v
        if best is None or p.x > best.x:
            best = p
    best.v *= 3.0
    return sum([p.v * p.x for p in given]) + best.x


def alive(given):
    found = [p for p in given if p.x > 0]
    for _ in range(3):
        for p in found:
            p.x += 0.1 * p.v
        found = [p for p in found if p.x > 0.1]
    return sum([p.x**2 for p in found]) + sum([p.x for p in given])


def popped(given):
    total = 0.0
    while given:
        p = given.pop()
        if p.x < 0 and len(given) < 5:
            given.append(Particle(p.x + 0.7, p.v * 0.9))
        total += p.x * p.v
    return total


def of_dicts(given):
    rows = [{"x": p.x, "v": p.v} for p in given]
    return pyxla.grad(of_largest)(rows)[2]["v"] + of_largest(rows)


def of_largest(rows):
    largest = max(rows, key=lambda row: row["x"])
    largest["v"] *= 2.0
    return sum([row["v"] ** 2 * row["x"] for row in rows])


@pytest.mark.parametrize("f", [in_order, the_best, alive, popped, of_dicts])
def test_gradients_of_instances_that_lists_of_unknown_length_hold(f):
    """They are rows of a pool in the function; gradients by these were refused."""
    numbers = np.random.default_rng(8).normal(size=(7, 2))

    def value(numbers):
        return f([Particle(*row) for row in numbers.tolist()])

    steps = np.eye(14).reshape(14, 7, 2) * 1e-6
    exact = [(value(numbers + step) - value(numbers - step)) / 2e-6 for step in steps]
    found = pyxla.grad(f)([Particle(*row) for row in numbers.tolist()])
    assert all(type(p) is Particle for p in found)
    np.testing.assert_allclose([[p.x, p.v] for p in found], np.reshape(exact, (7, 2)), atol=1e-6)


def test_who_writes_one_object_in_two_places_is_refused():
    p = Particle(1.0, 2.0)
    with pytest.raises(CompileError):
        pyxla.grad(in_order)([p, Particle(3.0, 1.0), p])
