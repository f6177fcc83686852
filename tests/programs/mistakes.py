"""Mistakes that CPython and NumPy raise for, caught by the program, which reads their words."""

import collections
import math

import numpy as np

from tests.programs import program


class Plain:
    def __init__(self, v):
        self.v = v

    def method(self, a):
        return a


def told(error):
    return f"{type(error).__name__}: {error}"


@program("except text", lambda: (3,), lambda: (2.5,), lambda: ("ab",), lambda: (None,))
def operands(n):
    found = []
    try:
        n += [1]
    except TypeError as e:
        found.append(told(e))
    try:
        n -= "a"
    except TypeError as e:
        found.append(told(e))
    try:
        found.append(-n < [])
    except TypeError as e:
        found.append(told(e))
    try:
        found.append(n | Plain(1))
    except TypeError as e:
        found.append(told(e))
    try:
        n **= None
    except TypeError as e:
        found.append(told(e))
    return found


@program("except text", lambda: (3,), lambda: (2.5,), lambda: (True,), lambda: (Plain(2),))
def no_sequence(n):
    found = []
    try:
        a, b = n
    except TypeError as e:
        found.append(told(e))
    try:
        found.append([*n, 1])
    except TypeError:
        found.append("no iterable")
    try:
        found.append(len(n))
    except TypeError as e:
        found.append(told(e))
    try:
        found.append(3 in n)
    except TypeError as e:
        found.append(told(e))
    try:
        del n[0]
    except TypeError as e:
        found.append(told(e))
    try:
        n[0] = 1
    except TypeError as e:
        found.append(told(e))
    try:
        found.append(next(n))
    except TypeError as e:
        found.append(told(e))
    try:
        found.append(dict(n))
    except TypeError as e:
        found.append(told(e))
    try:
        found.append({**n, 1: 2})
    except TypeError as e:
        found.append(told(e))
    return found


@program("except text", lambda: ([(1, 2)],), lambda: (((1, 2),),), lambda: ({3: 4},))
def no_mapping(pairs):
    try:
        return {**pairs, 5: 6}
    except TypeError as e:
        return told(e)


@program("except text", lambda: (3,))
def calls(n):
    def inner(a, /, b, c=1, *, d):
        return a + b + c + d

    found = []
    try:
        found.append(inner(n))
    except TypeError as e:
        found.append(told(e))
    try:
        found.append(inner(n, n, n, n, d=1))
    except TypeError as e:
        found.append(told(e))
    try:
        found.append(inner(a=n, b=1, d=1))
    except TypeError as e:
        found.append(told(e))
    try:
        found.append(inner(n, 1, b=2, d=1))
    except TypeError as e:
        found.append(told(e))
    try:
        found.append(Plain(n).method(1, 2))
    except TypeError as e:
        found.append(told(e))
    try:
        found.append(Plain())
    except TypeError as e:
        found.append(told(e))
    try:
        found.append(n())
    except TypeError as e:
        found.append(told(e))
    try:
        found.append(int([n]) + math.sqrt("x"))
    except TypeError as e:
        found.append(told(e))
    return found


@program(
    "except text",
    lambda: ([1, 2],),
    lambda: ((1, 2),),
    lambda: ({1: 2},),
    lambda: ({3, 4},),
    lambda: ("ab",),
    lambda: (collections.deque([1]),),
    lambda: (np.ones(3),),
)
def attributes(x):
    found = []
    try:
        found.append(x.nothing)
    except AttributeError as e:
        found.append(told(e))
    try:
        found.append(Plain(x).w)
    except AttributeError as e:
        found.append(told(e))
    try:
        found.append(undefined_name + 1)  # noqa: F821
    except NameError as e:
        found.append(told(e))
    try:
        found.append({2: [x][0:1]} | x)
    except TypeError:
        found.append("no operand")
    return found


@program("except text", lambda: (np.arange(3), 0.5), lambda: (np.arange(3), -0.5))
def casts(a, v):
    try:
        a += v
    except TypeError as e:
        if v < 0:
            return told(e), repr(e)
        a = a * v
    return a


ORDERED = (
    *(lambda: ([1, 5],), lambda: ((1, 5),), lambda: ({1: 2},), lambda: ({1, 5},)),
    *(lambda: (frozenset({1}),), lambda: (range(2),), lambda: ("ab",)),
    *(lambda: (collections.deque([1]),), lambda: (b"ab",)),
)


@program("except sets text", *ORDERED)
def set_operators(other):
    found = []
    s = {1, 2}
    for k in range(2):
        try:
            found.append(sorted(s | other) if k else sorted(s - other))
        except TypeError as e:
            found.append(told(e))
        try:
            found.append(sorted(other & s) if k else sorted(s ^ other))
        except TypeError as e:
            found.append(told(e))
    try:
        s |= other
    except TypeError as e:
        found.append(told(e))
    return found, sorted(s)


@program("except text", *ORDERED)
def orders(other):
    found = []
    for mine in ([1, 2], (1, 2), {1}, frozenset({1, 2}), "ab", range(2)):
        try:
            found.append(mine < other)
        except TypeError as e:
            found.append(told(e))
        try:
            found.append(other >= mine)
        except TypeError as e:
            found.append(told(e))
    return found


@program("except text", *ORDERED)
def looked_for(x):
    found = []
    for where in ("abc", {1}, frozenset({1}), {1: 2}, b"abc", [1]):
        try:
            found.append(x in where)
        except TypeError as e:
            found.append(told(e))
    return found


@program("except text", *ORDERED)
def no_iterators(x):
    try:
        return next(x)
    except TypeError as e:
        return told(e)


@program("text", *ORDERED)
def spare_items(x):
    try:
        return "no field" % x  # noqa: F507, UP031
    except TypeError as e:
        return told(e)


@program("except text", lambda: (np.arange(3.0), np.arange(6).reshape(2, 3)))
def stores_and_deletions_that_arrays_refuse(x, m):
    found = []
    try:
        x[:2] = [[1.0, 2.0]]
    except ValueError as e:
        found.append(told(e))
    try:
        x[...] = (x * 2,)
    except ValueError as e:
        found.append(told(e))
    try:
        m[1] = [[7, 8, 9]]
    except ValueError as e:
        found.append(told(e))
    m[0] = [7, 8, 9]
    x[[0, 1]] = [[5.0, 6.0]]
    x[2:] = np.ones((1, 1))
    try:
        del x[0]
    except (TypeError, ValueError) as e:
        found.append(told(e))
    try:
        del m[0, 1]
    except (TypeError, ValueError) as e:
        found.append(told(e))
    return found, x, m


def times(n):
    try:
        return "ab" * n
    except TypeError as e:
        return told(e)


@program("except text", lambda: ("ab", 2.0), lambda: ("", 2), lambda: ("ab", np.float64(1.5)))
def texts_times_numbers(text, n):
    try:
        once = n * text
    except TypeError as e:
        once = told(e)
    return once, times(n), times(np.int64(2)), times(True)


@program("except text", lambda: ([1, 2, 3, 4], 0), lambda: ([1, 2, 3, 4], 2))
def steps_of_slices(x, n):
    y = [v for v in x if v > n]
    found = []
    for z in (x, y):
        for new in ([5], [5, 6, 7]):
            for step in (0, 3, n - 2):
                try:
                    z[0:9:step] = new
                except ValueError as e:
                    found.append(told(e))
    try:
        del x[::0]
    except ValueError as e:
        found.append(told(e))
    try:
        found.append(y[::0])
    except ValueError as e:
        found.append(told(e))
    return found, x, y


@program("except text", lambda: ([3, 1, 4], 0), lambda: ([3, 1, 4, 5], 2))
def steps_of_zero(x, n):
    """Of lists of which data decides the length."""
    y, found = [v for v in x if v > n], []
    for part in (y, [*y, n]):
        try:
            found.append(part[n :: n - n])
        except ValueError as e:
            found.append(str(e))
    return found, y


def _sought(container, key):
    """How each way of looking for a key that has no hash ends."""
    told = []
    for find in (
        lambda: container.pop(key, 3.0),
        lambda: container.get(key, 5),
        lambda: container[key],
        lambda: key in container,
        lambda: container.setdefault(key, 1),
        lambda: container.__setitem__(key, 1),
    ):
        try:
            find()
            told.append(0)
        except KeyError:
            told.append(1)
        except TypeError:
            told.append(2)
    return told, len(container)


@program("keys that have no hash", lambda: (np.arange(4.0),))
def keys_without_hash(x):
    d, counts = {}, collections.Counter()
    for i in range(len(x)):
        d[int(x[i]), 2] = i
        counts[int(x[i])] += 1
    return (
        _sought(d, [1, 2]),
        _sought(d, ([1], 2)),
        _sought(d, {1: 2}),
        _sought(d, x[:2]),
        _sought(d, {1}),
        _sought(counts, [1]),
        _sought(counts, x),
    )


@program("keys that have no hash", lambda: (np.arange(4.0),))
def items_without_hash(x):
    s = set()
    for v in x:
        s.add(int(v))
    told = []
    for key in ([3], {3: 3}, {3}, x[3:], ({3}, 3)):
        for change in (s.add, s.discard, s.remove, s.__contains__):
            try:
                change(key)
                told.append(0)
            except KeyError:
                told.append(1)
            except TypeError:
                told.append(2)
    return told, sorted(s)


@program("keys that have no hash", lambda: (np.arange(4.0),), lambda: (np.zeros(4),))
def array_as_key(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 2:
            total += {1: 2}[x]
        total += x[i]
    return total


@program("except text", lambda: (5, 2.5), lambda: (-1, float("nan")), lambda: (7, float("inf")))
def fields(n, x):
    """What is wrong with a field is raised where its text is made."""
    found = []
    for spec in ("d", "c", ".2q", "zz", "s", "b"):
        for v in (n, x):
            try:
                found.append(format(v, spec))
            except (ValueError, OverflowError) as e:
                found.append(told(e))
    for template in ("%d", "%c", "%x", "%5.1e", "%i"):
        for v in (n, x):
            try:
                found.append(template % v)
            except (ValueError, OverflowError, TypeError) as e:
                found.append(told(e))
    ok = True
    try:
        f"{x:d}"
    except ValueError:
        ok = False
    return found, ok


class Wordless:
    def __str__(self):
        return 1

    def __repr__(self):
        return 2.5

    def __format__(self, spec):
        return None


@program("except text", lambda: (1,))
def no_text(n):
    found = []
    for show in (str, repr, format):
        try:
            show(Wordless())
        except TypeError as e:
            found.append(told(e))
    return found, n


@program("mistakes", lambda: (["a", "b"],), lambda: ([],))
def texts_added_up(xs):
    def each():
        yield from xs

    found = []
    for add in (
        lambda: sum(xs, ""),
        lambda: sum((x for x in xs), start="c"),
        lambda: sum(each(), ""),
        lambda: sum([len(x) for x in xs], b"c"),
        lambda: sum([[len(x)] for x in xs], []),
    ):
        try:
            found.append(str(add()))
        except TypeError as error:
            found.append(str(error))
    return found


@program("mistakes", lambda: ([], 5, "a"), lambda: ([1], 5, "b"), lambda: ([5, 6], 6, "6"))
def sought_in_vain(xs, n, text):
    some, texts = [x for x in xs if x], [str(x) for x in xs]
    pairs = [(x, x) for x in xs]
    found = []
    for look in (
        lambda: some.index(n),
        lambda: list(xs).index(n),
        lambda: texts.index(text),
        lambda: texts.index("q"),
        lambda: pairs.index((n, n)),
        lambda: pairs.index((n, text)),
        lambda: [n].index(n + 1),
        lambda: [text].index(text + "a"),
    ):
        try:
            found.append(look())
        except ValueError as error:
            found.append(str(error))
    return found
