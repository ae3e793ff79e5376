"""Lookup tables filled by datasets."""

from __future__ import annotations

from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.specs import TensorSpec
from reflow.core.tensor import Tensor
from reflow.data.experimental_names import assert_cardinality
from reflow.lookup.buckets import FastHashSpec, with_buckets
from reflow.lookup.public import TableInitializerBase


def _check_spec(spec):
    needed = (
        "Datasets used to initialize lookup tables must produce elements in the form (key, value), where the keys and "
        "values are scalar tensors. However, the given dataset produces "
    )
    if not isinstance(spec, tuple) or len(spec) != 2:
        count = len(spec) if isinstance(spec, (tuple, dict)) else 1
        raise ValueError(
            f"{needed}{count} components instead of two (key, value) components. Full dataset element spec: {spec}."
        )
    for what, part in zip(("key", "value"), spec, strict=True):
        if not isinstance(part, TensorSpec):
            raise ValueError(f"{needed}non-Tensor {what}s of type {type(part)}.")
        if part.shape.rank not in (None, 0):
            raise ValueError(f"{needed}non-scalar {what} Tensors of rank {part.shape.rank}.")


@export("data.experimental.DatasetInitializer")
class DatasetInitializer(TableInitializerBase):
    """Fills a table with the pairs of a key and a value that a dataset holds.

    Args:
      dataset: A dataset of pairs of scalars.

    Raises:
      ValueError: Its elements are no such pairs.

    >>> keys = tf.data.Dataset.from_tensor_slices(["a", "b"])
    >>> init = tf.data.experimental.DatasetInitializer(tf.data.Dataset.zip(keys, tf.data.Dataset.range(2)))
    >>> tf.lookup.StaticHashTable(init, -1).lookup(tf.constant(["b", "c"])).numpy().tolist()
    [1, -1]
    """

    def __init__(self, dataset):
        _check_spec(dataset.element_spec)
        self.dataset = dataset
        super().__init__(dataset.element_spec[0].dtype, dataset.element_spec[1].dtype)

    def initialize(self, table):
        """Fill a table."""
        self._check(table)
        return call("InitializeTableFromDataset", (table.resource_handle, self.dataset._variant_tensor))


@export("data.experimental.table_from_dataset")
def table_from_dataset(
    dataset=None, num_oov_buckets=0, vocab_size=None, default_value=None, hasher_spec=None, key_dtype=dtypes.string,
    name=None,
):
    """Creates a table of the pairs of a key and a value in a dataset.

    Args:
      dataset: A dataset of pairs of scalars.
      num_oov_buckets: How many numbers there are for keys that the dataset lacks, by their hash.
      vocab_size: How many pairs are read, which must be there; by default all.
      default_value: The value of other keys if there are no buckets; -1 for integers.
      hasher_spec: How keys are hashed to buckets; by default a fast hash.
      key_dtype: The dtype of the keys that are looked up.
      name: A name for the operation.

    Returns:
      A lookup table.

    Raises:
      ValueError: The elements are no pairs of scalars, or a number is negative.
      TypeError: The keys are neither strings nor integers.

    >>> pairs = tf.data.Dataset.from_tensor_slices((["a", "b"], tf.constant([5, 6], tf.int64)))
    >>> table = tf.data.experimental.table_from_dataset(pairs, default_value=-1)
    >>> table.lookup(tf.constant(["b", "z"])).numpy().tolist()
    [6, -1]
    """
    key_dtype = dtypes.as_dtype(key_dtype)
    _check_spec(dataset.element_spec)
    if default_value is None:
        default_value = -1
        if dataset.element_spec[1].dtype is not dtypes.int64 and not dataset.element_spec[1].dtype.is_integer:
            raise ValueError(
                "`default_value` must be specified when creating a table from a dataset that produces values of type "
                f"{dataset.element_spec[1].dtype}."
            )
    if num_oov_buckets < 0:
        raise ValueError(f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}.")
    if not isinstance(vocab_size, Tensor) and vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    if not key_dtype.is_integer and key_dtype is not dtypes.string:
        raise TypeError(f"`key_dtype` must be either an integer or string type, but got {key_dtype}")
    if vocab_size is not None:
        dataset = dataset.take(vocab_size).apply(assert_cardinality(vocab_size))
    initializer = DatasetInitializer(dataset)
    return with_buckets(initializer, default_value, num_oov_buckets, hasher_spec or FastHashSpec, name, key_dtype)


@export("data.experimental.index_table_from_dataset")
def index_table_from_dataset(
    dataset=None, num_oov_buckets=0, vocab_size=None, default_value=-1, hasher_spec=None, key_dtype=dtypes.string,
    name=None,
):
    """Creates a table from the elements of a dataset to their positions.

    Args:
      dataset: A dataset of scalars.
      num_oov_buckets: How many numbers there are for keys that the dataset lacks, by their hash.
      vocab_size: How many elements are read, which must be there; by default all.
      default_value: The value of other keys if there are no buckets.
      hasher_spec: How keys are hashed to buckets; by default a fast hash.
      key_dtype: The dtype of the keys that are looked up.
      name: A name for the operation.

    Returns:
      A lookup table with int64 values.

    >>> table = tf.data.experimental.index_table_from_dataset(tf.data.Dataset.from_tensor_slices(["a", "b"]))
    >>> table.lookup(tf.constant(["b", "z"])).numpy().tolist()
    [1, -1]
    """
    pairs = dataset.enumerate().map(lambda index, key: (key, index))
    return table_from_dataset(pairs, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name)
