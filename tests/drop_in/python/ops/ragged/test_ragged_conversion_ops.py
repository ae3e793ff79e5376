"""Between ragged, dense and sparse tensors."""

import reflow as tf
from reflow.drop_in.python.ops.ragged import ragged_conversion_ops as conversions


def test_conversions():
    ragged = conversions.from_tensor([[1, 2], [3, 0]], padding=0)
    assert ragged.to_list() == [[1, 2], [3]] and conversions.from_tensor(ragged) is ragged
    assert conversions.to_tensor(ragged, 9).numpy().tolist() == [[1, 2], [3, 9]]
    dense = tf.ones([2])
    assert conversions.to_tensor(dense) is dense
    assert conversions.ragged_to_dense(ragged, 9, [2, 3]).numpy().tolist() == [[1, 2, 9], [3, 9, 9]]
    assert conversions.from_sparse(conversions.to_sparse(ragged)).to_list() == [[1, 2], [3]]
