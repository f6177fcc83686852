"""Programs as JAX primitives: jit, scan, vmap of constants, shard_map, export; refusals."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pyxla
from pyxla.errors import CompileError
from pyxla.runtime import jaxlink
from tests.runtime.programs import double, fma, third

ONES = jnp.ones(4)


def fma32(x, y):
    return jaxlink.bind(fma32.program, x, y)[0]


fma32.program = fma("f32")


def test_under_jit():
    text = jax.jit(lambda x: fma32(fma32(x, x), x)).lower(ONES).as_text()
    assert text.count("func.func private @fma") == 1
    assert text.count("call @fma") == 2
    np.testing.assert_array_equal(jax.jit(fma32)(ONES, ONES), [2, 2, 2, 2])


def test_two_programs_of_one_name_in_a_module():
    other = fma("f32")
    text = jax.jit(lambda x: fma32(jaxlink.bind(other, x, x)[0], x)).lower(ONES).as_text()
    assert text.count("func.func private @fma") == 2


def test_double_precision_inside_a_module_without_it():
    program = third()
    with jax.enable_x64(False):
        result = jax.jit(lambda x: jaxlink.bind(program, x)[0])(jnp.full(4, 0.1, jnp.float32))
    expected = (np.full(4, 0.1, np.float32).astype(float) / 3).astype(np.float32)
    np.testing.assert_array_equal(result, expected)


def test_double_precision_parameters_and_results_in_a_module_without_it():
    program = fma("f64")
    with jax.enable_x64(False):
        result = jax.jit(lambda x: jaxlink.bind(program, x, np.full(4, 1 / 3))[0])(ONES)
    assert result.dtype == np.float64
    np.testing.assert_array_equal(result, np.full(4, 1 / 3 + 1 / 3))


def test_eagerly():
    np.testing.assert_array_equal(fma32(ONES, ONES), [2, 2, 2, 2])


def test_under_scan_and_while():
    def step(carry, x):
        carry = fma32(carry, x)
        return carry, carry.sum()

    final, sums = jax.lax.scan(step, ONES, jnp.ones((3, 4)))
    np.testing.assert_array_equal(final, np.full(4, 4))
    np.testing.assert_array_equal(sums, [8, 12, 16])


def test_under_vmap_of_something_else():
    result = jax.vmap(lambda k: k * fma32(ONES, ONES).sum())(jnp.arange(3.0))
    np.testing.assert_array_equal(result, [0, 8, 16])


def test_under_vmap():
    rows = jnp.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(jax.vmap(fma32)(rows, rows), rows * rows + rows)
    mapped = jax.vmap(fma32, in_axes=(1, None), out_axes=1)
    np.testing.assert_array_equal(jax.jit(mapped)(rows.T, ONES), rows.T + 1)
    nested = jax.vmap(jax.vmap(fma32, (None, 0)), (0, None))(rows, rows)
    np.testing.assert_array_equal(nested, rows[:, None] * rows + rows)


def test_numpy_arrays_under_transformations():
    """JAX holds them in double precision, and takes them for single where 64-bit types are off."""
    cubed, x = pyxla.compile(lambda x: x * x * x), np.arange(3.0)
    for function, want in (
        (jax.vmap(cubed), x**3),
        (jax.vmap(jax.grad(cubed)), 3 * x**2),
        (jax.jacfwd(cubed), np.diag(3 * x**2)),
        (jax.jit(jax.vmap(cubed)), x**3),
        (jax.grad(lambda x: jax.vmap(cubed)(x).sum()), 3 * x**2),
    ):
        got = function(x)
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, want, rtol=1e-6)


def test_loops_under_vmap():
    @pyxla.compile
    def halvings(x, limit):
        count = 0
        while x > limit:
            x = x / 2
            count += 1
        return count, limit

    counts, limits = jax.vmap(halvings, (0, None))(jnp.array([1.0, 8.0, 1e9]), 1.0)
    assert counts.tolist() == [0, 3, 30] and limits.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("check", [True, False])
def test_under_shard_map(check):
    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = jax.P("i")
    mapped = jax.shard_map(
        fma32, mesh=mesh, in_specs=(spec, jax.P()), out_specs=spec, check_vma=check
    )
    np.testing.assert_array_equal(jax.jit(mapped)(jnp.arange(4.0), ONES), [1, 2, 3, 4])


def test_partitioned_over_devices():
    code = """
        import jax, numpy as np
        from jax.sharding import NamedSharding
        from tests.runtime.programs import fma
        from pyxla.runtime import jaxlink
        mesh = jax.make_mesh((2,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
        x = jax.device_put(np.arange(4, dtype="f4"), NamedSharding(mesh, jax.P("i")))
        (result,) = jaxlink.jit(fma("f32"))(x, x)
        assert result.sharding.spec == jax.P("i"), result.sharding
        mapped = jax.shard_map(lambda x, y: jaxlink.bind(fma("f32", 2), x, y)[0], mesh=mesh,
                               in_specs=(jax.P("i"), jax.P()), out_specs=jax.P("i"))
        assert (mapped(x, np.ones(2, "f4")) == np.arange(1, 5)).all()
        """
    run_fresh(code, XLA_FLAGS="--xla_force_host_platform_device_count=2", JAX_PLATFORMS="cpu")


def run_fresh(code, **environment):
    """Run `code` in a process of its own; its output."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "transform",
    [
        lambda f: jax.grad(lambda x: f(x, x).sum())(ONES),
        lambda f: jax.jvp(f, (ONES, ONES), (ONES, ONES)),
    ],
)
def test_programs_without_a_source_have_no_derivative(transform):
    with pytest.raises(CompileError, match="it was loaded"):
        transform(fma32)


def test_module_text():
    assert "module @fma" in fma().stablehlo
    assert "tensor<4xf64>" in fma().stablehlo
    assert "HloModule" in jaxlink.hlo(fma())
    assert "fusion" in jaxlink.hlo(fma(), optimized=True)


def test_python_scalars_are_parameters():
    with jaxlink.scoped():
        assert jaxlink.jit(double())(1.5) == [3.0]
