"""What the fence accepts and refuses, and where a refusal points."""

import ast
import linecache

import gast
import pytest

from pyxla.frontend import fence
from pyxla.frontend.desugar import lowered_source
from pyxla.frontend.hoist import EXPRESSIONS, STATEMENTS
from pyxla.frontend.source import source_function
from pyxla.frontend.ssa import to_ssa

REFUSED = [
    ("try:\n    x = 1\nexcept* ValueError:\n    pass", 1, "exception groups"),
    ("for i in x:\n    class C:\n        pass", 2, "a class is defined in a loop"),
    ("class C:\n    def g(self):\n        return y\ny = 1", 1, "'y', which this class uses, is"),
    ("class C:\n    for i in x:\n        pass", 1, "the body of a class inside a function"),
    ("x = yield from y", 1, "the value of `yield from`"),
    ("x = 1\nif x:\n    async def g():\n        pass", 3, "async"),
    ("with np.errstate() as f:\n    pass", 1, "errstate gives no value"),
    ("with np.errstate(divide='raise'):\n    pass", 1, "errstate cannot raise"),
    ("raise", 1, "nothing to raise again"),
]


def define(body):
    lines = ["def f(x):", *["    " + line for line in body.splitlines()]]
    text = "\n".join(lines) + "\n"
    filename = f"<fence {hash(text)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace = {}
    exec(compile(text, filename, "exec"), namespace)
    return source_function(namespace["f"])


def refusals(ssa):
    return [
        instr
        for block in ssa.function.blocks
        for instr in block.instrs
        if instr.op.name == "refuse"
    ]


@pytest.mark.parametrize(("body", "line", "message"), REFUSED, ids=[r[2] for r in REFUSED])
def test_refused_syntax_becomes_a_refusal_in_its_place(body, line, message):
    source = define(body)
    (refusal,) = refusals(to_ssa(source))
    assert message in refusal.attrs["message"]
    assert refusal.attrs["hint"]
    assert refusal.loc.lineno == line + 1
    assert "_pyxla.refuse" in lowered_source(source)


def test_every_accepted_node_has_a_handler():
    assert set(fence.STATEMENTS) == set(STATEMENTS)
    assert {*fence.EXPRESSIONS, gast.Starred} == set(EXPRESSIONS)


def test_every_node_of_the_grammar_is_accepted_or_refused():
    kinds = [
        kind
        for base in (gast.stmt, gast.expr, gast.pattern)
        for kind in base.__subclasses__()
        if getattr(gast, kind.__name__, None) is kind and hasattr(ast, kind.__name__)
    ]
    for kind in kinds:
        assert (kind in fence.ACCEPTED) != (kind.__name__ in fence.REFUSED), kind


def test_code_behind_a_refusal_is_dropped():
    ssa = to_ssa(
        define("if x:\n    async def g():\n        pass\n    y = 1\nelse:\n    y = 2\nreturn y")
    )
    assert len(refusals(ssa)) == 1
    assert not any(block.phis for block in ssa.function.blocks)
