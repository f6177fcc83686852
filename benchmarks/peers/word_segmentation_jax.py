"""The segmental language model as hand-written for `jax.jit`: scans, states and scores stacked."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


def cell(params, state, letters):
    inputs, states, bias = params
    width = state.shape[1]
    x = letters @ inputs + bias
    h = state @ states
    gates = jax.nn.sigmoid(x[:, : 2 * width] + h[:, : 2 * width])
    reset, update = gates[:, :width], gates[:, width:]
    candidate = jnp.tanh(x[:, 2 * width :] + reset * h[:, 2 * width :])
    return update * state + (1 - update) * candidate


def word_scores(model, text, longest):
    embedding, reader, speller, output = model
    n, end = text.size, embedding.shape[0] - 1

    def read(state, letter):
        return cell(reader, state, embedding[letter][None]), state[0]

    _, states = lax.scan(read, jnp.zeros((1, embedding.shape[1]), embedding.dtype), text)
    places = jnp.arange(n)

    def spell(carry, k):
        state, spelled, letters = carry
        state = cell(speller, state, embedding[letters])
        letters = text[jnp.minimum(places + k, n - 1)]
        spelled = spelled + jax.nn.log_softmax(state @ output)[places, letters]
        after = cell(speller, state, embedding[letters])
        whole = spelled + jax.nn.log_softmax(after @ output)[:, end]
        return (state, spelled, letters), jnp.where(places + k < n, whole, -jnp.inf)

    init = (states, jnp.zeros(n, embedding.dtype), jnp.full(n, end, text.dtype))
    return lax.scan(spell, init, jnp.arange(longest))[1]


def total(words):
    longest, n = words.shape
    lengths = jnp.arange(longest)
    before = jnp.full(longest, -jnp.inf, words.dtype).at[0].set(0)

    def step(before, t):
        here = jax.nn.logsumexp(before + words[lengths, t - lengths])
        return jnp.concatenate([here[None], before[:-1]]), None

    return lax.scan(step, before, jnp.arange(n))[0][0]


@partial(jax.jit, static_argnums=2)
@jax.value_and_grad
def score_and_slopes(model, text, longest):
    return total(word_scores(model, text, longest))


def parameters(model):
    """The example's model as this version's parameters."""
    return model.embedding, tuple(model.reader), tuple(model.speller), model.output
