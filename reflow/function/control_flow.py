"""`tf.cond`, `tf.while_loop` and `tf.switch_case`: Python in eager code, `If`, `Case` and `While` nodes in a graph.

Bodies are traced to FuncGraphs; their captures become inputs of the node, the same for all branches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reflow.core import dtypes, nest, shallow_nest
from reflow.core.context import state
from reflow.core.dtypes import DType
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.shapes import TensorShape, includes, relax
from reflow.core.specs import TensorSpec, TypeSpec, type_spec_from_value
from reflow.core.tensor import EagerTensor, Tensor
from reflow.core.types import Attrs, Dims, Structure
from reflow.function.gradients import is_stateful
from reflow.function.tracing import IDENTITY, outputs_of
from reflow.graph.func_graph import PLACEHOLDER, FuncGraph, in_plain_graph, static_of
from reflow.graph.graph import Node, SymbolicTensor
from reflow.graph.names import CAPTURED, BodyScope
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import dispatch, run
from reflow.ops.kernels.control.flow import CASES, IFS, LOOPS
from reflow.ops.registry import Op


def _new_body(name: str, scope: BodyScope) -> FuncGraph:
    graph = FuncGraph(name, state.graph)
    graph.put_below(scope)
    return graph


def _add_node(op: Op, inputs: Sequence[Tensor], attrs: Attrs, scope: BodyScope) -> list:
    """Add the node that runs bodies; returns its outputs."""
    graph: Any = state.graph
    flat = dispatch(op, inputs, attrs)
    scope.belongs_to(graph.nodes[-1])
    return flat


def _add_branches(
    op: Op, index: Tensor, outers: Sequence[Tensor], attrs: Attrs, graphs: Sequence[FuncGraph], scope: BodyScope
) -> list:
    """Add the node that runs one of several graphs; each result goes through an `Identity`, as in TensorFlow."""
    facts = {
        "Tin": [t._dtype for t in outers],
        "Tout": [t._dtype for t in graphs[0].outputs],
        "output_shapes": _branch_shapes(graphs),
    }
    graph: Any = state.graph
    flat = _add_node(op, [index, *outers], attrs | facts, scope)
    with graph.below(scope):
        return [t if t._dtype.kind == "o" else dispatch(IDENTITY, (t,), {}) for t in flat]


def _prune_in_plain_graph(graph: FuncGraph) -> None:
    """Drop what the results of a body do not need, if the body belongs to a plain graph: as in TensorFlow 1, effects
    run only in functions.
    """
    if not in_plain_graph(graph.parent):
        return
    results = [x for x in nest.flatten(graph.result) if isinstance(x, Node)]
    pending = [*results, *(t.op for t in graph.outputs)]
    needed: set[Node] = set()
    while pending:
        node = pending.pop()
        if node not in needed:
            needed.add(node)
            pending.extend([*(t.op for t in node.inputs), *node.waits])
    graph.keep_nodes({n for n in graph.nodes if n in needed or n.record is PLACEHOLDER})


def _trace_branches(
    functions: Sequence[Callable[..., Any]], names: Sequence[str], labels: Sequence[str], scope: BodyScope
) -> list[FuncGraph]:
    """The graphs of the branches; `labels` are their names in messages."""
    graphs: list[FuncGraph] = []
    for function, name, label in zip(functions, names, labels, strict=True):
        graphs.append(_trace_branch(function, name, label, tuple(zip(graphs, labels, strict=False)), scope))
    return graphs


def _trace_branch(
    function: Callable[..., Any], name: str, label: str, earlier: tuple[tuple[FuncGraph, str], ...], scope: BodyScope
) -> FuncGraph:
    graph = _new_body(name, scope)
    graph.branch, graph.earlier_branches = label, earlier
    with graph.as_default():
        result = function()
        graph.result = result  # with its TensorArrays; the graph knows only their flows
        flows = nest.map_structure(lambda x: x.flow if getattr(x, "_is_tensor_array", False) else x, result)
        graph.set_outputs(outputs_of(flows, body=function))
    return graph


def align_captures(graphs: Sequence[FuncGraph], labels: Sequence[str] | None = None) -> list:
    """Give all graphs the same inputs: the union of their captures. Returns the outer tensors, in order.

    The active tapes are told about the variables that the bodies read, because they cannot see those reads.
    """
    outers: dict = {}
    tapes: tuple = state.tapes
    for tape in tapes:
        for graph in graphs:
            for variable in graph.trainable_variables:
                tape.watch_variable(variable)
    for graph in graphs:
        for outer, _ in graph.captured.values():
            outers.setdefault(outer._id, outer)
    for graph, label in zip(graphs, labels or [PLACEHOLDER.name] * len(graphs), strict=True):
        arguments = graph.arguments
        for outer in outers.values():
            if outer._id not in graph.captured:
                graph.add_capture(outer, label)
        graph.captured = {key: graph.captured[key] for key in outers}
        graph.inputs = arguments + [inner for _, inner in graph.captured.values()]
    return list(outers.values())


def _return_for_operations(graphs: Sequence[FuncGraph], value: Tensor) -> None:
    """Where a branch returns an Operation, the node returns the predicate, as in TensorFlow.

    Computed after the Operation.
    """
    for graph in graphs:
        given = nest.flatten(graph.result)
        places = [i for i, x in enumerate(given) if isinstance(x, Node)]
        if not places:
            continue
        flat = nest.flatten(graph.structured_outputs)
        with graph.as_default():
            for i in places:
                with graph.control_dependencies([given[i]]):
                    flat[i] = dispatch(IDENTITY, (value,), {})
            graph.set_outputs(nest.pack_sequence_as(graph.structured_outputs, flat))


def _match_slices(graphs: Sequence[FuncGraph], function: str) -> None:
    """Branches may return IndexedSlices with int32 and int64 indices: all become int64, as in TensorFlow."""
    rows = zip(*[nest.flatten(g.structured_outputs) for g in graphs], strict=False)
    for position, row in enumerate(rows):
        if len({isinstance(x, IndexedSlices) for x in row if x is not None}) > 1:
            raise TypeError(
                f"Cannot reconcile {function} {position}-th outputs:\n  outputs from all branches: {list(row)}"
            )
        if all(isinstance(x, IndexedSlices) for x in row) and len({x.indices._dtype for x in row}) > 1:
            for graph in graphs:
                with graph.as_default():
                    flat = nest.flatten(graph.structured_outputs)
                    old = flat[position]
                    wide = run("Cast", old.indices, DstT=dtypes.int64)
                    flat[position] = IndexedSlices(old.values, wide, old.dense_shape)
                    graph.set_outputs(nest.pack_sequence_as(graph.structured_outputs, flat))


def _check_branches(graphs: Sequence[FuncGraph], names: Sequence[str], function: str = "tf.cond") -> None:
    _match_slices(graphs, function)
    first = graphs[0]
    for graph, name in zip(graphs[1:], names[1:], strict=True):
        try:
            nest.assert_same_structure(first.structured_outputs, graph.structured_outputs, expand_composites=True)
        except (ValueError, TypeError) as error:
            raise _mismatch(graphs, names, name, graph, function, error) from None
        counts = len(first.outputs), len(graph.outputs)
        if counts[0] != counts[1]:
            lines = "".join(f"len(graphs[{i}].outputs): {n}\n" for i, n in enumerate(counts))
            raise ValueError(f"Lengths of branch outputs of cond must match.\n{lines}")
        for a, b in zip(first.outputs, graph.outputs, strict=True):
            if a._dtype is not b._dtype:
                raise _mismatch(graphs, names, name, graph, function, f"{a} and {b} have different types")


def _mismatch(
    graphs: Sequence[FuncGraph], names: Sequence[str], name: str, graph: FuncGraph, function: str, details: Any
) -> TypeError:
    return TypeError(
        f"{names[0]} and {name} arguments to {function} must have the same number, type, and overall structure of "
        f"return values.\n\n{names[0]} output: {graphs[0].structured_outputs}\n{name} output: "
        f"{graph.structured_outputs}\n\n"
        f"Error details:\n{details}"
    )


def _branch_shapes(graphs: Sequence[FuncGraph]) -> list:
    shapes = [t._dims for t in graphs[0].outputs]
    for graph in graphs[1:]:
        shapes = [relax(a, t._dims) for a, t in zip(shapes, graph.outputs, strict=True)]
    return shapes


def repack(structured: Structure, flat: Sequence[Any], result: Structure = None) -> Structure:
    """Pack flat outputs of a node into the structure that a branch returned.

    `None`s stay, TensorArray flows become arrays.
    """
    present = iter(flat)
    if result is not None and any(getattr(x, "_is_tensor_array", False) for x in nest.flatten(result)):
        structured = nest.map_structure(
            lambda r, s: r if getattr(r, "_is_tensor_array", False) else s, result, structured
        )

    def fill(x: Any) -> Any:
        if x is None:
            return None
        if getattr(x, "_is_tensor_array", False):
            return x.with_flow(next(present))
        return nest.refill(x, present)

    return nest.map_structure(fill, structured)


def cond(
    pred: Any, true_fn: Callable[..., Any] | None = None, false_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Structure:
    """Calls one of two functions, depending on a condition.

    In eager code the result is what the function returned; in a graph it is a structure of tensors.

    Args:
      pred: The condition, a scalar; in a graph a tensor.
      true_fn: The function without arguments that is called if it holds.
      false_fn: The function without arguments that is called if it does not.
      name: A name for the operation.

    Returns:
      The result of the function that was called. In a graph both must return the same structure and dtypes.

    Raises:
      TypeError: A function is missing or cannot be called, or their results differ.

    >>> tf.cond(tf.constant(True), lambda: 1, lambda: 2)
    1
    """
    for what, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if function is None:
            raise TypeError(f"cond(): '{what}' argument required")
    if not callable(true_fn):
        raise TypeError("'true_fn' must be callable.")
    if not callable(false_fn):
        raise TypeError("'false_fn' must be callable.")
    if state.graph is None:
        chosen = true_fn if bool(convert_to_tensor(pred) if not isinstance(pred, bool) else pred) else false_fn
        return chosen()
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool", pred)
    pred = convert_to_tensor(pred)
    scope = BodyScope(state.graph, name or "cond")
    names = ["true_fn", "false_fn"]
    graphs = _trace_branches([true_fn, false_fn], ["cond_true", "cond_false"], names, scope)
    _return_for_operations(graphs, pred)
    _check_branches(graphs, names)
    for graph in graphs:
        _prune_in_plain_graph(graph)
    outers = align_captures(graphs)
    record = IFS[any(map(is_stateful, graphs))]
    flat = _add_branches(record, pred, outers, {"then_branch": graphs[0], "else_branch": graphs[1]}, graphs, scope)
    return repack(graphs[0].structured_outputs, flat, graphs[0].result)


def switch(index: Any, functions: Sequence[Callable[..., Any]], count: int, name: str) -> Structure:
    """Call the function with the given number, an int32 scalar; the last one for a number outside [0, count)."""
    if state.graph is None:
        at = int(index)
        return functions[at if 0 <= at < count else -1]()
    scope = BodyScope(state.graph, f"{name}/indexed_case")
    numbers = range(len(functions))
    names = [f"switch_case_branch{i}" for i in numbers]
    graphs = _trace_branches(functions, names, [f"branch {i}" for i in numbers], scope)
    _return_for_operations(graphs, index)
    for graph in graphs:
        _prune_in_plain_graph(graph)
    _check_branches(graphs, [f"branches[{i}]" for i in numbers], "tf.switch_case")
    outers = align_captures(graphs)
    record = CASES[any(map(is_stateful, graphs))]
    flat = _add_branches(record, index, outers, {"branches": graphs}, graphs, scope)
    return repack(graphs[0].structured_outputs, flat, graphs[0].result)


def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, shape_invariants: Any = None,
    parallel_iterations: int = 10, back_prop: bool = True, swap_memory: bool = False, maximum_iterations: Any = None,
    name: str | None = None,
) -> Structure:
    """Repeats a function while a condition holds.

    Args:
      cond: A function of the loop variables that returns a bool scalar.
      body: A function of the loop variables that returns their next values.
      loop_vars: The first values, a list or tuple of nested structures.
      shape_invariants: In a graph: the shapes that the loop variables keep, where they change; the same structure.
      parallel_iterations: At least 1; it is only recorded in the graph.
      back_prop: Whether gradients go through the loop; only in graphs.
      swap_memory: Accepted, and not used.
      maximum_iterations: How often `body` is called at most.
      name: A name for the operation.

    Returns:
      The last values of the loop variables, in their structure.

    Raises:
      TypeError: `cond` or `body` cannot be called.
      ValueError: There are no loop variables, or `body` returns another structure or, in a graph, other shapes.

    >>> tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [tf.constant(0)])[0].numpy().item()
    3
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    if loop_vars is None or isinstance(loop_vars, dict) and not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    loop_vars = loop_vars if isinstance(loop_vars, (list, tuple)) else [loop_vars]
    if state.graph is None:
        if not loop_vars:
            raise ValueError("'loop_vars' must be provided.")
        return _python_loop(cond, body, loop_vars, maximum_iterations)
    loop = _GraphLoop(cond, body, loop_vars, shape_invariants, maximum_iterations, parallel_iterations, name)
    result = loop.build()
    return result if back_prop else _without_gradient(result)


def _without_gradient(result: Structure) -> Structure:
    """The results of a loop that must not be differentiated: only in graphs, as in TensorFlow."""

    def stop(x: Any) -> Any:
        if getattr(x, "_is_tensor_array", False):
            return x.with_flow(stop(x.flow))
        if getattr(x, "_is_composite", False):
            return nest.map_structure(stop, x, expand_composites=True)
        return x if x is None else run("StopGradient", x)

    return nest.map_structure(stop, result)


def _scalar(maximum: Tensor) -> Tensor:
    if maximum.shape.rank:
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {maximum.shape}")
    return maximum


def _python_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, maximum_iterations: Any
) -> Structure:
    values = list(loop_vars)  # unconverted: as in TensorFlow, the body computes with NumPy and Python numbers
    limit = None if maximum_iterations is None else int(_scalar(convert_to_tensor(maximum_iterations))._host())
    steps, given = 0, loop_vars
    while (limit is None or steps < limit) and bool(convert_to_tensor(cond(*values))):
        result = body(*values)
        values = _next_values(result, values, check_types=True)
        given = result if isinstance(result, (list, tuple)) and len(result) == len(values) else loop_vars
        steps += 1
    return _like(given, nest.map_structure(_loop_value, values))


def _next_values(result: Structure, values: Any, check_types: bool) -> Structure:
    """The result of a loop body as the list of the loop variables' next values.

    A body of one variable may return it bare.
    """
    alone = len(values) == 1 and (
        not isinstance(result, (list, tuple)) or nest.is_nested(values[0]) and len(result) != 1
    )
    result = [result] if alone else list(result)
    try:
        nest.assert_same_structure(values, result, check_types=check_types)
    except (TypeError, ValueError):  # the message shows the specs of the values, as TensorFlow's
        specs = nest.map_structure(type_spec_from_value, list(values))
        nest.assert_same_structure(specs, result, check_types=check_types)
        raise
    return result


def _like(loop_vars: Any, values: Structure) -> Structure:
    """The values in the sequence type that the caller passed or, in eager code, that the body returned."""
    kind = type(loop_vars)
    return kind(*values) if hasattr(kind, "_fields") else kind(values) if kind in (list, tuple) else values


def _loop_value(x: Any) -> Any:
    return convert_to_tensor(x) if x is None else _as_tensor(x)  # the former raises the right error for None


def _as_tensor(x: Any) -> Any:
    if x is None or getattr(x, "_is_composite", False) or getattr(x, "_is_tensor_array", False):
        return x
    return x if isinstance(x, Tensor) else convert_to_tensor(x)


class _GraphLoop:
    """Builds one `While` node: counter and limit (if there is one), then the flat loop variables, then the captures."""

    def __init__(
        self, cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, invariants: Any, maximum: Any,
        parallel: int, name: str | None,
    ) -> None:
        self.cond, self.body, self.parallel = cond, body, parallel
        self.scope = BodyScope(state.graph, name or "while")
        self.loop_vars = list(loop_vars)
        self.like = loop_vars
        self.invariants = None if invariants is None else list(invariants)
        if isinstance(maximum, EagerTensor) and maximum._dtype.is_integer and not maximum.shape.rank:
            maximum = int(maximum)
        self.maximum = None if maximum is None else _scalar(self._limit("maximum_iterations", maximum, dtypes.int32))

    def build(self) -> Structure:
        initial = nest.map_structure(_loop_value, self.loop_vars)
        flat = _flat(initial)
        counters = []
        if self.maximum is not None:
            counters = [self._limit("loop_counter", 0, dtypes.int32), self.maximum]
        specs = self._specs(initial, flat)
        cond_graph = self._trace(self._cond, initial, counters, specs, "while_cond")
        body_graph = self._trace(self._body, initial, counters, specs, "while_body")
        self._check_types(flat, body_graph.outputs[len(counters) :])
        self._check_shapes(flat, specs, body_graph.outputs[len(counters) :])
        outers = align_captures([cond_graph, body_graph], ["Placeholder", CAPTURED])
        body_graph.outputs = [*body_graph.outputs, *[inner for _, inner in body_graph.captured.values()]]
        inputs = [*counters, *flat, *outers]
        outputs = _add_node(
            LOOPS[is_stateful(body_graph) or is_stateful(cond_graph)],
            inputs,
            {
                "cond": cond_graph,
                "body": body_graph,
                "T": [t._dtype for t in inputs],
                "parallel_iterations": self.parallel,
                "output_shapes": [t._dims for t in body_graph.inputs],
            },
            self.scope,
        )
        last = nest.pack_sequence_as(initial, nest.flatten(body_graph.result))  # in the caller's sequence types
        return _like(self.like, _repack(last, outputs[len(counters) : len(counters) + len(flat)]))

    def _limit(self, label: str, value: Any, dtype: DType | None = None) -> Tensor:
        with state.graph.below(self.scope), state.graph.name_scope_for(label):
            return convert_to_tensor(value, dtype)

    def _specs(self, initial: Structure, flat: Sequence[Tensor]) -> list[tuple[DType, Dims | None]]:
        # a ragged tensor may have any number of values
        wide = [s for x in nest.flatten(initial) for s in _component_dims(x)]
        dims = [() if t._dtype.kind == "o" else d for t, d in zip(flat, wide, strict=True)]
        if self.invariants is not None:
            for i, shape in enumerate(self._given(initial)):
                if shape is None:
                    continue
                wanted = shape.shape._dims if isinstance(shape, TensorSpec) else TensorShape(shape)._dims
                if not includes(wanted, dims[i]):
                    raise ValueError(
                        f"The shape invariant specified for {flat[i]} is not compatible with the initial shape of the "
                        f"loop variable. It enters the loop with shape {flat[i].shape}, but the specified "
                        f"shape invariant is {shape}."
                    )
                dims[i] = wanted
        return [(t._dtype, d) for t, d in zip(flat, dims, strict=True)]

    def _given(self, initial: Structure) -> list:
        """The shape invariant of each flat loop variable, or None."""
        out = []
        for value, shape in zip(
            nest.flatten(initial), shallow_nest.flatten_up_to(initial, self.invariants, check_types=False), strict=True
        ):
            parts = nest.flatten(value, expand_composites=True)
            if isinstance(shape, TypeSpec) and not shape.is_compatible_with(value):
                raise TypeError(f"TypeSpec {shape!r} is not compatible with loop variable {value!r}.")
            if len(parts) == 1 and not getattr(value, "_is_composite", False):
                out.append(shape)
            else:
                out += (
                    nest.flatten(shape, expand_composites=True) if isinstance(shape, TypeSpec) else [None] * len(parts)
                )
        return out

    def _trace(
        self, function: Callable[..., None], initial: Structure, counters: Sequence[Tensor],
        specs: Sequence[tuple[DType, Dims | None]], name: str,
    ) -> FuncGraph:
        graph = _new_body(name, self.scope)
        with graph.as_default():
            names = ("while_loop_counter", "while_maximum_iterations")
            inner = [graph.add_input(t._dtype, (), label) for t, label in zip(counters, names, strict=False)]
            outer = [static_of(t) if t._dtype.kind == "o" else None for t in _flat(initial)]
            flat = [graph.add_input(d, s, "Placeholder", f) for (d, s), f in zip(specs, outer, strict=True)]
            function(graph, inner, _repack(initial, flat))
        _prune_in_plain_graph(graph)
        return graph

    def _body(self, graph: FuncGraph, counters: Sequence[Any], values: Any) -> None:
        result = graph.result = nest.map_structure(
            _loop_value, _next_values(self.body(*values), values, check_types=False)
        )
        counters = [counters[0] + 1, counters[1]] if counters else []
        graph.outputs = [
            t if getattr(t, "_graph", None) is graph else graph.capture(t) for t in [*counters, *_flat(result)]
        ]
        graph.structured_outputs = result

    def _cond(self, graph: FuncGraph, counters: Sequence[Any], values: Any) -> None:
        test: Any = convert_to_tensor(self.cond(*values))
        if counters:
            test = run("LogicalAnd", counters[0] < counters[1], test)
        graph.outputs = [test if getattr(test, "_graph", None) is graph else graph.capture(test)]
        graph.structured_outputs = graph.outputs[0]

    @staticmethod
    def _check_types(initial: Sequence[Tensor], outputs: Sequence[Any]) -> None:
        for given, out in zip(initial, outputs, strict=False):
            if given._dtype is not out._dtype:
                name = given.name if given._is_symbolic else "a constant"
                raise TypeError(
                    f"Loop var {name} enters the loop with type {given._dtype} but has type {out._dtype} after 1 "
                    f"iteration. {name} type should remain constant."
                )

    @staticmethod
    def _check_shapes(
        initial: Sequence[Tensor], specs: Sequence[tuple[DType, Dims | None]], outputs: Sequence[SymbolicTensor]
    ) -> None:
        """If the body changes a loop variable's shape, the caller must have given a wider shape invariant."""
        for given, (_, dims), out in zip(initial, specs, outputs, strict=False):
            if not includes(dims, out._dims) and out._dtype.kind != "o":
                name = given.name if getattr(given, "_is_symbolic", False) else "of the loop"
                raise ValueError(
                    f"Input tensor `{name}` enters the loop with shape {TensorShape(dims)}, but has shape {out.shape} "
                    "after one iteration. To allow the shape to vary across iterations, use the `shape_invariants` "
                    "argument of tf.while_loop to specify a less-specific shape."
                )


def _component_dims(x: Any) -> list:
    """The shapes that a loop variable's tensors may have by default: those of its type."""
    if getattr(x, "_is_composite", False) and not getattr(x, "_is_tensor_array", False):
        return [s.shape._dims for s in nest.flatten(x._type_spec, expand_composites=True)]
    return [None if getattr(x, "_is_tensor_array", False) else x.shape._dims]


def _flat(structure: Structure) -> list:
    """Tensors of a structure; a TensorArray counts as its flow."""
    out = []
    for x in nest.flatten(structure, expand_composites=True):
        out.append(x.flow if getattr(x, "_is_tensor_array", False) else x)
    return out


def _repack(structure: Structure, flat: Sequence[Any]) -> Structure:
    """The inverse of `_flat`."""
    return repack(list(structure), flat)
