"""Derivatives: networks, training and Newton-CG against JAX, loops against their own forward.

`python -m benchmarks.gradients SIDE PROGRAM` times one program's front end in a fresh process, as
`benchmarks.front_end` does; with `memory PROGRAM`, it runs the gradient of a loop with 1,000, then
with 100,000 iterations, and prints how far the second raised the peak of the process.
"""

from __future__ import annotations

import json
import math
import resource
import sys
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

import pyxla
from benchmarks import front_end, models
from benchmarks.instructions import count_jax, count_pyxla
from benchmarks.measure import Row, at_most, fresh_processes, interleaved, median_of
from benchmarks.peers import digits_jax, gradients_jax, vgg19_jax
from examples import digits, newton_cg, transformer, vgg19
from examples.newton_cg_derivatives import Differentiated

Sides = dict[str, Callable[[], Any]]


def total(layers, images):
    return np.sum(vgg19.vgg19(layers, images))


def vgg19_gradient(layers, images):
    return pyxla.grad(total)(layers, images)


def recurrence(x, count):
    y, i = x, 0
    while i < count:
        y = 0.5 * (y + x / y) + 0.001 * np.sin(y)
        i += 1
    return y


def damped_fixed_point(x, count):
    y, i = np.zeros_like(x), 0
    while i < count:
        y = 0.5 * y + 0.5 * np.tanh(0.5 * y + x)
        i += 1
    return np.sum(y)


def adaptive_ode(x, count):
    """Heun's method for y' = sin t - y, the step chosen by the error against Euler's."""
    t, y, h, i = 0.0, x, 0.001, 0
    while i < count:
        first = np.sin(t) - y
        second = np.sin(t + h) - (y + h * first)
        error = abs(h * (second - first)) / 2
        if error < 1e-6:
            t += h
            y = y + h * (first + second) / 2
        h = h * min(2.0, max(0.5, 0.9 * np.sqrt(1e-6 / (error + 1e-12))))
        i += 1
    return y


def updates(a):
    for i in range(1, a.size):
        a[i] = 0.9 * np.sin(a[i - 1]) + a[i]
    return np.sum(a)


LOOPS: dict[str, tuple[Callable[[Any, int], Any], Any]] = {
    "scalar recurrence": (recurrence, 2.0),
    "damped fixed point, 1,000-vector": (damped_fixed_point, np.linspace(-1, 1, 1000)),
    "adaptive ODE steps": (adaptive_ode, 1.0),
}


def vgg19_sides() -> Sides:
    rng = np.random.default_rng(0)
    layers, images = vgg19.make_layers(rng, shrink=16), vgg19.make_images(rng, 1)
    return {
        "pyxla": front_end.of_pyxla(vgg19_gradient, layers, images),
        "jax": front_end.of_jax(gradients_jax.vgg19_gradient, vgg19_jax.parameters(layers), images),
    }


def transformer_data(count: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    x, target = rng.standard_normal((2, 64, 128), np.float32)
    return transformer.make_blocks(rng, count, 128), x, target


def transformer_sides() -> Sides:
    data = transformer_data(4)
    ours = front_end.of_pyxla(transformer.loss_and_slopes, *data, pyxla.static[4])
    return {"pyxla": ours, "jax": front_end.of_jax(gradients_jax.transformer_step, *data, 4)}


def digits_data() -> tuple[Any, Any, Any, Any]:
    """Random pictures of the size of the example's: time does not depend on what they show."""
    rng = np.random.default_rng(0)
    images = rng.random((digits.TRAINED, 8, 8, 1), np.float32)
    labels = rng.integers(0, 10, digits.TRAINED).astype(np.int32)
    return digits.make_layers(rng), images, labels, digits.make_orders(rng, 2)


def digits_arguments() -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The arguments of both sides' training, 2 epochs in minibatches of 50."""
    layers, images, labels, orders = digits_data()
    optimizer = digits.make_optimizer(layers)
    ours = (layers, optimizer, images, labels, orders, 50)
    velocities = digits_jax.parameters(optimizer.velocities)
    settings = (np.float32(optimizer.rate), np.float32(optimizer.decay))
    return ours, (digits_jax.parameters(layers), velocities, settings, images, labels, orders, 50)


def digits_sides() -> Sides:
    ours, theirs = digits_arguments()
    static = (*ours[:-1], pyxla.static[50])
    return {
        "pyxla": front_end.of_pyxla(digits.train, *static),
        "jax": front_end.of_jax(digits_jax.train, *theirs),
    }


def newton_sides(name: str) -> Sides:
    problem, x = newton_cg.PROBLEMS[name](np.random.default_rng(0))
    jitted, args = gradients_jax.newton_call(name, problem, x)
    ours = front_end.of_pyxla(newton_cg.newton_cg, Differentiated(problem), x, 50, 1e-6)
    return {"pyxla": ours, "jax": front_end.of_jax(jitted, *args)}


FRONT_ENDS: dict[str, Callable[[], Sides]] = {
    "VGG19 gradient": vgg19_sides,
    "4 transformer blocks, loss and gradient": transformer_sides,
    "training on digits": digits_sides,
    "Newton-CG, derivatives taken, hidden Markov model": lambda: newton_sides(
        "hidden Markov model"
    ),
}


def front_end_section(repetitions: int) -> list[Row]:
    """Source to StableHLO of programs with derivatives, in fresh processes, against JAX."""
    return [
        front_end.compared("benchmarks.gradients", program, repetitions, 0.5)
        for program in FRONT_ENDS
    ]


def instruction_section(_: int) -> list[Row]:
    """The gradient of VGG19 before XLA's passes, calls inlined, by the same counter."""
    rng = np.random.default_rng(0)
    layers, images = vgg19.make_layers(rng, shrink=16), vgg19.make_images(rng, 1)
    ours = count_pyxla(vgg19_gradient, layers, images)
    theirs = count_jax(gradients_jax.vgg19_gradient, vgg19_jax.parameters(layers), images)
    rows = []
    for which in ("entry", "all"):
        a, b = getattr(ours, which), getattr(theirs, which)
        title = f"VGG19 gradient, instructions, {which}"
        rows.append(Row(title, str(a), str(b), a / b, "≤ 1", a <= b))
    return rows


def run_time_section(repetitions: int) -> list[Row]:
    """Run time of derivatives against JAX: each at most 1.15, 1.0 in the geometric mean."""
    programs = {
        "VGG19 gradient, widths / 16, 64x64 images, batch 4": vgg19_calls,
        "4 transformer blocks, loss and gradient": transformer_calls,
        "training on digits, 2 epochs": digits_calls,
        **models.CALLS,
    }
    rows = [against_jax(title, calls(), repetitions) for title, calls in programs.items()]
    with jax.enable_x64(True):
        for title, calls in models.CALLS_64.items():
            rows.append(against_jax(title, calls(), repetitions))
        for name in newton_cg.PROBLEMS:
            title = f"Newton-CG, derivatives taken, {name}"
            rows.append(against_jax(title, newton_calls(name), repetitions))
    ratios = [row.ratio for row in rows if row.ratio is not None]
    mean = math.exp(math.fsum(map(math.log, ratios)) / len(ratios))
    return [*rows, Row("geometric mean", "", "", mean, "≤ 1.0", mean <= 1.0)]


def against_jax(title: str, sides: Sides, repetitions: int) -> Row:
    t = interleaved(sides, repetitions)
    return at_most(f"{title}, against jax", t["pyxla"], t["jax"], 1.15)


def vgg19_calls() -> Sides:
    rng = np.random.default_rng(0)
    layers = jax.device_put(vgg19.make_layers(rng, shrink=16, size=64, classes=10))
    images = jax.device_put(vgg19.make_images(rng, 4, size=64))
    parameters = vgg19_jax.parameters(layers)
    ours = pyxla.compile(vgg19_gradient)
    return {
        "pyxla": lambda: jax.block_until_ready(ours(layers, images)),
        "jax": lambda: jax.block_until_ready(gradients_jax.vgg19_gradient(parameters, images)),
    }


def transformer_calls() -> Sides:
    data = jax.device_put(transformer_data(4))
    ours = pyxla.compile(transformer.loss_and_slopes)
    return {
        "pyxla": lambda: jax.block_until_ready(ours(*data, 4)),
        "jax": lambda: jax.block_until_ready(gradients_jax.transformer_step(*data, 4)),
    }


def digits_calls() -> Sides:
    """NumPy in; ours goes on with what it trained, theirs begins anew: the same work."""
    mine, theirs = digits_arguments()
    ours = pyxla.compile(digits.train)
    return {
        "pyxla": lambda: ours(*mine),
        "jax": lambda: jax.device_get(digits_jax.train(*theirs)),
    }


def newton_calls(name: str) -> Sides:
    rng = np.random.default_rng(0)
    problem, x = newton_cg.PROBLEMS[name](rng)
    # At zero, logistic losses have kinks, where the two sides' second derivatives differ.
    x = x + 0.01 * rng.standard_normal(x.shape)
    jitted, args = gradients_jax.newton_call(name, problem, x)
    ours, taken = pyxla.compile(newton_cg.newton_cg), Differentiated(problem)
    return {
        "pyxla": lambda: ours(taken, x, 50, 1e-6),
        "jax": lambda: jax.block_until_ready(jitted(*args)),
    }


def loop_section(repetitions: int) -> list[Row]:
    """Gradients of loops of unknown length: time against the forward, memory that stays."""
    rows = []
    for name, (loop, x) in LOOPS.items():
        forward, gradient = pyxla.compile(loop), pyxla.grad(loop)
        for count in (10, 1000, 100000):
            sides = {
                "gradient": lambda gradient=gradient, x=x, count=count: gradient(x, count),
                "forward": lambda forward=forward, x=x, count=count: forward(x, count),
            }
            t = interleaved(sides, min(repetitions, 5), 0.02)
            title = f"{name}, {count:,} iterations, gradient against forward"
            rows.append(at_most(title, *t.values(), 6))
        rows.append(memory_row(name))
    return rows


def memory_row(name: str) -> Row:
    """How far 100,000 iterations raise the peak of a process that has run 1,000: 16 MiB at most."""
    results = fresh_processes("benchmarks.gradients", {"memory": ["memory", name]}, 1)["memory"]
    short, long = median_of(results, "short"), median_of(results, "long")
    title = f"{name}, peak memory, 100,000 iterations against 1,000"
    holds = long - short <= 16
    return Row(title, f"{long:.0f} MiB", f"{short:.0f} MiB", long / short, "+ 16 MiB", holds)


def memory(name: str) -> dict[str, float]:
    """Peaks of this process in MiB, after each length."""
    loop, x = LOOPS[name]
    gradient, peaks = pyxla.grad(loop), {}
    for label, count in (("short", 1000), ("long", 100000)):
        gradient(x, count)
        peaks[label] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return peaks


def update_section(repetitions: int) -> list[Row]:
    """Element by element updates of an array: a gradient's time per iteration stays; JAX's scan."""
    gradient, per_iteration, rows = pyxla.grad(updates), {}, []
    for count in (1000, 10000, 100000, 1000000):
        a = np.linspace(0, 1, count)
        with jax.enable_x64(True):
            sides = {
                "pyxla": lambda a=a: gradient(a),
                "jax": lambda a=a: gradients_jax.updates(a).block_until_ready(),
            }
            t = interleaved(sides, min(repetitions, 5), 0.02)
        per_iteration[count] = t["pyxla"] / count
        rows.append(at_most(f"gradient of {count:,} updates, against jax", *t.values(), 1.15))
    ends = per_iteration[1000000], per_iteration[10000]
    return [*rows, at_most("gradient per update, 1,000,000 against 10,000", *ends, 1.5)]


if __name__ == "__main__":
    what, program = sys.argv[1:3]
    measured = memory(program) if what == "memory" else front_end.one(what, FRONT_ENDS[program])
    print(json.dumps(measured))
