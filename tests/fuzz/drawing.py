"""Statements that draw from the random state of the process: `np.random` and `random`."""

from __future__ import annotations

from tests.fuzz import expressions as ex
from tests.fuzz.library import templates
from tests.fuzz.patterns import written
from tests.fuzz.scope import Scope
from tests.fuzz.statements import SIMPLE
from tests.fuzz.values import is_array

# {i} and {j} are ints, {x} a vector, {v} the result, a float.
DRAWS = templates("""
float(np.random.rand())|float(np.random.randn())|float(np.random.randint(0, 9))|random.random()
float(np.random.normal(0.5, 2.0))|float(np.random.rand(3).sum())|float(np.random.choice(5))
float(random.randint(0, 7))|random.uniform(0.5, 2.0)|random.gauss(0.0, 1.0)
random.choice([3.0, 1.0])
float(random.randrange(2, 9))|float(np.random.permutation(4)[1])|float(np.random.uniform(-1, 2))
float(np.random.randint({i} % 4 + 1))|float(random.choice([3, 1, 2][:{i} % 3 + 1]))
float(np.random.random_sample(2)[{i} % 2])|float(np.random.standard_normal())
random.expovariate(2.0)
float(np.random.default_rng({i} % 5).integers(9))|float(np.random.RandomState({i} % 5).rand())
""")
RISKY_DRAWS = templates("""
float(np.random.randint({i} % 3))|float(random.choice([3, 1][{i} % 3:]))
float(random.randrange({i} % 3))
float(np.random.rand(2)[{i} % 4])|float(random.randint(2, {i} % 5))|float(np.random.choice({i} % 3))
random.random() / ({i} % 3)|float([5, 6][random.randrange(3)])|float(9 // np.random.randint(0, 3))
""")
CHANGES = templates("""
np.random.seed({i} % 7)|random.seed({i} % 5)|np.random.shuffle({x})|random.shuffle({l})
""")


def draws(scope: Scope) -> bool:
    """Numbers that are drawn, also on some paths only, or in a loop."""
    rng = scope.rng
    x = scope.pick_cell(lambda v: is_array(v, "f") and v.ndim == 1 and v.size > 0)
    v, l, i = scope.fresh_name("v"), scope.fresh_name("deck"), ex.integer(scope, 1).text
    lines = []
    if x is not None and scope.chance(0.3):
        lines.append(f"{l} = [1, 2, 3, 4]")
        lines.append(rng.choice(CHANGES).format(i=i, x=x.text, l=l))
    forms = RISKY_DRAWS if scope.risky and scope.chance(0.3) else DRAWS
    draw = rng.choice(forms).format(i=i)
    lines += rng.choice(
        (
            [f"{v} = {draw}"],
            [f"{v} = 0.0", f"if {ex.boolean(scope, 1).text}:", f"    {v} = {draw}"],
            [f"{v} = 0.0", f"for _ in range({i} % 4):", f"    {v} += {draw}"],
            [f"{v} = sum([{draw} for _ in range(3)])"],
            [f"{v} = {draw}", f"while {v} > 0.5:", f"    {v} = {v} * 0.5 - random.random()"],
        )
    )
    if any(":=" in line for line in lines) or not written(scope, lines, "random-state"):
        return False
    scope.names[v] = 1.5
    return True


SIMPLE[draws] = 5
