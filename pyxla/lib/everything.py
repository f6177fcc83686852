"""The whole library: importing this fills the registry."""

from __future__ import annotations

from pyxla.lib import (
    bounded_products,
    bounded_reductions,
    builtins,
    concatenators,
    creation,
    dtypes,
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
    bounded_products,
    bounded_reductions,
    builtins,
    concatenators,
    creation,
    dtypes,
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
