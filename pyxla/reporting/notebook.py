"""`%load_ext pyxla`: a cell that begins with `%%pyxla` shows the report of the call it ends with.

%%pyxla
x = np.ones(1000)
smooth(x, 3)
"""

from __future__ import annotations

import ast
from typing import Any

from pyxla.errors import CompileError
from pyxla.reporting.api import Report, report

USE = "end the cell with the call that the report is to be of: f(x, 2.0)"


def cell_report(line: str, cell: str, names: dict[str, Any], run: Any) -> Report:
    """The report of the last call of a cell, whose other statements `run` runs.

    line: options, as in `profile=True`.  names: the variables of the notebook.
    """
    tree = ast.parse(cell)
    last = tree.body.pop() if tree.body else None
    if not (isinstance(last, ast.Expr) and isinstance(last.value, ast.Call)):
        raise CompileError("the cell does not end with a call", hint=USE)
    run(ast.unparse(tree))
    options = _evaluated(f"dict({line})", names)
    call = last.value
    function, *args = _evaluated(ast.unparse(ast.List([call.func, *call.args], ast.Load())), names)
    named = ast.unparse(ast.Call(ast.Name("dict"), [], call.keywords))
    return report(function, *args, **_evaluated(named, names), **options)


def _evaluated(text: str, names: dict[str, Any]) -> Any:
    return eval(text, names)  # what the user wrote in a cell of their own


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext pyxla` does: the magic `%%pyxla`."""

    def pyxla(line: str, cell: str) -> Report:
        """Run a cell, and show the report of the call that it ends with."""
        return cell_report(line, cell, shell.user_ns, shell.run_cell)

    shell.register_magic_function(pyxla, "cell")
