"""Functions that call each other, as deep as data decides: parsers, games, walks."""

import functools

import numpy as np

from tests.programs import program

SUM = "((((1+2))))*3+(4*(5+(6-7)))" + "+(1+2)*3" * 12


class Characters:
    def __init__(self, text):
        self.text = text
        self.at = 0

    def next(self):
        self.at += 1
        return self.text[self.at - 1] if self.at <= len(self.text) else "$"

    def peek(self):
        return self.text[self.at] if self.at < len(self.text) else "$"


def parse_sum(text):
    value = parse_product(text)
    while text.peek() in "+-":
        if text.next() == "+":
            value += parse_product(text)
        else:
            value -= parse_product(text)
    return value


def parse_product(text):
    value = parse_atom(text)
    while text.peek() == "*":
        text.next()
        value *= parse_atom(text)
    return value


def parse_atom(text):
    if text.peek() == "(":
        text.next()
        value = parse_sum(text)
        if text.next() != ")":
            raise ValueError("no ) at the end")
        return value
    if not text.peek().isdigit():
        raise ValueError("no number: " + text.peek())
    value = 0
    while text.peek().isdigit():
        value = value * 10 + int(text.next())
    return value


@program(
    "recursion of any depth texts",
    lambda: (SUM,),
    lambda: (SUM + "+(1",),
    lambda: (SUM + "+)",),
)
def parser_of_functions(text):
    return parse_sum(Characters(text))


@program("recursion of any depth closures", lambda: (SUM,))
def parser_of_closures(text):
    position = 0

    def peek():
        return text[position] if position < len(text) else ""

    def total():
        nonlocal position
        value = product()
        while peek() == "+" or peek() == "-":
            sign = peek()
            position += 1
            other = product()
            value = value + other if sign == "+" else value - other
        return value

    def product():
        nonlocal position
        value = atom()
        while peek() == "*":
            position += 1
            value *= atom()
        return value

    def atom():
        nonlocal position
        if peek() == "(":
            position += 1
            value = total()
            position += 1
            return value
        if peek() == "-":
            position += 1
            return -atom()
        value = 0
        while peek().isdigit():
            value = value * 10 + int(peek())
            position += 1
        return value

    return total()


def sum_from(text, i):
    value, i = atom_from(text, i)
    while i < len(text) and text[i] in "+-*":
        sign = text[i]
        other, i = atom_from(text, i + 1)
        value = value + other if sign == "+" else value - other if sign == "-" else value * other
    return value, i


def atom_from(text, i):
    if text[i] == "(":
        value, i = sum_from(text, i + 1)
        return value, i + 1
    value = 0
    while i < len(text) and text[i].isdigit():
        value, i = value * 10 + int(text[i]), i + 1
    return value, i


@program("recursion of any depth texts", lambda: (SUM,))
def parser_that_returns_positions(text):
    return sum_from(text, 0)


def highest(board, depth, k):
    if depth == 0 or k >= len(board):
        return board[k % len(board)]
    best = -1e9
    for child in (2 * k + 1, 2 * k + 2):
        best = max(best, lowest(board, depth - 1, child))
    return best


def lowest(board, depth, k):
    if depth == 0 or k >= len(board):
        return board[k % len(board)]
    best = 1e9
    for child in (2 * k + 1, 2 * k + 2):
        value = highest(board, depth - 1, child)
        if value < best:
            best = value
    return best


def cut_above(board, k, low, high):
    if 2 * k + 1 >= len(board):
        return board[k]
    for child in range(2 * k + 1, 2 * k + 3):
        low = max(low, cut_below(board, child, low, high))
        if low >= high:
            break
    return low


def cut_below(board, k, low, high):
    if 2 * k + 1 >= len(board):
        return board[k]
    for child in range(2 * k + 1, 2 * k + 3):
        high = min(high, cut_above(board, child, low, high))
        if low >= high:
            break
    return high


@program("recursion of any depth", lambda: (np.random.default_rng(0).normal(size=63), 5))
def games(board, depth):
    return highest(board, depth, 0), cut_above(board, 0, -np.inf, np.inf)


@functools.cache
def ways(n, k):
    if n == 0:
        return 1
    return ways_behind(n - 1, k) + (ways(n - 2, k) if n > 1 else 0)


def ways_behind(n, k):
    if n == 0:
        return k
    return (ways(n - 1, k) * k) % 1009


@program("recursion of any depth", lambda: (np.array([5, 30]),))
def results_that_are_kept(sizes):
    return [ways(int(n), 3) for n in sizes]


class Graph:
    def __init__(self, n):
        self.neighbours = [[] for _ in range(n)]
        self.seen = [False] * n
        self.order = []

    def visit(self, node):
        self.seen[node] = True
        self.order.append(node)
        self.spread(node)

    def spread(self, node):
        for other in self.neighbours[node]:
            if not self.seen[other]:
                self.visit(other)


@program(
    "recursion of any depth instances",
    lambda: (np.array([[0, 1], [1, 2], [0, 3], [3, 4], [4, 5], [6, 7]]),),
)
def walk_by_methods(edges):
    graph = Graph(8)
    for a, b in edges:
        graph.neighbours[a].append(b)
        graph.neighbours[b].append(a)
    count = 0
    for node in range(8):
        if not graph.seen[node]:
            count += 1
            graph.visit(node)
    return count, graph.order


class Interval:
    def __init__(self, middle, half):
        self.middle = middle
        self.half = half
        self.items = []
        self.left = None
        self.right = None

    def insert(self, x):
        if not self.middle - self.half <= x < self.middle + self.half:
            return False
        if len(self.items) < 2 and self.left is None:
            self.items.append(x)
            return True
        if self.left is None:
            self.divide()
        return self.left.insert(x) or self.right.insert(x)

    def divide(self):
        half = self.half / 2
        self.left = Interval(self.middle - half, half)
        self.right = Interval(self.middle + half, half)
        for x in self.items:
            self.left.insert(x)
            self.right.insert(x)
        self.items = []

    def depth(self):
        return 1 if self.left is None else 1 + max(self.left.depth(), self.right.depth())


@program("recursion of any depth instances", lambda: (np.random.default_rng(0).random(20),))
def tree_that_divides(x):
    tree = Interval(0.5, 0.5)
    for number in x:
        tree.insert(number)
    return tree.depth()


class Steps:
    @staticmethod
    def up(x, by=1, *, n=0):
        if x > 50:
            return n
        return Steps.down(x + by + 2, n=n + 1)

    @staticmethod
    def down(x, *, n, by=1):
        return Steps.up(x - by, by=by + 1, n=n + 1) if x % 3 else Steps.up(n=n, x=x + 1)


def after_odd(n, count):
    return (n, count) if n == 1 else after_even(3 * n + 1, count + 1)


def after_even(n, count):
    return after_even(n // 2, count + 1) if n % 2 == 0 else after_odd(n, count)


def male(n):
    return 0 if n == 0 else n - female(male(n - 1))


def female(n):
    return 1 if n == 0 else n - male(female(n - 1))


@program("recursion of any depth", lambda: (np.array([27, 7, 3]),))
def ways_to_call(numbers):
    ups = [Steps.up(int(x)) for x in numbers]
    return ups, [after_odd(int(n), 0) for n in numbers], female(int(numbers[1]))


def later(x, n):
    return 1 if n == 0 else earlier(x, n - 1)


def earlier(x, n):
    if x[n] > 0:
        found = n
    if n == 0:
        return later(x, n) + found
    return later(x, n - 1) + found


@program(
    "recursion of any depth checks",
    lambda: (np.array([1.0, 1, 1, 1, 1, 1]), 5),
    lambda: (np.array([1.0, 1, 1, -1, 1, 1]), 5),
    lambda: (np.array([1.0, 1, -1, 1, -1, 1]), 5),
)
def names_that_a_call_does_not_bind(x, n):
    return later(x, n)


def left_of(grid, i, j):
    if i < 0 or j < 0 or i >= grid.shape[0] or j >= grid.shape[1] or grid[i, j] != 1:
        return 0
    grid[i, j] = 2
    return 1 + right_of(grid, i, j - 1) + right_of(grid, i - 1, j)


def right_of(grid, i, j):
    if i < 0 or j < 0 or i >= grid.shape[0] or j >= grid.shape[1] or grid[i, j] != 1:
        return 0
    grid[i, j] = 3
    return 1 + left_of(grid, i, j + 1) + left_of(grid, i + 1, j) + right_of(grid, i, j - 1)


@program(
    "recursion of any depth mutation",
    lambda: ((np.random.default_rng(2).random((8, 8)) < 0.7).astype(int),),
)
def two_ways_to_fill(grid):
    return left_of(grid, 3, 3), grid


class Number:
    def __init__(self, value):
        self.value = value

    def total(self):
        return self.value

    def size(self):
        return 1


class Sum:
    def __init__(self, left, right):
        self.left = left
        self.right = right

    def total(self):
        return self.left.total() + self.right.total()

    def size(self):
        return 1 + self.left.size() + self.right.size()


class Product(Sum):
    def total(self):
        return self.left.total() * self.right.total()


@program(
    "recursion of any depth instances",
    lambda: (np.random.default_rng(0).random(80) * 4,),
    lambda: (np.array([1.0, 2.0]),),
)
def expressions_of_several_classes(x):
    tree = Number(x[0])
    for number in x[1:]:
        tree = Sum(tree, Number(number)) if number > 2 else Product(Number(number), tree)
    return tree.total(), tree.size()


class File:
    def __init__(self, size):
        self.size = size

    def total(self):
        return self.size

    def depth(self):
        return 0


class Directory:
    def __init__(self):
        self.parts = []

    def total(self):
        return sum(part.total() for part in self.parts)

    def depth(self):
        return 1 + max([part.depth() for part in self.parts], default=0)


def _size(part):
    if isinstance(part, File):
        return part.size
    size = 0
    for inner in part.parts:
        size += _size(inner)
    return size


@program(
    "recursion of any depth instances",
    lambda: ([3, 5, 0, 2, 8, 0, 0, 1],),
    lambda: ([0, -1, 4, 0, 7],),
)
def directories_and_files(sizes):
    root = Directory()
    open_ = [root]
    for size in sizes:
        if size == 0:
            open_.append(Directory())
            open_[-2].parts.append(open_[-1])
        elif size < 0:
            open_.pop()
        else:
            open_[-1].parts.append(File(size))
    return root.total(), root.depth(), _size(root), _size(open_[-1])


def _value_at(tokens, i):
    if tokens[i] == -1:
        items, i = _items_at(tokens, i + 1)
        return sum(items), i
    return tokens[i], i + 1


def _items_at(tokens, i):
    items = []
    while tokens[i] != -2:
        item, i = _value_at(tokens, i)
        items.append(item)
    return items, i + 1


class Tokens:
    def __init__(self, tokens):
        self.tokens = tokens
        self.at = 0

    def value(self):
        token = self.tokens[self.at]
        self.at += 1
        return sum(self.items()) if token == -1 else token

    def items(self):
        items = []
        while self.tokens[self.at] != -2:
            items.append(self.value())
        self.at += 1
        return items


@program(
    "recursion of any depth instances",
    lambda: ([-1, 1, -1, 2, 3, -2, -1, -2, -1, 10, -1, 20, -2, -2, -2],),
    lambda: ([5],),
    lambda: ([-1, -2],),
)
def results_of_two_types(tokens):
    return _value_at(tokens, 0), Tokens(tokens).value()
