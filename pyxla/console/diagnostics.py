"""Errors as text: for people, in gcc's form for editors, and as SARIF 2.1.0 for machines.

People see colours where stderr is a terminal, NO_COLOR is not set and rich is installed.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from pyxla.errors import CompileError, Location

FORMATS = ("human", "gcc", "sarif")
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
# How the lines of an error begin, and how they are shown.
_STYLES = (("  hint:", "cyan"), ("  note:", "blue"), ("  types:", "magenta"), ("  called", "dim"))


def written(error: CompileError, form: str, version: str) -> str:
    """An error in one of the `FORMATS`; `version` of pyxla is for SARIF."""
    if form == "sarif":
        return json.dumps(sarif([error], version), indent=2)
    return "\n".join(_gcc(error)) if form == "gcc" else human(error)


def human(error: CompileError) -> str:
    """The error as it reads, with the place in the form that editors know; files in the folder
    where the command is run by the names that they have there."""
    if error.loc is None:
        return f"pyxla: error: {error}"
    text = str(error).replace(f"{error.loc}: ", f"{error.loc}: error: ", 1)
    return text.replace(f"{Path.cwd()}{os.sep}", "")


def show(text: str, stream: TextIO) -> None:
    """Write an error for people, coloured where that is wanted."""
    if stream.isatty() and not os.environ.get("NO_COLOR") and (rich := _rich()) is not None:
        rich.Console(file=stream).print(_coloured(text), soft_wrap=True, highlight=False)
    else:
        print(text, file=stream)


def _rich() -> Any:
    try:
        return importlib.import_module("rich.console")
    except ModuleNotFoundError:
        return None


def _coloured(text: str) -> Any:
    """The lines of an error in the colours of what they are."""
    made = importlib.import_module("rich.text").Text()
    for number, line in enumerate(text.split("\n")):
        if number:
            made.append("\n")
        place, found, message = line.partition(" error: ")
        style = next((style for start, style in _STYLES if line.startswith(start)), "")
        if number == 0 and found:
            made.append(place, "bold").append(found, "bold red").append(message, "bold")
        elif line.strip() and not line.strip("^ "):
            made.append(line, "bold red")
        elif style:
            head, colon, rest = line.partition(":")
            made.append(head + colon, f"bold {style}").append(rest)
        else:
            made.append(line)
    return made


def _gcc(error: CompileError) -> Iterator[str]:
    """One line for the error and one for each note, all in the form FILE:LINE:COL: KIND: TEXT."""
    place = error.loc or "pyxla"
    yield f"{place}: error: {_line(error.message)}"
    if error.types:
        yield f"{place}: note: types: {_line(', '.join(error.types))}"
    for text, loc in error.notes:
        yield f"{loc or place}: note: {_line(text)}"
    for site in reversed(error.chain):
        yield f"{site}: note: called from here, in {site.function}"
    if error.hint:
        yield f"{place}: note: {_line(error.hint)}"


def _line(text: str) -> str:
    return " ".join(text.split())


def sarif(errors: list[CompileError], version: str) -> dict[str, Any]:
    """A SARIF log of errors."""
    rules = sorted({type(error).__name__ for error in errors})
    driver = {"name": "pyxla", "version": version, "rules": [{"id": rule} for rule in rules]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(error) for error in errors],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(error: CompileError) -> dict[str, Any]:
    text = error.message + (f"\nhint: {error.hint}" if error.hint else "")
    made: dict[str, Any] = {
        "ruleId": type(error).__name__,
        "level": "error",
        "message": {"text": text},
    }
    if error.loc is not None:
        made["locations"] = [_location(error.loc)]
    related = [(text, loc) for text, loc in error.notes if loc is not None]
    related += [(f"called from here, in {site.function}", site) for site in reversed(error.chain)]
    if related:
        made["relatedLocations"] = [
            {**_location(loc), "id": number, "message": {"text": text}}
            for number, (text, loc) in enumerate(related, 1)
        ]
    return made


def _location(loc: Location) -> dict[str, Any]:
    region = {"startLine": loc.lineno, "startColumn": loc.col + 1}
    if loc.end_lineno:
        region |= {"endLine": loc.end_lineno, "endColumn": loc.end_col + 1}
    path = Path(loc.filename)
    uri = path.resolve().as_uri() if path.exists() else loc.filename
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}


def report_error(error: CompileError, form: str, version: str) -> None:
    """Write an error to stderr."""
    text = written(error, form, version)
    if form == "human":
        show(text, sys.stderr)
    else:
        print(text, file=sys.stderr)
