"""Desugaring of `match`: a chain of tests on a held subject.

A pattern without parts to look into (values, alternatives of them, a bare class) is one condition:

    case 1 | 2: A                       if t == 1 or t == 2: A
    case _: B                           else: B

Any other is nested tests, so that what a test looks at is only evaluated where the tests before it
held; a flag tells the following cases that this one was taken:

    case Point(x=0, y=y) if y > 1: A    done = False
    case _: B                           if isinstance(t, Point):
                                            if hasattr(t, "x"):
                                                u = t.x
                                                if u == 0: ...
                                                    y = v
                                                    if y > 1: done = True; A
                                        if not done: B
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gast

from pyxla.frontend import hoist, tree
from pyxla.frontend.expressions import condition
from pyxla.frontend.source import mangle

Then = Callable[[], None]


@hoist.statement(gast.Match)
def _match(d: hoist.Desugarer, node: gast.Match) -> None:
    value = d.without_slices(d.expr(node.subject))
    subject = d.hold(value, node.subject)
    outer = parent = d.body
    opened: gast.stmt | None = None
    for case in node.cases:
        if _is_condition(case.pattern) and case.guard is None:
            test = _condition(case.pattern, subject)
            if isinstance(test, gast.Constant):
                d.statements(case.body)
                break
            taken = hoist.at(gast.If(condition(d, test), [], []), case.pattern)
            taken.body = d.block(d.statements, case.body) or [hoist.at(gast.Pass(), node)]
            d.body.append(taken)
            d.effects += 1
            d.body = taken.orelse
        elif _is_capture(case.pattern) and case.guard is None:
            _bind(d, case.pattern, subject)
            d.statements(case.body)
            break
        else:
            parent, opened = d.body, _tests(d, case, subject)
            d.body = opened.body
    # A last test of a flag that nothing follows goes again.
    if not d.body and isinstance(opened, gast.If) and d.body is opened.body:
        parent.remove(opened)
    d.body = outer


def _tests(d: hoist.Desugarer, case: gast.match_case, subject: gast.Name) -> gast.If:
    """Append a case as nested tests; the following cases go into the `if` that is the result."""
    pattern = case.pattern
    done = d.hold(hoist.constant(False, pattern), pattern)
    d.booleans.add(done.id)

    def take() -> None:
        d.set(done.id, hoist.constant(True, pattern), pattern)
        d.statements(case.body)

    def guarded() -> None:
        if case.guard is None:
            take()
        else:
            d.branch(condition(d, case.guard), d.block(take), [], case.guard)

    captures: list[tuple[gast.pattern, gast.Name]] = []

    def bind() -> None:
        for capture, value in captures:
            _bind(d, capture, value)
        guarded()

    _test(d, pattern, subject, captures, bind)
    following = hoist.at(gast.If(hoist.negate(done), [], []), pattern)
    d.body.append(following)
    return following


def _bind(d: hoist.Desugarer, pattern: gast.pattern, value: gast.expr) -> None:
    text = getattr(pattern, "name", None)
    if text is not None:
        target = hoist.at(tree.store(mangle(text, d.class_name)), pattern)
        d.store(target, value, pattern)


def _is_capture(pattern: gast.pattern) -> bool:
    return isinstance(pattern, gast.MatchAs) and pattern.pattern is None


def _is_condition(pattern: gast.pattern) -> bool:
    """Whether the pattern is one condition on the subject, without captures."""
    if isinstance(pattern, gast.MatchOr):
        return all(_is_condition(p) for p in pattern.patterns)
    if isinstance(pattern, gast.MatchClass):
        return not pattern.patterns and not pattern.kwd_patterns
    if isinstance(pattern, gast.MatchAs):
        return pattern.pattern is None and pattern.name is None
    return isinstance(pattern, (gast.MatchValue, gast.MatchSingleton))


def _condition(pattern: gast.pattern, subject: gast.Name) -> gast.expr:
    """The condition that `_is_condition` promised; constant True for `_`."""
    if isinstance(pattern, gast.MatchOr):
        tests = [_condition(p, subject) for p in pattern.patterns]
        if isinstance(tests[-1], gast.Constant):
            return tests[-1]
        return hoist.at(gast.BoolOp(gast.Or(), tests), pattern)
    if isinstance(pattern, gast.MatchValue):
        return hoist.at(gast.Compare(subject, [gast.Eq()], [pattern.value]), pattern)
    if isinstance(pattern, gast.MatchSingleton):
        value = hoist.constant(pattern.value, pattern)
        return hoist.at(gast.Compare(subject, [gast.Is()], [value]), pattern)
    if isinstance(pattern, gast.MatchClass):
        return hoist.call("is_instance", [subject, pattern.cls], pattern)
    return hoist.constant(True, pattern)


def _test(
    d: hoist.Desugarer,
    pattern: gast.pattern,
    subject: gast.Name,
    captures: list[tuple[gast.pattern, gast.Name]],
    then: Then,
) -> None:
    """Append tests of `subject`; `then` appends what runs where it matches."""
    if _is_condition(pattern):
        _where(d, _condition(pattern, subject), then, pattern)
    elif isinstance(pattern, gast.MatchAs):
        captures.append((pattern, subject))
        if pattern.pattern is None:
            then()
        else:
            _test(d, pattern.pattern, subject, captures, then)
    elif isinstance(pattern, gast.MatchSequence):
        _test_sequence(d, pattern, subject, captures, then)
    elif isinstance(pattern, gast.MatchMapping):
        _test_mapping(d, pattern, subject, captures, then)
    elif isinstance(pattern, gast.MatchClass):
        _test_class(d, pattern, subject, captures, then)
    elif isinstance(pattern, gast.MatchOr):
        _test_alternatives(d, pattern, subject, captures, then)


def _where(d: hoist.Desugarer, test: gast.expr, then: Then, origin: gast.AST) -> None:
    if isinstance(test, gast.Constant):
        return then()
    lowered = condition(d, test)
    d.branch(lowered, d.block(then), [], origin)


def _test_alternatives(
    d: hoist.Desugarer,
    pattern: gast.MatchOr,
    subject: gast.Name,
    captures: list[tuple[gast.pattern, gast.Name]],
    then: Then,
) -> None:
    """Alternatives bind the same names: each into its variables, then `then` once, on a flag."""
    matched = d.hold(hoist.constant(False, pattern), pattern)
    d.booleans.add(matched.id)
    held: dict[str, str] = {}

    def try_(rest: Sequence[gast.pattern]) -> None:
        own: list[tuple[gast.pattern, gast.Name]] = []

        def success() -> None:
            for capture, value in own:
                text = held.setdefault(capture.name, d.temporary())  # type: ignore[attr-defined]
                d.set(text, value, pattern)
            d.set(matched.id, hoist.constant(True, pattern), pattern)

        _test(d, rest[0], subject, own, success)
        if len(rest) > 1:
            d.branch(hoist.negate(matched), d.block(try_, rest[1:]), [], pattern)

    try_(pattern.patterns)
    for text, temporary in held.items():
        captures.append(
            (hoist.at(gast.MatchAs(None, text), pattern), hoist.name(temporary, pattern))
        )
    d.branch(matched, d.block(then), [], pattern)


def _test_sequence(
    d: hoist.Desugarer,
    pattern: gast.MatchSequence,
    subject: gast.Name,
    captures: list[tuple[gast.pattern, gast.Name]],
    then: Then,
) -> None:
    parts = pattern.patterns
    star = next((i for i, p in enumerate(parts) if isinstance(p, gast.MatchStar)), None)
    fixed = len(parts) - (star is not None)

    def lengths() -> None:
        size = d.hold(hoist.call("length", [subject], pattern), pattern)
        op = gast.Eq() if star is None else gast.GtE()
        test = hoist.at(gast.Compare(size, [op], [hoist.constant(fixed, pattern)]), pattern)
        d.branch(test, d.block(items, 0, size), [], pattern)

    def items(index: int, size: gast.Name) -> None:
        if index == len(parts):
            return then()
        part = parts[index]
        after = len(parts) - index
        if index == star:
            stop: gast.expr | None = None
            if after > 1:
                stop = hoist.at(gast.BinOp(size, gast.Sub(), hoist.constant(after - 1, part)), part)
            bounds = hoist.at(gast.Slice(hoist.constant(index, part), stop, None), part)
            listed = d.hold(hoist.call("to_list", [subject], part), part)
            captures.append((part, d.hold(_item(listed, bounds, part), part)))
            return items(index + 1, size)
        position: gast.expr = hoist.constant(index, part)
        if star is not None and index > star:
            position = hoist.at(gast.BinOp(size, gast.Sub(), hoist.constant(after, part)), part)
        if _is_condition(part) and _is_capture(part):
            return items(index + 1, size)
        held = d.hold(_item(subject, position, part), part)
        _test(d, part, held, captures, lambda: items(index + 1, size))

    _where(d, hoist.call("matches_sequence", [subject], pattern), lengths, pattern)


def _item(subject: gast.Name, index: gast.expr, origin: gast.AST) -> gast.expr:
    return hoist.at(gast.Subscript(subject, index, gast.Load()), origin)


def _test_mapping(
    d: hoist.Desugarer,
    pattern: gast.MatchMapping,
    subject: gast.Name,
    captures: list[tuple[gast.pattern, gast.Name]],
    then: Then,
) -> None:
    keys: list[gast.expr] = []

    def look(index: int) -> None:
        if index == len(pattern.patterns):
            return rest()
        part = pattern.patterns[index]
        key = d.hold(d.expr(pattern.keys[index]), part)
        keys.append(key)

        def inside() -> None:
            held = d.hold(_item(subject, key, part), part)
            _test(d, part, held, captures, lambda: look(index + 1))

        test = hoist.at(gast.Compare(key, [gast.In()], [subject]), part)
        _where(d, test, inside, part)

    def rest() -> None:
        if pattern.rest is not None:
            held = d.hold(hoist.call("without", [subject, *keys], pattern), pattern)
            captures.append((hoist.at(gast.MatchAs(None, pattern.rest), pattern), held))
        then()

    _where(d, hoist.call("matches_mapping", [subject], pattern), lambda: look(0), pattern)


def _test_class(
    d: hoist.Desugarer,
    pattern: gast.MatchClass,
    subject: gast.Name,
    captures: list[tuple[gast.pattern, gast.Name]],
    then: Then,
) -> None:
    cls = d.hold(d.expr(pattern.cls), pattern)
    parts = [
        *[(hoist.constant(i, p), p) for i, p in enumerate(pattern.patterns)],
        *[
            (hoist.constant(attr, p), p)
            for attr, p in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True)
        ],
    ]

    def look(rest: Sequence[tuple[gast.Constant, gast.pattern]]) -> None:
        if not rest:
            return then()
        (key, part), following = rest[0], rest[1:]

        def inside() -> None:
            value = hoist.call("match_value", [subject, cls, key], part)
            _test(d, part, d.hold(value, part), captures, lambda: look(following))

        d.branch(
            hoist.call("has_match_value", [subject, cls, key], part),
            d.block(inside),
            [],
            part,
        )

    def parts_() -> None:
        look(parts)

    _where(d, hoist.call("is_instance", [subject, cls], pattern), parts_, pattern)
