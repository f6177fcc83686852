"""`functional` and `checked`: what a function writes and raises, as results."""

from __future__ import annotations

from typing import Any

from pyxla.abstract.lattice import Const, Tuple
from pyxla.frozen import dataclass
from pyxla.grad.nested import visit
from pyxla.grad.transforms import check_copies, copies_of
from pyxla.grad.trees import Copies, Leaf, Node, flatten_all, moved, rebuild
from pyxla.infer.engine import Engine
from pyxla.ir.rewrite import inline
from pyxla.lib.operands import weak
from pyxla.ops.sticky import flag


@dataclass(frozen=True, slots=True)
class Functional:
    """arguments -> (result, the arguments as the function left them)."""

    name = "functional"

    def __call__(self, engine: Engine, items: Any, args: Any, kwargs: Any) -> Any:
        (function,) = items
        # JAX's arrays become NumPy's, which mutate.
        trees = flatten_all(engine, (*args, *kwargs.values()), jax=False)
        whole, copies = Node(Tuple(()), tuple(trees)), Copies()
        given = rebuild(engine, whole, lambda leaf: leaf.value, copies)
        count = len(args)
        named = dict(zip(kwargs, given.items[count:], strict=True))
        pinned = engine.captures.pinned
        pinned.append(given)  # the caller sees what is written to it
        result = engine.rules.call(engine, function, list(given.items[:count]), named)
        pinned[:] = [x for x in pinned if x is not given]
        check_copies(engine, copies)
        return Tuple((result, given))


@dataclass(frozen=True, slots=True)
class Checked:
    """arguments -> (status, result)."""

    name = "checked"

    def __call__(self, engine: Engine, items: Any, args: Any, kwargs: Any) -> Any:
        (function,) = items
        given = copies_of(engine, args, kwargs)
        nested = visit(engine, (), lambda: given.call(function))
        made = inline(nested.region, (), {})
        now = {value: made[k] for value, k in nested.at.items()}

        def leaf(x: Leaf) -> Any:
            return moved(x, now.__getitem__)

        nested.keep(engine, leaf)
        if nested.flags is not None:
            flag(now[nested.flags])
        status = Const(0) if nested.status is None else weak(now[nested.status], int)
        if nested.result is None:
            return Tuple((status, Const(None)))
        result = rebuild(engine, nested.result, leaf)
        return Tuple((status, result))
