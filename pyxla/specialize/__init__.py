"""One specialization: a Python function and the description of its arguments, typed.

    arguments    the arguments on the heap, as abstract values
    results      what the function returns, writes and raises, over flat results

Inference starts again when it finds that it must know an argument's value, or that an outside array
must become an argument.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any

from pyxla import journal, stack
from pyxla.abstract.facts.deciding import (
    Data,
    loops_of_constants,
    parameters,
    those_by_arguments,
)
from pyxla.abstract.lattice import UNDEFINED, Const, NeedsStatic
from pyxla.errors import CompileError, InternalError, Location, NotCompiled, warn
from pyxla.frozen import dataclass
from pyxla.guards.places import STREAM, Place
from pyxla.infer.calls import kept
from pyxla.infer.calls.captures import NewCapture
from pyxla.infer.calls.depth import MAX_DEMANDS, TooDeep
from pyxla.infer.calls.executed import name_of
from pyxla.infer.calls.hosted import to_host
from pyxla.infer.calls.region import graph
from pyxla.infer.containers import tables
from pyxla.infer.demands import Demands, Exhausted, Findings, Needs
from pyxla.infer.engine import Engine
from pyxla.infer.exact import exactly
from pyxla.infer.joins.endings import ended, visited
from pyxla.infer.lists import number_lists, pools, shared
from pyxla.infer.raising.faults import Faults
from pyxla.ir.build import building
from pyxla.ir.core import Function, Return
from pyxla.ir.rewrite import ops_in, walk
from pyxla.lower.policy import multiply_in
from pyxla.ops.foreign import host_call
from pyxla.ops.sticky import flag
from pyxla.options import DEFAULTS
from pyxla.runtime import descriptions, placement
from pyxla.runtime import outcome as out
from pyxla.runtime.numbers import ITEMS, LONG, MOST, Path
from pyxla.runtime.request import Request, Restart, steps
from pyxla.runtime.texts import CODES
from pyxla.specialize import gathered
from pyxla.specialize.arguments import World, placement_of
from pyxla.specialize.observing import watch
from pyxla.specialize.results import Outputs

MOST_LEFT_OUT = 8  # paths of a program that end where they are refused


@dataclass(frozen=True, eq=False, slots=True)
class Specialization:
    """A typed function, what its caller sees, and on what it depends.

    static: paths of arguments whose values were demanded, with the place that demanded each.
    places: outside objects passed as further arguments.  constants: guarded outside objects.
    unrolled: loops visited once per iteration, with how many there were.  copies: whether copies of
    arguments are written, so that it matters which memory those share; laid: whether the order in
    which they lie there does.  demands: what it took.  left_out: of which the user was warned.
    """

    function: Function
    outcome: out.Outcome
    static: dict[Path, Location | None]
    places: tuple[Place, ...]
    constants: dict[Place, Any]
    unrolled: dict[Location | None, int] = field(default_factory=dict)
    copies: bool = False
    laid: bool = False
    demands: Demands = Demands()
    left_out: tuple[NotCompiled, ...] = ()


def specialize(request: Request, places: Sequence[Place]) -> Specialization:
    """Type `request.function`; the last of its arguments are the objects at `places`.

    Raises Restart when an argument's value or another outside object is needed; CompileError when
    the program is refused.
    """
    demands, findings, refused = request.demands or Demands(), Findings(), None
    latest: CompileError | None = None
    hosted: dict[Any, CompileError] = {}
    while True:
        findings.start(demands)
        try:
            found = _with_chains(request, places, demands, findings)
        except Exhausted as end:
            raise request.work.refusal(end.loc) from None
        except Needs as need:
            demands = findings.demands
            needed = _met(demands, findings) or need
            if demands | needed.demands == demands:
                raise InternalError(RuntimeError("what was asked for was not done")) from need
            journal.note("restart", needed.why, needed.loc)
            demands |= needed.demands
        except CompileError as error:
            if isinstance(error, InternalError) and request.options.verify:
                raise
            if error.loc in [path.loc for path in demands.refused]:  # it ends no path
                raise
            demands = findings.demands
            known = demands.unrolled and error.remedy == "unrolled"  # no list in a pool is
            if not known and (met := _met(demands, findings)):
                journal.note("restart", met.why, error.loc)
                demands |= met.demands
                continue
            if refused is None or (latest is refused and _goes_on(refused, error, demands)):
                refused = error
            refused, latest = pools.clearer(refused, error, demands), error
            request.work.refused = None if request.tentative else refused
            remedy = findings.remedy(error, blindly=not request.work.is_much)
            request.work.blind = findings.blind
            if remedy is None:
                if request.tentative:
                    raise refused from refused.__cause__
                final = refused if request.work.is_much else _final(refused, request, findings)
                valued = findings.valued or findings.floats
                if not _to_host(final if valued else refused, request, hosted):
                    vain = request.hopes or request.work.is_much
                    path = None if vain else _last_way(final, demands, findings)
                    if path is None:
                        raise final from refused.__cause__
                    demands |= path
                lasting = Demands(patient=demands.patient, refused=demands.refused)
                demands = replace(lasting, hosted=frozenset(hosted))
                findings, refused = Findings(), None
                continue
            journal.note("restart", f"it was refused: {error.message}", error.loc)
            demands = replace(demands, exact=frozenset(), unrolled=frozenset()) | remedy
            if remedy.unrolled:  # lists that a loop makes known are in no pool, unless asked again
                demands = replace(demands, sites=frozenset(), generators=frozenset())
            if remedy.shared:
                demands |= Demands(sites=findings.asked())
        else:
            told = _not_compiled(hosted, findings)
            warn(told)
            request.work.done()
            return replace(found, demands=findings.demands, left_out=told)


def _goes_on(first: CompileError, later: CompileError, tried: Demands) -> bool:
    """Whether what lifts the first refusal led to one that nothing is known to lift."""
    lifted = any(getattr(tried, name) for name in first.remedy.split())
    return (
        lifted
        and later.remedy in ("", "keyed")  # which takes back what lifted it
        and later.loc is not None
        and not isinstance(later, InternalError)
    )


def _to_host(final: Exception, request: Request, hosted: dict[Any, CompileError]) -> bool:
    """Whether CPython may run a function for which a program is refused, which is added to those it
    runs: the innermost of those called, or the next where that did not help."""
    asked = request.options is not None and request.options.host
    if not asked or not isinstance(final, CompileError) or isinstance(final, InternalError):
        return False
    callees = [f for f in to_host(final.callees) if f is not request.function and f not in hosted]
    hosted.update({f: final for f in callees[:1]})
    if not callees:
        final.notes += tuple([(_on_host(f, error), error.loc) for f, error in hosted.items()])
    return bool(callees)


def left_out(refused: frozenset[CompileError]) -> Demands:
    """What inference begins with where paths end that are refused."""
    return Demands(refused=refused)


def _last_way(final: Exception, before: Demands, findings: Findings) -> Demands | None:
    """What else a program may do with where nothing lifts what it is refused for."""
    if findings.hasty and not before.patient and not isinstance(final, Restart):
        return Demands(patient=True)
    return _left_out(final, before)


def _left_out(final: Exception, before: Demands) -> Demands | None:
    """The demand that a path ends where a program is refused, which others may do without."""
    if not isinstance(final, CompileError) or isinstance(final, InternalError | TooDeep):
        return None
    if final.alone:
        return None
    known = [error.loc for error in before.refused]
    if final.loc is None or final.loc in known or len(known) >= MOST_LEFT_OUT:
        return None
    return left_out(frozenset({final}))


def _on_host(callee: Any, refusal: CompileError) -> str:
    return f"{name_of(callee)} is called on the host: {refusal.message}"


def _not_compiled(
    hosted: Mapping[Any, CompileError], findings: Findings
) -> tuple[NotCompiled, ...]:
    """Which functions are called on the host because they cannot be compiled, and which paths are
    left out."""
    told = [(_on_host(f, why), why) for f, why in hosted.items() if f in findings.hosted]
    for why, kind in findings.left_out.items():
        what = f"raises {kind.__name__}" if kind else "is refused"
        told.append((f"{what} where the program comes here: {why.message}", why))
    return tuple(told)


def _met(demands: Demands, findings: Findings) -> Needs | None:
    """The request for pools of the lists that met in an attempt without, where lists may be in
    pools: it comes before all others, as with these other things may be needed."""
    need = Needs(sites=findings.asked())
    return need if demands.shared and demands | need.demands != demands else None


def _with_chains(
    request: Request, places: Sequence[Place], demands: Demands, findings: Findings
) -> Specialization:
    """An attempt, and where it made tables that may be large, one with chains in them."""
    found = _attempt(request, places, demands, findings)
    if findings.large and not findings.leaves:
        journal.note("restart", "keys of large dicts and sets are found by their hashes")
        # Chains are more code, of which short loops are not worth a copy for each iteration.
        for arrays in dict.fromkeys((findings.demands.arrays, True)):
            chained = replace(findings.demands, chained=True, arrays=arrays)
            with contextlib.suppress(CompileError, Restart, Needs):
                return _attempt(request, places, chained, Findings())
    return found


def _final(refused: CompileError, request: Request, findings: Findings) -> Exception:
    """What is raised where nothing is left to try."""
    static: dict[Path, Location | None] = {}
    otherwise: CompileError | None = refused
    if request.demands is not None and request.demands.refused:
        pass  # values were asked for before
    elif findings.valued:  # all numbers of an argument: they would be asked for in turn
        numbers = _paths_of(request.args, _is_number)
        static = {path: refused.loc for path in numbers if path[0] in findings.valued}
        otherwise = None if request.unknown.issuperset(static) else refused
    elif findings.floats and (floats := _paths_of(request.args, _is_float)):
        static = dict.fromkeys(floats, refused.loc)
    elif lists := _paths_of(request.args, partial(_is_long, asked=request.hopes)):
        static, otherwise = {(*path, ITEMS): None for path in lists}, None
    elif texts := _paths_of(request.args, _is_word):
        static = {(*path, CODES): refused.loc for path in texts}
    if static:
        return Restart(static, [], otherwise, lifts=refused)
    for deep in findings.recursive.values():
        if isinstance(deep, TooDeep) and not isinstance(refused, TooDeep):
            deep.notes = (*deep.notes, (f"with a stack: {refused.message}", refused.loc))
            return deep
    return refused


def _paths_of(args: Any, wanted: Callable[[Any], bool], path: Path = ()) -> list[Path]:
    """The paths of the arguments that are `wanted`."""
    found: list[Path] = []
    for step, arg in steps(args):
        if wanted(arg):
            found.append((*path, step))
        else:
            found += _paths_of(arg, wanted, (*path, step))
    return found


def _is_long(arg: Any, asked: bool) -> bool:
    """Whether a list, or a text, is a leaf, not because that was `asked` for."""
    if isinstance(arg, descriptions.ArgText):
        return not asked or arg.type.shape[0] > LONG
    return isinstance(arg, descriptions.ArgNumbers)


def _is_number(arg: Any) -> bool:
    """Whether an argument is a number that is not known."""
    if isinstance(arg, descriptions.ArgArray):
        return arg.kind == "scalar"
    return isinstance(arg, descriptions.ArgScalar)


def _is_float(arg: Any) -> bool:
    """Whether an argument is a float that is not known."""
    return isinstance(arg, descriptions.ArgScalar) and arg.type.dtype.kind == "f"


def _is_word(arg: Any) -> bool:
    """Whether an argument is a text that is known."""
    return isinstance(arg, descriptions.ArgStatic) and type(arg.value) is str


def _attempt(
    request: Request, places: Sequence[Place], demands: Demands, findings: Findings
) -> Specialization:
    """Type the function as `demands` say; raises Needs where it takes more."""
    world = World(request, places, demands)
    engine = world.engine
    if engine.checks and not (demands.in_place or request.in_place):
        # Arguments that are given up are not there for a second run.
        alone = request.alone or bool(world.given_up)
        engine.faults = Faults({}, request.replayed, alone)
    watch(engine)
    for header in demands.unrolled:
        engine.loop_memory[header].unrolled = True
    engine.findings, engine.may_go_on = findings, request.work.is_left
    engine.answer = partial(_answer, world)
    options = request.options or DEFAULTS
    engine.list_capacity, engine.row_capacity = options.list_capacity, options.capacity_of_rows
    engine.pool_capacity = options.capacity_of_pools
    for name, capacity in demands.capacities:
        setattr(engine, name, max(capacity, getattr(engine, name)))
    engine.heap.infos.room = engine.list_capacity if demands.rooms else None
    findings.infos, findings.loops = engine.heap.infos, engine.loops
    pools.start(engine, (demands.pooled - demands.keyed) | demands.generators)
    kept.start(engine, demands.kept)
    lists = world.lists()
    findings.lists |= len(lists) > 1
    pools.noted_arguments(engine, world.initial)
    strict = request.options is not None and request.options.strict
    rounding = exactly(engine) if strict else contextlib.nullcontext()
    try:
        with stack.deep(), building(engine.builder), rounding:
            shared.start(engine)
            world.given_rows = shared.given(engine, lists)
            tables.given(engine, world.paths)
            world.given_rows |= pools.given(engine, world.paths)
            number_lists.given(engine, lists)
            world.changed(lists)
            return _run(world)
    except (NewCapture, NeedsStatic, CompileError) as asked:
        if isinstance(asked, InternalError):
            raise
        answer = engine.answer(asked)
        deep = isinstance(answer, Needs) and bool(answer.demands.stacks)
        if (deep or isinstance(answer, CompileError)) and (numbers := _of_tables(world)):
            told = replace(engine.demands, hosted=frozenset(), refused=frozenset())
            raise Restart(dict.fromkeys(numbers, asked.loc), [], demands=told) from None
        if answer is asked:
            raise
        raise answer from None
    finally:
        findings.visited = engine.visited
        request.work.cost += engine.visited + engine.builder.emitted
        request.work.attempts += 1


def _answer(world: World, asked: Exception) -> Exception:
    """What becomes of a request that nothing in the program answers."""
    engine, answer = world.engine, asked
    if isinstance(asked, NewCapture):
        answer = Restart({}, asked.places, loc=asked.loc)
    if isinstance(asked, NeedsStatic):
        value = getattr(asked.scalar, "value", None)
        loops = loops_of_constants(value, engine.headers) if value is not None else set()
        # Among objects that a pool may hold, one is chosen there without its value.
        unrolled = loops - engine.demands.unrolled
        chosen = "" if unrolled and not asked.in_vain else _pools(engine, asked)
        if unrolled and not chosen:
            return Needs(asked.loc, unrolled=frozenset(loops))
        answer = _demand(world, asked, chosen)
    if isinstance(asked, TooDeep):
        answer = _decided(world, asked)
    if isinstance(answer, Restart):
        answer.demands = replace(engine.demands, hosted=frozenset(), refused=frozenset())
    # Recursion that nothing but data ends.
    if isinstance(answer, TooDeep) and answer.group:
        if not any(answer.group <= group for group in engine.demands.stacks):
            engine.findings.recursive[answer.group] = answer
            return Needs(answer.loc, stacks=frozenset({answer.group}))
    return answer


def _decided(world: World, refusal: TooDeep) -> Exception:
    """A Restart with the number arguments that decide how deep calls nest, alone or with data: they
    may say enough, as in `depth == limit or np.all(y == y[0])`."""
    found = {v: None for test in refusal.tests for v in parameters(test, paths=True)}
    numbers = [v for v in found if v in world.scalars]
    if 0 < len(numbers) <= MAX_DEMANDS:  # more are data
        return Restart({world.scalars[v]: refusal.loc for v in numbers}, [], refusal)
    return refusal


def _of_tables(world: World) -> set[Path]:
    """The ints in containers outside of a program that is refused which decide branches of it by
    themselves: of a table that it only reads, as the precedences of operators, they say what is
    parsed or played, as if they were written in the code.  Those that change often are data."""
    request, now, found = world.request, world.engine.heap.contents, set[Path]()
    first = len(request.args) - len(world.places)
    written = {
        world.paths[cell] for cell, held in world.initial.items() if now.get(cell) is not held
    }
    for cond in those_by_arguments(world.engine.findings.branched if world.places else ()):
        paths = {world.scalars.get(value, (-1,)) for value in parameters(cond)}
        if all(path[0] >= first for path in paths):
            found |= paths - request.unknown
    return {p for p in found if not any(p[:n] in written for n in range(1, len(p)))}


def _demand(world: World, need: NeedsStatic, chosen: str) -> Exception:
    """A Restart that makes number arguments static, or why no value can be known; chosen: the
    demand for pools of what the value chooses among."""
    if need.most:
        asked = [world.scalars[x.value] for x in (need.scalar, *need.also)]
        return Restart({(*path, MOST): need.loc for path in asked}, [])
    value = getattr(need.scalar, "value", None)
    numbers = parameters(value) or parameters(value, paths=True)
    paths = [world.scalars[v] for v in numbers if v in world.scalars]
    engine = world.engine
    what = need.what or "this value"
    lists = [(*world.numbers[v], ITEMS) for v in numbers if v in world.numbers]
    if lists and not chosen and not (need.otherwise and need.otherwise.remedy):
        return Restart(dict.fromkeys(lists, need.loc), [])
    if any(isinstance(v, Data) for v in numbers):  # what may do without them comes first
        engine.findings.valued |= {path[0] for path in paths}
    elif paths and len(paths) == len(numbers):
        also = [v for x in need.also for v in parameters(x.value) if v in world.scalars]
        paths += [world.scalars[v] for v in also]
        return Restart({path: need.loc for path in paths}, [], need.otherwise)
    if need.otherwise is not None:
        return need.otherwise
    sized = engine.findings.sized and not engine.demands.rooms
    hint = "compute it from shapes, constants and number arguments only"
    if value is not None and value.type.dtype.kind == "f":
        hint += ", and as an int: int(x)"
    elif what.startswith("the size"):
        hint += ", or bound it, as in min(n, 1000)"
    return CompileError(
        f"{what} must be known while compiling, but it is computed at run time",
        need.loc or engine.loc,
        types=(str(getattr(value, "type", "")),),
        chain=need.chain,
        hint=hint,
        remedy="rooms" if sized else (need.in_vain and chosen) or need.remedy or chosen,
    )


def _pools(engine: Engine, need: NeedsStatic) -> str:
    """The demand for pools of what the value chooses among, if there is one."""
    return next(filter(None, [pools.remedy(engine, content) for content in need.among]), "")


def _run(world: World) -> Specialization:
    engine, request = world.engine, world.request
    entry = engine.block
    count = len(world.args) - len(request.names)
    call = engine.rules.call
    world.fill_buffers()
    placed = getattr(placement_of(request), "out_shardings", None)

    def visit() -> Any:
        if request.options is not None and request.options.width == 32:
            world.narrow()
        kwargs = dict(zip(request.names, world.args[count:], strict=True))
        made = call(engine, Const(request.function), world.args[:count], kwargs)
        made = gathered.gathered(engine, request.function, made)
        if placed is None:
            return made
        return call(engine, Const(placement.results), [made, Const(placed)], {})

    edges = visited(engine, visit)
    containers = {cell: before for cell, before in world.initial.items() if cell in world.paths}
    end = ended(engine, edges, engine.raised, containers)
    end.result = Const(None) if end.result is UNDEFINED else end.result
    builder = Outputs(world)
    outcome = builder.outcome(end)
    engine.block.terminator = Return(tuple(builder.results))
    name = getattr(request.function, "__name__", "program")
    function = graph(entry, tuple(world.params), None, _identifier(name))
    if request.options is not None and request.options.precision:
        multiply_in(function, request.options.precision)
    gathered.check(request.function, function, outcome)
    outcome = _with_faults(world, function, outcome)
    constants = world.captures.constants
    laid = engine.laid or (engine.reshaped and engine.writes_arrays)
    return Specialization(
        function, outcome, {}, world.places, constants, engine.unrollings, engine.copies, laid
    )


def _with_faults(world: World, function: Function, outcome: out.Outcome) -> out.Outcome:
    """The outcome of a program with sticky flags, whose word is its last result."""
    engine = world.engine
    if (stream := engine.captures.by_identity.get(id(STREAM))) is not None:
        leaf = world.leaves[stream.cell]
        order = next((write for write in outcome.writes if write.leaf == leaf), None)
        outcome = replace(outcome, printed=order)
    instrs = function.instrs
    ops = {instr.op for instr in instrs}
    if flag not in ops:
        return _resumed(function, outcome) if world.request.replayed else outcome
    inside = ops_in([region for instr in instrs for region in instr.regions])
    # Python that is called where the flags of the whole program do not show would print again.
    if host_call in inside or any(["counted" in instr.attrs for instr in instrs]):
        raise Needs(in_place=True)
    outcome = _without_order(outcome)
    surprises = engine.faults.surprises
    noted = engine.faults.noted.items()
    checks = tuple([_check(site, number, surprises.get(site)) for site, number in noted])
    (end,) = [b.terminator for b in function.blocks if isinstance(b.terminator, Return)]
    return replace(outcome, faults=len(end.operands), checks=checks)


def _resumed(function: Function, outcome: out.Outcome) -> out.Outcome:
    """The outcome of a second run without sticky flags, which leaves out the calls of Python that
    the first one made, and counts them therefore."""
    for instr in walk(function.instrs):
        if instr.op is host_call:
            instr.attrs = {**instr.attrs, "counted": True}
    return _without_order(outcome)


def _without_order(outcome: out.Outcome) -> out.Outcome:
    """The order of calls of Python is no one's to be written."""
    writes = tuple([write for write in outcome.writes if write is not outcome.printed])
    return replace(outcome, writes=writes)


def _check(site: tuple[Any, Any], flag: int, surprise: Exception | None) -> out.Site:
    loc, kind = site
    args = () if surprise is None else tuple(map(out.OutConst, surprise.args))
    return out.Site(kind, args, loc, flag=flag)


def _identifier(name: str) -> str:
    return "".join(c if c.isalnum() or c == "_" else "_" for c in name) or "program"
