"""Looking at the stages, specializing by types, and what that says of arguments."""

from __future__ import annotations

import copy
import pickle
import re
import warnings
from enum import Enum
from typing import NamedTuple

import jax
import numpy as np
import pytest

import pyxla
from pyxla.errors import CompileError
from pyxla.pipeline import STAGES

WEIGHTS = np.arange(3.0)


def newton_sqrt(x, tol):
    y = x
    while abs(y * y - x) > tol:
        y = 0.5 * (y + x / y)
    return y


def layers(x, n):
    out = np.zeros(n)
    for shape in ((1,), (2, 3), (4, 5, 6)):
        out = out + np.ones(shape).size
    return out + x


class Point(NamedTuple):
    x: float
    y: float


def weighted(x):
    return WEIGHTS @ x


def test_code_lowered_runs():
    namespace = {}
    exec(pyxla.code_lowered(newton_sqrt), namespace)
    assert namespace["newton_sqrt"](2.0, 1e-9) == newton_sqrt(2.0, 1e-9)


def test_code_ssa():
    text = pyxla.code_ssa(newton_sqrt)
    assert text.startswith("func newton_sqrt(%x.0, %tol.1)")
    assert "phi" in text


def test_code_typed():
    text = pyxla.code_typed(newton_sqrt, float, float)
    # func newton_sqrt(%x.0: float, %tol.1: float) -> float
    assert "%x.0: float, %tol.1: float" in text
    assert re.search(r"%y\.\d+ = phi \[.*\] : float", text)
    assert re.search(r"compare .* direction=GT : bool +# \d+: while", text) or "compare" in text


def test_code_typed_shows_unrolling_and_known_values():
    text = pyxla.code_typed(layers, pyxla.f64[3], 3)
    assert re.search(r"# the loop at .*test_reflect.py:\d+:\d+ is unrolled: 3 iterations", text)
    assert re.search(r"# argument 1 is a known value: asked for at .*test_reflect.py:\d+", text)


def test_types_and_values_give_the_same_text():
    by_type = pyxla.code_stablehlo(newton_sqrt, float, float)
    assert by_type == pyxla.code_stablehlo(newton_sqrt, 2.0, 1e-9)
    assert by_type == pyxla.code_stablehlo(newton_sqrt, float, tol=float)


def test_code_hlo():
    text = pyxla.code_hlo(newton_sqrt, float, float)
    assert text.startswith("HloModule")
    assert "while(" in text
    assert "HloModule" in pyxla.code_hlo(newton_sqrt, 2.0, 1e-9, optimized=True)


def test_code_dot():
    assert "digraph" in pyxla.code_dot(newton_sqrt)
    assert "float" in pyxla.code_dot(newton_sqrt, float, float)


def test_containers_of_types():
    text = pyxla.code_typed(lambda p, d: p.x * d["w"][0], Point(float, float), {"w": [pyxla.f32]})
    assert "f32" in text


def test_jax_arrays_by_shape():
    text = pyxla.code_typed(lambda x: x + 1, jax.ShapeDtypeStruct((3,), np.float32))
    assert "f32[3]" in text


def test_compiled_functions_and_methods():
    class Scale:
        def __init__(self, by):
            self.by = by

        def __call__(self, x):
            return x * self.by

        @pyxla.compile
        def apply(self, x):
            return x * self.by

    scale = Scale(3.0)
    assert "multiply" in pyxla.code_typed(scale, pyxla.f64[2])
    assert "multiply" in pyxla.code_typed(scale.apply, pyxla.f64[2])
    assert "def __call__" in pyxla.code_lowered(scale)
    assert "def apply" in pyxla.code_lowered(scale.apply)


def test_every_stage_prints():
    compiled = pyxla.compile(newton_sqrt)
    compiled.specialize(float, float)
    (entry,) = compiled.specializations
    for name in STAGES:
        assert "newton_sqrt" in entry.text(name), name


def test_specialize_ahead_of_time():
    compiled = pyxla.compile(newton_sqrt)
    compiled.specialize(float, float)
    assert [repr(entry) for entry in compiled.specializations] == ["<newton_sqrt(float, float)>"]
    assert abs(compiled(2.0, 1e-12) ** 2 - 2) < 1e-9
    assert len(compiled.specializations) == 1


def test_specialize_for_a_known_value_and_captures():
    compiled = pyxla.compile(lambda n, x: WEIGHTS[:n] * x)
    compiled.specialize(pyxla.static[2], float)
    np.testing.assert_array_equal(compiled(2, 3.0), [0, 3])
    assert len(compiled.specializations) == 1


def test_specialize_for_a_bool_means_both():
    compiled = pyxla.compile(lambda x, negate: -x if negate else x)
    compiled.specialize(float, bool)
    assert len(compiled.specializations) == 2
    assert compiled(1.0, True) == -1.0
    assert len(compiled.specializations) == 2


def test_annotations_compile_at_decoration():
    @pyxla.compile
    def scaled(x: pyxla.f64[3], by: float):
        return x * by

    @pyxla.compile
    def plain(x: float):
        return x

    assert len(scaled.specializations) == 1
    assert scaled(np.ones(3), 2.0).tolist() == [2, 2, 2]
    assert len(scaled.specializations) == 1
    assert not plain.specializations


def test_annotated_function_that_is_refused():
    with pytest.raises(CompileError, match="shapes"):

        @pyxla.compile
        def refused(x: pyxla.f64[3]):
            return x + np.ones(4)


def test_annotations_wait_for_what_is_not_known_yet():
    @pyxla.compile
    def later(x: pyxla.f64[3]):
        return LATER * x  # noqa: F821

    @pyxla.compile
    def zeros(n: int, x: pyxla.f64[3]):
        return np.zeros(n)

    assert not later.specializations and not zeros.specializations
    assert zeros(2, np.ones(3)).tolist() == [0, 0]


def test_a_value_is_needed():
    with pytest.raises(CompileError, match="the value of 'n' must be known") as caught:
        pyxla.code_typed(layers, 1.0, int)
    error = caught.value
    assert error.lineno == layers.__code__.co_firstlineno + 1
    assert "np.zeros(n)" in str(error)
    assert "static[5]" in error.hint


def test_build_and_load(tmp_path):
    pyxla.build(weighted, pyxla.f64[3], path=tmp_path / "weighted")
    loaded = pyxla.load(tmp_path / "weighted")
    assert loaded(np.ones(3)) == 3.0
    assert loaded.names == ("x",)


def total(a, n):
    s = np.float64(0)
    for i in range(n):
        if a[i] > 0:
            s += a[i]
    return s


def test_arrays_that_are_only_read_are_no_results():
    assert pyxla.code_typed(total, pyxla.f64[5], int).splitlines()[0].endswith(" -> f64[]")


def test_many_values_of_one_argument_warn_once():
    compiled = pyxla.compile(np_zeros)
    with pytest.warns(UserWarning, match=r"16 values of n, .*test_reflect.py:\d+") as caught:
        for n in range(20):
            compiled(n)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_many_sizes_of_one_argument_warn_once():
    compiled = pyxla.compile(lambda x: x)
    with pytest.warns(UserWarning, match='16 sizes of x: .*sizes="bucket"') as caught:
        for n in range(20):
            compiled(np.zeros(n))
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in range(20):
            pyxla.hlo.negate(np.zeros(n))


def np_zeros(n):
    return np.zeros(n)


@pyxla.compile
def pickled(x):
    return x + 1


class Compiled:
    """Methods that are compiled for themselves, too."""

    @pyxla.compile
    def __init__(self, x):
        self.x = x

    @pyxla.compile
    def __call__(self, y=1.0):
        return 2 * y

    @pyxla.compile
    def __add__(self, other):
        return Compiled(self.x + other.x)

    @pyxla.compile
    def __getitem__(self, i):
        return self.x * i

    @pyxla.compile
    def __len__(self):
        return 3

    @pyxla.compile
    def __lt__(self, other):
        return self.x < other.x

    @pyxla.compile
    def __iter__(self):
        yield self.x


class Side(Enum):
    LEFT = 1
    RIGHT = 2

    @pyxla.compile
    def of(self, x):
        return self.value * x


def compiled_methods(c, x):
    both, side = c + Compiled(x), Side.LEFT if x > 1 else Side.RIGHT
    operators = both.x, c[3], len(c), both < c, list(both), bool(both)
    return operators, c(x), c(), list(map(c, [1.0, x])), sorted([x, 1.0], key=c), side.of(x)


def test_methods_may_be_compiled_for_themselves():
    for x, y in ((2.0, 5.0), (-1.0, 0.5)):
        assert pyxla.compile(compiled_methods)(Compiled(x), y) == compiled_methods(Compiled(x), y)
    assert pyxla.compile(Compiled(1.0))(3.0) == 6.0
    assert pyxla.grad(Compiled(1.0))(3.0) == 2.0
    assert pyxla.vmap(Compiled(1.0))(np.arange(2.0)).tolist() == [0.0, 2.0]


def test_what_is_compiled_of_a_named_function_pickles():
    assert pickle.loads(pickle.dumps(pyxla.compile(np_zeros)))(2).tolist() == [0.0, 0.0]


def test_compiled_functions_pickle_by_name():
    assert pickle.loads(pickle.dumps(pickled)) is pickled
    assert copy.deepcopy(pickled) is pickled
