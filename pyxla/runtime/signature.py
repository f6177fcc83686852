"""Arguments taken apart: flat leaves, a hashable key, and a description for inference.

    flatten(args, static)   -> (key, leaves)   on every call: fast, no checks
    describe(args, static)  -> Arg per argument, when a specialization is made: checks everything
    keyed(args)             -> the key that values of these descriptions have
    memory(leaves)          -> what a function that mutates must know besides: `Memory`

Leaves come in the order of a depth-first walk; static values are no leaves.  The key is one flat
tuple, in which each argument's first entry tells how many follow, so that keys of different
structure differ:

    np.ndarray      dtype, shape                    int, float, complex     the type
    np.generic      its dtype's scalar type         known Python int        "int", value
                                                    other known numbers     "static", type, text
    jax.Array       "jax f32[3]" (one interned str) bool, str, None, ...    "static", type, value
    containers      class, their structure, then each element
    long lists of   list, length, "numbers", the type: one leaf, unless `static` has their path
    numbers         with the step `ITEMS`

A traced scalar that is weakly typed (a Python scalar on its way through JAX) counts as the Python
scalar it was; concrete arrays are arrays.  Whether arrays are writeable and how they overlap
matters to functions that mutate, only; `memory` is the second half of their key.

`static` holds paths of numbers, Python's or NumPy's, that are known values: `(argument, step, ...)`
with a step for each container on the way (index, key or field name).
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from pyxla.errors import CompileError
from pyxla.ir.types import (
    DTYPE_NAMES,
    PYTHON_DTYPES,
    SHORT_NAMES,
    ArrayType,
    array_type,
    python_type,
)
from pyxla.lib.prng import KeyArray
from pyxla.lib.random import state
from pyxla.runtime import jaxlink
from pyxla.runtime.numbers import Path, numbers_of


@dataclasses.dataclass(frozen=True, slots=True)
class ArgArray:
    """An array: kind is "numpy" (np.ndarray), "jax", or "scalar" (an immutable NumPy scalar)."""

    type: ArrayType
    kind: str = "numpy"
    writeable: bool = True
    leaf: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class ArgScalar:
    """A dynamic Python scalar; kind is "jax" for a weakly typed jax scalar."""

    type: ArrayType
    leaf: int = 0
    kind: str = "python"


@dataclasses.dataclass(frozen=True, slots=True)
class ArgStatic:
    """A value that is part of the specialization."""

    value: Any


@dataclasses.dataclass(frozen=True, slots=True)
class ArgTuple:
    """A tuple, or an instance of the NamedTuple class `cls`."""

    cls: type
    items: tuple[Arg, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class ArgList:
    items: tuple[Arg, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class ArgNumbers:
    """A long list of Python numbers of one type, as one array."""

    type: ArrayType
    leaf: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class ArgDict:
    keys: tuple[Any, ...]
    values: tuple[Arg, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class ArgObject:
    """An instance of `cls`, a dataclass or another Python class, by its fields."""

    cls: type
    fields: tuple[tuple[str, Arg], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class ArgMethod:
    """A bound method: `function` of the instance `owner`."""

    function: Any
    owner: Arg


@dataclasses.dataclass(frozen=True, slots=True)
class ArgPytree:
    """A container of a class registered with JAX; `treedef` is its node alone."""

    cls: type
    treedef: Any
    items: tuple[Arg, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class ArgSame:
    """The mutable container already met at `path`."""

    path: Path


Arg = (
    ArgArray
    | ArgScalar
    | ArgStatic
    | ArgTuple
    | ArgList
    | ArgNumbers
    | ArgDict
    | ArgObject
    | ArgMethod
    | ArgPytree
    | ArgSame
)


class _Container(NamedTuple):
    """How instances of one class are taken apart.

    open(x) -> (key entries, steps, elements); build(x, descriptions of elements) -> description.
    """

    open: Callable[[Any], tuple[tuple[Any, ...], Iterable[Any], Iterable[Any]]]
    build: Callable[[Any, tuple[Arg, ...]], Arg]
    mutable: bool = False


_KINDS = {np.dtype(d): python for python, d in PYTHON_DTYPES.items()}
_CONSTANTS = frozenset((bool, str, type(None)))
_jax_keys: dict[Any, Any] = {}


def flatten(args: Sequence[Any], static: frozenset[Path] = frozenset()) -> tuple[Any, list[Any]]:
    """The key and the leaves of `args`."""
    key: list[Any] = []
    leaves: list[Any] = []
    add = key.append
    walk = None
    for index, x in enumerate(args):
        kind = type(x)
        if kind is np.ndarray:
            add(x.dtype)
            add(x.shape)
            leaves.append(x)
        elif kind is jaxlink.ARRAY:
            add(_jax_keys.get(x.aval) or _concrete_key(x.aval))
            leaves.append(x)
        elif kind is int or kind is float or kind is complex:
            if static and (index,) in static:
                key += _known(x)
            else:
                add(kind)
                leaves.append(x)
        elif kind in _CONSTANTS:
            key += ("static", kind, x)
        else:
            walk = walk or _Walk(key, leaves, static)
            try:
                walk.visit(x, (index,))
            except RecursionError:
                raise _too_deep(index) from None
    return tuple(key), leaves


def _too_deep(index: int) -> CompileError:
    return CompileError(
        f"argument {index} is nested too deeply",
        hint="pass the parts of deep structures as separate arguments, or stack them in an array",
    )


def describe(args: Sequence[Any], static: frozenset[Path] = frozenset()) -> tuple[Arg, ...]:
    """What inference may know of `args`: one description each; CompileError where it cannot be."""
    return described(Describe(static), args)


def described(walk: Describe, args: Sequence[Any]) -> tuple[Arg, ...]:
    """The descriptions that a walk makes of arguments."""
    found = []
    for index, x in enumerate(args):
        try:
            found.append(walk.visit(x, (index,)))
        except RecursionError:
            raise _too_deep(index) from None
    return tuple(found)


def keyed(args: Iterable[Arg]) -> tuple[Any, ...]:
    """The key of arguments so described: `keyed(describe(args)) == flatten(args)[0]`."""
    key: list[Any] = []
    for arg in args:
        _rekey(arg, key)
    return tuple(key)


def _jax_key(aval: Any) -> Any:
    """The entry for tracers of this abstract value: weak scalars are Python's."""
    if aval.weak_type and aval.shape == ():
        return f"jax weak {aval.dtype.kind}"
    return _jax_keys.get(aval) or _concrete_key(aval)


def _concrete_key(aval: Any) -> Any:
    """The interned entry for JAX arrays of this abstract value."""
    if len(_jax_keys) > 65536:
        _jax_keys.clear()
    entry = _jax_keys[aval] = _jax_entry(aval.dtype, aval.shape)
    return entry


def _jax_entry(dtype: Any, shape: tuple[int, ...]) -> str:
    return f"jax {SHORT_NAMES.get(dtype, dtype)}{list(shape)}"


def _known(x: Any) -> tuple[Any, ...]:
    """The entries of a known value; 0.0 and -0.0 are two, and nan is one."""
    if isinstance(x, (float, complex, np.inexact)):
        return "static", type(x), repr(x)
    return ("int", x) if x.__class__ is int else ("static", x.__class__, x)


# --- walking containers -----------------------------------------------------------------------


class _Walk:
    """One depth-first walk that extends a key and a list of leaves."""

    def __init__(self, key: list[Any], leaves: list[Any], static: frozenset[Path]) -> None:
        self.key = key
        self.leaves = leaves
        self.static = static
        self.seen: dict[int, Path] = {}
        self.open: set[int] = set()

    def visit(self, x: Any, path: Path) -> None:
        kind = type(x)
        key = self.key
        if kind is np.ndarray:
            key += (x.dtype, x.shape)
            self.leaves.append(x)
        elif kind is jaxlink.ARRAY:
            key.append(_jax_keys.get(x.aval) or _concrete_key(x.aval))
            self.leaves.append(x)
        elif kind is int or kind is float or kind is complex:
            if path in self.static:
                key += _known(x)
            else:
                key.append(kind)
                self.leaves.append(x)
        elif kind in _CONSTANTS:
            key += ("static", kind, x)
        elif kind in jaxlink.LITERALS:
            self.visit(jaxlink.LITERALS[kind](x), path)
        elif (container := _container(x)) is not None:
            self.descend(container, x, path)
        else:
            self.visit_other(x, path)

    def visit_other(self, x: Any, path: Path) -> None:
        if isinstance(x, np.generic) and path not in self.static and x.dtype in SHORT_NAMES:
            self.key.append(_canonical(x.dtype).type)
        elif isinstance(x, np.memmap):
            self.key += (x.dtype, x.shape)
        elif isinstance(x, jax.Array) and jaxlink.is_key(x):
            self.descend(_KEYS, x, path)
            return
        elif isinstance(x, jax.Array):
            self.key.append(_jax_key(jax.typeof(x)))
            x = jaxlink.settled(x)
        else:
            self.key += _known(_hashable(x, path))
            return
        self.leaves.append(x)

    def descend(self, container: _Container, x: Any, path: Path) -> None:
        if (seen := _enter(self, container, x, path)) is not None:
            self.key += ("same", seen)
            return
        if (numbers := numbers_of(x, path, self.static)) is not None:
            self.key += (list, len(x), "numbers", type(x[0]))
            self.leaves.append(numbers)
            self.open.discard(id(x))
            return
        entries, steps, elements = container.open(x)
        self.key += entries
        for step, element in zip(steps, elements, strict=True):
            self.visit(element, (*path, step))
        self.open.discard(id(x))


class Describe:
    """The same walk, making descriptions."""

    def __init__(self, static: frozenset[Path]) -> None:
        self.static = static
        self.count = 0
        self.seen: dict[int, Path] = {}
        self.open: set[int] = set()

    def leaf(self) -> int:
        self.count += 1
        return self.count - 1

    def visit(self, x: Any, path: Path) -> Arg:
        kind = type(x)
        if kind in jaxlink.LITERALS:
            x = jaxlink.LITERALS[kind](x)
            kind = type(x)
        if kind is np.ndarray or isinstance(x, np.memmap):
            type_ = _checked(x.dtype, x.shape, path)
            return ArgArray(type_, "numpy", bool(x.flags.writeable), self.leaf())
        if kind is int or kind is float or kind is complex:
            if path in self.static:
                return ArgStatic(x)
            return ArgScalar(python_type(kind), self.leaf())
        if isinstance(x, np.generic) and path not in self.static and x.dtype in SHORT_NAMES:
            return ArgArray(array_type(_canonical(x.dtype)), "scalar", False, self.leaf())
        if isinstance(x, jax.Array) and not jaxlink.is_key(x):
            return self.jax_array(jax.typeof(x), path, kind is not jaxlink.ARRAY)
        if (container := _KEYS if isinstance(x, jax.Array) else _container(x)) is None:
            return ArgStatic(_hashable(x, path))
        if (seen := _enter(self, container, x, path)) is not None:
            return ArgSame(seen)
        if (numbers := numbers_of(x, path, self.static)) is not None:
            self.open.discard(id(x))
            return ArgNumbers(array_type(numbers.dtype, numbers.shape), self.leaf())
        _, steps, elements = container.open(x)
        parts = zip(steps, elements, strict=True)
        items = tuple([self.visit(element, (*path, step)) for step, element in parts])
        self.open.discard(id(x))
        return container.build(x, items)

    def jax_array(self, aval: Any, path: Path, traced: bool = False) -> Arg:
        type_ = _checked(aval.dtype, aval.shape, path)
        if traced and aval.weak_type and aval.shape == ():
            return ArgScalar(python_type(_WEAK[aval.dtype.kind]), self.leaf(), "jax")
        return ArgArray(type_, "jax", False, self.leaf())


_WEAK = {"b": bool, "i": int, "u": int, "f": float, "c": complex}


def _enter(walk: _Walk | Describe, container: _Container, x: Any, path: Path) -> Path | None:
    """Start on a container: the path where it was met before, if it is mutable and was."""
    if id(x) in walk.open:
        raise CompileError(
            f"{spell(path)} contains itself",
            hint="pass the parts of cyclic structures as separate arguments",
        )
    walk.open.add(id(x))
    if not container.mutable:
        return None
    if (seen := walk.seen.get(id(x))) is not None:
        walk.open.discard(id(x))
        return seen
    walk.seen[id(x)] = path
    return None


def _container(x: Any) -> _Container | None:
    """How `x` is taken apart, or None where it is one value; decided once per class."""
    kind = type(x)
    try:
        return _containers[kind]
    except KeyError:
        if len(_containers) > 4096:  # classes made in functions
            _containers.clear()
        found = _containers[kind] = _classify(x)
        return found


_containers: dict[type, _Container | None] = {}


def _classify(x: Any) -> _Container | None:
    kind = type(x)
    if kind is tuple or (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        return _TUPLE
    if kind in _BUILTIN:
        return _BUILTIN[kind]
    if kind in _GENERATORS:
        return _GENERATORS[kind]
    if kind in _ATOMS or isinstance(x, _ATOMIC_BASES) or _has(x, "__wrapped__"):
        return None
    if dataclasses.is_dataclass(x):
        return _objects(kind)
    if _is_pytree(x):
        return _PYTREE
    return _objects(kind) if _is_instance(x) else None


_TUPLE = _Container(
    lambda x: ((type(x), len(x)), range(len(x)), x), lambda x, items: ArgTuple(type(x), items)
)
_BUILTIN: dict[type, _Container] = {
    list: _Container(lambda x: ((list, len(x)), range(len(x)), x), lambda x, i: ArgList(i), True),
    dict: _Container(
        lambda x: ((dict, tuple(x), tuple(map(type, x))), x, x.values()),
        lambda x, items: ArgDict(tuple(x), items),
        True,
    ),
    types.MethodType: _Container(
        lambda x: (("method", x.__func__), ("__self__",), (x.__self__,)),
        lambda x, items: ArgMethod(x.__func__, *items),
    ),
}
# Functions by any name; objects with `__wrapped__` (jitted, compiled, cached ones) count as such.
_ATOMS = frozenset(
    (
        *(bool, str, bytes, type(None), type(Ellipsis), range, frozenset, types.ModuleType),
        *(types.FunctionType, types.BuiltinFunctionType, functools.partial, np.ufunc),
    )
)
_GENERATORS: dict[type, _Container] = {
    np.random.Generator: _Container(
        lambda x: (
            (np.random.Generator, ("bit_generator",)),
            ("bit_generator",),
            (x.bit_generator,),
        ),
        lambda x, items: ArgObject(np.random.Generator, (("bit_generator", items[0]),)),
        True,
    ),
    np.random.PCG64: _Container(
        lambda x: ((np.random.PCG64, state.FIELDS), state.FIELDS, state.opened(x)),
        lambda x, items: ArgObject(np.random.PCG64, tuple(zip(state.FIELDS, items, strict=True))),
        True,
    ),
}
_KEYS = _Container(
    lambda x: ((KeyArray, jaxlink.generator(x)), ("data",), (jax.random.key_data(x),)),
    lambda x, items: ArgObject(
        KeyArray, (("data", items[0]), ("impl", ArgStatic(jaxlink.generator(x))))
    ),
)
_ATOMIC_BASES = (type, enum.Enum, np.dtype, np.ndarray, np.generic, jax.Array)


def _is_instance(x: Any) -> bool:
    """Whether `x` is an ordinary instance of a Python class: its state is its fields."""
    kind = type(x)
    return bool(kind.__flags__ & _HEAP_TYPE) and (
        _has(x, "__dict__") or any("__slots__" in base.__dict__ for base in kind.__mro__)
    )


_HEAP_TYPE = 1 << 9


def _has(x: Any, name: str) -> bool:
    """Whether `x` has that attribute; a class whose instances refuse to tell has it not."""
    try:
        return hasattr(x, name)
    except Exception:  # the user's own `__getattr__` and properties raise anything
        return False


def _objects(kind: type) -> _Container:
    """Instances of a Python class, by the fields they have."""
    slots = _slots(kind)

    def fields(x: Any) -> dict[str, Any]:
        own = getattr(x, "__dict__", {})
        return {**own, **{n: getattr(x, n) for n in slots if hasattr(x, n)}} if slots else own

    def opened(x: Any) -> tuple[tuple[Any, ...], Iterable[Any], Iterable[Any]]:
        found = fields(x)
        return (kind, tuple(found)), found, found.values()

    def build(x: Any, items: tuple[Arg, ...]) -> Arg:
        return ArgObject(kind, tuple(zip(fields(x), items, strict=True)))

    return _Container(opened, build, True)


def _slots(kind: type) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for base in reversed(kind.__mro__):
        slots = base.__dict__.get("__slots__", ())
        names.update(dict.fromkeys((slots,) if isinstance(slots, str) else slots))
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


_PYTREE = _Container(_open_pytree, lambda x, items: ArgPytree(type(x), _node(x)[1], items))


# --- checks -----------------------------------------------------------------------------------


def _canonical(dtype: np.dtype) -> np.dtype:
    """The one dtype object among equal ones: `longlong` is `i64` too."""
    return DTYPE_NAMES[SHORT_NAMES[dtype]]


def _checked(dtype: Any, shape: tuple[int, ...], path: Path) -> ArrayType:
    if dtype in SHORT_NAMES:
        return array_type(_canonical(dtype), tuple(shape))
    native = isinstance(dtype, np.dtype) and dtype.newbyteorder("=") in SHORT_NAMES
    raise CompileError(
        f"{spell(path)} has dtype {dtype}, which XLA cannot hold",
        hint="convert it to native byte order first: x.astype(x.dtype.newbyteorder('='))"
        if native
        else f"use one of {', '.join(DTYPE_NAMES)}",
    )


def _hashable(x: Any, path: Path) -> Any:
    if isinstance(x, np.ndarray):
        raise CompileError(
            f"{spell(path)} is a {type(x).__name__}, whose arithmetic is not an ndarray's",
            hint="pass np.asarray(x)",
        )
    try:
        hash(x)
    except Exception:  # the user's own `__hash__`, too
        raise CompileError(
            f"{spell(path)} is a {type(x).__name__}, neither a container that pyxla takes apart "
            "nor a hashable constant",
            hint="pass its arrays and numbers as arguments, or register its class as a JAX pytree",
        ) from None
    return x


def spell(path: Path) -> str:
    """A path in words: `argument 1`, `argument 0[2]['w']`."""
    return f"argument {path[0]}" + "".join([f"[{step!r}]" for step in path[1:]])


def _rekey(arg: Arg, key: list[Any]) -> None:
    match arg:
        case ArgArray(type, "numpy"):
            key += (type.dtype, type.shape)
        case ArgArray(type, "scalar"):
            key.append(type.dtype.type)
        case ArgArray(type, _):
            key.append(_jax_entry(type.dtype, type.shape))
        case ArgScalar(type, _, "jax"):
            key.append(f"jax weak {type.dtype.kind}")
        case ArgScalar(type):
            key.append(_KINDS[type.dtype])
        case ArgStatic(value):
            key += _known(value)
        case ArgSame(path):
            key += ("same", path)
        case ArgNumbers(type):
            key += (list, *type.shape, "numbers", _KINDS[type.dtype])
        case _:
            _rekey_container(arg, key)


def _rekey_container(arg: Any, key: list[Any]) -> None:
    match arg:
        case ArgTuple(cls, items):
            key += (cls, len(items))
        case ArgList(items):
            key += (list, len(items))
        case ArgDict(keys, items):
            key += (dict, keys, tuple(map(type, keys)))
        case ArgMethod(function, owner):
            key += ("method", function)
            items = (owner,)
        case ArgObject(cls, fields):
            key += (cls, tuple([name for name, _ in fields]))
            items = tuple([item for _, item in fields])
        case ArgPytree(cls, treedef, items):
            key += (cls, treedef)
    for item in items:
        _rekey(item, key)


# --- memory -----------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class Memory:
    """How NumPy leaves lie in memory.

    read_only: leaves that cannot be written.  groups: sets of leaves that may share memory, each as
    (leaf, byte offset from the group's lowest address, layout) in leaf order, the layout being
    (shape, strides, dtype); leaves alone in theirs are left out.  Members of equal offset and
    layout are the same array.  strides: (leaf, strides in bytes) of arrays not in C order, whose
    reshapes NumPy copies.
    """

    read_only: tuple[int, ...] = ()
    groups: tuple[tuple[tuple[int, int, Any], ...], ...] = ()
    strides: tuple[tuple[int, tuple[int, ...]], ...] = ()


def memory(leaves: Sequence[Any]) -> Memory:
    """The second half of the key of a function that mutates."""
    arrays = [(i, x) for i, x in enumerate(leaves) if isinstance(x, np.ndarray)]
    read_only = tuple([i for i, x in arrays if not x.flags.writeable])
    strides = tuple([(i, x.strides) for i, x in arrays if not x.flags.c_contiguous])
    if len(arrays) < 2 or (
        len(arrays) == 2 and not np.may_share_memory(arrays[0][1], arrays[1][1])
    ):
        return Memory(read_only, (), strides) if read_only or strides else _PLAIN
    return Memory(read_only, _groups(arrays), strides)


_PLAIN = Memory()


def _groups(arrays: list[tuple[int, np.ndarray]]) -> tuple[Any, ...]:
    """Leaves whose address ranges overlap, found by a sweep over addresses."""
    spans = [(*np.lib.array_utils.byte_bounds(x), i, x) for i, x in arrays if x.size]
    spans.sort(key=lambda span: span[:3])
    groups: list[list[Any]] = []
    end = -1
    for low, high, i, x in spans:
        if low >= end:
            groups.append([])
        groups[-1].append((low, i, x))
        end = max(end, high)
    return tuple(sorted(_placed(group) for group in groups if len(group) > 1 and _overlap(group)))


def _overlap(group: list[Any]) -> bool:
    """Whether members really share an element; interleaved views (`x[::2]`, `x[1::2]`) do not."""
    return any(
        np.shares_memory(x, y) for k, (_, _, x) in enumerate(group) for _, _, y in group[k + 1 :]
    )


def _placed(group: list[Any]) -> tuple[Any, ...]:
    base = group[0][0]
    members = [
        (i, x.__array_interface__["data"][0] - base, (x.shape, x.strides, x.dtype.str))
        for _, i, x in group
    ]
    return tuple(sorted(members, key=lambda member: member[0]))
