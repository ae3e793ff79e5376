"""`tensorflow.python.ops.ragged.ragged_conversion_ops`: between ragged, dense and sparse tensors."""

from __future__ import annotations

from typing import Any

from reflow.api.ragged.internal import is_ragged
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor


def from_tensor(
    tensor: Any, lengths: Any = None, padding: Any = None, ragged_rank: int = 1, row_splits_dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Any:
    """A dense tensor as a ragged one; a ragged one as it is."""
    if is_ragged(tensor):
        return tensor
    return RaggedTensor.from_tensor(tensor, lengths, padding, ragged_rank, name, row_splits_dtype)


def to_tensor(rt_input: Any, default_value: Any = None, name: str | None = None) -> Any:
    """A ragged tensor as a dense one; a dense one as it is."""
    return rt_input.to_tensor(default_value, name) if is_ragged(rt_input) else rt_input


def ragged_to_dense(rt_input: Any, default_value: Any = None, shape: Any = None) -> Any:
    """A ragged tensor as a dense one of a shape, with a default value behind short rows."""
    return rt_input.to_tensor(default_value=default_value, shape=shape)


def to_sparse(rt_input: Any, name: str | None = None) -> Any:
    """A ragged tensor as a sparse one."""
    return rt_input.to_sparse(name)


def from_sparse(st_input: Any, name: str | None = None) -> Any:
    """A sparse tensor whose rows are filled from the left as a ragged one."""
    return RaggedTensor.from_sparse(st_input, name)
