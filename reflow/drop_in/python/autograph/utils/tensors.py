"""`tensorflow.python.autograph.utils.tensors`: kinds of tensors that converted code tells apart."""

from reflow.core import dtypes
from reflow.core.tensor import Tensor
from reflow.ops.kernels.array.making import range_


def is_dense_tensor(t) -> bool:
    """Whether a thing is a tensor that is neither sparse nor ragged."""
    return isinstance(t, Tensor) and not getattr(t, "_is_composite", False)


def is_tensor_array(t) -> bool:
    return getattr(t, "_is_tensor_array", False)


def is_tensor_list(t) -> bool:
    """Whether a thing may be a tensor list: a scalar of dtype variant."""
    return isinstance(t, Tensor) and t.dtype is dtypes.variant and not t.shape.ndims


def is_range_tensor(t) -> bool:
    """Whether a thing is what `tf.range` made in a graph."""
    return getattr(t, "_is_symbolic", False) and t.op.record is range_
