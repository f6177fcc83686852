"""Large arrays on their way between NumPy and XLA:CPU.

XLA:CPU shares memory with NumPy where it can: it reads an argument in place if that starts at a
multiple of 64 bytes, and a result is a view of its buffer.  What is left costs more than the
arithmetic of many a program:

    move       NumPy aligns to 16 bytes, so that XLA copies most arguments.  Where it reads element
               by element, the program takes the aligned array around an argument instead, and where
               the argument begins in it (`lower.cpu.shift`).
    stage      Else XLA would copy it into memory it takes from the system each time.  Copying into
               a kept, aligned buffer takes half the time, a ninth for arrays of 32 MiB and more.
    spare      From 32 MiB on, glibc maps fresh pages for every result, below it does so whenever
               it has given freed memory back to the system.  A large result is written into a
               spare one, donated to the program: the buffer of an earlier result whose array
               nobody refers to any more.

Both kinds of buffer are kept in a `Pool`, which holds a bounded number of bytes.

What is smaller comes from glibc, which gives freed memory back to the system, whose pages cost a
fault each when it is taken once more; see `hold_pages`.
"""

from __future__ import annotations

import ctypes
import functools
import math
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, cast

import jax
import numpy as np

from pyxla.ir.types import DTYPE_NAMES, ArrayType

ALIGNMENT = 64
PAGE = 4096  # or more: memory next to an array is read only where it is on the same page
STAGE_BYTES = 1 << 16  # arguments from here on are staged
LEND_BYTES = 1 << 16  # results from here on are views of XLA's buffer
SPARE_BYTES = 1 << 22  # results from here on are written into spare ones
KEPT_BYTES = 1 << 30


class Pool:
    """Buffers that wait to be used again; the kinds used longest ago are let go first."""

    def __init__(self, limit: int = KEPT_BYTES) -> None:
        self.limit = limit
        self.kept = 0
        self._free: OrderedDict[Any, list[tuple[Any, int]]] = OrderedDict()
        # Reentrant: a collected array may give its buffer back at any time.
        self._lock = threading.RLock()

    def take(self, kind: Any) -> Any:
        """A free buffer of this kind, or None."""
        with self._lock:
            waiting = self._free.get(kind)
            if not waiting:
                return None
            self._free.move_to_end(kind)
            buffer, nbytes = waiting.pop()
            self.kept -= nbytes
            return buffer

    def give(self, kind: Any, buffer: Any, nbytes: int) -> None:
        if nbytes > self.limit:
            return
        with self._lock:
            self._free.setdefault(kind, []).append((buffer, nbytes))
            self._free.move_to_end(kind)
            self.kept += nbytes
            while self.kept > self.limit:
                self._drop()

    def _drop(self) -> None:
        kind, waiting = next(iter(self._free.items()))
        if waiting:
            self.kept -= waiting.pop(0)[1]
        if not waiting:
            del self._free[kind]

    def clear(self) -> None:
        with self._lock:
            self._free.clear()
            self.kept = 0


POOL = Pool()


def nbytes(type: ArrayType) -> int:
    return type.size * type.dtype.itemsize


# Nearly the most that glibc learns from.
MAPPED_BYTES = (1 << 25) - (1 << 16)


@functools.cache
def hold_pages() -> None:
    """Let glibc keep freed memory, up to twice as much as this, for what is allocated next.

    It maps what is larger than anything that was freed so far, and gives back what is more than
    twice as large, so that each call of a program with a megabyte of temporaries would wait for
    some hundred page faults.  What is freed here was not touched.
    """
    np.empty(MAPPED_BYTES, np.uint8)


# --- arguments --------------------------------------------------------------------------------


class Placed:
    """Operands of a program where XLA:CPU reads them in place; the program must have finished when
    they are `let_go`.

    staged: positions whose NumPy arrays XLA would copy, and get aligned copies.
    moved: positions of NumPy arrays that go as the aligned flat array around them, with `room`
    elements more; where each of these begins in it goes after all operands.
    """

    __slots__ = ("_buffers", "operands")

    def __init__(
        self, operands: Sequence[Any], staged: Sequence[int], moved: Sequence[int]
    ) -> None:
        self.operands = list(operands)
        self._buffers: list[np.ndarray] = []
        for i in staged:
            x = self.operands[i]
            if isinstance(x, np.ndarray) and not is_aligned(x):
                self.operands[i] = self._copied(x, x.nbytes).view(x.dtype).reshape(x.shape)
        for i in moved:
            self._surround(i)

    def let_go(self) -> None:
        """Nobody reads the copies any more."""
        for buffer in self._buffers:
            POOL.give(buffer.nbytes, buffer, buffer.nbytes)

    def _copied(self, x: np.ndarray, size: int) -> np.ndarray:
        """A kept aligned buffer of that many bytes, which begins with `x`."""
        buffer = POOL.take(size)
        if buffer is None:
            buffer = _aligned(size)
        self._buffers.append(buffer)
        np.copyto(buffer[: x.nbytes].view(x.dtype).reshape(x.shape), x)
        return buffer

    def _surround(self, i: int) -> None:
        x = self.operands[i]
        address, itemsize = _address(x), x.itemsize
        before = address % ALIGNMENT
        size = x.nbytes + room(x.dtype) * itemsize
        near = (address - before + size - 1) // PAGE == (address + x.nbytes - 1) // PAGE
        if not (near and before % itemsize == 0 and x.flags.c_contiguous):
            x = self._copied(x, size).view(x.dtype)
            address, before = _address(x), 0
        self.operands[i] = _array(_windows(size), address - before, (size // itemsize,), x.dtype, x)
        self.operands.append(_number(before // itemsize))


@functools.cache
def _number(k: int) -> Any:
    """An int for XLA, which takes it in a fifth of the time of NumPy's."""
    with jax.ensure_compile_time_eval(), jax.enable_x64(True):
        return jax.device_put(np.int64(k))


def room(dtype: np.dtype) -> int:
    """How many elements an array may begin past an aligned address."""
    return ALIGNMENT // dtype.itemsize - 1


def is_aligned(x: np.ndarray) -> bool:
    """Whether XLA:CPU reads `x` in place."""
    return _address(x) % ALIGNMENT == 0 and x.flags.c_contiguous


def _aligned(size: int) -> np.ndarray:
    raw = np.empty(size + ALIGNMENT, np.uint8)
    start = -_address(raw) % ALIGNMENT
    return raw[start : start + size]


_BYTE = ctypes.c_char


def _address(x: np.ndarray) -> int:
    """Where the first element of an array lies."""
    try:
        return ctypes.addressof(_BYTE.from_buffer(cast(Any, x)))  # a third of NumPy's time
    except (TypeError, ValueError, BufferError):  # where no one may write, or in another order
        return x.__array_interface__["data"][0]


# --- memory as arrays -------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def _windows(size: int) -> Any:
    """The type of so many bytes of memory for NumPy, which may write them, and by them keeps their
    `owner` alive."""
    return type("Window", (_BYTE * size,), {"__slots__": ("owner",)})


@functools.lru_cache(maxsize=256)
def _loans(size: int) -> Any:
    """Windows to a result, whose buffer becomes a spare one when the last array lets go of it."""
    return type("Loan", (_windows(size),), {"__slots__": (), "__del__": _returned})


def _returned(loan: Any) -> None:
    if keep is not None:  # which is gone where the interpreter ends
        keep(loan.owner)


def _array(
    kind: Any, address: int, shape: tuple[int, ...], dtype: np.dtype, owner: Any
) -> np.ndarray:
    """The array that lies there, through a window of that kind."""
    window = kind.from_address(address)
    window.owner = owner
    return np.ndarray(shape, dtype, window)


def _shown(kinds: Any, result: jax.Array, owner: Any) -> np.ndarray:
    """The memory of a result, once it has been computed, through such a window."""
    result.block_until_ready()
    shape, dtype = result.shape, result.dtype
    window = kinds(math.prod(shape) * dtype.itemsize)
    return _array(window, result.unsafe_buffer_pointer(), shape, dtype, owner)


# --- results ----------------------------------------------------------------------------------


def lend(result: jax.Array) -> np.ndarray:
    """The writable array that `result`, to which nobody else refers, becomes without a copy.

    On CPU it is XLA's buffer, of which `np.asarray` is a read-only view, elsewhere a fresh array
    marked read-only, which JAX does not reach once `result` is gone.
    """
    if _is_local(result):
        return _shown(_windows, result, result)
    view = np.asarray(result)
    if view.flags.owndata:
        view.flags.writeable = True
        return view
    return _array(_windows(view.nbytes), _address(view), view.shape, view.dtype, view)


def lend_spare(result: jax.Array) -> np.ndarray:
    """As `lend`, and the buffer becomes a spare one when the array is gone."""
    return _shown(_loans, result, result) if _is_local(result) else lend(result)


def write_out(target: np.ndarray, result: jax.Array, spare: bool) -> None:
    """Copy `result` into the caller's array; keep its buffer if it is a spare one."""
    if not (spare and _is_local(result)):
        np.copyto(target, np.asarray(result))
        return
    # No `np.asarray(result)`, which would be a reference that forbids donation.
    np.copyto(target, _shown(_windows, result, None))
    keep(result)


def _is_local(x: jax.Array) -> bool:
    """Whether `x` is one buffer in the memory of this process, as NumPy lays it."""
    devices: set[Any] = x.sharding.device_set
    local = len(devices) == 1 and next(iter(devices)).platform == "cpu"
    return local and x.dtype not in _HALVES


# Of which XLA has two in a byte, NumPy one.
_HALVES = frozenset([np.dtype(DTYPE_NAMES[name]) for name in ("i4", "u4")])


def keep(result: jax.Array) -> None:
    """Make the buffer of `result`, to which nothing refers, a spare one."""
    POOL.give((result.shape, result.dtype), result, result.nbytes)


def spare(type: ArrayType) -> jax.Array:
    """A buffer to donate to a result of `type`; call it where 64-bit types exist."""
    found = POOL.take((type.shape, type.dtype))
    if found is not None:
        return found
    with jax.ensure_compile_time_eval():  # a copy: XLA does not take NumPy's memory as a gift
        return jax.device_put(np.empty(type.shape, type.dtype), may_alias=False)


def write_part(target: Any, part: Any, begin: Sequence[int]) -> None:
    """Write a part of an array, which is moved to lie inside, as XLA does."""
    place = [
        slice(first := max(0, min(start, extent - size)), first + size)
        for start, extent, size in zip(begin, target.shape, part.shape, strict=True)
    ]
    target[tuple(place)] = part
