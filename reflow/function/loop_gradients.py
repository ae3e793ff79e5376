"""The gradient of `While`: another `While` that runs the body's backward graph as many times, over the saved
intermediates.

The forward loop is extended by a counter and by one tensor list for each intermediate that the backward body needs: the
body pushes, the backward body pops. Loop-invariant values are passed directly instead. Cotangents are the backward
loop's variables; that of a loop-invariant value (a weight) accumulates the contributions of all iterations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from reflow.core import dtypes
from reflow.core.context import state, swapped
from reflow.core.resources import ListFacts, lasting
from reflow.core.tensor import Tensor
from reflow.core.types import Attrs, Dims
from reflow.function.branch_gradients import inline, zero_cotangent
from reflow.function.gradients import CallGradient, extend_outputs, is_stateful, records_of
from reflow.graph.clone import clone, copy_nodes
from reflow.graph.func_graph import PLACEHOLDER, FuncGraph, input_like
from reflow.graph.graph import Node, SymbolicTensor
from reflow.ops import registry
from reflow.ops.convert import constant
from reflow.ops.dispatch import dispatch, run
from reflow.ops.kernels.control.flow import LOOPS
from reflow.ops.protocols import Cotangent, Cotangents
from reflow.ops.reverse import dense, live_ids


def _element_shape(dims: Dims | None) -> Tensor:
    """An element shape as an operand: -1 for unknown."""
    return constant(-1) if dims is None else constant([-1 if d is None else d for d in dims], dtypes.int32)


class before(swapped):
    """Insert the nodes created in the `with` block before a node of a graph."""

    def __init__(self, node: Node) -> None:
        super().__init__(graph=node.graph, tapes=())
        self._node, self._count = node, len(node.graph.nodes)

    def _undo(self, entry: Any, late: bool) -> None:
        super()._undo(entry, late)
        self._node.graph.move_before(self._node, self._count)


class LoopGradient:
    """One `While` node with cotangents for some of its outputs."""

    def __init__(self, node: Node, cotangents: Cotangents, wanted: Sequence[bool]) -> None:
        self.node = node
        self.cond, self.body = node.attrs["cond"], node.attrs["body"]
        self.size = len(self.body.inputs)
        cotangents = list(cotangents) + [None] * (self.size - len(cotangents))
        self.flows = self._flowing(wanted)
        self.gradient = CallGradient(self.body, self.flows, self.flows)
        self.cotangents = [self._zero(i) if c is None else dense(c) for i, c in enumerate(cotangents) if self.flows[i]]

    def _zero(self, i: int) -> Tensor:
        """A zero cotangent, for an output without one."""
        ends = self.node.inputs if self.body.inputs[i]._dtype.name == "resource" else self.node.outputs
        return zero_cotangent(ends[i])

    def _flowing(self, wanted: Sequence[bool]) -> list[bool]:
        """Which loop variables carry cotangents: those whose gradient is wanted,
        and those that depend on them inside the loop."""
        can = [
            t._dtype.kind in "fc" or t._dtype.kind == "o" and self._differentiable(i)
            for i, t in enumerate(self.body.inputs)
        ]
        flows = [c and w for c, w in zip(can, [*wanted, *[False] * (self.size - len(wanted))], strict=True)]
        records = records_of(self.body)
        while True:
            live = live_ids(records, [t for t, f in zip(self.body.inputs, flows, strict=True) if f])
            more = [f or c and o._id in live for f, c, o in zip(flows, can, self.body.outputs, strict=True)]
            if more == flows:
                return flows
            flows = more

    def _differentiable(self, i: int) -> bool:
        """A handle carries a cotangent if it belongs to a variable; a variant, if it is a list of floats."""
        tensor = self.node.inputs[i]
        if tensor._dtype.name == "resource":
            return tensor._static is not None and tensor._static.dtype.kind in "fc"
        return tensor._static is not None and tensor._static.differentiable

    # --- forward

    def extend_forward(self) -> tuple[SymbolicTensor, list[SymbolicTensor]]:
        """Rewrite the node to count iterations and save intermediates.

        Returns the count and the lists, as outputs of the node.
        """
        body = clone(self.gradient.forward)
        self.unchanged = {i for i in range(self.size) if self.body.outputs[i]._id == self.body.inputs[i]._id}
        self.fixed = self._fixed_sources()
        self.kept = [n for n in range(len(self.gradient.sources)) if n not in self.fixed]
        tensors = [self._source(body, n) for n in self.kept]
        body.outputs = body.outputs[: self.size]
        cond = clone(self.cond)
        with before(self.node):
            start = [constant(0), *[self._empty_list(t) for t in tensors]]
        self._add_variables(body, cond, start, tensors)
        node = self.node
        inputs: tuple[Any, ...] = (*node.inputs, *start)
        types = [t._dtype for t in inputs]
        node.rewrite(inputs, {**node.attrs, "cond": cond, "body": body, "T": types, "output_shapes": None})
        first = len(node.outputs)
        extend_outputs(node, body.outputs)
        return node.outputs[first], node.outputs[first + 1 :]

    def _source(self, body: FuncGraph, n: int) -> SymbolicTensor:
        kind, i = self.gradient.sources[n]
        return body.inputs[i] if kind == "input" else body.outputs[i]

    def _fixed_sources(self) -> dict:
        """Loop-invariant sources of the backward body, as tensors outside the loop: nothing is saved for them.

        Those are unchanged loop variables, and what is computed only from them: above all the read of a weight.
        """
        graph = self.gradient.forward
        outside: dict[int, Any] = {graph.inputs[i]._id: self.node.inputs[i] for i in self.unchanged}
        fixed = {}
        for n, (kind, source) in enumerate(self.gradient.sources):
            if kind == "outside":
                fixed[n] = source
                continue
            nodes: list = []
            tensor = self._source(graph, n)
            if _collect_fixed(tensor, outside, _written_handles(graph), nodes):
                with before(self.node):
                    copy_nodes(nodes, self.node.graph, outside)
                _tell_tapes([outside[n.outputs[0]._id].op for n in nodes])
                fixed[n] = outside[tensor._id]
        return fixed

    @staticmethod
    def _empty_list(tensor: SymbolicTensor) -> SymbolicTensor:
        made = run("EmptyTensorList", _element_shape(tensor._dims), constant(-1), element_dtype=tensor._dtype)
        if tensor._dtype.name == "variant":  # lists of an inner loop
            made._static = ListFacts(tensor._dtype, lasting(tensor._static))
        return made

    @staticmethod
    def _add_variables(
        body: FuncGraph, cond: FuncGraph, start: Sequence[Tensor], tensors: Sequence[SymbolicTensor]
    ) -> None:
        """Append loop variables: the counter, then one list per saved tensor."""
        for graph in (body, cond):
            graph.captured = {}
        with body.as_default():
            counter = input_like(body, start[0], "iterations", ())
            lists = [input_like(body, s, "kept") for s in start[1:]]
            next_count: Any = counter + 1
            longer = [
                run("TensorListPushBack", held, tensor, element_dtype=tensor._dtype)
                for held, tensor in zip(lists, tensors, strict=True)
            ]
            body.outputs = [*body.outputs, next_count, *longer]
        with cond.as_default():
            for s in start:
                input_like(cond, s, "unused", ())

    # --- backward

    def build(self) -> list[Cotangent]:
        """The cotangents of the node's inputs."""
        count, lists = self.extend_forward()
        handed = list(self.fixed)
        invariants = list(self.fixed.values())
        start = [constant(0), count, *self.cotangents, *lists, *invariants]
        body = self._backward_body(start, lists, handed)
        cond = FuncGraph("while_grad_cond", state.graph)
        with cond.as_default():
            inputs = [input_like(cond, t, dims=None if t._dtype.kind != "o" else ()) for t in start]
            cond.set_outputs(run("Less", inputs[0], inputs[1]))
        out = dispatch(
            LOOPS[is_stateful(body)],
            start,
            {
                "cond": cond,
                "body": body,
                "T": [t._dtype for t in start],
                "output_shapes": [t.shape._dims for t in start],
            },
        )
        flat = iter(out[2 : 2 + len(self.cotangents)])
        return [next(flat) if f else None for f in self.flows]

    def _backward_body(self, start: Sequence[Tensor], lists: Sequence[Tensor], handed: list[int]) -> FuncGraph:
        graph = FuncGraph("while_grad_body", state.graph)
        n = len(self.cotangents)
        with graph.as_default():
            inputs = [input_like(graph, t) for t in start]
            step, total, cts = inputs[0], inputs[1], inputs[2 : 2 + n]
            held, passed = inputs[2 + n : 2 + n + len(lists)], inputs[2 + n + len(lists) :]
            rest, values = [], {}
            for k, source in zip(held, self.kept, strict=True):
                tensor = self._source(self.gradient.forward, source)
                shorter, value = run("TensorListPopBack", k, _element_shape(tensor._dims), element_dtype=tensor._dtype)
                rest.append(shorter)
                values[source] = value
            values.update(zip(handed, passed, strict=True))
            args = [*cts, *[values[s] for s in range(len(self.gradient.sources))]]
            grads = self.gradient.pack(inline(self.gradient.backward, args))
            grads = [g for g, f in zip(grads, self.flows, strict=True) if f]
            grads = [run("ZerosLike", c) if g is None else dense(g) for g, c in zip(grads, cts, strict=True)]
            graph.set_outputs([step + 1, total, *grads, *rest, *passed])
        return graph


def _tell_tapes(nodes: Iterable[Node]) -> None:
    """Report copied nodes to the tapes, because they were not dispatched: a tape may differentiate this gradient.

    A tape identifies what the graph captured (a variable's handle) by the outer tensor.
    """
    for node in nodes:
        outside = {inner._id: outer for outer, inner in getattr(node.graph, "captures", ())}
        inputs = tuple(outside.get(t._id, t) for t in node.inputs)
        for tape in state.tapes:
            tape.record(node.record, inputs, tuple(node.outputs), node.attrs)


def _written_handles(graph: FuncGraph) -> set:
    """Ids of the handles that a node may write."""
    return {t._id for n in graph.nodes for t in n.inputs if t._dtype.name == "resource" and not n.record.only_reads}


def _collect_fixed(tensor: SymbolicTensor, outside: dict[int, Tensor], written: set[int], nodes: list[Node]) -> bool:
    """Whether a tensor of the body is loop-invariant; `nodes` collects what must be computed outside, in order."""
    if tensor._id in outside:
        return True
    node = tensor.op
    if node in nodes:
        return True
    if node.record is PLACEHOLDER or node.record.must_run:
        return False
    if node.record.only_reads and any(t._id in written for t in node.inputs):
        return False
    if not all(_collect_fixed(t, outside, written, nodes) for t in node.inputs):
        return False
    nodes.append(node)
    return True


def while_gradient(
    attrs: Attrs, inputs: Sequence[Tensor], outputs: Sequence[Any], cotangents: Cotangents, wanted: Sequence[bool]
) -> Cotangents:
    node = outputs[0].op
    given = [cotangents[i] if i < len(cotangents) else None for i in range(len(node.outputs))]
    grads = LoopGradient(node, given, wanted).build()
    return [g if w else None for g, w in zip(grads, [*wanted, *[False] * (len(grads) - len(wanted))], strict=True)][
        : len(inputs)
    ]


registry.extend(*LOOPS, grad_tensors=while_gradient)
