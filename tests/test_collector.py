"""The collector is paused by some thread or by none, and left as it was."""

from __future__ import annotations

import gc

import pytest

import pyxla
from pyxla.collector import paused

FROZEN = gc.get_freeze_count


@pytest.fixture(autouse=True)
def _enabled(young):
    yield
    gc.freeze()


def test_pauses_overlap():
    first, second = paused(), paused()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_it_resumes_after_an_exception():
    with pytest.raises(KeyError), paused():
        raise KeyError
    assert gc.isenabled()


def test_it_stays_off_for_those_who_switched_it_off():
    gc.disable()
    with paused(), paused():
        pass
    assert not gc.isenabled()


def test_refused_programs_leave_it_on():
    @pyxla.compile
    def refused(x):
        return x.no_such_attribute

    with pytest.raises(Exception, match="no_such_attribute"):
        refused(1.0)
    assert gc.isenabled()


def test_what_was_made_is_old_at_once(monkeypatch):
    monkeypatch.setattr("pyxla.collector.KEPT", 10**9)
    monkeypatch.setattr(gc, "get_freeze_count", FROZEN)
    gc.unfreeze()
    with paused():
        made = [[] for _ in range(5000)]
    young = {id(x) for i in (0, 1) for x in gc.get_objects(generation=i)}
    assert gc.get_freeze_count() == 0 and not any(id(x) in young for x in made)
    assert gc.get_count()[0] < 5000


def test_frozen_objects_stay_frozen(monkeypatch):
    monkeypatch.setattr(gc, "get_freeze_count", FROZEN)
    kept: list[list[int]] = [[]]
    gc.freeze()
    with paused():
        pass
    assert not any(x is kept for x in gc.get_objects())


def test_garbage_is_bounded(monkeypatch):
    monkeypatch.setattr("pyxla.collector.KEPT", 1000)

    class Circle:
        def __init__(self):
            self.self = self

    for _ in range(5):
        with paused():
            for _ in range(1500):
                Circle()
    assert sum(type(x) is Circle for x in gc.get_objects()) <= 1500
