"""One of the processes: `python -m examples.processes.work PORT COUNT NUMBER`.

It prints the losses of a training on scikit-learn's digits, and what a stencil gives.
"""

import importlib
import sys

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

import pyxla

STEPS, RATE = 30, 0.5


@pyxla.compile
def train(weights, images, labels, steps, rate):
    """Softmax regression by gradient descent: the weights, and the loss before each step."""

    def loss(weights):
        scores = images @ weights
        scores = scores - scores.max(axis=1, keepdims=True)
        sums = np.log(np.exp(scores).sum(axis=1))
        return (sums - (scores * labels).sum(axis=1)).mean()

    losses = np.zeros(steps)
    for i in range(steps):
        losses[i], slope = pyxla.value_and_grad(loss)(weights)
        weights = weights - rate * slope
    return weights, losses


@pyxla.compile
def spread(heat, steps):
    """Heat on a plate, whose border stays as it is."""
    for _ in range(steps):
        around = heat[:-2, 1:-1] + heat[2:, 1:-1] + heat[1:-1, :-2] + heat[1:-1, 2:]
        inner = 0.25 * around
        heat = np.pad(inner, 1)
        heat[0] = 1.0
    return heat.sum(axis=1)


def rows(mesh, x):
    """`x` by rows over all devices; each process hands over those that it holds."""
    where = NamedSharding(mesh, PartitionSpec("data"))
    return jax.make_array_from_callback(x.shape, where, lambda index: x[index])


def main(port, count, number):
    """Join the others, compute, and print what came out."""
    if count > 1:
        jax.distributed.initialize(f"localhost:{port}", count, number)
    jax.config.update("jax_enable_x64", True)
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    digits = importlib.import_module("sklearn.datasets").load_digits()
    images = digits.data[:1792] / 16.0
    labels = np.eye(10)[digits.target[:1792]]
    _, losses = train(np.zeros((64, 10)), rows(mesh, images), rows(mesh, labels), STEPS, RATE)
    sums = spread(rows(mesh, np.zeros((64, 64))), 100)
    for name, x in (("losses", losses), ("heat", sums)):
        whole = jax.jit(lambda x: x, out_shardings=NamedSharding(mesh, PartitionSpec()))(x)
        print(name, " ".join(f"{value:.9e}" for value in np.asarray(whole)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
