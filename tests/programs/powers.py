"""Powers, roots and remainders of Python's numbers, whose types and sizes signs decide."""

import math

import numpy as np

from tests.programs import program


@program("checks pow", lambda: (3,), lambda: (-3,), lambda: (0,))
def scale(n):
    return 10**n, 7 * 2 ** (n - 1), (n + 4) ** -n


@program("checks pow", lambda: (5, 1, 4), lambda: (5, 4, 1), lambda: (2**62 + 1, 3, 3))
def shifted(value, a, b):
    shift = value * 10 ** (a - b)
    while shift > 100:
        shift //= 10
    return shift


@program(
    "checks pow raise",
    *(lambda: (2, -3), lambda: (2, 3), lambda: (0, -1), lambda: (True, -2), lambda: (-2, -3)),
    *(lambda: (-8.0, 1 / 3), lambda: (-8.0, 2.0), lambda: (8.0, 1 / 3), lambda: (-2, 0.5)),
    *(lambda: (0.0, -1.0), lambda: (-math.inf, 0.5), lambda: (np.float64(-8.0), 0.5)),
)
def by_sign(base, exponent):
    power = base
    power **= exponent
    return power, abs(power) < 3, pow(base, exponent)


@program("checks pow", lambda: ([1.0, 4.0],), lambda: ([4.0, -4.0],))
def roots(xs):
    return [x**0.5 for x in xs]


@program(
    "checks pow raise",
    *(lambda: (3, -1, 7), lambda: (2**40, 3, 2**41 + 1), lambda: (3, 5, 0), lambda: (2, -1, 4)),
    *(lambda: (-3, 5, 7), lambda: (3, 5, -7), lambda: (3, -2, -7), lambda: (5, 0, 1)),
    *(lambda: (2**62 + 5, 2**62, 2**63 - 1), lambda: (-(2**63), 3, 2**63 - 1)),
    *(lambda: (0, -1, 1), lambda: (-(2**63), 3, -(2**63)), lambda: (-(2**63), -1, 9)),
)
def modular(base, exponent, modulus):
    return pow(base, exponent, modulus)


@program(
    "checks int",
    *(lambda: (3037000499**2,), lambda: (3037000499**2 - 1,), lambda: (2**63 - 1,)),
    *(lambda: (0,), lambda: (3,), lambda: (94906267**2 - 1,)),
)
def integer_root(n):
    return math.isqrt(n)


@program(
    "checks math raise",
    *(lambda: (-0.0, 3.0), lambda: (2.5, 1.0), lambda: (-1.5, 1.0), lambda: (1.0, -math.inf)),
    *(lambda: (1.7e308, 1.6e308), lambda: (5.0, 1.7e308), lambda: (1.0, 0.0)),
)
def nearest_rest(x, y):
    return math.remainder(x, y)


@program(
    "pow complex",
    *[lambda x=x, y=y: (complex(x, y),) for x in (-0.0, 2.0) for y in (3.0, -0.0) if x or y],
)
def signs_of_complex_zeros(z):
    a = np.array([z, -z])
    of_python = [z**-1, z**-2, z**2, z**3, z**4, z**1, z**5.0, z**-3, z**40]
    return of_python, [a**-1, a**-2, a**2, a**3, a**4, a**-3, a**9], a[0] ** -1
