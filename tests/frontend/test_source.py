"""Finding functions in files, cells and modules; refusing what has no source."""

import functools
import importlib
import itertools
import linecache
import operator
import sys
import types
import zipfile
from typing import Any

import gast
import pytest

import pyxla
from pyxla.errors import CompileError
from pyxla.frontend import source as source_module
from pyxla.frontend.source import source_function

one, two, three = (lambda x: x + 1), (lambda x: x + 1), (lambda: lambda x: x + 1)


def wraps(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


@wraps
@functools.lru_cache
def decorated(a, /, b=1, *c, d, e=2, **f): ...


class Outer:
    class Inner:
        def method(self, __secret):
            return self.__secret

        @staticmethod
        def static(x):
            return x

        cell = lambda self, x: [lambda: x]  # noqa: E731


def define(text, filename, name="f"):
    """The function `name` of a source text, as a notebook defines it."""
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace = {"__name__": "cell"}
    exec(compile(text, filename, "exec"), namespace)
    return namespace[name]


def text_of(source):
    node = source.node
    line = source.file.lines[node.lineno - 1]
    return line[source.loc.col : source.loc.end_col if node.end_lineno == node.lineno else None]


def test_lambdas_on_one_line_are_told_apart():
    columns = [source_function(f).loc.col for f in (one, two, three, three())]
    assert columns == sorted(columns) and len(set(columns)) == 4
    assert [text_of(source_function(f)) for f in (two, three, three())] == [
        "lambda x: x + 1",
        "lambda: lambda x: x + 1",
        "lambda x: x + 1",
    ]


def test_decorated_function_is_the_wrapper_and_what_it_wraps_is_reachable():
    assert source_function(decorated).params == ("args",)
    inner = source_function(decorated.__wrapped__.__wrapped__)
    assert (inner.posonly, inner.args, inner.vararg) == (("a",), ("b",), "c")
    assert (inner.kwonly, inner.kwarg) == (("d", "e"), "f")
    assert (inner.defaults, inner.kwdefaults) == (1, ("e",))
    assert text_of(inner).startswith("def decorated")


def in_a_set(x):
    return x in {0, 8, 16}


def test_a_set_of_constants_has_no_order():
    """Its order depends on how it was made: by the compiler, or read from a file."""
    (elements,) = [c for c in in_a_set.__code__.co_consts if isinstance(c, frozenset)]
    others = [frozenset(order) for order in itertools.permutations(elements)]
    other = next(x for x in others if repr(x) != repr(elements))
    consts = [other if c is elements else c for c in in_a_set.__code__.co_consts]
    code = in_a_set.__code__.replace(co_consts=tuple(consts))
    again = types.FunctionType(code, globals(), "in_a_set")
    assert text_of(source_function(again)) == text_of(source_function(in_a_set))


def test_methods_know_their_class():
    method = source_function(Outer().Inner().method)
    assert method.qualname == "Outer.Inner.method" and method.class_name == "Inner"
    assert method.params == ("self", "_Inner__secret")
    assert source_function(Outer.Inner.static).params == ("x",)
    assert source_function(Outer.Inner.cell).name == "<lambda>"


def test_columns_count_characters():
    function = define("ä = 'öü'; f = lambda ß: ('é', ß)\n", "<cell 1>")
    source = source_function(function)
    assert text_of(source) == "lambda ß: ('é', ß)"
    assert source.loc.excerpt().splitlines()[1].strip() == "^" * 18


def test_functions_of_installed_packages_and_zips(tmp_path, monkeypatch):
    assert source_function(importlib.import_module("textwrap").dedent).filename.endswith(
        "textwrap.py"
    )
    with zipfile.ZipFile(tmp_path / "lib.zip", "w") as archive:
        archive.writestr("zipped_module.py", "def f(x):\n    return x\n")
    monkeypatch.syspath_prepend(str(tmp_path / "lib.zip"))
    assert source_function(importlib.import_module("zipped_module").f).params == ("x",)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (len, "len is not a Python function"),
        (operator.add, "add is not a Python function"),
        (functools.partial(one, 1), "partial is not a Python function"),
        (3, "an? int is not a Python function"),
        (eval("lambda: 1"), r"source of <lambda> \(defined in <string>\) is not available"),
    ],
)
def test_what_has_no_source_is_refused(value, message):
    with pytest.raises(CompileError, match=message) as error:
        source_function(value)
    assert error.value.hint


TYPED = """\
import pyxla
@lambda f: f
def f(x):
    y = x + 1
    return y
f(1)
def f(x):
    y = x + 2
    return y
g = lambda x: x + 3
"""


def test_what_was_typed_at_the_prompt(monkeypatch):
    """Each statement is compiled alone; readline has the lines, and equal ones that follow each
    other once."""
    lines = TYPED.splitlines()
    history = types.SimpleNamespace(
        get_current_history_length=lambda: len(lines), get_history_item=lambda i: lines[i - 1]
    )
    monkeypatch.setitem(sys.modules, "readline", history)
    made = {}
    for first, last in ((1, 5), (6, 9), (9, 10)):
        names: dict[str, Any] = {}
        exec(compile("\n".join(lines[first:last]) + "\n", "<stdin>", "exec"), names)
        made[first] = names.get("f") or names["g"]
    for first, step in ((9, 3), (1, 1), (6, 2)):
        assert pyxla.compile(made[first])(1.0) == 1 + step
        assert f"x + {step}" in pyxla.code_lowered(made[first])
    exec(compile("def f(x):\n    return x + 4\n", "<stdin>", "exec"), names)
    with pytest.raises(CompileError, match="not available"):
        source_function(names["f"])


def test_a_text_that_linecache_has():
    """As the remedy for what has no source says."""
    text, name = "def f(x):\n    return x + 1\n", "<a text of mine>"
    names: dict[str, Any] = {}
    exec(compile(text, name, "exec"), names)
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    assert pyxla.compile(names["f"])(1.0) == 2.0


def test_edited_files_keep_functions_apart(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / "edited_module.py"
    path.write_text("def f(x):\n    return x + 1\n")
    module = importlib.import_module("edited_module")
    old = module.f
    first = source_function(old)
    path.write_text("# longer\ndef f(x, y):\n    return x + y\n")
    new = importlib.reload(module).f
    assert source_function(new).params == ("x", "y")
    assert source_function(old) is first


def test_a_file_that_changed_before_it_was_read_is_refused(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / "changed_module.py"
    path.write_text("def f(x):\n    return x + 1\n\n\ndef g(x):\n    return x\n")
    module = importlib.import_module("changed_module")
    path.write_text("def f(x):\n    return x + 2\n\n\ndef g(x):\n    return x\n")
    with pytest.raises(CompileError, match="not what it was"):
        source_function(module.f)
    assert source_function(module.g).params == ("x",)


def test_functions_of_an_older_file_need_no_second_compilation(tmp_path, monkeypatch):
    monkeypatch.setattr(source_module, "_process_start", lambda: float("inf"))
    monkeypatch.setattr(source_module, "_codes", None)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "settled_module.py").write_text("def f(x):\n    return x + 1\n")
    assert source_function(importlib.import_module("settled_module").f).params == ("x",)


_SETTLED = '''
"""A module.

class K:
    def f(self): the text of a docstring
"""
import functools


def wrap(*_):
    return lambda f: f


@wrap(
    1,
)
def decorated(
    x,
    y=(1,
2),
):
    """Text
at the margin."""
# a comment at the margin
    return x + y[0]


@wrap("def decorated(")
class K:
    """
class K:
"""

    @property
    def f(self):
        return self.__x

    class L:
        def f(self): return self.__x

    pair = (lambda self: 1), (lambda self: 2)


def outer(x):
    def inner(y): return x + y
    return inner
if True:
    def indented(x):
        return x
else:
    def indented(x): return -x
def last(x): return x
named = lambda x: x
'''


def test_definitions_of_an_older_file_are_found_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(source_module, "_process_start", lambda: float("inf"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "settled_definitions.py").write_text(_SETTLED)
    module = importlib.import_module("settled_definitions")
    functions = {
        **{name: getattr(module, name) for name in ("decorated", "indented", "last", "named")},
        **{"K.f": module.K.f.fget, "K.L.f": module.K.L.f, "inner": module.outer(1)},
        **{"first of two": module.K.pair[0], "second of two": module.K.pair[1]},
    }
    whole = gast.parse(_SETTLED)
    for name, function in functions.items():
        found = source_function(function)
        assert any(_same(found.node, node) for node in gast.walk(whole)), name
    assert source_function(module.K.f.fget).class_name == "K"
    assert source_function(module.K.L.f).class_name == "L"
    bodies = [source_function(f).node.body.value for f in module.K.pair]
    assert bodies == [1, 2]


def test_statements_that_share_a_line_of_an_older_file(tmp_path, monkeypatch):
    monkeypatch.setattr(source_module, "_process_start", lambda: float("inf"))
    monkeypatch.syspath_prepend(tmp_path)
    text = "f = lambda x: x + 1; g = lambda x: x * 2; h = [lambda x: x * 2, lambda x, y: y]\n"
    (tmp_path / "settled_line.py").write_text(text)
    module = importlib.import_module("settled_line")
    functions = [module.f, module.g, *module.h]
    columns = [source_function(function).node.col_offset for function in functions]
    assert columns == [k for k in range(len(text)) if text.startswith("lambda", k)]


def _same(x, y):
    attributes = {"include_attributes": True}
    return type(x) is type(y) and gast.dump(x, **attributes) == gast.dump(y, **attributes)


def test_a_definition_does_not_parse_the_whole_file(tmp_path, monkeypatch):
    monkeypatch.setattr(source_module, "_process_start", lambda: float("inf"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "settled_alone.py").write_text("x = 1\n\n\ndef f(x):\n    return x\n")
    file = source_function(importlib.import_module("settled_alone").f).file
    assert "tree" not in vars(file)
