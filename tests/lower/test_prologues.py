"""Small code that much else waits for: one call."""

from __future__ import annotations

import numpy as np

import pyxla
from pyxla.ir.rewrite import walk
from pyxla.ops.control import call, while_
from pyxla.reflect import compilation
from tests.compare import difference


def descent(m, x, steps, rate, decay, floor):
    """A product too large for one function in the loop, and much that is small before it."""
    for _ in range(steps):
        g = m @ x
        p, d, r = -x[:9], x[:9] * rate, x[:9] - floor
        rr, dd, top = r @ r, d @ d, r.max()
        k = 0
        while rr > top and k < 5:
            x = x - rate * (m.T @ x)
            rr, dd, k = rr * decay, dd + p[k], k + 1
            r = r * decay + p
        rate = rate * decay
        x = x + dd * 1e-3
        x[:9] += r + g[:9] * 1e-3
    return x, rate


def few(m, x, rate):
    while x @ x > 1.0:
        x = m @ x * rate
    return x


def arguments():
    rng = np.random.default_rng(0)
    m = rng.standard_normal((90, 90)) / 100
    return m, rng.standard_normal(90), 4, 0.1, 0.5, 0.25


def gathered(function, *args):
    """The calls that gather small code, and the values that each gives."""
    region = compilation(function, *args).at("regions").region
    calls = [i for i in walk(region.instrs) if i.op is call and i.attrs.get("kernel")]
    assert any(i.op is while_ for i in walk(region.instrs))
    return [len(instr.results) for instr in calls]


def test_what_is_small_is_made_by_one_call():
    """In the body of the outer loop, with where the inner one begins."""
    assert any(count >= 4 for count in gathered(descent, *arguments()))


def test_few_values_are_made_one_by_one():
    m, x = arguments()[:2]
    assert gathered(few, m, x, 0.5) == []


def test_values():
    got = pyxla.compile(descent)(*arguments())
    assert not difference(got, descent(*arguments()), 1e-12)


def many(x, a, b, c, d, e, f, g):
    total = 0.0
    while total < a:
        total += float((x[::2] @ x[1::2]) ** 2) + b
        x = np.sort(x) * c + d
        a, b, c, d, e, f = a - e * 1e-3, c, d, b, f, e
    return total, a, b, c, d, e, f, g


def test_numbers_among_the_arguments():
    """They come as one array of words, from which one call takes them."""
    given = np.linspace(-1, 1, 3000), 5.0, 0.5, 0.25, 0.125, 2.0, 3.0, True
    got = pyxla.compile(many)(*given)
    assert not difference(got, many(*given), 1e-9)


def branches(m, x, a, b, n):
    """Each branch makes many small values, and is one function itself."""
    c = d = e = f = g = h = k = 0.0
    for _ in range(n):
        w = m @ x
        if w[0] > a:
            c, d, e, f, g, h, k = w[1] + a, w[2] * b, w[3] - a, w[4] * a, w[5] + b, w[6] - b, w[7]
        else:
            c, d, e, f, g, h, k = w[1] - a, w[2] + b, w[3] * a, w[4] - b, w[5] * b, w[6] + a, w[8]
        x = np.sort(w) + c * d - e * f + g * h - k
        a = a * 0.5
    return x, c, d, e, f, g, h, k


def test_no_calls_in_functions():
    m, x = arguments()[:2]
    assert gathered(branches, m, x, 0.0, 0.5, 4) == []
    got = pyxla.compile(branches)(m, x, 0.0, 0.5, 4)
    assert not difference(got, branches(m, x, 0.0, 0.5, 4), 1e-12)


def joined(x, steps, *numbers):
    """Numbers that are given, put in an array: other shapes of them are no work."""
    table = np.array(numbers)
    for k in range(steps):
        x = np.tanh(x @ x) + table[k % 12]
    return x


def test_what_is_given_in_another_shape_is_not_made():
    assert gathered(joined, np.eye(90), 4, *np.arange(12.0).tolist()) == []
