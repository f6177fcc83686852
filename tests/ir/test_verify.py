"""Code broken by hand: the verifier names the clause and points at the culprit."""

from __future__ import annotations

import pytest

from pyxla.errors import Location
from pyxla.ir.core import Block, Branch, Jump, Raise, Return, Value
from pyxla.ir.types import BOOL, I64
from pyxla.ir.verify import InvalidCode, verify_region, verify_typed, verify_untyped
from pyxla.lower.outline import outline
from tests.ir.test_printer import counting


def graph():
    function = counting()
    verify_typed(function)
    verify_untyped(function)
    return function, *function.blocks


def use_before_definition(function, entry, head, body, exit):
    head.instrs[0].operands = (body.instrs[1].result, function.params[0])


def phi_without_an_edge(function, entry, head, body, exit):
    del head.phis[0].args[body]


def phi_of_a_value_not_on_its_edge(function, entry, head, body, exit):
    head.phis[0].args[entry] = body.instrs[1].result


def wrong_predecessors(function, entry, head, body, exit):
    exit.preds.append(body)


def unlisted_edge(function, entry, head, body, exit):
    exit.preds.clear()


def no_terminator(function, entry, head, body, exit):
    function.blocks.remove(exit)


def edge_to_the_entry(function, entry, head, body, exit):
    exit.terminator = Jump(entry)
    entry.preds.append(exit)


def raise_in_typed_code(function, entry, head, body, exit):
    exit.terminator = Raise(())


def wrong_type(function, entry, head, body, exit):
    body.instrs[1].result.type = BOOL


def branch_on_an_integer(function, entry, head, body, exit):
    head.terminator.cond = head.phis[0].value


def defined_twice(function, entry, head, body, exit):
    body.instrs.append(body.instrs[0])


def owned_by_another(function, entry, head, body, exit):
    body.instrs[0].result.owner = body.instrs[1]


CLAUSES = {
    use_before_definition: "a use is dominated by its definition",
    phi_without_an_edge: "a phi has one operand per predecessor",
    phi_of_a_value_not_on_its_edge: "a phi's operand is defined at its edge",
    wrong_predecessors: "predecessors lead to the block",
    unlisted_edge: "a block lists each edge to it",
    no_terminator: "every block listed is reached, and no other",
    edge_to_the_entry: "nothing jumps to the entry",
    raise_in_typed_code: "a block ends with one of jump, branch, return",
    wrong_type: "results have the types inferred",
    branch_on_an_integer: "a branch tests a scalar bool",
    defined_twice: "a value is defined once",
    owned_by_another: "a value knows what defines it",
}


@pytest.mark.parametrize("damage", CLAUSES, ids=lambda damage: damage.__name__)
def test_broken_graphs(damage):
    function, *blocks = graph()
    damage(function, *blocks)
    with pytest.raises(InvalidCode) as caught:
        verify_typed(function)
    assert CLAUSES[damage] in caught.value.message
    assert "func count" in caught.value.message


def test_the_message_points_at_the_culprit():
    function, _, head, body, _ = graph()
    head.instrs[0].loc = Location("file.py", 7)
    use_before_definition(function, None, head, body, None)
    with pytest.raises(InvalidCode) as caught:
        verify_typed(function)
    (line,) = [line for line in caught.value.message.splitlines() if "<-- here" in line]
    assert "compare" in line and caught.value.lineno == 7


def test_broken_regions():
    region = outline(counting())
    verify_region(region)
    (loop,) = [instr for instr in region.instrs if instr.op.name == "while"]
    region.results = (loop.regions[1].results[0],)
    with pytest.raises(InvalidCode, match="dominated"):
        verify_region(region)
    region.results = loop.results
    loop.regions[1].results = (Value(I64),)
    with pytest.raises(InvalidCode, match="dominated"):
        verify_region(region)


def test_untyped_code_may_raise():
    function, *_, exit = graph()
    exit.terminator = Raise(exit.terminator.operands)
    verify_untyped(function)


def test_returns_agree():
    function, _entry, head, _, exit = graph()
    other = Block()
    other.terminator = Return(())
    head.terminator = Branch(head.terminator.cond, head.terminator.if_true, other)
    other.preds.append(head)
    exit.preds.clear()
    function.blocks[-1] = other
    verify_typed(function)
