# ruff: noqa - these programs are odd on purpose
"""What functions of the corpus share: `case` adds one, `Log` and the others are arguments."""

import contextlib
import enum
import functools
import itertools
import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

CORPUS: list[tuple[Any, tuple[tuple[Any, ...], ...]]] = []


def case(*arguments):
    """Add the decorated function with these argument tuples."""

    def add(function):
        CORPUS.append((function, arguments))
        return function

    return add


class Log(list):
    def __call__(self, value):
        self.append(value)
        return value

    def fail(self, value):
        self.append(("fail", value))
        raise ValueError(value)


class Point(NamedTuple):
    x: Any
    y: Any


@dataclass
class Node:
    left: Any = None
    right: Any = None
    tags: list = field(default_factory=list)


class Traced:
    """Logs attribute and item accesses."""

    def __init__(self, log, **values):
        self.__dict__.update(_log=log, **values)

    def __getattr__(self, name):
        self._log(("get", name))
        return 7

    def __setattr__(self, name, value):
        self._log(("set", name, value))

    def __getitem__(self, key):
        self._log(("item", key))
        return 3

    def __setitem__(self, key, value):
        self._log(("setitem", key, value))

    def __delitem__(self, key):
        self._log(("delitem", key))

    def __delattr__(self, name):
        self._log(("del", name))


class Color(enum.Enum):
    RED = 1
    BLUE = 2
