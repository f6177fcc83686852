"""Attributes of classes and functions that a program assigns to.

Each program sets them first: what one run leaves is there in the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.programs import program


class Account:
    total = 0
    opened = 0

    def __init__(self, balance: int) -> None:
        self.balance = balance
        Account.total += balance
        type(self).opened += 1

    def deposit(self, amount: int) -> None:
        self.balance += amount
        self.__class__.total += amount


@program("classes", lambda: ([100, 50], [5, 7, 9]), lambda: ([1, 2, 3, 4, 5, 6], []))
def accounts(starts, amounts):
    Account.total = Account.opened = 0
    opened = [Account(start) for start in starts]
    for i, amount in enumerate(amounts):
        opened[i % len(opened)].deposit(amount)
    return Account.total, Account.opened, [account.balance for account in opened]


class Settings:
    instance: Any = None
    limit = 3
    seen: list[int] = []

    def __init__(self, value: int) -> None:
        self.value = value

    @classmethod
    def get(cls, value: int) -> Settings:
        if cls.instance is None:
            cls.instance = cls(value)
        return cls.instance

    @classmethod
    def see(cls, x: int) -> None:
        if len(cls.seen) >= cls.limit:
            raise RuntimeError(f"no more than {cls.limit}")
        cls.seen.append(x)


@program("classes", lambda: (3, 4))
def single_instance(a, b):
    Settings.instance = None
    first, second = Settings.get(a), Settings.get(b)
    return first.value, second.value, first is second, Settings.instance is first


@program("classes", lambda: ([3, 1, 2], 3), lambda: ([4, 5, 6, 7, 8, 9], 2))
def rebound_list(xs, limit):
    Settings.seen = []
    Settings.limit = limit
    refused = 0
    for x in xs:
        try:
            Settings.see(x)
        except RuntimeError:
            refused += 1
    return refused, Settings.seen


@program("classes", lambda: ([3, 1, 2], 2))
def left_by_exception(xs, limit):
    Settings.seen = []
    setattr(Settings, "limit", limit)  # noqa: B010
    for x in xs:
        Settings.see(x)


class Base:
    made = 0

    @classmethod
    def new(cls) -> Base:
        cls.made += 1
        return cls()


class Derived(Base):
    made = 0


@program("classes", lambda: (3,))
def base_and_derived(n):
    Base.made = Derived.made = 0
    for i in range(n):
        Derived.new()
        if i:
            Base.new()
    return Base.made, Derived.made


@dataclass
class Item:
    price: float
    tax = 0.25

    def full(self) -> float:
        return self.price * (1 + self.tax)


@program("classes", lambda: (0.5, True), lambda: (1.0, False))
def seen_through_instances(tax, own):
    Item.tax = 0.25
    item, other = Item(8.0), Item(4.0)
    if own:
        item.tax = 0.75
    before = item.full()
    Item.tax = tax
    return before, item.full(), other.full(), item.tax, other.tax


def fibonacci(n: int) -> int:
    fibonacci.calls += 1  # type: ignore[attr-defined]
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


fibonacci.calls = 0  # type: ignore[attr-defined]


@program("classes", lambda: (7,))
def attribute_of_function(n):
    fibonacci.calls = 0
    return fibonacci(n), fibonacci.calls


class Asked:
    left = None
    kind = None

    def __init__(self, v):
        self.v = v
        self.table = [self.left] * 2
        if v > 3:
            self.kind = v

    def __getattr__(self, name):
        return name


class Leaf:
    after = None

    def __init__(self, v):
        self.v = v
        self.before = self.after


@program("a class attribute that is None", lambda: (1,), lambda: (5,))
def of_none(n):
    a = Asked(n)
    found = a.left, a.kind, a.other, hasattr(a, "left"), getattr(a, "kind", 5), a.table
    a.left = Asked(n + 1)
    leaf, last = Leaf(n), Leaf(n + 1)
    first = leaf.after, leaf.before
    leaf.after = last
    return found, a.left.v, a.left.left, Asked.left, first, leaf.after.v, leaf.after.after
