"""Lists of many dicts and instances that are arguments: their items are rows of pools in loops."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from tests.programs import program

AGES = [(7 * i) % 53 + 18 for i in range(130)]


def records(n=80):
    return [{"name": f"n{i}", "age": a, "score": a % 11 * 1.5} for i, a in enumerate(AGES[:n])]


@dataclasses.dataclass
class Person:
    name: str
    age: int
    score: float
    tags: list[Any] = dataclasses.field(default_factory=list)


def people(n=80):
    return [Person(**record) for record in records(n)]


@program("dicts", lambda: (records(),))
def counted_by_decade(rows):
    counts = {}
    for row in rows:
        decade = row["age"] // 10
        counts[decade] = counts.get(decade, 0) + 1
    return counts


@program("dicts", lambda: (records(),))
def means_by_decade(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row["age"] // 10, []).append(row["score"])
    return {k: sum(v) / len(v) for k, v in sorted(groups.items())}


@program("dicts", lambda: (records(),))
def raised(rows):
    for row in rows:
        row["score"] *= 1.1
        if row["age"] > 50:
            row["age"] += 1
    return sum(row["score"] for row in rows)


@program("dicts", lambda: (records(20),))
def first_by_score(rows):
    """More than are chosen from one by one: they are put in order as rows of a pool."""
    return [row["name"] for row in sorted(rows, key=lambda row: -row["score"])[:5]]


@program("dicts", lambda: (records(130),))
def given_another_key(rows):
    """Dicts whose keys change are in no pool."""
    for row in rows:
        row["group"] = row["age"] // 10
    return sum(row["group"] for row in rows)


@program("instances", lambda: (people(),))
def tagged(persons):
    counts = {}
    for i, person in enumerate(persons):
        if person.age > 40:
            person.tags.append(i)
        counts[person.age % 7] = counts.get(person.age % 7, 0) + person.score
    return counts, sum(len(person.tags) for person in persons)


@program("instances", lambda: (people(), people(70)))
def side_by_side(persons, others):
    counts = {}
    for a, b in zip(persons, others, strict=False):
        if a.age + b.age > 80:
            counts[a.age] = counts.get(a.age, 0) + b.score
    return counts


@program("dicts", lambda: ([{"id": i, "w": 1.5} if i % 3 else {"id": i} for i in range(70)],))
def of_different_keys(rows):
    sums = {}
    for row in rows:
        sums[row["id"] % 5] = sums.get(row["id"] % 5, 0) + row.get("w", 0)
    return sums


class Square:
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side**2


class Box:
    def __init__(self, width, height):
        self.width, self.height = width, height

    def area(self):
        return self.width * self.height


def shapes(n=60):
    return [Box(a % 7 + 0.5, a % 5) if a % 3 else Square(a % 11 * 0.75) for a in AGES[:n]]


@program("instances", lambda: (shapes(),))
def several_classes_grouped(given):
    groups = {}
    for shape in given:
        groups.setdefault(int(shape.area()), []).append(type(shape).__name__)
    return {k: len(v) for k, v in sorted(groups.items())}


@program("instances", lambda: (shapes(20),))
def several_classes_in_order(given):
    return [shape.area() for shape in sorted(given, key=lambda shape: shape.area())[:5]]


def named(n=80):
    return [(f"n{i}", a, a % 11 * 1.5) for i, a in enumerate(AGES[:n])]


@program("tuples", lambda: (named(),))
def tuples_in_order(given):
    """Many tuples are put in order column by column."""
    ordered = sorted(given, key=lambda item: (item[2], -item[1]), reverse=True)
    for i, (name, age, score) in enumerate(ordered):
        if score < 7.5:
            return i, name, age, ordered[:3]
    return None


@program("dicts", lambda: (records(90),))
def given_two_keys(rows):
    """They enter the pool of such dicts where a loop reads them again."""
    for row in rows:
        row["decade"] = row["age"] // 10
        row["grade"] = "A" if row["score"] > 6 else "B"
    sums = {}
    for row in rows:
        sums[row["grade"]] = sums.get(row["grade"], 0) + row["decade"]
    return sums


@program("dicts", lambda: (records(90),))
def in_the_order_of_a_new_key(rows):
    for row in rows:
        row["past"] = row["score"] - row["age"]
    rows.sort(key=lambda row: row["past"])
    return rows


@program("dicts", lambda: (records(90),))
def copied_with_a_key(rows):
    longer = [{**row, "k": row["age"] % 7} for row in rows]
    total = 0.0
    for row in longer:
        total += row["score"] * row["k"]
    return total


@program("dicts", lambda: (records(90),))
def without_a_key(rows):
    for row in rows:
        row.pop("name")
    counts = {}
    for row in rows:
        counts[row["age"] % 5] = counts.get(row["age"] % 5, 0) + 1
    return counts, list(rows[0])


@program("dicts", lambda: ([{"w": np.ones(2) * a, "b": a % 2 == 0} for a in AGES],))
def arrays_written_on_paths(rows):
    """Dicts with arrays, which may be written, are in no pool for what a loop costs."""
    for row in rows:
        if row["b"]:
            row["w"] += 1
    return rows
