"""Containers of the caller's that a path which raises leaves with other contents in structure."""

import numpy as np

from tests.programs import program


def table(*x):
    return {"x": np.array(x), "log": [1.0]}


@program("raise mutation", lambda: (table(1.0, 2.0),), lambda: (table(-1.0, -2.0),))
def new_column(df):
    if df["x"].sum() < 0:
        raise ValueError("negative")
    df["z"] = df["x"] * 2
    return df["z"]


@program("raise mutation", lambda: ({"x": np.arange(3)},), lambda: ({"x": np.array([1, 1])},))
def new_column_of_counts(df):
    df["counts"] = np.bincount(df["x"])
    return len(df)


@program(
    "raise mutation",
    lambda: ([1.0, 2.0], np.array([1.0, -1.0])),
    lambda: ([1.0, 2.0], np.array([-1.0, -1.0])),
)
def appended_after_a_check(items, x):
    if x[0] < 0:
        raise ValueError
    items.append(x[1])
    return x


class Scaler:
    def __init__(self):
        self.mean = None
        self.seen = []
        self.buffer = np.zeros(0)

    def fit(self, x):
        if np.isnan(x).any():
            raise ValueError(f"{int(np.isnan(x).sum())} are NaN")
        self.mean, self.scale_ = x.mean(0), x.std(0)
        self.seen.append(float(x.sum()))
        self.buffer = np.append(self.buffer, x[0])
        if (self.scale_ == 0).any():
            raise ZeroDivisionError("constant")
        self.n_ = len(x)
        return self


@program(
    "raise mutation",
    lambda: (Scaler(), np.arange(6.0).reshape(3, 2)),
    lambda: (Scaler(), np.ones((2, 2))),
    lambda: (Scaler(), np.array([[np.nan, 1.0]])),
)
def fitted_attributes(scaler, x):
    scaler.fit(x)
    return (x - scaler.mean) / scaler.scale_


@program(
    "raise mutation",
    lambda: (table(1.0), np.array([1.0, 2.0])),
    lambda: (table(1.0), np.array([-1.0, -2.0])),
    lambda: (table(1.0), np.array([11.0, -2.0])),
    lambda: (table(1.0), np.array([1.0, 11.0])),
)
def logged_until_refused(d, x):
    for v in x:
        if v > 10:
            raise OverflowError(v)
        d["log"].append(v)
    if x[0] < 0:
        d["negative"] = x
        raise ValueError("negative")
    d["out"], d["me"] = d["log"], [d["x"]]
    return d["out"]


@program(
    "raise mutation",
    lambda: ([np.arange(3.0)], np.array([3.0])),
    lambda: ([np.arange(3.0)], np.array([-3.0])),
)
def cleared_or_filled(items, x):
    first = items[0]
    first *= 2
    if x[0] < 0:
        items.clear()
        raise ValueError
    items.append(first[1:])
    items.append(x)
    return first, items


@program(
    "raise checks mutation",
    lambda: ({"x": np.arange(3.0)}, np.array([1])),
    lambda: ({"x": np.arange(3.0)}, np.array([0])),
    lambda: ({"x": np.arange(3.0)}, np.array([7])),
)
def keys_until_it_raises(d, k):
    d["y"] = d["x"][k[0]]
    assert d["y"] > 0, "no"
    d["z"] = d["y"] + 1
    return d


@program("aliasing", lambda: (np.arange(5.0), 3), lambda: (np.arange(1.0, 6.0), 3))
def array_that_is_a_shadow_where_a_path_raises(x, n):
    if np.all(x > 0):
        return x
    x = x * 2
    if n % 7 > n % 5 or x[0] == 0:
        view = x[::2]
        x += 1
        view += 1
        if sum(sorted([v for v in view if v > 1], key=lambda v: -v)) < 0:
            raise ValueError("unlucky")
    return x
