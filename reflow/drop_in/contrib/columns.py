"""Feature columns of `tf.contrib.layers`: the columns of `tf.feature_column` under their first names.

A `real_valued_column` named "" is the feature of models whose features are one matrix (`tf.contrib.learn`).
"""

from __future__ import annotations

from typing import Any

from reflow.compat.variable_scopes import variable_scope
from reflow.core import dtypes
from reflow.feature_column import categorical, combined, dense, numeric
from reflow.feature_column.base import make_parse_example_spec
from reflow.feature_column.scopes import input_layer, linear_model


def real_valued_column(column_name, dimension=1, default_value=None, dtype=dtypes.float32, normalizer=None):
    """Numbers: a vector of `dimension` for each example."""
    if dimension is None:
        raise ValueError("real_valued_column: dimension must be a number; features of any length need padding first.")
    return numeric.numeric_column(column_name, (dimension,), default_value, dtype, normalizer)


def bucketized_column(source_column, boundaries):
    """The index of the bucket that a number falls into, given the boundaries."""
    return numeric.bucketized_column(source_column, tuple(boundaries))


def _summed(combiner: str | None) -> None:
    if combiner not in (None, "sum"):
        raise ValueError(
            "Columns of a linear model add up their weights; give a combiner to the model, not to "
            f"the column. Got {combiner!r}"
        )


def sparse_column_with_hash_bucket(column_name, hash_bucket_size, combiner="sum", dtype=dtypes.string, hash_keys=None):
    """Classes by the hash of a word or a number."""
    if hash_keys is not None:
        raise ValueError("sparse_column_with_hash_bucket: hash_keys are not supported.")
    _summed(combiner)
    return categorical.categorical_column_with_hash_bucket(column_name, int(hash_bucket_size), dtypes.as_dtype(dtype))


def sparse_column_with_keys(column_name, keys, default_value=-1, combiner="sum", dtype=dtypes.string):
    """A column of classes that are listed."""
    _summed(combiner)
    return categorical.categorical_column_with_vocabulary_list(
        column_name, tuple(keys), dtypes.as_dtype(dtype), default_value
    )


def sparse_column_with_vocabulary_file(
    column_name, vocabulary_file, num_oov_buckets=0, vocab_size=None, default_value=-1, combiner="sum",
    dtype=dtypes.string,
):
    """Classes that are the lines of a file."""
    _summed(combiner)
    default = None if num_oov_buckets else default_value
    return categorical.categorical_column_with_vocabulary_file(
        column_name, vocabulary_file, vocab_size, num_oov_buckets, default, dtypes.as_dtype(dtype)
    )


def sparse_column_with_integerized_feature(column_name, bucket_size, combiner="sum", dtype=dtypes.int64):
    """Classes that are numbers below `bucket_size` already."""
    _summed(combiner)
    return categorical.categorical_column_with_identity(column_name, bucket_size)


def weighted_sparse_column(sparse_id_column, weight_column_name, dtype=dtypes.float32):
    """Classes with weights, which are another feature."""
    return combined.weighted_categorical_column(sparse_id_column, weight_column_name, dtypes.as_dtype(dtype))


def crossed_column(columns, hash_bucket_size, combiner="sum", hash_key=None, **options):
    """Pairs of classes, by their hash. Columns of hashes are crossed by their words."""
    if options:
        raise ValueError(f"crossed_column: {sorted(options)} are not supported.")
    _summed(combiner)
    words = [c.key if isinstance(c, categorical.HashedCategoricalColumn) else c for c in columns]
    return combined.crossed_column(words, int(hash_bucket_size), hash_key)


def one_hot_column(sparse_id_column):
    """Classes as a vector of zeros and ones."""
    return dense.indicator_column(sparse_id_column)


def embedding_column(
    sparse_id_column, dimension, combiner="mean", initializer=None, ckpt_to_load_from=None, tensor_name_in_ckpt=None,
    max_norm=None, trainable=True,
):
    """Classes as vectors that are learned."""
    return dense.embedding_column(
        sparse_id_column, dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable
    )


def create_feature_spec_for_parsing(feature_columns):
    """What `tf.parse_example` needs to read features."""
    return make_parse_example_spec(list(feature_columns))


parse_feature_columns_from_examples_spec = create_feature_spec_for_parsing


def input_from_feature_columns(
    columns_to_tensors, feature_columns, weight_collections=None, trainable=True, scope=None, cols_to_outs=None
):
    """The numbers of columns as one matrix."""
    with variable_scope(scope, "input_from_feature_columns", list(columns_to_tensors.values())):
        return input_layer(
            columns_to_tensors, list(feature_columns), weight_collections, trainable,
            cols_to_output_tensors=cols_to_outs,
        )


def weighted_sum_from_feature_columns(
    columns_to_tensors, feature_columns, num_outputs, weight_collections=None, trainable=True, scope=None
):
    """A linear model: its output, the variables of each column, and the bias."""
    with variable_scope(scope, "weighted_sum_from_feature_columns", list(columns_to_tensors.values())):
        variables: dict[Any, Any] = {}
        output = linear_model(
            columns_to_tensors, list(feature_columns), num_outputs, "sum", weight_collections, trainable,
            cols_to_vars=variables,
        )
        bias = variables.pop("bias")
        return output, variables, bias[0] if isinstance(bias, list) else bias


