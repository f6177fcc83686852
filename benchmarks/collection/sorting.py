"""Sorting, searching, and counting arrangements."""

import numpy as np


def insertion_sort(x):
    x = x.copy()
    for i in range(1, len(x)):
        key = x[i]
        j = i - 1
        while j >= 0 and x[j] > key:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = key
    return x


def heap_sort(x):
    x = x.copy()
    n = len(x)
    for k in range(n // 2 - 1 + n - 1, -1, -1):
        if k >= n - 1:
            root, end = k - n + 1, n
        else:
            end = k + 1
            x[0], x[end] = x[end], x[0]
            root = 0
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and x[child] < x[child + 1]:
                child += 1
            if x[root] >= x[child]:
                break
            x[root], x[child] = x[child], x[root]
            root = child
    return x


def merge_sort(x):
    source = x.copy()
    target = np.empty_like(x)
    n = len(x)
    width = 1
    while width < n:
        for left in range(0, n, 2 * width):
            middle = min(left + width, n)
            right = min(left + 2 * width, n)
            i, j = left, middle
            for k in range(left, right):
                if i < middle and (j >= right or source[i] <= source[j]):
                    target[k] = source[i]
                    i += 1
                else:
                    target[k] = source[j]
                    j += 1
        source, target = target, source
        width *= 2
    return source


def shell_sort(x):
    x = x.copy()
    n = len(x)
    gap = n // 2
    while gap > 0:
        for i in range(gap, n):
            key = x[i]
            j = i
            while j >= gap and x[j - gap] > key:
                x[j] = x[j - gap]
                j -= gap
            x[j] = key
        gap //= 2
    return x


def quick_sort(x):
    x = x.copy()
    stack = [(0, len(x) - 1)]
    while stack:
        low, high = stack.pop()
        if low >= high:
            continue
        pivot = x[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while x[i] < pivot:
                i += 1
            while x[j] > pivot:
                j -= 1
            if i <= j:
                x[i], x[j] = x[j], x[i]
                i += 1
                j -= 1
        stack.append((low, j))
        stack.append((i, high))
    return x


def quick_select(x, k):
    x = x.copy()
    low, high = 0, len(x) - 1
    while low < high:
        pivot = x[high]
        place = low
        for i in range(low, high):
            if x[i] < pivot:
                x[i], x[place] = x[place], x[i]
                place += 1
        x[place], x[high] = x[high], x[place]
        if place == k:
            break
        if place < k:
            low = place + 1
        else:
            high = place - 1
    return x[k]


def binary_searches(x, wanted):
    found = 0
    for w in wanted:
        low, high = 0, len(x)
        while low < high:
            middle = (low + high) // 2
            if x[middle] < w:
                low = middle + 1
            else:
                high = middle
        if low < len(x) and x[low] == w:
            found += 1
    return found


def radix_sort(x):
    x = x.copy()
    y = np.empty_like(x)
    for shift in range(0, 24, 8):
        counts = np.zeros(257, dtype=np.int64)
        for i in range(len(x)):
            counts[((x[i] >> shift) & 255) + 1] += 1
        for d in range(256):
            counts[d + 1] += counts[d]
        for i in range(len(x)):
            d = (x[i] >> shift) & 255
            y[counts[d]] = x[i]
            counts[d] += 1
        x, y = y, x
    return x


def queens(n):
    columns = np.zeros(n, dtype=np.int64)
    row = 0
    solutions = 0
    columns[0] = -1
    while row >= 0:
        columns[row] += 1
        if columns[row] == n:
            row -= 1
            continue
        safe = True
        for r in range(row):
            d = columns[row] - columns[r]
            if d == 0 or d == row - r or d == r - row:
                safe = False
                break
        if safe:
            if row == n - 1:
                solutions += 1
            else:
                row += 1
                columns[row] = -1
    return solutions


def pancakes(n):
    """The most flips of prefixes that any order of n numbers takes until a 0 leads it."""
    order = np.arange(n)
    count = np.zeros(n, dtype=np.int64)
    most = 0
    r = n
    while True:
        while r != 1:
            count[r - 1] = r
            r -= 1
        flipped = order.copy()
        flips = 0
        while flipped[0] != 0:
            i, j = 0, flipped[0]
            while i < j:
                flipped[i], flipped[j] = flipped[j], flipped[i]
                i += 1
                j -= 1
            flips += 1
        most = max(most, flips)
        while True:
            if r == n:
                return most
            first = order[0]
            for i in range(r):
                order[i] = order[i + 1]
            order[r] = first
            count[r] -= 1
            if count[r] > 0:
                break
            r += 1


def _numbers(n, rng):
    return (rng.random(n),)


SIZES = {
    insertion_sort: (_numbers, 400, 1_000),
    heap_sort: (_numbers, 3_000, 20_000),
    merge_sort: (_numbers, 4_000, 20_000),
    shell_sort: (_numbers, 3_000, 20_000),
    quick_sort: (_numbers, 4_000, 20_000),
    quick_select: (lambda n, rng: (rng.random(n), n // 3), 15_000, 40_000),
    binary_searches: (
        lambda n, rng: (np.sort(rng.integers(0, n, n)), rng.integers(0, n, n)),
        4_000,
        20_000,
    ),
    radix_sort: (lambda n, rng: (rng.integers(0, 1 << 24, n),), 10_000, 50_000),
    queens: (lambda n, _: (n,), 6, 8),
    pancakes: (lambda n, _: (n,), 6, 8),
}
