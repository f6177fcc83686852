"""VGG19's forward pass (Simonyan & Zisserman 2014, configuration E) as one module.

Layers are dataclasses in a tuple, and the network is the loop over them. NumPy has no convolution
and no pooling, so those two are HLO ops called by name; everything else is plain Python. Weights
are random; images are 224x224x3, channels last.
"""

import time
from dataclasses import dataclass

import numpy as np

import pyxla
from pyxla import hlo


def relu(x):
    return np.maximum(x, 0)


@dataclass(frozen=True)
class Conv:
    """3x3 convolution, stride 1, zero padding 1, then ReLU."""

    weight: np.ndarray
    bias: np.ndarray

    def __call__(self, x):
        y = hlo.convolution(
            x, self.weight, dimension_numbers="b01f_01io->b01f", padding=((1, 1), (1, 1))
        )
        return relu(y + self.bias)


@dataclass(frozen=True)
class MaxPool:
    """Maximum over windows of 2x2, stride 2."""

    def __call__(self, x):
        window = (1, 2, 2, 1)
        lowest = x.dtype.type(-np.inf)
        return hlo.reduce_window(
            x, lowest, window_dimensions=window, window_strides=window, computation="maximum"
        )


@dataclass(frozen=True)
class Flatten:
    def __call__(self, x):
        return x.reshape(x.shape[0], -1)


@dataclass(frozen=True)
class Dense:
    """Affine map, then ReLU."""

    weight: np.ndarray
    bias: np.ndarray

    def __call__(self, x):
        return relu(x @ self.weight + self.bias)


@dataclass(frozen=True)
class Classifier:
    """Affine map, then softmax over the classes."""

    weight: np.ndarray
    bias: np.ndarray

    def __call__(self, x):
        z = x @ self.weight + self.bias
        e = np.exp(z - z.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)


def vgg19(layers, images):
    x = images
    for layer in layers:
        x = layer(x)
    return x


BLOCKS = ((2, 64), (2, 128), (4, 256), (4, 512), (4, 512))


def make_layers(rng, shrink=1, size=224, hidden=4096, classes=1000):
    """The published architecture; `shrink` divides all widths, for a network to test with."""

    def he(*shape):
        scale = np.float32(np.sqrt(2 / np.prod(shape[:-1])))
        return rng.standard_normal(shape, np.float32) * scale

    layers, channels = [], 3
    for repeats, width in BLOCKS:
        for _ in range(repeats):
            width_here = width // shrink
            layers.append(Conv(he(3, 3, channels, width_here), np.zeros(width_here, np.float32)))
            channels = width_here
        layers.append(MaxPool())
    features, hidden = (size // 32) ** 2 * channels, hidden // shrink
    layers.append(Flatten())
    layers.append(Dense(he(features, hidden), np.zeros(hidden, np.float32)))
    layers.append(Dense(he(hidden, hidden), np.zeros(hidden, np.float32)))
    layers.append(Classifier(he(hidden, classes), np.zeros(classes, np.float32)))
    return tuple(layers)


def make_images(rng, batch, size=224):
    return rng.standard_normal((batch, size, size, 3), np.float32)


def main():
    """Compare a small network with its plain run; run the published one for batch 1 and 10."""
    rng = np.random.default_rng(0)
    network = pyxla.compile(vgg19)
    small = make_layers(rng, shrink=16, size=64, classes=10)
    images = make_images(rng, 2, size=64)
    np.testing.assert_allclose(network(small, images), vgg19(small, images), rtol=1e-3, atol=1e-5)
    print("widths / 16, 64x64 images: compiled equals plain")
    layers = make_layers(rng)
    for batch in (1, 10):
        images = make_images(rng, batch)
        start = time.perf_counter()
        probabilities = network(layers, images)
        first = time.perf_counter() - start
        start = time.perf_counter()
        network(layers, images)
        again = time.perf_counter() - start
        print(f"batch {batch}: first call {first:.2f} s, next {again:.3f} s", end=", ")
        print(f"classes {probabilities.argmax(axis=1)}, sum {probabilities.sum(axis=1)}")


if __name__ == "__main__":
    main()
