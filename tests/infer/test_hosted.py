"""Functions that CPython runs in the middle of a program: `pyxla.host`, and JAX's callbacks."""

from __future__ import annotations

import copy
import io
import traceback

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.signal
import scipy.special
from jax.experimental import io_callback

import pyxla
from pyxla import CompileError

X = np.array([1.0, 2.0, 4.0])
log: list = []


@pyxla.host
def record(*args, **kwargs):
    log.append((*args, *kwargs.items()))
    return len(log)


@pyxla.host
def scaled(x, by: float = 2.0) -> pyxla.f64[3]:
    return np.asarray(x) * by


@pyxla.host(returns=(float, {"k": pyxla.i32}, [None, bool]))
def several(i):
    return i * 0.5, {"k": np.int32(i)}, [None, i > 1]


@pyxla.host
def fails(i) -> float:
    if i == 1:
        raise KeyError("one")
    if i > 2:
        raise ValueError(f"at {i}")
    return float(i)


def message(call):
    with pytest.raises(CompileError) as caught:
        call()
    return str(caught.value)


def outcome(function, *args):
    """What a caller sees of a call, and of the host."""
    log.clear()
    memory.seek(memory.truncate(0))
    given = copy.deepcopy(args)
    try:
        ended = function(*given)
    except Exception as error:  # noqa: BLE001
        frames = traceback.extract_tb(error.__traceback__)
        ended = type(error), str(error), [f.lineno for f in frames if f.filename == __file__][1:]
    return repr((ended, given, memory.getvalue(), log, [list(map(type, seen)) for seen in log]))


def loops(x, n):
    i, s = 0, 0.0
    while s < n:
        record(i, x)
        x = scaled(x, by=1.5) if i % 2 else x + 1
        a, d, (_, flag) = several(i)
        s += a + d["k"] + flag
        i += 1
    return x, s, i


def kinds(x, n):
    record(
        n, n * 0.5, n > 1, x, x[0], x > 1, x[x > n], (1, x[1]), [n, "a"], {"k": n}, None, f"{n}!"
    )
    record(np.float32(n), np.array(n * 2.0), [i * n for i in range(n)], key=range(3), c=n * 1j)
    record([np.array(n)], [np.arange(k) for k in range(3)])


def callee(x, n):
    def inner(y):
        record("in", y)
        print("printed", y)
        return scaled(y) if n > 1 else y

    return inner(inner(x))


def writes_before_it_raises(x, n):
    x[0] = 7
    for i in range(n):
        x[1] += fails(i * 2)
    return x


def clauses(x, n):
    t = 0.0
    for i in range(n):
        try:
            t += fails(i)
        except KeyError:
            t += 1000
        except ValueError as e:
            t += 100
            record(f"{e}", repr(e))
        finally:
            x[1] += 1
    return t


def raised_again(x, n):
    try:
        return fails(n)
    except Exception:
        x[0] = -1
        raise


def faults_once(x, n):
    for i in range(n + 1):
        record(i, x[i])
        x[i] += scaled(x)[0]
    return x


memory = io.StringIO()


def writes_files(x, n):
    total = 0
    for i in range(n):
        print(x, i, file=memory)
        total += memory.write(f"{x[0]} {i};")
    memory.flush()
    record(total, memory.tell())
    return x


def defined_inside(x, n):
    c = 3
    f = pyxla.host(lambda a, b=2: float(a.sum() * b + c), returns=float)

    @pyxla.host(returns=pyxla.c128[2])
    def g(a, *, k=1):
        return np.array([1 + 2j, k * a[0]])

    return f(x), f(x, b=n), g(x, k=n)


@pytest.mark.parametrize(
    "function",
    [
        *(loops, kinds, callee, writes_before_it_raises, clauses, raised_again, faults_once),
        *(writes_files, defined_inside),
    ],
)
@pytest.mark.parametrize("n", [1, 3])
def test_host_functions_do_what_cpython_does(function, n, capsys):
    expected, printed = outcome(function, X, n), capsys.readouterr().out
    assert outcome(pyxla.compile(function), X, n) == expected
    assert capsys.readouterr().out == printed


def test_without_checks_what_it_raises_ends_the_program():
    compiled = pyxla.compile(writes_before_it_raises, checks=False)
    with pytest.raises(ValueError, match="at 4"):
        compiled(X.copy(), 3)
    assert outcome(pyxla.compile(clauses, checks=False), X, 3) == outcome(clauses, X, 3)


@pytest.mark.parametrize(
    ("returns", "value", "text"),
    [
        (float, 3, "returned int, and float was told"),
        (int, True, "returned bool, and int was told"),
        (pyxla.f64[3], np.ones(2), r"returned f64\[2\], and f64\[3\] was told"),
        (pyxla.f64[3], np.ones(3, np.float32), r"returned f32\[3\], and f64\[3\] was told"),
        (pyxla.f64, 1.0, "returned float, and f64 was told"),
        ((int, float), (1,), r"returned tuple, and \(int, float\) was told"),
        ({"a": int}, {"b": 1}, "returned dict, and {'a': int} was told"),
        (None, 1, "returned int, and None was told"),
    ],
)
def test_results_are_what_was_told(returns, value, text):
    function = pyxla.host(lambda: value, returns=returns)
    with pytest.raises(TypeError, match=text):
        pyxla.compile(lambda: function())()


def test_what_the_host_is_given_is_not_written():
    @pyxla.host
    def writes(x) -> None:
        x[0] = 5

    @pyxla.host
    def appends(items) -> None:
        items.append(1.0)

    with pytest.raises(ValueError, match="read-only"):
        pyxla.compile(lambda x: writes(x))(X)
    with pytest.raises(TypeError, match="changed a container"):
        pyxla.compile(lambda x: appends([x[0]]))(X)


class Held:
    def __init__(self):
        self.v = 3

    @pyxla.host
    def noted(self, x) -> None:
        log.append(x)

    @pyxla.custom_jvp
    def square(self, x):
        return x * x * self.v


def reads(n):
    try:
        return fails(n)
    except ValueError as e:
        return e.args


def test_refusals():
    text = message(lambda: pyxla.compile(lambda n: record(n) + 1)(1))
    assert (
        "what the host function record returns is used" in text and "returns=pyxla.f64[3]" in text
    )
    text = message(lambda: pyxla.compile(lambda n: record(Held()))(1))
    assert "record is given" in text
    held = Held()
    text = message(lambda: pyxla.compile(lambda x: held.noted(x))(X))
    assert "the host function noted is given Held" in text and "pass the numbers" in text
    np.testing.assert_array_equal(pyxla.compile(lambda x: held.square(x))(X), 3 * X * X)
    with pytest.warns(pyxla.NotCompiledWarning, match="known to the host alone"):
        assert pyxla.compile(reads)(0) == 0.0
    made = lambda n: pyxla.host(lambda: n, returns=int)()  # noqa: E731
    assert "takes variables of the program" in message(lambda: pyxla.compile(made)(1))
    assert "is not the type of a result" in message(lambda: pyxla.host(record, returns="word"))
    assert "takes a function" in message(lambda: pyxla.host(pyxla.f64[3]))


# --- transformations and JAX ----------------------------------------------------------------------


def constant_factor(x):
    return pyxla.grad(lambda y: (y * scaled(pyxla.stop_gradient(y))).sum())(x)


def test_gradients_do_not_flow_through_the_host():
    np.testing.assert_array_equal(pyxla.compile(constant_factor)(X), X * 2)
    through = lambda x: pyxla.grad(lambda y: scaled(y).sum())(x)  # noqa: E731
    text = message(lambda: pyxla.compile(through)(X))
    assert "the host function scaled has no derivative rule" in text and "custom_vjp" in text

    def noted(x):
        def loss(y):
            record(y)
            return (y * y).sum()

        return pyxla.grad(loss)(x)

    log.clear()
    np.testing.assert_array_equal(pyxla.compile(noted)(X), 2 * X)
    assert len(log) == 1


def ruled():
    @pyxla.custom_vjp
    def doubled(x):
        return scaled(x)

    doubled.defvjp(lambda x: (scaled(x), None), lambda _, ct: (ct * 2,))
    return doubled


def test_rules_may_call_the_host():
    doubled = ruled()
    made = pyxla.compile(lambda x: pyxla.grad(lambda y: (doubled(y) ** 2).sum())(x))(X)
    np.testing.assert_array_equal(made, 8 * X)


def grows(y):
    while y[0] < 10:
        y = y * y * scaled(pyxla.stop_gradient(y))
    return y.sum()


def once(y):
    return (y * y * scaled(pyxla.stop_gradient(y))).sum()


def test_no_derivative_calls_twice():
    for derivative in (
        lambda: pyxla.grad(grows)(X),
        lambda: pyxla.jacfwd(once)(X),
        lambda: pyxla.grad(pyxla.checkpoint(once))(X),
        lambda: jax.grad(pyxla.compile(once))(X.copy()),
    ):
        with jax.enable_x64(True):
            assert "runs code again that calls the host" in message(derivative)
    np.testing.assert_array_equal(pyxla.grad(once)(X), 4 * X * X)


def lanes(x):
    def lane(r):
        record(0, r)
        y = scaled(r) + 1
        if r[0] > 1:
            y += fails(2)
        n = 0
        while n < r[1]:
            record(n)
            n += 1
        return y + n

    result = pyxla.vmap(lane)(x)
    record("end", result.sum())
    return result


def test_vmap_calls_for_each_element_in_turn():
    log.clear()
    x = np.arange(6.0).reshape(2, 3)
    expected = np.stack([scaled(r) + 1 + (2 if r[0] > 1 else 0) + r[1] for r in x])
    np.testing.assert_array_equal(pyxla.compile(lanes)(x), expected)
    called = [[repr(part) for part in seen[:1]] for seen in log]
    assert sum(called, []) == ["0", "0", "0", "0", "1", "2", "3", "'end'"]
    with pytest.raises(ValueError, match="at 3"):
        pyxla.compile(lambda x: pyxla.vmap(fails)(x))(np.array([0, 2, 3, 4]))
    narrow = pyxla.host(lambda x: np.asarray(x) / 2, returns=pyxla.f32[3])
    halves = jax.vmap(pyxla.compile(lambda x: narrow(x)))(x.astype(np.float32))
    np.testing.assert_array_equal(halves, x / 2)


# --- compile(host="auto") -------------------------------------------------------------------------


def saves(x, path):
    with open(path, "a") as file:
        file.write(f"{x.sum()};")


def annotated(x) -> float:
    class Sum:
        value = float(x.sum())

    return Sum.value


def not_annotated(x):
    class Sum:
        value = float(x.sum())

    return Sum.value


def auto(x, path, n):
    for i in range(n):
        saves(x, path)
        x = x + annotated(x) + scipy.special.voigt_profile(x, 1.0, 2.0) + scipy.signal.medfilt(x, 3)
    return x


def test_what_cannot_be_compiled_is_called_on_the_host(tmp_path):
    expected = auto(X, tmp_path / "expected", 2)
    with pytest.warns(UserWarning) as warned:
        compiled = pyxla.compile(auto, host="auto")
        np.testing.assert_allclose(compiled(X, str(tmp_path / "actual"), 2), expected)
        listing = pyxla.code_typed(compiled, X, pyxla.static["path"], 2).splitlines()
    assert (tmp_path / "actual").read_text() == (tmp_path / "expected").read_text()
    said = {str(w.message).partition(" is called on the host: ")[0] for w in warned}
    assert sorted(said) == ["annotated", "medfilt", "saves", "voigt_profile"]
    assert any("host_call" in line and "function=medfilt" in line for line in listing)


def test_what_is_left_of_auto():
    text = message(lambda: pyxla.compile(lambda x: not_annotated(x) + 1, host="auto")(X))
    assert "what the host function not_annotated returns is used" in text
    assert "'x', which methods of this class use, is not known" in text
    text = message(lambda: pyxla.compile(lambda x: saves(x, "path"))(X))
    assert "open is not compiled" in text and "pyxla.host(f, returns=...)" in text
    assert "option 'host' is 'all'" in message(lambda: pyxla.compile(saves, host="all"))


def test_under_jit_it_is_called_once_a_call():
    def quiet(x):
        record(x)

    def both(x):
        record(x)
        return fails(2) + x.sum()

    for function in (quiet, both):
        compiled = jax.jit(pyxla.compile(function))
        log.clear()
        for _ in range(3):
            compiled(X)
        jax.effects_barrier()
        assert len(log) == 3
    log.clear()
    compiled = pyxla.compile(both)
    np.testing.assert_allclose(jax.jit(lambda x: x + compiled(X))(1.0), 10)
    assert len(log) == 1


def sine(a):
    log.append(isinstance(a, jax.Array))
    return np.sin(a)


def callbacks(x, n):
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    y = jax.pure_callback(sine, shape, x) + jax.pure_callback(lambda a: np.cos(a), shape, x)
    total = io_callback(
        lambda a, b: np.float32(a.sum() + b), jax.ShapeDtypeStruct((), np.float32), y, n
    )
    jax.debug.callback(record, total)
    return y, total


def test_callbacks_of_jax():
    x = jnp.arange(3, dtype=jnp.float32)
    log.clear()
    expected, seen = callbacks(x, 2), len(log)
    log.clear()
    actual = pyxla.compile(callbacks)(x, 2)
    for a, b in zip(actual, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
        assert isinstance(a, jax.Array) and a.dtype == b.dtype
    assert len(log) == seen and log[0] is True
