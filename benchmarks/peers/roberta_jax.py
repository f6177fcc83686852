"""The masked language model's training step as hand-written for `jax.jit`."""

from functools import partial

import jax
import jax.numpy as jnp

from benchmarks.peers.transformer_jax import attention, gelu, layer_norm


def loss(params, tokens, masked, targets, heads):
    embeddings, positions, gain, shift, blocks = params
    x = layer_norm(embeddings[tokens] + positions[: tokens.size], gain, shift)
    for block in blocks:
        x = layer_norm(x + attention(block, x, heads), block.gain1, block.shift1)
        y = gelu(x @ block.up + block.up_bias) @ block.down + block.down_bias
        x = layer_norm(x + y, block.gain2, block.shift2)
    scores = jax.nn.log_softmax(x[masked] @ embeddings.T)
    return -jnp.mean(jnp.take_along_axis(scores, targets[:, None], axis=1))


@partial(jax.jit, static_argnums=4)
def step(params, tokens, masked, targets, heads, rate):
    def mean_loss(params):
        one = jax.vmap(lambda *given: loss(params, *given, heads))
        return jnp.mean(one(tokens, masked, targets))

    value, slopes = jax.value_and_grad(mean_loss)(params)
    return value, jax.tree.map(lambda p, slope: p - rate * slope, params, slopes)


def parameters(model):
    """The example's model as this version's parameters."""
    return model.tokens, model.positions, model.gain, model.shift, model.blocks
