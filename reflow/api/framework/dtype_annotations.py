"""`tf.security.fuzzing.py.annotation_types`: classes that represent dtypes in function annotations."""

from __future__ import annotations

from typing import Any

from reflow.api.export import export, export_value
from reflow.core import dtypes

_NAMESPACE = "security.fuzzing.py.annotation_types"


@export(f"{_NAMESPACE}.DTypeAnnotation")
class DTypeAnnotation:
    """Base of the classes that represent a dtype, their `underlying_dtype`.

    >>> tf.security.fuzzing.py.annotation_types.Int32.underlying_dtype
    tf.int32
    """

    underlying_dtype: dtypes.DType


def _annotation(name: str, dtype: dtypes.DType) -> Any:
    """The class that represents a dtype."""
    example = f">>> tf.{_NAMESPACE}.{name}.__name__\n'{name}'"
    facts = {
        "__doc__": f"Stands for `tf.{dtype.name}`.\n\n{example}", "__module__": __name__, "underlying_dtype": dtype
    }
    return export_value(type(name, (DTypeAnnotation,), facts), f"{_NAMESPACE}.{name}")


BFloat16 = _annotation("BFloat16", dtypes.bfloat16)
Bool = _annotation("Bool", dtypes.bool_)
Complex128 = _annotation("Complex128", dtypes.complex128)
Complex64 = _annotation("Complex64", dtypes.complex64)
Float16 = _annotation("Float16", dtypes.float16)
Float32 = _annotation("Float32", dtypes.float32)
Float4e2m1fn = _annotation("Float4e2m1fn", dtypes.float4_e2m1fn)
Float64 = _annotation("Float64", dtypes.float64)
Float8e4m3b11fnuz = _annotation("Float8e4m3b11fnuz", dtypes.float8_e4m3b11fnuz)
Float8e4m3fn = _annotation("Float8e4m3fn", dtypes.float8_e4m3fn)
Float8e4m3fnuz = _annotation("Float8e4m3fnuz", dtypes.float8_e4m3fnuz)
Float8e5m2 = _annotation("Float8e5m2", dtypes.float8_e5m2)
Float8e5m2fnuz = _annotation("Float8e5m2fnuz", dtypes.float8_e5m2fnuz)
Half = _annotation("Half", dtypes.float16)
Int16 = _annotation("Int16", dtypes.int16)
Int2 = _annotation("Int2", dtypes.int2)
Int32 = _annotation("Int32", dtypes.int32)
Int4 = _annotation("Int4", dtypes.int4)
Int64 = _annotation("Int64", dtypes.int64)
Int8 = _annotation("Int8", dtypes.int8)
QInt16 = _annotation("QInt16", dtypes.qint16)
QInt32 = _annotation("QInt32", dtypes.qint32)
QInt8 = _annotation("QInt8", dtypes.qint8)
QUInt16 = _annotation("QUInt16", dtypes.quint16)
QUInt8 = _annotation("QUInt8", dtypes.quint8)
Resource = _annotation("Resource", dtypes.resource)
String = _annotation("String", dtypes.string)
UInt16 = _annotation("UInt16", dtypes.uint16)
UInt2 = _annotation("UInt2", dtypes.uint2)
UInt32 = _annotation("UInt32", dtypes.uint32)
UInt4 = _annotation("UInt4", dtypes.uint4)
UInt64 = _annotation("UInt64", dtypes.uint64)
UInt8 = _annotation("UInt8", dtypes.uint8)
Variant = _annotation("Variant", dtypes.variant)
