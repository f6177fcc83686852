"""One of the processes: `python -m examples.processes.work PORT COUNT NUMBER FOLDER [STEP]`.

It trains on scikit-learn's digits, from the checkpoint in FOLDER if there is one, and computes a
stencil; the first process writes checkpoints and prints. With STEP, the last process dies there.
"""

import importlib
import os
import sys
from pathlib import Path

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

import pyxla

STEPS, PART, RATE = 30, 10, 0.5
NOTICED = 10  # seconds after which the others end where a process has died


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
    """Heat on a plate, one border of which is kept warm."""
    for _ in range(steps):
        around = heat[:-2, 1:-1] + heat[2:, 1:-1] + heat[1:-1, :-2] + heat[1:-1, 2:]
        heat = np.pad(0.25 * around, 1)
        heat[0] = 1.0
    return heat.sum(axis=1)


def rows(mesh, x):
    """`x` by rows over all devices; each process hands over those that it holds."""
    where = NamedSharding(mesh, PartitionSpec("data"))
    return jax.make_array_from_callback(x.shape, where, lambda index: x[index])


def whole(mesh, x):
    """All of `x`, in each process."""
    return np.asarray(jax.jit(lambda x: x, out_shardings=NamedSharding(mesh, PartitionSpec()))(x))


def training(mesh, folder, number, dies):
    """The losses of all steps, those before the checkpoint too."""
    digits = importlib.import_module("sklearn.datasets").load_digits()
    images = rows(mesh, digits.data[:1792] / 16.0)
    labels = rows(mesh, np.eye(10)[digits.target[:1792]])
    weights, losses, saved = np.zeros((64, 10)), np.zeros(0), folder / "checkpoint.npz"
    if saved.exists():
        with np.load(saved) as kept:
            weights, losses = kept["weights"], kept["losses"]
        print("from step", len(losses), file=sys.stderr)
    while len(losses) < STEPS:
        weights, more = train(weights, images, labels, PART, RATE)
        weights, losses = whole(mesh, weights), np.concatenate([losses, whole(mesh, more)])
        if number == 0:
            np.savez(folder / "new.npz", weights=weights, losses=losses)
            os.replace(folder / "new.npz", saved)
        if len(losses) == dies and number == jax.process_count() - 1:
            os._exit(1)
    return losses


def main(port, count, number, folder, dies="0"):
    """Join the others, compute, and print what came out."""
    number = int(number)
    if int(count) > 1:
        jax.distributed.initialize(
            f"localhost:{port}", int(count), number, heartbeat_timeout_seconds=NOTICED
        )
    jax.config.update("jax_enable_x64", True)
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    losses = training(mesh, Path(folder), number, int(dies))
    sums = whole(mesh, spread(rows(mesh, np.zeros((64, 64))), 100))
    for name, x in (("devices", [jax.device_count()]), ("losses", losses), ("heat", sums)):
        print(name, " ".join(f"{value:.9e}" for value in x))


if __name__ == "__main__":
    main(*sys.argv[1:])
