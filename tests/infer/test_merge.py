"""The laws of joins: whatever meets, in whatever order, is held by what comes out."""

from __future__ import annotations

from enum import Enum
from itertools import combinations_with_replacement, permutations
from types import SimpleNamespace

import numpy as np
import pytest

import pyxla
from pyxla.abstract.facts.extent import IntFact, fact
from pyxla.abstract.heap import DictCell, Heap, Infos, ListCell, ObjectCell, Shadow
from pyxla.abstract.lattice import (
    Array,
    Compound,
    Conflict,
    Const,
    Ref,
    Scalar,
    Tuple,
    Unbound,
    Variant,
    is_variant,
    optional,
)
from pyxla.errors import CompileError, Location
from pyxla.infer.demands import Demands
from pyxla.infer.joins.choices import one_of_these
from pyxla.infer.joins.conflicts import MOST_TOLD, conflict
from pyxla.infer.joins.edges import Edge
from pyxla.infer.joins.held import Way
from pyxla.infer.joins.merge import Join, merge
from pyxla.infer.loops.header import LoopHead
from pyxla.ir.core import Block, Value
from pyxla.ir.types import array_type, python_type

# Which nothing is asked of, and which holds nothing.
ENGINE = SimpleNamespace(
    in_use=list,
    captures=SimpleNamespace(pinned=()),
    demands=Demands(),
    pools={},
    assume=lambda _: False,
)


def scalar(kind, lo=None, hi=None):
    return Scalar(Value(python_type(kind)), IntFact(lo, hi) if kind is int else None)


def number(dtype):
    return Array(Value(array_type(np.dtype(dtype))))


class Colour(Enum):
    RED = 1
    BLUE = 2


def errors():
    return (
        Compound("exception", (Const("text"),), ValueError),
        Compound("exception", (scalar(int, 0, 9), scalar(float)), KeyError),
    )


MAKERS = {
    "True": lambda: Const(True),
    "3": lambda: Const(3),
    "-2": lambda: Const(-2),
    "0.5": lambda: Const(0.5),
    "-0.0": lambda: Const(-0.0),
    "2j": lambda: Const(2j),
    "float32(2)": lambda: Const(np.float32(2)),
    "None": lambda: Const(None),
    "text": lambda: Const("text"),
    "bool": lambda: scalar(bool),
    "int": lambda: scalar(int),
    "int in [0, 5]": lambda: scalar(int, 0, 5),
    "int in [3, ...": lambda: scalar(int, 3),
    "0.1": lambda: Const(0.1),
    "float": lambda: scalar(float),
    "a float32": lambda: number("float32"),
    "a float64": lambda: number("float64"),
    "an int32": lambda: number("int32"),
    "(1, 2.0)": lambda: Const((1, 2.0)),
    "(int, float)": lambda: Tuple((scalar(int, 0, 9), scalar(float))),
    "(int,)": lambda: Tuple((scalar(int),)),
    "range": lambda: Compound("range", (Const(0), scalar(int, 0), Const(1))),
    "nothing": lambda: Unbound("x"),
    "perhaps 1": lambda: Variant("unbound", scalar(bool), (Unbound("x"), Const(1))),
    "1.5 or None": lambda: optional(Const(1.5), scalar(bool)),
    "conflict": lambda: Conflict("no type"),
    "text or other": lambda: one_of_these(scalar(int, 0, 1), ("text", "other")),
    "a or b": lambda: one_of_these(scalar(int, 0, 1), ("a", "b")),
    "blue": lambda: Const(Colour.BLUE),
    "a ValueError": lambda: Compound("exception", (Const("text"),), ValueError),
    "errors": lambda: Variant("exception", scalar(int, 0, 1), errors()),
}
PAIRS = list(combinations_with_replacement(MAKERS, 2))


def joined(*values):
    """What values that arrive on as many paths become."""
    edges = [Edge(Block(), Heap([]), {}) for _ in values]
    return Join(edges, Block()).join(list(values))


def shown(x):
    """All of an abstract value but the identity of what is known at run time only."""
    if isinstance(x, Const):
        return "const", repr(x.value)
    if isinstance(x, Scalar):
        known = fact(x)
        return "scalar", str(x.type), known.lo, known.hi
    if isinstance(x, Array):
        return "array", str(x.type)
    if isinstance(x, Tuple | Compound):
        return type(x).__name__, *map(shown, x.items)
    if isinstance(x, Variant):
        return x.kind, *sorted(map(shown, x.items), key=repr)
    return type(x).__name__


@pytest.mark.parametrize("name", MAKERS)
def test_idempotent(name):
    x = MAKERS[name]()
    assert joined(x, x) is x or shown(joined(x, x)) == shown(x)
    assert shown(joined(x, MAKERS[name]())) == shown(x)


@pytest.mark.parametrize(("x", "y"), PAIRS)
def test_commutative(x, y):
    assert shown(joined(MAKERS[x](), MAKERS[y]())) == shown(joined(MAKERS[y](), MAKERS[x]()))


@pytest.mark.parametrize(("x", "y"), PAIRS)
def test_an_upper_bound(x, y):
    one, other = MAKERS[x](), MAKERS[y]()
    both = joined(one, other)
    assert shown(joined(both, one)) == shown(joined(both, other)) == shown(both)


@pytest.mark.parametrize("third", ["True", "3", "int", "float", "a float32", "nothing"])
def test_the_order_of_paths_does_not_matter(third):
    for x, y in PAIRS:
        orders = permutations([MAKERS[x](), MAKERS[y](), MAKERS[third]()])
        assert len({shown(joined(*order)) for order in orders}) == 1, (x, y)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ("True", "3", ("scalar", "int", 1, 3)),
        ("3", "-2", ("scalar", "int", -2, 3)),
        ("int in [0, 5]", "int in [3, ...", ("scalar", "int", 0, None)),
        ("3", "0.5", ("scalar", "float", None, None)),
        ("3", "a float32", ("array", "f32[]")),
        ("3", "float32(2)", ("array", "f32[]")),
        ("a float32", "a float64", ("array", "f64[]")),
        ("float", "a float32", ("scalar", "float", None, None)),
        ("a float32", "0.5", ("array", "f32[]")),
        ("a float32", "0.1", ("scalar", "float", None, None)),
        ("None", "3", ("optional", ("const", "3"), ("const", "None"))),
        ("None", "int in [0, 5]", ("optional", ("const", "None"), ("scalar", "int", 0, 5))),
        ("(int,)", "(int, float)", "Conflict"),
        ("3", "nothing", ("unbound", "Unbound", ("const", "3"))),
        ("int in [0, 5]", "nothing", ("unbound", "Unbound", ("scalar", "int", 0, 5))),
        ("text", "text or other", ("constant", ("const", "'other'"), ("const", "'text'"))),
    ],
)
def test_what_becomes_of(x, y, expected):
    assert shown(joined(MAKERS[x](), MAKERS[y]())) == expected


def test_zeros_of_either_sign_are_different_constants():
    assert isinstance(joined(Const(0.0), Const(-0.0)), Scalar)


# A name deleted at the end of the body has no place in a template: such loops are unrolled.
@pytest.mark.parametrize(("x", "y"), [pair for pair in PAIRS if pair[1] != "nothing"])
def test_loops_settle(x, y):
    """A name that is `x` on entry and `y` at the end of the body: a few passes, or no type."""
    ghosts: list[Edge] = []
    directions: dict[str, str] = {}
    value = MAKERS[y]()
    for _ in range(6):
        entry = Edge(Block(), Heap([]), {}, (MAKERS[x](),))
        head = LoopHead(entry, ghosts, [("x", None)], (), directions, (), (), (), {}, (), Way())
        if head.conflicts():
            return
        head.settle(list, (), set(), set())
        start = head.start()
        back = Edge(start.block, start.heap, {}, (value,))
        fits, *_ = head.close(back, list, set(), AssertionError)
        if fits:
            (template,) = head.args
            assert isinstance(template, Conflict) or shown(joined(template, value)) == shown(
                template
            )
            return
        ghosts = [head.ghost, back]
    pytest.fail("the state at the header does not settle")


def entered(heap, still=()):
    """The header of a loop over `heap`, and what an iteration brings back that writes nothing."""
    entry = Edge(Block(), heap, {}, ())
    head = LoopHead(entry, [], [], (), {}, (), (), (), {}, still, Way())
    head.settle(list, (), set(), set())
    start = head.start()
    return head, Edge(start.block, start.heap, {}, ())


def test_an_array_that_is_one_of_several_of_which_one_is_again_one_of_several_may_stay():
    heap = Heap(Infos())
    a, b = [Ref(heap.new(Array(Value(array_type(np.dtype(float), (3,)))))) for _ in range(2)]
    inner = Ref(heap.new(Shadow(scalar(int, 0, 1), (a, b))))
    heap.new(Shadow(scalar(int, 0, 1), (inner, a)))
    head, back = entered(heap)
    assert head.close(back, list, set(), AssertionError)[0]


def test_arrays_that_a_loop_is_expected_to_leave_alone_are_no_phis():
    heap = Heap(Infos())
    cells = [heap.new(Array(Value(array_type(np.dtype(float), (3,))))) for _ in range(2)]
    head, back = entered(heap, still=cells[:1])
    assert len(head.block.phis) == 1
    assert dict(head.arrays(back)) == dict.fromkeys(cells, False)
    back.heap.contents[cells[0]] = Array(Value(array_type(np.dtype(float), (3,))))
    assert dict(head.arrays(back)) == {cells[0]: True, cells[1]: False}
    assert not head.close(back, list, set(), AssertionError)[0]


# Objects.


def meet(*contents):
    """A reference to the same cell on as many paths, which write different contents."""
    base = Heap([])
    ref = Ref(base.new(contents[0]))
    edges = []
    for content in contents:
        heap = base.copy()
        heap.contents[ref.cell] = content
        edges.append(Edge(Block(), heap, {}, (ref,)))
    edge, (found,) = merge(ENGINE, edges, [("x", None)], None, grows=False)
    assert found.cell == ref.cell and len(edge.block.preds) == len(contents)
    return edge.heap.contents[ref.cell]


def test_lists_join_item_by_item():
    content = meet(ListCell((Const(1), Const("a"))), ListCell((Const(2), Const("a"))))
    assert [shown(x)[0] for x in content.items] == ["scalar", "const"]


@pytest.mark.parametrize(
    "contents",
    [
        (ListCell((Const(1),)), ListCell(())),
        (DictCell({"a": Const(1)}), DictCell({"b": Const(1)})),
        (DictCell({"a": Const(1), "b": Const(1)}), DictCell({"b": Const(1)})),
    ],
)
def test_structures_that_differ_conflict(contents):
    assert isinstance(meet(*contents), Conflict)


def test_keys_in_another_order_are_in_none():
    one = DictCell({"a": Const(1), "b": Const(2)})
    content = meet(one, DictCell({"b": Const(2), "a": Const(1)}))
    assert content.items == one.items
    assert not content.ordered
    assert meet(one, one).ordered


def test_a_dict_that_meets_what_is_refused():
    content = meet(DictCell({"a": Const(1)}), Conflict("the value may be two things"))
    assert isinstance(content, Conflict)


def test_a_field_that_one_path_sets():
    class Point:
        origin = None

    x = scalar(float)
    content = meet(
        ObjectCell(Point, {"x": x}),
        ObjectCell(Point, {"x": x, "y": scalar(float), "origin": Const(None)}),
    )
    assert content.fields["x"] is x
    assert is_variant(content.fields["y"], "unbound")
    assert shown(content.fields["origin"]) == ("const", "None")


def test_references_to_different_arrays_make_a_third():
    heap = Heap([])
    x, y = (Ref(heap.new(Array(Value(array_type(np.dtype("f8"), (3,)))))) for _ in range(2))
    edges = [Edge(Block(), heap.copy(), {}, (ref,)) for ref in (x, y)]
    edge, (z,) = merge(ENGINE, edges, [("z", None)], None, grows=False)
    assert z.cell not in (x.cell, y.cell)
    phi = edge.heap.contents[z.cell].value.owner
    assert list(phi.args.values()) == [heap.contents[x.cell].value, heap.contents[y.cell].value]
    assert not edge.heap.entangled, "nobody holds the old ones"


class Node:
    def __init__(self, x):
        self.x = x


def set_on_one_path(x, flag):
    node = Node(x)
    if flag > 0:
        node.y = 2 * x
    return node.x + node.y


def test_reading_a_field_that_may_be_missing():
    compiled = pyxla.compile(set_on_one_path)
    assert compiled(1.5, 1.0) == 4.5
    with pytest.raises(AttributeError, match="'Node' object has no attribute 'y'"):
        compiled(1.5, -1.0)


def test_a_conflict_is_refused_where_it_is_used():
    def stacked(x):
        while x.sum() > 0:
            x = np.stack([x, -x])
        return x

    with pytest.raises(CompileError, match="may be"):
        pyxla.compile(stacked)(np.ones(8))


def test_an_index_that_may_be_none_is_a_number():
    def last_above(x, t):
        place = None
        for i in range(len(x)):
            if x[i] > t:
                place = i
        return x[place]

    compiled = pyxla.compile(last_above)
    assert compiled(np.array([1.0, 3.0, 2.0, 0.0]), 1.5) == 2.0
    with pytest.raises(TypeError, match="would be a new axis"):
        compiled(np.array([1.0, 3.0]), 5.0)


def test_buffers_that_change_names_are_not_chosen_at_every_access():
    def swapped(u, v, n):
        for _ in range(n):
            for i in range(1, len(u)):
                v[i] = u[i] + u[i - 1]
            u, v = v, u
        return u

    x = np.arange(4.0)
    text = str(pyxla.code_typed(swapped, x, x + 1, 3))
    body = text[text.index("bb1:") : text.rindex("(loop)")]
    assert "f64[4]" in body and "select" not in body


def test_what_a_shadow_holds_is_computed_once():
    def copied(x, n):
        for _ in range(n):
            x = x.copy()
        total = x.sum() + x.max()
        x[1] += n
        return total + x.sum() + x.max(), x

    x = np.arange(4.0)
    text = str(pyxla.code_typed(copied, x, 3))
    whole = [line for line in text.splitlines() if "= select" in line and ": f64[4]" in line]
    assert len(whole) == 5  # in the loop, before the write, of each array written, after it
    for n in (0, 2):
        given, same = x.copy(), x.copy()
        expected = copied(same, n)
        total, array = pyxla.compile(copied)(given, n)
        assert total == expected[0]
        np.testing.assert_array_equal(array, expected[1])
        np.testing.assert_array_equal(given, same)


@pytest.mark.parametrize("n", [0, 2])
def test_a_call_reads_a_shadow_that_was_written_since(n):
    outer = np.arange(4.0)

    def read():
        return outer.copy()

    def written(n):
        x = outer
        for _ in range(n):
            x = x.copy()
        first = outer.sum(), read()
        x[0] += 10
        second = read()
        outer[1] += 5
        return first, second, read(), x.copy()

    found = pyxla.compile(written)(n)
    after = outer.copy()
    outer[:] = np.arange(4.0)
    expected = written(n)
    np.testing.assert_array_equal(after, outer)
    for a, b in zip(arrays_of(found), arrays_of(expected), strict=True):
        np.testing.assert_array_equal(a, b)


def arrays_of(x):
    return [leaf for item in x for leaf in arrays_of(item)] if isinstance(x, tuple) else [x]


def test_a_refusal_names_a_few_kinds_of_many() -> None:
    values = [Const(x) for x in (1, 2.0, "a", None, True, 3 + 0j)]
    states = [Edge(Block(), Heap(Infos()), {}, (), Location("f.py", i + 1)) for i in range(6)]
    found = conflict(values, states, "x", ())
    assert found.reason.count(" or ") == MOST_TOLD - 1
    assert found.reason.endswith("or one of 3 others")
    assert len(found.notes) == MOST_TOLD
