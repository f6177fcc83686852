"""Derivatives that users state: `custom_jvp`, `custom_vjp`; `checkpoint` and `stop_gradient`.

A call of such a function in compiled code is a scope (`pyxla.ops.scope`): its code, and the code of
its rules beside it, visited on the spot.  A rule may call the function again, so that how deep
rules of rules go is limited by how often derivatives are taken (`Engine.orders`).
"""

from __future__ import annotations

import copy
import functools
import inspect
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pyxla.abstract.lattice import Compound, Const, Tuple, is_none
from pyxla.errors import in_program
from pyxla.grad.nested import Nested, finish, visit
from pyxla.grad.transforms import Inputs, copies_of, match, picked
from pyxla.grad.trees import Leaf, Tree, flatten, flatten_all, leaves, like, rebuild, value_of
from pyxla.infer.engine import Engine
from pyxla.ir.build import Builder, building, current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import substitute
from pyxla.lib.registry import RULES, Implementation
from pyxla.ops.filled import zeros
from pyxla.ops.scope import Rule, scope
from pyxla.ops.scope import stop_gradient as stop


class Wrapped:
    """Outside compiled code, just the function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.__pyxla_function__ = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__pyxla_function__(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)


class Custom(Wrapped):
    """A function with a derivative of its own; called outside compiled code, just the function.

    nondiff_argnums: positions of arguments that are not differentiated; rules get them first.
    """

    __name__: str

    def __init__(
        self, function: Callable[..., Any], nondiff_argnums: int | Iterable[int] = ()
    ) -> None:
        super().__init__(function)
        given = (nondiff_argnums,) if isinstance(nondiff_argnums, int) else nondiff_argnums
        self.nondiff_argnums = tuple(given)
        self.jvp: Callable[..., Any] | None = None
        self.vjp: tuple[Callable[..., Any], Callable[..., Any]] | None = None

    def __pyxla_inline__(self, engine: Engine, args: Any, kwargs: Any) -> Any:
        return _Call(engine, self, self._positional(engine, args, kwargs)).emit()

    def _positional(self, engine: Engine, args: Any, kwargs: Any) -> list[Any]:
        """All arguments by position, defaults included."""
        if not kwargs and len(args) == len(inspect.signature(self.__pyxla_function__).parameters):
            return list(args)
        try:
            bound = inspect.signature(self.__pyxla_function__).bind(*args, **kwargs)
        except TypeError as error:
            raise engine.refuse(f"{self.__name__}() {error}") from error
        given = set(bound.arguments)
        bound.apply_defaults()
        if bound.kwargs:
            raise engine.refuse(
                f"'{self.__name__}', which has its own derivative, has arguments by name only",
                "let it take them by position",
            )
        values = []
        for name, parameter in bound.signature.parameters.items():
            value = bound.arguments[name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                values += value
            else:
                values.append(value if name in given else engine.captures.abstract(engine, value))
        return values


class custom_jvp(Custom):  # noqa: N801 - JAX's name
    """A function whose derivative is stated forwards; it serves both ways.

    The rule takes the arguments in nondiff_argnums, if any, the primals and their tangents, and
    returns the result and its tangent, which is linear in the tangents.

    >>> import pyxla, numpy as np
    >>> @pyxla.custom_jvp
    ... def log1pexp(x):
    ...     return np.log(1 + np.exp(x))
    >>> @log1pexp.defjvp
    ... def log1pexp_jvp(primals, tangents):
    ...     return log1pexp(*primals), tangents[0] * (1 - 1 / (1 + np.exp(primals[0])))
    >>> float(pyxla.grad(log1pexp)(0.0))
    0.5
    """

    def defjvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        self.jvp = rule
        return rule

    def defjvps(self, *rules: Callable[..., Any] | None) -> None:
        """One rule for each argument: rule(tangent, result, *arguments), None for zero."""
        given = [rule for rule in rules if rule is not None]
        which = [k for k, rule in enumerate(rules) if rule is not None]
        function = self

        def jvp(primals: Any, tangents: Any) -> Any:
            result = function(*primals)
            total = given[0](tangents[which[0]], result, *primals)
            for rule, k in list(zip(given, which, strict=True))[1:]:
                total = total + rule(tangents[k], result, *primals)
            return result, total

        self.jvp = jvp


class custom_vjp(Custom):  # noqa: N801 - JAX's name
    """A function whose derivative is stated backwards.

    The first rule takes all arguments and returns the result and what the second needs; that takes
    the arguments in nondiff_argnums, if any, the residuals and the cotangent of the result, and
    returns a tuple of the cotangents of the arguments, None for zero.

    >>> import pyxla, numpy as np
    >>> @pyxla.custom_vjp
    ... def clipped(x, largest):
    ...     return x
    >>> def forwards(x, largest):
    ...     return x, largest
    >>> def backwards(largest, ct):
    ...     return np.clip(ct, -largest, largest), None
    >>> clipped.defvjp(forwards, backwards)
    >>> pyxla.grad(lambda x: np.sum(clipped(x, 1.0) ** 2))(np.array([0.25, 3.0]))
    array([0.5, 1. ])
    """

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        self.vjp = fwd, bwd


class _Call:
    """A call of a function with its own derivative."""

    def __init__(self, engine: Engine, custom: Custom, args: list[Any]) -> None:
        self.engine = engine
        self.custom = custom
        self.trees = flatten_all(engine, args, apart=True)
        fixed = {n % max(len(args), 1) for n in custom.nondiff_argnums}
        self.fixed = [k for k in range(len(args)) if k in fixed]
        self.free = [k for k in range(len(args)) if k not in fixed]

    def inputs(self) -> Inputs:
        """The arguments, with parameters of their own."""
        given = Inputs(self.engine, self.trees, (), {})
        given.vary(self.free)
        return given

    def emit(self) -> Any:
        engine, custom = self.engine, self.custom
        given = self.inputs()
        nested = given.visited(Const(custom.__pyxla_function__))
        self.results = [x for x in leaves(nested.result) if nested.index(x) is not None]
        for leaf in self.results:
            if getattr(leaf.value, "extents", None) is not None:
                raise engine.refuse(
                    f"'{custom.__name__}', which has its own derivative, returns an array whose "
                    "size depends on data"
                )
        region, width = nested.region, len(nested.at)
        values = tuple([region.results[nested.index(leaf)] for leaf in self.results])
        primal = Region(region.params, region.instrs, (*region.results, *values))
        regions = [primal]
        engine.orders -= 1
        try:
            if engine.orders >= 0 and custom.jvp is not None:
                regions.append(self.ahead(nested, custom.jvp))
            if engine.orders >= 0 and custom.vjp is not None:
                regions += self.back(nested, *custom.vjp)
        finally:
            engine.orders += 1
        known = len(regions) > 1
        which = tuple(range(width, width + len(values)))
        jvp, vjp = known and custom.jvp is not None, known and custom.vjp is not None
        rule = Rule("custom", custom.__name__, which, jvp, vjp)
        # Refusals of its derivatives come later, when nobody knows any more who called whom.
        current().loc = in_program(engine.loc, engine.chain())[0]
        made = scope(*given.values(), regions=tuple(regions), rule=rule)
        apart = dict(zip(self.results, made[width:], strict=True))
        return finish(engine, nested, made, apart).result

    def ahead(self, nested: Nested, rule: Callable[..., Any]) -> Region:
        """The region of a forward rule."""
        given = self.inputs()
        tangents = {leaf: Value(leaf.type) for leaf in given.params}

        def call() -> Any:
            primals = [rebuild(self.engine, tree, given.leaf) for tree in self.trees]
            along = [rebuild(self.engine, self.trees[k], picked(tangents)) for k in self.free]
            pair = Tuple(tuple([primals[k] for k in self.free])), Tuple(tuple(along))
            fixed = [primals[k] for k in self.fixed]
            return self.engine.rules.call(self.engine, Const(rule), [*fixed, *pair], {})

        params = [*given.params.values(), *tangents.values()]
        made = self.visit(params, call)
        result, tangent = self.parts(made, rule, "(result, tangent)")
        return self.region(
            made, lambda: [*self.values(nested, result), *self.tangents(nested, tangent)]
        )

    def back(
        self, nested: Nested, fwd: Callable[..., Any], bwd: Callable[..., Any]
    ) -> tuple[Region, Region]:
        """The regions of a reverse rule."""
        engine = self.engine
        given = self.inputs()
        ahead = self.visit(list(given.params.values()), lambda: given.call(Const(fwd)))
        result, residual = self.parts(ahead, fwd, "(result, residuals)")
        kept = {x: Value(x.type) for x in leaves(residual) if ahead.index(x) is not None}
        cts = {leaf: Value(leaf.type) for leaf in self.results if leaf.inexact}

        def call() -> Any:
            saved = rebuild(engine, residual, lambda x: like(x, kept[x]) if x in kept else x.value)
            ct = rebuild(engine, nested.result, picked(cts))
            fixed = [rebuild(engine, self.trees[k], lambda x: x.value) for k in self.fixed]
            return engine.rules.call(engine, Const(bwd), [*fixed, saved, ct], {})

        made = self.visit([*kept.values(), *cts.values()], call)
        first = self.region(ahead, lambda: [*self.values(nested, result), *map(value_of, kept)])
        return first, self.region(made, lambda: self.cotangents(made.result, given, bwd))

    def visit(self, params: Sequence[Value], call: Callable[[], Any]) -> Nested:
        with self.engine.unchecked():  # a rule has nobody to tell
            made = visit(self.engine, params, call)
        if made.result is None or made.status is not None:
            raise self.engine.refuse(
                f"the derivative rule of '{self.custom.__name__}' raises",
                "raise in the function itself",
            )
        return made

    def parts(self, made: Nested, rule: Any, what: str) -> tuple[Tree, Tree]:
        tree: Any = made.result
        if isinstance(getattr(tree, "content", None), Tuple) and len(tree.items) == 2:
            return tree.items
        raise self.engine.refuse(f"{rule.__name__}, a derivative rule, must return {what}")

    def region(self, made: Nested, values: Callable[[], Sequence[Value]]) -> Region:
        """The region of a rule with these results; what is emitted to make them comes last."""
        last: list[Instr] = []
        with building(Builder(last)):
            results = values()
        now = {value: made.region.results[k] for value, k in made.at.items()}
        substitute(last, now)
        code = [*made.region.instrs, *last]
        return Region(made.region.params, code, tuple([now.get(v, v) for v in results]))

    def values(self, nested: Nested, tree: Tree) -> Sequence[Value]:
        """The results of the function as a rule gives them."""
        found: dict[Leaf, Value] = {}
        match(self.engine, nested.result, tree, found, lambda leaf: leaf in self.results)
        return [found[leaf] for leaf in self.results]

    def tangents(self, nested: Nested, tree: Tree) -> Sequence[Value]:
        found: dict[Leaf, Value] = {}
        match(self.engine, nested.result, tree, found)
        return [found[leaf] for leaf in self.results if leaf.inexact]

    def cotangents(self, tree: Any, given: Inputs, rule: Any) -> Sequence[Value]:
        items = tree.items if isinstance(getattr(tree, "content", None), Tuple) else (tree,)
        if len(items) != len(self.free):
            raise self.engine.refuse(
                f"{rule.__name__}, a derivative rule, must return {len(self.free)} cotangents, "
                f"not {len(items)}"
            )
        found: dict[Leaf, Value] = {}
        for k, item in zip(self.free, items, strict=True):
            if not (isinstance(item, Leaf) and is_none(item.value)):
                match(self.engine, self.trees[k], item, found)
        return [found.get(leaf) or zeros(leaf.type) for leaf in given.params]


# --- checkpoints and stopped gradients --------------------------------------------------------


class Checkpointed(Wrapped):
    """See `checkpoint`."""

    def __pyxla_inline__(self, engine: Engine, args: Any, kwargs: Any) -> Any:
        return _checkpointed(engine, (Const(self.__pyxla_function__),), args, kwargs)


def checkpoint(function: Callable[..., Any]) -> Any:
    """`function`, of which a reverse derivative keeps the arguments only and computes it again.

    Less memory for more time.  It works on copies of its arguments.

    >>> import pyxla, numpy as np
    >>> layer = pyxla.checkpoint(lambda x: np.sin(np.sin(x)))
    >>> float(pyxla.grad(layer)(0.0))
    1.0
    """
    return Checkpointed(function)


def _checkpointed(engine: Engine, items: Any, args: Any, kwargs: Any) -> Any:
    (function,) = items
    nested = copies_of(engine, args, kwargs).visited(function)
    made = scope(regions=(nested.region,), rule=Rule("checkpoint"))
    return finish(engine, nested, made).result


def stop_gradient(x: Any) -> Any:
    """A copy of `x`, an array, a number or a container of them, as if it were constant.

    >>> import pyxla
    >>> pyxla.grad(lambda x: x * pyxla.stop_gradient(x))(3.0)
    3.0
    """
    return copy.deepcopy(x)


def _checkpoint(engine: Engine, function: Any) -> Any:
    return Compound("transformed", (function,), _checkpointed)


def _stop_gradient(engine: Engine, x: Any) -> Any:
    def leaf(leaf: Leaf) -> Any:
        if not leaf.inexact or isinstance(leaf.value, Const):
            return leaf.value
        return like(leaf, stop(value_of(leaf)))

    return rebuild(engine, flatten(engine, x), leaf)


RULES[checkpoint] = Implementation(_checkpoint, heap=True)
RULES[stop_gradient] = Implementation(_stop_gradient, heap=True)
