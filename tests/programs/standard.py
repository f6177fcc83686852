"""The standard library: what is compiled, and what CPython executes while compiling."""

from __future__ import annotations

import bisect
import functools
import itertools
import json
import operator
import re

import numpy as np

from tests.programs import program

GRADES = [0.0, 1.5, 2.5, 2.5, 3.5]


@program("list", lambda: (2.5,), lambda: (-1.0,), lambda: (9.0,))
def places(x):
    i = bisect.bisect_left(GRADES, x)
    return i, bisect.bisect(GRADES, x), bisect.bisect_right(GRADES, x, 1, 3), "abcdef"[len(GRADES)]


@program("numpy", lambda: (np.arange(20) ** 2, 50))
def place_in_an_array(xs, x):
    return bisect.bisect_left(xs, x), bisect.bisect_right(xs, -x, key=lambda v: -v) >= 0


@functools.cache
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@functools.cache
def scaled(x, by=2):
    return x * by


@program("recursion", lambda: (40, 1.5))
def kept_results(n, x):
    return fibonacci(n), scaled(x) + scaled(x, by=3)


@program("strings", lambda: ("a1b22", {"x": 1.5}))
def text_of_constants(s, d):
    return re.sub(r"\d+", "#", s), re.split("b", s), json.dumps({"a": [1, None]}), d


@program("dict", lambda: (2.5, 1.0))
def sorted_by_known_keys(x, y):
    d = {"b": x, "a": y}
    return dict(sorted(d.items())), sorted([(2, x), (1, y)], reverse=True)


@program("cached functions of compiled code", lambda: ([1, 2, 3, 4, 3], 10))
def cached_functions(sizes, n):
    @functools.cache
    def cost(i, j):
        if i == j:
            return 0
        splits = range(i, j)
        return min(cost(i, k) + cost(k + 1, j) + sizes[i - 1] * sizes[k] * sizes[j] for k in splits)

    @functools.cache
    def fibonacci(i):
        return i if i < 2 else fibonacci(i - 1) + fibonacci(i - 2)

    @functools.lru_cache
    def scaled(x):
        return x * sizes[0]

    return cost(1, len(sizes) - 1), fibonacci(n), scaled(2), scaled(2) + scaled(3)


@program("digits in other bases", lambda: (12,))
def digits_in_other_bases(n):
    return bin(n), hex(n)[2:], oct(n), len(bin(n)), chr(65 + n), n == "", "a" != n


@program("text by special methods", lambda: (12, 2.5), lambda: (-3, 1e30))
def special_text(n, x):
    return n.__str__(), x.__str__(), n.__repr__()


@program("operators that are made", lambda: (np.arange(4.0), 2), lambda: (np.arange(6.0), 3))
def operators_that_are_made(x, n):
    total = operator.methodcaller("sum", axis=0, keepdims=True)
    sizes = operator.attrgetter("shape", "T.ndim")
    chosen = x.reshape(operator.index(n), -1), operator.index(x.astype(int)[1])
    return total(x), sizes(x), chosen, operator.index(n > 2), operator.index(np.int8(3))


@program("itertools", lambda: ([1, 2, 3], [1, 2, 3, 4]), lambda: ([], []), lambda: ([2], [9]))
def longest_of_lists_that_data_counts(a, b):
    odd = [x for x in a if x % 2]
    large = [y for y in b if y > 2]
    sums = [p + q for p, q in itertools.zip_longest(odd, large, fillvalue=0)]
    return sums, list(itertools.zip_longest(odd, large)), list(itertools.zip_longest(odd, "xy"))


@program("itertools", lambda: ("Beware the Jabberwock", "KEY"), lambda: ("", "K"))
def key_that_goes_around(text, key):
    shifts = itertools.cycle(ord(k) - 65 for k in key)
    letters = (c.upper() for c in text if c.isalpha())
    return "".join(chr((ord(c) - 65 + k) % 26 + 65) for c, k in zip(letters, shifts))


@program("itertools", lambda: ([4, 1, 3, 2], 3), lambda: ([], 2))
def iterators_beside_generators(numbers, n):
    squares = (k * k for k in itertools.count())
    rest = iter(numbers)
    around = itertools.cycle(x for x in numbers if x > 1)
    return list(zip(rest, squares)), list(itertools.islice(around, n))
