"""`tensorflow.python.framework.constant_op`: what is a constant."""

from __future__ import annotations

from typing import Any

from reflow.core.dtypes import as_dtype
from reflow.core.tensor import EagerTensor, Tensor
from reflow.ops import registry


def is_constant(tensor_or_op: Any) -> bool:
    """Whether a node of a graph, or the one that makes a tensor, is a constant."""
    return (tensor_or_op.op if isinstance(tensor_or_op, Tensor) else tensor_or_op).record is registry.get("Const")


def convert_to_eager_tensor(value: Any, ctx: Any, dtype: Any = None) -> EagerTensor:
    """A tensor with a value, also while a graph is built; one that is a tensor already must have the dtype."""
    if isinstance(value, EagerTensor):
        if dtype is not None and value.dtype != dtype:
            raise TypeError(f"Expected tensor {value} with dtype {dtype!r}, but got dtype {value.dtype!r}.")
        return value
    ctx.ensure_initialized()
    return EagerTensor(value, None if dtype is None else as_dtype(dtype), ctx.device_name or "")
