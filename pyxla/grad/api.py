"""Derivatives of Python functions: `grad`, `jvp`, `vjp`, `jacfwd` and their like.

They take any function that `pyxla.compile` takes, compiled or not, or one of their own results, and
give a function that is called like it, outside compiled functions and inside them.  The function
works on copies: nothing is written to the caller's arrays.  Complex numbers as in JAX: the gradient
of a real function of z = x + iy is df/dx - i df/dy.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterable, Sequence
from types import MethodType
from typing import Any, ParamSpec, cast

import pyxla.grad.programs  # noqa: F401 - derivatives of programs, for JAX
from pyxla.abstract.lattice import Compound, Const
from pyxla.api import Compiled
from pyxla.errors import CompileError
from pyxla.frozen import Itself
from pyxla.grad.effects import Checked, Functional
from pyxla.grad.jacobians import Jacobian
from pyxla.grad.transforms import (
    Argnums,
    Backward,
    Copying,
    Forward,
    Gradient,
    Linear,
    Pulled,
)
from pyxla.infer.engine import Engine
from pyxla.lib.registry import RULES, Implementation
from pyxla.options import DEFAULTS
from pyxla.typed import Function

P = ParamSpec("P")


class Transformed:
    """`function` under a transformation (`pyxla.grad.transforms`): what a `Derived` compiles."""

    def __init__(self, function: Callable[..., Any], transformation: Any) -> None:
        mine: Any = self
        functools.update_wrapper(mine, root(function), updated=())
        self.__pyxla_function__ = function
        self.transformation = transformation

    def __pyxla_inline__(self, engine: Engine, args: Any, kwargs: Any) -> Any:
        return self.transformation(engine, (Const(self.__pyxla_function__),), args, kwargs)


class Derived(Compiled):
    """A transformed function, compiled on first call for each signature."""

    def __init__(self, function: Callable[..., Any], transformation: Any) -> None:
        super().__init__(
            cast(Any, Transformed(function, transformation)),
            function.options if isinstance(function, Compiled) else DEFAULTS,
        )

    def __repr__(self) -> str:
        made: Any = self.__pyxla_function__
        return f"<pyxla.{made.transformation.name} of {self.__qualname__}>"

    def __reduce__(self) -> Any:
        made: Any = self.__pyxla_function__
        return Derived, (made.__pyxla_function__, made.transformation)


def root(function: Any) -> Callable[..., Any]:
    """The function that is transformed, in the end."""
    while hasattr(function, "__pyxla_function__") and not isinstance(function, MethodType):
        function = function.__pyxla_function__
    if not callable(function):
        raise CompileError(f"a function is needed, not {type(function).__name__}")
    return function


@functools.lru_cache(maxsize=256)
def _derived(key: Any, transformation: Any) -> Derived:
    return Derived(key.value if type(key) is Itself else key, transformation)


def derived(function: Callable[P, Any], transformation: Any) -> Function[P, Any]:
    """`function` under a transformation, which is compiled once, however often it is asked for."""
    key: Any = function if type(function) is MethodType else Itself(function)
    try:  # a bound method is another object each time
        made = _derived(key, transformation)
    except TypeError:  # what the transformation is told has no hash
        made = Derived(function, transformation)
    return cast("Function[P, Any]", made)


def _argnums(argnums: Any) -> Argnums:
    if isinstance(argnums, int | str):
        return argnums
    which = tuple(argnums) if isinstance(argnums, Iterable) else (argnums,)
    if not all(isinstance(n, int | str) for n in which):
        raise CompileError(
            f"argnums are positions and names of arguments, not {argnums!r}",
            hint="pass an int, a str, or a tuple of these",
        )
    return which


def _gradient(argnums: Argnums | Sequence[int | str], has_aux: bool, with_value: bool) -> Gradient:
    return Gradient(_argnums(argnums), bool(has_aux), with_value)


def grad(
    function: Callable[P, Any],
    argnums: Argnums | Sequence[int | str] = 0,
    has_aux: bool = False,
) -> Function[P, Any]:
    """The function that returns the gradient of a scalar `function` by arguments `argnums`.

    argnums: positions or names.  The gradient has the form, shapes and dtypes of the argument;
    several arguments give a tuple.  `has_aux`: the function returns (value, aux), its gradient
    (gradient, aux).  CompileError where the result is no real scalar, or the argument no float.

    >>> import pyxla, numpy as np
    >>> pyxla.grad(lambda x, n: np.sum(x**n))(np.array([1.0, 2.0]), 3)
    array([ 3., 12.])
    """
    return derived(function, _gradient(argnums, has_aux, False))


def value_and_grad(
    function: Callable[P, Any],
    argnums: Argnums | Sequence[int | str] = 0,
    has_aux: bool = False,
) -> Function[P, Any]:
    """As `grad`, but the function returns (value, gradient), or ((value, aux), gradient).

    >>> import pyxla
    >>> pyxla.value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """
    return derived(function, _gradient(argnums, has_aux, True))


def jvp(
    function: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: bool = False,
) -> Any:
    """`function(*primals)` and its derivative in the direction of the tangents, as a tuple.

    Tangents have the shapes and dtypes of the arguments.  `has_aux`: the function returns
    (value, aux), and aux comes last.  CompileError where there is not one tangent for each.

    >>> import pyxla
    >>> pyxla.jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0))
    (6.0, 3.0)
    """
    if not all(isinstance(given, tuple | list) for given in (primals, tangents)):
        raise CompileError(
            "jvp takes a tuple of arguments and a tuple of tangents",
            hint="write jvp(f, (x,), (t,)) for a function of one argument",
        )
    if len(primals) != len(tangents):
        raise CompileError("jvp needs a tangent for each argument")
    return derived(function, Forward(has_aux))(*primals, *tangents)


def vjp(function: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """`function(*primals)`, and the function from a cotangent of it to those of the arguments.

    Nothing is kept in between: outside compiled functions the second function computes the first
    again.  `has_aux`: the function returns (value, aux), and aux comes last.

    >>> import pyxla
    >>> value, pull = pyxla.vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> value, pull(1.0)
    (6.0, (3.0, 2.0))
    """
    result = derived(function, Copying())(*primals)
    pull = functools.partial(derived(function, Pulled(has_aux)), *copy.deepcopy(primals))
    return (result[0], pull, result[1]) if has_aux else (result, pull)


def linearize(function: Callable[..., Any], *primals: Any) -> Any:
    """`function(*primals)`, and the function from tangents of the arguments to that of it.

    >>> import pyxla
    >>> value, push = pyxla.linearize(lambda x: x * x, 3.0)
    >>> value, push(1.0), push(0.5)
    (9.0, 6.0, 3.0)
    """
    kept = copy.deepcopy(primals)
    ahead = derived(function, Forward())
    result = derived(function, Copying())(*primals)
    return result, lambda *tangents: ahead(*kept, *tangents)[1]


def jacfwd(
    function: Callable[P, Any],
    argnums: Argnums | Sequence[int | str] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Function[P, Any]:
    """The function that returns the Jacobian of `function` by arguments `argnums`, by columns.

    It costs one forward derivative for each element of the arguments.  Each array in the result is
    replaced by one of shape `(*result, *argument)`, several arguments give a tuple in its place.
    CompileError for complex arguments without `holomorphic`.

    >>> import pyxla, numpy as np
    >>> pyxla.jacfwd(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    return derived(function, Jacobian(True, _argnums(argnums), bool(has_aux), bool(holomorphic)))


def jacrev(
    function: Callable[P, Any],
    argnums: Argnums | Sequence[int | str] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Function[P, Any]:
    """As `jacfwd`, by rows: one reverse derivative for each element of the result.

    >>> import pyxla, numpy as np
    >>> pyxla.jacrev(lambda x: np.array([x[0] * x[1], x[1]]))(np.array([1.0, 2.0]))
    array([[2., 1.],
           [0., 1.]])
    """
    return derived(function, Jacobian(False, _argnums(argnums), bool(has_aux), bool(holomorphic)))


def hessian(
    function: Callable[P, Any],
    argnums: Argnums | Sequence[int | str] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Function[P, Any]:
    """The function that returns the second derivatives of a scalar `function`.

    The forward derivative of the reverse one, of shape `(*argument, *argument)`.

    >>> import pyxla, numpy as np
    >>> pyxla.hessian(lambda x: x[0] * x[1] ** 2)(np.array([1.0, 3.0]))
    array([[0., 6.],
           [6., 2.]])
    """
    inner = jacrev(function, argnums, has_aux, holomorphic)
    return jacfwd(inner, argnums, has_aux, holomorphic)


def functional(function: Callable[P, Any]) -> Function[P, Any]:
    """The function that returns (result, arguments), on copies of its arguments.

    The second is a tuple of all arguments, by position and then by name, as `function` left them:
    so what works by mutation can be transformed, or called under `jax.jit` and `jax.grad`.
    jax.Arrays count as NumPy arrays in it, which mutate.

    >>> import pyxla, numpy as np
    >>> def double(x):
    ...     x *= 2
    >>> x = np.ones(2)
    >>> pyxla.functional(double)(x), x
    ((None, (array([2., 2.]),)), array([1., 1.]))
    """
    return derived(function, Functional())


def checked(function: Callable[P, Any]) -> Function[P, Any]:
    """The function that returns (status, result) instead of raising, on copies of its arguments.

    status: an int, 0 where nothing is raised, else the number of the `raise` or `assert` in the
    order in which they are compiled; the result is of no use then.  It may be called under JAX's
    transformations.

    >>> import pyxla
    >>> def root(x):
    ...     if x < 0:
    ...         raise ValueError("negative")
    ...     return x**0.5
    >>> pyxla.checked(root)(4.0), pyxla.checked(root)(-4.0)[0]
    ((0, 2.0), 1)
    """
    return derived(function, Checked())


# --- during inference -------------------------------------------------------------------------


def _rule(target: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """What a call of `target` in compiled code does."""

    def register(rule: Callable[..., Any]) -> Callable[..., Any]:
        RULES[target] = Implementation(rule, heap=True)
        return rule

    return register


def transformed(transformation: Any, function: Any, *bound: Any) -> Compound:
    """An abstract function, transformed."""
    return Compound("transformed", (function, *bound), transformation)


@_rule(grad)
def _grad(
    engine: Engine, function: Any, argnums: Any = Const(0), has_aux: Any = Const(False)
) -> Any:
    return transformed(_static_gradient(engine, argnums, has_aux, False), function)


@_rule(value_and_grad)
def _value_and_grad(
    engine: Engine, function: Any, argnums: Any = Const(0), has_aux: Any = Const(False)
) -> Any:
    return transformed(_static_gradient(engine, argnums, has_aux, True), function)


def _static_gradient(engine: Engine, argnums: Any, has_aux: Any, with_value: bool) -> Gradient:
    return _gradient(
        engine.static(argnums, "argnums"), engine.static(has_aux, "has_aux"), with_value
    )


@_rule(jvp)
def _jvp(
    engine: Engine, function: Any, primals: Any, tangents: Any, has_aux: Any = Const(False)
) -> Any:
    given, along = engine.iterate(primals), engine.iterate(tangents)
    if len(given) != len(along):
        raise engine.refuse("jvp needs a tangent for each argument")
    forward = Forward(bool(engine.static(has_aux, "has_aux")))
    return forward(engine, (function,), [*given, *along], {})


@_rule(vjp)
def _vjp(engine: Engine, function: Any, *primals: Any, has_aux: Any = Const(False)) -> Any:
    backward = Backward(bool(engine.static(has_aux, "has_aux")))
    return backward(engine, (function,), list(primals), {})


@_rule(linearize)
def _linearize(engine: Engine, function: Any, *primals: Any) -> Any:
    return Linear()(engine, (function,), list(primals), {})


@_rule(jacfwd)
def _jacfwd(engine: Engine, function: Any, *args: Any, **options: Any) -> Any:
    return transformed(_static_jacobian(engine, True, *args, **options), function)


@_rule(jacrev)
def _jacrev(engine: Engine, function: Any, *args: Any, **options: Any) -> Any:
    return transformed(_static_jacobian(engine, False, *args, **options), function)


@_rule(hessian)
def _hessian(engine: Engine, function: Any, *args: Any, **options: Any) -> Any:
    return _jacfwd(engine, _jacrev(engine, function, *args, **options), *args, **options)


def _static_jacobian(
    engine: Engine,
    forward: bool,
    argnums: Any = Const(0),
    has_aux: Any = Const(False),
    holomorphic: Any = Const(False),
) -> Jacobian:
    which = _argnums(engine.static(argnums, "argnums"))
    flags = engine.static(has_aux, "has_aux"), engine.static(holomorphic, "holomorphic")
    return Jacobian(forward, which, *map(bool, flags))


@_rule(functional)
def _functional(engine: Engine, function: Any) -> Any:
    return transformed(Functional(), function)


@_rule(checked)
def _checked(engine: Engine, function: Any) -> Any:
    return transformed(Checked(), function)
