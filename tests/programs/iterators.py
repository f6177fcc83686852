"""Iterators that are read one item here and another there."""

from __future__ import annotations

import itertools
import operator
import types
from collections import deque
from collections.abc import Iterator
from itertools import zip_longest

import numpy as np

from tests.programs import program


def fibonacci(limit):
    a, b = 0, 1
    while a < limit:
        yield a
        a, b = b, a + b


def squares(xs):
    for x in xs:
        yield x * x


def even(xs):
    for x in xs:
        if x % 2 == 0:
            yield x


def congruential(seed):
    while True:
        seed = (1103515245 * seed + 12345) % 2**31
        yield seed


def pairs(n):
    for i in range(n):
        for j in range(i):
            yield i, j
    yield -1, -1


@program("generators", lambda: (50,))
def one_after_the_other(limit):
    g = fibonacci(limit)
    return next(g), next(g), next(g), next(g, None)


@program("generators", lambda: (50,), lambda: (1,))
def first_and_rest(limit):
    g = fibonacci(limit)
    first = next(g)
    total = 0
    for x in g:
        total += x
    return first, total, list(g)


@program("generators", lambda: (4, 42), lambda: (10, 7))
def so_many(k, seed):
    g = congruential(seed)
    return [next(g) % 100 for _ in range(k)], next(g) % 10


@program("generators", lambda: (200, 42))
def monte_carlo(n, seed):
    draws = congruential(seed)
    inside = 0
    for _ in range(n):
        x, y = next(draws) / 2**31, next(draws) / 2**31
        if x * x + y * y < 1:
            inside += 1
    return 4 * inside / n


@program("generators", lambda: (5, 4), lambda: (3, 4))
def from_nested_loops(n, k):
    g = pairs(n)
    return [next(g) for _ in range(k)], list(g)


@program("generators", lambda: ([1, 2, 3, 4, 5, 6],))
def generators_of_generators(xs):
    g = even(squares(xs))
    return next(g), next(g), list(g)


@program("generators", lambda: ([1, 2, 3, 4, 5],))
def what_it_reads_changes(xs):
    g = squares(xs)
    first = next(g)
    xs[1] = 10
    second = next(g)
    xs.append(7)
    return first, second, list(g)


@program("generators", lambda: (5,))
def two_of_one_function(n):
    a, b = squares(range(n)), squares(range(10, 10 + n))
    total = 0
    for _ in range(3):
        total += next(a) * next(b)
    return total, next(a), next(b), sum(x * y for x, y in zip(fibonacci(20), fibonacci(30)))


@program("generators", lambda: (3,))
def generators_in_a_list(n):
    made = [squares(range(k, k + 3)) for k in range(n)]
    return [next(g) for g in made] + [next(g) for g in made]


@program("generators", lambda: (3,))
def in_turn(n):
    waiting = deque(squares(range(k, k + 2)) for k in range(n))
    out = []
    while waiting:
        g = waiting.popleft()
        try:
            out.append(next(g))
            waiting.append(g)
        except StopIteration:
            pass
    return out


def mean():
    total, n = 0.0, 0
    while True:
        x = yield total / n if n else None
        total += x
        n += 1


@program("generators", lambda: ([1.0, 2.0, 6.0],))
def sent_to(xs):
    g = mean()
    next(g)
    return [g.send(x) for x in xs]


@program("checks generators", lambda: (3,))
def sent_too_early(x):
    g = mean()
    return g.send(x)


def countdown(n):
    while n > 0:
        yield n
        n -= 1
    return 7


@program("checks generators", lambda: (3,))
def end_of_a_generator(n):
    g = countdown(n)
    for _ in range(n):
        next(g)
    ended = next(g, -1)
    g = countdown(n)
    for _ in range(n):
        next(g)
    return ended, next(g)


def failing(n):
    for i in range(n):
        if i == 2:
            raise ValueError(f"bad {i}")
        yield i


@program("checks generators", lambda: (3,), lambda: (2,))
def over_after_an_exception(n):
    g = failing(n)
    total = next(g) + next(g)
    try:
        found = next(g, 100)
    except ValueError as error:
        found = len(str(error))
    return total, found, next(g, -5)


def reading(xs):
    it = iter(xs)
    while True:
        yield next(it)


@program("checks generators", lambda: ([1, 2],))
def stop_iteration_inside(xs):
    g = reading(xs)
    return next(g) + next(g), next(g)


class Tree:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right

    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.value
        if self.right:
            yield from self.right


@program("generators classes", lambda: (4,))
def recursive_generator(x):
    it = iter(Tree(x, Tree(1), Tree(5, None, Tree(6))))
    return next(it), next(it), list(it)


@program("iterators", lambda: ([3, 4, 5, 6, 7, 8, 9], 3), lambda: ([3, 4], 2))
def some_then_rest(xs, k):
    it = iter(xs)
    out = []
    for _ in range(k):
        out.append(next(it))
    return out, list(it)


@program("iterators", lambda: ([3, 4, 5, 6, 7, 8, 9],))
def until_none(xs):
    it = iter(xs)
    total = 0
    while True:
        x = next(it, None)
        if x is None:
            break
        total += x - 2 * next(it, 0)
    return total


@program("iterators", lambda: ([3, 4, 0, 6, 7, 0, 9],))
def sections(xs):
    it = iter(xs)
    out = []
    while True:
        part = []
        for x in it:
            if x == 0:
                break
            part.append(x)
        else:
            out.append(part)
            return out
        out.append(part)


@program("iterators", lambda: ([1, 2, 3, 4, 5],))
def list_that_grows(xs):
    it = iter(xs)
    out = []
    for x in it:
        out.append(x)
        if x == 2:
            break
    xs.append(9)
    out.append(next(it))
    out.extend(it)
    xs.append(10)
    return out, next(it, -1)


@program("iterators", lambda: ([5, 1, 4], [2, 4, 9]))
def merged(xs, ys):
    a, b = iter(sorted(xs)), iter(ys)
    x, y = next(a, None), next(b, None)
    out = []
    while x is not None or y is not None:
        if y is None or (x is not None and x <= y):
            out.append(x)
            x = next(a, None)
        else:
            out.append(y)
            y = next(b, None)
    return out


@program("iterators", lambda: ("3 1 4 1 5",))
def numbers_of_a_text(line):
    numbers = map(int, line.split())
    n = next(numbers)
    return n, [next(numbers) for _ in range(n)], sum(numbers)


@program("iterators", lambda: ([3, 4, 5, 6], [1, 2, 3, 4]))
def of_several(xs, ys):
    z, e, r = zip(xs, ys), enumerate(xs), reversed(ys)
    next(z)
    next(z)
    next(e)
    a, b = next(e)
    last = 0
    for _ in range(3):
        last = last * 10 + next(r)
    return list(z), a, b, list(e), last


@program("iterators", lambda: (4,))
def counters(k):
    c, around = itertools.count(10, 3), itertools.cycle("abc")
    return [next(c) for _ in range(k)], next(c), [next(around) for _ in range(k)]


class Tickets:
    def __init__(self):
        self.numbers = itertools.count(1)

    def draw(self):
        return next(self.numbers)


@program("iterators classes", lambda: (4,))
def counter_in_an_instance(k):
    tickets = Tickets()
    return [tickets.draw() for _ in range(k)]


@program("checks iterators", lambda: ({"a": 1, "b": 2}, 0), lambda: ({"a": 1, "b": 2}, 1))
def dict_of_another_size(d, more):
    it = iter(d)
    first = next(it)
    if more:
        d["c"] = 3
    return first, next(it)


@program("checks iterators", lambda: ({1: 1, 2: 2, 3: 5, 4: 5, 5: 6},))
def dict_that_grows_meanwhile(d):
    it = iter(d)
    total = 0
    for _ in range(2):
        total += next(it)
        d[total + 100] = 3
    return total


@program("iterators", lambda: ([1, 2, 3, 4, 5],))
def looked_for_in_an_iterator(xs):
    it = iter(xs)
    next(it)
    return 3 in it, next(it), 9 in it, next(it, None)


def naturals():
    n = 0
    while True:
        yield n
        n += 1


@program("generators", lambda: (3,))
def readers_of_some_items(k):
    g = naturals()
    next(g)
    sliced = list(itertools.islice(g, k)), list(itertools.islice(g, 1, 4))
    zipped = [x for x, _ in zip(g, range(k))]
    until = list(itertools.takewhile(lambda x: x < 4 * k, g))
    return sliced, zipped, until, any(x > 5 * k for x in g), next(x for x in g if x % 5 == 0)


def running_total():
    total = 0
    while True:
        x = yield total
        if x is None:
            return
        total += x


@program("generators", lambda: ([4, 5, 6],))
def closed(xs):
    g = running_total()
    next(g)
    out = [g.send(x) for x in xs]
    g.close()
    return out, next(g, "closed")


@program("iterators read at two places", lambda: (np.arange(3.0), 2.0), lambda: (np.ones(2), -1.0))
def read_and_read_again(x, y):
    doubled = map(lambda v: 2 * v, x)
    total = sum(doubled) + sum(doubled)
    it = iter([y, 2 * y, 3 * y])
    for v in itertools.islice(it, 2):
        if v > 0:
            break
    rest = list(it)
    it = iter([y, 2 * y, 3 * y])
    first, left = next(itertools.accumulate(it)), list(it)
    it = iter([y, 2 * y, 3 * y])
    part = itertools.islice(it, 2)
    before, after = list(it), list(part)
    it = iter([y, 2 * y, 3 * y])
    return total, rest, first, left, before, after, 2 * y in it, list(it)


@program("generators before loops", lambda: (4, 3), lambda: (0, 0))
def read_in_each_iteration(n, m):
    def numbers():
        yield from range(n)

    pending, total, rounds = numbers(), 0, 0
    while rounds < m:
        for i in pending:
            total += i
        rounds += 1
    return total, rounds, sum(numbers()) + sum(pending)


class Rewound:
    """An iterator that begins anew where it is asked for one."""

    def __init__(self, items):
        self.items = items

    def __iter__(self):
        self.i = 0
        return self

    def __next__(self):
        if self.i >= len(self.items):
            raise StopIteration
        self.i += 1
        return self.items[self.i - 1]


@program("iterators unpack", lambda: ([4, 5, 6],), lambda: ([4],), lambda: ([],))
def rest_of_rewound(items):
    first, *rest = Rewound(items)
    try:
        a, b, *_, c = Rewound(items)
    except ValueError as error:
        return first, rest, str(error)
    return first, rest, a + b + c


@program("generators", lambda: (np.array([1.0, 2.0, 3.0]), 0.1))
def steps_that_need_no_number(x, rate):
    for _ in itertools.repeat(None, 5000):
        x = x - rate * (x - 1.5)
    return x


@program("generators", lambda: ([3, 1, 2], 4), lambda: ([3, 1, 2], 0), lambda: ([3, 1, 2], -1))
def repeated_so_often(xs, n):
    twice = itertools.repeat(xs, 2)
    first = next(twice)
    first.append(n)
    left = list(twice)
    squares = list(map(pow, xs, itertools.repeat(2, n)))
    pairs = list(zip(itertools.repeat(n, times=3), xs, strict=False))
    return left, left[0] is xs, squares, pairs, sum(itertools.repeat(n, n)), next(twice, None)


def nested(x):
    if isinstance(x, (list, types.GeneratorType)):
        return [z for y in x for z in nested(y)]
    return [x]


@program("generators classes", lambda: ([1.5, 2.0, 3.0],))
def classes_of_iterators(xs):
    step, once = squares(xs), iter(xs)
    read = next(step) + next(once)
    kinds = [isinstance(x, Iterator) for x in (step, once, xs, itertools.count(), reversed(xs))]
    lists = [isinstance(x, list | dict) for x in (step, once, xs, itertools.repeat(1, 2))]
    made = type(squares(xs)) is types.GeneratorType, isinstance(step, types.GeneratorType)
    there = [hasattr(once, "__next__"), hasattr(once, "items"), hasattr(step, "at")]
    return read, kinds, lists, made, there, nested([xs, squares(xs), [squares([2])]])


@program("map of several, one without end", lambda: ([3, 1, 2],), lambda: ([],))
def mapped_with_endless(xs):
    doubled = sum(map(operator.mul, xs, itertools.repeat(2)))
    placed = list(map(lambda x, i: x * i, (x + 1 for x in xs), xs))
    return doubled, placed, list(map(pow, xs, itertools.cycle([1, 2]))), list(map(max, xs, xs))


class Steps:
    def __init__(self, items):
        self.items = items
        self.at = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= len(self.items):
            raise StopIteration
        self.at += 1
        return self.items[self.at - 1]


@program("", lambda: ([3, 5, 1], [1, 2]), lambda: ([3], [1, 2]), lambda: ([], []))
def instances_side_by_side(xs, ys):
    first, second = Steps(xs), Steps(ys)
    products = [x * y for x, y in zip(first, second)]
    ends = first.at, second.at, list(first), list(second)
    return products, ends, dict(zip(Steps(ys), Steps(xs))), iter(first) is first


TREE = ([[1, 2], [3], [3, 4], [5], [5], []], 0)


@program("checks", lambda: TREE, lambda: ([[0]], 0), lambda: ([[], [0]], 1))
def kept_in_a_stack(graph, start):
    order, ended = [start], []
    stack = [(start, iter(graph[start]))]
    while stack:
        node, others = stack[-1]
        other = next(others, None)
        if other is None:
            ended.append(stack.pop()[0])
        elif other not in order:
            order.append(other)
            stack.append((other, iter(graph[other])))
    return order, ended


@program("checks", lambda: (6, [(0, 1), (0, 2), (1, 3), (2, 3), (3, 5)]), lambda: (2, [(0, 1)]))
def cut_nodes(n, edges):
    graph = [[] for _ in range(n)]
    for a, b in edges:
        graph[a].append(b)
        graph[b].append(a)
    seen, low = [0] * n, [0] * n
    time = seen[0] = 1
    stack = [(0, -1, iter(graph[0]))]
    found = set()
    while stack:
        node, parent, others = stack[-1]
        for other in others:
            if other == parent:
                continue
            if seen[other]:
                low[node] = min(low[node], seen[other])
                continue
            time += 1
            seen[other] = low[other] = time
            stack.append((other, node, iter(graph[other])))
            break
        else:
            stack.pop()
            if stack:
                low[parent] = min(low[parent], low[node])
                if low[node] > seen[parent]:
                    found.add(parent)
    return sorted(found), seen


@program("checks", lambda: (np.array([3, 1, 2]),), lambda: (np.array([0, 1]),))
def stack_of_ranges(x):
    out, path, stack = [], [], [iter(range(int(x[0])))]
    while stack:
        for v in stack[-1]:
            if len(stack) < x[0]:
                path.append(v)
                stack.append(iter(range(v)))
                break
            out.append(v)
        else:
            stack.pop()
            if path:
                out.append(path.pop())
    return out


@program("checks", lambda: (3, np.array([1, 2, 2])), lambda: (2, np.array([-1, -1])))
def fields_of_instances(n, x):
    class Node:
        def __init__(self, items):
            self.items = items
            self.ahead = iter(items)

    nodes = [Node([j / 2 for j in range(n) if x[i] >= j]) for i in range(n)]
    return [next(nodes[k % n].ahead, -1.5) for k in range(8)]


@program("checks", lambda: (np.array([2, 3, 1]),), lambda: (np.array([2, 0]),))
def first_items(x):
    readers = []
    for v in x:
        readers.append(iter(list(range(v))))
    return sum([next(reader) for reader in readers])


@program("", lambda: (np.array([1, -1, 2]),), lambda: (np.array([-1]),))
def ended_for_good(x):
    """What has ended stays so, whatever is appended."""
    known, items, out = [1, 2], [int(v) for v in x if v > 0], []
    ahead, others = iter(known), iter(items)
    for _ in range(3):
        out.append(next(ahead, -1))
        out.append(next(others, -1))
    known.extend([3, 4, 5, 6])
    items.extend([3, 4, 5, 6])
    out.append(next(ahead, -1))
    out.append(next(others, -1))
    return out, list(ahead), sum(others)


class Windows:
    """Views of a vector, of two elements each, until it ends; a context manager of its own."""

    def __init__(self, x):
        self.x, self.at, self.begun = x, 0, False

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.at = 0

    def __iter__(self):
        return self

    def ended(self):
        return self.at > len(self.x) - 2

    def shown(self, k):
        if self.ended():
            raise ValueError("no window is left")
        return self.x[self.at + k, ...]

    def __next__(self):
        if self.begun and not self.ended():
            self.at += 1
        if self.ended():
            raise StopIteration
        self.begun = True
        return tuple([self.shown(k) for k in range(2)])


@program("views", lambda: (np.array([3.0, -1, 2, 2, -5]),), lambda: (np.array([1.0]),))
def windows_that_are_written(x):
    with Windows(x) as windows:
        for left, right in windows:
            if left > right:
                right[...] = left + 1
    return x


@program("iterators", lambda: ([4, 1, 7, 2, 9],), lambda: ([3],), lambda: ([],))
def as_long_as_any_lasts(xs):
    in_threes = [list(group) for group in zip_longest(*[iter(xs)] * 3, fillvalue=0)]
    ends = [a for a, b in zip_longest(reversed(xs), xs[1:]) if b is None or a > b]
    return in_threes, ends


def _told(n):
    for i in range(n):
        print("made", i)
        yield i * i


@program("prints", lambda: (6, 4), lambda: (3, 5))
def sought_in_generators(n, x):
    odd = [i for i in range(n) if i % 2]
    first = _told(n)
    there = x in first, list(first)
    cut = (x, x + 1) in zip(odd, odd[1:]), (1, x) in enumerate(odd), x in reversed(odd)
    pairs = (x, 1) in ((i, j) for i in range(n) for j in range(i))
    return there, cut, pairs, x in (i * i for i in odd), x in map(lambda i: i + 1, odd)
