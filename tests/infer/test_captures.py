"""Outside objects: what is known once and for all, and what one start of inference asks for."""

import copy
import itertools
import sys
from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np
import pytest

import pyxla
from pyxla import specialize


class Settings(NamedTuple):
    size: int
    scale: float


SETTINGS = Settings(3, 0.5)
FIRST, SECOND, THIRD = np.arange(3.0), np.ones(3), np.full(3, 2.0)


def scaled(x):
    made = np.zeros(SETTINGS.size) + SETTINGS.scale * x
    chosen = SETTINGS if x > 0 else Settings(1, 2.0)
    return made, SETTINGS, chosen.scale, SETTINGS._replace(size=4)


def layers(x):
    return THIRD * (SECOND + (FIRST @ x))


def test_named_tuples_of_numbers_are_known(monkeypatch):
    compiled = pyxla.compile(scaled)
    for settings in (SETTINGS, Settings(5, 2.0)):
        monkeypatch.setitem(globals(), "SETTINGS", settings)
        for x in (2.0, -1.0):
            made, expected = compiled(x), scaled(x)
            assert np.array_equal(made[0], expected[0])
            assert made[1:] == expected[1:] and type(made[1]) is Settings


def test_global_arrays_of_a_function_are_asked_for_together(monkeypatch):
    starts = []
    attempt = specialize._attempt
    monkeypatch.setattr(specialize, "_attempt", lambda *args: starts.append(1) or attempt(*args))
    x = np.array([1.0, 2.0, 3.0])
    assert np.array_equal(pyxla.compile(layers)(x), layers(x))
    assert len(starts) == 2


WORDS: dict[Any, Any] = {f"w{i}": i for i in range(5000)}
WORDS |= {3: (1, 2.0), (1, "a"): 7.5, None: 4, "array": np.arange(3.0), "list": [1, 2.5, "x"]}


def looked_up(x):
    if "absent" in WORDS and "w1" not in WORDS:
        return x
    WORDS["array"][0] += x
    return WORDS["w7"] + x, WORDS.get("absent"), WORDS.get("w8", 3), WORDS.get("none", x)


def looked_up_in_a_function(x):
    return [word(k) for k in ("w3", 3, (1, "a"), "list")], "absent" in WORDS, WORDS["array"]


def word(k):
    return WORDS[k]


def looked_up_in_a_module(x):
    module = sys.modules[__name__]
    WORDS["array"][0] += x
    return "absent" in sys.modules, module.WORDS["w7"] + x, module.WORDS.get("w8", 3)


def absent(x):
    try:
        return WORDS["absent"]
    except KeyError as error:
        return error.args


SQUARES = {i: i * i for i in range(100)}


def every_way(x):
    SQUARES[5] += x
    return len(SQUARES), SQUARES[5], SQUARES.get(x), x in SQUARES, SQUARES[int(x) + 1]


LOOKS = [looked_up, looked_up_in_a_function, looked_up_in_a_module, absent]


@pytest.mark.parametrize("function", LOOKS)
def test_of_a_large_dict_what_is_looked_up_is_captured(function, monkeypatch):
    compiled = pyxla.compile(function)
    for changed in ({}, {"w7": 70}, {"absent": 1}, {"w8": [2]}, {"array": np.ones(2)}):
        for key, value in changed.items():
            monkeypatch.setitem(WORDS, key, value)
        saved = WORDS["array"].copy()
        found = compiled(2)
        WORDS["array"][:] = saved
        assert repr(found) == repr(function(2))
    assert len(compiled.lower(2).at("typed").function.params) < 9


GRAPH = {i: [(i * 7 + 1) % 200, (i * 3 + 2) % 200] for i in range(200)}


def reached(start):
    seen = {start}
    queue = [start]
    for u in queue:
        for v in GRAPH[u]:
            if v not in seen:
                seen.add(v)
                queue.append(v)
    return len(seen), GRAPH[queue[-1]]


def test_lists_in_a_large_dict_are_captured_together():
    """Each begins inference anew, where it is one by one."""
    compiled = pyxla.compile(reached)
    for start in (3, 4):
        assert compiled(start) == reached(start)
    told = str(pyxla.explain(compiled))
    assert "GRAPH is passed as a further argument" in told and "item 3 of a dict" in told


def test_other_questions_capture_it_whole(monkeypatch):
    compiled = pyxla.compile(every_way)
    for other in (SQUARES, {i: -i for i in range(70)}):
        monkeypatch.setitem(globals(), "SQUARES", dict(other))
        found = compiled(3)
        monkeypatch.setitem(globals(), "SQUARES", dict(other))
        assert found == every_way(3)


def _plain():
    class Thing:
        __match_args__ = ("v",)

        def __init__(self, v):
            self.v = v

        def __len__(self):
            return 2

        def __getitem__(self, i):
            return self.v + i

        def __lt__(self, other):
            return self.v < other.v

    return Thing


def _matched(thing, cls):
    match thing:
        case cls(a):
            return a
    return 0


# What asks a class for a member, by what it is given later.
ASKED = {
    "__reversed__": (lambda cls, x: list(reversed(cls(x[0]))), lambda self: iter([7.0])),
    "__copy__": (lambda cls, x: copy.copy(cls(x[0])).v, lambda self: type(self)(5.0)),
    "__ne__": (lambda cls, x: cls(x[0]) != cls(x[0]), lambda self, other: False),
    "__lt__": (lambda cls, x: sorted([cls(x[0]), cls(x[1])])[0].v, lambda a, b: a.v > b.v),
    "__getattr__": (lambda cls, x: hasattr(cls(x[0]), "other"), lambda self, name: 1),
    "__call__": (lambda cls, x: callable(cls(x[0])), lambda self: 1),
    "__match_args__": (lambda cls, x: _matched(cls(x[0]), cls), ("w",)),
}


@pytest.mark.parametrize("name", ASKED)
def test_members_that_classes_get_later_are_noticed(name):
    cls, (use, member) = _plain(), ASKED[name]
    x = np.array([1.0, 2.0])
    compiled = pyxla.compile(lambda x: use(cls, x))
    before = use(cls, x)
    assert compiled(x) == before
    setattr(cls, name, member)
    assert use(cls, x) != before
    assert compiled(x) == use(cls, x)


def test_index_that_a_named_tuple_gets_later():
    cls = namedtuple("cls", "a b")
    compiled = pyxla.compile(lambda x: cls(x[0], x[1])[0])
    x = np.array([1.0, 2.0])
    assert compiled(x) == 1.0
    cls.__getitem__ = lambda self, i: 9.0
    assert compiled(x) == 9.0


def test_iteration_that_a_class_gets_later():
    class Thing:
        pass

    compiled = pyxla.compile(lambda x: np.iterable(Thing()))
    assert compiled(np.ones(1)) is False
    Thing.__iter__ = lambda self: iter([])
    assert compiled(np.ones(1)) is True


COUNTER = itertools.count(1)


def numbered(x):
    return next(COUNTER) + x


@pytest.mark.parametrize(
    ("program", "argument"),
    [
        (lambda it: next(it), iter([1, 2])),
        (lambda it: sum(it), iter([1, 2])),
        (lambda it: [v for v in it], (v for v in (1, 2))),
        (lambda it: list(zip(it, it)), iter([1, 2])),
        (lambda it: dict(it), map(tuple, [[1, 2]])),
        (numbered, 1),
    ],
)
def test_iterators_from_outside_are_not_read(program, argument):
    """They would be read once, while compiling, and every call would have the same items."""
    with pytest.raises(pyxla.CompileError, match="made outside of the program"):
        pyxla.compile(program)(argument)
    if argument != 1:
        assert next(argument)
    assert pyxla.compile(lambda it: it is None)(argument) is False
