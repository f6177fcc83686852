"""Sample operands on which the suite walks every facet of every op.

A sample is (operands, attributes): operands are NumPy arrays, of rank 0, of size zero and of some
elements.  Values are small and fixed, so that neither overflow nor chance is involved.  `SAMPLES`
has them by the name of the op; one that computes elements of one type takes all that it accepts.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from pyxla.ir.core import Value
from pyxla.ir.op import Op, OpError
from pyxla.ir.types import NARROW, SHORT_NAMES, array_type
from pyxla.ops.check import ANY
from pyxla.ops.elementwise import (
    DIRECTIONS,
    ELEMENTWISE,
    ORDERED,
    add,
    compare,
    digamma,
    multiply,
    negate,
    subtract,
)
from pyxla.ops.filled import constant

Ints = tuple[int, ...]
Sample = tuple[tuple[np.ndarray, ...], dict[str, Any]]
SHAPES: tuple[tuple[int, ...], ...] = ((), (3,), (2, 3), (0, 2))
# In order of declaration, so that runs are alike.
# Of these NumPy computes in wider ones: `tests/lib/test_narrow.py` has what they mean.
NARROW_DTYPES = frozenset(np.dtype(narrow) for narrow in NARROW.values())
ORDER = tuple(SHORT_NAMES)
_COLUMNS = ((0.5, -0.75, 0.25), (0.25, 0.5, -0.5), (0.75, 0.75, 0.875))
_WHOLE = ((5, -3, 1), (2, 1, -2), (3, 4, 6))


def array(dtype: np.dtype, shape: tuple[int, ...], column: int = 0) -> np.ndarray:
    """A sample operand: numbers below 1 in magnitude, or small integers."""
    kind = dtype.kind
    if kind in "iu":
        values = np.array(_WHOLE[column])
        values = np.abs(values) if kind == "u" else values
    elif kind == "b":
        values = np.array(((True, False, True), (False, False, True), (True, True, False))[column])
    else:
        values = np.array(_COLUMNS[column])
        values = values + values[::-1] * 0.5j if kind == "c" else values
    return np.resize(values, shape).astype(dtype)


def elements(count: int, allowed: Iterable[np.dtype]) -> list[tuple[np.ndarray, ...]]:
    """Operand rows for an op on `count` arrays: every element type, shapes in turn."""
    allowed = set(allowed)
    dtypes = [dtype for dtype in ORDER if dtype in allowed and dtype not in NARROW_DTYPES]
    rows = [(dtype, SHAPES[at % len(SHAPES)]) for at, dtype in enumerate(dtypes)]
    rows += [(dtypes[-1], shape) for shape in SHAPES if (dtypes[-1], shape) not in rows]
    return [tuple([array(dtype, shape, c) for c in range(count)]) for dtype, shape in rows]


_CORNERS: dict[str, Any] = {
    "f8": (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.5, 2.5, 1e300),
    "i4": (0, -1, 1, 31, 32, 70, -(2**31), 2**31 - 1),
    "u1": (0, 1, 7, 8, 200, 255),
}


def corners(count: int, allowed: Iterable[np.dtype]) -> list[tuple[np.ndarray, ...]]:
    """Operand rows with every combination of special numbers."""
    rows = []
    for dtype in sorted({np.dtype(name) for name in _CORNERS} & set(allowed), key=str):
        grid = np.meshgrid(*[np.array(_CORNERS[dtype.str[1:]], dtype)] * count)
        rows.append(tuple([column.ravel() for column in grid]))
    return rows


def samples_of(op: Op) -> list[Sample]:
    """The samples of an op; none of one that depends on what is there."""
    if op.name in SAMPLES:
        return SAMPLES[op.name]()
    return elementwise(op) if op in ELEMENTWISE else []


def elementwise(op: Op, special: bool = True) -> list[Sample]:
    """Of an op on operands of one type, without attributes: all that it accepts."""
    count = len(inspect.signature(op.infer).parameters)
    allowed = [dtype for dtype in ORDER if _accepts(op, [array_type(dtype)] * count)]
    rows = elements(count, allowed) + (corners(count, allowed) if special else [])
    return [(row, {}) for row in rows]


def _accepts(op: Op, types: Sequence[Any]) -> bool:
    try:
        op.infer(*types)
    except OpError:
        return False
    return True


def arange(dtype: Any, *shape: int) -> np.ndarray:
    """0, 1, 2, ... in `shape`."""
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


X = arange("f8", 2, 3)
TABLE = array(np.dtype("f8"), (2, 3))
ZERO, ONE, INF = np.array(0.0), np.array(1.0), np.array(np.inf)
SELF: dict[str, Any] = {"replica_groups": ((0,),)}


def orders() -> list[Sample]:
    """An order above 1 and a positive number."""
    n, x = np.array([2.0, 3, 4, 2]), np.array([0.5, 2, 7, 30])
    return [((n, x), {}), ((n.astype("f4"), x.astype("f4")), {}), ((n[:0], x[:0]), {})]


def select() -> list[Sample]:
    f64, flags = arange("f8", 2, 3), np.array([[True, False, True], [False, True, True]])
    return [
        ((flags, f64, -f64), {}),
        ((np.array(True), f64, -f64), {}),
        ((np.array(False), np.array(1), np.array(2)), {}),
        ((flags, flags, ~flags), {}),
        ((np.ones((0,), bool), np.ones(0, "c16"), np.zeros(0, "c16")), {}),
    ]


def convert() -> list[Sample]:
    rows = [((array(a, (3,)),), {"dtype": b}) for a in ORDER for b in ORDER]
    big = np.array([1e20, -1e20, np.nan, 300.7, -2.9])
    return [*rows, ((big,), {"dtype": np.dtype("i4")}), ((big[3:],), {"dtype": np.dtype("i8")})]


def bitcast() -> list[Sample]:
    pairs = (("f8", "i8"), ("f4", "u4"), ("f2", "i2"), ("i4", "f4"), ("u8", "f8"))
    rows = [((array(np.dtype(a), (2, 3)),), {"dtype": np.dtype(b)}) for a, b in pairs]
    widening = ((arange("u4", 3, 2),), {"dtype": np.dtype("u8")})
    narrowing = ((array(np.dtype("f8"), (3,)),), {"dtype": np.dtype("u1")})
    return [*rows, widening, narrowing]


def reduce_precision() -> list[Sample]:
    x = np.array([1.0, 1.2345678, -3.99999, 1e30, 1e-30, 65519.0, 65520.0])
    formats = ((5, 10), (8, 7), (8, 23))
    return [
        ((x.astype(dtype),), {"exponent_bits": exponent, "mantissa_bits": mantissa})
        for dtype in ("f8", "f4")
        for exponent, mantissa in formats
    ]


def gather() -> list[Sample]:
    x, rows = arange("f8", 4, 3), np.array([[2], [0], [9], [-5]])
    pick = {
        "offset_dims": (1,),
        "collapsed_slice_dims": (0,),
        "start_index_map": (0,),
        "index_vector_dim": 1,
        "slice_sizes": (1, 3),
    }
    blocks = {
        "offset_dims": (0, 2),
        "collapsed_slice_dims": (),
        "start_index_map": (1, 0),
        "index_vector_dim": 0,
        "slice_sizes": (2, 2),
    }
    batched = {
        "offset_dims": (),
        "collapsed_slice_dims": (1,),
        "start_index_map": (1,),
        "index_vector_dim": 2,
        "slice_sizes": (1, 1),
        "operand_batching_dims": (0,),
        "start_indices_batching_dims": (0,),
    }
    return [
        ((x, rows), pick),
        ((x, rows[:0].astype("i4")), pick),
        ((x > 4, rows.astype("i4")), pick),
        ((x, np.array([[0, 1, 2], [1, 3, 0]])), blocks),
        ((x, np.array([[0, 2], [1, 1], [2, 2], [0, 7]], "u4")), batched),
    ]


def scatter() -> list[Sample]:
    x, rows = arange("f8", 4, 3), np.array([[2], [0], [9], [-5], [2]])
    put = {
        "update_window_dims": (1,),
        "inserted_window_dims": (0,),
        "scatter_dims_to_operand_dims": (0,),
        "index_vector_dim": 1,
    }
    block = {
        "update_window_dims": (0, 1),
        "inserted_window_dims": (),
        "scatter_dims_to_operand_dims": (0, 1),
        "index_vector_dim": 0,
    }
    batched = {
        "update_window_dims": (),
        "inserted_window_dims": (1,),
        "scatter_dims_to_operand_dims": (1,),
        "index_vector_dim": 1,
        "input_batching_dims": (0,),
        "scatter_indices_batching_dims": (0,),
    }
    updates = arange("f8", 5, 3) - 7
    found: list[Sample] = [
        ((x, rows, updates), {**put, "computation": name})
        for name in ("add", "multiply", "maximum", "minimum")
    ]
    ints = arange("i4", 4, 3), rows, arange("i4", 5, 3)
    found += [(ints, {**put, "computation": name}) for name in ("and", "or", "xor", "update")]
    found += [
        ((x, rows[:0], updates[:0]), {**put, "computation": "add"}),
        ((x, np.array([2, 1]), updates[:2, :2]), {**block, "computation": "update"}),
        ((x, np.array([3, 1]), updates[:2, :2]), {**block, "computation": "update"}),
        (
            (x, np.array([[0], [2], [1], [5]]), updates[:4, 0]),
            {**batched, "computation": "add", "unique_indices": True},
        ),
        ((x, rows, updates), {**put, "computation": lambda a, b: subtract(b, a)}),
    ]
    return found


def dynamic_slice() -> list[Sample]:
    x = arange("f4", 4, 3)
    starts = [(np.int64(a), np.int64(b)) for a, b in ((1, 0), (3, 2), (-4, 9))]
    return [((x, *map(np.asarray, at)), {"slice_sizes": (2, 2)}) for at in starts] + [
        ((x, np.array(1, "i4"), np.array(1, "i4")), {"slice_sizes": (0, 3)}),
        ((np.array(2.5),), {"slice_sizes": ()}),
    ]


def dynamic_update_slice() -> list[Sample]:
    x, update = arange("f4", 4, 3), -1 - arange("f4", 2, 2)
    starts = [(np.array(a), np.array(b)) for a, b in ((1, 0), (3, 2), (-4, 9))]
    return [((x, update, *at), {}) for at in starts] + [
        ((x, update[:0], *starts[0]), {}),
        ((np.array(2.5), np.array(3.5)), {}),
    ]


def batch_norm(extra: Sequence[str]) -> Callable[[], list[Sample]]:
    def made() -> list[Sample]:
        rows: list[Sample] = []
        for dtype, feature_index in (("f8", 1), ("f4", 0)):
            x = np.sin(arange(dtype, 4, 3, 2))
            vector = np.abs(np.cos(arange(dtype, x.shape[feature_index]))) + 1
            operands = [x, *[np.cos(x) if part == "grad" else vector for part in extra]]
            attrs = {"epsilon": 0.0009765625, "feature_index": feature_index}
            rows.append((tuple(operands), attrs))
        return rows

    return made


def dot() -> list[Sample]:
    def dims(left: Ints, right: Ints, left_batch: Ints = (), right_batch: Ints = ()) -> Any:
        return {
            "lhs_contracting_dimensions": left,
            "rhs_contracting_dimensions": right,
            "lhs_batching_dimensions": left_batch,
            "rhs_batching_dimensions": right_batch,
        }

    x, y = arange("f8", 2, 3), arange("f8", 3, 4)
    batches = (arange("f4", 3, 2, 4), arange("f4", 4, 3, 5))
    return [
        ((x, y), dims((1,), (0,))),
        ((x, y), {**dims((1,), (0,)), "precision": "HIGHEST"}),
        ((x, x), dims((), ())),
        ((x, x), dims((0, 1), (0, 1))),
        (batches, dims((2,), (0,), (0,), (1,))),
        ((x[:, :0], y[:0]), dims((1,), (0,))),
        ((x.astype("i4"), y.astype("i4")), dims((1,), (0,))),
        ((x * 1j, y + 1j), dims((1,), (0,))),
        ((np.array(2.0), np.array(3.0)), dims((), ())),
    ]


def if_() -> list[Sample]:
    def one() -> Value:
        return constant(value=arange("f4", 3))

    branches = {"true_branch": one, "false_branch": lambda: negate(one())}
    both = {
        "true_branch": lambda: (one(), constant(value=np.array(1))),
        "false_branch": lambda: (negate(one()), constant(value=np.array(2))),
    }
    flags = (np.array(True), np.array(False))
    return [((flag,), attrs) for flag in flags for attrs in (branches, both)]


def case() -> list[Sample]:
    branches = [lambda at=at: constant(value=np.array(float(at))) for at in range(3)]
    return [((np.array(at, "i4"),), {"branches": branches}) for at in (-1, 0, 1, 2, 7)]


def while_() -> list[Sample]:
    def less(i: Value, x: Value) -> Value:
        return compare(i, constant(value=np.array(5)), direction="LT")

    def step(i: Value, x: Value) -> tuple[Value, Value]:
        return add(i, constant(value=np.array(1))), multiply(x, x)

    attrs = {"cond": less, "body": step}
    return [((np.array(start), array(np.dtype("f8"), (3,))), attrs) for start in (0, 4, 9)]


def convolution() -> list[Sample]:
    image, kernel = np.sin(arange("f8", 2, 4, 5, 6)), np.cos(arange("f8", 8, 4, 3, 2))
    last = np.sin(arange("f4", 2, 5, 6, 4)), np.cos(arange("f4", 3, 2, 4, 3))
    layout = {"dimension_numbers": "bf01_oi01->bf01"}
    every = {
        "window_strides": (1, 2),
        "padding": ((1, 0), (2, 3)),
        "lhs_dilation": (2, 1),
        "rhs_dilation": (1, 2),
    }
    return [
        ((image, kernel), layout),
        ((image, kernel), {**layout, **every}),
        ((image, kernel), {**layout, "padding": ((-1, 1), (0, 0))}),
        ((image, kernel[:, :2]), {**layout, "feature_group_count": 2}),
        ((image, kernel), {**layout, "batch_group_count": 2}),
        (last, {"dimension_numbers": "b01f_01io->b01f", "window_strides": (2, 1)}),
        ((arange("f8", 1, 2, 5), arange("f8", 3, 2, 2)), {"dimension_numbers": "bf0_oi0->bf0"}),
    ]


def constants() -> list[Sample]:
    values = [array(dtype, shape) for dtype in ORDER for shape in ((), (2, 3), (0,))]
    return [((), {"value": value}) for value in values]


def _twice(x: Any) -> list[Any]:
    return [x + x]


def foreign() -> list[Sample]:
    x = arange("f8", 3)
    types = (array_type(x.dtype, x.shape),)
    attrs = {"function": _twice, "parameter_types": types, "result_types": types}
    return [((x,), {**attrs, "numpy": lambda x: (x + x,)})]


def fft() -> list[Sample]:
    x = np.cos(arange("f8", 3, 4, 6))
    half = np.fft.rfftn(x, axes=(1, 2))
    return [
        ((x * (1 + 1j),), {"fft_type": "FFT", "fft_length": (6,)}),
        ((x * (1 + 1j),), {"fft_type": "IFFT", "fft_length": (4, 6)}),
        ((x,), {"fft_type": "RFFT", "fft_length": (3, 4, 6)}),
        ((half,), {"fft_type": "IRFFT", "fft_length": (4, 6)}),
        ((x[0].astype("f4"),), {"fft_type": "RFFT", "fft_length": (6,)}),
    ]


def _matrices() -> np.ndarray:
    """Two well-conditioned matrices."""
    return np.sin(arange("f8", 2, 3, 3)) + 4 * np.eye(3)


def cholesky() -> list[Sample]:
    a = _matrices()
    spd = a @ np.swapaxes(a, 1, 2)
    return [((spd,), {"lower": True}), ((spd[0].astype("f4"),), {"lower": True})]


def triangular_solve() -> list[Sample]:
    a, b = _matrices(), np.cos(arange("f8", 2, 3, 3))
    settings = [
        (True, True, False, "NO_TRANSPOSE"),
        (False, True, True, "TRANSPOSE"),
        (True, False, False, "TRANSPOSE"),
        (False, False, False, "NO_TRANSPOSE"),
    ]
    names = ("left_side", "lower", "unit_diagonal", "transpose_a")
    rows: list[Sample] = [((a, b), dict(zip(names, row, strict=True))) for row in settings]
    adjoint = dict(zip(names, (True, True, False, "ADJOINT"), strict=True))
    return [*rows, ((a * (1 + 0.5j), b * 1j), adjoint)]


def _total(*operands: Value) -> tuple[Value, ...]:
    """(sum, product) of pairs: a computation on two arrays at once."""
    a, b, c, d = operands
    return add(a, c), multiply(b, d)


def reduction() -> list[Sample]:
    rows: list[Sample] = [
        ((TABLE, init), {"dimensions": dims, "computation": name})
        for name, init in (("add", ZERO), ("multiply", ONE), ("maximum", -INF), ("minimum", INF))
        for dims in ((0,), (0, 1), ())
    ]
    ints, flags = array(np.dtype("i4"), (2, 3)), array(np.dtype(bool), (2, 3))
    logical = (("and", -1, True), ("or", 0, False), ("xor", 0, False))
    for name, number, truth in logical:
        attrs = {"dimensions": (1,), "computation": name}
        rows += [((ints, np.array(number, "i4")), attrs), ((flags, np.array(truth)), attrs)]
    return [
        *rows,
        ((TABLE[:0], ONE), {"dimensions": (0,), "computation": "add"}),
        ((TABLE * 1j, np.array(0j)), {"dimensions": (0,), "computation": "add"}),
        ((TABLE, ONE), {"dimensions": (1,), "computation": lambda a, b: add(a, multiply(b, b))}),
        ((TABLE, ints, ZERO, np.array(1, "i4")), {"dimensions": (0,), "computation": _total}),
    ]


def window() -> list[Sample]:
    grid = arange("f8", 4, 5)
    full = {
        "window_dimensions": (2, 3),
        "window_strides": (1, 2),
        "base_dilations": (2, 1),
        "window_dilations": (1, 2),
        "padding": ((1, 0), (2, 1)),
    }
    return [
        ((grid, ZERO), {"window_dimensions": (2, 2), "computation": "add"}),
        ((grid, ZERO), {**full, "computation": "add"}),
        ((grid, -INF), {**full, "computation": "maximum"}),
        ((grid[0], ZERO), {"window_dimensions": (7,), "computation": "add"}),
        ((grid[:0], ZERO), {"window_dimensions": (1, 2), "computation": "add"}),
        ((grid, ONE), {**full, "computation": lambda a, b: add(a, multiply(b, b))}),
        ((grid, grid, ZERO, ONE), {"window_dimensions": (2, 2), "computation": _total}),
    ]


def select_and_scatter() -> list[Sample]:
    grid = np.array([[1.0, 5, 2, 0], [3, 4, 9, 9], [7, 6, 8, 1]])
    window = {"window_dimensions": (2, 2), "window_strides": (1, 2)}
    padded = {**window, "padding": ((1, 0), (0, 0))}
    functions = {
        "select": lambda a, b: compare(a, b, direction="LE"),
        "computation": lambda a, b: add(a, b),
    }
    named = {"select": "GE", "computation": "add"}
    return [
        ((grid, arange("f8", 2, 2) + 1, ZERO), {**window, **named}),
        ((grid, arange("f8", 3, 2) + 1, ONE), {**padded, **named}),
        ((grid, arange("f8", 2, 2) + 1, ZERO), {**window, **functions}),
    ]


def _padding(low: Ints, high: Ints, interior: Ints) -> dict[str, Ints]:
    return {"edge_padding_low": low, "edge_padding_high": high, "interior_padding": interior}


def sort() -> list[Sample]:
    x = np.array([[3.0, np.nan, -1, 3, -np.inf], [0.0, -0.0, np.inf, np.nan, 2]])
    tags = arange("i4", 2, 5)
    z = np.array([2 + 1j, complex(np.nan, 1), complex(1, np.nan), 2 - 1j, complex(np.nan, 0), 1])
    return [
        ((x,), {"dimension": 1, "comparator": "LT"}),
        ((x,), {"dimension": 0, "comparator": "GT"}),
        ((x.astype("f2"),), {"dimension": 1, "comparator": "GT"}),
        ((x, tags), {"dimension": 1, "comparator": "LT"}),
        ((x, tags), {"dimension": 1, "comparator": "GT"}),
        ((z,), {"dimension": 0, "comparator": "LT"}),
        ((x > 0, tags), {"dimension": 1, "comparator": "LT"}),
        ((tags[:, :0],), {"dimension": 1, "comparator": "LT"}),
        ((tags,), {"dimension": 1, "comparator": lambda a, b: compare(b, a, direction="LT")}),
    ]


SAMPLES: dict[str, Callable[[], list[Sample]]] = {
    "digamma": lambda: elementwise(digamma, special=False),
    "batch_norm_training": batch_norm(("scale", "offset")),
    "batch_norm_inference": batch_norm(("scale", "offset", "mean", "variance")),
    "batch_norm_grad": batch_norm(("scale", "mean", "variance", "grad")),
    "all_reduce": lambda: [((X,), {**SELF, "computation": "add"})],
    "reduce_scatter": lambda: [((X,), {**SELF, "scatter_dimension": 1, "computation": "add"})],
    "all_gather": lambda: [((X,), {**SELF, "all_gather_dim": 1})],
    "all_to_all": lambda: [((X,), {**SELF, "split_dimension": 1, "concat_dimension": 0})],
    "collective_permute": lambda: [((X,), {"source_target_pairs": ((0, 0),)})],
    "collective_broadcast": lambda: [((X,), SELF)],
    "partition_id": lambda: [((), {})],
    "replica_id": lambda: [((), {})],
    "dot_general": dot,
    "if": if_,
    "case": case,
    "while": while_,
    "call": lambda: [((arange("f8", 3),), {"function": lambda x: add(x, x), "name": "twice"})],
    "map": lambda: [
        ((arange("f8", 2, 3),), {"computation": lambda x: multiply(x, x)}),
        ((arange("f8", 3), arange("f8", 3)), {"computation": lambda x, y: add(x, negate(y))}),
        ((arange("i4", 3),), {"computation": lambda x: compare(x, x, direction="EQ")}),
    ],
    "optimization_barrier": lambda: [
        ((arange("f8", 3),), {}),
        ((arange("f8", 3), np.array(True)), {}),
    ],
    "kept": lambda: [
        ((arange("f8", 3),), {}),
        ((arange("f8", 3), np.array(True)), {}),
    ],
    "convolution": convolution,
    "polygamma": orders,
    "zeta": orders,
    "compare": lambda: [
        (operands, {"direction": direction})
        for direction in DIRECTIONS
        for operands in elements(2, ORDERED if direction not in ("EQ", "NE") else ANY)
    ],
    "select": select,
    "convert": convert,
    "bitcast_convert": bitcast,
    "reduce_precision": reduce_precision,
    "constant": constants,
    "broadcast_in_dim": lambda: [
        ((X,), {"shape": (4, 2, 3), "broadcast_dimensions": (1, 2)}),
        ((X,), {"shape": (3, 5, 2), "broadcast_dimensions": (2, 0)}),
        ((X[:, :1],), {"shape": (2, 3), "broadcast_dimensions": (0, 1)}),
        ((X[0, 0],), {"shape": (0, 3), "broadcast_dimensions": ()}),
        ((np.array(True),), {"shape": (), "broadcast_dimensions": ()}),
    ],
    "foreign": foreign,
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice,
    "gather": gather,
    "scatter": scatter,
    "fft": fft,
    "cholesky": cholesky,
    "triangular_solve": triangular_solve,
    "rng_bit_generator": lambda: [
        ((np.array([1, 2], "u8"),), {"dtype": np.dtype(dtype), "shape": (2, 3), **algorithm})
        for dtype in ("u4", "u8", "i4", "u1", "f8")
        for algorithm in ({}, {"rng_algorithm": "THREE_FRY"}, {"rng_algorithm": "PHILOX"})
    ],
    "rng": lambda: [
        ((np.array(0.0), np.array(2.0)), {"shape": (2, 3)}),
        ((np.array(0.0), np.array(2.0)), {"shape": (4,), "rng_distribution": "NORMAL"}),
        ((np.array(0, "i4"), np.array(9, "i4")), {"shape": (0, 3)}),
    ],
    "reduce": reduction,
    "reduce_window": window,
    "select_and_scatter": select_and_scatter,
    "iota": lambda: [
        ((), {"dtype": np.dtype(dtype), "shape": (2, 3), "dimension": dimension})
        for dtype in ("i4", "f8", "u1", "c8")
        for dimension in (0, 1)
    ],
    "broadcast": lambda: [((X,), {"broadcast_sizes": (2,)}), ((X,), {"broadcast_sizes": ()})],
    "reshape": lambda: [
        ((X,), {"shape": (3, 2)}),
        ((X[:1, :1],), {"shape": ()}),
        ((X[:0],), {"shape": (5, 0)}),
        ((X[0, 0],), {"shape": (1, 1)}),
    ],
    "transpose": lambda: [
        ((X,), {"permutation": (1, 0)}),
        ((arange("i4", 2, 3, 4),), {"permutation": (2, 0, 1)}),
        ((X[0, 0],), {"permutation": ()}),
    ],
    "slice": lambda: [
        ((X,), {"start_indices": (0, 1), "limit_indices": (2, 3), "strides": (1, 2)}),
        ((X,), {"start_indices": (1, 1), "limit_indices": (2, 1)}),
        ((X[0, 0],), {"start_indices": (), "limit_indices": ()}),
    ],
    "pad": lambda: [
        ((X, X[0, 1]), _padding((1, 0), (2, 3), (0, 0))),
        ((X, X[0, 1]), _padding((0, -1), (1, 2), (2, 1))),
        ((X, X[0, 1]), _padding((-1, 0), (0, -2), (0, 0))),
        ((X[:0], X[0, 1]), _padding((1, 0), (1, 0), (3, 0))),
        ((X[0, 0], X[0, 1]), _padding((), (), ())),
    ],
    "reverse": lambda: [((X,), {"dimensions": axes}) for axes in ((0,), (0, 1), ())],
    "concatenate": lambda: [
        ((X, X[:1], X[:0]), {"dimension": 0}),
        ((X, X), {"dimension": 1}),
        ((X,), {"dimension": 1}),
    ],
    "get_dimension_size": lambda: [((X,), {"dimension": 1})],
    "sort": sort,
    "top_k": lambda: [
        ((np.array([[3.0, 1, 3, 2], [-1, 5, 0, 5]]),), {"k": 2}),
        ((arange("i4", 2, 3),), {"k": 3}),
        ((arange("i4", 2, 3),), {"k": 0}),
    ],
}
