"""Modules for other platforms, taken by compilers that are not jaxlib's; skipped without them."""

from __future__ import annotations

import subprocess
import sys

import jax
import numpy as np
import pytest

import pyxla
from tests import platforms

TOPOLOGY = "v5e:2x4"


def dense(x, w, b):
    return np.maximum(x @ w + b, 0.0)


def recurrence(a, decay):
    for i in range(1, a.shape[0]):
        a[i] += a[i - 1] * decay
    return a.sum()


def root(x):
    y, count = x, 0
    while abs(y * y - x) > 1e-5:
        y = 0.5 * (y + x / y)
        count += 1
    return y, count


def loss(w, x):
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            total += np.tanh(w * x[i]) ** 2
    return total


def slope(w, x):
    return pyxla.grad(loss)(w, x)


def relaxed(steps, a, b):
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.25 * (a[1:-1, :-2] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, 2:])
        a[1:-1, 1:-1] = 0.25 * (b[1:-1, :-2] + b[:-2, 1:-1] + b[2:, 1:-1] + b[1:-1, 2:])


RNG = np.random.default_rng(0)
X = RNG.standard_normal(16).astype("f4")
PROGRAMS = [
    (dense, (RNG.random((4, 8), "f4"), RNG.random((8, 3), "f4"), RNG.random(3, "f4"))),
    (recurrence, (X, np.float32(0.5))),
    (root, (np.float32(2.0),)),
    (slope, (np.float32(0.7), X)),
]


@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_iree_runs_what_is_listed(function, args, tmp_path):
    compiler = pytest.importorskip("iree.compiler")
    runtime = pytest.importorskip("iree.runtime")
    program, path = pyxla.compile(function, platform="tpu"), tmp_path / "program.vmfb"
    module = pyxla.code_stablehlo(program, *args)
    path.write_bytes(
        compiler.compile_str(module, input_type="stablehlo", target_backends=["llvm-cpu"])
    )
    got = runtime.load_vm_flatbuffer_file(str(path), driver="local-task").main(*args)
    got = got if isinstance(got, tuple) else (got,)
    want = jax.tree.leaves(pyxla.functional(function)(*map(np.copy, args))[0])
    for one, other in zip(got, want, strict=False):  # what it wrote comes after
        np.testing.assert_allclose(np.asarray(one), other, rtol=1e-5)


def test_tpus_take_programs():
    """Of the corpus, by libtpu, for a topology of eight; no TPU is needed."""
    pytest.importorskip("libtpu")
    names = ["algorithms.binary_search", "instances.linked_list_reversed", "numpy_use.zero_size"]
    command = ["-m", "tests.platforms", "--platform", "tpu", "--topology", TOPOLOGY, *names]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(f"{len(names)} of {len(names)} programs")


def test_stencils_on_tpus_exchange_their_edges():
    """As many messages as neighbours have edges."""
    pytest.importorskip("libtpu")
    made = subprocess.run(
        [sys.executable, "-c", "from tests.devices import test_compilers as t; t.exchange()"],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert made.returncode == 0, made.stdout + made.stderr


def exchange():
    devices = platforms.devices(TOPOLOGY)
    mesh = jax.sharding.Mesh(np.array(devices), "data")
    rows = jax.NamedSharding(mesh, jax.P("data"))
    grid = jax.ShapeDtypeStruct((64, 64), np.float32, sharding=rows)
    step = jax.jit(pyxla.functional(relaxed), static_argnums=0)
    text = step.lower(10, grid, grid).compile().as_text()
    assert "all-gather" not in text
    assert text.count(" collective-permute-start(") == 4, text
