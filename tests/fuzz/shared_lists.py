"""Statements about lists that are in several lists, dicts and names at once."""

from __future__ import annotations

from tests.fuzz import expressions as ex
from tests.fuzz.patterns import statement, written
from tests.fuzz.scope import Scope
from tests.fuzz.values import is_array

# {a} is the list of lists that is made, {x} an array, {v} an item of it, {k} a small int, {g}, {p}
# and {q} are further names.
MADE = (
    "{a} = []|for {v} in {x}:|    if {v} > {k}:|        {a}.append([int({v}), 1])",
    "{g} = {{}}|for {v} in {x}.tolist():|    {g}.setdefault({v} % 3, []).append({v})"
    "|{a} = list({g}.values())",
    "{a} = [[int({v})] for {v} in {x}]",
    "{a} = [[] for _ in range(3)]|for {v} in {x}:|    {a}[int({v}) % 3].append(int({v}))",
    "{p}, {q} = [1], [2, 3]|{a} = [{p} if {v} > {k} else {q} for {v} in {x}]",
    "{a} = [[{k}, 1]]|{q} = {a}[0]|for {v} in {x}:|    if {v} > {k}:|        {q} = [int({v})]"
    "|    {a}.append({q})",
)
# {b} is another list of lists of {a}.
COPIES = (
    "list({a})|{a}[:]|{a}[1:]|{a}.copy()|sorted({a})|sorted({a}, key=len)|{a}[::-1]|{a} + [[5]]"
    "|[{q} for {q} in {a} if len({q}) > 1]|list(reversed({a}))|list(filter(len, {a}))|{a} + {a}"
    "|[max({a}, key=len)] if {a} else [[]]|list({{{k}: {a}[0]}}.values()) if {a} else [[]]"
    "|list({{i: {q} for i, {q} in enumerate({a})}}.values())|[{q}[:] for {q} in {a}]|[*{a}]"
    "|[{q} for _, {q} in sorted(zip({x}.tolist(), {a}))]|{a}"
).split("|")
# {r} is one of the two, not empty.
CHANGES = (
    "{r}[0].append({k})|{r}[-1][:] = [9]|{r}[0].insert(0, 3)|{r}[-1] += [4]|{r}[0].clear()"
    "|{r}[0], {r}[-1] = {r}[-1], {r}[0]|{r}.reverse()|{r}.pop().append(7)|{r}[0].sort()"
    "|{r}.append({r}[0])|{r}.sort(key=len)|{r}[-1] = {r}[0]|{r}[0].extend({r}[-1])"
    "|max({r}, key=len).append(2)|{r}[len({r}) // 2].append(6)|{r}[0] = [8]"
).split("|")
GIVEN_ROWS, GIVEN_RECORDS = "rows", "records"
FROM_GIVEN = (
    "{a} = rows",
    "{a} = rows[:]|for {v} in {x}:|    {a}[int({v}) % 3].append(int({v}))",
    "{a} = [{q} for {q} in rows if {q}] + [[1]]",
    "{q} = rows[0]|for {p} in rows:|    if len({p}) > len({q}) or {x}[0] > {k}:|        {q} = {p}"
    "|{q}.append({k})|{a} = [{q}, [{k}]]",
    "{a} = []|for {v} in {x}:|    if {v} > {k}:|        {a}.append(rows[int({v}) % 3])",
    "{a} = rows|rows[0], rows[int({x}[0]) % 3] = rows[int({x}[0]) % 3], rows[0]",
)
# {r} is one of the records, {o} another.
OF_RECORDS = (
    "{r}.a += {k}|{r}.n -= 1|{r}.a, {o}.a = {o}.a, {r}.a|{o} = {r}|{r}.n += {o}.n|{r}.a = -{o}.a"
    "|records.append({r})|records.sort(key=lambda t: t.n)|records[0] = {o}|{r}.a += {o}.a * 0.5"
    "|records.reverse()|{o} = records[-1]|{r}.n = len(records)"
).split("|")
RECORDS = (
    "records[int({x}[0]) % 3]|max(records, key=lambda t: t.a)|min(records, key=lambda t: t.n)"
    "|records[-1] if {x}[0] > {k} else records[0]|[t for t in records if t.n > 0][-1]"
    "|sorted(records, key=lambda t: t.a)[0]|records[len(records) // 2]"
).split("|")
TOTAL = "sum((i + 1) * (len({q}) + sum({q})) for i, {q} in enumerate({r}))"


def small_ints(scope: Scope) -> str | None:
    """The text of a few ints that data decides."""
    x = scope.pick(lambda v: is_array(v, "i") and v.size > 0)
    if x is None or x.value.ndim == 1 and x.value.size < 7:
        return None if x is None else x.text
    return f"{x.text}.ravel()[:5]"


@statement(24)
def lists_in_several_places(scope: Scope) -> bool:
    """Lists of the same lists, of which one is written and all are read."""
    x = small_ints(scope)
    if x is None or scope.nesting:
        return False
    rng = scope.rng
    names = ("rows", "of", "one", "row", "v", "also", "v")
    a, g, p, q, v, b, result = (scope.fresh_name(name) for name in names)
    fields = {"a": a, "g": g, "p": p, "q": q, "v": v, "x": x, "k": rng.randint(-1, 3)}
    made = FROM_GIVEN if GIVEN_ROWS in scope.names and scope.chance(0.8) else MADE
    lines = rng.choice(made).format(**fields).split("|")
    lines.append(f"{b} = {rng.choice(COPIES).format(**fields)}")
    for _ in range(rng.randint(1, 3)):
        r = rng.choice((a, b))
        test = f"{r} and {ex.boolean(scope, 1).text}" if scope.chance(0.3) else r
        word = "for _ in range(2):" if scope.chance(0.2) else f"if {test}:"
        change = rng.choice(CHANGES).format(r=r, k=rng.randint(0, 5))
        lines += [word, f"    {change}" if word[:2] == "if" else f"    if {r}: {change}"]
    use = " - 3 * ".join([TOTAL.format(q=q, r=r) for r in (a, b)])
    lines.append(f"{result} = float({use})")
    if any(":=" in line for line in lines) or not written(scope, lines, "shared-lists"):
        return False
    scope.names[result] = 3.5
    return True


@statement(16)
def records_that_data_chooses(scope: Scope) -> bool:
    """Instances among the arguments that have several names, and are written."""
    x = small_ints(scope)
    if x is None or GIVEN_RECORDS not in scope.names or scope.nesting:
        return False
    rng = scope.rng
    r, o, result = (scope.fresh_name(name) for name in ("best", "other", "v"))
    fields = {"r": r, "o": o, "x": x, "k": rng.randint(0, 3)}
    lines = [f"{name} = {rng.choice(RECORDS).format(**fields)}" for name in (r, o)]
    for _ in range(rng.randint(1, 4)):
        test = ex.boolean(scope, 1).text if scope.chance(0.4) else f"{x}[-1] > {rng.randint(-2, 2)}"
        indent = "    " * scope.chance(0.6)
        lines += [f"if {test}:"] * bool(indent)
        lines.append(indent + rng.choice(OF_RECORDS).format(**fields))
    lines.append(f"{result} = float(sum((i + 1) * (t.a + t.n) for i, t in enumerate(records)))")
    if any(":=" in line for line in lines) or not written(scope, lines, "records-chosen"):
        return False
    scope.names[result] = 3.5
    return True
