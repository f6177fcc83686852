"""What is taken for a number in an index: instances with `__index__`, ints of any kind."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from pyxla.abstract.heap import DictCell, ObjectCell
from pyxla.abstract.lattice import Array, Compound, Const, Ref, Scalar, Tuple
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call
from pyxla.infer.calls.visiting import special
from pyxla.infer.engine import Engine
from pyxla.infer.joins import choices, kinds
from pyxla.infer.raising.refusals import full_name

# What is asked for its items by anything: by the object itself.
_KEYED = (ObjectCell, DictCell)


def place(engine: Engine, x: Any, key: Any) -> Any:
    """`key` as an index of `x`: bools, instances with `__index__`, and members of an IntEnum of
    which data decides one, as the numbers that they stand for."""
    if type(key) is Const or (type(key) is Scalar and key.kind is not bool):
        return key
    keyed = isinstance(engine.heap.contents.get(getattr(x, "cell", None)), _KEYED)
    if type(key) is Scalar:  # arrays take it for a mask
        return key if keyed or arrays.is_array(engine, x) else as_int(engine, key)
    if type(key) is Array:  # of uint64, some are no ints of 64 bits
        array = key.dtype != np.uint64 or key.shape or arrays.is_array(engine, x)
        return key if array or keyed else as_int(engine, key)
    if isinstance(key, Ref):
        content = engine.heap.contents[key.cell]
        plain = type(content) is not ObjectCell or not hasattr(content.cls, "__index__")
        return key if plain or keyed else as_int(engine, key)
    if choices.is_choice(key) and not keyed:
        number = choices.number_of(key)
        return key if number is None else number
    if isinstance(key, Compound) and key.kind == "slice":
        return Compound("slice", tuple([place(engine, x, i) for i in key.items]), key.meta)
    if isinstance(key, Tuple) and key.cls is tuple:
        return Tuple(tuple([place(engine, x, i) for i in key.items]))
    return key


def as_int(engine: Engine, x: Any) -> Any:
    """An index as a Python int."""
    if isinstance(x, Const):
        try:
            return Const(operator.index(x.value))
        except TypeError:
            words = kinds.NO_INT.format(full_name(type(x.value)))
            raise engine.refuse(words, raises=TypeError, words=words) from None
    x = kinds.as_one_int(engine, x, kinds.NO_INT)
    if isinstance(x, Scalar) and x.kind is int:
        return x
    if isinstance(x, Array) and x.dtype.kind in "iu" or isinstance(x, Scalar) and x.kind is bool:
        return call(engine, Const(int), [x], {})
    if arrays.is_array(engine, x) and arrays.dtype_of(engine, x).kind in "iu":
        return call(engine, Const(int), [x], {})
    if (found := special(engine, x, "__index__", ())) is not None:
        return as_int(engine, found)
    message = kinds.NO_INT.format(arrays.kind_of(engine, x))
    raise engine.refuse(message, "use int(...)", raises=TypeError)


def from_end(engine: Engine, length: Any, i: Any) -> Any:
    """Index `i`, which is in range, counted from the end."""
    with engine.unchecked():
        last = engine.rules.binary(engine, "sub", length, Const(1))
        return engine.rules.binary(engine, "sub", last, i)
