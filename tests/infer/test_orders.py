"""Dicts that meet with their keys in different orders."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest

import pyxla


def turned(p, n):
    for i in range(n):
        p = {"b": p["b"] * 2, "w": p["w"] + i}
    return p


def written(p, n):
    for i in range(n):
        p = {"b": p["b"] * 2, "w": p["w"] + i}
    q = dict(p, z=1.0)
    q["b"] = 5.0
    return q.pop("z"), len(p), "w" in p, p["w"].sum(), {**q}["b"]


def listed(p, n):
    for i in range(n):
        p = {"b": p["b"] * 2, "w": p["w"] + i}
    return [key for key in p]


def joined(p, n):
    if n > 1:
        p = {"b": p["b"] * 2, "w": p["w"]}
    return list(p.values())


def met_in_a_loop(x):
    seen = set()
    for i in range(int(x[-1]) % 3):
        if (i + 12) % 3 == 0:
            seen.add(i)
        else:
            seen.discard(i - 1)
    return sum(v * v for v in seen)


def make() -> dict[str, Any]:
    return {"w": np.arange(3.0), "b": np.float64(1.0)}


@pytest.mark.parametrize("function", [turned, written, listed])
@pytest.mark.parametrize("n", [0, 1, 4])
def test_values(function: Any, n: int) -> None:
    np.testing.assert_equal(pyxla.compile(function)(make(), n), function(make(), n))


def test_order_of_what_a_loop_brings_back() -> None:
    assert list(pyxla.compile(turned)(make(), 3)) == ["b", "w"]


def test_order_that_is_looked_at_is_refused() -> None:
    with pytest.raises(pyxla.CompileError, match="order of the keys of this dict"):
        pyxla.compile(joined)(make(), 3)


def test_order_of_a_set_that_differs_in_a_loop() -> None:
    for n in (1, 2, 3):
        x = np.arange(n)
        assert pyxla.compile(met_in_a_loop)(x) == met_in_a_loop(x)


def grown(s: Any) -> list[int]:
    s.add(7)
    return list(s)


def test_order_of_an_argument_that_items_were_added_to_is_refused() -> None:
    with pytest.raises(pyxla.CompileError, match="the order of this set"):
        pyxla.compile(grown)({1, 30})


def turned_over(d, n):
    for k in d:
        if k == n:
            del d[k]
            d[k + 10] = 0
    return d


def later_ones(d, n):
    found = []
    for k, v in d.items():
        found.append((k, v))
        if len(found) == 1:
            del d[n]
            d[n + 7] = 9
    return found


def counted(x, n):
    d = collections.Counter(x.tolist())
    for k in d:
        if k == n:
            d.pop(k)
            d[k + 10] += 1
    return d


def by_hand(x, n):
    d = {}
    for k in x.tolist():
        d[k] = k
    it = iter(d)
    first = next(it)
    del d[first]
    d[n + 7] = 3
    return first, next(it)


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("function", [turned_over, later_ones, counted, by_hand])
def test_a_dict_that_loses_and_gets_a_key_while_it_is_read(function: Any, n: int) -> None:
    """CPython says so or goes on, by where the dict's table has gaps."""
    given = np.array([3, 1, 4]) if function in (counted, by_hand) else {1: 1, 2: 2, 3: 3}
    with pytest.raises((RuntimeError, pyxla.CompileError), match="the keys of this dict change"):
        pyxla.compile(function)(given, n)


def test_known_keys_that_change_while_they_are_read_are_refused() -> None:
    def f():
        d = {1: 1, 2: 2}
        for k in d:
            del d[k]
            d[k + 2] = k
        return d

    with pytest.raises((RuntimeError, pyxla.CompileError), match="the keys of this dict change"):
        pyxla.compile(f)()


GIVEN = {1, 2, 3, 4, 5, 6, 7, 35, 10, 15, 20, 21}


def left_by_constants(given, k):
    return list(given.difference({4, 20}))


def left_by_data(given, k):
    return list(given - {k, 20})


def taken_out(given, k):
    given -= {k, 4}
    return list(given)


def in_one_of_both(given, k):
    return list(given ^ {k, 99})


def that_are_no_multiples(given, k):
    rest = set()
    for n in given:
        if n % k:
            rest.add(n)
    return [list(given - rest), list(given.difference(rest))]


MADE = [left_by_constants, left_by_data, taken_out, in_one_of_both, that_are_no_multiples]


@pytest.mark.parametrize("function", MADE, ids=lambda f: f.__name__)
@pytest.mark.parametrize("k", [2, 4])
def test_what_is_made_of_sets_that_are_given_is_in_order_or_refused(function, k):
    """Where items are in the caller's table is not known, and so not where they are in others."""
    try:
        got = pyxla.compile(function)({*GIVEN}, k)
    except pyxla.CompileError as refusal:
        assert any(
            x in refusal.message for x in ("of this set", "one by one", "index of a sequence")
        )
    else:
        assert got == function({*GIVEN}, k)


def items_in_order(given, k):
    made = given - {k, 20}
    given ^= {k}
    return sorted(made), sorted(given), sorted(given | made), k in given


def test_what_is_made_of_sets_that_are_given_has_the_items():
    assert pyxla.compile(items_in_order)({*GIVEN}, 4) == items_in_order({*GIVEN}, 4)
