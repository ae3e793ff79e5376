"""Runs a traced function for all rows of its arguments at once: the basis of `tf.vectorized_map` and Jacobians.

What a row's graph computes from unbatched values is computed once, outside. A stateful random op draws for all rows in
one call. An op whose record has a rule (`Op.rows`: a print, an assert) runs once on all rows. The rest becomes one
`Reflow>VMap`, or several if a value shared by all rows is needed in between. Its gradient is the map of the graph's own
gradient, summed over the rows for unbatched inputs. It recomputes the forward values, and XLA merges the duplicates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from reflow.core import dtypes, nest
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
from reflow.ops.dispatch import dispatch, run
from reflow.ops.kernels.array.shaping import const
from reflow.ops.protocols import Cotangents
from reflow.ops.reverse import dense
from reflow.runtime import batched as runtime


class Reduction:
    """A value that is computed from all rows and shared by them.

    The result of `pfor_config.reduce` in a row's graph.
    """

    def __init__(
        self, function: Callable[..., Any], inputs: Sequence[Tensor], outputs: Sequence[SymbolicTensor]
    ) -> None:
        self.function, self.inputs, self.outputs = function, inputs, outputs


class Vectorized:
    """A row's graph; each of its nodes runs once, or as part of a map over the rows."""

    def __init__(self, graph: FuncGraph, reductions: Sequence[Reduction] = ()) -> None:
        from reflow.function import row_rules  # noqa: F401 - extends records, whose kernels are loaded for it

        self.graph = graph
        self.reductions = {t.op: r for r in reductions for t in r.outputs}
        self.own = {t._id for t in graph.arguments}

    def obstacles(self) -> list:
        """The nodes that cannot run for all rows at once.

        Those with effects, or with random numbers that depend on the row.
        """
        depends = set(self.own)
        found = []
        for node in self.graph.nodes:
            if node in self.reductions or node.record is not PLACEHOLDER and self._differs(node, depends):
                depends.update(t._id for t in node.outputs)
                if node.record.rows is None and has_effects(node):
                    found.append(node)
            elif _is_draw(node):
                depends.update(t._id for t in node.outputs)
        return found

    @staticmethod
    def _differs(node: Node, depends: set[int]) -> bool:
        """Whether a node differs between rows; random draws whose shape no row decides are done for all at once."""
        return any(t._id in depends for t in node.inputs) or node.record.hidden_counter and not _is_draw(node)

    def run(self, arguments: Sequence[Tensor], shared: Sequence[Tensor], count: Tensor) -> list:
        """The outputs with rows: `arguments` have rows, `shared` are the values of the captures,
        `count` is the number of rows."""
        tapes: tuple = state.tapes
        for tape in tapes:  # they cannot see what the row's graph reads
            for variable in self.graph.trainable_variables:
                tape.watch_variable(variable)
        run = _Run(self.graph, self.reductions, count)
        run.put(self.graph.arguments, arguments, True)
        run.put(self.graph.internal_captures, shared, False)
        for node in self.graph.nodes:
            if node in self.reductions:
                run.reduce(self.reductions[node])
            elif node.record is PLACEHOLDER:
                continue
            elif not self._differs(node, run.depends):
                run.once(node)
            elif node.record.rows is not None:
                run.by_rule(node)
            else:
                run.wait(node)
        return run.results()


class _Run:
    """One run: the known tensors, which of them have rows, and the nodes waiting for the next map."""

    def __init__(self, graph: FuncGraph, reductions: dict[Node, Reduction], count: Tensor) -> None:
        self.graph, self.count = graph, count
        self.tensors: dict[int, Tensor] = {}
        self.having_rows: set[int] = set()
        self.depends: set[int] = set()  # what may have rows, computed or waiting
        self.waiting: list[Node] = []
        self.constants: dict[int, Node] = {}
        self.done: dict[Node, Node] = {}  # nodes of the row's graph, and the last node outside that replaces each
        self._kept = {t._id for t in graph.outputs} | {t._id for r in reductions.values() for t in r.inputs}

    def put(self, inner: Sequence[SymbolicTensor], outer: Sequence[Tensor], have_rows: bool) -> None:
        """Record the values of tensors of the row's graph."""
        self.tensors.update({t._id: o for t, o in zip(inner, outer, strict=True)})
        if have_rows:
            self.having_rows.update(t._id for t in inner)
            self.depends.update(t._id for t in inner)

    def once(self, node: Node) -> None:
        """Run a node that is the same for all rows, or that draws for all of them."""
        if node.record is const:
            self.constants[node.outputs[0]._id] = node
        inputs = [self.tensors[t._id] for t in node.inputs]
        with self._after([node]):
            self.put(node.outputs, _again(node, inputs, self.count if _is_draw(node) else None), _is_draw(node))
        self._note([node])

    def wait(self, node: Node) -> None:
        """Defer a node to the next map."""
        self.waiting.append(node)
        self.depends.update(t._id for t in node.outputs)

    def by_rule(self, node: Node) -> None:
        """Run a node once for all rows, by the rule of its record."""
        self.map_waiting()
        inputs = [self.tensors[t._id] for t in node.inputs]
        flags = [t._id in self.having_rows for t in node.inputs]
        rule = node.record.rows
        assert rule is not None  # `run` has checked this
        with self._after([node]):
            found, have_rows = rule(node, inputs, flags, self.count)
            self.put(node.outputs, found, have_rows)
        self._note([node])

    def _after(self, nodes: Sequence[Node]) -> AbstractContextManager:
        """In a graph: nodes added inside run after the replacements of these nodes' control inputs."""
        graph = state.graph
        waits = [self.done[other] for node in nodes for other in node.waits if other in self.done]
        return graph.control_dependencies(waits) if waits and graph is not None else nullcontext()

    def _note(self, nodes: Sequence[Node]) -> None:
        if state.graph is not None:
            self.done.update(dict.fromkeys(nodes, state.graph.nodes[-1]))

    def reduce(self, reduction: Reduction) -> None:
        """Compute a shared value from all rows."""
        if reduction.outputs[0]._id in self.tensors:
            return
        self.map_waiting()
        rows = [_with_rows(self.tensors[t._id], t._id in self.having_rows, self.count) for t in reduction.inputs]
        self.put(reduction.outputs, nest.flatten(reduction.function(*rows)), False)

    def results(self) -> list:
        """The outputs of the graph, with rows."""
        self.map_waiting()
        return [_with_rows(self.tensors[t._id], t._id in self.having_rows, self.count) for t in self.graph.outputs]

    def map_waiting(self) -> None:
        """Dispatch the `VMap` of the waiting nodes; their outputs that are used elsewhere become known."""
        nodes, self.waiting = self.waiting, []
        made = {t._id: t for n in nodes for t in n.outputs}
        inside = set(nodes)
        needed = self._kept | {t._id for n in self.graph.nodes if n not in inside for t in n.inputs}
        wanted = [t for t in made.values() if t._id in needed]
        if not wanted:
            return
        used = {t._id: t for n in nodes for t in n.inputs if t._id not in made}.values()
        body = FuncGraph("loop_body", state.graph)
        local: dict = {}
        copy_nodes([self.constants[t._id] for t in used if t._id in self.constants], body, local)
        outer = [t for t in used if t._id not in self.constants]
        for t in outer:
            local[t._id] = input_like(body, t)
        copy_nodes(nodes, body, local)
        body.stand_ins = self.tensors | local  # for user-defined gradients, which hold tensors of the row's graph
        body.outputs = [local[t._id] for t in wanted]
        flags = [t._id in self.having_rows for t in outer]
        operands = [self.tensors[t._id] for t in outer]
        with self._after(nodes):
            self.put(wanted, apply(body, operands, flags), True)
        self._note(nodes)


def _is_draw(node: Node) -> bool:
    """Whether a node draws random numbers of a shape that does not depend on the row."""
    return node.record.hidden_counter and node.record.definition.inputs[0].name == "shape"


def has_effects(node: Node) -> bool:
    """Whether a node has effects; for a call, branch or loop its graphs decide."""
    graphs = graphs_in(node.attrs)
    return bool(node.record.must_run and not graphs or any(map(_has_effects, graphs)))


def _has_effects(graph: FuncGraph) -> bool:
    return draws(graph) or any(map(has_effects, graph.nodes))


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
        inputs = [run("ConcatV2", count, run("Cast", inputs[0], DstT=dtypes.int32), constant(0)), *inputs[1:]]
        attrs["T"] = dtypes.int32
    attrs.pop("_counter", None)  # a new node gets its own stream
    out = dispatch(node.record, inputs, attrs)
    return [out] if node.record.single else list(out)


def _with_rows(tensor: Tensor, has_rows: bool, count: Tensor) -> Tensor:
    """A result that is the same for all rows, repeated for each."""
    if has_rows:
        return tensor
    shape = run("Shape", tensor, out_type=dtypes.int32)
    return run("BroadcastTo", tensor, run("ConcatV2", count, shape, constant(0)))


# --- gradient


@derived
def _combined(
    graph: FuncGraph, given: tuple[bool, ...], wanted: tuple[bool, ...]
) -> tuple[FuncGraph, list[bool], list]:
    """A graph from inputs and given cotangents of `graph` to the wanted gradients; which exist; its other inputs."""
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


def _gradient(
    attrs: Attrs, inputs: Sequence[Tensor], outputs: Sequence[Tensor], cotangents: Cotangents, wanted: Sequence[bool]
) -> Cotangents:
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
    return gradient if has_rows else run("Sum", gradient, constant(0), keep_dims=False)


registry.extend(runtime.vmap, grad_tensors=_gradient)


# --- in TensorFlow's ops


def _as_loop(attrs: Attrs, inputs: Sequence[SymbolicTensor]) -> list:
    """The map as a loop over the rows, for files that TensorFlow reads."""
    graph, flags = attrs["f"], attrs["batched"]
    first = next(t for t, flag in zip(inputs, flags, strict=True) if flag)
    count = run("GatherV2", run("Shape", first, out_type=dtypes.int32), constant(0), constant(0))
    rows = [
        run("TensorListFromTensor", t, _shape_of_row(t._dims), element_dtype=t._dtype) if flag else t
        for t, flag in zip(inputs, flags, strict=True)
    ]
    start = [
        run("TensorListReserve", _shape_operand(t._dims), count, element_dtype=t._dtype) for t in graph.outputs
    ]

    def body(i: Tensor, *lists: Tensor) -> tuple[Tensor, ...]:
        here = [
            run("TensorListGetItem", r, i, _shape_of_row(t._dims), element_dtype=t._dtype)
            if flag
            else state.graph.capture(r)
            for r, t, flag in zip(rows, inputs, flags, strict=True)
        ]
        results = inline(graph, here)
        written = [
            run("TensorListSetItem", held, i, x, element_dtype=x._dtype)
            for held, x in zip(lists, results, strict=True)
        ]
        return (i + 1, *written)

    _, *lists = while_loop(lambda i, *_: i < count, body, (constant(0), *start), maximum_iterations=count)
    return [
        run("TensorListStack", held, _shape_operand(t._dims), element_dtype=t._dtype)
        for held, t in zip(lists, graph.outputs, strict=True)
    ]


def _shape_operand(dims: Dims | None) -> Tensor:
    return constant(-1) if dims is None else constant([-1 if d is None else d for d in dims], dtypes.int32)


def _shape_of_row(dims: Dims | None) -> Tensor:
    return _shape_operand(None if dims is None else dims[1:])


registry.extend(runtime.vmap, expand=_as_loop)
