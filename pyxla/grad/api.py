"""`grad`, `value_and_grad`, `jvp`, `vjp`, `linearize`: derivatives of Python functions.

They take any function that `pyxla.compile` takes, compiled or not, or one of their own results, and
give a function that is called like it.  The function works on copies: nothing is written to the
caller's arrays.  Complex numbers as in JAX: the gradient of a real function of z = x + iy is
df/dx - i df/dy.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from pyxla.api import Compiled, Entry
from pyxla.errors import CompileError
from pyxla.grad import derive
from pyxla.grad.derive import Made
from pyxla.lower.simplify import simplify
from pyxla.options import DEFAULTS, Options
from pyxla.pipeline import Compilation, finished, outlined
from pyxla.runtime import signature as sig
from pyxla.specialize import Request

Argnums = int | str | Sequence[int | str]
# (specialization of the function, further arguments, keywords) -> its derivative
Transform = Callable[[Made, tuple[sig.Arg, ...], tuple[str, ...]], Made]


class Derived(Compiled):
    """A function made from another one's specializations.

    inner: the function or the derivative that is transformed.  split: how many of so many
    positional arguments it takes; the others are tangents or a cotangent.
    """

    def __init__(
        self,
        inner: Callable[..., Any],
        name: str,
        transform: Transform,
        split: Callable[[int], int] = lambda count: count,
    ) -> None:
        super().__init__(root(inner), _options(inner))
        self.inner = inner if isinstance(inner, Derived) else root(inner)
        self.__name__ = name
        self.transform = transform
        self.split = split

    def __repr__(self) -> str:
        return f"<pyxla.{self.__name__} of {self.__qualname__}>"

    def __pyxla_inline__(self, engine: Any, args: Any, kwargs: Any) -> Any:
        """What a call in compiled code does."""
        raise engine.refuse(
            f"pyxla.{self.__name__} is for functions outside compiled code so far",
            "compile the function that is differentiated, and call its derivative outside",
        )

    def _compile(self, described: tuple[sig.Arg, ...], names: tuple[str, ...], memory: Any) -> Any:
        count = len(described) - len(self._places)
        args, places = described[:count], described[count:]
        request = Request(self.__pyxla_function__, (), names, memory, self.options)
        made = _Derivation(request, tuple(self._places), self._demands.static)
        made.make(self, args, places)
        entry = Entry(made)
        entry.memory = made.writes
        return entry


class _Derivation(Compilation):
    """The compilation of a derivative: its typed stage is the root function's."""

    writes = False

    def make(
        self, derived: Derived, args: tuple[sig.Arg, ...], places: tuple[sig.Arg, ...]
    ) -> None:
        made = self.derivative(derived, args, places)
        typed = super().at("typed")
        self.products["typed"] = dataclasses.replace(typed, outcome=made.outcome)
        self.products["regions"] = finished(made.name, simplify(made.region))

    def derivative(
        self, function: Any, args: tuple[sig.Arg, ...], places: tuple[sig.Arg, ...]
    ) -> Made:
        names = self.request.names
        if isinstance(function, Derived):
            positional = function.split(len(args) - len(names))
            keywords = args[len(args) - len(names) :] if names else ()
            extra = args[positional : len(args) - len(names)]
            inner = self.derivative(function.inner, (*args[:positional], *keywords), places)
            return function.transform(inner, extra, names)
        self.request.args = _numbered((*args, *places))
        region = outlined(self)
        typed = super().at("typed")
        self.writes = bool(typed.outcome.writes)
        actual = [leaf.leaf for arg in (*args, *places) for leaf in derive.leaves(arg)]
        inputs = tuple([actual[leaf] for leaf in typed.outcome.inputs])
        outcome = dataclasses.replace(typed.outcome, inputs=inputs)
        return Made(typed.function.name, args, region, outcome)


def root(function: Any) -> Callable[..., Any]:
    """The Python function that is differentiated."""
    if isinstance(function, Compiled):
        return function.__pyxla_function__
    if not callable(function):
        raise CompileError(f"a function is needed, not {type(function).__name__}")
    return function


def _options(function: Any) -> Options:
    return function.options if isinstance(function, Compiled) else DEFAULTS


def _numbered(args: Sequence[Any]) -> tuple[Any, ...]:
    """The descriptions with their leaves numbered in order."""
    count = 0

    def visit(x: Any) -> Any:
        nonlocal count
        if isinstance(x, sig.ArgArray | sig.ArgScalar):
            count += 1
            return dataclasses.replace(x, leaf=count - 1)
        if isinstance(x, tuple) and type(x) is tuple:
            return tuple([visit(item) for item in x])
        parts = {
            sig.ArgTuple: ("items",),
            sig.ArgList: ("items",),
            sig.ArgPytree: ("items",),
            sig.ArgDict: ("values",),
            sig.ArgMethod: ("owner",),
        }.get(type(x), ())
        if isinstance(x, sig.ArgObject):
            return dataclasses.replace(x, fields=tuple([(n, visit(a)) for n, a in x.fields]))
        return dataclasses.replace(x, **{p: visit(getattr(x, p)) for p in parts}) if parts else x

    return tuple([visit(arg) for arg in args])


def _position(function: Any, which: int | str, count: int, names: tuple[str, ...]) -> int:
    """The position of an argument, of which the last are keywords `names`."""
    if isinstance(which, str):
        if which in names:
            return count - len(names) + names.index(which)
        parameters = list(inspect.signature(function).parameters)
        if which not in parameters:
            raise CompileError(f"argnums names {which!r}, which is no parameter")
        which = parameters.index(which)
    at = which + count if which < 0 else which
    if not 0 <= at < count - len(names):
        raise CompileError(f"argnums is {which}, but there are {count - len(names)} arguments")
    return at


def _gradient(function: Any, argnums: Argnums, has_aux: bool, with_value: bool, name: str) -> Any:
    single = isinstance(argnums, int | str)
    wanted = (argnums,) if single else tuple(argnums)

    def transform(made: Made, extra: tuple[sig.Arg, ...], names: tuple[str, ...]) -> Made:
        at = [_position(root(function), which, len(made.args), names) for which in wanted]
        return derive.gradient(made, at, single, has_aux, with_value)

    return Derived(function, name, transform)


def grad(function: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Any:
    """The function that returns the gradient of a scalar `function` by arguments `argnums`.

    The gradient has the form of the argument; several arguments give a tuple.  `has_aux`: the
    function returns (value, aux), its gradient (gradient, aux).
    """
    return _gradient(function, argnums, has_aux, False, "grad")


def value_and_grad(
    function: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Any:
    """As `grad`, but the function returns (value, gradient)."""
    return _gradient(function, argnums, has_aux, True, "value_and_grad")


def jvp(function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """(function(*primals), its derivative in the direction of the tangents)."""
    if len(primals) != len(tangents):
        raise CompileError("jvp needs a tangent for each argument")
    return forward(function)(*primals, *tangents)


@functools.lru_cache(maxsize=1024)
def forward(function: Any) -> Derived:
    """The function of arguments and as many tangents."""

    def transform(made: Made, extra: tuple[sig.Arg, ...], names: tuple[str, ...]) -> Made:
        return derive.forward(made, extra)

    return Derived(function, "jvp", transform, lambda count: count // 2)


@functools.lru_cache(maxsize=1024)
def backward(function: Any) -> Derived:
    """The function of arguments and a cotangent of the result."""

    def transform(made: Made, extra: tuple[sig.Arg, ...], names: tuple[str, ...]) -> Made:
        return derive.backward(made, extra)

    return Derived(function, "vjp", transform, lambda count: count - 1)


def vjp(function: Callable[..., Any], *primals: Any) -> Any:
    """(function(*primals), the function from a cotangent of the result to those of the arguments).

    Nothing is kept in between: the second function computes the first again.
    """
    pull = functools.partial(backward(function), *primals)
    return _compiled(function)(*primals), pull


def linearize(function: Callable[..., Any], *primals: Any) -> Any:
    """(function(*primals), the function from tangents of the arguments to that of the result)."""
    ahead = forward(function)
    return _compiled(function)(*primals), lambda *tangents: ahead(*primals, *tangents)[1]


@functools.lru_cache(maxsize=1024)
def _compiled(function: Any) -> Compiled:
    """The function on copies of its arguments."""

    def transform(made: Made, extra: tuple[sig.Arg, ...], names: tuple[str, ...]) -> Made:
        return derive.copying(made)

    return Derived(function, "copying", transform)
