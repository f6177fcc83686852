"""Recursion whose depth data decides: how the function is called, and what its arguments are."""

import collections
import functools

import numpy as np

from tests.programs import program


def chosen(n, k):
    """The argument of a call has a call or a condition in it."""
    if n <= 0:
        return k
    return chosen(n - 1, chosen(n - 2, k + 1 if n % 2 else 2) % 7) + chosen(n - 3, n if k else 4)


@program("recursion of any depth", lambda: (np.array([9, 3]),), lambda: (np.array([0, 5]),))
def arguments_with_conditions(x):
    def halves(n, best):
        if n == 0:
            return best
        return max(halves(n // 2, best + 1 if n % 2 else best), halves(n // 3, 0))

    def nested(n, k):
        t = n
        if n <= 0:
            return k % 3
        if t > k and nested(n - 2, k) > 1:
            return nested(n - 1, k + 1)
        return nested(n - 1, nested(n - 2, 3) % 4) + n

    return chosen(int(x[0]), int(x[1])), halves(int(x[0]), 0), nested(int(x[0]) % 6, int(x[1]))


class Heap:
    def __init__(self, value):
        self.value = value
        self.left = None
        self.right = None

    def total(self, k):
        t = self.value * k
        if self.left is not None:
            t += self.left.total(k + 1 if t > 3 else k)
        if self.right is not None:
            t += self.right.total(self.left.total(1) if self.left is not None else 2)
        return t % 100


@program("recursion of any depth", lambda: (np.array([9, 4, 1, 5, 2, 7]),))
def methods_in_arguments(x):
    nodes = [Heap(int(v)) for v in x]
    for i in range(len(nodes)):
        if 2 * i + 1 < len(nodes):
            nodes[i].left = nodes[2 * i + 1]
        if 2 * i + 2 < len(nodes):
            nodes[i].right = nodes[2 * i + 2]
    return nodes[0].total(int(x[0]))


class Tools:
    base = 3

    @staticmethod
    def factorial(n, k=1):
        if n < 2:
            return k
        return n * Tools.factorial(n - 1, k) % 1009

    @classmethod
    def walk(cls, n):
        if n <= cls.base:
            return n
        return cls.walk(n - 1) + cls.walk(n - 2)

    @classmethod
    def named(cls, n):
        return n if n <= cls.base else Tools.named(n - 1) + 1


class MoreTools(Tools):
    base = 1


@program("recursion of any depth", lambda: (np.array([7, 4]),), lambda: (np.array([1, 9]),))
def static_and_class_methods(x):
    n = int(x[0])
    walks = Tools.walk(n), MoreTools.walk(n)
    return Tools().factorial(n), walks, Tools.named(n), MoreTools.named(int(x[1]))


@program("recursion of any depth", lambda: (np.array([7, 4]),), lambda: (np.array([0, 9]),))
def elements_added_to(x):
    g = np.zeros((10, 2))
    marks = [0] * 10

    def captured(n):
        if n <= 0:
            return 1.0
        g[n, 0] += captured(n - 1)
        g[n - 1, 1] -= captured(n - 2)
        marks[n] += captured(n - 4) > 2
        return g[n, 0] + n

    def given(h, n):
        if n <= 0:
            return 1
        h[n] *= given(h, n - 1) + given(h, n - 3)
        return h[n] % 7

    h = np.arange(10)
    return captured(int(x[0])), given(h, int(x[1])), g, h, marks


@program("recursion of any depth", lambda: (np.array([8]),), lambda: (np.array([3]),))
def names_bound_again(x):
    """Variables that a call binds again are as they were before it where they are read first."""
    g, k, t = [0, 1, 2, 3, 4, 5, 6, 7, 8], 3, 0

    def reset():
        nonlocal k
        k = k * 2 % 7
        return 1

    def rows(n):
        nonlocal g
        if n <= 0:
            return 1
        if n == 2:
            g = g[::-1]
        g[n] += rows(n - 1)
        return g[n]

    def sums(n):
        nonlocal t
        if n <= 0:
            return reset()
        t += sums(n - 1) + t
        return k + sums(n - 2) * k % 5

    return rows(int(x[0]) % 6), g, sums(int(x[0])), k, t


@program("cached recursion", lambda: (10**5 + 7,))
def numbers_with_a_sum_of_digits(n):
    digits = list(map(int, str(n)))

    @functools.cache
    def count(i, tight, total):
        if i == len(digits):
            return 1 if total % 3 == 0 else 0
        most = digits[i] if tight else 9
        found = 0
        for d in range(most + 1):
            found += count(i + 1, tight and d == most, total + d)
        return found

    return count(0, True, 0)


@program(
    "cached recursion", lambda: ([ord(c) for c in "abcbdab" * 10], [ord(c) for c in "bdc" * 22])
)
def longest_common(x, y):
    @functools.cache
    def longest(i, j):
        if i == len(x) or j == len(y):
            return 0
        if x[i] == y[j]:
            return 1 + longest(i + 1, j + 1)
        return max(longest(i + 1, j), longest(i, j + 1))

    return longest(40, 40)


@functools.cache
def partitions(n, largest):
    if n < 0:
        raise ValueError(f"no partitions of {n}")
    if n == 0 or largest == 1:
        return 1
    without = partitions(n, largest - 1)
    return without if n < largest else without + partitions(n - largest, largest)


@program("cached recursion", lambda: (np.array([5, 7, 4]),), lambda: (np.array([3, -2]),))
def many_partitions(numbers):
    return [partitions(x, x) for x in numbers]


@program(
    "recursion in loops over entries of dicts and sets",
    lambda: (np.array([12.0]), {1: 1, 2: 1, 5: 2}),
    lambda: (np.array([0.0]), {1: 1, 2: 1, 5: 2}),
)
def ways_to_pay(x, coins):
    steps, twice = {1, 2, 3}, {1: 1, 3: 2}

    def ways(left, last):
        if left == 0:
            return 1
        total = 0
        for coin, kinds in coins.items():
            if coin <= left and coin <= last:
                total += ways(left - coin, coin) * kinds
        return total

    def climbs(left):
        if left == 0:
            return 1
        total = 0
        for step in steps:
            if step <= left:
                total += climbs(left - step)
        for step in twice:
            if step == left:
                total += twice[step]
        return total

    return ways(int(x[0]), 100), climbs(int(x[0]) // 2)


@program("recursion in loops over dicts", lambda: (np.array([4, 8]),), lambda: (np.array([1, 2]),))
def over_what_was_counted(x):
    rolls = collections.Counter(a + b for a in (1, 2, 3) for b in (1, 2, 3))

    @functools.cache
    def play(first, second, points, others):
        if others >= 8:
            return 0, 1
        wins = losses = 0
        for roll, times in rolls.items():
            place = (first + roll - 1) % 10 + 1
            lost, won = play(second, place, others, points + place)
            wins += won * times
            losses += lost * times
        return wins, losses

    return play(int(x[0]), int(x[1]), 0, 0)


@program("recursion in loops over dicts", *[lambda n=n: (np.array([n, -1]),) for n in (3, 7)])
def over_a_dict_that_it_changes(x):
    coins = {1: 1, 2: 1, 5: 2}

    def ways(left, last):
        if left == 0:
            coins[1] = 3
            return 1
        total = 0
        for coin, kinds in coins.items():
            if coin <= left and coin <= last:
                total += ways(left - coin, coin) * kinds
        return total

    return ways(int(x[0]), 100), coins


@program("checks", *[lambda k=k: (np.array([4, k]),) for k in (1, -1)])
def over_a_dict_that_it_makes_longer(x):
    coins = {1: 1, 2: 1, 5: 2}

    def ways(left):
        if left == 0:
            if x[1] > 0:
                coins[7] = 3
            return 1
        total = 0
        for coin in coins:
            if coin <= left:
                total += ways(left - coin)
        return total

    return ways(int(x[0]))


def ways(n, memo=None):
    """What calls hand on is made by the first."""
    if memo is None:
        memo = {}
    if n < 2:
        return n
    if n not in memo:
        memo[n] = (ways(n - 1, memo) + ways(n - 2, memo)) % 1_000_003
    return memo[n]


def best(values, weights, room, i=0, memo=None):
    if memo is None:
        memo = [[-1] * (room + 1) for _ in range(len(values) + 1)]
    if i == len(values) or room == 0:
        return 0
    if memo[i][room] == -1:
        without = best(values, weights, room, i + 1, memo)
        if weights[i] <= room:
            left = room - weights[i]
            without = max(without, values[i] + best(values, weights, left, i + 1, memo))
        memo[i][room] = without
    return memo[i][room]


def reach(x, i=0, seen=None):
    """Not the first call alone makes one."""
    if i == len(x):
        return seen
    later = reach(x, i + 1, seen)
    if seen is None:
        seen = []
    seen.append(x[i])
    return seen, later is None


@program("recursion of any depth", lambda: (140,), lambda: (1,))
def made_by_the_first_call(n):
    return ways(n)


@program("recursion of any depth", lambda: ([3, 1, 4, 1, 5, 9, 2, 6], 9), lambda: ([], 2))
def table_made_by_the_first_call(values, room):
    return best(values, values, room), reach(values[:3])


class Flood:
    """A walk over what is free, with a test inside that looks at the object."""

    def __init__(self, free):
        self.free, self.steps = free, []

    def walk(self, place, seen, route):
        def is_open(i, j):
            inside = 0 <= i < self.free.shape[0] and 0 <= j < self.free.shape[1]
            return inside and bool(self.free[i][j])

        found = False
        route.append(place)
        for step in [[1, 0], [0, 1], [-1, 0], [0, -1]]:
            i, j = place[0] + step[0], place[1] + step[1]
            if is_open(i, j) and seen[i, j] == 0:
                found = True
                seen[i, j] += 1
                self.steps.append((place, (i, j)))
                self.walk((i, j), seen, route)
        if not found:
            route.append(place)
        return route


@program(
    "methods nested",
    *[lambda s=s: (np.random.default_rng(s).random((5, 6)) < 0.8,) for s in (0, 1)],
)
def walked_with_a_test_inside(free):
    flood, seen = Flood(free), np.zeros(free.shape, int)
    seen[0, 0] = 1
    return flood.walk((0, 0), seen, []), flood.steps, seen


def descended(n, x):
    if n <= 0:
        return 0

    def is_high(i):
        return x[i] > 0

    here = 1 if is_high(n) else 2
    return here + descended(n - here, x)


@program("nested", *[lambda s=s: (np.random.default_rng(s).normal(size=200),) for s in (0, 1)])
def functions_inside_behind_the_first_return(x):
    return descended(len(x) - 1, x)


def fits(edges, colours, colour):
    return not any(edge == 1 and colours[i] == colour for i, edge in enumerate(edges))


def coloured_from(graph, most, colours, node):
    if node == len(graph):
        return True
    for colour in range(most):
        if fits(graph[node], colours, colour):
            colours[node] = colour
            if coloured_from(graph, most, colours, node + 1):
                return True
            colours[node] = -1
    return False


@program(
    "recursion of any depth",
    lambda: ([[0]], 1),
    lambda: ([[0, 1], [1, 0]], 1),
    lambda: ([[0, 1, 1], [1, 0, 0], [1, 0, 0]], 2),
)
def coloured_graph(graph, most):
    """What is known of any iteration says that each is the last one."""
    colours = [-1] * len(graph)
    return colours if coloured_from(graph, most, colours, 0) else []


def _divisor(*n):
    if len(n) == 1:
        return n[0]
    if len(n) == 2:
        a, b = n
        return a if b == 0 else _divisor(b, a % b)
    return _divisor(n[0], _divisor(*n[1:]))


@program("stars", lambda: (np.array([832040, 514229, 12]),), lambda: (np.array([12, 18, 0]),))
def divisor_of_any_number(x):
    a, b, c = x.tolist()
    return _divisor(a, b), _divisor(a, b, c), _divisor(*x.tolist())


def _counted_down(n, *pair, step=1, **more):
    if n <= 0:
        return pair, step, more["seen"]
    pair = list(pair)
    pair[0] += n
    return _counted_down(n - step, *pair[::-1], step=step, seen=more["seen"] + 1)


@program("stars and names", lambda: (np.array([100, 3]),), lambda: (np.array([7, 1]),))
def counted_down(x):
    n, step = x.tolist()
    return _counted_down(n, 1, 2, seen=0), _counted_down(n, n, step=step, seen=step)


def _lowered(x, *rest, **by):
    return (x, rest) if x <= 0 else _lowered(x - by["step"], *rest, **by)


@program("what is handed on", lambda: (np.array([100, 3]),), lambda: (np.array([7, 1]),))
def handed_on(x):
    return _lowered(int(x[0]), x, step=int(x[1]))
