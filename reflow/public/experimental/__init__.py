# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.experimental`: extension types, row partitions, and other things that may change."""

from reflow.api.dispatching import dispatch_for_api as dispatch_for_api
from reflow.api.dispatching import dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis
from reflow.api.dispatching import (
    dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
)
from reflow.api.dispatching import dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis
from reflow.api.dispatching import unregister_dispatch_for as unregister_dispatch_for
from reflow.api.execution_modes import async_clear_error as async_clear_error
from reflow.api.execution_modes import async_scope as async_scope
from reflow.api.execution_modes import function_executor_type as function_executor_type
from reflow.api.framework.batchable_type import BatchableExtensionType as BatchableExtensionType
from reflow.api.framework.batchable_type import ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder
from reflow.api.framework.decorators import enable_strict_mode as enable_strict_mode
from reflow.api.framework.extension_type import ExtensionType as ExtensionType
from reflow.api.framework.extension_type import ExtensionTypeSpec as ExtensionTypeSpec
from reflow.api.ragged.row_partition import RowPartition as RowPartition
from reflow.api.ragged.shape import DynamicRaggedShape as DynamicRaggedShape
from reflow.api.ragged.structured import StructuredTensor as StructuredTensor
from reflow.core.dtypes import float4_e2m1fn as float4_e2m1fn
from reflow.core.dtypes import float8_e4m3b11fnuz as float8_e4m3b11fnuz
from reflow.core.dtypes import float8_e4m3fn as float8_e4m3fn
from reflow.core.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from reflow.core.dtypes import float8_e5m2 as float8_e5m2
from reflow.core.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from reflow.core.dtypes import int2 as int2
from reflow.core.dtypes import int4 as int4
from reflow.core.dtypes import uint2 as uint2
from reflow.core.dtypes import uint4 as uint4
from reflow.data.optional import Optional as Optional
from reflow.public.experimental import dlpack as dlpack
from reflow.public.experimental import dtensor as dtensor
from reflow.public.experimental import extension_type as extension_type
from reflow.public.experimental import numpy as numpy
from reflow.public.experimental import tensorrt as tensorrt
