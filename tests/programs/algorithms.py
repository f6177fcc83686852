"""Sorting, searching, graphs, dynamic programming, number theory: contest style."""

import numpy as np

from tests.programs import program

INF = 10**9


@program("sieve", lambda: (60,))
def sieve(n):
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    p = 2
    while p * p <= n:
        if prime[p]:
            for k in range(p * p, n + 1, p):
                prime[k] = False
        p += 1
    return prime.sum(), np.flatnonzero(prime)


@program("sieve slices", lambda: (50,))
def sieve_strided(n):
    prime = np.ones(n, dtype=bool)
    prime[:2] = False
    for p in range(2, int(n**0.5) + 1):
        if prime[p]:
            prime[p * p :: p] = False
    return np.count_nonzero(prime)


@program(
    "dp edit distance",
    lambda: (np.array([11, 9, 20, 20, 5, 14]), np.array([19, 9, 20, 20, 9, 14, 7])),
)
def edit_distance(a, b):
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1), dtype=np.int64)
    for i in range(n + 1):
        d[i, 0] = i
    for j in range(m + 1):
        d[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return int(d[n, m])


@program("dp two rows", lambda: (np.array([1, 2, 3, 4, 5]), np.array([2, 4, 5, 9])))
def edit_distance_two_rows(a, b):
    previous = np.arange(len(b) + 1)
    current = np.zeros_like(previous)
    for i, x in enumerate(a):
        current[0] = i + 1
        for j, y in enumerate(b):
            current[j + 1] = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (x != y))
        previous, current = current, previous
    return previous[-1]


@program(
    "dp knapsack",
    lambda: (np.array([2, 3, 4, 5]), np.array([3, 4, 5, 6]), 5),
    lambda: (np.array([2]), np.array([3]), 0),
)
def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1, dtype=int)
    for i in range(len(weights)):
        for c in range(capacity, weights[i] - 1, -1):
            best[c] = max(best[c], best[c - weights[i]] + values[i])
    return best[capacity]


@program("dp lcs backtrack", lambda: (np.array([1, 3, 2, 4, 1, 2]), np.array([2, 4, 3, 1, 2, 1])))
def longest_common_subsequence(a, b):
    n, m = len(a), len(b)
    length = np.zeros((n + 1, m + 1), int)
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            if a[i] == b[j]:
                length[i, j] = 1 + length[i + 1, j + 1]
            else:
                length[i, j] = max(length[i + 1, j], length[i, j + 1])
    out = np.zeros(min(n, m), int)
    i = j = k = 0
    while i < n and j < m:
        if a[i] == b[j]:
            out[k] = a[i]
            i, j, k = i + 1, j + 1, k + 1
        elif length[i + 1, j] >= length[i, j + 1]:
            i += 1
        else:
            j += 1
    return length[0, 0], out


@program("dp matrix chain", lambda: (np.array([30, 35, 15, 5, 10, 20, 25]),))
def matrix_chain(p):
    n = len(p) - 1
    m = np.zeros((n, n), dtype=np.int64)
    for span in range(2, n + 1):
        for i in range(n - span + 1):
            j = i + span - 1
            m[i, j] = 1 << 60
            for k in range(i, j):
                cost = m[i, k] + m[k + 1, j] + p[i] * p[k + 1] * p[j + 1]
                if cost < m[i, j]:
                    m[i, j] = cost
    return m[0, n - 1]


@program("dp coins", lambda: (np.array([1, 5, 10, 25]), 63), lambda: (np.array([4, 6]), 9))
def coin_change(coins, amount):
    fewest = [0] + [INF] * 70
    table = np.array(fewest)
    for a in range(1, amount + 1):
        for c in coins:
            if c <= a and table[a - c] + 1 < table[a]:
                table[a] = table[a - c] + 1
    return -1 if table[amount] == INF else int(table[amount])


@program(
    "dp kadane", lambda: (np.array([-2, 1, -3, 4, -1, 2, 1, -5, 4]),), lambda: (np.array([-3, -1]),)
)
def max_subarray(x):
    best = current = x[0]
    start = lo = hi = 0
    for i in range(1, len(x)):
        if current < 0:
            current = x[i]
            start = i
        else:
            current += x[i]
        if current > best:
            best, lo, hi = current, start, i
    return best, lo, hi


@program("dp lis bisect", lambda: (np.array([10, 9, 2, 5, 3, 7, 101, 18]),))
def longest_increasing(x):
    tails = np.full(len(x), INF)
    size = 0
    for v in x:
        lo, hi = 0, size
        while lo < hi:
            mid = (lo + hi) // 2
            if tails[mid] < v:
                lo = mid + 1
            else:
                hi = mid
        tails[lo] = v
        size = max(size, lo + 1)
    return size


@program("nussinov", lambda: (np.array([0, 1, 2, 3, 0, 3, 1, 2]),))
def nussinov(seq):
    n = len(seq)
    table = np.zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            if i + 1 < n:
                table[i, j] = max(table[i, j], table[i + 1, j])
            table[i, j] = max(table[i, j], table[i, j - 1])
            if i < j - 1:
                pair = 1 if seq[i] + seq[j] == 3 else 0
                table[i, j] = max(table[i, j], table[i + 1, j - 1] + pair)
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table[0, n - 1]


@program(
    "floyd-warshall",
    lambda: (np.array([[0, 3, INF, 7], [8, 0, 2, INF], [5, INF, 0, 1], [2, INF, INF, 0]]),),
)
def floyd_warshall(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


@program(
    "floyd-warshall vectorized",
    lambda: (np.array([[0.0, 3.0, 9.0], [8.0, 0.0, 2.0], [5.0, 9.0, 0.0]]),),
)
def floyd_warshall_vectorized(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))


@program(
    "dijkstra", lambda: (np.array([[0, 4, 1, 0], [4, 0, 2, 5], [1, 2, 0, 8], [0, 5, 8, 0]]), 0)
)
def dijkstra(weights, source):
    n = weights.shape[0]
    dist = np.full(n, INF)
    visited = np.zeros(n, bool)
    dist[source] = 0
    for _ in range(n):
        u = -1
        for v in range(n):
            if not visited[v] and (u == -1 or dist[v] < dist[u]):
                u = v
        if dist[u] == INF:
            break
        visited[u] = True
        for v in range(n):
            if weights[u, v] > 0 and dist[u] + weights[u, v] < dist[v]:
                dist[v] = dist[u] + weights[u, v]
    return dist


@program(
    "bellman-ford", lambda: (np.array([[0, 1, 4], [0, 2, 5], [1, 3, -2], [2, 1, -3], [3, 2, 4]]), 4)
)
def bellman_ford(edges, n):
    dist = np.full(n, 1000.0)
    dist[0] = 0.0
    for _ in range(n - 1):
        changed = False
        for u, v, w in edges:
            if dist[u] + w < dist[v]:
                dist[v] = dist[u] + w
                changed = True
        if not changed:
            break
    return dist


@program(
    "bfs queue",
    lambda: (
        np.array(
            [[0, 1, 1, 0, 0], [1, 0, 0, 1, 0], [1, 0, 0, 1, 0], [0, 1, 1, 0, 0], [0, 0, 0, 0, 0]]
        ),
        0,
    ),
)
def bfs_levels(adjacency, start):
    n = len(adjacency)
    level = np.full(n, -1)
    queue = np.zeros(n, int)
    head, tail = 0, 1
    queue[0] = start
    level[start] = 0
    while head < tail:
        u = queue[head]
        head += 1
        for v in range(n):
            if adjacency[u, v] and level[v] < 0:
                level[v] = level[u] + 1
                queue[tail] = v
                tail += 1
    return level


@program("union-find", lambda: (np.array([[0, 1], [2, 3], [1, 3], [4, 5]]), 7))
def count_components(edges, n):
    parent = np.arange(n)

    def find(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    components = n
    for a, b in edges:
        ra, rb = find(a), find(b)
        if ra != rb:
            parent[ra] = rb
            components -= 1
    return components


@program("prim mst", lambda: (np.array([[0.0, 2.0, 3.0], [2.0, 0.0, 1.0], [3.0, 1.0, 0.0]]),))
def minimum_spanning_tree(w):
    n = w.shape[0]
    best = np.full(n, np.inf)
    inside = np.zeros(n, dtype=bool)
    best[0] = 0.0
    total = 0.0
    for _ in range(n):
        u = np.argmin(np.where(inside, np.inf, best))
        inside[u] = True
        total += best[u]
        best = np.where(inside, best, np.minimum(best, w[u]))
    return total


@program(
    "topological stack",
    lambda: (np.array([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]]),),
)
def topological_order(adj):
    n = len(adj)
    indegree = adj.sum(axis=0)
    order = np.zeros(n, int)
    count = 0
    while count < n:
        for v in range(n):
            if indegree[v] == 0:
                break
        else:
            raise ValueError("the graph has a cycle")
        indegree[v] = -1
        order[count] = v
        count += 1
        indegree -= adj[v]
    return order


@program(
    "sort insertion", lambda: (np.array([5.0, 2.0, 4.0, 6.0, 1.0, 3.0]),), lambda: (np.zeros(0),)
)
def insertion_sort(a):
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key


@program("sort shell", lambda: (np.array([9, 8, 3, 7, 5, 6, 4, 1]),))
def shell_sort(a):
    gap = len(a) // 2
    while gap > 0:
        for i in range(gap, len(a)):
            t = a[i]
            j = i
            while j >= gap and a[j - gap] > t:
                a[j] = a[j - gap]
                j -= gap
            a[j] = t
        gap //= 2
    return a


@program("sort heap", lambda: (np.array([4, 10, 3, 5, 1, 8]),))
def heap_sort(a):
    def sift(lo, hi):
        root = lo
        while True:
            child = 2 * root + 1
            if child > hi:
                break
            if child + 1 <= hi and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                break
            a[root], a[child] = a[child], a[root]
            root = child

    n = len(a)
    for start in range((n - 2) // 2, -1, -1):
        sift(start, n - 1)
    for end in range(n - 1, 0, -1):
        a[0], a[end] = a[end], a[0]
        sift(0, end - 1)


@program("sort quick stack", lambda: (np.array([3, 6, 8, 10, 1, 2, 1]),))
def quick_sort_iterative(a):
    stack = np.zeros((32, 2), int)
    stack[0] = 0, len(a) - 1
    top = 0
    while top >= 0:
        lo, hi = stack[top]
        top -= 1
        if lo >= hi:
            continue
        pivot = a[hi]
        i = lo - 1
        for j in range(lo, hi):
            if a[j] <= pivot:
                i += 1
                a[i], a[j] = a[j], a[i]
        a[i + 1], a[hi] = a[hi], a[i + 1]
        top += 1
        stack[top, 0], stack[top, 1] = lo, i
        top += 1
        stack[top, 0], stack[top, 1] = i + 2, hi


@program("sort merge bottom-up", lambda: (np.array([5, 1, 4, 2, 8, 0, 2, 7]),))
def merge_sort(a):
    n = len(a)
    buffer = np.zeros_like(a)
    width = 1
    while width < n:
        for lo in range(0, n, 2 * width):
            mid, hi = min(lo + width, n), min(lo + 2 * width, n)
            i, j = lo, mid
            for k in range(lo, hi):
                if i < mid and (j >= hi or a[i] <= a[j]):
                    buffer[k] = a[i]
                    i += 1
                else:
                    buffer[k] = a[j]
                    j += 1
        a[:] = buffer
        width *= 2
    return a


@program("sort counting", lambda: (np.array([2, 5, 3, 0, 2, 3, 0, 3]),))
def counting_sort(a):
    counts = np.zeros(6, int)
    for v in a:
        counts[v] += 1
    out = np.empty_like(a)
    k = 0
    for v in range(6):
        for _ in range(counts[v]):
            out[k] = v
            k += 1
    return out


@program(
    "binary search",
    lambda: (np.array([1, 3, 5, 7, 9]), 7),
    lambda: (np.array([1, 3, 5]), 4),
    lambda: (np.zeros(0), 1),
)
def binary_search(a, x):
    lo, hi = 0, len(a) - 1
    while lo <= hi:
        mid = (lo + hi) >> 1
        if a[mid] == x:
            return mid
        if a[mid] < x:
            lo = mid + 1
        else:
            hi = mid - 1
    return -(lo + 1)


@program(
    "two pointers", lambda: (np.array([1, 2, 4, 7, 11, 15]), 15), lambda: (np.array([1, 2]), 9)
)
def two_sum_sorted(a, target):
    i, j = 0, len(a) - 1
    while i < j:
        s = a[i] + a[j]
        if s == target:
            return i, j
        elif s < target:
            i += 1
        else:
            j -= 1
    return -1, -1


@program("majority vote", lambda: (np.array([2, 2, 1, 1, 1, 2, 2]),))
def boyer_moore(nums):
    candidate, count = 0, 0
    for n in nums:
        if count == 0:
            candidate = n
        count += 1 if n == candidate else -1
    return candidate


@program("extended euclid", lambda: (240, 46), lambda: (7, 0))
def extended_gcd(a, b):
    x0, x1, y0, y1 = 1, 0, 0, 1
    while b != 0:
        q, a, b = a // b, b, a % b
        x0, x1 = x1, x0 - q * x1
        y0, y1 = y1, y0 - q * y1
    return a, x0, y0


@program("miller-rabin", lambda: (561,), lambda: (104729,), lambda: (2,), lambda: (1,))
def is_probable_prime(n):
    if n < 2:
        return False
    for p in (2, 3, 5, 7):
        if n % p == 0:
            return n == p
    d, s = n - 1, 0
    while d % 2 == 0:
        d //= 2
        s += 1
    for a in (2, 3, 5, 7):
        x = 1
        base, e = a, d
        while e:
            if e % 2:
                x = x * base % n
            base = base * base % n
            e //= 2
        if x == 1 or x == n - 1:
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


@program("n-queens bits", lambda: (5,))
def queens_permutation_check(n):
    count = 0
    cols = np.zeros(n, int)
    row = 0
    cols[0] = -1
    while row >= 0:
        cols[row] += 1
        ok = False
        while cols[row] < n:
            ok = True
            for r in range(row):
                if cols[r] == cols[row] or abs(cols[r] - cols[row]) == row - r:
                    ok = False
                    break
            if ok:
                break
            cols[row] += 1
        if not ok:
            row -= 1
        elif row == n - 1:
            count += 1
        else:
            row += 1
            cols[row] = -1
    return count


@program("josephus", lambda: (7, 3), lambda: (1, 5))
def josephus(n, k):
    survivor = 0
    for m in range(2, n + 1):
        survivor = (survivor + k) % m
    return survivor + 1


@program("popcount gray", lambda: (19,))
def gray_codes(n):
    total = 0
    for i in range(n):
        g = i ^ (i >> 1)
        while g:
            g &= g - 1
            total += 1
    return total


@program("crc", lambda: (np.frombuffer(b"123456789", np.uint8).copy(),))
def crc32(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= int(byte)
        for _ in range(8):
            if crc & 1:
                crc = (crc >> 1) ^ 0xEDB88320
            else:
                crc >>= 1
    return crc ^ 0xFFFFFFFF


@program("hash table", lambda: (np.array([17, 4, 17, 30, 4, 17]),))
def open_addressing(keys):
    slots = np.full(13, -1)
    counts = np.zeros(13, int)
    for key in keys:
        h = key % 13
        while slots[h] != -1 and slots[h] != key:
            h = (h + 1) % 13
        slots[h] = key
        counts[h] += 1
    return slots, counts


@program("trapping rain", lambda: (np.array([0, 1, 0, 2, 1, 0, 1, 3, 2, 1, 2, 1]),))
def trapped_water(height):
    left, right = 0, len(height) - 1
    left_max = right_max = water = 0
    while left < right:
        if height[left] < height[right]:
            left_max = max(left_max, height[left])
            water += left_max - height[left]
            left += 1
        else:
            right_max = max(right_max, height[right])
            water += right_max - height[right]
            right -= 1
    return int(water)


@program("maze flood fill", lambda: (np.array([[0, 0, 1, 0], [1, 0, 1, 0], [0, 0, 0, 0]]),))
def flood_fill(maze):
    reached = np.zeros_like(maze)
    reached[0, 0] = 1
    changed = True
    sweeps = 0
    while changed:
        changed = False
        sweeps += 1
        for i in range(maze.shape[0]):
            for j in range(maze.shape[1]):
                if maze[i, j] or reached[i, j]:
                    continue
                if (
                    (i > 0 and reached[i - 1, j])
                    or (j > 0 and reached[i, j - 1])
                    or (i + 1 < maze.shape[0] and reached[i + 1, j])
                    or (j + 1 < maze.shape[1] and reached[i, j + 1])
                ):
                    reached[i, j] = 1
                    changed = True
    return reached, sweeps


@program(
    "brackets stack", lambda: (np.array([1, 2, -2, -1, 3, -3]),), lambda: (np.array([1, 2, -1]),)
)
def balanced(tokens):
    stack = np.zeros(16, dtype=int)
    depth = 0
    for t in tokens:
        if t > 0:
            stack[depth] = t
            depth += 1
        else:
            if depth == 0 or stack[depth - 1] != -t:
                return False
            depth -= 1
    return depth == 0


@program("permutation next", lambda: (np.array([1, 3, 2]),), lambda: (np.array([3, 2, 1]),))
def next_permutation(p):
    i = len(p) - 2
    while i >= 0 and p[i] >= p[i + 1]:
        i -= 1
    if i < 0:
        p[:] = p[::-1].copy()
        return False
    j = len(p) - 1
    while p[j] <= p[i]:
        j -= 1
    p[i], p[j] = p[j], p[i]
    p[i + 1 :] = p[i + 1 :][::-1].copy()
    return True
