"""Gradients of `If` and `Case`: the taken branch returns its intermediates, and another `If` runs its backward graph.

Each branch gets a `CallGradient`. Its intermediates become extra outputs of the branch; the other branches return a
`FakeParam` in their place, which is never read. The backward node uses the same predicate.

If the gradient of an input is `IndexedSlices` in some branches and dense in none, it stays sparse (`SparseForm`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any

from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.shapes import is_fully_known
from reflow.core.tensor import Tensor
from reflow.core.types import Attrs
from reflow.function.gradients import CallGradient, extend_outputs, is_stateful
from reflow.graph.clone import copy_nodes
from reflow.graph.func_graph import PLACEHOLDER, FuncGraph, input_like, static_of
from reflow.graph.graph import Graph, Node, SymbolicTensor
from reflow.ops import registry
from reflow.ops.convert import constant
from reflow.ops.dispatch import dispatch, run
from reflow.ops.kernels.control.flow import CASES, IFS
from reflow.ops.protocols import Cotangents, TensorGradient
from reflow.ops.registry import Op
from reflow.ops.reverse import dense


def zero_cotangent(tensor: Any) -> Any:
    """A zero for an input without a gradient; for a variable's handle, a zero of the variable's shape."""
    if tensor._dtype.name == "resource":
        facts = static_of(tensor)
        tensor = run("ReadVariableOp", tensor, dtype=facts.dtype, _handle_shape=facts.dims)
    return run("ZerosLike", tensor)


class SparseForm:
    """How the gradient of an input is represented as slices in all branches.

    `kind` is the type of the indices. `dims` is the shape of the values, if known: a branch with fewer slices adds
    zeros for row 0, so that all branches return the same shapes, as a compiled branch must.
    """

    def __init__(self, grads: Sequence[Any]) -> None:
        found = [g for g in grads if g is not None]
        types = {g.indices._dtype for g in found}
        self.kind = types.pop() if len(types) == 1 else dtypes.int64
        known = [g.values._dims for g in found]
        self.dims = (
            max(known, key=lambda dims: dims[0]) if all(is_fully_known(dims) and dims for dims in known) else None
        )

    @staticmethod
    def of(grads: Sequence[Any]) -> SparseForm | None:
        """The form for the gradients of several branches; None unless some are slices and none is dense."""
        sparse = [isinstance(g, IndexedSlices) for g in grads]
        return (
            SparseForm(grads) if any(sparse) and all(s or g is None for s, g in zip(sparse, grads, strict=True))
            else None
        )

    def slices(self, tensor: Any, grad: Any) -> list[Any]:
        """The values and the rows of a branch's gradient."""
        if grad is None:
            return self._nothing(tensor)
        values, rows = grad.values, grad.indices
        rows = rows if rows._dtype is self.kind else run("Cast", rows, DstT=self.kind)
        if self.dims is not None and values._dims[0] < self.dims[0]:
            missing = self.dims[0] - values._dims[0]
            values = run("Pad", values, constant([[0, missing], *[[0, 0]] * (len(self.dims) - 1)]))
            rows = run("Pad", rows, constant([[0, missing]]))
        return [values, rows]

    def _nothing(self, tensor: Any) -> list[Any]:
        if self.dims is not None:
            dtype = tensor._static.dtype if tensor._dtype.name == "resource" else tensor._dtype
            rows = run("Fill", constant(list(self.dims[:1])), constant(0, self.kind))
            return [run("Fill", constant(list(self.dims)), constant(0, dtype)), rows]
        first = constant([0])
        none = run("StridedSlice", zero_cotangent(tensor), first, first, constant([1]))
        return [none, run("Fill", first, constant(0, self.kind))]


def _dense_shape(tensor: Any) -> Any:
    """The shape of the tensor, or of the variable behind a handle, that the slices belong to."""
    if tensor._dtype.name != "resource":
        return run("Shape", tensor, out_type=dtypes.int32)
    facts = static_of(tensor)
    if is_fully_known(facts.dims):
        return constant(list(facts.dims), dtypes.int32)
    return run("VariableShape", tensor, out_type=dtypes.int32)


def inline(graph: FuncGraph, args: Iterable[Any]) -> list[Any]:
    """Copy the nodes of `graph` into the graph under construction, on the given tensors; returns its outputs there."""
    tensors = {t._id: a for t, a in zip(graph.inputs, args, strict=True)}
    copy_nodes([n for n in graph.nodes if n.record is not PLACEHOLDER], state.graph, tensors)
    return [tensors[t._id] for t in graph.outputs]


def _absent(graph: FuncGraph, tensor: SymbolicTensor) -> SymbolicTensor:
    """An output that this branch does not have."""
    with graph.as_default():
        return Graph.add(graph, registry.get("FakeParam"), (), {"dtype": tensor._dtype, "shape": tensor._dims})


class BranchGradients:
    """The gradients of all branches of one node, made compatible."""

    def __init__(self, node: Node, graphs: Sequence[FuncGraph], cotangents: Cotangents, wanted: Sequence[bool]) -> None:
        self.node, self.wanted = node, wanted
        given = [c is not None for c in cotangents] + [False] * (len(node.outputs) - len(cotangents))
        self.count = sum(given)
        self.plain = len(node.outputs)
        self.gradients = [CallGradient(g, given, wanted) for g in graphs]
        self.outside = [t for g in self.gradients for t in g.outside]
        self.starts: list = []
        self.sparse: list[SparseForm | None] = []  # for each wanted input, the sparse form of its gradient

    def forward_graphs(self) -> list:
        """The branches, extended by all intermediates: their own, and placeholders for those of the others."""
        extras = [g.forward.outputs[self.plain :] for g in self.gradients]
        at = self.plain
        for extra in extras:
            self.starts.append(at)
            at += len(extra)
        for n, gradient in enumerate(self.gradients):
            forward = gradient.forward
            outputs = forward.outputs[: self.plain]
            for m, extra in enumerate(extras):
                outputs += extra if m == n else [_absent(forward, t) for t in extra]
            forward.outputs = outputs
        extend_outputs(self.node, [*self.node.outputs, *[t for extra in extras for t in extra]])
        return [g.forward for g in self.gradients]

    def backward_graphs(self) -> list:
        """One backward graph per branch; all take cotangents, the node's inputs, its outputs and what is `outside`."""
        ends = list(accumulate(len(g.outside) for g in self.gradients))
        places = [slice(end - len(g.outside), end) for g, end in zip(self.gradients, ends, strict=True)]
        built = [self._backward(*parts) for parts in zip(self.gradients, self.starts, places, strict=True)]
        self.sparse = [SparseForm.of(row) for row in zip(*[[g for _, g in grads] for _, grads in built], strict=True)]
        for graph, grads in built:
            with graph.as_default():
                outputs: list = []
                for (tensor, grad), form in zip(grads, self.sparse, strict=True):
                    if form is not None:
                        outputs += form.slices(tensor, grad)
                    else:
                        outputs.append(zero_cotangent(tensor) if grad is None else dense(grad))
                graph.set_outputs(outputs)
        return [graph for graph, _ in built]

    def packed(self, tensors: Iterable[Any], inputs: Sequence[Any]) -> list[Any]:
        """The gradients of the wanted inputs, assembled from the outputs of the backward node."""
        flat = iter(tensors)
        return [
            next(flat) if form is None else IndexedSlices(next(flat), next(flat), _dense_shape(t))
            for t, form in zip(inputs, self.sparse, strict=True)
        ]

    def _backward(self, gradient: CallGradient, start: int, place: slice) -> tuple[FuncGraph, list[tuple[Any, Any]]]:
        """A backward graph without outputs; the wanted inputs and their gradients."""
        graph = FuncGraph("branch_grad", state.graph)
        with graph.as_default():
            cts = [input_like(graph, t, "cotangent") for t in gradient.backward.inputs[: self.count]]
            ins = [input_like(graph, t) for t in list(self.node.inputs)[1:]]
            outs = [input_like(graph, t, "output", None) for t in self.node.outputs]
            outside = [input_like(graph, t) for t in self.outside]
            own = outs[: self.plain] + outs[start:]
            args = gradient.backward_inputs(cts, ins, own, outside[place])
            grads = gradient.pack(inline(gradient.backward, args))
        return graph, [(t, g) for t, g, w in zip(ins, grads, self.wanted, strict=True) if w]


def _gradient(records: Sequence[Op], pack: Callable[[list[FuncGraph]], Attrs]) -> TensorGradient:
    """The gradient of a branching op, given its stateless and its stateful form.

    `pack` puts a list of graphs into attributes.
    """

    def gradient(
        attrs: Attrs, inputs: Sequence[Tensor], outputs: Sequence[Any], cotangents: Cotangents, wanted: Sequence[bool]
    ) -> Cotangents:
        node = outputs[0].op
        graphs = (
            [node.attrs[k] for k in ("then_branch", "else_branch")]
            if "then_branch" in node.attrs
            else node.attrs["branches"]
        )
        branches = BranchGradients(node, graphs, cotangents, wanted[1:])
        forwards = branches.forward_graphs()
        types = [t._dtype for t in node.outputs]
        node.rewrite(attrs={**node.attrs, **pack(forwards), "Tout": types, "output_shapes": None})
        backwards = branches.backward_graphs()
        args = [inputs[0], *[dense(c) for c in cotangents if c is not None], *inputs[1:], *node.outputs]
        args += branches.outside
        found = dispatch(
            records[any(map(is_stateful, backwards))],
            args,
            {
                **pack(backwards),
                "Tin": [t._dtype for t in args[1:]],
                "Tout": [t._dtype for t in backwards[0].outputs],
            },
        )
        grads = iter(branches.packed(found, [t for t, w in zip(inputs[1:], wanted[1:], strict=True) if w]))
        return [None] + [next(grads) if w else None for w in wanted[1:]]

    return gradient


registry.extend(*IFS, grad_tensors=_gradient(IFS, lambda graphs: {"then_branch": graphs[0], "else_branch": graphs[1]}))
registry.extend(*CASES, grad_tensors=_gradient(CASES, lambda graphs: {"branches": list(graphs)}))
