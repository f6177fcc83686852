"""Tuples, lists, dicts, NamedTuples, dataclasses: as state, arguments, results and in loops."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import NamedTuple

import numpy as np

from tests.programs import program


class Vec(NamedTuple):
    x: float
    y: float


class Adam(NamedTuple):
    step: int
    mean: np.ndarray
    var: np.ndarray


@dataclass
class Account:
    balance: float
    history: int = 0

    def deposit(self, amount):
        self.balance += amount
        self.history += 1
        return self

    @property
    def taxed(self):
        return self.balance * 0.8


@dataclass(frozen=True)
class Complex:
    re: float
    im: float

    def __add__(self, other):
        return Complex(self.re + other.re, self.im + other.im)

    def __mul__(self, other):
        return Complex(
            self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
        )

    def norm2(self):
        return self.re * self.re + self.im * self.im


@dataclass
class Layer:
    w: np.ndarray
    b: np.ndarray

    def __call__(self, x):
        return x @ self.w + self.b


@dataclass
class Activated(Layer):
    slope: float = 0.1

    def __call__(self, x):
        y = super().__call__(x)
        return np.where(y > 0, y, self.slope * y)


class Shape:
    """A plain class, without dataclass."""

    def __init__(self, sides, length):
        self.sides = sides
        self.length = length

    def perimeter(self):
        return self.sides * self.length

    @staticmethod
    def unit():
        return Shape(4, 1.0)

    @classmethod
    def triangle(cls, length):
        return cls(3, length)


@program("namedtuple", lambda: (Vec(3.0, 4.0), 2.0))
def scale_vec(v, s):
    return Vec(v.x * s, v.y * s)


@program("namedtuple loop", lambda: (Vec(1.0, 0.0), 10))
def rotate_many(v, n):
    for _ in range(n):
        v = Vec(0.8 * v.x - 0.6 * v.y, 0.6 * v.x + 0.8 * v.y)
    return v._replace(y=0.5), v[0], len(v)


@program("namedtuple arrays loop", lambda: (np.array([1.0, -2.0]), 20), lambda: (np.ones(2), 0))
def adam_quadratic(w, steps):
    state = Adam(0, np.zeros_like(w), np.zeros_like(w))
    for _ in range(steps):
        g = 2 * w
        m = 0.9 * state.mean + 0.1 * g
        v = 0.999 * state.var + 0.001 * g * g
        state = Adam(state.step + 1, m, v)
        w = w - 0.1 * (m / (1 - 0.9**state.step)) / (np.sqrt(v / (1 - 0.999**state.step)) + 1e-8)
    return w, state


@program("dataclass mutation", lambda: (Account(10.0), 3))
def deposits(account, n):
    for i in range(n):
        account.deposit(1.5 * i)
    return account.taxed


@program("dataclass local", lambda: (5.0,))
def local_account(x):
    a = Account(x)
    b = a
    b.deposit(2.0).deposit(3.0)
    return a.balance, a.history, a is b


@program("dataclass result", lambda: (5.0,))
def make_account(x):
    return Account(x, 7)


@program("dataclass fields", lambda: (Account(2.0), Vec(1.0, 2.0)))
def scaled_fields(account, v):
    scaled = Account(*[getattr(account, f.name) * 3 for f in fields(account)])
    names = [f.name for f in fields(Account)]
    return scaled, len(names), is_dataclass(account), is_dataclass(Account), is_dataclass(v)


@program("dataclass replace", lambda: (Complex(1.0, 2.0),))
def replaced(z):
    return replace(z, im=z.im + 1)


@program("operators", lambda: (Complex(0.3, 0.5), 30), lambda: (Complex(1.0, 1.0), 30))
def mandelbrot_operators(c, limit):
    z = Complex(0.0, 0.0)
    for n in range(limit):
        if z.norm2() > 4.0:
            return n
        z = z * z + c
    return limit


@program(
    "inheritance tuple-of-layers",
    lambda: (
        (
            Layer(np.linspace(-1, 1, 6).reshape(2, 3), np.zeros(3)),
            Activated(np.linspace(0, 1, 12).reshape(3, 4), np.ones(4)),
        ),
        np.array([0.5, -0.25]),
    ),
)
def sequential(layers, x):
    for layer in layers:
        x = layer(x)
    return x


@program("plain class", lambda: (2.5,))
def plain_objects(length):
    shapes = [Shape.unit(), Shape.triangle(length), Shape(6, 0.5)]
    total = 0.0
    for s in shapes:
        total += s.perimeter()
    return total


@program("list append static", lambda: (1.0,))
def powers(x):
    out = []
    for k in range(5):
        out.append(x**k + k)
    return out


@program("list mutation argument", lambda: ([1.0, 2.0, 3.0],))
def rotate_list(items):
    first = items.pop(0)
    items.append(first * 10)
    items[0] = items[0] + 0.5
    return sum(items)


@program("list methods", lambda: (2.0,))
def list_methods(x):
    items = [3.0, x, 1.0]
    items.insert(1, 10.0)
    items.extend([4.0, 5.0])
    items.reverse()
    last = items.pop()
    return items, last, len(items), items[-1], items[1:3]


@program("dict", lambda: ({"w": np.ones(3), "b": 2.0}, np.arange(3.0)))
def dict_params(params, x):
    return params["w"] @ x + params["b"]


@program("dict mutation argument", lambda: ({"count": 1, "total": 0.5}, 4))
def dict_counts(stats, n):
    for i in range(n):
        stats["count"] += 1
        stats["total"] += i * 0.25
    stats["mean"] = stats["total"] / stats["count"]
    return stats["mean"]


@program("dict comprehension items", lambda: ({"a": np.ones(2), "b": np.arange(2.0)},))
def sgd_dict(params):
    grads = {k: 2 * v for k, v in params.items()}
    return {k: params[k] - 0.1 * grads[k] for k in params}


@program("dict loop state", lambda: (np.array([1.0, 2.0]), 5))
def dict_state(x, n):
    state = {"x": x, "v": np.zeros_like(x)}
    for _ in range(n):
        state["v"] = state["v"] - 0.1 * state["x"]
        state["x"] = state["x"] + 0.1 * state["v"]
    return state


@program("tuple nested loop state", lambda: (3,))
def nested_tuple_state(n):
    state = ((1, 2.0), [3.0])
    for _ in range(n):
        (a, b), (c,) = state
        state = ((a + 1, b * c), [c + a])
    return state


@program("list of arrays loop", lambda: (4,))
def arrays_in_list(n):
    rows = [np.zeros(3), np.ones(3)]
    for i in range(n):
        rows[0] = rows[0] + rows[1]
        rows[1][i % 3] += 1.0
    return rows


@program("star unpack", lambda: ((1.0, 2.0, 3.0, 4.0),))
def star_unpack(items):
    first, *middle, last = items
    return first, middle, last


@program("star call", lambda: ((1.0, 2.0, 3.0),))
def star_call(items):
    def combine(a, b, *rest, scale=1.0, **options):
        return (a + b + sum(rest)) * scale + options.get("shift", 0.0)

    return combine(*items), combine(*items, scale=2.0), combine(1.0, 2.0, **{"shift": 5.0})


@program("comprehension", lambda: (np.arange(5.0),))
def comprehension(x):
    return [v * v for v in x if True], [i + j for i in range(2) for j in range(3)]


@program("nested comprehension", lambda: (3,))
def hilbert(n):
    return np.array([[1 / (i + j + 1) for j in range(n)] for i in range(n)])


@program("sorted key", lambda: ((3, 1, 2),))
def sort_static(items):
    names = sorted({"b": 2, "a": 1})
    return names, sorted(range(3), key=lambda i: -i)


@program("in operator", lambda: (3.0,))
def membership(x):
    table = {"a": x, "b": 2 * x}
    result = 0.0
    if "a" in table:
        result += table["a"]
    if "c" not in table:
        result += 1.0
    return result, 3 in (1, 2, 3), table.get("z", x)


@program("dataclass with array field", lambda: (Layer(np.ones((2, 2)), np.zeros(2)),))
def mutate_field(layer):
    layer.b += 1.0
    layer.w[0, 1] = 5.0
    layer.b = layer.b * 2
    return layer.w.sum()


@dataclass
class Particle:
    pos: np.ndarray
    vel: np.ndarray
    mass: float = 1.0

    def kick(self, force, dt):
        self.vel += force / self.mass * dt

    def drift(self, dt):
        self.pos += self.vel * dt

    @property
    def energy(self):
        return 0.5 * self.mass * np.sum(self.vel**2) + 0.5 * np.sum(self.pos**2)


@program(
    "dataclass loop mutation", lambda: (Particle(np.array([1.0, 0.0]), np.array([0.0, 1.0])), 25)
)
def leapfrog_particle(p, steps):
    e0 = p.energy
    for _ in range(steps):
        p.kick(-p.pos, 0.05)
        p.drift(0.1)
        p.kick(-p.pos, 0.05)
    return p.energy - e0


@dataclass
class Rng:
    state: int = 12345

    def next(self):
        self.state = (1103515245 * self.state + 12345) % 2147483648
        return self.state / 2147483648


@program("object state monte-carlo", lambda: (100,), lambda: (0,))
def pi_by_lcg(n):
    rng = Rng()
    inside = 0
    for _ in range(n):
        x = rng.next()
        y = rng.next()
        if x * x + y * y < 1.0:
            inside += 1
    return 4.0 * inside / max(n, 1)


@dataclass
class Node:
    value: float
    left: Node | None = None
    right: Node | None = None


@program("tree recursion", lambda: (Node(1.0, Node(2.0), Node(3.0, None, Node(4.0))),))
def tree_sum(node):
    if node is None:
        return 0.0
    return node.value + tree_sum(node.left) + tree_sum(node.right)


@dataclass
class Stack:
    data: np.ndarray
    top: int = 0

    def push(self, v):
        self.data[self.top] = v
        self.top += 1

    def pop(self):
        self.top -= 1
        return self.data[self.top]


@program("stack object", lambda: (np.array([3.0, 4.0, -1.0, 5.0, -2.0]),))
def reverse_polish(tokens):
    stack = Stack(np.zeros(8))
    for t in tokens:
        if t == -1:
            b = stack.pop()
            a = stack.pop()
            stack.push(a + b)
        elif t == -2:
            b = stack.pop()
            a = stack.pop()
            stack.push(a * b)
        else:
            stack.push(t)
    return stack.pop(), stack.top


@dataclass
class Config:
    rate: float = 0.1
    steps: int = 5
    tags: list = field(default_factory=list)


@program("dataclass default factory", lambda: (np.array([1.0, 2.0]),))
def with_config(x):
    cfg = Config(steps=3)
    cfg.tags.append("a")
    for _ in range(cfg.steps):
        x = x - cfg.rate * x
    return x, len(cfg.tags)


@program("same object twice", lambda: (np.zeros(3),))
def aliases_in_list(x):
    pair = [x, x]
    pair[0][1] = 7.0
    pair[1] += 1.0
    return pair[0] is pair[1], x.sum()


@program("tuple methods", lambda: (4.0,))
def tuple_methods(x):
    t = (1, 2, 3, 2) + (5,)
    return t.count(2), t.index(3), t * 2, x * len(t), t[::-1]


@program("zip star transpose", lambda: ([(1.0, 2.0), (3.0, 4.0)],))
def transpose_pairs(pairs):
    xs, ys = zip(*pairs)
    return list(xs), list(ys)


@program("enumerate start dict", lambda: (np.array([5.0, 6.0, 7.0]),))
def indexed(x):
    out = {}
    for i, name in enumerate(("a", "b", "c"), start=1):
        out[name] = x[i - 1] * i
    return out


@program("getattr isinstance", lambda: (Vec(1.0, 2.0), 3.0))
def reflective(v, x):
    total = 0.0
    for name in ("x", "y"):
        total += getattr(v, name)
    if isinstance(v, tuple) and not isinstance(x, (int, str)):
        total *= x
    return total, hasattr(v, "z"), getattr(v, "z", -1)


class Counter:
    count = 0

    def __init__(self, step=1):
        self.step = step

    def __call__(self, k):
        self.count += k * self.step
        return self.count

    def __getitem__(self, i):
        return self.step * i

    def __len__(self):
        return 10

    def __neg__(self):
        return Counter(-self.step)

    def __eq__(self, other):
        return self.step == other.step

    def __lt__(self, other):
        return self.step < other.step


@program("dunder methods", lambda: (4,))
def dunders(n):
    c = Counter(2)
    for i in range(n):
        c(i)
    d = -c
    return c.count, c[5], len(c), d.step, c == Counter(2), d < c


@program("iterators are read once", lambda: (3.0, np.arange(1.0, 6.0)))
def iterators(a, x):
    steps = iter(x)
    total = next(steps) - next(steps)
    for v in steps:
        total = total * v
    pair = iter([a, 2.0])
    first = next(pair)
    for y in pair:
        first = first - 2 * y
    return total, first, next(v for v in (a, 1.0) if True), next(iter(()), a)


@program("iterators comprehensions", lambda: (3,))
def weighted_sums(n):
    out = []
    for p in itertools.permutations(range(n)):
        out.append(sum(i * v for i, v in enumerate(p)))
    return out, any(a > b for a, b in zip(out, out[1:], strict=False))


@program("generator expressions are read once", lambda: (np.arange(4.0), 2.0))
def generators(x, a):
    doubled = (2 * v for v in x)
    first = next(doubled) + next(doubled)
    rest = sum(doubled)
    pairs = (i * a for i in (1, 2, 3))
    largest = max(pairs)
    total = 0.0
    for v in (v + 1 for v in x):
        total += v
    return first, rest, largest, total, sorted(v for v in (3, 1)), tuple(v for v in (1, a))


@program("prints", lambda: (4,), lambda: (0,))
def views_shown(n):
    d = {"a": n, "b": [n]}
    print(d.keys(), d.values(), [d.items()])
    e = {}
    for i in range(n):
        e[i * i % 7] = i
    print(e.keys(), f"{e.values()}", {}.items())
    try:
        print(f"{d.keys():>3}")
    except TypeError as error:
        print(error)
    return str(d.items()), repr(e.keys()), format(d.values())


@program("", lambda: ([3, 5, 1, 0, 2, 8],), lambda: ([0, 1],), lambda: ([9, 9],))
def parts_that_data_ends(numbers):
    whole = tuple(numbers)
    k = min(numbers[0] + numbers[1], 6)
    head, tail = whole[:k], whole[k:]
    pairs = tuple([(n, n / 2) for n in numbers])[:k]
    letters = ("a", "b", "c")[numbers[0] % 3 :]
    joined = head + (100,) + tail, head + tail == whole, letters, (1.5, 2)[: numbers[1]]
    return joined, len(tail), sum(head), pairs, whole[::-1][k:]
