"""`tensorflow.python.training.training_util`: the value of the global step before a training step."""

from __future__ import annotations

from typing import Any

from reflow.api.math.arithmetic import add
from reflow.compat.behavior import get_default_graph
from reflow.compat.graph_variables import GraphVariable
from reflow.compat.train.global_step import get_global_step

GLOBAL_STEP_READ_KEY = "global_step_read_op_cache"


def _get_global_step_read(graph: Any = None) -> Any:
    """The read of the step that a graph has, or None.

    Raises:
        RuntimeError: it has several.
    """
    reads = (graph or get_default_graph()).get_collection(GLOBAL_STEP_READ_KEY)
    if len(reads) > 1:
        raise RuntimeError(
            f"There are multiple items in collection {GLOBAL_STEP_READ_KEY}. There should be only one."
        )
    return reads[0] if reads else None


def _get_or_create_global_step_read(graph: Any = None) -> Any:
    """The read of the step that a graph has; a new one if it has none, or None if it has no step."""
    graph = graph or get_default_graph()
    read, step = _get_global_step_read(graph), get_global_step(graph)
    if read is not None or step is None:
        return read
    with graph.as_default(), graph.scope(f"{step.op.name}/"):
        value = step.initialized_value() if isinstance(step, GraphVariable) else step
        graph.add_to_collection(GLOBAL_STEP_READ_KEY, add(value, 0, name="add"))
    return _get_global_step_read(graph)


def _increment_global_step(increment: Any, graph: Any = None) -> Any:
    """Advance the step, after it was read.

    Raises:
        ValueError: the graph has no step.
    """
    graph = graph or get_default_graph()
    step = get_global_step(graph)
    if step is None:
        raise ValueError(
            "Global step tensor should be created by tf.train.get_or_create_global_step before calling increment."
        )
    read = _get_or_create_global_step_read(graph)
    with graph.as_default(), graph.scope(f"{step.op.name}/"), graph.control_dependencies([read]):
        return step.assign_add(increment)
