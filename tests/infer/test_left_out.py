"""Paths that are refused, or that raise whatever the data, are left out: others are compiled."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import jax
import numpy as np
import pytest

import pyxla
from pyxla import CompileError, NotCompiledWarning

LOW, HIGH = np.array([1.0, 2.0, 3.0]), np.array([11.0, 2.0, 3.0])
ROOT = Path(__file__).parents[2]


def pair(a, b):
    return a + b


def reads_a_file(x):
    if x[0] > 10:
        return open("data").read()
    return x * 2


def in_a_loop(x):
    total = 0.0
    for v in x:
        if v > 10:
            total += eval("v")
        total += v
    return total


def in_a_callee(x):
    def checked(v):
        return eval("v") if v > 10 else v + 1

    return [checked(v) for v in x]


def around_a_try(x):
    try:
        if x[0] > 10:
            x[1] = eval("3")
    except Exception:
        return -1.0
    finally:
        x[2] = 7
    return x[0]


def after_a_write(x):
    x[1] = 5
    if x[0] > 10:
        x[2] = float(np.vectorize(eval)("3"))
    return x.sum()


def before_the_rest(x):
    if x[0] < 10:
        return x[1]
    return eval("x[2]")


def in_a_list(x):
    rows = []
    for v in x:
        if v > 10:
            rows.append(eval("[v]"))
        rows.append([v, 1.0])
    return rows


def in_a_recursion(x):
    def depth(k):
        if k <= 0:
            return 0
        if k > 10:
            return eval("k")
        return 1 + depth(k - 1)

    return depth(int(x[0]))


def in_a_key(x):
    return sorted(x.tolist(), key=lambda v: eval("v") if v > 10 else -v)


def a_whole_loop(x):
    x[1] = 5
    if x[0] > 10:
        nested, k = (), 0
        while k < x.sum():
            nested = (nested, k)
            k += 1
        return len(nested)
    return 0


REFUSED = {
    f.__name__: f
    for f in (
        *(reads_a_file, in_a_loop, in_a_callee, around_a_try, after_a_write, before_the_rest),
        *(in_a_list, in_a_recursion, in_a_key, a_whole_loop),
    )
}


def misspelt_function(x):
    return np.sinn(x) if x[0] > 10 else np.sin(x)


def misspelt_name(x):
    y = x * 2
    if x[0] > 10:
        y += lenght  # noqa: F821
    return y


def too_few_arguments(x):
    x[1] = 4
    if x[0] > 10:
        x[1] = pair(x[0])
    return x


def no_such_attribute(x):
    class Point:
        def __init__(self, x, y):
            self.x, self.y = x, y

    point = Point(x[0], x[1])
    return point.z if x[0] > 10 else point.x


def text_and_number(x):
    return "a" + x[0] if x[0] > 10 else "a"


def not_callable(x):
    number = 3
    return number(x) if x[0] > 10 else number


def no_such_option(x):
    return np.linalg.norm(x, no_such_option=True) if x[0] > 10 else x


def in_a_while(x):
    k = 0
    while x[k] < 12:
        k += 1
        if x[0] > 10:
            lenght(k)  # noqa: F821
        if k == 2:
            break
    return k


RAISING = {
    f.__name__: f
    for f in (
        *(misspelt_function, misspelt_name, too_few_arguments, no_such_attribute),
        *(text_and_number, not_callable, in_a_while, no_such_option),
    )
}


def called(f, x):
    """What a call returns or raises, and the argument afterwards."""
    x = x.copy()
    try:
        return f(x), x
    except Exception as error:
        return error, x


@pytest.mark.parametrize("name", REFUSED)
def test_refused_where_it_is_reached(name):
    f = REFUSED[name]
    compiled = pyxla.compile(f)
    with pytest.warns(NotCompiledWarning, match="is refused where the program comes here") as seen:
        actual, written = called(compiled, LOW)
    expected, written_by_python = called(f, LOW)
    np.testing.assert_equal((actual, written), (expected, written_by_python))
    (warning,) = seen
    assert warning.filename == __file__
    error, written = called(compiled, HIGH)
    assert type(error) is CompileError or CompileError in type(error).__mro__
    assert error.lineno == warning.lineno and "^" in str(error)
    assert error.hint
    np.testing.assert_array_equal(written, HIGH)  # as before the call, so that it may be made anew


@pytest.mark.parametrize("name", RAISING)
def test_what_cpython_raises(name):
    f = RAISING[name]
    compiled = pyxla.compile(f)
    with pytest.warns(NotCompiledWarning, match="raises [A-Z][A-Za-z]+Error where the program"):
        np.testing.assert_equal(called(compiled, LOW), called(f, LOW))
    (error, written), (expected, written_by_python) = called(compiled, HIGH), called(f, HIGH)
    assert type(error) is type(expected)
    assert str(error) == str(expected)
    np.testing.assert_array_equal(written, written_by_python)


@pytest.mark.parametrize("f", [reads_a_file, misspelt_name])
def test_as_an_error_it_refuses_the_program(f):
    with warnings.catch_warnings(), pytest.raises(CompileError):
        warnings.simplefilter("error", NotCompiledWarning)
        pyxla.compile(f)(LOW)


def always(x):
    x[0] = 3
    return eval("x")


def always_after_a_check(x):
    if x[0] > 10:
        raise ValueError("too large")
    return np.sinn(x)


def always_in_a_callee(x):
    return x + pair(1)


@pytest.mark.parametrize("f", [always, always_after_a_check, always_in_a_callee])
def test_without_another_path_nothing_is_run(f):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        error, written = called(pyxla.compile(f), LOW)
    assert isinstance(error, CompileError)
    np.testing.assert_array_equal(written, LOW)


def test_more_than_a_few_are_refused():
    lines = [f"    if x[0] > {k}: x[{k % 3}] = eval('{k}')" for k in range(10, 30)]
    source = "\n".join(["def many(x):", *lines, "    return x"])
    namespace = {}
    exec(source, namespace)
    with pytest.raises(CompileError):
        pyxla.code_typed(namespace["many"], LOW)


def squared_or_not(x):
    if x > 10:
        return eval("x")
    while x < 4:
        x = x * x + 1
    return x


@pytest.mark.filterwarnings("ignore::pyxla.NotCompiledWarning")
def test_under_transformations():
    gradient = pyxla.grad(squared_or_not)
    assert gradient(1.0) == pytest.approx(8.0)
    with pytest.raises(CompileError, match="eval"):
        gradient(11.0)
    with pytest.raises(CompileError, match="eval is not compiled"):
        jax.jit(pyxla.compile(squared_or_not))(1.0)
    status, result = pyxla.checked(squared_or_not)(1.0)
    assert (int(status), float(result)) == (0, 5.0)
    assert int(pyxla.checked(squared_or_not)(11.0)[0]) != 0


@pytest.mark.filterwarnings("ignore::pyxla.NotCompiledWarning")
def test_in_an_artifact_and_in_another_process(tmp_path):
    path = tmp_path / "program.pyxla"
    pyxla.build(before_the_rest, LOW, path=path)
    loaded = pyxla.load(path)
    assert loaded(LOW.copy()) == 2.0
    with pytest.raises(CompileError, match="eval is not compiled"):
        loaded(HIGH.copy())
    script = (
        "import numpy as np, pyxla\nfrom tests.infer.test_left_out import *\n"
        "f = pyxla.compile(before_the_rest)\n"
        "print(f(LOW), str(called(f, HIGH)[0]))"
    )
    said = [
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script],
            env={"PYXLA_CACHE": str(tmp_path), "PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"},
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        ).stdout
        for _ in range(2)
    ]
    assert said[0] == said[1]
    assert said[0].startswith("2.0 ") and "eval is not compiled" in said[0]


def test_a_dtype_that_data_decides_is_refused_where_it_is_another():
    def sums(xs):
        found = [0]
        for x in xs:
            if x > 0:
                found.append(found[-1] + x)
        return np.array(found)

    compiled = pyxla.compile(sums)
    np.testing.assert_array_equal(compiled(np.array([1.0, -1.0])), [0.0, 1.0])
    with pytest.raises(CompileError, match="the dtype of an array of these numbers") as refused:
        compiled(np.array([-1.0]))
    assert refused.value.lineno == sums.__code__.co_firstlineno + 5


def whole_dicts(x):
    rows = [{"x": v, "i": i} for i, v in enumerate(x)]
    for row in sorted(rows, key=lambda row: row["x"]):
        if row["x"] < 10:
            row["small"] = True
    return [dict(row) for row in rows]


def test_dicts_of_unlike_keys_are_refused_where_all_of_one_is_looked_at():
    compiled = pyxla.compile(whole_dicts)
    assert compiled(LOW) == whole_dicts(LOW)
    with pytest.raises(CompileError, match="whether this dict has the key 'small'") as caught:
        compiled(HIGH)
    assert caught.value.lineno == whole_dicts.__code__.co_firstlineno + 5
    assert "'small' in x" in caught.value.hint


def begins_small(rows, most):
    for row in rows:
        if row["x"] > most:
            break
        row["y"] = row["x"] * 2
        row["z"] = row["x"] * 3 + row["y"]
    return [list(row) for row in rows[-2:]]


def begins_small_and_tells(rows, most):
    print(len(rows))
    return begins_small(rows, most)


def rows_of_numbers():
    return [{"x": float(i)} for i in range(32)]


@pytest.mark.meant
def test_unlike_dicts_are_compiled_for_where_they_are_met():
    compiled = pyxla.compile(begins_small)
    assert compiled(rows_of_numbers(), 99.0) == begins_small(rows_of_numbers(), 99.0)
    assert not compiled.options.unlike_dicts
    assert compiled(rows_of_numbers(), 9.0) == begins_small(rows_of_numbers(), 9.0)
    assert compiled.options.unlike_dicts


def test_unlike_dicts_are_refused_where_printed_text_would_be_printed_again():
    compiled, rows = pyxla.compile(begins_small_and_tells), rows_of_numbers()
    with pytest.raises(CompileError, match="whether this dict has the key 'y'") as caught:
        compiled(rows, 9.0)
    assert "unlike_dicts=True" in caught.value.hint
    assert rows == rows_of_numbers()
