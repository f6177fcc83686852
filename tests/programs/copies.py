"""`copy.copy` and `copy.deepcopy`: of containers, of instances that say what a copy is."""

import collections
import copy
from collections import Counter, OrderedDict, UserDict, defaultdict, deque

import numpy as np

from tests.programs import program


class Attributed(dict):
    def __init__(self, *args, **named):
        super().__init__(*args, **named)
        self.tag = 1


class Named(UserDict):
    pass


class Versioned:
    def __init__(self, items):
        self.items = items
        self.version = 0

    def __copy__(self):
        made = Versioned(list(self.items))
        made.version = self.version + 1
        return made

    def __deepcopy__(self, memo):
        made = Versioned(copy.deepcopy(self.items, memo))
        made.version = self.version + 10
        return made


class Derived(Versioned):
    pass


@program("copies", lambda: (3,))
def containers_of_their_own(n):
    d, q, c, o = defaultdict(int, a=n), deque([1, n], 4), Counter("abca"), OrderedDict(x=n)
    b, own, named = bytearray([1, n]), Attributed(a=n), Named(a=n)
    d2, q2, c2, o2, b2, own2, named2 = map(copy.copy, (d, q, c, o, b, own, named))
    d2["b"] += 2
    q2.append(3)
    c2["z"] += 1
    o2["y"] = 1
    o2.move_to_end("x")
    b2[0] = 7
    own2["b"] = 2
    own2.tag = 5
    named2["b"] = 2
    first = d, q, c, o, b, dict(own), own.tag, dict(named)
    return first, d2, q2, c2, o2, b2, dict(own2), own2.tag, type(own2).__name__, dict(named2)


@program("copies", lambda: (9,), lambda: (0,))
def of_what_data_filled(n):
    d, q, c, s = defaultdict(list), deque(), Counter(), set()
    for i in range(n):
        d[i % 3].append(i)
        q.append(i)
        c[i % 3] += 1
        s.add(i * i % 7)
    e, r, t, u = copy.copy(d), copy.copy(q), copy.copy(c), copy.copy(s)
    e[5].append(1)
    e[0].append(77)
    r.append(9)
    r.popleft()
    t[1] += 5
    u.add(100)
    deep = copy.deepcopy(d)
    deep[0].append(99)
    return d, e, q, r, c, t, sorted(s), sorted(u), deep


@program("copies", lambda: (5,))
def windows_one_after_another(n):
    window, seen = deque(maxlen=3), []
    for i in range(n):
        window.append(i)
        seen.append(copy.copy(window))
    return seen


@program(
    "copies mutation",
    lambda: (deque([1, 2]), defaultdict(int, {"a": 1})),
    lambda: (collections.deque([], 3), defaultdict(int)),
)
def of_arguments(q, d):
    r, e = copy.copy(q), copy.copy(d)
    r.append(3)
    e["k"] += 3
    return r, e, q, d


@program("copies classes", lambda: (3,))
def as_the_class_says(n):
    x = Versioned([n])
    y, z = copy.copy(x), copy.deepcopy({"a": x, "b": [x]})
    y.items.append(1)
    z["a"].items.append(2)
    of_derived = copy.copy(Derived([n]))
    alike = z["a"] is z["b"][0]
    return x.items, y.items, y.version, z["b"][0].items, z["a"].version, alike, of_derived.version


class Shared:
    def __init__(self, first, second):
        self.first, self.second = first, second

    def __deepcopy__(self, memo):
        made = Shared(None, None)
        for name in ("first", "second"):
            setattr(made, name, copy.deepcopy(getattr(self, name), memo))
        return made


@program("copies classes", lambda: (3,), lambda: (0,))
def what_is_in_two_fields_is_copied_once(n):
    out = []
    for i in range(n):
        x = [i, n]
        y = copy.deepcopy(Shared(x, [x, x]))
        y.first.append(5)
        out.append((y.first, y.second, x, y.first is y.second[0]))
    return out


@program("copies classes", lambda: (4,))
def in_lists_that_data_fills(n):
    xs = [Versioned([i]) for i in range(n)]
    ys = [copy.copy(x) for x in xs]
    for y in ys:
        y.items.append(1)
    return [(x.items, x.version) for x in xs], [(y.items, y.version) for y in ys]


class Holder:
    def __init__(self, n):
        self.data = np.arange(float(n))

    def __array__(self, dtype=None, copy=None):
        return self.data


@program("copies arrays", lambda: (3,))
def arrays_that_instances_show(n):
    h = Holder(n)
    np.asarray(h)[0] = 5.0
    np.array(h)[1] = 6.0  # which is no copy where the method makes none
    np.ravel(h)[2] = 7.0
    np.transpose(h)[0] += 1.0
    apart = np.asarray(h, dtype=np.float32)
    apart[:] = 0.0
    return h.data, np.sin(h), h + np.ones(n), np.ones(n) - h, np.ones(n) * 2 @ h


@program("copies", lambda: (2,), lambda: (-1,))
def lengths_of_deques(n):
    try:
        return deque([1, 2, 3], maxlen=n)
    except ValueError as e:
        return str(e)
