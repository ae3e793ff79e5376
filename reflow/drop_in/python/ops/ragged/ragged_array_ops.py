"""`tensorflow.python.ops.ragged.ragged_array_ops`: rows that are empty, rows that a mask chooses."""

from __future__ import annotations

from typing import Any

from reflow.api.math.statistics import ragged_fill_empty_rows
from reflow.api.ragged import rearrange
from reflow.core.ragged import RaggedTensor
from reflow.ops.convert import convert_to_tensor


def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """The values where a mask is true, in rows as long as there are."""
    return rearrange.boolean_mask(data, mask, name)


def fill_empty_rows(ragged_input: Any, default_value: Any, name: str | None = None) -> tuple[RaggedTensor, Any]:
    """(rows, which were empty): a ragged tensor with a default value in its empty rows."""
    if not isinstance(ragged_input, RaggedTensor):
        raise TypeError(f"ragged_input must be RaggedTensor, got {type(ragged_input)}")
    default = convert_to_tensor(default_value, ragged_input.dtype)
    rows, values, empty, _ = ragged_fill_empty_rows(
        ragged_input.value_rowids(), ragged_input.values, ragged_input.nrows(), default, name
    )
    return RaggedTensor.from_value_rowids(values, rows, validate=False), empty
