"""One record per op, by family; `OPS` has them all by name."""

from __future__ import annotations

from pyxla.ir.op import Op
from pyxla.ops import (
    batch_norm,
    collective,
    contract,
    control,
    convolution,
    elementwise,
    foreign,
    index,
    linear,
    random,
    reduce,
    shape,
    sort,
)

FAMILIES = (
    elementwise,
    shape,
    index,
    reduce,
    sort,
    batch_norm,
    contract,
    convolution,
    linear,
    control,
    random,
    collective,
    foreign,
)
OPS: dict[str, Op] = {
    op.name: op for family in FAMILIES for op in vars(family).values() if isinstance(op, Op)
}

_SHAPES = "its result's shape is known at run time only; pyxla's types have static shapes"
_TOKENS = "orders effects by tokens; the runtime belongs to JAX"
_QUANTIZED = "there are no quantized element types"
# StableHLO ops that have no record, and why.
LEFT_OUT: dict[str, str] = {
    "after_all": _TOKENS,
    "async_done": _TOKENS,
    "async_start": _TOKENS,
    "collective_reduce": "not in every supported jaxlib; `all_reduce` does it",
    "composite": "a hint to other compilers; `call` does it",
    "create_token": _TOKENS,
    "cross-replica-sum": "deprecated: `all_reduce`",
    "dot": "deprecated: `dot_general`",
    "dynamic_broadcast_in_dim": _SHAPES,
    "dynamic_conv": _SHAPES,
    "dynamic_gather": _SHAPES,
    "dynamic_iota": _SHAPES,
    "dynamic_pad": _SHAPES,
    "dynamic_reshape": _SHAPES,
    "einsum": "deprecated: `dot_general`",
    "get_tuple_element": "results are several values, not tuples",
    "infeed": _TOKENS,
    "outfeed": _TOKENS,
    "real_dynamic_slice": _SHAPES,
    "recv": _TOKENS,
    "return": "the end of a region, which has its results",
    "send": _TOKENS,
    "set_dimension_size": _SHAPES,
    "torch_index_select": "deprecated: `gather`",
    "tuple": "results are several values, not tuples",
    "unary_einsum": "deprecated: `dot_general`, `reduce`",
    "uniform_dequantize": _QUANTIZED,
    "uniform_quantize": _QUANTIZED,
}
