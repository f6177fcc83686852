"""Questions about dtypes, which NumPy answers while compiling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.infer.lattice import Array, Scalar
from pyxla.ir.op import OpError
from pyxla.lib.registry import implements


def _static(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` run now; of an array it sees the dtype."""

    def call(*args: Any, **kwargs: Any) -> Any:
        plain = [x.dtype if isinstance(x, Array) else x for x in args]
        if any(isinstance(x, Scalar) for x in plain):
            raise OpError(f"np.{function.__name__} needs values known while compiling")
        try:
            return function(*plain, **kwargs)
        except (TypeError, ValueError) as error:
            raise OpError(f"np.{function.__name__}: {error}") from None

    return call


for _function in (np.can_cast, np.isdtype, np.issubdtype, np.promote_types):
    implements(_function)(_static(_function))
