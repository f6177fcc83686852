"""Emission: a typed region becomes a function of an MLIR module.

One pass over the instructions; each op spells its own code through `Emitter.op`.  Attributes arrive
as MLIR text (`pyxla.ops.spell`) and are parsed once per emitter, as are types and locations: an
instruction costs one `Operation.create`.  Regions of `if`, `while` and the others capture values of
enclosing scopes implicitly.  This is the one module that speaks to `jaxlib.mlir`.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import func, sdy

from pyxla.errors import Location
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.op import OpError
from pyxla.ir.rewrite import captures
from pyxla.ir.types import CLASSES, DTYPE_NAMES, ArrayType, array_type
from pyxla.lower.cpu.fences import home
from pyxla.lower.cpu.kernels import ATTRIBUTES, KEPT, Kernel, is_literal, kernel
from pyxla.ops.control import call, while_
from pyxla.ops.foreign import called
from pyxla.ops.kept import kept

# How MLIR writes the element types that it writes otherwise than we do.
_SPELLED = {"bool_": "i1", "c64": "complex<f32>", "c128": "complex<f64>"}


def _spelled(name: str) -> str:
    if name.startswith("f8"):
        return "f" + name[1:].upper()
    return _SPELLED.get(name, name.replace("u", "ui"))


ELEMENT_TYPES: dict[np.dtype, str] = {dtype: _spelled(name) for name, dtype in DTYPE_NAMES.items()}
# (function, operands, their types) -> results: a JAX function; Python on the host, for which the
# types of results are given as well.
Outside = Callable[..., Any]


class Emitter:
    """Writes instructions at an insertion point; `values` maps what is emitted already."""

    __slots__ = (
        "_attributes",
        "_constants",
        "_elements",
        "_files",
        "_functions",
        "_locations",
        "_merged",
        "_same",
        "_types",
        "foreign",
        "host",
        "ip",
        "loc",
        "module",
        "symbols",
        "values",
    )

    def __init__(
        self,
        module: ir.Module,
        symbols: ir.SymbolTable,
        host: Outside | None = None,
        foreign: Outside | None = None,
    ) -> None:
        self.module = module
        self.host = host
        self.foreign = foreign
        self.symbols = symbols
        self.values: dict[Value, ir.Value] = {}
        self.loc: ir.Location = ir.Location.unknown()
        self.ip: ir.InsertionPoint | None = None
        # Keyed by identity, cheaper than equality; the second item keeps the key alive.
        self._types: dict[int, tuple[ir.Type, ArrayType]] = {}
        self._elements: dict[np.dtype, ir.Type] = {}
        self._attributes: dict[str, ir.Attribute] = {}
        self._constants: dict[tuple[np.dtype, bytes], ir.Attribute] = {}
        self._locations: dict[int, tuple[ir.Location, Location]] = {}
        self._files: dict[str, str] = {}
        self._functions: dict[Region, str] = {}
        self._merged: dict[str, str] = {}
        self._same: dict[str, str] = {}

    def type(self, type: ArrayType) -> ir.Type:
        """The ranked tensor type of a value."""
        found = self._types.get(id(type))
        if found is None:
            found = (ir.RankedTensorType.get(type.shape, self.element(type.dtype)), type)
            self._types[id(type)] = found
        return found[0]

    def element(self, dtype: np.dtype) -> ir.Type:
        found = self._elements.get(dtype)
        if found is None:
            found = self._elements[dtype] = ir.Type.parse(ELEMENT_TYPES[dtype])
        return found

    def attribute(self, text: str) -> ir.Attribute:
        found = self._attributes.get(text)
        if found is None:
            found = self._attributes[text] = ir.Attribute.parse(text)
        return found

    def location(self, loc: Location | None) -> ir.Location:
        """A location named after the user's function: XLA's metadata shows name, file and line."""
        if loc is None:
            return self.loc
        found = self._locations.get(id(loc))
        if found is None:
            name = self._files.get(loc.filename)
            if name is None:  # by the name alone: the same program in every checkout
                name = self._files[loc.filename] = os.path.basename(loc.filename)
            file = ir.Location.file(name, loc.lineno, loc.col + 1)
            named = ir.Location.name(loc.function, file) if loc.function else file
            found = self._locations[id(loc)] = (named, loc)
        return found[0]

    def op(
        self,
        name: str,
        instr: Instr,
        operands: Sequence[ir.Value],
        attributes: dict[str, str] | None = None,
        regions: Sequence[Region] = (),
    ) -> Any:
        """Append operation `name` with the result types of `instr`: one value, or a list."""
        results = instr.results
        created = ir.Operation.create(
            name,
            [self.type(value.type) for value in results],
            operands,
            {key: self.attribute(text) for key, text in attributes.items()} if attributes else None,
            None,
            len(regions),
            self.loc,
            self.ip,
        )
        for slot, region in zip(created.regions, regions, strict=True) if regions else ():
            self.block(slot, region)
        return created.results[0] if len(results) == 1 else list(created.results)

    def convert(self, operand: ir.Value, type: ArrayType) -> ir.Value:
        """`operand` with the element type of `type`."""
        return self.simple("stablehlo.convert", type, [operand])

    def simple(self, name: str, type: ArrayType, operands: Sequence[ir.Value]) -> ir.Value:
        """Append operation `name` of no attributes and one result, of `type`."""
        made = ir.Operation.create(
            name, [self.type(type)], operands, None, None, 0, self.loc, self.ip
        )
        return made.results[0]

    def constant(self, value: np.ndarray, type: ArrayType) -> ir.Value:
        """A constant; equal scalars share one attribute."""
        if value.ndim == 1 and value.dtype.itemsize == 1 and CLASSES[value.dtype] == "f":
            bits = array_type(np.dtype(np.uint8), value.shape)  # XLA counts, and cannot in these
            known = self.simple(
                "stablehlo.optimization_barrier", bits, [self.constant(value.view(np.uint8), bits)]
            )
            return self.simple("stablehlo.bitcast_convert", type, [known])
        if value.shape:
            attribute = self.dense(value)
        else:
            key = (value.dtype, value.tobytes())
            attribute = self._constants.get(key)
            if attribute is None:
                attribute = self._constants[key] = self.dense(value)
        created = ir.Operation.create(
            "stablehlo.constant",
            [self.type(type)],
            (),
            {"value": attribute},
            None,
            0,
            self.loc,
            self.ip,
        )
        return created.results[0]

    def dense(self, value: np.ndarray) -> ir.Attribute:
        """The elements of `value` as an attribute."""
        # `ascontiguousarray` makes rank 1 of rank 0.
        data: Any = np.ascontiguousarray(value) if value.shape else value
        return ir.DenseElementsAttr.get(data, type=self.element(value.dtype), shape=value.shape)

    def block(self, slot: ir.Region, region: Region) -> None:
        """Emit `region` as the one block of an operation's region."""
        types = [self.type(param.type) for param in region.params]
        block = slot.blocks.append(*types, arg_locs=[self.loc] * len(types))
        outer, outer_loc = self.ip, self.loc
        self.ip = ir.InsertionPoint(block)
        self.end("stablehlo.return", self.inline(region, block.arguments))
        self.ip, self.loc = outer, outer_loc

    def end(self, terminator: str, results: Sequence[ir.Value]) -> None:
        ir.Operation.create(terminator, [], results, None, None, 0, self.loc, self.ip)

    def inline(self, region: Region, arguments: Sequence[ir.Value]) -> list[ir.Value]:
        """Emit the instructions of `region` on `arguments`; returns its results."""
        values = self.values
        last = None
        for param, argument in zip(region.params, arguments, strict=True):
            values[param] = argument
        for instr in region.instrs:
            if instr.loc is not last:
                last = instr.loc
                self.loc = self.location(last)
            made = instr.op.emit(self, instr, [values[value] for value in instr.operands])
            if len(instr.results) == 1:
                values[instr.results[0]] = made
            else:
                values.update(zip(instr.results, made, strict=True))
        return [values[value] for value in region.results]

    def function(self, name: str, region: Region, visibility: str) -> str:
        """Emit `region` as a function of the module; returns the name it got."""
        write = functools.partial(self.inline, region)
        return self.written(name, region.params, region.results, visibility, write)

    def written(
        self,
        name: str,
        params: Sequence[Value],
        results: Sequence[Value],
        visibility: str,
        write: Callable[[Sequence[ir.Value]], Sequence[ir.Value]],
    ) -> str:
        """A function of the module that `write` writes; returns the name it got."""
        inputs = [self.type(param.type) for param in params]
        outputs = [self.type(value.type) for value in results]
        return self.make(name, inputs, outputs, visibility, write)

    def make(
        self,
        name: str,
        inputs: Sequence[ir.Type],
        outputs: Sequence[ir.Type],
        visibility: str,
        write: Callable[[Sequence[ir.Value]], Sequence[ir.Value]],
    ) -> str:
        """As `written`, of MLIR's types."""
        outer, outer_loc = self.ip, self.loc
        create: Any = func.FuncOp
        made = create(
            name,
            (inputs, outputs),
            visibility=visibility,
            loc=self.loc,
            ip=ir.InsertionPoint(self.module.body),
        )
        self.symbols.insert(made)
        block = made.add_entry_block()
        self.ip = ir.InsertionPoint(block)
        self.end("func.return", write(block.arguments))
        self.ip, self.loc = outer, outer_loc
        return _symbol(made)

    def call(self, name: str, instr: Instr, operands: Sequence[ir.Value]) -> Any:
        """Call the function that `instr`'s region is, emitted once however often it is called."""
        (region,) = instr.regions
        if region not in self._functions:
            self._functions[region] = self.function(name or "callee", region, "private")
        callee = f"@{self._functions[region]}"
        return self.op("func.call", instr, operands, {"callee": callee})

    def kernel(self, instr: Instr) -> Any:
        """Emit a loop, branch or call as the call of a function that is compiled as a whole."""
        plan = kernel(instr)
        returned = [*instr.results, *plan.kept]
        name = self.written(
            instr.attrs.get("name") or f"{instr.op.name}_kernel",
            plan.given,
            returned,
            "private",
            functools.partial(self.inside, instr, plan),
        )
        operands = [self.plain("stablehlo.optimization_barrier", value) for value in plan.given]
        created = ir.Operation.create(
            "func.call",
            [self.type(value.type) for value in returned],
            operands,
            {
                key: self.attribute(text)
                for key, text in (("callee", f"@{name}"), *ATTRIBUTES.items())
            },
            None,
            0,
            self.loc,
            self.ip,
        )
        results = list(created.results)[: len(instr.results)]
        return results[0] if len(results) == 1 else results

    def loop(self, instr: Instr, operands: Sequence[ir.Value]) -> Any:
        """Emit a loop of whose state XLA tells LLVM what lies apart (`lower.cpu.registers`).

        What XLA would make operands, it gets as such: the state is then one tuple in its code too.
        """
        outside = [value for value in captures(instr) if not is_literal(value)]
        operands = [*operands, *[self.values[value] for value in outside]]
        types = [operand.type for operand in operands]
        made = self.create("stablehlo.while", types, operands, regions=2)
        outer, around = self.values, (self.ip, self.loc)
        for slot, region in zip(made.regions, instr.regions, strict=True):
            block = slot.blocks.append(*types, arg_locs=[self.loc] * len(types))
            self.ip, self.values = ir.InsertionPoint(block), dict(outer)
            state, parts = self.state(block.arguments, types)
            own, fixed = parts[: len(region.params)], parts[len(region.params) :]
            self.values.update(zip(outside, fixed, strict=True))
            results = self.inline(region, own)
            if region is instr.regions[0]:
                results = [self.same(*results, state)]
            else:
                results = self.left([*results, *fixed], types, region)
            self.end("stablehlo.return", results)
            self.ip, self.loc = around
        self.values = outer
        results = list(made.results)[: len(instr.results)]
        return results[0] if len(results) == 1 else results

    def left(
        self, values: list[ir.Value], types: Sequence[ir.Type], body: Region
    ) -> list[ir.Value]:
        """The state that an iteration leaves, apart from what the body of an innermost loop keeps,
        but for old values, which may be overwritten before.

        Elsewhere that changes little but which values are in registers.
        """
        if any(instr.op is while_ for instr in body.instrs):
            return values
        fences = [i for i in body.instrs if i.op is kept and home(i.result) not in body.params]
        read = dict.fromkeys(v for instr in fences for v in (instr.operands[0], *instr.results))
        made = [self.values[value] for value in read]
        return self.state(values, types, made)[1] if made else values

    def state(
        self, values: Sequence[ir.Value], types: Sequence[ir.Type], others: Iterable[ir.Value] = ()
    ) -> tuple[ir.Value, list[ir.Value]]:
        """The tuple of these values from a call that XLA keeps, and its parts.

        others: what XLA is to tell LLVM of that it lies apart from them.
        """
        whole = ir.Type.parse(f"tuple<{', '.join(map(str, types))}>")
        state = self.same(self.create("stablehlo.tuple", [whole], values).results[0], *others)
        get, indices = "stablehlo.get_tuple_element", range(len(types))
        attributes = [{"index": self.attribute(f"{k} : i32")} for k in indices]
        parts = [self.create(get, [types[k]], [state], attributes[k]).results[0] for k in indices]
        return state, parts

    def same(self, value: ir.Value, *others: ir.Value) -> ir.Value:
        """`value`, from a call that XLA keeps, which has the others as operands too."""
        types = [operand.type for operand in (value, *others)]
        key = ", ".join(map(str, types))
        if key not in self._same:
            self._same[key] = self.make("same", types, types[:1], "private", lambda x: x[:1])
        attributes = {"callee": self.attribute(f"@{self._same[key]}")}
        attributes["mhlo.frontend_attributes"] = self.attribute(KEPT)
        return self.create("func.call", types[:1], [value, *others], attributes).results[0]

    def create(
        self,
        name: str,
        types: Sequence[ir.Type],
        operands: Sequence[ir.Value],
        attributes: dict[str, ir.Attribute] | None = None,
        regions: int = 0,
    ) -> Any:
        """Append an operation of these types."""
        return ir.Operation.create(
            name, types, operands, attributes, None, regions, self.loc, self.ip
        )

    def inside(self, instr: Instr, plan: Kernel, arguments: Sequence[ir.Value]) -> list[ir.Value]:
        """Emit a kernel's code in its function: what it is given is a parameter there."""
        outer = self.values
        self.values = dict(zip(plan.given, arguments, strict=True))
        self.inline(Region((), list(plan.code)), ())
        self.loc = self.location(instr.loc)
        operands = [self.values[value] for value in plan.operands]
        if instr.op is call:
            made = self.inline(instr.regions[0], operands)
        else:
            if instr.attrs.get("apart"):
                made = self.loop(instr, operands)
            else:
                made = self.op(f"stablehlo.{instr.op.name}", instr, operands, None, instr.regions)
            made = made if len(instr.results) != 1 else [made]
        kept = [self.values[value] for value in plan.kept]
        self.values = outer
        return [*made, *kept]

    def plain(self, name: str, value: Value) -> ir.Value:
        """Append an operation of one operand and its type."""
        created = ir.Operation.create(
            name, [self.type(value.type)], [self.values[value]], None, None, 0, self.loc, self.ip
        )
        return created.results[0]

    def host_call(self, instr: Instr, operands: Sequence[ir.Value]) -> Any:
        """Call a Python function; a module that is only looked at shows its name."""
        function = instr.attrs["function"]
        if self.host is None:
            name = f'"pyxla.host_call.{function.__name__}"'
            attributes = {"call_target_name": name, "has_side_effect": "true"}
            return self.op("stablehlo.custom_call", instr, operands, attributes)
        with self.ip, self.loc:  # type: ignore[union-attr]
            made = functools.partial(called, instr.attrs)
            given, results = ([v.type for v in vs] for vs in (instr.operands, instr.results))
            found = self.host(made, operands, given, results)
            return found if len(results) > 1 else found[0]

    def foreign_call(self, instr: Instr, operands: Sequence[ir.Value]) -> Any:
        """The code of a JAX function, which JAX writes here, for what is compiled here."""
        if self.foreign is None:
            raise OpError("this module is made without JAX, which writes the code of its functions")
        types = [value.type for value in instr.operands]
        with self.ip, self.loc:  # type: ignore[union-attr]
            made = list(self.foreign(instr.attrs["function"], operands, types))
        return made[0] if len(instr.results) == 1 else made

    def merge(self, code: str, name: str) -> str:
        """Add the function of module `code` to this one, once; returns the name it got."""
        if code not in self._merged:
            source = ir.Module.parse(code)
            (made,) = source.body.operations
            ir.SymbolTable.set_symbol_name(made, name)
            made.attributes["sym_visibility"] = ir.StringAttr.get("private")
            made.detach_from_parent()
            self.module.body.append(made)
            self.symbols.insert(made)
            self._merged[code] = _symbol(made)
        return self._merged[code]


def _symbol(function: Any) -> str:
    return ir.StringAttr(function.attributes["sym_name"]).value


def emit_function(
    module: ir.Module,
    region: Region,
    name: str = "main",
    *,
    visibility: str = "public",
    symbols: ir.SymbolTable | None = None,
    host: Outside | None = None,
    foreign: Outside | None = None,
) -> str:
    """Add `region` to `module` as a function; returns its name, changed if `name` was taken.

    Call it under the context of the module.  Whoever adds functions to the module too passes the
    symbol table they use.  host, foreign: write a call of a Python function, or the code of one of
    JAX's, at the current place.
    """
    if symbols is None:
        symbols = ir.SymbolTable(module.operation)
    with module.context, ir.Location.unknown():
        return Emitter(module, symbols, host, foreign).function(name, region, visibility)


def emit_here(
    module: ir.Module,
    region: Region,
    operands: Sequence[ir.Value],
    symbols: ir.SymbolTable,
    **outside: Outside | None,
) -> Sequence[ir.Value]:
    """Add the code of `region` on `operands` at the current place of `module`; its results."""
    emitter = Emitter(module, symbols, **outside)
    emitter.ip, emitter.loc = ir.InsertionPoint.current, ir.Location.current
    return emitter.inline(region, operands)


def result_shardings(module: ir.Module) -> list[list[tuple[str, ...]]]:
    """How XLA's partitioner lays out the results of `main`, whose parameters say how they lie: the
    axes of each dimension, none where that takes parts of axes.  Changes the module.

    Shardy's propagation, https://openxla.org/shardy/propagation.
    """
    with module.context:
        passes = passmanager.PassManager.parse("builtin.module(sdy-propagation-pipeline)")
        passes.run(module.operation)
    main: Any = next(f for f in module.body.operations if _symbol_of(f) == "main")
    types = [ir.ShapedType(t) for t in main.type.results]
    found: Any = [{}] * len(types)
    found = main.attributes["res_attrs"] if "res_attrs" in main.attributes else found
    return [_axes(attributes, t.rank) for attributes, t in zip(found, types, strict=True)]


def _symbol_of(operation: Any) -> str:
    return _symbol(operation) if "sym_name" in operation.attributes else ""


def _axes(attributes: Any, rank: int) -> list[tuple[str, ...]]:
    if "sdy.sharding" not in attributes:
        return [()] * rank
    shares = sdy.TensorShardingAttr(attributes["sdy.sharding"]).dimension_shardings
    refs = [[sdy.AxisRefAttr(a) for a in sdy.DimensionShardingAttr(s).axes] for s in shares]
    whole = [all(axis.sub_axis_info is None for axis in axes) for axes in refs]
    names = [tuple([axis.name for axis in axes]) for axes in refs]
    return [axes if fits else () for axes, fits in zip(names, whole, strict=True)]


def empty_module(context: ir.Context, name: str = "main") -> ir.Module:
    """A fresh module of that name."""
    with context, ir.Location.unknown():
        module = ir.Module.create()
        module.operation.attributes["sym_name"] = ir.StringAttr.get(name)
    return module
