"""Names that are one of several values of no one type: each path has its own."""

import math

import numpy as np

from tests.programs import program

_X = np.array([3.0, 1.0, 2.0, 0.5])
ABOVE = lambda: (_X.copy(),)
BELOW = lambda: (-_X,)
SINGLE = lambda: (_X.astype(np.float32),)
SHORT = lambda: (_X.astype(np.int8),)
MANY = lambda: (np.random.default_rng(1).normal(size=40),)
NONE = lambda: (np.zeros(0),)
ROWS = lambda: (np.random.default_rng(0).normal(size=(4, 3)),)
TALL = lambda: (np.random.default_rng(0).normal(size=(30, 5)),)
ZEROS = lambda: (np.zeros((2, 3)),)


class Shape:
    def area(self):
        raise NotImplementedError


class Square(Shape):
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side * self.side


class Circle(Shape):
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return math.pi * self.radius**2


def _shapes(x):
    return [Circle(v) if i % 2 else Square(v) for i, v in enumerate(x)]


@program("arrays are summed that may be none", ROWS, TALL)
def orthonormal(vectors):
    basis = []
    for v in vectors:
        w = v - sum(np.dot(v, b) * b for b in basis)
        if np.linalg.norm(w) > 1e-10:
            basis.append(w / np.linalg.norm(w))
    return np.array(basis)


@program("as above, of a list", ROWS, TALL, ZEROS)
def total_of_some(x):
    kept = [v for v in x if v[0] > 0]
    mean = sum(kept) / len(kept) if kept else np.zeros(3)
    return sum(kept), sum(kept, 0.0), sum(v for v in x if v[0] > 0), mean


@program("a number that arrays are added to", ABOVE, BELOW, MANY, NONE, SINGLE)
def accumulated(x):
    total, step = 0, np.array([1.0, 2.0])
    for v in x:
        if v > 0.7:
            total += step * v
    return total * 2, np.sum(total), np.shape(total), isinstance(total, int), step


@program("as above, kept in fields, dicts, lists and closures", ABOVE, BELOW, MANY)
def accumulated_elsewhere(x):
    sums, history, total = {"x": 0}, [], 0

    def add(v):
        nonlocal total
        total = total + v

    for v in x[:4]:
        history.append(total)
        if v > 0.6:
            sums["x"] = sums["x"] + np.array([v, 1])
            add(np.array([v, 2]))
    return sums, history, total


@program("written, under several names", ABOVE, BELOW, SINGLE, SHORT)
def written(x):
    a, b = np.zeros(4), np.zeros((2, 3))
    y = a if x[0] > 0 else b
    y[0], a[1] = 5, 7
    y += 1
    z = x if x[0] > 0 else 0.0
    again = z
    z += 1
    return a, b, y, y is a, z, again


@program("bound to an array that is written", ABOVE, BELOW, MANY)
def bound_in_loop(x):
    a, t = np.zeros(2), 0
    for v in x:
        if v > 1.5:
            t = a
        t += 1
    return t, a, t is a


@program("functions, texts, tuples", ABOVE, BELOW, SINGLE)
def others(x):
    f = np.sin if x[0] > 0 else np.cos
    g = (lambda v: v + 1) if x[0] > 0 else (lambda v: v * 2)
    word = "below" if x[0] < 0 else 3
    pair = (x[0], 1) if x[0] < 0 else 3
    first = pair[0] if isinstance(pair, tuple) else pair + 1
    return f(x), g(x), -1 if word == "below" else word, first


@program("functions that texts and numbers choose", ABOVE, BELOW, SINGLE)
def dispatched(x):
    by_name = {"sum": np.sum, "first": lambda v: v[0], "max": np.max}
    name = "sum" if x[0] > 0 else "first"
    return by_name[name](x), [np.cos, np.sin, abs][int(x[1]) % 3](x)


@program("results", ABOVE, BELOW, SINGLE)
def returned(x):
    if x[0] < 0:
        return "below"
    if x[1] > 2:
        return [x * 2, 3], {"a": 1}
    return x.reshape(-1, 1), np.ones(3) if x[0] > 2 else x.astype(np.int32)


@program("arrays of two shapes", ABOVE, BELOW, SINGLE)
def shapes_by_data(x):
    y = x if x[0] > 0 else x[:2]
    return y * 2, (x, x[:1])[int(x[1])], y.shape, len(y), y.mean()


@program("what one of them does not have", ABOVE, BELOW)
def missing(x):
    y = 0
    if x[0] > 0:
        y = x
    return y.sum()


@program("as above, caught", ABOVE, BELOW)
def missing_caught(x):
    y = x if x[0] > 0 else 0
    try:
        return y.sum(), len(y)
    except (AttributeError, TypeError):
        return -1.0, 0


@program("instances of several classes", ABOVE, BELOW)
def instances(x):
    shape = Square(x[0]) if x[0] > 0 else Circle(x[1])
    same = shape
    same.name = 3
    if isinstance(shape, Square):
        shape.side += 1
    else:
        shape.radius *= 2
    for v in x:
        if v > 1:
            shape = Circle(v)
    return shape.area(), same.area(), same.name, type(same).__name__


@program("in a list", ABOVE, BELOW)
def in_order(x):
    shapes = _shapes(x)
    for shape in sorted(shapes, key=lambda s: -s.area()):
        if isinstance(shape, Square):
            shape.side += 1
        else:
            shape.radius *= 2
    shapes.sort(key=lambda s: s.area())
    best = max(shapes, key=lambda s: s.area())
    return [s.area() for s in shapes], [isinstance(s, Square) for s in shapes], best.area()


@program("in a list of unknown length", ABOVE, BELOW, MANY, NONE)
def appended(x):
    shapes, total = [], 0.0
    for v in x:
        if v > 0.9:
            shapes.append(Square(v))
        elif v > 0:
            shapes.append(Circle(v))
    for shape in sorted(shapes, key=lambda s: s.area()):
        total = 0.5 * total + shape.area()
        if isinstance(shape, Circle):
            shape.radius += 1
    return total, sum(s.area() for s in shapes), shapes


@program("chosen by a number", ABOVE, BELOW)
def chosen(x):
    shapes, total = [Square(x[0]), Circle(x[1])], 0.0
    for i in range(int(abs(x[0]) * 3) + 1):
        shape = shapes[i % 2]
        total += shape.area()
        if isinstance(shape, Square):
            shape.side += 0.5
    return total, shapes[0].side


def _fit(x):
    try:
        inverse = np.linalg.inv(x[:2, :2])
    except np.linalg.LinAlgError as error:
        return {"ok": False, "why": str(error)}
    return {"ok": True, "inverse": inverse, "size": len(x)}


@program("dicts of other keys", ROWS, ZEROS)
def reported(x):
    return _fit(x)


@program("as above, looked into", ROWS, ZEROS)
def report_read(x):
    found = _fit(x)
    if found["ok"]:
        return found["inverse"].sum(), len(found), list(found)
    return found.get("inverse", 0.0), "why" in found, found["why"]


@program("as above, where a key may be missing", ROWS, ZEROS)
def report_not_read(x):
    return _fit(x)["inverse"]


@program("as above, in lists", ROWS, ZEROS)
def reports(x):
    return [_fit(x - k) for k in (0.0, 1.0)]


class Filter:
    """A step of a chain, of which the next is chosen by what this one gives."""

    def __init__(self, gain):
        self.gain, self.uses = gain, 0

    def run(self, steps, x, depth):
        if depth == 7:
            return x
        self.uses += 1
        y = self.gain * self.shaped(x)
        if y > 50:
            raise ValueError("too much")
        return steps[0 if y < 1.0 else 1].run(steps, y + 0.25, depth + 1)


class Soft(Filter):
    def shaped(self, x):
        return x / (1.0 + abs(x))


class Hard(Filter):
    def __init__(self, gain, bound):
        super().__init__(gain)
        self.bound = bound

    def shaped(self, x):
        return min(max(x, -self.bound), self.bound)


@program("a method that both classes inherit is visited once for both", ABOVE, BELOW)
def inherited_by_both(x):
    steps = [Soft(3.0), Hard(0.5, 2.0)]
    return steps[0].run(steps, x[0], 0), [step.uses for step in steps]


@program("as above, where it is asked which it is, returns itself and is compared", ABOVE, BELOW)
def inherited_and_told(x):
    steps = [Soft(3.0), Hard(0.5, 2.0)]
    step = steps[0] if x[0] > 0 else steps[1]
    run = step.run
    step.gain = 1.5
    told = isinstance(step, Hard), type(step).__name__, step is steps[0], hasattr(step, "bound")
    return run(steps, x[1], 5), told, steps[0].uses, steps[1].gain


class Rule:
    def __init__(self, step):
        self.step = step

    def next(self, x):
        return self.of(x) + self.step


class Doubles(Rule):
    def of(self, x):
        return x * 2


class Halves(Rule):
    def of(self, x):
        return x / 2


class Squares(Rule):
    def of(self, x):
        return x * x


class Turns(Rule):
    def of(self, x):
        return -x


class Stays(Rule):
    def of(self, x):
        return x


class Bounds(Rule):
    def of(self, x):
        return min(x, 3.0)


class Flips(Rule):
    def of(self, x):
        return 1 / (1 + abs(x))


@program("as above, in a list of more classes than one name may be of", ABOVE, BELOW)
def inherited_by_many(x):
    classes = Doubles, Halves, Squares, Turns, Stays, Bounds, Flips
    steps = [cls(k / 4).next for k, cls in enumerate(classes)]
    y = x[0]
    for value in x:
        y = steps[int(abs(value) * 2) % len(steps)](y)
    return y


class Ball:
    def __init__(self, middle, radius):
        self.middle, self.radius = middle, radius

    def met(self, way):
        rest = self.radius**2 - abs(self.middle - way) ** 2
        return None if rest < 0 else self.middle - math.sqrt(rest)


class Floor:
    def met(self, way):
        return 2 / way if way else None


@program("the first of some that one of another class follows: no pool holds these", ABOVE, BELOW)
def nearest(x):
    rows = []
    for way in x:
        best = None
        for thing in (Ball(1, 2.0), Ball(3.0, 1), Floor(), Ball(0.5, 1)):
            k = thing.met(way)
            if k is not None and k > -1 and (best is None or k < best[1]):
                best = thing, k
        rows.append(0.0 if best is None else best[1] + isinstance(best[0], Floor))
    return rows
