"""Exceptions as abstract values: what is raised, what a handler takes, and one of several.

    Compound("exception", args, cls)           an instance of `cls`
    Variant("exception", tag, (e0, e1, ...))   one of those

Handlers are found while compiling: the class of each exception is known, also where several meet.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.lattice import (
    Array,
    Compound,
    Conflict,
    Const,
    Ref,
    Scalar,
    Tuple,
    Variant,
    is_number,
    number_type,
    taken_apart,
)
from pyxla.errors import CompileError, Location, Surprise
from pyxla.infer.interface import Engine
from pyxla.infer.joins import choices
from pyxla.infer.text import codes
from pyxla.ops.foreign import HostError
from pyxla.ops.shape import constant
from pyxla.views.shadows import chosen, flag_of, renumbered

_CAUSE = "__cause__"


def is_exception(x: Any) -> bool:
    return type(x) in (Compound, Variant) and x.kind == "exception"


def of_host(x: Any) -> Conflict | None:
    """What is said to who looks at what a function on the host raised, but for its text."""
    if not any(issubclass(e.meta, HostError) for e in alternatives(x)):
        return None
    return Conflict(
        "what a host function raised is known to the host alone",
        hint="read it in the host function, or write an `except` clause for each class",
    )


def named(kwargs: dict[str, Any]) -> Compound:
    """Arguments by name, as the last item of an exception."""
    return Compound("keywords", tuple(kwargs.values()), tuple(kwargs))


def arguments(x: Compound) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What the class of an exception was called with; `args` are those by position."""
    given, kwargs = _held(x)
    return given, {name: value for name, value in kwargs.items() if name != _CAUSE}


def _held(x: Compound) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The same, with what it was raised from."""
    last = x.items[-1] if x.items else None
    if isinstance(last, Compound) and last.kind == "keywords":
        return x.items[:-1], dict(zip(last.meta, last.items, strict=True))
    return x.items, {}


def cause_of(x: Compound) -> Any:
    """What an exception was raised `from`: an exception or None, as a value; None if without."""
    return _held(x)[1].get(_CAUSE)


def caused(x: Any, cause: Any) -> Any:
    """Each of the exceptions that `x` may be, raised from `cause`."""
    if isinstance(x, Variant):
        return x.rebuild([*[caused(e, cause) for e in x.items], *x.parts[len(x.items) :]])
    args, kwargs = _held(x)
    return x.rebuild((*args, named({**kwargs, _CAUSE: cause})))


def args_of(x: Compound) -> Tuple:
    """`args` of an exception; an OSError keeps names of files apart."""
    args, _ = arguments(x)
    if not issubclass(x.meta, OSError):
        return Tuple(args)
    made = x.meta if x.meta.__module__ == "builtins" else OSError
    stand_ins = [arg.value if isinstance(arg, Const) else 0 for arg in args]
    return Tuple(args[: len(made(*stand_ins).args)])


def instance(x: Any, loc: Location | None) -> Any:
    """What `raise x` raises."""
    if is_exception(x):
        return x
    if isinstance(x, Const) and isinstance(x.value, type) and issubclass(x.value, BaseException):
        return Compound("exception", (), x.value)
    if isinstance(x, Const) and isinstance(x.value, BaseException):
        return Compound("exception", tuple([Const(a) for a in x.value.args]), type(x.value))
    raise CompileError("exceptions must derive from BaseException", loc)


def alternatives(x: Any) -> tuple[Compound, ...]:
    """The exceptions that `x` may be."""
    return x.items if isinstance(x, Variant) else (x,)


def takes(classes: tuple[type, ...] | None, x: Compound) -> bool:
    """Whether handlers of `classes` (None: any) take an exception."""
    if issubclass(x.meta, Surprise):
        return False  # the compiler's own: the program is made anew
    return classes is None or issubclass(x.meta, classes)


def classes_of(x: Any) -> tuple[type, ...] | None:
    """The classes that an `except` clause names; None where they are not known."""
    x = taken_apart(x)
    if isinstance(x, Tuple):
        parts = [classes_of(item) for item in x.items]
    elif isinstance(x, Const) and isinstance(x.value, type) and issubclass(x.value, BaseException):
        return (x.value,)
    else:
        return None
    if any(part is None for part in parts):
        return None
    return tuple([cls for part in parts for cls in part or ()])


def built_in(engine: Engine, x: Compound, name: str) -> Any:
    """An attribute that CPython's own classes give an exception; None where they do not."""
    found = getattr(x.meta, name, None)
    args, _ = arguments(x)
    if found in (StopIteration.value, SystemExit.code) and len(args) < 2:
        return args[0] if args else Const(None)
    if name == _CAUSE:
        return cause_of(x) or Const(None)
    if name == "__suppress_context__":
        return Const(cause_of(x) is not None)
    member = inspect.ismemberdescriptor(found) and found.__objclass__.__module__ == "builtins"
    if member or (name in BaseException.__dict__ and name not in ("args", "__str__")):
        what = f"{name!r} of an exception is not supported in compiled code"
        raise engine.refuse(what, "read it outside")
    return None


def is_one_of(x: Any, classes: tuple[type, ...]) -> Any:
    """`isinstance(x, classes)`, a bool."""
    hits = [issubclass(e.meta, classes) for e in alternatives(x)]
    return flag_of(x.tag, hits) if len(hits) > 1 else Const(hits[0])


def narrowed(x: Any, classes: tuple[type, ...], excluded: tuple[type, ...]) -> Any:
    """`x`, known to be one of `classes` and none of `excluded`."""
    kinds = [e.meta for e in alternatives(x)]
    found = [issubclass(kind, classes) and not issubclass(kind, excluded) for kind in kinds]
    places = [i for i, hit in enumerate(found) if hit]
    if len(places) in (0, len(kinds)):
        return x
    if len(places) == 1:
        return x.items[places[0]]
    numbers = [places.index(i) if i in places else 0 for i in range(len(kinds))]
    tag = renumbered(x.tag, numbers, len(places))
    return Variant("exception", tag, tuple([x.items[i] for i in places]))


def is_alike(x: Any, y: Any) -> bool:
    """Whether two exceptions, or arguments of them, can be one value."""
    if isinstance(x, (Compound, Tuple)):
        return x.is_like(y) and all(map(is_alike, x.items, y.items))
    if isinstance(x, Const) and isinstance(y, Const):
        if type(x.value) is type(y.value) and isinstance(x.value, (bool, int, float, np.generic)):
            return True
        return x.value is y.value or (type(x.value) is str is type(y.value) and x.value == y.value)
    if is_number(x) and is_number(y):
        return number_type(x) is number_type(y)
    return isinstance(x, Ref) and isinstance(y, Ref) and x.cell == y.cell and x.view == y.view


def select(x: Any, values: Sequence[Any]) -> Any:
    """That of `values` which belongs to the exception that `x` is; None where they do not mix."""
    first = values[0]
    if all(_same(first, value) for value in values):
        return first
    if all(isinstance(v, Const) and type(v.value) is str for v in values):
        conflict = Conflict(
            "the text of the exception must be known, of which there are several",
            hint="catch them in clauses of their own",
        )
        return choices.one_of_these(x.tag, [v.value for v in values], conflict)
    if all(map(codes.is_texts, values)):
        return codes.one_of(x.tag, values)
    if isinstance(first, Tuple) and all(first.is_like(v) for v in values):
        parts = [select(x, items) for items in zip(*[v.items for v in values], strict=True)]
        return None if None in parts else first.rebuild(parts)
    if not all(is_number(v) and number_type(v) is number_type(first) for v in values):
        return None
    kind = number_type(first)
    numbers = [
        constant(value=np.asarray(v.value, kind.dtype), weak=kind.weak)
        if isinstance(v, Const)
        else v.value
        for v in values
    ]
    value = chosen(x.tag, numbers)
    return Scalar(value) if kind.weak else Array(value)


def _same(x: Any, y: Any) -> bool:
    if isinstance(x, Const) and isinstance(y, Const):
        return x.value is y.value or (type(x.value) is str is type(y.value) and x.value == y.value)
    return x is y
