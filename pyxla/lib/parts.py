"""Functions of arrays whose sizes are not known, called on parts of larger ones."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def fixed_copy(x: np.ndarray) -> np.ndarray:
    """A copy that cannot be written (`infer.arrays.sharing`)."""
    made = x.copy()
    made.flags.writeable = False
    return made


def on_parts(
    function: Callable[..., Any], pattern: Sequence[Sequence[str | None] | None], *, fixed: bool
) -> Callable[..., Any]:
    """The function on the parts of arrays that `pattern` says.

    fixed: the parts do not lie in memory as the arguments do; it is given copies, and is refused
    where it would write to them.
    """

    def run(*args: Any, pyxla_sizes: Any, **kwargs: Any) -> Any:
        parts: list[Any] = []
        for x, names in zip(args, pattern, strict=True):
            part = x
            if names is not None:
                part = x[tuple([slice(None if k is None else pyxla_sizes[k]) for k in names])]
                if fixed and isinstance(x, np.ndarray):
                    part = fixed_copy(part)
            parts.append(part)
        return function(*parts, **kwargs)

    functools.update_wrapper(run, function, ("__name__", "__qualname__", "__module__"), ())
    return run
