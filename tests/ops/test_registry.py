"""Every op of the registry: inference, NumPy's meaning and XLA's agree on its samples."""

from __future__ import annotations

import pytest
from jaxlib.mlir.dialects import stablehlo

from pyxla.ir.op import Op
from pyxla.ir.types import array_type
from pyxla.ops import LEFT_OUT, OPS
from pyxla.ops.evaluate import evaluate
from tests.ops.harness import close, region_of, run
from tests.ops.samples import samples_of

# XLA:CPU has no code for it; custom and host calls depend on what is there.
NOT_ON_CPU = {"collective_broadcast", "custom_call", "host_call"}
WITH_MEANING = [op for op in OPS.values() if op.numpy is not None]


def test_every_stablehlo_op_has_a_record_or_a_reason():
    classes = [c for c in vars(stablehlo).values() if hasattr(c, "OPERATION_NAME")]
    names = {c.OPERATION_NAME.removeprefix("stablehlo.") for c in classes}
    assert names - set(OPS) - set(LEFT_OUT) == set()
    assert set(OPS) & set(LEFT_OUT) == set()


@pytest.mark.parametrize("op", OPS.values(), ids=OPS)
def test_has_code_and_samples(op: Op):
    assert op.emit is not None
    assert samples_of(op) or op.name in NOT_ON_CPU


@pytest.mark.parametrize("op", WITH_MEANING, ids=lambda op: op.name)
def test_meaning_has_the_inferred_type(op: Op):
    for operands, attrs in samples_of(op):
        region = region_of(op, [(operands, attrs)])
        made = evaluate(region, operands)
        got = [array_type(x.dtype, x.shape) for x in made]
        assert got == [value.type for value in region.results], (operands, attrs)


@pytest.mark.parametrize("op", WITH_MEANING, ids=lambda op: op.name)
def test_compiled_code_computes_the_meaning(op: Op):
    if op.name in NOT_ON_CPU:
        pytest.skip("XLA:CPU does not implement it")
    samples = samples_of(op)
    region = region_of(op, samples)
    arguments = [x for operands, _ in samples for x in operands]
    for got, want in zip(run(region, arguments), evaluate(region, arguments), strict=True):
        assert close(got, want), (got, want)
