"""Which features a program exercises: what ran, and which values there were, not what is written.

`observed(text)` runs the cases natively under a trace.  Lines that ran are looked up in the syntax
tree; arrays that names are bound to say which dtypes, shapes and special numbers there were.
"""

from __future__ import annotations

import ast
import operator
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType
from typing import Any

import numpy as np

from tests.fuzz.noise import compiled
from tests.fuzz.running import cases, inputs, load

FILE = "<observed>"
# What the search is to cover, and the features that stand for it: any of them does.
LISTED = {
    "branch in a loop": ("if in a loop",),
    "loop in a loop": ("loop in a loop",),
    "break": ("break",),
    "continue": ("continue",),
    "return from a loop": ("return in a loop",),
    "early return": ("early return",),
    "raise": ("raise",),
    "else of a loop": ("else of a loop",),
    "try": ("except",),
    "mutation through an alias": ("write to a shared array",),
    "view of a view": ("view of a view",),
    "ping-pong": ("swap in a loop",),
    "callee mutates": ("callee mutates",),
    "closure mutates": ("closure mutates",),
    "bounded extents": ("bounded slice",),
    "masks": ("mask",),
    "lists": ("list",),
    "dicts": ("dict",),
    "dataclasses": ("instance",),
    "higher-order functions": ("higher order",),
    "recursion": ("recursion",),
    "comprehensions": ("comprehension",),
    "growing containers": ("growing",),
    "generators": ("generator",),
    "zero trips": ("zero trips",),
    "zero size": ("zero size",),
    "zero dimensions": ("zero dimensions",),
    "NaN or infinity": ("NaN", "infinity"),
    "negative zero": ("negative zero",),
    "integer edges": ("integer edge",),
    "mixed dtypes": ("mixed dtypes",),
    "Python number meets array": ("weak promotion",),
    "number of several kinds": ("several kinds",),
}
DTYPES = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64").split()
LISTED.update({name: (name,) for name in (*DTYPES, "complex64", "complex128")})
LOOPS = (ast.For, ast.While)
COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
GROW = frozenset("append insert extend add setdefault heappush pop discard update".split())


class Lines(ast.NodeVisitor):
    """What each line of a program does, as far as that can be read off it."""

    def __init__(self, tree: ast.AST) -> None:
        self.features: dict[int, set[str]] = {}
        self.writes: dict[int, str] = {}
        self.views: dict[int, str] = {}
        self.loops: list[tuple[int, int]] = []
        self.inside = 0
        self.functions: list[str] = []
        self.local: list[set[str]] = []
        self.visit(tree)

    def note(self, node: Any, *features: str) -> None:
        self.features.setdefault(node.lineno, set()).update(features)

    def visit(self, node: ast.AST) -> None:
        name = type(node).__name__
        getattr(self, f"on_{name}", lambda node: None)(node)
        loop = isinstance(node, LOOPS)
        self.inside += loop
        if isinstance(node, ast.FunctionDef):
            outer, self.inside = self.inside, 0
            self.functions.append(node.name)
            self.local.append(_bound(node))
            self.generic_visit(node)
            self.functions.pop()
            self.local.pop()
            self.inside = outer
        else:
            self.generic_visit(node)
        self.inside -= loop

    def on_loop(self, node: Any) -> None:
        if self.inside:
            self.note(node.body[0], "loop in a loop")
        self.loops.append((node.lineno, node.body[0].lineno))
        if node.orelse:
            self.note(node.orelse[0], "else of a loop")

    on_For = on_While = on_loop

    def on_If(self, node: ast.If) -> None:
        if self.inside:
            self.note(node.body[0], "if in a loop")

    def on_Break(self, node: ast.Break) -> None:
        self.note(node, "break")

    def on_Continue(self, node: ast.Continue) -> None:
        self.note(node, "continue")

    def on_Return(self, node: ast.Return) -> None:
        if self.inside:
            self.note(node, "return in a loop")
        if node.col_offset > 4 and self.functions:
            self.note(node, "early return")

    def on_Raise(self, node: ast.Raise) -> None:
        self.note(node, "raise")

    def on_Assert(self, node: ast.Assert) -> None:
        self.note(node, "assert")

    def on_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.note(node.body[0], "except")

    def on_With(self, node: ast.With) -> None:
        self.note(node, "with")

    def on_Match(self, node: ast.Match) -> None:
        self.note(node, "match")

    def on_Lambda(self, node: ast.Lambda) -> None:
        self.note(node, "higher order")

    def on_comprehension_(self, node: Any) -> None:
        self.note(node, "generator" if isinstance(node, ast.GeneratorExp) else "comprehension")

    on_ListComp = on_SetComp = on_DictComp = on_GeneratorExp = on_comprehension_

    def on_Yield(self, node: ast.Yield) -> None:
        self.note(node, "generator")

    def on_Dict(self, node: ast.Dict) -> None:
        self.note(node, "dict")

    def on_List(self, node: ast.List) -> None:
        if isinstance(node.ctx, ast.Load) and self.functions[-1:] != ["arguments"]:
            self.note(node, "list")

    def on_Call(self, node: ast.Call) -> None:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in ("twice", "map", "reduce", "partial"):
            self.note(node, "higher order")
        if name in self.functions:
            self.note(node, "recursion")
        if name in GROW and self.inside:
            self.note(node, "growing")
        if name in ("Record", "bump", "scaled", "Guard"):
            self.note(node, "instance")

    def on_Subscript(self, node: ast.Subscript) -> None:
        index = node.slice
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        for part in parts:
            bounds = [part.lower, part.upper] if isinstance(part, ast.Slice) else []
            if any(isinstance(n, ast.Name) for b in bounds if b for n in ast.walk(b)):
                self.note(node, "bounded slice")
            if isinstance(part, ast.Compare):
                self.note(node, "mask")

    def on_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self.on_target(node, target)
        value, target = node.value, node.targets[0]
        if isinstance(value, ast.Tuple) and isinstance(target, ast.Tuple):
            names = [ast.dump(n).replace("Store", "Load") for n in target.elts]
            if self.inside and {ast.dump(n) for n in value.elts} == set(names):
                self.note(node, "swap in a loop")
        base = _base(value)
        if base and isinstance(target, ast.Name):
            self.views[node.lineno] = base

    def on_AugAssign(self, node: ast.AugAssign) -> None:
        self.on_target(node, node.target, True)

    def on_target(self, node: ast.stmt, target: ast.expr, changes: bool = False) -> None:
        name = target
        while isinstance(name, ast.Subscript | ast.Attribute):
            name, changes = name.value, True
        known = self.local[-1] if self.local else set()
        if len(self.functions) > 1 and isinstance(target, ast.Name) and target.id not in known:
            self.note(node, "closure mutates")
        if changes and isinstance(name, ast.Name):
            self.writes[node.lineno] = name.id
            if isinstance(target, ast.Attribute):
                self.note(node, "instance")
            if len(self.functions) > 1 and name.id not in known:
                self.note(node, "closure mutates")
            if self.functions and self.functions[-1].startswith("mutator"):
                self.note(node, "callee mutates")


def _bound(function: ast.FunctionDef) -> set[str]:
    """The names that a function binds itself."""
    names = {a.arg for a in function.args.args}
    free = {n for s in ast.walk(function) if isinstance(s, ast.Nonlocal) for n in s.names}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names - free


def _base(value: ast.expr) -> str:
    """The name of the array that an expression may be a view of."""
    while isinstance(value, ast.Subscript | ast.Attribute | ast.Call):
        value = value.func if isinstance(value, ast.Call) else value.value
        if isinstance(value, ast.Name):
            return value.id
    return ""


class Watch:
    """The trace function: what ran, and on what."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.ran: set[int] = set()
        self.found: set[str] = set()
        self.kinds: dict[tuple[CodeType, str], set[type]] = {}

    def __call__(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != FILE or frame.f_code.co_name == "arguments":
            return None
        if event == "line":
            self.line(frame)
        elif event == "return":
            self.values(frame)
        return self

    def line(self, frame: FrameType) -> None:
        line = frame.f_lineno
        if line in self.ran:
            return
        self.ran.add(line)
        names = frame.f_locals
        name = self.lines.writes.get(line)
        if name in names and _shared(names, name):
            self.found.add("write to a shared array")
        base = names.get(self.lines.views.get(line, ""))
        if isinstance(base, np.ndarray) and base.base is not None:
            self.found.add("view of a view")

    def values(self, frame: FrameType) -> None:
        """What the names of a function are bound to at its end."""
        for name, value in frame.f_locals.items():
            self.found.update(_traits(value))
            if isinstance(value, int | float | np.generic):
                known = self.kinds.setdefault((frame.f_code, name), set())
                known.add(type(value))
                if len(known) > 1:
                    self.found.add("several kinds")


def _shared(names: dict[str, Any], name: str) -> bool:
    value = names[name]
    if not isinstance(value, np.ndarray):
        return False
    return any(
        isinstance(other, np.ndarray) and np.may_share_memory(value, other)
        for key, other in names.items()
        if key != name
    )


def _traits(value: Any) -> Iterator[str]:
    """Features of a value."""
    if isinstance(value, float) or (isinstance(value, np.ndarray | np.generic)):
        array = np.asarray(value)
        if array.dtype.kind not in "biufc":
            return
        if isinstance(value, np.ndarray | np.generic):
            yield array.dtype.name
        if isinstance(value, np.ndarray) and not array.ndim:
            yield "zero dimensions"
        if not array.size:
            yield "zero size"
        elif array.dtype.kind in "fc":
            yield from _special(array)
        elif array.dtype.kind in "iu":
            info = np.iinfo(array.dtype)
            if (array >= info.max - 1).any() or (info.min and (array == info.min).any()):
                yield "integer edge"
    elif isinstance(value, dict):
        yield "dict"
    elif isinstance(value, list):
        yield "list"
    elif hasattr(value, "__dataclass_fields__"):
        yield "instance"


def _mixed(x: Any, y: Any) -> Iterator[str]:
    """How the dtypes of two operands meet."""
    dtypes = [v.dtype for v in (x, y) if isinstance(v, np.ndarray | np.generic)]
    if len({*dtypes}) == 2:
        yield "mixed dtypes"
    weak = any(type(v) in (bool, int, float, complex) for v in (x, y))
    if weak and dtypes and dtypes[0] not in (np.float64, np.int64):
        yield "weak promotion"


def _special(array: np.ndarray) -> Iterator[str]:
    if np.isnan(array).any():
        yield "NaN"
    if np.isinf(array).any():
        yield "infinity"
    if array.dtype.kind == "f" and ((array == 0) & np.signbit(array)).any():
        yield "negative zero"


class Meetings(ast.NodeTransformer):
    """Arithmetic as calls of `meet__`."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        op = ast.Constant(type(node.op).__name__)
        call = ast.Call(ast.Name("meet__", ast.Load()), [node.left, op, node.right], [])
        return ast.copy_location(call, node)


_OPERATORS = {
    **{name: getattr(operator, name.lower()) for name in ("Add", "Sub", "Pow", "Mod", "LShift")},
    **{"Mult": operator.mul, "Div": operator.truediv, "FloorDiv": operator.floordiv},
    **{"MatMult": operator.matmul, "RShift": operator.rshift, "BitAnd": operator.and_},
    **{"BitOr": operator.or_, "BitXor": operator.xor},
}


def listed(features: Iterable[str]) -> list[str]:
    """What of the list they stand for."""
    found = set(features)
    return [name for name, any_of in LISTED.items() if found.intersection(any_of)]


def observed(text: str) -> frozenset[str]:
    """The features that the cases of a program exercise."""
    tree = ast.parse(text)
    watch = Watch(Lines(tree))
    code = compiled(ast.fix_missing_locations(Meetings().visit(tree)), FILE)

    def meet(x: Any, op: str, y: Any) -> Any:
        watch.found.update(_mixed(x, y))
        return _OPERATORS[op](x, y)

    namespace = load(code, meet__=meet)
    for case in range(cases(namespace)):
        arguments = inputs(namespace, case)
        outer = sys.gettrace()
        sys.settrace(watch)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                namespace["program"](*arguments)
        except Exception:  # noqa: BLE001, S110 - the program may raise
            pass
        finally:
            sys.settrace(outer)
    for line in watch.ran:
        watch.found.update(watch.lines.features.get(line, ()))
    for header, first in watch.lines.loops:
        if header in watch.ran and first not in watch.ran:
            watch.found.add("zero trips")
    return frozenset(watch.found)
