"""How array arguments lie in memory: what a function that mutates must know besides their types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Memory:
    """How NumPy leaves lie in memory.

    read_only: leaves that cannot be written.  groups: sets of leaves that may share memory, each as
    (leaf, byte offset from the group's lowest address, layout) in leaf order, the layout being
    (shape, strides, dtype); leaves alone in theirs are left out.  Members of equal offset and
    layout are the same array.  strides: (leaf, strides in bytes) of arrays not in C order, whose
    reshapes NumPy copies.
    """

    read_only: tuple[int, ...] = ()
    groups: tuple[tuple[tuple[int, int, Any], ...], ...] = ()
    strides: tuple[tuple[int, tuple[int, ...]], ...] = ()

    @property
    def repeated(self) -> bool:
        """Whether two leaves are the same array."""
        return any(len({place[1:] for place in group}) < len(group) for group in self.groups)


def memory(leaves: Sequence[Any]) -> Memory:
    """The second half of the key of a function that mutates."""
    arrays = [(i, x) for i, x in enumerate(leaves) if isinstance(x, np.ndarray)]
    read_only = _read_only(arrays)
    strides = _strides(arrays)
    if len(arrays) < 2 or (
        len(arrays) == 2 and not np.may_share_memory(arrays[0][1], arrays[1][1])
    ):
        return Memory(read_only, (), strides) if read_only or strides else _PLAIN
    return Memory(read_only, _groups(arrays), strides)


_PLAIN = Memory()


def order(leaves: Sequence[Any]) -> Memory:
    """The same of a function that asks how arrays lie, or whether they may be written."""
    arrays = [(i, x) for i, x in enumerate(leaves) if isinstance(x, np.ndarray)]
    return Memory(_read_only(arrays), strides=_strides(arrays))


def _read_only(arrays: Sequence[tuple[int, np.ndarray]]) -> tuple[int, ...]:
    return tuple([i for i, x in arrays if not x.flags.writeable])


def _strides(arrays: Sequence[tuple[int, np.ndarray]]) -> tuple[tuple[int, tuple[int, ...]], ...]:
    return tuple([(i, x.strides) for i, x in arrays if not x.flags.c_contiguous])


def _groups(arrays: list[tuple[int, np.ndarray]]) -> tuple[Any, ...]:
    """Leaves whose address ranges overlap, found by a sweep over addresses."""
    spans = [(*np.lib.array_utils.byte_bounds(x), i, x) for i, x in arrays if x.size]
    spans.sort(key=lambda span: span[:3])
    groups: list[list[Any]] = []
    end = -1
    for low, high, i, x in spans:
        if low >= end:
            groups.append([])
        groups[-1].append((low, i, x))
        end = max(end, high)
    return tuple(sorted(_placed(group) for group in groups if len(group) > 1 and _overlap(group)))


def _overlap(group: list[Any]) -> bool:
    """Whether members really share an element; interleaved views (`x[::2]`, `x[1::2]`) do not."""
    return any(
        np.shares_memory(x, y) for k, (_, _, x) in enumerate(group) for _, _, y in group[k + 1 :]
    )


def _placed(group: list[Any]) -> tuple[Any, ...]:
    base = group[0][0]
    members = [
        (i, x.__array_interface__["data"][0] - base, (x.shape, x.strides, x.dtype.str))
        for _, i, x in group
    ]
    return tuple(sorted(members, key=lambda member: member[0]))
