"""Reading and writing through shadows: arrays that are one of several others (`heap.Shadow`)."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.heap import Heap, Known, Shadow
from pyxla.abstract.joined import joined_array_type
from pyxla.abstract.lattice import Array, Const, Ref, Scalar
from pyxla.ir.build import current
from pyxla.ir.core import Value
from pyxla.lib.masks import resized
from pyxla.lib.operands import BOOL, INT
from pyxla.ops.elementwise import add, and_, compare, convert, or_, select
from pyxla.ops.index import dynamic_slice
from pyxla.ops.shape import constant, reshape
from pyxla.views import views


def number(n: int) -> Value:
    return constant(value=np.asarray(n), weak=True)


def same_ref(x: Ref, y: Any) -> bool:
    return isinstance(y, Ref) and x.cell == y.cell and (x.view is y.view or x.view == y.view)


def one_of(value: Value, count: int) -> Scalar:
    """`value` as the position of one of `count` things."""
    return Scalar(value, extent.IntFact(0, count - 1))


def position(tag: Scalar) -> Scalar:
    """A tag that is a bool as the int that it is."""
    return one_of(convert(tag.value, dtype=INT, weak=True), 2)


def chosen(selector: Scalar, values: Sequence[Value]) -> Value:
    """`values[selector]`."""
    *others, value = values
    for i, other in enumerate(others):
        if other is not value:
            value = select(compare(selector.value, number(i), direction="EQ"), other, value)
    return value


# More numbers than these are read from an array.
FEW = 8


def looked_up(selector: Scalar, numbers: Sequence[int]) -> Value:
    """`numbers[selector]`, an int."""
    if len(numbers) <= FEW:
        return chosen(selector, [number(n) for n in numbers])
    at = convert(selector.value, dtype=INT)
    found = dynamic_slice(constant(value=np.asarray(numbers, INT)), at, slice_sizes=(1,))
    return convert(reshape(found, shape=()), dtype=INT, weak=True)


def renumbered(selector: Scalar, places: Sequence[int], count: int) -> Scalar:
    """`places[selector]`, a position among `count` things."""
    if list(places) == list(range(len(places))):
        return selector
    return one_of(looked_up(selector, places), count)


def flag_of(selector: Scalar, hits: Sequence[bool]) -> Const | Scalar:
    """`hits[selector]`, a bool."""
    if all(hits) or not any(hits):
        return Const(hits[0])
    misses = [i for i, hit in enumerate(hits) if not hit]
    if len(misses) == 1:
        found = compare(selector.value, number(misses[0]), direction="NE")
    else:
        places = [number(i) for i, hit in enumerate(hits) if hit]
        tests = [compare(selector.value, place, direction="EQ") for place in places]
        found = functools.reduce(or_, tests)
    return Scalar(convert(found, dtype=BOOL, weak=True))


def through(ref: Ref, view: views.View) -> Ref:
    """`view` of what `ref` shows."""
    steps = ref.view
    for step in view:
        steps = views.extend(steps, step)
    return Ref(ref.cell, steps)


def alternatives(heap: Heap, ref: Ref) -> tuple[Scalar | None, list[Ref]]:
    """The arrays with contents of their own that `ref` may show, and which of them it does (None
    where there is one)."""
    shadow = heap.contents.get(ref.cell)
    if not isinstance(shadow, Shadow):
        return None, [ref]
    selector, leaves = _leaves(heap, shadow)
    return selector, [through(leaf, ref.view) for leaf in leaves]


def _leaves(heap: Heap, shadow: Shadow) -> tuple[Scalar, list[Ref]]:
    """What a shadow may be, and which of it it is."""
    pairs = [alternatives(heap, target) for target in shadow.refs]
    found = [leaf for _, leaves in pairs for leaf in leaves]
    if len(found) == len(shadow.refs):
        return shadow.tag, found
    picks, count = [], 0
    for inner, leaves in pairs:
        start = number(count)
        picks.append(start if inner is None else add(inner.value, start))
        count += len(leaves)
    return one_of(chosen(shadow.tag, picks), count), found


def selected(selector: Scalar, arrays: Sequence[Array]) -> Array:
    """`arrays[selector]`; they have one type, or differ in bounded extents."""
    type = joined_array_type(list(arrays))
    value = chosen(selector, [resized(a.value, type.shape) for a in arrays])
    if all(a.extents is None for a in arrays):
        return Array(value)
    sizes = [_size(selector, arrays, d) for d in range(type.ndim)]
    return Array(value, tuple(sizes))


def _size(selector: Scalar, arrays: Sequence[Array], axis: int) -> Scalar | None:
    given = [a.extents[axis] if a.extents else None for a in arrays]
    if all(size is None for size in given):
        return None
    bounds = [a.shape[axis] for a in arrays]
    values = [number(n) if size is None else size.value for n, size in zip(bounds, given)]
    return Scalar(chosen(selector, values), extent.IntFact(0, max(bounds)))


def same_object(heap: Heap, x: Ref, y: Ref) -> Any:
    """Whether two references are to one object, as a bool."""
    (first, xs), (second, ys) = alternatives(heap, x), alternatives(heap, y)
    pairs = [(i, j) for i, a in enumerate(xs) for j, b in enumerate(ys) if same_ref(a, b)]
    if not pairs or (first is None and second is None):
        return Const(bool(pairs))
    hits = [
        [
            compare(selector.value, number(place), direction="EQ")
            for selector, place in zip((first, second), pair, strict=True)
            if selector is not None
        ]
        for pair in pairs
    ]
    both = [functools.reduce(and_, hit) for hit in hits]
    return Scalar(convert(functools.reduce(or_, both), dtype=BOOL, weak=True))


def resolve(heap: Heap, content: Any) -> Any:
    """The array that a shadow stands for."""
    if not isinstance(content, Shadow):
        return content
    code, contents = current().instrs, tuple(_behind(heap, content))
    for known in content.known:
        if known.holds(contents, code):
            return known.array
    start = len(code)
    selector, leaves = _leaves(heap, content)
    bases: list[Any] = [heap.contents[r.cell] for r in leaves]
    shown = [views.apply(r.view, base) for r, base in zip(leaves, bases, strict=True)]
    array = selected(selector, shown)
    if len(code) > start:
        lasting = [known for known in content.known if known.code is None]
        content.known[:] = [*lasting, Known(array, contents, code, len(code), code[-1])]
    return array


def shown(heap: Heap, x: Ref) -> Any:
    """The content that a reference shows."""
    return views.apply(x.view, resolve(heap, heap.contents[x.cell]))


def _behind(heap: Heap, shadow: Shadow) -> Iterator[Any]:
    """The contents that decide what a shadow holds, those of shadows behind it too."""
    for ref in shadow.refs:
        content = heap.contents[ref.cell]
        yield content
        if isinstance(content, Shadow):
            yield from _behind(heap, content)


def redirected(heap: Heap, shadow: Shadow, new: Array) -> Iterator[tuple[int, Array]]:
    """A write to a shadow as writes to the cells that it may be, one after the other."""
    selector, leaves = _leaves(heap, shadow)
    for i, leaf in enumerate(leaves):
        base: Any = heap.contents[leaf.cell]
        old = views.apply(leaf.view, base)
        hit = compare(selector.value, number(i), direction="EQ")
        value = select(hit, resized(new.value, old.shape), old.value)
        yield leaf.cell, views.update(leaf.view, base, Array(value, _sizes(hit, new, old)))


def _sizes(hit: Value, new: Array, old: Array) -> tuple[Scalar | None, ...] | None:
    """The extents of `old`, or where `hit` those of `new`: a column of a list gets longer."""
    if new.extents is None or new.extents == old.extents:
        return old.extents
    given = old.extents or (None,) * old.ndim
    pairs = zip(new.extents, given, old.shape, strict=True)
    return tuple([b if a is None else _either(hit, a, b, bound) for a, b, bound in pairs])


def _either(hit: Value, new: Scalar, old: Scalar | None, bound: int) -> Scalar:
    before = number(bound) if old is None else old.value
    return Scalar(select(hit, new.value, before), extent.IntFact(0, bound))
