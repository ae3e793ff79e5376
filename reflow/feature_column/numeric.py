"""Numeric columns: unchanged, and in buckets."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any, NamedTuple

from reflow.api.array import arrange, creation
from reflow.api.call import call
from reflow.api.export import export
from reflow.api.math import arithmetic
from reflow.core import dtypes, nest
from reflow.core.shapes import TensorShape
from reflow.core.sparse import SparseTensor
from reflow.feature_column.base import CategoricalColumn, DenseColumn, check_key
from reflow.feature_column.serialization import Fields, registered
from reflow.io.feature_kinds import FixedLenFeature


class _Numeric(NamedTuple):
    key: str
    shape: tuple[int, ...]
    default_value: Any
    dtype: dtypes.DType
    normalizer_fn: Callable | None


@registered
class NumericColumn(Fields, DenseColumn, _Numeric):
    """What `numeric_column` makes."""

    FUNCTIONS = ("normalizer_fn",)

    name = property(lambda self: self.key)
    parents = property(lambda self: [self.key])
    variable_shape = property(lambda self: TensorShape(self.shape))

    @property
    def parse_example_spec(self):
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    def transform_feature(self, transformation_cache, state_manager):
        value = transformation_cache.get(self.key, state_manager)
        if isinstance(value, SparseTensor):
            raise ValueError(
                "The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not "
                f"supported. key: {self.key}"
            )
        return arithmetic.cast(value if self.normalizer_fn is None else self.normalizer_fn(value), dtypes.float32)

    def get_dense_tensor(self, transformation_cache, state_manager):
        return transformation_cache.get(self, state_manager)


@registered
class BucketizedColumn(
    Fields, DenseColumn, CategoricalColumn, collections.namedtuple("BucketizedColumn", ("source_column", "boundaries"))
):
    """The result of `bucketized_column`: the bucket of each number, one-hot or as an id."""

    COLUMNS = ("source_column",)

    name = property(lambda self: f"{self.source_column.name}_bucketized")
    parents = property(lambda self: [self.source_column])
    parse_example_spec = property(lambda self: self.source_column.parse_example_spec)
    _buckets = property(lambda self: len(self.boundaries) + 1)
    variable_shape = property(lambda self: TensorShape((*self.source_column.shape, self._buckets)))
    num_buckets = property(lambda self: self._buckets * self.source_column.shape[0])

    def transform_feature(self, transformation_cache, state_manager):
        values = transformation_cache.get(self.source_column, state_manager)
        return call("Bucketize", (values,), {"boundaries": [float(b) for b in self.boundaries]}, None)

    def get_dense_tensor(self, transformation_cache, state_manager):
        buckets = transformation_cache.get(self, state_manager)
        return creation.one_hot(arithmetic.cast(buckets, dtypes.int64), self._buckets, 1.0, 0.0)

    def get_sparse_tensors(self, transformation_cache, state_manager):
        """Each number of an example has its own buckets: those of the second come after those of the first."""
        buckets = transformation_cache.get(self, state_manager)
        numbers = self.source_column.shape[0]
        batch = arrange.shape(buckets)[0]
        row = arrange.reshape(arrange.tile(arrange.expand_dims(creation.range(batch), 1), [1, numbers]), [-1])
        place = arrange.tile(creation.range(numbers), arrange.expand_dims(batch, 0))
        ids = arrange.reshape(buckets, [-1]) + self._buckets * place
        indices = arithmetic.cast(arrange.stack([row, place], 1), dtypes.int64)
        shape = arithmetic.cast(arrange.stack([batch, numbers]), dtypes.int64)
        return CategoricalColumn.IdWeightPair(SparseTensor(indices, ids, shape), None)


@export("feature_column.numeric_column")
def numeric_column(key, shape=(1,), default_value=None, dtype=dtypes.float32, normalizer_fn=None):
    """Makes a column of real numbers.

    Args:
      key: The key of the feature.
      shape: The shape of its values in one example.
      default_value: What `tf.io.parse_example` puts in place of a missing feature, a number or an array of `shape`.
      dtype: The dtype of the values.
      normalizer_fn: A function that is applied to the parsed tensor.

    Returns:
      A dense column.

    Raises:
      TypeError: A dimension of `shape` is no integer, the default does not fit, or `normalizer_fn` cannot be called.
      ValueError: A dimension of `shape` is not positive, or `dtype` is no number type.

    >>> tf.feature_column.numeric_column("price", shape=2).shape
    (2,)
    """
    shape = check_shape(shape, key)
    check_number_type(dtype, key)
    default_value = _default(shape, default_value, dtype, key)
    check_function(normalizer_fn)
    check_key(key)
    return NumericColumn(key, shape, default_value, dtype, normalizer_fn)


@export("feature_column.bucketized_column")
def bucketized_column(source_column, boundaries):
    """Makes a column of the buckets of a numeric column's values.

    Args:
      source_column: A numeric column of one dimension.
      boundaries: Increasing numbers: the buckets are below the first, then from each up to the next.

    Returns:
      A column that is both dense (one-hot) and categorical.

    Raises:
      ValueError: `source_column` is another column, or `boundaries` is empty or not in order.

    >>> price = tf.feature_column.numeric_column("price")
    >>> tf.feature_column.bucketized_column(price, [0, 10]).num_buckets
    3
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(f"source_column must be a column generated with numeric_column(). Given: {source_column}")
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries:
        raise ValueError("boundaries must not be empty.")
    in_order = (
        isinstance(boundaries, (list, tuple)) and all(a < b for a, b in zip(boundaries, boundaries[1:], strict=False))
    )
    if not in_order:
        raise ValueError("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, tuple(boundaries))


# --- checks that sequences of numbers share


def check_shape(shape, key) -> tuple[int, ...]:
    """The shape of a feature as a tuple of positive integers."""
    shape = tuple(shape) if nest.is_nested(shape) else (shape,)
    for size in shape:
        if not isinstance(size, int):
            raise TypeError(f"shape dimensions must be integer. shape: {shape}, key: {key}")
        if size < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {shape}, key: {key}")
    return shape


def check_number_type(dtype, key) -> None:
    """Raise unless values of this dtype are numbers."""
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")


def check_function(normalizer_fn) -> None:
    """Raise unless a normalizer can be called."""
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")


def _default(shape: tuple, value: Any, dtype, key) -> Any:
    """The default as nested tuples of `shape`."""
    if value is None:
        return None
    if isinstance(value, int) or isinstance(value, float) and dtype.is_floating:
        return _repeated(shape, value)
    if callable(getattr(value, "tolist", None)):
        value = value.tolist()
    if nest.is_nested(value):
        if not _has_shape(value, shape):
            raise ValueError(
                f"The shape of default_value must be equal to given shape. default_value: {value}, "
                f"shape: {shape}, key: {key}"
            )
        leaves = nest.flatten(value)
        if (
            all(isinstance(leaf, int) for leaf in leaves)
            or dtype.is_floating and any(isinstance(leaf, float) for leaf in leaves)
        ):
            return _nested_tuples(value)
    raise TypeError(
        f"default_value must be compatible with dtype. default_value: {value}, dtype: {dtype}, key: {key}"
    )


def _repeated(shape, value):
    return tuple(_repeated(shape[1:], value) for _ in range(shape[0])) if shape else value


def _nested_tuples(value):
    return tuple(map(_nested_tuples, value)) if nest.is_nested(value) else value


def _has_shape(value, shape) -> bool:
    if not shape or not nest.is_nested(value):
        return not shape and not nest.is_nested(value)
    return len(value) == shape[0] and all(_has_shape(item, shape[1:]) for item in value)
