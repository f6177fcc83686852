"""How values go from line to line of a program, drawn as SVG in layers (Sugiyama, by grandalf)."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from grandalf.graphs import Edge, Graph, Vertex
from grandalf.layouts import SugiyamaLayout
from grandalf.routing import EdgeViewer
from markupsafe import Markup

from pyxla.errors import Location
from pyxla.ir.core import Instr, Region, Value
from pyxla.lower.cost import nbytes
from pyxla.reporting.listing import Place

MOST = 160  # lines that are drawn; of larger programs those that carry most
FEW = 40  # nodes, of which a drawing is ordered more often
HEIGHT, CHARACTER, PADDING, LONGEST = 34, 6.7, 22, 38
GIVEN, RETURNED = "arguments", "results"
Node = Place | str


@dataclass(slots=True)
class Flow:
    """nodes: lines, in order.  edges: between them, with the largest of the values."""

    nodes: dict[Node, None] = field(default_factory=dict)
    edges: dict[tuple[Node, Node], Value] = field(default_factory=dict)


class _Walk:
    """Where each value comes from: the lines that may make it."""

    def __init__(self, home: Callable[[Location], Location | None]) -> None:
        self.flow = Flow()
        self.made: dict[Value, frozenset[Node]] = {}
        self.home = home

    def region(self, region: Region, at: Node | None) -> None:
        for instr in region.instrs:
            loc = self.home(instr.loc) if instr.loc else None
            self.instr(instr, (loc.filename, loc.lineno) if loc else at)

    def instr(self, instr: Instr, at: Node | None) -> None:
        """Code that no line is known of hands on what it is given."""
        name = instr.op.name
        if name == "constant" or (at is None and not instr.regions):
            given = [self.made.get(value, frozenset()) for value in instr.operands]
            self.made.update(dict.fromkeys(instr.results, frozenset().union(*given)))
            return
        for value in instr.operands:
            self.edge(value, at)
        if name == "while":
            self.loop(instr, at)
        elif name in ("if", "case", "call", "scope"):
            for region in instr.regions:
                params = zip(region.params, instr.operands[-len(region.params) :], strict=False)
                self.made.update({p: self.made.get(v, frozenset()) for p, v in params})
                self.region(region, at)
            for k, result in enumerate(instr.results):
                sources = [self.made.get(r.results[k], frozenset()) for r in instr.regions]
                self.made[result] = frozenset().union(*sources) or _only(at)
        else:
            if at is not None:
                self.flow.nodes.setdefault(at)
            self.made.update(dict.fromkeys(instr.results, _only(at)))

    def loop(self, instr: Instr, at: Node | None) -> None:
        cond, body = instr.regions
        for region in (cond, body):
            for param, value in zip(region.params, instr.operands, strict=True):
                self.made[param] = self.made.get(value, frozenset())
            self.region(region, at)
        for result, value in zip(instr.results, body.results, strict=True):
            self.made[result] = self.made.get(value, frozenset()) or _only(at)

    def edge(self, value: Value, to: Node | None) -> None:
        for source in self.made.get(value, ()):
            if to is None or source == to:
                continue
            self.flow.nodes.setdefault(source)
            self.flow.nodes.setdefault(to)
            known = self.flow.edges.get((source, to))
            if known is None or nbytes(known) < nbytes(value):
                self.flow.edges[source, to] = value


def _only(at: Node | None) -> frozenset[Node]:
    return frozenset() if at is None else frozenset({at})


def flow(region: Region, home: Callable[[Location], Location | None]) -> Flow:
    """Which lines of a program use what others make; arguments and results are nodes too."""
    walk = _Walk(home)
    walk.flow.nodes[GIVEN] = None
    walk.made.update(dict.fromkeys(region.params, frozenset({GIVEN})))
    walk.region(region, None)
    for value in region.results:
        walk.edge(value, RETURNED)
    return walk.flow


class _View:
    """The size of a node, and where the layout puts its middle."""

    def __init__(self, width: float) -> None:
        self.w, self.h = width, HEIGHT
        self.xy = (0.0, 0.0)


class _Layout(SugiyamaLayout):  # type: ignore[misc]
    """With conflicts that are looked up: grandalf looks through a list for each pair."""

    conflicts: Any

    def _detect_alignment_conflicts(self) -> None:
        super()._detect_alignment_conflicts()
        self.conflicts = frozenset(self.conflicts)


def drawn(found: Flow, keys: dict[Place, str], heat: Callable[[Place], float]) -> Markup:
    """The SVG of a flow.  keys: how the page calls places; heat: how dear a line is, 0 to 1."""
    nodes = _largest(found)
    vertices = {node: Vertex(node) for node in nodes}
    for node, vertex in vertices.items():
        vertex.view = _View(CHARACTER * len(_label(node)) + PADDING)
    edges = {
        pair: Edge(vertices[pair[0]], vertices[pair[1]])
        for pair in found.edges
        if pair[0] in vertices and pair[1] in vertices
    }
    for edge in edges.values():
        edge.view = EdgeViewer()
    graph = Graph(list(vertices.values()), list(edges.values()))
    _lay_out(graph)
    parts = [_edge_svg(edge, found.edges[pair]) for pair, edge in edges.items()]
    parts += [_node_svg(node, vertex.view, keys, heat) for node, vertex in vertices.items()]
    views = [vertex.view for vertex in vertices.values()]
    left = min(view.xy[0] - view.w / 2 for view in views) - 20
    right = max(view.xy[0] + view.w / 2 for view in views) + 20
    bottom = max(view.xy[1] for view in views) + HEIGHT
    return Markup(
        '<svg class="flow" viewBox="{:.0f} -20 {:.0f} {:.0f}"><defs><marker id="head" '
        'viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z"/></marker></defs><g class="scene">{}</g></svg>'
    ).format(left, right - left, bottom + 40, Markup("").join(parts))


def _largest(found: Flow) -> list[Node]:
    """The nodes that are drawn."""
    joined = {node for pair in found.edges for node in pair}
    if len(joined) <= MOST:
        return [node for node in found.nodes if node in joined] or [GIVEN]
    carried: dict[Node, int] = dict.fromkeys(joined, 0)
    for pair, value in found.edges.items():
        for node in pair:
            carried[node] += nbytes(value)
    kept = set(sorted(carried, key=lambda node: -carried[node])[:MOST])
    return [node for node in found.nodes if node in kept]


def _lay_out(graph: Any) -> None:
    """Place the parts of a graph side by side."""
    start = 0.0
    for part in graph.C:
        # The time of a round grows with the square of what there is.
        rounds = 6 if len(part.sV) <= FEW else 2
        layout = _Layout(part)
        layout.xspace, layout.yspace = 24, 46
        layout.init_all()
        layout.draw(rounds)
        views = [vertex.view for vertex in part.sV]
        shift = start - min(view.xy[0] - view.w / 2 for view in views)
        for view in views:
            view.xy = (view.xy[0] + shift, view.xy[1])
        for edge in part.sE:
            edge.view._pts = [(x + shift, y) for x, y in getattr(edge.view, "_pts", [])]
        start = max(view.xy[0] + view.w / 2 for view in views) + 60


def _label(node: Node) -> str:
    if isinstance(node, str):
        return node
    code = linecache.getline(*node).strip()
    return f"{node[1]}  {code if len(code) <= LONGEST else code[: LONGEST - 1] + '…'}"


def _node_svg(
    node: Node, view: _View, keys: dict[Place, str], heat: Callable[[Place], float]
) -> Markup:
    x, y = view.xy
    place = None if isinstance(node, str) else node
    key = keys.get(place, "") if place else ""
    return Markup(
        '<g class="node{}" data-at="{}" style="--heat:{:.3f}" transform="translate({:.1f} {:.1f})">'
        '<rect x="{:.1f}" y="{}" width="{:.1f}" height="{}" rx="7"/>'
        '<text text-anchor="middle" dy="4">{}</text></g>'
    ).format(
        "" if place else " end",
        key,
        heat(place) if place else 0,
        x,
        y,
        -view.w / 2,
        -HEIGHT / 2,
        view.w,
        HEIGHT,
        _label(node),
    )


def _edge_svg(edge: Any, value: Value) -> Markup:
    points = list(_points(edge))
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (x0, y0), (x1, y1) in zip(points, points[1:], strict=False):
        middle = (y0 + y1) / 2
        path += f"C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}"
    size = nbytes(value)
    width = 1 + min(len(str(size)), 10) / 4
    return Markup(
        '<path class="edge" d="{}" style="stroke-width:{:.1f}"><title>{}</title></path>'
    ).format(path, width, str(value.type))


def _points(edge: Any) -> Iterator[tuple[float, float]]:
    """From the bottom of a node to the top of the next, by way of what the layout found between;
    the other way round where the edge goes up."""
    first, last = (v.view for v in edge.v)
    down = HEIGHT / 2 if first.xy[1] <= last.xy[1] else -HEIGHT / 2
    yield first.xy[0], first.xy[1] + down
    yield from list(getattr(edge.view, "_pts", []))[1:-1]
    yield last.xy[0], last.xy[1] - down
