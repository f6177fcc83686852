"""Sizes of arrays that are made: known while compiling, or with a proven bound.

An int that only depends on number arguments and shapes is asked for (`NeedsStatic`): it becomes
part of the specialization.  One that depends on data, such as `len(np.unique(x))` or `mask.sum()`,
or on the counter of a loop, makes an array of bounded extent: of a bound that is proven, or else of
`Options.list_capacity`, which the program checks and grows as that of a list.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.constants import known_elements
from pyxla.abstract.facts.deciding import Data, asked_for, parameters
from pyxla.abstract.facts.integers import Int, known, larger
from pyxla.abstract.facts.ranges import interval
from pyxla.abstract.lattice import Array, NeedsStatic, Scalar
from pyxla.ir.build import current
from pyxla.ir.op import OpError
from pyxla.ir.types import I64
from pyxla.lib.keys import as_index
from pyxla.lib.masks import listed
from pyxla.lib.meetings import meet
from pyxla.lib.operands import Shape
from pyxla.views.views import Extents

# More elements than this are not set aside for an array whose size is not known.
MOST = 2**28
SIZE = "the size of an array"


Wrong = Callable[[Any], tuple[Any, ...]]


def negative(n: Any) -> tuple[Any, ...]:
    """What NumPy raises for an extent below 0."""
    return ValueError, "negative dimensions are not allowed"


def as_size(n: Any, wrong: Wrong | None = negative) -> Int:
    """An extent: an int, or a Scalar with a proven upper bound that arguments do not decide, which
    the program checks not to be below 0, `wrong`; None: it is 0 there."""
    if isinstance(n, Array) and not n.shape and n.dtype.kind in "iu":
        n = as_index(n)
    if not isinstance(n, Scalar):
        size = operator.index(n)
        if size < 0 and wrong is not None:
            kind, *parts = wrong(size)
            words = "".join(map(str, parts))
            raise OpError(words, kind, words)
        return max(size, 0)
    found = bounded_int(n)
    if isinstance(found, int):
        return as_size(found, wrong)
    if asked_for(n.value):
        raise NeedsStatic(n, SIZE)
    if extent.upper(found) is None:
        found = _with_room(found)
    shown = larger(found, 0)
    if shown is not found and wrong is not None:
        meet(found, shown, *wrong(found))
    return shown


def _with_room(n: Scalar) -> Scalar:
    """`n` with a bound that the program checks, unless number arguments alone decide it."""
    asked = parameters(n.value) or parameters(n.value, paths=True)
    by_numbers = asked and not any(x.type.shape or isinstance(x, Data) for x in asked)
    found = None if by_numbers else current().room(n)
    if found is None:
        raise NeedsStatic(n, SIZE)
    return found


def bounded_int(n: Scalar) -> Int:
    """`n` with what the instructions that compute it prove."""
    if n.dtype != I64.dtype:
        raise NeedsStatic(n)
    if (found := known_elements(n.value, written=True)) is not None:
        return int(found)
    fact = interval(n.value)
    return known(n, fact.lo, fact.hi)


def as_sizes(shape: Any, wrong: Wrong | None = negative) -> tuple[Shape, Extents]:
    """A shape given as an int or a sequence of ints: what is stored, and what of it is bounded."""
    shape = listed(shape)
    if isinstance(shape, Array) and shape.ndim == 1:
        raise OpError("a shape must be known while compiling, not an array")
    sizes, needed = list[Int](), list[NeedsStatic]()
    for n in shape if isinstance(shape, Sequence) else (shape,):
        try:
            sizes.append(as_size(n, wrong))
        except NeedsStatic as need:
            needed.append(need)
    if needed:
        needed[0].also = [need.scalar for need in needed[1:]]
        raise needed[0]
    dynamic = [n for n in sizes if isinstance(n, Scalar)]
    stored = tuple([n if isinstance(n, int) else extent.upper(n) or 0 for n in sizes])
    if not dynamic:
        return stored, None
    if math.prod(stored) > MOST:
        raise NeedsStatic(dynamic[0], SIZE)
    return stored, tuple([n if isinstance(n, Scalar) else None for n in sizes])
