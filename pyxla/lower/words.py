"""Small parameters, and small results, in one array of words: a buffer less for each of them.

    (%x: f64[], %n: i64[], %a: f64[99]) ...       (%words: i64[2], %a: f64[99])
                                                  %x = bitcast_convert(reshape(slice(%words))) ...
    return %y: f64[], %z: f64[3], %big            return concatenate(...): i64[4], %big

What passes between Python and XLA costs one to two microseconds a buffer, however small.  A word
has 64 bits, or 32 where everything in the array fits: floats as their bits, other numbers by value.

A long list of tuples or instances is hundreds of parameters, which the program reads as arrays of
all first items, all second ones and so on.  Parameters in that order are words one after the other,
and each such array is a part of these (`gathered`).
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Sequence
from typing import Any

import numpy as np

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, clone_region, substitute_region, users_of, uses
from pyxla.ir.types import WORDS, ArrayType, array_type, word_of
from pyxla.ops.elementwise import bitcast_convert, convert
from pyxla.ops.shape import concatenate, reshape
from pyxla.ops.shape import slice as slice_

# What arrays of parameters are made by.
_MADE_OF = (reshape, convert, concatenate)


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
    place = {param: i for i, param in enumerate(region.params)}
    order: dict[Value, None] = {}
    for run in [_run(instr, place) for instr in region.instrs]:
        others = [x for x in run if len(users[x]) > 1 or x in results]
        if order.keys().isdisjoint(run) and 8 * len(others) <= len(run):
            order.update(dict.fromkeys(run))
    idle = [x for x in region.params if x not in users and x not in results] if order else []
    return [place[x] for x in (*order, *idle)]


def _run(made: Any, params: Container[Value]) -> list[Value]:
    """The parameters of which an array that is made here has the elements, one after the other;
    none of any other array."""
    if not isinstance(made, Instr) or made.op is not concatenate:
        return []
    dimension = made.attrs["dimension"]
    if any(size != 1 for size in made.results[0].type.shape[:dimension]):
        return []
    found = []
    for x in made.operands:
        x = _unshaped(x)
        part = [x] if x in params else _run(x.owner, params)
        if not part:
            return []
        found += part
    return found


def _unshaped(x: Value) -> Value:
    """What has the elements of `x`, in another shape."""
    made = x.owner
    while isinstance(made, Instr) and made.op in (reshape, convert):
        if made.operands[0].type.dtype != x.type.dtype:
            break
        x = made.operands[0]
        made = x.owner
    return x


def _parted(params: Sequence[Value], region: Region) -> tuple[Value, Mapping]:
    """A parameter of words, and what computes from it each of `params`, and the arrays in `region`
    that have words which follow each other; what these were made of is taken out of the region."""
    types = [param.type for param in params]
    ends = [0, *itertools.accumulate([t.size for t in types])]
    words = Value(array_type(word_of(types), (ends[-1],)))
    place = {param: i for i, param in enumerate(params)}
    arrays: Mapping = {}
    for instr in region.instrs:
        run = [place[x] for x in _run(instr, place)]
        if run and run == [*range(run[0], run[-1] + 1)]:
            (result,) = instr.results
            arrays[result] = _part(words, ends[run[0]], ends[run[-1] + 1], result.type)
    substitute_region(region, arrays)
    used, kept = set(region.results), list[Instr]()
    for instr in reversed(region.instrs):
        if instr.op not in _MADE_OF or not used.isdisjoint(instr.results):
            kept.append(instr)
            used.update(uses(instr))
    region.instrs = kept[::-1]
    mapping = {
        param: _part(words, ends[i], ends[i + 1], param.type)
        for i, param in enumerate(params)
        if param in used
    }
    return words, mapping


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
