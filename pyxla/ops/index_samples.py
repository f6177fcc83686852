"""Sample operands of the ops in `pyxla.ops.index`."""

from __future__ import annotations

import numpy as np

from pyxla.ops.elementwise import subtract
from pyxla.ops.samples import Sample, arange


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
    samples: list[Sample] = [
        ((x, rows, updates), {**put, "computation": name})
        for name in ("add", "multiply", "maximum", "minimum")
    ]
    ints = arange("i4", 4, 3), rows, arange("i4", 5, 3)
    samples += [(ints, {**put, "computation": name}) for name in ("and", "or", "xor", "update")]
    samples += [
        ((x, rows[:0], updates[:0]), {**put, "computation": "add"}),
        ((x, np.array([2, 1]), updates[:2, :2]), {**block, "computation": "update"}),
        ((x, np.array([3, 1]), updates[:2, :2]), {**block, "computation": "update"}),
        (
            (x, np.array([[0], [2], [1], [5]]), updates[:4, 0]),
            {**batched, "computation": "add", "unique_indices": True},
        ),
        ((x, rows, updates), {**put, "computation": lambda a, b: subtract(b, a)}),
    ]
    return samples


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
