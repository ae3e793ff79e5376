"""`tf.data.experimental`: what became methods since, as functions for `apply`; random access; cardinality."""

from __future__ import annotations

from reflow.api.call import call
from reflow.api.export import export, export_value
from reflow.core import dtypes
from reflow.data import structure
from reflow.data.base import AUTOTUNE, int64
from reflow.data.dataset import DatasetV2


@export("data.experimental.cardinality")
def cardinality(dataset):
    """`dataset.cardinality()`.

    >>> int(cardinality(DatasetV2.range(3)))
    3
    """
    return dataset.cardinality()


@export("__internal__.data.compute_batch_size")
def compute_batch_size(dataset):
    """The batch size of a dataset's elements: from their static shape, else from how the dataset was made, else -1.

    >>> int(compute_batch_size(DatasetV2.range(10).batch(4).repeat()))
    4
    """
    sizes = {spec.shape[0] for spec in structure.spec_leaves(dataset.element_spec)}
    if len(sizes) == 1 and None not in sizes:
        return int64(sizes.pop())
    return call("ComputeBatchSize", (dataset._variant_tensor,))


@export("data.experimental.assert_cardinality")
def assert_cardinality(expected_cardinality):
    """For `apply`: declares how many elements there are, and checks it while they are read.

    >>> len(DatasetV2.range(4).filter(lambda x: x < 2).apply(assert_cardinality(2)))
    2
    """
    return lambda dataset: dataset._then("AssertCardinalityDataset", (int64(expected_cardinality),))


@export("data.experimental.dense_to_ragged_batch")
def dense_to_ragged_batch(batch_size, drop_remainder=False, row_splits_dtype=dtypes.int64):
    """For `apply`: `dataset.ragged_batch(…)`.

    >>> next(iter(DatasetV2.range(3).map(lambda n: n[None]).apply(dense_to_ragged_batch(2)))).shape
    TensorShape([2, 1])
    """
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


@export("data.experimental.at")
def at(dataset, index):
    """The element at an index.

    >>> int(at(DatasetV2.range(5), 2))
    2
    """
    spec = dataset.element_spec
    return structure.from_components(
        spec, call("GetElementAtIndex", (dataset._variant_tensor, int64(index)), structure.type_attrs(spec))
    )


@export("data.experimental.get_next_as_optional")
def get_next_as_optional(iterator):
    """`iterator.get_next_as_optional()`."""
    return iterator.get_next_as_optional()


@export("data.experimental.get_single_element")
def get_single_element(dataset):
    """`dataset.get_single_element()`."""
    return dataset.get_single_element()


@export("data.experimental.get_structure")
def get_structure(dataset_or_iterator):
    """`element_spec` of a dataset or an iterator."""
    return dataset_or_iterator.element_spec


@export("data.experimental.to_variant")
def to_variant(dataset):
    """The variant tensor of a dataset."""
    return dataset._variant_tensor


@export("data.experimental.from_variant")
def from_variant(variant, structure):
    """The dataset in a variant tensor; `structure` is its element spec."""
    return DatasetV2(variant, element_spec=structure, label="_VariantDataset")


@export("data.experimental.from_list")
def from_list(elements, name=None):
    """A dataset of the elements of a list.

    >>> [int(a) for a, _ in from_list([(1, "a"), (2, "b")])]
    [1, 2]
    """
    if not elements:
        raise ValueError("Invalid `elements`. `elements` should not be empty.")
    parts = [DatasetV2.from_tensors(e) for e in elements]
    dataset = parts[0]
    for part in parts[1:]:
        dataset = dataset.concatenate(part)
    return dataset


def _as_function(method: str, public: str):
    """The method as a function that returns a transformation."""

    def function(*args, **kwargs):
        return lambda dataset: getattr(dataset, method)(*args, **kwargs)

    function.__name__ = function.__qualname__ = public
    function.__doc__ = f"For `apply`: `dataset.{method}(...)`."
    return export_value(function, f"data.experimental.{public}")


unbatch = _as_function("unbatch", "unbatch")
scan = _as_function("scan", "scan")
take_while = _as_function("take_while", "take_while")
unique = _as_function("unique", "unique")
group_by_window = _as_function("group_by_window", "group_by_window")
ignore_errors = _as_function("ignore_errors", "ignore_errors")
enumerate_dataset = _as_function("enumerate", "enumerate_dataset")
bucket_by_sequence_length = _as_function("bucket_by_sequence_length", "bucket_by_sequence_length")

choose_from_datasets = export_value(DatasetV2.choose_from_datasets, "data.experimental.choose_from_datasets")
sample_from_datasets = export_value(DatasetV2.sample_from_datasets, "data.experimental.sample_from_datasets")
Counter = export_value(DatasetV2.counter, "data.experimental.Counter")
RandomDataset = export_value(DatasetV2.random, "data.experimental.RandomDataset")


@export("data.experimental.shuffle_and_repeat")
def shuffle_and_repeat(buffer_size, count=None, seed=None):
    """For `apply`: `shuffle`, then `repeat`."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


@export("data.experimental.map_and_batch")
def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    """For `apply`: `map`, then `batch`."""
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)


@export("data.experimental.prefetch_to_device")
def prefetch_to_device(device, buffer_size=None):
    """For `apply`, as the last transformation: makes elements ahead."""
    return lambda dataset: dataset.prefetch(AUTOTUNE if buffer_size is None else buffer_size)


@export("data.experimental.copy_to_device")
def copy_to_device(target_device, source_device="/cpu:0"):
    """For `apply`: elements move when they are used, so this passes them on."""
    return lambda dataset: dataset
