"""JAX functions inside compiled code.

    foreign("jax.numpy.linalg.qr", x, mode="reduced")      by name, from library functions
    call_jax(function, args, kwargs)                       for a function the user calls

Their types come from JAX's abstract evaluation, by `pyxla.runtime.foreign`, which puts itself into
`TYPED`: the library knows nothing of JAX.  Their code is JAX's own, made where the module is
(`runtime.jaxlink`), so that it is the code for what is compiled there: platform, partitions, axes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, NeedsStatic, Scalar
from pyxla.frozen import dataclass
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.ir.types import ArrayType
from pyxla.lib.prng import Key
from pyxla.ops import foreign as ops
from pyxla.ops.shape import constant


@dataclass(frozen=True, slots=True)
class Typed:
    """A JAX function at some types.

    function: from flat arrays to a list of them, which JAX lowers and differentiates.  unflatten:
    its flat results in the containers JAX returns.  numpy: what it computes, on arrays.  axes: the
    named axes over which it communicates.  sharding: one over the devices that it names.
    """

    function: Callable[..., Any]
    parameter_types: tuple[ArrayType, ...]
    result_types: tuple[ArrayType, ...]
    unflatten: Callable[[list[Any]], Any]
    numpy: Callable[..., Any]
    axes: tuple[Any, ...] = ()
    sharding: Any = None


@dataclass(frozen=True, slots=True)
class Leaf:
    """The place of an operand among the arguments of a foreign call."""

    index: int


@dataclass(frozen=True, slots=True)
class Node:
    """A container among the arguments; a dict has pairs as items."""

    kind: type
    items: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Static:
    """A known argument; unlike in a bare key, 1, 1.0 and True are different, and 0.0 and -0.0."""

    kind: type
    text: str
    value: Any


@dataclass(frozen=True, slots=True)
class Host:
    """What inference knows of JAX itself.

    array_class: of its arrays.  concrete: of those that are no tracers.  wide: the place where the
    user's `jax_enable_x64` is read.  narrowed: a function of JAX's that makes arrays as it does
    without that setting, and takes all the same what has 64 bits.  structural: which of the fields
    of a class, given by their names, are part of its structure, as it is registered.  scope: the
    place where the axes and the mesh are read that JAX has in scope.  named_axis: a context in
    which there is one more.  as_array: of a NumPy array one of JAX's.
    """

    array_class: Any
    concrete: Any
    wide: Any
    narrowed: Callable[[Any], Any]
    structural: Callable[[type, tuple[str, ...]], frozenset[str]]
    scope: Any
    named_axis: Callable[[Any, int], Any]
    as_array: Callable[[Any], Any]


# "jax": (function or its dotted name, args, kwargs, types, name) -> Typed, where the arguments are
# Nodes, which can be a key.
TYPED: dict[str, Callable[..., Typed]] = {}
# "jvp", "vjp", "batch": a derivative of a JAX function, or it on many lanes: again a JAX function.
DERIVATIVES: dict[str, Callable[..., Callable[..., Any]]] = {}


def foreign(name: str, *operands: Array, **static: Any) -> Any:
    """The result of the JAX function of that name, with static keyword arguments."""
    return call_jax(name, operands, static)


class NotKnown(OpError):
    """A number must be known, as of a shape."""


def call_jax(function: str | Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]):
    """`function(*args, **kwargs)`, where operands may be anywhere in nested containers."""
    values: list[Value] = []
    positional, named = _frozen(tuple(args), values), _frozen(kwargs, values)
    try:
        return _call(function, positional, named, values)
    except NotKnown:
        for x in (*args, *kwargs.values()):
            if isinstance(x, Scalar):
                raise NeedsStatic(x, f"an argument of {_symbol(function)}") from None
        raise


def _frozen(x: Any, values: list[Value]) -> Any:
    """`x` with operands collected in `values` and containers hashable."""
    if isinstance(x, Array | Scalar):
        values.append(x.value)
        return Leaf(len(values) - 1)
    if isinstance(x, Key):
        return Node(Key, (x.impl, _frozen(x.data, values)))
    if isinstance(x, tuple | list):
        return Node(type(x), tuple([_frozen(item, values) for item in x]))
    if isinstance(x, dict):
        return Node(dict, tuple([(key, _frozen(item, values)) for key, item in x.items()]))
    if isinstance(x, np.ndarray):
        values.append(constant(value=x))
        return Leaf(len(values) - 1)
    if isinstance(x, slice):
        return Node(slice, (_frozen((x.start, x.stop, x.step), values),))
    return Static(type(x), repr(x) if isinstance(x, float | complex) else "", x)


def _symbol(function: Any) -> str:
    """The name of its code in a module."""
    name = function if isinstance(function, str) else getattr(function, "__name__", "foreign")
    return re.sub(r"\W", "_", name.rpartition(".")[2])


def _call(function: Any, args: Node, kwargs: Node, values: list[Value]) -> Any:
    if "jax" not in TYPED:
        raise OpError("this function runs through JAX, which is not loaded")
    types = tuple([value.type for value in values])
    try:
        typed = TYPED["jax"](function, args, kwargs, types, _symbol(function))
    except OpError:
        raise
    except (TypeError, ValueError, NameError, RuntimeError) as error:
        raise OpError(f"JAX refuses the call: {error}") from error
    results = ops.foreign(
        *values,
        function=typed.function,
        parameter_types=typed.parameter_types,
        result_types=typed.result_types,
        name=_symbol(function),
        numpy=typed.numpy,
        axes=typed.axes,
        sharding=typed.sharding,
    )
    return typed.unflatten([Array(value) for value in results])
