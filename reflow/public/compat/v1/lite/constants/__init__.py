# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.lite.constants`."""

from reflow.core.dtypes import float16 as FLOAT16
from reflow.core.dtypes import float32 as FLOAT
from reflow.core.dtypes import int16 as INT16
from reflow.core.dtypes import int32 as INT32
from reflow.core.dtypes import int64 as INT64
from reflow.core.dtypes import int8 as INT8
from reflow.core.dtypes import string as STRING
from reflow.core.dtypes import uint8 as QUANTIZED_UINT8

__all__ = [
    "FLOAT", "FLOAT16", "INT16", "INT32", "INT64", "INT8", "QUANTIZED_UINT8", "STRING",
]
