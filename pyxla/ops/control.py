"""Ops with regions that run: conditionals, loops, calls.

Their regions may use values of enclosing scopes; XLA turns those into operands when it imports the
module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.ir.core import Region
from pyxla.ir.op import Op
from pyxla.ir.types import BOOL, ArrayType, array_type
from pyxla.ops import batching
from pyxla.ops.check import INTS, listed, refuse, require, same
from pyxla.ops.computation import Elementwise, check_region, element_types
from pyxla.ops.spell import i64s, plain, with_regions

Types = tuple[ArrayType, ...]
Arrays = tuple[np.ndarray, ...]


def _branch_results(op: str, regions: tuple[Region, ...]) -> Types:
    """Result types common to all branches; weak where every branch is."""
    require(bool(regions), op, "at least one branch is needed")
    rows = [[value.type for value in region.results] for region in regions]
    for region, row in zip(regions, rows, strict=True):
        require(not region.params, op, "branches take no parameters")
        if len(row) != len(rows[0]) or not all(map(same, row, rows[0])):
            refuse(op, f"branches differ: ({listed(rows[0])}) and ({listed(row)})")
    if all(row == rows[0] for row in rows):
        return tuple(rows[0])
    return tuple([strongest(column) for column in zip(*rows, strict=True)])


def strongest(column: tuple[ArrayType, ...]) -> ArrayType:
    """The strong one of types equal but for weakness, if there is one."""
    return next((type for type in column if not type.weak), column[0])


def _if(pred: ArrayType, *, regions: tuple[Region, ...], kernel: bool = False) -> Types:
    if pred.shape or pred.dtype != BOOL.dtype:
        refuse("if", f"the predicate must be a scalar bool, got {pred}")
    require(len(regions) == 2, "if", f"two regions are needed, got {len(regions)}")
    return _branch_results("if", regions)


def _case(index: ArrayType, *, regions: tuple[Region, ...], widest: bool = False) -> Types:
    """widest: the last branch computes what matters of the results whatever the index is."""
    if index.shape or index.dtype not in INTS or index.dtype.itemsize != 4:
        refuse("case", f"the index must be a scalar i32, got {index}")
    return _branch_results("case", regions)


def _while(
    *inits: ArrayType, regions: tuple[Region, ...], kernel: bool = False, apart: bool = False
) -> Types:
    require(len(regions) == 2, "while", f"two regions are needed, got {len(regions)}")
    check_region("while", regions[0], inits, (BOOL,))
    check_region("while", regions[1], inits, inits)
    return inits


def _call(
    *operands: ArrayType, name: str = "", regions: tuple[Region, ...], kernel: bool = False
) -> Types:
    require(len(regions) == 1, "call", f"one region is needed, got {len(regions)}")
    results = tuple([value.type for value in regions[0].results])
    check_region("call", regions[0], operands, results)
    return results


def _map(*xs: ArrayType, regions: tuple[Region, ...]) -> ArrayType:
    if not xs or len({x.shape for x in xs}) > 1:
        refuse("map", f"operands must have one shape, got {listed(xs)}")
    require(len(regions) == 1 and len(regions[0].results) == 1, "map", "one result is needed")
    result = regions[0].results[0].type
    check_region("map", regions[0], element_types(xs), (array_type(result.dtype),))
    return array_type(result.dtype, xs[0].shape)


def _map_numpy(*xs: np.ndarray, regions: Sequence[Elementwise]) -> np.ndarray:
    rows = [regions[0](*[x[at] for x in xs])[0] for at in np.ndindex(xs[0].shape)]
    return np.array(rows).reshape(xs[0].shape)


def _emit_map(e: Any, instr: Any, operands: Any) -> Any:
    dimensions = i64s(range(instr.operands[0].type.ndim))
    return e.op("stablehlo.map", instr, operands, {"dimensions": dimensions}, instr.regions)


def _case_numpy(index: np.ndarray, regions: Sequence[Elementwise], widest: bool = False) -> Arrays:
    """An index out of range takes the last branch."""
    at = int(index)
    return regions[at if 0 <= at < len(regions) else -1]()


def _while_numpy(
    *inits: np.ndarray, regions: Sequence[Elementwise], kernel: bool = False, apart: bool = False
) -> Arrays:
    cond, body = regions
    state = inits
    while cond(*state)[0]:
        state = body(*state)
    return state


def _perhaps_kernel(emit: Any) -> Any:
    """`emit`; where `kernel` is set, XLA:CPU is to compile it to one function."""

    def emitted(e: Any, instr: Any, operands: Any) -> Any:
        if instr.attrs.get("kernel"):
            return e.kernel(instr)
        return e.loop(instr, operands) if instr.attrs.get("apart") else emit(e, instr, operands)

    return emitted


if_ = Op(
    "if",
    _if,
    numpy=lambda pred, regions, kernel=False: regions[0 if pred else 1](),
    emit=_perhaps_kernel(with_regions("if", lambda **_: {})),
    blocks=lambda pred, **_: {"true_branch": (), "false_branch": ()},
)
case = Op(
    "case",
    _case,
    numpy=_case_numpy,
    emit=with_regions("case", lambda **_: {}),
    blocks=lambda index, **_: {"branches": ()},
)
while_ = Op(
    "while",
    _while,
    numpy=_while_numpy,
    emit=_perhaps_kernel(with_regions("while", lambda **_: {})),
    blocks=lambda *inits, **_: {"cond": inits, "body": inits},
)
call = Op(
    "call",
    _call,
    numpy=lambda *operands, regions, name="", kernel=False: regions[0](*operands),
    emit=_perhaps_kernel(
        lambda e, instr, operands: e.call(instr.attrs.get("name", ""), instr, operands)
    ),
    blocks=lambda *operands, **_: {"function": operands},
)
map_ = Op(
    "map",
    _map,
    numpy=_map_numpy,
    emit=_emit_map,
    blocks=lambda *xs, **_: {"computation": element_types(xs)},
    batch=batching.elementwise,
)
optimization_barrier = Op(
    "optimization_barrier",
    lambda *xs: xs if len(xs) > 1 else xs[0],
    numpy=lambda *xs: xs if len(xs) > 1 else xs[0],
    emit=plain("optimization_barrier"),
    jvp=lambda instr, tangents: tuple(tangents),
    vjp=lambda instr, ct, wanted: ct if isinstance(ct, list) else (ct,),
    batch=batching.again,
)

CONTROL = frozenset({while_, if_, case})
