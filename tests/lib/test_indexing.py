"""Index arrays, masks and mixtures of them, read and written, against NumPy."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pyxla.abstract.lattice import Array
from pyxla.ir.op import OpError
from pyxla.lib.indexing import conform, getitem, parse, scatter_at, setitem
from pyxla.lib.masks import unpacked
from pyxla.ops.elementwise import multiply, sqrt
from tests.evaluation import Program

SHAPES = [(5,), (4, 3), (3, 4, 2), (2, 3, 2, 3), (0, 3), (3, 0, 2)]


def random_key(rng: random.Random, shape, program: Program):
    """A key with index arrays, and what NumPy takes for it."""
    key, plain, axis = [], [], 0
    batch = rng.choice([(), (1,), (3,), (2, 3)])
    while axis < len(shape):
        size = shape[axis]
        kind = rng.choice(["int", "slice", "array", "array", "list", "mask", "new", "bool", "all"])
        if kind == "new":
            item, value = None, None
        elif kind == "bool":
            value = rng.random() < 0.8
            item = value if rng.random() < 0.5 else program.array(np.bool_(value))
            if rng.random() < 0.7:
                continue
        elif kind == "int" and size:
            value = rng.randint(-size, size - 1)
            item = rng.choice([lambda v: v, program.int])(value)
            axis += 1
        elif kind == "slice":
            start, stop = sorted([rng.randint(-size, size), rng.randint(-size, size)])
            value = slice(start, stop, rng.choice([None, 1, 2]))
            item = slice(program.int(start), stop, value.step)
            axis += 1
        elif kind == "array" and size:
            dims = batch[rng.randint(0, len(batch)) :]
            dims = tuple([n if rng.random() < 0.8 else 1 for n in dims])
            dtype = rng.choice([np.int64, np.int32, np.uint8])
            value = np.array(
                [
                    rng.randint(0 if dtype is np.uint8 else -size, size - 1)
                    for _ in range(int(np.prod(dims)))
                ],
                dtype,
            ).reshape(dims)
            item = program.array(value)
            axis += 1
        elif kind == "list" and size and batch[-1:] in ((), (1,), (3,)):
            value = [rng.randint(-size, size - 1) for _ in range(batch[-1] if batch else 1)]
            item = list(value)
            axis += 1
        elif kind == "mask" and not any(isinstance(k, np.ndarray) for k in plain):
            count = rng.randint(1, len(shape) - axis)
            dims = shape[axis : axis + count]
            value = np.array([rng.random() < 0.5 for _ in range(int(np.prod(dims)))]).reshape(dims)
            value = value.astype(bool)
            item = program.array(value)
            axis += count
        else:
            item = value = slice(None)
            axis += 1
        key.append(item)
        plain.append(value)
    if rng.random() < 0.3:
        cut = rng.randint(0, len(key))
        key.insert(cut, Ellipsis)
        plain.insert(cut, Ellipsis)
    return tuple(key), tuple(plain)


@pytest.mark.parametrize("seed", range(600))
def test_random_index_reads_and_writes_as_numpy(seed):
    program = Program()
    for result, expected in cases(random.Random(seed), program):
        np.testing.assert_array_equal(program.evaluate(result), expected)


def test_random_indices_compiled_by_xla():
    program = Program()
    made = [case for seed in range(60) for case in cases(random.Random(seed), program)]
    for found, (_, expected) in zip(program.execute([r for r, _ in made]), made, strict=True):
        np.testing.assert_array_equal(found, expected)


def cases(rng: random.Random, program: Program):
    """Results of reading and writing through a random index, with what NumPy says they are."""
    shape = rng.choice(SHAPES)
    x = np.arange(1.0, np.prod(shape, dtype=int) + 1).reshape(shape)
    key, plain = random_key(rng, shape, program)
    base = program.array(x)
    try:
        expected = np.asarray(x[plain])
    except IndexError:
        if any(np.asarray(k).dtype == bool for k in plain):
            return  # the number of true elements is not known while compiling
        with pytest.raises(OpError):
            program.build(lambda: parse(shape, None, key))
        return
    index = program.build(lambda: parse(shape, None, key))
    result = program.build(lambda: getitem(base, index))
    yield result, expected

    values = -np.arange(1.0, expected.size + 1).reshape(expected.shape)
    padded = np.full(result.shape, -999.0)
    padded[tuple(slice(n) for n in expected.shape)] = values
    given_values = [(-7, -7), (program.array(padded, result.extents), values)]
    if expected.ndim > 1:
        row = -np.arange(1, result.shape[-1] + 1, dtype=np.int32)
        given_values.append((program.array(row), row[: expected.shape[-1]]))
    for given, plain_value in given_values:
        written = x.copy()
        written[plain] = plain_value
        new = program.build(lambda given=given: setitem(base, index, given))
        yield new, written


def evaluated(x, key, function):
    """`function(array, index)` by NumPy's meaning of the ops it emits."""
    program = Program()
    base = program.array(x)
    return program.evaluate(
        program.build(lambda: function(base, parse(x.shape, None, key(program))))
    )


def test_the_last_of_duplicate_writes_wins():
    at = np.array([2, 0, 2, -2, 0])
    x, expected = np.zeros(4), np.zeros(4)
    expected[at] = np.arange(5.0)
    new = evaluated(x, lambda p: p.array(at), lambda a, i: setitem(a, i, [0.0, 1.0, 2.0, 3.0, 4.0]))
    np.testing.assert_array_equal(new, expected)


@pytest.mark.parametrize("computation, ufunc", [("add", np.add), ("maximum", np.maximum)])
def test_scatter_at_accumulates_duplicates(computation, ufunc):
    at = np.array([[2, 0], [2, -2]])
    x = np.ones((4, 3))
    expected = x.copy()
    ufunc.at(expected, at, 3.0)
    new = evaluated(x, lambda p: p.array(at), lambda a, i: scatter_at(a, i, 3.0, computation))
    np.testing.assert_array_equal(new, expected)


@pytest.mark.parametrize(
    "key, message",
    [
        (5, "index 5 is out of bounds for axis 0 with size 2"),
        ((0, 0, 0), "too many indices for array: array is 2-dimensional, but 3 were indexed"),
        ((..., ...), "an index can only have a single ellipsis"),
        ("a", "only integers, slices"),
        (1.0, "only integers, slices"),
        ([1.5], "only integers, slices"),
        ([0, -3], "index -3 is out of bounds for axis 0 with size 2"),
        ([True, False, True], "boolean index did not match indexed array along axis 0"),
        (([0, 1], [0, 1, 2]), "shape mismatch: indexing arrays could not be broadcast"),
        (slice(None, None, 0), "slice step cannot be zero"),
        (slice(1.0, None), "slice indices must be integers"),
    ],
)
def test_refusals_speak_as_numpy(key, message):
    program = Program()
    with pytest.raises(OpError, match=message.replace("(", r"\(")):
        program.build(lambda: parse((2, 3), None, key))


@pytest.mark.parametrize(
    "value, dtype, expected",
    [(1.9, "i4", 1), (True, "f8", 1.0), (3, "c16", 3 + 0j), (2, "?", True)],
)
def test_conform_casts_as_assignment(value, dtype, expected):
    program = Program()
    found = program.build(lambda: conform(value, (2,), np.dtype(dtype)))
    assert found.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(program.evaluate(found), np.full(2, expected))


def test_conform_drops_imaginary_parts_of_arrays_but_refuses_python_complex():
    program = Program()
    array = program.array(np.array([1 + 2j]))
    found = program.build(lambda: conform(array, (1,), np.dtype(np.float64)))
    np.testing.assert_array_equal(program.evaluate(found), [1.0])
    with pytest.raises(OpError):
        program.build(lambda: conform(1j, (), np.dtype(np.float64)))


def test_conform_refuses_what_does_not_broadcast():
    program = Program()
    array = program.array(np.zeros(3))
    with pytest.raises(OpError, match="could not broadcast input array from shape"):
        program.build(lambda: conform(array, (2,), np.dtype(np.float64)))


def test_what_was_packed_by_a_mask_is_written_back_without_packing():
    program = Program()
    x, m = np.arange(6.0).reshape(2, 3), np.array([[1, 0, 1], [0, 1, 1]], bool)
    base, mask = program.array(x), program.array(m)

    def body():
        index = parse(base.shape, None, mask)
        packed = getitem(base, index)
        root = sqrt(packed.value)
        assert unpacked(root) is not None
        return setitem(base, index, Array(multiply(root, root), packed.extents))

    new = program.build(body)
    np.testing.assert_allclose(program.evaluate(new), x)
    reached, stack = set(), [new.value.owner]
    while stack:
        instr = stack.pop()
        reached.add(instr.op.name)
        stack.extend(v.owner for v in instr.operands if v.owner is not None)
    assert not reached & {"gather", "scatter", "reduce_window"}
