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

import itertools
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import field, replace
from typing import Any

import gast

from pyxla.frontend import implicit_calls, pyops, support
from pyxla.frontend.cfg import BOX_PREFIX, Graph, renamed
from pyxla.frontend.delegation import handed_on
from pyxla.frontend.desugar import Lowered, desugar
from pyxla.frontend.hoist import at, constant
from pyxla.frontend.hoist import call as helper
from pyxla.frontend.own_calls import Apart, OwnCalls
from pyxla.frontend.resuming import OfSites, Path, Probe, Site, all_statements
from pyxla.frontend.source import SourceFunction
from pyxla.frontend.ssa import SSA, ssa_of
from pyxla.frontend.tree import LOAD
from pyxla.frozen import dataclass
from pyxla.ir.core import Block, Jump, Return, Value

# Variables of the graph: `put` and `lookup` know them, and no program does.
CALLS, RESULT = "open calls", "the result"
CALLED, CALLEE, PLACE = "the function", "what is called", "the place of the call"
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
    fixed |= _made_alike(entry)
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
    methods = {s.name for s in sources if s.class_name}
    lowered: Any = implicit_calls.spelled(desugar(source), methods)
    own = OwnCalls(sources, lowered)
    if lowered.scope.generator:
        lowered = handed_on(lowered, own.calls) if len(sources) == 1 else None
    if lowered is None or own.ambiguous:
        return None
    if before and (lowered.scope.cell or {*before[0].lowered.scope.cell} & {*source.freevars}):
        return None
    apart = Apart(source, lowered, own)
    lowered = apart.lowered_apart()
    sites = _sites(lowered.node.body, apart.own, sum(len(member.sites) for member in before))
    calls = {site: own.callees(site.call) for site in sites}
    pairs = [(source, site) for site, found in calls.items() for source in found]
    if not sites or len(sites) < apart.calls_inside() or not all(calls.values()):
        return None
    if any(_bound(source, site) is None for source, site in pairs):
        return None
    return Member(len(before), source, lowered, sites, calls, _is_cached(source))


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
    if any(isinstance(a, gast.Starred) for a in args[: len(positional)]):
        return None
    bound = dict(zip(positional, args, strict=False))
    further: dict[Any, gast.expr] = {}
    for keyword in keywords:
        named = keyword.arg in (*positional, *source.kwonly) and keyword.arg not in source.posonly
        if keyword.arg in bound:
            return None
        (bound if named else further)[keyword.arg] = keyword.value
    if not _collected(source, site.call, args[len(positional) :], further, bound):
        return None
    node: Any = source.node
    defaults = dict(zip(reversed([*source.posonly, *source.args]), reversed(node.args.defaults)))
    defaults |= {a.id: d for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults) if d}
    for missing in [p for p in (*positional, *source.kwonly) if p not in bound]:
        if not isinstance(defaults.get(missing), gast.Constant):
            return None
        bound[missing] = defaults[missing]
    starred = bool(source.vararg) + bool(source.kwarg)
    return bound if len(bound) == len(positional) + len(source.kwonly) + starred else None


def _collected(
    source: SourceFunction,
    call: gast.Call,
    args: Sequence[gast.expr],
    named: dict[Any, gast.expr],
    bound: dict[str, gast.expr],
) -> bool:
    """Add what `*args` and `**kwargs` get, arguments that no other parameter takes; whether that
    is plain."""
    if source.vararg:
        bound[source.vararg] = _tuple_of(args, call)
    elif args:
        return False
    if source.kwarg:
        handed = named.pop(None, None)
        if handed and named:
            return False
        keys = [constant(text, call) for text in named]
        items = at(gast.Dict(keys, list(named.values())), call)
        bound[source.kwarg] = helper("to_dict", [handed], call) if handed else items
    return not named or bool(source.kwarg)


def _tuple_of(args: Sequence[gast.expr], call: gast.Call) -> gast.expr:
    """The tuple of arguments, some of which may be `*xs`."""
    parts: list[gast.expr] = []
    for starred, group in itertools.groupby(args, lambda a: isinstance(a, gast.Starred)):
        given: list[Any] = list(group)
        if starred:
            parts += [helper("to_tuple", [a.value], call) for a in given]
        else:
            parts.append(at(gast.Tuple(given, LOAD), call))
    whole = parts[0] if parts else at(gast.Tuple([], LOAD), call)
    for part in parts[1:]:
        whole = at(gast.BinOp(whole, gast.Add(), part), call)
    return whole


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
    stores = _stores(lowered)
    once = {p for p in made if stores[p] == 1}
    return {p for p in member.source.params if p in once or p not in lowered.scope.stores}


def _stores(lowered: Lowered) -> Counter[str]:
    """How many statements store each name."""
    return Counter(
        n.id if isinstance(n, gast.Name) else getattr(n, "asname", None) or n.name
        for statement in lowered.node.body
        for n in gast.walk(statement)
        if hasattr(n, "name") or (isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load))
    )


def _made_alike(member: Member) -> set[str]:
    """Functions that each call defines before all else that calls, of what all calls share: the
    variables of a function that those in it read are such."""
    first = min((site.path[0][1] for site in member.sites), default=0)
    stores, given = _stores(member.lowered), member.source.params
    return {
        node.name
        for node in member.lowered.node.body[:first]
        if isinstance(node, gast.FunctionDef)
        and not (node.decorator_list or node.args.defaults or any(node.args.kw_defaults))
        and (stores[node.name] == 1 and node.name not in given)
    }


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


# --- graphs -----------------------------------------------------------------------------------


class _Stacked(OfSites):
    """The graph of the functions as two loops; `called` and `returning` are open blocks."""

    def __init__(self, members: Sequence[Member], fixed: set[str]) -> None:
        self.members, self.fixed = members, fixed
        self.owner = {site: member for member in members for site in member.sites}
        super().__init__(members[0].source, members[0].lowered, list(self.owner))
        self.kept = [site for site in self.owner if not site.tail]
        self.results = self._results()
        self.called: list[Block] = []
        self.returning: list[Block] = []
        self.keeping: dict[Member, list[Block]] = {m: [] for m in self.members if m.cached}

    def _results(self) -> dict[str, str]:
        """The variables that functions return in, by their names: one for each, which may be of
        types that have nothing in common, but where one returns what another does."""
        found = {m.source.name: RESULT for m in self.members}
        if len(found) > 1:
            found = {name: f"{RESULT} of {name}" for name in found}
        for site in [site for site in self.owner if site.tail]:
            own = self.owner[site]
            for callee in own.calls[site]:
                old, new = found[callee.name], found[own.source.name]
                found = {name: new if text == old else text for name, text in found.items()}
        return found

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
                self.put(member.of(KEPT), self.emit(pyops.KEPT, (), {"of": member.source}, node))
        self.call_next(self.members[0], node)
        header = self.start(CALL, self.block)
        for member in self.members[:-1]:
            other = self.where(self.lookup(CALLED), member.number, node)
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
        given = tuple([self.lookup(self.named(p)) for p in self.source.params])
        own = tuple([p not in self.fixed for p in self.source.params])
        attrs = {"of": self.source, "own": own}
        self.put(key, self.emit(pyops.KEY, given, attrs, node))
        operands = (self.lookup(key), self.lookup(kept))
        known = self.emit(pyops.COMPARE, operands, {"op": "contains"}, node)
        this, other = self.fork(self.emit(pyops.TRUTH, (known,), {}, node), node)
        self.resume(this)
        operands = (self.lookup(kept), self.lookup(key))
        self.put(self.results[self.source.name], self.emit(pyops.GETITEM, operands, {}, node))
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
        self.keep(member)

    def keep(self, member: Member) -> None:
        """Keep the result of a cached function, in one place for all ways to return."""
        blocks = self.keeping.get(member, [])
        self.join(blocks, "kept")
        if self.block is None:
            return
        names = member.of(KEPT), member.of(KEY), self.results[member.source.name]
        operands = tuple(map(self.lookup, names))
        self.effect(pyops.SETITEM, operands, {}, member.lowered.node)
        self.returning.append(self.block)
        self.keeping[member] = []

    def iteration(self, header: Block, ends: Sequence[Block]) -> None:
        """Lead these blocks back to the start of a loop."""
        self.join(ends, "latch")
        if self.block is not None:
            header.preds.append(self.block)
            self.end(Jump(header, self.left_at(self.block)))

    def return_(self, node: gast.Return) -> None:
        self.returned(self.value(node.value))

    def returned(self, value: Value) -> None:
        self.put(self.results[self.source.name], value)
        self.keeping.get(self.member, self.returning).append(self.block)
        self.block = None

    def unwind(self, node: gast.FunctionDef) -> None:
        """Go on behind the calls that are open, one after the other."""
        if not self.kept:
            return self.end(Return((self.result_of(self.source),), self.location(node)))
        header = self.start(UNWIND, self.block)
        self.returning = []
        test = self.emit(pyops.TRUTH, (self.lookup(CALLS),), {}, node)
        go_on, leave = self.fork(test, node)
        self.resume(leave)
        self.end(Return((self.result_of(self.source),), self.location(node)))
        self.resume(go_on)
        self.put(PLACE, self.method(CALLS, "pop", (), node))
        for site in self.kept[:-1]:
            other = self.where(self.lookup(PLACE), site.number, node)
            self.behind(site)
            self.resume(other)
        self.behind(self.kept[-1])
        for member in self.keeping:
            self.keep(member)
        self.iteration(header, self.returning)

    def method(self, text: str, method: str, args: tuple[Value, ...], node: gast.AST) -> Value:
        """Call a method of a variable."""
        found = self.emit(pyops.GETATTR, (self.lookup(text),), {"name": method}, node)
        layout = ("pos",) * len(args)
        return self.emit(pyops.CALL, (found, *args), {"layout": layout}, node)

    def result(self, site: Site) -> Value:
        return self.result_of(self.owner[site].calls[site][0])

    def result_of(self, source: SourceFunction) -> Value:
        """What the last call of a function returned: there is one where it is asked for."""
        value = self.lookup(self.results[source.name])
        if len({*self.results.values()}) == 1:
            return value
        return self.emit(pyops.GIVEN, (value,), {}, self.lowered.node)

    def at_site(self, site: Site) -> None:
        """Call one of the functions; of methods, where it is one that is of them."""
        call: Any = site.call
        others: list[Block] = []
        for operand in implicit_calls.may_be_none(call):
            operands = (self.value(operand), self.literal(None, call))
            none = self.emit(pyops.COMPARE, operands, {"op": "is_"}, call)
            nothing, this = self.fork(self.emit(pyops.TRUTH, (none,), {}, call), call)
            self.resume(nothing)
            self.of_another(site)
            others.append(self.block)
            self.resume(this)
        implicit = implicit_calls.is_operation(call)
        callee = self.value(implicit_calls.asked(call) if implicit else call.func)
        members = [m for m in self.members if m.source in self.member.calls[site]]
        if not isinstance(call.func, gast.Attribute):
            return self.leave(site, callee, members[0])
        self.put(CALLEE, callee)  # a variable, as what follows may be outside of the loop around
        for member in members:
            attrs = {"of": self.about(member, call)}
            test = self.emit(pyops.RECURRING, (self.lookup(CALLEE),), attrs, call)
            this, other = self.fork(test, call)
            self.resume(this)
            self.leave(site, self.lookup(CALLEE), member)
            self.resume(other)
        self.of_another(site)
        self.join([*others, self.block], "other")

    def of_another(self, site: Site) -> None:
        """Do what a site does where it calls none of the functions."""
        call = site.call
        if implicit_calls.is_operation(call):
            value = self.value(call.operation(call.func.value, call.args))
        else:
            value = self.call_of(self.lookup(CALLEE), call)
        if hasattr(site.node, "loop"):  # the items that a generator hands on
            self.put(site.node.items, value)
            self.statements(site.node.loop)
        elif site.target is not None:
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
