"""How much room lists of unknown length are given: no more than a program asks for."""

import re

import numpy as np
import pytest

import pyxla
from pyxla.options import DEFAULTS
from tests.programs import growing

SOME = np.arange(25) * 7 % 11


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (growing.swapped_and_longer, (SOME,)),
        (growing.swapped_in_loops_inside, (SOME, 20)),
        (growing.parts_in_loops_inside, (SOME, 20)),
    ],
)
def test_passes_of_a_loop_do_not_multiply_the_room(function, args):
    sizes = re.findall(r"\[(\d+)\]", str(pyxla.code_typed(function, *args)))
    assert max(map(int, sizes)) <= 8 * DEFAULTS.list_capacity
