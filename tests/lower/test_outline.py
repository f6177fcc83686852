"""Outlining: any reducible graph computes the same as the region it becomes."""

from __future__ import annotations

import numpy as np
import pytest

from pyxla.errors import CompileError
from pyxla.ir.build import Builder
from pyxla.ir.core import Block, Branch, Function, Jump, Phi, Region, Return, Value
from pyxla.ir.printer import print_function
from pyxla.ir.rewrite import walk
from pyxla.ir.types import I64, array_type
from pyxla.ir.verify import verify_region, verify_typed
from pyxla.lower.cpu.fences import fence_reads
from pyxla.lower.outline import outline
from pyxla.lower.simplify import simplify
from pyxla.ops.elementwise import add, compare, multiply
from pyxla.ops.index import dynamic_update_slice
from pyxla.ops.reduce import reduce
from pyxla.ops.shape import constant
from pyxla.reflect import compilation
from tests.ir.interp import TooLong, run_function, run_region
from tests.ir.random_graphs import arguments, random_function

LARGE = array_type(np.dtype(np.int64), (1000,))


@pytest.mark.parametrize("batch", range(12))
def test_random_graphs_compute_the_same(batch):
    for seed in range(batch * 20, batch * 20 + 20):
        check(lambda seed=seed: random_function(seed, 20), f"seed {seed}")


@pytest.mark.parametrize("seed", range(1000, 1004))
def test_long_random_graphs_compute_the_same(seed):
    check(lambda: random_function(seed, 120), f"seed {seed}")


def check(make, what):
    graph = make()
    verify_typed(graph)
    inputs = [arguments(k) for k in range(3)]
    expected = [_run(run_function, graph, args) for args in inputs]
    region = outline(make())
    verify_region(region)
    _compare(region, inputs, expected, what)
    smaller = simplify(region)
    verify_region(smaller)
    _compare(smaller, inputs, expected, f"{what}, simplified")
    fenced = fence_reads(smaller)
    verify_region(fenced)
    _compare(fenced, inputs, expected, f"{what}, fenced")


def _compare(region, inputs, expected, what):
    for args, want in zip(inputs, expected, strict=True):
        if want is None:
            continue
        got = run_region(region, *args)
        same = all(np.array_equal(x, y) for x, y in zip(got, want, strict=True))
        assert same, f"{what}\n{print_function(region)}"


def _run(run, code, args):
    try:
        return run(code, *args)
    except TooLong:
        return None


# What loops and conditionals become.


class Graph:
    """Blocks by name, and a builder for each."""

    def __init__(self, *names, params):
        self.blocks = {name: Block(name) for name in names}
        self.params = params

    def emit(self, block, op, *operands, **attrs):
        return Builder(self.blocks[block].instrs).emit(op, operands, attrs)

    def number(self, block, value):
        return self.emit(block, constant, value=np.asarray(value, np.int64))

    def jump(self, source, target):
        self.blocks[source].terminator = Jump(self.blocks[target])
        self.blocks[target].preds.append(self.blocks[source])

    def branch(self, source, cond, yes, no):
        self.blocks[source].terminator = Branch(cond, self.blocks[yes], self.blocks[no])
        for target in (yes, no):
            self.blocks[target].preds.append(self.blocks[source])

    def phi(self, block, type, hint=""):
        phi = Phi(self.blocks[block], type, hint, None)
        self.blocks[block].phis.append(phi)
        return phi

    def merge(self, phi, **values):
        phi.args = {self.blocks[name]: value for name, value in values.items()}

    def region(self, block, *results) -> Region:
        self.blocks[block].terminator = Return(results)
        function = Function("f", self.params, list(self.blocks.values()), None)
        verify_typed(function)
        region = outline(function)
        verify_region(region)
        return region


def ops(region):
    return [instr.op.name for instr in region.instrs]


def only(region, name):
    (instr,) = [instr for instr in region.instrs if instr.op.name == name]
    return instr


def counting_loop(with_break):
    """`while i < n: A = A + A; if i == A...: break; i += 1`, as a graph."""
    n, array = Value(I64, None, "n"), Value(LARGE, None, "A")
    names = ("entry", "head", "body", "next", "exit")
    g = Graph(*names, params=(n, array))
    i, a = g.phi("head", I64, "i"), g.phi("head", LARGE, "A")
    zero = g.number("entry", 0)
    g.jump("entry", "head")
    g.branch("head", g.emit("head", compare, i.value, n, direction="LT"), "body", "exit")
    twice = g.emit("body", add, a.value, a.value)
    out = g.phi("exit", LARGE, "A")
    if with_break:
        seven = g.number("body", 7)
        g.branch("body", g.emit("body", compare, i.value, seven, direction="EQ"), "exit", "next")
        g.merge(out, head=a.value, body=twice)
    else:
        g.jump("body", "next")
        g.merge(out, head=a.value)
    following = g.emit("next", add, i.value, g.number("next", 1))
    g.jump("next", "head")
    g.merge(i, entry=zero, next=following)
    g.merge(a, entry=array, next=twice)
    return g.region("exit", out.value)


def test_a_plain_loop_tests_in_its_condition():
    region = simplify(counting_loop(with_break=False))
    loop = only(region, "while")
    assert ops(loop.regions[0]) == ["compare"]
    assert len(loop.operands) == 2
    (result,) = run_region(region, np.asarray(3), np.ones(1000, np.int64))
    assert result[0] == 8


def test_break_carries_a_flag_and_no_second_array():
    region = simplify(counting_loop(with_break=True))
    loop = only(region, "while")
    assert [str(value.type) for value in loop.operands] == ["i64[]", "i64[1000]", "bool_[]"]
    assert sorted(ops(loop.regions[0])) == ["and", "compare"]
    for n, doublings in ((3, 3), (100, 8)):
        (result,) = run_region(region, np.asarray(n), np.ones(1000, np.int64))
        assert result[0] == 2**doublings


def test_what_only_the_next_iteration_reads_does_not_wait_for_a_break():
    loop = only(simplify(counting_loop(with_break=True)), "while")
    body = loop.regions[1]
    (counter,) = [x for x in body.results if str(x.type) == "i64[]"]
    assert counter.owner.op.name == "add"


def test_a_dear_condition_the_body_needs_is_computed_once_per_iteration():
    """`while (s := sum(A)) < n: A = A + s`: the sum is carried, not computed twice."""
    n, array = Value(I64, None, "n"), Value(LARGE, None, "A")
    g = Graph("entry", "head", "body", "exit", params=(n, array))
    a = g.phi("head", LARGE, "A")
    zero = g.number("entry", 0)
    g.jump("entry", "head")
    attrs = {"dimensions": (0,), "computation": "add"}
    total = g.emit("head", reduce, a.value, zero, **attrs)
    g.branch("head", g.emit("head", compare, total, n, direction="LT"), "body", "exit")
    piece = g.emit("body", constant, value=np.asarray([5]))
    new = g.emit("body", dynamic_update_slice, a.value, piece, total)
    g.jump("body", "head")
    g.merge(a, entry=array, body=new)
    region = simplify(g.region("exit", a.value))
    loop = only(region, "while")
    assert [i.op.name for i in walk(loop.regions[0].instrs)] == []
    assert ops(loop.regions[1]).count("reduce") == 1
    (result,) = run_region(region, np.asarray(12), np.zeros(1000, np.int64))
    assert (result[0], result[5], result[10]) == (5, 5, 5)


def test_a_long_function_is_flat():
    """A thousand conditionals in a row: no recursion, linear size."""
    x, c = Value(I64, None, "x"), Value(I64, None, "c")
    names = [f"{kind}{k}" for k in range(1001) for kind in ("if", "then")]
    g = Graph(*names[:-1], params=(x, c))
    value = x
    for k in range(1000):
        test = g.emit(f"if{k}", compare, c, g.number(f"if{k}", k), direction="EQ")
        g.branch(f"if{k}", test, f"then{k}", f"if{k + 1}")
        other = g.emit(f"then{k}", multiply, value, c)
        g.jump(f"then{k}", f"if{k + 1}")
        phi = g.phi(f"if{k + 1}", I64)
        g.merge(phi, **{f"if{k}": value, f"then{k}": other})
        value = phi.value
    region = g.region("if1000", value)
    assert len(region.instrs) == 4000
    assert run_region(region, np.asarray(2), np.asarray(7)) == (14,)


def test_early_returns_without_end_are_refused():
    """A thousand early returns nest a thousand deep."""
    x = Value(I64, None, "x")
    names = [f"{kind}{k}" for k in range(1000) for kind in ("if", "then")]
    g = Graph(*names, "end", params=(x,))
    for k in range(1000):
        test = g.emit(f"if{k}", compare, x, g.number(f"if{k}", k), direction="EQ")
        g.branch(f"if{k}", test, f"then{k}", f"if{k + 1}" if k < 999 else "end")
        g.blocks[f"then{k}"].terminator = Return((g.emit(f"then{k}", multiply, x, x),))
    with pytest.raises(CompileError, match="nested too deeply"):
        g.region("end", x)


def test_graphs_inside_instructions():
    """A reducer with a branch, `b if a < b else a + c`, that uses a value from outside."""
    x, c = Value(LARGE, None, "x"), Value(I64, None, "c")
    a, b = Value(I64, None, "a"), Value(I64, None, "b")
    inner = Graph("entry", "then", "else", "exit", params=(a, b))
    inner.branch("entry", inner.emit("entry", compare, a, b, direction="LT"), "then", "else")
    inner.jump("then", "exit")
    total = inner.emit("else", add, a, c)
    inner.jump("else", "exit")
    merged = inner.phi("exit", I64)
    inner.merge(merged, **{"then": b, "else": total})
    inner.blocks["exit"].terminator = Return((merged.value,))
    g = Graph("entry", params=(x, c))
    zero = g.number("entry", 0)
    region = Region((Value(I64), Value(I64)), [], ())
    region.results = (region.params[1],)
    attrs = {"dimensions": (0,)}
    value = Builder(g.blocks["entry"].instrs).emit(reduce, (x, zero), attrs, (region,))
    value.owner.regions = (Function("reducer", (a, b), list(inner.blocks.values()), None),)
    outlined = g.region("entry", value)
    (reducer,) = only(outlined, "reduce").regions
    assert ops(reducer) == ["compare", "add", "select"]


def test_small_branches_become_selects_and_large_ones_stay():
    for type, expected in ((I64, "select"), (LARGE, "if")):
        x, c = Value(type, None, "x"), Value(I64, None, "c")
        g = Graph("entry", "then", "exit", params=(x, c))
        g.branch("entry", g.emit("entry", compare, c, c, direction="EQ"), "then", "exit")
        twice = g.emit("then", add, x, x)
        g.jump("then", "exit")
        phi = g.phi("exit", type)
        g.merge(phi, entry=x, then=twice)
        assert ops(g.region("exit", phi.value))[-1] == expected


def test_early_return_nests_the_rest():
    """`if c == 0: return x` with a large array: one conditional, nothing repeated."""
    x, c = Value(LARGE, None, "x"), Value(I64, None, "c")
    g = Graph("entry", "early", "rest", params=(x, c))
    zero = g.number("entry", 0)
    g.branch("entry", g.emit("entry", compare, c, zero, direction="EQ"), "early", "rest")
    g.blocks["early"].terminator = Return((x,))
    y = g.emit("rest", add, x, x)
    region = g.region("rest", g.emit("rest", multiply, y, y))
    branch = only(region, "if")
    assert ops(branch.regions[0]) == [] and ops(branch.regions[1]) == ["add", "multiply"]


def damped(x, count, least):
    size = 2.0 * least
    for _ in range(count):
        if size < least:
            break
        x = np.sin(x) * 0.9
        size = x.max()
    return x


def endless(x, count, least):
    size = 2.0 * least
    while True:
        if size < least:
            break
        if count == 0:
            break
        x = np.sin(x) * 0.9
        size = x.max()
        count -= 1
    return x


@pytest.mark.parametrize("program", [damped, endless])
def test_a_break_ahead_of_the_rest_is_part_of_the_condition(program):
    region = compilation(program, np.ones(99), 9, 0.5).at("regions").region
    ops = [i.op.name for i in walk(region.instrs)]
    assert ops.count("while") == 1 and "if" not in ops
