"""Small parameters, and small results, in one array of words: a buffer less for each of them.

    (%x: f64[], %n: i64[], %a: f64[99]) ...       (%words: i64[2], %a: f64[99])
                                                  %x = bitcast_convert(reshape(slice(%words))) ...
    return %y: f64[], %z: f64[3], %big            return concatenate(...): i64[4], %big

What passes between Python and XLA costs one to two microseconds a buffer, however small.  A word
has 64 bits, or 32 where everything in the array fits: floats as their bits, other numbers by value.

A long list of tuples or instances is hundreds of parameters, which the program reads as arrays of
all first items, all second ones and so on.  Parameters in that order are words one after the other,
and each such array is a part of these (`gathered`); rows of several lengths, which are padded, or
some of whose numbers are known, are read from their places.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, clone_region, substitute_region, users_of, uses
from pyxla.ir.types import WORDS, ArrayType, array_type, word_of
from pyxla.ops.elementwise import bitcast_convert, convert, select
from pyxla.ops.index import gather_along
from pyxla.ops.shape import concatenate, constant, pad, reshape
from pyxla.ops.shape import slice as slice_

# What arrays of parameters are made by.
_MADE_OF = (reshape, convert, concatenate, pad)
_MANY = 16  # elements of an array that lie apart
_LARGE = 1 << 16  # elements of a constant that is no part of such arrays


def in_words(region: Region, params: Sequence[int], results: Sequence[int]) -> Region:
    """A copy whose first parameter has the words of parameters `params`, in order, and whose first
    result those of `results`; the others follow.  Where one of the two is empty, there is none."""
    copy = clone_region(region, {})
    head: list[Instr] = []
    given = copy.params
    if params:
        taken = [copy.params[i] for i in params]
        rest = [copy.params[i] for i in _others(copy.params, params)]
        with building(Builder(head)):
            words, mapping = _parted(taken, copy)
        substitute_region(copy, mapping)
        given = (words, *rest)
    made = copy.results
    if results:
        rest = [made[i] for i in _others(made, results)]
        with building(Builder(copy.instrs)):
            made = (_joined([made[i] for i in results]), *rest)
    return Region(given, head + copy.instrs, made)


def _others(values: Sequence[Value], places: Sequence[int]) -> list[int]:
    """The places of `values` that are not among `places`, in order."""
    return sorted({*range(len(values))}.difference(places))


def gathered(region: Region) -> list[int]:
    """The parameters that are read as parts of such arrays, all but a few of them only so, in the
    order in which these have them; then those that are not read."""
    users, results = users_of(region), set(region.results)
    ends = _ends(region.params)
    starts = dict(zip(region.params, ends, strict=False))
    order: dict[Value, None] = {}
    for instr in reversed(region.instrs):  # the whole before its parts
        if instr.op is not concatenate or (found := _elements(instr.results[0], starts)) is None:
            continue
        held = np.searchsorted(ends, found.places[found.places >= 0], side="right") - 1
        run = [region.params[i] for i in dict.fromkeys(held.tolist())]
        others = [x for x in run if len(users[x]) > 1 or x in results]
        if order.keys().isdisjoint(run) and 8 * len(others) <= len(run):
            order.update(dict.fromkeys(run))
    idle = [x for x in region.params if x not in users and x not in results] if order else []
    place = {param: i for i, param in enumerate(region.params)}
    return [place[x] for x in (*order, *idle)]


def _ends(params: Sequence[Value]) -> list[int]:
    """Where the elements of each are, one after the other."""
    return [0, *itertools.accumulate([param.type.size for param in params])]


class Elements(NamedTuple):
    """The elements of an array: which one of the parameters each is, -1 for one that is constant,
    and that."""

    places: np.ndarray
    constants: np.ndarray

    def map(self, move: Callable[[np.ndarray], np.ndarray]) -> Elements:
        return Elements(*map(move, self))


def _elements(x: Value, starts: dict[Value, int]) -> Elements | None:
    """The elements of an array that is made of parameters, which are counted from `starts`, and of
    constants alone; None of any other array."""
    shape, made = x.type.shape, x.owner
    if x in starts:
        places = starts[x] + np.arange(x.type.size).reshape(shape)
        return Elements(places, np.zeros(shape, x.type.dtype))
    if not isinstance(made, Instr):
        return None
    if made.op is constant and x.type.size <= _LARGE:
        return Elements(np.full(shape, -1), np.broadcast_to(made.attrs["value"], shape))
    if made.op not in _MADE_OF or any(y.type.dtype != x.type.dtype for y in made.operands):
        return None
    parts = [_elements(y, starts) for y in made.operands]
    found = [part for part in parts if part is not None]
    if len(found) < len(parts):
        return None
    if made.op is concatenate:
        whole = [np.concatenate(held, made.attrs["dimension"]) for held in zip(*found)]
        return Elements(*whole)
    if made.op is not pad:
        return found[0].map(lambda held: held.reshape(shape))
    edges = [made.attrs[name] for name in ("edge_padding_low", "edge_padding_high")]
    if any(made.attrs["interior_padding"]) or min(map(min, edges), default=0) < 0:
        return None
    around = list(zip(*edges, strict=True))
    (places, constants), fill = found
    if fill.places.max() >= 0:
        return None
    constants = np.pad(constants, around, constant_values=fill.constants)
    return Elements(np.pad(places, around, constant_values=-1), constants)


def _parted(params: Sequence[Value], region: Region) -> tuple[Value, Mapping]:
    """A parameter of words, and what computes from it each of `params`, and the arrays in `region`
    that are made of these; what made them is taken out of the region."""
    types = [param.type for param in params]
    ends = _ends(params)
    words = Value(array_type(word_of(types), (ends[-1],)))
    starts = dict(zip(params, ends, strict=False))
    arrays: Mapping = {}
    used, kept = set(region.results), list[Instr]()
    for instr in reversed(region.instrs):
        if instr.op in _MADE_OF:
            (result,) = instr.results
            if result not in used:
                continue
            if (found := _elements(result, starts)) is not None:
                array = _array(words, found.map(np.ravel), result.type)
                if array is not None:
                    arrays[result] = array
                    continue
        kept.append(instr)
        used.update(uses(instr))
    region.instrs = kept[::-1]
    mapping = {
        param: _part(words, ends[i], ends[i + 1], param.type)
        for i, param in enumerate(params)
        if param in used
    }
    return words, mapping | arrays


def _array(words: Value, found: Elements, type: ArrayType) -> Value | None:
    """An array of these elements of the words; None where these are few, and lie apart."""
    places, constants = found
    if places.size and np.array_equal(places, np.arange(places[0], places[0] + places.size)):
        return _part(words, int(places[0]), int(places[-1]) + 1, type) if places[0] >= 0 else None
    if places.size < _MANY or places.max() < 0:
        return None
    taken = _element(gather_along(words, constant(value=np.maximum(places, 0))), type.dtype)
    if places.min() < 0:
        taken = select(constant(value=places >= 0), taken, constant(value=constants))
    return reshape(taken, shape=type.shape)


def _part(words: Value, start: int, end: int, type: ArrayType) -> Value:
    """What some of the words hold, of a type."""
    part = slice_(words, start_indices=(start,), limit_indices=(end,), strides=(1,))
    return _element(reshape(part, shape=type.shape), type.dtype)


def _element(words: Value, dtype: np.dtype) -> Value:
    if dtype.kind in "biu":
        return _converted(words, dtype)
    return bitcast_convert(_converted(words, WORDS[dtype.itemsize]), dtype=dtype)


def _joined(values: Sequence[Value]) -> Value:
    """The words of `values`, one after the other."""
    word = word_of([value.type for value in values])
    flat = [reshape(_word(value, word), shape=(value.type.size,)) for value in values]
    return concatenate(*flat, dimension=0) if len(flat) > 1 else flat[0]


def _word(x: Value, word: np.dtype) -> Value:
    dtype = x.type.dtype
    if dtype.kind not in "biu":
        x = bitcast_convert(x, dtype=WORDS[dtype.itemsize])
    return _converted(x, word)


def _converted(x: Value, dtype: np.dtype) -> Value:
    return x if x.type.dtype == dtype else convert(x, dtype=dtype)
