"""`tensorflow.python.data.ops.prefetch_op`: the transformation with arguments that `Dataset.prefetch` does not have."""

from typing import Any

from reflow.data.base import AUTOTUNE, int64


def _PrefetchDataset(
    input_dataset: Any, buffer_size: int | None, slack_period: int | None = None, name: str | None = None
) -> Any:
    """The dataset, read ahead. `slack_period` is an attribute of the op, by which TensorFlow delays the thread."""
    size = AUTOTUNE if buffer_size is None else buffer_size
    return input_dataset._then("PrefetchDataset", (int64(size),), {"slack_period": slack_period or 0}, name=name)
