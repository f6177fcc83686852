"""`bytes`: executed where they are known, else Python over a list (`lib.bytearrays`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.abstract.lattice import Const
from pyxla.infer.calls.dispatch import call
from pyxla.infer.calls.executed import static_arguments
from pyxla.infer.engine import Engine
from pyxla.lib import bytearrays
from pyxla.lib.registry import rule


def _octets(function: Any, python: Any) -> None:
    """`function` makes or reads bytes: by CPython where they are known, else by `python`."""

    @rule(function)
    def run(engine: Engine, *args: Any, **kwargs: Any) -> Any:
        known = static_arguments(engine, list(args), kwargs)
        if known is not None:
            return engine.fold_object(function, *known)
        return call(engine, Const(python), list(args), kwargs)


_octets(bytes, bytearrays.Bytes)
_octets(int.from_bytes, bytearrays.from_bytes)
_octets(int.to_bytes, bytearrays.to_bytes)
_octets(np.ndarray.tobytes, bytearrays.of_array)
