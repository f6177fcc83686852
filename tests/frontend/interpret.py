"""A reference interpreter of untyped SSA in CPython, and one of lowered source."""

import operator
import types

from pyxla.frontend import support
from pyxla.frontend.desugar import lowered_source
from pyxla.frontend.source import source_function
from pyxla.frontend.ssa import to_ssa
from pyxla.ir.core import Branch, Jump, Raise, Return

_MISSING = object()
_BINARY = "add sub mul truediv floordiv mod pow matmul lshift rshift and_ or_ xor"
_INPLACE = {name: getattr(operator, "i" + name.rstrip("_")) for name in _BINARY.split()}
_COMPARE = {
    "contains": lambda a, b: a in b,
    "not_contains": lambda a, b: a not in b,
}


class Box:
    def __init__(self, value=_MISSING):
        self.value = value


class Closure:
    """A nested function of interpreted code; callable, so CPython's builtins can call it."""

    def __init__(self, source, globals, boxes, defaults, kwdefaults):
        self.source, self.globals, self.boxes = source, globals, boxes
        self.defaults, self.kwdefaults = defaults, kwdefaults

    def __call__(self, *args, **kwargs):
        source = self.source
        positional = [*source.posonly, *source.args]
        bound = dict(zip(positional, args, strict=False))
        if source.vararg:
            bound[source.vararg] = args[len(positional) :]
        elif len(args) > len(positional):
            raise TypeError("too many arguments")
        extra = {}
        for key, value in kwargs.items():
            (bound if key in (*source.args, *source.kwonly) else extra)[key] = value
        if source.kwarg:
            bound[source.kwarg] = extra
        elif extra:
            raise TypeError("unexpected keyword")
        for key, value in zip(reversed(positional), reversed(self.defaults), strict=False):
            bound.setdefault(key, value)
        for key, value in self.kwdefaults.items():
            bound.setdefault(key, value)
        return run(to_ssa(source), self.globals, [bound[p] for p in source.params], self.boxes)


def interpret(function):
    """`function`, run through its SSA form."""
    source = source_function(function)
    boxes = list(function.__closure__ or ())
    closure = Closure(
        source,
        function.__globals__,
        boxes,
        function.__defaults__ or (),
        function.__kwdefaults__ or {},
    )
    return closure


def run(ssa, globals, args, boxes):
    env = dict(zip(ssa.function.params, args, strict=True))
    free = dict(zip(ssa.freevars, boxes, strict=True))
    block, previous = ssa.function.blocks[0], None
    while True:
        phis = [env[phi.args[previous]] for phi in block.phis]
        for phi, value in zip(block.phis, phis, strict=True):
            env[phi.value] = value
        for instr in block.instrs:
            operands = [env[v] for v in instr.operands]
            if instr.op.name != "box_set":
                check_bound(operands)
            results = step(instr, operands, globals, free)
            if len(instr.results) == 1 and instr.op.name != "unpack":
                env[instr.result] = results
            else:
                env.update(zip(instr.results, results or (), strict=True))
        end = block.terminator
        operands = [env[v] for v in end.operands]
        check_bound(operands)
        previous = block
        if isinstance(end, Jump):
            block = end.target
        elif isinstance(end, Branch):
            assert type(operands[0]) is bool
            block = end.if_true if operands[0] else end.if_false
        elif isinstance(end, Return):
            return operands[0]
        elif isinstance(end, Raise):
            exc, *cause = operands
            if cause:
                raise exc from cause[0]
            raise exc


class Unbound:
    def __init__(self, name):
        self.name = name


def check_bound(values):
    for value in values:
        if isinstance(value, Unbound):
            raise UnboundLocalError(value.name)


def box_value(box):
    if isinstance(box, Box):
        if box.value is _MISSING or isinstance(box.value, Unbound):
            raise NameError("unbound variable")
        return box.value
    return box.cell_contents


def box_store(box, value):
    if isinstance(box, Box):
        box.value = value
    else:
        box.cell_contents = value


def call(layout, function, *args):
    positional, keywords = [], {}
    for kind, arg in zip(layout, args, strict=True):
        if kind == "pos":
            positional.append(arg)
        elif kind == "star":
            positional.extend(arg)
        elif kind == "kwstar":
            keywords.update(arg)
        else:
            keywords[kind[3:]] = arg
    return function(*positional, **keywords)


def unpack(attrs, value):
    if attrs["starred"]:
        items = list(value)
        middle = len(items) - attrs["after"]
        if middle < attrs["before"]:
            raise ValueError("not enough values to unpack")
        return [
            *items[: attrs["before"]],
            items[attrs["before"] : middle],
            *items[middle:],
        ]
    items = list(value)
    if len(items) != attrs["before"]:
        raise ValueError("wrong number of values to unpack")
    return items


def step(instr, operands, globals, free):
    attrs = instr.attrs
    match instr.op.name:
        case "const":
            return attrs["value"]
        case "global":
            name = attrs["name"]
            builtins = globals["__builtins__"]
            builtins = builtins if isinstance(builtins, dict) else vars(builtins)
            if name not in globals and name not in builtins:
                raise NameError(f"name {name!r} is not defined")
            return globals.get(name, builtins.get(name))
        case "bound":
            return None
        case "box":
            return Box()
        case "free_box":
            return free[attrs["name"]]
        case "box_get":
            return box_value(operands[0])
        case "box_set":
            return box_store(*operands)
        case "unbound":
            return Unbound(attrs["name"])
        case "function":
            count = attrs["defaults"]
            keywords = attrs["kwdefaults"]
            defaults, rest = operands[:count], operands[count:]
            kwdefaults = dict(zip(keywords, rest, strict=False))
            boxes = rest[len(keywords) :]
            return Closure(attrs["function"], globals, boxes, defaults, kwdefaults)
        case "call":
            return call(attrs["layout"], *operands)
        case "binary" | "unary":
            return getattr(operator, attrs["op"])(*operands)
        case "inplace":
            return _INPLACE[attrs["op"]](*operands)
        case "compare":
            return (_COMPARE.get(attrs["op"]) or getattr(operator, attrs["op"]))(*operands)
        case "truth":
            return bool(operands[0])
        case "getattr":
            return getattr(operands[0], attrs["name"])
        case "setattr":
            return setattr(operands[0], attrs["name"], operands[1])
        case "delattr":
            return delattr(operands[0], attrs["name"])
        case "getitem":
            return operands[0][operands[1]]
        case "setitem":
            operands[0][operands[1]] = operands[2]
            return None
        case "delitem":
            del operands[0][operands[1]]
            return None
        case "slice":
            return slice(*operands)
        case "tuple":
            return tuple(operands)
        case "list":
            return list(operands)
        case "set":
            return set(operands)
        case "dict":
            return dict(zip(operands[::2], operands[1::2], strict=True))
        case "unpack":
            return unpack(attrs, *operands)
        case "format":
            convert = {"": lambda v: v, "s": str, "r": repr, "a": ascii}[attrs["conversion"]]
            return format(convert(operands[0]), attrs["spec"])
        case "join":
            return "".join(operands)
        case "refuse":
            return support.refuse(attrs["message"], attrs["hint"])
    raise AssertionError(instr.op)


def execute_lowered(function):
    """`function`, run as its lowered source; it shares globals, cells and defaults."""
    text = lowered_source(source_function(function))
    globals = {**function.__globals__, "_pyxla": support}
    code = compile(text, "<lowered>", "exec")
    if function.__closure__:
        (code,) = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    name = function.__name__
    code = next(
        c
        for c in code.co_consts
        if isinstance(c, types.CodeType) and c.co_name in (name, "lambda_")
    )
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    closure = tuple([cells[name] for name in code.co_freevars])
    made = types.FunctionType(code, globals, name, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    return made
