"""Imports every module that registers rules of functions which need the heap."""

# ruff: noqa: F401

import pyxla.infer.arrays.counting
import pyxla.infer.arrays.elements
import pyxla.infer.arrays.mutating
import pyxla.infer.arrays.sharing
import pyxla.infer.arrays.subscripts
import pyxla.infer.arrays.viewing
import pyxla.infer.borrowed
import pyxla.infer.builtins
import pyxla.infer.calls.managers
import pyxla.infer.calls.recurring
import pyxla.infer.containers.arrangements
import pyxla.infer.containers.copying
import pyxla.infer.containers.functions
import pyxla.infer.containers.hashes
import pyxla.infer.containers.lazy
import pyxla.infer.containers.making
import pyxla.infer.containers.methods
import pyxla.infer.containers.sets
import pyxla.infer.containers.sorting
import pyxla.infer.getters
import pyxla.infer.introspection
import pyxla.infer.local_classes
import pyxla.infer.loops.folding
import pyxla.infer.numba_ufuncs
import pyxla.infer.raising.checks
import pyxla.infer.raising.int_functions
import pyxla.infer.random.legacy
import pyxla.infer.random.methods
import pyxla.infer.random.python
import pyxla.infer.real_or_complex
import pyxla.infer.text.joining
import pyxla.infer.text.logged
import pyxla.infer.text.octets
import pyxla.infer.text.printing
import pyxla.infer.text.warned
import pyxla.infer.vectorized
import pyxla.infer.wrapping
