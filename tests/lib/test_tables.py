"""Dicts and sets that may be large: keys found by their hashes, in the order of CPython."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest

import pyxla
from pyxla.lib.tables import mixed
from tests.compare import difference

KEYS = np.random.default_rng(5).integers(-60, 60, 300)
FLOATS = np.array(
    [0.0, -0.0, 1.0, 0.5, -2.5, 1e300, 1e-300, math.inf, -math.inf, 2.0**70, 0.1, 1.0]
)


def memo(keys):
    known = {0: 0}
    for i in range(1, len(keys)):
        known[i] = known[i // 2] + 1
    return known[len(keys) - 1], known


def tallies(keys):
    counts = {}
    for k in keys:
        counts[int(k)] = counts.get(int(k), 0) + 1
    return counts, 17 in counts, len(counts)


def last_seen(keys):
    seen, gaps = {}, []
    for i, k in enumerate(keys):
        if k in seen:
            gaps.append(i - seen[k])
        seen[k] = i
    return gaps


def pairs(keys):
    where = {}
    for i in range(len(keys) - 1):
        where.setdefault((int(keys[i]), int(keys[i + 1]) % 3), i)
    return where, where.get((int(keys[3]), int(keys[4]) % 3)), (100, 0) in where


def grid(keys):
    seen = {(0, 0)}
    x = y = again = 0
    for k in keys:
        x, y = (x + 1, y) if k > 20 else (x, y - 1) if k > -10 else (x - 1, y + 1)
        if (x, y) in seen:
            again += 1
        seen.add((x, y))
    return again, len(seen), sorted(seen)[:5]


def missing(keys):
    d = {7: 1.0}
    for k in keys:
        d[int(k)] = d[int(k) % 7 + 7] + 1
    return d


def goes(keys):
    d = {}
    for i, k in enumerate(keys):
        d[int(k)] = i
        if i % 3 == 0:
            del d[int(k)]
    return d


def updated(keys):
    d = {}
    for k in keys:
        d[int(k)] = 1
    e = {int(KEY): 2 for KEY in keys[:5]}
    d.update(e)
    return {**d, 1000: 5}, d == e


def grouped(keys):
    groups = defaultdict(int)
    for k in keys:
        groups[int(k) % 11] += 1
    return dict(groups)


def given(keys, d):
    for k in keys:
        d[int(k)] = d.get(int(k), 0) + 1


PROGRAMS = [memo, tallies, last_seen, pairs, grid, missing, goes, updated, grouped]


def outcome(function, *args):
    try:
        return function(*args), args
    except KeyError as error:
        return repr(error), args


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("capacity", [1024, 1 << 14])
def test_programs(function, capacity) -> None:
    compiled = pyxla.compile(function, list_capacity=capacity)
    assert not difference(outcome(compiled, KEYS), outcome(function, KEYS))


def test_floats() -> None:
    def counted(xs):
        d = {}
        for x in xs:
            d[float(x)] = d.get(float(x), 0) + 1
        return d, 1 in d, 3 in d

    compiled = pyxla.compile(counted, list_capacity=1 << 14)
    assert not difference(compiled(FLOATS), counted(FLOATS))


def test_a_dict_that_is_given() -> None:
    native, mine = {5: 1, -3: 2}, {5: 1, -3: 2}
    given(KEYS, native)
    pyxla.compile(given, list_capacity=1 << 14)(KEYS, mine)
    assert list(mine.items()) == list(native.items())


def test_gradients_and_vmap() -> None:
    def total(w, keys):
        d = {}
        for i in range(len(keys)):
            k = int(keys[i])
            d[k] = d.get(k, 0.0) + w[i] * w[i]
        return d[int(keys[0])] * 2.0

    w = np.linspace(0.1, 1.0, len(KEYS))
    small, large = (
        pyxla.compile(lambda w, keys: pyxla.grad(total)(w, keys), list_capacity=c)
        for c in (1024, 1 << 14)
    )
    found = large(w, KEYS)
    assert not difference(found, small(w, KEYS))
    assert not difference(found, np.where(KEYS == KEYS[0], 4 * w, 0.0))
    both = pyxla.compile(
        lambda ws, keys: pyxla.vmap(total, (0, None))(ws, keys), list_capacity=1 << 14
    )
    assert not difference(
        both(np.stack([w, 2 * w]), KEYS), np.array([total(w, KEYS), total(2 * w, KEYS)])
    )


def test_work_is_in_proportion_to_the_number_of_keys() -> None:
    """The chains are short: of consecutive ints, multiples, and of halves."""
    for keys in (range(1 << 10), range(0, 1 << 20, 1 << 10), [i / 2 for i in range(1 << 10)]):
        buckets = [mixed(k) & 1023 for k in keys]
        assert max(map(buckets.count, set(buckets))) <= 16


@pytest.mark.parametrize("pair", [(1, 1.0), (True, 1.0), (-(2**40), -(2.0**40)), (0.0, -0.0)])
def test_equal_numbers_have_equal_hashes(pair) -> None:
    assert mixed(pair[0]) == mixed(pair[1])
    assert mixed((pair[0], 3)) == mixed((pair[1], 3))


def test_a_search_in_the_condition_of_a_loop() -> None:
    """What is there to compare with is a number of the condition, not of the body."""

    def period(n):
        seen, x, steps = set(), 1, 0
        while x not in seen and steps < n:
            seen.add(x)
            x = (x * 7 + 3) % 100003
            steps += 1
        return steps, x

    compiled = pyxla.compile(period)
    for n in (200, 2000, 20000):
        assert compiled(n) == period(n)
