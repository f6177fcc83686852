"""Products: `matmul`, `dot`, `tensordot`, `einsum`, `outer`, `kron`, `cross`, ... over dot_general.

`einsum` is planned here: every operand first loses repeated labels (a diagonal) and labels nobody
else needs (a sum), then pairs are contracted, the pair with the smallest result first (the greedy
path of Daniel & Gray, "opt_einsum", 2018).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import CLASSES, INT32, as_dtype, kind, loop_types, result_type
from pyxla.abstract.structure import OPERATORS
from pyxla.frozen import dataclass
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib import kernels as k
from pyxla.lib.creation import diagonal
from pyxla.lib.loops import fold_range
from pyxla.lib.manipulation import flat, moveaxis, reshaped, transposed
from pyxla.lib.operands import (
    BOOL,
    INT,
    Shape,
    as_array,
    as_value,
    broadcast,
    broadcast_shapes,
    broadcast_to,
    cast,
    literal,
    normalize_axes,
    shown,
    splat,
)
from pyxla.lib.reductions import accumulate_all, accumulator
from pyxla.lib.registry import LeftToPython, implements
from pyxla.lib.scans import take_one
from pyxla.lib.ufuncs import UFUNCS, check_options
from pyxla.ops import elementwise as op
from pyxla.ops import shape as shapes
from pyxla.ops.contract import dot_general
from pyxla.ops.index import dynamic_slice

# Convolutions of at most so many terms are written out.
UNROLLED_TERMS = 8


def contract(
    x: Value, y: Value, left: Shape, right: Shape, batch_left: Shape = (), batch_right: Shape = ()
) -> Value:
    """Sum of products over `left` of x and `right` of y, batch axes first; bools by counting.
    One product is added to 0.0, as NumPy's loops do."""
    product = dotted(x, y, left, right, batch_left, batch_right)
    single = math.prod([x.type.shape[axis] for axis in left]) == 1
    return from_zero(product) if single else product


def dotted(
    x: Value, y: Value, left: Shape, right: Shape, batch_left: Shape = (), batch_right: Shape = ()
) -> Value:
    """`contract` without the sign of a sum of one product."""
    if x.type.dtype == BOOL:
        count = dotted(cast(x, INT32), cast(y, INT32), left, right, batch_left, batch_right)
        return k.ne(count, k.like(count, 0))
    return dot_general(
        x,
        y,
        lhs_batching_dimensions=batch_left,
        rhs_batching_dimensions=batch_right,
        lhs_contracting_dimensions=left,
        rhs_contracting_dimensions=right,
    )


def blas(x: Value, y: Value, left: Shape, right: Shape) -> Value:
    """`contract` as BLAS has it: a product of two numbers is not added to 0.0, and a number that is
    0 times an array is 0."""
    if x.type.size == y.type.size == 1:
        return dotted(x, y, left, right)
    if x.type.size == 1:
        y = spared(x, y)
    elif y.type.size == 1:
        x = spared(y, x)
    return contract(x, y, left, right)


def spared(number: Value, x: Value) -> Value:
    """`x` without NaN and infinities where `number`, of one element, is 0, as BLAS sees it."""
    if CLASSES[x.type.dtype] not in "fc" or x.type.dtype == np.float16:
        return x
    zero = k.eq(number, k.like(number, 0))
    left_out = op.and_(broadcast_to(reshaped(zero, ()), x.type.shape), op.not_(k.isfinite(x)))
    return op.select(left_out, k.like(x, 0), x)


def from_zero(product: Value) -> Value:
    """A sum of one product as NumPy adds it to 0.0: there is no -0.0."""
    if CLASSES[product.type.dtype] not in "fc":
        return product
    return op.add(product, k.like(product, 0))


def _scaled(x: Array, y: Array) -> Array:
    """A number times an array as BLAS has it: added to 0.0, but for a product of two numbers."""
    number, array = (x, y) if not x.shape else (y, x)
    not_of_blas = array.ndim > 2 or result_type(x, y) == np.float16
    if array.value.type.size == 1 or not_of_blas:
        return UFUNCS[np.multiply](x, y)
    alone, several = _promoted(number, array)
    product = UFUNCS[np.multiply](Array(alone), Array(spared(alone, several)))
    return Array(from_zero(product.value))


def _promoted(x: Array, y: Array) -> tuple[Value, Value]:
    dtype = result_type(x, y)
    return cast(x.value, dtype), cast(y.value, dtype)


# --- Matrix products -----------------------------------------------------------------------------


@implements(np.matmul)
def matmul(x1: Any, x2: Any, /, *, dtype: Any = None, **options: Any) -> Array:
    check_options(np.matmul, options)
    x1, x2 = [as_array(x) if isinstance(x, list | tuple) else x for x in (x1, x2)]
    types = loop_types(np.matmul, (kind(x1), kind(x2)), dtype)
    x, y = as_value(x1, types[0]), as_value(x2, types[1])
    if not x.type.shape or not y.type.shape:
        raise OpError("matmul: operands must have at least one dimension; use * for scalars")
    return Array(_matmul(x, y))


def _matmul(x: Value, y: Value) -> Value:
    left, right = x.type.ndim, y.type.ndim
    inner = x.type.shape[-1], y.type.shape[max(right - 2, 0)]
    if inner[0] != inner[1]:
        size, axis = inner[1], max(right - 2, 0)
        words = (
            f"matmul: Input operand 1 has a mismatch in its core dimension {axis}, with gufunc "
            f"signature (n?,k),(k,m?)->(n?,m?) (size {size} is different from {inner[0]})"
        )
        message = f"matmul: shapes {x.type.shape} and {y.type.shape} do not fit"
        raise OpError(message, ValueError, words)
    if right <= 2:
        return contract(x, y, (left - 1,), (max(right - 2, 0),))
    if left == 1:
        return contract(y, x, (right - 2,), (0,))
    if left == 2:
        product = contract(x, y, (1,), (right - 2,))
        return transposed(product, (*range(1, right - 1), 0, right - 1))
    return _batched(x, y)


def _batched(x: Value, y: Value) -> Value:
    """Both operands are stacks of matrices."""
    head = broadcast_shapes(x.type.shape[:-2], y.type.shape[:-2])
    x = broadcast_to(x, head + x.type.shape[-2:])
    y = broadcast_to(y, head + y.type.shape[-2:])
    batch, n = tuple(range(len(head))), len(head)
    return contract(x, y, (n + 1,), (n,), batch, batch)


OPERATORS["matmul"] = matmul


@implements(np.dot, np.ndarray.dot)
def dot(a: Any, b: Any, out: Any = None) -> Array:
    x, y = as_array(a), as_array(b)
    if not x.shape or not y.shape:
        return _scaled(x, y)
    axis = max(y.ndim - 2, 0)
    if x.shape[-1] != y.shape[axis]:
        words = (
            f"shapes {shown(x.shape)} and {shown(y.shape)} not aligned: "
            f"{x.shape[-1]} (dim {x.ndim - 1}) != {y.shape[axis]} (dim {axis})"
        )
        raise OpError(f"dot: {words}", ValueError, words)
    return Array(_product(x, y, (x.ndim - 1,), (axis,)))


@implements(np.inner)
def inner(a: Any, b: Any, /) -> Array:
    x, y = as_array(a), as_array(b)
    if not x.shape or not y.shape:
        return _scaled(x, y)
    if x.shape[-1] != y.shape[-1]:
        raise OpError(f"inner: shapes {x.shape} and {y.shape} not aligned", ValueError)
    return Array(_product(x, y, (x.ndim - 1,), (y.ndim - 1,)))


def _product(x: Array, y: Array, left: Shape, right: Shape) -> Value:
    """`np.dot` and `np.inner` along these axes: BLAS has those of matrices."""
    a, b = _promoted(x, y)
    if max(x.ndim, y.ndim) > 2 and a.type.size * b.type.size > 1:
        return contract(a, b, left, right)
    return blas(a, b, left, right)


@implements(np.vdot)
def vdot(a: Any, b: Any, /) -> Array:
    x, y = _promoted(as_array(a), as_array(b))
    if x.type.size != y.type.size:
        raise OpError(f"vdot: sizes {x.type.size} and {y.type.size} differ")
    return Array(contract(flat(k.conjugate(x)), flat(y), (0,), (0,)))


@implements(np.outer)
def outer(a: Any, b: Any, out: Any = None) -> Array:
    x, y = as_array(a), as_array(b)
    column = Array(reshaped(x.value, (x.size, 1)))
    return UFUNCS[np.multiply](column, Array(reshaped(y.value, (1, y.size))))


@implements(np.tensordot, rank0="array")
def tensordot(a: Any, b: Any, axes: Any = 2) -> Array:
    x, y = as_array(a), as_array(b)
    if isinstance(axes, tuple | list):
        left, right = normalize_axes(axes[0], x.ndim), normalize_axes(axes[1], y.ndim)
    else:
        count = operator.index(axes)
        if not 0 <= count <= min(x.ndim, y.ndim):
            raise OpError(f"tensordot: {count} axes of {x.ndim} and {y.ndim} dimensions")
        left, right = tuple(range(x.ndim - count, x.ndim)), tuple(range(count))
    if [x.shape[i] for i in left] != [y.shape[i] for i in right]:
        raise OpError("tensordot: shape-mismatch for sum")
    return Array(blas(*_promoted(x, y), left, right))


def _last_axis(x: Array, axis: Any) -> Array:
    return moveaxis(x, axis, -1)


@implements(np.vecdot)
def vecdot(x1: Any, x2: Any, /, *, axis: Any = -1, dtype: Any = None, **options: Any) -> Array:
    check_options(np.vecdot, options)
    x, y = _last_axis(as_array(x1), axis), _last_axis(as_array(x2), axis)
    if x.shape[-1] != y.shape[-1]:
        raise OpError(f"vecdot: shapes {x.shape} and {y.shape} do not fit")
    found = result_type(x, y) if dtype is None else as_dtype(dtype)
    a, b = broadcast(k.conjugate(cast(x.value, found)), cast(y.value, found))
    last = a.type.ndim - 1
    batch = tuple(range(last))
    return Array(contract(a, b, (last,), (last,), batch, batch))


@implements(np.matvec)
def matvec(x1: Any, x2: Any, /, **options: Any) -> Array:
    check_options(np.matvec, options)
    x, y = as_array(x1), as_array(x2)
    product = matmul(x, Array(reshaped(y.value, (*y.shape, 1))))
    return Array(reshaped(product.value, product.shape[:-1]))


@implements(np.vecmat)
def vecmat(x1: Any, x2: Any, /, **options: Any) -> Array:
    check_options(np.vecmat, options)
    x, y = as_array(x1), as_array(x2)
    row = Array(reshaped(k.conjugate(x.value), (*x.shape[:-1], 1, x.shape[-1])))
    product = matmul(row, y)
    return Array(reshaped(product.value, (*product.shape[:-2], product.shape[-1])))


@implements(np.kron)
def kron(a: Any, b: Any) -> Array:
    x, y = as_array(a), as_array(b)
    ndim = max(x.ndim, y.ndim)
    left = (1,) * (ndim - x.ndim) + x.shape
    right = (1,) * (ndim - y.ndim) + y.shape
    spread = Array(reshaped(x.value, tuple([e for n in left for e in (n, 1)])))
    other = Array(reshaped(y.value, tuple([e for n in right for e in (1, n)])))
    product = UFUNCS[np.multiply](spread, other)
    total = tuple([m * n for m, n in zip(left, right, strict=True)])
    return Array(reshaped(product.value, total))


@implements(np.cross, rank0="array")
def cross(
    a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None
) -> Array:
    """Of three components, the last dimension of both."""
    x, y = as_array(a), as_array(b)
    last = axis in (None, -1) and axisa == axisb == axisc == -1
    if not last or x.shape[-1:] != (3,) or y.shape[-1:] != (3,):
        raise LeftToPython
    x0, x1, x2 = [Array(take_one(x.value, i, x.ndim - 1)) for i in range(3)]
    y0, y1, y2 = [Array(take_one(y.value, i, y.ndim - 1)) for i in range(3)]
    parts = x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, x0 * y1 - x1 * y0
    columns = [reshaped(part.value, (*part.shape, 1)) for part in parts]
    return Array(shapes.concatenate(*columns, dimension=parts[0].ndim))


@implements(np.trace, np.ndarray.trace)
def trace(
    a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None, out: Any = None
) -> Array:
    x = diagonal(a, offset, axis1, axis2)
    found = accumulator(x.dtype) if dtype is None else as_dtype(dtype)
    return Array(accumulate_all(x.value, (x.ndim - 1,), found, "add", 0))


# --- einsum --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Term:
    """An operand of einsum: `labels[i]` names dimension i of `value`."""

    labels: str
    value: Value


@implements(np.einsum)
def einsum(
    subscripts: Any,
    *operands: Any,
    out: Any = None,
    dtype: Any = None,
    order: Any = "K",
    casting: Any = "safe",
    optimize: Any = False,
) -> Array:
    if not isinstance(subscripts, str):
        subscripts, operands = _from_lists((subscripts, *operands))
    arrays = [as_array(x) for x in operands]
    found = result_type(*arrays) if dtype is None else as_dtype(dtype)
    inputs, output = parse_einsum(subscripts, [x.ndim for x in arrays])
    terms = [Term(labels, cast(x.value, found)) for labels, x in zip(inputs, arrays, strict=True)]
    return Array(contract_all(terms, output, optimize is False or len(terms) > 2))


def _from_lists(operands: Sequence[Any]) -> tuple[str, tuple[Any, ...]]:
    """einsum(x, [0, 1], y, [1, 2], [0, 2]) as subscripts."""
    pairs = len(operands) // 2
    lists = [_letters(operands[2 * i + 1]) for i in range(pairs)]
    text = ",".join(lists)
    if len(operands) % 2:
        text += "->" + _letters(operands[-1])
    return text, tuple(operands[0 : 2 * pairs : 2])


def _letters(labels: Any) -> str:
    names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return "".join("..." if i is Ellipsis else names[operator.index(i)] for i in labels)


def parse_einsum(subscripts: str, ndims: Sequence[int]) -> tuple[list[str], str]:
    """Labels of each operand and of the result; dimensions of an ellipsis get digits."""
    text = subscripts.replace(" ", "")
    left, arrow, output = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(ndims):
        raise OpError(f"einsum: {len(inputs)} subscripts for {len(ndims)} operands")
    rests = [n - len(s.replace("...", "")) for s, n in zip(inputs, ndims, strict=True)]
    for s, rest in zip(inputs, rests, strict=True):
        if rest < 0 or (rest and "..." not in s):
            raise OpError(f"einsum: subscripts {s!r} do not fit the operand's dimensions")
    most = max([rest for s, rest in zip(inputs, rests, strict=True) if "..." in s], default=0)
    names = "".join(chr(0x100 + i) for i in range(most))
    expanded = [
        s.replace("...", names[most - rest :]) for s, rest in zip(inputs, rests, strict=True)
    ]
    if not arrow:
        letters = sorted({c for s in expanded for c in s if c not in names})
        output = names + "".join(c for c in letters if "".join(expanded).count(c) == 1)
    else:
        output = output.replace("...", names)
    if len(set(output)) != len(output) or not set(output) <= set("".join(expanded)):
        raise OpError(f"einsum: the output subscripts {output!r} are not valid")
    return expanded, output


def contract_all(terms: list[Term], output: str, added: bool) -> Value:
    """The product of all terms; `added`: to 0.0, where nothing is summed."""
    sizes = label_sizes(terms)
    terms = [_prepared(i, terms, output, sizes) for i in range(len(terms))]
    while len(terms) > 1:
        i, j = _best_pair(terms, output, sizes)
        rest = [term for n, term in enumerate(terms) if n not in (i, j)]
        needed = set(output).union(*[term.labels for term in rest])
        terms = [*rest, _contract_pair(terms[i], terms[j], needed, added)]
    last = _without(terms[0], set(output))
    return _spread(last, output, sizes)


def label_sizes(terms: Sequence[Term]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for term in terms:
        for label, n in zip(term.labels, term.value.type.shape, strict=True):
            if sizes.setdefault(label, n) != n:
                if 1 not in (n, sizes[label]):
                    raise OpError(f"einsum: extents {sizes[label]} and {n} of one label differ")
                sizes[label] = max(n, sizes[label])
    return sizes


def _prepared(index: int, terms: Sequence[Term], output: str, sizes: dict[str, int]) -> Term:
    """Without repeated labels, labels of extent 1 that others have larger, and lone labels."""
    term = _on_diagonals(terms[index])
    thin = [
        n == 1 and sizes[c] > 1 for c, n in zip(term.labels, term.value.type.shape, strict=True)
    ]
    if True in thin:
        labels = "".join(c for c, drop in zip(term.labels, thin, strict=True) if not drop)
        shape = tuple(sizes[c] for c in labels)
        term = Term(labels, reshaped(term.value, shape))
    rest = [other.labels for i, other in enumerate(terms) if i != index]
    return _summed(term, set(output).union(*rest)) if rest else term


def _on_diagonals(term: Term) -> Term:
    """`ii` becomes `i`."""
    labels, value = term.labels, term.value
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            value = diagonal(Array(value), 0, first, second).value
            kept = "".join(c for i, c in enumerate(labels) if i not in (first, second))
            labels = kept + label
    return Term(labels, value)


def _summed(term: Term, needed: set[str]) -> Term:
    axes = tuple([i for i, c in enumerate(term.labels) if c not in needed])
    if not axes:
        return term
    value = accumulate_all(term.value, axes, term.value.type.dtype, "add", 0)
    return Term("".join(c for c in term.labels if c in needed), value)


_without = _summed


def _best_pair(terms: Sequence[Term], output: str, sizes: dict[str, int]) -> tuple[int, int]:
    """The two terms whose product is smallest, less what it replaces."""

    def cost(pair: tuple[int, int]) -> tuple[int, int]:
        i, j = pair
        both = set(terms[i].labels) | set(terms[j].labels)
        rest = [term.labels for n, term in enumerate(terms) if n not in pair]
        kept = both & set(output).union(*rest)
        size = math.prod(sizes[c] for c in kept)
        return size - terms[i].value.type.size - terms[j].value.type.size, math.prod(
            sizes[c] for c in both
        )

    count = len(terms)
    return min(((i, j) for i in range(count) for j in range(i + 1, count)), key=cost)


def _contract_pair(x: Term, y: Term, needed: set[str], added: bool) -> Term:
    x = _summed(x, needed | set(y.labels))
    y = _summed(y, needed | set(x.labels))
    common = [c for c in x.labels if c in y.labels]
    batch = [c for c in common if c in needed]
    summed = [c for c in common if c not in needed]
    if not summed:
        product = _elementwise_product(x, y)
        return replace(product, value=from_zero(product.value)) if added else product
    value = contract(
        x.value,
        y.value,
        tuple(x.labels.index(c) for c in summed),
        tuple(y.labels.index(c) for c in summed),
        tuple(x.labels.index(c) for c in batch),
        tuple(y.labels.index(c) for c in batch),
    )
    rest = [c for c in x.labels if c not in common] + [c for c in y.labels if c not in common]
    return Term("".join(batch + rest), value)


def _elementwise_product(x: Term, y: Term) -> Term:
    """Nothing to sum: a broadcast product, which fuses with what follows."""
    labels = x.labels + "".join(c for c in y.labels if c not in x.labels)
    sizes = label_sizes([x, y])
    multiply = op.and_ if x.value.type.dtype == BOOL else op.multiply
    left, right = _spread(x, labels, sizes), _spread(y, labels, sizes)
    return Term(labels, multiply(left, right))


def _spread(term: Term, labels: str, sizes: dict[str, int]) -> Value:
    """The term with its dimensions as in `labels`, repeated along those it lacks."""
    present = [c for c in labels if c in term.labels]
    value = transposed(term.value, tuple(term.labels.index(c) for c in present))
    if len(present) == len(labels):
        return value
    shape = tuple([sizes[c] for c in labels])
    places = tuple([i for i, c in enumerate(labels) if c in term.labels])
    return shapes.broadcast_in_dim(value, shape=shape, broadcast_dimensions=places)


# --- Sums of products of one dimension -----------------------------------------------------------


@implements(np.convolve)
def convolve(a: Any, v: Any, mode: str = "full") -> Array:
    x, y = _sequence(a), _sequence(v)
    if x.size < y.size:
        x, y = y, x
    return _sliding(x, Array(shapes.reverse(y.value, dimensions=(0,))), mode)


@implements(np.correlate)
def correlate(a: Any, v: Any, mode: str = "valid") -> Array:
    x, y = _sequence(a), _sequence(v)
    y = Array(k.conjugate(y.value))
    if x.size < y.size:
        swapped = _sliding(y, x, mode)
        return Array(shapes.reverse(swapped.value, dimensions=(0,)))
    return _sliding(x, y, mode)


def _sequence(x: Any) -> Array:
    """An operand of one dimension; a number counts as one element."""
    array = as_array(x)
    if array.ndim > 1:
        raise OpError("convolution takes arrays of one dimension")
    return Array(flat(array.value))


def _sliding(x: Array, y: Array, mode: str) -> Array:
    """Products of `y` with every window of `x`: one term per element of the shorter."""
    if not x.size or not y.size:
        raise OpError("convolution of an empty array")
    long, short = _promoted(x, y)
    n, m = long.type.size, short.type.size
    low, high = {"full": (m - 1, m - 1), "same": (m // 2, (m - 1) // 2), "valid": (0, 0)}[mode]
    padded = shapes.pad(
        long,
        literal(0, long.type.dtype),
        edge_padding_low=(low,),
        edge_padding_high=(high,),
        interior_padding=(0,),
    )
    count = n + low + high - m + 1
    return Array(window_products(padded, short, count))


def window_products(x: Value, weights: Value, count: int) -> Value:
    """sum_j weights[j] * x[i + j] for i < count."""
    add, multiply = (op.or_, op.and_) if x.type.dtype == BOOL else (op.add, op.multiply)

    def term(j: Value, total: Value) -> Value:
        window = dynamic_slice(x, j, slice_sizes=(count,))
        weight = reshaped(dynamic_slice(weights, j, slice_sizes=(1,)), ())
        return add(total, multiply(window, broadcast_to(weight, (count,))))

    def body(j: Scalar, total: Array) -> tuple[Array]:
        return (Array(term(j.value, total.value)),)

    start = splat(0, x.type.dtype, (count,))
    terms = weights.type.size
    if terms > UNROLLED_TERMS:
        return fold_range(0, terms, body, (Array(start),))[0].value
    for j in range(terms):
        start = term(literal(j, INT), start)
    return start
