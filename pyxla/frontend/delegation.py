"""What a generator hands on of its own calls: `yield from f(...)` and `for x in f(...): yield x`.

    t1 = _pyxla.sequence(f(...)); t2 = 0
    while True:
        if not _pyxla.has_item(t1, t2): break
        x = _pyxla.item(t1, t2); t2 = t2 + 1                      f(...)
        t3 = yield x

That is a call whose items are those of the generator around it, so that calls of it by itself may
become loops with a stack (`frontend.recursion`) as those of other functions do.  In `__iter__`, it
may be one where the loop is over any object.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import gast

from pyxla.frontend.desugar import Lowered
from pyxla.frontend.hoist import at, name
from pyxla.frontend.implicit_calls import spelled_call


def handed_on(lowered: Lowered, own: Callable[[Any], bool]) -> Lowered | None:
    """The generator with calls in the place of such loops, which are kept beside them, for what
    turns out to be no call of itself; None where it calls itself otherwise, or returns a value.
    own: whether an expression is a call of itself."""
    made: list[gast.expr] = []
    held: dict[str, None] = {}
    names = [n.id for n in gast.walk(lowered.node) if isinstance(n, gast.Name)]
    # Nobody reads these but the `yield`.
    passing = {text for text, count in Counter(names).items() if count == 2}

    def block(nodes: Sequence[Any]) -> list[gast.stmt]:
        out: list[gast.stmt] = []
        rest = list(nodes)
        while rest:
            call: Any = _delegated(rest[:3], passing)
            if isinstance(call, (gast.Name, gast.Attribute, gast.Subscript)):
                call = spelled_call(call, "__iter__", [], lambda x, _: x)
            if call is not None and own(call):
                made.append(call)
                site: Any = at(gast.Expr(call), rest[0])
                site.items = f"items {len(made)} of {lowered.node.name}"
                site.loop, rest = _over(rest[:3], name(site.items, call)), rest[3:]
                held[site.items] = None
                out.append(site)
                continue
            node = copy.copy(rest.pop(0))
            if isinstance(node, (gast.If, gast.While)):
                node.body, node.orelse = block(node.body), block(node.orelse)
            out.append(node)
        return out

    node = copy.copy(lowered.node)
    node.body = block(node.body)
    inside = list(gast.walk(node))
    if sum(map(own, inside)) > len(made) or any(map(_returns_value, inside)):
        return None
    scope = lowered.scope
    scope = replace(scope, stores={**scope.stores, **held})
    return replace(lowered, node=node, scope=scope)


def _over(loop: Sequence[Any], items: gast.expr) -> list[Any]:
    """Such a loop over other items."""
    first = copy.copy(loop[0])
    first.value = copy.copy(first.value)
    first.value.args = [items]
    return [first, *loop[1:]]


def _delegated(nodes: Sequence[Any], passing: set[str]) -> gast.expr | None:
    """What a loop, of three statements, yields all items of; None of anything else."""
    match nodes:
        case [
            gast.Assign(
                targets=[gast.Name(id=items)],
                value=gast.Call(func=gast.Attribute(attr="sequence"), args=[call]),
            ),
            gast.Assign(value=gast.Constant(value=0)),
            gast.While(
                body=[
                    gast.If(body=[gast.Break()]),
                    gast.Assign(
                        targets=[gast.Name(id=x)],
                        value=gast.Call(func=gast.Attribute(attr="item"), args=[read, _]),
                    ),
                    gast.Assign(),
                    gast.Assign(value=gast.Yield(value=gast.Name(id=yielded))),
                ]
            ),
        ] if read.id == items and x == yielded and x in passing:
            return call
    return None


def _returns_value(node: Any) -> bool:
    if not isinstance(node, gast.Return) or node.value is None:
        return False
    return not (isinstance(node.value, gast.Constant) and node.value.value is None)
