"""`compile(width=32)`: what NumPy would give 64 bits has 32."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import pyxla
from pyxla.cli import main
from pyxla.errors import CompileError

G = np.linspace(0, 1, 3)
WIDE = {np.dtype(d) for d in (np.int64, np.uint64, np.float64, np.complex128)}


def literals(x):
    made = x * 2.0 + np.zeros(3), np.arange(3), np.ones(2), np.array([1.5, 2]), np.full(2, 7)
    return made, np.linspace(0, 1, 3), x + 1j, np.eye(2), np.float64(x[0]), np.int64(3)


def reductions(x):
    return x.mean(), np.mean(np.arange(5)), np.arange(4).sum(), np.argmax(x), x.std(), G.sum()


def random(x):
    rng = np.random.default_rng(0)
    return rng.normal(size=3), rng.integers(0, 10, 4), rng.random() * x


def structures(x):
    kept = [v * 2 for v in x if v > 0]
    return kept, {"a": [x + G]}, np.split(np.arange(4.0), 2), np.nonzero(x > 0), x[x > 0]


def loops(x):
    a = x
    for i in range(5):
        a = a * 0.5 + np.random.default_rng(i).normal(size=3)
    n = 0
    while np.abs(a).max() > 0.01:
        a, n = a * 0.5, n + 1
    out = np.empty(4)
    for i in range(4):
        out[i] = literals(x)[0][0][1] * i
    return a, n, out


def solutions(x):
    a = np.outer(x, x) + np.eye(3)
    return np.linalg.solve(a, x), np.linalg.inv(a), np.fft.fft(x), np.sort(x), np.unique(x)


def leaves(x):
    return jax.tree.leaves(x)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "program",
    [literals, reductions, random, structures, loops, solutions],
    ids=lambda f: f.__name__,
)
def test_results_have_32_bits(program, dtype):
    x = np.array([1.5, -2, 3], dtype)
    narrow = pyxla.compile(program, width=32)(x)
    for got, expected in zip(leaves(narrow), leaves(program(x)), strict=True):
        assert isinstance(got, int | float) or got.dtype not in WIDE
        np.testing.assert_allclose(got, expected, 1e-4, 1e-5)


def test_the_arrays_of_the_caller_keep_their_types():
    @pyxla.compile(width=32)
    def update(a, d, o):
        a[1:] *= 2
        d["n"][0] += 1
        b = o.T
        b[0] = 0.1
        return a.sum(), d["n"] * 2, a.dtype == np.float32

    a, n, o = np.ones(3), np.arange(3), np.ones((2, 2))
    total, double, narrow = update(a, {"n": n}, o)
    assert (a.dtype, n.dtype, o.dtype) == (np.float64, np.int64, np.float64)
    np.testing.assert_array_equal(a, [1, 2, 2])
    np.testing.assert_array_equal(n, [1, 1, 2])
    np.testing.assert_array_equal(o[:, 0], np.float32([0.1, 0.1]))
    assert (total, total.dtype, double.dtype, narrow) == (5, np.float32, np.int32, True)


def test_arguments_that_share_memory():
    @pyxla.compile(width=32)
    def first(a, b):
        a[0] = 9
        return b * 1

    a = np.arange(6.0)
    np.testing.assert_array_equal(first(a, a[::2]), [9, 2, 4])
    assert a[0] == 9


def test_ints_that_do_not_fit():
    array = pyxla.compile(lambda n: np.array([n, 2]), width=32)
    assert array(3).dtype == np.int32
    with pytest.raises(OverflowError, match="an int does not fit int32"):
        array(3 * 10**9)
    double = pyxla.compile(lambda a: a * 2, width=32)
    with pytest.raises(OverflowError):
        double(np.array([2**40, 1]))
    assert pyxla.compile(lambda n: n * n, width=32)(10**6) == 10**12  # Python's own

    @pyxla.compile(width=32)
    def caught(n):
        try:
            return np.array([n]).sum() + 0
        except OverflowError:
            return None

    assert caught(2**35) is None
    assert caught(2) == 2


def test_instances_closures_and_state():
    class Dense:
        def __init__(self):
            self.w, self.b, self.rng = np.ones((3, 3)), np.zeros(3), np.random.default_rng(1)

        def __call__(self, x):
            self.b = self.b - 0.1
            return np.tanh(x @ self.w + self.b) * self.rng.normal()

    dense, plain = Dense(), Dense()
    call = pyxla.compile(lambda d, x: d(x), width=32)
    for _ in range(2):
        got, expected = call(dense, G), plain(G)
        np.testing.assert_allclose(got, expected, 1e-5)
    assert (got.dtype, dense.b.dtype) == (np.float32, np.float32)


def test_transformations():
    def loss(w):
        return ((w * G) ** 2).sum()

    w = np.ones(3)
    found = pyxla.compile(pyxla.grad(loss), width=32)(w)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, pyxla.grad(loss)(w), 1e-6)
    lanes = pyxla.compile(pyxla.vmap(lambda r: r * np.zeros(3)), width=32)(np.ones((2, 3)))
    assert lanes.dtype == np.float32
    assert jax.jit(pyxla.compile(loss, width=32))(w).dtype == np.float32
    assert pyxla.compile(lambda x: x.mean() + x, width=32, sizes="bucket")(w).dtype == np.float32


def test_only_arguments_have_64_bits_in_the_listing(tmp_path, capsys):
    (tmp_path / "model.py").write_text(
        "def step(w, x):\n    e = x @ w\n    return w - 0.1 * (x.T @ e) / len(x), (e**2).mean()\n"
    )
    main(["typed", "--width", "32", f"{tmp_path}/model.py:step", "f64[3]", "f64[5,3]"])
    lines = capsys.readouterr().out.splitlines()
    assert "f64" in lines[0]
    assert not any("f64" in line for line in lines[1:])


def test_another_width():
    with pytest.raises(CompileError, match="option 'width' is 16"):
        pyxla.compile(loops, width=16)
