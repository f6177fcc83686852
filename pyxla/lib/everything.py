"""The whole library: importing this fills the registry."""

# ruff: noqa: F401

import pyxla.lib.bounded.fft
import pyxla.lib.bounded.joining
import pyxla.lib.bounded.linear
import pyxla.lib.bounded.order
import pyxla.lib.bounded.products
import pyxla.lib.bounded.reductions
import pyxla.lib.bounded.values
import pyxla.lib.builtins
import pyxla.lib.concatenators
import pyxla.lib.creation
import pyxla.lib.dtypes
import pyxla.lib.fft
import pyxla.lib.finding
import pyxla.lib.histograms
import pyxla.lib.linalg
import pyxla.lib.manipulation
import pyxla.lib.mathlib
import pyxla.lib.numeric
import pyxla.lib.operators
import pyxla.lib.padding
import pyxla.lib.polynomials
import pyxla.lib.products
import pyxla.lib.quantiles
import pyxla.lib.reductions
import pyxla.lib.repeating
import pyxla.lib.scalars
import pyxla.lib.scans
import pyxla.lib.selection
import pyxla.lib.sorting
import pyxla.lib.ufuncs
