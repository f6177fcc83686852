"""Plants a fault in the compiler: its source is changed as it is imported, for one process.

The environment variable `PYXLA_FAULT` names the fault (`tests.fuzz.table`); it must be set before
anything of pyxla is imported.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

VARIABLE = "PYXLA_FAULT"


def source(module: str) -> str:
    """The text of a module of the compiler, without importing it."""
    root = Path(__file__).parents[2]
    return root.joinpath(*module.split(".")).with_suffix(".py").read_text()


def faulty(text: str, old: str, new: str) -> str:
    """The text with the fault; ValueError unless there is one place for it."""
    if text.count(old) != 1:
        raise ValueError(f"{text.count(old)} places read {old!r}")
    return text.replace(old, new)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module with another text."""

    def __init__(self, module: str, old: str, new: str) -> None:
        self.module = module
        self.text = faulty(source(module), old, new)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> Any:
        if fullname != self.module:
            return None
        found = importlib.machinery.PathFinder.find_spec(fullname, path)
        assert found is not None
        return importlib.util.spec_from_file_location(fullname, found.origin, loader=self)

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        exec(compile(self.text, module.__spec__.origin or "", "exec"), vars(module))


def plant(module: str, old: str, new: str) -> None:
    if module in sys.modules:
        raise RuntimeError(f"{module} is imported already")
    sys.meta_path.insert(0, Finder(module, old, new))


def wanted() -> str:
    return os.environ.get(VARIABLE, "")
