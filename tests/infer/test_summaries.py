"""Calls that are not visited again: what they compute is what a visit would have computed."""

import copy
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pyxla
from pyxla.infer import walking
from tests.compare import difference

W = np.arange(3.0)


def smooth(x):
    return np.exp(-x) * x + 1


def with_global(x):
    return x * W + x


def scaled(x, factor):
    return x * factor


def one_kind(x):
    return smooth(smooth(smooth(x)))


def global_as_argument(x):
    same = W.copy()
    return with_global(x), with_global(W), with_global(same), with_global(x + 1)


def product(x, y):
    return x * y + x


def aliased(x, y):
    return product(x, y), product(x, x), product(y, x), product(y, y), product(x, x.copy())


def same_object(x, y):
    def is_same(a, b):
        return a is b

    return is_same(x, y), is_same(x, x), is_same(y, x), is_same(y, y)


def constants(x):
    zeros = scaled(x, 0.0), scaled(x, -0.0)
    return scaled(x, 2), scaled(x, 2.0), scaled(x, 3), scaled(x, True), scaled(x, 1), zeros


def ranged(n):
    def upto(k):
        return np.arange(min(k, 8)).sum()

    return upto(n), upto(n + 1), upto(n // 2), upto(3)


def counted(x):
    count = 0

    def f(v):
        nonlocal count
        count += 1
        return v * count

    return f(x), f(x), f(x), count


def looked_at(x):
    state = [1.0]

    def f(v):
        return v + state[0]

    before = f(x)
    state[0] = 5.0
    return before, f(x), f(x)


def rebound(x):
    a = x * 2

    def f(v):
        return v + a

    before = f(x)
    a = x * 3
    return before, f(x), f(a)


def two(x):
    y = x + 1
    return y, y, x


def mutated_results(x):
    a, b, c = two(x)
    a[0] = 7.0
    d, e, f = two(x)
    d[1] = 9.0
    c[2] = -1.0
    return a, b, c, d, e, f, two(x)


@dataclass
class Layer:
    weight: Any
    bias: Any
    name: str = "layer"

    def __call__(self, x):
        return np.tanh(x @ self.weight + self.bias)


def layers(x, network):
    for layer in network:
        x = layer(x)
    network[0].bias = x[0] + 1
    return network[0](x), network[1](x)


def made(x):
    return Layer(x * 2, {"b": [x, x + 1]})


def objects(x):
    first, second = made(x), made(x + 1)
    first.weight[0] = 5.0
    second.bias["b"][0][1] = 6.0
    third = made(x)
    return first.weight, second.weight, second.bias, third.weight, third.bias, x


def rows(x):
    total = np.zeros_like(x[0])
    for i in range(len(x)):
        total = product(total, x[i]) + product(x[i], x[0]) + product(x[0], x[1])
    return total


def written(x):
    def fill(a, v):
        a[0] = v
        return a.sum()

    return fill(x, 1.0), fill(x, 2.0), fill(x.copy(), 3.0), x


def of_each_dtype(x):
    return smooth(x), smooth(x.astype(np.float32)), smooth(x.astype(complex)), smooth(x[:2])


def integers(x, i):
    def pick(a, k):
        return a[k] * 2

    return pick(x, i), pick(x, i - 1), pick(x, 0), pick(x, -1), pick(x, np.array([0, 1]))


def steps(x, h):
    def slope(t, y):
        return -y * t

    t = 0.0
    for _ in range(3):
        k1 = slope(t, x)
        k2 = slope(t + h / 2, x + h / 2 * k1)
        k3 = slope(t + h / 2, x + h / 2 * k2)
        k4 = slope(t + h, x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
    return x, t


def defaults(x):
    def f(a, b=None, *rest, c=2.0, **more):
        b = a if b is None else b
        return a * b * c + sum(rest) + sum(more.values())

    return f(x), f(x, x), f(x, x + 1), f(x, x, x), f(x, c=3.0), f(x, d=x), f(x, e=x), f(x)


def transposed(m):
    def f(a):
        return a @ a.T

    return f(m), f(m.T), f(m[:2]), f(m[::-1]), f(np.asfortranarray(m)), f(m.copy())


def drawn(seed):
    rng = np.random.default_rng(seed)

    def f(r):
        return r.random() + 1

    return f(rng), f(rng), f(rng)


def in_both_orders(x):
    derivative = pyxla.grad(lambda v: smooth(smooth(v)).sum())
    return smooth(x), derivative(x), smooth(x + 1), derivative(x + 1)


def damped(x):
    if x > 0.5:
        return x * 0.5
    return x + 1.0


def branching(x):
    return damped(x), damped(x + 1), damped(damped(x)), damped(np.float64(x))


def newton(x, steps):
    y = x
    while abs(y * y - x) > 1e-12:
        y = 0.5 * (y + x / y)
        if y > 1e3:
            break
    return damped(y), y


def looping(x):
    a = newton(x, 3)
    b = newton(x + 1, 3)
    return a, b, newton(a[0] + 1, 3), newton(1e9 * x, 3), newton(x, 4)


def in_a_loop(x):
    total = 0.0
    for k in range(4):
        total = total + damped(total) * damped(x + total)
        if total > 100:
            total = damped(total)
    return total, damped(total)


def on_two_paths(x):
    def first(y):
        return damped(y) if y > x else damped(y + x)

    def second(y, g=first):
        return g(y * 0.5) if y > 0.25 else g(y + 1.0)

    return second(x), second(x + 1), second(x * 0.125), first(x)


def array_branches(x):
    def part(a):
        if a.sum() > 3:
            return np.exp(-a), a.mean()
        return a * 2, a.sum()

    first, second = part(x), part(x * 3)
    second[0][0] = 9.0
    return first, second, part(x[:2]), part(first[0])


@dataclass
class Walk:
    at: Any
    steps: Any = 0.0
    last: Any = None

    def go(self, by):
        self.steps = self.steps + 1.0
        if by > 0.5:
            self.at = self.at + by
        self.last = self
        return self.at * 2


def fields(x):
    first, second = Walk(x), Walk(x + 1)
    seen = first.go(x), second.go(x * 2), first.go(0.25 * x), first.last.go(x)
    for _ in range(3):
        seen += (second.go(x),)
    return seen, first.at, first.steps, second.at, second.steps, first.last is first


@dataclass
class Node:
    value: Any
    other: Any = None


def ring(x):
    first, second = Node(x), Node(x + 1)
    first.other, second.other = second, first
    return first


def rings(x):
    a, b = ring(x), ring(x * 2)
    a.other.value = x + 7
    b.other.other.value = x + 9
    return a.value, a.other.value, b.value, b.other.value, a.other.other is a, b.other.other is a


def variables(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v
        return total * 2

    return add(x), add(x + 1), add(x), total


def words(x, word):
    def mixed(a, flag):
        return (a ^ (a >> np.uint64(7))) * np.uint64(3) if flag else a

    def place(a):
        return x[np.int64(a)]

    small = word & np.uint64(1)
    flag = bool(word > np.uint64(5))
    other = mixed(mixed(word, flag), not flag), mixed(small, flag)
    return other, place(small), place(word % np.uint64(3)), mixed(word + small, flag)


def derivatives(x):
    slope = pyxla.grad(damped)(x)
    return damped(x), slope, pyxla.grad(lambda v: damped(v) * damped(v + 1))(x), damped(slope)


CASES = {
    one_kind: (W,),
    global_as_argument: (W + 1,),
    aliased: (W + 1, W + 2),
    same_object: (W, W + 1),
    constants: (W,),
    ranged: (6,),
    counted: (W,),
    looked_at: (W,),
    rebound: (W,),
    mutated_results: (np.arange(4.0),),
    layers: (np.ones((2, 3)), (Layer(np.eye(3), W), Layer(np.ones((3, 3)), W + 1))),
    objects: (np.arange(4.0),),
    rows: (np.arange(12.0).reshape(4, 3),),
    written: (np.arange(4.0),),
    of_each_dtype: (W,),
    integers: (np.arange(4.0), 2),
    steps: (W, 0.1),
    defaults: (W,),
    branching: (0.3,),
    looping: (2.0,),
    in_a_loop: (0.7,),
    on_two_paths: (0.4,),
    array_branches: (W,),
    fields: (0.75,),
    rings: (0.5,),
    variables: (0.5,),
    words: (W, np.uint64(11)),
    transposed: (np.arange(12.0).reshape(4, 3),),
    drawn: (3,),
}


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_as_if_visited(function):
    args, others = copy.deepcopy(CASES[function]), copy.deepcopy(CASES[function])
    found, expected = pyxla.compile(function)(*args), function(*others)
    assert not difference((found, args), (expected, others), 1e-12, "")


def test_derivatives_between_calls():
    value, slope, later, later_slope = pyxla.compile(in_both_orders)(W)
    assert not difference((value, later), (smooth(W), smooth(W + 1)), 1e-12, "")
    for at, found in ((W, slope), (W + 1, later_slope)):
        step = (smooth(smooth(at + 1e-6)) - smooth(smooth(at - 1e-6))) / 2e-6
        np.testing.assert_allclose(found, step, rtol=1e-6, atol=1e-9)


def test_derivatives_of_branches():
    value, slope, product, later = pyxla.compile(derivatives)(0.75)
    assert (value, slope, later) == (0.375, 0.5, damped(0.5))
    assert product == pytest.approx(0.5 * 0.875 + 0.375 * 0.5)


def reciprocal(x):
    return 1.0 / x


def test_what_was_visited_unchecked_is_visited_again():
    @pyxla.compile
    def checked_later(a, y):
        def step(p, q):
            return p + reciprocal(float(q))

        return pyxla.hlo.reduce(a, 0.0, dimensions=(0,), computation=step), reciprocal(y)

    assert checked_later(np.ones(3), 2.0) == (3.0, 0.5)
    with pytest.raises(ZeroDivisionError):
        checked_later(np.ones(3), 0.0)


def test_what_a_number_is_made_of_counts_where_it_is_looked_at():
    def below(y):
        return math.sqrt(y)

    def product(y, z):
        return math.sqrt(y * z)

    def signs(x):
        return below(x * x), below(x)

    def twins(x):
        return product(x + 1, x + 1), product(x + 1, x + 2)

    for program, fine, wrong in ((signs, 4.0, -4.0), (twins, 1.0, -1.5)):
        compiled = pyxla.compile(program)
        assert compiled(fine) == program(fine)
        with pytest.raises(ValueError, match="math domain error|nonnegative"):
            compiled(wrong)


def test_one_visit_for_one_type(monkeypatch):
    visits = []
    run = walking.run
    monkeypatch.setattr(walking, "run", lambda e, f: visits.append(f.ssa) or run(e, f))

    def chain(x):
        for _ in range(20):
            x = smooth(x)
        return x + smooth(x[:2]).sum()

    pyxla.code_typed(pyxla.compile(chain), W)
    pyxla.code_typed(chain, W)
    assert sum(ssa.function.name == "smooth" for ssa in visits) <= 4 * 2
    visits.clear()
    pyxla.code_typed(branching, 0.5)
    assert sum(ssa.function.name == "damped" for ssa in visits) == 2


class Link:
    def __init__(self, value):
        self.value = value
        self.next = None


def push(head, value):
    node = Link(value)
    node.next = head
    return node


def total(head):
    found = 0
    while head is not None:
        found += head.value
        head = head.next
    return found


def raised_by(head, step):
    while head is not None:
        head.value = head.value + step
        head = head.next


def linked(xs):
    head = None
    for x in xs:
        head = push(head, x)
    before = total(head)
    raised_by(head, 2)
    between = total(head)
    raised_by(head, 3)
    raised_by(head.next, 1)
    return before, between, total(head), total(head.next)


def twice(x, y):
    x.value = x.value * 2
    y.value = y.value + 1
    return x.value - y.value, x is y


def one_or_two(xs):
    nodes = [Link(x) for x in xs if x > 2]
    found = []
    for node in nodes:
        found += [twice(node, nodes[0]), twice(nodes[0], node), twice(node, node)]
    return found, [node.value for node in nodes]


def pushed(stack, x):
    stack.append(x)
    stack.append(x + 1)


def popped(stack):
    return stack.pop() + stack.pop()


def stacked(xs, least):
    stack = []
    for x in xs:
        if x > least:
            pushed(stack, x)
        pushed(stack, -x)
        stack.append(popped(stack))
    return stack, len(stack)


class Cell:
    def __init__(self, x):
        self.items = [x]


def shift(cell, x):
    cell.items = [x, x + 1]


def shifted(xs):
    cells = [Cell(x) for x in xs if x > 1]
    found = []
    for cell in cells:
        old = cell.items
        shift(cell, old[0])
        shift(cell, old[0] + 5)
        found.append(old[0] + cell.items[1])
    return found


COUNTS = Link(1.0)


def counted_up(x):
    COUNTS.value += x
    return COUNTS.value * x


def with_an_instance_of_the_module(xs):
    found = [counted_up(x) + counted_up(2 * x) for x in xs]
    return found, COUNTS.value, found[0]


ROWS = [
    (linked, (np.array([5, 2, 8, 1]),)),
    (linked, ([5, 2, 8],)),
    (one_or_two, (np.array([1, 5, 3, 9]),)),
    (stacked, (np.array([1, 5, 3]), 2)),
    (shifted, (np.array([1, 5, 3]),)),
    (with_an_instance_of_the_module, (np.array([1.0, 5.0, 3.0]),)),
]


@pytest.mark.parametrize(("function", "args"), ROWS)
def test_rows_of_pools_as_if_visited(function, args):
    COUNTS.value = 1.0
    expected = function(*args), COUNTS.value
    COUNTS.value = 1.0
    actual = pyxla.compile(function)(*args), COUNTS.value
    assert not difference(actual, expected)


def test_one_visit_for_rows_of_one_pool(monkeypatch):
    visits = []
    run = walking.run
    monkeypatch.setattr(walking, "run", lambda e, f: visits.append(f.ssa) or run(e, f))

    def often(xs):
        head = None
        for x in xs:
            head = push(head, x)
        for k in range(xs.shape[0]):
            raised_by(head, k + 0.5)
            raised_by(head, k + 1.5)
            raised_by(head, k + 2.5)
            raised_by(head, k + 3.5)
        return total(head)

    xs = np.arange(9.0)
    assert pyxla.compile(often)(xs) == often(xs)
    assert sum(ssa.function.name == "raised_by" for ssa in visits) <= 4
