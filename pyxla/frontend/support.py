"""What desugared source calls, under the name `_pyxla`: CPython's meaning of each helper.

Inference knows these functions by identity (constants of the SSA form); here they are ordinary
Python, so that desugared source, executed, behaves as the original.
"""

from __future__ import annotations

import builtins
import collections
import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn

from pyxla.errors import UnsupportedSyntax

# Builtins under names that the program cannot rebind.
truth = builtins.bool
slice = builtins.slice
to_tuple = builtins.tuple
to_list = builtins.list
to_set = builtins.set
to_dict = builtins.dict
extend = builtins.list.extend
append = builtins.list.append
is_instance = builtins.isinstance
length = builtins.len

# Sequences whose iterator is the index 0, 1, ... checked against the present length.
_INDEXED = (list, tuple, range, str, bytes)


class Items:
    """Any other iterable, read one item ahead."""

    __slots__ = ("_iterator", "_next")

    def __init__(self, iterator: Iterator[Any]) -> None:
        self._iterator = iterator

    def advance(self) -> bool:
        try:
            self._next = next(self._iterator)
        except StopIteration:
            return False
        return True

    def current(self) -> Any:
        return self._next


# Where a generator waits that did not start, or is through (`frontend.stepping`).
FIRST, DONE = -1, -2


class Open(tuple[Any, ...]):
    """The variables of a call that is open (`frontend.recursion`), or of a generator that waits."""


def frame_of(generator: Any, names: Sequence[str]) -> Any:
    """What a generator that waits at a `yield` keeps: under the first name a tuple, to which what
    it has under the others is added."""
    frame, *others = [getattr(generator, name) for name in names]
    return Open([*frame, *others])


class Ended(Exception):  # noqa: N818 - no error
    """A generator that is read step by step has no further item (`frontend.stepping`)."""


class Returned(Ended):
    """It returned this."""


def sequence(iterable: Iterable[Any]) -> Any:
    """What a loop over `iterable` indexes."""
    return iterable if type(iterable) in _INDEXED else Items(iter(iterable))


def reads_all(function: Any) -> bool:
    """Whether this function is the one it looks like, which reads all that it is given, so that it
    may get a list: what gets a generator is right in any case."""
    return False


def check_reads_all(function: Any) -> None:
    """Refuse a function that is not the builtin one that it is named like."""


def appends(into: Any) -> bool:
    """Whether `into.extend(items)` appends one item after the other, as lists and deques do."""
    extend = getattr(type(into), "extend", None)
    return extend is list.extend or extend is collections.deque.extend


def extend_by_one(into: Any, x: Any) -> None:
    """What `into.extend(items)` does for one of the items."""
    into.extend((x,))


def has_item(items: Any, index: int) -> bool:
    """Whether a loop over `sequence(...)` has an iteration `index`: they are asked for in order."""
    return items.advance() if type(items) is Items else index < len(items)


def item(items: Any, index: int) -> Any:
    """The item of iteration `index`, for which `has_item` was true."""
    return items.current() if type(items) is Items else items[index]


def folds(function: Any, items: Any, filtered: bool) -> bool:
    """Whether `function(... for x in items)` is computed item by item; here the items are kept."""
    return False


def start(function: Any, folding: bool) -> Any:
    """What a fold starts with."""
    return []


def gather(function: Any, folding: bool, total: Any, value: Any) -> Any:
    """`total` with one more item."""
    total.append(value)
    return total


def decided(function: Any, folding: bool, total: Any) -> bool:
    """Whether further items do not matter."""
    return bool(total) and (
        function is builtins.next
        or (function is builtins.any and bool(total[-1]))
        or (function is builtins.all and not total[-1])
    )


def finish(function: Any, folding: bool, total: Any, *default: Any) -> Any:
    """The result, when no further item is read."""
    return function(iter(total), *default)


def update(into: dict[Any, Any], mapping: Any) -> None:
    """`**mapping` in a dict display."""
    for key in mapping.keys():  # noqa: SIM118 - a mapping by its protocol, as CPython takes it
        into[key] = mapping[key]


def format_spec(value: Any, conversion: str, spec: str) -> str:
    """A field of an f-string whose format is computed; `conversion` is "", "s", "r" or "a", or a
    directive such as "%5.2f"; or "codes", of code points; or "join", of texts with `spec` between.
    """
    if conversion == "codes":
        return text_of(value)
    if conversion == "join":
        return spec.join(value)
    if conversion.startswith("%"):
        return conversion % (value,)
    convert: Any = {"s": str, "r": repr, "a": ascii}.get(conversion)
    return format(convert(value) if convert else value, spec)


def text_of(codes: Any) -> str:
    """The text of these code points."""
    return "".join(map(chr, codes.tolist()))


def formatted(pieces: Iterable[Any], value_of: Callable[[Any], Any]) -> str:
    """A text of texts and of (maker, conversion, spec): what `value_of` gives for the maker."""
    return "".join(
        [
            piece if isinstance(piece, str) else format_spec(value_of(piece[0]), *piece[1:])
            for piece in pieces
        ]
    )


def put_together(pieces: Iterable[Any], values: Iterable[Any]) -> str:
    """A text of texts and of (conversion, spec), each of the next of `values`."""
    given = iter(values)
    return formatted([p if isinstance(p, str) else (next(given), *p) for p in pieces], lambda x: x)


# The special methods of its one argument that a builtin function calls, the first that there is.
ASKING: dict[Any, tuple[str, ...]] = {
    len: ("__len__",),
    str: ("__str__", "__repr__"),
    repr: ("__repr__",),
    hash: ("__hash__",),
}


def special(asking: Any, x: Any) -> Any:
    """The method that `asking(x)` calls, or the first of these names that there is, bound; None
    where there is none."""
    names = asking if isinstance(asking, tuple) else ASKING.get(asking, ())
    return next((getattr(x, name) for name in names if hasattr(type(x), name)), None)


def equality(x: Any, y: Any) -> Any:
    """The method that `x == y` calls first, bound, where they are of one class; None of others."""
    return x.__eq__ if type(x) is type(y) else None


def import_module(name: str, attribute_of_top: bool = True) -> Any:
    """`import a.b` (gives `a`) or, for `import a.b as c`, the module `a.b` itself."""
    module = importlib.import_module(name)
    return importlib.import_module(name.partition(".")[0]) if attribute_of_top else module


def import_from(package: str | None, level: int, module: str, name: str) -> Any:
    """`from module import name`, `level` dots up from `package`."""
    found = importlib.import_module("." * level + module, package if level else None)
    try:
        return getattr(found, name)
    except AttributeError:
        try:
            return importlib.import_module(f"{found.__name__}.{name}")
        except ModuleNotFoundError:
            path = getattr(found, "__file__", None)
            words = f"cannot import name {name!r} from {found.__name__!r}"
            words += f" ({path or 'unknown location'})"
            raise ImportError(words, name=found.__name__, path=path) from None


def matches_sequence(subject: Any) -> bool:
    """Whether a sequence pattern may match `subject`."""
    match subject:
        case [*_]:
            return True
    return False


def matches_mapping(subject: Any) -> bool:
    """Whether a mapping pattern may match `subject`."""
    match subject:
        case {}:
            return True
    return False


def without(subject: Any, *keys: Any) -> dict[Any, Any]:
    """What `**rest` of a mapping pattern takes."""
    return {key: value for key, value in subject.items() if key not in keys}


def match_attribute(cls: type, key: int | str) -> str:
    """The attribute that a sub-pattern of a class pattern looks at; "" is the subject itself."""
    if isinstance(key, str):
        return key
    if cls in _SELF_MATCHING and key == 0:
        return ""
    names = getattr(cls, "__match_args__", ())
    if key >= len(names):
        plural = "s" if len(names) != 1 else ""
        count = f"{len(names)} positional sub-pattern{plural}"
        raise TypeError(f"{cls.__name__}() accepts {count} ({key + 1} given)")
    return names[key]


_SELF_MATCHING = frozenset(
    {bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple}
)


def has_match_value(subject: Any, cls: type, key: int | str) -> bool:
    """Whether there is something for `match_value` to give."""
    name = match_attribute(cls, key)
    return not name or hasattr(subject, name)


def match_value(subject: Any, cls: type, key: int | str) -> Any:
    """What sub-pattern `key` (a position or a keyword) of a class pattern looks at."""
    name = match_attribute(cls, key)
    return getattr(subject, name) if name else subject


def catches(raised: BaseException, classes: Any) -> bool:
    """Whether an `except` clause of these classes takes what was raised."""
    return isinstance(raised, classes)


def caught(raised: BaseException, classes: Any, *before: Any) -> BaseException:
    """What was raised, where that is one of `classes`, and of no clause `before`."""
    return raised


def enter(manager: Any) -> Any:
    """What `with manager as x` gives x."""
    return type(manager).__enter__(manager)


def leave(manager: Any, raised: BaseException | None) -> Any:
    """The end of a `with`: whether what was raised goes no further."""
    if raised is None:
        return type(manager).__exit__(manager, None, None, None)
    return type(manager).__exit__(manager, type(raised), raised, raised.__traceback__)


def displayed_set(items: tuple[Any, ...]) -> frozenset[Any]:
    """`{a, b, c}` of constants that a loop reads, which CPython makes once."""
    return frozenset(items)


def refuse(message: str, hint: str) -> NoReturn:
    """In the place of syntax outside the language."""
    raise UnsupportedSyntax(message, hint=hint)


# Helpers whose result is a bool: no truth test is needed on it.
PREDICATES = frozenset(
    {
        "truth",
        "appends",
        "has_item",
        "catches",
        "decided",
        "is_instance",
        "matches_mapping",
        "matches_sequence",
        "has_match_value",
    }
)
