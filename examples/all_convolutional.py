"""A training step of All-CNN-C for CIFAR-10 (Springenberg et al. 2015, "Striving for Simplicity").

Strides instead of pooling, 1x1 convolutions instead of dense layers. Weights and images are random.
"""

import time
from functools import partial

import numpy as np

import pyxla
from examples import layers
from examples.layers import Conv, he, relu

# Size of the windows, channels, stride.
PLAN = (
    *((3, 96, 1), (3, 96, 1), (3, 96, 2)),
    *((3, 192, 1), (3, 192, 1), (3, 192, 2)),
    *((3, 192, 1), (1, 192, 1), (1, 10, 1)),
)


def logits(network, images):
    x = images
    for conv in network:
        x = relu(conv(x))
    return x.mean(axis=(1, 2))


step = partial(layers.step, logits)


def make_network(rng, shrink=1):
    """The published architecture; `shrink` divides the widths of all layers but the last."""
    network, inputs = [], 3
    for size, channels, stride in PLAN:
        outputs = channels if channels == 10 else channels // shrink
        weight = he(rng, size, size, inputs, outputs)
        network.append(Conv(weight, np.full(outputs, 0.01, np.float32), stride))
        inputs = outputs
    return tuple(network)


def make_batch(rng, count, size=32):
    images = rng.standard_normal((count, size, size, 3), np.float32)
    return images, rng.integers(0, 10, count).astype(np.int32)


def main():
    """Some steps on one batch: the loss falls."""
    rng = np.random.default_rng(0)
    network = make_network(rng)
    images, labels = make_batch(rng, 32)
    learn = pyxla.compile(step)
    for k in range(4):
        start = time.perf_counter()
        loss, network = learn(network, images, labels, np.float32(0.05))
        print(f"step {k}: loss {loss:.4f}, {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
