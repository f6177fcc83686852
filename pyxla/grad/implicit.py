"""Solutions of equations, differentiated by the implicit function theorem.

    x = f(x, p)       dx = (1 - A)^-1 B dp,  A = df/dx, B = df/dp       `fixed_point`
    0 = f(x, p)       dx = -A^-1 B dp                                   `root`

Neither derivative goes back through the iterations that found x: their cost and memory do not
depend on how many there were.  These are functions of the compiled language themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.api import compile  # noqa: A004
from pyxla.grad.api import jacfwd, jvp, vjp
from pyxla.grad.custom import custom_vjp


def _precision(x: Any, tolerance: Any) -> Any:
    return 8 * np.finfo(np.asarray(x).dtype).eps if tolerance is None else tolerance


def _far(x: Any, y: Any, tolerance: Any) -> Any:
    """Whether x and y differ by more than the tolerance, relative to y."""
    return np.max(np.abs(x - y)) > tolerance * (1 + np.max(np.abs(y)))


def _repeat(step: Callable[[Any], Any], x: Any, tolerance: Any, max_steps: Any) -> Any:
    """step(step(...step(x))) until it does not change."""
    new = step(x)
    count = 1
    while _far(x, new, _precision(new, tolerance)) and count < max_steps:
        x = new
        new = step(x)
        count += 1
    return new


# --- fixed points -----------------------------------------------------------------------------


@custom_vjp
def _fixed_point(f: Any, tolerance: Any, max_steps: Any, x0: Any, params: Any) -> Any:
    return _repeat(lambda x: f(x, *params), x0, tolerance, max_steps)


_fixed_point.nondiff_argnums = (0, 1, 2)


def _fixed_ahead(f: Any, tolerance: Any, max_steps: Any, primals: Any, tangents: Any) -> Any:
    x0, params = primals
    _, along = tangents
    x = _fixed_point(f, tolerance, max_steps, x0, params)
    _, direct = jvp(lambda *p: f(x, *p), params, along)

    def step(t: Any) -> Any:
        return direct + jvp(lambda y: f(y, *params), (x,), (t,))[1]

    return x, _repeat(step, direct, tolerance, max_steps)


def _fixed_fwd(f: Any, tolerance: Any, max_steps: Any, x0: Any, params: Any) -> Any:
    x = _fixed_point(f, tolerance, max_steps, x0, params)
    return x, (x, params)


def _fixed_bwd(f: Any, tolerance: Any, max_steps: Any, residuals: Any, ct: Any) -> Any:
    x, params = residuals
    _, pull = vjp(lambda y: f(y, *params), x)
    total = _repeat(lambda u: ct + pull(u)[0], ct, tolerance, max_steps)
    _, pull_params = vjp(lambda *p: f(x, *p), *params)
    return None, pull_params(total)


_fixed_point.jvp = _fixed_ahead
_fixed_point.defvjp(_fixed_fwd, _fixed_bwd)


@compile
def fixed_point(
    f: Any, x0: Any, *params: Any, tolerance: Any = None, max_steps: Any = 10_000
) -> Any:
    """The x with `x == f(x, *params)`, an array or a number, by repeating f from x0.

    f must contract near x.  It stops when a step changes no element by more than `tolerance`
    relative to the largest (None: what the dtype resolves), or after `max_steps`.  The derivatives
    by `params`, which may be any tree, are those of the solution; by x0 they are zero.  What `f`
    captures counts as constant: pass what is differentiated by in `params`.

    >>> import pyxla
    >>> solution = lambda a: pyxla.fixed_point(lambda x, a: (x + a / x) / 2, 1.0, a)
    >>> float(solution(4.0)), float(pyxla.grad(solution)(4.0))
    (2.0, 0.25)
    """
    return _fixed_point(f, tolerance, max_steps, x0, params)


# --- roots ------------------------------------------------------------------------------------


def _solve(matrix: Any, x: Any) -> Any:
    """matrix^-1 x, for x of any shape."""
    if np.ndim(x) == 0:
        return x / matrix
    flat = np.reshape(matrix, (x.size, x.size))
    return np.linalg.solve(flat, np.reshape(x, (x.size,))).reshape(x.shape)


def _transposed(matrix: Any, x: Any) -> Any:
    if np.ndim(x) == 0:
        return matrix
    return np.reshape(matrix, (x.size, x.size)).T


@custom_vjp
def _root(f: Any, tolerance: Any, max_steps: Any, x0: Any, params: Any) -> Any:
    def step(x: Any) -> Any:
        return x - _solve(jacfwd(f)(x, *params), f(x, *params))

    return _repeat(step, x0, tolerance, max_steps)


_root.nondiff_argnums = (0, 1, 2)


def _root_ahead(f: Any, tolerance: Any, max_steps: Any, primals: Any, tangents: Any) -> Any:
    x0, params = primals
    _, along = tangents
    x = _root(f, tolerance, max_steps, x0, params)
    _, direct = jvp(lambda *p: f(x, *p), params, along)
    return x, -_solve(jacfwd(f)(x, *params), direct)


def _root_fwd(f: Any, tolerance: Any, max_steps: Any, x0: Any, params: Any) -> Any:
    x = _root(f, tolerance, max_steps, x0, params)
    return x, (x, params)


def _root_bwd(f: Any, tolerance: Any, max_steps: Any, residuals: Any, ct: Any) -> Any:
    x, params = residuals
    total = -_solve(_transposed(jacfwd(f)(x, *params), x), ct)
    _, pull = vjp(lambda *p: f(x, *p), *params)
    return None, pull(total)


_root.jvp = _root_ahead
_root.defvjp(_root_fwd, _root_bwd)


@compile
def root(f: Any, x0: Any, *params: Any, tolerance: Any = None, max_steps: Any = 100) -> Any:
    """The x with `f(x, *params) == 0`, an array or a number, by Newton's method from x0.

    f(x) has the shape of x.  It stops when a step changes no element by more than `tolerance`
    relative to the largest (None: what the dtype resolves), or after `max_steps`.  Derivatives are
    as those of `fixed_point`; each solves one linear system of the size of x.  CompileError where
    f(x) has another shape than x.

    >>> import pyxla
    >>> square_root = lambda a: pyxla.root(lambda x, a: x * x - a, 1.0, a)
    >>> float(square_root(4.0)), float(pyxla.grad(square_root)(4.0))
    (2.0, 0.25)
    """
    return _root(f, tolerance, max_steps, x0, params)
