"""`tensorflow.python.framework.convert_to_constants`: graphs with the values of variables in place of variables."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from reflow.compat.freeze import convert_variables_to_constants
from reflow.compat.freeze import convert_variables_to_constants_v2 as convert_variables_to_constants_v2
from reflow.compat.freeze import (
    convert_variables_to_constants_v2_as_graph as convert_variables_to_constants_v2_as_graph,
)


def convert_variables_to_constants_from_session_graph(
    session: Any, graph_def: Any, output_node_names: Collection[str],
    variable_names_allowlist: Collection[str] | None = None, variable_names_denylist: Collection[str] | None = None,
) -> Any:
    """What some nodes of a GraphDef depend on, with the variables of a session as constants.

    Args:
        variable_names_allowlist: the only variables to replace; all if None.
        variable_names_denylist: variables that stay.
    """
    return convert_variables_to_constants(
        session, graph_def, output_node_names, variable_names_allowlist, variable_names_denylist
    )


def disable_lower_using_switch_merge(graph_def: Any) -> Any:
    """A copy of a GraphDef whose branches and loops, also those in functions, ask not to be lowered to TensorFlow 1's
    nodes."""
    copy = type(graph_def)()
    copy.CopyFrom(graph_def)
    nodes = [*copy.node, *(node for function in copy.library.function for node in function.node_def)]
    for node in nodes:
        if "then_branch" in node.attr or "cond" in node.attr:
            node.attr["_lower_using_switch_merge"].b = False
    return copy
