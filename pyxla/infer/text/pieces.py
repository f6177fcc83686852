"""Text with values that are known at run time only: its pieces, which the host puts together.

    Compound("text", values, pieces)      a piece is text, or (conversion, format spec) of a value

Conversions are those of `frontend.support.format_spec`.
"""

from __future__ import annotations

import collections
import copy
import functools
import itertools
import math
import operator
import re
import string
import types
from _string import formatter_field_name_split
from collections.abc import Iterator, Sequence
from typing import Any

from pyxla.abstract.heap import DictCell, ListCell, ObjectCell
from pyxla.abstract.lattice import (
    Compound,
    Const,
    Live,
    Ref,
    Tuple,
    is_number,
    is_variant,
    number_type,
    optional,
)
from pyxla.frontend import support
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls import coroutines
from pyxla.infer.calls.dispatch import call
from pyxla.infer.calls.visiting import special
from pyxla.infer.containers.indexing import content_of, get_item
from pyxla.infer.containers.indices import as_int
from pyxla.infer.containers.iterators import state_of
from pyxla.infer.engine import Engine
from pyxla.infer.joins import choices, far
from pyxla.infer.lists import columnar, reading
from pyxla.infer.lists.items import holds_instances
from pyxla.infer.objects import get_attribute
from pyxla.infer.raising.exceptions import alternatives, is_exception, select
from pyxla.infer.raising.objects import as_instance
from pyxla.infer.raising.refusals import made_of, python_class
from pyxla.infer.text import codes as texts
from pyxla.infer.text import strings
from pyxla.lib import texts as methods
from pyxla.lib.containers import Namespace, actual
from pyxla.lib.interpreted import fields_shown
from pyxla.lib.lists import Held
from pyxla.lib.registry import rule
from pyxla.lib.tables import Keyed
from pyxla.ops.foreign import HostError

# The key, flags, width, precision and type; what is missing at the end of a template is empty.
_DIRECTIVE = re.compile(r"%(?:\(([^()]*)\))?([-+ #0]*)(\*|\d*)(\.(?:\*|\d*))?[hlL]?(.?)", re.S)


def is_text(x: Any) -> bool:
    if choices.is_choice(x):
        return all(isinstance(value, str) for value in x.values)
    return is_dynamic(x) or (isinstance(x, Const) and isinstance(x.value, str))


def is_dynamic(x: Any) -> bool:
    return isinstance(x, Compound) and x.kind == "text"


def joined(parts: Sequence[Any]) -> Any:
    """One text after the other."""
    pieces, items = list[Any](), list[Any]()
    for x in parts:
        if texts.is_string(x) or choices.is_choice(x):
            pieces.append(("s", ""))
            items.append(x)
        elif is_dynamic(x):
            pieces.extend(x.meta)
            items.extend(x.items)
        else:
            pieces.append(str(x.value) if isinstance(x, Const) else "")
    return Compound("text", tuple(items), tuple(pieces)) if items else Const("".join(pieces))


def written(engine: Engine, parts: Sequence[Any]) -> Any:
    """As `joined`; what a loop puts around a string has no more room than sums of strings have."""
    formatted_ = [x for x in parts if is_dynamic(x) and not texts.is_string(x)]
    spelled = all(texts.is_texts(item) for x in formatted_ for item in x.items)
    if engine.loops and spelled and any(map(texts.is_string, parts)):
        return functools.reduce(functools.partial(concatenated, engine), parts)
    return joined(parts)


def concatenated(engine: Engine, x: Any, y: Any) -> Any:
    """`x + y` of two texts."""
    return strings.concatenated(engine, x, y) or joined([x, y])


def formatted(engine: Engine, x: Any, conversion: str = "", spec: str = "") -> Any:
    """One field: text where `x` is known, else formatted on the host."""
    if is_shown_apart(engine, x):
        return _apart(engine, x, spec)
    x = engine.use(x)
    cls = python_class(engine, x) if spec and not conversion else None
    if cls is not None and cls.__format__ is object.__format__:
        _refuse_spec(engine, cls.__name__, spec)
    if columnar.found(engine.heap, x) is not None or made_by_host(engine, x) is not None:
        return Compound("text", (as_it_is(engine, x),), ((conversion, spec),))
    try:
        known = engine.python_object(x)
    except LookupError:
        pass
    else:
        return engine.fold_object(support.format_spec, (known, conversion, spec))
    if is_variant(x, "optional") and is_exception(x.value) and not spec:
        shown = optional(formatted(engine, x.value, conversion), x.tag)
        return Compound("text", (shown,), (("s", ""),))
    if is_exception(x):
        return formatted(engine, _exception(engine, x, conversion), "", spec)
    if not conversion and (own := special(engine, x, "__format__", (Const(spec),))) is not None:
        return made_of(engine, own, str, "__format__ must return a str, not {}")
    if (shown := of_instance(engine, x, conversion)) is not None:
        if conversion.startswith("%"):  # of which the flags, width and precision are left
            return formatted(engine, shown, f"{conversion[:-1]}s")
        return formatted(engine, shown, "", spec) if spec else shown
    if is_dynamic(x) and not spec and conversion in ("", "s", "%s"):
        return x
    if is_number(x) and getattr(x, "kinds", None) is None:
        _check_field(engine, x, conversion, spec)
    return Compound("text", (as_it_is(engine, x),), ((conversion, spec),))


def of_instance(engine: Engine, x: Any, conversion: str = "") -> Any:
    """The text that an instance makes of itself; None where its class has no method for it."""
    kind = conversion[-1:]
    asked = ("__repr__",) if kind in ("r", "a") else ("__str__", "__repr__")
    for name in asked:
        if (shown := special(engine, x, name, ())) is not None:
            if kind not in ("", "s", "r", "a"):
                words = f"%{kind} of an instance is not supported"
                raise engine.refuse(words, "convert it with int() or float()")
            shown = made_of(engine, shown, str, f"{asked[0]} returned non-string (type {{}})")
            if kind == "a" and isinstance(shown, Const):
                return Const(shown.value.encode("ascii", "backslashreplace").decode())
            return shown
    return None


def _check_field(engine: Engine, x: Any, conversion: str, spec: str) -> None:
    """Raise here what the host would raise when the program has ended: what CPython says of another
    number of this type, or of this value."""
    cls = engine.rules.type_of(engine, x)
    engine.fold_object(support.format_spec, (cls(1), conversion, spec))
    kind = conversion[-1:] if conversion.startswith("%") else "" if conversion else spec[-1:]
    if kind == "c":
        words = OverflowError("%c arg not in range(0x110000)")
        for op, end in (("ge", 0), ("lt", 0x110000)):
            engine.ensure(engine.rules.compare(engine, op, x, Const(end)), words)
    elif kind in ("d", "i", "u") and number_type(x).dtype.kind == "f":
        for test, error in _NO_INT.items():
            found = call(engine, Const(test), [x], {})
            engine.ensure(engine.rules.compare(engine, "eq", found, Const(False)), error)


_NO_INT = {
    math.isnan: ValueError("cannot convert float NaN to integer"),
    math.isinf: OverflowError("cannot convert float infinity to integer"),
}


def is_shown_apart(engine: Engine, x: Any) -> bool:
    """Whether the host cannot make the text of `x` of its items."""
    if isinstance(x, Live) or coroutines.is_generator(x) or state_of(engine, x) is not None:
        return True
    return _shows_itself(engine, x)


def _shows_itself(engine: Engine, x: Any) -> bool:
    """Whether there are instances in columns of `x`: the program calls their `__repr__`."""
    if isinstance(x, Tuple):
        return any(_shows_itself(engine, i) for i in x.items)
    if not isinstance(x, Ref):
        return False
    if (held := columnar.found(engine.heap, x)) is not None:
        return holds_instances(held.item)
    match content_of(engine, x):
        case ListCell(items):
            return any(_shows_itself(engine, i) for i in items)
        case DictCell(items):
            return any(_shows_itself(engine, i) for i in items.values())
        case ObjectCell(cls, fields) if issubclass(cls, Keyed | Held):
            return any(_shows_itself(engine, i) for i in fields.values())
    return False


def _apart(engine: Engine, x: Any, spec: str) -> Any:
    """The text of a container of instances, or of a view of a dict; that of an iterator says where
    it lies in memory."""
    if isinstance(x, Ref | Tuple) and state_of(engine, x) is None:
        return _by_items(engine, x, spec)
    if not isinstance(x, Live):
        kind = arrays.kind_of(engine, x)
        raise engine.refuse(f"the text of a {kind} is not supported", "make a list of it: list(x)")
    name = f"dict_{x.kind}"
    _refuse_spec(engine, name, spec)
    items = formatted(engine, call(engine, Const(list), [engine.use(x)], {}), "r")
    return joined([Const(f"{name}("), items, Const(")")])


def _by_items(engine: Engine, x: Ref | Tuple, spec: str) -> Any:
    cls: Any = actual(engine.rules.type_of(engine, x))
    _refuse_spec(engine, cls.__name__, spec)
    if cls in methods.SHOWN:
        return call(engine, Const(methods.SHOWN[cls]), [x], {})
    if isinstance(x, Tuple):
        fields = tuple([Tuple((Const(n), i)) for n, i in zip(cls._fields, x.items, strict=True)])
        return call(engine, Const(fields_shown), [Const(cls.__name__), Tuple(fields)], {})
    if isinstance(engine.captures.member(engine.content(x).cls, "__repr__"), types.FunctionType):
        return special(engine, x, "__repr__", ())
    words = f"the text of a {cls.__name__} of instances is not supported"
    raise engine.refuse(words, "print its items")


def _refuse_spec(engine: Engine, name: str, spec: str) -> None:
    if spec:
        words = f"unsupported format string passed to {name}.__format__"
        engine.raise_constant(TypeError(words))


def made_by_host(engine: Engine, x: Any) -> dict[str, Any] | None:
    """The fields of an instance that stands for a container of Python's, by which the host makes
    it; None of others."""
    content = content_of(engine, x)
    if not isinstance(content, ObjectCell) or not hasattr(content.cls, "__pyxla_made__"):
        return None
    if content.cls is Namespace:  # what it is made of may have no text
        return None
    if issubclass(content.cls, set | frozenset):
        raise engine.refuse("the text of a set that data decides is not supported", "sort it")
    return dict(content.fields)


def as_it_is(engine: Engine, x: Any) -> Any:
    """`x` as what the host makes text of later, whatever is written to it meanwhile."""
    if is_variant(x, "optional"):
        return optional(as_it_is(engine, x.value), x.tag)
    return call(engine, Const(copy.deepcopy), [x], {}) if isinstance(x, Ref | Tuple) else x


def _exception(engine: Engine, x: Any, conversion: str) -> Any:
    """`str(x)` or `repr(x)` of an exception."""
    found = select(x, [_one_exception(engine, e, conversion) for e in alternatives(x)])
    if found is None:
        raise engine.refuse(
            "the text of the exception is not the same for all that arrive here",
            "write an `except` clause for each, or raise them with numbers instead of texts",
            remedy="case_split",
        )
    return found


def _one_exception(engine: Engine, x: Compound, conversion: str) -> Any:
    if issubclass(x.meta, HostError):
        held = engine.new(ObjectCell(HostError, {"number": x.items[0]}))
        return Compound("text", (held,), ((conversion, ""),))
    name = "__repr__" if conversion in ("r", "a") else "__str__"
    if isinstance(engine.captures.member(x.meta, name), types.FunctionType):
        return special(engine, as_instance(engine, x), name, ())
    items = get_attribute(engine, x, "args").items
    if issubclass(x.meta, OSError | UnicodeError | SyntaxError) and len(items) != 1:
        raise engine.refuse(f"the text of a {x.meta.__name__} is not supported in compiled code")
    if conversion in ("r", "a"):
        shown = [formatted(engine, item, "r") for item in items]
        parts = [part for item in shown for part in (Const(", "), item)][1:]
        return joined([Const(f"{x.meta.__name__}("), *parts, Const(")")])
    if len(items) == 1:
        return formatted(engine, items[0], "r" if issubclass(x.meta, KeyError) else "s")
    return formatted(engine, Tuple(tuple(items)), "s") if items else Const("")


@rule(str)
def _str(engine: Engine, x: Any = Const("")) -> Any:
    return formatted(engine, x, "s")


@rule(object.__str__, int.__repr__, float.__repr__, complex.__repr__)
def _str_of_number(engine: Engine, x: Any) -> Any:
    """`n.__str__()`"""
    if not is_number(x):
        raise engine.refuse("__str__ of `object` is not compiled", "call str() or repr()")
    return formatted(engine, x, "r")


@rule(repr)
def _repr(engine: Engine, x: Any) -> Any:
    return formatted(engine, x, "r")


def _in_base(function: Any, spec: str) -> None:
    @rule(function)
    def show(engine: Engine, n: Any) -> Any:
        """`bin(n)` and the like."""
        return formatted(engine, n if far.is_dynamic(n) else as_int(engine, n), "", spec)


for _function, _spec in ((bin, "#b"), (oct, "#o"), (hex, "#x")):
    _in_base(_function, _spec)


@rule(format)
def _format(engine: Engine, x: Any, spec: Any = Const("")) -> Any:
    return formatted(engine, x, "", engine.static(spec, "a format"))


# What is wrong with the number of values that a template is given by `%`.
_SHORT = "not enough arguments for format string"
_SPARE = "not all arguments converted during string formatting"

# How fields are numbered, by whether the program leaves it to Python.
_AUTOMATIC = {True: "automatic field numbering", False: "manual field specification"}


@rule(str.format)
def _str_format(engine: Engine, template: Any, /, *args: Any, **named: Any) -> Any:
    """`template.format(...)`"""
    return _Fields(engine, args, named).filled(template.value)


class _Fields:
    """The values of the fields of templates.

    count: fields that are numbered.  automatic: how, in CPython's words.
    """

    def __init__(self, engine: Engine, args: Sequence[Any], named: dict[str, Any]) -> None:
        self.engine, self.args, self.named = engine, args, named
        self.count, self.automatic = 0, ""

    def filled(self, template: str, within: int = 0) -> Any:
        """`within`: in how many fields the template is."""
        if within > 1:
            return self.engine.raise_constant(ValueError("Max string recursion exceeded"))
        parts: list[Any] = []
        for text, field, spec, conversion in string.Formatter().parse(template):
            parts.append(Const(text))
            if field is not None:
                first, rest = formatter_field_name_split(field)
                x = self.value(first)
                for is_attribute, name in rest:
                    take = getattr if is_attribute else operator.getitem
                    x = call(self.engine, Const(take), [x, Const(name)], {})
                if spec:
                    spec = self.engine.static(self.filled(spec, within + 1), "a format")
                parts.append(formatted(self.engine, x, conversion or "", spec or ""))
        return written(self.engine, parts)

    def value(self, field: str | int) -> Any:
        """The argument that a field names."""
        if isinstance(field, str) and field:
            if field not in self.named:
                return self.engine.raise_constant(KeyError(field))
            return self.named[field]
        before, self.automatic = self.automatic, _AUTOMATIC[field == ""]
        if before not in ("", self.automatic):
            message = f"cannot switch from {before} to {self.automatic}"
            return self.engine.raise_constant(ValueError(message))
        index = self.count if field == "" else int(field)
        self.count += 1
        if index >= len(self.args):
            message = f"Replacement index {index} out of range for positional args tuple"
            return self.engine.raise_constant(IndexError(message))
        return self.args[index]


def _is_mapping(engine: Engine, x: Any) -> bool:
    """Whether CPython takes `x` for a mapping on the right of `%`: it may have items to spare."""
    cls = python_class(engine, x)
    return (
        cls is not None
        and hasattr(cls, "__getitem__")
        and not issubclass(cls, tuple | str | collections.deque)
    )


def percent(engine: Engine, template: str, x: Any) -> Any:
    """`template % x`.

    https://docs.python.org/3/library/stdtypes.html#printf-style-string-formatting
    """
    held = columnar.found(engine.heap, x) if isinstance(x, Ref) else None
    size = reading.length(engine, held) if held is not None and held.cls is tuple else None
    places = itertools.count()
    given = iter(x.items if isinstance(x, Tuple) else (x,))
    if size is not None:
        given = _in_turn(engine, x, size, places)
    mapping = _is_mapping(engine, x)
    parts: list[Any] = []
    at = 0
    try:
        for match in _DIRECTIVE.finditer(template):
            parts.append(Const(template[at : match.start()]))
            at = match.end()
            if (key := match.group(1)) is not None:
                given = iter((_named(engine, x, key, mapping),))
            parts.append(_directed(engine, match, given))
        if size is not None:
            spent = engine.rules.compare(engine, "le", size, Const(next(places)))
            engine.ensure(spent, TypeError(_SPARE))
        elif not mapping and next(given, None) is not None:
            raise TypeError(_SPARE)
    except (TypeError, ValueError) as error:
        return engine.raise_constant(error)
    return written(engine, [*parts, Const(template[at:])])


def _in_turn(engine: Engine, x: Any, size: Any, places: Iterator[int]) -> Iterator[Any]:
    """The values of a template, of a tuple whose length is known at run time only."""
    for place in places:
        engine.ensure(engine.rules.compare(engine, "gt", size, Const(place)), TypeError(_SHORT))
        yield get_item(engine, x, Const(place))


def _named(engine: Engine, x: Any, key: str, mapping: bool) -> Any:
    if not mapping:
        raise TypeError("format requires a mapping")
    return get_item(engine, x, Const(key))


def _directed(engine: Engine, match: re.Match[str], given: Iterator[Any]) -> Any:
    """One field of a template, of the next of the values."""
    if match.group() == "%%":
        return Const("%")
    _, flags, width, precision, kind = match.groups()
    if kind == "(":
        if match.string.count("(", match.start()) > match.string.count(")", match.start()):
            raise ValueError("incomplete format key")
        raise engine.refuse("a key of a format with parentheses", "use an f-string")
    if not kind:
        raise ValueError("incomplete format")
    sizes = [
        size.replace("*", str(engine.static(_next(given), "a width"))) if "*" in size else size
        for size in (width, precision or "")
    ]
    value = _next(given)
    if kind not in "diouxXeEfFgGcrsa":
        at = f"(0x{ord(kind):x}) at index {match.end() - 1}"
        raise ValueError(f"unsupported format character {kind!r} {at}")
    return formatted(engine, value, f"%{flags}{sizes[0]}{sizes[1]}{kind}")


def _next(given: Iterator[Any]) -> Any:
    if (value := next(given, None)) is None:
        raise TypeError(_SHORT)
    return value
