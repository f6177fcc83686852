"""The report: one self-contained HTML page about a program."""

from __future__ import annotations

import functools
import linecache
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import jinja2
from markupsafe import Markup

from pyxla import colours
from pyxla.frontend.source import SourceFunction
from pyxla.ir.core import Region
from pyxla.reporting import graph
from pyxla.reporting.compiling import Looked
from pyxla.reporting.costs import ASSUMED, Cost, Costs, Loop
from pyxla.reporting.decisions import Decision
from pyxla.reporting.derivatives import gradient, inexact
from pyxla.reporting.listing import Line, Place, of_code, of_hlo, of_lowered, of_stablehlo
from pyxla.reporting.profiling import Profile
from pyxla.runtime import descriptions, jaxlower

COLOURED = 1_200_000  # characters of HTML that coloured listings may take
TIMES = 12  # so many of them a character of a listing takes, at most
MOST = 8000  # lines of a listing that are shown
LONGEST = 240  # characters of a line that are shown
_INDENT = re.compile(r"^(<span>)?\s+(</span>)?")
_UNITS = ("", "k", "M", "G", "T", "P")
_SIZES = ("B", "kB", "MB", "GB", "TB")


@dataclass(frozen=True, slots=True)
class Pane:
    """A listing: `rows` are (HTML, key of the source line)."""

    name: str
    title: str
    about: str
    rows: list[tuple[Markup, str]]


class Page:
    """What the template shows of a program.

    Attributes are the template's variables: `sections` (functions as written), `panes` (stages),
    `decisions`, `loops`, `calls`, `flow`, `memory`, `stages`, `beside` (the derivative).
    """

    def __init__(self, looked: Looked, profile: Profile | None, derivative: bool) -> None:
        self.looked, self.profile = looked, profile
        self.name = looked.record.function
        self.keys: dict[Place, str] = {}
        self._colours = COLOURED  # characters that may still be coloured
        self.costs = Costs(self._origin(looked), looked.home)
        self.sources = [s for s in looked.found.sources if not _is_library(s, looked)]
        self._by_line = _by_line(looked.decisions)
        self.sections = [self._section(source) for source in self.sources]
        self.signature = [
            (name, descriptions.spelled(arg))
            for name, arg in zip(looked.names, looked.compilation.request.args, strict=True)
        ]
        self.panes = list(self._panes())
        self.decisions = [(d, self._key(d), _where(d)) for d in looked.decisions]
        self.loops = [self._loop(loop) for loop in self.costs.loops]
        self.calls = self._calls(self.sources[0].qualname, ()) if self.sources else []
        found = graph.flow(self._origin(looked), looked.home)
        self.flow = graph.drawn(found, self.keys, self._share)
        self.memory = _memory(looked.compiled)
        self.analysis = _analysis(looked.compiled)
        self.beside = self._beside() if derivative else None
        self.stages = _stages(looked.record.stages)
        self.passes = _stages(dict(sorted(looked.record.passes, key=lambda p: -p[1])[:8]))
        self.assumed = ASSUMED
        self.total = _cost(self.costs.total)

    def html(self) -> str:
        """The page."""
        loader = jinja2.PackageLoader("pyxla.reporting", "assets")
        environment = jinja2.Environment(
            loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True
        )
        environment.filters["place"] = lambda path: os.path.basename(path)
        read = lambda name: Markup(loader.get_source(environment, name)[0])
        return environment.get_template("report.html").render(
            page=self,
            style=read("report.css"),
            script=read("report.js"),
            pygments=colours.styles(),
        )

    def _origin(self, looked: Looked) -> Region:
        return looked.program.origin or looked.program.region

    # the source

    def _section(self, source: SourceFunction) -> dict[str, Any]:
        file, first = source.filename, source.lineno
        last = source.node.end_lineno or first
        first = min([first, *[d.lineno for d in getattr(source.node, "decorator_list", ())]])
        text = "".join([linecache.getline(file, n) for n in range(first, last + 1)]).rstrip("\n")
        told = self._told(file)
        lines = colours.annotated(text, first, told, self._variables(source))
        rows = [self._row(file, n, html) for n, html in enumerate(lines, first)]
        return {"name": source.qualname, "file": file, "rows": rows}

    def _row(self, file: str, number: int, html: Markup) -> dict[str, Any]:
        place = (file, number)
        key = self.keys.setdefault(place, f"{len(self.keys)}")
        cost = self.costs.lines.get(place, Cost())
        return {
            "key": key,
            "number": number,
            "html": html,
            "short": Markup(_INDENT.sub("", html)),
            "cost": _cost(cost),
            "has": bool(cost.flops or cost.moved),
            "shares": self._shares(place),
            "decisions": self._by_line.get(place, []),
        }

    def _shares(self, place: Place) -> dict[str, float]:
        """What part of the dearest line's cost a line has."""
        cost = self.costs.lines.get(place, Cost())
        shares = {
            "flops": _ratio(cost.flops, self._most.flops),
            "bytes": _ratio(cost.moved, self._most.moved),
        }
        if self.profile is not None:
            most = max(self.profile.seconds.values(), default=0)
            shares["time"] = _ratio(self.profile.seconds.get(place, 0), most)
        return shares

    def _share(self, place: Place) -> float:
        shares = self._shares(place)
        return shares.get("time", shares["flops"])

    @functools.cached_property
    def _most(self) -> Cost:
        costs = self.costs.lines.values()
        most = max((c.flops for c in costs), default=0), max((c.moved for c in costs), default=0)
        return Cost(*most)

    def measured(self, key: str) -> str:
        """The share of time of a line."""
        places = {k: place for place, k in self.keys.items()}
        if self.profile is None or not self.profile.total:
            return ""
        seconds = self.profile.seconds.get(places[key], 0)
        return f"{seconds / self.profile.total:.1%}" if seconds else ""

    def _told(self, file: str) -> dict[int, list[colours.Typed]]:
        """For each line of a file, the types of the expressions that stand on it alone."""
        found: dict[int, list[colours.Typed]] = {}
        for (name, line, start, end_line, end), texts in self.looked.found.types.items():
            if name == file and line == end_line:
                found.setdefault(line, []).append((start, end, " | ".join(texts)))
        return found

    def _variables(self, source: SourceFunction) -> dict[str, str]:
        """What the variables of a function are."""
        found: dict[str, dict[str, None]] = {}
        if source is self.sources[0]:
            for name, arg in zip(
                self.looked.names, self.looked.compilation.request.args, strict=True
            ):
                found.setdefault(name, {})[descriptions.spelled(arg)] = None
        for (function, name, _), texts in self.looked.found.names.items():
            if function == source.qualname:
                found.setdefault(name, {}).update(dict.fromkeys(_short(t) for t in texts))
        return {name: f"{name}: {' | '.join(list(texts)[:4])}" for name, texts in found.items()}

    # the stages

    def _panes(self) -> Iterable[Pane]:
        looked = self.looked
        module = jaxlower.stablehlo(looked.program, locations=True)
        region = looked.program.region
        yield self._pane(
            "lowered", "Lowered", "the functions with less Python", of_lowered(self.sources)
        )
        yield self._pane("typed", "SSA", "types known, calls inlined", looked.listing)
        yield self._pane("regions", "Regions", "after all passes", of_code(region, self.name))
        stablehlo = of_stablehlo(module, looked.places)
        yield self._pane("stablehlo", "StableHLO", "the module that XLA gets", stablehlo)
        hlo = of_hlo(looked.optimized, looked.places)
        yield self._pane("hlo", "HLO", "what XLA made of it", hlo)

    def _pane(self, name: str, title: str, about: str, lines: Sequence[Line]) -> Pane:
        language = "python" if name == "lowered" else "module"
        if len(lines) > MOST:
            more = Line(f"… and {len(lines) - MOST} lines more, which the command line shows")
            lines = [*lines[:MOST], more]
        texts = [_cut(line.text) for line in lines]
        if TIMES * sum(map(len, texts)) <= self._colours:
            made = colours.coloured(texts, language)
            self._colours -= sum(map(len, made))
        else:
            made = [Markup.escape(text) for text in texts]
        keys = [self._place_key(line.place) for line in lines]
        return Pane(name, title, about, list(zip(made, keys, strict=True)))

    def _place_key(self, place: Place | None) -> str:
        """The key of the source line for code of a place, which may be of the library."""
        if place is None:
            return ""
        if place not in self.keys:
            homes = self.looked.found.homes.get(place, set())
            if len(homes) == 1:
                (home,) = homes
                place = home.filename, home.lineno
        return self.keys.get(place, "")

    # the rest

    def _key(self, decision: Decision) -> str:
        loc = decision.loc
        return self._place_key((loc.filename, loc.lineno)) if loc else ""

    def _loop(self, loop: Loop) -> dict[str, Any]:
        place = (loop.loc.filename, loop.loc.lineno) if loop.loc else None
        bound = "" if loop.exact else "at most "
        return {
            "key": self._place_key(place),
            "code": linecache.getline(*place).strip() if place else "a loop",
            "line": place[1] if place else "",
            "count": f"{bound}{loop.count:,}" if loop.count is not None else "as data says",
            "carried": ", ".join(map(str, loop.carried[:6])) + ", …" * (len(loop.carried) > 6),
            "state": size(loop.state),
            "cost": _cost(loop.cost),
            "inner": [self._loop(inner) for inner in loop.inner],
        }

    def _calls(self, function: str, above: tuple[str, ...]) -> list[dict[str, Any]]:
        """Who is called by a function: a tree; what calls itself is not opened again."""
        files = {source.qualname: source.filename for source in self.sources}
        found = []
        for line, callee in sorted(self.looked.found.calls.get(function, {})):
            again = callee in above or callee == function
            inner = [] if again else self._calls(callee, (*above, function))
            key = self._place_key((files.get(function, ""), line))
            own = callee in files
            found.append({"key": key, "line": line, "name": callee, "own": own, "inner": inner})
        return found

    def _beside(self) -> dict[str, Any]:
        """The derivative: what each line costs in both, and both programs."""
        made = gradient(self.looked)
        if isinstance(made, str):
            return {"refused": made}
        origin = self._origin(made)
        costs = Costs(origin, made.home)
        rows = []
        for place, key in self.keys.items():
            before, after = self.costs.lines.get(place, Cost()), costs.lines.get(place, Cost())
            if before.flops or after.flops:
                known = before.flops and not after.open
                ratio = f"{after.flops / before.flops:.1f}×" if known else ""
                code = linecache.getline(*place).strip()
                rows.append((key, place[1], code, _cost(before), _cost(after), ratio))
        names = [self.looked.names[i] for i in inexact(self.looked)]
        primal = of_code(self._origin(self.looked), self.name)
        return {
            "by": ", ".join(names),
            "rows": rows,
            "open": costs.total.open,
            "total": _cost(costs.total),
            "primal": self._pane("primal", "Primal", "", primal),
            "gradient": self._pane("gradient", "Gradient", "", of_code(origin, self.name)),
        }


def _is_library(source: SourceFunction, looked: Looked) -> bool:
    loc = source.loc
    return looked.home(loc) is not loc


def _by_line(found: Iterable[Decision]) -> dict[Place, list[Decision]]:
    lines: dict[Place, list[Decision]] = {}
    for decision in found:
        if decision.loc is not None:
            lines.setdefault((decision.loc.filename, decision.loc.lineno), []).append(decision)
    return lines


def _where(decision: Decision) -> str:
    loc = decision.loc
    return f"{os.path.basename(loc.filename)}:{loc.lineno}" if loc else ""


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _short(text: str) -> str:
    return text.removeprefix("array ")


def _ratio(x: float, y: float) -> float:
    return x / y if y else 0.0


def number(x: float) -> str:
    """1234567 as 1.2M."""
    for unit in _UNITS:
        if x < 1000:
            return f"{x:.0f}{unit}" if x >= 100 or x == int(x) else f"{x:.1f}{unit}"
        x /= 1000
    return f"{x:.0f}E"


def size(x: float) -> str:
    """1234567 as 1.2 MB."""
    for unit in _SIZES:
        if x < 1000:
            return f"{x:.0f} {unit}" if x >= 100 or x == int(x) else f"{x:.1f} {unit}"
        x /= 1000
    return f"{x:.0f} PB"


def _cost(cost: Cost) -> dict[str, str]:
    about = "≈" if cost.open else ""
    return {"flops": about + number(cost.flops), "bytes": about + size(cost.moved)}


def _memory(compiled: Any) -> list[tuple[str, str, float]]:
    """What XLA says of memory: what for, how much, the share of the largest."""
    stats = compiled.memory_analysis()
    if stats is None:
        return []
    found = [
        ("arguments", stats.argument_size_in_bytes),
        ("results", stats.output_size_in_bytes),
        ("of these shared with arguments", stats.alias_size_in_bytes),
        ("temporary", stats.temp_size_in_bytes),
        ("code", stats.generated_code_size_in_bytes),
    ]
    most = max((n for _, n in found), default=1) or 1
    return [(name, size(n), n / most) for name, n in found if n]


def _analysis(compiled: Any) -> list[tuple[str, str]]:
    """What XLA says of costs; it counts a loop of unknown length once."""
    try:
        found = compiled.cost_analysis() or {}
    except jinja2.TemplateError:
        raise
    except Exception:  # noqa: BLE001 - not every platform has one
        return []
    kinds = {"flops": number, "transcendentals": number, "bytes accessed": size}
    return [(name, spell(found[name])) for name, spell in kinds.items() if name in found]


def _stages(seconds: dict[str, float]) -> list[tuple[str, str, float]]:
    most = max(seconds.values(), default=0) or 1
    return [(name, f"{1e3 * s:.1f} ms", s / most) for name, s in seconds.items()]
