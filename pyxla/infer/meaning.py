"""What the engine asks of the modules that state the meaning of Python (`infer.rules`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyxla.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Rules:
    """The meaning of Python that the engine is run with, by name; `transfer` is per `pyops` op."""

    transfer: dict[str, Callable[..., Any]]
    apart: Callable[..., Any]
    loop: Callable[..., None]
    call: Callable[..., Any]
    call_member: Callable[..., Any]
    construct: Callable[..., Any]
    special: Callable[..., Any]
    binary: Callable[..., Any]
    compare: Callable[..., Any]
    truth: Callable[..., Any]
    both: Callable[..., Any]
    either: Callable[..., Any]
    iterate: Callable[..., list[Any]]
    sequence: Callable[..., Any]
    seen: Callable[..., Any]
    enter: Callable[..., None]
    wrapper: Callable[..., Any]
    type_of: Callable[..., Any]
    of_text: Callable[..., Any]
    on_host: Callable[..., Any]
