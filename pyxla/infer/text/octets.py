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
for _name in ("join", "find", "index", "replace", "startswith", "endswith"):
    for _kind in (bytes, bytearray):
        _octets(getattr(_kind, _name), getattr(bytearrays, _name))
_octets(bytes.count, bytearrays.occurrences)


def _coded(function: Any, python: Any) -> None:
    """`function` makes text of bytes, or bytes of text."""

    @rule(function)
    def run(
        engine: Engine, x: Any, encoding: Any = Const("utf-8"), errors: Any = Const("strict")
    ) -> Any:
        known = static_arguments(engine, [x, encoding, errors], {})
        if known is not None:
            return engine.fold_object(function, *known)
        strict = getattr(errors, "value", None) == "strict"
        if not strict or getattr(encoding, "value", None) not in bytearrays.NAMES:
            remedy = "; those of data are by UTF-8, ASCII and Latin-1, and raise what they cannot"
            raise engine.refuse(f"this encoding is not compiled{remedy}")
        return call(engine, Const(python), [x, encoding], {})


_coded(bytes.decode, bytearrays.decode)
_coded(bytearray.decode, bytearrays.decode)
_coded(str.encode, bytearrays.encode)
