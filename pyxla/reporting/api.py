"""`pyxla.report`: a page about a program, which needs Jinja and Pygments."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from pyxla.errors import CompileError, outward
from pyxla.reporting.compiling import Looked
from pyxla.reporting.profiling import Profile, measured


def needed(module: str, extra: str) -> Any:
    """A module of this package that needs more than pyxla does; CompileError where it lacks."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise CompileError(
            f"this needs {error.name}, which is not installed",
            hint=f"pip install 'pyxla[{extra}]'",
        ) from None


class Report:
    """A report: `html` is the page, which notebooks show; `save(path)` writes it."""

    def __init__(self, name: str, html: str) -> None:
        self.name, self.html = name, html

    def __repr__(self) -> str:
        return f"<report of {self.name}, {len(self.html) / 1e6:.1f} MB: .save('report.html')>"

    def _repr_html_(self) -> str:
        page = self.html.replace("&", "&amp;").replace('"', "&quot;")
        style = "width: 100%; height: 720px; border: 1px solid #8884; border-radius: 10px"
        return f'<iframe srcdoc="{page}" style="{style}"></iframe>'

    def save(self, path: str | Path) -> Path:
        """Write the page; returns where."""
        made = Path(path)
        made.write_text(self.html, encoding="utf-8")
        return made


@outward
def report(
    function: Any,
    *args: Any,
    profile: bool = False,
    derivative: bool = True,
    **named: Any,
) -> Report:
    """A page about what becomes of `function` for arguments given as types or values.

    function: compiled or not.  profile: measure how long its lines take, on copies of `args`, which
    are values then.  derivative: show its gradient beside it.  The page is one file that fetches
    nothing: the source coloured by cost, each line linked with all stages, types under the mouse,
    decisions with their remedies, loops, calls, the flow of data, memory, times.

    CompileError where the function is refused, or Jinja, Pygments or grandalf is not installed.

    >>> import pyxla
    >>> pyxla.report(lambda x: x @ x, pyxla.f64[3])
    <report of <lambda>, ... MB: .save('report.html')>
    """
    page = needed("pyxla.reporting.page", "report")
    looked = Looked.of_call(function, args, **named)
    found = measured(looked, (*args, *named.values()), 10) if profile else None
    return Report(looked.record.function, page.Page(looked, found, derivative).html())


@outward
def profile(function: Any, *args: Any, runs: int = 10) -> Profile:
    """Run `function` on copies of `args`, `runs` times, and say which lines took how long.

    Compiled as `pyxla.compile` does it, but for how small results are packed.  CompileError where
    it is refused; what it raises is not looked at.

    >>> import pyxla, numpy as np
    >>> measured = pyxla.profile(lambda x: np.sin(x).sum(), np.ones(1000))
    >>> print(str(measured).partition(", ")[2])
    10 runs; of the time in XLA's kernels:...
    """
    looked = Looked.of_call(function, args)
    return measured(looked, args, runs)
