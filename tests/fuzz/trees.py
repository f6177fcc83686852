"""Statements about trees of instances, methods that call themselves, callees that data chooses in
recursion, and structured arrays."""

from __future__ import annotations

from tests.fuzz import expressions as ex
from tests.fuzz.library import templates
from tests.fuzz.patterns import statement, written
from tests.fuzz.scope import Scope
from tests.fuzz.values import is_array

DEFINITIONS = """

class Node:
    def __init__(self, key):
        self.key = key
        self.count = 1
        self.left = None
        self.right = None

    def insert(self, key):
        if key == self.key:
            self.count += 1
        elif key < self.key:
            if self.left is None:
                self.left = Node(key)
            else:
                self.left.insert(key)
        elif self.right is None:
            self.right = Node(key)
        else:
            self.right.insert(key)

    def depth(self):
        left = 0 if self.left is None else self.left.depth()
        right = 0 if self.right is None else self.right.depth()
        return 1 + max(left, right)

    def total(self):
        found = self.key * self.count
        for child in (self.left, self.right):
            if child is not None:
                found += child.total()
        return found


def found_in(node, key):
    while node.key != key:
        node = node.left if key < node.key else node.right
    return node.count


def spread(node, out):
    if node is not None:
        spread(node.left, out)
        out.append(node.key)
        spread(node.right, out)


def lowered(k, n):
    return n if k <= 0 else (lowered if n % 2 else raised)(k - 1, n + 1)


def raised(k, n):
    return n + 1 if k <= 0 else lowered(k - 2, n * 2 % 7)


def applied(f, g, k):
    return 0 if k <= 0 else (f if k % 2 else g)(applied(f, g, k - 1))
"""
# {n} is a tree, {i} an int, {o} a list.
USES = templates("""
{n}.depth()|{n}.total()|{n}.count|{n}.total() + {n}.depth()|0 if {n}.left is None else {n}.left.key
{n}.right.key if {n}.right is not None else {i}
""")
RISKY_USES = templates("{n}.left.key|{n}.right.left.count|found_in({n}, {i} % 9)|{n}.left.depth()")


@statement(14)
def tree(scope: Scope) -> bool:
    """A tree that a loop over data fills."""
    x = scope.pick(lambda v: is_array(v, "fi") and v.ndim == 1 and 0 < v.size < 9)
    if x is None or "Node" not in scope.namespace or scope.loops:
        return False
    rng, n, k, v = scope.rng, *(scope.fresh_name(stem) for stem in ("node", "k", "v"))
    i = ex.integer(scope, 1).text
    lines = [f"{n} = Node({i} % 9)", f"for {k} in {x.text}:"]
    if scope.chance(0.4):
        lines += [f"    if {k} % {rng.randint(2, 3)} > 0:", f"        {n}.insert(int({k}) % 9)"]
    else:
        lines.append(f"    {n}.insert(int({k}) % 9)")
    if scope.chance(0.3):
        o = scope.fresh_name("keys")
        lines += [f"{o} = []", f"spread({n}, {o})", f"{v} = sum(a * b for a, b in enumerate({o}))"]
    else:
        uses = RISKY_USES if scope.risky and scope.chance(0.5) else USES
        lines.append(f"{v} = {rng.choice(uses).format(n=n, i=i)}")
    if any(":=" in line for line in lines) or not written(scope, lines, "tree"):
        return False
    scope.names[v] = 3
    return True


@statement(5)
def chosen_callees(scope: Scope) -> bool:
    """Calls of which data chooses the function, in recursion."""
    if "Node" not in scope.namespace:
        return False
    v, i, j = scope.fresh_name("v"), ex.integer(scope, 1).text, ex.integer(scope, 1).text
    call = scope.rng.choice(
        (
            f"applied(lambda t: t + {j} % 3, lambda t: t * 2 - 1, {i} % 5)",
            f"applied(abs, lambda t: t - 2, {i} % 5)",
            f"lowered({i} % 6, {j} % 5)",
            f"raised(3, {j} % 5)",
        )
    )
    if ":=" in call or not written(scope, [f"{v} = {call}"], "chosen-callee"):
        return False
    scope.names[v] = 3
    return True


# {a} is an array of structures, {i} and {j} are ints, {f} is a float.
WRITES = templates("""
{a}["x"] += {f}|{a}[{i} % 3]["n"] += 1|{a}["n"][{i} % 3] = {j} % 9|{a}[{i} % 3] = ({f}, {j} % 5)
{a}["x"][1:] *= 0.5|{a}["n"] = {a}["n"][::-1].copy()|{a}[1:]["x"] = {f}|{a}[{a}["n"] > 1]["x"].sum()
{a}["x"][{a}["n"] > 1] = {f}|{a} = {a}[::-1]|{a} = {a}.copy()|{a}[0], {a}[1] = {a}[1], {a}[2]
""")
READS = templates("""
float({a}["x"].sum())|float({a}[{i} % 3]["x"])|float({a}["n"].max())|float({a}["x"] @ {a}["n"])
float(sum(r["x"] for r in {a}))|float(len({a}))|float(np.sort({a}["n"])[0])
float(max(r["n"] for r in {a}))
""")
RISKY_READS = templates("""
float({a}[{i} % 5]["x"])|float({a}["n"][{i} % 4])|float(1 // {a}["n"].tolist()[{i} % 3])
""")


@statement(6)
def structures(scope: Scope) -> bool:
    """A structured array that is written and read by fields and by elements."""
    if scope.loops:
        return False
    rng, a, v = scope.rng, scope.fresh_name("rows"), scope.fresh_name("v")
    i, j, f = ex.integer(scope, 1).text, ex.integer(scope, 1).text, ex.real(scope, 1).text
    given = {"a": a, "i": i, "j": j, "f": f}
    rows = [f"({rng.randint(-4, 4) / 2}, {rng.randint(0, 3)})" for _ in range(3)]
    dtype = rng.choice(('"f8"', '"f4"')), rng.choice(('"i8"', '"i4"', '"u1"'))
    lines = [f'{a} = np.array([{", ".join(rows)}], [("x", {dtype[0]}), ("n", {dtype[1]})])']
    for _ in range(rng.randint(1, 3)):
        line = rng.choice(WRITES).format(**given)
        if scope.chance(0.3):
            lines.append(f"if {ex.boolean(scope, 1).text}:")
            line = f"    {line}"
        lines.append(line)
    reads = RISKY_READS if scope.risky and scope.chance(0.5) else READS
    lines.append(f"{v} = {rng.choice(reads).format(**given)}")
    if any(":=" in line for line in lines) or not written(scope, lines, "structured"):
        return False
    scope.names[v] = 1.5
    return True
