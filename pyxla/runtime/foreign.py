"""Types JAX functions for `pyxla.lib.foreign`: results and meaning, by JAX's abstract evaluation.

Always with 64-bit types, which the arrays of a compiled function have.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from pyxla.ir.op import OpError
from pyxla.ir.types import SHORT_NAMES, ArrayType, array_type
from pyxla.lib.foreign import DERIVATIVES, TYPED, Host, Leaf, Node, NotKnown, Static, Typed
from pyxla.lib.prng import Key, KeyArray
from pyxla.runtime import host, jaxlink


def typed(function: Any, args: Node, kwargs: Node, types: tuple[ArrayType, ...], name: str) -> Any:
    """`function(*args, **kwargs)` for arrays of `types` in the places of the leaves, under the axes
    and the mesh that JAX has in scope."""
    return _typed(function, args, kwargs, types, name, jaxlink.environment())


@functools.lru_cache(maxsize=1024)
def _typed(
    function: str | Callable[..., Any],
    args: Node,
    kwargs: Node,
    types: tuple[ArrayType, ...],
    name: str,
    _: Any,
) -> Typed:
    target = named(function) if isinstance(function, str) else function
    made: list[Any] = []  # the containers, and what they hold that is no array

    def flat(*arrays: Any) -> list[Any]:
        results = target(*thaw(args, arrays), **thaw(kwargs, arrays))
        leaves, tree = jax.tree.flatten(results)
        for x in leaves:
            if not hasattr(x, "dtype") and not isinstance(x, _KNOWN):
                raise OpError(
                    f"it returns a {type(x).__name__}, and not arrays only; call it outside of "
                    "compiled code, and use what it returns here"
                )
        made[:] = [tree, [jaxlink.generator(x) if hasattr(x, "dtype") else x for x in leaves]]
        arrays = tuple([x for x in leaves if hasattr(x, "dtype")])
        return [jax.random.key_data(x) if jaxlink.is_key(x) else x for x in arrays]

    flat.__name__ = flat.__qualname__ = name
    try:
        known = jaxlink.abstract(flat, types)
    except jax.errors.ConcretizationTypeError as error:
        raise NotKnown(f"JAX refuses the call: {error}") from error
    if known is None:
        raise OpError(
            "it calls Python while it runs, which a compiled module cannot; print() can print"
        )
    return Typed(
        flat,
        types,
        tuple(map(_result_type, known.results)),
        functools.partial(_unflatten, *made),
        functools.partial(_evaluate, flat),
        known.axes,
        known.sharding,
    )


# What is known of results: numbers, and JAX's descriptions of where arrays lie.
_KNOWN = (bool, int, float, complex, *host.DESCRIBED)


def _unflatten(tree: Any, others: list[Any], values: list[Any]) -> Any:
    """The flat results in their containers, data of keys as keys, numbers as they are."""
    arrays = iter(values)
    leaves = [
        x if isinstance(x, _KNOWN) else next(arrays) if x is None else Key(x, next(arrays))
        for x in others
    ]
    return jax.tree.unflatten(tree, leaves)


def named(name: str) -> Callable[..., Any]:
    """The object of that dotted name."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def thaw(x: Any, arrays: tuple[Any, ...]) -> Any:
    """Arguments with arrays in the places of their leaves."""
    if isinstance(x, Leaf):
        return arrays[x.index]
    if isinstance(x, Node):
        if x.kind is dict:
            return {key: thaw(item, arrays) for key, item in x.items}
        items = [thaw(item, arrays) for item in x.items]
        if x.kind is Key:
            return jax.random.wrap_key_data(items[1], impl=items[0])
        if x.kind is slice:
            return slice(*items[0])
        derived = isinstance(x.kind, type) and issubclass(x.kind, tuple)
        return tuple.__new__(x.kind, items) if derived else x.kind(items)
    return x.value if isinstance(x, Static) else x


def _result_type(info: Any) -> ArrayType:
    dtype = np.dtype(info.dtype) if info.dtype in SHORT_NAMES else None
    if dtype is None:
        raise OpError(f"a result of element type {info.dtype} cannot leave a JAX function")
    return array_type(dtype, tuple(info.shape))


def _evaluate(function: Callable[..., Any], *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    with jaxlink.foreign_scope():
        return tuple([np.asarray(x) for x in jax.jit(function)(*arrays)])


Active = tuple[int, ...]


@functools.lru_cache(maxsize=1024)
def pushed(function: Callable[..., Any], active: Active) -> Callable[..., Any]:
    """(arguments, tangents of the active ones) -> tangents of the results."""

    def push(*arrays: Any) -> Any:
        fixed, some = _at(function, active, arrays, len(active))
        primals = [arrays[k] for k in active]
        return jax.jvp(some, primals, list(arrays[len(fixed) :]))[1]

    return push


@functools.lru_cache(maxsize=1024)
def pulled(function: Callable[..., Any], active: Active, seeded: Active) -> Callable[..., Any]:
    """(arguments, cotangents of the inexact results `seeded`) -> those of the active arguments."""

    def pull(*arrays: Any) -> Any:
        fixed, some = _at(function, active, arrays, len(seeded))

        def chosen(*given: Any) -> list[Any]:
            made = some(*given)
            return [made[k] for k in seeded]

        _, back = jax.vjp(chosen, *[arrays[k] for k in active])
        return back(list(arrays[len(fixed) :]))

    return pull


@functools.lru_cache(maxsize=1024)
def mapped(
    function: Callable[..., Any], lanes: tuple[bool, ...], size: int, axis: Any
) -> Callable[..., Any]:
    """The function on arrays of which some have lanes, again a JAX function.

    axis: what the lanes are called, None if nothing.
    """
    options = {} if axis is None else {"axis_name": axis}

    def many(*arrays: Any) -> Any:
        axes = tuple([0 if flag else None for flag in lanes])
        return jax.vmap(function, in_axes=axes, axis_size=size, **options)(*arrays)

    return many


def _at(
    function: Callable[..., Any], active: Active, arrays: tuple[Any, ...], further: int
) -> tuple[list[Any], Callable[..., Any]]:
    """The arguments, and the inexact results as a function of the active ones."""
    fixed = list(arrays[: len(arrays) - further])

    def some(*chosen: Any) -> list[Any]:
        whole = list(fixed)
        for k, x in zip(active, chosen, strict=True):
            whole[k] = x
        made = function(*whole)
        return [x for x in made if jax.numpy.issubdtype(x.dtype, jax.numpy.inexact)]

    return fixed, some


@functools.lru_cache(maxsize=1024)
def narrowed(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` where 64-bit types are off for what it makes, and not for what it is given."""

    @functools.wraps(function, updated=())
    def narrow(*args: Any, **kwargs: Any) -> Any:
        with jaxlink.narrow():
            return function(*map(_python, args), **{k: _python(x) for k, x in kwargs.items()})

    return narrow


def _python(x: Any) -> Any:
    """Numbers of Python's that are known at run time, with the type JAX then gives them."""
    if isinstance(x, dict):
        return {key: _python(item) for key, item in x.items()}
    if isinstance(x, tuple | list):
        items = [_python(item) for item in x]
        return items if isinstance(x, list) else tuple.__new__(type(x), items)
    if isinstance(x, slice):
        return slice(*map(_python, (x.start, x.stop, x.step)))
    if isinstance(x, jax.Array) and x.weak_type and x.shape == ():
        return jax.lax.convert_element_type(x, type(x.dtype.type(0).item()))
    return x


@functools.lru_cache(maxsize=1024)
def structural(cls: type, names: tuple[str, ...]) -> frozenset[str]:
    """The fields that are no children of instances of `cls`, where it is registered with JAX and
    its flattening only hands fields on."""
    if not jax.tree_util.is_tree_node(cls):
        return frozenset()
    made: Any = object.__new__(cls)
    marks = {name: object() for name in names}
    try:
        for name, mark in marks.items():
            object.__setattr__(made, name, mark)
        children = {id(leaf) for leaf in jax.tree.leaves(made)}
    except Exception:  # noqa: BLE001 - the user's flattening raises anything
        return frozenset()
    return frozenset([name for name, mark in marks.items() if id(mark) not in children])


def _keys(fields: dict[str, Any]) -> Any:
    return jax.random.wrap_key_data(fields["data"], impl=fields["impl"])


KeyArray.__pyxla_made__ = staticmethod(_keys)  # type: ignore[attr-defined]


HOST = Host(
    jax.Array,
    jaxlink.ARRAY,
    host.WIDE,
    narrowed,
    structural,
    host.SCOPE,
    jaxlink.named_axis,
    jaxlink.on_host,
)
TYPED["jax"] = typed
DERIVATIVES["jvp"] = pushed
DERIVATIVES["vjp"] = pulled
DERIVATIVES["batch"] = mapped
