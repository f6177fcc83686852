"""Operands and attributes that ops refuse, and what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pyxla.ir.op import OpError
from pyxla.ir.types import DTYPE_NAMES, ArrayType, array_type
from pyxla.ops import OPS
from pyxla.ops.computation import build_region


def t(text: str) -> ArrayType:
    """`f64[2,3]` as a type."""
    name, _, dims = text.rstrip("]").partition("[")
    return array_type(DTYPE_NAMES[name], tuple(map(int, dims.split(","))) if dims else ())


PICK = {
    "offset_dims": (1,), "collapsed_slice_dims": (0,), "start_index_map": (0,),
    "index_vector_dim": 1, "slice_sizes": (1, 3),
}  # fmt: skip
PUT = {
    "update_window_dims": (1,), "inserted_window_dims": (0,), "scatter_dims_to_operand_dims": (0,),
    "index_vector_dim": 1, "computation": "add",
}  # fmt: skip
MATMUL = {"lhs_contracting_dimensions": (1,), "rhs_contracting_dimensions": (0,)}
LAYOUT = {"dimension_numbers": "b0f_0io->b0f"}
NORM = {"epsilon": 0.1, "feature_index": 1}
SOLVE = {"left_side": True, "lower": True}

# op, operand types, attributes, what the message says
REFUSED: list[tuple[str, str, dict[str, Any], str]] = [
    ("add", "f64[3] f64[4]", {}, "agree in element type and shape, got f64[3], f64[4]"),
    ("add", "f64[3] f32[3]", {}, "agree"),
    ("subtract", "bool_[3] bool_[3]", {}, "element type must be one of i8"),
    ("maximum", "c64[] c64[]", {}, "element type"),
    ("clamp", "c64[] c64[3] c64[]", {}, "element type"),
    ("and", "f64[] f64[]", {}, "element type"),
    ("sine", "i64[3]", {}, "element type must be one of bf16, f16, f32, f64, c64, c128"),
    ("negate", "bool_[]", {}, "element type"),
    ("real", "i32[]", {}, "element type"),
    ("abs", "u8[]", {}, "element type"),
    ("is_finite", "c64[]", {}, "element type"),
    ("complex", "f16[] f16[]", {}, "element type"),
    ("compare", "f64[] f64[]", {"direction": "XX"}, "direction must be one of EQ"),
    ("compare", "c64[] c64[]", {"direction": "LT"}, "no order"),
    ("select", "i32[] f64[] f64[]", {}, "predicate must be bool_[]"),
    ("select", "bool_[2] f64[3] f64[3]", {}, "predicate"),
    ("clamp", "f64[2] f64[3] f64[]", {}, "bounds"),
    ("convert", "f64[]", {"dtype": "U3"}, "not an element type of XLA"),
    ("convert", "f64[]", {"dtype": "nothing"}, "not an element type"),
    ("bitcast_convert", "bool_[]", {"dtype": "i1"}, "no bits of bool_"),
    ("bitcast_convert", "u8[3]", {"dtype": "u32"}, "last dimension"),
    ("reduce_precision", "f64[]", {"exponent_bits": 0, "mantissa_bits": 1}, "positive"),
    ("constant", "", {"value": np.array("text")}, "no element type"),
    ("iota", "", {"dtype": "f8", "shape": (2,), "dimension": 1}, "out of range"),
    ("iota", "", {"dtype": "?", "shape": (2,), "dimension": 0}, "element type"),
    ("broadcast_in_dim", "f64[3]", {"shape": (2,), "broadcast_dimensions": (0,)}, "not fit"),
    ("broadcast_in_dim", "f64[3]", {"shape": (3,), "broadcast_dimensions": ()}, "1 entries"),
    ("reshape", "f64[3]", {"shape": (2,)}, "3 elements"),
    ("transpose", "f64[3,2]", {"permutation": (0, 0)}, "not a permutation"),
    ("slice", "f64[3]", {"start_indices": (1,), "limit_indices": (4,)}, "out of range"),
    ("slice", "f64[3]", {"start_indices": (), "limit_indices": (1,)}, "1 entries"),
    ("pad", "f64[3] f32[]", dict.fromkeys(("edge_padding_low", "edge_padding_high",
                                           "interior_padding"), (0,)), "padding value"),
    ("pad", "f64[3] f64[]", {"edge_padding_low": (-4,), "edge_padding_high": (0,),
                             "interior_padding": (0,)}, "does not fit extent 3"),
    ("reverse", "f64[3]", {"dimensions": (1,)}, "out of range"),
    ("concatenate", "f64[3] f64[3,1]", {"dimension": 0}, "agree but in dimension 0"),
    ("concatenate", "", {"dimension": 0}, "at least one"),
    ("get_dimension_size", "f64[3]", {"dimension": 1}, "out of range"),
    ("dynamic_slice", "f64[3] f64[]", {"slice_sizes": (1,)}, "integer scalar"),
    ("dynamic_slice", "f64[3] i64[]", {"slice_sizes": (4,)}, "do not fit"),
    ("dynamic_slice", "f64[3]", {"slice_sizes": (4,)}, "needs 1 start indices, got 0"),
    ("dynamic_slice", "f64[3,3] i64[] i32[]", {"slice_sizes": (1, 1)}, "one type"),
    ("dynamic_update_slice", "f64[3] f64[4] i64[]", {}, "does not fit"),
    ("gather", "f64[4,3] f64[2,1]", PICK, "indices must be integers"),
    ("gather", "f64[4,3] i64[2,2]", PICK, "2 components, 1 are mapped"),
    ("gather", "f64[4,3] i64[2,1]", {**PICK, "slice_sizes": (2, 3)}, "do not fit"),
    ("scatter", "f64[4,3] i64[2,1] f64[2,4]", PUT, "do not fit"),
    ("scatter", "f64[4,3] i64[2,1] f64[2,3]", {**PUT, "computation": "mean"}, "one of add"),
    ("reduce", "f64[3] f32[]", {"dimensions": (0,), "computation": "add"}, "init"),
    ("reduce", "f64[3] f64[]", {"dimensions": (1,), "computation": "add"}, "out of range"),
    ("reduce", "f64[3] f64[]", {"dimensions": (0,), "computation": "and"}, "not defined on f64"),
    ("reduce_window", "f64[3] f64[]", {"window_dimensions": (0,), "computation": "add"}, "posit"),
    ("select_and_scatter", "f64[3] f64[3] f64[]", {"window_dimensions": (2,), "select": "GE",
                                                   "computation": "add"}, "shape [2]"),
    ("sort", "f64[3] f64[4]", {"dimension": 0, "comparator": "LT"}, "one shape"),
    ("sort", "f64[3]", {"dimension": 0, "comparator": "EQ"}, "LT or GT"),
    ("top_k", "f64[3]", {"k": 4}, "does not fit"),
    ("batch_norm_training", "f64[3,2] f64[3] f64[2]", NORM, "agree"),
    ("dot_general", "f64[3,2] f64[3,2]", MATMUL, "does not fit"),
    ("dot_general", "f64[3,2] f32[2,2]", MATMUL, "agree in element type"),
    ("dot_general", "f64[3,2] f64[2,2]", {**MATMUL, "precision": "BEST"}, "precision"),
    ("convolution", "f64[1,5,2] f64[2,3,4]", LAYOUT, "features"),
    ("convolution", "f64[1,5,2] f64[2,2,4]", {"dimension_numbers": "nhwc"}, "not like"),
    ("fft", "f64[3]", {"fft_type": "FFT", "fft_length": (3,)}, "does not apply"),
    ("fft", "c64[3]", {"fft_type": "DCT", "fft_length": (3,)}, "fft_type must be"),
    ("fft", "c64[3]", {"fft_type": "FFT", "fft_length": (4,)}, "does not fit"),
    ("cholesky", "f64[3,2]", {}, "square"),
    ("triangular_solve", "f64[3,3] f64[2,3]", SOLVE, "do not fit"),
    ("rng_bit_generator", "u32[2]", {"dtype": "u4", "shape": (1,)}, "u64[2]"),
    ("rng", "f64[2] f64[2]", {"shape": (1,)}, "scalars"),
    ("all_gather", "f64[2]", {"all_gather_dim": 0, "replica_groups": ((),)}, "of one size"),
    ("all_to_all", "f64[3]", {"split_dimension": 0, "concat_dimension": 0,
                              "replica_groups": ((0, 1),)}, "does not split"),
    ("collective_permute", "f64[]", {"source_target_pairs": ((0, 1), (0, 2))}, "named twice"),
    ("custom_call", "f64[]", {"call_target_name": "", "result_types": ()}, "call_target_name"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "operands", "attrs", "says"), REFUSED)
def test_refusal_says_what_does_not_fit(name, operands, attrs, says):
    with pytest.raises(OpError) as caught:
        OPS[name].infer(*map(t, operands.split()), **attrs)
    assert says in str(caught.value)
    assert str(caught.value).startswith(f"{name}: ")


@pytest.mark.parametrize(
    ("name", "operands", "bodies", "says"),
    [
        ("if", "i32[]", 2, "scalar bool"),
        ("if", "bool_[]", 1, "two regions"),
        ("case", "i64[]", 1, "scalar i32"),
        ("case", "i32[]", 0, "at least one branch"),
        ("while", "f64[]", 2, "must take (f64[]), it takes ()"),
        ("call", "f64[]", 1, "must take"),
        ("reduce", "f64[3] f64[]", 1, "must take (f64[], f64[])"),
    ],
)
def test_refusal_of_regions(name, operands, bodies, says):
    regions = tuple(build_region((), lambda: ()) for _ in range(bodies))
    attrs = {"dimensions": (0,)} if name == "reduce" else {}
    with pytest.raises(OpError) as caught:
        OPS[name].infer(*map(t, operands.split()), regions=regions, **attrs)
    assert says in str(caught.value)
