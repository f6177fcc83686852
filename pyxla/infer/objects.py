"""Attributes and instances: modules, classes, arrays' attributes, dataclasses, NamedTuples."""

from __future__ import annotations

import dataclasses
import functools
import types
from typing import Any

import numpy as np

from pyxla.abstract.heap import (
    DictCell,
    GrowingList,
    ListCell,
    ObjectCell,
    Pooled,
    SequenceIterator,
    SetCell,
)
from pyxla.abstract.lattice import (
    UNDEFINED,
    Array,
    Compound,
    Const,
    Ref,
    Scalar,
    Tuple,
    Unbound,
    Variant,
    has_value,
    is_variant,
    value_of,
)
from pyxla.guards.places import MISSING
from pyxla.hints import similar
from pyxla.infer import classes, using
from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays.attributes import (
    SAME_IN_ARRAYS,
    of_array,
    of_scalar,
    set_of_array,
)
from pyxla.infer.calls import closures, functions, kept
from pyxla.infer.calls.dispatch import call_object
from pyxla.infer.classes import has_get, is_frozen, is_generated, is_python, need_plain
from pyxla.infer.containers import iterators
from pyxla.infer.engine import Engine
from pyxla.infer.instances import construct, exception_init, object_init, tuple_new
from pyxla.infer.joins import choices, kinds, operated
from pyxla.infer.lists import columnar, pool_rows
from pyxla.infer.members import of_choice
from pyxla.infer.raising import exceptions
from pyxla.infer.raising.objects import as_instance, chosen, raise_lacking
from pyxla.infer.raising.refusals import missing, unsettable
from pyxla.ir.types import PYTHON_DTYPES
from pyxla.lib.containers import Namespace, is_stand
from pyxla.lib.interpreted import (
    computed_once,
    computed_or_asked,
    is_stored,
    places_of_slice,
    store,
    stored,
    stored_or_asked,
)
from pyxla.lib.registry import lookup, rule
from pyxla.lib.variables import Variable
from pyxla.ops.shape import constant

_CONTAINERS = {ListCell: list, DictCell: dict, SetCell: set}


def _container(content: Any) -> type:
    """The class of an object by its content, or which it stands for."""
    if isinstance(content, GrowingList | ObjectCell | Pooled):
        return getattr(content.cls, "__pyxla_type__", content.cls)
    return _CONTAINERS[type(content)]


def get_attribute(engine: Engine, x: Any, name: str) -> Any:
    """`x.name`."""
    if isinstance(x, Const):
        return _of_constant(engine, x.value, name)
    if name == "__class__":
        return call_object(engine, type, [x], {})
    x = closures.of_row(engine, x) or x
    if isinstance(x, Ref):
        content: Any = engine.heap.contents[x.cell]
        if pool_rows.class_of_row(engine.heap, x) is not None:
            content = pool_rows.outlined(engine, content, name)
        elif type(content) not in (ObjectCell, Pooled):
            content = columnar.found(engine.heap, x) or engine.content(x)
        if isinstance(content, Array):
            return of_array(engine, x, name)
        if isinstance(content, ObjectCell):
            return _of_instance(engine, x, content, name)
        return _method(engine, _container(content), x, name)
    if isinstance(x, (Array, Scalar)) and x.kinds is not None:
        return _of_several_kinds(engine, x, name)
    if isinstance(x, Array):
        return of_array(engine, x, name)
    if isinstance(x, Scalar):
        return of_scalar(engine, x, name)
    if isinstance(x, Tuple):
        return _of_tuple(engine, x, name)
    return _of_compound(engine, x, name)


def _of_constant(engine: Engine, value: Any, name: str) -> Any:
    if (owner := classes.assigned(engine, value, name)) is not None:
        return engine.captures.assigned(engine, owner, name)
    if isinstance(value, np.ufunc) and name == "at":
        return Compound("method", (Const(np.ufunc.at), Const(value)))
    try:
        found = getattr(value, name)
    except AttributeError as error:
        hint, words = similar(name, dir(value)), str(error)
        raise engine.refuse(words, hint, raises=AttributeError, words=words) from None
    if isinstance(value, type):
        engine.captures.member(value, name)
    elif isinstance(value, (types.ModuleType, types.FunctionType)):
        engine.captures.guard_attribute(value, name, found)
    return engine.captures.abstract(engine, found)


def _method(engine: Engine, cls: type, x: Any, name: str) -> Any:
    descriptor = getattr(cls, name, None)
    if descriptor is None or not callable(descriptor):
        raise missing(engine, x, cls.__name__, name, dir(cls))
    return Compound("method", (Const(descriptor), x))


def _of_several_kinds(engine: Engine, x: Array | Scalar, name: str) -> Any:
    """An attribute of a number whose kind the path taken decides: parts, which have kinds too."""
    assert x.kinds is not None
    classes = "".join([kinds.dtype_of(kind).kind for kind in x.kinds.choices])
    if name in ("real", "imag") and np.bool_ not in x.kinds.choices:
        by_kind = functools.partial(get_attribute, engine, name=name)
        if (parts := operated.separately(engine, name, (x,), by_kind)) is not None:
            return parts
        plain = Array(x.value) if isinstance(x, Array) else Scalar(x.value)
        found = get_attribute(engine, plain, name)
        if isinstance(found, Const):
            found = Scalar(constant(value=np.zeros((), x.value.type.dtype), weak=True))
        return operated.operated(engine, name, (x,), found)
    if name == "conjugate" and not {*classes} & {"b", "c"}:
        return Compound("method", (Const(float.conjugate), x))
    dtypes = {kinds.dtype_of(kind) for kind in x.kinds.choices}
    if kinds.may_be_array(x) and not {*x.kinds.choices} & {*PYTHON_DTYPES} and len(dtypes) == 1:
        if name in SAME_IN_ARRAYS:
            return of_array(engine, Array(x.value), name)
        raise kinds.refused(engine, f"{name!r} of a number", x)
    names = " or ".join(sorted({kind.__name__ for kind in x.kinds.choices}))
    raise engine.refuse(
        f"{name!r} of a number that is {names} here, as the path taken has it",
        "convert it with float() or int(), or start with a number of that type",
    )


def _of_tuple(engine: Engine, x: Tuple, name: str) -> Any:
    fields = getattr(x.cls, "_fields", ())
    if name in fields:
        return x.items[fields.index(name)]
    if name == "_fields":
        return Const(fields)
    found = engine.captures.member(x.cls, name, MISSING)
    if isinstance(found, types.FunctionType) and name == "_replace":
        return Compound("method", (Const(dataclasses.replace), x))
    if found is not MISSING and x.cls is not tuple:
        return _member(engine, x.cls, x, name, found)
    return _method(engine, tuple, x, name)


_NO_DICT = "__dict__ is not supported", "use getattr() and setattr()"


def _holds_all(cls: type) -> bool:
    """Whether the attributes of instances are all in their `__dict__`."""
    slots = any(vars(base).get("__slots__") for base in cls.__mro__)
    return bool(cls.__dictoffset__) and not (slots or issubclass(cls, BaseException))


def _of_instance(engine: Engine, x: Ref, content: ObjectCell, name: str) -> Any:
    need_plain(engine, content.cls, "__getattribute__")
    found = engine.captures.member(content.cls, name, MISSING)
    slot = found is MISSING or isinstance(found, types.MemberDescriptorType)
    if slot and name in content.fields:
        return _stored_field(engine, x, content, name)
    if isinstance(found, property):
        if (fallback := engine.captures.member(content.cls, "__getattr__")) is None:
            return call_object(engine, found.fget, [x], {})
        asked = [x, Const(name), Const(found.fget), Const(fallback)]
        return call_object(engine, computed_or_asked, asked, {})
    if is_python(getattr(type(found), "__set__", None)) and has_get(found):
        return _described(engine, content.cls, x, found)
    if name == "__dict__":
        if is_stand(content.cls) or not _holds_all(content.cls):
            raise engine.refuse(*_NO_DICT)
        return construct(engine, Namespace, [x], {})
    if name in content.fields and not isinstance(found, functools.cached_property):
        if is_variant(content.fields[name], "unbound"):
            raise engine.refuse(
                f"{name!r} is the instance's own on some paths, and its class's on others",
                "set it on all paths",
            )
        return using.moved(engine, content.fields[name])
    if isinstance(found, functools.cached_property):
        return _of_cached(engine, x, content, name, found)
    if name == "__next__" and issubclass(content.cls, SequenceIterator):
        return Compound("method", (Const(next), x))
    if slot:
        if (fallback := engine.captures.member(content.cls, "__getattr__")) is not None:
            return call_object(engine, fallback, [x, Const(name)], {})
        known = [*content.fields, *dir(content.cls)]
        raise missing(engine, x, f"{content.cls.__name__!r} object", name, known)
    if isinstance(found, types.MethodDescriptorType) and lookup(found) is None:
        words = f"{found.__qualname__} is not among the methods that can be compiled"
        raise engine.refuse(words, "use an operator, a statement or a loop")
    if isinstance(found, types.GetSetDescriptorType):
        raise engine.refuse(
            f"{content.cls.__name__}.{name} is not supported in compiled code", "read it outside"
        )
    return _member(engine, content.cls, x, name, found)


def _stored_field(engine: Engine, x: Ref, content: ObjectCell, name: str) -> Any:
    """A field that the class has no attribute for; where there may be none, `__getattr__`'s."""
    field = content.fields[name]
    fallback = engine.captures.member(content.cls, "__getattr__")
    if fallback is not None and is_variant(field, "unbound"):
        return call_object(engine, stored_or_asked, [x, Const(name), Const(fallback)], {})
    if fallback is not None and isinstance(field, Unbound):
        return call_object(engine, fallback, [x, Const(name)], {})
    return using.moved(engine, field)


def _of_cached(
    engine: Engine, x: Ref, content: ObjectCell, name: str, found: functools.cached_property[Any]
) -> Any:
    """A cached property: what it was before; computed where it was not, or on some paths only."""
    field = content.fields.get(name)
    if is_variant(field, "unbound"):
        return call_object(engine, computed_once, [x, Const(name), Const(found.func)], {})
    if field is not None and not isinstance(field, Unbound):
        return using.moved(engine, field)
    value = call_object(engine, found.func, [x], {})
    set_attribute(engine, x, name, value, plainly=True)
    return value


@rule(is_stored)
def _is_stored(engine: Engine, x: Any, name: Any) -> Any:
    return has_value(engine.content(x).fields.get(name.value, UNDEFINED), "unbound")


@rule(stored)
def _stored(engine: Engine, x: Any, name: Any) -> Any:
    """The field that a test before says to be there, which it is from here on."""
    value = value_of(engine.content(x).fields[name.value], "unbound")
    set_attribute(engine, x, name.value, value, plainly=True)
    return value


@rule(store, object.__setattr__)
def _store(engine: Engine, x: Any, name: Any, value: Any) -> Any:
    set_attribute(engine, x, engine.static(name, "the name of an attribute"), value, plainly=True)
    return value


def _member(engine: Engine, cls: type, x: Any, name: str, found: Any) -> Any:
    """The class attribute `found`, bound to `x`."""
    if isinstance(found, Variable):
        return engine.captures.assigned(engine, found.owner, name)
    if isinstance(found, staticmethod):
        return Const(found.__func__)
    if isinstance(found, classmethod):
        return Compound("method", (Const(found.__func__), Const(cls)))
    if isinstance(found, property):
        return call_object(engine, found.fget, [x], {})
    if isinstance(found, functools.singledispatchmethod):
        return Compound("transformed", (Const(found), x), functions.call_single_method)
    if has_get(found):
        return _described(engine, cls, x, found)
    if kept.is_cached(found):
        raise engine.refuse(*kept.METHOD)
    of_c = isinstance(found, types.WrapperDescriptorType | types.MethodDescriptorType)
    if of_c or is_python(found) or (hasattr(type(found), "__get__") and lookup(found)):
        return Compound("method", (Const(found), x))
    return engine.captures.abstract(engine, getattr(cls, name))


def _described(engine: Engine, cls: type, x: Any, found: Any) -> Any:
    """What the descriptor `found` of the user's gives for `x`."""
    descriptor = engine.captures.abstract(engine, found)
    getter = engine.captures.member(type(found), "__get__")
    return call_object(engine, getter, [descriptor, x, Const(cls)], {})


def _of_compound(engine: Engine, x: Any, name: str) -> Any:
    if choices.is_choice(x):
        return of_choice(engine, x, name)
    if exceptions.is_exception(x):
        return _of_exception(engine, x, name)
    if not isinstance(x, Compound):
        raise missing(engine, x, arrays.kind_of(engine, x), name)
    if (owner := functions.owner(engine, x, name)) is not x:
        return get_attribute(engine, owner, name)
    if x.kind in ("range", "slice") and name in ("start", "stop", "step"):
        return x.items[("start", "stop", "step").index(name)]
    if x.kind == "slice" and name == "indices":
        return Compound("method", (Const(places_of_slice), x))
    if x.kind == "super":
        return _of_super(engine, x, name)
    if (found := functions.told(engine, x, name)) is not None:
        return found
    if x.kind == "cached":
        return get_attribute(engine, x.items[0], name)
    if functions.is_wrapper(x):
        if name == "__wrapped__":
            return x.items[1]
        return get_attribute(engine, x.items[name in functions.TAKEN], name)
    if x.kind == "method" and name == "__self__":
        return x.items[1]
    if x.kind == "far":
        return _method(engine, int, x, name)
    if x.kind == "text" and hasattr(str, name):
        return Compound("method", (Const(getattr(str, name)), x))
    if x.kind == "generator" and name in ("send", "close", "__next__"):
        iterators.read_in_steps(engine, x)
    raise missing(engine, x, x.kind, name)


def _of_exception(engine: Engine, x: Any, name: str) -> Any:
    """An attribute of an exception, as its `__init__` sets it; one of several, by the selector."""
    engine.use(exceptions.of_host(x) or x)
    values: list[Any] = []
    given = exceptions.alternatives(x)
    for e in given:
        if name == "args" and engine.captures.member(e.meta, "__init__") is None:
            values.append(exceptions.args_of(e))
        elif (value := exceptions.built_in(engine, e, name)) is not None:
            values.append(value)
        else:
            made = as_instance(engine, e)
            lacks = name not in engine.content(made).fields and not hasattr(e.meta, name)
            if lacks and len(given) > 1:
                values.append(None)
            else:
                values.append(_of_instance(engine, made, engine.content(made), name))
    if None in values:
        values = raise_lacking(engine, x, values, name)
    return chosen(engine, x, values, f"the attribute {name!r}")


def _of_super(engine: Engine, x: Compound, name: str) -> Any:
    cls, start = x.meta
    (self_,) = x.items
    mro = cls.__mro__
    for base in mro[mro.index(start) + 1 :]:
        if name in base.__dict__:
            found = base.__dict__[name]
            if name == "__init__" and base is object:
                return Const(object_init)
            if name == "__new__" and issubclass(base, tuple) and base is not tuple:
                made = getattr(found, "__func__", found)
                return Const(tuple_new if is_generated(made) else made)
            if name == "__new__":
                return engine.captures.abstract(engine, getattr(found, "__func__", found))
            if name == "__init__" and issubclass(base, BaseException) and not is_python(found):
                return Compound("method", (Const(exception_init), self_))
            generated = dataclasses.is_dataclass(base) and is_generated(found)
            if generated:
                return Compound("method", (Const(found), self_))
            return _member(engine, cls, self_, name, found)
    raise missing(engine, x, "super", name)


def set_attribute(engine: Engine, x: Any, name: str, value: Any, plainly: bool = False) -> None:
    """`x.name = value`; plainly: as `object.__setattr__` does it."""
    x = functions.attributes_of(x) or x
    content: Any = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    pooled = pool_rows.class_of_row(engine.heap, x) is not None
    content = pool_rows.outlined(engine, content) if pooled else content
    if isinstance(content, Array) and set_of_array(engine, x, name, value):
        return
    if isinstance(x, Const) and classes.can_assign(engine, x.value, name, value):
        engine.captures.assign(engine, x.value, name, value)
        return
    if not isinstance(content, ObjectCell):
        raise unsettable(engine, x, name)
    if name == "__dict__":
        raise engine.refuse(*_NO_DICT)
    own = None if plainly else engine.captures.member(content.cls, "__setattr__")
    if is_python(own) and is_generated(own):
        if is_frozen(content.cls, own, name):
            words = f"cannot assign to field {name!r}"
            engine.raise_constant(dataclasses.FrozenInstanceError(words))
    elif is_python(own):
        call_object(engine, own, [x, Const(name), value], {})
        return
    found = engine.captures.member(content.cls, name)
    if isinstance(found, property):
        if found.fset is None:
            message = f"property {name!r} of {content.cls.__qualname__!r} object has no setter"
            raise engine.refuse(message, raises=AttributeError, words=message)
        call_object(engine, found.fset, [x, value], {})
        return
    if is_python(put := getattr(type(found), "__set__", None)):
        call_object(engine, put, [engine.captures.abstract(engine, found), x, value], {})
        return
    if found is None and name not in content.fields and not content.cls.__dictoffset__:
        message = f"{content.cls.__name__!r} object has no attribute {name!r}"
        engine.raise_constant(AttributeError(message))
    if pooled:
        pool_rows.assign(engine, x, name, value)
        return
    engine.set_content(x.cell, ObjectCell(content.cls, {**content.fields, name: value}))


@rule(delattr, object.__delattr__)
def _delete(engine: Engine, x: Any, name: Any) -> Any:
    delete_attribute(engine, x, engine.static(name, "the name of an attribute"))
    return Const(None)


def delete_attribute(engine: Engine, x: Any, name: str) -> None:
    """`del x.name`."""
    x = functions.owner(engine, x, name)
    content: Any = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    pooled = pool_rows.class_of_row(engine.heap, x) is not None
    content = pool_rows.outlined(engine, content, name) if pooled else content
    found = engine.captures.member(content.cls, name) if isinstance(content, ObjectCell) else None
    if isinstance(found, property):
        if found.fdel is None:
            message = f"property {name!r} of {content.cls.__qualname__!r} object has no deleter"
            raise engine.refuse(message, raises=AttributeError, words=message)
        call_object(engine, found.fdel, [x], {})
        return
    if not isinstance(content, ObjectCell) or name not in content.fields:
        raise missing(engine, x, arrays.kind_of(engine, x), name)
    need_plain(engine, content.cls, "__delattr__")
    using.bound(engine, content.fields[name])
    if pooled:
        pool_rows.assign(engine, x, name, Unbound(name))
        return
    fields = {k: v for k, v in content.fields.items() if k != name}
    engine.set_content(x.cell, ObjectCell(content.cls, fields))


def _type_of_choice(engine: Engine, x: Variant) -> type:
    classes = list(dict.fromkeys(map(type, x.values)))
    return classes[0] if len(classes) == 1 else engine.use(x.conflict)


def is_instance(engine: Engine, x: Any, classes: tuple[type, ...]) -> bool:
    """`isinstance(x, classes)`."""
    return any(issubclass(type_of(engine, x), cls) for cls in classes)


def type_of(engine: Engine, x: Any) -> type:
    """`type(x)`."""
    if isinstance(x, Const):
        return type(x.value)
    if isinstance(x, Scalar):
        return x.kind
    if isinstance(x, Array):
        return x.dtype.type
    if isinstance(x, Tuple):
        return x.cls
    if isinstance(x, Ref):
        content = engine.heap.contents[x.cell]
        if type(content) is not Pooled:
            content = columnar.found(engine.heap, x) or engine.content(x)
        if isinstance(content, Array):
            return engine.jax.array_class if engine.is_jax(x) else np.ndarray
        return _container(content)
    if exceptions.is_exception(x):
        engine.use(exceptions.of_host(x) or x)
        return chosen(engine, x, [Const(e.meta) for e in exceptions.alternatives(x)], "type").value
    if choices.is_choice(x):
        return _type_of_choice(engine, x)
    if isinstance(x, Compound):
        kinds = {
            "function": types.FunctionType,
            "range": range,
            "slice": slice,
            "text": str,
            "far": int,
        }
        kinds |= {"method": types.MethodType, "generator": types.GeneratorType}
        return kinds.get(x.kind, object)
    raise engine.refuse(f"the type of {arrays.kind_of(engine, x)} is not known")
