"""Attributes that a program gives to functions of its own: counters, caches, names, settings."""

import functools

import numpy as np

from tests.programs import program


def counted(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        wrapper.last = args[0]
        return function(*args, **kwargs)

    wrapper.calls = 0
    return wrapper


def tagged(name):
    def decorate(function):
        function.tag = name
        function.order = len(name)
        return function

    return decorate


@program("wraps decorators", lambda: (3.0, 4), lambda: (-1.0, 0))
def decorated(x, n):
    @counted
    @tagged("square")
    def square(v):
        return v * v

    @counted
    def cube(v, scale=1.0):
        return v * square(v) * scale

    total = 0.0
    for i in range(n):
        total += cube(x + i, scale=2.0) if i % 2 else square(x)
    asked = hasattr(cube, "tag"), getattr(cube, "tag", "none"), square.tag, square.order
    return total, square.calls, cube.calls, square.__name__, asked, square.last if n else None


@program("hasattr exceptions", lambda: (2.0,), lambda: (-2.0,))
def given_perhaps(x):
    def f(v):
        return v + 1

    if x > 0:
        f.hit = x
    try:
        return f.hit * 2, hasattr(f, "hit")
    except AttributeError as error:
        return str(error), hasattr(f, "hit"), getattr(f, "hit", 7)


@program("recursion", lambda: (2.0, 6))
def memory(x, n):
    def fibonacci(k):
        if k in fibonacci.known:
            return fibonacci.known[k]
        found = k * x if k < 2 else fibonacci(k - 1) + fibonacci(k - 2)
        fibonacci.known[k] = found
        return found

    fibonacci.known = {}
    return fibonacci(n), fibonacci.known


@program("names", lambda: (2.0,))
def renamed(x):
    def f(v):
        return v

    f.__name__ = "identity"
    f.parts = [x]
    f.parts.append(f(1.0))
    del f.parts[0]
    kept = f.parts
    del f.parts
    return f.__name__, kept, hasattr(f, "parts")


@program("arrays loops", lambda: (np.arange(3.0),))
def running_mean(x):
    def step(v):
        step.total = step.total + v
        step.n += 1
        return step.total / step.n

    step.total, step.n = np.zeros(3), 0
    for i in range(4):
        mean = step(x * i)
    return mean, step.n, step.total


@program("wraps", lambda: (3.0,))
def wrapped_twice(x):
    def plain(function):
        @functools.wraps(function)
        def inner(*args):
            return function(*args)

        return inner

    @plain
    @counted
    def same(v):
        return v

    same(x), same(x)
    return same.calls, same.__wrapped__.calls


@program("closures", lambda: (3.0, True), lambda: (3.0, False))
def one_each(x, first):
    def make(scale):
        def f(v):
            f.n += 1
            return v * scale

        f.n = 0
        return f

    a, b = make(2.0), make(3.0)
    total = a(x) + a(x) + b(x)
    chosen = a if x > 2 and first else b
    return total, a.n, b.n, chosen.n, sum(f.n for f in (a, b))


class Penalty:
    def __init__(self, strength):
        self.of = lambda w: strength * (w * w).sum()
        self.of.slope = lambda w: 2 * strength * w

        def scaled(w):
            return w * scaled.factor

        self.scaled = scaled
        self.scaled.factor = 3


@program("lambda methods", lambda: (np.arange(3.0), 0.5))
def attributes_of_lambdas(w, strength):
    penalty = Penalty(strength)
    first = second = lambda v: v + first.offset
    first.offset = 0
    for i in range(3):
        first.offset += i
    return penalty.of(w), penalty.of.slope(w), penalty.scaled(w), second(1.5), second.offset
