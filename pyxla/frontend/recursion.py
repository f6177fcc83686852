"""Functions that call themselves or each other, as loops with a stack: for recursion whose depth
data decides.

    def f(x):            calls, frames = [], []
        before           call:    before
        y = f(a)                  frames.append(names that `after` reads); calls.append(0)
        after                     x = a; go to call
        return z         return:  if not calls: return z
                                  at = calls.pop()
                                  if at == 0: names = frames.pop(); y = z; after; go to return

Each iteration of the outer loop is a call, and each of the inner one a call that goes on behind one
of its own.  Of functions that call each other an iteration is a call of one of them, and a variable
says of which.  Arguments that are handed on as they are stay where they are; a call whose result is
returned needs no frame.  Where `functools.cache` keeps results, a dict does, from the first call to
the last.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import gast

from pyxla.frontend import pyops, support, tree
from pyxla.frontend.cfg import BOX_PREFIX, Graph, renamed
from pyxla.frontend.delegation import handed_on
from pyxla.frontend.desugar import Lowered, desugar
from pyxla.frontend.hoist import at, name
from pyxla.frontend.resuming import OfSites, Path, Probe, Site, all_statements
from pyxla.frontend.source import SourceFunction, mangle
from pyxla.frontend.ssa import SSA, ssa_of
from pyxla.frontend.tree import LOAD
from pyxla.ir.core import Block, Jump, Return, Value

# Variables of the graph: `put` and `lookup` know them, and no program does.
CALLS, RESULT = "open calls", "the result"
CALLED, PLACE = "the function", "the place of the call"
# The headers of the two loops.
CALL, UNWIND = "call", "unwind"
CONTAINERS = ("Counter", "OrderedDict", "defaultdict", "deque", "dict", "list", "set")
KEPT, KEY = "kept results", "the arguments"


def is_of_stack(header: Block) -> bool:
    """Whether a loop is one of the two that stand for calls of a function by itself."""
    return header.label in (CALL, UNWIND)


@dataclass(eq=False, slots=True)
class Member:
    """One of the functions that call each other, its calls of them in statements of their own.

    calls: the functions that a site may call: methods of one name are told apart where the object
    is known.  renamed: its variables, which the others may have as well.
    """

    number: int
    source: SourceFunction
    lowered: Lowered
    sites: list[Site]
    calls: dict[Site, tuple[SourceFunction, ...]]
    cached: bool
    renamed: dict[str, str] = field(default_factory=dict)

    def of(self, text: str) -> str:
        """The variable of the graph that stands for this in the code of the function."""
        return f"{text} of {self.number}"


def to_loops(source: SourceFunction, group: frozenset[SourceFunction]) -> SSA | None:
    """The SSA form of a function, without calls of itself and the others of a group of functions
    that call each other; None where the calls are not plain, or in a `try`, or where it never
    ends."""
    known = source.stages.setdefault("loops", {})
    if group not in known:
        others = sorted(group - {source}, key=lambda s: (s.filename, s.lineno, s.qualname))
        known[group] = _to_loops((source, *others))
    found: SSA | None = known[group]
    return found


def _to_loops(sources: tuple[SourceFunction, ...]) -> SSA | None:
    members: list[Member] = []
    for source in sources:
        member = _member(source, sources, members)
        if member is None:
            return None
        members.append(member)
    entry = members[0]
    fixed = _fixed(members)
    if not fixed >= {*entry.lowered.scope.cell}:
        return None
    for member in members[1:]:
        bound, temporary = member.lowered.scope.bound(), member.lowered.temporary
        shared = fixed.intersection(member.source.params)
        own = [text for text in bound if text not in shared and not temporary(text)]
        function = f"{member.source.name} {member.number}"
        member.renamed = {text: renamed(text, function) for text in own}
    for member in members:
        probe = Probe(member.source, member.lowered, member.sites, member.renamed)
        key = (member.of(KEY),) if member.cached else ()
        live = probe.live()
        for site, names in live.items():
            own = [n for n in names if n not in fixed and not n.startswith(BOX_PREFIX)]
            site.names = (*own, *key)
            site.tail = site.tail and not key
        member.sites = list(live)
    builder = _Stacked(members, fixed)
    if not builder.build():
        return None
    graph = Graph(builder.entry, builder.params, builder.names)
    free = dict.fromkeys([n for member in members for n in member.source.freevars])
    return replace(ssa_of(entry.source, entry.lowered, graph), freevars=tuple(free))


def _member(
    source: SourceFunction, sources: tuple[SourceFunction, ...], before: Sequence[Member]
) -> Member | None:
    """A function with its calls of those of the group apart; None where they are not plain."""
    lowered: Any = desugar(source)
    own = _Own(sources, lowered)
    if lowered.scope.generator:
        lowered = handed_on(lowered, own.calls) if len(sources) == 1 else None
    if source.vararg or source.kwarg or lowered is None or own.ambiguous:
        return None
    if before and (lowered.scope.cell or {*before[0].lowered.scope.cell} & {*source.freevars}):
        return None
    apart = _Apart(source, lowered, own)
    lowered = apart.lowered_apart()
    sites = _sites(lowered.node.body, apart.own, sum(len(member.sites) for member in before))
    calls = {site: own.callees(site.call) for site in sites}
    pairs = [(source, site) for site, found in calls.items() for source in found]
    if not sites or len(sites) < apart.calls_inside() or not all(calls.values()):
        return None
    if any(_bound(source, site) is None for source, site in pairs):
        return None
    return Member(len(before), source, lowered, sites, calls, _is_cached(source))


class _Own:
    """Which calls in a function look like calls of one of a group; inference makes sure.

    names: those of the functions, where they are no variables of its own, and the temporaries that
    hold one while arguments are evaluated.
    """

    def __init__(self, sources: Sequence[SourceFunction], lowered: Lowered) -> None:
        bound = lowered.scope.bound()
        methods = [(mangle(s.name, s.class_name), s) for s in sources if s.class_name]
        self.methods = {name: tuple([s for n, s in methods if n == name]) for name, _ in methods}
        self.names = {s.name: (s,) for s in sources if s.name not in bound}
        functions = [s.name for s in sources if not s.class_name]
        self.ambiguous = len({*functions}) < len(functions)
        held: dict[str, str] = {}
        others: set[str] = set()  # temporaries that may hold something else
        for node in gast.walk(lowered.node):
            match node:
                case gast.Assign(targets=[gast.Name(id=text)], value=gast.Name(id=function)) if (
                    function in self.names and held.setdefault(text, function) == function
                ):
                    pass
                case gast.Assign(targets=[gast.Name(id=text)]):
                    others.add(text)
        for text, function in held.items():
            if text not in others and lowered.temporary(text):
                self.names[text] = self.names[function]

    def callees(self, node: Any) -> tuple[SourceFunction, ...]:
        """The functions of which a node calls one."""
        if not isinstance(node, gast.Call):
            return ()
        if isinstance(node.func, gast.Attribute):
            return self.methods.get(node.func.attr, ())
        return self.names.get(node.func.id, ()) if isinstance(node.func, gast.Name) else ()

    def calls(self, node: Any) -> bool:
        return bool(self.callees(node))


def _sites(body: Sequence[gast.stmt], own: Container[gast.stmt], first: int) -> list[Site]:
    sites: list[Site] = []
    for path, node in all_statements(body, ()):
        if node in own:
            statement: Any = node
            target = statement.targets[0] if isinstance(node, gast.Assign) else None
            tail = _is_tail(path, target)
            number = first + len(sites)
            sites.append(Site(number, node, statement.value, target, path, tail))
    return sites


def _is_tail(path: Path, target: gast.Name | None) -> bool:
    statements, index = path[-1]
    following = statements[index + 1] if index + 1 < len(statements) else None
    if not isinstance(following, gast.Return) or target is None:
        return False
    return isinstance(following.value, gast.Name) and following.value.id == target.id


def _bound(source: SourceFunction, site: Site) -> dict[str, gast.expr] | None:
    """The arguments of a call by parameter, the object of a method not among them; None where that
    is not plain."""
    positional = [*source.posonly, *source.args]
    if _on_object(source, site.call):
        positional = positional[1:]
    args, keywords = site.call.args, site.call.keywords
    if len(args) > len(positional) or any(isinstance(a, gast.Starred) for a in args):
        return None
    bound = dict(zip(positional, args, strict=False))
    for keyword in keywords:
        if keyword.arg is None or keyword.arg in bound or keyword.arg in source.posonly:
            return None
        bound[keyword.arg] = keyword.value
    node: Any = source.node
    defaults = dict(zip(reversed([*source.posonly, *source.args]), reversed(node.args.defaults)))
    defaults |= {a.id: d for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults) if d}
    for missing in [p for p in (*positional, *source.kwonly) if p not in bound]:
        if not isinstance(defaults.get(missing), gast.Constant):
            return None
        bound[missing] = defaults[missing]
    return bound if len(bound) == len(positional) + len(source.kwonly) else None


def _on_object(source: SourceFunction, call: gast.Call) -> bool:
    """Whether the first argument is what the function is an attribute of."""
    static = any(_is_name(node, "staticmethod") for node in source.decorators)
    return isinstance(call.func, gast.Attribute) and not static


def _is_cached(source: SourceFunction) -> bool:
    """Whether its results look like being kept; inference makes sure."""
    named = [node.func if isinstance(node, gast.Call) else node for node in source.decorators]
    ends = [n.attr if isinstance(n, gast.Attribute) else getattr(n, "id", "") for n in named]
    return any(text in ("cache", "lru_cache") for text in ends)


def _fixed(members: Sequence[Member]) -> set[str]:
    """Parameters that each call hands on, by the same name, and nothing rebinds but a default in
    place of None."""
    fixed = {
        text
        for text in members[0].source.params
        if all(text in _not_rebound(m) for m in members if text in m.source.params)
    }
    for member in members:
        for site, source in [(site, s) for site, found in member.calls.items() for s in found]:
            given: dict[str, gast.expr] = dict(_bound(source, site) or {})
            if _on_object(source, site.call) and source.params:
                given[source.params[0]] = site.call.func.value
            own = member.source.params
            fixed -= {
                p
                for p in fixed.intersection(source.params)
                if p not in own or not _is_name(given.get(p), p)
            }
    return fixed


def _not_rebound(member: Member) -> set[str]:
    """Parameters that nothing rebinds but a default in place of None: in the first call of all."""
    lowered = member.lowered
    if member.number:
        return {p for p in member.source.params if p not in lowered.scope.stores}
    first = min((site.path[0][1] for site in member.sites), default=0)
    made = _made_for_none(lowered.node.body[:first]) - set(lowered.scope.cell)
    stores = Counter(
        n.id if isinstance(n, gast.Name) else getattr(n, "asname", None) or n.name
        for statement in lowered.node.body
        for n in gast.walk(statement)
        if hasattr(n, "name") or (isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load))
    )
    once = {p for p in made if stores[p] == 1}
    return {p for p in member.source.params if p in once or p not in lowered.scope.stores}


def _made_for_none(body: Sequence[gast.stmt]) -> set[str]:
    """Names of `if memo is None: memo = {}`: from there on they are not None, in the calls that
    they are handed to neither."""
    names = set()
    for node in body:
        match node:
            case gast.If(
                test=gast.Compare(
                    left=gast.Name(id=text),
                    ops=[gast.Is()],
                    comparators=[gast.Constant(value=None)],
                ),
                body=[gast.Assign(targets=[gast.Name(id=target)], value=value)],
                orelse=[],
            ) if target == text and _is_container(value):
                names.add(text)
    return names


def _is_container(node: Any) -> bool:
    """Whether it makes a container, by the look of it: `[]`, `[0] * n`, `set()`."""
    match node:
        case gast.BinOp(left=left, op=gast.Mult(), right=right):
            return _is_container(left) or _is_container(right)
        case gast.Call(func=gast.Name(id=text)):
            return text in CONTAINERS
    return isinstance(node, (gast.List, gast.Dict, gast.Set, gast.Tuple))


def _is_name(node: Any, text: str) -> bool:
    return isinstance(node, gast.Name) and node.id == text


# --- calls apart ------------------------------------------------------------------------------


class _Apart:
    """Puts the calls of a group's functions in statements of their own, `own`, in the same order.

    out: where statements go.  made: names of values that are held.
    """

    def __init__(self, source: SourceFunction, lowered: Lowered, own: _Own) -> None:
        self.source, self.lowered = source, lowered
        self.own_calls = own
        self.out: list[gast.stmt] = []
        self.made: dict[str, None] = {}
        self.own: set[gast.stmt] = set()

    def lowered_apart(self) -> Lowered:
        """The function that way."""
        node = copy.copy(self.lowered.node)
        node.body = self.block(node.body)
        scope = self.lowered.scope
        scope = replace(scope, stores={**scope.stores, **self.made})
        return replace(self.lowered, node=node, scope=scope)

    def calls_inside(self) -> int:
        """How many calls of itself there are, but for those of generator expressions over what may
        be endless, which are there twice (`endless`): for that as functions."""
        nodes = list(gast.walk(self.lowered.node))
        made = [
            n for n in nodes if isinstance(n, gast.FunctionDef) and self.lowered.temporary(n.name)
        ]
        twice = {n for function in made for n in gast.walk(function)}
        return sum(self.own_calls.calls(n) for n in nodes if n not in twice)

    def has(self, node: Any) -> bool:
        return any(self.own_calls.calls(n) for n in gast.walk(node))

    def block(self, nodes: Sequence[gast.stmt]) -> list[gast.stmt]:
        outer, self.out = self.out, []
        for node in nodes:
            if isinstance(node, (gast.FunctionDef, gast.Try)) or not self.has(node):
                self.out.append(node)
            else:
                self.statement(copy.copy(node))
        made, self.out = self.out, outer
        return made

    def statement(self, node: Any) -> None:
        if isinstance(node, gast.While):
            node.body = self.block(node.body)
        elif isinstance(node, gast.If):
            node.test = self.flat(node.test)
            node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        elif isinstance(node, gast.AugAssign):
            return self.augmented(node)
        elif isinstance(node, (gast.Assign, gast.Expr)) and self.is_site(node):
            value: Any = node.value
            node.value = self.call(value)
            self.own.add(node)
        elif isinstance(node, gast.Assign):
            value, *places = self.flat_all([node.value, *node.targets])
            node.value, node.targets = value, places
        else:
            for field, value in gast.iter_fields(node):
                if isinstance(value, gast.expr):
                    setattr(node, field, self.flat(value))
        self.out.append(node)

    def is_site(self, node: Any) -> bool:
        plain = isinstance(node, gast.Expr) or isinstance(node.targets[0], gast.Name)
        return plain and self.own_calls.calls(node.value)

    def augmented(self, node: gast.AugAssign) -> None:
        """`x[i] += f(y)`: what `x[i]` is before the call is added to."""
        target: Any = node.target
        if not isinstance(target, gast.Name):
            target = copy.copy(target)
            parts = ["value", "slice"] if isinstance(target, gast.Subscript) else ["value"]
            for part in parts:
                setattr(target, part, self.spilled(self.flat(getattr(target, part))))
        read = copy.copy(target)
        read.ctx = LOAD
        old = self.held(read)
        added = at(gast.AugAssign(at(tree.store(old.id), node), node.op, node.value), node)
        added.value = self.flat(node.value)
        self.out.append(added)
        self.out.append(at(tree.assign(target, old), node))

    def flat(self, node: Any) -> Any:
        """An expression without calls, which are made before."""
        if not self.has(node):
            return node
        node = copy.copy(node)
        if self.own_calls.calls(node):
            return self.held(self.call(node), own=True)
        fields = [f for f, value in gast.iter_fields(node) if isinstance(value, (gast.expr, list))]
        parts = [getattr(node, f) for f in fields]
        counts = [len(p) if isinstance(p, list) else 1 for p in parts]
        every = [e for p in parts for e in (p if isinstance(p, list) else [p])]
        if isinstance(node, gast.Dict):  # a key, its value, the next key
            every = [e for pair in zip(node.keys, node.values, strict=True) for e in pair]
        flat = self.flat_all(every)
        if isinstance(node, gast.Dict):
            flat = [*flat[::2], *flat[1::2]]
        for each, part, count in zip(fields, parts, counts, strict=True):
            setattr(node, each, flat[:count] if isinstance(part, list) else flat[0])
            flat = flat[count:]
        return node

    def call(self, node: gast.Call) -> gast.Call:
        """A call of one of the functions, of plain arguments."""
        callee = self.own_calls.callees(node)[0]
        node = copy.copy(node)
        count = len(node.args)
        given = [*node.args, *[k.value for k in node.keywords]]
        if isinstance(node.func, gast.Attribute):
            owner, *rest = self.flat_all([node.func.value, *given])
            node.func = at(gast.Attribute(owner, node.func.attr, LOAD), node.func)
        else:
            rest = self.flat_all(given)
            node.func = name(callee.name, node.func)
        node.args = rest[:count]
        pairs = zip(node.keywords, rest[count:], strict=True)
        node.keywords = [at(gast.keyword(k.arg, value), k) for k, value in pairs]
        return node

    def flat_all(self, nodes: Sequence[Any]) -> list[Any]:
        """Expressions that are evaluated one after the other: those before a call are held."""
        last = max([i for i, node in enumerate(nodes) if self.has(node)], default=0)
        return [
            self.spilled(self.flat(node)) if i < last else self.flat(node)
            for i, node in enumerate(nodes)
        ]

    def spilled(self, node: Any) -> Any:
        """`node`, evaluated now."""
        if isinstance(node, gast.Constant) or node is None or self.is_global(node):
            return node
        if isinstance(node, gast.Name) and self.stays(node.id):
            return node
        if isinstance(node, (gast.Slice, gast.Starred, gast.FormattedValue, gast.keyword)) or (
            isinstance(node, gast.Tuple) and any(isinstance(e, gast.Slice) for e in node.elts)
        ):
            node = copy.copy(node)
            for field, value in gast.iter_fields(node):
                if isinstance(value, gast.expr):
                    setattr(node, field, self.spilled(value))
                elif field == "elts":
                    setattr(node, field, [self.spilled(e) for e in value])
            return node
        return self.held(node)

    def stays(self, text: str) -> bool:
        """Whether no call binds this variable again: expressions themselves bind none any more."""
        scope = self.lowered.scope
        if text not in scope.nonlocal_ and text not in self.source.freevars:
            return text in scope.bound() and text not in scope.cell
        outermost = self.source
        while outermost.outer is not None:
            outermost = outermost.outer
        rebound = [n.names for n in gast.walk(outermost.node) if isinstance(n, gast.Nonlocal)]
        return outermost is not self.source and not any(text in names for names in rebound)

    def is_global(self, node: Any) -> bool:
        """Whether this is a global name, or an attribute of one: a function, a class, a module."""
        while isinstance(node, gast.Attribute):
            node = node.value
        scope = self.lowered.scope
        variables = (*scope.bound(), *scope.nonlocal_, *self.source.freevars)
        return isinstance(node, gast.Name) and node.id not in variables

    def held(self, node: Any, own: bool = False) -> Any:
        """A fresh name that holds the value."""
        text = f"value {len(self.made)} of {self.source.name}"
        self.made[text] = None
        made: Any = at(tree.assign(at(tree.store(text), node), node), node)
        if own:
            self.own.add(made)
        self.out.append(made)
        return name(text, node)


# --- graphs -----------------------------------------------------------------------------------


class _Stacked(OfSites):
    """The graph of the functions as two loops; `called` and `returning` are open blocks."""

    def __init__(self, members: Sequence[Member], fixed: set[str]) -> None:
        self.members, self.fixed = members, fixed
        self.owner = {site: member for member in members for site in member.sites}
        super().__init__(members[0].source, members[0].lowered, list(self.owner))
        self.kept = [site for site in self.owner if not site.tail]
        self.called: list[Block] = []
        self.returning: list[Block] = []

    def build(self) -> bool:
        """Make the graph; whether it is ever left."""
        node = self.lowered.node
        self.enter(self.members[0])
        self.parameters()
        for text in dict.fromkeys([n for m in self.members for n in m.source.freevars]):
            if text not in self.free:
                self.set_box(text, self.emit(pyops.FREE_BOX, (), {"name": text}, node))
        for text in [CALLS, *[_frames(site) for site in self.kept if site.names]]:
            self.put(text, self.emit(pyops.LIST, (), {}, node))
        for member in self.members:
            if member.cached:
                self.put(member.of(KEPT), self.emit(pyops.DICT, (), {}, node))
        self.call_next(self.members[0], node)
        header = self.start(CALL, self.block)
        for member in self.members[:-1]:
            other = self.where(CALLED, member.number, node)
            self.body(member)
            self.resume(other)
        self.body(self.members[-1])
        returns = bool(self.returning)
        self.join(self.returning, "returned")
        self.enter(self.members[0])
        if returns:
            self.unwind(node)
        self.iteration(header, self.called)
        nodes = [part for m in self.members for part in gast.walk(m.lowered.node)]
        return returns or any(isinstance(part, gast.Raise) for part in nodes)

    def enter(self, member: Member) -> None:
        """Go on in the code of this function."""
        self.member = member
        self.code_of(member.source, member.lowered, member.renamed)

    def call_next(self, member: Member, node: gast.AST) -> None:
        """Let the next call be one of this function, where there are several."""
        if len(self.members) > 1:
            self.put(CALLED, self.literal(member.number, node))

    def recall(self, node: gast.FunctionDef) -> None:
        """Return what is kept for these arguments."""
        key, kept = self.member.of(KEY), self.member.of(KEPT)
        names = [self.named(p) for p in self.source.params if p not in self.fixed]
        given = tuple([self.lookup(text) for text in names])
        self.put(key, self.emit(pyops.TUPLE, given, {}, node))
        operands = (self.lookup(key), self.lookup(kept))
        known = self.emit(pyops.COMPARE, operands, {"op": "contains"}, node)
        this, other = self.fork(self.emit(pyops.TRUTH, (known,), {}, node), node)
        self.resume(this)
        operands = (self.lookup(kept), self.lookup(key))
        self.put(RESULT, self.emit(pyops.GETITEM, operands, {}, node))
        self.returning.append(self.block)
        self.resume(other)

    def body(self, member: Member) -> None:
        self.enter(member)
        node = member.lowered.node
        for text in member.source.params if member.number else ():
            if text not in self.fixed:
                given = self.emit(pyops.GIVEN, (self.lookup(self.named(text)),), {}, node)
                self.put(self.named(text), given)
        if member.cached:
            self.recall(node)
        self.statements(node.body)
        if self.block is not None:
            self.returned(self.literal(None, node))

    def iteration(self, header: Block, ends: Sequence[Block]) -> None:
        """Lead these blocks back to the start of a loop."""
        self.join(ends, "latch")
        if self.block is not None:
            header.preds.append(self.block)
            self.end(Jump(header, self.left_at(self.block)))

    def return_(self, node: gast.Return) -> None:
        self.returned(self.value(node.value))

    def returned(self, value: Value) -> None:
        if self.member.cached:
            kept, key = self.member.of(KEPT), self.member.of(KEY)
            operands = (self.lookup(kept), self.lookup(key), value)
            self.effect(pyops.SETITEM, operands, {}, self.lowered.node)
        self.put(RESULT, value)
        self.returning.append(self.block)
        self.block = None

    def unwind(self, node: gast.FunctionDef) -> None:
        """Go on behind the calls that are open, one after the other."""
        if not self.kept:
            return self.end(Return((self.lookup(RESULT),), self.location(node)))
        header = self.start(UNWIND, self.block)
        self.returning = []
        test = self.emit(pyops.TRUTH, (self.lookup(CALLS),), {}, node)
        go_on, leave = self.fork(test, node)
        self.resume(leave)
        self.end(Return((self.lookup(RESULT),), self.location(node)))
        self.resume(go_on)
        self.put(PLACE, self.method(CALLS, "pop", (), node))
        for site in self.kept[:-1]:
            other = self.where(PLACE, site.number, node)
            self.behind(site)
            self.resume(other)
        self.behind(self.kept[-1])
        self.iteration(header, self.returning)

    def where(self, text: str, number: int, node: gast.AST) -> Block:
        """Go on where a variable is a number; the block for where it is another."""
        operands = (self.lookup(text), self.literal(number, node))
        same = self.emit(pyops.COMPARE, operands, {"op": "eq"}, node)
        this, other = self.fork(self.emit(pyops.TRUTH, (same,), {}, node), node)
        self.resume(this)
        return other

    def method(self, text: str, method: str, args: tuple[Value, ...], node: gast.AST) -> Value:
        """Call a method of a variable."""
        found = self.emit(pyops.GETATTR, (self.lookup(text),), {"name": method}, node)
        layout = ("pos",) * len(args)
        return self.emit(pyops.CALL, (found, *args), {"layout": layout}, node)

    def result(self, site: Site) -> Value:
        return self.lookup(RESULT)

    def at_site(self, site: Site) -> None:
        """Call one of the functions; of methods, where it is one that is of them."""
        call: Any = site.call
        callee = self.value(call.func)
        members = [m for m in self.members if m.source in self.member.calls[site]]
        if not isinstance(call.func, gast.Attribute):
            return self.leave(site, callee, members[0])
        for member in members:
            attrs = {"of": self.about(member, call)}
            this, other = self.fork(self.emit(pyops.RECURRING, (callee,), attrs, call), call)
            self.resume(this)
            self.leave(site, callee, member)
            self.resume(other)
        value = self.call_of(callee, call)
        if site.target is not None:
            self.store(site.target, value, site.node)

    def about(self, member: Member, call: gast.Call) -> tuple[SourceFunction, bool, bool]:
        """The function, whether it is called on an object, and whether its results are kept."""
        return member.source, _on_object(member.source, call), member.cached

    def leave(self, site: Site, callee: Value, member: Member) -> None:
        """Leave what is needed behind the call, and begin with its arguments."""
        call, source = site.call, member.source
        owner = self.emit(pyops.RECUR, (callee,), {"of": self.about(member, call)}, call)
        bound = _bound(source, site) or {}
        new = {text: self.value(bound[text]) for text in bound if text not in self.fixed}
        if not site.tail:
            if site.names:
                frame = tuple([self.lookup(text) for text in site.names])
                made = self.emit(pyops.TUPLE, frame, {"cls": support.Open}, call)
                self.method(_frames(site), "append", (made,), call)
            self.method(CALLS, "append", (self.literal(site.number, call),), call)
        if _on_object(source, call) and source.params[0] not in self.fixed:
            new[source.params[0]] = owner
        for text, value in new.items():
            self.put(member.renamed.get(text, text), value)
        self.call_next(member, call)
        self.called.append(self.block)
        self.block = None

    def behind(self, site: Site) -> None:
        """What comes after a call."""
        self.enter(self.owner[site])
        if site.names:
            frame = self.method(_frames(site), "pop", (), site.call)
            self.put_all(site.names, frame, site.call)
        self.after(site, 0)
        if self.block is not None:
            self.returned(self.literal(None, self.lowered.node))


def _frames(site: Site) -> str:
    return f"frames of call {site.number}"
