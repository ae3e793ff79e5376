# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.ragged`: tensors with rows of different lengths."""

from reflow.api.ragged.constants import constant_ as constant
from reflow.api.ragged.crosses import cross as cross
from reflow.api.ragged.crosses import cross_hashed as cross_hashed
from reflow.api.ragged.elementwise import map_flat_values as map_flat_values
from reflow.api.ragged.factories import range_ as range
from reflow.api.ragged.factories import row_splits_to_segment_ids as row_splits_to_segment_ids
from reflow.api.ragged.factories import segment_ids_to_row_splits as segment_ids_to_row_splits
from reflow.api.ragged.join import stack as stack
from reflow.api.ragged.rearrange import boolean_mask as boolean_mask
from reflow.api.ragged.rearrange import stack_dynamic_partitions as stack_dynamic_partitions

__all__ = [
    "boolean_mask", "constant", "cross", "cross_hashed", "map_flat_values", "range", "row_splits_to_segment_ids",
    "segment_ids_to_row_splits", "stack", "stack_dynamic_partitions",
]
