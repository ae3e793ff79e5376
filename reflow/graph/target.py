"""The graph under construction as the target of ops: what `dispatch` hands them to while a graph is built."""

from __future__ import annotations

from reflow.core import dtypes
from reflow.ops import registry


class GraphTarget:
    """Takes ops as a backend does, and adds them to a graph."""

    __slots__ = ("graph",)

    def __init__(self, graph):
        self.graph = graph

    def execute(self, op, inputs, attrs):
        return self.graph.add(op, inputs, attrs)

    def constant(self, array, dtype=None):
        """A `Const` node."""
        return self.execute(CONST, (), {"value": array, "dtype": dtype or dtypes.FROM_NUMPY[array.dtype]})


CONST = registry.get("Const")
