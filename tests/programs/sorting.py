"""Sorting by what is no number: texts, tuples with texts, and functions that compare."""

import functools
from collections import Counter
from functools import cmp_to_key

import numpy as np

from tests.programs import program

NAMED = [(2.0, "b"), (1.0, "z"), (2.0, "a"), (3.0, "c"), (1.0, "z")]


@program("sorting texts", lambda: (NAMED[:],), lambda: (NAMED[:2],))
def tuples_with_texts(items):
    down = sorted(items, reverse=True)
    by_both = sorted(items, key=lambda t: (-t[0], (t[1], t[0])))
    first = sorted([name for _, name in items], key=lambda name: (len(name) * items[0][0], name))
    items.sort()
    return down, by_both, first, items[0]


@program("sorting texts dict", lambda: ({"a": 3, "b": 1, "c": 3},))
def dicts_in_order(d):
    by_count = sorted(d.items(), key=lambda kv: (-kv[1], kv[0]))
    return by_count, sorted(d.items()), sorted(d, key=d.get, reverse=True)


@program("sorting compare", lambda: ([4, 3, 2, 7, 9, 1],), lambda: ([3],), lambda: ([],))
def by_remainder(numbers):
    key = cmp_to_key(lambda a, b: a % 3 - b % 3)
    down = sorted(numbers, key=key, reverse=True)
    numbers.sort(key=key)
    return down


@program("sorting compare texts", lambda: ([3, 30, 34, 5, 9],), lambda: ([0, 0],))
def largest_number(numbers):
    digits = sorted(
        map(str, numbers), key=cmp_to_key(lambda a, b: (a + b < b + a) - (a + b > b + a))
    )
    return "0" if digits[0] == "0" else "".join(digits)


def turn(p, q):
    c = p[0] * q[1] - p[1] * q[0]
    return -1 if c > 0 else 1 if c < 0 else 0


@program("sorting compare", lambda: ([(1, 1), (-1, 2), (3, 1), (2, 2)], np.arange(-3.0, 3.0)))
def by_angle(points, a):
    points.sort(key=cmp_to_key(turn))
    kept = []
    for i in range(len(a)):
        if a[i] != 0:
            kept.append((a[i] * a[i], i))
    kept.sort(key=cmp_to_key(lambda p, q: -1 if p[0] > q[0] else int(p[0] < q[0])))
    return kept, max(points, key=cmp_to_key(turn)), min(points, key=cmp_to_key(turn))


class Compared:
    def __init__(self, x):
        self.x = x

    def __lt__(self, other):
        return self.x < other.x


@program("sorting one", lambda: (np.array([3.0, 1.0]),))
def one_instance(x):
    few = [Compared(x[1])]
    few.sort()
    return [c.x for c in sorted(few)], sorted([x[0] * 2]), sorted([("a", x[0])])


@program("sorting numbers of several kinds", lambda: (np.arange(90.0),), lambda: (np.arange(2.0),))
def floats_and_an_int(x):
    numbers = x.tolist()
    numbers.append(3)
    numbers.append(True)
    pairs = sorted([(v % 4, v) for v in numbers[-3:]])
    return sorted(numbers, reverse=True), sorted(numbers)[:5], pairs


@program(
    "sorting order",
    lambda: (1, 2),
    lambda: (1, 1),
    lambda: (2, 1),
)
def what_is_compared_where_the_first_differ(a, b):
    same = (a, 1, None) < (a, 2, None), [a, (1, None)] >= [b, (1, None)]
    return same, (a, None) < (b, 3), (a, 1j) > (b, 2j)


@program("sorting order", lambda: (1, 2, 3, 4), lambda: (1, 1, 3, 4), lambda: (1, 2, -1, 1))
def order_of_instances_in_tuples(a, b, c, d):
    return (a, Compared(c)) < (b, Compared(d)), (a, (b, None)) < (b, (a, None))


PARTLY = [lambda n=n, k=k: ([(i * 7) % n for i in range(n)], k) for n in (4, 70) for k in (2, 100)]


@program("sorting none", *PARTLY)
def tuples_with_none(numbers, k):
    pairs = [(x, None if x % k else x) for x in numbers]
    return (
        sorted(pairs),
        sorted(pairs, reverse=True),
        max(pairs),
        min((x % 2, None) for x in numbers),
    )


@program("sorting none", lambda: ([3, 2, 3, 3],), lambda: ([2, 4, 3],))
def tuples_with_none_that_meet(numbers):
    try:
        return sorted([(x, None if i == 2 else x) for i, x in enumerate(numbers)])
    except TypeError:  # which of the two CPython names first is its own affair
        return None


@program("sorting instances", lambda: ([3, 1, 2, 1],), lambda: (list(range(70, 0, -1)),))
def tuples_that_end_with_instances(numbers):
    rows = [(x, i, Compared(x)) for i, x in enumerate(numbers)]
    rows.sort(reverse=True)
    by_instance = sorted(rows, key=lambda row: Compared(row[0] % 5))
    return [c.x for _, _, c in rows], [i for _, i, _ in by_instance]


@program("data", lambda: ([[1, 3], [2, 6], [8, 10], [15, 18]],), lambda: ([[1, 4], [0, 5]],))
def merged_intervals(intervals):
    intervals.sort()
    out = [intervals[0]]
    for start, stop in intervals[1:]:
        if start <= out[-1][1]:
            out[-1][1] = max(out[-1][1], stop)
        else:
            out.append([start, stop])
    return out


@program("data", lambda: ([[3, 1], [2, 6, 1], [2]], 2), lambda: ([[1, 4], [0, 5]], 3))
def rows_in_orders(rows, k):
    down = sorted(rows, reverse=True)
    down[0].append(k)
    short = sorted(rows, key=len)
    short[0].append(k + 1)
    rows.sort(key=lambda row: row[-1])
    return down, short, rows


@functools.total_ordering
class Card:
    RANKS = "23456789TJQKA"

    def __init__(self, text):
        self.rank = Card.RANKS.index(text[0])
        self.suit = text[1]

    def __lt__(self, other):
        return self.rank < other.rank

    def __eq__(self, other):
        return self.rank == other.rank


@program(
    "sorting instances match",
    lambda: ("5H 5C 6S 7S KD",),
    lambda: ("2C 3C 4C 5C 6C",),
    lambda: ("TH TD TS TC 2D",),
)
def poker(hand):
    cards = sorted((Card(s) for s in hand.split()), reverse=True)
    ranks = [c.rank for c in cards]
    counts = sorted(Counter(ranks).values(), reverse=True)
    flush = len({c.suit for c in cards}) == 1
    straight = len(set(ranks)) == 5 and ranks[0] - ranks[-1] == 4
    if straight and flush:
        return "straight flush"
    match counts:
        case [4, *_]:
            return "four"
        case [3, 2]:
            return "full house"
        case [3, *_]:
            return "three"
        case [2, 2, _]:
            return "two pair"
        case [2, *_]:
            return "pair"
    return "high"


class Version:
    def __init__(self, major, minor):
        self.major = major
        self.minor = minor

    def __lt__(self, other):
        return (self.major, self.minor) < (other.major, other.minor)


@program("sorting instances", lambda: (3, 1, 2), lambda: (1, 1, 1))
def versions_in_order(a, b, c):
    versions = [Version(a, 0), Version(b, 1), Version(c, 2)]
    down = sorted(versions, reverse=True)
    paired = sorted([(b, Version(a, 3)), (b, Version(c, 4)), (a, Version(0, 5))])
    keyed = sorted([a, b, c], key=lambda x: Version(0, -x))
    versions.sort()
    versions[0].minor += 10
    return versions, down[2].minor, [v.minor for _, v in paired], keyed


class Shape:
    def __lt__(self, other):
        return self.area() < other.area()


class Disc(Shape):
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return 3 * self.radius**2


class Box(Shape):
    def __init__(self, width, height):
        self.size = (width, height)

    def area(self):
        return self.size[0] * self.size[1]


@program("sorting instances", lambda: (1.0, 2.0, 7.0), lambda: (2.0, 1.0, 1.0))
def instances_of_two_classes(r, w, h):
    shapes = [Disc(r), Box(w, h), Disc(w), Box(w, h)]
    down = sorted(shapes, reverse=True)
    shapes.sort()
    return [shape.area() for shape in shapes], down, isinstance(shapes[0], Box)


class Ranked:
    def __init__(self, xs, pivot):
        self.xs, self.pivot, self.seen = xs, pivot, []

    def rank(self, x):
        self.seen.append((x, len(self.xs)))
        return 12 // (x - self.pivot)

    def sort(self):
        self.xs.sort(key=self.rank)


@program(
    "keys that look at the list",
    *[
        lambda xs=xs, p=p: (list(xs), p)
        for xs, p in (([3, 1, 3, 2, 5], 4), ([3, 1, 2], 1), ([], 1))
    ],
)
def lists_that_keys_look_at(xs, pivot):
    counted = [x for x in xs if x > 1]
    counted.sort(key=counted.count, reverse=True)
    grown = list(xs)
    try:
        grown.sort(key=lambda x: grown.append(x) or -x)
    except ValueError as error:
        counted.append(str(error))
    given, made = Ranked(xs, pivot), Ranked([x for x in xs if x > 0], pivot)
    for ranked in (given, made):
        try:
            ranked.sort()
        except ZeroDivisionError:
            ranked.seen.append((0, 0))
    return counted, grown, given.xs, given.seen, made.xs, made.seen


@program("lists", lambda: ([-1, 2, -3, 5, 0, 7, -10],), lambda: ([3, 0, -3, 1],))
def by_ints_or_floats(items):
    inverse = sorted(items, key=lambda i: 0 if i == 0 else -1 / i)
    tied = sorted(items, key=lambda i: (0 if i % 2 else i / 2, i), reverse=True)
    found = {str(i): i for i in items}
    items.sort(key=lambda i: (i % 3 == 0, True if i == 0 else i))
    return inverse, tied, sorted(found.items(), key=lambda e: 0 if e[1] < 0 else 1 / (1 + e[1]))


@program("sorting none", lambda: (3, 2, 3), lambda: (3, 2, 1))
def few_tuples_with_none(x, y, z):
    pairs = [(x, 1), (y, None), (z, None)]
    try:
        found = sorted(pairs)
    except TypeError as e:
        found = str(e)
    return found, max([(x, 1), (y, None)])
