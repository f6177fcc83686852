"""Ints from 0 to 2**64: hashes, random numbers and sets of bits."""

import math

import numpy as np

from tests.programs import program

M = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def ints(*xs):
    return [lambda x=x: (x,) for x in xs]


def tuples(*xs):
    return [lambda x=x: x for x in xs]


# --- Random numbers -------------------------------------------------------------------------------


@program("words loop checks", *tuples((88172645463325252, 5), (1, 1), (1, 0), (2**63 - 1, 3)))
def xorshift64(seed, n):
    x = seed
    for _ in range(n):
        x ^= (x << 13) & M
        x ^= x >> 7
        x ^= (x << 17) & M
    return x


@program("words checks", *ints(12345, 0, 2**63 - 1, -1))
def splitmix64(state):
    state = (state + GOLDEN) & M
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M
    return state, z ^ (z >> 31)


@program("words loop", *tuples((42, 10), (2**63 - 1, 3), (0, 0)))
def linear_congruential(seed, n):
    x = seed
    for _ in range(n):
        x = x * 6364136223846793005 + 1442695040888963407 & (2**64 - 1)
    return x, x >> 33


@program("words lists loop", lambda: (42, 54, 4))
def pcg32(seed, seq, n):
    state, inc = 0, ((seq << 1) | 1) & M
    state = (state * 6364136223846793005 + inc) & M
    state = (state + seed) & M
    state = (state * 6364136223846793005 + inc) & M
    out = []
    for _ in range(n):
        old = state
        state = (old * 6364136223846793005 + inc) & M
        xorshifted = (((old >> 18) ^ old) >> 27) & 0xFFFFFFFF
        rot = old >> 59
        out.append(((xorshifted >> rot) | (xorshifted << ((-rot) & 31))) & 0xFFFFFFFF)
    return out


class Splitmix:
    def __init__(self, seed):
        self.s = seed

    def next(self):
        self.s = (self.s + GOLDEN) & M
        z = self.s
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M
        return z ^ (z >> 31)

    def random(self):
        return (self.next() >> 11) * (1.0 / (1 << 53))

    def below(self, n):
        return self.next() % n


@program("words class instance loop", *tuples((7, 5), (-7, 5)))
def in_a_class(seed, n):
    draws = Splitmix(seed)
    out, a, total = np.zeros(n), np.arange(10), 0
    for i in range(n):
        out[i] = draws.random()
        total += a[draws.below(10)]
    return out, total, draws.s


class Xoroshiro:
    def __init__(self, a, b):
        self.s0, self.s1 = a, b

    @staticmethod
    def rotl(x, k):
        return ((x << k) | (x >> (64 - k))) & M

    def next(self):
        s0, s1 = self.s0, self.s1
        result = (s0 + s1) & M
        s1 ^= s0
        self.s0 = self.rotl(s0, 24) ^ s1 ^ ((s1 << 16) & M)
        self.s1 = self.rotl(s1, 37)
        return result


@program("words class instance lists loop", lambda: (1, 2, 6))
def xoroshiro128(a, b, n):
    draws = Xoroshiro(a, b)
    return [draws.next() for _ in range(n)]


@program("words lists loop checks", lambda: (1, 2, 3, 4, 5))
def xoshiro256(a, b, c, d, n):
    s = [a, b, c, d]
    found = 0
    for _ in range(n):
        x = (s[1] * 5) & M
        found = (((x << 7) | (x >> 57)) & M) * 9 & M
        t = (s[1] << 17) & M
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = ((s[3] << 45) | (s[3] >> 19)) & M
    return found, s


@program("words generator", lambda: (3, 8))
def from_a_generator(seed, n):
    def draws(s):
        while True:
            s = (s * 6364136223846793005 + 1) & M
            yield s

    total = count = 0
    for v in draws(seed):
        total ^= v
        count += 1
        if count == n:
            return total


@program("words closure", lambda: (3, 8))
def from_a_closure(seed, n):
    state = seed

    def draw():
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) & M
        return state >> 33

    return sum(draw() for _ in range(n)), state


@program("words loop", lambda: (np.arange(10), 99))
def shuffled(a, seed):
    x = seed
    for i in range(len(a) - 1, 0, -1):
        x ^= (x << 13) & M
        x ^= x >> 7
        x ^= (x << 17) & M
        j = x % (i + 1)
        a[i], a[j] = a[j], a[i]
    return a


@program("words loop", lambda: (100, 42))
def area_of_a_circle(n, x):
    hits = 0
    for _ in range(n):
        x = (x * 6364136223846793005 + 1) & M
        u = x / 2**64
        x = (x * 6364136223846793005 + 1) & M
        v = (x >> 11) / 9007199254740992
        hits += u * u + v * v < 1.0
    return 4 * hits / n


# --- Hashes ---------------------------------------------------------------------------------------


@program("words lists loop checks", lambda: ([1, 2, 3, 200, 255],), lambda: ([],), lambda: ([-1],))
def fnv1a(data):
    h = 0xCBF29CE484222325
    for b in data:
        h = ((h ^ b) * 0x100000001B3) % 2**64
    return h


@program("words text loop", lambda: ("a text of some length" * 4,), lambda: ("",))
def fnv1a_of_a_text(text):
    h = 14695981039346656037
    for c in text:
        h ^= ord(c)
        h = h * 1099511628211 & M
    return h


@program("words checks", *ints(123456789, 0, 2**62 + 17))
def murmur_finalizer(k):
    k ^= k >> 33
    k = (k * 0xFF51AFD7ED558CCD) & M
    k ^= k >> 33
    k *= 0xC4CEB9FE1A85EC53
    k &= M
    k ^= k >> 33
    return k


@program("words lists while", lambda: ([1, 2, 3], 16), lambda: ([2**62, 5], 4))
def open_addressing(keys, size):
    slots = [-1] * size
    for key in keys:
        i = ((key * GOLDEN & M) >> 32) % size
        while slots[i] != -1:
            i = (i + 1) % size
        slots[i] = key
    return slots


@program("words lists sorting loop", *ints(7, 9))
def zobrist(n):
    x, table = 1070372, []
    for _ in range(n):
        x ^= x >> 12
        x ^= (x << 25) & M
        x ^= x >> 27
        table.append((x * 2685821657736338717) & M)
    h = 0
    for i in range(0, n, 2):
        h ^= table[i]
    table.sort()
    return h, table, max(table), table[0] in table, table.index(table[3])


@program("words dict sets", lambda: (12345, 7), lambda: (-1, 3))
def keys_of_dicts(x, n):
    d, s = {}, set()
    for i in range(n):
        x = (x * GOLDEN + 1) & M
        d[x] = i
        s.add(x)
    return d, x in d, len(s), 5 in s


@program("words optional tuples loop", *ints(9, 0))
def least_hash(n):
    least, best, first = M, None, (0, -1)
    for i in range(n):
        h = (i * GOLDEN) & M
        if h < least:
            least = h
        if best is None or h > best:
            best = h
        first = max(first, (h, i))
    return least, best, first


@program("words recursion", lambda: (7, 10))
def by_recursion(n, depth):
    def go(x, k):
        return x & M if k == 0 else (go(x + 1, k - 1) * 31 + k) & M

    return go(n, depth)


# --- Bits -----------------------------------------------------------------------------------------


def mixed(x, r=13):
    x &= M
    return ((x << r) ^ (x >> (64 - r))) & M


@program("words checks", *tuples((5, 3), (2**63 - 1, 64), (1, 63), (-1, 17)))
def rotations(x, r):
    y = x & M
    left = ((y << r) | (y >> (64 - r))) & M
    return left, ((y >> r) | (y << (64 - r))) & M, mixed(mixed(x), 7), mixed(r=3, x=5)


@program("words checks", *ints(0, 63, 5))
def one_bit(square):
    bit = (1 << square) & M
    return bit, bit - 1 & M, bit.bit_length(), ~bit & M, bit & -bit


@program("words lists while checks", lambda: ([3, 63, 17],), lambda: ([],))
def bitboard(squares):
    board = 0
    for square in squares:
        board |= (1 << square) & M
    bits, rest = [], board
    while rest:
        low = rest & -rest
        bits.append(low.bit_length() - 1)
        rest &= rest - 1
    return board, bits


@program("words checks", *ints(2**63 - 1, -1, 0, 12345))
def counted_bits(n):
    x = n & M
    y = x - ((x >> 1) & 0x5555555555555555)
    y = (y & 0x3333333333333333) + ((y >> 2) & 0x3333333333333333)
    y = (y + (y >> 4)) & 0x0F0F0F0F0F0F0F0F
    by_hand = ((y * 0x0101010101010101) & M) >> 56
    return by_hand, x.bit_count(), x.bit_length(), bin(x).count("1")


@program("words checks", *tuples((5, 3), (0, -2), (2**63 - 1, 64), (-1, -63), (-(2**63), 100)))
def bitwise(a, b):
    w = a & M
    ands = w & b, w & 0xFF, w & 2**63, w & -1, w & (2**70 + 3), -1 & w
    ors = w | (b & 0xFF), w | 2**63, w ^ (b & M), w ^ M
    return ands, ors, ~w & M, -w & M, -a & M, ~a & M, (0 - a) % 2**64, a % (1 << 64)


@program(
    "words except checks",
    *tuples((5, 3), (0, -2), (2**63 - 1, 64), (-1, 63), (-1, 0), (-(2**63), 100)),
)
def shifts(a, b):
    w = a & M
    try:
        return w >> b, (w << b) & M, (w << b) % 2**64, (a << b) & M
    except ValueError as error:
        return str(error)


@program("words checks", lambda: (5, 7), lambda: (2**63 - 1, 2**63 - 1), lambda: (-1, -1))
def high_product(a, b):
    a, b = a & M, b & M
    a0, a1, b0, b1 = a & 0xFFFFFFFF, a >> 32, b & 0xFFFFFFFF, b >> 32
    low, one, other, high = a0 * b0 & M, a0 * b1 & M, a1 * b0 & M, a1 * b1 & M
    middle = (low >> 32) + (one & 0xFFFFFFFF) + (other & 0xFFFFFFFF)
    return high + (one >> 32) + (other >> 32) + (middle >> 32)


# --- Other arithmetic -----------------------------------------------------------------------------


@program("words except checks", *ints(5, 0, 2**63 - 1, -1, -(2**63)))
def quotients(n):
    w = n * 3 & M
    try:
        found = w // 7, w % 7, w // 1, w % (2**63 + 5), w // (2**63 + 5), divmod(w, 2**64)
        return found, divmod(w, 10), w // n if n > 0 else 0, w / 2**64, 7 % w, 7 // w
    except ZeroDivisionError as error:
        return str(error)


@program("words while checks", *ints(7, -3, 0))
def digits(n):
    w = n * GOLDEN & M
    out, left = [], w
    while left:
        out.append(left % 10)
        left //= 10
    a, b = w, 1 << 40
    while b:
        a, b = b, a % b
    return out, a, [(w >> (8 * i)) & 0xFF for i in range(8)]


@program("words checks", *tuples((5, 3), (0, -2), (2**63 - 1, 64), (-1, -63), (-(2**63), 0)))
def compared(a, b):
    w, v = a & M, b & M
    orders = w < v, w == v, w <= b, w > b, w == b, w != 2**64 - 1, w >= 2**63, w < 2**64, w == a
    floats = w < 1.5, w == 2.0**63, w > float("inf")
    return orders, floats, max(w, v), min(w, b), bool(w), not w, w in (v, b), abs(w), int(w)


@program("words modulo checks", *tuples((5, 9), (-5, 9), (2**63 - 1, 2**63 - 1)))
def remainders(a, b):
    w = a & M
    return (w * b) % 1000003, (w * w + b) % (2**61 - 1), (w + w) % 10**9, (w + w) & M


@program(
    "words except checks", *tuples((5, 3), (2**63 - 1, 1), (-1, 0), (2**32, 2**31), (2**32, 3))
)
def sums_and_products(a, b):
    w = a & M
    return w - b, w + b, w * b, w - (b & M) // 2 if w < 2**62 else 0


@program("words text floats", *ints(9, -1, 2**53, 0))
def texts_and_floats(n):
    w = n * 6364136223846793005 & M
    shown = str(w), hex(w), oct(w), f"{w:016x}", f"{w:>30}", f"{w:x}", f"{w:064b}"
    return shown, float(w), math.sqrt(w), w * 2.0**-64, w + 0.5, w / 2, round(w)


@program(
    "words uint64", *[lambda s=s: (np.array([1, 2**64 - 1], np.uint64), s) for s in (9, -9, 0)]
)
def beside_uint64(a, s):
    w = s * 6364136223846793005 & M
    found = a ^ w, a + w, a > w, a[0] * 3 == w, np.uint64(w), w & a
    a[0] = w
    return found, a


@program("words branch", *ints(7, 0, -4))
def on_paths(n):
    w = n * GOLDEN & M if n else n
    v = w if n > 3 else 5
    return w, v, (w if n > 3 else 0) ^ 1, w >> 1 if w >= 0 else -w


@program("words branch checks", *tuples((-5, True), (-5, False), (5, True), (5, False)))
def below_zero_on_a_path(x, c):
    y = x * GOLDEN & M if c else x
    return y, y >> 1 if y >= 0 else -y


# --- Arguments and tables -------------------------------------------------------------------------

LARGE = 2**63 + 5


@program("words arguments checks", *ints(5, 2**64 - 1, 2**63, -5, 2**64 - 2))
def given(x):
    return x & 0xFF, x % 1000, x >> 1, x


@program("words arguments checks", *tuples((2**64 - 1, 5), (2**63, 7), (5, 2), (5, LARGE)))
def several_given(x, y):
    return x ^ y, x | y, x & y, x > y, x == y, float(x), max(x, y)


@program(
    "words arguments lists mutation",
    lambda: ([LARGE, 5, 7], {"s": LARGE, "n": 3}, (LARGE, 3)),
    lambda: ([1, 5, 7], {"s": 5, "n": 3}, (3, 3)),
)
def containers_given(xs, d, t):
    total, (a, b) = 0, t
    for x in xs:
        total ^= x
    xs[0] = 2
    d["s"] = (d["s"] * 3 + d["n"]) & M
    return total, d["s"] >> 3, a ^ b, t


class State:
    def __init__(self, s):
        self.s = s

    def __eq__(self, other):
        return self.s == other.s

    __hash__ = None


@program("words arguments instance mutation loop", lambda: (State(LARGE), 3), lambda: (State(3), 3))
def instance_given(state, n):
    for _ in range(n):
        state.s = (state.s * 6364136223846793005 + 1) & M
    return state.s >> 1


ROUNDS = [0x9D39247E33776D41, 0x2AF7398005AAA5C7, 0x44DB015024623547, 0x9C15F73E62A76AE2]


@program("words lists global", lambda: ([0, 1, 3],), lambda: ([2],), lambda: ([],))
def from_a_table(pieces):
    h = 0
    for p in pieces:
        h ^= ROUNDS[p]
    return h


@program("words lists", lambda: ([LARGE + i for i in range(100)], 3), lambda: ([*range(100)], 3))
def long_list_given(xs, i):
    table = [0x9D39247E33776D41, 0x2AF7398005AAA5C7, 5, 0x9C15F73E62A76AE2]
    return xs[i], xs[i % 5] ^ xs[7], table[i] ^ table[(i + 1) % 4]


BOARD = [[(i * 64 + j) * GOLDEN % 2**64 for j in range(64)] for i in range(12)]
DRAWS = [(i + 1) * 0xBF58476D1CE4E5B9 & M for i in range(100)]


@program("words arguments lists global", lambda: ([(0, 5), (11, 63)],), lambda: ([],))
def zobrist_keys(pieces):
    h = 0
    for piece, square in pieces:
        h ^= BOARD[piece][square]
    return h


@program("words arguments lists mutation", lambda: ([*DRAWS], 3), lambda: ([*range(100)], 7))
def long_list_changed(xs, i):
    xs[i] = (xs[i] * 3) & M
    xs[2] ^= xs[3]
    return xs[i] >> 5, max(xs), len(xs), xs[5] in xs, xs.index(xs[7]), xs[3:5]


@program("words arguments lists mutation", lambda: ([row[:20] for row in BOARD[:9]], 2, 3))
def rows_changed(table, i, j):
    table[i][j] ^= table[j][i]
    return table[i][j] >> 1, [row[0] for row in table]


@program("words checks", *tuples((5, 7), (-1, -1), (2**63 - 1, 2**40)))
def proven_to_fit(a, b):
    low, high = (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF), (a >> 32 & 0xFFFFFFFF) * (b & 0xFFFFFFFF)
    return low, high, low >> 32, low % 1000003, 1 << (a & 63), (1 << (b & 63)) - 1
