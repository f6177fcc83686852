"""Bounded caches: eviction frees executables."""

from __future__ import annotations

import gc
import pathlib
import weakref

import numpy as np
import pytest

from pyxla.runtime.cache import Cache, Recency
from pyxla.runtime.executable import Executable
from pyxla.runtime.outcome import OutArray, Outcome
from tests.runtime.programs import fma

MAPS = pathlib.Path("/proc/self/maps")


def executable(n):
    return Executable(fma(n=n), Outcome((0, 1), OutArray(0)))


class Thing:
    pass


def test_least_recently_used_goes_first():
    recency = Recency(limit=2)
    one, two = Cache(recency), Cache(recency)
    one.put("a", 1)
    two.put("a", 2)
    assert one.get("a") == 1
    two.put("b", 3)
    assert (one.get("a"), two.get("a"), two.get("b")) == (1, None, 3)
    recency.shrink(1)
    assert (len(one), len(two), len(recency)) == (0, 1, 1)


def test_a_dropped_function_gives_its_places_back():
    recency = Recency()
    cache = Cache(recency)
    cache.put("a", thing := Thing())
    seen = weakref.ref(thing)
    del thing, cache
    assert len(recency) == 0 and seen() is None


def test_replacing_keeps_one_place():
    recency = Recency()
    cache = Cache(recency)
    cache.put("a", 1)
    cache.put("a", 2)
    assert len(recency) == 1 and cache.get("a") == 2
    cache.clear()
    assert len(recency) == 0 and list(cache.items()) == []


@pytest.mark.skipif(not MAPS.exists(), reason="needs Linux's /proc")
def test_eviction_frees_executables_at_once(young):
    def maps():
        return len(MAPS.read_text().splitlines())

    cache = Cache(Recency(limit=5))
    gc.disable()
    try:
        counts = []
        for n in range(1, 61):
            cache.put(n, executable(n))
            cache.get(n)([np.ones(n)] * 2)
            counts.append(maps())
    finally:
        gc.enable()
    assert counts[59] - counts[19] < 40
