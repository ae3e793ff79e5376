# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.security.fuzzing.py.annotation_types`."""

from reflow.api.framework.dtype_annotations import BFloat16 as BFloat16
from reflow.api.framework.dtype_annotations import Bool as Bool
from reflow.api.framework.dtype_annotations import Complex128 as Complex128
from reflow.api.framework.dtype_annotations import Complex64 as Complex64
from reflow.api.framework.dtype_annotations import DTypeAnnotation as DTypeAnnotation
from reflow.api.framework.dtype_annotations import Float16 as Float16
from reflow.api.framework.dtype_annotations import Float32 as Float32
from reflow.api.framework.dtype_annotations import Float4e2m1fn as Float4e2m1fn
from reflow.api.framework.dtype_annotations import Float64 as Float64
from reflow.api.framework.dtype_annotations import Float8e4m3b11fnuz as Float8e4m3b11fnuz
from reflow.api.framework.dtype_annotations import Float8e4m3fn as Float8e4m3fn
from reflow.api.framework.dtype_annotations import Float8e4m3fnuz as Float8e4m3fnuz
from reflow.api.framework.dtype_annotations import Float8e5m2 as Float8e5m2
from reflow.api.framework.dtype_annotations import Float8e5m2fnuz as Float8e5m2fnuz
from reflow.api.framework.dtype_annotations import Half as Half
from reflow.api.framework.dtype_annotations import Int16 as Int16
from reflow.api.framework.dtype_annotations import Int2 as Int2
from reflow.api.framework.dtype_annotations import Int32 as Int32
from reflow.api.framework.dtype_annotations import Int4 as Int4
from reflow.api.framework.dtype_annotations import Int64 as Int64
from reflow.api.framework.dtype_annotations import Int8 as Int8
from reflow.api.framework.dtype_annotations import QInt16 as QInt16
from reflow.api.framework.dtype_annotations import QInt32 as QInt32
from reflow.api.framework.dtype_annotations import QInt8 as QInt8
from reflow.api.framework.dtype_annotations import QUInt16 as QUInt16
from reflow.api.framework.dtype_annotations import QUInt8 as QUInt8
from reflow.api.framework.dtype_annotations import Resource as Resource
from reflow.api.framework.dtype_annotations import String as String
from reflow.api.framework.dtype_annotations import UInt16 as UInt16
from reflow.api.framework.dtype_annotations import UInt2 as UInt2
from reflow.api.framework.dtype_annotations import UInt32 as UInt32
from reflow.api.framework.dtype_annotations import UInt4 as UInt4
from reflow.api.framework.dtype_annotations import UInt64 as UInt64
from reflow.api.framework.dtype_annotations import UInt8 as UInt8
from reflow.api.framework.dtype_annotations import Variant as Variant
