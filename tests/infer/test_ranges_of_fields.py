"""What fields of instances and NumPy's ints hold in loops is known as that of names is."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pyxla


class Draws:
    def __init__(self, state):
        self.state = state
        self.drawn = 0

    def draw(self):
        self.state = (self.state * 1103515245 + 12345) % 2147483648
        self.drawn += 1
        return self.state


def draws(n):
    source = Draws(7)
    total = 0
    for _ in range(n):
        if source.draw() % 3 == 0:
            total += 1
    return total, source.drawn, source.state


def by_digits(x, n):
    counts = np.zeros(17, dtype=np.int64)
    for i in range(len(x)):
        counts[((x[i] >> n) & 15) + 1] += 1
    return counts


@pytest.mark.parametrize(
    ("program", "args"),
    [(draws, (100,)), (by_digits, (np.arange(300) * 977, 3))],
)
def test_nothing_is_checked_in_loops(program, args):
    np.testing.assert_array_equal(pyxla.compile(program)(*args), program(*args))
    typed = pyxla.code_typed(program, *args)
    assert "flag" not in typed[typed.index("(loop)") :]


def test_ranges_whose_step_is_known_to_be_positive():
    """No test of the step, nor of the index."""

    def sieve(limit):
        composite = np.zeros(500, dtype=np.bool_)
        for n in range(2, limit):
            for multiple in range(n * n, 500, n):
                composite[multiple] = True
        return composite.sum()

    compiled = pyxla.compile(sieve)
    assert compiled(500) == sieve(500)
    assert pyxla.code_typed(sieve, int).count("flag") == 3  # of what only the trip counts need


def test_a_field_that_leaves_its_range():
    """A range that is guessed of a field is given up where it does not hold."""

    class Grows:
        def __init__(self):
            self.value = 3

        def step(self, k):
            self.value = self.value % 1000 + k

    def steps(n, k):
        it = Grows()
        for i in range(n):
            it.step(k)
            if i % 2:
                it.value = it.value * it.value
        return it.value

    compiled = pyxla.compile(steps)
    for n, k in ((0, 5), (9, -7), (12, 10**6)):
        assert compiled(n, k) == steps(n, k)
    with pytest.raises(OverflowError):
        compiled(2, 2**40)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30, -1e30, 3.7])
def test_conversions_raise_what_cpython_raises(value):
    def whole(x):
        return int(x * 2.0)

    try:
        expected = whole(value)
    except (ValueError, OverflowError) as error:
        with pytest.raises(type(error)) as caught:
            pyxla.compile(whole)(value)
        assert str(caught.value) == str(error)
    else:
        if abs(expected) > 2**63:
            with pytest.raises(OverflowError):
                pyxla.compile(whole)(value)
        else:
            assert pyxla.compile(whole)(value) == expected


def distance(x, y):
    return math.sqrt((x - y) * (x - y) + 1e-6)


def length(x, y):
    return math.sqrt(x * x + y * y) + math.sqrt(abs(x) + y * y)


def difference(x, y):
    return math.sqrt(x * x - y)


def inverse(x, y):
    return math.sqrt(1.0 / (-math.sqrt(x * x)))


@pytest.mark.parametrize(
    ("program", "checks"), [(distance, False), (length, False), (difference, True), (inverse, True)]
)
def test_roots_of_what_is_not_below_zero(program, checks):
    typed = pyxla.code_typed(pyxla.compile(program), float, float)
    assert ("flag" in typed) is checks
    compiled = pyxla.compile(program)
    for x in (0.0, -0.0, 1.5, -2.0, math.nan):
        for y in (0.0, 0.25, 9.0, math.nan):
            try:
                expected = program(x, y)
            except (ValueError, ZeroDivisionError) as error:
                with pytest.raises(type(error)) as caught:
                    compiled(x, y)
                assert str(caught.value) == str(error)
            else:
                np.testing.assert_allclose(compiled(x, y), expected)
