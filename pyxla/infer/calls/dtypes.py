"""The dtype of what a library function gives for a number whose kind the path taken decides."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Const, Ref, Scalar, Tuple, is_number
from pyxla.infer.arrays import access as arrays
from pyxla.infer.engine import Engine
from pyxla.infer.joins.kinds import dtype_of, kinds_of
from pyxla.infer.joins.operated import is_tracked
from pyxla.lib.registry import is_numpys

# Of the arrays that NumPy is asked about, and of combinations of kinds.
_MOST_ELEMENTS, _MOST_SAMPLES = 1 << 16, 64


def asked(value: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> np.dtype | None:
    """The dtype of numbers that a library function is asked for, where one is."""
    second = args[1] if value in (np.array, np.asarray) and len(args) > 1 else Const(None)
    given = kwargs.get("dtype", second)
    try:
        found = np.dtype(given.value) if isinstance(given, Const) and given.value else None
    except TypeError:
        return None
    return found if found is not None and found.kind in "biufc" else None


def check_dtypes(
    engine: Engine,
    name: str,
    value: Any,
    result: Any,
    args: Sequence[Any],
    kwargs: dict[str, Any],
) -> None:
    """Refuse what NumPy gives another dtype for each of the kinds of a number; truth values, and
    places where the wider kind is a float, are of one dtype."""
    choices, engine.mixed = engine.mixed.choices, None
    letter = _letter(engine, result)
    if letter == "b" or (letter == "i" and any(dtype_of(kind).kind in "fc" for kind in choices)):
        return
    if is_numpys(value) and all(unsettled(engine, x) is None for x in args):
        return
    if is_numpys(value) and arrays.is_array(engine, result):
        if _numpys_dtypes(engine, value, args, kwargs) == {arrays.dtype_of(engine, result)}:
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


def _numpys_dtypes(
    engine: Engine, value: Any, args: Sequence[Any], kwargs: dict[str, Any]
) -> set[Any]:
    """The dtypes of the arrays that NumPy makes of arguments like these, for each of the kinds that
    numbers may be; None among them for anything else."""
    kinds: list[Any] = []
    try:
        samples = [_sample(engine, x, kinds) for x in (*args, *kwargs.values())]
    except LookupError:
        return {None}
    if math.prod(map(len, kinds)) > _MOST_SAMPLES:
        return {None}
    chosen = itertools.product(*kinds)
    return {_numpys_dtype(value, samples, len(args), [*kwargs], iter(kind)) for kind in chosen}


def _numpys_dtype(
    value: Any, samples: Sequence[Any], count: int, names: Sequence[str], kinds: Iterator[Any]
) -> Any:
    given = [sample(kinds) for sample in samples]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            made = value(*given[:count], **dict(zip(names, given[count:], strict=True)))
    except Exception:  # noqa: BLE001 - whatever is raised, there is no array
        return None
    return made.dtype if type(made) is np.ndarray else None


def _sample(engine: Engine, x: Any, kinds: list[Any]) -> Callable[[Iterator[Any]], Any]:
    """What makes an argument like `x`, of the kinds that it is given: one for each number that may
    be of several, which are put into `kinds`."""
    if isinstance(x, Const):
        return lambda _: x.value
    if is_number(x):
        kinds.append(kinds_of(x))
        return lambda given: next(given)(1)
    if arrays.is_array(engine, x):
        shape, dtype = arrays.shown(engine, x)[0], arrays.dtype_of(engine, x)
        if math.prod(shape) > _MOST_ELEMENTS:
            raise LookupError
        return lambda _: np.broadcast_to(np.ones((), dtype), shape)
    items = arrays.items_of(engine, x)
    if items is None:
        raise LookupError
    makers, cls = [_sample(engine, y, kinds) for y in items], tuple if type(x) is Tuple else list
    return lambda given: cls([make(given) for make in makers])


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
