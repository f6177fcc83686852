"""What to write instead, for refusals that Python and NumPy have too: patterns of messages.

Refusals of the compiler's own come with a hint from where they are made.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

WRONG_CALL = r"missing (?:a |\d+ )?required|takes .*argument|multiple values"

HINTS: tuple[tuple[str, str], ...] = (
    (r"depends? on the values|whether .* depends",
     "a type is known while compiling: convert as the message says"),
    (r"nonzero on 0d", "test the number itself, or write np.atleast_1d(x).nonzero()"),
    # arrays
    (r"boolean index did not match", "make the mask the shape of the leading axes"),
    (r"has no element type", "arrays hold numbers; keep text and other objects in lists and dicts"),
    (r"valid indices|cannot be indexed|must be integers or slices",
     "index arrays and lists by ints (n // 2, not n / 2), slices, ellipsis, None and arrays of "
     "ints or bools"),
    (r"could not be broadcast|shapes .* not aligned|do not fit$|operands must agree|same shape",
     "make the shapes agree: add an axis with x[:, None], or reshape; the types are shown above"),
    (r"could not broadcast input array",
     "assign an array of the shape of the part assigned to, or a number"),
    (r"truth value of an array",
     "use .any() or .all(), or choose element by element with np.where"),
    (r"cannot reshape", "keep the number of elements, or let one extent be -1"),
    (r"too many indices", "index at most as many axes as the array has"),
    (r"is out of bounds for axis|index out of range", "index within the extent of the axis"),
    (r"unbound axis name", "call it under jax.shard_map, or vmap with axis_name"),
    (r"axis .* is out of bounds|\baxis\b", "axes count from 0, or from the end with -1"),
    (r"casting rule|cannot cast",
     "convert with .astype, or write x = x + y, which makes a new array"),
    (r"must be square|\bsquare\b", "pass a matrix with as many rows as columns"),
    (r"zero-size|\bempty\b", "test for the empty array first, or give initial="),
    (r"equal division", "use np.array_split, or give the positions of the cuts"),
    (r"array is too big|negative dimensions", "sizes are not negative, and fit in memory"),
    (r"zeros: \d+ is not a dtype|ones: \d+ is not a dtype|empty: \d+ is not a dtype",
     "give the shape as one tuple: np.zeros((2, 3))"),
    (r"cannot leave a JAX|element type for (b?complex32|float[468]|u?int[124]\b)",
     "make it and use it in one function that jax.jit made outside, and call that"),
    (r"element type for [<>][iufc]",
     "arrays are in native byte order: x.view(np.int32).byteswap() reads numbers in the other"),
    (r"is not a dtype|\bdtype\b|no element type",
     "name a dtype of XLA's, such as np.float64; there are no arrays of objects or text"),
    (r"differ in shape|is not a number or an array",
     "arrays hold numbers, in rows of equal length; keep other data in lists and tuples"),
    (r"inhomogeneous", "pad the rows to one length, or keep a list of arrays"),
    (r"cannot be concatenated", "pass the arrays as one tuple: np.concatenate((x, y))"),
    (r"must be at least two-dimensional", "pass a matrix, or several along the first axes"),
    (r"not supported between", "compare values of one kind"),
    (r"the step is zero", "give a step that is not 0"),
    (r"exceed the maximum number of dim", "take the outer brackets away, or assign an array"),
    (r"an array element with a sequence", "assign a number, or write to a slice: x[i : i + 1]"),
    (r"einsum", "use one letter for each dimension of each operand"),
    (r"permutation|duplicate value", "name each axis once"),
    (r"complex", "complex numbers have no order and no integer part: use abs, .real or .imag"),
    (r"^pytree", "pass dict(x), list(x) or its parts; as it is it goes to jax functions only"),
    # calls
    (rf"{WRONG_CALL}|got an unexpected keyword",
     "pass the arguments that the function's `def` line names"),
    (r"never returns", "let a `break` or a `return` leave the loop, or the calls of itself end"),
    (r"to Python scalars", "take one item, as in x[0]; .astype converts all of them"),
    (r"is not callable",
     "functions, classes and instances with __call__ are called: take items with x[i], attributes "
     "without (), and call a variable by another name than a function (sum = 0 hides sum)"),
    (r"interpreted as an integer", "make it an int: n // 2 rather than n / 2, or int(x)"),
    (r"either both or neither", "give both, np.where(c, x, y), or take positions: np.where(c)[0]"),
    (r"\b(method|function) is not iterable", "call it: x.items(), with ()"),
    (r"of one type each", "keep what is of another type in a list or dict of its own"),
    (r"slice indices must be", "cut at ints: n // 2, not n / 2, or int(x)"),
    (r"between.*\bNone\b|None and|and None", "test it first: if x is not None"),
    (r"is not iterable", "iterate over an array, a list, a tuple, a dict or a range"),
    (r"unpack", "unpack into as many names as there are items"),
    (r"has no len|has no attribute|has no method|cannot set attribute",
     "look at the type: it is not what this line takes it for"),
    (r"item deletion",
     "make a new one without the item: lists and dicts have del"),
    (r"unsupported operand.*\b(method|function)\b", "call it: x.mean(), with ()"),
    (r"types for \+=?: (str .* and (numpy\.)?(u?int|float)|(numpy\.)?(u?int|float).* and str)",
     "a number becomes text by str(n) or in f'{n}', text a number by int(s) or float(s)"),
    (r"types for \*=?: ((list|tuple|str).* and float|float.* and (list|tuple|str))",
     "repeat by an int: n // 2 rather than n / 2, or int(x)"),
    (r"unsupported operand|is defined for ints|not defined for|does not take|must be real",
     "convert one of the operands, or use another operator"),
    (r"exceptions must derive", "raise an exception: raise ValueError(...)"),
    (r"unhashable|\bhash\b", "use numbers, strings and tuples of these as keys"),
    (r"item assignment|immutable", "use a list or an array where items change"),
    (r"does not fit int64",
     "Python ints are 64-bit here: write % 2**63 as & 0x7FFFFFFFFFFFFFFF, or use np.uint64"),
    (r"backend_config", "write the dict, with numbers and texts, where the op is called"),
    (r"result_types", 'spell them pyxla.f64[3] or "f64[3]", several as a tuple'),
    (r"must be known while compiling",
     "compute it from shapes, constants and number arguments only"),
    # transformations
    (r"has_aux is true", "return (value, aux), or leave has_aux out"),
    (r"tangents? (is|are|for)|needs a tangent|takes one cotangent",
     "give one for each argument, of its type, as a tuple"),
    (r"derivative rule", "let the rule return what the message asks for"),
    (r"derivative .* loaded", "build the derivative too: pyxla.build(pyxla.grad(f), ...)"),
    (r"of vmap is|in_axes|out_axes", "axes are ints or None: one, or a tuple of one for each"),
    (r"a function is needed", "pass the function itself, without ()"),
    (r"transformed cannot return a func", "return arrays, numbers and containers of these"),
    (r"_shardings has", "give one for all, or as many as there are"),
    (r"\bcarry\b", "begin with what is of the type that the body returns"),
    (r"calls Python while it runs", "use print(), or a function that pyxla.host marks"),
    (r"computation of an op", "compute it from the parameters alone"),
    # structure that data decides
    (r"not (chosen among|looked for)|instance that is in a list|list that this one is in",
     "keep numbers, or tuples of numbers, in lists whose items data decides"),
    (r"of which data decides the items", "loop over its items, or sorted(x), instead"),
    (r"one type or another|one of several kinds|type of .* is not known|type of a number decides",
     "convert it first, as float(x) or int(x), so that it has one type"),
    (r"at least 1 positional|dataclass type or instance|the fields|field names|argument after \*\*"
     r"|bad operand type|single ellipsis|cannot be zero|is made of a list of tuples|^out= ",
     "CPython refuses it, too: look at what this line is given"),
)  # fmt: skip


MOST_MEMBERS = 12


def _unquoted(message: str) -> str:
    """A message without the user's words, which stand in quotes."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "''", message)


OUTSIDE = "do it outside the compiled function, and pass what it gives as an argument"


@functools.cache
def advice(message: str, certain: str = "") -> str:
    """The hint for a message, or a general one; certain: what CPython raises there in any case."""
    said = _unquoted(message)
    for pattern, hint in HINTS:
        if re.search(pattern, said):
            return hint
    if certain:
        return f"CPython raises {certain} here, too: look at what this line is given"
    return OUTSIDE


def similar(name: str, known: Iterable[str]) -> str:
    """The hint for a misspelt name; empty where no known one is like it.

    >>> similar("sinn", ["sin", "cos"])
    "did you mean 'sin'?"
    >>> similar("sqtr", ["str_", "sqrt"])
    "did you mean 'sqrt'?"
    """
    found = difflib.get_close_matches(name, [word for word in known if word[:1] != "_"])
    exchanged = [word for word in found if sorted(word) == sorted(name)]
    return f"did you mean {(exchanged or found)[0]!r}?" if found else ""


def members(known: Iterable[str]) -> str:
    """The hint for a name that is not there, where few are: all of them.

    >>> members(["w", "b", "__init__"])
    'it has b and w'
    """
    names = sorted({name for name in known if name[:1] != "_"})
    if not names or len(names) > MOST_MEMBERS:
        return ""
    return f"it has {' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))}"


def owner(name: str) -> str:
    """The hint for an attribute that another type has, or NumPy as a function; else empty.

    >>> owner("append"), owner("sqrt")
    ("look at the type: 'append' is of list", 'it is a function: np.sqrt(x)')
    """
    has = [cls.__name__ for cls in (list, dict, str, set) if hasattr(cls, name)]
    if has:
        return f"look at the type: {name!r} is of {' and '.join(has)}"
    known = getattr(np, name, None)
    is_function = callable(known) and not isinstance(known, type)
    return f"it is a function: np.{name}(x)" if is_function else ""


def misspelt(message: str, function: Callable[..., Any]) -> str:
    """The hint for a call that `function` does not take, or a dtype that there is not, where the
    message tells of one.

    >>> misspelt("f() got an unexpected keyword argument 'axs'", lambda x, axis=0: x)
    "did you mean 'axis'?"
    >>> misspelt("'flaot64' is not a dtype", np.zeros)
    "did you mean 'float64'?"
    """
    if found := re.search(r"'(\w+)' is not a dtype", message):
        return similar(found[1], [name for name in np.sctypeDict if isinstance(name, str)])
    found = re.search(rf"unexpected keyword argument '(\w+)'|{WRONG_CALL}", message)
    try:
        given = inspect.signature(function).parameters.values() if found else ()
        known = [p.name for p in given if p.kind is not p.VAR_KEYWORD]
    except (TypeError, ValueError):  # it has no signature
        known = []
    return parameters(found[1] or "", known) if found and known else ""


def parameters(name: str, known: Sequence[str]) -> str:
    """The hint for a call that passes something else than what a function takes: a `name`, or no
    such number of arguments."""
    return similar(name, known) or f"the parameters are {', '.join(known)}"
