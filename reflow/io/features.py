"""Datasets of parsed `tf.train.Example`s: `make_batched_features_dataset`, `parse_example_dataset`, and readers."""

from __future__ import annotations

from typing import Any

from reflow.api.export import export
from reflow.core import dtypes
from reflow.data.base import AUTOTUNE
from reflow.data.dataset import DatasetV2
from reflow.data.options import Options
from reflow.io.datasets import TFRecordDataset
from reflow.io.parsing import parse_example


def shuffled_and_repeated(dataset, epochs, shuffle: bool, buffer_size: int, seed):
    """The dataset in random order, `epochs` times (None: without end)."""
    if shuffle:
        dataset = dataset.shuffle(buffer_size, seed)
    return dataset if epochs == 1 else dataset.repeat(epochs)


def in_parallel(dataset, read, count: int, sloppy: bool):
    """`read` of each element, which gives datasets, `count` of them at a time."""
    if count == AUTOTUNE:
        options = Options()
        options.deterministic = not sloppy
        return dataset.interleave(read, num_parallel_calls=count).with_options(options)
    return dataset.interleave(read, cycle_length=count, num_parallel_calls=count, deterministic=not sloppy)


@export("data.experimental.parse_example_dataset")
def parse_example_dataset(features, num_parallel_calls=1, deterministic=None):
    """Returns a transformation that parses batches of serialized `tf.train.Example`s, as `tf.io.parse_example` does.

    Args:
      features: For each key how its values become a tensor.
      num_parallel_calls: How many batches are parsed at the same time; or `tf.data.AUTOTUNE`.
      deterministic: With parallel calls: if False, batches come in the order in which they are ready.

    Returns:
      A function for `tf.data.Dataset.apply`, to a dataset of dictionaries of tensors.

    Raises:
      ValueError: `features` is None.
      TypeError: When it is applied: the elements are not vectors of strings.

    >>> feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"a": feature})).SerializeToString()
    >>> ds = tf.data.Dataset.from_tensors([example])
    >>> parse = tf.data.experimental.parse_example_dataset({"a": tf.io.FixedLenFeature([], tf.int64)})
    >>> next(iter(ds.apply(parse)))["a"].numpy().tolist()
    [7]
    """
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")

    def apply(dataset):
        spec = dataset.element_spec
        if getattr(spec, "dtype", None) is not dtypes.string or spec.shape.rank not in (1, None):
            raise TypeError(
                "Input dataset should be a dataset of vectors of strings. Instead it is `" + repr(spec) + "`."
            )
        return dataset.map(
            lambda texts: parse_example(texts, features),
            num_parallel_calls=num_parallel_calls,
            deterministic=deterministic,
        )

    return apply


_NO_DATASET = "The `reader` argument must return a `Dataset` object. `tf.ReaderBase` subclasses are not supported."


def _records(found: Any) -> DatasetV2:
    """What a `reader` has returned, if it is a dataset."""
    if not isinstance(found, DatasetV2):
        raise TypeError(_NO_DATASET)
    return found


@export("data.experimental.make_batched_features_dataset")
def make_batched_features_dataset(
    file_pattern, batch_size, features, reader=None, label_key=None, reader_args=None, num_epochs=None, shuffle=True,
    shuffle_buffer_size=10000, shuffle_seed=None, prefetch_buffer_size=None, reader_num_threads=None,
    parser_num_threads=None, sloppy_ordering=False, drop_final_batch=False,
):
    """Reads batches of the `tf.train.Example`s in files, parsed into dictionaries of tensors.

    Args:
      file_pattern: A pattern of file names, or a list of them.
      batch_size: The number of examples in a batch.
      features: For each key how its values become a tensor, as in `tf.io.parse_example`.
      reader: A function from a file name to the dataset of its records; by default `tf.data.TFRecordDataset`.
      label_key: The feature that is given separately: elements are then pairs of the other features and the labels.
      reader_args: More arguments for `reader`.
      num_epochs: How often the examples are read; by default without end, and then all batches are full.
      shuffle, shuffle_buffer_size, shuffle_seed: Whether and how files and examples are shuffled.
      prefetch_buffer_size: How many batches are made ahead; chosen automatically by default.
      reader_num_threads: How many files are read at a time; by default one.
      parser_num_threads: How many batches are parsed at a time; by default two.
      sloppy_ordering: Whether examples of files may come in the order in which they are ready.
      drop_final_batch: Whether a smaller last batch is dropped.

    Returns:
      A dataset.

    Raises:
      TypeError: `reader` does not give datasets.
      ValueError: `label_key` is not in `features`.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/ages"
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     age = tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))
    ...     writer.write(tf.train.Example(features=tf.train.Features(feature={"age": age})).SerializeToString())
    >>> ds = tf.data.experimental.make_batched_features_dataset(path, 1, {"age": tf.io.FixedLenFeature([], tf.int64)},
    ...                                                         num_epochs=1)
    >>> [batch["age"].numpy().tolist() for batch in ds]
    [[7]]
    """
    reader = TFRecordDataset if reader is None else reader
    if isinstance(reader, type) and not issubclass(reader, DatasetV2):
        raise TypeError(_NO_DATASET)
    threads = 1 if reader_num_threads is None else reader_num_threads
    files = DatasetV2.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    dataset: Any = in_parallel(files, lambda name: _records(reader(name, *(reader_args or ()))), threads,
                               sloppy_ordering)
    if isinstance(dataset.element_spec, tuple) and len(dataset.element_spec) == 2:  # pairs of keys and records
        dataset = dataset.map(lambda _, record: record)
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    calls = 2 if parser_num_threads is None else parser_num_threads
    dataset = dataset.apply(parse_example_dataset(features, num_parallel_calls=calls))
    if label_key:
        if label_key not in features:
            raise ValueError(
                f"The `label_key` provided ({label_key}) must be one of the `features` keys: {features.keys()}."
            )
        dataset = dataset.map(lambda x: (x, x.pop(label_key)))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


@export("__internal__.data.make_tf_record_dataset")
def make_tf_record_dataset(
    file_pattern, batch_size, parser_fn=None, num_epochs=None, shuffle=True, shuffle_buffer_size=None,
    shuffle_seed=None, prefetch_buffer_size=AUTOTUNE, num_parallel_reads=None, num_parallel_parser_calls=None,
    drop_final_batch=False,
):
    """Batches of the records of files, each put through `parser_fn`."""
    threads = 24 if num_parallel_reads is None else num_parallel_reads
    if num_parallel_parser_calls is None:
        num_parallel_parser_calls = batch_size
    if prefetch_buffer_size is None:
        prefetch_buffer_size = AUTOTUNE
    if shuffle_buffer_size is None:
        shuffle_buffer_size = 10000
    files = DatasetV2.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    dataset = in_parallel(files, TFRecordDataset, threads, sloppy=False)
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    drop = drop_final_batch or num_epochs is None
    if parser_fn is not None:
        dataset = dataset.map(parser_fn, num_parallel_calls=num_parallel_parser_calls)
    dataset = dataset.batch(batch_size, drop_remainder=drop)
    return dataset if prefetch_buffer_size == 0 else dataset.prefetch(prefetch_buffer_size)
