"""`tensorflow.python.ops.linalg.slicing`: slices of the batch of an operator, and of its arguments."""

from __future__ import annotations

from typing import Any

from reflow.api.linalg.operators.batch import slice_argument, sliced
from reflow.ops.convert import convert_to_tensor


def _slice_single_param(param: Any, param_ndims_to_matrix_ndims: int, slices: tuple, batch_shape: Any) -> Any:
    """The part of one argument that belongs to a slice of an operator's batch.

    The last `param_ndims_to_matrix_ndims` axes are no batch axes.
    """
    return slice_argument(param, param_ndims_to_matrix_ndims, slices, convert_to_tensor(batch_shape))


def batch_slice(linop: Any, params_overrides: dict[str, Any], slices: Any) -> Any:
    """The operator of a part of the batch, with other values for some of its arguments."""
    found = sliced(linop, slices)
    return type(found)(**found.parameters | params_overrides) if params_overrides else found
