"""Lists of many instances, made from the rows of arrays, whose fields are of several types."""

from __future__ import annotations

import numpy as np

from tests.programs import program

ROWS = np.arange(1500.0).reshape(500, 3)
WAVES = np.sin(ROWS)


def rows():
    return (ROWS.copy(),)


def rows_and_waves():
    return ROWS.copy(), WAVES.copy()


class Particle:
    def __init__(self, x):
        self.x = x
        self.best = None
        self.cost = 1e9
        self.v = 0


@program("instances in a known number", rows)
def with_numbers(v):
    swarm = [Particle(row[0]) for row in v]
    for k in range(20):
        for p in swarm:
            cost = p.x - k
            if cost < p.cost:
                p.cost, p.best = cost, p.x
            p.x = p.x * 0.99
    return sum(p.best for p in swarm)


@program("instances in a known number, an array or None", rows)
def with_arrays(v):
    swarm = []
    for i in range(len(v)):
        swarm.append(Particle(v[i]))
    for k in range(20):
        for p in swarm:
            cost = np.sum(p.x) - k
            if cost < p.cost:
                p.cost, p.best = cost, p.x.copy()
            p.x = p.x * 0.99
    return sum(p.best[0] for p in swarm), swarm[3].best


@program("instances in a known number, a list or an array", rows)
def with_lists_that_become_arrays(v):
    swarm = []
    for i in range(len(v)):
        swarm.append(Particle([v[i, 0], v[i, 1]]))
    for k in range(20):
        for p in swarm:
            cost = sum(p.x) - k
            if cost < p.cost:
                p.cost, p.best = cost, p.x[:]
            p.x = np.array(p.x) * 0.99
    return sum(p.best[0] for p in swarm)


@program("instances in a known number, a number or an array", rows_and_waves)
def with_numbers_that_become_arrays(v, w):
    swarm = [Particle(row) for row in v]
    for _ in range(4):
        for i, p in enumerate(swarm):
            if w[i, 0] > 0:
                p.v = p.v * 0.5 + w[i]
                p.x = p.x + p.v
    return swarm[3].x, swarm[499].v, swarm[498].v, [type(p.v).__name__ for p in swarm[:5]]


@program("instances in a known number, returned", rows_and_waves)
def given_back(v, w):
    swarm = [Particle(row) for row in v]
    for i, p in enumerate(swarm):
        if w[i, 0] > 0:
            p.best = p.x * 2
    return [(p.x, p.best) for p in swarm[:6]]


@program("items that are an array or None", rows_and_waves)
def rows_or_none(v, w):
    out = []
    for i in range(len(v)):
        out.append((i, v[i]) if w[i, 0] > 0 else (i, None))
    total = 0.0
    for i, row in out:
        if row is not None:
            total += i * row.sum()
    return total, out[-2:]


@program("instances of a field that is a list or an array", lambda: (ROWS[:4].copy(),))
def fields_of_two_kinds(v):
    swarm = [Particle([1.0, 2.0, 3.0]) for _ in range(3)]
    for p in swarm:
        for row in v:
            if row[0] > p.x[0]:
                p.x = row + 1
    return [list(p.x) for p in swarm], [type(p.x).__name__ for p in swarm]


@program("an instance of a field that is a tuple or a list", lambda: (ROWS[:4].copy(),))
def field_of_two_kinds(v):
    p = Particle((0.0, 0.0, 0.0))
    for row in v:
        if row[0] > 3:
            p.x = list(row)
        p.best = p.x
    return p.x[1], p.best


@program("centres that are lists, then arrays", lambda: (ROWS[:4].copy(), 5))
def centres(v, n):
    centre = {0: [0.0, 0.0, 0.0], 1: [5.0, 5.0, 5.0]}
    for _ in range(n):
        groups = {0: [], 1: []}
        for row in v:
            distances = [np.linalg.norm(row - centre[c]) for c in centre]
            groups[distances.index(min(distances))].append(row)
        for i in groups:
            if groups[i]:
                centre[i] = np.average(groups[i], axis=0)
    return centre
