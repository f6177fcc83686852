"""A program with something for every part of a report."""

from __future__ import annotations

import numpy as np


def relu(x):
    return np.maximum(x, 0.0)


def train(w, x, y, rate, steps):
    history = np.zeros(50)
    for step in range(50):
        hidden = relu(x @ w)
        error = hidden.sum(axis=1) - y
        loss = (error**2).mean()
        if loss < 1e-6:
            break
        w = w - rate * (x.T @ ((hidden > 0) * error[:, None]))
        history[step] = loss
    for k in (1, 2):
        w = w * k
    if steps > 10:
        raise ValueError("too many")
    return w, history


def arguments():
    rng = np.random.default_rng(0)
    return rng.normal(size=(8, 4)), rng.normal(size=(16, 8)), rng.normal(size=16), 0.01, 3


def line(text: str) -> int:
    """The number of the one line of this file that begins so."""
    with open(__file__) as file:
        (found,) = [n for n, s in enumerate(file, 1) if s.strip().startswith(text)]
    return found
