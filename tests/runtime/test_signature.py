"""Keys, leaves and descriptions of arguments."""

from __future__ import annotations

import enum
import math
import re
from collections import Counter, deque
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

from pyxla.errors import CompileError
from pyxla.ir.types import DTYPE_NAMES, array_type, python_type
from pyxla.runtime.descriptions import (
    ArgArray,
    ArgDict,
    ArgList,
    ArgMethod,
    ArgNumbers,
    ArgObject,
    ArgPytree,
    ArgSame,
    ArgScalar,
    ArgStand,
    ArgStatic,
    ArgTuple,
)
from pyxla.runtime.numbers import ITEMS
from pyxla.runtime.sharing import Memory, memory
from pyxla.runtime.signature import describe, flatten, keyed


class Pair(NamedTuple):
    a: object
    b: object


@dataclass
class Layer:
    w: object
    b: object

    def apply(self, x):
        return self.w @ x + self.b


class Plain:
    __slots__ = ("hidden", "x")

    def __init__(self, x):
        self.x = x


class Registered:
    def __init__(self, parts):
        self.parts = parts


jax.tree_util.register_pytree_node(Registered, lambda r: (r.parts, "aux"), lambda _, p: p)


class Mode(enum.Enum):
    FAST = 1


def f64(*shape):
    return array_type(DTYPE_NAMES["f64"], shape)


A = np.ones(3)
F32 = array_type(DTYPE_NAMES["f32"], (3,))
CASES = [
    (A, ArgArray(f64(3)), 1),
    (np.float32(1), ArgArray(array_type(DTYPE_NAMES["f32"]), "scalar", False), 1),
    (np.longlong(1), ArgArray(array_type(DTYPE_NAMES["i64"]), "scalar", False), 1),
    (np.bool_(True), ArgArray(array_type(DTYPE_NAMES["bool_"]), "scalar", False), 1),
    (ml_dtypes.bfloat16(1), ArgArray(array_type(DTYPE_NAMES["bf16"]), "scalar", False), 1),
    (jnp.ones(3, jnp.float32), ArgArray(F32, "jax", False), 1),
    (1, ArgScalar(python_type(int)), 1),
    (1.0, ArgScalar(python_type(float)), 1),
    (1j, ArgScalar(python_type(complex)), 1),
    (True, ArgStatic(True), 0),
    (None, ArgStatic(None), 0),
    ("text", ArgStatic("text"), 0),
    (Mode.FAST, ArgStatic(Mode.FAST), 0),
    (np.dtype("f4"), ArgStatic(np.dtype("f4")), 0),
    (np.float32, ArgStatic(np.float32), 0),
    (math.sin, ArgStatic(math.sin), 0),
    (np.sin, ArgStatic(np.sin), 0),
    (math, ArgStatic(math), 0),
    ((A, 1), ArgTuple(tuple, (ArgArray(f64(3)), ArgScalar(python_type(int), 1))), 2),
    (Pair(A, None), ArgTuple(Pair, (ArgArray(f64(3)), ArgStatic(None))), 1),
    ([A], ArgList((ArgArray(f64(3)),)), 1),
    ([1.5] * 65, ArgNumbers(f64(65)), 1),
    ([2**70] + [1] * 64, ArgList(tuple([ArgScalar(python_type(int), i) for i in range(65)])), 65),
    ({"a": A, 1: 2.0}, ArgDict(("a", 1), (ArgArray(f64(3)), ArgScalar(python_type(float), 1))), 2),
    ({2}, ArgStand(set, ArgList((ArgScalar(python_type(int)),))), 1),
    (deque([A], 4), ArgStand(deque, ArgList((ArgArray(f64(3)),)), (("maxlen", 4),)), 1),
    (Counter("a"), ArgStand(Counter, ArgDict(("a",), (ArgScalar(python_type(int)),))), 1),
    (Layer(A, None), ArgObject(Layer, (("w", ArgArray(f64(3))), ("b", ArgStatic(None)))), 1),
    (Plain(A), ArgObject(Plain, (("x", ArgArray(f64(3))),)), 1),
]  # fmt: skip


@pytest.mark.parametrize(("value", "arg", "count"), CASES, ids=[repr(c[1]) for c in CASES])
def test_description_key_and_leaves(value, arg, count):
    assert describe([value]) == (arg,)
    key, leaves = flatten([value])
    assert len(leaves) == count
    assert keyed([arg]) == key
    hash(key)


def test_keys_differ_as_descriptions_do():
    values = [case[0] for case in CASES] + [False, 2, [[A]], [(A,)], {"a": A}, (1, A), np.ones(4)]
    args = [describe([v])[0] for v in values]
    for v, x in zip(values, args, strict=True):
        for w, y in zip(values, args, strict=True):
            assert (flatten([v])[0] == flatten([w])[0]) == (repr(x) == repr(y))


def test_known_ints_join_the_key():
    args = [3, [4, (5,)]]
    static = frozenset([(0,), (1, 1, 0)])
    key, leaves = flatten(args, static)
    assert leaves == [4]
    assert describe(args, static) == (
        ArgStatic(3),
        ArgList((ArgScalar(python_type(int)), ArgTuple(tuple, (ArgStatic(5),)))),
    )
    assert keyed(describe(args, static)) == key
    assert flatten([3, [4, (6,)]], static)[0] != key == flatten([3, [7, (5,)]], static)[0]


def test_long_lists_of_numbers_are_one_leaf_unless_asked_for():
    args = [[list(range(65))]]
    static = frozenset([(0, 0, ITEMS), (0, 0, 3)])
    key, leaves = flatten(args, static)
    assert leaves == [n for n in range(65) if n != 3]
    assert keyed(describe(args, static)) == key != flatten(args)[0]


def test_registered_pytrees_and_methods():
    partial = jax.tree_util.Partial(jnp.add, A)
    (arg,) = describe([partial])
    assert isinstance(arg, ArgPytree) and len(arg.items) == 2
    assert keyed([arg]) == flatten([partial])[0]
    (instance,) = describe([Registered([A, 2])])  # of a class of the user's: its fields
    assert isinstance(instance, ArgObject) and [name for name, _ in instance.fields] == ["parts"]
    assert keyed([instance]) == flatten([Registered([A, 2])])[0]
    layer = Layer(np.ones((2, 3)), 1.0)
    (method,) = describe([layer.apply])
    assert isinstance(method, ArgMethod) and method.function is Layer.apply
    assert keyed([method]) == flatten([Layer(np.zeros((2, 3)), 2.0).apply])[0]


def test_weak_jax_scalars_are_python_scalars():
    seen = []
    jax.jit(lambda x: seen.append(describe([x])) or x)(2.0)
    assert seen == [(ArgScalar(python_type(float), 0, "jax"),)]
    assert describe([jnp.float32(2)]) == (ArgArray(array_type(DTYPE_NAMES["f32"]), "jax", False),)


def test_sharing_is_part_of_the_signature():
    shared = [1.0]
    assert describe([shared, shared]) == (ArgList((ArgScalar(python_type(float)),)), ArgSame((0,)))
    key = flatten([shared, shared])[0]
    assert key == keyed(describe([shared, shared])) != flatten([[1.0], [1.0]])[0]
    assert flatten([(1.0,), (1.0,)])[1] == [1.0, 1.0]


def cyclic():
    items = [1]
    items.append((items,))
    return items


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (bytearray(2), "is a bytearray, neither"),
        (np.array(["text"]), "has dtype <U4"),
        (np.ones(3, ">f8"), "newbyteorder"),
        (np.array([None]), "has dtype object"),
        (np.ma.array([1.0]), "is a MaskedArray"),
    ],
)
def test_refused(value, words):
    with pytest.raises(CompileError, match=words):
        describe([value])


@pytest.mark.parametrize("name", ["float4_e2m1fn", "float6_e3m2fn", "int2", "uint2"])
def test_narrow_dtypes_are_refused_with_one_that_holds_all_of_their_values(name):
    dtype = getattr(ml_dtypes, name)
    with pytest.raises(CompileError, match="which compiled programs do not have") as caught:
        describe([np.ones(3, dtype)])
    wide = re.search(r"x\.astype\((np\.\w+)\)", caught.value.hint)[1]
    count = {"float4_e2m1fn": 16, "float6_e3m2fn": 64}.get(name, 4)
    every = np.arange(count, dtype=np.uint8)
    x = every.view(dtype) if "float" in name else every.astype(dtype)
    held = x.astype(getattr(np, wide.removeprefix("np.")))
    np.testing.assert_array_equal(held.astype(dtype).astype(float), x.astype(float))


def test_refused_in_a_call():
    with pytest.raises(CompileError, match="argument 1 is a bytearray"):
        flatten([1.0, bytearray(1)])
    labels = type("Labels", (dict,), {})(a=1)
    labels.unit = "m"
    with pytest.raises(CompileError, match="argument 1 is a Labels: a dict with attributes"):
        flatten([1.0, labels])
    for base, value in ((float, 2.0), (int, 2), (str, "ab"), (set, {1}), (deque, [1])):
        words = f"argument 1 is a Own, a class derived from {base.__name__}"
        with pytest.raises(CompileError, match=words):
            flatten([1.0, type("Own", (base,), {})(value)])
    deep = ()
    for _ in range(5000):
        deep = (deep,)
    with pytest.raises(CompileError, match="argument 1 is nested too deeply"):
        flatten([1.0, deep])


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (cyclic(), "this contains itself"),
        ([bytearray(2), 1.0], "this is a bytearray"),
        ({"a": np.array(["text"]), "b": np.ones(3)}, "this has dtype <U4"),
        ((np.ma.array([1.0]), np.ones(2)), "this is a MaskedArray"),
        (([{"s": bytearray(1)}],), "this is a bytearray"),
        ([type("Price", (float,), {})(2.0), 1.0], "this is a Price, a class derived from float"),
        ([type("Own", (set,), {})({2.0}), 1.0], "this is a Own, a class derived from set"),
    ],
)
def test_inside_of_containers_it_is_unknown(value, reason):
    described = describe([value, 1.0])
    assert reason in repr(described)
    key, leaves = flatten([value, 1.0])
    assert key == keyed(described) and leaves[-1] == 1.0
    assert described[1].leaf == len(leaves) - 1


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, *values):
        for name, value in zip(self.__slots__, values, strict=False):
            setattr(self, name, value)


class Empty:
    __slots__ = ()


def test_slots_and_known_values_inside():
    for x in (Slots(), Slots(1.0), Slots(1.0, [2.0]), Empty(), {"p": Slots(1, 2.0)}):
        assert flatten([x])[0] == keyed(describe([x]))
    x = [(3, {"k": Slots(1.0, 2)}), list(range(100))]
    static = frozenset([(0, 0, 1, "k", "b"), (0, 0, 0), (0, 1, ITEMS), (0, 1, 4), (0, 1, 98)])
    key, leaves = flatten([x], static)
    assert key == keyed(describe([x], static))
    assert leaves == [1.0, *range(4), *range(5, 98), 99]
    assert flatten([Slots(x, x)])[0] == keyed(describe([Slots(x, x)]))
    assert flatten([[0, {"k": x}], x])[0][-2:] == ("same", (0, 1, "k"))


def groups(*leaves):
    """The groups of `memory`, without layouts."""
    return [[member[:2] for member in group] for group in memory(leaves).groups]


def test_memory():
    x, y = np.zeros((4, 4)), np.zeros(3)
    assert memory([x, 1.0, y]) == Memory()
    y.flags.writeable = False
    assert memory([x, 1.0, y]) == Memory((2,))
    assert groups(y, x[1:], x.T) == [[(1, 32), (2, 0)]]
    assert groups(x[::2], x[1::2]) == groups(x[:2], x[2:]) == []
    assert groups(x[::-1, 0], x[:, 0]) == [[(0, 96), (1, 0)]]
    assert groups(x[:2], x[1:3], np.ones(2), x[3:], x[3]) == [[(0, 0), (1, 32)], [(3, 0), (4, 0)]]


def test_memory_tells_the_same_array_from_another_view():
    x = np.zeros((4, 4))
    (same,) = memory([x, x[:]]).groups
    assert same[0][1:] == same[1][1:]
    for other in (x.T, x[:3], x.view("i8")):
        (pair,) = memory([x, other]).groups
        assert pair[0][1:] != pair[1][1:]
