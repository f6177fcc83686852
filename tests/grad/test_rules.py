"""Every op's rules on its samples: forward against central differences, reverse against forward.

First order for both, second order for what the rules themselves are made of.  Samples are moved a
little at random, away from kinks and ties.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pyxla.errors import CompileError
from pyxla.grad.activity import is_inexact
from pyxla.grad.forward import jvp
from pyxla.grad.reverse import vjp
from pyxla.ir.core import Region
from pyxla.ir.op import Op
from pyxla.ir.rewrite import clone_region
from pyxla.lower.expand import expand
from pyxla.ops import OPS, elementwise
from pyxla.ops.evaluate import evaluate
from tests.ops.harness import region_of
from tests.ops.samples import samples_of

STEP = 1e-6
# No derivative rule: randomness, code that only XLA knows, communication, bits.
WITHOUT = frozenset(
    "bitcast_convert rng_bit_generator custom_call rng call map foreign".split()  # noqa: SIM905
)
# What has a derivative by decree, or results too narrow for differences.
ROUNDED = frozenset("reduce_precision next_after".split())  # noqa: SIM905
# Operands that have a rule, where others have none.
BY = {"polygamma": [1], "reduce_window": [0]}
ELEMENTWISE = frozenset(op for op in vars(elementwise).values() if isinstance(op, Op))
WIDE = (np.dtype("f8"), np.dtype("c16"))


def moved(op: Op, operands: Any, rng: np.random.Generator) -> list[np.ndarray]:
    """Floats where derivatives exist: ordinary numbers in the domain of elementwise functions."""
    made = []
    for k, x in enumerate(operands):
        if k not in BY.get(op.name, range(len(operands))):
            made.append(x)
            continue
        if x.dtype in WIDE and (op in ELEMENTWISE or not np.all(np.abs(x) < 50)):
            x = (rng.uniform(0.2, 0.8, x.shape) + (op.name == "acosh")).astype(x.dtype)
        made.append(np.asarray(x + noise(x, rng) * 0.05) if x.dtype in WIDE else x)
    return made


def noise(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    made = rng.standard_normal(x.shape)
    if x.dtype.kind == "c":
        made = made + 1j * rng.standard_normal(x.shape)
    return np.asarray(made).astype(x.dtype)


def samples(op: Op) -> list[Any]:
    """Samples with something to differentiate."""
    found = []
    for operands, attrs in samples_of(op):
        region = region_of(op, [(operands, attrs)])
        if any(x.dtype in WIDE for x in operands) and differentiable(region):
            found.append((operands, attrs))
    return found


def differentiable(region: Region) -> bool:
    """Whether its results are precise enough for differences."""
    return all(v.type.dtype in WIDE for v in region.results if is_inexact(v)) and bool(
        inexact(region.results)
    )


def inexact(values: Any) -> list[int]:
    return [k for k, value in enumerate(values) if is_inexact(value)]


def dot(xs: Any, ys: Any) -> complex:
    """JAX's pairing: without conjugation; of it the real part is compared."""
    return sum(np.sum(np.asarray(x) * np.asarray(y)) for x, y in zip(xs, ys, strict=True)).real


def run(region: Region, arguments: list[np.ndarray]) -> list[np.ndarray]:
    """Evaluated, with the code of its scopes and reversals in their place."""
    return evaluate(expand(clone_region(region, {})), arguments)


def check(
    region: Region,
    arguments: list[np.ndarray],
    wrt: list[int],
    rng: np.random.Generator,
    rounded: bool = False,
) -> None:
    outs = inexact(region.results)
    tangents = [noise(arguments[k], rng) for k in wrt]

    def at(step: float) -> list[np.ndarray]:
        there = list(arguments)
        for k, t in zip(wrt, tangents, strict=True):
            there[k] = np.asarray(there[k] + step * t)
        made = run(region, there)
        return [made[k] for k in outs]

    pushed = run(jvp(region, wrt), [*arguments, *tangents])[len(region.results) :]
    for ahead, behind, got in zip(at(STEP), at(-STEP), pushed, strict=True):
        if got.dtype not in WIDE or rounded:
            continue
        want = (ahead - behind) / (2 * STEP)
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-4)
    cts = [noise(x, rng) for x in pushed]
    pulled = run(vjp(region, wrt, outs), [*arguments, *cts])[len(region.results) :]
    for ct, k in zip(pulled, wrt, strict=True):
        assert ct.dtype == arguments[k].dtype and ct.shape == arguments[k].shape
    exact = all(x.dtype in WIDE for x in pushed)
    tolerance = 1e-7 if exact else 1e-2
    assert np.isclose(dot(cts, pushed), dot(pulled, tangents), rtol=tolerance, atol=tolerance)


CASES = [
    pytest.param(op, operands, attrs, id=f"{op.name}-{number}")
    for op in OPS.values()
    if op.numpy is not None and op.name not in WITHOUT
    for number, (operands, attrs) in enumerate(samples(op))
]


@pytest.mark.parametrize(("op", "operands", "attrs"), CASES)
def test_first_order(op: Op, operands: Any, attrs: Any):
    rng = np.random.default_rng(7)
    region = region_of(op, [(operands, attrs)])
    with refusals():
        check(region, moved(op, operands, rng), positions(op, region), rng, op.name in ROUNDED)


@pytest.mark.parametrize(("op", "operands", "attrs"), CASES)
def test_second_order(op: Op, operands: Any, attrs: Any):
    """The reverse of the op, checked as a program of its own."""
    rng = np.random.default_rng(8)
    region = region_of(op, [(operands, attrs)])
    wrt, outs = positions(op, region), inexact(region.results)
    with refusals():
        reverse = vjp(region, wrt, outs)
        count = len(region.params)
        given = [noise(value, rng) for value in zeros(reverse.params[count:])]
        by = [*wrt, *range(count, len(reverse.params))]
        check(reverse, [*moved(op, operands, rng), *given], by, rng, op.name in ROUNDED)


def positions(op: Op, region: Region) -> list[int]:
    """The operands to differentiate by."""
    return BY.get(op.name) or inexact(region.params)


def zeros(values: Any) -> list[np.ndarray]:
    return [np.zeros(value.type.shape, value.type.dtype) for value in values]


@contextlib.contextmanager
def refusals() -> Iterator[None]:
    """What has no rule is refused with these words."""
    try:
        yield
    except CompileError as error:
        assert "derivative rule" in str(error)
        pytest.skip(str(error))
