# ruff: noqa: E711
"""Containers of `collections`: deque, defaultdict, Counter, OrderedDict; bytearray."""

from __future__ import annotations

import collections
import queue
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass

import numpy as np

from tests.programs import program


@program("deque", lambda: (7,))
def sequences_that_differ(n):
    d = deque([1, n])
    b = bytearray([1, n])
    same = d != deque([1, 7]), b != bytearray([1, 7])
    longer = d != deque([n]), b != b"a"
    return same, longer, d != 3


@program("deque", lambda: (2.0,))
def deque_as_a_queue(x):
    d = deque([1.0, x])
    d.append(x * 2)
    d.appendleft(3.0)
    d.extend([4.0, 5.0])
    d.extendleft((6.0, 7.0))
    d.rotate(2)
    first, last = d.popleft(), d.pop()
    d[0] += x
    d += [8.0]
    total = 0.0
    for y in d:
        total += y
    return first, last, len(d), d[0], d[-1], list(d), total, bool(d), d, 8.0 in d, d.copy() == d


@program("deque", lambda: (2.0, 5))
def deque_as_a_window(x, n):
    window = deque(maxlen=3)
    means = []
    for i in range(n):
        window.append(x * i)
        means.append(sum(window) / len(window))
    other = deque([1, 2, 3, 4], 2)
    other.appendleft(0)
    return window, means, window.maxlen, other, np.array(window), f"{other}"


@program("dict", lambda: (2,), lambda: (1,))
def counters_are_added_to_counters_alone(n):
    first, second = Counter([n, 1, 1]), Counter([n, 3])
    try:
        return first + {1: 2}
    except TypeError:
        return first + second, first - second, first & second, first | second, first.total()


@program("deque", lambda: (1.0,))
def deque_runs_empty(x):
    d = collections.deque([x])
    d.pop()
    return d.popleft()


@program("dict", lambda: (2.0,))
def defaultdict_of_sums(x):
    d = defaultdict(float)
    for key in ("a", "b", "a"):
        d[key] += x
    lists = defaultdict(list)
    for i in range(5):
        lists[i % 2].append(x * i)
    nested = defaultdict(lambda: np.zeros(2))
    nested["w"][0] += x
    return d, d["z"], len(d), dict(d), "a" in d, d.get("q", 7), lists, sorted(lists), nested["w"]


@program("dict", lambda: (2.0,))
def defaultdict_without_factory(x):
    d = defaultdict(None, a=x)
    return d["a"] + d["b"]


@program("dict", lambda: ("abracadabra", 3))
def counter_of_letters(word, n):
    c = Counter(word)
    c["a"] += n
    c.update("ab", z=2)
    c.subtract({"r": 1})
    total = sum(c.values())
    return c["a"], c["?"], len(c), total, c.total(), {**c}, dict(c), c == Counter(c), "a" in c, c


@program("dict", lambda: (2.0,))
def ordered_dict(x):
    d = OrderedDict(a=x, b=2)
    d["c"] = 3
    d.move_to_end("a")
    last = d.popitem()
    d.move_to_end("c", last=False)
    same = OrderedDict(c=3, b=2) == d, OrderedDict(b=2, c=3) == d, {"b": 2, "c": 3} == d
    return d, last, same, list(d), isinstance(d, dict), isinstance(x, int | float)


class Valued:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value


@dataclass
class Point:
    x: float
    y: float = 0.0


@program("equality", lambda: (1.0, Valued(2.0), Point(1.0)))
def equality_of_containers(x, valued, point):
    dicts = {"a": x, "b": 2} == {"b": 2, "a": x}, {"a": x} != {"b": x}, {"a": {"b": x}} == {"a": 1}
    kinds = [1, x] == (1, x), (1, x) == (1, x), "ab" == ["a", "b"], range(2) == [0, 1], [x] == None
    sets = {1} < {1, 2}, {1} == {1}, {1} != {1, 2}, frozenset((1,)) == {1}
    instances = (
        valued == Valued(x + 1),
        valued != Valued(x + 1),
        point != Point(x),
        point == Point(2.0),
    )
    return dicts, kinds, sets, instances


@program("bytearray", lambda: (60,), lambda: (2,))
def sieve_of_bytes(n):
    flags = bytearray([1]) * (n + 1)
    flags[0:2] = b"\x00\x00"
    for i in range(2, int(n**0.5) + 1):
        if flags[i]:
            flags[i * i :: i] = bytes(len(range(i * i, n + 1, i)))
    return [p for p, prime in enumerate(flags) if prime], sum(flags), flags.count(1)


@program("bytearray", lambda: (np.array([1, 5, 3]),), lambda: (np.array([0, 1, 0]),))
def smallest_that_is_missing(xs):
    seen = bytearray(10)
    for x in xs:
        seen[x] = 1
    k = 0
    while seen[k]:
        k += 1
    return k, seen


@program("bytearray", lambda: ([1, 2, 3, 0],), lambda: ([7],), lambda: ([],))
def bytes_that_change(xs):
    b = bytearray(xs)
    c = b + bytearray([9]) + b"xy"
    c *= 2
    part = c[1:3]
    part.reverse()
    other = c.copy()
    other[-1] = 255
    del c[0]
    c.insert(1, 8)
    c.remove(9)
    d = bytearray("ab", "ascii")
    d += b
    return (
        b,
        c,
        part,
        other,
        c.pop(),
        max(c),
        8 in c,
        sorted(c),
        list(reversed(c)),
        d,
        b == bytes(4),
    )


@program("bytearray", lambda: ([1, 2, 3], 300), lambda: ([1, 2], -5), lambda: ([], 1))
def bytes_and_mistakes(xs, v):
    b = bytearray(xs)
    told = []
    for change in (
        lambda: b.__setitem__(1, v),
        lambda: b[9],
        lambda: b.append(v),
        lambda: b.extend([v, v]),
        lambda: b.remove(v),
        lambda: b.pop(),
        lambda: b.__setitem__(slice(0, 4, 2), b"abc"),
        lambda: bytearray(v),
        lambda: {b: 1},
        lambda: b["a"],
    ):
        try:
            told.append(change())
        except (ValueError, IndexError, TypeError) as e:
            told.append(f"{type(e).__name__}: {e}")
    return told, isinstance(b, bytearray), isinstance(b, bytes), type(b).__name__


@program("queues", lambda: (9,), lambda: (1,))
def breadth_first_by_a_queue(n):
    q, seen, order = queue.Queue(), [False] * n, []
    q.put(0)
    seen[0] = True
    while not q.empty():
        v = q.get()
        order.append(v)
        for w in (2 * v + 1, 2 * v + 2):
            if w < n and not seen[w]:
                seen[w] = True
                q.put(w)
    return order, q.qsize()


@program("queues", lambda: ([3.0, 1.0, 2.0],), lambda: ([2.0, 2.0, 1.0, 0.5],))
def queues_in_other_orders(xs):
    first, last = queue.PriorityQueue(), queue.LifoQueue(maxsize=3)
    dropped = 0.0
    for i, x in enumerate(xs):
        first.put((x, i))
        if last.full():
            dropped += last.get()
        last.put_nowait(x)
    return [first.get() for _ in xs], dropped, last.qsize(), last.queue


@program("queues", lambda: (4,), lambda: (0,))
def queues_that_are_full_or_empty(n):
    q = queue.Queue(n)
    told = []
    try:
        for i in range(n + 2):
            q.put(i, block=False)
    except queue.Full:
        told.append(q.qsize())
    try:
        while True:
            told.append(q.get_nowait())
            q.task_done()
    except queue.Empty:
        told.append(-1)
    return told, isinstance(q, queue.Queue), q.unfinished_tasks


@program("queues", lambda: (4,))
def tasks_done_too_often(n):
    q = queue.LifoQueue()
    q.put(n)
    q.task_done()
    q.task_done()


@program("data", lambda: (9, 60), lambda: (1, 5), lambda: (0, 5))
def marbles(players, last):
    scores = [0] * players
    circle = deque([0])
    for m in range(1, last + 1):
        if m % 23 == 0:
            circle.rotate(7)
            scores[m % players] += m + circle.pop()
            circle.rotate(-1)
        else:
            circle.rotate(-1)
            circle.append(m)
    return max(scores), circle


@program("ordered dicts", lambda: ([3, 1, 3, 2],), lambda: ([1],))
def ordered_from_keys(keys):
    known, found = OrderedDict.fromkeys("hello", 0), OrderedDict.fromkeys(keys)
    known.move_to_end("h")
    found.move_to_end(keys[0])
    return known, found, list(found), OrderedDict.fromkeys(k % 2 for k in keys)


@program("counters", lambda: ([3, 1, 3, 2], -1), lambda: ([3, 1, 3, 2], 0), lambda: ([3, 1], 9))
def most_common_of_none(xs, n):
    return Counter(xs).most_common(n)


@program("deque", lambda: ([3, 1, 3, 2], 1), lambda: ([3, 1, 3, 2], 2))
def index_between(xs, i):
    d, told = deque(xs), []
    for where in (
        lambda: d.index(3, i),
        lambda: d.index(1, i, 3),
        lambda: d.index(9),
        lambda: d.index(3, -2),
        lambda: d.index(2, 0, 99),
    ):
        try:
            told.append(where())
        except ValueError as e:
            told.append(str(e))
    return told


@program("", lambda: ([3, 5, 1, 0, 2, 8],), lambda: ([3],))
def unlike_by_what_data_decides(numbers):
    k = numbers[0]
    large = {n for n in numbers if n > 1}
    ones = {n: 1 for n in numbers if n > 1}
    counts, order = defaultdict(int), OrderedDict()
    for n in numbers:
        counts[n] += 1
        order[n] = k
    sets = large != {3}, {3} != large, frozenset(large) != large, ones.keys() != {3}, large != 3
    dicts = ones != {3: 1}, counts != {}, counts != counts.copy(), order != ones
    spans = range(k) != range(3), range(k) == range(0, 3, 1), range(1, k, 4) == range(1, k + 1, 7)
    return sets, dicts, spans, range(k) == range(k), range(k) != [0, 1, 2], range(k - 3) == range(0)


@program("", lambda: ([1, 2, 3], 3), lambda: ([4], 0), lambda: ([1, 2, 3, 4, 5], -1))
def repeated_deque_of_a_length(numbers, k):
    last, all_ = deque(numbers, maxlen=4), deque(numbers)
    last *= 2
    all_ *= k
    errors = 0
    for change in (lambda: last.__setitem__(slice(0, 1), [1]), lambda: last.__delitem__(slice(1))):
        try:
            change()
        except TypeError:
            errors += 1
    return list(last), len(last), list(all_), errors
