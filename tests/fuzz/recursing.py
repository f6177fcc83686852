"""Statements about functions that call themselves as often as data says."""

from __future__ import annotations

from random import Random

from tests.fuzz import expressions as ex
from tests.fuzz.growing import templates
from tests.fuzz.patterns import closed, statement
from tests.fuzz.scope import Scope
from tests.fuzz.values import is_array

# {f} is the function, {n} how deep it goes on, {k} a number of any kind, {t} what is returned,
# {out} a list, {x} a vector and {s} its size, {c} a number that all calls change.
NUMBERS = "{n} {k} {c} {n}*{k}%7 len({out}) {k}+{n} int({x}[{n}%{s}]>0) {t} 2".split()
TESTS = "{k}%2 {n}>2 ({n}+{k})%3==0 len({out})%2 {x}[{n}%{s}]>1 {c}%3==1 {t}>{k}".split()
GIVEN = "{k} {k}+1 ({k}*3+{n})%11 {c}%5 {n} len({out})".split()
USES = """
{t} = {call}|{t} += {call}|{t} -= {call} * {n}|{t} = max({t}, {call})|{t} += {n} - {call}
{t} = {k} * 2 + {call} + {c}|{call}|{t} = {t} + {call} if {test} else {t} - 1
{t} += {call} if {test} else {k}|{k} = {call} % 5|{t} += len({out}) + {call} - len({out})
{t}, {k} = {call}, {t} % 7|{t} += [{call}, {k}][{n} % 2]|{x}[{n} % {s}] += {call} % 3
{out}.append({call} % 4)|{t} += abs({call}) + min({k}, {n})|{t} += ({call}, {k})[0]
{t} += {test} and {call}|{t} = {call} or {t}
"""
TESTED = ("{call} % 2", "{test} and {call} > 1", "{call} < {k} or {test}", "not {call}")
CHANGES = """
{out}.append({number})|{c} += {number}|{x}[{n} % {s}] += 1|{x}[{k} % {s}] = {number}|{k} = {k} + 1
{t} += {number}|if {out}:;    {out}.pop()|{c} = ({c} + {k}) % 9|{t} = {t} * 2 % 101
"""
LATER = (
    "{f}({d}, {k})",
    "sum({f}({d} - v, {k}) for v in range(2))",
    "{f}({d}, {k}) + {f}({d} - 1, 2)",
)


USED, CHANGED = templates(USES), templates(CHANGES)


class Recursive:
    """Writes the body of a function that calls itself at most `calls` times.

    turns: how often what is being written may run, for it stands in loops.
    """

    def __init__(self, rng: Random, calls: int, names: dict[str, str]) -> None:
        self.rng, self.calls, self.names = rng, calls, names
        self.turns = 1

    def text(self, form: str, **more: str) -> str:
        return form.format(**self.names, **more)

    def number(self) -> str:
        return self.text(self.rng.choice(NUMBERS))

    def test(self) -> str:
        return self.text(self.rng.choice(TESTS))

    def may_call(self) -> bool:
        return self.calls >= self.turns

    def call(self) -> str:
        self.calls -= self.turns
        given = self.text(self.rng.choice(GIVEN))
        if self.may_call() and self.rng.random() < 0.1:
            given = f"{self.call()} % 4"
        elif self.rng.random() < 0.1:
            given = f"{given} if {self.test()} else {self.number()}"
        form = self.rng.choice(("{f}({n} - 1, {given})", "{f}({n} - 2, {k}={given})"))
        return self.text(form.replace("{k}", "k"), given=given)

    def block(self, depth: int) -> list[str]:
        return [line for _ in range(self.rng.randint(1, 2)) for line in self.one(depth)]

    def one(self, depth: int) -> list[str]:
        chosen = self.rng.random()
        if chosen < 0.4 and self.may_call():
            forms = self.rng.choice(USED)
            more = {"call": self.call(), "test": self.test()}
        elif chosen < 0.6 or depth > 1:
            forms, more = self.rng.choice(CHANGED), {"number": self.number()}
        else:
            return self.nested(depth)
        return [self.text(form, **more) for form in forms]

    def nested(self, depth: int) -> list[str]:
        kind = self.rng.choice(("if", "else", "for", "while", "return", "around"))
        test = self.test()
        if kind != "while" and self.may_call() and self.rng.random() < 0.3:
            test = self.text(self.rng.choice(TESTED), call=self.call(), test=test)
        if kind == "return":
            value = self.call() if self.may_call() else self.number()
            return [f"if {test}:", f"    return {value}"]
        if kind == "around" and self.may_call():
            return [self.text("{out}.append({n})"), self.call(), self.text("{out}.pop()")]
        if kind == "for":
            return self.loop(depth)
        if kind == "while":
            i = f"w{depth}"
            return [f"{i} = 0", f"while {i} < 2 and {test}:", f"    {i} += 1", *self.turn(depth)]
        lines = [f"if {test}:", *self.indented(depth)]
        return [*lines, "else:", *self.indented(depth)] if kind == "else" else lines

    def loop(self, depth: int) -> list[str]:
        """A loop of at most two turns; some are left, some have an `else`."""
        i, lines = f"i{depth}", self.turn(depth)
        if self.rng.random() < 0.4:
            leave = self.rng.choice(("break", "continue", self.text("return {t}")))
            lines[0:0] = [f"    if {self.test()}:", f"        {leave}"]
        else_ = ["else:", *self.indented(depth)] if self.rng.random() < 0.2 else []
        over = self.rng.choice(("range({n} % 3)", "range(2)", "({k}, {n})", "{x}[:2]"))
        over = self.text(over)
        return [f"for {i} in {over}:", *lines, *([self.text("    {t} += 1")]), *else_]

    def turn(self, depth: int) -> list[str]:
        """What is in a loop of two turns."""
        self.turns *= 2
        lines = self.indented(depth)
        self.turns //= 2
        return lines

    def indented(self, depth: int) -> list[str]:
        return ["    " + line for line in self.block(depth + 1)]


def function(rng: Random, names: dict[str, str], calls: int) -> list[str]:
    """The lines of a function of two parameters."""
    made = Recursive(rng, calls, names)
    lines = [made.text("def {f}(n, k{default}):", default=rng.choice(("", "=1")))]
    lines.append(made.text("    nonlocal {c}"))
    memo = rng.random() < 0.15
    if memo:
        lines += [made.text("    if (n, k) in {memo}:"), made.text("        return {memo}[n, k]")]
    base = rng.choice(("n <= 0", "n < 1", "n <= 0 or k > 40"))
    lines += [f"    if {base}:", f"        return {rng.choice(('k', '1', '0', 'k % 3', '-2'))}"]
    body = [made.text("{t} = {number}", number=rng.choice(("0", "n", "k")))]
    while made.calls == calls or rng.random() < 0.5:
        body += made.block(0)
    if memo:
        body.append(made.text("{memo}[n, k] = {t}"))
    last = made.call() if made.may_call() and rng.random() < 0.3 else made.text("{t}")
    body.append(f"return {rng.choice(('{0}', '{0}', '{0} + n', '{0} % 1000')).format(last)}")
    return lines + ["    " + line for line in body]


@statement(3)
def recursing(scope: Scope) -> bool:
    """A function that calls itself as often as data says, and changes what it captures."""
    if scope.nesting or scope.loops:
        return False
    rng = scope.rng
    x = scope.pick_cell(lambda v: is_array(v, "fi") and v.ndim == 1 and v.size > 1)
    if x is None:
        return False
    names = {key: scope.fresh_name(key) for key in ("f", "c", "out", "memo")}
    names |= {"n": "n", "k": "k", "t": "t", "x": x.text, "s": str(x.value.size)}
    calls = rng.choice((1, 2, 2, 3, 4))
    lines = [f"{names['c']}, {names['out']}, {names['memo']} = 0, [], {{}}"]
    lines += function(rng, names, calls)
    result = scope.fresh_name("v")
    depth = f"int({x.text}[{rng.randrange(x.value.size)}])"
    depth = rng.choice((depth, f"({depth} + {ex.integer(scope, 1).text})"))
    depth = f"{depth} % {(12, 7, 5, 5)[calls - 1]}"
    later = rng.choice(LATER).format(f=names["f"], d=depth, k=rng.randint(0, 5))
    lines.append(f"{result} = {later}")
    lines.append(f"{result} += {names['c']} + sum({names['out']}) * 2 + len({names['memo']})")
    if not closed(scope, lines, result, int, "recursion", "deep-recursion", "nonlocal"):
        return False
    scope.names[result] = scope.names[names["c"]] = 3
    scope.fixed.add(names["c"])
    scope.held.update(scope.names)
    return True
