"""Artifacts: what is loaded behaves as what was built, and plain JAX runs it."""

from __future__ import annotations

import array
import collections
import copy
import importlib.util
import math
import random
from collections import deque
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pyxla
import pyxla.pipeline
from pyxla.errors import CompileError
from pyxla.runtime import artifact
from pyxla.runtime.outcome import OutArray, Outcome, OutConst, OutDict, OutScalar, OutTuple, Write
from pyxla.runtime.signature import describe
from tests.compare import difference
from tests.runtime.programs import double, fma
from tests.runtime.test_executable import SITES, status_program

X, Y = np.arange(4.0), np.full(4, 1 / 3)


class Pair(NamedTuple):
    a: object
    b: object


def built(program, args, result, captured=None, **fields):
    outcome = Outcome(tuple(range(len(program.params))), result, **fields)
    made = [(program, outcome)]
    return artifact.build(made, describe(args), names=["x", "y"], captured=captured or {})


def test_round_trip(tmp_path):
    result = OutTuple(Pair, (OutArray(0), OutDict(("k", 1), (OutConst(math.inf), OutConst(None)))))
    artifact.save(tmp_path / "out", built(fma(), [X, Y], result))
    loaded = artifact.load(tmp_path / "out")
    array, rest = loaded(X, Y)
    np.testing.assert_array_equal(array, X * Y + Y)
    assert rest == {"k": math.inf, 1: None}
    assert (loaded.name, loaded.names) == ("fma", ("x", "y"))
    assert "stablehlo.multiply" in loaded.stablehlo


def test_containers_as_arguments():
    loaded = artifact.parse(built(fma(), [(X, [Y])], OutArray(0)))
    np.testing.assert_array_equal(loaded((X, [Y])), X * Y + Y)


def test_captured_arrays_travel_along():
    loaded = artifact.parse(built(fma(), [X], OutArray(0), captured={1: Y}))
    np.testing.assert_array_equal(loaded(X), X * Y + Y)


def test_plain_jax_runs_it():
    data = built(fma(), [X, Y], OutArray(0))
    with jax.enable_x64(True):
        (result,) = jax.export.deserialize(bytearray(data)).call(X, Y)
    np.testing.assert_array_equal(result, X * Y + Y)


def test_scalars_writes_and_exceptions():
    assert artifact.parse(built(double(), [1.5], OutScalar(0)))(1.5) == 3.0
    x = np.array(1.0)
    loaded = artifact.parse(
        built(status_program(), [x], OutScalar(1), writes=(Write(0, 2),), status=0, sites=SITES)
    )
    with pytest.raises(ValueError, match=r"^plain$"):
        loaded(x)
    assert x == -1
    with pytest.raises(KeyError) as caught:
        loaded(np.array(2.0))
    assert caught.value.args == ("square 4.0!", 3)


def test_jax_arrays_in_jax_arrays_out():
    loaded = artifact.parse(built(fma("f32"), [X.astype("f4")] * 2, OutArray(0)))
    assert isinstance(loaded(jnp.ones(4), jnp.ones(4)), jax.Array)
    assert isinstance(loaded(np.ones(4, "f4"), np.ones(4, "f4")), np.ndarray)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((X,), "takes 2 arguments, 1 given"),
        ((X, Y[:3]), r"argument y: expected f64\[4\], got f64\[3\]"),
        ((X, 1.0), r"argument y: expected f64\[4\], got 1.0"),
    ],
)
def test_other_arguments_are_refused(args, words):
    with pytest.raises(TypeError, match=words):
        artifact.parse(built(fma(), [X, Y], OutArray(0)))(*args)


def test_numbers_convert_and_keywords_bind(tmp_path):
    def power(x, n, *, scale):
        return x**n * scale

    path = tmp_path / "power"
    pyxla.build(power, float, int, scale=complex, path=path)
    loaded = pyxla.load(path)
    expected = power(2.0, 3, scale=2j)
    for args, named in (
        ((2.0, 3, 2j), {}),
        ((2, True + 2), {"scale": 2j}),
        ((np.float64(2), np.int32(3)), {"scale": 2j}),
        ((), {"scale": 2j, "n": 3, "x": 2}),
    ):
        assert repr(loaded(*args, **named)) == repr(expected)
    for args in ((2.0, 3.0, 1), (2.0, "3", 1), (1j, 3, 1)):
        with pytest.raises(TypeError, match="expected"):
            loaded(*args)
    with pytest.raises(TypeError, match="takes 3 arguments, 3 given: x, n, scale"):
        loaded(1.0, 2, other=1)


def test_the_same_bytes_in_every_checkout(tmp_path):
    """Files are named without their folders."""
    made = []
    for folder in (tmp_path / "one", tmp_path / "another" / "place"):
        folder.mkdir(parents=True)
        source = folder / "of_a_checkout.py"
        source.write_text("def f(x):\n    assert x[0] > 0, 'x'\n    return x * 2\n")
        out = folder / "out"
        spec = importlib.util.spec_from_file_location("of_a_checkout", source)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        pyxla.build(module.f, pyxla.f64[3], path=out)
        made.append(out.read_bytes())
    assert made[0] == made[1]
    assert str(tmp_path).encode() not in made[0]


def test_what_is_no_artifact():
    with pytest.raises(CompileError, match="not a pyxla artifact"):
        artifact.parse(b"something else")


def test_what_an_artifact_cannot_hold():
    with pytest.raises(CompileError, match="cannot hold"):
        built(double(), [1.5], OutConst(object()))


def shifted(x, y):
    y[0] += 1
    return x + y.reshape(-1).sum()


def test_writes_need_arrays_by_themselves(tmp_path):
    pyxla.build(shifted, np.ones((2, 2)), np.ones((2, 2)), path=tmp_path / "out")
    loaded = pyxla.load(tmp_path / "out")
    base = np.arange(8.0)
    square = base[:4].reshape(2, 2)
    for other in (square, base[2:6].reshape(2, 2)):
        with pytest.raises(TypeError, match="share memory"):
            loaded(square, other)
    with pytest.raises(TypeError, match="not in C order"):
        loaded(square, square.copy().T)
    given, copied = square.copy(), square.copy()
    np.testing.assert_array_equal(loaded(square, given), shifted(square, copied))
    np.testing.assert_array_equal(given, copied)


def several_kinds(x):
    out = []
    for v in x:
        if v > 1:
            out.append(2)
        elif v > 0:
            out.append(v * 0.5)
        else:
            out.append(0.25)
    return out


def containers(x):
    pairs = [(int(v), float(v)) for v in x if v > 0]
    late = deque(int(v) for v in x if v > 1)
    return pairs, {int(v) for v in x}, {int(v): 1 for v in x}, late, {8, 1}, frozenset((3, 1))


@pytest.mark.parametrize("function", [several_kinds, containers])
def test_containers_that_data_fills(function, tmp_path):
    x = np.array([2.0, 0.5, -1.0, 3.0])
    pyxla.build(function, x, path=tmp_path / "out")
    found, expected = pyxla.load(tmp_path / "out")(x), function(x)
    assert found == expected
    assert repr(found) == repr(expected)


def given(function, *args, path):
    """What a file with `function` gives for arguments, or raises, and the arguments afterwards."""
    if not path.exists():
        pyxla.build(function, *args, path=path)
    return outcome(pyxla.load(path), args)


def outcome(function, args):
    args = copy.deepcopy(args)
    try:
        return function(*args), args
    except Exception as error:  # noqa: BLE001 - whatever is raised is compared
        return error, args


def product(x, y):
    return x * y


def either(x, i, d):
    x[0] = i
    return x[i] + i // d


def in_a_loop(x, n, k):
    for i in range(n):
        x[k % 4] = 7 // (2 - i)
    return x


def in_its_way_out(x, n, k):
    try:
        x[0] = math.log(n)
    finally:
        x[k] += 1
    return x[1]


@pytest.mark.parametrize("function", [either, in_a_loop, in_its_way_out])
def test_what_is_out_of_order(function, tmp_path):
    """A second program in the file raises what CPython raises."""
    for i in (1, 0, 3, 5):
        for k in (1, 0, 3, 6):
            args = np.array([1.0, 2.0, 3.0]), i, k
            found = given(function, *args, path=tmp_path / "out")
            assert not difference(found, outcome(function, args)), args


def test_what_is_noted_in_error(tmp_path):
    """Whether an int is too large is tested by a product of floats first."""
    for args in ((2**31, 2**31 + 5), (-(2**62), 2)):
        assert given(product, *args, path=tmp_path / "out") == (product(*args), args)
    error, _ = given(product, 2**62, 2, path=tmp_path / "out")
    assert isinstance(error, OverflowError)


def test_where_the_second_program_is_refused(tmp_path, monkeypatch):
    """No test is coarse, and a class is told only where it is certain."""
    specialize = pyxla.pipeline.specialize

    def refusing(request, places):
        if request.in_place:
            raise CompileError("refused")
        return specialize(request, places)

    monkeypatch.setattr(pyxla.pipeline, "specialize", refusing)
    x, path = np.array([7, 8, 9]), tmp_path / "out"
    assert given(either, x, 2, 2, path=path)[0] == 10
    assert str(given(either, x, 5, 2, path=path)[0]).startswith("the program would raise IndexErr")
    assert isinstance(given(either, x, 1, 0, path=path)[0], ZeroDivisionError)
    error, _ = given(either, x, 5, 0, path=path)
    assert isinstance(error, RuntimeError)
    assert "IndexError or ZeroDivisionError" in str(error)
    assert given(product, 2**31, 2**31 + 5, path=tmp_path / "p")[0] == 2**31 * (2**31 + 5)


def stacked(x, n):
    out, k = [0.0], 0
    while k < n:
        out.append(x[k % len(x)] * k)
        k += 1
    return len(out)


def test_a_list_that_is_too_long_is_told_as_such(tmp_path):
    made = pyxla.compile(stacked, list_capacity=8)
    pyxla.build(made, pyxla.f64[4], int, path=tmp_path / "stacked")
    loaded = pyxla.load(tmp_path / "stacked")
    assert loaded(X, 5) == 6
    with pytest.raises(MemoryError, match="grew beyond the 8 items .* larger list_capacity"):
        loaded(X, 100)


def test_parameters_are_shown_with_their_types(tmp_path):
    def app(d, xs, k):
        return d["w"] * xs[0] + k

    given = {"w": np.ones(2), "b": 1.0}, [1.0, 2.0], 3.0
    pyxla.build(app, *given, path=tmp_path / "app.pyxla")
    shown = repr(pyxla.load(tmp_path / "app.pyxla"))
    assert shown == "<pyxla.load app(d: {'w': f64[2], 'b': float}, xs: [float, float], k: float)>"


def counted_in_a_dict(n, m):
    found = {}
    for i in range(n):
        found[i % m] = found.get(i % m, 0) + i
    return found


def sized(n):
    return np.arange(n).sum(), np.eye(n) @ np.ones(n), [[0] * n for _ in range(n)], tuple(range(n))


def calls_of_itself(n):
    return calls_of_itself(n - 1) + calls_of_itself(n - 2) if n > 1 else n


@pytest.mark.parametrize(
    ("function", "values"),
    [
        (counted_in_a_dict, [(7, 3), (2, 5), (0, 1)]),
        (sized, [(3,), (0,), (5,)]),
        (calls_of_itself, [(3,), (10,)]),
    ],
)
def test_numbers_of_which_only_the_types_are_given(function, values, tmp_path):
    """What a call makes part of the program may be data."""
    types = [int] * len(values[0])
    pyxla.build(function, *types, path=tmp_path / "made.pyxla")
    loaded = pyxla.load(tmp_path / "made.pyxla")
    for given in values:
        assert not difference(loaded(*given), function(*given))
    with pytest.raises(CompileError, match=r"value of 'n' must be known.*only its type is given"):
        pyxla.code_typed(lambda x, n: x.reshape(n, -1), pyxla.f64[6], int)


def drawn(rng):
    return rng.normal(size=3), rng.permutation(4)


def drawn_in_python(rng):
    return rng.random(), rng.gauss(0, 1)


def turned(items):
    items.append(items.popleft() + 1)
    return len(items), items


def counted(found):
    found["b"] += 1
    return found.most_common(1)


@pytest.mark.parametrize(
    ("function", "make"),
    [
        (drawn, lambda: np.random.default_rng(3)),
        (drawn, lambda: np.random.RandomState(3)),
        (drawn_in_python, lambda: random.Random(3)),
        (turned, lambda: collections.deque([1, 2])),
        (turned, lambda: collections.deque([1, 2], maxlen=2)),
        (counted, lambda: collections.Counter(a=3, b=1)),
    ],
)
def test_objects_that_change(function, make, tmp_path):
    pyxla.build(function, make(), path=tmp_path / "a")
    loaded, given, expected = pyxla.load(tmp_path / "a"), make(), make()
    for _ in range(2):
        assert repr(loaded(given)) == repr(function(expected))
    assert isinstance(given, np.random.Generator | np.random.RandomState | random.Random) or (
        given == expected
    )


class Own(dict):
    pass


def entered(found):
    found["a"] = 1.0
    return found


@pytest.mark.parametrize(
    ("function", "given", "words"),
    [
        (lambda x: x["a"].sum(), np.zeros(3, [("a", float)]), "has parts of its own"),
        (lambda x: x[0] + 1, array.array("d", [1.0]), "has parts of its own"),
        (entered, Own(b=2.0), "cannot hold a Own"),
    ],
)
def test_what_artifacts_do_not_take(function, given, words, tmp_path):
    with pytest.raises(CompileError, match=words):
        pyxla.build(function, given, path=tmp_path / "a")


def test_dicts_in_another_order(tmp_path):
    pyxla.build(lambda d: list(d.values()), {"a": 1.0, "b": 2.0}, path=tmp_path / "a")
    with pytest.raises(TypeError, match="'a', 'b'], in this order"):
        pyxla.load(tmp_path / "a")({"b": 2.0, "a": 1.0})
    with pytest.raises(TypeError, match="expected maxlen=None"):
        pyxla.build(turned, collections.deque([1]), path=tmp_path / "a")
        pyxla.load(tmp_path / "a")(collections.deque([1], maxlen=1))


def test_what_is_asked_of_loaded_programs(tmp_path):
    """They are functions for JAX, and have no source to be compiled again or looked at."""
    pyxla.build(lambda x: x * 2, pyxla.f64[3], path=tmp_path / "a")
    loaded = pyxla.load(tmp_path / "a")
    with jax.enable_x64(True):
        assert jax.jit(loaded)(jnp.ones(3)).tolist() == [2.0, 2.0, 2.0]
    for ask in (
        lambda: pyxla.compile(loaded)(X[:3]),
        lambda: pyxla.compile(lambda x: loaded(x) + 1)(X[:3]),
        lambda: pyxla.code_hlo(loaded, pyxla.f64[3]),
        lambda: pyxla.profile(loaded, X[:3]),
    ):
        with pytest.raises(CompileError, match="an artifact holds no source") as caught:
            ask()
        assert "/artifact.py" not in str(caught.value)
    with pytest.raises(TypeError, match="argument x: expected"):
        loaded(X[:2])
