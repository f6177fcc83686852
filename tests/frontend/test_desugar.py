"""What desugared source looks like."""

import ast
import textwrap

import pytest
from gast import gast_to_ast

from pyxla.frontend.desugar import desugar, lowered_source
from pyxla.frontend.source import source_function
from tests.frontend.test_fence import define

EXAMPLES = {
    "loop": (
        """
        for i in x:
            f(i)
        """,
        """
        _t1 = _pyxla.sequence(x)
        _t2 = 0
        while True:
            if not _pyxla.has_item(_t1, _t2):
                break
            i = _pyxla.item(_t1, _t2)
            _t2 = _t2 + 1
            f(i)
        """,
    ),
    "condition": (
        """
        if x and y:
            return x or 1
        """,
        """
        _t1 = _pyxla.truth(x)
        if _t1:
            _t1 = _pyxla.truth(y)
        if _t1:
            _t2 = x
            if not _t2:
                _t2 = 1
            return _t2
        """,
    ),
    "while": (
        """
        while not x > 0:
            x += 1
        """,
        """
        while True:
            if x > 0:
                break
            x += 1
        """,
    ),
    "spill": (
        """
        return f(x) + (1 if x else g(2))
        """,
        """
        _t2 = f(x)
        if x:
            _t1 = 1
        else:
            _t1 = g(2)
        return _t2 + _t1
        """,
    ),
    "straight": (
        """
        y = f(x)[1:2].z + -x
        return f'{y}', {x: 1}
        """,
        """
        y = f(x)[1:2].z + -x
        return (f'{y}', {x: 1})
        """,
    ),
    "comprehension": (
        """
        return [i for i in x if i]
        """,
        """
        _t2 = []
        _t3 = _pyxla.sequence(x)
        _t4 = 0
        while True:
            if not _pyxla.has_item(_t3, _t4):
                break
            i_1 = _pyxla.item(_t3, _t4)
            _t4 = _t4 + 1
            if i_1:
                _pyxla.append(_t2, i_1)
        return _t2
        """,
    ),
    "else": (
        """
        while x:
            if x == 1:
                break
        else:
            x = 2
        """,
        """
        while True:
            if not x:
                x = 2
                break
            if x == 1:
                break
        """,
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name):
    before, after = map(textwrap.dedent, EXAMPLES[name])
    text = lowered_source(define(before.strip()))
    expected = "def f(x):\n" + textwrap.indent(after.strip(), "    ") + "\n"
    assert ast.unparse(ast.parse(text)) == ast.unparse(ast.parse(expected))


def test_temporaries_avoid_the_names_of_the_program():
    text = lowered_source(define("_t1 = x or 1\nreturn _t1 or [i_3 for i_3 in x]"))
    assert "_t_1 = x" in text


def test_closures_are_wrapped_in_a_function_of_their_names():
    free = 1
    text = lowered_source(source_function(lambda: free))
    assert text == textwrap.dedent(
        """\
        def _closure(free):

            def lambda_():
                return free
            return lambda_
        """
    )


@pytest.mark.parametrize(
    "body",
    [
        "return x[1:,], x[0, 1:, ::2], x[()], x[(1, 2), :], x[*y, 1:]",
        "return f'{x[\"a\"]} it\\'s {y!r:>{w}}', f'{{}}', f'{x}' 'b'",
        "return (lambda a, /, b, *c, d=1, **e: a)(x)",
        "return x if not -x ** -2 else ..., 1e400, -1j, b'x', 'a\\nb'",
    ],
)
def test_what_is_printed_is_python(body):
    text = lowered_source(define(body))
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(ast.unparse(ast.parse(text))))
    printed, plain = ast.parse(text).body[0], gast_to_ast(desugar(define(body)).node)
    assert ast.unparse(printed) == ast.unparse(plain)
