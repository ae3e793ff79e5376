"""`tensorflow.python.framework.tensor_shape`: short ways to shapes and dimensions."""

from reflow.core.shapes import Dimension, TensorShape


def as_shape(shape) -> TensorShape:
    """A shape, converted if it is none yet."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def as_dimension(value) -> Dimension:
    """A dimension, converted if it is none yet."""
    return value if isinstance(value, Dimension) else Dimension(value)


def unknown_shape(rank=None, **kwargs) -> TensorShape:
    """A shape of which nothing but the rank is known, or not even that. `ndims` is the old name of `rank`."""
    rank = kwargs.pop("ndims", rank)
    if kwargs:
        raise TypeError(f"Unknown argument: {kwargs}")
    return TensorShape(None if rank is None else [None] * rank)
