"""Source and typed SSA, side by side: what inference makes of each function of `pairs`."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from dataclasses import replace
from types import FunctionType, ModuleType

import pytest

import pyxla
from pyxla import options
from tests.infer import pairs
from tests.infer.listing import expectations, unmet

MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.iter_modules(pairs.__path__, pairs.__name__ + ".")
]


def functions(module: ModuleType) -> list[FunctionType]:
    """Those with expectations."""
    own = [f for f in vars(module).values() if inspect.isfunction(f)]
    return [
        f for f in own if f.__module__ == module.__name__ and expectations(inspect.getsource(f))
    ]


PAIRS = {
    f"{f.__module__.rpartition('.')[2]}.{f.__name__}": f for m in MODULES for f in functions(m)
}


@pytest.mark.parametrize("name", PAIRS)
def test_pair(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    function = PAIRS[name]
    checks = function.__module__.endswith(".checks")
    monkeypatch.setattr(options, "DEFAULTS", replace(options.DEFAULTS, checks=checks))
    listing = pyxla.code_typed(function, *inspect.get_annotations(function).values())
    assert not (problem := unmet(expectations(inspect.getsource(function)), listing)), problem


def test_enough_pairs() -> None:
    assert len(PAIRS) >= 60


LISTING = """
bb0:  (entry)
  %y.1 = add %x.0, %x.0 : f64[3]                             # 2: return x + x
  %2 = constant 1.0 : f64[]
  return %y.1
"""


@pytest.mark.parametrize(
    ("source", "met"),
    [
        ("#: %b = add %a, %a : f64[3]\n#: return %b", True),
        ("#: %b = add %a, %a ...\n#! multiply\n#: return %b", True),
        ("#: bb0: (entry)\n#! constant 2.0\n#: return %c", True),
        ("#: %b = add %a, %a : f64[3]\n#: return %a", False),
        ("#: %b = add %a, %c : f64[3]", False),
        ("#: %b = add %a, %a : f64", False),
        ("#: %b = add %a, %a : f64[3]\n#! constant\n#: return %b", False),
        ("#: return %b\n#: %b = add %a, %a : f64[3]", False),
        ("#: return %b\n#! constant", True),
        ("#: bb0: ...\n#! constant", False),
    ],
)
def test_expectations(source: str, met: bool) -> None:
    assert bool(unmet(expectations(source), LISTING)) != met
