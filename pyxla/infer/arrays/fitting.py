"""What is written fits where it goes: else the program raises, as NumPy does.

Sizes that are known while compiling are looked at by `lib.indexing.conform`, which refuses; here
are those that are known at run time only.  Asked with `checks=True`, or where the program catches
what is raised.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts.integers import Int, value_of
from pyxla.abstract.lattice import Array, Scalar
from pyxla.infer.interface import Engine
from pyxla.infer.raising.faults import exception
from pyxla.infer.raising.sizes import shown
from pyxla.ir.op import OpError
from pyxla.lib import kernels as k
from pyxla.lib.bounded.elementwise import sizes as sizes_of
from pyxla.lib.indexing import Index, conform, equal_sizes, target
from pyxla.lib.keys import AdvancedIndex
from pyxla.lib.masks import count
from pyxla.ops import elementwise as op


def conformed(
    engine: Engine,
    value: Any,
    shape: tuple[int, ...],
    dtype: np.dtype,
    extents: Any = None,
    what: str = "input array",
) -> Array:
    """`value` as assigned to elements of `dtype` in `shape`, which it fits; what: what it is."""
    new = conform(value, shape, dtype, extents)
    if isinstance(value, Array) and engine.tests(ValueError):
        own, sizes = sizes_of(value), _true(shape, extents)
        words = f"could not broadcast {what} from shape ", " into shape "
        _ensure(engine, own, sizes, _about(words, own, sizes))
    return new


@functools.lru_cache(maxsize=256)
def verify_element(dtype: np.dtype, given: np.dtype, shape: tuple[int, ...]) -> None:
    """Refuse an array of this shape for one element, where this version of NumPy does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.zeros(1, dtype)[0] = np.broadcast_to(np.zeros((), given), shape)
    except (TypeError, ValueError) as error:
        raise OpError(str(error), type(error), str(error)) from None


def verify_depth(shape: tuple[int, ...], given: tuple[int, ...]) -> None:
    """Refuse a list that is nested deeper than the part it is assigned to has dimensions; of an
    array, leading dimensions of one item are dropped."""
    if len(given) > len(shape):
        words = "setting an array element with a sequence. The requested array would exceed the "
        words += f"maximum number of dimension of {len(shape)}."
        raise OpError(words, ValueError, words)


def verify_indexed(engine: Engine, array: Array, index: Index, value: Any, told: str = "") -> None:
    """`value` fits in `array[index]`, an index that is no view; told: what is said if not."""
    if not isinstance(value, Array) or not engine.tests(ValueError):
        return
    own = sizes_of(value)
    if not isinstance(index, AdvancedIndex) or index.mask is None:
        sizes = _true(*target(array, index))
    else:
        base, mask, first = index.basic.apply(array), index.mask, index.axes[0]
        sizes = sizes_of(base)
        if mask.ndim == base.ndim and not told:
            return _verify_masked(engine, mask, value)
        if own[first - base.ndim + mask.ndim - 1 :][:1] not in ([], [1]):
            sizes[first : first + mask.ndim] = [count(mask)]
    words = "shape mismatch: value array of shape "
    between = " could not be broadcast to indexing result of shape "
    error = ValueError(told) if told else _about((words, between), own, sizes)
    _ensure(engine, own, sizes, error)


def _verify_masked(engine: Engine, mask: Array, value: Array) -> None:
    """`value` has as many elements as `mask`, of all dimensions, has true ones; or one."""
    words = "NumPy boolean array indexing assignment "
    if value.ndim > 1:
        what = f"requires a 0 or 1-dimensional input, input has {value.ndim} dimensions"
        raise OpError(words + what, TypeError)
    own = sizes_of(value)
    if own not in ([], [1]):
        total = count(mask)
        parts = "cannot assign ", *own, " input values to the ", total
        error = exception(ValueError, words, *parts, " output values where the mask is true")
        _ensure(engine, own, [total], error)


def verify_output(engine: Engine, result: Array, shape: tuple[int, ...], extents: Any) -> None:
    """The result of a ufunc fits in the array that it is written to."""
    if engine.tests(ValueError):
        own, sizes = sizes_of(result), _true(shape, extents)
        words = (
            "non-broadcastable output operand with shape ",
            " doesn't match the broadcast shape ",
        )
        _ensure(engine, own, sizes, _about(words, sizes, own))


# Functions that broadcast what they give to `out=`, as ufuncs do.
BROADCASTING = (np.clip, np.ndarray.clip, np.outer, np.einsum)
_SHAPE = dict.fromkeys(
    ("cumsum", "cumprod", "nancumsum", "nancumprod", "accumulate"),
    "provided out is the wrong size for the accumulation.",
)
_SHAPE |= dict.fromkeys(("take", "compress"), "output array does not match result of ndarray.take")
_SHAPE |= dict.fromkeys(
    ("concatenate", "stack", "vstack", "hstack"), "Output array is the wrong shape"
)


def verify_same(
    engine: Engine, function: Any, result: Array, shape: tuple[int, ...], extents: Any
) -> None:
    """The result of a function that is no ufunc has the shape of the array it is written to."""
    words = _SHAPE.get(getattr(function, "__name__", ""), "output array has wrong dimensions")
    own, sizes = sizes_of(result), _true(shape, extents)
    pairs = [(n, m) for n, m in zip(own, sizes, strict=False) if not equal_sizes(n, m)]
    known = [isinstance(n, int) and isinstance(m, int) for n, m in pairs]
    if len(own) != len(sizes) or True in known:
        raise engine.refuse(words, raises=ValueError, words=words)
    if pairs and engine.tests(ValueError):
        tests = [k.eq(value_of(n), value_of(m)) for n, m in pairs]
        engine.ensure(Scalar(functools.reduce(op.and_, tests)), ValueError(words))


def verify_inplace(engine: Engine, shape: tuple[int, ...], extents: Any, other: Any) -> None:
    """What an array is combined with in place broadcasts to its shape."""
    if not isinstance(other, Array) or not engine.tests(ValueError):
        return
    own, given = _true(shape, extents), sizes_of(other)
    parts = [part for sizes in (own, given, own) for part in (*shown(sizes), " ")]
    message = exception(ValueError, "operands could not be broadcast together with shapes ", *parts)
    for n, m in zip(reversed(own), reversed(given), strict=False):
        if isinstance(n, Scalar) and m != 1 and not equal_sizes(n, m):
            tests = [k.eq(value_of(n), value_of(v)) for v in (m, 1)]
            single = [k.eq(value_of(m), value_of(1))] if isinstance(m, Scalar) else []
            engine.ensure(Scalar(functools.reduce(op.or_, [*tests, *single])), message)


def _true(shape: Sequence[int], extents: Any) -> list[Int]:
    own = extents or (None,) * len(shape)
    return [n if e is None else e for n, e in zip(shape, own, strict=True)]


def _about(words: tuple[str, str], own: Sequence[Int], sizes: Sequence[Int]) -> Any:
    return exception(ValueError, words[0], *shown(own), words[1], *shown(sizes))


def _ensure(engine: Engine, own: Sequence[Int], sizes: Sequence[Int], error: Any) -> None:
    """The program raises `error` unless an array of sizes `own` broadcasts to `sizes`."""
    wanted = [*[1] * (len(own) - len(sizes)), *sizes]
    tests = []
    for n, m in zip(reversed(own), reversed(wanted), strict=False):
        if n == 1 or equal_sizes(n, m) or (isinstance(n, int) and isinstance(m, int)):
            continue
        same = k.eq(value_of(n), value_of(m))
        tests.append(
            op.or_(same, k.eq(value_of(n), value_of(1))) if isinstance(n, Scalar) else same
        )
    if tests:
        engine.ensure(Scalar(functools.reduce(op.and_, tests)), error)
