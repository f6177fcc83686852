"""Count the instructions of a module before XLA's passes, the same way for everybody.

The text is HLO as converted from StableHLO, before any optimization. Calls are inlined: a call
counts as what it calls. Parameters, tuples, get-tuple-elements and the calls themselves are not
counted. `entry` is the entry computation; `all` adds the computations that its instructions carry
(loop bodies, branches, reducers), each as often as it is referred to.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import jax

import pyxla

UNCOUNTED = frozenset(("parameter", "tuple", "get-tuple-element", "call"))
COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.\-]+) .*\{$|^(ENTRY )?%?([\w.\-]+) \{$")
INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%?[\w.\-]+ = (?:\([^=]*\)|\S+) ([\w\-]+)\(")
COMMENT = re.compile(r"/\*.*?\*/")
CARRIED = re.compile(
    r"(?:to_apply|body|condition|select|scatter|comparator|true_computation|false_computation)"
    r"=%?([\w.\-]+)|branch_computations=\{([^}]*)\}"
)


@dataclass(slots=True)
class Computation:
    """Its own counted instructions by opcode, what it calls, and what its instructions carry."""

    opcodes: Counter[str] = field(default_factory=Counter)
    calls: list[str] = field(default_factory=list)
    carries: list[str] = field(default_factory=list)


def parse(text: str) -> tuple[str, dict[str, Computation]]:
    """The entry's name, and every computation of an HLO module's text."""
    computations: dict[str, Computation] = {}
    entry, current = "", None
    for line in COMMENT.sub("", text).splitlines():
        if header := COMPUTATION.match(line):
            name = header[2] or header[4]
            current = computations[name] = Computation()
            if header[1] or header[3]:
                entry = name
        elif current is not None and (found := INSTRUCTION.match(line)):
            record(current, found[1], line)
    return entry, computations


def record(computation: Computation, opcode: str, line: str) -> None:
    if opcode not in UNCOUNTED:
        computation.opcodes[opcode] += 1
    for one, several in CARRIED.findall(line):
        names = [one] if one else [name.strip().lstrip("%") for name in several.split(",")]
        (computation.calls if opcode == "call" else computation.carries).extend(names)


def inlined(name: str, computations: dict[str, Computation]) -> Counter[str]:
    """Opcodes of a computation with its calls inlined."""
    total = Counter(computations[name].opcodes)
    for callee in computations[name].calls:
        total += inlined(callee, computations)
    return total


def everything(name: str, computations: dict[str, Computation]) -> Counter[str]:
    """Opcodes of a computation, its calls, and all that its instructions carry."""
    computation = computations[name]
    total = Counter(computation.opcodes)
    for other in computation.calls + computation.carries:
        total += everything(other, computations)
    return total


@dataclass(frozen=True, slots=True)
class Count:
    entry: int
    all: int
    opcodes: dict[str, int]


def count(hlo_text: str) -> Count:
    """The counts of a module given as HLO text."""
    entry, computations = parse(hlo_text)
    total = everything(entry, computations)
    return Count(inlined(entry, computations).total(), total.total(), dict(sorted(total.items())))


def count_jax(jitted: Any, *args: Any) -> Count:
    """The counts of what `jax.jit` lowers."""
    lowered: jax.stages.Lowered = jitted.lower(*args)
    return count(lowered.compiler_ir("hlo").as_hlo_text())


def count_pyxla(fn: Any, *args: Any) -> Count:
    """The counts of what pyxla emits."""
    return count(pyxla.code_hlo(fn, *args))
