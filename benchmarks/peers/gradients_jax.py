"""Gradients of the hand-written versions, taken by `jax.grad` and `jax.jvp`."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax

from benchmarks.peers import newton_cg_jax, transformer_jax, vgg19_jax


def total(params, images):
    return jnp.sum(vgg19_jax.vgg19(params, images))


vgg19_gradient = jax.jit(jax.grad(total))


def loss(blocks, x, target, heads):
    return jnp.mean((transformer_jax.encoder(blocks, x, heads) - target) ** 2)


transformer_step = jax.jit(jax.value_and_grad(loss), static_argnums=3)


def differentiated(value):
    gradient = jax.grad(value)
    return value, gradient, lambda x, v: jax.jvp(gradient, (x,), (v,))[1]


@partial(jax.jit, static_argnums=(0, 5))
def newton(make, problem, x, iterations, tolerance, sizes):
    value = make(problem, *sizes)[0]
    return newton_cg_jax.minimize(differentiated(value), x, iterations, tolerance)


def newton_call(name, problem, x):
    """The jitted optimizer and arguments, derivatives taken of the value."""
    if name == "convex quadratic":
        return newton, (newton_cg_jax.quadratic, (problem.a, problem.b), x, 50, 1e-6, ())
    if name == "logistic regression":
        data = (problem.features, problem.labels, problem.penalty)
        return newton, (newton_cg_jax.logistic, data, x, 50, 1e-6, ())
    data, sizes = (problem.observed, problem.penalty), (problem.states, problem.symbols)
    return newton, (newton_cg_jax.markov, data, x, 50, 1e-6, sizes)


@jax.jit
@jax.grad
def updates(a):
    def step(before, here):
        here = 0.9 * jnp.sin(before) + here
        return here, here

    return a[0] + jnp.sum(lax.scan(step, a[0], a[1:])[1])
