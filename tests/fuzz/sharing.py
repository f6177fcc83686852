"""Statements about who shares an array: names handed around, views of views, containers."""

from __future__ import annotations

import numpy as np

from tests.fuzz import expressions as ex
from tests.fuzz import items
from tests.fuzz.patterns import statement, written
from tests.fuzz.scope import Scope
from tests.fuzz.statements import is_record
from tests.fuzz.values import is_array

# {p}, {q}, {r} are names of arrays of one kind, {c} a condition, {k} a small int, {i} an index.
HANDED = """
{p} = {q} if {c} else {r}|{p} = {q}|if {c}:;    {p} = {q}|if {c}:;    {p}, {q} = {q}, {p}
if {c}:;    {p} = {q};else:;    {p}, {q} = {r}, {q} * 2
if {c}:;    {p} = {q};else:;    {q} = {r} + 1|for _ in range({k}):;    {p}, {q} = {q}, {p}
for _ in range({k}):;    {p}, {q}, {r} = {q}, {r}, {p}
for _ in range({k}):;    {p}, {q} = {q}, {p};    {q}[{i}] += 2
if {c}:;    {p} = {q};else:;    {p}, {q} = {q}.copy(), {r}
if {c}:;    {p} = {q} = {r};else:;    {p}, {r} = {r}, {p}
{p}, {q} = ({q}, {p}) if {c} else ({p}, {q})
for _ in range({k}):;    if {c}:;        {p} = {q};    {p}[{i}] += 1
({p} if {c} else {q})[{i}] = 4
"""
CHANGED = """
{p}[{i}] = 3|{p}[{i}] += 2|{p}[{i}] *= 2|{p} += 1|{p}[1:] = {q}[:-1]|{p}[:] = {q}|{p}[::-1] -= 1
({p} if {c} else {q})[{i}] += 5|if {c}:;    {p}[{i}] = 7|[{p}, {q}][{k} % 2][{i}] += 1
for z in ({p}, {q}):;    z[{i}] += 1|{p}[{q} > 2] = 1
"""


def templates(text: str) -> list[list[str]]:
    return [item.split(";") for line in text.strip().split("\n") for item in line.split("|")]


FORMS = {"handed": templates(HANDED), "changed": templates(CHANGED)}


@statement(24)
def handed_around(scope: Scope) -> bool:
    """Names of a few arrays, which change places on some paths, and are written to."""
    x = scope.pick(lambda v: is_array(v, "fi") and v.ndim == 1 and v.size > 1)
    if x is None or scope.nesting:
        return False
    rng, n, seen = scope.rng, x.value.size, scope.fresh_name("s")
    names = [scope.fresh_name("h") for _ in range(rng.randint(3, 4))]
    texts = [rng.choice(("{0}.copy()", "{0} + 1", "{0} * 2", "{0}")).format(x.text) for _ in names]
    lines = [f"{', '.join(names)} = {', '.join(texts)}"]
    for _ in range(rng.randint(2, 6)):
        p, q, r = rng.sample(names, 3)
        form = rng.choice(FORMS[rng.choice(("handed", "handed", "changed"))])
        fields = {"p": p, "q": q, "r": r, "i": items.index(scope, n)}
        fields["c"] = ex.boolean(scope, 1).text
        fields["k"] = rng.choice((str(rng.randint(0, 3)), f"{ex.integer(scope, 1).text} % 4"))
        lines += [line.format(**fields) for line in form]
    lines += [f"{h}[{fields['i']}] += 5" for h in rng.sample(names, rng.randint(1, len(names)))]
    lines += [f"{seen} = " + " - ".join(f"{h}.sum()" for h in names)]
    if any(":=" in line for line in lines) or not written(scope, lines, "maybe-alias", "alias"):
        return False
    scope.names[seen] = x.value.sum()
    for name in names:
        scope.names[name] = x.value.copy()
    scope.held.update(names)
    scope.values.update(names)
    return True


@statement(8)
def views_of_views(scope: Scope) -> bool:
    """A view, a view of it, one of that; a write through one of them is seen by all."""
    x = scope.pick_cell(lambda v: is_array(v, "fiu") and 0 < v.ndim < 3 and v.size > 3)
    if x is None:
        return False
    rng = scope.rng
    names = [scope.fresh_name("view") for _ in range(rng.randint(2, 3))]
    lines, base, value = [], x.text, x.value
    for name in names:
        forms = ["{}[1:]", "{}[::-1]", "{}[:-1]", "{}[::2]", "{}[...]", "{}.T", "{}[None][0]"]
        forms += ["{}[-1]", "{}[:, 1:]", "{}[:, 0]", "{}[0]", "{}.reshape(-1)"] * (value.ndim > 1)
        forms += ["{}[" + ex.integer(scope, 1).text + " % 2:]"] if scope.chance(0.3) else []
        text = rng.choice(forms).replace("{}", base, 1)  # the int may be read from a dict
        made = eval(text, {**scope.namespace, **scope.names, base: value})
        if not made.ndim or made.size < 2 or ":=" in text:
            return False
        lines.append(f"{name} = {text}")
        base, value = name, made
    for name in rng.sample((x.text, *names), 2):
        form = rng.choice(
            ("{}[0] = 3", "{} += 1", "{}[...] = {}[::-1]", "{}[-1] *= 2", "{}[:1] = 2")
        )
        lines.append(form.format(name, name))
    if not written(scope, lines, "view-of-view", "view"):
        return False
    for line, name in zip(lines, names, strict=False):
        scope.names[name] = eval(line.split(" = ")[1], {**scope.namespace, **scope.names})
        scope.follow(name, x.text)
    return True


@statement(4)
def shared_in_containers(scope: Scope) -> bool:
    """Arrays that a list, a dict or an object holds, written to by other names."""
    x = scope.pick_cell(lambda v: is_array(v, "fi") and v.ndim == 1 and v.size > 1)
    if x is None or scope.nesting:
        return False
    rng, box, y = scope.rng, scope.fresh_name("box"), scope.fresh_name("y")
    i, k = items.index(scope, x.value.size), ex.integer(scope, 1).text
    made, inside = rng.choice(
        (
            (f"[{x.text}, {x.text} * 2]", f"{box}[{k} % 2]"),
            (f'{{"a": {x.text}, "b": {x.text}[::-1]}}', f'{box}["b"]'),
            (f"({x.text}[1:], {x.text})", f"{box}[1]"),
            (f"[{x.text}.copy() for _ in range(3)]", f"{box}[{k} % 3]"),
        )
    )
    lines = [f"{box} = {made}", f"{y} = {inside}", f"{y}[{i}] += 3", f"{inside}[0] -= 1"]
    lines += [f"if {ex.boolean(scope, 1).text}:", f"    {x.text}[{i}] = 6"]
    if any(":=" in line for line in lines) or not written(scope, lines, "alias", "container-read"):
        return False
    scope.names[y] = x.value.copy()
    scope.held.add(y)
    scope.values.add(y)
    return True


# {k} is the array that was put aside, {p} its place.
REPLACED = """
if {c}:;    {k} = {p}|if {c}:;    {k} = {k} + 1|for _ in range({n}):;    {k} = {k} * 2
for _ in range({n}):;    {p} = {p} - 1;    if {c}:;        {k} = {p}
"""


@statement(6)
def replaced_inside(scope: Scope) -> bool:
    """An array of an instance's, put aside, replaced there, and written to: the caller has it."""
    item = scope.pick(is_record)
    if item is None or scope.nesting:
        return False
    rng, kept, place = scope.rng, scope.fresh_name("kept"), f"{item.text}.v"
    fields = {"k": kept, "p": place, "c": ex.boolean(scope, 1).text}
    fields["n"] = rng.choice((str(rng.randint(0, 2)), f"{ex.integer(scope, 1).text} % 3"))
    lines = [f"{kept} = {place}", f"{place} = {place} * 2"]
    lines += [line.format(**fields) for line in rng.choice(templates(REPLACED))]
    lines.append(f"{kept}[{items.index(scope, 3)}] += 3")
    if any(":=" in line for line in lines) or not written(scope, lines, "maybe-alias"):
        return False
    scope.names[kept] = np.arange(3.0)
    scope.held.add(kept)
    scope.values.add(kept)
    return True
