"""What a reverse rule may return for an operand, besides a cotangent or None for zero."""

from __future__ import annotations

from collections.abc import Callable

from pyxla.frozen import dataclass
from pyxla.ir.core import Value


@dataclass(frozen=True, slots=True)
class Sum:
    """`value` summed over `dimensions`, permuted, then in the operand's shape."""

    value: Value
    dimensions: tuple[int, ...]
    permutation: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Into:
    """`add` takes the operand's cotangent so far and gives it with the contribution added.

    So that a contribution to a part of an array costs no more than that part.
    """

    add: Callable[[Value], Value]


Contribution = Value | Sum | Into | None
