"""A training step of ResNet-50 (He et al. 2016, "Deep Residual Learning for Image Recognition").

The strides are in the 3x3 convolutions, as in most implementations. Weights and images are random.
"""

import time
from dataclasses import dataclass
from functools import partial

import numpy as np

import pyxla
from examples import layers
from examples.layers import BatchNorm, Conv, Dense, MaxPool, he, relu

STAGES = (3, 4, 6, 3)


@dataclass
class Unit:
    """Convolution and normalization."""

    conv: Conv
    norm: BatchNorm

    def __call__(self, x):
        return self.norm(self.conv(x))


@dataclass
class Bottleneck:
    """Three units beside a shortcut, which is a unit where the shape changes."""

    narrow: Unit
    square: Unit
    wide: Unit
    shortcut: Unit | None

    def __call__(self, x):
        y = relu(self.narrow(x))
        y = relu(self.square(y))
        y = self.wide(y)
        beside = x if self.shortcut is None else self.shortcut(x)
        return relu(y + beside)


@dataclass
class ResNet:
    stem: Unit
    pool: MaxPool
    blocks: tuple
    classifier: Dense


def logits(network, images):
    x = network.pool(relu(network.stem(images)))
    for block in network.blocks:
        x = block(x)
    return network.classifier(x.mean(axis=(1, 2)))


step = partial(layers.step, logits)


def make_unit(rng, size, inputs, outputs, stride=1):
    conv = Conv(he(rng, size, size, inputs, outputs), None, stride)
    return Unit(conv, BatchNorm(np.ones(outputs, np.float32), np.zeros(outputs, np.float32)))


def make_network(rng, stages=STAGES, width=64, classes=1000):
    """The published architecture; fewer blocks and a smaller width make one to test with."""
    stem = make_unit(rng, 7, 3, width, 2)
    blocks, inputs = [], width
    for stage, count in enumerate(stages):
        inner = width * 2**stage
        for k in range(count):
            stride = 2 if stage > 0 and k == 0 else 1
            shortcut = make_unit(rng, 1, inputs, 4 * inner, stride) if k == 0 else None
            units = (
                make_unit(rng, 1, inputs, inner),
                make_unit(rng, 3, inner, inner, stride),
                make_unit(rng, 1, inner, 4 * inner),
            )
            blocks.append(Bottleneck(*units, shortcut))
            inputs = 4 * inner
    classifier = Dense(he(rng, inputs, classes), np.zeros(classes, np.float32))
    return ResNet(stem, MaxPool(3, 2), tuple(blocks), classifier)


def make_batch(rng, count, size=224, classes=1000):
    images = rng.standard_normal((count, size, size, 3), np.float32)
    return images, rng.integers(0, classes, count).astype(np.int32)


def main():
    """Some steps on one batch: the loss falls."""
    rng = np.random.default_rng(0)
    network = make_network(rng)
    images, labels = make_batch(rng, 4)
    learn = pyxla.compile(step)
    for k in range(4):
        start = time.perf_counter()
        loss, network = learn(network, images, labels, np.float32(0.01))
        print(f"step {k}: loss {loss:.4f}, {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
