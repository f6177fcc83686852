"""Values that are None on some paths."""

import math
from dataclasses import dataclass

import numpy as np

from tests.programs import program

X = lambda: (np.array([3.0, 1.0, 4.0, 1.0, 5.0]),)
LOW = lambda: (np.array([3.0, 1.0, 4.0]), 2.0)
HIGH = lambda: (np.array([3.0, 1.0, 4.0]), 9.0)


@program("optional", X, lambda: (np.zeros(0),))
def least(x):
    b = None
    for i in range(len(x)):
        if b is None or x[i] < b:
            b = x[i]
    return b


@program("optional", LOW, HIGH)
def first_above(x, t):
    idx = None
    for i, v in enumerate(x):
        if v > t:
            idx = i
            break
    return idx


def helper(a, b, c):
    d = b * b - 4 * a * c
    if d < 0:
        return None
    return (-b - math.sqrt(d)) / (2 * a), (-b + math.sqrt(d)) / (2 * a)


@program("optional", lambda: (1.0, -3.0, 2.0), lambda: (1.0, 0.0, 2.0))
def quadratic(a, b, c):
    r = helper(a, b, c)
    if r is not None:
        return r[0] + r[1]
    return 0.0


@program("optional", lambda: (1.0, -3.0, 2.0), lambda: (1.0, 0.0, 2.0))
def unpacked(a, b, c):
    r = helper(a, b, c)
    lo, hi = r
    return lo


@program("optional", X)
def previous(x):
    p = None
    s = 0.0
    for v in x:
        if p is not None:
            s += abs(v - p)
        p = v
    return s, p


class Cache:
    def __init__(self):
        self.val = None
        self.hits = 0

    def get(self, x):
        if self.val is None:
            self.val = x * 2
        else:
            self.hits += 1
        return self.val


@program("optional", lambda: (1.0, 4))
def cached(x, n):
    c = Cache()
    t = 0.0
    for i in range(n):
        t += c.get(x + i)
    return t, c.hits, c.val


@program("optional", LOW, HIGH)
def lazy_array(x, flag):
    w = None
    if x.sum() > flag:
        w = x * 2
    if w is not None:
        x = x + w
    return x, w


@program("optional", LOW, HIGH)
def truth(x, t):
    best = None
    for v in x:
        if v > t:
            best = v
    if best:
        return 1
    return 0


@program("optional", LOW, HIGH)
def used_without_test(x, t):
    best = None
    for v in x:
        if v > t:
            best = v
    return best + 1


@program("optional", X)
def low_and_high(x):
    lo = hi = None
    for v in x:
        lo = v if lo is None else min(lo, v)
        hi = v if hi is None else max(hi, v)
    return hi - lo, (lo, hi)


@program("optional", X)
def default(x, y=None):
    if y is None:
        y = x
    return x + y


@program("optional", LOW, HIGH)
def shown(x, t):
    m = None
    if x[0] > t:
        m = float(x[0])
    return f"m={m}", [m, 1], {"m": m}


@program("optional", LOW, HIGH)
def kinds(x, t):
    m = None
    if x[0] > t:
        m = float(x[0])
    return isinstance(m, float), m == 3.0, m is not None


@program("optional", X)
def closest(x):
    best = None
    for i in range(len(x)):
        for j in range(i):
            d = abs(x[i] - x[j])
            if best is None or d < best[0]:
                best = (d, i, j)
    return best


@program("optional", X, lambda: (-np.ones(20),))
def none_in_first_pass(x):
    """The first pass of the loop sees None where another iteration has left a number."""
    position, entry, trades, last, total = 0, None, 0.0, None, 0.0
    best, first = None, True
    for i, v in enumerate(x):
        if position == 0 and v > 0.5:
            position = 1
            entry = v
        elif position == 1 and v < 0.5:
            trades += v - entry
            position = 0
        if i > 0:
            total += abs(v - last)
        last = v
        if first or v > best:
            best = v
        first = False
    return trades, total, best


@program("optional", X)
def none_has_attributes_later(x):
    w, s = None, 0.0
    for i, v in enumerate(x):
        if i > 2:
            s += w.sum() + w[0] + v
        if i == 2:
            w = np.ones(3) * v
    return s


@program("optional", X, lambda: (np.zeros(20),))
def always_none_in_loop(x):
    last, s = None, 0.0
    for v in x:
        if v > 0:
            s += v - last
    return s


@program("optional", X)
def index_that_may_be_none(x):
    k, table = None, np.zeros((20, 3))
    for i in range(len(x)):
        if x[i] > 0.5:
            k = i
    x[k] = 7.0
    table[k] += 1
    return x[k], table[k, 0], table[:, k % 3], x[k : k + 1], k


@program("optional", X, lambda: (np.full(20, -1.0),), lambda: (np.zeros(20),))
def elements_below_what_may_be_none(x):
    limit = None
    for v in x:
        if v > 0.5:
            limit = v
    high = x[x > -0.5]
    below = high <= limit
    return below, below.sum(), high[below]


class Reading:
    def __init__(self, value):
        self.value = value


SIDES = [lambda v=v: (np.array([v, -1.0]),) for v in (3.0, 1.5, 0.5, -1.0)]


@program("optional", *SIDES)
def class_of_a_number_or_none(x):
    r = None
    for i in range(len(x)):
        if x[i] > 2:
            r = i
        elif x[i] > 0:
            r = x[i]
    tests = isinstance(r, int), isinstance(r, float), isinstance(r, (int, type(None)))
    return tests, type(r) is int, type(r) is type(None), callable(r), hasattr(r, "real")


@program("optional", *SIDES)
def class_of_an_exception_or_none(x):
    e = None
    try:
        if x[0] > 2:
            raise KeyError("k")
        if x[0] > 1:
            raise ValueError("v")
    except (KeyError, ValueError) as error:
        e = error
    return isinstance(e, LookupError), isinstance(e, Exception), isinstance(e, (str, type(None)))


@program("optional", *SIDES)
def attributes_of_an_instance_or_none(x):
    r = None
    if x[0] > 1:
        r = Reading(x[0])
    known = getattr(r, "value", -1.0), getattr(r, "other", 2.0), getattr(r, "value", None)
    return known, hasattr(r, "value"), hasattr(r, "other"), isinstance(r, Reading), callable(r)


@program("optional", *SIDES)
def attribute_on_some_paths(x):
    r = Reading(x[0])
    if x[0] > 1:
        r.other = 2.0
    found = getattr(r, "other", -1.0)
    if hasattr(r, "other"):
        found += r.other
    return found, getattr(r, "other", None)


@program("optional", *SIDES)
def class_of_a_number(x):
    n = 1 if x[0] > 1 else 2.5
    return type(n) is int, type(n) is float, type(n).__name__


@program("optional", *SIDES)
def matched_or_none(x):
    r = None
    if x[0] > 2:
        r = Reading(x[0])
    match r:
        case Reading(other=v):
            return v
        case Reading(value=v):
            return v + 1
        case None:
            return 0.0


@program("optional", *[lambda x=x, y=y: (3, 3, x, y) for x in (0, 1) for y in (0, 1)])
def in_tuples(a, b, x, y):
    p, q = a if x else None, b if y else None
    return p == q, p != q, (a, p) == (b, q), (a, p) <= (b, q)


@program("optional", *[lambda x=x, y=y: (2, 3, x, y) for x in (0, 1) for y in (0, 1)])
def both_are_operands(a, b, x, y):
    p, q = a if x else None, b if y else None
    first = (a, p) < (b, q)
    return first, p + q


def _last_positive(x):
    found = None
    for v in x:
        if v > 0:
            found = np.array([1.0, 2.0]) * v
    return found


@program("optional", lambda: (np.array([1.0, -2.0]),), lambda: (np.array([-1.0, -2.0]),))
def added_in_place(x):
    total = np.zeros(2)
    total += _last_positive(x)
    return total


def _added(left, right):
    try:
        left += right
    except TypeError as error:
        return str(error)
    return left


@program("optional", lambda: (np.array([1.0, 3.0]), 1), lambda: (np.array([1.0, 3.0]), 3))
def words_for_none_beside_numbers(x, limit):
    found = None if limit > 2 else 2
    one = None if limit > 2 else x[0]
    return _added(found, x[1]), _added(found, 1), _added(one, 1), _added(x[1], found)


@program("optional", lambda: (np.ones(3), 5), lambda: (np.ones(3), 9), lambda: (np.zeros(3), 1))
def told_by_a_conjunction(x, n):
    found = None if n > 7 else x
    if found is not None and found.sum() > 2:
        return found == 1
    return x == 2


@program("optional", lambda: (np.ones(3), 9.0), lambda: (np.ones(3), -9.0))
def none_before_the_loop(x, limit):
    last = None
    for k in range(20):
        now = x * k
        if last is not None and now.sum() > limit:
            break
        last = now
    other = None
    while other is None or other.sum() < 30:
        other = x + 1
        x = x + other
    return last == 3, other == x, [(last > j).sum() for j in range(2)]


@program("optional", lambda: (np.arange(12.0).reshape(6, 2), 3))
def labels_until_they_stay(points, k):
    centers, labels = points[:k].copy(), None
    for rounds in range(100):
        nearest = np.argmin(((points[:, None] - centers) ** 2).sum(2), axis=1)
        if labels is not None and np.array_equal(nearest, labels):
            break
        labels = nearest
        centers = np.array([points[labels == j].mean(0) for j in range(k)])
    spread = sum(np.sum((points[labels == j] - centers[j]) ** 2) for j in range(k))
    return centers, labels, rounds, spread


@program("optional", lambda: (np.ones(3), 0), lambda: (np.ones(3), 2), lambda: (np.ones(3), 9))
def none_where_the_loop_is_left_early(x, n):
    last = None
    for k in range(5):
        if k == n:
            break
        last = x * k
    return -1.0 if last is None else last.sum()


@program("optional", lambda: (np.ones(3), 0), lambda: (np.ones(3), 2))
def none_where_the_loop_may_not_be_entered(x, n):
    last, first = None, None
    for k in range(n):
        last = x * k
        first = last if first is None and k else first
    for _ in range(3):
        if n:
            first = x
    return last is None, first is None, 0.0 if first is None or last is None else last @ first


class Leaf:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None


def inserted(node, key):
    if not node:
        return Leaf(key)
    if key < node.key:
        node.left = inserted(node.left, key)
    elif key > node.key:
        node.right = inserted(node.right, key)
    return node


@program("optional", lambda: ([3, 1, 2, 5, 4],), lambda: ([],))
def none_of_instances_in_recursion(keys):
    root = None
    for key in keys:
        root = inserted(root, key)
    out = []
    while root:
        out.append((root.left or root).key)
        out.append(root.left and root.left.key)
        root = root.right or None
    return out


class Coin:
    def __init__(self, value):
        self.value = value
        self.next = None

    def __bool__(self):
        return self.value > 0


def added(coin, value):
    if not coin:
        return Coin(value)
    coin.next = added(coin.next, value)
    return coin


@program("optional", lambda: ([3, 1, 2, 5, 4],), lambda: ([3, 0, 2],), lambda: ([],))
def none_or_what_says_if_it_is_true(values):
    first, out = None, []
    for value in values:
        first = added(first, value)
    while first:
        out.append(first.value)
        first = first.next
    return out


class Link:
    def __init__(self, value, after=None):
        self.value, self.after = value, after


@program(
    "optional",
    lambda: ([1, 2, 3], [4, 5], [7, 8, 9]),
    lambda: ([1], [2], []),
    lambda: ([], [], []),
    lambda: ([], [1], [5]),
)
def one_object_or_none_both(a, b, common):
    def built(values, after):
        for value in reversed(values):
            after = Link(value, after)
        return after

    shared = built(common, None)
    first, second = built(a, shared), built(b, shared)
    p, q = first, second
    while p is not q:
        p = p.after if p is not None else second
        q = q.after if q is not None else first
    return p.value if p is not None else None


class Weight:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, Weight) and self.value == other.value


@dataclass
class Mark:
    value: int


NUMBERS = lambda: ([3, 5, 1, 0, 2, 8, 0, 3, 3],)
FEW = lambda: ([1, 1],)


def _compared(values, highest):
    last, count = None, 0
    for value in values:
        if last == value:
            count += 100
        if last != highest:
            count += 1
        if value != highest:
            last = value
    return count, last == highest, last == values[0], last is None


@program("optional", NUMBERS, FEW)
def equal_to_what_may_be_none(numbers):
    texts = _compared([str(n) for n in numbers], "8")
    tuples = _compared([(n, n + 1) for n in numbers], (8, 9))
    lists = _compared([[n, 1] for n in numbers], [8, 1])
    return texts, tuples, lists


@program("optional instances", NUMBERS, FEW)
def instances_equal_to_what_may_be_none(numbers):
    links = [Link(n) for n in numbers]
    weights = _compared([Weight(n) for n in numbers], Weight(8))
    marks = _compared([Mark(n) for n in numbers], Mark(8))
    return weights, marks, _compared(links, links[-1])


@program("optional", lambda: ("the quick brown fox",), lambda: ("",))
def looked_for_though_it_may_be_none(text):
    before, seen, n = None, set(), 0
    ranks = {"o": 3, "u": 5}
    for letter in text:
        if before in ["a", "o"] or before not in ("q", None):
            n += 1
        if before in ranks:
            n += ranks[before]
        if before in seen:
            n += 100
        seen.add(letter)
        before = letter if letter != " " else None
    return n


class Keys:
    def __getitem__(self, key):
        return key.start is None, key.stop is None, -1 if key.start is None else key.start


@program("optional", NUMBERS, lambda: ([2, 1, 0],), lambda: ([8],))
def slices_between_what_may_be_none(numbers):
    start = end = None
    for i, n in enumerate(numbers):
        if n == 5 and start is None:
            start = i
        if n == 0:
            end = i
    x = np.array(numbers)
    grid = np.outer(x, x)
    x[start:end] = -1
    left = list(numbers)
    del left[end:]
    sums = grid[start:, :end].sum(), grid[:end:2, 0].sum()
    parts = numbers[start:end], numbers[end::-1], numbers[:start:-1]
    return x, left, sums, parts, "abcdefghi"[start:end], Keys()[start:end]


class Always:
    def __init__(self, log):
        self.log = log

    def __eq__(self, other):
        self.log.append(1)
        return True

    def __lt__(self, other):
        return other is None


@program("optional instances", lambda: (np.array([1, 5]),), lambda: (np.array([5, 1]),))
def what_instances_say_of_none(x):
    log = []
    maybe = Always(log) if x[0] > 2 else None
    other = Always(log)
    below = 0
    try:
        below = other < maybe
    except TypeError:
        below = 2
    keys = {"a": 1, "b": 2}
    key = "a" if x[0] > 2 else None
    try:
        found = keys[key]
    except KeyError:
        found = -1
    return maybe == None, maybe != 3, below, len(log), found  # noqa: E711


class Side:
    def __init__(self, value):
        self.value = value

    def up(self):
        return self.value

    def down(self):
        return -self.value


@program("instances", lambda: (np.array([1, 2, 0]),), lambda: (np.array([0, 1, 3]),))
def methods_and_slices_that_are_equal(x):
    side, other = Side(1), Side(1)
    method = side.up if x[0] > 0 else side.down
    same = method == side.up, method == side.down, side.up == other.up, side.up != side.up
    methods = [side.up if v > 1 else other.down for v in x]
    cut = slice(x[0], 3)
    return same, methods.count(side.up), side.down in methods, cut == slice(x[0], 3), cut != cut


class Named:
    def __init__(self):
        self.a, self.b = 1, 2.5


@program("instances", lambda: (np.array([0]),), lambda: (np.array([1]),), lambda: (np.array([2]),))
def attributes_of_which_one_is_missing(x):
    name = "a" if x[0] == 0 else "b" if x[0] == 1 else "c"
    return getattr(Named(), name)


@program("optional", lambda: (np.array([1, 2, 0]),), lambda: (np.array([3, 1]),))
def array_against_none(x):
    maybe = x * 2 if x[0] > 2 else None
    return maybe == None  # noqa: E711


def inside(x, low, high):
    return x - low if low <= x <= high else None


@program("library", lambda: (np.array([0.5, 1.5]), 0.2), lambda: (np.array([0.5, 3.0]), 0.2))
def functions_of_numbers_that_may_be_none(x, low):
    angles = []
    for v in x:
        angles.append(math.atan2(inside(v, low, 2.0), v) + np.hypot(inside(v, 0.0, 4.0), low))
    return angles


@program("library exceptions", *[lambda v=v: (np.array(v),) for v in ([0.5, 1.5], [0.5, 3.0])])
def none_caught(x):
    try:
        return math.sqrt(inside(x[1], 0.0, 2.0))
    except TypeError as error:
        return str(error)


class Maybe:
    def __init__(self):
        self.items = self.seen = self.weights = None


@program(
    "None or an object, in place", lambda: (np.array([1, 5, 3, 7]), 4), lambda: (np.ones(3), 2)
)
def changed_in_place(xs, t):
    made, missing = [], 0
    for x in xs:
        m = Maybe()
        if x > t:
            m.items, m.seen, m.weights = [int(x)], {int(x)}, np.ones(2)
        made.append(m)
    for m in made:
        items, seen, weights = m.items, m.seen, m.weights
        try:
            items += [9]
            seen |= {3}
            weights += 2
        except TypeError:
            missing += 1
    sums = [0.0 if m.weights is None else m.weights.sum() for m in made]
    return missing, [m.items for m in made], [m.seen is None or len(m.seen) for m in made], sums


class Differs:
    def __init__(self, value):
        self.value = value

    def __ne__(self, other):
        return "none" if other is None else self.value != other.value


@program("optional instances", *[lambda k=k: (np.array([k]),) for k in (0, 1, 3)])
def instances_that_say_what_differs_alone(x):
    one = Differs(2) if x[0] > 0 else None
    two = Differs(2) if x[0] > 1 else None
    same = one == two, one == None  # noqa: E711
    return one != None, None != one, one != Differs(3), Differs(2) != one, one != two, same  # noqa: E711


class Below:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return other is None or self.value < other.value


class Ranked:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return self.value < other.value if isinstance(other, Ranked) else NotImplemented


@program("optional instances", *[lambda k=k: (np.arange(k),) for k in (0, 1, 4)])
def instances_before_none(xs):
    last, count, said = None, 0, []
    for x in xs:
        here = Below(7 * x % 5)
        count += (here < None) + (None > here)
        if here < last:
            last = here
            count += 10
    ranked = Ranked(len(xs)) if len(xs) > 1 else None
    for compared in (
        lambda: Ranked(3) < ranked,
        lambda: ranked < Ranked(5),
        lambda: ranked > Ranked(9),
        lambda: ranked < ranked,
    ):
        try:
            said.append(str(compared()))
        except TypeError as error:
            said.append(str(error))
    return count, said


@program("exception", *[lambda k=k: (np.array([k]),) for k in (0, 1)])
def what_none_is_not_below(x):
    return (Ranked(1) if x[0] > 0 else None) < Ranked(2)


class Sum:
    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return self.value + (100 if other is None else getattr(other, "value", other))

    def __radd__(self, other):
        return -self.value

    def __iadd__(self, other):
        self.value += 7 if other is None else 1
        return self


class Right:
    def __init__(self, value):
        self.value = value

    def __radd__(self, other):
        return self.value

    def __rmul__(self, other):
        return NotImplemented


@program("optional instances", *[lambda k=k: (np.array([k]),) for k in (0, 1, 3)])
def instances_added_to_none(x):
    one = Sum(1) if x[0] > 0 else None
    two = Sum(5) if x[0] > 1 else None
    number = 1.5 if x[0] > 0 else None
    right = Right(8) if x[0] > 1 else None
    some = [1] if x[0] > 0 else None
    kept, said = Sum(3), []
    kept += number
    for added in (
        lambda: one + Sum(2),
        lambda: Sum(2) + one,
        lambda: one + two,
        lambda: number + Right(3),
        lambda: right + None,
        lambda: None + right,
        lambda: np.float64(2.0) + right,
        lambda: right * Right(2),
        lambda: some + Right(4),
    ):
        try:
            said.append(str(added()))
        except TypeError as error:
            said.append(str(error))
    number += Right(6)
    some += Right(9)
    return said, kept.value, number, some


@program("instances", lambda: ([1, 2],), lambda: ([],))
def lists_that_instances_are_added_to(numbers):
    numbers += Right(3)
    return numbers


@program("optional", *[lambda v=v: (np.array([1.0, 2.0, 3.0]), v) for v in (0.0, 1.5, 9.0)])
def numbers_of_numpy_or_none(x, least):
    last = _last(x, least)
    same = last == 3.0, last != x[2], x[2] == last, last == None  # noqa: E711
    return same, type(last == 3.0) is bool, last == _last(x, least - 1), (last == 2) + 1


def _last(x, least):
    last = None
    for v in x:
        if v > least:
            last = v
    return last


@program("optional", lambda: (np.array([3.0, -1, 4]),), lambda: (np.array([]),))
def array_of_what_is_not_none(x):
    found, pairs = [], []
    for v in x:
        found.append(None if v > 9 else v)
        pairs.append((None if v > 9 else int(v), v * 2))
    return np.array(found), np.array(pairs).sum(), np.array(found, dtype=int)


@program("none", lambda: ([3, 1, 2, 5], 2), lambda: ([3, 1, 2, 5], 9))
def taken_out_where_something_was_found(xs, t):
    best = None
    for i, x in enumerate(xs):
        if x > t:
            best = i
    taken = xs.pop(best)
    xs.insert(best, 2 * taken)
    return xs


@program("none", lambda: ([3, 1, 2], None), lambda: ([3, 1, 2], 1))
def taken_out_at_what_is_no_number(xs, at):
    try:
        return xs.pop(at)
    except TypeError as error:
        return str(error), xs


@dataclass
class Labelled:
    size: int
    label: str | None = None


@program("optional field", lambda: (np.array([0.7, 0.2, 0.4, 0.05, 0.9]),))
def fields_tested_before_paths_meet(x):
    """What a test says of a field holds behind other branches as well."""
    found = []
    for i, v in enumerate(x):
        if v > 0.3:
            found.append(Labelled(i, "ab"[int(v > 0.6)]))
        elif v > 0.1:
            found.append(Labelled(i))
    names, sizes = [], {}
    for one in found:
        if one.label is None:
            continue
        names.append(one.label + ("+" if one.size > 1 else "-"))
        sizes[one.label] = "large" if one.size > 2 else "small"
    return "".join(names), ".".join(sizes)
