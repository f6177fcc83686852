"""Executables without the code that they were compiled from: they run as whole ones do."""

from __future__ import annotations

import random

import jax
import jax.numpy as jnp
import jaxlib
import numpy as np
import pytest
from jaxlib import _jax

from pyxla.runtime import trimmed
from pyxla.runtime.trimmed import RELEASES

X = np.linspace(0.5, 2.0, 12).reshape(3, 4)
TABLE = np.arange(300.0)


def loops(x):
    return jax.lax.fori_loop(0, 5, lambda i, y: jnp.sin(y) + TABLE[3] * i, x)


def several(x):
    y = x + 1
    return y, y, x, jnp.float32(2.5), jnp.asarray(TABLE), jnp.sum(x, axis=0)


def branches(x):
    first = lambda v: (v, v * 2, v.sum())  # noqa: E731
    second = lambda v: (v + 1, v, v.max())  # noqa: E731
    return jax.lax.cond(x.sum() > 3, first, second, x)


def searches(x):
    keep = lambda s: s[0] < 100  # noqa: E731
    return jax.lax.while_loop(keep, lambda s: (s[0] * 2, s[1] + TABLE[:4], s[2]), (x[0, 0], x, 7))


def solves(x):
    return jnp.linalg.solve(x[:, :3] + 3 * jnp.eye(3), x), jnp.linalg.qr(x)


def bits(x):
    return jax.lax.bitcast_convert_type(x, jnp.int64), x.reshape(2, 6), x.T


def empty(x):
    return x[:0], jnp.zeros((0, 3))


def constant(x):
    return jnp.asarray(TABLE)


def same(x):
    return x


CASES = [loops, several, branches, searches, solves, bits, empty, constant, same]


def made(function, *args, **options):
    with jax.enable_x64(True):
        return jax.jit(function, **options).lower(*args).compile()


def written(compiled):
    executable = compiled._executable._unloaded_executable.xla_executable
    return executable, executable.client.serialize_executable(executable)


def read(data):
    device = jax.local_devices()[0]
    devices = _jax.DeviceList((device,))
    return device.client.deserialize_executable(data, executable_devices=devices)


def called(executable, *args):
    with jax.enable_x64(True):
        given = [jax.device_put(arg) for arg in args]
        arrays = executable.execute_sharded(given).disassemble_into_single_device_arrays()
    return [np.asarray(shards[0]) for shards in arrays]


@pytest.mark.skipif(jaxlib.__version__ not in RELEASES, reason="left as it is")
@pytest.mark.parametrize("eager", [True, False])
@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_it_runs_as_the_whole_one(function, eager):
    compiled = made(function, X)
    whole, data = written(compiled)
    short = trimmed.trimmed(data, eager)
    assert short != data
    again = read(short)
    assert (again.cost_analysis()["flops"] < 1000) == eager
    kept = sorted(compiled._executable._unloaded_executable.kept_var_idx)
    args = [X] if kept else []
    for _ in range(3):
        expected, found = called(whole, *args), called(again, *args)
        assert [x.dtype for x in found] == [x.dtype for x in expected]
        for x, y in zip(found, expected, strict=True):
            np.testing.assert_array_equal(x, y)


@pytest.mark.skipif(jaxlib.__version__ not in RELEASES, reason="left as it is")
def test_what_is_given_up_is_written_to():
    whole, data = written(made(lambda x, y: (x + y, y * 2), X, X, donate_argnums=0))
    again = read(trimmed.trimmed(data, True))
    with jax.enable_x64(True):
        given, other = jax.device_put(X.copy()), jax.device_put(X)
        pointer = given.unsafe_buffer_pointer()
        results = again.execute_sharded([given, other]).disassemble_into_single_device_arrays()
        assert given.is_deleted()
        assert results[0][0].unsafe_buffer_pointer() == pointer
        np.testing.assert_array_equal(np.asarray(results[0][0]), X + X)


def test_what_is_not_understood_is_left_as_it_is(monkeypatch):
    _, data = written(made(loops, X))
    drawn = random.Random(5)
    for _ in range(200):
        cut = data[: drawn.randrange(len(data))]
        assert isinstance(trimmed.trimmed(cut, True), bytes)
    assert trimmed.trimmed(b"", True) == b""
    monkeypatch.setattr(trimmed, "RELEASES", frozenset())
    assert trimmed.trimmed(data, True) == data
