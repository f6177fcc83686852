"""Large arrays: staged arguments, lent results, spare buffers."""

from __future__ import annotations

import gc
import platform
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pyxla
from pyxla.runtime import memory
from pyxla.runtime.executable import Executable
from pyxla.runtime.memory import POOL, Pool
from pyxla.runtime.outcome import OutArray, Outcome, OutConst, OutTuple, Write
from tests.runtime.programs import fma

N = 1 << 13


def offset(n, start):
    """`n` floats that begin `start` bytes past an aligned address."""
    raw = np.empty(8 * n + 128, np.uint8)
    begin = -raw.__array_interface__["data"][0] % 64 + start
    x = raw[begin : begin + 8 * n].view(np.float64)
    x[:] = np.arange(n)
    return x


@pytest.fixture(autouse=True)
def small_spares(monkeypatch, young):
    """Spares for arrays that tests can afford."""
    monkeypatch.setattr(memory, "SPARE_BYTES", 8 * N)
    POOL.clear()
    yield
    POOL.clear()


@pytest.mark.parametrize("start", [0, 16])
def test_arguments_at_any_address(start):
    x, y = offset(N, start), offset(2 * N, 0)[::2]
    assert memory.is_aligned(x) == (start == 0) and not memory.is_aligned(y)
    run = Executable(fma(n=N), Outcome((0, 1), OutArray(0)))
    for _ in range(3):
        np.testing.assert_array_equal(run([x, y]), x * y + y)
        x += 1


def read_only(x):
    x.flags.writeable = False
    return x


@pytest.mark.parametrize(
    "made",
    [read_only, lambda x: x.T, lambda x: x[:, ::2], lambda x: x.astype(jnp.bfloat16)],
    ids=["read-only", "transposed", "strided", "bfloat16"],
)
def test_arguments_of_any_kind(made):
    """What says where memory begins differs between them; all come out as NumPy's do."""
    scaled = pyxla.compile(lambda x: x * 2 + 1)
    kept = []
    for shift in range(3):
        x = made(offset(4 * N, 16).reshape(4, N) + shift)
        result = scaled(x)
        assert result.dtype == x.dtype
        np.testing.assert_array_equal(result, x * 2 + 1)
        result[0, 0] = -1  # it is the caller's own
        kept.append((result, x))
    gc.collect()
    for result, x in kept:
        np.testing.assert_array_equal(result.ravel()[1:], (x * 2 + 1).ravel()[1:])


@pytest.mark.parametrize("size", [2 * memory.LEND_BYTES, 10 * N])
def test_results_of_half_a_byte(size):
    """Two lie in a byte of XLA's; of this size they are lent, or would be spare ones."""
    x = (np.arange(size) % 7).astype(jnp.int4)
    result = pyxla.compile(lambda x: x + x)(x)
    assert result.dtype == x.dtype and result.flags.writeable
    np.testing.assert_array_equal(result.astype(np.int64), (x + x).astype(np.int64))


def test_results_take_the_buffers_of_arrays_that_are_gone():
    run = Executable(fma(n=N), Outcome((0, 1), OutArray(0)))
    first = run([offset(N, 0), offset(N, 0)])
    expected, address = first.copy(), first.ctypes.data
    second = run([offset(N, 0), offset(N, 0)])
    assert not np.shares_memory(first, second)
    first[:] = -1
    part = first[5:]
    del first
    third = run([offset(N, 0), offset(N, 0)])
    assert not np.shares_memory(part, third)
    del part
    fourth = run([offset(N, 0), offset(N, 0)])
    assert fourth.ctypes.data == address
    for result in (second, third, fourth):
        np.testing.assert_array_equal(result, expected)
        assert result.flags.writeable


def test_written_results_give_their_buffers_back():
    x, y = offset(N, 16), offset(N, 16)
    expected = x * y + y
    run = Executable(fma(n=N), Outcome((0, 1), OutConst(None), writes=(Write(1, 0),)))
    run([x, y])
    np.testing.assert_array_equal(y, expected)
    kept = POOL.kept
    run([x, y])
    assert POOL.kept == kept > 0


def test_a_buffer_seen_twice_is_no_spare():
    out = OutTuple(tuple, (OutArray(0), OutArray(0)))
    a, b = Executable(fma(n=N), Outcome((0, 1), out))([offset(N, 0)] * 2)
    assert not np.shares_memory(a, b)


def test_numpy_call_under_a_trace():
    run = Executable(fma(n=N), Outcome((0, 1), OutArray(0)))
    x = offset(N, 16)
    seen = []
    jax.jit(lambda k: seen.append(run([x, x])) or k)(1.0)
    np.testing.assert_array_equal(seen[0], x * x + x)


def test_jax_holding_a_result_keeps_it():
    run = Executable(fma(n=N), Outcome((0, 1), OutArray(0)))
    x = offset(N, 0)
    with jax.enable_x64(True):
        held = jax.numpy.asarray(run([x, x]))
    for _ in range(3):
        gc.collect()
        run([x + 1, x])
    np.testing.assert_array_equal(held, x * x + x)


def test_pool_is_bounded_and_lets_old_kinds_go_first():
    pool = Pool(limit=10)
    pool.give("old", 1, 4)
    pool.give("new", 2, 4)
    pool.give("new", 3, 4)
    assert (pool.take("old"), pool.take("new"), pool.kept) == (None, 3, 4)
    pool.give("huge", 4, 11)
    assert pool.take("huge") is None
    assert (pool.take("new"), pool.take("new"), pool.kept) == (2, None, 0)


FAULTS = """
import resource
import numpy as np, pyxla
twice = pyxla.compile(lambda x: x + x)
twice(np.ones(3))
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    [np.ones(1 << 18) for _ in range(6)]
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
faults()
print(faults())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="others keep what they like")
def test_freed_memory_is_not_given_back():
    """Megabytes that come and go keep their pages, 3,072 here."""
    done = subprocess.run(
        [sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 100
