"""A program that is kept on disk runs unchanged, and no longer where anything changed."""

from __future__ import annotations

import importlib.util
import linecache
import shutil
import sys

import jax
import numpy as np
import pytest

import pyxla
from pyxla import pipeline, store
from pyxla.specialize import specialize
from tests.compare import difference

BASE = """
import dataclasses, enum, functools, math, types, typing
import numpy as np
import helper

N = 3
W = np.arange(3.0)
TABLE = [1.0, 2.0]
WORDS = ("a", "b")

class Kind(enum.Enum):
    LOW = 1.5
    HIGH = 2.5

class Point(typing.NamedTuple):
    x: float = 1.0

class Base:
    scale = 2.0
    def area(self):
        return self.r * self.scale

class Disc(Base):
    def __init__(self, r):
        self.r = r
    def twice(self):
        return self.area() * 2

@dataclasses.dataclass
class Rate:
    r: float = 0.25

def inner(x):
    return x + 1

def callee(x, by=2.0, *, plus=0.5):
    return inner(x) * by + plus

def make(k):
    def closed(x):
        return x * k
    return closed

closed = make(3)

def doubled(g):
    @functools.wraps(g)
    def inner(*args):
        return g(*args) * 2.0
    return inner

def scaled(by):
    return lambda g: lambda x: g(x) * by

@doubled
def plain(x):
    return x + 0.25

@scaled(3.0)
def other(x):
    return x - 0.5

class Eleven:
    def __get__(self, instance, owner=None):
        return 11.0

class Meta(type):
    factor = 13.0

class Kept(metaclass=Meta):
    eleven = Eleven()
    def __len__(self):
        return 3

BY_NAME = {
    "f": lambda x: x * 2,
    "k": 3,
}
ROWS = [[1.0, 2.0], [3.0]]
SPACE = types.SimpleNamespace(level=29.0)
PART = functools.partial(callee, by=4.0)

def f(x, n=2):
    total = callee(x) + closed(x) + PART(x) + N
    for i in range(n):
        total = total * Disc(1.5).twice() + Kind.LOW.value
    if isinstance(total, np.ndarray) and WORDS[0] == "a":
        total = total + W.sum() + TABLE[0] + Point().x + Rate().r
    total = total + plain(x) + other(x) + Kept().eleven + len(Kept()) + Meta.factor
    total = total + BY_NAME["f"](x) + BY_NAME["k"] + ROWS[0][1] + SPACE.level
    return total + helper.K * abs(-2.0) + max(1.0, 0.5) + helper.g(x) + math.pi
"""
HELPER = """
K = 7.0
def g(x):
    return x - 1
"""


def check(actual, expected):
    assert not difference(actual, expected)


@pytest.fixture
def counted(monkeypatch):
    """The specializations that are made, one entry each."""
    made = []

    def counting(request, places):
        made.append(request)
        return specialize(request, places)

    monkeypatch.setattr(pipeline, "specialize", counting)
    return made


def load(path, name, text):
    """A module of this text, as a new process would see it."""
    path.write_text(text)
    linecache.checkcache(str(path))
    linecache.cache.pop(str(path), None)
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    exec(compile(text, str(path), "exec"), module.__dict__)
    return module


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Where the program is: another file would be another program."""
    return tmp_path_factory.mktemp("program")


@pytest.fixture
def program(place):
    """Loads the program, with changes."""

    def loaded(text=BASE, helper=HELPER):
        load(place / "helper.py", "helper", helper)
        return load(place / "program.py", "program", text)

    yield loaded
    for name in ("helper", "program"):
        sys.modules.pop(name, None)


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """The folder that programs are kept in."""
    monkeypatch.setenv("PYXLA_CACHE", "1")
    monkeypatch.setenv("PYXLA_CACHE_DIR", str(tmp_path / "kept"))
    return tmp_path / "kept"


@pytest.fixture
def kept(empty, place, program, monkeypatch):
    """A folder with the program as it is, which the first test to ask compiles for all."""
    made = place / "kept"
    if not made.exists():
        with monkeypatch.context() as patch:
            patch.setenv("PYXLA_CACHE_DIR", str(made))
            run(program(), X)
    shutil.copytree(made, empty)


X = np.arange(3.0)


def run(module, *args, **options):
    """The result of the program, compared with Python's."""
    result = pyxla.compile(module.f, **options)(*args)
    check(result, module.f(*args))
    return result


def test_an_unchanged_program_is_not_compiled(empty, counted, program):
    first = run(program(), X)
    assert counted and len(store.folder.files()) == 1
    del counted[:]
    module = program()
    compiled = pyxla.compile(module.f)
    check(compiled(X), first)
    assert not counted
    # Of what it is guarded by nothing is forgotten.
    module.N = 100
    check(compiled(X), module.f(X))
    assert counted
    for name, value in (("W", np.ones(3)), ("TABLE", [5.0, 6.0]), ("max", min)):
        setattr(module, name, value)
        check(compiled(X), module.f(X))


# Each is something that is changed, and what it is changed to.
CHANGES = [
    ("total * Disc", "total - Disc"),  # the function itself
    ("return inner(x) * by", "return inner(x) + by"),  # a callee
    ("return x + 1", "return x + 2"),  # a callee's callee
    ("N = 3", "N = 4"),  # a number
    ("N = 3", "N = 3.0"),  # its type
    ("N = 3", "N = True"),
    ("by=2.0", "by=2.5"),  # a default
    ("plus=0.5", "plus=0.75"),
    ("n=2", "n=3"),
    ("make(3)", "make(4)"),  # a closure
    ("x * k", "x / k"),
    ("by=4.0", "by=8.0"),  # an argument of a partial
    ("scale = 2.0", "scale = 3.0"),  # an attribute of a base class
    ("self.r * self.scale", "self.r + self.scale"),  # a method of it
    ("class Disc(Base):", "class Disc(Base):\n    scale = 5.0"),  # a new attribute in front
    ("LOW = 1.5", "LOW = 1.25"),  # an enum
    ("x: float = 1.0", "x: float = 2.0"),  # a field of a named tuple
    ("r: float = 0.25", "r: float = 0.5"),  # one of a dataclass
    ('("a", "b")', '("b", "b")'),  # text that decides
    ("W = np.arange(3.0)", "W = np.arange(4.0)"),  # the shape of what is captured
    ("W = np.arange(3.0)", "W = np.arange(3)"),  # its type
    ("TABLE = [1.0, 2.0]", "TABLE = [1, 2.0]"),
    ("N = 3", "N = 3\ndef max(a, b):\n    return a * 10"),  # a name of Python's
    ("g(*args) * 2.0", "g(*args) * 2.5"),  # a decorator
    ("@doubled\n", ""),
    ("@scaled(3.0)", "@scaled(4.0)"),  # an argument of one
    ("x + 0.25", "x + 0.5"),  # what it decorates
    ("return 11.0", "return 12.0"),  # a descriptor
    ("factor = 13.0", "factor = 14.0"),  # an attribute of a class of classes
    ("return 3\n\nBY", "return 4\n\nBY"),  # what Python's functions call
    ("lambda x: x * 2,", "lambda x: x * 3,"),  # a function in a dict
    ("def f(x", "def abs(x):\n    return x\n\ndef f(x"),
]
OF_HELPER = [("K = 7.0", "K = 8.0"), ("x - 1", "x - 2"), ("def g", "def h(x): 0\ndef g")]


@pytest.mark.parametrize(("before", "after"), CHANGES)
def test_a_changed_program_is_compiled(kept, counted, program, before, after):
    run(program(), X)
    assert not counted
    changed = BASE.replace(before, after, 1)
    assert changed != BASE
    run(program(changed), X)
    assert counted
    count = len(counted)
    run(program(), X)
    run(program(changed), X)
    assert len(counted) == count


@pytest.mark.parametrize(("before", "after"), OF_HELPER)
def test_a_changed_module_is_seen(kept, counted, program, before, after):
    run(program(), X)
    run(program(helper=HELPER.replace(before, after)), X)


def test_what_is_captured_is_read_anew(kept, counted, program):
    """Contents of arrays and lists are no part of a program."""
    run(program(BASE.replace("W = np.arange(3.0)", "W = np.arange(3.0) * 5")), X)
    run(program(BASE.replace("TABLE = [1.0, 2.0]", "TABLE = [9.0, 2.0]")), X)
    run(program(BASE.replace("ROWS = [[1.0, 2.0]", "ROWS = [[1.0, 2.5]")), X)
    run(program(BASE.replace('"k": 3', '"k": 4')), X)
    run(program(BASE.replace("level=29.0", "level=30.0")), X)
    assert not counted


@pytest.mark.parametrize(
    "args", [(X, 3), (X[:2],), (X.astype(np.float32),), (np.arange(3),), (2.0,), (2, 1), (X, True)]
)
def test_other_arguments(kept, counted, program, args):
    run(program(), *args)
    count = len(counted)
    run(program(), *args)
    assert len(counted) == count


@pytest.mark.parametrize(
    "options", [{"fast": True}, {"strict": True}, {"checks": False}, {"list_capacity": 7}]
)
def test_other_options(kept, counted, program, options):
    run(program(), X, **options)
    assert counted
    count = len(counted)
    run(program(), X, **options)
    assert len(counted) == count


@pytest.mark.parametrize("what", ["jax", "numpy", "sys.version", "XLA_FLAGS"])
def test_another_release_compiles_anew(kept, counted, program, what, monkeypatch):
    if what == "sys.version":
        monkeypatch.setattr(sys, "version", "4.0")
    elif what == "XLA_FLAGS":
        monkeypatch.setenv("XLA_FLAGS", "--xla_dump_to=")
    else:
        monkeypatch.setattr(sys.modules[what], "__version__", "99")
    store.of_process.cache_clear()
    run(program(), X)
    monkeypatch.undo()
    store.of_process.cache_clear()
    assert counted


def test_settings_of_jax(kept, counted, program):
    with jax.default_matmul_precision("float32"):
        run(program(), X)
    assert counted
