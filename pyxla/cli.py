"""The command line.

    pyxla lowered|ssa FILE:FUNC                          a stage, printed
    pyxla typed|stablehlo|hlo|dot FILE:FUNC TYPE...
    pyxla memory FILE:FUNC TYPE...                       the memory that it takes
    pyxla collectives --mesh data=8 FILE:FUNC TYPE...    what devices tell each other
    pyxla check FILE:FUNC TYPE...                        whether it compiles
    pyxla report FILE:FUNC TYPE|VALUE... -o OUT.html     a page about it
    pyxla explain FILE:FUNC TYPE...                      what was decided, and how long it took
    pyxla profile FILE:FUNC VALUE... [-o TRACE]          the time of each line
    pyxla build FILE:FUNC TYPE... -o OUT                 an artifact
    pyxla run OUT|FILE:FUNC VALUE...                     run it, print the result
    pyxla ops [NAME]                                     the ops of pyxla.hlo
    pyxla cache list|clear                               programs kept on disk
    pyxla doctor                                         versions, devices, caches, a small run
    pyxla completion bash|zsh|tcsh                       completion for a shell

FILE may be a module's dotted name.  Exit codes: 0, 1 for a program that is refused or raises, 2 for
bad usage.  Errors go to stderr, without tracebacks, in the form that `--format` names.
"""

from __future__ import annotations

import argparse
import ast
import copy
import dataclasses
import functools
import importlib
import importlib.util
import inspect
import math
import os
import platform
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

import pyxla
from pyxla import api, hlo, reflect, types
from pyxla.console import diagnostics, doctor, kept
from pyxla.errors import CompileError, raised_at
from pyxla.hints import similar
from pyxla.options import make_options
from pyxla.reporting import communication
from pyxla.reporting.api import needed
from pyxla.runtime import jaxlink
from pyxla.runtime.artifact import ArgumentError
from pyxla.runtime.placement import Placement
from pyxla.runtime.usage import usage

OK, REFUSED, USAGE = 0, 1, 2


class UsageError(Exception):
    """What was asked for is not there: exit code 2."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    arguments = _parser().parse_args(argv)
    try:
        arguments.run(arguments)
        sys.stdout.flush()
    except UsageError as error:
        print(f"pyxla: error: {error}", file=sys.stderr)
        return USAGE
    except CompileError as error:
        diagnostics.report_error(error, arguments.format, pyxla.__version__)
        return REFUSED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return OK


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pyxla",
        description="Python functions over NumPy arrays as XLA programs.",
        epilog="examples:\n" + "\n".join([f"  pyxla {text}" for text in _EXAMPLES.values()]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    about = f"pyxla {pyxla.__version__} (jax {jax.__version__}, Python {platform.python_version()})"
    parser.add_argument("--version", action="version", version=about)
    _add_format(parser, "human")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add = functools.partial(_command, commands)
    for name, (about, show) in _STAGES.items():
        words = ("FUNCTION",) if name in ("lowered", "ssa") else ("FUNCTION", "TYPE...")
        add(name, functools.partial(_show, show), f"print {about}", *words)
    commands.choices["hlo"].add_argument(
        "--optimized", action="store_true", help="as XLA compiled it"
    )
    for name in ("stablehlo", "hlo"):
        commands.choices[name].add_argument("--platform", default="", help=_PLATFORM)
    for name in ("typed", "stablehlo", "hlo"):
        _with_numbers(commands.choices[name])
    memory = add("memory", _memory, "say how much memory a call takes", "FUNCTION", "TYPE...")
    talk = add(
        "collectives", _collectives, "say what devices tell each other", "FUNCTION", "TYPE..."
    )
    for command in (memory, talk):
        command.add_argument(
            "--mesh", default="", help="devices, which are simulated: data=4,model=2"
        )
    add("check", _check, "say whether a function compiles", "FUNCTION", "TYPE...")
    report = add("report", _report, "write a page about a function", "FUNCTION", "GIVEN...")
    report.add_argument("-o", metavar="OUT", dest="out", default="report.html", help="the page")
    report.add_argument("--profile", action="store_true", help="run it on values, with times")
    add("explain", _explain, "say what was decided, and why", "FUNCTION", "TYPE...")
    profile = add("profile", _profile, "measure the lines of a function", "FUNCTION", "VALUE...")
    profile.add_argument("-o", metavar="TRACE", dest="out", help="a trace for ui.perfetto.dev")
    profile.add_argument("--runs", type=int, default=10, help="how often it is run")
    build = add("build", _build, "write an artifact", "FUNCTION", "TYPE...")
    build.add_argument("-o", metavar="OUT", dest="out", required=True, help="the artifact")
    build.add_argument("--platform", default="", help=f"{_PLATFORM}, or several: tpu,cuda,cpu")
    _with_numbers(build)
    add("run", _run, "run an artifact or a function on values", "PROGRAM", "VALUE...")
    add("ops", _ops, "list the ops of pyxla.hlo", "NAME...")
    cache = add("cache", _cache, "list the programs that are kept on disk, or remove them")
    cache.add_argument("action", choices=("list", "clear"))
    add("doctor", _doctor, "look whether everything is there and works")
    completion = add("completion", functools.partial(_completion, parser), "print completion")
    completion.add_argument("shell", choices=("bash", "zsh", "tcsh"))
    return parser


def _add_format(parser: argparse.ArgumentParser, default: str) -> None:
    """Let `--format` stand here: before a command, or behind it, where it has no default."""
    parser.add_argument(
        "--format",
        choices=diagnostics.FORMATS,
        default=default,
        help="how errors are written: for people, in gcc's form for editors, as SARIF",
    )


def _command(
    commands: Any, name: str, run: Callable[..., None], about: str, *words: str
) -> argparse.ArgumentParser:
    """A command with its positional arguments; `...` after one: any number of them."""
    sub: argparse.ArgumentParser = commands.add_parser(
        name, help=about, description=about, epilog=f"example: pyxla {_EXAMPLES[name]}"
    )
    sub.set_defaults(run=run)
    _add_format(sub, argparse.SUPPRESS)
    for word in words:
        many: dict[str, Any] = {"nargs": "*"} if word.endswith("...") else {}
        word = word.strip(".")
        action: Any = sub.add_argument(word.lower(), metavar=word, help=_WORDS[word], **many)
        if word in ("FUNCTION", "PROGRAM"):
            action.complete = {"bash": "_shtab_compgen_files", "zsh": "_files", "tcsh": "f"}
    return sub


_PLATFORM = "for which platform: cpu, cuda, rocm, tpu"


def _with_numbers(command: argparse.ArgumentParser) -> None:
    """The options that say how many bits numbers have."""
    words = "32: arrays that would have 64 bits have 32"
    command.add_argument("--width", type=int, default=0, help=words)
    words = "what products multiply: bfloat16, float16, tf32"
    command.add_argument("--precision", default="", help=words)


_EXAMPLES = {
    "lowered": "lowered model.py:dense",
    "ssa": "ssa model.py:dense",
    "typed": "typed model.py:dense 'f32[10,10]' 'f32[10]'",
    "stablehlo": "stablehlo model.py:dense 'f32[10,10]' 'f32[10]'",
    "hlo": "hlo --optimized model.py:dense 'f32[10,10]' 'f32[10]'",
    "dot": "dot model.py:dense 'f32[10,10]' 'f32[10]' | dot -Tsvg",
    "check": "check --format gcc model.py:dense 'f32[10,10]' 'f32[10]'",
    "memory": "memory model.py:dense 'f32[10,10]' 'f32[10]'",
    "collectives": "collectives --mesh data=8 model.py:dense 'f32[1024@data,128]' 'f32[128]'",
    "report": "report model.py:dense 'f32[10,10]' 'f32[10]' -o report.html",
    "explain": "explain model.py:zeros 'static[5]'",
    "profile": "profile model.py:dense w.npy x.npy -o trace.json.gz",
    "build": "build model.py:dense 'f32[10,10]' 'f32[10]' -o dense.pyxla",
    "run": "run dense.pyxla w.npy 'array([1, 2], f32)'",
    "ops": "ops dot_general",
    "cache": "cache list",
    "doctor": "doctor",
    "completion": "completion bash > ~/.local/share/bash-completion/completions/pyxla",
}
_WORDS = {
    "FUNCTION": "FILE.py:FUNCTION or package.module:FUNCTION",
    "TYPE": "the type of an argument: f64[10,10], f64[n<=100,3], float, int, static[5], "
    "(f64[3], int), Dense(w=f64[3,3], b=f64[3]) of a class; of one by name: scale=float",
    "PROGRAM": "an artifact, or FILE.py:FUNCTION",
    "VALUE": "a Python literal, array([[1, 2.5], [3, 4]]), array([1, 2], f32), or a .npy file",
    "GIVEN": "types; with --profile, values",
    "NAME": "an op",
}


# --- looking ----------------------------------------------------------------------------------

_STAGES: dict[str, tuple[str, Callable[..., str]]] = {
    "lowered": ("the desugared Python source", reflect.code_lowered),
    "ssa": ("the untyped SSA", reflect.code_ssa),
    "typed": ("the typed SSA", reflect.code_typed),
    "stablehlo": ("the StableHLO module", reflect.code_stablehlo),
    "hlo": ("the HLO module", reflect.code_hlo),
    "dot": ("the graph of blocks for graphviz", reflect.code_dot),
}


def _show(show: Callable[..., str], arguments: argparse.Namespace) -> None:
    options = {"optimized": True} if getattr(arguments, "optimized", False) else {}
    function = function_at(arguments.function)
    given, named = _types(getattr(arguments, "type", ()), function)
    function = _as_asked(function, arguments)
    text = show(function, *given, **named, **options)
    print(text, end="" if text.endswith("\n") else "\n")


def _as_asked(function: Any, arguments: argparse.Namespace) -> Any:
    """The function, compiled with the options that the command has."""
    given = {n: v for n in ("platform", "width", "precision") if (v := getattr(arguments, n, None))}
    asked = {name: getattr(make_options(given), name) for name in given}
    plain, options = reflect.unwrapped(function)
    changed = dataclasses.replace(options, **asked)
    return function if changed == options else api.compile_with(plain, changed)


def _memory(arguments: argparse.Namespace) -> None:
    made, where, _ = _over(arguments)
    print(usage(made.at("regions"), made.outcome, where))


def _collectives(arguments: argparse.Namespace) -> None:
    made, where, mesh = _over(arguments)
    text = jaxlink.lowered(made.at("regions"), where).compile().as_text()
    found = communication.collectives(text, mesh)
    print(*map(str, found) if found else ["devices tell each other nothing"], sep="\n")


def _over(arguments: argparse.Namespace) -> tuple[Any, Any, Any]:
    """A function typed for arrays over a mesh, where one is given, and how its parameters lie."""
    texts, mesh = arguments.type, None
    if arguments.mesh:
        sizes = [int(n) for n in re.findall(r"=(\d+)", arguments.mesh)]
        flag = f"--xla_force_host_platform_device_count={math.prod(sizes)}"
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flag}"
        mesh = communication.mesh_of(arguments.mesh)
    function, options = reflect.unwrapped(function_at(arguments.function))
    placed = dataclasses.replace(options.placement or Placement(), mesh=mesh)
    compiled = api.compile_with(function, dataclasses.replace(options, placement=placed))
    given, named = _types([communication.plain(text) for text in texts], function)
    made = compiled.lower(*given, **named)
    where = communication.placed(made.at("regions"), mesh, texts) if mesh else ()
    return made, where, mesh


def _ops(arguments: argparse.Namespace) -> None:
    names = arguments.name or sorted(hlo.FACES)
    for name in names:
        if name not in hlo.FACES:
            raise UsageError(_suggesting(f"pyxla.hlo has no op {name!r}", name, hlo.FACES))
        face = hlo.FACES[name]
        print(f"{name}{face.__signature__}")


def _types(texts: Sequence[str], function: Any) -> tuple[list[Any], dict[str, Any]]:
    """Types, and those of keywords, `scale=float`; classes are those that the function's module
    knows, of fields that are types: `Dense(w=f64[3,3], b=f64[3])`."""
    known = getattr(inspect.unwrap(getattr(function, "__func__", function)), "__globals__", {})
    given, named = [], {}
    try:
        for text in texts:
            keyword = re.fullmatch(r"\s*([A-Za-z_]\w*)\s*=(?!=)(.*)", text, re.DOTALL)
            if keyword is not None:
                named[keyword[1]] = types.parse(keyword[2], known)
            else:
                given.append(types.parse(text, known))
    except CompileError as error:
        raise UsageError(str(error)) from None
    return given, named


def _suggesting(message: str, name: str, known: Iterable[str]) -> str:
    """What is not there, and what it may have been meant for."""
    hint = similar(name, known)
    return f"{message}\n  hint: {hint}" if hint else message


def _check(arguments: argparse.Namespace) -> None:
    function = _plain(arguments.function)
    given, named = _types(arguments.type, function)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pyxla.NotCompiledWarning)
        pyxla.compile(function).lower(*given, **named).at("stablehlo")


def _report(arguments: argparse.Namespace) -> None:
    function, texts = function_at(arguments.function), arguments.given
    if arguments.profile:
        made = pyxla.report(function, *[_value(text) for text in texts], profile=True)
    else:
        given, named = _types(texts, function)
        made = pyxla.report(function, *given, **named)
    try:
        print(made.save(arguments.out))
    except OSError as error:
        raise UsageError(f"cannot write {arguments.out}: {error.strerror}") from None


def _explain(arguments: argparse.Namespace) -> None:
    function = _plain(arguments.function)
    compiled = pyxla.compile(function)
    given, named = _types(arguments.type, function)
    compiled.specialize(*given, **named)
    print(pyxla.explain(compiled))


def _profile(arguments: argparse.Namespace) -> None:
    values = [_value(text) for text in arguments.value]
    found = pyxla.profile(function_at(arguments.function), *values, runs=max(arguments.runs, 1))
    print(found)
    if arguments.out is not None:
        try:
            found.save(arguments.out)
        except OSError as error:
            raise UsageError(f"cannot write {arguments.out}: {error.strerror}") from None


def _plain(place: str) -> Any:
    """The function at a place, without what compiled it already."""
    return reflect.unwrapped(function_at(place))[0]


# --- the installation -------------------------------------------------------------------------


def _cache(arguments: argparse.Namespace) -> None:
    if arguments.action == "clear":
        print(f"{kept.clear()} programs removed")
        return
    for line in kept.listing():
        print(line)


def _doctor(arguments: argparse.Namespace) -> None:
    well = True
    for good, name, found in doctor.diagnosis():
        print(f"{'ok ' if good else 'BAD'}  {name:<26} {found}")
        well &= good
    if not well:
        raise CompileError("something is wrong", hint="look at the lines that say BAD")


def _completion(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    print(needed("shtab", "terminal").complete(parser, arguments.shell))


# --- building and running ---------------------------------------------------------------------


def _build(arguments: argparse.Namespace) -> None:
    function = function_at(arguments.function)
    given, named = _types(arguments.type, function)
    function = _as_asked(function, arguments)
    try:
        api.build(function, *given, path=arguments.out, **named)
    except (OSError, ValueError) as error:  # ValueError: a null character
        words = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot write {arguments.out}: {words}") from None


def _run(arguments: argparse.Namespace) -> None:
    program = arguments.program
    if _is_file(program):
        function: Any = api.load(program)
    elif ":" in program:
        function = function_at(program)
        function = function if isinstance(function, api.Compiled) else api.compile(function)
    else:
        raise UsageError(f"no file {program}")
    values = [_value(text) for text in arguments.value]
    given = copy.deepcopy(values)
    try:
        result = function(*values)
    except CompileError:
        raise
    except Exception as error:  # whatever the program raises
        hint = "the program raised this for these values"
        if isinstance(error, ArgumentError):
            hint = (
                "pass what it was built for; an array is a .npy file, or spelled array([1, 2], f32)"
            )
        place = None if isinstance(error, ArgumentError) else raised_at(error)
        raise CompileError(f"{type(error).__name__}: {error}", place, hint=hint) from error
    print(repr(result))
    for index, (before, after) in enumerate(zip(given, values, strict=True)):
        if not _same(before, after):
            print(f"argument {index} is now {after!r}")


def _same(x: Any, y: Any) -> bool:
    """Whether a value is what it was."""
    if isinstance(x, np.ndarray):
        return x.tobytes() == y.tobytes()
    if isinstance(x, list | tuple | dict):
        if len(x) != len(y) or (isinstance(x, dict) and list(x) != list(y)):
            return False
        parts = zip(*[z.values() if isinstance(z, dict) else z for z in (x, y)], strict=True)
        return all(_same(a, b) for a, b in parts)
    return repr(x) == repr(y)


def _value(text: str) -> Any:
    """An argument: an array from a .npy file or spelled `array(...)`, or a Python literal."""
    if text.endswith(".npy"):
        return _array(text)
    try:
        return _literal(ast.parse(text.strip(), mode="eval").body)
    except (*_NO_LITERAL, CompileError):
        words = f"{text!r} is neither a .npy file nor a Python literal"
        raise UsageError(f"{words}, nor spelled array([1, 2], f32)") from None


# What `ast` and NumPy raise for text that is no literal, is nested too deeply or has no such array.
_NO_LITERAL = (ValueError, TypeError, SyntaxError, OverflowError, RecursionError, MemoryError)


def _array(path: str) -> np.ndarray:
    try:
        found = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise UsageError(f"cannot read {path}: {error}") from None
    if not isinstance(found, np.ndarray):
        raise UsageError(f"cannot read {path}: it holds several arrays")
    return found


def _literal(node: ast.expr) -> Any:
    """A Python literal in which `array(LITERAL)` and `array(LITERAL, TYPE)` are arrays."""
    match node:
        case ast.Call(ast.Name("array"), [value], []):
            return np.array(ast.literal_eval(value))
        case ast.Call(ast.Name("array"), [value, ast.Name(name)], []):
            return np.array(ast.literal_eval(value), np.dtype(types.parse(name)))
        case ast.Tuple(items):
            return tuple([_literal(item) for item in items])
        case ast.List(items):
            return [_literal(item) for item in items]
        case ast.Dict(keys, values) if None not in keys:
            pairs = zip(keys, values, strict=True)
            return {ast.literal_eval(key): _literal(value) for key, value in pairs}
    return ast.literal_eval(node)


# --- functions --------------------------------------------------------------------------------


def function_at(place: str) -> Any:
    """The function that `FILE.py:NAME` or `package.module:NAME` names."""
    where, colon, name = place.rpartition(":")
    if not colon or not name:
        raise UsageError(f"{place!r} names no function: write FILE.py:FUNCTION")
    found = _module(where)
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            words = f"{where} has no function {name!r}"
            known = [key for key, value in vars(found).items() if callable(value)]
            raise UsageError(_suggesting(words, part, known)) from None
    if not callable(found):
        raise UsageError(f"{name!r} in {where} is not a function")
    return found


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):  # a name that is too long, or has a null character
        return False


def _module(where: str) -> Any:
    path = Path(where)
    if not where.endswith(".py"):
        sys.path.insert(0, os.getcwd())
        return _loaded(where, functools.partial(importlib.import_module, where))
    if not _is_file(where):
        raise UsageError(f"no file {where}")
    sys.path.insert(0, str(path.resolve().parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    _loaded(where, functools.partial(spec.loader.exec_module, module))
    return module


def _loaded(where: str, load: Callable[[], Any]) -> Any:
    try:
        return load()
    except CompileError:
        raise
    except (Exception, SystemExit) as error:  # whatever the user's module does when it is run
        words = f"cannot import {where}: {type(error).__name__}: {error}"
        place = raised_at(error, importlib.__file__)
        raise UsageError(f"{words}\n{place}:\n{place.excerpt()}" if place else words) from None
