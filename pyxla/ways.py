"""Other ways of calling a compiled function, which options ask for.

Placed      arguments and results lie where it is said: mesh, shardings, platform, donate
Bucketed    sizes are rounded up, and programs run on part of their arrays: sizes="bucket"
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import numpy as np

from pyxla import journal
from pyxla.api import Compiled, compile_with
from pyxla.errors import CompileError
from pyxla.options import Options
from pyxla.pipeline import Compilation
from pyxla.runtime import placement

# Which of the true sizes each dimension of an argument has, None for those that are as they are.
Pattern = tuple[tuple[int | None, ...] | None, ...]


class Placed(Compiled):
    """A compiled function whose arguments and results lie where it is said."""

    def __init__(self, function: Callable[..., Any], options: Options) -> None:
        made = options.placement or placement.Placement()
        super().__init__(function, replace(options, placement=made.named(function)))
        self.placement: placement.Placement = self.options.placement

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with self.placement.scope(self.options.platforms):
            return super().__call__(*self.placement.arguments(args), **kwargs)

    def lower(self, *given: Any, **named: Any) -> Compilation:
        with self.placement.scope():
            return super().lower(*given, **named)


class Bucketed(Compiled):
    """A compiled function whose programs are for sizes up to powers of two.

    What is compiled are calls on slices `x[:n]` of arrays that are larger, in the language itself:
    arrays of bounded extent.  A function that is refused on those is compiled for each size.
    """

    def __init__(self, function: Callable[..., Any], options: Options) -> None:
        super().__init__(function, options)
        self._rounded: dict[Pattern, Any] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        pattern, sizes = _pattern(args)
        rounded = self._rounded.get(pattern, self) if sizes else None
        if rounded is self:
            run = _on_parts(self.__pyxla_function__, pattern)
            rounded = compile_with(run, replace(self.options, sizes=""))
            self._rounded[pattern] = rounded
        if rounded is None:
            return super().__call__(*args, **kwargs)
        whole = [_rounded_up(x, p) for x, p in zip(args, pattern, strict=True)]
        try:
            result = rounded(sizes, *whole, **kwargs)
        except CompileError as refusal:
            journal.note("restart", f"on parts of arrays it is refused: {refusal.message}")
            self._rounded[pattern] = None
            return super().__call__(*args, **kwargs)
        finally:
            if any(entry.executable.outcome.writes for entry in rounded.specializations):
                _write_back(args, whole, pattern)
        return result


def _on_parts(function: Callable[..., Any], pattern: Pattern) -> Callable[..., Any]:
    """The function on the parts of arrays that `pattern` says."""

    def run(sizes: Any, *args: Any, **kwargs: Any) -> Any:
        parts = []
        for x, which in zip(args, pattern, strict=True):
            if which is None:
                parts.append(x)
            else:
                parts.append(x[tuple([slice(None if k is None else sizes[k]) for k in which])])
        return function(*parts, **kwargs)

    run.__name__ = getattr(function, "__name__", "run")
    return run


FEW = 2  # up to here sizes are as they are: those of 1 are repeated, those of 0 are empty


def _pattern(args: tuple[Any, ...]) -> tuple[Pattern, tuple[int, ...]]:
    """Which dimensions have sizes of their own, equal ones the same, and these sizes."""
    numbers: dict[int, int] = {}
    rows = []
    for x in args:
        sizes = x.shape if isinstance(x, np.ndarray | jax.Array) and x.ndim else ()
        row = [numbers.setdefault(n, len(numbers)) if n > FEW else None for n in sizes]
        rows.append(tuple(row) if any(k is not None for k in row) else None)
    return tuple(rows), tuple(numbers)


def _rounded_up(x: Any, which: Any) -> Any:
    """`x` in an array whose sizes are powers of two."""
    if which is None:
        return x
    shape = [n if k is None else 1 << (n - 1).bit_length() for n, k in zip(x.shape, which)]  # noqa: B905
    if tuple(shape) == x.shape:
        return x
    room = [(0, large - n) for large, n in zip(shape, x.shape, strict=True)]
    return (np if isinstance(x, np.ndarray) else jax.numpy).pad(x, room)


def _write_back(args: tuple[Any, ...], whole: list[Any], pattern: Pattern) -> None:
    for x, made, which in zip(args, whole, pattern, strict=True):
        if which is not None and made is not x and isinstance(x, np.ndarray):
            x[...] = made[tuple([slice(n) for n in x.shape])]


def kind(options: Options) -> type[Compiled]:
    """What calls a function as these options ask."""
    return Placed if options.placement is not None or options.platform else Bucketed
