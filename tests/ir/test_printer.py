"""The text of code is for people, and the same every time."""

from __future__ import annotations

import linecache

import numpy as np

from pyxla.errors import Location
from pyxla.frontend import pyops
from pyxla.ir.core import Block, Function, Instr, Return, Value
from pyxla.ir.printer import dot, print_function
from pyxla.ir.types import I64
from pyxla.lower.outline import outline
from pyxla.lower.simplify import simplify
from pyxla.ops.elementwise import add, compare
from pyxla.ops.shape import constant
from tests.lower.test_outline import Graph
from tests.lower.test_simplify import VECTOR, region_of


def counting():
    n = Value(I64, None, "n")
    g = Graph("entry", "head", "body", "exit", params=(n,))
    i = g.phi("head", I64, "i")
    zero = g.number("entry", 0)
    g.jump("entry", "head")
    g.branch("head", g.emit("head", compare, i.value, n, direction="LT"), "body", "exit")
    following = g.emit("body", add, i.value, g.number("body", 1))
    g.jump("body", "head")
    g.merge(i, entry=zero, body=following)
    g.blocks["exit"].terminator = Return((i.value,))
    return Function("count", (n,), list(g.blocks.values()), None)


def test_a_graph():
    assert (
        print_function(counting())
        == """\
func count(%n.0: i64[]) -> i64[]
bb0:  (entry)
  %1 = constant 0 : i64[]
  jump bb1
bb1:  (head)  <- bb0, bb2
  %i.3 = phi [bb0: %1, bb2: %2] : i64[]
  %4 = compare %i.3, %n.0 direction=LT : bool_[]
  branch %4 ? bb2 : bb3
bb2:  (body)  <- bb1
  %5 = constant 1 : i64[]
  %2 = add %i.3, %5 : i64[]
  jump bb1
bb3:  (exit)  <- bb1
  return %i.3
"""
    )


def test_a_region():
    assert (
        print_function(simplify(outline(counting())), "count")
        == """\
func count(%n.0: i64[]) -> i64[]
  %1 = constant 0 : i64[]
  %i.2 = while %1 : i64[]
    cond (%i.3: i64[]):
      %4 = compare %i.3, %n.0 direction=LT : bool_[]
      yield %4
    body (%i.5: i64[]):
      %6 = constant 1 : i64[]
      %7 = add %i.5, %6 : i64[]
      yield %7
  return %i.2
"""
    )


def test_the_graph_for_graphviz():
    text = dot(counting())
    assert text.startswith('digraph "count" {')
    assert 'bb1 -> bb2 [label="true"];' in text and "bb2 -> bb1;" in text
    assert text == dot(counting())


def test_long_constants_are_elided():
    region = region_of((VECTOR,), lambda x: add(x, constant(value=np.zeros(100))))
    assert "constant <100 elements> : f64[100]" in print_function(region)


def untyped(op, operands, attrs, results=1):
    instr = Instr(op, tuple(operands), attrs, (), None)
    instr.results = tuple([Value(None, instr) for _ in range(results)])
    return instr


def test_python_operations_are_spelled_like_python():
    f, x, y = [Value(None, None, name) for name in "fxy"]
    block = Block()
    block.instrs = [
        untyped(pyops.BINARY, (x, y), {"op": "add"}),
        untyped(pyops.INPLACE, (x, y), {"op": "mul"}),
        untyped(pyops.COMPARE, (x, y), {"op": "not_contains"}),
        untyped(pyops.UNARY, (x,), {"op": "neg"}),
        untyped(pyops.GETATTR, (x,), {"name": "shape"}),
        untyped(pyops.GETITEM, (x, y), {}),
        untyped(pyops.SETITEM, (x, y, f), {}, results=0),
        untyped(pyops.CALL, (f, x, y, x), {"layout": ("pos", "star", "kw:axis")}),
        untyped(pyops.TUPLE, (x, y), {}),
        untyped(pyops.CONST, (), {"value": "text"}),
    ]
    block.terminator = Return((block.instrs[0].results[0],))
    lines = print_function(Function("g", (f, x, y), [block], None)).splitlines()
    assert lines == [
        "func g(%f.0, %x.1, %y.2)",
        "bb0:",
        "  %3 = %x.1 + %y.2",
        "  %4 = %x.1 *= %y.2",
        "  %5 = %x.1 not in %y.2",
        "  %6 = -%x.1",
        "  %7 = %x.1.shape",
        "  %8 = %x.1[%y.2]",
        "  %x.1[%y.2] = %f.0",
        "  %9 = call %f.0(%x.1, *%y.2, axis=%x.1)",
        "  %10 = (%x.1, %y.2)",
        "  %11 = const 'text'",
        "  return %3",
    ]


def test_source_lines_on_request():
    name = "<printed>"
    linecache.cache[name] = (0, None, ["def f(x):\n", "    return x\n"], name)
    function = counting()
    function.blocks[0].instrs[0].loc = Location(name, 2, 4)
    text = print_function(function, source=True)
    assert text.splitlines()[2].endswith("# 2: return x")
    assert "return x" not in print_function(function)
