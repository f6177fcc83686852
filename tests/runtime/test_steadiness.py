"""Many threads, many specializations, many processes, damaged caches, edited sources.

The long run, which shows the bounds over 20,000 specializations in one process (about a quarter
of an hour):

    PYXLA_STEADINESS=20000 python -m pytest tests/runtime/test_steadiness.py -k bounded
"""

from __future__ import annotations

import gc
import importlib
import os
import pathlib
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import pyxla
from pyxla.errors import CompileError
from pyxla.runtime.programs import Program
from tests.runtime.test_jaxlink import run_fresh

ROUNDS = int(os.environ.get("PYXLA_STEADINESS", "100"))
# What a process may grow by while it compiles on: a window of executables, and what JAX and the
# allocator keep of each compilation (docs/decisions-runtime.md).
MAPS_PER_EXECUTABLE, MEGABYTES = 12, 40 + 16 * ROUNDS / 1024
PROC = pathlib.Path("/proc/self")


def smooth(x, n):
    y = np.zeros(n)
    for i in range(n):
        y[i] = x[i % len(x)] * 0.5 + i
    return y


def accumulate(x, out):
    for i in range(len(x)):
        out[i] += x[i] * 2
    return out.sum()


def test_threads_share_functions() -> None:
    """Sixteen threads call, specialize and look at the same functions for a few shapes."""
    smoothed, accumulated = pyxla.compile(smooth), pyxla.compile(accumulate, cache_size=2)
    limit = sys.getrecursionlimit()
    barrier = threading.Barrier(16)

    def work(seed: int) -> None:
        barrier.wait()
        for turn in range(6):
            size = 1 + (seed + turn) % 3
            x, out = np.arange(size) + 1.0, np.full(size, float(seed))
            np.testing.assert_array_equal(smoothed(x, size), smooth(x, size))
            assert accumulated(x, out) == (2 * x + seed).sum()
            np.testing.assert_array_equal(out, 2 * x + seed)
            if turn == seed % 6:
                accumulated.specialize(pyxla.f64[size], pyxla.f64[size])
                with pytest.raises(CompileError):
                    smoothed(x, np.ones(2))

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(16)))
    assert len(smoothed.specializations) == 3
    assert len(accumulated.specializations) <= 2
    assert sys.getrecursionlimit() == limit


def maps() -> int:
    return (PROC / "maps").read_bytes().count(b"\n")


def megabytes() -> float:
    fields = (PROC / "statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.mark.skipif(not PROC.exists(), reason="needs Linux's /proc")
def test_specializations_are_bounded(young: None) -> None:
    """Executables that make room are freed, with the collector off; the long run is at the top."""
    window = 10
    compiled = pyxla.compile(lambda x: np.sin(x) + x[::-1], cache_size=window, verify=False)

    def run(first: int, last: int) -> None:
        for n in range(first, last):
            compiled(np.ones(n))

    gc.collect()
    gc.disable()
    try:
        run(1, 3 * window)
        before, size = maps(), megabytes()
        run(3 * window, 3 * window + ROUNDS)
        assert len(compiled.specializations) == window
        assert maps() - before < window * MAPS_PER_EXECUTABLE
        assert megabytes() - size < MEGABYTES
    finally:
        gc.enable()


def test_programs_that_make_room_are_freed(young: None) -> None:
    """JAX's caches have them as keys."""

    def programs() -> int:
        gc.collect()
        return sum(type(x) is Program for x in gc.get_objects())

    compiled = pyxla.compile(lambda x: np.cos(x) - x[::-1], cache_size=2, verify=False)
    before = programs()
    for n in range(1, 9):
        compiled(np.ones(n))
    assert programs() - before <= 2


@pytest.mark.skipif(not PROC.exists(), reason="needs Linux's /proc")
def test_functions_that_are_dropped_leave_nothing(young: None) -> None:
    def run(count: int) -> None:
        for i in range(count):
            value = float(i)
            pyxla.compile(lambda x: x * value + 1, verify=False)(np.ones(3))  # noqa: B023

    run(20)
    gc.collect()
    before = maps()
    run(40)
    gc.collect()
    assert maps() - before < 10 * MAPS_PER_EXECUTABLE


# --- processes --------------------------------------------------------------------------------


def branches(x, w, n):
    total = {"a": np.zeros(3), "b": np.zeros(3)}
    for key in ("b", "a"):
        for i in range(n):
            if x[i] > 0:
                total[key] = total[key] + w @ x
            else:
                total = {**total, key: total[key] - i}
    return total, x[x > 0]


CODE = """
    import hashlib
    import pyxla
    from pyxla.runtime import jaxlink
    from tests.runtime.programs import fma
    from tests.runtime.test_artifact import X, Y, OutArray, built
    from tests.runtime.test_steadiness import branches
    from tests.test_reflect import layers

    made = pyxla.compile(branches).lower(pyxla.f64[3], pyxla.f64[3, 3], pyxla.static[3])
    program = fma()
    for text in (
        made.text("typed"),
        made.text("stablehlo"),
        pyxla.code_stablehlo(layers, 1.0, 2),
        program.stablehlo,
        jaxlink.lowered(program).as_text(),
        jaxlink.hlo(program),
        built(program, [X, Y], OutArray(0)),
    ):
        print(hashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest())
    """


def test_the_same_modules_and_artifacts_under_any_hash_seed() -> None:
    found = {run_fresh(CODE, PYTHONHASHSEED=seed) for seed in ("0", "1", "77")}
    assert len(found) == 1 and found.pop().count("\n") == 7


def scaled(x):
    for _ in range(3):
        x = np.sin(x) * 2
    return x


CACHED = """
    import numpy as np
    import pyxla
    from tests.runtime.test_steadiness import scaled

    x = np.arange(4.0)
    np.testing.assert_allclose(pyxla.compile(scaled)(x), scaled(x), rtol=1e-12)
    print("done")
    """


def cached(folder: pathlib.Path) -> dict[str, str]:
    return {
        "JAX_COMPILATION_CACHE_DIR": str(folder),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }


def test_two_processes_share_a_cache_and_damage_is_survived(tmp_path: pathlib.Path) -> None:
    environment = cached(tmp_path)
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(run_fresh, CACHED, **environment) for _ in range(2)]
    assert [found.result().strip() for found in both] == ["done", "done"]
    entries = [path for path in tmp_path.iterdir() if path.name.endswith("-cache")]
    assert sum("scaled" in path.name for path in entries) == 1  # the key is the same in both
    for index, path in enumerate(entries):
        path.write_bytes(path.read_bytes()[:40] if index % 2 else b"")
    assert run_fresh(CACHED, **environment).strip() == "done"


def test_a_cache_that_cannot_be_written(tmp_path: pathlib.Path) -> None:
    """A file where the folder should be: nobody, whatever their rights, can write there."""
    (tmp_path / "file").write_text("")
    assert run_fresh(CACHED, **cached(tmp_path / "file" / "cache")).strip() == "done"


# --- artifacts --------------------------------------------------------------------------------


def test_damaged_artifacts(tmp_path: pathlib.Path) -> None:
    """Cut short or changed anywhere in what pyxla wrote, a file is refused."""
    path = tmp_path / "whole"
    pyxla.build(lambda x: x * 2, pyxla.f64[3], path=path)
    data = path.read_bytes()
    start = len(data) - 20 - int.from_bytes(data[-20:-12], "little")
    damaged = [data[:n] for n in (0, 1, 8, 15, 20, len(data) // 2, len(data) - 1)]
    damaged += [data[-8:], data[-20:], data[start:], b"\xff" * 8 + data[-8:]]
    changed = [bytes([byte ^ 0xFF]) for byte in data]
    damaged += [data[:n] + changed[n] + data[n + 1 :] for n in range(5, len(data), 97)]
    damaged += [data[:n] + data[start:] for n in (8, start // 2)]
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(CompileError, match="artifact"):
            pyxla.load(path)


# --- sources ----------------------------------------------------------------------------------


def test_source_edited_between_calls(tmp_path: pathlib.Path, monkeypatch) -> None:
    """What was imported is what is compiled, or it is refused; a reload is the new code."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / "steadily_edited.py"
    path.write_text("import pyxla\n\n@pyxla.compile\ndef f(x):\n    return x + 1\n")
    module = importlib.import_module("steadily_edited")
    assert module.f(1.0) == 2.0
    path.write_text("import pyxla\n\n# moved\n\n@pyxla.compile\ndef f(x):\n    return x + 1000\n")
    assert module.f(1.0) == 2.0
    try:
        assert module.f(1) == 2
    except CompileError as error:
        assert "changed" in error.message
    importlib.invalidate_caches()
    assert importlib.reload(module).f(1.0) == 1001.0
    sys.modules.pop("steadily_edited")
