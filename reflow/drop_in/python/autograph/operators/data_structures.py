"""`tensorflow.python.autograph.operators.data_structures`: lists of converted code, and how new ones are made."""

from reflow.api.array.arrange import shape as shape_of
from reflow.api.autograph.list_idioms import *  # noqa: F403 - the operators themselves
from reflow.api.control.tensor_array import TensorArray
from reflow.api.raw_ops import raw_ops
from reflow.core import dtypes
from reflow.core.tensor import is_tensor
from reflow.drop_in.python.ops.control_flow import list_ops
from reflow.ops.convert import constant, convert_to_tensor


def _the_only(kind, given, found, elements):
    """What all elements have in common, which must be what was given; None if there are several."""
    if len(found) == 1:
        inferred = next(iter(found))
        if given is not None and given != inferred:
            raise ValueError(f"incompatible {kind}; specified: {given}, inferred from {elements}: {inferred}")
        return inferred
    if found and given is not None:
        raise ValueError(f"specified {kind} {given} is inconsistent with that of elements {elements}")
    return given


def _common(elements, element_dtype, element_shape):
    """The elements as tensors, their type and their shape."""
    elements = tuple(convert_to_tensor(x) for x in elements)
    dtype = _the_only("dtype", element_dtype, {x.dtype for x in elements}, elements)
    return elements, dtype, _the_only("shape", element_shape, {tuple(x.shape.as_list()) for x in elements}, elements)


def tf_tensor_array_new(elements, element_dtype=None, element_shape=None):
    """A `tf.TensorArray` that grows, of elements of one type and shape."""
    elements, dtype, shape = _common(elements, element_dtype, element_shape)
    if dtype is None and not elements:
        raise ValueError("dtype is required to create an empty TensorArray")
    for kind, found in (("dtype", dtype), ("shape", shape)):
        if elements and found is None:
            raise ValueError(f"TensorArray requires all elements to have the same {kind}: {elements}")
    array = TensorArray(dtype, size=len(elements), dynamic_size=True, infer_shape=shape is None, element_shape=shape)
    for i, element in enumerate(elements):
        array = array.write(i, element)
    return array


def tf_tensor_list_new(elements, element_dtype=None, element_shape=None):
    """A tensor list of the rows of a tensor, or of elements, which may differ in type and shape."""
    if is_tensor(elements):
        if element_shape is not None:
            raise ValueError("element shape may not be specified when creating list from tensor")
        return list_ops.tensor_list_from_tensor(elements, element_shape=shape_of(elements)[1:])
    elements, dtype, shape = _common(elements, element_dtype, element_shape)
    new = list_ops.empty_tensor_list(
        constant(-1) if shape is None else shape, dtypes.variant if dtype is None else dtype
    )
    for element in elements:
        new = raw_ops.TensorListPushBack(input_handle=new, tensor=element)
    return new
