"""Truncated Newton-CG on three problems, in plain NumPy, derivatives by hand.

The optimizer and the problems are those of table 1 of "Compiling machine learning programs via
high-level tracing" (Frostig, Johnson & Leary, SysML 2018): a convex quadratic, the marginal
likelihood of a hidden Markov model, and logistic regression. The inner conjugate gradient stops at
negative curvature or at the residual that Dembo & Steihaug (1983) prescribe; the outer iteration
backtracks. A problem is a dataclass with `value`, `gradient` and `hessian_vector`.
"""

import time
from dataclasses import dataclass

import numpy as np

import pyxla


@dataclass(frozen=True)
class Quadratic:
    """x'Ax / 2 - b'x, with A positive definite."""

    a: np.ndarray
    b: np.ndarray

    def value(self, x):
        return 0.5 * (x @ (self.a @ x)) - self.b @ x

    def gradient(self, x):
        return self.a @ x - self.b

    def hessian_vector(self, x, v):
        return self.a @ v


@dataclass(frozen=True)
class Logistic:
    """Mean logistic loss of labels in {0, 1}, with a quadratic penalty."""

    features: np.ndarray
    labels: np.ndarray
    penalty: float

    def value(self, x):
        z = self.features @ x
        loss = np.maximum(z, 0) - z * self.labels + np.log1p(np.exp(-np.abs(z)))
        return np.mean(loss) + 0.5 * self.penalty * (x @ x)

    def gradient(self, x):
        p = 1 / (1 + np.exp(-(self.features @ x)))
        return self.features.T @ (p - self.labels) / self.labels.size + self.penalty * x

    def hessian_vector(self, x, v):
        p = 1 / (1 + np.exp(-(self.features @ x)))
        curved = p * (1 - p) * (self.features @ v)
        return self.features.T @ curved / self.labels.size + self.penalty * v


def softmax_rows(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def softmax_rows_tangent(p, v):
    """The change of softmax rows p when their logits change by v."""
    return p * (v - np.sum(p * v, axis=1, keepdims=True))


@dataclass(frozen=True)
class MarkovModel:
    """Negative mean log likelihood of the observed symbols, with a quadratic penalty.

    The parameters are the logits of the transition rows, then of the emission rows; the first
    state is uniform. Forward and backward messages are scaled to sum to one in each step.
    """

    observed: np.ndarray
    penalty: float
    states: int
    symbols: int

    def split(self, x):
        n = self.states
        return x[: n * n].reshape(n, n), x[n * n :].reshape(n, self.symbols)

    def forward(self, a, b):
        steps = self.observed.size
        alpha = np.zeros((steps, self.states))
        scale = np.zeros(steps)
        message = np.full(self.states, 1.0 / self.states)
        for t in range(steps):
            if t > 0:
                message = alpha[t - 1] @ a
            message = message * b[:, self.observed[t]]
            scale[t] = np.sum(message)
            alpha[t] = message / scale[t]
        return alpha, scale

    def value(self, x):
        za, zb = self.split(x)
        _, scale = self.forward(softmax_rows(za), softmax_rows(zb))
        return -np.mean(np.log(scale)) + 0.5 * self.penalty * (x @ x)

    def gradient(self, x):
        za, zb = self.split(x)
        a, b = softmax_rows(za), softmax_rows(zb)
        alpha, scale = self.forward(a, b)
        steps = self.observed.size
        beta = np.ones(self.states)
        transitions = np.zeros(a.shape)
        emissions = np.zeros(b.shape)
        for t in range(steps - 1, -1, -1):
            emissions[:, self.observed[t]] += alpha[t] * beta
            if t > 0:
                w = b[:, self.observed[t]] * beta / scale[t]
                transitions += np.outer(alpha[t - 1], w) * a
                beta = a @ w
        ga = transitions - a * np.sum(transitions, axis=1, keepdims=True)
        gb = emissions - b * np.sum(emissions, axis=1, keepdims=True)
        return self.penalty * x - np.concatenate((ga.ravel(), gb.ravel())) / steps

    def hessian_vector(self, x, v):
        za, zb = self.split(x)
        va, vb = self.split(v)
        a, b = softmax_rows(za), softmax_rows(zb)
        da, db = softmax_rows_tangent(a, va), softmax_rows_tangent(b, vb)
        alpha, scale = self.forward(a, b)
        dalpha, dscale = self.forward_tangent(a, b, da, db, alpha, scale)
        steps = self.observed.size
        beta, dbeta = np.ones(self.states), np.zeros(self.states)
        count, dcount = np.zeros(a.shape), np.zeros(a.shape)
        seen, dseen = np.zeros(b.shape), np.zeros(b.shape)
        for t in range(steps - 1, -1, -1):
            o = self.observed[t]
            seen[:, o] += alpha[t] * beta
            dseen[:, o] += dalpha[t] * beta + alpha[t] * dbeta
            if t > 0:
                w = b[:, o] * beta / scale[t]
                dw = (db[:, o] * beta + b[:, o] * dbeta - w * dscale[t]) / scale[t]
                outer = np.outer(alpha[t - 1], w)
                douter = np.outer(dalpha[t - 1], w) + np.outer(alpha[t - 1], dw)
                count += outer * a
                dcount += douter * a + outer * da
                beta, dbeta = a @ w, da @ w + a @ dw
        ha = dcount - da * count.sum(axis=1, keepdims=True) - a * dcount.sum(axis=1, keepdims=True)
        hb = dseen - db * seen.sum(axis=1, keepdims=True) - b * dseen.sum(axis=1, keepdims=True)
        return self.penalty * v - np.concatenate((ha.ravel(), hb.ravel())) / steps

    def forward_tangent(self, a, b, da, db, alpha, scale):
        steps = self.observed.size
        dalpha = np.zeros((steps, self.states))
        dscale = np.zeros(steps)
        for t in range(steps):
            o = self.observed[t]
            if t == 0:
                dmessage = np.full(self.states, 1.0 / self.states) * db[:, o]
            else:
                moved = dalpha[t - 1] @ a + alpha[t - 1] @ da
                dmessage = moved * b[:, o] + (alpha[t - 1] @ a) * db[:, o]
            dscale[t] = np.sum(dmessage)
            dalpha[t] = (dmessage - alpha[t] * dscale[t]) / scale[t]
        return dalpha, dscale


def newton_direction(problem, x, gradient, tolerance):
    """Solve H d = -g by conjugate gradients, up to a residual or negative curvature."""
    d = np.zeros(x.shape)
    r = -gradient
    p = r
    rr = r @ r
    for k in range(2 * x.size):
        hp = problem.hessian_vector(x, p)
        curvature = p @ hp
        if curvature <= 0:
            if k == 0:
                return r
            break
        alpha = rr / curvature
        d = d + alpha * p
        r = r - alpha * hp
        new = r @ r
        if np.sqrt(new) < tolerance:
            break
        p = r + new / rr * p
        rr = new
    return d


def newton_cg(problem, x, iterations, tolerance):
    """Minimize; return the point, the value, the gradient's norm and the iterations used."""
    value = problem.value(x)
    used = 0
    norm = 0.0
    for k in range(iterations):
        g = problem.gradient(x)
        norm = np.sqrt(g @ g)
        if norm < tolerance:
            break
        d = newton_direction(problem, x, g, min(0.5, np.sqrt(norm)) * norm)
        slope = g @ d
        step = 1.0
        candidate = problem.value(x + d)
        while candidate > value + 1e-4 * step * slope and step > 1e-10:
            step *= 0.5
            candidate = problem.value(x + step * d)
        x = x + step * d
        value = candidate
        used += 1
    return x, value, norm, used


def make_quadratic(rng, n=10):
    m = rng.standard_normal((n, n))
    return Quadratic(m @ m.T / n + np.eye(n), rng.standard_normal(n)), np.zeros(n)


def make_logistic(rng, samples=1000, n=100):
    features = rng.standard_normal((samples, n))
    chance = 1 / (1 + np.exp(-features @ rng.standard_normal(n)))
    labels = (rng.random(samples) < chance).astype(float)
    return Logistic(features, labels, 1e-3), np.zeros(n)


def make_markov(rng, steps=200, states=3, symbols=4):
    hidden, observed = 0, np.zeros(steps, int)
    emission = rng.dirichlet(np.full(symbols, 0.3), states)
    for t in range(steps):
        hidden = hidden if rng.random() < 0.9 else (hidden + 1) % states
        observed[t] = rng.choice(symbols, p=emission[hidden])
    model = MarkovModel(observed, 1e-3, states, symbols)
    return model, 0.1 * rng.standard_normal(states * (states + symbols))


PROBLEMS = {"convex quadratic": make_quadratic, "hidden Markov model": make_markov}
PROBLEMS["logistic regression"] = make_logistic


def main():
    """Solve the three problems compiled and plain, compare and time."""
    for name, make in PROBLEMS.items():
        problem, x = make(np.random.default_rng(0))
        optimize = pyxla.compile(newton_cg)
        compiled = optimize(problem, x, 50, 1e-6)
        start = time.perf_counter()
        optimize(problem, x, 50, 1e-6)
        fast = time.perf_counter() - start
        start = time.perf_counter()
        plain = newton_cg(problem, x, 50, 1e-6)
        slow = time.perf_counter() - start
        np.testing.assert_allclose(compiled[1], plain[1], rtol=1e-6)
        print(f"{name}: value {plain[1]:.6f} after {plain[3]} iterations,", end=" ")
        print(f"compiled {fast * 1e3:.2f} ms, plain {slow * 1e3:.1f} ms, {slow / fast:.0f} times")


if __name__ == "__main__":
    main()
