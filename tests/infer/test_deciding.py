"""What conditions are computed from, where there are many of them."""

import numpy as np

import pyxla
from pyxla.abstract.facts import deciding
from pyxla.ir.core import Branch


def branches(x, n, m):
    for i in range(n):
        if n * m > 7 + i:
            x = x + np.sqrt(x)
        if n > m + 3:
            x = x * n
        if np.any(x > 2):
            x = x - m
    return x


def test_many_conditions_are_looked_at_at_once(monkeypatch):
    graph = pyxla.compile(branches).lower(np.ones(3), 4, 2).at("typed").function
    tests = [b.terminator.cond for b in graph.blocks if isinstance(b.terminator, Branch)]
    alone = [test for test in tests if deciding.by_arguments(test)]
    assert 0 < len(alone) < len(tests)
    asked, made_of = [], deciding.made_of
    monkeypatch.setattr(deciding, "made_of", lambda x: asked.append(x) or made_of(x))
    assert deciding.those_by_arguments(tests) == alone
    assert len(asked) <= 2 * len(set(asked))
