"""The states of generators as fields, and back.

Of a generator that compiled programs draw from, `STATES` says how it is taken apart:

    Generator       bit_generator
    PCG64           high, low, inc_high, inc_low, full, half    (`lib.random.pcg64`)
    MT19937         key, pos, lazy                              (`lib.random.mt19937`)
    RandomState     _bit_generator, has_spare, spare: a normal number that waits to be drawn
    random.Random   key, pos, lazy, has_spare, spare
"""

from __future__ import annotations

import array
import ctypes
import functools
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pyxla.lib.random.mt19937 import WORDS, completed

Fields = dict[str, Any]
FIELDS = ("high", "low", "inc_high", "inc_low", "full", "half")
TWISTER = ("key", "pos", "lazy")
SPARE = ("has_spare", "spare")
_WORD = (1 << 64) - 1


class State(NamedTuple):
    """How generators of one class are taken apart: open(x) gives the values of the fields `names`,
    set(x, fields) puts x into that state, new() makes one.  drawn: the fields that each number
    which is drawn changes."""

    names: tuple[str, ...]
    open: Callable[[Any], tuple[Any, ...]]
    set: Callable[[Any, Fields], None]
    new: Callable[[Fields], Any]
    drawn: tuple[str, ...] = ()


# --- PCG64 ---------------------------------------------------------------------------------------


def opened(bits: np.random.PCG64) -> tuple[Any, ...]:
    """The values of `FIELDS`: four u64, a bool and a u32."""
    state: Any = bits.state
    words = state["state"]
    value, increment = words["state"], words["inc"]
    return (
        np.uint64(value >> 64),
        np.uint64(value & _WORD),
        np.uint64(increment >> 64),
        np.uint64(increment & _WORD),
        np.bool_(state["has_uint32"]),
        np.uint32(state["uinteger"]),
    )


def set_state(bits: np.random.PCG64, fields: Fields) -> None:
    """Put `bits` into the state that `fields` say."""
    words = {name: int(fields[name]) for name in FIELDS}
    bits.state = {
        "bit_generator": "PCG64",
        "state": {
            "state": words["high"] << 64 | words["low"],
            "inc": words["inc_high"] << 64 | words["inc_low"],
        },
        "has_uint32": words["full"],
        "uinteger": words["half"],
    }


def _new_pcg64(fields: Fields) -> np.random.PCG64:
    bits = np.random.PCG64(0)
    set_state(bits, fields)
    return bits


# --- The Mersenne Twister ------------------------------------------------------------------------


def _memory(bits: np.random.MT19937) -> np.ndarray:
    """The key and the position as u32[625], where NumPy has them."""
    address = bits.ctypes.state_address
    words: Any = (ctypes.c_uint32 * (WORDS + 1)).from_address(address)
    return np.frombuffer(words, np.uint32)


@functools.cache
def _is_laid_out() -> bool:
    """Whether the memory of the installed NumPy's generators is what `_memory` takes it for."""
    bits = np.random.MT19937(0)
    bits.random_raw(5)
    held = bits.state["state"]
    return [*_memory(bits)] == [*held["key"], held["pos"]]


def _twister(bits: np.random.MT19937) -> tuple[Any, ...]:
    if _is_laid_out():
        words = np.array(_memory(bits))
        return words[:WORDS], np.int64(words[WORDS]), np.False_
    held: Any = bits.state["state"]
    return held["key"], np.int64(held["pos"]), np.False_


def _whole(fields: Fields) -> tuple[np.ndarray, int]:
    """The key with all of its words, and the position."""
    key, pos = np.asarray(fields["key"]), int(fields["pos"])
    return (completed(key, pos) if fields["lazy"] else key), pos


def _set_twister(bits: np.random.MT19937, fields: Fields) -> None:
    key, pos = _whole(fields)
    if _is_laid_out():
        memory = _memory(bits)
        memory[:WORDS], memory[WORDS] = key, pos
    else:
        bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": pos}}


def _new_twister(fields: Fields) -> np.random.MT19937:
    bits = np.random.MT19937(0)
    _set_twister(bits, fields)
    return bits


def _spare_of(x: np.random.RandomState) -> tuple[Any, ...]:
    held: Any = x.get_state(legacy=False)
    return x._bit_generator, np.bool_(held["has_gauss"]), np.float64(held["gauss"])


def _set_spare(x: np.random.RandomState, fields: Fields) -> None:
    has, spare = int(fields["has_spare"]), float(fields["spare"])
    x.set_state({**x._bit_generator.state, "has_gauss": has, "gauss": spare})


def _new_legacy(fields: Fields) -> np.random.RandomState:
    made = np.random.RandomState(fields["_bit_generator"])
    _set_spare(made, fields)
    return made


def _of_python(x: random.Random) -> tuple[Any, ...]:
    _, words, spare = x.getstate()
    key = np.frombuffer(array.array("I", words), np.uint32)
    waiting = np.bool_(spare is not None), np.float64(spare or 0.0)
    return np.array(key[:WORDS]), np.int64(words[WORDS]), np.False_, *waiting


def _set_python(x: random.Random, fields: Fields) -> None:
    key, pos = _whole(fields)
    spare = float(fields["spare"]) if fields["has_spare"] else None
    x.setstate((3, (*key.tolist(), pos), spare))


def _new_python(fields: Fields) -> random.Random:
    made = random.Random(0)
    _set_python(made, fields)
    return made


STATES: dict[type, State] = {
    np.random.Generator: State(
        ("bit_generator",),
        lambda x: (x.bit_generator,),
        lambda x, fields: None,
        lambda fields: np.random.Generator(fields["bit_generator"]),
    ),
    np.random.PCG64: State(FIELDS, opened, set_state, _new_pcg64, ("high", "low")),
    np.random.MT19937: State(TWISTER, _twister, _set_twister, _new_twister, ("pos",)),
    np.random.RandomState: State(("_bit_generator", *SPARE), _spare_of, _set_spare, _new_legacy),
    random.Random: State((*TWISTER, *SPARE), _of_python, _set_python, _new_python, ("pos",)),
}


def copy_state(target: Any, source: Any) -> None:
    """Put a generator into the state of another of its class."""
    state = STATES[type(target)]
    state.set(target, dict(zip(state.names, state.open(source), strict=True)))
