"""Cached functions that do more than compute: what they do is done once for each argument."""

from __future__ import annotations

import functools

import numpy as np

from tests.programs import program


class Point:
    def __init__(self, x):
        self.x = x


class Squares:
    def __init__(self):
        self.made = 0
        self.of = functools.cache(self._of)

    def _of(self, k):
        self.made += 1
        return k * k


@program("cached functions with effects", lambda: (np.array([1, 2, 1, 3, 2, 1]),))
def counts_its_calls(n):
    count, seen = 0, []

    @functools.cache
    def twice(k):
        nonlocal count
        count += 1
        seen.append(k)
        return k * 2

    first = [twice(int(k)) for k in n]
    twice.cache_clear()
    return first, count, twice(int(n[0])), count, seen


@program("cached functions with effects", lambda: (np.array([1, 2, 1, 3, 2, 1]),))
def forgets_what_was_asked_for_first(n):
    @functools.lru_cache(maxsize=2)
    def power(k, by=2):
        print("computed", k, by)
        return k**by

    return sum(power(int(k)) + power(int(k), by=3) for k in n)


@program("cached functions with effects", lambda: (np.array([1, 2, 1]),))
def keeps_nothing(n):
    calls = 0

    @functools.lru_cache(maxsize=0)
    def same(k):
        nonlocal calls
        calls += 1
        return k

    return sum(same(int(k)) for k in n), calls


@program("cached functions with effects", lambda: (np.array([1, 2, 1]),))
def gives_the_same_instance(n):
    @functools.cache
    def point(k):
        return Point(k)

    points = [point(int(k)) for k in n]
    points[0].x += 5
    return [p.x for p in points], points[0] is points[2], points[0] is points[1]


@program("cached functions with effects", lambda: (np.array([1, 2, 1]),))
def draws_once(n):
    rng = np.random.default_rng(1)

    @functools.cache
    def noise(k, scale):
        return rng.random() * scale * k

    return [noise(int(k), 2.0) for k in n]


@program("cached functions with effects", lambda: (np.array([1.5, 2.0, 1.5, 2.0]),))
def does_not_keep_exceptions(n):
    count = 0

    @functools.cache
    def half(a):
        nonlocal count
        count += 1
        if a > 1.8:
            raise ValueError("too large")
        return a / 2

    total = 0.0
    for a in n:
        try:
            total += half(float(a))
        except ValueError:
            total += 100
    return total, count


@program("cached functions with effects", lambda: (np.array([2, 3, 2]),))
def method_that_is_cached_by_its_object(n):
    squares = Squares()
    return [squares.of(int(k)) for k in n], squares.made


@program("cached functions with effects", lambda: (3, True), lambda: (3, False))
def known_argument_on_one_path(n, go):
    calls = []

    @functools.cache
    def twice(k):
        calls.append(k)
        return k * 2

    if go:
        twice(3)
    return twice(3) + twice(n), calls


@program("cached functions with effects recursion", lambda: (np.array([9]),))
def counts_calls_of_itself(n):
    calls = 0

    @functools.cache
    def fibonacci(k):
        nonlocal calls
        calls += 1
        return k if k < 2 else fibonacci(k - 1) + fibonacci(k - 2)

    return fibonacci(n[0]), calls


@program("cached functions with effects recursion", lambda: (np.array([3, 7, 11, 6]),))
def counts_calls_of_all(x):
    """Each call sees what those before it left, in the loop and behind it."""
    calls = []

    @functools.cache
    def fibonacci(k):
        calls.append(k)
        return k if k < 2 else fibonacci(k - 1) + fibonacci(k - 2)

    found = [fibonacci(int(v)) for v in x]
    return found, fibonacci(int(x[0]) + 1) + fibonacci(int(x[2]) + 2), calls


@program("cached functions recursion", lambda: ([6, 4, 14, 6, 8, 13, 9, 7, 10, 6, 12], 2))
def longest_jumps(heights, far):
    """A loop calls it, and its calls of itself end where data says."""
    n = len(heights)

    @functools.cache
    def jumps(i):
        found = 1
        for j in range(i - 1, -1, -1):
            if i - j > far or heights[j] >= heights[i]:
                break
            found = max(found, 1 + jumps(j))
        for j in range(i + 1, n):
            if j - i > far or heights[j] >= heights[i]:
                break
            found = max(found, 1 + jumps(j))
        return found

    return max(jumps(i) for i in range(n))


@program("cached functions recursion", lambda: (np.array([3, 7, 11, 6]),))
def with_what_calls_hand_on(x):
    """Other calls hand on another: it is a part of what results are kept by."""

    @functools.cache
    def f(n, k, scale=2):
        return n + k if n < 2 else (f(n - 1, k) + f(n - 2, k) * scale) % 1000

    return [f(int(v), int(v) % 3) + f(k=1, n=int(v)) for v in x]


@program("cached functions recursion", lambda: (np.array([3, 5]),))
def made_in_each_iteration(x):
    found = []
    for v in x:

        @functools.cache
        def f(n):
            return int(v) if n < 2 else (f(n - 1) + f(n - 2)) % 1000  # noqa: B023

        found.append(f(int(v)))
    return found
