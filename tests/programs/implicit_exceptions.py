"""Exceptions that Python and NumPy raise themselves, caught."""

import collections
import itertools
import math

import numpy as np

from tests.programs import program


@program("except raise", lambda: (1, 0), lambda: (6, 3), lambda: (5, 2))
def zerodiv(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return float("inf")


@program(
    "except raise", lambda: (np.array([1.0, 2.0, 3.0]), 1), lambda: (np.array([1.0, 2.0, 3.0]), 7)
)
def index(a, i):
    try:
        return a[i]
    except IndexError:
        return -1.0


@program("except raise", lambda: (np.eye(2),), lambda: (np.ones((2, 2)),))
def linalg(a):
    try:
        return np.linalg.solve(a, np.ones(2))
    except np.linalg.LinAlgError:
        return np.zeros(2)


@program("except", lambda: (np.ones(2), np.ones(3)), lambda: (np.ones(2), np.eye(2)))
def outer_of_vectors(x, y):
    try:
        return np.linalg.outer(x, y), ""
    except ValueError as error:
        return x, str(error)


@program("except raise", lambda: ("a",), lambda: ("z",))
def key(k):
    d = {"a": 1.0, "b": 2.0}
    try:
        return d[k]
    except KeyError:
        return 0.0


@program("except raise", lambda: (float("nan"),), lambda: (2.7,), lambda: (float("inf"),))
def to_int(x):
    try:
        return int(x)
    except ValueError:
        return -1
    except OverflowError:
        return -2


@program("except raise prints", lambda: (4.0,), lambda: (-4.0,))
def domain(x):
    try:
        v = math.sqrt(x)
    except ValueError as e:
        print("error:", e)
        v = 0.0
    return v


@program(
    "except raise",
    lambda: (np.array([[2.0, 1.0], [1.0, 2.0]]),),
    lambda: (np.array([[1.0, 2.0], [2.0, 1.0]]),),
)
def chol(a):
    jitter = 0.0
    for k in range(10):
        try:
            return np.linalg.cholesky(a + jitter * np.eye(2)), jitter
        except np.linalg.LinAlgError:
            jitter = 10 * jitter if jitter else 1e-3
    raise ValueError("not pd")


@program("except raise", lambda: ([1, 2], 5), lambda: ([1, 2], 1))
def lists(l, i):
    out = []
    try:
        out.append(l[i])
        out.append(1)
    except IndexError:
        out.append(-1)
        out.append(-1)
    return out


@program("except raise", lambda: (np.array([3.0, 4.0]),))
def compile_time(x):
    try:
        y = x.reshape(3)
    except ValueError:
        y = x
    try:
        z = x[7]
    except IndexError:
        z = 0.0
    try:
        n = len(z)
    except TypeError:
        n = 1
    try:
        w = x + np.ones(3)
    except ValueError:
        w = x
    return y, z, n, w


@program("except raise", lambda: ("12",), lambda: ("ab",))
def parse(s):
    try:
        return int(s)
    except ValueError:
        return None


@program("except raise", lambda: ((1, 2),), lambda: ((1, 2, 3),))
def unp(t):
    try:
        a, b = t
    except ValueError:
        a, b, c = t
        return c
    return a


@program(
    "except raise",
    lambda: (np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0])),
    lambda: (np.array([1.0, 2.0]), np.array([1.0, 2.0])),
)
def shapes(a, b):
    try:
        return a + b
    except ValueError:
        return a[0] + b


@program("except raise", lambda: (np.array([]),), lambda: (np.array([3.0]),))
def empty(a):
    try:
        return a.max()
    except ValueError:
        return None


@program("except raise", lambda: (0.5,), lambda: (2.5,), lambda: (-1.0,))
def maybe(x):
    try:
        v = math.acos(x)
    except ValueError:
        v = None
    if v is None:
        return -1.0
    return v


def inverse(x):
    return 1.0 / (x * x)


@program("except", lambda: (2.0, 0.0), lambda: (1.0, 3.0))
def tested_where_caught(x, y):
    total = inverse(x) + inverse(x + 1.0)
    try:
        total += inverse(y)
    except ZeroDivisionError:
        total = -total
    return total


@program("except kinds", lambda: (2, np.array([7])), lambda: (5, np.array([5])))
def division_by_a_number_of_either_kind(a, x):
    b = a
    if a > 3:
        b = x[0]  # division by a NumPy scalar raises nothing
    try:
        return 10 // (b - a), b
    except ZeroDivisionError:
        return -1, b


def _refused(f):
    try:
        return f()
    except ValueError:
        return "refused"


@program("options", lambda: (np.array([3.0, 1.0, 2.0]),))
def options_that_numpy_refuses(x):
    return (
        [_refused(lambda kind=kind: np.sort(x, kind=kind)) for kind in ("stable", "quick", "zzz")],
        _refused(lambda: np.argsort(x, kind="stable", stable=True)),
        _refused(lambda: x.sort(kind="zzz")),
        _refused(lambda: np.partition(x, 1, kind="zzz")),
        [_refused(lambda w=w: np.pad(x, w)) for w in (1, (1, 2), ((2, 1),), (1, 2, 3), -1)],
        _refused(lambda: np.pad(x, 1, constant_values=(1, 2, 3))),
        x,
    )


@program("checks", lambda: (4,))
def by_what_xla_finds_to_be_zero(n):
    return n // 2 + 4 // (int(np.cos(np.zeros(2))[0]) - 1)


@program("checks", *[lambda k=k: ([3, 4, 5], k) for k in (1, 3, -3, -4)])
def place_in_a_tuple(items, k):
    return tuple(items)[k]


@program("", *[lambda k=k: ([3, 4, 5], k) for k in (1, 3, -3, -4)])
def told_what_is_no_place(items, k):
    try:
        return items[k]
    except IndexError as error:
        found = str(error)
    try:
        items[k] = 7
    except IndexError as error:
        return found, str(error), items


@program("checks", lambda: (np.zeros(3),), lambda: (np.array([2.0, -1, 5]),))
def folds_of_nothing(a):
    above = a[a > 0]
    try:
        return np.minimum.reduce(above), np.maximum.reduce([int(x) for x in a if x > 0])
    except ValueError as error:
        return str(error), np.add.reduce(above), np.maximum.reduce(above, initial=3.0)


@program("islice checks", *[lambda k=k: (np.array([k]),) for k in (-3, -1, 0, 1, 3)])
def places_of_islice(found):
    k, said = int(found[0]), []
    for bounds in ((k,), (k, 4), (1, k), (0, 6, k)):
        try:
            part = itertools.islice(itertools.count(10), *bounds)
            said.append(list(part))
        except ValueError as error:
            said.append(str(error))
    return said


@program("islice checks", lambda: (2.0, np.int32(3)), lambda: (np.bool_(True), np.array(-1)))
def what_is_no_place_of_islice(x, i):
    said = []
    for bounds in ((x,), (x, 4), (1, x), (0, 6, x), (), (1, 2, 3, 4), (i,), (i, None), (0, 6, i)):
        try:
            said.append(list(itertools.islice(range(9), *bounds)))
        except (ValueError, TypeError) as error:
            said.append(str(error))
    return said


@program(
    "norm",
    *[lambda p=p: (np.array([[3.0, -4, 0], [1, 2, -2]]), p) for p in (np.inf, -np.inf, 0.0, 1.5)],
    lambda: (np.array([[3, -4, 0], [1, 2, -2]], np.float32), 1.5),
)
def norms_of_any_order(x, order):
    """Those of infinity and 0 are no powers."""
    k = int(x[1, 0]) - 1
    return np.linalg.norm(x[0], order), np.linalg.norm(x, order, axis=1), np.linalg.norm(x[0], k)


@program(
    "norm",
    *[lambda p=p: (np.array([3.0, -1, 2]), 9.0, p) for p in (np.inf, -np.inf, 0.0, 1.5)],
    *[lambda p=p: (np.array([3.0, -1, 2]), 1.0, p) for p in (np.inf, -np.inf, 0.0, 2.0)],
)
def norms_of_what_is_left(x, least, order):
    """Of none, that of infinity is 0, and there is no minimum."""
    left, none = x[x > least], np.zeros((2, 0))
    largest = np.linalg.norm(none, np.inf, axis=1), np.linalg.norm(left.astype(np.float32), np.inf)
    try:
        return largest, np.linalg.norm(left, order), np.linalg.norm(none, order, axis=1)
    except ValueError as error:
        return largest, str(error)


@program("triangles", *[lambda k=k: (np.array([k]),) for k in (-2, 0, 3)])
def triangles_of_data(found):
    k = int(found[0])
    return np.tri(k), np.triu_indices(k), np.arange(k)


@program("deque index", lambda: ([1, 2, 3], 3), lambda: ([1, 2, 3], -4), lambda: ([], 0))
def index_beyond_a_deque(numbers, i):
    q, said = collections.deque(numbers), []
    kept = collections.deque([v for v in numbers if v > 1])

    def assign():
        q[i] = 1

    def delete():
        del q[i]

    for attempt in (lambda: q[i], lambda: kept[i], lambda: kept[-2], assign, delete):
        try:
            said.append(attempt())
        except IndexError as error:
            said.append(str(error))
    return said


@program("attributes that cannot be set", lambda: (3,), lambda: (2.5,))
def unsettable(x):
    Point = collections.namedtuple("Point", "a b")
    point, found = Point(x, 1), []
    try:
        point.a = x
    except AttributeError as error:
        found.append(str(error))
    try:
        point.c = x
    except AttributeError as error:
        found.append(str(error))
    try:
        x.real = 2
    except AttributeError as error:
        found.append(str(error))
    try:
        found.size = x
    except AttributeError as error:
        found.append(str(error))
    try:
        None.size = x
    except AttributeError as error:
        found.append(str(error))
    return found
