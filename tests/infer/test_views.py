"""Reading and writing through chains of views, against NumPy."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pyxla.infer.lattice import Array, Scalar
from pyxla.lib.indexing import parse
from tests.evaluation import Program

SHAPES = [(), (1,), (5,), (4, 3), (3, 4, 2), (0, 3), (3, 0)]


def random_int(rng: random.Random, lo: int, hi: int, program: Program):
    """A known int, or a run-time one with or without facts; and its value."""
    value = rng.randint(lo, hi)
    mode = rng.choice(["static", "static", "bare", "facts"])
    if mode == "static":
        return value, value
    if mode == "bare":
        return program.int(value), value
    return program.int(value, lo, hi), value


def random_key(rng: random.Random, shape, program: Program):
    key, plain = [], []
    for size in shape:
        kind = rng.choice(["int", "slice", "slice", "window", "full", "new"])
        if kind == "new":
            key.append(None)
            plain.append(None)
            kind = "slice"
        if kind == "int" and size:
            sym, value = random_int(rng, *rng.choice([(-size, size - 1), (0, size - 1)]), program)
            key.append(sym)
            plain.append(value)
        elif kind == "window" and size:
            sym, value = random_int(rng, -size - 2, size + 2, program)
            width = rng.randint(0, size)
            key.append(slice(sym, program.build(lambda s=sym, w=width: add(s, w))))
            plain.append(slice(value, value + width))
        elif kind == "slice":
            parts = []
            for _ in range(2):
                if rng.random() < 0.3:
                    parts.append((None, None))
                else:
                    parts.append(random_int(rng, -size - 2, size + 2, program))
            step = rng.choice([None, 1, 1, 2, 3, -1, -1, -2])
            key.append(slice(parts[0][0], parts[1][0], step))
            plain.append(slice(parts[0][1], parts[1][1], step))
        else:
            key.append(slice(None))
            plain.append(slice(None))
    if rng.random() < 0.3:
        cut = rng.randint(0, len(key))
        return (*key[:cut], ...), (*plain[:cut], ...)
    return tuple(key), tuple(plain)


def add(x, k):
    from pyxla.infer.integers import plus

    return plus(x, k)


@pytest.mark.parametrize("seed", range(400))
def test_random_basic_index_reads_and_writes_as_numpy(seed):
    rng = random.Random(seed)
    shape = rng.choice(SHAPES)
    x = np.arange(1.0, np.prod(shape, dtype=int) + 1).reshape(shape)
    program = Program()
    key, plain = random_key(rng, shape, program)
    base = program.array(x)
    step = program.build(lambda: parse(shape, None, key))
    expected = np.asarray(x[plain])
    np.testing.assert_array_equal(
        program.evaluate(program.build(lambda: step.apply(base))), expected
    )

    padded = np.full(step.shape, -999.0)
    padded[tuple(slice(n) for n in expected.shape)] = -(expected + 1000)
    written = x.copy()
    written[plain] = -(expected + 1000)
    new = program.array(padded, step.extents)
    np.testing.assert_array_equal(
        program.evaluate(program.build(lambda: step.update(base, new))), written
    )
