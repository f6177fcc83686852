"""Calls: which abstract callable does what.

A callable is a library function (`lib.registry`), a Python function or closure (visited as part of
the caller), a class (an instance is made), a bound method, a `functools.partial`, a transformed
function (`Compound("transformed", items, meta)`: it is up to `meta`), an instance with `__call__`,
a JAX function (a foreign op), or, for known arguments only, any foldable function.
"""

from __future__ import annotations

import contextlib
import functools
import math
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from pyxla.errors import CompileError
from pyxla.frontend import dispatchers
from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays import records
from pyxla.infer.arrays.fitting import verify_output
from pyxla.infer.arrays.positions import verify_positions
from pyxla.infer.calls import conversions, coroutines, functions, standard
from pyxla.infer.calls.captures import BoundedOperand, operand
from pyxla.infer.calls.dtypes import check_dtypes, is_floating
from pyxla.infer.calls.executed import (
    OF_OBJECTS,
    call_foldable,
    call_standard,
    folds,
    is_library,
    name_of,
    refuse_outside,
    static_arguments,
    yields_number,
)
from pyxla.infer.calls.jax_functions import call_foreign
from pyxla.infer.calls.visiting import call_closure, call_function, special
from pyxla.infer.engine import Engine
from pyxla.infer.heap import ObjectCell, Pooled
from pyxla.infer.joins import folded, kinds
from pyxla.infer.lattice import Array, Compound, Const, NeedsStatic, Ref, Tuple
from pyxla.infer.lists import number_lists
from pyxla.infer.raising.check_table import verify
from pyxla.infer.raising.sizes import verify_joined
from pyxla.ir.core import Value
from pyxla.lib import iterators
from pyxla.lib.bounded.elementwise import has_strategy, is_bounded, strategy_of
from pyxla.lib.containers import in_python, is_stand, stand_for
from pyxla.lib.random.libm import python_exp
from pyxla.lib.random.state import STATES
from pyxla.lib.refused import refusal
from pyxla.lib.registry import Implementation, is_numpys, lookup
from pyxla.lib.scipys import scipys


def call(engine: Engine, callee: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`callee(*args, **kwargs)`."""
    if isinstance(callee, Const):
        return call_object(engine, callee.value, args, kwargs)
    if isinstance(callee, Compound):
        if callee.kind == "function":
            return call_closure(engine, callee, args, kwargs)
        if callee.kind == "method":
            function, *bound = callee.items
            return call(engine, function, [*bound, *args], kwargs)
        if callee.kind == "partial":
            count, names = callee.meta
            function, *bound = callee.items
            named = dict(zip(names, bound[count:], strict=True))
            return call(engine, function, [*bound[:count], *args], {**named, **kwargs})
        if callee.kind == "cached":
            return standard.call_kept(engine, callee.meta, callee.items[0], args, kwargs)
        if callee.kind == "transformed":
            return callee.meta(engine, callee.items, args, kwargs)
    result = special(engine, callee, "__call__", tuple(args), kwargs)
    if result is None:
        kind = arrays.kind_of(engine, callee)
        raise engine.refuse(f"{kind} is not callable", raises=TypeError)
    return result


def call_object(engine: Engine, value: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call an object known while compiling."""
    if not kwargs and (found := folded.call(engine, value, args)) is not None:
        return found
    if (found := engine.rules.of_text(engine, value, args, kwargs)) is not None:
        return found
    owner = getattr(value, "__self__", None)
    if type(owner) in STATES:  # np.random.rand, random.random: methods of generators
        ref = engine.captures.abstract(engine, owner)
        return call_object(engine, getattr(type(owner), value.__name__), [ref, *args], kwargs)
    if engine.builder.exact is not None and value is math.exp:
        value = python_exp
    implementation = lookup(value) or scipys(value)
    if implementation is not None and len(args) == 1 and _iterates(engine, value, args[0]):
        args = [engine.rules.sequence(engine, *args)]
        if coroutines.is_generator(args[0]):
            coroutines.set_read(engine, args[0], False)  # it is `value` that reads it
    if args and (method := in_python(value, _class_of(engine, args[0]))) is not None:
        return call_object(engine, method, args, kwargs)
    if any([_reads(engine, value, implementation, x) for x in args]):
        return call_reader(engine, value, args, kwargs)
    if implementation is not None:
        return call_library(engine, value, implementation, args, kwargs)
    if (row := refusal(value)) is not None:
        refuse_outside(engine, value, row, args, kwargs)
    if isinstance(value, types.MethodType):  # which has the attributes of its function
        owner = engine.captures.abstract(engine, value.__self__)
        return call_object(engine, value.__func__, [owner, *args], kwargs)
    if (function := dispatchers.stand_in(value)) is not None:
        return call_object(engine, function, args, kwargs)
    if dispatchers.element_function(value) is not None and not kwargs:
        return call_object(engine, dispatchers.applied, [Const(value), *args], {})
    inline = getattr(value, "__pyxla_inline__", None)
    if inline is not None:
        return inline(engine, args, kwargs)
    inner = getattr(value, "__pyxla_function__", None)
    if inner is not None:
        return call_object(engine, inner, args, kwargs)
    if (interpreted := standard.interpreted_of(value)) is not None:
        return call_standard(engine, interpreted, args, kwargs)
    if isinstance(value, types.FunctionType):
        if engine.captures.is_foreign(value):
            return call_foreign(engine, value, args, kwargs)
        if functions.is_single(value):
            return functions.call_single(engine, value, args, kwargs)
        if is_library(value) and static_arguments(engine, args, kwargs) is not None:
            return call_foldable(engine, value, args, kwargs)
        if standard.is_standard(value):
            return call_standard(engine, value, args, kwargs)
        return call_function(engine, value, args, kwargs)
    if standard.is_cached(value):
        return standard.call_kept(engine, value, Const(value.__wrapped__), args, kwargs)
    if isinstance(value, functools.partial):
        bound = [engine.captures.abstract(engine, a) for a in value.args]
        for name, argument in value.keywords.items():
            engine.captures.guard(value.keywords, name, argument)
        named = {k: engine.captures.abstract(engine, a) for k, a in value.keywords.items()}
        return call_object(engine, value.func, [*bound, *args], {**named, **kwargs})
    if typing.is_typeddict(value):
        return call_object(engine, dict, args, kwargs)
    value = stand_for(value) if isinstance(value, type) else value
    if isinstance(value, type) and (engine.captures.constructs(value) or is_stand(value)):
        return engine.rules.construct(engine, value, args, kwargs)
    if engine.captures.is_foreign(value):
        return call_foreign(engine, value, args, kwargs)
    owner = getattr(value, "__self__", None)
    if isinstance(owner, str) and (found := lookup(getattr(str, name_of(value), None))):
        return call_library(engine, value, found, [Const(owner), *args], kwargs)
    if (found := lookup(getattr(type(value), "__call__", None))) is not None:
        return call_library(engine, value, found, [Const(value), *args], kwargs)
    if isinstance(getattr(type(value), "__call__", None), types.FunctionType):
        instance = engine.captures.abstract(engine, value)
        if not isinstance(instance, Const):
            return call(engine, instance, args, kwargs)
    return call_foldable(engine, value, args, kwargs)


def _class_of(engine: Engine, x: Any) -> type:
    """The class of an instance; `object` for all else."""
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    return content.cls if isinstance(content, (ObjectCell, Pooled)) else object


def _reads(engine: Engine, value: Any, implementation: Any, x: Any) -> bool:
    """Whether a library function reads `x`, a generator or what is read in steps."""
    if coroutines.is_generator(x):
        return standard.reads(value, implementation)
    if not engine.demands.stepped or value is next or not coroutines.is_stepped(engine, x):
        return False
    return standard.reads(value, None)


_CONSUMERS = frozenset({list, tuple, set, sorted, sum, any, all, enumerate, max, min})


def _iterates(engine: Engine, value: Any, x: Any) -> bool:
    """Whether a function reads an instance whose class says how it is iterated over."""
    content = engine.heap.contents.get(x.cell) if type(x) is Ref else None
    if type(content) is not ObjectCell or content.cls.__module__.startswith("pyxla."):
        return False
    iterable = hasattr(content.cls, "__iter__") or hasattr(content.cls, "__getitem__")
    return iterable and value in _CONSUMERS


def call_reader(engine: Engine, value: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A library function of generators: read in turn where that is known, else made lists."""
    if value is zip and [coroutines.is_stepped(engine, x) for x in args].count(True) > 1:
        readers = [call(engine, Const(iter), [x], {}) for x in args]
        return call(engine, Const(iterators.zip_steps), readers, kwargs)
    args = [coroutines.as_generator(engine, x) for x in args]
    strict = False
    if value is zip:  # of which the others are indexed
        strict = engine.static(kwargs.pop("strict", Const(False)), "whether zip is strict")
        args = [x if coroutines.is_generator(x) else engine.rules.sequence(engine, x) for x in args]
    reader, args = standard.reader_of(engine, value, args, strict)
    if reader is not None:
        return call_function(engine, reader, args, kwargs)
    collected = standard.READERS[list]
    args = [
        call_function(engine, collected, [x], {}) if coroutines.is_generator(x) else x for x in args
    ]
    return call_object(engine, value, args, kwargs)


def call_library(
    engine: Engine,
    value: Any,
    implementation: Implementation,
    args: list[Any],
    kwargs: dict[str, Any],
) -> Any:
    """A registered function: constants by CPython, else the library function."""
    if (found := conversions.of_instances(engine, value, args)) is not None:
        return found
    if (made := records.created(engine, value, args, kwargs)) is not None:
        return made
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
        floats = is_floating(kwargs.get("dtype"))
        args = [number_lists.by_value(engine, a, floats) for a in args]
        kwargs = {k: number_lists.by_value(engine, a) for k, a in kwargs.items()}
    if (kinds.is_tracked(value) or any(map(kinds.has_exact, args))) and "out" not in kwargs:
        again = functools.partial(call_library, engine, value, implementation)
        found = kinds.separately(engine, value, args, lambda *parts: again([*parts], {**kwargs}))
        if found is not None:
            return found
    if folds(value) or implementation.rank0 != "array":
        static = static_arguments(engine, args, kwargs)
        if static is not None and (folds(value) or yields_number(value, static)):
            return engine.fold_object(value, *static)
    out = kwargs.pop("out", None) if "out" in kwargs else None
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
    inner = getattr(value, "_implementation", None)
    try:
        written = isinstance(inner, types.FunctionType)
        result = apply(engine, name_of(value), implementation, args, kwargs, written)
    except BoundedOperand:  # NumPy's own Python is over functions that may take such arrays
        with contextlib.suppress(CompileError):
            return call_function(engine, inner, args, kwargs)
        result = apply(engine, name_of(value), implementation, args, kwargs)
    if out is not None and not (isinstance(out, Const) and out.value is None):
        casting = kwargs.get("casting", Const("same_kind")) if isinstance(value, np.ufunc) else None
        return _store(engine, result, out, where, casting)
    if where is not None and not (isinstance(where, Const) and where.value is True):
        raise engine.refuse("where= without out= leaves elements undefined", "pass out= as well")
    if value is np.ascontiguousarray or (
        value is np.ndarray.copy and len(args) == 1 and not kwargs
    ):
        engine.permuted = False  # its default alone is C order
    engine.permuted |= value is np.asfortranarray or value is np.apply_along_axis
    found = engine.abstract(result, _zero_d(implementation, args))
    if engine.mixed is not None and any(map(kinds.may_be_array, args)):
        if implementation.rank0 == "method" or (implementation.same and isinstance(found, Ref)):
            raise kinds.refused(engine, f"{name_of(value)} of a number", *args)
    if engine.mixed is not None:
        check_dtypes(engine, name_of(value), value, found, args)
    return kinds.operated(engine, value, args, found) if kinds.is_tracked(value) else found


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
    engine.permuted = False
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


def _store(engine: Engine, result: Any, out: Any, where: Any, casting: Any = None) -> Any:
    """`out=`: the result is cast into the given arrays, which are returned."""
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
        arrays.assign(engine, target, array)
    return targets[0] if len(targets) == 1 else Tuple(tuple(targets))


def wrapper(engine: Engine, callee: Any) -> Callable[..., Any]:
    """A function argument as library functions see it."""

    def compiled(*args: Any, **kwargs: Any) -> Any:
        abstract = [engine.abstract(a) for a in args]
        named = {k: engine.abstract(a) for k, a in kwargs.items()}
        return engine.operand(call(engine, callee, abstract, named))

    compiled.__pyxla_callee__ = callee  # type: ignore[attr-defined]
    return compiled
