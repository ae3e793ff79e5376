"""`IndexedSlices`: a sparse stack of slices, the gradient of a gather.

Row `indices[i]` of the dense tensor has `values[i]` added to it; a row may appear several times.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.specs import TensorSpec, TypeSpec
from reflow.core.types import DTypeLike, ShapeLike, Structure


class IndexedSlices:
    """Slices of a tensor at given indices of its first axis.

    Args:
      values: The slices, a tensor whose first axis is that of `indices`.
      indices: The row of each slice, a vector of integers; rows that repeat add up.
      dense_shape: The shape of the whole tensor, a vector of integers, if known.

    >>> s = IndexedSlices(tf.constant([[1., 2.]]), tf.constant([1]), dense_shape=tf.constant([3, 2]))
    >>> tf.convert_to_tensor(s).numpy().tolist()
    [[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]
    """

    _is_composite = True
    is_tensor_like = True
    __module__ = "tensorflow.python.framework.indexed_slices"

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values, self._indices, self._dense_shape = values, indices, dense_shape

    values = property(lambda self: self._values)
    indices = property(lambda self: self._indices)
    dense_shape = property(lambda self: self._dense_shape)
    dtype = property(lambda self: self._values.dtype)
    _dtype = dtype
    name = property(lambda self: self._values.name)
    op = property(lambda self: self._values.op)
    graph = property(lambda self: self._values.graph)
    device = property(lambda self: self._values.device)

    def consumers(self) -> Any:
        """The operations of the graph that read the values."""
        return self._values.consumers()

    @property
    def shape(self) -> TensorShape:
        """The shape of the dense tensor, as far as it is known."""
        if self._dense_shape is None:
            return TensorShape(None)
        if getattr(self._dense_shape, "_is_symbolic", False):
            count = (self._dense_shape._dims or (None,))[0]
            return TensorShape(self._dense_shape._static or (None if count is None else [None] * count))
        return TensorShape([int(d) for d in self._dense_shape._host()])

    def get_shape(self) -> TensorShape:
        return self.shape

    @property
    def _type_spec(self) -> IndexedSlicesSpec:
        known = self._dense_shape is not None
        shape = self.shape if known else TensorShape([None]).concatenate(self._values.shape[1:])
        kind = self._dense_shape.dtype if known else None
        return IndexedSlicesSpec(shape, self.dtype, self._indices.dtype, kind, self._indices.shape)

    def _shape_invariant_to_type_spec(self, shape: TensorShape) -> IndexedSlicesSpec:
        """The spec of a loop variable whose values have a given shape."""
        kind = None if self._dense_shape is None else self._dense_shape.dtype
        whole = TensorShape([None]).concatenate(shape[1:])
        return IndexedSlicesSpec(whole, self.dtype, self._indices.dtype, kind, shape[:1])

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __str__(self) -> str:
        dense = "" if self._dense_shape is None else f", dense_shape={self._dense_shape!s}"
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{dense})"


class IndexedSlicesValue(NamedTuple):
    """The arrays of slices, as a session returns them."""

    values: Any
    indices: Any
    dense_shape: Any = None


class IndexedSlicesSpec(TypeSpec):
    """The spec of an `IndexedSlices`.

    Args:
      shape: The shape of the whole tensor; by default any.
      dtype: The dtype of the slices.
      indices_dtype: The dtype of the indices, int32 or int64.
      dense_shape_dtype: The dtype of `dense_shape`; None if there is none.
      indices_shape: The shape of the indices; by default a vector of any length.

    >>> tf.IndexedSlicesSpec([5, 2]).value_type.__name__
    'IndexedSlices'
    """

    __slots__ = ("_shape", "_values_dtype", "_indices_dtype", "_dense_shape_dtype", "_indices_shape")

    def __init__(
        self, shape: ShapeLike | None = None, dtype: DTypeLike = dtypes.float32,
        indices_dtype: DTypeLike = dtypes.int64, dense_shape_dtype: DTypeLike | None = None,
        indices_shape: ShapeLike | None = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._values_dtype = dtypes.as_dtype(dtype)
        self._indices_dtype = dtypes.as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else dtypes.as_dtype(dense_shape_dtype)
        self._indices_shape = TensorShape([None]) if indices_shape is None else TensorShape(indices_shape)

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._values_dtype)

    @property
    def value_type(self) -> type:
        return IndexedSlices

    def _serialize(self) -> tuple[Any, ...]:
        return (self._shape, self._values_dtype, self._indices_dtype, self._dense_shape_dtype, self._indices_shape)

    @property
    def _component_specs(self) -> Structure:
        values = TensorSpec(self._indices_shape.concatenate(self._shape[1:]), self._values_dtype)
        parts = [values, TensorSpec(self._indices_shape, self._indices_dtype)]
        if self._dense_shape_dtype is not None:
            parts.append(TensorSpec([self._shape.rank], self._dense_shape_dtype))
        return tuple(parts)

    def _to_components(self, value: Any) -> Structure:
        parts = (value.values, value.indices)
        return parts if value.dense_shape is None else (*parts, value.dense_shape)

    def _from_components(self, components: Structure) -> Any:
        return self.value_type(*components)
