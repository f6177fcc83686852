"""Calls that CPython executes while compiling: of pure functions, where every argument is known."""

from __future__ import annotations

import builtins
import contextlib
import os
import re
import sys
import types
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Const, NeedsStatic, Scalar
from pyxla.errors import CompileError
from pyxla.infer.calls import standard
from pyxla.infer.calls.visiting import call_function
from pyxla.infer.engine import Engine
from pyxla.infer.exact import exactly
from pyxla.infer.joins import choices
from pyxla.infer.raising.refusals import lacking
from pyxla.infer.using import decided_by_data
from pyxla.lib.members import member_of
from pyxla.lib.refused import KNOWN_AS, Row, is_outside
from pyxla.lib.registry import FOLDABLE

HOSTED = "; pyxla.host(f, returns=...) runs a function in the middle of the program"
_FOLDABLE_MODULES = frozenset(
    {
        *("math", "cmath", "operator", "_operator", "itertools", "string", "struct", "_struct"),
        *("re", "unicodedata"),
    }
)
_FOLDABLE_TYPES = (types.BuiltinFunctionType, types.MethodDescriptorType, type, np.ufunc)
# Types whose methods depend on nothing else.
_VALUES = (
    *(bool, int, float, complex, str, bytes, tuple, list, dict, frozenset, set, range, slice),
    *(np.dtype, np.generic, np.ndarray, re.Pattern, re.Match),
)
_CHANGING = (list, dict, set, bytearray)
# What reads or writes files or settings.
_NUMPY_STATE = frozenset(
    {
        *("load", "loadtxt", "genfromtxt", "fromfile", "fromregex", "memmap", "open_memmap"),
        *("save", "savez", "savez_compressed", "savetxt", "get_printoptions", "set_printoptions"),
        *("geterr", "seterr", "geterrcall", "seterrcall", "getbufsize", "setbufsize"),
    }
)
_PURE_BUILTINS = frozenset(
    {
        *(abs, all, any, bin, bool, bytes, chr, complex, divmod, float, format, hex, int, len),
        *(max, min, oct, ord, pow, repr, round, str, sum, ascii, hash, callable, str.maketrans),
        bytes.maketrans,
        os.fspath,
    }
)


# What depends on the class of an object: of an array it is something else, or an error.
OF_OBJECTS = frozenset({hash, repr, len, list, tuple, set, frozenset, iter, sorted, round})


def call_standard(
    engine: Engine, value: types.FunctionType, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """A Python function of the standard library: executed where it is known to be pure and its
    arguments are known, else visited as the user's are."""
    value = standard.interpreted_of(value) or value
    static = static_arguments(engine, args, kwargs) if value.__module__ in standard.PURE else None
    if static is not None:
        return _folded(engine, value, static)
    try:
        with exactly(engine) if value.__module__ == "random" else contextlib.nullcontext():
            return call_function(engine, value, args, kwargs)
    except CompileError as error:
        raise standard.refused(engine, value, error) from None
    except NeedsStatic as need:
        need.loc = None  # the user's line is where it is needed
        raise


def refuse_outside(
    engine: Engine, value: Any, row: Row, args: list[Any], kwargs: dict[str, Any]
) -> None:
    """Refuse a function for the reason in `row`, unless CPython can execute it now."""
    static = static_arguments(engine, args, kwargs)
    unknown = isinstance(value, types.BuiltinFunctionType) and not _is_pure(value)
    if static is None or unknown or is_outside(value, row):
        reason, remedy = row
        module = "" if value in vars(builtins).values() else _package(value)
        name = f"{module}.{_known_as(value, module)}" if module else name_of(value)
        raise engine.refuse(
            f"{name} is not compiled: {reason}", remedy if module else remedy + HOSTED
        )


def _package(value: Any) -> str:
    """The module that users know a function by: `_pickle.dumps` is pickle's, and what the system
    does is os's."""
    owner = getattr(value, "__self__", None)
    module = getattr(value, "__module__", None) or getattr(owner, "__module__", None)
    module = str(module or "numpy").lstrip("_")
    return "numpy" if module.startswith("numpy") else KNOWN_AS.get(module, module)


def _known_as(value: Any, module: str) -> str:
    """The name that a module has for a function, which may call itself otherwise: `hashlib.md5` is
    an `openssl_md5`."""
    known = vars(sys.modules[module]).items() if module in sys.modules else ()
    names = [name for name, other in known if other is value]
    own = name_of(value)
    return own if own in names or not names else names[0]


def is_library(value: Any) -> bool:
    """Whether `value` is NumPy's."""
    return str(getattr(value, "__module__", "")).partition(".")[0] == "numpy"


def call_foldable(engine: Engine, value: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A callable that only CPython knows: executed when every argument is known."""
    if not callable(value):
        raise lacking(engine, Const(value), "is not callable", "{!r} object is not callable")
    static = static_arguments(engine, args, kwargs)
    name = getattr(value, "__qualname__", None) or repr(value)
    module = getattr(value, "__module__", None)
    if static is None:
        if choices.is_enum(value) and len(args) == 1 and decided_by_data(engine, *args):
            return engine.rules.call(engine, Const(member_of), [Const(value), *args], kwargs)
        # NumPy's own Python over its other functions is visited as the user's is.
        inner = getattr(value, "_implementation", None)
        if isinstance(inner, types.FunctionType):
            return call_function(engine, inner, args, kwargs)
        _demand_numbers(engine, value, name, [*args, *kwargs.values()])
        if module and module.split(".")[0] == "numpy":
            name = f"numpy.{name}"
        remedy = "use a supported NumPy or jax function (`pyxla ops` lists the ops of pyxla.hlo)"
        if isinstance(value, types.BuiltinFunctionType) and not is_library(value):
            remedy = "it is not Python: call what needs it outside, and pass what that returns"
            remedy += HOSTED
        raise engine.refuse(f"{name} is not among the functions that can be compiled", remedy)
    if not _is_pure(value):
        if hasattr(value, "__objclass__"):
            words = f"{name} is not among the methods that can be compiled"
            raise engine.refuse(words, "use an operator, a statement or a loop")
        if module and module.isidentifier() and module != "builtins" and module[0] != "_":
            name = f"{module}.{name}"
        raise engine.refuse(
            f"{name} may give another result at every call, and would be called only once, while "
            "compiling",
            f"call it outside, and pass what it returns as an argument{HOSTED}",
        )
    return _folded(engine, value, static)


def _folded(engine: Engine, value: Any, static: tuple[Any, Any]) -> Any:
    """What CPython makes of known arguments: of an iterator over matches, one over their tuple."""
    owner = getattr(value, "__self__", None)
    if value is not re.finditer and not (isinstance(owner, re.Pattern) and value == owner.finditer):
        return engine.fold_object(value, *static)
    matches = engine.fold_object(lambda *args, **kwargs: (*value(*args, **kwargs),), *static)
    return engine.rules.call(engine, Const(iter), [matches], {})


def _demand_numbers(engine: Engine, value: Any, name: str, given: Sequence[Any]) -> None:
    """Ask for the numbers that a pure function is called with, if the rest is known."""
    unknown = [x for x in given if static_arguments(engine, [x], {}) is None]
    if _is_pure(value) and all(isinstance(x, Scalar) for x in unknown):
        raise NeedsStatic(unknown[0], f"an argument of {name}")


def _is_pure(value: Any) -> bool:
    """Whether calling `value` while compiling is as good as calling it when the program runs."""
    if getattr(value, "__objclass__", None) in _CHANGING:
        return False  # CPython would change a copy
    if folds(value) or isinstance(value, _FOLDABLE_TYPES):
        owner = getattr(value, "__self__", None)
        if not isinstance(value, types.BuiltinMethodType) or folds(value):
            return True
        return isinstance(owner, _VALUES) or owner in _VALUES
    module = getattr(value, "__module__", None) or ""
    if module.split(".")[0] != "numpy" or module.startswith("numpy.random"):
        return False
    return name_of(value) not in _NUMPY_STATE


def is_computation(value: Any) -> bool:
    """Whether a function of NumPy's or SciPy's only computes."""
    module = getattr(value, "__module__", None) or ""
    if isinstance(value, np.ufunc):
        return True
    if module.partition(".")[0] not in ("numpy", "scipy", "math", "statistics"):
        return False
    return "random" not in module and ".io" not in module and name_of(value) not in _NUMPY_STATE


def static_arguments(
    engine: Engine, args: list[Any], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]] | None:
    """The arguments as Python objects; None where one is not known."""
    try:
        plain = [engine.python_object(a) for a in args]
        named = {k: engine.python_object(a) for k, a in kwargs.items()}
    except LookupError:
        return None
    return plain, named


def name_of(value: Any) -> str:
    """How messages call a function."""
    return getattr(value, "__name__", None) or repr(value)


def folds(value: Any) -> bool:
    """Whether CPython may compute what a library function gives for known arguments."""
    if isinstance(value, np.ufunc):
        return True
    if isinstance(value, Hashable) and (value in FOLDABLE or value in _PURE_BUILTINS):
        return True
    return getattr(value, "__module__", None) in _FOLDABLE_MODULES


def yields_number(value: Any, static: tuple[list[Any], dict[str, Any]]) -> bool:
    """Whether a NumPy function of small known arguments gives a number, not an array."""
    if (getattr(value, "__module__", None) or "").split(".")[0] != "numpy":
        return False
    if any(isinstance(x, list) for x in static[0]) or "out" in static[1]:
        return False
    try:
        with np.errstate(all="ignore"):
            result = value(*static[0], **static[1])
    except Exception:  # noqa: BLE001 - it is raised where the program computes it
        return False
    return isinstance(result, (bool, int, float, complex, np.generic, np.dtype))
