"""`functional` and `checked`: what a function writes and raises, as results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyxla.grad.emitting import inline
from pyxla.grad.nested import visit
from pyxla.grad.transforms import inputs
from pyxla.grad.trees import Leaf, flatten, graft, moved, placed, rebuild
from pyxla.infer.engine import Engine
from pyxla.infer.lattice import Const, Tuple
from pyxla.lib.operands import weak


@dataclass(frozen=True, slots=True)
class Functional:
    """arguments -> (result, the arguments as the function left them)."""

    name = "functional"

    def __call__(self, engine: Engine, items: Any, args: Any, kwargs: Any) -> Any:
        (function,) = items

        def leaf(x: Leaf) -> Any:
            return placed(engine, x.value) if x.cell else x.value

        # JAX's arrays become NumPy's, which mutate.
        copies = [graft(engine, flatten(engine, x), leaf) for x in (*args, *kwargs.values())]
        named = dict(zip(kwargs, copies[len(args) :], strict=True))
        result = engine.rules.call(engine, function, copies[: len(args)], named)
        return Tuple((result, Tuple(tuple(copies))))


@dataclass(frozen=True, slots=True)
class Checked:
    """arguments -> (status, result)."""

    name = "checked"

    def __call__(self, engine: Engine, items: Any, args: Any, kwargs: Any) -> Any:
        (function,) = items
        given = inputs(engine, args, kwargs)
        nested = visit(engine, (), lambda: given.call(function))
        made = inline(nested.region, (), {})
        now = {value: made[k] for value, k in nested.at.items()}

        def leaf(x: Leaf) -> Any:
            return moved(x, now.__getitem__)

        nested.keep(engine, leaf)
        status = Const(0) if nested.status is None else weak(now[nested.status], int)
        if nested.result is None:
            return Tuple((status, Const(None)))
        result = rebuild(engine, nested.result, leaf)
        return Tuple((status, result))
