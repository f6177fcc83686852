"""Loops over lists of objects are unrolled: no branches that choose among the items."""

from dataclasses import dataclass, fields, is_dataclass

import numpy as np
import pytest

import pyxla
from pyxla.errors import InternalError
from pyxla.infer.engine import Engine


class Particle:
    def __init__(self, speed):
        self.speed = speed

    def step(self, dt):
        self.speed = self.speed + dt
        if self.speed > 1:
            self.speed = 0.5


def layers(weights, x):
    for w in weights:
        x = np.tanh(x @ w)
    return x


def particles(x):
    made = [Particle(x * i) for i in range(20)]
    for particle in made:
        particle.step(0.1)
    return [particle.speed for particle in made]


@pytest.mark.parametrize(
    ("function", "args", "op"),
    [
        (layers, ([np.eye(3)] * 20, np.ones(3)), "dot_general"),
        (particles, (0.2,), "branch"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_each_item_once(function, args, op):
    np.testing.assert_allclose(pyxla.compile(function)(*args), function(*args))
    typed = pyxla.code_typed(function, *args)
    assert typed.count(f" {op} ") == 20
    assert len(typed.splitlines()) < 400


def left_in_the_first_turn(n, m):
    taken = np.array([-7, -6, 4])
    table = np.array([-7, 0, 6], np.int16) ^ 1
    for i in range(2):
        m -= (3 * m % 101 + taken.size) % 17
        p, q = n % (abs(m) + 1) % 9, int(table[i]) % 89 % 7
        while q > 2:
            p, q = q, q - 1 - abs(p) % 2
        if 0 <= 1 + i < p + 5:
            break
    rows = [[] for _ in range(3)]
    for v in taken:
        rows[int(v) % 3].append(int(v))
    ordered = sorted(rows, key=len)
    totals = [sum((i + 1) * (len(r) + sum(r)) for i, r in enumerate(x)) for x in (rows, ordered)]
    return m, p, float(totals[0] - 3 * totals[1])


@pytest.mark.parametrize("checks", [False, True])
def test_a_second_turn_that_only_facts_of_all_turns_exclude(checks):
    compiled = pyxla.compile(left_in_the_first_turn, checks=checks)
    assert compiled(4, 2) == left_in_the_first_turn(4, 2)


def length(n):
    return len(np.histogram(np.ones(2), bins=n % 7 + 1)[0])


def filtered():
    return sum(i for i in range(3, 2540161) if length(i) == i)


def every_one():
    total = 0
    for i in range(5000):
        total += length(i)
    return total


def found_early():
    for i in range(1000000):
        if length(i) == 5:
            return i


@pytest.mark.parametrize("function", [filtered, every_one])
def test_loops_with_too_many_iterations_are_refused_at_once(function, monkeypatch):
    blocks = []
    visit = Engine.visit
    monkeypatch.setattr(Engine, "visit", lambda *args: blocks.append(1) or visit(*args))
    with pytest.raises(pyxla.CompileError, match="one by one"):
        pyxla.compile(function)()
    assert len(blocks) < 50000


def test_loops_with_too_many_iterations_that_end_before():
    assert pyxla.compile(found_early)() == found_early()


@dataclass
class Norm:
    scale: np.ndarray
    shift: np.ndarray


@dataclass
class Block:
    first: Norm
    second: Norm
    bias: np.ndarray


def stepped(layer):
    if isinstance(layer, tuple):
        return tuple([stepped(part) for part in layer])
    if is_dataclass(layer):
        names = [f.name for f in fields(layer)]
        return type(layer)(*[stepped(getattr(layer, n)) for n in names])
    return layer - 0.5


def deep(blocks, x):
    return stepped(blocks), np.zeros([n // 2 for n in x.shape])


def test_loops_over_a_few_fields_are_unrolled_however_many_there_are():
    def norm(i):
        return Norm(np.ones(i), np.ones(i))

    blocks = tuple([Block(norm(i), norm(i), np.ones(i)) for i in range(1, 61)])
    assert pyxla.code_typed(deep, blocks, np.ones((4, 6))).count("subtract") == 300


def longer_than_there_are_numbers(x):
    for i in range(10**30):
        if i > x:
            break
    return i


def test_a_range_of_more_than_64_bits_is_refused():
    with pytest.raises(pyxla.CompileError, match="too large") as caught:
        pyxla.compile(longer_than_there_are_numbers)(5)
    assert not isinstance(caught.value, InternalError)
