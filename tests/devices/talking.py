"""Functions that communicate: `jax.lax.psum` and its like, under `shard_map` and `vmap`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pyxla
from pyxla import hlo
from tests.devices.placed import AUTO, placed

X = np.arange(16.0)
SHARDED, WHOLE = jax.P("data"), jax.P()


def shared(function, out_specs, *args, in_specs=SHARDED, **options):
    """The result under `shard_map`, in double precision."""
    with jax.enable_x64(True):
        mapped = jax.shard_map(
            function, mesh=AUTO, in_specs=in_specs, out_specs=out_specs, **options
        )
        return mapped(*args)


def everything(a):
    i, n = jax.lax.axis_index("data"), jax.lax.axis_size("data")
    g = jax.lax.all_gather(a, "data")
    p = jax.lax.ppermute(a, "data", [(k, (k + 1) % n) for k in range(n)])
    s = jax.lax.psum_scatter(g, "data", scatter_dimension=0)
    t = jax.lax.all_to_all(g, "data", 0, 0)
    return a + i, p, s, t, g[n - 1], jax.lax.pmax(a, "data"), jax.lax.pmean(a, "data")


def check_all_of_them():
    for options in ({}, {"check_vma": False}):
        specs = (*[SHARDED] * 5, WHOLE, WHOLE)
        got = shared(pyxla.compile(everything), specs, X, **options)
        want = shared(jax.jit(everything), specs, X, **options)
        for one, other in zip(got, want, strict=True):
            np.testing.assert_array_equal(one, other)


def check_derivatives():
    def loss(a):
        late = jax.lax.ppermute(a, "data", [(k, (k + 3) % 8) for k in range(8)])
        total = jax.lax.psum((a * late).sum(), "data")
        return total * total + jax.lax.pmean((jax.lax.all_gather(a, "data") ** 3).sum(), "data")

    plain, compiled = jax.jit(loss), pyxla.compile(loss)
    for options in ({}, {"check_vma": False}):
        with jax.enable_x64(True):
            want, got = [
                jax.grad(lambda x, f=f: shared(f, WHOLE, x, **options))(X)  # noqa: B023
                for f in (plain, compiled)
            ]
        np.testing.assert_allclose(got, want)


def step(w, x, y):
    def loss(w):
        return ((x @ w - y) ** 2).mean()

    value, slope = pyxla.value_and_grad(loss)(w)
    return w - 0.1 * jax.lax.pmean(slope, "data"), jax.lax.pmean(value, "data")


def check_a_step_of_training():
    rng = np.random.default_rng(0)
    w, x, y = rng.random(3), rng.random((16, 3)), rng.random(16)
    specs = (WHOLE, SHARDED, SHARDED)
    got, value = shared(pyxla.compile(step), (WHOLE, WHOLE), w, x, y, in_specs=specs)
    np.testing.assert_allclose(got, w - 0.2 * x.T @ (x @ w - y) / 16)
    np.testing.assert_allclose(value, ((x @ w - y) ** 2).mean())


def check_loops_until_all_agree():
    @pyxla.compile
    def settle(a):
        n = 0
        while jax.lax.pmax(np.abs(a).max(), "data") > 1.0:
            a = a * 0.5
            n += 1
        return a, n

    a, n = shared(settle, (SHARDED, WHOLE), X)
    assert int(n) == 4
    np.testing.assert_array_equal(a, X / 16)


def check_named_lanes():
    def scaled(a, b):
        return a / jax.lax.psum(a, "i") + jax.lax.axis_index("i"), jax.lax.psum(b, "i")

    want = X / X.sum() + np.arange(16)
    with jax.enable_x64(True):
        got, total = jax.vmap(pyxla.compile(scaled), (0, None), axis_name="i")(X, 3.0)
    np.testing.assert_allclose(got, want)
    np.testing.assert_array_equal(total, np.full(16, 48.0))
    inside = pyxla.compile(lambda x: pyxla.vmap(scaled, (0, None), axis_name="i")(x, 3.0)[0])
    np.testing.assert_allclose(inside(X), want)


def check_other_axes_are_noticed():
    @pyxla.compile
    def width(a):
        return a * 0 + jax.lax.axis_size("i")

    with jax.enable_x64(True):
        for n in (16, 8, 16):
            assert jax.vmap(width, axis_name="i")(X[:n])[0] == n
    with pytest.raises(pyxla.CompileError, match="unbound axis name") as caught:
        width(X)
    assert caught.value.hint == "call it under jax.shard_map, or vmap with axis_name"


def check_ops_of_hlo():
    group = (tuple(range(8)),)

    @pyxla.compile
    def told(a):
        total = hlo.all_reduce(a, replica_groups=group, computation="add")
        whole = hlo.all_gather(a, all_gather_dim=0, replica_groups=group)
        late = hlo.collective_permute(a, source_target_pairs=[(k, (k + 1) % 8) for k in range(8)])
        return total + a * 0, whole.sum() + late

    total, rest = shared(told, (SHARDED, SHARDED), X)
    np.testing.assert_array_equal(total, np.tile(X.reshape(8, 2).sum(0), 8))
    np.testing.assert_array_equal(rest, X.sum() + np.roll(X, 2))
    with pytest.raises(pyxla.CompileError, match="shard_map"):
        told(X)
    with pytest.raises(pyxla.CompileError, match="shard_map"):
        told(placed(X, "data"))


def check_derivatives_of_ops_of_hlo():
    groups = (tuple(range(8)),)
    pairs = tuple([(k, (k + 3) % 8) for k in range(8)])

    def loss(a):
        total = hlo.all_reduce(a, replica_groups=groups)
        whole = hlo.all_gather(a, all_gather_dim=0, replica_groups=groups)
        part = hlo.reduce_scatter(whole * whole, scatter_dimension=0, replica_groups=groups)
        late = hlo.collective_permute(a * a, source_target_pairs=pairs)
        swapped = hlo.all_to_all(
            whole, split_dimension=0, concat_dimension=0, replica_groups=groups
        )
        return (total * a + part * late).sum() + (swapped * whole).sum()

    def same(a):
        total = jax.lax.psum(a, "data")
        whole = jax.lax.all_gather(a, "data", tiled=True)
        part = jax.lax.psum_scatter(whole * whole, "data", tiled=True)
        late = jax.lax.ppermute(a * a, "data", pairs)
        swapped = jax.lax.all_to_all(whole, "data", 0, 0, tiled=True)
        return (total * a + part * late).sum() + (swapped * whole).sum()

    def slope(f):
        each = lambda x: shared(lambda a: f(a)[None], SHARDED, x, check_vma=False).sum()
        with jax.enable_x64(True):
            return jax.grad(each)(X)

    np.testing.assert_allclose(slope(pyxla.compile(loss)), slope(jax.jit(same)))


def check_types_are_as_shard_map_asks():
    with pytest.raises(ValueError, match="out_specs"):
        shared(pyxla.compile(lambda a: jax.lax.psum(a, "data") + a), WHOLE, X)
    with jax.enable_x64(True):
        mapped = jax.jit(lambda x: shared(pyxla.compile(np.cumsum), SHARDED, x))
        np.testing.assert_array_equal(mapped(jnp.asarray(X)), X.reshape(8, 2).cumsum(1).ravel())
