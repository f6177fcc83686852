"""What can be read only once (generator expressions, `map`, `zip`, `filter`, `iter`), given to what
makes a container or a number of it."""

from __future__ import annotations

import itertools
from collections import OrderedDict, defaultdict
from enum import Enum
from statistics import mean, variance

import numpy as np

from tests.drawn import R
from tests.programs import program

ONCE = "iterators are read once"


@program(ONCE, lambda: (R(9, 5),), lambda: (R(1),))
def sets(x):
    made = set(int(v) for v in x), set(map(int, x)), set(zip(x, x)), set(enumerate(x))
    return made, set(reversed(x.tolist())), set(iter(x.tolist())), set(v for v in [int(x[0]), 7])


@program(ONCE, lambda: (R(9, 5),))
def set_methods(x):
    s = {1}
    s.update(int(v) for v in x)
    s |= set(v + 1 for v in x.tolist())
    found = {0}.union(v for v in x), {0, 1}.intersection(int(v) for v in x)
    return s, found, {0, 1} - set(v for v in x), {1, 2}.issubset(int(v) for v in x)


@program(ONCE, lambda: (R(9, 5),))
def looked_at(x):
    groups = defaultdict(set)
    for v in x:
        groups[v].update(int(w) for w in x if w > v)
    distinct = len(set(int(v) for v in x)), 2 in set(int(v) for v in x)
    return distinct, sum(set(v for v in x.tolist())), max(set(map(int, x))), sorted(groups[1])


@program(ONCE, lambda: (R(8, 5).reshape(4, 2),))
def rows(x):
    return sorted(set(map(tuple, x.tolist()))), all(len(set(int(v) for v in r)) == 2 for r in x)


@program(ONCE, lambda: (R(9, 5),))
def dicts(x):
    d = dict((int(v), i) for i, v in enumerate(x))
    d.update((int(v) + 5, i) for i, v in enumerate(x))
    return d, OrderedDict((int(v), i) for i, v in enumerate(x)), dict.fromkeys(map(int, x), 0)


@program(ONCE, lambda: (R(3, 5),))
def quantifiers(x):
    out = []
    for i in range(2):
        some = (v < 2 for v in filter(lambda v: v < 9, [1, 5]))
        out.append((all(iter([True, i > 0])), any(iter([False, i > 0])), all(some)))
    few = itertools.dropwhile(lambda v: v < 2, [1, 5])
    return out, any(v > 2 for v in few), all(map(bool, x.tolist()))


@program(ONCE, lambda: (R(6, 5),))
def quantifiers_in_step(x):
    def ups():
        for i in range(4):
            yield all(v < 2 + i for v in filter(lambda v: v < 9, [1, 4]))

    return [up for up, _ in zip(ups(), x)]


@program("frozensets of data", lambda: (R(6, 5),))
def frozensets(x):
    f, g = frozenset(x.tolist()), frozenset([1, 2])
    try:
        f.add(3)
        told = "added"
    except AttributeError:
        told = "no"
    kinds = isinstance(f, frozenset), isinstance(f, set), type(f) is frozenset
    return told, kinds, f, f | g, f & g, g | f, f == set(x.tolist()), f <= f | g, len(f - g)


class Color(Enum):
    RED = 1
    BLUE = 2


class Doubled:
    def __class_getitem__(cls, key):
        return key * 2


@program("classes with an index", lambda: (R(3, 5),))
def classes(x):
    try:
        Color["GREEN"]
    except KeyError as error:
        missing = error.args
    return Color["BLUE"], Color["BLUE"] is Color.BLUE, Color["RED"].value, missing, Doubled[x[0]]


@program("statistics of NumPy's ints", lambda: (R(4, 9, 1),))
def averages(x):
    return mean(x), variance(x), mean(x.tolist()), mean(x / 2), mean(x.astype(np.int32))


@program("checks products of unknown sizes", lambda: (np.arange(16.0).reshape(4, 4), 2))
def products(x, k):
    found = x @ x[:, :k], x[:k] @ x, x[0] @ x[:, :k], x[x[:, 0] > k] @ x, x[:, :k] @ x[:k]
    return found, np.stack([x, x]) @ x[:, :k]


@program("checks raise", lambda: (np.arange(16.0).reshape(4, 4), 2))
def products_that_do_not_fit(x, k):
    return x[:, :k] @ x[: k + 1]


@program("frozensets of data", lambda: (R(6, 5),))
def frozensets_with_sets(x):
    s, f, known = set(x.tolist()), frozenset(x.tolist()), frozenset([1, 2, 7])
    return known | s, s | known, known & s, s & f, f ^ s, s ^ f, known - s, s - f, f - known, f >= s


@program("iterators have no length", lambda: (R(4, 5),))
def lengths_of_iterators(x):
    told = []
    for made in zip(x, x), enumerate(x), map(abs, x), reversed(x.tolist()):
        try:
            told.append(len(made))
        except TypeError:
            told.append(-1)
    return told


@program(ONCE, lambda: (R(4, 5),))
def indices_again(x):
    places = np.ndindex(2, 2)
    first = next(places)
    return first, x[first[1]], list(places), list(places)


class Picky:
    """Its tests say what they are asked, and one of them raises."""

    def __init__(self, x, log):
        self.x, self.log = x, log

    def __eq__(self, other):
        self.log.append((self.x, other.x))
        if self.x == 2:
            raise ValueError("two is not compared")
        return self.x == other.x

    def __bool__(self):
        self.log.append((self.x, 0))
        if self.x == 2:
            raise ValueError("two is not tested")
        return self.x == 1


class Unequal:
    def __eq__(self, other):
        return False


class Places:
    """A sequence by hand, which raises at its third item."""

    def __getitem__(self, i):
        if i == 2:
            raise ValueError("no third item")
        return i


@program("looked for", lambda: ([3, 1, 2],), lambda: ([1, 1, 2],))
def found_before_one_raises(xs):
    log = []
    held = [Picky(x, log) for x in xs]
    one = Picky(1, log)
    found = one in held, held.index(one), held.index(one, 1), any(held), all(held)
    held.remove(one)
    lazy = any(map(lambda x: 6 // (x - 2) < 0, xs)), all(map(lambda x: 6 // (x - 2) > 0, xs))
    return (
        found,
        len(held),
        held == [Picky(0, log)],
        log,
        lazy,
        -6 in map(lambda x: 6 // (x - 2), xs),
    )


@program("looked for", lambda: ([4, 1],))
def found_by_hand(xs):
    return 1 in Places(), any(Places()), all(Places()), [x in Places() for x in xs[1:]]


@program("looked for", lambda: ([3, 1, 2], 1))
def found_as_itself(xs, k):
    one, log = Unequal(), []
    items = [one]
    held = [Picky(x, log) for x in xs]
    at = held.index(held[0]), held.index(held[k]), [one] == items, items != [one]
    at += {1: one} == {1: one}, (one, 2) == (one, 2), items.count(one), one in items, one in (one,)
    items.remove(one)
    return at, len(items), held == held, held[:1] == held[:1], {"a": held[2]} == {"a": held[2]}, log


def _parted(items, log):
    """Two of what there is; what was asked for is in `log`."""
    try:
        a, b = items
    except ValueError as error:
        return str(error), list(log)
    return a, b, list(log)


@program("lazy", *[lambda n=n: (list(range(n)),) for n in (0, 1, 2, 3, 5)])
def no_more_than_names(values):
    log = []

    def seen(x):
        log.append(x)
        return x * 2

    def given():
        for x in values:
            yield seen(x)
        log.append(-1)

    source = iter(values)
    return (
        _parted(map(seen, values), log),
        _parted(given(), log),
        _parted((seen(x) for x in values if x != 1), log),
        _parted(map(seen, source), log),
        list(source),
    )


class Counting:
    """It gives 0, 1 and so on; `kept` gives one that counts itself."""

    def __init__(self, n):
        self.n, self.at = n, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.at += 1
        if self.at > self.n:
            raise StopIteration
        return self.at - 1


class Held:
    def __init__(self, n):
        self.n, self.log = n, []

    def __getitem__(self, k):
        self.log.append(k)
        if k >= self.n:
            raise IndexError
        return 2 * k


@program("lazy", *[lambda n=n: (n,) for n in (1, 2, 4)])
def names_of_what_is_asked(n):
    def endless():
        k = n
        while True:
            yield k
            k += 1

    def of_two_kinds():
        yield n
        yield "second"
        if n > 2:
            yield 3

    counting, held = Counting(n), Held(n)
    first, *others = (x for x in range(n) if x != 1)
    return (
        _parted(counting, []),
        counting.at,
        _parted(held, held.log),
        _parted(endless(), []),
        _parted(of_two_kinds(), []),
        _parted(enumerate(range(n)), []),
        first,
        others,
    )
