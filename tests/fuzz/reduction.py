"""Shrink a failing program: delta debugging on its syntax tree.

Statements are removed, compound statements replaced by their bodies, expressions by their parts or
by constants, as long as the program fails in the same way. Greedy passes repeat until none helps.
"""

from __future__ import annotations

import ast
import copy
import re
import time
import warnings
from collections.abc import Callable, Iterator


def statement_lists(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "cases"):
            items = getattr(node, name, None)
            if isinstance(items, list) and items:
                yield items


def removals(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """(list, position) of every statement that could go, from the last to the first."""
    lists = list(statement_lists(tree))
    for number in range(len(lists)):
        for position in reversed(range(len(lists[number]))):
            yield number, position


def without(tree: ast.Module, number: int, position: int) -> ast.Module | None:
    """A copy without one statement; a body that would be empty gets a `pass`."""
    changed = copy.deepcopy(tree)
    items = list(statement_lists(changed))[number]
    removed = items.pop(position)
    if isinstance(removed, ast.Pass) and not items:
        return None
    if not items and isinstance(removed, ast.stmt):
        items.append(ast.Pass())
    return changed


def unwrapped(tree: ast.Module, number: int, position: int) -> Iterator[ast.Module]:
    """Copies in which a compound statement is replaced by one of its bodies."""
    statement = list(statement_lists(tree))[number][position]
    for field in ("body", "orelse"):
        inner = getattr(statement, field, None)
        if not inner or isinstance(statement, ast.FunctionDef | ast.ClassDef):
            continue
        changed = copy.deepcopy(tree)
        list(statement_lists(changed))[number][position : position + 1] = copy.deepcopy(inner)
        yield changed


CONSTANTS = (ast.Constant(0), ast.Constant(1), ast.Constant(0.5), ast.Constant(True))


def simpler(node: ast.expr) -> Iterator[ast.expr]:
    """What an expression may be replaced by: its parts, then constants."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr) and not isinstance(child, ast.Lambda):
            yield child
    if not isinstance(node, ast.Constant | ast.Name):
        yield from CONSTANTS
    elif (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and node.value not in (0, 1)
    ):
        yield CONSTANTS[1]


class Replace(ast.NodeTransformer):
    """Replace the n-th expression that is read."""

    def __init__(self, number: int, by: ast.expr) -> None:
        self.left, self.by = number, by

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            if self.left == 0:
                self.left = -1
                return self.by
            self.left -= 1
        return self.generic_visit(node)


def read_expressions(tree: ast.AST) -> list[ast.expr]:
    found: list[ast.expr] = []

    class Collect(ast.NodeVisitor):
        def visit(self, node: ast.AST) -> None:
            if isinstance(node, ast.expr) and isinstance(
                getattr(node, "ctx", ast.Load()), ast.Load
            ):
                found.append(node)
            self.generic_visit(node)

    Collect().visit(tree)
    return found


def rendered(tree: ast.Module) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = ast.unparse(ast.fix_missing_locations(tree))
            compile(text, "<reduced>", "exec")
    except (SyntaxError, ValueError, TypeError, AttributeError):
        return None
    return text + "\n"


def reduced(text: str, fails: Callable[[str], bool], seconds: float = 60) -> str:
    """The smallest program found in the given time that still fails."""
    deadline = time.monotonic() + seconds
    best = ast.parse(text)

    def better(candidate: ast.Module | None) -> bool:
        nonlocal best
        shown = candidate and rendered(candidate)
        if not shown or time.monotonic() > deadline or not fails(shown):
            return False
        best = ast.parse(shown)
        return True

    progress = True
    while progress and time.monotonic() < deadline:
        progress = chunks(lambda: best, better) or statements(lambda: best, better)
        progress = expressions(lambda: best, better, deadline) or progress
    return tidy(rendered(best) or text)


def chunks(best: Callable[[], ast.Module], better: Callable[[ast.Module | None], bool]) -> bool:
    """Remove runs of statements, halves first."""
    progress = False
    sizes = [len(items) for items in statement_lists(best())]
    for number in sorted(range(len(sizes)), key=lambda n: -sizes[n]):
        size = len(list(statement_lists(best()))[number]) if number_exists(best(), number) else 0
        width = size // 2
        while width > 1:
            start = 0
            while number_exists(best(), number):
                changed = copy.deepcopy(best())
                items = list(statement_lists(changed))[number]
                if start >= len(items):
                    break
                del items[start : start + width]
                if not items:
                    items.append(ast.Pass())
                if better(changed):
                    progress = True
                else:
                    start += width
            width //= 2
    return progress


def number_exists(tree: ast.Module, number: int) -> bool:
    return number < len(list(statement_lists(tree)))


def statements(best: Callable[[], ast.Module], better: Callable[[ast.Module | None], bool]) -> bool:
    """Remove single statements, or replace them by their bodies."""
    progress = False
    for number, position in list(removals(best())):
        lists = list(statement_lists(best()))
        if number >= len(lists) or position >= len(lists[number]):
            continue
        if better(without(best(), number, position)):
            progress = True
            continue
        if isinstance(lists[number][position], ast.stmt):
            progress |= any(better(c) for c in unwrapped(best(), number, position))
    return progress


def expressions(
    best: Callable[[], ast.Module],
    better: Callable[[ast.Module | None], bool],
    deadline: float,
) -> bool:
    """Replace expressions by their parts or by constants."""
    progress, number = False, 0
    while number < len(nodes := read_expressions(best())) and time.monotonic() < deadline:
        for part in simpler(nodes[number]):
            candidate = Replace(number, copy.deepcopy(part)).visit(copy.deepcopy(best()))
            if better(candidate):
                progress = True
                break
        else:
            number += 1
    return progress


def tidy(text: str) -> str:
    """Two blank lines before functions and classes."""
    return re.sub(r"\n+(?=(@dataclass\n)?(def|class) )", "\n\n\n", text)
