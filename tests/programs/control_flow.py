"""Branches, loops and exits of every kind, on scalars and small arrays."""

import math

import numpy as np

from tests.programs import program


@program("while float", lambda: (2.0, 1e-12), lambda: (0.25, 1e-6), lambda: (3, 1e-9))
def newton_sqrt(x, tol):
    y = x
    while abs(y * y - x) > tol:
        y = 0.5 * (y + x / y)
    return y


@program("while int", lambda: (27,), lambda: (1,), lambda: (97,))
def collatz_length(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@program("while int", lambda: (1071, 462), lambda: (17, 0), lambda: (0, 0), lambda: (48, 36))
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@program("for break return", lambda: (91,), lambda: (97,), lambda: (2,), lambda: (1,))
def smallest_divisor(n):
    if n < 2:
        return 0
    for d in range(2, n):
        if d * d > n:
            break
        if n % d == 0:
            return d
    return n


@program("for else break", lambda: (10,), lambda: (30,), lambda: (0,))
def count_primes(limit):
    found = 0
    for n in range(2, limit):
        for d in range(2, n):
            if n % d == 0:
                break
        else:
            found += 1
    return found


@program("while else continue", lambda: (12,), lambda: (0,), lambda: (1,))
def skip_and_else(n):
    total = 0
    i = 0
    while i < n:
        i += 1
        if i % 3 == 0:
            continue
        if i > 9:
            break
        total += i
    else:
        total = -total
    return total


@program(
    "for return nested",
    lambda: (np.array([[1, 5], [7, 2]]), 7),
    lambda: (np.array([[1, 5], [7, 2]]), 3),
)
def find_in_grid(grid, wanted):
    rows, cols = grid.shape
    for i in range(rows):
        for j in range(cols):
            if grid[i, j] == wanted:
                return i, j
    return -1, -1


@program("for zero-trip", lambda: (0,), lambda: (-5,), lambda: (4,))
def zero_trip(n):
    last = 100
    for i in range(n):
        last = i
    return last


@program(
    "range step", lambda: (10, 0, -3), lambda: (0, 10, 4), lambda: (5, 5, 1), lambda: (0, 3, -1)
)
def any_range(start, stop, step):
    total = 0
    count = 0
    for i in range(start, stop, step):
        total = total * 2 + i
        count += 1
    return total, count


@program(
    "short-circuit", lambda: (np.array([3.0, -1.0, 2.0]), 3), lambda: (np.array([3.0, 1.0]), 2)
)
def guarded_index(x, n):
    i = 0
    while i < n and x[i] > 0:
        i += 1
    return i


@program("short-circuit value", lambda: (0, 5), lambda: (3, 5), lambda: (0, 0))
def or_and_values(a, b):
    return a or b, a and b, not a


@program("chained comparison", lambda: (1, 2, 3), lambda: (3, 2, 1), lambda: (2.0, 2, 5))
def between(lo, x, hi):
    inside = lo <= x < hi
    if lo < x < hi != 7:
        return x, inside
    return hi, inside


@program("conditional expression", lambda: (3.5,), lambda: (-2.0,), lambda: (0.0,))
def sign(x):
    return 1 if x > 0 else (-1 if x < 0 else 0)


@program("elif", lambda: (-1.0,), lambda: (5.0,), lambda: (20.0,), lambda: (1e9,))
def tax(income):
    if income < 0:
        rate, base = 0.0, 0.0
    elif income < 10.0:
        rate, base = 0.1, 0.0
    elif income < 100.0:
        rate, base = 0.2, 10.0
    else:
        rate, base = 0.4, 28.0
    return base + rate * income


@program("widening", lambda: (5,), lambda: (0,))
def int_becomes_float(n):
    acc = 0
    for k in range(n):
        acc = acc + 0.5 * k
    return acc * 1.0


@program("while true break", lambda: (0.5,), lambda: (0.9,))
def until_small(r):
    term, total, n = 1.0, 0.0, 0
    while True:
        total += term
        term *= r
        n += 1
        if term < 1e-6:
            break
    return total, n


@program("nested break continue", lambda: (6, 7), lambda: (0, 3), lambda: (3, 0))
def tangled(n, m):
    acc = 0
    for i in range(n):
        if i == 4:
            continue
        for j in range(m):
            if j > i:
                break
            if (i + j) % 3 == 0:
                continue
            acc += i * j + 1
            if acc > 50:
                return -acc
        else:
            acc += 100
    return acc


@program("triple exit", lambda: (30,), lambda: (100,), lambda: (7,))
def pythagorean(limit):
    for a in range(1, limit):
        for b in range(a, limit):
            c2 = a * a + b * b
            for c in range(b, limit):
                if c * c > c2:
                    break
                if c * c == c2 and a + b + c > 24:
                    return a, b, c
    return 0, 0, 0


@program("raise fstring", lambda: (4.0,), lambda: (-1.5,))
def checked_sqrt(x):
    if x < 0:
        raise ValueError(f"negative input: {x}")
    return math.sqrt(x)


@program("raise in loop", lambda: (np.array([1.0, 2.0]),), lambda: (np.array([1.0, 0.0, 2.0]),))
def inverse_all(xs):
    out = np.zeros_like(xs)
    for i in range(len(xs)):
        if xs[i] == 0:
            raise ZeroDivisionError(f"element {i} is zero")
        out[i] = 1 / xs[i]
    return out


@program("assert", lambda: (3, 4), lambda: (4, 3))
def asserted(lo, hi):
    assert lo <= hi, "bounds are swapped"
    return hi - lo


@program("raise mutation", lambda: (np.zeros(4), 2), lambda: (np.zeros(4), 9))
def mutate_then_raise(x, limit):
    for i in range(4):
        x[i] = i * i
        if i >= limit:
            raise RuntimeError("limit reached")
    return x.sum()


@program("for over array", lambda: (np.array([1.0, 2.5, -3.0]),), lambda: (np.zeros(0),))
def kahan(values):
    total = 0.0
    c = 0.0
    for v in values:
        y = v - c
        t = total + y
        c = (t - total) - y
        total = t
    return total


@program("for over rows", lambda: (np.arange(12.0).reshape(4, 3),))
def row_norms(a):
    out = []
    for row in a:
        out.append(np.sqrt(row @ row))
    return np.array(out)


@program("enumerate zip", lambda: (np.array([2.0, 3.0]), np.array([5.0, 7.0])))
def weighted(xs, ws):
    acc = 0.0
    for i, (x, w) in enumerate(zip(xs, ws)):
        acc += (i + 1) * x * w
    return acc


@program("reversed", lambda: (np.array([1.0, -2.0, 3.0]), 2.0))
def horner(coefficients, x):
    value = 0.0
    for c in reversed(coefficients):
        value = value * x + c
    return value


@program("range reversed", lambda: (7,))
def countdown(n):
    digits = 0
    for k in reversed(range(n)):
        digits = digits * 10 + k
    return digits


@program("array condition", lambda: (np.array([4.0]),), lambda: (np.array([-4.0]),))
def one_element_condition(x):
    if x > 0:
        return x * 2
    return -x


@program("while array condition", lambda: (np.array([1.0, 8.0]),))
def halve_until_small(x):
    n = 0
    while np.max(np.abs(x)) > 0.1:
        x = x / 2
        n += 1
    return x, n


@program("return in while", lambda: (1.0, 3.0, 60), lambda: (2.0, 3.0, 60))
def bisect_cos(lo, hi, limit):
    if math.cos(lo) * math.cos(hi) > 0:
        return float("nan")
    n = 0
    while n < limit:
        mid = (lo + hi) / 2
        if math.cos(mid) == 0 or (hi - lo) / 2 < 1e-12:
            return mid
        if math.cos(mid) * math.cos(lo) > 0:
            lo = mid
        else:
            hi = mid
        n += 1
    return mid


@program(
    "early return chain", lambda: (0,), lambda: (5,), lambda: (15,), lambda: (-3,), lambda: (16,)
)
def fizzbuzz_code(n):
    if n < 0:
        return -1
    if n % 15 == 0:
        return 3
    if n % 5 == 0:
        return 2
    if n % 3 == 0:
        return 1
    return 0


@program("walrus", lambda: (100,), lambda: (3,))
def walrus_loop(n):
    total = 0
    while (half := n // 2) > 0:
        total += half
        n = half
    return total, n


@program("swap loop", lambda: (10,), lambda: (0,), lambda: (1,), lambda: (90,))
def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@program("three-way swap", lambda: (5,))
def rotate_three(n):
    a, b, c = 1, 2.5, 3
    for _ in range(n):
        a, b, c = b, c, a + 0.0
    return a, b, c


@program("pass flags", lambda: (np.array([3, 1, 2, 5, 4]),), lambda: (np.arange(5),))
def is_sorted(x):
    ok = True
    for i in range(1, len(x)):
        if x[i] < x[i - 1]:
            ok = False
            break
    return ok


@program("any all generator", lambda: (np.array([1, 2, 3]),), lambda: (np.array([1, -2, 3]),))
def any_all(x):
    return any(v < 0 for v in x), all(v > 0 for v in x)


@program("match", lambda: (3.0, "half"), lambda: (3.0, "double"), lambda: (3.0, "other"))
def match_mode(x, mode):
    match mode:
        case "half":
            return x / 2
        case "double" | "twice":
            return x * 2
        case _:
            return x


@program("match structure", lambda: ((1.0, 2.0),), lambda: ((3.0,),), lambda: (("pair", 4.0, 5.0),))
def match_shape(v):
    match v:
        case (x,):
            return x
        case ("pair", x, y):
            return x * y
        case (x, y):
            return x + y


@program("sentinel None", lambda: (np.array([1, 5, 8]), 5), lambda: (np.array([1, 5, 8]), 4))
def last_at_most(x, bound):
    best = -1
    for i in range(x.shape[0]):
        if x[i] <= bound:
            best = i
    return best


@program("default argument", lambda: (2.0,), lambda: (2.0, 3))
def power_by_squaring(base, exponent=10):
    result = 1.0
    e = exponent
    while e > 0:
        if e & 1:
            result *= base
        base *= base
        e >>= 1
    return result


@program("loop variable after", lambda: (8,))
def loop_variable_survives(n):
    s = 0
    for i in range(n):
        s += i
        if s > 10:
            break
    return i, s


@program("state machine", lambda: (np.array([0, 1, 1, 0, 2, 1, 0, 0, 2, 2]),))
def state_machine(tokens):
    state = 0
    accepted = 0
    for t in tokens:
        if state == 0:
            if t == 1:
                state = 1
            elif t == 2:
                state = 2
        elif state == 1:
            if t == 0:
                state = 0
                accepted += 1
            elif t == 2:
                state = 2
        else:
            if t == 2:
                accepted += 10
            state = 0
    return state, accepted


@program("with errstate", lambda: (np.array([1.0, 0.0, -1.0]),))
def quiet_division(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = 1 / x
    return np.where(np.isfinite(y), y, 0.0)


@program("del pass", lambda: (3.0,))
def del_name(x):
    temporary = x * 2
    y = temporary + 1
    del temporary
    pass
    return y


@program("bool arithmetic", lambda: (np.array([1.0, -2.0, 0.5]),))
def count_by_bool(x):
    n = 0
    for v in x:
        n += v > 0
    return int(n)


@program("while nested", lambda: (200,))
def digital_roots(n):
    total = 0
    k = 1
    while k <= n:
        m = k
        while m >= 10:
            s = 0
            while m:
                s += m % 10
                m //= 10
            m = s
        total += m
        k += 1
    return total


@program("branch types", lambda: (1, 2.5), lambda: (-1, 2.5))
def branch_arrays(flag, x):
    if flag > 0:
        y = np.full(3, x)
    else:
        y = np.arange(3) * x
    return y + 1


@program("complex while", lambda: (0.3 + 0.5j,), lambda: (1.0 + 1.0j,))
def escape_time(c):
    z = 0j
    n = 0
    while abs(z) <= 2.0 and n < 50:
        z = z * z + c
        n += 1
    return n


@program("raise types", lambda: (0,), lambda: (1,), lambda: (2,), lambda: (3,))
def many_errors(kind):
    if kind == 1:
        raise KeyError("kind one")
    if kind == 2:
        raise TypeError("kind", "two")
    if kind == 3:
        raise StopIteration
    return kind


class Divergence(Exception):
    """An exception class of the user's own."""


@program("raise custom", lambda: (0.5,), lambda: (4.5,))
def logistic_map(r):
    x = 0.5
    for i in range(40):
        x = r * x * (1 - x)
        if abs(x) > 1e3:
            raise Divergence(f"step {i}: x = {x:.3e}")
    return x


@program("assert array", lambda: (np.ones((2, 3)), np.ones(3)))
def static_asserts(a, v):
    assert a.ndim == 2
    assert a.shape[1] == len(v), "inner dimensions differ"
    return a @ v


@program(
    "break outer flag",
    lambda: (np.arange(20).reshape(4, 5), 23),
    lambda: (np.ones((3, 3), int), 99),
)
def flag_breaks_outer(grid, bound):
    total = 0
    done = False
    for i in range(grid.shape[0]):
        for j in range(grid.shape[1]):
            total += grid[i, j]
            if total > bound:
                done = True
                break
        if done:
            break
    return total, i, j


@program("counter float", lambda: (0.0, 1.0, 0.1))
def float_steps(t, end, dt):
    n = 0
    while t < end - 1e-9:
        t += dt
        n += 1
    return t, n


@program("negative division", lambda: (7, 2), lambda: (-7, 2), lambda: (7, -2), lambda: (-7, -2))
def floor_and_mod(a, b):
    return a // b, a % b, divmod(a, b), int(a / b)


@program(
    "float division",
    lambda: (7.5, 2.0),
    lambda: (-7.5, 2.0),
    lambda: (7.5, -2.0),
    lambda: (-0.0, 3.0),
)
def float_floor_and_mod(a, b):
    return a // b, a % b, divmod(a, b), math.fmod(a, b)


@program("checks index", lambda: (np.ones(5), 3), lambda: (np.ones(5), 0))
def an_index_proven_out_of_range(x, n):
    try:
        return x[(n - n) % 13 - 6]
    except IndexError:
        x[0] = -1.0
    return x[(n - n) + 5]


@program("tests of known arrays", lambda: (np.arange(4.0),))
def diagonals_by_known_offsets(x):
    made = np.zeros((4, 4))
    for k, v in zip(np.array([-1, 0, 1]), [x, x * 2, x * 3]):
        made += np.diag(v[abs(k) :], k) if k else 0
    parts = []
    for k in np.array([1, 0, 3]):
        if k > 0 and k != 2:
            parts.append(x[:k])
    return made, parts


@program("branch in loop rows", lambda: (np.linspace(0.0, 9.0, 40) ** 2 % 7, 2.5))
def speeds_that_turn_around(angles, target):
    speeds, direction = [target] * len(angles), 1.0
    for i in range(len(angles) - 1):
        turns = 0.7 <= abs(angles[i + 1] - angles[i]) < 1.5
        if turns:
            direction *= -1
        if direction != 1.0:
            speeds[i] = -target
        else:
            speeds[i] = target
        if turns:
            speeds[i] = 0.0
    return speeds
