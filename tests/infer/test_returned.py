"""Which results share memory with arguments and with one another: as NumPy's do."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla


def views_of_arguments(x, y, d):
    d["row"] = x[0]
    x[1] = 5
    return (
        *(x, x[::-1], x[1:, ::2], x.T[1:], x[None, :, 0], x[..., None], x.ravel(), x[2:2]),
        *(y[1:], x[1, 1], np.squeeze(x[:1]), x.swapaxes(0, 1), np.flip(x), np.split(x, 3)[0]),
        *(x[1, ...], x[1, 1, ...], x.reshape(-1)[2:5], x.copy(), x.flatten(), x[[0, 1]], x + 0),
    )


def views_of_results(x, y, d):
    z = np.arange(12.0).reshape(3, 4)
    d["z"] = z.T
    alone = np.zeros((4, 4))
    return z[1], z, z[::2, ::-1], z.ravel(), [z[0], {"a": z[:, 0]}], alone[1:], z.mean()


def leaves(x) -> list:
    if isinstance(x, (list, tuple)):
        return [leaf for item in x for leaf in leaves(item)]
    return leaves(list(x.values())) if isinstance(x, dict) else [x]


def sharing(arrays: list) -> list[list[bool]]:
    return [[np.shares_memory(a, b) for b in arrays] for a in arrays]


@pytest.mark.parametrize("shape", [(3, 3), (3, 4)])
@pytest.mark.parametrize("function", [views_of_arguments, views_of_results])
def test_results_share_memory_as_numpys(function, shape) -> None:
    seen = []
    for run in (function, pyxla.compile(function)):
        x, y, d = np.arange(float(np.prod(shape))).reshape(shape), np.arange(4.0), {}
        seen.append(leaves([run(x, y, d), x, y, d]))
    for expected, result in zip(*seen, strict=True):
        assert type(expected) is type(result)
        np.testing.assert_array_equal(result, expected, strict=True)
        if isinstance(expected, np.ndarray):
            assert result.strides == expected.strides or not result.size
    assert sharing(seen[1]) == sharing(seen[0])


def in_other_orders(x):
    y, z = x.T + 1, np.zeros((2, 3, 4)).transpose(1, 0, 2)
    fortran = np.asfortranarray(x * 2)
    fortran[0] = 5
    mixed = np.where(x.T > 0, x.T, y), np.concatenate([y, y]), np.sort(x.T, 0), x.T.astype(int)
    return y, z, fortran, fortran.T, *mixed, np.sin(y), (x * 3)[::-1].T.copy("K"), (x + 4).T


def test_results_lie_in_memory_as_numpys() -> None:
    x = np.arange(6.0).reshape(2, 3)
    for expected, result in zip(in_other_orders(x), pyxla.compile(in_other_orders)(x), strict=True):
        np.testing.assert_array_equal(result, expected, strict=True)
        assert result.strides == expected.strides


def test_an_argument_is_returned_as_itself() -> None:
    x = np.ones(3)
    assert pyxla.compile(lambda x: x)(x) is x


def test_views_known_at_run_time_only_are_copies() -> None:
    """Where a view begins must be known while compiling; README.md says so."""
    x, y = np.arange(4.0), np.arange(1.0, 3.0)
    view = pyxla.compile(lambda x, y: x[int(y[0]) : int(y[0]) + 2])(x, y)
    np.testing.assert_array_equal(view, x[1:3])
    assert not np.shares_memory(view, x)


def test_records_that_are_only_read_are_not_stored():
    def counted(rows):
        counts = {}
        for row in rows:
            counts[row["age"] % 7] = counts.get(row["age"] % 7, 0) + row["w"]
        return counts

    def written(rows):
        for row in rows:
            row["w"] += row["age"]
        return len(rows)

    def given():
        return [{"age": 3 * i % 29, "w": 0.5 * i} for i in range(150)]

    for function, stored in (counted, 0), (written, 150):
        compiled, rows, expected = pyxla.compile(function), given(), given()
        assert compiled(rows) == function(expected)
        assert rows == expected
        assert len(compiled.specializations[0].executable.outcome.stores) == stored


def test_sets_that_are_only_read_are_not_stored():
    """Nor do their items lie otherwise then: the next call finds the program of the first."""

    def counted(items, n):
        return sum([1 for i in range(n) if i * 37 in items])

    def found(items, words):
        return [word in items for word in words]

    for function, given in (
        (counted, ({i * 37 % 1009 for i in range(100)}, 30)),
        (counted, ({1, 3, 5}, 30)),
        (found, ({f"w{i * 37}" for i in range(100)}, ["w37", "w38"])),
    ):
        compiled, before = pyxla.compile(function), list(given[0])
        assert compiled(*given) == function(*given) == compiled(*given)
        assert list(given[0]) == before
        (made,) = compiled.specializations
        assert not made.executable.outcome.stores


def test_items_that_stay_in_a_set_keep_their_place():
    def dropped(items, n):
        for i in range(n):
            items.discard(i)

    given, expected = ({i * 37 % 1009 for i in range(100)} for _ in range(2))
    dropped(expected, 700)
    pyxla.compile(dropped)(given, 700)
    assert list(given) == list(expected)
