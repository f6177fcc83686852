"""The three problems of `newton_cg`, written as loops over elements, as in a textbook.

The optimizer is the same; only `value`, `gradient` and `hessian_vector` differ: a membrane under
load is the convex quadratic, and the likelihoods are sums over samples, states and symbols. Loops
like these are what one avoids in CPython, and need not avoid when they are compiled.
"""

import math
import time
from dataclasses import dataclass

import numpy as np

import pyxla
from examples.newton_cg import newton_cg


@dataclass(frozen=True)
class Membrane:
    """The energy of a square membrane under load, its edge held; a convex quadratic."""

    load: np.ndarray

    def value(self, x):
        return 0.5 * (x @ self.hessian_vector(x, x)) - np.sum(self.load.ravel() * x)

    def gradient(self, x):
        return self.hessian_vector(x, x) - self.load.ravel()

    def hessian_vector(self, x, v):
        n, m = self.load.shape
        u = np.zeros((n + 2, m + 2))
        u[1:-1, 1:-1] = v.reshape(n, m)
        h = np.zeros((n, m))
        for i in range(n):
            for j in range(m):
                around = u[i, j + 1] + u[i + 2, j + 1] + u[i + 1, j] + u[i + 1, j + 2]
                h[i, j] = 4 * u[i + 1, j + 1] - around
        return h.ravel()


def sigmoid(z):
    return 1 / (1 + math.exp(-z))


@dataclass(frozen=True)
class Logistic:
    """Mean logistic loss of labels in {0, 1}, with a quadratic penalty, sample by sample."""

    features: np.ndarray
    labels: np.ndarray
    penalty: float

    def value(self, x):
        loss = 0.0
        for k in range(self.labels.size):
            z = self.features[k] @ x
            loss += max(z, 0.0) - z * self.labels[k] + math.log1p(math.exp(-abs(z)))
        return loss / self.labels.size + 0.5 * self.penalty * (x @ x)

    def gradient(self, x):
        g = np.zeros(x.size)
        for k in range(self.labels.size):
            g += (sigmoid(self.features[k] @ x) - self.labels[k]) * self.features[k]
        return g / self.labels.size + self.penalty * x

    def hessian_vector(self, x, v):
        h = np.zeros(x.size)
        for k in range(self.labels.size):
            p = sigmoid(self.features[k] @ x)
            h += p * (1 - p) * (self.features[k] @ v) * self.features[k]
        return h / self.labels.size + self.penalty * v


def softmax_rows(z):
    p = np.zeros(z.shape)
    for i in range(z.shape[0]):
        total = 0.0
        for j in range(z.shape[1]):
            p[i, j] = math.exp(z[i, j])
            total += p[i, j]
        for j in range(z.shape[1]):
            p[i, j] /= total
    return p


def pull_back(p, weights):
    """The gradient by the logits of softmax rows p, from that by p times p."""
    g = np.zeros(p.shape)
    for i in range(p.shape[0]):
        total = 0.0
        for j in range(p.shape[1]):
            total += weights[i, j]
        for j in range(p.shape[1]):
            g[i, j] = weights[i, j] - p[i, j] * total
    return g


@dataclass(frozen=True)
class MarkovModel:
    """Negative mean log likelihood of the observed symbols; see `newton_cg.MarkovModel`.

    The Hessian-vector product is the derivative of the gradient along v: every message and count
    is carried with its rate of change, in the second half of its array.
    """

    observed: np.ndarray
    penalty: float
    states: int
    symbols: int

    def tables(self, x):
        n = self.states
        return softmax_rows(x[: n * n].reshape(n, n)), softmax_rows(x[n * n :].reshape(n, -1))

    def forward(self, a, b):
        n, steps = self.states, self.observed.size
        alpha = np.zeros((steps, n))
        scale = np.zeros(steps)
        for t in range(steps):
            for j in range(n):
                message = 1.0 / n
                if t > 0:
                    message = 0.0
                    for i in range(n):
                        message += alpha[t - 1, i] * a[i, j]
                alpha[t, j] = message * b[j, self.observed[t]]
                scale[t] += alpha[t, j]
            for j in range(n):
                alpha[t, j] /= scale[t]
        return alpha, scale

    def value(self, x):
        a, b = self.tables(x)
        _, scale = self.forward(a, b)
        total = 0.0
        for t in range(self.observed.size):
            total -= math.log(scale[t])
        return total / self.observed.size + 0.5 * self.penalty * (x @ x)

    def gradient(self, x):
        n, steps = self.states, self.observed.size
        a, b = self.tables(x)
        alpha, scale = self.forward(a, b)
        beta, before = np.ones(n), np.zeros(n)
        count, seen = np.zeros(a.shape), np.zeros(b.shape)
        for t in range(steps - 1, -1, -1):
            o = self.observed[t]
            for j in range(n):
                seen[j, o] += alpha[t, j] * beta[j]
            if t == 0:
                break
            share = 1 / scale[t]
            for i in range(n):
                total = 0.0
                for j in range(n):
                    w = a[i, j] * b[j, o] * beta[j] * share
                    count[i, j] += alpha[t - 1, i] * w
                    total += w
                before[i] = total
            for i in range(n):
                beta[i] = before[i]
        g = np.concatenate((pull_back(a, count).ravel(), pull_back(b, seen).ravel()))
        return self.penalty * x - g / steps

    def forward_rates(self, a, b, da, db, alpha, scale):
        n, steps = self.states, self.observed.size
        dalpha = np.zeros((steps, n))
        dscale = np.zeros(steps)
        for t in range(steps):
            o = self.observed[t]
            for j in range(n):
                message, rate = 1.0 / n, 0.0
                if t > 0:
                    message = 0.0
                    for i in range(n):
                        message += alpha[t - 1, i] * a[i, j]
                        rate += dalpha[t - 1, i] * a[i, j] + alpha[t - 1, i] * da[i, j]
                dalpha[t, j] = rate * b[j, o] + message * db[j, o]
                dscale[t] += dalpha[t, j]
            for j in range(n):
                dalpha[t, j] = (dalpha[t, j] - alpha[t, j] * dscale[t]) / scale[t]
        return dalpha, dscale

    def hessian_vector(self, x, v):
        n, steps = self.states, self.observed.size
        a, b = self.tables(x)
        da = pull_back(a, a * v[: n * n].reshape(n, n))
        db = pull_back(b, b * v[n * n :].reshape(n, -1))
        alpha, scale = self.forward(a, b)
        dalpha, dscale = self.forward_rates(a, b, da, db, alpha, scale)
        beta, dbeta = np.ones(n), np.zeros(n)
        before, dbefore = np.zeros(n), np.zeros(n)
        count, dcount = np.zeros(a.shape), np.zeros(a.shape)
        seen, dseen = np.zeros(b.shape), np.zeros(b.shape)
        for t in range(steps - 1, -1, -1):
            o = self.observed[t]
            for j in range(n):
                seen[j, o] += alpha[t, j] * beta[j]
                dseen[j, o] += dalpha[t, j] * beta[j] + alpha[t, j] * dbeta[j]
            if t == 0:
                break
            share = 1 / scale[t]
            for i in range(n):
                before[i] = dbefore[i] = 0.0
                for j in range(n):
                    e = b[j, o] * beta[j] * share
                    de = (db[j, o] * beta[j] + b[j, o] * dbeta[j] - e * dscale[t]) * share
                    w = a[i, j] * e
                    dw = da[i, j] * e + a[i, j] * de
                    count[i, j] += alpha[t - 1, i] * w
                    dcount[i, j] += dalpha[t - 1, i] * w + alpha[t - 1, i] * dw
                    before[i] += w
                    dbefore[i] += dw
            for i in range(n):
                beta[i], dbeta[i] = before[i], dbefore[i]
        ha = pull_back(a, dcount) - da * np.sum(count, axis=1, keepdims=True)
        hb = pull_back(b, dseen) - db * np.sum(seen, axis=1, keepdims=True)
        return self.penalty * v - np.concatenate((ha.ravel(), hb.ravel())) / steps


def make_membrane(rng, n=112):
    return Membrane(rng.standard_normal((n, n))), np.zeros(n * n)


def make_logistic(rng, samples=200, n=10):
    features = rng.standard_normal((samples, n))
    chance = 1 / (1 + np.exp(-features @ rng.standard_normal(n)))
    return Logistic(features, (rng.random(samples) < chance).astype(float), 1e-3), np.zeros(n)


def make_markov(rng, steps=60, states=64, symbols=8):
    hidden, observed = 0, np.zeros(steps, int)
    emission = rng.dirichlet(np.full(symbols, 0.3), states)
    for t in range(steps):
        hidden = hidden if rng.random() < 0.9 else (hidden + 1) % states
        observed[t] = rng.choice(symbols, p=emission[hidden])
    model = MarkovModel(observed, 1e-2, states, symbols)
    return model, 0.1 * rng.standard_normal(states * (states + symbols))


PROBLEMS = {"convex quadratic": make_membrane, "hidden Markov model": make_markov}
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
