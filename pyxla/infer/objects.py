"""Attributes and instances: modules, classes, arrays' attributes, dataclasses, NamedTuples."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from pyxla.errors import also
from pyxla.hints import owner, similar
from pyxla.infer import classes, generated
from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays import makers, viewing
from pyxla.infer.arrays.bits import part
from pyxla.infer.arrays.mutating import set_shape
from pyxla.infer.arrays.shadows import flag_of, same_ref
from pyxla.infer.arrays.views import extend
from pyxla.infer.calls import functions, standard
from pyxla.infer.calls.dispatch import call, call_object
from pyxla.infer.classes import has_get, is_generated, is_python, need_constructible, need_plain
from pyxla.infer.containers import iterators
from pyxla.infer.engine import Engine
from pyxla.infer.heap import (
    DictCell,
    GrowingList,
    ListCell,
    NumberList,
    ObjectCell,
    Pooled,
    SetCell,
)
from pyxla.infer.joins import choices, kinds
from pyxla.infer.lattice import (
    UNDEFINED,
    Array,
    Compound,
    Conflict,
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
from pyxla.infer.lists import columnar, pools
from pyxla.infer.members import of_choice
from pyxla.infer.raising import exceptions
from pyxla.ir.types import PYTHON_DTYPES
from pyxla.lib.containers import Dict, actual
from pyxla.lib.interpreted import computed_once, is_stored, store, stored
from pyxla.lib.refused import ATTRIBUTES
from pyxla.lib.registry import lookup, rule
from pyxla.lib.variables import Variable
from pyxla.ops.shape import constant

_CONTAINERS = {ListCell: list, NumberList: list, DictCell: dict, SetCell: set}


def _container(content: Any) -> type:
    """The class of an object by its content, or which it stands for."""
    if isinstance(content, GrowingList | ObjectCell):
        return getattr(content.cls, "__pyxla_type__", content.cls)
    return _CONTAINERS[type(content)]


def get_attribute(engine: Engine, x: Any, name: str) -> Any:
    """`x.name`."""
    if isinstance(x, Const):
        return _of_constant(engine, x.value, name)
    if isinstance(x, Ref):
        content: Any = engine.heap.contents[x.cell]
        if type(content) is not ObjectCell:
            content = columnar.kept(engine.heap, x) or engine.content(x)
        if isinstance(content, Array):
            return _of_array(engine, x, name)
        if isinstance(content, ObjectCell):
            return _of_instance(engine, x, content, name)
        return _method(engine, _container(content), x, name)
    if isinstance(x, (Array, Scalar)) and x.kinds is not None:
        return _of_several_kinds(engine, x, name)
    if isinstance(x, Array):
        return _of_array(engine, x, name)
    if isinstance(x, Scalar):
        return _of_scalar(engine, x, name)
    if isinstance(x, Tuple):
        return _of_tuple(engine, x, name)
    return _of_compound(engine, x, name)


def _missing(engine: Engine, kind: str, name: str, known: Iterable[str] = ()) -> Exception:
    words = f"{kind} has no attribute {name!r}"
    return engine.refuse(words, similar(name, known) or owner(name), also(AttributeError))


def _raise_missing(engine: Engine, cls: type, name: str) -> None:
    """Where the program catches it, raise what CPython does for an attribute that `cls` lacks."""
    if engine.catches(AttributeError) and not hasattr(cls, name):
        message = f"{cls.__name__!r} object has no attribute {name!r}"
        engine.raise_constant(AttributeError(message))


def _of_constant(engine: Engine, value: Any, name: str) -> Any:
    if (owner := classes.assigned(engine, value, name)) is not None:
        return engine.captures.assigned(engine, owner, name)
    if isinstance(value, np.ufunc) and name == "at":
        return Compound("method", (Const(np.ufunc.at), Const(value)))
    try:
        found = getattr(value, name)
    except AttributeError as error:
        if engine.catches(AttributeError):
            return engine.raise_constant(error)
        hint = similar(name, dir(value))
        raise engine.refuse(str(error), hint, also(AttributeError)) from None
    if isinstance(value, type):
        engine.captures.member(value, name)
    elif isinstance(value, (types.ModuleType, types.FunctionType)):
        engine.captures.guard_attribute(value, name, found)
    return engine.captures.abstract(engine, found)


def _method(engine: Engine, cls: type, x: Any, name: str) -> Any:
    descriptor = getattr(cls, name, None)
    if descriptor is None or not callable(descriptor):
        raise _missing(engine, cls.__name__, name, dir(cls))
    return Compound("method", (Const(descriptor), x))


def _of_scalar(engine: Engine, x: Scalar, name: str) -> Any:
    descriptor = getattr(x.kind, name, None)
    if descriptor is None:
        _raise_missing(engine, x.kind, name)
        raise _missing(engine, x.kind.__name__, name, dir(x.kind))
    if name in ("real", "imag", "numerator", "denominator"):
        if name in ("real", "numerator") and x.kind is not complex:
            return engine.rules.binary(engine, "mul", x, Const(1))  # of a bool, the int
        if name == "denominator" or x.kind is not complex:
            return Const(1 if name == "denominator" else x.kind(0))
        half = call_object(engine, getattr(np, name), [x], {})
        return arrays.python_scalar(engine.operand(half), float)
    return Compound("method", (Const(descriptor), x))


# What 0-d arrays and NumPy scalars have alike.
_SAME_IN_ARRAYS = frozenset(
    (*("shape", "ndim", "size", "dtype", "itemsize", "nbytes", "item", "tolist", "sum", "prod"),)
    + (*("mean", "std", "var", "min", "max", "any", "all", "argmin", "argmax", "ptp"),)
)


def _of_several_kinds(engine: Engine, x: Array | Scalar, name: str) -> Any:
    """An attribute of a number whose kind the path taken decides: parts, which have kinds too."""
    assert x.kinds is not None
    classes = "".join([kinds.dtype_of(kind).kind for kind in x.kinds.choices])
    if name in ("real", "imag") and np.bool_ not in x.kinds.choices:
        by_kind = functools.partial(get_attribute, engine, name=name)
        if (parts := kinds.separately(engine, name, (x,), by_kind)) is not None:
            return parts
        plain = Array(x.value) if isinstance(x, Array) else Scalar(x.value)
        found = get_attribute(engine, plain, name)
        if isinstance(found, Const):
            found = Scalar(constant(value=np.zeros((), x.value.type.dtype), weak=True))
        return kinds.operated(engine, name, (x,), found)
    if name == "conjugate" and not {*classes} & {"b", "c"}:
        return Compound("method", (Const(float.conjugate), x))
    dtypes = {kinds.dtype_of(kind) for kind in x.kinds.choices}
    if kinds.may_be_array(x) and not {*x.kinds.choices} & {*PYTHON_DTYPES} and len(dtypes) == 1:
        if name in _SAME_IN_ARRAYS:
            return _of_array(engine, Array(x.value), name)
        raise kinds.refused(engine, f"{name!r} of a number", x)
    names = " or ".join(sorted({kind.__name__ for kind in x.kinds.choices}))
    raise engine.refuse(
        f"{name!r} of a number that is {names} here, as the path taken has it",
        "convert it with float() or int(), or start with a number of that type",
    )


def _of_array(engine: Engine, x: Any, name: str) -> Any:
    is_ref = isinstance(x, Ref)
    shape, extents = arrays.shown(engine, x) if is_ref else (x.shape, None)
    dtype = arrays.dtype_of(engine, x) if is_ref else x.dtype
    match name:
        case "shape":
            if extents is None:
                return Const(shape)
            sizes = zip(shape, extents, strict=True)
            return Tuple(tuple([Const(n) if e is None else e for n, e in sizes]))
        case "dtype":
            return Const(dtype)
        case "ndim":
            return Const(len(shape))
        case "size":
            return _size(engine, shape, extents)
        case "itemsize":
            return Const(dtype.itemsize)
        case "nbytes":
            return engine.rules.binary(
                engine, "mul", _size(engine, shape, extents), Const(dtype.itemsize)
            )
        case "strides" | "flags":
            return Const(viewing.of_layout(engine, x, name))
        case "real" | "imag":
            return _part(engine, x, name, dtype)
        case "T" | "mT":
            function = np.transpose if name == "T" else np.matrix_transpose
            return call_object(engine, function, [x], {})
        case "flat":
            return makers.flat(engine, x)
        case "device":
            return Const("cpu")
    if name in ATTRIBUTES:
        reason, remedy = ATTRIBUTES[name]
        raise engine.refuse(f"the attribute {name!r} is not compiled: {reason}", remedy)
    descriptor = getattr(np.ndarray, name, None)
    if descriptor is None or not callable(descriptor):
        return _of_jax_array(engine, x, name)
    return Compound("method", (Const(descriptor), x))


def _of_jax_array(engine: Engine, x: Any, name: str) -> Any:
    """What JAX's arrays have and NumPy's have not."""
    descriptor = getattr(engine.jax.concrete, name, None)
    if (found := lookup(descriptor)) is None:
        raise _missing(engine, arrays.kind_of(engine, x), name, dir(np.ndarray))
    if isinstance(descriptor, property):
        return found.function(engine, x)
    return Compound("method", (Const(descriptor), x))


def _size(engine: Engine, shape: tuple[int, ...], extents: Any) -> Any:
    size: Any = Const(1)
    for n, e in zip(shape, extents or (None,) * len(shape), strict=True):
        size = engine.rules.binary(engine, "mul", size, Const(n) if e is None else e)
    return size


def _part(engine: Engine, x: Any, name: str, dtype: np.dtype) -> Any:
    if isinstance(x, Ref) and dtype.kind == "c":
        shape, extents = arrays.shown(engine, x)
        step = part(shape, extents, dtype, ("real", "imag").index(name))
        return Ref(x.cell, extend(x.view, step))
    if isinstance(x, Ref) and name == "real":
        return x
    return call_object(engine, getattr(np, name), [x], {})


def _of_tuple(engine: Engine, x: Tuple, name: str) -> Any:
    fields = getattr(x.cls, "_fields", ())
    if name in fields:
        return x.items[fields.index(name)]
    if name == "_fields":
        return Const(fields)
    found = engine.captures.member(x.cls, name)
    if isinstance(found, types.FunctionType) and name == "_replace":
        return Compound("method", (Const(dataclasses.replace), x))
    if found is not None and x.cls is not tuple:
        return _member(engine, x.cls, x, name, found)
    return _method(engine, tuple, x, name)


_NO_DICT = "__dict__ is not supported", "use getattr() and setattr()"


def _of_instance(engine: Engine, x: Ref, content: ObjectCell, name: str) -> Any:
    need_plain(engine, content.cls, "__getattribute__")
    found = engine.captures.member(content.cls, name)
    if found is None and name in content.fields:
        return engine.moved(content.fields[name])
    if isinstance(found, property):
        return call_object(engine, found.fget, [x], {})
    if is_python(getattr(type(found), "__set__", None)) and has_get(found):
        return _described(engine, content.cls, x, found)
    if name == "__dict__":
        raise engine.refuse(*_NO_DICT)
    if name in content.fields and not isinstance(found, functools.cached_property):
        return engine.moved(content.fields[name])
    if isinstance(found, functools.cached_property):
        return _of_cached(engine, x, content, name, found)
    if found is None:
        if name == "__class__":
            return Const(actual(content.cls))
        if (fallback := engine.captures.member(content.cls, "__getattr__")) is not None:
            return call_object(engine, fallback, [x, Const(name)], {})
        _raise_missing(engine, content.cls, name)
        known = [*content.fields, *dir(content.cls)]
        raise _missing(engine, f"{content.cls.__name__!r} object", name, known)
    if isinstance(found, types.MethodDescriptorType) and lookup(found) is None:
        words = f"{found.__qualname__} is not among the methods that can be compiled"
        raise engine.refuse(words, "use an operator, a statement or a loop")
    if isinstance(found, types.GetSetDescriptorType):
        raise engine.refuse(
            f"{content.cls.__name__}.{name} is not supported in compiled code", "read it outside"
        )
    return _member(engine, content.cls, x, name, found)


def _of_cached(
    engine: Engine, x: Ref, content: ObjectCell, name: str, found: functools.cached_property[Any]
) -> Any:
    """A cached property: what it was before; computed where it was not, or on some paths only."""
    field = content.fields.get(name)
    if is_variant(field, "unbound"):
        return call_object(engine, computed_once, [x, Const(name), Const(found.func)], {})
    if field is not None and not isinstance(field, Unbound):
        return engine.moved(field)
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
    if standard.is_cached(found):
        raise engine.refuse(*standard.CACHED_METHOD)
    compiled = hasattr(found, "__pyxla_function__")
    if isinstance(found, types.FunctionType) or compiled or callable(found) and lookup(found):
        return Compound("method", (Const(found), x))
    return engine.captures.abstract(engine, getattr(cls, name))


def _described(engine: Engine, cls: type, x: Any, found: Any) -> Any:
    """What the descriptor `found` of the user's gives for `x`."""
    descriptor = engine.captures.abstract(engine, found)
    return call_object(engine, type(found).__get__, [descriptor, x, Const(cls)], {})


def _of_compound(engine: Engine, x: Any, name: str) -> Any:
    if choices.is_choice(x):
        return of_choice(engine, x, name)
    if exceptions.is_exception(x):
        return _of_exception(engine, x, name)
    if not isinstance(x, Compound):
        raise _missing(engine, arrays.kind_of(engine, x), name)
    if x.kind in ("range", "slice") and name in ("start", "stop", "step"):
        return x.items[("start", "stop", "step").index(name)]
    if x.kind == "super":
        return _of_super(engine, x, name)
    if x.kind == "partial" and name == "func":
        return x.items[0]
    if x.kind == "function" and name == "__name__":
        return Const(x.meta[0].name)
    if x.kind == "function" and name == "__module__":
        return Const(x.meta[-1].value.get("__name__"))
    if functions.is_wrapper(x):
        if name == "__wrapped__":
            return x.items[1]
        return get_attribute(engine, x.items[name in functions.TAKEN], name)
    if x.kind == "method" and name == "__self__":
        return x.items[1]
    if x.kind == "text" and hasattr(str, name):
        return Compound("method", (Const(getattr(str, name)), x))
    if x.kind in iterators.ONCE and name in ("send", "close", "__next__"):
        iterators.read_in_steps(engine, x)
    raise _missing(engine, x.kind, name)


def _of_exception(engine: Engine, x: Any, name: str) -> Any:
    """An attribute of an exception, as its `__init__` sets it; one of several, by the selector."""
    if name == "__class__":
        return class_of_exception(x)
    values: list[Any] = []
    given = exceptions.alternatives(x)
    for e in given:
        if name == "args" and engine.captures.member(e.meta, "__init__") is None:
            values.append(Tuple(e.items))
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
        values = _raise_lacking(engine, x, values, name)
    return _chosen(engine, x, values, f"the attribute {name!r}")


def _raise_lacking(engine: Engine, x: Any, values: list[Any], name: str) -> list[Any]:
    """Raise where `x` is an exception without the attribute, None among `values`; those there are,
    and any of them in the place of None."""
    found = [value for value in values if value is not None]
    for i, (e, value) in enumerate(zip(exceptions.alternatives(x), values, strict=True)):
        if value is None:
            error = AttributeError(f"{e.meta.__name__!r} object has no attribute {name!r}")
            if not found:
                engine.raise_constant(error)
            engine.ensure(flag_of(x.tag, [place != i for place in range(len(values))]), error)
    return [found[0] if value is None else value for value in values]


def _chosen(engine: Engine, x: Any, values: list[Any], what: str) -> Any:
    """The value of each exception that `x` may be, as one."""
    found = exceptions.select(x, values)
    if found is None:
        names = " or ".join(dict.fromkeys([e.meta.__name__ for e in exceptions.alternatives(x)]))
        raise engine.refuse(
            f"{what} is not of one type for all the exceptions that arrive here ({names})",
            "write an `except` clause for each",
        )
    return found


def as_instance(engine: Engine, x: Compound) -> Ref:
    """An exception as an object with the attributes that its `__init__` sets."""
    made = engine.new(ObjectCell(x.meta, {"args": Tuple(x.items)}))
    init = engine.captures.member(x.meta, "__init__")
    if isinstance(init, types.FunctionType):
        call_member(engine, x.meta, "__init__", init, made, list(x.items), {})
        computed = [
            value
            for name, value in engine.content(made).fields.items()
            if name != "args" and not isinstance(value, Const) and not _is_among(value, x.items)
        ]
        if computed and any(isinstance(item, Ref) for item in x.items):
            raise engine.refuse(
                f"{x.meta.__name__} computes attributes from objects, which may have changed since",
                "compute them where the exception is raised",
            )
    return made


def _is_among(x: Any, items: tuple[Any, ...]) -> bool:
    return any(
        x is item or (isinstance(x, Ref) and isinstance(item, Ref) and same_ref(x, item))
        for item in items
    )


def class_of_exception(x: Any) -> Any:
    """`type(x)` of an exception."""
    if not isinstance(x, Variant):
        return Const(x.meta)
    classes = [e.meta for e in x.items]
    names = " or ".join(dict.fromkeys([cls.__name__ for cls in classes]))
    reason = f"the type of the exception that arrives here is {names}"
    conflict = Conflict(reason, hint="catch them in clauses of their own")
    return choices.one_of_these(x.tag, classes, conflict)


def _of_super(engine: Engine, x: Compound, name: str) -> Any:
    cls, start = x.meta
    (self_,) = x.items
    mro = cls.__mro__
    for base in mro[mro.index(start) + 1 :]:
        if name in base.__dict__:
            found = base.__dict__[name]
            if name == "__init__" and base is object:
                return Const(object_init)
            if name == "__init__" and issubclass(base, BaseException) and not is_python(found):
                return Compound("method", (Const(exception_init), self_))
            generated = dataclasses.is_dataclass(base) and is_generated(found)
            if generated:
                return Compound("method", (Const(found), self_))
            return _member(engine, cls, self_, name, found)
    raise _missing(engine, "super", name)


def set_attribute(engine: Engine, x: Any, name: str, value: Any, plainly: bool = False) -> None:
    """`x.name = value`; plainly: as `object.__setattr__` does it."""
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    pooled = type(content) is Pooled
    content = engine.content(x) if pooled else content
    if isinstance(content, Array) and name in ("real", "imag"):
        part = _part(engine, x, name, arrays.dtype_of(engine, x))
        arrays.setitem(engine, part, Const(Ellipsis), value)
        return
    if isinstance(content, Array) and name == "shape":
        set_shape(engine, x, value)
        return
    if isinstance(x, Const) and classes.can_assign(engine, x.value, name, value):
        engine.captures.assign(engine, x.value, name, value)
        return
    if not isinstance(content, ObjectCell):
        kind = arrays.kind_of(engine, x)
        raise engine.refuse(f"cannot set attribute {name!r} of {kind}")
    if name == "__dict__":
        raise engine.refuse(*_NO_DICT)
    found = engine.captures.member(content.cls, name)
    if isinstance(found, property):
        if found.fset is None:
            raise engine.refuse(f"property {name!r} of {content.cls.__name__!r} has no setter")
        call_object(engine, found.fset, [x, value], {})
        return
    if is_python(put := getattr(type(found), "__set__", None)):
        call_object(engine, put, [engine.captures.abstract(engine, found), x, value], {})
        return
    if found is None and name not in content.fields and not content.cls.__dictoffset__:
        message = f"{content.cls.__name__!r} object has no attribute {name!r}"
        engine.raise_constant(AttributeError(message))
    params = getattr(content.cls, "__dataclass_params__", None)
    if params is not None and params.frozen and not plainly:
        engine.raise_constant(dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}"))
    own = engine.captures.member(content.cls, "__setattr__")
    if is_python(own) and not plainly and not (params and params.frozen):
        call_object(engine, own, [x, Const(name), value], {})
        return
    if pooled:
        pools.assign(engine, x, name, value)
        return
    engine.set_content(x.cell, ObjectCell(content.cls, {**content.fields, name: value}))


def delete_attribute(engine: Engine, x: Any, name: str) -> None:
    """`del x.name`."""
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    if not isinstance(content, ObjectCell) or name not in content.fields:
        raise _missing(engine, arrays.kind_of(engine, x), name)
    need_plain(engine, content.cls, "__delattr__")
    fields = {k: v for k, v in content.fields.items() if k != name}
    engine.set_content(x.cell, ObjectCell(content.cls, fields))


def construct(engine: Engine, cls: type, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`cls(*args, **kwargs)` for a user's class."""
    need_constructible(engine, cls)
    if issubclass(cls, BaseException):
        return Compound("exception", (*args, *_positional(engine, cls, args, kwargs)), cls)
    if issubclass(cls, tuple):
        return _construct_named_tuple(engine, cls, args, kwargs)
    if inspect.isabstract(cls):
        engine.fold_object(object.__new__, (cls,))  # which raises
    held = {cls.__pyxla_sequence__: engine.new(DictCell({}))} if issubclass(cls, Dict) else {}
    x = engine.new(ObjectCell(cls, held))
    pools.noted(engine, cls)
    init = engine.captures.member(cls, "__init__")
    if init is None:
        if args or kwargs:
            raise engine.refuse(f"{cls.__name__}() takes no arguments")
        return pools.entered(engine, x)
    call_member(engine, cls, "__init__", init, x, args, kwargs)
    return pools.entered(engine, x)


def _positional(
    engine: Engine, cls: type, args: list[Any], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """Keyword arguments of an exception as positional ones that follow `args`."""
    if not kwargs:
        return ()
    init = engine.captures.member(cls, "__init__")
    code = init.__code__ if isinstance(init, types.FunctionType) else None
    names = code.co_varnames[1 : code.co_argcount] if code else ()
    following = names[len(args) :][: len(kwargs)]
    if set(following) != kwargs.keys():
        raise engine.refuse(
            f"the arguments of {cls.__name__} that are given by name are not the next ones",
            "give them by position",
        )
    return tuple([kwargs[name] for name in following])


def _construct_named_tuple(
    engine: Engine, cls: type, args: list[Any], kwargs: dict[str, Any]
) -> Tuple:
    fields = getattr(cls, "_fields", None)
    if fields is None:
        raise engine.refuse(f"subclasses of tuple other than NamedTuple ({cls.__name__})")
    values = dict(zip(fields, args, strict=False))
    values.update(kwargs)
    for name, default in cls._field_defaults.items():  # type: ignore[attr-defined]
        if name not in values:
            values[name] = engine.captures.abstract(engine, default)
    if set(values) != set(fields) or len(args) > len(fields):
        raise engine.refuse(f"{cls.__name__}() takes the fields {', '.join(fields)}")
    return Tuple(tuple([values[f] for f in fields]), cls)


def call_member(
    engine: Engine,
    cls: type,
    name: str,
    found: Any,
    x: Any,
    args: list[Any],
    kwargs: dict[str, Any],
) -> Any:
    """Call the class attribute `found` on the instance `x`; dataclass methods have no source."""
    if is_generated(found):
        return generated.called(engine, cls, name, x, args, kwargs)
    if isinstance(found, staticmethod):
        return call_object(engine, found.__func__, args, kwargs)
    if isinstance(found, classmethod):
        return call_object(engine, found.__func__, [Const(cls), *args], kwargs)
    if isinstance(found, types.FunctionType):
        return call_object(engine, found, [x, *args], kwargs)
    if lookup(found) is not None:
        return call_object(engine, found, [x, *args], kwargs)
    return call(engine, engine.captures.abstract(engine, found), args, kwargs)


def replace(engine: Engine, x: Any, /, **changes: Any) -> Any:
    """`dataclasses.replace(x, **changes)` and `NamedTuple._replace`."""
    if isinstance(x, Tuple):
        fields = x.cls._fields  # type: ignore[attr-defined]
        if unknown := set(changes) - set(fields):
            raise engine.refuse(f"got unexpected field names: {sorted(unknown)}")
        pairs = zip(fields, x.items, strict=True)
        return Tuple(tuple([changes.get(f, item) for f, item in pairs]), x.cls)
    content = engine.content(x)
    names = [f.name for f in dataclasses.fields(content.cls) if f.init]
    values = {n: content.fields[n] for n in names} | changes
    return construct(engine, content.cls, [], values)


def exception_init(self: Any, *args: Any) -> None:
    """`BaseException.__init__`, as `super` finds it."""


def object_init(*args: Any, **kwargs: Any) -> None:
    """`object.__init__`, as `super` finds it: it accepts what cooperating classes pass."""


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
        content = columnar.kept(engine.heap, x) or engine.content(x)
        if isinstance(content, Array):
            return engine.jax.array_class if engine.is_jax(x) else np.ndarray
        return _container(content)
    if exceptions.is_exception(x):
        return _chosen(engine, x, [Const(e.meta) for e in exceptions.alternatives(x)], "type").value
    if choices.is_choice(x):
        return _type_of_choice(engine, x)
    if isinstance(x, Compound):
        kinds = {"function": types.FunctionType, "range": range, "slice": slice, "text": str}
        kinds |= {"method": types.MethodType, "enumerate": enumerate, "map": map}
        kinds |= {"zip": zip, "transposed": zip}
        return kinds.get(x.kind, object)
    raise engine.refuse(f"the type of {arrays.kind_of(engine, x)} is not known")
