"""Functions of one of several known texts: what they are of each is computed while compiling.

`ord(c)`, `c.isdigit()` and `word[i]` where data decides which text `c` or `word` is: the results
are a table, read at the selector.  What the function raises of a text is raised where it is that.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Const, Variant
from pyxla.infer.arrays import access as arrays
from pyxla.infer.engine import Engine
from pyxla.infer.joins import choices
from pyxla.infer.joins.choices import is_choice
from pyxla.infer.lists import choosing, number_lists, reading
from pyxla.lib.operands import as_array
from pyxla.views.shadows import flag_of, one_of

_FUNCTIONS = frozenset({ord, int, float})
# Characters, of all results: a loop may make texts longer again and again.
_MOST = 1 << 14
_OUT_OF_RANGE = "string index out of range"


def is_one_of_texts(x: Any) -> bool:
    return is_choice(x) and {type(value) for value in x.values} in ({str}, {bytes})


def call(engine: Engine, function: Any, args: Sequence[Any]) -> Any:
    """`function(*args)`, a function or method of texts; None where this is no such call."""
    if not any(map(is_choice, args)):
        return None
    at = next((i for i, x in enumerate(args) if is_one_of_texts(x)), None)
    if at is None or not _is_of_texts(function):
        return None
    try:
        known = [None if i == at else engine.python_object(x) for i, x in enumerate(args)]
    except LookupError:
        return None
    return mapped(engine, args[at], lambda text: function(*known[:at], text, *known[at + 1 :]))


def _is_of_texts(function: Any) -> bool:
    if isinstance(function, types.MethodDescriptorType):
        return function.__objclass__ in (str, bytes)
    return function in _FUNCTIONS or type(getattr(function, "__self__", None)) in (str, bytes)


def mapped(engine: Engine, x: Variant, function: Callable[[str], Any]) -> Any:
    """`function(x)`; None where the results are of no one type, or too long to be a table."""
    results: list[Any] = []
    raised: list[tuple[str, Exception]] = []
    for text in x.values:
        try:
            results.append(function(text))
        except Exception as error:  # noqa: BLE001 - whatever it raises, the program raises
            raised.append((text, error))
            results.append(None)
    good = [result for result in results if result is not None]
    if len(good) + len(raised) < len(results) or len({type(result) for result in good}) != 1:
        return None
    if sum(len(result) for result in good if isinstance(result, str | bytes)) > _MOST:
        return None
    for text, raises in raised:
        engine.ensure(choices.test(x, text.__ne__), raises)
    return _looked_up(engine, x, [good[0] if result is None else result for result in results])


def _looked_up(engine: Engine, x: Variant, results: list[Any]) -> Any:
    """That of `results`, all of one type, which belongs to what `x` is."""
    if type(results[0]) in (str, bytes):
        return choices.one_of_these(x.tag, results)
    if type(results[0]) is bool:
        return flag_of(x.tag, results)
    if type(results[0]) is int:
        fits = all(-(2**63) <= result < 2**63 for result in results)
        return choices.lookup(x, results) if fits else None
    return choosing.picked(engine, tuple([Const(result) for result in results]), x.tag)


def get_item(engine: Engine, x: Variant, key: Any) -> Any:
    """`x[key]`; None where the key must be known."""
    if not number_lists.is_dynamic(key):
        known = engine.index(key, "the index of a text")
        return mapped(engine, x, lambda text: text[known])
    texts: tuple[str, ...] = x.values
    if type(texts[0]) is bytes:
        return None
    lengths = [len(text) for text in texts]
    width = max(lengths)
    if not width:
        return engine.raise_constant(IndexError(_OUT_OF_RANGE))
    key = _checked(engine, x, key, lengths)
    union = choices.united(*texts)
    # The characters from the beginning follow those counted from the end.
    table = np.zeros((len(texts), 2 * width), np.int64)
    for row, text in zip(table, texts, strict=True):
        places = choices.places_of(text, union)
        row[width : width + len(text)] = row[width - len(text) : width] = places
    binary = engine.rules.binary
    at = binary(engine, "mul", x.tag, Const(2 * width))
    at = binary(engine, "add", binary(engine, "add", at, Const(width)), key)
    found = arrays.getitem(engine, arrays.fresh(engine, as_array(table.ravel())), at)
    return choices.one_of_these(one_of(arrays.python_scalar(found, int).value, len(union)), union)


def _checked(engine: Engine, x: Variant, key: Any, lengths: Sequence[int]) -> Any:
    """`key` as a Python int; the program raises IndexError where it is out of range."""
    alike = len(set(lengths)) == 1 or not engine.tests(IndexError)
    size = Const(lengths[0]) if alike else choices.lookup(x, lengths)
    return reading.checked(engine, key, size, _OUT_OF_RANGE)
