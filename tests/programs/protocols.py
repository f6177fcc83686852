"""Iterators of one's own classes, lists of run-time lengths made at once, and logging."""

from __future__ import annotations

import itertools
import logging
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tests.programs import program

LOGGER = logging.getLogger("pyxla.tests.quiet")


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


class Evens:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        for i in range(self.n):
            yield i * 2


@program("iterator class", lambda: (3,), lambda: (1,))
def iterators(n):
    steps = Countdown(n)
    first = next(steps), next(steps, -1), next(steps, -2), steps.n
    total = 0
    for v in Countdown(n):
        total += v
    listed = list(Countdown(n)), sum(Evens(n)), max(Evens(n)), [v * 2 for v in Countdown(n)]
    return first, total, listed, sorted(Evens(n)), tuple(Evens(n))


class Interval(NamedTuple):
    lo: float
    hi: float = 1.0

    def __contains__(self, v):
        return self.lo <= v <= self.hi


@program("namedtuple operator", lambda: (0.25, 7.0))
def contained(lo, v):
    return 0.5 in Interval(lo), v in Interval(lo, v), v not in Interval(v + 1, v + 2), v in (lo, v)


@program("growing itertools", lambda: (np.array([1.0, -2.0, 3.0, 5.0]),))
def combined(x):
    some = []
    for v in x:
        if v > 0:
            some.append(v)
    steps = [b - a for a, b in itertools.pairwise(some)]
    totals = list(itertools.accumulate(some)), list(itertools.accumulate(some, max, initial=2.0))
    return steps, totals, list(itertools.chain(some, [7.0])), list(itertools.islice(some, 2))


@program("growing list", lambda: (np.array([1, 2, 2, 0, 5]),))
def repeated_by_data(x):
    n = len(set(x.tolist()))
    tree = [0] * (n + 1)
    for i in range(n):
        tree[i + 1] = tree[i] + i
    size = 1
    while size < len(x):
        size *= 2
    leaves = [np.inf] * (2 * size)
    for i, v in enumerate(x):
        leaves[size + i] = float(v)
    for i in range(size - 1, 0, -1):
        leaves[i] = min(leaves[2 * i], leaves[2 * i + 1])
    return tree, leaves[1], [False] * int(np.count_nonzero(x)), (0,) * n


@program("logging", lambda: (np.arange(3.0),))
def logged_nowhere(x):
    log = logging.getLogger("pyxla.tests.quiet")
    log.debug("start %d", 3)
    for v in x:
        LOGGER.info("v=%s", v)
    return x + 1


class Amount:
    def __init__(self, a):
        self.a = a

    def __float__(self):
        return self.a / 2

    def __int__(self):
        return int(self.a) + 1

    def __complex__(self):
        return complex(self.a, 1)

    def __round__(self, n=0):
        return round(self.a, n) - 1

    def __trunc__(self):
        return 11

    def __ceil__(self):
        return int(self.a) + 77

    def __divmod__(self, other):
        return self.a // other, self.a % other

    def __format__(self, spec):
        return format(self.a * 2, spec)

    def __array__(self, dtype=None, copy=None):
        return np.array([self.a])


class Index:
    def __init__(self, i):
        self.i = i

    def __index__(self):
        return self.i


@program("instances as numbers", lambda: (2.75,), lambda: (-3.0,))
def conversions(a):
    v, i = Amount(a), Index(3)
    plain = float(v), int(v), complex(v), round(v), round(v, 1), divmod(v, 2)
    up_and_down = math.floor(v), math.ceil(v), math.trunc(v), math.exp(v), math.hypot(1.0, v)
    indices = int(i), float(i), math.sqrt(i), math.gcd(i, 6), list(range(Index(2), i))
    return plain, up_and_down, indices, f"{v:.3f}", f"{Amount(1.0)}", np.sum(v)


class Wrong(Index):
    def __float__(self):
        return self.i


@program("not a float", lambda: (2,))
def conversion_to_another_kind(n):
    try:
        return float(Wrong(n))
    except TypeError as error:
        return str(error)


def chunks(items, n):
    it = iter(items)
    while chunk := list(itertools.islice(it, n)):
        yield chunk


@program("islice of an iterator", lambda: (np.arange(7.0),), lambda: (np.arange(2.0),))
def parts_of_iterators(x):
    it = iter([1, 2, 3, 4, 5])
    by_two = list(itertools.islice(it, 1, 4, 2)), list(it)
    rows = iter(x)
    first = next(rows)
    two = tuple(itertools.islice(rows, 2)), sum(itertools.islice(rows, 1)), list(rows)
    beyond = iter(range(3))
    all_ = list(itertools.islice(beyond, 9)), list(beyond)
    return by_two, first, two, all_, [sum(c) for c in chunks(x.tolist(), 3)]


@program("islice past its end", *[lambda n=n: (n,) for n in (0, 1, 3, 7)])
def items_before_the_first_are_read(n):
    it, same, by_three = iter(range(9)), iter(range(9)), iter(range(9))
    none = next(itertools.islice(it, n, n), None), next(it)
    before = list(itertools.islice(same, n, 2)), next(same)
    return none, before, list(itertools.islice(by_three, 1, n, 3)), next(by_three)


class Place:
    def __init__(self, at):
        self.at = at

    def __index__(self):
        return self.at


@program(
    "protocol index", lambda: (np.arange(5.0), np.eye(3), 1), lambda: (np.arange(4.0), np.eye(3), 2)
)
def instances_as_indexes(x, a, k):
    at, items = Place(k), [10, 20, 30]
    items[at] = 5
    x[at] += 1
    a[at, 0] = 4
    del items[Place(0)]
    return x[at], x[Place(0) : at], items, (7, 8, 9)[at], a[at], a[at, at], a[:, at]


class Doubled:
    """Iterated over by its items alone."""

    def __init__(self, x):
        self.x = x

    def __getitem__(self, i):
        if i >= len(self.x):
            raise IndexError(i)
        return self.x[i] * 2


class Held:
    def __init__(self, *items):
        self.items = list(items)

    def __getitem__(self, i):
        return self.items[i]


@program(
    "iteration by __getitem__",
    lambda: (np.arange(6.0),),
    lambda: (np.array([2.5]),),
    lambda: (np.zeros(0),),
)
def iterated_by_items(x):
    total = 0.0
    for v in Doubled(x):
        total = 0.5 * total + v
    a, b, c = Held(1, x, 2.0)
    small = Held(3, 1, 2)
    listed = list(Held(1, x)), [v for v in small], tuple(small), sorted(small), 9 in small
    return total, sum(Doubled(x)), len(list(Doubled(x))), (a, b, c), listed, max(small)


class Scaled:
    """Its `__new__` sets an attribute, which `__init__` reads."""

    def __new__(cls, v, by=2):
        made = super().__new__(cls)
        made.factor = by
        return made

    def __init__(self, v, by=2):
        self.v = v * self.factor


class Twice(Scaled):
    def __new__(cls, v):
        return super().__new__(cls, v, by=4)


class Only:
    """The same instance each time."""

    made = None

    def __new__(cls, v):
        if cls.made is None:
            cls.made = object.__new__(cls)
            cls.made.count = 0
        return cls.made

    def __init__(self, v):
        self.count += v


class Shared:
    """One instance for each number, which the class keeps."""

    known = {}

    def __new__(cls, k):
        if k not in cls.known:
            cls.known[k] = super().__new__(cls)
            cls.known[k].k = k
        return cls.known[k]


@program("object", lambda: (3,))
def shared_by_number(n):
    try:
        return Shared(n) is Shared(n), Shared(n) is Shared(n + 1), Shared(n).k, len(Shared.known)
    finally:
        Shared.known = {}


class Number:
    """`__new__` returns no instance of the class, so that `__init__` is not called."""

    def __new__(cls, v):
        return v + 1

    def __init__(self, v):
        raise ValueError("not called")


@program("object", lambda: (3,), lambda: (2.5,))
def made_by_new(v):
    rows = [Scaled(v + i, by=i) for i in range(3)]
    return Scaled(v).v, Twice(v).v, type(Twice(v)).__name__, Number(v), sum(r.v for r in rows)


@program("object", lambda: (3,))
def one_instance(v):
    try:
        a, b = Only(v), Only(2)
        return a is b, a.count, Only(1).count
    finally:
        Only.made = None


class Steps:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if not 0 <= i < self.n:
            raise IndexError(i)
        return i * 10


@program("object iterator", lambda: (4,), lambda: (0,))
def backwards_by_length(n):
    return list(reversed(Steps(n))), [v for v in Steps(n)], sum(reversed(Steps(n)))


class Deleted:
    def __init__(self):
        self.log = []

    @property
    def v(self):
        return len(self.log)

    @v.deleter
    def v(self):
        self.log.append("deleted")

    @property
    def fixed(self):
        return 1


@program("object except", lambda: (2,))
def deleters(n):
    x = Deleted()
    for _ in range(n):
        del x.v
    found = [x.v, x.log]
    try:
        del x.fixed
    except AttributeError as e:
        found.append(str(e))
    try:
        x.fixed = n
    except AttributeError as e:
        found.append(str(e))
    return found


class Ring(Sequence):
    def __init__(self, size):
        self.held, self.first, self.size = [0.0] * size, 0, 0

    def push(self, x):
        self.held[(self.first + self.size) % len(self.held)] = x
        if self.size < len(self.held):
            self.size += 1
        else:
            self.first = (self.first + 1) % len(self.held)

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        if not 0 <= i < self.size:
            raise IndexError("ring index")
        return self.held[(self.first + i) % len(self.held)]


@program("abstract sequence", lambda: (3, [1.0, 2.5, 2.0, 4.0]), lambda: (9, [1.0, 2.5]))
def ring_is_a_sequence(n, x):
    ring = Ring(n)
    for v in x:
        ring.push(v)
    try:
        ring.index(77.0)
        missing = None
    except ValueError as error:
        missing = error.args
    last = ring[len(ring) - 1]
    found = last in ring, 77.0 in ring, ring.index(last), ring.count(last)
    return found, missing, list(ring), list(reversed(ring))


class Shown:
    def __init__(self, n):
        self.n = n

    def __repr__(self):
        return f"R{self.n}é"

    def __str__(self):
        return "S"


@program("text", lambda: (3,))
def directives_of_instances(n):
    x = Shown(n)
    known = Shown(7)
    plain = "%r" % x, "%s" % x, "%(k)r" % {"k": x}, "%r %s" % (x, x), "%r" % (known,)  # noqa: UP031
    wide = "%5s|" % x, "%-5s|" % x, "%7r|" % x, "%.1r|" % known  # noqa: UP031
    return plain, wide, "%a" % known, f"{known!a}", f"{x!r:>6}"  # noqa: UP031


@program("text exceptions", lambda: (3,))
def no_format_of_their_own(n):
    found = []
    for made in (lambda x: f"{x:>5}", lambda x: format(x, "5"), lambda x: "{:5}".format(x)):  # noqa: UP032
        try:
            found.append(made(Shown(n)))
        except TypeError as error:
            found.append(str(error))
    return found, f"{Shown(n)}", format(Shown(n), "")


class Base:
    def __init__(self, n):
        self.n = n

    def __add__(self, other):
        return "Base+", self.n

    def __radd__(self, other):
        return "+Base", self.n

    def __sub__(self, other):
        return "Base-", self.n

    def __mul__(self, other):
        return "Base*", self.n

    def __lt__(self, other):
        return "Base<", self.n

    def __gt__(self, other):
        return "Base>", self.n

    def __eq__(self, other):
        return "Base==", self.n


class Derived(Base):
    def __radd__(self, other):
        return "+Derived", self.n

    def __rsub__(self, other):
        return "-Derived", self.n

    def __rmul__(self, other):
        return NotImplemented

    def __rmatmul__(self, other):
        return "@Derived", self.n

    def __le__(self, other):
        return "Derived<=", self.n

    def __eq__(self, other):
        return "Derived==", self.n


class Inherits(Base):
    pass


@program("derived", lambda: (3,))
def derived_on_the_right(n):
    x, y, z = Base(n), Derived(n + 1), Inherits(n + 2)
    sums = x + y, y + x, x + z, z + x, y + z, y + y
    others = x - y, y - x, x * y, y * x, x - z
    order = x < y, x > y, x >= y, y < x, x < z, z < x, y < z
    try:
        order = order, y @ y
    except TypeError as error:
        order = order, str(error)
    return sums, others, order, x == y, y == x, x == z, z == y


class Truth:
    def __init__(self, n):
        self.n = n

    def __bool__(self):
        return self.n


class Size:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n


@program("exceptions", lambda: (1,), lambda: (-1,), lambda: (0,))
def truth_that_is_none(n):
    found = []
    for test in (
        lambda: bool(Truth(n)),
        lambda: 1 if Truth(0) else 2,
        lambda: not Truth(n > 0),
        lambda: bool(Size(n)),
        lambda: len(Size(n)),
        lambda: len(Size(np.int64(abs(n)))),
        lambda: 1 if Size(n > 0) else 2,
    ):
        try:
            found.append(test())
        except (TypeError, ValueError) as error:
            found.append(str(error))
    return found


class Fallback:
    def __init__(self, n):
        self.n = n

    @property
    def sure(self):
        return self.n * 2

    @property
    def maybe(self):
        if self.n > 2:
            raise AttributeError("no")
        return self.n

    @property
    def never(self):
        return self.n.nothing

    def __getattr__(self, name):
        return len(name)


@program("attributes", lambda: (3,), lambda: (1,))
def properties_that_lack(n):
    x = Fallback(n)
    return x.sure, x.maybe, x.never, x.other, getattr(x, "maybe", 7), hasattr(x, "never")


class Pair:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __iter__(self):
        yield self.x
        yield self.y

    def __add__(self, other):
        return Pair(*(a + b for a, b in zip(self, other, strict=True)))

    def __eq__(self, other):
        return tuple(self) == tuple(other)

    def __hash__(self):
        return hash(self.x) ^ hash(self.y)

    def __repr__(self):
        return "Pair({!r}, {!r})".format(*self)


@program("two iterators of one class at a time", lambda: (3, 4), lambda: (0, 0))
def pairs(x, y):
    pair = Pair(x, y)
    seen = {pair: "a", Pair(x, y): "b"}
    return repr(pair + Pair(1, 1)), len(seen)


class Window:
    def __init__(self, items):
        self.items = list(items)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return Window(self.items[j] for j in range(*i.indices(len(self))))
        return self.items[i]

    def __iter__(self):
        return iter(self.items)


@program("classes", lambda: ([2, 5, 8, 1], 1, 3), lambda: ([2, 5], -2, 9), lambda: ([2, 5], 0, 0))
def places_of_slices(xs, a, b):
    window, low = Window(xs), xs[0] - 4
    part = window[low : xs[1]]
    ends = slice(low, None, -1).indices(xs[1]), slice(None, None, xs[0]).indices(a)
    return list(window[a:b]), len(window[::-1]), len(part), sum(part), ends, window[a:][-1]
