"""`compile(sizes="bucket")`, `f64["n<=9"]`: few programs for many sizes, as NumPy has them."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import pyxla


def bucketed(function):
    return pyxla.compile(function, sizes="bucket")


def programs(compiled):
    return len(compiled.specializations)


def step(w, x, y):
    def loss(w):
        return ((x @ w - y) ** 2).mean()

    value, slope = pyxla.value_and_grad(loss)(w)
    return w - 0.1 * slope, value


def test_a_hundred_sizes_are_a_few_programs():
    compiled = bucketed(lambda x, k: (np.sqrt(x).sum() * k, np.sort(x)[::-1], x.mean()))
    for n in range(1, 101):
        x = np.random.default_rng(n).random(n)
        total, ordered, mean = compiled(x, 2.0)
        np.testing.assert_allclose((total, mean), (2 * np.sqrt(x).sum(), x.mean()))
        np.testing.assert_array_equal(ordered, np.sort(x)[::-1])
    assert programs(compiled) <= 8


def test_a_step_of_training():
    compiled, rng = bucketed(step), np.random.default_rng(0)
    for n in range(9, 17):
        w, x, y = rng.random(4), rng.random((n, 4)), rng.random(n)
        got, value = compiled(w, x, y)
        np.testing.assert_allclose(got, w - 0.2 * x.T @ (x @ w - y) / n)
        np.testing.assert_allclose(value, ((x @ w - y) ** 2).mean())
    assert programs(compiled) == 2  # of 9, and of up to 16


def test_sizes_that_all_calls_have_are_as_they_are():
    compiled = bucketed(lambda x, w: x @ w)
    for n in (5, 6, 7, 3):
        x, w = np.ones((n, 3)), np.arange(3.0)
        np.testing.assert_array_equal(compiled(x, w), x @ w)
    # Of three rows as well, which are not the 3 of w.
    met = sorted([entry.types[:16] for entry in compiled.specializations])
    assert met == [f"f64[{n},3], f64[3]" for n in (4, 5, 8)]
    for m in (5, 6):  # now this one differs as well
        x, w = np.ones((7, m)), np.arange(float(m))
        np.testing.assert_array_equal(compiled(x, w), x @ w)


def test_arguments_are_written():
    @bucketed
    def put(x, i, value):
        x[i] = value
        x += 1.0
        return x.shape[0]

    for n in (3, 5, 6):
        x = np.zeros(n)
        assert put(x, n - 1, 5.0) == n
        assert x.tolist() == [1.0] * (n - 1) + [6.0]
        with pytest.raises(IndexError):
            put(x, n, 5.0)


def test_sizes_that_must_be_known_are():
    compiled = bucketed(
        lambda x, y: (np.linalg.solve(x + 9 * np.eye(x.shape[0]), y), x.reshape(-1))
    )
    for n in (3, 5, 6):
        x, y = np.random.default_rng(n).random((n, n)), np.ones(n)
        solved, flat = compiled(x, y)
        np.testing.assert_allclose(solved, np.linalg.solve(x + 9 * np.eye(n), y))
        np.testing.assert_array_equal(flat, x.reshape(-1))


def test_arrays_of_other_sizes_do_not_fit():
    compiled = bucketed(lambda x, y: x + y)
    np.testing.assert_array_equal(compiled(np.ones(5), np.ones(5)), np.full(5, 2.0))
    with pytest.raises((ValueError, pyxla.CompileError)):
        compiled(np.ones(5), np.ones(6))


def test_arrays_of_jax():
    compiled = bucketed(lambda x: x * 2)
    for n in (5, 7):
        got = compiled(jax.numpy.ones(n))
        assert isinstance(got, jax.Array)
        assert got.tolist() == [2.0] * n


def add_one(a, b):
    a += 1
    return b.sum()


def first_is_five(x):
    flat = x.reshape(-1)
    flat[0] = 5.0


OUTSIDE = np.zeros(5)


def reads_outside(x):
    x += 1
    return OUTSIDE.sum()


def sized(function, *types):
    compiled = pyxla.compile(function)
    compiled.specialize(*types)
    return compiled


@pytest.mark.parametrize("compiled", [bucketed(add_one), sized(add_one, "f64[n<=8]", "f64[n]")])
def test_arguments_that_share_memory(compiled):
    x = np.zeros(5)
    assert (compiled(x, x), x.sum()) == (5.0, 5.0)
    x = np.zeros(6)
    assert (compiled(x[1:], x[:-1]), x.sum()) == (4.0, 5.0)


@pytest.mark.parametrize("compiled", [bucketed(reads_outside), sized(reads_outside, "f64[n<=8]")])
def test_an_argument_that_is_an_array_from_outside(compiled):
    OUTSIDE[:] = 0.0
    assert compiled(OUTSIDE) == 5.0


@pytest.mark.parametrize("function", [bucketed, lambda f: sized(f, "f64[n<=8,4]", "f64[n]")])
def test_arguments_that_share_memory_and_are_only_read(function):
    compiled, base = function(lambda x, y: x.T @ y), np.arange(32.0)
    for n in (5, 6, 7):
        x, y = base[: 4 * n].reshape(n, 4), base[:n]
        np.testing.assert_allclose(compiled(x, y), x.T @ y)
    assert programs(compiled) <= 2


def test_what_is_written_through_another_shape():
    compiled = bucketed(first_is_five)
    for shape in ((3, 4), (4, 3), (3, 3), (5, 2)):
        x = np.zeros(shape)
        compiled(x)
        assert x[0, 0] == x.sum() == 5.0


def test_arrays_that_cannot_be_written_are_read():
    compiled, fixed = bucketed(add_one), np.ones(5)
    fixed.flags.writeable = False
    assert compiled(np.zeros(5), fixed) == 5.0
    with pytest.raises(pyxla.CompileError, match="read-only"):
        compiled(fixed, np.zeros(5))


ROWS = pyxla.f64["n<=40", 3]


def summary(x, scale):
    return np.sort(x[:, 0]), x.mean(0) * scale if len(x) else None, x.shape, x @ x.T


@pytest.fixture(scope="module")
def artifact(tmp_path_factory):
    path = tmp_path_factory.mktemp("sized") / "summary.pyxla"
    pyxla.build(summary, ROWS, float, path=path)
    return pyxla.load(path)


def agree(got, expected):
    for x, y in zip(got, expected, strict=True):
        assert type(x) is type(y)
        if y is not None:
            np.testing.assert_allclose(x, y, rtol=1e-12)


def test_one_artifact_for_all_sizes_up_to_a_bound(artifact):
    assert repr(artifact) == "<pyxla.load summary(x: f64[n<=40,3], scale: float)>"
    for n in range(41):
        x = np.random.default_rng(n).random((n, 3))
        agree(artifact(x, scale=2.0), summary(x, 2.0))


@pytest.mark.parametrize(
    "x", [np.ones((41, 3)), np.ones((4, 4)), np.ones(3), np.ones((4, 3), "f4")]
)
def test_what_an_artifact_is_not_for(artifact, x):
    with pytest.raises(TypeError, match=r"x: f64\[n<=40,3\].*other types or sizes than f"):
        artifact(x, 2.0)


def test_an_artifact_writes_to_parts(tmp_path):
    pyxla.build(add_one, "f64[n<=8]", "f64[n]", path=tmp_path / "add.pyxla")
    loaded, x = pyxla.load(tmp_path / "add.pyxla"), np.zeros(5)
    assert loaded(x, np.ones(5)) == 5.0
    assert x.tolist() == [1.0] * 5
    with pytest.raises(TypeError, match="share memory"):
        loaded(x, x)


def corner_is_five(x):
    x[0, 0] = 5.0


def test_parts_that_are_not_written():
    assert "dynamic_update_slice" in pyxla.code_typed(corner_is_five, "f64[n<=8, 3]")
    with pytest.raises(pyxla.CompileError, match="a size after the first"):
        pyxla.code_typed(corner_is_five, "f64[3, n<=8]")


@pytest.mark.parametrize("function", [bucketed, lambda f: sized(f, "f64[n<=8]", "f64[n]")])
def test_an_argument_that_is_given_twice(function):
    compiled, x = function(lambda a, b: 1 if a is b else 2), np.ones(5)
    assert [compiled(x, x), compiled(x, x.copy())] == [1, 2]


def test_one_program_for_all_sizes_up_to_a_bound():
    compiled = sized(summary, ROWS, float)
    for n in (0, 1, 2, 7, 40):
        x = np.random.default_rng(n).random((n, 3))
        agree(compiled(x, 2.0), summary(x, 2.0))
    assert programs(compiled) == 1
    agree(compiled(np.ones((41, 3)), 2.0), summary(np.ones((41, 3)), 2.0))
    assert programs(compiled) == 2


MATRIX, VECTOR = pyxla.f64["n<=8", "m<=4"], pyxla.f64["m"]


def test_annotations_may_name_sizes():
    @pyxla.compile
    def product(a: MATRIX, b: VECTOR):
        return a @ b

    assert product(np.ones((5, 3)), np.ones(3)).tolist() == [3.0] * 5
    assert product(np.ones((2, 4)), np.ones(4)).tolist() == [4.0] * 2
    assert programs(product) == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["f64[n,3]", float], "size 'n' of f64.n,3. has no bound"),
        (["f64[n<=8,3]", "f64[n<=9]"], "size 'n' has two bounds, 8 and 9"),
        ([("f64[n<=8,3]",), float], "stands inside of a container"),
    ],
)
def test_sizes_that_are_not_given_well(given, message):
    with pytest.raises(pyxla.CompileError, match=message):
        pyxla.code_typed(summary, *given)


def test_a_report_names_the_arguments():
    text = pyxla.report(summary, ROWS, float).html
    assert "scale: float" in text
    assert "f64[40,3]" in text


def test_a_size_that_must_be_known():
    with pytest.raises(pyxla.CompileError, match="the size 'n' must be known") as caught:
        pyxla.code_typed(lambda a: np.zeros((len(a),) * len(a)), "f64[n<=4]")
    assert caught.value.hint == "write a number for it"


def test_another_word_is_refused():
    with pytest.raises(pyxla.CompileError, match="sizes"):
        pyxla.compile(step, sizes="buckets")
