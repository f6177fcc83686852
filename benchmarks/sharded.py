"""Whole programs whose arguments lie over eight simulated devices, against one device and JAX.

    python -m benchmarks.sharded [--npbench CLONE] [PROGRAM ...]

With a checkout of spcl/npbench the NumPy programs of that suite in preset S, as they stand, or
else the gradients of `examples/`. Arguments are split along the first axis that eight devices
divide. A row says whether results equal those of one device, how many collectives there are, their
bytes on each device, and which of them gather. Each program runs in a process of its own.

Then training steps of a transformer and of ResNet-50, over 4x2 devices by batch and by columns of
matrices, beside the same steps hand-written for `jax.jit`.
"""

from __future__ import annotations

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import argparse  # noqa: E402 - devices are counted when JAX is imported
import copy  # noqa: E402
import dataclasses  # noqa: E402
import functools  # noqa: E402
import multiprocessing  # noqa: E402
import sys  # noqa: E402
from collections.abc import Callable  # noqa: E402
from concurrent.futures import ProcessPoolExecutor  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import P  # noqa: E402
from jax.sharding import AxisType, NamedSharding  # noqa: E402

import pyxla  # noqa: E402
from benchmarks import npbench  # noqa: E402
from benchmarks.devices import told  # noqa: E402
from benchmarks.measure import interleaved  # noqa: E402
from benchmarks.peers import networks_jax, transformer_jax  # noqa: E402
from examples import (  # noqa: E402
    all_convolutional,
    digits,
    l2hmc,
    newton_cg,
    resnet50,
    transformer,
    word_segmentation,
)
from examples.newton_cg_derivatives import Differentiated  # noqa: E402

DEVICES = 8
RATE = np.float32(1e-3)
Made = tuple[Callable[..., Any], list[Any]]


def mesh(*shape: int) -> Any:
    names = ("data", "model")[: len(shape)]
    return jax.make_mesh(shape, names, axis_types=(AxisType.Auto,) * len(shape))


def mapped(change: Callable[[np.ndarray], Any], x: Any) -> Any:
    """A structure with other arrays."""
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return type(x)(*[mapped(change, getattr(x, f.name)) for f in dataclasses.fields(x)])
    if isinstance(x, (tuple, list)):
        parts = [mapped(change, part) for part in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    return change(x) if isinstance(x, (np.ndarray, jax.Array)) else x


def split(x: np.ndarray) -> Any:
    """An array over all devices, along its first axis that they divide."""
    axis = next((i for i, n in enumerate(x.shape) if n and n % DEVICES == 0), None)
    spec = P() if axis is None else P(*[None] * axis, "data")
    return jax.device_put(x, NamedSharding(mesh(DEVICES), spec))


def gradients() -> dict[str, Callable[[np.random.Generator], Made]]:
    """Of the examples, of small sizes."""

    def networks(module: Any, make: Callable[[Any], Any], *sizes: int) -> Any:
        return lambda rng: (module.step, [make(rng), *module.make_batch(rng, 8, *sizes), RATE])

    def chains(rng: Any) -> Made:
        sampler, x = l2hmc.make_sampler(rng), rng.standard_normal((64, 2))
        momenta, masks, _ = l2hmc.make_numbers(rng, 1, 64)
        slopes = pyxla.value_and_grad(l2hmc.loss, has_aux=True)
        return slopes, [sampler, x, momenta[0], masks, l2hmc.signs(64)]

    def blocks(rng: Any) -> Made:
        x, target = (rng.standard_normal((64, 64), np.float32) for _ in range(2))
        return transformer.step, [transformer.make_blocks(rng, 2, 64), x, target, 4, RATE]

    def words(rng: Any) -> Made:
        text = rng.integers(0, 27, 64).astype(np.int32)
        return word_segmentation.score_and_slopes, [word_segmentation.make_model(rng), text, 8]

    def trained(rng: Any) -> Made:
        layers = digits.make_layers(rng)
        images, labels = rng.random((64, 8, 8, 1), np.float32), np.arange(64) % 10
        orders = digits.make_orders(rng, 1, 64)
        return digits.train, [layers, digits.make_optimizer(layers), images, labels, orders, 16]

    def minimum(rng: Any) -> Made:
        problem, x = newton_cg.make_logistic(rng, 400, 40)
        return newton_cg.newton_cg, [Differentiated(problem), x, 20, 1e-6]

    return {
        "transformer": blocks,
        "resnet50": networks(resnet50, lambda rng: resnet50.make_network(rng, (1, 1), 8, 8), 32, 8),
        "all_convolutional": networks(
            all_convolutional, lambda rng: all_convolutional.make_network(rng, 8)
        ),
        "l2hmc": chains,
        "word_segmentation": words,
        "digits": trained,
        "newton_cg": minimum,
    }


def flat(x: Any) -> list[Any]:
    """The numbers and arrays of a structure."""
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return [leaf for f in dataclasses.fields(x) for leaf in flat(getattr(x, f.name))]
    if isinstance(x, (tuple, list)):
        return [leaf for part in x for leaf in flat(part)]
    return [] if x is None or callable(x) else [x]


def arrays(x: Any) -> list[Any]:
    return [leaf for leaf in flat(x) if hasattr(leaf, "ndim")]


def local(x: Any) -> list[np.ndarray]:
    return [np.asarray(leaf) for leaf in flat(x)]


def row(name: str, clone: str) -> str:
    """One program on one device and on eight."""
    jax.config.update("jax_enable_x64", True)
    if clone:
        sys.path.insert(0, clone)
        function, args, allowed = npbench.load(Path(clone), name, "S")
    else:
        function, args = gradients()[name](np.random.default_rng(0))
        allowed = 1e-4
    # What it writes is part of the result: arrays of JAX are not written.
    program = pyxla.functional(function)
    one = program(*copy.deepcopy(args))
    given = mapped(split, args)
    many = program(*given)

    def nearby() -> list[Any]:
        return local(program(*mapped(npbench.moved, args)))

    try:
        npbench.check(local(many), local(one), allowed, nearby)
        words = "equal"
    except AssertionError as wrong:
        words = str(wrong)
    return f"{name:24} {words:16} {talk(program, given)}"


def talk(program: Any, given: Any) -> str:
    """How its devices communicate."""
    arrays: list[Any] = []
    mapped(arrays.append, given)

    def call(*arrays: Any) -> Any:
        rest = iter(arrays)
        return flat(program(*mapped(lambda _: next(rest), given)))

    try:
        compiled = jax.jit(call).lower(*arrays).compile()
    except (pyxla.CompileError, TypeError, jax.errors.JAXTypeError):
        return "results have no sizes under jax.jit"
    count, size = told(compiled, mesh(DEVICES))
    gathered = compiled.as_text().count(" all-gather(")
    return f"{count:4} collectives {size:11} bytes, {gathered:2} gather"


def transformer_steps(rng: Any) -> dict[str, Any]:
    """A training step of ours and of JAX's, each with parameters; and the batch."""
    x, target = rng.standard_normal((2, 64, 128), np.float32)
    blocks = transformer.make_blocks(rng, 4, 128)

    def theirs(blocks: Any, x: Any, target: Any) -> Any:
        def loss(blocks: Any) -> Any:
            return jnp.mean((transformer_jax.encoder(blocks, x, 4) - target) ** 2)

        value, slopes = jax.value_and_grad(loss)(blocks)
        return value, jax.tree.map(lambda p, slope: p - RATE * slope, blocks, slopes)

    def ours(blocks: Any, x: Any, target: Any) -> Any:
        return step(blocks, x, target, 4, RATE)

    step = pyxla.compile(transformer.step)
    return {"pyxla": (ours, blocks), "jax": (theirs, blocks), "batch": (x, target)}


def resnet50_steps(rng: Any) -> dict[str, Any]:
    """The same of a residual network."""
    network = resnet50.make_network(rng, width=8, classes=16)

    def theirs(params: Any, images: Any, labels: Any) -> Any:
        return networks_jax.step(networks_jax.resnet50, params, images, labels, RATE)

    def ours(leaves: Any, images: Any, labels: Any) -> Any:
        rest = iter(leaves)
        value, stepped = step(mapped(lambda _: next(rest), network), images, labels, RATE)
        return value, arrays(stepped)

    step, params = pyxla.compile(resnet50.step), networks_jax.resnet50_parameters(network)
    batch = resnet50.make_batch(rng, 8, 32, 16)
    return {"pyxla": (ours, arrays(network)), "jax": (theirs, params), "batch": batch}


def both(name: str, make: Callable[[Any], dict[str, Any]]) -> str:
    """What a step communicates over 4x2 devices, and its time over that of JAX's."""
    over, made = mesh(4, 2), make(np.random.default_rng(0))
    batch = [jax.device_put(x, NamedSharding(over, P("data"))) for x in made.pop("batch")]
    sides, words, sums = {}, [], []
    for side, (function, params) in made.items():
        given = jax.tree.map(lambda x: jax.device_put(x, NamedSharding(over, columns(x))), params)
        compiled = jax.jit(function).lower(given, *batch).compile()
        sides[side] = functools.partial(ready, compiled, given, *batch)
        count, size = told(compiled, over)
        words.append(f"{side} {count} collectives {size} bytes")
        sums.append(sum([float(jnp.abs(x).sum()) for x in jax.tree.leaves(sides[side]())]))
    times = interleaved(sides, 5)
    same = "equal" if np.allclose(*sums, rtol=1e-4) else "DIFFERS"
    return f"{name} {same}: {', '.join(words)}, time {times['pyxla'] / times['jax']:.2f} of JAX's"


def columns(x: np.ndarray) -> Any:
    """How a parameter lies: matrices and kernels by their columns."""
    return P(*[None] * (x.ndim - 1), "model") if x.ndim > 1 else P()


def ready(call: Callable[..., Any], *args: Any) -> Any:
    return jax.block_until_ready(call(*args))


STEPS = {"transformer step": transformer_steps, "ResNet-50 step": resnet50_steps}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sharded")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    parser.add_argument("--npbench", default="", metavar="CLONE")
    options = parser.parse_intermixed_args()
    names = options.programs or list(gradients())
    if options.npbench and not options.programs:
        infos = sorted((Path(options.npbench) / "bench_info").glob("*.json"))
        names = [info.stem for info in infos]
    equal = 0
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as pool:
        for name in names:
            try:
                line = pool.submit(row, name, options.npbench).result()
            except Exception as error:  # noqa: BLE001 - a row says so
                line = f"{name:24} {type(error).__name__}: {str(error).splitlines()[0]}"
            equal += " equal " in line
            print(line, flush=True)
    print(f"{equal} of {len(names)} equal one device")
    if not options.npbench and not options.programs:
        for name, make in STEPS.items():
            print(both(name, make), flush=True)


if __name__ == "__main__":
    main()
