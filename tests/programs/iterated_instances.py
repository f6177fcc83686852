"""Instances that say how they are read."""

from __future__ import annotations

from itertools import zip_longest

from tests.programs import program


class Squares:
    def __init__(self, n):
        self.n, self.at = n, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= self.n:
            raise StopIteration
        self.at += 1
        return self.at**2


@program("extend", lambda: (5,), lambda: (0,))
def extended_by_instances(n):
    items = [1]
    items += Squares(n)
    items.extend(Squares(2))
    return items, [*Squares(n)], (*Squares(n), 7), sorted({*Squares(n), 4})


class Failing:
    """Raises after some items, each of which says how long a list is by then."""

    def __init__(self, n, seen):
        self.left, self.seen = n, seen

    def __iter__(self):
        return self

    def __next__(self):
        if self.left == 0:
            raise ValueError("no more")
        self.left -= 1
        return len(self.seen)


@program("extend", lambda: (3,), lambda: (0,))
def extended_until_it_fails(n):
    items = [7, 7]
    try:
        items.extend(Failing(n, items))
    except ValueError as error:
        return items, str(error)


class Resuming:
    """Ends, and would go on."""

    def __init__(self, n):
        self.n, self.asked = n, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.asked += 1
        if self.asked % self.n == 0:
            raise StopIteration
        return self.asked


@program("iterators", lambda: (3,), lambda: (1,))
def what_ended_is_not_asked_again(n):
    first = Resuming(n)
    return list(zip_longest(first, [1, 2, 3, 4])), first.asked
