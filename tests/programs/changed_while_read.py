"""Dicts, sets and deques that loops read and change: RuntimeError where the size is another."""

import collections

import numpy as np

from tests.programs import program


def numbers():
    return np.arange(5.0)


@program("checks raise dict", lambda: (1,), lambda: (0,))
def known_keys(n):
    d = {0: 1}
    for k in d:
        d[k + n] = 2
    return d


@program("checks raise set", lambda: (10,), lambda: (0,))
def known_set(n):
    s = {1, 2}
    for k in s:
        s.add(k + n)
    return s


@program("checks raise dict", lambda: ({1: 1, 2: 2}, 1), lambda: ({1: 1, 2: 2}, 7))
def argument(d, n):
    for k in d:
        if k == n:
            del d[k]
    return d


@program("checks raise dict", lambda: (numbers(),), lambda: (np.zeros(3),))
def keys_of_data(x):
    d = {}
    for v in x:
        d[int(v)] = v
    for k in d.keys():
        if k > 3:
            d[k - 10] = 1.0
    return d


@program("checks raise dict", lambda: (numbers(),))
def items_of_data(x):
    d = {int(v): v for v in x}
    for k, v in d.items():
        d.pop(k)
    return d


@program("checks dict", lambda: (numbers(),))
def a_copy_of_the_keys(x):
    d = {int(v): v for v in x}
    for k in list(d):
        if k % 2:
            d.pop(k)
    for k in d:
        d[k] = 0.0
    for k in d.values():
        d[7] = k
        break
    return d


@program("checks raise set", lambda: (numbers(),), lambda: (numbers() * 3,))
def set_of_data(x):
    s = {int(v) for v in x}
    for v in s:
        if v == 2:
            s.discard(2)
    return s


def dicts(n):
    return [lambda: ({1: 1, 2: 2, 3: 3}, n), lambda: ({1: 1, 2: 2, 3: 3}, 9)]


def drop(d, k):
    del d[k]


@program("checks raise dict call", *dicts(2))
def in_a_function(d, n):
    for k in d:
        if k == n:
            drop(d, k)
    return d


@program("checks raise dict closure", *dicts(2))
def in_a_closure(d, n):
    copy = dict(d)

    def visit(k):
        if k == n:
            copy[k + 10] = 0

    for k, v in copy.items():
        visit(v)
    return copy


class Held:
    def __init__(self, d):
        self.d = d
        self.read = 0

    def drop(self, k):
        self.read += 1
        if self.read == k:
            self.d.pop(k)


@program("checks raise dict method", *dicts(2))
def in_a_method(d, n):
    held = Held(d)
    for _k in held.d:
        held.drop(n)
    return held.d, held.read


@program("checks raise defaultdict", *dicts(2))
def by_a_look(d, n):
    found, total = collections.defaultdict(int), 0
    for k in d:
        found[k] += d[k]
    for k in found:
        if k == n:
            total += found[k + 100]
    return total, found


@program("checks raise dict comprehension", *dicts(2))
def in_a_comprehension(d, n):
    return [d.pop(k) for k in d if k == n]


@program("checks raise dict", *dicts(2))
def any_of_them(d, n):
    return any(d.pop(k) == n for k in d if k >= n)


@program("checks raise dict enumerate", *dicts(2))
def numbered(d, n):
    for i, (k, _v) in enumerate(d.items()):
        if k == n:
            del d[i + 1]
    return d


@program("checks raise dict zip", *dicts(2), *dicts(3))
def beside_others(d, n):
    for _i, k in zip(range(3), d):  # which is not asked after the third
        if k == n:
            d[k + 10] = 0
    return d


@program("checks raise dict", *dicts(2))
def backwards(d, n):
    for k in reversed(d):
        if k == n:
            d |= {50: 1}
    return d


@program("checks raise OrderedDict", *dicts(2), *dicts(3))
def ordered(d, n):
    found = collections.OrderedDict(d)
    for k in found:  # which looks for a next item first
        if k == n:
            found[k + 10] = 0
    return found


@program("checks raise dict caught", *dicts(2))
def caught(d, n):
    try:
        for k in d:
            if k == n:
                d.clear()
    except RuntimeError as e:
        return str(e), d
    return d


@program("checks raise deque", lambda: ([3, 1, 2], 2), lambda: ([3, 1, 2], 7))
def deque(x, n):
    d, total = collections.deque(x), 0
    for v in d:
        d[0] = 7
        if v == n:
            d.popleft()
        total += v
    return list(d), total


@program("checks raise deque", lambda: ([3, 1, 2], 2), lambda: ([3, 1, 2], 3))
def deque_backwards(x, n):
    d = collections.deque(x)
    for v in reversed(d):  # which looks for a next item first
        if v == n:
            d.appendleft(v)
    return list(d)


CHANGES = [
    lambda how=how, x=x: (collections.deque(x), x[0], how)
    for how in range(9)
    for x in ([1, 2, 3], [5])
]


@program("checks raise deque", *CHANGES)
def deque_of_the_same_size(d, n, how):
    seen = []
    for v in d:
        seen.append(v)
        if v == n:
            if how < 3:
                d.rotate(how)
            elif how == 3:
                d.append(d.popleft())
            elif how == 4:
                d.appendleft(d.pop())
            elif how == 5:
                d.insert(1, 5)
                d.pop()
            elif how == 6:  # which CPython does not count
                d.reverse()
            elif how == 7:
                d[0] = 9
            else:
                d.extend([])
    return seen, d


@program("checks raise deque", lambda: ([3, 1, 2], 2), lambda: ([3, 1, 2], 3))
def full_deque(x, n):
    d = collections.deque(x, maxlen=3)
    for v in reversed(d):
        if v == n:
            d.append(v)
    return list(d)


@program("checks raise deque lists", lambda: (2, 9), lambda: (3, 2))
def rotated_in_a_list(n, m):
    deques = [collections.deque() for _ in range(n)]
    for i in range(m):
        deques[i % n].append(i)
    for d in deques:
        for v in d:
            if v == 3:
                d.rotate(1)
    return [len(d) for d in deques]


@program("checks raise set", lambda: ([1, 2, 3], 2), lambda: ([1, 2, 3], 7))
def set_with_more(x, n):
    s = set(x)
    for k in s:
        if k == n:
            s |= {100}
    return len(s)


@program("dict views", *dicts(2))
def views_show_what_is_there_now(d, n):
    names, values, items = d.keys(), d.values(), d.items()
    before = len(names)
    d[n] = 7
    grown = {}
    seen = grown.keys(), grown.values(), grown.items()
    for k in range(n):
        grown[k * k] = k
    return before, list(names), list(values), list(items), n in names, [list(v) for v in seen]


@program("dict views", lambda: ([3, 5, 4],))
def values_of_a_dict_that_a_loop_fills(x):
    total, found = 0, {}
    values = found.values()
    for v in x:
        found[v % 2] = v
        total += sum(values)
    return total, max(values)


@program("dict views", *dicts(2))
def views_of_dicts_whose_keys_data_decides(d, n):
    e = dict(d)
    names = e.keys()
    if n == 2:
        e[n + 40] = 1
    return names == d.keys(), d.keys() <= names, sorted(names & d.keys()), n in names


def changed(d):
    seen = []
    for k, v in d.items():
        seen.append((k, v))
        d[2] = 100
    for i, v in enumerate(d.values()):
        seen.append((i, v))
        d[3] = v + 1
    return seen, d


@program("dict views", lambda: ({3: 1, 1: 2, 2: 3},))
def values_written_while_they_are_read(d):
    return changed(d)


@program("dict views", lambda: ([3, 1, 2, 5],))
def values_of_data_written_while_they_are_read(x):
    d = {}
    for k in x:
        d[k] = k * k
    return changed(d)


@program("dict views relaxation", lambda: (5, np.array([[0, 1], [1, 2], [0, 3], [3, 4], [4, 2]])))
def distances(n, edges):
    far = {i: 0.0 if i == 0 else 99.0 for i in range(n)}
    for node, d in far.items():
        for a, b in edges:
            if a == node:
                far[int(b)] = min(far[int(b)], d + 1)
    return far


def three_keys(*ns):
    return [lambda n=n: ({1: 1, 2: 2, 3: 3}, n) for n in ns]


@program("checks dict", *three_keys(9, 5))
def loses_what_it_lacks(d, n):
    for k in d:
        d.pop(k + 40, None)
        if k == n:
            d[77] = 1
    return d


@program("checks raise dict ordered", *three_keys(1, 3, 9))
def moved_to_the_end(d, n):
    found = collections.OrderedDict(d)
    for k in found:
        if k == n:
            found.move_to_end(k)
    return list(found)


@program("checks dict", lambda: (numbers(), 1), lambda: (numbers(), 9))
def loses_and_gets_one_and_ends(x, n):
    d = {int(v): v for v in x}
    for k in d:
        if k == n:
            del d[k]
            d[k + 10] = 0.5
            break
    return d
