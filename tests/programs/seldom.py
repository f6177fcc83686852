"""Methods and functions of the standard library and of NumPy that no other program calls."""

import array
import bisect
import cmath
import functools
import io
import itertools
import types
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np

from tests.programs import program


@program("deque", lambda: (np.array([1, 2, 3]),))
def deques(x):
    items = deque([int(v) for v in x])
    twice, shown = items * 2, f"{items}"
    items.clear()
    items.append(7)
    return items, twice, shown, repr(deque([1, 2], 3))


@program("Counter", lambda: (np.array([3, 1, 3, 2]),))
def counters(x):
    counts = Counter(int(v) for v in x)
    del counts[2]
    return sorted(counts.elements()), list(counts.keys()), counts.copy(), len(counts)


@program("OrderedDict defaultdict", lambda: (2.0,))
def dicts_of_collections(t):
    held = OrderedDict(a=t, b=t * 2)
    del held["a"]
    other, keys = held.copy(), list(held.keys())
    held.clear()
    held["z"] = t
    lists = defaultdict(list)
    lists["x"].append(t)
    more = lists.copy()
    more["y"].append(1)
    return held, other, keys, lists, list(more.keys())


class Amounts(dict):
    def total(self):
        return sum(self.values())


class Heights(list):
    def top(self):
        return max(self)


@program("derived from dict", lambda: (2.0,))
def derived_from_dict(t):
    held = Amounts(a=t, b=1.0)
    other, last = held.copy(), held.popitem()
    held |= {"q": t}
    joined, shown, total = {"z": 3} | held, f"{held}", held.total()
    held.clear()
    return other, last, joined, shown, total, len(held)


@program("derived from list", lambda: (np.array([3.0, 1.0, 2.0]),))
def derived_from_list(x):
    held = Heights(x.tolist())
    back, order, top = list(reversed(held)), (held <= [5.0], held < Heights([1.0])), held.top()
    held.clear()
    return back, order, top, len(held)


@program("array.array bytes", lambda: (np.array([3, 1, 2]),))
def octets(x):
    held, letters = array.array("i", x.tolist()), array.array("u", "abc")
    some = bytes(x.tolist())
    changed = bytearray(some)
    changed.clear()
    return held.tobytes(), letters.tounicode(), {some: 1}, len(changed)


@program("sets", lambda: (np.array([3, 1, 2, 3]), np.array([1, 5])))
def set_relations(x, y):
    first, second = set(x.tolist()), set(y.tolist())
    third = first.copy()
    third -= second
    tests = first.issuperset(second), first.isdisjoint(second), first < second
    return tests, sorted(first.difference(second, [3])), sorted(third)


@program("sets", lambda: (np.array([3, 1, 2, 3]), np.array([1, 5])))
def set_updates(x, y):
    first, second = set(x.tolist()), set(y.tolist())
    both, either = first.copy(), first.copy()
    both.intersection_update(second)
    either.symmetric_difference_update(second)
    return sorted(both), sorted(either)


@program("keys as sets", lambda: (np.array([3, 1, 2, 3]),))
def views_of_dicts(x):
    known, found = {"a": 1, "b": 2}, {int(v): 1 for v in x}
    keys = known.keys()
    made = keys ^ {"a"}, {"a", "c"} - keys, sorted(found | {9: 1}), sorted({8: 2} | found)
    tests = keys < {"a", "b", "c"}, keys >= {"a"}, keys > {"a"}, keys.isdisjoint({"z"})
    return made, tests, found.popitem()


@program("rindex StringIO", lambda: ("hello world, hello", "hello"), lambda: ("abc", "z"))
def pieces_of_text(s, part):
    file = io.StringIO()
    file.write(f"{len(s)}")
    file.flush()
    file.write(part)
    return file.getvalue(), s.rindex(part)


@program("poly1d", lambda: (np.array([1.0, -3.0, 2.0]),))
def parts_of_polynomials(c):
    p = np.poly1d(c)
    return +p, 5 - p, p.variable, np.sort(p.roots)


@program("nditer", lambda: (np.arange(6.0).reshape(2, 3),))
def places_of_walks(x):
    walk = np.nditer(x, flags=["multi_index"])
    total = 0.0
    while not walk.finished:
        i, j = walk.multi_index
        total += walk[0] * (i + 2 * j)
        walk.iternext()
    flat = np.nditer(x, flags=["c_index"])
    for v in flat:
        total += v * flat.index
    flat.reset()
    return total, len(walk), flat.iterindex


@program("np.broadcast", lambda: (np.array([1.0, 2.0, 3.0]), 2.0))
def side_by_side(x, y):
    """It is an iterator: what was read of it is not read again, unless it is reset."""
    pairs = np.broadcast(x, x[:, None])
    first = next(pairs)
    rest = sum([a * b for a, b in pairs])
    none, place = [a for a, _ in pairs], pairs.index
    pairs.reset()
    return (
        first,
        rest,
        none,
        place,
        pairs.shape,
        list(pairs)[-1],
        [a * b for a, b in np.broadcast(y, 4)],
    )


@program("itertools cmath", lambda: (np.array([1, 2, 3, 4]),))
def functions_of_modules(x):
    items = [int(v) for v in x]
    odd = list(itertools.filterfalse(lambda v: v % 2, items))
    late = list(itertools.compress(items, [v > 2 for v in items]))
    numbers = cmath.rect(x[0], 0.5), cmath.isclose(complex(x[1], 1.0), complex(x[1], 1.0 + 1e-12))
    held = [1, 5, 9]
    bisect.insort_left(held, 5)
    return odd, late, numbers, held, x[np.argpartition(x, 1)[1]], np.isrealobj(x)


@program("union", lambda: (np.array([1, 2]), np.array([2, 3])))
def sets_of_a_list(x, y):
    sets = [set(x.tolist()), set(y.tolist())]
    return sorted(set().union(*sets)), sorted(sets[0].intersection(*sets[1:]))


@program("SimpleNamespace", lambda: (np.array([1.0, 2.0]),))
def namespaces_compared(x):
    a, b = types.SimpleNamespace(v=x[0]), types.SimpleNamespace(v=x[0])
    return a == b, a != b


RECORDS = np.dtype([("a", "i8"), ("b", "f8")])


@program("records", lambda: (np.array([(1, 2.0), (3, 4.0)], RECORDS),))
def records(r):
    return len(r), r.size, r[0].item(), r.tolist(), r == r[::-1], r[1] == r[1]


@program("arrays of objects", lambda: (np.array([1.0, 2.0, 3.0]), 1))
def arrays_of_objects(x, i):
    held = np.array([None] * 3)
    held[0] = x[0]
    other = held.copy()
    held[i] = 2.5
    return [v for v in held], other[0], len(held)


@program("conditional targets", lambda: (np.array([3.0, 1.0, 2.0]), np.array([4.0, 5.0, 6.0])))
def one_of_two_arrays_is_written(x, y):
    (x if x[0] > 2 else y)[1] = 7.0
    (x if x[0] > 5 else y)[2] += 1.5
    return x, y


@program(
    "match",
    lambda: ({"kind": "add", "v": 2.0, "w": 3.0},),
    lambda: ({"kind": "mul", "v": 2.0},),
    lambda: ({},),
)
def patterns_of_dicts(d):
    match d:
        case {"kind": "mul", "v": v}:
            return v * 2, []
        case {"kind": "add", "v": v, **rest}:
            return v + len(rest), sorted(rest)
    return 0.0, []


class Measured:
    def __init__(self, v):
        self.v = v
        self.times = 0

    @functools.cached_property
    def twice(self):
        self.times += 1
        return self.v * 2


@program("cached_property", lambda: (np.array([3.0, 1.0, 2.0, 5.0]),))
def computed_on_one_path(x):
    a, b = Measured(x[0]), Measured(x[1])
    if x[2] > 1:
        _ = a.twice
    chosen = a if x[3] > 2 else b
    return chosen.twice + a.twice + b.twice, a.times, b.times


@program("extend iterators", lambda: (np.array([3.0, 1.0, 2.0]), 1))
def lengthened_by_what_is_left(x, k):
    items, rest = [1.0], iter(x.tolist())
    next(rest)
    items.extend(rest)
    items.extend(v * 2 for v in x.tolist())
    del items[k + 1 :]
    return items


@program("meshgrid", lambda: (np.array([3.0, 1.0]), np.array([4.0, 5.0, 6.0])))
def grids_of_every_kind(x, y):
    a, b = np.meshgrid(x, y)
    a[0, 0] = 100.0
    sparse = np.meshgrid(x, y, indexing="ij", sparse=True)
    return a, b, *sparse, *np.meshgrid(x, y, copy=False), x


@program("parts of complex arrays", lambda: (np.array([3.0, 1.0, 2.0]) + 1j,))
def parts_assigned(z):
    z.real = 3.0
    z[1:].imag = [1.0, 2.0]
    z.imag += 1
    return z


@program("flat", lambda: (np.array([3.0, 1.0, 2.0]), np.array([4.0, 5.0])))
def flat_assigned(x, y):
    """As NumPy's documentation has it of `np.broadcast`."""
    pairs = np.broadcast(x[:, None], y)
    sums, turned = np.empty(pairs.shape), np.zeros((2, 2))
    sums.flat = [a + b for a, b in pairs]
    turned.T.flat = x
    sums[1:].flat = 7
    return sums, turned
