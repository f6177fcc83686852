"""Dead code: instructions, results of conditionals and slots of loops that nobody needs.

Mark and sweep: what the results and the effects need is marked, through the results of conditionals
and the slots of loops one by one; the rest goes.  A slot of a loop is needed where its final value
or its parameter is; slots which only feed each other go.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import uses

_CHOICES = frozenset({"if", "case"})
_STRUCTURED = _CHOICES | {"while"}


def dead_code(region: Region) -> Region:
    """Drop what the results do not need, in place."""
    if all(instr.op.name not in _STRUCTURED for instr in region.instrs):
        _sweep_straight(region, set(region.results))
        return region
    marks = _Marks(region)
    marks.need(region.results)
    _sweep(region, marks)
    return region


def has_effect(instr: Instr) -> bool:
    """Whether it, or anything in its regions, does more than compute."""
    if instr.op.effect:
        return True
    for region in instr.regions:
        for inner in region.instrs:
            if inner.op.effect or (inner.regions and has_effect(inner)):
                return True
    return False


def _sweep_straight(region: Region, live: set[Value]) -> None:
    """As `dead_code`, of code without choices and loops of its own: one walk backwards."""
    kept = []
    for instr in reversed(region.instrs):
        op = instr.op
        if not live.isdisjoint(instr.results) or op.effect or (instr.regions and has_effect(instr)):
            kept.append(instr)
            for inner in instr.regions:
                dead_code(inner)
            live.update(uses(instr) if instr.regions else instr.operands)
    kept.reverse()
    region.instrs[:] = kept


class _Marks:
    """What is needed: `alive` instructions, and `needed` results of choices and slots of loops.

    seen: parameters, and results of what has regions, that were found to be needed.  users: region
    -> the instructions that have it (calls share theirs), with the regions they are in.
    """

    def __init__(self, region: Region) -> None:
        self.users: dict[Region, list[tuple[Instr, Region]]] = {region: []}
        self.alive: set[Instr] = set()
        self.seen: set[Value] = set()
        self.needed: set[tuple[Instr, int]] = set()
        self.slots: dict[Value, tuple[Instr, int]] = {}
        self.work: list[Value] = []
        self.effects: list[tuple[Instr, Region]] = []
        self.read(region)
        while self.effects:
            instr, place = self.effects.pop()
            if instr not in self.alive:
                self.keep(instr)
                self.effects.extend(self.users[place])

    def read(self, region: Region) -> None:
        """Note where regions are, the parameters of loops, and effects."""
        users = self.users
        for instr in region.instrs:
            if instr.op.effect:
                self.effects.append((instr, region))
            if not instr.regions:
                continue
            if instr.op.name == "while":
                for inner in instr.regions:
                    self.slots.update({v: (instr, k) for k, v in enumerate(inner.params)})
            for inner in instr.regions:
                if inner in users:
                    users[inner].append((instr, region))
                else:
                    users[inner] = [(instr, region)]
                    self.read(inner)

    def keep(self, instr: Instr) -> None:
        """Note that an instruction is executed, and what that needs."""
        self.alive.add(instr)
        name = instr.op.name
        if name == "while":
            self.work.extend(instr.regions[0].results)
            return
        self.work.extend(instr.operands)
        if name not in _CHOICES:
            for region in instr.regions:
                self.work.extend(region.results)

    def need(self, values: Iterable[Value]) -> None:
        """Mark all that `values` depend on."""
        work, seen, alive, slots = self.work, self.seen, self.alive, self.slots
        work.extend(values)
        while work:
            value = work.pop()
            owner = value.owner
            made = type(owner) is Instr
            if made and not owner.regions:
                if owner not in alive:
                    alive.add(owner)
                    work += owner.operands
            elif value not in seen:
                seen.add(value)
                if made:
                    self.need_part(owner, owner.results.index(value))
                elif value in slots:
                    self.need_part(*slots[value])

    def need_part(self, instr: Instr, k: int) -> None:
        """Mark result `k` of a choice or loop, or of something else with regions."""
        if instr not in self.alive:
            self.keep(instr)
        if (instr, k) in self.needed:
            return
        self.needed.add((instr, k))
        if instr.op.name == "while":
            self.work.append(instr.operands[k])
            self.work.append(instr.regions[1].results[k])
        elif instr.op.name in _CHOICES:
            self.work.extend([region.results[k] for region in instr.regions])


def _sweep(region: Region, marks: _Marks) -> None:
    """Keep what is marked."""
    region.instrs[:] = [instr for instr in region.instrs if instr in marks.alive]
    for instr in region.instrs:
        if not instr.regions:
            continue
        if instr.op.name == "while" or instr.op.name in _CHOICES:
            wanted = [k for k in range(len(instr.results)) if (instr, k) in marks.needed]
            if len(wanted) < len(instr.results):
                _thin(instr, wanted)
        for inner in instr.regions:
            _sweep(inner, marks)


def _thin(instr: Instr, wanted: list[int]) -> None:
    """Keep only these results of a choice, or slots of a loop."""
    instr.results = _pick(instr.results, wanted)
    if instr.op.name != "while":
        for region in instr.regions:
            region.results = _pick(region.results, wanted)
        return
    cond, body = instr.regions
    instr.operands = _pick(instr.operands, wanted)
    body.results = _pick(body.results, wanted)
    body.params = _pick(body.params, wanted)
    cond.params = _pick(cond.params, wanted)


def _pick(values: Iterable[Value], which: list[int]) -> tuple[Value, ...]:
    values = tuple(values)
    return tuple([values[k] for k in which])
