"""Batches of ragged elements, and their rows."""

import pytest

import reflow as tf

D = tf.data.Dataset


def test_rows_become_batches_and_rows_again():
    ragged = tf.ragged.constant([[1], [], [2, 3], [4]])
    batches = list(D.from_tensor_slices(ragged).batch(3))
    assert [b.to_list() for b in batches] == [[[1], [], [2, 3]], [[4]]]
    assert [r.numpy().tolist() for r in D.from_tensor_slices(ragged).batch(3).unbatch()] == [[1], [], [2, 3], [4]]


def test_dense_rows_of_different_length():
    batches = list(D.range(1, 4).map(lambda n: tf.fill([n], n)).ragged_batch(2))
    assert [b.to_list() for b in batches] == [[[1], [2, 2]], [[3, 3, 3]]]
    dropped = list(D.range(1, 4).map(lambda n: tf.fill([n], n)).ragged_batch(2, drop_remainder=True))
    assert [b.to_list() for b in dropped] == [[[1], [2, 2]]]


def test_two_ragged_axes():
    ragged = tf.ragged.constant([[[1], [2, 3]], [], [[4]]])
    (batch,) = D.from_tensor_slices(ragged).batch(3)
    assert batch.to_list() == ragged.to_list() and batch.ragged_rank == 2


def test_an_iterator_of_ragged_batches_is_restored(tmp_path):
    iterator = iter(D.from_tensor_slices(tf.ragged.constant([[1], [], [2, 3], [4]])).batch(1))
    next(iterator)
    path = tf.train.Checkpoint(i=iterator).save(tmp_path / "x")
    rest = [b.to_list() for b in iterator]
    again = iter(D.from_tensor_slices(tf.ragged.constant([[1], [], [2, 3], [4]])).batch(1))
    tf.train.Checkpoint(i=again).restore(path)
    assert [b.to_list() for b in again] == rest == [[[]], [[2, 3]], [[4]]]


def _sparse(n):
    """A sparse vector of length n whose last entry is n."""
    return tf.SparseTensor([[n - 1]], [n], [n])


def _parts(x):
    return [part.numpy().tolist() for part in (x.indices, x.values, x.dense_shape)]


def test_sparse_elements_are_batched_to_the_largest_and_taken_apart():
    ds = D.range(1, 4).map(_sparse)
    first, last = ds.batch(2)
    assert _parts(first) == [[[0, 0], [1, 1]], [1, 2], [2, 2]]
    assert _parts(last) == [[[0, 2]], [3], [1, 3]]
    assert ds.batch(2, drop_remainder=True).element_spec == tf.SparseTensorSpec([2, None], tf.int64)
    assert [_parts(x)[1] for x in ds.batch(3).unbatch()] == [[1], [2], [3]]
    assert [_parts(x)[1] for x in ds.batch(3).rebatch(2)] == [[1, 2], [3]]


def test_sparse_elements_of_different_rank_are_refused():
    ds = D.range(2).map(
        lambda i: tf.cond(i > 0, lambda: tf.sparse.from_dense([[1]]), lambda: tf.sparse.from_dense([1]))
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="Inconsistent shape across SparseTensors"):
        list(ds.batch(2))


def test_entries_in_another_order_belong_to_their_rows():
    batch = tf.SparseTensor([[1, 0], [0, 2], [0, 1]], [5, 6, 7], [2, 3])
    assert [_parts(x)[1] for x in D.from_tensor_slices(batch)] == [[6, 7], [5]]


def test_parsed_examples_with_lists_of_any_length_are_batched():
    def example(n):
        feature = tf.train.Feature(int64_list=tf.train.Int64List(value=range(n)))
        return tf.train.Example(features=tf.train.Features(feature={"a": feature})).SerializeToString()

    ds = D.from_tensor_slices([example(n) for n in (2, 0, 1)])
    (batch,) = ds.map(lambda e: tf.io.parse_single_example(e, {"a": tf.io.VarLenFeature(tf.int64)})).batch(3)
    assert tf.sparse.to_dense(batch["a"], -1).numpy().tolist() == [[0, 1], [-1, -1], [0, -1]]


def test_datasets_are_batched_and_taken_apart():
    nested = D.range(3).map(D.range).batch(2)
    assert nested.element_spec == tf.data.DatasetSpec(tf.TensorSpec([], tf.int64), [None])
    assert [len(d) for d in nested.unbatch()] == [0, 1, 2]


def test_windows_of_sparse_elements():
    (window,) = D.range(1, 3).map(_sparse).window(2)
    assert [_parts(x)[1] for x in window] == [[1], [2]]
