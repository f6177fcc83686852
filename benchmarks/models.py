"""Models with derivatives against the same written for `jax.jit`, and against JAX op by op.

Arguments lie where JAX puts them, on both sides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import jax
import numpy as np

import pyxla
from benchmarks.measure import Row, faster_than, interleaved
from benchmarks.peers import l2hmc_jax, networks_jax, roberta_jax, word_segmentation_jax
from examples import all_convolutional, l2hmc, resnet50, roberta, word_segmentation

Sides = dict[str, Callable[[], Any]]
RATE = np.float32(1e-3)


def on_device(x: Any) -> Any:
    """A structure with its arrays where JAX puts them."""
    if is_dataclass(x) and not isinstance(x, type):
        return type(x)(*[on_device(getattr(x, f.name)) for f in fields(x)])
    if isinstance(x, tuple):
        parts = [on_device(part) for part in x]
        return tuple(parts) if type(x) is tuple else type(x)(*parts)
    return jax.device_put(x) if isinstance(x, np.ndarray) else x


def both(ours: Callable[[], Any], theirs: Callable[[], Any]) -> Sides:
    """Two sides that wait for their results."""
    return {
        "pyxla": lambda: jax.block_until_ready(ours()),
        "jax": lambda: jax.block_until_ready(theirs()),
    }


def resnet50_calls() -> Sides:
    rng = np.random.default_rng(0)
    network = on_device(resnet50.make_network(rng, width=8, classes=10))
    batch = on_device(resnet50.make_batch(rng, 4, 64, 10))
    ours, params = pyxla.compile(resnet50.step), networks_jax.resnet50_parameters(network)
    return both(
        lambda: arrays(ours(network, *batch, RATE)),
        lambda: networks_jax.step(networks_jax.resnet50, params, *batch, RATE),
    )


def all_convolutional_calls() -> Sides:
    rng = np.random.default_rng(0)
    network = on_device(all_convolutional.make_network(rng, 4))
    batch = on_device(all_convolutional.make_batch(rng, 16))
    ours = pyxla.compile(all_convolutional.step)
    params = networks_jax.all_convolutional_parameters(network)
    return both(
        lambda: arrays(ours(network, *batch, RATE)),
        lambda: networks_jax.step(networks_jax.all_convolutional, params, *batch, RATE),
    )


def roberta_calls() -> Sides:
    rng = np.random.default_rng(0)
    model = on_device(roberta.make_model(rng, 4, 128, 1000, 64))
    batch = on_device(roberta.make_batch(rng, 4, 64, 1000))
    ours, params = pyxla.compile(roberta.step), roberta_jax.parameters(model)
    return both(
        lambda: arrays(ours(model, *batch, 4, RATE)),
        lambda: roberta_jax.step(params, *batch, 4, RATE),
    )


def arrays(x: Any) -> Any:
    """What to wait for: one array of all that a call returns at once."""
    while isinstance(x, tuple):
        x = x[0]
    return x


def l2hmc_data(rounds: int = 20, chains: int = 64) -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    sampler, x = l2hmc.make_sampler(rng), rng.standard_normal((chains, 2))
    return on_device((sampler, x, *l2hmc.make_numbers(rng, rounds, chains)))


def l2hmc_slopes(sampler: Any, x: Any, v: Any, masks: Any, sign: Any) -> Any:
    (value, _), slopes = pyxla.value_and_grad(l2hmc.loss, has_aux=True)(sampler, x, v, masks, sign)
    return value, slopes


def l2hmc_calls() -> Sides:
    sampler, x, momenta, masks, _ = l2hmc_data()
    params, sign = l2hmc_jax.parameters(sampler), on_device(l2hmc.signs(x.shape[0]))
    v, ours = momenta[0], pyxla.compile(l2hmc_slopes)
    return both(
        lambda: arrays(ours(sampler, x, v, masks, sign)),
        lambda: l2hmc_jax.loss_and_slopes(params, x, v, masks, sign),
    )


def word_segmentation_calls() -> Sides:
    rng = np.random.default_rng(0)
    model = on_device(word_segmentation.make_model(rng))
    text = on_device(rng.integers(0, 27, 100).astype(np.int32))
    ours = pyxla.compile(word_segmentation.score_and_slopes)
    params = word_segmentation_jax.parameters(model)
    return both(
        lambda: ours(model, text, 8),
        lambda: word_segmentation_jax.score_and_slopes(params, text, 8),
    )


CALLS: dict[str, Callable[[], Sides]] = {
    "ResNet-50 step, widths / 8, 64x64 images, batch 4": resnet50_calls,
    "all-convolutional network's step, widths / 4, batch 16": all_convolutional_calls,
    "masked language model's step, 4 blocks, width 128": roberta_calls,
    "segmental language model, 100 letters, score and gradient": word_segmentation_calls,
}
CALLS_64 = {"L2HMC, 64 chains, loss and gradient": l2hmc_calls}


def eager_section(repetitions: int) -> list[Row]:
    """Whole programs against JAX op by op: the published figures are against eager TensorFlow."""
    rows = []
    with jax.enable_x64(True):
        sampler, x, *numbers = l2hmc_data(2)
        params, sign = l2hmc_jax.parameters(sampler), on_device(l2hmc.signs(x.shape[0]))
        draw = pyxla.compile(l2hmc.sample)
        sides = both(
            lambda: draw(sampler, x, *numbers)[0],
            lambda: l2hmc_jax.sample(params, x, *numbers, sign),
        )
        rows.append(against_eager("L2HMC sampling, 64 chains", sides, repetitions, 10))
    sides = word_segmentation_calls()
    title = "segmental language model's gradient"
    rows.append(against_eager(title, sides, repetitions, 1.59))  # 1 / 0.63
    return rows


def against_eager(title: str, sides: Sides, repetitions: int, factor: float) -> Row:
    compiled = sides["jax"]

    def eager() -> Any:
        with jax.disable_jit():
            return compiled()

    t = interleaved({"pyxla": sides["pyxla"], "jax": eager}, min(repetitions, 3), 0.02)
    return faster_than(f"{title}, against jax op by op", t["pyxla"], t["jax"], factor)
