"""The dtype of what a library function gives for a number whose kind the path taken decides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.infer.arrays import access as arrays
from pyxla.infer.engine import Engine
from pyxla.infer.joins.kinds import dtype_of
from pyxla.infer.joins.operated import is_tracked
from pyxla.infer.lattice import Array, Const, Ref, Scalar
from pyxla.lib.registry import is_numpys


def asked(value: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> np.dtype | None:
    """The dtype of numbers that a library function is asked for, where one is."""
    second = args[1] if value in (np.array, np.asarray) and len(args) > 1 else Const(None)
    given = kwargs.get("dtype", second)
    try:
        found = np.dtype(given.value) if isinstance(given, Const) and given.value else None
    except TypeError:
        return None
    return found if found is not None and found.kind in "biufc" else None


def check_dtypes(engine: Engine, name: str, value: Any, result: Any, args: Sequence[Any]) -> None:
    """Refuse what NumPy gives another dtype for each of the kinds of a number; truth values, and
    places where the wider kind is a float, are of one dtype."""
    choices, engine.mixed = engine.mixed.choices, None
    letter = _letter(engine, result)
    if letter == "b" or (letter == "i" and any(dtype_of(kind).kind in "fc" for kind in choices)):
        return
    names = sorted({str(dtype_of(kind)) for kind in choices})
    if value is math.prod or _by_weakness(engine, choices, result, args):
        names = [kind.__name__ for kind in choices]
    elif len(names) < 2 or is_tracked(value) or isinstance(value, type) or not is_numpys(value):
        return
    raise engine.refuse(
        f"{name}: a number is {' or '.join(names)} here, as the path taken has it",
        "convert it with float() or int(), or start with a number of that type",
        remedy="apart arrays",
    )


def _by_weakness(engine: Engine, choices: Any, result: Any, args: Sequence[Any]) -> bool:
    """Whether an array has the dtype that it has as one of the kinds is NumPy's, and not Python's:
    `np.where(test, x32, number)`."""
    if not arrays.is_array(engine, result):
        return False
    others = [arrays.dtype_of(engine, x) for x in args if arrays.is_array(engine, x)]
    found = {np.result_type(*others, kind(1)) for kind in choices}
    return len(found) > 1 and arrays.dtype_of(engine, result) in found - {*others}


def _letter(engine: Engine, x: Any) -> str:
    """The kind of dtype of a number or an array; none of anything else."""
    if isinstance(x, Ref):
        return arrays.dtype_of(engine, x).kind if arrays.is_array(engine, x) else ""
    return x.dtype.kind if isinstance(x, (Array, Scalar)) else ""
