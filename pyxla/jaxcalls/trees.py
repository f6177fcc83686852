"""Trees of containers in compiled code: JAX's own functions, on skeletons.

A *skeleton* is a Python object of the structure of an abstract value, in which each leaf is a
`Slot` that holds the leaf.  JAX's functions (`jax.tree.map`, `jax.tree.flatten`, ...) are executed
on skeletons while compiling, so that what counts as a container is what is registered with JAX; the
functions that they call are the program's, and what they return is read back.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from pyxla.abstract.heap import DictCell, ListCell, ObjectCell
from pyxla.abstract.lattice import FUNCTIONS, Array, Compound, Const, Ref, Tuple
from pyxla.errors import CompileError, also
from pyxla.infer.engine import Engine
from pyxla.infer.operators import truth
from pyxla.lib.registry import rule
from pyxla.runtime.containers import fields_of

_HEAP_TYPE = 1 << 9  # of classes made by class statements


_PLAIN = (jax.tree_util.PyTreeDef, str, bool, int, float, complex, np.generic, enum.Enum)


class Slot:
    """A leaf of a skeleton; equal to others where it is part of a class's structure and not a
    leaf, by the value that it then must have."""

    __slots__ = ("engine", "value")

    def __init__(self, engine: Engine, value: Any) -> None:
        self.engine = engine
        self.value = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Slot):
            return bool(self.known() == other)
        return other.value is self.value or bool(self.known() == other.known())

    def __hash__(self) -> int:
        return hash(self.known())

    def known(self) -> Any:
        return self.engine.static(self.value, "the structure of a tree")

    def __bool__(self) -> bool:
        return bool(self.engine.static(truth(self.engine, self.value), "this condition"))


def skeleton(engine: Engine, x: Any) -> Any:
    """The Python object that stands for `x`; a function is one that compiles a call of it."""
    x = engine.use(x)
    if isinstance(x, Tuple):
        items = [skeleton(engine, item) for item in x.items]
        return tuple(items) if x.cls is tuple else x.cls(*items)
    if isinstance(x, Const):
        return _constant(engine, x)
    if isinstance(x, Compound) and x.kind in FUNCTIONS:
        return _callable(engine, x)
    if isinstance(x, Ref) and (content := engine.content(x)).__class__ is not Array:
        found = _container(engine, content)
        return Slot(engine, x) if found is None else found
    return Slot(engine, x)


def _constant(engine: Engine, x: Const) -> Any:
    value = x.value
    if type(value) is tuple:
        return tuple([_constant(engine, Const(item)) for item in value])
    if value is None or isinstance(value, _PLAIN):
        return value
    if callable(value) and not isinstance(value, type):
        return _callable(engine, x)
    return Slot(engine, x)


def _container(engine: Engine, content: Any) -> Any:
    """A list, a dict or an instance of a class that JAX takes apart; None for other objects."""
    if isinstance(content, ListCell):
        return [skeleton(engine, item) for item in content.items]
    if isinstance(content, DictCell):
        return {key: skeleton(engine, item) for key, item in content.items.items()}
    if not isinstance(content, ObjectCell):
        return None
    made: Any = object.__new__(content.cls)
    for name, field in content.fields.items():
        object.__setattr__(made, name, skeleton(engine, field))
    return None if jax.tree_util.all_leaves([made]) else made


def _callable(engine: Engine, function: Any) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        given = [abstract(engine, arg) for arg in args]
        return skeleton(engine, engine.rules.call(engine, function, given, {}))

    return call


def abstract(engine: Engine, x: Any) -> Any:
    """The abstract value that a skeleton stands for, its containers new objects."""
    if isinstance(x, Slot):
        return x.value
    if isinstance(x, tuple):
        items = tuple([abstract(engine, item) for item in x])
        return Tuple(items, type(x) if hasattr(x, "_fields") else tuple)
    if type(x) is list:
        return engine.new_list([abstract(engine, item) for item in x])
    if type(x) is dict:
        return engine.new_dict({key: abstract(engine, item) for key, item in x.items()})
    if jax.tree_util.is_tree_node(type(x)) and type(x).__flags__ & _HEAP_TYPE:
        fields = {name: abstract(engine, field) for name, field in fields_of(x).items()}
        return engine.new(ObjectCell(type(x), fields))
    return Const(x)


def _on_skeletons(function: Callable[..., Any]) -> None:
    name = function.__name__.removeprefix("tree_")

    @rule(function)
    def executed(engine: Engine, *args: Any, **options: Any) -> Any:
        given = [skeleton(engine, x) for x in args]
        named = {key: skeleton(engine, x) for key, x in options.items()}
        if (is_leaf := named.get("is_leaf")) is not None:
            named["is_leaf"] = lambda x: bool(is_leaf(x))
        try:
            made = function(*given, **named)
        except CompileError:
            raise
        except (TypeError, ValueError, AttributeError) as error:
            why = str(error).partition("\n")[0]
            raise engine.refuse(
                f"jax.tree.{name}: {why}",
                kind=also(type(error)),  # type: ignore[arg-type]  # classes can be hashed
            ) from error
        return abstract(engine, made)


for module, prefix in ((jax.tree, ""), (jax.tree_util, "tree_")):
    for word in (
        *("all", "flatten", "flatten_with_path", "leaves", "leaves_with_path", "map"),
        *("map_with_path", "reduce", "structure", "transpose", "unflatten"),
    ):
        _on_skeletons(getattr(module, prefix + word))
