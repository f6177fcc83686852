"""Iterators that are asked for one item and another, as Python that is compiled like the user's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyxla.frontend import support
from pyxla.frontend.support import DONE, FIRST, Ended, Returned


class Steps:
    """What iterators have that are read in steps."""

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any: ...

    def __contains__(self, x: Any) -> bool:
        while True:
            try:
                item = self.__next__()
            except StopIteration:
                return False
            if item == x:
                return True


class Gathered:
    """The items of a generator that a user's caller gets, who reads them from a generator."""

    items: Any

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> Iterator[Any]:
        return _given(fields["items"])


def gather(items: Any) -> list[Any]:
    """The items that a generator gives to the caller."""
    found: list[Any] = []
    for item in items:
        give(found, item)
    return found


def give(found: list[Any], item: Any) -> None:
    """Append an item, at which the caller may look before the generator goes on."""
    found.append(item)


def _given(items: Any) -> Iterator[Any]:
    yield from items


class Generator(Steps):
    """A generator of which the program asks for one item and another: what `made` it and what is
    kept while it waits are further fields (`frontend.stepping`)."""

    at: int
    sent: Any

    def __next__(self) -> Any:
        self.sent = None
        return self.further()

    def send(self, value: Any) -> Any:
        if self.at == FIRST and value is not None:
            raise TypeError("can't send non-None value to a just-started generator")
        self.sent = value
        return self.further()

    def close(self) -> None:
        self.at = DONE

    def further(self) -> Any:
        """The next item."""
        try:
            return go_on(self)
        except StopIteration:
            raise RuntimeError("generator raised StopIteration") from None
        except Returned as end:
            raise StopIteration(*end.args) from None
        except Ended:
            raise StopIteration from None


def go_on(generator: Any) -> Any:
    """Visit a generator from where it waits to its next `yield`."""


class SequenceSteps(Steps):
    """An iterator over a sequence, of which the program reads an item here and another there."""

    items: Any
    at: int
    ended: bool

    def __next__(self) -> Any:
        if self.ended:
            raise StopIteration
        if not support.has_item(self.items, self.at):
            self.ended = True
            raise StopIteration
        item = support.item(self.items, self.at)
        self.at += 1
        return item


def stepped(x: Any) -> Iterator[Any]:
    """The items of an iterator that a class of the user's makes."""
    while True:
        try:
            item = x.__next__()
        except StopIteration:
            return
        yield item


def next_or(x: Any, default: Any) -> Any:
    """`next(x, default)` of an iterator that a class of the user's makes."""
    try:
        return x.__next__()
    except StopIteration:
        return default


def zip_steps(*readers: Any) -> Iterator[Any]:
    """`zip` of iterators of which each item is asked for."""
    while True:
        row = []
        for reader in readers:
            try:
                row.append(next(reader))
            except StopIteration:
                return
        yield tuple(row)


def zip_steps_strictly(*readers: Any) -> Iterator[Any]:
    """`zip(..., strict=True)` of iterators of which each item is asked for."""
    while True:
        row = []
        for k, reader in enumerate(readers):
            try:
                row.append(next(reader))
            except StopIteration:
                _check_even(readers, k)
                return
        yield tuple(row)


def _check_even(readers: tuple[Any, ...], ended: int) -> None:
    """Raise where not all iterators end with the first of them that does."""
    if ended > 0:
        raise ValueError(uneven(ended - 1, "shorter")) from None
    for k, reader in enumerate(readers[1:]):
        try:
            next(reader)
        except StopIteration:
            continue
        raise ValueError(uneven(k, "longer")) from None


def uneven(k: int, how: str) -> str:
    """What `zip` says of the argument after the first `k + 1`."""
    before = "argument 1" if k == 0 else f"arguments 1-{k + 1}"
    return f"zip() argument {k + 2} is {how} than {before}"
