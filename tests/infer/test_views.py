"""Reading and writing through chains of views, against NumPy."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pyxla.abstract.facts.integers import plus
from pyxla.ir.op import OpError
from pyxla.lib.indexing import parse
from pyxla.views.bits import bits, part
from pyxla.views.repeated import broadcast, windows
from pyxla.views.reshaping import Reshape, diagonal, reshape_step
from pyxla.views.views import (
    apply,
    expanded,
    extend,
    flipped,
    permuted,
    reshape_is_view,
    squeezed,
    update,
    with_scalars,
)
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
            key.append(slice(sym, program.build(lambda s=sym, w=width: plus(s, w))))
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


@pytest.mark.parametrize("seed", range(400))
def test_random_basic_index_reads_and_writes_as_numpy(seed):
    program = Program()
    for result, expected in cases(random.Random(seed), program):
        np.testing.assert_array_equal(program.evaluate(result), expected)


def test_random_basic_indices_compiled_by_xla():
    program = Program()
    made = [case for seed in range(100) for case in cases(random.Random(seed), program)]
    for found, (_, expected) in zip(program.execute([r for r, _ in made]), made, strict=True):
        np.testing.assert_array_equal(found, expected)


def cases(rng: random.Random, program: Program):
    """Results of reading and writing through a random index, with what NumPy says they are."""
    shape = rng.choice(SHAPES)
    x = np.arange(1.0, np.prod(shape, dtype=int) + 1).reshape(shape)
    key, plain = random_key(rng, shape, program)
    base = program.array(x)
    step = program.build(lambda: parse(shape, None, key))
    expected = np.asarray(x[plain])
    yield program.build(lambda: step.apply(base)), expected

    padded = np.full(step.shape, -999.0)
    padded[tuple(slice(n) for n in expected.shape)] = -(expected + 1000)
    written = x.copy()
    written[plain] = -(expected + 1000)
    new = program.array(padded, step.extents)
    yield program.build(lambda: step.update(base, new)), written


def random_view(rng: random.Random, program: Program, shape, extents, array):
    """A random step over what a chain shows, with what NumPy makes of `array`."""
    kind = rng.choice(["index", "index", "transpose", "reshape", "flip", "expand", "squeeze"])
    ndim = len(shape)
    if kind == "index":
        key, plain = random_key(rng, array.shape if extents is None else shape, program)
        if extents is not None:
            return None
        return program.build(lambda: parse(shape, extents, key)), array[plain]
    axes = tuple(rng.sample(range(ndim), rng.randint(0, ndim)))
    if kind == "transpose":
        order = tuple(rng.sample(range(ndim), ndim))
        return permuted(shape, extents, order), array.transpose(order)
    if kind == "flip":
        step = program.build(lambda: flipped(shape, extents, axes))
        return step, np.flip(array, axes)
    if kind == "expand":
        new = tuple(rng.sample(range(ndim + 1), 1))
        return expanded(shape, extents, new), np.expand_dims(array, new)
    if kind == "squeeze":
        ones = tuple([d for d in axes if shape[d] == 1 and (extents or shape)[d] is not None])
        ones = tuple([d for d in ones if extents is None or extents[d] is None])
        return squeezed(shape, extents, ones), np.squeeze(array, ones)
    if extents is not None:
        return None
    target = rng.choice([(-1,), (*shape[1:], *shape[:1]), (1, *shape), (*shape, 1)])
    target = target if 0 not in shape else shape
    found = array.reshape(target)
    return program.build(lambda: reshape_step(shape, extents, target)), found


@pytest.mark.parametrize("seed", range(500))
def test_random_chains_of_views_read_and_write_as_numpy(seed):
    rng = random.Random(seed)
    shape = rng.choice([(6,), (4, 3), (4, 3, 2), (2, 2, 3), (0, 3)])
    x = np.arange(1.0, np.prod(shape, dtype=int) + 1).reshape(shape)
    program = Program()
    base = program.array(x)
    view, shown, extents, array = (), shape, None, x
    for _ in range(rng.randint(1, 5)):
        made = random_view(rng, program, shown, extents, array)
        if made is None:
            continue
        step, result = made
        result = np.asarray(result)
        if isinstance(step, Reshape):
            viewed = np.shares_memory(result, x) or not result.size
            if result.size:
                assert reshape_is_view(base.type, view, step.shape) == viewed
            if not viewed:
                continue
        if result.base is None and result.ndim == 0:
            break  # a NumPy scalar
        view = program.build(lambda view=view, step=step: extend(view, step))
        shown, extents, array = step.shape, step.extents, result
    read = program.build(lambda: apply(view, base))
    np.testing.assert_array_equal(program.evaluate(read), array)
    padded = np.full(shown, -999.0)
    padded[tuple(slice(n) for n in array.shape)] = -array
    expected = x.copy()
    where = np.isin(x, array)
    expected[where] *= -1
    new = program.array(padded, extents)
    np.testing.assert_array_equal(
        program.evaluate(program.build(lambda: update(view, base, new))), expected
    )


def test_indices_of_indices_are_one_dynamic_slice():
    program = Program()
    base = program.array(np.arange(12.0).reshape(3, 4))
    i = program.int(2, 0, 2)

    def body():
        view = extend((), parse((3, 4), None, i))
        view = extend(view, parse(view[-1].shape, None, slice(1, 3)))
        assert len(view) == 1
        return apply(view, base)

    np.testing.assert_array_equal(program.evaluate(program.build(body)), [9.0, 10.0])
    assert [op for op in program.ops if op != "constant"] == ["dynamic_slice", "reshape"]


def test_an_element_in_range_is_read_and_written_without_selects():
    program = Program()
    base = program.array(np.zeros((3, 4)))
    i, j = program.int(2, 0, 2), program.int(3, 0, 3)
    step = program.build(lambda: parse((3, 4), None, (i, j)))
    program.build(lambda: step.apply(base))
    program.build(lambda: step.update(base, program.array(1.0)))
    assert program.ops == ["dynamic_slice", "reshape", "reshape", "dynamic_update_slice"]


@pytest.mark.parametrize("step", [1, 2, -1])
def test_a_window_of_constant_length_in_range_has_a_static_extent(step):
    program = Program()
    i = program.int(2, 0, 4)
    stop = program.build(lambda: plus(i, 3))
    key = slice(i, stop, step) if step > 0 else slice(stop, i, step)
    found = program.build(lambda: parse((8,), None, key))
    assert found.shape == (3 if abs(step) == 1 else 2,)
    assert found.extents is None


def test_a_slice_that_grows_with_a_loop_is_bounded_by_it():
    program = Program()
    j = program.int(2, 0, 4)
    step = program.build(lambda: parse((8, 8), None, (slice(None, j), 0)))
    assert step.shape == (4,)
    assert step.extents == (j,) or step.extents[0].value is j.value


@pytest.mark.parametrize("offset", [-5, -2, -1, 0, 1, 2, 3, 6])
@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (0, 2), (2, 1)])
def test_diagonal(offset, axes):
    x = np.arange(60.0).reshape(3, 4, 5)
    program = Program()
    base = program.array(x)
    step = diagonal(x.shape, None, offset, *axes)
    result = program.build(lambda: step.apply(base))
    np.testing.assert_array_equal(program.evaluate(result), x.diagonal(offset, *axes))
    expected = x.copy()
    expected[np.isin(x, x.diagonal(offset, *axes))] = -1
    new = program.array(np.full(step.shape, -1.0))
    written = program.build(lambda: step.update(base, new))
    np.testing.assert_array_equal(program.evaluate(written), expected)


def test_windows():
    x = np.arange(24.0).reshape(4, 6)
    program = Program()
    base = program.array(x)
    for sizes, axes in [((3,), (1,)), ((2, 3), (0, 1)), ((2, 2), (1, 0))]:
        step = windows(x.shape, None, sizes, axes)
        result = program.build(lambda step=step: step.apply(base))
        np.testing.assert_array_equal(
            program.evaluate(result), np.lib.stride_tricks.sliding_window_view(x, sizes, axes)
        )
    with pytest.raises(OpError, match="read-only"):
        step.update(base, base)


def test_broadcast():
    x = np.arange(3.0).reshape(3, 1)
    program = Program()
    base = program.array(x)
    step = broadcast(x.shape, None, (2, 3, 4))
    result = program.build(lambda: step.apply(base))
    np.testing.assert_array_equal(program.evaluate(result), np.broadcast_to(x, (2, 3, 4)))


@pytest.mark.parametrize("which", [0, 1])
def test_parts_of_complex_arrays_are_written_through(which):
    x = np.array([1 + 2j, 3 + 4j])
    program = Program()
    base = program.array(x)
    step = part(x.shape, None, x.dtype, which)
    written = x.copy()
    shown = written.imag if which else written.real
    shown[:] = [8.0, 9.0]
    result = program.build(lambda: step.update(base, program.array(np.array([8.0, 9.0]))))
    np.testing.assert_array_equal(program.evaluate(result), written)


@pytest.mark.parametrize(
    "source, target",
    [
        ("f8", "i8"),
        ("f8", "f4"),
        ("f4", "f8"),
        ("c16", "f8"),
        ("f8", "c16"),
        ("c8", "u4"),
        ("?", "u1"),
        ("u1", "?"),
        ("i4", "u1"),
        ("u1", "i4"),
        ("c8", "c16"),
    ],
)
def test_bits(source, target):
    x = np.arange(16).reshape(2, 8).astype(source)
    x = x % 2 if source == "u1" and target == "?" else x
    program = Program()
    base = program.array(x)
    step = bits(base.type, None, np.dtype(target))
    shown = program.build(lambda: step.apply(base))
    np.testing.assert_array_equal(program.evaluate(shown), x.view(target))
    written = program.build(lambda: step.update(base, shown))
    np.testing.assert_array_equal(program.evaluate(written), x)


def test_scalars_of_a_chain_are_replaced_in_order():
    program = Program()
    i, j = program.int(1, 0, 2), program.int(2, 0, 2)
    x = np.arange(9.0).reshape(3, 3)
    base = program.array(x)
    view = program.build(lambda: (parse((3, 3), None, (i, slice(None, None, 2))),))
    assert [s.value for step in view for s in step.scalars()] == [i.value]
    other = with_scalars(view, [j])
    result = program.build(lambda: apply(other, base))
    np.testing.assert_array_equal(program.evaluate(result), x[2, ::2])


@pytest.mark.parametrize("seed", range(200))
def test_basic_index_of_a_bounded_extent(seed):
    rng = random.Random(seed)
    bound, size = 6, rng.randint(0, 6)
    program = Program()
    n = program.int(size, 0, bound)
    x = np.arange(12.0).reshape(bound, 2)
    base = program.array(x, (n, None))
    real = x[:size]
    parts = []
    for _ in range(2):
        value = rng.randint(-8, 8)
        parts.append(rng.choice([(None, None), (value, value), (program.int(value), value)]))
    step = rng.choice([None, 2, -1, -2])
    key = slice(parts[0][0], parts[1][0], step)
    plain = slice(parts[0][1], parts[1][1], step)
    if size and rng.random() < 0.3:
        plain = rng.randint(-size, size - 1)
        key = rng.choice([plain, program.int(plain)])
    index = program.build(lambda: parse(base.shape, base.extents, key))
    shown = program.build(lambda: index.apply(base))
    np.testing.assert_array_equal(program.evaluate(shown), real[plain])
    padded = np.full(index.shape, -999.0)
    padded[tuple(slice(n) for n in real[plain].shape)] = -1
    new = program.array(padded, index.extents)
    expected = real.copy()
    expected[plain] = -1
    written = program.build(lambda: index.update(base, new))
    np.testing.assert_array_equal(program.evaluate(written), expected)


@pytest.mark.parametrize(
    "shape, target, expected",
    [
        ((4, 3), (-1,), (12,)),
        ((12,), (-1, 3), (4, 3)),
        ((4, 3), (1, -1), (1, 12)),
        ((4, 1), (-1,), (4,)),
        ((4,), (-1, 1), (4, 1)),
        ((4, 3), (-1, 3, 1), (4, 3, 1)),
        ((4, 2, 3), (-1, 6), (4, 6)),
    ],
)
def test_reshape_of_a_bounded_leading_extent(shape, target, expected):
    program = Program()
    x = np.arange(float(np.prod(shape))).reshape(shape)
    n = program.int(3, 0, shape[0])
    extents = (n,) + (None,) * (len(shape) - 1)
    base = program.array(x, extents)
    step = program.build(lambda: reshape_step(shape, extents, target))
    assert step.shape == expected
    shown = program.build(lambda: step.apply(base))
    np.testing.assert_array_equal(program.evaluate(shown), x[:3].reshape(target))
