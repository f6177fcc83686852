"""What `grad`, `jvp` and their like do during inference: functions of abstract values.

A transformation is a record, called as transformation(engine, (function,), args, kwargs).  It
visits the function in a graph of its own (`pyxla.grad.nested`) on copies of the arguments, in which
what is differentiated by are parameters, and emits the derivative of that region.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts import integers
from pyxla.abstract.heap import RowList
from pyxla.abstract.lattice import Array, Compound, Const, Scalar, Tuple
from pyxla.frozen import dataclass
from pyxla.grad.activity import is_inexact
from pyxla.grad.forward import jvp
from pyxla.grad.nested import Nested, emit, visit
from pyxla.grad.reverse import split_vjp, vjp
from pyxla.grad.trees import (
    Copies,
    Leaf,
    Node,
    Tree,
    are_pooled,
    children,
    flatten,
    flatten_all,
    is_pooled,
    leaves,
    like,
    may_be_none,
    rebuild,
    value_of,
    zero,
)
from pyxla.hints import similar
from pyxla.infer.engine import Engine
from pyxla.infer.frame import Stopped
from pyxla.ir.core import Region, Value
from pyxla.ir.rewrite import inline, substitute_region
from pyxla.lib.indexing import equal_sizes, true_size
from pyxla.lib.masks import resized, within
from pyxla.ops.check import INEXACT
from pyxla.ops.elementwise import add, compare, convert, select
from pyxla.ops.filled import filled, zeros
from pyxla.options import DEFAULTS, Options

Argnums = int | str | tuple[int | str, ...]


@dataclass(slots=True)
class Inputs:
    """The arguments of a transformed function, of which some leaves become parameters.

    trees: positional arguments, then those by name.  params: leaf -> its parameter.
    """

    engine: Engine
    trees: list[Tree]
    names: tuple[str, ...]
    params: dict[Leaf, Value]

    def call(self, function: Any) -> Any:
        """The function on copies of its arguments."""
        engine, copies = self.engine, Copies()
        tree = Node(Tuple(()), tuple(self.trees))
        given = list(rebuild(engine, tree, self.leaf, copies).items)
        count = len(given) - len(self.names)
        named = dict(zip(self.names, given[count:], strict=True))
        result = engine.rules.call(engine, function, given[:count], named)
        check_copies(engine, copies)
        return result

    def leaf(self, leaf: Leaf) -> Any:
        param = self.params.get(leaf)
        return leaf.value if param is None else like(leaf, param)

    def vary(self, which: Sequence[int]) -> None:
        """Make the floating-point leaves of some arguments parameters."""
        trees = [self.trees[k] for k in which]
        self.check(*trees)
        for leaf in leaves(*trees):
            if leaf.inexact:
                self.params[leaf] = Value(leaf.type, None, getattr(leaf.value, "hint", ""))

    def check(self, *trees: Tree) -> None:
        if may_be_none(*trees):
            raise self.engine.refuse(
                "a value that may be None has no derivative", "pass and return a number, or a bool"
            )
        if are_pooled(*trees):
            raise self.engine.refuse(
                "instances in a list whose length is known at run time only have no derivatives",
                "pass lists of the numbers and arrays that they hold",
            )

    def visit(self, function: Any, has_aux: bool) -> tuple[Nested, tuple[Tree, ...]]:
        """The call, and the trees of its value and of aux; derivatives may be taken of it."""
        self.engine.orders += 1
        try:
            nested = self.visited(function)
            pair = pair_of(self.engine, nested.result) if has_aux else (nested.result,)
            self.check(pair[0])
            return nested, pair
        finally:
            self.engine.orders -= 1

    def visited(self, function: Any) -> Nested:
        made = visit(self.engine, list(self.params.values()), lambda: self.call(function))
        if made.result is None:
            emit(self.engine, made, made.region, self.values())
            raise Stopped
        return made

    def values(self) -> list[Value]:
        """What the parameters stand for."""
        return [value_of(leaf) for leaf in self.params]


def check_copies(engine: Engine, copies: Copies) -> None:
    """Refuse writes to one of several copies of an object: the others do not see them."""
    for origin, cells in copies.items():
        several = len(cells) > 1 and is_pooled(engine.heap.contents.get(cells[0]))
        if set(cells).isdisjoint(engine.written) and not several:  # who writes rows of pools?
            continue
        engine.copies = True
        if len(cells) > 1 or "overlaps" in engine.heap.infos[origin].read_only:
            raise engine.refuse(
                "a function that is transformed writes to an object that its arguments hold in "
                "two places, and works on copies",
                "copy the object where it is passed",
            )


def inputs(engine: Engine, args: Sequence[Any], kwargs: dict[str, Any]) -> Inputs:
    """The arguments of a derivative: an object in two places counts as two."""
    trees = flatten_all(engine, (*args, *kwargs.values()), apart=True)
    return Inputs(engine, trees, tuple(kwargs), {})


def copies_of(engine: Engine, args: Sequence[Any], kwargs: dict[str, Any]) -> Inputs:
    """The arguments as they are, of a function that is not differentiated."""
    return Inputs(engine, flatten_all(engine, (*args, *kwargs.values())), tuple(kwargs), {})


def by_argnums(
    engine: Engine, function: Any, args: Sequence[Any], kwargs: dict[str, Any], argnums: Argnums
) -> tuple[Inputs, list[Tree], bool]:
    """The arguments, those that `argnums` names as variables; whether it names one."""
    given = inputs(engine, args, kwargs)
    single = isinstance(argnums, int | str)
    which: Any = (argnums,) if single else argnums
    at = [position(engine, function, n, given) for n in which]
    check_inexact(engine, function, given, at)
    given.vary(at)
    return given, [given.trees[k] for k in at], single


@dataclass(frozen=True, slots=True)
class Gradient:
    """`grad`, and `value_and_grad` where `with_value`."""

    argnums: Argnums = 0
    has_aux: bool = False
    with_value: bool = False

    @property
    def name(self) -> str:
        return "value_and_grad" if self.with_value else "grad"

    def __call__(self, engine: Engine, items: Any, args: Any, kwargs: Any) -> Any:
        (function,) = items
        given, wanted, single = by_argnums(engine, function, args, kwargs, self.argnums)
        nested, pair = given.visit(function, self.has_aux)
        leaf = self.scalar(engine, pair[0])
        seeds = [] if (index := nested.index(leaf)) is None else [index]
        region = vjp(nested.region, range(len(given.params)), seeds, options_of(engine))
        ones = [filled(nested.region.results[k].type, 1) for k in seeds]
        made = emit(engine, nested, region, [*given.values(), *ones])
        cotangents = dict(zip(given.params, made.others, strict=True))
        found = [rebuild(engine, tree, picked(cotangents)) for tree in wanted]
        gradient = found[0] if single else Tuple(tuple(found))
        if not self.has_aux:
            return Tuple((made.result, gradient)) if self.with_value else gradient
        if self.with_value:
            return Tuple((made.result, gradient))
        return Tuple((gradient, made.result.items[1]))

    def scalar(self, engine: Engine, tree: Any) -> Leaf:
        """The leaf that is differentiated."""
        if isinstance(tree, Leaf) and isinstance(tree.value, Const) and tree.value.value is None:
            raise engine.refuse(
                "the function returns None: there is nothing to differentiate",
                "to differentiate what it writes, use pyxla.functional, which returns it",
            )
        type = tree.type if isinstance(tree, Leaf) else None
        if type is None or type.shape or type.dtype not in INEXACT or type.dtype.kind == "c":
            raise engine.refuse(
                "grad needs a function that returns one real number; "
                f"this one returns {type or 'something else'}",
                "use has_aux=True for further results, or vjp, jacrev or jacfwd",
            )
        return tree


def picked(found: dict[Leaf, Value]) -> Callable[[Leaf], Any]:
    return lambda leaf: like(leaf, found[leaf]) if leaf in found else zero(leaf)


@dataclass(frozen=True, slots=True)
class Forward:
    """`jvp`: arguments and as many tangents -> (result, its tangent), and then aux."""

    has_aux: bool = False
    name = "jvp"

    def __call__(self, engine: Engine, items: Any, args: Any, kwargs: Any) -> Any:
        (function,) = items
        half = len(args) // 2
        if len(args) % 2:
            raise engine.refuse("jvp needs a tangent for each argument")
        given = inputs(engine, args[:half], kwargs)
        given.vary(range(half))
        tangents: dict[Leaf, Value] = {}
        for tree, x in zip(given.trees, args[half:], strict=False):
            match(engine, tree, flatten(engine, x), tangents)
        nested, pair = given.visit(function, self.has_aux)
        region = jvp(nested.region, range(len(given.params)), options_of(engine))
        made = emit(
            engine, nested, region, [*given.values(), *[tangents[leaf] for leaf in given.params]]
        )
        inexact = [k for k, value in enumerate(nested.region.results) if is_inexact(value)]
        found = dict(zip(inexact, made.others, strict=True))
        result = made.result.items[0] if self.has_aux else made.result
        now = flatten(engine, result)
        of_result = {
            leaf: found[k]
            for old, leaf in zip(leaves(pair[0]), leaves(now), strict=True)
            if (k := nested.index(old)) in found
        }
        tangent = rebuild(engine, now, picked(of_result))
        rest = made.result.items[1:] if self.has_aux else ()
        return Tuple((result, tangent, *rest))


def pair_of(engine: Engine, tree: Any) -> tuple[Tree, ...]:
    """The trees of value and aux."""
    if isinstance(tree, Node) and isinstance(tree.content, Tuple) and len(tree.items) == 2:
        return tree.items
    raise engine.refuse("has_aux is true, and the function does not return (value, aux)")


def match(
    engine: Engine,
    tree: Tree,
    other: Tree,
    found: dict[Leaf, Value],
    wanted: Callable[[Leaf], bool] = lambda leaf: leaf.inexact,
) -> None:
    """Find the tangents or cotangents of floating-point leaves in a tree of the same form."""
    if isinstance(tree, Leaf):
        if tree.structural and isinstance(other, Leaf):
            _ensure_structure(engine, tree.value, other.value)
        if wanted(tree):
            made = alike(engine, tree, other)
            # One object in two places: what belongs to it is the sum.
            found[tree] = add(found[tree], made) if tree in found else made
        return
    if not any(wanted(leaf) for leaf in leaves(tree)):
        return
    names, given = children(tree)[1], children(other)[1] if isinstance(other, Node) else ()
    if not isinstance(other, Node) or set(given) != set(names):
        raise engine.refuse(
            "a tangent or cotangent must have the form of what it belongs to",
            "pass a container of the same kind, keys and length",
        )
    if isinstance(tree.content, RowList):
        raise engine.refuse(
            "a tangent or cotangent cannot belong to a row that data chooses of a list of lists",
            "return and pass a list of its own: list(row)",
        )
    keys = getattr(children(tree)[0], "__pyxla_sequence__", None)
    for name, x in zip(names, tree.items, strict=True):
        part = other.items[given.index(name)]
        match(engine, x, part, found, wanted)
        if name == keys:
            for own, its in zip(leaves(x), leaves(part), strict=False):
                if own.structural:
                    _ensure_structure(engine, own.value, its.value)


def alike(engine: Engine, leaf: Leaf, other: Tree) -> Value:
    """The value of a tangent or cotangent; a Python number adapts, as it does in arithmetic."""
    wanted, type = leaf.type, other.type if isinstance(other, Leaf) else None
    if isinstance(other, Leaf) and type is not None and _fits(leaf, type.shape):
        _ensure_sizes(engine, leaf, other)
        if type.dtype == wanted.dtype:
            return resized(_cleared(other), wanted.shape)
        if type.weak and (type.dtype.kind != "c" or wanted.dtype.kind == "c"):
            return convert(value_of(other), dtype=wanted.dtype, weak=wanted.weak)
    raise engine.refuse(
        "a tangent or cotangent must have the type of what it belongs to",
        "pass an array of that type; of zeros, where nothing is differentiated by it",
        types=(str(wanted), str(type or "something else")),
    )


def _fits(leaf: Leaf, shape: tuple[int, ...]) -> bool:
    """Whether an array of this shape belongs to a leaf, which may have room for more."""
    return len(shape) == len(leaf.extents) and all(
        n == room or (extent is not None and n < room)
        for n, room, extent in zip(shape, leaf.type.shape, leaf.extents, strict=True)
    )


def _cleared(leaf: Leaf) -> Value:
    """The value of an array, zeros past its true sizes: what is there would count."""
    value = value_of(leaf)
    inside = within(leaf.value) if isinstance(leaf.value, Array) else None
    return value if inside is None else select(inside, value, zeros(value.type))


def _ensure_structure(engine: Engine, own: Any, given: Any) -> None:
    """Keys, kinds and lengths of rows are those of what it belongs to."""
    if isinstance(own, Array) and isinstance(given, Array) and own.type.ndim == 1:
        same = engine.rules.call(engine, Const(np.array_equal), [own, given], {})
        words = "a tangent or cotangent must have the keys and lengths of what it belongs to"
        engine.ensure(same, ValueError(words))


def _ensure_sizes(engine: Engine, leaf: Leaf, other: Leaf) -> None:
    """What belongs to a leaf has its sizes, of those that are known at run time only."""
    if not isinstance(leaf.value, Array) or not isinstance(other.value, Array):
        return
    for axis in range(len(leaf.extents)):
        own, given = true_size(leaf.value, axis), true_size(other.value, axis)
        if isinstance(own, int) and isinstance(given, int) or equal_sizes(own, given):
            continue
        same = compare(integers.value_of(own), integers.value_of(given), direction="EQ")
        words = "a tangent or cotangent must have the size of what it belongs to"
        engine.ensure(Scalar(same), ValueError(words))


@dataclass(frozen=True, slots=True, eq=False)
class Pull:
    """What `vjp` returns: a cotangent of the result -> cotangents of the arguments.

    reverse: from cotangents of `seeds`, leaves of `result`, to those of the leaves `wrt`.
    """

    reverse: Region
    result: Tree
    seeds: tuple[Leaf, ...]
    arguments: tuple[Tree, ...]
    wrt: tuple[Leaf, ...]
    name = "vjp"

    def __call__(self, engine: Engine, items: Any, args: Any, kwargs: Any) -> Any:
        if len(args) != 1 or kwargs:
            raise engine.refuse("the function that vjp returns takes one cotangent")
        found: dict[Leaf, Value] = {}
        match(engine, self.result, flatten(engine, args[0]), found)
        made = inline(self.reverse, [found[leaf] for leaf in self.seeds], {})
        cotangents = dict(zip(self.wrt, made, strict=True))
        parts = [rebuild(engine, tree, picked(cotangents)) for tree in self.arguments]
        return Tuple(tuple(parts))


@dataclass(frozen=True, slots=True)
class Backward:
    """`vjp`: arguments -> (result, Pull), and then aux."""

    has_aux: bool = False
    name = "vjp"

    def __call__(self, engine: Engine, items: Any, args: Any, kwargs: Any) -> Any:
        (function,) = items
        given = inputs(engine, args, kwargs)
        given.vary(range(len(args)))
        nested, pair = given.visit(function, self.has_aux)
        seeds = [leaf for leaf in leaves(pair[0]) if leaf.inexact]
        dynamic = [k for leaf in seeds if (k := nested.index(leaf)) is not None]
        forward, reverse = split_vjp(
            nested.region, range(len(given.params)), dynamic, options_of(engine)
        )
        residuals = forward.results[len(nested.at) :]
        made = emit(engine, nested, forward, given.values())
        substitute_region(reverse, dict(zip(residuals, made.others, strict=True)))
        result = made.result.items[0] if self.has_aux else made.result
        now = flatten(engine, result)
        alive = {
            old: leaf
            for old, leaf in zip(leaves(pair[0]), leaves(now), strict=True)
            if old.inexact and nested.index(old) is not None
        }
        pull = Pull(
            reverse,
            now,
            tuple(alive.values()),
            tuple(given.trees[: len(args)]),
            tuple(given.params),
        )
        rest = made.result.items[1:] if self.has_aux else ()
        return Tuple((result, Compound("transformed", (), pull), *rest))


@dataclass(frozen=True, slots=True)
class Pulled:
    """`vjp` for functions outside: arguments and a cotangent -> cotangents of the arguments."""

    has_aux: bool = False
    name = "vjp"

    def __call__(self, engine: Engine, items: Any, args: Any, kwargs: Any) -> Any:
        _, pull, *_ = Backward(self.has_aux)(engine, items, args[:-1], kwargs).items
        return pull.meta(engine, (), args[-1:], {})


@dataclass(frozen=True, slots=True)
class Linear:
    """`linearize`: arguments -> (result, Pushed)."""

    name = "linearize"

    def __call__(self, engine: Engine, items: Any, args: Any, kwargs: Any) -> Any:
        (function,) = items
        copies = [rebuild(engine, flatten(engine, x), lambda leaf: leaf.value) for x in args]
        result = Copying()(engine, items, args, kwargs)
        return Tuple((result, Compound("transformed", (function, *copies), Pushed())))


@dataclass(frozen=True, slots=True)
class Pushed:
    """What `linearize` returns: tangents of the arguments -> tangent of the result."""

    name = "linearize"

    def __call__(self, engine: Engine, items: Any, args: Any, kwargs: Any) -> Any:
        function, *primals = items
        if len(args) != len(primals) or kwargs:
            raise engine.refuse(f"{len(primals)} tangents are needed, one for each argument")
        return Forward()(engine, (function,), [*primals, *args], {}).items[1]


@dataclass(frozen=True, slots=True)
class Copying:
    """The function itself, on copies of its arguments."""

    name = "copying"

    def __call__(self, engine: Engine, items: Any, args: Any, kwargs: Any) -> Any:
        (function,) = items
        nested = copies_of(engine, args, kwargs).visited(function)
        return emit(engine, nested, nested.region, ()).result


def options_of(engine: Engine) -> Options:
    return engine.options or DEFAULTS


# --- arguments --------------------------------------------------------------------------------


def position(engine: Engine, function: Any, which: int | str, given: Inputs) -> int:
    """Which of the trees an entry of argnums means."""
    count = len(given.trees) - len(given.names)
    if isinstance(which, str):
        if which in given.names:
            return count + given.names.index(which)
        known = _parameters(function)
        if which not in known:
            words = f"argnums names {which!r}, which is no parameter"
            raise engine.refuse(
                words, similar(which, known) or f"the parameters are {', '.join(known)}"
            )
        which = known.index(which)
    at = which + count if which < 0 else which
    if not 0 <= at < count:
        raise engine.refuse(
            f"argnums is {which}, but there are {count} arguments", "arguments count from 0"
        )
    return at


def _parameters(function: Any) -> list[str]:
    """The names of a function's parameters, as far as they are known."""
    if isinstance(function, Compound) and function.kind == "function":
        source = function.meta[0]
        return [*source.posonly, *source.args]
    if isinstance(function, Compound) and function.kind == "method":
        return _parameters(function.items[0])[1:]
    value = getattr(function, "value", None)
    try:
        return list(inspect.signature(value).parameters)
    except (TypeError, ValueError):
        return []


def called(function: Any, count: int, names: Sequence[str]) -> list[str]:
    """What `count` positional arguments are called in messages, and then those by name."""
    known = _parameters(function)[:count]
    unknown = [f"argument {k}" for k in range(len(known), count)]
    return [*map(repr, known), *unknown, *map(repr, names)]


def check_inexact(engine: Engine, function: Any, given: Inputs, at: Sequence[int]) -> None:
    words = called(function, len(given.trees) - len(given.names), given.names)
    for k in at:
        tree = given.trees[k]
        if isinstance(tree, Leaf) and not tree.inexact:
            raise engine.refuse(
                f"{words[k]} is not floating point: it has no derivative",
                "pass a float, or name other arguments by argnums",
                types=[str(tree.type)] if tree.type is not None else [],
            )
