"""`tensorflow.python.ops.structured.structured_array_ops`: functions of arrays on structured tensors."""

from reflow.api.ragged.structured_arrays import concat as concat
from reflow.api.ragged.structured_arrays import expand_dims as expand_dims
from reflow.api.ragged.structured_arrays import extend_op, structured_tensor_like
from reflow.api.ragged.structured_arrays import gather as gather
from reflow.api.ragged.structured_arrays import ones_like as ones_like
from reflow.api.ragged.structured_arrays import random_shuffle as random_shuffle
from reflow.api.ragged.structured_arrays import rank as rank
from reflow.api.ragged.structured_arrays import shape as shape
from reflow.api.ragged.structured_arrays import size as size
from reflow.api.ragged.structured_arrays import zeros_like as zeros_like

expand_dims_v2, ones_like_v2, zeros_like_v2 = expand_dims, ones_like, zeros_like
_structured_tensor_like, _extend_op = structured_tensor_like, extend_op


def shape_v2(input, out_type=None, name=None):
    """`shape`, with the arguments in the order of version 2."""
    return shape(input, name, out_type)


def size_v2(input, out_type=None, name=None):
    """`size`, with the arguments in the order of version 2."""
    return size(input, name, out_type)
