# ruff: noqa - these programs are odd on purpose
"""The corpus: statements."""

import itertools
import numpy as np

from tests.frontend.corpus.case import Node, case


@case((0,), (1,), (2,), (7,))
def branches(n):
    if n == 0:
        r = "zero"
    elif n == 1:
        r = "one"
        return r + "!"
    elif n == 2:
        r = "two"
    else:
        if n > 5:
            r = "many"
    return r


@case((0,), (3,), (10,))
def loops(n):
    total, i = 0, 0
    while i < n:
        i += 1
        if i % 3 == 0:
            continue
        for j in range(i):
            if j == 4:
                break
            total += j
        else:
            total += 100
    return total, i


@case(([],), ([1, 2, 3],), ([1, 5, 3],))
def for_else(xs):
    for x in xs:
        if x == 5:
            found = x
            break
    else:
        found = None
    while xs:
        if xs[0] == 3:
            break
        xs = xs[1:]
    else:
        return found, "emptied"
    return found, xs


@case((3, 3), (4, 9))
def else_leaves_outer_loop(n, m):
    r = []
    for i in range(n):
        for j in range(m):
            if i * j > 4:
                break
            r.append((i, j))
        else:
            if i == 2:
                break
            continue
        r.append("broke")
    while True:
        n -= 1
        while n > 1:
            if n == 2:
                break
            n -= 1
        else:
            break
    return r, n


@case(([1, 2, 3],))
def growing(xs):
    r = []
    for x in xs:
        if len(xs) < 6:
            xs.append(x * 10)
        r.append(x)
    for x in iter(xs):
        if x > 2:
            xs.clear()
    return r, xs


@case(({"a": 1, "b": 2},))
def iterables(d):
    r = []
    for k in d:
        r.append(k)
    for k, v in d.items():
        r.append((k, v))
    for a, b in zip("ab", itertools.count()):
        r.append((a, b))
    for x in map(str, {7}):
        r.append(x)
    for row in np.arange(4).reshape(2, 2):
        r.append(row.tolist())
    for c in "hi":
        r.append(c)
    it = iter([1, 2, 3, 4])
    for x in it:
        r.append((x, next(it)))
    for i in reversed(range(3)):
        r.append(i)
    return r


@case((5,))
def not_iterable(x):
    for _ in x:
        pass


@case(({1: 2},))
def changed_dict(d):
    for k in d:
        d[k + 1] = 0
    return d


@case((3,), (0,))
def loop_targets(n):
    xs, node = [0, 0], Node()
    for xs[0] in range(n):
        pass
    for node.left, (xs[1], *node.right) in [(1, (2, 3, 4))]:
        pass
    for i in range(n):
        i = i * 10
    return xs, node, i


@case((0,), (1,), (5,), (12,))
def returns_anywhere(n):
    for i in range(10):
        if i == n:
            while True:
                if n:
                    return "in while", i
                break
            return "after while"
    return


@case((2,), (-1,))
def asserting(x):
    assert x > 0, f"bad {x}"
    assert x and x < 5
    return x


@case((0,), (1,), (2,))
def raising(x):
    if x == 1:
        raise ValueError("one")
    if x == 2:
        raise KeyError from ValueError("cause")
    return x


@case((1,), (0,))
def maybe_unbound(x):
    if x:
        y = 1
    return y


@case((1,))
def deleted(x):
    del x
    return x


@case((1,))
def unknown_global(x):
    return x + there_is_no_such_name


@case((3,))
def with_errstate(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.float64(x) / 2
        if x > 1:
            return float(y)
    return 0


@case((4,))
def constant_tests(x):
    if True:
        y = 1
    else:
        y = 2
    while 0:
        y = 3
    while 1:
        x -= 1
        if x < 0:
            break
    while not x:
        return "no"
    return x, y


@case((3,))
def dead_code(x):
    return x
    x = y = 5
    for i in x:
        y


@case((2,))
def docstring(x):
    """Documented."""
    "a string"
    ...
    pass
    x
    return x
