"""`tensorflow.python.ops.list_ops`: lists of tensors as one variant value."""

import numpy as np

from reflow.api.raw_ops import raw_ops
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.tensor import TensorBase
from reflow.ops.convert import convert_to_tensor


def _build_element_shape(shape):
    """An element's shape as the ops take it: -1 stands for an unknown size, the number -1 for an unknown rank."""
    if isinstance(shape, TensorBase):
        return shape
    if isinstance(shape, TensorShape):
        shape = shape.as_list() if shape else None
    if shape is None:
        return -1
    if isinstance(shape, (np.ndarray, np.generic)) or not shape:
        return convert_to_tensor(shape, dtypes.int32)
    return shape if isinstance(shape, int) else [-1 if size is None else size for size in shape]


def empty_tensor_list(element_shape, element_dtype, max_num_elements=None, name=None):
    """A list without elements."""
    limit = -1 if max_num_elements is None else max_num_elements
    return raw_ops.EmptyTensorList(
        element_shape=_build_element_shape(element_shape), max_num_elements=limit,
        element_dtype=dtypes.as_dtype(element_dtype), name=name,
    )


def tensor_list_reserve(element_shape, num_elements, element_dtype, name=None):
    """A list of elements that are not written yet."""
    return raw_ops.TensorListReserve(
        element_shape=_build_element_shape(element_shape), num_elements=num_elements,
        element_dtype=dtypes.as_dtype(element_dtype), name=name,
    )


def tensor_list_from_tensor(tensor, element_shape, name=None):
    """The rows of a tensor as a list."""
    tensor = convert_to_tensor(tensor)
    return raw_ops.TensorListFromTensor(tensor=tensor, element_shape=_build_element_shape(element_shape), name=name)


def tensor_list_get_item(input_handle, index, element_dtype, element_shape=None, name=None):
    """One element."""
    return raw_ops.TensorListGetItem(
        input_handle=input_handle, index=index, element_shape=_build_element_shape(element_shape),
        element_dtype=element_dtype, name=name,
    )


def tensor_list_set_item(input_handle, index, item, resize_if_index_out_of_bounds=False, name=None):
    """The list with another element, longer than before if the index lies behind its end and it may grow."""
    return raw_ops.TensorListSetItem(
        input_handle=input_handle, index=index, item=item, resize_if_index_out_of_bounds=resize_if_index_out_of_bounds,
        name=name,
    )


def tensor_list_pop_back(input_handle, element_dtype, name=None):
    """The list without its last element, and that element."""
    return raw_ops.TensorListPopBack(
        input_handle=input_handle, element_shape=-1, element_dtype=element_dtype, name=name
    )


def tensor_list_gather(input_handle, indices, element_dtype, element_shape=None, name=None):
    """Some elements as one tensor."""
    return raw_ops.TensorListGather(
        input_handle=input_handle, indices=indices, element_shape=_build_element_shape(element_shape),
        element_dtype=element_dtype, name=name,
    )


def tensor_list_scatter(tensor, indices, element_shape=None, input_handle=None, name=None):
    """A list with the rows of a tensor at the given places, or another list with these rows written into it."""
    tensor = convert_to_tensor(tensor)
    if input_handle is not None:
        return raw_ops.TensorListScatterIntoExistingList(
            input_handle=input_handle, tensor=tensor, indices=indices, name=name
        )
    return raw_ops.TensorListScatterV2(
        tensor=tensor, indices=indices, element_shape=_build_element_shape(element_shape), num_elements=-1, name=name
    )


def tensor_list_stack(input_handle, element_dtype, num_elements=-1, element_shape=None, name=None):
    """All elements as the rows of one tensor."""
    return raw_ops.TensorListStack(
        input_handle=input_handle, element_shape=_build_element_shape(element_shape), element_dtype=element_dtype,
        num_elements=num_elements, name=name,
    )


def tensor_list_concat(input_handle, element_dtype, element_shape=None, name=None):
    """Concatenates all elements."""
    return raw_ops.TensorListConcatV2(
        input_handle=input_handle, element_dtype=element_dtype, element_shape=_build_element_shape(element_shape),
        leading_dims=convert_to_tensor([], dtypes.int64), name=name,
    )[0]


def tensor_list_split(tensor, element_shape, lengths, name=None):
    """The rows of a tensor as a list of tensors with the given numbers of rows."""
    return raw_ops.TensorListSplit(
        tensor=tensor, element_shape=_build_element_shape(element_shape), lengths=lengths, name=name
    )


def tensor_list_push_back_batch(input_handles, tensor, name=None):
    """Lists of a vector, each with a row of a tensor behind its elements."""
    return raw_ops.TensorListPushBackBatch(input_handles=input_handles, tensor=tensor, name=name)
