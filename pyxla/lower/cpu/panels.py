"""Products with a large matrix that is read once, from where it lies, a panel of rows at a time.

    %t = dot_general(%A: f64[m, n], %x) over n       for i in range(m / r):
    %y = dot_general(%t, %A) over m            ->        P = A[i * r : (i + 1) * r]
                                                         t = P @ x; T[i * r : (i + 1) * r] = t
                                                         y += t @ P

Such products take as long as it takes to read the matrix.  A library call needs it at an aligned
address, which an argument of NumPy's seldom has: it would be copied.  And every call reads it from
memory again, where a panel that one product has read waits for the next in the cache.  What lies
between two products and is computed row by row (`sigmoid(A @ w) - y`) runs inside.

A product with a vector alone is a sum of products, which XLA fuses with the slice of the argument
(`lower.cpu.spread`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from pyxla.frozen import dataclass
from pyxla.ir.build import Builder, building, current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, substitute_region
from pyxla.ir.types import I64
from pyxla.lower.cost import nbytes
from pyxla.lower.cpu.spread import DTYPES, FUSIBLE, sum_of_products
from pyxla.lower.cpu.staging import stage_reductions
from pyxla.lower.cpu.voids import guard, never
from pyxla.ops.contract import dot_general
from pyxla.ops.control import while_
from pyxla.ops.elementwise import add, compare, multiply
from pyxla.ops.filled import integer, spread, zeros
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.shape import broadcast_in_dim, constant, reshape, transpose

PANEL = 1 << 20  # bytes: half of a core's cache or so
LARGE = 1 << 22  # bytes of a matrix that does not fit into the cache
NARROW = 64  # columns of what multiplies a matrix that is read in panels
GROUP = 32  # rows that reductions take at a time
BETWEEN = 32  # instructions between two products


@dataclass(frozen=True, eq=False, slots=True)
class Product:
    """A product of a matrix, a parameter, with `other`: the matrix is summed over dimension `axis`,
    and stands at the left or at the right."""

    instr: Instr
    axis: int
    at_left: bool
    other: Value

    @property
    def is_vector(self) -> bool:
        return self.other.type.ndim == 1

    @property
    def summed(self) -> int:
        """The dimension of `other` that is summed over."""
        side = "rhs" if self.at_left else "lhs"
        return self.instr.attrs[f"{side}_contracting_dimensions"][0]


def matrix_of(value: Value) -> tuple[Value, bool]:
    """The matrix that `value` is, perhaps transposed, and whether it is."""
    flipped = False
    while isinstance(value.owner, Instr) and value.owner.op is transpose and value.type.ndim == 2:
        flipped ^= value.owner.attrs["permutation"] == (1, 0)
        value = value.owner.operands[0]
    return value, flipped


def product_of(instr: Instr, matrix: Value) -> Product | None:
    """`instr` as a product that can read `matrix` in panels."""
    if instr.op is not dot_general or instr.attrs.get("lhs_batching_dimensions"):
        return None
    type = matrix.type
    if type.dtype not in DTYPES or type.ndim != 2 or instr.results[0].type.dtype != type.dtype:
        return None
    found = [matrix_of(x) for x in instr.operands]
    sides = [k for k, (x, _) in enumerate(found) if x is matrix]
    axes = [instr.attrs[f"{side}_contracting_dimensions"] for side in ("lhs", "rhs")]
    if len(sides) != 1 or len(axes[0]) != 1:
        return None
    side = sides[0]
    other = instr.operands[1 - side]
    axis = axes[side][0] ^ found[side][1]
    product = Product(instr, axis, side == 0, other)
    if other.type.dtype != type.dtype or other.type.ndim > 2:
        return None
    if not product.is_vector:
        width = other.type.size // type.shape[axis] if type.shape[axis] else 0
        rows = _rows_of_panel(matrix)
        if not 0 < width <= NARROW or nbytes(matrix) < LARGE or type.shape[0] < 2 * rows:
            return None
    return product


def _rows_of_panel(matrix: Value) -> int:
    rows = PANEL // max(1, nbytes(matrix) // max(1, matrix.type.shape[0]))
    return rows // GROUP * GROUP if rows >= GROUP else max(1, rows)


@dataclass(eq=False, slots=True)
class _Pass:
    """Products that one walk over the matrix computes.

    between: the code that computes `other` of some of them row by row.
    """

    products: list[Product] = field(default_factory=list)
    between: dict[Product, list[Instr]] = field(default_factory=dict)


def read_in_panels(region: Region, matrix: Value, flat: Value, begin: Value) -> None:
    """Compute the products with `matrix`, a parameter, from `flat[begin:]`, in place."""
    passes = _passes(region, matrix)
    if not passes:
        return
    done = {p.instr for run in passes.values() for p in run.products}
    mapping: Mapping = {}
    code: list[Instr] = []
    for instr in region.instrs:
        if instr in passes:
            piece: list[Instr] = []
            with building(Builder(piece, instr.loc)):
                _Walk(passes[instr], matrix, flat, begin).emit(mapping)
            code += stage_reductions(Region((), piece)).instrs
        if instr not in done:
            code.append(instr)
    region.instrs[:] = code
    substitute_region(region, mapping)


def _passes(region: Region, matrix: Value) -> dict[Instr, _Pass]:
    """The walks over a matrix, each at its first product."""
    position = {v: k for k, instr in enumerate(region.instrs) for v in instr.results}
    passes: dict[Instr, _Pass] = {}
    for instr in region.instrs:
        product = product_of(instr, matrix)
        if product is None:
            continue
        for first, run in passes.items():
            if _joins(product, run, position, position[first.results[0]]):
                break
        else:
            run = passes[instr] = _Pass()
        run.products.append(product)
    return passes


def _joins(product: Product, run: _Pass, position: dict[Value, int], start: int) -> bool:
    """Whether a walk that begins at `start` can compute a product too."""
    if position.get(product.other, -1) < start:
        return True
    rows = {p.instr.results[0] for p in run.products if p.axis == 1 and p.is_vector}
    code: dict[Instr, None] = {}
    if product.axis == 1 or not product.is_vector:
        return False
    if not _is_by_row(product.other, rows, position, start, code) or len(code) > BETWEEN:
        return False
    run.between[product] = list(code)
    return True


def _is_by_row(
    value: Value, rows: set[Value], position: dict[Value, int], start: int, code: dict[Instr, None]
) -> bool:
    """Whether `code` computes a vector row by row from `rows` and what exists before `start`."""
    if value in rows or position.get(value, -1) < start:
        return True
    instr = value.owner
    if not isinstance(instr, Instr) or len(code) > BETWEEN:
        return False
    if instr in code:
        return True
    scalar = instr.op is broadcast_in_dim and instr.operands[0].type.size == 1
    if instr.op is not constant and not scalar:
        if instr.op not in FUSIBLE or value.type.ndim != 1:
            return False
        if any(x.type.shape != value.type.shape for x in instr.operands):
            return False
    if not all(_is_by_row(x, rows, position, start, code) for x in instr.operands):
        return False
    code[instr] = None
    return True


class _Walk:
    """Emits the code of a pass: a loop over the panels, then the rows that are left."""

    def __init__(self, run: _Pass, matrix: Value, flat: Value, begin: Value) -> None:
        self.run = run
        self.shape = matrix.type.shape
        self.flat = flat
        self.begin = begin
        rows, products = _rows_of_panel(matrix), run.products
        self.alone = len(products) == 1 and products[0].is_vector
        # A walk for vectors over what stays in the cache needs no panels.
        self.whole = self.alone or nbytes(matrix) < LARGE or self.shape[0] < 2 * rows
        self.rows = self.shape[0] if self.whole else rows

    def emit(self, mapping: Mapping) -> None:
        """Append the code; what replaces the results goes to `mapping`."""
        count, left = divmod(self.shape[0], self.rows)
        results = [p.instr.results[0] for p in self.run.products]
        if self.whole:
            state = self.panel(integer(0), self.shape[0], None)
        else:
            state = self.loop(count, tuple([zeros(r.type) for r in results]))
            if left:
                state = self.panel(integer(count * self.rows), left, state)
        mapping.update(zip(results, state, strict=True))

    def loop(self, count: int, state: tuple[Value, ...]) -> tuple[Value, ...]:
        types = [I64, *[value.type for value in state]]

        def test(i: Value, *_: Value) -> Value:
            return compare(i, integer(count), direction="LT")

        def body(i: Value, *state: Value) -> tuple[Value, ...]:
            made = self.panel(multiply(i, integer(self.rows)), self.rows, state)
            return (add(i, integer(1)), *made)

        region = current().region
        regions = (region(types, test), region(types, body))
        return while_(integer(0), *state, regions=regions)[1:]

    def panel(self, start: Value, rows: int, state: Sequence[Value] | None) -> tuple[Value, ...]:
        """What the products are after `rows` rows from `start` on."""
        columns = self.shape[1]
        place = add(self.begin, multiply(start, integer(columns)))
        panel = dynamic_slice(self.flat, place, slice_sizes=(rows * columns,))
        panel = reshape(panel, shape=(rows, columns))
        here: dict[Value, Value] = {}
        made: dict[Product, Value] = {}
        states = dict(zip(self.run.products, state or (None,) * len(self.run.products)))
        # A sum over the columns goes through the memory in order; what sums over the rows waits.
        by_row, by_column = [[p for p in states if p.axis == axis] for axis in (1, 0)]
        for product in by_row:
            part = here[product.instr.results[0]] = _product(product, panel, product.other)
            made[product] = _placed(states[product], part, start, 0 if product.at_left else -1)
        for product in by_column:
            other = self.part(product, start, rows, here)
            if by_row and product not in self.run.between:
                other = guard(other, [never(here[by_row[-1].instr.results[0]])])
            part = _product(product, panel, other)
            total = states[product]
            made[product] = part if total is None else add(total, part)
        return tuple([made[product] for product in self.run.products])

    def part(self, product: Product, start: Value, rows: int, here: dict[Value, Value]) -> Value:
        """The rows of `product.other` that belong to a panel; here: of other values."""
        for instr in self.run.between.get(product, ()):
            result = instr.results[0]
            if result in here:
                continue
            if instr.op is constant:
                made = constant(**instr.attrs)
                here[result] = made if not result.type.shape else _rows(made, 0, start, rows)
            elif instr.op is broadcast_in_dim:
                scalar = here.get(instr.operands[0], instr.operands[0])
                scalar = reshape(scalar, shape=())
                here[result] = spread(scalar, (rows,))
            else:
                operands = [here.get(x) or _rows(x, 0, start, rows) for x in instr.operands]
                here[result] = instr.op(*operands, **instr.attrs)
        return here.get(product.other) or _rows(product.other, product.summed, start, rows)


def _placed(whole: Value | None, part: Value, start: Value, axis: int) -> Value:
    """`whole` with a part from `start` on along an axis; without a whole, the part is all."""
    if whole is None:
        return part
    starts = [integer(0)] * part.type.ndim
    starts[axis] = start
    return dynamic_update_slice(whole, part, *starts)


def _rows(x: Value, axis: int, start: Value, count: int) -> Value:
    """`count` rows along `axis`."""
    sizes = [count if d == axis else n for d, n in enumerate(x.type.shape)]
    starts = [start if d == axis else integer(0) for d in range(x.type.ndim)]
    return dynamic_slice(x, *starts, slice_sizes=tuple(sizes))


def _product(product: Product, panel: Value, other: Value) -> Value:
    if product.is_vector:
        return sum_of_products(panel, other, product.axis)
    mine, theirs = ("lhs", "rhs") if product.at_left else ("rhs", "lhs")
    axes = {
        f"{mine}_contracting_dimensions": (product.axis,),
        f"{theirs}_contracting_dimensions": (product.summed,),
    }
    operands = (panel, other) if product.at_left else (other, panel)
    return dot_general(*operands, **{**product.instr.attrs, **axes})
