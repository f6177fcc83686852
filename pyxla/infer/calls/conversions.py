"""What functions of numbers make of instances of the user's classes that say how: `__float__`,
`__round__` and the like; and of ints of more than 64 bits."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Const, Scalar, is_number, is_variant, number_type
from pyxla.infer import using, words
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.visiting import class_of
from pyxla.infer.engine import Engine
from pyxla.infer.joins import far
from pyxla.ir.types import CLASSES, array_type

_INDEX = ((int, "__index__"),)
_FLOAT = ((float, "__float__"), *_INDEX)
# The methods that CPython looks for, and what they must return.
_METHODS: dict[Any, tuple[tuple[type, str], ...]] = {
    int: ((int, "__int__"), *_INDEX, (int, "__trunc__")),
    float: _FLOAT,
    complex: ((complex, "__complex__"), *_FLOAT),
    round: ((object, "__round__"),),
    divmod: ((object, "__divmod__"),),
    math.trunc: ((object, "__trunc__"),),
    math.floor: ((object, "__floor__"), *_FLOAT),
    math.ceil: ((object, "__ceil__"), *_FLOAT),
}
_OF_INTS = frozenset({math.gcd, math.lcm, math.comb, math.perm, math.factorial, math.isqrt})
_OF_FLOATS = frozenset(
    f
    for f in vars(math).values()
    if callable(f) and f not in _METHODS and f not in _OF_INTS and f not in (math.prod, math.dist)
)
_WHOLE = frozenset({int, round, operator.index, math.trunc, math.floor, math.ceil})
_TAKEN = frozenset({*_METHODS, *_OF_INTS, *_OF_FLOATS})
_REFUSING = _TAKEN | {abs, pow, bin, hex, oct, chr, range, operator.index}


def of_instances(engine: Engine, value: Any, args: list[Any]) -> Any:
    """What a function of numbers makes of arguments among which are instances; None where none is,
    or its class does not say how to convert it, and of other functions."""
    if value not in _TAKEN or not any(_is_instance(engine, x) for x in args):
        return None
    if value in _METHODS:
        return _by_method(engine, value, args)
    methods = _INDEX if value in _OF_INTS else _FLOAT
    plain = [_number(engine, x, methods) for x in args]
    return None if None in plain else engine.rules.call(engine, Const(value), plain, {})


def without_none(engine: Engine, value: Any, args: list[Any]) -> list[Any]:
    """The arguments of a function of numbers, where what may be None is not: for None it raises
    what CPython says, whatever the others are."""
    places = [i for i, x in enumerate(args) if is_variant(x, "optional")]
    if not places or not (value in _REFUSING or isinstance(value, np.ufunc)):
        return args
    there = [_sample(args[i].value if i in places else args[i]) for i in range(len(args))]
    out = list(args)
    for i in places:
        some = [x if k != i else None for k, x in enumerate(there)]
        none = [x if k not in places else None for k, x in enumerate(there)]
        words = _said(value, none)
        if words is None or any(x is _OTHER for x in some) or _said(value, some) != words:
            return args
        out[i] = using.some(engine, args[i], words)
    return out


_OTHER = object()


def _sample(x: Any) -> Any:
    """A number of the class of `x`."""
    if isinstance(x, Const):
        return x.value
    weak = is_number(x) and number_type(x).weak
    return number_type(x).dtype.type(1).item() if weak else _OTHER


def _said(value: Any, args: list[Any]) -> str | None:
    """The words of CPython's TypeError; None where there is none."""
    try:
        value(*args)
    except TypeError as error:
        return str(error)
    except Exception:  # noqa: BLE001 - of what CPython's function was given by chance
        return None
    return None


def of_words(engine: Engine, value: Any, args: list[Any]) -> Any:
    """What a function of numbers makes of ints of more than 64 bits; None where none is, and of
    other functions."""
    if not any(map(far.is_dynamic, args)):
        return None
    if value in _WHOLE and len(args) == 1:
        return args[0]
    if value is np.uint64 and len(args) == 1:
        return beside(engine, args[0], np.dtype(value))
    if value is float or value in _OF_FLOATS:
        found = [words.as_float(engine, x) if far.is_dynamic(x) else x for x in args]
        return engine.rules.call(engine, Const(value), found, {})
    return None


def _is_instance(engine: Engine, x: Any) -> bool:
    cls = class_of(engine, x)
    return cls is not None and not cls.__module__.startswith("pyxla.")


def _by_method(engine: Engine, value: Any, args: list[Any]) -> Any:
    """What the first method that the class of the first argument has returns, as `value` has it."""
    for kind, name in _METHODS[value]:
        found = engine.rules.special(engine, args[0], name, tuple(args[1:]))
        if found is not None and kind is object:
            return found
        if found is not None:
            _check(engine, args[0], kind, name, found)
            return engine.rules.call(engine, Const(value), [found], {})
    return None


def _number(engine: Engine, x: Any, methods: tuple[tuple[type, str], ...]) -> Any:
    """A number; what an instance says to be as one; None where it says nothing."""
    if not _is_instance(engine, x):
        return x
    for kind, name in methods:
        if (found := engine.rules.special(engine, x, name, ())) is not None:
            _check(engine, x, kind, name, found)
            return found
    return None


def _check(engine: Engine, x: Any, kind: type, name: str, found: Any) -> None:
    """Raise what CPython does where the method returns another kind of number."""
    if isinstance(found, Const):
        returned = type(found.value)
    elif isinstance(found, Scalar) and found.kinds is None:
        returned = found.kind
    elif isinstance(found, Array) and found.kinds is None:
        returned = np.dtype(found.dtype).type
    else:
        raise engine.refuse(f"{name} returns one of several kinds of numbers here")
    if not issubclass(returned, kind):
        cls: Any = class_of(engine, x)
        text = f"{cls.__name__}.{name} returned non-{kind.__name__} (type {returned.__name__})"
        engine.raise_constant(TypeError(text if kind is float else text.split(".", 1)[1]))


def beside(engine: Engine, x: Any, dtype: np.dtype) -> Any:
    """An int of more than 64 bits as NumPy takes it beside, or into, an array of this dtype."""
    if dtype == np.uint64:
        words.need(engine, x)
        return Array(words.unsigned(x))
    if CLASSES.get(dtype) in ("f", "c"):
        return words.as_float(engine, x)
    raise far.refused(engine)


def among(engine: Engine, x: Any, y: Any) -> tuple[Any, Any]:
    """Operands of which one is an int of more than 64 bits, as what that is beside the other."""
    wide = far.is_dynamic(x), far.is_dynamic(y)
    other = y if wide[0] else x
    if is_number(other) and any(wide):
        kind = number_type(other)
        if kind.weak and kind.dtype.kind in "bi":
            raise far.refused(engine)
    elif any(wide) and arrays.is_array(engine, other):
        kind = array_type(arrays.dtype_of(engine, other))
    else:
        return x, y
    return (beside(engine, x, kind.dtype), y) if wide[0] else (x, beside(engine, y, kind.dtype))
