"""Lists on the host, from the columns that their items are laid out in (`infer.lists.items`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.frontend.support import put_together, text_of
from pyxla.ir.types import tuple_maker


def items_of_columns(
    size: int | None, columns: Sequence[Any], item: Any, pool: Callable[[int], list[Any]]
) -> list[Any]:
    """The items of a list from their columns."""
    length = columns[0].shape[0] if size is None else size
    rest = iter([column[:length] for column in columns])

    def items(item: Any) -> list[Any]:
        if isinstance(item, list):
            return item * length
        if isinstance(item, tuple):
            cls, inner = item
            make = tuple_maker(cls)
            rows = zip(*[items(i) for i in inner], strict=True) if inner else [()] * length
            return [make(row) for row in rows]
        if isinstance(item, dict) and "pieces" in item:
            rows = zip(*[items(i) for i in item["of"]], strict=True)
            return [put_together(item["pieces"], row) for row in rows]
        column = next(rest)
        if isinstance(item, dict) and "kinds" in item:
            return _of_kinds(column, next(rest), next(rest) if item["exact"] else column, item)
        if isinstance(item, dict) and "picks" in item:
            return [item["picks"][k] for k in column.tolist()]
        if isinstance(item, dict) and "text" in item:
            if not item["text"]:
                return list(map(text_of, column))
            sizes, rows = column.tolist(), next(rest)
            return [text_of(row[:n]) for n, row in zip(sizes, rows, strict=True)]
        if isinstance(item, dict) and "pool" in item:
            instances = pool(item["pool"])
            return [instances[i] if i < len(instances) else None for i in column.tolist()]
        if isinstance(item, dict) and "pools" in item:
            several = [pool(number) for number in item["pools"]]
            places = zip(column.tolist(), next(rest).tolist(), strict=True)
            return [several[k][i] if i < len(several[k]) else None for k, i in places]
        if isinstance(item, dict) and "array" in item:
            return _arrays(column, item["array"], [next(rest) for _ in item["array"]])
        if isinstance(item, dict) and "several" in item:
            held = [items(one) for one in item["several"]]
            return [held[k][i] for i, k in enumerate(column.tolist())]
        if isinstance(item, dict):
            inner_ = [next(rest) for _ in range(item["columns"])]
            if item["list"] is None:
                return [item["cls"]() for _ in range(length)]
            sizes = column.tolist()
            parts = [[c[i] for c in inner_] for i in range(length)]
            return [
                item["cls"](items_of_columns(n, r, item["list"], pool))
                for n, r in zip(sizes, parts, strict=True)
            ]
        return np.asarray(column).tolist() if item == "python" else list(column)

    return items(item)


def _arrays(column: Any, axes: Sequence[int], sizes: Sequence[Any]) -> list[np.ndarray]:
    """Arrays, of which those of `axes` have `sizes`."""
    made = []
    for i, x in enumerate(column):
        keys = [slice(None)] * x.ndim
        for axis, own in zip(axes, sizes, strict=True):
            keys[axis] = slice(int(own[i]))
        made.append(x[tuple(keys)].copy())
    return made


def _of_kinds(column: Any, which: Any, exact: Any, item: dict[str, Any]) -> list[Any]:
    """Numbers of several kinds; ints of 64 bits among floats are in `exact`."""
    kinds = [item["kinds"][k] for k in which.tolist()]
    return list(map(of_kind, kinds, column.tolist(), exact.tolist()))


def of_kind(kind: Any, wide: Any, exact: Any) -> Any:
    """A number that is held in a wider type, and where that is a float and it an int in another, as
    what it is."""
    if kind in (int, np.int64):
        wide = exact
    if isinstance(wide, complex) and not issubclass(kind, complex | np.complexfloating):
        wide = wide.real
    return kind(wide)
