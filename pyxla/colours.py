"""Code as coloured lines of HTML, by Pygments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup, escape
from pygments import highlight, lex
from pygments.formatters import HtmlFormatter
from pygments.lexer import RegexLexer, bygroups, words
from pygments.lexers import PythonLexer
from pygments.token import (
    STANDARD_TYPES,
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
)

_CONTROL = (
    *("func", "jump", "branch", "return", "yield", "phi", "if", "then", "else", "while", "cond"),
    *("body", "do", "applies", "across", "dimensions", "init", "module", "ROOT", "HloModule"),
    *("public", "private", "call", "raise", "region"),
)


class ModuleLexer(RegexLexer):
    """SSA, StableHLO and HLO alike: values, operations, types, attributes."""

    name, aliases = "pyxla", ("pyxla",)
    tokens = {
        "root": [
            (r"\s+", Text),
            (r"[()\[\]{},;]+", Punctuation),  # what is most frequent is tried first
            (r"[%@][\w.#-]+", Name.Variable),
            (r"[+*<>=!&|^~?:]+", Operator),
            (r"-?\b\d+(?:\.\d*)?(?:[eE][+-]?\d+)?\b(?!=)", Number),
            (r"//[^\n]*|/\*.*?\*/", Comment),
            (r'"[^"\n]*"', String),
            (r"(bb\d+)(:)", bygroups(Name.Label, Punctuation)),
            (r"bb\d+\b", Name.Label),
            (r"(stablehlo|func|chlo)(\.)(\w+)",
             bygroups(Name.Namespace, Punctuation, Name.Function)),
            (words(_CONTROL, prefix=r"\b", suffix=r"\b"), Keyword),
            (r"\b(?:tensor<[^>]*>+|(?:[subif]\d+|bf16|pred|c64|c128|bool_?|int|float|complex)"
             r"(?:\[[\d,]*\])?(?:\{[\d,]*\})?)(?![\w.])", Keyword.Type),
            (r"[\w-]+(?==)", Name.Attribute),
            (r"[A-Za-z_][\w.-]*(?=\()", Name.Function),
            (r"[A-Za-z_][\w-]*", Name.Function),
            (r"[-+*/<>=!&|^~?:]+", Operator),
            (r".", Punctuation),
        ]
    }  # fmt: skip


_PLAIN = HtmlFormatter(nowrap=True)


def coloured(lines: Sequence[str], language: str) -> list[Markup]:
    """Each line as HTML; language: "python" or "module"."""
    options = {"stripnl": False, "ensurenl": False}
    lexer: Any = PythonLexer(**options) if language == "python" else ModuleLexer(**options)
    # What the formatter does with empty lines at the end is its own matter.
    made = highlight("\n".join(lines), lexer, _PLAIN).split("\n") + [""] * len(lines)
    return [Markup(line) for line in made[: len(lines)]]


def styles() -> Markup:
    """The rules of a light and a dark style."""
    light = HtmlFormatter(style="xcode").get_style_defs(".code")
    dark = HtmlFormatter(style="github-dark").get_style_defs(".code")
    keep = [[line for line in s.splitlines() if line.startswith(".code .")] for s in (light, dark)]
    return Markup("{}\n@media (prefers-color-scheme: dark) {{\n{}\n}}").format(
        *[Markup("\n".join(rules)) for rules in keep]
    )


Typed = tuple[int, int, str]  # first column, column after the last, what is told of it


def annotated(
    text: str, first: int, told: dict[int, list[Typed]], names: dict[str, str]
) -> Iterator[Markup]:
    """The lines of Python source, from line `first`; over a name or an expression stands its type.

    told: for a line, its expressions, the innermost found by its width.  names: of variables.
    """
    row: list[Markup] = []
    number, column = first, 0
    for kind, value in lex(text, PythonLexer(stripnl=False, ensurenl=False)):
        for k, part in enumerate(value.split("\n")):
            if k:
                yield Markup("").join(row)
                row, number, column = [], number + 1, 0
            if part:
                tip = names.get(part, "") if kind in Name else ""
                tip = tip or _told(told.get(number, ()), column, column + len(part))
                row.append(_token(part, kind, tip if part.strip() else ""))
                column += len(part)
    yield Markup("").join(row)


def _told(spans: Sequence[Typed], start: int, end: int) -> str:
    """What the narrowest expression around these columns is."""
    around = [(b - a, text) for a, b, text in spans if a <= start and end <= b]
    return min(around)[1] if around else ""


def _token(text: str, kind: Any, tip: str) -> Markup:
    while kind not in STANDARD_TYPES:
        kind = kind.parent
    css, shown = STANDARD_TYPES[kind], escape(text)
    attributes = f' class="{css}"' if css else ""
    if tip:
        attributes += f' data-tip="{escape(tip)}"'
    return Markup(f"<span{attributes}>{shown}</span>") if attributes else shown
