"""Types as users spell them, in Python and on the command line.

    f64[10, 10]     an np.ndarray               f64[10,10]
    f64["n<=9", 3]  one of any size up to 9     f64[n<=9,3]
    f64[()]         a 0-d array                 f64[]
    f64             a NumPy scalar (`x[0]`)     f64
    float           a Python scalar             float
    static[5]       a known value               static[5]  static['sum']  static[None]
    (f32[3], int)   containers of these         (f32[3], int)  [int, float]  {'w': f32[3]}

Wherever types are taken, values may stand for their own types; a `jax.ShapeDtypeStruct` spells a
`jax.Array`, `np.float64` a NumPy scalar.  Text that spells a type is one, other text stands for
itself (`static["int"]` is that word).  It is read as Python's syntax with these names and nothing
else: it is never run.
"""

from __future__ import annotations

import ast
import contextlib
import enum
import functools
import inspect
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, get_origin

import jax
import numpy as np
from jax.sharding import NamedSharding

from pyxla.errors import BadArgument, CompileError
from pyxla.ir.types import (
    DTYPE_NAMES,
    PYTHON_DTYPES,
    SHORT_NAMES,
    ArrayType,
    array_type,
    python_type,
)
from pyxla.runtime.bounds import Parts
from pyxla.runtime.descriptions import (
    Arg,
    ArgArray,
    ArgScalar,
    ArgStatic,
)
from pyxla.runtime.numbers import Path, array_of_numbers, numbers_of
from pyxla.runtime.signature import Describe, described


@dataclass(frozen=True, slots=True)
class ArraySpec:
    """The type of an np.ndarray of a dtype and a shape."""

    type: ArrayType
    __pyxla_constant__ = True

    def __repr__(self) -> str:
        return str(self.type)


@dataclass(frozen=True, slots=True)
class SizedSpec:
    """The type of an np.ndarray some of whose sizes have names, of which bounds are known."""

    dtype: np.dtype
    extents: tuple[int | str, ...]
    bounds: tuple[tuple[str, int], ...]

    @property
    def names(self) -> tuple[str | None, ...]:
        return tuple([e if isinstance(e, str) else None for e in self.extents])

    def whole(self, bounds: Mapping[str, int]) -> ArraySpec:
        """The type of the largest such arrays."""
        shape = tuple([bounds[e] if isinstance(e, str) else e for e in self.extents])
        return ArraySpec(array_type(self.dtype, shape))

    def __repr__(self) -> str:
        bounds: dict[Any, str] = {name: f"{name}<={most}" for name, most in self.bounds}
        inner = ",".join([bounds.get(extent, str(extent)) for extent in self.extents])
        return f"{SHORT_NAMES[self.dtype]}[{inner}]"


_SIZE = re.compile(r"\s*([^\W\d]\w*)\s*(?:<=\s*(\d+))?\s*")


@dataclass(frozen=True, slots=True)
class ScalarSpec:
    """The type of a NumPy scalar, and with a shape in brackets the types of arrays.

    CompileError where an extent is not an int that is 0 or more, or the name of a size.

    >>> import pyxla
    >>> pyxla.f64[10, 10], pyxla.f64[()], pyxla.f64, pyxla.f64["n<=1000", 3]
    (f64[10,10], f64[], f64, f64[n<=1000,3])
    """

    dtype: np.dtype
    __pyxla_constant__ = True  # where a dtype is taken, it is one

    def __getitem__(self, shape: int | str | tuple[int | str, ...]) -> ArraySpec | SizedSpec:
        extents = shape if isinstance(shape, tuple) else (shape,)
        sizes = [e if type(e) is int else type(e) is str and _SIZE.fullmatch(e) for e in extents]
        if any(size is None or size is False or type(size) is int and size < 0 for size in sizes):
            raise CompileError(
                f"{self!r}{list(extents)} is not a type",
                hint=f"extents are ints that are not negative, {self!r}[10, 10], or sizes up to a "
                f'bound, {self!r}["n<=1000", 3]',
            )
        named = [size for size in sizes if isinstance(size, re.Match)]
        if not named:
            return ArraySpec(array_type(self.dtype, extents))
        held = tuple([size[1] if isinstance(size, re.Match) else size for size in sizes])
        return SizedSpec(self.dtype, held, tuple([(s[1], int(s[2])) for s in named if s[2]]))

    def __repr__(self) -> str:
        return SHORT_NAMES[self.dtype]


@dataclass(frozen=True, slots=True)
class StaticSpec:
    """A value that is known while compiling."""

    value: Any

    def __repr__(self) -> str:
        return f"static[{self.value!r}]"


class _Static:
    """`static[5]` spells the known value 5.

    >>> import pyxla, numpy as np
    >>> zeros = pyxla.compile(lambda n: np.zeros(n)).specialize(pyxla.static[5])
    """

    def __getitem__(self, value: Any) -> StaticSpec:
        return StaticSpec(value)

    def __repr__(self) -> str:
        return "static"


static = _Static()
SCALARS = tuple([ScalarSpec(dtype) for dtype in DTYPE_NAMES.values()])
bool_, i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16, f32, f64, c64, c128, *narrow = SCALARS
i4, u4, f8e3m4, f8e4m3, f8e4m3b11fnuz, f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz = narrow
_CLASSES = {scalar.dtype.type: scalar for scalar in SCALARS}
_SPECS = (ArraySpec, SizedSpec, ScalarSpec, StaticSpec, jax.ShapeDtypeStruct)
_PLACED = (jax.Array, jax.ShapeDtypeStruct)


def array_of(x: Any) -> ArrayType | None:
    """The type of array that `x` spells: `f64[3]`, `f64`, "f64[3]", JAX's; None for another."""
    match _read(x):
        case ArraySpec(type):
            return type
        case ScalarSpec(dtype):
            return array_type(dtype)
        case jax.ShapeDtypeStruct(shape=shape, dtype=dtype):
            return array_type(dtype, shape)
    return None


def is_spec(x: Any) -> bool:
    """Whether `x` is one of pyxla's own types (`int` and `float` are Python's), or has one."""
    return any(map(is_spec, x)) if isinstance(x, tuple) else isinstance(x, _SPECS)


def is_type(x: Any) -> bool:
    """Whether `x` spells a type: pyxla's, Python's, or a tuple of types."""
    if isinstance(x, tuple):
        return all(map(is_type, x))
    return is_spec(x) or (isinstance(x, type) and (x in PYTHON_DTYPES or x in _CLASSES))


def _read(x: Any) -> Any:
    """What `x` spells, where it is text or a class of NumPy's; else `x`."""
    if isinstance(x, type) and x in _CLASSES:
        return _CLASSES[x]
    if type(x) is str and "\\" not in x:
        with contextlib.suppress(CompileError):
            found = parse(x)
            return found if _has_type(found) else x
    return x


def _has_type(x: Any) -> bool:
    if isinstance(x, list | dict):
        return any(map(_has_type, x.values() if isinstance(x, dict) else x))
    return any(map(_has_type, x)) if isinstance(x, tuple) else is_type(x)


class _DescribeTypes(Describe):
    """The walk over arguments, where types may stand for values; `typed` are the paths of those,
    and `lies` says of leaves over several devices how they lie."""

    def __init__(self, static: frozenset[Path]) -> None:
        super().__init__(static)
        self.typed: set[Path] = set()
        self.lies: dict[int, NamedSharding] = {}

    def visit(self, x: Any, path: Path) -> Arg:
        x, before = _read(x), self.count
        made = self._visited(x, path)
        where = getattr(x, "sharding", None) if isinstance(x, _PLACED) else None
        if isinstance(where, NamedSharding) and where.num_devices > 1 and self.count > before:
            self.lies[before] = where
        return made

    def _visited(self, x: Any, path: Path) -> Arg:
        if isinstance(x, StaticSpec):
            return ArgStatic(x.value) if _is_known(x) else super().visit(x.value, path)
        if isinstance(x, ArraySpec):
            return ArgArray(x.type, "numpy", True, self.leaf())
        if isinstance(x, SizedSpec):
            raise BadArgument(
                f"{x!r} stands inside of a container, or for an argument by name",
                path,
                hint="a size by name is one of an array that is an argument by position",
            )
        if isinstance(x, ScalarSpec):
            self.typed.add(path)
            return ArgArray(array_type(x.dtype), "scalar", False, self.leaf())
        if isinstance(x, jax.ShapeDtypeStruct):
            return self.jax_array(jax.core.ShapedArray(x.shape, x.dtype), path)
        if isinstance(x, type) and x in PYTHON_DTYPES:
            self.typed.add(path)
            return ArgScalar(python_type(x), self.leaf())
        _refuse_other_types(x, path)
        return super().visit(x, path)

    def leaves_of(self, x: Any) -> tuple[np.ndarray, ...] | None:
        """As of numbers, where all of them may be types."""
        return numbers_of(x, _array_of)


# Classes that say too little, and texts that are meant for types.
_TOO_WIDE = frozenset(
    {str, bytes, bytearray, list, tuple, dict, set, frozenset, object, np.ndarray}
)
_LIKE_A_TYPE = re.compile(r"(bool_?|bf|[iufc]|int|uint|float|complex)\d*\[")


def _refuse_other_types(x: Any, path: Path) -> None:
    """Refuse what is no type here, and would be taken for a value."""
    if get_origin(x) is not None or (isinstance(x, type) and x in _TOO_WIDE):
        name = x.__name__ if isinstance(x, type) and get_origin(x) is None else repr(x)
        raise BadArgument(
            f"{{}}: {name} is not a type of arguments",
            path,
            hint="containers are spelled as they are, [float, float] or {'a': f64[3]}, and a text "
            f"by one of its values; static[{name}] is the object itself",
        )
    if type(x) is str and _LIKE_A_TYPE.match(x):
        try:
            parse(x)
        except CompileError as error:
            hint = f"{error.hint}; static[{x!r}] is the text itself"
            raise BadArgument(f"{{}}: {error.message}", path, hint=hint) from None


def _array_of(items: list[Any]) -> np.ndarray | None:
    first = items[0] if items else None
    if first in (int, float, complex) and all(item is first for item in items):
        return np.zeros(len(items), PYTHON_DTYPES[first])
    return array_of_numbers(items)


def describe(
    args: Sequence[Any], static: frozenset[Path] = frozenset()
) -> tuple[tuple[Arg, ...], set[Path], dict[int, NamedSharding]]:
    """Descriptions of arguments given as types or values; the paths of Python scalar types; how
    leaves lie that are over several devices."""
    walk = _DescribeTypes(static)
    return described(walk, args), walk.typed, walk.lies


def parts(given: Sequence[Any]) -> tuple[Parts, tuple[Any, ...]] | None:
    """Which sizes have names, and the types of arrays as large as these may be; None without."""
    specs = [_read(x) for x in given]
    sized = [spec for spec in specs if isinstance(spec, SizedSpec)]
    if not sized:
        return None
    bounds: dict[str, int] = {}
    for name, most in itertools.chain.from_iterable([spec.bounds for spec in sized]):
        if bounds.setdefault(name, most) != most:
            raise CompileError(
                f"size {name!r} has two bounds, {bounds[name]} and {most}",
                hint="sizes of one name are equal: give the bound once, or two names",
            )
    for spec in sized:
        for name in spec.names:
            if name is not None and name not in bounds:
                raise CompileError(
                    f"size {name!r} of {spec!r} has no bound",
                    hint=f'a program is for sizes up to a bound: "{name}<=1000"; '
                    'compile(sizes="bucket") makes programs as calls need them',
                )
    pattern = [spec.names if isinstance(spec, SizedSpec) else None for spec in specs]
    whole = [spec.whole(bounds) if isinstance(spec, SizedSpec) else spec for spec in specs]
    return Parts(tuple(pattern), bounds), tuple(whole)


def known_numbers(args: Iterable[Any]) -> set[Path]:
    """The paths of arguments spelled `static[5]`."""
    return {(index,) for index, x in enumerate(map(_read, args)) if _is_known(x)}


def _is_known(x: Any) -> bool:
    """Whether it spells a number, which as an argument would be dynamic."""
    known = x.value if isinstance(x, StaticSpec) else None
    number = isinstance(known, int | float | complex | np.number)
    return number and not isinstance(known, bool | enum.Enum)


def alternatives(args: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Calls see bools by value: `bool` stands for True and for False."""
    choices = [(True, False) if _read(x) is bool else (x,) for x in args]
    return itertools.product(*choices)


def annotated(function: Any) -> tuple[Any, ...] | None:
    """The types that the parameters of `function` are annotated with.

    None unless each has one and at least one is a type of pyxla's.
    """
    try:
        parameters = inspect.signature(function, eval_str=True).parameters.values()
    except Exception:  # annotations are any code, which may not be ready to run
        return None
    found = tuple([parameter.annotation for parameter in parameters])
    plain = all(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    known = all(is_type(annotation) for annotation in found)
    return found if plain and known and any(map(is_spec, found)) else None


# --- text -------------------------------------------------------------------------------------

_NAMES: dict[str, Any] = {repr(scalar): scalar for scalar in SCALARS} | {
    t.__name__: t for t in PYTHON_DTYPES
}
_HINT = f"types are {', '.join(_NAMES)}, static[5], arrays as f64[10,10], and containers of these"


LONGEST = 200  # characters of a bad type that its error repeats


def parse(text: str, classes: Mapping[str, Any] = MappingProxyType({})) -> Any:
    """The type that `text` spells; CompileError where it spells none.

    classes: those by name whose instances may be spelled, `Dense(w=f64[3,3], b=f64[3])`.
    """
    try:
        tree = ast.parse(re.sub(r"(\w)\[\]", r"\1[()]", text.strip()), mode="eval")
        return _parsed(tree.body, classes)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):  # what `ast` raises
        shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
        raise CompileError(f"{shown!r} is not a type", hint=_meant(text)) from None


def _meant(text: str) -> str:
    """What was meant by text that spells no type."""
    if re.fullmatch(r"-?\d[\w.]*", text.strip()):
        return f"a value that is known is spelled static[{text.strip()}]"
    for word in re.findall(r"[A-Za-z_]\w*", text):
        dtype = np.sctypeDict.get(word)
        if word not in _NAMES and dtype is not None and np.dtype(dtype) in SHORT_NAMES:
            return f"write {SHORT_NAMES[np.dtype(dtype)]} for {word}"
        if word == "str":
            return "a text is spelled static['mean']"
    return _HINT


def _extent(node: ast.expr) -> Any:
    """An extent: a number, or a size by name, `n` or `n<=10`."""
    named = isinstance(node, ast.Name | ast.Compare)
    return ast.unparse(node) if named else ast.literal_eval(node)


def _parsed(node: ast.expr, classes: Mapping[str, Any]) -> Any:
    inner = functools.partial(_parsed, classes=classes)
    match node:
        case ast.Name(name) if name in _NAMES:
            return _NAMES[name]
        case ast.Subscript(ast.Name("static"), value):
            return StaticSpec(ast.literal_eval(value))
        case ast.Subscript(ast.Name(name), shape) if isinstance(_NAMES.get(name), ScalarSpec):
            items = shape.elts if isinstance(shape, ast.Tuple) else [shape]
            return _NAMES[name][tuple(map(_extent, items))]
        case ast.Tuple(items):
            return tuple([inner(item) for item in items])
        case ast.List(items):
            return [inner(item) for item in items]
        case ast.BinOp(ast.List() as items, ast.Mult(), ast.Constant(int() as count)):
            return [item for _ in range(count) for item in inner(items)]
        case ast.Dict(keys, values) if None not in keys:
            return {ast.literal_eval(k): inner(v) for k, v in zip(keys, values, strict=True)}
        case ast.Call(ast.Name(name), args, keywords) if isinstance(classes.get(name), type):
            return classes[name](*map(inner, args), **{k.arg: inner(k.value) for k in keywords})
        case ast.Constant(value) if value is None or isinstance(value, (str, bool)):
            return value
    raise ValueError
