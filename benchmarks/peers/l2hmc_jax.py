"""L2HMC as hand-written for `jax.jit`: a scan over leapfrog steps, one over rounds."""

import jax
import jax.numpy as jnp
from jax import lax

from examples.l2hmc import MEANS, STEPS, VARIANCE


def net(params, a, b, time):
    (w1, b1), (w2, b2), (ws, bs), (wt, bt), (wf, bf) = params
    h = jnp.maximum(jnp.concatenate([a, b, time + jnp.zeros_like(a)], axis=1) @ w1 + b1, 0)
    h = jnp.maximum(h @ w2 + b2, 0)
    return jnp.tanh(h @ ws + bs), h @ wt + bt, jnp.tanh(h @ wf + bf)


def energy(x):
    return -jax.nn.logsumexp(
        -jnp.sum((x[:, None, :] - MEANS) ** 2, axis=2) / (2 * VARIANCE), axis=1
    )


force = jax.grad(lambda x: jnp.sum(energy(x)))


def propose(params, x, v, masks, sign):
    momentum, position, log_size = params
    size = jnp.exp(log_size)

    def kick(x, v, time):
        slope = force(x)
        stretch, shift, strength = net(momentum, x, slope, time)
        log = 0.5 * size * sign * stretch
        push = 0.5 * size * (slope * jnp.exp(size * strength) + shift)
        scale = jnp.exp(log)
        return jnp.where(sign > 0, v * scale - push, (v + push) * scale), jnp.sum(log, axis=1)

    def drift(x, v, mask, time):
        stretch, shift, strength = net(position, v, mask * x, time)
        log = size * sign * stretch
        push = size * (v * jnp.exp(size * strength) + shift)
        scale = jnp.exp(log)
        moved = jnp.where(sign > 0, x * scale + push, (x - push) * scale)
        return mask * x + (1 - mask) * moved, jnp.sum((1 - mask) * log, axis=1)

    def step(state, inputs):
        x, v, volume = state
        ahead, back, mask, other = inputs
        time = jnp.where(sign > 0, ahead, back)
        mask = jnp.where(sign > 0, mask, 1 - other)
        v, kicked = kick(x, v, time)
        x, moved = drift(x, v, mask, time)
        x, rest = drift(x, v, 1 - mask, time)
        v, again = kick(x, v, time)
        return (x, v, volume + kicked + moved + rest + again), None

    angles = 2 * jnp.pi * jnp.arange(STEPS) / STEPS
    clock = jnp.stack([jnp.cos(angles), jnp.sin(angles)], axis=1)
    inputs = (clock, clock[::-1], masks, masks[::-1])
    return lax.scan(step, (x, v, jnp.zeros(x.shape[0])), inputs)[0]


def chances(x, v, new_x, new_v, volume):
    before = energy(x) + 0.5 * jnp.sum(v * v, axis=1)
    after = energy(new_x) + 0.5 * jnp.sum(new_v * new_v, axis=1)
    return jnp.exp(jnp.minimum(before - after + volume, 0))


@jax.jit
@jax.value_and_grad
def loss_and_slopes(params, x, v, masks, sign):
    new_x, new_v, volume = propose(params, x, v, masks, sign)
    chance = chances(x, v, new_x, new_v, volume)
    distance = jnp.sum((new_x - x) ** 2, axis=1) * chance + 1e-4
    return jnp.mean(1 / distance - distance)


@jax.jit
def sample(params, x, momenta, masks, draws, sign):
    def round(x, inputs):
        v, draw = inputs
        new_x, new_v, volume = propose(params, x, v, masks, sign)
        chance = chances(x, v, new_x, new_v, volume)
        x = jnp.where((draw < chance)[:, None], new_x, x)
        return x, (x, jnp.mean(chance))

    _, (points, accepted) = lax.scan(round, x, (momenta, draws))
    return points, jnp.mean(accepted)


def parameters(sampler):
    """The example's sampler as this version's parameters."""

    def of(net):
        layers = (net.first, net.second, net.stretch, net.shift, net.force)
        return [(layer.weight, layer.bias) for layer in layers]

    return of(sampler.momentum), of(sampler.position), sampler.log_size
