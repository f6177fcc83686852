"""Text of the intermediate representation, the same for the same code.

    func newton(%x.0: float) -> float
    bb0:
      %1 = constant 0.5 : float
      jump bb1
    bb1:  <- bb0, bb2
      %y.2 = phi [bb0: %x.0, bb2: %9] : float
      ...

    %i.7, %s.8 = while %1, %2 : int, f64[]
      cond (%i.3: int, %s.4: f64[]):
        %5 = compare %i.3, %n.0 direction=LT : bool
        yield %5
      body (...): ...

Values are numbered in the order in which they are printed, after the Python name they had; so
inserting a line changes the numbers after it, and nothing else.  Untyped operations are spelled
like Python.  With `source=True` each first instruction of a line of the user's shows that line.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from pyxla.errors import Location
from pyxla.frozen import dataclass
from pyxla.ir.core import Block, Branch, Function, Instr, Jump, Raise, Region, Return, Value
from pyxla.ir.types import SHORT_NAMES, ArrayType

COMMENT_COLUMN = 64
LONG = 12  # elements of a constant that are shown

_SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
    "neg": "-", "pos": "+", "invert": "~", "not_": "not ",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "is_": "is",
    "is_not": "is not", "contains": "in", "not_contains": "not in",
}  # fmt: skip
# Names of the regions of an op; others are numbered.
_REGION_NAMES = {"if": ("then", "else"), "while": ("cond", "body")}


def print_function(
    function: Function | Region,
    name: str = "",
    *,
    source: bool = False,
    mark: Any = None,
) -> str:
    """The text of a function, as a graph of blocks or as a region; points at what `mark` is."""
    lines = _Lines(source, mark)
    lines.function(function, name)
    return "\n".join(lines.text) + "\n"


def listing(function: Function | Region, name: str = "") -> list[tuple[str, Location | None]]:
    """The lines of a function, each with the place in the source that it comes from."""
    lines = _Lines(False)
    lines.function(function, name)
    return list(zip(lines.text, lines.places, strict=True))


def dot(function: Function, name: str = "") -> str:
    """The graph of blocks in graphviz's language."""
    lines = _Lines(False)
    lines.name_blocks(function)
    out = [f'digraph "{_escape(name or function.name)}" {{']
    out.append('  node [shape=box, fontname="monospace"];')
    edges = []
    for block in function.blocks:
        lines.text.clear()
        lines.block(block, 0)
        label = "".join(_escape(line) + "\\l" for line in lines.text)
        out.append(f'  {lines.blocks[block]} [label="{label}"];')
        words = ("true", "false") if isinstance(block.terminator, Branch) else ("",)
        for target, word in zip(block.succs, words, strict=False):
            tail = f' [label="{word}"]' if word else ""
            edges.append(f"  {lines.blocks[block]} -> {lines.blocks[target]}{tail};")
    return "\n".join([*out, *edges, "}"]) + "\n"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


@dataclass(eq=False, slots=True)
class _Lines:
    """The text so far, and the names given to values and blocks."""

    source: bool
    mark: Any = None
    text: list[str] = field(default_factory=list)
    places: list[Location | None] = field(default_factory=list)
    names: dict[Value, str] = field(default_factory=dict)
    blocks: dict[Block, str] = field(default_factory=dict)
    line: tuple[str, int] | None = None

    def name(self, value: Value) -> str:
        found = self.names.get(value)
        if found is None:
            hint = f"{value.hint}." if value.hint else ""
            found = self.names[value] = f"%{hint}{len(self.names)}"
        return found

    def all_names(self, values: Iterable[Value]) -> str:
        return ", ".join([self.name(value) for value in values])

    def typed(self, values: Sequence[Value]) -> str:
        """`%a: t, %b: t`, for parameters."""
        return ", ".join([self.name(v) + (f": {v.type}" if v.type else "") for v in values])

    def suffix(self, values: Sequence[Value]) -> str:
        if not values or values[0].type is None:
            return ""
        return " : " + ", ".join([str(value.type) for value in values])

    def add(self, depth: int, text: str, item: Any = None) -> None:
        """A line, made from `item`: an instruction, phi or terminator."""
        text = "  " * depth + text
        loc: Location | None = getattr(item, "loc", None)
        if self.source and loc is not None and (loc.filename, loc.lineno) != self.line:
            self.line = (loc.filename, loc.lineno)
            code = linecache.getline(loc.filename, loc.lineno).strip()
            text = f"{text:<{COMMENT_COLUMN}}  # {loc.lineno}: {code}".rstrip()
        self.text.append(f"{text}   <-- here" if item is not None and item is self.mark else text)
        self.places.append(loc)

    def function(self, function: Function | Region, name: str) -> None:
        if isinstance(function, Region):
            self.signature(name or "region", function.params, function.results)
            self.region_code(function, 1, "return")
        else:
            self.graph(function, name or function.name, 0)

    def signature(
        self, name: str, params: Sequence[Value], results: Sequence[Value], depth: int = 0
    ) -> None:
        types = [str(value.type) for value in results if value.type is not None]
        text = types[0] if len(types) == 1 else f"({', '.join(types)})"
        arrow = f" -> {text}" if len(types) == len(results) > 0 else ""
        self.add(depth, f"func {name}({self.typed(params)}){arrow}")

    # Graphs.

    def graph(self, function: Function, name: str, depth: int) -> None:
        self.name_blocks(function)
        returns = [b.terminator for b in function.blocks if isinstance(b.terminator, Return)]
        self.signature(name, function.params, returns[0].operands if returns else (), depth)
        for block in function.blocks:
            self.block(block, depth)

    def name_blocks(self, function: Function) -> None:
        self.names.update({p: self.name(p) for p in function.params})
        for block in function.blocks:
            self.blocks[block] = f"bb{len(self.blocks)}"

    def block(self, block: Block, depth: int) -> None:
        preds = ", ".join([self.blocks.get(pred, "?") for pred in block.preds])
        label = f"  ({block.label})" if block.label else ""
        self.add(depth, f"{self.blocks[block]}:{label}" + (f"  <- {preds}" if preds else ""))
        for phi in block.phis:
            args = [f"{self.blocks.get(b, '?')}: {self.name(v)}" for b, v in phi.args.items()]
            text = f"{self.name(phi.value)} = phi [{', '.join(args)}]{self.suffix([phi.value])}"
            self.add(depth + 1, text, phi)
        for instr in block.instrs:
            self.instr(instr, depth + 1)
        self.terminator(block.terminator, depth + 1)

    def terminator(self, end: Any, depth: int) -> None:
        if isinstance(end, Jump):
            text = f"jump {self.blocks.get(end.target, '?')}"
        elif isinstance(end, Branch):
            yes, no = self.blocks.get(end.if_true, "?"), self.blocks.get(end.if_false, "?")
            text = f"branch {self.name(end.cond)} ? {yes} : {no}"
        elif isinstance(end, Return):
            text = f"return {self.all_names(end.operands)}".rstrip()
        elif isinstance(end, Raise):
            text = f"raise {self.all_names(end.operands)}"
        else:
            text = "?"
        self.add(depth, text, end)

    # Instructions and regions.

    def instr(self, instr: Instr, depth: int) -> None:
        spell = _PYTHON.get(instr.op.name) if not hasattr(instr.op, "infer") else None
        text = spell(self, instr) if spell else self.plain(instr)
        if instr.results and not text.startswith("="):
            text = f"{self.all_names(instr.results)} = {text}"
        self.add(depth, text.lstrip("=") + self.suffix(instr.results), instr)
        known = _REGION_NAMES.get(instr.op.name, ())
        for k, region in enumerate(instr.regions):
            label = known[k] if k < len(known) else f"region {k}"
            if isinstance(region, Function):
                self.graph(region, label, depth + 1)
                continue
            params = f" ({self.typed(region.params)})" if region.params else ""
            self.add(depth + 1, f"{label}{params}:")
            self.region_code(region, depth + 2, "yield")

    def region_code(self, region: Region, depth: int, word: str) -> None:
        for instr in region.instrs:
            self.instr(instr, depth)
        self.add(depth, f"{word} {self.all_names(region.results)}".rstrip())

    def plain(self, instr: Instr) -> str:
        """`op operands attr=value`."""
        operands = self.all_names(instr.operands)
        attrs = [_attribute(instr.op.name, k, v) for k, v in instr.attrs.items()]
        return " ".join([word for word in (instr.op.name, operands, *attrs) if word])


def _attribute(op: str, name: str, value: Any) -> str:
    if op == "constant" and name == "value":
        return _literal(value)
    if name == "weak" or (isinstance(value, tuple) and not value):
        return ""  # the type says it; there are none
    return f"{name}={_literal(value)}"


def _literal(value: Any) -> str:
    """A short text of any object, without addresses of memory."""
    if isinstance(value, np.ndarray):
        if value.size > LONG:
            return f"<{value.size} elements>"
        return str(value.tolist())
    if isinstance(value, np.dtype):
        return SHORT_NAMES.get(value, str(value))
    if isinstance(value, ArrayType):
        return str(value)
    if isinstance(value, tuple):
        inner = ", ".join([_literal(item) for item in value])
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, str) and value.isidentifier():
        return value
    if value is None or value is Ellipsis or isinstance(value, (bool, int, float, complex, str)):
        return repr(value)
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    return str(name) if name else f"<{type(value).__name__}>"


# Python's operations, spelled like Python: op name -> text; a leading "=" means: no results shown.


def _call(lines: _Lines, instr: Instr) -> str:
    callee, *args = [lines.name(v) for v in instr.operands]
    layout = instr.attrs.get("layout") or ("pos",) * len(args)
    marks = {"pos": "", "star": "*", "kwstar": "**"}
    parts = [
        marks[kind] + arg if kind in marks else f"{kind.removeprefix('kw:')}={arg}"
        for kind, arg in zip(layout, args, strict=True)
    ]
    return f"call {callee}({', '.join(parts)})"


def _infix(lines: _Lines, instr: Instr, mark: str = "") -> str:
    x, y = [lines.name(v) for v in instr.operands]
    op = instr.attrs["op"]
    return f"{x} {_SYMBOLS.get(op, op)}{mark} {y}"


def _display(opening: str, closing: str) -> Any:
    def spell(lines: _Lines, instr: Instr) -> str:
        return opening + lines.all_names(instr.operands) + closing

    return spell


def _const(lines: _Lines, instr: Instr) -> str:
    value = instr.attrs["value"]
    return f"const {value!r}" if isinstance(value, str) else f"const {_literal(value)}"


def _tuple(lines: _Lines, instr: Instr) -> str:
    comma = "," if len(instr.operands) == 1 else ""
    return f"({lines.all_names(instr.operands)}{comma})"


def _operands(lines: _Lines, instr: Instr) -> Iterator[str]:
    return iter([lines.name(v) for v in instr.operands])


def _prefix(lines: _Lines, instr: Instr) -> str:
    op = instr.attrs["op"]
    return _SYMBOLS.get(op, op) + lines.name(instr.operands[0])


def _setitem(lines: _Lines, instr: Instr) -> str:
    base, key, value = _operands(lines, instr)
    return f"={base}[{key}] = {value}"


def _getitem(lines: _Lines, instr: Instr) -> str:
    base, key = _operands(lines, instr)
    return f"{base}[{key}]"


def _setattr(lines: _Lines, instr: Instr) -> str:
    base, value = _operands(lines, instr)
    return f"={base}.{instr.attrs['name']} = {value}"


_PYTHON = {
    "const": _const,
    "global": lambda lines, instr: f"global {instr.attrs['name']}",
    "call": _call,
    "binary": _infix,
    "inplace": lambda lines, instr: _infix(lines, instr, "="),
    "compare": _infix,
    "unary": _prefix,
    "getattr": lambda lines, instr: f"{lines.name(instr.operands[0])}.{instr.attrs['name']}",
    "setattr": _setattr,
    "getitem": _getitem,
    "setitem": _setitem,
    "tuple": _tuple,
    "list": _display("[", "]"),
    "set": _display("{", "}"),
}
