"""`tensorflow.python.ops.ragged.ragged_tensor`: axes taken together, values of other classes."""

from __future__ import annotations

from typing import Any

from reflow.api.array.arrange import concat, reshape, shape
from reflow.api.framework.internal import CompositeTensor
from reflow.core import dtypes
from reflow.core.ragged import VALUE_TYPES, RaggedTensor, RaggedTensorSpec


class RaggedTensorType:
    """The type of the results of `tf.map_fn`: ragged tensors of a dtype, with a number of ragged axes in all."""

    def __init__(self, dtype: Any, ragged_rank: int, row_splits_dtype: Any = dtypes.int64) -> None:
        self.dtype, self.ragged_rank, self.row_splits_dtype = dtype, ragged_rank, dtypes.as_dtype(row_splits_dtype)

    @property
    def element_spec(self) -> RaggedTensorSpec:
        """The spec of what the function returns for one element."""
        return RaggedTensorSpec(None, self.dtype, self.ragged_rank - 1, self.row_splits_dtype)

    def __repr__(self) -> str:
        return f"RaggedTensorType({self.dtype!r}, {self.ragged_rank!r}, {self.row_splits_dtype!r})"


def merge_dims(value: Any, outer_axis: int, inner_axis: int) -> Any:
    """A ragged or dense tensor in which the axes from one to another are one axis."""
    if outer_axis == inner_axis:
        return value
    if isinstance(value, RaggedTensor):
        return value.merge_dims(outer_axis, inner_axis)
    sizes = value.shape.as_list() if value.shape.is_fully_defined() else shape(value)
    if isinstance(sizes, list):
        return reshape(value, [*sizes[:outer_axis], -1, *sizes[inner_axis + 1 :]])
    return reshape(value, concat([sizes[:outer_axis], [-1], sizes[inner_axis + 1 :]], 0))


def _add_supported_value_type(cls: type) -> None:
    """Let ragged tensors have values of a class of composite tensors, which must have a `shape` and a `dtype`.

    Public functions reach the values through dispatch: the class says what they do, as for values that are in no rows.
    """
    if not issubclass(cls, CompositeTensor):
        raise ValueError(f"cls ({cls}) must be a subclass of CompositeTensor.")
    for name in ("shape", "dtype"):
        if not hasattr(cls, name):
            raise ValueError(f"cls must support the `{name}` property.")
    VALUE_TYPES.append(cls)
