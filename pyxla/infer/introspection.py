"""Builtins that ask of what class an object is, and for its attributes by name.

Of one of several values (`lattice.Variant`) each is asked, and its tag tells the answer.
"""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.facts.refine import is_there
from pyxla.abstract.heap import DictCell, ObjectCell, SequenceIterator
from pyxla.abstract.lattice import (
    FUNCTIONS,
    Array,
    Compound,
    Const,
    Ref,
    Tuple,
    Unbound,
    Variant,
    is_none,
    is_number,
    is_variant,
    optional,
)
from pyxla.errors import CompileError, is_library
from pyxla.frontend import dispatchers, support
from pyxla.guards.places import MISSING
from pyxla.infer import using
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls import coroutines, functions
from pyxla.infer.calls.dispatch import call
from pyxla.infer.classes import has_get
from pyxla.infer.containers.indexing import content_of
from pyxla.infer.engine import Engine
from pyxla.infer.frame import Stopped
from pyxla.infer.joins import choices
from pyxla.infer.joins.kinds import is_one_of, is_zero_dim, kinds_of
from pyxla.infer.objects import get_attribute, is_instance, set_attribute, type_of
from pyxla.infer.operators import both, either, negate
from pyxla.infer.raising import exceptions
from pyxla.infer.raising.objects import class_of_exception
from pyxla.infer.raising.refusals import is_of_class
from pyxla.lib import containers
from pyxla.lib.containers import actual
from pyxla.lib.interpreted import attribute_among, attribute_or, computed_or, is_computed
from pyxla.lib.iterators import Steps
from pyxla.lib.refused import NO_NAMES
from pyxla.lib.registry import rule
from pyxla.lib.variables import Closure
from pyxla.ops.elementwise import add, multiply
from pyxla.views.shadows import flag_of, number, one_of, position


def _of_each(engine: Engine, x: Variant, asked: Callable[[Any], Any]) -> Any:
    """The bool that is `asked` of each of what `x` may be."""
    hits = [asked(item) for item in x.items]
    if x.kind != "optional":
        return flag_of(x.tag, [bool(hit.value) for hit in hits])
    of_none, hit = hits
    there = is_there(x)
    if of_none.value:
        return either(engine, negate(engine, there), hit)
    return both(engine, there, hit)


class _Iterator:
    """What is certain of the class of an iterator that is kept in another form than CPython's."""

    def __iter__(self) -> Any: ...

    def __next__(self) -> Any: ...


_NOT_KNOWN = (
    "the class of this iterator is not known in compiled code",
    "isinstance(x, collections.abc.Iterator) asks whether it is one",
)


def _class_of_hidden(engine: Engine, x: Any) -> type | None:
    """The class of a closure, and of a generator of the user's, `_Iterator` for others; None of
    other objects."""
    content = content_of(engine, x)
    kept = content if isinstance(content, ObjectCell) else None
    made = kept.fields.get("made", x) if kept is not None else x
    if coroutines.is_generator(made):
        return _Iterator if is_library(made.meta[0].source.loc) else types.GeneratorType
    if kept is not None and issubclass(kept.cls, SequenceIterator | Steps | Closure):
        return getattr(kept.cls, "__pyxla_type__", _Iterator)
    return None


@rule(isinstance, support.is_instance)
def _isinstance(engine: Engine, x: Any, classes: Any) -> Any:
    found = engine.static(classes, "the class of isinstance")
    flat: list[type] = []
    stack = [found]
    while stack:
        cls = stack.pop()
        if isinstance(cls, tuple):
            stack.extend(cls)
        elif isinstance(cls, types.UnionType):
            stack.extend(cls.__args__)
        else:
            stand = dispatchers.stand_in(cls) if isinstance(cls, type) else None
            flat.append(stand or cls)
    engine.captures.guard_classes(flat)
    if isinstance(x, Variant):
        return _of_each(engine, x, lambda item: _isinstance(engine, item, classes))
    if isinstance(x, Const):
        return Const(isinstance(x.value, tuple(flat)))
    if getattr(x, "kinds", None) is not None:
        return is_one_of(x, tuple(flat))
    if (cls := _class_of_hidden(engine, x)) is not None:
        found = any(issubclass(cls, one) for one in flat)
        if cls is _Iterator and not found and any(hasattr(one, "__next__") for one in flat):
            raise engine.refuse(*_NOT_KNOWN)
        return Const(found)
    return Const(is_instance(engine, x, tuple(flat)))


@rule(issubclass)
def _issubclass(engine: Engine, x: Any, classes: Any) -> Any:
    known = engine.static(classes, "the class of issubclass")
    engine.captures.guard_classes(known if isinstance(known, tuple) else (known,))
    if choices.is_choice(x):
        return choices.test(x, lambda cls: issubclass(cls, known))
    return engine.fold_object(issubclass, (engine.static(x, "a class"), known))


@rule(type)
def _type(engine: Engine, x: Any) -> Any:
    if getattr(x, "kinds", None) is not None:
        classes = [np.ndarray if is_zero_dim(kind) else kind for kind in x.kinds.choices]
        return choices.one_of_these(x.kinds.tag, classes)
    if exceptions.is_exception(x):
        return class_of_exception(x)
    if is_variant(x, "optional"):
        cls, tag = _type(engine, x.value), position(x.tag)
        if isinstance(cls, Const):
            return choices.one_of_these(tag, [type(None), cls.value])
        place = multiply(tag.value, add(cls.tag.value, number(1)))
        return choices.one_of_these(one_of(place, 1 + len(cls.items)), [type(None), *cls.values])
    cls = _class_of_hidden(engine, x)
    if cls is _Iterator:
        raise engine.refuse(*_NOT_KNOWN)
    return Const(cls or actual(type_of(engine, x)))


@rule(getattr)
def _getattr(engine: Engine, x: Any, name: Any, *default: Any) -> Any:
    if choices.is_choice(name):
        names = [Const(value) for value in name.values]
        return call(engine, Const(attribute_among), [x, Tuple(default), name, *names], {})
    known = engine.static(name, "the name of an attribute")
    x = functions.owner(engine, x, known)
    if not default:
        return get_attribute(engine, x, known)
    if _computes(engine, x, known):
        return call(engine, Const(computed_or), [x, name, *default], {})
    field = _perhaps(engine, x, known)
    if field is not None and is_none(default[0]) and type(field.value) is not Variant:
        return optional(field.value, field.tag)
    if field is not None or is_variant(x, "optional"):
        return call(engine, Const(attribute_or), [x, name, *default], {})
    return get_attribute(engine, x, known) if _has(engine, x, known) else default[0]


def _perhaps(engine: Engine, x: Any, name: str) -> Variant | None:
    """A field that an instance has on some paths only, and its class never."""
    content = content_of(engine, x)
    field = content.fields.get(name) if isinstance(content, ObjectCell) else None
    return field if is_variant(field, "unbound") and not is_of_class(content.cls, name) else None


def _computes(engine: Engine, x: Any, name: str) -> bool:
    """Whether Python of the user's is called for this attribute, which may say there is none."""
    content = content_of(engine, x)
    if not isinstance(content, ObjectCell):
        return False
    found = engine.captures.member(content.cls, name, MISSING)
    if found is MISSING:
        field = content.fields.get(name)
        lacks = field is None or isinstance(field, Unbound) or is_variant(field, "unbound")
        return lacks and engine.captures.member(content.cls, "__getattr__") is not None
    if isinstance(found, functools.cached_property):
        return name not in content.fields
    return isinstance(found, property) or has_get(found)


def _has(engine: Engine, x: Any, name: str) -> bool:
    content = content_of(engine, x)
    if isinstance(content, ObjectCell) and isinstance(content.fields.get(name), Unbound):
        return is_of_class(content.cls, name)
    if isinstance(x, Const):
        return hasattr(x.value, name)
    if (cls := _class_of_hidden(engine, x)) is not None:
        return hasattr(cls, name)
    if isinstance(content, ObjectCell):
        return name in content.fields or is_of_class(content.cls, name)
    if is_number(x) or (isinstance(content, Array) and not engine.is_jax(x)):
        classes = kinds_of(x) if is_number(x) else (np.ndarray,)
        if len(found := {hasattr(cls, name) for cls in classes}) == 1:
            return found.pop()
        raise engine.refuse(f"the type of a number decides whether it has {name!r}")
    with contextlib.suppress(CompileError, Stopped):
        get_attribute(engine, x, name)
        return True
    return False


@rule(hasattr)
def has_attribute(engine: Engine, x: Any, name: Any) -> Any:
    """`hasattr(x, name)`, a bool."""
    if is_variant(x, "optional"):
        return _of_each(engine, x, lambda item: has_attribute(engine, item, name))
    known = engine.static(name, "the name of an attribute")
    x = functions.owner(engine, x, known)
    if _computes(engine, x, known):
        return call(engine, Const(is_computed), [x, name], {})
    field = _perhaps(engine, x, known)
    return Const(_has(engine, x, known)) if field is None else is_there(field)


@rule(setattr)
def _setattr(engine: Engine, x: Any, name: Any, value: Any) -> Any:
    set_attribute(engine, x, engine.static(name, "the name of an attribute"), value)
    return Const(None)


@rule(np.ma.isMaskedArray, np.ma.is_masked)
def _is_masked(engine: Engine, x: Any) -> Any:
    """Compiled code has no masked arrays."""
    return Const(False)


@rule(callable)
def _callable(engine: Engine, x: Any) -> Any:
    if isinstance(x, Const):
        return Const(callable(x.value))
    if isinstance(x, Compound):
        return Const(x.kind in FUNCTIONS)
    if isinstance(x, Variant):
        return _of_each(engine, x, lambda item: _callable(engine, item))
    return Const(engine.captures.member(type_of(engine, x), "__call__") is not None)


@rule(containers.attributes)
def _attributes(engine: Engine, x: Any) -> Ref:
    fields = engine.content(x).fields
    if any(is_variant(value, "unbound") for value in fields.values()):
        words = "which attributes the instance has is decided by the path taken"
        raise engine.refuse(words, "set the same ones on all paths")
    own = {k: using.moved(engine, v) for k, v in fields.items() if not isinstance(v, Unbound)}
    return engine.new(DictCell(own))


@rule(vars)
def _vars(engine: Engine, *xs: Any) -> Any:
    """`vars(x)` of an instance."""
    if len(xs) == 1 and isinstance(xs[0], Ref) and not arrays.is_array(engine, xs[0]):
        return get_attribute(engine, xs[0], "__dict__")
    raise engine.refuse(f"vars is not compiled: {NO_NAMES[0]}", NO_NAMES[1])
