"""Objects of the caller's from flat results, as an outcome describes them.

`builder` turns a tree of outs into nested closures, once per specialization.
"""

from __future__ import annotations

import array
import collections
import operator
import types
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.frontend.support import formatted
from pyxla.ir.types import tuple_maker
from pyxla.lib.containers import actual, c_base
from pyxla.lib.host_lists import items_of_columns
from pyxla.lib.random.state import STATES, copy_state
from pyxla.lib.records import FIELD
from pyxla.lib.variables import Variable
from pyxla.runtime.containers import fields_of
from pyxla.runtime.outcome import (
    Out,
    OutArgument,
    OutArray,
    Outcome,
    OutConst,
    OutDict,
    OutException,
    OutFormat,
    OutGrown,
    OutItem,
    OutList,
    OutMixed,
    OutNumbers,
    OutObject,
    OutPart,
    OutPool,
    OutPooled,
    OutRow,
    OutScalar,
    OutSet,
    OutTuple,
    OutVariant,
    OutView,
    Path,
    walk,
)

# A built tree: (flat results, the caller's arguments, objects made so far) -> object.
Builder = Callable[[Sequence[Any], Sequence[Any], dict[int, Any]], Any]


Convert = Callable[[Any], Any]


_NUMBERS = frozenset({float, int, bool})


def number(x: Any) -> Any:
    """A result that is a number as Python's number, which it may be already."""
    return x if type(x) in _NUMBERS else np.asarray(x).item()


def builder(
    out: Out,
    arrays: Sequence[Convert],
    scalar: Convert = number,
    repeated: Any = None,
    pools: Sequence[OutPool] = (),
) -> Builder:
    """The closure that makes what `out` describes.

    arrays[index] converts an array result, `scalar` a Python scalar.  repeated: see `repeated`;
    None where nothing is known.  pools: of the outcome.
    """
    return _Builders(arrays, scalar, repeated, pools).build(out)


def repeated(outcome: Outcome) -> frozenset[int]:
    """The ids of the outs that occur more than once, which are one object for the caller."""
    roots = [outcome.result, *[x.out for x in outcome.stores], *[p.rows for p in outcome.pools]]
    roots += [site.error for site in outcome.sites]
    counts = Counter([id(node) for root in roots for node in walk(root)])
    return frozenset([node for node, count in counts.items() if count > 1])


class _Builders:
    """Makes the closures for one tree: those of leaves take a result, all others what is below."""

    def __init__(self, arrays: Sequence[Convert], scalar: Convert, repeated: Any, pools: Any):
        self.pools: Sequence[OutPool] = pools
        self.arrays = arrays
        self.scalar = scalar
        self.repeated = repeated

    def build(self, out: Out) -> Builder:
        if (leaf := self.leaf(out)) is not None:
            convert, index = leaf
            return lambda values, args, made: convert(values[index])
        match out:
            case OutConst(value):
                return lambda values, args, made: value
            case OutSet(known):
                return lambda values, args, made: set(known)
            case OutMixed(index, outs) | OutVariant(index, outs):
                if isinstance(out, OutMixed) and self.scalar is not number:
                    return self.build(outs[-1])  # under a trace, an array of its dtype
                items = [self.build(o) for o in outs]
                return lambda values, args, made: items[number(values[index])](values, args, made)
            case OutPooled(pool, row, dynamic):
                return lambda values, args, made: self.instances(pool, values, args, made)[
                    number(values[row]) if dynamic else row
                ]
            case OutRow(pool, row):
                return lambda values, args, made: self.copied(pool, row, values, args, made)
            case OutArgument(path):
                return lambda values, args, made: resolve(args, path)
            case OutItem(path, index):
                return lambda values, args, made: resolve(args, path)[number(values[index])]
            case OutPart(base, steps):
                return self.part(base, steps)
            case OutFormat(parts):
                return _format(
                    [p if isinstance(p, str) else (self.build(p[0]), *p[1:]) for p in parts]
                )
            case OutException(cls, given, names, cause):
                return _exception(cls, self.each(given), names, self.each(cause))
            case OutTuple(cls, items):
                make = tuple_maker(cls)
                each = self.each(items)
                return lambda values, args, made: make(each(values, args, made))
        if self.is_single(out):
            return self.fresh(out)
        return _shared(out, self.fresh(out))

    def part(self, base: Out, steps: Sequence[Any]) -> Builder:
        """The closure for what is in a container."""
        whole = self.build(base)
        known = [s if isinstance(s, int | str) else self.build(s) for s in steps]

        def part(values: Sequence[Any], args: Sequence[Any], made: dict[int, Any]) -> Any:
            places = [s(values, args, made) if callable(s) else s for s in known]
            return resolve([whole(values, args, made)], (0, *places))

        return part

    def is_single(self, out: Out) -> bool:
        return self.repeated is not None and id(out) not in self.repeated

    def leaf(self, out: Out) -> tuple[Convert, int] | None:
        """How one result is converted, and which, where that is all."""
        match out:
            case OutArray(index, extents) if all(e is None for e in extents):
                return (self.arrays[index], index) if self.is_single(out) else None
            case OutScalar(index, "python"):
                return self.scalar, index
            case OutScalar(index):
                convert = self.arrays[index]
                if convert is np.array:
                    return _numpy_scalar, index
                return (lambda x: _immutable(convert(x))), index
        return None

    def each(self, outs: Sequence[Out]) -> Builder:
        """The closure for a list of what `outs` describe."""
        leaves = [self.leaf(out) for out in outs]
        pairs = [leaf for leaf in leaves if leaf is not None]
        if len(pairs) == len(leaves):
            return lambda values, args, made: [convert(values[index]) for convert, index in pairs]
        parts = [self.build(out) for out in outs]
        return lambda values, args, made: [p(values, args, made) for p in parts]

    def fresh(self, out: Out) -> Builder:
        """The closure for an object with identity, made anew."""
        match out:
            case OutArray(index, extents) if any(e is not None for e in extents):
                return _sized(index, extents, self.arrays[index])
            case OutArray(index):
                convert = self.arrays[index]
                return lambda values, args, made: convert(values[index])
            case OutNumbers(index, python):
                return _numbers(index, self.arrays[index], self.scalar if python else _immutable)
            case OutView(base, steps):
                root = self.build(base)
                return lambda values, args, made: _viewed(root(values, args, made), steps)
            case OutList(items):
                return self.each(items)
            case OutGrown():
                return self.list_of_columns(out)
            case OutDict(keys, items):
                each = self.each(items)
                return lambda values, args, made: dict(
                    zip(keys, each(values, args, made), strict=True)
                )
            case OutObject(cls, fields):
                make = maker(cls, tuple([name for name, _ in fields]))
                each = self.each([item for _, item in fields])
                return lambda values, args, made: make(each(values, args, made))
        raise TypeError(f"not an out: {out!r}")

    def list_of_columns(self, out: OutGrown) -> Builder:
        size, columns, item, cls = out.size, out.columns, out.item, out.cls
        converts = [self.arrays[column] for column in columns]

        def grown(values: Sequence[Any], args: Sequence[Any], made: dict[int, Any]) -> Any:
            items = items_of_columns(
                None if size is None else number(values[size]),
                [convert(values[c]) for c, convert in zip(columns, converts, strict=True)],
                item,
                lambda pool: self.instances(pool, values, args, made),
            )
            return items if cls is list else cls(items)

        return grown

    def instances(
        self, pool: int, values: Sequence[Any], args: Sequence[Any], made: dict[int, Any]
    ) -> list[Any]:
        """The instances in a pool, which may have each other in their fields."""
        key = -1 - 2 * pool  # no id of an out
        if key not in made:
            of = self.pools[pool]
            first = len(of.given)
            new = [_empty(of.cls) for _ in range(first, _size(of.rows, values))]
            made[key] = [*[resolve(args, path) for path in of.given], *new]
            for i, row in enumerate(self.rows(pool, values, args, made)[first:], first):
                fields = of.fields(row)
                made[key][i] = filled(made[key][i], of.cls, fields)
        return made[key]

    def copied(
        self, pool: int, row: int, values: Sequence[Any], args: Sequence[Any], made: dict[int, Any]
    ) -> Any:
        """A new object with the fields of one in a pool."""
        of = self.pools[pool]
        self.instances(pool, values, args, made)  # which may be in the fields
        fields = self.rows(pool, values, args, made)[row]
        return filled(_empty(of.cls), of.cls, of.fields(fields))

    def rows(
        self, pool: int, values: Sequence[Any], args: Sequence[Any], made: dict[int, Any]
    ) -> Sequence[Any]:
        """The fields of the instances in a pool, a tuple each."""
        key = -2 - 2 * pool
        if key not in made:
            made[key] = self.build(self.pools[pool].rows)(values, args, made)
        return made[key]


def _exception(cls: type, given: Builder, names: Sequence[str], cause: Builder) -> Builder:
    def raised(values: Sequence[Any], args: Sequence[Any], made: dict[int, Any]) -> Any:
        found = given(values, args, made)
        by_position = len(found) - len(names)
        named = dict(zip(names, found[by_position:], strict=True))
        error = cls(*found[:by_position], **named)
        for raised_from in cause(values, args, made):
            error.__cause__ = raised_from
        return error

    return raised


def _maker(cls: type) -> Any:
    """CPython's own `__new__` for a class: what one of the user's does, the program did."""
    news = [base.__dict__["__new__"] for base in cls.__mro__ if "__new__" in base.__dict__]
    return next(new for new in news if not isinstance(new, staticmethod))


def _empty(cls: type) -> Any:
    """An instance without attributes."""
    made = actual(cls)
    return _maker(made)(made)


def _size(rows: Any, values: Sequence[Any]) -> int:
    """How many items a list has."""
    if isinstance(rows, OutList):
        return len(rows.items)
    if rows.size is None:
        return len(np.asarray(values[rows.columns[0]]))
    return number(values[rows.size])


def _shared(out: Out, fresh: Builder) -> Builder:
    """As `fresh`, once per call."""
    token = id(out)

    def build(values: Sequence[Any], args: Sequence[Any], made: dict[int, Any]) -> Any:
        if token not in made:
            made[token] = fresh(values, args, made)
        return made[token]

    return build


def _sized(index: int, extents: tuple[int | None, ...], array: Convert) -> Builder:
    """An array of bounded extent, cut to its true size."""

    def build(values: Sequence[Any], args: Sequence[Any], made: dict[int, Any]) -> Any:
        sizes = [slice(None) if e is None else slice(number(values[e])) for e in extents]
        whole = array(values[index])
        cut = whole[tuple(sizes)]
        return cut.copy() if isinstance(cut, np.ndarray) and cut.size < whole.size else cut

    return build


def _format(pieces: Sequence[Any]) -> Builder:
    def build(values: Sequence[Any], args: Sequence[Any], made: dict[int, Any]) -> str:
        return formatted(pieces, lambda make: make(values, args, made))

    return build


def _numbers(index: int, array: Convert, scalar: Convert) -> Builder:
    """A list of the elements of an array."""
    if scalar is number:
        return lambda values, args, made: np.asarray(values[index]).tolist()
    return lambda values, args, made: _listed(array(values[index]), scalar)


def _listed(x: Any, convert: Convert) -> list[Any]:
    """The elements of an array in nested lists."""
    if x.ndim > 1:
        return [_listed(row, convert) for row in x]
    return [convert(element) for element in x]


def _immutable(x: Any) -> Any:
    """A NumPy scalar; among jax.Arrays it stays one."""
    return x[()] if isinstance(x, np.ndarray) else x


def _numpy_scalar(x: Any) -> Any:
    return np.asarray(x)[()]


def _viewed(x: Any, steps: tuple[tuple[str, Any], ...]) -> Any:
    for name, operand in steps:
        x = _STEPS[name](x, operand)
    return x


_STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "getitem": lambda x, key: x[key],
    "transpose": lambda x, axes: x.transpose(axes),
    "reshape": lambda x, shape: x.reshape(shape),
    "real": lambda x, _: x.real,
    "imag": lambda x, _: x.imag,
    "view": lambda x, dtype: x.view(dtype),
    "windows": lambda x, given: np.lib.stride_tricks.sliding_window_view(x, *given),
    "broadcast": lambda x, shape: np.broadcast_to(x, shape),
    "diagonal": lambda x, given: _diagonal(x, *given),
}


def _diagonal(x: Any, offset: int, first: int, second: int, writable: bool) -> Any:
    """The diagonal of two dimensions, which `einsum` lets one write to where the array is."""
    found = x.diagonal(offset, first, second)
    found.flags.writeable = writable and x.flags.writeable
    return found


def maker(cls: type, names: tuple[str, ...]) -> Callable[[Sequence[Any]], Any]:
    """`new_object` of that class for values of the fields `names`."""
    new = _maker(cls)
    update = object.__setattr__

    def make(values: Sequence[Any]) -> Any:
        made: Any = new(cls)
        update(made, "__dict__", dict(zip(names, values)))
        return made

    def make_by_field(values: Sequence[Any]) -> Any:
        made: Any = new(cls)
        for name, value in zip(names, values):
            update(made, name, value)
        return made

    if hasattr(cls, "__pyxla_fill__") or hasattr(cls, "__pyxla_made__") or cls in STATES:
        return lambda values: new_object(cls, dict(zip(names, values)))
    if not cls.__dictoffset__ or any(_is_described(cls, name) for name in ("__dict__", *names)):
        return make_by_field
    return make


def _is_described(cls: type, name: str) -> bool:
    """Whether the class says what setting that attribute does: a property, a slot."""
    found = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
    if name == "__dict__" and isinstance(found, types.GetSetDescriptorType):
        return False
    return hasattr(type(found), "__set__") or hasattr(type(found), "__delete__")


def new_object(cls: type, fields: dict[str, Any]) -> Any:
    """An instance with these fields, made as unpickling makes one: without running `__init__`."""
    if hasattr(cls, "__pyxla_fill__"):
        return filled(_empty(cls), cls, fields)
    if (make := getattr(cls, "__pyxla_made__", None)) is not None:
        return make(fields)
    if cls in STATES:
        return STATES[cls].new(fields)
    made = _empty(cls)
    fill(made, fields)
    return made


def filled(x: Any, cls: type, fields: dict[str, Any]) -> Any:
    """`x`, made empty, with these fields of `cls`: others in the result may have it already."""
    if cls in STATES:
        return STATES[cls].new(fields)  # which nothing that it holds can have
    if cls is dict:
        x.update(fields)
    elif cls is list:
        x.extend(fields["items"])
    elif hasattr(cls, "__pyxla_fill__"):
        cls.__pyxla_fill__(x, fields)
    elif hasattr(cls, "__pyxla_made__"):
        return _taken_over(x, new_object(cls, fields))
    else:
        fill(x, fields)
    return x


def _taken_over(x: Any, other: Any) -> Any:
    """`x`, empty, made what `other` is, of the same class."""
    match other:
        case frozenset() | bytes():
            return other  # which nothing that it holds can have
        case collections.deque():
            x.__init__(other, other.maxlen)
        case collections.defaultdict():
            x.__init__(other.default_factory, other)
        case _:
            x.__init__(other)
    return x


def fill(x: Any, fields: dict[str, Any]) -> None:
    """Set fields past frozen dataclasses' guards."""
    for name, value in fields.items():
        object.__setattr__(x, name, value)


def resolve(args: Sequence[Any], path: Path) -> Any:
    """The object at `path`: a step is an index or key of a container, or a field's name."""
    x = args[path[0]]
    for step in path[1:]:
        if isinstance(x, np.ndarray):
            x = x[step.removeprefix(FIELD)]
        elif isinstance(x, array.array):
            pass  # it is the list of its items, which `restore` changes
        else:
            x = list(x) if isinstance(x, set) else x
            items = list, tuple, dict, collections.deque
            read: Any = dict.__getitem__ if isinstance(x, dict) else operator.getitem
            x = read(x, step) if isinstance(x, items) else getattr(x, step)
    return x


def restore_lists(target: list[Any], source: list[Any]) -> None:
    """Give the lists of numbers in `target` their elements."""
    if source and isinstance(source[0], list):
        for held, items in zip(target, source, strict=True):
            restore_lists(held, items)
    else:
        restore(target, source)


def restore(target: Any, source: Any) -> None:
    """Give the container `target` the elements of `source`."""
    if isinstance(target, list):
        list.__setitem__(target, slice(None), source)
    elif isinstance(target, array.array):
        target[:] = array.array(target.typecode, source)
    elif isinstance(target, dict):
        plain = c_base(type(target))  # `update` of a Counter adds numbers
        if list(plain.keys(target)) != list(plain.keys(source))[: len(target)]:
            plain.clear(target)
        plain.update(target, source)
    elif isinstance(target, set):  # what stays keeps its place
        target -= target - source
        target |= source
    elif isinstance(target, collections.deque):
        target.clear()
        target.extend(source)
    elif type(target) in STATES:
        copy_state(target, source)
    elif isinstance(target, Variable):
        target.value = source.value
    else:
        fields = fields_of(source)
        for name in fields_of(target).keys() - fields.keys():
            object.__delattr__(target, name)
        fill(target, fields)
