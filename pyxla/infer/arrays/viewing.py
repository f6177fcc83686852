"""How NumPy functions that return views are called (`infer.arrays.makers` has them).

A *maker* gets what is known of an array without reading it (`Shown`) and the other operands.  It
returns what the result shows; a list or tuple of these for several arrays; `Copied` where NumPy
copies; None where the library function by value is to be called.  Of lists and NumPy scalars the
same is made by way of an array, unless the library has a function for them.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import operator
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

import pyxla.lib.everything  # noqa: F401 - what these functions do by value
from pyxla.frozen import dataclass
from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays.views import BasicIndex, Extents, View, apply, extend, layout
from pyxla.infer.calls.library import call_library
from pyxla.infer.engine import Engine
from pyxla.infer.facts.extent import lower
from pyxla.infer.heap import READ_ONLY, ListCell
from pyxla.infer.lattice import Array, Const, Ref, Scalar, Tuple
from pyxla.infer.raising.sizes import verify_reshaped
from pyxla.ir.types import ArrayType
from pyxla.lib import creation
from pyxla.lib.bounded.elementwise import NOT_SUPPORTED, REMEDY, strategy, strategy_of
from pyxla.lib.operands import as_array
from pyxla.lib.registry import REGISTRY, Implementation, Rank0, implements, rule

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """An array through a view: `base` is the type of the cell's content, `strides` those of an
    array of the caller's that is not in C order; `bounded` if the content is of bounded extent."""

    base: ArrayType
    view: View
    shape: Shape
    extents: Extents
    dtype: np.dtype
    strides: Shape | None = None
    bounded: bool = False

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def then(self, step: Any) -> Shown:
        """What `step` shows of this."""
        dtype = step.dtype or self.dtype
        view = extend(self.view, step)
        return replace(self, view=view, shape=step.shape, extents=step.extents, dtype=dtype)

    @property
    def offset(self) -> int | None:
        """Where its first element is among those of the base, if it shows a slice of them."""
        base = layout(self.base, ()).strides
        total = 0
        for step in self.view:
            if not isinstance(step, BasicIndex) or len(self.view) > 1:
                return None
            for r, stride in zip(step.ranges, base, strict=True):
                if not isinstance(r.start, int):
                    return None
                total += r.start * stride // self.base.dtype.itemsize
        return total

    @property
    def layout(self) -> np.ndarray:
        """An array without elements that lies in memory as NumPy's would."""
        return layout(self.base, self.view, self.strides)

    def in_memory(self, holds: Callable[[np.ndarray], bool]) -> bool | None:
        """Whether something holds of how the array lies in memory; None where its sizes decide."""
        whole = self.layout
        sizes: Any = self.extents if self.view and not self.bounded else None
        if sizes is None:
            return holds(whole)
        each = [_sizes(n, size) for n, size in zip(self.shape, sizes, strict=True)]
        shapes = itertools.product(*each)
        found = {holds(as_strided(whole, shape, whole.strides)) for shape in shapes}
        return found.pop() if len(found) == 1 else None


def _sizes(bound: int, size: Scalar | None) -> list[int]:
    """Sizes of a dimension that matter to its place in memory, of those that it may have."""
    if size is None:
        return [bound]
    low = min(max(lower(size) or 1, 1), bound)
    return sorted({low, min(low + 1, bound), max(bound - 1, low), bound})


@dataclass(frozen=True, slots=True)
class Copied:
    """A new array with the elements that a chain of steps shows.

    perhaps: NumPy makes a view of it on some paths, so that neither may be written from here on.
    """

    shown: Shown
    perhaps: bool = False


_RESHAPES = (np.reshape, np.ndarray.reshape)
PERHAPS = "whether this is a view of another array depends on the path that was taken"
Maker = Callable[..., Any]


def makes_view(*targets: Any, rank0: Rank0 = "scalar") -> Callable[[Maker], Maker]:
    """Register a maker for NumPy functions.  What the library has no function of its own for is
    made of what is no array, too, by way of one; rank0: see `lib.registry`."""

    def register(maker: Maker) -> Maker:
        first = next(iter(inspect.signature(maker).parameters))
        for target in targets:
            own = target in REGISTRY
            if not own:
                implements(target, rank0=rank0)(by_value(maker, first))
            make = functools.partial(called, maker, first, target, REGISTRY[target])
            rule(target)(functools.partial(make, rank0 == "scalar" and not own))
        return maker

    return register


def by_value(maker: Maker, first: str = "") -> Callable[..., Any]:
    """The library function that gives the contents of what a maker makes."""

    def call(*args: Any, **kwargs: Any) -> Any:
        x, *rest = args or (kwargs.pop(first),)
        array = as_array(x)
        of = Shown(array.value.type, (), array.shape, array.extents, array.dtype)
        made = maker(replace(of, bounded=array.extents is not None), *rest, **kwargs)
        return _contents(array, made)

    def of_bounded(function: Callable[..., Any], x: Any, *args: Any, **kwargs: Any) -> Any:
        whole = strategy_of(creation.array)(x) if isinstance(x, list | tuple) else x
        return function(whole, *args, **kwargs)

    strategy(call)(of_bounded)
    return call


def _contents(array: Array, made: Any) -> Any:
    """What was made of an array, by value."""
    if isinstance(made, list | tuple):
        return type(made)([_contents(array, one) for one in made])
    return apply((made.shown if isinstance(made, Copied) else made).view, array)


def called(
    maker: Maker,
    first: str,
    target: Any,
    library: Implementation,
    scalars: bool,
    engine: Engine,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """scalars: elements of arrays are not views of no dimensions, but NumPy scalars."""
    if not args and first in kwargs:
        args = (kwargs.pop(first),)
    buffer = ""
    if args and not arrays.is_array(engine, args[0]):
        args, kwargs, buffer = _converted(engine, target, args, kwargs)
    if args and arrays.is_array(engine, args[0]):
        ref, *rest = args
        operands = [engine.operand(x) for x in rest]
        named = {name: engine.operand(x) for name, x in kwargs.items()}
        engine.copies |= target is np.lib.stride_tricks.as_strided
        before = shown(engine, ref)
        made = maker(before, *operands, **named)
        if made is not None and buffer:
            raise engine.refuse(
                f"numpy.{target.__name__} shows the memory of the {buffer} here",
                "make a copy with np.array(x)",
            )
        if target in _RESHAPES and before.extents is not None:
            verify_reshaped(engine, before, made.shown if isinstance(made, Copied) else made)
        if made is not None and not (scalars and _are_elements(made)):
            return reference(engine, ref, made)
    return call_library(engine, target, library, list(args), kwargs)


def _converted(engine: Engine, target: Any, args: Any, kwargs: Any) -> Any:
    """The arguments with the array that an instance says it is, of which views are made, in its
    place; and the name of the class where that is a copy of what NumPy would show.

    https://numpy.org/doc/stable/user/basics.interoperability.html#the-array-method
    """
    x, *rest = args
    cls: Any = getattr(engine.heap.contents.get(getattr(x, "cell", None)), "cls", None)
    method = getattr(cls, "__array__", None)
    if not isinstance(method, types.FunctionType):
        return args, kwargs, ""
    copied = target is np.array and "copy" in inspect.signature(method).parameters
    given = {"copy": kwargs.get("copy", Const(True))} if copied else {}
    array = engine.rules.special(engine, x, "__array__", (), given)
    kwargs = {**kwargs, "copy": Const(None)} if copied else kwargs  # as the method says
    if array is None:
        return args, kwargs, ""
    return (array, *rest), kwargs, getattr(cls, "__pyxla_buffer__", "")


def _are_elements(made: Any) -> bool:
    """Whether elements of an array were made, of which NumPy makes scalars."""
    one = made[0] if isinstance(made, list | tuple) and made else made
    return isinstance(one, Shown) and not one.shape


def shown(engine: Engine, ref: Ref) -> Shown:
    """What `ref` shows, without reading it."""
    shape, extents = arrays.shown(engine, ref)
    base = engine.content(ref)
    strides, dtype = engine.heap.infos[ref.cell].strides, arrays.dtype_of(engine, ref)
    return Shown(base.type, ref.view, shape, extents, dtype, strides, base.extents is not None)


@dataclass(frozen=True, slots=True)
class Flags:
    """What the flags of an array say of its layout, and whether it may be written."""

    c_contiguous: bool
    f_contiguous: bool
    contiguous: bool
    fortran: bool
    forc: bool
    fnc: bool
    writeable: bool

    def __getitem__(self, name: Any) -> bool:
        """Of the flags by their names in capitals: this says whether there is one of that name."""
        return np.empty(()).flags[name]


_LETTERS = {"C": "c_contiguous", "F": "f_contiguous", "W": "writeable"}


@rule(Flags.__getitem__)
def _flag(engine: Engine, flags: Const, name: Any) -> Any:
    known = engine.static(name, "the name of a flag")
    found = engine.fold_object(operator.getitem, (flags.value, known))
    field = _LETTERS.get(known, known.lower())
    if not hasattr(flags.value, field):
        raise engine.refuse(f"whether an array is {known} is not known", "use C, F or WRITEABLE")
    return found and Const(getattr(flags.value, field))


def _is_writeable(engine: Engine, ref: Ref) -> bool:
    """Whether NumPy lets the array be written."""
    reason = engine.heap.infos[ref.cell].read_only
    return reason != READ_ONLY and all(step.writable for step in ref.view)


def of_layout(engine: Engine, x: Any, name: str) -> Any:
    """The attribute `strides` or `flags` of an array: how NumPy has its elements in memory."""
    ref = None
    if isinstance(x, Ref):
        engine.copies = True
        ref = shown(engine, x)
        if ref.extents is not None:
            raise engine.refuse(NOT_SUPPORTED, REMEDY)
    if name == "flags":
        flags = (ref.layout if ref else np.empty(())).flags
        layout = {field: getattr(flags, field) for field in Flags.__slots__[:-1]}
        return Flags(**layout, writeable=isinstance(x, Ref) and _is_writeable(engine, x))
    if ref is None:
        return ()
    if 1 in ref.shape and (ref.view or ref.strides is not None):
        raise engine.refuse(
            "the stride of a dimension of one element says nothing", "copy it before"
        )
    return ref.layout.strides


def reference(engine: Engine, ref: Ref, made: Any) -> Any:
    """The abstract value of what a maker made of `ref`."""
    if isinstance(made, list):
        return engine.new(ListCell(tuple([reference(engine, ref, m) for m in made])))
    if isinstance(made, tuple):
        return Tuple(tuple([reference(engine, ref, m) for m in made]))
    if isinstance(made, Copied):
        copy = arrays.fresh(engine, arrays.read(engine, Ref(ref.cell, made.shown.view)))
        if made.perhaps:
            engine.heap.entangle({ref.cell, copy.cell}, PERHAPS)
        return copy
    return arrays.viewed(engine, ref, made.view)
