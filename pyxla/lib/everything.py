"""The whole library: importing this fills the registry."""

from __future__ import annotations

from pyxla.lib import (  # noqa: F401 - they register themselves
    bounded_joining,
    bounded_order,
    bounded_products,
    bounded_reductions,
    bounded_values,
    builtins,
    concatenators,
    creation,
    dtypes,
    fft,
    finding,
    linalg,
    manipulation,
    mathlib,
    numeric,
    operators,
    padding,
    polynomials,
    products,
    reductions,
    repeating,
    scalars,
    scans,
    selection,
    sorting,
    ufuncs,
)
