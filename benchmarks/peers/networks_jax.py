"""Training steps of convolutional networks as hand-written for `jax.jit`: parameters as pytrees."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


def conv(x, weight, stride):
    return lax.conv_general_dilated(
        x, weight, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def batch_norm(x, scale, shift):
    mean = x.mean(axis=(0, 1, 2))
    centered = x - mean
    variance = jnp.mean(centered * centered, axis=(0, 1, 2))
    return centered * (scale / jnp.sqrt(variance + 1e-5)) + shift


def cross_entropy(logits, labels):
    z = logits - jnp.max(logits, axis=1, keepdims=True)
    picked = jnp.take_along_axis(z, labels[:, None], axis=1)[:, 0]
    return jnp.mean(jnp.log(jnp.sum(jnp.exp(z), axis=1)) - picked)


def all_convolutional(params, x):
    for (weight, bias), stride in zip(params, (1, 1, 2, 1, 1, 2, 1, 1, 1), strict=True):
        x = jax.nn.relu(conv(x, weight, stride) + bias)
    return x.mean(axis=(1, 2))


def unit(params, x, stride=1):
    weight, scale, shift = params
    return batch_norm(conv(x, weight, stride), scale, shift)


def resnet50(params, x):
    stem, blocks, (weight, bias) = params
    x = jax.nn.relu(unit(stem, x, 2))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    for stride, (narrow, square, wide, shortcut) in blocks_and_strides(blocks):
        y = jax.nn.relu(unit(narrow, x))
        y = unit(wide, jax.nn.relu(unit(square, y, stride)))
        x = jax.nn.relu(y + (x if shortcut is None else unit(shortcut, x, stride)))
    return x.mean(axis=(1, 2)) @ weight + bias


def blocks_and_strides(blocks):
    """The first block of each stage but the first halves the image."""
    for k, block in enumerate(blocks):
        yield (2 if k > 0 and block[3] is not None else 1), block


@partial(jax.jit, static_argnums=0)
def step(logits, params, images, labels, rate):
    def loss(params):
        return cross_entropy(logits(params, images), labels)

    value, slopes = jax.value_and_grad(loss)(params)
    return value, jax.tree.map(lambda p, slope: p - rate * slope, params, slopes)


def all_convolutional_parameters(network):
    return [(layer.weight, layer.bias) for layer in network]


def resnet50_parameters(network):
    def of_unit(unit):
        return None if unit is None else (unit.conv.weight, unit.norm.scale, unit.norm.shift)

    blocks = [
        tuple(of_unit(u) for u in (b.narrow, b.square, b.wide, b.shortcut)) for b in network.blocks
    ]
    return of_unit(network.stem), blocks, (network.classifier.weight, network.classifier.bias)
