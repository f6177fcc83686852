"""`np.vectorize`: a loop over elements, or over the parts that a signature names."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Compound, Const, Ref, Scalar, Tuple
from pyxla.frozen import dataclass
from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays import orders
from pyxla.infer.calls.dispatch import call, call_object
from pyxla.infer.engine import Engine
from pyxla.infer.joins import choices, kinds
from pyxla.lib import drivers
from pyxla.lib.operands import as_array, broadcast_shapes, broadcast_to
from pyxla.lib.registry import rule
from pyxla.ops.shape import reshape
from pyxla.views import views

Names = tuple[str, ...]
Shape = tuple[int, ...]

NUMBERS = "the function of np.vectorize must return numbers"
READ_ONLY = "np.vectorize with a signature passes arrays that are read-only"
NOTHING_TO_CALL = "cannot call `vectorize` on size 0 inputs unless `otypes` is set"


@dataclass(frozen=True)
class Settings:
    """What `np.vectorize` was given beside the function.

    otypes: the dtypes of the results.  excluded: positions and names of arguments that are passed
    on whole.  cache: whether the first call is not made once more.  signature: the names of the
    last dimensions of the parts that the function takes, and of those that it returns.
    """

    otypes: tuple[np.dtype, ...] | None
    excluded: frozenset[int | str]
    cache: bool
    signature: tuple[tuple[Names, ...], tuple[Names, ...]] | None


def _settings(made: Any) -> Settings:
    otypes = None if made.otypes is None else tuple(map(np.dtype, made.otypes))
    signature = None
    if made.signature is not None:
        ins, outs = made.signature.replace(" ", "").split("->")
        signature = dimensions(ins), dimensions(outs)
    return Settings(otypes, frozenset(made.excluded), made.cache, signature)


def dimensions(text: str) -> tuple[Names, ...]:
    parts = re.findall(r"\(([^)]*)\)", text)
    return tuple([tuple(part.split(",")) if part else () for part in parts])


# --- Making and calling one ----------------------------------------------------------------------


@rule(np.vectorize)
def vectorize(engine: Engine, pyfunc: Any = None, *args: Any, **kwargs: Any) -> Any:
    if pyfunc is None:  # @np.vectorize(otypes=[float])
        return Compound("partial", (Const(np.vectorize), *kwargs.values()), (0, tuple(kwargs)))
    options = dict(zip(("otypes", "doc", "excluded", "cache", "signature"), args, strict=False))
    known = {name: engine.static(x, name) for name, x in {**options, **kwargs}.items()}
    known.pop("doc", None)
    try:
        made = np.vectorize(abs, **known)
    except Exception as error:  # noqa: BLE001 - whatever NumPy raises, the program raises
        return engine.raise_constant(error)
    return Compound("partial", (Const(_apply), pyfunc, Const(_settings(made))), (2, ()))


@rule(np.vectorize.__call__)
def call_vectorized(engine: Engine, made: Any, *args: Any, **kwargs: Any) -> Any:
    function = engine.captures.abstract(engine, made.value.pyfunc)
    return apply_vectorized(engine, function, Const(_settings(made.value)), *args, **kwargs)


def _apply(function: Any, settings: Any, *args: Any, **kwargs: Any) -> Any:
    """Stands for `apply_vectorized` in compiled code."""


@rule(_apply)
def apply_vectorized(
    engine: Engine, function: Any, settings: Any, *args: Any, **kwargs: Any
) -> Any:
    """`np.vectorize(function, ...)(*args, **kwargs)`."""
    given: Settings = settings.value
    if kwargs or given.excluded:
        function, args = _placed(function, given.excluded, args, kwargs)
    if given.signature is not None:
        return _by_parts(engine, function, args, given)
    return _by_elements(engine, function, args, given) if args else call(engine, function, [], {})


# --- Arguments that are passed on whole, or by name ----------------------------------------------


def _placed(
    function: Any, excluded: frozenset[Any], args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[Any, tuple[Any, ...]]:
    """A function of the arguments that are not excluded, in order; and these."""
    names = tuple([name for name in kwargs if name not in excluded])
    places = tuple([i for i in range(len(args)) if i not in excluded])
    whole = tuple([x for i, x in enumerate(args) if i in excluded])
    named = {name: x for name, x in kwargs.items() if name in excluded}
    where = Const((len(args), places, names))
    items = (Const(_call_placed), function, where, Tuple(whole), *named.values())
    partial = Compound("partial", items, (3, tuple(named)))
    return partial, (*[args[i] for i in places], *[kwargs[name] for name in names])


def _call_placed(function: Any, where: Any, whole: Any, *args: Any, **named: Any) -> Any:
    """Stands for `call_placed` in compiled code."""


@rule(_call_placed)
def call_placed(
    engine: Engine, function: Any, where: Any, whole: Any, *args: Any, **named: Any
) -> Any:
    """Call with `args` at their places, or by their names, among what was passed on whole."""
    count, places, names = where.value
    found, rest = dict(zip(places, args, strict=False)), iter(whole.items)
    items = [found[i] if i in found else next(rest) for i in range(count)]
    by_name = dict(zip(names, args[len(places) :], strict=True))
    return call(engine, function, items, {**named, **by_name})


# --- Loops ---------------------------------------------------------------------------------------


def _by_elements(engine: Engine, function: Any, args: Sequence[Any], given: Settings) -> Any:
    """Without `otypes` the first call says which dtypes there are."""
    operands = [as_array(engine.operand(x)) for x in args]
    shape, rows, _ = in_parts(engine, operands, [()] * len(operands))
    count = math.prod(shape)
    several, kept = False, Tuple(())
    if given.otypes is None:
        first = _first(engine, function, rows, count)
        several = isinstance(first, Tuple)
        results = first if several else Tuple((first,))
        dtypes = [_dtype_of(engine, x) for x in results.items]
        kept = results if given.cache else kept
    else:
        dtypes = [*given.otypes]
    outs = [((), dtype) for dtype in dtypes]
    found = filled(engine, drivers.vectorized, function, shape, rows, outs, kept)
    for x in found if len(shape) > 1 else ():
        engine.strides = views.MIXED
        engine.heap.infos[x.cell].strides = orders.of_elements(engine, args, engine.content(x))
    return Tuple(tuple(found)) if several or len(found) > 1 else found[0]


def _by_parts(engine: Engine, function: Any, args: Sequence[Any], given: Settings) -> Any:
    assert given.signature is not None
    ins, results = given.signature
    if len(args) != len(ins):
        error = f"wrong number of positional arguments: expected {len(ins)}, got {len(args)}"
        engine.raise_constant(TypeError(error))
    operands = [as_array(engine.operand(x)) for x in args]
    shape, rows, sizes = in_parts(engine, operands, ins, read_only=READ_ONLY)
    count = math.prod(shape)
    if not count and given.otypes is not None:
        raise engine.refuse(
            "np.vectorize with a signature and otypes calls nothing here: there are no elements",
            "test for the empty array first",
        )
    first = _first(engine, function, rows, count)
    parts = first.items if isinstance(first, Tuple) else (first,)
    if len(parts) != len(results):
        error = f"wrong number of outputs from pyfunc: expected {len(results)}, got {len(parts)}"
        engine.raise_constant(ValueError(error))
    outs = []
    for k, (x, names) in enumerate(zip(parts, results, strict=True)):
        found = _number(engine, x, given.otypes is None)
        measure(engine, found.shape, names, sizes)
        dtype = found.dtype if given.otypes is None else given.otypes[k]
        outs.append((tuple([sizes[name] for name in names]), dtype))
    kept = Tuple(tuple(parts))
    whole = filled(engine, drivers.vectorized_parts, function, shape, rows, outs, kept)
    return Tuple(tuple(whole)) if len(whole) > 1 else whole[0]


def measure(engine: Engine, shape: Shape, names: Names, sizes: dict[str, int]) -> None:
    """Note the sizes of the dimensions that `names` names, the last ones of `shape`."""
    if len(shape) < len(names):
        error = (
            f"{len(shape)}-dimensional argument does not have enough dimensions for all core "
            f"dimensions {names!r}"
        )
        engine.raise_constant(ValueError(error))
    for name, size in zip(names, shape[len(shape) - len(names) :], strict=True):
        if sizes.setdefault(name, size) != size:
            error = f"inconsistent size for core dimension {name!r}: {size!r} vs {sizes[name]!r}"
            engine.raise_constant(ValueError(error))


def in_parts(
    engine: Engine, operands: Sequence[Array], names: Sequence[Names], **info: Any
) -> tuple[Shape, list[Ref], dict[str, int]]:
    """The shape that the operands broadcast to, but for the dimensions that are named; arrays of
    the elements, or parts, that the calls take one after the other; the sizes by name."""
    sizes: dict[str, int] = {}
    pairs = list(zip(operands, names, strict=True))
    for x, dims in pairs:
        measure(engine, x.shape, dims, sizes)
    shape = broadcast_shapes(*[x.shape[: x.ndim - len(dims)] for x, dims in pairs])
    rows = []
    for x, dims in pairs:
        part = [sizes[name] for name in dims]
        value = reshape(broadcast_to(x.value, (*shape, *part)), shape=(math.prod(shape), *part))
        rows.append(arrays.fresh(engine, Array(value), **info))
    return shape, rows, sizes


def _first(engine: Engine, function: Any, rows: Sequence[Ref], count: int) -> Any:
    """What the first call gives."""
    if not count:
        engine.raise_constant(ValueError(NOTHING_TO_CALL))
    return call(engine, function, [arrays.getitem(engine, row, Const(0)) for row in rows], {})


def _dtype_of(engine: Engine, x: Any) -> np.dtype:
    """That of an array for results like `x`, numbers."""
    found = _number(engine, x)
    if found.shape:
        raise engine.refuse(NUMBERS, "for arrays give a signature, as in signature='()->(n)'")
    return found.dtype


def _number(engine: Engine, x: Any, typed: bool = True) -> Array:
    """A result as an array; typed: whether its dtype matters."""
    found = None if choices.is_choice(x) else engine.operand(x)
    if not isinstance(found, (Array, Scalar, bool, int, float, complex, np.generic)):
        raise engine.refuse(NUMBERS, "there are no arrays of objects or text")
    dtypes = sorted({str(kinds.dtype_of(kind)) for kind in kinds.kinds_of(found)})
    if typed and len(dtypes) > 1:
        raise engine.refuse(
            f"np.vectorize gives arrays of the dtype of the first result: {' or '.join(dtypes)} "
            "here, by the values",
            "name the dtype, as in otypes=[float], or return numbers of one type",
        )
    return as_array(found)


def filled(
    engine: Engine,
    driver: Callable[..., None],
    function: Any,
    shape: Shape,
    rows: Sequence[Ref],
    parts: Sequence[tuple[Shape, np.dtype]],
    *first: Any,
    least: Shape = (),
) -> list[Ref]:
    """Arrays of `shape` of the parts that calls of `function` give, or fill (as `least`, those that
    have no dimensions), as `driver` calls it; first: what the first call gave."""
    count = math.prod(shape)
    spaces = [np.zeros((count, *(part or least)), dtype) for part, dtype in parts]
    outs = [arrays.fresh(engine, as_array(space)) for space in spaces]
    if count:
        call_object(engine, driver, [function, Tuple(tuple(outs)), Tuple(tuple(rows)), *first], {})
    held = [as_array(engine.operand(out)).value for out in outs]
    whole = [reshape(x, shape=(*shape, *part)) for x, (part, _) in zip(held, parts, strict=True)]
    return [arrays.fresh(engine, Array(value)) for value in whole]
