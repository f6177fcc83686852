"""Scalar loops, plain Python: what compilers of scalar code are measured by."""

import numpy as np


def collatz_total(limit):
    """The lengths of the Collatz sequences of 1 to limit, summed."""
    total = 0
    for start in range(1, limit + 1):
        n = start
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            total += 1
    return total


def gauss_seidel(a, sweeps):
    """In-place sweeps of the nine-point stencil, element by element."""
    n, m = a.shape
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = (
                    a[i - 1, j - 1]
                    + a[i - 1, j]
                    + a[i - 1, j + 1]
                    + a[i, j - 1]
                    + a[i, j]
                    + a[i, j + 1]
                    + a[i + 1, j - 1]
                    + a[i + 1, j]
                    + a[i + 1, j + 1]
                ) / 9.0
    return a


def mandelbrot_total(rows, cols, limit):
    """The escape times of a grid of points, summed."""
    total = 0
    for i in range(rows):
        for j in range(cols):
            cr = -2.0 + 3.0 * j / cols
            ci = -1.5 + 3.0 * i / rows
            zr = 0.0
            zi = 0.0
            n = 0
            while n < limit and zr * zr + zi * zi < 4.0:
                zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
                n += 1
            total += n
    return total


def matrix_product(a, b):
    """The product of two matrices, element by element."""
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c


def nearest_centres(x, centres):
    """For each point the centre that is nearest."""
    labels = np.zeros(x.shape[0], dtype=np.int64)
    for i in range(x.shape[0]):
        best = np.inf
        for j in range(centres.shape[0]):
            s = 0.0
            for k in range(x.shape[1]):
                t = x[i, k] - centres[j, k]
                s += t * t
            if s < best:
                best = s
                labels[i] = j
    return labels


def shortest_paths(d):
    """All shortest paths in a graph, by Floyd and Warshall, in place."""
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


def edit_distance(a, b):
    """Levenshtein's distance of two sequences, by dynamic programming on two rows."""
    before = np.zeros(b.shape[0] + 1, dtype=np.int64)
    row = np.zeros(b.shape[0] + 1, dtype=np.int64)
    for j in range(b.shape[0] + 1):
        before[j] = j
    for i in range(a.shape[0]):
        row[0] = i + 1
        for j in range(b.shape[0]):
            differs = 0 if a[i] == b[j] else 1
            row[j + 1] = min(before[j + 1] + 1, row[j] + 1, before[j] + differs)
        for j in range(b.shape[0] + 1):
            before[j] = row[j]
    return before[b.shape[0]]


def game_of_life(grid, steps):
    """Steps of the game of life on a torus, in place."""
    n, m = grid.shape
    new = np.zeros_like(grid)
    for _ in range(steps):
        for i in range(n):
            for j in range(m):
                count = 0
                for di in range(-1, 2):
                    for dj in range(-1, 2):
                        if di != 0 or dj != 0:
                            count += grid[(i + di) % n, (j + dj) % m]
                new[i, j] = 1 if count == 3 or (count == 2 and grid[i, j] == 1) else 0
        for i in range(n):
            for j in range(m):
                grid[i, j] = new[i, j]
    return grid


def pi_by_chance(n):
    """Pi from random points, by a linear congruential generator."""
    state = 12345
    inside = 0
    for _ in range(n):
        state = (1103515245 * state + 12345) % 2147483648
        x = state / 2147483648.0
        state = (1103515245 * state + 12345) % 2147483648
        y = state / 2147483648.0
        if x * x + y * y < 1.0:
            inside += 1
    return 4.0 * inside / n


def quicksort(a):
    """A sorted copy, by Hoare's partition and a stack of what is left to sort."""
    a = a.copy()
    stack = np.empty(128, dtype=np.int64)
    stack[0] = 0
    stack[1] = a.shape[0] - 1
    top = 2
    while top > 0:
        top -= 2
        low = stack[top]
        high = stack[top + 1]
        while low < high:
            pivot = a[(low + high) // 2]
            i = low
            j = high
            while i <= j:
                while a[i] < pivot:
                    i += 1
                while a[j] > pivot:
                    j -= 1
                if i <= j:
                    a[i], a[j] = a[j], a[i]
                    i += 1
                    j -= 1
            if j - low < high - i:
                if i < high:
                    stack[top] = i
                    stack[top + 1] = high
                    top += 2
                high = j
            else:
                if low < j:
                    stack[top] = low
                    stack[top + 1] = j
                    top += 2
                low = i
    return a


def common_subsequence(a, b):
    """The length of the longest common subsequence, by a table."""
    table = np.zeros((a.shape[0] + 1, b.shape[0] + 1), dtype=np.int64)
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            if a[i] == b[j]:
                table[i + 1, j + 1] = table[i, j] + 1
            else:
                table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j])
    return table[a.shape[0], b.shape[0]]


def steps_through(grid):
    """How far each free cell of a grid is from the corner, breadth first with a queue."""
    n, m = grid.shape
    steps = np.full((n, m), -1, dtype=np.int64)
    queue = np.zeros((n * m, 2), dtype=np.int64)
    steps[0, 0] = 0
    head = 0
    tail = 1
    while head < tail:
        i = queue[head, 0]
        j = queue[head, 1]
        head += 1
        for d in range(4):
            u = i + (d == 0) - (d == 1)
            v = j + (d == 2) - (d == 3)
            if u >= 0 and u < n and v >= 0 and v < m:
                if grid[u, v] == 0 and steps[u, v] < 0:
                    steps[u, v] = steps[i, j] + 1
                    queue[tail, 0] = u
                    queue[tail, 1] = v
                    tail += 1
    return steps
