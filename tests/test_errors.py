"""Every refusal is a CompileError at the user's line, with an excerpt and a hint."""

from __future__ import annotations

import decimal
import gc
import inspect
import random
import re
import traceback
import warnings
import zlib
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

import pyxla
from pyxla import ahead, options
from pyxla.errors import CompileError, InternalError
from pyxla.infer import rules
from pyxla.runtime.request import Needed
from tests import bad_programs
from tests.bad_programs import Bad
from tests.fuzz.sources import remember
from tests.programs import load

PROGRAMS = bad_programs.load()
OWN = str(Path(pyxla.__file__).parent)


def expected_line(program: Bad) -> int:
    lines, first = inspect.getsourcelines(program.function)
    (offset,) = [i for i, line in enumerate(lines) if "# <-" in line]
    return first + offset


def refusal(program: Bad) -> CompileError:
    with pytest.raises(CompileError) as caught, warnings.catch_warnings():
        warnings.simplefilter("error", pyxla.NotCompiledWarning)
        pyxla.compile(program.function, **program.options).specialize(*program.args)
    return caught.value


@pytest.mark.parametrize("name", PROGRAMS)
def test_refused(name: str) -> None:
    program = PROGRAMS[name]
    error = refusal(program)
    assert not isinstance(error, InternalError), str(error)
    assert program.message in error.message, str(error)
    assert error.filename == program.function.__code__.co_filename
    assert error.lineno == expected_line(program), str(error)
    assert "^" in str(error)
    assert error.hint, str(error)
    assert not re.search(r"\b_t_*\d+\b", str(error)), "a name that the compiler made"
    assert OWN not in str(error), "code of the compiler's"


def test_enough_kinds() -> None:
    assert len(PROGRAMS) >= 90


# --- refused before there is a line: arguments, options, what is not a function ----------------


def innermost(x):
    return x[1][0]


def identity(x):
    return x


def write(x, y):
    x[0] = y[1]
    return x


def cyclic() -> list:
    items: list = [1.0]
    items.append(items)
    return items


def overlapping() -> tuple:
    base = np.zeros(5)
    return base, base.view(np.int64)


def read_only() -> tuple:
    array = np.zeros(3)
    array.flags.writeable = False
    return array, np.ones(3)


class Opaque:
    __hash__ = None  # type: ignore[assignment]
    __slots__ = ()


CALLS = {
    "object array": (lambda: run(identity, np.array([None])), "dtype object"),
    "text array": (lambda: run(identity, np.array(["a"])), "dtype <U1"),
    "date array": (lambda: run(identity, np.array(["2000"], "M8[Y]")), "dtype datetime64"),
    "records in records": (lambda: run(identity, np.zeros(2, [("x", "f8,i4")])), "plain numbers"),
    "big-endian array": (lambda: run(identity, np.ones(2, ">f8")), "dtype >f8"),
    "extended precision": (lambda: run(identity, np.ones(2, np.longdouble)), "dtype"),
    "masked array": (lambda: run(identity, np.ma.ones(2)), "MaskedArray"),
    "cyclic argument": (lambda: run(innermost, cyclic()), "this contains itself"),
    "overlapping arrays": (lambda: run(write, *overlapping()), "overlaps that of another"),
    "read-only array": (lambda: run(write, *read_only()), "read-only"),
    "jax array written to": (lambda: run(write, jnp.ones(3), np.ones(3)), "cannot be changed"),
    "too few": (lambda: run(write, np.ones(3)), "missing 1 required positional argument: 'y'"),
    "too many": (lambda: run(identity, 1.0, 2.0), "takes 1 positional"),
    "unknown keyword": (lambda: pyxla.compile(identity)(x=1.0, y=2.0), "unexpected keyword"),
    "unknown option": (lambda: pyxla.compile(identity, slow=True), "unknown option 'slow'"),
    "type of an option": (lambda: pyxla.compile(identity, checks="yes"), "option 'checks'"),
    "not a function": (lambda: pyxla.compile(3.0), "takes a function, not float"),
    "C function": (lambda: run(zlib.crc32, 1.0), "crc32"),
    "no source": (lambda: run(without_source(), 1.0), "is not available"),
    "class without source": (lambda: run(makes_one_without_source, 1.0), "is not available"),
    "bad extent": (lambda: pyxla.f32[-1], "is not a type"),
    "bad extent type": (lambda: pyxla.f32["3x"], "is not a type"),
    "int without value": (lambda: pyxla.code_hlo(np_zeros, int), "the value of 'n'"),
    "size without bound": (lambda: pyxla.code_hlo(np_zeros, "f32[n]"), "size 'n' of f32[n]"),
    "no artifact": (lambda: pyxla.load(__file__), "not a pyxla artifact"),
    "object made inside": (lambda: run(decimals, 1.0), "a Decimal is made while compiling"),
    "eager op": (lambda: pyxla.hlo.add(np.ones(2), np.ones(3)), "agree in element type and shape"),
}


def run(function, *args):
    return pyxla.compile(function)(*args)


def decimals(x):
    return decimal.Decimal(1) + 1


def square(x):
    return x * x


def np_zeros(n):
    return np.zeros(n)


def without_source():
    namespace: dict = {}
    exec("def f(x): return x", namespace)
    return namespace["f"]


WITHOUT_SOURCE: dict = {}
exec("class Plain:\n  def __init__(self, x): self.x = x", WITHOUT_SOURCE)


def makes_one_without_source(x):
    return WITHOUT_SOURCE["Plain"](x).x


@pytest.mark.parametrize("name", CALLS)
def test_refused_call(name: str) -> None:
    call, message = CALLS[name]
    with pytest.raises(CompileError) as caught:
        call()
    assert not isinstance(caught.value, InternalError), str(caught.value)
    assert message in caught.value.message
    assert caught.value.hint


# --- refused, and an exception in CPython too ---------------------------------------------------


def keywords(x, y=1, *, k, l):
    return x + y + k + l


def calls_keywords(x):
    return keywords(x, l=x)


ALSO = {
    "none": (keywords, (), {}),
    "two of one": (lambda x: x, (1, 2), {}),
    "keyword-only": (keywords, (1,), {}),
    "unknown": (keywords, (1,), {"k": 1, "l": 1, "m": 1}),
    "twice": (keywords, (1,), {"x": 1}),
    "inner": (calls_keywords, (1,), {}),
    "axis": (lambda x: np.sum(x, axis=3), (np.ones(3),), {}),
    "broadcast": (lambda x: x + np.ones(4), (np.ones(3),), {}),
    "out of bounds": (lambda x: x[3], (np.ones(3),), {}),
    "attribute": (lambda x: x.fast, (1.0,), {}),
    "len": (lambda x: len(x), (1.0,), {}),
}


@pytest.mark.parametrize("name", ALSO)
def test_is_what_cpython_raises_too(name: str) -> None:
    function, args, named = ALSO[name]
    with pytest.raises(Exception) as expected:  # noqa: B017, PT011 - whichever it is
        function(*args, **named)
    with pytest.raises(CompileError) as caught:
        pyxla.compile(function)(*args, **named)
    assert isinstance(caught.value, expected.type) or issubclass(expected.type, ValueError)
    if expected.type is TypeError and name != "len":
        assert caught.value.message == str(expected.value)


# --- what an error carries ---------------------------------------------------------------------


def inner(a, b):
    return a + b


def outer(x, y):
    z = x * 2
    return inner(z, y)


def test_parts_of_an_error() -> None:
    with pytest.raises(CompileError) as caught:
        pyxla.compile(outer).specialize(pyxla.f64[3], pyxla.f64[4])
    error = caught.value
    assert (error.filename, error.lineno, error.column) == (__file__, lines(inner) + 1, 12)
    assert error.types == ("f64[3]", "f64[4]")
    origins = [(text, loc and loc.lineno - lines(outer)) for text, loc in error.notes]
    assert origins == [("f64[3] comes from here", 1), ("f64[4] is argument 'y'", None)]
    assert [(site.function, site.lineno) for site in error.chain] == [("outer", lines(outer) + 2)]
    assert str(error).splitlines()[1:3] == ["    return a + b", "           ^^^^^"]


def lines(function) -> int:
    return function.__code__.co_firstlineno


def two_branches(x, flag):
    if flag > 0:
        y = x
    else:
        y = np.ones(2)
    return y + 1


def test_both_places_of_a_conflict() -> None:
    with pytest.raises(CompileError) as caught:
        pyxla.compile(two_branches).specialize(pyxla.f64[3], float)
    notes = {(text, loc.lineno - lines(two_branches)) for text, loc in caught.value.notes}
    assert notes == {("array f64[3] here", 2), ("array f64[2] here", 4)}


def test_traceback_is_the_users() -> None:
    with pytest.raises(CompileError) as caught:
        pyxla.compile(outer, verify=False)(np.ones(3), np.ones(4))
    text = "".join(traceback.format_exception(caught.value))
    assert "infer" not in text
    assert text.count("Traceback") == 1


def test_internal_errors_are_reported_at_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("broken")

    monkeypatch.setitem(rules.transfer, "binary", broken)
    with pytest.raises(InternalError, match="KeyError") as caught:
        pyxla.compile(inner).specialize(float, float)
    assert caught.value.lineno == lines(inner) + 1
    assert isinstance(caught.value.__cause__, KeyError)


# --- wrong arguments for the programs of the corpus --------------------------------------------

WRONG = (None, "text", [], (1.0, 2), 1j, {"a": 1.0}, np.ones((2, 3), np.float32), np.zeros(0), abs)
CORPUS = load()
# Repeat a sequence billions of times, for such arguments.
HUGE = {"simulation.metropolis"}


@pytest.mark.parametrize("name", sorted(set(CORPUS) - HUGE))
def test_wrong_arguments(name: str) -> None:
    """Whatever it is called with, a program is compiled or refused."""
    program = CORPUS[name]
    rng = random.Random(name)
    args = list(program.samples[0]())
    if not args:
        return
    args[rng.randrange(len(args))] = rng.choice(WRONG)
    try:
        ahead.specialize(program.fn, args, (), options.DEFAULTS, Needed())
    except CompileError as error:
        assert not isinstance(error, InternalError), str(error)


WORDS = "unpack axis square empty hash dtype einsum complex broadcast attribute".split()
TEMPLATE = """
import numpy as np

def trap(x):
    try:
        NAME = x
        while NAME.sum() > 0:
            NAME = np.stack([NAME, NAME])
        return len(NAME)
    except (ValueError, TypeError, IndexError, AttributeError):
        return -1
"""


@pytest.mark.parametrize("word", WORDS)
def test_the_users_words_decide_nothing(word: str) -> None:
    """Neither what a message says in quotes, nor whether the program could catch it."""
    advised = set()
    for name in ("rows", word):
        namespace: dict[str, object] = {}
        text = TEMPLATE.replace("NAME", name)
        exec(compile(text, remember(text), "exec"), namespace)
        with pytest.raises(CompileError) as caught:
            pyxla.compile(namespace["trap"])(np.ones(2))
        advised.add(caught.value.hint)
    assert len(advised) == 1


# --- misspelt names, data frames, tracebacks ---------------------------------------------------


class Particle:
    def __init__(self) -> None:
        self.velocity = 1.0


def misspelt_global(x):
    return sorteed(x)  # noqa: F821


def misspelt_local(x):
    total = x + 1  # noqa: F841
    return totl  # noqa: F821


def misspelt_in_module(x):
    return np.sinn(x)


def misspelt_of_array(x):
    return x.shpe


def misspelt_of_list(x):
    return [x].appendd(x)


def misspelt_field(p):
    return p.velocty


@pytest.mark.parametrize(
    ("function", "given", "meant"),
    [
        (misspelt_global, np.ones(3), "sorted"),
        (misspelt_local, 1.0, "total"),
        (misspelt_in_module, np.ones(3), "sin"),
        (misspelt_of_array, np.ones(3), "shape"),
        (misspelt_of_list, 1.0, "append"),
        (misspelt_field, Particle(), "velocity"),
    ],
)
def test_misspelt_names(function, given, meant):
    with pytest.raises(CompileError) as caught:
        run(function, given)
    assert caught.value.hint == f"did you mean {meant!r}?"


class Frame:
    """What the libraries of data frames share."""

    def __init__(self) -> None:
        self.columns = {"x": np.ones(3)}

    def __dataframe__(self) -> None:
        raise NotImplementedError


def second(x, table):
    return x


def test_frames_of_data_and_names_of_arguments():
    with pytest.raises(CompileError, match=" table is a Frame: a table") as caught:
        run(second, 1.0, Frame())
    assert "to_numpy" in caught.value.hint
    with pytest.raises(CompileError, match=" table is a bytearray"):
        run(second, 1.0, bytearray(b"x"))
    with pytest.raises(CompileError, match=" table is a bytearray"):
        pyxla.compile(second)(1.0, table=bytearray(b"x"))
    with pytest.raises(CompileError, match=" x has dtype object"):
        pyxla.code_typed(identity, np.array([None]))


def raising(x):
    if x > 1:
        raise ValueError("large")
    return x


@pytest.mark.parametrize(
    ("function", "kind"), [(raising, ValueError), (misspelt_global, CompileError)]
)
def test_tracebacks_are_short(function, kind):
    with pytest.raises(kind) as caught:
        pyxla.compile(function, verify=False)(2.0)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert not [frame for frame in frames if OWN in frame.filename]


def test_refusals_have_no_context_of_the_compilers():
    """One that was found after the arguments were described anew."""

    def read_and_missing(text, n):
        return np.zeros(n), text.nothing

    with pytest.raises(CompileError) as caught:
        pyxla.compile(read_and_missing, verify=False)("a", 3)
    assert caught.value.__context__ is None


def test_refusals_have_no_cause_of_the_compilers():
    """What NumPy would say of an operand."""

    def joined(x):
        y = x.copy()
        y += b"bytes"
        return y

    with pytest.raises(CompileError) as caught:
        pyxla.compile(joined, verify=False)(np.ones(3))
    assert caught.value.__cause__ is None and caught.value.__context__ is None


def one_way(x):
    return the_other(x - 1)


def the_other(x):
    return one_way(x * 2)


def test_calls_of_each_other_are_not_all_printed():
    with pytest.raises(CompileError) as caught:
        pyxla.compile(one_way)(2.0)
    text = str(caught.value)
    assert len(text.splitlines()) < 30 and "calls more" in text


def exits(x):
    if x > 1:
        raise SystemExit(3)
    return x


def test_a_program_that_ends_the_process_shows_its_own_line():
    with pytest.raises(SystemExit) as caught:
        pyxla.compile(exits, verify=False)(2.0)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert caught.value.code == 3 and frames[-1].name == "exits"
    assert not [frame for frame in frames if OWN in frame.filename]


def test_what_a_program_raises_says_where():
    with pytest.raises(ValueError, match="^large$") as caught:
        pyxla.compile(raising, verify=False)(2.0)
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.name) == (__file__, "raising")
    assert (last.lineno, last.line) == (line_of(raising, 2), 'raise ValueError("large")')
    assert (last.colno, last.end_colno) == (8, 8 + len(last.line))
    assert caught.value.__context__ is None and caught.value.__cause__ is None


def not_negative(x, i):
    if x[i] < 0:
        raise ValueError("negative")
    return x[i]


def called_twice(x):
    first = not_negative(x, 0)
    return first + not_negative(x, 1)


def called_in_a_loop(x):
    total = 0
    for i in range(len(x)):
        total += 6 // int(not_negative(x, i))
    return total


def called_by_itself(x, n=2):
    return called_twice(x) if n == 0 else called_by_itself(x, n - 1)


class Halves:
    def __init__(self, x):
        self.x = x

    @property
    def second(self):
        return not_negative(self.x, 1) / 2


def called_by_members(x):
    return sorted([1.0, Halves(x).second], key=lambda v: 1 // int(v))


@pytest.mark.usefixtures("young")
@pytest.mark.parametrize("x", [(1.0, -2.0), (-2.0, 1.0), (1.0, 0.0)])
@pytest.mark.parametrize(
    "function", [called_twice, called_in_a_loop, called_by_itself, called_by_members]
)
def test_tracebacks_have_the_calls(function, x):
    """A frame for each function that CPython has one for."""
    seen = []
    for run in (function, pyxla.compile(function, verify=False)):
        try:
            seen.append(run(np.array(x)))
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            seen.append([str(error), *[(f.name, f.lineno, f.line) for f in frames[1:]]])
            gc.collect()
            assert not any(isinstance(r, dict) and "error" in r for r in gc.get_referrers(error))
    assert seen[0] == seen[1]


def line_of(function, below: int) -> int:
    return function.__code__.co_firstlineno + below


@pytest.mark.parametrize("value", ["a" * 5000, 10**400], ids=["text", "int"])
def test_long_values_are_told_by_their_beginnings(value):
    with pytest.raises(pyxla.CompileError) as refused:
        pyxla.compile(lambda x: value / [x])(2.0)
    message = str(refused.value)
    assert "unsupported operand types for /" in message
    assert len(message) < 1000
