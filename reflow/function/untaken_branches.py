"""Gradients of control flow that runs as Python: zero, not None, for inputs of a branch that was not taken.

A graph's `If` has a gradient for every input that some branch uses. When a function is replayed op by op (under several
tapes), only the chosen branch leaves records. So one more record, whose gradient is zero, connects the result to the
other inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reflow.core.context import state
from reflow.core.tensor import EagerTensor, Tensor
from reflow.core.types import Attrs
from reflow.function.branch_gradients import zero_cotangent
from reflow.function.gradients import carries_cotangent, records_of
from reflow.graph.clone import graphs_in
from reflow.graph.derived import derived
from reflow.graph.func_graph import FuncGraph
from reflow.graph.graph import Node
from reflow.ops.protocols import Cotangents, Tensors, Wanted
from reflow.ops.reverse import live_ids


class _ZeroGradient:
    """The record: its first input is the result; the gradients of the others are zero."""

    differentiable = True
    stateful = False
    nondiff_indices: frozenset = frozenset()
    name = "Identity"

    def grad_tensors(
        self, attrs: Attrs, inputs: Tensors, outputs: Tensors, cotangents: Cotangents, wanted: Wanted
    ) -> Cotangents:
        others = zip(inputs[1:], wanted[1:], strict=True)
        return [cotangents[0], *[self.connect(zero_cotangent(x), [x]) if w else None for x, w in others]]

    def connect(self, out: EagerTensor, others: Iterable[Tensor]) -> EagerTensor:
        """The same value with an added dependency on other tensors; the gradient there is zero, to every order."""
        given, out = (out, *others), EagerTensor(out._value, out._dtype)
        tapes: tuple = state.tapes
        for tape in tapes:
            tape.record(self, given, (out,), {})
        return out


ZERO_GRADIENT = _ZeroGradient()


def connect_untaken(node: Node, inputs: Sequence[Tensor], outputs: list[EagerTensor]) -> list[EagerTensor]:
    """The outputs of a branch or loop that was replayed on `inputs`, connected to all inputs for which the node has a
    gradient."""
    tapes: tuple = state.tapes
    watched = [any(x._id in tape.watched for tape in tapes) for x in inputs]
    if not any(watched):
        return outputs
    results = []
    for position, out in enumerate(outputs):
        others = [x for x, w, r in zip(inputs, watched, _reaching(node, position), strict=True) if w and r]
        results.append(ZERO_GRADIENT.connect(out, others) if others else out)
    return results


def _reaching(node: Node, position: int) -> list:
    """For each input of a node, whether this output has a gradient with respect to it."""
    graphs = graphs_in(node.attrs)
    offset = len(node.inputs) - len(graphs[0].inputs)
    if not carries_cotangent(node.outputs[position]):
        return [False] * len(node.inputs)
    if node.record.flow == "loop":  # loop variables have a gradient even if the loop runs zero times
        return [t._dtype.kind in "fc" or t._dtype.name == "resource" for t in node.inputs]
    return [i >= offset and any(position in _reached(g, i - offset) for g in graphs) for i in range(len(node.inputs))]


@derived
def _reached(graph: FuncGraph, position: int) -> frozenset[int]:
    """The outputs of a graph that depend differentiably on an input."""
    records = [r for r in records_of(graph) if r[0].differentiable]
    live = live_ids(records, [graph.inputs[position]])
    return frozenset(i for i, t in enumerate(graph.outputs) if t._id in live)
