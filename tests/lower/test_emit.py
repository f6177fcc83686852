"""Emission: structure, locations, sharing and determinism of the module's text."""

from __future__ import annotations

from typing import Any

import numpy as np
from jax.interpreters import mlir

from pyxla.errors import Location
from pyxla.ir.build import current
from pyxla.ir.core import Region
from pyxla.ir.types import I64, array_type, python_type
from pyxla.lower.emit import emit_function, empty_module
from pyxla.ops.computation import build_region
from pyxla.ops.control import call, if_, while_
from pyxla.ops.elementwise import add, compare, convert, multiply
from pyxla.ops.evaluate import evaluate
from pyxla.ops.foreign import foreign
from pyxla.ops.reduce import reduce
from pyxla.ops.shape import constant
from pyxla.runtime import jaxlower
from pyxla.runtime.programs import program
from tests.ops.harness import run

F64 = array_type(np.dtype(np.float64), (3,))


def module_of(region: Region) -> Any:
    module = empty_module(mlir.make_ir_context())
    emit_function(module, region)
    return module


def text(region: Region, locations: bool = False) -> str:
    module = module_of(region)
    module.operation.verify()
    return module.operation.get_asm(enable_debug_info=locations)


def test_function_of_two_ops():
    region = build_region([F64, F64], lambda x, y: multiply(add(x, y), y))
    assert text(region).split("\n")[1:6] == [
        "  func.func public @main(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>) -> tensor<3xf64> {",
        "    %0 = stablehlo.add %arg0, %arg1 : tensor<3xf64>",
        "    %1 = stablehlo.multiply %0, %arg1 : tensor<3xf64>",
        "    return %1 : tensor<3xf64>",
        "  }",
    ]


def countdown(n, x):
    """while n > 0: x = x + x if n > 3 else y * x, where y is captured two regions deep."""
    y = add(x, x)
    region = current().region

    def less(bound, n):
        return compare(constant(value=np.array(bound)), n, direction="LT")

    def body(n, x):
        branches = region((), lambda: add(x, x)), region((), lambda: multiply(y, x))
        (grown,) = if_(less(3, n), regions=branches)
        return add(n, constant(value=np.array(-1))), grown

    types = [n.type, x.type]
    return while_(n, x, regions=(region(types, lambda n, x: less(0, n)), region(types, body)))


def test_regions_capture_enclosing_values():
    region = build_region([I64, F64], countdown)
    arguments = np.array(6), np.array([1.0, 0.5, -2.0])
    for got, want in zip(run(region, arguments), evaluate(region, arguments), strict=True):
        np.testing.assert_array_equal(got, want)


def test_called_region_is_emitted_once():
    twice = build_region([F64], lambda x: add(x, x))

    def body(x):
        (y,) = call(x, name="twice", regions=(twice,))
        (z,) = call(y, name="twice", regions=(twice,))
        return z

    region = build_region([F64], body)
    assert text(region).count("func.func private @twice(") == 1
    assert text(region).count("call @twice(") == 2
    np.testing.assert_array_equal(run(region, [np.ones(3)])[0], np.full(3, 4.0))


def test_a_jax_function_is_in_a_module_once():
    def double(x):
        return [x + x]

    def body(x):
        attrs = {"parameter_types": (F64,), "result_types": (F64,), "function": double}
        for _ in range(3):
            (x,) = foreign(x, **attrs)
        return x

    region = build_region([F64], body)
    module = jaxlower.stablehlo(program("main", region))
    assert module.count("func.func private @double(") == 1
    assert module.count("call @double(") == 3
    np.testing.assert_array_equal(run(region, [np.ones(3)])[0], np.full(3, 8.0))


def test_taken_names_change():
    region = build_region([F64], lambda x: x)
    module = module_of(region)
    assert emit_function(module, region, "main") != "main"


def test_locations_name_the_users_line_and_function():
    def body(x):
        current().loc = Location("user.py", 7, 4, 7, 9, "outer.f")
        return reduce(x, constant(value=np.array(0.0)), dimensions=(0,), computation="add")

    shown = text(build_region([F64], body), locations=True)
    assert 'loc("user.py":7:5)' in shown
    assert 'loc("outer.f"(' in shown


def test_weakness_leaves_no_trace():
    def body(n):
        return convert(convert(n, dtype=np.dtype(np.int64), weak=False), dtype=np.dtype("f8"))

    shown = text(build_region([python_type(int)], body))
    assert shown.count("stablehlo.") == 1


def test_text_is_deterministic():
    def region():
        return build_region([I64, F64], countdown)

    assert text(region(), locations=True) == text(region(), locations=True)


def test_constants_of_every_element_type_survive():
    values = [np.array([[True, False, True]]), np.zeros((0, 2)), np.array(1 + 2j), np.array([0.1])]
    values.append(np.broadcast_to(np.array(7, np.uint8), (2, 3)))
    region = build_region((), lambda: tuple(constant(value=value) for value in values))
    for got, want in zip(run(region, ()), values, strict=True):
        np.testing.assert_array_equal(got, want)
        assert got.dtype == want.dtype
