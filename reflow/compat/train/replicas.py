"""Steps of version 1's optimizers under a strategy of several replicas.

Each replica has gradients of its own. The replicas meet, the gradients of all are summed, and one step with the sums
changes every copy of the variables. So the copies stay equal, and so do those of the slots.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reflow.core.context import state
from reflow.distribute.values import ReduceOp


def several() -> bool:
    """Whether the caller is one of several replicas, and not in an update of a variable."""
    context = state.replica_context
    return context is not None and state.updating is None and context.num_replicas_in_sync > 1


def apply_together(optimizer: Any, pairs: Sequence[tuple], global_step: Any, name: str | None) -> Any:
    """`apply_gradients` with the gradients of all replicas; each of them calls this."""

    def apply(strategy: Any, gradients: Sequence[Any], variables: Sequence[Any], step: Any) -> Any:
        summed = strategy.extended.batch_reduce_to(ReduceOp.SUM, list(zip(gradients, variables, strict=True)))
        parts = [strategy.experimental_local_results(gradient)[0] for gradient in summed]
        return optimizer.apply_gradients(list(zip(parts, variables, strict=True)), step, name)

    gradients, variables = zip(*pairs, strict=True)
    return state.replica_context.merge_call(apply, args=(gradients, variables, global_step))
