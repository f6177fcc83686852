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
