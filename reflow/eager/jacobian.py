"""Jacobians: the reverse pass for a whole batch of cotangents, one for every element of the target.

For a small target in eager code there is one reverse pass per element. Otherwise the pass is traced once and runs for
all rows at once (`rows_of_gradient`, installed by a higher layer).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reflow.core import dtypes
from reflow.core.context import state
from reflow.ops import convert
from reflow.ops.dispatch import run
from reflow.ops.reverse import dense

if TYPE_CHECKING:
    from reflow.core.tensor import Tensor

FEW = 16  # rows: up to this many, separate eager passes are faster than tracing


def rows_of_gradient(gradient: Callable, seeds: Tensor, use_pfor: bool) -> list[Any]:
    """Installed by `reflow/api/control/vectorized.py`."""
    raise RuntimeError("Nothing is installed that differentiates rows.")


def install(function: Callable) -> None:
    global rows_of_gradient
    rows_of_gradient = function


def _vector(values: Any) -> Tensor:
    return convert.constant(np.asarray(values, np.int32))


def _shape(tensor: Tensor) -> Tensor:
    return run("Shape", tensor, out_type=dtypes.int32)


def _join(*shapes: Tensor) -> Tensor:
    return run("ConcatV2", *shapes, convert.constant(0), N=len(shapes))


def _rest(tensor: Tensor) -> Tensor:
    """The shape of a row."""
    return run("StridedSlice", _shape(tensor), _vector([1]), _vector([0]), _vector([1]), end_mask=1)


def all_rows(gradient: Callable, seeds: Tensor, use_pfor: bool) -> list:
    """The gradients for every row of `seeds`, stacked; None for unconnected sources."""
    count = seeds.shape[0]
    if state.graph is not None or count is None or count > FEW:
        return rows_of_gradient(lambda seed: [None if g is None else dense(g) for g in gradient(seed)], seeds, use_pfor)
    found = [
        [None if g is None else dense(g) for g in gradient(convert.from_array(seeds._host()[i].copy(), seeds._dtype))]
        for i in range(count)
    ]
    return [None if column[0] is None else run("Pack", *column, N=count, axis=0) for column in zip(*found, strict=True)]


def _eye(target: Tensor) -> Tensor:
    """The cotangents that each select one element of `target`, of shape [size, target…]."""
    size = target.shape.num_elements()
    one, zero = (convert.constant(x, target._dtype) for x in (1, 0))
    count = convert.constant(size) if size is not None else run("Size", target, out_type=dtypes.int32)
    places = run("Range", convert.constant(0), count, convert.constant(1))
    eye = run("OneHot", places, count, one, zero, axis=-1)
    seeds = run("Reshape", eye, _join(run("Reshape", count, _vector([1])), _shape(target)))
    if state.graph is not None:
        seeds.set_shape([size, *(target.shape if target.shape.rank is not None else [])] if size is not None else None)
    return seeds


def jacobian(gradient: Callable, target: Tensor, sources: Sequence[Any], use_pfor: bool = True) -> list[Any]:
    """d target / d source for each source, of shape target.shape + source.shape.

    `gradient(seed)` is one reverse pass.
    """
    found = all_rows(gradient, _eye(target), use_pfor)
    return [
        None if g is None else _shaped(run("Reshape", g, _join(_shape(target), _rest(g))), target, source)
        for g, source in zip(found, sources, strict=True)
    ]


def _shaped(tensor: Tensor, target: Tensor, source: Any) -> Any:
    if state.graph is not None:
        tensor.set_shape(target.shape.concatenate(convert.convert_to_tensor(source).shape))
    return tensor


def batch_jacobian(gradient: Callable, target: Tensor, source: Any, use_pfor: bool = True) -> Any:
    """Row-wise Jacobians, of shape [batch, target..., source...].

    Row b of the target must depend only on row b of the source.
    """
    inner = target.shape[1:].num_elements() if target.shape.rank is not None else None
    flat = run("Reshape", target, _vector([-1, inner]) if inner is not None else _two(target))
    one_each = run(
        "ExpandDims", _eye(run("GatherV2", flat, convert.constant(0), convert.constant(0))), convert.constant(1)
    )
    whole = run("Mul", one_each, run("ExpandDims", run("OnesLike", flat), convert.constant(0)))
    seeds = run(
        "Reshape",
        whole,
        _join(
            run(
                "Reshape",
                run("GatherV2", _shape(whole), convert.constant(0), convert.constant(0)),
                _vector([1]),
            ),
            _shape(target),
        ),
    )
    if state.graph is not None:
        seeds.set_shape([inner, *target.shape] if target.shape.rank is not None else None)
    (grad,) = all_rows(gradient, seeds, use_pfor)
    if grad is None:
        return None
    rank = source.shape.rank
    order = _vector([1, 0, *range(2, rank + 1)])
    turned = run("Transpose", grad, order)
    result = run("Reshape", turned, _join(_shape(target), _rest(source)))
    if state.graph is not None:
        result.set_shape(target.shape.concatenate(source.shape[1:]))
    return result


def _two(target: Tensor) -> Any:
    """The shape flattened to [batch, rest]."""
    first = run("StridedSlice", _shape(target), _vector([0]), _vector([1]), _vector([1]))
    return _join(first, _vector([-1]))


def zeros(target: Tensor, source: Any) -> Tensor:
    """The Jacobian of a target that does not depend on the source."""
    shape = _join(_shape(target), _shape(convert.convert_to_tensor(source)))
    return run("Fill", shape, convert.constant(0, target._dtype))


def batch_zeros(target: Tensor, source: Any) -> Tensor:
    return run("Fill", _join(_shape(target), _rest(source)), convert.constant(0, target._dtype))
