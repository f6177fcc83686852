"""Run time: VGG19 against `jax.jit`, scalar loops against Numba, Newton-CG against CPython."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

import pyxla
from benchmarks import loops
from benchmarks.instructions import count_jax, count_pyxla
from benchmarks.measure import Row, at_most, faster_than, interleaved
from benchmarks.peers import newton_cg_jax, scalar_simulation_jax, transformer_jax, vgg19_jax
from examples import newton_cg, newton_cg_loops, scalar_simulation, transformer, vgg19

PAPER_NEWTON = {"convex quadratic": 114, "hidden Markov model": 153, "logistic regression": 3}


def vgg19_section(repetitions: int) -> list[Row]:
    """VGG19 forward on device arrays, batch 1 and 10."""
    rng = np.random.default_rng(0)
    layers = jax.device_put(vgg19.make_layers(rng))
    parameters = vgg19_jax.parameters(layers)
    network = pyxla.compile(vgg19.vgg19)
    rows = []
    for batch in (1, 10):
        images = jax.device_put(vgg19.make_images(rng, batch))
        sides = {
            "pyxla": lambda images=images: jax.block_until_ready(network(layers, images)),
            "jax": lambda images=images: vgg19_jax.forward(parameters, images).block_until_ready(),
        }
        t = interleaved(sides, repetitions, 0.5)
        rows.append(at_most(f"VGG19 forward, batch {batch}, against jax", *t.values(), 1.05))
    return rows


def register_layers() -> None:
    """Make the example's layers pytrees, so that `jax.device_put` reaches their arrays."""
    for kind in (vgg19.Conv, vgg19.Dense, vgg19.Classifier):
        jax.tree_util.register_dataclass(kind, ["weight", "bias"], [])
    for kind in (vgg19.MaxPool, vgg19.Flatten):
        jax.tree_util.register_dataclass(kind, [], [])


def transformer_section(repetitions: int) -> list[Row]:
    """The transformer stack on device arrays."""
    rng = np.random.default_rng(0)
    blocks = jax.device_put(transformer.make_blocks(rng))
    x = jax.device_put(rng.standard_normal((64, 256), np.float32))
    encoder = pyxla.compile(transformer.encoder)
    sides = {
        "pyxla": lambda: jax.block_until_ready(encoder(blocks, x, 4)),
        "jax": lambda: transformer_jax.encoder(blocks, x, 4).block_until_ready(),
    }
    t = interleaved(sides, repetitions)
    return [Row("12 transformer blocks, against jax", *figures(t), ratio(t), "", None)]


def figures(t: dict[str, float]) -> list[str]:
    return [f"{seconds * 1e3:.3g} ms" for seconds in t.values()]


def ratio(t: dict[str, float]) -> float:
    ours, theirs = t.values()
    return ours / theirs


def simulation_section(repetitions: int) -> list[Row]:
    """The scalar simulation, against JAX and against CPython."""
    ours = pyxla.compile(scalar_simulation.heaviest)
    target, dt = 200000.0, 0.5
    with jax.enable_x64(True):
        wide = jax.device_put((np.float64(target), np.float64(dt)))
        sides = {
            "pyxla": lambda: ours(target, dt),
            "jax": lambda: scalar_simulation_jax.heaviest(*wide).block_until_ready(),
        }
        t = interleaved(sides, repetitions)
    rows = [Row("scalar simulation, against jax", *figures(t), ratio(t), "", None)]
    sides = {
        "pyxla": lambda: ours(target, dt),
        "cpython": lambda: scalar_simulation.heaviest(target, dt),
    }
    t = interleaved(sides, repetitions)
    times = 1 / ratio(t)
    return [*rows, Row("scalar simulation, CPython / pyxla", *figures(t), times, "", None)]


def scalar_loops() -> list[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """What each program of `benchmarks.loops` does, the program, and its arguments."""
    rng = np.random.default_rng(0)
    a = rng.random((300, 300))
    grid = (a[:100, :100] < 0.3).astype(np.int64)
    letters = [np.copy(x) for x in rng.integers(0, 4, (2, 1000))]
    factors = (a[:150, :150].copy(), a[150:, 150:].copy())
    points = (rng.random((20000, 3)), rng.random((16, 3)))
    return [
        ("Collatz lengths of 1 to 300,000", loops.collatz_total, (300000,)),
        ("Gauss-Seidel, 300x300, 20 sweeps", loops.gauss_seidel, (a, 20)),
        ("Mandelbrot, 300x300 points", loops.mandelbrot_total, (300, 300, 200)),
        ("product of matrices, 150x150", loops.matrix_product, factors),
        ("nearest of 16 centres, 20,000 points", loops.nearest_centres, points),
        ("shortest paths, 150 nodes", loops.shortest_paths, (factors[0].copy(),)),
        ("edit distance, 1,000 letters", loops.edit_distance, tuple(letters)),
        ("game of life, 100x100, 20 steps", loops.game_of_life, (grid, 20)),
        ("pi from 1,000,000 points", loops.pi_by_chance, (1000000,)),
        ("quicksort of 90,000 numbers", loops.quicksort, (a.ravel(),)),
        ("common subsequence, 1,000 letters", loops.common_subsequence, tuple(letters)),
        ("breadth-first search, 100x100", loops.steps_through, (grid,)),
    ]


def scalar_loops_section(repetitions: int) -> list[Row]:
    """Loops over numbers and over elements of arrays, against Numba."""
    if importlib.util.find_spec("numba") is None:
        return [Row("scalar loops: numba is not installed", "", "", None, "≤ 2.0", None)]
    peers = importlib.import_module("benchmarks.peers.loops_numba")
    rows = []
    for title, program, args in scalar_loops():
        ours = pyxla.compile(program)
        theirs = getattr(peers, program.__name__)
        fresh = tuple(np.copy(x) if isinstance(x, np.ndarray) else x for x in args)
        # Products fuse differently, which moves a Mandelbrot point on the border by an iteration.
        np.testing.assert_allclose(ours(*fresh), theirs(*args), rtol=1e-5)
        sides = {
            "pyxla": lambda ours=ours, args=args: ours(*args),
            "numba": lambda theirs=theirs, args=args: theirs(*args),
        }
        t = interleaved(sides, repetitions, 0.2)
        rows.append(at_most(f"{title}, against numba", *t.values(), 2.0))
    return rows


def newton_section(repetitions: int) -> list[Row]:
    """Newton-CG on three problems, NumPy in and out: as loops, as arrays; CPython and JAX."""
    rows = []
    for name, make in newton_cg_loops.PROBLEMS.items():
        sides = newton_sides(*make(np.random.default_rng(0)))
        t = interleaved(sides, min(repetitions, 3), 0.01)
        title = f"Newton-CG, {name}, element loops, CPython / pyxla"
        rows.append(faster_than(title, *t.values(), PAPER_NEWTON[name]))
    for name, make in newton_cg.PROBLEMS.items():
        problem, x = make(np.random.default_rng(0))
        sides = newton_sides(problem, x)
        t = interleaved(sides, repetitions)
        title = f"Newton-CG, {name}, array operations, CPython / pyxla"
        rows.append(Row(title, *figures(t), 1 / ratio(t), "", None))
        with jax.enable_x64(True):
            jitted, args = newton_cg_jax.call_arguments(name, problem, x)
            sides["jax"] = lambda jitted=jitted, args=args: jax.block_until_ready(jitted(*args))
            del sides["cpython"]
            t = interleaved(sides, repetitions)
        rows.append(Row(f"Newton-CG, {name}, against jax", *figures(t), ratio(t), "", None))
    return rows


def newton_sides(problem: Any, x: np.ndarray) -> dict[str, Callable[[], Any]]:
    """The optimizer compiled and plain, on one problem."""
    ours = pyxla.compile(newton_cg.newton_cg)
    return {
        "pyxla": lambda: ours(problem, x, 50, 1e-6),
        "cpython": lambda: newton_cg.newton_cg(problem, x, 50, 1e-6),
    }


def instruction_section(_: int) -> list[Row]:
    """VGG19's instructions before XLA's passes, calls inlined, by the same counter."""
    rng = np.random.default_rng(0)
    layers, images = vgg19.make_layers(rng, shrink=16), vgg19.make_images(rng, 1)
    ours = count_pyxla(vgg19.vgg19, layers, images)
    theirs = count_jax(vgg19_jax.forward, vgg19_jax.parameters(layers), images)
    return [
        Row(
            f"VGG19 instructions, {which}",
            str(getattr(ours, which)),
            str(getattr(theirs, which)),
            getattr(ours, which) / getattr(theirs, which),
            "≤ 1",
            getattr(ours, which) <= getattr(theirs, which),
        )
        for which in ("entry", "all")
    ]


def overhead_section(repetitions: int) -> list[Row]:
    """A call on two small arrays: jax arrays in and out, NumPy arrays in and out."""

    def f(x, y):
        return x * 2 + y

    ours, theirs = pyxla.compile(f), jax.jit(f)
    x, y = np.ones(8, np.float32), np.full(8, 0.5, np.float32)
    device_x, device_y = jax.device_put((x, y))
    on_device = {
        "pyxla": lambda: ours(device_x, device_y),
        "jax": lambda: theirs(device_x, device_y),
    }
    numpy = {"pyxla": lambda: ours(x, y), "jax": lambda: np.asarray(theirs(x, y))}
    t = interleaved(on_device, 3 * repetitions)
    rows = [at_most("call, two small jax arrays, against jax.jit", *t.values(), 1.2)]
    t = interleaved(numpy, 3 * repetitions)
    return [*rows, at_most("call, NumPy in and out, against np.asarray(jit)", *t.values(), 1.2)]
