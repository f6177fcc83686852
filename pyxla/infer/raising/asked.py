"""What NumPy says of what it is given: asked where the library refuses.

Whether arguments fit an operation is decided by their types and shapes, which are known.  Where
the library refuses, NumPy does the same with samples: arrays of these types and shapes with several
contents.  What it raises for all of them, in the same words, does not depend on what the arrays
hold, so the program certainly raises it.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import warnings
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Compound, Const, Ref, Scalar
from pyxla.errors import CompileError, InternalError, also
from pyxla.hints import OUTSIDE
from pyxla.infer.arrays import access as arrays
from pyxla.infer.frame import Frame
from pyxla.infer.interface import Engine
from pyxla.ir.core import Instr
from pyxla.lib.registry import is_numpys, lookup

MOST = 2**20  # of an int that may be a size
LARGEST = 2**14  # elements of all samples, an outer product of which still fits in memory
_MODULES = ("builtins", "numpy.exceptions", "numpy.linalg", "numpy._core._exceptions")
_OPERATIONS = {"getitem": operator.getitem, "setitem": operator.setitem, "truth": bool}
_MEMBERS = {"contains": lambda x, y: x in y, "not_contains": lambda x, y: x not in y}
_PYTHONS = (float, int, complex, bool)
# The first of the numbers of a sample, and the step to the next: alike, rising and falling, since
# what is raised may depend on their order.
_NUMBERS = ((0, 0), (1, 1), (3, -1), (-2, 0), (1000, 7))
_BUILTINS = frozenset(
    (abs, bool, chr, complex, divmod, enumerate, float, int, iter, len, list, max, min, ord)
    + (range, reversed, round, set, sorted, sum, tuple, zip)
)


def _diagonal(shape: tuple[int, ...]) -> Any:
    return np.eye(shape[-2], shape[-1]) + np.zeros(shape) if len(shape) > 1 else np.ones(shape)


_CONTENTS: tuple[Callable[[tuple[int, ...]], Any], ...] = (
    np.zeros,
    lambda shape: np.arange(np.prod(shape, dtype=int)).reshape(shape),
    _diagonal,
    lambda shape: np.random.default_rng(0).normal(size=shape),
    np.ones,
)


class _NoSampleError(Exception):
    """There is no object of CPython's that stands for an abstract value."""


def refusal(engine: Engine, frame: Frame, error: CompileError) -> CompileError:
    """`error` of the instruction that `frame` is at, with what NumPy certainly raises there, in its
    words, where it does."""
    block, index = frame.position or (None, -1)
    if block is None or index < 0 or isinstance(error, InternalError) or error.same is not None:
        return error
    operation = _operation(engine, frame, block.instrs[index])
    if operation is None:
        return error
    function, given, named = operation
    same = _certain(function, given, named)
    if same is None or type(same).__module__ not in _MODULES:
        return error
    kind = also(type(same))  # type: ignore[arg-type]  # classes can be hashed
    hint = "" if error.hint == OUTSIDE else error.hint
    found = kind(error.message, error.loc, chain=error.chain, hint=hint, same=same)
    found.remedy = error.remedy
    found.types, found.notes = error.types, error.notes
    return found


def _operation(
    engine: Engine, frame: Frame, instr: Instr
) -> tuple[Callable[..., Any], list[Any], dict[str, Any]] | None:
    """The function that `instr` stands for, and what it is given as the library sees it."""
    name = instr.op.name
    values = [frame.env[v] for v in instr.operands]
    try:
        if name == "call":
            return _called(engine, values, instr.attrs["layout"])
        if name in ("binary", "compare", "unary", "inplace"):
            symbol = instr.attrs["op"]
            spelt = f"i{symbol.strip('_')}" if name == "inplace" else symbol
            function: Any = _MEMBERS.get(symbol) or getattr(operator, spelt)
        else:
            function = _OPERATIONS[name]
        given = [_seen(engine, x) for x in values]
        if any(map(functools.partial(_is_other, engine), values, given)):
            return None
        return (function, given, {}) if any(map(_is_told, given)) else None
    except (CompileError, LookupError, AttributeError, _NoSampleError):
        return None


def _called(
    engine: Engine, values: list[Any], layout: tuple[str, ...]
) -> tuple[Callable[..., Any], list[Any], dict[str, Any]] | None:
    callee, *values = values
    layout_ = list(layout)
    while isinstance(callee, Compound) and callee.kind == "method":
        callee, *bound = callee.items
        values = [*bound, *values]
        layout_ = ["pos"] * len(bound) + layout_
    function = callee.value if isinstance(callee, Const) else None
    asked = _is_pure(function) or (isinstance(function, Hashable) and function in _BUILTINS)
    if not asked or {"star", "kwstar"} & set(layout_):
        return None
    pairs = [(how, _seen(engine, x)) for how, x in zip(layout_, values, strict=True)]
    given = [x for how, x in pairs if how == "pos"]
    if any(_is_large(x) for _, x in pairs):  # it may be a size, and what is made is
        return None
    return function, given, {how[3:]: x for how, x in pairs if how != "pos"}


def _is_other(engine: Engine, x: Any, seen: Any) -> bool:
    """Whether the library sees an array in what is another object: operators tell them apart."""
    return isinstance(x, Ref) and isinstance(seen, Array) and not arrays.is_array(engine, x)


def _is_told(x: Any) -> bool:
    """Whether an operator with it can be asked for: of Python's numbers alone one may be huge."""
    return not isinstance(x, (Scalar, *_PYTHONS))


def _is_large(x: Any) -> bool:
    """Whether arrays of this size, or of this shape, are large."""
    if isinstance(x, (tuple, list)):
        sizes = [n for n in x if isinstance(n, (int, np.integer))]
        return any(map(_is_large, x)) or abs(math.prod(map(int, sizes))) > MOST
    return isinstance(x, (int, np.integer)) and abs(int(x)) > MOST


def _is_pure(function: Any) -> bool:
    """Whether it is a function of NumPy's, or of `math`, that computes from what it is given, and
    nothing else."""
    if not isinstance(function, Hashable) or lookup(function) is None:
        return False
    if getattr(function, "__objclass__", None) is np.ndarray:
        return True
    if getattr(function, "__module__", None) == "math":
        return True
    return is_numpys(function) and not str(function.__module__).startswith("numpy.random")


def _seen(engine: Engine, x: Any) -> Any:
    """An abstract value as library functions see it; references to arrays stay told apart from
    NumPy's scalars."""
    if isinstance(x, Const):
        return x.value
    if isinstance(x, Compound) and x.kind != "slice":
        raise _NoSampleError
    found = engine.operand(x)
    if isinstance(found, Array) and isinstance(x, Ref) and not found.shape:
        raise _NoSampleError
    return found


def _certain(
    function: Callable[..., Any], given: list[Any], named: dict[str, Any]
) -> Exception | None:
    """What `function` raises for each of the samples."""
    found: Exception | None = None
    for numbers, contents in zip(_NUMBERS, _CONTENTS, strict=True):
        room, number = [LARGEST], itertools.count(*numbers)
        try:
            args = [_sample(x, contents, number, room) for x in given]
            kwargs = {k: _sample(x, contents, number, room) for k, x in named.items()}
        except _NoSampleError:
            return None
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - whatever NumPy raises, the program raises
            if found is not None and (type(error), str(error)) != (type(found), str(found)):
                return None
            found = error
        else:
            return None
    return found


def _sample(x: Any, contents: Callable[..., Any], number: Iterator[int], room: list[int]) -> Any:
    """An object of the type and shape of `x`."""
    if isinstance(x, Array):
        size = int(np.prod(x.shape, dtype=int))
        room[0] -= size
        if x.extents is not None or x.kinds is not None or room[0] < 0:
            raise _NoSampleError
        with np.errstate(all="ignore"):
            made = np.array(contents(x.shape)).astype(x.dtype)
        return made if x.shape else made[()]
    if isinstance(x, Scalar):
        if x.kinds is not None or x.kind not in _PYTHONS:
            raise _NoSampleError
        return x.kind(next(number))
    if isinstance(x, (list, tuple)):
        items = [_sample(i, contents, number, room) for i in x]
        return items if isinstance(x, list) else tuple(items)
    if isinstance(x, slice):
        parts = (x.start, x.stop, x.step)
        return slice(*[_sample(i, contents, number, room) for i in parts])
    if isinstance(x, (*_PYTHONS, str, type(None), type(...), np.generic, np.dtype)):
        return x
    if _is_pure(x) or (isinstance(x, type) and issubclass(x, (*_PYTHONS, np.generic))):
        return x
    raise _NoSampleError
