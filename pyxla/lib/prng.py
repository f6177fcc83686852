"""Typed keys of `jax.random`: their data, and the generator that they are for.

Compiled code holds them as instances of `KeyArray`; functions of JAX take and return them as `Key`.
"""

from __future__ import annotations

from typing import Any

from pyxla.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Key:
    """An operand or a result of a function of JAX: `data` has one axis more than the keys."""

    impl: Any
    data: Any


class KeyArray:
    """An array of keys on the heap."""

    data: Any
    impl: Any

    def __getitem__(self, index: Any) -> Any: ...

    def __iter__(self) -> Any: ...

    def __len__(self) -> int: ...

    def reshape(self, *shape: Any) -> Any: ...

    @property
    def shape(self) -> Any:
        return self.data.shape[:-1]

    @property
    def ndim(self) -> Any:
        return self.data.ndim - 1

    @property
    def size(self) -> Any:
        return self.data.size // self.data.shape[-1]

    @property
    def dtype(self) -> Any: ...
