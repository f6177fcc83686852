"""Compiled functions among Python's own tools: type checkers, pickle, copy, doctest, asyncio."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import doctest
import functools
import inspect
import os
import pickle
import subprocess
import sys
import textwrap
import types
from pathlib import Path

import cloudpickle
import numpy as np
import pytest

import pyxla
from pyxla.api import Compiled
from pyxla.typed import Function

ROOT = Path(__file__).parent.parent


@pyxla.compile
def doubled(x: float) -> float:
    """Twice a number.

    >>> doubled(2.0)
    4.0
    """
    return 2 * x


@dataclasses.dataclass
class Line:
    slope: float
    offset: float = 1.0

    @pyxla.compile
    def at(self, x, *, times=1):
        return (self.slope * x + self.offset) * times

    @pyxla.compile
    def __call__(self, x):
        return self.at(x) + 1


class Curve:
    @pyxla.custom_jvp
    def of(self, x):
        return x * x


Curve.of.defjvp(lambda primals, tangents: (primals[1] ** 2, 2 * primals[1] * tangents[1]))
BOUND, CUSTOM = Line(2.0).at, Curve().of


def in_python(text: str, tmp_path: Path, **settings: str) -> str:
    """What a script prints."""
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(text))
    env = {**os.environ, "PYTHONPATH": str(ROOT), **settings}
    words = [sys.executable, str(path)]
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- attributes -------------------------------------------------------------------------------


def test_it_looks_like_its_function():
    assert doubled.__name__ == "doubled" and doubled.__doc__.startswith("Twice")
    assert doubled.__wrapped__(3.0) == 6.0 and inspect.unwrap(doubled) is doubled.__wrapped__
    assert str(inspect.signature(doubled)) == "(x: 'float') -> 'float'"


def test_doctests_are_found():
    found = doctest.DocTestFinder().find(sys.modules[__name__], __name__)
    (test,) = [test for test in found if test.name.endswith(".doubled")]
    assert doctest.DocTestRunner().run(test) == doctest.TestResults(0, 1)


def test_methods_are_methods():
    line = Line(2.0)
    assert isinstance(line.at, types.MethodType)
    assert line.at.__self__ is line and line.at.__name__ == "at" and line.at.__func__ is Line.at
    assert line.at == line.at and line.at(3.0) == 7.0 and line.at(3.0, times=2) == 14.0
    assert line(3.0) == 8.0 and Line.at(line, 3.0) == 7.0
    assert dataclasses.asdict(line) == {"slope": 2.0, "offset": 1.0}
    assert list(map(line.at, [1.0, 2.0])) == [3.0, 5.0]
    assert pyxla.compile(lambda f, x: f(x) + 1)(line.at, 3.0) == 8.0
    assert pyxla.compile(lambda o, x: o.at(x))(line, 3.0) == 7.0
    assert functools.partial(line.at, times=3)(1.0) == 9.0
    np.testing.assert_allclose(pyxla.grad(line.at)(3.0), 2.0)
    assert pyxla.compile(line.at)(3.0) == 7.0
    assert pyxla.compile(lambda x: BOUND(x) + CUSTOM(x))(3.0) == 16.0
    assert "multiply" in pyxla.code_typed(line.at, float)
    assert "slope" in pyxla.code_lowered(line.at)


# --- copies -----------------------------------------------------------------------------------


def test_copies_are_the_function():
    assert copy.copy(doubled) is doubled and copy.deepcopy([doubled])[0] is doubled
    for pickler in (pickle, cloudpickle):
        assert pickler.loads(pickler.dumps(doubled)) is doubled
    assert pickle.loads(pickle.dumps(Line(2.0).at))(3.0) == 7.0

    def closure(k):
        return pyxla.compile(lambda x: x * k, fast=True)

    made = cloudpickle.loads(cloudpickle.dumps(closure(3.0)))
    assert made(2.0) == 6.0 and made.options.fast
    assert made.__qualname__.endswith("<lambda>")
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(closure(3.0))


SCRIPT = """
    import multiprocessing, pickle
    from concurrent.futures import ProcessPoolExecutor
    import cloudpickle
    from joblib.externals.loky import get_reusable_executor
    import pyxla

    K = 3.0

    @pyxla.compile
    def inner(x):
        return x * K

    @pyxla.compile
    def f(x, n=1):
        return inner(x) + n

    def called(data):
        return cloudpickle.loads(data)(2.0)

    if __name__ == "__main__":
        assert pickle.loads(pickle.dumps(f)) is f
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, context) as pool:
            print(list(pool.map(f, [1.0, 2.0])))
            print(pool.submit(called, cloudpickle.dumps(f)).result())
        # As `joblib.Parallel` does for two jobs and more, each of which is a process.
        print(list(get_reusable_executor(max_workers=1).map(f, [1.0, 2.0])))
"""


def test_refusals_are_pickled() -> None:
    for function in (lambda x: open(x), lambda x: x.nothing):
        with pytest.raises(pyxla.CompileError) as refused:
            pyxla.compile(function)(1.0)
        again = pickle.loads(pickle.dumps(refused.value))
        assert type(again) is type(refused.value)
        assert str(again) == str(refused.value)


def test_functions_of_a_script(tmp_path):
    assert in_python(SCRIPT, tmp_path).splitlines() == ["[4.0, 7.0]", "7.0", "[4.0, 7.0]"]


# --- running ----------------------------------------------------------------------------------


def test_asyncio():
    async def all_of() -> list[float]:
        threads = [asyncio.to_thread(doubled, float(i)) for i in range(4)]
        return [doubled(1.0), *await asyncio.gather(*threads)]

    assert asyncio.run(all_of()) == [2.0, 0.0, 2.0, 4.0, 6.0]


DISABLED = """
    import sys
    import numpy as np
    import pyxla

    @pyxla.compile(fast=True)
    def f(x):
        g(x)
        return sys._getframe().f_code.co_name, [k for k in range(int(x))], open

    @pyxla.compile
    def g(x):
        seen.append(x)

    @pyxla.compile
    def annotated(x: pyxla.f64[3]):
        return input()

    class A:
        @pyxla.compile
        def method(self, x):
            return self, x

    seen = []
    assert f(3.0) == ("f", [0, 1, 2], open) and seen == [3.0]
    a = A()
    assert a.method(1) == (a, 1)
    assert pyxla.grad(lambda x: x * x)(3.0) == 6.0
    print("plain")
"""


def test_python_alone(tmp_path):
    assert in_python(DISABLED, tmp_path, PYXLA_DISABLE="1") == "plain\n"


# --- types ------------------------------------------------------------------------------------

TYPED = """
import dataclasses
import numpy as np
import numpy.typing as npt
import pyxla

Array = npt.NDArray[np.float64]

@pyxla.compile
def f(x: Array, n: int = 2) -> Array:
    return x * n

@pyxla.compile(strict=True)
def g(x: float, *, by: float) -> float:
    return x * by

@dataclasses.dataclass
class Model:
    w: Array

    @pyxla.compile
    def __call__(self, x: Array) -> Array:
        return self.w * x

    @pyxla.compile
    def scaled(self, x: Array, k: int) -> float:
        return float((self.w * x).sum() * k)

model = Model(np.ones(3))
y: Array = f(np.ones(3), 3)
z: float = g(2.0, by=3.0)
a: Array = model(np.ones(3))
b: float = model.scaled(np.ones(3), 2)
again: Array = f.__wrapped__(np.ones(3))
f.specialize(pyxla.f64[3], 2)
print(f.memory(pyxla.f64[3], int), f.lower(pyxla.f64[3], int).text("hlo"))
print(f.specializations, f.options.strict, pyxla.grad(g)(2.0, by=1.0))
pyxla.hessian(model.scaled).specialize(pyxla.f64[3], 2)
print(pyxla.checked(f)(np.ones(3)), pyxla.vmap(g)(np.ones(3), by=1.0))
print(pyxla.code_typed(g, float, by=float), pyxla.explain(f))
"""
WRONG = {
    'f("text")': "arg-type",
    "g(2.0)": "call-arg",
    "model.scaled(np.ones(3))": "call-arg",
    "pyxla.grad(g)(2.0, bye=1.0)": "call-arg",
    "s: str = f(np.ones(3))": "assignment",
    "pyxla.no_such_name": "attr-defined",
}


def test_type_checkers_see_signatures(tmp_path):
    """mypy --strict: what is right has no error, and what is wrong has one."""
    (tmp_path / "program.py").write_text(TYPED + "\n".join(WRONG))
    # Most of mypy's time would go to JAX and what compiles, of which no signature has a type.
    skipped = "jax.*,jaxlib.*,pyxla.infer.*,pyxla.lib.*,pyxla.lower.*,pyxla.ops.*,pyxla.frontend.*"
    (tmp_path / "mypy.ini").write_text(f"[mypy]\n[mypy-{skipped}]\nfollow_imports = skip\n")
    assert (ROOT / "pyxla" / "py.typed").exists()
    words = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "program.py"]
    env = {**os.environ, "MYPYPATH": str(ROOT)}
    done = subprocess.run(
        words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600, check=False
    )
    start = TYPED.count("\n") + 1
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    expected = [(f"program.py:{start + i}:", code) for i, code in enumerate(WRONG.values())]
    assert len(errors) == len(expected), done.stdout
    for line, (place, code) in zip(errors, expected, strict=True):
        assert line.startswith(place) and f"[{code}]" in line


def test_what_type_checkers_see_is_there():
    seen = [name for name in vars(Function) if not name.startswith("_")]
    assert seen and all(hasattr(Compiled, name) for name in seen)
