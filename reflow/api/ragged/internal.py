"""Internal functions of ragged tensors that libraries import from TensorFlow's private modules."""

from __future__ import annotations

from reflow.api.array import arrange, creation, indexing
from reflow.api.debugging import asserts, types
from reflow.api.export import export, export_value
from reflow.api.ragged import factories, gather, join, products
from reflow.api.ragged.broadcast import same_splits_dtype
from reflow.api.ragged.constants import RaggedTensorValue
from reflow.api.ragged.row_partition import guarded
from reflow.api.ragged.row_partition_spec import RowPartitionSpec
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.ops.convert import convert_to_tensor

export_value(join.concat_ragged, "__internal__.ragged.concat")
export_value(gather.gather, "__internal__.ragged.gather")
export_value(gather.gather_nd, "__internal__.ragged.gather_nd")
export_value(products.matmul, "__internal__.ragged.matmul")
export_value(RowPartitionSpec, "__internal__.ragged.RowPartitionSpec")


@export("__internal__.ragged.convert_to_tensor_or_ragged_tensor")
def convert_to_tensor_or_ragged_tensor(value, dtype=None, preferred_dtype=None, name=None):
    """A value as a tensor; ragged ones stay ragged, if they have the dtype."""
    if isinstance(value, RaggedTensor):
        if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
            wanted = dtypes.as_dtype(dtype).name
            raise ValueError(
                f"Tensor conversion requested dtype {wanted} for RaggedTensor with dtype {value.dtype.name}: {value!r}."
            )
        return value
    if isinstance(value, RaggedTensorValue):
        try:
            return value.as_tensor(dtype if preferred_dtype is None else dtype or preferred_dtype)
        except (TypeError, ValueError):
            if preferred_dtype is None or dtype is not None:
                raise
            return value.as_tensor()
    return convert_to_tensor(value, dtype, preferred_dtype, name)


@export("__internal__.ragged.is_ragged")
def is_ragged(value) -> bool:
    """Whether a value is ragged: a tensor, or a value of arrays, also of a class that only looks like ours."""
    return isinstance(value, RaggedTensor) or hasattr(type(value), "to_list") and hasattr(value, "row_splits")


@export("__internal__.ragged.match_row_splits_dtypes")
def match_row_splits_dtypes(*tensors, return_dtype=False):
    """Ragged tensors that count their rows in one type."""
    kind = same_splits_dtype(tensors)
    found = list(tensors)
    if not return_dtype:
        return found
    return (kind if any(isinstance(t, RaggedTensor) for t in tensors) else None), found


@export("__internal__.ragged.repeat")
def repeat(data, repeats, axis, name=None):
    """`tf.repeat` for which a scalar has one axis, and `axis` must be said."""
    if not isinstance(axis, int):
        raise TypeError(f"`axis` must be an int; got {type(axis).__name__}")
    return creation.repeat(data, repeats, axis, name)


def _whole_numbers(value, name: str):
    """A tensor of integers that are not negative."""
    tensor = convert_to_tensor(value, dtype_hint=dtypes.int64)
    what = f"Input argument '{name}' must be"
    types.assert_integer(tensor, message=f"{what} integer, but got {tensor.dtype} instead")
    return guarded([asserts.assert_non_negative(tensor, message=f"{what} non-negative")], tensor)


@export("__internal__.ragged.repeat_ranges")
def repeat_ranges(params, splits, repeats):
    """Each range `params[splits[i]:splits[i + 1]]`, repeated, concatenated."""
    splits, repeats = (_whole_numbers(x, name) for x, name in ((splits, "splits"), (repeats, "repeats")))
    splits.shape.assert_has_rank(1)
    if splits.shape.num_elements() == 0:
        raise ValueError("splits may not be empty")
    starts, limits = (creation.repeat(x, repeats, 0) for x in (splits[:-1], splits[1:]))
    places = factories.range_(starts, limits, row_splits_dtype=splits.dtype)
    return indexing.gather(arrange.identity(convert_to_tensor(params)), places.values)
