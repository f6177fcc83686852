"""Arrays whose sizes are not known: parts `x[:n]` of larger ones.

One program does for all sizes up to a bound: it takes arrays of that bound and the sizes, and calls
the function on slices, in the language itself: arrays of bounded extent.

    f64["n<=100", 3]    run(x: f64[100,3], pyxla_sizes={"n": int}) = f(x[:n])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from pyxla.frozen import dataclass
from pyxla.ir.types import SHORT_NAMES, ArrayType

# For each argument, what the size of each dimension is called, None for those that are as they are.
Pattern = tuple[tuple[str | None, ...] | None, ...]
KEYWORD = "pyxla_sizes"


class NotParts(Exception):  # noqa: N818 - a request, not an error
    """Arguments are no such parts, or a program writes to arrays and what is seen of that lies
    elsewhere in memory."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Which sizes are not known, and what they are at most."""

    pattern: Pattern
    bounds: Mapping[str, int]

    def sizes(self, args: Sequence[Any], types: Sequence[Any]) -> dict[str, int] | None:
        """The sizes of arguments that are parts of arrays of such types; None where one is not."""
        found: dict[str, int] = {}
        if len(args) != len(self.pattern):
            return None
        for x, names, of in zip(args, self.pattern, types, strict=False):
            if names is None:
                continue
            there = isinstance(x, np.ndarray | jax.Array) and not isinstance(x, jax.core.Tracer)
            if not there or x.dtype != of.type.dtype or x.ndim != len(names):
                return None
            for name, size, most in zip(names, x.shape, of.type.shape, strict=True):
                known = most if name is None else found.setdefault(name, size)
                if size != known or size > most:
                    return None
        return found

    def spelled(self, types: Sequence[Any]) -> list[str]:
        """Such types, as they are spelled where their sizes have names."""
        return [
            str(of.type if names is None else named(of.type, names, self.bounds))
            for of, names in zip(types, self.pattern, strict=False)
        ]

    @property
    def leading(self) -> bool:
        """Whether only first dimensions are parts: those lie in memory as whole arrays do."""
        return not any(any(names[1:]) for names in self.pattern if names is not None)

    def whole(self, args: Sequence[Any]) -> list[Any]:
        """The arguments, in arrays of the sizes that there are at most."""
        held = zip(args, self.pattern, strict=True)
        return [x if names is None else self._padded(x, names) for x, names in held]

    def _padded(self, x: Any, names: tuple[str | None, ...]) -> Any:
        held = zip(x.shape, names, strict=True)
        shape = [n if name is None else self.bounds[name] for n, name in held]
        if (*shape,) == x.shape:
            return x
        if not isinstance(x, np.ndarray):
            return jax.numpy.pad(x, [(0, m - n) for n, m in zip(x.shape, shape, strict=True)])
        padded = np.zeros(shape, x.dtype)
        padded[tuple([slice(n) for n in x.shape])] = x
        padded.flags.writeable = x.flags.writeable
        return padded

    def write_back(self, args: Sequence[Any], whole: Sequence[Any]) -> None:
        """What was written to the larger arrays, to the arguments."""
        for x, made in zip(args, whole, strict=True):
            if made is not x and isinstance(x, np.ndarray) and x.flags.writeable:
                x[...] = made[tuple([slice(n) for n in x.shape])]


def named(type: ArrayType, names: Sequence[str | None], bounds: Mapping[str, int]) -> str:
    """A type of arrays, some of whose sizes have names."""
    held = zip(type.shape, names, strict=True)
    inner = [str(n) if name is None else f"{name}<={bounds[name]}" for n, name in held]
    return f"{SHORT_NAMES[type.dtype]}[{','.join(inner)}]"
