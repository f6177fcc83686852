"""Lists that grow by what the program finds out."""

import numpy as np

from tests.programs import program

X = lambda: (np.random.default_rng(0).random(40),)
G = lambda: (np.random.default_rng(1).random((12, 12)) < 0.2, 0)


@program("lists", lambda: (30,), lambda: (3000,))
def doubled(n):
    s = []
    for i in range(n):
        s.append(i * 2)
    return s


@program("lists", X)
def filtered(x):
    return [v for v in x if v > 0.5], len([v for v in x if v < 0.5])


@program("lists", X)
def filtered_array(x):
    a = []
    for v in x:
        if v > 0.5:
            a.append(v)
    return np.array(a), sum(a), max(a), len(a)


@program("lists", lambda: (60,))
def primes(n):
    primes = []
    for k in range(2, n):
        if all(k % p for p in primes):
            primes.append(k)
    return primes


@program("lists", lambda: (27,))
def collatz(n):
    seq = [n]
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        seq.append(n)
    return seq


@program("lists", lambda: (X()[0][:4], 1e-3))
def descent(x0, tol):
    x = x0.copy()
    hist = [x.copy()]
    for it in range(200):
        g = 2 * x + np.sin(x)
        x = x - 0.1 * g
        hist.append(x)
        if np.linalg.norm(g) < tol:
            break
    return np.array(hist), it, hist[-1], hist[0]


@program("lists", lambda: (40, 0.1))
def tuples(n, dt):
    tr = [(0, 1.0)]
    t = 0.0
    for i in range(n):
        t += dt
        tr.append((i, t))
    return tr, tr[-1][1], tr[n // 2]


@program("lists", lambda: (50,))
def stack(n):
    stack = [n]
    total = 0
    while stack:
        v = stack.pop()
        total += v
        if v > 1:
            stack.append(v // 2)
            stack.append(v // 3)
    return total


@program("lists", X)
def pairs(x):
    out = []
    for i in range(len(x)):
        for j in range(i):
            if x[i] > x[j]:
                out.append((i, j))
    return out, len(out)


@program("lists", lambda: (20,))
def appended_twice(n):
    a = []
    for i in range(n):
        a.append(i)
    for i in range(n):
        a.append(-i)
    a.append(100)
    return a, a[3], a[-1], a[2:5]


@program("lists", G)
def breadth_first(g, s):
    q = [s]
    seen = np.zeros(len(g), bool)
    seen[s] = True
    order = []
    while q:
        u = q.pop(0)
        order.append(u)
        for v in range(len(g)):
            if g[u, v] and not seen[v]:
                seen[v] = True
                q.append(v)
    return order


@program("lists", lambda: (1.0,), lambda: (30.0,))
def adaptive(t1):
    ts, ys = [0.0], [1.0]
    while ts[-1] < t1:
        h = min(0.01, t1 - ts[-1])
        ys.append(ys[-1] * (1 - h))
        ts.append(ts[-1] + h)
    return np.array(ts), np.array(ys)


@program("lists", lambda: (X()[0][:20],))
def nested(x):
    out = []
    for i in range(len(x)):
        for j in range(len(x)):
            if i != j:
                out.append(x[i] * x[j])
                out.append(x[i] + x[j])
    return np.array(out)


@program("lists", lambda: (*X(), 3))
def first_few(x, k):
    acc = []
    for v in x:
        if v > 0.5:
            acc.append(v)
        if len(acc) == k:
            break
    return acc


@program("lists", X)
def in_a_dict(x):
    res = {"t": [], "v": []}
    for i, v in enumerate(x):
        res["t"].append(i)
        res["v"].append(float(v))
    return res


class Rec:
    def __init__(self):
        self.log = []

    def add(self, v):
        self.log.append(v)


@program("lists", X)
def in_an_object(x):
    r = Rec()
    for v in x:
        r.add(v)
    return np.mean(r.log), r.log[-3:], len(r.log)


@program("lists", lambda: ([1.0], *X()))
def argument(log, x):
    for v in x:
        if v > 0.5:
            log.append(float(v))


@program("lists", lambda: (30,))
def arrays(n):
    pts = []
    a = np.zeros(2)
    for i in range(n):
        a = a + np.array([1.0, i])
        pts.append(a)
    return np.array(pts), np.vstack(pts), np.stack(pts, axis=1)


@program("lists", X)
def smallest(x):
    best = []
    for v in x:
        best.append(v)
        best.sort()
        if len(best) > 3:
            best.pop()
    return best


@program("lists", lambda: (np.array([1, 2, -2, -1]),), lambda: (np.array([1, 2, -1, -1]),))
def brackets(s):
    st = []
    ok = True
    for c in s:
        if c > 0:
            st.append(c)
        elif not st:
            ok = False
            break
        elif st.pop() != -c:
            ok = False
            break
    return ok and not st


@program("lists", lambda: (25,))
def rows(n):
    rows = []
    for i in range(n):
        rows.append([i, i * i])
    return rows, np.array(rows)


@program("lists", lambda: (40,))
def fibonacci(n):
    f = [1, 1]
    for i in range(n):
        f.append(f[-1] + f[-2])
    return f


@program("lists", X)
def reduced(x):
    return (
        sorted([v for v in x if v > 0.3])[:3],
        min([v for v in x if v > 0.3]),
        any([v > 0.99 for v in x]),
    )


@program("lists", X)
def quicksort(x):
    q = [(0, len(x) - 1)]
    a = x.copy()
    while q:
        lo, hi = q.pop()
        if lo >= hi:
            continue
        p = a[hi]
        i = lo
        for j in range(lo, hi):
            if a[j] < p:
                a[i], a[j] = a[j], a[i]
                i += 1
        a[i], a[hi] = a[hi], a[i]
        q.append((lo, i - 1))
        q.append((i + 1, hi))
    return a


def _roots(a, b, c):
    inner = b * b - 4 * a * c
    if inner < 0:
        return []
    if inner == 0:
        return [-b / (2 * a)]
    return [(-b - inner**0.5) / (2 * a), (-b + inner**0.5) / (2 * a)]


@program(
    "results of different lengths",
    lambda: (1.0, 2.0, 1.0, [2, 7, 11, 15], 9),
    lambda: (1.0, 5.0, 1.0, [2, 7, 11, 15], 26),
    lambda: (1.0, 1.0, 1.0, [2, 7, 11, 15], 8),
)
def results_of_different_lengths(a, b, c, numbers, target):
    def pair():
        i, j = 0, len(numbers) - 1
        while i < j:
            if numbers[i] + numbers[j] == target:
                return [i, j]
            if numbers[i] + numbers[j] < target:
                i = i + 1
            else:
                j = j - 1
        return []

    found = _roots(a, b, c)
    return len(found), sum(found), found, pair()


@program("insert where the length is not known", lambda: (1.0, np.True_), lambda: (1.0, np.False_))
def insert_where_the_length_is_not_known(x, flag):
    items = [x]
    if flag:
        items.append(x)
    items.insert(0, x + 1)
    return items


@program("row that grows", lambda: (np.array([1.0, 1.0, 0.0]),))
def row_that_grows(x):
    rows = [[0] * 18 for _ in range(17)]
    i = 0
    while x[i] > 0:
        rows[i][i] = 1
        i += 1
    rows[1].append(2)
    return rows[0], rows[1]


def _fill(into, n):
    for i in range(n):
        into.append(i)


@program("room for each visit of a loop", lambda: (1.0,), lambda: (-1.0,))
def room_for_each_visit(x):
    twice = [] if x > 0 else [0]
    _fill(twice, 30)
    _fill(twice, 70)
    unrolled = twice[:2]
    for n in (30, 100, 3):
        for i in range(n):
            unrolled.append(i)
    return twice, unrolled


@program("shorter after too long", lambda: (np.array([1200, 1100]),))
def shorter_after_too_long(x):
    popped, cut = [], []
    total = 0
    for i in range(int(x[0])):
        popped.append(i)
        cut.append(i)
        if i >= int(x[1]) - 5:
            total += popped.pop() + popped.pop()
            del cut[2], cut[-1]
    return total, popped, cut


@program("longer before it is shorter", lambda: (np.arange(50),), lambda: (np.arange(17),))
def two_on_and_one_off(x):
    last, first, kept = [], [], [0]
    total = 0
    for v in x:
        last.append(v)
        last.append(-v)
        last.pop()
        first.append(v)
        first.append(v + 1)
        total += first[-1] * len(first)
        first.pop(0)
        top = kept.pop()
        kept.extend([top + 1, v, 7])
        total += sum(kept)
        del kept[-1]
    return last, first, kept, total


@program("longer before it is shorter", lambda: (np.arange(40),), lambda: (np.arange(21) % 4,))
def longer_in_loops_inside(x):
    rows, swapped, other = [], [], []
    total = 0
    for v in x:
        for k in range(3):
            rows.append(v * k)
        for k in range(2):
            if v % 3:
                total += rows.pop()
        swapped, other = other, swapped
        swapped.append(v)
        swapped.append(v)
        swapped.pop(0)
    return rows, swapped, other, total


@program("lists that change places", lambda: (np.arange(25) * 7 % 11,), lambda: (np.ones(3, int),))
def swapped_and_longer(x):
    a, b, total = [], [], 0
    for i in range(40):
        if total % 2:
            b, a = a, b
        b.append(i)
        b.append(i * int(x[i % len(x)]))
        b.append(i * 2)
        total -= b.pop()
        total += len(b) + sum(b[-2:])
    return a, b, total


@program(
    "lists that change places", lambda: (np.arange(25) * 7 % 11, 20), lambda: (np.ones(25, int), 9)
)
def swapped_in_loops_inside(x, n):
    a, b, total, i = [], [], 0, 0
    while i < n:
        for j in range(2):
            for _ in range(i % 4):
                if x[i] > 3:
                    a[:] = a[1:]
                if a and len(b) > 2:
                    total += a[0] * len(a)
            a.append(len(b))
            a.append(total % 7)
        a.extend([i, i * 2])
        a, b = b, a
        for j in range(i % 4):
            if a:
                b.append(a.pop())
            b, a = a, b
        i += 1
    return a, b, total


@program(
    "parts that are replaced", lambda: (np.arange(25) * 7 % 11, 20), lambda: (np.ones(25, int), 9)
)
def parts_in_loops_inside(x, n):
    a, b, total = [v for v in x.tolist() if v > 2], [2, 3], 0
    for i in range(n):
        for _ in range(i % 3):
            a[:] = a[1:]
            if b:
                total += b[-1]
        for j in range(i % 4):
            b.append(len(a))
            a[1:2] = [int(x[i]), j]
            b[:0] = b[-1:]
            del b[3:]
        a.extend(b)
        b += [i]
        if len(a) > 9:
            del a[2:8]
    return a, b, total


@program("lists that change places", lambda: (18,), lambda: (40,))
def as_long_as_another(n):
    a, b, c = [], [1, 2], [5]
    for i in range(18):
        a.append(i)
        a.append(a[0] + 1)
        b.append(a.pop())
    for i in range(n):
        c.append(i)
    both = a + b
    for k in range(25):
        both.append(k)
        c.append(both[-2])
    return both, b + a, a + b + c, len(a), len(b)


@program("other shapes", lambda: (np.arange(16.0), 3), lambda: (np.arange(8.0), 1))
def wavelet_levels(x, levels):
    details = []
    for _ in range(levels):
        details.append((x[::2] - x[1::2]) / 2)
        x = (x[::2] + x[1::2]) / 2
    details.append(x)
    y = details[-1]
    for d in reversed(details[:-1]):
        longer = np.empty(2 * len(d))
        longer[::2], longer[1::2] = y + d, y - d
        y = longer
    return details, y


@program("other shapes", lambda: (np.ones(3), 2, 4), lambda: (np.ones(2), 0, 3))
def layers_of_other_widths(x, depth, width):
    layers = []
    size = len(x)
    for k in range(depth):
        for _ in range(2):
            layers.append((np.full((width + k, size), 0.5), np.zeros(width + k)))
            size = width + k
    for w, b in layers:
        x = np.maximum(w @ x + b, 0)
    return x, [w.shape for w, _ in layers]


@program("emptied", lambda: ([3, 8, 17, 9, 1, 10],), lambda: ([5, 2, 7],), lambda: ([],))
def pairs_from_both_ends(stack):
    """A loop over the length at first, which always ends before."""
    kept = []
    for _ in range(len(stack)):
        kept.append(stack.pop())
    for _ in range(len(kept)):
        if len(kept) == 0:
            break
        first = kept.pop()
        if len(kept) == 0:
            stack.append(first)
            break
        second = kept.pop()
        stack.append(second)
        stack.append(first)
    return stack


@program("parts in steps", lambda: (9, 2), lambda: (12, 1), lambda: (1, 3))
def written_in_steps(n, s):
    x = [i for i in range(n)]
    names = [str(i) for i in range(n)]
    rows = [[i] for i in range(n)]
    x[n:1:-s] = x[n:1:-s]
    x[::-1] = x
    x[1::s] = (v * v for v in x[1::s])
    names[1::s] = ["x"] * len(names[1::s])
    rows[::s] = [[i, i] for i in range(len(rows[::s]))]
    return x, names, rows


POSITIVE = lambda n, dtype: ((np.arange(4000) < n).astype(dtype) * 3,)


@program("lists", *[lambda n=n: POSITIVE(n, np.int64) for n in (0, 1, 7, 1500)])
def as_long_as_its_own_length(x):
    queue, i = [3], 0
    while i < len(queue):
        if x[i] > 0:
            queue.append(x[i] + i)
        i += 1
    return queue, len(queue)


@program("lists", *[lambda n=n: (POSITIVE(40, np.uint8)[0], np.array([n])) for n in (0, 1, 9)])
def as_long_as_either(x, n):
    seen, i = [0.5, 1.5], 0
    while i < len(seen) and i < n[0]:
        seen.append(float(x[i]))
        i += 1
    return seen


@program("lists", lambda: ([5, 9, 8, 7, 1, 2, 7],), lambda: ([3, 1],), lambda: ([],))
def slices_that_get_as_many_items_as_data_says(items):
    large = [v for v in items if v > 4]
    copies = [list(items) for _ in range(6)]
    copies[0][0:2] = large
    copies[1][1:1] = (v for v in items if v > 4)
    copies[2][-1:] = filter(lambda v: v < 5, items)
    copies[3][:] = large + items + large
    copies[4][2:] = reversed(large)
    copies[5][::-1] = items
    made: list[float] = []
    made[:] = large
    mixed = [1.5, 2]
    mixed[1:] = large
    try:
        copies[5][::2] = large
    except ValueError as e:
        made.append(len(str(e)))
    return copies, made, mixed, items


def merged_in_place(items, low, mid, high):
    result, left, right = [], items[low:mid], items[mid : high + 1]
    while left and right:
        result.append((left if left[0] <= right[0] else right).pop(0))
    items[low : high + 1] = result + left + right
    return items


@program("lists", lambda: ([5, 9, 8, 7, 1, 2, 7],), lambda: ([3, 1],), lambda: ([],))
def sorted_by_merging_from_below(given):
    items, width = list(given), 2
    while width <= len(items):
        for low in range(0, len(items), width):
            high = low + width - 1
            items = merged_in_place(items, low, (low + high + 1) // 2, high)
        if width * 2 >= len(items):
            items = merged_in_place(items, 0, low, len(items) - 1)
            break
        width *= 2
    return items


@program("lists checks", lambda: (1,))
def filled_over_the_capacity(step):
    """The list is longer than it may be at first, whatever the data."""
    primes, n = [2], 3
    while len(primes) < 1100:
        for q in primes:
            if q * q > n:
                primes.append(n)
                break
            if n % q == 0:
                break
        n += 2 * step
    return primes[-1]


@program("lists checks", lambda: (3,))
def text_over_the_capacity(n):
    text = str(n)
    while len(text) < 3000:
        text += str(n)
    return text


@program("lists checks", lambda: (1200,))
def filled_as_asked(count):
    """The number of items is asked for, as there is a dict whose keys might be known."""
    found, seen = [2, 3], dict.fromkeys([2, 3], 1)

    def is_new(n):
        for q in found:
            if q * q > n:
                break
            if not n % q:
                return 0
        seen[n] = 1
        return 1

    last = found[-1]
    while len(found) <= count:
        last = last + 1
        if is_new(last):
            found.append(last)
    return found[count], len(seen)


@program("lists", lambda: (3, 4, 5), lambda: (40, 30, 2))
def lists_in_lists_in_lists(m, n, o):
    made = [[["*" for _ in range(m)] for _ in range(n)] for _ in range(o)]
    best = [[[0 for _ in range(m)] for _ in range(n)] for _ in range(o)]
    for i in range(o):
        for j in range(n):
            for k in range(1, m):
                best[i][j][k] = max(best[i - 1][j][k], best[i][j - 1][k]) + (i * j * k) % 3
    return made, best


@program("lists", lambda: ([3, 1, 2, 3, 9, 1],), lambda: ([5, 5],))
def of_none_alone(items):
    """Lists of None, and dicts of it, are of any length; later they have something else."""
    squares = [x * x for x in items if x > 1]
    seen = {}
    for y in squares:
        seen[y] = None
    text = "".join([str(x * 1001) for x in items])
    marks, pairs = [None for x in items if x > 1], [(x, None) for x in items if x > 1]
    marks.pop()
    more = marks + [None, None]
    more.extend(marks)
    shown = str(more), more.count(None), None in more, 3 in more, pairs[-1][1], more * 2
    marks.append(2.5)
    slots = [None for x in items if x < 9]
    for k in range(len(slots)):
        if slots[k] is None and k % 2:
            slots[k] = k
    return list(seen), seen, list(dict.fromkeys(text)), shown, marks, slots
