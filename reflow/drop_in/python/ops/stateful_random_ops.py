"""`tensorflow.python.ops.stateful_random_ops`: numbers that no seed repeats."""

from __future__ import annotations

from typing import Any

from reflow.api.raw_ops import raw_ops
from reflow.core import dtypes
from reflow.distribute.strategy import get_replica_context


def non_deterministic_ints(shape: Any, dtype: Any = dtypes.int64) -> Any:
    """Random integers from all of a dtype, different in each run."""
    return raw_ops.NonDeterministicInts(shape=shape, dtype=dtype)


def get_replica_id() -> Any:
    """The number of the replica that runs this line; None outside of replicas."""
    context = get_replica_context()
    return None if context is None else context.replica_id_in_sync_group
