"""Modules for other platforms have what those platforms have."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from jax import export

import pyxla


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
