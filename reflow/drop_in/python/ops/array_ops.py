"""`tensorflow.python.ops.array_ops`: shapes of composite tensors too, differences of lists, repeated elements."""

from reflow.api.array import arrange, creation
from reflow.api.ragged.parts import positive_axis
from reflow.api.raw_ops import raw_ops
from reflow.compat import reordered
from reflow.core import dtypes
from reflow.core.sparse import SparseTensor
from reflow.ops.convert import constant, convert_to_tensor

#: an axis of size one, in indices
newaxis = None
#: an axis counted from the front
get_positive_axis = positive_axis


def listdiff(x, y, out_idx=None, name=None):
    """(out, idx): the elements of a list that are not in another, and where they are."""
    return raw_ops.ListDiff(x=x, y=y, out_idx=dtypes.int32 if out_idx is None else out_idx, name=name)


def shape_internal(input, name=None, optimize=True, out_type=None):
    """The shape of a tensor: a constant if it is known and `optimize` allows it."""
    out_type = dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)
    if isinstance(input, SparseTensor):
        return raw_ops.Cast(x=input.dense_shape, DstT=out_type)
    tensor = convert_to_tensor(input)
    if optimize and tensor.shape.is_fully_defined():
        return constant(tensor.shape.as_list(), out_type, name=name)
    return raw_ops.Shape(input=tensor, out_type=out_type, name=name)


def size_internal(input, name=None, optimize=True, out_type=dtypes.int32):
    """The number of elements of a tensor: a constant if it is known and `optimize` allows it."""
    tensor = convert_to_tensor(input)
    if optimize and tensor.shape.is_fully_defined():
        return constant(tensor.shape.num_elements(), out_type, name=name)
    return raw_ops.Size(input=tensor, out_type=out_type, name=name)


def rank_internal(input, name=None, optimize=True):
    """The number of axes of a tensor: a constant if it is known and `optimize` allows it."""
    if isinstance(input, SparseTensor):
        return arrange.size(input.dense_shape, name=name)
    tensor = convert_to_tensor(input)
    if optimize and tensor.shape.rank is not None:
        return constant(tensor.shape.rank, dtypes.int32, name=name)
    return raw_ops.Rank(input=tensor, name=name)


def convert_to_int_tensor(tensor, name, dtype=dtypes.int32):
    """Whole numbers as a tensor of a dtype, or of their own if that is None."""
    tensor = convert_to_tensor(tensor, dtype_hint=dtype or dtypes.int32, name=name)
    if not tensor.dtype.is_integer:
        raise TypeError(
            f"Argument `tensor` (name: {name}) must be of type integer. Received `tensor` = "
            f"{tensor} of dtype: {tensor.dtype}"
        )
    return tensor if dtype is None else raw_ops.Cast(x=tensor, DstT=dtype)


def repeat_with_axis(data, repeats, axis, name=None):
    """Each element along an axis as often as `repeats` says."""
    if not isinstance(axis, int):
        raise TypeError(f"Argument `axis` must be an int. Received `axis` = {axis} of type {type(axis).__name__}")
    return creation.repeat(data, repeats, axis, name)


def tile_one_dimension(data, axis, multiple):
    """A tensor repeated along one axis."""
    ones = creation.ones([arrange.rank(data)], dtypes.int32)
    return arrange.tile(data, arrange.concat([ones[:axis], [multiple], ones[axis + 1 :]], 0))


def zeros_like_impl(tensor, dtype, name, optimize=True, layout=None):
    """Zeros in the shape of a tensor, a constant if that is known and `optimize` allows it."""
    if layout is not None:
        return creation.zeros_like(tensor, dtype, name, layout)
    return reordered.zeros_like(tensor, dtype, name, optimize)


def ones_like_impl(tensor, dtype, name, optimize=True, layout=None):
    """Ones in the shape of a tensor, a constant if that is known and `optimize` allows it."""
    if layout is not None:
        return creation.ones_like(tensor, dtype, name, layout)
    return reordered.ones_like(tensor, dtype, name, optimize)
