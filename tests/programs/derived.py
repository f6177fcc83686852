"""Classes that derive from dict and its like, and classes that define `__setattr__`."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from typing import Any

import numpy as np

from tests.programs import program


class Result(dict):
    """Items that are attributes, as those of `scipy.optimize.OptimizeResult`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError as e:
            raise AttributeError(name) from e

    __setattr__ = dict.__setitem__  # type: ignore[assignment]
    __delattr__ = dict.__delitem__  # type: ignore[assignment]


@program("classes", lambda: (np.arange(3.0),))
def items_as_attributes(x):
    r = Result(x=x.sum(), n=3)
    r.message = "ok"
    r["fun"] = x * 2
    try:
        r.missing  # noqa: B018
    except AttributeError as e:
        found = str(e)
    return r.x + r.n, r.message, r["fun"], "x" in r, len(r), sorted(r), r, found


@program("classes", lambda: (Result(a=1.0, b=np.ones(2)),))
def changes_items_of_the_caller(r):
    r.c = r.a + 2
    r.b += 1
    return r.b.sum()


class Counted(dict):
    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.reads = 0
        self.data = "none of the class"

    def __getitem__(self, key: str) -> Any:
        self.reads += 1
        return super().__getitem__(key)

    def __missing__(self, key: str) -> str:
        return key + "?"


@program("classes", lambda: (2.0,))
def counts_reads(v):
    c = Counted(a=v, b=2)
    total = c["a"] + c["b"]
    return total, c["q"], c.reads, c.get("z", 3), dict(c), isinstance(c, dict), type(c).__name__, c


class Doubling(dict):
    def __missing__(self, key: str) -> str:
        self[key] = found = key * 2
        return found

    def best(self) -> Any:
        return max(self.values())


@program("classes", lambda: (2.5,))
def fills_what_is_missing(v):
    d = Doubling()
    return d["ab"], d, d == {"ab": "abab"}, d | {"v": v}, Doubling(x=v, y=1.5).best()


@program("classes", lambda: (np.array([3, 1, 3, 2]),), lambda: (np.zeros(0, int),))
def keys_that_data_decides(x):
    counts = Doubling()
    for v in x:
        counts[v] = counts.get(v, 0) + 1
    return counts


@program("classes", lambda: (4,), lambda: (0,))
def many_of_a_class(n):
    made = []
    for i in range(n):
        made.append(Doubling(k=i * 2.0))
    return made


class Bag(Counter):
    def double(self) -> int:
        return 2 * sum(self.values())


class Recent(OrderedDict):
    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def put(self, key: str, x: Any) -> None:
        if key in self:
            self.move_to_end(key)
        self[key] = x
        if len(self) > self.most:
            self.popitem(last=False)


class Strict(defaultdict):
    def __missing__(self, key: Any) -> Any:
        raise KeyError("no")


@program("classes", lambda: (2,))
def of_collections(v):
    bag = Bag("abca")
    bag["a"] += v
    recent = Recent(2)
    for key in "abcab":
        recent.put(key, v)
    try:
        Strict(list)["a"].append(v)
    except KeyError as e:
        said = str(e)
    return bag.double(), bag.most_common(1), bag, list(recent.items()), recent, said


class Logged:
    def __init__(self) -> None:
        object.__setattr__(self, "log", 0)
        self.x = 1.0

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, "log", self.log + 1)
        super().__setattr__(name, value)


@program("classes", lambda: (2.5,))
def counts_assignments(v):
    logged = Logged()
    logged.x = v
    logged.y = 2 * v
    return logged.log, logged.x, logged.y


class Read(dict):
    reads = 0

    def __getitem__(self, key: str) -> Any:
        self.reads = self.reads + 1
        return dict.__getitem__(self, key)

    def keys(self) -> Any:
        return ["none of these"]


@program("classes", lambda: (2.5,))
def copied_as_dicts_are(v):
    """What makes a dict of one reads its items, and not what its class has of methods."""
    d = Read(a=v, b=2)
    plain, spread, again, filled = dict(d), {**d}, Read(d), {}
    filled.update(d)
    values = [d[key] for key in d]
    return plain, spread, again.reads, filled, values, d.reads, d == plain, d != plain, d != 3


@program("classes", lambda: ("abca",))
def counters_and_dicts_are_compared(text):
    counts = Counter(text)
    given = {"a": 2, "b": 1, "c": 1}
    return counts == given, counts != given, counts != Counter(text), OrderedDict(a=1) != given
