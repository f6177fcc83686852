"""What is said of a program."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """verdict: equal, refused, wrong, internal, unstable or discarded; reason: in a few words.

    further: what the oracle that was asked for besides said of it.
    """

    verdict: str
    reason: str = ""
    further: str = ""
