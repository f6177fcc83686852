"""Modules for other platforms have what those platforms have."""

from __future__ import annotations

import re

import jax
import numpy as np
import pytest
from jax import export

import pyxla
from pyxla.hlo import convolution
from tests import platforms
from tests.programs import Program


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
    for names in (["tpu"], ["cuda"], ["tpu", "cuda"]):
        made = export.export(jax.jit(compiled), platforms=names)(a, b).mlir_module()
        assert "lapack" not in made
        assert "xla_cpu" not in made


def test_sizes_by_name_are_refused_at_the_argument():
    (n,) = export.symbolic_shape("n")
    program = jax.jit(pyxla.compile(lambda x: x * 2))
    with pytest.raises(pyxla.CompileError, match="x has the size n, ") as caught:
        export.export(program)(jax.ShapeDtypeStruct((n, 4), np.float32))
    assert "n<=1000" in caught.value.hint


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


def factored(a):
    return np.linalg.qr(a)[1] @ np.linalg.eigvalsh(a)


@pytest.mark.parametrize(("wrong", "found"), [("lapack|cpu", []), ("Qr", ["tpu: Qr"])])
def test_what_a_platform_does_not_have_is_found(wrong, found, monkeypatch):
    monkeypatch.setattr(platforms, "OF_THE_CPU", re.compile(wrong))
    program = Program("factored", factored, (lambda: (np.eye(4),),), ())
    assert list(platforms.refused(program, platforms.PLATFORMS)) == found


def shown(a):
    print(a.sum())
    return a


def test_what_prints_is_refused_for_other_platforms():
    program = Program("shown", shown, (lambda: (np.eye(4),),), ())
    (reason,) = platforms.refused(program, ("tpu",))
    assert reason.startswith("tpu: CompileError")
    assert "prints or calls Python" in reason
