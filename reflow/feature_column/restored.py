"""Initializers that read a checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor
from reflow.train.checkpoint_reader import load_variable


def restored(checkpoint: str | None, tensor_name: str | None) -> Callable[..., Any] | None:
    """An initializer whose values are a tensor of a checkpoint (or of the latest in a folder).

    None without a checkpoint.
    """
    if checkpoint is None or tensor_name is None:
        return None

    def initializer(shape, dtype=dtypes.float32, partition_info=None):
        value = load_variable(checkpoint, tensor_name)
        if list(value.shape) != list(shape):
            raise ValueError(
                f"Shape of variable ({tuple(shape)}) doesn't match with shape of tensor {tensor_name} "
                f"({list(value.shape)}) from checkpoint reader."
            )
        return convert_to_tensor(value, dtypes.as_dtype(dtype))

    return initializer
