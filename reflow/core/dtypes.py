"""TensorFlow's element types.

A `DType` is a singleton per type; `as_dtype` finds it from a name, an enum, a NumPy type or a Python type.
Numeric types map to NumPy (with `ml_dtypes` for the short floats and ints); `string` is a NumPy object array of
`bytes`; `resource` and `variant` hold Python objects.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

# name -> (enum in types.proto, NumPy scalar type, kind)
_TABLE = {
    "float32": (1, np.float32, "f"),
    "float64": (2, np.float64, "f"),
    "int32": (3, np.int32, "i"),
    "uint8": (4, np.uint8, "u"),
    "int16": (5, np.int16, "i"),
    "int8": (6, np.int8, "i"),
    "string": (7, np.object_, "s"),
    "complex64": (8, np.complex64, "c"),
    "int64": (9, np.int64, "i"),
    "bool": (10, np.bool_, "b"),
    "qint8": (11, np.int8, "q"),
    "quint8": (12, np.uint8, "q"),
    "qint32": (13, np.int32, "q"),
    "bfloat16": (14, ml_dtypes.bfloat16, "f"),
    "qint16": (15, np.int16, "q"),
    "quint16": (16, np.uint16, "q"),
    "uint16": (17, np.uint16, "u"),
    "complex128": (18, np.complex128, "c"),
    "float16": (19, np.float16, "f"),
    "resource": (20, np.object_, "o"),
    "variant": (21, np.object_, "o"),
    "uint32": (22, np.uint32, "u"),
    "uint64": (23, np.uint64, "u"),
    "float8_e5m2": (24, ml_dtypes.float8_e5m2, "f"),
    "float8_e4m3fn": (25, ml_dtypes.float8_e4m3fn, "f"),
    "float8_e4m3fnuz": (26, ml_dtypes.float8_e4m3fnuz, "f"),
    "float8_e4m3b11fnuz": (27, ml_dtypes.float8_e4m3b11fnuz, "f"),
    "float8_e5m2fnuz": (28, ml_dtypes.float8_e5m2fnuz, "f"),
    "int4": (29, ml_dtypes.int4, "i"),
    "uint4": (30, ml_dtypes.uint4, "u"),
    "int2": (31, ml_dtypes.int2, "i"),
    "uint2": (32, ml_dtypes.uint2, "u"),
}
_PROTO_NAMES = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}


class DType:
    """One element type, e.g. `tf.float32`.

    >>> as_dtype("float32").is_floating
    True
    """

    __slots__ = ("name", "enum", "numpy", "kind", "np_dtype", "__weakref__")

    def __init__(self, name: str, enum: int, numpy: type, kind: str):
        self.name, self.enum, self.numpy, self.kind = name, enum, numpy, kind
        self.np_dtype = np.dtype(numpy)

    as_numpy_dtype = property(lambda self: self.numpy)
    as_datatype_enum = property(lambda self: self.enum)
    base_dtype = property(lambda self: self)
    _is_ref_dtype = False
    is_floating = property(lambda self: self.kind == "f")
    is_integer = property(lambda self: self.kind in "iu")
    is_complex = property(lambda self: self.kind == "c")
    is_bool = property(lambda self: self.kind == "b")
    is_numeric = property(lambda self: self.kind in "fiuc")
    is_quantized = property(lambda self: self.kind == "q")
    is_unsigned = property(lambda self: self.kind == "u")
    is_numpy_compatible = property(lambda self: self.kind != "o")
    #: a gradient can flow through values of this type
    is_differentiable = property(lambda self: self.kind in "fc")
    #: values are Python objects or bytes that never enter an XLA program
    is_host_only = property(lambda self: self.kind in "so")
    size = property(lambda self: 1 if self.kind in "so" else self.np_dtype.itemsize)
    proto_name = property(lambda self: "DT_" + _PROTO_NAMES.get(self.name, self.name.upper()))

    @property
    def real_dtype(self) -> DType:
        """The type of the real part: float32 for complex64, float64 for complex128, itself otherwise."""
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    def _limit(self, which: str):
        if self.kind == "b":
            return which == "max"
        info: Any
        if self.kind in "iuq":
            info = ml_dtypes.iinfo(self.numpy) if self.name[-1] in "24" and self.size == 1 else np.iinfo(self.numpy)
        elif self.kind == "f":
            info = ml_dtypes.finfo(self.numpy)
        elif self.kind == "c":
            info = np.finfo(self.numpy)
        else:
            raise TypeError(f"Cannot find {which}imum value of {self}.")
        return getattr(info, which)

    min = property(lambda self: self._limit("min"))
    max = property(lambda self: self._limit("max"))

    @property
    def limits(self):
        if self.kind not in "iu" and self.name not in ("float16", "float32", "float64"):
            raise KeyError(self.numpy)
        if self.kind == "f":
            return (0, 1)
        return (0, 1) if self.kind == "b" else (self.min, self.max)

    def is_compatible_with(self, other) -> bool:
        """Whether values of `other` can be used as values of this type."""
        return self is as_dtype(other)

    def is_subtype_of(self, other) -> bool:
        return self is other

    def most_specific_common_supertype(self, others):
        return self if all(self is o for o in others) else None

    def __eq__(self, other):
        if type(other) is DType:
            return self is other
        if other is None:
            return False
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return self.enum

    def __int__(self):
        return self.enum

    def __reduce__(self):
        return as_dtype, (self.name,)

    def __repr__(self):
        return f"tf.{self.name}"

    def __str__(self):
        return f"<dtype: '{self.name}'>"


_BY_NAME = {name: DType(name, *row) for name, row in _TABLE.items()}
_BY_NAME.update(
    {"half": _BY_NAME["float16"], "float": _BY_NAME["float32"], "double": _BY_NAME["float64"]},
)
_BY_ENUM = {row[0]: _BY_NAME[name] for name, row in _TABLE.items()}
#: np.dtype -> DType, for values held in tensors; the quantized types share NumPy types and are not in it
FROM_NUMPY = {d.np_dtype: d for d in _BY_ENUM.values() if d.kind not in "qo"}
_BY_PROTO_NAME = {d.proto_name: d for d in _BY_ENUM.values()}
_BY_PYTHON = {
    float: _BY_NAME["float32"],
    int: _BY_NAME["int32"],
    bool: _BY_NAME["bool"],
    complex: _BY_NAME["complex128"],
}
_BY_PYTHON[str] = _BY_PYTHON[bytes] = _BY_NAME["string"]

globals().update({name: d for name, d in _BY_NAME.items()})
float16, float32, float64, bfloat16 = (_BY_NAME[n] for n in ("float16", "float32", "float64", "bfloat16"))
int8, int16, int32, int64 = (_BY_NAME[n] for n in ("int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = (_BY_NAME[n] for n in ("uint8", "uint16", "uint32", "uint64"))
complex64, complex128 = _BY_NAME["complex64"], _BY_NAME["complex128"]
string, resource, variant, bool_ = (_BY_NAME[n] for n in ("string", "resource", "variant", "bool"))
ALL = tuple(_BY_ENUM.values())


def as_dtype(value) -> DType:
    """The `DType` meant by a DType, name, enum, NumPy dtype or type, or Python type.

    >>> as_dtype(float)
    tf.float32
    """
    if type(value) is DType:
        return value
    found = None
    if isinstance(value, str):
        found = _BY_NAME.get(value) or _BY_PROTO_NAME.get(value)
    elif isinstance(value, int):
        found = _BY_ENUM.get(value)
    elif isinstance(value, type):
        found = _BY_PYTHON.get(value)
    elif hasattr(value, "dtype") and isinstance(value.dtype, DType):
        found = value.dtype
    if found is None:
        try:
            np_dtype = np.dtype(value)
        except TypeError:
            np_dtype = None
        if np_dtype is not None and value is not None:
            found = FROM_NUMPY.get(np_dtype) or (string if np_dtype.kind in "SU" else None)
    if found is None:
        raise TypeError(f"Cannot convert the argument `type_value`: {value!r} to a TensorFlow DType.")
    return found
