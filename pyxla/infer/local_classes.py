"""Classes that are defined inside functions: CPython makes them, while compiling, once for all
calls (`frontend.local_classes` says of which that is the same)."""

from __future__ import annotations

import builtins
import functools
import types
from collections.abc import Iterator
from typing import Any

import gast

from pyxla.abstract.lattice import Const, Scalar, Tuple
from pyxla.frontend import local_classes
from pyxla.frontend.hoist import ClassBody
from pyxla.frontend.tree import printed
from pyxla.frozen import Itself
from pyxla.infer.classes import LOCAL
from pyxla.infer.engine import Engine
from pyxla.infer.frame import Frame
from pyxla.infer.transfer import transfer
from pyxla.ir.core import Instr

# What may be called by the statement: it says what the class is, and depends on nothing.
_DECLARING = frozenset({"abc", "dataclasses", "enum", "functools", "typing"})
# Of which equal ones may differ: 0.0 and -0.0, (1,) and (True,).
_ALIKE = (float, complex, tuple)
_DECORATORS = frozenset({property, staticmethod, classmethod})


@transfer("class")
def _class(engine: Engine, frame: Frame, instr: Instr) -> Const:
    body, count = instr.attrs["body"], instr.attrs["bases"]
    operands = [engine.use(frame.env[v]) for v in instr.operands]
    bases = [engine.static(x, f"a base of {body.node.name}") for x in operands[:count]]
    names = instr.attrs["freevars"]
    free = [_known(engine, x, name) for x, name in zip(operands[count:], names, strict=True)]
    module = engine.module_of(frame)
    if (unknown := next(_unknown(body.node, module.value), None)) is not None:
        raise engine.refuse(
            f"a class inside a function is not decorated by, and calls not, {unknown}",
            "define it at module level",
        )
    try:
        kinds = tuple([(type(x), repr(x) if isinstance(x, _ALIKE) else "", x) for x in free])
        made = _made(body, module, tuple(bases), kinds)
    except Exception as error:  # noqa: BLE001 - CPython's, of the class statement
        return engine.raise_constant(error)
    LOCAL.update(_with_inner(made))
    return Const(made)


def _with_inner(made: type) -> Iterator[type]:
    """A class, and those that are defined in its body."""
    yield made
    for inner in vars(made).values():
        if isinstance(inner, type) and inner.__qualname__.startswith(f"{made.__qualname__}."):
            yield from _with_inner(inner)


def _known(engine: Engine, x: Any, name: str) -> Any:
    """The value of a variable that methods use, which nothing changes."""
    if isinstance(x, Scalar):
        engine.static(x, f"{name!r}, which methods of this class use,")
    if type(x) is Tuple and all(isinstance(item, Const) for item in x.items):
        return engine.python_object(x)
    if not isinstance(x, Const):
        raise engine.refuse(
            f"{name!r}, which methods of this class use, is not known while compiling",
            f"give it to the instances: __init__(self, {name})",
        )
    return x.value


def _unknown(node: gast.ClassDef, module: dict[str, Any]) -> Iterator[str]:
    """What the statement calls that is not known to say alone what the class is."""
    for inner in (s for s in node.body if isinstance(s, gast.ClassDef)):
        yield from _unknown(inner, module)
    methods = [s for s in node.body if isinstance(s, gast.FunctionDef)]
    own = {s.name for s in methods}
    for decorator in (d for each in (node, *methods) for d in each.decorator_list):
        called = decorator.func if isinstance(decorator, gast.Call) else decorator
        first = called.value if isinstance(called, gast.Attribute) else called
        if not (isinstance(first, gast.Name) and first.id in own):  # a property's `setter`
            found = _named(called, module)
            if found not in _DECORATORS and getattr(found, "__module__", "") not in _DECLARING:
                yield printed(called).strip()
    none = (gast.FunctionDef, gast.ClassDef, gast.Pass)
    values = [s.value for s in node.body if not isinstance(s, none)]
    for call in (part for v in values if v for part in gast.walk(v)):
        if isinstance(call, gast.Call):
            if getattr(_named(call.func, module), "__module__", "") not in _DECLARING:
                yield printed(call.func).strip()


def _named(expr: gast.expr, module: dict[str, Any]) -> Any:
    """The object of a module, or builtin, that a dotted name means; None where it means none."""
    if isinstance(expr, gast.Attribute):
        return getattr(_named(expr.value, module), expr.attr, None)
    name = expr.id if isinstance(expr, gast.Name) else ""
    return module.get(name, getattr(builtins, name, None))


@functools.lru_cache(maxsize=512)
def _made(
    body: ClassBody, module: Itself, bases: Any, free: tuple[tuple[type, str, Any], ...]
) -> type:
    """The class, as CPython makes it; equal values of free variables make the same one."""
    code, node = body.code, body.node
    own = types.CellType()
    given = dict(zip(local_classes.taken(code), [types.CellType(x) for *_, x in free], strict=True))
    cells = tuple([given.get(name, own) for name in code.co_freevars])
    function = types.FunctionType(code, module.value, node.name, None, cells)
    made: Any = builtins.__build_class__(function, node.name, *bases)  # type: ignore[attr-defined]
    for decorator in reversed(node.decorator_list):
        named = {}
        called = decorator
        if isinstance(decorator, gast.Call):
            called = decorator.func
            named = {k.arg: k.value.value for k in decorator.keywords}
        apply = _named(called, module.value)
        made = apply(**named)(made) if called is not decorator else apply(made)
    own.cell_contents = made
    return made
