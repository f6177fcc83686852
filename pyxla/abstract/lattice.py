"""The lattice of abstract values: what inference knows of a Python object.

    Const       exactly this object (any Python object; also the number 3, None, a function)
    Scalar      a Python bool, int, float or complex whose value is known at run time only
    Array       a NumPy array or NumPy scalar by value (immutable): what library functions see
    Ref         a reference to a mutable object on the abstract heap (`abstract.heap`)
    Tuple       a tuple or NamedTuple, element by element
    Compound    another immutable object with abstract parts: closures, bound methods, ranges, ...
    Variant     one of several, as a tag that is known at run time only says: a tagged union
    Conflict    no single type: two branches disagree, or a name is unbound; says why on use

A Scalar or an Array whose type is one of several at run time has `Kinds` (`infer.joins.kinds`).

Bottom is the absence of a value: code not reached yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts.constants import known_elements
from pyxla.abstract.structure import Operand, Structure
from pyxla.errors import CompileError, Location
from pyxla.frozen import dataclass
from pyxla.ir.core import Value
from pyxla.ir.types import PYTHON_DTYPES, PYTHON_TYPES, ArrayType, array_type, python_type


class NeedsStatic(Exception):  # noqa: N818 - a request, not an error
    """Someone needs the value of `scalar` while compiling: answered by making an argument static
    or by unrolling the loop that computes it; refused where neither is possible.  also: others that
    are needed as well.  most: whether what they are at most will do.  remedy: what may do then
    (`infer.demands`).  among: the contents of what it chooses among, if of mutable objects.
    in_vain: whether visits one by one have not ended a loop.
    """

    def __init__(self, scalar: Any, what: str = "") -> None:
        super().__init__(what)
        self.scalar = scalar
        self.what = what
        self.also: Sequence[Any] = ()
        self.most = False
        self.remedy = ""
        self.among: Sequence[Any] = ()
        self.in_vain = False
        self.loc: Location | None = None
        self.chain: tuple[Location, ...] = ()
        self.otherwise: CompileError | None = None


class Const(Structure):
    """Exactly `value`."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Kinds:
    """The types that a scalar may be of, Python's and NumPy's, and which of them it is at run time:
    `choices[tag]` (`infer.joins.kinds`).  `tests`, where known, tell which, as in
    `Conflict`; of one kind there is no tag.  `exact` is the number, where it is an int of 64
    bits, as that; None where the wider type holds it unchanged."""

    __slots__ = ("choices", "exact", "tag", "tests")

    def __init__(
        self, choices: tuple[type, ...], tag: Any, tests: tuple[Value, ...] = (), exact: Any = None
    ) -> None:
        self.choices = choices
        self.tag = tag
        self.tests = tests
        self.exact = exact

    @property
    def parts(self) -> tuple[Any, ...]:
        """The numbers directly inside."""
        return tuple([x for x in (self.tag, self.exact) if x is not None])


class Computed(Operand):
    """What a Value of the typed program holds; an int or bool where that is known."""

    __slots__ = ("value",)
    value: Value

    @property
    def type(self) -> ArrayType:
        return self.value.type

    @property
    def dtype(self) -> np.dtype:
        return self.value.type.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.type.shape

    @property
    def ndim(self) -> int:
        return len(self.value.type.shape)

    @property
    def size(self) -> int:
        return self.value.type.size

    def _known(self) -> np.ndarray:
        """The int or bool that this is while compiling; NeedsStatic where it is none."""
        found = None if self.shape else known_elements(self.value)
        if found is None:
            raise NeedsStatic(self)
        return found

    def __index__(self) -> int:
        return int(self._known())

    def __bool__(self) -> bool:
        return bool(self._known())

    __int__ = __index__

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.type})"


class Scalar(Computed):
    """A dynamic Python scalar: `kind` is bool, int, float or complex, `value` a weak 0-d Value.

    `fact` is what is proven of an int (`abstract.facts.extent.IntFact`), or None; `test` is how a
    bool was computed, `(direction, x, y)` for a comparison of ints, so that branches refine facts.

    In library functions `int(x)`, `range(x)` and `if x:` demand its static value (NeedsStatic).
    """

    __slots__ = ("fact", "kinds", "test")

    def __init__(
        self, value: Value, fact: Any = None, test: Any = None, kinds: Kinds | None = None
    ) -> None:
        self.value = value
        self.fact = fact
        self.test = test
        self.kinds = kinds

    @property
    def kind(self) -> type:
        return PYTHON_TYPES[self.value.type.dtype]

    def __float__(self) -> float:
        raise NeedsStatic(self)


class Array(Computed):
    """A NumPy array by value, or (shape `()` in the engine) a NumPy scalar.

    `extents[d]` is None where dimension `d` is full, else the true size (a Scalar of kind int, at
    most `shape[d]`) of a *bounded extent*: elements at and past it are meaningless.  Library
    functions see bounded extents only when registered with `bounded=True`.
    """

    __slots__ = ("extents", "kinds")

    def __init__(
        self,
        value: Value,
        extents: tuple[Scalar | None, ...] | None = None,
        kinds: Kinds | None = None,
    ) -> None:
        self.value = value
        self.extents = extents
        self.kinds = kinds


class Tuple(Structure):
    """A tuple of abstract values; `cls` is `tuple` or a NamedTuple class."""

    __slots__ = ("cls", "items")

    def __init__(self, items: tuple[Any, ...], cls: type = tuple) -> None:
        self.items = items
        self.cls = cls

    @property
    def parts(self) -> tuple[Any, ...]:
        return self.items

    @property
    def form(self) -> Any:
        return self.cls, len(self.items)

    def rebuild(self, parts: Sequence[Any]) -> Tuple:
        return Tuple(tuple(parts), self.cls)


class Ref(Structure):
    """A reference to heap cell `cell` through `view` (a chain of view steps, arrays only)."""

    __slots__ = ("cell", "view")

    def __init__(self, cell: int, view: tuple[Any, ...] = ()) -> None:
        self.cell = cell
        self.view = view


# Kinds of compounds that are called as functions are.
FUNCTIONS = frozenset({"function", "method", "partial", "transformed"})


class Compound(Structure):
    """An immutable object made of abstract parts: a function with its closure, a bound method, a
    slice, a range, a `zip`, an exception.

    Two compounds of the same `kind` and `meta` (static, compared with `==`) join part by part.

        kind        items                                meta
        function    captured boxes and defaults          syntax, free names, defaults, module
        method      function, object
        partial     function, arguments                  number of positional ones, keywords
        cached      function
        transformed  function, what it is bound to       the transformation (`grad.transforms`)
        generator   arguments, boxes, whether it is read SSA, names, module, function
        range       start, stop, step
        slice       start, stop, step
        zip, map, enumerate, reversed, filter            the sequences (and the function)
        super       object                               class, where the search begins
        text        values                               pieces (`infer.text.pieces`)
        exception   arguments                            class
        keywords    the last of those, by name           names
        pytree      leaves                               class, structure
        far         an int of 64 bits                    what is added to it (`ir.types.Far`)

    origin: of an exception that may be raised again, where it was raised first.
    """

    __slots__ = ("items", "kind", "meta", "origin")

    def __init__(
        self, kind: str, items: tuple[Any, ...] = (), meta: Any = None, origin: Any = None
    ) -> None:
        self.kind = kind
        self.items = items
        self.meta = meta
        self.origin = origin

    @property
    def parts(self) -> tuple[Any, ...]:
        return self.items

    @property
    def form(self) -> Any:
        return self.kind, len(self.items), self.meta, self.origin

    @property
    def in_step(self) -> tuple[Any, ...]:
        """The sequences that a lazy one reads."""
        return {"zip": self.items, "map": self.items[1:]}.get(self.kind, self.items[:1])

    def rebuild(self, parts: Sequence[Any]) -> Compound:
        return type(self)(self.kind, tuple(parts), self.meta, self.origin)


class Live(Compound):
    """What is looked at anew wherever it is used: `keys()`, `values()` or `items()` of a dict.

    kind: which of them.  items: the dict.
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """A constant of a frame: a loop reads this view ("", itself) of a container, which all calls
    that are open share, or (None) of which each has its own; late: it looks for an item before it
    looks at the size."""

    container: Ref | None
    late: bool
    view: str


SAME_TYPE = "assign the same type on every path"
SAME_SHAPE = "give the array one shape on every path"


class Conflict(Structure):
    """No single type.  Using it is refused with `reason` and the places in `notes`, unless one of
    `tests`, the conditions that decide which path is taken, can be made known.

    hint: what to write instead.  demand: what would do besides, by name (`infer.demands`).
    sites: of lists that meet, which might be in one pool instead (`infer.lists.sites`).
    among: what refers to instances that would have to be in pools.
    """

    __slots__ = ("among", "demand", "hint", "notes", "reason", "sites", "tests")

    def __init__(
        self,
        reason: str,
        notes: tuple[tuple[str, Location | None], ...] = (),
        tests: tuple[Value, ...] = (),
        hint: str = SAME_TYPE,
        demand: str = "",
    ) -> None:
        self.reason = reason
        self.notes = notes
        self.tests = tests
        self.hint = hint
        self.demand = demand
        self.sites: frozenset[Any] = frozenset()
        self.among: tuple[Any, ...] = ()


class Unbound(Conflict):
    """A name that has no value; reading it raises `error`."""

    __slots__ = ("error", "name")

    def __init__(
        self, name: str, loc: Location | None = None, error: Exception | None = None
    ) -> None:
        super().__init__(f"{name!r} is not assigned here", (("no value", loc),) if loc else ())
        self.name = name
        self.error = error or UnboundLocalError(
            f"cannot access local variable {name!r} where it is not associated with a value"
        )

    @property
    def remedy(self) -> str:
        return f"assign {self.name!r} before this line"


class Variant(Structure):
    """A tagged union: `items[tag]`, where `tag` is known at run time only.

        kind      items           tag
        unbound   Unbound, value  a bool: False is 0, True 1
        optional  None, value     likewise: `best = None`, which a loop may set
        constant  known texts, members of enums, classes    an int (`infer.joins.choices`)
        exception exceptions      an int (`infer.raising.exceptions`)
        mixed     values          an int: `shape = Square(s) if test else Circle(s)`
        alias     references      an int; on its way only (`infer.joins.unions`)

    What None does not have raises, as does reading a name that is unbound.  An instruction that
    uses one of several values of no one type is visited for each of them
    (`infer.calls.case_split`); elsewhere that is refused as `conflict` is, and so is what must know
    which constant there is.
    """

    __slots__ = ("conflict", "items", "kind", "tag")

    def __init__(
        self, kind: str, tag: Scalar, items: tuple[Any, ...], conflict: Conflict | None = None
    ) -> None:
        self.kind = kind
        self.tag = tag
        self.items = items
        self.conflict = conflict

    @property
    def value(self) -> Any:
        """What that is which may be missing, where it is not."""
        return self.items[1]

    @property
    def values(self) -> tuple[Any, ...]:
        """The constants that it may be."""
        return tuple([item.value for item in self.items])

    @property
    def parts(self) -> tuple[Any, ...]:
        return *self.items, self.tag

    @property
    def form(self) -> Any:
        return self.kind, len(self.items)

    def rebuild(self, parts: Sequence[Any]) -> Variant:
        *items, tag = parts
        return Variant(self.kind, tag, tuple(items), self.conflict)


def is_number(x: Any) -> bool:
    """Whether `x` is a Python or NumPy scalar, known or not."""
    if type(x) is Const:
        return isinstance(x.value, (bool, int, float, complex, np.generic))
    return type(x) is Scalar or type(x) is Array


def is_beyond(x: Any) -> bool:
    """Whether `x` is an int of more than 64 bits: it is known, and meets no others."""
    return type(x) is Const and type(x.value) is int and not -(2**63) <= x.value < 2**63


def number_type(x: Any) -> ArrayType:
    """The type of a scalar (`is_number`), a Python scalar's being weak."""
    if type(x) is Const:
        kind = type(x.value)
        if kind in PYTHON_DTYPES:
            return python_type(kind)
        return array_type(np.asarray(x.value).dtype)
    return x.value.type


def describe(x: Any) -> str:
    """What `x` is, in the user's terms."""
    if isinstance(x, Const):
        if isinstance(x.value, (bool, int, float, complex, str, np.generic)) or x.value is None:
            return f"{type(x.value).__name__} {x.value!r:.60}" if x.value is not None else "None"
        name = getattr(x.value, "__name__", None)
        return f"{type(x.value).__name__} {name}" if name else type(x.value).__name__
    if isinstance(x, Scalar):
        return str(x.type)
    if isinstance(x, Array):
        return f"numpy.{x.dtype}" if not x.shape else f"array {x.type}"
    if isinstance(x, Tuple):
        return f"{x.cls.__name__} ({', '.join(map(describe, x.items))})"
    if isinstance(x, Compound) and x.kind == "far":
        return "an int of more than 64 bits"
    if isinstance(x, Compound):
        return f"pytree {x.meta[0].__name__}" if x.kind == "pytree" else x.kind
    if isinstance(x, Conflict):
        return x.reason
    if isinstance(x, Variant):
        order = {"optional": x.items[::-1], "unbound": x.items[1:]}.get(x.kind, x.items)
        return " or ".join(dict.fromkeys(map(describe, order)))
    return "mutable object"


# Stands for the value of a name on a path that did not assign it.
UNDEFINED = Const(None)
NONE = Const(None)


def plain(x: Any) -> Any:
    """A known value as Python's; anything else as it is."""
    return x.value if type(x) is Const else x


def as_const(x: Any) -> Any:
    """As `plain`, the other way round, of ints."""
    return Const(x) if isinstance(x, int) else x


def optional(value: Any, some: Scalar) -> Variant:
    """`value` where the bool `some` holds, else None."""
    return Variant("optional", some, (NONE, value))


def is_variant(x: Any, kind: str) -> bool:
    """Whether `x` is one of several of this kind."""
    return type(x) is Variant and x.kind == kind


def may_be_unbound(x: Any) -> bool:
    """Whether `x` is that of a name, or field, that has no value on some path."""
    return isinstance(x, Unbound) or is_variant(x, "unbound")


def is_none(x: Any) -> bool | None:
    """Whether `x` is None; None where that is known at run time only."""
    if type(x) is Variant and x.kind == "optional":
        return None
    return x is UNDEFINED or (type(x) is Const and x.value is None)


def has_value(x: Any, kind: str) -> Any:
    """Whether `x` is not missing, None or unbound by the kind of variant that says so; a bool."""
    if is_variant(x, kind):
        return x.tag
    return Const(not (is_none(x) if kind == "optional" else isinstance(x, Unbound)))


def value_of(x: Any, kind: str) -> Any:
    """What `x` is where it is not missing (see `has_value`); UNDEFINED where it is."""
    if is_variant(x, kind):
        return x.value
    return x if has_value(x, kind).value else UNDEFINED


def taken_apart(x: Any) -> Any:
    """A known tuple as one of known items; anything else as it is."""
    if isinstance(x, Const) and isinstance(x.value, tuple):
        return Tuple(tuple([Const(item) for item in x.value]), type(x.value))
    return x
