"""Builtins that ask about objects, and operators as functions."""

from __future__ import annotations

import collections
import dataclasses
import functools
import math
import operator
import types
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.deciding import by_counted_loops
from pyxla.abstract.heap import ObjectCell
from pyxla.abstract.lattice import (
    Array,
    Compound,
    Const,
    NeedsStatic,
    Ref,
    Scalar,
    Tuple,
    is_number,
)
from pyxla.frontend import support
from pyxla.infer import using, words
from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays import orders
from pyxla.infer.calls import closures, kept, standard
from pyxla.infer.calls.dispatch import call
from pyxla.infer.calls.library import apply
from pyxla.infer.calls.visiting import call_method, class_of
from pyxla.infer.comparisons import compare
from pyxla.infer.containers import tables
from pyxla.infer.containers.indexing import content_of, get_item
from pyxla.infer.containers.making import unknown
from pyxla.infer.containers.structure import iterate, length
from pyxla.infer.engine import Engine
from pyxla.infer.frame import Frame
from pyxla.infer.instances import exception_init, object_init, replace
from pyxla.infer.introspection import has_attribute
from pyxla.infer.joins import far
from pyxla.infer.joins.kinds import choose
from pyxla.infer.joins.operated import operated, separately
from pyxla.infer.lists import number_lists
from pyxla.infer.objects import get_attribute, type_of
from pyxla.infer.operands import ARITHMETIC
from pyxla.infer.operators import binary, inplace, negate, truth, unary
from pyxla.infer.raising import exceptions
from pyxla.infer.raising.objects import class_of_exception
from pyxla.infer.transfer import transfer
from pyxla.ir.core import Instr
from pyxla.ir.types import CLASSES, PYTHON_KINDS
from pyxla.lib import sequences
from pyxla.lib.mathlib import FACTORIAL_LIMIT
from pyxla.lib.registry import REGISTRY, rule
from pyxla.ops.elementwise import count_leading_zeros, popcnt

rule(dataclasses.replace)(replace)


@rule(dataclasses.fields)
def _fields(engine: Engine, x: Any) -> Any:
    cls = _class_of(engine, x)
    if not dataclasses.is_dataclass(cls):
        raise engine.refuse("must be called with a dataclass type or instance")
    return Tuple(tuple(map(Const, dataclasses.fields(cls))))


@rule(dataclasses.is_dataclass)
def _is_dataclass(engine: Engine, x: Any) -> Any:
    return Const(dataclasses.is_dataclass(_class_of(engine, x)))


def _class_of(engine: Engine, x: Any) -> type:
    """The class that `x` is, or is an instance of."""
    known = isinstance(x, Const) and isinstance(x.value, type)
    return x.value if known else type_of(engine, x)


@transfer("yield")
def _yield(engine: Engine, frame: Frame, instr: Instr) -> Any:
    frame.driver.visit(using.moved(engine, frame.env[instr.operands[0]]))
    return Const(None)


@transfer("landing")
def _landing(engine: Engine, frame: Frame, instr: Instr) -> None:
    """Whoever sends an exception here has looked at it."""


@rule(object_init)
def _object_init(engine: Engine, *args: Any, **kwargs: Any) -> Any:
    return Const(None)


@rule(exception_init)
def _exception_init(engine: Engine, x: Any, *args: Any) -> Any:
    content = engine.content(x)
    engine.set_content(x.cell, ObjectCell(content.cls, {**content.fields, "args": Tuple(args)}))
    return Const(None)


@rule(support.catches)
def _catches(engine: Engine, raised: Any, classes: Any) -> Any:
    return exceptions.is_one_of(raised, exceptions.classes_of(classes) or ())


@rule(support.caught)
def _caught(engine: Engine, raised: Any, classes: Any, *before: Any) -> Any:
    excluded = [cls for x in before for cls in exceptions.classes_of(x) or ()]
    return exceptions.narrowed(raised, exceptions.classes_of(classes) or (), tuple(excluded))


@rule(support.enter)
def _enter(engine: Engine, manager: Any) -> Any:
    return _managed(engine, manager, "__enter__")


@rule(support.leave)
def _leave(engine: Engine, manager: Any, raised: Any) -> Any:
    none = Const(None)
    if not exceptions.is_exception(raised):
        return _managed(engine, manager, "__exit__", none, none, none)
    kind = class_of_exception(raised)
    return _managed(engine, manager, "__exit__", kind, raised, none)


def _managed(engine: Engine, manager: Any, name: str, *args: Any) -> Any:
    result = engine.rules.special(engine, manager, name, args)
    if result is None:
        raise engine.refuse(
            f"{arrays.kind_of(engine, manager)} is no context manager that can be compiled",
            "do what it does outside the compiled function",
        )
    return result


@rule(types.MethodType)
def _method(engine: Engine, function: Any, owner: Any) -> Any:
    return Compound("method", (function, owner))


@rule(functools.partial)
def _partial(engine: Engine, function: Any, /, *args: Any, **kwargs: Any) -> Any:
    items = (function, *args, *kwargs.values())
    return closures.entered(engine, Compound("partial", items, (len(args), tuple(kwargs))))


@rule(super)
def _super(engine: Engine, *args: Any) -> Any:
    frame = engine.frames[-1]
    if args:
        start, self_ = engine.static(args[0], "the class of super()"), args[1]
    elif "__class__" not in frame.boxes:
        words = "super(): __class__ cell not found"
        raise engine.refuse(
            words, "call super() in a method that a class defines", raises=RuntimeError
        )
    else:
        box = engine.heap.contents[frame.boxes["__class__"].cell]
        start = engine.static(box.value)
        first = frame.ssa.function.params[0]
        self_ = frame.env[first]
    content = content_of(engine, self_)
    cls = content.cls if isinstance(content, ObjectCell) else type_of(engine, self_)
    if isinstance(self_, Const) and issubclass(cls, type) and issubclass(self_.value, start):
        cls = self_.value  # in a class method, or in `__new__`
    return Compound("super", (self_,), (cls, start))


@rule(bool)
def _bool(engine: Engine, x: Any = Const(False)) -> Any:
    return truth(engine, x)


@rule(support.import_module)
def _import_module(engine: Engine, name: Any, top: Any = Const(True)) -> Any:
    return engine.fold_object(support.import_module, (name.value, top.value))


@rule(support.import_from)
def _import_from(engine: Engine, *args: Any) -> Any:
    return engine.fold_object(support.import_from, tuple(a.value for a in args))


@rule(support.refuse)
def _refuse(engine: Engine, message: Any, hint: Any) -> Any:
    raise engine.refuse(message.value, hint.value)


@rule(support.matches_sequence)
def _matches_sequence(engine: Engine, x: Any) -> Any:
    if isinstance(x, Const):
        return Const(support.matches_sequence(x.value))
    cls = type_of(engine, x)
    return Const(issubclass(cls, Sequence) and not issubclass(cls, str | bytes | bytearray))


@rule(support.matches_mapping)
def _matches_mapping(engine: Engine, x: Any) -> Any:
    if isinstance(x, Const):
        return Const(support.matches_mapping(x.value))
    return Const(issubclass(type_of(engine, x), Mapping))


@rule(support.without)
def _without(engine: Engine, x: Any, *keys: Any) -> Any:
    known = {engine.key(key) for key in keys}
    items = content_of(engine, x).items
    return engine.new_dict({k: v for k, v in items.items() if k not in known})


@rule(support.match_value)
def _match_value(engine: Engine, x: Any, cls: Any, index: Any) -> Any:
    name = _match_attribute(engine, cls.value, index.value)
    return get_attribute(engine, x, name) if name else x


@rule(support.has_match_value)
def _has_match_value(engine: Engine, x: Any, cls: Any, index: Any) -> Any:
    name = _match_attribute(engine, cls.value, index.value)
    return has_attribute(engine, x, Const(name)) if name else Const(True)


def _match_attribute(engine: Engine, cls: type, index: int | str) -> str:
    engine.captures.member(cls, "__match_args__")  # others are noticed
    return support.match_attribute(cls, index)


@rule(float.conjugate, int.conjugate, bool.conjugate)
def _conjugate_real(engine: Engine, x: Any) -> Any:
    return unary(engine, "pos", x)


@rule(complex.conjugate)
def _conjugate(engine: Engine, x: Any) -> Any:
    conjugated = call(engine, Const(np.conjugate), [x], {})
    return arrays.python_scalar(engine.operand(conjugated), complex)


@rule(float.is_integer)
def _is_integer(engine: Engine, x: Any) -> Any:
    cut = call(engine, Const(float), [call(engine, Const(np.trunc), [x], {})], {})
    whole = compare(engine, "eq", cut, x)
    finite = call(engine, Const(math.isfinite), [x], {})
    return engine.rules.both(engine, finite, whole)


def _bits(engine: Engine, x: Any) -> Any:
    """The bits of the magnitude of an int."""
    x = call(engine, Const(abs), [x], {})
    return far.ring(x) if far.is_word(x) else engine.operand(x).value


@rule(int.bit_length)
def _bit_length(engine: Engine, x: Any) -> Any:
    """64 less the leading zeros of the magnitude."""
    return binary(engine, "sub", Const(64), Scalar(count_leading_zeros(_bits(engine, x))))


@rule(int.bit_count)
def _bit_count(engine: Engine, x: Any) -> Any:
    return Scalar(popcnt(_bits(engine, x)))


@rule(np.ndarray.item)
def _item(engine: Engine, x: Any, *index: Any) -> Any:
    """One element as a Python scalar."""
    if arrays.is_array(engine, x):
        shape, extents = arrays.shown(engine, x)
        if not index and extents is not None:
            words = "can only convert an array of size 1 to a Python scalar"
            size = call(engine, Const(np.size), [x], {})
            engine.ensure(compare(engine, "eq", size, Const(1)), ValueError(words))
            index = (Const(0),) * len(shape)
        elif len(index) == 1 and len(shape) != 1 and not isinstance(index[0], Tuple):
            x = call(engine, Const(np.ravel), [x], {})
        elif not index:
            x = call(engine, Const(np.reshape), [x, Const(())], {})
            index = (Const(()),)
        x = get_item(engine, x, index[0] if len(index) == 1 else Tuple(index))
    kind = PYTHON_KINDS[CLASSES[engine.operand(x).dtype]]
    return call(engine, Const(kind), [x], {})


def _by_items(target: Any) -> None:
    """`sum`, `any`, `all` of containers of anything: folded item by item."""

    def function(engine: Engine, *args: Any, **kwargs: Any) -> Any:
        start = standard.start_of_sum(engine, [*args], kwargs)
        kept = number_lists.flat(engine, args[0]) if len(args) == 1 and not kwargs else None
        if kept is not None:
            return _total(engine, *kept) if target is sum else _quantified(engine, target, kept[0])
        is_array = arrays.is_array(engine, args[0])
        if not is_array and unknown(engine, args[0]):
            return _of_unknown_length(engine, target, *args, **kwargs)
        if target in (any, all):
            return _quantified(engine, target, args[0])
        if not is_array:
            items = iterate(engine, args[0])
            return functools.reduce(lambda a, b: binary(engine, "add", a, b), items, start)
        found = engine.abstract(apply(engine, "sum", REGISTRY[sum], args, kwargs))
        bounded = arrays.shown(engine, args[0])[1] is not None
        return _unless_empty(engine, args[0], found) if bounded and len(args) == 1 else found

    rule(target)(function)


def _total(engine: Engine, column: Ref, python: bool) -> Any:
    """The sum of a list of numbers."""
    found = engine.abstract(apply(engine, "sum", REGISTRY[sum], [column], {}))
    if isinstance(found, Const):  # of nothing
        return found
    total = number_lists.number(engine, python, found)
    if engine.wants_exact_ints() and python and arrays.dtype_of(engine, column).kind == "i":
        fits = call(engine, Const(sequences.total_fits), [column], {})
        engine.ensure(fits, far.TOO_LARGE, catchable=False)
    return _unless_empty(engine, column, total)


def _unless_empty(engine: Engine, items: Any, total: Any) -> Any:
    """The sum of numbers in an array, which is 0 of none: an int then."""
    if isinstance(total, Scalar) and total.kind is int:
        return total
    size = length(engine, items)
    some = compare(engine, "gt", size, Const(0))
    if isinstance(some, Const):
        return total if some.value else Const(0)
    found = choose(some, total, Const(0)) if is_number(total) else None
    return (
        call(engine, Const(sequences.unless_empty), [size, total], {}) if found is None else found
    )


def _of_unknown_length(engine: Engine, target: Any, x: Any, start: Any = Const(0)) -> Any:
    """`sum`, `any`, `all` of a sequence of unknown length."""
    x = tables.unordered(engine, x)
    return call(engine, Const(standard.READERS[target]), [x, start] if target is sum else [x], {})


def _quantified(engine: Engine, target: Any, x: Any) -> Any:
    """`any` and `all`; every item is looked at."""
    if arrays.is_array(engine, x):
        function = np.any if target is any else np.all
        return call(engine, Const(bool), [call(engine, Const(function), [x], {})], {})
    found: Any = Const(target is all)
    join = engine.rules.both if target is all else engine.rules.either
    for item in iterate(engine, x):
        found = join(engine, found, truth(engine, item))
    return found


for _target in (sum, any, all):
    _by_items(_target)


@rule(functools.cache)
def _cache(engine: Engine, function: Any) -> Any:
    return kept.cached(engine, function)


@rule(functools.lru_cache)
def _lru_cache(engine: Engine, maxsize: Any = Const(128), typed: Any = Const(False)) -> Any:
    """`maxsize` is the function where the decorator has no arguments."""
    if isinstance(maxsize, Compound) or callable(getattr(maxsize, "value", None)):
        return kept.cached(engine, maxsize, 128)
    limits = engine.static(maxsize, "maxsize"), engine.static(typed, "typed")
    return Compound("transformed", limits, kept.decorate)


@rule(math.factorial)
def _factorial(engine: Engine, n: Any) -> Any:
    """Exact where the program can do without 64 bits: unrolled; else raised, as it is soon so."""
    if isinstance(n, Const):
        return engine.fold_object(math.factorial, (n.value,))
    x = engine.operand(n)
    if isinstance(x, Scalar) and (extent.upper(x) or FACTORIAL_LIMIT + 1) > FACTORIAL_LIMIT:
        if by_counted_loops(x.value, engine.heads()):
            raise NeedsStatic(x, "a factorial that 64 bits may not hold")
        if not engine.checks:
            fits = compare(engine, "le", x, Const(FACTORIAL_LIMIT))
            engine.ensure(fits, far.TOO_LARGE, catchable=False)
    return apply(engine, "factorial", REGISTRY[math.factorial], [n], {})


@rule(np.isscalar)
def _isscalar(engine: Engine, element: Any) -> Any:
    """Python's numbers and text, and NumPy's scalars; 0-d arrays are none."""
    if isinstance(element, Const):
        return Const(np.isscalar(element.value))
    if isinstance(element, (Scalar, Array)):
        return Const(not isinstance(element, Array) or not element.shape)
    return Const(isinstance(element, Compound) and element.kind == "text")


for _name in ARITHMETIC:
    rule(getattr(operator, _name))(lambda engine, x, y, name=_name: binary(engine, name, x, y))
    rule(getattr(operator, f"i{_name.rstrip('_')}"))(
        lambda engine, x, y, name=_name: inplace(engine, name, x, y)
    )


@rule(pow)
def _pow(engine: Engine, base: Any, exp: Any, mod: Any = Const(None)) -> Any:  # noqa: B008
    if isinstance(mod, Const) and mod.value is None:
        return binary(engine, "pow", base, exp)
    return apply(engine, "pow", REGISTRY[pow], [base, exp, mod], {})


for _name in ("neg", "pos", "invert"):
    rule(getattr(operator, _name))(lambda engine, x, name=_name: unary(engine, name, x))
for _name in ("lt", "le", "eq", "ne", "gt", "ge", "is_", "is_not"):
    rule(getattr(operator, _name))(lambda engine, x, y, name=_name: compare(engine, name, x, y))
rule(operator.contains)(lambda engine, x, y: compare(engine, "contains", y, x))
rule(operator.not_)(lambda engine, x: negate(engine, truth(engine, x)))
rule(operator.truth)(truth)
rule(operator.getitem, np.ndarray.__getitem__, list.__getitem__, dict.__getitem__)(get_item)
rule(abs, operator.abs)(
    lambda engine, x, _library=REGISTRY[abs]: (
        call_method(engine, x, "__abs__")
        if class_of(engine, x) is not None
        else Const(abs(x.value))
        if isinstance(x, Const)
        else _absolute(engine, x, _library)
    )
)


def _absolute(engine: Engine, x: Any, library: Any) -> Any:
    if far.is_dynamic(x):
        words.need(engine, x)
        return far.word(far.ring(x))
    found = separately(engine, "abs", (x,), lambda part: _absolute(engine, part, library))
    if found is not None:
        return found
    result = apply(engine, "abs", library, (x,), {})
    engine.strides = orders.of_elements(engine, (x,), result)
    return operated(engine, "abs", (x,), engine.abstract(result))


@rule(collections.namedtuple)
def _namedtuple(engine: Engine, typename: Any, field_names: Any, **options: Any) -> Any:
    """A class of known fields: one for each place that makes it."""
    names, fields = engine.static(typename, "a name"), engine.static(field_names, "names of fields")
    known = {name: engine.static(x, name) for name, x in options.items()}
    known.setdefault("module", engine.frames[-1].module.get("__name__"))
    fields = fields if isinstance(fields, str) else tuple(fields)
    if isinstance(known.get("defaults"), list):
        known["defaults"] = tuple(known["defaults"])
    try:
        return Const(_tuple_class(engine.loc, names, fields, tuple(known.items())))
    except (TypeError, ValueError) as error:
        return engine.raise_constant(error)


@functools.lru_cache(maxsize=1024)
def _tuple_class(place: Any, name: str, fields: Any, options: tuple[Any, ...]) -> type:
    return collections.namedtuple(name, fields, **dict(options))
