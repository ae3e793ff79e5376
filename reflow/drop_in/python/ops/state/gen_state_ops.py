"""`tensorflow.python.ops.gen_state_ops`: the ops that make reference variables, here variables of the graph."""

from __future__ import annotations

from typing import Any

from reflow.compat.graph_variables import GraphVariable
from reflow.drop_in.python.ops.state import state_ops


def variable_v2(shape: Any, dtype: Any, container: str = "", shared_name: str = "", name: str | None = None) -> Any:
    """A variable of a shape and a dtype in the default graph, without a value."""
    return state_ops.variable_op_v2(shape, dtype, name or "VariableV2", container, shared_name)


def variable(
    shape: Any, dtype: Any, container: str = "", shared_name: str = "", name: str | None = None
) -> GraphVariable:
    """`variable_v2`; nothing is known about a shape without axes."""
    return state_ops.variable_op(shape, dtype, name or "Variable", len(shape) > 0, container, shared_name)
