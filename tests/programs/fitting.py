"""Sizes that data decides and that do not fit: stores, in-place operators, strict zip, no items."""

from collections import deque

import numpy as np

from tests.programs import program


def line():
    return np.arange(5.0)


def table():
    return np.arange(12.0).reshape(3, 4)


VALUES = (np.ones(4), np.ones(1), np.array([1.0, 2.0]), np.ones(0), 3.0, [1.0, 2.0, 3.0, 4.0])


@program("checks raise mask", *(lambda v=v: (line(), v) for v in VALUES))
def under_mask(x, v):
    x[x > 0] = v
    return x


@program("checks raise mask", *(lambda d=d: (line(), line() + d) for d in (0, 1, -2)))
def masked_of_masked(x, y):
    x[x > 2] = y[y > 2]
    return x


@program("checks raise mask", *(lambda n=n: (table(), np.ones(n)) for n in (4, (2, 4), (3, 4))))
def rows_under_mask(x, v):
    x[x[:, 0] > 1] = v
    return x


@program("checks raise mask", *(lambda n=n: (table(), np.ones(n)) for n in (2, 3, (3, 1))))
def columns_under_mask(x, v):
    x[:, x[0] > 1] = v
    return x


@program("checks raise fancy", *(lambda n=n: (line(), np.ones(n)) for n in (1, 2, 3)))
def at_positions(x, v):
    x[np.flatnonzero(x > 2)] = v
    return x


SLICES = ((1, 3, 2), (1, 3, 3), (1, 2, 3), (1, 4, 1), (3, 1, 1), (3, 1, 2), (-2, 9, 2), (-2, 9, 3))


@program("checks raise slice", *(lambda s=s: (line(), s[0], s[1], np.ones(s[2])) for s in SLICES))
def slice_of_array(x, a, b, v):
    x[a:b] = v
    return x


@program("checks raise slice", *(lambda n=n: (line(), n) for n in (2, 1, 3, 0, 9, -3, -9)))
def slice_of_known(x, n):
    x[:n] = [7.0, 8.0]
    return x


@program("checks raise slice", *(lambda n=n: (line(), n, np.ones(3)) for n in (1, 3, 4)))
def slice_of_slice(x, n, y):
    x[:n] = y[:n]
    view = x[: n - 1]
    view[:] = y[:2]
    return x


@program("checks raise slice", *(lambda n=n: (line(), line() + n) for n in (-3, -2, 0, 2)))
def one_element_is_repeated(x, y):
    x[:3] = y[y > 1]
    return x


@program("checks raise slice", *(lambda s=s: (table(), 2, np.ones(s)) for s in ((2, 3), 3, (3, 3))))
def rows_of_slice(x, n, y):
    x[:n, 1:] = y
    return x


@program(
    "checks raise inplace", *(lambda s=s: (line(), s[0], np.ones(s[1])) for s in ((3, 3), (3, 2)))
)
def slice_in_place(x, n, y):
    x[:n] += y
    return x


@program("checks raise inplace", *(lambda n=n: (np.arange(6.0), n) for n in (3, 2, 5)))
def halves_in_place(x, n):
    x[n:] -= x[:n]
    return x


@program("checks raise out", *(lambda n=n: (line(), n) for n in (1, 2)))
def out_of_slice(x, n):
    np.add(x[:n], np.ones(2), out=x[:n])
    return x


@program("checks raise list", *(lambda n=n: (line(), n) for n in (0, 1, 2)))
def slice_of_list(x, n):
    found = [1.0, 2.0]
    for _ in range(n):
        found.append(3.0)
    x[:3] = found
    return x


LENGTHS = tuple(lambda n=n: (line(), n) for n in (4, 5, 6))


@program("checks raise zip", *LENGTHS)
def strict_zip(x, n):
    total = 0.0
    for a, b, c in zip(x, range(n), x, strict=True):
        x[b] = total
        total += a * b + c
    return total


@program("checks raise zip", *LENGTHS)
def strict_zip_of_three(x, n):
    return [a + b + c for a, b, c in zip(x, x[:5], [i for i in range(n)], strict=True)]


@program("checks raise zip", lambda: ([1, 2], [1, 2, 3]), lambda: ([1, 2, 3], [1, 2]))
def strict_zip_of_lists(a, b):
    return dict(zip(a, b, strict=True))


def counted(n):
    yield from range(n)


@program("checks raise zip", *LENGTHS)
def strict_zip_of_generators(x, n):
    if n > 5:
        return [a * b for a, b in zip(counted(n), x, strict=True)]
    return [a * b for a, b in zip(x, counted(n), strict=True)]


@program("checks raise max", lambda: (line(),), lambda: (line() * 100,))
def greatest_of_none(x):
    return max([v for v in x if v > 100])


@program("checks raise max", lambda: (line(),), lambda: (line() * 100,))
def least_of_none(x):
    return min(deque([v for v in x if v > 100])), max([v for v in x if v > 999], default=0.0)


@program("checks raise max", lambda: (line(),), lambda: (line() * 100,))
def greatest_value_of_none(x):
    return max({int(v): v for v in x if v > 100}.values())


@program("checks raise max", lambda: (line(),), lambda: (line() * 100,))
def stack_of_none(x):
    return np.stack([v * x[:2] for v in x if v > 100])
