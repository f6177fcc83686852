"""Members of enums that data decides, as Python that is compiled like the user's."""

from __future__ import annotations

from typing import Any


def member_of(cls: Any, value: Any) -> Any:
    """`cls(value)`, a member of an enum."""
    for member in cls:
        if value is member or member._value_ == value:
            return member
    found = cls._missing_(value)
    if found is None:
        raise ValueError(f"{value!r} is not a valid {cls.__qualname__}")
    if not isinstance(found, cls):
        what = f"error in {cls.__name__}._missing_"
        raise TypeError(f"{what}: returned {found!r} instead of None or a valid member")
    return found


def member_named(members: Any, name: Any) -> Any:
    """`cls[name]`, a member of an enum; members: the names of all, with them."""
    for own, member in members:
        if name == own:
            return member
    raise KeyError(name)
