"""Methods that operators and functions call, where a program names them itself: `xs.__len__()`,
`filter(known.__contains__, xs)`, `functools.reduce(int.__add__, xs)`."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

import pyxla.infer.builtins
import pyxla.infer.containers.methods  # noqa: F401 - which have rules of their own for some
from pyxla.abstract.lattice import Const, Tuple
from pyxla.infer.containers.indexing import delete_item, set_item
from pyxla.infer.engine import Engine
from pyxla.lib.registry import lookup, rule

# What the other operand of a type's own method may be: of another, `NotImplemented` is returned.
_OTHER: dict[type, Any] = {
    int: int,
    float: (int, float),
    complex: (int, float, complex),
    str: str,
    tuple: tuple,
    list: list,
    dict: dict,
    set: (set, frozenset),
    frozenset: (set, frozenset),
    range: range,
    np.ndarray: object,
}
_UNARY = {
    "len": len,
    "iter": iter,
    "reversed": reversed,
    "abs": abs,
    "int": int,
    "float": float,
    "bool": bool,
    "str": str,
    "repr": repr,
    "round": round,
    **{name: getattr(operator, name) for name in ("neg", "pos", "invert", "index")},
}
_ITEMS = {name: getattr(operator, name) for name in ("contains", "getitem", "setitem", "delitem")}
_ARITHMETIC = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("and", "or", "xor", "lshift", "rshift"),
)
_COMPARISONS = ("lt", "le", "eq", "ne", "gt", "ge")
# Of sequences, times and what a format takes are of other types than they are themselves.
_OF_ANY = frozenset({"mul", "mod"})


@rule(operator.setitem)
def _set_item(engine: Engine, x: Any, key: Any, value: Any) -> Const:
    set_item(engine, x, key, value)
    return Const(None)


@rule(operator.delitem)
def _delete_item(engine: Engine, x: Any, key: Any) -> Const:
    delete_item(engine, x, key)
    return Const(None)


def _register(cls: type, name: str, implementation: Any) -> None:
    method = vars(cls).get(f"__{name}__")
    if method is not None and lookup(method) is None:
        rule(method)(implementation)


def _as_tuple(x: Any) -> Any:
    """A tuple of a class of the user's as one of `tuple`, whose own method is called."""
    return Tuple(x.items) if type(x) is Tuple else x


def _called(function: Any) -> Any:
    def called(engine: Engine, x: Any, *args: Any) -> Any:
        return engine.rules.call(engine, Const(function), [_as_tuple(x), *args], {})

    return called


def _operated(cls: type, name: str, function: Any, swapped: bool) -> Any:
    of_any = name in _OF_ANY and hasattr(cls, "__len__")
    accepted = object if of_any else _OTHER[cls]

    def operated(engine: Engine, x: Any, y: Any) -> Any:
        fits = engine.rules.call(engine, Const(isinstance), [y, Const(accepted)], {})
        if not engine.static(fits, "whether the operand is of that type"):
            return Const(NotImplemented)
        operands = [y, _as_tuple(x)] if swapped else [_as_tuple(x), y]
        return engine.rules.call(engine, Const(function), operands, {})

    return operated


for _cls in _OTHER:
    for _name, _function in (_UNARY | _ITEMS).items():
        _register(_cls, _name, _called(_function))
    for _name in (*_ARITHMETIC, *_COMPARISONS):
        _plain = getattr(operator, f"{_name}_" if _name in ("and", "or") else _name)
        _register(_cls, _name, _operated(_cls, _name, _plain, False))
        _register(_cls, f"r{_name}", _operated(_cls, _name, _plain, True))
        if _name in _ARITHMETIC:
            _inplace = getattr(operator, f"i{_name}")
            _register(_cls, f"i{_name}", _operated(_cls, _name, _inplace, False))
