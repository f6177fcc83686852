"""The oracle of derivatives: central differences of the native run.

Differences are taken with three steps; where they do not agree, a kink or noise is near, and the
program is discarded; where they do, the first two are extrapolated (Richardson). Then reverse mode
must agree with them, forward mode with reverse mode, and for some programs the reverse from
snapshots, a Hessian's product, and `vmap` with a loop.
"""

from __future__ import annotations

import copy
import hashlib
import re
import warnings
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

import pyxla
from tests.compare import difference
from tests.fuzz.outcomes import Outcome
from tests.fuzz.running import fresh, load

STEPS = (1e-5, 3e-5, 2e-6)
AGREE, CLOSE = 2e-6, 1e-5
LARGEST = 1e4


class Unsuited(Exception):  # noqa: N818 - no error
    """The program has no derivative here that differences can find."""


def flat(x: Any) -> np.ndarray:
    """All floats of an argument, or of a gradient, in one order."""
    leaves = jax.tree.leaves(x)
    return np.concatenate([np.ravel(np.asarray(leaf, float)) for leaf in leaves])


def rebuilt(x: Any, values: np.ndarray) -> Any:
    """An argument of the form of `x` with other numbers."""
    leaves, tree = jax.tree.flatten(x)
    made, start = [], 0
    for leaf in leaves:
        size = np.size(leaf)
        part = values[start : start + size].reshape(np.shape(leaf))
        made.append(part.copy() if isinstance(leaf, np.ndarray) else float(part))
        start += size
    return ordered(jax.tree.unflatten(tree, made), x)


def ordered(x: Any, like: Any) -> Any:
    """Dicts with their keys in the order of those in `like`, where JAX sorts them."""
    if isinstance(like, dict):
        return {key: ordered(x[key], item) for key, item in like.items()}
    if isinstance(like, tuple):
        return tuple(map(ordered, x, like))
    return x


def value(program: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return float(program(*copy.deepcopy(arguments)))
        except Exception as error:
            raise Unsuited("the program raises") from error


def central(
    program: Callable[..., Any], arguments: tuple[Any, ...], wrt: tuple[int, ...]
) -> np.ndarray:
    """The gradient by all floats of the arguments `wrt`; `Unsuited` where it does not converge."""
    given = tuple(arguments[i] for i in wrt)
    base = flat(given)
    here = value(program, arguments)
    scale = abs(here)
    if not np.isfinite(scale) or scale > LARGEST:
        raise Unsuited("a value that is large")

    def at(point: np.ndarray) -> float:
        moved = list(arguments)
        for i, x in zip(wrt, rebuilt(given, point), strict=True):
            moved[i] = x
        return value(program, tuple(moved))

    columns = []
    for k in range(base.size):
        unit = np.zeros(base.size)
        unit[k] = 1.0
        sides = [(at(base + h * unit), at(base - h * unit)) for h in STEPS]
        slopes = [(up - down) / (2 * h) for h, (up, down) in zip(STEPS, sides, strict=True)]
        bends = [(up + down - 2 * here) / h for h, (up, down) in zip(STEPS, sides, strict=True)]
        far = max(slopes) - min(slopes)
        allowed = AGREE * max(1.0, scale, abs(slopes[0]))
        if not np.isfinite(far) or far > allowed:
            raise Unsuited("differences that do not converge")
        if abs(straight(bends)) > allowed:
            raise Unsuited("a kink, as where two sorted numbers are equal")
        columns.append(extrapolated(slopes))
    return np.array(columns)


def extrapolated(slopes: Any) -> Any:
    """Central differences of `STEPS` without their error of second order in the step."""
    ratio = (STEPS[1] / STEPS[0]) ** 2
    return (ratio * slopes[0] - slopes[1]) / (ratio - 1)


def straight(bends: Any) -> Any:
    """What of the difference between slopes to both sides does not vanish with `STEPS`."""
    ratio = STEPS[1] / STEPS[0]
    return (ratio * bends[0] - bends[1]) / (ratio - 1)


def apart(actual: Any, expected: np.ndarray, close: float = CLOSE) -> str:
    found = flat(actual)
    if found.shape != expected.shape:
        return f"shape {found.shape}, expected {expected.shape}"
    if np.allclose(found, expected, rtol=close, atol=close * max(1.0, np.abs(expected).max())):
        return ""
    return f"{found!r}, expected {expected!r}"


def seeded(text: str) -> np.random.Generator:
    """Numbers that are a function of the program."""
    return np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big"))


def judge(text: str) -> Outcome:
    """Differentiate a program in several ways."""
    native = load(text)
    arguments = native["arguments"]()
    wrt = tuple(i for i, x in enumerate(arguments) if not isinstance(x, int))
    try:
        expected = central(native["program"], arguments, wrt)
    except Unsuited as unsuited:
        return Outcome("discarded", str(unsuited))
    program = fresh(text)["program"]
    rng = seeded(text)
    chosen = [reverse, forward]
    chosen += [way for way in (snapshots, lanes, second, lanes_of_gradients) if rng.random() < 0.25]
    asked = []
    for way in chosen:
        try:
            found = way(pyxla.compile(program), arguments, wrt, expected, rng)
        except pyxla.CompileError as error:
            # The program runs natively: operands that do not fit are the derivative's doing.
            misfit = re.search(r"^\w+: .*\bdo(es)? not fit\b", error.message)
            internal = error.message.startswith("internal error") or misfit
            verdict = "internal" if internal else "refused"
            return Outcome(verdict, f"{way.__name__}: {error.message}")
        except Exception as error:
            return Outcome("internal", f"{way.__name__}: {type(error).__name__}: {error}")
        if found:
            return Outcome("wrong", f"{way.__name__}: {found}")
        asked.append(way.__name__)
    return Outcome("equal", further=" ".join(asked[2:]))


# --- Ways ----------------------------------------------------------------------------------------


def reverse(f: Any, arguments: Any, wrt: Any, expected: Any, rng: Any) -> str:
    """`value_and_grad`; the arguments must be left as they are."""
    given = copy.deepcopy(arguments)
    found, gradient = pyxla.value_and_grad(f, wrt)(*given)
    if changed := difference(given, arguments):
        return f"changed {changed}"
    native = value(f.__pyxla_function__, arguments)
    if not np.allclose(found, native, rtol=1e-9, atol=1e-9):
        return f"value {found!r}, expected {native!r}"
    return apart(gradient, expected)


def snapshots(f: Any, arguments: Any, wrt: Any, expected: Any, rng: Any) -> str:
    """The reverse of loops without room for residuals."""
    small = pyxla.compile(f.__pyxla_function__, residual_bytes=0, snapshots=int(rng.integers(1, 5)))
    return apart(pyxla.grad(small, wrt)(*copy.deepcopy(arguments)), expected)


def forward(f: Any, arguments: Any, wrt: Any, expected: Any, rng: Any) -> str:
    given = tuple(copy.deepcopy(arguments))
    direction = rng.uniform(-1, 1, expected.size)
    moved = rebuilt(tuple(given[i] for i in wrt), direction)
    tangents = [0 if isinstance(x, int) else None for x in given]
    for i, x in zip(wrt, moved, strict=True):
        tangents[i] = x
    _, slope = pyxla.jvp(f, given, tangents)
    return apart(slope, np.array([expected @ direction]))


def second(f: Any, arguments: Any, wrt: Any, expected: Any, rng: Any) -> str:
    """The derivative of the gradient in a direction, by differences of compiled gradients."""
    first = wrt[0]
    gradient = pyxla.grad(f, first)
    base = flat(arguments[first])
    direction = rng.uniform(-1, 1, base.size)

    def at(t: float) -> np.ndarray:
        moved = list(copy.deepcopy(arguments))
        moved[first] = rebuilt(arguments[first], base + t * direction)
        return flat(gradient(*moved))

    slopes = [(at(h) - at(-h)) / (2 * h) for h in STEPS]
    far = np.max(np.abs(np.max(slopes, axis=0) - np.min(slopes, axis=0)))
    if not np.isfinite(far) or far > AGREE * max(1.0, np.abs(slopes[0]).max()):
        return ""
    found = pyxla.hessian(f, first)(*copy.deepcopy(arguments))
    return apart(np.asarray(found) @ direction, extrapolated(slopes), 10 * CLOSE)


def stacked(arguments: Any, rng: Any, count: int = 3) -> tuple[tuple[Any, ...], Any, list[Any]]:
    """Arguments in lanes: the first vector and the first float differ."""
    lanes = [list(copy.deepcopy(arguments)) for _ in range(count)]
    for lane in lanes[1:]:
        lane[0] = lane[0] + rng.uniform(-0.5, 0.5, lane[0].shape)
        lane[1] = lane[1] + float(rng.uniform(-0.5, 0.5))
    joined = list(copy.deepcopy(arguments))
    joined[0] = np.stack([lane[0] for lane in lanes])
    joined[1] = np.array([lane[1] for lane in lanes])
    return tuple(joined), (0, 0, *[None] * (len(arguments) - 2)), lanes


def lanes(f: Any, arguments: Any, wrt: Any, expected: Any, rng: Any) -> str:
    """`vmap` against a loop of native calls."""
    joined, axes, each = stacked(arguments, rng)
    try:
        wanted = np.array([value(f.__pyxla_function__, tuple(lane)) for lane in each])
    except Unsuited:
        return ""
    if not np.isfinite(wanted).all():
        return ""
    return apart(pyxla.vmap(f, in_axes=axes)(*joined), wanted, 1e-9)


def lanes_of_gradients(f: Any, arguments: Any, wrt: Any, expected: Any, rng: Any) -> str:
    """`vmap` of a gradient against a loop of compiled gradients."""
    joined, axes, each = stacked(arguments, rng)
    gradient = pyxla.grad(f)
    wanted = np.stack([flat(gradient(*copy.deepcopy(lane))) for lane in each])
    if not np.isfinite(wanted).all():
        return ""
    found = pyxla.vmap(gradient, in_axes=axes)(*joined)
    return apart(found, wanted.ravel(), 1e-8)
