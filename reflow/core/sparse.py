"""`SparseTensor`: the non-zero entries of a tensor, as `indices` [n, rank], `values` [n] and `dense_shape` [rank].

Converting the parts to tensors, and arithmetic, need ops: `tensors.py` and `arithmetic.py` in `reflow/api/sparse/`
install them.
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.core import dtypes
from reflow.core.shapes import TensorShape, dims_of, merge
from reflow.core.specs import TensorSpec, TypeSpec, batched, unbatched
from reflow.core.types import Dims, DTypeLike, ShapeLike, TensorLike

SparseTensorValue = collections.namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])
SparseTensorValue.__doc__ = """What a session gives for a sparse tensor, takes for a sparse placeholder: three arrays.

>>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
...     value = session.run(tf.sparse.from_dense([0, 7]))
>>> value.indices.tolist(), value.values.tolist(), value.dense_shape.tolist()
([[1]], [7], [2])
"""


def to_tensor(value: TensorLike, dtype: dtypes.DType | None = None) -> Any:
    """Installed by `reflow.api.sparse.tensors`: `convert_to_tensor`."""
    raise RuntimeError("reflow.api is not loaded.")


def install_conversion(function: Callable[..., Any]) -> None:
    global to_tensor
    to_tensor = function


class SparseTensor:
    """A tensor given by its non-zero entries, in row-major order.

    Args:
      indices: The coordinates of the entries, a matrix of dtype int64 with a row for each.
      values: The entries, a vector.
      dense_shape: The shape of the tensor, a vector of dtype int64.

    Raises:
      ValueError: The shapes of the three do not match.

    >>> tf.sparse.to_dense(SparseTensor([[0, 1]], [5], [1, 3])).numpy().tolist()
    [[0, 5, 0]]
    """

    _is_composite = True
    is_tensor_like = True
    __array_priority__ = 100

    def __init__(self, indices: TensorLike, values: TensorLike, dense_shape: TensorLike) -> None:
        self._indices = to_tensor(indices, dtypes.int64)
        self._values = to_tensor(values)
        self._dense_shape = to_tensor(dense_shape, dtypes.int64)
        i, v, s = (t.shape._dims for t in (self._indices, self._values, self._dense_shape))
        for dims, wanted in ((i, 2), (v, 1), (s, 1)):
            if dims is not None and len(dims) != wanted:
                raise ValueError(f"Shape {TensorShape(dims)} must have rank {wanted}")
        if i is not None and v is not None and None not in (i[0], v[0]) and i[0] != v[0]:
            raise ValueError(f"Dimensions {i[0]} and {v[0]} are not compatible")
        if i is not None and s is not None and None not in (i[1], s[0]) and i[1] != s[0]:
            raise ValueError(f"Dimensions {i[1]} and {s[0]} are not compatible")
        rank = None if s is None else s[0]
        self._dims = merge(_static(self._dense_shape), None if rank is None else (None,) * rank)

    indices = property(lambda self: self._indices)
    values = property(lambda self: self._values)
    dense_shape = property(lambda self: self._dense_shape)
    dtype = property(lambda self: self._values.dtype)
    _dtype = dtype

    @property
    def shape(self) -> TensorShape:
        return TensorShape._of(self._dims)

    rank = property(lambda self: self.shape.rank)
    name = property(lambda self: self._values.name)
    op = property(lambda self: self._values.op)
    graph = property(lambda self: self._values.graph)
    device = property(lambda self: self._values.device)

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """From a `SparseTensorValue` or a sparse tensor."""
        if not isinstance(sparse_tensor_value, (SparseTensor, SparseTensorValue)):
            raise TypeError(
                f"Argument sparse_tensor_value={sparse_tensor_value} is neither a SparseTensor nor SparseTensorValue"
            )
        return cls(sparse_tensor_value.indices, sparse_tensor_value.values, sparse_tensor_value.dense_shape)

    def get_shape(self) -> TensorShape:
        """The shape of the dense tensor."""
        return self.shape

    def set_shape(self, shape: ShapeLike) -> None:
        """Refine the static shape."""
        self._dims = merge(self._dims, dims_of(shape))

    def _tell_sizes(self) -> None:
        """Let a symbolic shape tensor know the static sizes: shapes computed from it are then static too.

        As in TensorFlow, the elements of datasets and of `tf.map_fn` do this, and the arguments of functions do not."""
        if self._dims is not None and getattr(self._dense_shape, "_is_symbolic", False):
            self._dense_shape._static = self._dims

    def map_values(self, function: Callable[[Any], Any]) -> SparseTensor:
        """Apply a function of one tensor to the stored values."""
        return self.with_values(function(self._values))

    def with_values(self, new_values: TensorLike) -> SparseTensor:
        """The same entries with other values."""
        other = SparseTensor(self._indices, new_values, self._dense_shape)
        other._dims = self._dims
        return other

    def consumers(self) -> Any:
        """The operations of the graph that read the values."""
        return self._values.consumers()

    def eval(self, feed_dict: Any = None, session: Any = None) -> SparseTensorValue:
        """The value; for a graph's tensor, what a session computes (`tf.compat.v1`)."""
        if self._values._is_symbolic:
            return self._values.evaluated(self, feed_dict, session)
        return SparseTensorValue(self._indices.numpy(), self._values.numpy(), self._dense_shape.numpy())

    def _is_eager(self) -> bool:
        return not self._values._is_symbolic

    def _numpy(self) -> np.ndarray:
        """The dense array, outside of graphs."""
        if not self._is_eager():
            raise ValueError("SparseTensor.numpy() is only supported in eager mode.")
        dense = np.zeros(self._dense_shape.numpy(), self.dtype.as_numpy_dtype)
        dense[tuple(self._indices.numpy().T)] = self._values.numpy()
        return dense

    def _shape_as_list(self) -> list[int | None] | None:
        return None if self._dims is None else list(self._dims)

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(self.shape, self.dtype)

    def _shape_invariant_to_type_spec(self, shape: TensorShape) -> SparseTensorSpec:
        """The spec of a loop variable whose `dense_shape` has a given shape, as loops describe sparse tensors."""
        if shape.rank not in (None, 1):
            raise ValueError(f"Expected a shape with 1 dimension. Obtained: {shape} which has {shape.rank} dimensions.")
        rank = None if shape.rank is None else shape[0]
        return SparseTensorSpec(None if rank is None else [None] * rank, self.dtype)

    def __repr__(self) -> str:
        return f"SparseTensor(indices={self._indices!s}, values={self._values!s}, dense_shape={self._dense_shape!s})"


def _static(dense_shape: Any) -> Dims | None:
    """The static shape that a shape tensor describes, or None."""
    value = getattr(dense_shape, "_static", None)
    if value is None and hasattr(type(dense_shape), "_host") and not getattr(dense_shape, "_is_symbolic", False):
        value = dense_shape._host().tolist()
    return None if value is None else tuple(None if d is None or d < 0 else int(d) for d in value)


class SparseTensorSpec(TypeSpec):
    """The spec of a sparse tensor.

    Args:
      shape: The shape, with None for any size; by default any.
      dtype: The dtype of the entries.

    >>> SparseTensorSpec([None, 3], "int32")
    SparseTensorSpec(TensorShape([None, 3]), tf.int32)
    """

    __slots__ = ("_shape", "_dtype_")
    value_type = SparseTensor

    def __init__(self, shape: ShapeLike | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        self._shape, self._dtype_ = TensorShape(shape), dtypes.as_dtype(dtype)

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype_)
    rank = property(lambda self: self._shape.rank)

    def _serialize(self) -> tuple[Any, ...]:
        return (self._shape, self._dtype_)

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        """The spec of a sparse tensor."""
        return cls(value.shape, value.dtype)

    @property
    def _component_specs(self) -> list[TensorSpec]:
        rank = self._shape.rank
        return [
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self._dtype_),
            TensorSpec([rank], dtypes.int64),
        ]

    def _batch(self, size: int | None) -> SparseTensorSpec:
        """The spec of a batch of `size` such tensors."""
        return SparseTensorSpec(batched(self._shape, size), self._dtype_)

    def _unbatch(self) -> SparseTensorSpec:
        """The spec of a row."""
        return SparseTensorSpec(unbatched(self._shape), self._dtype_)

    def _to_components(self, value: Any) -> list[Any]:
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, components: Any) -> Any:
        if not all(hasattr(c, "_dtype") for c in components):  # NumPy arrays, or specs
            return SparseTensorValue(*components)
        result = SparseTensor(*components)
        result._dims = merge(result._dims, self._shape._dims)
        return result
