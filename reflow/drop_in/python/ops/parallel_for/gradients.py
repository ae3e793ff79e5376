"""`tensorflow.python.ops.parallel_for.gradients`: Jacobians of tensors of a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reflow.api.array import arrange, indexing
from reflow.api.debugging import asserts
from reflow.api.framework.core_names import control_dependencies
from reflow.api.gradients import gradients
from reflow.core import nest
from reflow.core.tensor import Tensor
from reflow.drop_in.python.ops.parallel_for.control_flow_ops import for_loop, pfor


def _rows(
    loop_fn: Callable[[Any], Any], dtypes: Any, count: Any, use_pfor: bool, parallel_iterations: int | None
) -> Any:
    if use_pfor:
        return pfor(loop_fn, count, parallel_iterations=parallel_iterations)
    return for_loop(loop_fn, dtypes, count, parallel_iterations=parallel_iterations)


def jacobian(output: Any, inputs: Any, use_pfor: bool = True, parallel_iterations: int | None = None) -> Any:
    """The derivatives of each element of `output` by each element of tensors in a structure.

    None for those that it does not depend on.
    """
    flat = nest.flatten(inputs)
    vector = arrange.reshape(output, [-1])
    count = vector.shape[0] if vector.shape[0] is not None else arrange.shape(vector)[0]
    rows = _rows(
        lambda i: gradients(indexing.gather(vector, i), flat), [output.dtype] * len(flat), count, use_pfor,
        parallel_iterations,
    )
    found = []
    for row, source in zip(rows, flat, strict=True):
        if isinstance(row, Tensor):
            row = arrange.reshape(row, arrange.concat([arrange.shape(output), arrange.shape(row)[1:]], 0))
            row.set_shape(output.shape.concatenate(source.shape))
        found.append(row)
    return nest.pack_sequence_as(inputs, found)


def batch_jacobian(output: Any, inp: Any, use_pfor: bool = True, parallel_iterations: int | None = None) -> Any:
    """The derivatives of each row of `output` by the same row of `inp`; None if it does not depend on it."""
    if not output.shape[:1].is_compatible_with(inp.shape[:1]):
        raise ValueError(
            f"Need first dimension of `output` shape ({output.shape}) and `inp` shape ({inp.shape}) to match."
        )
    batch = arrange.shape(output)[0]
    with control_dependencies([asserts.assert_equal(batch, arrange.shape(inp)[0])]):
        table = arrange.reshape(output, [batch, arrange.size(output) // batch])
    known = output.shape[1:].num_elements()
    count = known if known is not None else arrange.shape(table)[1]
    columns = _rows(
        lambda i: gradients(indexing.gather(table, i, axis=1), inp)[0], output.dtype, count, use_pfor,
        parallel_iterations,
    )
    if columns is None:
        return None
    rows = arrange.transpose(arrange.reshape(columns, [count, batch, -1]), [1, 0, 2])
    return arrange.reshape(rows, arrange.concat([arrange.shape(output), arrange.shape(inp)[1:]], 0))
