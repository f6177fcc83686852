"""Every op's batching rule on its samples, for each subset of operands that have lanes.

What is computed at once is compared with one lane after the other.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from pyxla.errors import CompileError
from pyxla.grad.batch import STRUCTURAL, batch
from pyxla.grad.reverse import vjp
from pyxla.ir.op import Op
from pyxla.ops import OPS
from pyxla.ops.evaluate import evaluate
from tests.grad.test_rules import inexact, moved, noise, positions, samples, zeros
from tests.ops.harness import close, region_of, run
from tests.ops.samples import samples_of

SIZE = 3
REFUSED = {"host_call"}  # prints
# What XLA alone knows, or what it makes of rounding errors.
WITHOUT_MEANING = {op.name for op in OPS.values() if op.numpy is None}
SCALED = {"cholesky", "triangular_solve", "batch_norm_training", "batch_norm_grad", "erf_inv"}


def test_every_op_has_a_rule_or_is_refused():
    without = {op.name for op in OPS.values() if op.batch is None and op not in STRUCTURAL}
    alone = {"iota", "partition_id", "replica_id"}  # no operands
    assert without - alone == REFUSED


def lanes(op: Op, x: np.ndarray) -> np.ndarray:
    """Different lanes with the elements of `x`, in other orders or of another size."""
    if op.name in SCALED:
        return np.stack([x, (x * 0.5).astype(x.dtype), (x * 0.75).astype(x.dtype)])
    if x.ndim == 0:
        if x.dtype.kind == "b":
            return np.stack([x, ~x, x])
        return np.stack([x, (x + 1).astype(x.dtype), (x + 2).astype(x.dtype)])
    flat = x.ravel()
    return np.stack([x, flat[::-1].reshape(x.shape), np.roll(flat, 1).reshape(x.shape)])


def subsets(count: int) -> Any:
    rows = itertools.product((True, False), repeat=count)
    return [flags for flags in rows if any(flags)][:15]


CASES = [
    pytest.param(op, id=op.name)
    for op in OPS.values()
    if op.name not in REFUSED | WITHOUT_MEANING and any(x for x, _ in samples_of(op))
]


@pytest.mark.parametrize("op", CASES)
def test_rule_computes_every_lane(op: Op):
    with np.errstate(all="ignore"):
        for operands, attrs in samples_of(op):
            check(op, operands, attrs)


def check(op: Op, operands: Any, attrs: Any) -> None:
    region = region_of(op, [(operands, attrs)])
    many = [lanes(op, x) for x in operands]
    for flags in subsets(len(operands)):
        made = batch(region, flags, SIZE)
        given = [m if flag else x for m, x, flag in zip(many, operands, flags, strict=True)]
        got = evaluate(made, given)
        rows = []
        for k in range(SIZE):
            lane = [
                np.asarray(m[k]) if flag else x
                for m, x, flag in zip(many, operands, flags, strict=True)
            ]
            rows.append(evaluate(region, lane))
        for value, result, own, *want in zip(made.results, got, region.results, *rows, strict=True):
            if value.type.ndim == own.type.ndim:  # the same in every lane
                result = np.stack([result] * SIZE)
            assert close(result, np.stack(want)), (op.name, attrs, flags, result, want)


# Rules that are more than the op itself with other attributes.
INTRICATE = (
    "batch_norm_grad convolution dot_general dynamic_slice dynamic_update_slice foreign gather pad "
    "reduce reduce_window scatter select_and_scatter sort triangular_solve while if case"
).split()


@pytest.mark.parametrize("name", INTRICATE)
def test_compiled(name: str):
    """XLA computes what the NumPy facets do, on half of the cases."""
    op = OPS[name]
    for number, (operands, attrs) in enumerate(samples_of(op)[::2]):
        region = region_of(op, [(operands, attrs)])
        rows = subsets(len(operands))
        flags = rows[number % len(rows)]
        pairs = zip(operands, flags, strict=True)
        given = [lanes(op, x) if flag else x for x, flag in pairs]
        made = batch(region, flags, SIZE)
        for got, want in zip(run(made, given), evaluate(made, given), strict=True):
            assert close(got, want), (name, attrs, flags, got, want)


@pytest.mark.parametrize("name", ["rng", "rng_bit_generator"])
def test_random_lanes_differ(name: str):
    op = OPS[name]
    operands, attrs = samples_of(op)[0]
    region = region_of(op, [(operands, attrs)])
    made = batch(region, [True] * len(operands), SIZE)
    bits = run(made, [lanes(op, x) for x in operands])[-1]
    assert bits.shape == (SIZE, *region.results[-1].type.shape)
    assert not np.array_equal(bits[0], bits[1])


def test_no_lanes():
    for name in ("add", "gather", "sort", "dot_general", "while"):
        op = OPS[name]
        operands, attrs = samples_of(op)[0]
        region = region_of(op, [(operands, attrs)])
        made = batch(region, [True] * len(operands), 0)
        for value, result in zip(
            made.results, run(made, [np.stack([x])[:0] for x in operands]), strict=True
        ):
            assert result.shape == value.type.shape and result.size == 0


def test_host_calls_are_refused():
    region = region_of(OPS["host_call"], [((np.array(1, "i4"),), {"function": print})])
    with pytest.raises(CompileError, match="print inside of a function given to vmap"):
        batch(region, [True], SIZE)


DERIVED = (
    "cholesky clamp concatenate convolution dot_general dynamic_slice dynamic_update_slice fft "
    "gather pad reduce reduce_window scatter select sort top_k triangular_solve"
).split()


@pytest.mark.parametrize("name", DERIVED)
def test_derivatives_of_lanes(name: str):
    """The reverse of what is batched is the batched reverse."""
    op, rng = OPS[name], np.random.default_rng(3)
    for operands, attrs in samples(op)[:5]:
        region = region_of(op, [(operands, attrs)])
        wrt, outs = positions(op, region), inexact(region.results)
        both = zip(moved(op, operands, rng), moved(op, operands, rng), strict=True)
        pairs = [np.stack(pair) for pair in both]
        for which in [range(len(pairs)), *[[k] for k in wrt]]:
            flags = [k in which for k in range(len(pairs))]
            given = [x if flag else x[0] for x, flag in zip(pairs, flags, strict=True)]
            try:
                one, many = vjp(region, wrt, outs), batch(region, flags, 2)
                outer = vjp(many, wrt, outs)
            except CompileError as error:
                assert "derivative rule" in str(error)
                continue
            inner = batch(one, [*flags, *[True] * len(outs)], 2)
            cts = [noise(x, rng) for x in zeros(outer.params[len(pairs) :])]
            count = len(region.results)
            got = evaluate(outer, [*given, *cts])[count:]
            want = evaluate(inner, [*given, *cts])[count:]
            for k, x, y in zip(wrt, got, want, strict=True):
                y = y if y.ndim > operands[k].ndim else np.stack([y, y])
                np.testing.assert_allclose(x, y if flags[k] else y.sum(0), rtol=1e-7, atol=1e-9)
