"""`tf.vectorized_map`, and Jacobians: run a function for all rows at once (`reflow/function/vectorize.py`)."""

from __future__ import annotations

from collections.abc import Sequence

from reflow.api.array.arrange import shape as shape_of
from reflow.api.array.arrange import stack
from reflow.api.array.creation import range as tf_range
from reflow.api.array.indexing import gather
from reflow.api.control.elements import is_batch
from reflow.api.control.functional import map_fn
from reflow.api.export import export
from reflow.api.math.arithmetic import cast
from reflow.api.math.reduce import reduce_max
from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.logging import warn as log_warning
from reflow.core.shapes import TensorShape
from reflow.core.specs import TensorSpec
from reflow.core.tensor import EagerTensor
from reflow.eager import jacobian
from reflow.function.tracing import outputs_of, trace_to_graph
from reflow.function.vectorize import Reduction, Vectorized
from reflow.graph.func_graph import FuncGraph
from reflow.graph.node import Node
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.dispatch import run


@export("vectorized_map")
def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """Applies a function to all slices of tensors along the first axis at once.

    Faster than `map_fn`: `fn` is traced once and each of its ops runs on all rows. Random ops draw other numbers for
    every row. A function with effects (a print, a Python function, an assignment) cannot run for all rows at once: it
    runs row by row, with a warning.

    Args:
      fn: A function of a slice, or of a structure of slices like `elems`.
      elems: A tensor, or a structure of tensors and batchable extension types; a first axis of one is used for every
        slice.
      fallback_to_while_loop: Whether a function with effects may run row by row, rather than raise.
      warn: Whether to warn when it does.

    Returns:
      A structure like what `fn` returns, with one more axis in front.

    Raises:
      ValueError: There are no elements, or `fn` has effects and `fallback_to_while_loop` is not set.

    >>> vectorized_map(lambda x: tf.reduce_sum(x * x), tf.constant([[1.0, 2.0], [3.0, 4.0]])).numpy().tolist()
    [5.0, 25.0]
    """
    return mapped(fn, elems, fallback_to_while_loop, warn)


def mapped(fn, elems, fallback_to_while_loop: bool, warn: bool, reductions: Sequence[Reduction] = ()):
    """`vectorized_map` of a function that, while it is traced, adds to `reductions` values which all rows share."""
    leaves = [e if is_batch(e) else convert_to_tensor(e) for e in nest.flatten(elems)]
    flat = [part for e in leaves for part in _parts(e)]
    if not flat:
        raise ValueError("elems must be a Tensor or (possibly nested) sequence of Tensors.")
    flat = _of_one_length(flat)
    rows, shared = _split(flat)
    specs = [TensorSpec(flat[i].shape[1:], flat[i].dtype) for i in rows]
    once = {i: flat[i][0] for i in shared}

    results: list = []  # what fn has returned

    def row(*items):
        given = iter(items)
        parts = iter([once[i] if i in once else next(given) for i in range(len(flat))])
        results[:] = [fn(nest.pack_sequence_as(elems, [_one(e, parts) for e in leaves]))]
        return [_parts(x) for x in nest.flatten(results[0])]

    graph = trace_to_graph(row, "loop_body", tuple(specs), graph=FuncGraph("loop_body", state.graph))
    static = next((flat[i].shape[0] for i in rows if flat[i].shape[0] is not None), None)
    plan = Vectorized(graph, reductions)
    obstacles = plan.obstacles()
    if obstacles:
        _refuse(obstacles, fallback_to_while_loop and not reductions, warn)
        found = _row_by_row(row, graph, [flat[i] for i in rows])
    else:
        before = 0 if state.graph is None else len(state.graph.nodes)
        present = iter(plan.run([flat[i] for i in rows], graph.external_captures, _count(flat, rows)))
        found = nest.map_structure(lambda t: None if t is None else next(present), graph.structured_outputs)
        for t in nest.flatten(found):
            if t is not None and not isinstance(t, EagerTensor):
                t.set_shape(TensorShape([static]).concatenate(t.shape[1:]) if t.shape.rank is not None else None)
        found = [
            _done(before) if isinstance(x, Node) else parts
            for x, parts in zip(nest.flatten(results[0]), found, strict=True)
        ]
    whole = [_stacked(x, parts, static) for x, parts in zip(nest.flatten(results[0]), found, strict=True)]
    return nest.pack_sequence_as(results[0], whole)


def _done(start: int) -> list:
    """The replacement for an Operation that `fn` returned.

    One that waits for the effects added after the first `start` nodes.
    """
    graph = state.graph
    if graph is None:
        return [None]
    with graph.control_dependencies([node for node in graph.nodes[start:] if node.record.must_run]):
        run("NoOp")
    return [graph.nodes[-1]]


def _parts(value) -> list:
    """The tensors of a value, as they are when it is part of a batch."""
    if is_batch(value):
        return list(value._type_spec._to_tensor_list(value))
    if isinstance(value, IndexedSlices):
        return [convert_to_tensor(value)]
    if getattr(value, "_is_composite", False):
        raise ValueError(f"vectorized_map cannot stack the {type(value).__name__}s that fn returns; use map_fn.")
    return [value]


def _one(batch, parts):
    """A row of one of the elements, from an iterator over the rows of all tensors."""
    if not is_batch(batch):
        return next(parts)
    return batch._type_spec._unbatch().from_tensors([next(parts) for _ in _parts(batch)])


def _stacked(row, parts: list, size: int | None):
    """The batch of a result of which `row` is one row."""
    return row._type_spec._batch(size).from_tensors(parts) if is_batch(row) else parts[0]


def _of_one_length(flat: list) -> list:
    """Tensors of which some have unknown length.

    One that turns out to have a single row is repeated to match the others.
    """
    if len(flat) == 1 or all(t.shape.rank and t.shape[0] is not None for t in flat):
        return flat
    lengths = [shape_of(t)[0] for t in flat]
    most = reduce_max(stack(lengths))
    known = [t.shape[0] if t.shape.rank else None for t in flat]
    indices = [tf_range(most) * cast(run("NotEqual", n, constant(1)), n.dtype) for n in lengths]
    return [gather(t, i) if size in (None, 1) else t for t, i, size in zip(flat, indices, known, strict=True)]


def _split(flat) -> tuple[list, list]:
    """Which tensors have rows, and which have one row for all."""
    lengths = [t.shape[0] for t in flat]
    if all(n == 1 for n in lengths):
        return list(range(len(flat))), []
    known = {n for n in lengths if n not in (None, 1)}
    if len(known) > 1:
        raise InvalidArgumentError(None, None, f"indices[{min(known)}] = {min(known)} is not in [0, {min(known)})")
    shared = [i for i, n in enumerate(lengths) if n == 1]
    return [i for i in range(len(flat)) if i not in shared], shared


def _count(flat, rows):
    """The number of rows, as a vector of one integer."""
    return shape_of(flat[rows[0]])[:1]


def _refuse(obstacles, fall_back: bool, warn: bool):
    names = list(dict.fromkeys(n.record.name for n in obstacles))
    if not fall_back:
        raise ValueError(
            f"No pfor vectorization defined for {', '.join(names)}. Consider enabling the fallback_to_while_loop "
            "option to pfor, which may run slower."
        )
    if warn:
        for name in names:
            log_warning(f"Using a while_loop for converting {name} cause there is no registered converter for this op.")


def _row_by_row(row, graph, tensors):
    """The results of a loop over the rows; an Operation of each row is a number, so that it can be stacked."""

    def one(items):
        return [0 if x is None else x for x in nest.flatten(row(*items))]

    flat = nest.flatten(graph.structured_outputs)
    signature = [TensorSpec([], dtypes.int32) if t is None else TensorSpec(t.shape, t.dtype) for t in flat]
    return nest.pack_sequence_as(graph.structured_outputs, map_fn(one, tensors, fn_output_signature=signature))


# --- Jacobians


def _rows_of_gradient(gradient, seeds, use_pfor: bool) -> list:
    """`gradient(seed)` for every row of `seeds`, stacked; None if a gradient is None."""
    graph = FuncGraph("loop_body", state.graph)
    with graph.as_default():
        seed = graph.add_input(seeds.dtype, seeds.shape[1:]._dims, "seed")
        graph.set_outputs(outputs_of(gradient(seed)))
    present = [g is not None for g in graph.structured_outputs]
    plan = Vectorized(graph)
    if use_pfor and not plan.obstacles():
        found = iter(plan.run([seeds], graph.external_captures, shape_of(seeds)[:1]))
    else:
        signature = [TensorSpec(t.shape, t.dtype) for t in graph.outputs]
        found = iter(
            map_fn(lambda s: [g for g in gradient(s) if g is not None], seeds, fn_output_signature=signature)
            if any(present)
            else ()
        )
    return [next(found) if p else None for p in present]


jacobian.install(_rows_of_gradient)
