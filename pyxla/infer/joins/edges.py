"""Edges: paths that arrive where paths meet, or leave a block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyxla.abstract.facts.refine import narrowed
from pyxla.abstract.heap import Heap
from pyxla.abstract.lattice import Ref, Variant
from pyxla.errors import Location
from pyxla.frozen import dataclass
from pyxla.ir.core import Block, Value

Env = dict[Value, Any]


@dataclass(slots=True, eq=False)
class Edge:
    """A path into a block: `block` is open (no terminator yet); `assumed`, what branches proved."""

    block: Block
    heap: Heap
    env: Env
    args: tuple[Any, ...] = ()
    loc: Location | None = None
    assumed: tuple[Any, ...] = ()

    def told(self, x: Variant) -> Any:
        """What `x` is on this path, as far as branches say which of its items."""
        return narrowed(x, self.assumed)


# So much of what branches proved is looked through where paths have met: the last of it.
MOST_PROVED = 16


def proved(edges: Sequence[Edge]) -> tuple[tuple[Any, ...], list[Any]]:
    """What branches proved on all of these paths, and what they told of the first one alone."""
    common = set.intersection(*[set(map(id, edge.assumed)) for edge in edges])
    facts = edges[0].assumed
    told = [fact[1] for fact in facts if fact[0] == "AMONG" and id(fact) not in common]
    return tuple([fact for fact in facts if id(fact) in common][-MOST_PROVED:]), told


def was(x: Variant, column: Sequence[Any], edges: Sequence[Edge]) -> bool:
    """Whether a value that is `column` on these paths is `x`, of which branches told an item."""
    if not all([v is x or v is edge.told(x) for v, edge in zip(column, edges, strict=True)]):
        return False
    cells = [item.cell for item in x.items if isinstance(item, Ref)]
    return all([cell in edge.heap.contents for cell in cells for edge in edges])
