"""`tensorflow.python.autograph.utils.tensor_list`: a tensor list with the methods of Python's."""

from reflow.api.raw_ops import raw_ops
from reflow.core.tensor import Tensor
from reflow.drop_in.python.ops.control_flow import list_ops


def dynamic_list_append(target, element):
    """A list of any kind with an element at its end."""
    if getattr(target, "_is_tensor_array", False):
        return target.write(target.size(), element)
    if isinstance(target, Tensor):
        return raw_ops.TensorListPushBack(input_handle=target, tensor=element)
    target.append(element)
    return target


class TensorList:
    """A list of tensors of one type and shape, eager or in a graph."""

    list_: Tensor

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype
        self.clear()

    def append(self, value):
        """Appends a value."""
        self.list_ = raw_ops.TensorListPushBack(input_handle=self.list_, tensor=value)

    def pop(self):
        """Take the last element away; returns it."""
        self.list_, value = list_ops.tensor_list_pop_back(self.list_, self.dtype)
        return value

    def clear(self):
        """Take all elements away."""
        self.list_ = list_ops.empty_tensor_list(self.shape, self.dtype)

    def count(self):
        """How many elements there are, as a tensor."""
        return raw_ops.TensorListLength(input_handle=self.list_)

    def __getitem__(self, key):
        return list_ops.tensor_list_get_item(self.list_, key, self.dtype)

    def __setitem__(self, key, value):
        self.list_ = list_ops.tensor_list_set_item(self.list_, key, value)
