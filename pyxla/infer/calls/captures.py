"""What a program takes from outside its arguments: globals, closure variables, default values.

Functions, modules, classes, numbers, strings and named tuples of them are constants, and each place
they were read from is *guarded*: a call looks whether the same object is still there.  Arrays,
containers and instances are *captured*: read from their place at every call and passed as further
arguments.
"""

from __future__ import annotations

import abc
import builtins
import enum
import functools
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.heap import BoxCell, ObjectCell, SequenceIterator, SetCell
from pyxla.abstract.lattice import (
    FUNCTIONS,
    Array,
    Compound,
    Const,
    Ref,
    Scalar,
    Tuple,
    Unbound,
    Variant,
    describe,
    is_variant,
)
from pyxla.errors import CompileError, Location
from pyxla.frontend.dispatchers import is_dispatcher
from pyxla.guards import states
from pyxla.guards.places import MISSING, Place, is_fixed
from pyxla.hints import similar
from pyxla.infer.arrays import access as arrays
from pyxla.infer.containers import steps
from pyxla.infer.interface import Engine
from pyxla.infer.joins import choices, far
from pyxla.infer.lists import columnar
from pyxla.lib.bounded.elementwise import NOT_SUPPORTED, REMEDY
from pyxla.lib.containers import is_c_struct, reads_itself
from pyxla.lib.prng import Key, KeyArray
from pyxla.lib.registry import lookup
from pyxla.lib.variables import Variable, namespace, variable
from pyxla.views.views import MIXED, is_permuted

# Functions as arguments of library functions, which call them with operands.
_CALLED = (types.FunctionType, types.BuiltinFunctionType, np.ufunc, type(np.sum))


class NewCapture(Exception):  # noqa: N818 - a request, not an error
    """Outside objects must become arguments: inference starts again with them."""

    def __init__(self, place: Place, loc: Location | None = None) -> None:
        super().__init__(place)
        self.places, self.loc = [place], loc


class BoundedOperand(CompileError):
    """An array of bounded extent where only full ones are taken."""


class Captures:
    """The outside world of one inference.

    places: captured so far, with the abstract value of each.  constants: guarded (place, object).
    pinned: abstract values that the caller can reach.  cells: of outside objects on the heap, with
    what they held at first.
    """

    def __init__(self, places: dict[Place, Any], is_foreign: Callable[[Any], bool]) -> None:
        self.places = places
        # Variables that the program assigns to.
        variables = [place for place in places if isinstance(place.owner, Variable)]
        self.variables = {(id(p.owner.owner), p.owner.name): p for p in variables}
        self.by_identity = {
            id(place.read()): value for place, value in places.items() if value is not None
        }
        self.constants: dict[Any, Any] = {}
        self.states: dict[Any, Any] = {}  # those among the constants, by what they are of
        # What was looked up before: attributes of classes, globals with their namespace.
        self.members: dict[tuple[type, str], Any] = {}
        self.globals: dict[tuple[int, str], tuple[Any, Any]] = {}
        self.boxes: dict[int, tuple[Any, Ref, BoxCell]] = {}
        self.pinned: list[Any] = []
        self.cells: dict[int, Any] = {}
        self.is_foreign = is_foreign

    def guard(self, namespace: dict[str, Any], name: str, value: Any) -> None:
        """Notice when `namespace[name]` is no longer `value`."""
        package = str(namespace.get("__name__", "")).partition(".")[0]
        if package not in _FIXED:
            self.constants[Place(namespace, name)] = value
        elif name in namespace and package not in _OWN:
            self.state(id(namespace), lambda: states.LibraryState(namespace)).names.add(name)

    def guard_attribute(self, owner: Any, name: str, value: Any) -> None:
        """Notice when a module or a function has another attribute `name`."""
        if name in owner.__dict__:
            self.guard(owner.__dict__, name, value)
        elif owner.__name__.partition(".")[0] not in _FIXED:  # a `__getattr__` says anything
            self.fleeting()

    def guard_absent(self, namespace: dict[str, Any], name: str) -> None:
        """Notice when a module has a name of its own where Python's is meant."""
        if str(namespace.get("__name__", "")).partition(".")[0] not in _FIXED:
            key = id(namespace), "absent"
            self.state(key, lambda: states.AbsentState(namespace)).names.add(name)

    def state(self, key: Any, make: Callable[[], Any]) -> Any:
        """The guard of what `key` stands for, made where there is none yet."""
        if key not in self.states:
            state = self.states[key] = make()
            self.constants[state] = state.read()
        return self.states[key]

    def guard_function(self, function: types.FunctionType) -> None:
        """Notice when a function of the user's has other code, or other defaults."""
        package = (function.__module__ or "").partition(".")[0]
        if package not in _FIXED and package not in sys.stdlib_module_names:
            self.state(id(function), lambda: states.FunctionState(function))

    def fleeting(self) -> None:
        """Note that the program holds for this process alone."""
        self.state(states.ProcessState, states.ProcessState)

    def guard_classes(self, classes: Sequence[Any]) -> None:
        """Notice when other classes are registered with abstract ones among these."""
        if any(isinstance(cls, abc.ABCMeta) for cls in classes):
            self.state(states.RegisteredState, states.RegisteredState)

    def member(self, cls: type, name: str, default: Any = None) -> Any:
        """The class attribute `name`, unbound, not looking at `object` and `tuple`; `default` where
        there is none.  Another one in its place, or before it, is noticed.  Of one that the program
        assigns to, the `Variable`."""
        key = cls, name
        if key not in self.members:
            self.members[key] = self._member(cls, name)
        found = self.members[key]
        return default if found is MISSING else found

    def _member(self, cls: type, name: str) -> Any:
        bases = [base for base in cls.__mro__[:-1] if base is not tuple]
        owner = next((base for base in bases if name in base.__dict__), None)
        written = owner is not None and (id(owner), name) in self.variables
        for base in bases if owner is None else bases[: bases.index(owner) + (not written)]:
            if not base.__flags__ & _IMMUTABLE and base.__module__.partition(".")[0] not in _FIXED:
                self.constants[Place(base, name)] = base.__dict__.get(name, MISSING)
                self.state(cls, lambda: states.BasesState(cls))
        if written:
            return variable(owner, name)
        return MISSING if owner is None else owner.__dict__[name]

    def read_global(self, engine: Engine, frame: Any, name: str) -> Any:
        """A global name of the module that `frame`'s function is from, or a builtin."""
        key = id(frame.module), name
        if key in self.variables:
            return self.assigned(engine, frame.module, name)
        if key in self.globals:
            return self.globals[key][1]
        found = frame.module.get(name, MISSING)
        if found is MISSING:
            found = getattr(builtins, name, MISSING)
            self.guard_absent(frame.module, name)
            if found is MISSING:
                known = (*frame.module, *dir(builtins), *frame.ssa.source.names)
                message = f"name {name!r} is not defined"
                raise engine.refuse(
                    message,
                    similar(name, [other for other in known if other != name])
                    or "define it, or pass it as an argument",
                    raises=NameError,
                    words=message,
                )
            return Const(found)
        if is_constant(found):
            self.guard(frame.module, name, found)
            value: Any = Const(found)
        else:
            try:
                value = self.abstract(engine, found, Place(frame.module, name))
            except NewCapture as need:
                need.places += self.next_arrays(frame, need.places)
                raise
        self.globals[key] = frame.module, value
        return value

    def assigned(self, engine: Engine, owner: Any, name: str) -> Any:
        """What a variable outside that the program assigns to holds here."""
        ref = self.places[self.variables[id(owner), name]]
        return engine.use(variable_value(engine.content(ref)))

    def assign(self, engine: Engine, owner: Any, name: str, value: Any) -> None:
        """Assign to a variable outside, which is an argument of the program then."""
        if (id(owner), name) not in self.variables:
            if not isinstance(owner, dict) and name not in namespace(owner):
                raise engine.refuse(
                    f"the {owner.__name__} attribute {name!r}, which is assigned here, does not "
                    "exist yet",
                    f"assign {name!r} outside before",
                )
            raise NewCapture(Place(variable(owner, name)))
        ref = self.places[self.variables[id(owner), name]]
        engine.set_content(ref.cell, ObjectCell(Variable, {"value": value}))

    def next_arrays(self, frame: Any, known: Sequence[Place]) -> list[Place]:
        """Other global arrays that the function reads: each would start inference again."""
        read = {
            instr.attrs["name"]
            for block in frame.ssa.function.blocks
            for instr in block.instrs
            if instr.op.name == "global"
        }
        places = [Place(frame.module, name) for name in sorted(read)]
        return [
            place
            for place in places
            if isinstance(array := place.read(), np.ndarray)
            and array.dtype.kind in "biufc"
            and place not in known
            and place not in self.places
        ]

    def abstract(self, engine: Engine, value: Any, place: Place | None = None) -> Any:
        """An outside object as an abstract value."""
        if type(value) is tuple:
            items = tuple([self.abstract(engine, item) for item in value])
            known = all(isinstance(item, Const) for item in items)
            if place is not None and known:
                self.constants[place] = value
            if known or place is None:
                return Const(value) if known else Tuple(items)
        bare = isinstance(value, tuple) and not getattr(value, "__dict__", None)
        bare = bare and not reads_itself(type(value))
        if bare and is_constant((*value,)):
            if place is not None:
                self.constants[place] = value
            if is_c_struct(type(value)):
                return Const(value)
            return Tuple(tuple([Const(item) for item in value]), type(value))
        if is_constant(value) or self.is_jax_object(value):
            return Const(value)
        place = place or Place(value)
        if place in self.places:
            return self.places[place]
        if id(value) in self.by_identity and place.name is None:
            return self.by_identity[id(value)]
        raise NewCapture(place, engine.loc)

    def is_jax_object(self, value: Any) -> bool:
        """Whether `value` is one of JAX's own callable objects (`jnp.add`, an initializer)."""
        return (
            callable(value)
            and not isinstance(value, functools.partial)
            and type(value).__module__.partition(".")[0] == "jax"
            and self.is_foreign(value)
        )

    def box(self, engine: Engine, cell: Any, name: str) -> Ref:
        """The closure variable `name` of a function object, as a box on the heap."""
        if (written := self.variables.get((id(cell), None))) is not None:
            return self.places[written]
        if id(cell) in self.boxes:
            _, ref, first = self.boxes[id(cell)]
            engine.heap.contents.setdefault(ref.cell, first)  # it was made on another path
            return ref
        try:
            value = cell.cell_contents
        except ValueError:
            content: Any = Unbound(name)
        else:
            place = Place(cell)
            if is_constant(value):
                self.constants[place] = value
                content = Const(value)
            else:
                content = self.abstract(engine, value, place)
        box = BoxCell(content)
        ref = Ref(engine.heap.new(box, None, pinned=Place(cell)))
        self.boxes[id(cell)] = (cell, ref, box)
        self.cells[ref.cell] = box
        return ref

    def constructs(self, cls: type) -> bool:
        """Whether instances of `cls` are made by visiting its `__init__`."""
        if issubclass(cls, BaseException) or hasattr(cls, "_fields"):
            return True
        if cls.__module__.partition(".")[0] in _FIXED - {"numpy"}:
            return False
        made_by_class_statement = cls.__flags__ & (_HEAP_TYPE | _IMMUTABLE) == _HEAP_TYPE
        return made_by_class_statement and not issubclass(cls, _MADE_OTHERWISE)


# `Py_TPFLAGS_HEAPTYPE`, and `Py_TPFLAGS_IMMUTABLETYPE`, which those have that are written in C.
_HEAP_TYPE, _IMMUTABLE = 1 << 9, 1 << 8
_MADE_OTHERWISE = enum.Enum, np.generic, np.ndarray


_OWN = frozenset({"jax", "pyxla"})
_FIXED = frozenset({"numpy", "math", "cmath", "operator", "functools", "itertools", "jax", "pyxla"})


def variable_value(content: Any) -> Any:
    """What a variable that functions share holds."""
    if isinstance(content, ObjectCell):
        (value,) = content.fields.values()
        return value
    return content.value


def is_constant(value: Any) -> bool:
    """Whether an outside object is known once and for all."""
    if type(value) is tuple or isinstance(value, frozenset):
        return all(is_constant(item) for item in value)
    return is_fixed(value) or lookup(value) is not None or is_dispatcher(value)


def python_object(engine: Engine, x: Any) -> Any:
    """The Python object that `x` is known to be; LookupError where it is not known."""
    if isinstance(x, Const):
        return x.value
    if isinstance(x, Tuple):
        items = [python_object(engine, i) for i in x.items]
        return tuple.__new__(x.cls, items)
    if isinstance(x, Ref):
        if columnar.found(engine.heap, x) is not None:  # its items are numbers of columns
            raise LookupError
        content: Any = engine.content(x)
        if isinstance(content, (Array, ObjectCell, BoxCell)):
            raise LookupError
        held: Any = content.items
        if isinstance(held, dict):
            return {k: python_object(engine, v) for k, v in held.items()}
        if isinstance(content, SetCell):
            return steps.actual(content)
        return [python_object(engine, i) for i in held]
    if isinstance(x, Compound) and x.kind in ("slice", "range"):
        make = slice if x.kind == "slice" else range
        return make(*[python_object(engine, i) for i in x.items])
    raise LookupError


def dynamic_part(engine: Engine, x: Any) -> Any:
    """The first number in `x` that is known at run time only, or None."""
    if isinstance(x, (Scalar, Array)):
        return x
    content = engine.content(x) if isinstance(x, Ref) else x
    if isinstance(content, Array):
        return None
    found = [dynamic_part(engine, part) for part in content.parts]
    return next((part for part in found if part is not None), None)


def operand(engine: Engine, x: Any, bounded: bool = False) -> Any:
    """`x` as library functions see it (`lib.registry`)."""
    if type(x) is Scalar and x.kinds is None:
        return x
    if type(x) is Ref and not x.view and engine.heap.infos[x.cell].strides is None:
        content = engine.heap.contents[x.cell]
        if type(content) is Array and (bounded or content.extents is None):
            return content
    if isinstance(x, Const):
        value = x.value
        if type(value) is str and value == "F":
            engine.strides = MIXED
        return engine.wrapper(x) if isinstance(value, _CALLED) else value
    if isinstance(x, (Scalar, Array)):
        if x.kinds is not None:
            engine.mixed = x.kinds
        if not bounded and isinstance(x, Array) and x.extents is not None:
            raise engine.refuse(NOT_SUPPORTED, REMEDY, kind=BoundedOperand)
        return x
    if isinstance(x, Ref):
        content = engine.content(x)
        if isinstance(content, Array):
            if engine.heap.infos[x.cell].strides is not None or is_permuted(x.view):
                engine.strides = MIXED
            array = arrays.read(engine, x)
            if array.extents is not None and not bounded:
                raise engine.refuse(NOT_SUPPORTED, REMEDY, kind=BoundedOperand)
            return array
        if isinstance(content, ObjectCell) and issubclass(content.cls, SequenceIterator):
            return [operand(engine, i, bounded) for i in engine.iterate(x)]
        if isinstance(content, ObjectCell) and content.cls is KeyArray:
            return Key(content.fields["impl"].value, operand(engine, content.fields["data"]))
        if isinstance(content, ObjectCell):
            converted = engine.rules.special(engine, x, "__array__", ())
            return x if converted is None else operand(engine, converted, bounded)
        items = content.items
        if isinstance(items, dict):
            return {k: operand(engine, v, bounded) for k, v in items.items()}
        if isinstance(content, SetCell):
            return steps.actual(content)
        return [operand(engine, i, bounded) for i in items]
    if isinstance(x, Tuple):
        items = [operand(engine, i, bounded) for i in x.items]
        return tuple.__new__(x.cls, items)
    if isinstance(x, Compound):
        if x.kind == "slice":
            return slice(*[operand(engine, i, bounded) for i in x.items])
        if x.kind in FUNCTIONS:
            return engine.wrapper(x)
        if x.kind == "far":
            raise far.refused(engine)
        if x.kind in ("range", "zip"):
            return [operand(engine, i, bounded) for i in engine.iterate(x)]
        arrays.need_characters(engine, x)
        return x
    if choices.is_choice(x):
        number = choices.number_of(x)
        return engine.use(x.conflict) if number is None else number
    found = engine.use(x)
    if is_variant(found, "optional"):
        what = f"this may be None: {describe(found)}"
        raise engine.refuse(what, "test `is not None` first", remedy="case_split")
    return x if found is x else operand(engine, found, bounded)


def abstract(engine: Engine, x: Any, zero_d: bool = False) -> Any:
    """What a library function returned as an abstract value; arrays become new objects."""
    kind = type(x)
    if kind is Array:
        if x.kinds is not None:
            x = Array(x.value, x.extents)
        if x.value.type.shape or zero_d:
            # NumPy lays a result out as its operands, of which not all were in C order.
            strides = engine.strides if len(x.value.type.shape) > 1 else None
            return Ref(engine.heap.new(x, engine.loc, strides=strides))
        return x
    if kind is Scalar or isinstance(x, (Ref, Compound, Tuple, Const, Variant)):
        return x
    if kind is tuple:
        return Tuple(tuple([abstract(engine, i, zero_d) for i in x]))
    if isinstance(x, tuple) and not is_c_struct(kind):
        return Tuple(tuple([abstract(engine, i, zero_d) for i in x]), kind)
    if kind is list:
        return engine.new_list([abstract(engine, i, zero_d) for i in x])
    if kind is dict:
        return engine.new_dict({k: abstract(engine, v, zero_d) for k, v in x.items()})
    if isinstance(x, np.ndarray):
        return Ref(engine.heap.new(engine.as_array(x), engine.loc))
    if kind is Key:
        fields = {"data": abstract(engine, x.data), "impl": Const(x.impl)}
        return engine.new(ObjectCell(KeyArray, fields))
    return Const(x)
