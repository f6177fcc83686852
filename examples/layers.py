"""Layers of convolutional networks, their loss and gradient descent, in NumPy.

Images are channels last. NumPy has no convolution and no pooling, so these two are HLO ops called
by name. A layer is a dataclass: its arrays are trained, the numbers beside them say how it is
applied.
"""

from dataclasses import dataclass, fields, is_dataclass

import numpy as np

import pyxla
from pyxla import hlo


def relu(x):
    return np.maximum(x, 0)


def around(length, size, stride):
    """How much to pad before and after, for windows that begin at every `stride`-th place."""
    places = (length + stride - 1) // stride
    total = max((places - 1) * stride + size - length, 0)
    return total // 2, total - total // 2


@dataclass
class Conv:
    """Convolution with square windows and zero padding; the bias may be left out."""

    weight: np.ndarray
    bias: np.ndarray | None = None
    stride: int = 1

    def __call__(self, x):
        size, stride = self.weight.shape[0], self.stride
        y = hlo.convolution(
            x,
            self.weight,
            dimension_numbers="b01f_01io->b01f",
            window_strides=(stride, stride),
            padding=[around(n, size, stride) for n in x.shape[1:3]],
        )
        return y if self.bias is None else y + self.bias


@dataclass
class BatchNorm:
    """Each channel normalized over the batch, as in training, then scaled and shifted."""

    scale: np.ndarray
    shift: np.ndarray

    def __call__(self, x):
        mean = x.mean(axis=(0, 1, 2))
        centered = x - mean
        variance = np.mean(centered * centered, axis=(0, 1, 2))
        return centered * (self.scale / np.sqrt(variance + 1e-5)) + self.shift


@dataclass
class MaxPool:
    """Maximum over square windows."""

    size: int
    stride: int

    def __call__(self, x):
        padding = [around(n, self.size, self.stride) for n in x.shape[1:3]]
        return hlo.reduce_window(
            x,
            x.dtype.type(-np.inf),
            window_dimensions=(1, self.size, self.size, 1),
            window_strides=(1, self.stride, self.stride, 1),
            padding=[(0, 0), *padding, (0, 0)],
            computation="maximum",
        )


@dataclass
class Dense:
    """Affine map."""

    weight: np.ndarray
    bias: np.ndarray

    def __call__(self, x):
        return x @ self.weight + self.bias


def cross_entropy(logits, labels):
    """Mean over the batch."""
    z = logits - np.max(logits, axis=1, keepdims=True)
    picked = np.take_along_axis(z, labels[:, None], axis=1)[:, 0]
    return np.mean(np.log(np.sum(np.exp(z), axis=1)) - picked)


def descended(layer, slope, rate):
    """The layer, or structure of layers, after a step of gradient descent."""
    if isinstance(layer, tuple):
        parts = [descended(part, down, rate) for part, down in zip(layer, slope)]
        return tuple(parts) if type(layer) is tuple else type(layer)(*parts)
    if is_dataclass(layer):
        names = [f.name for f in fields(layer)]
        parts = [descended(getattr(layer, n), getattr(slope, n), rate) for n in names]
        return type(layer)(*parts)
    if layer is None or isinstance(layer, int):
        return layer
    return layer - rate * slope


def squares(slope):
    """The sum of the squares of all numbers of a slope."""
    if isinstance(slope, tuple):
        return sum([squares(part) for part in slope])
    if is_dataclass(slope):
        return sum([squares(getattr(slope, f.name)) for f in fields(slope)])
    return 0.0 if slope is None or isinstance(slope, int) else np.sum(slope * slope)


def step(logits, network, images, labels, rate):
    """One step of training: the loss before it, the new network."""

    def loss(network):
        return cross_entropy(logits(network, images), labels)

    value, slopes = pyxla.value_and_grad(loss)(network)
    return value, descended(network, slopes, rate)


def he(rng, *shape):
    """Weights that keep the size of what passes through them (He et al. 2015)."""
    return rng.standard_normal(shape, np.float32) * np.float32(np.sqrt(2 / np.prod(shape[:-1])))
