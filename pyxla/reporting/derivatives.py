"""The derivative of a program that is looked at, to be shown beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.errors import CompileError
from pyxla.grad.api import functional, grad
from pyxla.reporting.compiling import Looked
from pyxla.runtime.descriptions import ArgArray, ArgScalar


def inexact(looked: Looked) -> list[int]:
    """The arguments that there is a derivative by: numbers and arrays that are not of integers."""
    args = looked.compilation.request.args[: len(looked.args)]
    return [
        index
        for index, arg in enumerate(args)
        if isinstance(arg, ArgArray | ArgScalar) and arg.type.dtype.kind not in "iub"
    ]


def gradient(looked: Looked) -> Looked | str:
    """The gradient of the sum of all results and of all that is written to arguments; or why there
    is none."""
    wrt = inexact(looked)
    if not wrt or looked.keywords:
        return "no argument by position is a number or an array that is not of integers"
    try:
        made = Looked(grad(_summed(functional(looked.function)), tuple(wrt)), looked.args)
        made.program  # noqa: B018 - what is refused is refused here
    except CompileError as error:
        return error.message
    return made


def _summed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that returns the sum of all numbers in what `function` returns."""

    def summed(*args):  # type: ignore[no-untyped-def]  # it is compiled
        return _total(function(*args))

    return summed


def _total(result):  # type: ignore[no-untyped-def]  # it is compiled
    """The sum of the numbers in a result."""
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, list | tuple):
        total = 0.0
        for item in result:
            total = total + _total(item)
        return total
    if result is None or isinstance(result, str | bool):
        return 0.0
    return np.real(np.sum(result))
