"""A stack of 12 transformer encoder blocks (Vaswani et al. 2017, pre-norm), and a training step.

Blocks are NamedTuples in a tuple; attention heads are one batched product.
"""

from typing import NamedTuple

import numpy as np

import pyxla


class Block(NamedTuple):
    """The parameters of one block: attention, feed-forward, and the two norms before them."""

    qkv: np.ndarray
    out: np.ndarray
    up: np.ndarray
    up_bias: np.ndarray
    down: np.ndarray
    down_bias: np.ndarray
    gain1: np.ndarray
    shift1: np.ndarray
    gain2: np.ndarray
    shift2: np.ndarray


def layer_norm(x, gain, shift):
    mean = x.mean(axis=-1, keepdims=True)
    centered = x - mean
    variance = np.mean(centered * centered, axis=-1, keepdims=True)
    return centered / np.sqrt(variance + 1e-5) * gain + shift


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


def attention(block, x, heads):
    n, width = x.shape
    qkv = (x @ block.qkv).reshape(n, 3, heads, width // heads)
    q, k, v = qkv.transpose(1, 2, 0, 3)
    weights = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(np.float32(width // heads)))
    mixed = (weights @ v).transpose(1, 0, 2).reshape(n, width)
    return mixed @ block.out


def encoder(blocks, x, heads):
    for block in blocks:
        x = x + attention(block, layer_norm(x, block.gain1, block.shift1), heads)
        y = layer_norm(x, block.gain2, block.shift2)
        y = gelu(y @ block.up + block.up_bias) @ block.down + block.down_bias
        x = x + y
    return x


def loss(blocks, x, target, heads):
    """Mean squared error of the last block's results."""
    return np.mean((encoder(blocks, x, heads) - target) ** 2)


def loss_and_slopes(blocks, x, target, heads):
    return pyxla.value_and_grad(loss)(blocks, x, target, heads)


def step(blocks, x, target, heads, rate):
    """One step of gradient descent: the loss before it, the new blocks."""
    value, slopes = loss_and_slopes(blocks, x, target, heads)
    stepped = [
        Block(*[p - rate * slope for p, slope in zip(block, down)])
        for block, down in zip(blocks, slopes)
    ]
    return value, tuple(stepped)


def make_blocks(rng, count=12, width=256):
    def matrix(rows, cols):
        return rng.standard_normal((rows, cols), np.float32) / np.float32(np.sqrt(rows))

    ones, zeros = np.ones(width, np.float32), np.zeros(width, np.float32)
    return tuple(
        Block(
            matrix(width, 3 * width),
            matrix(width, width),
            matrix(width, 4 * width),
            np.zeros(4 * width, np.float32),
            matrix(4 * width, width),
            zeros,
            ones,
            zeros,
            ones,
            zeros,
        )
        for _ in range(count)
    )


def main():
    """Run the stack compiled and plain, and compare; then some steps of training."""
    rng = np.random.default_rng(0)
    blocks = make_blocks(rng)
    x = rng.standard_normal((64, 256), np.float32)
    compiled = pyxla.compile(encoder)(blocks, x, 4)
    plain = encoder(blocks, x, 4)
    print("12 blocks, 64 tokens, width 256: largest difference", np.abs(compiled - plain).max())
    np.testing.assert_allclose(compiled, plain, rtol=1e-3, atol=1e-3)
    target, descend = rng.standard_normal((64, 256), np.float32), pyxla.compile(step)
    losses = []
    for _ in range(5):
        value, blocks = descend(blocks, x, target, 4, np.float32(0.002))
        losses.append(f"{value:.3f}")
    print("losses of 5 training steps:", ", ".join(losses))


if __name__ == "__main__":
    main()
