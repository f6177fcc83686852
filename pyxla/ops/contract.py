"""Products of matrices and tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from pyxla.ir.core import Instr, Value
from pyxla.ir.op import Op
from pyxla.ir.types import ArrayType, array_type
from pyxla.ops import batching
from pyxla.ops.check import check_axes, refuse
from pyxla.ops.contribution import Contribution
from pyxla.ops.elementwise import add, convert, multiply
from pyxla.ops.filled import broadcast_in_dim
from pyxla.ops.shape import transpose
from pyxla.ops.spell import Attributes, bracketed, enum, spelled

Ints = tuple[int, ...]


def extents_along(x: ArrayType, axes: Ints) -> Ints:
    return tuple([x.shape[axis] for axis in axes])


def _rest(x: ArrayType, taken: Ints) -> Ints:
    return tuple([n for axis, n in enumerate(x.shape) if axis not in taken])


# In which numbers of fewer bits factors are multiplied, which they are already (`lower.policy`).
NARROW = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}


def check_precision(op: str, precision: str) -> None:
    if precision not in ("DEFAULT", "HIGH", "HIGHEST", *NARROW):
        refuse(op, f"precision must be DEFAULT, HIGH or HIGHEST, got {precision!r}")


def _dot_general(
    x: ArrayType,
    y: ArrayType,
    *,
    lhs_contracting_dimensions: Ints,
    rhs_contracting_dimensions: Ints,
    lhs_batching_dimensions: Ints = (),
    rhs_batching_dimensions: Ints = (),
    precision: str = "DEFAULT",
) -> ArrayType:
    check_precision("dot_general", precision)
    if x.dtype != y.dtype:
        refuse("dot_general", f"operands must agree in element type, got {x}, {y}")
    left = (*lhs_batching_dimensions, *lhs_contracting_dimensions)
    right = (*rhs_batching_dimensions, *rhs_contracting_dimensions)
    check_axes("dot_general", "lhs dimensions", left, x.ndim)
    check_axes("dot_general", "rhs dimensions", right, y.ndim)
    batch = extents_along(x, lhs_batching_dimensions)
    if batch != extents_along(y, rhs_batching_dimensions) or extents_along(
        x, left
    ) != extents_along(y, right):
        refuse("dot_general", f"{x} along {left} does not fit {y} along {right}")
    return array_type(x.dtype, batch + _rest(x, left) + _rest(y, right))


def _dot_numpy(
    x: np.ndarray,
    y: np.ndarray,
    *,
    lhs_contracting_dimensions: Ints,
    rhs_contracting_dimensions: Ints,
    lhs_batching_dimensions: Ints = (),
    rhs_batching_dimensions: Ints = (),
    precision: str = "DEFAULT",
) -> np.ndarray:
    """As an einsum: a letter per dimension, shared where it is batched or contracted."""
    left = list(range(x.ndim))
    right = list(range(x.ndim, x.ndim + y.ndim))
    for a, b in zip(
        (*lhs_batching_dimensions, *lhs_contracting_dimensions),
        (*rhs_batching_dimensions, *rhs_contracting_dimensions),
        strict=True,
    ):
        right[b] = left[a]
    batch = [left[axis] for axis in lhs_batching_dimensions]
    contracted = {left[axis] for axis in lhs_contracting_dimensions}
    out = batch + [n for n in left if n not in contracted and n not in batch]
    out += [n for n in right if n not in contracted and n not in batch]
    return np.einsum(x, left, y, right, out)


def _dot_attributes(
    *,
    lhs_contracting_dimensions: Ints,
    rhs_contracting_dimensions: Ints,
    lhs_batching_dimensions: Ints = (),
    rhs_batching_dimensions: Ints = (),
    precision: str = "DEFAULT",
) -> dict[str, str]:
    numbers = (
        f"lhs_batching_dimensions = {bracketed(lhs_batching_dimensions)}, "
        f"rhs_batching_dimensions = {bracketed(rhs_batching_dimensions)}, "
        f"lhs_contracting_dimensions = {bracketed(lhs_contracting_dimensions)}, "
        f"rhs_contracting_dimensions = {bracketed(rhs_contracting_dimensions)}"
    )
    return {"dot_dimension_numbers": f"#stablehlo.dot<{numbers}>", **precision_attribute(precision)}


def precision_attribute(precision: str) -> dict[str, str]:
    if precision == "DEFAULT" or precision in NARROW:
        return {}
    one = enum("precision", precision)
    return {"precision_config": f"[{one}, {one}]"}


def product(name: str, attributes: Attributes) -> Callable[..., Any]:
    """The emit facet of a product: of narrow factors, where its precision says so."""
    plain = spelled(name, attributes)

    def emit(e: Any, instr: Instr, operands: Any) -> Any:
        narrow = NARROW.get(instr.attrs.get("precision", "DEFAULT"))
        if narrow is not None:
            pairs = zip(instr.operands, operands, strict=True)
            operands = [_narrowed(e, x, found, np.dtype(narrow)) for x, found in pairs]
        return plain(e, instr, operands)

    return emit


def _narrowed(e: Any, x: Value, found: Any, dtype: np.dtype) -> Any:
    """A factor as emitted, in `dtype`: what it was rounded to, if it was."""
    owner = x.owner
    source = owner.operands[0] if isinstance(owner, Instr) and owner.op is convert else x
    if source.type.dtype == dtype and source in e.values:
        return e.values[source]
    return e.convert(found, array_type(dtype, x.type.shape))


# --- Derivatives ---------------------------------------------------------------------------------


def bilinear_jvp(instr: Instr, tangents: Sequence[Value | None]) -> Value:
    (x, y), (tx, ty) = instr.operands, tangents
    if ty is None:
        return instr.op(tx, y, **instr.attrs)
    right = instr.op(x, ty, **instr.attrs)
    return right if tx is None else add(instr.op(tx, y, **instr.attrs), right)


def _dot_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    attrs, (x, y) = instr.attrs, instr.operands
    sides = [
        (attrs.get(f"{side}_batching_dimensions", ()), attrs[f"{side}_contracting_dimensions"])
        for side in ("lhs", "rhs")
    ]
    rests = [
        [axis for axis in range(v.type.ndim) if axis not in (*batch, *contracted)]
        for v, (batch, contracted) in zip((x, y), sides, strict=True)
    ]
    batch = tuple(range(len(sides[0][0])))
    first = len(batch)
    middle = first + len(rests[0])
    places = [tuple(range(first, middle)), tuple(range(middle, middle + len(rests[1])))]
    return tuple(
        [
            _dot_back(
                ct,
                (y, x)[k],
                batch,
                places[1 - k],
                sides[k],
                sides[1 - k],
                rests[k],
                rests[1 - k],
                attrs,
            )
            if wanted[k]
            else None
            for k in range(2)
        ]
    )


def _dot_back(
    ct: Value,
    other: Value,
    batch: Ints,
    places: Ints,
    mine: tuple[Ints, Ints],
    theirs: tuple[Ints, Ints],
    my_rest: list[int],
    their_rest: list[int],
    attrs: dict[str, Any],
) -> Value:
    """Contract the cotangent with the other operand over its own dimensions, at `places` of ct.

    In the order of operands that needs no transposition, if there is one.
    """
    paired = dict(zip(theirs[1], mine[1], strict=True))
    summed = [paired[axis] for axis in sorted(theirs[1])]
    axes = [*mine[0], *my_rest, *summed]
    straight = axes == sorted(axes)
    sides = [(ct, batch, places), (other, theirs[0], tuple(their_rest))]
    if not straight and (swapped := [*mine[0], *summed, *my_rest]) == sorted(axes):
        axes, straight = swapped, True
        sides.reverse()
    (x, x_batch, x_contracting), (y, y_batch, y_contracting) = sides
    made = dot_general(
        x,
        y,
        lhs_batching_dimensions=x_batch,
        rhs_batching_dimensions=y_batch,
        lhs_contracting_dimensions=x_contracting,
        rhs_contracting_dimensions=y_contracting,
        precision=attrs.get("precision", "DEFAULT"),
    )
    order = tuple([axes.index(axis) for axis in range(len(axes))])
    return made if straight else transpose(made, permutation=order)


# --- Batching -------------------------------------------------------------------------------------


def _dot_batch(instr: Instr, operands: Sequence[Value], size: int) -> Value:
    """Lanes of both operands are a batching dimension, those of one a dimension of its own."""
    attrs = dict(instr.attrs)
    if not attrs["lhs_contracting_dimensions"]:
        return _outer_batch(instr, operands, size)
    flags = batching.is_batched(instr, operands)
    for side, flag in zip(("lhs", "rhs"), flags, strict=True):
        for kind in ("batching", "contracting"):
            name = f"{side}_{kind}_dimensions"
            attrs[name] = batching.later(attrs.get(name, ())) if flag else attrs.get(name, ())
    if all(flags):
        for side in ("lhs", "rhs"):
            attrs[f"{side}_batching_dimensions"] = (0, *attrs[f"{side}_batching_dimensions"])
        return dot_general(*operands, **attrs)
    batch = len(attrs["lhs_batching_dimensions"])
    if flags[0]:
        return _to_front(dot_general(*operands, **attrs), batch)
    x, y = instr.operands
    taken = batch + len(attrs["lhs_contracting_dimensions"])
    left, right = x.type.ndim - taken, y.type.ndim - taken
    if left and right:
        return _to_front(dot_general(*operands, **attrs), batch + left)
    # The other way round, the lanes come first by themselves.
    swapped = {_OTHER[n[:3]] + n[3:] if n[:3] in _OTHER else n: v for n, v in attrs.items()}
    return _to_front(dot_general(operands[1], operands[0], **swapped), batch)


def _outer_batch(instr: Instr, operands: Sequence[Value], size: int) -> Value:
    """Nothing is summed: XLA:CPU is many times slower with a product of matrices for each lane."""
    attrs, shape = instr.attrs, (size, *instr.results[0].type.shape)
    flags = batching.is_batched(instr, operands)
    batch = len(attrs.get("lhs_batching_dimensions", ()))
    free, spread = batch, []
    for side, own, given, flag in zip(("lhs", "rhs"), instr.operands, operands, flags, strict=True):
        taken = attrs.get(f"{side}_batching_dimensions", ())
        rest = [axis for axis in range(own.type.ndim) if axis not in taken]
        places = {axis: place for place, axis in enumerate(taken)}
        places.update({axis: free + k for k, axis in enumerate(rest)})
        free += len(rest)
        own_axes = [places[axis] + 1 for axis in range(own.type.ndim)]
        axes = (0, *own_axes) if flag else tuple(own_axes)
        spread.append(broadcast_in_dim(given, shape=shape, broadcast_dimensions=axes))
    return multiply(*spread)


_OTHER = {"lhs": "rhs", "rhs": "lhs"}


def _to_front(x: Value, axis: int) -> Value:
    if axis == 0:
        return x
    order = (axis, *[other for other in range(x.type.ndim) if other != axis])
    return transpose(x, permutation=order)


dot_general = Op(
    "dot_general",
    _dot_general,
    numpy=_dot_numpy,
    emit=product("dot_general", _dot_attributes),
    jvp=bilinear_jvp,
    vjp=_dot_vjp,
    batch=_dot_batch,
)
