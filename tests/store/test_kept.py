"""Programs of all kinds from disk: they do what they did, and everything else still works."""

from __future__ import annotations

import dataclasses
import enum
import os
import warnings
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pyxla
from pyxla import options, pipeline, store
from pyxla.runtime import memory, waiting
from pyxla.runtime.request import MANY, Request
from pyxla.runtime.sharing import Memory
from pyxla.specialize import specialize
from tests.compare import difference


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("PYXLA_CACHE", "1")
    monkeypatch.setenv("PYXLA_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def counted(monkeypatch):
    made = []

    def counting(request, places):
        made.append(request)
        return specialize(request, places)

    monkeypatch.setattr(pipeline, "specialize", counting)
    return made


class Suit(enum.Enum):
    RED = 1
    BLACK = 2


@dataclasses.dataclass
class Pair:
    x: float
    y: np.ndarray


class Ball:
    def __init__(self, r):
        self.r = r

    def grown(self, by):
        self.r = self.r + by
        return self


class Mine(Exception):
    pass


def mutates(x, n):
    for i in range(n):
        x[i] = x[i] * 2
    return x


def grows(x):
    out = []
    for v in x:
        if v > 0.5:
            out.append(v)
    return out


def raises(x, i):
    if x.sum() > 100:
        raise Mine(f"too much: {x.sum():.1f}")
    return x[i] * 2


def makes(x):
    a = [x, x + 1]
    return {"pair": Pair(x.sum(), x), "twice": (a, a), "suit": Suit.RED, "ball": Ball(x[0])}


def chooses(x):
    return Suit.RED if x.sum() > 0 else Suit.BLACK


def maybe(x):
    return None if x.sum() < 0 else x


def instance(b, by):
    return b.grown(by), b.r


def selects(x):
    return x[x > 0], np.nonzero(x)


def scalar(x):
    return x * 2


def words(x):
    return f"sum {x.sum():.3f}", "text", 3, 2.5, None, slice(1, None)


def far(n):
    return 10**20 + n, [10**20 + i for i in range(n)]


def large(x, y):
    return x + y, (x * y).sum()


def matrices(a, b):
    return np.linalg.solve(a, b), a @ b, np.fft.fft(b)


def text_set(x):
    s = {"b", "a"}
    return [x for _ in s], len(s), 1 if "a" in s else 2


def jaxed(x):
    return jnp.sin(x) * 2, jnp.sum(x)


def environment(x):
    return x * len(os.environ.get("PYXLA_NOT_SET", "ab"))


A = np.arange(1.0, 5.0)
BIG = np.linspace(0, 1, 70_000)
M = np.eye(4) * 3 + np.arange(16.0).reshape(4, 4)
CALLS = [
    (far, lambda: (3,)),
    (mutates, lambda: (A.copy(), 3)),
    (environment, lambda: (2.0,)),
    (mutates, lambda: (np.asfortranarray(M.copy())[:, 1], 3)),
    (grows, lambda: (A / 4,)),
    (raises, lambda: (A, 2)),
    (raises, lambda: (A, 9)),
    (raises, lambda: (A * 100, 1)),
    (makes, lambda: (A,)),
    (chooses, lambda: (A,)),
    (chooses, lambda: (-A,)),
    (maybe, lambda: (A,)),
    (maybe, lambda: (-A,)),
    (instance, lambda: (Ball(1.5), 2)),
    (selects, lambda: (A - 2,)),
    (scalar, lambda: (3,)),
    (scalar, lambda: (3.5,)),
    (scalar, lambda: (np.float32(2),)),
    (scalar, lambda: (jnp.arange(3.0),)),
    (words, lambda: (A,)),
    (large, lambda: (BIG, BIG[::-1].copy())),
    (large, lambda: (BIG[3:], BIG[:-3])),
    (matrices, lambda: (M, A)),
    (text_set, lambda: (A,)),
    (jaxed, lambda: (jnp.asarray(A, jnp.float32),)),
]


def outcome(function, args):
    try:
        result = function(*args)
    except Exception as error:
        return type(error), str(error), args
    return jax.tree.map(lambda x: np.asarray(x) if isinstance(x, jax.Array) else x, (result, args))


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_from_disk(number, counted):
    function, given = CALLS[number]
    first = outcome(pyxla.compile(function), given())
    assert counted
    del counted[:]
    compiled = pyxla.compile(function)
    second = outcome(compiled, given())
    assert not counted
    assert not difference(second, first)
    assert not difference(outcome(compiled, given()), first)
    if function is not jaxed:
        expected = outcome(function, given())
        assert not difference(second, expected) or function in (scalar, matrices)
    del counted[:]
    # Others in the same process, and what may be looked at.
    assert compiled.specializations[0].text("typed")
    assert str(pyxla.explain(compiled))


def test_objects_are_shared_as_they_were():
    for _ in range(2):
        made = pyxla.compile(makes)(A)
        assert made["twice"][0] is made["twice"][1]
        assert made["suit"] is Suit.RED and type(made["ball"]) is Ball


def test_under_transformations(counted):
    """What JAX asks for of a program from disk is compiled then."""

    def f(x):
        return (x**3).sum()

    x = jnp.arange(1.0, 4.0)
    pyxla.compile(f)(x)
    compiled = pyxla.compile(f)
    del counted[:]
    value = compiled(x)
    assert not counted
    assert jax.jit(compiled)(x) == value
    np.testing.assert_allclose(jax.grad(compiled)(x), 3 * x**2)
    np.testing.assert_allclose(jax.vmap(compiled)(jnp.stack([x, x])), [value, value])
    assert compiled(x) == value


def test_derivatives_and_lanes(counted):
    def f(x):
        return (x**3).sum()

    for make in (pyxla.grad, pyxla.vmap, lambda g: pyxla.jacfwd(pyxla.grad(g))):
        x = np.ones((2, 3)) if make is pyxla.vmap else A
        first = make(f)(x)
        del counted[:]
        np.testing.assert_allclose(make(f)(x), first)
        assert not counted


def test_what_is_printed_is_not_kept(counted, capfd):
    def f(x):
        print(x.sum())
        return x

    for _ in range(2):
        del counted[:]
        pyxla.compile(f)(A)
        assert counted
        assert capfd.readouterr().out == "10.0\n"


def test_what_xla_cannot_write_is_compiled_again(counted):
    """XLA:CPU has no form for the comparison of a sort of one array."""

    def f(x):
        return np.sort(x)

    for _ in range(2):
        np.testing.assert_array_equal(pyxla.compile(f)(-A), np.sort(-A))


def test_hashes_of_text_are_not_kept(counted):
    def f(x):
        return x * (hash("text") % 7)

    for _ in range(2):
        del counted[:]
        pyxla.compile(f)(2)
        assert counted


def test_everything_that_is_asked_for_is_in_the_key():
    """Each field of a request, and each option, makes another key."""
    request = Request(scalar, ())
    asked = [
        request,
        replace(request, names=("x",)),
        replace(request, memory=Memory(read_only=(0,))),
        replace(request, replayed=frozenset([(None, ValueError)])),
        replace(request, in_place=True),
        replace(request, alone=True),
    ]
    for field in dataclasses.fields(options.Options):
        value = getattr(options.DEFAULTS, field.name)
        other = not value if isinstance(value, bool) else (value or 0) + 1
        asked.append(replace(request, options=replace(options.DEFAULTS, **{field.name: other})))
    slots = [store.slot_of(request, (1.0,)) for request in asked]
    keys = {slot.key for slot in (*slots, store.slot_of(request, (1,)))}
    assert len(keys) == len(asked) + 1
    # None, and empty, for all slots: artifacts are not kept.  With hopes arguments are others.
    # What attempts have cost says nothing of what they make; a program without bounds is for all.
    how = {"demands", "tentative", "unknown", "bounds", "hopes", "work"}
    told = {field.name for field in dataclasses.fields(Request)} - how
    assert told == {
        "function",
        "args",
        "names",
        "memory",
        "options",
        "replayed",
        "in_place",
        "alone",
    }


def test_closures_that_count(counted):
    """A variable outside that is assigned to."""

    def counter():
        count = 0

        def f(x):
            nonlocal count
            count += 1
            return x + count

        return f

    for _ in range(2):
        del counted[:]
        compiled = pyxla.compile(counter())
        assert [compiled(1.0), compiled(1.0)] == [2.0, 3.0]
    assert not counted


def test_a_list_that_grows_beyond_its_room(counted):
    def f(x):
        out = [0.0]
        while out[-1] < x:
            out.append(out[-1] + 1.0)
        return out

    for _ in range(2):
        del counted[:]
        assert pyxla.compile(f, list_capacity=8)(100.0) == list(np.arange(101.0))
    assert not counted


def while_loop(x):
    n = 0
    while x[0] < 100:
        x[0] += 1
        n += 1
    return n


def test_what_is_kept_knows_whether_it_may_take_long(counted, monkeypatch):
    def waited(f, *args):
        asked = []

        def answered(timeout, function, *args):
            asked.append(function)
            return function(*args)

        with monkeypatch.context() as patch:
            patch.setattr(waiting, "answered", answered)
            f(*args)
        return len(asked)

    for program, endless in ((lambda x: x * 2, 0), (while_loop, 1)):
        for _ in range(2):  # made, and from disk
            f = pyxla.compile(program)
            assert waited(f, np.ones(3)) == 1  # the first call
            assert waited(f, np.ones(3)) == endless
    assert len(counted) == 2


def test_a_large_result_from_disk_compiles_nothing():
    """Neither the program nor what makes room for its result."""
    compiled = []
    jax.monitoring.register_event_duration_secs_listener(
        lambda event, *_, **__: compiled.append(event) if "backend_compile" in event else None
    )

    def scaled(x):
        return x * 2

    for number in range(2):
        jax.clear_caches()
        memory.POOL.clear()
        del compiled[:]
        made = pyxla.compile(scaled)(np.ones((1 << 19, 1)))
        assert made[-1, 0] == 2
        assert bool(compiled) == (number == 0)


def test_numbers_that_had_many_values_are_data_from_disk_too(counted):
    def squares(n):
        return {i: i * i for i in range(n)}

    made = []
    for _ in range(2):
        compiled = pyxla.compile(squares)
        assert [compiled(n)[n - 1] for n in range(1, 31)] == [n * n for n in range(30)]
        assert len(compiled.specializations) == MANY + 2
        made.append(len(counted))
    assert made[0] == made[1]


def part_of(x):
    if x > 9:
        return eval("x")
    if x > 8:
        return [1.0][np.ones(3)]
    return x + 1


def test_what_is_not_compiled_is_told_of_from_disk_too(counted):
    told = []
    for _ in range(2):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            assert pyxla.compile(part_of)(2.0) == 3.0
        told.append([(str(w.message), w.category, w.filename, w.lineno) for w in found])
    assert told[0] == told[1] != []
    made = len(counted)
    refused = []
    for enabled in ("1", "0"):
        with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
            patch.setenv("PYXLA_CACHE", enabled)
            warnings.simplefilter("error", pyxla.NotCompiledWarning)
            with pytest.raises(pyxla.CompileError) as error:
                pyxla.compile(part_of)(2.0)
        refused.append(str(error.value))
        assert enabled == "0" or len(counted) == made
    assert refused[0] == refused[1]
