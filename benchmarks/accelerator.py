"""Run time on one accelerator (or wherever JAX puts arrays) against hand-written `jax.jit`.

    python -m benchmarks.accelerator [--size N] [--repetitions N]

The programs are those of `benchmarks.devices` on large arrays of 32 and 64 bits, and the models of
`benchmarks.models` and `benchmarks.run_time`.  Both sides multiply as exactly as NumPy, but in the
rows "as the device likes", where pyxla has `fast=True`.  Results are compared, too.
"""

from __future__ import annotations

import argparse
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import pyxla
from benchmarks import devices, models, run_time
from benchmarks.measure import Row, at_most, interleaved, line

BOUND = 1.05
DOUBLE = ("lanes of a while",)  # converges to 9 digits


def arguments(name: str, dtype: str, size: int) -> list[jax.Array]:
    """Those of a program of `benchmarks.devices`, in the proportions that it has there."""
    rng = np.random.default_rng(0)

    def large(x: np.ndarray) -> jax.Array:
        if x.ndim == 1:
            shape = (x.size * size // 64,)
        else:
            shape = tuple([n * size // 64 if n == 64 else n for n in x.shape])
        return jax.device_put(rng.random(shape).astype(dtype))

    return [large(x) for x in devices.PROGRAMS[name][1]]


def run(function: Callable[..., Any], given: Sequence[Any]) -> Any:
    return jax.block_until_ready(function(*given))


def differ(ours: Any, theirs: Any) -> bool:
    """Whether results are not the same up to rounding."""
    pairs = zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True)
    return not all(np.allclose(a, b, 1e-4, 1e-4, equal_nan=True) for a, b in pairs)


def against_jax(what: str, ours: Any, theirs: Any, given: Sequence[Any], repetitions: int) -> Row:
    theirs = jax.jit(theirs)
    if differ(ours(*given), theirs(*given)):
        what += " DIFFERS"
    sides = {
        "pyxla": functools.partial(run, ours, given),
        "jax": functools.partial(run, theirs, given),
    }
    return at_most(what, *interleaved(sides, repetitions, 0.05).values(), BOUND)


def array_rows(size: int, repetitions: int) -> list[Row]:
    """Programs over arrays."""
    rows = []
    for name, ((ours, theirs), *_) in devices.PROGRAMS.items():
        for dtype in ("f8",) if name in DOUBLE else ("f4", "f8"):
            given = arguments(name, dtype, size)
            compiled = pyxla.compile(ours)
            rows.append(against_jax(f"{name}, {dtype}", compiled, theirs, given, repetitions))
            print(line(rows[-1]), flush=True)
    return rows


def fast_rows(size: int, repetitions: int) -> list[Row]:
    """Products as the device likes them."""
    rows = []
    with jax.default_matmul_precision(None):
        for name in ("product", "products, chain", "training, data"):
            ours, theirs = devices.PROGRAMS[name][0]
            given, compiled = arguments(name, "f4", size), pyxla.compile(ours, fast=True)
            row = against_jax(f"{name}, as the device likes", compiled, theirs, given, repetitions)
            rows.append(row)
            print(line(row), flush=True)
    return rows


def recurrence(x: Any) -> Any:
    """A loop over the elements of an array."""
    y = np.empty_like(x)
    s = 0.0
    for i in range(len(x)):
        s = 0.5 * s + x[i]
        y[i] = s
    return y


def recurrence_jax(x: Any) -> Any:
    def step(s: Any, x: Any) -> tuple[Any, Any]:
        s = 0.5 * s + x
        return s, s

    return jax.lax.scan(step, jnp.zeros((), x.dtype), x)[1]


def layers(x: Any, w: Any) -> Any:
    for _ in range(200):
        x = np.tanh(x @ w)
    return x


def layers_jax(x: Any, w: Any) -> Any:
    return jax.lax.fori_loop(0, 200, lambda _, x: jnp.tanh(x @ w), x)


def loop_rows(repetitions: int) -> list[Row]:
    """Loops."""
    rng = np.random.default_rng(0)
    x, w = jax.device_put(rng.random((64, 256), "f4")), jax.device_put(rng.random((256, 256), "f4"))
    v = jax.device_put(rng.random(2000))
    step, chain = pyxla.compile(recurrence), pyxla.compile(layers)
    made = [("200 layers", chain, layers_jax, (x, w))]
    made.append(("recurrence of 2,000", step, recurrence_jax, (v,)))
    made.append(("root by iteration", pyxla.compile(devices.newton), devices.newton_jax, (v[0],)))
    rows = []
    for what, ours, theirs, given in made:
        rows.append(against_jax(what, ours, theirs, given, repetitions))
        print(line(rows[-1]), flush=True)
    return rows


def model_rows(repetitions: int) -> list[Row]:
    """Models, forward and with derivatives."""
    run_time.register_layers()
    rows = [*run_time.vgg19_section(repetitions), *run_time.transformer_section(repetitions)]
    for calls, wide in ((models.CALLS, False), (models.CALLS_64, True)):
        with jax.enable_x64(wide):
            for what, make in calls.items():
                rows.append(at_most(what, *interleaved(make(), repetitions).values(), BOUND))
    print(*[line(row) for row in rows], sep="\n", flush=True)
    return rows


def main() -> None:
    """Print all rows, and their geometric mean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=4096, help="rows of a matrix")
    parser.add_argument("--repetitions", type=int, default=5)
    given = parser.parse_args()
    print(jax.devices()[0].device_kind, jax.__version__)
    with jax.default_matmul_precision("highest"):
        with jax.enable_x64(True):
            rows = array_rows(given.size, given.repetitions)
            rows += fast_rows(given.size, given.repetitions) + loop_rows(given.repetitions)
        rows += model_rows(given.repetitions)
    ratios = [row.ratio for row in rows if row.ratio is not None]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{len(ratios)} rows, geometric mean {mean:.2f}, {sum(r > BOUND for r in ratios)} over")


if __name__ == "__main__":
    main()
