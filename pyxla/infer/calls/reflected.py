"""Operators of NumPy's arrays and scalars with instances of the user's classes."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Const, Ref, is_variant
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.visiting import class_of, special
from pyxla.infer.engine import Engine
from pyxla.ir.types import PYTHON_DTYPES
from pyxla.lib.operands import cast

_LEAST = -1_000_000.0  # the priority of NumPy's scalars, and of classes that state none


def reflected(engine: Engine, x: Any, y: Any, name: str) -> Any:
    """The special method `name` of the instance `y` called for `x op y`; None where there is none.

    NumPy leaves the operator to `y` if its class says so (`__array_ufunc__ = None`, or a higher
    `__array_priority__`).  Else it takes `y` for an object: a scalar meets it as a Python number,
    an array element by element, which makes an array of objects.
    """
    cls = class_of(engine, y)
    if cls is None or not _is_numpy(engine, x) or _defers(engine, x, cls):
        return special(engine, y, name, (x,))
    if engine.captures.member(cls, name) is None:
        return None
    if hasattr(cls, "__len__") and hasattr(cls, "__getitem__"):
        raise engine.refuse(
            f"NumPy makes an array of the {cls.__name__!r} object here",
            "set __array_ufunc__ = None in the class: operators are its own then",
        )
    if isinstance(x, Ref) or isinstance(getattr(x, "value", None), np.ndarray):
        raise engine.refuse(
            f"NumPy makes an array of objects of an array and a {cls.__name__!r} object",
            "set __array_ufunc__ = None in the class: operators are its own then",
        )
    plain = engine.as_array(x)
    kind = type(np.zeros((), plain.dtype).item())
    return special(
        engine, y, name, (arrays.python_scalar(cast(plain.value, PYTHON_DTYPES[kind]), kind),)
    )


def asked(
    engine: Engine, x: Any, y: Any, names: tuple[str, str], first: bool, both: bool = True
) -> Any:
    """`x op y`, as the special methods of instances say, that of `x` and the reflected one of `y`;
    None where none says.  first: `y` is asked first; both: `y` is asked where `x` does not say."""
    name, mirrored = names
    result = special(engine, y, mirrored, (x,)) if first else None
    if result is None:
        result = special(engine, x, name, (y,))
    if result is None and both and not first:
        result = reflected(engine, x, y, mirrored)
    return result


def says(engine: Engine, x: Any, *names: str) -> bool:
    """Whether `x`, where it is not None, is an instance that has one of these special methods."""
    cls = class_of(engine, x.value if is_variant(x, "optional") else x)
    return cls is not None and any([engine.captures.member(cls, n) is not None for n in names])


def derives(engine: Engine, x: Any, y: Any) -> bool:
    """Whether the class of the instance `y` is derived from that of the instance `x`."""
    cls, base = class_of(engine, y), class_of(engine, x)
    return cls is not base and cls is not None and base is not None and issubclass(cls, base)


def precedes(engine: Engine, x: Any, y: Any, name: str) -> bool:
    """Whether `x op y` is asked of the special method `name` of `y` before it is asked of `x`: a
    class that derives from that of `x` has its own."""
    if not derives(engine, x, y):
        return False
    own, theirs = [engine.captures.member(class_of(engine, v), name) for v in (y, x)]
    return own is not theirs


def as_array(engine: Engine, x: Any, other: Any) -> Any:
    """The array that NumPy makes of the instance `x` beside one of its own, or None."""
    cls = class_of(engine, x)
    if cls is None or not isinstance(getattr(cls, "__array__", None), types.FunctionType):
        return None
    if not _is_numpy(engine, other) or _defers(engine, other, cls):
        return None
    return special(engine, x, "__array__", ())


def _is_numpy(engine: Engine, x: Any) -> bool:
    if isinstance(x, Const):
        return isinstance(x.value, np.ndarray | np.generic)
    return isinstance(x, Array) or (arrays.is_array(engine, x) and not engine.is_jax(x))


def _defers(engine: Engine, x: Any, cls: type) -> bool:
    """Whether an operator of `x` leaves what to do to an instance of `cls`."""
    if (ufuncs := engine.captures.member(cls, "__array_ufunc__")) is not None:
        raise engine.refuse("__array_ufunc__ is not supported", "set it to None")
    if hasattr(cls, "__array_ufunc__"):
        return ufuncs is None
    own = 0.0 if isinstance(x, Ref) else _LEAST
    return bool(own < getattr(cls, "__array_priority__", _LEAST))
