"""Programs in files: portable StableHLO with a signature, runnable without the source.

    artifact ::= blob blob? json length checksum magic

A `blob` is what `jax.export` serializes, a flatbuffer that is read from its start, so that plain
`jax.export.deserialize` runs the whole file and never looks at the rest.  The first is the program;
where that notes faults (`infer.raising.faults`), the second has all checks in place, and is run
where one is noted.  `json` describes arguments and results (the records of `descriptions` and
`outcome`) and names versions; `length`, 8 bytes, is its size, little endian; `checksum`, 4 bytes,
is the CRC-32 of all before it: a damaged file is refused, not run.  Nothing in the file is executed
or unpickled by loading it: classes are kept by name only, and a loaded program makes tuples of
NamedTuples, `SimpleNamespace`s of other instances, and the built-in exceptions and pyxla's own.
"""

from __future__ import annotations

import base64
import builtins
import collections
import dataclasses
import functools
import importlib
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import jax
import numpy as np

from pyxla.errors import (
    CompileError,
    ListOverflow,
    Location,
    PoolOverflow,
    PowerType,
    RefusedPath,
    RowOverflow,
    UnlikeDicts,
    spell,
)
from pyxla.frozen import dataclass
from pyxla.ir.types import (
    DTYPE_NAMES,
    PYTHON_DTYPES,
    PYTHON_TYPES,
    SHORT_NAMES,
    ArrayType,
    array_type,
)
from pyxla.lib.random.state import STATES
from pyxla.options import DEFAULTS, Options
from pyxla.runtime import descriptions, jaxlink, numbers, outcome, sharing, signature, texts
from pyxla.runtime.bounds import Parts
from pyxla.runtime.descriptions import Arg, ArgArray, ArgScalar, ArgStatic
from pyxla.runtime.executable import Executable, Traced
from pyxla.runtime.outcome import Faulty, Outcome
from pyxla.runtime.programs import Program
from pyxla.runtime.request import steps

MAGIC = b"pyxla\x00\x00\x03"
FORMAT = 3
Made = tuple[Program, Outcome]


def build(
    programs: Sequence[Made],
    args: Sequence[Arg],
    *,
    names: Sequence[str] = (),
    captured: Mapping[int, Any] | None = None,
    copies: bool = False,
    parts: Parts | None = None,
) -> bytes:
    """The artifact of a specialization.

    programs: it, and the one that is run where it notes a fault, if there is one.  args describe
    the parameters, called `names`.  captured: leaf -> array, for the leaves of captures, which the
    artifact holds by value.  copies: as for a specialization.  parts: which sizes are not known,
    where the last argument, by name, is these.
    """
    _check_given(args)
    made = [_exported(x, captured or {}) for x in programs]
    first = made[0][1]
    about = {
        "format": FORMAT,
        "name": programs[0][0].name,
        "versions": {"jax": jax.__version__, "stablehlo": first.calling_convention_version},
        "platforms": list(first.platforms),
        "names": list(names),
        "args": encode(tuple(args)),
        "writes": copies or any(outcome.writes for _, outcome in programs),
        "parts": parts and [encode(parts.pattern), dict(parts.bounds)],
        "programs": [part for part, _, _ in made],
    }
    text = json.dumps(about, sort_keys=True, indent=1).encode()
    blobs = b"".join([blob for _, _, blob in made])
    data = blobs + text + len(text).to_bytes(8, "little")
    return data + _checksum(data) + MAGIC


def _check_given(args: Any, path: tuple[Any, ...] = ()) -> None:
    """Refuse arguments that only compiled functions take apart."""
    for step, arg in steps(args):
        cls = arg.cls if isinstance(arg, descriptions.ArgObject) else object
        if cls.__module__.startswith(_LIBRARY):
            words = f"an artifact cannot take {spell((*path, step))}, which has parts of its own"
            raise CompileError(words, hint="pass them as arrays: the fields of a structured array")
        _check_given(arg, (*path, step))


def _exported(made: Made, captured: Mapping[int, Any]) -> tuple[dict[str, Any], Any, bytes]:
    """What `json` says of a program, what JAX exports it as, and its blob."""
    program, outcome = made
    taken = {i: captured[leaf] for i, leaf in enumerate(outcome.inputs) if leaf in captured}
    record = jaxlink.exported(program, taken, program.options.platforms or None)
    blob = bytes(record.serialize())
    free = tuple([leaf for i, leaf in enumerate(outcome.inputs) if i not in taken])
    about = {
        "params": encode(tuple([t for i, t in enumerate(program.params) if i not in taken])),
        "results": encode(program.results),
        "outcome": encode(dataclasses.replace(outcome, inputs=free)),
        "size": len(blob),
    }
    return about, record, blob


def _checksum(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(4, "little")


def save(path: str | Path, data: bytes) -> None:
    Path(path).write_bytes(data)


@dataclass(frozen=True, eq=False)  # functions are told apart by which they are
class Loaded:
    """A loaded program; call it on arguments like those it was built for."""

    name: str
    params: tuple[ArrayType, ...]
    results: tuple[ArrayType, ...]
    names: tuple[str, ...]
    args: tuple[Arg, ...]
    outcome: Outcome
    about: Mapping[str, Any]
    stablehlo: str
    jitted: Any = dataclasses.field(repr=False)
    replay: Callable[[], Loaded] | None = dataclasses.field(repr=False)

    options: ClassVar[Options] = DEFAULTS
    work: ClassVar[None] = None  # for all that is known

    @property
    def __name__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        types = (
            self.parts.spelled(self.args) if self.parts else map(descriptions.spelled, self.args)
        )
        params = [f"{n}: {t}" for n, t in zip(self.names, types, strict=False)]
        return f"<pyxla.load {self.name}({', '.join(params)})>"

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Run on arguments: as the compiled function would, exceptions included.

        Raises TypeError for arguments of other types, and where the program writes to arrays that
        share memory or are not in C order; an int is taken for a float.
        """
        parts = self.parts
        given, count = len(args) + len(named), len(self.args) - (parts is not None)
        names = self.names[len(args) : count]
        if given != count or (named and set(names) != set(named)):
            words = f"{self.name}() takes {count} argument{'s' * (count != 1)}, {given} given"
            raise ArgumentError(
                f"{words}: {', '.join(self.names[:count])}" if self.names else words
            )
        args = (*args, *[named[name] for name in names if named])
        if parts is None:
            return self._run(args)
        sizes = parts.sizes(args, self.args)
        if sizes is None:
            shown = ", ".join(map(_shown, args))
            raise ArgumentError(f"{self!r} takes arrays of other types or sizes than {shown}")
        if self.about["writes"]:
            self._check_memory(sharing.memory(signature.flatten(args)[1]))
        whole = parts.whole(args)
        try:
            return self._run((*whole, sizes))
        finally:
            if self.about["writes"]:
                parts.write_back(args, whole)

    def _run(self, args: tuple[Any, ...]) -> Any:
        leaves: list[Any] = []
        for index, (arg, x) in enumerate(zip(self.args, args, strict=True)):
            _collect(arg, x, (*self.names[index : index + 1],) or (index,), leaves)
        if self.about["writes"]:
            self._check_memory(sharing.memory(leaves))
        try:
            return self._called(leaves, args, self.outcome)
        except Faulty as fault:
            if self.replay is None:
                raise fault.error() from None
        except Traced:  # where what is out of order goes unnoticed, as in JAX
            return self._called(leaves, args, dataclasses.replace(self.outcome, faults=None))
        again = self.replay()
        return again._called(leaves, args, again.outcome)

    def _called(self, leaves: list[Any], args: tuple[Any, ...], outcome: Outcome) -> Any:
        has_jax = any(isinstance(x, jax.Array) for x in leaves)
        seen = dataclasses.replace(outcome, jax=has_jax, waits=outcome.waits or has_jax)
        return Executable(self, seen, self.jitted)(leaves, args)

    @functools.cached_property
    def parts(self) -> Parts | None:
        """Which sizes of arrays are not known."""
        found = self.about.get("parts")
        return None if found is None else Parts(decode(found[0]), found[1])

    def _check_memory(self, found: sharing.Memory) -> None:
        """The program was built for arrays that each lie in memory by themselves, in C order."""
        if found.groups:
            what = "arguments share memory"
        elif found.strides:
            what = "an argument is not in C order"
        else:
            return
        raise TypeError(f"{self.name}(): {what}, and the program writes to arrays; pass a copy")


class ArgumentError(TypeError):
    """Arguments that a loaded program was not built for."""


def load(path: str | Path) -> Loaded:
    """The program in the artifact at `path`."""
    return parse(Path(path).read_bytes())


def parse(data: bytes) -> Loaded:
    """The program that the bytes of an artifact hold."""
    if data[-len(MAGIC) :] != MAGIC:
        raise CompileError("not a pyxla artifact", hint="make one with `pyxla build`")
    data = data[: -len(MAGIC)]
    data, checksum = data[:-4], data[-4:]
    end = len(data) - 8
    start = end - int.from_bytes(data[max(end, 0) :], "little")
    if start < 0 or _checksum(data) != checksum:
        raise CompileError("this pyxla artifact is damaged", hint="build it again")
    about = json.loads(data[start:end])
    if about["format"] != FORMAT:
        raise CompileError(
            f"the artifact has format {about['format']}, this version reads {FORMAT}",
            hint="build it again",
        )
    return _loaded(about, data[:start])


def _loaded(about: Mapping[str, Any], blobs: bytes, number: int = 0) -> Loaded:
    """A program of an artifact, by its number."""
    part, *others = about["programs"][number:]
    blob, rest = blobs[: part["size"]], blobs[part["size"] :]
    jitted, record = jaxlink.imported(bytearray(blob))
    return Loaded(
        about["name"],
        decode(part["params"]),
        decode(part["results"]),
        tuple(about["names"]),
        decode(about["args"]),
        decode(part["outcome"]),
        about,
        record.mlir_module(),
        jitted,
        functools.cache(lambda: _loaded(about, rest, number + 1)) if others else None,
    )


# --- arguments of a loaded program ------------------------------------------------------------


def _collect(arg: Arg, x: Any, path: tuple[Any, ...], leaves: list[Any]) -> None:
    """Append the leaves of `x`, which must be as `arg` describes."""
    match arg:
        case ArgScalar(kind="word"):
            _check(numbers.is_word(x), "an int from 0 to 2**64", x, path)
            leaves.append(x - numbers.WORD_AT)
        case ArgArray(type) | ArgScalar(type):
            x = _converted(type, x)
            _check(_matches(type, x), type, x, path)
            leaves.append(x)
        case descriptions.ArgNumbers(type, sizes=sizes):
            held: list[Any] = []
            if sizes is not None:
                return _collect_rows(type, x, path, leaves)
            _collect_numbers(type, type.shape, x, path, held)
            leaves.append(np.array(held, type.dtype).reshape(type.shape))
        case descriptions.ArgText(type):
            _check(isinstance(x, str), "a text", x, path)
            codes, length = texts.leaves_of(x)
            fits = int(length) <= type.shape[0] and codes.dtype.itemsize <= type.dtype.itemsize
            _check(fits, f"a text of at most {type.shape[0]} characters", x, path)
            held_ = np.zeros(type.shape, type.dtype)
            held_[:length] = codes[:length]
            leaves += (held_, length)
        case descriptions.ArgUnknown():  # nobody reads it
            pass
        case ArgStatic(value):
            _check(x == value, repr(value), x, path)
        case descriptions.ArgTuple(_, items) | descriptions.ArgList(items):
            kind = "tuple" if isinstance(arg, descriptions.ArgTuple) else "list"
            expected = f"a {kind} of {len(items)} items"
            _check(isinstance(x, (tuple, list)) and len(x) == len(items), expected, x, path)
            for step, (item, y) in enumerate(zip(items, x, strict=True)):
                _collect(item, y, (*path, step), leaves)
        case descriptions.ArgDict(keys, items):
            expected = f"a dict with the keys {list(keys)}, in this order"
            _check(isinstance(x, dict) and tuple(x) == keys, expected, x, path)
            for key, item in zip(keys, items, strict=True):
                _collect(item, x[key], (*path, key), leaves)
        case descriptions.ArgStand(cls, inner, fields):
            keyed = isinstance(inner, descriptions.ArgDict)
            cls = (dict if keyed else list) if cls is SimpleNamespace else cls
            _check(isinstance(x, cls), f"a {cls.__name__}", x, path)
            for name, value in fields:
                _check(getattr(x, name) == value, f"{name}={value!r}", x, path)
            _collect(inner, dict(x) if keyed else list(x), path, leaves)
        case descriptions.ArgObject(cls, fields) if cls in STATES:  # a random generator
            _check(x.__class__ is cls, f"a {cls.__name__}", x, path)
            for (name, item), y in zip(fields, STATES[cls].open(x), strict=True):
                _collect(item, y, (*path, name), leaves)
        case descriptions.ArgObject(_, fields):
            for name, item in fields:
                _check(hasattr(x, name), f"an object with field {name!r}", x, path)
                _collect(item, getattr(x, name), (*path, name), leaves)
        case _:
            _check(False, arg.__class__.__name__.removeprefix("Arg").lower(), x, path)


def _collect_numbers(
    type: ArrayType, shape: tuple[int, ...], x: Any, path: tuple[Any, ...], held: list[Any]
) -> None:
    """Append the numbers in lists of that shape."""
    size, *inner = shape
    what = "lists" if inner else "numbers"
    _check(isinstance(x, list) and len(x) == size, f"a list of {size} {what}", x, path)
    for step, y in enumerate(x):
        if type.dtype == np.uint64:
            _check(numbers.is_word(y), "an int from 0 to 2**64", y, (*path, step))
            held.append(y)
        elif inner:
            _collect_numbers(type, tuple(inner), y, (*path, step), held)
        else:
            _collect(ArgScalar(array_type(type.dtype, (), weak=True)), y, (*path, step), held)


def _collect_rows(type: ArrayType, x: Any, path: tuple[Any, ...], leaves: list[Any]) -> None:
    """Append the numbers in lists of several lengths, and the lengths."""
    count, most = type.shape
    _check(isinstance(x, list) and len(x) == count, f"a list of {count} lists", x, path)
    rows = np.zeros(type.shape, type.dtype)
    for i, row in enumerate(x):
        fits = isinstance(row, list) and len(row) <= most
        _check(fits, f"a list of at most {most} numbers", row, (*path, i))
        held: list[Any] = []
        _collect_numbers(type, (len(row),), row, (*path, i), held)
        rows[i, : len(row)] = held
    leaves += (rows, np.array(list(map(len, x)), np.int64))


def _converted(type: ArrayType, x: Any) -> Any:
    """A number as the Python number that is expected, where that has its value."""
    number = x.item() if isinstance(x, np.generic) else x
    python = PYTHON_TYPES.get(type.dtype) if type.weak else None
    if python is None or not isinstance(number, (bool, int, float, complex)):
        return x
    return python(number) if _ORDER.index(number.__class__) <= _ORDER.index(python) else x


_ORDER = (bool, int, float, complex)


def _matches(type: ArrayType, x: Any) -> bool:
    if type.weak:
        return PYTHON_DTYPES.get(x.__class__) == type.dtype
    return hasattr(x, "dtype") and x.dtype == type.dtype and tuple(x.shape) == type.shape


def _check(fits: bool, expected: Any, x: Any, path: tuple[Any, ...]) -> None:
    if not fits:
        raise ArgumentError(f"{spell(path)}: expected {expected}, got {_shown(x)}")


def _shown(x: Any) -> str:
    """What was given, in a message."""
    if hasattr(x, "dtype"):
        return f"{SHORT_NAMES.get(x.dtype, x.dtype)}{list(x.shape)}"
    return str(x)


# --- records as JSON --------------------------------------------------------------------------

_RECORDS = {
    record.__name__: record
    for module in (descriptions, outcome)
    for record in vars(module).values()
    if isinstance(record, type) and dataclasses.is_dataclass(record)
} | {"Location": Location}


def encode(x: Any) -> Any:
    """Records, types and constants as JSON."""
    if x is None or isinstance(x, (bool, str)) or type(x) is int:
        return x
    if isinstance(x, ArrayType):
        return {"type": [SHORT_NAMES[x.dtype], list(x.shape), x.weak]}
    if isinstance(x, Location):  # by the file's name alone: the same in every checkout
        x = dataclasses.replace(x, filename=Path(x.filename).name)
    if dataclasses.is_dataclass(x) and type(x).__name__ in _RECORDS and not isinstance(x, type):
        fields = {f.name: encode(getattr(x, f.name)) for f in dataclasses.fields(x)}
        return {"record": type(x).__name__, **fields}
    for name, (kind, write, _) in _FORMS.items():
        if isinstance(x, kind):
            return {name: write(x)}
    raise CompileError(
        f"an artifact cannot hold {x!r}, a {type(x).__name__}",
        hint="make it an argument, or a number, a string, a dtype or a tuple of these",
    )


def decode(x: Any) -> Any:
    """What `encode` made, with classes replaced by built-in ones."""
    if not isinstance(x, dict):
        return x
    if "record" in x:
        fields = {name: decode(value) for name, value in x.items() if name != "record"}
        return _RECORDS[x["record"]](**fields)
    if "type" in x:
        name, shape, weak = x["type"]
        return array_type(DTYPE_NAMES[name], tuple(shape), weak)
    ((name, value),) = x.items()
    return _FORMS[name][2](value)


def _write_array(x: Any) -> list[Any]:
    x = np.asarray(x)
    return [SHORT_NAMES[x.dtype], list(x.shape), base64.b64encode(x.tobytes()).decode()]


def _read_array(x: list[Any]) -> np.ndarray:
    name, shape, text = x
    return np.frombuffer(base64.b64decode(text), DTYPE_NAMES[name]).reshape(shape).copy()


_BUILTINS: tuple[type, ...] = (bool, int, float, complex, list, dict, set, frozenset)
_OF_COLLECTIONS = (
    *(collections.deque, collections.defaultdict, collections.OrderedDict, collections.Counter),
)
_SURPRISES = (ListOverflow, RowOverflow, PoolOverflow, PowerType, RefusedPath, UnlikeDicts)
_PLAIN = {
    f"{cls.__module__}.{cls.__name__}": cls
    for cls in (
        *_BUILTINS,
        *_SURPRISES,
        *STATES,
        *_OF_COLLECTIONS,
        *{dtype.type for dtype in DTYPE_NAMES.values()},
    )
}
_LIBRARY = "pyxla.lib."


def _read_class(name: str) -> type:
    """The class that stands for the one of this name."""
    if name == "tuple":
        return tuple
    if name == "LinAlgError":
        return np.linalg.LinAlgError
    if name in _PLAIN:
        return _PLAIN[name]
    if name.startswith(_LIBRARY):  # a class that stands for a container of Python's
        module, _, attribute = name.rpartition(".")
        return getattr(importlib.import_module(module), attribute, SimpleNamespace)
    found = getattr(builtins, name, None)
    if isinstance(found, type) and issubclass(found, BaseException):
        return found
    return SimpleNamespace


def _write_class(cls: type) -> str:
    if issubclass(cls, tuple):
        return "tuple"
    name = f"{cls.__module__}.{cls.__name__}"
    if cls.__module__.startswith(_LIBRARY) and _read_class(name) is not cls:
        raise CompileError(
            f"an artifact cannot hold a {cls.__name__}", hint="use arrays, lists and dicts"
        )
    if cls in _PLAIN.values() or cls.__module__.startswith(_LIBRARY):
        return name
    if issubclass(cls, BaseException) and cls is not np.linalg.LinAlgError:
        return next(c.__name__ for c in cls.__mro__ if getattr(builtins, c.__name__, None) is c)
    return cls.__name__


_FORMS: dict[str, tuple[Any, Any, Any]] = {
    "scalar": (np.generic, _write_array, lambda x: _read_array(x)[()]),  # np.float64 is a float
    "float": (float, float.hex, float.fromhex),
    "complex": (complex, lambda x: [x.real.hex(), x.imag.hex()], lambda x: _complex(*x)),
    "tuple": (tuple, lambda x: [encode(y) for y in x], lambda x: tuple([decode(y) for y in x])),
    "list": (list, lambda x: [encode(y) for y in x], lambda x: [decode(y) for y in x]),
    "frozenset": (
        frozenset,
        lambda x: [encode(y) for y in sorted(x, key=repr)],
        lambda x: frozenset(map(decode, x)),
    ),
    "dict": (
        dict,
        lambda x: [[encode(k), encode(v)] for k, v in x.items()],
        lambda x: {decode(k): decode(v) for k, v in x},
    ),
    "dtype": (np.dtype, lambda x: SHORT_NAMES[x], DTYPE_NAMES.__getitem__),
    "class": (type, _write_class, _read_class),
    "slice": (
        slice,
        lambda x: [encode(y) for y in (x.start, x.stop, x.step)],
        lambda x: slice(*map(decode, x)),
    ),
    "ellipsis": (type(Ellipsis), lambda x: None, lambda x: Ellipsis),
    "array": (np.ndarray, _write_array, _read_array),
}


def _complex(real: str, imag: str) -> complex:
    return complex(float.fromhex(real), float.fromhex(imag))
