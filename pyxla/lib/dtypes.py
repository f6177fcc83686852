"""Questions about dtypes, which NumPy answers while compiling; bytes in the other order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Scalar
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib.operands import as_array
from pyxla.lib.registry import implements
from pyxla.ops import elementwise as op
from pyxla.ops.shape import reverse


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


@implements(np.ndarray.byteswap, rank0="method")
def byteswap(a: Any, inplace: bool = False) -> Array:
    if inplace:
        raise OpError("byteswap in place is not supported; write x[...] = x.byteswap()")
    x = as_array(a).value
    if x.type.dtype.kind == "c":
        return Array(op.complex(_swapped(op.real(x)), _swapped(op.imag(x))))
    return Array(_swapped(x))


def _swapped(x: Value) -> Value:
    dtype = x.type.dtype
    if dtype.itemsize == 1:
        return x
    parts = op.bitcast_convert(x, dtype=np.dtype(np.uint8))
    return op.bitcast_convert(reverse(parts, dimensions=(x.type.ndim,)), dtype=dtype)
