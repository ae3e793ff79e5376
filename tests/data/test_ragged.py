"""Ragged tensors in datasets: rows, batches of them, and what a batch of dense tensors of different lengths is."""

import numpy as np
import pytest

import reflow as tf

DS = tf.data.Dataset
RAGGED = tf.ragged.constant([[1, 2], [3], [], [4, 5, 6]])


def lists(dataset):
    return [x.to_list() if isinstance(x, tf.RaggedTensor) else x.numpy().tolist() for x in dataset]


def test_rows():
    """A row of a ragged tensor is a dense tensor, though its spec stays ragged, as in TensorFlow."""
    rows = DS.from_tensor_slices(RAGGED)
    assert rows.element_spec == tf.RaggedTensorSpec([None], tf.int32, 0)
    assert lists(rows) == lists(DS.from_tensors(RAGGED).unbatch()) == RAGGED.to_list()
    assert int(rows.cardinality()) == 4
    assert all(isinstance(x, tf.Tensor) for x in rows)


def test_batches():
    batches = DS.from_tensor_slices((RAGGED, [10, 20, 30, 40])).batch(3)
    assert batches.element_spec == (tf.RaggedTensorSpec([None, None], tf.int32, 1), tf.TensorSpec([None], tf.int32))
    assert [(a.to_list(), b.numpy().tolist()) for a, b in batches] == [
        ([[1, 2], [3], []], [10, 20, 30]),
        ([[4, 5, 6]], [40]),
    ]
    assert lists(DS.from_tensor_slices(RAGGED).batch(3, drop_remainder=True)) == [[[1, 2], [3], []]]


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_deep_batches_and_their_rows(dtype):
    deep = tf.RaggedTensor.from_nested_row_lengths(tf.range(6), [[2, 0, 1], [2, 1, 3]]).with_row_splits_dtype(dtype)
    batches = DS.from_tensor_slices(deep).batch(2)
    assert batches.element_spec == tf.RaggedTensorSpec([None, None, None], tf.int32, 2, dtype)
    assert lists(batches) == [deep.to_list()[:2], deep.to_list()[2:]]
    assert lists(batches.unbatch()) == deep.to_list()
    assert lists(batches.unbatch().batch(3)) == [deep.to_list()]
    assert all(x.row_splits.dtype is dtype for x in batches)


def test_inner_dimensions_stay_dense():
    batches = DS.range(4).map(lambda x: tf.RaggedTensor.from_tensor(tf.fill([x, 2], x))).batch(3, drop_remainder=True)
    assert batches.element_spec == tf.RaggedTensorSpec([3, None, 2], tf.int64, 2)
    assert lists(batches) == [[[], [[1, 1]], [[2, 2], [2, 2]]]]


def test_ragged_batch():
    batches = DS.range(4).map(tf.range).ragged_batch(3, row_splits_dtype=tf.int32)
    assert batches.element_spec == tf.RaggedTensorSpec([None, None], tf.int64, 1, tf.int32)
    assert lists(batches) == [[[], [0], [0, 1]], [[0, 1, 2]]]
    dense = DS.range(4).batch(2, drop_remainder=True).ragged_batch(2)  # of known shape: nothing is ragged
    assert dense.element_spec == tf.TensorSpec([None, 2], tf.int64)
    assert lists(dense) == [[[0, 1], [2, 3]]]
    by_function = DS.range(4).map(tf.range).apply(tf.data.experimental.dense_to_ragged_batch(4))
    assert lists(by_function) == [[[], [0], [0, 1], [0, 1, 2]]]


def test_in_functions_and_with_other_transformations():
    @tf.function
    def total(dataset):
        return dataset.batch(2).map(lambda x: x * 2).reduce(0, lambda s, x: s + tf.reduce_sum(x))

    assert int(total(DS.from_tensor_slices(RAGGED))) == 42
    shuffled = lists(DS.from_tensor_slices(RAGGED).shuffle(4, seed=1).repeat(2).batch(8))
    assert sorted(shuffled[0]) == sorted(RAGGED.to_list() * 2)


def test_positions_within_a_batch_can_be_restored():
    dataset = DS.from_tensors(RAGGED).unbatch()._variant_tensor._value
    iterator, other = dataset.iterate(), dataset.iterate()
    next(iterator)
    other.restore(iterator.state())
    assert [[c.tolist() for c in element] for element in other] == [[[3]], [[]], [[4, 5, 6]]]


def test_padded_batches_are_refused():
    with pytest.raises(TypeError, match="only supported for datasets that produce tensor elements"):
        DS.from_tensor_slices(RAGGED).padded_batch(2)


def test_numpy_of_equal_and_unequal_rows():
    """`numpy()` makes inner rows first: rows of rows are arrays of objects where any inner lengths differ."""
    equal = tf.ragged.constant([[[0], [0]], [[1], [1]]]).numpy()
    assert equal.shape == (2, 2, 1) and equal.dtype == np.int32
    mixed = tf.ragged.constant([[[0], [0]], [[1, 1], [1, 1]]]).numpy()
    assert mixed.shape == (2, 2) and mixed.dtype == object and mixed[1, 0].tolist() == [1, 1]
    assert tf.ragged.constant([], ragged_rank=1, dtype=tf.int32).numpy().shape == (0, 0)
