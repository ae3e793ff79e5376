"""Batches of ragged elements, and their rows."""

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
