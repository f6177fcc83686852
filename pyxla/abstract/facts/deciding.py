"""What a typed value is computed from: which conditions decide a path, and what decides them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from pyxla.ir.core import Block, Branch, Instr, Phi, Value, made_of, reached


def deciding_test(block: Block) -> Value | None:
    """The condition of the branch that last decided that control comes to `block`."""
    return next(deciding_tests(block), None)


def deciding_tests(block: Block) -> Iterator[Value]:
    """The conditions of the branches that decided that control comes to `block`, the last first."""
    while len(block.preds) == 1:
        (block,) = block.preds
        if isinstance(block.terminator, Branch):
            yield block.terminator.cond


class Data(Value):
    """A number of a list among the arguments that has several, or of the state of a generator:
    another call has others."""

    __slots__ = ()


class Unbounded(Value):
    """An int argument: another attempt may know what it is at most."""

    __slots__ = ()


def by_arguments(value: Value, heads: Collection[Block] = ()) -> bool:
    """Whether `value` is computed from number arguments and counters of loops at `heads` alone.
    What comes of the digits and characters of a text (unsigned arrays) is data, as are the numbers
    of a list."""
    return all(_may_be_known(x, heads) for x in reached([value], made_of))


def asked_for(value: Value) -> bool:
    """Whether number arguments decide `value`, so that another attempt may know it: what is
    computed of constants alone, and is none, is data."""
    return by_arguments(value) and bool(parameters(value))


def those_by_arguments(values: Collection[Value]) -> list[Value]:
    """Those of many values that are computed `by_arguments`: each instruction is looked at once."""
    users: dict[Value, list[Value]] = {x: [] for x in reached(values, made_of)}
    for x in users:
        for y in made_of(x):
            users[y].append(x)
    data = set(reached([x for x in users if not _may_be_known(x, ())], users.__getitem__))
    return [x for x in values if x not in data]


def _may_be_known(x: Value, heads: Collection[Block]) -> bool:
    if x.type.shape and x.type.dtype.kind == "u":
        return False
    if isinstance(x.owner, Instr):
        return True
    if not x.type.weak or isinstance(x, Data):
        return False
    return not isinstance(x.owner, Phi) or (x.owner.block in heads and x.type.dtype.kind == "i")


def by_counted_loops(value: Value, heads: Collection[Block]) -> bool:
    """Whether `value` is computed from number arguments, and counters of loops whose number of
    iterations these decide, too."""
    loops = [head for head in heads if depends_on(value, head)]
    ends = [head.terminator for head in loops]
    tests = [end.cond if isinstance(end, Branch) else None for end in ends]
    return all(x is not None and by_arguments(x, heads) for x in (value, *tests))


def parameters(*values: Value | None, paths: bool = False) -> list[Value]:
    """The parameters and loads that `values` are computed from; `paths`: and what decides which of
    the values that meet in one it is."""
    return _origins([value for value in values if value is not None], paths)[0]


def loops_of_constants(value: Value, heads: Mapping[Block, Block]) -> set[Block]:
    """The loops that compute `value`, an int, if constants alone decide what it is.

    heads: the headers of loops in typed code, and what they are in untyped code.
    """
    found, blocks = _origins([value], True, heads)
    if found or not by_arguments(value, heads):
        return set()
    return {heads[block] for block in blocks if block in heads}


def _origins(
    values: Sequence[Value], paths: bool, heads: Collection[Block] = ()
) -> tuple[list[Value], set[Block]]:
    """The parameters and loads that `values` are computed from, and the blocks where they meet.
    heads: loops that end: what comes behind one is reached, whatever the test that ended it."""

    def onwards(x: Value) -> list[Value]:
        around = [x.owner.block, *x.owner.args] if paths and isinstance(x.owner, Phi) else []
        tests = [None if _is_behind(block, heads) else deciding_test(block) for block in around]
        return [*made_of(x), *[test for test in tests if test is not None]]

    every = list(reached(values, onwards))
    blocks = {x.owner.block for x in every if isinstance(x.owner, Phi)}
    return [x for x in every if not isinstance(x.owner, (Phi, Instr))], blocks


def _is_behind(block: Block, heads: Collection[Block]) -> bool:
    """Whether the branch that last decided that control comes to `block` is the end of a loop."""
    while len(block.preds) == 1:
        inner, (block,) = block, block.preds
        if isinstance(end := block.terminator, Branch):
            return block in heads and inner is end.targets[-1]
    return False


def depends_on(value: Value, block: Block) -> bool:
    """Whether `value` is computed from a phi of `block`."""
    owners = (x.owner for x in reached([value], made_of))
    return any(isinstance(owner, Phi) and owner.block is block for owner in owners)
