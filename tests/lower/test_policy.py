"""`compile(precision=...)`: products of fewer bits, and all else as it was."""

from __future__ import annotations

import jax
import ml_dtypes
import numpy as np
import pytest

import pyxla
from pyxla.cli import main
from pyxla.errors import CompileError

NARROW = {"bfloat16": ml_dtypes.bfloat16, "float16": np.float16}
RNG = np.random.default_rng(0)


def rounded(x, policy):
    return x.astype(NARROW[policy]).astype(x.dtype)


def product(a, b):
    return a @ b


def symmetric(a, b):
    return a.T @ a


def rows(a, b):
    out = np.zeros((len(a), b.shape[1]), a.dtype)
    for i in range(len(a)):
        out[i] = a[i] @ b
    return out


def lanes(a, b):
    return pyxla.vmap(np.dot, in_axes=(0, None))(a, b)


def batched(a, b):
    return np.einsum("bij,jk->bik", a[None] * np.ones((2, 1, 1), a.dtype), b)


PROGRAMS = [product, symmetric, rows, lanes, batched]


@pytest.mark.parametrize("policy", NARROW)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_what_is_multiplied_is_rounded(program, dtype, policy):
    a, b = RNG.normal(size=(33, 40)).astype(dtype), RNG.normal(size=(40, 21)).astype(dtype)
    found = pyxla.compile(program, precision=policy)(a, b)
    x, y = rounded(a, policy), rounded(b, policy)
    expected = program(x, y) if program is not lanes else x @ y
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, 1e-4, 1e-5)


def test_a_loop_and_a_callee():
    def step(a, x):
        return a @ x * np.float32(0.1)

    def loop(a, x, n):
        for _ in range(n):
            x = step(a, x)
        return x, x.sum()

    a, x = RNG.normal(size=(40, 40)).astype(np.float32), RNG.normal(size=40).astype(np.float32)
    found, _ = pyxla.compile(loop, precision="bfloat16")(a, x, 3)
    for _ in range(3):
        x = step(rounded(a, "bfloat16"), rounded(x, "bfloat16"))
    np.testing.assert_allclose(found, x, 1e-5, 1e-6)


def test_convolutions():
    def blur(x, w):
        return pyxla.hlo.convolution(x, w, dimension_numbers="bf0_oi0->bf0")

    x, w = (RNG.normal(size=s).astype(np.float32) for s in ((2, 3, 20), (4, 3, 5)))
    found = pyxla.compile(blur, precision="bfloat16")(x, w)
    expected = pyxla.compile(blur)(rounded(x, "bfloat16"), rounded(w, "bfloat16"))
    np.testing.assert_allclose(found, expected, 1e-4, 1e-5)


def mlp(w, x):
    return np.tanh(x @ w).sum()


@pytest.mark.parametrize(
    "derivative",
    [
        lambda f, p: pyxla.compile(pyxla.grad(f), precision=p),
        lambda f, p: pyxla.grad(pyxla.compile(f, precision=p)),
        lambda f, p: jax.grad(pyxla.compile(f, precision=p)),
    ],
)
def test_derivatives(derivative):
    w, x = (RNG.normal(size=s).astype(np.float32) for s in ((40, 7), (9, 40)))
    z = np.tanh(rounded(x, "bfloat16") @ rounded(w, "bfloat16"))
    expected = rounded(x, "bfloat16").T @ rounded(1 - z * z, "bfloat16")
    if derivative.__code__.co_names[:1] == ("pyxla",):
        found = derivative(mlp, "bfloat16")(w, x)
    else:
        found = np.asarray(derivative(mlp, "bfloat16")(w, x))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, 1e-3, 1e-5)


def test_the_listing_and_the_modules_tell(tmp_path, capsys):
    (tmp_path / "model.py").write_text("def dense(x, w):\n    return x @ w + x.sum()\n")
    types = f"{tmp_path}/model.py:dense", "f32[4,3]", "f32[3,2]"
    main(["typed", "--precision", "bfloat16", *types])
    listing = capsys.readouterr().out
    assert listing.count("dtype=bf16") == 2
    assert "precision=bf16 : f32[4,2]" in listing
    main(["stablehlo", "--platform", "tpu", "--precision", "bfloat16", *types])
    text = capsys.readouterr().out
    assert "(tensor<4x3xbf16>, tensor<3x2xbf16>) -> tensor<4x2xf32>" in text
    assert "applies stablehlo.add across dimensions = [0, 1] : (tensor<4x3xf32>" in text
    main(["stablehlo", "--platform", "cuda", "--precision", "tf32", *types])
    assert "precision = [HIGH, HIGH]" in capsys.readouterr().out


def test_other_numbers_are_left_alone():
    a = RNG.integers(0, 300, (4, 4))
    np.testing.assert_array_equal(pyxla.compile(product, precision="bfloat16")(a, a), a @ a)


def test_another_policy():
    with pytest.raises(CompileError, match="option 'precision' is 'int8'"):
        pyxla.compile(product, precision="int8")
