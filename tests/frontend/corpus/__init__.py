"""Functions over the whole language, with arguments: `CORPUS` lists them.

Each takes a `log` first where the order of evaluation is observed: `log(x)` notes and returns x.
"""

from tests.frontend.corpus import (  # noqa: F401 - they add themselves
    classes,
    conditions,
    functions,
    order,
    patterns,
    statements,
    straight,
)
from tests.frontend.corpus.case import CORPUS

__all__ = ["CORPUS"]
