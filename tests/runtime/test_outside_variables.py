"""Variables of the module and of functions around a compiled one, which it assigns to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pyxla

count = 0
array = np.zeros(2)
history = [1]
label = "a"


def read_count():
    return count * 10


def counts(x: float) -> float:
    global count
    count += 1
    return x * count


def test_globals_are_assigned_when_the_call_ends(monkeypatch):
    monkeypatch.setitem(globals(), "count", 5)
    compiled = pyxla.compile(counts)
    assert [compiled(2.0), compiled(2.0), count] == [12.0, 14.0, 7]
    assert len(compiled.specializations) == 1
    monkeypatch.setitem(globals(), "count", 0)
    assert compiled(2.0) == 2.0


def test_globals_of_other_types(monkeypatch):
    for name, value in (("array", np.zeros(2)), ("history", [1]), ("label", "a")):
        monkeypatch.setitem(globals(), name, value)

    def function(x):
        global array, history, label
        array = array + x
        history = [*history, 2]
        label = label + "b"
        return array.sum()

    before = array
    compiled = pyxla.compile(function)
    assert [compiled(1.0), compiled(1.0)] == [2.0, 4.0]
    assert array.tolist() == [2, 2] and history == [1, 2, 2] and label == "abb"
    assert before.tolist() == [0, 0]


def test_other_functions_see_them(monkeypatch):
    monkeypatch.setitem(globals(), "count", 1)

    def function(n):
        global count
        seen = [read_count()]
        for i in range(n):
            count = count + i
        seen.append(read_count())
        return seen

    assert pyxla.compile(function)(4) == [10, 70]
    assert count == 7


def test_they_are_assigned_before_a_raise(monkeypatch):
    monkeypatch.setitem(globals(), "count", 0)

    def function(x):
        global count
        count = 3
        if x > 0:
            raise ValueError("positive")
        count = 4

    compiled = pyxla.compile(function)
    with pytest.raises(ValueError, match="positive"):
        compiled(1.0)
    assert count == 3
    compiled(-1.0)
    assert count == 4


def makes_globals(n):
    global made_total, made_rows
    try:
        before = made_total
    except NameError as e:
        before = str(e)
    made_total, made_rows = 0.0, [[0] * n for _ in range(n)]
    for i in range(n):
        adds_to_globals(i)
    return before, made_total


def adds_to_globals(i):
    global made_total
    made_total += i * 0.5
    made_rows[i][i] = i


def test_globals_that_do_not_exist_yet():
    def outcome(function):
        for name in ("made_total", "made_rows"):
            globals().pop(name, None)
        return [(function(n), made_total, made_rows) for n in (3, 3, 2)]

    compiled = pyxla.compile(makes_globals)
    assert outcome(compiled) == outcome(makes_globals)
    assert outcome(compiled) == outcome(makes_globals)
    del globals()["made_total"], globals()["made_rows"]


def test_globals_that_some_paths_alone_make():
    def function(x):
        global not_there_yet
        if x.sum() > 0:
            not_there_yet = 2.0
        return x

    with pytest.raises(pyxla.CompileError, match="'not_there_yet' set on some paths only"):
        pyxla.compile(function)(array)


def counter() -> tuple[Any, Any]:
    n, seen = 0, []

    def step(x):
        nonlocal n, seen
        n += 1
        seen = [*seen, x]
        return x + n

    return step, lambda: (n, seen)


def test_variables_of_the_function_around():
    step, state = counter()
    compiled = pyxla.compile(step)
    assert [compiled(2.0), compiled(3.0), state()] == [3.0, 5.0, (2, [2.0, 3.0])]
