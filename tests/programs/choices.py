"""Texts and members of enums that depend on the path taken."""

import heapq
from collections import Counter, deque
from enum import Enum, IntEnum, StrEnum, auto

import numpy as np

from tests.programs import program


class S(Enum):
    IDLE = auto()
    RUN = auto()
    DONE = "d"


@program("choice", lambda: (np.array([1, 0, 1, 1, 2, 0]),))
def machine(a):
    s = S.IDLE
    n = 0
    for v in a:
        if s is S.IDLE and v == 1:
            s = S.RUN
        elif s == S.RUN and v == 0:
            s = S.IDLE
        elif v == 2:
            s = S.DONE
        if s is S.RUN:
            n += 1
    return s, n


@program(
    "choice prints",
    lambda: (np.array([1.0, 0.5, 0.1]), 0.2),
    lambda: (np.array([1.0, 0.5, 0.3]), 0.2),
)
def conv(a, tol):
    status = "max iterations"
    k = 0
    for v in a:
        k += 1
        if v < tol:
            status = "converged"
            break
        if np.isnan(v):
            status = "failed"
            break
    print(f"{status} after {k}", status)
    return {"status": status, "k": k, "ok": status == "converged"}


@program("choice", lambda: (1.0,), lambda: (-1.0,), lambda: (0.0,))
def sign(x):
    s = "pos" if x > 0 else "neg" if x < 0 else "zero"
    if s in ("pos", "zero"):
        k = 1
    else:
        k = 2
    return s, k, len(s), s + "!", f"<{s:>6}>", s != "neg", bool(s), s < "p", "o" in s


@program("choice", lambda: (1.0,), lambda: (-1.0,))
def mixed_len(x):
    t = ("a", 1) if x > 0 else ("bc", 2)
    return t


@program("choice", lambda: (1.0,), lambda: (-1.0,))
def raises_(x):
    what = "big" if x > 0 else "small"
    if abs(x) > 0.5:
        raise ValueError(f"{what} value")
    return what


@program("choice", lambda: (1.0,), lambda: (-1.0,))
def raises2(x):
    what = "big" if x > 0 else "small"
    raise ValueError(what)


@program("choice", lambda: (4,), lambda: (5,))
def parity(n):
    total = 0
    mode = "even"
    for i in range(n):
        total += i if mode == "even" else -i
        mode = "odd" if mode == "even" else "even"
    return total, mode


@program("choice", lambda: (1.0,), lambda: (-1.0,))
def optional_str(x):
    err = None
    if x < 0:
        err = "negative"
    return err


@program("choice", lambda: (1.0,), lambda: (-3.0,), lambda: (9.0,))
def errs(x):
    try:
        if x < 0:
            raise ValueError("neg")
        if x > 5:
            raise ValueError("large")
        return "ok"
    except ValueError as e:
        return "failed: " + str(e)


@program("choice", lambda: (3,), lambda: (12,))
def padding(n):
    mode = "edge" if n > 10 else "reflect"
    return np.pad(np.arange(4.0), 1, mode=mode)


@program("choice", lambda: (3,), lambda: (12,))
def tables(n):
    d = {"lo": 1.5, "hi": 2.5}
    return d["lo" if n < 10 else "hi"]


def status_of(x):
    if x > 1:
        return "hot"
    if x < -1:
        return "cold"
    return "mild"


@program("choice", lambda: (np.array([0.0, 2.0, -5.0, 3.0]),))
def count_status(a):
    hot = 0
    for v in a:
        if status_of(v) == "hot":
            hot += 1
    return hot, status_of(a[0]), [status_of(v) for v in a]


@program("choice", lambda: (2.0,), lambda: (0.5,))
def enumval(x):
    s = S.RUN if x > 1 else S.IDLE
    return s.value, s.name, s is S.RUN, isinstance(s, S)


class Color(IntEnum):
    R = 1
    G = 2


@program("choice", lambda: (2.0,), lambda: (0.5,))
def intenum(x):
    c = Color.R if x > 1 else Color.G
    return c == Color.R, int(c)


@program("choice", lambda: (2.0,), lambda: (0.5,))
def match_choice(x):
    s = "a" if x > 1 else "b"
    match s:
        case "a":
            return 1
        case "b":
            return 2
    return 3


@program("choice", lambda: (3,))
def closures_differ(n):
    def a(x):
        return x + 1

    def b(x):
        return x + 20

    g = a
    y = 0
    while y < n:
        y = y + g(1)
        g = b
    return y


class Phase(Enum):
    SOLID = (1, 0.5)
    LIQUID = (2, 1.5)

    def __init__(self, rank, heat):
        self.rank = rank
        self.heat = heat

    def other(self):
        return Phase.LIQUID if self is Phase.SOLID else Phase.SOLID

    @property
    def double(self):
        return self.heat * 2

    @staticmethod
    def unit():
        return 1.0


@program("choice enum", lambda: (5,), lambda: (0,), lambda: (4,))
def attributes_of_members(n):
    phase, total = Phase.SOLID, 0.0
    for k in range(n):
        phase = phase.other()
        rank, heat = phase.value
        total += phase.heat + phase.double * rank + phase.rank - heat * k
    return total, phase.name, phase.value, phase.other().double, phase is Phase.SOLID


MAZE = ["#########", "#S..#...#", "#.#...#.#", "#...#..E#", "#########"]


@program("characters of rows, at places that data decides", lambda: (MAZE,), lambda: (["S#E"],))
def steps_through_a_maze(grid):
    height, width = len(grid), len(grid[0])
    for i in range(height):
        for j in range(width):
            if grid[i][j] == "S":
                start = i, j
    steps = np.full((height, width), -1)
    steps[start] = 0
    queue = deque([start])
    while queue:
        y, x = queue.popleft()
        if grid[y][x] == "E":
            return steps[y, x], steps
        for dy, dx in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            v, u = y + dy, x + dx
            if 0 <= v < height and 0 <= u < width and grid[v][u] != "#" and steps[v, u] < 0:
                steps[v, u] = steps[y, x] + 1
                queue.append((v, u))
    return None


@program("functions of characters", lambda: (np.array([0, 4, 2, 3]),), lambda: (np.arange(4),))
def values_of_characters(at):
    key, words = "a1b2C", ["one", "three", "", "seventeen"]
    word, character = words[at[3]], key[at[1]]
    kinds = [key[i].isdigit() for i in at], character.isupper(), key[at[0]].upper() in "AB"
    numbers = ord(character) - ord("a"), "2Cab1".index(character), word.count("e")
    pieces = word[-1], word[::2], word[at[0]], word[-1 - at[0]], character.lower() + word.title()
    return kinds, numbers, pieces, [ord(key[i]) for i in at]


@program("what functions of characters raise", lambda: (np.array([1]),), lambda: (np.array([0]),))
def number_in_a_text(at):
    try:
        return int("4x"[at[0]]), at
    except ValueError as error:
        return len(str(error)), at


@program(
    "checks past the end of texts",
    lambda: (np.array([1, 2]),),
    lambda: (np.array([0, 2]),),
)
def character_out_of_range(at):
    return ["abc", "ab"][at[0]][at[1]], ["abc", "xyz"][at[0]][-1 - at[1]]


class Level(IntEnum):
    LOW = 1
    MID = 2
    HIGH = 3

    @classmethod
    def of(cls, x):
        return cls.HIGH if x > 0.66 else cls.MID if x > 0.33 else cls.LOW


@program(
    "numbers of members", lambda: (np.array([0.1, 0.5, 0.9]),), lambda: (np.array([0.7, 0, 0]),)
)
def levels_as_numbers(x):
    levels = [Level.of(v) for v in x]
    first, last = levels[0], levels[-1]
    sums = first + 1, 10 - last, sum(levels), first * 0.5, -1 * last, 2**first
    items = np.arange(5.0)[first], [10, 20, 30, 40][last], np.array(levels), x[: first - 1]
    table = {Level.LOW: "low", Level.MID: "mid", Level.HIGH: "high"}
    tests = first < last, first >= last, first > len(sums) - x[0], max(levels), min(first, last)
    return sums, items, tests, table[first], [int(level) for level in levels], float(last)


@program("order of texts", lambda: (np.array([2.0, 1.0, 0.5]),), lambda: (np.array([1.0, 1, 1]),))
def events_with_texts(times):
    words = ["leave" if t > 0.7 else "arrive" for t in times]
    events = [(0.0, "open", 0)]
    for i, t in enumerate(times):
        heapq.heappush(events, (t, "leave" if t > 1.5 else "arrive", i))
        heapq.heappush(events, (t, "close" if t < 1 else "arrive", -i))
    order, clock = [], 0.0
    while events:
        clock, kind, i = heapq.heappop(events)
        order.append((len(kind), i))
        if kind == "leave" and clock < 3:
            heapq.heappush(events, (clock + 1, "done", i))
    return order, clock, words[0] < words[-1], words[1] >= words[2]


@program("choice dicts", lambda: ([0, 1, 2, 1, 1, 0],))
def members_as_keys(xs):
    members = list(Phase)
    counts = Counter()
    places = {}
    pairs = set()
    before = members[0]
    for i, x in enumerate(xs):
        phase = members[x % len(members)]
        counts[phase] += 1
        places.setdefault(phase, []).append(i)
        pairs.add((before, phase))
        before = phase
    return counts, {phase.name: where for phase, where in places.items()}, len(pairs)


@program("checks choice dicts", lambda: ([0, 1, 1, 0, 1], 0), lambda: ([0, 1, 1, 0, 1], 1))
def members_taken_out(xs, missing):
    counts = dict.fromkeys(S, 0)
    s = S.IDLE
    for x in xs:
        s = S.RUN if x else S.DONE
        counts[s] += 1
    del counts[s]
    return s in counts, S.IDLE in counts, counts[s] if missing else len(counts)


@program("states that are bytes", lambda: (1.0, 3), lambda: (-1.0, 3))
def states_of_bytes(x, n):
    task, steps, seen = b"START", 0, []
    while task[:4] != b"DONE":
        steps += 1
        task = b"DONE: all" if steps > n else b"RUN" if x > 0 else b"WAIT"
        seen.append(task)
    kinds = {b"RUN": 1, b"WAIT": 2}[seen[0]], seen[0] in (b"RUN", b"STOP"), seen[0].startswith(b"R")
    return task, steps, seen[0], len(seen[0]), seen[0] + b"!", seen[0].decode(), kinds


@program("bytes are no text", lambda: (1.0,), lambda: (-1.0,))
def bytes_or_text(x):
    s = b"ab" if x > 0 else "ab"
    return s, s == "ab", s == b"ab"


LINKS = {"a": {"b": 1, "c": 4}, "b": {"a": 2}, "c": {}}


@program("choice dicts", lambda: ([1.0, -2.0, 3.0],), lambda: ([],))
def what_is_there_by_setdefault(xs):
    k, t = "a", 0
    for x in xs:
        links = LINKS.setdefault(k, {})
        t += links.get("b", 0) * 10 + len(links)
        k = "b" if x > 0 else "c"
    return t


class Day(IntEnum):
    MON, TUE, WED = range(3)


class Shade(Enum):
    LIGHT = "light"
    DARK = "dark"

    @classmethod
    def _missing_(cls, value):
        return cls.LIGHT if value == "pale" else None


class Tint(StrEnum):
    RED = "red"
    BLUE = "blue"


@program("choice", lambda: (np.array([3, 1, 2, 0]),), lambda: (np.array([1, 7, 2, 0]),))
def members_by_value(x):
    days, refused = [], []
    for v in x.tolist():
        try:
            days.append(Day(v - 1).name)
        except ValueError as e:
            refused.append(str(e))
    names = ["LIGHT", "DARK"]
    return days, refused, Shade[names[int(x[0]) % 2]], Day(x[2])


@program("choice", lambda: (["dark", "pale", "light"],), lambda: (["dark", "none"],))
def members_by_text(words):
    return [Shade(w).name for w in words], Shade(Shade(words[0])) is Shade.DARK


@program("choice", lambda: (np.arange(9),), lambda: (np.arange(9)[::-1].copy(),))
def members_in_lists(x):
    days, pairs, mixed = [], [], []
    for v in x:
        if v % 2:
            days.append(Day.MON)
            pairs.append((Day.MON, int(v)))
            mixed.append(int(v))
        elif v % 3:
            days.append(Day.WED)
            pairs.append((Day.WED, int(v)))
            mixed.append(Day.TUE)
    found = days.index(2), Day.WED in days, 2 in days, 7 in days, days.count(0), (2, 4) in pairs
    of_all = sum(days), max(days), min(days, default=4), sorted(days), np.mean(days)
    return days, sorted(pairs), mixed, found, of_all, days[-1].name, [d * 2 for d in days]


@program("choice", lambda: (np.array([3, 1, 2, 8]), 4), lambda: (np.array([0, 4, 4, 1]), 1))
def numbers_as_keys(x, n):
    counts = {d: 0 for d in Day}
    last, seen, by_number = {}, {1}, {0: 0.5, 1: 1.5}
    for v in x:
        counts[Day.MON if v > 1 else Day.TUE] += 1
        counts[(v + n) % 3] += 1
        last[Day(int(v) % 3)] = int(v)
        seen.add(Day(int(v) % 3))
    k = Day.MON if x[0] > 1 else Day.TUE
    return counts, last, seen, by_number[k], k in {0, 5}, k in [1, 7]


@program("choice", lambda: ([3, 1, 2, 5, 6], np.arange(5)), lambda: ([1, 1, 2, 5, 6], np.ones(2)))
def members_beside_numbers(xs, a):
    n = xs[0] - xs[1]
    k = Day.TUE if a[1] > 0 else Day.MON
    c = Color.R if a[1] > 0 else Color.G
    of_python = n + Day.TUE, n == Day.WED, Day.TUE <= n, n / Day.WED, divmod(n, Day.WED), n > k
    of_numpy = a + Day.WED, a[1] == Day.TUE, np.int8(3) + Day.TUE, a.astype(np.int8) * k, a[0] == k
    known = np.int8(3) < k, k != np.float32(3)
    return of_python, of_numpy, known, k == c, k is c, k == n, max(Day.TUE, k)


@program("choice", lambda: (np.arange(5.0),), lambda: (np.arange(5.0)[::-1].copy(),))
def members_that_are_texts(x):
    c = Tint.RED if x[1] > 1 else Tint.BLUE
    numbers = {"red": 1, "blue": 2}
    counts = {Tint.RED: 0, Tint.BLUE: 5, "green": 4}
    counts[c] += 1
    tints = [Tint.RED if v > 2 else Tint.BLUE for v in x]
    found = "red" in tints, tints.count("blue"), tints.index("red")
    return c == "red", c in numbers, numbers[c], counts, c is Tint.RED, found, "-".join(tints)


PLACES = {f"p{i}": [f"p{(7 * i + 5 * k) % 40}" for k in range(i % 3 + 1)] for i in range(40)}


@program("choice", lambda: (PLACES, np.array([3, 39, 0, 17])), lambda: (PLACES, np.array([], int)))
def many_lists_of_texts(places, x):
    """One of many lists of known texts, by place and by key."""
    rows, count, reached = list(places.values()), 0, []
    for i in x:
        for name in rows[i]:
            count += name == "p3"
        reached.append(rows[i][-1])
    return count, reached, [places[name][0] for name in reached]


class Person:
    def __init__(self):
        self.state, self.days = "S", 0


@program("choice", lambda: (np.array([5, 9, 4, 8, 2, 7, 1, 6]) / 10, 4))
def states_counted_in_each_step(draws, n):
    """A dict with keys for all states, in a list of as many as data says."""
    people, history = [Person() for _ in range(n)], []
    people[0].state = "I"
    for t in range(20):
        for i, person in enumerate(people):
            chance = draws[(3 * t + i) % len(draws)]
            if person.state == "I":
                person.days += 1
                if chance < 0.3:
                    person.state = "R"
            elif person.state == "S" and chance < 0.5:
                person.state = "I"
        counts = {"S": 0, "I": 0, "R": 0}
        for person in people:
            counts[person.state] += 1
        history.append(counts)
        if counts["I"] == 0:
            break
    return max(h["I"] for h in history), history[-1], len(history)


@program("choice", lambda: (np.array([5, 9, 4, 8]),))
def value_of_another_type_by_state(x):
    found = {"low": 0, "high": "none"}
    for v in x:
        name = "high" if v > 6 else "low"
        found[name] = found[name]
    return found


@program("texts", lambda: (4800.0,))
def texts_chosen_in_long_loops(x):
    """More iterations than are visited one by one."""
    n = int(x)
    words = [("", "fizz")[i % 3 == 0] + ["", "buzz"][i % 5 == 0] or str(i) for i in range(1, n)]
    sums = {"even": 0, "odd": 0}
    for i in range(5000):
        sums[["even", "odd"][i % 2]] += i
    return words[-20:], sums
