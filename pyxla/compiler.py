"""The whole compiler, loaded by the first program that is compiled (`late`).

What functions mean in compiled code is registered by the modules that implement it: all of them are
imported here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyxla import ahead, hlo, hosting, jaxcalls, ways
from pyxla.grad import api as derivatives
from pyxla.grad import custom, implicit, vmap
from pyxla.guards.places import Place
from pyxla.pipeline import Compilation as Compilation
from pyxla.pipeline import executable as executable
from pyxla.pipeline import location as location
from pyxla.runtime import lanes, making
from pyxla.runtime.programs import Program
from pyxla.runtime.request import Request
from pyxla.specialize import left_out as left_out

PARTS = (ahead, hlo, hosting, jaxcalls, ways, derivatives, custom, implicit, vmap, lanes)


def load() -> None:
    """Loading this module is all that there is to do."""


def kept(request: Request, places: Sequence[Place], static: Mapping[Any, Any]) -> Program:
    """The program that is kept on disk, made anew."""
    made = Compilation(request, places, static)
    return making.prepared(made.at("regions"), made.outcome)[0]


specialize, artifact_of, kind = ahead.specialize, ahead.artifact_of, ways.kind
sized = ways.Sized
