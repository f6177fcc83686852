"""Closures in lists, dicts and fields, of which data decides which is called."""

from __future__ import annotations

import functools
import math
import types

import numpy as np

from tests.programs import program

XS = np.array([1.0, -2.0, 3.0, 4.0])


def scale(k):
    return lambda v: v * k


def shift(k):
    def add(v):
        return v + k

    return add


@program("closures in lists", lambda: (XS, 2.0), lambda: (np.array([-1.0, -2.0]), 1.0))
def of_two_functions(xs, v):
    fs = []
    for x in xs:
        if x > 0:
            fs.append(scale(x))
        else:
            fs.append(shift(x))
    for f in fs:
        v = f(v)
    return v


@program("closures in lists", lambda: (np.array([1, 5, 3, 7]), 5), lambda: (np.array([9, 9]), 9))
def variable_that_goes_on(xs, t):
    fs = []
    for i in range(len(xs)):
        if xs[i] < t:
            fs.append(lambda: i)  # noqa: B023
    return [f() for f in fs]


class Task:
    def __init__(self, when, action):
        self.when, self.action = when, action


@program(
    "closures in lists",
    lambda: (np.array([3, 1, 2, 5]),),
    lambda: (np.array([3, 1, 2, 5, 1, 1, 1]),),
)
def tasks_in_order(times):
    log, tasks = [], []
    for i, t in enumerate(times):
        if t % 2:
            tasks.append(Task(int(t), lambda i=i: log.append(i)))
        else:
            tasks.append(Task(int(t), lambda t=t: log.append(-int(t))))
    tasks.sort(key=lambda task: task.when)
    while tasks:
        tasks.pop(0).action()
    return log


@program("closures in lists", lambda: (np.array([3, 1, 2]),), lambda: (np.array([5, 5, 5, 5]),))
def counters_of_their_own(steps):
    def make():
        count = 0

        def add(n):
            nonlocal count
            count += n
            return count

        return add

    made = []
    for s in steps:
        if s > 1:
            made.append(make())
    return [int(f(s)) for s in steps for f in made]


class Button:
    def __init__(self):
        self.handlers = []

    def on(self, f):
        self.handlers.append(f)

    def fire(self, v):
        return [h(v) for h in self.handlers]


@program("closures in lists", lambda: (np.array([1, 0, 1, 2, 2]),), lambda: (np.array([0, 0, 0]),))
def handlers(kinds):
    seen = []
    buttons = [Button(), Button(), Button()]
    for i, k in enumerate(kinds):
        if k == 0:
            buttons[k].on(lambda v, i=i: v + i)
        else:
            buttons[k].on(lambda v: seen.append(v))
    for b in buttons:
        seen.append(len(b.fire(10)))
    return seen


@program("closures in lists", lambda: (np.array([1, 2, 3, 4]), 3), lambda: (np.array([1, 1]), 3))
def which_they_are(xs, k):
    fs, found = [], 0
    for x in xs:
        if x < k:
            fs.append(lambda: x)  # noqa: B023
    for f in fs:
        found += (f is fs[0]) + 10 * (f == fs[-1]) + 100 * (f in fs)
    kinds = [(callable(f), type(f) is types.FunctionType, isinstance(f, int)) for f in fs]
    return found, kinds, [f.__name__ for f in fs], len(set(fs))


@program("closures in lists", lambda: (np.array([1, 2, 3, 4]), 3), lambda: (np.array([7, 8]), 3))
def undone(xs, k):
    undo, total, state = [], 0, {"v": 0}
    for x in xs:
        before = state["v"]
        state["v"] += int(x)
        if x != k:

            def back(before=before):
                state["v"] = before

            undo.append(back)
    while undo:
        undo.pop()()
        total += state["v"]
    return total, state


@program("closures in lists", lambda: (np.array([1, 2, 3, 4]), 3), lambda: (np.array([7, 8]), 3))
def lists_of_their_own(xs, k):
    def stack():
        items = []

        def push(v):
            items.append(v)

        return push, lambda: len(items)

    made = [stack() for x in xs if x > 1]
    for n, (push, _) in enumerate(made):
        for _ in range(n + k):
            push(n)
    return [size() for _, size in made]


@program(
    "closures in lists", lambda: (np.array([1.0, 2.0, 3.0]), 3), lambda: (np.array([7.0, 8.0]), 3)
)
def partials(xs, k):
    def line(x, y, z):
        return x * y + z

    fs = []
    for x in xs:
        if x < k:
            fs.append(functools.partial(line, x, z=1))
    return [f(2) for f in fs], [type(f) is functools.partial for f in fs]


@program("closures in lists", lambda: (np.array([1, 2, 3, 4]), 3), lambda: (np.array([7, 8]), 3))
def that_call_themselves_or_yield(xs, k):
    def make(n):
        def product(m):
            return n if m <= 0 else m * product(m - 1)

        def items(k):
            for i in range(k):
                yield i * n

        return product, items

    made = [make(int(x)) for x in xs if x < k + 5]
    return [f(3) + sum(g(k)) for f, g in made]


class Thing:
    def __init__(self, v):
        self.v, self.hook = v, None

    def call(self, x):
        return x if self.hook is None else self.hook(x)


@program(
    "closures in lists",
    lambda: (np.array([1.0, 2.0, 3.0, 4.0]), 3),
    lambda: (np.array([7.0, 8.0]), 3),
)
def hooks_that_may_be_none(xs, k):
    things = []
    for x in xs:
        thing = Thing(x)
        if x < k:
            thing.hook = lambda y: thing.v + y  # noqa: B023
        things.append(thing)
    return [t.call(10.0) for t in things]


class Node:
    """A number of a computation, and how derivatives go back from it."""

    def __init__(self, data, children=()):
        self.data, self.grad = data, 0.0
        self.back = lambda: None
        self.children = set(children)

    def __mul__(self, other):
        other = other if isinstance(other, Node) else Node(other)
        out = Node(self.data * other.data, (self, other))

        def back():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.back = back
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Node(t, (self,))

        def back():
            self.grad += (1 - t * t) * out.grad

        out.back = back
        return out

    def backward(self):
        order, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for child in node.children:
                    visit(child)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node.back()


@program("closures in lists", lambda: (3.0,), lambda: (100.0,))
def derivative_of_a_loop(x):
    leaf = y = Node(x)
    while y.data > 1.0:
        y = y * 0.5 if y.data > 2.0 else y.tanh()
    y.backward()
    return y.data, leaf.grad


@program("closures in lists", lambda: (np.array([1, 5, 3, 7]), 4))
def assigned_later_on_one_path(xs, t):
    def make(x, fs, gs):
        v = int(x)
        if x < t:
            fs.append(lambda: v)
        else:
            gs.append(lambda: v + 1)
            v = 100 + v

    fs, gs = [], []
    for x in xs:
        if x != 2:
            make(x, fs, gs)
    return [f() for f in fs], [g() for g in gs]


@program("closures in lists", lambda: (np.array([1, 5, 3, 7]), 4))
def of_a_name_that_may_be_unbound(xs, t):
    def make(x):
        def get():
            return v

        if x > 2:
            v = int(x)
        return get

    found = []
    for get in [make(x) for x in xs if x < t + 5]:
        try:
            found.append(get())
        except NameError as error:
            found.append(str(error))
    return found
