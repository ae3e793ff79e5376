"""TensorFlow's element types.

A `DType` is a singleton per type; `as_dtype` finds it from a name, an enum, a NumPy type or a Python type.
Numeric types map to NumPy (with `ml_dtypes` for the short floats and ints); `string` is a NumPy object array of
`bytes`; `resource` and `variant` hold Python objects.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

import ml_dtypes
import numpy as np

from reflow.core.types import ConstantTraceType, DTypeLike, Proto

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
    "float4_e2m1fn": (33, ml_dtypes.float4_e2m1fn, "f"),
}
#: the first enum of the float8 types; only narrow types follow
_FIRST_NARROW = 24
#: the offset between the enum of a type and that of its reference type
_REFERENCE = 100
_PROTO_NAMES = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}


class DType(ConstantTraceType):
    """One element type, e.g. `tf.float32`. `DType(1)` is the type with number 1 in `types.proto`.

    Args:
      type_enum: The number of the type.
      handle_data: Must be None.

    Raises:
      TypeError: There is no type with this number.

    >>> DType(1).is_floating
    True
    """

    __slots__ = ("name", "enum", "np_type", "kind", "np_dtype", "_base", "__weakref__")
    name: str  # a slot and no property: Keras reads 30 names in a step of SGD
    enum: int
    np_type: type
    kind: str
    np_dtype: np.dtype
    _base: DType | None

    def __new__(cls, type_enum: int, handle_data: Any = None) -> DType:
        if handle_data is not None:
            raise TypeError(
                "What is known of a handle stands with its tensor here, not with the type. Received: handle_data"
            )
        try:
            return _BY_ENUM[int(type_enum)]
        except KeyError:
            raise TypeError(f"{type_enum} does not correspond to a valid tensorflow::DataType") from None

    @classmethod
    def _make(cls, name: str, enum: int, np_type: type, kind: str, base: DType | None = None) -> DType:
        self = object.__new__(cls)
        facts = {"name": name, "enum": enum, "np_type": np_type, "kind": kind, "np_dtype": np.dtype(np_type)}
        for fact, value in {**facts, "_base": base}.items():
            object.__setattr__(self, fact, value)
        return self

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"can't set attribute '{name}'")

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """The class of protos that hold a type."""
        from tensorboard.compat.proto.types_pb2 import SerializedDType

        return SerializedDType

    @classmethod
    def experimental_from_proto(cls, proto: Proto) -> DType:
        """The type in a proto."""
        return DType(proto.datatype)

    def experimental_as_proto(self) -> Proto:
        """This type as a proto.

        >>> DType(1).experimental_as_proto().datatype
        1
        """
        return self.experimental_type_proto()(datatype=self.enum)

    as_datatype_enum = property(lambda self: self.enum)
    #: the value type of a reference type, as TensorFlow 1 variables had
    base_dtype = property(lambda self: self._base or self)
    _is_ref_dtype = property(lambda self: self._base is not None)
    _as_ref = property(lambda self: _BY_ENUM[self.base_dtype.enum + _REFERENCE])
    is_floating = property(lambda self: self.kind == "f")
    is_integer = property(lambda self: self.kind in "iu")
    is_complex = property(lambda self: self.kind == "c")
    is_bool = property(lambda self: self.kind == "b")
    #: the float8 types and narrower ones: TensorFlow supports them only for storage and casts
    is_narrow = property(lambda self: self.base_dtype.enum >= _FIRST_NARROW)
    #: TensorFlow counts the quantized types as numeric, but not the narrow ones
    is_numeric = property(lambda self: self.kind in "fiucq" and not self.is_narrow)
    is_quantized = property(lambda self: self.kind == "q")
    is_unsigned = property(lambda self: self.kind == "u")
    is_numpy_compatible = property(lambda self: self.kind != "o")
    #: values are Python objects or bytes that never enter an XLA program
    is_host_only = property(lambda self: self.kind in "so")
    size = property(lambda self: 0 if self.kind in "so" else self.np_dtype.itemsize)
    proto_name = property(lambda self: "DT_" + _PROTO_NAMES.get(self.name, self.name.upper()))

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy type of the elements; a structured one for the quantized types, which NumPy does not know.

        >>> as_dtype("int8").as_numpy_dtype
        <class 'numpy.int8'>
        """
        if self.kind == "q":
            return np.dtype([(self.base_dtype.name, self.np_dtype)])
        if self.kind == "o":
            raise KeyError(self.enum)
        return object if self.kind == "s" else self.np_type

    @property
    def real_dtype(self) -> DType:
        """The type of the real part: float32 for complex64, float64 for complex128, itself otherwise."""
        return {"complex64": float32, "complex128": float64}.get(self.base_dtype.name, self)

    def _limit(self, which: str) -> Any:
        info: Any
        if self.kind in "iu":
            info = (
                ml_dtypes.iinfo(self.np_type) if self.base_dtype.name[-1] in "24" and self.size == 1
                else np.iinfo(self.np_type)
            )
        elif self.kind == "f":
            info = ml_dtypes.finfo(self.np_type)
        else:
            reason = {"q": f" with quantized type {self}", "o": ""}.get(self.kind, f" with type {self}")
            raise TypeError(f"Cannot find {which}imum value of {self}{reason}.")
        return getattr(info, which)

    min = property(lambda self: self._limit("min"))
    max = property(lambda self: self._limit("max"))

    @property
    def limits(self) -> tuple[Any, Any]:
        """The range of intensities an image of this type uses: 0 to 1 for floats, 0 to the largest integer.

        >>> as_dtype("int8").limits
        (0, 127)
        """
        if self.kind == "o":
            raise KeyError(self.enum)
        if self.kind == "b":
            return 0, True
        if self.base_dtype.name in ("float32", "float64"):
            return 0, 1
        if self.kind not in "iu" or self.is_narrow:
            raise ValueError(f"{self} does not have defined limits.")
        return 0, self.max

    def is_compatible_with(self, other: DTypeLike) -> bool:
        """Whether values of `other` can be used as values of this type."""
        other = as_dtype(other)
        return self is other or self is other._base

    def is_subtype_of(self, other: object) -> bool:
        """Whether values of this dtype may stand for one of `other`: only if they are the same."""
        return self is other

    def most_specific_common_supertype(self, types: Iterable[DType]) -> DType | None:
        """This dtype if all others are the same, else None."""
        return self if all(self is o for o in types) else None

    def __eq__(self, other: object) -> bool:
        if type(other) is DType:
            return self is other
        if other is None:
            return False
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return self.enum

    def __int__(self) -> int:
        return self.enum

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"


_BY_NAME = {name: DType._make(name, *row) for name, row in _TABLE.items()}
_BY_NAME.update(
    {"half": _BY_NAME["float16"], "float": _BY_NAME["float32"], "double": _BY_NAME["float64"]},
)
_BY_ENUM: dict[int, DType] = {row[0]: _BY_NAME[name] for name, row in _TABLE.items()}
#: np.dtype -> DType, for values held in tensors; the quantized types share NumPy types and are not in it
FROM_NUMPY = {d.np_dtype: d for d in _BY_ENUM.values() if d.kind not in "qo"}
_BY_PROTO_NAME = {d.proto_name: d for d in _BY_ENUM.values()}
#: TensorFlow accepts these Python types and rejects `int`, `str` and `complex`, whose size would be a guess
_BY_PYTHON: dict[type, DType] = {float: _BY_NAME["float32"], bool: _BY_NAME["bool"], object: _BY_NAME["string"]}

float16, float32, float64, bfloat16 = (_BY_NAME[n] for n in ("float16", "float32", "float64", "bfloat16"))
int8, int16, int32, int64 = (_BY_NAME[n] for n in ("int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = (_BY_NAME[n] for n in ("uint8", "uint16", "uint32", "uint64"))
complex64, complex128 = _BY_NAME["complex64"], _BY_NAME["complex128"]
string, resource, variant, bool_ = (_BY_NAME[n] for n in ("string", "resource", "variant", "bool"))
qint8, qint16, qint32 = (_BY_NAME[n] for n in ("qint8", "qint16", "qint32"))
quint8, quint16 = _BY_NAME["quint8"], _BY_NAME["quint16"]
int2, int4, uint2, uint4 = (_BY_NAME[n] for n in ("int2", "int4", "uint2", "uint4"))
float8_e5m2, float8_e5m2fnuz, float4_e2m1fn = (_BY_NAME[n] for n in ("float8_e5m2", "float8_e5m2fnuz", "float4_e2m1fn"))
float8_e4m3fn, float8_e4m3fnuz = _BY_NAME["float8_e4m3fn"], _BY_NAME["float8_e4m3fnuz"]
float8_e4m3b11fnuz = _BY_NAME["float8_e4m3b11fnuz"]
ALL = tuple(_BY_ENUM.values())
#: structured NumPy dtypes that represent the quantized types
QUANTIZED = {d.as_numpy_dtype: d for d in ALL if d.kind == "q"}
for _dtype in ALL:
    _reference = DType._make(f"{_dtype.name}_ref", _dtype.enum + _REFERENCE, _dtype.np_type, _dtype.kind, _dtype)
    _BY_ENUM[_reference.enum] = _BY_NAME[_reference.name] = _reference
_BY_NAME |= {"half_ref": float16._as_ref, "float_ref": float32._as_ref, "double_ref": float64._as_ref}


def as_dtype(type_value: DTypeLike) -> DType:
    """Returns the `DType` that a value means.

    Args:
      type_value: A `tf.DType`, a name, a number of `types.proto`, a NumPy dtype or scalar type, or one of Python's
        types float (float32), bool and object (string).

    Returns:
      A `tf.DType`.

    Raises:
      TypeError: The value means no dtype; nor does `int`, whose size would have to be guessed.

    >>> as_dtype(float)
    tf.float32
    """
    if type(type_value) is DType:
        return type_value
    found = None
    if isinstance(type_value, str):
        found = _BY_NAME.get(type_value) or _BY_PROTO_NAME.get(type_value)
    elif isinstance(type_value, int):
        found = _BY_ENUM.get(type_value)
    elif isinstance(type_value, type):
        found = _BY_PYTHON.get(type_value) or _from_numpy(type_value) or _from_numpy(getattr(type_value, "dtype", None))
    elif type_value is not None:
        found = _from_numpy(getattr(type_value, "dtype", type_value))
    if found is None:
        raise TypeError(f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType.")
    return found


def _from_numpy(value: Any) -> DType | None:
    """The DType of a NumPy dtype or scalar type. `int` is excluded, because NumPy would have to choose a size."""
    if value is None:
        return None
    try:
        np_dtype = np.dtype(value)
    except (TypeError, ValueError):  # ValueError: from a class that defines `dtype`
        return None
    if isinstance(value, type) and np_dtype.type is not value:
        return None
    return FROM_NUMPY.get(np_dtype) or QUANTIZED.get(np_dtype) or (string if np_dtype.kind in "SU" else None)
