# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.dtypes`: types of tensors' elements."""

from reflow.api.framework.core_names import QUANTIZED_DTYPES as QUANTIZED_DTYPES
from reflow.api.math.arithmetic import cast as cast
from reflow.api.math.arithmetic import saturate_cast as saturate_cast
from reflow.api.math.unary import complex as complex
from reflow.core.dtypes import DType as DType
from reflow.core.dtypes import as_dtype as as_dtype
from reflow.core.dtypes import bfloat16 as bfloat16
from reflow.core.dtypes import bool_ as bool
from reflow.core.dtypes import complex128 as complex128
from reflow.core.dtypes import complex64 as complex64
from reflow.core.dtypes import float16 as float16
from reflow.core.dtypes import float32 as float32
from reflow.core.dtypes import float64 as float64
from reflow.core.dtypes import int16 as int16
from reflow.core.dtypes import int32 as int32
from reflow.core.dtypes import int64 as int64
from reflow.core.dtypes import int8 as int8
from reflow.core.dtypes import qint16 as qint16
from reflow.core.dtypes import qint32 as qint32
from reflow.core.dtypes import qint8 as qint8
from reflow.core.dtypes import quint16 as quint16
from reflow.core.dtypes import quint8 as quint8
from reflow.core.dtypes import resource as resource
from reflow.core.dtypes import string as string
from reflow.core.dtypes import uint16 as uint16
from reflow.core.dtypes import uint32 as uint32
from reflow.core.dtypes import uint64 as uint64
from reflow.core.dtypes import uint8 as uint8
from reflow.core.dtypes import variant as variant
from reflow.public.dtypes import experimental as experimental

double = float64
half = float16

__all__ = [
    "DType", "QUANTIZED_DTYPES", "as_dtype", "bfloat16", "bool", "cast", "complex", "complex128", "complex64", "double",
    "experimental", "float16", "float32", "float64", "half", "int16", "int32", "int64", "int8", "qint16", "qint32",
    "qint8", "quint16", "quint8", "resource", "saturate_cast", "string", "uint16", "uint32", "uint64", "uint8",
    "variant",
]
