"""`tensorflow.python.framework.tensor_util`: static values as shapes, shapes of protos."""

from reflow.api.array.arrange import get_static_value
from reflow.core.shapes import TensorShape


def constant_value_as_shape(tensor) -> TensorShape:
    """The shape that a vector of integers describes, as far as it is known; -1 is an unknown size.

    Raises:
        ValueError: the tensor is no vector, or a scalar other than -1.
    """
    if tensor.shape.rank == 0:
        if get_static_value(tensor) != -1:
            raise ValueError(
                f"Received a scalar with value '{get_static_value(tensor)}' as shape; require a statically known "
                "scalar with value '-1' to describe an unknown shape."
            )
        return TensorShape(None)
    shape = tensor.shape.with_rank(1)
    if shape == [0]:
        return TensorShape([])
    value = get_static_value(tensor, partial=True)
    if value is None:
        return TensorShape(None if shape[0] is None else [None] * shape[0])
    return TensorShape([None if size is None or size == -1 else int(size) for size in value])


def ShapeEquals(tensor_proto, shape) -> bool:
    """Whether a TensorProto has the shape that a sequence or a TensorShapeProto gives."""
    if hasattr(shape, "dim"):
        shape = [dim.size for dim in shape.dim]
    return [dim.size for dim in tensor_proto.tensor_shape.dim] == list(shape)


def try_evaluate_constant(tensor):
    """The value of a tensor that needs nothing but constants, else None."""
    return get_static_value(tensor)


def TensorShapeProtoToList(shape) -> list:
    """The sizes that a TensorShapeProto gives."""
    return [dim.size for dim in shape.dim]
