"""Classes that derive from list."""

from __future__ import annotations

import bisect
import copy
import heapq
from collections import defaultdict, deque
from typing import Any

import numpy as np

from tests.programs import program


class Stack(list):
    def push(self, x: Any) -> None:
        self.append(x)

    def peek(self) -> Any:
        return self[-1]

    def is_empty(self) -> bool:
        return len(self) == 0


@program("classes", lambda: ([3, 1, 2],), lambda: ([],))
def pushes_and_pops(xs):
    stack = Stack()
    for x in xs:
        stack.push(x)
    total = 0
    while not stack.is_empty():
        total = total * 10 + stack.peek()
        stack.pop()
    return total, len(stack), stack


class Vector(list):
    def __init__(self, *xs: float) -> None:
        super().__init__(xs)

    def __add__(self, other: Any) -> Any:
        return Vector(*[a + b for a, b in zip(self, other)])

    def __mul__(self, k: Any) -> Any:
        return Vector(*[a * k for a in self])

    __rmul__ = __mul__

    def dot(self, other: Any) -> Any:
        return sum(a * b for a, b in zip(self, other))


@program("classes", lambda: (1.5, 2.5))
def arithmetic_of_vectors(a, b):
    u, v = Vector(a, b, 1.0), Vector(b, a, 2.0)
    w = u + 2 * v
    same = u == [a, b, 1.0], [a, b, 1.0] == u, u < v, u != v
    arrays = np.asarray(u) + 1, np.dot(u, v), np.array([u, v]), np.argsort(v)
    return w, w.dot(w), w[0], w[1:], len(w), isinstance(w, list), str(w), same, arrays


class Polynomial(list):
    def __init__(self, coefficients: Any, name: str = "x") -> None:
        list.__init__(self, coefficients)
        self.name = name

    def __call__(self, x: Any) -> Any:
        total = 0
        for c in reversed(self):
            total = total * x + c
        return total

    def derivative(self) -> Polynomial:
        return Polynomial([i * c for i, c in enumerate(self)][1:], self.name)


@program("classes", lambda: ([1.0, 2.0, 3.0], 2.0))
def polynomials(coefficients, x):
    p = Polynomial(coefficients)
    d = p.derivative()
    plain = p + d, [1] + p, p * 2, list(p), sorted(p, reverse=True), p.index(2.0), p.count(1.0)
    return p(x), d(x), d, d.name, plain, 2.0 in p, max(p)


@program("classes", lambda: (Stack([1, 2]),), lambda: (Stack(),))
def changes_a_stack_of_the_caller(stack):
    alias = stack
    stack.push(5)
    stack.extend([7, 8])
    stack += [1]
    stack.reverse()
    stack.sort()
    del stack[0]
    stack.insert(0, 9)
    stack[1:3] = [4]
    return stack.peek(), stack, stack is alias, stack[::-1]


@program("classes", lambda: ([2, 5, 1, 4],), lambda: ([],))
def of_unknown_length(xs):
    large = Stack(x for x in xs if x > 1)
    queue, ordered = Stack(), Stack()
    for x in large:
        heapq.heappush(queue, x)
        ordered.insert(bisect.bisect(ordered, -x), -x)
    taken = []
    while queue:
        taken.append(heapq.heappop(queue))
    return large, taken, ordered


@program("classes", lambda: (7,), lambda: (0,))
def stacks_in_containers(n):
    stacks, known, made = [Stack() for _ in range(3)], {}, defaultdict(Stack)
    for i in range(n):
        stacks[i % 3].push(i)
        made[i % 2].push(i * 0.5)
        if i % 3 not in known:
            known[i % 3] = Stack()
        known[i % 3].push(-i)
    return stacks, sorted(stacks, key=len), known, dict(made)


class Counted(list):
    """It looks at its length, and drops the first; CPython's own functions see what it holds."""

    most = 3
    kind = list

    def append(self, x: Any) -> None:
        if len(self) >= self.most:
            self.pop(0)
        super().append(x)

    def __contains__(self, x: Any) -> bool:
        return x == 42

    def __str__(self) -> str:
        return "counted"


@program("classes", lambda: (5,), lambda: (2,))
def what_a_class_says_itself(n):
    held = Counted()
    for i in range(n):
        held.append(i)
    said = 42 in held, 1 in held, str(held), f"{held}", repr(held), sum(held), held.kind((1, n))
    other = Counted([1, 2]) if n > 3 else Counted([4])
    other.append(n)
    copies = copy.copy(held), copy.deepcopy(held), type(held.copy()) is list, held.copy()
    held.append(-1)
    return held, other, said, copies, type(held)(held)


class Tree(list):
    def __init__(self, value: Any, children: Any = ()) -> None:
        super().__init__(children)
        self.value = value

    def total(self) -> Any:
        return self.value + sum(child.total() for child in self)


class Alike(list):
    def __eq__(self, other: object) -> bool:
        return True


class AlikeDict(dict):
    def __eq__(self, other: object) -> bool:
        return True


@program("classes", lambda: ([1, 2],), lambda: ([],))
def differences_are_those_of_the_base(xs):
    """`!=` of a class that defines `__eq__` alone is that of lists, and of dicts."""
    x, d = Alike(xs), AlikeDict(a=1)
    of_lists = x == [7], x != [7], x != xs, x != (1,), x != Alike(xs)
    return of_lists, d == {}, d != {}, d != {"a": 1}, d != 3


class Hidden(list):
    def __len__(self) -> int:
        return 0


@program("classes", lambda: ([1, 2],), lambda: ([],))
def truth_by_length(xs):
    hidden = Hidden(xs)
    return bool(hidden), "some" if hidden else "none", sum(hidden), list.__len__(hidden)


@program("classes", lambda: (1.5,))
def trees_that_are_lists(x):
    tree = Tree(x, [Tree(2 * x), Tree(1, [Tree(4)])])
    tree[0].append(Tree(8))
    return tree.total(), tree.value, len(tree)


@program("classes", lambda: ([2.0, 3.0],), lambda: ([],))
def mistakes_with_lists(xs):
    stack, said = Stack(xs), []
    mistakes = (
        lambda: stack + (1,),
        lambda: stack.index(9),
        lambda: stack[8],
        lambda: stack["a"],
        lambda: stack.foo,
        lambda: Stack(5),
        lambda: stack.remove(7),
    )
    for mistake in mistakes:
        try:
            mistake()
        except (TypeError, ValueError, AttributeError, IndexError) as e:
            said.append((type(e).__name__, str(e)))
    return said


@program("classes", lambda: ([(1, 2), (3, 4)],), lambda: ([],))
def dicts_of_pairs_in_sequences(pairs):
    found = {5: 6}
    found.update(deque(pairs))
    return found, dict(deque(pairs)), dict(Stack(pairs))
