"""The source of Python functions: where it is, what its parameters are, its syntax tree.

A file is read through `linecache` (which knows notebook cells, the REPL and zipped packages) and
parsed once, or only its definitions that are asked for; several versions of a file are kept,
because a function lives on when its file is edited.  A function is found in the tree by the
positions in its code object, and the code compiled from the tree is compared with it, so that
several lambdas on one line are told apart and source that changed after the function was made is
not taken for it.
"""

from __future__ import annotations
import __future__

import ast
import functools
import inspect
import linecache
import os
import sys
import time
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import Any, TypeVar

import gast

from pyxla.errors import CompileError, Location
from pyxla.frontend import fence, tree
from pyxla.frontend.tree import FunctionNode
from pyxla.frozen import dataclass

Made = TypeVar("Made")

_FUTURE_FLAGS = functools.reduce(
    lambda flags, name: flags | getattr(__future__, name).compiler_flag,
    __future__.all_feature_names,
    0,
)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, eq=False, repr=False)
class SourceFile:
    """One version of a file: its text, its tree, and columns in characters."""

    filename: str
    lines: Sequence[str]
    ascii: bool
    # whether it is older than this process: then no function was made from another version
    settled: bool = False
    # top-level statement -> code objects compiled from it, by what they are made of
    codes: dict[ast.stmt, dict[Any, types.CodeType]] = field(default_factory=dict)
    # definitions that were parsed alone, by the index of their first line
    definitions: dict[int, ast.stmt | None] = field(default_factory=dict)

    @functools.cached_property
    def tree(self) -> ast.Module | None:
        """All of it; None where it is not Python."""
        try:
            return ast.parse("".join(self.lines), self.filename)
        except (SyntaxError, ValueError):
            return None

    def definition(self, lineno: int) -> ast.stmt | None:
        """The top-level function or class whose text seems to hold a line, parsed alone.

        Without the decorators of a class; None where the text is not plainly one definition.
        """
        first = lineno - 1
        while first > 0 and not _starts(self.lines[first]):
            first -= 1
        if first not in self.definitions:
            self.definitions[first] = self.parsed(first)
        return self.definitions[first]

    def parsed(self, first: int) -> ast.stmt | None:
        """The definition that starts at index `first` of the lines and ends before other code."""
        lines, head = self.lines, first
        while head < len(lines) and not lines[head].startswith(("def ", "class ", "async def ")):
            if head == first and not lines[head].startswith("@"):
                return None
            head += 1
        end = head + 1
        while end < len(lines) and not _starts(lines[end]):
            end += 1
        text = "\n" * first + "".join(lines[first:end])
        try:
            (statement,) = ast.parse(text, self.filename).body
        except (SyntaxError, ValueError):
            return None
        known = isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        return statement if known and _first_line(statement) == first + 1 else None

    def column(self, lineno: int, offset: int) -> int:
        """The column in characters of a UTF-8 byte offset."""
        return len(self.lines[lineno - 1].encode()[:offset].decode(errors="replace"))

    def location(self, node: Any, function: str = "") -> Location:
        """The span of a syntax node."""
        line, end = node.lineno, node.end_lineno
        if self.ascii:
            return Location(
                self.filename, line, node.col_offset, end, node.end_col_offset, function
            )
        return Location(
            self.filename,
            line,
            self.column(line, node.col_offset),
            end,
            self.column(end, node.end_col_offset),
            function,
        )


def _starts(line: str) -> bool:
    """Whether a line starts a top-level statement, if it is not inside of something else."""
    return line[:1] not in _INSIDE


_INSIDE = frozenset(["", *" \t\f\r\n#)]}"])


@dataclass(frozen=True, eq=False, slots=True, repr=False)
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
    class_name: str = ""
    outer: SourceFunction | None = None
    decorators: tuple[Any, ...] = ()
    # identifiers that the function uses, which temporaries must avoid, and those of its variables
    # that no nested function shares
    names: frozenset[str] = frozenset()
    unshared: frozenset[str] = frozenset()
    # of a function object
    code: types.CodeType | None = None
    # what later stages made (`once`), by name
    stages: dict[str, Any] = field(default_factory=dict)

    @property
    def filename(self) -> str:
        return self.file.filename

    @property
    def lineno(self) -> int:
        return self.node.lineno

    @property
    def params(self) -> tuple[str, ...]:
        var = (self.vararg,) if self.vararg else ()
        kwvar = (self.kwarg,) if self.kwarg else ()
        return (*self.posonly, *self.args, *var, *self.kwonly, *kwvar)

    @property
    def loc(self) -> Location:
        return self.file.location(self.node, self.qualname)


def once(stage: str) -> Callable[[Callable[[SourceFunction], Made]], Callable[..., Made]]:
    """Make what the decorated function makes of a source once, and keep it there."""

    def keep(make: Callable[[SourceFunction], Made]) -> Callable[..., Made]:
        @functools.wraps(make)
        def made(source: SourceFunction) -> Made:
            if stage not in source.stages:
                source.stages[stage] = make(source)
            found: Made = source.stages[stage]
            return found

        return made

    return keep


def source_function(function: Any) -> SourceFunction:
    """The source of a Python function; of a method, its function; of a wrapper, the wrapper's.

    Raises CompileError where there is none, or where it is not the function's any more.
    """
    function = getattr(function, "__func__", function)
    if not isinstance(function, types.FunctionType):
        raise CompileError(
            f"{_name_of(function)} is not a Python function: it has no source to compile",
            hint="only functions written in Python can be compiled",
        )
    code = function.__code__
    known = _functions.get(id(code))
    if known is not None:
        return known[1]
    try:
        found = _read(function)
    except RecursionError:
        line = Location(code.co_filename, code.co_firstlineno, function=function.__qualname__)
        raise fence.too_deep(line) from None
    if len(_functions) >= _KEPT_FUNCTIONS:
        _functions.clear()
    _functions[id(code)] = code, found
    return found


_KEPT_FUNCTIONS = 16384
# By identity of the code object, which is kept here too so that its identity stays its own.
_functions: dict[int, tuple[types.CodeType, SourceFunction]] = {}


def _name_of(value: Any) -> str:
    return getattr(value, "__qualname__", None) or f"a {type(value).__name__}"


def mangle(name: str, class_name: str) -> str:
    """A name as Python stores it: `__x` in a class `C` is `_C__x`."""
    if not class_name or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    stripped = class_name.lstrip("_")
    return f"_{stripped}{name}" if stripped else name


def nested_function(
    node: FunctionNode,
    name: str,
    outer: SourceFunction,
    freevars: tuple[str, ...],
    decorators: tuple[Any, ...],
) -> SourceFunction:
    """The record of a function defined inside `outer`."""
    qualname = f"{outer.qualname}.<locals>.{name}"
    found = _record(node, name, qualname, outer.file, freevars, outer.class_name, outer)
    return replace(found, decorators=decorators)


def _record(
    node: FunctionNode,
    name: str,
    qualname: str,
    file: SourceFile,
    freevars: tuple[str, ...],
    class_name: str,
    outer: SourceFunction | None = None,
    names: frozenset[str] = frozenset(),
    unshared: frozenset[str] = frozenset(),
    code: types.CodeType | None = None,
) -> SourceFunction:
    spec = node.args

    def mangled(args: Sequence[gast.Name]) -> tuple[str, ...]:
        return tuple([mangle(arg.id, class_name) for arg in args])

    kwonly = mangled(spec.kwonlyargs)
    return SourceFunction(
        name=name,
        qualname=qualname,
        file=file,
        node=node,
        posonly=mangled(spec.posonlyargs),
        args=mangled(spec.args),
        vararg=mangled([spec.vararg])[0] if spec.vararg else None,
        kwonly=kwonly,
        kwarg=mangled([spec.kwarg])[0] if spec.kwarg else None,
        defaults=len(spec.defaults),
        kwdefaults=tuple(
            [k for k, d in zip(kwonly, spec.kw_defaults, strict=True) if d is not None]
        ),
        freevars=freevars,
        class_name=class_name,
        outer=outer,
        decorators=tuple(getattr(node, "decorator_list", ())),
        names=names,
        unshared=unshared,
        code=code,
    )


def _read(function: types.FunctionType) -> SourceFunction:
    code = function.__code__
    qualname, filename = function.__qualname__, _filename(function)
    found = _find(function)
    if found is not None:
        file, node, class_name = found
        names = _identifiers(code)
        unshared = frozenset(code.co_varnames) - frozenset(code.co_cellvars)
        return _record(
            tree.from_python(node, file.location(node, qualname)),
            code.co_name,
            qualname,
            file,
            code.co_freevars,
            class_name,
            names=names,
            unshared=unshared,
            code=code,
        )
    if not _files[filename] or filename in ("<string>", "<stdin>"):  # of which there are many
        raise CompileError(
            f"the source of {qualname} (defined in {filename}) is not available",
            hint="define it in a file, IPython or a notebook; of a text for exec, make the code by "
            "compile(text, name, 'exec') and keep it as "
            "linecache.cache[name] = (len(text), None, text.splitlines(True), name)",
        )
    raise CompileError(
        f"the source of {qualname} is not what it was when it was defined",
        Location(filename, code.co_firstlineno, function=qualname),
        hint="reload its module, so that the function is the one in the file",
    )


def _filename(function: types.FunctionType) -> str:
    """Where the source is; modules that Python carries frozen have a file too."""
    filename = function.__code__.co_filename
    if filename.startswith("<frozen "):
        return function.__globals__.get("__file__", filename)
    return filename


def _find(function: types.FunctionType) -> Found | None:
    """A function object's node: exactly in a known or fresh version of its file, else by likeness
    (import hooks such as pytest's change the code of a file, but not its lines)."""
    code = function.__code__
    for file in reversed(_files.setdefault(_filename(function), [])):
        if found := _locate(file, code, exact=True):
            return found
    for refresh in (False, True):
        current = _current_version(function, refresh)
        if current is not None and (found := _locate(current, code, exact=True)):
            return found
    if current is None or current.filename == "<string>":
        return _typed_at_the_prompt(code)
    return _locate(current, code, exact=False)


def _identifiers(code: types.CodeType) -> frozenset[str]:
    names: set[str] = set()
    work = [code]
    while work:
        code = work.pop()
        names.update(code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars)
        work.extend(const for const in code.co_consts if isinstance(const, types.CodeType))
    return frozenset(names)


_KEPT_VERSIONS = 8
_files: dict[str, list[SourceFile]] = {}


def _current_version(function: types.FunctionType, refresh: bool) -> SourceFile | None:
    """The file's newest version, read again if `refresh`; None where there is no text."""
    filename = _filename(function)
    if refresh:
        linecache.checkcache(filename)
    lines = linecache.getlines(filename, function.__globals__)
    if not lines:
        try:
            lines = inspect.findsource(function.__code__)[0]
        except (OSError, TypeError):
            lines = _of_command_line() if filename == "<string>" else []
        if not lines:
            return None
    versions = _files[filename]
    for file in versions:
        if file.lines is lines or file.lines == lines:
            return file
    ascii_ = all(map(str.isascii, lines))
    file = SourceFile(filename, tuple(lines), ascii_, _is_settled(filename))
    if not file.settled and file.tree is None:
        return None
    versions.append(file)
    del versions[:-_KEPT_VERSIONS]
    return file


def _of_command_line() -> list[str]:
    """The lines of `python -c`."""
    if "-c" not in sys.orig_argv[1:-1]:
        return []
    return sys.orig_argv[sys.orig_argv.index("-c") + 1].splitlines(keepends=True)


def _typed_at_the_prompt(code: types.CodeType) -> Found | None:
    """Its node in what was typed at Python's prompt, which readline remembers: each statement is a
    text of its own there, and the code compiled from it says which one."""
    readline = sys.modules.get("readline")
    if readline is None or code.co_filename != "<stdin>":
        return None
    count = readline.get_current_history_length()
    typed = [f"{readline.get_history_item(1 + i)}\n" for i in range(count)]
    for first in reversed(range(count)):
        end = first + 1
        while end < count and (typed[end - 1][0] == "@" or not _starts(typed[end])):
            end += 1
        lines = tuple(typed[first:end])
        file = SourceFile(code.co_filename, lines, all(map(str.isascii, lines)))
        if _starts(lines[0]) and (found := _locate(file, code, exact=True)):
            _files[code.co_filename].append(file)
            return found
    return None


def _is_settled(filename: str) -> bool:
    entry = linecache.cache.get(filename, ())
    modified = entry[1] if len(entry) == 4 else None
    return modified is not None and modified < _process_start()


_CLOCK_MARGIN = 2.0


@functools.cache
def _process_start() -> float:
    """A time before which this process had not begun; 0 where the system does not tell."""
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, ValueError, IndexError):
        return 0.0
    return time.time() - age - _CLOCK_MARGIN


Found = tuple[SourceFile, "_Definition", str]


def _locate(file: SourceFile, code: types.CodeType, exact: bool) -> Found | None:
    """The node whose code `code` is, with the name of the class it is in."""
    line = code.co_firstlineno
    if file.settled and (alone := _locate_alone(file, code)):
        return alone
    around = [s for s in file.tree.body if _spans(s, line)] if file.tree else []
    for statement in around:
        candidates = [
            (node, class_name)
            for node, class_name in _functions_at(statement, line)
            if getattr(node, "name", "<lambda>") == code.co_name
        ]
        if len(candidates) == len(around) == 1 and file.settled:
            return file, *candidates[0]
        compiled = _codes(file, statement, code.co_flags) if candidates else {}
        if exact and _content(code) in compiled:
            node, class_name = _by_position(candidates, code, file)
            return file, node, class_name
        if not exact and len(candidates) == 1:
            alike = [c for c in compiled.values() if c.co_firstlineno == line and _alike(c, code)]
            if alike:
                return file, *candidates[0]
    return None


def _spans(statement: ast.stmt, line: int) -> bool:
    return _first_line(statement) <= line <= (statement.end_lineno or 0)


def _locate_alone(file: SourceFile, code: types.CodeType) -> Found | None:
    """As `_locate`, looking at one definition of a file whose positions can be trusted."""
    top: Any = file.definition(code.co_firstlineno)
    if top is None or top.name != code.co_qualname.partition(".")[0]:
        return None
    if isinstance(top, _NESTED) and top.name == code.co_qualname:
        return (file, top, "") if _first_line(top) == code.co_firstlineno else None
    candidates = [
        (node, class_name)
        for node, class_name in _functions_at(top, code.co_firstlineno)
        if getattr(node, "name", "<lambda>") == code.co_name
    ]
    return (file, *candidates[0]) if len(candidates) == 1 else None


def _first_line(node: Any) -> int:
    """Where a statement's code starts: at its first decorator."""
    decorators = getattr(node, "decorator_list", None)
    return min(decorators[0].lineno, node.lineno) if decorators else node.lineno


def _functions_at(statement: ast.stmt, line: int) -> Iterator[tuple[_Definition, str]]:
    """Functions in `statement` that start at `line`, with the name of their innermost class."""
    work: list[tuple[ast.AST, str]] = [(statement, "")]
    while work:
        node, class_name = work.pop()
        end = getattr(node, "end_lineno", None)
        if end is not None and not _first_line(node) <= line <= end:
            continue
        if isinstance(node, _NESTED) and _first_line(node) == line:
            yield node, class_name
        if isinstance(node, ast.ClassDef):
            class_name = node.name
        work.extend((child, class_name) for child in ast.iter_child_nodes(node))


def _codes(file: SourceFile, statement: ast.stmt, flags: int) -> dict[Any, types.CodeType]:
    """Every code object that compiling a top-level statement of `file` makes."""
    codes = file.codes.get(statement)
    if codes is None:
        codes = file.codes[statement] = {}
        # Calls of what a module imports are compiled in a way of their own.
        imports = _module_imports(file.tree) if file.tree else []
        module = ast.Module([*imports, statement], [])
        top = compile(module, file.filename, "exec", flags & _FUTURE_FLAGS, dont_inherit=True)
        work = [top]
        while work:
            for const in work.pop().co_consts:
                if isinstance(const, types.CodeType):
                    codes[_content(const)] = const
                    work.append(const)
    return codes


def _module_imports(tree: ast.Module) -> list[ast.stmt]:
    """The imports at module level, also those inside its `if` and `try` statements."""
    found: list[ast.stmt] = []
    work: list[Any] = list(reversed(tree.body))
    while work:
        node = work.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.append(node)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            work.extend(reversed(list(ast.iter_child_nodes(node))))
    return found


def _content(code: types.CodeType) -> tuple[Any, ...]:
    """What code objects are compared by (their own comparison is exponential in the nesting)."""
    consts = [
        _content(const) if isinstance(const, types.CodeType) else (type(const), _shown(const))
        for const in code.co_consts
    ]
    return (
        code.co_name,
        code.co_firstlineno,
        code.co_code,
        code.co_linetable,
        code.co_names,
        code.co_varnames,
        code.co_cellvars,
        code.co_freevars,
        *consts,
    )


def _shown(const: Any) -> str:
    """A constant's text; that of a set does not depend on how it was made, as its order does."""
    return repr(sorted(map(repr, const)) if isinstance(const, frozenset) else const)


def _by_position(
    candidates: Sequence[tuple[_Definition, str]],
    code: types.CodeType,
    file: SourceFile,
) -> tuple[_Definition, str]:
    """The candidate whose body spans the positions of the code, tightest first."""
    if len(candidates) == 1:
        return candidates[0]
    first = (code.co_firstlineno, 0)
    spans = [
        ((line, col), (end_line, end_col))
        for line, end_line, col, end_col in code.co_positions()
        if line is not None and col is not None and ((line, col) != first or end_col)
    ]
    if not spans:
        raise CompileError(
            "several functions on one line, and this Python records no columns",
            Location(file.filename, code.co_firstlineno),
            hint="put each on a line of its own, or run without -X no_debug_ranges",
        )
    start, end = min(s for s, _ in spans), max(e for _, e in spans)
    bodies = []
    for node, class_name in candidates:
        body = node.body if isinstance(node.body, ast.expr) else node
        low, high = (
            (body.lineno, body.col_offset),
            (body.end_lineno, body.end_col_offset),
        )
        if low <= start and end <= high:
            bodies.append((low, node, class_name))
    _, node, class_name = max(bodies, key=lambda body: body[0])
    return node, class_name


def _alike(compiled: types.CodeType, code: types.CodeType) -> bool:
    """Whether `code` may be an instrumented `compiled`: nothing of it is missing."""
    count = code.co_argcount + code.co_kwonlyargcount
    if compiled.co_name != code.co_name or compiled.co_freevars != code.co_freevars:
        return False
    if compiled.co_varnames[:count] != code.co_varnames[:count]:
        return False
    consts = {_shown(c) for c in code.co_consts if not isinstance(c, types.CodeType)}
    return set(compiled.co_names) <= set(code.co_names) and all(
        _shown(c) in consts for c in compiled.co_consts if not isinstance(c, types.CodeType)
    )
