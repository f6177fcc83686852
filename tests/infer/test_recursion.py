"""Calls that look like recursion, and are not calls of the function by itself as it is bound."""

import numpy as np
import pytest

import pyxla


class Walker:
    def unbound(self, n, k=1):
        if n <= 0:
            return k
        return Walker.unbound(self, n - 1) + k

    @classmethod
    def by_another_name(cls, n=3):
        if n <= 0:
            return 1
        return by_another_name(n - 1) + 2


by_another_name = Walker.by_another_name


def of_a_class(x):
    return Walker().unbound(int(x[0]))


def of_a_bound_method(x):
    return Walker.by_another_name(int(x[0]))


@pytest.mark.parametrize("function", [of_a_class, of_a_bound_method])
def test_arguments_are_not_bound_to_other_parameters(function):
    with pytest.raises(pyxla.CompileError, match="nested too deeply") as caught:
        pyxla.compile(function)(np.array([4]))
    assert "is of another function" in str(caught.value)
