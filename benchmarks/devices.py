"""What devices tell each other: collectives of compiled programs against hand-written `jax.jit`.

    python -m benchmarks.devices [PROGRAM ...]

Eight devices are simulated, as a mesh of 8 and of 4x2, with automatic and with explicit axes. A row
has the number of collectives and their bytes on each device, times how often they are run where
that is known, of pyxla and of JAX; a program is written once, for `numpy` and `jax.numpy` alike
where that can be. Then: what writing one element of a donated gigabyte takes, and the compile time
of a hundred sizes.
"""

from __future__ import annotations

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import argparse  # noqa: E402 - devices are counted when JAX is imported
import resource  # noqa: E402
import statistics  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from typing import Any  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import P  # noqa: E402
from jax.sharding import AxisType, NamedSharding  # noqa: E402

import pyxla  # noqa: E402
from pyxla.reporting.communication import collectives  # noqa: E402

ROWS, COLUMNS, WHOLE = P("data"), P(None, "model"), P()
rng = np.random.default_rng(0)
X, Y, W = rng.random((64, 64)), rng.random((64, 64)), rng.random((64, 64))
V = rng.random(4096)


def _loss(xp: Any) -> Any:
    def loss(w1: Any, w2: Any, x: Any, y: Any) -> Any:
        return ((xp.tanh(x @ w1) @ w2 - y) ** 2).mean()

    return loss


def training(w1: Any, w2: Any, x: Any, y: Any) -> Any:
    """One step, of pyxla."""
    slopes = pyxla.grad(_loss(np), (0, 1))(w1, w2, x, y)
    return w1 - 0.1 * slopes[0], w2 - 0.1 * slopes[1]


def training_jax(w1: Any, w2: Any, x: Any, y: Any) -> Any:
    """The same, of JAX."""
    slopes = jax.grad(_loss(jnp), (0, 1))(w1, w2, x, y)
    return w1 - 0.1 * slopes[0], w2 - 0.1 * slopes[1]


def softmax(xp: Any) -> Any:
    def function(x: Any) -> Any:
        e = xp.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    return function


def means(xp: Any) -> Any:
    """A step of k-means."""

    def function(x: Any, centres: Any) -> Any:
        far = ((x[:, None, :] - centres[None]) ** 2).sum(axis=2)
        near = far.argmin(axis=1)
        own = (near[:, None] == xp.arange(centres.shape[0])[None]).astype(x.dtype)
        return (own.T @ x) / xp.maximum(own.sum(axis=0), 1)[:, None]

    return function


def halved(b: Any) -> Any:
    while np.abs(b).max() > 1e-3:
        b = b * 0.5
    return b


def halved_jax(b: Any) -> Any:
    return jax.lax.while_loop(lambda b: jnp.abs(b).max() > 1e-3, lambda b: b * 0.5, b)


def newton(x: Any) -> Any:
    y = x
    while abs(y * y - x) > 1e-9:
        y = 0.5 * (y + x / y)
    return y


def newton_jax(x: Any) -> Any:
    go = lambda y: jnp.abs(y * y - x) > 1e-9
    return jax.lax.while_loop(go, lambda y: 0.5 * (y + x / y), x)


def stencil(a: Any) -> Any:
    for _ in range(10):
        b = a.copy()
        b[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        a = b
    return a


def stencil_jax(a: Any) -> Any:
    def step(_: Any, a: Any) -> Any:
        inner = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        return a.at[1:-1, 1:-1].set(inner)

    return jax.lax.fori_loop(0, 10, step, a)


def both(make: Callable[[Any], Any]) -> tuple[Any, Any]:
    return make(np), make(jnp)


# name -> (pyxla's, JAX's), arguments, how they lie (on a mesh with "data" and "model")
PROGRAMS: dict[str, tuple[tuple[Any, Any], tuple[Any, ...], tuple[Any, ...]]] = {
    "elementwise": (both(lambda xp: lambda x, y: xp.sin(x) * y + x), (X, Y), (ROWS, ROWS)),
    "product": (both(lambda xp: lambda x, w: x @ w), (X, W), (ROWS, WHOLE)),
    "product, columns": (both(lambda xp: lambda x, w: x @ w), (X, W), (ROWS, COLUMNS)),
    "products, chain": (both(lambda xp: lambda x, w: x @ w @ w.T), (X, W), (ROWS, COLUMNS)),
    "gram": (both(lambda xp: lambda x: x.T @ x), (X,), (ROWS,)),
    "sum": (both(lambda xp: lambda x: x.sum()), (X,), (ROWS,)),
    "sum, axis 0": (both(lambda xp: lambda x: x.sum(axis=0)), (X,), (ROWS,)),
    "sum, axis 1": (both(lambda xp: lambda x: x.sum(axis=1)), (X,), (ROWS,)),
    "mean, deviation": (
        both(lambda xp: lambda x: (x.mean(axis=0), x.std(axis=0))),
        (X,),
        (ROWS,),
    ),
    "largest": (both(lambda xp: lambda x: (x.max(), x.argmax())), (V,), (ROWS,)),
    "norm": (both(lambda xp: lambda x: x / xp.sqrt((x * x).sum())), (X,), (ROWS,)),
    "softmax": (both(softmax), (X,), (ROWS,)),
    "softmax, columns": (both(softmax), (X,), (COLUMNS,)),
    "sort": (both(lambda xp: lambda x: xp.sort(x, axis=1)), (X,), (ROWS,)),
    "sort, sharded": (both(lambda xp: lambda x: xp.sort(x)), (V,), (ROWS,)),
    "masks": (both(lambda xp: lambda x: xp.where(x > 0.5, x, 0.0).sum()), (X,), (ROWS,)),
    "k-means": (both(means), (X, Y[:8]), (ROWS, WHOLE)),
    "cumsum": (both(lambda xp: lambda x: xp.cumsum(x)), (V,), (ROWS,)),
    "transpose": (both(lambda xp: lambda x: x.T + 1), (X,), (ROWS,)),
    "slices": (both(lambda xp: lambda x: x[1:] - x[:-1]), (X,), (ROWS,)),
    "small while": ((halved, halved_jax), (V[:64],), (ROWS,)),
    "lanes of a while": (
        (lambda x: pyxla.vmap(newton)(x), lambda x: jax.vmap(newton_jax)(x)),
        (V + 1,),
        (ROWS,),
    ),
    "stencil": ((stencil, stencil_jax), (X,), (ROWS,)),
    "training, data": (
        (training, training_jax),
        (W, W[:, :8], X, X[:, :8]),
        (WHOLE, WHOLE, ROWS, ROWS),
    ),
    "training, both": (
        (training, training_jax),
        (W, W[:, :8], X, X[:, :8]),
        (COLUMNS, P("model"), ROWS, ROWS),
    ),
}
MESHES = {"8": (8, 1), "4x2": (4, 2)}


def told(compiled: Any, mesh: Any) -> tuple[int, int]:
    """How many collectives a module has, and their bytes."""
    found = collectives(compiled.as_text(), mesh)
    return len(found), sum([one.size * (one.times or 1) for one in found])


def compare(name: str, shape: tuple[int, int], kind: Any) -> tuple[Any, ...]:
    """pyxla's (number, bytes), JAX's, and whether results are equal and lie alike."""
    (ours, theirs), args, specs = PROGRAMS[name]
    mesh = jax.make_mesh(shape, ("data", "model"), axis_types=(kind, kind))
    given = [jax.device_put(x, NamedSharding(mesh, s)) for x, s in zip(args, specs, strict=True)]
    program = pyxla.compile(ours)
    rows, results = [], []
    for function in (lambda *xs: program(*xs), theirs):
        try:
            compiled = jax.jit(function).lower(*given).compile()
        except Exception as error:  # noqa: BLE001 - JAX asks for specifications here
            if function is not theirs or type(error).__name__ != "ShardingTypeError":
                raise
            rows.append(None)
            results.append(results[0])
            continue
        rows.append(told(compiled, mesh))
        results.append(jax.tree.leaves(compiled(*given)))
    pairs = list(zip(*results, strict=True))
    alike = all(a.sharding.is_equivalent_to(b.sharding, a.ndim) for a, b in pairs)
    equal = all(np.allclose(a, b) for a, b in pairs)
    return *rows, equal, alike


def put(x: Any, i: int, value: float) -> Any:
    x[i] = value
    return x


def donated() -> tuple[float, float]:
    """GiB more, and milliseconds, that writing one element of a donated gigabyte takes."""
    write = pyxla.compile(put, donate="x")
    x = write(jnp.zeros(1 << 27), 0, 1.0)
    x.block_until_ready()
    before, times = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, []
    for i in range(50):
        start = time.perf_counter()
        x = write(x, i, 1.0)
        x.block_until_ready()
        times.append(time.perf_counter() - start)
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return more / (1 << 20), 1e3 * statistics.median(times)


def sizes() -> tuple[float, float]:
    """Seconds of processors that a hundred sizes take with buckets, and a hundred programs."""

    def step(w: Any, x: Any, y: Any) -> Any:
        slope = pyxla.grad(lambda w: ((x @ w - y) ** 2).mean())(w)
        return w - 0.1 * slope

    def run(function: Any, counts: Any) -> float:
        start = time.process_time()
        for n in counts:
            function(V[:4], V[: 4 * n].reshape(n, 4), V[:n])
        return time.process_time() - start

    pairs = [
        (
            run(pyxla.compile(step, sizes="bucket"), range(3, 103)),
            10 * run(pyxla.compile(step), range(50, 60)),
        )
        for _ in range(4)
    ]
    warm = zip(*pairs[1:], strict=True)
    rounded, each = (statistics.median(times) for times in warm)
    return rounded, each


def main() -> None:
    """Print all rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", nargs="*", default=list(PROGRAMS))
    jax.config.update("jax_enable_x64", True)
    names, more = parser.parse_args().program, 0
    for name in names:
        for label, shape in MESHES.items():
            for kind in (AxisType.Auto, AxisType.Explicit):
                try:
                    ours, theirs, equal, alike = compare(name, shape, kind)
                except Exception as error:  # noqa: BLE001 - a row says so
                    words = str(error).splitlines()[0][:60]
                    print(f"{name:18} {label:4} {kind.name:9} {type(error).__name__}: {words}")
                    continue
                over = theirs is not None and (ours[0] > theirs[0] or ours[1] > theirs[1])
                more += over
                peer = f"{theirs[0]:3} {theirs[1]:9}" if theirs else "JAX refuses"
                words = f"{ours[0]:3} {ours[1]:9}   {peer}"
                flags = " MORE" * over + " DIFFERS" * (not equal) + " LIES OTHERWISE" * (not alike)
                print(f"{name:18} {label:4} {kind.name:9} {words}{flags}", flush=True)
    print(f"more than JAX: {more} of {4 * len(names)}")
    if names == list(PROGRAMS):
        print("one element of a donated GiB: {:.3f} GiB more, {:.3f} ms".format(*donated()))
        print("100 sizes: {:.2f} s rounded up, {:.2f} s each for itself".format(*sizes()))


if __name__ == "__main__":
    main()
