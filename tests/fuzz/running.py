"""Running a program: natively, or as a function made of it."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, is_dataclass
from types import CodeType, FrameType
from typing import Any, Literal

import numpy as np

import pyxla
from tests.fuzz.noise import compiled
from tests.fuzz.program import module_namespace
from tests.fuzz.sources import remember

TOO_LARGE = "an int of more than 64 bits, which compiled ints do not have"


class Large(BaseException):
    """An int of Python's leaves 64 bits: no program catches that, as CPython's would go on."""


@dataclass(frozen=True, slots=True)
class Run:
    """Result or exception, arguments after the call, global arrays after the call.

    given: the arrays that the arguments held before it, which they need not hold any more.
    line: of an exception, the innermost line of the program that its traceback names.
    """

    result: Any
    arguments: tuple[Any, ...]
    globals: Any
    given: tuple[np.ndarray, ...] = ()
    line: int | None = None

    def parts(self) -> Iterator[tuple[str, Any]]:
        """What is compared by itself: the items of the result and the arguments."""
        items = self.result if type(self.result) is tuple else (self.result,)
        yield "results", len(items) if type(self.result) is tuple else None
        yield from ((f"result[{i}]", item) for i, item in enumerate(items))
        yield from ((f"arguments[{i}]", item) for i, item in enumerate(self.arguments))
        yield "globals", self.globals
        yield "line", self.line
        yield from ((f"given[{i}]", array) for i, array in enumerate(self.given))


def load(code: str | CodeType, **extra: Any) -> dict[str, Any]:
    """The globals of the program as a module."""
    namespace = module_namespace()
    namespace.update(extra)
    exec(compiled(code, "<fuzz>") if isinstance(code, str) else code, namespace)
    return namespace


def fresh(text: str) -> dict[str, Any]:
    """The globals of the program as a module whose source can be read."""
    return load(compiled(text, remember(text)))


def twice(text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The program as two modules that share nothing but their code."""
    code = compiled(text, remember(text))
    return load(code), load(code)


def inputs(namespace: dict[str, Any], case: int) -> tuple[Any, ...]:
    """The arguments of a case, made anew."""
    return namespace["arguments"](case) if case else namespace["arguments"]()


def cases(namespace: dict[str, Any]) -> int:
    return namespace.get("CASES", 1)


def arrays_in(x: Any) -> Iterator[np.ndarray]:
    """The arrays that an argument holds."""
    if isinstance(x, np.ndarray):
        yield x
    elif isinstance(x, tuple | list | dict):
        for item in x.values() if isinstance(x, dict) else x:
            yield from arrays_in(item)
    elif is_dataclass(x):
        yield from arrays_in(vars(x))


def run(
    namespace: dict[str, Any],
    fn: Callable[..., Any] | None = None,
    case: int = 0,
    warn: Literal["ignore", "always"] = "ignore",
) -> Run:
    """One call with the arguments of a case; exceptions are results. warn: what becomes of
    warnings."""
    arguments = inputs(namespace, case)
    given = tuple(arrays_in([x for x in arguments if not isinstance(x, np.ndarray)]))
    with warnings.catch_warnings():
        warnings.simplefilter(warn)
        try:
            result = (fn or namespace["program"])(*arguments)
        except pyxla.CompileError:
            raise
        except Large as error:
            result = OverflowError(TOO_LARGE).with_traceback(error.__traceback__)
        except Exception as error:
            result = error
    table = namespace.get("TABLE")
    line = line_of(result) if isinstance(result, Exception) else None
    return Run(result, arguments, None if table is None else table.copy(), given, line)


def innermost(frame: FrameType | None) -> int | None:
    """The line of a program that is run by a frame, or by one that called it."""
    while frame is not None and not frame.f_code.co_filename.startswith("<fuzz"):
        frame = frame.f_back
    return frame.f_lineno if frame is not None else None


def line_of(error: BaseException) -> int | None:
    """The innermost line of a program that its traceback names."""
    frames = traceback.walk_tb(error.__traceback__)
    lines = [n for frame, n in frames if frame.f_code.co_filename.startswith("<fuzz")]
    return lines[-1] if lines else None
