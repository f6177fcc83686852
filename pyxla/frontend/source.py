"""The source of Python functions: where it is, what its parameters are, its syntax tree.

A file is read through `linecache` (which knows notebook cells, the REPL and zipped packages) and
parsed once; several versions of a file are kept, because a function lives on when its file is
edited.  A function is found in the tree by the positions in its code object, and the code compiled
from the tree is compared with it, so that several lambdas on one line are told apart and source
that changed after the function was made is not taken for it.
"""

from __future__ import annotations

import __future__

import ast
import functools
import inspect
import linecache
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyxla.errors import CompileError, Location

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_FUTURE_FLAGS = functools.reduce(
    lambda flags, name: flags | getattr(__future__, name).compiler_flag,
    __future__.all_feature_names,
    0,
)
_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, eq=False, slots=True)
class SourceFile:
    """One version of a file: its text, its tree, and columns in characters."""

    filename: str
    lines: Sequence[str]
    tree: ast.Module
    ascii: bool
    # top-level statement -> code objects compiled from it
    codes: dict[ast.stmt, frozenset[types.CodeType]] = field(default_factory=dict)

    def column(self, lineno: int, offset: int) -> int:
        """The column in characters of a UTF-8 byte offset."""
        if self.ascii:
            return offset
        return len(self.lines[lineno - 1].encode()[:offset].decode(errors="replace"))

    def location(self, node: Any, function: str = "") -> Location:
        """The span of a syntax node."""
        line, end = node.lineno, node.end_lineno
        return Location(
            self.filename,
            line,
            self.column(line, node.col_offset),
            end,
            self.column(end, node.end_col_offset),
            function,
        )


@dataclass(frozen=True, eq=False, slots=True)
class SourceFunction:
    """A function as written: of a real function object, or nested in one that is compiled.

    params: names in the order posonly, args, vararg, kwonly, kwarg.  defaults: how many of the last
    of posonly + args have one; kwdefaults: which of kwonly have one (the defaults of a function
    object are objects on it, those of a nested function are operands of `function`).
    class_name: the enclosing class, whose name mangles private names.  outer: the function that
    this one is nested in, None for function objects.
    """

    name: str
    qualname: str
    file: SourceFile
    node: FunctionNode
    posonly: tuple[str, ...]
    args: tuple[str, ...]
    vararg: str | None
    kwonly: tuple[str, ...]
    kwarg: str | None
    defaults: int
    kwdefaults: tuple[str, ...]
    freevars: tuple[str, ...]
    cellvars: tuple[str, ...]
    class_name: str = ""
    outer: SourceFunction | None = None
    # results of later stages: "lowered", "ssa"
    stages: dict[str, Any] = field(default_factory=dict)

    @property
    def filename(self) -> str:
        return self.file.filename

    @property
    def lineno(self) -> int:
        return self.node.lineno

    @property
    def is_lambda(self) -> bool:
        return isinstance(self.node, ast.Lambda)

    @property
    def params(self) -> tuple[str, ...]:
        var = (self.vararg,) if self.vararg else ()
        kwvar = (self.kwarg,) if self.kwarg else ()
        return (*self.posonly, *self.args, *var, *self.kwonly, *kwvar)

    @property
    def loc(self) -> Location:
        return self.file.location(self.node, self.qualname)


def source_function(function: Any) -> SourceFunction:
    """The source of a Python function (a method's function; what a wrapper wraps is not looked at).

    Raises CompileError where there is none, or where it is not the function's any more.
    """
    raise NotImplementedError
