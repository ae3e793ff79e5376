# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.ragged`."""

from reflow.api.ragged.gather import gather as gather
from reflow.api.ragged.gather import gather_nd as gather_nd
from reflow.api.ragged.internal import convert_to_tensor_or_ragged_tensor as convert_to_tensor_or_ragged_tensor
from reflow.api.ragged.internal import is_ragged as is_ragged
from reflow.api.ragged.internal import match_row_splits_dtypes as match_row_splits_dtypes
from reflow.api.ragged.internal import repeat as repeat
from reflow.api.ragged.internal import repeat_ranges as repeat_ranges
from reflow.api.ragged.join import concat_ragged as concat
from reflow.api.ragged.products import matmul as matmul
from reflow.api.ragged.row_partition_spec import RowPartitionSpec as RowPartitionSpec

__all__ = [
    "RowPartitionSpec", "concat", "convert_to_tensor_or_ragged_tensor", "gather", "gather_nd", "is_ragged",
    "match_row_splits_dtypes", "matmul", "repeat", "repeat_ranges",
]
