"""Arrays of `ml_dtypes`: what they become is what NumPy makes of them."""

from __future__ import annotations

import math

import jax
import ml_dtypes
import numpy as np
import pytest

import pyxla
from pyxla.ir.types import DTYPE_NAMES

NAMES = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "int4", "uint4")
KEPT = np.array([1, 2, 3, 1]).astype(ml_dtypes.int4)


def arithmetic(a, b):
    return a + b, a * b, a - b, a / b, -a, abs(a), a // b, a % b


def promotion(a, b):
    one, half, wide = a + 1, a * 0.5, a + np.float32(1)
    return one, half, wide, a + np.ones(6), a**2, a**0.5, a.astype(np.float32) + b, a + np.int8(1)


def comparisons(a, b):
    least = np.minimum(a, 0), np.clip(a, 0, 1)
    return a < b, a == b, a < 1, np.where(a > b, a, b), np.maximum(a, b), least


def reductions(a, b):
    return (
        a.sum(),
        a.max(),
        a.min(),
        a.argmax(),
        a.any(),
        np.ptp(a),
        np.cumsum(b),
        a.sum(dtype="f4"),
    )


def order(a, b):
    return np.sort(a), np.median(a.astype(np.float32)), np.unique(a), a[a > b]


def products(a, b):
    return a @ b, a.reshape(2, 3) @ b.reshape(3, 2), np.outer(a, b), np.linalg.norm(a)


def conversions(a, b):
    there = [a.astype(t) for t in (np.float32, np.int8, np.int64, bool, np.complex64)]
    back = np.linspace(-9, 9, 37).astype(a.dtype), np.arange(-20, 20).astype(a.dtype)
    return there, back, a.view(np.uint8), a.view(np.uint8).view(a.dtype), np.round(a)


def making(a, b):
    made = np.zeros(3, a.dtype), np.full(3, 1, a.dtype), np.array([1, 0], dtype=a.dtype)
    return made, np.zeros_like(a), np.arange(3, dtype=a.dtype), np.eye(2, dtype=a.dtype)


def elements(a, b):
    return a[1], a[1] + b[2], float(a[1]), int(a[1]), a[1].item(), a.tolist(), a[::-1], a[[0, 2]]


def moving(a, b):
    return np.concatenate([a, b]), np.stack([a, b]).T, np.roll(a, 1), np.pad(a, 1), {"x": [a, b]}


def loops(a, b):
    out, product, kept, i = np.zeros(6, a.dtype), a, [], 0
    for i in range(6):
        out[i] = a[i] * b[5 - i]
        if a[i] > b[i]:
            kept.append(a[i])
    while i < 9:
        product, i = np.maximum(product * b, a), i + 1
    return out, product, kept


def writing(a, b):
    a = a.copy()
    a[1:] = a[:-1]
    a += b
    a[2], a[3] = 1, 0.5
    return a


PROGRAMS = [
    *(arithmetic, promotion, comparisons, reductions, order, products, conversions, making),
    *(elements, moving, loops, writing),
]


def sample(name):
    dtype = np.dtype(getattr(ml_dtypes, name))
    if name == "uint4":
        return np.array([1, 2, 0, 3, 1, 2]).astype(dtype), np.array([2, 1, 3, 1, 2, 1]).astype(
            dtype
        )
    scale = 1 if name == "int4" else 0.5
    data = np.array([1, -4, 2, 6, -3, 4]) * scale, np.array([4, -3, 6, 1, -4, 1]) * scale
    return data[0].astype(dtype), data[1].astype(dtype)


def same(x, y):
    assert type(x) is type(y), (x, y)
    if isinstance(x, list | tuple):
        assert len(x) == len(y)
        for one, other in zip(x, y, strict=True):
            same(one, other)
    elif isinstance(x, dict):
        same(list(x.items()), list(y.items()))
    elif isinstance(x, np.ndarray | np.generic):
        assert (x.dtype, x.shape) == (y.dtype, y.shape), (x, y)
        wide = np.complex128 if x.dtype.kind == "c" else np.float64
        tolerance = 1e-6 if x.dtype == np.float32 else 0
        np.testing.assert_allclose(x.astype(wide), y.astype(wide), tolerance)
    else:
        assert x == y or math.isnan(x)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_numpy(program, name):
    a, b = sample(name)
    same(pyxla.compile(program)(a, b), program(a, b))


@pytest.mark.parametrize("name", ["float16", *NAMES[:3]])
@pytest.mark.parametrize("source", [np.float32, np.float64])
def test_floats_are_rounded_as_numpy_rounds_them(name, source):
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    bits = np.arange(256 ** min(dtype.itemsize, 2)).astype(f"u{dtype.itemsize}")
    every = np.sort(bits.view(dtype).astype(source))
    every = every[np.isfinite(every)]
    middle = (every[1:] + every[:-1]) / 2
    near = [np.nextafter(middle, source(end)) for end in (-np.inf, np.inf)]
    x = np.concatenate([every, middle, *near])[1:-1]
    found = pyxla.compile(lambda x: x.astype(dtype))(x)
    np.testing.assert_array_equal(found.astype(source), x.astype(dtype).astype(source))


def every_operation(a, b):
    quotients = a / b, a // b, a % b
    return a + b, a - b, a * b, *quotients, np.maximum(a, b), np.exp(a), np.sqrt(a), np.tanh(a)


@pytest.mark.optimized
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", [d for d in DTYPE_NAMES.values() if "float8" in d.name], ids=str)
def test_every_pair_of_floats(dtype):
    every = np.arange(256, dtype=np.uint8).view(dtype)
    a, b = (x.ravel() for x in np.meshgrid(every, every))
    for got, expected in zip(
        pyxla.compile(every_operation)(a, b), every_operation(a, b), strict=True
    ):
        np.testing.assert_array_equal(got.astype(float), expected.astype(float))


def test_captures_and_scalars():
    scalar = ml_dtypes.float8_e4m3fn(1.5)

    def f(x, s):
        return x.astype(KEPT.dtype) * KEPT, s + s, s * 2.0

    x = np.arange(4, dtype=np.float32)
    same(pyxla.compile(f)(x, scalar), f(x, scalar))


@pytest.mark.parametrize("name", ["bfloat16", *NAMES])
def test_what_is_widened_was_rounded(name):
    def widened(a, b):
        wide = (a * b).astype(np.float32), (a + b * a).astype(np.float64)
        return *wide, np.exp(a).astype(np.float64), (a * b).astype(np.int8), (-a).astype(np.int8)

    data = np.random.default_rng(0).uniform(0 if "u" in name[:1] else -2, 2, (2, 100))
    a, b = (data * (4 if "int" in name else 1)).astype(getattr(ml_dtypes, name))
    for got, expected in zip(pyxla.compile(widened)(a, b), widened(a, b), strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("size", [1, 2, 7, 16, 33, 1001])
def test_of_any_size(size):
    def running(a):
        b = a.copy()
        for i in range(1, len(b)):
            b[i] = b[i - 1] * b[i] + a[0]
        return b, a + b

    for name in ("int4", "float8_e4m3fn"):
        a = np.random.default_rng(0).integers(-8, 8, size).astype(getattr(ml_dtypes, name))
        same(pyxla.compile(running)(a), running(a))


def test_derivatives():
    def loss(x, w):
        q = x.astype(ml_dtypes.float8_e4m3fn) * w.astype(ml_dtypes.float8_e4m3fn)
        return (q.astype(np.float32) ** 2).sum()

    x, w = np.linspace(-1, 1, 6, dtype=np.float32), np.linspace(1, 2, 6, dtype=np.float32)
    np.testing.assert_array_equal(
        pyxla.grad(loss, 1)(x, w), jax.grad(loss, 1)(x, jax.numpy.asarray(w))
    )

    def narrow(w):
        return (w * w).astype(np.float32).sum()

    found = pyxla.grad(narrow)(w.astype(ml_dtypes.float8_e5m2))
    assert found.dtype == ml_dtypes.float8_e5m2
    np.testing.assert_array_equal(found, w.astype(ml_dtypes.float8_e5m2) * 2)


@pytest.mark.parametrize("name", ["int4", "float8_e4m3fn"])
def test_lanes_artifacts_and_jax(name, tmp_path):
    def row(a):
        return a * a + a

    a = np.arange(-6, 6).reshape(3, 4).astype(getattr(ml_dtypes, name))
    same(pyxla.vmap(row)(a), row(a))
    assert jax.jit(pyxla.compile(row))(a).dtype == a.dtype
    pyxla.build(row, a, path=tmp_path / "row.pyxla")
    same(pyxla.load(tmp_path / "row.pyxla")(a), row(a))


def test_spelling():
    assert str(pyxla.f8e4m3fn[8]) == "f8e4m3fn[8]"
    text = pyxla.code_stablehlo(lambda a, b: a.astype(b.dtype), "i4[2]", "f8e4m3b11fnuz[2]")
    assert "tensor<2xi4>" in text
    assert "tensor<2xf8E4M3B11FNUZ>" in text


def test_the_mean_of_ints_is_refused():
    with pytest.raises(pyxla.CompileError, match="NumPy's mean of int4 is of int4 as well"):
        pyxla.compile(lambda a: a.mean())(KEPT)
