"""Arrays that lie on several devices: plain programs give what they give on one."""

from __future__ import annotations

import contextlib

import jax
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding, PartitionSpec

import pyxla
from pyxla.reporting.communication import collectives

AUTO = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def placed(x, *spec, mesh=AUTO):
    """`x` over the devices of a mesh."""
    with jax.enable_x64(True):
        return jax.device_put(np.asarray(x), NamedSharding(mesh, PartitionSpec(*spec)))


def halve(b, tol):
    while np.abs(b).max() > tol:
        b = b * 0.5
    return b


def stencil(a, steps):
    for _ in range(steps):
        a[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3.0
    return a.sum(), a * 2.0


def table(x, k):
    mask = x > 0.5
    y = np.where(mask, np.sin(x), np.cos(x))
    return {"y": y, "total": y.sum(), "most": np.sort(y)[-k:], "csum": np.cumsum(x)}


def lines(a, b):
    return np.linalg.solve(a, b), np.linalg.inv(a) @ b


def drawn(seed, x):
    rng = np.random.default_rng(seed)
    return x + rng.normal(size=x.shape)


def same(function, *args, specs):
    """What a program gives for arrays on one device and on eight."""
    compiled = pyxla.compile(function)
    one = jax.tree.leaves(compiled(*args))
    many = [placed(x, *s) if s is not None else x for x, s in zip(args, specs, strict=True)]
    for got, want in zip(jax.tree.leaves(compiled(*many)), one, strict=True):
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-12, atol=1e-14)


def check_a_loop_with_a_reduction_in_its_condition():
    same(halve, np.linspace(1.0, 2.0, 64), 1e-3, specs=(("data",), None))


def check_masks_sorts_and_scans():
    same(table, np.random.default_rng(1).random(4096), 3, specs=(("data",), None))


def check_linear_algebra():
    a = np.random.default_rng(2).random((16, 16)) + 16 * np.eye(16)
    same(lines, a, a[0], specs=(("data", None), ("data",)))


def smoothed(steps, a, b):
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, 2:])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[:-2, 1:-1] + b[2:, 1:-1] + b[1:-1, 2:])


def waves(steps, ex, ey, hz):
    for t in range(steps):
        ey[0, :] = t
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def life(steps, cells):
    for _ in range(steps):
        around = np.zeros(cells.shape, dtype=np.int64)
        around[1:-1, 1:-1] = cells[:-2, :-2] + cells[:-2, 1:-1] + cells[:-2, 2:]
        around[1:-1, 1:-1] += cells[1:-1, :-2] + cells[1:-1, 2:]
        around[1:-1, 1:-1] += cells[2:, :-2] + cells[2:, 1:-1] + cells[2:, 2:]
        cells[:] = ((around == 3) | ((cells == 1) & (around == 2))).astype(np.int64)


def windows(steps, a, b, row, column):
    """Blocks of other sizes and arrays, what is the same along a dimension, and a vector of it."""
    for i in range(steps):
        c = b * 2.0
        a[2:, 3:-2] = a[:-2, 3:-2] + (row[3:-2] * i - c[1:-1, 5:]) / (column[:-2, None] + 2.0)
        b[1:, :] = np.where(b[:-1, :1] > 0.5, np.minimum(a[:-1], b[1:]), np.sqrt(np.abs(a[1:])))
        a[:-1] = a[1:].sum(axis=0) * 1e-3
        row[1:-1] = (row[:-2] + row[2:] + c[3, 2:]) / 3.0


def check_stencils_exchange_edges():
    steps, rng = 10, np.random.default_rng(4)
    halves = [rng.random((64, 64)) for _ in range(3)]
    for function, arrays, rows in (
        (smoothed, halves[:2], 4),
        (waves, halves, 2),
        (life, [rng.integers(0, 2, (64, 64))], 2),
    ):
        same(pyxla.functional(function), steps, *arrays, specs=(None, *[("data",)] * len(arrays)))
        step, given = pyxla.functional(function), [placed(x, "data") for x in arrays]
        with jax.enable_x64(True):
            text = jax.jit(step, static_argnums=0).lower(steps, *given).compile().as_text()
        talk = sum([one.size * one.times for one in collectives(text, AUTO)])
        assert talk <= steps * rows * arrays[0][0].nbytes


def check_windows_of_other_sizes():
    rng = np.random.default_rng(5)
    arrays = [rng.random(shape) for shape in ((64, 48), (64, 48), (48,), (64,))]
    for specs in ((("data",),) * 4, ((None, "data"), ("data",), (), ("data",))):
        same(pyxla.functional(windows), 3, *arrays, specs=(None, *specs))


def check_drawing():
    same(drawn, 3, np.zeros(64), specs=(None, ("data",)))


def check_lanes_of_loops():
    @pyxla.compile
    def root(x):
        y = x
        while abs(y * y - x) > 1e-12:
            y = 0.5 * (y + x / y)
        return y

    x = np.linspace(1.0, 9.0, 64)
    np.testing.assert_allclose(pyxla.vmap(root)(placed(x, "data")), np.sqrt(x), rtol=1e-12)


def check_the_code_is_that_of_one_device_on_one_and_plain_on_more():
    compiled = pyxla.compile(halve)
    x = np.linspace(1.0, 2.0, 64)
    compiled(x, 1e-3)
    with jax.enable_x64(True):
        outer = jax.jit(lambda x: compiled(x, 1e-3))
        assert "xla_cpu" in outer.lower(x).as_text()
        assert "xla_cpu" not in outer.lower(placed(x, "data")).as_text()


def bits(x, z):
    odd = np.bitwise_xor.reduce(x > 9), np.logical_and.reduce(x < 9)
    return np.bitwise_xor.reduce(x), np.bitwise_and.reduce(x.reshape(8, 8) | 1), z.max(), odd


def check_reductions_that_no_collective_knows():
    numbers = np.arange(64) * 7919
    same(bits, numbers, np.sin(numbers) + 1j, specs=(("data",), ("data",)))


def check_printing():
    @pyxla.compile
    def told(a):
        print("sum", a.sum())
        return a * 2

    assert told(placed(np.arange(16.0), "data")).sharding.spec == PartitionSpec("data")


def constrained(a, w):
    b = pyxla.shard(a @ w, "data", None)
    c = np.zeros(8)
    d = pyxla.shard(c, "data")
    d[0] = 5.0
    return b, c, d is c


def check_where_arrays_lie_can_be_said():
    compiled, a, w = pyxla.compile(constrained), np.ones((16, 8)), np.ones((8, 8))
    for mesh in (None, AUTO, None):
        with contextlib.nullcontext() if mesh is None else jax.set_mesh(mesh):
            b, c, same = compiled(pyxla.shard(a, "data", None), w)
        assert same
        assert c[0] == 5.0
        np.testing.assert_array_equal(b, a @ w)
        assert isinstance(b, np.ndarray) == (mesh is None)
        assert (
            mesh is None
            or (b.sharding.spec, c.sharding.spec) == (placed(a, "data").sharding.spec,) * 2
        )


def check_jax_says_it_likewise():
    where = NamedSharding(AUTO, PartitionSpec("data"))

    @pyxla.compile
    def moved(a):
        return jax.lax.with_sharding_constraint(a * 2, where), jax.device_put(a + 1, where)

    for made in moved(jax.numpy.arange(16.0)):
        assert made.sharding.spec == where.spec
    np.testing.assert_array_equal(moved(np.arange(16.0))[0], 2 * np.arange(16.0))


def raised(x):
    x += 1.0
    return x


def check_numpy_arrays_under_a_mesh():
    compiled = pyxla.compile(lambda x, n: (x * n, x.sum(), n + 1, n / 2))
    for mesh in (AUTO, jax.make_mesh((8,), ("data",))):
        for size in (3, 1 << 18):
            with jax.set_mesh(mesh):
                product, *numbers = compiled(np.ones(size), 3)
            assert isinstance(product, np.ndarray)
            assert product.flags.writeable
            np.testing.assert_array_equal(product, np.full(size, 3.0))
            assert numbers == [size, 4, 1.5]
        array = np.zeros(1 << 18)
        with jax.set_mesh(mesh):
            assert pyxla.compile(raised)(array) is array
        assert array.min() == 1.0


def check_what_jax_refuses_is_refused():
    for function in (
        lambda x: jax.lax.with_sharding_constraint(x, jax.P("data")),
        lambda x: jax.lax.psum(x, "data"),
    ):
        with pytest.raises(pyxla.CompileError, match="JAX refuses"):
            pyxla.compile(function)(np.ones(8))


def check_explicit_meshes():
    mesh = jax.make_mesh((4, 2), ("data", "model"))
    a = placed(np.arange(64.0).reshape(16, 4), "data", mesh=mesh)
    w = placed(np.arange(32.0).reshape(4, 8), None, "model", mesh=mesh)
    compiled = pyxla.compile(lambda a, w: (a @ w, a[:-1] + 1, a.sum(axis=0), a[a > 3]))
    with jax.enable_x64(True):
        product, rest, total, chosen = compiled(a, w)
        assert product.sharding.spec == PartitionSpec("data", "model")
        np.testing.assert_array_equal(product, np.asarray(a) @ np.asarray(w))
        np.testing.assert_array_equal(chosen, np.arange(4.0, 64.0))
        doubled = pyxla.compile(lambda a: np.sin(a) * 2)
        text = jax.jit(lambda a: doubled(a) @ w).lower(a).compile().as_text()
        assert "all-gather" not in text
