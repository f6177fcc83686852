"""Python to less Python: no control flow inside expressions, one kind of loop.

    x = f(a) + (b if c else d)          t1 = f(a)
                                        if c: t2 = b
                                        else: t2 = d
                                        x = t1 + t2
    for x in xs: ...                    t1 = _pyxla.sequence(xs); t2 = 0
                                        while True:
                                            if not _pyxla.has_item(t1, t2): break
                                            x = _pyxla.item(t1, t2); t2 = t2 + 1
                                            ...

What is left: assignment (to names, attributes, items and nests of these), augmented assignment,
`if`, `while True`, `break`, `continue`, `return`, `raise`, `del`, `def`, `nonlocal`, `global` and
expressions that evaluate straight through.  The result is an ordinary syntax tree; as source,
with `_pyxla` bound to `pyxla.frontend.support`, it behaves as the original.

Vocabulary: an expression *hoists* what cannot stay inside it into statements in front of it; values
of earlier siblings are then *spilled* into temporaries, which keeps Python's order of evaluation.
An expression without control flow is returned as it is: the tree that was read is never changed.
"""

from __future__ import annotations

from dataclasses import field

import gast

from pyxla.frontend import expressions, fence, patterns, statements, tree  # noqa: F401 - fill the tables
from pyxla.frontend.hoist import ClassBody, Desugarer, Nested
from pyxla.frontend.scope import Scope, resolve
from pyxla.frontend.source import SourceFunction, once
from pyxla.frozen import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class Lowered:
    """A desugared function.  booleans: temporaries that hold a bool.  nested: by their `def`.

    prefix: what temporaries begin with.  attributed: names of what attributes are assigned to.
    """

    node: gast.FunctionDef
    scope: Scope
    booleans: frozenset[str] = frozenset()
    nested: dict[gast.FunctionDef, Nested] = field(default_factory=dict)
    prefix: str = "_t"
    attributed: frozenset[str] = frozenset()
    classes: dict[gast.ClassDef, ClassBody] = field(default_factory=dict)

    def temporary(self, name: str) -> bool:
        """Whether the program has no such variable."""
        return name.startswith(self.prefix) and name[len(self.prefix) :].isdigit()


@once("lowered")
def desugar(source: SourceFunction) -> Lowered:
    """Desugar a function object's source, with all functions nested in it."""
    desugarer = Desugarer(source)
    try:
        node = desugarer.root(source.node)
    except RecursionError:
        raise fence.too_deep(source.loc) from None
    resolve(desugarer.scope, source.freevars)
    return Lowered(
        node,
        desugarer.scope,
        frozenset(desugarer.booleans),
        desugarer.nested,
        desugarer.prefix,
        desugarer.functions_with_attributes(),
        desugarer.classes,
    )


def lowered_source(source: SourceFunction) -> str:
    """The desugared function as Python source; a closure is wrapped in a function of its names."""
    return lowered_lines(source)[0]


def lowered_lines(source: SourceFunction) -> tuple[str, dict[int, int]]:
    """`lowered_source`, and for its lines, from 1, the lines of the source they come from."""
    node = desugar(source).node
    if source.freevars:
        names = [tree.parameter(name) for name in source.freevars]
        result = gast.Return(tree.load(node.name))
        node = tree.function_def("_closure", tree.parameters(names), [node, result])
    try:
        text = tree.printed(gast.fix_missing_locations(node))
        pairs = zip(_statements(tree.parsed(text)), _statements(node), strict=True)
        return text, {new.lineno: old.lineno for new, old in pairs}
    except RecursionError:
        raise fence.too_deep(source.loc) from None


def _statements(tree: gast.AST) -> list[gast.stmt]:
    """The statements of a tree, outer ones first."""
    return [node for node in gast.walk(tree) if isinstance(node, gast.stmt)]
