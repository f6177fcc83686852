"""What XLA:CPU serializes of an executable, without the code that it was compiled from.

    trimmed(data, eager)     shorter bytes that are loaded faster; `data` where that is not known

Next to object code and thunks, which run, an executable has its HLO module and the buffers of all
instructions.  Loading parses the module three times and analyses it twice, which takes most of the
time, and yet all that is taken from it are the types of parameters and results, the contents of
constants, and which buffers hold them.  So the module here is its entry alone: parameters,
constants, and an instruction without operands for each result.  Thunks refer to allocations by
number, which stay as they are.

The forms are those of `xla/service/hlo.proto` and `xla/service/cpu/executable.proto`, read as
far as they are needed here; what is of another form (`_Unknown`) is left as it is.
"""

from __future__ import annotations

from typing import Any

import jaxlib

# Of other releases it is not known what loading looks at.
RELEASES = frozenset({"0.10.2"})
_LOCAL = 32  # bits of an instruction's number in its computation
_VARINT, _BYTES = 0, 2
_WIDTHS = {1: 8, 5: 4}


class _Unknown(Exception):  # noqa: N818 - an answer, not an error
    """It is of a form that is not known here."""


class _Message(dict[int, list[Any]]):
    """A message of protocol buffers: by its number, the values of each field, in order."""

    def __init__(self, data: bytes = b"") -> None:
        super().__init__()
        at, end = 0, len(data)
        value: Any
        while at < end:
            tag, at = _varint(data, at)
            field, wire = tag >> 3, tag & 7
            if wire == _VARINT:
                value, at = _varint(data, at)
            elif wire == _BYTES:
                size, at = _varint(data, at)
                value, at = data[at : at + size], at + size
            elif wire in _WIDTHS:
                size = _WIDTHS[wire]
                value, at = (wire, data[at : at + size]), at + size
            else:
                raise _Unknown
            self.setdefault(field, []).append(value)
        if at != end:
            raise _Unknown

    def one(self, field: int, default: Any = 0) -> Any:
        """The value of a field that is there once, or not at all."""
        values = self.get(field)
        return values[-1] if values else default

    def numbers(self, field: int) -> list[int]:
        """A repeated number, packed or not."""
        found = []
        for value in self.get(field, ()):
            if isinstance(value, int):
                found.append(value)
            else:
                at = 0
                while at < len(value):
                    number, at = _varint(value, at)
                    found.append(number)
        return found

    def bytes(self) -> bytes:
        parts = []
        for field, values in self.items():
            for value in values:
                if isinstance(value, int):
                    parts += [_number(field << 3 | _VARINT), _number(value)]
                elif isinstance(value, tuple):
                    parts += [_number(field << 3 | value[0]), value[1]]
                else:
                    data = value.bytes() if isinstance(value, _Message) else value
                    parts += [_number(field << 3 | _BYTES), _number(len(data)), data]
        return b"".join(parts)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        try:
            byte = data[at]
        except IndexError:
            raise _Unknown from None
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
        shift += 7


def _number(value: int) -> bytes:
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    data.append(value)
    return bytes(data)


def _message(**fields: Any) -> _Message:
    """A message of these fields (`_3=value`) that are not zero."""
    made = _Message()
    for name, value in fields.items():
        values = value if isinstance(value, list) else [value]
        if values != [0]:
            made[int(name[1:])] = values
    return made


def trimmed(data: bytes, eager: bool) -> bytes:
    """The executable in `data`, which says what it runs.

    eager: whether XLA takes it for one that is run in the thread that calls it.
    """
    if jaxlib.__version__ not in RELEASES:
        return data
    try:
        size, at = _varint(data, 0)
        head = data[: at + size]
        whole = _Message(data[at + size :])
        result = _Message(whole.one(1))
        held = _Message(result.one(1))
        module = _Module(_Message(held.one(1)), _Message(result.one(2)))
        held[1], result[2] = [module.trimmed(eager)], [module.assignment]
        result[1] = [held]
        whole[1] = [result]
        return head + whole.bytes()
    except (_Unknown, TypeError, AttributeError, KeyError, IndexError):
        return data


class _Module:
    """A module and where its values lie.

    buffers: by the instruction and the index in its result, what is said of a value.  places: by
    the number of a value, the allocation and where in it.
    """

    def __init__(self, module: _Message, assignment: _Message) -> None:
        self.module, self.assignment = module, assignment
        self.entry = module.one(6)
        self._bodies = {_identity(data): data for data in module[3]}
        self._computations: dict[int, tuple[_Message, dict[int, _Message]]] = {}
        self.buffers: dict[tuple[int, tuple[int, ...]], _Message] = {}
        for data in assignment.get(1, ()):
            buffer = _Message(data)
            where = _Message(buffer.one(3))
            self.buffers[where.one(4), tuple(where.numbers(3))] = buffer
        self.allocations = [_Message(data) for data in assignment.get(3, ())]
        self.places: dict[int, tuple[_Message, _Message]] = {}
        for allocation in self.allocations:
            for data in allocation.pop(9, ()):
                assigned = _Message(data)
                self.places[assigned.one(1)] = allocation, assigned
        self.instructions: list[_Message] = []
        self.kept: list[_Message] = []
        self._free = self.entry << _LOCAL

    def computation(self, number: int) -> tuple[_Message, dict[int, _Message]]:
        """A computation, and its instructions by number."""
        if number not in self._computations:
            made = _Message(self._bodies[number])
            instructions = [_Message(data) for data in made[2]]
            self._computations[number] = made, {x.one(35): x for x in instructions}
        return self._computations[number]

    def source(self, number: int, index: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """The instruction, and the index in its result, that made the value of this one."""
        while (number, index) not in self.buffers:
            instruction = self.computation(number >> _LOCAL)[1][number]
            operands, called = instruction.numbers(36), instruction.numbers(38)
            match instruction.one(2):
                case b"tuple" if index:
                    number, index = operands[index[0]], index[1:]
                case b"get-tuple-element":
                    number, index = operands[0], (instruction.one(13), *index)
                case b"bitcast" | b"while":
                    number = operands[0]
                case b"call" | b"conditional":
                    number = self.computation(called[0])[0].one(6)
                case _:
                    raise _Unknown
        return number, index

    def trimmed(self, eager: bool) -> _Message:
        """The module of the entry alone; the assignment is that of its values then."""
        computation, inside = self.computation(self.entry)
        self._free = 1 + max(inside)
        for number, instruction in inside.items():
            if instruction.one(2) == b"parameter":
                self._add(instruction, number, self.buffers.get((number, ())))
        known: dict[int, int] = {}
        for (number, _), buffer in self.buffers.items():
            allocation = self.places[buffer.one(1)][0]
            instruction = None
            if allocation.one(12):  # a constant, and what shares its memory
                instruction = self.computation(number >> _LOCAL)[1][number]
            if instruction is not None and instruction.one(2) == b"constant":
                known[number] = self._add(instruction, self._fresh(), buffer)
        root = inside[computation.one(6)]
        computation[6] = [self._result(root, known)]
        if not eager:
            self._costly()
        computation[2] = list(self.instructions)
        made = self.module
        for field in (7, 17):  # the schedule, and frames of the stack
            made.pop(field, None)
        made[3] = [computation]
        self.assignment = _message(_1=self.kept, _3=list(self.allocations))
        return made

    def _fresh(self) -> int:
        self._free += 1
        return self._free

    def _add(self, instruction: _Message, number: int, buffer: _Message | None) -> int:
        """Keep an instruction under this number, and where its value lies."""
        made = _Message()
        made.update(instruction)
        made[35], made[1] = [number], [f"kept.{number & (1 << _LOCAL) - 1}".encode()]
        made.pop(7, None)  # where it is from
        self.instructions.append(made)
        if buffer is not None:
            self._lies(number, buffer)
        return number

    def _lies(self, number: int, buffer: _Message) -> None:
        """Say that the value of an instruction is the one of `buffer`."""
        allocation, assigned = self.places[buffer.one(1)]
        made = _Message()
        made.update(buffer)
        made[1], made[3] = [len(self.kept)], [_message(_4=number)]
        again = _Message()
        again.update(assigned)
        again[1] = [len(self.kept)]
        allocation.setdefault(9, []).append(again)
        self.kept.append(made)

    def _result(self, root: _Message, known: dict[int, int]) -> int:
        """The instruction that stands for the results."""
        shape, number = _Message(root.one(3)), root.one(35)
        parts = shape.get(4, [])
        if not parts:
            return self._part(number, (), root.one(3), known)
        if any(4 in _Message(part) for part in parts):
            raise _Unknown
        items = [self._part(number, (i,), part, known) for i, part in enumerate(parts)]
        made = _message(_2=b"tuple", _3=root.one(3), _36=items)
        return self._add(made, self._fresh(), self.buffers[self.source(number, ())])

    def _part(
        self, number: int, index: tuple[int, ...], shape: bytes, known: dict[int, int]
    ) -> int:
        """The instruction that stands for one array among the results."""
        source, position = self.source(number, index)
        if source in known:
            return known[source]
        instruction = self.computation(source >> _LOCAL)[1][source]
        if instruction.one(2) == b"parameter" and source >> _LOCAL == self.entry:
            return source
        made = _message(_2=b"custom-call", _3=shape, _28=b"made")
        at = self._add(made, self._fresh(), self.buffers[source, position])
        if not position:
            known[source] = at
        return at

    def _costly(self) -> None:
        """XLA runs what it takes for cheap in the thread that calls it, and counts operations."""
        shape = _message(_2=11, _3=[1 << 20], _5=_message(_1=b"\0"))
        ones = self._add(_message(_2=b"custom-call", _3=shape, _28=b"made"), self._fresh(), None)
        product = _message(_2=b"multiply", _3=shape, _36=[ones, ones])
        self._add(product, self._fresh(), None)


def _identity(computation: bytes) -> int:
    """The number of a computation."""
    return int(_Message(computation).one(5))
