"""Small parameters, and small results, in one array of words: a buffer less for each of them.

    (%x: f64[], %n: i64[], %a: f64[99]) ...       (%words: i64[2], %a: f64[99])
                                                  %x = bitcast_convert(reshape(slice(%words))) ...
    return %y: f64[], %z: f64[3], %big            return concatenate(...): i64[4], %big

What passes between Python and XLA costs one to two microseconds a buffer, however small.  A word
has 64 bits, or 32 where everything in the array fits: floats as their bits, other numbers by value.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, clone_region, substitute_region
from pyxla.ir.types import WORDS, array_type, word_of
from pyxla.ops.elementwise import bitcast_convert, convert
from pyxla.ops.shape import concatenate, reshape
from pyxla.ops.shape import slice as slice_


def in_words(region: Region, params: Sequence[int], results: Sequence[int]) -> Region:
    """A copy whose first parameter has the words of parameters `params`, in order, and whose first
    result those of `results`; the others follow.  Where one of the two is empty, there is none."""
    copy = clone_region(region, {})
    head: list[Instr] = []
    code, given = copy.instrs, copy.params
    if params:
        taken = [copy.params[i] for i in params]
        rest = [param for i, param in enumerate(copy.params) if i not in set(params)]
        with building(Builder(head)):
            words, mapping = _parted(taken)
        substitute_region(copy, mapping)
        given = (words, *rest)
    made = copy.results
    if results:
        rest = [value for i, value in enumerate(made) if i not in set(results)]
        with building(Builder(code)):
            made = (_joined([made[i] for i in results]), *rest)
    return Region(given, head + code, made)


def _parted(params: Sequence[Value]) -> tuple[Value, Mapping]:
    """A parameter of words, and what computes each of `params` from it."""
    types = [param.type for param in params]
    ends = list(itertools.accumulate([t.size for t in types]))
    words = Value(array_type(word_of(types), (ends[-1],)))
    mapping = {}
    for param, type, end in zip(params, types, ends, strict=True):
        start = end - type.size
        part = slice_(words, start_indices=(start,), limit_indices=(end,), strides=(1,))
        mapping[param] = _element(reshape(part, shape=type.shape), type.dtype)
    return words, mapping


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
