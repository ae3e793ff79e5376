"""`tensorflow.python.autograph.lang.special_functions`: lists that converted code can keep in tensors."""

from reflow.core.tensor import is_tensor
from reflow.drop_in.python.autograph.operators import data_structures
from reflow.ops.convert import constant


def match_staging_level(value, like_value):
    """A value as a tensor if another value is one."""
    return constant(value) if is_tensor(like_value) else value


def tensor_list(elements, element_dtype=None, element_shape=None, use_tensor_array=False):
    """A tensor list, or a `tf.TensorArray`, of the given elements.

    Their type and shape must be given if there are none.
    """
    if not is_tensor(elements) and (element_dtype is None or element_shape is None):
        if not isinstance(elements, (list, tuple)):
            raise ValueError(f"unknown type for elements: {type(elements)}; only Tensor, list and tuple are allowed")
        if not elements:
            raise ValueError("element_dtype and element_shape are required when elements are empty")
    make = data_structures.tf_tensor_array_new if use_tensor_array else data_structures.tf_tensor_list_new
    return make(elements, element_dtype, element_shape)


def stack(list_or_tensor, element_dtype=None, strict=True):
    """The elements of a tensor list as one tensor; anything else as it is, unless `strict`."""

    def unstackable(x):
        if strict:
            raise ValueError(f"{x} must be stackable when strict=True")
        return x

    return data_structures.list_stack(list_or_tensor, data_structures.ListStackOpts(element_dtype, unstackable))
