"""Functions from lists and dicts, where data decides which."""

from __future__ import annotations

import operator
import re

import numpy as np

from tests.programs import program

SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
STEPS = (
    *(lambda n: n + 1, lambda n: n - 1, lambda n: 2 * n, lambda n: n // 2, lambda n: -n),
    *(lambda n: n % 5, lambda n: n & 3, lambda n: n | 8, abs),
)


class Machine:
    def __init__(self, code):
        self.code, self.place, self.running = code, 0, True
        self.stack, self.out = [], []
        self.table = {
            **{0: self.halt, 1: self.push, 2: self.add, 3: self.mul, 4: self.dup},
            **{5: self.swap, 6: self.jump, 7: self.emit, 8: self.less},
        }

    def halt(self, _):
        self.running = False

    def push(self, n):
        self.stack.append(n)

    def add(self, _):
        self.stack.append(self.stack.pop() + self.stack.pop())

    def mul(self, _):
        self.stack.append(self.stack.pop() * self.stack.pop())

    def dup(self, _):
        self.stack.append(self.stack[-1])

    def swap(self, _):
        self.stack[-1], self.stack[-2] = self.stack[-2], self.stack[-1]

    def jump(self, place):
        if self.stack[-1] != 0:
            self.place = place

    def emit(self, _):
        self.out.append(self.stack.pop())

    def less(self, _):
        self.stack[-1] -= 1

    def run(self):
        while self.running:
            op, n = self.code[self.place]
            self.place += 1
            self.table[op](n)
        return self.out


class Grammar:
    """Precedence climbing, where the functions call each other."""

    ranks = {"+": 1, "-": 1, "*": 2}

    def __init__(self, signs):
        self.signs, self.place = signs, 0

    def operand(self):
        sign = self.signs[self.place]
        self.place += 1
        if sign.isdigit():
            return float(sign)
        value = self.sum(1)
        self.place += 1
        return value

    def sum(self, least):
        value = self.operand()
        while self.signs[self.place] in self.ranks and self.ranks[self.signs[self.place]] >= least:
            sign = self.signs[self.place]
            self.place += 1
            value = SIGNS[sign](value, self.sum(self.ranks[sign] + 1))
        return value


def letters(codes):
    return "".join(chr(code) for code in codes.tolist())


def applied(sign, x, y):
    return {"+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y}[sign]()


@program("a list of lambdas", lambda: (np.array([0, 8, 3, 7, 1, 2, 8]), 7))
def by_place(code, n):
    for c in code:
        n = STEPS[c](n)
    return n


@program("a dict of operators", lambda: (np.array([43, 45, 43, 42]), 2, 5))
def by_number(codes, a, b):
    for code in codes.tolist():
        a = {43: operator.add, 45: operator.sub, 42: operator.mul}[code](a, b)
    return a


@program("a dict of operators by letters", lambda: (np.array([43, 45, 33, 42]), 2, 5))
def by_letter(codes, a, b):
    for sign in letters(codes):
        a = SIGNS.get(sign, max)(a, b)
    return a


@program("closures", lambda: (np.array([43, 45, 43, 42]),))
def closures(codes):
    stack = [1, 2, 3, 4, 5]
    for sign in letters(codes):
        y, x = stack.pop(), stack.pop()
        stack.append(applied(sign, x, y))
    return stack


@program("tuples with functions", lambda: (np.array([43, 45, 42]),))
def in_tuples(codes):
    total = 0
    for sign in letters(codes):
        rank, function = {"+": (1, operator.add), "-": (1, operator.sub), "*": (2, max)}[sign]
        total = function(total, rank)
    return total


@program(
    "methods by number",
    lambda: (np.array([[1, 5], [4, 0], [7, 0], [8, 0], [6, 1], [0, 0]]),),
    lambda: (np.array([[1, 5], [0, 0]]),),
)
def machine(code):
    return Machine(code.tolist()).run()


@program("in functions that call each other", lambda: ("1+2*(3-4)*2-5$",), lambda: ("((7))$",))
def grammar(signs):
    return Grammar(signs).sum(1)


RANKS = {"+": (1, "left"), "-": (1, "left"), "*": (2, "left"), "/": (2, "left"), "^": (3, "right")}
SIDES = SIGNS | {"/": operator.truediv, "^": operator.pow}


class Climber:
    """Precedence climbing: what the table outside says is read as if it were written here."""

    def __init__(self, text, names):
        self.signs, self.place, self.names = re.findall(r"[a-z]+|[\d.]+|\S", text), 0, names

    @property
    def sign(self):
        return self.signs[self.place] if self.place < len(self.signs) else None

    def take(self):
        sign, self.place = self.sign, self.place + 1
        return sign

    def atom(self):
        sign = self.take()
        if sign == "(":
            inner = self.climb(1)
            self.take()
            return inner
        if sign == "-":
            return -self.atom()
        return self.names[sign] if sign in self.names else float(sign)

    def climb(self, least):
        left = self.atom()
        while self.sign in RANKS and RANKS[self.sign][0] >= least:
            sign = self.take()
            rank, side = RANKS[sign]
            right = self.climb(rank + 1 if side == "left" else rank)
            left = SIDES[sign](left, right)
        return left


@program(
    "captured ints that decide branches, checks",
    lambda: ("x*2.5-y/(x+1)", 4.0, 10.0),
    lambda: ("-x + 2^3^x", 1.5, 1.0),
    lambda: ("x/(y-y)", 1.5, 1.0),
)
def a_table_of_ranks(text, x, y):
    return Climber(text, {"x": x, "y": y}).climb(1)
