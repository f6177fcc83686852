"""What an object is, in words that mean the same in another process.

`Walk.digest(x)` covers all that the compiler may know of `x` without a capture or a guard of the
outside world (`infer.calls.captures`): the code and the source text of functions with defaults and
closures, classes with all their members and bases, constants by value, objects of libraries by
name.  What programs take as arguments (arrays, containers, instances) has its class here and no
more, as its contents are described when they are captured.  Global names are left out, too: which
of them count is known once a function is compiled (`pyxla.store`).

A walk numbers what it meets.  Two walks that give the same digests number alike, which is how a
place outside (a cell, a namespace, a class) is found again in another process.

`Unstable` is raised for what may mean something else elsewhere, or is not known here.
"""

from __future__ import annotations

import abc
import dataclasses
import enum
import functools
import hashlib
import linecache
import struct
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import jax
import ml_dtypes
import numpy as np

from pyxla.errors import Location
from pyxla.frontend.dispatchers import unwrapped
from pyxla.guards.places import is_fixed, is_steady
from pyxla.lib.random.state import STATES
from pyxla.runtime.containers import container_of

# Whose objects are known by their names: which release it is, is in the digest.
LIBRARIES = frozenset({"numpy", "jax", "jaxlib", "ml_dtypes", "scipy", "pyxla"})


class Unstable(Exception):  # noqa: N818 - an answer, not an error
    """What this is may differ in another process."""


def package_of(name: Any) -> str:
    return str(name or "").partition(".")[0]


def is_library(name: Any) -> bool:
    """Whether a module of this name is Python's own, or of a library that programs are made of."""
    package = package_of(name)
    return package in LIBRARIES or package in sys.stdlib_module_names


class Walk:
    """objects: what was met, by number.  Those that exist once come first."""

    def __init__(self, known: Iterable[Any] = ()) -> None:
        self.objects: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._hash: Any = None
        for x in known:
            self.number(x)

    def copy(self) -> Walk:
        """One that goes on from here."""
        walk = Walk()
        walk.objects, walk._numbers = self.objects.copy(), self._numbers.copy()
        return walk

    def digest(self, *values: Any) -> str:
        """What `values` are."""
        before, self._hash = self._hash, hashlib.blake2b(digest_size=20)
        try:
            for x in values:
                self.visit(x)
            return self._hash.hexdigest()
        except RecursionError:
            raise Unstable("it is nested too deeply") from None
        finally:
            self._hash = before

    def number(self, x: Any) -> int:
        """The number of an object, a new one for what was not met."""
        found = self._numbers.setdefault(id(x), len(self.objects))
        if found == len(self.objects):
            self.objects.append(x)
        return found

    def find(self, x: Any) -> int | None:
        """The number of an object that was met."""
        return self._numbers.get(id(x))

    def emit(self, *words: Any) -> None:
        for word in words:
            data = word if isinstance(word, bytes) else str(word).encode("utf-8", "surrogatepass")
            self._hash.update(struct.pack("<I", len(data)))
            self._hash.update(data)

    def visit(self, x: Any) -> None:
        kind = type(x)
        if (write := _PLAIN.get(kind)) is not None:
            self.emit(kind.__name__, write(x))
        elif kind is tuple:
            self.emit("tuple", len(x))
            self._each(x)
        elif (known := self.find(x)) is not None:
            self.emit("known", known)
        elif (visit := _KINDS.get(kind)) is not None:
            visit(self, x)
        else:
            self._other(x)

    def _each(self, items: Iterable[Any]) -> None:
        for item in items:
            self.visit(item)

    def _other(self, x: Any) -> None:
        kind = type(x)
        if isinstance(x, type):
            self._class(x)
        elif isinstance(x, enum.Enum):
            self._member(x)
        elif isinstance(x, np.generic):
            self.emit("number", x.dtype.str, x.dtype.name, x.tobytes())
        elif isinstance(x, np.dtype):
            self.emit("dtype", x.str, x.name, repr(x))
        elif isinstance(x, tuple) and hasattr(kind, "_fields"):
            self.emit("namedtuple")
            self._each((kind, *x))
        elif hasattr(x, "__pyxla_function__") and hasattr(x, "options"):
            self.emit("compiled", self.number(x))
            self._each((x.__pyxla_function__, x.options))
        elif (function := unwrapped(x)) is not x:
            about = [repr(getattr(x, name, None)) for name in ("signature", "types", "_frozen")]
            self.emit("dispatcher", self.number(x), kind.__qualname__, *about)
            self.visit(function)
        elif package_of(kind.__module__) == "pyxla":
            self._own(x)
        elif self._is_named(x):
            return
        elif is_fixed(x) or not _is_captured(x):
            raise Unstable(f"a {kind.__module__}.{kind.__qualname__}")
        else:
            self.emit("object", self.number(x))
            self.visit(kind)

    def _own(self, x: Any) -> None:
        """A record of the compiler's own, by all of its fields."""
        kind = type(x)
        if not dataclasses.is_dataclass(kind):
            self.number(x)
        slots = [name for c in kind.__mro__ for name in _slots(c) if hasattr(x, name)]
        names = [*slots, *sorted(getattr(x, "__dict__", ()))]
        self.emit("own", kind.__module__, kind.__qualname__, *names)
        for value in [getattr(x, name) for name in names if name not in _OF_WRAPPERS]:
            if package_of(type(value).__module__) != "pyxla" and _is_captured(value):
                if not isinstance(value, tuple):
                    raise Unstable(f"a {kind.__qualname__} with a {type(value).__name__}")
            self.visit(value)

    def _is_named(self, x: Any) -> bool:
        """Write an object that a library has by name; False where there is none."""
        for module in (getattr(x, "__module__", None), type(x).__module__, *_HOMES):
            name = getattr(x, "__qualname__", None) or getattr(x, "__name__", None)
            if name and is_library(module) and _resolved(module, name) is x:
                release = getattr(sys.modules.get(package_of(module)), "__version__", "")
                self.emit("named", self.number(x), module, name, release)
                return True
        return False

    # functions

    def _function(self, f: types.FunctionType) -> None:
        self.emit("function", self.number(f), f.__module__, f.__qualname__)
        self.number(f.__globals__)
        self.number(f.__dict__)
        self._code(f.__code__)
        if not is_library(f.__globals__.get("__name__")):
            self.emit(_source(f.__code__, f.__globals__))
        self.visit(f.__defaults__)
        self._items(f.__kwdefaults__ or {})
        for cell in f.__closure__ or ():
            self._cell(cell)

    def _cell(self, cell: types.CellType) -> None:
        if (known := self.find(cell)) is not None:
            self.emit("known", known)
            return
        self.emit("cell", self.number(cell))
        try:
            held = cell.cell_contents
        except ValueError:
            self.emit("empty")
            return
        self.visit(held)

    def _code(self, code: types.CodeType) -> None:
        self.emit("code", code.co_name, code.co_qualname, code.co_filename, code.co_firstlineno)
        self.emit(code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
        self.emit(code.co_code, code.co_linetable, code.co_exceptiontable)
        for names in (code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars):
            self.visit(names)
        self.visit(code.co_consts)

    def _items(self, held: dict[str, Any]) -> None:
        self.emit("items", len(held), *held)
        self._each(held.values())

    def _partial(self, x: functools.partial[Any]) -> None:
        self.emit("partial", self.number(x))
        self.number(x.keywords)
        self._each((x.func, x.args))
        self._items(x.keywords)

    def _method(self, x: types.MethodType) -> None:
        self.emit("method")
        self._each((x.__func__, x.__self__))

    def _builtin(self, x: types.BuiltinMethodType) -> None:
        if self._is_named(x):
            return
        owner = x.__self__
        if type(owner) not in _PLAIN and not isinstance(owner, type):
            raise Unstable(f"a method of a {type(owner).__name__}")
        self.emit("bound", x.__name__)
        self.visit(owner)

    def _module(self, x: types.ModuleType) -> None:
        self.emit("module", self.number(x), x.__name__)
        self.number(x.__dict__)

    # constants

    def _set(self, x: frozenset[Any]) -> None:
        """In the order in which it is iterated over, where that is one in all processes."""
        digests = [Walk().digest(item) for item in x]
        self.emit("frozenset", *(digests if all(map(is_steady, x)) else sorted(digests)))

    def _slice(self, x: slice) -> None:
        self.emit("slice")
        self._each((x.start, x.stop, x.step))

    def _location(self, x: Location) -> None:
        self.emit("location")
        self._each([getattr(x, field.name) for field in dataclasses.fields(x)])

    # classes

    def _class(self, cls: type) -> None:
        self.emit("class", self.number(cls), cls.__module__, cls.__qualname__)
        if cls.__flags__ & _IMMUTABLE:
            return
        if is_library(cls.__module__):
            if _resolved(cls.__module__, cls.__qualname__) is not cls:
                raise Unstable(f"the class {cls.__qualname__}")
            release = getattr(sys.modules.get(package_of(cls.__module__)), "__version__", "")
            self.emit(release)
            return
        self.visit(type(cls))
        self._each(cls.__bases__)
        if isinstance(cls, abc.ABCMeta):
            self.emit("abstract", *sorted(getattr(cls, "__abstractmethods__", ())))
        if issubclass(cls, enum.Enum):
            self._each(cls.__members__.values())
        for name, value in list(cls.__dict__.items()):
            if name not in _SKIPPED and not (issubclass(cls, enum.Enum) and name[:1] == "_"):
                self.emit(name)
                _MEMBERS.get(name, Walk._attribute)(self, value)

    def _attribute(self, x: Any) -> None:
        if isinstance(x, _SLOTS):
            self.emit(type(x).__name__, x.__name__)
        else:
            self.visit(x)

    def _member(self, x: enum.Enum) -> None:
        """A member of an enum; its class says what all of them are."""
        self.emit("member", self.number(x), x.name)
        self._each((type(x), x._value_))
        held = {k: v for k, v in x.__dict__.items() if not k.startswith("_")}
        self._items(held)

    def _fields(self, fields: dict[str, dataclasses.Field[Any]]) -> None:
        for name, field in fields.items():
            self.emit(name, field.init, field.repr, field.compare, field.hash, field.kw_only)
            self._each((field.default, field.default_factory))

    def _text(self, x: Any) -> None:
        self.emit(repr(x))


def _slots(cls: type) -> tuple[str, ...]:
    named = cls.__dict__.get("__slots__", ())
    return (named,) if isinstance(named, str) else tuple(named)


def _is_captured(x: Any) -> bool:
    """Whether a program takes `x` as an argument, with its contents described there."""
    kinds = (np.ndarray, jax.Array, list, dict, set, bytearray)
    return isinstance(x, kinds) or type(x) in STATES or container_of(x) is not None


def _resolved(module: Any, name: str) -> Any:
    found: Any = sys.modules.get(str(module))
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _source(code: types.CodeType, module: dict[str, Any]) -> str:
    """The text that code was compiled from: whole lines, with those of functions inside."""
    last, work = code.co_firstlineno, [code]
    while work:
        inner = work.pop()
        last = max([last, *[line for _, _, line in inner.co_lines() if line is not None]])
        work += [const for const in inner.co_consts if isinstance(const, types.CodeType)]
    lines = linecache.getlines(code.co_filename, module)
    return "".join(lines[code.co_firstlineno - 1 : last])


def _of(*names: str) -> Callable[[Walk, Any], None]:
    """What is known by the values of these attributes."""

    def visit(walk: Walk, x: Any) -> None:
        walk.emit(type(x).__name__, walk.number(x))
        walk._each([getattr(x, name, None) for name in names])

    return visit


class _Pair(NamedTuple):
    first: int


def _none(walk: Walk, x: Any) -> None:
    walk.emit(type(x).__name__)


_OF_WRAPPERS = frozenset(
    {*functools.WRAPPER_ASSIGNMENTS, "__dict__", "__weakref__", "__wrapped__", "__slots__"}
)
_HOMES = ("numpy", "numpy.random", "builtins", "math", "operator")
# `Py_TPFLAGS_IMMUTABLETYPE`: of classes that are written in C.
_IMMUTABLE = 1 << 8
_PLAIN: dict[type, Callable[[Any], Any]] = {
    type(None): repr,
    type(Ellipsis): repr,
    type(NotImplemented): repr,
    bool: repr,
    int: repr,
    str: lambda x: x,
    bytes: lambda x: x,
    float: lambda x: struct.pack("<d", x),
    complex: lambda x: struct.pack("<dd", x.real, x.imag),
    range: repr,
}
_KINDS: dict[type, Callable[[Walk, Any], None]] = {
    types.FunctionType: Walk._function,
    types.CodeType: Walk._code,
    types.MethodType: Walk._method,
    types.BuiltinFunctionType: Walk._builtin,
    types.ModuleType: Walk._module,
    functools.partial: Walk._partial,
    frozenset: Walk._set,
    slice: Walk._slice,
    Location: Walk._location,
    property: _of("fget", "fset", "fdel"),
    staticmethod: _of("__func__"),
    classmethod: _of("__func__"),
    functools.cached_property: _of("func", "attrname"),
    type(functools.lru_cache(repr)): _of("__wrapped__"),
    types.UnionType: _of("__args__"),
    types.GenericAlias: _of("__origin__", "__args__"),
    type(np.finfo(float)): _of("dtype"),
    type(np.iinfo(int)): _of("dtype"),
    type(ml_dtypes.finfo(ml_dtypes.bfloat16)): _of("dtype"),
    type(dataclasses.MISSING): _none,
    type(_Pair.first): lambda walk, x: walk.emit("field", x.__reduce__()[1][0]),
}
_SLOTS = (
    types.MemberDescriptorType,
    types.GetSetDescriptorType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
)
_SKIPPED = frozenset(
    {
        *("__dict__", "__weakref__", "__doc__", "__firstlineno__", "__static_attributes__"),
        *("_abc_impl", "__abstractmethods__", "__annotate__", "__annotate_func__"),
        *("__annotations_cache__", "__annotate_cache__", "__parameters__", "__orig_bases__"),
    }
)
_MEMBERS: dict[str, Callable[[Walk, Any], None]] = {
    "__dataclass_fields__": Walk._fields,
    "__dataclass_params__": Walk._text,
    "__annotations__": Walk._text,
    "__slots__": Walk._text,
    "_field_defaults": lambda walk, x: walk._items(x),
}
