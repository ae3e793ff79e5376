"""Gradients of function calls and branches: two graphs, *forward with intermediates* and *backward*.

The reverse pass over the forward graph's nodes builds the backward graph. The forward tensors that it uses become its
captures, and these are the intermediates that the forward graph must return. A call node in a graph is rewritten to the
extended forward; an eager call runs the extended forward when a tape is watching.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from reflow.core import nest
from reflow.core.context import state
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.resources import lasting
from reflow.core.tensor import Tensor
from reflow.core.types import Attrs, Dims
from reflow.graph.clone import clone
from reflow.graph.derived import derived
from reflow.graph.func_graph import FuncGraph
from reflow.graph.graph import Graph, Node, SymbolicTensor
from reflow.ops import registry
from reflow.ops.dispatch import dispatch
from reflow.ops.kernels.control.flow import CALLS
from reflow.ops.protocols import Cotangent, Cotangents
from reflow.ops.reverse import dense, reverse


def records_of(graph: Graph) -> list:
    """A graph's nodes as records for the reverse pass."""
    return [(n.record, n.inputs, tuple(n.outputs), n.attrs) for n in graph.nodes]


#: the origin of a tensor that a backward graph uses: ("input", i), ("output", j) or ("outside", tensor)
Source: TypeAlias = tuple[str, Any]


class CallGradient:
    """The derivative of a FuncGraph with respect to some inputs, given cotangents of some outputs.

    `forward` returns the original outputs, then the intermediates. `backward` takes the cotangents, then `sources`:
    each further input is ("input", i) of the function, ("output", j) of `forward`, or ("outside", tensor) for a tensor
    that a user-defined gradient takes from elsewhere. `structure` has one entry per wanted input: None, a placeholder,
    or an IndexedSlices of placeholders.
    """

    def __init__(self, graph: FuncGraph, given: Sequence[bool], wanted: Sequence[bool]) -> None:
        self.given, self.wanted = given, wanted
        self.forward = clone(graph, "forward_" + graph.name)
        self.backward = FuncGraph("backward_" + graph.name, self.forward)
        self.backward.finished_outside = True
        self.structure = self._build_backward()
        self.sources = self._collect_intermediates()

    def _build_backward(self) -> list[Cotangent]:
        forward, backward = self.forward, self.backward
        with backward.as_default():
            targets = [t for t, g in zip(forward.outputs, self.given, strict=True) if g]
            seeds = [backward.add_input(*cotangent_type(t), "cotangent", _list_facts(t)) for t in targets]
            sources = [t for t, w in zip(forward.inputs, self.wanted, strict=True) if w]
            grads = reverse(records_of(forward), targets, seeds, sources)
            grads = [None if g is None else _local(backward, g) for g in grads]
            backward.set_outputs(grads)
        return grads

    def _collect_intermediates(self) -> list[Source]:
        inputs = {t._id: i for i, t in enumerate(self.forward.inputs)}
        inputs |= {k: inputs[inner._id] for k, (_, inner) in self.forward.captured.items()}
        outputs = {t._id: i for i, t in enumerate(self.forward.outputs)}
        intermediates: list[Any] = []
        sources: list[Source] = []
        for outer, _ in self.backward.captured.values():
            if outer._id in inputs:
                sources.append(("input", inputs[outer._id]))
                continue
            if getattr(outer, "_graph", None) is not self.forward:
                sources.append(("outside", outer))
                continue
            if outer._id not in outputs:
                outputs[outer._id] = len(self.forward.outputs) + len(intermediates)
                intermediates.append(outer)
            sources.append(("output", outputs[outer._id]))
        self.forward.outputs = [*self.forward.outputs, *intermediates]
        return sources

    def backward_inputs(
        self, cotangents: Sequence[Tensor], inputs: Sequence[Tensor], outputs: Sequence[Tensor],
        outside: Sequence[Tensor] | None = None,
    ) -> list[Tensor]:
        """Arguments of `backward`: given cotangents, then what it captured of the forward call's inputs, results."""
        further = iter(self.outside if outside is None else outside)
        places = {"input": inputs, "output": outputs}
        return [*cotangents, *[next(further) if kind == "outside" else places[kind][i] for kind, i in self.sources]]

    @property
    def outside(self) -> list:
        """The tensors that only a user-defined gradient uses."""
        return [t for kind, t in self.sources if kind == "outside"]

    def pack(self, flat: Sequence[Tensor]) -> list[Cotangent]:
        """Flat backward outputs as one entry (tensor, IndexedSlices or None) per input of the function."""
        grads = iter(nest.pack_sequence_as([g for g in self.structure if g is not None], flat, expand_composites=True))
        wanted = iter(next(grads) if g is not None else None for g in self.structure)
        return [next(wanted) if w else None for w in self.wanted]


class NodeGradient:
    """The user-defined gradient of one node, as a graph: its arguments are `given` cotangents and `captured` tensors of
    the node's graph.
    """

    def __init__(self, node: Node, cotangents: Cotangents, wanted: Sequence[bool]) -> None:
        self.graph = FuncGraph("gradient_of_" + node.name, node.graph)
        self.graph.finished_outside = True
        cotangents = [c if c is None else dense(c) for c in cotangents]
        self.given = [c for c in cotangents if c is not None]
        with self.graph.as_default():
            seeds = [c if c is None else self.graph.add_input(c.dtype, c.shape._dims, "cotangent") for c in cotangents]
            function = node.attrs["_gradient_function"]
            grads = function(node.attrs, node.inputs, node.outputs, seeds, wanted)
            self.structure = [None if g is None else _local(self.graph, g) for g in grads]
            self.graph.set_outputs(self.structure)
        self.captured = self.graph.external_captures

    def pack(self, flat: Sequence[Tensor]) -> list[Cotangent]:
        """Flat outputs of the graph as one gradient, or None, per input of the node."""
        found = [g for g in self.structure if g is not None]
        grads = iter(nest.pack_sequence_as(found, flat, expand_composites=True))
        return [None if g is None else next(grads) for g in self.structure]


def cotangent_type(tensor: Any) -> tuple[Any, Dims | None]:
    """Dtype and shape of a tensor's cotangent; for a handle, those of the variable's value."""
    if tensor._dtype.name == "resource":
        return tensor._static.dtype, tensor._static.dims
    return tensor._dtype, tensor._dims


def carries_cotangent(tensor: Any) -> bool:
    """Whether an output of a function can have a cotangent: floats, and lists of floats (a returned `TensorArray`)."""
    if tensor._dtype.name == "variant":
        return tensor._static is not None and tensor._static.differentiable
    return tensor._dtype.kind in "fc"


def _list_facts(tensor: Any) -> Any:
    """The facts about a tensor list; its cotangent is the same kind of list."""
    return lasting(tensor._static) if tensor._dtype.name == "variant" else None


def _local(graph: FuncGraph, grad: Cotangent) -> Cotangent:
    """A gradient whose tensors belong to `graph`."""

    def own(t: Tensor) -> SymbolicTensor:
        return t if isinstance(t, SymbolicTensor) and t._graph is graph else graph.capture(t)

    if isinstance(grad, IndexedSlices):
        shape = grad.dense_shape
        return IndexedSlices(own(grad.values), own(grad.indices), None if shape is None else own(shape))
    return own(grad)


@derived
def call_gradient(graph: FuncGraph, given: tuple[bool, ...], wanted: tuple[bool, ...]) -> CallGradient:
    """The derivative of a function graph."""
    return CallGradient(graph, given, wanted)


def extend_outputs(node: Node, tensors_of: Sequence[SymbolicTensor]) -> None:
    """Add outputs to a graph node, one for each new tensor of its (already extended) function."""
    first = len(node.outputs)
    further = [
        SymbolicTensor(node, i, node.graph, t._dtype, t._dims, _list_facts(t))
        for i, t in enumerate(tensors_of[first:], first)
    ]
    node.rewrite(outputs=node.outputs + further)
    for tape in state.tapes:
        tape.extend_record(tuple(node.outputs))


def call_node_gradient(
    attrs: Attrs, inputs: Sequence[Tensor], outputs: Sequence[Any], cotangents: Cotangents, wanted: Sequence[bool]
) -> Cotangents:
    """The gradient of a `PartitionedCall` node: rewrite it to return intermediates, and call the backward graph."""
    node = outputs[0].op
    given = [c is not None for c in cotangents] + [False] * (len(node.outputs) - len(outputs))
    gradient = call_gradient(node.attrs["f"], tuple(given), tuple(wanted))
    types = [t._dtype for t in gradient.forward.outputs]
    node.rewrite(attrs={**node.attrs, "f": gradient.forward, "Tout": types, "output_shapes": None})
    extend_outputs(node, gradient.forward.outputs)
    cts = [dense(c) for c in cotangents if c is not None]
    args = gradient.backward_inputs(cts, inputs, node.outputs)
    flat = call_graph(gradient.backward, args)
    return gradient.pack(flat)


def is_stateful(graph: FuncGraph) -> bool:
    """Whether running the graph has effects or reads state."""
    return any(n.record.stateful for n in graph.nodes)


def call_graph(graph: FuncGraph, args: Sequence[Tensor]) -> list[Any]:
    """Add (or run) a call of `graph` on tensors; returns the list of outputs."""
    attrs = {"f": graph, "Tin": [t._dtype for t in args], "Tout": [t._dtype for t in graph.outputs]}
    if not graph.control_captures or state.graph is None:
        return dispatch(CALLS[is_stateful(graph)], args, attrs)
    with state.graph.control_dependencies(graph.control_captures):
        return dispatch(CALLS[is_stateful(graph)], args, attrs)


registry.extend(*CALLS, grad_tensors=call_node_gradient)
