"""Modules for other platforms have what those platforms have."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from jax import export

import pyxla
from pyxla.hlo import convolution


def solved(a, b):
    return np.linalg.solve(a, b)


def parts(a, b):
    return np.linalg.svd(a), np.linalg.eigh(a), np.linalg.qr(a)


def spread(a, b):
    return np.linalg.det(a), np.linalg.inv(a), np.linalg.cholesky(a), np.linalg.slogdet(a)


def settled(a, b):
    while np.abs(a).max() > 1.0:
        a = a * 0.5
    return a @ b, np.sin(a)


@pytest.mark.parametrize("function", [solved, parts, spread, settled])
def test_no_code_of_the_cpu_is_in_modules_for_others(function):
    compiled = pyxla.compile(function)
    a, b = jax.ShapeDtypeStruct((8, 8), np.float32), jax.ShapeDtypeStruct((8,), np.float32)
    for platforms in (["tpu"], ["cuda"], ["tpu", "cuda"]):
        made = export.export(jax.jit(compiled), platforms=platforms)(a, b).mlir_module()
        assert "lapack" not in made
        assert "xla_cpu" not in made


def layer(x, w):
    return np.tanh(x @ w) @ w.T


@pytest.mark.parametrize(
    ("dtype", "options", "setting", "precision"),
    [
        ("f4", {}, None, "HIGHEST"),
        ("f4", {"fast": True}, None, "DEFAULT"),
        ("f4", {}, "tensorfloat32", "HIGH"),
        ("f4", {"fast": True}, "highest", "HIGHEST"),
        ("f4", {}, "bfloat16", "DEFAULT"),
        ("f4", {}, "F16_F16_F32", "HIGHEST"),
        ("c8", {}, None, "HIGHEST"),
        ("f8", {}, None, "DEFAULT"),
        ("f2", {}, None, "DEFAULT"),
    ],
)
def test_products_on_accelerators_are_as_exact_as_numpys(dtype, options, setting, precision):
    compiled = pyxla.compile(layer, **options)
    given = jax.ShapeDtypeStruct((8, 8), dtype)
    with jax.enable_x64(True), jax.default_matmul_precision(setting):
        made = export.export(jax.jit(compiled), platforms=["cuda"])(given, given).mlir_module()
        here = export.export(jax.jit(compiled), platforms=["cpu"])(given, given).mlir_module()
    assert "HIGH" not in here
    products = [line for line in made.splitlines() if "dot_general" in line]
    said = [line.partition("precision = [")[2].partition(",")[0] or "DEFAULT" for line in products]
    assert said == [precision] * 2


def test_derivatives_and_convolutions_on_accelerators_are_as_exact():
    def loss(x, w):
        images, filters = np.tanh(x @ w)[None, None], w[None, None]
        return np.sum(convolution(images, filters, dimension_numbers="bf01_io01->bf01"))

    x = jax.ShapeDtypeStruct((8, 8), "f4")
    gradient = pyxla.compile(lambda x, w: pyxla.grad(loss, argnums=(0, 1))(x, w))
    made = export.export(jax.jit(gradient), platforms=["cuda"])(x, x).mlir_module()
    products = [s for s in made.splitlines() if "dot_general" in s or "stablehlo.convolution" in s]
    assert len(products) >= 4
    assert all("HIGHEST" in line for line in products)
