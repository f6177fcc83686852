"""How objects are taken apart into their elements: containers, instances, pytrees; by class."""

from __future__ import annotations

import array
import collections
import dataclasses
import enum
import functools
import operator
import types
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import jax
import numpy as np

from pyxla.errors import BadArgument
from pyxla.lib.containers import OPEN, c_base, is_c_struct, reads_itself
from pyxla.lib.prng import KeyArray
from pyxla.lib.random import state as states
from pyxla.lib.records import FIELD, records
from pyxla.lib.typed_arrays import TypedArray
from pyxla.lib.variables import Variable
from pyxla.runtime import jaxlink
from pyxla.runtime.descriptions import (
    Arg,
    ArgArray,
    ArgDict,
    ArgList,
    ArgMethod,
    ArgObject,
    ArgPytree,
    ArgStand,
    ArgStatic,
    ArgTuple,
)


class Container(NamedTuple):
    """How instances of one class are taken apart.

    open(x) -> (key entries, steps, elements); build(x, descriptions of elements) -> description.
    form: "items" of those that unpack to their elements, "dict", "fields" where `__dict__` holds
    all, "" where only `open` knows.
    """

    open: Callable[[Any], tuple[tuple[Any, ...], Iterable[Any], Iterable[Any]]]
    build: Callable[[Any, tuple[Arg, ...]], Arg]
    mutable: bool = False
    form: str = ""


def container_of(x: Any) -> Container | None:
    """How `x` is taken apart, or None where it is one value; decided once per class."""
    kind = type(x)
    if isinstance(x, np.ndarray):
        return RECORDS if _records_of(x) is not None else None
    try:
        return CONTAINERS[kind]
    except KeyError:
        if len(CONTAINERS) > 4096:  # classes made in functions
            CONTAINERS.clear()
        found = CONTAINERS[kind] = _classify(x)
        return found


# How the classes met so far are taken apart.
CONTAINERS: dict[type, Container | None] = {}


def _classify(x: Any) -> Container | None:
    kind = type(x)
    if issubclass(kind, tuple) and not is_c_struct(kind):
        if reads_itself(kind):
            return None
        return _tuple(kind) if kind.__dictoffset__ else _TUPLE
    if kind in _BUILTIN:
        return _BUILTIN[kind]
    if kind in _GENERATORS:
        return _GENERATORS[kind]
    if issubclass(kind, OPEN) and kind.__flags__ & _HEAP_TYPE:
        return _stand(kind)
    if kind in _ATOMS or isinstance(x, _ATOMIC_BASES) or _has(x, "__wrapped__"):
        return None
    if is_frame(x) or is_exchanged(x) or is_boxed(x) or kind.__module__.startswith("_cython_"):
        return None
    if _is_pytree(x) and not _is_own(x) and not dataclasses.is_dataclass(x):
        return _PYTREE
    return _objects(kind) if dataclasses.is_dataclass(x) or _is_instance(x) else None


_TUPLE = Container(
    lambda x: ((type(x), len(x)), range(len(x)), x),
    lambda x, items: ArgTuple(type(x), items),
    form="items",
)


def _tuple(cls: type) -> Container:
    """Tuples of a class of the user's, which may have attributes."""

    def opened(x: Any) -> tuple[tuple[Any, ...], Iterable[Any], Iterable[Any]]:
        _need_bare(x)
        return (cls, len(x)), range(len(x)), x

    return Container(opened, lambda x, items: ArgTuple(cls, items))


def _need_bare(x: Any) -> None:
    """Refuse a container of a user's class that has attributes as well."""
    if fields_of(x):
        base = next(b.__name__ for b in (dict, list, tuple) if isinstance(x, b))
        words = f"{{}} is a {type(x).__name__}: a {base} with attributes"
        remedy = "pass its items and its attributes as arguments of their own"
        raise BadArgument(words, (), hint=remedy)


_BUILTIN: dict[type, Container] = {
    list: Container(
        lambda x: ((list, len(x)), range(len(x)), x), lambda x, items: ArgList(items), True, "items"
    ),
    dict: Container(
        lambda x: ((dict, tuple(x), tuple(map(type, x))), x, x.values()),
        lambda x, items: ArgDict(tuple(x), items),
        True,
        "dict",
    ),
    types.MethodType: Container(
        lambda x: (("method", x.__func__), ("__self__",), (x.__self__,)),
        lambda x, items: ArgMethod(x.__func__, *items),
    ),
}


def _stand(cls: type, *names: str) -> Container:
    """A set or deque, or a dict of another class, of which `names` are static attributes."""

    def fields(x: Any) -> tuple[tuple[str, Any], ...]:
        if cls not in _BUILTIN:
            _need_bare(x)
        return tuple([(name, getattr(x, name)) for name in names])

    def listed(x: Any) -> tuple[tuple[Any, ...], Iterable[Any], Iterable[Any]]:
        items = tuple(c_base(cls).__iter__(x))
        return (cls, len(items), fields(x)), range(len(items)), items

    def keyed(x: Any) -> tuple[tuple[Any, ...], Iterable[Any], Iterable[Any]]:
        keys = tuple(c_base(cls).keys(x))
        return (cls, keys, tuple(map(type, keys)), fields(x)), keys, c_base(cls).values(x)

    def build(x: Any, items: tuple[Arg, ...]) -> Arg:
        inner = (
            ArgDict(tuple(c_base(cls).keys(x)), items) if issubclass(cls, dict) else ArgList(items)
        )
        return ArgStand(cls, inner, fields(x))

    return Container(keyed if issubclass(cls, dict) else listed, build, True)


_BUILTIN |= {
    array.array: Container(
        lambda x: ((array.array, x.typecode), ("_held",), (x.tolist(),)),
        lambda x, items: ArgObject(
            TypedArray, (("kind", ArgStatic(x.typecode)), ("_held", items[0]))
        ),
        True,
    ),
    set: _stand(set),
    collections.deque: _stand(collections.deque, "maxlen"),
    collections.defaultdict: _stand(collections.defaultdict, "default_factory"),
    collections.OrderedDict: _stand(collections.OrderedDict),
    collections.Counter: _stand(collections.Counter),
}


# Functions by any name; objects with `__wrapped__` (jitted, compiled, cached ones) count as such.
_ATOMS = frozenset(
    (
        *(bool, str, bytes, type(None), type(Ellipsis), range, frozenset, types.ModuleType),
        *(types.FunctionType, types.BuiltinFunctionType, functools.partial, np.ufunc),
    )
)


def _generator(kind: type, state: states.State) -> Container:
    """Random generators of a class, by the fields of their state."""
    names = state.names

    def build(x: Any, items: tuple[Arg, ...]) -> Arg:
        parts = [
            dataclasses.replace(item, kind="state")
            if isinstance(item, ArgArray) and item.kind == "numpy"
            else item
            for item in items
        ]
        return ArgObject(kind, tuple(zip(names, parts, strict=True)))

    return Container(lambda x: ((kind, names), names, state.open(x)), build, True)


_GENERATORS: dict[type, Container] = {
    Variable: Container(
        lambda x: ((Variable, Variable.FIELDS), Variable.FIELDS, (x.value,)),
        lambda x, items: ArgObject(Variable, (("value", items[0]),)),
        True,
    ),
} | {kind: _generator(kind, state) for kind, state in states.STATES.items()}


def _records_of(x: np.ndarray) -> type | None:
    """The class that stands for a structured array."""
    return records(x.dtype, isinstance(x, np.recarray)) if x.dtype.names else None


def _fields(x: np.ndarray) -> list[str]:
    return [FIELD + name for name in x.dtype.names or ()]


def _open_records(x: np.ndarray) -> tuple[tuple[Any, ...], Iterable[Any], Iterable[Any]]:
    columns = [x[name].view(np.ndarray) for name in x.dtype.names or ()]
    return (_records_of(x), x.shape), _fields(x), columns


# Structured arrays, by their fields.
RECORDS = Container(
    _open_records,
    lambda x, items: ArgObject(_records_of(x), tuple(zip(_fields(x), items, strict=True))),
    True,
)


KEYS = Container(
    lambda x: ((KeyArray, jaxlink.generator(x)), ("data",), (jax.random.key_data(x),)),
    lambda x, items: ArgObject(
        KeyArray, (("data", items[0]), ("impl", ArgStatic(jaxlink.generator(x))))
    ),
)


_ATOMIC_BASES = (type, enum.Enum, np.dtype, np.ndarray, np.generic, jax.Array)


def is_frame(x: Any) -> bool:
    """Whether `x` is a table or a column of one, by the protocols that libraries of them share."""
    return hasattr(type(x), "__dataframe__") or hasattr(type(x), "__arrow_c_stream__")


def is_exchanged(x: Any) -> bool:
    """Whether `x` is an array of another library, by the protocol that all of them share."""
    return hasattr(type(x), "__dlpack__")


def is_boxed(x: Any) -> bool:
    """Whether `x` is an object of Numba's, whose items only code of Numba's reads."""
    return hasattr(type(x), "_numba_type_") and not callable(x)


def _is_instance(x: Any) -> bool:
    """Whether `x` is an ordinary instance of a Python class: its state is its fields."""
    kind = type(x)
    if kind is types.SimpleNamespace:
        return True
    return bool(kind.__flags__ & _HEAP_TYPE) and (
        _has(x, "__dict__") or any("__slots__" in base.__dict__ for base in kind.__mro__)
    )


_HEAP_TYPE = 1 << 9


def _is_own(x: Any) -> bool:
    """Whether `x` is an instance of a class of the user's, whose fields are all that it holds: of
    one registered with JAX, too, the methods are read."""
    foreign = type(x).__module__.partition(".")[0] in ("jax", "jaxlib")
    return _is_instance(x) and not foreign and not isinstance(x, _HOLDERS)


_HOLDERS = (dict, list, tuple, set, frozenset, functools.partial)


def _has(x: Any, name: str) -> bool:
    """Whether `x` has that attribute; a class whose instances refuse to tell has it not."""
    try:
        return hasattr(x, name)
    except Exception:  # the user's own `__getattr__` and properties raise anything
        return False


def fields_of(x: Any) -> dict[str, Any]:
    """The fields that an instance has, those in slots included."""
    own = getattr(x, "__dict__", {})
    slots = _slots(type(x))  # type: ignore[arg-type]  # classes can be hashed
    return {**own, **{n: getattr(x, n) for n in slots if hasattr(x, n)}} if slots else own


def _objects(kind: type) -> Container:
    """Instances of a Python class, by the fields they have."""
    base = next(base for base in kind.__mro__ if not base.__flags__ & _HEAP_TYPE)
    if issubclass(base, _VALUES):
        return _refused(kind, base)
    slots = _slots(kind)  # type: ignore[arg-type]  # classes can be hashed

    def opened(x: Any) -> tuple[tuple[Any, ...], Iterable[Any], Iterable[Any]]:
        found = fields_of(x)
        return (kind, tuple(found)), found, found.values()

    def plain(x: Any) -> tuple[tuple[Any, ...], Iterable[Any], Iterable[Any]]:
        own = x.__dict__
        return (kind, tuple(own)), own, own.values()

    def slotted(x: Any) -> tuple[tuple[Any, ...], Iterable[Any], Iterable[Any]]:
        try:
            return (kind, slots), slots, values(x)
        except AttributeError:  # not all of them are set
            return opened(x)

    def build(x: Any, items: tuple[Arg, ...]) -> Arg:
        return ArgObject(kind, tuple(zip(fields_of(x), items, strict=True)))

    if kind.__dictoffset__:
        return Container(opened, build, True) if slots else Container(plain, build, True, "fields")
    if len(slots) < 2:
        return Container(opened, build, True)
    values = operator.attrgetter(*slots)
    return Container(slotted, build, True)


# Classes whose instances hold a value, which is in no field.
_VALUES = (int, float, complex, str, bytes, bytearray, set, frozenset, collections.deque)


def _refused(kind: type, base: type) -> Container:
    """Instances of a user's class that is derived from `base`, of the values above."""

    def opened(x: Any) -> tuple[tuple[Any, ...], Iterable[Any], Iterable[Any]]:
        words = f"{{}} is a {kind.__name__}, a class derived from {base.__name__}"
        remedy = f"pass {base.__name__}(x), or an instance that has it in a field"
        raise BadArgument(words, (), hint=remedy)

    return Container(opened, lambda x, items: ArgObject(kind, ()), True)


@functools.lru_cache(maxsize=4096)
def _slots(kind: type) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for base in reversed(kind.__mro__):
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            private = name.startswith("__") and not name.endswith("__")
            names[f"_{base.__name__.lstrip('_')}{name}" if private else name] = None
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def _node(x: Any) -> tuple[list[Any], Any]:
    """The children and the structure of one level of a container registered with JAX."""
    return jax.tree_util.tree_flatten(x, is_leaf=lambda y: y is not x)


def _is_pytree(x: Any) -> bool:
    items, _ = _node(x)
    return not (len(items) == 1 and items[0] is x)


def _open_pytree(x: Any) -> tuple[tuple[Any, ...], Iterable[Any], Iterable[Any]]:
    items, treedef = _node(x)
    return (type(x), treedef), range(len(items)), items


_PYTREE = Container(_open_pytree, lambda x, items: ArgPytree(type(x), _node(x)[1], items))
