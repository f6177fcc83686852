"""`vmap`: a function of elements as a function of arrays of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyxla.runtime.lanes  # noqa: F401 - jax.vmap over compiled functions
from pyxla.abstract.lattice import Const
from pyxla.grad.api import derived, transformed
from pyxla.grad.mapping import Mapped, axes_of
from pyxla.infer.engine import Engine
from pyxla.lib.registry import RULES, Implementation


def vmap(
    function: Callable[..., Any],
    in_axes: Any = 0,
    out_axes: Any = 0,
    axis_size: int | None = None,
    axis_name: Any = None,
) -> Any:
    """The function that applies `function` to each element along an axis, all at once.

    in_axes: which axis of each positional argument, None for those that are the same for every
    element: an int or None for all of them, or a tuple with an entry for each, where containers may
    have containers of axes.  Arguments by name are mapped along axis 0.  out_axes: where the
    elements are in the result, likewise; numbers become arrays, those of several kinds of the type
    that holds them all.  axis_size: how many there are, needed where nothing is mapped.  axis_name:
    what the axis is called by `jax.lax.psum` and the like in the function.

    The function works on copies.  What it raises for an element is raised, for the first such
    element.  ValueError where sizes or axes do not fit, as `jax.vmap` has it.

    >>> import pyxla, numpy as np
    >>> def halvings(x):
    ...     n = 0
    ...     while x > 1:
    ...         x, n = x / 2, n + 1
    ...     return n
    >>> pyxla.vmap(halvings)(np.array([1.0, 8.0, 100.0]))
    array([0, 3, 7])
    """
    return derived(function, _mapped(in_axes, out_axes, axis_size, axis_name))


def _mapped(in_axes: Any, out_axes: Any, axis_size: int | None, axis_name: Any) -> Mapped:
    return Mapped(axes_of(in_axes, "in_axes"), axes_of(out_axes, "out_axes"), axis_size, axis_name)


def _vmap(
    engine: Engine,
    function: Any,
    in_axes: Any = Const(0),  # noqa: B008 - immutable
    out_axes: Any = Const(0),  # noqa: B008
    axis_size: Any = Const(None),  # noqa: B008
    axis_name: Any = Const(None),  # noqa: B008
) -> Any:
    """What a call of `vmap` in compiled code does."""
    given = engine.static(in_axes, "in_axes"), engine.static(out_axes, "out_axes")
    about = engine.static(axis_size, "axis_size"), engine.static(axis_name, "axis_name")
    return transformed(_mapped(*given, *about), function)


RULES[vmap] = Implementation(_vmap, heap=True)
