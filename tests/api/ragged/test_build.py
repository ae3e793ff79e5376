"""`tf.RaggedTensor.from_…`: every way to say where rows end gives the same tensor."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)
RAGGED = tf.RaggedTensor


@pytest.mark.parametrize("make", [
    lambda: tf.ragged.constant([[1, 2, 3], [], [4]]), lambda: RAGGED.from_row_splits([1, 2, 3, 4], [0, 3, 3, 4]),
    lambda: RAGGED.from_row_lengths([1, 2, 3, 4], [3, 0, 1]),
    lambda: RAGGED.from_value_rowids([1, 2, 3, 4], [0, 0, 0, 2]),
    lambda: RAGGED.from_row_starts([1, 2, 3, 4], [0, 3, 3]), lambda: RAGGED.from_row_limits([1, 2, 3, 4], [3, 3, 4]),
    lambda: RAGGED.from_tensor([[1, 2, 3], [0, 0, 0], [4, 0, 0]], padding=0),
    lambda: RAGGED.from_tensor([[1, 2, 3], [0, 0, 0], [4, 0, 0]], lengths=[3, 0, 1])])
def test_ragged_factories(make):
    r = make()
    assert repr(r) == "<tf.RaggedTensor [[1, 2, 3], [], [4]]>" and r.shape.as_list() == [3, None] and r.ragged_rank == 1
    assert r.to_tensor(-1).numpy().tolist() == [[1, 2, 3], [-1, -1, -1], [4, -1, -1]]
    assert r.to_tensor(shape=[None, 2]).numpy().tolist() == [[1, 2], [0, 0], [4, 0]]
    assert r.value_rowids().numpy().tolist() == [0, 0, 0, 2] and r.row_lengths().numpy().tolist() == [3, 0, 1]
    assert r.bounding_shape().numpy().tolist() == [3, 3]
    assert r.to_sparse().indices.numpy().tolist() == [[0, 0], [0, 1], [0, 2], [2, 0]]
