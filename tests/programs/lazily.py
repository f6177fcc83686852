"""Generator expressions and iterators: items are made when they are asked for, from what there is
then."""

from __future__ import annotations

import itertools

import numpy as np

from tests.programs import program


def floats(*values):
    return lambda: (np.array(values),)


@program("lazy", lambda: (20,), lambda: (2,))
def sieve(n):
    crossed, found = [False] * (n + 1), []
    for k in (k for k in range(2, n + 1) if not crossed[k]):
        found.append(k)
        for m in range(k * k, n + 1, k):
            crossed[m] = True
    return found


@program("lazy", floats(2.0, 1.0, 2.0, 3.0, 1.0), floats())
def not_seen_before(x):
    out, seen = [], []
    out.extend(v for v in x.tolist() if v not in out)
    for v in (v for v in x.tolist() if v not in seen):
        seen.append(v)
    return out, seen


@program("lazy", floats(1.0, 2.0, 3.0))
def what_changed_before_the_end(x):
    total = 0.0
    for v in (2 * v for v in x):
        total += v
        x[-1] = 10.0
    return total, x


@program("lazy", lambda: (3, 2.0), lambda: (0, 2.0))
def variables_as_they_are_then(n, x):
    later = (v * x for v in range(n))
    x = x + 100.0
    return list(later), [v for v in (u * x for u in range(n))]


@program("lazy", lambda: (3,), lambda: (1,))
def several_of_one_loop(n):
    made = []
    for i in range(n):
        made.append(k * i for k in (1, 2))
    return [sum(g) for g in made]


@program("lazy", floats(0.0, 1.0), floats(1.0, 0.0))
def what_nobody_asks_for(x):
    later = (1 // int(v) for v in x)
    if x[0] > 0:
        return next(later), len(x)
    return 0, len(x)


@program("lazy", lambda: (["1", "2", "x"], 2), lambda: (["1", "x"], 2))
def as_far_as_is_read(texts, n):
    numbers = (int(text) for text in texts)
    return [next(numbers) for _ in range(n)]


@program("lazy", lambda: ([3, 1, 2],))
def calls_in_turn(xs):
    log = []

    def made(v):
        log.append(("made", v))
        return v

    for v in (made(v) for v in xs):
        log.append(("used", v))
    later = (made(v) for v in xs)
    log.append(("asked", next(later)))
    return log


@program("lazy", lambda: (3,), lambda: (0,))
def lists_and_dicts_that_get_longer(n):
    out, table, seen = [], {}, set()
    out += (len(out) for _ in range(n))
    table.update((k, len(table)) for k in range(n))
    seen.update(len(seen) for _ in range(n))
    out.extend(map(lambda k: k + len(out), range(n)))
    return out, table, sorted(seen)


@program("lazy", floats(1.0, 2.0, 3.0, 4.0))
def iterators_of_lists_that_change(x):
    xs = x.tolist()
    kept = filter(lambda v: v > xs[0], xs)
    both, sums = itertools.chain(xs, xs), itertools.accumulate(xs)
    some, pairs = itertools.islice(xs, 2), itertools.pairwise(xs)
    powers = itertools.starmap(pow, zip(xs, xs))
    padded = itertools.zip_longest(xs, [1.0], fillvalue=0.0)
    xs[0] = 2.0
    xs.append(5.0)
    return [list(it) for it in (kept, both, sums, some, pairs, powers, padded)]


@program("lazy", lambda: ([1.0, 2.0, 3.0],))
def of_an_iterator_that_others_read(xs):
    it = iter(xs)
    doubled = (2 * v for v in it)
    first = next(it)
    return first, next(doubled), list(it), list(doubled)


@program("lazy", lambda: ([[1, 2], [], [3]],), lambda: ([],))
def nested(rows):
    flat = []
    for v in (v for row in rows for v in row if v != 2):
        flat.append(v)
    for v in (v + 1 for v in (2 * v for row in rows for v in row) if v > 2):
        if v > 100:
            break
        flat.append(v)
    else:
        flat.append(-1)
    return flat, any(v > 1 for v in (w - 1 for row in rows for w in row))


@program("lazy", lambda: ([1, 2, 3, 4],), lambda: ([2],))
def left_early(xs):
    for i, v in ((i, v * v) for i, v in enumerate(xs) if v % 2 == 0):
        if v > 3:
            break
    else:
        return -1, -1
    return i, v


@program("lazy", lambda: ([4, 1, 3], 2), lambda: ([], 2))
def handed_over(xs, k):
    def total(items, start):
        for v in items:
            start += v
        return start

    def halves(items):
        yield from (v // 2 for v in items)

    return (
        total((v * k for v in xs), 1),
        sorted((v * k for v in xs), reverse=True),
        max((v * k for v in xs), default=0),
        ",".join(str(v) for v in halves(xs)),
        tuple(v for v in xs if v > 1),
        dict((v, k) for v in xs),
        *(v + 1 for v in xs),
    )


@program("lazy", lambda: ("1 2 3",), lambda: ("4 5 6",))
def unpacked(text):
    a, b, c = (int(part) for part in text.split())
    return a * b + c


@program("lazy", lambda: ([3, 1, 2],), lambda: ([1, 2, 3, 4, 5],))
def backwards_of_what_gets_shorter(xs):
    out, ys = [], [3, 1, 2]
    back = reversed(ys)
    out.append(next(back))
    ys.pop()
    ys.pop()
    for x in reversed(xs):
        out.append(x)
        xs.pop()
        if xs:
            xs.pop()
    return out, list(back), xs


@program("lazy", lambda: ([1, 2],))
def first_of_several_loops(xs):
    steps = []

    def step():
        steps.append(len(steps))
        return len(steps)

    found = next((v for x in [0] for v in (a + b for a in xs for b in [0])), None)
    low = all(v < 2 for x in (1, 2) for v in (step() for a in (1, 5) for b in (1, 0)))
    return found, low, steps


@program("lazy", lambda: ([1, 2],), lambda: ([],))
def kept_with_their_variables(ys):
    kept = []
    for k in (1, 2):
        kept += [(x * y for y in ys) for x in [k]]
        for items in ((x * y for y in ys) for x in (10 * k, 20 * k)):
            kept.append(items)
    return [list(items) for items in kept]


class _Counted:
    def __init__(self):
        self.times = 0

    def extend(self, items):
        self.times += 1


@program("lazy", lambda: ([1, 2],), lambda: ([9],))
def extended_otherwise(xs):
    counted, octets, none = _Counted(), bytearray(b"a"), None
    counted.extend(x for x in xs if x > 5)
    octets.extend(len(octets) for _ in xs)
    try:
        none.extend(x for x in xs if x > 5)
    except AttributeError as error:
        return counted.times, bytes(octets), str(error)
    return counted.times, bytes(octets)


@program("lazy", lambda: ([4, 2],), lambda: ([],))
def arguments_before_items(xs):
    log = []

    def noted(v):
        log.append(v)
        return v

    largest = max((noted(x) for x in xs), default=noted(9))
    return largest, sum((noted(x) for x in xs), noted(8)), log


@program("lazy", lambda: (np.array([1.0, -2.0, 3.0]),), lambda: (np.array([-1.0, 2.0]),))
def sharing_an_iterator(x):
    it = iter(list(x))
    even = (v for v in it if v > 0)
    first = next(it)
    for _ in range(len(x) - 2):
        first += next(it, 0.0)
    return first, list(even), list(it)


class Counting:
    """It gives 1 to `n`, and says how often it was asked for an iterator."""

    def __init__(self, n, log):
        self.n, self.at, self.log = n, 0, log

    def __iter__(self):
        self.log.append(-self.n)
        return self

    def __next__(self):
        self.at += 1
        if self.at > self.n:
            raise StopIteration
        return self.at


@program("lazy", lambda: ([3, 1, 2], 2), lambda: ([4, 5], 3))
def asked_in_turn(xs, n):
    log = []

    def made(x):
        log.append(x)
        return 2 * x

    def rank(x):
        log.append(10 * x)
        return -x

    best = max(map(made, xs), key=rank), min(map(made, [x for x in xs if x > 1]), key=rank)
    pairs = list(zip(Counting(n, log), Counting(n + 1, log)))
    sums = list(map(lambda x, y: x + y, Counting(n, log), Counting(2, log)))
    return best, pairs, sums, log


@program("lazy", lambda: ([3, 1, 2], np.arange(5.0)), lambda: ([4], np.arange(2.0)))
def iterators_beside_lazy_sequences(xs, data):
    numbered = [(k, i, v) for k, (i, v) in zip(itertools.count(10, 2), enumerate(data)) if v > 0]
    powers = map(pow, itertools.repeat(2), reversed(xs))
    value = sum(x * power for x, power in zip(xs, powers))
    upwards = [k + x for k, x in zip(itertools.count(), reversed(data[data > 1]))]
    strict = list(zip((x for x in xs), reversed(xs), strict=True))
    return numbered, value, upwards, strict, list(itertools.zip_longest(iter(xs), enumerate(data)))


@program("lazy", lambda: ([3, 1, 2, 0],), lambda: ([0],), lambda: ([5, 5, 0, 1],))
def until_and_by_name(xs):
    rest, at = list(xs), 0

    def turn():
        nonlocal at
        at += 1
        return xs[at - 1]

    popped = list(iter(rest.pop, xs[0]))
    most = list(itertools.accumulate(iterable=xs, func=max, initial=1))
    chosen = list(itertools.compress(data=xs, selectors=[x > 1 for x in xs]))
    return popped, rest, most, chosen, sum(iter(turn, 0)), at
