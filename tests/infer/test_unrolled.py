"""Loops over lists of objects are unrolled: no branches that choose among the items."""

import numpy as np
import pytest

import pyxla


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


def largest_rectangle(rows):
    best = 0
    heights = [0] * (len(rows[0]) + 1)
    for row in rows:
        for j, v in enumerate(row):
            heights[j] = heights[j] + 1 if v else 0
        open_ = [-1]
        for j in range(len(heights)):
            while heights[j] < heights[open_[-1]]:
                h = heights[open_.pop()]
                best = max(best, h * (j - open_[-1] - 1))
            open_.append(j)
    return best, heights


def test_many_turns_over_short_lists_stay_loops() -> None:
    rows = np.random.default_rng(0).integers(0, 2, (12, 14)).tolist()
    compiled = pyxla.compile(largest_rectangle)
    assert compiled(rows) == largest_rectangle(rows)
    assert pyxla.code_stablehlo(largest_rectangle, rows).count("stablehlo.while") < 20


def mixed(n):
    held = [0] * 8
    for i in range(8):
        for j in range(8):
            held[j] = held[j] + i * n if i < 7 else 0.5
    held[0] = n
    return held


def test_an_int_stays_an_int_among_floats_where_turns_are_few() -> None:
    found = pyxla.compile(mixed)(3)
    assert found == mixed(3)
    assert list(map(type, found)) == list(map(type, mixed(3)))
