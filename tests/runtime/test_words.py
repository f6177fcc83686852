"""Numbers and small arrays that cross between Python and XLA in one buffer: the same values."""

from __future__ import annotations

import functools

import ml_dtypes
import numpy as np
import pytest

import pyxla
from pyxla.runtime import executable, words

KINDS = "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1".split()
EXTREMES = {
    **{f"f{n}": [np.nan, np.inf, -0.0, 1.5] for n in (2, 4, 8)},
    **{f"i{n}": [-(2 ** (8 * n - 1)), 2 ** (8 * n - 1) - 1, -1] for n in (1, 2, 4, 8)},
    **{f"u{n}": [2 ** (8 * n) - 1, 0, 1] for n in (1, 2, 4, 8)},
    "b1": [True, False],
}


@pyxla.compile
def same(*xs):
    return xs


@pyxla.compile
def picked(rows):
    """Scalars, 0-d arrays, arrays of both."""
    return [
        (x[0], x[:1].copy(), x[-1:].reshape(()).copy(), x.copy(), np.stack((x, x)), x[:0].copy())
        for x in rows
    ]


@pyxla.compile
def counted(n, x, flag):
    if n < 0:
        raise ValueError(f"{n} and {x}")
    return n + 1, x / 2, n > 3, None if flag > 0 else n, n if flag > 0 else x, -x, [x, [n, 2.5]]


@pyxla.compile
def changed(small, flags, narrow, scale, box):
    small *= scale
    flags[1] = small[0] > 3
    narrow += 1
    box[0] = scale + 1
    return small.sum(), flags, narrow.max()


def check(got, expected):
    assert type(got) is type(expected), (got, expected)
    if isinstance(expected, (list, tuple)):
        assert len(got) == len(expected)
        for x, y in zip(got, expected):
            check(x, y)
    elif isinstance(expected, (np.ndarray, np.generic)):
        assert got.dtype == expected.dtype and got.shape == expected.shape
        np.testing.assert_array_equal(np.asarray(got), np.asarray(expected))
        np.testing.assert_array_equal(np.signbit(got), np.signbit(expected))
    else:
        assert got == expected


@pytest.mark.parametrize("kinds", [KINDS, ["f4", "i4", "u1", "b1", "f2", "u4"]])
def test_numbers_of_all_kinds(kinds):
    """In 64-bit words, and in 32-bit ones where nothing is wider."""
    for turn in range(4):
        values = [np.array(EXTREMES[k], k)[turn % len(EXTREMES[k])] for k in kinds]
        for _ in range(2):
            for got, value in zip(same(*values), values, strict=True):
                check(got, value)


@pytest.mark.parametrize("kinds", [KINDS, ["f4", "i4", "u1", "b1", "f2", "u4"], ["c16", "f8"]])
def test_small_arrays_of_all_kinds(kinds):
    rows = [np.array(EXTREMES.get(k, [1 + 2j, 3.0]), k) for k in kinds]
    rows.append(np.array([1, 2, 3], ml_dtypes.bfloat16))
    got = picked(rows)
    for row, parts in zip(rows, got, strict=True):
        wanted = (row[0], row[:1], row[-1:].reshape(()), row, np.stack((row, row)), row[:0])
        for x, y in zip(parts, wanted, strict=True):
            assert type(x) is type(y) and x.dtype == y.dtype and x.shape == y.shape
            np.testing.assert_array_equal(x, y)
            if isinstance(x, np.ndarray):
                assert x.flags.writeable and x.flags.c_contiguous
                assert not np.shares_memory(x, row)


def test_pythons_numbers():
    for n, x in ((5, 0.5), (2**62, -0.0), (-(2**62) % 7, float("inf")), (0, 1e-300)):
        for flag in (0.0, 1.0):
            check(counted(n, x, flag), counted.__pyxla_function__(n, x, flag))
    with pytest.raises(ValueError, match=r"^-2 and 0.25$"):
        counted(-2, 0.25, 1.0)
    for n in (2**64, -(2**63) - 1, 10**30):
        with pytest.raises(OverflowError, match=f"{n} does not fit in 64 bits"):
            counted(n, 0.25, 1.0)
    with pytest.raises(OverflowError, match="an int of more than 64 bits"):
        counted(2**63 - 1, 0.5, 1.0)


def test_writes_of_small_arrays():
    for _ in range(3):
        ours, theirs = (
            [np.arange(4.0), np.zeros(3, bool), np.int8([127, 3]), 2.5, [0.0]] for _ in range(2)
        )
        check(changed(*ours), changed.__pyxla_function__(*theirs))
        check(ours, theirs)


def test_in_narrow_words_nothing_needs_64_bits():
    words = same.specializations and [
        e.executable.inner
        for e in same.specializations
        if not any(p.type.dtype.itemsize == 8 for p in e.executable.program.region.params)
    ]
    for params, results in words:
        assert {t.dtype for t in (*params, *results)} == {np.dtype(np.int32)}


@pyxla.compile
def weighed(a, b, narrow, n, x):
    return a @ b * x + n, narrow.sum() * x, a[0] * 2


def test_small_arrays_among_the_arguments():
    """Of any layout, beside numbers; an argument that changes between calls is read anew."""
    base = np.arange(36.0).reshape(6, 6)
    fixed = np.arange(3.0)
    fixed.flags.writeable = False
    narrow = np.arange(5, dtype=np.float32)
    for a in (
        base[:3, :3].copy(),
        base.T[:3, ::2],
        base[::-2, :3],
        np.asfortranarray(base[:3, 3:]),
    ):
        for b in (fixed, base[3:, 0], base[0, ::2], np.ones(3)):
            for n in (1, -(2**62)):
                given = a, b, narrow, n, 0.5
                check(weighed(*given), weighed.__pyxla_function__(*given))
    a = np.eye(3)
    assert weighed(a, fixed, narrow, 1, 1.0)[0][1] == 2
    a[1, 1] = 5
    assert weighed(a, fixed, narrow, 1, 1.0)[0][1] == 6
    with pytest.raises(OverflowError, match="does not fit in 64 bits"):
        weighed(a, fixed, narrow, 2**64, 1.0)


def test_results_are_apart_from_each_other_and_from_the_arguments():
    @pyxla.compile
    def twice(x, y):
        return x.copy(), x.copy(), x, y + 0

    x = np.arange(3.0)
    first, second, same_, _ = twice(x, np.zeros(2))
    first[0] = 7
    assert x[0] == 0 and second[0] == 0 and same_ is x
    assert first.flags.writeable and first.flags.owndata


@pytest.fixture
def plans(monkeypatch):
    """What was planned for each program."""
    found = []

    def planned(*args):
        found.append(words.planned(*args))
        return found[-1]

    monkeypatch.setattr(executable, "planned", planned)
    return found


@pytest.mark.parametrize(("count", "packed"), [(8, True), (40, False)])
def test_many_numbers_are_left_alone(count, packed, plans):
    """Where what reads them does not fuse, each is a kernel that takes its time to compile."""
    reduced = pyxla.compile(lambda xs: functools.reduce(lambda a, b: a / (b + 1.0), xs))
    assert reduced((1.0,) * count) == 0.5 ** (count - 1)
    assert (plans[-1]._arguments is not None) is packed


def rows(count):
    """Tuples of numbers of several types, and small arrays."""
    tuples = [(k, k / 7, k % 3 == 0, -k) for k in range(count)]
    return tuples, [np.arange(2.0) + k for k in range(count)]


def columns(items, arrays, n, x):
    """What is read as a whole; one number is read by itself as well, and the last ones are not."""
    total, flags = 0.0, 0
    for _ in range(n):
        for k, v, flag, _ in items:
            total += k * v
            flags += flag
    return total + items[3][1] * x, flags, np.array(arrays), np.array([v for _, v, *_ in items])


def test_numbers_that_are_read_together_are_words_one_after_the_other(plans):
    """A list of tuples is as many arrays as a tuple has items, and no number is taken by itself."""
    ours = pyxla.compile(columns)
    items, arrays = rows(70)
    for given in ((items, arrays), (items[::-1], arrays[::-1])):
        for _ in range(2):
            check(ours(*given, 2, 0.5), columns(*given, 2, 0.5))
    (region,) = [e.executable.program.region for e in ours.specializations]
    assert plans[-1]._arguments is not None
    ops = [instr.op.name for instr in plans[-1].packed(region).instrs]
    assert ops.count("slice") < 10 and len(ops) < 200, ops
    with pytest.raises(OverflowError, match="does not fit in 64 bits"):
        ours([(2**70, *items[0][1:]), *items[1:]], arrays, 2, 0.5)


def test_rows_of_several_lengths_are_read_from_their_places(plans):
    """As arrays with room for the longest, and not from as many instructions as there are items."""

    def reached(graph):
        seen, left = {0}, [0]
        while left:
            for k in graph[left.pop()]:
                if k not in seen:
                    seen.add(k)
                    left.append(k)
        return len(seen)

    graph = {k: [(k * j) % 90 for j in range(1, 2 + k % 4)] for k in range(90)}
    graph[0] = [1, 5, 7]
    compiled = pyxla.compile(reached)
    for _ in range(2):
        assert compiled(graph) == reached(graph)
        graph[1][0], graph[7][-1] = 4, 2
    (region,) = [e.executable.program.region for e in compiled.specializations]
    ops = [instr.op.name for instr in plans[-1].packed(region).instrs]
    assert "gather" in ops and len(ops) < 150, len(ops)


GRAPH = {k: [(7 * k + 1) % 90, (3 * k + 2) % 90] for k in range(90)}


def test_numbers_that_are_known_are_read_with_those_beside_them(plans):
    """Also where one of the rows is an argument of its own."""

    def reached(start):
        seen = {start}
        queue = [start]
        for u in queue:
            for v in GRAPH[u]:
                if v not in seen:
                    seen.add(v)
                    queue.append(v)
        return len(seen), GRAPH[queue[-1]]

    compiled = pyxla.compile(reached)
    for _ in range(2):
        assert compiled(3) == reached(3)
    (region,) = [e.executable.program.region for e in compiled.specializations]
    ops = [instr.op.name for instr in plans[-1].packed(region).instrs]
    assert "gather" in ops and len(ops) < 150, len(ops)


def test_lists_of_bools_are_data():
    compiled = pyxla.compile(lambda flags, k: (flags[k], sum(flags)))
    for seed in range(3):
        flags = (np.random.default_rng(seed).random(100) < 0.5).tolist()
        assert compiled(flags, seed) == (flags[seed], sum(flags))
    assert len(compiled.specializations) == 1
