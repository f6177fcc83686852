"""`vmap` during inference: a function of elements as a function of arrays of them.

The function is visited once, on one *lane*: its arguments without the axes along which they are
mapped.  The region that comes of it is batched (`pyxla.grad.batch`), and what it returns is stacked
along axes of the result: numbers become arrays.  What it raises for any lane is raised, for the
first such lane.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from pyxla.abstract.heap import DictCell, ListCell, ObjectCell, SetCell
from pyxla.abstract.lattice import Array, Compound, Const, Scalar, Tuple, Variant, describe
from pyxla.errors import CompileError, also
from pyxla.frozen import dataclass
from pyxla.grad.batch import batch
from pyxla.grad.emitting import load, number
from pyxla.grad.nested import Nested, raise_again, visit
from pyxla.grad.transforms import called
from pyxla.grad.trees import (
    Leaf,
    Node,
    Tree,
    children,
    flatten,
    graft,
    leaves,
    may_be_none,
    moved,
    placed,
    value_of,
    values_of,
)
from pyxla.infer.engine import Engine
from pyxla.infer.joins.kinds import dtype_of
from pyxla.ir.core import Value
from pyxla.ir.rewrite import inline
from pyxla.ir.types import I32, I64, array_type
from pyxla.lib.operands import cast
from pyxla.lib.random.state import STATES
from pyxla.ops.batching import spread
from pyxla.ops.elementwise import compare, convert, select
from pyxla.ops.filled import filled, zeros
from pyxla.ops.foreign import STOPPED
from pyxla.ops.reduce import reduce
from pyxla.ops.shape import iota, transpose
from pyxla.ops.sticky import flag

# --- Axes -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Branch:
    """The axes of a container's items: `keys` are positions, dict keys or the names of fields."""

    kind: type
    keys: tuple[Any, ...]
    items: tuple[Axes, ...]


Axes = int | Branch | None


def axes_of(x: Any, what: str) -> Axes:
    """The axes that a user gives: ints and None, in containers like those of the values."""
    if x is None or (isinstance(x, int | np.integer) and not isinstance(x, bool)):
        return None if x is None else int(x)
    if isinstance(x, tuple | list):
        parts = dict(enumerate(x))
    elif isinstance(x, dict):
        parts = x
    elif hasattr(x, "__dict__") and not isinstance(x, type | FunctionType):
        parts = vars(x)
    else:
        raise also(TypeError)(
            f"{what} must be an int, None, or containers of these, not {type(x).__name__}"
        )
    kind = tuple if isinstance(x, tuple) else type(x)
    return Branch(kind, tuple(parts), tuple([axes_of(part, what) for part in parts.values()]))


def spread_axes(engine: Engine, axes: Axes, tree: Tree, what: str) -> Iterator[tuple[Leaf, Any]]:
    """The axis of each leaf of a tree; `axes` may end before it, and then holds for all below."""
    if not isinstance(axes, Branch):
        yield from [(leaf, axes) for leaf in leaves(tree)]
        return
    kind, keys = children(tree) if isinstance(tree, Node) else (None, ())
    if kind is not axes.kind or set(keys) != set(axes.keys):
        raise engine.refuse(
            f"{what} of vmap must be a tree prefix of the values they are for: "
            f"{axes.kind.__name__} of {len(axes.keys)} for "
            + (f"{kind.__name__} of {len(keys)}" if kind else "a single value"),
            kind=also(ValueError),
        )
    for key, item in zip(axes.keys, axes.items, strict=True):
        yield from spread_axes(engine, item, tree.items[keys.index(key)], what)


# --- The transformation ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mapped:
    """`vmap`: the function of arrays, each lane of them an argument of the original."""

    in_axes: Axes = 0
    out_axes: Axes = 0
    axis_size: int | None = None
    axis_name: Any = None
    name = "vmap"

    def __call__(self, engine: Engine, items: Any, args: Any, kwargs: Any) -> Any:
        (function,) = items
        trees = [flatten(engine, x) for x in (*args, *kwargs.values())]
        lanes = _Lanes(engine, self.axis_size)
        words = called(function, len(args), tuple(kwargs))
        rows = self.arguments(engine, trees, tuple(kwargs))
        for word, (axes, tree) in zip(words, rows, strict=True):
            lanes.map(axes, tree, word)
        size = lanes.check()
        params = list(lanes.params.values())
        with self.named(engine, size):
            nested = visit(engine, params, lambda: lanes.call(function, trees, kwargs))
        return _Results(engine, nested, size, lanes, self.axis_name).stacked(self.out_axes)

    def named(self, engine: Engine, size: int) -> Any:
        """A context in which the axis has its name."""
        if self.axis_name is None:
            return contextlib.nullcontext()
        return engine.jax.named_axis(self.axis_name, size)

    def arguments(
        self, engine: Engine, trees: Sequence[Tree], names: tuple[str, ...]
    ) -> list[tuple[Axes, Tree]]:
        """The axes of each argument; those by name are mapped along their first."""
        count = len(trees) - len(names)
        if not isinstance(self.in_axes, Branch):
            return [(self.in_axes if k < count else 0, tree) for k, tree in enumerate(trees)]
        if self.in_axes.kind not in (tuple, list) or len(self.in_axes.keys) != count:
            raise engine.refuse(
                "in_axes of vmap must be an int, None, or a tuple with an entry for each "
                f"positional argument: it has {len(self.in_axes.keys)}, there are {count}",
                "write None for an argument that is not mapped",
                kind=also(ValueError),
            )
        return list(zip((*self.in_axes.items, *[0] * len(names)), trees, strict=True))


class _Lanes:
    """params: leaf -> what one lane of it is.  sizes: number of lanes -> who has it."""

    def __init__(self, engine: Engine, size: int | None) -> None:
        self.engine = engine
        self.params: dict[Leaf, Value] = {}
        self.whole: list[Value] = []
        self.sizes: dict[int, str] = {} if size is None else {size: "axis_size"}

    def map(self, axes: Axes, tree: Tree, what: str) -> None:
        if axes is not None and may_be_none(tree):
            raise self.engine.refuse(f"{what} of vmap may be None", "pass a number, or a bool")
        others = list(_others(tree))
        for node in others:
            if node.cell and not isinstance(node.content, SetCell):
                raise self.engine.refuse(f"{what} of vmap is a {_kind(node)}")
        fixed = set(leaves(*others))
        seen: dict[Leaf, int | None] = {}
        for leaf, axis in spread_axes(self.engine, axes, tree, "in_axes"):
            if seen.setdefault(leaf, axis) != axis:
                raise self.engine.refuse(f"vmap: an array in {what} has two entries in in_axes")
            if axis is not None and leaf.type is not None and leaf not in fixed:
                self.map_leaf(leaf, axis, what)

    def map_leaf(self, leaf: Leaf, axis: int, what: str) -> None:
        shape = leaf.type.shape
        if not -len(shape) <= axis < len(shape):
            rank = axis + 1 if axis >= 0 else -axis
            raise self.engine.refuse(
                f"vmap was asked to map {what} along axis {axis}, which needs {rank} dimension(s), "
                f"but its shape is {shape}",
                "in_axes=None for an argument passes it as it is to each call",
                kind=also(ValueError),
            )
        axis %= len(shape)
        if leaf.extents[axis] is not None:
            raise self.engine.refuse(
                f"vmap along axis {axis} of {what}: how many there are depends on data"
            )
        value = value_of(leaf)
        self.sizes.setdefault(shape[axis], f"axis {axis} of {what}")
        self.whole.append(value if axis == 0 else _to_front(value, axis))
        rest = (*shape[:axis], *shape[axis + 1 :])
        self.params[leaf] = Value(array_type(value.type.dtype, rest), None, value.hint)

    def check(self) -> int:
        """The number of lanes."""
        if not self.sizes:
            raise self.engine.refuse(
                "vmap needs an argument that is mapped: in_axes has nothing but None",
                "state axis_size, or map an argument",
                kind=also(ValueError),
            )
        if len(self.sizes) > 1:
            listed = ", ".join([f"{size} ({who})" for size, who in self.sizes.items()])
            raise self.engine.refuse(
                f"vmap got axes of different sizes to be mapped: {listed}",
                "in_axes says which axis of each argument is mapped, None for those that are not",
                kind=also(ValueError),
            )
        return next(iter(self.sizes))

    def call(self, function: Any, trees: Sequence[Tree], kwargs: dict[str, Any]) -> Any:
        """The function on one lane, of copies."""
        engine = self.engine
        given = [graft(engine, tree, self.lane) for tree in trees]
        count = len(given) - len(kwargs)
        named = dict(zip(kwargs, given[count:], strict=True))
        generators = dict(_generators(engine))
        result = engine.rules.call(engine, function, given[:count], named)
        if any(engine.heap.contents.get(cell) is not state for cell, state in generators.items()):
            raise engine.refuse(
                "a function given to vmap draws from a random generator from outside: every "
                "element would draw the same numbers",
                "make a generator for each element inside: np.random.default_rng(seed)",
            )
        return result

    def lane(self, leaf: Leaf) -> Any:
        """As indexing gives it: of a vector, a NumPy scalar."""
        param = self.params.get(leaf)
        if param is None:
            return placed(self.engine, leaf.value, leaf.jax) if leaf.cell else leaf.value
        array = Array(param)
        return placed(self.engine, array, leaf.jax) if param.type.shape else array

    @property
    def jax(self) -> bool:
        return any(leaf.jax for leaf in self.params)


def _generators(engine: Engine) -> Iterator[tuple[int, ObjectCell]]:
    """The random generators that there are, by cell."""
    for cell, content in engine.heap.contents.items():
        if isinstance(content, ObjectCell) and content.cls in STATES:
            yield cell, content


def _to_front(x: Value, axis: int) -> Value:
    order = (axis, *[other for other in range(x.type.ndim) if other != axis])
    return transpose(x, permutation=order)


class _Results:
    """What the batched region gives: `made`, by position of the result of one lane."""

    def __init__(self, engine: Engine, nested: Nested, size: int, lanes: _Lanes, axis: Any) -> None:
        self.engine = engine
        self.size = size
        self.nested = nested
        self.jax = lanes.jax
        self.one = nested.region.results
        region = batch(nested.region, [True] * len(nested.region.params), size, axis)
        self.made = inline(region, lanes.whole, {})
        nested.keep(engine, lambda leaf: moved(leaf, self.last))
        self.raise_first()

    def of(self, value: Value) -> Value:
        return self.made[self.nested.at[value]]

    def varies(self, value: Value) -> bool:
        """Whether it differs between lanes."""
        k = self.nested.at[value]
        return self.made[k].type.ndim > self.one[k].type.ndim

    def last(self, value: Value) -> Value:
        """A number that orders what follows, after all lanes."""
        made = self.of(value)
        if not self.varies(value):
            return made
        return reduce(made, filled(value.type, -STOPPED), dimensions=(0,), computation="maximum")

    def raise_first(self) -> None:
        """Raise what the first lane raises that does."""
        nested, status = self.nested, self.nested.status
        if nested.flags is not None and self.size:
            flag(_all_bits(self.of(nested.flags)))
        if status is None or self.size == 0:
            return
        lane = _first_raised(self.of(status)) if self.varies(status) else number(0)
        now = {value: self.at(value, lane) for value in nested.at}
        raise_again(self.engine, nested, lambda leaf: moved(leaf, now.__getitem__), now)

    def at(self, value: Value, lane: Value) -> Value:
        """A result in one lane."""
        if not self.varies(value):
            return self.of(value)
        made = load(self.of(value), lane)
        return convert(made, dtype=made.type.dtype, weak=True) if value.type.weak else made

    def stacked(self, out_axes: Axes) -> Any:
        """The result, of all lanes."""
        tree = self.nested.result
        if tree is None:
            raise self.engine.refuse("this function never returns")
        if may_be_none(tree):
            raise self.engine.refuse(
                "a function given to vmap returns None for some elements and not for others",
                "return a number that means it, or a bool beside the result",
            )
        for node in _others(tree):
            raise _unstackable(self.engine, _kind(node))
        axes = dict(spread_axes(self.engine, out_axes, tree, "out_axes"))
        return graft(self.engine, tree, lambda leaf: self.leaf(leaf, axes[leaf]))

    def leaf(self, leaf: Leaf, axis: int | None) -> Any:
        """A leaf of the result: an array with one more dimension, unless `axis` is None."""
        if isinstance(leaf.value, Const) and leaf.value.value is None:
            return leaf.value
        if leaf.type is None:
            raise _unstackable(self.engine, describe(leaf.value).split()[0])
        if any([self.varies(e.value) for e in _extents(leaf)]):
            raise self.engine.refuse(
                "a function given to vmap returns an array whose size depends on data, and differs",
                "return the padded array and its length",
            )
        if axis is None:
            return self.same(leaf)
        rank = leaf.type.ndim + 1
        if not -rank <= axis < rank:
            raise self.engine.refuse(
                f"out_axes of vmap is {axis}, but the result has {rank} dimension(s)",
                kind=also(ValueError),
            )
        axis %= rank
        array = Array(_from_front(self.whole(leaf), axis), self.extents(leaf, axis))
        return placed(self.engine, array, leaf.jax or (self.jax and not leaf.cell))

    def whole(self, leaf: Leaf) -> Value:
        """A leaf with lanes; numbers of several kinds have the type that holds them all."""
        found = values_of(leaf)
        if not found:
            return spread(value_of(leaf), self.size)
        made = self.of(found[0])
        made = made if self.varies(found[0]) else spread(made, self.size)
        kinds = getattr(leaf.value, "kinds", None)
        return cast(made, np.result_type(*map(dtype_of, kinds.choices))) if kinds else made

    def same(self, leaf: Leaf) -> Any:
        """A leaf that is not stacked."""
        if any(map(self.varies, values_of(leaf))):
            raise self.engine.refuse(
                "out_axes of vmap is None for a result that differs between elements",
                "say along which axis of the result they are, or return what does not differ",
                kind=also(ValueError),
            )
        made = moved(leaf, self.of)
        return placed(self.engine, made, leaf.jax) if leaf.cell else made

    def extents(self, leaf: Leaf, axis: int) -> Any:
        made = getattr(moved(leaf, self.of), "extents", None)
        return made and (*made[:axis], None, *made[axis:])


def _extents(leaf: Leaf) -> list[Scalar]:
    """The sizes of an array that are known at run time only."""
    return [e for e in getattr(leaf.value, "extents", None) or () if isinstance(e, Scalar)]


def _first_raised(status: Value) -> Value:
    """The number of the first lane whose status is not zero; none of them if there is no such."""
    shape = status.type.shape
    raised = compare(status, zeros(status.type), direction="NE")
    numbers = iota(dtype=I64.dtype, shape=shape, dimension=0)
    found = select(raised, numbers, filled(numbers.type, shape[0]))
    return reduce(found, number(shape[0]), dimensions=(0,), computation="minimum")


def _all_bits(words: Value) -> Value:
    """The flags that any lane has set."""
    if not words.type.shape:
        return words
    none = zeros(I32)
    return reduce(words, none, dimensions=(0,), computation="or")


def _others(tree: Tree) -> Iterator[Node]:
    """The containers in a tree whose parts are not known one by one."""
    if isinstance(tree, Node):
        content = tree.content
        known = isinstance(content, Tuple | ListCell | DictCell | ObjectCell)
        if not known and not (isinstance(content, Compound) and content.kind == "pytree"):
            yield tree
        for item in tree.items:
            yield from _others(item)


def _kind(node: Node) -> str:
    if isinstance(node.content, (Compound, Variant)):
        return describe(node.content)
    if isinstance(node.content, SetCell):
        return "set"
    return "list whose length is known at run time only"


def _unstackable(engine: Engine, what: str) -> CompileError:
    return engine.refuse(
        f"a function given to vmap returns a {what}, and there is no array of these",
        "return arrays, numbers, None and containers of these",
    )


def _from_front(x: Value, axis: int) -> Value:
    order = list(range(1, x.type.ndim))
    order.insert(axis, 0)
    return x if axis == 0 else transpose(x, permutation=tuple(order))
