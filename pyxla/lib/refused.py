"""What of NumPy's, and of Python's functions, is not compiled, why, and what to do instead.

`REFUSALS` has a row for each such function and method; a call of one whose arguments are all known
is still executed while compiling, unless what it does is not a matter of its arguments (`OUTSIDE`).
`ATTRIBUTES` are attributes of arrays, `FAMILIES` modules.
"""

from __future__ import annotations

import builtins
import time
from typing import Any

import numpy as np

Row = tuple[str, str]

NO_NAMES: Row = (
    "compiled code has no names",
    "use the variables themselves, or keep them in a dict of your own",
)
_TEXT: Row = ("text is made while compiling", "print the array: that happens at run time")
_NUMBER_TEXT: Row = ("text is made while compiling", "use print or an f-string, made at run time")
_DATES: Row = ("XLA holds no dates", "convert them to integers outside: x.view(np.int64)")
_READS: Row = ("it reads outside the program", "read outside, and pass the array as an argument")
_WRITES: Row = ("it writes outside the program", "return the array, and write outside")
_SETTING: Row = ("it asks about or changes the process, not the program", "call it outside")
_MATRIX: Row = ("subclasses of ndarray are not compiled", "use 2-d arrays and @")
_OBJECTS: Row = ("it makes arrays of Python objects", "use np.vectorize, or a loop")
_LAYOUT: Row = ("arrays in compiled code have no addresses and no strides", "ask outside")
_BYTES: Row = ("bytes are not values of compiled code", "return the array, and convert it outside")
_DIGESTS: Row = ("a library computes it", "return the bytes or the array, and digest them outside")
_FIELDS: Row = ("XLA holds no structured elements", "use x.view(dtype), or an array per field")
_ITERATION: Row = (
    "its iterators share what they are at",
    "loop over np.ndindex(x.shape)",
)
_IN_PLACE: Row = ("an array keeps its shape and its memory", "write x = np.resize(x, shape)")
_TEXT_OF_DATA: Row = (
    "data become text and bytes outside of the program",
    "read before the call, and pass arrays and numbers; write what the function returns",
)
_THREADS: Row = ("a program has one thread", "call compiled functions in threads, outside")
_FILES: Row = ("it asks about files", "ask outside, and pass what it gives as an argument")
_SYSTEM: Row = (
    "the system may give another result at every call",
    "ask outside, and pass what it gives as an argument",
)
_NETWORK: Row = ("it talks to other computers", "pass what it gives as an argument")
_FRAMES: Row = (
    "frames of data hold more than numbers",
    "pass columns as arrays, df['x'].to_numpy(), and make a frame of the arrays returned",
)
_DEBUGGER: Row = (
    "a debugger cannot stop a program that XLA runs",
    "debug the plain function: f.__wrapped__(...), or all with PYXLA_DISABLE=1",
)
_PICTURES: Row = (
    "pictures are drawn outside of the program",
    "return the arrays, and draw them",
)
_FLAGS: Row = ("arrays in compiled code have no flags to set", "copy the array to write to it")

_BY_ROW: dict[Row, tuple[str, ...]] = {
    _TEXT: ("array2string", "array_repr", "array_str"),
    _NUMBER_TEXT: (
        *("base_repr", "binary_repr", "format_float_positional", "format_float_scientific"),
        "typename",
    ),
    _DATES: (
        *("busday_count", "busday_offset", "is_busday", "datetime_as_string", "datetime_data"),
        *("isnat", "busdaycalendar"),
    ),
    _READS: (
        *("frombuffer", "fromfile", "fromregex", "fromstring", "genfromtxt", "loadtxt", "load"),
        *("from_dlpack", "memmap"),
    ),
    _WRITES: ("save", "savetxt", "savez", "savez_compressed"),
    _SETTING: (
        *("get_include", "get_printoptions", "set_printoptions", "printoptions", "getbufsize"),
        *("setbufsize", "geterr", "seterr", "geterrcall", "seterrcall", "show_config"),
        *("show_runtime", "info", "test"),
    ),
    _MATRIX: ("asmatrix", "bmat", "matrix"),
    _OBJECTS: ("frompyfunc",),
    _LAYOUT: ("isfortran", "may_share_memory", "shares_memory"),
    _ITERATION: ("nested_iters",),
    ("NumPy gives it up", "use np.vstack"): ("row_stack",),
}
_METHODS: dict[Row, tuple[str, ...]] = {
    _WRITES: ("dump", "tofile"),
    _BYTES: ("dumps",),
    _FIELDS: ("getfield", "setfield"),
    _IN_PLACE: ("resize",),
    _FLAGS: ("setflags",),
}

_BUILTINS: dict[Row, tuple[Any, ...]] = {
    (
        "objects have no addresses in compiled code",
        "compare with `is`, or put the objects themselves into a set or dict",
    ): (id,),
    _DEBUGGER: (breakpoint,),
    (
        "it reads and writes files",
        "read outside, and pass what the file holds; return what is to be written",
    ): (open,),
    (
        "nobody is asked while a program runs",
        "ask outside, and pass the answer as an argument",
    ): (input,),
    ("a program does not wait", "wait outside"): (time.sleep,),
    (
        "the code must be there when the function is compiled",
        "write the expression itself, or pass a function",
    ): (eval, exec, builtins.compile),
    NO_NAMES: (globals, locals, dir),
}

REFUSALS: dict[Any, Row] = {
    **{
        getattr(np, name): row
        for row, names in _BY_ROW.items()
        for name in names
        if hasattr(np, name)  # releases differ
    },
    **{getattr(np.ndarray, name): row for row, names in _METHODS.items() for name in names},
    **{function: row for row, functions in _BUILTINS.items() for function in functions},
}
# Not even with known arguments.
OUTSIDE = frozenset(
    getattr(np, name)
    for row in (_READS, _WRITES, _SETTING, _OBJECTS, _MATRIX, _ITERATION)
    for name in _BY_ROW[row]
    if hasattr(np, name)
) | {id, breakpoint, open, input, eval, exec, builtins.compile, globals, locals, time.sleep}
_EFFECTS = frozenset({_SETTING, _THREADS, _FILES, _NETWORK, _PICTURES, _DEBUGGER})
ATTRIBUTES: dict[str, Row] = {name: _LAYOUT for name in ("base", "data", "ctypes")}
_FAMILIES: dict[Row, tuple[str, ...]] = {
    ("XLA holds no text", "work on text outside"): ("numpy.char", "numpy.strings"),
    _TEXT_OF_DATA: ("json", "csv", "_csv", "pickle", "_pickle"),
    _DEBUGGER: ("pdb", "bdb"),
    _FRAMES: ("pandas", "polars"),
    _THREADS: ("threading", "_thread", "multiprocessing", "concurrent"),
    _FILES: ("pathlib", "shutil", "glob", "tempfile"),
    _NETWORK: ("socket", "urllib", "requests"),
    _DIGESTS: ("hashlib", "_hashlib"),
    _SYSTEM: ("posix", "nt"),
    _SETTING: ("numpy.f2py", "subprocess"),
}
FAMILIES: dict[str, Row] = {
    **{name: row for row, names in _FAMILIES.items() for name in names},
    "numpy.ma": ("masked arrays are not compiled", "use a mask and np.where"),
    "numpy.rec": _FIELDS,
    "matplotlib": _PICTURES,
    "tqdm": (
        "a bar of progress is drawn while Python runs the loop",
        "loop over what the bar is of, and print now and then",
    ),
    "datetime": (
        "programs hold no dates and times",
        "pass their numbers, d.toordinal() or t.timestamp(), and make dates of what is returned",
    ),
    "time": (
        "a clock may give another result at every call",
        "take the time outside; pyxla.profile(f, ...) says how long each line takes",
    ),
    "decimal": ("XLA holds no decimal fractions", "use floats, or ints of the smallest unit"),
    "_io": (
        "texts and bytes are values, and no files",
        "collect the parts in a list, and join them: ''.join(parts)",
    ),
    "pyxla.runtime.artifact": (
        "an artifact holds no source",
        "call it outside, or compile the function that it was built from",
    ),
    "numpy.testing": (
        "it compares while the program runs",
        "return the arrays, and compare outside",
    ),
}

# Modules by the names that users have for them.
KNOWN_AS = {
    **dict.fromkeys(("posix", "nt"), "os"),
    "pyxla.runtime.artifact": "pyxla.load",
    **dict.fromkeys(("genericpath", "posixpath", "ntpath"), "os.path"),
}


def is_outside(value: Any, row: Row) -> bool:
    """Whether a callable that `row` is about is not called while compiling, whatever is known."""
    return row in _EFFECTS or value in OUTSIDE


def refusal(value: Any) -> Row | None:
    """Why a callable is refused, or None."""
    try:
        found = REFUSALS.get(value)
    except TypeError:  # not hashable
        return None
    if found is not None:
        return found
    owner = getattr(value, "__self__", None)  # of a method of a class
    module = str(getattr(value, "__module__", None) or getattr(owner, "__module__", None) or "")
    while module and module not in FAMILIES:
        module = module.rpartition(".")[0]
    return FAMILIES.get(module)
