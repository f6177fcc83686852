"""The digits of floats against CPython's own formatting."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Iterator

import pytest

from pyxla.lib import decimals

EDGES = (
    *(0.0, 0.5, 1.5, 2.5, 9.5, 99.5, 999999.5, 0.1 + 0.2, 1e15, 1e16, 1e22, 1e23, 0.0001, 0.00001),
    *(9007199254740993.0, 123456789012345680.0, 2.2250738585072014e-308, 1.7976931348623157e308),
    *(9.315392566934777e269, 2.0**-44, 2.0**60, math.inf, math.nan),
)


def floats(seed: int, count: int) -> Iterator[float]:
    """Floats that are not negative, of all magnitudes, with those that are rounded either way."""
    rng = random.Random(seed)
    for _ in range(count):
        (any_,) = struct.unpack("d", struct.pack("Q", rng.getrandbits(63)))
        halves = rng.randrange(10**6) / 2.0 ** rng.randrange(12)
        yield rng.choice(
            [any_, rng.random() * 10 ** rng.randrange(8), halves, 2.0 ** rng.randrange(-99, 99)]
        )


def text(made: tuple[object, int]) -> str:
    codes, size = made
    return bytes(codes[:size]).decode()  # type: ignore[index]


@pytest.mark.parametrize("seed", range(4))
def test_as_cpython_formats(seed: int) -> None:
    rng = random.Random(seed)
    for x in (*EDGES, *floats(seed, 300)):
        if 0 < x < 2.3e-308:  # XLA takes these for 0
            continue
        places = rng.randrange(12)
        comma = ord(",")
        pairs = {
            f"{x:.{places}f}": decimals.fixed(x, places, False, 0, comma),
            f"{x:,.{places}F}": decimals.fixed(x, places, True, 3, comma),
            f"{x:.{places}e}": decimals.scientific(x, places, False),
            f"{x:.{places}G}": decimals.general(x, max(places, 1), True, False),
            f"{x:.{places}}": decimals.general(x, max(places, 1), False, True),
            f"{x}": decimals.plain(x),
        }
        for expected, made in pairs.items():
            assert text(made) == expected, (x, places)


@pytest.mark.parametrize("x", [1.0, -1.0, 0.0, -0.0, math.inf, -math.inf, math.nan, -math.nan])
def test_signs(x: float) -> None:
    assert decimals.is_negative(x) == f"{x}".startswith("-")
