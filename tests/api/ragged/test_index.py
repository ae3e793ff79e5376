"""Ragged tensors by index and slice, and element by element."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)
RAGGED = tf.RaggedTensor


def test_ragged_indexing_and_arithmetic():
    r = tf.ragged.constant([[1, 2, 3], [], [4]])
    assert r[0].numpy().tolist() == [1, 2, 3] and r[-1].numpy().tolist() == [4] and r[0, 1].numpy() == 2
    assert r[:, :1].to_list() == [[1], [], [4]] and r[:, -1:].to_list() == [[3], [], [4]]
    assert r[::2].to_list() == [[1, 2, 3], [4]]
    assert (1 + r * r).to_list() == [[2, 5, 10], [], [17]] and (r > 2).to_list() == [[False, False, True], [], [True]]
    assert [x.numpy().tolist() for x in r] == [[1, 2, 3], [], [4]]
    with pytest.raises(ValueError, match="RaggedTensor constructor is private"):
        RAGGED([1], [0])
