"""Universal functions of Numba's (`vectorize`, `guvectorize`): loops over elements, or parts.

The elements are NumPy's scalars, as Numba has them; a function with signatures takes the first that
its arguments are cast to safely, and one without has the type of what its function returns.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Const, Ref, Tuple
from pyxla.frontend.dispatchers import applied, element_function
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call
from pyxla.infer.engine import Engine
from pyxla.infer.joins import kinds
from pyxla.infer.vectorized import NUMBERS, dimensions, filled, in_parts
from pyxla.lib import drivers
from pyxla.lib.operands import as_array
from pyxla.lib.registry import rule
from pyxla.ops.elementwise import convert


@rule(applied)
def apply(engine: Engine, ufunc: Any, *args: Any) -> Any:
    """The results of a universal function of Numba's."""
    made = ufunc.value
    if len(args) not in (made.nin, made.nin + made.nout):
        error = f"{made.__name__}() takes {made.nin} arguments, {len(args)} given"
        engine.raise_constant(TypeError(error))
    function = Const(element_function(made))
    operands = [as_array(engine.operand(x)) for x in args[: made.nin]]
    dtypes = _dtypes(engine, made, operands)
    if dtypes is not None:
        operands = [_cast(x, t) for x, t in zip(operands, dtypes, strict=False)]
    if made.signature is not None:
        return _by_parts(engine, made, function, operands, dtypes, args[made.nin :])
    if len(args) > made.nin:
        raise engine.refuse(f"{made.__name__} with out= is not compiled", "assign what it returns")
    return _by_elements(engine, function, operands, dtypes)


def _dtypes(engine: Engine, made: Any, operands: Sequence[Array]) -> list[np.dtype] | None:
    """The dtypes of arguments and results that the function was compiled for; None for any."""
    if not made._frozen:
        return None
    for spelled in made.types:
        found = [np.dtype(c) for c in spelled.replace("->", "")]
        if all(np.can_cast(x.dtype, t, "safe") for x, t in zip(operands, found, strict=False)):
            return found
    given = ", ".join(str(x.dtype) for x in operands)
    raise engine.refuse(
        f"{made.__name__} has no signature for {given}: {', '.join(made.types)}",
        "convert the arguments, or leave the signatures out",
    )


def _by_elements(
    engine: Engine, function: Any, operands: Sequence[Array], dtypes: list[np.dtype] | None
) -> Any:
    shape, rows, _ = in_parts(engine, operands, [()] * len(operands))
    count = math.prod(shape)
    first: tuple[Any, ...] = ()
    if dtypes is None:
        if not count:
            raise engine.refuse(
                "which type a vectorized function gives of no elements is not known",
                "test for the empty array first, or name its signature",
            )
        first = (call(engine, function, [arrays.getitem(engine, r, Const(0)) for r in rows], {}),)
        dtype = _dtype_of(engine, first[0])
    else:
        dtype = dtypes[len(operands)]
    kept = Tuple(first)
    outs = [((), dtype)]
    (out,) = filled(engine, drivers.vectorized_parts, function, shape, rows, outs, kept)
    return _seen(engine, out)


def _dtype_of(engine: Engine, x: Any) -> np.dtype:
    """The dtype that holds a result of all kinds that it may be of."""
    found = engine.operand(x)
    if isinstance(found, (Array, bool, int, float, complex, np.generic)) or hasattr(found, "kind"):
        return np.result_type(*[kinds.dtype_of(kind) for kind in kinds.kinds_of(as_array(found))])
    raise engine.refuse(NUMBERS.replace("np.vectorize", "a vectorized function"), "return numbers")


def _by_parts(
    engine: Engine,
    made: Any,
    function: Any,
    operands: Sequence[Array],
    dtypes: list[np.dtype] | None,
    outs: Sequence[Any],
) -> Any:
    ins, results = map(dimensions, made.signature.replace(" ", "").split("->"))
    shape, rows, sizes = in_parts(engine, operands, ins)
    parts = [tuple([sizes[name] for name in names]) for names in results]
    if outs:
        found = [as_array(engine.operand(x)).dtype for x in outs]
    elif dtypes is None:
        raise engine.refuse(
            f"{made.__name__} has no signatures, so that the type of its result is not known",
            "pass the array that takes the result as the last argument",
        )
    else:
        found = dtypes[len(operands) :]
    pairs = list(zip(parts, found, strict=True))
    whole = filled(engine, drivers.of_parts, function, shape, rows, pairs, least=(1,))
    for target, value in zip(outs, whole, strict=False):
        arrays.assign(engine, target, as_array(engine.operand(value)))
    given = outs or [_seen(engine, x) for x in whole]
    return Tuple(tuple(given)) if len(given) > 1 else given[0]


def _cast(x: Array, dtype: np.dtype) -> Array:
    return x if x.dtype == dtype else Array(convert(x.value, dtype=dtype))


def _seen(engine: Engine, out: Ref) -> Any:
    """The array; of no dimensions, the number in it."""
    found = as_array(engine.operand(out))
    return Array(found.value) if not found.shape else out
