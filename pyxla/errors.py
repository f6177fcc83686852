"""Locations in the user's source, and the errors that point at them.

Every refusal is a `CompileError`: the line, a caret, the types involved and where they came from,
the chain of calls, and what to write instead.
"""

from __future__ import annotations

import ast
import functools
import itertools
import linecache
import os
import re
import traceback
import warnings
from collections.abc import Callable, Sequence
from types import CodeType, FunctionType
from typing import Any, NoReturn, ParamSpec, TypeVar, cast

import numpy as np

from pyxla.frozen import dataclass
from pyxla.hints import advice


@dataclass(unsafe_hash=True, slots=True)
class Location:
    """A span of source: lines from 1, columns (in characters) from 0, `function` its qualname.

    Nobody changes one; frozen, each of the thousands would take four times as long to make.
    """

    filename: str
    lineno: int
    col: int = 0
    end_lineno: int = 0
    end_col: int = 0
    function: str = ""

    def __str__(self) -> str:
        return f"{self.filename}:{self.lineno}:{self.col + 1}"

    def excerpt(self, indent: str = "    ") -> str:
        """The source line with carets under the span; empty where the source is unavailable."""
        line = linecache.getline(self.filename, self.lineno).rstrip("\n")
        if not line.strip():
            return ""
        stripped = line.lstrip()
        shift = len(line) - len(stripped)
        start = max(self.col - shift, 0)
        end = self.end_col - shift if self.end_lineno == self.lineno else len(stripped)
        return f"{indent}{stripped}\n{indent}{' ' * start}{'^' * max(end - start, 1)}"


# How many of the calls that led to a refusal are printed.
MOST_CALLS = 12
# Of the capacities of lists: how much more they have when one was outgrown, and what none is over.
GROWTH, MOST_ITEMS = 16, 1 << 26
_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep
_NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep


def is_own(place: Any) -> bool:
    """Whether a place is in the library that is Python, or a file of it."""
    return place.filename.startswith(_OWN)


def is_library(loc: Location) -> bool:
    """Whether a place is in Python that is visited and not the user's."""
    return is_own(loc) or loc.filename.startswith(_NUMPY)


def in_program(
    loc: Location | None, chain: Sequence[Location]
) -> tuple[Location | None, tuple[Location, ...]]:
    """A place and the calls that lead there, as far as they are the user's: Python of the library
    and of NumPy is visited as the user's is, and nobody else reads it."""
    sites = [site for site in chain if not is_library(site)]
    if loc is not None and is_library(loc):
        loc = sites.pop() if sites else None if is_own(loc) else loc
    return loc, tuple(sites)


class CompileError(Exception):
    """A program that pyxla refuses.

    message: what is refused and why.  loc: where.  types: the types involved, as text.
    notes: (text, Location) pairs, such as where a type came from.  chain: call sites, outermost
    first.  hint: what to write instead.  raises: what CPython and NumPy certainly raise in its
    place, if they do, so that a `try` of the program takes it.  words: its message, where known.
    same: the exception itself, where NumPy was asked.
    remedy: which of `infer.demands.Demands` would lift it, where that is known.

    >>> import pyxla
    >>> try:
    ...     pyxla.compile(lambda path: open(path))("data")
    ... except pyxla.CompileError as error:
    ...     print(type(error.loc).__name__, bool(error.hint))
    Location True
    """

    also: type[Exception] | None = None  # what CPython raises in its place

    def __init__(
        self,
        message: str,
        loc: Location | None = None,
        *,
        types: Sequence[str] = (),
        notes: Sequence[tuple[str, Location | None]] = (),
        chain: Sequence[Location] = (),
        hint: str = "",
        raises: type[Exception] | None = None,
        words: str | None = None,
        remedy: str = "",
        same: Exception | None = None,
    ) -> None:
        Exception.__init__(self, message)  # the other class of `also` may take other arguments
        self.message = message
        self.raises, self.words, self.remedy = raises, words, remedy
        self.same = same
        if same is not None:
            self.raises, self.words = type(same), str(same)
        self.alone: bool | None = None  # whether no other path was on its way, where that is known
        self.callees: tuple[Any, ...] = ()  # the functions that are called there, innermost first
        self.loc, self.chain = in_program(loc, chain)
        self.types = tuple(types)
        self.notes = tuple(notes)
        certain = self.raises or type(self).also
        self.hint = hint or advice(message, certain.__name__ if certain else "")

    @property
    def filename(self) -> str | None:
        return None if self.loc is None else self.loc.filename

    @property
    def lineno(self) -> int | None:
        return None if self.loc is None else self.loc.lineno

    @property
    def column(self) -> int | None:
        """The column of the refused expression, from 1."""
        return None if self.loc is None else self.loc.col + 1

    def __str__(self) -> str:
        lines = [f"{self.loc}: {self.message}" if self.loc else self.message]
        if self.loc and (excerpt := self.loc.excerpt()):
            lines.append(excerpt)
        if self.types:
            lines.append("  types: " + ", ".join(self.types))
        for text, loc in self.notes:
            lines.append(f"  note: {text}" + (f" ({loc})" if loc else ""))
            if loc and (excerpt := loc.excerpt("      ")):
                lines.append(excerpt)
        calls = []
        for site, same in itertools.groupby(reversed(self.chain)):
            count = len(list(same))
            times = f" ({count} times)" if count > 1 else ""
            calls.append(f"  called from {site} in {site.function}{times}")
        if len(calls) > MOST_CALLS:
            calls[MOST_CALLS // 2 : -MOST_CALLS // 2] = [
                f"  and {len(calls) - MOST_CALLS} calls more"
            ]
        lines += calls
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


def said(error: Exception) -> str:
    """The message of an exception; CPython's of a wrong call without the name of what was called,
    which is the compiler's."""
    return re.sub(r"^[\w.<>]+\(\) ", "", str(error))


def raise_at(
    error: BaseException, loc: Location | None, calls: Sequence[Location] = ()
) -> NoReturn:
    """Raise what a program raises, with the program's own lines at the end of the traceback: those
    of the calls, outermost first, and where it is raised."""
    if loc is None or is_own(loc):
        raise error
    names: dict[str, Any] = {"error": error}
    code = _at(loc, "raise error")
    for depth, call in enumerate(reversed(calls[-MOST_CALLS:])):
        names[f"call{depth}"] = FunctionType(code, names)
        code = _at(call, f"call{depth}()")
    try:
        exec(code, names)
    finally:
        names.clear()  # of which the frame that the error keeps would keep the error
    raise error


def raised_at(error: BaseException, hidden: str | None = None) -> Location | None:
    """Where the user's code raised `error`: the last line that is neither the compiler's nor in the
    file `hidden`, or the one that is no Python."""
    if isinstance(error, SyntaxError) and error.filename:
        end = error.end_lineno or 0, (error.end_offset or 0) - 1
        return Location(error.filename, error.lineno or 1, (error.offset or 1) - 1, *end)
    frames = traceback.extract_tb(error.__traceback__)
    told = [f for f in frames if f.filename != hidden and not f.filename.startswith(_OWN)]
    if not told or not os.path.isfile(told[-1].filename):
        return None
    last = told[-1]
    place = last.lineno or 1, last.colno or 0, last.end_lineno or 0, last.end_colno or 0
    return Location(last.filename, *place)


@functools.lru_cache(maxsize=1024)
def _at(loc: Location, text: str) -> CodeType:
    """Code that is at a place in the source."""
    tree = ast.parse(text)
    for node in ast.walk(tree.body[0]):
        if isinstance(node, ast.stmt | ast.expr):
            node.lineno, node.col_offset = loc.lineno, loc.col
            node.end_lineno, node.end_col_offset = loc.end_lineno or loc.lineno, loc.end_col
    code = compile(tree, loc.filename, "exec")
    name = loc.function.rpartition(".")[2] or code.co_name
    return code.replace(co_name=name, co_qualname=loc.function)


# Where what the program itself raises is raised, and what XLA says is put in words.
_RAISERS = ("Executable._general", "Executable._here", "raise_at")


def shorten(error: BaseException) -> None:
    """Take the compiler's own frames from a refusal, or from what the program raises; its own
    mistakes keep them."""
    if isinstance(error, CompileError):
        if not isinstance(error, InternalError):
            error.__traceback__ = None
            for name in ("__context__", "__cause__"):
                found = getattr(error, name)
                if found is not None and _is_inside(found):
                    setattr(error, name, None)
        return
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        if last.tb_frame.f_code is raise_at.__code__:
            error.__traceback__ = last.tb_next
            return
        last = last.tb_next
    if last is not None and last.tb_frame.f_code.co_qualname in _RAISERS:
        error.__traceback__ = None


def _is_inside(error: BaseException) -> bool:
    """Whether it was raised and caught by the compiler alone."""
    trace = error.__traceback__
    return trace is not None and trace.tb_frame.f_code.co_filename.startswith(_OWN)


P = ParamSpec("P")
R = TypeVar("R")


def outward(function: Callable[P, R]) -> Callable[P, R]:
    """What users call: a refusal leaves it without the compiler's own frames."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except CompileError as error:
            shorten(error)
            raise

    return call


@functools.cache
def also(kind: type[Exception]) -> type[CompileError]:
    """The CompileError of what raises `kind` in CPython and NumPy too: handlers of either see it.

    >>> issubclass(also(TypeError), TypeError)
    True
    """

    def reduced(self: Any) -> tuple[Any, ...]:
        return _again, (kind, self.message), vars(self)

    body: dict[str, Any] = {"__module__": __name__, "__reduce__": reduced, "also": kind}
    return cast(type[CompileError], type(CompileError.__name__, (CompileError, kind), body))


def _again(kind: type[Exception], message: str) -> CompileError:
    """Pickled errors find their class by what it is also of: it has no name of its own."""
    return also(kind)(message)  # type: ignore[arg-type]


def spell(path: Sequence[Any], name: str = "") -> str:
    """A path to a part of an argument in words: `argument 1`, `x[2]['w']`."""
    first = name or " ".join(["argument", *map(str, path[:1])])
    return first + "".join([f"[{step!r}]" for step in path[1:]])


class BadArgument(CompileError):
    """An argument that is refused: `{}` in the message stands for it.

    >>> error = BadArgument("{} contains itself", (0, "w"))
    >>> error.name("x")
    >>> error.message
    "x['w'] contains itself"
    """

    def __init__(
        self, message: str, path: Sequence[Any], loc: Location | None = None, *, hint: str = ""
    ) -> None:
        super().__init__(message.replace("{}", spell(path), 1), loc, hint=hint)
        self.template, self.path = message, path

    def name(self, name: str) -> None:
        """Call the argument by the name of its parameter."""
        self.message = self.template.replace("{}", spell(self.path, name), 1)
        self.args = (self.message,)


class UnsupportedSyntax(CompileError):
    """A form of Python outside the language (`frontend.fence` lists what is accepted)."""


class ValueNeeded(CompileError):
    """An int given only as a type, whose value the program needs."""


class NotCompiledWarning(UserWarning):
    """What is not in the compiled program: a path that is refused, or raises, where the program
    comes to it, or a function that CPython runs.

    >>> import pyxla, warnings
    >>> @pyxla.compile
    ... def f(x):
    ...     return eval("x") if x > 9 else x + 1
    >>> warnings.simplefilter("error", pyxla.NotCompiledWarning)  # refuse it while compiling
    >>> try:
    ...     f(2)
    ... except pyxla.CompileError as error:
    ...     print(error.lineno)
    3
    >>> warnings.simplefilter("ignore", pyxla.NotCompiledWarning)
    >>> f(2)
    3
    """


# What is not compiled: the text of the warning, and the refusal that is the reason.
NotCompiled = tuple[str, CompileError]


def warn(found: Sequence[NotCompiled]) -> None:
    """Warn of what is not in a program, made or found on disk; where that is to be an error, the
    program is refused."""
    for text, why in found:
        loc = why.loc or Location("<unknown>", 0)
        try:
            warnings.warn_explicit(text, NotCompiledWarning, loc.filename, loc.lineno)
        except NotCompiledWarning:
            raise why from None


REPORT = "please report it together with this function"


class Surprise(Exception):  # noqa: N818 - what the data is like, rather than an error
    """The program met what it was not compiled for, before it wrote anything: it is compiled anew,
    and called again."""


class RefusedPath(Surprise):
    """The program came to a path that is refused, while others are compiled.  kind: of the refusal
    (`also`), if any."""

    def __init__(self, message: str, hint: str, kind: type[Exception] | None) -> None:
        super().__init__(message, hint, kind)
        self.message, self.hint, self.kind = message, hint, kind

    def refusal(self, loc: Location | None, chain: Sequence[Location]) -> CompileError:
        """The error that the user sees, as if nothing had been compiled."""
        own = self.kind is None or issubclass(self.kind, CompileError)
        cls: Any = (self.kind or CompileError) if own else also(self.kind)  # type: ignore[arg-type]
        return cls(self.message, loc, chain=chain, hint=self.hint)


class UnlikeDicts(CompileError):
    """A dict does not have the keys that others in its list have, and all of it is looked at: the
    program is compiled for such (`Options.unlike_dicts`), and called again."""


class PowerType(Surprise, ArithmeticError):
    """A power of Python's numbers is of another `kind`, float or complex, than was expected."""

    def __init__(self, kind: type) -> None:
        super().__init__(kind)
        self.kind = kind

    def __str__(self) -> str:
        return (
            f"a power is a {self.kind.__name__} here, by the sign of a number; make its base a "
            f"{self.kind.__name__}, or compile it with power_types=True"
        )


class LargeArgument(OverflowError):
    """An int among the arguments does not fit the 64 bits that the program takes."""


class ListOverflow(Surprise, MemoryError):
    """A list, or a size that data decides, is beyond the `capacity` that the program was compiled
    for."""

    def __init__(self, capacity: int) -> None:
        super().__init__(capacity)
        self.capacity = capacity

    def room(self, asked: Any) -> tuple[str, int]:
        """The option to go on with, where the options `asked` for were not enough."""
        name = option_of(type(self))
        return name, GROWTH * max(self.capacity, getattr(asked, name))

    def __str__(self) -> str:
        return (
            f"a list or an array grew beyond the {self.capacity} items that the program was "
            "compiled for; compile it with a larger list_capacity"
        )


class RowOverflow(ListOverflow):
    """The same of a list in a list, or of a tuple."""

    def __str__(self) -> str:
        return (
            f"a list in a list grew beyond the {self.capacity} items that the program was compiled "
            "for; compile it with a larger row_capacity"
        )


class PoolOverflow(ListOverflow):
    """The same of all lists, or instances, together that are in lists."""

    def __str__(self) -> str:
        return (
            f"there are more than the {self.capacity} lists or instances in lists that the program "
            "was compiled for; compile it with a larger pool_capacity"
        )


def option_of(cls: type) -> str:
    """The option with which a program is compiled for such data."""
    return _OPTIONS[cls]


_OPTIONS: dict[type, str] = {
    ListOverflow: "list_capacity",
    RowOverflow: "row_capacity",
    PoolOverflow: "pool_capacity",
    PowerType: "power_types",
    UnlikeDicts: "unlike_dicts",
}


class InternalError(CompileError):
    """The compiler failed on a program: its own mistake, at the user's line that it was at."""

    def __init__(
        self, error: BaseException, loc: Location | None = None, chain: Sequence[Location] = ()
    ) -> None:
        super().__init__(
            f"internal error of the compiler: {type(error).__name__}: {error}",
            loc,
            chain=chain,
            hint=REPORT,
        )
