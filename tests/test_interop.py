"""Compiled functions in the hands of other libraries, and theirs in compiled functions."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize

import pyxla

PAGE = (Path(__file__).parent.parent / "docs" / "guides" / "libraries.md").read_text()
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
START = np.array([1.3, 0.7, 0.8])


def rosenbrock(x: Any) -> Any:
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def decay(t: Any, y: Any, rate: Any) -> Any:
    return np.array([-rate * y[0], rate * y[0] - y[1]])


@pytest.mark.parametrize("method", ["BFGS", "Nelder-Mead", "L-BFGS-B", "Powell", "CG", "SLSQP"])
def test_minimize(method: str) -> None:
    function = pyxla.compile(rosenbrock)
    jac = None if method in ("Nelder-Mead", "Powell") else pyxla.grad(rosenbrock)
    found = optimize.minimize(function, START, jac=jac, method=method)
    np.testing.assert_allclose(found.x, np.ones(3), atol=1e-2)


@pytest.mark.parametrize("method", ["RK45", "Radau", "BDF", "LSODA"])
def test_solve_ivp(method: str) -> None:
    def solved(function: Any) -> Any:
        return integrate.solve_ivp(function, (0, 2), [1.0, 0.0], method, args=(0.7,)).y

    np.testing.assert_allclose(solved(pyxla.compile(decay)), solved(decay), rtol=1e-10)


def test_other_callers_of_scipy() -> None:
    square = pyxla.compile(lambda x: x * x - 2)
    assert abs(optimize.brentq(square, 0, 2) - 2**0.5) < 1e-9
    assert abs(integrate.quad(square, 0, 1)[0] + 5 / 3) < 1e-9
    model = pyxla.compile(lambda x, a, b: a * np.exp(-b * x))
    x = np.linspace(0, 1, 20)
    np.testing.assert_allclose(optimize.curve_fit(model, x, 2 * np.exp(-3 * x))[0], [2, 3])


def test_what_returns_a_kind_of_dict_is_compiled_inside() -> None:
    def inside(x: Any) -> Any:
        return optimize.minimize(rosenbrock, x, method="Nelder-Mead").x

    np.testing.assert_allclose(pyxla.compile(inside)(START), inside(START), rtol=1e-9)


def test_an_integrator_of_scipy_is_compiled_inside() -> None:
    def inside(y: Any, k: float) -> Any:
        found = integrate.solve_ivp(lambda t, y: np.array([y[1], -k * y[0]]), (0.0, 5.0), y)
        return found.t, found.y, found.success, found.message, found.nfev

    given = np.array([1.0, 0.0]), 0.5
    got, expected = pyxla.compile(inside)(*given), inside(*given)
    np.testing.assert_allclose(got[0], expected[0], rtol=1e-9)
    np.testing.assert_allclose(got[1], expected[1], rtol=1e-9)
    assert got[2:] == expected[2:]


class Tensor:
    """An array of another library."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **how: Any) -> Any:
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_arrays_of_others_are_refused_with_the_remedy() -> None:
    double = pyxla.compile(lambda x: x * 2)
    inner = pyxla.compile(lambda x: x[0] * 2)
    for function, given in ((double, Tensor(np.ones(3))), (inner, [Tensor(np.ones(3))])):
        with pytest.raises(pyxla.CompileError, match="an array of another library") as caught:
            function(given)
        assert "np.from_dlpack" in caught.value.hint
    np.testing.assert_array_equal(double(np.from_dlpack(Tensor(np.ones(3)))), [2, 2, 2])


@pytest.mark.parametrize("package", ["flax", "equinox"])
def test_programs_of_the_page(package: str, tmp_path: Path) -> None:
    """Skipped where the package is not installed: none of them is needed by pyxla."""
    for name in (package, "optax"):
        pytest.importorskip(name)
    (text,) = [program for program in PROGRAMS if f"import {package}" in program]
    path = tmp_path / f"with_{package}.py"
    path.write_text(text)
    found = runpy.run_path(str(path))
    if package == "flax":
        assert (
            found["steps"] < 199
            and float(found["loss"](*map(found.get, "params x y".split()))) < 1e-3
        )
    else:
        before, after = found["model"](np.ones(2, "f")), found["trained"]
        after = found["equinox"].combine(after, found["rest"])(np.ones(2, "f"))
        assert abs(after[0]) < 0.1 * abs(before[0])


def test_checkpoints_of_the_page(tmp_path: Path) -> None:
    """On eight devices, from a checkpoint that one wrote."""
    pytest.importorskip("orbax.checkpoint")
    (text,) = [program for program in PROGRAMS if "import orbax" in program]
    path = tmp_path / "with_orbax.py"
    path.write_text(text)
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=8", "PYTHONPATH": os.getcwd()}
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, env={**os.environ, **flags}
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1e-9


def test_optimizers_of_optax() -> None:
    optax = pytest.importorskip("optax")
    x = {"w": np.arange(3.0), "b": np.float64(2.0)}
    kinds = [
        optax.sgd(0.1, momentum=0.9),
        optax.adamw(1e-2),
        optax.chain(optax.clip_by_global_norm(1.0), optax.rmsprop(1e-2)),
        optax.adam(optax.cosine_decay_schedule(1e-2, 10)),
    ]

    def slopes(p: Any) -> Any:
        return {"w": 2 * (p["w"] - 1), "b": 2 * p["b"]}

    for optimizer in kinds:

        def descend(p: Any, steps: int, optimizer: Any = optimizer) -> Any:
            state = optimizer.init(p)
            for _ in range(steps):
                updates, state = optimizer.update(slopes(p), state, p)
                p = optax.apply_updates(p, updates)
            return p

        found, expected = pyxla.compile(descend)(x, 4), descend(x, 4)
        for name in x:
            np.testing.assert_allclose(found[name], expected[name], rtol=1e-5)
