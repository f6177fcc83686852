"""Derivatives of specializations: typed region and outcome -> typed region and outcome.

    Made        a specialization as a region over flat arrays, and what its caller sees
    Transform   Made -> Made; `inner` says how many of its arguments the function takes

The arguments of a derivative are those of the function and then further ones (tangents or a
cotangent), whose trees have the form of arguments or results.  Transformations never write to the
caller: writes and stores of the function are left out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pyxla.errors import CompileError
from pyxla.grad.activity import is_inexact
from pyxla.grad.emitting import inline
from pyxla.grad.forward import jvp
from pyxla.grad.reverse import vjp
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Region, Value
from pyxla.ops.check import INEXACT
from pyxla.ops.filled import filled
from pyxla.runtime import outcome as out
from pyxla.runtime import signature as sig


@dataclass(frozen=True, slots=True)
class Made:
    """args: descriptions of the arguments; the region's parameters are their leaves in order."""

    name: str
    args: tuple[sig.Arg, ...]
    region: Region
    outcome: out.Outcome


# --- Trees ------------------------------------------------------------------------------------


def leaves(arg: sig.Arg) -> Iterator[sig.ArgArray | sig.ArgScalar]:
    """The dynamic parts of an argument, in order."""
    match arg:
        case sig.ArgArray() | sig.ArgScalar():
            yield arg
        case sig.ArgTuple(_, items) | sig.ArgList(items) | sig.ArgPytree(_, _, items):
            for item in items:
                yield from leaves(item)
        case sig.ArgDict(_, values):
            for item in values:
                yield from leaves(item)
        case sig.ArgObject(_, fields):
            for _, item in fields:
                yield from leaves(item)
        case sig.ArgMethod(_, owner):
            yield from leaves(owner)


def like_argument(arg: sig.Arg, results: dict[int, int]) -> out.Out:
    """What has the form of an argument; `results`: leaf -> position of what stands for it.

    Where nothing does (ints, bools) it is a zero; what is static stays.
    """

    def each(items: Sequence[sig.Arg]) -> tuple[out.Out, ...]:
        return tuple([like_argument(item, results) for item in items])

    match arg:
        case sig.ArgArray(type, kind) | sig.ArgScalar(type, _, kind) if arg.leaf not in results:
            zero = np.zeros(type.shape, type.dtype)
            return out.OutConst(zero.item() if kind == "python" else zero)
        case sig.ArgArray(_, kind):
            found = results[arg.leaf]
            return out.OutScalar(found, "numpy") if kind == "scalar" else out.OutArray(found)
        case sig.ArgScalar():
            return out.OutScalar(results[arg.leaf])
        case sig.ArgStatic(value):
            return out.OutConst(value)
        case sig.ArgTuple(cls, items):
            return out.OutTuple(cls, each(items))
        case sig.ArgList(items):
            return out.OutList(each(items))
        case sig.ArgDict(keys, values):
            return out.OutDict(keys, each(values))
        case sig.ArgObject(cls, fields):
            names = [name for name, _ in fields]
            return out.OutObject(cls, tuple(zip(names, each([a for _, a in fields]), strict=True)))
    kind = arg.__class__.__name__[3:].lower()
    raise CompileError(f"derivatives by {kind} arguments do not exist")


def like_result(tree: out.Out, results: dict[int, int], region: Region) -> out.Out:
    """A result's tree over other results; where there is none (ints) it is a zero."""

    def each(items: Sequence[out.Out]) -> tuple[out.Out, ...]:
        return tuple([like_result(item, results, region) for item in items])

    match tree:
        case out.OutArray(index) | out.OutScalar(index) if index not in results:
            type = region.results[index].type
            return out.OutConst(np.zeros(type.shape, type.dtype))
        case out.OutArray(index):
            return out.OutArray(results[index])
        case out.OutScalar(index, kind):
            return out.OutScalar(results[index], kind)
        case out.OutTuple(cls, items):
            return out.OutTuple(cls, each(items))
        case out.OutList(items):
            return out.OutList(each(items))
        case out.OutDict(keys, values):
            return out.OutDict(keys, each(values))
        case out.OutObject(cls, fields):
            names = [name for name, _ in fields]
            items = each([item for _, item in fields])
            return out.OutObject(cls, tuple(zip(names, items, strict=True)))
    return tree


def result_indices(tree: out.Out) -> list[int]:
    """The results in a tree, in its order."""
    nodes = [n for n in out.walk(tree) if isinstance(n, out.OutArray | out.OutScalar)]
    return [node.index for node in nodes]


def without_arguments(made: Made) -> Made:
    """Results that are argument objects become copies of what the function left in them."""
    outcome = made.outcome
    leaf_results = {write.leaf: write.index for write in outcome.writes}
    param_of = {leaf: k for k, leaf in enumerate(outcome.inputs)}
    results = list(made.region.results)

    def copied(tree: out.Out) -> out.Out:
        if not isinstance(tree, out.OutArgument):
            return tree
        arg: Any = made.args[tree.path[0]]
        for step in tree.path[1:]:
            arg = _element(arg, step)
        found = {}
        for leaf in leaves(arg):
            index = leaf_results.get(leaf.leaf)
            if index is None:
                results.append(made.region.params[param_of[leaf.leaf]])
                index = len(results) - 1
            found[leaf.leaf] = index
        return like_argument(arg, found)

    tree = _mapped(outcome.result, copied)
    region = Region(made.region.params, made.region.instrs, tuple(results))
    return dataclasses.replace(
        made, region=region, outcome=dataclasses.replace(outcome, result=tree)
    )


def _element(arg: Any, step: Any) -> sig.Arg:
    match arg:
        case sig.ArgTuple(_, items) | sig.ArgList(items):
            return items[step]
        case sig.ArgDict(keys, values):
            return values[keys.index(step)]
        case sig.ArgObject(_, fields):
            return dict(fields)[step]
    raise CompileError("this result has no derivative: it is an argument of unknown form")


def _mapped(tree: out.Out, function: Callable[[out.Out], out.Out]) -> out.Out:
    match tree:
        case out.OutTuple(cls, items):
            return out.OutTuple(cls, tuple([_mapped(i, function) for i in items]))
        case out.OutList(items):
            return out.OutList(tuple([_mapped(i, function) for i in items]))
        case out.OutDict(keys, values):
            return out.OutDict(keys, tuple([_mapped(v, function) for v in values]))
        case out.OutObject(cls, fields):
            return out.OutObject(cls, tuple([(n, _mapped(v, function)) for n, v in fields]))
    return function(tree)


# --- Transformations --------------------------------------------------------------------------


def copying(made: Made) -> Made:
    """The function itself, writing to no argument."""
    made = without_arguments(made)
    region = made.region
    tree = made.outcome.result
    return _rebuilt(made, region.params, Builder(region.instrs), region.results, tree)


def gradient(
    made: Made, wanted: Sequence[int], single: bool, has_aux: bool, with_value: bool
) -> Made:
    """The gradient of a scalar result by arguments `wanted`, beside the value if `with_value`."""
    made = without_arguments(made)
    value, aux = _value_and_aux(made, has_aux)
    places = _inexact_leaves(made, wanted)
    region = vjp(made.region, [param for _, param in places], [value.index])
    *params, seed = region.params
    builder = Builder([])
    with building(builder):
        one = filled(seed.type, 1)
        results = inline(region, (*params, one), {})
    count = len(made.region.results)
    found = {leaf: count + k for k, (leaf, _) in enumerate(places)}
    trees = [like_argument(made.args[i], found) for i in wanted]
    tree = trees[0] if single else out.OutTuple(tuple, tuple(trees))
    if has_aux:
        value = out.OutTuple(tuple, (value, aux))
    if with_value:
        tree = out.OutTuple(tuple, (value, tree))
    elif has_aux:
        tree = out.OutTuple(tuple, (tree, aux))
    return _rebuilt(made, tuple(params), builder, results, tree)


def _value_and_aux(made: Made, has_aux: bool) -> tuple[Any, Any]:
    tree, aux = made.outcome.result, None
    if has_aux:
        if not isinstance(tree, out.OutTuple) or len(tree.items) != 2:
            raise CompileError(f"'{made.name}' must return (value, aux) where has_aux is true")
        tree, aux = tree.items
    if isinstance(tree, out.OutConst) and tree.value is None:
        raise CompileError(
            f"'{made.name}' returns None: there is nothing to differentiate",
            hint="to differentiate what it writes, use pyxla.functional, which returns it",
        )
    scalar = isinstance(tree, out.OutArray | out.OutScalar)
    type = made.region.results[tree.index].type if scalar else None
    if type is None or type.shape or type.dtype not in INEXACT or type.dtype.kind == "c":
        raise CompileError(
            f"grad needs a function that returns one real number; '{made.name}' returns "
            f"{type if scalar else 'something else'}",
            hint="use has_aux=True for further results, or vjp, jacrev or jacfwd",
        )
    return tree, aux


def _inexact_leaves(made: Made, wanted: Sequence[int]) -> list[tuple[int, int]]:
    """(leaf, parameter) of the floating-point parts of arguments."""
    param_of = {leaf: k for k, leaf in enumerate(made.outcome.inputs)}
    places = []
    for i in wanted:
        found = list(leaves(made.args[i]))
        inexact = [leaf.leaf for leaf in found if leaf.type.dtype in INEXACT]
        if not inexact and isinstance(made.args[i], sig.ArgArray | sig.ArgScalar | sig.ArgStatic):
            raise CompileError(
                f"argument {i} of '{made.name}' is not floating point: it has no derivative",
                types=[str(leaf.type) for leaf in found],
                hint="pass a float, or name other arguments by argnums",
            )
        places += [(leaf, param_of[leaf]) for leaf in inexact]
    return places


def _rebuilt(
    made: Made,
    params: tuple[Value, ...],
    builder: Builder,
    results: Sequence[Value],
    tree: out.Out,
    inputs: tuple[int, ...] | None = None,
) -> Made:
    """With this code and this result; nothing is written, and what no one sees is left out."""
    outcome = dataclasses.replace(
        made.outcome,
        inputs=made.outcome.inputs if inputs is None else inputs,
        result=tree,
        writes=(),
        stores=(),
    )
    roots = [tree, *[arg for site in outcome.sites for arg in site.args]]
    seen = {index for root in roots for node in out.walk(root) for index in _indices(node)}
    if outcome.status is not None:
        seen.add(outcome.status)
    gone = [k for k in range(len(results)) if k not in seen]
    kept = tuple([value for k, value in enumerate(results) if k in seen])
    region = Region(params, builder.instrs, kept)
    return dataclasses.replace(made, region=region, outcome=out.without_results(outcome, gone))


def _indices(node: out.Out) -> list[int]:
    if isinstance(node, out.OutArray):
        return [node.index, *[e for e in node.extents if e is not None]]
    return [node.index] if isinstance(node, out.OutScalar) else []


def forward(made: Made, extra: Sequence[sig.Arg]) -> Made:
    """(result, tangent of the result) at arguments and their tangents `extra`."""
    made = without_arguments(made)
    places, given = [], []
    param_of = {leaf: k for k, leaf in enumerate(made.outcome.inputs)}
    for arg, tangent in zip(made.args, extra, strict=True):
        for leaf, other in zip(leaves(arg), leaves(tangent), strict=True):
            if leaf.type.dtype in INEXACT:
                _check_alike(made, leaf, other)
                places.append(param_of[leaf.leaf])
                given.append(other.leaf)
    region = jvp(made.region, places)
    inexact = [k for k, value in enumerate(made.region.results) if is_inexact(value)]
    count = len(made.region.results)
    found = {index: count + k for k, index in enumerate(inexact)}
    tangent = like_result(made.outcome.result, found, made.region)
    tree = out.OutTuple(tuple, (made.outcome.result, tangent))
    inputs = (*made.outcome.inputs, *given)
    builder = Builder(region.instrs)
    return _rebuilt(made, region.params, builder, region.results, tree, inputs)


def _check_alike(made: Made, leaf: Any, other: Any) -> None:
    if leaf.type.dtype != other.type.dtype or leaf.type.shape != other.type.shape:
        raise CompileError(
            f"a tangent or cotangent of '{made.name}' must have the type of what it belongs to",
            types=(str(leaf.type), str(other.type)),
        )


def backward(made: Made, extra: Sequence[sig.Arg]) -> Made:
    """Cotangents of the arguments, as a tuple, at a cotangent of the result."""
    made = without_arguments(made)
    (cotangent,) = extra
    indices = result_indices(made.outcome.result)
    given = list(leaves(cotangent))
    if len(given) != len(indices):
        raise CompileError(f"the cotangent of '{made.name}' must have the form of its result")
    seeds, inputs = [], []
    for index, leaf in zip(indices, given, strict=True):
        if is_inexact(made.region.results[index]):
            _check_alike(made, made.region.results[index], leaf)
            seeds.append(index)
            inputs.append(leaf.leaf)
    wanted = [i for i, arg in enumerate(made.args) if _differentiable(arg)]
    places = _inexact_leaves(made, wanted)
    region = vjp(made.region, [param for _, param in places], seeds)
    count = len(made.region.results)
    found = {leaf: count + k for k, (leaf, _) in enumerate(places)}
    tree = out.OutTuple(tuple, tuple([like_argument(arg, found) for arg in made.args]))
    builder = Builder(region.instrs)
    inputs = (*made.outcome.inputs, *inputs)
    return _rebuilt(made, region.params, builder, region.results, tree, inputs)


def _differentiable(arg: sig.Arg) -> bool:
    return any(leaf.type.dtype in INEXACT for leaf in leaves(arg))
