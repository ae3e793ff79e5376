"""Categorical columns: strings or integers become ids, by hash, by vocabulary, or unchanged."""

from __future__ import annotations

import collections
import types
from typing import Any, NamedTuple

import numpy as np

from reflow.api.export import export, with_sections
from reflow.api.framework.v1_logging import info
from reflow.api.math import arithmetic
from reflow.api.strings import elementwise
from reflow.core import dtypes
from reflow.core.context import init_scope
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import Tensor
from reflow.feature_column.base import CategoricalColumn, check_key, check_string_or_int, to_sparse_input
from reflow.feature_column.serialization import Fields, registered
from reflow.io import file_system
from reflow.io.feature_kinds import VarLenFeature
from reflow.lookup.buckets import StaticVocabularyTable
from reflow.lookup.public import (
    KeyValueTensorInitializer,
    StaticHashTable,
    TextFileIndex,
    TextFileInitializer,
)
from reflow.ops.convert import convert_to_tensor


class KeyedColumn(Fields, CategoricalColumn):
    """A categorical column of one feature: it computes the ids of the values that are present."""

    key: Any
    dtype: Any

    name = property(lambda self: self.key)
    parents = property(lambda self: [self.key])
    parse_example_spec = property(lambda self: {self.key: VarLenFeature(self.dtype)})

    def transform_feature(self, transformation_cache, state_manager):
        return self._ids(to_sparse_input(transformation_cache.get(self.key, state_manager)), state_manager)

    def _ids(self, values: SparseTensor, state_manager) -> SparseTensor:
        raise NotImplementedError

    def _check_type(self, values: SparseTensor) -> None:
        if self.dtype.is_integer != values.dtype.is_integer:
            raise ValueError(
                f"Column dtype and SparseTensors dtype must be compatible. key: {self.key}, column dtype: "
                f"{self.dtype}, tensor dtype: {values.dtype}"
            )
        check_string_or_int(values.dtype, f"column_name: {self.key} input_tensor")


@registered
class HashedCategoricalColumn(
    KeyedColumn, collections.namedtuple("HashedCategoricalColumn", ("key", "hash_bucket_size", "dtype"))
):
    """What `categorical_column_with_hash_bucket` makes."""

    num_buckets = property(lambda self: self.hash_bucket_size)

    def _ids(self, values, state_manager):
        self._check_type(values)
        text = values.values if self.dtype is dtypes.string else elementwise.as_string(values.values)
        ids = elementwise.to_hash_bucket_fast(text, self.hash_bucket_size)
        return SparseTensor(values.indices, ids, values.dense_shape)


class _VocabularyColumn(KeyedColumn):
    """A column with a table, which the state manager keeps."""

    num_oov_buckets: Any
    default_value: Any

    def _ids(self, values, state_manager):
        self._check_type(values)
        kind = self.dtype
        if values.dtype.is_integer:
            kind = dtypes.int64
            values = SparseTensor(values.indices, arithmetic.cast(values.values, kind), values.dense_shape)
        return self._table(kind, state_manager).lookup(values)

    def _table(self, key_dtype, state_manager):
        name = f"{self.key}_lookup"
        if state_manager is not None and state_manager.has_resource(self, name):
            return state_manager.get_resource(self, name)
        with init_scope():
            table = self._new_table(key_dtype, name)
        if state_manager is not None:
            state_manager.add_resource(self, name, table)
        return table

    def _new_table(self, key_dtype, name):
        start = self._initializer(key_dtype)
        if self.num_oov_buckets:
            return StaticVocabularyTable(start, self.num_oov_buckets, lookup_key_dtype=key_dtype, name=name)
        return StaticHashTable(start, self.default_value, name=name)

    def _initializer(self, key_dtype):
        raise NotImplementedError


class _File(NamedTuple):
    key: str
    vocabulary_file: str
    vocabulary_size: int
    num_oov_buckets: int
    dtype: dtypes.DType
    default_value: int
    file_format: str | None = None


@registered
class VocabularyFileCategoricalColumn(_VocabularyColumn, _File):
    """What `categorical_column_with_vocabulary_file` makes: the id of a value is the number of its line."""

    LATER = types.MappingProxyType({"file_format": None})
    num_buckets = property(lambda self: self.vocabulary_size + self.num_oov_buckets)

    def _initializer(self, key_dtype):
        return TextFileInitializer(
            self.vocabulary_file, key_dtype, TextFileIndex.WHOLE_LINE, dtypes.int64, TextFileIndex.LINE_NUMBER,
            self.vocabulary_size,
        )

    def _new_table(self, key_dtype, name):
        if self.file_format != "tfrecord_gzip":
            return super()._new_table(key_dtype, name)
        from reflow.lookup.from_datasets import index_table_from_dataset

        records = _records(self.vocabulary_file)
        if key_dtype is not dtypes.string:
            records = records.map(lambda record: elementwise.to_number(record, key_dtype))
        return index_table_from_dataset(
            records, self.num_oov_buckets, self.vocabulary_size, self.default_value, key_dtype=key_dtype, name=name
        )


class _List(NamedTuple):
    key: str
    vocabulary_list: tuple
    dtype: dtypes.DType
    default_value: int
    num_oov_buckets: int


@registered
class VocabularyListCategoricalColumn(_VocabularyColumn, _List):
    """What `categorical_column_with_vocabulary_list` makes: the id of a value is its place in the list."""

    num_buckets = property(lambda self: len(self.vocabulary_list) + self.num_oov_buckets)

    def _initializer(self, key_dtype):
        places = np.arange(len(self.vocabulary_list), dtype=np.int64)
        return KeyValueTensorInitializer(convert_to_tensor(list(self.vocabulary_list), key_dtype), places)


@registered
class IdentityCategoricalColumn(
    KeyedColumn, collections.namedtuple("IdentityCategoricalColumn", ("key", "number_buckets", "default_value"))
):
    """What `categorical_column_with_identity` makes."""

    num_buckets = property(lambda self: self.number_buckets)
    parse_example_spec = property(lambda self: {self.key: VarLenFeature(dtypes.int64)})

    def _ids(self, values, state_manager):
        if not values.dtype.is_integer:
            raise ValueError(f"Invalid input, not integer. key: {self.key} dtype: {values.dtype}")
        ids = arithmetic.cast(values.values, dtypes.int64)
        if self.default_value is not None:
            inside = arithmetic.logical_and(ids >= 0, ids < self.number_buckets)
            ids = arithmetic.where(inside, ids, convert_to_tensor(self.default_value, dtypes.int64))
        return SparseTensor(values.indices, ids, values.dense_shape)


# --- public functions


COLUMN = """\
Args:
  key: The key of the feature.
  num_buckets: How many ids there are; they are in `[0, num_buckets)`.
  hash_bucket_size: How many ids there are.
  vocabulary_file: The file.
  vocabulary_size: How many lines are read; by default all.
  vocabulary_list: The values, strings or integers.
  dtype: The dtype of the feature, string or an integer.

Returns:
  A {kind}.
"""


@export("feature_column.categorical_column_with_hash_bucket")
@with_sections(COLUMN, kind="categorical column")
def categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=dtypes.string):
    """Makes a column that gives values ids by their hash: `fingerprint(value) % hash_bucket_size`.

    Args:
      dtype: The dtype of the feature, string or an integer; integers are hashed as strings.

    Raises:
      ValueError: `hash_bucket_size` is not positive, or `dtype` is another.

    >>> tf.feature_column.categorical_column_with_hash_bucket("words", 1000).num_buckets
    1000
    """
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}")
    check_key(key)
    check_string_or_int(dtype, f"column_name: {key}")
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


@export("feature_column.categorical_column_with_vocabulary_file")
@with_sections(COLUMN, kind="categorical column")
def categorical_column_with_vocabulary_file(
    key, vocabulary_file, vocabulary_size=None, dtype=dtypes.string, default_value=None, num_oov_buckets=0,
    file_format=None,
):
    """Makes a column that gives values ids by the lines of a file.

    Args:
      default_value: The id of values that the file lacks; by default -1.
      num_oov_buckets: If positive, how many ids after those of the file such values get, by their hash.
      file_format: "tfrecord_gzip" for a compressed TFRecord file; by default a text file.

    Raises:
      ValueError: There is no such file, or both `default_value` and `num_oov_buckets` are given.

    >>> import os, pathlib, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "states.txt")
    >>> _ = pathlib.Path(path).write_text("CA\\nNY\\n")
    >>> tf.feature_column.categorical_column_with_vocabulary_file("state", path).vocabulary_size
    2
    """
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if file_format is None and vocabulary_file.endswith("tfrecord.gz"):
        file_format = "tfrecord_gzip"
    if vocabulary_size is None:
        vocabulary_size = _counted(key, vocabulary_file, file_format)
    if not isinstance(vocabulary_size, Tensor) and vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    _check_buckets(key, num_oov_buckets, default_value is not None)
    check_string_or_int(dtype, f"column_name: {key}")
    check_key(key)
    default_value = -1 if default_value is None else default_value
    return VocabularyFileCategoricalColumn(
        key, vocabulary_file, vocabulary_size, num_oov_buckets or 0, dtype, default_value, file_format
    )


def _counted(key, path, file_format):
    """The number of entries of a file, and a line in the log that says so."""
    if not file_system.exists(path):
        raise ValueError(f"vocabulary_file in {key} does not exist.")
    if file_format == "tfrecord_gzip":
        size = _records(path).reduce(0, lambda count, _: count + 1)
        size = size.numpy() if hasattr(size, "numpy") else size
    else:
        with file_system.GFile(path, "rb") as file:
            size = sum(1 for _ in file)
    info(
        "vocabulary_size = %s in %s is inferred from the number of elements in the vocabulary_file %s.", size, key, path
    )
    return size


def _records(path):
    from reflow.io.datasets import TFRecordDataset

    return TFRecordDataset(path, "GZIP")


def _check_buckets(key, num_oov_buckets, has_default: bool) -> None:
    if num_oov_buckets:
        if has_default:
            raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
        if num_oov_buckets < 0:
            raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")


@export("compat.v1.feature_column.categorical_column_with_vocabulary_file")
def categorical_column_with_vocabulary_file_v1(
    key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0, default_value=None, dtype=dtypes.string
):
    """`tf.feature_column.categorical_column_with_vocabulary_file` with version 1's order of arguments.

    >>> import os, pathlib, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "names.txt")
    >>> _ = pathlib.Path(path).write_text("ann\\nbob\\n")
    >>> tf.compat.v1.feature_column.categorical_column_with_vocabulary_file("name", path, 2, 3).num_buckets
    5
    """
    return categorical_column_with_vocabulary_file(
        key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets
    )


@export("feature_column.categorical_column_with_vocabulary_list")
@with_sections(COLUMN, kind="categorical column")
def categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0):
    """Makes a column that gives values ids by their places in a list.

    Args:
      dtype: The dtype of the feature; by default that of the list.
      default_value: The id of values that the list lacks.
      num_oov_buckets: If positive, how many ids after those of the list such values get, by their hash.

    Raises:
      ValueError: The list is empty, has a value twice or another dtype, or both `default_value` and `num_oov_buckets`
        are given.

    >>> tf.feature_column.categorical_column_with_vocabulary_list("color", ["R", "G"], num_oov_buckets=2).num_buckets
    4
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    kind = dtypes.as_dtype(np.array(vocabulary_list).dtype)
    _check_buckets(key, num_oov_buckets, default_value != -1)
    check_string_or_int(kind, f"column_name: {key} vocabulary")
    if dtype is None:
        dtype = kind
    elif dtype.is_integer != kind.is_integer:
        raise ValueError(f"dtype {dtype} and vocabulary dtype {kind} do not match, column_name: {key}")
    check_string_or_int(dtype, f"column_name: {key}")
    check_key(key)
    return VocabularyListCategoricalColumn(key, tuple(vocabulary_list), dtype, default_value, num_oov_buckets)


@export("feature_column.categorical_column_with_identity")
@with_sections(COLUMN, kind="categorical column")
def categorical_column_with_identity(key, num_buckets, default_value=None):
    """Makes a column of integers that are ids already.

    Args:
      default_value: What replaces integers outside of that range; by default they are an error.

    Raises:
      ValueError: `num_buckets` is not positive, or `default_value` is out of range.

    >>> tf.feature_column.categorical_column_with_identity("hour", 24).name
    'hour'
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}")
    check_key(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)
