"""Elements of rows with a default."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.ragged.ragged_batch_gather_with_default_op import batch_gather_with_default


def test_a_default_outside_of_the_rows():
    params = tf.ragged.constant([["a", "b", "c"], ["d"], [], ["e"]])
    indices = tf.ragged.constant([[1, 2, -1], [], [], [0, 10]])
    assert batch_gather_with_default(params, indices, "?").to_list() == [[b"b", b"c", b"?"], [], [], [b"e", b"?"]]
    deep = tf.ragged.constant([[["a"], ["b", "c"]], [["d"]]])
    found = batch_gather_with_default(deep, tf.ragged.constant([[1, -1], [7]]), ["?", "!"])
    assert found.to_list() == [[[b"b", b"c"], [b"?", b"!"]], [[b"?", b"!"]]]
    assert batch_gather_with_default([[[1, 2], [3, 4]]], [[1, 2]], 0).numpy().tolist() == [[[3, 4], [0, 0]]]
    with pytest.raises(ValueError, match="scalar or vector"):
        batch_gather_with_default(params, indices, [["?"]])
