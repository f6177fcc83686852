"""Calls: which abstract callable does what.

A callable is a library function (`lib.registry`), a Python function or closure (visited as part of
the caller), a class (an instance is made), a bound method, a `functools.partial`, a transformed
function (`Compound("transformed", items, meta)`: it is up to `meta`), an instance with `__call__`,
a JAX function (a foreign op), or, for known arguments only, any foldable function.
"""

from __future__ import annotations

import functools
import io
import math
import types
import typing
from collections.abc import Callable, Hashable
from typing import Any

from numpy.linalg import LinAlgError

from pyxla.abstract.heap import ObjectCell, Pooled
from pyxla.abstract.lattice import Compound, Const, Ref, is_variant
from pyxla.errors import CompileError
from pyxla.frontend import dispatchers
from pyxla.infer import using
from pyxla.infer.calls import closures, coroutines, functions, kept, standard
from pyxla.infer.calls.executed import (
    call_foldable,
    call_standard,
    is_library,
    name_of,
    refuse_outside,
    static_arguments,
)
from pyxla.infer.calls.jax_functions import call_foreign
from pyxla.infer.calls.library import call_library
from pyxla.infer.calls.visiting import call_closure, call_function, special
from pyxla.infer.classes import is_generated, is_python
from pyxla.infer.engine import Engine
from pyxla.infer.joins import folded
from pyxla.infer.raising.refusals import lacking
from pyxla.lib import factors, iterators
from pyxla.lib.containers import in_python, is_stand, stand_for
from pyxla.lib.interpreted import given_arguments
from pyxla.lib.random.libm import python_exp
from pyxla.lib.random.state import STATES
from pyxla.lib.refused import refusal
from pyxla.lib.registry import lookup
from pyxla.lib.scipys import raising, scipys


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
            return kept.call_kept(engine, callee, args, kwargs)
        if callee.kind == "transformed":
            return callee.meta(engine, callee.items, args, kwargs)
    if (closure := closures.of_row(engine, callee)) is not None:
        return call(engine, closure, args, kwargs)
    result = special(engine, callee, "__call__", tuple(args), kwargs)
    if result is None:
        raise lacking(engine, callee, "is not callable", "{!r} object is not callable")
    return result


def call_object(engine: Engine, value: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call an object known while compiling."""
    if engine.demands.hosted and isinstance(value, Hashable) and value in engine.demands.hosted:
        return engine.rules.on_host(engine, value, args, kwargs)
    if kwargs:
        _check_by_position(engine, value)
    try:
        return _call_known(engine, value, args, kwargs)
    except CompileError as error:
        if engine.options is not None and engine.options.host:
            error.callees += (value,)
        raise


_BY_POSITION = (list, dict, set, frozenset, tuple)
_BY_NAME = (list.sort, dict.update)


def _check_by_position(engine: Engine, value: Any) -> None:
    """Refuse arguments by name of a method of CPython's containers that takes none."""
    method = isinstance(value, types.MethodDescriptorType) and value.__objclass__ in _BY_POSITION
    if method and value not in _BY_NAME:
        words = f"{value.__qualname__}() takes no keyword arguments"
        raise engine.refuse(words, "give them by position", raises=TypeError, words=words)


def _call_known(engine: Engine, value: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if not kwargs and (found := folded.call(engine, value, args)) is not None:
        return found
    if (found := engine.rules.of_text(engine, value, args, kwargs)) is not None:
        return found
    owner = getattr(value, "__self__", None)
    if owner is not None and isinstance(owner, io.IOBase):
        return engine.rules.on_host(engine, value, args, kwargs)
    if type(owner) in STATES:  # np.random.rand, random.random: methods of generators
        ref = engine.captures.abstract(engine, owner)
        return call_object(engine, getattr(type(owner), value.__name__), [ref, *args], kwargs)
    if engine.builder.exact is not None and value is math.exp:
        value = python_exp
    implementation = lookup(value) or scipys(value)
    if implementation is not None and args:
        args = _iterable(engine, value, args)
    if args and (method := in_python(value, _class_of(engine, args[0]))) is not None:
        return call_object(engine, method, args, kwargs)
    if any([_reads(engine, value, implementation, x) for x in args]):
        return call_reader(engine, value, args, kwargs)
    if getattr(value, "__objclass__", None) in (int, float, complex):
        if (known := static_arguments(engine, args, kwargs)) is not None:
            return engine.fold_object(value, *known)
    if implementation is not None:
        around = raising(value, len(args))
        inside = engine.frames and engine.frames[-1].module is vars(factors)
        if around is not None and not inside and engine.tests(LinAlgError):
            return call_object(engine, around, [Const(value), *args], kwargs)
        return call_library(engine, value, implementation, args, kwargs)
    if (row := refusal(value)) is not None:
        refuse_outside(engine, value, row, args, kwargs)
    if (function := dispatchers.stand_in(value)) is not None:
        return call_object(engine, function, args, kwargs)
    if isinstance(value, types.MethodType):  # which has the attributes of its function
        owner = engine.captures.abstract(engine, value.__self__)
        return call_object(engine, value.__func__, [owner, *args], kwargs)
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
        return _call_python(engine, value, args, kwargs)
    if kept.is_cached(value):
        return kept.call_kept(engine, Const(value), args, kwargs)
    if isinstance(value, functools.partial):
        bound = [engine.captures.abstract(engine, a) for a in value.args]
        for name, argument in value.keywords.items():
            engine.captures.guard(value.keywords, name, argument)
        named = {k: engine.captures.abstract(engine, a) for k, a in value.keywords.items()}
        return call_object(engine, value.func, [*bound, *args], {**named, **kwargs})
    origin = typing.get_origin(value)
    if isinstance(origin, type) and issubclass(origin, typing.Generic):  # type: ignore[arg-type]
        made = call_object(engine, origin, args, kwargs)
        return call_object(engine, given_arguments, [made, Const(value)], {})
    if typing.is_typeddict(value):
        return call_object(engine, dict, args, kwargs)
    value = stand_for(value) if isinstance(value, type) else value
    # `np.finfo(float)` holds what is known and never changes.
    held = is_library(value) and all([type(x) is Const for x in (*args, *kwargs.values())])
    makes = isinstance(value, type) and not held
    if makes and (engine.captures.constructs(value) or is_stand(value)):
        return engine.rules.construct(engine, value, args, kwargs)
    if engine.captures.is_foreign(value):
        return call_foreign(engine, value, args, kwargs)
    if (found := _unbound(value)) is not None:
        return call_library(engine, value, found, [Const(value.__self__), *args], kwargs)
    method = None if isinstance(value, type) else getattr(type(value), "__call__", None)
    if (found := lookup(method)) is not None:
        return call_library(engine, value, found, [Const(value), *args], kwargs)
    if is_python(method):
        instance = engine.captures.abstract(engine, value)
        if not isinstance(instance, Const):
            return call(engine, instance, args, kwargs)
    return call_foldable(engine, value, args, kwargs)


def _iterable(engine: Engine, value: Any, args: list[Any]) -> list[Any]:
    """The arguments, of which a function of the library may iterate over the first."""
    if is_variant(args[0], "optional") and value in _SAID_OF_NONE:
        if len(args) == 1 or value not in (max, min):
            args = [using.some(engine, args[0], _SAID_OF_NONE[value]), *args[1:]]
    if len(args) == 1 and _iterates(engine, value, args[0]):
        args = [engine.rules.sequence(engine, *args)]
        if coroutines.is_generator(args[0]):
            coroutines.set_read(engine, args[0], False)  # it is `value` that reads it
    return args


def _unbound(value: Any) -> Any:
    """What is registered for a method of a text, of bytes, or one that an operator calls of another
    constant; None where nothing is."""
    owner, name = getattr(value, "__self__", None), name_of(value)
    if isinstance(owner, (str, bytes)) or (type(owner) in _IMMUTABLE and name.startswith("__")):
        return lookup(getattr(type(owner), name, None))
    return None


def _call_python(
    engine: Engine, value: types.FunctionType, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """Call a function whose source is looked for, or one that stands for others."""
    if is_generated(value) and args and (owner := _owner(value, _class_of(engine, args[0]))):
        x, *rest = args
        return engine.rules.call_member(engine, owner, value.__name__, value, x, rest, kwargs)
    if engine.captures.is_foreign(value):
        return call_foreign(engine, value, args, kwargs)
    if value.__code__ is functions.SINGLE:
        return functions.call_single(engine, value, args, kwargs)
    if is_library(value) and static_arguments(engine, args, kwargs) is not None:
        return call_foldable(engine, value, args, kwargs)
    if standard.is_standard(value):
        return call_standard(engine, value, args, kwargs)
    return call_function(engine, value, args, kwargs)


def _class_of(engine: Engine, x: Any) -> type:
    """The class of an instance; `object` for all else."""
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    return content.cls if isinstance(content, (ObjectCell, Pooled)) else object


def _owner(method: types.FunctionType, cls: type) -> type | None:
    """The dataclass among the bases of `cls` for which `method` was generated."""
    name = method.__name__
    return next((base for base in cls.__mro__ if vars(base).get(name) is method), None)


def _reads(engine: Engine, value: Any, implementation: Any, x: Any) -> bool:
    """Whether a library function reads `x`, a generator or what is read in steps."""
    if coroutines.is_generator(x):
        return standard.reads(value, implementation)
    if value in (any, all) and standard.is_seen(engine, x, "__bool__", "__len__"):
        return True
    if not engine.demands.stepped or value is next or not coroutines.is_stepped(engine, x):
        return False
    return standard.reads(value, None)


_IMMUTABLE = frozenset({int, bool, float, complex, tuple, range, frozenset})
_CONSUMERS = frozenset({list, tuple, set, sorted, sum, any, all, enumerate, max, min, math.fsum})

# What CPython says where the first argument is None.
_SAID_OF_NONE = dict.fromkeys((*_CONSUMERS, iter), "'NoneType' object is not iterable") | {
    len: "object of type 'NoneType' has no len()",
    next: "'NoneType' object is not an iterator",
    reversed: "'NoneType' object is not reversible",
}


def _iterates(engine: Engine, value: Any, x: Any) -> bool:
    """Whether a function reads an instance whose class says how it is iterated over."""
    cls = _class_of(engine, x)
    if cls.__module__.startswith("pyxla."):
        return False
    iterable = hasattr(cls, "__iter__") or hasattr(cls, "__getitem__")
    return iterable and value in _CONSUMERS


def call_reader(engine: Engine, value: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A library function of generators: read in turn where that is known, else made lists."""
    strict = False
    if value is zip:
        strict = engine.static(kwargs.pop("strict", Const(False)), "whether zip is strict")
        asked = [coroutines.reader(engine, x) for x in args]
        if sum(x is not None for x in asked) > 1:
            pairs = zip(asked, args, strict=True)
            readers = [x or call(engine, Const(iter), [y], {}) for x, y in pairs]
            steps = iterators.zip_steps_strictly if strict else iterators.zip_steps
            return call(engine, Const(steps), readers, kwargs)
    args = [coroutines.as_generator(engine, x) for x in args]
    if value is zip:  # of which the others are indexed
        args = [x if coroutines.is_generator(x) else engine.rules.sequence(engine, x) for x in args]
    if value is sum:
        standard.start_of_sum(engine, args, kwargs)
    reader, args = standard.reader_of(engine, value, args, strict)
    if reader is not None:
        return call_function(engine, reader, args, kwargs)
    collected = standard.READERS[list]
    args = [
        call_function(engine, collected, [x], {}) if coroutines.is_generator(x) else x for x in args
    ]
    return call_object(engine, value, args, kwargs)


def wrapper(engine: Engine, callee: Any) -> Callable[..., Any]:
    """A function argument as library functions see it."""

    def compiled(*args: Any, **kwargs: Any) -> Any:
        abstract = [engine.abstract(a) for a in args]
        named = {k: engine.abstract(a) for k, a in kwargs.items()}
        return engine.operand(call(engine, callee, abstract, named))

    compiled.__pyxla_callee__ = callee  # type: ignore[attr-defined]
    return compiled
