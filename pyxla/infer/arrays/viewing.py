"""How NumPy functions that return views are called (`views.makers` has them)."""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts.refine import refined
from pyxla.abstract.heap import READ_ONLY, ListCell
from pyxla.abstract.lattice import Const, Ref, Tuple
from pyxla.frozen import dataclass
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.captures import BoundedOperand
from pyxla.infer.calls.library import call_library, is_python, python_of
from pyxla.infer.calls.visiting import call_function
from pyxla.infer.engine import Engine
from pyxla.infer.raising.sizes import verify_met
from pyxla.lib.bounded.elementwise import NOT_SUPPORTED, REMEDY
from pyxla.lib.meetings import meetings
from pyxla.lib.registry import LeftToPython, rule
from pyxla.views import makers
from pyxla.views.shown import MAKERS, Copied, Making, Shown

# These return the array that they are given, where others make a view of all of it.
_ITSELF = frozenset(
    {
        *(np.asarray, np.asanyarray, np.array, np.ascontiguousarray, np.asfortranarray, np.real),
        *(np.atleast_1d, np.atleast_2d, np.atleast_3d, np.astype, np.ndarray.astype),
        *(np.ndarray.conj, np.ndarray.conjugate),
    }
)
PERHAPS = "whether this is a view of another array depends on the path that was taken"


def _called(target: Any, making: Making, engine: Engine, /, *args: Any, **kwargs: Any) -> Any:
    if making.each and len(args) != 1:
        return Tuple(tuple([_called(target, making, engine, x) for x in args]))
    first, library = making.first, making.library
    if not args and first in kwargs:
        args = (kwargs.pop(first),)
    buffer = ""
    if args and not arrays.is_array(engine, args[0]):
        args, kwargs, buffer = _converted(engine, target, args, kwargs)
    if args and arrays.is_array(engine, args[0]):
        ref, *rest = args
        before = shown(engine, ref)
        try:
            operands = [engine.operand(x) for x in rest]
            named = {name: engine.operand(x) for name, x in kwargs.items()}
            with meetings() as met:
                made = making.maker(before, *operands, **named)
            engine.met = met
        except (BoundedOperand, LeftToPython):  # how many views there are, say, is not known
            if not is_python(target):
                raise
            return call_function(engine, python_of(target), list(args), kwargs)
        if made is not None and buffer:
            raise engine.refuse(
                f"numpy.{target.__name__} shows the memory of the {buffer} here",
                "make a copy with np.array(x)",
            )
        verify_met(engine)
        if made is before and target in _ITSELF:
            return ref
        if made is not None and not (making.elements and _are_elements(made)):
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
    if extents is not None:
        extents = _as_assumed(engine, extents)
    base = engine.content(ref)
    strides, dtype = engine.heap.infos[ref.cell].strides, arrays.dtype_of(engine, ref)
    bounded = base.extents is not None
    return Shown(base.type, ref.view, shape, extents, dtype, strides, bounded, engine.ask_layout)


def _as_assumed(engine: Engine, extents: Sequence[Any]) -> tuple[Any, ...]:
    """Sizes with what branches say of them."""
    sizes = {size.value: size for size in extents if size is not None}
    known = refined(sizes, engine.frames[-1].assumed, ()) or sizes
    return tuple([None if size is None else known[size.value] for size in extents])


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
        engine.ask_layout(True)
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
        content = arrays.read(engine, Ref(ref.cell, made.shown.view))
        fixed = READ_ONLY if made.fixed else ""
        copy = arrays.fresh(engine, content, otherwise=made.otherwise, read_only=fixed)
        if made.perhaps:
            engine.heap.entangle({ref.cell, copy.cell}, PERHAPS)
        return copy
    return arrays.viewed(engine, ref, made.view)


def flat(engine: Engine, ref: Ref) -> Ref:
    """`x.flat`: what is assigned to its items goes into `x`, however that is stored."""
    return Ref(ref.cell, makers.flatten(shown(engine, ref)).shown.view)


for _target, _making in MAKERS.items():
    rule(_target)(functools.partial(_called, _target, _making))
