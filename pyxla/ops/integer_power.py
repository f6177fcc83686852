"""The code of `power`, which is a loop for integers."""

from __future__ import annotations

from typing import Any

from pyxla.ops.check import INTS, UNSIGNED


def emit_power(e: Any, instr: Any, operands: Any) -> Any:
    """XLA's own power of integers is wrong for exponents of 64 and more, so they get a loop."""
    type = instr.results[0].type
    if type.dtype not in INTS:
        return e.op("stablehlo.power", instr, operands)
    shape = "".join([f"{extent}x" for extent in type.shape])
    kind = "ui" if type.dtype in UNSIGNED else "i"
    code = INTEGER_POWER.format(
        tensor=f"tensor<{shape}{kind}{type.dtype.itemsize * 8}>",
        truth=f"tensor<{shape}i1>",
        dims=", ".join(map(str, range(type.ndim))),
    )
    name = e.merge(code, "integer_power")
    return e.op("func.call", instr, operands, {"callee": f"@{name}"})


# By repeated squaring, while any exponent has bits left.  A negative exponent gives 0 but for the
# bases 1 and -1, whose powers depend on its lowest bit alone.
INTEGER_POWER = """
func.func @main(%x: {tensor}, %y: {tensor}) -> {tensor} {{
  %zero = stablehlo.constant dense<0> : {tensor}
  %one = stablehlo.constant dense<1> : {tensor}
  %none = stablehlo.constant dense<false> : tensor<i1>
  %negative = stablehlo.compare LT, %y, %zero : ({tensor}, {tensor}) -> {truth}
  %minus = stablehlo.negate %one : {tensor}
  %is_one = stablehlo.compare EQ, %x, %one : ({tensor}, {tensor}) -> {truth}
  %is_minus = stablehlo.compare EQ, %x, %minus : ({tensor}, {tensor}) -> {truth}
  %unit = stablehlo.or %is_one, %is_minus : {truth}
  %small = stablehlo.and %y, %one : {tensor}
  %base_or_zero = stablehlo.select %unit, %x, %zero : {truth}, {tensor}
  %left0 = stablehlo.select %negative, %small, %y : {truth}, {tensor}
  %start = stablehlo.select %unit, %one, %zero : {truth}, {tensor}
  %acc0 = stablehlo.select %negative, %start, %one : {truth}, {tensor}
  %base0 = stablehlo.select %negative, %base_or_zero, %x : {truth}, {tensor}
  %out:3 = stablehlo.while(%base = %base0, %left = %left0, %acc = %acc0)
      : {tensor}, {tensor}, {tensor}
    cond {{
      %more = stablehlo.compare NE, %left, %zero : ({tensor}, {tensor}) -> {truth}
      %any = stablehlo.reduce(%more init: %none) applies stablehlo.or
          across dimensions = [{dims}] : ({truth}, tensor<i1>) -> tensor<i1>
      stablehlo.return %any : tensor<i1>
    }} do {{
      %bit = stablehlo.and %left, %one : {tensor}
      %odd = stablehlo.compare EQ, %bit, %one : ({tensor}, {tensor}) -> {truth}
      %product = stablehlo.multiply %acc, %base : {tensor}
      %next = stablehlo.select %odd, %product, %acc : {truth}, {tensor}
      %squared = stablehlo.multiply %base, %base : {tensor}
      %rest = stablehlo.shift_right_logical %left, %one : {tensor}
      stablehlo.return %squared, %rest, %next : {tensor}, {tensor}, {tensor}
    }}
  return %out#2 : {tensor}
}}
"""
