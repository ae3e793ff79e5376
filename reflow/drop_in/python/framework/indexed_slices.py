"""`tensorflow.python.framework.indexed_slices`.

The arrays of slices that a session returned, and conversions that keep slices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reflow.core.indexed_slices import IndexedSlicesValue
from reflow.drop_in.python.framework import ops

__all__ = ["IndexedSlicesValue"]


def internal_convert_to_tensor_or_indexed_slices(
    value: Any, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Any:
    """Slices as they are, anything else as a tensor.

    Raises:
        ValueError: a tensor or slices have another dtype.
    """
    if not getattr(value, "_is_composite", False) and not ops.is_dense_tensor_like(value):
        return ops.convert_to_tensor(value, dtype, name, as_ref)
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise ValueError(
            "Incompatible tensor conversion requested to `dtype` "
            f"{dtype.name} for `value` ({value}) with dtype {value.dtype.name}."
        )
    return value


def internal_convert_n_to_tensor_or_indexed_slices(
    values: Sequence[Any], dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> list:
    """The same for each of a sequence; None stays."""
    if not isinstance(values, Sequence):
        raise TypeError("Argument `values` must be iterable.")
    return [
        None if value is None
        else internal_convert_to_tensor_or_indexed_slices(value, dtype, ops.numbered(name, i), as_ref)
        for i, value in enumerate(values)
    ]


def convert_n_to_tensor_or_indexed_slices(values: Sequence[Any], dtype: Any = None, name: str | None = None) -> list:
    """The same without the choice of references."""
    return internal_convert_n_to_tensor_or_indexed_slices(values, dtype, name)
