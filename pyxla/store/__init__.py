"""Specializations kept on disk, from process to process.

    slot = slot_of(request, given)       what is asked for; None where that cannot be told
    slot.find(places, static)            what is kept of it, if all it depends on is as it was
    slot.tell(found), slot.keep(binary)  keep what was made for it, before and after its first call

What is asked for is the *key*: the function (`identity`), the types of the arguments, the options,
and the environment: versions, platform, settings.  What was found out while compiling are *steps*
in the entry: which global names were read and what they were, which objects outside were captured,
and which numbers had to be known.  Whoever reads an entry takes the steps again, on his own
objects, and compares; the numbers of a `Walk` lead him to the namespaces, cells and classes meant.
All places that the program is guarded at (`infer.calls.captures`) are found that way: one that is
not makes the program one that is not kept.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import importlib
import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jaxlib
import ml_dtypes
import numpy as np

from pyxla import journal, late
from pyxla.errors import BadArgument, CompileError, Location, NotCompiled, also
from pyxla.frozen import dataclass
from pyxla.guards.places import ZERO, Place
from pyxla.guards.states import AbsentState, BasesState, FunctionState, LibraryState
from pyxla.lib.variables import Variable, variable
from pyxla.runtime import binaries, host, signature
from pyxla.runtime.descriptions import Arg
from pyxla.runtime.executable import Binary, Executable, Kept
from pyxla.runtime.request import Request
from pyxla.store import folder
from pyxla.store.identity import Unstable, Walk, is_library
from pyxla.store.records import Reader, Writer

compiler = late.module("pyxla.compiler")
_PACKAGES = (jax, jaxlib, np, ml_dtypes)
_SETTINGS = ("XLA_", "JAX_", "TF_", "NPY_", "OMP_", "LIBTPU_", "CUDA_", "PYXLA_XLA")
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Found:
    """A specialization, made or kept.

    copies, laid, constants, left_out: as of a `Specialization`.  run: whether XLA's code was kept
    with it.
    """

    request: Request
    places: tuple[Place, ...]
    static: Mapping[signature.Path, Location | None]
    constants: Mapping[Any, Any]
    copies: bool
    laid: bool
    executable: Executable
    run: bool = True
    left_out: tuple[NotCompiled, ...] = ()


def slot_of(request: Request, given: Sequence[Any]) -> Slot | None:
    """Where a request is kept, for a call whose own arguments are `given`."""
    if folder.folder() is None:
        return None
    try:
        base = signature.describe(given)
        slot = Slot(replace(request, args=()), base)
        slot.walked, slot.key = slot.walk()
    except (Unstable, CompileError) as reason:
        _not_kept(reason)
        return None
    return slot


@dataclass(slots=True)
class Slot:
    """request: without arguments.  base: the arguments of the call itself, with no values known.
    walked: the walk that made the key, from which each entry goes on."""

    request: Request
    base: tuple[Arg, ...]
    key: str = ""
    walked: Walk | None = None
    header: dict[str, Any] | None = None

    def walk(self) -> tuple[Walk, str]:
        """A walk over what is asked for, and what it says."""
        walk = Walk([host.WIDE.owner, host.SCOPE.owner, ZERO])
        request = self.request
        named = [field.name for field in dataclasses.fields(request) if field.name != "function"]
        asked = tuple([getattr(request, name) for name in named])
        return walk, walk.digest(request.function, asked, self.base, environment())

    def find(
        self,
        given: Sequence[Any],
        places: Sequence[Place],
        static: Mapping[signature.Path, Location | None],
    ) -> Found | None:
        """The entry that holds for a call with `given`, where `places` and `static` are known of
        the function already."""
        walked, self.walked = self.walked or self.walk()[0], None
        for path, header, blobs in folder.candidates(self.key):
            try:
                found = _Entry(self, header, walked.copy()).restored(
                    given, places, static, blobs[0]
                )
            except (Unstable, CompileError, _Differs):
                continue
            except Exception:  # whatever XLA cannot read is compiled anew
                if self.request.options.verify:
                    raise
                continue
            folder.touch(path)
            return found
        return None

    def tell(self, found: Found) -> bool:
        """Note what a specialization that was just made depends on; False where that cannot be
        told to another process."""
        try:
            self.header = _header(self, found)
        except Unstable as reason:
            _not_kept(reason)
            return False
        return True

    def keep(self, binary: Binary | None) -> bool:
        """Keep the specialization that was told of; False where that cannot be done."""
        if binary is None or self.header is None:
            return False
        told = json.dumps([self.header["steps"], self.header["static"]]).encode()
        name = hashlib.blake2b(told, digest_size=20).hexdigest()
        types = binary.params, binary.results, binary.moved, binary.given, binary.used
        header = {**self.header, "binary": Writer(_unnamed).write(types)}
        return folder.write(self.key, name, header, [binary.data])


def _not_kept(reason: Exception) -> None:
    journal.note("cache", f"it is not kept on disk: {reason}")


class _Differs(Exception):  # noqa: N818 - an answer, not an error
    """Something is not as it was."""


# --- writing ----------------------------------------------------------------------------------


class _Steps:
    """What an entry depends on, in the order in which who reads it finds it again."""

    def __init__(self, walk: Walk, found: Found) -> None:
        self.walk, self.found = walk, found
        self.steps: list[Any] = []
        self.guards: list[Any] = []
        self._places = list(found.places)
        self._described = False
        self._pending: list[tuple[Any, str]] = []
        for guard in found.constants:
            self._pending += _names(guard)
        while self._advance():
            pass
        self.guards = [self._guard(guard) for guard in found.constants]
        if not self._described:
            raise Unstable(f"the captured object {self._places[0].name!r} is not found again")
        if self._pending:
            raise Unstable(f"the namespace of {self._pending[0][1]!r} is not found again")

    def _advance(self) -> bool:
        """Take the steps that can be taken; whether there were any."""
        before, count = self._pending, len(self.steps)
        self._pending = []
        for owner, name in before:
            number = self._number(owner)
            if number is None:
                self._pending.append((owner, name))
            else:
                self.steps.append(["global", number, name, _digest(self.walk, owner, name)])
        while self._places and (step := self._place(self._places[0])) is not None:
            self.steps.append(step)
            del self._places[0]
        if not self._places and not self._described:
            self.steps.append(["args", self.walk.digest(self.found.request.args)])
            self._described = True
        return len(self.steps) > count

    def _number(self, owner: Any) -> int | None:
        """The number of an object outside; of a library's, it has a name that leads there."""
        found = self.walk.find(owner)
        if found is None and (word := _known_by(owner)) is not None:
            self.steps.append(["library", word])
            found = self.walk.number(owner)
        return found

    def _place(self, place: Place) -> Any:
        owner, name, kind = place.owner, place.name, "place"
        if isinstance(owner, Variable):
            owner, name, kind = owner.owner, owner.name, "variable"
        number = self._number(owner)
        return None if number is None else [kind, number, name]

    def _guard(self, guard: Any) -> Any:
        match guard:
            case Place(owner):
                rest = None
                if (found := self._place(guard)) is not None:
                    return found
            case FunctionState(owner) | BasesState(owner):
                rest = None
            case LibraryState(owner, names) | AbsentState(owner, names):
                rest = sorted(names)
            case _:
                raise Unstable(f"a {type(guard).__name__}")
        number = self._number(owner)
        if number is None:
            of = owner.get("__name__") if isinstance(owner, dict) else owner
            raise Unstable(f"what is known of {of!r} is not found again"[:200])
        return [type(guard).__name__, number, rest]


def _names(guard: Any) -> list[tuple[Any, str]]:
    """The names in namespaces that a guard is about."""
    match guard:
        case Place(owner, name) if name is not None and not isinstance(owner, (type, Variable)):
            return [(owner, name)]
        case LibraryState(owner, names) | AbsentState(owner, names):
            return [(owner, name) for name in sorted(names)]
    return []


def _digest(walk: Walk, owner: Any, name: str) -> str:
    """What a namespace has as `name`; where it has nothing, what Python has."""
    if owner is host.SCOPE.owner:
        if binaries.scoped_by_jax():
            raise Unstable("what JAX has in scope")
        return ""
    value = owner.get(name, _ABSENT)
    if value is not _ABSENT:
        return walk.digest(value)
    return "absent " + walk.digest(_builtin(name))


def _builtin(name: str) -> Any:
    return vars(sys.modules["builtins"]).get(name)


def _header(slot: Slot, found: Found) -> dict[str, Any]:
    walk, key = slot.walk()
    if key != slot.key:
        raise Unstable("it changed meanwhile")
    told = _Steps(walk, found)
    executable = found.executable
    write = Writer(functools.partial(_word, walk)).write
    program = executable.program
    return {
        "function": str(getattr(slot.request.function, "__qualname__", program.name)),
        "file": _file(slot.request.function),
        "steps": told.steps,
        "guards": told.guards,
        "static": write(dict(found.static)),
        "program": write(
            (program.name, program.params, program.results, program.work),
        ),
        "memory": write((found.copies, found.laid)),
        "outcome": write(executable.outcome),
        "left_out": write(tuple([(text, _parts(why)) for text, why in found.left_out])),
    }


def _parts(why: CompileError) -> tuple[Any, ...]:
    """What a refusal is made of again (`_refusal`)."""
    shown = {name: getattr(why, name) for name in ("types", "notes", "chain", "hint")}
    return type(why).also, why.message, why.loc, shown


def _refusal(kind: Any, message: str, loc: Location | None, shown: Any) -> CompileError:
    made: type[CompileError] = CompileError if kind is None else also(kind)
    return made(message, loc, **shown)


def _file(function: Any) -> str:
    code = getattr(getattr(function, "__pyxla_function__", function), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else ""


def _word(walk: Walk, x: Any) -> Any:
    """How an object is named in an entry."""
    number = walk.find(x)
    if number is not None:
        return number
    if isinstance(x, enum.Enum):
        return [_word(walk, type(x)), x.name]
    if (word := _known_by(x)) is not None:
        return word
    raise Unstable(f"a {type(x).__name__} among the results")


def _unnamed(x: Any) -> Any:
    raise Unstable(f"a {type(x).__name__}")


def _known_by(x: Any) -> Any:
    """The name of a library's object, or of the namespace of one of its modules."""
    modules: tuple[Any, ...]
    if isinstance(x, dict):  # `_collections_abc` calls itself by another module's name
        modules, name = (x.get("__name__"), getattr(x.get("__spec__"), "name", None)), "__dict__"
    else:
        modules, name = (getattr(x, "__module__", None),), getattr(x, "__qualname__", None)
    for module in modules if isinstance(name, str) else ():
        if isinstance(module, str) and is_library(module) and _named([module, name]) is x:
            return [module, name]
    return None


def _named(word: Sequence[str]) -> Any:
    """The object of this name; None where there is none."""
    found: Any = sys.modules.get(word[0])
    if found is None and word[0].startswith("pyxla."):  # not loaded yet
        found = importlib.import_module(word[0])
    for part in word[1].split("."):
        found = getattr(found, part, None)
    return found


# --- reading ----------------------------------------------------------------------------------


class _Entry:
    """An entry that is read: its steps are taken on the objects of this process."""

    def __init__(self, slot: Slot, header: dict[str, Any], walk: Walk) -> None:
        self.slot, self.header, self.walk = slot, header, walk
        self.read = Reader(self._found).read

    def _found(self, word: Any) -> Any:
        if isinstance(word, int):
            return self.walk.objects[word]
        if isinstance(word[0], str):
            found = _named(word)
        else:
            found = self._found(word[0])[word[1]]  # a member of an enum
        if found is None:
            raise _Differs
        return found

    def restored(
        self,
        given: Sequence[Any],
        places: Sequence[Place],
        static: Mapping[signature.Path, Location | None],
        data: bytes,
    ) -> Found:
        """The specialization, if all it depends on is as it was."""
        slot, header = self.slot, self.header
        known = self.read(header["static"])
        if not static.keys() <= known.keys():
            raise _Differs
        described, captured = self._taken(given, places, frozenset(known))
        name, params, results, work = self.read(header["program"])
        outcome = self.read(header["outcome"])
        request = replace(slot.request, args=described)

        def make() -> Any:
            return compiler.kept(request, captured, known)

        binary = Binary(data, *self.read(header["binary"]))
        program = Kept(name, params, results, work, slot.request.options, make)
        executable = Executable(program, outcome, binary=binary)
        guards = [self._guard(*guard) for guard in header["guards"]]
        constants = {guard: guard.read() for guard in guards}
        told = [(text, _refusal(*parts)) for text, parts in self.read(header["left_out"])]
        run = bool(data)
        copies, laid = self.read(header["memory"])
        return Found(
            request, captured, known, constants, copies, laid, executable, run, tuple(told)
        )

    def _taken(
        self, given: Sequence[Any], places: Sequence[Place], static: frozenset[signature.Path]
    ) -> tuple[tuple[Arg, ...], tuple[Place, ...]]:
        """Take the steps; the arguments as they are described, and what is captured."""
        captured: list[Place] = []
        described: tuple[Arg, ...] = ()
        for kind, *step in self.header["steps"]:
            if kind == "global":
                number, name, digest = step
                if _digest(self.walk, self.walk.objects[number], name) != digest:
                    raise _Differs
            elif kind == "library":
                self.walk.number(self._found(step[0]))
            elif kind == "args":
                if captured[: len(places)] != list(places):
                    raise _Differs
                described = self._described([*given, *[p.read() for p in captured]], static)
                if self.walk.digest(described) != step[0]:
                    raise _Differs
            else:
                captured.append(self._place(kind, *step))
        return described, tuple(captured)

    def _described(self, args: Sequence[Any], static: frozenset[Any]) -> tuple[Arg, ...]:
        try:
            return signature.describe(args, static)
        except BadArgument:
            raise _Differs from None

    def _place(self, kind: str, number: int, name: str | None) -> Place:
        owner = self.walk.objects[number]
        return Place(variable(owner, name)) if kind == "variable" else Place(owner, name)

    def _guard(self, kind: str, number: int, rest: Any) -> Any:
        if kind in ("place", "variable"):
            return self._place(kind, number, rest)
        make: Any = _STATES[kind]
        owner = self.walk.objects[number]
        return make(owner) if rest is None else make(owner, set(rest))


_STATES = {
    state.__name__: state for state in (FunctionState, BasesState, LibraryState, AbsentState)
}


# --- the environment --------------------------------------------------------------------------


def environment() -> str:
    """All that programs depend on besides the function and its arguments, as one word."""
    return f"{of_process()} {binaries.settings()}"


@functools.cache
def of_process() -> str:
    versions = [f"{package.__name__} {package.__version__}" for package in _PACKAGES]
    settings = [f"{k}={v}" for k, v in sorted(os.environ.items()) if k.startswith(_SETTINGS)]
    words = [sys.version, platform.machine(), _processor(), *versions, *settings, _own_files()]
    words += [str(sys.flags.optimize), str(_threads())]
    return hashlib.blake2b("\n".join(words).encode(), digest_size=20).hexdigest()


def _threads() -> int:
    count = getattr(os, "sched_getaffinity", None)
    return len(count(0)) if count is not None else os.cpu_count() or 1


def _processor() -> str:
    """What XLA compiles for: the processor's name and what it can do."""
    try:
        with open("/proc/cpuinfo") as file:
            lines = file.read().partition("\n\n")[0].splitlines()
    except OSError:
        return platform.processor()
    names = ("model name", "flags", "Features", "CPU part", "cpu family", "model\t", "stepping")
    return "\n".join([line for line in lines if line.startswith(names)])


def _own_files() -> str:
    """The compiler itself: which files it has, how large they are and when they were changed."""
    found, folders = [], [str(Path(__file__).parent.parent)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    about = entry.stat()
                    found.append(f"{entry.path} {about.st_size} {about.st_mtime_ns}")
                elif entry.name != "__pycache__" and entry.is_dir():
                    folders.append(entry.path)
    return "\n".join(sorted(found))
