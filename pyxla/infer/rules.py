"""The meaning of Python, by the names with which the engine asks for it (`Engine.rules`): it is
given this module by `specialize`, so that it need not import what states these rules."""

# ruff: noqa: F401

import pyxla.infer.everything  # registers what NumPy's and Python's functions mean
import pyxla.infer.operator_methods  # registers methods that have no rule of their own
import pyxla.lib.everything  # registers the library
from pyxla.infer.calls.case_split import visit as case_split
from pyxla.infer.calls.dispatch import call, wrapper
from pyxla.infer.calls.hosted import call_unasked as on_host
from pyxla.infer.calls.visiting import special
from pyxla.infer.comparisons import compare
from pyxla.infer.containers.methods import seen
from pyxla.infer.containers.structure import iterate, sequence
from pyxla.infer.containers.tables import enter
from pyxla.infer.instances import call_member, construct
from pyxla.infer.loops.fixpoint import visit_loop as loop
from pyxla.infer.objects import type_of
from pyxla.infer.operators import binary, both, either, truth
from pyxla.infer.text.floats import codes_of as of_floats
from pyxla.infer.text.methods import call as of_text
from pyxla.infer.transfer import TRANSFER as transfer
