"""Arrays in lists and dicts of unknown length that are written in place, and who else sees it."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from tests.programs import program

X = lambda: (np.arange(16.0), 7)
REFUSABLE = "rows refusable"


def filled(x, n):
    rows = []
    for k in range(n):
        rows.append(np.full(2, x[k]))
    return rows


@program("rows", X)
def sums_by_group(x, n):
    sums = {}
    for k in range(n):
        group = int(x[k]) % 3
        if group not in sums:
            sums[group] = np.zeros(2)
        sums[group] += np.array([x[k], 1])
    return sums


@program("rows", X)
def sums_by_default(x, n):
    sums = defaultdict(lambda: np.zeros(2))
    for k in range(n):
        sums[int(x[k]) % 3][k % 2] += x[k]
    return dict(sums)


@program("rows", X)
def momentum(x, n):
    weights, speeds = [], []
    for k in range(n):
        weights.append(np.full((2, 2), x[k]))
        speeds.append(np.zeros((2, 2)))
    for _ in range(4):
        for w, v in zip(weights, speeds):
            v *= 0.9
            v -= 0.1 * w
            w += v
    return weights, speeds


@dataclass
class Body:
    place: np.ndarray
    speed: np.ndarray


@program("rows instances", X)
def bodies(x, n):
    found = []
    for k in range(int(x[5])):
        found.append(Body(np.full(2, x[k]), np.zeros(2)))
    for _ in range(3):
        for i in range(len(found)):
            for j in range(i + 1, len(found)):
                away = found[j].place - found[i].place
                found[i].speed += away
                found[j].speed -= away
        for b in found:
            b.place += 0.1 * b.speed
    return found, [b.place for b in found]


@program("rows dicts", X)
def layers(x, n):
    made = []
    for k in range(int(x[3])):
        made.append({"w": np.eye(2) * x[k], "b": np.zeros(2)})
    for _ in range(3):
        for layer in made:
            layer["w"] -= 0.1
            layer["b"][0] += 1
        made[-1]["b"] *= 2
    return made


@program("rows", X)
def row_of_several_names(x, n):
    rows = filled(x, int(x[4]))
    a, b, same = rows[0], rows[1], rows[0]
    a += b
    b[0] = 3
    rows[0][1] = 9
    flat = rows[2].T
    flat[1] = -1
    return rows, a, b, same


@program("rows", X)
def row_written_by_a_function(x, n):
    def longer(v):
        v += 1
        return v

    rows = filled(x, n)
    for v in rows:
        longer(v)
    last = longer(rows[1])
    last[0] = 50
    return rows, last


@program("rows branches", X)
def rows_in_branches(x, n):
    rows = filled(x, int(x[6]))
    for k in range(6):
        i = int(x[k]) % 3
        if i == 1:
            continue
        row = rows[i]
        if i == 2:
            row[0] += 1
        else:
            row *= 2
        if rows[i][0] > 50:
            break
    try:
        rows[0][0] = 1
        if x[3] > 0:
            raise ValueError
        rows[0][1] = 2
    except ValueError:
        rows[1][1] = 5
    rows.sort(key=lambda v: -v[0])
    rows[0][0] = 1000
    return rows


@program(REFUSABLE, X)
def one_array_in_many_places(x, n):
    rows, zero = [], np.zeros(2)
    for k in range(n):
        rows.append(zero)
        rows[0][0] += x[k]
    return rows


@program(REFUSABLE, X)
def one_array_in_two_lists(x, n):
    rows, others = [], []
    for k in range(n):
        v = np.full(2, x[k])
        rows.append(v)
        others.append(v)
    rows[0][0] = 5
    return rows, others


@program(REFUSABLE, X)
def rows_of_a_part(x, n):
    rows = filled(x, n)
    part = rows[1:]
    part[0][0] = 7
    return rows, part


@program(REFUSABLE, X)
def rows_put_in_another_list(x, n):
    rows, others = filled(x, n), []
    for v in rows:
        others.append(v)
    for v in others:
        v += 1
    return rows, others


@program(REFUSABLE, X)
def row_taken_out(x, n):
    rows = filled(x, n)
    first, last = rows[0], rows[-1]
    rows.pop(0)
    rows.append(np.ones(2))
    first[0], last[0] = 7, 8
    rows[0][0] = 9
    return rows, first, last


@program(REFUSABLE, X)
def row_replaced_in_a_loop(x, n):
    rows = filled(x, n)
    row = rows[2]
    for k in range(n):
        rows[k] = rows[k] + 1
        row[0] += 1
    return rows, row


@program(REFUSABLE, X)
def row_of_the_last_iteration(x, n):
    rows, row = filled(x, n), None
    for k in range(n):
        if row is not None:
            row[0] = 9
        row = rows[k]
        rows[0] = row
    return rows


@program(REFUSABLE, lambda: (np.arange(5.0), [np.ones(2), np.zeros(2)]))
def array_of_the_caller_by_group(x, given):
    sums = {}
    for k in range(5):
        group = int(x[k]) % 2
        if group in sums:
            sums[group] += given[0]
        else:
            sums[group] = given[0]
    given.append(np.zeros(2))
    return sums


@program(REFUSABLE, X)
def parts_of_one_array(x, n):
    table, rows = np.zeros((4, 2)), []
    for k in range(int(x[4])):
        rows.append(table[k])
    rows[0][0] = 5
    table[1, 1] = 7
    return rows, table


@program(REFUSABLE, X)
def one_array_in_two_fields(x, n):
    found = []
    for k in range(int(x[5])):
        v = np.zeros(2)
        found.append(Body(v, v))
    found[0].place[0] = 3
    return found


@program(REFUSABLE, X)
def rows_of_items(x, n):
    rows = {}
    for k in range(n):
        rows[int(x[k])] = np.full(3, x[k])
    for k, v in rows.items():
        v[k % 3] = 7
    return rows
