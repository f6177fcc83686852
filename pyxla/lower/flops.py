"""How much an instruction computes and moves, as if XLA fused nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from pyxla.ir.core import Instr, Value
from pyxla.lower.cost import nbytes
from pyxla.ops.convolution import conv_dimension_numbers

# Move numbers, or only say what they are called.
_MOVES = frozenset({
    "constant", "reshape", "broadcast", "broadcast_in_dim", "slice", "dynamic_slice", "gather",
    "dynamic_update_slice", "transpose", "concatenate", "pad", "iota", "reverse",
    "optimization_barrier", "bitcast_convert", "convert", "real", "imag", "copy",
})  # fmt: skip
FREE = frozenset({"constant", "reshape", "broadcast", "broadcast_in_dim", "iota"})
_PARTS = frozenset({"slice", "dynamic_slice", "gather"})


def flops(instr: Instr) -> float:
    """The arithmetic operations of an instruction without control flow."""
    rule = _FLOPS.get(instr.op.name)
    if rule is not None:
        return rule(instr)
    if instr.op.name in _MOVES or not instr.results:
        return 0
    return max(value.type.size for value in instr.results)


def moved(instr: Instr) -> float:
    """The bytes that an instruction reads and writes."""
    name = instr.op.name
    if name in FREE:
        return 0
    results = sum(map(nbytes, instr.results))
    if name in _PARTS:
        return 2 * results
    if name == "dynamic_update_slice":
        return 2 * nbytes(instr.operands[1])
    return results + sum(map(nbytes, instr.operands))


def _dot(instr: Instr) -> float:
    extents = instr.operands[0].type.shape
    contracted = math.prod(extents[d] for d in instr.attrs["lhs_contracting_dimensions"])
    return 2 * instr.result.type.size * contracted


def _convolution(instr: Instr) -> float:
    kernel, numbers = instr.operands[1].type, instr.attrs["dimension_numbers"]
    if isinstance(numbers, str):
        numbers = conv_dimension_numbers(numbers)
    features = kernel.shape[numbers.kernel_output_feature_dimension]
    return 2 * instr.result.type.size * kernel.size / max(features, 1)


def _reduce(instr: Instr) -> float:
    return _size(instr.operands)


def _window(instr: Instr) -> float:
    return instr.results[0].type.size * math.prod(instr.attrs.get("window_dimensions", ()))


def _sort(instr: Instr) -> float:
    type = instr.operands[0].type
    length = type.shape[instr.attrs.get("dimension", -1)] if type.shape else 1
    return type.size * max(math.log2(max(length, 1)), 1)


def _fft(instr: Instr) -> float:
    size = instr.result.type.size
    return 5 * size * math.log2(max(size, 2))


def _cholesky(instr: Instr) -> float:
    type = instr.operands[0].type
    return type.size * type.shape[-1] / 3


def _solve(instr: Instr) -> float:
    return instr.operands[1].type.size * instr.operands[0].type.shape[-1]


def _size(values: Sequence[Value]) -> float:
    return max((value.type.size for value in values), default=0)


_FLOPS: dict[str, Callable[[Instr], float]] = {
    "dot_general": _dot,
    "convolution": _convolution,
    "reduce": _reduce,
    "reduce_window": _window,
    "select_and_scatter": _reduce,
    "scatter": lambda instr: _size(instr.operands[-1:]),
    "sort": _sort,
    "fft": _fft,
    "cholesky": _cholesky,
    "triangular_solve": _solve,
}
