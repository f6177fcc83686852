"""Floats in texts whose characters the program looks at."""

from __future__ import annotations

import numpy as np

from tests.programs import program

READ = np.array([1.5, -2.25, 1000.125, 1.52])


@program("prints", lambda: (READ,))
def in_columns(x):
    for v in x:
        print(f"{2 * v:.2f}".rjust(10) + "|")


@program("text", lambda: (READ,), lambda: (np.array([np.inf, -0.0, 3e-7, np.nan]),))
def without_zeros_at_the_end(x):
    return [f"{v * 2:.3f}".rstrip("0").rstrip(".") for v in x[:2]], f"{x[2]:e}".upper()


@program("text", lambda: (READ,))
def lengths(x):
    return len(f"{x[0]:g}"), len(f"{x[1]:+09.2f}"), len(f"{x[2]:,.1f}"), f"{x[1]:<8.3e}|"[2]


@program("text", lambda: (READ.astype(np.float32),), lambda: (READ.astype(np.float16),))
def of_fewer_bits(x):
    return f"{x[0] * x[3]:.6f}".rjust(12), f"{x[2]:>14}".strip(), f"{x[1]:.3e}" == "-2.250e+00"


@program("text", lambda: (3.25,), lambda: (1e22,), lambda: (-0.1,))
def whole_and_fraction(x):
    whole, fraction = str(x * 2).split(".") if x < 1e16 else ("", "")
    return whole, fraction, str(x)[::-1]


@program("text", lambda: (READ,), lambda: (READ * -1,))
def looked_at_again(x):
    text = f"{x[0] * 2:.2f}"
    lengths = [len(text), text.count("0")]
    if x[1] < 0:
        lengths.append(len(text.lstrip("-")))
    else:
        lengths.append(len(f"{x[2]:.1f}"))
    for v in x:
        shown = f"{v:.1f}"
        lengths.append(len(shown) + shown.count("5"))
    return text.rjust(9), lengths, f"{x[2]:.1f}".rjust(8)


@program("text", lambda: (READ,), lambda: (READ * 0,))
def keys_that_look_alike(x):
    counts = {}
    for v in x:
        key = f"{abs(v):.0f}"
        counts[key] = counts.get(key, 0) + 1
    return counts


@program("text", lambda: (READ,))
def looked_for_among_texts(x):
    shown = []
    for v in x:
        if v > 0:
            shown.append(f"{v:.1f}")
    return shown.index("1000.1"), shown.count("1.5"), "1.5" in shown, "-2.2" in shown


@program("text", lambda: (READ,), lambda: (READ + 1,))
def back_to_numbers(x):
    return [int(f"{v:.0f}") for v in x[:2]], float(f"{x[2]:.1f}"), f"{x[0]:.2f}" == "1.50"


@program("text", lambda: (np.array([1.0, 2.5, 1e16]),), lambda: (np.array([2.5, -0.04, 123.0]),))
def in_the_order_of_texts(x):
    shown = []
    for v in x:
        if v < 1e3:
            shown.append(f"{v:.1f}")
    return sorted(shown), sorted([f"{v:.0f}" for v in x], reverse=True)
