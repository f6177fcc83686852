"""Outside objects: what is known once and for all, and what one start of inference asks for."""

from typing import NamedTuple

import numpy as np

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
