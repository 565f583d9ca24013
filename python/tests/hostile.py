"""Objects that behave badly, for test_hostile.py: each is a function that makes one."""
from __future__ import annotations

import array
import ctypes
import decimal
from collections.abc import Callable
from typing import Any

import numpy as np

P = np.array([[.7, .2, .1], [.1, .8, .1], [.3, .3, .4], [.2, .5, .3], [.6, .3, .1], [.1, .1, .8]])
Y = np.array([0, 1, 2, 1, 1, 2])
ROWS = len(Y)


def boom(*unnamed: Any, **named: Any) -> Any:
    raise RuntimeError("boom")


def having(base: type = object, *arguments: Any, **members: Any) -> Any:
    """Return an instance of a class that has these members."""
    return type("Hostile", (base,), members)(*arguments)


# ---- Tensors of DLPack, made by hand.

class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("rank", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("offset", ctypes.c_uint64), ("owner", ctypes.c_void_p),
                ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p))]


ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
ctypes.pythonapi.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Exporter:
    """An object with DLPack whose capsule holds what its arguments say."""

    def __init__(self, values: Any = P, shape: tuple[int, ...] | None = None, name: bytes = b"dltensor", code: int = 2,
                 bits: int = 64, lanes: int = 1, rank: int | None = None, device: Any = (1, 0),
                 offset: int = 0, null: tuple[str, ...] = ()) -> None:
        self.values = np.ascontiguousarray(values)
        shape = self.values.shape if shape is None else shape
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.deleted = 0
        self.deleter = Tensor._fields_[-1][1](self.delete)
        self.tensor = Tensor(self.values.ctypes.data, (1, 0), len(shape) if rank is None else rank, code, bits, lanes,
                             self.shape, None, offset, None, self.deleter)
        for member in null:
            setattr(self.tensor, member, None)
        self.capsule = ctypes.pythonapi.PyCapsule_New(ctypes.addressof(self.tensor), name, None)
        self.device = device

    def delete(self, tensor: int) -> None:
        self.deleted += 1

    def __dlpack_device__(self) -> Any:
        return self.device

    def __dlpack__(self, **named: Any) -> Any:
        return self.capsule


# ---- Arrays that cannot be read as numbers: name, object, part of the message.

def released() -> memoryview:
    view = memoryview(bytearray(48))
    view.release()
    return view


def nested() -> list[Any]:
    found: list[Any] = []
    for _ in range(10000):
        found = [found]
    return found


def consumed() -> Exporter:
    """An object whose only capsule was consumed before."""
    exporter = Exporter()
    np.from_dlpack(exporter)
    return exporter


DLPACK = {"__dlpack_device__": lambda self: (1, 0)}
NUMBERS = "neither floating-point numbers"
OBJECTS = "its elements are Python objects, expected numbers"
NO_ARRAY = "is not an array of numbers"
READ = "cannot be read as an array of numbers"

UNREADABLE: list[tuple[str, Callable[[], Any], str]] = [
    ("complex", lambda: P + 0j, NUMBERS),
    ("objects", lambda: P.astype(object), OBJECTS),
    ("datetime", lambda: np.zeros((6, 3), "M8[s]"), READ),
    ("timedelta", lambda: np.zeros((6, 3), "m8[s]"), READ),
    ("structured", lambda: np.zeros(6, [("a", float), ("b", int)]), NUMBERS),
    ("long double", lambda: P.astype(np.longdouble), NUMBERS),
    ("void", lambda: np.zeros((6, 3), "V8"), NUMBERS),
    ("ragged", lambda: [[1, 2], [1]], READ),
    ("None inside", lambda: [[None, 1.0], [1.0, 2.0]], OBJECTS),
    ("generator", lambda: (row for row in P), NO_ARRAY),
    ("set", lambda: {1, 2}, NO_ARRAY),
    ("an object", object, NO_ARRAY),
    ("a class", lambda: np.ndarray, READ),
    ("bytes", lambda: b"abc", NUMBERS),
    ("released view", released, READ),
    ("view of characters", lambda: memoryview(b"abcdef").cast("c"), NUMBERS),
    ("view of pointers", lambda: memoryview(bytes(48)).cast("P"), NUMBERS),
    ("wide characters", lambda: array.array("u", "abcdef"), NUMBERS),
    ("ctypes pointers", lambda: (ctypes.c_void_p * 6)(), NUMBERS),
    ("huge integers", lambda: [[2 ** 70] * 3] * 6, OBJECTS),
    ("decimals", lambda: [[decimal.Decimal(1)] * 3] * 6, OBJECTS),
    ("nested lists", nested, ""),
    ("__array__ raises", lambda: having(__array__=boom), "boom"),
    ("__array__ gives None", lambda: having(__array__=lambda self, *a, **k: None), READ),
    ("__getattr__ raises", lambda: having(__getattr__=boom), ""),
    ("__len__ is negative", lambda: having(__len__=lambda self: -1, __getitem__=boom), ""),
    ("__dlpack__ raises", lambda: having(__dlpack__=boom, **DLPACK), "boom"),
    ("__dlpack__ gives an int", lambda: having(__dlpack__=lambda self: 5, **DLPACK), "PyCapsule"),
    ("device raises", lambda: having(__dlpack__=boom, __dlpack_device__=boom), "boom"),
    ("device is a str", lambda: Exporter(device="gpu"), "'str' object"),
    ("device is empty", lambda: Exporter(device=()), "index out of range"),
    ("device is a float", lambda: Exporter(device=(1.5, 0)), "'float' object"),
    ("on a GPU", lambda: Exporter(device=(2, 0)), ".cpu() (PyTorch)"),
    ("capsule consumed twice", consumed, "PyCapsule"),
    ("other capsule", lambda: Exporter(name=b"dltensor_versioned"), "PyCapsule"),
    ("four lanes", lambda: Exporter(lanes=4), NUMBERS),
    ("float8", lambda: Exporter(bits=8), NUMBERS),
    ("complex DLPack", lambda: Exporter(code=5), NUMBERS),
]

# The same, of the wrong shape or value rather than type: name, object, class, part of the message.
MISSHAPEN: list[tuple[str, Callable[[], Any], str, str]] = [
    ("rank 9", lambda: np.zeros((1,) * 9), "UsageError", "9 dimensions, allowed are at most 8"),
    ("DLPack of rank 9", lambda: Exporter(shape=(1,) * 9), "UsageError", "9 dimensions, allowed are at most 8"),
    ("DLPack of rank -1", lambda: Exporter(rank=-1), "UsageError", "dimensions, allowed are at most 8"),
    ("DLPack without shape", lambda: Exporter(null=("shape",)), "UsageError", "no shape"),
    ("DLPack of negative shape", lambda: Exporter(shape=(-6, 3)), "UsageError", "no shape"),
    ("DLPack without data", lambda: Exporter(null=("data",)), "UsageError", "no data"),
    ("scalar", lambda: 3.0, "InputError", "0 dimensions, expected 1 or 2"),
    ("bool", lambda: True, "InputError", "0 dimensions, expected 1 or 2"),
    ("array of rank 0", lambda: np.array(3.0), "InputError", "0 dimensions, expected 1 or 2"),
    ("rank 3", lambda: np.zeros((6, 3, 2)), "InputError", "3 dimensions, expected 1 or 2"),
    ("masked", lambda: np.ma.masked_array(P, P > .75), "InputError", "masked values"),
]


# ---- Arguments that are no arrays.

class Text(str):
    __hash__ = str.__hash__
    __str__ = __repr__ = __len__ = __iter__ = __eq__ = boom


NO_REPR = having(__repr__=boom)
NO_INDEX = having(__index__=boom)
NOT_COUNTS: list[tuple[str, Any, str, str]] = [  # name, object, class, part of the message
    ("negative", -1, "UsageError", "is -1, allowed are 0 to"),
    ("2**70", 2 ** 70, "UsageError", "is 1180591620717411303424, allowed are 0 to"),
    ("float", 1.5, "ArgumentError", "is 1.5, expected an int"),
    ("NaN", float("nan"), "ArgumentError", "is nan, expected an int"),
    ("str", "3", "ArgumentError", "is '3', expected an int"),
    ("bytes", b"3", "ArgumentError", "is b'3', expected an int"),
    ("array", np.array([1, 2]), "ArgumentError", "expected an int"),
    ("__index__ raises", NO_INDEX, "ArgumentError", "expected an int"),
    ("__index__ gives a str", having(__index__=lambda self: "3"), "ArgumentError", "expected an int"),
    ("__repr__ raises", NO_REPR, "ArgumentError", "expected an int"),
    ("hostile str", Text("x"), "ArgumentError", "expected an int"),
]
NOT_TEXTS: list[tuple[str, Any, str, str]] = [
    ("int", 3, "ArgumentError", "is 3, expected a str"),
    ("bytes", b"x", "ArgumentError", "is b'x', expected a str"),
    ("__repr__ raises", NO_REPR, "ArgumentError", ""),
    ("list", ["x"], "ArgumentError", "is ['x'], expected a str"),
    ("lone surrogate", "\udc80", "UsageError", r"is '\udc80', expected text without NUL"),
    ("NUL", "a\0b", "UsageError", r"is 'a\x00b', expected text without NUL"),
]
NOT_PATHS: list[tuple[str, Any, str, str]] = [
    ("int", 3, "ArgumentError", "the path is 3, expected a str"),
    ("None", None, "ArgumentError", "the path is None, expected a str"),
    ("bytes", b"x", "ArgumentError", "the path is b'x', expected a str"),
    ("NUL", "a\0b", "UsageError", "embedded null byte"),
    ("__fspath__ raises", having(__fspath__=boom), "ArgumentError", "boom"),
    ("__fspath__ gives an int", having(__fspath__=lambda self: 3), "ArgumentError", "expected a str or a path"),
    ("no such folder", "/nonexistent/file", "SystemCallError", "No such file or directory: '/nonexistent/file'"),
    ("a folder", "/usr", "SystemCallError", "Is a directory: '/usr'"),
]
