"""Other ways to run a program, which must give what the call of a compiled function gives.

    eager     the ops of its region evaluated by NumPy, without XLA
    ahead     specialized by the types of its arguments, then called
    artifact  written to a file and loaded
    jax       on `jax.Array`s, where the program does not write to its arguments
    jit       inside `jax.jit`, likewise

Each is a function of the text and of the native run; it gives the run, and what it is compared
with. `Skip` says why a program cannot be run that way.
"""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np

import pyxla
from pyxla.ops.evaluate import evaluate
from pyxla.runtime import jaxlink, sharing, signature
from tests.compare import difference
from tests.fuzz.running import Run, fresh, inputs, run


class Skip(Exception):  # noqa: N818 - no error
    """The program cannot be run in this way."""


# --- Without XLA ---------------------------------------------------------------------------------


def evaluated(program: Any, donated: int = 0, given_up: Any = ()) -> Callable[..., list[Any]]:
    """Stands for `jaxlink.jit`: the program's region, run by the NumPy meaning of its ops."""

    def call(*args: Any) -> list[Any]:
        given = [np.asarray(x, t.dtype) for x, t in zip(args[donated:], program.params)]
        with jaxlink.scoped():
            return [jax.numpy.asarray(x) for x in evaluate(program.region, given)]

    call._cache_size = lambda: 0  # there is no executable that could be kept
    return call


@contextlib.contextmanager
def evaluating() -> Iterator[None]:
    """Compiled functions are evaluated by NumPy here."""
    jit, jaxlink.jit = jaxlink.jit, evaluated
    try:
        yield
    finally:
        jaxlink.jit = jit


def eager(text: str, expected: Run) -> tuple[Run, Run]:
    namespace = fresh(text)
    with evaluating():
        return run(namespace, pyxla.compile(namespace["program"])), expected


# --- Ahead of time -------------------------------------------------------------------------------


def ahead(text: str, expected: Run) -> tuple[Run, Run]:
    namespace = fresh(text)
    function = pyxla.compile(namespace["program"])
    function.specialize(*inputs(namespace, 0))
    return run(namespace, function), expected


def holds_instances(x: Any) -> bool:
    if isinstance(x, tuple | list):
        return any(map(holds_instances, x))
    if isinstance(x, dict):
        return any(map(holds_instances, x.values()))
    return dataclasses.is_dataclass(x) or callable(x)


def artifact(text: str, expected: Run) -> tuple[Run, Run]:
    """Loaded programs hold captures by value, and give other instances than the program's."""
    if "TABLE" in text:
        raise Skip("a global array")
    if holds_instances(expected.result):
        raise Skip("instances among the results")
    namespace = fresh(text)
    if sharing.memory(signature.flatten(inputs(namespace, 0))[1]).groups:
        raise Skip("arguments that share memory")
    function = pyxla.compile(namespace["program"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.pyxla")
        pyxla.build(function, *inputs(namespace, 0), path=path)
        loaded = pyxla.load(path)
    actual = run(namespace, loaded)
    if type(actual.result) is type(expected.result) and "would raise" in str(actual.result):
        raise Skip("what is raised by itself, of which a file knows the class only")
    return actual, expected


# --- JAX -----------------------------------------------------------------------------------------


def as_jax(x: Any) -> Any:
    return jax.numpy.array(x) if isinstance(x, np.ndarray) else x


def as_numpy(x: Any) -> Any:
    """A result without what the arguments decide: whether arrays are JAX's."""
    if isinstance(x, jax.Array | np.generic):
        return np.asarray(x)
    if isinstance(x, tuple | list):
        return type(x)([as_numpy(item) for item in x])
    if isinstance(x, dict):
        return {key: as_numpy(item) for key, item in x.items()}
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return dataclasses.replace(x, **as_numpy(vars(x)))
    return x


def immutable(text: str, expected: Run) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """The program's globals, and its arguments, JAX's arrays where it does not write to them."""
    namespace = fresh(text)
    arguments = inputs(namespace, 0)
    if "TABLE" in text:
        raise Skip("a global array")
    if holds_instances(expected.result) or isinstance(expected.result, Exception):
        raise Skip("instances or an exception")
    if sharing.memory(signature.flatten(arguments)[1]).groups:
        raise Skip("arguments that share memory")
    pairs = zip(arguments, expected.arguments, strict=True)
    given = tuple([x if difference(x, y) else as_jax(x) for x, y in pairs])
    if not any(isinstance(x, jax.Array) for x in given):
        raise Skip("the program writes to what it is given")
    return namespace, given


def on_jax(text: str, expected: Run, call: Callable[..., Any]) -> tuple[Run, Run]:
    """A run of `call(namespace, arguments)`, and what it should give."""
    with jax.enable_x64(True):
        namespace, arguments = immutable(text, expected)
        try:
            result = call(namespace, arguments)
        except pyxla.CompileError as error:
            raise Skip(error.message) from error
    after = tuple(map(as_numpy, arguments))
    seen = Run(as_numpy(result), after, None)
    return seen, Run(as_numpy(expected.result), tuple(map(as_numpy, expected.arguments)), None)


def with_jax(text: str, expected: Run) -> tuple[Run, Run]:
    def call(namespace: dict[str, Any], arguments: tuple[Any, ...]) -> Any:
        return pyxla.compile(namespace["program"])(*arguments)

    return on_jax(text, expected, call)


def inside_jit(text: str, expected: Run) -> tuple[Run, Run]:
    """Arrays and floats are traced; all else is constant there."""

    def call(namespace: dict[str, Any], arguments: tuple[Any, ...]) -> Any:
        function = pyxla.compile(namespace["program"])
        traced = {
            i: x for i, x in enumerate(arguments) if isinstance(x, jax.Array) or type(x) is float
        }
        seen = types.SimpleNamespace(static=None)

        def inside(arrays: dict[int, Any]) -> Any:
            given = [arrays.get(i, x) for i, x in enumerate(arguments)]
            result = function(*given)
            leaves, seen.static = jax.tree.flatten(result)
            return leaves

        try:
            leaves = jax.jit(inside)(traced)
        except TypeError as error:
            raise Skip("a result that JAX does not trace") from error
        return jax.tree.unflatten(seen.static, leaves)

    seen, wanted = on_jax(text, expected, call)
    return dataclasses.replace(seen, result=numbers_too(seen.result)), dataclasses.replace(
        wanted, result=numbers_too(wanted.result)
    )


def numbers_too(x: Any) -> Any:
    """Python's numbers are arrays for JAX, of the widest kind that they may have."""
    if isinstance(x, tuple | list):
        return type(x)([numbers_too(item) for item in x])
    if isinstance(x, dict):
        return {key: numbers_too(item) for key, item in x.items()}
    if isinstance(x, np.ndarray) and not x.ndim and x.dtype.kind in "biuf":
        x = float(x)
    return np.asarray(x, float if isinstance(x, bool | int) else None) if is_python(x) else x


def is_python(x: Any) -> bool:
    return isinstance(x, bool | int | float | complex)


WAYS: dict[str, Callable[[str, bool, Run], tuple[Run, Run]]] = {
    "eager": eager,
    "ahead": ahead,
    "artifact": artifact,
    "jax": with_jax,
    "jit": inside_jit,
}
