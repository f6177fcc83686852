"""Structured arrays: arguments, locals and results; fields, elements and record arrays."""

from __future__ import annotations

import numpy as np

from tests.programs import program

PARTICLE = np.dtype([("x", float), ("v", np.float32), ("hits", np.int64), ("alive", bool)])


def particles(n=6):
    a = np.zeros(n, PARTICLE)
    a["x"] = np.linspace(-1.0, 2.0, n)
    a["v"] = np.arange(n)[::-1]
    a["hits"] = np.arange(n) % 3
    a["alive"] = a["hits"] != 1
    return a


def _particles():
    return (particles(),)


@program("records", _particles, lambda: (particles(6)[::2],))
def moved(a):
    a["x"] += a["v"] * 0.5
    a["alive"] &= a["x"] < 2.0
    a["hits"][a["alive"]] += 1
    return a["x"].mean(), a["hits"].sum(), a.shape, len(a), a.dtype.names


@program("records", _particles)
def bounced(a):
    total = 0.0
    for i in range(len(a)):
        if a[i]["x"] < 0.0:
            a[i]["x"] = -a[i]["x"]
            a[i]["hits"] += 1
        total += a[i]["x"]
    return total, a[0], a[-1]["v"]


@program("records", _particles)
def rows(a):
    found = []
    for r in a:
        if r["alive"]:
            found.append((r["x"], r["hits"]))
    first = a[0]
    first["hits"] = 40
    a[1] = (9.0, 1.5, 7, True)
    a[2] = a[3]
    return found, a[1:3], first, a.tolist()


@program("records", _particles, lambda: (particles(9),))
def chosen(a):
    alive = a[a["alive"]]
    order = np.argsort(a["v"])
    alive["x"] = 0.0
    return alive, a[order]["hits"], a[[0, 2]], a.copy()


@program("records", lambda: (5,), lambda: (0,))
def made(n):
    out = np.zeros(n, dtype=[("k", np.int64), ("square", float)])
    for i in range(n):
        out["k"][i] = i
        out[i]["square"] = i * i
    points = np.array([(1, 2.5), (3, 4.5)], dtype=[("a", int), ("b", "f4")])
    return out, points, points["b"].sum()


@program("records", lambda: (particles().view(np.recarray),))
def attributes(a):
    a.x[a.hits == 2] = 5.0
    a.v *= 2
    a.alive = False
    a[0].hits = 17
    return a.x.sum(), a[1].hits, a["v"], a


@program("records", _particles)
def compared(a):
    kept = a[::2].copy()
    kept["hits"][0] = 9
    return a == a, kept == a[::2], a[0] == a[0], isinstance(a, np.ndarray), a[0] == kept[0]


@program("records exception", _particles)
def no_such_field(a):
    return a["y"]


@program("records exception", _particles)
def truth(a):
    return 1 if a else 2


@program("records exception checks", lambda: (particles(), 9), lambda: (particles(), -2))
def out_of_range(a, k):
    return a[k]["x"], a[k]


@program("records", _particles, lambda: (particles().view(np.recarray),))
def several_fields(a):
    part = a[["x", "v"]]
    part["x"][0] = 9.0
    part[1] = 7.0, 8.0
    a[["hits"]] = 5
    return part, part.dtype.names, len(part), a[["v", "x"]][::-1], a[["alive"]]["alive"].sum()


@program("records exception", _particles)
def no_such_fields(a):
    a["x"] = 3
    return a[["x", "y"]]


@program("records", _particles, lambda: (particles(0),), lambda: (particles(1),))
def in_order(a):
    by = np.sort(a, order="hits")
    by["x"] += 1
    order, ranks = np.argsort(a, order=["alive", "v"]), a.argsort(order="x")
    a.sort(order=("hits", "v"))
    return by, order, ranks, np.sort(a, 0, kind="stable"), a["x"]


@program("records", _particles, lambda: (particles(0),))
def put_together(a):
    out = np.empty_like(a)
    for i in range(len(a)):
        out[i] = a[len(a) - 1 - i]
    more = np.concatenate((a, np.ones(2, a.dtype), a[a["alive"]]))
    return out, np.zeros_like(a), np.ones_like(a), np.copy(a), more, a.dtype == more.dtype


@program("records exception", _particles)
def no_such_order(a):
    return np.sort(a, order="y")


BODY = np.dtype([("place", float, 3), ("speed", float, (3,)), ("label", int)])
BLOCK = np.dtype([("a", float, (2, 2)), ("b", np.float32, 2)])


def bodies(n):
    made = np.zeros(n, BODY)
    made["place"], made["label"] = np.cos(np.arange(3 * n)).reshape(n, 3), np.arange(n)[::-1]
    return made


@program("records of arrays", lambda: (5,), lambda: (0,))
def fields_that_are_arrays(n):
    made = np.zeros(n, dtype=[("place", float, 3), ("speed", float, 3), ("label", int)])
    made["label"] = np.arange(n)
    made["place"][:, 0] = made["label"] * 0.5
    made["speed"][..., 1] = 1
    for _ in range(3):
        made["place"] += 0.1 * made["speed"]
    grid = np.zeros((n, 2), BLOCK)
    grid["b"][..., 1] = 2
    about = made.shape, made.size, made.ndim, len(made), grid.shape, grid["a"].shape
    return made, made[made["label"] % 2 == 0]["label"], about, grid, grid[1:, 0]


@program("records of arrays", lambda: (bodies(4),), lambda: (bodies(6)[::2],))
def bodies_that_move(p):
    for body in p:
        body["place"] += body["speed"]
        body["speed"][1] = body["label"]
        body["place"][0] *= 2
    p[0] = ([1, 2, 3], 4.0, 7)
    kept = p[p["label"] > 0]
    kept["place"] = 0
    p["speed"][0, 2] = 5
    p[-1:] = 3
    joined = np.concatenate([p, kept])
    return p["place"].mean(0), kept, p[["label", "speed"]], p[-1]["place"], joined, p.copy()


@program("records of arrays", lambda: (bodies(4),), lambda: (bodies(4).view(np.recarray),))
def too_many_indices(p):
    try:
        return p[0, 1]
    except IndexError as error:
        return str(error)


@program("records", lambda: (2.0,))
def element_written_while_read(x):
    made = np.zeros(3, dtype=[("a", float), ("b", int), ("c", float)])
    found = []
    for v in made[0]:
        made["b"][0] += 5
        made[0]["c"] = x
        found.append(v)
    rest = iter(made[0])
    next(rest)
    made["b"][0] = 1
    found.append(list(rest))
    for v, w in zip(made[1], made[2]):
        made["c"][1:] = 3 * x
        found.append(v + w)
    a, b, c = made[0]
    return found, tuple(made[1]), a, b, c
