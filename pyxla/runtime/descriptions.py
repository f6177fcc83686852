"""What inference knows of an argument: one record for each kind."""

from __future__ import annotations

from typing import Any

from pyxla.errors import spell
from pyxla.frozen import dataclass
from pyxla.ir.types import PYTHON_TYPES, SHORT_NAMES, ArrayType
from pyxla.runtime.numbers import Path


class Arg:
    """What is known of an argument, or of a part of one."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ArgArray(Arg):
    """An array: kind is "numpy" (np.ndarray), "jax", "scalar" (an immutable NumPy scalar), or
    "state" (a copy of what an object holds, which nobody else sees)."""

    type: ArrayType
    kind: str = "numpy"
    writeable: bool = True
    leaf: int = 0


@dataclass(frozen=True, slots=True)
class ArgScalar(Arg):
    """A dynamic Python scalar; kind is "jax" for a weakly typed jax scalar, "word" for an int from
    0 to 2**64, of which the leaf is 2**63 less.  most: what an int is at most, where that is
    known."""

    type: ArrayType
    leaf: int = 0
    kind: str = "python"
    most: int | None = None


@dataclass(frozen=True, slots=True)
class ArgStatic(Arg):
    """A value that is part of the specialization."""

    value: Any


@dataclass(frozen=True, slots=True)
class ArgTuple(Arg):
    """A tuple, or an instance of the NamedTuple class `cls`."""

    cls: type
    items: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class ArgList(Arg):
    items: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class ArgNumbers(Arg):
    """A long list of Python numbers of one type, or lists of such, as one array; sizes: the leaf
    that has the lengths of the lists in it, where these are of several."""

    type: ArrayType
    leaf: int = 0
    sizes: int | None = None


@dataclass(frozen=True, slots=True)
class ArgText(Arg):
    """A text whose characters are data: its code points, and how many there are."""

    type: ArrayType
    codes: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True)
class ArgDict(Arg):
    keys: tuple[Any, ...]
    values: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class ArgStand(Arg):
    """A set, a deque, or a dict of another class, by the list or dict of its items; `fields`: what
    else it holds."""

    cls: type
    inner: ArgList | ArgDict
    fields: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class ArgObject(Arg):
    """An instance of `cls`, a dataclass or another Python class, by its fields."""

    cls: type
    fields: tuple[tuple[str, Arg], ...]


@dataclass(frozen=True, slots=True)
class ArgMethod(Arg):
    """A bound method: `function` of the instance `owner`."""

    function: Any
    owner: Arg


@dataclass(frozen=True, slots=True)
class ArgPytree(Arg):
    """A container of a class registered with JAX; `treedef` is its node alone."""

    cls: type
    treedef: Any
    items: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class ArgUnknown(Arg):
    """Something in a container that is no argument: refused for `reason` where it is read.

    cls: its class.  dtype: of an array.
    """

    cls: type
    dtype: Any
    reason: str
    hint: str


@dataclass(frozen=True, slots=True)
class ArgSame(Arg):
    """The mutable container already met at `path`."""

    path: Path


def spelled(arg: Arg) -> str:
    """A description as the type that spells it; `jax f32[3]` and classes have no other spelling."""
    match arg:
        case ArgScalar(type, most=most) if most is not None:
            return f"{type} of {most} at most"
        case ArgArray(type, "numpy") | ArgScalar(type, _, "python" | "word"):
            return str(type)
        case ArgArray(type, "scalar"):
            return SHORT_NAMES[type.dtype]
        case ArgArray(type) | ArgScalar(type):
            return f"jax {type}"
        case ArgStatic(value):
            return f"static[{getattr(value, '__qualname__', None) or repr(value)}]"
        case ArgTuple(cls, items):
            inner = ", ".join(map(spelled, items))
            return f"({inner}{',' * (len(items) == 1)})" if cls is tuple else _called(cls, inner)
        case ArgNumbers(type, sizes=sizes):
            shown = PYTHON_TYPES.get(type.dtype, int).__name__
            if sizes is not None:
                return f"lists of {type.shape[1]} {shown} at most in a list of {type.shape[0]}"
            for extent in reversed(type.shape):
                shown = f"[{shown}] * {extent}"
            return shown
        case ArgText(type):
            return f"str of {type.shape[0]} at most"
        case ArgList(items):
            return f"[{', '.join(map(spelled, items))}]"
        case ArgDict(keys, values):
            pairs = zip(keys, values, strict=True)
            return "{" + ", ".join([f"{k!r}: {spelled(v)}" for k, v in pairs]) + "}"
        case ArgStand(cls, inner):
            return _called(cls, spelled(inner))
        case ArgObject(cls, fields):
            return _called(cls, ", ".join([f"{name}={spelled(item)}" for name, item in fields]))
        case ArgUnknown(cls):
            return cls.__qualname__
        case ArgPytree(cls, _, items):
            return _called(cls, ", ".join(map(spelled, items)))
        case ArgMethod(function, owner):
            return f"{spelled(owner)}.{function.__name__}"
        case ArgSame(path):
            return f"the same as {spell(path)}"
    raise TypeError(arg)


def size(arg: Arg) -> tuple[int, ...]:
    """The sizes of an array or a list, for which programs are made; of others empty."""
    match arg:
        case ArgArray(type) | ArgNumbers(type):
            return type.shape
        case ArgList(items):
            return (len(items),)
    return ()


def _called(cls: type, inner: str) -> str:
    return f"{cls.__name__}({inner})"
