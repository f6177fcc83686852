"""Every HLO op as a callable: `hlo.add(x, y)`, `hlo.transpose(x, permutation=(1, 0))`.

Dynamic operands are positional, static operands are keywords named as in the StableHLO
specification; an op whose name is a Python keyword ends in an underscore (`hlo.while_`).  Ops are
strict: nothing is broadcast or promoted, but that a Python number takes the element type of the
first array of its kind.  Where the specification has a computation any Python function is taken:

    hlo.reduce(x, 0.0, dimensions=(0,), computation=lambda a, b: a + b)
    hlo.while_(n, x, cond=lambda n, x: n > 0, body=lambda n, x: (n - 1, x * x))

Inside compiled functions a call is one instruction; outside it runs a program of one op.
"""

from __future__ import annotations

import functools
import inspect
import keyword
import operator
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from pyxla import api, types
from pyxla.abstract.lattice import Array, Scalar
from pyxla.errors import CompileError
from pyxla.ir.core import Value
from pyxla.ir.op import Op, OpError
from pyxla.ir.types import ArrayType
from pyxla.lib.operands import as_array, literal
from pyxla.lib.registry import implements
from pyxla.ops import OPS, elementwise, shape
from pyxla.ops.check import as_dtype
from pyxla.ops.computation import apply

PROGRAMS = 512
_NUMBERS = {bool: "b", int: "iu", float: "fVc", complex: "c"}


class Face:
    """An op as users call it."""

    def __init__(self, op: Op) -> None:
        self.op = op
        self.__name__ = self.__qualname__ = python_name(op.name)
        self.__signature__ = _signature(op)
        self.__doc__ = f"hlo.{self.__name__}{self.__signature__}: the op `{op.name}` of StableHLO."

    def __repr__(self) -> str:
        return f"<hlo.{self.__name__}>"

    def __call__(self, *operands: Any, **attrs: Any) -> Any:
        if any(isinstance(x, Value | Array | Scalar) for x in operands):
            return self.inside(*operands, **attrs)
        if self.op is shape.constant:
            return np.array(attrs["value"])
        given = tuple([(name, _hashable(x)) for name, x in attrs.items()])
        make = _program if all(isinstance(x, Hashable) for _, x in given) else _made
        try:
            return make(self, given)(*operands)
        except CompileError as error:
            raise CompileError(error.message, hint=error.hint) from None

    def inside(self, *operands: Any, **attrs: Any) -> Any:
        """The library function: one instruction of the function under construction."""
        if self.op is shape.constant:  # its value may be an array made in the function
            return as_array(attrs["value"])
        attrs = DEFAULTS.get(self.op.name, {}) | attrs
        attrs = {name: _static(name, value) for name, value in attrs.items()}
        try:
            self.__signature__.bind(*operands, **attrs)
        except TypeError as error:
            usage = f"hlo.{self.__name__}{self.__signature__}"
            raise OpError(f"{self.op.name}: {error}; it is called as {usage}") from None
        made = apply(self.op, *_values(operands), **attrs)
        if not isinstance(made, tuple):
            return _operand(made)
        results = tuple([_operand(value) for value in made])
        return results[0] if len(results) == 1 else results


def _library_function(face: Face) -> Callable[..., Any]:
    """`face.inside` for the engine, which puts the op's name before messages itself."""

    def call(*operands: Any, **attrs: Any) -> Any:
        try:
            return face.inside(*operands, **attrs)
        except OpError as error:
            raise OpError(str(error).removeprefix(f"{face.op.name}: ")) from None

    return call


def python_name(name: str) -> str:
    """The name of an op as an attribute of this module."""
    return f"{name}_" if keyword.iskeyword(name) else name


def _signature(op: Op) -> inspect.Signature:
    """That of the op's transfer function, functions in the place of regions."""
    parameters = list(inspect.signature(op.infer).parameters.values())
    kept = [p.replace(annotation=p.empty) for p in parameters if p.name != "regions"]
    if op.blocks is not None:
        names = {p.name for p in kept}
        for name in BLOCKS.get(op.name, ("computation",)):
            if name not in names:
                kept.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY))
    defaults = DEFAULTS.get(op.name, {})
    return inspect.Signature([p.replace(default=defaults.get(p.name, p.default)) for p in kept])


# The functions an op takes, where they are not one `computation`.
BLOCKS: dict[str, tuple[str, ...]] = {
    "if": ("true_branch", "false_branch"),
    "case": ("branches",),
    "while": ("cond", "body"),
    "call": ("function",),
    "sort": ("comparator",),
    "select_and_scatter": ("select", "computation"),
}


# What a computation is where none is given.
DEFAULTS: dict[str, dict[str, Any]] = {
    "sort": {"comparator": "LT"},
    "all_reduce": {"computation": "add"},
    "reduce_scatter": {"computation": "add"},
}


def _values(operands: Sequence[Any]) -> list[Value]:
    """Operands as values; Python numbers at the element type of the first array of their kind."""
    strong = [x.value.type.dtype for x in operands if isinstance(x, Array)]
    return [_value(x, strong) for x in operands]


def _value(x: Any, strong: Sequence[np.dtype]) -> Value:
    if isinstance(x, Value):
        return x
    if isinstance(x, Array):
        return x.value
    kind = x.kind if isinstance(x, Scalar) else type(x)
    if kind not in _NUMBERS:
        return as_array(x).value
    fits = [dtype for dtype in strong if dtype.kind in _NUMBERS[kind]]
    if isinstance(x, Scalar):
        return elementwise.convert(x.value, dtype=fits[0], weak=False) if fits else x.value
    return literal(x, fits[0]) if fits else literal(x, np.dtype(kind), weak=True)


def _operand(value: Value) -> Any:
    return Scalar(value) if value.type.weak else Array(value)


def _static(name: str, value: Any) -> Any:
    """An attribute as ops take it: plain ints, tuples, dtypes; functions of values."""
    if name == "dtype":
        return as_dtype("dtype", value)
    if name == "result_types":
        return tuple(map(_result_type, value if isinstance(value, list | tuple) else (value,)))
    if isinstance(value, list | tuple):
        return tuple([_static("", item) for item in value])
    if isinstance(value, Array | Scalar | np.integer):
        return operator.index(value)
    if callable(value) and not isinstance(value, type):
        return functools.partial(_on_values, value)
    return value


def _result_type(x: Any) -> ArrayType:
    if (found := types.array_of(x)) is None:
        raise OpError("result_types must be known types of arrays, as pyxla.f64[3]")
    return found


def _on_values(function: Callable[..., Any], *params: Value) -> Any:
    """`function`, which takes and returns operands, on values."""
    made = function(*[_operand(param) for param in params])
    if isinstance(made, tuple | list):
        return tuple(_values(made))
    return _value(made, ())


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _made(face: Face, attrs: tuple[tuple[str, Any], ...]) -> Callable[..., Any]:
    """The program of one op, compiled for each signature."""
    bound = functools.partial(face, **dict(attrs))

    def one_op(*operands: Any) -> Any:
        return bound(*operands)

    return api.compile(one_op)


_program = functools.lru_cache(maxsize=PROGRAMS)(_made)

FACES: dict[str, Face] = {python_name(op.name): Face(op) for op in OPS.values()}
for _face in FACES.values():
    implements(_face)(_library_function(_face))


def __getattr__(name: str) -> Face:
    try:
        return FACES[name]
    except KeyError:
        raise AttributeError(f"pyxla.hlo has no op {name!r}") from None


def __dir__() -> list[str]:
    return sorted(FACES)
