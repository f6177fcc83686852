"""`print`, and text made of values that are known at run time only.

A program prints by calling Python on the host (`ops.foreign.host_call`).  What keeps the calls in
order is a number, `STREAM`, that each of them takes and gives back: for the program it is an
outside array which every `print` changes, so that branches, loops and calls carry it as any other.
"""

from __future__ import annotations

import builtins
import io
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.heap import DictCell, GrowingList, ListCell, ObjectCell, SetCell
from pyxla.abstract.lattice import Array, Compound, Const, Ref, Scalar, Tuple, Variant
from pyxla.frontend import support
from pyxla.guards.places import STREAM
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.visiting import class_of
from pyxla.infer.classes import assigned
from pyxla.infer.containers import steps
from pyxla.infer.containers.indexing import content_of
from pyxla.infer.engine import Engine
from pyxla.infer.lists import columnar, reading
from pyxla.infer.lists.items import spelled
from pyxla.infer.raising.exceptions import is_exception
from pyxla.infer.text.pieces import formatted, is_shown_apart, made_by_host, of_instance
from pyxla.infer.using import items_in_order
from pyxla.ir.core import Value
from pyxla.ir.types import tuple_maker
from pyxla.lib.host_lists import items_of_columns, of_kind
from pyxla.lib.registry import rule
from pyxla.lib.text_files import print_to
from pyxla.ops.foreign import host_call

# From the arrays that a host call is given to a Python object.
Reader = Callable[[Sequence[np.ndarray]], Any]


@rule(print)
def _print(
    engine: Engine,
    *args: Any,
    sep: Any = Const(None),
    end: Any = Const(None),
    file: Any = Const(None),
    flush: Any = Const(False),
) -> Any:
    default = isinstance(file, Const) and file.value is None
    if default and assigned(engine, sys, "stdout") is not None:
        file = engine.captures.assigned(engine, sys, "stdout")
    if (stream := _stream(engine, file)) is None:
        given = [file, Tuple(args), sep, end, flush]
        return engine.rules.call(engine, Const(print_to), given, {})
    values: list[Value] = []
    readers = [reader(engine, x, values) for x in args]
    ends = [reader(engine, x, values) for x in (sep, end, flush)]

    def print_(*given: np.ndarray) -> None:
        sep, end, flush = (read(given) for read in ends)
        made = [read(given) for read in readers]
        builtins.print(*made, sep=sep, end=end, file=stream(), flush=flush)

    do(engine, print_, values)
    return Const(None)


def _stream(engine: Engine, file: Any) -> Callable[[], Any] | None:
    """What is printed to, when the program prints: an attribute of `sys`, or an open file; None
    where it is an instance of the program's."""
    if isinstance(file, Const) and file.value is None:
        return lambda: sys.stdout
    outside = [place.read() for place, x in engine.captures.places.items() if x is file]
    outside += [file.value] if isinstance(file, Const) else []
    for name in ("stdout", "stderr"):
        if any(x is getattr(sys, name) for x in outside):
            return lambda: getattr(sys, name)
    if isinstance(file, Const) and isinstance(file.value, io.IOBase):
        return lambda: file.value
    if class_of(engine, file) is not None:
        return None
    raise engine.refuse(
        "print(file=...) is compiled for sys.stdout, sys.stderr and files that are open",
        "return the text, and write it outside",
    )


def do(
    engine: Engine, function: Callable[..., Any], values: Sequence[Value] = (), **attrs: Any
) -> Sequence[Value]:
    """Call Python on the host when the program gets here, with these arrays; what it returns, of
    which `attrs` say the types."""
    stream = engine.captures.abstract(engine, STREAM)
    order = arrays.read(engine, stream).value
    after, *results = host_call(order, *values, function=function, **attrs)
    arrays.write(engine, stream, Array(after))
    return results


# Variants of which the host is told the tag.
_TOLD = ("optional", "constant", "exception")


def reader(engine: Engine, x: Any, values: list[Value]) -> Reader:
    """How the host makes `x` of arrays; `values`, which grows, is what they hold."""
    x = formatted(engine, x) if is_shown_apart(engine, x) else engine.use(x)
    if isinstance(x, Const):
        return lambda given: x.value
    if isinstance(x, Variant) and x.kind in _TOLD:
        return _one_of(x, lambda item: reader(engine, item, values), values)
    if isinstance(x, (Scalar, Array)) and x.kinds is not None:
        place, which = _place(x.value, values), _place(x.kinds.tag.value, values)
        kinds, exact = x.kinds.choices, place
        if x.kinds.exact is not None:
            exact = _place(x.kinds.exact.value, values)

        def read(given: Any) -> Any:
            numbers = [given[i].item() for i in (place, exact)]
            return of_kind(kinds[given[which].item()], *numbers)

        return read
    if isinstance(x, Scalar):
        place = _place(x.value, values)
        return lambda given: given[place].item()
    if isinstance(x, Array):
        return _array(x, values)
    if isinstance(x, Tuple):
        return _sequence(engine, tuple_maker(x.cls), x.items, values)
    if is_exception(x):
        return reader(engine, formatted(engine, x, "s"), values)
    if isinstance(x, Compound) and x.kind == "text":
        return _text(engine, x, values)
    if isinstance(x, Ref):
        return _object(engine, x, values)
    raise engine.refuse(f"{arrays.kind_of(engine, x)} cannot be printed")


def _one_of(x: Variant, read: Callable[[Any], Reader], values: list[Value]) -> Reader:
    """That of the items of `x` which its tag says."""
    place, readers = _place(x.tag.value, values), [read(item) for item in x.items]
    return lambda given: readers[given[place].item()](given)


def _place(value: Value, values: list[Value]) -> int:
    values.append(value)
    return len(values) - 1


def _sequence(
    engine: Engine, make: Callable[..., Any], items: Sequence[Any], values: list[Value]
) -> Reader:
    readers = [_inside(engine, item, values) for item in items]
    return lambda given: make([read(given) for read in readers])


class _Shown(str):
    """What `repr` of an instance gives, as containers show it."""

    __slots__ = ()
    __repr__ = str.__str__


def _inside(engine: Engine, x: Any, values: list[Value]) -> Reader:
    """An item of a container, which shows its `repr`."""
    if isinstance(x, Variant) and x.kind in _TOLD:
        return _one_of(x, lambda item: _inside(engine, item, values), values)
    shown = None
    if is_exception(x) or is_shown_apart(engine, x):
        shown = engine.use(formatted(engine, x, "r"))
    elif isinstance(content_of(engine, x), ObjectCell) and made_by_host(engine, x) is None:
        shown = of_instance(engine, x, "r")
        if shown is None:
            raise engine.refuse("an instance without __repr__ cannot be printed", "define it")
    if shown is None:
        return reader(engine, x, values)
    read = reader(engine, shown, values)
    return lambda given: _Shown(read(given))


def _text(engine: Engine, x: Compound, values: list[Value]) -> Reader:
    items = iter(x.items)
    pieces = [
        p if isinstance(p, str) else (reader(engine, next(items), values), *p) for p in x.meta
    ]

    return lambda given: support.formatted(pieces, lambda make: make(given))


def _object(engine: Engine, x: Ref, values: list[Value]) -> Reader:
    """An array, a container, or an instance that says how it is shown."""
    if (grown := columnar.found(engine.heap, x)) is not None:
        return _grown(engine, grown, values)
    content = engine.content(x)
    match content:
        case Array():
            return _array(arrays.read(engine, x), values, scalar=False)
        case ListCell(items):
            return _sequence(engine, list, items, values)
        case DictCell():
            held = items_in_order(engine, content)
            read = _sequence(engine, list, tuple(held.values()), values)
            return lambda given: dict(zip(held, read(given), strict=True))
        case SetCell():
            members = steps.actual(content)
            return lambda given: members
        case ObjectCell(cls) if (fields := made_by_host(engine, x)) is not None:
            read = _sequence(engine, list, tuple(fields.values()), values)
            make: Any = cls.__pyxla_made__  # type: ignore[attr-defined]
            return lambda given: make(dict(zip(fields, read(given), strict=True)))
        case ObjectCell():
            if (shown := of_instance(engine, x)) is not None:
                return reader(engine, shown, values)
    raise engine.refuse(f"{arrays.kind_of(engine, x)} cannot be printed", "print its parts")


def _array(x: Array, values: list[Value], scalar: bool = True) -> Reader:
    """An array, or a NumPy scalar."""
    place = _place(x.value, values)
    if not x.shape and scalar:
        return lambda given: given[place][()]
    sizes = [None if e is None else _place(e.value, values) for e in x.extents or ()]
    if not sizes:
        return lambda given: given[place]
    return lambda given: _cut(given[place], [s if s is None else given[s] for s in sizes])


def _grown(engine: Engine, grown: GrowingList, values: list[Value]) -> Reader:
    """A list, or tuple, whose length is known at run time only."""

    def pool(cls: type) -> int:
        raise engine.refuse(
            f"{cls.__name__} instances in a list of unknown length cannot be printed",
            "print their fields",
        )

    item, make = spelled(grown.item, pool), grown.cls
    columns = reading.columns_of(engine, grown)
    if not columns:
        return lambda given: make()
    size = columns[0].extents[0] if columns[0].extents else None
    places = [_place(column.value, values) for column in columns]
    length = None if size is None else _place(size.value, values)
    return lambda given: make(
        items_of_columns(
            None if length is None else given[length].item(),
            [given[place] for place in places],
            item,
            lambda _: [],
        )
    )


def _cut(array: np.ndarray, sizes: Sequence[Any]) -> np.ndarray:
    return array[tuple([slice(None) if n is None else slice(n.item()) for n in sizes])]
