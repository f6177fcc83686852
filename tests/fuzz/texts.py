"""Statements about text that data makes: digits, palindromes, ciphers, counts, parsers."""

from __future__ import annotations

from tests.fuzz import expressions as ex
from tests.fuzz.library import templates
from tests.fuzz.patterns import statement, written
from tests.fuzz.scope import Scope
from tests.fuzz.values import is_array

# {t} is a text, {x} a vector of ints, {i} and {j} are ints, {v} is the result, {k} counts.
MADE = templates("""
str({i})|str({i})[::-1]|f"{{{i}:03d}}"|bin({i})|"ab" * ({i} % 4)|f"{{{i}}}-{{{j}}}"|hex({i} + 9)
"".join(chr(97 + int(v) % 5) for v in {x})|",".join(str(v) for v in {x}.tolist())
"".join([str(int(v) % 3) for v in {x}])|" ".join(["ab", str({i}), "c"])|str({i}) + str({j})
chr(98 + {i} % 9) * 2 + "b"|"abcdef"[{i} % 5:]|"level" if {i} % 2 else str({j})|str({i}).zfill(4)
""")
READ = templates("""
len({t})|sum(ord(c) for c in {t})|{t}.count("1")|{t}.find("b")|int({t} == {t}[::-1])|len(set({t}))
int("1" in {t})|len({t}.split(","))|sum(c.isdigit() for c in {t})|ord({t}[0]) if {t} else -1
len({t}.strip("a"))|int({t} < "b")|int({t}.startswith("a"))|ord(max({t}, default="a"))
len({t}.replace("1", "xy"))|int({t}[-1:] == "b")|sum(k for k, c in enumerate({t}) if c == "b")
ord(sorted({t} + "m")[0])|len({t}.upper())|int({t}.isalpha())|len({t} + "!") * 2
sum(a == b for a, b in zip({t}, {t}[1:]))|int({t} in ("level", "ab"))|{{"a": 1}}.get({t}[:1], 3)
""")
RISKY_READ = templates("""
int({t})|ord({t}[{i} % 4])|{t}.index("1")|int({t}[:2])|ord({t}[-2])|int({t}.split("-")[1])
{{"a": 1, "b": 2, "1": 3}}[{t}[:1]]|int({t}, 2)
""")
LOOPS = [
    form.split(";")
    for form in templates("""
{v} = 0;for c in {t}:;    if c in "13b":;        {v} += 1;    elif c == "-":;        {v} = -{v}
{v} = 0;for c in {t}:;    if c.isdigit():;        {v} = ({v} * 10 + int(c)) % 997
{v} = "";for c in {t}:;    if not {v} or {v}[-1] != c:;        {v} += c;{v} = len({v})
{v} = "";for c in {t}:;    {v} = c + {v};{v} = int({v} == {t})
{v} = {{}};for c in {t}:;    {v}[c] = {v}.get(c, 0) + 1;{v} = max({v}.values(), default=0)
{v} = "";for {k} in range({i} % 6):;    {v} += str({k});{v} = len({v}) + len({t})
{v} = [];for c in {t}:;    {v}.append(c);{v} = len("".join({v}[::-1]))
{v}, {k} = 0, 0;while {k} < len({t}) and {t}[{k}] != "b":;    {k} += 1;    {v} += ord({t}[{k} - 1])
""")
]


@statement(10)
def text_of_data(scope: Scope) -> bool:
    """A text made of numbers, and numbers made of it."""
    x = scope.pick(lambda v: is_array(v, "i") and v.ndim == 1 and v.size < 9)
    rng = scope.rng
    t, v, k = scope.fresh_name("t"), scope.fresh_name("v"), scope.fresh_name("k")
    i, j = (f"({ex.integer(scope, 1).text} % 2048)" for _ in range(2))
    made = rng.choice(MADE)
    if x is None and "{x}" in made:
        return False
    given = {"t": t, "v": v, "k": k, "i": i, "j": j, "x": x.text if x is not None else ""}
    lines = [f"{t} = {made.format(**given)}"]
    if scope.chance(0.3):
        lines += [f"if {ex.boolean(scope, 1).text}:", f"    {t} = {rng.choice(MADE[:7])}"]
        lines[-1] = lines[-1].format(**given)
    if scope.chance(0.4):
        lines += [line.format(**given) for line in rng.choice(LOOPS)]
    else:
        uses = RISKY_READ if scope.risky and scope.chance(0.4) else READ
        lines.append(f"{v} = {rng.choice(uses).format(**given)}")
    if any(":=" in line for line in lines) or not written(scope, lines, "text"):
        return False
    scope.names[v] = 3
    return True
