"""Batch normalization (Ioffe and Szegedy 2015), as XLA has it: training, inference, gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.ir.core import Instr, Value
from pyxla.ir.op import Op
from pyxla.ir.types import ArrayType, array_type
from pyxla.ops import batching, check
from pyxla.ops.shape import fold, unfold
from pyxla.ops.spell import i64, spelled

Ints = tuple[int, ...]
Types = ArrayType | tuple[ArrayType, ...]


def _check_features(op: str, x: ArrayType, feature_index: int, *vectors: ArrayType) -> ArrayType:
    """The type of one number per feature."""
    check.check_dtype(op, x, check.FLOATS)
    check.check_axis(op, "feature_index", feature_index, x.ndim)
    vector = array_type(x.dtype, (x.shape[feature_index],))
    for other in vectors:
        check.check_same(op, vector, other)
    return vector


def _batch_norm_training(
    x: ArrayType, scale: ArrayType, offset: ArrayType, *, epsilon: float, feature_index: int
) -> Types:
    vector = _check_features("batch_norm_training", x, feature_index, scale, offset)
    return x, vector, vector


def _batch_norm_inference(
    x: ArrayType,
    scale: ArrayType,
    offset: ArrayType,
    mean: ArrayType,
    variance: ArrayType,
    *,
    epsilon: float,
    feature_index: int,
) -> ArrayType:
    _check_features("batch_norm_inference", x, feature_index, scale, offset, mean, variance)
    return x


def _batch_norm_grad(
    x: ArrayType,
    scale: ArrayType,
    mean: ArrayType,
    variance: ArrayType,
    grad_output: ArrayType,
    *,
    epsilon: float,
    feature_index: int,
) -> Types:
    vector = _check_features("batch_norm_grad", x, feature_index, scale, mean, variance)
    check.check_same("batch_norm_grad", x, grad_output)
    return x, vector, vector


def _feature_axes(x: np.ndarray, feature_index: int) -> tuple[Ints, tuple[Any, ...]]:
    """The other axes, and the index that spreads a vector over the feature axis."""
    others = tuple([axis for axis in range(x.ndim) if axis != feature_index])
    spread = tuple([slice(None) if axis == feature_index else None for axis in range(x.ndim)])
    return others, spread


def _batch_norm_inference_numpy(
    x: np.ndarray,
    scale: np.ndarray,
    offset: np.ndarray,
    mean: np.ndarray,
    variance: np.ndarray,
    *,
    epsilon: float,
    feature_index: int,
) -> np.ndarray:
    _, spread = _feature_axes(x, feature_index)
    deviation = np.sqrt(variance + epsilon)[spread]
    result = scale[spread] * (x - mean[spread]) / deviation + offset[spread]
    return result.astype(x.dtype)


def _batch_norm_training_numpy(
    x: np.ndarray, scale: np.ndarray, offset: np.ndarray, *, epsilon: float, feature_index: int
) -> tuple[np.ndarray, ...]:
    axes, _ = _feature_axes(x, feature_index)
    mean, variance = x.mean(axes), x.var(axes)
    normal = _batch_norm_inference_numpy(
        x, scale, offset, mean, variance, epsilon=epsilon, feature_index=feature_index
    )
    return normal, mean, variance


def _batch_norm_grad_numpy(
    x: np.ndarray,
    scale: np.ndarray,
    mean: np.ndarray,
    variance: np.ndarray,
    grad_output: np.ndarray,
    *,
    epsilon: float,
    feature_index: int,
) -> tuple[np.ndarray, ...]:
    """Ioffe and Szegedy (2015), section 3, with the sums over all axes but the features'."""
    axes, spread = _feature_axes(x, feature_index)
    count = x.size // max(x.shape[feature_index], 1)
    deviation = np.sqrt(variance + epsilon)
    centered = x - mean[spread]
    grad_offset = grad_output.sum(axes)
    grad_scale = (grad_output * centered).sum(axes) / deviation
    inner = count * grad_output - grad_offset[spread]
    inner = inner - centered * (grad_scale / deviation)[spread]
    grad_operand = (scale / deviation / count)[spread] * inner
    return tuple([part.astype(x.dtype) for part in (grad_operand, grad_scale, grad_offset)])


def _batch_norm_attributes(epsilon: float, feature_index: int) -> dict[str, str]:
    return {"epsilon": f"{float(epsilon)!r} : f32", "feature_index": i64(feature_index)}


# --- Batching -------------------------------------------------------------------------------------


def _batch_norm_batch(instr: Instr, operands: Sequence[Value], size: int) -> Any:
    """The features of all lanes side by side."""
    axis = instr.attrs["feature_index"]
    full = batching.every(instr, operands, size)
    folded = [fold(x, axis if x.type.ndim > 2 else 0) for x in full]
    made = instr.op(*folded, **instr.attrs)
    if isinstance(made, Value):
        return unfold(made, axis, size)
    return tuple([unfold(x, axis if x.type.ndim > 1 else 0, size) for x in made])


def _batch_norm(name: str, infer: Callable[..., Any], numpy: Callable[..., Any]) -> Op:
    emit = spelled(name, _batch_norm_attributes)
    return Op(name, infer, numpy=numpy, emit=emit, batch=_batch_norm_batch)


batch_norm_training = _batch_norm(
    "batch_norm_training", _batch_norm_training, _batch_norm_training_numpy
)
batch_norm_inference = _batch_norm(
    "batch_norm_inference", _batch_norm_inference, _batch_norm_inference_numpy
)
batch_norm_grad = _batch_norm("batch_norm_grad", _batch_norm_grad, _batch_norm_grad_numpy)
