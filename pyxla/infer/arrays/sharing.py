"""NumPy functions that return, at times, the arrays they were given, or views of several of them.

What they do by value is the library's; here is when NumPy makes no copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts.integers import Int
from pyxla.abstract.lattice import Array, Compound, Conflict, Const, Ref, Scalar, Tuple, is_number
from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays.viewing import reference, shown
from pyxla.infer.calls.library import call_library
from pyxla.infer.calls.standard import is_seen
from pyxla.infer.containers import tables
from pyxla.infer.containers.indexing import get_item
from pyxla.infer.containers.iterators import state_of
from pyxla.infer.containers.making import list_, source, unknown
from pyxla.infer.containers.structure import iterate, length
from pyxla.infer.engine import Engine
from pyxla.infer.joins import choices, far, kinds
from pyxla.infer.lists import columnar, number_lists
from pyxla.lib import interpreted, sequences
from pyxla.lib.finding import trimmed
from pyxla.lib.indexing import true_size
from pyxla.lib.operands import as_array, broadcast_shapes
from pyxla.lib.parts import parts_of
from pyxla.lib.poly1d import kept
from pyxla.lib.products import parse_einsum
from pyxla.lib.registry import REGISTRY, Implementation, rule
from pyxla.views.makers import broadcast_to, transpose
from pyxla.views.repeated import broadcast
from pyxla.views.reshaping import diagonal
from pyxla.views.shown import Shape, Shown
from pyxla.views.views import MIXED, expanded

_SUM = Implementation(REGISTRY[np.einsum].function, rank0="array")
NONE, TRUE = Const(None), Const(True)
BOTH_ENDS, CARTESIAN = Const("fb"), Const("xy")


def _by_value(engine: Engine, target: Any, *args: Any, **kwargs: Any) -> Any:
    return call_library(engine, target, REGISTRY[target], list(args), kwargs)


def _as_array(engine: Engine, x: Any) -> Ref:
    return x if arrays.is_array(engine, x) else _by_value(engine, np.asarray, x)


def _broadcast(engine: Engine, ref: Ref, target: Shape) -> Ref:
    made = shown(engine, ref)
    return ref if made.shape == target else reference(engine, ref, broadcast_to(made, target))


def _along(engine: Engine, ref: Ref, axis: int, ndim: int) -> Ref:
    """A one-dimensional array as dimension `axis` of `ndim`."""
    made = shown(engine, ref)
    others = tuple([d for d in range(ndim) if d != axis])
    return reference(engine, ref, made.then(expanded(made.shape, made.extents, others)))


@rule(np.broadcast_arrays)
def broadcast_arrays(engine: Engine, *args: Any, subok: Any = NONE) -> Tuple:
    refs = [_as_array(engine, x) for x in args]
    made = [shown(engine, ref) for ref in refs]
    if all(x.extents is None for x in made):
        target = broadcast_shapes(*[x.shape for x in made]) if refs else ()
        return Tuple(tuple([_broadcast(engine, ref, target) for ref in refs]))
    ndim = max([x.ndim for x in made])
    sizes = [_common_size([x for x in made if x.ndim >= d], -d) for d in range(ndim, 0, -1)]
    target = tuple([bound for _, bound in sizes])
    extents = tuple([size if isinstance(size, Scalar) else None for size, _ in sizes])
    views = [x.then(broadcast(x.shape, x.extents, target, extents)) for x in made]
    return Tuple(tuple([reference(engine, *pair) for pair in zip(refs, views, strict=True)]))


def _common_size(xs: Sequence[Any], d: int) -> tuple[Int, int]:
    """The size and bound of the first array that has more than one element along dimension `d`, as
    far as is known."""
    found = [(true_size(x, d), x.shape[d]) for x in xs]
    return next((pair for pair in found if isinstance(pair[0], Scalar) or pair[0] != 1), (1, 1))


def _is_line(engine: Engine, x: Any) -> bool:
    return arrays.is_array(engine, x) and len(arrays.shown(engine, x)[0]) == 1


# Thin views: a list before NumPy 2.5.
_THIN = type(np.meshgrid(0, copy=False, sparse=True))


@rule(np.meshgrid)
def meshgrid(
    engine: Engine,
    *xi: Any,
    copy: Any = TRUE,
    sparse: Any = Const(False),
    indexing: Any = CARTESIAN,
) -> Any:
    options = {"sparse": sparse, "indexing": indexing}
    if engine.static(copy) or not all(_is_line(engine, x) for x in xi):
        return _by_value(engine, np.meshgrid, *xi, **options)
    order = list(range(len(xi)))
    if engine.static(indexing) == "xy" and len(xi) > 1:
        order[:2] = 1, 0
    grids = [_along(engine, x, axis, len(xi)) for x, axis in zip(xi, order, strict=True)]
    if not engine.static(sparse):
        return broadcast_arrays(engine, *grids)
    return engine.new_list(grids) if _THIN is list else Tuple(tuple(grids))


@rule(np.trim_zeros)
def trim_zeros(engine: Engine, filt: Any, trim: Any = BOTH_ENDS, axis: Any = NONE) -> Any:
    """A view of what is between zeros, where it is an array; what has no dimensions as it is."""
    if is_number(filt) or (arrays.is_array(engine, filt) and not arrays.shown(engine, filt)[0]):
        return filt
    if not arrays.is_array(engine, filt):
        return _by_value(engine, np.trim_zeros, filt, trim, axis)
    operands = [engine.bounded_operand(x) for x in (filt, trim, axis)]
    key = []
    for bounds in engine.library("trim_zeros", trimmed, *operands):
        ends = [x if isinstance(x, Scalar) else Const(x) for x in bounds]
        key.append(Compound("slice", (*ends, NONE)))
    return arrays.getitem(engine, filt, Tuple(tuple(key)))


def _of_kinds(engine: Engine, op: str, items: Sequence[Any]) -> Any:
    """The first of the largest, or smallest, of numbers of several kinds; None where data decides
    whether it is one of more than 64 bits."""
    best, *rest = items
    for item in rest:
        better = engine.rules.truth(engine, engine.rules.compare(engine, op, item, best))
        if isinstance(better, Const):
            best = item if better.value else best
            continue
        if far.is_far(item) or far.is_far(best):
            return None
        found = kinds.choose(better, item, best)
        if found is None:
            names = [kind.__name__ for x in (best, item) for kind in kinds.kinds_of(x)]
            note = (f"{' or '.join(names)} here", engine.loc)
            return Conflict(f"what is chosen may be {' or '.join(names)}", (note,))
        best = found
    return best


def _extremum(target: Any) -> None:
    @rule(target)
    def call(engine: Engine, *args: Any, **options: Any) -> Any:
        if not args:
            words = f"{target.__name__} expected at least 1 argument, got 0"
            engine.raise_constant(TypeError(words))
        fold = interpreted.max_ if target is max else interpreted.min_
        in_turn = len(args) == 1 and options.get("key", NONE) != NONE
        if in_turn and _is_iterator(engine, args[0]) and is_seen(engine, args[0]):
            # Each item is made when its key is asked for.
            return engine.rules.call(engine, Const(fold), [*args], options)
        if len(args) == 1 and (inner := tables.plain_sequence(engine, args[0])) is not None:
            args = (inner,)
        kept = number_lists.flat(engine, args[0]) if len(args) == 1 and not options else None
        if kept is not None:
            return number_lists.number(engine, kept[1], _by_value(engine, target, kept[0]))
        grown = len(args) == 1 and columnar.found(engine.heap, args[0]) is not None
        if grown or (
            len(args) == 1 and not arrays.is_array(engine, args[0]) and unknown(engine, args[0])
        ):
            return _of_unknown_length(engine, target, args[0], options)
        if len(args) == 1 and "default" in options and _may_be_empty(engine, args[0]):
            return _or_default(engine, target, args[0], options)
        if len(args) == 1 and _is_iterator(engine, args[0]):
            args = (Tuple(tuple(iterate(engine, args[0]))),)
        items = _items(engine, args)
        if len(items) == 1 and options.get("key", NONE) == NONE:
            return items[0]
        wide, members = any(map(far.is_far, items)), any(map(choices.is_member, items))
        if not options and not members and (wide or all(map(is_number, items))):
            if wide or len({kind for x in items for kind in kinds.kinds_of(x)}) > 1:
                best = _of_kinds(engine, "gt" if target is max else "lt", items)
                if best is not None:
                    return best
        if (
            wide
            or members
            or options.get("key", NONE) != NONE
            or any(_is_object(engine, x) for x in items)
        ):
            given = args[0] if len(args) == 1 else Tuple(args)
            return engine.rules.call(engine, Const(fold), [given], options)
        result = _by_value(engine, target, *args, **options)
        given = [x for x in items if arrays.is_array(engine, x)]
        if not given or not isinstance(result, Array):
            return result
        if len({(x.cell, x.view) for x in given}) == 1 and len(given) == len(items):
            return given[0]
        if len(given) < len(items):
            raise engine.refuse(
                f"{target.__name__}() may return a 0-d array here, or a number",
                "convert the arrays with float() or `x[()]`",
            )
        found = arrays.fresh(engine, result)
        reason = f"what {target.__name__}() returned is one of several arrays"
        engine.heap.entangle({found.cell, *[x.cell for x in given]}, reason)
        return found


def _is_object(engine: Engine, x: Any) -> bool:
    """Whether it is neither a number nor an array of known size, nor known."""
    if arrays.is_array(engine, x):
        return any(size is not None for size in arrays.shown(engine, x)[1] or ())
    return not isinstance(x, Const) and not is_number(x)


def _items(engine: Engine, args: Sequence[Any]) -> Sequence[Any]:
    """What is compared, as far as it is known without iterating."""
    if len(args) > 1 or isinstance(args[0], Compound):
        return args
    return arrays.items_of(engine, args[0]) or ()


def _may_be_empty(engine: Engine, x: Any) -> bool:
    """Whether `x` is an array of which data decides how many rows it has."""
    return arrays.is_array(engine, x) and not isinstance(length(engine, x), Const)


def _is_iterator(engine: Engine, x: Any) -> bool:
    """Whether `x`, of known length, is read once."""
    return isinstance(x, Compound) or state_of(engine, x) is not None


def _of_unknown_length(engine: Engine, target: Any, x: Any, options: dict[str, Any]) -> Any:
    """The extreme item of a sequence whose length is known at run time only."""
    key = options.get("key", NONE)
    x = source(engine, x)
    x = tables.unordered(engine, x) if key is NONE else x
    held = x if columnar.found(engine.heap, x) else list_(engine, x)
    if "default" in options:
        return _or_default(engine, target, held, options)
    args = [held, key, Const(target is min)]
    return engine.rules.call(engine, Const(sequences.greatest), args, {})


def _or_default(engine: Engine, target: Any, x: Any, options: dict[str, Any]) -> Any:
    """The extreme item of what data decides is empty or not."""
    args = [x, Const(target), options.get("key", NONE), options["default"]]
    return engine.rules.call(engine, Const(sequences.extreme_or), args, {})


_extremum(max)
_extremum(min)


@rule(np.einsum)
def einsum(engine: Engine, subscripts: Any, *operands: Any, **options: Any) -> Any:
    """A view of one array of which nothing is summed."""
    if len(operands) == 1 and not options and arrays.is_array(engine, operands[0]):
        made = _labelled(engine, shown(engine, operands[0]), engine.static(subscripts))
        if made is not None:
            return reference(engine, operands[0], made)
    given = [subscripts, *operands]
    optimize = options.get("optimize")
    if optimize is not None and engine.static(optimize, "optimize") is not False:
        if _ends_in_product(engine, given, engine.static(optimize, "optimize")):
            return call_library(engine, np.einsum, _SUM, given, options)
    result = _by_value(engine, np.einsum, *given, **options)
    fresh = isinstance(result, Ref) and not result.view and "out" not in options
    if fresh and arrays.shown(engine, result)[0][1:]:
        if optimize is not None or not _keeps_order(engine, subscripts, operands):
            engine.heap.infos[result.cell].strides = MIXED
    return result


def _keeps_order(engine: Engine, subscripts: Any, operands: Sequence[Any]) -> bool:
    """Whether NumPy lays out the sum in C order: no operand has two labels the other way round."""
    text = engine.static(subscripts) if isinstance(subscripts, Const) else None
    if not isinstance(text, str):
        return False
    ndims = [as_array(engine.bounded_operand(x)).ndim for x in operands]
    inputs, output = parse_einsum(text, ndims)
    for labels in inputs:
        places = [labels.index(c) for c in output if c in labels]
        if places != sorted(places):
            return False
    return True


def _ends_in_product(engine: Engine, args: list[Any], optimize: Any) -> bool:
    """Whether NumPy returns a sum over all as a 0-d array: `tensordot` does, its own loop not."""
    types = []
    for x in args:
        found = engine.operand(x)
        if not isinstance(found, Array):
            types.append(engine.static(x, "an argument of np.einsum"))
        else:
            types.append(np.broadcast_to(np.zeros((), found.dtype), found.shape))
    return engine.library("einsum", _is_array, types, optimize)


def _is_array(types: list[Any], optimize: Any) -> bool:
    path, _ = np.einsum_path(*types, optimize=optimize)
    small = [x[tuple([slice(2)] * x.ndim)] if isinstance(x, np.ndarray) else x for x in types]
    return type(np.einsum(*small, optimize=path)) is np.ndarray


def _labelled(engine: Engine, made: Shown, subscripts: Any) -> Shown | None:
    """The dimensions that a subscript names in the order of its result, diagonals taken."""
    if not isinstance(subscripts, str):
        return None
    (labels,), output = engine.library("einsum", parse_einsum, subscripts, [made.ndim])
    if set(labels) != set(output) or not output:
        return None
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first, second = [d for d, other in enumerate(labels) if other == label][:2]
            step = diagonal(made.shape, made.extents, 0, first, second, writable=True)
            made = made.then(step)
            kept = [c for d, c in enumerate(labels) if d not in (first, second)]
            labels = "".join(kept) + label
    return transpose(made, [labels.index(label) for label in output])


@rule(divmod)
def _divmod(engine: Engine, x: Any, y: Any) -> Any:
    apart = any(getattr(v, "kinds", None) is not None or far.is_far(v) for v in (x, y))
    if not apart:
        return _by_value(engine, divmod, x, y)
    binary = engine.rules.binary
    return Tuple((binary(engine, "floordiv", x, y), binary(engine, "mod", x, y)))


@rule(parts_of)
def _parts_of(engine: Engine, args: Tuple, pattern: Any, sizes: Any, *, fixed: Const) -> Any:
    """Known structure, which need not be visited for every program of many sizes."""
    reason = "an argument of which a size after the first is not known cannot be written"
    made = []
    for x, names in zip(args.items, engine.static(pattern, "the pattern"), strict=True):
        part = x
        if names is not None:
            ends = [NONE if k is None else get_item(engine, sizes, Const(k)) for k in names]
            key = Tuple(tuple([Compound("slice", (NONE, end, NONE)) for end in ends]))
            part = get_item(engine, x, key)
            if fixed.value and isinstance(x, Ref):
                part = arrays.fresh(engine, arrays.read(engine, part), read_only=reason)
        made.append(part)
    return Tuple(tuple(made))


@rule(kept)
def _kept(engine: Engine, x: Any, given: Any) -> Any:
    reason = "these coefficients are a copy of what the polynomial has"
    engine.heap.kept = engine.heap.kept | {given.cell}
    return arrays.fresh(engine, arrays.read(engine, x), read_only=reason)
