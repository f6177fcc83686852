"""Names that a loop may leave unbound raise where they are; bound where each iteration does it."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import pyxla


def sometimes(x):
    for _ in range(3):
        if x > 5:
            p = x
    return p


def arrays(x):
    for _ in range(3):
        if x > 5:
            p = np.full(2, x)
    return p


def before_a_break(x):
    for _ in range(3):
        if x < 5:
            break
        p = x
    return p


def in_an_inner_loop(x):
    for _ in range(4):
        if x < 5:
            continue
        for i in range(3):
            p = x + i
            if p > 7:
                break
    return p


def deleted(x):
    for _ in range(3):
        p = x
        if x < 5:
            del p
            break
    return p


def from_a_generator(x):
    for v in (x * k for k in range(3)):
        if x > 5:
            p = v
    return p


@pytest.mark.parametrize(
    "f", [sometimes, arrays, before_a_break, in_an_inner_loop, deleted, from_a_generator]
)
def test_what_no_turn_binds_is_raised(f: Any):
    compiled = pyxla.compile(f)
    np.testing.assert_array_equal(compiled(6.0), f(6.0))
    with pytest.raises(UnboundLocalError):
        f(1.0)
    with pytest.raises(UnboundLocalError):
        compiled(1.0)


def test_what_each_turn_of_an_inner_loop_binds_is_bound():
    @pyxla.compile
    def f(x):
        total = 0.0
        for _ in range(4):
            for k in range(5):
                p = x * k
                if p.sum() > 3:
                    break
            total += p @ x
        return total

    x = np.array([0.5, 1.5])
    np.testing.assert_allclose(f(x), f.__wrapped__(x))
    # What may raise cannot be traced.
    np.testing.assert_allclose(jax.grad(f)(x), 2 * 4 * 2 * x, rtol=1e-6)
