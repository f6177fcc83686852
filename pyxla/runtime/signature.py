"""Arguments taken apart: flat leaves, a hashable key, and a description for inference.

    flatten(args, static)   -> (key, leaves)   on every call: fast, no checks
    describe(args, static)  -> Arg per argument, when a specialization is made: checks everything
    keyed(args)             -> the key that values of these descriptions have

Leaves come in the order of a depth-first walk; static values are no leaves.  The key is one flat
tuple, in which each argument's first entry tells how many follow, so that keys of different
structure differ:

    np.ndarray      dtype, shape                    int, float, complex     the type
    np.generic      its dtype's scalar type         known Python int        "int", value
                                                    other known numbers     "static", type, text
    jax.Array       "jax f32[3]" (one interned str) bool, str, None, ...    "static", type, value
    containers      class, their structure, then each element
    texts that are  str, dtype, shape: see `runtime.texts`
    data
    long lists of   list, length, "numbers", the type: one leaf, unless `static` has their path
    numbers         with the step `ITEMS`
    what is none    "unknown", class, an array's dtype: in containers, what programs cannot take

A traced scalar that is weakly typed (a Python scalar on its way through JAX) counts as the Python
scalar it was; concrete arrays are arrays.  Whether arrays are writeable and how they overlap
matters to functions that mutate, only; `runtime.sharing` makes the second half of their key.

`static` holds paths of numbers, Python's or NumPy's, that are known values: `(argument, step, ...)`
with a step for each container on the way (index, key or field name).  With the step `WORD`, that of
an int which may have 64 bits without a sign; its entry is that step, where it is not negative.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import ml_dtypes
import numpy as np

from pyxla import late
from pyxla.errors import BadArgument, CompileError
from pyxla.ir.types import (
    DTYPE_NAMES,
    PYTHON_KINDS,
    PYTHON_TYPES,
    SHORT_NAMES,
    ArrayType,
    array_type,
    canonical,
    python_type,
)
from pyxla.runtime import jaxlink
from pyxla.runtime.containers import (
    CONTAINERS,
    KEYS,
    Container,
    container_of,
    is_boxed,
    is_exchanged,
    is_frame,
)
from pyxla.runtime.descriptions import (
    Arg,
    ArgArray,
    ArgDict,
    ArgList,
    ArgMethod,
    ArgNumbers,
    ArgObject,
    ArgPytree,
    ArgSame,
    ArgScalar,
    ArgStand,
    ArgStatic,
    ArgText,
    ArgTuple,
    ArgUnknown,
)
from pyxla.runtime.numbers import (
    ITEMS,
    LONG,
    MOST,
    WORD,
    WORD_AT,
    Path,
    is_word,
    lists_in,
    most_of,
    numbers_of,
    rows_of,
)
from pyxla.runtime.places import below, below_path, is_static, path_of, static_tree, step_of
from pyxla.runtime.texts import CODES, is_data, leaves_of

compiler = late.module("pyxla.compiler")

CONSTANTS = frozenset((bool, str, type(None)))
# The entry for a list of numbers, by how many leaves it is.
_NUMBERS = {1: "numbers", 2: "rows"}
_jax_keys: dict[Any, Any] = {}


def flatten(args: Sequence[Any], static: frozenset[Path] = frozenset()) -> tuple[Any, list[Any]]:
    """The key and the leaves of `args`."""
    walk = _Walk([], [])
    tree = static_tree(static) if static else None
    try:
        walk.visit(args, range(len(args)), None, tree)
    except RecursionError:
        describe(args, static)  # which says of which argument, and why: one that contains itself
        raise
    return tuple(walk.key), walk.leaves


def _too_deep(index: int) -> CompileError:
    return BadArgument(
        "{} is nested too deeply",
        (index,),
        hint="pass the parts of deep structures as separate arguments, or stack them in an array",
    )


def describe(args: Sequence[Any], static: frozenset[Path] = frozenset()) -> tuple[Arg, ...]:
    """What inference may know of `args`: one description each; CompileError where it cannot be."""
    return described(Describe(static), args)


def described(walk: Describe, args: Sequence[Any]) -> tuple[Arg, ...]:
    """The descriptions that a walk makes of arguments."""
    found = []
    for index, x in enumerate(args):
        try:
            found.append(walk.visit(x, (index,)))
        except RecursionError:
            raise _too_deep(index) from None
    return tuple(found)


def keyed(args: Iterable[Arg]) -> tuple[Any, ...]:
    """The key of arguments so described: `keyed(describe(args)) == flatten(args)[0]`."""
    key: list[Any] = []
    for arg in args:
        _rekey(arg, key)
    return tuple(key)


def _jax_key(aval: Any) -> Any:
    """The entry for tracers of this abstract value: weak scalars are Python's."""
    if aval.weak_type and aval.shape == ():
        return f"jax weak {aval.dtype.kind}"
    return _jax_keys.get(aval) or _concrete_key(aval)


def _concrete_key(aval: Any) -> Any:
    """The interned entry for JAX arrays of this abstract value."""
    if len(_jax_keys) > 65536:
        _jax_keys.clear()
    entry = _jax_keys[aval] = _jax_entry(aval.dtype, aval.shape)
    return entry


def _jax_entry(dtype: Any, shape: tuple[int, ...]) -> str:
    return f"jax {SHORT_NAMES.get(dtype, dtype)}{list(shape)}"


def _is_data_below(x: str, tree: Any) -> bool:
    if tree is None:
        return len(x) > LONG
    return is_data(x, is_static(tree.get(ITEMS)), is_static(tree.get(CODES)))


def _add_text(x: str, key: list[Any], leaves: list[Any]) -> None:
    codes, size = leaves_of(x)
    key += (str, codes.dtype, codes.shape)
    leaves += (codes, size)


def _known(x: Any) -> tuple[Any, ...]:
    """The entries of a known value; 0.0 and -0.0 are two, and nan is one."""
    if isinstance(x, (float, complex, np.inexact)):
        return "static", type(x), repr(x)
    return ("int", x) if x.__class__ is int else ("static", x.__class__, x)


# --- walking containers -----------------------------------------------------------------------


class _Walk:
    """One depth-first walk that extends a key and a list of leaves.

    Places (`runtime.places`) are spelled out as paths only where somebody asks.
    """

    __slots__ = ("key", "leaves", "seen")

    def __init__(self, key: list[Any], leaves: list[Any]) -> None:
        self.key = key
        self.leaves = leaves
        self.seen: dict[int, Any] = {}

    def visit(self, elements: Any, steps: Any, within: Any, tree: Any) -> None:
        """Add the elements that lie at `steps` of a container; `tree`: what is static in it."""
        key, leaves = self.key, self.leaves
        for i, x in enumerate(elements):
            kind = type(x)
            if kind is np.ndarray and x.dtype.names is None:
                if within is not None and x.dtype not in SHORT_NAMES:
                    key += ("unknown", kind, x.dtype)
                    continue
                key.append(x.dtype)
                key.append(x.shape)
                leaves.append(x)
            elif kind is jaxlink.ARRAY:
                key.append(_jax_keys.get(x.aval) or _concrete_key(x.aval))
                leaves.append(x)
            elif kind is int or kind is float or kind is complex:
                inside = None if tree is None else below(tree, steps, i)
                if is_static(inside):
                    key += _known(x)
                elif inside and is_static(inside.get(WORD)) and is_word(x):
                    key.append(WORD)
                    leaves.append(x - WORD_AT)
                elif inside and kind is int and is_static(inside.get(MOST)):
                    key += (MOST, most_of(x))
                    leaves.append(x)
                else:
                    key.append(kind)
                    leaves.append(x)
            elif kind in CONSTANTS:
                if kind is str and _is_data_below(x, tree and below(tree, steps, i)):
                    _add_text(x, key, leaves)
                else:
                    key += ("static", kind, x)
            else:
                inside = None if tree is None else below(tree, steps, i)
                self.visit_other(x, (within, steps, i, x), inside)

    def visit_other(self, x: Any, place: Any, tree: Any) -> None:
        kind = type(x)
        container = CONTAINERS.get(kind)
        if container is None:
            if kind in jaxlink.LITERALS:
                within, steps, i, _ = place
                step = step_of(steps, i)
                self.visit((jaxlink.LITERALS[kind](x),), (step,), within, tree and {step: tree})
                return
            container = container_of(x) or self.leaf(x, place, tree)
            if container is None:
                return
        if container.mutable:
            if (met := self.seen.get(id(x))) is not None:
                self.key += _met(met, place)
                return
            self.seen[id(x)] = place
            if kind is list and self.numbers(x, place, tree):
                return
        try:
            entries, steps, elements = container.open(x)
        except BadArgument as error:  # which does not know where `x` is
            if place[0] is None:
                raise BadArgument(error.template, path_of(place), hint=error.hint) from None
            self.key += ("unknown", kind, None)
            return
        self.key += entries
        self.visit(elements, steps, place, tree)

    def numbers(self, x: list[Any], place: Any, tree: Any) -> bool:
        """Add a long list of numbers, or of lists of such that were not met before."""
        found = None if is_static(tree and tree.get(ITEMS)) else numbers_of(x)
        if found is None or (tree and found[0].ndim > 1):  # of what is in it, something is known
            return False
        numbers = found[0]
        inside = dict.fromkeys(map(id, lists_in(x, numbers.ndim)), place)
        if not self.seen.keys().isdisjoint(inside):
            return False
        self.seen |= inside
        self.key += (
            list,
            *numbers.shape,
            _NUMBERS[len(found)],
            PYTHON_TYPES.get(numbers.dtype, WORD),
        )
        self.leaves += found
        return True

    def leaf(self, x: Any, place: Any, tree: Any) -> Container | None:
        """Add what is no container; a random key of JAX's is one after all."""
        if isinstance(x, np.generic) and not is_static(tree) and x.dtype in SHORT_NAMES:
            self.key.append(canonical(x.dtype).type)
        elif isinstance(x, np.memmap):
            self.key += (x.dtype, x.shape)
        elif isinstance(x, jax.Array) and jaxlink.is_key(x):
            return KEYS
        elif isinstance(x, jax.Array):
            self.key.append(_jax_key(jax.typeof(x)))
            x = jaxlink.settled(x)
        else:
            try:
                self.key += _known(_hashable(x, lambda: path_of(place)))
            except BadArgument:
                if place[0] is None:
                    raise
                self.key += ("unknown", type(x), getattr(x, "dtype", None))
            return None
        self.leaves.append(x)
        return None


def _met(met: Any, place: Any) -> tuple[Any, ...]:
    """The entries of a mutable container that was met before, there or in a list of numbers."""
    if met[3] is not place[3]:
        rows = rows_of(met[3])
        return "same", (*path_of(met), *next(steps for steps, row in rows if row is place[3]))
    around = place[0]
    while around is not None:
        if around is met:
            return "unknown", type(place[3]), None
        around = around[0]
    return "same", path_of(met)


class Describe:
    """The same walk, making descriptions."""

    def __init__(self, static: frozenset[Path]) -> None:
        self.static = static
        self.count = 0
        self.large: set[Path] = set()  # of ints that 64 bits hold without a sign alone
        # With the objects: what a container makes when it is opened must not make room for another.
        self.seen: dict[int, tuple[Path, Any]] = {}
        self.open: set[int] = set()

    def leaf(self) -> int:
        self.count += 1
        return self.count - 1

    def visit(self, x: Any, path: Path) -> Arg:
        """The description of `x`; what cannot be one, in a container, is refused where it is
        read."""
        try:
            return self.described(x, path)
        except BadArgument as error:
            if len(path) == 1 or isinstance(x, np.memmap | jax.Array):
                raise
            reason = error.template.replace("{}", "this", 1)
            return ArgUnknown(type(x), getattr(x, "dtype", None), reason, error.hint)

    def described(self, x: Any, path: Path) -> Arg:
        kind = type(x)
        if kind in jaxlink.LITERALS:
            x = jaxlink.LITERALS[kind](x)
            kind = type(x)
        structured = isinstance(x, np.ndarray) and container_of(x) is not None
        if (kind is np.ndarray or isinstance(x, np.memmap)) and not structured:
            type_ = _checked(x.dtype, x.shape, path)
            return ArgArray(type_, "numpy", bool(x.flags.writeable), self.leaf())
        if kind is int or kind is float or kind is complex:
            if path in self.static:
                return ArgStatic(x)
            if (*path, WORD) in self.static and is_word(x):
                return ArgScalar(python_type(kind), self.leaf(), WORD)
            self.large |= {(*path, WORD)} if is_word(x) and x >= WORD_AT else set()
            most = most_of(x) if kind is int and (*path, MOST) in self.static else None
            return ArgScalar(python_type(kind), self.leaf(), most=most)
        static = self.static
        if kind is str and is_data(x, (*path, ITEMS) in static, (*path, CODES) in static):
            codes, _ = leaves_of(x)
            return ArgText(array_type(codes.dtype, codes.shape), self.leaf(), self.leaf())
        if isinstance(x, np.generic) and path not in self.static and x.dtype in SHORT_NAMES:
            return ArgArray(array_type(x.dtype), "scalar", False, self.leaf())
        if isinstance(x, jax.Array) and not jaxlink.is_key(x):
            return self.jax_array(jax.typeof(x), path, kind is not jaxlink.ARRAY)
        if (container := KEYS if isinstance(x, jax.Array) else container_of(x)) is None:
            return ArgStatic(_hashable(x, lambda: path))
        if (seen := self.enter(container, x, path)) is not None:
            return ArgSame(seen)
        if (found := self.numbers(x, path)) is not None:
            self.open.discard(id(x))
            type_, leaf = array_type(found[0].dtype, found[0].shape), self.leaf()
            return ArgNumbers(type_, leaf, self.leaf() if found[1:] else None)
        _, steps, elements = container.open(x)
        parts = list(zip(steps, elements, strict=True))
        if kind in (list, tuple, dict) and any(is_word(e) and e >= WORD_AT for _, e in parts):
            own = {(*path, step): e for step, e in parts if is_word(e)}
            self.large |= {(*p, WORD) for p in own if not self.static & {p, (*p, WORD)}}
        items = tuple([self.visit(element, (*path, step)) for step, element in parts])
        self.open.discard(id(x))
        return container.build(x, items)

    def enter(self, container: Container, x: Any, path: Path) -> Path | None:
        """Start on a container: the path where it was met before, if it is mutable and was."""
        if container.mutable and id(x) in self.open:
            raise _contains_itself(path)
        if container.mutable:
            if (seen := self.seen.get(id(x))) is not None:
                return seen[0]
            self.seen[id(x)] = path, x
        self.open.add(id(x))
        return None

    def numbers(self, x: Any, path: Path) -> Any:
        """The numbers of a list that is one leaf, whose lists are none that were met before."""
        found = None if (*path, ITEMS) in self.static else self.leaves_of(x)
        if found is None or (found[0].ndim > 1 and below_path(self.static, path)):
            return None
        inside = {id(row): ((*path, *steps), row) for steps, row in rows_of(x)}
        if not self.seen.keys().isdisjoint(inside):
            return None
        self.seen |= inside
        return found

    def leaves_of(self, x: Any) -> tuple[np.ndarray, ...] | None:
        """The leaves of a list of numbers (`runtime.numbers`)."""
        return numbers_of(x)

    def jax_array(self, aval: Any, path: Path, traced: bool = False) -> Arg:
        type_ = _checked(aval.dtype, aval.shape, path)
        if traced and aval.weak_type and aval.shape == ():
            return ArgScalar(python_type(PYTHON_KINDS[aval.dtype.kind]), self.leaf(), "jax")
        return ArgArray(type_, "jax", False, self.leaf())


def _contains_itself(path: Path) -> CompileError:
    return BadArgument(
        "{} contains itself",
        path,
        hint="pass the parts of cyclic structures as separate arguments",
    )


# --- checks -----------------------------------------------------------------------------------


# What to pass in the place of an array that XLA has no elements for, by the kind of its dtype.
CONVERSIONS = {
    "O": "pass numbers as numbers, x.astype(float), and other objects as a list: x.tolist()",
    **dict.fromkeys("UST", "pass a list of strings: x.tolist()"),
    **dict.fromkeys("mM", "pass its integers: x.view(np.int64)"),
    **dict.fromkeys("fc", "convert it: x.astype(np.float64), or np.complex128"),
}


def _checked(dtype: Any, shape: tuple[int, ...], path: Path) -> ArrayType:
    for size in shape:
        if not isinstance(size, int | np.integer):  # of `jax.export.symbolic_shape`
            raise BadArgument(
                f"{{}} has the size {size}, and a program is for numbers",
                path,
                hint='a size up to a bound is part of a type: pyxla.build(f, f64["n<=1000"])',
            )
    if dtype in SHORT_NAMES:
        return array_type(dtype, tuple(shape))
    raise BadArgument(
        f"{{}} has dtype {dtype}, which compiled programs do not have", path, hint=_other(dtype)
    )


def _other(dtype: Any) -> str:
    """What to pass in the place of an array of a dtype that programs do not have."""
    if not isinstance(dtype, np.dtype):
        return f"use one of {', '.join(DTYPE_NAMES)}"
    if dtype.newbyteorder("=") in SHORT_NAMES:
        return "convert it to native byte order first: x.astype(x.dtype.newbyteorder('='))"
    if dtype.type.__module__ == ml_dtypes.__name__:  # narrow floats and ints
        kinds = {"int": "np.int8", "complex": "np.complex64", "float": "np.float32"}
        wide = next(wide for kind, wide in kinds.items() if kind in dtype.name)
        return f"convert it, {wide} has all of its values: x.astype({wide})"
    return CONVERSIONS.get(dtype.kind, f"use one of {', '.join(DTYPE_NAMES)}")


# What is no constant: its test, what it is, and what to pass instead.
_NO_CONSTANTS: tuple[tuple[Callable[[Any], bool], str, str], ...] = (
    (
        lambda x: isinstance(x, np.ndarray) and bool(x.dtype.names),
        "{} is a structured array, of which not all fields are plain numbers",
        "pass its fields as arrays",
    ),
    (
        lambda x: isinstance(x, np.ndarray),
        "{} is a %s, whose arithmetic is not an ndarray's",
        "pass np.asarray(x)",
    ),
    (
        is_frame,
        "{} is a %s: a table, which holds more than numbers",
        "pass its columns as arrays: df['x'].to_numpy()",
    ),
    (
        is_boxed,
        "{} is a %s of Numba's, which only Numba's code reads",
        "pass list(x), dict(x), or an instance of a class without @jitclass; inside, all of these "
        "are made",
    ),
    (
        is_exchanged,
        "{} is a %s: an array of another library",
        "pass np.from_dlpack(x), which shares its memory, or np.asarray(x)",
    ),
)


def _hashable(x: Any, path: Callable[[], Path]) -> Any:
    """A constant that can be part of a key; `path` says where it is."""
    for test, what, hint in _NO_CONSTANTS:
        if test(x):
            raise BadArgument(what.replace("%s", type(x).__name__), path(), hint=hint)
    try:
        hash(x)
    except Exception:  # the user's own `__hash__`, too
        raise BadArgument(
            f"{{}} is a {type(x).__name__}, neither a container that pyxla takes apart "
            "nor a hashable constant",
            path(),
            hint="pass its arrays and numbers as arguments, or register its class as a JAX pytree",
        ) from None
    return x


def parameter_name(function: Any, index: int, count: int, names: Sequence[str]) -> str:
    """The name of the parameter that takes argument `index` of `count`."""
    positional = count - len(names)
    if index >= positional:
        return names[index - positional]
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    for parameter in parameters[: index + 1]:
        if parameter.kind is parameter.VAR_POSITIONAL:
            return f"*{parameter.name}"
    return parameters[index].name if index < len(parameters) else f"argument {index}"


def name_argument(error: BadArgument, function: Any, count: int, names: Sequence[str]) -> None:
    """Let a refusal of one of `count` arguments say the name of the parameter that takes it, and
    where the function is."""
    error.loc = error.loc or compiler.location(function)
    if error.path[0] < count:
        error.name(parameter_name(function, error.path[0], count, names))


def _rekey(arg: Arg, key: list[Any]) -> None:
    match arg:
        case ArgArray(type, "numpy" | "state"):
            key += (type.dtype, type.shape)
        case ArgArray(type, "scalar"):
            key.append(type.dtype.type)
        case ArgArray(type, _):
            key.append(_jax_entry(type.dtype, type.shape))
        case ArgScalar(type, _, "jax"):
            key.append(f"jax weak {type.dtype.kind}")
        case ArgScalar(_, _, "word"):
            key.append(WORD)
        case ArgScalar(most=int(most)):
            key += (MOST, most)
        case ArgScalar(type):
            key.append(PYTHON_TYPES[type.dtype])
        case ArgStatic(value):
            key += _known(value)
        case ArgSame(path):
            key += ("same", path)
        case ArgUnknown(cls, dtype):
            key += ("unknown", cls, dtype)
        case ArgNumbers(type, sizes=sizes):
            word = _NUMBERS[1 if sizes is None else 2]
            key += (list, *type.shape, word, PYTHON_TYPES.get(type.dtype, WORD))
        case ArgText(type):
            key += (str, type.dtype, type.shape)
        case _:
            _rekey_container(arg, key)


def _rekey_container(arg: Any, key: list[Any]) -> None:
    match arg:
        case ArgTuple(cls, items):
            key += (cls, len(items))
        case ArgList(items):
            key += (list, len(items))
        case ArgDict(keys, items):
            key += (dict, keys, tuple(map(type, keys)))
        case ArgStand(cls, ArgList(items), fields):
            key += (cls, len(items), fields)
        case ArgStand(cls, ArgDict(keys, items), fields):
            key += (cls, keys, tuple(map(type, keys)), fields)
        case ArgMethod(function, owner):
            key += ("method", function)
            items = (owner,)
        case ArgObject(cls, fields):
            key += (cls, tuple([name for name, _ in fields]))
            items = tuple([item for _, item in fields])
        case ArgPytree(cls, treedef, items):
            key += (cls, treedef)
    for item in items:
        _rekey(item, key)
