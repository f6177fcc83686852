"""The whole library: importing this fills the registry."""

from __future__ import annotations

from pyxla.lib import (
    builtins,
    creation,
    manipulation,
    mathlib,
    numeric,
    operators,
    products,
    reductions,
    scans,
    selection,
    sorting,
    ufuncs,
)

MODULES = (
    builtins,
    creation,
    manipulation,
    mathlib,
    numeric,
    operators,
    products,
    reductions,
    scans,
    selection,
    sorting,
    ufuncs,
)
