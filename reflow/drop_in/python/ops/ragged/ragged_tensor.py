"""`tensorflow.python.ops.ragged.ragged_tensor`: axes taken together."""

from __future__ import annotations

from typing import Any

from reflow.api.array.arrange import concat, reshape, shape
from reflow.core.ragged import RaggedTensor


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
