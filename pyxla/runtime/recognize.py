"""Arguments like those of the call before, taken apart without making and looking up a key.

    recognizer(args, static, guards)(args) -> leaves, or None where `flatten` would give another key

A recognizer is straight code for one signature: it compares types, abstract values and structure in
the order of the walk, by identity wherever the values are interned, and so costs a fraction of
`flatten`.  It may fail to recognize arguments of its signature (an equal dtype that is another
object); those take the long way.  It also tests what the program was compiled for of the outside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from pyxla.ir.types import SHORT_NAMES
from pyxla.runtime import jaxlink
from pyxla.runtime.containers import container_of
from pyxla.runtime.numbers import (
    ITEMS,
    LEAST_MOST,
    LONG,
    MOST,
    WORD,
    WORD_AT,
    Path,
    is_word,
    most_of,
    numbers_of,
)
from pyxla.runtime.places import below_path
from pyxla.runtime.signature import CONSTANTS
from pyxla.runtime.texts import CODES, is_data, leaves_of

Recognizer = Callable[[Sequence[Any]], "tuple[Any, ...] | None"]
# More arguments than that are compared as quickly one by one as they are compiled.
_MOST = 256


class Guards:
    """The outside objects that a program was compiled for, as one test: whether they are the same.

    constants: those objects, by the places where they are (`infer.calls.captures`) or what else
    tells of them (`guards.states`), whose `test` is an expression.
    """

    __slots__ = ("_holds", "known", "test")

    def __init__(self, constants: Mapping[Any, Any]) -> None:
        self.known: dict[str, Any] = {}
        self.test = " and ".join([p.test(value, self._name) for p, value in constants.items()])
        self._holds: Callable[[], bool] | None = None

    def _name(self, value: Any) -> str:
        name = f"g{len(self.known)}"
        self.known[name] = value
        return name

    def hold(self) -> bool:
        if self._holds is None:
            self._holds = eval(f"lambda: {self.test or True}", dict(self.known))
        return self._holds()


def recognizer(
    args: Sequence[Any], static: frozenset[Path], guards: Guards, ordered: bool = False
) -> Recognizer | None:
    """The function that recognizes arguments like `args`; None where there is none.  ordered: of
    arrays, those in C order alone."""
    walk = _Walk(static, ordered)
    walk.test(f"len(args) != {len(args)}")
    if not walk.elements("args", args, [(i,) for i in range(len(args))]):
        return None
    if guards.test:
        walk.known.update(guards.known)
        walk.test(f"not ({guards.test})")
    return walk.function()


class _Walk:
    """The source of one recognizer, a line for each test; constants are its globals."""

    def __init__(self, static: frozenset[Path], ordered: bool) -> None:
        self.static, self.ordered = static, ordered
        self.lines: list[str] = []
        self.known: dict[str, Any] = {"ARRAY": jaxlink.ARRAY, "ndarray": np.ndarray}
        self.known |= {"numbers_of": numbers_of, "leaves_of": leaves_of}
        self.leaves: list[str] = []
        # The mutable containers that were met, by their ids, and what gives these of others.
        self.mutable: set[int] = set()
        self.ids: list[str] = []
        self.count = 0

    def function(self) -> Recognizer:
        if len(self.ids) > 1:  # one container met twice is another signature
            self.test(f"len({{{', '.join(self.ids)}}}) != {len(self.mutable)}")
        leaves = "".join([f"{leaf}, " for leaf in self.leaves])
        body = [*self.lines, f"return ({leaves})"]
        source = "def recognize(args):\n" + "".join([f"    {line}\n" for line in body])
        exec(compile(source, "<recognizer>", "exec"), self.known)
        return self.known.pop("recognize")  # which refers to them: no cycle

    def name(self, value: Any = None) -> str:
        self.count += 1
        name = f"x{self.count}"
        if value is not None:
            self.known[name] = value
        return name

    def test(self, other: str) -> None:
        self.lines.append(f"if {other}: return None")

    def elements(self, container: str, items: Sequence[Any], paths: Sequence[Path]) -> bool:
        """Take `items` of the container (an expression) apart; False where that cannot be."""
        names = [self.name() for _ in items]
        if self.count > _MOST:
            return False
        if names:
            self.lines.append(f"{', '.join(names)}, = {container}")
        return all(map(self.element, names, items, paths))

    def element(self, name: str, x: Any, path: Path) -> bool:
        kind = type(x)
        if isinstance(x, np.ndarray) and x.dtype not in SHORT_NAMES:
            return False
        if kind is np.ndarray:
            self.test(f"type({name}) is not ndarray")
            self.same_type(name, x)
            if self.ordered:
                self.test(f"not {name}.flags.carray")  # in C order and writeable
            self.leaves.append(name)
        elif kind is jaxlink.ARRAY:
            self.test(f"type({name}) is not ARRAY or {name}.aval is not {self.name(x.aval)}")
            self.leaves.append(name)
        elif kind is str:
            asked = (*path, CODES) in self.static
            if is_data(x, (*path, ITEMS) in self.static, asked):
                self.text(name, x, asked)
                return True
            self.test(f"type({name}) is not str or {name} != {x!r}")
        elif kind in CONSTANTS:
            self.test(f"{name} is not {x!r}")
        elif kind in (int, float, complex) or isinstance(x, np.generic):
            return self.number(name, x, path)
        elif isinstance(x, (np.ndarray, jax.Array)) or kind in jaxlink.LITERALS:
            return False
        elif (container := container_of(x)) is not None:
            return self.container(name, x, path, container)
        else:
            self.test(f"{name} is not {self.name(x)}")
        return True

    def number(self, name: str, x: Any, path: Path) -> bool:
        kind = type(x)
        known = path in self.static
        if (known and kind is not int) or (
            isinstance(x, np.generic) and x.dtype not in SHORT_NAMES
        ):
            return False
        if kind is int and not known and (*path, WORD) in self.static:
            other = f"0 <= {name} < {2 * WORD_AT}"
            self.test(f"type({name}) is not int or {f'not {other}' if is_word(x) else other}")
            self.leaves.append(f"{name} - {WORD_AT}" if is_word(x) else name)
            return True
        unequal = f" or {name} != {x!r}" if known else ""
        if kind is int and not known and (*path, MOST) in self.static:
            most = most_of(x)
            least = f"{most // 4} < " if most > LEAST_MOST else ""
            unequal = f" or not {least}{name} <= {most}"
        self.test(f"type({name}) is not {self.name(kind)}{unequal}")
        if not known:
            self.leaves.append(name)
        return True

    def text(self, name: str, x: str, asked: bool) -> None:
        """A text whose characters are data (`runtime.texts`)."""
        codes, _ = leaves_of(x)
        self.test(f"type({name}) is not str" + ("" if asked else f" or len({name}) <= {LONG}"))
        found = self.bound(f"leaves_of({name})")
        self.same_type(f"{found}[0]", codes)
        self.leaves += [f"{found}[0]", f"{found}[1]"]

    def same_type(self, found: str, array: np.ndarray) -> None:
        dtype = self.name(array.dtype)
        self.test(f"{found}.shape != {array.shape!r} or {found}.dtype is not {dtype}")

    def is_new(self, containers: Sequence[Any], ids: str) -> bool:
        """Add mutable containers; False if one was met before.  ids: theirs, as an expression."""
        found = set(map(id, containers))
        if not self.mutable.isdisjoint(found):
            return False
        self.mutable |= found
        self.ids.append(ids)
        return True

    def numbers(self, name: str, x: list[Any], path: Path, leaves: tuple[np.ndarray, ...]) -> bool:
        """A list that is one array (`runtime.numbers`), or two; its rows are met nowhere else."""
        first, nested = leaves[0], leaves[0].ndim > 1
        if first.ndim > 2 or (nested and below_path(self.static, path)):
            return False
        ids = f"id({name})" + f", *map(id, {name})" * nested
        if not self.is_new([x, *x] if nested else [x], ids):
            return False
        self.test(f"type({name}) is not list or len({name}) != {len(x)}")
        found = self.bound(f"numbers_of({name})")
        self.test(f"{found} is None or len({found}) != {len(leaves)}")
        self.same_type(f"{found}[0]", first)
        self.leaves += [f"{found}[{i}]" for i in range(len(leaves))]
        return True

    def container(self, name: str, x: Any, path: Path, found: Any) -> bool:
        if found.mutable:
            if (*path, ITEMS) not in self.static and (leaves := numbers_of(x)) is not None:
                return self.numbers(name, x, path, leaves)
            if not self.is_new([x], f"id({name})"):
                return False
        entries, steps, items = found.open(x)
        items, paths = list(items), [(*path, step) for step in steps]
        self.test(f"type({name}) is not {self.name(type(x))}")
        if found.form == "items":
            self.test(f"len({name}) != {len(items)}")
            return self.elements(name, items, paths)
        if found.form in ("dict", "fields"):
            held = name if found.form == "dict" else self.bound(f"{name}.__dict__")
            self.keys(held, [step for *_, step in paths])
            return self.elements(f"{held}.values()", items, paths)
        opened = self.bound(f"{self.name(found.open)}({name})")
        self.test(f"{opened}[0] != {self.name(entries)}")
        return self.elements(f"{opened}[2]", items, paths)

    def bound(self, expression: str) -> str:
        """A name for what is computed once."""
        name = self.name()
        self.lines.append(f"{name} = {expression}")
        return name

    def keys(self, container: str, keys: Sequence[Any]) -> None:
        """Compare the keys of a dict, and their order."""
        self.test(f"len({container}) != {len(keys)}")
        if keys:
            found = [self.name() for _ in keys]
            self.lines.append(f"{', '.join(found)}, = {container}")
            pairs = [(name, self.name((key,))) for name, key in zip(found, keys, strict=True)]
            self.test(" or ".join([f"{one} is not {other}[0]" for one, other in pairs]))
