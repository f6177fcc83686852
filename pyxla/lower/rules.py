"""Local rewrites: what one instruction simplifies to, looking at what defines its operands.

    add(x, 0) -> x                        select(c, x, x) -> x
    not(not(x)) -> x                      compare(select(c, 1, 2), 2, EQ) -> not(c)
    reshape(reshape(x)) -> reshape(x)     dynamic_slice(dynamic_update_slice(A, u, i), i) -> u

A rule takes an instruction, whose operands are final, and gives the value that replaces its result,
or None.  It may emit into the current builder; what it emits is simplified in turn.  `RULES` lists
the rules of each op in the order in which they are tried.  Floating-point rules hold for every
value, -0.0 and NaN included.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.ir.core import Instr, Value
from pyxla.ir.types import ArrayType
from pyxla.lower.appended import slice_appended, slice_padded
from pyxla.ops.check import COMPLEXES, FLOATS, INTS
from pyxla.ops.control import optimization_barrier
from pyxla.ops.elementwise import NEGATED, and_, compare, convert, not_, or_, select
from pyxla.ops.filled import spread
from pyxla.ops.shape import broadcast_in_dim, constant, reshape, transpose

Rule = Callable[[Instr], Value | None]

FOLDED = 16  # elements of the constants that are computed while compiling
DEPTH = 8  # selects of constants that a comparison sees through


def definition(value: Value, *names: str) -> Instr | None:
    """The instruction that defines `value`, but for weakness, if its op is one of `names`."""
    owner = value.owner
    if not isinstance(owner, Instr):
        return None
    if owner.op.name in names:
        return owner
    if owner.op is convert and owner.operands[0].type.dtype == value.type.dtype:
        return definition(owner.operands[0], *names)
    return None


def known(value: Value) -> np.ndarray | None:
    """The content of a constant."""
    owner = value.owner
    if isinstance(owner, Instr) and owner.op is constant:
        return owner.attrs["value"]
    return None


def filling(value: Value) -> Any:
    """The number that every element of an array is, if it is known."""
    while (made := definition(value, "broadcast_in_dim", "reshape")) is not None:
        value = made.operands[0]
    content = known(value)
    return content.item() if content is not None and content.size == 1 else None


def is_filled(value: Value, number: Any) -> bool:
    """Whether every element is known to be `number`; -0.0 is not 0.0."""
    owner = value.owner
    if type(owner) is not Instr:
        return False
    if owner.op is not constant:
        while (made := definition(value, "broadcast_in_dim", "reshape")) is not None:
            value = made.operands[0]
    content = known(value)
    if content is None or content.size == 0 or content.size > FOLDED:
        return False
    if content.size == 1:  # most are, and Python compares numbers faster than NumPy
        one = content.item()
        if one != number:
            return False
        return number != 0 or content.dtype.kind in "biu" or not np.any(np.signbit(content.real))
    if not np.all(content == number):
        return False
    return content.dtype.kind in "biu" or number != 0 or not np.any(np.signbit(content.real))


def literal(content: Any, type: ArrayType) -> Value:
    """A constant of a given type."""
    array = np.asarray(content, type.dtype)
    if type.shape and not array.shape:
        return spread(constant(value=array), type.shape)
    return constant(value=array, weak=True) if type.weak else constant(value=array)


def boolean(content: bool) -> Value:
    return constant(value=np.asarray(content))


def same_type(value: Value, instr: Instr) -> Value | None:
    """`value`, if it has the type of the result, weakness included."""
    return value if value.type == instr.results[0].type else None


# Constants.

# What NumPy computes as XLA does, and without a seed or a library.
_FOLDABLE = frozenset(
    """add subtract multiply divide remainder maximum minimum and or xor not negate abs sign compare
    select convert reshape broadcast_in_dim transpose slice concatenate ceil floor sqrt is_finite
    clamp shift_left shift_right_arithmetic shift_right_logical real imag complex reverse pad
    round_nearest_even round_nearest_afz popcnt count_leading_zeros""".split()  # noqa: SIM905
)


def fold(instr: Instr) -> Value | None:
    """op(constants) -> constant."""
    for value in instr.operands:
        owner = value.owner
        if not isinstance(owner, Instr) or owner.op is not constant:
            return None
    if instr.op.name not in _FOLDABLE or not instr.operands:
        return None
    (result,) = instr.results
    if result.type.size > FOLDED or (result.type.shape and instr.op is broadcast_in_dim):
        return None
    contents = []
    for value in instr.operands:
        content = value.owner.attrs["value"]
        if content.size > FOLDED:
            return None
        contents.append(content)
    with np.errstate(all="ignore"):
        folded = np.asarray(instr.op.numpy(*contents, **instr.attrs))
    if folded.dtype != result.type.dtype or folded.shape != result.type.shape:
        return None
    return literal(folded, result.type)


# Arithmetic.


def add_zero(instr: Instr) -> Value | None:
    """x + 0 -> x; for floats the neutral element is -0.0."""
    x, y = instr.operands
    if x.type.dtype not in INTS:
        return None
    for value, other in ((x, y), (y, x)):
        if is_filled(other, 0):
            return same_type(value, instr)
    return None


def subtract_zero(instr: Instr) -> Value | None:
    """x - 0 -> x; x - x -> 0 for integers."""
    x, y = instr.operands
    if is_filled(y, 0) and x.type.dtype not in COMPLEXES:
        return same_type(x, instr)
    if x is y and x.type.dtype in INTS:
        return literal(0, instr.results[0].type)
    return None


def subtract_back(instr: Instr) -> Value | None:
    """(x + y) - y -> x for integers."""
    x, y = instr.operands
    made = definition(x, "add")
    if made is None or x.type.dtype not in INTS:
        return None
    a, b = made.operands
    return same_type(a, instr) if b is y else same_type(b, instr) if a is y else None


def add_constants(instr: Instr) -> Value | None:
    """(x + c) + d -> x + (c + d) for integers."""
    x, y = instr.operands
    made = definition(x, "add")
    if made is None or x.type.dtype not in INTS or known(y) is None:
        return None
    if known(made.operands[1]) is None:
        return None
    return instr.op(made.operands[0], instr.op(made.operands[1], y))


def multiply_one(instr: Instr) -> Value | None:
    """x * 1 -> x; x * 0 -> 0 for integers."""
    x, y = instr.operands
    if x.type.dtype in COMPLEXES:
        return None
    for value, other in ((x, y), (y, x)):
        if is_filled(other, 1):
            return same_type(value, instr)
        if x.type.dtype in INTS and is_filled(other, 0):
            return same_type(other, instr)
    return None


def divide_one(instr: Instr) -> Value | None:
    """x / 1 -> x."""
    x, y = instr.operands
    if x.type.dtype not in COMPLEXES and is_filled(y, 1):
        return same_type(x, instr)
    return None


def negate_twice(instr: Instr) -> Value | None:
    """-(-x) -> x; not(not(x)) -> x."""
    made = definition(instr.operands[0], instr.op.name)
    return same_type(made.operands[0], instr) if made else None


def idempotent(instr: Instr) -> Value | None:
    """x & x, x | x, maximum(x, x), minimum(x, x) -> x."""
    x, y = instr.operands
    return same_type(x, instr) if x is y else None


# Booleans.


def _opposite(x: Value, y: Value) -> bool:
    return any(
        (made := definition(a, "not")) is not None and made.operands[0] is b
        for a, b in ((x, y), (y, x))
    )


def logic(instr: Instr) -> Value | None:
    """and, or of bools with a constant, or with the opposite."""
    x, y = instr.operands
    if x.type.dtype != np.bool_:
        return None
    absorbing = instr.op is or_
    for value, other in ((x, y), (y, x)):
        if is_filled(other, absorbing):
            return same_type(other, instr)
        if is_filled(other, not absorbing):
            return same_type(value, instr)
    return literal(absorbing, instr.results[0].type) if _opposite(x, y) else None


def not_compare(instr: Instr) -> Value | None:
    """not(x < y) -> x >= y, but where NaN could be."""
    made = definition(instr.operands[0], "compare")
    if made is None:
        return None
    direction = made.attrs["direction"]
    if direction not in ("EQ", "NE") and made.operands[0].type.dtype in FLOATS:
        return None
    return compare(*made.operands, direction=NEGATED[direction])


def compare_same(instr: Instr) -> Value | None:
    """x == x -> true, x < x -> false, but for floats."""
    x, y = instr.operands
    if x is not y or x.type.dtype in FLOATS | COMPLEXES:
        return None
    return literal(instr.attrs["direction"] in ("EQ", "GE", "LE"), instr.results[0].type)


def compare_bool(instr: Instr) -> Value | None:
    """x != false -> x; x == false -> not(x)."""
    x, y = instr.operands
    direction = instr.attrs["direction"]
    if x.type.dtype != np.bool_ or direction not in ("EQ", "NE"):
        return None
    for truth in (False, True):
        if is_filled(y, truth):
            return same_type(x if truth == (direction == "EQ") else not_(x), instr)
    return None


def compare_choice(instr: Instr) -> Value | None:
    """select(c, 1, x) == 2 -> c ? 1 == 2 : x == 2, as selectors of control flow are compared."""
    x, y = instr.operands
    if known(y) is None or y.type.shape or instr.attrs["direction"] not in ("EQ", "NE"):
        return None
    made, depth = x, 0
    while (choice := definition(made, "select")) is not None:
        if known(choice.operands[1]) is None and known(choice.operands[2]) is None:
            return None
        made = choice.operands[2 if known(choice.operands[2]) is None else 1]
        depth += 1
    if not 0 < depth <= DEPTH:
        return None
    choice = definition(x, "select")
    pred, a, b = choice.operands
    direction = instr.attrs["direction"]
    return select(pred, compare(a, y, direction=direction), compare(b, y, direction=direction))


def compare_modulus(instr: Instr) -> Value | None:
    """select(r != 0 & signs, r + y, r) == 0 -> r == 0, where r is remainder(x, y): Python's x % y.

    A remainder that is not 0 is less than y, so that their sum is not 0 either.
    """
    chosen, zero = definition(instr.operands[0], "select"), instr.operands[1]
    if chosen is None or not is_filled(zero, 0) or instr.attrs["direction"] not in ("EQ", "NE"):
        return None
    pred, total, r = chosen.operands
    made, both = definition(r, "remainder"), definition(pred, "and")
    if made is None or both is None or r.type.dtype in FLOATS:
        return None
    summed = definition(total, "add")
    if summed is None or set(summed.operands) != {r, made.operands[1]}:
        return None
    tests = [definition(x, "compare") for x in both.operands]
    if not any(t and t.attrs["direction"] == "NE" and t.operands[0] is r for t in tests):
        return None
    return compare(r, zero, direction=instr.attrs["direction"])


def select_same(instr: Instr) -> Value | None:
    """select(c, x, x) -> x; select(true, x, y) -> x."""
    pred, x, y = instr.operands
    if x is y:
        return same_type(x, instr)
    for truth, value in ((True, x), (False, y)):
        if is_filled(pred, truth):
            return same_type(value, instr)
    return None


def select_not(instr: Instr) -> Value | None:
    """select(not(c), x, y) -> select(c, y, x)."""
    pred, x, y = instr.operands
    made = definition(pred, "not")
    return select(made.operands[0], y, x) if made else None


def select_bool(instr: Instr) -> Value | None:
    """select(c, true, x) -> c | x, and its three siblings."""
    pred, x, y = instr.operands
    if x.type.dtype != np.bool_ or x.type.shape != pred.type.shape:
        return None
    if is_filled(x, True):
        return or_(pred, y)
    if is_filled(x, False):
        return and_(not_(pred), y)
    if is_filled(y, True):
        return or_(not_(pred), x)
    if is_filled(y, False):
        return and_(pred, x)
    return None


def select_nested(instr: Instr) -> Value | None:
    """select(c, select(c, x, _), y) -> select(c, x, y), on either side."""
    pred, x, y = instr.operands
    inner = definition(x, "select")
    if inner is not None and inner.operands[0] is pred:
        return select(pred, inner.operands[1], y)
    inner = definition(y, "select")
    if inner is not None and inner.operands[0] is pred:
        return select(pred, x, inner.operands[2])
    return None


# Conversions.


def _lossless(source: np.dtype, target: np.dtype) -> bool:
    if target in COMPLEXES or source in COMPLEXES or not np.can_cast(source, target):
        return False
    # NumPy calls that of ints of 64 bits to floats safe.
    return source.kind not in "iu" or source.itemsize < 8 or target.kind in "iu"


def convert_same(instr: Instr) -> Value | None:
    """convert to the type it has -> x."""
    return same_type(instr.operands[0], instr)


def convert_twice(instr: Instr) -> Value | None:
    """convert(convert(x)) -> convert(x), where the first loses nothing."""
    made = definition(instr.operands[0], "convert")
    if made is None:
        return None
    source = made.operands[0]
    type = instr.results[0].type
    if not _lossless(source.type.dtype, made.results[0].type.dtype):
        return None
    if type.dtype == np.bool_ and source.type.dtype in FLOATS:
        return None
    if source.type == type:
        return source
    return convert(source, dtype=type.dtype, weak=type.weak)


# Shapes.


def reshape_same(instr: Instr) -> Value | None:
    """reshape to the shape it has -> x; reshape(reshape(x)) -> reshape(x)."""
    (x,) = instr.operands
    if x.type.shape == instr.results[0].type.shape:
        return same_type(x, instr)
    made = definition(x, "reshape")
    if made is None:
        return None
    source = made.operands[0]
    if source.type == instr.results[0].type:
        return source
    return reshape(source, shape=instr.results[0].type.shape)


def transpose_same(instr: Instr) -> Value | None:
    """Transposes that do nothing go, those in a row become one."""
    (x,) = instr.operands
    permutation = tuple(instr.attrs["permutation"])
    if permutation == tuple(range(len(permutation))):
        return same_type(x, instr)
    made = definition(x, "transpose")
    if made is None:
        return None
    first = made.attrs["permutation"]
    return transpose(made.operands[0], permutation=tuple([first[k] for k in permutation]))


def broadcast_same(instr: Instr) -> Value | None:
    """Broadcasts that do nothing go, those in a row become one."""
    (x,) = instr.operands
    shape = tuple(instr.attrs["shape"])
    dimensions = tuple(instr.attrs["broadcast_dimensions"])
    if x.type.shape == shape and dimensions == tuple(range(len(shape))):
        return same_type(x, instr)
    made = definition(x, "broadcast_in_dim")
    if made is None:
        return None
    first = made.attrs["broadcast_dimensions"]
    composed = tuple([dimensions[k] for k in first])
    return broadcast_in_dim(made.operands[0], shape=shape, broadcast_dimensions=composed)


def broadcast_reshape(instr: Instr) -> Value | None:
    """broadcast of a scalar's reshape -> broadcast of the scalar."""
    made = definition(instr.operands[0], "reshape")
    if made is None or made.operands[0].type.shape:
        return None
    shape = instr.attrs["shape"]
    return broadcast_in_dim(made.operands[0], shape=shape, broadcast_dimensions=())


def reshape_scalar_broadcast(instr: Instr) -> Value | None:
    """reshape of a broadcast scalar -> the scalar, or it broadcast to the new shape."""
    made = definition(instr.operands[0], "broadcast_in_dim")
    if made is None or made.operands[0].type.shape:
        return None
    shape = instr.attrs["shape"]
    if shape == ():
        return same_type(made.operands[0], instr)
    return broadcast_in_dim(made.operands[0], shape=shape, broadcast_dimensions=())


def slice_whole(instr: Instr) -> Value | None:
    """x[0:n] -> x."""
    x = instr.operands[0]
    return same_type(x, instr) if x.type.shape == instr.results[0].type.shape else None


def concatenate_one(instr: Instr) -> Value | None:
    """concatenate of one array -> that array."""
    return same_type(instr.operands[0], instr) if len(instr.operands) == 1 else None


def pad_nothing(instr: Instr) -> Value | None:
    """pad by zeros of padding -> x."""
    edges = ("edge_padding_low", "edge_padding_high", "interior_padding")
    if any(any(instr.attrs.get(edge, ())) for edge in edges):
        return None
    return same_type(instr.operands[0], instr)


# Updates in place.


def stored(value: Value) -> tuple[Instr | None, bool]:
    """The update that made an array, and whether there is a barrier after it."""
    owner, barred = value.owner, False
    if isinstance(owner, Instr) and owner.op is optimization_barrier and len(owner.operands) == 1:
        value, barred = owner.operands[0], True
    return definition(value, "dynamic_update_slice"), barred


def load_stored(instr: Instr) -> Value | None:
    """A slice of what was just written there -> what was written."""
    x, *starts = instr.operands
    made, _ = stored(x)
    if made is None or list(made.operands[2:]) != starts:
        return None
    update = made.operands[1]
    return same_type(update, instr)


def store_loaded(instr: Instr) -> Value | None:
    """Writing what was read there -> nothing."""
    x, update, *starts = instr.operands
    made = definition(update, "dynamic_slice")
    if made is not None and made.operands[0] is x and list(made.operands[1:]) == starts:
        return same_type(x, instr)
    return None


def store_twice(instr: Instr) -> Value | None:
    """Writing over what was just written there: the first is not needed, but its barrier is.

    Only within a region (`simplify` sees to that): in a branch of a conditional, whose other branch
    keeps the first, both updates would begin with the same array, which is a copy of it.
    """
    x, update, *starts = instr.operands
    made, barred = stored(x)
    if made is None or list(made.operands[2:]) != starts:
        return None
    if made.operands[1].type.shape != update.type.shape:
        return None
    only = instr.op(made.operands[0], update, *starts)
    return optimization_barrier(only) if barred else only


def store_all(instr: Instr) -> Value | None:
    """An update as large as the array -> the update."""
    x, update, *_ = instr.operands
    return same_type(update, instr) if x.type.shape == update.type.shape else None


RULES: dict[str, tuple[Rule, ...]] = {
    "add": (add_zero, add_constants),
    "subtract": (subtract_zero, subtract_back),
    "multiply": (multiply_one,),
    "divide": (divide_one,),
    "negate": (negate_twice,),
    "not": (negate_twice, not_compare),
    "and": (idempotent, logic),
    "or": (idempotent, logic),
    "maximum": (idempotent,),
    "minimum": (idempotent,),
    "compare": (compare_same, compare_bool, compare_choice, compare_modulus),
    "select": (select_same, select_not, select_bool, select_nested),
    "convert": (convert_same, convert_twice),
    "reshape": (reshape_same, reshape_scalar_broadcast),
    "transpose": (transpose_same,),
    "broadcast_in_dim": (broadcast_same, broadcast_reshape),
    "slice": (slice_whole, slice_padded, slice_appended),
    "concatenate": (concatenate_one,),
    "pad": (pad_nothing,),
    "dynamic_slice": (load_stored, slice_whole),
    "dynamic_update_slice": (store_all, store_loaded),
}


def rewrite(instr: Instr) -> Value | None:
    """What replaces the only result of `instr`, if anything does."""
    if (folded := fold(instr)) is not None:
        return folded
    for rule in RULES.get(instr.op.name, ()):
        if (value := rule(instr)) is not None:
            return value
    return None
