"""pyxla: ordinary Python functions over NumPy arrays, compiled ahead of time into one XLA module."""

from pyxla.api import compile
from pyxla.errors import CompileError

__all__ = ["CompileError", "compile"]
