"""`jacfwd` and `jacrev`: derivatives by all basis vectors at once, or one after another in a loop.

The result has the form of the function's, each leaf replaced by a tree in the form of the
arguments, whose leaves have the shape (leaf of the result, leaf of the argument).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyxla.abstract.heap import GrowingList
from pyxla.abstract.lattice import Array, Tuple
from pyxla.frozen import dataclass
from pyxla.grad.activity import is_inexact
from pyxla.grad.batch import batch
from pyxla.grad.emitting import buffer, into, loop, number, store
from pyxla.grad.foreign import check_once
from pyxla.grad.forward import jvp
from pyxla.grad.nested import Nested, emit
from pyxla.grad.reverse import split_vjp
from pyxla.grad.transforms import (
    Argnums,
    Inputs,
    by_argnums,
    options_of,
)
from pyxla.grad.trees import Leaf, Node, Tree, flatten, graft, leaves, placed, walk
from pyxla.infer.engine import Engine
from pyxla.ir import rewrite
from pyxla.ir.core import Region, Value
from pyxla.ir.rewrite import inline, substitute_region
from pyxla.ir.types import I64, PYTHON_TYPES, ArrayType, array_type
from pyxla.lib.operands import cast, weak
from pyxla.lower.cost import nbytes
from pyxla.ops import batching
from pyxla.ops.elementwise import add, compare, convert
from pyxla.ops.filled import spread, zeros
from pyxla.ops.shape import iota, reshape, transpose

# Bytes of the largest array where all rows or columns are computed at once; else one by one.
AT_ONCE = 1 << 28
# Derivatives of one leaf of the result by one of the arguments, with the shapes of both in a row.
Blocks = dict[tuple[Leaf, Leaf], Value]


@dataclass(frozen=True, slots=True)
class Jacobian:
    """forward: a column at a time (`jacfwd`), else a row (`jacrev`)."""

    forward: bool
    argnums: Argnums = 0
    has_aux: bool = False
    holomorphic: bool = False

    @property
    def name(self) -> str:
        return "jacfwd" if self.forward else "jacrev"

    def __call__(self, engine: Engine, items: Any, args: Any, kwargs: Any) -> Any:
        (function,) = items
        given, wanted, single = by_argnums(engine, function, args, kwargs, self.argnums)
        nested, (tree, *_) = given.visit(function, self.has_aux)
        self.check(engine, given, tree)
        if not (single and isinstance(wanted[0], Leaf)):
            _check_lists(engine, tree)
        of = {leaf: nested.index(leaf) for leaf in leaves(tree) if leaf.inexact}
        outputs = {leaf: k for leaf, k in of.items() if k is not None}
        make = _columns if self.forward else _rows
        result, blocks = make(engine, given, nested, outputs)
        now = flatten(engine, result.items[0] if self.has_aux else result)
        old = dict(zip(leaves(now), leaves(tree), strict=True))

        def of_leaf(leaf: Leaf) -> Any:
            if leaf.structural:
                return placed(engine, leaf.value) if leaf.cell else leaf.value
            found = {x: blocks.get((old[leaf], x)) for x in given.params}
            parts = [_part(engine, tree, leaf, found) for tree in wanted]
            return parts[0] if single else Tuple(tuple(parts))

        jacobian = graft(engine, now, of_leaf)
        return Tuple((jacobian, result.items[1])) if self.has_aux else jacobian

    def check(self, engine: Engine, given: Inputs, tree: Tree) -> None:
        """Complex numbers need the promise that the function is holomorphic."""
        sides = list(given.params) if self.forward else [x for x in leaves(tree) if x.inexact]
        for leaf in sides:
            if (leaf.type.dtype.kind == "c") != self.holomorphic:
                what = "arguments" if self.forward else "results"
                kinds = ("real", "holomorphic=False"), ("complex", "holomorphic=True")
                kind, option = kinds[self.holomorphic]
                raise engine.refuse(
                    f"{self.name} with {option} takes functions with {kind} {what}",
                    "holomorphic=True promises that a complex function is holomorphic",
                    types=[str(leaf.type)],
                )


def _check_lists(engine: Engine, tree: Tree) -> None:
    """An item of a list in columns is a number or an array: the derivatives by one array."""
    nodes = (part for part in walk(tree) if isinstance(part, Node))
    if any(isinstance(node.content, GrowingList) for node in nodes):
        raise engine.refuse(
            "the derivatives of a list whose length is known at run time only are by one array",
            "return an array, np.array(items), or name one array or number by argnums",
        )


def _columns(
    engine: Engine, given: Inputs, nested: Nested, outputs: dict[Leaf, int]
) -> tuple[Any, Blocks]:
    values = given.values()
    result = emit(engine, nested, nested.region, values).result
    inexact = [k for k, value in enumerate(nested.region.results) if is_inexact(value)]
    places = [len(nested.region.results) + inexact.index(k) for k in outputs.values()]
    blocks: Blocks = {}
    for n, x in enumerate(given.params):
        region = jvp(nested.region, [n], options_of(engine))

        def column(index: Value, x: Leaf = x, region: Any = region) -> list[Value]:
            made = inline(region, [*values, _unit(x.type, index)], {})
            return [made[k] for k in places]

        rows = _each(x.type.size, column, [leaf.type for leaf in outputs])
        for leaf, stacked in zip(outputs, rows, strict=True):
            ndim = leaf.type.ndim
            made = transpose(stacked, permutation=(*range(1, ndim + 1), 0))
            blocks[leaf, x] = reshape(made, shape=(*leaf.type.shape, *x.type.shape))
    return result, blocks


def _rows(
    engine: Engine, given: Inputs, nested: Nested, outputs: dict[Leaf, int]
) -> tuple[Any, Blocks]:
    seeds = list(outputs.values())
    forward, reverse = split_vjp(nested.region, range(len(given.params)), seeds, options_of(engine))
    made = emit(engine, nested, forward, given.values())
    residuals = forward.results[len(nested.at) :]
    substitute_region(reverse, dict(zip(residuals, made.others, strict=True)))
    types = [leaf.type for leaf in given.params]
    blocks: Blocks = {}
    for leaf in outputs:

        def row(index: Value, leaf: Leaf = leaf) -> Sequence[Value]:
            cts = [_unit(x.type, index) if x is leaf else zeros(x.type) for x in outputs]
            return inline(reverse, cts, {})

        for x, stacked in zip(given.params, _each(leaf.type.size, row, types), strict=True):
            blocks[leaf, x] = reshape(stacked, shape=(*leaf.type.shape, *x.type.shape))
    return made.result, blocks


def _unit(type: ArrayType, index: Value) -> Value:
    """An array that is one at a position of its flat order, and zero elsewhere."""
    places = iota(dtype=I64.dtype, shape=(type.size,), dimension=0)
    here = compare(places, spread(index, (type.size,)), direction="EQ")
    flags = convert(here, dtype=type.dtype)
    return reshape(flags, shape=type.shape)


def _each(
    count: int, make: Callable[[Value], Sequence[Value]], types: Sequence[ArrayType]
) -> Sequence[Value]:
    """What `make` gives for 0, 1, ..., stacked."""
    strong = [array_type(type.dtype, type.shape) for type in types]
    if not count:
        return [buffer(type, 0) for type in strong]
    if count == 1:
        return [reshape(v, shape=(1, *v.type.shape)) for v in _strong(make(number(0)))]

    region = Region((Value(I64),))
    with into(region.instrs):
        region.results = tuple(_strong(make(*region.params)))
    check_once(region.instrs, "this derivative")
    if _fits(region, count):
        return _at_once(region, count)

    def body(index: Value, *buffers: Value) -> tuple[Value, ...]:
        made = zip(buffers, inline(region, (index,), {}), strict=True)
        return add(index, number(1)), *[store(b, index, value) for b, value in made]

    def more(index: Value, *_: Value) -> Value:
        return compare(index, number(count), direction="LT")

    return loop([number(0), *[buffer(type, count) for type in strong]], more, body)[1:]


def _fits(region: Region, count: int) -> bool:
    """Whether the code may run for all indices at once: its arrays together, and no prints."""
    code = rewrite.walk(region.instrs)
    sizes = [nbytes(value) for instr in code for value in instr.results]
    return max(sizes, default=0) * count <= AT_ONCE and not any(i.op.effect for i in code)


def _at_once(region: Region, count: int) -> list[Value]:
    indices = iota(dtype=I64.dtype, shape=(count,), dimension=0)
    made = inline(batch(region, [True], count), (indices,), {})
    pairs = zip(made, region.results, strict=True)
    return [x if x.type.ndim > one.type.ndim else batching.spread(x, count) for x, one in pairs]


def _strong(values: Sequence[Value]) -> list[Value]:
    return [cast(value, value.type.dtype) for value in values]


def _part(engine: Engine, tree: Tree, out: Leaf, found: dict[Leaf, Value | None]) -> Any:
    """The derivatives of one leaf of the result, in the form of an argument."""

    def leaf(x: Leaf) -> Any:
        if x.type is None or out.type is None:
            return x.value if x.type is None else out.value
        value = found.get(x)
        if value is None:
            value = zeros(array_type(x.type.dtype, (*out.type.shape, *x.type.shape)))
        if value.type.shape or x.cell and out.cell:
            extents = (*out.extents, *x.extents)
            bounded = any(extent is not None for extent in extents)
            return placed(engine, Array(value, extents if bounded else None), x.jax and out.jax)
        return (
            weak(value, PYTHON_TYPES[value.type.dtype])
            if x.type.weak and out.type.weak
            else Array(value)
        )

    return graft(engine, tree, leaf)
