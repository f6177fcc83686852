# ruff: noqa - these programs are odd on purpose
"""The corpus: patterns."""

import numpy as np

from tests.frontend.corpus.case import Color, Node, Point, case


@case((1,), (2,), (3,), ("a",), (None,), (True,), (2.0,), (Color.BLUE,), (9,))
def match_values(x):
    match x:
        case None:
            return "none"
        case True:
            return "true"
        case 1 | 2:
            r = "small"
        case -3 | 3:
            r = "three"
        case "a":
            r = "string"
        case Color.BLUE:
            r = "blue"
        case _:
            r = "other"
    return r


@case(
    ([],),
    ([1],),
    ((1, 2),),
    ([1, 2, 3],),
    ([0, 5],),
    ("ab",),
    ([9, [1, 7]],),
    ({1: 2},),
    ([4, 5, 6, 7],),
    (np.arange(2),),
)
def match_sequences(x):
    match x:
        case []:
            return "empty"
        case [y]:
            return "one", y
        case (0, y):
            return "zero", y
        case [9, [_, z]]:
            return "nested", z
        case [a, b] if a < b:
            return "less", a, b
        case [4, *middle, 7]:
            return "ends", middle
        case [first, *_]:
            return "first", first
    return "none"


@case(
    (Point(0, 1),),
    (Point(2, 2),),
    (Node(1, 2),),
    (Node(),),
    (5,),
    (2.5,),
    ("s",),
    (Point(7, Node(3)),),
)
def match_classes(x):
    match x:
        case Point(0, y):
            return "axis", y
        case Point(x=7, y=Node(left=k)):
            return "deep", k
        case Point(a, b) if a == b:
            return "diagonal", a
        case Node(left=None, right=None):
            return "leaf"
        case Node(tags=[], left=l):
            return "node", l
        case int(n) | float(n):
            return "number", n
        case str():
            return "str"


@case((1,), ([1, 2],), ((3,),), (7,))
def match_captures(x):
    match x:
        case [1, (2 | 3) as y] as whole:
            r = whole, y
        case [z] | (1 as z):
            r = "alt", z
        case other if other != 7:
            r = "guarded", other
        case rest:
            r = "rest", rest
    return r


@case(([1, 2, 3, 4, 5, 6],))
def match_in_loop(xs):
    r = []
    for x in xs:
        match x % 3:
            case 0:
                continue
            case n if n == 2 and x > 4:
                break
            case n:
                r.append(n)
    else:
        r.append("end")
    return r


@case((1,), (2,))
def match_without_default(x):
    match x:
        case 1:
            y = "one"
        case [a]:
            y = a
    return y if x == 1 else "none"
