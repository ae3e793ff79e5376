"""Categorical columns built from others: weighted ids, and crosses."""

from __future__ import annotations

import collections

from reflow.api.export import export
from reflow.api.math import arithmetic
from reflow.api.sparse import crosses
from reflow.core import dtypes
from reflow.core.sparse import SparseTensor
from reflow.feature_column.base import CategoricalColumn, FeatureColumn, dense_or_sparse, to_sparse_input
from reflow.feature_column.categorical import HashedCategoricalColumn
from reflow.feature_column.serialization import Fields, registered
from reflow.io.feature_kinds import VarLenFeature


@registered
class WeightedCategoricalColumn(
    Fields,
    CategoricalColumn,
    collections.namedtuple("WeightedCategoricalColumn", ("categorical_column", "weight_feature_key", "dtype")),
):
    """What `weighted_categorical_column` makes."""

    COLUMNS = ("categorical_column",)

    name = property(lambda self: f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}")
    parents = property(lambda self: [self.categorical_column, self.weight_feature_key])
    num_buckets = property(lambda self: self.categorical_column.num_buckets)

    @property
    def parse_example_spec(self):
        spec = self.categorical_column.parse_example_spec
        if self.weight_feature_key in spec:
            raise ValueError(
                f"Parse config {spec[self.weight_feature_key]} already exists for {self.weight_feature_key}."
            )
        return {**spec, self.weight_feature_key: VarLenFeature(self.dtype)}

    def transform_feature(self, transformation_cache, state_manager):
        weights = self._weights(transformation_cache.get(self.weight_feature_key, state_manager))
        return to_sparse_input(transformation_cache.get(self.categorical_column, state_manager)), weights

    def get_sparse_tensors(self, transformation_cache, state_manager):
        return CategoricalColumn.IdWeightPair(*transformation_cache.get(self, state_manager))

    def _weights(self, value) -> SparseTensor:
        if value is None:
            raise ValueError(f"Missing weights {self.weight_feature_key}.")
        weights = dense_or_sparse(value)
        if self.dtype is not weights.dtype:
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {weights.dtype}.")
        weights = to_sparse_input(weights, ignore_value=0)
        if weights.dtype.is_floating:
            return weights
        return SparseTensor(weights.indices, arithmetic.cast(weights.values, dtypes.float32), weights.dense_shape)


@registered
class CrossedColumn(
    Fields, CategoricalColumn, collections.namedtuple("CrossedColumn", ("keys", "hash_bucket_size", "hash_key"))
):
    """What `crossed_column` makes."""

    COLUMNS = ("keys",)

    parents = property(lambda self: list(self.keys))
    num_buckets = property(lambda self: self.hash_bucket_size)

    @property
    def name(self):
        return "_X_".join(sorted(getattr(key, "name", key) for key in self._leaves()))

    def _leaves(self) -> list:
        """The keys and columns below all crosses."""
        return [leaf for key in self.keys for leaf in (key._leaves() if isinstance(key, CrossedColumn) else [key])]

    @property
    def parse_example_spec(self):
        spec: dict = {}
        for key in self.keys:
            spec |= key.parse_example_spec if isinstance(key, FeatureColumn) else {key: VarLenFeature(dtypes.string)}
        return spec

    def transform_feature(self, transformation_cache, state_manager):
        features = []
        for leaf in self._leaves():
            if isinstance(leaf, str):
                features.append(transformation_cache.get(leaf, state_manager))
                continue
            pair = leaf.get_sparse_tensors(transformation_cache, state_manager)
            if pair.weight_tensor is not None:
                raise ValueError(
                    "crossed_column does not support weight_tensor, but the given column populates weight_tensor. "
                    f"Given column: {leaf.name}"
                )
            features.append(pair.id_tensor)
        return crosses.cross_hashed(features, self.hash_bucket_size, self.hash_key)


@export("feature_column.weighted_categorical_column")
def weighted_categorical_column(categorical_column, weight_feature_key, dtype=dtypes.float32):
    """Gives the ids of a categorical column weights, from a feature of the same shape.

    Args:
      categorical_column: The column of the ids.
      weight_feature_key: The key of the weights.
      dtype: The dtype of the weights, a number type.

    Returns:
      A categorical column.

    Raises:
      ValueError: `dtype` is no number type.

    >>> words = tf.feature_column.categorical_column_with_hash_bucket("words", 10)
    >>> tf.feature_column.weighted_categorical_column(words, "counts").name
    'words_weighted_by_counts'
    """
    if dtype is None or not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype {dtype} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtype)


@export("feature_column.crossed_column")
def crossed_column(keys, hash_bucket_size, hash_key=None):
    """Makes a column of combinations of features, which get ids by their hash.

    Args:
      keys: Keys of features (strings) or categorical columns, except those by hash, whose collisions would add up.
      hash_bucket_size: How many ids there are.
      hash_key: A number that changes the hash.

    Returns:
      A categorical column.

    Raises:
      ValueError: There are fewer than two keys, one is unsuitable, or `hash_bucket_size` is not positive.

    >>> tf.feature_column.crossed_column(["country", "language"], 100).name
    'country_X_language'
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, (str, CategoricalColumn)):
            raise ValueError(
                "Unsupported key type. All keys must be either string, or categorical column except "
                f"HashedCategoricalColumn. Given: {key}"
            )
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing before crossing will "
                f"increase probability of collision. Instead, use the feature name as a string. Given: {key}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)
