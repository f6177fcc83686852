"""The whole library: importing this fills the registry."""

from __future__ import annotations

from pyxla.lib import (
    builtins,
    creation,
    fft,
    linalg,
    manipulation,
    mathlib,
    numeric,
    operators,
    padding,
    products,
    reductions,
    scalars,
    scans,
    selection,
    sorting,
    ufuncs,
)

MODULES = (
    builtins,
    creation,
    fft,
    linalg,
    manipulation,
    mathlib,
    numeric,
    operators,
    padding,
    products,
    reductions,
    scalars,
    scans,
    selection,
    sorting,
    ufuncs,
)
