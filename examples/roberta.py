"""A training step of a masked language model of the shape of RoBERTa-base (Liu et al. 2019).

Token and position embeddings, encoder blocks that are normalized after each part, and scores of all
tokens by the embeddings themselves. The loss is of one sequence; a batch is its `vmap`. Weights and
tokens are random.
"""

import time
from dataclasses import dataclass

import numpy as np

import pyxla
from examples.layers import descended
from examples.transformer import attention, gelu, layer_norm, make_blocks


@dataclass
class Model:
    """tokens: (vocabulary, width).  positions: (longest, width).  blocks: of `transformer.py`."""

    tokens: np.ndarray
    positions: np.ndarray
    gain: np.ndarray
    shift: np.ndarray
    blocks: tuple


def encoded(model, tokens, heads):
    """What the blocks make of a sequence: (length, width)."""
    x = model.tokens[tokens] + model.positions[: tokens.size]
    x = layer_norm(x, model.gain, model.shift)
    for block in model.blocks:
        x = layer_norm(x + attention(block, x, heads), block.gain1, block.shift1)
        y = gelu(x @ block.up + block.up_bias) @ block.down + block.down_bias
        x = layer_norm(x + y, block.gain2, block.shift2)
    return x


def loss(model, tokens, masked, targets, heads):
    """Mean surprise at the tokens of one sequence that were masked."""
    scores = encoded(model, tokens, heads)[masked] @ model.tokens.T
    scores = scores - np.max(scores, axis=1, keepdims=True)
    picked = np.take_along_axis(scores, targets[:, None], axis=1)[:, 0]
    return np.mean(np.log(np.sum(np.exp(scores), axis=1)) - picked)


def mean_loss(model, tokens, masked, targets, heads):
    one = pyxla.vmap(loss, in_axes=(None, 0, 0, 0, None))
    return np.mean(one(model, tokens, masked, targets, heads))


def step(model, tokens, masked, targets, heads, rate):
    """One step of training: the loss before it, the new model."""
    value, slopes = pyxla.value_and_grad(mean_loss)(model, tokens, masked, targets, heads)
    return value, descended(model, slopes, rate)


def make_model(rng, count=12, width=768, vocabulary=50265, longest=512):
    def embeddings(rows):
        return 0.02 * rng.standard_normal((rows, width), np.float32)

    blocks = make_blocks(rng, count, width)
    ones, zeros = np.ones(width, np.float32), np.zeros(width, np.float32)
    return Model(embeddings(vocabulary), embeddings(longest), ones, zeros, blocks)


def make_batch(rng, count, length, vocabulary=50265):
    """Sequences in which every seventh token is masked: tokens, their places, what was there."""
    tokens = rng.integers(1, vocabulary, (count, length)).astype(np.int32)
    masked = np.tile(np.arange(0, length, 7, dtype=np.int32), (count, 1))
    targets = np.take_along_axis(tokens, masked, axis=1)
    np.put_along_axis(tokens, masked, 0, axis=1)
    return tokens, masked, targets


def main():
    """Some steps of a small model on one batch: the loss falls."""
    rng = np.random.default_rng(0)
    model, batch = make_model(rng, 4, 128, 1000, 64), make_batch(rng, 4, 64, 1000)
    learn = pyxla.compile(step)
    for k in range(5):
        start = time.perf_counter()
        value, model = learn(model, *batch, 4, np.float32(0.1))
        print(f"step {k}: loss {value:.4f}, {time.perf_counter() - start:.3f} s")


if __name__ == "__main__":
    main()
