"""Lists of instances whose length data decides, and instances that refer to each other."""

import copy
import functools
import heapq
from collections import defaultdict, deque
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from tests.programs import program

DATA = np.array([3.0, 1.0, 2.0, 0.5, 2.5])


def samples(*ns):
    return [lambda n=n: (DATA.copy(), n) for n in ns]


@dataclass
class Particle:
    x: float
    k: int

    def move(self, d):
        self.x += d


@program("instances", lambda: (DATA,), lambda: (-DATA,))
def grown_and_changed(x):
    ps = [Particle(v, i) for i, v in enumerate(x) if v > 0.7]
    best = None
    for p in ps:
        p.move(1.0)
        if best is None or p.x > best.x:
            best = p
    if best is not None:
        best.k = 100
    return ps, best, sum(p.x for p in ps), len(ps), [p.k for p in reversed(ps)]


@program("instances", lambda: (DATA,))
def instances_have_several_names(x):
    ps, few = [], []
    for i, v in enumerate(x):
        p = Particle(v, i)
        if v > 0.7:
            ps.append(p)
            if v > 2:
                few.append((i, p))
        p.k += 10
    for _, p in few:
        p.x = -p.x
    most = max(ps, key=lambda p: p.x)
    ps[0], ps[1] = ps[1], ps[0]
    ps.insert(1, most)
    found = ps.index(Particle(2.0, 12)), Particle(9.0, 9) in ps, ps[1] is most, ps[0] is most
    ordered = sorted(ps, key=lambda p: (p.x, -p.k))
    del ps[-1]
    ps.remove(most)
    return ps, few, most, found, ordered, [copy.copy(p) for p in ps], ps[1:], ordered[0] == most


@program("instances", *samples(3, 9))
def stack_and_queue(x, n):
    stack, queue, out = [Particle(0.0, 0)], deque(), []
    while stack:
        p = stack.pop()
        out.append(p.x)
        if p.k < n:
            stack.append(Particle(p.x + x[p.k % 5], p.k + 1))
            if p.k % 3 == 0:
                queue.append(p)
                stack.append(Particle(p.x - 1.0, p.k + 2))
    while len(queue) > 1:
        p = queue.popleft()
        p.move(p.k)
        out.append(p.x)
    return sum(out), len(out), [p.x for p in queue]


class Event:
    def __init__(self, time, kind, who):
        self.time, self.kind, self.who = time, kind, who

    def __lt__(self, other):
        return (self.time, self.who) < (other.time, other.who)


@program("instances", *samples(2, 7))
def queue_of_events(x, n):
    heap, log = [], []
    for i in range(n):
        heapq.heappush(heap, Event(x[i % 5], "arrives", i))
    waiting = sorted(heap)
    while heap:
        e = heapq.heappop(heap)
        log.append((e.time, e.kind, e.who))
        if e.kind == "arrives" and e.time < 3:
            heapq.heappush(heap, Event(e.time + 1.5, "leaves", e.who))
    return log, [e.who for e in waiting]


class Node:
    def __init__(self, value):
        self.value = value
        self.left = None
        self.right = None


def insert(node, value):
    while True:
        if value < node.value:
            if node.left is None:
                node.left = Node(value)
                return
            node = node.left
        else:
            if node.right is None:
                node.right = Node(value)
                return
            node = node.right


@program("instances", *samples(1, 8))
def search_tree(x, n):
    root = Node(x[0])
    for i in range(1, n):
        insert(root, x[i % 5] * i)
    out, stack, cur = [], [], root
    while stack or cur is not None:
        while cur is not None:
            stack.append(cur)
            cur = cur.left
        cur = stack.pop()
        out.append(cur.value)
        cur = cur.right
    return out, root


class Link:
    def __init__(self, value, after):
        self.value, self.after = value, after


@program("instances", *samples(0, 5))
def linked_list_reversed(x, n):
    head, before = None, None
    for i in range(n):
        if x[i] > 0.7:
            head = Link(x[i], head)
    while head is not None:
        after = head.after
        head.after = before
        before, head = head, after
    return before


class Vertex:
    def __init__(self, name):
        self.name = name
        self.near = []
        self.parent = None
        self.seen = False


@program("instances", *samples(4))
def graph_search(x, n):
    vs = [Vertex(i) for i in range(n)]
    for i in range(n):
        vs[i].near.append(vs[int(x[i % 5] * 2) % n])
        vs[int(x[i % 5] * 3) % n].near.append(vs[i])
    queue, order = [vs[0]], []
    while queue:
        u = queue.pop(0)
        if u.seen:
            continue
        u.seen = True
        order.append(u.name)
        for w in u.near:
            if not w.seen:
                w.parent = u
                queue.append(w)
    return order, [v.parent.name if v.parent is not None else -1 for v in vs]


class Body:
    def __init__(self, at, mass):
        self.at, self.mass, self.speed = at, mass, np.zeros(at.shape)


@program("instances", *samples(5))
def bodies_of_arrays(x, n):
    bodies = []
    for i in range(n):
        if x[i] > 0.7:
            bodies.append(Body(x[:2] * i, 1.0 + i))
    for _ in range(3):
        for b in bodies:
            b.speed = b.speed + 0.1 * b.at
            b.at = b.at + b.speed
        bodies = [b for b in bodies if b.mass < 4]
    return bodies


class Account:
    def __init__(self, owner):
        self.owner, self.balance, self.history = owner, 0.0, []

    def deposit(self, amount):
        self.balance += amount
        self.history.append(amount)


@program("instances", *samples(5))
def instances_in_dicts(x, n):
    accounts, groups = {}, defaultdict(list)
    for i in range(n):
        k = int(x[i % 5])
        if k not in accounts:
            accounts[k] = Account(k)
        accounts[k].deposit(x[i % 5] + i)
        groups[k].append(Particle(x[i % 5], i))
    totals = {k: sum(p.x for p in ps) for k, ps in groups.items()}
    return accounts, [(a.owner, a.balance, len(a.history)) for a in accounts.values()], totals


@program("instances", lambda: (DATA, []), lambda: (np.array([5.0]), []))
def instances_for_the_caller(x, out):
    for i, v in enumerate(x):
        if v > 0.7:
            out.append(Particle(v, i))
    if len(out) > 1:
        raise ValueError(f"{out[0].x} and {len(out) - 1} more")
    return out


@program("instances", lambda: (DATA,))
def fields_of_several_types(x):
    ps = [Particle(v, i) for i, v in enumerate(x) if v > 0.7]
    ps[0].k = None
    ps[1].x = 2
    return ps, ps[0].k is None, ps[1].k is None, [p.x for p in ps]


@dataclass
class Nothing:
    pass


@program("equal instances", lambda: (np.float64(2.0),), lambda: (np.float64(-1.5),))
def kinds_of_equality(v):
    a, b = Particle(v, 1), Particle(v * 2, 1)
    first = a == b, a == Particle(v, 1), a != b, a == a, Nothing() == Nothing()
    return (
        first,
        Particle(1, v) == Particle(1, v),
        Particle(v, v) == Particle(v, v + 1),
        a in [b, a],
    )


class Spaced:
    def __init__(self, n):
        self.x = np.linspace(0, 1, n)
        self.computed = 0

    @functools.cached_property
    def dx(self):
        self.computed += 1
        return self.x[1] - self.x[0]

    @functools.cached_property
    def widths(self):
        self.computed += 1
        return np.diff(self.x)


@program("cached property in a loop", lambda: (5, 3), lambda: (5, 0))
def cached_in_loop(n, steps):
    g = Spaced(n)
    u = g.x.copy()
    for _ in range(steps):
        u += 0.2 * g.dx**2
        u[1:] += g.widths
    first = g.computed
    return u, first, g.dx, g.widths, g.computed, hasattr(g, "dx")


@program("cached property on a path", lambda: (5, 1.0), lambda: (5, -1.0))
def cached_on_a_path(n, flag):
    g = Spaced(n)
    y = g.dx if flag > 0 else 0.0
    before = g.computed
    return y + g.dx, g.dx, before, g.computed


SETTINGS = SimpleNamespace(scale=2.0, grid=SimpleNamespace(n=4, dx=0.25))


@program(
    "simple namespaces",
    lambda: (SimpleNamespace(a=1.5, w=DATA.copy()), 3.0),
    lambda: (SimpleNamespace(a=1, w=DATA.copy(), b=2), -1.0),
)
def namespaces(p, x):
    q = SimpleNamespace(a=x) if x > 0 else SimpleNamespace(a=2 * x)
    for i in range(SETTINGS.grid.n):
        q.a += i * SETTINGS.grid.dx
    p.w *= SETTINGS.scale
    p.a, p.new = p.a + x, q
    made = [SimpleNamespace(k=i, v=v) for i, v in enumerate(p.w)]
    return q, made, p, getattr(p, "b", None), isinstance(q, SimpleNamespace)


class Counter:
    def __init__(self):
        self.runs = 0


class Budget:
    def __init__(self, size, counter):
        self.size = size
        self.counter = counter


class Job:
    kind = 3

    def __init__(self, cost, after, budget):
        self.cost = cost
        self.after = after
        self.budget = budget

    @property
    def share(self):
        return self.cost / self.budget.size


class Rest(Job):
    kind = 4

    def __init__(self, cost, after, budget, note):
        super().__init__(cost, after, budget)
        self.note = note


class Note:
    def __init__(self, count):
        self.count = count


@program("instances of classes that have one each", lambda: (DATA,), lambda: (-DATA,))
def jobs_in_turn(x):
    counter = Counter()
    rest = Rest(1.0, None, Budget(0.5, counter), Note(0))
    jobs = first = Job(4.0, Job(2.0, rest, Budget(0.25, counter)), rest.budget)
    for v in x:
        first.cost += first.share * first.kind
        first.budget.counter.runs += 1
        if isinstance(first, Rest):
            first.note.count += 1
        first = first.after or jobs if v < 2 else first.after or rest
    return jobs.cost, jobs.after.cost, rest.cost, counter.runs, rest.note.count


class Disc:
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3.0 * self.r * self.r


class Strip:
    def __init__(self, width):
        self.width = width

    def area(self):
        return self.width


@program("an instance of its class alone among others", lambda: (DATA,), lambda: (-DATA,))
def one_strip_among_discs(x):
    shapes = []
    for i, v in enumerate(x):
        if v > 0.7:
            shapes.append((Disc(v), i))
    shapes.append((Strip(2.0), -1))
    total, last = 0.0, 0
    for shape, i in shapes:
        total += shape.area()
        last += i
    return total, last, len(shapes)


SCALES = np.array([1.0, 0.5])


@program("instances in pools, and an array of the module", lambda: (DATA,), lambda: (-DATA,))
def scaled_particles(x):
    ps = []
    for i, v in enumerate(x):
        if v > 0.7:
            ps.append(Particle(v, i))
    total = 0.0
    for p in ps:
        total += p.x * SCALES[p.k % 2]
    return total, ps


class Chained:
    """A list of links, which is iterated over."""

    def __init__(self, items=()):
        self.head = None
        for x in items:
            self.append(x)

    def append(self, x):
        link = Chain(x)
        if self.head is None:
            self.head = link
            return
        last = self.head
        while last.next:
            last = last.next
        last.next = link

    def __iter__(self):
        link = self.head
        while link:
            yield link.x
            link = link.next


class Chain:
    def __init__(self, x):
        self.x, self.next = x, None


@program("iterable instances in pools", lambda: ([4], [5]), lambda: ([4, 9], [5, 6, 1]))
def merged_chains(a, b):
    merged, p, q = Chained(), Chained(a).head, Chained(b).head
    while p and q:
        if p.x <= q.x:
            merged.append(p.x)
            p = p.next
        else:
            merged.append(q.x)
            q = q.next
    rest = p or q
    while rest:
        merged.append(rest.x)
        rest = rest.next
    return list(merged), sum(merged), sorted(merged, reverse=True)


class Branch:
    def __init__(self, value, parent=None):
        self.value = value
        self.parts = []
        self.parent = parent
        if parent is not None:
            parent.parts.append(self)
        self.low = value < 2

    def total(self):
        return self.value + sum(part.total() for part in self.parts)

    def depth(self):
        branch, depth = self, 0
        while branch.parent is not None:
            branch, depth = branch.parent, depth + 1
        return depth


@program("recursion of any depth instances", lambda: ([3, 5, 1, 0, 2, 8],), lambda: ([1],))
def instances_that_their_initializers_put_in_lists(numbers):
    branches = [Branch(0)]
    for i, number in enumerate(numbers):
        branches.append(Branch(number, branches[i * number % len(branches)]))
    low = [branch.value for branch in branches if branch.low]
    return branches[0].total(), max(branch.depth() for branch in branches), low


class Tally:
    def __init__(self, factor):
        self.factor = factor
        self.total = 0

    def add(self, number):
        self.total += number * self.factor

    def take(self, number):
        self.total -= number


@program("instances", lambda: ([3, 5, 1, 0, 2, 8],), lambda: ([1],))
def bound_methods_in_lists(numbers):
    tallies, listeners, queue = [], [], []
    single = Tally(3)
    for number in numbers:
        if number > 1:
            tallies.append(Tally(number))
            listeners.append(tallies[-1].add if number > 2 else tallies[-1].take)
            queue.append((-number, single.add))
    for number in numbers:
        for listener in listeners:
            listener(number)
    queue.sort(key=lambda pair: pair[0])
    for number, listener in queue[:2]:
        listener(number)
    return [tally.total for tally in tallies], single.total, len(listeners)


class Creature:
    def __init__(self, genes):
        self.genes, self.fitness = genes, -1.0


class Evolution:
    """Keeps a copy of the best of a population, whose genes it has in common with it."""

    def __init__(self, genes):
        self.population = [Creature(list(row)) for row in genes.tolist()]
        self.best = Creature([])

    def keep_best(self):
        best = self.population[0]
        for one in self.population:
            one.fitness = float(sum(one.genes))
            if one.fitness > best.fitness:
                best = one
        if self.best.fitness < best.fitness:
            self.best = copy.copy(best)

    def run(self, pairs):
        for self.generation in range(2):
            self.keep_best()
            for i, j in pairs:
                one, other = self.population[i], self.population[j]
                for k in range(self.generation + 1):
                    one.genes[k], other.genes[k] = other.genes[k], 1 - one.genes[k]


@program(
    "a field that may be a row",
    lambda: (np.array([[0, 1, 1], [0, 0, 1], [1, 1, 0]]), np.array([[0, 1], [2, 0]])),
    lambda: (np.eye(4, dtype=int), np.array([[0, 3], [1, 1], [2, 1]])),
)
def evolution(genes, pairs):
    world = Evolution(genes)
    world.run(pairs)
    return world.best.fitness, world.best.genes, [one.genes for one in world.population]


class Runs:
    def __init__(self, numbers):
        self.rows = []
        for n in numbers:
            run = []
            while n != 1:
                run.append(n)
                n = n // 2 if n % 2 == 0 else 3 * n + 1
            self.rows.append(run)

    def longest(self):
        return max([len(run) for run in self.rows], default=0)


@program("instances that hold lists of lists", lambda: (40,), lambda: (3,))
def lists_of_lists_in_each_of_many(count):
    """Rows of a pool sooner than one by one, each with as many lists as there were before it."""
    made = [Runs(range(2, 2 + k)) for k in range(count)]
    best = max(made, key=lambda one: one.longest())
    return best.rows, [one.longest() for one in made]


class Crossing:
    def __init__(self, name):
        self.name, self.edges, self.distance, self.before = name, [], float("inf"), None


class Roads:
    def __init__(self):
        self.crossings = {}

    def crossing(self, name):
        if name not in self.crossings:
            self.crossings[name] = Crossing(name)
        return self.crossings[name]

    def connect(self, a, b, weight):
        one, other = self.crossing(a), self.crossing(b)
        one.edges.append((other, weight))
        other.edges.append((one, weight))

    def shortest(self, a, b):
        self.crossings[a].distance, heap = 0.0, [(0.0, a)]
        while heap:
            distance, name = heapq.heappop(heap)
            one = self.crossings[name]
            if distance > one.distance:
                continue
            for other, weight in one.edges:
                if distance + weight < other.distance:
                    other.distance, other.before = distance + weight, one
                    heapq.heappush(heap, (other.distance, other.name))
        path, one = [], self.crossings[b]
        while one is not None:
            path.append(one.name)
            one = one.before
        return self.crossings[b].distance, path[::-1]


@program("instances that refer to each other", lambda: (6,), lambda: (14,))
def shortest_way_among_crossings(n):
    """One of several crossings that all lead to each other: joined, they are all combinations."""
    roads = Roads()
    for i in range(n):
        roads.connect(i, (i + 1) % n, 1.0 + i % 3)
        roads.connect(i, (i * 5 + 2) % n, 2.5 + i % 2)
    return roads.shortest(0, n // 2)
