"""Front-end time in a fresh process: source to StableHLO, against `jax.jit`'s trace and lowering.

`python -m benchmarks.front_end SIDE PROGRAM` imports everything, warms the machinery on a function
of a type that no program uses, then times one program's front end once and prints JSON. Both front
ends run in one thread, so processor time is what they take; it is steadier than the clock.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

import pyxla
from benchmarks.measure import Row, at_most, fresh_processes, median_of
from benchmarks.peers import newton_cg_jax, scalar_simulation_jax, transformer_jax, vgg19_jax
from examples import newton_cg, scalar_simulation, transformer, vgg19
from pyxla.runtime import jaxlower

Lowering = Callable[[], Any]


def of_pyxla(fn: Any, *args: Any) -> Lowering:
    return lambda: jaxlower.module(pyxla.compile(fn, verify=False).lower(*args).at("regions"))


def of_jax(jitted: Any, *args: Any) -> Lowering:
    return lambda: jitted.lower(*args).compiler_ir()


def vgg19_sides() -> dict[str, Lowering]:
    rng = np.random.default_rng(0)
    layers, images = vgg19.make_layers(rng, shrink=16), vgg19.make_images(rng, 1)
    return {
        "pyxla": of_pyxla(vgg19.vgg19, layers, images),
        "jax": of_jax(vgg19_jax.forward, vgg19_jax.parameters(layers), images),
    }


def transformer_sides() -> dict[str, Lowering]:
    rng = np.random.default_rng(0)
    blocks, x = transformer.make_blocks(rng), rng.standard_normal((64, 256), np.float32)
    return {
        "pyxla": of_pyxla(transformer.encoder, blocks, x, pyxla.static[4]),
        "jax": of_jax(transformer_jax.encoder, blocks, x, 4),
    }


def newton_sides(problem_name: str) -> dict[str, Lowering]:
    problem, x = newton_cg.PROBLEMS[problem_name](np.random.default_rng(0))
    jitted, args = newton_cg_jax.call_arguments(problem_name, problem, x)
    return {
        "pyxla": of_pyxla(newton_cg.newton_cg, problem, x, 50, 1e-6),
        "jax": of_jax(jitted, *args),
    }


def simulation_sides() -> dict[str, Lowering]:
    return {
        "pyxla": of_pyxla(scalar_simulation.heaviest, 200000.0, 0.5),
        "jax": of_jax(scalar_simulation_jax.heaviest, np.float64(200000.0), np.float64(0.5)),
    }


def loop_of(count: int) -> Callable[[float], float]:
    def ten(x):
        for i in range(10):
            x = 0.5 * x + i
        return x

    def ten_million(x):
        for i in range(10000000):
            x = 0.5 * x + i
        return x

    return ten if count == 10 else ten_million


PROGRAMS: dict[str, Callable[[], dict[str, Lowering]]] = {
    "VGG19, batch 1": vgg19_sides,
    "12 transformer blocks": transformer_sides,
    "Newton-CG, convex quadratic": lambda: newton_sides("convex quadratic"),
    "Newton-CG, hidden Markov model": lambda: newton_sides("hidden Markov model"),
    "Newton-CG, logistic regression": lambda: newton_sides("logistic regression"),
    "scalar simulation": simulation_sides,
    "loop of 10": lambda: {"pyxla": of_pyxla(loop_of(10), 1.0)},
    "loop of 10 million": lambda: {"pyxla": of_pyxla(loop_of(10000000), 1.0)},
}


def warm(side: str) -> None:
    """Run each machinery once, on int8, which no program uses."""
    x = np.zeros(3, np.int8)

    def unrelated(x):
        return x + x

    (of_pyxla(unrelated, x) if side == "pyxla" else of_jax(jax.jit(unrelated), x))()


def one(side: str, sides: Callable[[], dict[str, Lowering]]) -> dict[str, float]:
    """Time one program's front end in this process."""
    jax.config.update("jax_enable_x64", side == "jax")
    lowering = sides()[side]
    warm(side)
    start = time.process_time()
    lowered = lowering()
    seconds = time.process_time() - start
    return {"seconds": seconds, "bytes": len(str(lowered))}


def section(repetitions: int) -> list[Row]:
    """Front-end time of each program against JAX's."""
    programs = [program for program in PROGRAMS if not program.startswith("loop")]
    return [compared("benchmarks.front_end", x, repetitions, 0.6) for x in programs]


def compared(module: str, program: str, repetitions: int, bound: float) -> Row:
    """A program's front end in fresh processes that run the module, against JAX's."""
    variants = {side: [side, program] for side in ("pyxla", "jax")}
    results = fresh_processes(module, variants, repetitions)
    ours, theirs = (median_of(results[side], "seconds") for side in variants)
    return at_most(program, ours, theirs, bound)


def loop_section(repetitions: int) -> list[Row]:
    """Module size and front-end time of a loop of 10 and of 10 million iterations."""
    names = {"long": ["pyxla", "loop of 10 million"], "short": ["pyxla", "loop of 10"]}
    # Some milliseconds each: the median of few would be chance.
    results = fresh_processes("benchmarks.front_end", names, max(repetitions, 9))
    size = {name: median_of(results[name], "bytes") for name in names}
    seconds = {name: median_of(results[name], "seconds") for name in names}
    time_row = at_most("front-end time, 10 million against 10", *seconds.values(), 1.1)
    digits = len("10000000") - len("10")
    same = 0 <= size["long"] - size["short"] <= 4 * digits
    ratio = size["long"] / size["short"]
    sizes = [f"{size[name]:.0f} bytes" for name in names]
    size_row = Row("module text, 10 million against 10", *sizes, ratio, "= but for digits", same)
    return [time_row, size_row]


if __name__ == "__main__":
    print(json.dumps(one(sys.argv[1], PROGRAMS[sys.argv[2]])))
