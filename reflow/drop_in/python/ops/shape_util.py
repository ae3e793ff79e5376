"""`tensorflow.python.ops.shape_util`: shapes as tensors, and back."""

from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.tensor import is_tensor
from reflow.drop_in.python.framework.tensor_util import constant_value_as_shape
from reflow.ops.convert import convert_to_tensor

_ENABLE_MAYBE_SET_STATIC_SHAPE = True  # tests set it


def shape_tensor(shape):
    """A shape as a tensor of integers; its sizes may be `Dimension`s."""
    if isinstance(shape, (tuple, list)):
        shape = tuple(getattr(size, "value", size) for size in shape)
    return convert_to_tensor(shape, None if shape else dtypes.int32, name="shape")


def maybe_set_static_shape(tensor, shape):
    """Narrows the static shape of a tensor in a function to the sizes that are known."""
    graph = state.graph
    if _ENABLE_MAYBE_SET_STATIC_SHAPE and graph is not None and graph.building_function and is_tensor(shape):
        tensor.set_shape(constant_value_as_shape(shape))
