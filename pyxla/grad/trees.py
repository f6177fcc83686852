"""Abstract values taken apart: trees of leaves that belong to no heap.

    tree ::= Leaf value | Node content tree*

`flatten` reads an abstract value off the heap, `rebuild` makes one anew, all of its objects fresh,
with other leaves if need be: copies of arguments, tangents and gradients in the form of what they
belong to, results taken over from another graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.heap import DictCell, GrowingList, ListCell, ObjectCell, Pooled, RowList
from pyxla.abstract.lattice import (
    FUNCTIONS,
    Array,
    Compound,
    Conflict,
    Const,
    Ref,
    Scalar,
    Tuple,
    Variant,
    is_number,
    is_variant,
    number_type,
)
from pyxla.errors import CompileError
from pyxla.frozen import dataclass
from pyxla.infer.arrays import access as arrays
from pyxla.infer.engine import Engine
from pyxla.infer.lists import as_arrays, columnar, pool_rows, pools, reading, shared
from pyxla.infer.lists.item_types import Block, Item, Nested, Number, Row, Several
from pyxla.infer.lists.items import count, holds_instances
from pyxla.ir.core import Value
from pyxla.ir.types import PYTHON_TYPES, ArrayType
from pyxla.lib.operands import cast, literal, weak
from pyxla.ops.check import INEXACT
from pyxla.ops.filled import zeros
from pyxla.views.shadows import resolve


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """A number, an array by value, or a constant of any kind.

    cell: an array object rather than a NumPy scalar.  jax: of JAX, so that it does not mutate.
    origin: the cell that it was.  structural: it says what there is, and has no derivative: keys
    and lengths that data decides, what a class registered with JAX takes for structure.
    """

    value: Any
    cell: bool = False
    jax: bool = False
    origin: int = -1
    structural: bool = False

    @property
    def type(self) -> ArrayType | None:
        """The type of a number or an array; None of other constants, and of what is structure."""
        return number_type(self.value) if is_number(self.value) and not self.structural else None

    @property
    def inexact(self) -> bool:
        return self.type is not None and self.type.dtype in INEXACT

    @property
    def extents(self) -> tuple[Any, ...]:
        """The true size of each dimension, where that is not the shape's."""
        return getattr(self.value, "extents", None) or (None,) * len(self.type.shape)


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A container; `content` says of what kind it is, `cell` whether it is an object."""

    content: Any
    items: tuple[Tree, ...]
    cell: bool = False
    origin: int = -1


Tree = Leaf | Node

# Lists of one list twice, nested, are so many places soon; each has a gradient of its own.
MOST_PLACES = 10_000


def flatten(engine: Engine, x: Any, apart: bool = False) -> Tree:
    """An abstract value as a tree; what is one object is one node of it, or with `apart` many."""
    return flatten_all(engine, (x,), apart)[0]


def flatten_all(
    engine: Engine, xs: Iterable[Any], apart: bool = False, jax: bool = True
) -> list[Tree]:
    """As `flatten`, objects that several of `xs` lead to being one; `jax`: JAX's arrays stay so."""
    walk = _Flatten(engine, apart, jax)
    return [walk.visit(x) for x in xs]


class _Flatten:
    def __init__(self, engine: Engine, apart: bool, jax: bool) -> None:
        self.engine = engine
        self.apart = apart
        self.jax = jax
        self.seen: dict[Any, Tree | None] = {}
        self.met: set[Any] = set()
        self.again = 0
        self.structural = False

    def visit(self, x: Any) -> Tree:
        x = self.engine.use(x)
        if isinstance(x, Const) and type(x.value) is tuple:
            x = Tuple(tuple([Const(item) for item in x.value]))
        if isinstance(x, Ref):
            return self.reference(x)
        if isinstance(x, (Compound, Tuple, Variant)) and not _is_function(x):
            return Node(x, self.visited(x.parts, _structural(x)))
        return Leaf(x, structural=self.structural)

    def visited(self, parts: Sequence[Any], structural: Iterable[bool]) -> tuple[Tree, ...]:
        outer, items = self.structural, []
        for part, its in zip(parts, structural, strict=True):
            self.structural = outer or its
            items.append(self.visit(part))
        self.structural = outer
        return tuple(items)

    def reference(self, x: Ref) -> Tree:
        key = (x.cell, x.view)
        if key not in self.seen:
            self.seen[key] = None
            self.seen[key] = self.content(x)
        if (found := self.seen[key]) is None:
            raise self.engine.refuse("an object that contains itself cannot be transformed")
        if self.apart:
            del self.seen[key]
            self.count(key)
        return found

    def count(self, key: Any) -> None:
        """Refuse objects that are in more places than anybody wants gradients of."""
        self.again += key in self.met
        self.met.add(key)
        if self.again > MOST_PLACES:
            raise self.engine.refuse(
                f"what is differentiated holds the same objects in more than {MOST_PLACES:,} "
                "places, each of which would have a gradient of its own",
                "pass each object once, and put the structure together in the function",
            )

    def content(self, x: Ref) -> Tree:
        engine = self.engine
        held: Any = resolve(engine.heap, engine.heap.contents[x.cell])
        if isinstance(held, Conflict) and not held.notes:  # what is no argument stays where it is
            return Leaf(x, structural=True)
        content: Any = engine.use(held)
        if isinstance(content, Array):
            jax = self.jax and engine.is_jax(x)
            return Leaf(arrays.read(engine, x), True, jax, x.cell, self.structural)
        if (listed := columnar.found(engine.heap, x)) is not None:
            if as_arrays.numbers(engine, listed) and columnar.length_of(engine.heap, listed):
                content = engine.content(x)  # each number has a derivative of its own
            elif _is_shared(content):
                content = engine.content(reading.copied(engine, listed))
        if type(content) is Pooled:
            content = pool_rows.shown(engine, content)
        if isinstance(content, ObjectCell):
            return Node(content, self.fields(content), True, x.cell)
        return Node(content, self.visited(content.parts, _structural(content)), True, x.cell)

    def fields(self, content: ObjectCell) -> tuple[Tree, ...]:
        structural = self.engine.jax.structural(content.cls, tuple(content.fields))
        structural |= set(getattr(content.cls, "__pyxla_structural__", ()))
        flags = [name in structural for name in content.fields]
        return self.visited(tuple(content.fields.values()), flags)


def _is_shared(content: Any) -> bool:
    """Whether a list is a row of a pool: in a tree it is a list by itself."""
    return type(content) is RowList and content.cls is not None


def is_pooled(content: Any) -> bool:
    """Whether a list, or an instance, is a row of a pool; its copies are, too."""
    return type(content) is Pooled or _is_shared(content)


def _structural(content: Any) -> list[bool]:
    """Of each part, whether it is a number that says what there is: what a text or a range is made
    of, which of several values there is, how long rows of lists are."""
    width = len(content.parts)
    if isinstance(content, GrowingList):
        return list(_describing(content.item))
    if isinstance(content, (Variant, RowList)):
        return [*[False] * (width - 1), True]
    return [isinstance(content, Compound) and content.kind != "pytree"] * width


def _describing(item: Item | None) -> Iterator[bool]:
    """The same of each column of an item of a list (`infer.lists.item_types`)."""
    if isinstance(item, Number):  # the second column says which kind of number it is
        yield from (False, True, False)[: count(item)]
    elif isinstance(item, Block):
        yield from (False, *[True] * len(item.axes))
    elif isinstance(item, Nested):
        yield True
        yield from _describing(item.item)
    elif isinstance(item, Several) or (isinstance(item, Row) and _holds(item.cls)):
        yield from [True] * isinstance(item, Several)
        for inner in item.items:
            yield from _describing(inner)
    else:
        yield from [True] * count(item)


def _holds(cls: Any) -> bool:
    """Whether this is a class of tuples or lists, not of ranges, texts or long ints."""
    return isinstance(cls, type) and issubclass(cls, tuple | list)


def _is_function(x: Any) -> bool:
    return isinstance(x, Compound) and x.kind in FUNCTIONS


def walk(*trees: Tree) -> Iterator[Tree]:
    """These trees and all inside them, each once: an object may be in many places."""
    seen: set[int] = set()

    def visit(tree: Tree) -> Iterator[Tree]:
        if id(tree) in seen:
            return
        seen.add(id(tree))
        yield tree
        if isinstance(tree, Node):
            for item in tree.items:
                yield from visit(item)

    for tree in trees:
        yield from visit(tree)


def leaves(*trees: Tree) -> Iterator[Leaf]:
    """The leaves in order, each once."""
    return (tree for tree in walk(*trees) if isinstance(tree, Leaf))


def children(node: Node) -> tuple[type, tuple[Any, ...]]:
    """The kind of a container, and the keys of its items."""
    content = node.content
    if isinstance(content, Tuple):
        return tuple, tuple(range(len(node.items)))
    if isinstance(content, DictCell):
        return dict, tuple(content.items)
    if isinstance(content, ObjectCell):
        return content.cls, tuple(content.fields)
    return list if isinstance(content, ListCell) else type(content), tuple(range(len(node.items)))


def may_be_none(*trees: Tree) -> bool:
    """Whether values that may be None are among these."""
    nodes = (tree for tree in walk(*trees) if isinstance(tree, Node))
    return any(is_variant(node.content, "optional") for node in nodes)


def are_pooled(*trees: Tree) -> bool:
    """Whether lists of instances that are rows of a pool are among these: a tree has numbers of
    rows."""
    return any(
        isinstance(tree.content, GrowingList) and holds_instances(tree.content.item)
        for tree in walk(*trees)
        if isinstance(tree, Node)
    )


Copies = dict[int, list[int]]


def rebuild(
    engine: Engine, tree: Tree, leaf: Callable[[Leaf], Any], copies: Copies | None = None
) -> Any:
    """An abstract value of this form whose leaves are `leaf` of the tree's, by value.

    `copies` learns the new cells, by the cells that they stand for.
    """

    def place(tree: Leaf) -> Any:
        value = leaf(tree)
        if not tree.cell:
            return value
        ref = placed(engine, value, tree.jax)
        if copies is not None:
            infos = engine.heap.infos
            infos[ref.cell].strides = infos[tree.origin].strides
            copies.setdefault(tree.origin, []).append(ref.cell)
        return ref

    return graft(engine, tree, place, copies)


def graft(
    engine: Engine, tree: Tree, leaf: Callable[[Leaf], Any], copies: Copies | None = None
) -> Any:
    """An abstract value of this form with `leaf` of its leaves in their places."""
    made: dict[int, Any] = {}

    def visit(tree: Tree) -> Any:
        if id(tree) not in made:
            made[id(tree)] = leaf(tree) if isinstance(tree, Leaf) else node(tree)
        return made[id(tree)]

    def node(tree: Node) -> Any:
        content = tree.content.rebuild([visit(item) for item in tree.items])
        if not tree.cell:
            return content
        ref = engine.new(content)
        if copies is not None:
            copies.setdefault(tree.origin, []).append(ref.cell)
            held = engine.heap.contents.get(tree.origin)
            if type(held) is Pooled:
                pools.enter(engine, ref, held.pool)
            elif type(held) is RowList and held.cls is not None:
                shared.enter(engine, ref, held.cls)
        return ref

    return visit(tree)


def placed(engine: Engine, value: Any, jax: bool = False) -> Ref:
    """A new array object."""
    if not jax:
        return engine.new(value)
    ref = Ref(
        engine.heap.new(value, engine.loc, read_only="a jax.Array cannot be changed in place")
    )
    engine.jax_cells.add(ref.cell)
    return ref


# --- leaves -----------------------------------------------------------------------------------


def values_of(leaf: Leaf) -> list[Value]:
    """What a leaf is known by at run time: its value, its true extents, which kind it is of."""
    x = leaf.value
    if not isinstance(x, Scalar | Array):
        return []
    kinds = getattr(x, "kinds", None)
    others = [*(getattr(x, "extents", None) or ())]
    others += [kinds.tag, kinds.exact] if kinds else []
    return [x.value, *[s.value for s in others if isinstance(s, Scalar)]]


def moved(leaf: Leaf, now: Callable[[Value], Value]) -> Any:
    """The abstract value of a leaf whose values are `now` others."""

    def scalar(x: Any) -> Any:
        return Scalar(now(x.value), x.fact) if isinstance(x, Scalar) else x

    x = leaf.value
    if not isinstance(x, Scalar | Array):
        return x
    kinds = getattr(x, "kinds", None)
    more = []
    if kinds:
        more = [type(kinds)(kinds.choices, scalar(kinds.tag), (), scalar(kinds.exact))]
    if isinstance(x, Array):
        extents = x.extents and tuple([scalar(e) for e in x.extents])
        return Array(now(x.value), extents, *more)
    return x if now(x.value) is x.value else Scalar(now(x.value), None, None, *more)


def value_of(leaf: Leaf) -> Value:
    """A number or an array as a value."""
    x = leaf.value
    if isinstance(x, Const):
        type = number_type(x)
        return literal(x.value, type.dtype, type.weak)
    return x.value


def like(leaf: Leaf, value: Value) -> Any:
    """`value` as an abstract value of the kind of `leaf`, a number or an array."""
    x = leaf.value
    type = number_type(x)
    if type.weak:
        return weak(value, PYTHON_TYPES[type.dtype])
    if value.type.shape != type.shape:
        raise CompileError(f"an array of type {type} is needed here, not {value.type}")
    return Array(cast(value, type.dtype), getattr(x, "extents", None))


def zero(leaf: Leaf) -> Any:
    """Zeros of the kind of `leaf`; constants that are no numbers stay."""
    type = leaf.type
    if type is None:
        return leaf.value
    if type.weak:
        return Const(PYTHON_TYPES[type.dtype](0))
    if not leaf.cell:
        return Const(np.zeros((), type.dtype)[()])
    return Array(zeros(type), getattr(leaf.value, "extents", None))
