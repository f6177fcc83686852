"""Training on digits as hand-written for `jax.jit`: scans over epochs and minibatches."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


def conv(x, weight, bias):
    y = lax.conv_general_dilated(
        x, weight, (1, 1), ((1, 1), (1, 1)), dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    y = jnp.maximum(y + bias, 0)
    n, rows, columns, channels = y.shape
    return y.reshape(n, rows // 2, 2, columns // 2, 2, channels).max(axis=(2, 4))


def loss(params, images, labels):
    (w1, b1), (w2, b2), (w3, b3) = params
    x = conv(conv(images, w1, b1), w2, b2)
    z = x.reshape(x.shape[0], -1) @ w3 + b3
    z = z - jnp.max(z, axis=1, keepdims=True)
    picked = jnp.take_along_axis(z, labels[:, None], axis=1)[:, 0]
    return jnp.mean(jnp.log(jnp.sum(jnp.exp(z), axis=1)) - picked)


@partial(jax.jit, static_argnums=6)
def train(params, velocities, settings, images, labels, orders, batch):
    """The new parameters and velocities, and the mean loss of each epoch."""
    rate, decay = settings

    def step(state, chosen):
        params, velocities = state
        value, slopes = jax.value_and_grad(loss)(params, images[chosen], labels[chosen])
        velocities = jax.tree.map(lambda v, s: decay * v + s, velocities, slopes)
        params = jax.tree.map(lambda p, v: p - rate * v, params, velocities)
        return (params, velocities), value

    def epoch(state, order):
        whole = order.size // batch * batch
        state, values = lax.scan(step, state, order[:whole].reshape(-1, batch))
        return state, jnp.mean(values)

    return lax.scan(epoch, (params, velocities), orders)


def parameters(layers):
    """The example's layers as this version's parameters."""
    return [(layer.weight, layer.bias) for layer in layers]
