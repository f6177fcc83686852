"""What may be None beside what is differentiated: aux, and arguments that are not varied."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla


def best(x):
    found = None
    for v in x:
        if v > 0.5 and (found is None or v > found):
            found = v
    y = np.sum(x**2)
    return (y if found is None else y * found), found


def through(x):
    def scaled(z, by):
        return z @ z * (1.0 if by is None else by), by

    slope, found = pyxla.grad(scaled, has_aux=True)(x, best(x)[1])
    return slope, found is None


CASES = [
    (np.array([0.1, 0.9, 0.7]), 0.9, [0.18, 2.93, 1.26], [0.18, 1.62, 1.26]),
    (np.array([0.1, 0.2, 0.3]), None, [0.2, 0.4, 0.6], [0.2, 0.4, 0.6]),
]


@pytest.mark.parametrize(("x", "found", "slope", "inner"), CASES)
def test_aux_that_may_be_none(x, found, slope, inner):
    for way in (pyxla.grad(best, has_aux=True), pyxla.jacrev(best, has_aux=True)):
        made, aux = way(x)
        np.testing.assert_allclose(made, slope)
        assert aux == found
    (value, aux), made = pyxla.value_and_grad(best, has_aux=True)(x)
    assert (value, aux) == best(x)
    _, tangent, aux = pyxla.jvp(best, (x,), (x,), has_aux=True)
    np.testing.assert_allclose(tangent, x @ np.array(slope))
    assert aux == found
    made, none = pyxla.compile(through)(x)
    np.testing.assert_allclose(made, inner)
    assert none == (found is None)


def lanes(x):
    def times(f, v):
        return v if f is None else v * f

    return pyxla.vmap(times, in_axes=(None, 0))(best(x)[1], x)


def test_an_argument_of_vmap_that_is_not_mapped_may_be_none():
    for x, found, _, _ in CASES:
        np.testing.assert_allclose(pyxla.compile(lanes)(x), x if found is None else x * found)


REFUSED = [
    (lambda x: pyxla.grad(lambda f: f)(best(x)[1]), "may be None has no derivative"),
    (lambda x: pyxla.jacfwd(lambda x: best(x)[1])(x), "may be None has no derivative"),
    (
        lambda x: pyxla.vmap(lambda f: 1.0, axis_size=2)(best(x)[1]),
        "of vmap may be None",
    ),
    (lambda x: pyxla.vmap(lambda v: best(v)[1])(x[None]), "None for some elements"),
]


@pytest.mark.parametrize(("program", "message"), REFUSED)
def test_where_none_may_not_be(program, message):
    with pytest.raises(pyxla.CompileError, match=message):
        pyxla.compile(program)(CASES[0][0])
