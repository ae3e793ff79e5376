"""A traced function for all rows of its arguments at once: what `tf.vectorized_map` and Jacobians stand on.

What a row's graph computes from things without rows is computed once, outside; a stateful random op draws for all rows
in one call. The rest becomes one `Reflow>VMap`. Its gradient is the map of the graph's own gradient, summed over the
rows for what has none; it computes the forward values again, which XLA finds to be the same and does once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.tensor import Tensor
from reflow.core.types import Attrs, Dims
from reflow.function.branch_gradients import inline
from reflow.function.control_flow import while_loop
from reflow.function.gradients import CallGradient
from reflow.graph.clone import copy_nodes, draws, graphs_in
from reflow.graph.derived import derived
from reflow.graph.func_graph import PLACEHOLDER, FuncGraph, input_like
from reflow.graph.graph import Node, SymbolicTensor
from reflow.ops import registry
from reflow.ops.convert import constant
from reflow.ops.dispatch import dispatch
from reflow.ops.kernels.array.shaping import const
from reflow.ops.protocols import Cotangents
from reflow.ops.reverse import dense
from reflow.runtime import batched as runtime


def _call(name: str, inputs: Sequence[Tensor], **attrs: Any) -> Any:
    return dispatch(registry.get(name), inputs, attrs)


class Vectorized:
    """A row's graph, split into what is done once and what is done for each row."""

    def __init__(self, graph: FuncGraph) -> None:
        self.graph = graph
        self.own = {t._id for t in graph.arguments}
        self.inside: list = []
        self.outside: list = []
        self.draws: set = set()
        depends = set(self.own)
        for node in graph.nodes:
            if node.record is PLACEHOLDER:
                continue
            random = node.record.hidden_counter
            if (
                any(t._id in depends for t in node.inputs)
                or random
                and node.record.definition.inputs[0].name != "shape"
            ):
                self.inside.append(node)
            else:
                self.outside.append(node)
                if not random:
                    continue
                self.draws.add(node)
            depends.update(t._id for t in node.outputs)

    def obstacles(self) -> list:
        """The nodes that cannot run for all rows at once: those with effects, or random numbers that depend on the row."""
        return [n for n in self.inside if n.record.must_run or any(map(_has_effects, graphs_in(n.attrs)))]

    def run(self, arguments: Sequence[Tensor], shared: Sequence[Tensor], count: Tensor) -> list:
        """The outputs with rows: `arguments` have rows, `shared` are the values of the captures, `count` is how many."""
        tapes: tuple = state.tapes
        for tape in tapes:  # they could not see what the row's graph reads
            for variable in self.graph.trainable_variables:
                tape.watch_variable(variable)
        tensors = {t._id: a for t, a in zip(self.graph.arguments, arguments, strict=True)}
        tensors.update({t._id: s for t, s in zip(self.graph.internal_captures, shared, strict=True)})
        having_rows = set(self.own)
        for node in self.outside:
            inputs = [tensors[t._id] for t in node.inputs]
            for t, out in zip(node.outputs, _again(node, inputs, count if node in self.draws else None), strict=True):
                tensors[t._id] = out
                if node in self.draws:
                    having_rows.add(t._id)
        if self.inside:
            self._map(tensors, having_rows)
        return [_with_rows(tensors[t._id], t._id in having_rows, count) for t in self.graph.outputs]

    def _map(self, tensors: dict[int, Tensor], having_rows: set[int]) -> None:
        """Dispatch the `VMap` of the inner nodes; their outputs that somebody needs join `tensors`."""
        made = {t._id for n in self.inside for t in n.outputs}
        wanted = [t for t in {t._id: t for t in self.graph.outputs}.values() if t._id in made]
        if not wanted:
            return
        constants = {t._id: n for n in self.outside if n.record is const for t in n.outputs}
        used = {t._id: t for n in self.inside for t in n.inputs if t._id not in made}.values()
        body = FuncGraph("loop_body", state.graph)
        local: dict = {}
        copy_nodes([constants[t._id] for t in used if t._id in constants], body, local)
        outer = [t for t in used if t._id not in constants]
        for t in outer:
            local[t._id] = input_like(body, t)
        copy_nodes(self.inside, body, local)
        body.stand_ins = tensors | local  # for a user's gradient, which holds tensors of the row's graph
        body.outputs = [local[t._id] for t in wanted]
        flags = tuple(t._id in having_rows for t in outer)
        outs = apply(body, [tensors[t._id] for t in outer], flags)
        tensors.update({t._id: o for t, o in zip(wanted, outs, strict=True)})
        having_rows.update(made)


def _has_effects(graph: FuncGraph) -> bool:
    return draws(graph) or any(n.record.must_run or any(map(_has_effects, graphs_in(n.attrs))) for n in graph.nodes)


def apply(graph: FuncGraph, inputs: Sequence[Tensor], flags: Sequence[bool]) -> list:
    """Dispatch the map of a graph."""
    return list(
        dispatch(
            runtime.vmap,
            inputs,
            {
                "f": graph,
                "batched": tuple(flags),
                "Tin_values": [t._dtype for t in inputs],
                "Tout": [t._dtype for t in graph.outputs],
            },
        )
    )


def _again(node: Node, inputs: Sequence[Tensor], count: Tensor | None) -> list:
    """A node of the row's graph, run in the surrounding context; a random op for `count` rows."""
    attrs = dict(node.attrs)
    if count is not None:
        inputs = [_call("ConcatV2", (count, _call("Cast", (inputs[0],), DstT=dtypes.int32), constant(0))), *inputs[1:]]
        attrs["T"] = dtypes.int32
    attrs.pop("_counter", None)  # a new node gets a stream of its own
    out = dispatch(node.record, inputs, attrs)
    return [out] if node.record.single else list(out)


def _with_rows(tensor: Tensor, has_rows: bool, count: Tensor) -> Tensor:
    """A result that is the same for all rows, once for each."""
    if has_rows:
        return tensor
    shape = _call("Shape", (tensor,), out_type=dtypes.int32)
    return _call("BroadcastTo", (tensor, _call("ConcatV2", (count, shape, constant(0)))))


# --- gradient


@derived
def _combined(
    graph: FuncGraph, given: tuple[bool, ...], wanted: tuple[bool, ...]
) -> tuple[FuncGraph, list[bool], list]:
    """A graph from the inputs and the given cotangents of `graph` to the wanted gradients, which of them exist, and what else it takes."""
    gradient = CallGradient(graph, given, wanted)
    both = FuncGraph("loop_body_grad")
    with both.as_default():
        inputs = [input_like(both, t) for t in graph.inputs]
        seeds = [input_like(both, t, "cotangent") for t in gradient.backward.inputs[: sum(given)]]
        outside = [input_like(both, t) for t in gradient.outside]
        forward = inline(gradient.forward, inputs)
        flat = inline(gradient.backward, gradient.backward_inputs(seeds, inputs, forward, outside))
        grads = [None if g is None else dense(g) for g in gradient.pack(flat)]
        both.set_outputs([g for g in grads if g is not None])
    return both, [g is not None for g in grads], gradient.outside


def _gradient(attrs: Attrs, inputs: Sequence[Tensor], outputs: Sequence[Tensor], cotangents: Cotangents, wanted: Sequence[bool]) -> Cotangents:
    graph, flags = attrs["f"], attrs["batched"]
    given = tuple(c is not None for c in cotangents)
    wanted = tuple(
        w and (t._dtype.kind in "fc" or t._dtype.name == "resource") for w, t in zip(wanted, inputs, strict=True)
    )
    both, exist, outside = _combined(graph, given, wanted)
    seeds = [dense(c) for c in cotangents if c is not None]
    having_rows = [*flags, *[True] * len(seeds), *[False] * len(outside)]
    found = iter(apply(both, [*inputs, *seeds, *outside], having_rows) if any(exist) else ())
    return [_over_rows(next(found), flag) if e else None for e, flag in zip(exist, flags, strict=True)]


def _over_rows(gradient: Tensor, has_rows: bool) -> Tensor:
    return gradient if has_rows else _call("Sum", (gradient, constant(0)), keep_dims=False)


registry.extend(runtime.vmap, grad_tensors=_gradient)


# --- in TensorFlow's ops


def _as_loop(attrs: Attrs, inputs: Sequence[SymbolicTensor]) -> list:
    """The map as a loop over the rows: what a file that TensorFlow reads gets."""
    graph, flags = attrs["f"], attrs["batched"]
    first = next(t for t, flag in zip(inputs, flags, strict=True) if flag)
    count = _call("GatherV2", (_call("Shape", (first,), out_type=dtypes.int32), constant(0), constant(0)))
    rows = [
        _call("TensorListFromTensor", (t, _shape_of_row(t._dims)), element_dtype=t._dtype) if flag else t
        for t, flag in zip(inputs, flags, strict=True)
    ]
    start = [
        _call("TensorListReserve", (_shape_operand(t._dims), count), element_dtype=t._dtype) for t in graph.outputs
    ]

    def body(i: Tensor, *lists: Tensor) -> tuple[Tensor, ...]:
        here = [
            _call("TensorListGetItem", (r, i, _shape_of_row(t._dims)), element_dtype=t._dtype)
            if flag
            else state.graph.capture(r)
            for r, t, flag in zip(rows, inputs, flags, strict=True)
        ]
        results = inline(graph, here)
        written = [
            _call("TensorListSetItem", (held, i, x), element_dtype=x._dtype)
            for held, x in zip(lists, results, strict=True)
        ]
        return (i + 1, *written)

    _, *lists = while_loop(lambda i, *_: i < count, body, (constant(0), *start), maximum_iterations=count)
    return [
        _call("TensorListStack", (held, _shape_operand(t._dims)), element_dtype=t._dtype)
        for held, t in zip(lists, graph.outputs, strict=True)
    ]


def _shape_operand(dims: Dims | None) -> Tensor:
    return constant(-1) if dims is None else constant([-1 if d is None else d for d in dims], dtypes.int32)


def _shape_of_row(dims: Dims | None) -> Tensor:
    return _shape_operand(None if dims is None else dims[1:])


registry.extend(runtime.vmap, expand=_as_loop)
