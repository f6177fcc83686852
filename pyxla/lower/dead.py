"""Dead code: instructions, results of conditionals and slots of loops that nobody needs.

One walk from the results backwards.  A slot of a loop is needed where its final value is, or its
parameter is needed by the condition, by the next value of a slot that is needed, or by an effect:
the least fixpoint, so that slots which only feed each other go.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import uses


def dead_code(region: Region) -> Region:
    """Drop what the results do not need, in place."""
    _sweep(region, set(region.results))
    return region


def has_effect(instr: Instr) -> bool:
    """Whether it, or anything in its regions, does more than compute."""
    if instr.op.effect:
        return True
    return any(has_effect(inner) for region in instr.regions for inner in region.instrs)


def _sweep(region: Region, live: set[Value]) -> None:
    """Keep what computes `live`, which grows by what that needs from enclosing scopes."""
    kept = []
    for instr in reversed(region.instrs):
        if live.isdisjoint(instr.results) and not has_effect(instr):
            continue
        kept.append(instr)
        if not instr.regions:
            live.update(instr.operands)
        elif instr.op.name in ("if", "case"):
            _sweep_branches(instr, live)
        elif instr.op.name == "while":
            _sweep_loop(instr, live)
        else:
            live.update(instr.operands)
            for inner in instr.regions:
                live.update(inner.results)
                _sweep(inner, live)
    kept.reverse()
    region.instrs[:] = kept


def _sweep_branches(instr: Instr, live: set[Value]) -> None:
    """Drop unused results."""
    wanted = [k for k, value in enumerate(instr.results) if value in live]
    if len(wanted) < len(instr.results):
        instr.results = _pick(instr.results, wanted)
        for region in instr.regions:
            region.results = _pick(region.results, wanted)
    live.update(instr.operands)
    for region in instr.regions:
        live.update(region.results)
        _sweep(region, live)


def _sweep_loop(instr: Instr, live: set[Value]) -> None:
    """Drop slots that are not needed."""
    cond, body = instr.regions
    needed = set(live)
    needed.update(cond.results)
    _mark(cond.instrs, needed)
    wanted = {
        k
        for k, (result, param) in enumerate(zip(instr.results, cond.params, strict=True))
        if result in live or param in needed
    }
    inner: set[Value] = set()
    size = -1
    while size < len(wanted):
        size = len(wanted)
        inner.update([body.results[k] for k in wanted])
        _mark(body.instrs, inner)
        wanted.update([k for k, param in enumerate(body.params) if param in inner])
    if size < len(body.params):
        order = sorted(wanted)
        instr.operands = _pick(instr.operands, order)
        instr.results = _pick(instr.results, order)
        body.results = _pick(body.results, order)
        body.params = _pick(body.params, order)
        cond.params = _pick(cond.params, order)
    live.update(instr.operands)
    for region in (cond, body):
        live.update(region.results)
        _sweep(region, live)


def _mark(instrs: list[Instr], needed: set[Value]) -> None:
    """Add to `needed` what the needed values of a list depend on."""
    for instr in reversed(instrs):
        if not needed.isdisjoint(instr.results) or has_effect(instr):
            needed.update(uses(instr))


def _pick(values: Iterable[Value], which: list[int]) -> tuple[Value, ...]:
    values = tuple(values)
    return tuple([values[k] for k in which])
