"""Products are rounded before they are added: of numbers, and in code over elements, as in Python.

    s = s + a * b     ->     s = s + (a * b + z)     z: -0.0, which neither XLA nor LLVM knows

LLVM makes one instruction of a product and the sum it goes into, wherever it finds them.  That
rounds once where Python rounds twice, and in a sum of products each instruction then waits for the
whole of the one before, multiplication included: four cycles, where an addition after an addition
takes two.  x + -0.0 is x for every x; so that one instruction now rounds the product, and the sums
wait for sums.

-0.0 comes out of a guard at the beginning: a function that holds a loop gets it in memory.  Not so
for whole arrays: XLA would compute it once more for each element.

Only for XLA:CPU.
"""

from __future__ import annotations

from dataclasses import field

import numpy as np

from pyxla.frozen import dataclass
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import take_over, walk
from pyxla.lower.cpu.kernels import is_elementary
from pyxla.lower.cpu.voids import guard, number_of
from pyxla.ops.control import CONTROL
from pyxla.ops.elementwise import (
    add,
    and_,
    bitcast_convert,
    compare,
    complex,
    convert,
    imag,
    multiply,
    negate,
    real,
    remainder,
    select,
    square,
    subtract,
)
from pyxla.ops.filled import number, spread
from pyxla.ops.kept import kept
from pyxla.ops.shape import broadcast_in_dim, reshape

_SUMS = frozenset([add, subtract])
_PRODUCTS = frozenset([multiply, square])
_SAME = frozenset([reshape, negate, broadcast_in_dim, select, kept])  # through which LLVM looks
_WORD = np.dtype(np.uint64)
_FLOATS = frozenset([np.dtype(np.float32), np.dtype(np.float64)])


def round_products(region: Region) -> Region:
    """Round the products in what of a region is over elements, in place."""
    held = [x for x in region.params if x.type.size and x.type.dtype.kind in "biufc"]
    number = min(held, key=lambda x: x.type.size, default=None)
    if number is not None:
        head: list[Instr] = []
        _Rounding(_added(region), Builder(head, None), number).region(region)
        region.instrs[:0] = head
    return region


def _added(region: Region) -> set[Value]:
    """What goes into sums."""
    code = walk(region.instrs)
    found = {value for instr in code if instr.op in _SUMS for value in instr.operands}
    for instr in reversed(code):
        if instr.op in _SAME and instr.results[0] in found:
            found.update(instr.operands)
    return found


@dataclass(slots=True)
class _Rounding:
    """added: what goes into sums.  head: the beginning of the program.  number: a parameter."""

    added: set[Value]
    head: Builder
    number: Value
    zeros: dict[np.dtype, Value] = field(default_factory=dict)

    def region(self, region: Region, inside: bool = False) -> None:
        """Round in a region; inside: of one that is over elements."""
        code: list[Instr] = []
        elements = inside or is_elementary(region)
        for instr in region.instrs:
            if instr.op in CONTROL:
                for part in instr.regions:
                    self.region(part, elements)
            result = instr.results[0] if instr.results else None
            if result is None or (result.type.shape and not elements):
                code.append(instr)
            elif result.type.dtype.kind == "c" and instr.op in _PRODUCTS:
                code += self.of_complex(instr)
            elif result.type.dtype in _FLOATS:
                code.append(instr)
                if instr.op in _PRODUCTS and result in self.added:
                    code += self.rounded(instr)
            else:
                code.append(instr)
        region.instrs[:] = code

    def rounded(self, product: Instr) -> list[Instr]:
        """Code after a product, whose result it takes over."""
        code: list[Instr] = []
        (result,) = product.results
        product.results = (Value(result.type, product, result.hint),)
        with building(Builder(code, product.loc)):
            take_over(self.hidden(product.results[0]), result)
        return code

    def of_complex(self, product: Instr) -> list[Instr]:
        """A product of complex numbers, whose four products are rounded."""
        code: list[Instr] = []
        x, y = product.operands[0], product.operands[-1]
        with building(Builder(code, product.loc)):
            parts = [
                self.hidden(multiply(a, b)) for a in (real(x), imag(x)) for b in (real(y), imag(y))
            ]
            made = complex(subtract(parts[0], parts[3]), add(parts[1], parts[2]))
            take_over(made, product.results[0])
        return code

    def hidden(self, product: Value) -> Value:
        """A product that no sum is fused with."""
        return add(product, spread(self.zero(product.type.dtype), product.type.shape))

    def zero(self, dtype: np.dtype) -> Value:
        """-0.0 that depends on a value, at the beginning of the program."""
        if dtype not in self.zeros:
            with building(self.head):
                zero = number(-0.0, dtype)
                self.zeros[dtype] = guard(zero, [_unknown(self.number)])
        return self.zeros[dtype]


def _unknown(value: Value) -> Value:
    """False, which LLVM does not see either: n * (n * n + 2) is a multiple of 3."""
    value = number_of(value)
    if value.type.dtype.kind == "f":
        value = bitcast_convert(value, dtype=np.dtype(f"u{value.type.dtype.itemsize}"))
    n = convert(value, dtype=_WORD)

    n = and_(n, number(0xFFFF, _WORD))  # its third power fits
    product = multiply(n, add(multiply(n, n), number(2, _WORD)))
    return compare(remainder(product, number(3, _WORD)), number(1, _WORD), direction="EQ")
