"""Classes that are defined inside functions, where instances and exceptions leave the program."""

from __future__ import annotations

from typing import Any

import pytest

import pyxla


def instances(n: Any) -> Any:
    class Pair:
        def __init__(self, x: Any) -> None:
            self.x = x

        def doubled(self) -> Any:
            return 2 * self.x

    return Pair(n), [Pair(i) for i in range(2)]


def refuses(n: Any) -> Any:
    class Refused(ValueError):
        pass

    raise Refused("none", n)


def test_an_instance_is_one_of_the_class() -> None:
    first, (_, second) = pyxla.compile(instances)(3.5)
    assert first.doubled() == 7.0 and second.doubled() == 2
    assert type(first) is type(second)
    assert type(first).__qualname__ == "instances.<locals>.Pair"


def test_what_is_raised_is_of_the_class() -> None:
    with pytest.raises(ValueError) as caught:
        pyxla.compile(refuses)(4)
    assert type(caught.value).__qualname__ == "refuses.<locals>.Refused"
    assert caught.value.args == ("none", 4)


def test_values_that_methods_take_from_around() -> None:
    def scaled(x: Any, k: Any) -> Any:
        class Scale:
            def of(self, y: Any) -> Any:
                return k * y

        return Scale().of(x)

    compiled = pyxla.compile(scaled)
    assert [compiled(2.0, k) for k in (1, 2, True, 2.0)] == [2.0, 4.0, 2.0, 4.0]
    assert [str(compiled(1.0, k)) for k in (0.0, -0.0)] == ["0.0", "-0.0"]
    assert type(compiled(2, 2)) is int and type(compiled(2, 2.0)) is float
