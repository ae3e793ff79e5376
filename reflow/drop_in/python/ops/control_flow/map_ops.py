"""`tensorflow.python.ops.map_ops`: maps from tensors to tensors as one variant value."""

from reflow.api.raw_ops import raw_ops
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor


def empty_tensor_map():
    return raw_ops.EmptyTensorMap()


def tensor_map_size(input_handle):
    return raw_ops.TensorMapSize(input_handle=input_handle)


def tensor_map_insert(input_handle, key, value):
    """The map with a value under a key."""
    return raw_ops.TensorMapInsert(
        input_handle=input_handle, key=convert_to_tensor(key), value=convert_to_tensor(value)
    )


def tensor_map_lookup(input_handle, key, value_dtype):
    """The value under a key; InvalidArgumentError if there is none."""
    return raw_ops.TensorMapLookup(
        input_handle=input_handle, key=convert_to_tensor(key), value_dtype=dtypes.as_dtype(value_dtype)
    )


def tensor_map_erase(input_handle, key, value_dtype):
    """The map without a key."""
    return raw_ops.TensorMapErase(
        input_handle=input_handle, key=convert_to_tensor(key), value_dtype=dtypes.as_dtype(value_dtype)
    )


def tensor_map_has_key(input_handle, key):
    return raw_ops.TensorMapHasKey(input_handle=input_handle, key=convert_to_tensor(key))


def tensor_map_stack_keys(input_handle, key_dtype):
    """All keys as the rows of one tensor."""
    return raw_ops.TensorMapStackKeys(input_handle=input_handle, key_dtype=dtypes.as_dtype(key_dtype))
