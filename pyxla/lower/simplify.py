"""Simplification of regions: one walk forwards that rewrites, one backwards that drops dead code.

    while (x, n): ...; next x + n, n        ->  n is used from outside, one slot less
    %2 = add %1, 0; %3 = add %1, 0          ->  both are %1
    if (true) ...                           ->  the branch, in place
    while ...: %y = exp(n); ...             ->  %y before the loop

Forwards, every instruction meets: the replacements of its operands (`env`), the local rules
(`pyxla.lower.rules`), and value numbering (`table`, with the scopes of regions).  A constant is
written again in each region that uses it, so that regions capture none.  Loops and conditionals are
taken apart in `_loop` and `_conditional`; what is invariant in a loop moves before it where
recomputing it costs more than carrying it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Uses
from pyxla.lower.appended import cut_in_branches
from pyxla.lower.cost import INFINITE, SMALL, cost, total
from pyxla.lower.dead import dead_code, has_effect
from pyxla.lower.forward import forward_blocks
from pyxla.lower.inplace import update_in_place
from pyxla.lower.rules import boolean, definition, is_filled, known, rewrite, store_twice, stored
from pyxla.lower.unread import drop_unread
from pyxla.ops.elementwise import convert, select
from pyxla.ops.index import dynamic_update_slice, scatter
from pyxla.ops.shape import constant

__all__ = ["dead_code", "simplify"]

ROUNDS = 4
SPECULATED = 24  # cost of the branches of a conditional that becomes selects
SHARED = 64  # bytes of a constant that is compared by content, and repeated in each region
# Made anew where needed rather than carried into a loop.
_FREE = frozenset({"constant", "iota", "broadcast_in_dim", "reshape", "transpose", "slice"})

_COMMUTATIVE = frozenset({"add", "multiply", "and", "or", "xor"})
_UPDATES = frozenset({dynamic_update_slice, scatter})

Key = tuple[Any, ...]


def simplify(region: Region) -> Region:
    """The region, smaller; consumes the given one."""
    types = [value.type for value in region.results]
    dead_code(region)
    for _ in range(ROUNDS):
        walk = _Walk()
        with building(walk.builder):
            walk.region(region)
        dead_code(region)
        if not (walk.updates and _rearranged(region)) and not walk.again:
            break
    _restore_types(region, types)
    return region


def _rearranged(region: Region) -> bool:
    """Rewrite what loops do to large arrays, in place; whether there was anything to do."""
    changed = drop_unread(region) or cut_in_branches(region)
    return changed or update_in_place(region) | forward_blocks(region)


def _restore_types(region: Region, types: list[Any]) -> None:
    """Results stay weak or strong as they were."""
    results = []
    for value, type in zip(region.results, types, strict=True):
        if value.type != type:
            builder = Builder(region.instrs)
            value = builder.emit(convert, (value,), {"dtype": type.dtype, "weak": type.weak})
        results.append(value)
    region.results = tuple(results)


class _Walk:
    """The walk forwards.

    env: value -> its replacement.  table: key of an instruction -> its results; log: the keys that
    the region at hand added.  constants: of the region at hand, key -> value.  stores: updates in
    the region at hand.  code: the list being written.  facts: what is known of predicates in the
    branches at hand.  again: another round may find more.  updates: there are loops, and what may
    change large arrays in them.  builder: where rules emit, the current one during the walk.
    uses: of instructions, those with regions once these are simplified.
    """

    def __init__(self) -> None:
        self.env: dict[Value, Value] = {}
        self.table: dict[Key, tuple[Value, ...]] = {}
        self.log: list[Key] = []
        self.constants: dict[Key, Value] = {}
        self.code: list[Instr] = []
        self.facts: dict[Value, bool] = {}
        self.stores: set[Instr] = set()
        self.again = self.loops = self.stored = False
        self.builder = Builder([])
        self.uses = Uses()

    @property
    def updates(self) -> bool:
        return self.loops and self.stored

    # Values.

    def final(self, value: Value) -> Value:
        """What stands for `value` here: its replacement; a constant of this region's own."""
        while (other := self.env.get(value)) is not None:  # code is walked again: so is that one
            value = other
        owner = value.owner
        if type(owner) is Instr and owner.op is constant:
            return self.constant(owner)
        if self.facts and value in self.facts:
            return self.constant(_detached(boolean, self.facts[value]))
        return value

    def constant(self, instr: Instr) -> Value:
        content = instr.attrs["value"]
        if content.nbytes > SHARED:
            key: Key = (id(content),)
        else:
            flags = instr.results[0].type.weak, "anything" in instr.attrs
            key = (content.dtype, content.shape, content.tobytes(), *flags)
        value = self.constants.get(key)
        if value is None:
            copy = Instr(constant, (), dict(instr.attrs), (), instr.loc)
            value = Value(instr.results[0].type, copy, instr.results[0].hint)
            copy.results = (value,)
            self.code.append(copy)
            self.constants[key] = value
        return value

    # Regions and instructions.

    def region(self, region: Region, shares: bool = True) -> None:
        """Simplify a region in place; `shares`: it may use what its surroundings computed."""
        outer = self.code, self.constants, self.table, self.log, self.stores
        self.code, self.constants, self.log, self.stores = [], {}, [], set()
        if not shares:
            self.table = {}
        for instr in region.instrs:
            self.instr(instr)
        region.results = tuple([self.final(value) for value in region.results])
        region.instrs[:] = self.code
        for key in self.log:
            del self.table[key]
        self.code, self.constants, self.table, self.log, self.stores = outer

    def instr(self, instr: Instr) -> None:
        op = instr.op
        if op is constant:
            return
        final = self.final
        instr.operands = tuple([final(value) for value in instr.operands])
        if instr.regions:
            self.uses.found.pop(instr, None)
            if op.name == "while":
                self.loop(instr)
            elif op.name == "if":
                self.conditional(instr)
            elif op.name == "case" and (index := known(instr.operands[0])) is not None:
                self.inline(instr, instr.regions[min(int(index) % 2**32, len(instr.regions) - 1)])
            else:
                for region in instr.regions:
                    self.region(region, shares=op.name == "case")
                self.code.append(instr)
            return
        if op.effect:
            self.code.append(instr)
            return
        key = _key(instr)
        if key is not None:
            found = self.table.get(key)
            if found is not None:
                self.replace(instr.results, found)
                return
        if len(instr.results) == 1 and self.rewritten(instr):
            return
        if key is not None:
            self.table[key] = instr.results
            self.log.append(key)
        self.code.append(instr)

    def rewritten(self, instr: Instr) -> bool:
        """Apply the rules; what they emit goes through the walk itself."""
        self.builder.loc = instr.loc
        value = rewrite(instr)
        if value is None and instr.op in _UPDATES:
            self.stored = True
            if instr.op is dynamic_update_slice:
                value = self.overwritten(instr)
        if value is None:
            return False
        if emitted := self.builder.instrs:
            self.builder.instrs = []
            for new in emitted:
                self.instr(new)
        self.replace(instr.results, (value,))
        return True

    def overwritten(self, update: Instr) -> Value | None:
        """What replaces an update of what another in this region wrote."""
        value = None
        if stored(update.operands[0])[0] in self.stores:
            value = store_twice(update)
        if value is None:
            self.stores.add(update)
        return value

    def replace(self, old: Iterable[Value], new: Iterable[Value]) -> None:
        for value, other in zip(old, new, strict=True):
            other = self.env.get(other, other)
            self.env[value] = other
            if value.hint and not other.hint and type(other.owner) is Instr:
                other.hint = value.hint

    # Conditionals.

    def conditional(self, instr: Instr) -> None:
        """Inline the branch of a known predicate; make cheap branches selects; thin the results."""
        (pred,) = instr.operands
        then, other = instr.regions
        content = known(pred)
        if content is not None:
            self.inline(instr, then if bool(content) else other)
            return
        for region, truth in ((then, True), (other, False)):
            outer = self.facts
            self.facts = {**outer, **dict(_implied(pred, truth))}
            self.region(region)
            self.facts = outer
        instrs = then.instrs + other.instrs
        small = all(value.type.size <= SMALL for value in instr.results)
        if small and total(instrs, SPECULATED) <= SPECULATED:
            for inner in instrs:
                self.instr(inner)
            for value, x, y in zip(instr.results, then.results, other.results, strict=True):
                self.choose(pred, value, x, y)
            return
        self.thin(instr, pred)

    def inline(self, instr: Instr, taken: Region) -> None:
        for inner in taken.instrs:
            self.instr(inner)
        self.replace(instr.results, [self.final(value) for value in taken.results])

    def choose(self, pred: Value, value: Value, x: Value, y: Value) -> None:
        """Make `value` the selection of x or y."""
        x, y = self.final(x), self.final(y)
        if x is y:
            self.replace([value], [x])
            return
        chosen: list[Instr] = []
        new = Builder(chosen).emit(select, (pred, x, y), {})
        self.instr(chosen[0])
        self.replace([value], [new])

    def thin(self, instr: Instr, pred: Value) -> None:
        """Keep only the results that the branches compute, each once."""
        then, other = instr.regions
        inner = {value for r in instr.regions for i in r.instrs for value in i.results}
        kept = []
        seen: dict[Key, Value] = {}
        for k, value in enumerate(instr.results):
            x, y = then.results[k], other.results[k]
            passed = all(v not in inner or known(v) is not None for v in (x, y))
            if x is y or (passed and value.type.size <= SMALL):
                self.choose(pred, value, x, y)
            elif (twin := seen.setdefault((x, y, value.type), value)) is not value:
                self.replace([value], [twin])
            else:
                kept.append(k)
        if len(kept) < len(instr.results):
            instr.results = tuple([instr.results[k] for k in kept])
            for region in instr.regions:
                region.results = tuple([region.results[k] for k in kept])
        if kept or has_effect(instr):
            self.code.append(instr)

    # Loops.

    def loop(self, instr: Instr) -> None:
        """Take apart the slots, simplify condition and body, move out what does not vary."""
        self.capture_slots(instr)
        cond, body = instr.regions
        self.loops = True
        self.stored |= any([param.type.size > SMALL for param in body.params])
        self.region(cond)
        if is_filled(cond.results[0], False):
            self.replace(instr.results, instr.operands)
            return
        self.region(body)
        if self.capture_slots(instr):
            # What was a parameter is now a value from outside: rewrite the bodies again.
            self.again = True
            self.substitute(instr)
        for region in (cond, body):
            self.hoist(region)
        self.code.append(instr)

    def substitute(self, instr: Instr) -> None:
        for region in instr.regions:
            self.region(region)

    def capture_slots(self, instr: Instr) -> bool:
        """Slots that never change become uses of their initial value; equal slots become one."""
        cond, body = instr.regions
        kept: list[int] = []
        seen: dict[tuple[Value, Any], int] = {}
        for k, (init, param) in enumerate(zip(instr.operands, body.params, strict=True)):
            result = self.env.get(body.results[k], body.results[k])
            if result is param or result is init:
                self.env[param] = self.env[cond.params[k]] = init
                self.env[instr.results[k]] = init
            elif (twin := _first(seen, [(init, result), (init, _step(param, result))], k)) != k:
                self.env[param] = body.params[twin]
                self.env[cond.params[k]] = cond.params[twin]
                self.env[instr.results[k]] = instr.results[twin]
            else:
                kept.append(k)
        if len(kept) == len(body.params):
            return False
        instr.operands = tuple([instr.operands[k] for k in kept])
        instr.results = tuple([instr.results[k] for k in kept])
        body.results = tuple([body.results[k] for k in kept])
        for region in (cond, body):
            region.params = tuple([region.params[k] for k in kept])
        return True

    def hoist(self, region: Region) -> None:
        """Move work that does not vary out of a loop's region, with what it is made from."""
        varying = set(region.params)
        invariant: dict[Value, Instr] = {}
        moved: dict[Instr, None] = {}
        for instr in region.instrs:
            if not varying.isdisjoint(self.uses(instr)) or has_effect(instr):
                varying.update(instr.results)
                continue
            invariant.update(dict.fromkeys(instr.results, instr))
            if self.is_work(instr):
                self.take(instr, invariant, moved)
        if not moved:
            return
        self.again = True
        region.instrs[:] = [instr for instr in region.instrs if instr not in moved]
        for instr in moved:
            self.code.append(instr)

    def is_work(self, instr: Instr) -> bool:
        """Whether doing it once is worth a value carried into the loop."""
        if instr.op.name in _FREE:
            return False
        spent = cost(instr)
        if spent < INFINITE:
            return spent > 1
        made = sum(value.type.size for value in instr.results)
        read = max([value.type.size for value in self.uses(instr)], default=0)
        return bool(instr.regions) or made <= read

    def take(self, instr: Instr, invariant: dict[Value, Instr], moved: dict[Instr, None]) -> None:
        """Add an instruction to `moved`, after those it needs."""
        if instr in moved:
            return
        for value in self.uses(instr):
            if value in invariant:
                self.take(invariant[value], invariant, moved)
        moved[instr] = None


def _first(seen: dict[Any, int], keys: Iterable[Any], k: int) -> int:
    """The slot that had one of the keys before, else `k`."""
    found = min([seen.get(key, k) for key in keys])
    for key in keys:
        seen.setdefault(key, found)
    return found


def _step(param: Value, result: Value) -> Any:
    """Equal for slots that stay equal: with the same result, or the same made of themselves."""
    owner = result.owner
    if type(owner) is not Instr or param not in owner.operands or owner.regions:
        return result
    key = _key(owner)
    if key is None or len(owner.results) > 1:
        return result
    op, operands, *attrs = key
    others = tuple([None if value is param else value for value in operands])
    if op.name in _COMMUTATIVE and others[1] is None:  # the key has them in any order
        others = others[::-1]
    return op, others, *attrs


def _implied(pred: Value, truth: bool) -> Iterator[tuple[Value, bool]]:
    """What is known where `pred` is known."""
    yield pred, truth
    if (made := definition(pred, "not")) is not None:
        yield from _implied(made.operands[0], not truth)
    elif (made := definition(pred, "and" if truth else "or")) is not None:
        for part in made.operands:
            yield from _implied(part, truth)


def _detached(function: Any, *args: Any) -> Instr:
    """The instruction a function emits, in no code."""
    emitted: list[Instr] = []
    with building(Builder(emitted)):
        function(*args)
    return emitted[0]


def _key(instr: Instr) -> Key | None:
    """Equal for instructions that compute the same; None where attributes cannot tell."""
    operands = instr.operands
    if instr.op.name in _COMMUTATIVE and id(operands[0]) > id(operands[1]):
        operands = operands[::-1]
    if not instr.attrs:
        return instr.op, operands
    key = (instr.op, operands, *instr.attrs.items())
    try:
        hash(key)
    except TypeError:
        return None
    return key
