"""Recursion whose depth data decides."""

import functools

import numpy as np

from tests.programs import program


def gcd(a, b):
    if b == 0:
        return a
    return gcd(b, a % b)


@program("recursion of any depth", lambda: (np.array([84, 36]),), lambda: (np.array([17, 0]),))
def greatest_divisor(x):
    return gcd(int(x[0]), int(x[1]))


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


@program("recursion of any depth", lambda: (np.array([10]),), lambda: (np.array([1]),))
def fibonacci(x):
    return fib(int(x[0]))


@program("recursion of any depth", lambda: (np.arange(30).reshape(5, 6) * 7 % 5 % 2, 0, 0))
def flood(grid, r, c):
    n, m = grid.shape

    def fill(i, j):
        if i < 0 or j < 0 or i >= n or j >= m or grid[i, j] != 1:
            return 0
        grid[i, j] = 2
        return 1 + fill(i + 1, j) + fill(i - 1, j) + fill(i, j + 1) + fill(i, j - 1)

    best = 0
    for i in range(n):
        for j in range(m):
            best = max(best, fill(i, j))
    return best


@program(
    "recursion of any depth", lambda: (np.arange(20) * 7 % 13,), lambda: (np.array([2.5, -1.0]),)
)
def quick(a):
    def sort(lo, hi):
        if lo >= hi:
            return
        p = a[(lo + hi) // 2]
        i, j = lo, hi
        while i <= j:
            while a[i] < p:
                i += 1
            while a[j] > p:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                i += 1
                j -= 1
        sort(lo, j)
        sort(i, hi)

    sort(0, len(a) - 1)
    return a


def solve(board):
    for i in range(4):
        for j in range(4):
            if board[i, j] == 0:
                for v in range(1, 5):
                    ok = True
                    for k in range(4):
                        if board[i, k] == v or board[k, j] == v:
                            ok = False
                    r, c = i // 2 * 2, j // 2 * 2
                    for p in range(2):
                        for q in range(2):
                            if board[r + p, c + q] == v:
                                ok = False
                    if ok:
                        board[i, j] = v
                        if solve(board):
                            return True
                        board[i, j] = 0
                return False
    return True


@program(
    "recursion of any depth",
    lambda: (np.array([[1, 0, 0, 0], [0, 0, 3, 0], [0, 4, 0, 0], [0, 0, 0, 2]]),),
)
def sudoku(board):
    ok = solve(board)
    return ok, board


@program("recursion of any depth", lambda: (np.arange(64).reshape(8, 8) * 11 % 7 == 0,))
def dfs(adj):
    n = len(adj)
    seen = np.zeros(n, bool)
    order = []

    def visit(u):
        seen[u] = True
        order.append(u)
        for v in range(n):
            if adj[u, v] and not seen[v]:
                visit(v)

    count = 0
    for u in range(n):
        if not seen[u]:
            count += 1
            visit(u)
    return count, np.array(order)


@program("recursion of any depth", lambda: (np.array([4]),))
def hanoi(x):
    moves = []

    def move(n, a, b, c):
        if n == 0:
            return
        move(n - 1, a, c, b)
        moves.append(a * 10 + b)
        move(n - 1, c, b, a)

    move(int(x[0]), 0, 2, 1)
    return moves


def bsearch(a, t, lo, hi):
    if lo > hi:
        return -1
    mid = (lo + hi) // 2
    if a[mid] == t:
        return mid
    if a[mid] < t:
        return bsearch(a, t, mid + 1, hi)
    return bsearch(a, t, lo, mid - 1)


@program("recursion of any depth", lambda: (np.arange(0, 40, 3), np.array([3, 4, 39, 0])))
def binary_search(a, ts):
    return [bsearch(a, t, 0, len(a) - 1) for t in ts]


def simpson(fa, fm, fb, a, b, whole, eps):
    m = (a + b) / 2
    fl, fr = np.sin(((a + m) / 2) ** 2), np.sin(((m + b) / 2) ** 2)
    left, right = (m - a) / 6 * (fa + 4 * fl + fm), (b - m) / 6 * (fm + 4 * fr + fb)
    delta = left + right - whole
    if abs(delta) <= 15 * eps:
        return left + right + delta / 15
    return simpson(fa, fl, fm, a, m, left, eps / 2) + simpson(fm, fr, fb, m, b, right, eps / 2)


@program("recursion of any depth", lambda: (np.array([0.0, 3.0]),))
def adaptive(x):
    a, b = x[0], x[1]
    fa, fm, fb = np.sin(a * a), np.sin(((a + b) / 2) ** 2), np.sin(b * b)
    return simpson(fa, fm, fb, a, b, (b - a) / 6 * (fa + 4 * fm + fb), 1e-8)


class Node:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None

    def insert(self, key):
        if key < self.key:
            if self.left is None:
                self.left = Node(key)
            else:
                self.left.insert(key)
        else:
            if self.right is None:
                self.right = Node(key)
            else:
                self.right.insert(key)


@program("recursion of any depth", lambda: (np.array([5, 2, 8, 1, 9, 3, 7]),))
def bst(xs):
    root = Node(xs[0])
    for x in xs[1:]:
        root.insert(x)

    def height(n):
        if n is None:
            return 0
        return 1 + max(height(n.left), height(n.right))

    out = []

    def walk(n):
        if n is not None:
            walk(n.left)
            out.append(n.key)
            walk(n.right)

    walk(root)
    return height(root), out


@program("recursion of any depth", lambda: (np.array([1, 2, 2, 3]),))
def permutations(a):
    n = len(a)
    out = []

    def go(k):
        if k == n:
            s = 0
            for v in a:
                s = s * 10 + v
            out.append(s)
            return
        for i in range(k, n):
            if i > k and a[i] == a[k]:
                continue
            a[k], a[i] = a[i], a[k]
            go(k + 1)
            a[k], a[i] = a[i], a[k]

    go(0)
    return out


@program("recursion of any depth", lambda: (np.array([3, 5, 2, 7, 1]), 10))
def subset_sum(xs, target):
    path, found = [], []

    def go(i, left):
        if left == 0:
            found.append(len(path))
            return True
        if i == len(xs) or left < 0:
            return False
        path.append(i)
        one = go(i + 1, left - xs[i])
        path.pop()
        return go(i + 1, left) or one

    ok = go(0, target)
    return ok, found


@program("recursion of any depth", lambda: (np.array([5]),))
def queens(n):
    n = int(n[0])
    cols = np.zeros(8, int)

    def safe(r, c):
        for i in range(r):
            if cols[i] == c or abs(cols[i] - c) == r - i:
                return False
        return True

    def place(r):
        if r == n:
            return 1
        total = 0
        for c in range(n):
            if safe(r, c):
                cols[r] = c
                total += place(r + 1)
        return total

    return place(0)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@program("recursion of any depth", lambda: (np.array([2, 3]),))
def ackermann_of(x):
    return ackermann(int(x[0]), int(x[1]))


@program("recursion of any depth", lambda: (np.array([1.0, 2, 3, 4, 5, 6, 7]),))
def tree_sum(x):
    children = [[1, 2], [3], [4, 5], [], [], [6], []]
    w = x

    def total(u):
        return w[u] + sum(total(c) for c in children[u])

    def deepest(u):
        best = 0
        for c in children[u]:
            d = deepest(c)
            if d > best:
                best = d
        return best + 1

    return total(int(x[6]) % 2), deepest(int(x[6]) % 2)


@program("recursion of any depth", lambda: (np.arange(15) * 11 % 17,))
def merge_sort(a):
    tmp = np.zeros_like(a)

    def sort(lo, hi):
        if hi - lo < 2:
            return 0
        mid = (lo + hi) // 2
        inv = sort(lo, mid)
        inv += sort(mid, hi)
        i, j, k = lo, mid, lo
        while i < mid and j < hi:
            if a[i] <= a[j]:
                tmp[k] = a[i]
                i += 1
            else:
                tmp[k] = a[j]
                j += 1
                inv += mid - i
            k += 1
        while i < mid:
            tmp[k] = a[i]
            i += 1
            k += 1
        while j < hi:
            tmp[k] = a[j]
            j += 1
            k += 1
        a[lo:hi] = tmp[lo:hi]
        return inv

    return sort(0, int(len(a))), a


@program("recursion of any depth", lambda: (np.array([30]),))
def memo_fib(x):
    memo = {}

    def fib(n):
        if n in memo:
            return memo[n]
        r = n if n < 2 else fib(n - 1) + fib(n - 2)
        memo[n] = r
        return r

    return fib(int(x[0]))


@program("recursion of any depth", lambda: (np.array([1, -1, 0, 0, 1, 0, 0, 0, -1]),))
def minimax(x):
    board = x.copy()

    def winner():
        for a, b, c in (
            (0, 1, 2),
            (3, 4, 5),
            (6, 7, 8),
            (0, 3, 6),
            (1, 4, 7),
            (2, 5, 8),
            (0, 4, 8),
            (2, 4, 6),
        ):
            if board[a] != 0 and board[a] == board[b] and board[b] == board[c]:
                return int(board[a])
        return 0

    def best(player):
        w = winner()
        if w != 0:
            return w
        if np.all(board != 0):
            return 0
        value = -2 * player
        for i in range(9):
            if board[i] == 0:
                board[i] = player
                score = best(-player)
                board[i] = 0
                if player * score > player * value:
                    value = score
        return value

    return best(1)


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return half * half * (x if n % 2 else 1.0)


@program("recursion of any depth", lambda: (np.array([1.5]), np.array([13])))
def power_of(x, n):
    return power(x[0], int(n[0]))


def collatz(n, steps=0):
    if n == 1:
        return steps
    if n % 2:
        return collatz(3 * n + 1, steps=steps + 1)
    return collatz(n // 2, steps=steps + 1)


@program("recursion of any depth", lambda: (np.array([6, 7]),))
def collatz_of(x):
    return [collatz(int(v)) for v in x]


@program("recursion of any depth", lambda: (np.arange(9) * 0.37 % 1, 0))
def gaps(points, idx):
    # closest pair by recursion on sorted index halves with data-decided cut
    def go(lo, hi):
        if hi - lo <= 1:
            return np.inf
        mid = lo + 1 + int(points[lo] * 7) % (hi - lo - 1) if hi - lo > 2 else lo + 1
        d = min(go(lo, mid), go(mid, hi))
        return min(d, abs(points[mid] - points[mid - 1]))

    return go(0, len(points))


@program(
    "recursion of any depth",
    lambda: (np.array([3.0, 1.0, 2.0, 4.0]),),
    lambda: (np.array([3, 1, 2, 5]),),
)
def counters(x):
    count = 0
    total = 0.0

    def f(n, scale=0.5, *, bias=1):
        nonlocal count, total
        count += 1
        if n < 1:
            return bias
        count += f(n - 1, bias=bias + 1)
        total += scale * f(n - 2, scale * 2, bias=2)
        return n

    r = f(int(x[3]))
    return r, count, total


@program(
    "recursion of any depth",
    lambda: (np.array([3.0, 1.0, 2.0, 4.0]),),
    lambda: (np.array([3, 1, 2, 5]),),
)
def arrays_kept(x):
    def f(v, n):
        if n == 0 or v.sum() > 50:
            return v.sum()
        saved = v * 2
        w = v + 1
        r = f(w, n - 1)
        return r + saved[0] - saved[-1] + w.max()

    return f(x, int(x[3]))


@program(
    "recursion of any depth",
    lambda: (np.array([3.0, 1.0, 2.0, 4.0]),),
    lambda: (np.array([3, 1, 2, 5]),),
)
def loops(x):
    seen = []

    def f(n, lo):
        if n == 0:
            return 1
        s = 0
        for i in range(lo, 4):
            if (i + n) % 3 == 0:
                continue
            s += f(n - 1, i)
            if s > 9:
                break
        else:
            s += 100
            seen.append(n)
        k = 0
        while k < 2:
            k += 1
            if f(n - 1, k + 1) % 2 and k == 1:
                s -= 1
                continue
            s += 10 * k
        return s

    return f(int(x[3]), 0), seen


@program(
    "recursion of any depth",
    lambda: (np.array([3.0, 1.0, 2.0, 4.0]),),
    lambda: (np.array([3, 1, 2, 5]),),
)
def tests(x):
    def f(n):
        if n <= 0:
            return n == 0
        if f(n - 2) and not f(n - 3) or n % 4 == 1:
            return True
        return True if f(n - 3) else f(n - 1)

    return [f(int(v)) for v in x]


@program(
    "recursion of any depth",
    lambda: (np.array([3.0, 1.0, 2.0, 4.0]),),
    lambda: (np.array([3, 1, 2, 5]),),
)
def pairs(x):
    def minmax(lo, hi):
        if hi - lo == 1:
            return x[lo], x[lo]
        mid = (lo + hi) // 2
        a, b = minmax(lo, mid)
        c, d = minmax(mid, hi)
        return (a if a < c else c), max(b, d)

    n = 1 + int(x[3]) % len(x)
    return minmax(0, n)


@program(
    "recursion of any depth",
    lambda: (np.array([3.0, 1.0, 2.0, 4.0]),),
    lambda: (np.array([3, 1, 2, 5]),),
)
def listed(x):
    children = [[1, 2], [3, 4], [5], [], [6], [], []]

    def sizes(u):
        below = [sizes(c) for c in children[u]]
        return 1 + sum(below)

    return sizes(int(x[3]) % 3)


@program(
    "recursion of any depth",
    lambda: (np.array([3.0, 1.0, 2.0, 4.0]),),
    lambda: (np.array([3, 1, 2, 5]),),
)
def raising(x):
    def f(n):
        if n == 3:
            raise ValueError("three")
        return 1 + f(n - 1)

    try:
        return f(int(x[3]))
    except ValueError:
        return -1


@program(
    "recursion of any depth",
    lambda: (np.array([3.0, 1.0, 2.0, 4.0]),),
    lambda: (np.array([3, 1, 2, 5]),),
)
def partition(x):
    def count(n, m):
        if n == 0:
            return 1
        if n < 0 or m == 0:
            return 0
        return count(n - m, m) + count(n, m - 1)

    return count(int(x[3]), int(x[3]))


@program(
    "recursion of any depth",
    lambda: (np.array([3.0, 1.0, 2.0, 4.0]),),
    lambda: (np.array([3, 1, 2, 5]),),
)
def power_mod(x):
    def p(b, e, m):
        if e == 0:
            return 1
        h = p(b * b % m, e // 2, m)
        return h * b % m if e % 2 else h

    return p(int(x[0]) % 97, int(x[3]) + 50, 97)


@program(
    "recursion of any depth",
    lambda: (np.array([3.0, 1.0, 2.0, 4.0]),),
    lambda: (np.array([3, 1, 2, 5]),),
)
def gray(x):
    def g(n):
        if n == 0:
            return [0]
        r = g(n - 1)
        return r + [v + 2 ** (n - 1) for v in reversed(r)]

    return g(int(x[3]))


class Counter:
    def __init__(self, limit):
        self.limit, self.calls = limit, 0

    def walk(self, n, step=1):
        self.calls += 1
        if n >= self.limit:
            return n
        r = self.walk(n + step, step + 1)
        if r % 2:
            r += self.walk(n + step + 1, step=step + 2)
        return r


@program(
    "recursion of any depth",
    lambda: (np.array([3.0, 1.0, 2.0, 4.0]),),
    lambda: (np.array([3, 1, 2, 5]),),
)
def methods(x):
    c = Counter(int(x[3]) + 5)
    return c.walk(0), c.calls


@program(
    "recursion of any depth",
    lambda: (np.array([3.0, 1.0, 2.0, 4.0]),),
    lambda: (np.array([3, 1, 2, 5]),),
)
def subset(x):
    best = np.zeros(len(x))
    cur = np.zeros(len(x))
    top = 0.0

    def go(i, w, v):
        nonlocal top
        if v > top:
            top = v
            best[:] = cur
        if i == len(x):
            return
        if w >= abs(x[i]):
            cur[i] = 1
            go(i + 1, w - abs(x[i]), v + x[i] * x[i])
            cur[i] = 0
        go(i + 1, w, v)

    go(0, 6.0, 0.0)
    return top, best


@program(
    "checks recursion",
    lambda: (np.arange(5.0),),
    lambda: (np.array([0.75, 0.75, np.inf, -0.0, 1.0]),),
)
def raised_before_it_calls_itself(x):
    def down(n):
        if n <= 0:
            return 0
        t = 0
        down(n - 2)
        if t > n:
            for _ in range(2):
                t += n - down(n - 1)
        return t

    return down(int(x[2]) % 5)


TREES = (np.array([1, 3, 5, 5, 5, 6]), np.array([3, 5, 5, 5, 6, 6]))


@program(
    "checks recursion generator",
    lambda: TREES,
    lambda: (np.array([1]), np.array([1])),
    lambda: (np.array([1]), np.array([2])),
)
def height_by_a_generator(first, last):
    def of(i):
        return 1 + max((of(k) for k in range(first[i], last[i])), default=0)

    return of(0)


@program("recursion generator memo", lambda: ([30, 35, 15, 5, 10, 20, 25],), lambda: ([7, 2],))
def chain_by_a_generator(p):
    known = {}

    def best(i, j):
        if j - i < 2:
            return 0
        if (i, j) not in known:
            known[i, j] = min(best(i, k) + best(k, j) + p[i] * p[k] * p[j] for k in range(i + 1, j))
        return known[i, j]

    return best(0, len(p) - 1)


@program("recursion of any depth", lambda: ([30 + 7 * i % 20 for i in range(12)],))
def matrix_chain(sizes):
    @functools.cache
    def cost(i, j):
        if i == j:
            return 0
        return min(
            cost(i, k) + cost(k + 1, j) + sizes[i] * sizes[k + 1] * sizes[j + 1]
            for k in range(i, j)
        )

    return cost(0, len(sizes) - 2)
