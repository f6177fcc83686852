"""Calls of functions of the library: constants by CPython, all else by `lib.registry`'s."""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Const, NeedsStatic, Ref, Tuple
from pyxla.errors import CompileError
from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays import objects, orders, records
from pyxla.infer.arrays.fitting import BROADCASTING, verify_output, verify_same
from pyxla.infer.arrays.positions import verify_positions
from pyxla.infer.calls import conversions
from pyxla.infer.calls.captures import BoundedOperand, operand
from pyxla.infer.calls.dtypes import asked, check_dtypes
from pyxla.infer.calls.executed import OF_OBJECTS, folds, name_of, static_arguments, yields_number
from pyxla.infer.calls.visiting import call_function
from pyxla.infer.engine import Engine
from pyxla.infer.joins import kinds, operated
from pyxla.infer.lists import as_arrays, number_lists
from pyxla.infer.raising.check_table import verify
from pyxla.infer.raising.sizes import verify_joined
from pyxla.ir.core import Value
from pyxla.lib.bounded.elementwise import has_strategy, is_bounded, strategy_of
from pyxla.lib.registry import Implementation, LeftToPython, is_numpys, lookup


def call_library(
    engine: Engine,
    value: Any,
    implementation: Implementation,
    args: list[Any],
    kwargs: dict[str, Any],
) -> Any:
    """A registered function: constants by CPython, else the library function."""
    args = conversions.without_none(engine, value, args)
    if (found := _of_no_arrays(engine, value, args, kwargs)) is not None:
        return found
    if implementation.heap:
        if any(map(kinds.may_be_array, args)) and (is_numpys(value) or value in OF_OBJECTS):
            raise kinds.refused(engine, f"{name_of(value)} of a number", *args)
        try:
            return engine.library(name_of(value), implementation.function, engine, *args, **kwargs)
        except CompileError as refusal:
            given = [x for x in (*args, *kwargs.values()) if arrays.is_array(engine, x)]
            sized = [engine.bounded_operand(x) for x in given]
            raise _sized_by_counter(engine, sized, refusal) or refusal from None
    if is_numpys(value):  # to which a list of numbers is the array of them
        dtype = asked(value, args, kwargs)
        if dtype is not None and value in (np.array, np.asarray) and args:
            number_lists.verify_items(engine, args[0], dtype)
        args = [number_lists.by_value(engine, a, dtype) for a in args]
        kwargs = {k: number_lists.by_value(engine, a) for k, a in kwargs.items()}
    if (operated.is_tracked(value) or any(map(kinds.has_exact, args))) and "out" not in kwargs:
        again = functools.partial(call_library, engine, value, implementation)
        found = operated.separately(engine, value, args, lambda *parts: again([*parts], {**kwargs}))
        if found is not None:
            return found
    if folds(value) or implementation.rank0 != "array":
        static = static_arguments(engine, args, kwargs)
        if static is not None and (folds(value) or yields_number(value, static)):
            return engine.fold_object(value, *static)
    out = kwargs.pop("out", None)
    asked_for = isinstance(value, np.ufunc) and getattr(out, "value", None) is ...
    out = None if asked_for else out  # `...`: an array also where it has no dimensions
    place = implementation.out
    if place is not None and len(args) > place:
        out, args = args[place], [*args[:place], Const(None), *args[place + 1 :]]
    where = kwargs.pop("where", None) if isinstance(value, np.ufunc) else None
    if isinstance(value, np.ufunc) and len(args) > value.nargs:
        takes = f"takes from {value.nin} to {value.nargs} positional arguments"
        raise engine.refuse(f"{name_of(value)}() {takes} but {len(args)} were given")
    if isinstance(value, np.ufunc) and len(args) > value.nin:
        out, args = Tuple(tuple(args[value.nin :])), args[: value.nin]
    engine.mixed = None
    try:
        result = apply(engine, name_of(value), implementation, args, kwargs, is_python(value))
    except BoundedOperand:  # NumPy's own Python is over functions that may take such arrays
        with contextlib.suppress(CompileError):
            return call_function(engine, python_of(value), args, kwargs)
        result = apply(engine, name_of(value), implementation, args, kwargs)
    except LeftToPython as left:
        kwargs = {name: x for name, x in kwargs.items() if name not in left.ignored}
        return call_function(engine, python_of(left.python or value), args, kwargs)
    if out is not None and not (isinstance(out, Const) and out.value is None):
        casting = kwargs.get("casting", Const("same_kind")) if isinstance(value, np.ufunc) else None
        exact = None if casting is not None or value in BROADCASTING else value
        return _store(engine, result, out, where, casting, exact)
    if where is not None and not (isinstance(where, Const) and where.value is True):
        raise engine.refuse("where= without out= leaves elements undefined", "pass out= as well")
    engine.strides = orders.of_function(engine, value, args, kwargs, result)
    found = engine.abstract(result, _zero_d(implementation, args) or asked_for)
    if engine.mixed is not None:
        _verify_kinds(engine, value, implementation, found, args, kwargs)
    return operated.operated(engine, value, args, found) if operated.is_tracked(value) else found


def _of_no_arrays(engine: Engine, value: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What a function makes of instances, long ints, records, objects, or lists of arrays of
    several sizes; None of anything else."""
    if (found := conversions.of_instances(engine, value, args)) is not None:
        return found
    if (found := conversions.of_words(engine, value, args)) is not None:
        return found
    if (made := records.created(engine, value, args, kwargs)) is not None:
        return made
    if (made := objects.created(engine, value, args, kwargs)) is not None:
        return made
    if (found := records.applied(engine, value, args, kwargs)) is not None:
        return found
    return as_arrays.joined(engine, value, args, kwargs)


def _verify_kinds(
    engine: Engine,
    value: Any,
    implementation: Implementation,
    found: Any,
    args: list[Any],
    kwargs: dict[str, Any],
) -> None:
    """Refuse what is `found` of numbers of several kinds where it depends on which they are."""
    method = implementation.rank0 == "method"
    if method or (implementation.same and isinstance(found, Ref)):
        if any(map(kinds.may_be_array, args)):
            raise kinds.refused(engine, f"{name_of(value)} of a number", *args)
    if asked(value, args, kwargs) is None:
        check_dtypes(engine, name_of(value), value, found, args, kwargs)


def is_python(value: Any) -> bool:
    """Whether NumPy has a function in Python."""
    return isinstance(getattr(value, "_implementation", None), types.FunctionType)


def python_of(value: Any) -> Any:
    """What NumPy has in Python behind the dispatch of a function."""
    return getattr(value, "_implementation", value)


def _zero_d(implementation: Implementation, args: Sequence[Any]) -> bool:
    """Whether results without dimensions are 0-d arrays."""
    if implementation.rank0 != "method":
        return implementation.rank0 == "array"
    first = args[0] if args else None
    known = isinstance(first, Const) and isinstance(first.value, np.generic)
    return not (known or isinstance(first, Array))


def apply(
    engine: Engine,
    name: str,
    implementation: Implementation,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    written: bool = False,
) -> Any:
    """What a library function returns for abstract arguments; `written`: BoundedOperand where it
    does not take them."""
    engine.strides = None
    function = implementation.function
    bounded = implementation.bounded
    try:
        operands = [operand(engine, a, bounded) for a in args]
        named = {k: operand(engine, a, bounded) for k, a in kwargs.items()}
    except BoundedOperand:
        if written and not has_strategy(function):
            raise
        function = strategy_of(function)
        operands = [engine.bounded_operand(a) for a in args]
        named = {k: engine.bounded_operand(a) for k, a in kwargs.items()}
        verify_joined(engine, implementation.function, operands[0] if operands else None)
    try:
        result = engine.library(name, function, *operands, **named)
    except CompileError as refusal:
        raise _sized_by_counter(engine, operands, refusal) or refusal from None
    if engine.checks or engine.guards:
        verify(engine, implementation.function, operands, named, result)
        verify_positions(engine, implementation.function, operands, named)
    if implementation.same:
        given = zip([*args, *kwargs.values()], [*operands, *named.values()], strict=True)
        return _as_given(dict(_given(engine, given)), result, implementation.rank0)
    return result


def _given(engine: Engine, pairs: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Value, Ref]]:
    """The arrays among arguments, by what they hold."""
    for x, found in pairs:
        if isinstance(x, Ref) and isinstance(found, Array):
            yield found.value, x
        elif isinstance(found, list):
            items = arrays.items_of(engine, x) or ()
            yield from _given(engine, zip(items, found, strict=False))


def _as_given(given: dict[Value, Ref], result: Any, rank0: str) -> Any:
    """`result` with the arrays that were given as themselves."""
    if isinstance(result, (tuple, list)):
        return type(result)([_as_given(given, x, rank0) for x in result])
    if isinstance(result, Array) and (result.shape or rank0 == "array"):
        return given.get(result.value, result)
    return result


def _sized_by_counter(
    engine: Engine, operands: Sequence[Any], refusal: CompileError
) -> NeedsStatic | None:
    """Ask for the sizes that number arguments and loop counters decide, where bounds do not do."""
    sizes = [size for x in _arrays(operands) for size in x.extents or ()]
    return engine.demand(tuple([size.value for size in sizes if size is not None]), refusal)


def _arrays(operands: Iterable[Any]) -> Iterator[Array]:
    """The arrays among operands, those in lists included."""
    for x in operands:
        if isinstance(x, Array):
            yield x
        elif isinstance(x, (list, tuple)):
            yield from _arrays(x)


def _store(
    engine: Engine, result: Any, out: Any, where: Any, casting: Any = None, exact: Any = None
) -> Any:
    """`out=`: the result is cast into the given arrays, which are returned; exact: the function
    that wants them of just its shape."""
    rule: Any = "same_kind" if casting is None else engine.static(casting, "the casting rule")
    results = result if isinstance(result, tuple) else (result,)
    targets = list(out.items) if isinstance(out, Tuple) else [out]
    targets += [Const(None)] * (len(results) - len(targets))
    for i, (target, array) in enumerate(zip(targets, results, strict=True)):
        if isinstance(target, Const) and target.value is None:
            if any(arrays.is_array(engine, t) and arrays.shown(engine, t)[0] for t in targets):
                raise engine.refuse("out= is needed for every result")
            targets[i] = engine.abstract(array)
            continue
        if not arrays.is_array(engine, target):
            raise engine.refuse("out= must be an array")
        if not np.can_cast(array.dtype, arrays.dtype_of(engine, target), rule):
            raise engine.refuse(
                f"Cannot cast output from {array.dtype} to {arrays.dtype_of(engine, target)} "
                f"with casting rule {rule!r}"
            )
        if where is not None:
            select = lookup(np.where)
            operands = [engine.bounded_operand(where), array, arrays.read(engine, target)]
            function = select.function
            if any(map(is_bounded, operands)):
                function = strategy_of(function)
            array = engine.library("where", function, *operands)
        if not isinstance(array, Array):
            array = engine.as_array(array)
        if casting is not None:
            verify_output(engine, array, *arrays.shown(engine, target))
        if exact is not None:
            verify_same(engine, exact, array, *arrays.shown(engine, target))
        arrays.assign(engine, target, array)
    return targets[0] if len(targets) == 1 else Tuple(tuple(targets))
