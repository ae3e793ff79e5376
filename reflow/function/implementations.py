"""Functions that implement one API for different devices (`experimental_attributes` of `tf.function`).

Functions with the same `api_implements` compute the same; `api_preferred_device` says for which device one is made.
A library calls one of them and adds the others to the graph. TensorFlow's optimizer then lets the call run the function
of the device in use, as here: TensorFlow Probability's samplers draw other numbers on a CPU than on a GPU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reflow.core.context import state
from reflow.function.gradients import is_stateful

if TYPE_CHECKING:
    from reflow.graph.func_graph import FuncGraph
    from reflow.graph.graph import Graph

API, DEVICE = "api_implements", "api_preferred_device"


def prefer(graph: Graph, implementation: FuncGraph) -> None:
    """Let a graph's calls run `implementation`.

    They do if it is made for the device in use, and they call another function of the same API with the same inputs.
    """
    device = "GPU" if state.accelerated else "CPU"
    api = implementation.attributes.get(API)
    if api is None or implementation.attributes.get(DEVICE) != device:
        return
    for node in graph.nodes:
        if node.record.flow != "call":
            continue
        called = node.attrs["f"].attributes
        if called.get(API) == api and called.get(DEVICE) != device and _fits(node.attrs["f"], implementation):
            node.rewrite(attrs={**node.attrs, "f": implementation})


def _fits(one: FuncGraph, other: FuncGraph) -> bool:
    """Whether two functions without captures take and return the same dtypes, and are called by the same op."""
    return (
        not one.captures and not other.captures and is_stateful(one) == is_stateful(other)
        and [t._dtype for t in one.inputs] == [t._dtype for t in other.inputs]
        and [t._dtype for t in one.outputs] == [t._dtype for t in other.outputs]
    )
