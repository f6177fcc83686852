"""Texts where paths meet: what differs in more than the numbers in it becomes a string of code
points (`infer.text.codes`)."""

from __future__ import annotations

from typing import Any

from pyxla.abstract.lattice import Array, Compound, Const
from pyxla.infer.text import codes
from pyxla.ir.build import Builder, building


def join(join: Any, values: list[Any], undefined: Any) -> Any:
    """The text that each of `values`, one per state, is; None where they are none, or parts of one
    text, or only the host can format one.

    A string that a loop brings back longer is given room at once (`infer.joins.merge`).
    """
    known = [v for v in values if v is not undefined]
    if not all(map(codes.is_texts, known)) or all(isinstance(v, Const) for v in known):
        return None
    if not any(map(codes.is_string, known)) and _are_alike(known):
        return None
    if not any(isinstance(v, Compound) and v.kind == "text" for v in known):
        return None
    layouts = [codes.layout(v) for v in known]
    if None in layouts:
        return None
    layout = codes.common(layouts)
    if join.directions is not None and max(x[1] for x in layouts) > layouts[0][1]:
        layout = (layout[0], max(layout[1], join.way.room), False)
    contents = []
    for value, state in zip(values, join.states, strict=True):
        made = state.block.instrs if state in join.edges else []
        with building(Builder(made, join.loc)):
            contents.append(value if value is undefined else codes.fitted(value, layout))
    found = join.join_arrays(contents, [c for c in contents if c is not undefined])
    return codes.string(found) if isinstance(found, Array) else found


def _are_alike(known: list[Any]) -> bool:
    """Whether texts are of the same pieces."""
    first = known[0]
    return all(
        isinstance(v, Compound) and v.kind == first.kind and v.meta == first.meta for v in known
    )


def fit(fit: Any, template: Compound, back: Any) -> None:
    """Whether what comes back is among the strings that `template` stands for."""
    codes_: Array = template.items[0]
    layout = codes.layout(back)
    own = (codes_.dtype, codes_.shape[0], codes_.extents is None)
    if layout is None or not _holds(own, layout):
        fit.ok = False
        return
    with building(Builder(fit.back.block.instrs, fit.back.loc)):
        fit.content(codes_, codes.fitted(back, own))


def _holds(own: Any, other: Any) -> bool:
    return codes.common([own, other]) == own
