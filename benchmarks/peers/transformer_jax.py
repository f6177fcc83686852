"""The stack of 12 transformer blocks as hand-written for `jax.jit`."""

from functools import partial

import jax
import jax.numpy as jnp


def layer_norm(x, gain, shift):
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = jnp.mean(centered * centered, axis=-1, keepdims=True)
    return centered / jnp.sqrt(variance + 1e-5) * gain + shift


def softmax(x):
    e = jnp.exp(x - jnp.max(x, axis=-1, keepdims=True))
    return e / jnp.sum(e, axis=-1, keepdims=True)


def gelu(x):
    return 0.5 * x * (1 + jnp.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


def attention(block, x, heads):
    n, width = x.shape
    qkv = (x @ block.qkv).reshape(n, 3, heads, width // heads)
    q, k, v = qkv.transpose(1, 2, 0, 3)
    weights = softmax(q @ k.swapaxes(-1, -2) / jnp.sqrt(jnp.float32(width // heads)))
    return (weights @ v).transpose(1, 0, 2).reshape(n, width) @ block.out


@partial(jax.jit, static_argnums=2)
def encoder(blocks, x, heads):
    for block in blocks:
        x = x + attention(block, layer_norm(x, block.gain1, block.shift1), heads)
        y = layer_norm(x, block.gain2, block.shift2)
        x = x + gelu(y @ block.up + block.up_bias) @ block.down + block.down_bias
    return x
