"""What an array is known to be without reading it, and how functions that show it again say so.

A *maker* gets that (`Shown`) and the other operands.  It returns what the result shows; a list or
tuple of these for several arrays; `Copied` where NumPy copies; None where the library function by
value is to be called.  Of lists and NumPy scalars the same is made by way of an array, unless the
library has a function for them.  `infer.arrays.viewing` calls makers.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from dataclasses import field, replace
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

import pyxla.lib.everything  # noqa: F401 - what these functions do by value
from pyxla.abstract.facts.extent import lower
from pyxla.abstract.lattice import Array, Scalar
from pyxla.frozen import dataclass
from pyxla.ir.types import ArrayType
from pyxla.lib import creation
from pyxla.lib.bounded.elementwise import strategy, strategy_of
from pyxla.lib.operands import as_array
from pyxla.lib.registry import REGISTRY, Implementation, Rank0, implements
from pyxla.views.views import BasicIndex, Extents, View, apply, extend, layout

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """An array through a view: `base` is the type of the cell's content, `strides` those of an
    array of the caller's that is not in C order; `bounded` if the content is of bounded extent.
    asked: what is told that it matters how the array lies in memory; True: to this program, False:
    where the array, or what is made of it, is written or seen outside."""

    base: ArrayType
    view: View
    shape: Shape
    extents: Extents
    dtype: np.dtype
    strides: Shape | None = None
    bounded: bool = False
    asked: Callable[[bool], None] = field(default=lambda now: None, compare=False)

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
        self.asked(True)
        return layout(self.base, self.view, self.strides)

    def in_memory(self, holds: Callable[[np.ndarray], bool]) -> bool | None:
        """Whether something holds of how the array lies in memory; None where its sizes decide."""
        whole = layout(self.base, self.view, self.strides)
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
    otherwise: NumPy makes a view of it where arguments lie otherwise in memory.
    fixed: it cannot be written.
    """

    shown: Shown
    perhaps: bool = False
    otherwise: bool = False
    fixed: bool = False


Maker = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Making:
    """How a function makes views.

    first: the name of the parameter that is the array.  library: what the function does by value.
    elements: an element of the array is a NumPy scalar, and no view without dimensions.
    each: every argument is an array of which a view is made.
    """

    maker: Maker
    first: str
    library: Implementation
    elements: bool = False
    each: bool = False


MAKERS: dict[Any, Making] = {}


def makes_view(*targets: Any, rank0: Rank0 = "scalar") -> Callable[[Maker], Maker]:
    """Register a maker for NumPy functions.  What the library has no function of its own for is
    made of what is no array, too, by way of one; rank0: see `lib.registry`."""

    def register(maker: Maker) -> Maker:
        first = next(iter(inspect.signature(maker).parameters))
        for target in targets:
            own = target in REGISTRY
            if not own:
                implements(target, rank0=rank0)(by_value(maker, first))
            elements = rank0 == "scalar" and not own
            MAKERS[target] = Making(maker, first, REGISTRY[target], elements)
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
