"""Small arguments and results of a program, packed into one array of words (`lower.words`).

    plan = planned(params, results, outcome)   what is packed; None where nothing is gained
    plan.region(region)                  the program that takes and gives words
    plan.operands(leaves)                its operands
    plan.values(results)                 the flat results of the program itself

What is packed are numbers and small arrays; arrays among the arguments have elements of the size of
a word.  A result that only becomes a Python or NumPy number comes out of the words as a Python
number.
"""

from __future__ import annotations

import itertools
import operator
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla import late
from pyxla.ir.core import Region
from pyxla.ir.types import ArrayType, fits, word_of
from pyxla.runtime.outcome import OutArray, Outcome, OutGrown, OutNumbers, walk

packing = late.module("pyxla.lower.words")
prologues = late.module("pyxla.lower.cpu.prologues")
# A number in a word of 64 bits, which `x` fills up; in one of 32 bits, less of them.
_FORMATS = {"f8": "d", "i8": "q", "u8": "Q", "f4": "f", "i4": "i", "u4": "I"}
_FORMATS |= {"f2": "exx", "i2": "hxx", "u2": "Hxx", "i1": "bxxx", "u1": "Bxxx", "b1": "?xxx"}
frombuffer = np.frombuffer
SMALL = 128  # elements of an array that is packed
_FEW = 2  # fewer results than these are as well left alone
_FEWEST = 3  # fewer arguments are: a new array of words costs as much as one operand
MANY = 32  # where what reads the words does not fuse, each of them is a kernel to compile


class Words:
    """How operands and results of one program are packed."""

    __slots__ = (
        "_arguments",
        "_others",
        "_packed",
        "_pieces",
        "_results",
        "_unpack",
        "numbers",
        "waits",
    )

    def __init__(
        self,
        types: Sequence[ArrayType],
        made: Sequence[ArrayType],
        outcome: Outcome,
        params: Sequence[int],
        results: Sequence[int],
    ) -> None:
        leaves = [outcome.inputs[i] for i in params]
        packed = set(params)
        self._others = [leaf for i, leaf in enumerate(outcome.inputs) if i not in packed]
        self._arguments = _packer([types[i] for i in params], leaves) if params else None
        arrays = _arrays(outcome)
        numbers = [i for i in results if _is_number(made[i]) and i not in arrays]
        pieces = [i for i in results if i not in numbers]
        results = numbers + pieces
        word = word_of([made[i] for i in results])
        self.numbers = frozenset(numbers)
        self._unpack = struct.Struct(_format([made[i] for i in numbers], word)).unpack_from
        ends = list(itertools.accumulate([made[i].size for i in results]))[len(numbers) :]
        self._pieces = [_piece(made[i], end, word) for i, end in zip(pieces, ends, strict=True)]
        order = [*dict.fromkeys([*results, *range(len(made))])]
        self._results = operator.itemgetter(*_inverse(order)) if results else None
        self.waits = self._results is not None
        self._packed = params, results

    def region(self, region: Region) -> Region:
        """The program that takes and gives words, for XLA:CPU."""
        return prologues.gather_prologues(self.packed(region))

    def packed(self, region: Region) -> Region:
        """A copy that takes and gives words."""
        return packing.in_words(region, *self._packed)

    def operands(self, leaves: Sequence[Any]) -> Sequence[Any]:
        others = [leaves[i] for i in self._others]
        return others if self._arguments is None else [self._arguments(leaves), *others]

    def values(self, results: Sequence[Any]) -> Sequence[Any]:
        """Waits for the program where results are packed."""
        if self._results is None:
            return results
        first, *others = results
        if not self._pieces:
            return self._results((*self._unpack(first), *others))
        words: Any = np.asarray(first)
        pieces = [piece(words) for piece in self._pieces]
        return self._results((*self._unpack(words), *pieces, *others))


def planned(
    params: Sequence[ArrayType], results: Sequence[ArrayType], outcome: Outcome
) -> Words | None:
    """How a program that has no array of JAX's packs what it takes and gives, of these types."""
    packed = _small_params(params, outcome.gathered)
    made = [i for i, type in enumerate(results) if fits(type) and 0 < type.size <= SMALL]
    if len(made) < _FEW:
        made = []
    return Words(params, results, outcome, packed, made) if packed or made else None


def _small_params(types: Sequence[ArrayType], gathered: int) -> list[int]:
    """The parameters that are packed: arrays, then numbers; gathered: how many of the first of all
    are read together."""
    numbers = [i for i, t in enumerate(types) if _is_number(t) and _plain(t)]
    small = [i for i, t in enumerate(types) if t.ndim > 0 and 0 < t.size <= SMALL]
    small = [i for i in small if types[i].dtype.str[1:] in _FORMATS]
    size = 8 if any(types[i].dtype.itemsize == 8 for i in numbers + small) else 4
    found = [i for i in small if types[i].dtype.itemsize == size] + numbers
    alone = [i for i in found if i >= gathered]
    return found if _FEWEST <= len(found) and len(alone) <= MANY else []


def _is_number(type: ArrayType) -> bool:
    return type.ndim == 0 and type.dtype.str[1:] in _FORMATS


def _plain(type: ArrayType) -> bool:
    """Whether what is of this type has its dtype: Python's numbers may be asked for in others."""
    return not type.weak or type.dtype.itemsize == 8 or type.dtype.kind == "b"


def _arrays(outcome: Outcome) -> set[int]:
    """The results that become arrays of the caller's, or parts of them."""
    found = {w.index for w in outcome.writes} | {p.index for p in outcome.patches}
    roots = [outcome.result, *[x.out for x in outcome.stores], *[p.rows for p in outcome.pools]]
    roots += [arg for site in outcome.sites for arg in site.args]
    for node in [node for root in roots for node in walk(root)]:
        if isinstance(node, (OutArray, OutNumbers)):
            found.add(node.index)
        elif isinstance(node, OutGrown):
            found.update(node.columns)
    return found


def _format(types: Sequence[ArrayType], word: np.dtype) -> str:
    formats = [_FORMATS[t.dtype.str[1:]] for t in types]
    fill = "" if word.itemsize == 4 else "xxxx"
    return "<" + "".join([f if t.dtype.itemsize == 8 else f + fill for f, t in zip(formats, types)])


def _packer(types: Sequence[ArrayType], leaves: Sequence[int]) -> Callable[[Sequence[Any]], Any]:
    """The function that puts those leaves, arrays and then numbers, into words."""
    word = word_of(types)
    count = sum([t.ndim > 0 for t in types])
    pack = struct.Struct(_format(types[count:], word)).pack
    arrays, numbers = _picker(leaves[:count]), _picker(leaves[count:])

    def packed_numbers(leaves: Sequence[Any]) -> bytes:
        try:
            return pack(*numbers(leaves))
        except struct.error as error:  # an int that 64 bits do not hold
            raise OverflowError(*error.args) from None

    def packed_arrays(leaves: Sequence[Any]) -> bytes:
        try:
            return b"".join(arrays(leaves))
        except TypeError:  # not in C order
            return b"".join([x.tobytes() for x in arrays(leaves)])

    if not count:
        return lambda leaves: frombuffer(packed_numbers(leaves), word)
    if count == len(types):
        return lambda leaves: frombuffer(packed_arrays(leaves), word)
    return lambda leaves: frombuffer(packed_arrays(leaves) + packed_numbers(leaves), word)


def _picker(indices: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    if len(indices) > 1:
        return operator.itemgetter(*indices)
    return lambda leaves: [leaves[i] for i in indices]


def _piece(type: ArrayType, end: int, word: np.dtype) -> Callable[[np.ndarray], np.ndarray]:
    """The function that takes one array out of the words; a view, where it can be one."""
    dtype, shape, part = type.dtype, type.shape, slice(end - type.size, end)
    if dtype.itemsize == word.itemsize:
        if len(shape) == 1:
            return lambda words: words[part].view(dtype)
        return lambda words: words[part].view(dtype).reshape(shape)
    if dtype.kind in "biu":
        return lambda words: words[part].astype(dtype).reshape(shape)
    bits = np.dtype(f"i{dtype.itemsize}")
    return lambda words: words[part].astype(bits).view(dtype).reshape(shape)


def _inverse(order: Sequence[int]) -> list[int]:
    """Where in a list with that order each element is."""
    return sorted(range(len(order)), key=order.__getitem__)
