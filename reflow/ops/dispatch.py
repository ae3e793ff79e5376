"""The door: the only place that decides between running an op now and adding it to a graph.

`dispatch(op, inputs, attrs)` takes a record, a flat sequence of tensors and the attributes, and returns a tensor, or a
list of them. The eager executor and the graph builder sit above this layer and install themselves here.
"""

from __future__ import annotations

from reflow.core.context import state
from reflow.ops import registry

_eager = None
_graph = None


def install(eager=None, graph=None):
    """Called once by `reflow.eager` and `reflow.graph`."""
    global _eager, _graph
    _eager = eager or _eager
    _graph = graph or _graph


def dispatch(op, inputs, attrs):
    """Run `op` on tensors, or add it to the graph under construction."""
    if state.graph is None:
        return _eager(op, inputs, attrs)
    return _graph(op, inputs, attrs)


def run(name: str, /, *inputs, **attrs):
    """`dispatch` of the op called `name`: for gradients that are written as ops, and functions made of several."""
    return dispatch(registry.REGISTRY.get(name) or registry.get(name), inputs, attrs)
