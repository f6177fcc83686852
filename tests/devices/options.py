"""`compile(mesh=, in_shardings=, out_shardings=, donate=)`, memory and talk."""

from __future__ import annotations

import contextlib
import io

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec

import pyxla
from pyxla import cli
from tests.devices.placed import AUTO, placed

ROWS, COLUMNS, WHOLE = PartitionSpec("data"), PartitionSpec(None, "data"), PartitionSpec()
A, W = np.arange(128.0).reshape(16, 8), np.eye(8)


def check_shardings_of_arguments_and_results():
    @pyxla.compile(mesh=AUTO, in_shardings=(ROWS, WHOLE), out_shardings=(ROWS, {"s": COLUMNS}))
    def products(a, w):
        return a @ w, {"s": a * 2}

    first, rest = products(A, W)
    assert first.sharding.spec == ROWS
    assert rest["s"].sharding.spec == COLUMNS
    np.testing.assert_array_equal(first, A)
    np.testing.assert_array_equal(rest["s"], 2 * A)


def check_a_mesh_alone_leaves_arrays_as_they_are():
    doubled = pyxla.compile(lambda a: pyxla.shard(a * 2, "data"), mesh=AUTO)
    assert isinstance(doubled(A), np.ndarray)
    np.testing.assert_array_equal(doubled(A), 2 * A)
    assert doubled(jnp.asarray(A)).sharding.spec == ROWS


def put(x, i, value):
    x[i] = value
    return x


def check_arguments_that_are_given_up():
    for donate in ("x", 0, ("x",)):
        compiled = pyxla.compile(put, donate=donate)
        x = jnp.zeros(4)
        assert compiled(x, 1, 2.0).tolist() == [0, 2, 0, 0]
        assert x.is_deleted()
    with pytest.raises(IndexError):
        compiled(jnp.zeros(4), 4, 2.0)
    y = np.zeros(4)
    assert compiled(y, 1, 2.0) is y  # NumPy's arrays are written as ever
    large = compiled.memory(jax.ShapeDtypeStruct((1 << 20,), np.float32), int, float)
    assert large.temporaries < 1024
    assert large.peak < 1.01 * large.arguments
    with pytest.raises(pyxla.CompileError, match="no argument 'z'"):
        pyxla.compile(put, donate="z")


def said(*words):
    """What a command prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert cli.main(words) == 0
    return out.getvalue()


def check_types_lie_as_arguments_do():
    @pyxla.compile(mesh=AUTO, in_shardings=(ROWS, WHOLE))
    def products(a, w):
        return (a @ w).sum(axis=0)

    products.specialize(pyxla.f64[16, 8], pyxla.f64[8, 8])
    assert products(A, W).tolist() == A.sum(axis=0).tolist()
    assert len(products.specializations) == 1
    assert products.memory(A, W).arguments == 8 * (16 + 64)
    assert products.memory(pyxla.f64[16, 8], "f64[8,8]").arguments == 8 * (16 + 64)


def check_what_is_shown_is_for_the_devices_of_arguments():
    inner = lambda d, k: (d["a"] * k).sum(axis=0)
    for mesh in (AUTO, jax.make_mesh((8,), ("data",))):
        a = placed(A, "data", mesh=mesh)
        for given in (a, jax.ShapeDtypeStruct(a.shape, a.dtype, sharding=a.sharding)):
            assert pyxla.compile(inner).memory({"a": given}, float).arguments == 8 * (16 + 1)
            text = pyxla.code_hlo(inner, {"a": given}, float, optimized=True)
            assert text.count(" all-reduce(") == 1
    assert "all-reduce" in pyxla.report(inner, {"a": a}, 2.0, derivative=False).html
    assert pyxla.profile(inner, {"a": a}, 2.0, runs=1).wall > 0


def check_what_devices_tell_each_other():
    place, mesh = "tests.devices.options:dense", "data=4,model=2"
    text = said("collectives", "--mesh", mesh, place, "f32[64@data,8]", "f32[8,8@model]")
    rows = [line.split() for line in text.splitlines()]
    assert [(op, axis, count, times) for _, op, axis, count, _, _, times in rows] == [
        ("all-gather", "model", "512", "5"),
        ("all-reduce", "data", "16", "5"),
    ]
    text = said("memory", "--mesh", mesh, place, "f32[64@data,8]", "f32[8,8@model]")
    assert "arguments" in text


def dense(x, w):
    for _ in range(5):
        x = np.tanh(x @ w)
        x = x - x.mean(axis=0)
    return x


def check_platforms():
    place = "tests.devices.options:solved"
    for platform in ("tpu", "cuda"):
        assert "lapack" not in said(
            "stablehlo", "--platform", platform, place, "f32[4,4]", "f32[4]"
        )
    assert cli.main(["hlo", "--platform", "abacus", place, "f32[4,4]", "f32[4]"]) == 1


def solved(a, b):
    return np.linalg.solve(a, b)
