"""Arguments that are lists of many instances: no loop over them is visited item by item."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.programs import program


@dataclass
class Ball:
    x: float
    y: float
    vx: float
    vy: float
    alive: bool = True


def balls(count=120):
    r = random.Random(1)
    return [Ball(r.random(), r.random(), r.gauss(0, 1), r.gauss(0, 1)) for _ in range(count)]


@program("instances, written in loops of data", lambda: (balls(), 9, 0.05))
def bounced(balls, steps, dt):
    hits = 0
    for _ in range(steps):
        for b in balls:
            if not b.alive:
                continue
            b.x += b.vx * dt
            b.y += b.vy * dt
            if b.x < 0 or b.x > 1:
                b.vx = -b.vx
                hits += 1
            if b.y < 0 or b.y > 1:
                b.vy = -b.vy
                hits += 1
            if abs(b.vx) + abs(b.vy) > 2.5:
                b.alive = False
    return hits, sum(b.alive for b in balls)


@dataclass
class Unit:
    hp: int
    attack: int
    team: int
    place: tuple
    target: int | None = None


def units(count=70):
    r = random.Random(2)
    return [
        Unit(r.randrange(20, 60), r.randrange(5, 15), i % 2, (r.randrange(15), r.randrange(15)))
        for i in range(count)
    ]


@program("instances that look for each other", lambda: (units(), 8), lambda: (units(68)[::2], 3))
def battle(units, rounds):
    for _ in range(rounds):
        for u in units:
            if u.hp <= 0:
                continue
            best, near = None, 10**9
            for j, v in enumerate(units):
                if v.team != u.team and v.hp > 0:
                    d = abs(u.place[0] - v.place[0]) + abs(u.place[1] - v.place[1])
                    if d < near:
                        near, best = d, j
            if best is None:
                return "over"
            u.target = best
            if near <= 2:
                units[best].hp -= u.attack
            else:
                (x, y), (to_x, to_y) = u.place, units[best].place
                if x != to_x:
                    u.place = (x + (1 if to_x > x else -1), y)
                else:
                    u.place = (x, y + (1 if to_y > y else -1))
    return [sum(u.hp > 0 for u in units if u.team == k) for k in (0, 1)]
