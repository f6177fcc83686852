"""`fractions.Fraction`, which is Python that is visited like the user's."""

from __future__ import annotations

import math
from fractions import Fraction

from tests.programs import program


@program("numbers", lambda: (1, 3), lambda: (4, -6), lambda: (1, 0))
def parts_of_fractions(a, b):
    x, y = Fraction(a, b), Fraction(1, 6)
    z = x + y
    computed = x * y, x - y, x / y, -x, abs(x), x**2, x // y, x % y, divmod(x, y), 2 * x + 1
    compared = x < y, x == y, x >= 0.25, x != Fraction(1, 3), bool(x)
    return z.numerator, z.denominator, computed, compared, float(x), x + 0.5, str(x), f"{y}"


@program("numbers", lambda: (6,), lambda: (0,))
def sums_and_convergents(n):
    total, convergent = Fraction(0), Fraction(1)
    for i in range(1, n + 1):
        total += Fraction(1, i)
        convergent = 1 + 1 / (1 + convergent)
    return total, convergent, float(convergent)


@program("numbers", lambda: (5,), lambda: (1,))
def ordered_fractions(n):
    xs = [Fraction(i * 7 % 5 + 1, i + 2) for i in range(n)]
    whole = [(round(x), math.floor(x), math.ceil(x), int(x)) for x in xs]
    return sorted(xs), min(xs), max(xs), sum(xs), whole


@program("numbers", lambda: ([2, 1, 3], [1, 3, 5]))
def a_row_of_fractions(xs, ys):
    xs, ys = [Fraction(x) for x in xs], [Fraction(y) for y in ys]
    xs = [x / xs[0] for x in xs]
    return [y - ys[0] * x for x, y in zip(xs, ys)]


@program("numbers", lambda: (5,), lambda: (1,))
def counted_fractions(n):
    counts = {}
    for a in range(1, n):
        x = Fraction(a, 4)
        counts[x] = counts.get(x, 0) + 1
    return counts


@program("numbers", lambda: ([Fraction(1, 2), Fraction(1, 3)], 0.75))
def given_fractions(xs, v):
    xs.append(xs[0] * xs[1])
    return sum(xs), Fraction(v), Fraction("3/4") + Fraction("0.25")
