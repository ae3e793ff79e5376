"""Expands a graph into TensorFlow's ops: a copy in which every Reflow op is replaced by ordinary ones.

Tracing leaves one `Reflow>VJP` node for each op that a gradient passed through. `expand` runs the op's gradient again
on the tensors of the copy, with the array namespace `tensor_xp`, which produces TensorFlow's own ops. It does so in the
graphs of calls, branches and loops too. Unneeded nodes are dropped. The graph itself stays as it was traced.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.tensor import Tensor
from reflow.graph.clone import clone, copy_facts, copy_nodes
from reflow.graph.control_edges import graphs_of, live_nodes
from reflow.graph.func_graph import PLACEHOLDER, FuncGraph
from reflow.graph.graph import Graph, Node, SymbolicTensor
from reflow.ops import registry
from reflow.ops.kernels.control import vjp
from reflow.ops.kernels.control.dataflow import merge, next_iteration
from reflow.ops.opdef import OWN_PREFIX
from reflow.ops.xp import tensor as tensor_xp


def expand(graph: Graph, done: dict[Graph, Any] | None = None) -> Graph:
    """A copy of `graph` without Reflow ops. One error lists all nodes that have no TensorFlow equivalent.

    `done` holds earlier copies of graphs that several others call, and receives the new ones.
    """
    expansion = _Expansion({} if done is None else done)
    copy = expansion.run(graph)
    if expansion.problems:
        raise errors.UnimplementedError(
            None, None,
            f"{len(expansion.problems)} node(s) of {graph.name!r} cannot be written as TensorFlow ops:\n  "
            + "\n  ".join(expansion.problems),
        )
    return copy


def _has_own_gradients(graph: Graph) -> bool:
    """Whether a node has a user-defined gradient, which may use anything traced before."""
    return any("_gradient_function" in node.attrs for node in graph.nodes)


class _Expansion:
    """One run: the graphs already copied, and the errors."""

    def __init__(self, done: dict[Graph, Any]) -> None:
        self.done = done
        self.counted: dict = {}
        self.problems: list[str] = []

    def run(self, graph: Graph) -> Any:
        if graph not in self.done:
            self.done[graph] = self._copy(graph)
        return self.done[graph]

    def _copy(self, graph: Any) -> Any:
        is_function = isinstance(graph, FuncGraph)
        copy: Any = FuncGraph(graph.name, graph.parent) if is_function else Graph(graph.name)
        copy.parent, copy.version_id = graph.parent, graph.version_id
        if is_function:
            copy.put_below(graph.body_scope)
        graph.name_nodes()
        tensors: dict = {}
        twins: dict = {}  # node -> its replacement as a control input
        # their inputs from the next iteration are copied after them
        loops = [node for node in graph.nodes if node.record is merge]
        for node in loops:
            tensors.update({t._id: None for t in node.inputs if t.op.record is next_iteration})
        for node in live_nodes(graph) if is_function and not _has_own_gradients(graph) else graph.nodes:
            if node.record.name.startswith(OWN_PREFIX):
                self._replace(node, copy, tensors)
                twins[node] = tensors[node.outputs[0]._id].op
            else:
                self._take_over(node, copy, tensors)
                twins[node] = copy.nodes[-1]
                twins[node].rewrite(waits=[twins[n] for n in node.waits if n in twins])
        for node in loops:
            twins[node].rewrite(inputs=[tensors[t._id] for t in node.inputs])
        if is_function:
            copy_facts(graph, copy, tensors)
        return copy

    def _take_over(self, node: Node, copy: Graph, tensors: dict[int, SymbolicTensor]) -> None:
        counted = node.record.flow == "loop" and not is_counted(node)
        counters = add_counters(copy, node.name) if counted else ()
        copy_nodes([node], copy, tensors)
        twin = copy.nodes[-1]
        twin._label = ("", node.name)
        if graphs_of(node):
            twin.rewrite(attrs={k: self._attribute(v) for k, v in node.attrs.items()})
        if counted:
            self._count(twin, counters)

    def _count(self, twin: Node, counters: Sequence[SymbolicTensor]) -> None:
        """Add the two leading variables that TensorFlow's loops have, and which its loop gradient relies on."""
        body, cond = twin.attrs["body"], twin.attrs["cond"]
        if (body, cond) not in self.counted:
            self.counted[body, cond] = counted_graphs(clone(body), clone(cond))
        body, cond = self.counted[body, cond]
        shapes = twin.attrs.get("output_shapes")
        for tensor in twin.outputs:
            tensor.value_index += 2
        count_and_limit = [SymbolicTensor(twin, i, twin.graph, dtypes.int32, (), None) for i in range(2)]
        twin.rewrite(
            inputs=(*counters, *twin.inputs),
            attrs={
                **twin.attrs,
                "body": body,
                "cond": cond,
                "T": [t._dtype for t in body.inputs],
                "output_shapes": [(), (), *shapes] if shapes else [],
            },
            outputs=count_and_limit + twin.outputs,
        )

    def _attribute(self, value: Any) -> Any:
        if isinstance(value, FuncGraph):
            return self.run(value)
        if isinstance(value, (list, tuple)) and any(isinstance(v, FuncGraph) for v in value):
            return [self.run(v) for v in value]
        return value

    def _replace(self, node: Node, copy: Graph, tensors: dict[int, SymbolicTensor]) -> None:
        inputs = [tensors[t._id] for t in node.inputs]
        try:
            results = self._results(node, inputs, copy)
        except Exception as error:  # noqa: BLE001 - whatever stops one node is reported with all others
            self.problems.append(f"{describe(node)}: {error}")
            results = [Graph.add(copy, PLACEHOLDER, (), {"dtype": t._dtype, "shape": t._dims}) for t in node.outputs]
        for old, new in zip(node.outputs, results, strict=True):
            tensors[old._id] = self._local(copy, old, new)

    def _results(self, node: Node, inputs: Sequence[SymbolicTensor], copy: Graph) -> Sequence[Tensor]:
        if node.record.expand is not None:
            with copy.as_default():
                return node.record.expand({k: self._attribute(v) for k, v in node.attrs.items()}, inputs)
        if node.record is not vjp.VJP:
            if node.record.host:
                raise NotImplementedError("an op of Reflow's own that runs on the host")
            with copy.as_default(), copy.scope(node.record.name.removeprefix(OWN_PREFIX)):
                made = node.record.call(tensor_xp, inputs, node.attrs)
            return [made] if node.record.single else list(made)
        forward = node.attrs["forward"]
        if forward.grad is None:
            raise NotImplementedError(f"the gradient of {forward.name} is derived by JAX")
        with copy.as_default(), copy.scope(f"gradients/{forward.name}_grad"):
            return vjp.expand(node.attrs, inputs)

    @staticmethod
    def _local(copy: Graph, old: SymbolicTensor, new: Tensor) -> SymbolicTensor:
        """A result as a tensor of the copy, with the static shape that the node had."""
        if not isinstance(new, SymbolicTensor):
            new = copy.capture(new)
        new.set_shape(old._dims)
        return new


def describe(node: Node) -> str:
    """A node in an error: its name, and for a VJP which gradient it is."""
    forward = node.attrs.get("forward")
    return f"{node.name} (the gradient of {forward.name})" if forward is not None else f"{node.name} ({node.type})"


# --- loops ------------------------------------------------------------------------------------------------------------


def is_counted(node: Node) -> bool:
    """Whether the first variables of a loop are a counter and a limit, both int32, as in TensorFlow's loops."""
    body = node.attrs["body"]
    if len(body.inputs) < 2 or any(t._dtype is not dtypes.int32 or t._dims != () for t in body.inputs[:2]):
        return False
    step = body.outputs[0].op
    counts = step.record.addition and any(t is body.inputs[0] for t in step.inputs)
    return counts and body.outputs[1] is body.inputs[1]


def add_counters(graph: Graph, name: str) -> list:
    """The initial values of a loop's counter and limit; -1 means no limit."""
    made = []
    for label, value in (("maximum_iterations", -1), ("loop_counter", 0)):
        attrs = {"value": np.array(value, np.int32), "dtype": dtypes.int32}
        made.append(Graph.add(graph, registry.get("Const"), (), attrs))
        made[-1].op._label = ("", f"{name}/{label}")
    return made[::-1]


def counted_graphs(body: FuncGraph, cond: FuncGraph) -> tuple[FuncGraph, FuncGraph]:
    """A loop's graphs, with a counter and a limit as their first variables."""
    for graph in (body, cond):
        new = [graph.placeholder(dtypes.int32, (), name) for name in ("while_loop_counter", "while_maximum_iterations")]
        graph.inputs = new + graph.inputs
    counter, limit = body.inputs[:2]
    with body.as_default():
        one = Graph.add(body, registry.get("Const"), (), {"value": np.array(1, np.int32), "dtype": dtypes.int32})
        with body.name_scope_for("add"):
            count = Graph.add(body, registry.get("AddV2"), (counter, one), {})
        body.outputs = [count, limit, *body.outputs]
    return body, cond
