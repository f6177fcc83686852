"""Lists of unknown length whose items are of several types: each item has its own."""

from collections import deque

import numpy as np

from tests.programs import program

MIXED = lambda: ([1, 0, -3, 4, 8, 2, -5, 0, 9, 12],)
ABOVE = lambda: ([1, 2, 3, 4, 5, 7, 8],)
BELOW = lambda: ([-1, -2, -3, -4, -9, -1],)
NONE = lambda: ([],)


@program("", MIXED, ABOVE, BELOW, NONE)
def numbers_texts_and_none(xs):
    out = []
    for x in xs:
        if x > 0:
            out.append(x * 2)
        elif x == 0:
            out.append(None)
        else:
            out.append("neg")
    return out, len(out), out[::-1], out.count(None), out.count("neg"), 4 in out, "x" in out


@program("", MIXED, ABOVE)
def tuples_of_several_lengths(xs):
    out = []
    for x in xs:
        if x > 0:
            out.append((x, 1))
        elif x == 0:
            out.append(())
        else:
            out.append((x, "neg", 2.5))
    return out, [len(t) for t in out], (2, 1) in out, (-3, "neg", 2.5) in out, () in out


@program("", MIXED, ABOVE)
def errors_of_two_kinds(xs):
    errors = []
    for i, x in enumerate(xs):
        if x > 3:
            errors.append((i, 5))
        if x <= 0:
            errors.append((i, "x"))
    return errors, [what for _, what in errors if what == "x"], (1, "x") in errors, (1, 5) in errors


@program("", MIXED)
def formatted_items(xs):
    out = []
    for x in xs:
        out.append(f"low{x}" if x < 0 else "zero" if x == 0 else x)
    names = [type(o).__name__ for o in out]
    lengths = [len(o) for o in out if isinstance(o, str)]
    return " ".join(map(str, out)), [f"{o!r:>6}" for o in out], names, lengths


@program("", MIXED)
def values_of_a_dict(xs):
    found = {}
    for x in xs:
        found[x] = "odd" if x % 2 else x
    return found, [v for v in found.values() if isinstance(v, str)]


@program("", MIXED)
def keys_of_a_dict(xs):
    found = {}
    for x in xs:
        key = "odd" if x % 2 else x
        found[key] = found.get(key, 0) + 1
    return found, found["odd"], list(found)


@program("", MIXED)
def items_of_a_set(xs):
    found = set()
    for x in xs:
        found.add("odd" if x % 2 else x)
    return len(found), 4 in found, "odd" in found, "even" in found, 7 in found


@program("", MIXED)
def items_of_a_queue(xs):
    queue = deque()
    for x in xs:
        if x % 2:
            queue.append(("odd", x))
        else:
            queue.append(x)
    total = 0
    while queue:
        item = queue.popleft()
        if isinstance(item, tuple):
            total += item[1]
        else:
            total -= item
    return total


class Event:
    def __init__(self, value):
        self.value = value


@program("", MIXED)
def fields_of_instances(xs):
    events = []
    for x in xs:
        events.append(Event("odd" if x % 2 else x))
    return [e.value for e in events], sum(1 for e in events if e.value == "odd")


@program("", MIXED, ABOVE, lambda: ([9, 9, 9, 9, 0],))
def sorted_or_not(xs):
    out = []
    for x in xs:
        out.append("z" if x == 0 else x)
    out.sort()
    return out


@program("", MIXED)
def matched_by_length(xs):
    log = []
    for x in xs:
        if x > 3:
            log.append(("move", x, x + 1))
        elif x < 0:
            log.append(("turn", "left"))
        else:
            log.append(("stop",))
    total, path = 0, ""
    for entry in log:
        match entry:
            case ("move", a, b):
                total += a * b
            case ("turn", way):
                path += way[0]
            case ("stop",):
                path += "."
    return total, path


@program("", MIXED)
def functions_among_them(xs):
    functions = []
    for x in xs:
        if x < 0:
            functions.append(abs)
        else:
            functions.append(lambda v: v + 1)
    return [f(x) for f, x in zip(functions, xs, strict=True)]


@program("", MIXED)
def what_a_function_returned(xs):
    def parsed(x):
        if x < 0:
            return "neg"
        if x == 0:
            return None
        return x, x * 2

    found = [parsed(x) for x in xs]
    return found, [f for f in found if isinstance(f, tuple)], [f or "-" for f in found]


@program("", MIXED)
def changed_in_place(xs):
    stack = []
    for x in xs:
        stack.append(x if x > 0 else "a")
        if x == 0 and stack:
            stack.pop()
        if x == 8:
            stack.insert(1, "in")
            stack[0] = 2.5
    stack.reverse()
    return stack, stack[-1], stack.pop(), stack.pop(0), stack


@program("", lambda: ([3, 1, 4, 1, 5, 9, 2, 6],))
def texts_of_one_place(xs):
    rows = []
    for x in xs:
        rows.append(("a", x))
    names = ["b", "a"]
    wanted = f"{names[xs[1] % 2]}"
    return (wanted, 4) in rows, ("b", 4) in rows, rows.count((wanted, 1))


@program("checks", lambda: ([1, 0, 2, 3, -1],))
def operation_of_one_of_them(xs):
    out, texts = [], []
    for x in xs:
        out.append("ab" if x > 0 else x)
    for item in out:
        try:
            texts.append(item[0] + str(len(item)))
        except TypeError as error:
            texts.append(str(error))
    return texts


@program(
    "",
    lambda: (np.array([1.0, -2.0, 3.0]),),
    lambda: (np.array([-1.0, -0.5, 2.0]),),
    lambda: (np.array([0.5, 0.2, -3.0]),),
)
def looked_for_among_several(xs):
    kept = []
    for x in xs:
        if x > 0:
            kept.append(None)
        elif x > -1:
            kept.append((1, 3))
        else:
            kept.append("text")
    first = 1 if xs[0] > 0 else "text"
    pair = [first, 1 if xs[1] > 0 else "text"]
    found = "text" in kept, None in kept, (1, 3) in kept, kept.count("text"), 2 in kept
    return found, "text" in pair, 1 in pair, (first,) == ("text",), pair != ["text", 1]


def _applied(symbol, a, b):
    if symbol == "+":
        return a + b
    elif symbol == "*":
        return a * b % 1000
    assert symbol == "-", symbol
    return a - b


@program(
    "",
    lambda: ([3, 5, 1, 0, 2, 8, 0, 9, 4, 4],),
    lambda: ([1, 0, 8],),
    lambda: ([2, 2, 2, 0, 0],),
)
def numbers_and_symbols(numbers):
    tokens = []
    for number in numbers:
        if number == 0:
            tokens.append("+")
        elif number > 7:
            tokens.append("*" if number == 8 else "-")
        else:
            tokens.append(number)
    stack, sums = [], 0
    for token in tokens:
        if token == "+":
            if len(stack) < 2:
                continue
            b, a = stack.pop(), stack.pop()
            stack.append(a + b)
        elif token == "*" or token == "-":
            if len(stack) < 2:
                continue
            b, a = stack.pop(), stack.pop()
            stack.append(_applied(token, a, b))
        else:
            stack.append(token)
        match token:
            case "+" | "-":
                sums += 1
            case "*":
                sums += 10
            case _:
                sums += token
    return stack, sums, tokens
