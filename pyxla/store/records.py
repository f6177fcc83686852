"""The compiler's records as JSON, and back: what is one object stays one.

    Writer(name).write(x)    name: the word for an object that exists in every process
    Reader(text, find).read  find: the object that has this word

A record of `runtime.outcome` or `runtime.descriptions` is written once, where it is met first, and
is a reference after that.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.errors import Location
from pyxla.ir.types import DTYPE_NAMES, SHORT_NAMES, ArrayType, Far, array_type
from pyxla.runtime import outcome

_RECORDS = {
    record.__name__: record
    for record in vars(outcome).values()
    if isinstance(record, type) and dataclasses.is_dataclass(record)
} | {"Location": Location, "Far": Far}


class Writer:
    """One tree of records; `named` gives the word for classes, functions and the like."""

    def __init__(self, named: Callable[[Any], Any]) -> None:
        self._named = named
        self._met: dict[int, tuple[int, Any]] = {}

    def write(self, x: Any) -> Any:
        kind = type(x)
        if x is None or kind in (bool, int, str):
            return x
        if kind in _FORMS:
            return {_FORMS[kind][0]: _FORMS[kind][1](x)}
        if kind in (tuple, list):
            return {kind.__name__: [self.write(y) for y in x]}
        if kind is slice:
            return {"slice": [self.write(y) for y in (x.start, x.stop, x.step)]}
        if kind is frozenset and list(frozenset(list(x))) == list(x):
            return {"frozenset": [self.write(y) for y in x]}
        if kind is dict:
            return {"dict": [[self.write(k), self.write(v)] for k, v in x.items()]}
        if isinstance(x, np.generic) and x.dtype in SHORT_NAMES:
            data = base64.b64encode(x.tobytes()).decode()
            return {"number": [SHORT_NAMES[x.dtype], data]}
        if isinstance(x, np.dtype) and x in SHORT_NAMES:
            return {"dtype": SHORT_NAMES[x]}
        if _RECORDS.get(kind.__name__) is kind:
            return self._record(x)
        return {"named": self._named(x)}

    def _record(self, x: Any) -> Any:
        if (met := self._met.get(id(x))) is not None:
            return {"again": met[0]}
        number = len(self._met)
        self._met[id(x)] = number, x
        fields = [self.write(getattr(x, field.name)) for field in dataclasses.fields(x)]
        return {"record": [type(x).__name__, number, fields]}


class Reader:
    """What a `Writer` wrote; `found` gives the object of a word."""

    def __init__(self, found: Callable[[Any], Any]) -> None:
        self._found = found
        self._met: dict[int, Any] = {}

    def read(self, x: Any) -> Any:
        if not isinstance(x, dict):
            return x
        ((form, value),) = x.items()
        if form in _READ:
            return _READ[form](value)
        if form in _SEQUENCES:
            return _SEQUENCES[form]([self.read(y) for y in value])
        if form == "dict":
            return {self.read(k): self.read(v) for k, v in value}
        if form == "again":
            return self._met[value]
        if form == "record":
            name, number, fields = value
            made = self._met[number] = _RECORDS[name](*[self.read(y) for y in fields])
            return made
        return self._found(value)


def _array_type(x: list[Any]) -> ArrayType:
    name, shape, weak = x
    return array_type(DTYPE_NAMES[name], tuple(shape), weak)


def _number(x: list[Any]) -> Any:
    name, text = x
    return np.frombuffer(base64.b64decode(text), DTYPE_NAMES[name])[0]


_SEQUENCES: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple,
    "list": list,
    "frozenset": frozenset,
    "slice": lambda parts: slice(*parts),
}
# By type: the name of its form, and how it is written.
_FORMS: dict[type, tuple[str, Callable[[Any], Any]]] = {
    float: ("float", float.hex),
    complex: ("complex", lambda x: [x.real.hex(), x.imag.hex()]),
    bytes: ("bytes", lambda x: base64.b64encode(x).decode()),
    ArrayType: ("type", lambda t: [SHORT_NAMES[t.dtype], list(t.shape), t.weak]),
    type(Ellipsis): ("ellipsis", lambda x: None),
}
_READ: dict[str, Callable[[Any], Any]] = {
    "float": float.fromhex,
    "complex": lambda x: complex(*map(float.fromhex, x)),
    "bytes": base64.b64decode,
    "type": _array_type,
    "number": _number,
    "dtype": DTYPE_NAMES.__getitem__,
    "ellipsis": lambda x: Ellipsis,
}
