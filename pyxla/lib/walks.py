"""`np.nditer` over arrays in C order, and `np.broadcast`, as Python that is compiled like the
user's."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.lib.drivers import indices

_NO_ARRAY = (
    "Iterator operand is flagged as writeable, but is an object which cannot be written back to "
    "via WRITEBACKIFCOPY"
)
_PAST = "Iterator is past the end"
_KNOWN = ("multi_index", "c_index", "zerosize_ok", "refs_ok", "readonly", "readwrite", "writeonly")


class Walk:
    """An iterator over the elements of arrays of one shape, which items show as views."""

    __slots__ = "_arrays", "_writable", "_flags", "_started", "_at", "itersize", "nop"

    def __init__(
        self, op: Any, flags: Any = None, op_flags: Any = None, order: str = "K", **others: Any
    ) -> None:
        given = op if isinstance(op, (list, tuple)) else [op]
        arrays = tuple([np.asarray(x) for x in given])
        each = op_flags or ["readonly"]
        each = [each] * len(arrays) if isinstance(each[0], str) else each
        named = [*(flags or ()), *[name for names in each for name in names]]
        if others or order == "F" or any(name not in _KNOWN for name in named):
            unsupported("these flags")
        for x in arrays:
            if not x.flags.c_contiguous or np.shape(x) != np.shape(arrays[0]):
                unsupported("arrays in another order than C's, or of several shapes")
        self._arrays = arrays
        self._writable = tuple(["readonly" not in names for names in each])
        for x, written in zip(given, self._writable):
            if written and not isinstance(x, np.ndarray):
                raise TypeError(_NO_ARRAY)
            if written and not x.flags.writeable:
                raise ValueError("operand array with iterator write flag set is read-only")
        self._flags = flags or ()
        self._started = False
        self._at = 0
        self.itersize = np.size(arrays[0])
        self.nop = len(arrays)
        if not self.itersize and "zerosize_ok" not in self._flags:
            raise ValueError("Iteration of zero-sized operands is not enabled")

    def __getattr__(self, name: str) -> Any:
        unsupported(name)

    @property
    def finished(self) -> bool:
        return self._at >= self.itersize

    def iternext(self) -> bool:
        if not self.finished:
            self._at = self._at + 1
        return not self.finished

    def reset(self) -> None:
        self._started = False
        self._at = 0

    def close(self) -> None:
        pass

    def _place(self) -> Any:
        return indices(np.shape(self._arrays[0]), self.iterindex)

    @property
    def iterindex(self) -> int:
        if self.finished:
            raise ValueError(_PAST)
        return self._at

    @iterindex.setter
    def iterindex(self, x: int) -> None:
        unsupported("what sets its attributes")

    @property
    def multi_index(self) -> Any:
        at = self._place()
        if "multi_index" not in self._flags:
            raise ValueError("Iterator is not tracking a multi-index")
        return at

    @multi_index.setter
    def multi_index(self, x: Any) -> None:
        unsupported("what sets its attributes")

    @property
    def index(self) -> int:
        if "c_index" not in self._flags:
            raise ValueError("Iterator does not have an index")
        return self.iterindex

    @index.setter
    def index(self, x: Any) -> None:
        unsupported("what sets its attributes")

    @property
    def operands(self) -> Any:
        pairs = zip(self._arrays, self._writable)
        return tuple([x if w else np.broadcast_to(x, np.shape(x)) for x, w in pairs])

    @property
    def value(self) -> Any:
        found = tuple([self[k] for k in range(self.nop)])
        return found[0] if self.nop == 1 else found

    def __len__(self) -> int:
        return self.nop

    def __getitem__(self, k: Any) -> Any:
        shown = self._arrays[k][(*self._place(), ...)]
        return shown if self._writable[k] else np.broadcast_to(shown, ())

    def __setitem__(self, k: Any, x: Any) -> None:
        if not self._writable[k]:
            raise RuntimeError(f"Iterator operand {k} is not writeable")
        self[k][...] = x

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self._started:
            self.iternext()
        if self.finished:
            raise StopIteration
        self._started = True
        return self.value

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *raised: Any) -> None:
        pass


def unsupported(what: str) -> Any:
    """Refuse what is done with an `np.nditer`; inference does."""


class Broadcast:
    """What `np.broadcast` tells of arrays; an iterator over their elements side by side."""

    __slots__ = "_shown", "shape", "size", "ndim", "nd", "index"

    def __init__(self, *arrays: Any) -> None:
        self._shown = np.broadcast_arrays(*arrays)
        first = self._shown[0]
        self.shape, self.size, self.ndim, self.nd = first.shape, first.size, first.ndim, first.ndim
        self.index = 0

    def reset(self) -> None:
        self.index = 0

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.index >= self.size:
            raise StopIteration
        self.index = self.index + 1
        return tuple([x.flat[self.index - 1] for x in self._shown])
