"""Normal and exponential numbers: Marsaglia & Tsang, "The ziggurat method for generating random
variables" (2000), with 256 layers, consuming bits in NumPy's order.

Each kind of draw stands in the text once, since all of it is inlined wherever a number is drawn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.lib.random.libm import log1p
from pyxla.lib.random.words import next32, next64, next_double, next_float

# Where the bottom layers end and the tails begin.
NORMAL_END, EXPONENTIAL_END = 3.6541528853610087963519472518, 7.69711747013104971404462804811


def standard_normal(source: Any) -> Any:
    """f64 of the standard normal distribution."""
    accepted, x = False, np.float64(0.0)
    while not accepted:
        word = next64(source.bits)
        layer, magnitude = np.int64(word & 0xFF), word >> 9 & 0xFFFFFFFFFFFFF
        x = np.float64(magnitude) * source.normal_widths[layer]
        x = -x if word & 256 else x
        accepted = magnitude < source.normal_cores[layer]
        if not accepted:
            if layer == 0:
                x = _normal_tail(source.bits, magnitude & 256)
                accepted = True
            else:
                accepted = _below_normal(source, layer, x, next_double(source.bits))
    return x


def _below_normal(source: Any, layer: Any, x: Any, u: Any) -> Any:
    upper, lower = source.normal_heights[layer - 1], source.normal_heights[layer]
    return (upper - lower) * u + lower < np.exp(-0.5 * x * x)


def _normal_tail(bits: Any, negative: Any) -> Any:
    """Marsaglia's method (1964)."""
    x, y = np.float64(0.0), np.float64(-1.0)
    while not y + y > x * x:
        x = -0.27366123732975827203338247596 * log1p(-next_double(bits))
        y = -log1p(-next_double(bits))
    return -(NORMAL_END + x) if negative else NORMAL_END + x


def standard_exponential(source: Any) -> Any:
    """f64 of the exponential distribution of scale 1."""
    accepted, x = False, np.float64(0.0)
    while not accepted:
        word = next64(source.bits) >> 3
        layer, magnitude = np.int64(word & 0xFF), word >> 8
        x = np.float64(magnitude) * source.exponential_widths[layer]
        accepted = magnitude < source.exponential_cores[layer]
        if not accepted:
            u = next_double(source.bits)
            if layer == 0:
                x = EXPONENTIAL_END - log1p(-u)
                accepted = True
            else:
                accepted = _below_exponential(source, layer, x, u)
    return x


def _below_exponential(source: Any, layer: Any, x: Any, u: Any) -> Any:
    upper, lower = source.exponential_heights[layer - 1], source.exponential_heights[layer]
    return (upper - lower) * u + lower < np.exp(-x)


def standard_normal_f32(source: Any) -> Any:
    """f32 of the standard normal distribution."""
    accepted, x = False, np.float32(0.0)
    while not accepted:
        word = next32(source.bits)
        layer, magnitude = np.int64(word & 0xFF), word >> 9 & 0x7FFFFF
        x = np.float32(magnitude) * source.normal_widths[layer]
        x = -x if word & 256 else x
        accepted = magnitude < source.normal_cores[layer]
        if not accepted:
            if layer == 0:
                x = _normal_tail_f32(source.bits, magnitude & 256)
                accepted = True
            else:
                accepted = _below_normal_f32(source, layer, x, next_float(source.bits))
    return x


def _below_normal_f32(source: Any, layer: Any, x: Any, u: Any) -> Any:
    upper, lower = source.normal_heights[layer - 1], source.normal_heights[layer]
    wide = np.float64(x)
    return np.float64((upper - lower) * u + lower) < np.exp(-0.5 * wide * wide)


def _normal_tail_f32(bits: Any, negative: Any) -> Any:
    x, y = np.float32(0.0), np.float32(-1.0)
    while not y + y > x * x:
        x = np.float32(-0.27366123732975827203338247596) * np.log1p(-next_float(bits))
        y = -np.log1p(-next_float(bits))
    end = np.float32(NORMAL_END)
    return -(end + x) if negative else end + x


def standard_exponential_f32(source: Any) -> Any:
    """f32 of the exponential distribution of scale 1."""
    accepted, x = False, np.float32(0.0)
    while not accepted:
        word = next32(source.bits) >> 1
        layer, magnitude = np.int64(word & 0xFF), word >> 8
        x = np.float32(magnitude) * source.exponential_widths[layer]
        accepted = magnitude < source.exponential_cores[layer]
        if not accepted:
            u = next_float(source.bits)
            if layer == 0:
                x = np.float32(EXPONENTIAL_END) - np.log1p(-u)
                accepted = True
            else:
                accepted = _below_exponential(source, layer, x, u)
    return x
