"""Arrays of objects that programs make (`lib.objects`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.heap import ListCell, ObjectCell
from pyxla.abstract.lattice import Const, Ref, Tuple, is_none, taken_apart
from pyxla.infer.engine import Engine
from pyxla.lib.objects import Objects, build, unsupported
from pyxla.lib.registry import rule

_LISTED = (np.array, np.asarray, np.asanyarray)
_NONE = Const(None)
MOST = 1024  # items: each is a value of its own


def created(engine: Engine, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The array of objects that a call makes, each None; None where it makes no such array."""
    if function is np.full and len(args) > 1 and is_none(args[1]):
        given = kwargs.get("dtype", args[2] if len(args) > 2 else None)
        shape = _known_shape(engine, args[0]) if given is None or _is_object(given) else None
    elif function is np.empty and args:
        given = kwargs.get("dtype", args[1] if len(args) > 1 else None)
        shape = _known_shape(engine, args[0]) if _is_object(given) else None
    elif function in _LISTED and args:
        given = kwargs.get("dtype", args[1] if len(args) > 1 else None)
        shape = _shape_of(engine, args[0]) if given is None or _is_object(given) else None
    else:
        return None
    if shape is None or set(kwargs) - {"dtype"} or not 1 <= len(shape) <= 2:
        return None
    if math.prod(shape) > MOST:
        return None
    rows = [engine.new_list([_NONE] * shape[-1]) for _ in range(shape[0])]
    items = rows[0] if len(shape) == 1 and rows else engine.new_list(rows)
    return _build(engine, Objects, items, Const(shape))


def _is_object(x: Any) -> bool:
    known = x.value if isinstance(x, Const) else None
    return isinstance(known, type | str | np.dtype) and known in (object, "object", "O")


def _shape_of(engine: Engine, x: Any) -> tuple[int, ...] | None:
    """The shape of a list of None alone, or of such lists."""
    items = _items(engine, x)
    if not items or all(map(is_none, items)):
        return (len(items),) if items else None
    width = len(_items(engine, items[0]))
    rows = (_items(engine, item) for item in items)
    alike = all(len(row) == width and all(map(is_none, row)) for row in rows)
    return (len(items), width) if width and alike else None


def _items(engine: Engine, x: Any) -> Sequence[Any]:
    x = taken_apart(x)
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else x
    return content.items if isinstance(content, ListCell | Tuple) else ()


def _known_shape(engine: Engine, x: Any) -> tuple[int, ...] | None:
    shape = engine.static(x, "the shape of an array of objects")
    sizes = shape if isinstance(shape, tuple | list) else (shape,)
    return tuple(sizes) if all(isinstance(n, int) and n >= 0 for n in sizes) else None


def _build(engine: Engine, cls: type, items: Any, shape: Any) -> Any:
    fields = {"__pyxla_items__": items, "__pyxla_shape__": shape}
    return engine.new(ObjectCell(cls, fields))


@rule(build)
def _built(engine: Engine, cls: Any, items: Any, shape: Any) -> Any:
    return _build(engine, cls.value, items, shape)


@rule(unsupported)
def _unsupported(engine: Engine, x: Any) -> Any:
    raise engine.refuse(
        "of an array of objects only items are read and written, by ints, and its shape and T",
        "use a list, or an array of numbers",
    )
