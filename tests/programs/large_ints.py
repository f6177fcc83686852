# ruff: noqa: SIM108
"""Ints that floats of 64 bits do not hold, in names that are floats on other paths."""

import heapq

import numpy as np

from tests.programs import program

LARGE = 2**53 + 1


def counts(*ks):
    return [lambda k=k: (k, LARGE) for k in ks]


def flags():
    """Conditions that only the program's run decides."""
    return [np.array([True]), np.array([False])]


def paths():
    return [lambda c=c: (c, LARGE) for c in flags()]


def arrays():
    return [lambda c=c: (c, np.array([LARGE, 3 * LARGE])) for c in flags()]


@program("branch operators", *paths())
def branch(c, n):
    x = n if c else 0.5
    y = x + 1
    return x, y, int(y), y % 10, y // 3, abs(y), -y, y * 2, y - n, f"{y}", divmod(y, 7)


@program("conversions", lambda: (LARGE,), lambda: (np.int64(LARGE),), lambda: (np.uint64(LARGE),))
def through_a_float(n):
    x = np.array([n])
    return (
        int(float(n)),
        float(n) == n,
        x.astype(float).astype(int),
        x.astype(float).astype(x.dtype),
    )


@program("comparisons", *[lambda n=n: (n, float(LARGE)) for n in (LARGE - 1, LARGE, LARGE + 1, 0)])
def with_floats(n, x):
    orders = n < x, n <= x, n > x, n >= x, n == x, n != x, x < n, x <= n, x == n
    return orders, n < 2.0**53, n == 2.0**53, n > 1e300, n < float("inf"), n < float("nan"), n > 0.5


@program("branch comparisons", *paths())
def compared(c, n):
    x = n if c else float(n)
    y = n - 1 if c else 0.5
    return x == n, x < n, x >= n, x == float(n), max(x, y), min(x, y), x - y


@program("numpy-scalar branch", *arrays())
def of_numpy(c, x):
    y = np.float64(2.5)
    if c:
        y = x[0]
    return y, y * 2, y + x[1], np.square(y), int(y), np.maximum(y, 3), round(y)


def both_paths():
    cases = [(c, d) for c in flags() for d in flags()]
    return [lambda c=c, d=d: (c, d, np.array([LARGE]), LARGE + 2) for c, d in cases]


@program("numpy-scalar branch", *both_paths())
def of_three_kinds(c, d, x, n):
    y = x[0] if c else n
    z = y if d else 0.5
    return y, z, z + 1, z - y, z == y


@program("zero-dimensional branch", *both_paths())
def of_zero_dimensions(c, d, x, n):
    y = 0.5
    if c:
        y = np.array(n)
    z = y + 0 if d else 1.5
    return z + 0, z * 2


@program("numpy-scalar wraps", *arrays())
def wraps_around(c, x):
    y = np.float64(2.5)
    if c:
        y = x[0] * 512
    return y, y * 2, -y * 3


@program("loop while", *counts(3, 4, 0))
def swapped(k, n):
    s, t = n, 0.5
    while k > 0:
        s, t = t, s
        k -= 1
    return s, t


@program("loop nested-loops", *counts(3, 5, 6))
def nested(k, n):
    a = 0
    for i in range(k):
        for j in range(i):
            a = a * 0.5 if (i + j) % 5 == 0 else a + n
        if i % 4 == 3:
            a = int(a)
    return a


@program("while", lambda: (LARGE - 1,), lambda: (2 * LARGE,), lambda: (1024,))
def halved(x):
    while x > 10:
        x = x // 2 if x % 2 == 0 else x / 3
    return x


@program("loop unbound", *counts(5, 6))
def bound_in_a_loop(k, n):
    for i in range(k):
        if i > 2:
            x = n if i % 2 else 0.5
    return x


@program("early-return", *counts(3, 70), lambda: (70, 1))
def returned(k, n):
    for i in range(k):
        if i * n > 10**17:
            return i * n
        if i == 60:
            return 0.5
    return n


@program("optional", *counts(1, 6))
def largest(k, n):
    best = None
    for i in range(k):
        x = n * i if i % 2 else i * 0.5
        if best is None or x > best:
            best = x
    return best


class Account:
    def __init__(self):
        self.sum = 0


@program("instance", *counts(20, 60))
def in_a_field(k, n):
    account = Account()
    for i in range(k):
        account.sum += n
        if i == 50:
            account.sum = 0.25
    return account.sum


@program("dict", *counts(4, 9))
def in_a_dict(k, n):
    d = {i: n for i in range(3)}
    for i in range(k):
        d[i % 3] = d[(i + 1) % 3] + (1 if i < 5 else 0.5)
    return d


@program("list", *paths())
def in_a_list(c, n):
    x = n if c else 0.5
    numbers = [x, 1.5, x]
    return max(numbers), min(numbers), sum(numbers), numbers, x.real, x.imag


@program("growing-list", *counts(0, 5))
def in_a_growing_list(k, n):
    made = [n + i if i % 2 else i / 2 for i in range(k)]
    sums = [0]
    for x in made:
        sums.append(sums[-1] + x)
    return made, sums


@program("growing-list sorting", *counts(6))
def sorted_and_found(k, n):
    numbers = []
    for i in range(k):
        numbers.append(n - i if i % 3 else float(n))
    numbers.sort()
    return numbers, numbers.index(n - 2), numbers.count(n - 4), n - 5 in numbers, n + 5 in numbers


@program("heapq", *counts(6))
def in_a_heap(k, n):
    heap, order = [], []
    for i in range(k):
        heapq.heappush(heap, n - i if i % 2 else i * 0.5)
    while heap:
        order.append(heapq.heappop(heap))
    return order


@program("function closure", *paths())
def through_calls(c, n):
    def same(x):
        return x

    x = n if c else 0.5
    return same(x), (lambda y: y + n)(x)


@program("stored", *paths())
def stored(c, n):
    x = n if c else 0.5
    floats, ints = np.zeros(2), np.zeros(2, int)
    floats[1] = ints[1] = x
    return floats, ints


@program("print", *paths())
def printed(c, n):
    x = n if c else 0.5
    print(x, [x])


@program("complex", *paths())
def complex_number(c, n):
    x = n if c else 1j
    return x, x + 1


@program("limits", lambda: (3, 2.5), lambda: (-(2**63), -1e30))
def compared_with_ints_of_more_bits(x, y):
    far, near = 10**20, -(10**19)
    below = x < far, x > near, x == far, x != near, far >= x, near <= x, y < far, y > near
    return below, x if x < far else far


@program("limits", *paths())
def of_more_bits(c, n):
    x = 10**20 if c else n
    y = x + 1
    return x, y, x < 5, x == n, min(x, 7), max(x, y), str(x), f"{y}", -x


@program("limits loop", lambda: ([5, 3, 9],), lambda: ([],))
def extremes_of_a_loop(xs):
    low, high = 1 << 63, -(1 << 63) - 1
    for x in xs:
        low, high = min(low, x), max(high, x)
    return low, high


@program("limits lists", lambda: ([1, 2, 5], 11), lambda: ([2], 3))
def fewest_coins(coins, amount):
    fewest = [0] + [10**20] * amount
    for a in range(1, amount + 1):
        for coin in coins:
            if coin <= a:
                fewest[a] = min(fewest[a], fewest[a - coin] + 1)
    return fewest


@program(
    "limits lists while",
    lambda: (4, [(0, 1, 4), (0, 2, 1), (2, 1, 2)]),
    lambda: (2, []),
)
def shortest_paths(n, edges):
    far = 1 << 63
    length = [far] * n
    length[0] = 0
    changed = True
    while changed:
        changed = False
        for u, v, w in edges:
            if length[u] != far and length[u] + w < length[v]:
                length[v] = length[u] + w
                changed = True
    return length, [None if x == far else x for x in length]


class Least:
    def __init__(self):
        self.value = 10**20


@program("limits instances", lambda: ([4, 2, 7],), lambda: ([],))
def least_of_all(xs):
    least = Least()
    for x in xs:
        least.value = min(least.value, x)
    return least.value, least.value == 10**20


@program("limits", lambda: (4,), lambda: (-5,), lambda: (2**61,))
def added_to(n):
    x, y = 10**20 + n, n - 10**20
    orders = x > y, x == 10**20 + 4, x < 5, x != n, x > float("inf"), x == "x", y <= 10**20
    near = (1 << 63) + n - 1
    orders += near > 2**63 - 1, near < n, near == 2**63 + 3, n >= near, near != 7
    return x, y, -x, x - y, x + y, 2 * x, min(x, 10**20), max(y, n), bool(x), orders, f"{x}", near


@program("limits branch", *paths())
def added_on_a_path(c, n):
    x = 10**20 + n if c else n
    y = 10**20 if c else 10**20 + n
    return x, y, x < 5, min(x, 7), isinstance(x, int), type(y) is int, x - y < 0


@program("limits lists dicts", lambda: (4,), lambda: (0,))
def in_lists(n):
    xs = [10**20] * 5
    for i in range(n):
        xs[i * 3 % 5] = xs[i] + n
    ys = [10**20 + i for i in range(n)]
    found = 10**20 + 2 in ys, 5 in ys, xs.index(10**20), xs.count(10**20 + n)
    return xs, ys, found, min(xs), max(ys, default=None), {i: y for i, y in enumerate(ys)}


@program(
    "limits lists nested-loops",
    lambda: (4, [(0, 1, 5), (1, 2, 3), (0, 3, 10)]),
    lambda: (2, []),
)
def all_shortest_paths(n, edges):
    far = 10**20
    d = [[far] * n for _ in range(n)]
    for u, v, w in edges:
        d[u][v] = min(d[u][v], w)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i][j] = min(d[i][j], d[i][k] + d[k][j])
    return d


@program("limits lists", lambda: (5, [1, 3, 4], [7, 2, 9]), lambda: (0, [1], [1]))
def cheapest(n, sizes, costs):
    far = 1 << 63
    least = [0] + [far] * n
    for i in range(1, n + 1):
        for size, cost in zip(sizes, costs):
            if i >= size:
                least[i] = min(least[i], least[i - size] + cost)
    return least, least[n] if least[n] < far else -1


# --- Ints that leave 64 bits in between -----------------------------------------------------------

WORD = 0xFFFFFFFF
FACTORS = [
    *((2**60, 2**61, 10**9 + 7), (-(2**60), 2**61, 10**9 + 7), (2**60, -(2**61), -(10**9 + 7))),
    *(
        (-(2**62), -(2**62), 2**63 - 1),
        (-(2**63), -(2**63), -(2**63)),
        (2**60, 2**61, 0),
        (5, 7, 3),
    ),
]


@program("modulo except checks", *[lambda f=f: f for f in FACTORS])
def remainders_of_products(a, b, m):
    try:
        return a * b % m, (a * b + a) % m, (b - a * b) % m, (a * a - b * b) % m, (a + b + a) % m
    except ZeroDivisionError as error:
        return str(error)


@program("modulo checks", *[lambda f=f: f for f in FACTORS])
def low_bits(a, b, m):
    word = (a * b - m) & WORD, (a * b + a + b) % 2**32, m * a & 0xFF, (a + b) % 4096
    return word, (a * b) & (2**63 - 1), (a * b) % 2**63, ((a << 9) ^ (b * m)) & WORD


@program("modulo checks", lambda: (3,), lambda: (2**31,))
def murmur_hash(h):
    for i in range(5):
        k = (h ^ i) * 0xCC9E2D51 & WORD
        k = ((k << 15 | k >> 17) & WORD) * 0x1B873593 & WORD
        h ^= k
        h = (h << 13 | h >> 19) & WORD
        h *= 5
        h += 0xE6546B64
        h &= WORD
    return h


class Drand48:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state * 0x5DEECE66D + 0xB) % (1 << 48)
        return self.state >> 17


@program("modulo class checks", lambda: (42,))
def drand48(seed):
    draws = Drand48(seed)
    return [draws.next() % 100 for _ in range(5)], draws.state


@program("modulo loop checks", lambda: (2**61 - 1,), lambda: (10**18 + 3,), lambda: (3215031751,))
def is_prime(n):
    d, twos = n - 1, 0
    while d % 2 == 0:
        d //= 2
        twos += 1
    for a in (2, 3, 5, 7, 11, 13):
        x, square, left = 1, a % n, d
        while left:
            if left & 1:
                x = x * square % n
            square = square * square % n
            left >>= 1
        if x in (1, n - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


@program("modulo text checks", lambda: ("a text of some length" * 3,), lambda: ("",))
def rolling_hash(text):
    h = 0
    for c in text:
        h = (h * (2**60 + 33) + ord(c)) % (2**61 - 1)
    return h


@program("modulo checks", lambda: (2**40, 2**10, [2, 3]), lambda: (2**40, 4, [1, 2**40]))
def wrapped_where_it_is_used_again(a, b, items):
    found = a * b  # by two: its check is made at once, and a float below is no remainder
    return (
        found % 7 if b < 9 else (a * 1.5) % 7.0,
        items[(a * a + 1) % 2],
        [v * v % 11 for v in items],
    )
