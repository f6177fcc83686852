"""Generator functions: a loop over a generator is the generator's own code, with the loop's body in
the place of each `yield`.

The generator is visited where the loop is.  What the loop changes, the phis of its header, is kept
in cells meanwhile, so that the generator's branches and loops carry it as they carry any object.
At a `yield` the body is visited with what the cells hold; what comes back to the header is put into
them.  Paths that leave the loop wait in `Engine.raised` among the exceptions, since passes over the
generator's loops forget both alike, and go their way when the generator is through.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pyxla.abstract.heap import BoxCell, ObjectCell
from pyxla.abstract.lattice import (
    UNDEFINED,
    Compound,
    Const,
    Ref,
    Tuple,
    is_variant,
    taken_apart,
    value_of,
)
from pyxla.errors import Location
from pyxla.frontend import stepping, support
from pyxla.frontend.source import SourceFunction, once
from pyxla.frozen import dataclass
from pyxla.infer import using, walking
from pyxla.infer.demands import Needs
from pyxla.infer.engine import Engine
from pyxla.infer.frame import Frame, Stopped
from pyxla.infer.joins.edges import Edge, Env
from pyxla.infer.joins.merge import merge
from pyxla.infer.lists import entries, pools
from pyxla.infer.raising import catching
from pyxla.ir.core import Block
from pyxla.ir.dominance import Component
from pyxla.lib import interpreted, iterators
from pyxla.lib.registry import rule

TRUE, FALSE = Const(True), Const(False)
Iteration = Callable[[Engine, Frame, Component, Edge], Edge | None]


def generator(engine: Engine, frame: Frame) -> Any:
    """What calling a generator function gives: nothing of it has run."""
    ssa = frame.ssa
    args = tuple([frame.env[param] for param in ssa.function.params])
    names = tuple(frame.boxes)
    meta = ssa, names, engine.module_of(frame), frame.function
    read = engine.new(BoxCell(FALSE))
    made = Compound("generator", (*args, *frame.boxes.values(), read), meta)
    start = {stepping.START: Tuple(args), stepping.AT: Const(support.FIRST)}
    if (cls := _pooled(engine, made)) is not None:
        fields = {**start, stepping.SENT: Const(None)}
        return entries.entered(engine, engine.new(ObjectCell(cls, fields)))
    if ssa.source not in engine.demands.stepped:
        return made
    return engine.new(ObjectCell(iterators.Generator, {"made": made, **start}))


@once("generators")
def _class_of(source: SourceFunction) -> type:
    """The class of the generators of one function; its name says where it comes among pools."""
    return type(f"{source.qualname}:{source.node.lineno}", (iterators.Generator,), {})


def _pooled(engine: Engine, made: Compound) -> type | None:
    """The class of generators of one function that may be one of several, if they are in a pool."""
    if asks(made) or stepping.to_steps(made.meta[0].source) is None:
        return None
    cls = _class_of(made.meta[0].source)
    if _reads_its_own(engine, made):
        engine.findings.recursive_generators.add(cls)
        engine.findings.generators.discard(cls)
    elif cls not in engine.findings.recursive_generators:
        pools.noted(engine, cls)
    if cls not in engine.pools:
        return None
    count = len(made.meta[0].function.params)
    before = engine.generators.setdefault(cls, made)
    same = before.items[count:-1] == made.items[count:-1] and before.meta[0] is made.meta[0]
    return cls if same else None


def _reads_its_own(engine: Engine, made: Compound) -> bool:
    """Whether a generator is made by others of its function, which read it."""
    return any(frame.ssa.source is made.meta[0].source for frame in engine.frames)


def kept_open(engine: Engine, x: Compound) -> Any:
    """A generator that a call keeps while it is open (`frontend.recursion`): as the iterators that
    it asks for its items, which are where they were; others are to be read in steps, in a pool."""
    if asks(x):
        return Tuple((Const(x.meta[3]), *x.items[: len(x.meta[0].function.params)]))
    cls = _class_of(x.meta[0].source)
    steps = stepping.to_steps(x.meta[0].source) is not None and not _reads_its_own(engine, x)
    if steps and cls not in engine.pools:
        raise Needs(engine.loc, generators=frozenset({cls}))
    return x


def resumed(engine: Engine, x: Any) -> Any:
    """What `kept_open` made of a generator that asks iterators as the generator; None of others."""
    asking = x.items[0] if isinstance(x, Tuple) and x.items else None
    if not isinstance(asking, Const) or asking.value not in ASKING:
        return None
    readers = x.items[1:] if asking.value is iterators.stepped else x.items[1].items
    made = engine.rules.call(engine, asking, list(readers), {})
    set_read(engine, made, True)
    return made


def is_read(engine: Engine, x: Compound) -> bool:
    """Whether a generator may have been read before."""
    read = engine.content(x.items[-1]).value
    return not (isinstance(read, Const) and read.value is False)


def set_read(engine: Engine, x: Compound, read: bool) -> None:
    """Note that a generator is read, or that it was not: it is for another to do."""
    engine.check_distinct(x.items[-1])
    engine.set_content(x.items[-1].cell, BoxCell(Const(read)))


def as_generator(engine: Engine, x: Any) -> Any:
    """What is read in steps as a generator that asks for each item; else `x`."""
    stepped = Const(iterators.stepped)
    return engine.rules.call(engine, stepped, [x], {}) if is_stepped(engine, x) else x


def is_stepped(engine: Engine, x: Any) -> bool:
    """Whether this is an iterator that is read in steps."""
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    steps = iterators.Generator, iterators.SequenceSteps
    return isinstance(content, ObjectCell) and content.cls in steps


def reader(engine: Engine, x: Any) -> Any:
    """The iterator that is asked for each item of `x`; None where `x` is none, nor asks one."""
    if is_generator(x) and x.meta[3] is iterators.stepped:
        return x.items[0]
    return x if is_stepped(engine, x) else None


def forgotten(engine: Engine, x: Compound) -> bool:
    """Whether the generator that a loop is about to read would begin again after each `yield` of
    the loop, as those do that are in a step; which is right for what only asks an iterator."""
    frame = engine.frames[-1]
    return frame.ssa.generator and frame.driver is None and not asks(x)


def check_one(engine: Engine, source: Any) -> None:
    """Refuse to read what may be one of several generators in a loop: none would be where it was
    in the next iteration."""
    if is_variant(source, "mixed") and any(map(is_generator, source.items)):
        words = "this loop reads one of several generators, and data decides which"
        raise engine.refuse(words, "read each of them in a branch of its own")


# The generators that have nothing of their own, and ask iterators for each item.
ASKING = (iterators.stepped, iterators.zip_steps, iterators.zip_steps_strictly)


def asks(x: Compound) -> bool:
    """Whether a generator has nothing of its own, and asks iterators for each item."""
    return x.meta[3] in ASKING


def asks_shortly(engine: Engine, frame: Frame) -> bool:
    """Whether a loop asks a generator that has no loop, and waits at a known place, for items that
    are put in a list: there are a few."""
    reading = getattr(frame.driver, "frame", None)
    if frame.function is not iterators.stepped or reading is None:
        return False
    if reading.function is not interpreted.collected:
        return False
    x = frame.env[frame.ssa.function.params[0]]
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    made = content.fields.get("made") if isinstance(content, ObjectCell) else None
    if not isinstance(made, Compound):
        return False
    steps = made.meta[0].flow.wto
    waits = isinstance(content.fields[stepping.AT], Const)
    return waits and not any(isinstance(item, Component) for item in steps)


@rule(support.frame_of)
def _frame_of(engine: Engine, x: Any, names: Any) -> Any:
    """The variables at the `yield` where a generator waits; as long as it was never there, nothing
    comes of the path."""
    fields = engine.content(x).fields
    kept = [value_of(fields.get(name, UNDEFINED), "unbound") for name in names.value]
    frame, *others = [value_of(x, "optional") for x in kept]  # None: a row of a pool without it
    if frame is UNDEFINED or (isinstance(frame, Const) and frame.value is None):
        return engine.raise_constant(support.Ended())
    own = taken_apart(using.moved(engine, frame)).items
    return Tuple((*own, *others), support.Open)


@rule(iterators.go_on)
def _go_on(engine: Engine, x: Any) -> Any:
    content = engine.content(x)
    made = engine.generators.get(content.cls) or engine.use(content.fields["made"])
    inner = _frame(engine, made)
    ssa = inner.ssa = stepping.to_steps(made.meta[0].source)
    inner.env = dict(zip(ssa.function.params, (x,), strict=True))
    return walking.run(engine, inner)


def is_generator(x: Any) -> bool:
    return type(x) is Compound and x.kind == "generator"


def consumed(header: Block, env: Env) -> Any:
    """What a `for` loop reads its items from, by what is known before it."""
    for instr in header.instrs:
        if len(instr.operands) == 3 and _is_test(instr.operands[0].owner):
            return env.get(instr.operands[1])
    return None


def _is_test(owner: Any) -> bool:
    return getattr(owner, "attrs", {}).get("value") is support.has_item


@dataclass(frozen=True, slots=True)
class Leaving:
    """A path out of a loop over a generator, among `Engine.raised`: to `target`, to the caller
    (None), or raising `path`."""

    driver: Any
    edge: Edge
    target: Block | None = None
    path: Any = None
    exception: Any = None
    loc: Location | None = None
    catchable: bool = False


@dataclass(eq=False, slots=True)
class Driver:
    """A loop over a generator: `item` is what was yielded, where there is `more`."""

    engine: Engine
    frame: Frame
    component: Component
    env: Env
    cells: list[Ref]
    iteration: Iteration
    guards: tuple[type, ...]
    more: Any = TRUE
    item: Any = None
    inner: Any = None

    def visit(self, item: Any) -> None:
        """Visit the body for an item; go on with the generator where the body does."""
        engine, frame = self.engine, self.frame
        pending = {block: len(edges) for block, edges in frame.pending.items()}
        returns, raised = len(frame.returns), len(engine.raised)
        saved = frame.position, frame.env, frame.assumed, engine.guards, engine.builder.loc
        swept = frame.first, frame.before
        # What the generator made, and those that it reads, the body does not sweep away.
        frame.first, frame.before = len(engine.heap.infos), engine.heap.contents.copy()
        self.item, engine.guards = item, self.guards
        engine.frames.append(frame)
        try:
            back = self.iteration(engine, frame, self.component, self.state())
            left = self.left(pending, returns, raised)
        finally:
            engine.frames.pop()
            frame.position, frame.env, frame.assumed, engine.guards, engine.builder.loc = saved
            frame.first, frame.before = swept
            for block in list(frame.pending):
                del frame.pending[block][pending.get(block, 0) :]
                if not frame.pending[block]:
                    del frame.pending[block]
            del frame.returns[returns:]
        engine.raised[raised:] = left
        if left:
            check_closing(engine, self.inner)
        if back is None:
            raise Stopped
        engine.enter(back)
        for cell, arg in zip(self.cells, back.args, strict=True):
            engine.set_content(cell.cell, BoxCell(arg))

    def state(self) -> Edge:
        """The way to the loop's header from where the generator is."""
        engine = self.engine
        args = tuple([engine.content(cell).value for cell in self.cells])
        return Edge(engine.block, engine.heap, dict(self.env), args, engine.loc)

    def left(self, pending: dict[Block, int], returns: int, raised: int) -> list[Any]:
        """The paths on which the body did not come back to the header."""
        frame = self.frame
        paths = [
            Leaving(self, edge, block)
            for block, edges in frame.pending.items()
            for edge in edges[pending.get(block, 0) :]
        ]
        paths += [Leaving(self, edge) for edge in frame.returns[returns:]]
        found = self.engine.raised[raised:]
        return [*paths, *[Leaving(self, p.edge, None, p, None, p.loc) for p in found]]

    def finish(self) -> None:
        """The generator has returned: the loop finds no further item."""
        state = self.state()
        self.more = FALSE
        self.engine.enter(state)
        frame = self.frame
        frame.env, frame.assumed = {**self.env, **self.phis(state.args)}, state.assumed
        self.engine.visit(frame, self.component.header)

    def phis(self, args: tuple[Any, ...]) -> Env:
        phis = self.component.header.phis
        return {phi.value: arg for phi, arg in zip(phis, args, strict=True)}

    def land(self, mark: int) -> None:
        """Let the paths that left the loop go on."""
        engine, frame = self.engine, self.frame
        found, engine.raised[mark:] = engine.raised[mark:], []
        for path in found:
            if not isinstance(path, Leaving):
                self.land_own(_out_of(self.inner, path))
            elif path.driver is not self:
                engine.raised.append(path)
            elif path.path is not None:
                engine.raised.append(path.path)
            elif path.target is not None:
                frame.pending.setdefault(path.target, []).append(path.edge)
            else:
                frame.returns.append(path.edge)

    def land_own(self, path: Any) -> None:
        """What the generator itself raises, the test of the loop raises."""
        engine, frame, header = self.engine, self.frame, self.component.header
        pad = catching.pad_of(path, catching.pads(engine, self.env, header))
        if pad is None:
            engine.raised.append(path)
            return
        contents = path.edge.heap.contents
        args = tuple([contents[cell.cell].value for cell in self.cells])
        state = Edge(engine.block, engine.heap, {**self.env, **self.phis(args)})
        walking.go(frame, header, pad, catching.landed(path, header, pad, state))


def drive(
    engine: Engine,
    frame: Frame,
    component: Component,
    edge: Edge,
    source: Compound,
    iteration: Iteration,
) -> None:
    """Visit a loop over `source`, which starts at `edge`."""
    inner = _frame(engine, source)
    engine.enter(edge)
    cells = [engine.new(BoxCell(arg)) for arg in edge.args]
    env, header = edge.env, component.header
    guards = engine.guards
    driver = Driver(engine, frame, component, env, cells, iteration, guards)
    inner.driver, driver.inner = driver, inner
    kept = {f"&{cell.cell}": cell for cell in cells}
    frame.boxes.update(kept)
    outer = engine.driving.get(id(source))
    engine.driving[id(source)] = driver
    frame.env, frame.position, mark = dict(env), (header, -1), len(engine.raised)
    pads = catching.pads(engine, env, header)
    engine.guards = (*guards, *[cls for _, classes in pads for cls in classes or ()])
    try:
        try:
            walking.run(engine, inner)
        finally:
            engine.guards = guards
        driver.finish()
    except Stopped:
        pass
    finally:
        engine.driving[id(source)] = outer
        for name in kept:
            del frame.boxes[name]
    driver.land(mark)


def _out_of(inner: Frame, path: Any) -> Any:
    """A path on which a generator raises: no `StopIteration` of the program's own leaves one, as it
    would end the loop that reads it."""
    ours = inner.module.get("__name__", "").startswith("pyxla.lib")
    if ours or isinstance(path, Leaving) or path.exception.meta is not StopIteration:
        return path
    error = Compound("exception", (Const("generator raised StopIteration"),), RuntimeError)
    return replace(path, exception=error)


def _frame(engine: Engine, source: Compound) -> Frame:
    """The activation of a generator that is about to be read."""
    ssa, names, module, function = source.meta
    count = len(ssa.function.params)
    env = dict(zip(ssa.function.params, source.items[:count], strict=True))
    boxes = dict(zip(names, source.items[count:-1], strict=True))
    return Frame(ssa, env, module.value, boxes, function, engine.loc)


def check_closing(engine: Engine, inner: Frame) -> None:
    """Refuse to leave a generator inside a `try` that would notice."""
    pads = catching.pads(engine, inner.env, inner.position[0])
    if any(classes is None or issubclass(GeneratorExit, classes) for _, classes in pads):
        raise engine.refuse(
            "the loop over this generator may be left while it is inside a `try` or `with`, "
            "whose end would have to run then",
            "let the loop read all items, or yield outside of the `try`",
        )


@dataclass(eq=False, slots=True)
class _FirstItem:
    """Who reads the first item of a generator, and is then done with it."""

    engine: Engine
    inner: Frame
    more: Any = TRUE
    item: Any = None

    def visit(self, item: Any) -> None:
        engine = self.engine
        check_closing(engine, self.inner)
        edge = Edge(engine.block, engine.heap, {}, (TRUE, item), engine.loc)
        engine.raised.append(Leaving(self, edge))
        raise Stopped


def _first(engine: Engine, source: Compound) -> Any:
    """Whether there is an item, which is read; what may come after it never is."""
    inner, mark = _frame(engine, source), len(engine.raised)
    driver = inner.driver = engine.driving[id(source)] = _FirstItem(engine, inner)
    edges = []
    try:
        walking.run(engine, inner)
        edges = [Edge(engine.block, engine.heap, {}, (FALSE, UNDEFINED), engine.loc)]
    except Stopped:
        pass
    found, engine.raised[mark:] = engine.raised[mark:], []
    for path in found:
        if isinstance(path, Leaving) and path.driver is driver:
            edges.append(path.edge)
        else:
            engine.raised.append(_out_of(inner, path))
    if not edges:
        raise Stopped
    hints = [("", engine.loc), ("the item", engine.loc)]
    place = source.meta[0].function
    edge, args = merge(engine, edges, hints, place, exact=False, grows=False)
    engine.enter(edge)
    driver.more, driver.item = args
    return driver.more


def has_more(engine: Engine, source: Compound) -> Const:
    """Whether the loop that reads a generator has an item."""
    driver = engine.driving.get(id(source))
    if not isinstance(driver, Driver):  # the loop ends in its first iteration, so that it is none
        return _first(engine, source)
    return driver.more


def current(engine: Engine, source: Compound) -> Any:
    """The item that the loop has."""
    return engine.driving[id(source)].item
