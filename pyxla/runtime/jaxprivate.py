"""All of JAX that is not public and is used here: a release that moves a name is followed here."""

from jax._src import callback, config, core, literals, source_info_util, stages
from jax._src.array import ArrayImpl
from jax._src.dispatch import get_intermediate_shardings
from jax._src.interpreters import pxla
from jax._src.interpreters.mlir import (
    JaxIrContext,
    lower_with_sharding_in_types,
    upstream_dialects,
)
from jax._src.util import weakref_cache_key_types

__all__ = [
    "ArrayImpl",
    "JaxIrContext",
    "callback",
    "config",
    "core",
    "get_intermediate_shardings",
    "literals",
    "lower_with_sharding_in_types",
    "pxla",
    "source_info_util",
    "stages",
    "upstream_dialects",
    "weakref_cache_key_types",
]
