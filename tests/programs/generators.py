"""Generator functions, read by loops and by functions of iterators."""

import functools
import itertools
import operator
import types

import numpy as np

from tests.programs import program


def countdown(n):
    while n > 0:
        yield n
        n -= 1


@program("generator", lambda: (5,), lambda: (0,))
def simple(n):
    t = 0
    for x in countdown(n):
        t += x * x
    return t


def pairs(a):
    for i in range(len(a)):
        for j in range(i):
            yield a[i], a[j]


@program("generator", lambda: (np.array([1.0, 2.0, 4.0, 7.0]),))
def nest(a):
    best = np.inf
    for x, y in pairs(a):
        if x - y < best:
            best = x - y
    return best


@program(
    "generator",
    lambda: (np.array([1.0, 2.0, 4.0, 7.0]), 3.0),
    lambda: (np.array([1.0, 2.0, 4.0, 7.0]), 30.0),
)
def breaking(a, lim):
    n = 0
    s = 0.0
    for x, y in pairs(a):
        s += x * y
        if s > lim:
            n = -1
            break
        if x == 4.0:
            continue
        n += 1
    else:
        n += 100
    return n, s


@program(
    "generator",
    lambda: (np.array([1.0, 2.0, 4.0, 7.0]), 3.0),
    lambda: (np.array([1.0, 2.0, 4.0, 7.0]), 300.0),
)
def returning(a, lim):
    for x, y in pairs(a):
        if x * y > lim:
            return x
    return 0.0


def three():
    yield 1
    yield 2.5
    yield 3


@program("generator", lambda: (2.0,))
def several(k):
    t = 0.0
    for x in three():
        t += k * x
    return t


def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


@program("generator", lambda: (50,), lambda: (5,))
def infinite(n):
    for x in fib():
        if x > n:
            return x


def walk(t):
    if isinstance(t, tuple):
        yield from walk(t[0])
        yield from walk(t[1])
    else:
        yield t


@program("generator", lambda: (((1.0, 2.0), (3.0, (4.0, 5.0))),))
def tree(t):
    s = 0.0
    for x in walk(t):
        s = 2 * s + x
    return s


def steps(x, tol):
    err = 1.0
    while err > tol:
        y = 0.5 * (x + 2 / x)
        err = abs(y - x)
        x = y
        yield x, err


@program("generator", lambda: (1.0, 1e-8))
def newton(x, tol):
    k = 0
    out = []
    for x, err in steps(x, tol):  # noqa: B020
        k += 1
        out.append(err)
    return x, k, out


@program("generator", lambda: (np.zeros(4),))
def mutating(a):
    def fill():
        for i in range(len(a)):
            yield i
            a[i] += 100

    for i in fill():
        a[i] = i
    return a.sum()


class Grid:
    def __init__(self, n):
        self.n = n

    def cells(self):
        for i in range(self.n):
            for j in range(self.n):
                if (i + j) % 2:
                    yield i, j

    def __iter__(self):
        for i in range(self.n):
            yield i * 10


@program("generator", lambda: (3,))
def method(n):
    g = Grid(n)
    t = 0
    for i, j in g.cells():
        t += i * 10 + j
    for x in g:
        t += x
    return t


def raising(n):
    for i in range(n):
        if i == 3:
            raise ValueError(i)
        yield i


@program("generator", lambda: (2,), lambda: (5,))
def caught(n):
    t = 0
    try:
        for x in raising(n):
            t += 10
    except ValueError:
        t += 1
    return t


@program("generator", lambda: (5,))
def comp(n):
    return [2 * x for x in countdown(n)]


@program("generator", lambda: (2, 3))
def nestedgens(n, m):
    t = 0
    for x in countdown(n):
        for y in countdown(m):
            t = t * 2 + x * y
            if y == 2:
                break
    return t


@program("generator", lambda: (np.array([3.0, 1.0, 2.0]),))
def stateful(a):
    def running():
        tot = 0.0
        for v in a:
            tot += v
            yield tot

    m = 0.0
    last = None
    for t in running():
        m = max(m, t)
        last = t
    return m, last


def evens(it):
    for x in it:
        if x % 2 == 0:
            yield x


def squares(it):
    for x in it:
        yield x * x


@program("generator", lambda: (10,))
def pipeline(n):
    t = 0
    for x in squares(evens(range(n))):
        t += x
    return t


@program("generator", lambda: (4,), lambda: (0,))
def consumers(n):
    return (
        list(countdown(n)),
        sum(countdown(n)),
        any(x == 2 for x in countdown(n)),
        all(x > 0 for x in countdown(n)),
        tuple(countdown(3)),
        sorted(countdown(3)),
        [*countdown(2)],
        max(countdown(n + 1)),
        min(countdown(n + 1)),
    )


@program("generator", lambda: (4,))
def unpacking(n):
    a, b = countdown(2)
    first, *rest = countdown(4)
    return a, b, first, rest


@program("generator", lambda: (4,))
def enum(n):
    t = 0
    for i, x in enumerate(countdown(n), 1):
        t += i * x
    return t


@program("generator", lambda: (np.array([5.0, 6.0, 7.0]),))
def zipped(a):
    t = 0.0
    for x, y in zip(a, fib()):
        t = 2 * t + x * y
    for y, x in zip(fib(), a):
        t = 2 * t + x * y
    return t


@program("generator", lambda: (20,))
def islices(n):
    t = 0
    for x in itertools.islice(fib(), 10):
        t += x
    for x in itertools.islice(fib(), 3, n, 4):
        t += x
    return t, list(itertools.islice(fib(), 5))


@program("generator", lambda: (20,))
def counting(n):
    for i in itertools.count():
        if i * i > n:
            return i


@program("generator", lambda: (2.0, 1e-6))
def counting2(x, tol):
    t = 0.0
    term = 1.0
    for k in itertools.count(1):
        t += term
        term *= x / k
        if term < tol:
            break
    return t, k


@program("generator", lambda: (7,))
def chained(n):
    t = 0
    for x in itertools.chain(countdown(n), [100, 200], countdown(2)):
        t = t + x
    for x in itertools.takewhile(lambda v: v < n, fib()):
        t = t + x
    for x in itertools.accumulate(countdown(n)):
        t += x
    for a, b in itertools.pairwise(countdown(n)):
        t += a * b
    return t


@program("generator", lambda: (5,))
def mapped(n):
    t = 0
    for x in map(lambda v: v * v, countdown(n)):
        t += x
    for x in filter(lambda v: v % 2, countdown(n)):
        t += 10 * x
    return (
        t,
        functools.reduce(operator.mul, countdown(n)),
        sum(x * x for x in countdown(n)),
        sum(map(lambda v: v + 1, countdown(n))),
    )


@program("generator", lambda: (5,), lambda: (0,))
def nexts(n):
    return next(countdown(n), -1)


@program("generator", lambda: (3,))
def objiter(n):
    g = Grid(n)
    return sum(g), list(g), [x for x in g], [i + x for i, x in enumerate(g)]


@program("generator", lambda: (3,))
def dictgen(n):
    def items():
        yield "a", 1
        yield "b", n

    d = dict(items())
    return d["a"] + d["b"]


@program("generator", lambda: (3,))
def arrs(n):
    return np.array(list(countdown(3))), np.fromiter(countdown(3), dtype=float)


@program("generator", lambda: (3,))
def joined(n):
    def words():
        yield "a"
        yield "b"

    return ", ".join(words())


class Node:
    def __init__(self, v, kids):
        self.v, self.kids = v, kids

    def __iter__(self):
        yield self.v
        for k in self.kids:
            yield from k


@program("generator", lambda: (1.0,))
def objtree(x):
    t = Node(x, [Node(2.0, []), Node(3.0, [Node(4.0, [])])])
    s = 0.0
    for v in t:
        s = 10 * s + v
    return s


@program("generator", lambda: (3,))
def cycled(n):
    out = []
    for x, i in zip(itertools.cycle([1, 2, 3]), range(7)):
        out.append(x)
    return out


@program("generator", lambda: (3,))
def closing(n):
    def g():
        try:
            yield from range(n)
        except ValueError:
            pass

    t = 0
    for x in g():
        if x == 1:
            break
        t += 1
    return t


@program("generator", lambda: (np.array([1.0, -2.0, 3.0]),), lambda: (np.array([1.0, 2.0]),))
def first_negative(a):
    def neg():
        for i in range(len(a)):
            if a[i] < 0:
                yield i

    for i in neg():
        return i
    return -1


@program("generator", lambda: (np.array([1.0, -2.0, 3.0]),), lambda: (np.array([1.0, 2.0]),))
def first_next(a):
    def neg():
        for i in range(len(a)):
            if a[i] < 0:
                yield i

    try:
        return next(neg())
    except StopIteration:
        return -5


@program("generator prints", lambda: (3,))
def sent(n):
    def g():
        x = yield 1
        print(x)
        yield 2

    return list(g())


@program("generator", lambda: (5,), lambda: (-2,))
def branches(n):
    g = countdown(n) if n > 0 else countdown(3)
    t = 0
    for x in g:
        t += x
    return t


@program("generator", lambda: (5,))
def args(n):
    def total(it):
        t = 0
        for x in it:
            t += x
        return t

    return total(countdown(n)) + total([1, 2]) + total(x * x for x in countdown(n))


@program("generator", lambda: (5,))
def gen_in_loop(n):
    t = 0
    for k in range(n):
        for x in countdown(k):
            t += x * k
            if t > 30:
                break
        else:
            t += 1
    return t


@program("generator", lambda: (np.array([2.0, 3.0]),))
def arrays(a):
    def it(x):
        for k in range(3):
            x = x * 2
            yield x

    out = np.zeros(2)
    for y in it(a):
        out += y
        y[0] = 0
    return out, a


@program("generator", lambda: (np.array([2.0, 3.0, 4.0]),))
def same_buffer(a):
    buf = np.zeros(2)

    def windows():
        for i in range(len(a) - 1):
            buf[:] = a[i : i + 2]
            yield buf

    t = 0.0
    for w in windows():
        t += w[0] * w[1]
        w[0] = 7
    return t, buf


@program("generator", lambda: (3,), lambda: (0,))
def unbound(n):
    for x in countdown(n):
        y = x
    return y


@program("generator", lambda: (3,))
def whileyield(n):
    def g():
        i = 0
        while True:
            if i > n:
                return
            if i % 2 == 0:
                yield i
            else:
                yield -i
            i += 1

    t = []
    for x in g():
        t.append(x)
    return t


@program("generator", lambda: (4,))
def carried(n):
    prev = None
    total = 0
    for x in countdown(n):
        if prev is not None:
            total += prev * x
        prev = x
    return total, prev


@program("generator", lambda: (4,))
def kinds(n):
    t = 0
    for x in countdown(n):
        t += 0.5 * x
    return t


@program("generator", lambda: (6,))
def primes(n):
    def gen():
        found = []
        k = 2
        while True:
            for q in found:
                if k % q == 0:
                    break
            else:
                found.append(k)
                yield k
            k += 1

    c = 0
    s = 0
    for q in gen():
        c += 1
        s += q
        if c == n:
            break
    return s


def halved(n):
    log = [0.0]
    while n > 0:
        log[0] += n
        yield log[0]
        n //= 2


def halved_and_more(n):
    yield from halved(n)
    for i in range(n):
        yield float(i)


@program("generator nested loop", lambda: (0,), lambda: (5,))
def loops_in_the_body(n):
    t = 0.0
    for v in halved_and_more(n):
        k = n
        while k > 2:
            k -= 1
            t += v
    return t


def fibonacci():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


@program("generator next", lambda: (100, np.arange(5.0), 2.0), lambda: (7, np.arange(1.0), 2.0))
def first_that(limit, xs, lim):
    place = next((i for i, x in enumerate(xs) if x > lim), -1)
    nothing = next((None for x in xs if x > 0), 5)
    pair = next(((i, j) for i in range(3) for j in range(3) if i * j > limit % 5), None)
    return next(x for x in fibonacci() if x > limit), place, nothing, pair


@program("generator next", lambda: (np.arange(5.0), 9.0), lambda: (np.arange(12.0), 9.0))
def first_of_none(xs, lim):
    return next(x for x in xs if x > lim)


@program("iterator", lambda: (np.arange(7.0), [1, 2, 3, 4, 5], 7), lambda: (np.arange(2.0), [], 0))
def in_turn(a, items, n):
    it, numbers = iter(items), iter(range(1, n))
    products = [x * y for x, y in zip(it, it)]
    threes = [sum(group) for group in zip(*[iter(a)] * 3)]
    return products, threes, [x - y for x, y in zip(numbers, numbers)]


@program(
    "zip of a generator and what is shorter",
    lambda: (np.array([2.5]),),
    lambda: (np.zeros(0),),
    lambda: (np.arange(5.0),),
)
def zipped_with_shorter(x):
    def weights():
        yield 1
        yield 2

    total = 0.0
    for w, v in zip(weights(), x):
        total += w * v
    return total, list(zip(weights(), x, x[::-1]))


@program("generators endless", lambda: (10, 3), lambda: (3, 0))
def expressions_over_what_has_no_end(n, k):
    rest = (x * x for x in itertools.count(n) if x % 2)
    first = list(itertools.islice(rest, k))
    pairs = itertools.islice(((x, y) for x in itertools.count(k) for y in range(x)), n)
    named = list(zip("abc", (c + "!" for c in itertools.cycle("xy"))))
    return first, [x - y for x, y in pairs], named, list(itertools.islice(_halves(n), k))


def _halves(n):
    def halving(x):
        while True:
            yield x
            x /= 2

    return (x + n for x in halving(n) if x < n)


@program("generators endless", lambda: (30,), lambda: (1,))
def expressions_in_expressions_without_an_end(n):
    odd = (y for y in (x + 1 for x in itertools.count()) if y % 2)
    squares = (x * x for x in itertools.count(1))
    return sum(itertools.takewhile(lambda x: x < n, odd)), [
        x for x in itertools.takewhile(lambda x: x < n, squares)
    ]


@program("generators endless", lambda: (6,))
def expression_that_reads_what_its_reader_writes(n):
    primes = []
    for p in itertools.islice((x for x in itertools.count(2) if all(x % q for q in primes)), n):
        primes.append(p)
    return primes


@program("what a generator is", lambda: (3,))
def asked_what_it_is(n):
    def below(k):
        yield from range(k)

    x = below(n)
    known = isinstance(x, types.GeneratorType), isinstance(x, list), type(x) is types.GeneratorType
    return known, type(below(2)).__name__, list(x)


def around_sixes():
    yield 2
    yield 3
    for n in itertools.count(6, 6):
        yield n - 1
        yield n + 1


@program("generator", lambda: (7,), lambda: (1,), lambda: (0,))
def asked_at_two_places_of_a_loop(count):
    """A generator that reads another one, and yields twice for each item of that."""
    candidates, primes = around_sixes(), []
    while len(primes) < count:
        candidate = next(candidates)
        if all(candidate % p for p in primes):
            primes.append(candidate)
    return primes


def widening(n):
    total = n
    while True:
        yield total
        for k in range(2):
            yield total + k
        total = total + 0.5


@program("generator", lambda: (1, 8), lambda: (2, 1))
def asked_while_numbers_widen(n, count):
    source, found = widening(n), []
    while len(found) < count:
        found.append(next(source) * 2)
    return found


@program("generator", lambda: ([3, 1, 2],), lambda: ([],))
def next_leaves_no_generator(xs):
    def pairs():
        it = iter(xs)
        while True:
            yield next(it) + next(it)

    def first():
        yield next(iter(xs))

    found = []
    try:
        for v in pairs():
            found.append(v)
    except RuntimeError as error:
        found.append(str(error))
    try:
        found.append([v for v in first()])
        for _ in first():
            raise StopIteration(7)
    except StopIteration as error:
        found.append(error.value)
    except RuntimeError as error:
        found.append(str(error))
    try:
        return found, list(pairs())
    except RuntimeError:
        return found, None
