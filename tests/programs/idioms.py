"""Idioms: the small things that programs of many hands are made of."""

import collections
import functools
import itertools
import operator
from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from tests.programs import program


@program("idiom", lambda: (3,), lambda: (0,), lambda: (-2,), lambda: (7,))
def match_lit(n):
    match n:
        case 0:
            return 10
        case 1 | 2 | 3:
            return 20
        case x if x < 0:
            return -x
        case _:
            return 99


@program("idiom", lambda: ((1, 2),), lambda: ((0, 5),), lambda: ((3, 0),))
def match_seq(t):
    match t:
        case (0, y):
            return y
        case (x, 0):
            return -x
        case (x, y):
            return x * y


@dataclass
class Pt:
    x: float
    y: float = 0.0


@dataclass
class Circle:
    c: Pt
    r: float


@program(
    "idiom", lambda: (Pt(0.0, 2.0),), lambda: (Pt(1.0, 1.0),), lambda: (Circle(Pt(1.0, 2.0), 3.0),)
)
def match_cls(s):
    match s:
        case Pt(x=0.0, y=y):
            return y
        case Pt(x, y):
            return x + y
        case Circle(c=Pt(x, _), r=r):
            return x * r


@program("idiom", lambda: ([1, 2, 3, 4],))
def match_star(l):
    match l:
        case [first, *rest]:
            return first, rest
        case []:
            return 0, []


@program("idiom", lambda: ({"kind": "a", "v": 3},), lambda: ({"kind": "b", "v": 3},))
def match_map(d):
    match d:
        case {"kind": "a", "v": v}:
            return v
        case {"v": v, **rest}:
            return -v - len(rest)


@program("idiom", lambda: ("go north",), lambda: ("stop",), lambda: ("jump x y",))
def match_str(cmd):
    match cmd.split():
        case ["go", where]:
            return len(where)
        case ["stop"]:
            return 0
        case [verb, *args]:
            return len(args) * 10 + len(verb)


@program("idiom", lambda: (np.array([3.0, 1.0, 2.0]),))
def walrus(a):
    t = 0.0
    i = 0
    while (v := a[i]) > 0.5 and i < 2:
        t += v
        i += 1
    if (n := len(a)) > 2:
        t += n
    return t, [y := 1, y + 1], [z for q in a if (z := q * 2) > 3]


@program("idiom", lambda: ([1, 2, 3, 4, 5],))
def stars(l):
    a, *b, c = l
    *d, e = l
    f = [*l, *b]
    g = (*d, 9)

    def h(*args, k=1, **kw):
        return sum(args) * k + kw.get("z", 0)

    return a, b, c, d, e, f, g, h(*l, k=2, **{"z": 5})


CONST = {"a": 1, "b": (2, 3)}


TABLE = [10, 20, 30]


@program("idiom", lambda: (1,))
def globs(i):
    return CONST["b"][1] + TABLE[i] + len(CONST)


@program("idiom", lambda: (4,))
def nonl(n):
    c = 0

    def inc(k=1):
        nonlocal c
        c += k
        return c

    for i in range(n):
        inc(i)
    inc()
    return c


@program("idiom prints", lambda: (3, 2.5))
def prints(n, x):
    print(f"{n:>5}|{x:8.3f}|{n!r}|{x:.2e}|{n:05d}|{n:,}", end="!\n")
    print("%d %5.1f %s" % (n, x, "s"), n, x, sep="-")  # noqa: UP031
    print("{} {:.1f} {k}".format(n, x, k="k"))
    return 0


@program("idiom", lambda: (3, 2.5))
def fields_that_are_not_there(n, x):
    found = []
    for template in ("{} {} {}", "{0} {2}", "{} {1}", "{0} {}", "{k}"):
        try:
            found.append(template.format(n, x))
        except (IndexError, ValueError, KeyError) as error:
            found.append(str(error))
    return found


@program("idiom", lambda: (3,))
def name_that_a_module_has_not(n):
    try:
        from numpy import lingspace  # noqa: F401, PLC0415
    except ImportError as error:
        return str(error)
    return n


@program("idiom", lambda: (5,), lambda: (0,))
def asserts(n):
    assert n > 0, f"n must be positive, got {n}"
    assert isinstance(n, int)
    return n


@program("idiom", lambda: ("Hello World",))
def strs(s):
    return (
        s.lower(),
        s.split()[0],
        s.replace("o", "0"),
        s[::-1],
        s.count("l"),
        s.find("W"),
        len(s.strip()),
        "x".join(["a", "b"]),
        s.startswith("He"),
        s.title(),
        s.center(20, "*"),
    )


@program(
    "idiom",
    lambda: (3,),
    lambda: (2.5,),
    lambda: (np.arange(3.0),),
    lambda: (None,),
    lambda: ("s",),
)
def isin(x):
    if x is None:
        return 0
    if isinstance(x, str):
        return 1
    if isinstance(x, (int, float)):
        return 2
    if isinstance(x, np.ndarray):
        return 3


@program("idiom", lambda: (1,))
def defmut(x, acc=[]):  # noqa: B006
    acc = acc + [x]
    return acc


@program("idiom prints", lambda: (7,), lambda: (8,))
def texts(n):
    label = "even" if n % 2 == 0 else "odd"
    print(label)
    return label


@program("idiom", lambda: (7,), lambda: (8,))
def status(n):
    k = 0
    status = "running"
    while True:
        k += n
        if k > 30:
            status = "done"
            break
        if k == 16:
            status = "mid"
            break
    return k, status


@program("idiom", lambda: (1.0,), lambda: (-1.0,))
def modeflag(x):
    mode = "fast"
    if x < 0:
        mode = "slow"
    y = x * 2
    if mode == "fast":
        y += 1
    elif mode == "slow":
        y -= 1
    return y


class Color(Enum):
    RED = 1
    BLUE = 2


@program("idiom", lambda: (1.0,), lambda: (-1.0,))
def enums(x):
    c = Color.RED if x > 0 else Color.BLUE
    return 1 if c is Color.RED else 2


@program("idiom", lambda: (Color.RED,), lambda: (Color.BLUE,))
def enum_arg(c):
    match c:
        case Color.RED:
            return 1
        case Color.BLUE:
            return c.value * 10


@program("idiom", lambda: (np.array([5, 3, 8, 1]), 4))
def condappend(a, m):
    lo, hi = [], []
    for v in a:
        (lo if v < m else hi).append(v)
    return lo, hi


@program("idiom", lambda: (5,))
def partials(n):
    add = functools.partial(operator.add, 3)
    return (
        add(n),
        operator.itemgetter(1)((4, 5)),
        operator.attrgetter("x")(Pt(2.0)),
        operator.mul(2, n),
        operator.neg(n),
    )


@functools.cache
def fibm(n):
    return n if n < 2 else fibm(n - 1) + fibm(n - 2)


@program("idiom", lambda: (20,))
def cached(n):
    return fibm(20)


def deco(f):
    @functools.wraps(f)
    def inner(*args, **kw):
        return f(*args, **kw) + 1

    return inner


@deco
def decorated(x):
    return x * 2


@program("idiom", lambda: (4,))
def wraps_(n):
    return decorated(n)


@program("idiom", lambda: (4,))
def counter(n):
    c = Counter()
    for i in range(n):
        c[i % 2] += i
    return c[0], c[1], sorted(c.items())


@program("idiom", lambda: (4,))
def dd(n):
    d = defaultdict(list)
    for i in range(4):
        d[i % 2].append(i * n)
    return {k: sum(v) for k, v in d.items()}


@program("idiom", lambda: (6,))
def dq(n):
    q = deque([1, 2, 3], maxlen=4)
    for i in range(n):
        q.append(i)
    q.appendleft(7)
    q.rotate(1)
    return list(q), q.popleft()


@program("idiom", lambda: ([3, 1, 2],))
def sorts(l):
    m = sorted(l, key=lambda v: -v)
    l.sort(reverse=True)
    return m, l, sorted([("b", 2), ("a", 1)]), max(l, key=lambda v: abs(v - 2)), list(reversed(l))


@program("idiom", lambda: (3,))
def dicts(n):
    d = {"a": n, **{"b": 2}}
    d.update(c=5)
    d.setdefault("e", 7)
    x = d.pop("a")
    del d["b"]
    return x, d, list(d.keys()), "c" in d, d.get("zz"), {v: k for k, v in d.items()}


@program("idiom", lambda: (3,))
def sets(n):
    s = {1, 2, 3} | {4}
    return len(s), 2 in s, sorted(s - {1}), s & {1, 9}


@program("idiom", lambda: (-7, 3), lambda: (7, -3))
def intops(a, b):
    return (
        a // b,
        a % b,
        divmod(a, b),
        a**2,
        a << 1,
        a >> 1,
        a & b,
        a | b,
        a ^ b,
        ~a,
        abs(a),
        bin(5),
        int("12"),
        float("1.5"),
        round(2.567, 2),
        pow(2, 5, 7),
    )


@program("idiom", lambda: (5,))
def bits(n):
    return n.bit_length(), (255).bit_count(), int.from_bytes(b"\x01\x02", "big")


class Vec(NamedTuple):
    x: float
    y: float

    def dot(self, o):
        return self.x * o.x + self.y * o.y


class Acc:
    count = 0

    def __init__(self):
        self.total = 0.0
        self._log = {}

    def __iadd__(self, x):
        self.total += x
        return self

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return i * 2

    def __contains__(self, x):
        return x == 4

    def __call__(self, x):
        return x + self.total

    def __enter__(self):
        return self

    def __exit__(self, *a):
        return None

    def __eq__(self, o):
        return self.total == o.total

    def __lt__(self, o):
        return self.total < o.total

    @property
    def mean(self):
        return self.total / 2

    @staticmethod
    def st(x):
        return x + 1

    @classmethod
    def make(cls, t):
        a = cls()
        a.total = t
        return a


@program("idiom", lambda: (2.0,))
def ops(x):
    a = Acc()
    a += x
    b = Acc.make(5.0)
    with a as c:
        c += 1
    return a.total, len(a), a[3], 4 in a, a(1), a == b, a < b, a.mean, a.st(1), Acc.count


@program("idiom", lambda: (3,))
def varargs(n):
    def f(a, /, b, *args, c=3, **kw):
        return a + b + sum(args) + c + sum(kw.values())

    return f(1, 2), f(1, b=2), f(1, 2, 3, 4, c=5, d=6), f(*[1, 2], **{"c": 1})


@program("idiom", lambda: (np.array([[1, 2], [3, 4]]),))
def nplists(a):
    return (
        a.tolist(),
        [list(r) for r in a],
        [int(v) for v in a.ravel()],
        dict(enumerate(a[0])),
        list(zip(*a.tolist())),
    )


@program("idiom", lambda: (2,))
def delv(n):
    x = [1, 2, 3]
    del x[0]
    y = x.copy()
    y.insert(0, 9)
    y.extend([4])
    y.remove(2)
    z = y.index(3)
    return x, y, z, y.pop(), [0] * n, x + y


@program("idiom", lambda: (5,))
def multi(n):
    a = b = n
    a += 1
    x, (y, z) = 1, (2, 3)
    x, y = y, x
    i = j = 0
    for i, j in [(1, 2), (3, 4)]:
        pass
    return a, b, x, y, z, i, j


@program("idiom", lambda: (5,))
def tryint(n):
    s = 0
    for t in ["1", "x", "3"]:
        try:
            s += int(t)
        except ValueError:
            s -= 1
    return s


@program("idiom", lambda: (4,))
def recursion(n):
    def hanoi(k, a, b, c):
        return 0 if k == 0 else hanoi(k - 1, a, c, b) + 1 + hanoi(k - 1, c, b, a)

    return hanoi(4, "a", "b", "c")


@program("idiom", lambda: ([[1, 2], [3, 4]],))
def nestedlists(m):
    t = [[r[i] for r in m] for i in range(2)]
    flat = [v for r in m for v in r]
    m[0][1] = 99
    return t, flat, m, any(v > 3 for v in flat), sum(map(sum, m))


@program("idiom", lambda: (np.array([5, 3, 8, 1]), 4))
def condstore(a, m):
    lo, hi = np.zeros(9), np.ones(9)
    for v in a:
        (lo if v < m else hi)[v] = v
        (lo if v < m else hi)[0] += 1
        if v > 4:
            (lo if v > 7 else hi).sort()
    return lo, hi


@program(
    "idiom", lambda: ({"a": {"b": 3}, "c": [1, 2]},), lambda: ({"a": {"z": 3}},), lambda: ({},)
)
def deepmap(d):
    match d:
        case {"a": {"b": int(x)}, "c": [p, *_]}:
            return x + p
        case {"a": {}}:
            return 5
        case {**rest}:
            return len(rest)


@program("idiom", lambda: (3,))
def itts(n):
    return (
        list(itertools.product([1, 2], [3, 4])),
        list(itertools.combinations(range(4), 2)),
        list(itertools.permutations([1, 2, 3], 2)),
        list(itertools.zip_longest([1, 2], [3], fillvalue=0)),
        [a + b if b else a for a, b in itertools.zip_longest("abc", "d")],
        list(itertools.accumulate([1, 2, 3])),
        [(k, list(g)) for k, g in itertools.groupby([1, 1, 2, 3, 3])],
    )


@program("text", lambda: ("ACGGT",), lambda: ("",))
def reverse_complement(dna):
    table = str.maketrans("ACGT", "TGCA")
    content = (dna.count("G") + dna.count("C")) / len(dna) if dna else 0.0
    return dna.translate(table)[::-1], dna.translate({65: "x"}), content


@program("match", lambda: ([1, 2, 3],), lambda: ([-1],), lambda: ([4, 5],), lambda: ([2.5],))
def match_grown_lists(xs):
    match [x for x in xs if x > 0]:
        case []:
            return "none"
        case [x]:
            return x
        case [x, y]:
            return x + y
        case [x, *rest]:
            return x, rest


@program("match", lambda: (["a", "b", "a"],), lambda: (["b"],), lambda: ([],))
def match_grown_dicts(words):
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    match counts:
        case {"a": n}:
            return n
        case {"b": n}:
            return -n
        case {}:
            return "none"


@program("match", lambda: (np.array([1, 2, 2, 1, 3]),), lambda: (np.array([4]),))
def match_in_a_loop(xs):
    stack = []
    for x in xs:
        stack.append(int(x))
        match stack:
            case [*_, a, b] if a == b:
                stack.pop()
                stack.pop()
    return stack


@program("match deque range", lambda: ([1, 2, 3], 4), lambda: ([5], 1))
def match_other_sequences(xs, n):
    out = []
    for s in (collections.deque(xs), range(n)):
        match s:
            case [a]:
                out.append(a)
            case [a, *rest]:
                out.append((a, len(rest)))
    return len(out)


@program("range", lambda: (8,), lambda: (5,), lambda: (0,))
def parts_of_ranges(n):
    r = range(1, n)
    back = r[::-1]
    return list(r[2:]), list(r[-3:-1]), sum(r[::2]), list(back), back.start, len(back[1:100:3])


@program("range raise", lambda: (8, -1), lambda: (3, 5), lambda: (3, -4), lambda: (0, 0))
def item_of_a_range(n, i):
    return range(2, 3 * n, 2)[i], range(n)[i]


@program("equality", lambda: (np.array([1.0, -2.0, 3.0]),), lambda: (np.empty(0),))
def arrays_and_what_is_no_number(x):
    positive = x[x > 0]
    at = np.float64(x.sum())
    none = x == None, (positive == "a").any(), None != x, x == {}, positive != ...  # noqa: E711
    return none, at == "a", "a" != at, at == None, at in ("a", 7.0), np.array(2.0) == str(len(x))  # noqa: E711


@program("equality", lambda: (np.ones(1),), lambda: (None,))
def compared_with_none(x):
    if x == None:  # noqa: E711
        return "none"
    return "an array"


@program("results that are kept no longer", lambda: (6,), lambda: (1,))
def forgotten(n):
    seen = []

    @functools.lru_cache(64)
    def ways(k):
        seen.append(k)
        return 1 if k < 2 else ways(k - 1) + ways(k - 2)

    first = ways(n)
    before = len(seen)
    again = ways(n)
    ways.cache_clear()
    return first, again, before, len(seen), ways(n), seen, ways.__wrapped__(1), ways.__name__
