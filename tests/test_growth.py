"""What compiling costs grows as programs do, in counts that do not depend on the machine."""

import numpy as np
import pytest

from benchmarks.growth import FAMILIES, LINEAR, exponent
from pyxla.infer.joins import choices
from pyxla.infer.lists.item_joins import joined_items
from pyxla.infer.lists.item_types import Number, Pick, Row, Same
from pyxla.ir.types import array_type

GROWING = [name for name, family in FAMILIES.items() if family.linear]
NESTED = 3.2  # an order of reverse mode: the code, forwards and backwards


@pytest.mark.parametrize("name", GROWING)
def test_cost_is_near_linear(name):
    few, many = (FAMILIES[name].cost(n) for n in (8, 16))
    assert exponent(few.visits, many.visits) <= LINEAR
    assert exponent(few.instructions, many.instructions) <= LINEAR
    assert many.attempts == few.attempts


def test_seconds_are_measured():
    assert FAMILIES["checks"].seconds(2) > 0


def test_an_order_of_derivatives_costs_no_more_than_the_code_thrice():
    costs = [FAMILIES["orders of derivatives"].cost(n) for n in range(2, 6)]
    for few, many in zip(costs, costs[1:], strict=False):
        assert many.instructions <= NESTED * few.instructions
        assert many.visits - few.visits <= 10


@pytest.mark.parametrize("name", ["chain of calls", "closures called on two paths"])
def test_a_function_is_visited_once_for_the_types_it_is_called_with(name):
    few, many = (FAMILIES[name].cost(n) for n in (4, 8))
    assert exponent(few.visits, many.visits) <= LINEAR


def test_items_of_a_list_are_joined_in_time_that_grows_as_they_do(monkeypatch):
    """Tuples with texts, all different: each text is looked at once, whatever was there before."""
    seen = []
    key = choices._key
    monkeypatch.setattr(choices, "_key", lambda value: seen.append(value) or key(value))
    number = Number(array_type(np.dtype(np.int64), (), True))
    rows = [Row(tuple, (Same(f"n{k}"), Row(tuple, (number, Same("ab"[k % 2]))))) for k in range(80)]
    found = joined_items(rows)
    names = Pick(tuple([f"n{k}" for k in range(80)]))
    assert found == Row(tuple, (names, Row(tuple, (number, Pick(("a", "b"))))))
    assert len(seen) <= 2 * 80
