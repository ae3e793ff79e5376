"""Creates nodes from an op's name and attribute protos.

`Graph.create_op` and `Operation.from_node_def`, for libraries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from reflow.core.types import Proto
from reflow.graph.proto_values import decode_attr
from reflow.ops import registry
from reflow.ops.opdef import MISSING

if TYPE_CHECKING:
    from reflow.graph.graph import Graph
    from reflow.graph.node import Node
    from reflow.graph.symbolic import SymbolicTensor


def create(
    graph: Graph, op_type: str, inputs: Sequence[SymbolicTensor], name: str | None, attrs: Mapping[str, Proto] | None
) -> Node:
    """A new node. Attributes are AttrValue protos; those that can be inferred from the inputs may be omitted."""
    record = registry.get(op_type)
    declared = record.definition.attrs
    given = {
        key: decode_attr(declared[key].type, value, lambda function: graph._functions[function].graph)
        for key, value in (attrs or {}).items()
        if key in declared
    }
    for attr in declared.values():
        if attr.name not in given and attr.name not in record.definition.inferred_attrs and attr.default is not MISSING:
            given[attr.name] = registry.decode_default(attr)
    with graph.as_default(), graph.name_scope_for(name) if name else nullcontext():
        graph.add(record, list(inputs), given)
    return graph.nodes[-1]
