"""The parts of ragged tensors, and their other forms."""


import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_nested_ragged():
    r = tf.ragged.constant([[[1], [2, 3]], []])
    assert r.ragged_rank == 2
    assert r.merge_dims(0, 1).to_list() == [[1], [2, 3]] and r.merge_dims(1, 2).to_list() == [[1, 2, 3], []]
    assert r.to_tensor().numpy().tolist() == [[[1, 0], [2, 3]], [[0, 0], [0, 0]]]
    assert r.to_sparse().indices.numpy().tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 1]]
