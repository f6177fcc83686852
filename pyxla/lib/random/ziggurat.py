"""Normal and exponential numbers: Marsaglia & Tsang, "The ziggurat method for generating random
variables" (2000), with 256 layers, consuming bits in NumPy's order.

Each kind of draw stands in the text once, since all of it is inlined wherever a number is drawn.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from pyxla.lib.random.libm import log1p
from pyxla.lib.random.words import next32, next64, next_double, next_float

# Where the bottom layers end and the tails begin.
NORMAL_END, EXPONENTIAL_END = 3.6541528853610087963519472518, 7.69711747013104971404462804811


@dataclasses.dataclass(slots=True)
class Source:
    """What a draw reads: bits, and the tables for normal and exponential numbers.

    Of layer i, f64[256] or f32[256]: `widths` its width per unit of the random integer, `heights`
    the density at its edge; `cores`, u64[256] or u32[256], the integers certain to lie below.
    """

    bits: Any
    normal_widths: Any = None
    normal_cores: Any = None
    normal_heights: Any = None
    exponential_widths: Any = None
    exponential_cores: Any = None
    exponential_heights: Any = None

    def real(self, x: Any) -> Any:
        """A number as the source makes them."""
        return np.float64(x)

    def uniform(self) -> Any:
        """In [0, 1)."""
        return next_double(self.bits)

    def log1p(self, x: Any) -> Any:
        return log1p(x)

    def normal_word(self) -> Any:
        """Random bits, and the integer that they propose."""
        word = next64(self.bits)
        return word, word >> 9 & 0xFFFFFFFFFFFFF

    def exponential_word(self) -> Any:
        """As `normal_word`, of which 11 bits are read."""
        return next64(self.bits) >> 3

    def normal(self) -> Any:
        """A number of the standard normal distribution."""
        accepted, x = False, self.real(0.0)
        while not accepted:
            word, magnitude = self.normal_word()
            layer = np.int64(word & 0xFF)
            x = self.real(magnitude) * self.normal_widths[layer]
            x = -x if word & 256 else x
            accepted = bool(magnitude < self.normal_cores[layer])
            if not accepted:
                if layer == 0:
                    x = _normal_tail(self, magnitude & 256)
                    accepted = True
                else:
                    wide = np.float64(x)
                    height = _between(self.normal_heights, layer, self.uniform())
                    accepted = bool(height < np.exp(-0.5 * wide * wide))
        return x

    def exponential(self) -> Any:
        """A number of the exponential distribution of scale 1."""
        accepted, x = False, self.real(0.0)
        while not accepted:
            word = self.exponential_word()
            layer, magnitude = np.int64(word & 0xFF), word >> 8
            x = self.real(magnitude) * self.exponential_widths[layer]
            accepted = bool(magnitude < self.exponential_cores[layer])
            if not accepted:
                u = self.uniform()
                if layer == 0:
                    x = self.real(EXPONENTIAL_END) - self.log1p(-u)
                    accepted = True
                else:
                    accepted = bool(_between(self.exponential_heights, layer, u) < np.exp(-x))
        return x


class Narrow(Source):
    """A source of f32."""

    __slots__ = ()

    def real(self, x: Any) -> Any:
        return np.float32(x)

    def uniform(self) -> Any:
        return next_float(self.bits)

    def log1p(self, x: Any) -> Any:
        return np.log1p(x)

    def normal_word(self) -> Any:
        word = next32(self.bits)
        return word, word >> 9 & 0x7FFFFF

    def exponential_word(self) -> Any:
        return next32(self.bits) >> 1


def _between(heights: Any, layer: Any, u: Any) -> Any:
    upper, lower = heights[layer - 1], heights[layer]
    return (upper - lower) * u + lower


def _normal_tail(source: Any, negative: Any) -> Any:
    """Marsaglia's method (1964): x and y, exponential numbers, in turn."""
    x, y, waits = source.real(0.0), source.real(-1.0), False
    while waits or not y + y > x * x:
        drawn = -source.log1p(-source.uniform())
        if waits:
            y = drawn
        else:
            x = source.real(0.27366123732975827203338247596) * drawn
        waits = not waits
    end = source.real(NORMAL_END)
    return -(end + x) if negative else end + x
