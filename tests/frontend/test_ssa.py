"""The promises of `to_ssa`: shape of the graph, placement of phis, closed loops, locations."""

import pytest

from pyxla.errors import CompileError
from pyxla.frontend.source import source_function
from pyxla.frontend.ssa import to_ssa
from pyxla.ir.core import Branch, Jump
from pyxla.ir.dominance import Component, dominates
from tests.frontend.corpus import CORPUS
from tests.frontend.liveness import live_in
from tests.frontend.test_fence import define

FUNCTIONS = [pytest.param(f, id=f.__name__) for f, _ in CORPUS]


def all_ssa(function):
    """The SSA form of a function and of those nested in it."""
    work = [to_ssa(source_function(function))]
    while work:
        ssa = work.pop()
        yield ssa
        for block in ssa.function.blocks:
            work += [to_ssa(i.attrs["function"]) for i in block.instrs if i.op.name == "function"]


def phis(ssa):
    return {phi.value.hint for block in ssa.function.blocks for phi in block.phis}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_graph_is_consistent(function):
    for ssa in all_ssa(function):
        blocks = ssa.function.blocks
        assert tuple(blocks) == ssa.flow.order
        for block in blocks:
            assert block.terminator is not None
            for succ in block.succs:
                assert succ.preds.count(block) == block.succs.count(succ)
                if isinstance(block.terminator, Branch):
                    assert succ.preds == [block]
            assert all(block in pred.succs for pred in block.preds)
        for header, loop in ssa.flow.loops.items():
            before, latch = header.preds
            assert before not in loop and latch in loop
            assert isinstance(before.terminator, Jump)
            assert isinstance(latch.terminator, Jump)
            for _, target in loop.exits:
                assert all(pred in loop for pred in target.preds)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_definitions_dominate_uses_and_loops_are_closed(function):
    for ssa in all_ssa(function):
        idom = ssa.flow.idom
        home = dict.fromkeys(ssa.function.params, ssa.function.blocks[0])
        for block in ssa.function.blocks:
            home.update((phi.value, block) for phi in block.phis)
            home.update((v, block) for i in block.instrs for v in i.results)
        uses = [
            (value, block)
            for block in ssa.function.blocks
            for owner in (*block.instrs, block.terminator)
            for value in owner.operands
        ]
        for block in ssa.function.blocks:
            for phi in block.phis:
                assert list(phi.args) and set(phi.args) == set(block.preds)
                uses += [(value, pred) for pred, value in phi.args.items()]
        for value, block in uses:
            assert dominates(idom, home[value], block)
            for loop in ssa.flow.loops.values():
                assert home[value] not in loop or block in loop


@pytest.mark.parametrize("function", FUNCTIONS)
def test_live_values_are_those_of_the_general_analysis(function):
    for ssa in all_ssa(function):
        expected = live_in(ssa.function.blocks)
        for block in ssa.function.blocks[1:]:
            assert set(expected[block]) == set(ssa.live_in[block])


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_instruction_has_a_place(function):
    for ssa in all_ssa(function):
        for block in ssa.function.blocks:
            for instr in block.instrs:
                assert instr.loc.filename == function.__code__.co_filename
                assert instr.loc.function == ssa.source.qualname
                first, last = ssa.source.node.lineno, ssa.source.node.end_lineno
                assert first <= instr.loc.lineno <= last


def test_phis_are_pruned():
    ssa = to_ssa(define("if x:\n    y = 1\n    z = 2\nelse:\n    y = 2\n    z = 3\nreturn y"))
    assert phis(ssa) == {"y"}


def test_only_assigned_names_are_carried():
    ssa = to_ssa(define("a = b = 0\nwhile a < x:\n    a += b\nreturn a"))
    assert phis(ssa) == {"a"}
    ((header, loop),) = ssa.flow.loops.items()
    (exit_,) = [target for _, target in loop.exits]
    assert [phi.value.hint for phi in exit_.phis] == ["a"]
    assert ssa.flow.wto[1].header is header and isinstance(ssa.flow.wto[1], Component)


def test_loops_without_a_second_turn_are_no_loops():
    ssa = to_ssa(define("while x:\n    return 1\nreturn 2"))
    assert not ssa.flow.loops


def test_a_name_without_a_value_is_marked():
    ssa = to_ssa(define("if x:\n    y = 1\nreturn y"))
    (phi,) = ssa.function.blocks[-1].phis
    assert sorted(v.owner.op.name for v in phi.args.values()) == ["const", "unbound"]


def test_parameters_shared_with_nested_functions_live_in_boxes():
    ssa = to_ssa(define("def g():\n    return x\nx += 1\nreturn g"))
    names = [i.op.name for i in ssa.function.blocks[0].instrs]
    assert names[:3] == ["box", "box_set", "function"]


def test_results_are_made_once():
    source = define("return x")
    assert to_ssa(source) is to_ssa(source)


@pytest.mark.parametrize(
    "body",
    [
        "x = x + 1\n" * 3000 + "return x",
        "if x:\n    x += 1\n" * 1000 + "return x",
        "while x:\n    x += 1\n" * 1000 + "return x",
        "if x: pass\n" + "elif x > 1:\n    x += 1\n" * 300 + "return x",
        "return x" + " + x" * 700,
        "return " + "lambda: " * 60 + "x",
    ],
    ids=["lines", "branches", "loops", "elif", "sum", "lambdas"],
)
def test_long_functions(body):
    assert to_ssa(define(body)).function.blocks


def test_what_is_nested_too_deeply_is_refused():
    with pytest.raises(CompileError, match="nested too deeply"):
        to_ssa(define("return " + "x if x else " * 600 + "x"))
