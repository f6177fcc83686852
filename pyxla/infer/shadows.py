"""Reading and writing through shadows: arrays that live on under other names (`heap.Shadow`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.infer import extent
from pyxla.infer.heap import Heap, Shadow
from pyxla.infer.lattice import Array, Scalar
from pyxla.ir.core import Value
from pyxla.ops.elementwise import compare, select
from pyxla.ops.shape import constant


def flattened(heap: Heap, shadow: Shadow) -> Shadow:
    """A shadow of shadows of the same cells as a shadow of those."""
    while True:
        inner = [heap.contents[cell] for cell in shadow.cells]
        if not all(isinstance(i, Shadow) and i.cells == inner[0].cells for i in inner):
            return shadow
        selector = chosen(shadow.selector, [i.selector.value for i in inner])
        fact = extent.IntFact(0, len(inner[0].cells) - 1)
        shadow = Shadow(Scalar(selector, fact), inner[0].cells)


def redirected(heap: Heap, shadow: Shadow, new: Array) -> list[tuple[int, Array]]:
    """A write to a shadowed array as writes to the cells that it may be."""
    shadow = flattened(heap, shadow)
    out = []
    for i, cell in enumerate(shadow.cells):
        old = resolve(heap, heap.contents[cell])
        index = constant(value=np.asarray(i), weak=True)
        hit = compare(shadow.selector.value, index, direction="EQ")
        out.append((cell, Array(select(hit, new.value, old.value))))
    return out


def chosen(selector: Scalar, values: list[Value]) -> Value:
    """`values[selector]`."""
    *others, value = values
    for i, other in enumerate(others):
        index = constant(value=np.asarray(i), weak=True)
        value = select(compare(selector.value, index, direction="EQ"), other, value)
    return value


def resolve(heap: Heap, content: Any) -> Any:
    """The array that a shadow stands for."""
    if not isinstance(content, Shadow):
        return content
    content = flattened(heap, content)
    arrays = [resolve(heap, heap.contents[cell]).value for cell in content.cells]
    return Array(chosen(content.selector, arrays))
