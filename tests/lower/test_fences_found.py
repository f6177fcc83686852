"""A program whose fences once read an array before the update that they depended on."""

import numpy as np

import pyxla


def quick_sort(a):
    stack = np.zeros(2 * len(a), int)
    stack[0] = 0
    stack[1] = len(a) - 1
    top = 2
    while top > 0:
        hi = stack[top - 1]
        lo = stack[top - 2]
        top -= 2
        if lo >= hi:
            continue
        pivot = a[hi]
        i = lo
        for j in range(lo, hi):
            if a[j] < pivot:
                a[i], a[j] = a[j], a[i]
                i += 1
        a[i], a[hi] = a[hi], a[i]
        stack[top] = lo
        stack[top + 1] = i - 1
        top += 2
        stack[top] = i + 1
        stack[top + 1] = hi
        top += 2
    return a


def test_quick_sort_with_an_explicit_stack():
    for n in (1, 2, 9, 50):
        a = np.random.default_rng(n).permutation(n) * 1.0
        np.testing.assert_array_equal(pyxla.compile(quick_sort, verify=True)(a), np.arange(n))
