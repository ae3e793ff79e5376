"""Columns of sequences: ids or numbers for each time step of an example."""

from __future__ import annotations

import collections

from reflow.api.array import arrange, creation
from reflow.api.export import export, with_sections
from reflow.api.math import arithmetic, reduce, segment, unary
from reflow.api.sparse import tensors as sparse
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.sparse import SparseTensor
from reflow.feature_column import categorical
from reflow.feature_column.base import CategoricalColumn, SequenceDenseColumn
from reflow.feature_column.numeric import check_function, check_number_type, check_shape
from reflow.feature_column.serialization import Fields, registered
from reflow.io.feature_kinds import VarLenFeature


@registered
class SequenceCategoricalColumn(
    Fields, CategoricalColumn, collections.namedtuple("SequenceCategoricalColumn", ("categorical_column",))
):
    """The ids of a categorical column, [batch size, time, values per step]."""

    COLUMNS = ("categorical_column",)

    name = property(lambda self: self.categorical_column.name)
    parents = property(lambda self: [self.categorical_column])
    parse_example_spec = property(lambda self: self.categorical_column.parse_example_spec)
    num_buckets = property(lambda self: self.categorical_column.num_buckets)

    def transform_feature(self, transformation_cache, state_manager):
        return self.categorical_column.transform_feature(transformation_cache, state_manager)

    def get_sparse_tensors(self, transformation_cache, state_manager):
        pair = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        shape = pair.id_tensor.dense_shape
        steps = arrange.concat([shape[:2], arrange.expand_dims(reduce.reduce_prod(shape[2:]), 0)], 0)
        weights = None if pair.weight_tensor is None else sparse.reshape(pair.weight_tensor, steps)
        return CategoricalColumn.IdWeightPair(sparse.reshape(pair.id_tensor, steps), weights)


@registered
class SequenceNumericColumn(
    Fields,
    SequenceDenseColumn,
    collections.namedtuple("SequenceNumericColumn", ("key", "shape", "default_value", "dtype", "normalizer_fn")),
):
    """What `sequence_numeric_column` makes."""

    FUNCTIONS = ("normalizer_fn",)

    name = property(lambda self: self.key)
    parents = property(lambda self: [self.key])
    parse_example_spec = property(lambda self: {self.key: VarLenFeature(self.dtype)})
    variable_shape = property(lambda self: TensorShape(self.shape))

    def transform_feature(self, transformation_cache, state_manager):
        value = transformation_cache.get(self.key, state_manager)
        return value if self.normalizer_fn is None else self.normalizer_fn(value)

    def get_sequence_dense_tensor(self, transformation_cache, state_manager):
        values = transformation_cache.get(self, state_manager)
        dense = sparse.to_dense(values, default_value=self.default_value)
        batch = arrange.shape(dense)[:1]
        dense = arrange.reshape(dense, arrange.concat([batch, [-1], list(self.shape)], 0))
        per_step = self.variable_shape.num_elements() if values.shape.rank == 2 else 1
        return SequenceDenseColumn.TensorSequenceLengthPair(dense, sequence_lengths(values, per_step))


def sequence_lengths(values: SparseTensor, per_step: int = 1):
    """The number of steps of each row of a sparse tensor: that of its last entry, at `per_step` entries a step."""
    rows, ends = values.indices[:, 0], values.indices[:, 1] + 1
    longest = segment.segment_max(ends, rows)  # rows after the last that has entries are missing here
    steps = arithmetic.cast(unary.ceil(arithmetic.divide(longest, per_step)), dtypes.int64)
    missing = values.dense_shape[:1] - arrange.shape(steps, out_type=dtypes.int64)
    return arrange.concat([steps, creation.zeros(missing, dtypes.int64)], 0)


# --- public functions


@export("feature_column.sequence_categorical_column_with_identity")
@with_sections(categorical.COLUMN, kind="column of id sequences")
def sequence_categorical_column_with_identity(key, num_buckets, default_value=None):
    """The same as `categorical_column_with_identity`, for sequences.

    Args:
      default_value: What replaces integers outside of that range; by default they are an error.

    >>> tf.feature_column.sequence_categorical_column_with_identity("watched", 1000).num_buckets
    1000
    """
    return SequenceCategoricalColumn(categorical.categorical_column_with_identity(key, num_buckets, default_value))


@export("feature_column.sequence_categorical_column_with_hash_bucket")
@with_sections(categorical.COLUMN, kind="column of id sequences")
def sequence_categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=dtypes.string):
    """The same as `categorical_column_with_hash_bucket`, for sequences.

    >>> tf.feature_column.sequence_categorical_column_with_hash_bucket("tokens", 1000).num_buckets
    1000
    """
    return SequenceCategoricalColumn(categorical.categorical_column_with_hash_bucket(key, hash_bucket_size, dtype))


@export("feature_column.sequence_categorical_column_with_vocabulary_file")
@with_sections(categorical.COLUMN, kind="column of id sequences")
def sequence_categorical_column_with_vocabulary_file(
    key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0, default_value=None, dtype=dtypes.string
):
    """The same as `categorical_column_with_vocabulary_file`, for sequences.

    Args:
      num_oov_buckets: If positive, how many ids after those of the file other values get, by their hash.
      default_value: The id of values that the file lacks; by default -1.

    >>> import os, pathlib, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "steps.txt")
    >>> _ = pathlib.Path(path).write_text("left\\nright\\n")
    >>> tf.feature_column.sequence_categorical_column_with_vocabulary_file("steps", path).num_buckets
    2
    """
    column = categorical.categorical_column_with_vocabulary_file_v1
    return SequenceCategoricalColumn(
        column(key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype)
    )


@export("feature_column.sequence_categorical_column_with_vocabulary_list")
@with_sections(categorical.COLUMN, kind="column of id sequences")
def sequence_categorical_column_with_vocabulary_list(
    key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0
):
    """The same as `categorical_column_with_vocabulary_list`, for sequences.

    Args:
      dtype: The dtype of the feature; by default that of the list.
      default_value: The id of values that the list lacks.
      num_oov_buckets: If positive, how many ids after those of the list such values get, by their hash.

    >>> tf.feature_column.sequence_categorical_column_with_vocabulary_list("colors", ["R", "G"]).num_buckets
    2
    """
    column = categorical.categorical_column_with_vocabulary_list
    return SequenceCategoricalColumn(column(key, vocabulary_list, dtype, default_value, num_oov_buckets))


@export("feature_column.sequence_numeric_column")
def sequence_numeric_column(key, shape=(1,), default_value=0.0, dtype=dtypes.float32, normalizer_fn=None):
    """Makes a column of real numbers for each time step.

    Args:
      key: The key of the feature.
      shape: The shape of its values in one time step.
      default_value: What shorter sequences are filled up with.
      dtype: The dtype of the values.
      normalizer_fn: A function that is applied to the dense tensor.

    Returns:
      A column of number sequences.

    Raises:
      TypeError: A dimension of `shape` is no integer, or `normalizer_fn` cannot be called.
      ValueError: A dimension of `shape` is not positive, or `dtype` is no number type.

    >>> tf.feature_column.sequence_numeric_column("temperature").variable_shape
    TensorShape([1])
    """
    shape = check_shape(shape, key)
    check_number_type(dtype, key)
    check_function(normalizer_fn)
    return SequenceNumericColumn(key, shape, default_value, dtype, normalizer_fn)


def concatenate_context_input(context_input, sequence_input):
    """Numbers per example joined to those of each time step.

    >>> concatenate_context_input(tf.ones([2, 3]), tf.ones([2, 4, 5])).shape
    TensorShape([2, 4, 8])
    """
    for value, name, rank in ((sequence_input, "sequence_input", 3), (context_input, "context_input", 2)):
        if value.shape.rank is not None and value.shape.rank != rank:
            raise ValueError(f"{name} must have rank {rank}. Static shape: {value.shape}.")
        if value.dtype is not dtypes.float32:
            raise TypeError(f"{name} must have dtype float32; got {value.dtype}.")
    steps = arrange.shape(sequence_input)[1]
    per_step = arrange.tile(arrange.expand_dims(context_input, 1), arrange.stack([1, steps, 1]))
    return arrange.concat([sequence_input, per_step], 2)
