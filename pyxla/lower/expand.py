"""Expansion: what only transformations tell apart (`ops.scope`) becomes the code it stands for."""

from __future__ import annotations

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, substitute_region
from pyxla.ops.elementwise import compare, select
from pyxla.ops.filled import zeros
from pyxla.ops.scope import lost


def expand(region: Region, kind: str | None = None) -> Region:
    """`region` without scopes, or without those of a kind, in place."""
    mapping: Mapping = {}
    _expand(region, mapping, kind)
    _substitute(region, mapping)
    return region


def _expand(region: Region, mapping: Mapping, kind: str | None) -> None:
    code: list[Instr] = []
    for instr in region.instrs:
        if kind is None and instr.op.name in ("stop_gradient", "slope_of"):
            mapping[instr.results[0]] = instr.operands[0]
            continue
        if kind is None and instr.op.name == "guard":
            mapping[instr.results[0]] = _guarded(instr, code)
            continue
        opened = instr.op.name == "scope" and kind in (None, instr.attrs["rule"].kind)
        kept = instr.regions[:1] if opened else instr.regions
        for inner in kept:
            _expand(inner, mapping, kind)
        if not opened:
            code.append(instr)
            continue
        mapping.update(zip(kept[0].params, instr.operands, strict=True))
        mapping.update(zip(instr.results, kept[0].results, strict=True))
        code += kept[0].instrs
    region.instrs = code


def _guarded(instr: Instr, code: list[Instr]) -> Value:
    part, factor = instr.operands
    with building(Builder(code, instr.loc)):
        zero = zeros(part.type)
        if instr.attrs.get("whole", True):  # a product with 0 is 0 or NaN: one comparison tells
            none = compare(factor, zero, direction="EQ")
        else:
            none = lost(part, factor)
        made: Value = select(none, zero, part)
        return made


def _substitute(region: Region, mapping: Mapping) -> None:
    def final(value: Value) -> Value:
        while value in mapping:
            value = mapping[value]
        return value

    if mapping:
        substitute_region(region, {value: final(value) for value in mapping})
