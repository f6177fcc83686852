"""NumPy's functions that return views: transposing, reshaping, splitting, flipping, ... (see
`views.shown`)."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pyxla.abstract.facts.deciding import asked_for
from pyxla.abstract.facts.extent import difference, lower, upper
from pyxla.abstract.facts.integers import Int, larger, minus, plus, times
from pyxla.abstract.lattice import Array, Scalar
from pyxla.ir.op import OpError
from pyxla.ir.types import array_type
from pyxla.lib.indexing import parse
from pyxla.lib.keys import as_index
from pyxla.lib.manipulation import order_moved
from pyxla.lib.masks import listed
from pyxla.lib.meetings import meet
from pyxla.lib.operands import as_dtype, as_shape, copy_mode, normalize_axes, normalize_axis
from pyxla.lib.registry import Implementation, LeftToPython, implements
from pyxla.lib.sizes import as_sizes
from pyxla.ops.check import COMPLEXES
from pyxla.views import views
from pyxla.views.bits import Zeros, bits, part
from pyxla.views.repeated import broadcast, strided, windows
from pyxla.views.reshaping import diagonal, needed_rows, reshape_step
from pyxla.views.shown import MAKERS, Copied, Making, Shape, Shown, by_value, makes_view

# --- Order of dimensions -------------------------------------------------------------------------


@makes_view(np.transpose, np.permute_dims, rank0="method")
def transpose(a: Shown, axes: Any = None) -> Shown:
    order = tuple(range(a.ndim))[::-1] if axes is None else normalize_axes(tuple(axes), a.ndim)
    if len(order) != a.ndim:
        raise OpError("axes don't match array")
    return a.then(views.permuted(a.shape, a.extents, order))


@makes_view(np.ndarray.transpose, rank0="method")
def ndarray_transpose(a: Shown, *axes: Any) -> Shown:
    if not axes or axes == (None,):
        return transpose(a)
    first = listed(axes[0])
    return transpose(a, first if isinstance(first, (tuple, list)) else axes)


@makes_view(np.swapaxes, np.ndarray.swapaxes)
def swapaxes(a: Shown, axis1: Any, axis2: Any) -> Shown:
    order = list(range(a.ndim))
    first, second = normalize_axis(axis1, a.ndim), normalize_axis(axis2, a.ndim)
    order[first], order[second] = second, first
    return transpose(a, order)


@makes_view(np.moveaxis, rank0="array")
def moveaxis(a: Shown, source: Any, destination: Any) -> Shown:
    return transpose(a, order_moved(a.ndim, source, destination))


# --- Shape ---------------------------------------------------------------------------------------


@makes_view(np.reshape, rank0="method")
def reshape(
    a: Shown, /, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: Any = None
) -> Shown | Copied:
    given = listed(newshape if shape is None else shape)
    target = tuple(given) if isinstance(given, Sequence) else (given,)
    target = tuple([_entry(n) for n in target])
    if target.count(-1) > 1:
        words = "can only specify one unknown dimension"
        raise OpError(words, ValueError, words)
    if order not in ("C", "F", "A"):
        raise OpError(f"order must be one of 'C', 'F', or 'A' (got {order!r})")
    if order == "F" or (order == "A" and _is_fortran(a)):
        made = _reshaped(transpose(a), target[::-1], copy, backwards=True)
        if isinstance(made, Copied):
            return replace(made, shown=transpose(made.shown))
        return transpose(made)
    return _reshaped(a, target, copy)


@makes_view(np.ndarray.reshape, rank0="method")
def ndarray_reshape(a: Shown, *shape: Any, order: str = "C", copy: Any = None) -> Shown | Copied:
    return reshape(a, shape[0] if len(shape) == 1 else shape, order, copy=copy)


def _is_fortran(a: Shown) -> bool:
    flags = a.layout.flags
    return flags.f_contiguous and not flags.c_contiguous


def _entry(n: Any) -> Int:
    """A size of a new shape; -1, or any below 0, is what the others leave."""
    n = as_index(n) if isinstance(n, Array) and not n.shape and n.dtype.kind in "iu" else n
    return n if isinstance(n, Scalar) else max(operator.index(n), -1)


def _reshaped(
    a: Shown, target: Sequence[Any], copy: Any = None, backwards: bool = False
) -> Shown | Copied:
    asked, target = target, _with_rest(a, target)
    whole, rows = a, needed_rows(a.shape, a.extents, target)
    a = a if rows is None else a.then(rows)
    step = reshape_step(a.shape, a.extents, target)
    made = a.then(step)
    if whole.extents is not None or asked is not target:
        _meet_size(whole, made, asked, target, -1 if backwards else 1)
    if not copy and views.order_decides(a.base, made.view):
        a.asked(False)
    if a.strides == views.MIXED and not copy:
        return Copied(made, perhaps=True)
    if a.extents is None or a.bounded or not a.view:
        is_view: Any = views.reshape_is_view(a.base, a.view, step.shape, a.strides)
    else:
        is_view = a.in_memory(functools.partial(_is_reshaped, target=target))
    if is_view and not copy:
        return made
    if copy is False:
        raise OpError("Unable to avoid creating a copy while reshaping.")
    return Copied(made, perhaps=is_view is None and not copy, otherwise=not copy)


def _with_rest(a: Shown, target: Sequence[Int]) -> Sequence[Int]:
    """A shape with -1 for the one size that data decides: the others leave just one that fits."""
    sizes = [e for e in a.extents or () if e is not None]
    free = [
        d
        for d, n in enumerate(target)
        if isinstance(n, Scalar)
        and not asked_for(n.value)
        and all(difference(n, e) != 0 for e in sizes)
    ]
    others = math.prod([n for d, n in enumerate(target) if d not in free and isinstance(n, int)])
    if len(free) != 1 or others <= 0 or (a.extents is None and math.prod(a.shape) % others):
        return target
    return [-1 if d in free else n for d, n in enumerate(target)]


def _meet_size(
    a: Shown, made: Shown, asked: Sequence[Int], target: Sequence[Int], order: int
) -> None:
    """As many elements as there are fit the shape, in which -1 is what the others leave."""
    own, new = _sizes(a), _sizes(made)
    known, wanted = (math.prod([n for n in each if isinstance(n, int)]) for each in (own, new))
    free = sum(isinstance(n, Scalar) for n in new)
    others = _product([n for n in target if n != -1]) if -1 in target else 1
    fits = free > 1 or (free == 1 and wanted > 0 and known % wanted == 0) or a.extents is None
    if fits and others is larger(others, 1) and asked is target:
        return
    written = [*itertools.dropwhile(lambda n: n == -1, asked[::order])]
    named = [part for n in written for part in (",", "newaxis" if n == -1 else n)][1:]
    end = ",)" if len(written) == len(asked) == 1 else ")"
    size = _product(own)
    error = (ValueError, "cannot reshape array of size ", size, " into shape (", *named, end)
    meet(others, larger(others, 1), *error)
    for n, given, found in zip(asked, target, new, strict=True):
        if n is not given:  # or it is below 0, and so what is left
            meet(times(minus(n, found), larger(plus(n, 1), 0)), 0, *error)
    if not fits:
        meet(size, _product(new), *error)


def _product(sizes: Sequence[Int]) -> Int:
    none: Int = 1
    return functools.reduce(times, sizes, none)


def _sizes(a: Shown) -> list[Int]:
    return [
        n if e is None else e for n, e in zip(a.shape, a.extents or (None,) * a.ndim, strict=True)
    ]


def _is_reshaped(x: np.ndarray, target: Sequence[Any]) -> bool:
    """Whether a view of this shape can be made of `x`; of one that does not fit it does not
    matter."""
    known = [n for n in target if not isinstance(n, Scalar) and n >= 0]
    if x.flags.c_contiguous or x.size % max(math.prod(known), 1):
        return bool(x.flags.c_contiguous)
    if len(known) < len(target) - 1 or any(isinstance(n, Scalar) for n in target):
        return False
    try:
        np.reshape(x, tuple(target), copy=False)
    except ValueError:
        return False
    return True


@makes_view(np.ravel, np.ndarray.ravel)
def ravel(a: Shown, order: str = "C") -> Shown | Copied:
    if order == "K":
        strides = a.layout.strides
        a = transpose(a, sorted(range(a.ndim), key=lambda d: -abs(strides[d])))
    elif order == "F" or (order == "A" and _is_fortran(a)):
        a = transpose(a)
    made = a.then(reshape_step(a.shape, a.extents, _flat_shape(a)))
    a.asked(False)
    in_order = None
    if a.strides != views.MIXED:
        in_order = a.in_memory(lambda x: bool(x.flags.c_contiguous))
    return made if in_order else Copied(made, perhaps=in_order is None, otherwise=True)


@makes_view(np.ndarray.flatten)
def flatten(a: Shown, order: str = "C") -> Copied:
    made = ravel(a, order)
    return Copied(made.shown if isinstance(made, Copied) else made)


def _flat_shape(a: Shown) -> Shape:
    return (-1,) if 0 not in a.shape else (0,)


@makes_view(np.squeeze, np.ndarray.squeeze, rank0="method")
def squeeze(a: Shown, axis: Any = None) -> Shown:
    sizes = _sizes(a)
    ones = [d for d, size in enumerate(sizes) if lower(size) == upper(size) == 1]
    undecided = [s for d, s in enumerate(sizes) if d not in ones and (lower(s) or 0) <= 1]
    if axis is None and any(upper(s) != 0 for s in undecided):
        raise OpError("whether this dimension is squeezed depends on its size; name the axis")
    axes = tuple(ones) if axis is None else normalize_axes(axis, a.ndim)
    if any(d not in ones for d in axes):
        raise OpError("cannot select an axis to squeeze out which has size not equal to one")
    return a.then(views.squeezed(a.shape, a.extents, axes))


@makes_view(np.expand_dims)
def expand_dims(a: Shown, axis: Any) -> Shown:
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    return a.then(views.expanded(a.shape, a.extents, normalize_axes(axis, a.ndim + count)))


def _at_least(target: Any, places: Sequence[Shape]) -> None:
    """`np.atleast_nd`: where new dimensions go, by the number of dimensions there are."""

    def maker(a: Shown) -> Shown:
        if a.ndim >= len(places):
            return a
        return a.then(views.expanded(a.shape, a.extents, places[a.ndim]))

    one = by_value(maker)

    @implements(target)
    def by_values(*arys: Any) -> Any:
        found = [one(x) for x in arys]
        return found[0] if len(found) == 1 else tuple(found)

    MAKERS[target] = Making(maker, "", Implementation(one), each=True)


_at_least(np.atleast_1d, ((0,),))
_at_least(np.atleast_2d, ((0, 1), (0,)))
_at_least(np.atleast_3d, ((0, 1, 2), (0, 2), (2,)))


@makes_view(np.flip)
def flip(m: Shown, axis: Any = None) -> Shown:
    return m.then(views.flipped(m.shape, m.extents, normalize_axes(axis, m.ndim)))


@makes_view(np.rot90)
def rot90(m: Shown, k: Any = 1, axes: Any = (0, 1)) -> Shown:
    first, second = normalize_axes(tuple(axes), m.ndim)
    turns = operator.index(k) % 4
    if turns == 0:
        return m
    if turns == 2:
        return flip(m, (first, second))
    if turns == 1:
        return swapaxes(flip(m, second), first, second)
    return flip(swapaxes(m, first, second), second)


# --- Splitting -----------------------------------------------------------------------------------


def _along(a: Shown, axis: int, key: Any) -> Shown:
    """`a[..., key, ...]` along one dimension."""
    return a.then(parse(a.shape, a.extents, (slice(None),) * axis + (key,)))


@makes_view(np.array_split)
def array_split(ary: Shown, indices_or_sections: Any, axis: Any = 0) -> list[Shown]:
    axis = normalize_axis(axis, ary.ndim)
    indices_or_sections = listed(indices_or_sections)
    if isinstance(indices_or_sections, (list, tuple, np.ndarray)):
        bounds = list(indices_or_sections)
    elif isinstance(indices_or_sections, Array):
        raise LeftToPython
    else:
        sections = operator.index(indices_or_sections)
        if ary.extents is not None and ary.extents[axis] is not None:
            raise LeftToPython
        if sections <= 0:
            raise OpError("number sections must be larger than 0.")
        each, extra = divmod(ary.shape[axis], sections)
        bounds = [i * each + min(i, extra) for i in range(1, sections)]
    edges = zip([0, *bounds], [*bounds, None], strict=True)
    return [_along(ary, axis, slice(start, stop)) for start, stop in edges]


# --- Read-only views -----------------------------------------------------------------------------


@makes_view(np.diagonal, np.ndarray.diagonal)
def diagonal_(a: Shown, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Shown:
    if a.ndim < 2:
        raise OpError("diag requires an array of at least two dimensions")
    first, second = normalize_axis(axis1, a.ndim), normalize_axis(axis2, a.ndim)
    return a.then(diagonal(a.shape, a.extents, operator.index(offset), first, second))


@makes_view(np.diag)
def diag(v: Shown, k: Any = 0) -> Shown | None:
    return diagonal_(v, k) if v.ndim == 2 else None


@makes_view(np.broadcast_to, rank0="array")
def broadcast_to(array: Shown, shape: Any, subok: bool = False) -> Shown:
    return array.then(broadcast(array.shape, array.extents, *as_sizes(shape, _below_0)))


def _below_0(n: Any) -> tuple[Any, ...]:
    return ValueError, "all elements of broadcast shape must be non-negative"


@makes_view(np.lib.stride_tricks.sliding_window_view, rank0="array")
def sliding_window_view(
    x: Shown, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> Shown:
    if writeable:
        raise OpError("writable sliding windows show elements more than once: not supported")
    sizes = as_shape(window_shape if isinstance(window_shape, (tuple, list)) else (window_shape,))
    axes = normalize_axes(axis, x.ndim)
    if len(axes) != len(sizes):
        raise OpError("window_shape and axis must have the same length")
    return x.then(windows(x.shape, x.extents, sizes, axes))


@makes_view(np.lib.stride_tricks.as_strided, rank0="array")
def as_strided(
    x: Shown,
    shape: Any = None,
    strides: Any = None,
    subok: bool = False,
    writeable: bool = True,
    *,
    check_bounds: Any = None,
) -> Shown:
    views.require_full(x.extents)
    first = x.offset
    if first is None or x.strides is not None:
        raise OpError("the array is no slice of one in C order: copy it before, as x.copy()")
    shape = x.shape if shape is None else as_shape(shape)
    moved = x.layout.strides if strides is None else [operator.index(n) for n in listed(strides)]
    if len(moved) != len(shape):
        raise OpError("as_strided needs as many strides as dimensions")
    if any(n % x.dtype.itemsize for n in moved):
        raise OpError("as_strided takes parts of elements apart")
    steps = tuple([n // x.dtype.itemsize for n in moved])
    whole = Shown(x.base, (), x.base.shape, None, x.dtype)
    return whole.then(strided(x.base.size, first, shape, steps))


# --- Elements ------------------------------------------------------------------------------------


def _part(val: Shown, which: int) -> Shown | Copied:
    if val.dtype in COMPLEXES:
        return val.then(part(val.shape, val.extents, val.dtype, which))
    zeros = Zeros(val.shape, val.extents, val.dtype)
    return Copied(val.then(zeros), fixed=True) if which else val


@makes_view(np.real)
def real(val: Shown) -> Shown | Copied:
    return _part(val, 0)


@makes_view(np.imag)
def imag(val: Shown) -> Shown | Copied:
    return _part(val, 1)


@makes_view(np.ndarray.view, rank0="method")
def view(a: Shown, dtype: Any = None, type: Any = None) -> Shown:
    if dtype is None or as_dtype(dtype) == a.dtype:
        return a
    made = a.then(bits(array_type(a.dtype, a.shape), a.extents, as_dtype(dtype)))
    size, other = a.dtype.itemsize, as_dtype(dtype).itemsize
    if size != other and 0 not in a.shape and a.shape[-1] != 1 and a.layout.strides[-1] != size:
        message = "To change to a dtype of a different size, the last axis must be contiguous"
        raise OpError(message, ValueError, message)
    return made


_Same = Shown | Copied | None


@makes_view(np.asarray, np.asanyarray)
def asarray(a: Shown, dtype: Any = None, order: Any = None, **options: Any) -> _Same:
    """The array itself, unless another dtype or order is asked for or a copy."""
    return None if copy_mode(options.get("copy")) else _as_it_is(a, dtype, order)


@makes_view(np.array)
def array(
    object: Shown, dtype: Any = None, *, copy: Any = True, order: Any = "K", **options: Any
) -> _Same:
    same = None if copy_mode(copy) else _as_it_is(object, dtype, order)
    missing = (options.get("ndmin") or 0) - object.ndim
    if same is None or missing <= 0:
        return same
    made = object.then(views.expanded(object.shape, object.extents, tuple(range(missing))))
    return replace(same, shown=made) if isinstance(same, Copied) else made


@makes_view(np.ndarray.astype)
def astype(
    a: Shown,
    dtype: Any,
    order: Any = "K",
    casting: Any = "unsafe",
    subok: Any = True,
    copy: Any = True,
) -> _Same:
    return None if copy else _as_it_is(a, dtype, order)


@makes_view(np.astype)
def np_astype(x: Shown, dtype: Any, /, *, copy: Any = True, device: Any = None) -> _Same:
    return None if copy else _as_it_is(x, dtype, "K")


def _as_it_is(a: Shown, dtype: Any, order: Any) -> _Same:
    """The array where it is of this dtype and order."""
    if dtype is not None and as_dtype(dtype) != a.dtype:
        return None
    if order in ("C", "F") and a.strides == views.MIXED:
        a.asked(True)
        return Copied(a, perhaps=True)
    return None if order in ("C", "F") and not a.layout.flags[order] else a


@makes_view(np.ascontiguousarray)
def ascontiguousarray(a: Shown, dtype: Any = None, **options: Any) -> _Same:
    return _contiguous(a, dtype, "C")


@makes_view(np.asfortranarray)
def asfortranarray(a: Shown, dtype: Any = None, **options: Any) -> _Same:
    return _contiguous(a, dtype, "F")


def _contiguous(a: Shown, dtype: Any, order: str) -> _Same:
    """The array, of at least one dimension, where it is what is asked for."""
    same = _as_it_is(a, dtype, order)
    return expand_dims(same, 0) if isinstance(same, Shown) and not a.ndim else same


@makes_view(np.ndarray.conj, np.ndarray.conjugate)
def conjugate(a: Shown) -> _Same:
    return None if a.dtype in COMPLEXES else a
