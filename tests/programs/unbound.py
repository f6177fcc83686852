"""Names that are not bound on every path: UnboundLocalError on those that read them so."""

from collections import deque, namedtuple

import numpy as np

from tests.programs import program


@program("raise unbound", *(lambda n=n: (n,) for n in (0, 1, 2, 5)))
def first_iteration_binds(n):
    for i in range(n):
        if i == 0:
            z = 1.0
        elif i == 1:
            z = z + 1
    return z


@program("raise unbound", *(lambda n=n: (n,) for n in (0, 3)))
def never_bound_before(n):
    for i in range(n):
        if i > 1:
            total += i  # noqa: F821
        elif i > 5:
            total = i
    return n, total


@program("raise unbound", *(lambda n=n: (np.arange(5.0), n) for n in (0, 1, 5)))
def dict_of_first_iteration(x, n):
    for i in range(n):
        if i % 3 == 0:
            d = {"a": x[i]}
        else:
            d["a"] += x[i]
    return d


@program("raise unbound", lambda: (3,), lambda: (0,))
def read_by_an_inner_function(n):
    for i in range(n):
        s = i

    def after():
        return s + 1

    return after()


@program("except unbound", lambda: (1.0,), lambda: (-1.0,))
def caught(x):
    try:
        if x > 0:
            y = x
        return y + 1
    except UnboundLocalError:
        return -1.0


@program("raise unbound", lambda: (1.0,), lambda: (-1.0,))
def deleted(x):
    if x > 0:
        del x
    return x


@program("namedtuple", lambda: (1.5,))
def named_tuple_made_inside(x):
    Point = namedtuple("Point", "x y", defaults=[2])
    points = [Point(x, i) for i in range(3)] + [Point(x)]
    return sum([p.x * p.y for p in points]), points[0]._replace(y=7).y


@program("raise unbound", lambda: (1.0,))
def used_before_assignment(x):
    z = y + x  # noqa: F821
    y = 1.0
    return z + y


@program("deque", lambda: (1,), lambda: (3,))
def extremes_of_deques(n):
    d = deque([1.0, 2.0, float(n)], maxlen=2)
    return min(d), max(d), max(deque([1, n])), sum(d)


@program(
    "names of clauses end however these are left", lambda: (0, 5), lambda: (0, 1), lambda: (2, 5)
)
def left_by_an_exception(n, k):
    try:
        try:
            t = 1 // n
        except ZeroDivisionError as e:  # noqa: F841
            t = [1, 2][k]
    except IndexError:
        return str(e)  # noqa: F821
    return t


@program("names of clauses end however these are left", lambda: (0,), lambda: (1,))
def left_by_break(n):
    t = 0
    for i in range(3):
        try:
            t += 1 // n
        except ZeroDivisionError as e:  # noqa: F841
            break
    return str(e)  # noqa: F821


@program("names of clauses end however these are left", lambda: (1,), lambda: (5,))
def left_by_continue(n):
    e = "before"
    t = 0
    for i in range(3):
        try:
            t += 1 // (n - i)
        except ZeroDivisionError as e:  # noqa: F841
            continue
    return t, e


@program("names of clauses end however these are left", lambda: (0,), lambda: (1,))
def left_by_another_exception(n):
    e = None
    try:
        try:
            n = 1 // n
        except ZeroDivisionError as e:  # noqa: F841
            raise ValueError("another") from None
    except ValueError:
        pass
    return e


@program("names of clauses end however these are left", lambda: (0,), lambda: (1,))
def name_had_another_value(n):
    e = 5
    try:
        t = 1 // n
    except ZeroDivisionError as e:  # noqa: F841
        t = len(str(e))
    return t + e
