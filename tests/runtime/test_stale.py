"""What changes outside in place is noticed at the next call: functions, classes, libraries."""

from __future__ import annotations

import abc
import functools
import math
import os
import subprocess
import sys
import types
from collections.abc import Iterator

import numpy as np
import pytest

import pyxla
from tests.programs import tables_of_functions


def checked(function, *args):
    """The compiled function, which agrees now."""
    compiled = pyxla.compile(function)
    assert compiled(*args) == function(*args)
    return compiled


@pytest.fixture
def helper() -> Iterator[types.FunctionType]:
    def scaled(x, k=2, *, more=1):
        return x * k + more

    return scaled


def test_defaults_and_code(helper):
    compiled = checked(lambda x: helper(x), 2.0)
    helper.__defaults__ = (5,)
    assert compiled(2.0) == 11
    helper.__kwdefaults__ = {"more": 3}
    assert compiled(2.0) == 13
    helper.__kwdefaults__["more"] = 4
    assert compiled(2.0) == 14
    helper.__code__ = (lambda x, k, *, more: x - k).__code__
    assert compiled(2.0) == -3


def test_the_function_itself(helper):
    compiled = checked(helper, 2.0)
    helper.__defaults__ = (7,)
    assert compiled(2.0) == 15


class Half:
    def __get__(self, instance, owner=None):
        return instance.x / 2


class Holder:
    half = Half()

    def __init__(self, x):
        self.x = x


def test_a_descriptors_method(monkeypatch):
    compiled = checked(lambda x: Holder(x).half, 4.0)
    monkeypatch.setattr(Half, "__get__", lambda self, instance, owner=None: instance.x / 4)
    assert compiled(4.0) == 1.0


def test_bases():
    class Two:
        def value(self):
            return 2

    class Three:
        def value(self):
            return 3

    class Thing(Two):
        pass

    thing = Thing()
    compiled = checked(lambda t: t.value(), thing)
    Thing.__bases__ = (Three,)
    assert compiled(thing) == 3


def test_special_methods_that_come_later():
    class Thing:
        pass

    thing = Thing()
    compiled = checked(lambda t: (t == t, bool(t), 1 if t else 0), thing)
    Thing.__eq__ = lambda self, other: False
    Thing.__len__ = lambda self: 0
    assert compiled(thing) == (False, False, 0)
    Thing.__bool__ = lambda self: True
    assert compiled(thing) == (False, True, 1)


def test_registered_classes_and_functions():
    class Known(abc.ABC):  # noqa: B024
        pass

    class Thing:
        pass

    thing = Thing()
    compiled = checked(lambda t: isinstance(t, Known), thing)
    Known.register(Thing)
    assert compiled(thing) is True

    @functools.singledispatch
    def kind(x):
        return 1

    compiled = checked(lambda x: kind(x), 2)
    kind.register(int)(lambda x: 7)
    assert compiled(2) == 7


def test_patched_libraries(monkeypatch):
    compiled = checked(lambda x: math.sqrt(x) + np.sum(np.ones(2)), 4.0)
    monkeypatch.setattr(math, "sqrt", lambda x: -x)
    assert compiled(4.0) == -2
    monkeypatch.setattr(np, "sum", lambda x: 10.0)
    assert compiled(4.0) == 6


@pytest.mark.parametrize("entry", [(3, "left"), (1, "right"), (0, "left")])
def test_a_table_whose_ints_decided_branches(monkeypatch, entry):
    """What the program read as if it were written in it may change all the same."""
    program = tables_of_functions.a_table_of_ranks
    args = "x*2.5-y/(x+1)", 4.0, 10.0
    compiled = checked(program, *args)
    with monkeypatch.context() as patched:
        patched.setitem(tables_of_functions.RANKS, "-", entry)
        assert compiled(*args) == program(*args)
        assert len(compiled.specializations) == 2
    assert compiled(*args) == program(*args)
    assert len(compiled.specializations) == 2


def test_a_module_whose_name_begins_with_numpy(monkeypatch):
    tools = types.ModuleType("numpy_tools")
    monkeypatch.setitem(sys.modules, "numpy_tools", tools)

    def twice(x):
        return x * 2

    twice.__module__ = "numpy_tools"
    checked(lambda x, l: (twice(x), twice(l)), 2.0, [1, 2])


def test_a_default_that_was_given_before():
    function = lambda x, n=2: round(x * 2, n)  # noqa: E731
    compiled = pyxla.compile(function)
    assert compiled(1.23456, n=3) == 2.469
    assert compiled(1.23456) == 2.47


def test_python_without_assertions():
    code = (
        "import pyxla, linecache\n"
        "text = 'def f(x):\\n    assert x > 2\\n    return x\\n'\n"
        "linecache.cache['<f>'] = (len(text), None, text.splitlines(True), '<f>')\n"
        "exec(compile(text, '<f>', 'exec'))\n"
        "print(pyxla.compile(f)(1.0), f(1.0))\n"
    )
    found = subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True)
    assert found.stdout == "1.0 1.0\n", found.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no os.fork")
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
def test_a_fork_does_not_wait_for_ever():
    compiled = checked(lambda x: x + 1, 1)
    child = os.fork()
    if child == 0:
        try:
            compiled(2.0)
        except pyxla.CompileError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
