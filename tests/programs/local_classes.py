"""Classes that are defined inside the function."""

from __future__ import annotations

import dataclasses
import enum
import functools
import typing
from typing import Any

from tests.programs import program


@program("classes", lambda: ([3, 1, 2],), lambda: ([],))
def sums_in_an_instance(xs):
    class Sum:
        """What was added."""

        def __init__(self) -> None:
            self.total = 0

        def add(self, x: Any) -> Sum:
            self.total += x
            return self

    found = Sum()
    for x in xs:
        found.add(x)
    return found.total, Sum.__doc__, Sum.__name__, Sum.__qualname__


@program("classes", lambda: ([5, 3, 8, 1],), lambda: ([],))
def search_tree(xs):
    class Node:
        __slots__ = ("key", "left", "right")

        def __init__(self, key: Any) -> None:
            self.key = key
            self.left = self.right = None

    class Tree:
        def __init__(self) -> None:
            self.root: Any = None

        def add(self, key: Any) -> None:
            if self.root is None:
                self.root = Node(key)
                return
            at = self.root
            while True:
                if key < at.key:
                    if at.left is None:
                        at.left = Node(key)
                        return
                    at = at.left
                else:
                    if at.right is None:
                        at.right = Node(key)
                        return
                    at = at.right

        def __iter__(self) -> Any:
            stack, at = [], self.root
            while stack or at:
                while at:
                    stack.append(at)
                    at = at.left
                at = stack.pop()
                yield at.key
                at = at.right

    tree = Tree()
    for x in xs:
        tree.add(x)
    return list(tree)


@program("classes", lambda: (2.0, 3.0))
def a_class_that_names_itself(a, b):
    class Vector:
        zero = 0.0
        least, most = -1, (1, 2)

        def __init__(self, x: float, y: float) -> None:
            self.x, self.y = x, y

        def __add__(self, other: Any) -> Any:
            return Vector(self.x + other.x, self.y + other.y)

        @property
        def norm(self) -> Any:
            return (self.x**2 + self.y**2) ** 0.5

        @staticmethod
        def unit() -> Any:
            return Vector(1.0, Vector.zero)

        @classmethod
        def of(cls, pair: Any) -> Any:
            return cls(*pair)

        def __repr__(self) -> str:
            return f"Vector({self.x}, {self.y})"

    v = Vector(a, b) + Vector.unit() + Vector.of(Vector.most)
    return v.norm, repr(v), isinstance(v, Vector), type(v) is Vector, vars(Vector(a, a))


@program("classes", lambda: (3,), lambda: (0,))
def bases_and_variables_around(n):
    scale, pair = 10, (1, "b")

    class Base:
        def value(self) -> int:
            return 1

    class Derived(Base):
        def value(self) -> int:
            return super().value() * scale + n

        def parts(self, k: int = 2, *, last: Any = None) -> Any:
            yield from pair
            yield k, last

    class Stack(list):
        def push(self, x: Any) -> None:
            self.append(x)

    stack = Stack()
    for i in range(n):
        stack.push(i)
    return Derived().value(), list(Derived().parts(last=n)), stack[:], len(stack)


@program("classes", lambda: (3,), lambda: (0,))
def declared_classes(n):
    @dataclasses.dataclass(order=True, frozen=True)
    class Item:
        rank: int
        weight: float = 2.0
        kept: list = dataclasses.field(default_factory=list, compare=False)

    class Kind(enum.Enum):
        FIRST = 1
        SECOND = 2

    class Pair(typing.NamedTuple):
        x: int
        y: int = 5

    @functools.total_ordering
    class Ranked:
        def __init__(self, rank: Any) -> None:
            self.rank = rank

        def __eq__(self, other: object) -> bool:
            return self.rank == other.rank

        def __lt__(self, other: Any) -> bool:
            return self.rank < other.rank

    item = Item(n)
    item.kept.append(1)
    ordered = item < Item(9), sorted([Item(5), item])[0].rank, repr(item), item == Item(n)
    ranked = Ranked(n) >= Ranked(1), Ranked(n) > Ranked(5)
    return ordered, Kind(1 + (n > 1)).name, Kind.SECOND.value, Pair(n).y + Pair(1, 2).x, ranked


@program("classes", lambda: (3,), lambda: (0,))
def exceptions_of_the_function(n):
    class Refused(ValueError):
        pass

    class Coded(Refused):
        def __init__(self, code: int) -> None:
            super().__init__(f"code {code}")
            self.code = code

    try:
        raise Coded(n)
    except Refused as e:
        found = str(e), e.code, isinstance(e, ValueError)
    return found


def made(k: Any) -> Any:
    def of(x: Any) -> Any:
        class Sum:
            def of_both(self) -> Any:
                return x + k

        return Sum().of_both()

    return of


AND_FIVE = made(5)


@program("classes", lambda: (2,))
def classes_in_closures(x):
    def deeper(depth):
        class Level:
            def __init__(self) -> None:
                self.depth = depth

        return 0 if depth == 0 else Level().depth + deeper(depth - 1)

    return AND_FIVE(x), made(7)(x), deeper(3)


@program("property of a local class", lambda: (2,))
def names_of_local_classes(x):
    class Fixed:
        @property
        def size(self):
            return x

    fixed, found = Fixed(), []
    try:
        fixed.size = x
    except AttributeError as error:
        found.append(str(error))
    return found, fixed.size


@program("a class in a class", lambda: ([3, 1, 2],), lambda: ([],))
def pile(x):
    class Pile:
        class Empty(Exception):
            pass

        @dataclasses.dataclass
        class Plate:
            weight: int
            below: object = None

        def __init__(self):
            self.top = None

        def put(self, weight):
            self.top = self.Plate(weight, self.top)

        def take(self):
            if self.top is None:
                raise Pile.Empty("no plates")
            weight, self.top = self.top.weight, self.top.below
            return weight

    plates, taken = Pile(), []
    for weight in x:
        plates.put(weight)
    try:
        while True:
            taken.append(plates.take())
    except Pile.Empty as error:
        return taken, str(error)
