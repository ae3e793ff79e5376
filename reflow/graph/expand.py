"""A graph in TensorFlow's words: a copy in which every node of our own is replaced by ordinary ops.

Tracing leaves one `Reflow>VJP` node per op that a gradient passed over. `expand` runs the op's gradient once more on the tensors of
the copy, with the facade `tensor_numpy`, so that TensorFlow's own ops stand there; it does so in the graphs of calls, branches and
loops too. Nodes that nothing needs are left out. The graph itself stays as it was traced.
"""

from __future__ import annotations

from reflow.core import errors
from reflow.graph.clone import copy_nodes
from reflow.graph.effects import graphs_of, live_nodes
from reflow.graph.func_graph import PLACEHOLDER, FuncGraph
from reflow.graph.graph import Graph, SymbolicTensor
from reflow.ops.kernels import vjp
from reflow.ops.opdef import OWN_PREFIX


def expand(graph: Graph) -> Graph:
    """A copy of `graph` without nodes of our own. One error lists all nodes that TensorFlow has no ops for."""
    expansion = _Expansion()
    copy = expansion.run(graph)
    if expansion.problems:
        raise errors.UnimplementedError(
            None, None, f"{len(expansion.problems)} node(s) of {graph.name!r} cannot be written as TensorFlow ops:\n  "
            + "\n  ".join(expansion.problems))
    return copy


class _Expansion:
    """One run: graphs already copied, and what went wrong."""

    def __init__(self):
        self.done: dict = {}
        self.problems: list[str] = []

    def run(self, graph):
        if graph not in self.done:
            self.done[graph] = self._copy(graph)
        return self.done[graph]

    def _copy(self, graph):
        is_function = isinstance(graph, FuncGraph)
        copy = FuncGraph(graph.name, graph.outer_graph) if is_function else Graph(graph.name)
        copy.outer_graph, copy.version_id = graph.outer_graph, graph.version_id
        graph.name_nodes()
        tensors: dict = {}
        twins: dict = {}  # node -> the node that stands for it as a control input
        for node in live_nodes(graph) if is_function else graph.nodes:
            if node.record.name.startswith(OWN_PREFIX):
                self._replace(node, copy, tensors)
                twins[node] = tensors[node.outputs[0]._id].op
            else:
                self._take_over(node, copy, tensors)
                twins[node] = copy.nodes[-1]
                twins[node].control_inputs = tuple(twins[n] for n in node.control_inputs if n in twins)
        if is_function:
            copy.inputs = [tensors[t._id] for t in graph.inputs]
            copy.outputs = [tensors[t._id] for t in graph.outputs]
            copy.captured = {k: (outer, tensors[inner._id]) for k, (outer, inner) in graph.captured.items()}
            copy.variables_used = dict(graph.variables_used)
            copy.structured_outputs = graph.structured_outputs
            copy.structured_input_signature = graph.structured_input_signature
        return copy

    def _take_over(self, node, copy, tensors):
        copy_nodes([node], copy, tensors)
        if graphs_of(node):
            copy.nodes[-1].attrs = {k: self._attribute(v) for k, v in node.attrs.items()}

    def _attribute(self, value):
        if isinstance(value, FuncGraph):
            return self.run(value)
        if isinstance(value, (list, tuple)) and any(isinstance(v, FuncGraph) for v in value):
            return [self.run(v) for v in value]
        return value

    def _replace(self, node, copy, tensors):
        inputs = [tensors[t._id] for t in node.inputs]
        try:
            results = self._results(node, inputs, copy)
        except Exception as error:  # noqa: BLE001 - whatever stops one node is reported with all others
            self.problems.append(f"{describe(node)}: {error}")
            results = [Graph.add(copy, PLACEHOLDER, (), {"dtype": t._dtype, "shape": t._dims}) for t in node.outputs]
        for old, new in zip(node.outputs, results, strict=True):
            tensors[old._id] = self._local(copy, old, new)

    def _results(self, node, inputs, copy):
        if node.record is not vjp.VJP:
            raise NotImplementedError("an op of Reflow's own")
        forward = node.attrs["forward"]
        if forward.grad is None:
            raise NotImplementedError(f"the gradient of {forward.name} is derived by JAX")
        with copy.as_default(), copy.scope(f"gradients/{forward.name}_grad"):
            return vjp.expand(node.attrs, inputs)

    @staticmethod
    def _local(copy, old, new):
        """A result as a tensor of the copy, with the static shape that the node had."""
        if not isinstance(new, SymbolicTensor):
            new = copy.capture(new)
        new.set_shape(old._dims)
        return new


def describe(node) -> str:
    """A node in an error: its name, and for a VJP which gradient it is."""
    forward = node.attrs.get("forward")
    return f"{node.name} (the gradient of {forward.name})" if forward is not None else f"{node.name} ({node.type})"
