"""What the first pass over a loop assumes: the same results as with none of it, in fewer passes."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pytest

import pyxla
from pyxla.infer.loops.header import LoopHead
from tests.compare import difference


def last_of(n, x):
    norm, count, flag = 0.0, 0, False
    for k in range(n):
        x = x * 0.5 + 1.0
        norm = np.sqrt(x @ x)
        count = k * 0.5
        flag = norm > 1.0
    return x, norm, count, flag


def left_early(n, x):
    best = 0.5
    for k in range(n):
        found = k
        if k * k > 20:
            best = k + 0.5
            break
        if k > 30:
            return x, -1.0
        x = -x
    else:
        return x, best
    return x + found, best


def bound_inside(n, x):
    k = -1
    while k < n:
        k += 1
        y = x[0] * k
        z = k > 2
    return y, z, k


def bound_perhaps(n, x):
    for k in range(n):
        y = x[0] * k
    return y


def nested(n, x):
    norm = 0.0
    for k in range(n):
        step = 1.0
        while step > 0.2:
            step *= 0.5
        x = x + step if k > 1 else x - step
        norm = np.sum(x)
    return x, norm, step


def rebound_or_kept(n, x):
    y = x
    for k in range(n):
        if k % 2:
            y = y * 2.0
    return x, y


class Doubling:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        return other

    def __neg__(self):
        return self


def operators_that_make_nothing(n, x):
    y = Doubling(x)
    for _ in range(n):
        y = -y
    y.x[0] = 7.0
    return x


@dataclass
class Flight:
    height: float = 0.0
    stage: int = 0
    size: int = 3
    debug: bool = False
    state: tuple = (0.0, 1)

    def grow(self):
        self.size += 1

    def climb(self, by):
        self.height += by
        if self.height > 4.0:
            self.stage = 1
        self.state = (self.state[0] + by, self.state[1] * 2)


def fields_change(n, x):
    flight, by = Flight(), float(x[0])
    for _ in range(n):
        flight.climb(by)
        if flight.stage and flight.height > 9.0:
            return flight, x * flight.size
    return flight, x


def fields_stay(n, x):
    flight, other = Flight(), Flight(size=2)
    for _ in range(n):
        if flight.debug:
            flight.grow()
        flight.climb(x[0])
        x = x + np.ones(flight.size) * other.height + np.sum(np.ones(other.size))
    return flight, other, x


def one_of_two_changes(n, x):
    flights = Flight(), Flight(height=7.0, stage=3)
    total = 0.0
    for _ in range(n):
        flights[0].climb(x[0])
        total += flights[1].height * (2.0, 3.0, 4.0, 5.0)[flights[1].stage]
    return flights, total


def left_in_the_first_turn(n, x):
    flight = Flight()
    while flight.height < n:
        flight.climb(x[0])
        break
    return np.zeros(flight.size), flight.height


def grown_by_turns(n, x):
    flight = Flight()
    for _ in range(2):
        x = np.append(x, np.zeros(flight.size))
        flight.grow()
    return x, flight.size


PROGRAMS = [
    *(last_of, left_early, bound_inside, bound_perhaps, nested, rebound_or_kept),
    *(operators_that_make_nothing, fields_change, fields_stay, one_of_two_changes),
    *(left_in_the_first_turn, grown_by_turns),
]


def outcome(function, *args):
    try:
        return function(*args), args
    except Exception as error:  # noqa: BLE001 - what a program raises is compared
        return type(error), str(error)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 9])
def test_as_python(function, n):
    expected = outcome(function, n, np.array([1.5, -2.0, 0.25]))
    found = outcome(pyxla.compile(function), n, np.array([1.5, -2.0, 0.25]))
    if n:
        assert not difference(found, expected)
    else:  # a name that the loop never assigned has the type that the loop would give it
        assert _KIND.sub(r"\1", repr(plain(found))) == repr(plain(expected))


_KIND = re.compile(r"np\.float64\((.*?)\)")


def plain(x):
    if isinstance(x, tuple):
        return [plain(item) for item in x]
    return np.asarray(x, float).tolist() if isinstance(x, int | float | np.generic) else x


@dataclass
class Layer:
    weight: np.ndarray
    seen: np.ndarray


def trained(n, x):
    layer = Layer(x, np.zeros(3))
    for k in range(n):
        for j in range(n):
            layer.weight = layer.weight * 0.5 + j
            layer.seen += layer.weight
        layer.seen[0] = k
    return layer.weight, layer.seen


def lift(flight, by):
    flight.height += by


def lifted(flight, move, most):
    """What the loops do is called by a name that says nothing of it."""
    while flight.height < most:
        move(flight, 0.25)
        while flight.height * 2.0 < most:
            move(flight, 1.0)


def called_by_name(n, x):
    flight = Flight()
    for _ in range(n):
        lifted(flight, lift, x[0])
        lifted(flight, lift, x[0] * 2.0)
    return flight, x


def drawn(n, x):
    rng = np.random.default_rng(3)
    for _ in range(n):
        x = x + rng.random()
    return x


def test_states_of_generators():
    x = np.array([0.5, 2.0, 3.0])
    for n in (0, 1, 4):
        assert not difference(pyxla.compile(drawn)(n, x), drawn(n, x))


def test_fields_that_an_unknown_function_changes():
    x = np.array([9.5, -2.0, 0.25])
    assert not difference(pyxla.compile(called_by_name)(3, x), called_by_name(3, x))


def test_fields_of_arrays():
    x = np.array([0.5, 2.0, 3.0])
    for n in (0, 1, 4):
        assert not difference(pyxla.compile(trained)(n, x.copy()), trained(n, x.copy()))


@pytest.mark.parametrize(
    ("function", "loops"),
    [
        *[(last_of, 1), (nested, 2), (bound_inside, 1), (left_early, 1), (fields_change, 1)],
        # Two of each loop would be four of the inner one: its second visit knows from the first.
        (trained, 5),
        # An inner loop of two calls that are one, by a name of the frame, and the one around it.
        (called_by_name, 6),
        (drawn, 1),
    ],
)
def test_one_pass_is_enough(function, loops, monkeypatch):
    closed = []
    close = LoopHead.close

    def counted(self, *args):
        closed.append(self)
        return close(self, *args)

    monkeypatch.setattr(LoopHead, "close", counted)
    pyxla.compile(function).lower(int, pyxla.f64[3])
    assert len(closed) == loops


def test_fields_that_stay_are_known():
    typed = pyxla.code_typed(fields_stay, int, pyxla.f64[3])
    assert "grow" not in str(typed)


def least(x, used):
    """`best` is -1 or a number of the range, so that reading there needs no check."""
    best = -1
    for i in range(x.shape[0]):
        if not used[i] and (best < 0 or x[i] < x[best]):
            best = i
    return best


def last_down(x, n):
    found = 0
    for i in range(x.shape[0] - 1, -1, -2):
        if x[i] > 0:
            found = i
        elif found > n:
            found = 3
    return x[found], found


def from_a_range_of_data(x, n):
    at = 1
    for i in range(n, n + 4):
        if x[i - n] < 0:
            at = i
    return at


def wrong_of_another_name(x, n):
    """`a` is what `b` was, which has no range of its own."""
    a, b = 0, 0
    for i in range(x.shape[0]):
        a, b = (i, b + n) if x[i] > 0 else (b, b + n)
    return a, b


@pytest.mark.parametrize("seed", range(3))
def test_names_bound_to_items_of_ranges(seed):
    rng = np.random.default_rng(seed)
    x, used = rng.normal(size=12), rng.random(12) < 0.5
    for used_ in (used, np.ones(12, bool)):
        assert pyxla.compile(least)(x, used_) == least(x, used_)
    for function in (last_down, from_a_range_of_data, wrong_of_another_name):
        for n in (-3, 0, 7, 1 << 40):
            assert pyxla.compile(function)(x, n) == function(x, n)


@pytest.mark.parametrize("args", [(np.zeros(9), np.zeros(9, bool))])
def test_no_check_of_such_names(args):
    assert "flag" not in str(pyxla.code_typed(least, *args))
