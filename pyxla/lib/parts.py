"""Functions of arrays whose sizes are not known, called on parts of larger ones."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Pattern = Sequence[Sequence[str | None] | None]


def parts_of(
    args: Sequence[Any], pattern: Pattern, sizes: Mapping[str, int], *, fixed: bool
) -> list[Any]:
    """The parts of arrays that `pattern` says; fixed: copies that cannot be written
    (`infer.arrays.sharing`)."""
    parts = []
    for x, names in zip(args, pattern, strict=True):
        part = x
        if names is not None:
            part = x[tuple([slice(None if k is None else sizes[k]) for k in names])]
            if fixed and isinstance(x, np.ndarray):
                part = part.copy()
                part.flags.writeable = False
        parts.append(part)
    return parts


def on_parts(function: Callable[..., Any], pattern: Pattern, *, fixed: bool) -> Callable[..., Any]:
    """The function on the parts of arrays that `pattern` says.

    fixed: the parts do not lie in memory as the arguments do; it is given copies, and is refused
    where it would write to them.
    """

    def run(*args: Any, pyxla_sizes: Any, **kwargs: Any) -> Any:
        return function(*parts_of(args, pattern, pyxla_sizes, fixed=fixed), **kwargs)

    functools.update_wrapper(run, function, ("__name__", "__qualname__", "__module__"), ())
    return run
