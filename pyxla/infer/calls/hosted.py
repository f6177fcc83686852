"""Functions that CPython runs in the middle of a program: `pyxla.host`, files, callbacks.

They are calls of Python on the host, as those of `print` are, which is what keeps all of them in
order.  What comes back has types that are told.  A function that raises gives a number back, by
which its exception is found again: in the program it is one of a class that stands for it.

A program with such calls has its checks in place, so that it runs once.
"""

from __future__ import annotations

import io
import itertools
import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from types import CellType, CodeType, FunctionType
from typing import Any

import numpy as np

from pyxla.abstract.heap import DictCell, ListCell, ObjectCell
from pyxla.abstract.lattice import Array, Compound, Conflict, Const, Ref, Scalar, Tuple, Variant
from pyxla.frontend.pyops import ATTRIBUTES
from pyxla.frozen import dataclass
from pyxla.infer.arrays.access import kind_of
from pyxla.infer.calls.captures import variable_value
from pyxla.infer.calls.executed import is_computation, name_of
from pyxla.infer.calls.standard import is_standard
from pyxla.infer.containers.indexing import content_of
from pyxla.infer.demands import Needs
from pyxla.infer.engine import Engine
from pyxla.infer.raising.catching import raise_unless
from pyxla.infer.text.pieces import made_by_host
from pyxla.infer.text.printing import Reader, do, reader
from pyxla.ir.core import Value
from pyxla.ir.types import (
    PYTHON_DTYPES,
    PYTHON_TYPES,
    SHORT_NAMES,
    ArrayType,
    array_type,
    python_type,
)
from pyxla.ops.elementwise import compare
from pyxla.ops.filled import constant
from pyxla.ops.foreign import HostError, host_error, note_raised
from pyxla.views.shadows import one_of


@dataclass(frozen=True, slots=True)
class Told:
    """The type of a result; kind: "python" scalar, NumPy "scalar", "numpy" array, "jax" array.

    Results are Tolds, None, and tuples, lists and dicts of these; UNTOLD where nothing is said.
    """

    type: ArrayType
    kind: str

    def array(self, x: Any) -> np.ndarray:
        """`x`, a result, as an array; TypeError where it is something else."""
        dtype, shape = self.type.dtype, self.type.shape
        if self.kind == "python":
            python = PYTHON_TYPES[dtype]
            fits = isinstance(x, python) and (python is bool or not isinstance(x, bool))
        else:
            x = np.asarray(x) if self.kind == "jax" else x
            fits = (getattr(x, "dtype", None), getattr(x, "shape", None)) == (dtype, shape)
            fits &= isinstance(x, np.generic) is (self.kind == "scalar")
        if not fits:
            raise _is_another(x, str(self))
        return np.asarray(x, dtype, order="C")

    def __str__(self) -> str:
        return SHORT_NAMES[self.type.dtype] if self.kind == "scalar" else str(self.type)

    def abstract(self, engine: Engine, value: Value) -> Any:
        if self.kind == "python":
            return Scalar(value)
        made = engine.abstract(Array(value), zero_d=self.kind != "scalar")
        if self.kind == "jax":
            engine.jax_cells.add(made.cell)
        return made


UNTOLD = object()
_INT = Told(python_type(int), "python")
# What methods of open files return.
_OF_FILES = {"write": _INT, "seek": _INT, "tell": _INT, "flush": None, "writelines": None}
# "of": what the annotation of a function says of its result, UNTOLD where that is nothing.
ANNOTATED: dict[str, Callable[[Any], Any]] = {}


def to_host(callees: Sequence[Any]) -> list[Any]:
    """Which of the functions that are called at a place that cannot be compiled, innermost first,
    may be called on the host instead: of a library, not what it calls inside."""
    inner = list(itertools.takewhile(_of_library, callees))
    return [f for f in [*inner[-1:], *callees[len(inner) :]] if _may_be_hosted(f)]


def _of_library(value: Any) -> bool:
    code = getattr(value, "__code__", None)
    return code is None or "site-packages" in code.co_filename or is_standard(value)


def _may_be_hosted(value: Any) -> bool:
    module = getattr(value, "__module__", None) or ""
    own = module.partition(".")[0] in ("pyxla", "jax", "jaxlib")
    return isinstance(value, Hashable) and not isinstance(value, type) and not own


def call_unasked(engine: Engine, value: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call a function that cannot be compiled, as `compile(host="auto")` asks.

    Where nothing says what it returns, one of a library that only computes is tried, on ones.
    """
    engine.findings.hosted.add(value)
    name = name_of(value)
    if isinstance(getattr(value, "__self__", None), io.IOBase):
        return call(engine, name, value, args, kwargs, _OF_FILES.get(name, UNTOLD))
    told, pure = ANNOTATED["of"](value), is_computation(value)
    return call(engine, name, value, args, kwargs, told, pure)


def _tried(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What a function returns for such arguments, as a type; UNTOLD where that is nothing known."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _type_of(function(*args, **kwargs))
    except Exception:  # noqa: BLE001 - it may not take ones, and raise anything
        return UNTOLD


def _type_of(x: Any) -> Any:
    if isinstance(x, tuple | list):
        parts = [_type_of(item) for item in x]
        return parts if isinstance(x, list) else tuple.__new__(type(x), parts)
    if type(x) is dict:
        return {key: _type_of(item) for key, item in x.items()}
    if type(x) in PYTHON_DTYPES:
        return Told(python_type(type(x)), "python")
    kind = "scalar" if isinstance(x, np.generic) else "numpy"
    return None if x is None else Told(array_type(x.dtype, x.shape), kind)


def function_of(engine: Engine, x: Any) -> Any:
    """The function that `x` is; one that the program makes, of variables that are known."""
    if not (isinstance(x, Compound) and x.kind == "function"):
        return engine.static(x, "the function that the host runs")
    source, freevars, defaults, kwdefaults, module = x.meta
    outside = [f.__code__ for f in engine.functions() if isinstance(f, FunctionType)]
    line = min([source.lineno, *[node.lineno for node in source.decorators]])
    like = source.name, line, (*source.posonly, *source.args, *source.kwonly), source.freevars
    here = [code for code in _codes(outside) if _signature(code) == like]
    try:
        count = len(x.items) - len(freevars)
        values = [engine.python_object(item) for item in x.items[:count]]
        boxes = [b for n, b in zip(freevars, x.items[count:], strict=True) if n != ATTRIBUTES]
        free = [variable_value(engine.content(box)) for box in boxes]
        cells = tuple([CellType(engine.python_object(engine.use(value))) for value in free])
    except LookupError:
        here = []
    if len(here) != 1:
        raise engine.refuse(
            "a function that the host runs takes variables of the program",
            "define it outside, and pass them as arguments",
        )
    made = FunctionType(here[0], module.value, source.name, tuple(values[:defaults]), cells)
    made.__kwdefaults__ = dict(zip(kwdefaults, values[defaults:], strict=True))
    return made


def _signature(code: CodeType) -> tuple[Any, ...]:
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return code.co_name, code.co_firstlineno, names, code.co_freevars


def _codes(codes: Sequence[CodeType]) -> list[CodeType]:
    """Code objects, and those in them."""
    found: list[CodeType] = []
    for code in codes:
        found += [code, *_codes([const for const in code.co_consts if isinstance(const, CodeType)])]
    return list({id(code): code for code in found}.values())


def call(
    engine: Engine,
    name: str,
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    told: Any = UNTOLD,
    pure: bool = False,
) -> Any:
    """Call `function(*args, **kwargs)` on the host when the program gets here.

    pure: it may be called more often, and changes nothing.
    """
    if engine.faults.noted is not None and not pure:
        raise Needs(engine.loc, in_place=True)
    count, values = len(args), list[Value]()
    reads = [_argument(engine, name, x, values) for x in (*args, *kwargs.values())]
    if told is UNTOLD and pure:
        ones = [np.ones(v.type.shape, v.type.dtype) for v in values]
        objects = [read(ones) for read in reads]
        told = _tried(function, objects[:count], dict(zip(kwargs, objects[count:], strict=True)))
    leaves = [] if told is UNTOLD else list(_leaves(told))
    clauses = sorted(set(engine.guards), key=lambda cls: -len(cls.__mro__))
    noted = engine.checks or bool(clauses)

    def run(*arrays: np.ndarray) -> list[Any]:
        given = [_own(x) for x in arrays]
        objects = [read(given) for read in reads]
        before = _parts(objects)
        result = function(*objects[:count], **dict(zip(kwargs, objects[count:], strict=True)))
        if _parts(objects) != before:
            raise TypeError(f"the host function {name} changed a container that it was given")
        return [] if told is UNTOLD else _arrays(told, result)

    def called(*arrays: np.ndarray) -> list[Any]:
        try:
            return [np.int64(0), np.int64(0), *run(*arrays)]
        except Exception as error:
            error.with_traceback(_of_user(error))
            if not noted:
                raise
            hits = [isinstance(error, cls) for cls in clauses]
            kind = np.int64([*hits, True].index(True))
            zeros = [np.zeros(leaf.type.shape, leaf.type.dtype) for leaf in leaves]
            return [np.int64(note_raised(error)), kind, *zeros]

    called.__name__ = called.__qualname__ = name
    types = (python_type(int), python_type(int), *[leaf.type for leaf in leaves])
    number, kind, *made = do(engine, called, values, result_types=types, reads=pure)
    if noted:
        kinds = [*map(host_error, clauses), HostError]
        errors = tuple([Compound("exception", (Scalar(number),), cls) for cls in kinds])
        error = Variant("exception", one_of(kind, len(kinds)), errors) if clauses else errors[0]
        fine = compare(number, constant(value=np.int64(0)), direction="EQ")
        raise_unless(engine, Scalar(fine), error, catchable=True)
    if told is UNTOLD:
        return Conflict(
            f"what the host function {name} returns is used, and its type is not told",
            hint=f"tell it, as in pyxla.host({name}, returns=pyxla.f64[3]), or returns=None",
        )
    return _result(engine, told, iter(made))


def _argument(engine: Engine, name: str, x: Any, values: list[Value]) -> Reader:
    """How the host makes an argument, as CPython would give it."""
    x = engine.use(x)
    _check_passed(engine, name, x, outermost=True)
    read = reader(engine, x, values)
    if isinstance(x, Ref) and engine.is_jax(x):
        return lambda given: engine.jax.as_array(read(given))
    return read


def _check_passed(engine: Engine, name: str, x: Any, outermost: bool = False) -> None:
    """Refuse what the host cannot be given as it is."""
    content = content_of(engine, x)
    if isinstance(x, Tuple):
        items: Any = x.items
    elif isinstance(content, ListCell | DictCell):
        held = content.items
        items = held.values() if isinstance(held, dict) else held
    else:
        items = ()
    for item in items:
        _check_passed(engine, name, item)
    instance = isinstance(content, ObjectCell) and made_by_host(engine, x) is None
    other = isinstance(x, Compound) and x.kind != "text"
    inside = not outermost and isinstance(x, Ref) and engine.is_jax(x)
    if instance or other or inside:
        raise engine.refuse(
            f"the host function {name} is given {kind_of(engine, x)}",
            "pass the numbers and arrays that it needs",
        )


def _own(x: np.ndarray) -> np.ndarray:
    """An array that the function may keep, and does not write: the program would not see it."""
    copy = np.array(x)
    copy.setflags(write=False)
    return copy


def _parts(x: Any) -> Any:
    """What containers hold, to be compared later."""
    if isinstance(x, dict):
        return [(key, _parts(item)) for key, item in x.items()]
    if isinstance(x, list | tuple):
        return [_parts(item) for item in x]
    return set(x) if isinstance(x, set) else id(x)


def _of_user(error: BaseException) -> Any:
    """The traceback without the frames of this module."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return trace


# --- results --------------------------------------------------------------------------------------


def _leaves(told: Any) -> Iterator[Told]:
    if isinstance(told, Told):
        yield told
    else:
        for item in _items(told):
            yield from _leaves(item)


def _items(told: Any) -> Sequence[Any]:
    if told is None:
        return ()
    return list(told.values()) if isinstance(told, dict) else told


def _arrays(told: Any, x: Any) -> list[np.ndarray]:
    """The arrays of a result that is as it was told; TypeError where it is not."""
    if isinstance(told, Told):
        return [told.array(x)]
    keys = (lambda y: list(y)) if isinstance(told, dict) else (lambda y: len(_items(y)))
    if type(x) is not type(told) or keys(x) != keys(told):
        raise _is_another(x, _spelled(told))
    pairs = zip(_items(told), _items(x), strict=True)
    return [array for part, item in pairs for array in _arrays(part, item)]


def _is_another(x: Any, told: str) -> TypeError:
    known = isinstance(x, np.ndarray | np.generic) and x.dtype in SHORT_NAMES
    what = str(array_type(x.dtype, x.shape)) if known else type(x).__name__
    return TypeError(f"the host function returned {what}, and {told} was told")


def _spelled(told: Any) -> str:
    if isinstance(told, dict):
        return "{" + ", ".join([f"{k!r}: {_spelled(x)}" for k, x in told.items()]) + "}"
    if isinstance(told, list | tuple):
        return f"({', '.join(map(_spelled, told))})"
    return str(told)


def _result(engine: Engine, told: Any, values: Iterator[Value]) -> Any:
    if isinstance(told, Told):
        return told.abstract(engine, next(values))
    if told is None:
        return Const(None)
    parts = [_result(engine, item, values) for item in _items(told)]
    if isinstance(told, dict):
        return engine.new_dict(dict(zip(told, parts, strict=True)))
    return engine.new_list(parts) if isinstance(told, list) else Tuple(tuple(parts), type(told))
