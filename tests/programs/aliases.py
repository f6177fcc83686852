"""Names that are one of several arrays, or views of them, and are written to."""

from dataclasses import dataclass

import numpy as np

from tests.programs import program


def counts(*ns):
    """An array and a number."""
    return [lambda n=n: (np.arange(5.0), n) for n in ns]


def matrices(*ns):
    return [lambda n=n: (np.arange(12.0).reshape(4, 3), n) for n in ns]


def pairs(*ns):
    return [lambda n=n: (np.arange(4.0), np.ones(4), n) for n in ns]


@program("rebinding loop", *counts(0, 2))
def rebound_in_a_loop(x, n):
    for _ in range(n):
        x = x.copy()
    x[1] += n
    return x


@program("branch mask fancy-index", *counts(0, 1))
def perhaps_a_selection(x, c):
    y = x
    if c:
        y = x[np.array([0, 2, 4, 1, 3])]
    y[0] = 9
    return y


@program("branch mask", *counts(0, 1))
def perhaps_a_masked_copy(a, c):
    y = a
    if c > 0:
        y = a[a > 2]
    y[0] = 50
    return y.sum(), len(y)


@program("branch view", *matrices(0, 1))
def one_of_two_rows(a, c):
    y = a[0]
    if c > 0:
        y = a[1]
    y[1] = 5
    return y


@program("loop view", *matrices(0, 3))
def row_then_copies(a, n):
    p = a[0]
    for _ in range(n):
        p = p * 2
        a[0, 0] += 1
        p[1] += 1
    p[0] = 7
    return p


@program("loop view dynamic-index", *matrices(0, 6))
def row_of_the_last_turn(a, n):
    r = a[0]
    for i in range(n):
        r = a[i % 3]
        r[0] += i
    r[1] = -1
    return r


@program("loop view dynamic-index", *matrices(1, 6))
def row_of_the_branch(a, n):
    r = a[-1]
    if n > 3:
        k = n % 3
        r = a[k + 1]
    r += 1
    return r, a.sum()


@program("branch in loop", *pairs(0, 1, 2, 3))
def another_or_new(a, b, n):
    for i in range(n):
        if i % 2:
            a = b
        else:
            a = a + 1
        a[0] += 1
    a[1] = 3
    return a


@program("while copy-on-write", *counts(0, 2, 8))
def copied_when_large(a, n):
    x = a
    while x[0] < n:
        x = x.copy() if x[1] > 3 else x
        x[0] += 1
        x[1] += 1
    return x


@program("nested branch views", *counts(0, 1, 2))
def nested_choices(a, c):
    if c > 0:
        y = np.zeros(3)
        if c > 1:
            y = a[1:4]
    else:
        y = a[:3]
    y += 1
    z = y[1:]
    z[0] = 5
    return y, z


@program("loop reversed view", *counts(0, 1, 2, 3))
def turned_around(a, n):
    x = a
    for i in range(n):
        x = x[::-1]
        x[0] += i
    return x


@program("overlapping views", *counts(0, 1))
def overlapping_choices(a, c):
    y = a[:3] if c else a[2:]
    y *= 10
    y[2] -= 1
    return y


@program("identity", *pairs(0, 1))
def which_is_it(a, b, c):
    y = a if c else b
    y[0] = 4
    return (y is a), (y is not b), (y is None)


@program("identity loop", *pairs(0, 1, 2))
def which_is_it_after_a_loop(a, b, n):
    x, y = a, b
    for _ in range(n):
        x, y = y, x
        x[1] += 2
    x[0] = 8
    return x is a


def _chosen(a, b, c):
    if c:
        return a
    return b[::-1]


@program("call returns", *pairs(0, 1))
def returned_choice(a, b, c):
    y = _chosen(a, b, c)
    y[0] = -3
    y[1:] += 1
    return y


@program("choice of choices", *pairs(0, 1, 2, 3))
def choices_of_choices(a, b, n):
    y = a if n % 2 else b
    z = y if n > 1 else np.zeros(4)
    z[0] = 6
    y[1] = 7
    return y + z


@program("fields", *pairs(0, 2))
def buffers_in_a_list(a, b, n):
    buffers = [a, b]
    for i in range(n):
        buffers[0] = buffers[0] * 2 if i else buffers[1]
        buffers[0][1] = i
    buffers[0][0] = 9
    return buffers[0]


@program("two names loop", *pairs(0, 1, 3))
def followed(a, b, n):
    last = b
    for _ in range(n):
        last = a
        a = a + 1
        last[0] += 1
        a[1] = 0
    last[2] = 5
    return a, last


@program("zero-dimensional", lambda: (np.array(1.5), 0), lambda: (np.array(1.5), 1))
def cell_or_copy(z, c):
    y = z if c else z.copy()
    y[()] = 2
    y += 1
    return y


@program("jax-free integers", lambda: (np.arange(3), 0), lambda: (np.arange(3), 1))
def whole_numbers(k, c):
    y = k
    if c:
        y = k[::-1]
    y //= 2
    return y, k[0]


# --- Arguments that share memory -----------------------------------------------------------------


def shifted():
    x = np.arange(8.0)
    return x[:-2], x[2:]


def rows_and_columns():
    a = np.arange(24.0).reshape(4, 6)
    return a[1:-1, :], a[:, 1:-1]


def reversed_parts():
    a = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    return a[:, ::-1, 1], a.transpose(2, 0, 1)[1:, ::-1]


def three():
    x = np.arange(9.0)
    return x[::2], x[1:6], x[::-3]


@program("overlapping arguments", shifted)
def write_into_overlap(x, y):
    x[1:] = 7
    y[0] += 1
    x *= y
    return x.sum(), y[::2]


@program("overlapping arguments 2-d", rows_and_columns, reversed_parts)
def write_into_blocks(a, b):
    a[0] = -1
    b[-1, 0] = 5
    a += 1
    return a, b.sum(), a is b


@program("overlapping arguments loop", rows_and_columns)
def loop_over_blocks(a, b):
    for i in range(b.shape[0]):
        b[i] += a[:, 1].sum()
        a[i % 2, i] = i
    return b[:, 0]


@program("overlapping arguments three", three)
def write_into_three(x, y, z):
    z[0] = 100
    y -= x[:5]
    x[-1] = 2
    return x + y, z


@program("overlapping arguments raise", shifted)
def raises_after_writing(x, y):
    y[:2] = 4
    if x.sum() > 3:
        raise ValueError("sum", x[2])
    return x


@program("overlapping containers", lambda: ([np.arange(4.0)], 1))
def overlapping_views_inside(xs, n):
    x = xs[0]
    head, tail = x[:3], x[1:]
    for _ in range(n):
        head, tail = tail, head
        head[0] += 1
    tail[2] = 5
    return head


@program(
    "ping-pong merged",
    *[lambda c=c, n=n: (np.arange(3.0), c, n) for c in (0, 1) for n in (0, 2, 3)],
)
def swapped_after_a_branch(x, c, n):
    kept = [x]
    if c:
        x = x + 1
    old, new = x, np.zeros_like(x)
    for _ in range(n):
        new[:] = old[::-1] * 0.5
        old, new = new, old
    return kept, old, new


@program("views while", lambda: (np.arange(9.0).reshape(3, 3) / 9, 1e-3))
def transposed_by_a_loop(x, tol):
    a, k = x.copy(), 0
    while np.abs(a).max() > tol:
        a = (a @ x.T * 0.1).T
        k += 1
    return a, k, a.ravel(), a.reshape(-1)


@program("views loops", lambda: (np.arange(9.0).reshape(3, 3), 4))
def reversed_by_a_loop(x, n):
    a = x.copy()[::-1]
    for i in range(n):
        a = (a + 1)[::-1]
        a[0] = 5
    return a


@program("views loops", lambda: (np.arange(9.0).reshape(3, 3), 5))
def columns_of_one_array(x, n):
    base = x * 2
    a = base[:, 0]
    for i in range(n):
        a = base[:, i % 3]
        a += 1
    return base, a


@program("rebinding branch nested", *counts(0, 3, 6))
def rebound_in_a_branch_of_a_branch(x, n):
    if n > 2:
        if n > 4:
            x = np.sort(x)[::-1].copy()
            x[0] = 5
    x[3], x[4] = x[4], x[3]
    return x


@program("rebinding branch nested view", *matrices(0, 3, 6))
def other_rows_in_a_branch_of_a_branch(a, n):
    row = a[0]
    if n > 2:
        if n > 4:
            row = a[n - 5]
        elif a[0, 0] < 0:
            row = row * 2
    row[1] += 9
    return a, row


# --- How results lie in memory -------------------------------------------------------------------


@program("order read", *matrices(0))
def flat_of_transposed(x, n):
    y = x.T * 2
    return y.reshape(-1), y.ravel(), np.sqrt(x.T).reshape(2, -1), (x.T @ x).ravel()


@program("order copy", *matrices(0))
def copies_are_in_c_order(x, n):
    y = x.T.copy()
    z = y.ravel()
    z[0] = 99
    w = (x.T @ x).reshape(-1)
    w[1] = 5
    return y, z, w


@program("order write", *matrices(0))
def written_through_a_flat_result(x, n):
    y = x.T + 1
    z = y.reshape(12)
    z[0] = 99
    return y


@program("order write", *matrices(0))
def written_through_a_fortran_copy(x, n):
    y = np.array(x, order="F")
    z = y.reshape(12, order="F")
    z[1] = 99
    return y


@program("aliases", lambda: (np.array([0.3, 0.6, 0.2]), 2), lambda: (np.array([-0.3, 0.6]), 1))
def view_or_raise(x, k):
    """Where the view ends is known on one path only."""
    if x[0] < 0:
        raise ValueError(k)
    j = k
    while x[j] > 0.5:
        j -= 1
    return x[: j + 1]


@program("aliases", lambda: (np.array([0.3, 0.6, 0.2]), 2), lambda: (np.array([-0.3, 0.6]), 1))
def view_or_none(x, k):
    part = None
    if x[0] > 0:
        part = x[: k * k - 2]
    if part is not None:
        part += 1
    return part


def overlapping():
    x = np.array([0.5, -1.25, 2.0, 3.5, -0.75])
    return x, x[1:], np.arange(3.0), -0.25, 4


@program("loop", overlapping)
def value_that_overlapping_arrays_need(x, part, y, s, n):
    if n > 2:
        part = part + 1
    part[-2] += 3
    if y[0] > 1:
        x = np.roll(x, 1)
        x[n % 5] = 3
    for _ in x:
        if n > 1:
            r = abs(s) + 1.5
            while r > 0.83:
                r *= 0.5
                y += r
        y[0] = n
    return x, y, s, part


@program("branch rebinding", *counts(0, 1, 2))
def rebound_on_two_of_three_paths(x, n):
    if n == 1:
        x = x + 1
    elif n == 0:
        x = x * 2
    x[1] = 7
    return x


@program("branch rebinding loop", *counts(0, 1, 2, 3))
def rebound_in_branches_of_branches(x, n):
    if x[n] <= 1:
        x = x + 1
    else:
        if n == 3:
            x = np.sort(x)
        x[0] += 2
    for i in range(n):
        if i > 0:
            x[1:] = x[:-1]
    return x


@program("loop branch rebinding closure swap", *counts(0, 1, 2))
def shared_with_a_function_within(x, n):
    """What the loop may bind `first` to is held by the function alone, as one of two arrays."""
    first, second, third = x.copy(), x * 2, x * 3
    for _ in range(3):
        second, third = third, second
    for i in range(n):
        if x[1] > i:
            first = third
        first[0] += 1

    def halve():
        third[:] *= 0.5

    halve()
    return first, second, third


@dataclass
class Pair:
    front: np.ndarray
    back: np.ndarray


@program("loop branch rebinding dataclass swap", *counts(0, 1, 2))
def shared_with_a_field(x, n):
    first, pair = x.copy(), Pair(x * 2, x * 3)
    for _ in range(3):
        pair.front, pair.back = pair.back, pair.front
    for i in range(n):
        if x[1] > i:
            first = pair.back
        first[0] += 1
    pair.back[:] *= 0.5
    return first, pair.front, pair.back


@program("loop branch rebinding list swap", *counts(0, 1, 2))
def shared_with_an_item(x, n):
    first, both = x.copy(), [x * 2, x * 3]
    for _ in range(3):
        both[0], both[1] = both[1], both[0]
    for i in range(n):
        if x[1] > i:
            first = both[1]
        first[0] += 1
    both[1][:] *= 0.5
    return first, both[0], both[1]


@program("views loops", lambda: (np.array([0.5, -1.0, 3.0, 0.25]),))
def view_of_an_array_that_an_inner_loop_lets_go(x):
    a = x + 1
    b, part, total = a, a[1:], 0.0
    for v in part:
        b = np.sort(b)
        for i in range(b.size % 3):
            total += v * i
    return total


@program("views loops", lambda: (np.array([0.5, -1.0, 3.0, 0.25]),))
def views_that_loops_around_read(x):
    a = x + 1
    b, part, total = a, a[1:], 0.0
    for v in part:
        for w in part[::-1]:
            b = b * 2
            for i in range(2):
                total += v * w - i
        total += part[0]
    return total, b


@program("views extents", lambda: (np.arange(12.0).reshape(3, 4), np.array([2])))
def flat_views_of_rows_that_data_counts(x, n):
    k = int(n[0]) % 4
    flat = x[:k].reshape(-1)
    flat[0] = 7
    pairs = x[:k].reshape(-1, 2)
    pairs[0, 1] = 8
    last = x[k:].ravel()
    last[-1] = 9
    return x, flat, pairs, last


@program("copies", lambda: (np.arange(3.0),))
def copies_when_needed(x):
    same = np.array(x, copy=np._CopyMode.IF_NEEDED)
    other = np.array(x, copy=np._CopyMode.ALWAYS)
    never = np.asarray(x, copy=False)
    same[0], other[1], never[2] = 7, 8, 9
    return same, other, never, np.array(x, dtype=int, copy=None)


@program("indices", lambda: (np.eye(3),))
def one_array_twice(x):
    rows, columns = np.diag_indices_from(x)
    rows[0] = 2
    x[rows, columns] = 5
    return x, columns


@program("extents loop", lambda: (np.array([1.5, 0.25, 2.0, 1.25]),))
def another_name_is_written_while_one_grows(x):
    chosen = x[x > 1]
    first, total = chosen, x[1]
    for i in range(len(x)):
        chosen = np.append(chosen, total * i)
        first[0] += 1
    return chosen, first


@program("loops", lambda: (np.array([1, 2, 0]),), lambda: (np.array([2, 1]),))
def best_and_last_are_two_arrays(x):
    best = last = first = None
    for i, v in enumerate(x):
        row = np.array([v, i])
        if best is None or v > best[0]:
            best = row
        if i == 0:
            first = row
        last = row
    return best, last, first is last


class Joint:
    def __init__(self, value):
        self.value = value
        self.after = None


@program("loops instances", lambda: (np.array([1, 2, 0]),), lambda: (np.array([4]),))
def chain_of_head_and_tail(x):
    head = tail = None
    for v in x:
        pair = Joint(v)
        if tail is None:
            head = pair
        else:
            tail.after = pair
        tail = pair
    values = []
    while head is not None:
        values.append(head.value)
        head = head.after
    return values


@program("identity", lambda: (np.arange(6.0).reshape(2, 3),))
def what_is_given_back(x):
    """NumPy's conversions return the array itself where there is nothing to convert."""
    y = np.asarray(x)
    y[0, 0] = 7.0
    whole = [np.ascontiguousarray(x), np.asarray_chkfinite(y), np.atleast_2d(x), np.real(x)]
    whole += [np.array(x, copy=False), x.astype(float, copy=False), x.conj()]
    copies = [np.array(x), x.astype(float), np.asarray(x, dtype="f4"), x.copy()]
    rows = x[1]
    return [v is x for v in whole], [v is x for v in copies], np.asarray(rows) is rows, y is x


@program("views", lambda: (np.arange(6.0).reshape(3, 2),), lambda: (np.ones((0, 2)),))
def last_row_that_was_read(rows):
    """What the name holds before the loop is no view, and the rows are read on in it."""
    row, total = np.zeros(2), np.zeros((2, 1))
    for one in rows:
        row = one
        column = np.atleast_2d(row).T
        total = 0.5 * (total + column)
    return row, total
