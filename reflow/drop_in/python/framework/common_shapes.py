"""`tensorflow.python.framework.common_shapes`: what two static shapes are when they are broadcast."""

from reflow.core.shapes import TensorShape
from reflow.ops.shape_rules import broadcast_dims


def broadcast_shape(shape_x, shape_y) -> TensorShape:
    """The shape of an elementwise function of two tensors, as far as it is known.

    Raises:
        ValueError: the shapes do not fit together.
    """
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    try:
        return TensorShape(broadcast_dims(x._dims, y._dims))
    except ValueError:
        raise ValueError(f"Incompatible shapes for broadcasting. Two shapes are {x} and {y}.") from None


def is_broadcast_compatible(shape_x, shape_y) -> bool:
    """Whether two shapes, both of known rank, fit together for certain."""
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    if x.rank is None or y.rank is None:
        return False
    try:
        broadcast_shape(x, y)
    except ValueError:
        return False
    return True
