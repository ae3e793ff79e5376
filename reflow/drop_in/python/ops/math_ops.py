"""`tensorflow.python.ops.math_ops`: functions without a public name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reflow.api.array import arrange, creation
from reflow.api.array.blocks import dynamic_stitch
from reflow.api.linalg.products import matmul
from reflow.api.math import arithmetic, reduce, unary
from reflow.api.raw_ops import raw_ops
from reflow.core import dtypes
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.tensor import Tensor
from reflow.drop_in.python.ops.array_ops import shape_internal
from reflow.ops.convert import convert_to_tensor


def _bucketize(input: Any, boundaries: Sequence[float], name: str | None = None) -> Any:
    """The index of the bucket, between `boundaries`, in which each number lies."""
    return raw_ops.Bucketize(input=input, boundaries=boundaries, name=name)


def _of_kind(booleans: Any, bits: Any, x: Any, *rest: Any, name: str | None) -> Any:
    return (booleans if x.dtype == dtypes.bool_ else bits)(x, *rest, name=name)


def and_(x: Any, y: Any, name: str | None = None) -> Any:
    """The operator `&`: logical of booleans, bit by bit of integers."""
    return _of_kind(arithmetic.logical_and, arithmetic.bitwise_and, x, y, name=name)


def or_(x: Any, y: Any, name: str | None = None) -> Any:
    """The operator `|`."""
    return _of_kind(arithmetic.logical_or, arithmetic.bitwise_or, x, y, name=name)


def xor_(x: Any, y: Any, name: str | None = None) -> Any:
    """The operator `^`."""
    return _of_kind(arithmetic.logical_xor, arithmetic.bitwise_xor, x, y, name=name)


def invert_(x: Any, name: str | None = None) -> Any:
    """The operator `~`."""
    return _of_kind(unary.logical_not, unary.invert, x, name=name)


def matmul_wrapper(a: Any, b: Any, name: str | None = None) -> Any:
    """The operator `@`."""
    return matmul(a, b, name=name)


def reduce_sum_with_dims(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None, dims: Any = None
) -> Any:
    """The sum along the axes `dims`; `axis` says only what the caller asked for."""
    return reduce.reduce_sum(input_tensor, dims if axis is None else axis, bool(keepdims), name)


def reduce_max_with_dims(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None, dims: Any = None
) -> Any:
    """The maximum along the axes `dims`; `axis` says only what the caller asked for."""
    return reduce.reduce_max(input_tensor, dims if axis is None else axis, bool(keepdims), name)


def reduced_shape(input_shape: Any, axes: Any) -> Any:
    """The shape of a reduction that keeps its axes: with 1 at these. An array if both are known, else a tensor."""
    shape, at = arrange.get_static_value(input_shape), arrange.get_static_value(axes)
    if shape is not None and at is not None:
        found = np.array(shape, np.int32)
        found[np.array(at, np.int32)] = 1
        return found
    axes = convert_to_tensor(axes)
    rank = arrange.size(input_shape, axes.dtype)
    places = [creation.range(rank), arithmetic.floormod(axes, rank)]
    return dynamic_stitch(places, [input_shape, creation.ones(arrange.shape(axes), input_shape.dtype)])


class DivideDelegateWithName:
    """A number that names the nodes of its quotients."""

    def __init__(self, x: Any, name: str | None) -> None:
        self.x, self.name = x, name

    def __truediv__(self, y: Any) -> Any:
        return arithmetic.truediv(self.x, y, self.name)

    def __floordiv__(self, y: Any) -> Any:
        return arithmetic.floordiv(self.x, y, self.name)


def _ReductionDims(x: Any, axis: Any) -> Any:
    """The axes of a reduction: all of them if `axis` is None."""
    if axis is not None:
        return axis
    return creation.range(x.shape.rank or arrange.rank(x))


def _as_indexed_slices(x: Any, optimize: bool = True) -> IndexedSlices:
    """A tensor as indexed slices that hold all of its rows.

    Raises:
        TypeError: it is neither a tensor nor indexed slices.
    """
    if isinstance(x, IndexedSlices):
        return x
    if not isinstance(x, Tensor):
        raise TypeError(f"Not a Tensor or IndexedSlices: {type(x)}.")
    shape = shape_internal(x, optimize=optimize)
    return IndexedSlices(x, creation.range(shape[0]), shape)


def _as_indexed_slices_list(inputs: Sequence[Any], optimize: bool = True) -> list[IndexedSlices]:
    """Tensors as indexed slices, whose indices have one dtype.

    Raises:
        TypeError: they are in no list.
    """
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"Expected a list or tuple, not {type(inputs)}.")
    slices = [_as_indexed_slices(x, optimize) for x in inputs]
    if all(s.indices.dtype == slices[0].indices.dtype for s in slices):
        return slices
    return [IndexedSlices(s.values, arithmetic.cast(s.indices, dtypes.int64), s.dense_shape) for s in slices]


