# ruff: noqa - these programs are odd on purpose
"""Functions over the whole language, with arguments: `CORPUS` lists them.

Each takes a `log` first where the order of evaluation is observed: `log(x)` notes and returns x.
"""

import contextlib
import enum
import functools
import itertools
import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

CORPUS: list[tuple[Any, tuple[tuple[Any, ...], ...]]] = []


def case(*arguments):
    """Add the decorated function with these argument tuples."""

    def add(function):
        CORPUS.append((function, arguments))
        return function

    return add


class Log(list):
    def __call__(self, value):
        self.append(value)
        return value

    def fail(self, value):
        self.append(("fail", value))
        raise ValueError(value)


class Point(NamedTuple):
    x: Any
    y: Any


@dataclass
class Node:
    left: Any = None
    right: Any = None
    tags: list = field(default_factory=list)


class Traced:
    """Logs attribute and item accesses."""

    def __init__(self, log, **values):
        self.__dict__.update(_log=log, **values)

    def __getattr__(self, name):
        self._log(("get", name))
        return 7

    def __setattr__(self, name, value):
        self._log(("set", name, value))

    def __getitem__(self, key):
        self._log(("item", key))
        return 3

    def __setitem__(self, key, value):
        self._log(("setitem", key, value))

    def __delitem__(self, key):
        self._log(("delitem", key))

    def __delattr__(self, name):
        self._log(("del", name))


class Color(enum.Enum):
    RED = 1
    BLUE = 2


# Straight line.


@case((1, 2), (3.5, -1))
def arithmetic(a, b):
    return a + b * 2 - a / (b or 1), -a, +b, a**2, a // 2, a % 3, not a


@case(
    (6, 3),
)
def integer_operators(a, b):
    return a & b, a | b, a ^ b, a << b, a >> 1, ~a


@case((-0.0,), (1e308,))
def literals(x):
    return (
        x,
        -0.0,
        0.0,
        1j,
        -2.5j,
        "s",
        b"b",
        None,
        ...,
        True,
        -1,
        math.copysign(1, -0.0),
    )


@case((3, 4))
def comparisons(a, b):
    return (
        a < b,
        a <= b,
        a > b,
        a >= b,
        a == b,
        a != b,
        a is b,
        a is not None,
        a in [a],
        b not in (a,),
    )


@case(([0, 1, 2, 3, 4, 5],))
def slices(x):
    return x[1:3], x[:2], x[2:], x[::2], x[::-1], x[-1], x[:], x[slice(1, 4, 2)]


@case((np.arange(24).reshape(2, 3, 4),))
def array_slices(x):
    return x[0, 1:, ::2].tolist(), x[..., None, 0].shape, x[:, [0, 2], 1:3].tolist()


@case((1,))
def displays(a):
    return (a, a + 1), [a, [a]], {a, 2}, {a: 2, "k": a}, (), [], {}, (a,)


@case(([1, 2], {"z": 1}))
def starred_displays(xs, d):
    return [*xs, 3, *xs], (*xs, 0), {*xs, 9}, {**d, "a": 1, "z": 2}, [*"ab", *range(2)]


@case(("x", 3.14159, 8))
def strings(a, b, width):
    return (
        f"{a}",
        f"<{b:.2f}> {a!r:>{width}} {b=} {{}}",
        f"{a!s}{a!a}",
        "".join([a, ""]),
        f"{b:{width}.3}",
    )


@case((1, 2, 3))
def calls(a, b, c):
    def g(x, y=10, *rest, z=5, **more):
        return x, y, rest, z, sorted(more.items())

    args, kwargs = [b, c], {"z": a, "w": b}
    return (
        g(a),
        g(a, b),
        g(a, *args),
        g(*args, a, **kwargs),
        g(x=a, z=b),
        g(a, *args, *args, q=1, **kwargs),
    )


@case((1, 2, 3))
def signature(a, /, b, *c, d=4, **e):
    return a, b, c, d, e


@case((1,))
def annotations(a: "int") -> "int":
    b: int = a + 1
    c: int
    c = b
    d: list[int] = [c]
    d[0]: int = 5
    return c + d[0]


@case(([1, 2, 3, 4],))
def unpacking(xs):
    a, b, *c = xs
    (d, *e), [f, g] = xs, (c, a)
    h = i = [a, b]
    *j, k = xs
    (l, (m, n)), o = (1, (2, 3)), 4
    return a, b, c, d, e, f, g, h is i, j, k, l, m, n, o


@case((1, 2))
def swap(a, b):
    a, b = b, a
    xs = [1, 2, 3]
    i = 0
    i, xs[i] = 2, 9
    xs[0], xs[1] = xs[1], xs[0]
    return a, b, i, xs


@case((1,))
def deleting(a):
    b, c, xs, node = 2, 3, [1, 2, 3], Node()
    del b, (c, xs[0]), node.left
    return a, xs, hasattr(node, "left") and node.left


@case((5,))
def augmented(a):
    a += 1
    a -= 2
    a *= 3
    a /= 2
    a **= 2
    a //= 3
    a %= 7
    b, xs, node = 12, [1, 2], Node(tags=[0])
    b &= 7
    b |= 16
    b ^= 1
    b <<= 2
    b >>= 1
    alias = xs
    xs += [3]
    xs[0] += 5
    node.tags += [1]
    node.tags[0] -= 1
    return a, b, xs, alias is xs, node


@case(("math",))
def importing(name):
    import math
    import os.path
    import os.path as p
    from collections import abc
    from math import floor
    from math import pi as tau

    return math.floor(tau), floor(2.5), os.path is p, abc.Sized.__name__, name


# Order of evaluation.


@case((0,), (1,))
def order_binary(c):
    log = Log()
    r = log(1) + (log(2) if log(c) else log(3)) + log(4)
    return r, log


@case((0,), (1,))
def order_call(c):
    log = Log()
    r = max(
        log(1),
        log(2) if c else log(3),
        *[log(4)],
        *(log([5]) if c else log([6])),
        key=log(None) or None,
    )
    return r, log


@case((0,), (1,))
def order_method(c):
    log = Log()
    t = Traced(log)
    r = log(t).attr + (t[log(1)] if t.cond and c else t[log(2) : log(3) if c else log(4)])
    return r, list(log)[1:]


@case((0,), (1,))
def order_assign(c):
    log = Log()
    t = Traced(log)
    t.a = t[log(1)] = log(2) if c else log(3)
    t[log(4) if c else log(5)], t.b = log(6), log(7)
    t[log(1), log(2) if c else log(1)] = log(8)
    return log


@case((0,), (1,))
def order_augmented(c):
    log = Log()
    t = Traced(log)
    t.a += log(1)
    t.b += log(2) if c else log(3)
    t[log(4)] += log(5)
    t[log(6), log(0)] *= log(7) and log(8)
    t[log(1) if c else log(2)] -= log(9)
    t[log(1) : log(2)] -= log(9) or 1
    return log


@case((0,), (1,))
def order_display(c):
    log = Log()
    a = [log(1), log(2) if c else log(3), log(4)]
    b = {log("k"): log(1) or log(2), log("l"): log(0) or log(5)}
    d = (log(1), *log([2]), log(3) if c else log(4))
    e = {**log({"a": 1}), log("b"): log(0) or log(2), **log({})}
    return a, b, d, e, log


@case((0,), (2,))
def order_compare(c):
    log = Log()
    r = log(0) < log(c) <= log(2) < log(c + 1)
    s = log(1) in (log([1]) if c else log([2])) != log(3)
    return r, s, log


@case((0,), (1,))
def order_string(c):
    log = Log()

    class_ = log
    return f"{log(1)}{class_(2) if c else log(3)}{log(4):{log(5) if c else 6}}", log


@case((0,), (1,))
def order_delete(c):
    log = Log()
    t = Traced(log)
    del t[log(1) if c else log(2)], t.x, t[log(1) : log(2) or log(3)]
    return log


@case((0,), (1,))
def order_raise(c):
    log = Log()
    if c:
        raise ValueError(log(1), log(2) if c else 3) from (KeyError(log) if c else None)
    return log


@case(([1, 2],))
def starred_before_hoist(xs):
    def g(*args):
        return args

    return g(*xs, xs.append(3) if xs else 0, *xs)


@case((1,), (5,))
def rebinding_before_hoist(x):
    def bump():
        nonlocal x
        x += 10
        return x

    y = 3
    a = x + (bump() if x else 0) + x
    b = y + (y := 7) + y
    y += (y := 2)
    x += bump() if y else 0
    return a, b, x, y


@case((2,))
def order_default(n):
    log = Log()

    def deco(tag):
        log(tag)
        return lambda f: lambda *a: (log(("call", tag)), f(*a))

    @deco(log("outer"))
    @deco(log("inner") if n else log("none"))
    def g(a, b=log(1), *, c=log(2) if n else 3, d=log(4)):
        return a, b, c, d

    return g(0), log


# Control flow in expressions.


@case((0, 1), (1, 0), ([], [1]), (2, 3))
def short_circuits(a, b):
    log = Log()
    return (
        log(a) and log(b),
        log(a) or log(b),
        not log(a),
        (a and b) or (b and a) or log(9),
        a or b and a,
        log,
    )


@case((0, 1, 2), (1, 2, 0), (3, 0, 0), (0, 0, 0))
def conditions(a, b, c):
    log = Log()
    r = []
    if log(a) and log(b) and not log(c):
        r.append(1)
    if log(a) or (log(b) and log(c)):
        r.append(2)
    elif not (a and b):
        r.append(3)
    if (log(a) if b else log(c)) and not (a if c else b):
        r.append(4)
    if 0 < log(a) < 2 or not 0 <= log(b) <= log(c):
        r.append(5)
    if a:
        r.append(6)
    return r, log


@case((1,), (0,), (-3,))
def nested_conditional(x):
    return "pos" if x > 0 else "zero" if x == 0 else ("neg" if x else "no")


@case((5,))
def walrus(n):
    r = []
    while (n := n - 1) > 0 and (m := n * 2) < 100:
        r.append((n, m))
    if (k := len(r)) and k > 2:
        r.append(k)
    return r, [y := 1, y + 1], y, [(last := i) for i in range(3)], last


@case((0, 0), (1, 0), (1, 4), (0, 4))
def walrus_behind_and(a, b):
    r = []
    if a and (n := b) and n > 2:
        r.append(n)
    while a < 4 and (m := a + b):
        r.append(m)
        a += 1
    while a < 6 and (k := a):
        a += 1
        if k == b:
            break
    else:
        r.append("else")
    if a and (n := b):
        r.append(n)
    else:
        r.append("not n")
    return r, [y for x in (0, a, b) if x and (y := x + 1)]


@case((3,))
def lambdas(n):
    f = lambda x, y=n, *z, k=n + 1: (x, y, z, k)
    g = (lambda: n, lambda x: x + n, lambda: (lambda: n * 2)())
    n = 10
    return (
        f(1),
        f(1, 2, 3, k=4),
        [h() for h in (g[0], g[2])],
        g[1](1),
        (lambda a: a or n)(0),
    )


@case(([3, 1, 2],))
def comprehensions(xs):
    x = "outer"
    a = [x * 2 for x in xs if x > 1 if x < 9]
    b = {x for x in xs} | {y % 2 for y in xs}
    c = {k: v for k, v in zip("abc", xs) if v != 1}
    d = [(i, j) for i in range(3) for j in range(i) if (i + j) % 2]
    e = [[i * j for j in xs] for i in xs]
    f = sum(x for x in xs), any(x == 1 for x in xs), tuple(x for x in xs)
    g = [x for x in [x for x in xs if x] if x]
    return a, b, c, d, e, f, g, x


@case((4,))
def comprehension_closures(n):
    fs = []
    for i in range(n):
        fs += [lambda: (i, j) for j in range(i)]
    gs = [(lambda a=k: a + k) for k in range(n)]
    return [f() for f in fs], [g() for g in gs]


@case(([1, 2, 3],))
def comprehension_order(xs):
    log = Log()
    r = [log(x) for x in log(xs) if log(x % 2) and log(x)]
    s = {log(k): log(v) or log("none") for k, v in enumerate(xs)}
    t = [log(1), *[log(x) for x in xs], log(2)]
    return r, s, t, log


@case((3,))
def comprehension_walrus_in_lambda(n):
    r = [(lambda: (k, q))() for k in range(n) if (q := k * 2) >= 0]
    return r, q


# Statements.


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


# Functions.


@case((5,))
def closures(n):
    count = 0

    def bump(by=1):
        nonlocal count
        count += by
        return count

    def make(k):
        def add(x):
            return x + k + n

        k += 1
        return add

    adders = [make(i) for i in range(3)]
    n = 100
    return bump(), bump(5), count, [a(1) for a in adders]


@case((10,))
def recursion(n):
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(n)


@case((3,))
def mutual_recursion(n):
    def even(k):
        return True if k == 0 else odd(k - 1)

    def odd(k):
        return False if k == 0 else even(k - 1)

    return even(n), odd(n)


@case((3,))
def late_binding(n):
    fs = []
    for i in range(n):

        def f():
            return i

        fs.append(f)
    return [f() for f in fs]


@case((3,))
def free_of_free(n):
    def outer():
        def inner():
            nonlocal n
            n += 1
            return n

        return inner() + inner()

    return outer(), n


@case((3,))
def keyword_only(n):
    def g(a, /, b, *, c=n, d):
        return a, b, c, d

    n = 9
    return g(1, 2, d=3), g(1, b=2, d=3, c=4)


@case((3,))
def reads_global(n):
    global CORPUS

    def inner():
        return len(CORPUS) > n

    return inner(), functools.reduce(lambda a, b: a * b, range(1, n))


@case((2,))
def unbound_box(n):
    def g():
        return later

    if n < 0:
        later = 1
    return g()


@case((2,))
def deleted_box(n):
    def g():
        return n

    del n
    return g()


# Patterns.


@case((1,), (2,), (3,), ("a",), (None,), (True,), (2.0,), (Color.BLUE,), (9,))
def match_values(x):
    match x:
        case None:
            return "none"
        case True:
            return "true"
        case 1 | 2:
            r = "small"
        case -3 | 3:
            r = "three"
        case "a":
            r = "string"
        case Color.BLUE:
            r = "blue"
        case _:
            r = "other"
    return r


@case(
    ([],),
    ([1],),
    ((1, 2),),
    ([1, 2, 3],),
    ([0, 5],),
    ("ab",),
    ([9, [1, 7]],),
    ({1: 2},),
    ([4, 5, 6, 7],),
    (np.arange(2),),
)
def match_sequences(x):
    match x:
        case []:
            return "empty"
        case [y]:
            return "one", y
        case (0, y):
            return "zero", y
        case [9, [_, z]]:
            return "nested", z
        case [a, b] if a < b:
            return "less", a, b
        case [4, *middle, 7]:
            return "ends", middle
        case [first, *_]:
            return "first", first
    return "none"


@case(
    (Point(0, 1),),
    (Point(2, 2),),
    (Node(1, 2),),
    (Node(),),
    (5,),
    (2.5,),
    ("s",),
    (Point(7, Node(3)),),
)
def match_classes(x):
    match x:
        case Point(0, y):
            return "axis", y
        case Point(x=7, y=Node(left=k)):
            return "deep", k
        case Point(a, b) if a == b:
            return "diagonal", a
        case Node(left=None, right=None):
            return "leaf"
        case Node(tags=[], left=l):
            return "node", l
        case int(n) | float(n):
            return "number", n
        case str():
            return "str"


@case((1,), ([1, 2],), ((3,),), (7,))
def match_captures(x):
    match x:
        case [1, (2 | 3) as y] as whole:
            r = whole, y
        case [z] | (1 as z):
            r = "alt", z
        case other if other != 7:
            r = "guarded", other
        case rest:
            r = "rest", rest
    return r


@case(([1, 2, 3, 4, 5, 6],))
def match_in_loop(xs):
    r = []
    for x in xs:
        match x % 3:
            case 0:
                continue
            case n if n == 2 and x > 4:
                break
            case n:
                r.append(n)
    else:
        r.append("end")
    return r


@case((1,), (2,))
def match_without_default(x):
    match x:
        case 1:
            y = "one"
        case [a]:
            y = a
    return y if x == 1 else "none"


# Classes.


class Base:
    scale = 2

    def __init__(self, n):
        self.__n = n

    def get(self, k=1):
        return self.__n * k * self.scale

    @property
    def half(self):
        return self.__n / 2


class Derived(Base):
    def get(self, k=1):
        bigger = [super(Derived, self).get(i) for i in range(k)]
        return super().get(k) + __class__.scale + sum(bigger)

    def __private(self, __x):
        return __x

    def private(self, x):
        return self.__private(x)


CORPUS += [
    (Base.get, ((Base(3), 2),)),
    (Base.half.fget, ((Base(3),),)),
    (Derived.get, ((Derived(3), 4),)),
    (Derived.private, ((Derived(3), 4),)),
    (lambda x, k=2: [x * k for _ in range(k)], ((3,),)),
    (lambda *a, **k: (a, k), ((3,),)),
]


def _closed(n):
    total = 0

    def accumulate(x):
        nonlocal total
        total += x * n
        return total, [x + n for x in range(n)]

    return accumulate


@contextlib.contextmanager
def decorated():
    yield


CORPUS += [(_closed(3), ((1,), (5,)))]
