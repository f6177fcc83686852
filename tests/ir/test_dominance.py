"""Dominators, loops, orders and liveness against brute force on random structured graphs."""

import itertools
import random

import pytest

from pyxla.errors import CompileError
from pyxla.frontend.pyops import CONST
from pyxla.ir.core import Block, Branch, Function, Instr, Jump, Phi, Return, Value
from pyxla.ir.dominance import (
    Component,
    dominance_frontiers,
    dominates,
    flow_graph,
    immediate_dominators,
    reverse_postorder,
)
from tests.frontend.liveness import live_in


def graph(edges: dict[str, str]) -> dict[str, Block]:
    """Blocks by letter from `{"a": "bc"}`; the first letter is the entry."""
    blocks = {name: Block(name) for name in edges}
    for name, targets in edges.items():
        succs = [blocks[t] for t in targets]
        for succ in succs:
            succ.preds.append(blocks[name])
        blocks[name].terminator = (
            Return(())
            if not succs
            else Jump(succs[0])
            if len(succs) == 1
            else Branch(Value(), *succs)
        )
    return blocks


def labels(items) -> str:
    return "".join(
        f"({labels(item.items)})" if isinstance(item, Component) else item.label for item in items
    )


def structured(rng: random.Random, depth: int = 0) -> dict[str, str]:
    """A random reducible graph: nested loops and branches with breaks, as Python makes them."""
    names = iter(range(1000))
    succs: dict[int, list[int]] = {}

    def new() -> int:
        name = next(names)
        succs[name] = []
        return name

    def body(block: int, depth: int, breaks: list[int], continues: list[int]) -> int | None:
        for _ in range(rng.randint(1, 3)):
            kind = rng.choice(["if", "loop", "exit", "plain"]) if depth < 4 else "plain"
            if kind == "if":
                then, other, merge = new(), new(), new()
                succs[block] = [then, other]
                ends = [body(b, depth + 1, breaks, continues) for b in (then, other)]
                for end in ends:
                    if end is not None:
                        succs[end] = [merge]
                if ends == [None, None]:
                    return None
                block = merge
            elif kind == "loop":
                head, inside, after = new(), new(), new()
                succs[block] = [head]
                succs[head] = [inside, after]
                end = body(inside, depth + 1, [*breaks, after], [*continues, head])
                if end is not None:
                    succs[end] = [head]
                block = after
            elif kind == "exit" and breaks:
                succs[block] = [rng.choice([breaks[-1], continues[-1]])]
                return None
        return block

    body(new(), 0, [], [])
    return {chr(33 + n): "".join(chr(33 + s) for s in t) for n, t in succs.items()}


def test_order_visits_predecessors_first():
    blocks = graph({"a": "bc", "b": "d", "c": "d", "d": ""})
    assert labels(reverse_postorder(blocks["a"])) == "abcd"


def test_dominators_and_frontiers_of_a_diamond_in_a_loop():
    b = graph({"a": "b", "b": "cf", "c": "de", "d": "b", "e": "b", "f": ""})
    order = reverse_postorder(b["a"])
    idom = immediate_dominators(order)
    assert "".join(name + idom[block].label for name, block in b.items()) == "aabacbdcecfb"
    frontiers = dominance_frontiers(order, idom)
    assert (
        labels(frontiers[b["d"]]) == labels(frontiers[b["c"]]) == labels(frontiers[b["b"]]) == "b"
    )


def test_weak_topological_order_keeps_loops_together():
    b = graph({"a": "b", "b": "cg", "c": "bd", "d": "e", "e": "b", "f": "", "g": "f"})
    assert labels(flow_graph(b["a"]).wto) == "a(bcde)gf"
    b = graph({"a": "b", "b": "ce", "c": "d", "d": "cb", "e": ""})
    flow = flow_graph(b["a"])
    assert labels(flow.wto) == "a(b(cd))e"
    inner = flow.loops[b["c"]]
    assert inner.parent is flow.loops[b["b"]] and inner.depth == 2
    assert [(s.label, t.label) for s, t in inner.exits] == [("d", "b")]


def test_an_irreducible_graph_is_refused():
    b = graph({"a": "bc", "b": "c", "c": "b"})
    with pytest.raises(CompileError, match="reducible"):
        flow_graph(b["a"])


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs_against_brute_force(seed):
    blocks = graph(structured(random.Random(seed)))
    entry = next(iter(blocks.values()))
    flow = flow_graph(entry)
    reachable = set(flow.order)
    for block in flow.order:
        block.preds = [p for p in block.preds if p in reachable]
    position = {block: i for i, block in enumerate(flow.order)}
    for block in flow.order:
        without = {entry} if block is entry else set(_reach(entry, block))
        for other in flow.order:
            expected = other is block or other not in without or block is entry
            assert dominates(flow.idom, block, other) == expected
        for succ in block.succs:
            if position[succ] <= position[block]:
                assert block in flow.loops[succ].blocks
    for header, loop in flow.loops.items():
        back = [b for b in flow.order if header in b.succs and dominates(flow.idom, header, b)]
        body = {header} | {
            b for b in _reach(header, None) if any(s in _reach(b, header) for s in back)
        }
        assert set(loop.blocks) == body
        places = sorted(position[b] for b in loop.blocks)
        assert places == list(range(places[0], places[0] + len(places)))


def _reach(start: Block, avoid: Block | None) -> set[Block]:
    seen: set[Block] = set()
    work = [start]
    while work:
        block = work.pop()
        if block in seen or block is avoid:
            continue
        seen.add(block)
        work.extend(block.succs)
    return seen


def test_liveness_counts_phi_operands_on_their_edges():
    b = graph({"a": "b", "b": "cd", "c": "b", "d": ""})
    param = Value(hint="n")
    one = _define(b["a"])
    phi = Phi(b["b"], None, "i", None)
    b["b"].phis.append(phi)
    two = _define(b["c"], phi.value)
    phi.args = {b["a"]: one, b["c"]: two}
    b["d"].terminator = Return((param,))
    function = Function("f", (param,), reverse_postorder(b["a"]), None)
    live = live_in(function.blocks)
    assert param in live[b["b"]] and phi.value not in live[b["b"]]
    assert {phi.value, param} <= set(live[b["c"]])
    assert one not in live[b["b"]] and list(live[b["d"]]) == [param]


def _define(block: Block, *operands: Value) -> Value:
    instr = Instr(CONST, operands, {}, (), None)
    instr.results = (Value(None, instr),)
    block.instrs.append(instr)
    return instr.result


def test_ten_thousand_blocks_in_a_row():
    names = [f"{i}" for i in range(20_000)]
    blocks = [Block(n) for n in names]
    for one, two in itertools.pairwise(blocks):
        one.terminator = Jump(two)
        two.preds.append(one)
    blocks[-1].terminator = Return(())
    assert len(flow_graph(blocks[0]).wto) == 20_000
