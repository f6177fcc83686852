"""Integer facts hold of every number they speak of: arithmetic, joins and what branches teach."""

from __future__ import annotations

import operator
from itertools import product

import numpy as np
import pytest

import pyxla
from pyxla.abstract.facts import extent
from pyxla.abstract.facts.extent import IntFact
from pyxla.abstract.facts.refine import atoms, constant_of, negated, refined, told
from pyxla.abstract.lattice import Const, Scalar
from pyxla.ir.core import Value
from pyxla.ir.types import python_type

RANGE = range(-4, 5)
BOUNDS = [None, -3, -1, 0, 2]
INTERVALS = [IntFact(lo, hi) for lo, hi in product(BOUNDS, BOUNDS) if None in (lo, hi) or lo <= hi]
OPERATIONS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "min": min,
    "max": max,
}
COMPARISONS = {
    "EQ": operator.eq,
    "NE": operator.ne,
    "LT": operator.lt,
    "LE": operator.le,
    "GT": operator.gt,
    "GE": operator.ge,
}


def holds(known: IntFact, x: int) -> bool:
    return (known.lo is None or known.lo <= x) and (known.hi is None or x <= known.hi)


def members(known: IntFact) -> list[int]:
    return [x for x in RANGE if holds(known, x)]


def integer(known: IntFact) -> Scalar:
    return Scalar(Value(python_type(int)), known)


@pytest.mark.parametrize("name", OPERATIONS)
def test_arithmetic(name):
    function = OPERATIONS[name]
    for x, y in product(INTERVALS, INTERVALS):
        known = extent.TRANSFER[name](x, y)
        for a, b in product(members(x), members(y)):
            if b or name not in ("floordiv", "mod"):
                assert holds(known, function(a, b)), (x, y, known, a, b)


@pytest.mark.parametrize("name", OPERATIONS)
def test_arithmetic_with_constants(name):
    function = OPERATIONS[name]
    for x, b in product(INTERVALS, RANGE):
        if b or name not in ("floordiv", "mod"):
            known = extent.TRANSFER[name](x, extent.fact(b))
            assert all(holds(known, function(a, b)) for a in members(x)), (x, b, known)


@pytest.mark.parametrize(("name", "function"), [("neg", operator.neg), ("abs", abs)])
def test_signs(name, function):
    for x in INTERVALS:
        known = extent.TRANSFER[name](x)
        assert all(holds(known, function(a)) for a in members(x)), (x, known)


def test_join_and_meet_are_those_of_intervals():
    for x, y in product(INTERVALS, INTERVALS):
        both = extent.join(x, y)
        assert both == extent.join(y, x)
        assert extent.join(both, x) == both == extent.join(both, y)
        assert extent.join(x, x) == x
        met = extent.meet(x, y.lo, y.hi)
        assert members(met) == [a for a in members(x) if a in members(y)]


def test_differences_of_linear_forms():
    i, j = integer(IntFact(0, None)), integer(IntFact(0, None))
    up = Scalar(Value(python_type(int)), extent.add(extent.fact(i), extent.fact(3)))
    assert extent.difference(up, i) == 3 and extent.difference(up, j) is None
    assert extent.at_most(i, up) and not extent.at_most(up, i)


def test_what_meets_is_apart_from_the_same_symbols():
    i = integer(IntFact(0, None))
    ends = [extent.add(extent.fact(i), extent.fact(n)) for n in (0, 1)]
    once = Scalar(Value(python_type(int)), extent.join(*ends))
    assert extent.distance(once, i) == (0, 1) and extent.distance(i, once) == (-1, 0)
    ends = [extent.fact(once), extent.add(extent.fact(once), extent.fact(2))]
    twice = Scalar(Value(python_type(int)), extent.join(*ends))
    assert extent.distance(twice, i) == (0, 3) and extent.difference(twice, i) is None
    other = integer(IntFact(0, None))
    total = integer(extent.add(extent.fact(twice), extent.fact(other)))
    assert extent.distance(total, i) == (None, None)


@pytest.mark.parametrize("direction", COMPARISONS)
@pytest.mark.parametrize("outcome", [True, False])
def test_branches_teach_what_holds(direction, outcome):
    function = COMPARISONS[direction]
    for first, second in product(INTERVALS, INTERVALS):
        x, y = integer(first), integer(second)
        env = {x.value: x, y.value: y}
        cond = Scalar(Value(python_type(bool)), None, (direction, x, y))
        known = refined(env, atoms(cond, outcome), ())
        pairs = product(members(first), members(second))
        pairs = [(a, b) for a, b in pairs if function(a, b) is outcome]
        if known is None:
            assert not pairs, "a side that can be taken is left out"
            continue
        facts = [extent.fact(known[v.value]) for v in (x, y)]
        assert all(holds(f, a) for pair in pairs for f, a in zip(facts, pair, strict=True))


def test_a_branch_narrows_what_differs_by_a_constant():
    i = integer(IntFact(0, None))
    after = Scalar(Value(python_type(int)), extent.add(extent.fact(i), extent.fact(1)))
    known = refined({i.value: i, after.value: after}, (("LT", i, 10),), ())
    assert extent.upper(known[i.value]) == 9 and extent.upper(known[after.value]) == 10


FORMS = [
    lambda a, b, plus, minus, times: minus(a, b),
    lambda a, b, plus, minus, times: minus(plus(b, 3), a),
    lambda a, b, plus, minus, times: plus(times(a, 2), 1),
]


@pytest.mark.parametrize("direction", COMPARISONS)
@pytest.mark.parametrize("form", FORMS)
def test_comparisons_tell_of_what_is_made_of_their_operands(direction, form):
    for first, second in product(INTERVALS, INTERVALS):
        x, y = integer(first), integer(second)
        rules = extent.add, extent.subtract, extent.multiply
        facts = [lambda a, b, rule=rule: rule(*map(as_fact, (a, b))) for rule in rules]
        made = form(extent.fact(x), extent.fact(y), *facts)
        doubled = extent.multiply(extent.fact(x), extent.fact(2))
        atoms = (direction, x, y), ("LT", integer(doubled), 5)
        known = told(integer(made), atoms).fact
        for a, b in product(members(first), members(second)):
            if COMPARISONS[direction](a, b) and 2 * a < 5:
                exact = form(a, b, operator.add, operator.sub, operator.mul)
                assert holds(known, exact), (first, second, known, a, b)


def as_fact(x: IntFact | int) -> IntFact:
    return x if isinstance(x, IntFact) else extent.fact(x)


def sorted_by_gaps(x):
    gap = len(x) // 2
    while gap > 0:
        for i in range(gap, len(x)):
            key, j = x[i], i
            while j >= gap and x[j - gap] > key:
                x[j] = x[j - gap]
                j -= gap
            x[j] = key
        gap //= 2
    return x


def children(x):
    """What those of a heap, which lie side by side, come to."""
    total = 0.0
    for root in range(len(x)):
        if 2 * root + 1 < len(x):
            total += x[2 * root + 1]
            if 2 * root + 2 < len(x):
                total -= x[2 * root + 2]
    return total


@pytest.mark.parametrize("function", [sorted_by_gaps, children])
def test_no_check_of_what_a_comparison_tells(function):
    x = np.random.default_rng(0).random(20)
    np.testing.assert_array_equal(pyxla.compile(function)(x.copy()), function(x.copy()))
    assert "flag" not in str(pyxla.code_typed(function, x))


def test_negated_tests():
    test = ("LT", integer(IntFact()), 3)
    assert negated(test) == ("GE", *test[1:]) and negated(negated(test)) == test
    assert negated(("implies", (test,), ())) == ("implies", (), (test,))
    assert negated(None) is None


def test_an_interval_of_one_number_is_a_constant():
    found = constant_of(integer(IntFact(4, 4)))
    assert isinstance(found, Const) and found.value == 4
    for known in (IntFact(4, 5), IntFact(), IntFact(4, None)):
        x = integer(known)
        assert constant_of(x) is x


def test_ints_of_the_same_symbols_are_a_known_number_apart():
    x, y = (Scalar(Value(python_type(int), None)) for _ in range(2))
    both, swapped = (extent.add(extent.fact(a), extent.fact(b)) for a, b in ((x, y), (y, x)))
    assert extent.apart(extent.add(both, extent.fact(3)), swapped) == 3
    assert extent.apart(both, extent.fact(x)) is None
    assert extent.apart(extent.fact(x), extent.fact(y)) is None
    assert extent.difference(7, 4) == 3


def divided(a: int, b: int) -> tuple[int, ...]:
    x, y = a % 50, b % 7 + 1
    signed = (x - 25) // y, (x - 25) % y, -x // y, -x % y
    return x // y, x % y, *divmod(x, y), x // (y + 3), x % 3, x // 3, x % 8, x // 4, *signed


def counted(a: int, b: int, flag: bool) -> int:
    """Ranges whose steps go up, of no items too."""
    out = 0
    for step in range(1, 6):
        for i in range(a % 20 - 10, b % 20 - 10, step):
            out = out * 7 % 1000003 + i
        for i in range(flag, a % 9, step):
            out = out * 3 % 1000003 + i
        out += 100 * len(range(a % 20 - 10, b % 20 - 10, step))
    return out


def natural(a: int, b: int) -> tuple[int, int]:
    x, y = a % 64, b % 8 + 1
    return x // y, x % y


def far(a: int, b: int) -> int:
    """Its length fits, what is next to be counted does not."""
    return len(range(a, b, (a & 7) + 1))


def test_quotients_of_natural_ints_and_lengths_of_ranges_that_go_up():
    ours = [pyxla.compile(f) for f in (divided, counted, natural, far)]
    for a, b in product([-101, -50, -1, 0, 3, 49, 50, 87], [-8, -1, 0, 5, 6, 30]):
        assert ours[0](a, b) == divided(a, b)
        for flag in (False, True):
            assert ours[1](a, b, flag) == counted(a, b, flag)
        assert ours[2](a, b) == natural(a, b)
        assert ours[3](a, b) == far(a, b)
    assert ours[3](2**62, 2**62 + 30) == far(2**62, 2**62 + 30)
    assert ours[3](3, 2**63 - 1) == far(3, 2**63 - 1)
    text = pyxla.code_typed(natural, int, int)
    assert "divide" in text
    assert "select" not in text
    assert "flag" not in text
