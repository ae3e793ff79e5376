"""`tensorflow.python.ops.random_ops`: draws of classes."""

from __future__ import annotations

from typing import Any

from reflow.api.random.sampling import categorical
from reflow.core import dtypes


def multinomial_categorical_impl(logits: Any, num_samples: Any, dtype: Any, seed: int | None) -> Any:
    """Draws classes from logits, as int64 unless a dtype is given."""
    kind = dtypes.as_dtype(dtype) if dtype else dtypes.int64
    accepted = (dtypes.int32, dtypes.int64)
    if kind not in accepted:
        raise ValueError(f"Argument `dtype` got invalid value {kind}. Accepted dtypes are {accepted}.")
    return categorical(logits, num_samples, kind, seed)
