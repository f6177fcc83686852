"""Lists of numbers indexed at run time: tables of dynamic programming, counters, queues."""

from __future__ import annotations

import numpy as np

from tests.programs import program

LONG = list(range(0, 90, 3))


def letters(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 3, n)


@program("list", lambda: (np.array([1, 2, 3, 3, 9]),), lambda: (np.zeros(4, np.uint8),))
def histogram(xs):
    counts = [0] * 10
    for x in xs:
        counts[x] += 1
    return counts


@program("list", lambda: (12,), lambda: (70,))
def fibonacci_table(n):
    table = [0] * (n + 1)
    table[1] = 1
    for i in range(2, n + 1):
        table[i] = (table[i - 1] + table[i - 2]) % 1_000_007
    return table, table[n], sum(table), max(table), table[-3:], 13 in table, -1 in table


@program("list", lambda: ([3, 4, 5], [30, 50, 60], 8), lambda: ([3, 4, 5], [30, 50, 60], 60))
def knapsack(weights, values, capacity):
    best = [0] * (capacity + 1)
    for i in range(len(weights)):
        for c in range(capacity, weights[i] - 1, -1):
            best[c] = max(best[c], best[c - weights[i]] + values[i])
    return best[capacity]


@program("list numpy", lambda: (np.array([3, 4]), np.array([30, 50]), 40))
def knapsack_of_arrays(weights, values, capacity):
    best = [0] * (capacity + 1)
    for i in range(len(weights)):
        for c in range(capacity, weights[i] - 1, -1):
            best[c] = max(best[c], best[c - weights[i]] + values[i])
    return best[capacity]


@program("list", lambda: ([1, 5, 10], 37), lambda: ([7], 30))
def fewest_coins(coins, amount):
    unreachable = 10**9
    fewest = [unreachable] * (amount + 1)
    fewest[0] = 0
    for coin in coins:
        for a in range(coin, amount + 1):
            fewest[a] = min(fewest[a], fewest[a - coin] + 1)
    return fewest[amount] if fewest[amount] != unreachable else -1


@program(
    "list nested", lambda: (letters(6, 0), letters(5, 1)), lambda: (letters(25, 2), letters(18, 3))
)
def longest_common_subsequence(a, b):
    n, m = len(a), len(b)
    table = [[0] * (m + 1) for _ in range(n + 1)]
    i = 0
    while i < n:
        for j in range(m):
            if a[i] == b[j]:
                table[i + 1][j + 1] = table[i][j] + 1
            else:
                table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j])
        i += 1
    return table[n][m], table


@program("list", lambda: (40,))
def sieve(n):
    prime = [True] * (n + 1)
    prime[0] = prime[1] = False
    i = 2
    while i * i <= n:
        if prime[i]:
            for j in range(i * i, n + 1, i):
                prime[j] = False
        i += 1
    return sum(prime), any(prime), all(prime), [i for i in range(12)][prime[7]]


@program("list nested", lambda: ([[0, 0, 1, 0], [1, 0, 1, 0], [0, 0, 0, 0]],))
def breadth_first(grid):
    n, m = len(grid), len(grid[0])
    steps = [[-1] * m for _ in range(n)]
    rows, columns = [0] * (n * m), [0] * (n * m)
    steps[0][0] = 0
    head, tail = 0, 1
    while head < tail:
        x, y = rows[head], columns[head]
        head += 1
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            u, v = x + dx, y + dy
            if 0 <= u < n and 0 <= v < m:
                if grid[u][v] == 0 and steps[u][v] < 0:
                    steps[u][v] = steps[x][y] + 1
                    rows[tail], columns[tail] = u, v
                    tail += 1
    return steps


@program("list mutation", lambda: ([3, 1, 2],), lambda: (LONG[::-1],), lambda: ([2.5, 0.5] * 10,))
def bubble_sort(xs):
    for i in range(len(xs)):
        for j in range(len(xs) - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs


@program("list", lambda: (LONG, 51), lambda: ([1, 3, 5, 7], 4), lambda: (tuple(LONG), 0))
def binary_search(xs, x):
    low, high = 0, len(xs) - 1
    while low <= high:
        middle = (low + high) // 2
        if xs[middle] == x:
            return middle
        if xs[middle] < x:
            low = middle + 1
        else:
            high = middle - 1
    return -1


@program("list", lambda: (20,))
def rolling_rows(n):
    above = [1] * n
    for i in range(n):
        row = [0] * n
        for j in range(n):
            row[j] = above[j] + (row[j - 1] if j else 0)
        above = row
    a, b = [0] * n, [1] * n
    for i in range(n):
        for j in range(n):
            b[j] = a[j] + i
        a, b = b, a
    return above, a, b


@program("list aliasing", lambda: (37,))
def names_and_copies(n):
    a = [0] * 20
    b = a
    i = 0
    while i < n:
        b[i % 20] += i
        i += 1
    c, d, e = a[:], list(a), a.copy()
    c[0], d[1] = 100, -5
    e.append(7)
    return a, b is a, c, d, e, len(e), a[2:5], sorted(a, reverse=True), min(a), a == b, f"{a[3]}"


@program("list aliasing", lambda: (np.int64(5),))
def one_row_many_times(n):
    rows = [[0] * 18] * 17
    i = 0
    while i < n:
        rows[i][i] = i + 1
        i += 1
    return rows[3]


@program("list aliasing", lambda: (np.int64(5),))
def rows_with_names(n):
    rows = [[0] * 18 for _ in range(17)]
    i = 0
    while i < n:
        row = rows[i]
        for j in range(18):
            row[j] = i * j
        rows[i + 1][0] = row[3]
        i += 1
    total = 0
    for row in rows:
        total += row[2]
    return rows, total, rows[1][-2:], len(rows), len(rows[0]), np.array(rows), np.sum(rows[2])


class Stack:
    def __init__(self, size):
        self.items = [0] * size
        self.count = 0

    def push(self, x):
        self.items[self.count] = x
        self.count += 1

    def pop(self):
        self.count -= 1
        return self.items[self.count]


@program("list instance", lambda: (np.int64(5),))
def stack_in_an_instance(k):
    stack = Stack(30)
    for i in range(25):
        if i * i % k != 1:
            stack.push(i)
        elif stack.count > 0:
            stack.pop()
    return stack.items, stack.count


def put(items, i, x):
    items[i] = x


@program("list calls branch", lambda: (np.int64(4), 1), lambda: (np.int64(4), 9))
def on_one_path(k, flag):
    a, table = [0] * 20, {"b": [1] * 20}
    if flag > 5:
        put(table["b"], k, 9)
    else:
        a[3] = 2
        a[k] += a[3]
    return a, table


@program("list checks", lambda: (3,), lambda: (20,), lambda: (-21,), lambda: (0,))
def out_of_range(k):
    a = [0] * 20
    a[k] = 1
    return a[k - 21]


@program("list", lambda: (np.array([0.5, 2.0, 0.25]),))
def numbers_that_widen(xs):
    a = [0.0] * 3
    i = 0
    while xs[i] < 1.5:
        a[i] = float(xs[i]) * 2
        i += 1
    return a, i


@program("list while", lambda: (4,), lambda: (5,))
def queens(n):
    columns = [0] * n
    count, row = 0, 0
    columns[0] = -1
    while row >= 0:
        columns[row] += 1
        if columns[row] >= n:
            row -= 1
            continue
        free = True
        for r in range(row):
            if columns[r] == columns[row] or abs(columns[r] - columns[row]) == row - r:
                free = False
                break
        if free:
            if row == n - 1:
                count += 1
            else:
                row += 1
                columns[row] = -1
    return count


@program(
    "data sort", lambda: ([[8, 10], [2, 6], [1, 3], [15, 18]], 3), lambda: ([[2, 1], [0, 5]], 9)
)
def rows_in_order_that_are_kept(intervals, k):
    intervals.sort(key=lambda row: row[0])
    out = []
    for row in intervals:
        if not out or out[-1][1] < row[0]:
            out.append(row)
    late = []
    for row in intervals:
        if row[0] > k:
            late.append(row)
    return [row[:] for row in out], len(late)


@program("sorting lists of numbers", lambda: ([[3, 1], [2, 5], [2, 4]],), lambda: ([[3.5, 1.0]],))
def intervals_in_order(pairs):
    merged = []
    for start, end in sorted([min(p), max(p)] for p in pairs):
        if merged and merged[-1][1] >= start:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    by_rest = sorted([[p[0] % 2, -p[1]] for p in pairs], key=lambda r: r[::-1], reverse=True)
    pairs.sort()
    return merged, sum(end - start for start, end in merged), by_rest


@program("list slices", lambda: (6, 1), lambda: (7, 2))
def reversed_stretches(n, seed):
    rng = np.random.default_rng(seed)
    tour, cost = list(range(n)), 100.0
    while cost > 60:
        i, j = sorted(rng.choice(n, 2, replace=False))
        new = tour[:i] + tour[i : j + 1][::-1] + tour[j + 1 :]
        if rng.random() < 0.7:
            tour = new
        cost -= tour[0] + 1
    return tour, tour[: tour[0]]
