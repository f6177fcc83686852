"""What branches teach is kept once, however often bools are made of bools."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import pyxla
from pyxla.infer import walking


def numbers_of_digits(digits: list[int], n: int) -> int:
    @cache
    def count(i: int, limit: bool) -> int:
        if i >= len(text):
            return 1
        up = int(text[i]) if limit else 9
        found = 0
        for j in range(up + 1):
            if j == 0 and limit:
                found += count(i + 1, limit and j == up)
            elif j in allowed:
                found += count(i + 1, limit and j == up)
        return found

    text = str(n)
    allowed = set(digits)
    return count(0, True)


def test_bools_of_bools(monkeypatch: pytest.MonkeyPatch) -> None:
    most = 0
    refined = walking.refined

    def counted(env: Any, learned: tuple[Any, ...], assumed: tuple[Any, ...]) -> Any:
        nonlocal most
        most = max(most, len(learned))
        return refined(env, learned, assumed)

    monkeypatch.setattr(walking, "refined", counted)
    assert pyxla.compile(numbers_of_digits)([1, 3], 100) == numbers_of_digits([1, 3], 100)
    assert most < 200
