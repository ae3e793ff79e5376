"""The graph under construction as a target of ops: `dispatch` hands ops to it while a graph is built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reflow.core import dtypes
from reflow.core.tensor import Tensor
from reflow.core.types import Attrs
from reflow.ops import registry

if TYPE_CHECKING:
    import numpy as np

    from reflow.graph.graph import Graph
    from reflow.ops.record import Op


class GraphTarget:
    """Takes ops as a backend does, and adds them to a graph."""

    __slots__ = ("graph",)

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def execute(self, op: Op, inputs: Sequence[Tensor], attrs: Attrs) -> Any:
        return self.graph.add(op, inputs, attrs)

    def constant(self, array: np.ndarray, dtype: dtypes.DType | None = None) -> Any:
        """A `Const` node."""
        return self.execute(CONST, (), {"value": array, "dtype": dtype or dtypes.FROM_NUMPY[array.dtype]})


CONST = registry.get("Const")
