"""`tensorflow.python.eager.graph_only_ops`: placeholders, which eager code has not."""

from reflow.compat.behavior import get_default_graph
from reflow.core import dtypes
from reflow.core.shapes import dims_of
from reflow.ops import registry


def graph_placeholder(dtype, shape, name=None):
    """A placeholder in the default graph, also while ops run eagerly."""
    graph = get_default_graph()
    with graph.as_default(), graph.name_scope_for(name or "Placeholder"):
        return graph.add(registry.get("Placeholder"), (), {"dtype": dtypes.as_dtype(dtype), "shape": dims_of(shape)})
