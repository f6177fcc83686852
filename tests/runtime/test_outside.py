"""What a program takes for granted of objects outside, and results that callers may change."""

from __future__ import annotations

import functools
import queue
from typing import Any

import numpy as np
import pytest

import pyxla


class Model:
    rate = 0.5
    weights = np.ones(2)

    def __init__(self, x: Any) -> None:
        self.x = x

    def step(self) -> Any:
        return self.x * self.rate

    @property
    def double(self) -> Any:
        return self.x * 2

    @staticmethod
    def shift(x: Any) -> Any:
        return x + 1


class Derived(Model):
    pass


def scaled(x: Any) -> Any:
    return x * scaled.factor  # type: ignore[attr-defined]


def power(x: Any, n: Any) -> Any:
    return x * n


tripled = functools.partial(power, n=3)

CASES = {
    "a number": (lambda x: x * Model.rate, Model, "rate", 0.25),
    "of a base class": (lambda x: x * Derived.rate, Model, "rate", 0.25),
    "through an instance": (lambda x: Derived(x).step(), Model, "rate", 0.25),
    "an array": (lambda x: x * Model.weights, Model, "weights", np.full(2, 3.0)),
    "a method": (lambda x: Model(x).step(), Model, "step", lambda self: self.x - 1),
    "a property": (lambda x: Model(x).double, Model, "double", property(lambda self: self.x)),
    "a static method": (lambda x: Model.shift(x), Model, "shift", staticmethod(lambda x: x - 1)),
    "of a function": (lambda x: scaled(x), scaled, "factor", 9.0),
}
scaled.factor = 2.0  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", CASES)
def test_attributes_that_change(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    function, owner, attribute, value = CASES[name]
    compiled = pyxla.compile(function)
    assert np.all(compiled(2.0) == function(2.0))
    monkeypatch.setattr(owner, attribute, value)
    assert np.all(compiled(2.0) == function(2.0))
    monkeypatch.undo()
    assert np.all(compiled(2.0) == function(2.0))


def test_an_attribute_that_comes_before_another(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = pyxla.compile(lambda x: Derived(x).step() + x * Derived.rate)
    assert compiled(2.0) == 2.0
    monkeypatch.setattr(Derived, "rate", 0.25, raising=False)
    assert compiled(2.0) == 1.0
    monkeypatch.setattr(Derived, "step", lambda self: self.x, raising=False)
    assert compiled(2.0) == 2.5
    monkeypatch.undo()
    assert compiled(2.0) == 2.0


def test_keywords_of_a_partial_that_change() -> None:
    compiled = pyxla.compile(lambda x: tripled(x))
    assert compiled(2.0) == 6.0
    tripled.keywords["n"] = 5
    try:
        assert compiled(2.0) == 10.0
    finally:
        tripled.keywords["n"] = 3


def test_a_set_is_made_anew_by_each_call() -> None:
    compiled = pyxla.compile(lambda x: {1, 2})
    compiled(1.0).add(9)
    assert compiled(1.0) == {1, 2}


def test_prints_are_not_repeated_where_a_list_grows_beyond_its_room(capfd: Any) -> None:
    @pyxla.compile(list_capacity=64)
    def many(x: Any, n: int) -> Any:
        out = []
        k = 0
        while k < n * x:
            if k % 100 == 0:
                print(k)
            out.append(k)
            k += 1
        return out

    assert many(1.0, 500) == list(range(500))
    assert capfd.readouterr().out.split() == ["0", "100", "200", "300", "400"]


@functools.cache
def table(n: int) -> np.ndarray:
    return np.zeros(n)


def test_results_that_are_kept_are_not_written_to() -> None:
    @pyxla.compile
    def written(x: Any) -> Any:
        a = table(3)
        a += x
        return table(3) + 0

    with pytest.raises(pyxla.CompileError, match="its calls share"):
        written(1.0)


def replaced_field(model, n):
    best = model.x
    model.x = model.x * 2
    if n > 0:
        best = model.x
    best[1] = 3.0


def replaced_item(items, n):
    best = items[0]
    items[0] = items[0] * 2
    if n > 0:
        best = items[0]
    best[1] = 3.0


def removed_item(items, n):
    best = items.pop(0)
    for _ in range(n):
        best = best * 2
    best[1] = 3.0


def replaced_in_a_loop(model, n):
    best = model.x
    for _ in range(n):
        model.x = model.x - 1.0
        if model.x[0] < 0.0:
            best = model.x
    model.x = None
    best[1] = 3.0


def replaced_inside(models, n):
    best = models[0].x
    models[0] = Model(best * 2)
    if n > 0:
        best = models[0].x
    best[1] = 3.0


@pytest.mark.parametrize(
    "function, holder",
    [
        (replaced_field, Model),
        (replaced_item, lambda w: [w]),
        (replaced_item, lambda w: {0: w}),
        (removed_item, lambda w: [w]),
        (replaced_in_a_loop, Model),
        (replaced_inside, lambda w: [Model(w)]),
    ],
)
@pytest.mark.parametrize("start", [0.0, 5.0])
@pytest.mark.parametrize("n", [0, 1])
def test_what_only_the_caller_holds_any_more_is_written(function, holder, start, n):
    arrays = []
    for call in (function, pyxla.compile(function)):
        arrays.append(np.arange(3.0) + start)
        call(holder(arrays[-1]), n)
    np.testing.assert_array_equal(*arrays)


def test_queues_as_results():
    def made(n):
        q, best = queue.Queue(5), queue.PriorityQueue()
        for i in range(3):
            q.put(i * n)
            best.put(-i * n)
        return q, best

    for found, expected in zip(pyxla.compile(made)(2), made(2), strict=True):
        assert type(found) is type(expected)
        assert (found.queue, found.maxsize) == (expected.queue, expected.maxsize)
        assert [found.get() for _ in range(3)] == [expected.get() for _ in range(3)]
