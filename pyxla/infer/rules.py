"""The rules the engine runs with: the meaning of Python, from the modules that state it."""

from __future__ import annotations

from typing import Any

import pyxla.lib.everything  # noqa: F401 - registers the library
from pyxla.infer import (  # noqa: F401 - they register themselves
    borrowed,
    builtins,
    container_methods,
    counting,
    folding,
    generator_methods,
    mutating,
    printing,
    sharing,
    subscripts,
    viewing,
)
from pyxla.infer.calls import call, special, wrapper
from pyxla.infer.containers import iterate
from pyxla.infer.engine import Engine, Rules
from pyxla.infer.fixpoint import visit_loop
from pyxla.infer.objects import call_member, construct
from pyxla.infer.transfer import TRANSFER, binary, both, compare, either, operate, truth


def _negative(engine: Engine, x: Any) -> Any:
    return engine.abstract(operate(engine, "neg", x))


RULES = Rules(
    transfer=TRANSFER,
    loop=visit_loop,
    call=call,
    call_member=call_member,
    construct=construct,
    special=special,
    binary=binary,
    negative=_negative,
    compare=compare,
    truth=truth,
    both=both,
    either=either,
    iterate=iterate,
    wrapper=wrapper,
)
