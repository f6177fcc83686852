"""Random simple statements: assignment in all its forms, mutation, containers, closures.

A production writes its lines into the scope and says whether it applied. Statements are tried on
copies of the representative values before they are written.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable

import numpy as np

from tests.fuzz import arrays, calls, items
from tests.fuzz import expressions as ex
from tests.fuzz.scope import VALUES, Scope
from tests.fuzz.values import Expr, is_array, kind

Statement = Callable[[Scope], bool]
NAMES = re.compile(r"\b[a-zA-Z_]\w*\b")


def runs(scope: Scope, *statements: str) -> bool:
    """Whether CPython runs these statements on copies of the representative values."""
    names = {**scope.namespace, **copy.deepcopy(scope.names)}
    try:
        for statement in statements:
            exec(statement, names)
    except Exception:
        return False
    return True


def write(scope: Scope, statement: str, *features: str) -> bool:
    """Write a statement if it runs."""
    if not runs(scope, statement):
        return False
    scope.emit(statement)
    scope.feature(*features)
    return True


def bind(scope: Scope, name: str, expression: Expr) -> None:
    """Write `name = expression`; a new array is a value or a cell, a view what its base is."""
    scope.emit(f"{name} = {expression.text}")
    if is_array(expression.value) and name not in scope.names:
        if expression.fresh and scope.chance(VALUES):
            scope.values.add(name)
        for base in () if expression.fresh else NAMES.findall(expression.text):
            scope.follow(name, base)
    scope.names[name] = expression.value


def any_expression(scope: Scope, depth: int = 2) -> Expr | None:
    """An expression of any class, arrays most often."""
    roll = scope.rng.random()
    if roll < 0.5:
        return ex.array(scope, depth)
    if roll < 0.65:
        return ex.integer(scope, depth)
    if roll < 0.85:
        return ex.real(scope, depth)
    return ex.numpy_scalar(scope, depth)


# Names ------------------------------------------------------------------------------------------


def assign_new(scope: Scope) -> bool:
    found = any_expression(scope, 3)
    if found is None:
        return False
    if is_array(found.value) and not found.fresh:
        scope.feature("alias" if found.text.isidentifier() else "view")
    bind(scope, scope.fresh_name("v"), found)
    return True


def assign_view(scope: Scope) -> bool:
    """A view of an array, or a view of a view."""
    x = scope.pick(lambda v: is_array(v) and v.ndim > 0)
    if x is None:
        return False
    forms = [
        "{}[1:]",
        "{}[::2]",
        "{}[::-1]",
        "{}.T",
        "{}.reshape(-1)",
        "{}[...]",
        "{}[:2]",
        "{}[None]",
    ]
    if x.value.ndim > 1:
        forms += ["{}[0]", "{}[:, 0]", "{}[:, 1:]", "{}[-1, :]", "{}.ravel()", "{}.diagonal()"] * 2
    if x.value.dtype.kind == "c":
        forms += ["{}.real", "{}.imag"]
    found = scope.make(scope.rng.choice(forms).format(x.text), fresh=False)
    if found is None or not is_array(found.value):
        return False
    scope.feature("view")
    if x.text.startswith("view"):
        scope.feature("view-of-view")
    bind(scope, scope.fresh_name("view"), found)
    return True


def assign_alias(scope: Scope) -> bool:
    x = scope.pick(lambda v: is_array(v) or isinstance(v, list | dict))
    if x is None:
        return False
    scope.feature("alias")
    bind(scope, scope.fresh_name("same"), x)
    return True


def same_kind(scope: Scope, name: str) -> Expr | None:
    """An expression of the kind that a name has."""
    value = scope.names[name]
    if type(value) is int:
        found = ex.integer(scope, 3)
        return scope.make(f"{found.text} % 53 - 7") if scope.loops else found
    if type(value) is float:
        found = ex.real(scope, 3)
        forms = ("{}", "math.tanh({})", "0.5 * {}", "{}", "math.atan({})")
        return scope.make(scope.rng.choice(forms).format(found.text))
    if isinstance(value, np.ndarray):
        return same_array(scope, name)
    return None


def same_array(scope: Scope, name: str) -> Expr | None:
    forms = (
        "np.tanh({0})",
        "{0} + {1}",
        "{0} * {1}",
        "{0} - {0}[::-1]",
        "np.where({0} > 0, {0}, {1})",
        "np.roll({0}, 1)",
        "np.sort({0})",
        "np.maximum({0}, {1})",
        "{0}.copy()",
        "-{0}",
        "{0}[::-1].copy()",
        "({0} + {1}).astype({0}.dtype)",
    )
    for _ in range(5):
        text = scope.rng.choice(forms).format(name, arrays.array_operand(scope, 1))
        found = scope.make(text) if scope.chance(0.8) else ex.array(scope, 2)
        if found and found.fresh and scope.keeps_kind(name, found.value):
            return found
    return None


def rebind(scope: Scope) -> bool:
    names = scope.assignable(lambda v: type(v) in (int, float) or is_array(v))
    if not names:
        return False
    name = scope.rng.choice(names)
    if is_array(scope.names[name]) and not scope.rebindable(name):
        return False
    found = same_kind(scope, name)
    if found is None:
        return False
    bind(scope, name, found)
    return True


def rebind_other_kind(scope: Scope) -> bool:
    """Outside of blocks a name may change its kind."""
    names = [n for n in scope.assignable(lambda v: True) if n not in scope.held]
    found = any_expression(scope)
    if scope.nesting or not names or found is None:
        return False
    scope.feature("rebinding")
    bind(scope, scope.rng.choice(names), found)
    return True


def augment(scope: Scope) -> bool:
    names = scope.assignable(lambda v: type(v) in (int, float) or is_array(v))
    if not names:
        return False
    name = scope.rng.choice(names)
    value = scope.names[name]
    scope.feature("augmented")
    if type(value) is int:
        operand, op = f"{ex.integer(scope, 2).text} % 17", scope.rng.choice(("+=", "-=", "^="))
    elif type(value) is float:
        operand, op = ex.real(scope, 2).text, scope.rng.choice(("+=", "-=", "*="))
    elif name in scope.values:
        return False
    else:
        operand = arrays.array_operand(scope, 2) if scope.chance(0.6) else ex.array(scope, 1).text
        op = scope.rng.choice(("+=", "-=", "*=", "+="))
    test = f"{name} {op} {operand}"
    if not keeps(scope, test, name):
        return False
    scope.emit(test)
    return True


def keeps(scope: Scope, statement: str, name: str) -> bool:
    """Whether the statement runs and leaves the name's kind as it was."""
    names = {**scope.namespace, **copy.deepcopy(scope.names)}
    try:
        exec(statement, names)
    except Exception:
        return False
    return kind(names[name]) == kind(scope.names[name])


def unpack(scope: Scope) -> bool:
    a, b = ex.integer(scope, 2), ex.real(scope, 2)
    first, second = scope.fresh_name("p"), scope.fresh_name("q")
    rows = scope.pick(lambda v: is_array(v) and v.ndim > 0 and v.shape[0] >= 2)
    scope.feature("unpacking")
    if rows is not None and scope.chance(0.4):
        scope.emit(f"{first}, *{second} = {rows.text}")
        scope.names[first] = rows.value[0]
        scope.follow(first, rows.text)
        scope.names[second] = list(rows.value[1:])
        scope.feature("star-unpacking")
        return True
    scope.emit(f"{first}, {second} = {a.text}, {b.text}")
    scope.names[first], scope.names[second] = a.value, b.value
    return True


def swap_names(scope: Scope) -> bool:
    names = scope.assignable(lambda v: type(v) in (int, float) or is_array(v))
    scope.rng.shuffle(names)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            if is_array(scope.names[a]) and not (scope.rebindable(a) and scope.rebindable(b)):
                continue
            if kind(scope.names[a]) == kind(scope.names[b]):
                scope.feature("swap")
                scope.emit(f"{a}, {b} = {b}, {a}")
                return True
    return False


# Arrays -----------------------------------------------------------------------------------------


def value_for(scope: Scope, depth: int = 2) -> str:
    """A scalar to store in an array."""
    roll = scope.rng.random()
    if roll < 0.4:
        return ex.real(scope, depth).text
    if roll < 0.7:
        return ex.integer(scope, depth).text
    found = ex.numpy_scalar(scope, depth)
    return found.text if found else "1"


def set_item(scope: Scope) -> bool:
    x = scope.pick_cell(ex.nonempty)
    if x is None:
        return False
    where = ", ".join(map(str, (items.index(scope, n) for n in x.value.shape))) or "()"
    op = scope.rng.choice(("=", "=", "+=", "*="))
    value = value_for(scope)
    if x.value.dtype.kind in "iu":
        value = (
            f"int(np.clip(np.nan_to_num({value}), -99, 99))" if x.value.dtype.kind == "i" else "3"
        )
    return write(scope, f"{x.text}[{where}] {op} {value}", "item-assignment")


def set_slice(scope: Scope) -> bool:
    x = scope.pick_cell(lambda v: is_array(v, "fiuc") and v.ndim > 0)
    if x is None:
        return False
    forms = ["{0}[1:] = {0}[:-1]", "{0}[:2] = {1}", "{0}[::2] {2} {1}", "{0}[...] = {1}"]
    forms += ["{0}[:] = {0}[::-1]", "{0}[-2:] {2} {1}", "{0}[:-1] += {0}[1:]"]
    if x.value.ndim > 1:
        forms += [
            "{0}[:, 0] = {1}",
            "{0}[0] = {0}[-1]",
            "{0}[:, 1:] {2} {0}[:, :-1]",
            "{0}[0, 1:] = {1}",
        ]
    value = scope.rng.choice(("1", "2", "3"))
    if x.value.dtype.kind in "fc":
        value = value_for(scope)
    text = scope.rng.choice(forms).format(x.text, value, scope.rng.choice(("+=", "*=", "-=")))
    overlapping = text.count(x.text + "[") > 1
    return write(scope, text, "slice-assignment", *(["overlapping"] if overlapping else []))


def set_bounded_slice(scope: Scope) -> bool:
    """Write a slice whose extent depends on a loop counter."""
    found = items.bounded_slice(scope, lambda v: is_array(v, "fi"), write=True)
    if found is None:
        return False
    text, value = found
    operand = value_for(scope, 1) if value.dtype.kind == "f" else scope.rng.choice(("1", "2"))
    op = scope.rng.choice(("=", "+=", "*=", "-="))
    if scope.chance(0.3):
        operand = f"{text} + {operand}"
    return write(scope, f"{text} {op} {operand}", "bounded-slice-write")


def set_mask(scope: Scope) -> bool:
    x = scope.pick_cell(lambda v: is_array(v, "fiu") and v.ndim > 0)
    if x is None:
        return False
    bound = scope.rng.choice(("0", "1", "2"))
    mask = scope.rng.choice(
        (f"{x.text} > {bound}", f"{x.text} == {bound}", f"~({x.text} < {bound})")
    )
    forms = ("{0}[{1}] = {2}", "{0}[{1}] += {2}", "{0}[{1}] = {0}[{1}] * 2", "{0}[{1}] *= {2}")
    text = scope.rng.choice(forms).format(x.text, mask, scope.rng.choice(("1", "2", "0")))
    return write(scope, text, "mask-assignment")


def set_fancy(scope: Scope) -> bool:
    x = scope.pick_cell(lambda v: is_array(v, "fiu") and v.ndim > 0 and v.size > 0)
    if x is None:
        return False
    n = x.value.shape[0]
    ints = scope.pick(lambda v: is_array(v, "i") and v.ndim == 1)
    where = f"{ints.text} % {n}" if ints and scope.chance(0.6) else f"[0, {n - 1}]"
    forms = (
        "{0}[{1}] = {2}",
        "{0}[{1}] += {2}",
        "np.add.at({0}, {1}, {2})",
        "np.maximum.at({0}, {1}, {2})",
    )
    form, number = scope.rng.choice(forms), scope.rng.choice("123")
    if ".at(" in form and x.value.dtype == np.uint64:
        # Of an int, `at` would compute in floats, and cast 2.0**64 back, which C leaves open.
        number = f"np.uint64({number})"
    text = form.format(x.text, where, number)
    return write(scope, text, "ufunc-at" if ".at(" in text else "fancy-assignment")


def in_place_call(scope: Scope) -> bool:
    x = scope.pick_cell(lambda v: is_array(v, "fi") and v.ndim > 0)
    if x is None:
        return False
    forms = [
        "{0}.sort()",
        "{0}.fill({1})",
        "np.multiply({0}, 2, out={0})",
        "np.add({0}, 1, out={0})",
        "np.negative({0}, out={0}, where={0} > 1)",
        "np.copyto({0}, 3)",
        "np.maximum({0}, 1, out={0})",
        "np.fill_diagonal({0}, 2)",
        "np.copyto({0}, 0, where={0} < 0)",
    ]
    return write(
        scope, scope.rng.choice(forms).format(x.text, scope.rng.choice("123")), "in-place-call"
    )


def swap_items(scope: Scope) -> bool:
    x = scope.pick_cell(lambda v: ex.nonempty(v) and v.ndim == 1)
    if x is None:
        return False
    i, j = items.index(scope, x.value.size), items.index(scope, x.value.size)
    text = f"{x.text}[{i}], {x.text}[{j}] = {x.text}[{j}], {x.text}[{i}]"
    return write(scope, text, "swap", "item-assignment")


def ping_pong(scope: Scope) -> bool:
    """Two buffers that trade places in a loop."""
    x = scope.pick_cell(lambda v: is_array(v, "f") and v.ndim == 1 and v.size > 2)
    if x is None or scope.loops:
        return False
    scope.feature("ping-pong", "for-range", "swap")
    old, new = scope.fresh_name("old"), scope.fresh_name("new")
    second = scope.rng.choice(("np.zeros_like({0})", "{0}.copy()")).format(x.text)
    scope.emit(f"{old}, {new} = {x.text}, {second}")
    trips = scope.rng.choice(("3", "2", "0", f"{ex.integer(scope, 1).text} % 4"))
    scope.emit(f"for {scope.fresh_name('_t')} in range({trips}):")
    scope.indent += 1
    update = scope.rng.choice(
        (
            "{1}[1:-1] = 0.5 * ({0}[2:] + {0}[:-2])",
            "{1}[:] = {0}[::-1] * 0.5",
            "{1}[...] = np.tanh({0}) + 1",
            "{1}[0] = {0}[-1] + 1",
        )
    )
    scope.emit(update.format(old, new))
    scope.emit(f"{old}, {new} = {new}, {old}")
    scope.indent -= 1
    scope.names[old] = scope.names[new] = x.value.copy()
    scope.values.update((old, new, x.text))
    scope.held.update((old, new))
    return True


# Containers and objects -------------------------------------------------------------------------


def make_container(scope: Scope) -> bool:
    a, b, c = ex.real(scope, 1), ex.array(scope, 1), ex.integer(scope, 1)
    text, feature = scope.rng.choice(
        (
            (f"[{a.text}, {ex.real(scope, 1).text}, 1.5]", "list"),
            (f"[{b.text}, {b.text} * 2]", "list"),
            (f"({a.text}, {b.text}, {c.text})", "tuple"),
            (f'{{"a": {a.text}, "n": {c.text}, "x": {b.text}}}', "dict"),
        )
    )
    found = scope.make(text)
    if found is None:
        return False
    scope.feature(feature)
    bind(scope, scope.fresh_name(feature), found)
    return True


def mutate_list(scope: Scope) -> bool:
    items = scope.pick(
        lambda v: isinstance(v, list) and bool(v) and all(type(x) is float for x in v)
    )
    if items is None:
        return False
    value = ex.real(scope, 2).text
    forms = [f"{items.text}[{scope.rng.randrange(len(items.value))}] = {value}"] * 2
    forms.append(f"{items.text}[-1] += {value}")
    if not scope.nesting:
        forms += [f"{items.text}.append({value})", f"{items.text}.insert(0, {value})"]
        forms += [f"{items.text}.reverse()", f"{items.text}.extend([1.0, {value}])"]
        if len(items.value) > 1:
            forms.append(f"{items.text}.pop()")
    return perform(scope, scope.rng.choice(forms), "list-mutation")


def perform(scope: Scope, statement: str, feature: str) -> bool:
    """Write a statement that changes containers, and change the representatives too."""
    if not runs(scope, statement):
        return False
    exec(statement, {**scope.namespace, **scope.names})
    scope.emit(statement)
    scope.feature(feature)
    return True


def mutate_dict(scope: Scope) -> bool:
    table = scope.pick(lambda v: isinstance(v, dict))
    if table is None:
        return False
    key = scope.rng.choice(list(table.value))
    value = table.value[key]
    if type(value) is float:
        text = f"{table.text}[{key!r}] {scope.rng.choice(('=', '+='))} {ex.real(scope, 2).text}"
    elif type(value) is int:
        text = f"{table.text}[{key!r}] = {ex.integer(scope, 2).text} % 31"
    elif is_array(value, "fc") and value.size:
        text = f"{table.text}[{key!r}] {scope.rng.choice(('+=', '*='))} 2"
    else:
        return False
    return write(scope, text, "dict-mutation")


def is_record(value: object) -> bool:
    return type(value).__name__.startswith("Record")


def make_object(scope: Scope) -> bool:
    if "Record" not in scope.namespace:
        return False
    scope.feature("dataclass")
    found = scope.make(
        f"Record({ex.real(scope, 1).text}, {ex.integer(scope, 1).text} % 9, np.arange(3.0))"
    )
    if found is None:
        return False
    bind(scope, scope.fresh_name("obj"), found)
    return True


def mutate_object(scope: Scope) -> bool:
    item = scope.pick(is_record)
    if item is None:
        return False
    f, i = ex.real(scope, 2).text, ex.integer(scope, 2).text
    statement = scope.rng.choice(
        (
            f"{item.text}.a = {f}",
            f"{item.text}.a += {f}",
            f"{item.text}.n = {i} % 19",
            f"{item.text}.v[{i} % 3] = {f}",
            f"{item.text}.v *= 0.5",
            f"{item.text}.v = {item.text}.v + 1" if not scope.nesting else f"{item.text}.n += 1",
            f"{item.text}.bump({f})",
            f"{item.text}.bump({f}).bump(1.5)",
        )
    )
    return write(
        scope, statement, "dataclass-mutation", *(["method"] if "bump" in statement else [])
    )


def use_object(scope: Scope) -> bool:
    item = scope.pick(is_record)
    if item is None:
        return False
    f = ex.real(scope, 1).text
    text, feature = scope.rng.choice(
        (
            (f"{item.text}.scaled({f})", "method"),
            (f"{item.text}.total", "property"),
            (f"({item.text} + {item.text}).a", "operator-overload"),
            (f"{item.text}({f})", "method"),
        )
    )
    found = scope.make(text)
    if found is None:
        return False
    scope.feature(feature)
    bind(scope, scope.fresh_name("v"), found)
    return True


# Functions --------------------------------------------------------------------------------------


def define_closure(scope: Scope) -> bool:
    """A nested function over the names around it; some change what they capture."""
    if scope.nesting:
        return False
    name, parameter = scope.fresh_name("f"), "t"
    inner = copy.copy(scope)
    inner.names = {**scope.names, parameter: 1.5}
    inner.lines, inner.bounds = [], {}
    body: list[str] = []
    x = scope.pick_cell(lambda v: is_array(v, "f") and v.ndim == 1 and v.size > 0)
    counters = scope.assignable(lambda v: type(v) is float)
    features = ["closure"]
    if x is not None and scope.chance(0.4):
        body.append(f"{x.text}[0] += t")
        features.append("closure-mutation")
    if counters and scope.chance(0.4):
        target = scope.rng.choice(counters)
        body = [f"nonlocal {target}", *body, f"{target} = {target} * 0.5 + t"]
        features.append("nonlocal")
        scope.held.add(target)
    body.append(f"return {ex.real(inner, 2).text}")
    if scope.chance(0.3):
        body.insert(-1, f"if {ex.boolean(inner, 1).text}:\n        return t")
    names = ", ".join(scope.names)
    text = f"def {name}(t{'=0.5' if scope.chance(0.3) else ''}):\n" + "\n".join(
        "    " + b for b in body
    )
    if any(":=" in line for line in body):
        return False
    maker = (
        f"def make({names}):\n"
        + "\n".join("    " + li for li in text.split("\n"))
        + f"\n    return {name}"
    )
    namespace = dict(scope.namespace)
    try:
        exec(maker, namespace)
        function = namespace["make"](**copy.deepcopy(scope.names))
        if type(function(1.5)) is not float:
            return False
    except Exception:
        return False
    for line in text.split("\n"):
        scope.emit(line)
    scope.feature(*features)
    scope.names[name] = function
    scope.fixed.add(name)
    scope.held.update(scope.names)
    return True


def call_closure(scope: Scope) -> bool:
    f = scope.pick(lambda v: callable(v) and not hasattr(v, "fuzz_parameters"))
    if f is None:
        return False
    argument = ex.real(scope, 1).text
    name = scope.fresh_name("v")
    if scope.chance(0.3):
        scope.feature("higher-order")
        scope.emit(f"{name} = twice({f.text}, {argument})")
    else:
        scope.emit(f"{name} = {f.text}({argument})")
    scope.names[name] = 1.5
    return True


def higher_order(scope: Scope) -> bool:
    f, i = ex.real(scope, 1).text, ex.integer(scope, 1).text
    texts = [
        f"twice(lambda t: t * 0.5 + {f}, {f})",
        f"sum(map(lambda t: t * {f}, [1.0, 2.0, {f}]))",
        f"functools.reduce(lambda a, b: a * 0.5 + b, [{f}, 1.0, {f}])",
        f"functools.partial(math.hypot, {f})(1.5)",
        f"(lambda a, b=2.0: a - b)({f})",
        f"combine({f}, *(1.0, {f}), scale=0.5)",
        f"float(power({f}, {scope.rng.randint(0, 5)}))",
        f"max([{f}, 1.0], key=lambda t: -t)",
        f"sum(t * t for t in ({f}, {i}, 1.0))",
    ]
    text = scope.rng.choice(texts)
    found = scope.make(text)
    if found is None or type(found.value) is not float or ":=" in text:
        return False
    scope.feature(
        "recursion" if "power" in text else "star-call" if "combine" in text else "higher-order"
    )
    if "lambda" in text:
        scope.feature("lambda")
    bind(scope, scope.fresh_name("v"), found)
    return True


def comprehension(scope: Scope) -> bool:
    f = ex.real(scope, 1).text
    x = scope.pick(lambda v: is_array(v, "f") and v.ndim == 1 and v.size < 6)
    texts = [
        f"[t * {f} for t in (1.0, 2.0, 0.5)]",
        f"[i * j + {f} for i in range(2) for j in range(3) if i != j]",
    ]
    texts.append(f"np.array([{f} / (i + 1) for i in range(4)])")
    if x is not None:
        texts += [
            f"[t + 1 for t in {x.text}]",
            f"np.array([t * t for t in {x.text}])",
            f"sum([t * 2 for t in {x.text}])",
        ]
    text = scope.rng.choice(texts)
    found = scope.make(text) if ":=" not in text else None
    if found is None:
        return False
    scope.feature("comprehension")
    bind(scope, scope.fresh_name("c"), found)
    return True


def call_helper(scope: Scope) -> bool:
    found = calls.call(scope, 2, lambda v: v is not None)
    if found is None:
        return False
    scope.feature("callee-mutation" if "mutator" in found.text else "call")
    bind(scope, scope.fresh_name("v"), found)
    return True


SIMPLE: dict[Statement, int] = {
    assign_new: 20,
    assign_view: 9,
    assign_alias: 3,
    rebind: 14,
    rebind_other_kind: 3,
    augment: 12,
    unpack: 4,
    swap_names: 4,
    set_item: 12,
    set_slice: 9,
    set_bounded_slice: 8,
    set_mask: 7,
    set_fancy: 6,
    in_place_call: 5,
    swap_items: 3,
    ping_pong: 4,
    make_container: 6,
    mutate_list: 7,
    mutate_dict: 7,
    make_object: 4,
    mutate_object: 8,
    use_object: 10,
    define_closure: 6,
    call_closure: 7,
    higher_order: 10,
    comprehension: 4,
    call_helper: 6,
}
