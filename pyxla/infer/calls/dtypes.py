"""The dtype of what a library function gives for a number whose kind the path taken decides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Const, Ref, Scalar, is_number
from pyxla.infer.arrays import access as arrays
from pyxla.infer.engine import Engine
from pyxla.infer.joins.kinds import dtype_of, kinds_of
from pyxla.infer.joins.operated import is_tracked
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
    if is_numpys(value) and all(unsettled(engine, x) is None for x in args):
        return
    names = sorted({str(dtype_of(kind)) for kind in choices})
    if value is math.prod or _by_weakness(engine, choices, result, args):
        names = [kind.__name__ for kind in choices]
    elif len(names) < 2 or is_tracked(value) or isinstance(value, type) or not is_numpys(value):
        return
    raise engine.refuse(
        f"{name}: a number is {' or '.join(names)} here, as the path taken has it",
        "convert it with float() or int(), or start with a number of that type",
        remedy="case_split arrays",
    )


def unsettled(engine: Engine, x: Any) -> Any:
    """What of an argument may decide the dtype of what it becomes, by what kind it is of; None
    where nothing does, as a float among numbers of a list."""
    if is_number(x):
        return x if len(kinds_of(x)) > 1 else None
    if isinstance(x, Const) or arrays.is_array(engine, x):
        return None
    numbers = _numbers(engine, x)
    if numbers is None:
        return x
    sure = [dtype_of(kinds_of(y)[0]) for y in numbers if len(kinds_of(y)) == 1]
    for y in numbers:
        if len({np.result_type(dtype_of(kind), *sure) for kind in kinds_of(y)}) > 1:
            return y
    return None


def _numbers(engine: Engine, x: Any) -> list[Any] | None:
    """The numbers of a list or tuple, and of those in it, where it has nothing else."""
    if is_number(x):
        return [x]
    items = arrays.items_of(engine, x)
    parts = [_numbers(engine, y) for y in items or ()]
    return None if items is None or None in parts else [y for part in parts for y in part or ()]


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
