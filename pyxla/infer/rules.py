"""The rules the engine runs with: the meaning of Python, from the modules that state it."""

from __future__ import annotations

import pyxla.infer.everything  # noqa: F401 - registers what NumPy's and Python's functions mean
import pyxla.infer.operator_methods  # noqa: F401 - registers methods that have no rule of their own
import pyxla.lib.everything  # noqa: F401 - registers the library
from pyxla.infer.calls import apart, hosted
from pyxla.infer.calls.dispatch import call, wrapper
from pyxla.infer.calls.visiting import special
from pyxla.infer.comparisons import compare
from pyxla.infer.containers import methods, tables
from pyxla.infer.containers.structure import iterate, sequence
from pyxla.infer.instances import call_member, construct
from pyxla.infer.loops.fixpoint import visit_loop
from pyxla.infer.meaning import Rules
from pyxla.infer.objects import type_of
from pyxla.infer.operators import binary, both, either, truth
from pyxla.infer.text import methods as text_methods
from pyxla.infer.transfer import TRANSFER

RULES = Rules(
    transfer=TRANSFER,
    apart=apart.visit,
    loop=visit_loop,
    call=call,
    call_member=call_member,
    construct=construct,
    special=special,
    binary=binary,
    compare=compare,
    truth=truth,
    both=both,
    either=either,
    iterate=iterate,
    sequence=sequence,
    seen=methods.seen,
    enter=tables.enter,
    wrapper=wrapper,
    type_of=type_of,
    of_text=text_methods.call,
    on_host=hosted.call_unasked,
)
