"""Truncated Newton-CG as hand-written for `jax.jit`: `lax.while_loop`, `lax.scan`, pure updates."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


def quadratic(problem):
    a, b = problem
    return (
        lambda x: 0.5 * (x @ (a @ x)) - b @ x,
        lambda x: a @ x - b,
        lambda x, v: a @ v,
    )


def logistic(problem):
    features, labels, penalty = problem
    size = labels.size

    def value(x):
        z = features @ x
        loss = jnp.maximum(z, 0) - z * labels + jnp.log1p(jnp.exp(-jnp.abs(z)))
        return jnp.mean(loss) + 0.5 * penalty * (x @ x)

    def gradient(x):
        p = 1 / (1 + jnp.exp(-(features @ x)))
        return features.T @ (p - labels) / size + penalty * x

    def hessian_vector(x, v):
        p = 1 / (1 + jnp.exp(-(features @ x)))
        return features.T @ (p * (1 - p) * (features @ v)) / size + penalty * v

    return value, gradient, hessian_vector


def softmax_rows(z):
    e = jnp.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def softmax_rows_tangent(p, v):
    return p * (v - jnp.sum(p * v, axis=1, keepdims=True))


def markov(problem, states, symbols):
    observed, penalty = problem
    steps = observed.size

    def split(x):
        n = states
        return x[: n * n].reshape(n, n), x[n * n :].reshape(n, symbols)

    def tables(x):
        za, zb = split(x)
        return softmax_rows(za), softmax_rows(zb)

    def forward(a, b):
        def step(message, o):
            message = message * b[:, o]
            scale = jnp.sum(message)
            alpha = message / scale
            return alpha @ a, (alpha, scale)

        return lax.scan(step, jnp.full(states, 1.0 / states), observed)[1]

    def forward_tangent(a, b, da, db, alpha, scale):
        def step(carry, inputs):
            message, dmessage = carry
            o, alpha_t, scale_t = inputs
            dmessage = dmessage * b[:, o] + message * db[:, o]
            dscale = jnp.sum(dmessage)
            dalpha = (dmessage - alpha_t * dscale) / scale_t
            return (alpha_t @ a, dalpha @ a + alpha_t @ da), (dalpha, dscale)

        first = jnp.full(states, 1.0 / states)
        return lax.scan(step, (first, jnp.zeros(states)), (observed, alpha, scale))[1]

    def value(x):
        _, scale = forward(*tables(x))
        return -jnp.mean(jnp.log(scale)) + 0.5 * penalty * (x @ x)

    def gradient(x):
        a, b = tables(x)
        alpha, scale = forward(a, b)

        def step(carry, inputs):
            beta, count, seen = carry
            o, alpha_t, scale_t, before, inner = inputs
            seen = seen.at[:, o].add(alpha_t * beta)
            w = b[:, o] * beta / scale_t
            count = count + jnp.where(inner, jnp.outer(before, w) * a, 0)
            return (a @ w, count, seen), None

        inputs = (observed, alpha, scale, jnp.roll(alpha, 1, 0), jnp.arange(steps) > 0)
        init = (jnp.ones(states), jnp.zeros(a.shape), jnp.zeros(b.shape))
        (_, count, seen), _ = lax.scan(step, init, inputs, reverse=True)
        ga = count - a * jnp.sum(count, axis=1, keepdims=True)
        gb = seen - b * jnp.sum(seen, axis=1, keepdims=True)
        return penalty * x - jnp.concatenate((ga.ravel(), gb.ravel())) / steps

    def hessian_vector(x, v):
        a, b = tables(x)
        va, vb = split(v)
        da, db = softmax_rows_tangent(a, va), softmax_rows_tangent(b, vb)
        alpha, scale = forward(a, b)
        dalpha, dscale = forward_tangent(a, b, da, db, alpha, scale)

        def step(carry, inputs):
            beta, dbeta, count, dcount, seen, dseen = carry
            o, alpha_t, scale_t, dalpha_t, dscale_t, before, dbefore, inner = inputs
            seen = seen.at[:, o].add(alpha_t * beta)
            dseen = dseen.at[:, o].add(dalpha_t * beta + alpha_t * dbeta)
            w = b[:, o] * beta / scale_t
            dw = (db[:, o] * beta + b[:, o] * dbeta - w * dscale_t) / scale_t
            outer = jnp.outer(before, w)
            douter = jnp.outer(dbefore, w) + jnp.outer(before, dw)
            count = count + jnp.where(inner, outer * a, 0)
            dcount = dcount + jnp.where(inner, douter * a + outer * da, 0)
            return (a @ w, da @ w + a @ dw, count, dcount, seen, dseen), None

        before, dbefore = jnp.roll(alpha, 1, 0), jnp.roll(dalpha, 1, 0)
        inner = jnp.arange(steps) > 0
        inputs = (observed, alpha, scale, dalpha, dscale, before, dbefore, inner)
        za, zb = jnp.zeros(a.shape), jnp.zeros(b.shape)
        init = (jnp.ones(states), jnp.zeros(states), za, za, zb, zb)
        (_, _, count, dcount, seen, dseen), _ = lax.scan(step, init, inputs, reverse=True)
        ha = dcount - da * count.sum(1, keepdims=True) - a * dcount.sum(1, keepdims=True)
        hb = dseen - db * seen.sum(1, keepdims=True) - b * dseen.sum(1, keepdims=True)
        return penalty * v - jnp.concatenate((ha.ravel(), hb.ravel())) / steps

    return value, gradient, hessian_vector


def newton_direction(hessian_vector, gradient, tolerance):
    def proceed(state):
        k, *_, stop = state
        return (k < 2 * gradient.size) & ~stop

    def step(state):
        k, d, r, p, rr, _ = state
        hp = hessian_vector(p)
        curvature = p @ hp
        negative = curvature <= 0
        alpha = jnp.where(negative, 0.0, rr / curvature)
        d = jnp.where(negative & (k == 0), r, d + alpha * p)
        r = r - alpha * hp
        new = r @ r
        return k + 1, d, r, r + new / rr * p, new, negative | (jnp.sqrt(new) < tolerance)

    r = -gradient
    init = (0, jnp.zeros_like(gradient), r, r, r @ r, False)
    return lax.while_loop(proceed, step, init)[1]


def minimize(functions, x, iterations, tolerance):
    value_of, gradient_of, hessian_vector = functions

    def line_search(x, value, d, slope):
        def proceed(state):
            step, candidate = state
            return (candidate > value + 1e-4 * step * slope) & (step > 1e-10)

        def shrink(state):
            step = state[0] * 0.5
            return step, value_of(x + step * d)

        return lax.while_loop(proceed, shrink, (jnp.ones_like(value), value_of(x + d)))

    def proceed(state):
        used, _, _, g = state
        return (used < iterations) & (jnp.sqrt(g @ g) >= tolerance)

    def iterate(state):
        used, x, value, g = state
        norm = jnp.sqrt(g @ g)
        inner = jnp.minimum(0.5, jnp.sqrt(norm)) * norm
        d = newton_direction(partial(hessian_vector, x), g, inner)
        step, candidate = line_search(x, value, d, g @ d)
        x = x + step * d
        return used + 1, x, candidate, gradient_of(x)

    init = (0, x, value_of(x), gradient_of(x))
    used, x, value, g = lax.while_loop(proceed, iterate, init)
    return x, value, jnp.sqrt(g @ g), used


@jax.jit
def newton_quadratic(problem, x, iterations, tolerance):
    return minimize(quadratic(problem), x, iterations, tolerance)


@jax.jit
def newton_logistic(problem, x, iterations, tolerance):
    return minimize(logistic(problem), x, iterations, tolerance)


@partial(jax.jit, static_argnums=(4, 5))
def newton_markov(problem, x, iterations, tolerance, states, symbols):
    return minimize(markov(problem, states, symbols), x, iterations, tolerance)


def call_arguments(name, problem, x):
    """The jitted function and arguments that do what the example does with this problem."""
    if name == "convex quadratic":
        return newton_quadratic, ((problem.a, problem.b), x, 50, 1e-6)
    if name == "logistic regression":
        data = (problem.features, problem.labels, problem.penalty)
        return newton_logistic, (data, x, 50, 1e-6)
    data = (problem.observed, problem.penalty)
    return newton_markov, (data, x, 50, 1e-6, problem.states, problem.symbols)
