"""What programs depend on of JAX's own state, as places outside (`guards.places`)."""

from __future__ import annotations

from typing import Any

import jax
from jax.sharding import AbstractMesh, Mesh, PartitionSpec, Sharding

from pyxla.guards.places import OUTSIDE, Place
from pyxla.runtime import jaxlink

# JAX's descriptions of where arrays lie, and of their types, are known while compiling wherever a
# program meets them.
DESCRIBED = (PartitionSpec, Sharding, Mesh, AbstractMesh, jax.Device, jax.ShapeDtypeStruct)
OUTSIDE.extend(DESCRIBED)


class _Config:
    """JAX's settings as a namespace."""

    def get(self, name: str, _: Any = None) -> Any:
        return getattr(jax.config, name)


class _Scope:
    """What JAX has in scope as a namespace."""

    def get(self, name: str, _: Any = None) -> Any:
        return jaxlink.environment()


WIDE = Place(_Config(), "jax_enable_x64")
SCOPE = Place(_Scope(), "environment")
