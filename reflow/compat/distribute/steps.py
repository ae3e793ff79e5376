"""Several steps in one call: `extended.experimental_run_steps_on_iterator`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reflow.api.control.printing import group
from reflow.api.export import export
from reflow.core.properties import read_only
from reflow.distribute.strategy import get_replica_context, get_strategy, in_cross_replica_context
from reflow.distribute.values import ReduceOp


@export("__internal__.distribute.MultiStepContext")
class MultiStepContext:
    """What the steps of one call hand out: the results of the last step, and other things that they were asked to keep.

    >>> context = MultiStepContext()
    >>> with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
    ...     context.set_last_step_output("loss", 1.0)
    >>> context.last_step_outputs
    {'loss': 1.0}
    """

    def __init__(self) -> None:
        self._last_step_outputs: dict[str, Any] = {}
        self._last_step_outputs_reduce_ops: dict[str, Any] = {}
        self._non_tensor_outputs: dict[str, Any] = {}
        self.run_op: Any = None  # in a graph: what runs all steps

    last_step_outputs = read_only("_last_step_outputs")
    non_tensor_outputs = read_only("_non_tensor_outputs")

    def set_last_step_output(self, name: str, output: Any, reduce_op: ReduceOp | str | None = None) -> None:
        """Keep a result under a name, over all replicas if `reduce_op` says how; replicas must say it.

        ValueError if they do not.
        """
        if not in_cross_replica_context():
            if reduce_op is None:
                raise ValueError(
                    f"A replica must say how its output {name!r} is reduced with those of the "
                    "others: `reduce_op` is missing."
                )
            get_replica_context().merge_call(
                lambda _, value: self.set_last_step_output(name, value, reduce_op), args=(output,)
            )
            return
        self._last_step_outputs_reduce_ops[name] = reduce_op
        self._last_step_outputs[name] = (
            output if reduce_op is None else get_strategy().reduce(reduce_op, output, axis=None)
        )

    def set_non_tensor_output(self, name: str, output: Any) -> None:
        """Keep anything else under a name; of replicas, each one's."""
        if in_cross_replica_context():
            self._non_tensor_outputs[name] = output
            return

        def keep(strategy: Any, value: Any) -> None:
            self._non_tensor_outputs[name] = strategy.experimental_local_results(value)

        get_replica_context().merge_call(keep, args=(output,))


def run_steps(fn: Callable[..., Any], iterator: Any, iterations: int) -> MultiStepContext:
    """Call `fn(context, inputs)` that many times, each time with the next input."""
    context = MultiStepContext()
    results = [fn(context, iterator.get_next()) for _ in range(iterations)]
    context.run_op = group(*[r for r in results if hasattr(r, "graph") or hasattr(r, "op")])
    return context
