"""Programs that look like what the compiler makes itself, or like one another, and are not."""

from __future__ import annotations

import functools

import numpy as np

from tests.programs import program


@program(
    "bounded pad",
    lambda: (np.arange(12.0).reshape(4, 3), np.ones(4, bool), np.ones(3, bool), np.ones(3)),
    lambda: (np.arange(12.0).reshape(4, 3), np.ones(2, bool), np.ones(0, bool), np.ones(3)),
)
def padded_window(a, m1, m2, v):
    b = np.pad(a, ((0, 60), (0, 0)), constant_values=7.0)
    m = max(0, min(int(m1.sum()), 4))
    k = max(0, min(int(m2.sum()), 19))
    c = b[k : k + m]
    return c @ v, c @ c.T, c.sum()


@program("bounded pad", lambda: (np.arange(12.0).reshape(4, 3), 3, 4, np.array([1, np.inf, 2])))
def padded_with_zeros(a, k, m, v):
    b = np.pad(a[k:], ((0, 9), (0, 0)))
    return b[k : k + m] @ v


@program(
    "mask", lambda: (np.arange(4.0), np.ones(4, bool)), lambda: (np.arange(4.0), np.eye(4)[1] > 0)
)
def scattered_by_a_choice(x, m):
    n = len(x)
    inv = np.zeros(n, dtype=np.intp)
    inv[np.where(m, np.arange(n)[::-1], 0)] = np.arange(n)
    y = np.zeros(n)
    y[m] = x[inv][m]
    z = np.empty(n)
    if m.all():
        z[m] = x[inv]
    else:
        z[:] = 0
    return y, z


def _first(d):
    (k,) = d
    return d[k] / k if isinstance(k, bool) else d[k] * 100


@program("calls dict", lambda: (1.5,))
def keys_of_other_kinds(x):
    return _first({1: x}), _first({True: x}), _first({1.0: x})


def _doubled(x):
    return x * 2


@program("loop calls", lambda: (np.ones(2),))
def helper_in_the_test(x):
    i = 0
    while _doubled(x).sum() > i:
        t = x + i
        i += 1
    return t


def _made(k):
    def limit():
        return k

    return limit


_limit = _made(3)


@program("loop closure", lambda: (np.ones(2),))
def closure_first_read_in_the_test(x):
    i = 0
    while i < _limit():
        t = (x * 2).sum() + _limit()
        i += 1
    return t


@functools.cache
def _table(n):
    return np.arange(n) * 2.0


@program("cache", lambda: (1.0,))
def cached_arrays_are_read(x):
    return _table(3) + x, _table(3)[1], _table(4).sum() + _table(3)[2]


@program("sequence and number", lambda: (2, [(2,), 2, 3], (1, (2, 3), 5)), lambda: (3, [3, 1], ()))
def a_number_is_no_sequence_of_it(x, items, nested):
    found = (x,) == x, (1, (x,)) == (1, x), (x, x) != x, x in [(x,), x + 1], nested.count(1)
    return found, items.index(x), [v == x for v in (x, (x,), [x], range(x))]


@program("sequence and number", lambda: (np.float64(2), np.array(2.0), np.int64(2)))
def a_number_of_numpys_meets_the_elements(x, zero_d, n):
    items = [float(x), 1.0]
    return (
        items == x,
        items + x,
        items * zero_d,
        x < items,
        items * n,
        (1.0, x) * n,
        zero_d != items,
    )


def mean(xs):
    """It reads one item after the other, and may stop."""
    total, n = 0.0, 0
    for x in xs:
        if x > 100:
            break
        total, n = total + x, n + 1
    return total / n


class Path:
    def __init__(self):
        self.parts = []

    def join(self, parts):
        for part in parts:
            self.parts.append(part)
        return self

    def max(self, parts):
        return next(iter(parts))


@program("generator expressions", lambda: ([1.0, 3.0, 101.0, 0.0],), lambda: ([2.0, -1.0],))
def own_functions_that_read(xs):
    log = []

    def seen(x):
        log.append(x)
        return x

    path = Path().join(x + 1 for x in xs if x < 100)
    separator = "-" if len(xs) > 2 else ","
    largest = max if xs[0] > 1 else min
    found = mean(seen(x) for x in xs), path.max(seen(x) for x in xs)
    return (
        found,
        log,
        path.parts,
        separator.join(str(x) for x in path.parts),
        largest(x for x in xs),
    )
