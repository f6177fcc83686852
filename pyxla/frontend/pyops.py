"""The vocabulary of untyped SSA: what Python does, one record per operation.

    const {value}                  -> any object known from the source
    global {name}                  -> module global, else builtin
    global_set {name} (value)
    box {name} ()                  -> fresh cell of a variable shared with a nested function
    free_box {name} ()             -> the cell of an enclosing function's variable
    box_get (box)   box_set (box, value)
    unbound {name}                 -> marks a name without a value (`del x`, not yet assigned)
    bound (value)                  a name is read that may have none
    function {function, freevars, defaults, kwdefaults} (default*, kwdefault*, box*)
                                   -> closure over a nested `SourceFunction`; where the free
                                   variables end with ATTRIBUTES, it has a cell of attributes
    call {layout} (callee, arg*)   -> layout: one of "pos", "star", "kwstar" or "kw:NAME" per arg
    binary {op} (a, b)   inplace {op} (a, b)      op: "add" ... as in the `operator` module
    unary {op} (a)                                op: "neg" "pos" "invert" "not_"
    compare {op} (a, b)                           op: "eq" "ne" "lt" "le" "gt" "ge" "is_" "is_not"
                                                      "contains" "not_contains" (a in b: a first)
    truth (a)                      -> bool(a), what a branch tests
    getattr {name} (a)   setattr {name} (a, value)   delattr {name} (a)
    getitem (a, key)     setitem (a, key, value)     delitem (a, key)
    slice (start, stop, step)      -> `slice`, absent parts are const None
    tuple {cls} (item*)  list (item*)  set (item*)  dict (key, value, key, value ...)
    unpack {before, after} (a)     -> before + after results, with one list between when `starred`
    format {conversion, spec} (a)  -> one formatted field of an f-string;  join (part*) -> all
    yield (a)                      -> what the consumer sends: None
    recur {method, cached} (callee)  -> what the callee is bound to, None for a function: makes sure
                                      that it is the one that is visited (`frontend.recursion`)
    landing (class*)               -> first in a block where exceptions land: the classes it takes;
                                      without operands it takes all
    refuse {message, hint}         -> reached only on a live path: a CompileError there

Every instruction but `bound`, `box_set`, `global_set`, `setattr`, `setitem`, `delattr`, `delitem`,
`landing` has results.
"""

from __future__ import annotations

from pyxla.frozen import dataclass


@dataclass(frozen=True, slots=True)
class PyOp:
    """An operation of Python on objects; inference gives it types and meaning."""

    name: str

    def __repr__(self) -> str:
        return f"<pyop {self.name}>"


CONST = PyOp("const")
GLOBAL = PyOp("global")
GLOBAL_SET = PyOp("global_set")
BOX = PyOp("box")
FREE_BOX = PyOp("free_box")
BOX_GET = PyOp("box_get")
BOX_SET = PyOp("box_set")
UNBOUND = PyOp("unbound")
BOUND = PyOp("bound")
FUNCTION = PyOp("function")
CLASS = PyOp("class")
ATTRIBUTES = "__dict__"  # the last of the free variables of a function that is given attributes
CALL = PyOp("call")
BINARY = PyOp("binary")
INPLACE = PyOp("inplace")
UNARY = PyOp("unary")
COMPARE = PyOp("compare")
TRUTH = PyOp("truth")
GETATTR = PyOp("getattr")
SETATTR = PyOp("setattr")
DELATTR = PyOp("delattr")
GETITEM = PyOp("getitem")
SETITEM = PyOp("setitem")
DELITEM = PyOp("delitem")
SLICE = PyOp("slice")
TUPLE = PyOp("tuple")
LIST = PyOp("list")
SET = PyOp("set")
DICT = PyOp("dict")
UNPACK = PyOp("unpack")
FORMAT = PyOp("format")
JOIN = PyOp("join")
YIELD = PyOp("yield")
RECUR = PyOp("recur")
RECURRING = PyOp("recurring")
KEPT = PyOp("kept")
KEY = PyOp("key")
GIVEN = PyOp("given")
LANDING = PyOp("landing")
REFUSE = PyOp("refuse")
